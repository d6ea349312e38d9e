"""Quizzes against the machines' own handlers, other methods and brute force, over many seeds."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from perfkit import __main__ as line
from perfkit.analytic.convolution import solve_convolution
from perfkit.des.compiling import kernel
from perfkit.des.records import viewed
from perfkit.systems import cp67, emas, unix_v6
from perfkit.systems.cp67.memory import choose_page
from perfkit.systems.emas.memory.core import load_processes
from perfkit.systems.emas.processor import join_queue
from perfkit.systems.unix_v6 import devices, memory
from perfkit.systems.unix_v6.state import FIRST_USER, Channel, State, new_map
from studies.quiz import KINDS, draw, told
from studies.quiz.unix_v6 import STATES
from tests.systems.lists import chain

LETTERS = "ABCDEFGHIJ"


def drawn(kind):
    """Yield cases of a kind with their answers."""
    quizzes = (draw(kind, seed) for seed in range(200))
    return ((quiz.case, quiz.answer) for quiz in quizzes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sheet_has_80_columns_and_its_answer_is_that_of_the_data(kind, capsys):
    words = ["quiz", KINDS[kind]["study"], "--kind", kind, "--count", "200"]
    assert line.main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert line.main([*words, "--answer"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    for row, sheet in zip(rows, text.split("\n\n\n"), strict=True):
        found = [part.split(maxsplit=1) for part in sheet.split("Answer\n")[1].splitlines()]
        assert found == [[name, told(value)] for name, value in row["answer"].items()]
        assert list(row["asks"]) == list(row["answer"])


def test_the_arm_serves_the_nearest_ahead_and_then_behind():
    for case, answer in drawn("disc"):
        at, way, stops, order = case["start"], 1 if case["towards"] == "high" else -1, [], []
        left = {row["request"]: row["cylinder"] for row in case["requests"]}
        while left:
            there = {r: (c - at) * way for r, c in left.items() if r not in "GH" or len(order) > 2}
            order.append(min(there, key=lambda r: (there[r] < 0, abs(there[r]))))
            way = -way if there[order[-1]] < 0 else way
            stops.append(abs(there[order[-1]]))
            at = left.pop(order[-1])
        seek_ms = {row["distance"]: row["seek_ms"] for row in case["seek_times"]}
        took = sum(seek_ms[far] for far in stops)
        assert answer == {"order": order, "moved": sum(stops), "seek_ms": took}


def unix_machine(**changes):
    p = unix_v6.Parameters(**changes)
    return viewed(unix_v6.state.new_machine(p, unix_v6.draw_workload(p, 0), 0))


@kernel
def next_of_swaps(m, victim):
    if m.kernel.swap_done:
        memory.end_swap(m)
    return memory.next_swap(m, victim)


def test_the_swap_scheduler_of_a_machine_does_the_same():
    m, slot = unix_machine(processes=4, swap_drive=2), FIRST_USER + 3
    wanted, k = m.processes[slot], m.kernel
    for case, answer in drawn("swap"):
        rows, size, out = case["processes"], case["core_clicks"], []
        m.processes.locked = m.processes.place = k.runnable = k.swap_done = 0
        m.core[:], m.swap_area[:], k.swap_process = new_map(0, 6), new_map(1000, 6), -1
        held = {c for r in rows for c in range(r["place"], r["place"] + r["clicks"])}
        for click in sorted({*range(size)} - held):
            memory.release(m.core, 1, click)
        for process, row in zip(m.processes[FIRST_USER:], rows, strict=False):
            process.state, process.age_s = STATES[row["state"]], row["in_core_s"]
            process.loaded, process.core_address = 1, row["place"]
            process.size_clicks = row["clicks"]
        wanted.loaded, wanted.age_s, wanted.state = 0, case["wanted_out_s"], State.READY
        wanted.size_clicks = case["wanted_clicks"]
        wanted.swap_address = memory.allocate(m.swap_area, 8)
        while next_of_swaps(m, memory.paper_victim) == Channel.SWAP_DONE and k.swap_process != slot:
            out.append(LETTERS[k.swap_process - FIRST_USER])
        place = wanted.core_address if k.swap_process == slot else None
        areas = [area for area in m.core if area.extent]
        holes = [area.address for area in areas], [area.extent for area in areas]
        assert list(answer.values()) == [out, place, *holes]


@kernel
def read_block(m, block):
    there = devices.find(m, block) >= 0
    devices.give_back(m, devices.take_block(m, block))
    return there


def test_the_buffer_cache_of_a_machine_has_the_same_faults():
    m = unix_machine(buffers=3)
    for case, answer in drawn("lru"):
        m.buffers.block = -1
        faults = [n for n, block in enumerate(case["reads"], 1) if not read_block(m, block)]
        kept = [m.buffers[b].block for b in chain(m.buffers, m.free_buffers.head)]
        assert list(answer.values()) == [len(faults), faults, kept]


@kernel
def page_chosen(m, policy):
    return choose_page(m, policy)


def test_the_pointer_of_a_machine_takes_the_same_pages():
    p, own = cp67.Parameters(frames=6, algorithm=2), cp67.run.replacement_policy.own()
    versions = cp67.state.version_records(p, None)
    m = viewed(cp67.state.new_machine(p, cp67.draw_load(p, 1), versions, np.zeros(1, int), 1))
    for case, answer in drawn("clock"):
        frames, m.kernel.pointer, replaced = m.frames, case["pointer"] - 1, []
        frames.owner, frames.state, frames.seen_ms = 1, cp67.state.Frame.HELD, 0.0
        frames.page = [LETTERS.index(row["page"]) for row in case["frames"]]
        frames.bit = [row["bit"] for row in case["frames"]]
        for page in map(LETTERS.index, case["references"]):
            if page not in frames.page:
                f = page_chosen(m, own)
                replaced.append(LETTERS[frames[f].page])
                frames[f].page = page
            frames.bit[frames.page == page] = 1
        pages = [LETTERS[page] for page in frames.page]
        assert list(answer.values()) == [replaced, pages, [*frames.bit], m.kernel.pointer + 1]


def test_residence_times_are_those_of_convolution():
    for case, answer in drawn("mva"):
        demands_s, z = [row["D_s"] for row in case["stations"]], case["think_s"]
        solved = [solve_convolution(demands_s, n, think_time_s=z) for n in (1, 2, 3)]
        found = [[*(one.queue / one.throughput[-1]), one.throughput[-1]] for one in solved]
        np.testing.assert_allclose(np.transpose([*answer.values()]), found, atol=5.01e-4, rtol=0)


def test_the_interval_of_the_pairs_is_that_of_a_paired_t_test():
    for case, answer in drawn("switching"):
        x = np.array([[row[f"x{k}"] for k in (1, 2, 3)] for row in case["batches"]], float)
        a, b = x[0::2, 1:].mean(1), x[1::2, 1:].mean(1)
        test, kept = stats.ttest_rel(b, a), x[1::2].mean() - x[0::2].mean()
        low, high = test.confidence_interval(0.95)
        decided = "yes" if test.pvalue < 0.05 else "no"
        found = [(high + low) / 2, round((high - low) / 2, 2), decided, round(kept, 2)]
        assert list(answer.values()) == [list(b - a), pytest.approx(found[0]), *found[1:]]


@kernel
def put_and_load(m, queues, since_ms, rule):
    for t in range(queues.size):
        join_queue(m, queues[t], t)
        m.processes[t].queued_ms = since_ms[t]
    load_processes(m, rule)


def test_a_machine_loads_the_same_processes_from_its_core_queues():
    p = emas.Parameters(frames=400, preloads_at_once=3, preload_page_ms=0.0, trace_record_us=0.0)
    kinds, table = emas.load.kind_records(p, emas.TABLE_6), emas.category_table()
    whole, own = p.frames + p.over_allocation_pages, emas.run.core_queue_policy.own()
    for case, answer in drawn("core_queues"):
        rows = pd.DataFrame(case["processes"])
        read = emas.memory.categories.read_categories(table)
        m = viewed(emas.state.new_machine(p, read, kinds, 1, 1.0, 100))
        m.kernel.allocated_pages, m.kernel.now_ms = whole - case["free_pages"], 1e6
        m.pages.place[:, : p.own_pages] = emas.state.Place.DRUM
        for t, row in rows.iterrows():
            m.processes[t].category = (table["core_pages"] == row["allowance"]).argmax()
            m.pages.in_set[t, : row["working_set"]] = 1
        put_and_load(m, rows["queue"].to_numpy(), 1e6 - 1e3 * rows["waited_s"].to_numpy(), own)
        begun = m.trace[m.trace.kind == emas.Event.PRELOAD_BEGINS].actor
        part = None if m.kernel.suspended < 0 else LETTERS[m.kernel.suspended]
        loaded, left = [LETTERS[t] for t in begun], whole - m.kernel.allocated_pages
        assert [answer[name] for name in ("loaded", "in_part", "left")] == [loaded, part, left]
        assert (answer["blocked"] is None) == (part is not None or len(loaded) == 3)


def test_effects_are_those_of_a_least_squares_fit_of_the_twelve_afternoons():
    a, b = np.repeat([[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]], 3, axis=1)
    for case, answer in drawn("factorial"):
        response = [[row[f"day_{n}_s"] for n in (1, 2, 3)] for row in case["afternoons"]]
        terms = np.column_stack([np.ones(12), a, b, 2.0 * a * b])
        fitted, *_ = np.linalg.lstsq(terms, np.ravel(response))
        means_s, *effects_s = answer.values()
        np.testing.assert_allclose(means_s, np.mean(response, axis=1))
        np.testing.assert_allclose(effects_s, fitted[1:], atol=1e-9)
        levels = [(row["schedule"], row["replacement"]) for row in case["afternoons"]]
        assert levels == [("old", "old"), ("new", "old"), ("old", "new"), ("new", "new")]
