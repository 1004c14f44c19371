"""What the leaderboard could be, were ties in another order or more documents judged."""

from __future__ import annotations

from typing import Any, Final

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.app.explorer.questions.runs import MEASURES_REMEMBERED, ranges
from cranfield.lists.possibilities import RANDOM_ORDERS, RELEVANT_SHARES, PossibleMeans, TiedRuns, possible_means
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.scoring.orientation import direction

SHARES_CALLED: Final = tuple(
    {None: "as judged", 0.0: "none", 1.0: "all"}.get(share) or f"{100 * (share or 0):g}%" for share in RELEVANT_SHARES
)
"""What the shares of relevant documents among the unjudged ones are called."""


@remembered(1)
def tied_runs(explored: Explored) -> TiedRuns:
    """Return the runs with their ties, for which those that have some are read once more."""
    return TiedRuns(explored.runs)


@remembered(MEASURES_REMEMBERED)
def possible(explored: Explored, measure: str | None = None) -> PossibleMeans:
    """What would each run's mean be, were ties in another order, or some unjudged documents relevant?"""
    return possible_means(tied_runs(explored), explored.declared(measure))


@remembered(MEASURES_REMEMBERED)
def worth_of_ties(explored: Explored, measure: str | None = None) -> PossibleMeans:
    """What would each run's mean be with the worst documents of each tie first, and with the best?"""
    return possible_means(tied_runs(explored), explored.declared(measure), ties=("worst", "best"), shares=(None,))


def steps(explored: Explored, measure: str | None = None) -> dict[str, Any]:
    """Return all steps as the page reads them: runs, the best first; what the steps are called; means and bounds."""
    found, runs = possible(explored, measure), explored.ordered(measure).runs
    order = [found.runs.index(run) for run in runs]
    bounds, unsure = None, ""
    try:
        bounds = ranges(explored, measure).select("low", "high").to_dict(as_series=False)
    except InputError as error:
        unsure = str(error)
    return {
        "measure": str(found.measure),
        "runs": list(runs),
        "ties": list(found.ties),
        "shares": list(SHARES_CALLED),
        "means": found.means[:, :, order].round(9).tolist(),
        "better": direction(found.measure),
        "bounds": bounds,
        "unsure": unsure,
        "tied": len(tied_runs(explored).tied),
        "open": int(explored.runs.with_retrieved.judgments.candidates.sum()),
        "orders": RANDOM_ORDERS,
        "seed": SEED,
    }


def possible_table(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """Return all steps as a table: columns run, ties, relevant (share of the unjudged; null: they stay so), mean."""
    found = possible(explored, measure)
    rows = [
        (run, tie, share, mean)
        for tie, by_share in zip(found.ties, found.means, strict=True)
        for share, by_run in zip(found.shares, by_share, strict=True)
        for run, mean in zip(found.runs, by_run.tolist(), strict=True)
    ]
    schema = {"run": pl.String, "ties": pl.String, "relevant": pl.Float64, "mean": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")
