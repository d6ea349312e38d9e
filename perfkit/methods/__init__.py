"""What the papers teach: methods for the observations of any system, frames in and frames out."""
