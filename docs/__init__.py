"""Settings and pages of the site."""
