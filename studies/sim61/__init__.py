"""The SIM/61 study: its runs, their scorecard, the calibration."""
