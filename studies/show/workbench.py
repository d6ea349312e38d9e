"""The workbench: any parameter of any system turned, a machine A beside a machine B.

``make explore`` serves it as an app; a cell of a notebook that ends with ``Workbench()`` shows it.
"""

import html
import re
import shlex
from functools import lru_cache

import ipywidgets as widgets
import pandas as pd
from IPython.display import display

from perfkit.commands.simulate import compared, readable
from perfkit.des.compiling import is_compiled
from perfkit.runs.experiment import sweep
from perfkit.show.controls import all_words, shown
from perfkit.show.explore import Newest, drawn
from studies import STUDIES

MACHINES = ("A", "B")
MOST_ROWS, MOST_DRAWN, MOST_KEPT = 8, 3, 64
CAPTION = "Grey: A. Blue: B, over the same seeds; below it, the difference. Bars: 95 % intervals."
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

    A change of a field runs both over the same seeds. A value that can't be is refused beside its
    field, and the last figure stands.

    ``study``, ``search``, ``replications`` and ``measures`` are the widgets of which system, which
    parameters are shown, how often each machine is run, and what is drawn. ``fields`` are by
    machine and parameter, of those that were shown, with values as ``perfkit run`` reads them;
    ``refusals``, by parameter, say what is wrong with them. ``table``, ``command`` and ``cell``
    have every measure, and the same comparison for the command line and for a notebook.
    """

    def __init__(self, key="unix_v6"):
        super().__init__(self._run_both, self._show_both)
        self._runs = lru_cache(MOST_KEPT)(_simulated)
        titles = [(study.title, name) for name, study in STUDIES.items()]
        self.study = widgets.Dropdown(options=titles, value=key, description="system", **LOOK)
        hint = "a word of a parameter's name, unit, source or status"
        self.search = widgets.Text(description="find", placeholder=hint, **LOOK)
        self.replications = widgets.BoundedIntText(4, min=2, max=200, description="seeds", **LOOK)
        self.measures = widgets.SelectMultiple(description="draw", rows=4, **LOOK)
        self.table = widgets.HTML(layout={"overflow": "auto"})
        self.found, self.rows = widgets.HTML(), widgets.VBox()
        self.command = widgets.Textarea(description="shell", rows=2, disabled=True, **LOOK)
        self.cell = widgets.Textarea(description="notebook", rows=7, disabled=True, **LOOK)
        self.study.observe(self._change_system, names="value")
        self.search.observe(self._find, names="value")
        for one in (self.replications, self.measures):
            one.observe(self._ask_both, names="value")
        self._change_system()

    def _change_system(self, _=None):
        """Begin anew with another system, both machines the baseline."""
        system = STUDIES[self.study.value].module()
        self._own = system.Parameters()
        self._frame, self._words = self._own.provenance(levers=True), all_words(self._own, {})
        self.fields, self.refusals, self._lines = {}, {}, {}
        self._refused = True  # so that nothing is run before all stands
        options = [(f"{name}: {text}", name) for name, text in system.MEASURES.items()]
        with self.measures.hold_sync():
            self.measures.options, self.measures.value = options, system.Result.SHOWN[:2]
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
            field = widgets.Text(row.value, continuous_update=False, description=machine, **FIELD)
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

    def _ask_both(self, _=None):
        if self._refused or not self.measures.value:
            return
        if not is_compiled(self.study.value):
            self.table.value = COMPILING
        machines = tuple(map(self.machine, MACHINES))
        drawn = self.measures.value[:MOST_DRAWN]
        self._ask((self.study.value, machines, self.replications.value, drawn))

    def _run_both(self, state):
        key, machines, count, _ = state
        return [self._runs(key, parameters, count) for parameters in machines]

    def _show_both(self, state):
        """Show what two machines did: the picture, the table, and how to have them again."""
        key, machines, count, measures = state
        meanings = STUDIES[key].module().MEASURES
        frames = dict(zip(MACHINES, self._run_both(state), strict=True))
        title = [f"{name}: {told(one)}" for name, one in zip(MACHINES, machines, strict=True)]
        picture = drawn(frames, {name: meanings[name] for name in measures}, title, CAPTION)
        data, look = picture.bundle(small=False)
        self.image.value, self.image.tooltip = data["image/png"], look["image/png"]["alt"]
        runs = pd.concat([frame.assign(variant=name) for name, frame in frames.items()])
        table = compared(runs, [name for name in meanings if name in runs])
        table["meaning"] = table["measure"].map(meanings)
        self.table.value = readable(table)._repr_html_()
        self.command.value = as_command(key, machines, count)
        self.cell.value = as_cell(key, machines, count, measures)

    def _ipython_display_(self):
        asked = [self.study, self.search, self.found, self.rows, self.replications, self.measures]
        answers = [self.message, self.image, self.command, self.cell]
        columns = [widgets.VBox(part, layout=COLUMN) for part in (asked, answers)]
        both = widgets.HBox(columns, layout=COLUMNS)
        display(widgets.VBox([widgets.HTML(STYLE), both, self.table]))


def _simulated(key, parameters, count):
    alone = pd.DataFrame(index=[0])
    return sweep(STUDIES[key].module().simulate, parameters, alone, count, progress=False)


def _changes(parameters):
    own = type(parameters)().as_dict()
    return {name: value for name, value in parameters.as_dict().items() if value != own[name]}


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
