"""What every model's result can do."""

import numpy as np

from perfkit.core import record


class Record(record.Record):
    """A model's result; a frozen dataclass derives from it.

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
