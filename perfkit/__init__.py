"""Classic performance studies of 1970s time-sharing systems, rebuilt and re-derived."""

__version__ = "1.0.0"
