"""The simulated systems, a package each, all of one shape."""
