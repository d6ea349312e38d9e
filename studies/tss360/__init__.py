"""The TSS/360 study: what its tables alone allow, its experiments simulated, our scorecard."""
