"""Results as small records: they print as a table, turn into frames, and plot."""


class Record:
    """What every result can do; a frozen dataclass derives from it and gives ``frame``."""

    def frame(self):
        """Return the result as a tidy pandas.DataFrame."""
        raise NotImplementedError

    def __str__(self):
        """Return the frame as text, four significant digits."""
        return self.frame().to_string(float_format=lambda number: f"{number:.4g}")

    def _repr_html_(self):
        return self.frame().to_html(float_format=lambda number: f"{number:.4g}")

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
