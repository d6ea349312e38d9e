"""What EMAS's event records say, held against the machine; and the machine without prepaging."""

import numpy as np

from perfkit.systems.emas import Event, Parameters, simulate

ALONE = {"users": 1, "settle_s": 0.0, "measured_s": 7200.0, "commands_per_session": 1e4}
WRITTEN, GOES_OUT = 2, 16


def having(result, kind):
    return result.trace[result.trace.kind == kind]


def test_the_record_of_a_q_sample_is_the_sample():
    result = simulate(Parameters(settle_s=60.0, measured_s=1200.0), 3, trace=10**6)
    told = having(result, Event.QUEUES_SAMPLED)
    told = told[told.time_ms > 65_000.0]  # the clock's own work of the 60th second ends after it
    samples = result.samples()
    # A byte a queue, the last queue in the lowest byte: six in the value, three in the detail.
    assert (told.value >> 40).tolist() == samples["active_storage_queue"].tolist()
    assert (told.value >> 40).max() > 0
    assert (told.value >> 32 & 255).tolist() == samples["core_queue_1"].tolist()
    assert (told.value & 255).tolist() == samples["core_queue_5"].tolist()
    assert (told.detail & 255).tolist() == samples["run_queue_3"].tolist()


def test_a_page_that_was_not_written_to_is_not_marked_as_written():
    """Pages without a copy on drum go out all the same, but nobody has written to them."""
    result = simulate(Parameters(**ALONE, write_share=0.0), 1, trace=10**6)
    marks = having(result, Event.PAGE_LEAVES_AT_REMOVAL).detail
    assert (marks & WRITTEN).sum() == 0 and (marks & GOES_OUT).sum() > 0
    busy = simulate(Parameters(**ALONE), 1, trace=10**6)
    marks = having(busy, Event.PAGE_LEAVES_AT_REMOVAL).detail
    assert np.all(marks[marks & WRITTEN > 0] & GOES_OUT > 0) and (marks & WRITTEN).sum() > 0


def test_removal_from_drum_tells_how_many_pages_there_were():
    """Up to the first removal every own page that has left core is on drum, if none is trimmed."""
    p = Parameters(**ALONE, drum_set_s=np.inf)
    result = simulate(p, 1, trace=10**6)
    first = having(result, Event.REMOVED_FROM_DRUM)[0]
    gone = having(result, Event.PAGE_LEAVES_AT_REMOVAL)
    gone = np.concatenate([gone, having(result, Event.PAGE_LEAVES_AT_COMPACTION)])
    own = (gone["time_ms"] <= first.time_ms) & (gone["value"] < p.own_pages)
    assert first.value == np.unique(gone["value"][own]).size > 2


def test_without_prepaging_a_page_is_demanded_from_disc_once_if_the_drum_gets_it_back():
    """Files and trimming left out, only a page's first touch finds it on disc."""
    p = Parameters(**ALONE, prepaging=False, file_share=0.0, drum_set_s=np.inf)
    result = simulate(p, 1, trace=10**6)
    assert len(having(result, Event.REMOVED_FROM_DRUM)) > 20
    pages = having(result, Event.DEMAND_DISC).value
    assert np.unique(pages).size == pages.size
    assert len(having(result, Event.DEMAND_DRUM)) > 10 * pages.size


def test_without_prepaging_nobody_is_preloaded_or_suspended():
    short = {"settle_s": 60.0, "measured_s": 900.0}
    result = simulate(Parameters(prepaging=False, **short), 1, trace=10**6)
    assert result.counts["partial_preloads"] == result.counts["suspensions"] == 0
    preloads = having(result, Event.PRELOAD_BEGINS)
    assert preloads.size > 20 and (preloads.value == 0).all()
    assert simulate(Parameters(**short), 1).counts["suspensions"] > 0


def test_a_sleeper_that_may_not_stay_on_drum_does_not_turn_time_back():
    """It sleeps when its pages have left core, which takes longer than it may stay."""
    p = Parameters(**ALONE, drum_hold_s=0.0)
    times = simulate(p, 2, trace=10**6).trace.time_ms
    assert times.size > 1000 and np.all(np.diff(times) >= 0.0)
