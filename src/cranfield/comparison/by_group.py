"""Comparisons group by group: where does the better run lose?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from cranfield.comparison.comparing import (
    against_margin,
    check_comparable,
    differences_by_pair,
    oriented_rows,
    pairs_of,
)
from cranfield.comparison.methods import CORRECTIONS
from cranfield.comparison.p_values import Pairs, Tested, differences_of, measured, tested
from cranfield.comparison.settings import AskedSettings, Settings
from cranfield.comparison.tables_for_people import pairs_table
from cranfield.formats.score_tables import ScoresLike
from cranfield.formats.unmet import settled
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Topics
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import OneTable
from cranfield.scoring.clusters import Clusters, ClustersLike
from cranfield.scoring.grouping import Group, GroupsLike, TopicGroups, groupings_of, of_groups
from cranfield.scoring.panel import Panel, panel_of
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.conclusions import Paired, Together, significant
from cranfield.statistics.multiple_comparisons import adjust

_TESTED = ("low", "high", "effect", "statistic", "p", "p_adjusted", "detectable")
"""Columns that are null for groups too small to be tested."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupComparison(OneTable, schema="compare"):
    """Which runs are better than which in each group of topics: all results, and a shorter table for people.

    Attributes
    ----------
    level
        Confidence of the intervals.
    """

    level: float = 0.95

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people: group, topics, and the columns of a comparison pair by pair."""
        pairs = pairs_table(self.rows, self.level)
        of = self.rows.select("grouping", "group", "topics")
        return pl.concat([of, pairs], how="horizontal").select(
            "grouping", "group", "topics", pl.exclude("grouping", "group", "topics", "effect", "size")
        )


def compare_groups(
    scores: Scores | ScoresLike,
    groups: GroupsLike | TopicGroups,
    *,
    topics: Topics | None = None,
    weights: WeightsLike | TopicWeights | None = None,
    clusters: ClustersLike | Clusters | None = None,
    columns: NamesLike | None = None,
    **settings: Unpack[AskedSettings],
) -> GroupComparison:
    """Which runs are better than which in each group of topics, and could the difference be chance?

    Every pair is tested on the topics of each group alone, and p-values are corrected over all groups, pairs and
    measures at once (with ``family="measure"`` over the groups and pairs of each measure).

    Parameters
    ----------
    scores, topics, weights, clusters
        As in `compare_scores`. A group with topics of a single cluster is too small to be tested.
    groups
        As in `Scores.by_group`.
    columns
        What the columns of groups, weights and clusters are called: ``{"group": "country"}``.
    **settings
        `AskedSettings`

    Returns
    -------
    GroupComparison
        A row for each group, measure and pair: grouping, group, and the columns of a `Comparison`; and too_small, of
        groups of three topics or fewer, or of one cluster, which have differences and no test.

    Raises
    ------
    InputError
        As `compare_scores`, and where a test is asked for that takes all runs together, or a correction that
        resamples: neither is one of p-values over groups.

    Examples
    --------
    >>> table = pl.DataFrame([(run, str(t), "AP", t * slope + t % 2) for run, slope in (("x", 0.2), ("y", 0.1))
    ...                       for t in range(10)], schema=["run", "topic", "measure", "value"], orient="row")
    >>> found = compare_groups(table, {str(t): "odd" if t % 2 else "even" for t in range(10)})
    >>> found.to_polars().select("group", "topics", "difference", "p", "p_adjusted").rows()  # .1, .3, .5, .7, .9
    [('even', 5, 0.4..., 0.0474..., 0.125), ('odd', 5, 0.5, 0.0241..., 0.125)]
    """
    naming = settled(Naming.of(columns), groups, weights, clusters)
    asked, taken = Settings.asked(**settings), TopicGroups.taken(groups, naming)
    if asked.kind.joint or CORRECTIONS[asked.correction].random:
        what = f"the test {asked.test}" if asked.kind.joint else f"the correction {asked.correction}"
        raise InputError(f"p-values are corrected over groups, and {what} takes all runs of one group together; "
                         "take a test of pairs, such as t, and a correction of p-values, such as holm")  # fmt: skip
    panel = panel_of(scores, topics, not_run=asked.not_run)
    panel = panel if weights is None else replace(panel, weights=TopicWeights.taken(weights, naming))
    panel = panel.drawn_in(None if clusters is None else Clusters.taken(clusters, naming))
    clustered = panel.clusters is not None
    asked.refuse_unequal(weighted=panel.weights is not None, clustered=clustered)
    check_comparable(panel, asked)
    pairs, picked = pairs_of(panel.runs, asked.baseline), taken.of(panel.topics, panel.weights)
    parts = [panel.of_topics(group.topics) for group in picked]
    tables = [_of_pairs(part, group, pairs, asked) for part, group in zip(parts, picked, strict=True)]
    rows = of_groups(pl.concat(tables, how="diagonal"), picked).drop("of_topics")
    small = np.repeat(
        [group.small or part.units < 2 for part, group in zip(parts, picked, strict=True)], len(tables[0])
    )
    rows = rows.with_columns(pl.Series("too_small", small))
    rows = _corrected_over_groups(rows.select(pl.exclude("too_small"), "too_small"), asked)
    if asked.margin is not None:
        rows = _against_margin(rows, parts, pairs, asked)
    weighted = "" if panel.weights is None else f", {panel.weights.described(panel.topics)}"
    tests = int(rows["p"].is_not_null().sum())
    correction = f"{CORRECTIONS[asked.correction].words} over {counted(tests, 'comparison')}, " * (tests > 1)
    correction = correction.replace(", ", " by measure, ") if asked.family == "measure" else correction
    few = asked.confirmed(min(part.units for part in parts), panel.unit)
    says = (
        f"Differences of means by {groupings_of(picked)}{weighted} "
        f"({asked.kind.of_clusters if clustered else asked.kind.words}, two-sided, "
        f"{f'{few}, ' * bool(few)}{correction}alpha = {asked.alpha:g})."
    )
    notes = (*panel.notes, *taken.notes(panel.topics, panel.weights), *_against(rows, panel))
    return GroupComparison(rows, says, notes, 6, level=asked.level)


def _of_pairs(panel: Panel, group: Group, pairs: Pairs, asked: Settings) -> pl.DataFrame:
    """Test all pairs in one group, uncorrected; a group that is too small has differences alone."""
    single = replace(asked, correction="none", margin=None)
    if not group.small and panel.units > 1:
        return differences_by_pair(panel, pairs, single, tested(panel, pairs, single))
    panel = replace(panel, clusters=None)
    if len(panel.topics) < 2:
        panel = replace(panel, topics=panel.topics * 2, values=np.repeat(panel.values, 2, axis=-1), limits=None)
    nothing = np.ones((len(panel.measures), len(pairs[0])))
    untested = Tested(nothing, nothing, nothing, nothing, nothing, (), exact=False)
    table = differences_by_pair(panel, pairs, single, untested)
    empty = [pl.lit(None, dtype=pl.Float64).alias(name) for name in _TESTED if name in table.columns]
    times = len(panel.topics) // len(group.topics)  # a single topic was laid out twice
    return table.with_columns(*empty, *(pl.col(name) // times for name in ("topics", "wins", "ties", "losses")))


def _corrected_over_groups(rows: pl.DataFrame, asked: Settings) -> pl.DataFrame:
    """Correct the p-values of all groups at once, or those of each measure."""
    p, adjusted = rows["p_adjusted"].to_numpy(), np.full(rows.height, np.nan)  # alone, confirmed where topics are few
    families = rows["measure"].to_numpy() if asked.family == "measure" else np.zeros(rows.height)
    for family in dict.fromkeys(families.tolist()):
        at = np.flatnonzero((families == family) & ~np.isnan(p))
        if len(at):
            adjusted[at] = adjust(p[at], asked.correction)  # type: ignore[arg-type]
    corrected = pl.Series("p_adjusted", adjusted, nan_to_null=True)
    found = significant(corrected.fill_null(1.0).to_numpy(), asked.alpha)
    return rows.with_columns(corrected, pl.Series("significant", found))


def _against_margin(rows: pl.DataFrame, parts: Sequence[Panel], pairs: Pairs, asked: Settings) -> pl.DataFrame:
    """Ask the same against the margin, corrected in the same way; groups that are too small are not asked."""
    measures, many = len(parts[0].measures), len(pairs[0])
    place = np.arange(rows.height).reshape(len(parts), measures, many)
    large = [at for at in range(len(parts)) if not rows["too_small"][int(place[at, 0, 0])]]
    if not large:
        return rows
    laid = [oriented_rows(differences_of(measured(parts[at]), pairs), parts[at]) for at in large]
    families, asked_at = [laid], place[large]  # group by group, or measure by measure
    if asked.family == "measure":
        of_measures = zip(*(np.split(each, measures) for each in laid), strict=True)
        families, asked_at = [list(each) for each in of_measures], asked_at.swapaxes(0, 1)
    of = [parts[at] for at in large]
    together = [
        Together([Paired(*part.by_unit(rows)) for rows, part in zip(family, of, strict=True)]) for family in families
    ]
    told = pl.DataFrame(against_margin(together, asked)).with_columns(pl.Series("place", asked_at.ravel()))
    found = rows.with_columns(pl.Series("place", place.ravel()))
    return found.join(told, on="place", how="left", maintain_order="left").drop("place")


def _against(rows: pl.DataFrame, panel: Panel) -> Iterator[str]:
    """Say where the run that is ahead on all topics is significantly behind in a group."""
    better = dict(zip(panel.measures, panel.direction.tolist(), strict=True))
    means = {(m, run): panel.means[i, j] for i, m in enumerate(panel.measures) for j, run in enumerate(panel.runs)}
    found = []
    for row in rows.filter("significant").iter_rows(named=True):
        ahead = better[row["measure"]] * (means[row["measure"], row["run_a"]] - means[row["measure"], row["run_b"]])
        if ahead * better[row["measure"]] * row["difference"] < 0:
            best, other = (row["run_a"], row["run_b"]) if ahead > 0 else (row["run_b"], row["run_a"])
            found.append(f"{best} behind {other} in {row['grouping']} {row['group']} by {row['measure']}")
    if found:
        yield f"ahead over all topics, but significantly behind in a group: {named(found)}"
