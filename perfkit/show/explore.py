"""Sliders: turn a system's parameters and see what becomes of it, beside the baseline.

When a control is let go, a panel runs the system anew over the same seeds. Without a kernel, a
page shows the picture that was drawn first.
"""

import asyncio
import html
import textwrap
from collections.abc import Mapping, Sized
from functools import lru_cache

import numpy as np
import pandas as pd

from perfkit.core.extras import extra
from perfkit.core.values import check_numeric, is_finite
from perfkit.core.wording import sentence, with_half_width
from perfkit.runs.experiment import check_runs, interval, sweep
from perfkit.show import plots
from perfkit.show.controls import all_words, control, in_words, meanings, shown

with extra("explore", "A panel of sliders"):
    import ipywidgets as widgets
    from IPython.display import Markdown, display
    from matplotlib.figure import Figure
    from traitlets import Unicode

VIEW = "application/vnd.jupyter.widget-view+json"
BASELINE, AS_TURNED, DIFFERENCE = "baseline", "as turned", "difference"
COMPUTING = "computing ..."
MOST_KEPT = 64  # states of the controls
TITLE_WIDTH, HEAD_WIDTH = 60, 84  # letters beside the legend, and in all heads of columns
HEIGHTS_IN = (1.9, 1.3)  # of the values, and of the differences under them
LINE_IN, ROW_GAP_IN, COLUMN_GAP_IN, LEFT_IN, RIGHT_IN = 0.17, 0.15, 0.55, 0.7, 0.1
BELOW_IN = 0.5
CAPTION = (  # of every state, because a page keeps the first one
    "Grey: the baseline. Blue: as turned, over the same {seeds} seeds; below it, the difference"
    " seed by seed. {kind} are 95 % intervals; where none is seen, it is narrower than the line."
)


def sliders(
    simulate, parameters, turn, measures, *, along=None, turned=None, words=None, labels=None,
    title="", replications=3, seed=0, jobs=None, **options,
):  # fmt: skip
    """Return a panel of controls with a figure under them, for a notebook's cell to show.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The baseline.
    turn : dict
        What may be turned: a parameter's or lever's name to a pair of numbers, the least and the
        most of a slider, or to a list of values to choose from. Either is widened to hold the
        system as it is.
    measures : str or list of str
        What is drawn, each on axes of its own.
    along : dict, optional
        One parameter's name to a list of values: the measures are drawn as curves along it.
        Without it they are points.
    turned : dict, optional
        Where controls stand at first; as the system is, by default.
    words : dict, optional
        A parameter's name to its label, with the unit. By default a label is the name in words
        with the unit. A control's tooltip gives the name itself and where its value is from.
    labels : dict, optional
        A measure's name to its unit and meaning; by default as in the system's ``MEASURES``.
    title : str, optional
        What the picture shows, for its first line; the next says what is turned.
    replications : int
        Runs of each point, 2 or more, for intervals.
    seed, jobs : int
        As in ``perfkit.runs.experiment.replicate``.
    **options
        Handed to ``simulate``.

    Examples
    --------
    >>> from perfkit.systems import unix_v6
    >>> small = unix_v6.Parameters(processes=2, interactions=5)
    >>> panel = sliders(unix_v6.simulate, small, {"buffers": (5, 40)}, "elapsed_s")
    >>> panel.controls["buffers"].value = 10
    >>> panel.changes
    {'buffers': 10}
    """
    replications, seed = check_runs(parameters, replications, seed)
    if replications < 2:
        raise ValueError("A panel draws intervals; it needs 2 replications or more.")
    turned, words, labels = turned or {}, words or {}, labels or {}
    given_by_name = {"turn": turn, "turned": turned, "words": words, "labels": labels}
    for name, given in given_by_name.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dictionary by name; {given!r} is none.")
    if not isinstance(title, str):
        raise TypeError(f"title must be a text; {title!r} is none.")
    words = all_words(parameters, words)
    labels = {**meanings(parameters), **labels}
    along = _checked_along(parameters, along, turn)
    parameters.check_apart(name for name in [*turn, *(along or ())[:1]])
    settings = {"seed": seed, "jobs": jobs, "progress": False, **options}

    design = pd.DataFrame(dict([along])) if along else pd.DataFrame(index=[0])
    run = lambda changed: sweep(simulate, changed, design, replications, **settings)  # noqa: E731
    kind = "Bands" if along else "Bars"
    caption = CAPTION.format(seeds=replications, kind=kind)
    return Panel(run, parameters, turn, measures, along, turned, words, labels, title, caption)


class Picture(widgets.Image):
    """An image whose tooltip can be shown: ipywidgets asks all that have one for a description."""

    description = Unicode("").tag(sync=True)


class Newest:
    """Runs and shows the newest of the states that are asked for, never two at once.

    Where an event loop runs, as in a notebook's kernel, a worker thread simulates (``run``) and the
    loop draws (``show``). What is asked for meanwhile waits; only the newest is run next, so the
    last figure is that of the last state. Elsewhere asking returns when the figure is drawn.
    ``message`` says that runs are being computed, or why there are none; the tooltip of ``image``
    tells it in words.
    """

    def __init__(self, run, show):
        self._work, self._present = run, show
        self._wanted, self._busy = None, False
        self.message = widgets.HTML(layout={"min_height": "2em"})
        width = str(round(plots.WIDTH_IN * plots.DPI))
        self.image = Picture(width=width, layout={"max_width": "100%"})

    def _ask(self, state):
        """Have a state run and shown, after what is being run."""
        self._wanted = state
        if self._busy:
            return
        self._busy = True
        try:
            self._following = asyncio.get_running_loop().create_task(self._follow())
        except RuntimeError:  # a script's
            asyncio.run(self._follow())

    def _steps(self, state):
        """Return a state's pictures, each to be run and shown, the roughest first."""
        return [state]

    async def _follow(self):
        """Run and show the newest state until there is none newer, or say why not."""
        try:
            while self._wanted is not None:
                state, self._wanted = self._wanted, None
                self.message.value = COMPUTING
                try:
                    for step in self._steps(state):
                        await asyncio.to_thread(self._work, step)
                        self._present(step)
                        if self._wanted is not None:
                            break
                except Exception as error:  # nobody awaits this; the last figure stands
                    self.message.value = html.escape(str(error))
                else:
                    self.message.value = ""
        finally:
            self._busy = False


class Panel(Newest):
    """Controls of a system and what it does: returned by ``sliders``, shown by a cell.

    The runs and pictures of the 64 newest states are kept.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
        By parameter.
    """

    def __init__(
        self, run, parameters, turn, measures, along, turned, words, labels, title, caption
    ):
        super().__init__(self.runs, lambda changes: self._show(parameters.replace(**changes)))
        self._parameters, self._along, self._words, self._labels = parameters, along, words, labels
        self._head, self._caption = [title] if title else [], caption
        self._run = lru_cache(MOST_KEPT)(run)
        self._page = lru_cache(MOST_KEPT)(lambda turned, small: self.picture(turned).bundle(small))
        self._quiet = False
        self.measures = [measures] if isinstance(measures, str) else list(measures)
        if not turn or not self.measures:
            raise ValueError("Name one parameter to turn and one measure to draw, or more.")
        start = {name: getattr(parameters.replace(**turned), name) for name in turned}
        for name in set(start) - set(turn):
            raise ValueError(f"{name} stands turned at first, but there is no control for it.")
        self.controls = {
            name: control(parameters, name, range_, start.get(name), words)
            for name, range_ in turn.items()
        }
        runs = self.runs({})
        check_numeric(runs, self.measures, "runs")
        for one in self.controls.values():
            one.observe(self._redraw, names="value")

    @property
    def changes(self):
        """What the controls change, by parameter: a dictionary for ``Parameters.replace``."""
        return self._differing({name: one.value for name, one in self.controls.items()})

    def _differing(self, values):
        usual = self._parameters
        return {name: value for name, value in values.items() if value != getattr(usual, name)}

    def runs(self, changes=None):
        """Return the runs, as by ``sweep``, of the system as turned, or under other changes.

        ``changes`` are the controls' by default; an empty dictionary is the baseline.
        """
        changes = self.changes if changes is None else changes
        return self._run(self._parameters.replace(**changes))

    def picture(self, turned=None):
        """Draw the baseline and, if a control is turned, as turned and their difference."""
        turned = turned or self._parameters.replace(**self.changes)
        variants = dict.fromkeys((self._parameters, turned))  # one, if nothing is turned
        frames = dict(zip((BASELINE, AS_TURNED), map(self._run, variants), strict=False))
        along = {self._words[self._along[0]]: self._along[1]} if self._along else {}
        labels = {name: self._labels.get(name, in_words(name)) for name in self.measures}
        changes = self._differing({name: getattr(turned, name) for name in self.controls})
        parts = [f"{self._words[name]} = {shown(value)}" for name, value in changes.items()]
        title = [*self._head, f"{AS_TURNED}: {'; '.join(parts)}" if parts else BASELINE]
        return drawn(frames, labels, title, self._caption, along)

    def _redraw(self, _):
        """Have the state that the controls now stand at drawn, after what is being drawn."""
        if not self._quiet:
            self._ask(self.changes)

    def _show(self, turned, small=False):
        data, look = self._page(turned, small)
        self.image.value, self.image.tooltip = data["image/png"], look["image/png"]["alt"]
        return data, look

    def reset(self, _=None):
        """Put every control back to the baseline."""
        self._quiet = True
        for name, one in self.controls.items():
            one.value = getattr(self._parameters, name)
        self._quiet = False
        self._redraw(None)

    def _ipython_display_(self):
        """Show the controls where a kernel runs, and elsewhere the picture drawn last."""
        data, look = self._show(self._parameters.replace(**self.changes), small=True)
        back = widgets.Button(description=BASELINE)
        back.on_click(self.reset)
        box = widgets.VBox([*self.controls.values(), back, self.message, self.image])
        names = "; ".join(one.description for one in self.controls.values())
        text = f"{data['text/plain']}\nControls, in a running notebook: {names}."
        view = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
        display({**data, VIEW: view, "text/plain": text}, raw=True, metadata=look)
        display(Markdown(f"*{self._caption}*"))


def drawn(frames, labels, title, caption, along=None):
    """Draw one system's measures, or those of two and their difference, with 95 % intervals.

    ``frames`` are the runs by system, as by ``sweep``; ``labels`` say what the measures are, each
    on axes of its own; the lines of ``title`` stand above. ``along`` is one label of the horizontal
    axis to its values; without it measures are points. The difference is taken seed by seed.
    """
    heads = [textwrap.fill(label, HEAD_WIDTH // len(labels)) for label in labels.values()]
    above = "\n".join(textwrap.fill(line, TITLE_WIDTH) for line in title)
    axis, at = next(iter(along.items())) if along else ("", None)
    figure, axes = _frame(above, heads, len(frames), axis)
    sentences = []
    for column, (measure, label) in zip(axes.T, labels.items(), strict=True):
        values = {name: _intervals(runs, runs[measure]) for name, runs in frames.items()}
        for place, (name, pair) in enumerate(values.items()):
            _curve(column[0], at, *pair, name, place)
        if min(runs[measure].min() for runs in frames.values()) >= 0.0:
            column[0].set_ylim(0.0, 1.05 * column[0].get_ylim()[1])
        if len(frames) > 1:
            base, other = frames.values()
            values[DIFFERENCE] = _intervals(base, other[measure] - base[measure])
            _curve(column[1], at, *values[DIFFERENCE], DIFFERENCE, 1)
        column[-1].set_xlabel(axis, fontsize="small")
        sentences.append(f"{label}: {', '.join(_ends_in_words(*item) for item in values.items())}.")
    look = {"loc": "upper right", "ncols": 2, "fontsize": "small", "borderpad": 0}
    figure.legend(*axes[0, 0].get_legend_handles_labels(), **look)
    where = f" along {axis}, from {shown(at[0])} to {shown(at[-1])}" if along else ""
    heading = ". ".join(map(sentence, title))
    alt = f"{heading}. Means with 95 % intervals{where}. {' '.join(sentences)}"
    return plots.Picture(figure, caption, alt)


def _curve(ax, at, means, widths, name, place):
    """Draw one measure of one variant, or a difference: a curve with its band, or a point."""
    colour = plots.colours(1)[0] if place else "0.45"
    if at is not None:
        draw = plots.paired if name == DIFFERENCE else plots.band
        draw(ax, at, means, widths, colour, name)
        return
    if name == DIFFERENCE:
        ax.axhline(0.0, color="0.3", lw=1)
    ax.errorbar([place], means, widths, fmt="o", color=colour, capsize=4, label=name)
    ax.set(xlim=(-0.6, 1.6), xticks=[])


def _frame(title, heads, rows, along):
    """Return a figure and its axes, a column per head; they stay in place whatever is drawn.

    Without pyplot, which is for one thread; without a layout engine, which takes as long again.
    """
    lines = [1 + max(text.count("\n") for text in texts) for texts in ([title], heads)]
    above, below = 0.1 + LINE_IN * sum(lines), BELOW_IN if along else 0.1
    heights = HEIGHTS_IN[:rows]
    height = above + sum(heights) + ROW_GAP_IN * (rows - 1) + below
    width = (plots.WIDTH_IN - LEFT_IN - RIGHT_IN - COLUMN_GAP_IN * (len(heads) - 1)) / len(heads)
    figure = Figure(figsize=(plots.WIDTH_IN, height))
    place = {
        "left": LEFT_IN / plots.WIDTH_IN,
        "right": 1.0 - RIGHT_IN / plots.WIDTH_IN,
        "bottom": below / height,
        "top": 1.0 - above / height,
        "wspace": COLUMN_GAP_IN / width,
        "hspace": ROW_GAP_IN * rows / sum(heights),
        "height_ratios": heights,
    }
    axes = figure.subplots(rows, len(heads), sharex="col", squeeze=False, gridspec_kw=place)
    figure.suptitle(title, x=0.01, y=1.0 - 0.05 / height, ha="left", va="top", fontsize="small")
    for ax, head in zip(axes[0], heads, strict=True):
        ax.set_title(head, y=1.02, fontsize="small", weight="normal", loc="left", pad=0)
    for ax, tall in zip(axes.flat, np.repeat(heights, len(heads)), strict=True):
        ax.tick_params(labelsize="x-small", pad=1)
        ax.locator_params(axis="y", nbins=4)
        ax.xaxis.set_label_coords(0.5, -0.28 / tall)
        ax.yaxis.set_label_coords(-0.5 / width, 0.5)
    if rows > 1:
        axes[1, 0].set_ylabel(DIFFERENCE, fontsize="small")
    return figure, axes


def _intervals(runs, values):
    """Return the mean of each point and its half-width, missing where one value has none."""
    pairs = [interval(at_point) for _, at_point in values.groupby(runs["point"])]
    means, widths = np.array(pairs).T
    return means, np.where(np.isfinite(widths), widths, np.nan)


def _ends_in_words(name, values):
    """Return in words where a curve begins and ends."""
    ends = dict.fromkeys((0, len(values[0]) - 1))
    pairs = [with_half_width(*(row[end] for row in values)) for end in ends]
    return f"{name} {' to '.join(' ± '.join(filter(None, pair)) or 'missing' for pair in pairs)}"


def _checked_along(parameters, along, turn):
    """Return the parameter that is drawn along and its values, or nothing."""
    if along is None:
        return None
    if not isinstance(along, dict) or len(along) != 1:
        raise ValueError("along must name one parameter: a dictionary of it to its values.")
    ((name, values),) = along.items()
    if name in turn:
        raise ValueError(f"{name} is drawn along; it can't be turned, too.")
    if not isinstance(values, Sized) or not len(values) or not all(map(is_finite, values)):
        raise ValueError(f"{name} must be drawn along a list of finite numbers.")
    return name, [getattr(parameters.replace(**{name: value}), name) for value in values]
