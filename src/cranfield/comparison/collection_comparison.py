"""`compare_all`: runs on several collections, tested on each, and on all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Unpack

import numpy as np

from cranfield.comparison.comparing import check_runs, compare_scores, pairs_of
from cranfield.comparison.comparison import Comparison, WithLegend
from cranfield.comparison.methods import CORRECTIONS, TESTS
from cranfield.comparison.p_values import corrected, differences_of, measured
from cranfield.comparison.paragraph import (
    ONE_AT_A_TIME,
    TOGETHER,
    Versus,
    against_baseline,
    best_of,
    findings_of,
    inside,
    intervals_told,
    one_paragraph,
)
from cranfield.comparison.settings import AskedComparison, AskedSettings, Settings
from cranfield.comparison.tables_for_people import Systems, explained
from cranfield.judged.conditions import Asked
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, told_names
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Layout, checked
from cranfield.plumbing.unpacked import part_of
from cranfield.plumbing.wording import confidence, counted, named
from cranfield.results.sheet import Sheet, listed
from cranfield.scoring.collection_scores import OF_ALL, CollectionScores, CollectionsLike, evaluate_all
from cranfield.scoring.judged_runs import Progress
from cranfield.scoring.panel import Panel, did_not_run, panel_of
from cranfield.statistics.conclusions import significant
from cranfield.statistics.effect_size import wins_ties_losses
from cranfield.statistics.intervals import in_one_row, stratified_interval, within
from cranfield.statistics.paired_tests import randomisation_test

TEST_OF_ALL: Final = TESTS["randomisation"]
"""The test over all collections: signs are flipped topic by topic, and no topic changes its collection."""

OF_ALL_COLUMNS: Final = (
    dict.fromkeys(("measure", "run_a", "run_b"), pl.String)
    | {"topics": pl.Int64}
    | dict.fromkeys(("mean_a", "mean_b", "difference", "low", "high"), pl.Float64)
    | dict.fromkeys(("wins", "ties", "losses"), pl.Int64)
    | dict.fromkeys(("statistic", "p", "p_adjusted"), pl.Float64)
    | {"significant": pl.Boolean}
)
"""Those of the comparison across collections."""


def compare_all(
    collections: CollectionsLike,
    measures: MeasureNames | None = None,
    *,
    copied: Mapping[str, Mapping[str, float]] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[AskedComparison],
) -> CollectionComparison:
    """Which runs are better than which, on each of several collections and on all of them?

    On each collection runs are compared as in `compare`. Across collections, the mean over
    collections, each counting once, is tested by flipping signs topic by topic, so that topics stay
    within their collection (a stratified randomisation test), whatever the test on each.

    Parameters
    ----------
    collections, measures, copied, groups, workers, progress
        As for `evaluate_all`. Copied values are shown but not tested.
    **options
        `AskedSettings`, `Asked`

    Returns
    -------
    CollectionComparison : a row for each collection, measure and pair, and the table that papers have.

    Raises
    ------
    InputError
        If there are fewer than two runs, a run, test or correction is unknown, or a collection cannot
        be read.

    Examples
    --------
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(8)}
    >>> good, poor = {t: ["a", "b"] for t in qrels}, {t: ["b", "a"] for t in qrels}
    >>> here, there = (qrels, {"x": good, "y": poor | {"0": ["a"]}}), (qrels, {"x": good, "y": poor | {"1": ["a"]}})
    >>> print(compare_all({"here": here, "there": there}, "RR"))
    On here, x leads y by 0.4375 in RR: a significant difference.
    On there, x leads y by 0.4375 in RR: a significant difference.
    <BLANKLINE>
       run      here     there   average
    a  x    1.0000 b  1.0000 b  1.0000 b
    b  y    0.5625    0.5625    0.5625
    Averages over topics: RR of here (8 topics), there (8 topics). Average: the mean of 2 collections, each counting once.
    Letters: significantly better than the run of that letter, alpha = 0.05: on each collection by the paired t-test, below
    25 topics with sign flips; in the average by the paired randomisation test with topics kept within their collection
    (10,000 resamples, seed 7).
    """  # noqa: E501
    asked = part_of(options, AskedSettings)
    settings = Settings.asked(**asked)
    scores = evaluate_all(
        collections, measures, copied=copied, groups=groups, workers=workers, progress=progress,
        **part_of(options, Asked),
    )  # fmt: skip
    check_runs(scores.runs, settings)
    # What can be compared: two runs or more, the baselines among them, on two topics or more.
    given = scores.scores.items()
    of_each = ((name, panel_of(each, not_run=settings.not_run)) for name, each in given)
    panels = {name: panel for name, panel in of_each if not _lacking(panel, settings)}
    tested = {name: compare_scores(scores.scores[name], **asked) for name in panels}
    # Of shared topics the means shown are those that are tested: over the topics that all runs have.
    shown = {name: each.of_topics(panels[name].topics) if name in panels else each for name, each in given}
    scores = replace(scores, scores=shown)
    ran = [panels[name].runs if name in panels else each.runs for name, each in given]
    common = [run for run in scores.runs if all(run in each for each in ran)]
    return CollectionComparison(scores, tested, _over_all(scores, panels, common, settings), settings)


def _lacking(panel: Panel, settings: Settings) -> str:
    """Name what a collection lacks to be tested; empty where it lacks nothing."""
    gone = [run for run in settings.baseline or () if run not in panel.runs]
    few = {"a second run": panel.runs, "a second topic": panel.topics}
    lacks = [f"the baseline {named(gone)}"] * bool(gone) + [what for what, there in few.items() if len(there) < 2]
    return "; ".join([named(lacks), *did_not_run(panel.not_run, panel.asked_topics)]) if lacks else ""


def _over_all(
    scores: CollectionScores, panels: Mapping[str, Panel], runs: Sequence[str], settings: Settings
) -> pl.DataFrame:
    """Test the mean over collections, of the runs that all have, if it can be: a row for each measure and pair."""
    places = np.flatnonzero(scores.averaged).tolist()
    if len(panels) < len(scores.scores) or len(runs) < 2 or not places or not {*(settings.baseline or ())} <= {*runs}:
        return pl.DataFrame(schema=OF_ALL_COLUMNS)
    pairs = pairs_of(tuple(runs), settings.baseline)
    flat = []
    for panel in panels.values():  # differences as the measures have them, lower ones better where they are
        values = measured(panel)[:, [panel.runs.index(run) for run in runs]][places]
        flat.append(differences_of(values, pairs))
    rows = in_one_row(flat)  # whose mean is the mean over collections: a topic of a small one weighs more
    found = randomisation_test(rows, "two-sided", settings.resamples, settings.seed)
    shape = (len(places), len(pairs[0]))
    p_adjusted = corrected(found.p.reshape(shape), rows, settings.correction_of_others, settings)
    limits = np.stack([next(iter(panels.values())).ends[m] for m in places]).repeat(shape[1], axis=0)
    low, high = (within(ends, limits, differences=True) for ends in stratified_interval(flat, settings.level))
    direction = np.array([scores.direction(m, 0) for m in places]).repeat(shape[1])
    wins, ties, losses = wins_ties_losses(direction[:, np.newaxis] * np.concatenate(flat, axis=1)).T
    means = scores.averages[places][:, [scores.rows.index(run) for run in runs]]
    return pl.DataFrame(
        {
            "measure": np.repeat([scores.measure_of_all(m) for m in places], shape[1]),
            "run_a": np.tile(np.array(runs)[pairs[0]], shape[0]),
            "run_b": np.tile(np.array(runs)[pairs[1]], shape[0]),
            "topics": np.full(len(rows), rows.shape[1]),
            "mean_a": means[:, pairs[0]].ravel(),
            "mean_b": means[:, pairs[1]].ravel(),
            "difference": rows.mean(axis=1),
            "low": pl.Series(low, nan_to_null=True),
            "high": pl.Series(high, nan_to_null=True),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "statistic": found.statistic,
            "p": found.p,
            "p_adjusted": p_adjusted.ravel(),
            "significant": significant(p_adjusted, settings.alpha).ravel(),
        },
        schema=OF_ALL_COLUMNS,
    )


_OPENED: Final = 5  # Verdicts of up to this many collections stand above the table


@dataclass(frozen=True, eq=False, repr=False)
class CollectionComparison(WithLegend):
    """Which runs are better than which, on each collection and on all.

    Attributes
    ----------
    scores
        The scores on each collection.
    tested
        The comparison on each collection that has two runs and topics, and the baseline.
    of_all
        The comparison across collections: a row for each measure and pair of runs that all collections
        have; none if there is no average to test.
    settings
        Test, correction, alpha and so on, as used.
    """

    scores: CollectionScores
    tested: Mapping[str, Comparison]
    of_all: pl.DataFrame
    settings: Settings

    def __repr__(self) -> str:
        return (
            f"CollectionComparison({counted(len(self.tested), 'collection')}, {counted(len(self.scores.runs), 'run')})"
        )

    def __getitem__(self, collection: str) -> Comparison:
        if collection not in self.tested:
            raise InputError(f"no runs were compared on {collection!r}; choose from {listed(list(self.tested))}")
        return self.tested[collection]

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return the long table, a row for each collection, measure and pair of runs.

        Columns: collection, and those of `Comparison.to_polars`. The mean over all collections has the
        collection ``all``: of its columns those are empty that are of one collection.
        """
        chance = not self._exact
        overall = self.of_all.with_columns(
            test=pl.lit("randomisation within collections"),
            correction=pl.lit(self.settings.correction_of_others),
            **{name: pl.lit(getattr(self.settings, name)) for name in ("family", "alpha", "level")},
            resamples=pl.lit(self.settings.resamples if chance else None, dtype=pl.Int64),
            seed=pl.lit(self.settings.seed if chance else None, dtype=pl.Int64),
        )
        tables = [*((name, each.to_polars()) for name, each in self.tested.items()), (OF_ALL, overall)]
        named = [table.select(pl.lit(name).alias("collection"), pl.all()) for name, table in tables]
        return pl.concat(named, how="diagonal_relaxed")

    @property
    def _exact(self) -> bool:
        """Whether all signs were tried in the test over all collections."""
        return bool(2.0 ** sum(len(each.topics) for each in self.scores.scores.values()) <= self.settings.resamples)

    def table(self, *, layout: Layout = "systems", **which: object) -> pl.DataFrame:
        """Return the table that people read: a row for each run, or with ``layout="pairs"`` for each pair."""
        if checked("layout", layout, Layout) == "systems":
            return self.scores.table()
        columns = ("collection", "measure", "run_a", "run_b", "mean_a", "mean_b", "difference", "low", "high")
        return self.to_polars().select(*columns, "p", "p_adjusted", "significant")

    def sheet(self, *, layout: Layout = "systems", **which: object) -> Sheet:
        """Return what people see: means with marks, the best in bold, the second best underlined."""
        if checked("layout", layout, Layout) == "pairs":
            return Sheet.of(self.shortly().table(layout=layout), keys=4, caption=self.caption(layout=layout))
        systems = self._systems()
        return self.scores.shortly().laid_out(self.caption(), systems.labels, systems.marked)

    def shortly(self) -> CollectionComparison:
        """Return it with its measures called as tables for people call them, the same on all collections."""
        scores = self.scores.shortly()
        tested = {name: each.with_measures(scores[name].measures) for name, each in self.tested.items()}
        names = {self.scores.measure_of_all(m): scores.measure_of_all(m) for m in range(len(scores.measures[0]))}
        of_all = self.of_all.with_columns(pl.col("measure").replace(names))
        return replace(self, scores=scores, tested=tested, of_all=of_all)

    def _systems(self) -> Systems:
        """Lay the answers of all comparisons out, a column of the table each."""
        places, rows = list(self.scores.table_columns()), self.scores.rows
        shape = (len(places), len(rows), len(rows))
        beaten, equivalent, not_worse = (np.zeros(shape, np.bool_) for _ in range(3))
        for at, place in enumerate(places):
            if place.collection is None:
                beaten[at] = self._beaten_in_all(place.measure)
            elif place.collection in self.tested:
                found = self.tested[place.collection].systems()
                here = np.ix_([at], *[[rows.index(run) for run in found.runs]] * 2)
                beaten[here] = found.beaten[place.measure]
                equivalent[here] = found.equivalent[place.measure]
                not_worse[here] = found.not_worse[place.measure]
        baselines = self.settings.baseline or ()
        return Systems(
            rows, tuple(place.name for place in places),
            np.array([place.values for place in places]), np.array([place.sign for place in places]),
            beaten, equivalent, not_worse, rows.index(baselines[0]) if len(baselines) == 1 else None,
            copied=len(self.scores.copied),
        )  # fmt: skip

    def _beaten_in_all(self, m: int) -> Booleans:
        """Array of shape (rows, rows): whether the mean over all collections of the first is significantly better."""
        rows, sign = self.scores.rows, self.scores.direction(m, 0)
        beaten = np.zeros((len(rows), len(rows)), np.bool_)
        found = self.of_all.filter(pl.col("significant"), pl.col("measure") == self.scores.measure_of_all(m))
        for one, other, difference in found.select("run_a", "run_b", "difference").iter_rows():
            first, second = (one, other) if sign * difference > 0 else (other, one)
            beaten[rows.index(first), rows.index(second)] = True
        return beaten

    def sorted_by(self, measure: str | Measure | None = None) -> CollectionComparison:
        """Return the same with the runs in order, the best average first, as `CollectionScores.sorted_by` does it."""
        return replace(self, scores=self.scores.sorted_by(measure))

    def caption(self, *, layout: Layout = "systems", **which: object) -> str:
        """Say what the table shows, and by which tests."""
        asked = self.settings
        if not self.tested:
            return f"{self.scores.caption()} Nothing was tested."
        marks, equal = explained(len(self.scores.runs), asked.baseline, asked.margin)
        if layout == "pairs":
            marks, equal = "Differences of means", ""
        told = f"{marks}, alpha = {asked.alpha:g}: {self._how}"
        level = f" Low to high: {confidence(asked.level)} interval, which holds {self._holding}." * (layout == "pairs")
        return f"{self.scores.caption()} {told}{equal and f'{equal}, {self._where}'}.{level}"

    def opening(self, **which: object) -> tuple[str, ...]:
        """Return the verdict on each collection, of five at most."""
        found = [(name, each.opening()) for name, each in self.tested.items()]
        told = [f"On {name}, {inside(says[0])}" for name, says in found if says]
        more = [f"The table has {counted(len(told) - _OPENED, 'more collection')}."] * (len(told) > _OPENED)
        return (*told[:_OPENED], *more)

    def paragraph(self) -> str:
        """Return what was found as a paper says it: plain sentences in one line, as `Comparison.paragraph` has them.

        Against a baseline, or of two runs, a sentence for each measure and run: in the average first, then on each
        collection. Otherwise the best run in the average by each measure, then on each collection.
        """
        return self.shortly()._told()

    def _told(self) -> str:
        asked, sizes = self.settings, {name: len(each.topics) for name, each in self.scores.scores.items()}
        average, of_each = self._average_findings(), {name: each.findings() for name, each in self.tested.items()}
        told, baselines = [], asked.baseline or ()
        by_run = bool(baselines) or len(self.scores.runs) == 2
        for m, place in enumerate(average):
            measure = self.scores.measure_of_all(m)
            if by_run:
                order = [run for run in self.scores.sorted_by(measure).rows if run in self.scores.runs]
                places = [
                    place,
                    *(
                        {run: [each._replace(where=f"on {name}") for each in those] for run, those in found[m].items()}
                        for name, found in of_each.items()
                    ),
                ]
                for baseline in baselines or order[1:]:
                    others = [run for run in order if run != baseline]
                    told += [f"By {measure}, {said}" for said in against_baseline(baseline, others, places)]
            elif place:
                means = self.scores.averages[m][[self.scores.rows.index(run) for run in place]]
                where = f"by {measure} in the average"
                told.append(best_of([*place], means, self.scores.direction(m, 0) * means, place, where))
        if not by_run:
            for name, each in self.tested.items():
                told += [f"On {name}, {inside(said)}" for said in each.sentences(of_each[name])]
        return one_paragraph(
            f"The runs are compared on {counted(len(sizes), 'collection')}: "
            + named([f"{name} with {counted(many, 'topic')}" for name, many in sizes.items()]),
            *told,
            f"Nothing can be tested on {named([*self._untested])}" if self._untested else "",
            f"At alpha = {asked.alpha:g}, differences are tested {self._how}" if self.tested else "",
            intervals_told(
                [*average, *(each for found in of_each.values() for each in found)], asked.level, self._holding
            ),
            told_names(each for measures in self.scores.measures for each in measures).removesuffix("."),
        )  # fmt: skip

    def _average_findings(self) -> list[dict[str, list[Versus]]]:
        """Return, for each measure, what was found in the average; nothing where there is none."""
        names = [self.scores.measure_of_all(m) for m in range(len(self.scores.measures[0]))]
        rows = (self.of_all.filter(pl.col("measure") == name) for name in names)
        return [findings_of(found, "in the average", self.scores.direction(m, 0)) for m, found in enumerate(rows)]

    @property
    def _how(self) -> str:
        """By which tests and corrections runs were compared, on each collection and in the average."""
        asked = self.settings
        few = asked.confirmed(min((each.units for each in self.tested.values()), default=0))
        several = max((each.differences.height for each in self.tested.values()), default=0) > 1
        told = f"{self._where} by {asked.of_each_collection(few, several=several)}{self._counted_out}"
        if self.of_all.height:
            others = CORRECTIONS[asked.correction_of_others].words
            others += " over its comparisons" * (asked.correction_of_others != "none")
            others = f", {others}" * (self.of_all.height > 1)
            told += f"; in the average by the {TEST_OF_ALL.words} with topics kept within their collection{others}"
            told += f" ({'exact' if self._exact else f'{asked.resamples:,} resamples, seed {asked.seed}'})"
        return told

    @property
    def _holding(self) -> str:
        """Of what the intervals hold."""
        if self.settings.kind.intervals != "own":
            return ONE_AT_A_TIME
        return f"{self._where} {TOGETHER}" + f", in the average {ONE_AT_A_TIME}" * (self.of_all.height > 0)

    @property
    def _untested(self) -> dict[str, str]:
        """Where nothing was tested, and what that lacks."""
        given = ((name, each) for name, each in self.scores.scores.items() if name not in self.tested)
        return {name: _lacking(panel_of(each, not_run=self.settings.not_run), self.settings) for name, each in given}

    @property
    def _where(self) -> str:
        return f"on {named([*self.tested])}" if self._untested else "on each collection"

    @property
    def _counted_out(self) -> str:
        """Say on which collections all signs were tried, and how many were drawn on the others, where some may be."""
        asked, exact = self.settings, [name for name, each in self.tested.items() if each.exact]
        if len(exact) == len(self.tested) > 0:
            return " (exact)"
        but = f", exact on {listed(exact)}" if exact else ""
        return f" ({counted(asked.resamples, 'resample')}, seed {asked.seed}{but})" if asked.random else ""

    def remarks(self) -> tuple[str, ...]:
        """Return the notes of all comparisons, with the collection in front, and where nothing was tested."""
        said = list[str]()
        untested = self._untested
        for name in self.scores.collections:
            lacks = (f"nothing was tested; it lacks {untested[name]}",) if name in untested else self.tested[name].notes
            said += (f"{name}: {note}" for note in lacks)
        if self.scores.averaged.any() and not self.of_all.height:
            why = f"nothing was tested on {named([*untested])}" if untested else "the collections share too few runs"
            said.append(f"the average was not tested: {why}")
        elif self.scores.averaged.any() and np.isnan(self.scores.averages[:, : len(self.scores.runs)]).any():
            said.append("the average compares only runs that all collections have")
        return tuple(said)
