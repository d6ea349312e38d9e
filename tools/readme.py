"""Write what README and the report say of the studies, from committed notebooks and scorecards.

The repository's address, where pyproject.toml has one, goes into README's badge and CITATION.cff.
Run ``python -m tools.readme`` after ``make refresh``; a test compares the text.
"""

import ast
import json
import tomllib
from pathlib import Path
from urllib.parse import quote

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from perfkit.show import plots
from studies import BOOKS, NOTEBOOKS, STUDIES
from studies.commands import reproduce
from studies.evidence import kept_cards, rests, scorecard
from studies.show.opening import opening

WIDEST = 50
ROWS = {
    "unix_v6": (
        "quantity",
        {
            "measured_time_ms": "swap and block times",
            "elapsed_s": "elapsed time",
            "swaps": "swaps",
            "queue": "queue at the disc",
            "utilization_percent": "disc utilization",
        },
    ),
    "sim61": (
        "quantity",
        {
            "response_s": "response time",
            "interactions": "interactions",
            "paging_pages_s": "paging rate",
            "user_io_kb_s": "users' input and output",
            "user_cpu_percent": "users' processor time",
            "overhead_percent": "overhead",
            "idle_percent": "idle time",
            "batch_cpu_percent": "batch processor time",
            "batch_elapsed": "batch elapsed time",
            "n_measured": "measured N",
            "free": "free activations",
        },
    ),
    "emas": (
        "item",
        {
            "Queuing times": "waits and multiprogramming",
            "Paging traffic": "paging",
            "Table 4": "categories (Table 4)",
            "Observations": "commands and their times",
            "Table 6": "elapsed time by command",
            "Table 2": "processor time (Table 2)",
            "Table 3": "queues and free pages (Table 3)",
        },
    ),
    "tss360": (
        "quantity",
        {
            "correlation": "correlations (1/100)",
            "R": "response time",
            "N_e": "eligible tasks",
            "N_d": "dispatchable tasks",
            "p_v": "virtual processing time",
            "p_o": "overhead",
            "P_eav": "available frames, estimated",
            "P_s": "sharable frames",
            "P_a": "available frames",
            "r_p": "reclaims, private",
            "r_s": "reclaims, sharable",
            "r_pf": "page faults",
            "TSE_so": "forced swap-outs",
            "s": "transactions' times (Table 2)",
            "reads": "their reads",
            "writes": "their writes",
            "s2": "mean squares (Table 7)",
            "ratio": "F of effects (Table 7)",
        },
    ),
}  # by study the scorecard's column that a row stands for, and its words
ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"  # whose Repository is the one place for the address
FIGURE = ROOT / "notebooks" / "scorecards" / "agreement.png"
HERO = ROOT / "notebooks" / "scorecards" / "hero.png"
FIRST = ("unix_v6", "cp67", "emas")  # whose findings README opens with, the first with its picture
BEGIN = "<!-- {}: written by tools/readme.py -->\n"
END = "<!-- end -->\n"
NO_ADDRESS = (
    'There is no Binder badge yet: write `Repository = "https://..."` under `[project.urls]` in'
    " `pyproject.toml`, then run `python -m tools.readme`.\n"
)


def committed():
    """Return the committed scorecards by study key."""
    cards = {key: kept_cards.load(key, kept_cards.COMMITTED) for key in STUDIES}
    return {key: card for key, card in cards.items() if card is not None}


def table(cards, notebooks="notebooks"):
    """Return the table of the scorecards as Markdown lines, with links to a folder."""
    told = {key: scorecard.told(card) for key, card in cards.items()}
    columns = ["study", "system", *next(iter(told.values()), {})]
    lines = [f"| {' | '.join(columns)} |\n", "|---" * len(columns) + "|\n"]
    for key, texts in told.items():
        cells = [f"[`{key}`]({notebooks}/{key}.ipynb)", STUDIES[key].title, *texts.values()]
        lines.append("| " + " | ".join(cells) + " |\n")
    return "".join(lines)


def predicted(key, card):
    """Return a study's forecast cells: ``row`` of the figure, ``off``, whether ``reproduced``.

    ``off`` is the error in percent, and in hundredths for correlations. Where zero was published
    there is no error in percent.
    """
    column, words = ROWS[key]
    plain = card["quantity"] == "correlation"
    cells = card[card["kind"].isin(scorecard.FORECAST) & (plain | (card["published"] != 0))]
    off = 100.0 * (cells["ours"] - cells["published"])
    off = off.where(plain[cells.index], off / cells["published"])
    hit = cells["reproduced"].astype(bool)
    return pd.DataFrame({"row": cells[column].map(words), "off": off, "reproduced": hit})


def parameters():
    """Return each notebook's parameters by name, for the sentence that says which are turned."""
    books = {key: reproduce.notebook_parameters(NOTEBOOKS / f"{key}.ipynb") for key in BOOKS}
    return {
        key: {name: ast.literal_eval(text) for name, (_, text, _) in found.items()}
        for key, found in books.items()
    }


def draw(cards, path):
    """Draw how far each prediction is off, in percent of what was published, a panel a study.

    Studies without forecast cells have none.
    """
    plots.use_style()
    found = {key: predicted(key, card) for key, card in cards.items() if key in ROWS}
    heights = [1 + frame["row"].nunique() for frame in found.values()]
    np.random.seed(0)  # stripplot scatters points with the global generator
    figure, axes = plt.subplots(
        len(found),
        1,
        figsize=(8, 2 + 0.22 * sum(heights)),
        sharex=True,
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    for axis, (key, frame) in zip(axes.flat, found.items(), strict=True):
        _draw_study(axis, frame)
        axis.set_title(f"{key}: {STUDIES[key].title.split(',')[0]}")
    figure.supxlabel(_caption(cards), fontsize="small")
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _draw_study(axis, frame):
    """Draw a study's cells, open where missed, those beyond the edge as triangles at the edge."""
    order, colour = list(dict.fromkeys(frame["row"])), plots.colours(1)[0]
    axis.axvspan(-10, 10, color="0.92", lw=0)
    axis.axvline(0, color="0.4", lw=1)
    sides = {"<": frame["off"] < -WIDEST, ">": frame["off"] > WIDEST}
    sides["o"] = ~(sides["<"] | sides[">"])
    style = {"order": order, "orient": "h", "edgecolor": colour, "linewidth": 1, "ax": axis}
    for marker, side in sides.items():
        for hit, fill in ((True, colour), (False, "white")):
            chosen = side & (frame["reproduced"] == hit)
            if chosen.any():
                cells = frame[chosen].assign(off=frame["off"].clip(-WIDEST, WIDEST))
                size = 4 if marker == "o" else 6
                sns.stripplot(
                    cells, x="off", y="row", marker=marker, size=size, color=fill, **style
                )
    axis.set(xlim=(-WIDEST - 3, WIDEST + 3), xlabel="", ylabel="")


def _caption(cards):
    lines = [
        "simulated against published (%); filled: within the study's tolerance; grey: 10 %",
        f"triangles at the edge: beyond {WIDEST} %; published zeros are left out",
    ]
    without = [key for key in cards if key not in ROWS]
    if without:
        lines.append(f"{', '.join(without)}: no cell is a forecast number, so no panel")
    return "\n".join(lines)


def findings():
    """Return README's picture and findings as Markdown lines, from what notebooks open with."""
    found = {key: opening(key) for key in FIRST}
    picture = found[FIRST[0]]
    lines = [f"![{picture.alt}]({HERO.relative_to(ROOT)})\n\n"]
    for key, first in found.items():
        lines.append(f"- [{first.question}](notebooks/{key}.ipynb) {first.lead()}\n\n")
        lines += [f"  {line}\n" for line in ("```", *first.commands(), "```")]
    return "".join(lines)


def resting():
    """Return what the headline effects rest on, a sentence and a table, as Markdown lines."""
    frame = rests.told()
    rows = [["study", *frame], ["---"] * (1 + len(frame.columns))]
    rows += [[f"`{key}`", *texts] for key, *texts in frame.itertuples()]
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    return f"{rests.finding()}\n\n{''.join(lines)}"


def repository():
    """Return the repository's address as pyproject.toml has it, empty where it has none."""
    urls = tomllib.loads(PROJECT.read_text())["project"].get("urls", {})
    return urls.get("Repository", "").rstrip("/").removesuffix(".git")


def badge(address):
    """Return the badge that opens the index of the notebooks on Binder, as Markdown lines."""
    if not address:
        return ""
    there = address.removeprefix("https://github.com/")
    there = f"gh/{there}" if there != address else f"git/{quote(address, safe='')}"
    there = f"https://mybinder.org/v2/{there}/HEAD?urlpath=lab/tree/notebooks/index.ipynb"
    return f"[![Launch on Binder](docs/_static/binder.svg)]({there})\n"


def cited(text, address):
    """Return CITATION.cff with the repository's address, or without one."""
    lines = [line for line in text.splitlines(True) if not line.startswith("repository-code:")]
    if address:
        lines.insert(lines.index("type: software\n"), f"repository-code: {address}\n")
    return "".join(lines)


def overall(cards):
    """Return the report's sentence on all studies, as Markdown lines."""
    whole = pd.concat([card.dropna(axis=1, how="all") for card in cards.values()])
    parts = []
    for kind in scorecard.FORECAST:
        rows = whole[whole["kind"] == kind]
        hits, null = int(rows["reproduced"].sum()), int(scorecard.null_hits(rows).sum())
        parts.append(f"{hits} of {len(rows)} numbers {kind} (a null: {null})")
    said = whole.loc[whole["kind"] == "claim", "verdict"].value_counts()
    others = ", ".join(f"{said.get(name, 0)} {name}" for name in scorecard.VERDICTS[1:])
    told = f"{' and '.join(parts)} are reproduced, and {said['holds']} of {said.sum()} claims hold"
    return f"Over all studies {told} ({others}).\n"


def report(cards):
    """Return what the report takes from the scorecards, by block."""
    own = {f"card {key}": f"{scorecard.headline(card)}\n" for key, card in cards.items()}
    return {
        "counts": overall(cards),
        "rests": resting(),
        "scorecards": table(cards, "../notebooks"),
        **own,
    }


def written(text, blocks, begin=BEGIN):
    """Return a text with its blocks written anew."""
    for name, lines in blocks.items():
        before, rest = text.split(begin.format(name))
        text = before + begin.format(name) + lines + END + rest.split(END, 1)[1]
    return text


def texts(cards):
    """Return README, the report and CITATION.cff by file, as they should be."""
    address, citation = repository(), ROOT / "CITATION.cff"
    blocks = {
        ROOT / "README.md": {
            "badge": badge(address),
            "address": "" if address else NO_ADDRESS,
            "findings": findings(),
            "rests": resting(),
            "scorecards": table(cards),
        },
        ROOT / "docs" / "report.md": report(cards),
    }
    found = {path: written(path.read_text(), own) for path, own in blocks.items()}
    return found | {citation: cited(citation.read_text(), address)}


def main():
    """Write the figures, the notebooks' parameters, README, the report and CITATION.cff."""
    cards = committed()
    draw(cards, FIGURE)
    kept_cards.PARAMETERS.write_text(json.dumps(parameters(), indent=1) + "\n")
    HERO.write_bytes(opening(FIRST[0]).png)
    for path, text in texts(cards).items():
        path.write_text(text)


if __name__ == "__main__":
    main()
