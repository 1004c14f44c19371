"""Are the judgments fair to a run that did not contribute to them?"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cranfield.experiments.declared import long_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.formats.teams import read_teams
from cranfield.judged.judgments import is_relevant
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.on_paper import places
from cranfield.statistics.rank_correlation import kendall_tau


@experiment
def reusability(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    teams: Path | None = None,
    pool_depth: Count | None = None,
    work: Work,
) -> Outcome:
    """How much does a run lose if it did not contribute to the pool?

    Each run in turn is left out of the pool: the judged documents that only it retrieved become unjudged, and all runs
    are scored again. With a file of teams, all runs of a team are left out together, since they are often very similar.
    A collection is reusable for new systems if scores and ranks barely change.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures by which runs are scored.
    teams
        A file with two columns, run and team; without it, each run is left out separately.
    pool_depth
        The depth to which runs were pooled: a document counts as retrieved by another run only
        within this depth. By default, anywhere in its list.
    work
        Where progress is shown and kept.

    Tables
    ------
    correlation
        A row for each measure, over all runs or teams left out in turn.
        measure : text
        tau, least_tau : number
            Between the rankings of all runs with and without the documents: the mean and the minimum.
        difference, largest_difference : number
            The absolute change of a run's score: the mean over the runs, and the largest.
        ranks_lost : whole number
            The largest drop in rank.
        run : text
            The run that dropped most; null if none did.
    runs
        A row for each run and measure. A rank is 1 + the number of better runs.
        run : text
        team? : text
        measure : text
        unique_documents, unique_relevant : whole number
            The number of documents left out with the run, and how many of them are relevant.
        score_with, score_without, difference : number
        rank_with, rank_without, ranks_lost : whole number

    Raises
    ------
    InputError
        If there are fewer than two runs or teams, or the file of teams lacks a run.

    Paper: Zobel (1998), "How reliable are the results of large-scale information retrieval
    experiments?"; by team: Voorhees (2001), "The philosophy of information retrieval evaluation".

    Examples
    --------
    Only the first run retrieves document a, and it finds nothing else:

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 1, "c": 0}}
    >>> found = reusability(join(qrels, {"one": {"1": {"a": 1.0}}, "two": {"1": {"c": 2.0, "b": 1.0}}}), "AP")
    >>> found["runs"].select("run", "unique_relevant", "score_with", "score_without", "ranks_lost").rows()
    [('one', 1, 0.5, 0.0, 1), ('two', 1, 0.25, 0.0, 0)]
    """
    asked = number_measures(measures)
    group = list(runs.runs) if teams is None else read_teams(teams, runs.runs)
    names = list(dict.fromkeys(group))
    if len(names) < 2:
        raise InputError(f"all runs belong to {names[0]!r}; leaving one out needs at least two runs (or teams)")
    owner = sole_owners(runs, np.array([names.index(name) for name in group]), pool_depth)
    full, grade = runs.panel(asked), runs.judgments.grade

    def without(code: int) -> pl.DataFrame:
        """Leave out what one group alone has: a row for each of its runs and each measure."""
        alone = owner == code
        reduced = runs.panel(asked, np.where(alone, np.nan, grade))
        members = [i for i, of in enumerate(group) if of == names[code]]
        rank, now = places(full.averages), places(reduced.averages)
        by_run = {
            "score_with": full.means,
            "score_without": reduced.means,
            "difference": reduced.means - full.means,
            "rank_with": rank,
            "rank_without": now,
            "ranks_lost": now - rank,
        }
        relevant = int(is_relevant(grade[alone], runs.grading.rel).sum())
        return pl.DataFrame(
            long_columns({"run": [runs.runs[i] for i in members], "team": [names[code]], "measure": full.measures})
            | {"unique_documents": int(alone.sum()), "unique_relevant": relevant}
            | {column: values[:, members].T.ravel() for column, values in by_run.items()}
            | {"tau": np.tile(kendall_tau(full.averages, reduced.averages), len(members))}
        )

    rows = work.steps(range(len(names)), without)
    alone = owner >= 0
    said = (
        f"{alone.sum():,} of {counted(int((~np.isnan(grade)).sum()), 'judged document')} are left out with one run or "
        f"team; {is_relevant(grade[alone], runs.grading.rel).sum():,} of these are relevant"
    )
    by_run = rows.drop("tau", "team") if teams is None else rows.drop("tau")
    return Outcome({"correlation": _correlation(rows), "runs": by_run}, (said, *full.notes))


def sole_owners(runs: JudgedRuns, group: Integers, pool_depth: int | None = None) -> Integers:
    """Which single group of runs retrieved each judged document?"""
    has = np.zeros((group.max(initial=0) + 1, len(runs.judgments)), bool)
    first = 0
    for batch in runs.batches:
        within = slice(None) if pool_depth is None else batch.rank <= pool_depth
        run = first + batch.row[within] // len(runs.topics)
        has[group[run], batch.judgment[within]] = True
        first += len(batch.runs)
    alone = (has.sum(axis=0) == 1) & ~np.isnan(runs.judgments.grade)
    return np.where(alone, has.argmax(axis=0), -1)


def _correlation(rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each measure; a tau counts once for each group, however many runs it has."""
    size, lost = pl.col("difference").abs(), pl.col("ranks_lost")
    by_group = rows.group_by("measure", "team", maintain_order=True).agg(pl.col("tau").first())
    taus = by_group.group_by("measure", maintain_order=True).agg(pl.col("tau").mean(), least_tau=pl.col("tau").min())
    losses = rows.group_by("measure", maintain_order=True).agg(
        difference=size.mean(),
        largest_difference=size.max(),
        ranks_lost=lost.max(),
        run=pl.when(lost.max() > 0).then(pl.col("run").get(lost.arg_max())),
    )
    return taus.join(losses, on="measure", maintain_order="left")
