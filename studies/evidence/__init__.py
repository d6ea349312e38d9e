"""What was published, what we make of it, and what that is worth."""
