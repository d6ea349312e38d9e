"""Brachman's study: his runs, our scorecard of them, the calibration."""
