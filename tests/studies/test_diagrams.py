"""Diagrams say what the systems say: their words, a run's counts; and nothing stands on another."""

import itertools
import re
import tomllib

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from perfkit.core.wording import short
from perfkit.des.records import viewed
from perfkit.des.trace import EVENT
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import FIRST_USER, UPDATE, new_machine
from studies import PACKAGE
from studies.cp67 import diagram as cp67_diagram
from studies.emas import diagram as emas_diagram
from studies.emas import runs as emas_runs
from studies.evidence import published
from studies.show.diagrams import Diagram, Measured
from studies.sim61 import diagram as sim61_diagram
from studies.sim61 import timeline as sim61_timeline
from studies.tss360 import diagram as tss360_diagram
from studies.unix_v6 import diagram as unix_v6_diagram
from studies.unix_v6 import timeline as unix_v6_timeline

SYSTEMS = {"cp67": cp67, "emas": emas, "sim61": sim61, "tss360": tss360, "unix_v6": unix_v6}
DIAGRAMS = {
    "cp67": cp67_diagram,
    "emas": emas_diagram,
    "sim61": sim61_diagram,
    "tss360": tss360_diagram,
    "unix_v6": unix_v6_diagram,
}
RATES = {  # on the machines' arrows, in the order of drawing
    "cp67": "q1_entries q2_entries tasks_ended faults disc_ios page_reads page_writes",
    "emas": "drum_operations disc_operations commands residences cold_wakes",
    "sim61": "activations_interactive+activations_batch interactions ios pages_in+exec_pages_in"
    " pages_out",
    "tss360": "dispatches TSE_done TSE_mp+TSE_mq+TSE_so data_accesses r_pf drum_reads disc_reads"
    " page_writes migrations",
    "unix_v6": "characters pauses swaps_in swaps_out reads+read_aheads writes",
}
OTHER_MACHINES = [
    ("unix_v6", {"swap_drive": 1, "controllers": 2}),
    ("sim61", {"paging_devices": ("8580", "8580"), "memory_pages": 128}),
    ("sim61", {"paging_devices": ("LAM",)}),
    ("emas", {"frames": 202, "drums": 3, "users": 50}),
]
OF_PAPERS = {
    "sim61": {"terminal", "terminals"},
    "emas": {"active", "storage"},
    "cp67": {"clear"},
    "tss360": {"figure", "queues"},
}
SMALL_WORDS = {"a", "and", "if", "in", "is", "mean", "of", "or", "out", "s", "ms", "u", "for"}


CAPTIONS_CALL = re.compile(r'CAPTIONS\.(?:words\(|picture\(\s*\w+,)\s*"(\w+)"')
CAPTIONED = sorted(path.parent.name for path in PACKAGE.glob("*/captions.toml"))


def made_up(key, **changes):
    """Return a result whose measures are numbers that differ, in place of a run."""
    system = SYSTEMS[key]
    values = {name: 1000.0 + 37.0 * k for k, name in enumerate(system.MEASURES)}
    trace = np.zeros(0, EVENT).view(np.recarray)
    return system.Result(system.Parameters(**changes), 0, values, {}, trace)


def seconds_of(key, result):
    """Return the time by which the counts of a result become rates."""
    if key == "unix_v6":
        return result.watched_s
    return 1.0 if key == "tss360" else result.parameters.measured_s


@pytest.fixture(scope="module")
def runs():
    """Short traced runs, whose counts the redrawn figures carry."""
    return {
        "emas": emas.simulate(emas.Parameters(settle_s=60.0, measured_s=120.0), 0, trace=10**6),
        "sim61": sim61.simulate(
            sim61.Parameters(measured_s=60.0, activations_per_batch=5.0), 0, trace=10**5
        ),
        "tss360": tss360.simulate(
            tss360.Parameters(settle_s=300.0, measured_s=120.0), 0, trace=10**5
        ),
        "unix_v6": unix_v6.simulate(
            unix_v6.Parameters(
                memory_clicks=700, process_clicks=(157, 230, 90), processes=8, interactions=40
            ),
            0,
            trace=10**5,
        ),
    }


@pytest.fixture(scope="module")
def pictures(runs):
    """Every picture by the system and its name."""
    found = {(key, "machine"): DIAGRAMS[key].machine(made_up(key)) for key in SYSTEMS}
    found |= {(key, "without a run"): DIAGRAMS[key].machine() for key in SYSTEMS}
    for k, (key, changes) in enumerate(OTHER_MACHINES):
        found[key, f"other {k}"] = DIAGRAMS[key].machine(made_up(key, **changes))
    return found | {
        ("cp67", "clock"): cp67_diagram.clock(),
        ("emas", "figure_2"): emas_diagram.figure_2(runs["emas"]),
        ("sim61", "figure_1"): sim61_diagram.figure_1(runs["sim61"]),
        ("tss360", "figure_1"): tss360_diagram.figure_1(runs["tss360"]),
        ("unix_v6", "core_map"): unix_v6_diagram.core_map(runs["unix_v6"], 2.0, 22.0),
    }


def texts_of(picture):
    """Return the texts that are drawn, but for the numbers along axes."""
    (ax,) = picture.figure.axes
    texts = [*ax.texts, ax.xaxis.label, ax.yaxis.label]
    return [text for text in texts if text.get_text().strip()]


def numbers_in(picture):
    """Return the whole numbers written after words, by these words: the counts on arrows."""
    pairs = [re.fullmatch(r"(.*?)\s?([\d,]+)", t.get_text(), re.DOTALL) for t in texts_of(picture)]
    return [(m[1], int(m[2].replace(",", ""))) for m in pairs if m]


def boxes(picture, texts):
    """Return the extents of texts in pixels, one narrower on each side."""
    FigureCanvasAgg(picture.figure).draw()
    return [text.get_window_extent().padded(-1.0) for text in texts]


def pieces_of_arrows(picture):
    """Return the straight pieces of all arrows, in pixels."""
    for arrow in picture.figure.findobj(FancyArrowPatch):
        path = arrow.get_path().transformed(arrow.get_transform())
        ends = zip(path.vertices[:-1], path.vertices[1:], path.codes[1:], strict=True)
        yield from (Path([a, b]) for a, b, code in ends if code == Path.LINETO)


def test_every_picture_draws_and_says_in_words_what_it_shows(pictures):
    for name, picture in pictures.items():
        assert picture.png().startswith(b"\x89PNG"), name
        assert picture.figure.get_figwidth() == 7.0
        assert len(picture.alt) >= 40 and len(picture.caption) >= 40, name
        for sentence in re.split(r"(?<=[.:;]) ", f"{picture.caption} {picture.alt}"):
            assert len(sentence.split()) <= 30, sentence


def test_texts_are_large_enough_lie_within_not_on_one_another_and_off_the_arrows(pictures):
    for name, picture in pictures.items():
        texts = texts_of(picture)
        found = boxes(picture, texts)
        for text, box in zip(texts, found, strict=True):
            assert text.get_size() >= 8.0, (name, text)
            inside = picture.figure.bbox.count_contains([box.min, box.max])
            assert inside == 2, (name, text)
        for (one, a), (other, b) in itertools.combinations(zip(texts, found, strict=True), 2):
            assert not a.overlaps(b), (name, one, other)
        for piece, (text, box) in itertools.product(
            pieces_of_arrows(picture), zip(texts, found, strict=True)
        ):
            through = text.get_zorder() < 5 and piece.intersects_bbox(box, filled=False)
            assert not through, (name, text)


def known_words(key):
    """Return the words of a system's parameters, measures, events and claims."""
    system = SYSTEMS[key]
    frame = system.Parameters().to_frame()
    said = [
        *frame.index,
        *frame.astype(str).to_numpy().ravel(),
        *itertools.chain(*system.MEASURES.items()),
    ]
    said += [event.name for event in system.Result.EVENTS]
    said += [str(getattr(system, name).__doc__) for name in system.__all__]
    said += published.claims(key)["statement"].tolist()
    return words(" ".join(said)) | SMALL_WORDS | OF_PAPERS.get(key, set())


def words(text):
    return set(re.findall(r"[a-z]+", text.lower().replace("_", " ")))


def test_what_is_written_on_a_diagram_are_words_of_its_system(pictures):
    for (key, name), picture in pictures.items():
        written = words(" ".join(text.get_text() for text in texts_of(picture)))
        assert not written - known_words(key), (key, name)


@pytest.mark.parametrize("key", CAPTIONED)
def test_a_study_has_captions_of_its_pictures_and_no_others(key):
    entries = tomllib.loads((PACKAGE / key / "captions.toml").read_text(encoding="utf-8"))
    sources = [path.read_text(encoding="utf-8") for path in (PACKAGE / key).glob("*.py")]
    assert set(entries) == set(CAPTIONS_CALL.findall("\n".join(sources)))
    assert all(set(entry) == {"caption", "alt"} for entry in entries.values())


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_machine_carries_the_rates_of_its_run_and_none_without_one(key):
    result = made_up(key)
    picture, bare = DIAGRAMS[key].machine(result), DIAGRAMS[key].machine()
    written = " ".join(text.get_text() for text in texts_of(picture))
    rates = [sum(result.values[n] for n in names.split("+")) for names in RATES[key].split()]
    expected = sorted(short(rate / seconds_of(key, result), 3) for rate in rates)
    assert sorted(re.findall(r"([\d.]+)/s", written)) == expected
    assert not re.search(r"\d/s|mean", " ".join(t.get_text() for t in texts_of(bare)))


def test_figure_1_of_sim61_has_the_counts_of_its_run(runs, pictures):
    result = runs["sim61"]
    found, counts = dict(numbers_in(pictures["sim61", "figure_1"])), result.values
    classes, ways = result.classes(), sim61_timeline.ways(result)["times"]
    batch = classes["task_type"] == "batch"
    assert found["responses"] == classes.loc[~batch, "interactions"].sum()
    assert found["page waits"] == counts["page_waits"] > 0
    assert found["I/O waits"] == counts["io_waits"] > 0
    numbers = numbers_in(pictures["sim61", "figure_1"])
    activations = [count for what, count in numbers if what.startswith("activations")]
    assert activations == [counts["activations_interactive"], counts["activations_batch"]]
    run_outs = [count for what, count in numbers if what == "slice runs out"]
    assert run_outs == [classes.loc[~batch, "run_outs"].sum(), classes.loc[batch, "run_outs"].sum()]
    assert min(activations + run_outs) > 0
    ready = [count for what, count in numbers if what.startswith("ready")]
    assert ready[0] + sum(ready[1:]) == ways["terminal", "ready"] + run_outs[1]


def test_figure_1_of_tss360_balances_and_counts_who_became_active(runs, pictures):
    result = runs["tss360"]
    written = [text.get_text() for text in texts_of(pictures["tss360", "figure_1"])]
    events = result.trace_frame()
    since = events["time_s"] > result.parameters.settle_s
    active = (since & (events["kind"] == "active")).sum() / result.parameters.measured_s
    assert f"active\n{short(active, 3)}/s" in written
    for what, name in {
        "P_max < P_eav\n": "dispatches",
        "P_max exceeded ": "TSE_mp",
        "processing limit ": "TSE_mq",
        "swap-out ": "TSE_so",
    }.items():
        assert f"{what}{short(result.values[name], 3)}/s" in written
    assert "active" in [t.get_text() for t in texts_of(tss360_diagram.figure_1(made_up("tss360")))]


def test_figure_2_of_emas_has_the_counts_of_its_trace(runs, pictures):
    result = runs["emas"]
    trace = emas_runs.trace_of(result)
    numbers, counts = numbers_in(pictures["emas", "figure_2"]), trace.counts()
    found = {what: count for what, count in numbers if what}
    queues = [count for what, count in numbers if re.fullmatch(r"\d:", what)]
    joined = np.bincount(trace.having("queued")["value"], minlength=9)
    ended = counts[["sleeps", "overruns", "begins_log_out"]].sum()
    for drawn, counted in [
        (found["residences"], counts["preload_begins"]),
        (found["page arrives"], counts["demanded_page_arrives"]),
        (found["sleeps, overruns or log-out"], ended),
        *zip(queues, joined[1:9], strict=True),
    ]:  # where a process was before its first record is not known
        assert 0 <= counted - drawn <= result.parameters.users
    assert found["residences"] > 100


def test_core_is_drawn_where_the_simulator_has_it(runs):
    result = runs["unix_v6"]
    p = result.parameters
    for until_s in (3.0, 11.0, 27.0, 60.0):
        machine = viewed(new_machine(p, unix_v6.draw_workload(p, 0), 0))
        LOOP.until(machine, 1000.0 * until_s)
        held = unix_v6_timeline.pieces(result, 0.0, until_s)
        now = held[(held["to_s"] == until_s) & held["settled"]].set_index("process")["address"]
        inside = machine.processes[UPDATE:]
        loaded = {k: int(one.core_address) for k, one in enumerate(inside) if one.loaded}
        assert now.to_dict() == loaded


@pytest.mark.parametrize("compaction", [False, True])
def test_pieces_of_core_never_overlap_and_no_process_has_two(runs, compaction):
    p = runs["unix_v6"].parameters.replace(compaction=compaction)
    result = unix_v6.simulate(p, 1, trace=10**5)
    held = unix_v6_timeline.pieces(result, 0.0, result.elapsed_s)
    assert set(held["process"]) == set(range(FIRST_USER + p.processes - UPDATE))
    for time_s in np.linspace(0.5, result.elapsed_s - 0.5, 200):
        there = held[(held["from_s"] <= time_s) & (time_s < held["to_s"])].sort_values("address")
        assert there["process"].is_unique
        ends = (there["address"] + there["clicks"]).to_numpy()
        assert (ends[:-1] <= there["address"].to_numpy()[1:]).all()
        assert not len(ends) or ends[-1] <= p.memory_clicks


@pytest.mark.parametrize(
    ("bits", "in_queue", "hand", "algorithm", "said"),
    [
        ((1, 1, 0, 0), (1, 1, 1, 0), 0, 1, {0: "pass", 1: "pass", 2: "pass", 3: "take"}),
        ((1, 1, 0, 0), (1, 1, 1, 0), 0, 2, {0: "clear", 1: "clear", 2: "take"}),
        ((1, 1, 1, 1), (1, 1, 1, 1), 2, 1, {2: "take"}),
        ((1, 1, 1, 1), (1, 1, 1, 1), 2, 2, {3: "clear", 0: "clear", 1: "clear", 2: "take"}),
        ((0, 0, 0, 0), (0, 0, 0, 0), 3, 2, {3: "take"}),
    ],
)
def test_the_clock_shows_what_the_appendix_says(bits, in_queue, hand, algorithm, said):
    assert cp67_diagram.decide(bits, in_queue, hand, algorithm) == said


def test_what_can_not_be_drawn_is_refused_in_a_sentence(runs):
    diagram = Diagram(2.0)
    for call, said in [
        (lambda: diagram.place("a", 1, 1, 1, 1, kind="box"), "kind must be place"),
        (lambda: diagram.arrow([(0, 0), (1, 1)], "a", side="over"), "side must be above"),
        (lambda: cp67_diagram.clock((1, 0), (1, 0)), "from 4 to 24 pages"),
        (lambda: cp67_diagram.clock((1, 0, 0, 0), (0, 0, 0, 0)), "bits must be 0 where"),
        (lambda: cp67_diagram.clock((2, 0, 0, 0), (1, 0, 0, 0)), "0 or 1 for each page"),
        (lambda: cp67_diagram.clock(hand=12), "hand must be a page from 0 to 11"),
        (lambda: sim61_diagram.figure_1(made_up("sim61")), "simulate with a larger trace"),
        (lambda: emas_diagram.figure_2(made_up("emas")), "simulate with a larger trace"),
        (lambda: unix_v6_diagram.core_map(made_up("unix_v6")), "larger trace"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()
    for draw in (sim61_diagram.figure_1, tss360_diagram.figure_1, unix_v6_diagram.core_map):
        for wrong in (None, made_up("cp67")):
            with pytest.raises(TypeError, match=r"needs a result of \w+\.simulate"):
                draw(wrong)
    for key, other in zip(SYSTEMS, [*SYSTEMS][::-1], strict=True):
        if key != other:
            with pytest.raises(TypeError, match=rf"needs a result of {key}\.simulate"):
                DIAGRAMS[key].machine(made_up(other))
    assert Measured().rate("swaps ", "swaps") == "swaps"
