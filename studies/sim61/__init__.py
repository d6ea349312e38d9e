"""The SIM/61 study: its runs, our scorecard of them, the calibration."""
