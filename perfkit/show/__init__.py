"""What people look at: tables here, pictures in ``plots``, sliders in ``explore``."""

from perfkit.core.moved import part
from perfkit.show.tables import Table, pm, table

__all__ = ["Table", "pm", "table"]


def __getattr__(name):
    return part(__name__, name)
