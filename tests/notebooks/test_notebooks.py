"""The notebooks: committed as executed, and their parameters matter and are checked."""

import nbformat
import pytest

from perfkit.__main__ import COMMANDS, main
from perfkit.studies import NOTEBOOKS

BOOKS = sorted(NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.name)
def test_every_code_cell_was_executed_and_none_failed(path):
    cells = [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "unix"], "There is no study 'unix'; did you mean unix_v6?"),
        (["reproduce", "-p", "replication=2"], "did you mean replications"),
        (["reproduce", "-p", "replications=two"], "must be a whole number"),
        (["reproduce", "unix_v6", "-p", "memory_factor=1e999"], "must be a finite number"),
        (["reproduce", "-p", "replications"], "write name=value"),
        (["run", "unix_v6", "process_clicks=2000"], "must fit in memory"),
        (["run", "unix_v6", "replications=0"], "whole number from 1 to 1000000"),
        (["run", "unix_v6", "replications=\u00b2"], "replications must be a whole number from 1"),
        (["run", "unix_v6", "seed=" + "9" * 5000], "seed must be a whole number from 0 to"),
        (["show", "multics"], "There is no study 'multics'"),
    ],
)
def test_bad_input_is_one_sentence_exit_2_and_no_file(arguments, message, capsys, tmp_path):
    if arguments[0] == "reproduce":
        arguments = [*arguments, "--results", str(tmp_path / "results")]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [MemoryError("no room"), OverflowError("too large")])
def test_what_no_machine_holds_is_one_sentence_and_exit_1(error, capsys, monkeypatch):
    def run(given):
        raise error

    monkeypatch.setitem(COMMANDS, "run", run)
    assert main(["run", "unix_v6"]) == 1
    said = capsys.readouterr().err
    assert "more than memory or numbers can hold" in said and said.count("\n") == 1
