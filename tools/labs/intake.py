"""Placeholder until merged."""
