"""Films: what they show is what the machine was, at any moment; files that play them."""

import nbformat
import numpy as np
import pytest

from perfkit.__main__ import main, parser
from perfkit.des.lists import NOBODY
from perfkit.show.players import film, films, page
from perfkit.systems import SYSTEMS, unix_v6
from studies import STUDIES

OTHER = {
    "unix_v6": "memory_clicks=650", "sim61": "drums=2", "cp67": "algorithm=1",
    "emas": "prepaging=false", "tss360": "schedule=new",
}  # fmt: skip
MOMENTS, SECONDS, MOST_BYTES = 100, 10.0, 1_000_000
DAWN_S = {"cp67": 60.0, "emas": 300.0}  # when enough goes on; else when the machine has settled


@pytest.fixture(scope="module", params=SYSTEMS)
def taken(request):
    """Film a system, small enough for uncompiled runs, too."""
    return film(request.param, begin_s=DAWN_S.get(request.param), seconds=SECONDS)


def rows(one):
    """Yield what a film shows after each of some of its moments, with the time."""
    row, begin = one.first.copy(), 0
    chosen = np.unique(np.linspace(0, one.times_ms.size - 1, MOMENTS).astype(int))
    for moment in chosen:
        for slot, value in one.changes[begin : one.ends[moment]]:
            row[slot] = value
        begin = one.ends[moment]
        yield one.times_ms[moment], row


def walked(rows, queue):
    """Return how many rows a list holds, found along its links."""
    count, at = 0, queue.head
    while at != NOBODY and count <= queue.length:
        count, at = count + 1, rows["next"][at]
    return count


def test_a_film_shows_at_any_moment_what_a_machine_is_that_runs_without_being_filmed(taken):
    machine, log = films.new_machine(taken.key, taken.parameters, 0), films.log_of(taken.key)
    loop = SYSTEMS[taken.key].module().run.LOOP
    assert taken.times_ms.size > 2 * MOMENTS
    for at_ms, row in rows(taken):
        loop.until(machine, at_ms, log)
        assert (row == films.seen(taken.key, machine)).all()


def test_pieces_on_film_and_the_map_of_core_have_each_click_once():
    p = unix_v6.Parameters(memory_clicks=650)
    one, machine = film("unix_v6", p), films.new_machine("unix_v6", p, 0)
    at = {name.split(".")[1]: slice(b, b + n) for name, (b, n) in one.slots.items() if n > 2}
    held = 0
    for at_ms, row in rows(one):
        unix_v6.run.LOOP.until(machine, at_ms)
        there = row[at["loaded"]] | row[at["locked"]]
        if (moving := row[one.slots["kernel.swap_process"][0]]) >= 0:
            there[moving] = 1
        there[0] = 0  # the scheduler is the kernel's
        begins = [*row[at["core_address"]][there > 0], *machine.core["address"]]
        sizes = [*row[at["size_clicks"]][there > 0], *machine.core["extent"]]
        clicks = np.zeros(650, int)
        for begin, size in zip(begins, sizes, strict=True):
            clicks[begin : begin + size] += 1
        assert (clicks == 1).all()
        held += there.sum()
    assert held > MOMENTS


@pytest.mark.parametrize(
    ("key", "lists"),
    [("cp67", [("frames", "drum_queue")]), ("tss360", [("frames", "available")])],
)
def test_lengths_of_queues_on_film_are_those_found_along_their_links(key, lists):
    one = film(key, begin_s=DAWN_S.get(key), seconds=SECONDS)
    machine, log = films.new_machine(key, one.parameters, 0), films.log_of(key)
    for at_ms, row in rows(one):
        SYSTEMS[key].module().run.LOOP.until(machine, at_ms, log)
        for table, queue in lists:
            length = row[one.slots[f"{queue}.length"][0]]
            assert length == walked(getattr(machine, table), getattr(machine, queue))


@pytest.mark.parametrize("key", STUDIES)
def test_a_committed_notebook_plays_with_the_script_as_it_is(key):
    cells = nbformat.read(STUDIES[key].notebook, 4).cells
    (played,) = (cell for cell in cells if cell.source.startswith("players.player("))
    (output,) = played.outputs
    assert page.script() in output.data["text/html"]


def test_a_film_of_a_workload_that_ends_ends_with_it():
    small = unix_v6.Parameters(processes=2, interactions=3)
    one = film("unix_v6", small, begin_s=0.0, seconds=500.0)
    assert one.end_s == pytest.approx(unix_v6.simulate(small).elapsed_s, abs=1.0)
    with pytest.raises(ValueError, match="ends before 400 s; let the film begin sooner"):
        film("unix_v6", small, begin_s=400.0)


@pytest.mark.parametrize("key", [key for key in SYSTEMS if key != "unix_v6"])
def test_no_film_goes_beyond_the_run_for_which_a_machine_has_room(key):
    p = SYSTEMS[key].module().Parameters(measured_s=120.0)
    over_s = films.end_s(key, p)
    assert film(key, p, begin_s=over_s - 2.0, seconds=600.0).times_ms.max() <= 1000.0 * over_s
    with pytest.raises(ValueError, match="The run ends before"):
        film(key, p, begin_s=over_s)


@pytest.mark.parametrize("key", SYSTEMS)
def test_the_shell_writes_one_file_of_two_machines_that_asks_for_no_other(key, tmp_path, capsys):
    path = tmp_path / "a b.html"
    told = ["watch", key, OTHER[key], "--compare", "--seconds=20", f"--html={path}"]
    assert main(told) == 0
    assert "open it in a browser" in capsys.readouterr().out
    text = path.read_text()
    assert len(text.encode()) < MOST_BYTES and [one.name for one in tmp_path.iterdir()] == [
        path.name
    ]
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("frames=80 --html a", "--html takes a file that ends in .html; 'a' does not."),
        ("frames=80 --html no/a.html", "There is no folder no to write into."),
        ("frame=80", "There is no parameter 'frame'; did you mean frames?"),
        ("--compare frame=80", "There is no parameter 'frame'; did you mean frames?"),
        ("--compare frames", "'frames' has no value; write name=value, without spaces."),
        ("frames=80 --compare frames=80", "Both machines are the same; let --compare differ in a"),
        ("--compare", "Both machines are the same; let --compare differ in a"),
        ("--seconds long", "--seconds must be a number of seconds from 0.001 to 600; 'long' is"),
        ("algorithm=3", "Algorithm 3 is the reader's own: hand it to simulate as replacement=."),
        ("--seconds nan", "--seconds must be a number of seconds from 0.001 to 600; nan is not."),
        ("--begin -1", "--begin must be a number of seconds from 0 to 36000; -1.0 is not."),
    ],
)
def test_what_can_not_be_filmed_is_refused_in_a_sentence_and_leaves_no_file(
    words, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["watch", "cp67", *words.split()]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"perfkit: {said}") and told.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_help_tells_when_a_film_begins():
    text = " ".join(parser()._subparsers._group_actions[0].choices["watch"].format_help().split())
    assert all(f"{key}: {begin_s:g}" in text for key, begin_s in films.BEGIN_S.items())
