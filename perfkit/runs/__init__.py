"""Many runs: replicated, compared, swept over designs, kept."""
