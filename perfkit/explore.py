"""Sliders: turn a system's parameters and see what becomes of it, beside the system as it is.

A panel runs the system anew, over the same seeds, when a control is let go. On a page without a
kernel its figure stands as it was drawn first.
"""

import html
import textwrap
from collections.abc import Mapping, Sized
from dataclasses import fields

import ipywidgets as widgets
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import display

from perfkit import plots
from perfkit.experiment import check_numeric, check_runs, interval, sweep
from perfkit.values import check_columns, is_finite

VIEW = "application/vnd.jupyter.widget-view+json"
AS_IT_IS, AS_TURNED = "as it is", "as turned"
STEPS, LABEL_WIDTH, TITLE_WIDTH = 50, 30, 95


def sliders(
    simulate,
    parameters,
    turn,
    measures,
    *,
    along=None,
    turned=None,
    labels=None,
    replications=3,
    seed=0,
    jobs=None,
    **options,
):
    """Return a panel of controls with a figure under them, for a notebook's cell to show.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The system as it is.
    turn : dict
        What may be turned: a parameter's name to a pair of numbers, the least and the most of a
        slider, or to a list of values to choose from. Either is widened to hold the system as it
        is.
    measures : str or list of str
        What is drawn, each on axes of its own.
    along : dict, optional
        One parameter's name to a list of values: the measures are drawn as curves along it.
        Without it they are points.
    turned : dict, optional
        Where controls stand at first; as the system is, by default.
    labels : dict, optional
        A measure's name to its unit and meaning, such as a system's ``MEASURES``.
    replications : int
        Runs of each point, 2 or more, for intervals.
    seed, jobs : int
        As in ``perfkit.experiment.replicate``.
    **options
        Handed to ``simulate``.
    """
    replications, seed = check_runs(parameters, replications, seed)
    if replications < 2:
        raise ValueError("A panel draws intervals; it needs 2 replications or more.")
    turned, labels = turned or {}, labels or {}
    for name, given in {"turn": turn, "turned": turned, "labels": labels}.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dictionary by name; {given!r} is none.")
    along = _checked_along(parameters, along, turn)
    settings = {"seed": seed, "jobs": jobs, "progress": False, **options}

    def run(changed):
        first = parameters.names()[0]
        column, values = along or (first, [getattr(changed, first)])
        return sweep(simulate, changed, pd.DataFrame({column: values}), replications, **settings)

    return Panel(run, parameters, turn, measures, along, turned, labels)


class Panel:
    """Controls of a system and what it does: returned by ``sliders``, shown by a cell.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
        By parameter.
    message : ipywidgets.HTML
        Why the system can't be as the controls stand; empty if it can.
    """

    def __init__(self, run, parameters, turn, measures, along, turned, labels):
        self._run, self._parameters, self._along, self._labels = run, parameters, along, labels
        self._kept, self._shown, self._quiet = {}, None, False
        self.measures = [measures] if isinstance(measures, str) else list(measures)
        if not turn or not self.measures:
            raise ValueError("Name one parameter to turn and one measure to draw, or more.")
        start = {name: getattr(parameters.replace(**turned), name) for name in turned}
        for name in set(start) - set(turn):
            raise ValueError(f"{name} stands turned at first, but there is no control for it.")
        self.controls = {
            name: _control(parameters, name, range_, start.get(name))
            for name, range_ in turn.items()
        }
        self.message = widgets.HTML()
        self._check_measures()
        for control in self.controls.values():
            control.observe(self._redraw, names="value")

    @property
    def changes(self):
        """What the controls change, by parameter: a dictionary for ``Parameters.replace``."""
        found = {name: control.value for name, control in self.controls.items()}
        return {
            name: value for name, value in found.items() if value != getattr(self._parameters, name)
        }

    def runs(self, changes=None):
        """Return the runs of the system as it is turned, or under other changes.

        Parameters
        ----------
        changes : dict, optional
            ``self.changes`` by default; an empty one is the system as it is.

        Returns
        -------
        pandas.DataFrame
            A row a run, as by ``perfkit.experiment.sweep``.
        """
        changes = self.changes if changes is None else changes
        key = repr(sorted(changes.items()))
        if key not in self._kept:
            self._kept[key] = self._run(self._parameters.replace(**changes))
        return self._kept[key]

    def figure(self):
        """Draw the system as it is and, if a control is turned, as turned.

        Returns
        -------
        matplotlib.figure.Figure
            With 95 % intervals over the replications.
        """
        variants = {AS_IT_IS: {}} | ({AS_TURNED: self.changes} if self.changes else {})
        frames = {name: self.runs(changes) for name, changes in variants.items()}
        count = len(self.measures)
        size = (plots.WIDTH_IN, 3.2 if count < 4 else 2.8)
        figure, axes = plt.subplots(1, count, figsize=size, squeeze=False, layout="constrained")
        for ax, measure in zip(axes[0], self.measures, strict=True):
            for place, (name, runs) in enumerate(frames.items()):
                self._draw(ax, runs, measure, place, name)
            label = textwrap.fill(self._labels.get(measure, measure), LABEL_WIDTH)
            ax.set_title(label, fontsize="small")
            ax.set_ylabel(measure, fontsize="small")
            if min(runs[measure].min() for runs in frames.values()) >= 0.0:
                ax.set_ylim(bottom=0.0)
        handles = axes[0, 0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper right", ncols=2, fontsize="small")
        figure.suptitle(self._title(), x=0.01, ha="left", fontsize="small")
        plt.close(figure)
        return figure

    def _draw(self, ax, runs, measure, place, name):
        """Draw one measure of one variant: a curve with its band, or a point with its bar."""
        colour = ("0.45", plots.colours(1)[0])[place]
        found = [interval(own) for _, own in runs.groupby("point")[measure]]
        means, widths = zip(*found, strict=True)
        if self._along:
            plots.band(ax, self._along[1], means, widths, colour, name)
            ax.set_xlabel(_with_unit(self._parameters, self._along[0]), fontsize="small")
        else:
            ax.errorbar([place], means, widths, fmt="o", color=colour, capsize=4, label=name)
            ax.set(xlim=(-0.6, 1.6), xticks=[])

    def _title(self):
        changes = [f"{name} {_shown(value)}" for name, value in self.changes.items()]
        text = f"{AS_TURNED}: {', '.join(changes)}" if changes else AS_IT_IS
        return textwrap.fill(text, TITLE_WIDTH)

    def _check_measures(self):
        runs = self.runs({})
        check_columns(runs, self.measures, "runs")
        check_numeric(runs, self.measures)

    def _redraw(self, _):
        """Draw anew, or say why not: the last figure then stands."""
        if self._quiet:
            return
        try:
            self.runs()
        except (ValueError, RuntimeError) as error:
            self.message.value = html.escape(str(error))
            return
        self.message.value = ""
        if self._shown is not None:
            self._shown.update(self.figure())

    def reset(self, _=None):
        """Put every control back to the system as it is."""
        self._quiet = True
        for name, control in self.controls.items():
            control.value = getattr(self._parameters, name)
        self._quiet = False
        self._redraw(None)

    def _ipython_display_(self):
        back = widgets.Button(description=AS_IT_IS)
        back.on_click(self.reset)
        box = widgets.VBox([*self.controls.values(), back, self.message])
        view = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
        names = ", ".join(self.controls)
        display({VIEW: view, "text/plain": f"Controls, in a running notebook: {names}."}, raw=True)
        self._shown = display(self.figure(), display_id=True)


def _checked_along(parameters, along, turn):
    """Return the parameter that is drawn along and its values, or nothing."""
    if along is None:
        return None
    if not isinstance(along, dict) or len(along) != 1:
        raise ValueError("along must name one parameter: a dictionary of it to its values.")
    name, values = next(iter(along.items()))
    if name in turn:
        raise ValueError(f"{name} is drawn along; it can't be turned, too.")
    listed = isinstance(values, Sized) and not isinstance(values, str)
    if not listed or not len(values) or not all(map(is_finite, values)):
        raise ValueError(f"{name} must be drawn along a list of finite numbers.")
    return name, [getattr(parameters.replace(**{name: value}), name) for value in values]


def _control(parameters, name, range_, start):
    """Return a parameter's slider or menu, standing where the system is or at a start."""
    if name not in parameters.names():
        hint = parameters.hint(name) or "."
        raise ValueError(f"There is no parameter '{name}' to turn{hint}")
    own = getattr(parameters, name)
    start = own if start is None else start
    look = {
        "description": _with_unit(parameters, name),
        "style": {"description_width": "20em"},
        "layout": {"width": "44em"},
    }
    if isinstance(range_, list):
        values = [getattr(parameters.replace(**{name: value}), name) for value in range_]
        values += [value for value in dict.fromkeys((own, start)) if value not in values]
        return widgets.Dropdown(
            options=[(_shown(value), value) for value in values], value=start, **look
        )
    low, high = _ends(parameters, name, range_, (own, start))
    whole = isinstance(own, int)
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    step = max(1, round((high - low) / STEPS)) if whole else (high - low) / STEPS
    return kind(start, min=low, max=high, step=step, continuous_update=False, **look)


def _ends(parameters, name, range_, inside):
    """Return the ends of a slider that holds some values, or refuse them in one sentence."""
    if isinstance(inside[0], (bool, str, tuple)):
        raise ValueError(f"{name} is no single number; give a list of values to choose from.")
    if not isinstance(range_, tuple) or len(range_) != 2 or not all(map(is_finite, range_)):
        raise ValueError(
            f"{name} is turned between two numbers, (least, most), or among a list of values;"
            f" {range_!r} is neither."
        )
    if not all(map(is_finite, inside)):
        raise ValueError(f"{name} is infinite to begin with; give a list of values to choose from.")
    low, high = (getattr(parameters.replace(**{name: end}), name) for end in range_)
    if not low < high:
        raise ValueError(f"The slider of {name} must rise; {low} to {high} does not.")
    return min(low, *inside), max(high, *inside)


def _with_unit(parameters, name):
    unit = {field.name: field for field in fields(parameters)}[name].metadata["unit"]
    return f"{name} ({unit})" if unit else name


def _shown(value):
    return ", ".join(map(_shown, value)) if isinstance(value, tuple) else f"{value}"
