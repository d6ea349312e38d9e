"""The commands that need the papers' side."""
