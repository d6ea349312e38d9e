"""The paper's testable statements on the workload, against simulated transactions."""

import numpy as np

from studies.evidence.claims import ClaimTests, about, above, all_above, below
from studies.tss360.demands import KEY
from studies.tss360.experiments import paging_rates, straightness
from studies.tss360.runs import frames_by_processing

MODULES = ("claims", "experiment_claims", "workload_claims")
TESTS = ClaimTests(KEY, *(f"studies.tss360.{module}" for module in MODULES))
SHARE = 0.10
STRAIGHT = 0.90
SHORT_S = (0.001, 0.004)
LONG_S = 5.0
DEMANDS = ("cpu_s", "reads", "writes", "frames", "paging", "pages")


def stated(claim, values, note=""):
    """Find that values come to the number that a claim states, to 10 %."""
    wanted = TESTS.stated(claim)
    return about(values, wanted, SHARE * abs(wanted), note)


def beyond(frame, column, bound):
    """Return the rows in which a column is at least a bound."""
    return frame[frame[column] >= bound]


def typical_share(e):
    """Typical transactions of all that ended."""
    share = e.by_day_transactions(lambda day: 100.0 * day["typical"].mean())
    return stated("typical_share", share, "percent")


def demands_skewed(e):
    """Mean over median of processor time."""
    return above(e.by_day_transactions(lambda day: day["cpu_s"].mean() / day["cpu_s"].median()), 1)


def processing_median(e):
    """Median processor time."""
    return stated("processing_median", e.by_day_transactions(lambda d: d["cpu_s"].median()), "s")


def response_correlations(day):
    """Return how demands of typical transactions go with their response."""
    typical = day[day["typical"]]
    demands = typical.assign(paging=typical["page_rate"], pages=typical["page_reads"])
    return demands[list(DEMANDS)].corrwith(typical["response_s"])


def paging_correlation(e):
    """Correlation of the paging rate S with response, over typical transactions."""
    r = e.by_day_transactions(response_correlations)
    pages = r[:, DEMANDS.index("pages")].mean()
    note = f"S is pages over processing time; the number of pages alone has {pages:.2f}"
    return stated("paging_correlation", r[:, DEMANDS.index("paging")], note)


def paging_correlation_highest(e):
    """That correlation less the highest other one, the number of pages left aside."""

    def lead(day):
        r = response_correlations(day)
        return r["paging"] - r.drop(["pages", "paging"]).max()

    return above(e.by_day_transactions(lead), note="S; see the claim above")


def frames_against_processing(e):
    """The least gain of frames from one row of Table 4 to the next."""
    steps = e.by_day_transactions(lambda day: np.diff(frames_by_processing(day)))
    return all_above(steps.T, note="page frames")


def figure_2_line(day):
    """Return slope and R squared of log S over log C by bins."""
    rates = paging_rates(day)
    x, y = np.log(rates["C"]), np.log(rates["S"])
    return np.polyfit(x, y, 1)[0], straightness(x, y)


def paging_against_processing(e):
    """Slope of log S over log C."""
    return below(e.by_day_transactions(lambda day: figure_2_line(day)[0]))


def paging_power_law(e):
    """R squared of log S over log C, means of bins."""
    r2 = e.by_day_transactions(lambda day: figure_2_line(day)[1])
    return above(r2, STRAIGHT)


def short_transaction_pages(e):
    """Pages read or reclaimed by transactions of about 2 ms."""

    def pages(day):
        short = day[day["cpu_s"].between(*SHORT_S)]
        return (short["page_reads"] + short["reclaims"]).mean()

    return stated("short_transaction_pages", e.by_day_transactions(pages), "pages, 1 to 4 ms")


def long_transaction_rate(e):
    """Paging rate of transactions of 5 s and more."""

    def rate(day):
        long = beyond(day, "cpu_s", LONG_S)
        return long["page_reads"].sum() / long["cpu_s"].sum() if len(long) else np.nan

    rates = e.by_day_transactions(rate)
    wanted = TESTS.stated("long_transaction_rate")
    return below(rates[np.isfinite(rates)], wanted, "pages/s")


def long_use_whole_slice(e):
    """Slices of transactions of 5 s and more that used their time, of all but their last."""

    def share(day):
        long = beyond(day, "cpu_s", LONG_S)
        later = (long["slices"] - 1).sum()
        return 100.0 * long["whole_slices"].sum() / later if later else np.nan

    shares = e.by_day_transactions(share)
    wanted = TESTS.stated("long_use_whole_slice")
    return above(shares[np.isfinite(shares)], wanted, "percent of slices")


def initial_transient(e):
    """Faults in the later half of whole slices over those in the first half."""
    return below(e.by_day(lambda d: d["late_faults"].sum() / d["early_faults"].sum()), 1.0)


def multiprogramming_raises_rate(e):
    """Correlation of dispatchable tasks with log S beside the line of Figure 2."""

    def left(day):
        known = day[day["page_reads"] > 0]
        x, y = np.log(known["cpu_s"]), np.log(known["page_rate"])
        residual = y - np.polyval(np.polyfit(x, y, 2), x)
        return np.corrcoef(residual, known["dispatchable"])[0, 1]

    return above(e.by_day_transactions(left))
