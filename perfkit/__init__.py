"""Classic performance studies of 1970s time-sharing systems, rebuilt and re-derived."""

from perfkit.core import moved as moved  # here, so that no old name is looked for before

__version__ = "0.1.0"
