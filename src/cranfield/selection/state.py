"""What is known of the runs: the gain that is certain and the weight that is open, run by run, topic by topic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import numpy as np

from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Booleans, Floats, Integers, nth_within, places_within, ratio, sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Scope
from cranfield.selection.candidates import Candidates

if TYPE_CHECKING:
    from scipy.sparse import csr_array


SPARSE = 4
"""A table with more places than this for each weight in it, since few lists are long, is not worth its memory."""


class State:
    """The judgments so far, and what follows from them for every run. Methods read it; `Judging` changes it.

    Base and known weight are formed in the order of the judgments. A residual is summed anew from what is still open:
    attention less what is known would be mere rounding once little is left. So the same judgments in the same
    order give the same numbers to the last bit.
    """

    def __init__(
        self, candidates: Candidates, measure: UserModel, *, top_grade: float, scope: Scope = "topic", seed: int = 7
    ) -> None:
        self.candidates, self.measure = candidates, measure
        self.top_grade, self.scope, self.seed = top_grade, scope, seed
        self._weight_of_rank: Floats = np.append(0.0, weights_by_rank(measure, int(candidates.cell_rank.max())))
        self._below_the_end: Floats = np.where(candidates.present, measure.beyond(candidates.length), 0.0)
        self._residual: Floats = np.zeros(candidates.length.shape)
        self._behind = np.ones(len(candidates.topics), bool)  # topics judged since their residuals were summed
        self.grade: Floats = np.full(len(candidates), np.nan)
        self.open = np.ones(len(candidates), bool)  # neither judged nor skipped, and not set aside
        self.aside = 0  # how many are not to be judged
        self.base: Floats = np.zeros(candidates.length.shape)  # (runs, topics): Σ c·gain over judged documents ...
        self.known: Floats = np.zeros(candidates.length.shape)  # ... and Σ c
        self._matrix: dict[int, csr_array] = {}
        self._open_weights: dict[int, OpenWeights] = {}
        self._some: dict[int, tuple[Integers, csr_array]] = {}  # of some documents, as they were asked for last
        self.order: tuple[list[int], ...] = tuple([] for _ in candidates.topics)  # of judging: places, by topic

    def contributions(self, cells: slice | Integers | Booleans) -> Floats:
        """Return c of each of these cells, the weight that the measure gives to the rank (0 below its cutoff)."""
        return self._weight_of_rank[self.candidates.cell_rank[cells]]

    def judge(self, place: int, grade: float) -> None:
        """Take note of one judgment."""
        topic, cells = int(self.candidates.topic[place]), self.candidates.cells_at(place)
        runs, contribution = self.candidates.cell_run[cells], self.contributions(cells)
        self.grade[place] = grade
        self.open[place] = False
        self.base[runs, topic] += contribution * self.measure.gain_of(grade, self.top_grade)
        self.known[runs, topic] += contribution
        self._behind[topic] = True
        self.order[topic].append(place)
        self._put(place, 0.0)

    def skip(self, place: int) -> None:
        """Never choose this document; nothing is learnt about it."""
        self.open[place] = False

    def take_back(self, place: int) -> None:
        """Take a judgment or a skip back; the topic is summed anew, in order, so that no bit of it is left."""
        self.open[place] = True
        if np.isnan(self.grade[place]):  # skipped
            return
        topic = int(self.candidates.topic[place])
        self.grade[place] = np.nan
        self.order[topic].remove(place)
        self._behind[topic] = True
        self._put(place, self.contributions(self.candidates.cells_at(place)))
        places = np.array(self.order[topic], np.int64)
        judgment, cells = self.candidates.cells_of_each(places)
        runs, contribution = self.candidates.cell_run[cells], self.contributions(cells)
        grades, which = np.unique(self.grade[places], return_inverse=True)
        gain = np.array([self.measure.gain_of(grade, self.top_grade) for grade in grades.tolist()], np.float64)[which]
        for sums, added in ((self.base, contribution * gain[judgment]), (self.known, contribution)):
            sums[:, topic] = np.bincount(runs, added, minlength=len(sums))  # which adds one after the other

    def only(self, places: Iterable[int]) -> None:
        """Choose none but these documents; nothing is learnt about the others, which are not skipped either."""
        among = np.zeros_like(self.open)
        among[[*places]] = True
        self.aside = int((self.open & ~among).sum())
        self.open &= among

    @property
    def residual(self) -> Floats:
        """What each run could still gain on each topic: shape (runs, topics); 0 where a run lacks the topic."""
        for topic in np.flatnonzero(self._behind).tolist():
            self.open_weight(topic)
        return self._residual.copy()

    def open_weight(self, topic: int) -> Floats:
        """Return the residual of each run on one topic: Σ c over its unjudged documents, and all below its end."""
        if self._behind[topic]:
            self._residual[:, topic] = self._unjudged(topic) + self._below_the_end[:, topic]
            self._behind[topic] = False
        return self._residual[:, topic]

    def _unjudged(self, topic: int) -> Floats:
        """Return Σ c over the unjudged documents of each run, in their order; topics with judgments have a table."""
        if topic in self._open_weights:
            return self._open_weights[topic].sums()
        candidates, cells = self.candidates, self.candidates.cells_of(topic)
        unjudged = np.isnan(self.grade[candidates.documents_of(topic)])
        weight = self.contributions(cells) * np.repeat(unjudged, self._sizes(topic))
        run, runs = candidates.cell_run[cells], len(candidates.runs)
        if self.order[topic] and OpenWeights.suit(candidates.length[:, topic]):
            self._open_weights[topic] = OpenWeights(run, weight, runs)
        return sums_within(run, weight, runs)

    def _put(self, place: int, weight: Floats | float) -> None:
        """Note what a document weighs in its runs from now on, where a table is kept of that."""
        topic = int(self.candidates.topic[place])
        if topic in self._open_weights:
            cells, begin = self.candidates.cells_at(place), self.candidates.cells_of(topic).start
            self._open_weights[topic].put(slice(cells.start - begin, cells.stop - begin), weight)

    @property
    def projected(self) -> Floats:
        """What each run would score, if what is unjudged gained as much as what is judged: shape (runs, topics)."""
        return self.measure.attention * ratio(self.base, self.known)

    def standing(self, topic: int) -> tuple[Floats, Floats]:
        """Return base and residual of each run: on the topic or, with scope "system", their means over all topics."""
        if self.scope == "system":
            return self.base.mean(axis=1), self.residual.mean(axis=1)
        return self.base[:, topic], self.open_weight(topic)

    def sums(self, topic: int, by_run: Floats) -> Floats:
        """Return Σ over the runs that have it of c times a number of the run, for each document of the topic."""
        if self.order[topic] and topic not in self._some:  # will be weighed again, all of it
            return np.asarray(self._weights(topic) @ by_run)
        cells, sizes = self.candidates.cells_of(topic), self._sizes(topic)
        added = self.contributions(cells) * by_run[self.candidates.cell_run[cells]]
        return sums_within(np.repeat(np.arange(len(sizes)), sizes), added, len(sizes))

    def sums_of(self, topic: int, by_run: Floats, documents: Integers) -> Floats:
        """Return the `sums` of some documents of the topic; asking for the same ones again is cheaper."""
        kept = self._some.get(topic)
        if kept is None or kept[0] is not documents:
            _, cells = self.candidates.cells_of_each(self.candidates.documents_of(topic).start + documents)
            kept = self._some[topic] = documents, self._matrix_of(cells, self._sizes(topic)[documents])
        return np.asarray(kept[1] @ by_run)

    def _weights(self, topic: int) -> csr_array:
        """Return c of each document of a topic in each run, and keep it."""
        if topic not in self._matrix:
            self._matrix[topic] = self._matrix_of(self.candidates.cells_of(topic), self._sizes(topic))
        return self._matrix[topic]

    def _matrix_of(self, cells: slice | Integers, sizes: Integers) -> csr_array:
        """Return c of documents of these cells in each run, with their numbers: sparse, of shape (documents, runs)."""
        from scipy.sparse import csr_array

        begin = np.append(0, np.cumsum(sizes)).astype(np.int32)
        shape = len(sizes), len(self.candidates.runs)
        return csr_array((self.contributions(cells), self.candidates.cell_run[cells], begin), shape=shape)

    def _sizes(self, topic: int) -> Integers:
        """Return how many runs have each document of a topic."""
        places = self.candidates.documents_of(topic)
        return np.diff(self.candidates.start[places.start : places.stop + 1])

    def differences(self, topic: int, by_cell: Floats) -> Floats:
        """Return Σ |x(s, d) - x(s', d)| over all pairs of runs, by document: Σ (n + 1 - 2 i) x of the i-th largest."""
        document = self.candidates.cell_document[self.candidates.cells_of(topic)]
        weighed = by_cell * (len(self.candidates.runs) - 1 - 2 * places_within(document, -by_cell))
        return sums_within(document, weighed, len(self._sizes(topic)))

    @property
    def judged(self) -> Integers:
        """How many documents are judged, by topic."""
        return np.array([len(places) for places in self.order])

    def random(self, topic: int) -> np.random.Generator:
        """Return a generator that depends on the seed, the topic, and how many of its documents are judged."""
        return np.random.default_rng([self.seed, topic, len(self.order[topic])])


class OpenWeights:
    """A column for each run with the weights of its documents, in their order; 0 where one is judged.

    So each sum is formed anew from what is open, the same to the last bit whatever was judged and taken back.
    """

    def __init__(self, run: Integers, weight: Floats, runs: int) -> None:
        self._run = run
        by_run = np.argsort(run.astype(np.min_scalar_type(runs)), kind="stable")  # small numbers are sorted faster
        rows = int(np.bincount(run, minlength=1).max())
        self._row = np.empty(len(run), np.min_scalar_type(rows))
        self._row[by_run] = nth_within(run[by_run])
        self._table = np.zeros((rows, runs))
        self.put(slice(None), weight)

    @staticmethod
    def suit(length: Integers) -> bool:
        """Say whether a table suits lists of these lengths."""
        return len(length) * int(length.max()) <= SPARSE * int(length.sum())

    def put(self, cells: slice, weight: Floats | float) -> None:
        """Give some cells another weight."""
        self._table[self._row[cells], self._run[cells]] = weight

    def sums(self) -> Floats:
        """Return what the open documents of each run weigh together."""
        return np.asarray(self._table.sum(axis=0))  # row by row, and not in pairs


def weights_by_rank(measure: UserModel, depth: int) -> Floats:
    """Return the weight of each rank from 1 to ``depth``, 0 below the measure's cutoff."""
    rank = np.arange(1, depth + 1)
    return np.where(rank <= (measure.cutoff or depth), measure.rank_weight(rank), 0.0)


def weighted_measure(measure: str | Measure | type[Measure]) -> UserModel:
    """Return a measure that is a weighted sum over ranks, so that every document has a known weight in it.

    >>> weighted_measure("AP")
    Traceback (most recent call last):
    ...
    cranfield.InputError: AP has no fixed weights of ranks, ...; use INSQ, P, RBP or SDCG
    """
    if isinstance(measure, str):
        measure = parse_measure(measure)
    found = measure if isinstance(measure, Measure) else measure()
    found.require_complete()
    if not found.fixed_weights or found.judged_only:
        *first, last = sorted(name for name, kind in REGISTRY.items() if kind.fixed_weights)
        raise InputError(
            f"{found} has no fixed weights of ranks, so the effect of a judgment is unknown; use {', '.join(first)} or "
            f"{last}"
        )
    return cast("UserModel", found)  # which alone have fixed weights
