"""Moved to ``perfkit.des.devices``."""

from perfkit.des.devices import (  # noqa: F401
    ROUNDING,
    Disc,
    Discipline,
    choose_request,
    cylinder_of,
    head_of,
    rotational_wait,
    seek_table,
    transfer_end,
)
