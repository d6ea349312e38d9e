"""The paper's testable statements, each against simulated runs."""

from perfkit.runs.experiment import interval
from studies.emas.benchmark import command_totals
from studies.emas.runs import KEY, MEANS_TOLERANCE, SHARE_POINTS, STAGE_TOLERANCE
from studies.evidence.claims import ClaimTests, about, above, all_above, below

TESTS = ClaimTests(KEY, __name__)


def printed_mean(claim, name, tolerance=MEANS_TOLERANCE, scale=1.0):
    """Register the test of a mean that the text gives, to a share of it."""

    def test(e):
        wanted = TESTS.stated(claim)
        return about(e.traced[name] * scale, wanted, tolerance * abs(wanted))

    TESTS.functions[claim] = test


for _claim in (
    "prepaged_share", "prepage_transfers", "preload_pages", "preload_transfers", "demand_disc",
    "demand_shared", "time_prepaged", "time_demand_disc", "time_demand_drum", "wasted",
    "removed_by_compaction", "compaction_success", "written", "time_written", "multiprogramming",
    "multiprogramming_peak", "compile_elapsed", "execute_elapsed", "trace_minutes",
    "trace_records",
):  # fmt: skip
    printed_mean(_claim, _claim)
for _claim, _name in (
    ("headway", "headway"),
    ("cpu_residence", "cpu"),
    ("core_queue_wait", "core_queue"),
    ("preload_wait", "preload"),
    ("run_queue_wait", "run_queue"),
    ("page_wait", "page_wait"),
):
    printed_mean(_claim, _name, STAGE_TOLERANCE)
printed_mean("edit_elapsed", "edit_elapsed", scale=1.0 / 60.0)


def over_allocation(e):
    """Most core allocated on machine A, over the core there is."""
    pages = e.configuration_a().frames
    most = 1.0 - e.sampled["minimum_core_unallocated"] / pages
    return above(most, 1.0, "most allocated over what there is, machine A")


def partial_preload(e):
    """Partial preloads of the trace session that ended in suspension."""
    return above(e.traced["suspensions_per_hour"], note="suspensions per hour")


def heavy_share(claim, name):
    """Register the test of a share of the processor in a heavy session on machine A."""

    def test(e):
        return about(e.accounted[name], TESTS.stated(claim), SHARE_POINTS, "percent, machine A")

    TESTS.functions[claim] = test


for _state in ("user", "supervisor", "idle"):
    heavy_share(f"heavy_{_state}_share", f"{_state}_share")


def core_loading_share(e):
    """Core loading's share of supervisor time, machine A."""
    share = 100.0 * e.accounted["service_core_loading"] / e.accounted["supervisor_share"]
    wanted = TESTS.stated("core_loading_share")
    return about(share, wanted, MEANS_TOLERANCE * wanted, "percent; Table 2 has 32.6")


def dominant_services(e):
    """Drum transfers' lead over core loading, or that one's over the third, the smaller."""
    services = e.accounted.filter(like="service_").drop(columns="service_tracing")
    others = services.drop(columns=["service_drum_transfers", "service_core_loading"])
    drum, core = services["service_drum_transfers"], services["service_core_loading"]
    return all_above([drum - core, core - others.max(axis=1)], note="points")


def negative_unallocated(e):
    """Least unallocated core among machine A's samples."""
    return below(e.sampled["minimum_core_unallocated"], note="pages")


def matrix_diagonal(e):
    """Transitions that stay in their category."""
    return above(e.traced["matrix_diagonal"], TESTS.stated("matrix_diagonal"), "percent")


def matrix_cluster(e):
    """Transitions into the four most frequent categories."""
    return above(e.traced["matrix_cluster"], TESTS.stated("matrix_cluster"), "percent")


def twice_as_many(e):
    """Prepaging over demand requests; the shares beside, 70 and 30, are tested of their own."""
    ratio = e.traced["prepaged_share"] / e.traced["demand_share"]
    wanted = TESTS.stated("twice_as_many")
    return about(ratio, wanted, MEANS_TOLERANCE * wanted, "printed shares: 70 to 30")


def prepage_from_drum(e):
    """Pages preloaded from disc; none by the simulator's rule."""
    return about(0.0 * e.traced["preloads"], 0.0, 1.0, "none, by rule")


def demand_only_factor(e):
    """Wait for the useful pages at the transfer time of a demanded page, over the preload's."""
    useful = 1.0 - e.traced["wasted"] / 100.0
    factor = useful * e.traced["time_demand_drum"] / e.traced["time_prepaged"]
    wanted = TESTS.stated("demand_only_factor")
    return about(factor, wanted, MEANS_TOLERANCE * wanted, "by transfer times, as in the paper")


def waste_break_even(e):
    """What prepaging saves at about the printed wastage, by every reading of the loader."""
    wanted, found, notes = TESTS.stated("waste_break_even"), {}, []
    for count, reading in e.loaders.items():
        rows = reading.saved_near(wanted)
        found[count] = one = above(rows["saved"])
        saved = f"saves {one.ours:.2f} +- {one.half_width:.2f} at {rows['wasted'].mean():.0f} %"
        notes.append(f"{saved} wasted with preloads_at_once {count}")
    told = "; ".join([*notes, "fits of either meet the fitted cells as well"])
    return found[e.parameters().preloads_at_once]._replace(
        holds=all(one.holds for one in found.values()),
        refuted=all(one.refuted for one in found.values()),
        note=f"s per s of processor time: {told}",
    )


def recalculation_cuts_waste(e):
    """What four recalculations for each of the paper's add to wastage, by either reading."""
    found = {seconds: below(rows["wasted"]) for seconds, rows in e.recalculated.items()}
    own, seldom = found.values()
    return own._replace(
        holds=own.holds and seldom.holds,
        refuted=own.refuted and seldom.refuted,
        note=f"points if markers are read at every removal, {seldom.ours:.1f} +- "
        f"{seldom.half_width:.1f} if each second; the paper does not say which",
    )


def recalculation_expensive(e):
    """What four recalculations for each of the paper's add to the supervisor's share."""
    rows = e.recalculated[0.0]
    return above(rows["supervisor_share"], note="points of the processor")


def compaction_smallest(e):
    """Removals by compaction, twice over, less the others."""
    share = e.traced["removed_by_compaction"]
    return below(2.0 * share - (100.0 - share), note="percent of removals")


def prepaging_grows(e):
    """Share of prepaging in the rise of the paging rate."""
    return above(e.traced["prepaging_in_rise"], TESTS.stated("prepaging_grows"), "percent")


def demand_levels_off(e):
    """Slope of the demand rate at paging rates below the median less that above."""
    gap = e.traced["demand_slope_low"] - e.traced["demand_slope_high"]
    return above(gap, note="slope below the median rate less slope above")


def with_disc(e):
    """Tell how the demand time grows if demands from disc count, too: the claims fail then."""
    slope = "{:.2f} +- {:.2f}".format(*interval(e.traced["demand_time_slope_with_disc"]))
    return (
        f"ms per page per second; demands from drum only: with those from disc it grows by {slope}"
    )


def thrashing_eliminated(e):
    """Computing between two faults with half as many users again, over that with the paper's."""
    crowded, wider = e.crowded(), e.crowded(drums=2 * e.parameters().drums)
    own = e.prepaged.head(len(crowded))
    mean, half_width = interval(crowded["user_share"] / own["user_share"])
    room = (wider["user_share"] / own["user_share"]).mean()
    note = (
        f"the work done is {mean:.2f} +- {half_width:.2f} of what it was, though: more pages come"
        f" from disc, and with twice the drums it is {room:.2f}"
    )
    return above(crowded["headway"] / own["headway"], 1.0, note)


def demand_time_grows(e):
    """Growth of the demand transfer time from drum with the paging rate."""
    return above(e.traced["demand_time_slope"], note=with_disc(e))


def prepage_time_steady(e):
    """Size of the prepaging time's change, less half the growth of the demand time from drum."""
    gap = e.traced["prepaging_time_slope"].abs() - 0.5 * e.traced["demand_time_slope"]
    return below(gap, note=f"{with_disc(e)}; the sign of the change does not count")


def differential_grows(e):
    """Growth of the demand time from drum less that of the prepaging time."""
    gap = e.traced["demand_time_slope"] - e.traced["prepaging_time_slope"]
    return above(gap, note=with_disc(e))


def categories_differ(e):
    """Largest over smallest processor time per residence among categories often met."""
    return above(e.traced["category_cpu_ratio"], TESTS.stated("categories_differ"))


def execute_terminal_bound(e):
    """Fall of an execution's mean elapsed time with terminals ten times as fast, same seeds."""
    fast = e.fast_terminals["execute_elapsed"]
    slow = e.prepaged["execute_elapsed"].head(len(fast))
    fall = 100.0 * (slow - fast) / slow.mean()
    return above(fall, TESTS.stated("execute_terminal_bound"), "percent")


def benchmark_totals(e):
    """Commands of any kind in the job scripts less those of the session, the largest."""
    totals = e.scripts["kind"].value_counts()
    off = float((totals - command_totals()).abs().max())
    return about([off, off], 0.0, 0.0, "commands, none random")
