"""Measures of gain: each document is worth something to the user, by its grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.judged.completions import open_documents
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings, ideal_rankings
from cranfield.measures.framework.gains import Dcg, GainMap, exponential, linear, number, share_of_top
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import condensed, cutoff, parameter
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import MeasureError


class GainMeasure(Measure, registered=False):
    """A measure told by what the documents gain: :meth:`gain_of` says it of a grade, all else follows."""

    graded = True

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return the gain of each grade, 0 of those up to 0 unless `gains_below`: here, its share of the largest."""
        return share_of_top(grade, top_grade)

    @property
    def gains_below(self) -> bool:
        """Whether documents that are not relevant, of grade 0 or less, may gain something too."""
        return self.gains is not None

    def gainful(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells whose gain is not 0, and the gain."""
        cells = rankings.judged if self.gains_below else rankings.relevant()
        gain = self.gain_of(cells.grade, rankings.judgments.top_grade)
        return _kept(cells, gain, gain != 0)

    def gain_of_cells(self, rankings: JudgedRankings) -> Floats:
        """Return what each cell gains, judged or open; those below the cutoff gain nothing."""
        grade = rankings.judgments.grade.take(rankings.judgment)
        counts = ~np.isnan(grade) if self.gains_below else grade > 0
        if self.cutoff is not None:
            counts &= rankings.rank <= self.cutoff
        gain = np.zeros(len(grade))
        gain[counts] = self.gain_of(grade[counts], rankings.judgments.top_grade)
        return gain

    def weights_apart(
        self, pairs: Sequence[tuple[JudgedRankings, JudgedRankings]]
    ) -> tuple[Integers, Integers, Floats]:
        """Return candidates that weigh more or less in the first list of a pair: pairs, places, and by how much."""
        each = [self._weights_of_candidates(run) for pair in pairs for run in pair]
        pair = np.repeat(np.arange(len(each)) // 2, [len(place) for place, _ in each])
        place = np.concatenate([place for place, _ in each])
        weight = np.concatenate([-weight if nth % 2 else weight for nth, (_, weight) in enumerate(each)])
        key = pair * len(pairs[0][0].judgments) + place
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[order]
        in_both = np.flatnonzero(key[1:] == key[:-1])
        weight[in_both] += weight[in_both + 1]
        weight[in_both + 1] = 0.0
        apart = np.flatnonzero(weight)
        return pair[order[apart]], place[order[apart]], weight[apart]

    def _weights_of_candidates(self, rankings: JudgedRankings) -> tuple[Integers, Floats]:
        def made() -> tuple[Integers, Floats]:
            open_ = open_documents(rankings.cut(self.cutoff))
            return open_.judgment, self.rank_weight(open_.rank)

        return rankings.once(("weights of candidates", self), made)

    def positive(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells whose gain is above 0, and the gain."""
        cells, gain = self.gainful(rankings)
        return _kept(cells, gain, gain > 0)


def _kept(cells: Cells, gain: Floats, kept: Booleans) -> tuple[Cells, Floats]:
    return (cells, gain) if np.count_nonzero(kept) == len(kept) else (cells.where(kept), gain[kept])


class GivenGains(GainMeasure, registered=False):
    """A measure of a list against the ideal one, its documents by gain; gains can be given grade by grade."""

    gains: GainMap | None = parameter(
        None, "gain of each grade (an unlisted grade is its own gain, or 0 if negative)", kind=GainMap
    )
    dcg: Dcg = "log2"  # a parameter of those measures that have it

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return the gain of each grade: what gains= says, or else the grade, or 2^grade - 1 (see `exponential`)."""
        if self.gains is not None:
            return self.gains.of(grade)
        return exponential(grade, top_grade) if self.dcg == "exp-log2" else linear(grade)

    def ideal(self, judgments: Judgments) -> JudgedRankings:
        """Return the ideal list of each topic."""

        def made() -> JudgedRankings:
            judged = np.flatnonzero(~np.isnan(judgments.grade))
            gain = np.zeros(len(judgments))  # what is not judged has none, whatever grade 0 may gain
            gain[judged] = self.gain_of(judgments.grade[judged], judgments.top_grade)
            return ideal_rankings(judgments, gain)

        return judgments.remembered(("ideal", self.dcg, self.gains), made)

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's grade=gain pairs; or cutoffs, where the measure has them there."""
        if cls.trec_at and "=" not in given:
            yield from super().from_trec(given)
            return
        try:
            pairs = [pair.split("=") for pair in given.split(",")]
            gains = GainMap({float(grade): float(gain) for grade, gain in pairs})
        except ValueError:
            raise MeasureError(f"{cls.__name__}: gains are written grade=gain,grade=gain, not {given!r}") from None
        if len(gains) < len(pairs):
            raise MeasureError(f"{cls.__name__}: a grade has one gain, and {given!r} gives it two")
        yield cls(gains=gains)

    def trec_name(self) -> str:
        """Name it as trec_eval does: ndcg_1=3,2=9."""
        if self.name_given or self.trec is None or self.gains is None or set(self.given) != {"gains"}:
            return super().trec_name()
        return f"{self.trec}_" + ",".join(f"{number(grade)}={number(gain)}" for grade, gain in self.gains.items())


class PositiveGains(GivenGains, registered=False):
    """A measure of the documents with a gain above 0; all others count for nothing."""

    cutoff: int | None = cutoff()
    judged_only: bool = condensed()

    def best(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells of the ideal list of each topic whose gain is above 0, and the gain."""
        return self.positive(self.ideal(rankings.judgments))
