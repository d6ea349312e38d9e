"""The workbench: what its fields run, refuse and hand on; and that the export gives the same."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from perfkit.__main__ import main
from perfkit.commands.simulate import readable
from studies import STUDIES
from studies.show import workbench


def formula(newer, key, parameters, first, last, along):
    """Stand in for a sweep of one machine: quick, different at each machine and seed."""
    names = [*STUDIES[key].module().MEASURES]
    size = sum(value for value in parameters.as_dict().values() if isinstance(value, int))
    values = np.random.default_rng([size, first]).normal(100.0, 1.0, (last - first, len(names)))
    runs = pd.DataFrame(values, columns=names).assign(seed=range(first, last))
    return runs.merge(pd.DataFrame({"point": range(max(1, len(along) - 1))}), how="cross")


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(workbench, "_simulated", formula)
    return workbench.Workbench()


def found(bench, words):
    bench.search.value = words
    return [line.children[0].value for line in bench.rows.children]


@pytest.mark.parametrize("key", STUDIES)
def test_any_parameter_is_found_by_its_name_and_tells_unit_status_and_source(bench, key):
    bench.study.value = key
    frame = STUDIES[key].module().Parameters().to_frame()
    for name, row in frame.iterrows():
        told = found(bench, name)
        assert any(row.status in text for text in told) and ("A", name) in bench.fields
        listed = re.match("one of|true|.* from [0-3] to [0-5] ", bench._own.allowed(name))
        assert isinstance(bench.fields["B", name], workbench.widgets.Dropdown) or not listed
    assert bench.image.value and "difference" in bench.table.value
    assert bench.command.value == f"perfkit run {key} replications=4"


def test_every_word_of_a_search_counts_and_what_differs_stays_in_sight(bench):
    assert len(found(bench, "")) == workbench.MOST_ROWS
    found(bench, "memory clicks")
    bench.fields["B", "memory_clicks"].value = "1000"
    told = found(bench, "controller")
    assert "memory" in told[0] and all("ontroller" in text for text in told[1:])
    assert found(bench, "no such thing") == told[:1]
    assert bench.found.value.startswith("0 of ")


def test_a_turned_field_runs_both_machines_and_what_was_run_is_kept(bench, monkeypatch):
    first, calls = bench.image.value, []
    record = lambda *asked: calls.append(asked) or formula(None, *asked)  # noqa: E731
    bench._runs = workbench.lru_cache(8)(record)
    found(bench, "processes")
    bench.fields["B", "processes"].value = "5"
    assert bench.image.value != first and "B: processes 5" in bench.image.tooltip
    assert [(p.processes, *seeds) for _, p, *seeds, _ in calls] == [
        *((processes, 0, 2) for processes in (12, 5)),
        *((processes, 2, 4) for processes in (12, 5)),
    ]
    bench.fields["A", "processes"].value = "5"
    assert len(calls) == 4 and bench.machine("A") == bench.machine("B")


def test_a_bad_value_is_refused_beside_its_field_and_the_last_figure_stands(bench):
    found(bench, "memory clicks")
    field, said = bench.fields["B", "memory_clicks"], bench.refusals["memory_clicks"]
    field.value = "1000"
    last = bench.image.value
    for bad, sentence in {"1,5x": "memory_clicks must be", "5": "it must fit in memory"}.items():
        field.value = bad
        assert sentence in said.value and 'role="alert"' in said.value
        assert "refused" in field._dom_classes and bench.image.value == last
    assert "refused" not in bench.fields["A", "memory_clicks"]._dom_classes
    field.value = "1100"
    assert said.value == "" and "refused" not in field._dom_classes and bench.image.value != last


def test_what_is_handed_on_gives_the_same_numbers(capsys):
    bench = workbench.Workbench()
    for name, text in {"processes": "3", "interactions": "5"}.items():
        found(bench, name)
        for machine in workbench.MACHINES:
            bench.fields[machine, name].value = text
    found(bench, "discipline")
    bench.fields["B", "discipline"].value = "FCFS"
    names = {}
    exec(bench.cell.value, names)
    runs = names["runs"].groupby("variant")["elapsed_s"].mean()
    assert main([*bench.command.value.split()[1:], "--csv"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="measure")
    last = bench._run_both(("unix_v6", tuple(map(bench.machine, "AB")), 4, (), ()))[0]
    for machine, own in last.items():
        both = [table.at["elapsed_s", machine], own["elapsed_s"].mean()]
        assert both == pytest.approx([runs[machine]] * 2)
    assert readable(table.reset_index())._repr_html_() == bench.table.value


def test_a_line_has_the_machine_a_first_even_where_b_is_the_baseline():
    own = STUDIES["unix_v6"].module().Parameters()
    turned, run = own.replace(process_clicks=(157, 314)), "perfkit run unix_v6 "
    sizes = f"process_clicks={workbench.written(own.process_clicks)}"
    for machines, line in {
        (own, own): "replications=4",
        (own, turned): "replications=4 --compare process_clicks=157,314",
        (turned, own): f"process_clicks=157,314 replications=4 --compare {sizes}",
    }.items():
        assert workbench.as_command("unix_v6", machines, 4) == run + line


@pytest.mark.parametrize("key", STUDIES)
def test_every_lever_turns_and_is_told_in_a_word(bench, key):
    bench.study.value = key
    for name in bench._own.levers:
        found(bench, name)
        bench.fields["B", name].value = "2"
        assert f"{name}=2" in bench.command.value and f"'{name}': 2" in bench.cell.value
        bench.fields["B", name].value = bench.fields["A", name].value


@pytest.mark.parametrize("key", ["unix_v6", "emas"])
def test_pictures_grow_and_curves_pass_through_every_value(bench, key):
    bench.study.value, said = key, []
    bench.rests.observe(lambda change: said.append(change["new"]), "value")
    bench.replications.value = 5
    assert [text.split(">")[1].partition(" of")[0] for text in said] == [
        *["2 short runs"] * (key in workbench.SHORT),
        *(f"{count} runs" for count in (2, 4, 5)),
    ]
    bench.along.value = bench.along.options[1][1]
    first, *_, last = (workbench.shown(float(text)) for text in bench.at.value.split(", "))
    assert f"from {first} to {last}. " in bench.image.tooltip
    bench.at.value, drawn = "1, x", bench.image.value
    assert "must be" in bench.message.value and bench.image.value == drawn
