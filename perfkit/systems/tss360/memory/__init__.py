"""Page frames and pages: what is in main storage, and how it comes and goes."""
