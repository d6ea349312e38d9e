"""What people look at: tables here, pictures in ``plots``, sliders in ``explore``."""

from perfkit.show.tables import Table, pm, table

__all__ = ["Table", "pm", "table"]
