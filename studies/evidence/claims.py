"""The testable statements of a paper's text, each met by a small function.

A study has one function per claim, called as the claim's id in ``data/<key>/claims.csv``. One
``ClaimTests`` finds them and hands all of them its evidence: whatever its functions need,
usually frames of simulated runs. The column ``use`` of that file says what becomes of a claim:
it is ``tested``, or ``given``: tested, but its number was fitted or put in, so that it is shown
as "by construction" and not counted, or a ``misprint``: tested, but other printed numbers show
that it can't hold. Claims without a function are listed with the reason:
``input`` (it is a parameter of ours), ``arithmetic`` (derived where its table is), ``context``
(about other machines or the measuring).
"""

import re
import sys
from typing import NamedTuple

import numpy as np
import pandas as pd

from perfkit.core.wording import short
from perfkit.runs.experiment import interval
from studies.evidence import published, scorecard

TESTED, GIVEN, MISPRINT = "tested", "given", "misprint"
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
RULE = re.compile(rf"(?:([<>]) {_NUMBER}|{_NUMBER} ± {_NUMBER}|not {_NUMBER})$")
UNDECIDED = "undecided: an interval needs two replications"


class Finding(NamedTuple):
    """What a claim's test found.

    ``ours`` and ``half_width`` are the number behind it and its 95 % half-width: not a number where
    nothing is random or there is nothing to test, infinite where there is one replication only. It
    was held ``against`` a number, if there is one; ``rule`` is what was asked of it, as a reader
    sees it: "> 0". ``note`` is its unit, what else a reader must know, the diagnosis if the claim
    does not hold. A claim is ``refuted`` if the whole interval is on the other side, and undecided
    if it neither holds nor is refuted.
    """

    holds: bool
    ours: float
    half_width: float = np.nan
    against: float = np.nan
    note: str = ""
    rule: str = ""
    refuted: bool = False


def above(values, bound=0.0, note=""):
    """Find that the mean of independent values exceeds a bound at 95 % confidence.

    The interval is two-sided, so a claim on the edge is accepted falsely once in 40 times.
    """
    mean, half_width = interval(values)
    rule, refuted = f"> {short(bound)}", mean + half_width <= bound
    return Finding(mean - half_width > bound, mean, half_width, bound, note, rule, refuted)


def below(values, bound=0.0, note=""):
    """Find that the mean of independent values stays below a bound at 95 % confidence."""
    mean, half_width = interval(values)
    rule, refuted = f"< {short(bound)}", mean - half_width >= bound
    return Finding(mean + half_width < bound, mean, half_width, bound, note, rule, refuted)


def all_above(series, bound=0.0, note=""):
    """Find that each of several means exceeds a bound; the interval that reaches lowest decides."""
    return _each([above(values, bound, note) for values in series], -1.0)


def all_below(series, bound=0.0, note=""):
    """Find that each of several means stays below a bound; the interval highest up decides."""
    return _each([below(values, bound, note) for values in series], 1.0)


def _each(findings, sign):
    """Return the weakest of findings that must all hold: refuted if one of them is."""
    return weakest(findings, sign)._replace(refuted=any(finding.refuted for finding in findings))


def weakest(findings, sign):
    """Return the finding whose interval reaches farthest up (sign 1) or down (-1).

    One without a number goes before all.
    """
    findings = list(findings)
    if not findings:
        raise ValueError("A claim about each of several means needs one or more; there is none.")
    known = [finding for finding in findings if not np.isnan(finding.ours)]
    if len(known) < len(findings):
        return next(finding for finding in findings if np.isnan(finding.ours))
    return max(known, key=lambda one: (sign * one.ours + one.half_width, sign * one.ours))


def farthest(findings):
    """Return the finding whose interval reaches farthest from what it was held against.

    One without a number goes before all.
    """
    distances = [finding._replace(ours=abs(finding.ours - finding.against)) for finding in findings]
    worst = weakest(distances, 1.0)
    chosen = findings[next(place for place, finding in enumerate(distances) if finding is worst)]
    return chosen._replace(refuted=any(finding.refuted for finding in findings))


def apart(values, number=0.0, note=""):
    """Find that the whole 95 % interval of the mean leaves out a number."""
    mean, half_width = interval(values)
    holds = abs(mean - number) > half_width
    return Finding(holds, mean, half_width, number, note, f"not {short(number)}")


def about(values, wanted, tolerance, note=""):
    """Find that the whole 95 % interval of the mean lies within a tolerance of a number."""
    mean, half_width = interval(values)
    distance = abs(mean - wanted)
    holds, refuted = distance + half_width <= tolerance, distance - half_width > tolerance
    rule = f"{short(wanted)} ± {short(tolerance, 3)}"
    return Finding(holds, mean, half_width, wanted, note, rule, refuted)


def _subject(function, claim):
    """Return what a claim's test looks at: its docstring, or, without one, the printed quantity."""
    unit = f" ({claim['unit']})" if claim["unit"] else ""
    line = function.__doc__ or claim["quantity"] + unit
    return line.strip().partition("\n")[0].removesuffix(".")


def margins(card):
    """Return by how much each claim of a scorecard holds: how far ours is from what was asked.

    One row per claim: ``claim``; what was ``asked``; ``margin``, in percent of the number asked
    for, of ours where that is 0, below zero on the other side, and its ``percent``, the half-width;
    not numbers where there was no bound; then ``ours``, ``half_width`` and ``verdict``.
    """
    rows = card[card["verdict"].fillna("") != ""]
    held = rows["half_width"].where(rows["half_width"] > 0.0)
    rules = [RULE.search(text or "") for text in rows["quantity"]]
    pairs = [_margin(*pair) for pair in zip(rules, rows["ours"], strict=True)]
    margin, size = np.array(pairs, float).reshape(-1, 2).T
    found = {
        "claim": rows["cell"],
        "asked": [rule.group() if rule else "" for rule in rules],
        "margin": 100.0 * margin / size,
        "percent": 100.0 * held / size,
        "ours": rows["ours"],
        "half_width": held,
        "verdict": rows["verdict"],
    }
    return pd.DataFrame(found).reset_index(drop=True)


def _margin(rule, ours):
    """Return how far a number is inside what was asked of it, and the size of what was asked."""
    if not rule:
        return np.nan, 1.0
    sign, bound, wanted, tolerance, other = rule.groups()
    size = abs(float(bound or wanted or other)) or abs(ours) or 1.0
    if sign:
        return (ours - float(bound)) * (1.0 if sign == ">" else -1.0), size
    if wanted:
        return float(tolerance) - abs(ours - float(wanted)), size
    return abs(ours - float(other)), size


class ClaimTests:
    """The tests of one study's claims, in the modules of these names.

    The first line of a function's docstring says what number it looks at; one without looks at the
    quantity that claims.csv names. ``functions`` are tests that are made, not written, by claim;
    they go before the modules.
    """

    def __init__(self, key, *modules):
        self.key, self.functions, self._modules = key, {}, modules

    def function(self, claim):
        """Return a claim's test, None if it has none."""
        written = [vars(sys.modules[name]).get(claim) for name in self._modules]
        return next(filter(None, [self.functions.get(claim), *written]), None)

    def stated(self, claim):
        """Return the number that a claim states in claims.csv."""
        return published.stated(self.key, claim)

    def score(self, evidence):
        """Hand the evidence to every claim's test, and return scorecard rows in the paper's order.

        Their kind is "claim", or "by construction" for those whose number was given.
        """
        claims = published.claims(self.key).set_index("id")
        tested = claims.index[claims["use"].isin([TESTED, GIVEN, MISPRINT])]
        odd = [name for name in claims.index if (name in tested) != bool(self.function(name))]
        odd += [name for name in self.functions if name not in claims.index]
        if odd:
            raise ValueError(f"claims.csv and the tests of {self.key} differ on {', '.join(odd)}.")
        rows = []
        for name in tested:
            function = self.function(name)
            finding = function(evidence)
            claim = claims.loc[name]
            notes = [finding.note, UNDECIDED if np.isinf(finding.half_width) else ""]
            quantity = ": ".join(filter(None, [_subject(function, claim), finding.rule]))
            rows.append(scorecard.claim(
                claim["place"], claim["statement"], finding.holds, quantity=quantity,
                published=finding.against, ours=finding.ours, half_width=finding.half_width,
                refuted=finding.refuted, misprint=claim["use"] == MISPRINT,
                note="; ".join(filter(None, notes)),
            ))  # fmt: skip
        card = scorecard.gather(*rows)
        given = claims.loc[tested, "use"].to_numpy() == GIVEN
        return card.assign(kind=card["kind"].mask(given, scorecard.BY_CONSTRUCTION))
