"""What the notebook draws; each picture has a caption and a text for those who can't see it."""

from perfkit.analytic.repairman import saturation_point
from perfkit.runs.experiment import summarize
from perfkit.show import plots
from studies.evidence import published
from studies.show import charts

from study_key import Parameters
from study_key.runs import KEY


def responses(rows, **changes):
    """Draw the response time by number of users: simulated, printed, and its two asymptotes."""
    p, printed = Parameters(**changes), published.table(KEY, "table_1")
    ours = summarize(rows, "users", "response_s").reset_index()
    corner = saturation_point(p.think_s, p.service_s)
    last = ours["users"].max()
    figure, ax = plots.panels(height=3.4)
    colour = plots.colours(1)[0]
    band = ours["response_s"], ours["response_s_half_width"]
    plots.band(ax, ours["users"], *band, colour, "simulated")
    charts.published(ax, printed["users"], printed["response_s"])
    asymptote = [p.service_s, p.service_s, p.service_s + max(last - corner, 0.0) * p.service_s]
    ax.plot([1, corner, max(last, corner)], asymptote, "--", color="0.5", label="without chance")
    ax.set(
        xlabel="users",
        ylabel="response time (s)",
        title=f"Beyond {corner:.0f} users, each adds a service",
    )
    first, most = ours["response_s"].iloc[[0, -1]]
    return plots.picture(
        figure,
        "Bands are 95 % intervals. The broken lines cross at the saturation point: they would be"
        " the response times if nothing were random.",
        f"Response time by number of users: {first:.2f} s with {ours['users'].min()} users,"
        f" {most:.1f} s with {last}. It follows two straight lines that cross at {corner:.0f}"
        " users, and lies highest above them there.",
        legend="right",
    )
