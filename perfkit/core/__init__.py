"""What a parameter, a result and a table are."""
