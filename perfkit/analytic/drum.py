"""A drum as a paging device, with a queue for each sector or without.

A revolution passes under the heads s sectors of one page each, and a page starts only at its
sector's edge. A drum of one page per track, as the RCA 8567 of SIM/61 with its window, is s = 1: a
page per revolution.
"""

from perfkit.analytic.checks import count, one, positive


def greatest_rate(revolution_s, sectors):
    """Return the pages per s of a drum each of whose sectors always has a request.

    Parameters
    ----------
    revolution_s : float
        Time of one revolution in s.
    sectors : int
        Pages on a track.

    Examples
    --------
    >>> round(float(greatest_rate(0.0172, 2)), 1)  # two sectors a turn of 17.2 ms
    116.3
    """
    return count("sectors", sectors) / _revolution(revolution_s)


def _revolution(revolution_s):
    return positive("revolution_s", one("revolution_s", revolution_s))
