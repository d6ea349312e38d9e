"""Results as small records: they print as a table, turn into frames, and plot."""

import numpy as np

ROWS_SHOWN = 40


class Record:
    """What every result can do; a frozen dataclass derives from it.

    Attributes
    ----------
    index : str or None
        The field that a row of the frame stands for; without it a row is a measure.
    """

    index = None

    def to_frame(self):
        """Return as a pandas.DataFrame what goes with the index by row, or all single values."""
        import pandas as pd

        if self.index is None:
            single = {k: v for k, v in vars(self).items() if np.ndim(v) == 0}
            return pd.DataFrame({"value": single}).rename_axis("measure")
        rows = pd.Index(getattr(self, self.index), name=self.index)
        arrays = {k: v for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        columns = {k: v for k, v in arrays.items() if k != self.index and v.shape == rows.shape}
        return pd.DataFrame(columns, index=rows)

    def __str__(self):
        """Return the frame as text, four significant digits; a long one loses its middle."""
        return self.to_frame().to_string(float_format=_four_digits, max_rows=ROWS_SHOWN)

    def _repr_html_(self):
        return self.to_frame().to_html(float_format=_four_digits, max_rows=ROWS_SHOWN)

    def plot(self, ax=None, **style):
        """Draw the frame's columns over its index.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        **style
            Handed to ``DataFrame.plot``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return self.to_frame().plot(ax=ax, **style)


def _four_digits(number):
    return f"{number:.4g}"
