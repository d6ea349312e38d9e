"""Draw README's figure and write its table from the committed scorecards.

Run ``python -m tools.readme`` after ``make refresh``; a test compares the table.
"""

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from perfkit import plots, scorecard
from perfkit.studies import STUDIES

WIDEST = 50
ROOT = Path(__file__).resolve().parents[1]
FIGURE = ROOT / "notebooks" / "scorecards" / "agreement.png"
BEGIN, END = "<!-- scorecards: written by tools/readme.py -->\n", "<!-- end -->\n"


def committed():
    """Return the committed scorecards by study key."""
    cards = {key: scorecard.load(key, scorecard.COMMITTED) for key in STUDIES}
    return {key: card for key, card in cards.items() if card is not None}


def count(card, kinds):
    """Return 'N of M' of some kinds, or a dash if there are none."""
    rows = card[card["kind"].isin(kinds)]
    return f"{int(rows['reproduced'].sum())} of {len(rows)}" if len(rows) else "-"


def table(cards):
    """Return README's table of the scorecards as Markdown lines."""
    lines = [
        "| study | system | arithmetic of the print | predicted by simulation | claims of the text"
        " | fitted cells |\n",
        "|---|---|---|---|---|---|\n",
    ]
    for key, card in cards.items():
        kinds = (["derived"], ["predicted"], ["claim"], ["fitted"])
        cells = [f"[`{key}`](notebooks/{key}.ipynb)", STUDIES[key].title]
        lines.append("| " + " | ".join(cells + [count(card, kind) for kind in kinds]) + " |\n")
    return "".join(lines)


def draw(cards, path):
    """Draw how far each prediction is off, in percent of what was published, a panel a study.

    Studies without predicted cells have none.
    """
    plots.use_style()
    cards = {key: card for key, card in cards.items() if (card["kind"] == "predicted").any()}
    np.random.seed(0)  # stripplot scatters points with the global generator
    figure, axes = plt.subplots(
        len(cards), 1, figsize=(7.5, 0.6 + 2.2 * len(cards)), sharex=True, squeeze=False
    )
    for axis, (key, card) in zip(axes.flat, cards.items(), strict=True):
        rows = card[(card["kind"] == "predicted") & (card["published"] != 0)].copy()
        rows["off"] = (100.0 * (rows["ours"] / rows["published"] - 1.0)).clip(-WIDEST, WIDEST)
        rows["quantity"] = rows["quantity"].str.replace("_", " ")
        axis.axvspan(-10, 10, color="0.92", lw=0)
        axis.axvline(0, color="0.4", lw=1)
        sns.stripplot(rows, x="off", y="quantity", hue="quantity", legend=False, size=4, ax=axis)
        axis.set(title=f"{key}: {STUDIES[key].title.split(',')[0]}", xlim=(-WIDEST - 2, WIDEST + 2))
        axis.set(xlabel="simulated against published (%); grey: within 10 %", ylabel="")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def with_table(text, cards):
    """Return README's text with its table written anew."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(cards) + END + rest.split(END, 1)[1]


def main():
    """Write both."""
    cards = committed()
    draw(cards, FIGURE)
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text(), cards))


if __name__ == "__main__":
    main()
