"""Across the five: questions that no one paper could ask of the others' machines."""
