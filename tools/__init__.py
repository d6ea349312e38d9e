"""For maintainers: what is generated into the repository."""
