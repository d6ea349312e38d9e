"""What perfkit does where it is treated badly: parts that docs/robustness.md tables."""
