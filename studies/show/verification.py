"""What `perfkit verify` found, as a table, as data and as a page that can be archived."""

import datetime
import html
import importlib.metadata
import json
import os
import platform

import pandas as pd
from llvmlite import binding

from perfkit import __version__
from studies.evidence import repeated

VERSIONS = ("numba", "llvmlite", "numpy", "scipy", "pandas", "statsmodels")
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}}
div{{overflow-x:auto}} table{{border-collapse:collapse;font-size:.85em}}
th,td{{padding:.2em .8em;text-align:left;border-bottom:1px solid #ccc;white-space:nowrap}}
td:first-child{{white-space:normal;min-width:16em;overflow-wrap:anywhere}}
.moved{{font-weight:bold}}p{{overflow-wrap:anywhere}}</style>
<h1>{title}</h1><p>{told}</p><p>{where}</p>
<p>Cite a row by its name: the link on it leads there. <em>Published</em> is what the paper prints,
<em>committed</em> what this version computed when it was made, <em>now</em> this run.</p>
{tables}
"""


def made_on():
    """Return the machine and the versions of a run, as texts by name."""
    processor = f"{platform.machine()} ({binding.get_host_cpu_name()}), {os.cpu_count()} threads"
    found = {"perfkit": __version__, "processor": processor}
    found |= {"system": f"{platform.system()} {platform.release()}"}
    found |= {"Python": platform.python_version()}
    return found | {name: importlib.metadata.version(name) for name in VERSIONS}


def counts(frame):
    """Return by study how many cells and claims are the same, moved and not compared."""
    study = frame.index.str.partition("/").get_level_values(0)
    what = frame["kind"].eq("claim").map({True: "claims", False: "cells"})
    table = pd.crosstab(study, [what, frame["state"]])
    wanted = [
        (w, s) for w in ("cells", "claims") for s in repeated.STATES if s in set(frame["state"])
    ]
    table = table.reindex(columns=wanted, fill_value=0).reindex(study.unique())
    table.loc["all"] = table.sum()
    return table.set_axis([f"{what}: {state}" for what, state in wanted], axis=1)


def data(frame, quick):
    """Return the whole of it as JSON's objects."""
    today = datetime.date.today().isoformat()
    rows = frame.reset_index().to_dict(orient="records")
    found = {"made": today, "on": made_on(), "quick": quick, "said": repeated.told(frame)}
    return json.dumps(found | {"rows": rows}, indent=1, ensure_ascii=False) + "\n"


def page(frame, quick):
    """Return the whole of it as a page without scripts or links to elsewhere."""
    title = f"perfkit {__version__}: {'quick ' if quick else ''}verification"
    where = f"{datetime.date.today():%d %B %Y}; "
    where += ", ".join(f"{name} {version}" for name, version in made_on().items())
    told = html.escape(repeated.told(frame, most=0))
    study = frame.index.str.partition("/").get_level_values(0)
    frame = frame if (frame["moved"] != "").any() else frame.drop(columns="moved")
    parts = [f"<div>{counts(frame).to_html(border=0)}</div>"]
    parts += [f"<h2>{key}</h2><div>{_rows(frame[study == key])}</div>" for key in study.unique()]
    return PAGE.format(title=title, told=told, where=html.escape(where), tables="\n".join(parts))


def _rows(frame):
    head = "".join(f"<th>{name}</th>" for name in ["row", *frame])
    lines = [f"<table><tr>{head}</tr>"]
    for name, row in frame.map(html.escape).iterrows():
        link = f'<a href="#{name}">{name}</a>'
        moved = ' class="moved"' if row["state"] == repeated.MOVED else ""
        cells = "".join(f"<td>{text}</td>" for text in [link, *row])
        lines.append(f'<tr id="{name}"{moved}>{cells}')
    return "\n".join([*lines, "</table>"])
