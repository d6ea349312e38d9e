"""Benchmarks of the simulation core; run them by ``python -m benchmarks``."""
