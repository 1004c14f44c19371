"""What means could be: ties in other orders, unjudged documents judged. Ranked once, each step a vector of grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.ties import scores_compared
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers, places_within
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.plumbing.tables import QUERY, RANK
from cranfield.scoring.blocks import score
from cranfield.scoring.engines.local import read_scores
from cranfield.scoring.judged_runs import JudgedRuns

TieOrder: TypeAlias = Literal["worst", "average", "as ranked", "best"]
TIE_ORDERS: Final[tuple[TieOrder, ...]] = get_args(TieOrder)
"""How documents of one score are ordered: the worst grades first, on average over random orders, as `evaluate` ranks
them, and the best grades first."""
RELEVANT_SHARES: Final = (None, 0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Which share of each topic's unjudged documents is relevant; None leaves them unjudged."""
RANDOM_ORDERS: Final = 16
"""How many random orders of ties are averaged."""


class TiedRuns:
    """Runs of which every document has a judgment, known or open, and those of its documents that share a score.

    Documents of one score stand at neighbouring ranks, so that another order of them is the same cells with
    other judgments: nothing is ranked again. Runs that have ties are read once more for their scores.
    """

    def __init__(self, runs: JudgedRuns) -> None:
        self.runs = runs.with_retrieved
        self.rankings = JudgedRankings.batch(self.runs.batches)
        scored = runs.reading.order not in {"rank", "file"}
        self.tied = tuple(place for place, audit in enumerate(self.rankings.audits) if scored and audit.tied)

    @cached_property
    def some(self) -> JudgedRankings:
        """The runs that have ties."""
        return JudgedRankings.batch([self.rankings.only(place) for place in self.tied])

    @cached_property
    def cells(self) -> tuple[Integers, Integers]:
        """The cells of these runs whose documents share their score with another, and which tie each is of."""
        again = np.concatenate([self._as_above(place) for place in self.tied] or [np.zeros(0, bool)])
        group = np.cumsum(~again) - 1
        found = np.flatnonzero(np.bincount(group)[group] > 1)
        return found, group[found]

    def _as_above(self, place: int) -> Booleans:
        """Tell of each cell of a run whether its document has the score of the one above it in its list."""
        rankings, judgments = self.rankings.only(place), self.runs.judgments
        table = read_scores(self.runs.sources[place], self.runs.reading)
        table = table.filter(pl.col(QUERY).is_in(list(judgments.topics)))
        topic = table[QUERY].replace_strict(judgments.code_of_topic, return_dtype=pl.Int64).to_numpy()
        read = table[RANK].to_numpy() <= rankings.length[topic]
        table, topic = table.filter(read), topic[read]
        value = scores_compared(table, self.runs.reading.order)[np.argsort(topic, kind="stable")]
        return np.append(False, value[1:] == value[:-1])[: len(value)] & (rankings.rank > 1)

    def in_order(self, key: Floats | Integers) -> JudgedRankings:
        """Return the runs that have ties, each tie ordered by the keys of its cells, the smallest first."""
        cell, group = self.cells
        judgment = self.some.judgment.copy()
        judgment[cell] = judgment[cell[np.lexsort((key, group))]]
        return self.some.moved(self.some.rank, judgment)

    def worth(self, grade: Floats) -> Integers:
        """Return what tells the documents of a tie apart, the smaller the better, as in `TiedRun`."""
        return self.some.judgments.kinds(grade)[self.some.judgment[self.cells[0]]]


@dataclass(frozen=True, eq=False)
class PossibleMeans:
    """What the means of runs could be."""

    # runs, measure: of which runs, by what
    runs: tuple[str, ...]
    measure: Measure
    # ties, shares: the steps: orders of ties, and which share of the unjudged documents is relevant
    ties: tuple[TieOrder, ...]
    shares: tuple[float | None, ...]
    means: Floats  # array of shape (ties, shares, runs)

    def at(self, tie: TieOrder, share: float | None = None) -> dict[str, float]:
        """Return the mean of each run at a step."""
        return dict(zip(self.runs, self.means[self.ties.index(tie), self.shares.index(share)].tolist(), strict=True))


def possible_means(
    runs: JudgedRuns | TiedRuns,
    measure: Measure,
    *,
    ties: Sequence[TieOrder] = TIE_ORDERS,
    shares: Sequence[float | None] = RELEVANT_SHARES,
    orders: int = RANDOM_ORDERS,
    seed: int = SEED,
) -> PossibleMeans:
    """What would the mean of each run be, were ties ordered otherwise, or some unjudged documents relevant?

    Unjudged documents become relevant in one random order for all runs: at each share, of the n that the runs
    retrieved for a topic, the first ``floor(share * n + 1/2)`` get the largest grade of the qrels, the others 0.

    ``"best"`` and ``"worst"`` order the documents of a tie by their grades, unjudged ones above those judged not
    relevant. They are the extremes where `Measure.rewards_promotion` holds. Where lists are cut at a depth,
    documents below it do not change places with those above.
    """
    if measure.text:
        raise MeasureError(f"{measure} is a text, so it has no mean")
    of = runs if isinstance(runs, TiedRuns) else TiedRuns(runs)
    judgments = of.runs.batches[0].judgments
    random = np.random.default_rng(seed)
    turn = places_within(judgments.topic, np.where(judgments.candidates, random.random(len(judgments)), np.inf))
    drawn = random.random((orders, len(of.cells[0]) if of.tied else 0))
    grades = [_completed(judgments, turn, share) for share in shares]
    means = np.tile([_means(of, of.rankings.rejudged(grade), measure) for grade in grades], (len(ties), 1, 1))
    tied = list(of.tied)
    for t, tie in enumerate(ties if tied else ()):
        if tie == "average":
            sums = np.zeros((len(shares), len(tied)))
            for order in map(of.in_order, drawn):
                sums += [_means(of, order.rejudged(grade), measure) for grade in grades]
            means[t][:, tied] = sums / orders
        elif tie != "as ranked":
            turned = [of.in_order(of.worth(grade) * (1 if tie == "best" else -1)) for grade in grades]
            means[t][:, tied] = [
                _means(of, each.rejudged(grade), measure) for each, grade in zip(turned, grades, strict=True)
            ]
    return PossibleMeans(of.runs.runs, measure, tuple(ties), tuple(shares), means)


def _completed(judgments: Judgments, turn: Integers, share: float | None) -> Floats:
    """Return the grades where a share of each topic's candidates is relevant: those whose turn comes first."""
    if share is None:
        return judgments.grade
    relevant = turn < np.floor(share * judgments.open_of_topic + 0.5)[judgments.topic]
    return np.where(judgments.candidates, np.where(relevant, judgments.scale, 0.0), judgments.grade)


def _means(of: TiedRuns, rankings: JudgedRankings, measure: Measure) -> Floats:
    """Return the average of each run over the topics, as its scores have it."""
    grading = of.runs.grading.but(bounds=False)
    return np.asarray(of.runs.scores_of([score(rankings, [measure], grading)], [measure], grading).averages[0])
