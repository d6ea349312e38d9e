"""What the papers teach: methods of measuring and of analysing measurements."""
