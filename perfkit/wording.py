"""What messages about a wrong name have in common."""

import difflib


def nearest(name, names):
    """Return '; did you mean ...?' for the names nearest to a wrong one, or ''."""
    close = difflib.get_close_matches(str(name), list(names), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
