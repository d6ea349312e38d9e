"""The EMAS study: its runs, our scorecard of them, the calibration."""
