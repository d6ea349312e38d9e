"""Moved to ``perfkit.tables``."""

from perfkit.tables import MOST, table_rows  # noqa: F401
