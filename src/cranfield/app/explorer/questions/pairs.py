"""What is asked of two runs: where they differ, what decides that, and what one would need to overtake the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.pairs.overtaking import Overtaking, overtake, turns
from cranfield.pairs.pair import Rivals
from cranfield.pairs.why import Why, added, what_counts, why
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio
from cranfield.plumbing.averaging import summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import best_first, direction
from cranfield.statistics.on_paper import side
from cranfield.statistics.rank_overlap import rbo

TOPIC_ORDERS: Final[Mapping[str, tuple[Callable[[], pl.Expr], bool]]] = {
    "difference": (lambda: pl.col("difference").abs(), True),
    "overlap": (lambda: pl.col("overlap"), False),
    "effort against gain": (lambda: pl.col("opposed"), True),
}
"""By what the topics on which two runs differ are ordered, and whether the largest stands first."""
USUAL_EFFORT: Final = "Twist"
USUAL_GAIN: Final = "nDCG@10"
_SURE: Final = 50  # How many scorings are reckoned for the search and the bounds, after each document has been tried


class Contrasts(NamedTuple):
    """The topics on which two runs differ, and by what.

    A row for each topic counted for both: topic, title, a, b, difference (a - b), overlap (extrapolated RBO, p = 0.9;
    null where a list is empty), shared (of the first ten documents), gain and effort (differences, more being better),
    and opposed: where gain and effort disagree, the product of both in standard deviations over the topics, otherwise
    0.
    """

    table: pl.DataFrame
    gain: str  # the measures
    effort: str

    @property
    def opposed(self) -> pl.DataFrame:
        """The topics on which gain and effort disagree, the most first."""
        return self.table.filter(pl.col("opposed") > 0).sort("opposed", descending=True, maintain_order=True)


def contrasts(explored: Explored, a: str, b: str, measure: str | None = None, by: str | None = None) -> Contrasts:
    """On which topics do two runs differ most: by a measure, in their lists, or in what the gain costs?"""
    by = by or next(iter(TOPIC_ORDERS))
    if by not in TOPIC_ORDERS:
        raise InputError(f"topics are ordered by {', '.join(TOPIC_ORDERS)}, not by {by!r}")
    found = _contrasts(explored, a, b, measure)
    key, falling = TOPIC_ORDERS[by]
    table = found.table.sort(key(), descending=falling, nulls_last=True, maintain_order=True)
    return Contrasts(table, found.gain, found.effort)


@remembered(8)
def _contrasts(explored: Explored, a: str, b: str, measure: str | None) -> Contrasts:
    """Return the topics, the largest difference first."""
    m = explored.place(measure)
    one, other = places_of(explored, (a, b))
    values = explored.scores.values[m]
    both = np.logical_and(*explored.scores.counted[[one, other]])
    gain, effort = (_declared(explored, m, of_effort=of_effort) for of_effort in (False, True))
    by_gain, by_effort = (_difference(explored, a, b, each) for each in (gain, effort))
    table = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            "a": values[one],
            "b": values[other],
            "difference": values[one] - values[other],
            "overlap": overlap(explored, one, other),
            "shared": shared(explored, one, other),
            "gain": by_gain,
            "effort": by_effort,
            "opposed": np.maximum(-_standardised(by_gain, both) * _standardised(by_effort, both), 0.0),
        },
        schema_overrides={"overlap": pl.Float64},
    ).filter(both)
    table = table.sort(pl.col("difference").abs(), descending=True, maintain_order=True)
    return Contrasts(table, str(gain), str(effort))


def _declared(explored: Explored, m: int, *, of_effort: bool) -> Measure:
    """Return a measure of effort or of gain: the one looked at, or the first that there is, or the usual one."""
    measures = explored.scores.measures
    for measure in (measures[m], *measures):
        if measure.of_misplacement == of_effort:
            return measure
    return parse_measure(USUAL_EFFORT if of_effort else USUAL_GAIN)


def _difference(explored: Explored, a: str, b: str, measure: Measure) -> Floats:
    """Return by how much the one is better than the other, by topic."""
    scores = explored.scores
    if measure in scores.measures:
        values = scores.values[scores.measures.index(measure), places_of(explored, (a, b))]
    else:
        values = explored.runs.of_runs((a, b)).scores([measure]).values[0]
    difference = direction(measure) * (values[0] - values[1])
    return np.where(side(difference) == 0, 0.0, difference)


def _standardised(difference: Floats, counted: Booleans) -> Floats:
    """Divide by the standard deviation over topics that are counted; the sign stays what it is."""
    return ratio(difference, difference.std(where=counted) if counted.any() else 0.0)


def overlap(explored: Explored, one: int, other: int) -> list[float | None]:
    """How similar are two runs' lists of each topic, the top counting most? None where one of them is empty."""
    both = (_listed(explored.runs.of_run(run)) for run in (one, other))
    return [rbo(*pair).extrapolated if all(pair) else None for pair in zip(*both, strict=True)]


def _listed(rankings: JudgedRankings) -> list[list[int]]:
    """Return the documents of each topic by rank, by their places in the judgments."""
    ends = np.searchsorted(rankings.row, np.arange(1, len(rankings.topics)))
    return [listed.tolist() for listed in np.split(rankings.judgment, ends)]


def places_of(explored: Explored, names: Sequence[str]) -> list[int]:
    """Return the places of some runs among all, by name."""
    return [explored.runs.runs.index(name) for name in explored.checked(names)]


def shared(explored: Explored, one: int, other: int, first: int = 10) -> Integers:
    """How many of the first documents two runs have in common, by topic."""
    mine, theirs = (explored.runs.of_run(run).cut(first).judgment for run in (one, other))
    return np.bincount(explored.runs.judgments.topic[np.intersect1d(mine, theirs)], minlength=len(explored.runs.topics))


@remembered(32)
def reason(explored: Explored, a: str, b: str, measure: str, topic: str | None = None) -> Why:
    """Why is one list better than the other: on a topic, or on the one on which they differ most?"""
    return why(explored.runs, a, b, [explored.declared(measure)], topic=topic)


@remembered(32)
def overtaking(explored: Explored, behind: str, ahead: str, measure: str | None = None) -> Overtaking:
    """What would it take for one run to overtake another?"""
    return overtake(explored.runs, None, explored.declared(measure), behind=behind, ahead=ahead)


def reckoned(explored: Explored, behind: str, ahead: str, measure: str | None = None) -> float:
    """Estimate the seconds it takes to say what overtaking takes; where values are no sums, each document is tried."""
    declared = explored.declared(measure)
    if declared.summary == "geometric mean":
        return 0.0
    pair = Rivals(explored.runs, explored.runs.topics).of(declared, *places_of(explored, (ahead, behind)))
    tried = turns(pair)
    if not tried:
        return 0.0
    took = []
    for _ in range(2):  # the first also makes what is kept
        start = perf_counter()
        pair.found(np.zeros(0, np.int64)).lead()
        took.append(perf_counter() - start)
    return min(took) * (tried + _SURE)


def with_ranks(explored: Explored, documents: pl.DataFrame, runs: Mapping[str, str]) -> pl.DataFrame:
    """Add the rank of documents (columns topic, document) in some runs, by column; null where a run lacks them."""
    judgments = explored.runs.judgments
    topic = documents["topic"].replace_strict(judgments.code_of_topic, return_dtype=pl.Int64).to_numpy()
    ids = documents["document"]
    place = judgments.index.find(judgments.index.keys(topic, 1, ids), ids)
    found = documents
    for column, run in zip(runs, places_of(explored, tuple(runs.values())), strict=True):
        rank = pl.Series(column, rank_of(explored.runs.of_run(run))[place])
        found = found.with_columns(pl.when(rank > 0).then(rank).alias(column))
    return found


def rank_of(rankings: JudgedRankings) -> Integers:
    """Return the rank of every document, by its place in the judgments; 0 where the run lacks it."""
    rank = np.zeros(len(rankings.judgments), np.int64)
    rank[rankings.judgment] = rankings.rank
    return rank


class Deciding(NamedTuple):
    """The documents that decide the difference of two runs on average, the largest contribution first.

    Columns topic, document, rank_a, rank_b (null where a run lacks it), grade, to_average: the contribution of `why`,
    divided by the number of topics; zeros are left out. If the runs are equal (better is None), it is of the one less
    the other.
    """

    documents: pl.DataFrame
    better: str | None
    lead: float  # by how much the averages differ: of a geometric mean, those of the logarithms
    rest: float  # what the contributions lack to that: by so much do lists differ that are empty or lacking
    logarithmic: bool


@remembered(32)
def decisive(explored: Explored, a: str, b: str, measure: str | None = None) -> Deciding:
    """Which documents decide by how much one run is ahead of another on average?"""
    m, places = explored.place(measure), places_of(explored, (a, b))
    declared, counted = explored.scores.measures[m], explored.scores.counted[places]
    runs = explored.runs.of_runs((a, b))
    judgments, (one, other) = runs.batches[0].judgments, runs.batches
    of = np.ones(2) if declared.summary == "sum" else np.maximum(counted.sum(axis=1), 1)
    values = np.where(counted, summable(explored.scores.values[m, places], declared.summary), 0.0)
    difference = float(np.subtract(*(values.sum(axis=1) / of)))
    towards = -1.0 if side(difference) < 0 else 1.0
    adds = np.zeros(len(judgments))
    for rankings, sign, many in zip(runs.batches, (towards, -towards), of, strict=True):
        kept = what_counts(rankings, declared, judged_only=runs.grading.judged_only)
        adds[kept.judgment] += sign * added(kept, declared) / many
    documents = np.flatnonzero(side(adds * of.max()))
    documents = documents[best_first(np.abs(adds[documents]))]
    ranks = {"rank_a": rank_of(one)[documents], "rank_b": rank_of(other)[documents]}
    table = pl.DataFrame(
        {
            "topic": [judgments.topics[code] for code in judgments.topic[documents]],
            "document": judgments.ids(documents),
            **ranks,
            "grade": judgments.grade[documents],
            "to_average": adds[documents],
        },
        schema_overrides={"topic": pl.String, "document": pl.String},
    ).with_columns(
        pl.col("grade").fill_nan(None), *(pl.when(pl.col(name) > 0).then(name).alias(name) for name in ranks)
    )
    ahead = side(direction(declared) * difference)
    better = None if ahead == 0 else a if ahead > 0 else b
    lead = towards * difference
    return Deciding(table, better, lead, lead - float(adds.sum()), declared.summary == "geometric mean")
