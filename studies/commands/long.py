"""The commands that take minutes: reproduce, calibrate, sensitivity."""

from pathlib import Path

from perfkit import show
from perfkit.commands.words import count, pairs, say_if_compiling, width
from perfkit.core.wording import grouped
from studies import BOOKS, STUDIES, book, study
from studies.commands.score import score
from studies.evidence import kept_cards, repeated


def reproduce(given):
    """Execute notebooks and print the scorecards."""
    names = [text for text in given.keys if "=" not in text]
    parameters = pairs([*given.parameters, *(text for text in given.keys if "=" in text)])
    keys = [book(name).key for name in names] or [*BOOKS]
    scored = [key for key in keys if key in STUDIES]

    from studies.commands import reproduce as runner

    runner.planned(keys, given.quick, parameters)  # refused before compiling is spoken of
    say_if_compiling(*(scored if scored == keys else STUDIES))
    given.results = runner.reproduce(
        keys, given.results, given.quick, parameters, say=lambda line: print(line, flush=True)
    )
    if scored:
        _tell(given, scored, parameters)


def _tell(given, keys, parameters):
    """Print the scorecards and whether they are the committed ones; a moved cell is an error.

    A quick run's hits say nothing of the full one's, so they are not counted.
    """
    where, given.keys = Path(given.results) / "scorecards", keys
    if not given.quick:
        score(given)
    changed = filter(None, (kept_cards.told_conditions(key, where) for key in keys))
    if parameters and (how := next(changed, "")):
        print(f"Not compared with the committed scorecards: {how}.")
    else:
        repeated.tell(repeated.compared(keys, where, given.quick))


def calibrate(given):
    """Fit a simulator's free numbers anew, write what is found, and print it."""
    if given.starts and not given.cold:
        raise ValueError("--starts is for --cold; name both or neither.")
    starts = count("starts", given.starts or "3") if given.cold else 0
    iterations = count("iterations", given.iterations)
    replications = count("replications", given.replications, least=2)
    entry = study(given.key)
    calibration = entry.calibration()
    parameters = entry.module().Parameters()

    say_if_compiling(given.key)
    from studies.evidence.calibration import budget, examine

    effort = starts, iterations, replications
    print(budget(len(calibration.FREE), *effort), flush=True)
    table = examine(given.key, calibration, parameters, given.results, *effort)
    print(_fitted(table, [number.name for number in calibration.FREE]))
    print(f"All of it is in {given.results}/fits/{entry.key}.csv.")


def _fitted(table, names):
    """Return from and to what the best search moved the numbers, and whether that is better."""
    standing, best = table.iloc[0], table.loc[table["cost"].iloc[1:].idxmin()]
    shown = table.loc[[standing.name, best.name], names].T.map("{:.4g}".format)
    shown.columns = ["from", f"to ({best.name})"]
    scores = [grouped(fit["cost"], fit["half_width"]) for fit in (standing, best)]
    shown.loc["score (less is better)"] = scores
    said = "No fit is better than what stands by more than noise: keep what stands."
    if standing["worse"] > standing["worse_half_width"]:
        said = f"The fit '{best.name}' is better than what stands by more than noise."
    return f"{show.Table(shown).text(width())}\n{said}"


def sensitivity(given):
    """Move a study's uncertain parameters, write what becomes of its conclusions, and print it."""
    replications = count("replications", given.replications, least=2)
    trajectories = count("trajectories", given.trajectories, least=2)
    conclusions = study(given.key).conclusions()

    say_if_compiling(given.key)
    from studies.evidence.sensitivity import examine

    print(examine(given.key, conclusions, given.results, replications, trajectories))
