"""The TSS/360 study: what its published numbers alone allow to be derived."""
