"""What a benchmark's figure may be, and how it is printed; one that can't be is refused."""

LEAST_EVENT_S = 1e-9  # a few cycles of a processor
MOST_SECONDS = 86400.0


class ImpossibleFigure(Exception):
    """A figure that no machine could have given; the message is a sentence."""


def possible(name, value, least, most):
    """Return a figure, or refuse what lies beyond what can be.

    Parameters
    ----------
    name : str
        What it is, for the message.
    value, least, most : float
        All in one unit; the ends are possible.

    Raises
    ------
    ImpossibleFigure
    """
    if not least <= value <= most:
        raise ImpossibleFigure(
            f"{name} can't be {value:.3g}: it must lie from {least:g} to {most:g};"
            " the benchmark measures something else."
        )
    return value


def event_seconds(name, value):
    """Return the seconds that an event took, or refuse what no processor can do."""
    return possible(f"The seconds of an event ({name})", value, LEAST_EVENT_S, 1.0)


def run_seconds(name, value):
    """Return the seconds of something longer, or refuse what took no time."""
    return possible(f"The seconds of '{name}'", value, 1e-6, MOST_SECONDS)


def print_ratio(name, value, goal, met, most=1e6):
    """Print one ratio, or one time in seconds, beside its goal."""
    possible(name, value, 1e-3, most)
    print(f"{name:44}{value:9.2f}   goal {goal:16}{'met' if met else 'MISSED'}")
