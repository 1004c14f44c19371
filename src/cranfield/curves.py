"""Curves: a measure at every rank, of runs and of the ideal list beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from cranfield.arrays import Booleans, Floats
from cranfield.engines.local import judged_batches
from cranfield.errors import InputError, MeasureError
from cranfield.formats import read_qrels, read_runs
from cranfield.joining import Order
from cranfield.judgments import Judgments
from cranfield.measures.cumulated_gain import GainMeasure, Normalised
from cranfield.measures.measure import Measure
from cranfield.measures.names import parse_measures
from cranfield.presentation import FORMATS, render
from cranfield.rankings import JudgedRankings, ideal_rankings
from cranfield.scores import Topics

IDEAL = "ideal"
RANKED = ("cutoff", "rank")
"""What stands behind the @ of a measure that has a value at every rank."""

Average: TypeAlias = Literal["ratios", "vectors"]
"""How a normalised measure is averaged: the mean of the topics' ratios, or the ratio of the mean vectors."""


@dataclass(frozen=True)
class Curves:
    """A measure at every rank (or recall level), for runs, topics, and the ideal list of each topic.

    Attributes
    ----------
    measure
        The measure.
    runs, topics
        Names of the runs in the order given, and of the topics in the order of the qrels.
    at
        Where the values stand: ranks 1 to depth, or recall levels.
    values, ideal
        Arrays of shape (runs, topics, points) and (topics, points).
    averages, ideal_average
        Arrays of shape (runs, points) and (points,): over the topics.
    present
        Array of shape (runs, topics): whether the run has the topic.
    averaged
        Which topics the averages are over.
    """

    measure: Measure
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    at: Floats
    values: Floats
    ideal: Floats
    averages: Floats
    ideal_average: Floats
    present: Booleans
    averaged: Topics

    @property
    def axis(self) -> str:
        """What the points are called: rank, or recall."""
        return "rank" if self.measure.at in RANKED else self.measure.at

    @cached_property
    def means(self) -> pl.DataFrame:
        """Averages over topics: columns run (the ideal last), topic (always ``all``), rank, measure, value."""
        return self._long(
            [*self.runs, IDEAL], ["all"], np.concatenate([self.averages, self.ideal_average[None]])[:, None]
        )

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """Curves of each topic: columns run (the ideal last), topic, rank, measure, value."""
        every = np.concatenate([self.values, self.ideal[None]])
        there = np.concatenate([self.present | (self.averaged == "all"), np.ones((1, len(self.topics)), bool)])
        table = self._long([*self.runs, IDEAL], self.topics, every)
        return table.filter(np.repeat(there.ravel(), len(self.at)))

    def to_polars(self, *, per_topic: bool = False) -> pl.DataFrame:
        """Return the long table."""
        return self.per_topic if per_topic else self.means

    def table(self) -> pl.DataFrame:
        """Return the wide table that people read: a row for each rank, a column for each run and the ideal."""
        return self.means.pivot("run", index=self.axis, values="value")

    def render(self, format: str = "table", *, per_topic: bool = False) -> str | bytes:  # noqa: A002
        """Return the curves as text (or bytes) in one of the formats of the command line."""
        if format not in FORMATS:
            raise InputError(f"there is no format {format!r} for curves; there are {', '.join(FORMATS)}")
        if FORMATS[format].for_people and not per_topic:
            return render(self.table(), format)
        return render(self.to_polars(per_topic=per_topic), format)

    def rank_reaching(self, after: int, *, of: str = IDEAL) -> pl.DataFrame:
        """How many documents must be examined to have what another list has after a few?

        This reads the averaged curves horizontally: the first rank at which each run's curve is as high as that of
        ``of`` (the ideal, or a run) after ``after`` documents.

        Returns
        -------
        Table with columns run, rank; the rank is null where the curve does not get there within the depth.

        Paper: Järvelin and Kekäläinen, the horizontal distance between curves.

        >>> found = curve({"1": {"a": 1, "b": 1}}, {"slow": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}}, "CG", depth=3)
        >>> found.rank_reaching(1).rows(), found.rank_reaching(2).rows()
        ([('slow', 2)], [('slow', 3)])
        """
        if of != IDEAL and of not in self.runs:
            raise InputError(f"there is no run {of!r}; there are {', '.join([*self.runs, IDEAL])}")
        if not 1 <= after <= len(self.at):
            raise InputError(f"after must be from 1 to {len(self.at)}, the depth of the curves, not {after}")
        goal = (self.ideal_average if of == IDEAL else self.averages[self.runs.index(of)])[after - 1]
        # What adds up to the goal must not miss it by the last bit of a sum in another order.
        reached = self.averages >= goal * (1 - 1e-12) if goal > 0 else self.averages >= goal
        first = reached.argmax(axis=1) + 1
        ranks = [int(rank) if there else None for rank, there in zip(first, reached.any(axis=1), strict=True)]
        return pl.DataFrame({"run": self.runs, "rank": ranks}, schema={"run": pl.String, "rank": pl.Int64})

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
    qrels: Any,
    runs: Any,
    measure: str | Measure | type[Measure],
    *,
    depth: int = 100,
    topics: Topics = "all",
    order: Order = "score",
    average: Average = "ratios",
    progress: Callable[[int, int], None] | None = None,
) -> Curves:
    """Measure runs at every rank.

    Parameters
    ----------
    qrels, runs
        All that `evaluate` takes.
    measure
        A measure with a cutoff (``"nDCG(base=2)"``, ``"P"``, ``"CRP"``, ...), or ``"IPrec"`` for the precision-recall
        curve, at relevance level 2 with ``"IPrec(rel=2)"``.
    depth
        The last rank.
    topics, order
        As in `evaluate`.
    average
        For nCG and nDCG: ``"ratios"`` is the mean of the topics' ratios, ``"vectors"`` the ratio of the mean vectors
        (both are in use in the papers of Järvelin and Kekäläinen).
    progress
        Called with the number of runs done, and of all.

    Examples
    --------
    >>> qrels = {"1": {"a": 3, "b": 2, "c": 1}}
    >>> found = curve(qrels, {"bm25": {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}}, "CG", depth=4)
    >>> found.values[0, 0].tolist(), found.ideal[0].tolist()
    ([2.0, 2.0, 5.0, 5.0], [3.0, 5.0, 6.0, 6.0])
    """
    chosen = _one(measure)
    if depth < 1:
        raise InputError(f"depth must be at least 1, not {depth}")
    if average == "vectors" and not isinstance(chosen, Normalised):
        raise MeasureError(f"only nCG and nDCG are averaged by their vectors, not {chosen}")
    judgments = qrels if isinstance(qrels, Judgments) else Judgments(read_qrels(qrels))
    sources = read_runs(runs).sources
    values, lifts, present = [], [], []
    done = 0
    for ranked, rankings in judged_batches(sources, judgments, order=order):
        shape = (len(ranked), len(judgments.topics), -1)
        here = rankings.present.reshape(shape[:2])
        present.append(here)
        values.append(np.where(here[..., None], _points(chosen, rankings, depth).reshape(shape), 0.0))
        if isinstance(chosen, Normalised) and average == "vectors":
            lifts.append(np.where(here[..., None], chosen.vectors(rankings, depth).reshape(shape), 0.0))
        done += len(ranked)
        if progress:
            progress(done, len(sources))

    all_values, all_present = np.concatenate(values), np.concatenate(present)
    ideal = _points(chosen, _ideal(chosen, judgments), depth)
    averages, ideal_average = _mean(all_values, all_present, topics), ideal.mean(axis=0)
    if isinstance(chosen, Normalised) and average == "vectors":
        best = np.broadcast_to(chosen.ideal_vectors(judgments, depth), all_values.shape)
        below = _mean(best, all_present, topics)
        averages = np.divide(_mean(np.concatenate(lifts), all_present, topics), below, where=below != 0, out=below * 0)
    return Curves(
        measure=chosen,
        runs=tuple(source.name for source in sources),
        topics=judgments.topics,
        at=_at(chosen, depth),
        values=all_values,
        ideal=ideal,
        averages=averages,
        ideal_average=ideal_average,
        present=all_present,
        averaged=topics,
    )


def _one(measure: str | Measure | type[Measure]) -> Measure:
    """Return the one measure asked for; trec_eval's names for several (P, IPrec) stand for the measure of that name."""
    found = parse_measures(measure, complete=False)
    types = {type(one) for one in found}
    if len(types) != 1:
        raise MeasureError(f"a curve is of one measure; {measure!r} stands for {len(types)}")
    chosen = found[0] if len(found) == 1 else type(found[0])()
    if chosen.text or chosen.at not in chosen.parameters:
        raise MeasureError(f"{chosen} has no cutoff, so no value at each rank")
    return type(chosen)(**{name: value for name, value in chosen.given.items() if name != chosen.at})


def _at(measure: Measure, depth: int) -> Floats:
    """Return the points of the curve."""
    return np.arange(1.0, depth + 1) if measure.at in RANKED else np.array(measure.at_typical)


def _points(measure: Measure, rankings: JudgedRankings, depth: int) -> Floats:
    """Return the value of each row at each point."""
    if measure.at in RANKED:
        return measure.by_rank(rankings, depth)
    return np.column_stack([(measure @ at).score(rankings) for at in _at(measure, depth)])


def _ideal(measure: Measure, judgments: Judgments) -> JudgedRankings:
    if isinstance(measure, GainMeasure):
        return measure.ideal(judgments)
    return ideal_rankings(judgments, np.nan_to_num(judgments.grade))


def _mean(values: Floats, present: npt.NDArray[np.bool_], topics: Topics) -> Floats:
    """Average over the topics that count: array of shape (runs, points)."""
    counted = (present | (topics == "all"))[..., None]
    mean: Floats = np.where(counted, values, 0.0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    return mean
