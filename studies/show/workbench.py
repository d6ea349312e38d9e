"""The workbench: any parameter of any system turned, a machine A beside a machine B.

``make explore`` serves it as an app; a cell of a notebook that ends with ``Workbench()`` shows it.
"""

import html
import re
import shlex
from functools import lru_cache, partial
from itertools import pairwise

import ipywidgets as widgets
import pandas as pd
from IPython.display import display

from perfkit.commands.simulate import compared, readable
from perfkit.core.values import is_finite
from perfkit.des.compiling import is_compiled
from perfkit.runs.experiment import sweep
from perfkit.show.controls import all_words, menu, shown, spread
from perfkit.show.explore import Newest, drawn
from studies import STUDIES

MACHINES = ("A", "B")
MOST_ROWS, MOST_DRAWN, MOST_KEPT = 8, 3, 512
GROWTH = (2, 4, 8, 16, 32, 64, 128)  # runs that pictures rest on, up to the number asked for
# Where a run takes half a second, the first picture rests on runs of a tenth of the length.
SHORT = {"cp67": {"measured_s": 3600.0}, "emas": {"settle_s": 300.0, "measured_s": 600.0}}
CAPTION = "Grey: A. Blue: B, over the same seeds; below it, the difference, with 95 % intervals."
COMPILING = "The first simulation of this system compiles for some 20 s."
LOOK = {"style": {"description_width": "7em"}, "layout": {"width": "auto", "max_width": "56em"}}
FIELD = {"style": {"description_width": "1.5em"}, "layout": {"width": "11em"}}
COLUMNS = {"flex_flow": "row wrap", "grid_gap": "0 1em"}
COLUMN = {"flex": "1 1 34em", "max_width": "100%", "overflow": "hidden"}
STYLE = """<style>.refused input { border: 2px solid #b00020; } .said { color: #b00020; }
.said, .told { line-height: 1.3; } .told { font-size: 90%; }
.widget-html table { min-width: 40em; }</style>"""


class Workbench(Newest):
    """Two machines of one system: their fields, what they do, and how to have it again.

    A change of a field runs both over the same seeds: few for a first picture, then more, until a
    field changes again. A value that can't be is refused beside its field; the last figure stands.

    ``fields`` are by machine and parameter, of those that were shown, with values as
    ``perfkit run`` reads them; ``refusals``, by parameter, say what is wrong. ``along`` and ``at``
    are what curves are drawn along, ``rests`` tells the runs behind the picture. ``table``,
    ``command`` and ``cell`` have every measure, and the comparison to be run again.
    """

    def __init__(self, key="unix_v6"):
        super().__init__(self._run_both, self._show_both)
        self._runs = lru_cache(MOST_KEPT)(partial(_simulated, lambda: self._wanted is not None))
        titles = [(study.title, name) for name, study in STUDIES.items()]
        self.study = widgets.Dropdown(options=titles, value=key, description="system", **LOOK)
        hint = "a word of a parameter's name, unit, source or status"
        self.search = widgets.Text(description="find", placeholder=hint, **LOOK)
        self.replications = widgets.BoundedIntText(4, min=2, max=200, description="seeds", **LOOK)
        self.measures = widgets.SelectMultiple(description="draw", rows=4, **LOOK)
        self.along = widgets.Dropdown(description="along", **LOOK)
        self.at = widgets.Text(description="at", continuous_update=False, **LOOK)
        self.table = widgets.HTML(layout={"overflow": "auto"})
        self.found, self.rests, self.rows = widgets.HTML(), widgets.HTML(), widgets.VBox()
        self.command = widgets.Textarea(description="shell", rows=2, disabled=True, **LOOK)
        self.cell = widgets.Textarea(description="notebook", rows=7, disabled=True, **LOOK)
        self.study.observe(self._change_system, names="value")
        self.search.observe(self._find, names="value")
        self.along.observe(self._spread, names="value")
        for one in (self.replications, self.measures, self.along, self.at):
            one.observe(self._ask_both, names="value")
        self._change_system()

    def _change_system(self, _=None):
        """Begin anew with another system, both machines the baseline."""
        system = STUDIES[self.study.value].module()
        self._own = system.Parameters()
        self._words, frame = all_words(self._own, {}), self._own.provenance(levers=True)
        first = [*self._own.headline, *self._own.levers]  # what is said in a word
        self._frame = frame.loc[list(dict.fromkeys([*first, *frame.index]))]
        self.fields, self.refusals, self._lines = {}, {}, {}
        self._refused = True  # so that nothing is run before all stands
        options = [(f"{name}: {text}", name) for name, text in system.MEASURES.items()]
        with self.measures.hold_sync():
            self.measures.options, self.measures.value = options, system.Result.SHOWN[:2]
        numbers = [n for n in self._frame.index if is_finite(getattr(self._own, n))]
        self.along.options = [("nothing: points", ""), *((self._words[n], n) for n in numbers)]
        self._refused = False
        self.search.value = ""
        self._find()
        self._ask_both()

    def _find(self, _=None):
        """Show the parameters that differ, then those that hold every word of the search."""
        words = self.search.value.lower().split()
        texts = {
            name: " ".join((name, self._words[name], *map(str, row))).lower()
            for name, row in zip(self._frame.index, self._frame.to_numpy(), strict=True)
        }
        hits = [name for name, text in texts.items() if all(word in text for word in words)]
        differ = self._texts("A") | self._texts("B")
        names = list(dict.fromkeys([*differ, *hits]))
        self.rows.children = [self._line(name) for name in names[:MOST_ROWS]]
        told = f"{len(hits)} of {len(texts)} parameters"
        self.found.value = told + (f"; {MOST_ROWS} are shown." if len(names) > MOST_ROWS else ".")

    def _line(self, name):
        """Return a parameter's row: two fields, what it is, and room for a refusal."""
        if name in self._lines:
            return self._lines[name]
        row = self._frame.loc[name]
        for machine in MACHINES:
            look = {"value": row.value, "description": machine, **FIELD}
            options = [(shown(value), str(value)) for value in menu(self._own.spec_of(name))]
            text = {"continuous_update": False, **look}
            field = widgets.Dropdown(options=options, **look) if options else widgets.Text(**text)
            field.observe(lambda _: self._turn(name), names="value")
            self.fields[machine, name] = field
        allowed = self._own.allowed(name)
        about = html.escape("; ".join(filter(None, (allowed, row.status, row.source))))
        label = f'<div class="told"><b>{html.escape(self._words[name])}</b> {about}</div>'
        pair = widgets.HBox([self.fields[machine, name] for machine in MACHINES])
        self.refusals[name] = widgets.HTML()
        self._lines[name] = widgets.VBox([widgets.HTML(label), pair, self.refusals[name]])
        return self._lines[name]

    def _texts(self, machine):
        """Return what stands in a machine's fields, of those that differ from the system's own."""
        own = dict(self._frame["value"])
        there = {name: field.value for (of, name), field in self.fields.items() if of == machine}
        return {name: text for name, text in there.items() if text != own[name]}

    def _turn(self, last):
        """Run what the fields say, or refuse it beside them; what clashes, beside the last one."""
        refused = {}
        for machine in MACHINES:
            values, texts = {}, self._texts(machine)
            for name, text in texts.items():
                try:
                    values[name] = self._own.parse(name, text)
                except ValueError as error:
                    refused[machine, name] = str(error)
            try:
                if len(values) == len(texts):
                    self._own.replace(**values)
            except ValueError as error:
                refused[machine, last] = str(error)
        for (machine, name), field in self.fields.items():
            (field.add_class if (machine, name) in refused else field.remove_class)("refused")
            said = dict.fromkeys(filter(None, (refused.get((one, name)) for one in MACHINES)))
            told = f'<span class="said" role="alert">{html.escape(" ".join(said))}</span>'
            self.refusals[name].value = told if said else ""
        self._refused = bool(refused)
        self._ask_both()

    def machine(self, name):
        """Return a machine's parameters, as its fields stand."""
        texts = self._texts(name)
        return self._own.replace(**{one: self._own.parse(one, text) for one, text in texts.items()})

    def _spread(self, _):
        """Write values of the parameter that is drawn along."""
        name = self.along.value
        self.at.value = ", ".join(map(written, spread(self._own, name))) if name else ""

    def _ask_both(self, _=None):
        if self._refused or not self.measures.value:
            return
        if not is_compiled(self.study.value):
            self.table.value = COMPILING
        name, texts = self.along.value, self.at.value.split(",")
        try:
            along = (name, *sorted({self._own.parse(name, text) for text in texts})) if name else ()
        except ValueError as error:
            self.message.value = html.escape(str(error))
            return
        machines, drawn = tuple(map(self.machine, MACHINES)), self.measures.value[:MOST_DRAWN]
        self._ask((self.study.value, machines, self.replications.value, drawn, along))

    def _steps(self, state):
        """Return states of ever more runs; where a run is slow, of short ones at first."""
        key, machines, most, *rest = state
        fixed = SHORT.get(key, {}).items()
        short = [m.replace(**{n: min(s, getattr(m, n)) for n, s in fixed}) for m in machines]
        full = [(key, machines, n, *rest) for n in GROWTH if n < most]
        return list(dict.fromkeys([(key, tuple(short), 2, *rest), *full, state]))

    def _run_both(self, state):
        """Return the runs of both machines and, if there are curves, those along them."""
        key, machines, count, _, along = state
        parts = [*pairwise([0, *(n for n in GROWTH if n < count), count])]
        return [
            {
                name: pd.concat(
                    [self._runs(key, one, *part, at) for part in parts], ignore_index=True
                )
                for name, one in zip(MACHINES, machines, strict=True)
            }
            for at in dict.fromkeys(((), along))
        ]

    def _show_both(self, state):
        """Show what two machines did: the picture, the table, and how to have them again."""
        key, machines, count, measures, along = state
        meanings = STUDIES[key].module().MEASURES
        frames, *curves = self._run_both(state)
        title = [f"{name}: {told(one)}" for name, one in zip(MACHINES, machines, strict=True)]
        labels = {name: meanings[name] for name in measures}
        axis = {self._words[along[0]]: along[1:]} if along else None
        picture = drawn(*(curves or [frames]), labels, title, CAPTION, axis)
        data, look = picture.bundle(small=False)
        self.image.value, self.image.tooltip = data["image/png"], look["image/png"]["alt"]
        lengths = [getattr(machines[1], n) <= most for n, most in SHORT.get(key, {}).items()]
        runs = f"{count} {'short ' * any(lengths)}runs of each machine"
        self.rests.value = f'<div class="told">{runs}. {CAPTION}</div>'
        runs = pd.concat([frame.assign(variant=name) for name, frame in frames.items()])
        table = compared(runs, [name for name in meanings if name in runs])
        table["meaning"] = table["measure"].map(meanings)
        self.table.value = readable(table)._repr_html_()
        self.command.value = as_command(key, machines, count)
        self.cell.value = as_cell(key, machines, count, measures)

    def _ipython_display_(self):
        drawn = [self.replications, self.measures, self.along, self.at]
        asked = [self.study, self.search, self.found, self.rows, *drawn]
        answers = [self.message, self.image, self.rests, self.command, self.cell]
        columns = [widgets.VBox(part, layout=COLUMN) for part in (asked, answers)]
        both = widgets.HBox(columns, layout=COLUMNS)
        display(widgets.VBox([widgets.HTML(STYLE), both, self.table]))


def _simulated(newer, key, parameters, first, last, along):
    """Return runs of these seeds, along values of a parameter; given up if asked for newer ones."""
    simulate = STUDIES[key].module().simulate

    def run(parameters, seed):
        if newer():
            raise InterruptedError("A newer picture was asked for.")
        return simulate(parameters, seed)

    design = pd.DataFrame({along[0]: along[1:]}) if along else pd.DataFrame(index=[0])
    return sweep(run, parameters, design, last - first, seed=first, progress=False)


def _changes(parameters):
    """Return what differs from the defaults, by lever where that says it in full."""
    own = type(parameters)()
    changes = {n: value for n, value in parameters.as_dict().items() if value != getattr(own, n)}
    for lever in own.levers:
        value, sets = getattr(parameters, lever), own.sets(lever)
        fewer = {n: one for n, one in changes.items() if n not in sets} | {lever: value}
        if len(fewer) <= len(changes) and value is not None and own.replace(**fewer) == parameters:
            changes = fewer
    return changes


def told(parameters):
    """Return in words how a machine differs from the baseline."""
    words, changes = all_words(parameters, {}), _changes(parameters)
    return (
        "; ".join(f"{words[name]} {shown(value)}" for name, value in changes.items()) or "baseline"
    )


def written(value):
    """Return a value as ``perfkit run`` reads it."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def as_command(key, machines, count):
    """Return the line for a shell that runs two machines, or one, as the workbench did."""
    changes = [_changes(one) for one in machines]
    # Where B is the baseline its values are written out: A would come second otherwise.
    changes[1] = changes[1] or {name: getattr(machines[1], name) for name in changes[0]}
    first, second = ([f"{n}={written(v)}" for n, v in one.items()] for one in changes)
    other = [] if machines[0] == machines[1] else ["--compare", *second]
    return shlex.join(["perfkit", "run", key, *first, f"replications={count}", *other])


def as_cell(key, machines, count, measures):
    """Return a notebook's cell that compares two machines as the workbench did."""
    variants = dict(zip(MACHINES, map(_changes, machines), strict=True))
    first = "from math import inf\n\n" if re.search(r"\binf\b", repr(variants)) else ""
    return f"""{first}from perfkit.runs import what_if
from perfkit.systems import {key}

variants = {variants!r}
runs = what_if.run({key}.simulate, {key}.Parameters(), variants, {count})
what_if.compare(runs, {list(measures)!r}, changes={list(measures)!r})
"""
