"""The TSS/360 study: what its print alone allows, its experiments simulated, our scorecard."""
