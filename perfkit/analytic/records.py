"""Moved to ``perfkit.record``; ``frame`` is called ``to_frame`` there."""

from perfkit import record
from perfkit.record import ROWS_SHOWN, as_html, as_text  # noqa: F401


class Record(record.Record):
    """A record whose classes still give ``frame``."""

    def frame(self):
        """Return the result as a tidy pandas.DataFrame."""
        raise NotImplementedError

    def to_frame(self):
        """Return the result as a tidy pandas.DataFrame."""
        return self.frame()
