"""A notebook's page at work: what was turned on it, and what of its text no longer speaks of it.

Text cells can't follow a parameter. So a page on which one was turned says below each output that
the text around it speaks of the committed run, and holds the finding's numbers against its own.
"""

import pandas as pd
from IPython import get_ipython
from IPython.display import Markdown, display

from perfkit.show import plots
from perfkit.show.tables import Table
from studies.evidence import kept_cards

AFTER = "post_run_cell"


class Page:
    """A notebook's page, from its set-up cell on; ``values`` are the notebook's ``globals()``.

    ``turned`` are the parameters that are not as committed. A name that papermill set and the
    notebook does not have is refused. ``own`` are the parameters as committed, of a notebook that
    is not of the collection.
    """

    def __init__(self, key, values, own=None):
        own = kept_cards.committed_parameters(key) if own is None else own
        kept_cards.check_injected(key, values, own)
        plots.use_style()
        self.key = key
        self.turned = {n: values[n] for n in own if n in values and values[n] != own[n]}
        told = (f"`{n} = {v!r}` (committed: {own[n]!r})" for n, v in self.turned.items())
        self._mark_outputs()
        if self.turned:
            display(Markdown(f"> **Turned:** {', '.join(told)}. Tables and figures follow."))

    def mark(self):
        """Return what stands below each output of a page on which something was turned."""
        told = ", ".join(f"{name} = {value!r}" for name, value in self.turned.items())
        return Markdown(f"*Turned: `{told}`. The text around this is of the committed run.*")

    def _mark_outputs(self):
        """Have each cell's output followed by the mark, in place of an earlier page's."""
        shell = get_ipython()
        if shell is None:
            return
        for hook in list(shell.events.callbacks[AFTER]):
            if isinstance(getattr(hook, "__self__", None), Page):
                shell.events.unregister(AFTER, hook)
        if self.turned:
            shell.events.register(AFTER, self._after)

    def _after(self, result):
        if result.result is not None:
            display(self.mark())

    def now(self, finding):
        """Hold the numbers of a finding against this run's.

        Parameters
        ----------
        finding : dict
            What it is, to the number as the text has it ("592") and this run's value.

        Returns
        -------
        Table or None
            As committed and now, if anything was turned. If not, a text that differs is refused.
        """
        rows = {what: (said, _as(said, value)) for what, (said, value) in finding.items()}
        if self.turned:
            shown = pd.DataFrame(rows, ["as committed", "now"]).T
            return Table(shown, "The finding's numbers. Read it with those on the right.")
        for what, (said, now) in rows.items():
            if said != now:
                raise ValueError(f"The finding says {said} for {what}; this run computes {now}.")
        return None

    def verdicts(self, said):
        """Return, if anything was turned, which of a scorecard's claims have another verdict now.

        ``said`` are the claims' rows, as this run has them.
        """
        if not self.turned:
            return None
        before = kept_cards.load(self.key, kept_cards.COMMITTED)
        both = said.merge(before, on=["item", "cell"], suffixes=("", "_before"))
        changed = both[both["verdict"] != both["verdict_before"]]
        lines = [
            f"- {row.item}, {row.cell}: {row.verdict_before}, now {row.verdict}"
            for row in changed.itertuples()
        ]
        told = f"{len(lines)} of {len(both)} claims have another verdict now."
        return Markdown(
            "\n".join([f"*The marks above are of the committed run.* {told}\n", *lines])
        )


def _as(said, value):
    """Return a value with as many decimals as a number in a text has, and its commas."""
    comma = "," if "," in said else ""
    return f"{value:{comma}.{len(said.partition('.')[2])}f}"
