"""Results as small records: they print as a table, turn into frames, and plot."""

ROWS_SHOWN = 40


class Record:
    """What every result can do; a frozen dataclass derives from it and gives ``frame``."""

    def frame(self):
        """Return the result as a tidy pandas.DataFrame."""
        raise NotImplementedError

    def __str__(self):
        """Return the frame as text, four significant digits; a long one loses its middle."""
        return as_text(self.frame())

    def _repr_html_(self):
        return as_html(self.frame())

    def plot(self, ax=None, **style):
        """Draw the frame's columns over its index; records with a better picture override it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        **style
            Handed to ``DataFrame.plot``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return self.frame().plot(ax=ax, **style)


def as_text(frame):
    """Return a frame as text, four significant digits, at most `ROWS_SHOWN` rows."""
    return frame.to_string(float_format=_four_digits, max_rows=ROWS_SHOWN)


def as_html(frame):
    """Return a frame as HTML, four significant digits, at most `ROWS_SHOWN` rows."""
    return frame.to_html(float_format=_four_digits, max_rows=ROWS_SHOWN)


def _four_digits(number):
    return f"{number:.4g}"
