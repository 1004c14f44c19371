"""Places of runs by several measures."""

from __future__ import annotations

from cranfield.plots.bumps import bump as panel
from cranfield.plots.bumps import moved, said_of
from cranfield.plots.plot import Drawing, plot
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl


@plot(of="scores", measures=("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)"))
def bump(places: pl.DataFrame) -> Drawing:
    """Which runs change place with the measure, and by how much?

    A column is a measure, a line a run: the best by the measure is on top, and runs with equal means
    share a place. Steep lines are runs that one measure puts before many that another puts before them.
    """
    measures = places["measure"].unique(maintain_order=True).to_list()
    runs = places["run"].n_unique()
    if len(measures) < 2:
        raise InputError(f"bump is of two measures or more, not of {measures[0]} alone; give more with -m")
    if runs < 2:
        raise InputError("bump is of two runs or more; one run has one place")
    rows = places.rename({"measure": "column"})
    return Drawing(
        panel(rows, {measure: _lines(measure) for measure in measures}),
        f"Places of {runs} runs by {len(measures)} measures",
        f"By {', '.join(measures)}, {moved(rows)}.",
        tuple(said_of([rows])),
    )


def _lines(measure: str) -> list[str]:
    """Break the name of a measure before its parameters."""
    name, bracket, rest = measure.partition("(")
    return [name, bracket + rest] if bracket and len(measure) > 14 else [measure]
