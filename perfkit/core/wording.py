"""What texts have in common: nearest names to a wrong one, articles, numbers in few digits."""

import difflib
import math
import reprlib
from textwrap import shorten


def nearest(name, names):
    """Return '; did you mean ...?' for the names nearest to a wrong one, or ''.

    Near are names alike in over half of their letters, or that hold it; capitals do not count.
    """
    word, names = str(name).lower(), {other.lower(): other for other in names}
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.55)
    close = close or [other for other in names if len(word) > 2 and word in other][:3]
    return f"; did you mean {' or '.join(names[one] for one in close)}?" if close else ""


def check_known(what, name, names):
    """Refuse a name that is none of those known: the nearest are said, or all."""
    if name not in names:
        hint = nearest(name, names) or f"; there are {', '.join(names) or 'none'}."
        raise ValueError(f"There is no {what} '{name}'{hint}")


def one_line(value):
    """Return how a value of any kind reads, on one line and not too long."""
    return shorten(" ".join(reprlib.repr(value).split()), 100, placeholder=" ...")


def with_article(noun):
    """Return a noun with 'a' or 'an' before it."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def sentence(text):
    """Return a text with its first letter as a capital."""
    return text[0].upper() + text[1:]


def short(value, digits=4):
    """Return a number in so many digits, or in all that it has before the point; nan as ''."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 10**digits - 0.5 else f"{value:.{digits}g}"


def with_half_width(value, half_width, digits=3, most=None):
    """Return a number and its half-width, to the place of the half-width's second digit.

    Without a half-width, or with one that is but rounding, the number has so many digits. The
    number has no more than ``most`` digits, unless the first one of its half-width needs more.
    """
    if math.isnan(value):
        return "", ""
    if not math.isfinite(value) or not math.isfinite(half_width):
        return short(value, digits), short(half_width, digits)
    if half_width <= 1e-9 * abs(value):
        return short(value, digits), "0"
    first = -math.floor(math.log10(half_width))
    places = max(0, 1 + first)
    if most and value:
        places = max(0, first, min(places, most - 1 - math.floor(math.log10(abs(value)))))
    return f"{value:.{places}f}", f"{half_width:.{places}f}"


def grouped(value, half_width=math.nan, signed=False):
    """Return a number as people write it, with its half-width to two digits: '13,200 ± 140'."""
    if math.isnan(value):
        return "-"
    sign = "+" if signed else ""
    half_width = 0.0 if half_width <= 1e-9 * abs(value) else half_width  # it is but rounding
    if half_width == 0.0 or not math.isfinite(half_width) or not math.isfinite(value):
        digits = 4 if abs(value) < 1e4 else math.floor(math.log10(abs(value))) + 1
        text = f"{value:{sign},.{digits}g}" if math.isfinite(value) else str(value)
        return f"{text} ± 0" if half_width == 0.0 and signed and value else text
    places = 1 - math.floor(math.log10(half_width))
    shown = max(places, 0)
    return f"{round(value, places):{sign},.{shown}f} ± {round(half_width, places):,.{shown}f}"
