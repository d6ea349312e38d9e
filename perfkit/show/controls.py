"""Controls of parameters: sliders and menus with labels in words, for ``perfkit.show.explore``."""

import re
import sys

from perfkit.core.values import is_finite

STEPS = 50  # of a slider
MOST_WHOLE = 6  # whole numbers that a menu lists
SPREAD = (0.5, 0.75, 1.5, 2.0)  # of a value, or of 1
UNIT_FIRST = re.compile(r"^(s|ms|%) (?:of )?(?:the |a )?(.+)")


def control(parameters, name, range_, start, words):
    """Return a parameter's slider or menu, standing where the system is or at a start."""
    import ipywidgets as widgets  # here, for the words below are wanted without it, too

    spec = parameters.spec_of(name)
    usual = getattr(parameters, name)
    if usual is None:
        sets = ", ".join(parameters.sets(name))
        raise ValueError(f"{name} can't be turned where {sets} have values that it gives none of.")
    start = usual if start is None else start
    look = {
        "description": words[name],
        "tooltip": f"{name} ({spec.metadata['source']})",
        "style": {"description_width": "20em"},
        "layout": {"width": "44em", "max_width": "100%"},
    }
    if isinstance(range_, list):
        values = [getattr(parameters.replace(**{name: value}), name) for value in range_]
        values += [value for value in dict.fromkeys((usual, start)) if value not in values]
        return widgets.Dropdown(
            options=[(shown(value), value) for value in values], value=start, **look
        )
    low, high = _ends(parameters, name, range_, (usual, start))
    whole = isinstance(usual, int)
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    step = max(1, round((high - low) / STEPS)) if whole else (high - low) / STEPS
    return kind(start, min=low, max=high, step=step, continuous_update=False, **look)


def _ends(parameters, name, range_, inside):
    """Return the ends of a slider that holds some values, or refuse them in one sentence."""
    if not all(map(is_finite, inside)):
        raise ValueError(f"{name} is no finite number; give a list of values to choose from.")
    if not isinstance(range_, tuple) or len(range_) != 2 or not all(map(is_finite, range_)):
        raise ValueError(
            f"{name} is turned between two numbers, (least, most), or among a list of values;"
            f" {range_!r} is neither."
        )
    low, high = (getattr(parameters.replace(**{name: end}), name) for end in range_)
    if not low < high:
        raise ValueError(f"The slider of {name} must rise; {low} to {high} does not.")
    return min(low, *inside), max(high, *inside)


def menu(spec):
    """Return the values that a field or lever may have, if they are words or few numbers."""
    low, high = spec.metadata["low"], spec.metadata["high"]
    if isinstance(spec.default, bool):
        return [False, True]
    few = isinstance(spec.default, int) and None not in (low, high) and high - low < MOST_WHOLE
    return list(range(low, high + 1)) if few else list(spec.metadata["choices"] or ())


def spread(parameters, name):
    """Return values of a number: a menu's, or from half to twice its own, as far as they may be."""
    own, few = getattr(parameters, name), menu(parameters.spec_of(name))
    found = {own, *few}
    for share in () if few else SPREAD:
        try:
            near = type(own)(float(f"{share * (own or 1):.3g}"))
            found.add(getattr(parameters.replace(**{name: near}), name))
        except ValueError:
            continue
    return sorted(found)


def all_words(parameters, words):
    """Return the labels of all parameters: those given, or the names in words with their units."""
    for name, label in words.items():
        parameters.spec_of(name)  # refuses what is none
        if not isinstance(label, str):
            raise TypeError(f"The label of {name} must be a text; {label!r} is none.")
    return {name: _with_unit(parameters, name) for name in parameters.accepted()} | dict(words)


def _with_unit(parameters, name):
    """Return a parameter's name in words, its unit in brackets rather than at the end."""
    unit = parameters.spec_of(name).metadata["unit"]
    first, _, last = name.rpartition("_")
    if unit in ("", name):
        return in_words(name)
    return in_words(f"{first if first and last in unit.split() else name} ({unit})")


def in_words(name):
    """Return a name as words."""
    return name.replace("_", " ")


def meanings(parameters):
    """Return what the measures of the parameters' system mean, by name, a bare unit at the end."""
    system = sys.modules.get(type(parameters).__module__.rpartition(".")[0])
    measures = getattr(system, "MEASURES", {})
    return {name: UNIT_FIRST.sub(r"\2 (\1)", text) for name, text in measures.items()}


def shown(value):
    """Return a value in words, a number without digits that say nothing."""
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else f"{value}"
