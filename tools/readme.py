"""Draw README's figure and write its table from the committed scorecards.

Run ``python -m tools.readme`` after ``make refresh``; a test compares the table.
"""

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np

from perfkit import plots, scorecard
from perfkit.studies import STUDIES

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
    """Draw what simulation predicts against what was published, a panel a study."""
    plots.use_style()
    figure, axes = plt.subplots(1, len(cards), figsize=(max(5.5, 3.0 * len(cards)), 3.6))
    for axis, (key, card) in zip(np.atleast_1d(axes), cards.items(), strict=True):
        rows = card[(card["kind"] == "predicted") & (card["published"] > 0) & (card["ours"] > 0)]
        names = list(rows["quantity"].unique())
        for colour, name in zip(plots.colours(len(names)), names, strict=True):
            chosen = rows[rows["quantity"] == name]
            axis.plot(chosen["published"], chosen["ours"], "o", ms=4, color=colour, label=name)
        axis.axline((1, 1), (10, 10), color="0.4", lw=1)
        axis.set(xscale="log", yscale="log", title=key, xlabel="published", ylabel="simulated")
        axis.legend(fontsize=8, bbox_to_anchor=(1.0, 0.5), loc="center left")
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
