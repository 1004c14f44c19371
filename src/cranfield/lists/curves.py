"""Curves: a measure at every rank, of runs and of the ideal list next to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.audit import Audit, Audited, RunAudit
from cranfield.judged.conditions import Asked, Conditions
from cranfield.judged.judgments import Judgments
from cranfield.judged.population import Population
from cranfield.judged.rankings import JudgedRankings, full_scale_rankings, worst_rankings
from cranfield.measures.framework.measure import RANKED, Measure
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.measures.framework.names import parse_measures, told_names
from cranfield.plots import Material
from cranfield.plumbing.arrays import Booleans, Floats, ratio
from cranfield.plumbing.averaging import settled, summable
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Average, Beside, Count, Depth, checked
from cranfield.plumbing.tables import AVERAGE
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.results.sheet import Sheet, SheetColumn, best_rows
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.judged_runs import JudgedRuns, Opened, Progress, knowing, opened
from cranfield.scoring.orientation import direction
from cranfield.statistics.on_paper import EQUAL

IDEAL_LIST = "ideal"
_LAST_RANK = 100  # Where curves end by default
MEANT: dict[str, str] = {
    "full-scale": "that list reversed, after unjudged documents",
    "worst": "no judged documents",
    "reranked": "the run's own documents in the best order",
}
"""What these lists are, in words."""
MOST_VALUES = 50_000_000
"""How many values of one call there may be: a billion bytes, with everything made of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Audited):
    """A measure at every rank (or recall level), for runs, topics, and the ideal list of each topic.

    Attributes
    ----------
    measure
        The measure.
    runs, topics
        Names of the runs in the order given, and of the topics in the order of the qrels.
    at
        The positions of the values: ranks from 1 on, or recall levels.
    values, ideal
        Arrays of shape (runs, topics, points) and (topics, points).
    averages, ideal_average
        Arrays of shape (runs, points) and (points,): over the topics.
    beside
        The reference lists besides the ideal.
    beside_values, beside_averages
        Arrays of shape (lists, topics, points) and (lists, points): a list of each kind, or one of
        each run where the lists are reranked.
    present
        Array of shape (runs, topics): whether the run has the topic.
    conditions
        How the runs were read and the judgments used.
    audit
        The audit of the runs and the qrels.
    """

    measure: Measure
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    at: Floats
    values: Floats
    ideal: Floats
    averages: Floats
    ideal_average: Floats
    beside: tuple[Beside, ...]
    beside_values: Floats
    beside_averages: Floats
    present: Booleans
    conditions: Conditions
    audit: Audit

    def __repr__(self) -> str:
        return (
            f"Curves({self.measure}: {counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}, "
            f"{counted(len(self.at), 'point')})"
        )

    @property
    def axis(self) -> str:
        """What the points are called: rank, or recall."""
        return "rank" if self.measure.at in RANKED else self.measure.at

    @cached_property
    def means(self) -> pl.DataFrame:
        """Averages over topics: columns run (the ideal and others last), topic (``all``), rank, measure, value."""
        every = np.concatenate([self.averages, self.ideal_average[None], self.beside_averages])
        return self._long(self._names, [AVERAGE], every[:, None])

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """Curves of each topic: columns run (the ideal and others last), topic, rank, measure, value."""
        every = np.concatenate([self.values, self.ideal[None], self.beside_values])
        some = self.counted.any(axis=0, keepdims=True)
        of_others = [self.counted if kind == "reranked" else some for kind in self.beside]
        there = np.concatenate([self.counted, some, *of_others])
        return self._long(self._names, self.topics, every).filter(np.repeat(there.ravel(), len(self.at)))

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the long table."""
        return self.per_topic if per_topic else self.means

    def table(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return a row for each rank, a column for each run and the ideal; by topic the long table."""
        return self.per_topic if per_topic else self.means.pivot("run", index=self.axis, values="value")

    def sheet(self, *, per_topic: bool = False, **which: object) -> Sheet:
        """Return the table as displayed, the best run of each rank in bold."""
        if per_topic:
            return super().sheet(per_topic=True)
        at = self.at.astype(np.int64) if self.axis == "rank" else self.at
        best = [best_rows(values, direction(self.measure)) for values in self.averages.T.tolist()]
        columns = [
            SheetColumn(run, values, True, frozenset(row for row, runs in enumerate(best) if r in runs))
            for r, (run, values) in enumerate(zip(self.runs, self.averages.tolist(), strict=True))
        ]
        ideal = SheetColumn(IDEAL_LIST, self.ideal_average.tolist(), numeric=True)
        others = (
            SheetColumn(name, values, numeric=True)
            for name, values in zip(beside_names(self.runs, self.beside), self.beside_averages.tolist(), strict=True)
        )
        return Sheet((SheetColumn(self.axis, at.tolist(), numeric=True), *columns, ideal, *others), 1, self.caption())

    def keys(self, *, per_topic: bool = False, **which: object) -> int:
        """Return how many columns say what a row is: the rank; or run, topic, rank and measure."""
        return 4 if per_topic else 1

    def caption(self, *, per_topic: bool = False, **which: object) -> str:
        """Say what the curves are."""
        over = f"Topic {self.topics[0]}" if len(self.topics) == 1 else f"Averages over {self.population}"
        over = "By topic" if per_topic else over
        under = "".join(f"; {each}" for each in self.conditions.described())
        beside = "".join(f"; {name}: {MEANT[name]}" for name in self.beside)
        told = f"{self.measure} at every {self.axis}. {over}{under}; {IDEAL_LIST}: the best possible list{beside}."
        return f"{told} {told_names([self.measure])}".rstrip()

    def material(self) -> Material:
        """Return what figures are drawn from: averages, distances to the ideal, and what stands next to the runs."""
        tables = {
            "means": lambda: self.means,
            "distances": lambda: self.distances().rows.select(pl.lit(str(self.measure)).alias("measure"), pl.all()),
            "beside": self._beside_table,
        }
        alone = self.topics[0] if len(self.topics) == 1 else None
        return Material("curves", tables, self.caption().partition(". ")[2], alone)

    def _beside_table(self) -> pl.DataFrame:
        """Name the lists that are no runs, the ideal first, and where that levels off."""
        lists = [IDEAL_LIST, *self.beside]
        levels = pl.Series([self.levels_off, *[None] * len(self.beside)], dtype=pl.Int64)
        return pl.DataFrame({"measure": [str(self.measure)] * len(lists), "list": lists, "levels_off": levels})

    def rank_reaching(self, after: int, *, of: str = IDEAL_LIST, per_topic: bool = False) -> pl.DataFrame:
        """How many documents must be examined to reach the value of another list after a few?

        This reads the averaged curves horizontally: the first rank at which each run's curve is as
        high as that of ``of`` (the ideal, or a run) after ``after`` documents; or the curves of each
        topic.

        Returns
        -------
        Table with columns run, (by topic) topic, rank; the rank is null if the curve does not reach
        it, and 1 if there is nothing to reach.

        Paper: Järvelin and Kekäläinen, the horizontal distance between curves.

        >>> found = curve({"1": {"a": 1, "b": 1}}, {"slow": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}}, "CG", last_rank=3)
        >>> found.rank_reaching(1).rows(), found.rank_reaching(2).rows()
        ([('slow', 2)], [('slow', 3)])
        >>> found.rank_reaching(2, per_topic=True).rows()
        [('slow', '1', 3)]
        """
        curves = self.values if per_topic else self.averages[:, None]
        reference, there = self._curves(of, per_topic=per_topic)
        after = checked("after", after, Count)
        if after > len(self.at):
            raise InputError(f"after must be from 1 to {len(self.at)}, where the curves end, not {after}")
        reached = _as_high(curves, reference[:, after - 1, None])
        table = pl.DataFrame(
            {
                "run": np.repeat(np.array(self.runs, dtype=object), curves.shape[1]),
                "topic": (list(self.topics) if per_topic else [AVERAGE]) * len(self.runs),
                "rank": np.where(reached.any(axis=2), reached.argmax(axis=2) + 1, 0).ravel(),
            },
            schema={"run": pl.String, "topic": pl.String, "rank": pl.Int64},
        ).with_columns(pl.col("rank").replace(0, None))
        return table.filter((self.counted & there).ravel()) if per_topic else table.drop("topic")

    @property
    def levels_off(self) -> int | None:
        """The rank from which on the ideal does not rise: beyond it there is nothing to be gained.

        It is None where the ideal still rises at the last rank, so that nothing is known.

        >>> few, run = {"1": {"a": 2, "b": 1, "x": 0}}, {"mine": {"1": {"a": 1.0}}}
        >>> [curve(few, run, "CG", last_rank=k).levels_off for k in (1, 2, 3)]  # the ideal has 2, 3, 3
        [None, None, 2]
        """
        first = int(_as_high(self.ideal_average, self.ideal_average[-1]).argmax()) + 1
        return first if self.axis == "rank" and first < len(self.at) else None

    def distances(self, to: str = IDEAL_LIST, *, per_topic: bool = False) -> OneTable:
        """How far does each run stay below the ideal, or below another run, at every rank?

        This reads the averaged curves vertically, or those of each topic: the missing gain shows
        the effort wasted on less than perfect documents.

        Parameters
        ----------
        to
            The ideal, or the name of a run.
        per_topic
            Whether to return the distances of each topic instead of those of the averages.

        Returns
        -------
        OneTable
            A row for each (topic,) rank and run: (topic,) rank, run, value, reference (the value of
            ``to``), below (reference - value, in points of the measure), per_cent (of the
            reference; null where that is 0) and later (how many documents earlier the reference
            reaches as much, the horizontal distance; null if it does not, or does not rise from
            rank to rank). Its notes give the range of each run, and where the averaged ideal levels
            off.

        Raises
        ------
        InputError
            If the run does not exist, or there is none to compare with it.

        Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques",
        TOIS 20(4): the vertical and the horizontal distance between curves.

        >>> few, run = {"1": {"a": 3, "b": 1}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}}
        >>> found = curve(few, run, "CG", last_rank=3).distances()
        >>> found.to_polars().select("rank", "below", "per_cent", "later").rows()
        [(1, 2.0, 66.66666666666667, 0), (2, 0.0, 0.0, 0), (3, 0.0, 0.0, 1)]
        >>> found.notes  # doctest: +NORMALIZE_WHITESPACE
        ('mine is 0 to 2 below ideal, most at rank 1; or 0 to 66.7%, most at rank 1',
         'the ideal levels off at rank 2')
        """
        others = [run for run in self.runs if run != to]
        self._curves(to, per_topic=per_topic)  # which there must be
        if not others:
            raise InputError(f"{to} is the only run; name another, or {IDEAL_LIST!r}")
        every, point = self.to_polars(per_topic=per_topic), ["topic", self.axis]
        reference = every.filter(pl.col("run") == to).select(*point, reference="value")
        runs = every.filter(pl.col("run").is_in(others)).select(*point, "run", "value")
        below = pl.col("reference") - pl.col("value")
        per_cent = pl.when(pl.col("reference") != 0).then(100 * below / pl.col("reference"))
        rows = reference.join(runs, on=point, maintain_order="left_right").select(
            *point, "run", "value", "reference", below=below, per_cent=per_cent
        )
        rows = rows.with_columns(later=self._later(rows))
        notes = [self._range(run, rows.filter(pl.col("run") == run), to) for run in others]
        notes += filter(None, [told_names([self.measure]).removesuffix(".")])
        if per_topic:
            says = f"How far runs are below {to} by {self.measure}, by topic."
            return OneTable(rows, says, tuple(notes), index=3)
        if to == IDEAL_LIST and self.axis == "rank":
            level = self.levels_off
            notes.append(
                f"the ideal levels off at rank {level}" if level else f"the ideal still rises at rank {self.at[-1]:g}"
            )
        says = f"How far runs are below {to} by {self.measure}, averaged over {self.population}."
        return OneTable(rows.drop("topic"), says, tuple(notes), index=2)

    def _later(self, rows: pl.DataFrame) -> pl.Series:
        """How many documents sooner does the reference have as much? Null where there is no answer."""
        later = np.full(rows.height, np.nan)
        for (_,), part in rows.with_row_index("row").group_by("topic") if self.axis == "rank" else ():
            reference = part.unique("rank").sort("rank")["reference"].to_numpy()
            had = np.concatenate([[0.0], reference])  # after no document, and after each
            if (np.diff(had) < 0).any() or reference[0] == reference[-1]:
                continue
            values = part["value"].to_numpy()
            sooner = np.searchsorted(had, values - 1e-12 * np.abs(values))
            later[part["row"]] = np.where(sooner < len(had), part["rank"] - sooner, np.nan)
        return pl.Series(later, nan_to_null=True).cast(pl.Int64)

    def _range(self, run: str, rows: pl.DataFrame, to: str) -> str:
        """Say between what the distance lies, and where it is greatest."""
        if not rows.height:
            return f"{run} has no topic of {to}"
        below = rows["below"].to_numpy()
        if below.max() < EQUAL:
            above = f", and up to {-below.min():.4g} above" if below.min() < -EQUAL else ""
            return f"{run} is never below {to}{above}"
        said = f"{run} is {below.min():.4g} to {below.max():.4g} below {to}, most at {self._most(rows, 'below')}"
        shares = rows.drop_nulls("per_cent")
        if not shares.height:
            return said
        share = shares["per_cent"].to_numpy()
        return f"{said}; or {share.min():.3g} to {share.max():.3g}%, most at {self._most(shares, 'per_cent')}"

    def _most(self, rows: pl.DataFrame, column: str) -> str:
        """Say at which point, and of which topic, the column is largest."""
        [most] = rows[int(rows[column].to_numpy().argmax())].select("topic", self.axis).rows()
        return f"{self.axis} {most[1]:g}" + (f" of topic {most[0]}" if most[0] != AVERAGE else "")

    def _curves(self, of: str, *, per_topic: bool) -> tuple[Floats, Booleans]:
        """Return the curves of the ideal or a run, by topic or averaged: by line and point, and which of them count."""
        if of != IDEAL_LIST and of not in self.runs:
            raise InputError(f"no run {of!r}; choose from {', '.join([*self.runs, IDEAL_LIST])}")
        if of == IDEAL_LIST:
            return (self.ideal if per_topic else self.ideal_average[None]), np.asarray(self.counted.any(axis=0))
        run = self.runs.index(of)
        return (self.values[run] if per_topic else self.averages[run][None]), self.counted[run]

    @cached_property
    def population(self) -> Population:
        """The topics that count in the averages; reference lists are averaged over those that count for some run."""
        return Population.where(self.counted, self.topics)

    @property
    def counted(self) -> Booleans:
        """Array of shape (runs, topics): which topics count in the averages."""
        return self.present | (self.conditions.reading.topics == "all")

    @property
    def _names(self) -> list[str]:
        return [*self.runs, IDEAL_LIST, *beside_names(self.runs, self.beside)]

    def _long(self, runs: list[str], topics: list[str] | tuple[str, ...], values: Floats) -> pl.DataFrame:
        points = len(self.at)
        return pl.DataFrame(
            {
                "run": np.repeat(np.array(runs, dtype=object), len(topics) * points),
                "topic": np.tile(np.repeat(np.array(topics, dtype=object), points), len(runs)),
                self.axis: np.tile(self.at, len(runs) * len(topics)),
                "measure": str(self.measure),
                "value": values.ravel(),
            },
            schema_overrides={"run": pl.String, "topic": pl.String}
            | ({"rank": pl.Int64} if self.axis == "rank" else {}),
        )


def curve(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measure: str | Measure | type[Measure] = "nDCG",
    *,
    last_rank: int | None = None,
    average: Average = "ratios",
    beside: Sequence[Beside] | None = None,
    length: int = LENGTH,
    workers: int | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Curves:
    """Measure runs at every rank.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`, including joined runs.
    measure
        A measure with a cutoff (``"nDCG(base=2)"``, ``"P"``, ``"CRP"``, ...), or ``"IPrec"`` for
        the precision-recall curve, at relevance level 2 with ``"IPrec(rel=2)"``.
    last_rank
        Where the curves end: by default at the measure's cutoff, if it has one (``"P@10"``), or at
        rank 100.
    average
        For nCG and nDCG: ``"ratios"`` is the mean of the topics' ratios, ``"vectors"`` the ratio of
        the mean vectors (both are in use in the papers of Järvelin and Kekäläinen).
    beside
        Further reference lists besides the ideal: ``"full-scale"``, the ideal list reversed
        (unjudged documents first, the best one last), the reference for relative positions and
        Twist; ``"worst"``, no judged documents; ``"reranked"``, each run's own documents by falling
        grade, as in `reference_runs`: its distance from the ideal is what was not retrieved, the
        run's distance from it is what was ranked too low. By default, the full-scale list for RP,
        CRP and nCRP, and none otherwise.
    length
        The length of the first two lists; the full-scale list has at least twice the recall base.
    workers, progress
        As in `evaluate`.
    **conditions
        `Asked`

    Examples
    --------
    >>> qrels = {"1": {"a": 3, "b": 2, "c": 1}}
    >>> found = curve(qrels, {"bm25": {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}}, "CG", last_rank=4)
    >>> found.values[0, 0].tolist(), found.ideal[0].tolist()
    ([2.0, 2.0, 5.0, 5.0], [3.0, 5.0, 6.0, 6.0])
    """
    chosen, ends_at = _one(measure), cutoff_of(measure)
    last_rank = checked("last_rank", next(k for k in (last_rank, ends_at, _LAST_RANK) if k is not None), Depth)
    if ends_at is not None and last_rank > ends_at:
        raise InputError(f"{measure} ends at rank {ends_at}, before the last rank asked for, {last_rank}")
    average = checked("average", average, Average)
    length, kinds = checked("length", length, Depth), _beside(chosen, beside)
    if average == "vectors" and kinds:
        raise InputError("reference lists are averaged by ratios only; omit beside or vectors")
    conditions = knowing(chosen, qrels, conditions)
    found = opened(qrels, runs, conditions, workers=workers, progress=progress)
    found.refuse_subtopics([chosen])
    if chosen.by_cost and found.reading.costs is not None:
        raise MeasureError(f"{chosen} has no ideal curve: the cost of the ideal list is unknown")
    grading = found.grading
    [chosen] = as_taken([chosen], grading)
    judgments = found.judgments
    _refuse_too_much(found, last_rank if chosen.at in RANKED else 1, kinds)
    names: list[str] = []
    audits: list[RunAudit] = []
    # Batch by batch, of which one is held at a time.
    values, reranked, fractions, present = [], [], [], []
    for batch in found.batches:
        rankings = batch.condensed() if grading.judged_only else batch
        here = rankings.present.reshape(len(rankings.runs), len(judgments.topics))
        names += rankings.runs
        audits += rankings.audits
        present.append(here)
        values.append(_by_run(_points(chosen, rankings, last_rank), here))
        if "reranked" in kinds:
            reranked.append(_by_run(_points(chosen, rankings.reranked(), last_rank), here))
        if average == "vectors":  # kept apart to the end: a ratio of means is no mean of ratios
            fraction = chosen.fraction_by_rank(rankings, last_rank)
            if fraction is None:
                raise MeasureError(f"only nCG and nDCG are averaged by their vectors, not {chosen}")
            fractions.append([_by_run(part, here) for part in fraction])

    all_values, all_present = np.concatenate(values), np.concatenate(present)
    counts = all_present | (found.reading.topics == "all")
    # A reranked list counts where its run does; the other lists where any run does.
    some: Booleans = np.asarray(counts.any(axis=0, keepdims=True))
    best_lists, summary = chosen.ideal(judgments), chosen.summary
    ideal = _points(chosen, best_lists, last_rank)
    others = [
        (np.concatenate(reranked), counts)
        if kind == "reranked"
        else (_points(chosen, _opposite(kind, best_lists, length), last_rank)[None], some)
        for kind in kinds
    ]
    averages, [ideal_average] = averages_of(all_values, counts, summary), averages_of(ideal[None], some, summary)
    if fractions:
        averages = ratio(*(averages_of(np.concatenate(part), counts, summary) for part in zip(*fractions, strict=True)))
    return Curves(
        measure=chosen,
        runs=tuple(names),
        topics=judgments.topics,
        at=_at(chosen, last_rank),
        values=all_values,
        ideal=ideal,
        averages=averages,
        ideal_average=ideal_average,
        beside=kinds,
        beside_values=np.concatenate([np.zeros((0, *ideal.shape)), *(lists for lists, _ in others)]),
        beside_averages=np.concatenate([ideal[:0], *(averages_of(lists, there, summary) for lists, there in others)]),
        present=all_present,
        conditions=Conditions(found.reading, grading),
        audit=found.audited(audits),
    )


def _beside(measure: Measure, asked: Sequence[Beside] | None) -> tuple[Beside, ...]:
    """Check what is asked to stand next to the ideal list, or choose it by the measure."""
    if asked is None:
        return ("full-scale",) if measure.of_misplacement and not measure.judged_only else ()
    kinds: tuple[Beside, ...] = tuple(dict.fromkeys(checked("beside", asked, tuple[Beside, ...])))
    unjudged = [kind for kind in kinds if kind != "reranked"]
    if unjudged and measure.judged_only:
        raise InputError(f"{measure} uses judged documents only, but {unjudged[0]} has unjudged documents")
    return kinds


def beside_names(runs: Sequence[str], kinds: Sequence[Beside]) -> list[str]:
    """Name the lists that stand next to the ideal one: one of each kind, or one of each run."""
    named = [[f"{run} {kind}" for run in runs] if kind == "reranked" else [kind] for kind in kinds]
    return [name for names in named for name in names]


def _refuse_too_much(found: Opened, last_rank: int, beside: tuple[Beside, ...]) -> None:
    """Raise an InputError where runs cannot be told from the ideal, or there would be too many values."""
    names = [source.name for source in found.sources]
    others = beside_names(names, beside)
    for name in (IDEAL_LIST, *others):
        if name in names:
            called = {IDEAL_LIST: "best list", "full-scale": "reversed ideal list", "worst": "worst list"}
            list_ = called.get(name, "reranked one")
            raise InputError(f"a run is called {name!r}, as the {list_} is in curves; name it otherwise, by NAME=RUN")
    lists = (len(found.sources) + 1 + len(others)) * len(found.judgments.topics)
    if lists * last_rank > MOST_VALUES:
        raise InputError(
            f"curves of {counted(lists, 'list')} down to rank {last_rank:,} need too much memory; the last rank can be "
            f"{max(MOST_VALUES // lists, 1):,}"
        )


def _one(measure: str | Measure | type[Measure]) -> Measure:
    """Return the one measure asked for; trec_eval's names for several (P, IPrec) stand for the measure of that name."""
    found = parse_measures(measure, complete=False)
    types = {type(one) for one in found}
    if len(types) != 1:
        raise MeasureError(f"a curve shows one measure; {measure!r} stands for {len(types)}")
    chosen = found[0] if len(found) == 1 else type(found[0])()
    if chosen.text or chosen.at not in chosen.parameters:
        raise MeasureError(f"{chosen} has no cutoff, and so no value at each rank")
    every = type(chosen)(**{name: value for name, value in chosen.given.items() if name != chosen.at})
    return every.called(chosen.name_given.removesuffix(chosen.short.removeprefix(type(chosen).__name__)))


def cutoff_of(measure: str | Measure | type[Measure]) -> int | None:
    """Return the rank at which the measure that was asked for ends; None where it names none."""
    found = parse_measures(measure, complete=False)
    cutoff = getattr(found[0], found[0].at, None) if len(found) == 1 and found[0].at in RANKED else None
    return None if cutoff is None else int(cutoff)


def _at(measure: Measure, depth: int) -> Floats:
    """Return the points of the curve."""
    return np.arange(1.0, depth + 1) if measure.at in RANKED else np.array(measure.at_typical)


def _points(measure: Measure, rankings: JudgedRankings, depth: int) -> Floats:
    """Return the value of each row at each point."""
    if measure.at in RANKED:
        return measure.by_rank(rankings, depth)
    return np.column_stack([(measure @ at).score(rankings) for at in _at(measure, depth)])


def _opposite(kind: Beside, ideal: JudgedRankings, length: int) -> JudgedRankings:
    return full_scale_rankings(ideal, length) if kind == "full-scale" else worst_rankings(ideal.judgments, length)


def _by_run(values: Floats, present: Booleans) -> Floats:
    """Lay the points of a batch out by run and topic, 0 where a run lacks the topic."""
    return np.where(present[..., None], values.reshape(*present.shape, -1), 0.0)


def _as_high(values: Floats, goal: Floats | float) -> Booleans:
    """Tell which values are as high: what adds up to the goal must not miss it by the last bit of another order."""
    return np.asarray(values >= np.where(np.asarray(goal) > 0, np.asarray(goal) * (1 - 1e-12), goal))


def averages_of(values: Floats, counted: Booleans, how: str = "mean") -> Floats:
    """Average lists over the topics that count for them, as the measure averages: array of shape (lists, points)."""
    there = counted[..., None]
    return settled(np.where(there, summable(values, how), 0.0).sum(axis=1), there.sum(axis=1), how)
