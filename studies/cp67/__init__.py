"""Bard's study: his experiments, our days of them, the calibration."""
