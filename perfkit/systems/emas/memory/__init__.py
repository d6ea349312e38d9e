"""Core and active storage, the drum level: who has pages where."""
