"""First-fit allocation as UNIX does it for core and for the swap area.

A map lists the free areas by rising address; the first of extent 0 ends it.
"""

import numpy as np

from perfkit.des.compiling import kernel

AREA = np.dtype([("extent", "i8"), ("address", "i8")], align=True)


def new_map(size, pieces):
    """Return a map of one free area; it has room for the holes between ``pieces`` pieces."""
    areas = np.zeros(pieces + 3, AREA).view(np.recarray)
    areas[0].extent = size
    return areas


@kernel
def allocate(areas, size):
    """Take the first area that is large enough; return its address, or -1 if none is."""
    for i in range(areas.size):
        if areas[i].extent == 0:
            return -1
        if areas[i].extent >= size:
            address = areas[i].address
            areas[i].address += size
            areas[i].extent -= size
            if areas[i].extent == 0:
                _close_gap(areas, i)
            return address
    return -1


@kernel
def free_extent(areas):
    """Return how much is free in all areas together."""
    total = 0
    for i in range(areas.size):
        if areas[i].extent == 0:
            return total
        total += areas[i].extent
    return total


@kernel
def join_all(areas, bottom):
    """Make one area of all that is free, from an address on."""
    total = free_extent(areas)
    areas.extent[:] = 0
    areas[0].extent, areas[0].address = total, bottom


@kernel
def release(areas, size, address):
    """Give an area back and join it with its free neighbours."""
    i = 0
    while areas[i].extent != 0 and areas[i].address < address:
        i += 1
    joins_left = i > 0 and areas[i - 1].address + areas[i - 1].extent == address
    joins_right = areas[i].extent != 0 and address + size == areas[i].address
    if joins_left:
        areas[i - 1].extent += size
        if joins_right:
            areas[i - 1].extent += areas[i].extent
            _close_gap(areas, i)
    elif joins_right:
        areas[i].address = address
        areas[i].extent += size
    else:
        _open_gap(areas, i)
        areas[i].address = address
        areas[i].extent = size


@kernel
def _close_gap(areas, i):
    while areas[i].extent != 0 or areas[i + 1].extent != 0:
        areas[i].extent = areas[i + 1].extent
        areas[i].address = areas[i + 1].address
        i += 1
        if areas[i].extent == 0:
            return


@kernel
def _open_gap(areas, i):
    last = i
    while areas[last].extent != 0:
        last += 1
    while last > i:
        areas[last].extent = areas[last - 1].extent
        areas[last].address = areas[last - 1].address
        last -= 1
