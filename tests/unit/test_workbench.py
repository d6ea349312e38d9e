"""The workbench: what its fields run, refuse and hand on; and that the export gives the same."""

import io

import numpy as np
import pandas as pd
import pytest

from perfkit.__main__ import main
from perfkit.commands.simulate import readable
from studies import STUDIES
from studies.show import workbench


def formula(key, parameters, count):
    """Stand in for a sweep of one machine: quick, different at each machine and seed."""
    system = STUDIES[key].module()
    names = [*system.MEASURES]
    size = sum(value for value in parameters.as_dict().values() if isinstance(value, int))
    values = np.random.default_rng(size).normal(100.0, 1.0, (count, len(names)))
    return pd.DataFrame(values, columns=names).assign(seed=range(count), point=0)


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
    bench._runs = workbench.lru_cache(8)(lambda *asked: calls.append(asked) or formula(*asked))
    found(bench, "processes")
    bench.fields["B", "processes"].value = "5"
    assert bench.image.value != first and "B: processes 5" in bench.image.tooltip
    assert [asked[1].processes for asked in calls] == [12, 5]
    bench.fields["A", "processes"].value = "5"
    assert len(calls) == 2 and bench.machine("A") == bench.machine("B")


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
    for machine in workbench.MACHINES:
        own = bench._runs("unix_v6", bench.machine(machine), 4)
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
