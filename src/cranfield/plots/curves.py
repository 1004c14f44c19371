"""A measure at every rank."""

from __future__ import annotations

from cranfield.lazily import pl
from cranfield.plots.grammar import alt
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, QUIET, colours, dashes

IDEAL = "ideal"


@plot(of="curves", measures=("nDCG",))
def curves(means: pl.DataFrame) -> Drawing:
    """How does a measure grow down the list, and how far from the ideal list does each run stay?

    Each line is a run's mean over the topics at every rank, the black one that of the ideal list.
    Vertical distance says how much less there is after as many documents, horizontal distance how
    many more documents are needed for as much.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), Figures 1 to 4.
    """
    axis, measure = means.columns[2], str(means["measure"][0])
    rows = means.drop("measure", "topic")
    last = rows.group_by("run", maintain_order=True).last().filter(pl.col("run") != IDEAL)
    named = last.sort("value", descending=True, maintain_order=True)["run"].head(len(COLOURS) - 1).to_list()
    others = last.height - len(named)
    runs = [*named, IDEAL]
    # The ideal is black and whole, the runs are neither: colours and dashes are those of the others.
    colour, dash = colours(named).to_dict()["range"], dashes([IDEAL, *named]).to_dict()["range"]
    step = alt.Axis(tickMinStep=1 if axis == "rank" else 0.1)
    x = alt.X(f"{axis}:Q", title=axis, axis=step, scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("value:Q", title=measure)
    lines = (
        alt.Chart(rows.filter(pl.col("run").is_in(runs)))
        .mark_line(point=rows[axis].n_unique() == 1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("run:N", title=None, scale=alt.Scale(domain=runs, range=[*colour, INK])),
            strokeDash=alt.StrokeDash("run:N", title=None, scale=alt.Scale(domain=runs, range=[*dash[1:], dash[0]])),
            tooltip=["run:N", f"{axis}:Q", alt.Tooltip("value:Q", format=".4f")],
        )
    )
    quiet = alt.Chart(rows.filter(~pl.col("run").is_in(runs))).mark_line(color=QUIET, strokeWidth=1, opacity=0.7)
    layers = [quiet.encode(x=x, y=y, detail="run:N"), lines] if others else [lines]
    ends = float(rows[axis][-1])
    return Drawing(
        alt.layer(*layers).properties(width=520, height=320),
        f"{measure} at every {axis}",
        f"At {axis} {ends:g}: " + ", ".join(f"{run} {value:.3f}" for run, value in _ends(rows, runs)) + ".",
        (f"In colour the {len(named)} runs that are highest at {axis} {ends:g}, the other {others} in grey.",)
        if others
        else (),
    )


def _ends(rows: pl.DataFrame, runs: list[str]) -> list[tuple[str, float]]:
    last = dict(rows.group_by("run").last().select("run", "value").iter_rows())
    return [(run, last[run]) for run in runs]
