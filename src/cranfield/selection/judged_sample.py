"""A sample that was judged, joined with the runs: totals over all candidates, their variances, and those of ratios."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Final, NamedTuple

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers, places_within, ratio, sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, STRATUM
from cranfield.plumbing.wording import counted, some_of
from cranfield.selection.candidates import Candidates
from cranfield.selection.sampling import DRAWN, PROBABILITY

_NEAR: Final = 1e-6  # Probabilities that differ by less are the same, having been written and read

SAMPLE_GROUPS: Final = 10
"""Into how many parts a sample is cut; t then has one degree of freedom less."""

ENOUGH_DRAWN: Final = 50
"""How many documents of a topic must have been drawn, on average, before the interval of a ratio holds."""


class Drawn:
    """A sample and its grades, and by cell where each of its documents stands in a row: one run on one topic."""

    def __init__(
        self,
        candidates: Candidates,
        place: Integers,
        grade: Floats,
        probability: Floats,
        stratum: Integers,
        top_grade: float,
    ) -> None:
        topic = candidates.topic[place]
        self.judgments = Judgments.of_grades(topic, grade, len(candidates.topics), top_grade)
        self.runs = len(candidates.runs)
        self.probability, self.stratum, self.place = probability, stratum, place  # by document; strata from 1
        self.independent: Booleans = stratum == 0
        self.strata = int(self.stratum.max(initial=0)) + 1  # at most, that of independent draws among them
        candidate_count = np.bincount(candidates.topic, minlength=self.topics)
        certain = np.bincount(topic, self.probability == 1, minlength=self.topics)
        self.whole: Booleans = certain == candidate_count  # by topic: whether all of it was drawn
        self.size = self._sizes(self.independent | (self.probability == 1))
        self.row, self.rank, self.document = cells_of(candidates, place)  # by cell, in the order of row and rank

    @classmethod
    def join(cls, candidates: Candidates, sample: pl.DataFrame, judged: Judgments, top_grade: float | None) -> Drawn:
        """Look up what was drawn (`drawn_of`) among the candidates, and its grades among the judgments."""
        grades = _joined(candidates, sample, judged)
        return cls(
            candidates,
            grades["place"].to_numpy(),
            grades[RELEVANCE].to_numpy(),
            grades[PROBABILITY].to_numpy(),
            grades[STRATUM].rank("dense").cast(pl.Int64).fill_null(0).to_numpy(),
            judged.top_grade if top_grade is None else top_grade,
        )

    @property
    def weight(self) -> Floats:
        """How many candidates each document stands for: 1/π."""
        return 1.0 / self.probability

    @property
    def uniform(self) -> bool:
        """Whether something was drawn, no topic from two strata, and no document by itself."""
        return (
            len(self.place) > 0
            and not self.independent.any()
            and not (np.bincount(np.unique(self._group) // self.strata) > 1).any()
        )

    def estimate(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return the estimate of a total and its variance, by row."""
        gains = self.gains(measure)
        if measure.estimator == "recall base":
            document = np.flatnonzero(gains)  # which every run has in the row of its topic
            row = self.judgments.topic[document] + self.topics * np.arange(self.runs)[:, np.newaxis]
            document = np.tile(document, self.runs)
            return self.total(row.ravel(), document, gains[document])
        counted = self.rank <= (measure.cutoff or np.inf)
        row, rank, document = self.row[counted], self.rank[counted], self.document[counted]
        return self.total(row, document, measure.rank_weight(rank) * gains[document])

    @property
    def _group(self) -> Integers:
        """Which stratum of which topic each document is of."""
        return self.judgments.topic * self.strata + self.stratum

    def _sizes(self, certain: Booleans) -> Floats:
        """Count those drawn by (topic, stratum); infinite where all of it is or draws are independent."""
        count = np.bincount(self._group, minlength=self.topics * self.strata).astype(np.float64)
        count[self._group[certain]] = np.inf
        count[count == 0] = np.inf
        return count.reshape(self.topics, self.strata)

    def cut(self, groups: int, seed: int) -> Integers:
        """Cut each stratum's sample at random into groups of equal size (±1); return the group of each document."""
        random = np.random.default_rng(seed)
        group = self._group
        start = random.integers(0, groups, self.topics * self.strata)
        return (places_within(group, random.random(len(group))) + start[group]) % groups

    def without(self, gone: Booleans) -> Drawn:
        """Return the sample without some documents; others of their stratum stand for them, and none is left empty."""
        group = self._group
        drawn = np.bincount(group)
        kept = ~(gone & ~self.whole[self.judgments.topic] & (drawn[group] > 1))
        left = np.bincount(group, kept, minlength=len(drawn))
        fewer = copy(self)
        fewer.judgments = Judgments.of_grades(
            self.judgments.topic[kept], self.judgments.grade[kept], self.topics, self.judgments.top_grade
        )
        fewer.probability = (self.probability * (left / drawn.clip(min=1))[group])[kept]
        fewer.stratum, fewer.independent = self.stratum[kept], self.independent[kept]
        fewer.place = self.place[kept]
        cells = kept[self.document]
        fewer.row, fewer.rank = self.row[cells], self.rank[cells]
        fewer.document = (np.cumsum(kept) - 1)[self.document[cells]]
        fewer.size = fewer._sizes(fewer.independent | self.whole[fewer.judgments.topic])
        fewer.size[fewer.size == 1] = np.inf  # of a stratum of which one is left no two are drawn together
        return fewer

    def total(self, row: Integers, document: Integers, y: Floats) -> tuple[Floats, Floats]:
        """Estimate the total of y, by row, and its variance."""
        return sums_within(row, y * self.weight[document], self.rows), self.variance(row, document, y)

    def variance(self, row: Integers, document: Integers, y: Floats) -> Floats:
        """Estimate the variance of the estimated total of y, by row; no document twice in a row."""
        return np.asarray(self.variances(row, document, y, self.runs).sum(axis=1))

    def variances(self, row: Integers, document: Integers, y: Floats, lines: int) -> Floats:
        """Estimate the same by stratum: array of shape (rows, strata), a row being one of ``lines`` on a topic."""
        expanded = y * self.weight[document]
        left_out = 1.0 - self.probability[document]
        strata = self.size.shape[1]
        group = row * strata + self.stratum[document]
        squares = sums_within(group, left_out * expanded**2, lines * self.size.size)
        sums = sums_within(group, np.sqrt(left_out) * expanded, lines * self.size.size)
        size = np.tile(self.size, (lines, 1)).ravel()
        variances: Floats = (squares - sums**2 / size) / (1.0 - 1.0 / size)
        return variances.reshape(-1, strata)

    def ratio_of_totals(self, measure: Measure) -> Floats:
        """Estimate a measure that divides one total by another, by row."""
        ratios = {"average precision": self.average_precision, "share of the ideal": self.share_of_ideal}
        return ratios[str(measure.estimator)](measure)

    def gains(self, measure: Measure) -> Floats:
        """Return what each document of the sample is worth."""
        return measure.gain_of(self.judgments.grade, self.judgments.top_grade)

    def average_precision(self, measure: Measure) -> Floats:
        """Estimate AP as the ratio of two totals, by row."""
        relevant = self.gains(measure) > 0
        base = sums_within(self.judgments.topic, relevant * self.weight, self.topics)
        kept = np.flatnonzero(relevant[self.document] & (self.rank <= (measure.cutoff or np.inf)))
        document = self.document[kept]
        cells = Cells(self.rows, self.row[kept], self.rank[kept], self.judgments.grade[document])
        weight = self.weight[document]
        precision = (1.0 + self._paired(cells, document, weight, cells.before)) / cells.rank
        return ratio(cells.sum(weight * precision), np.tile(base, self.runs))

    def share_of_ideal(self, measure: Measure) -> Floats:
        """Estimate a gain by rank as a share of the ideal list's, by row; there, 1/π may fill a part of a rank."""
        gains = self.gains(measure)
        counted = self.rank <= (measure.cutoff or np.inf)
        row, rank, document = self.row[counted], self.rank[counted], self.document[counted]
        mine = sums_within(row, self.weight[document] * gains[document] * measure.rank_weight(rank), self.rows)
        topic = self.judgments.topic
        order = np.lexsort((-gains, topic))
        order = order[gains[order] > 0]
        topic, weight = topic[order], self.weight[order]
        end = np.cumsum(weight)
        end -= (end - weight)[np.searchsorted(topic, topic)]
        last = measure.cutoff or int(np.ceil(end.max(initial=0.0)))
        up_to = np.append(0.0, np.cumsum(measure.rank_weight(np.arange(1, last + 1))))
        at_ends = [np.interp(place, np.arange(last + 1), up_to) for place in (end - weight, end)]
        ideal = sums_within(topic, gains[order] * (at_ends[1] - at_ends[0]), self.topics)
        return ratio(mine, np.tile(ideal, self.runs))

    def _paired(self, cells: Cells, document: Integers, terms: Floats, added: Callable[[Floats], Floats]) -> Floats:
        """Add up, for each cell, the terms of other cells, each times π_i π_j / π_ij of the two documents.

        That is 1 across strata, (1 - 1/N) / (1 - 1/n) within a stratum of which n of N were drawn.
        """
        total = added(terms)
        stratum = self.stratum[document]
        for h in range(self.size.shape[1]):
            size = self.size[cells.row % self.topics, h]
            together = (1.0 - self.probability[document] / size) / (1.0 - 1.0 / size)
            own = stratum == h
            total = total + own * (together - 1.0) * added(terms * own)
        return total

    def why_none(self, relevant: Booleans) -> str | None:
        """Say why the interval of a ratio would not hold, if it would not; not every topic was drawn whole."""
        found = f"{relevant.sum() / max(self.topics, 1):.1f} relevant documents of a topic were drawn"
        if self.uniform:
            return f"{found} by a uniform sample, which gives no valid interval: draw a stratified or a prior one"
        count = np.bincount(self.judgments.topic, minlength=self.topics)[~self.whole]
        # Independent draws leave the number to chance: that of a topic varies by no more than its root.
        if count.mean() < ENOUGH_DRAWN - 2 * np.sqrt(ENOUGH_DRAWN / len(count)) * self.independent.any():
            where = f"among {count.mean():.0f} documents, but {ENOUGH_DRAWN} are needed"
            return f"{found} {where} for a valid interval"
        return None

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.judgments.topics)

    @property
    def rows(self) -> int:
        """Number of rows: runs times topics."""
        return self.runs * self.topics


class Replicated(NamedTuple):
    """What `delete_a_group` finds."""

    whole: Floats  # (rows): θ of the whole sample
    value: Floats  # (rows): the same with its bias taken out
    means: Floats  # (groups, runs): the mean over topics without each group

    @property
    def variance(self) -> Floats:
        """Of the mean of the values over topics: array (runs)."""
        return _spread(self.means)

    def less(self, baseline: int) -> Floats:
        """Of the mean difference from one of the runs: array (runs)."""
        return _spread(self.means - self.means[:, baseline, np.newaxis])


def _spread(means: Floats) -> Floats:
    return np.asarray((SAMPLE_GROUPS - 1) * means.var(axis=0))


def delete_a_group(drawn: Drawn, values: Callable[[Drawn], Floats], seed: int) -> Replicated:
    """Estimate ratios ten times anew, each time without a tenth of every topic and stratum (delete-a-group jackknife).

        θ_J = G θ - (G - 1) · mean θ₍g₎,  v = (G - 1)/G · Σ_g (θ₍g₎ - mean θ₍g₎)²

    v is the variance of the mean over topics. There is no finite population correction: it makes intervals too
    narrow. Topics drawn whole, and strata of one document, stay as they are.

    Paper: Kott (2001), "The delete-a-group jackknife", Journal of Official Statistics 17(4).
    """
    group = drawn.cut(SAMPLE_GROUPS, seed)
    whole = values(drawn)
    without = np.array(
        [whole if drawn.whole.all() else values(drawn.without(group == each)) for each in range(SAMPLE_GROUPS)]
    )
    value = SAMPLE_GROUPS * whole - (SAMPLE_GROUPS - 1) * without.mean(axis=0)
    return Replicated(whole, value, without.reshape(SAMPLE_GROUPS, drawn.runs, drawn.topics).mean(axis=2))


def _joined(candidates: Candidates, sample: pl.DataFrame, judgments: Judgments) -> pl.DataFrame:
    """Return the sample with each document's place among the candidates, and its grade."""
    ids = [QUERY, DOCUMENT]
    grades = judgments.table().select(*ids, pl.col(RELEVANCE).cast(pl.Float64)).filter(pl.col(RELEVANCE).is_not_nan())
    places = candidates.ids.with_row_index("place")
    joined = sample.join(places, on=ids, how="left").join(grades, on=ids, how="left").sort("place")
    for column, wrong in (("place", "no run retrieved it"), (RELEVANCE, "it is not judged")):
        lacking = joined.filter(pl.col(column).is_null())
        if lacking.height:
            topic, document = lacking.select(QUERY, DOCUMENT).row(0)
            raise InputError(
                f"{lacking.height:,} of the {counted(joined.height, 'document')} of the sample cannot be used, the "
                f"first of them document {document!r} of topic {topic!r}: {wrong}"
            )
    return joined


def drawn_of(sample: pl.DataFrame) -> pl.DataFrame:
    """Return what was drawn of a sample that may list what was not; refuse one that contradicts itself."""
    if lacking := [name for name in (QUERY, DOCUMENT, PROBABILITY, STRATUM) if name not in sample.columns]:
        raise InputError(f"the sample has no column {lacking[0]}; columns found: {some_of(sample.columns)}")
    if not sample[PROBABILITY].is_between(0, 1, closed="right").all():
        raise InputError("the probability of a document of the sample must be above 0 and at most 1")
    if sample.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        raise InputError("the sample lists a document twice for one topic")
    listed = DRAWN in sample.columns
    if listed and not sample[DRAWN].is_in([0, 1]).all():
        raise InputError("the sample's column drawn must be 1 for a document that was drawn, and 0 for any other")
    _check_strata(sample if listed else sample.with_columns(pl.lit(1).alias(DRAWN)), listed=listed)
    return sample.filter(pl.col(DRAWN) != 0).drop(DRAWN) if listed else sample


def _check_strata(sample: pl.DataFrame, *, listed: bool) -> None:
    """Refuse strata that are no simple random samples of what is listed."""
    strata = sample.filter(pl.col(STRATUM).is_not_null()).group_by(QUERY, STRATUM, maintain_order=True)
    for topic, stratum, there, count, low, high in strata.agg(
        pl.len(), pl.col(DRAWN).sum().alias("count"), pl.col(PROBABILITY).min().alias("low"),
        pl.col(PROBABILITY).max().alias("high"),
    ).rows():  # fmt: skip
        where = f"topic {topic!r} of the sample has"
        if low < high:
            raise InputError(
                f"{where} probabilities from {low:g} to {high:g} in stratum {stratum}, which must have one"
            )
        if count == 1 and low < 1:
            raise InputError(f"{where} only one document of stratum {stratum}; a variance needs at least two")
        if listed and abs(count - low * there) > _NEAR * there:
            raise InputError(
                f"{where} {counted(there, 'document')} in stratum {stratum}, of which {count:,} were drawn, with the "
                f"probability {low:g}, not {count}/{there}: the sample does not list every document that could have "
                "been drawn"
            )


def cells_of(candidates: Candidates, place: Integers) -> tuple[Integers, Integers, Integers]:
    """Return row, rank and document of the cells of these places (rising), by row and rank."""
    document, cell = candidates.cells_of_each(place)
    row = candidates.cell_run[cell] * len(candidates.topics) + candidates.topic[place][document]
    order = np.lexsort((candidates.cell_rank[cell], row))
    return row[order], candidates.cell_rank[cell][order], document[order]
