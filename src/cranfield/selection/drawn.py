"""A sample that was judged, joined with the runs: totals over all candidates, and their variances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.rankings import Cells
from cranfield.measures.average_precision import AP
from cranfield.measures.counts import NumRel
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, ratio, sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.plumbing.wording import counted
from cranfield.selection.candidates import Candidates
from cranfield.selection.sampling import PROBABILITY, STRATUM

Estimable: TypeAlias = UserModel | AP | NumRel
"""What there is an estimate of."""


class Drawn:
    """A sample with its grades, and where each of its documents stands in the runs.

    A row is one run on one topic, as in `JudgedRankings`; a cell is a document of the sample in a
    row.

    Attributes
    ----------
    judgments
        The documents of the sample, by topic, with their grades.
    probability, stratum
        For each document, π, and its stratum from 1 (of independent draws, 0).
    size
        Array of shape (topics, strata): how many documents were drawn. Infinite where that is no
        matter of chance, in strata drawn whole, and where documents were drawn independently: the
        limit that the variances then have.
    runs
        How many runs there are.
    row, rank, document
        For each cell, by row and rank: its row, its rank (from 1) and which document of the sample
        it is.
    """

    def __init__(
        self, candidates: Candidates, sample: pl.DataFrame, judged: Judgments, top_grade: float | None
    ) -> None:
        grades = _joined(candidates, sample, judged)
        topic = grades["code"].to_numpy()
        top_grade = judged.top_grade if top_grade is None else top_grade
        self.judgments = Judgments.of_grades(topic, grades[RELEVANCE].to_numpy(), len(candidates.topics), top_grade)
        self.runs = len(candidates.runs)
        self.probability: Floats = grades[PROBABILITY].to_numpy()
        self.stratum: Integers = grades[STRATUM].rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
        self.size = self._sizes(grades[STRATUM].is_null().to_numpy())
        self.row, self.rank, self.document = _cells(candidates, grades["place"].to_numpy())

    @property
    def weight(self) -> Floats:
        """How many candidates each document stands for: 1/π."""
        return 1.0 / self.probability

    def estimate(self, measure: Estimable) -> tuple[Floats, Floats]:
        """Return the estimate and its variance, by row."""
        if isinstance(measure, AP):
            return self.average_precision(measure)
        if isinstance(measure, NumRel):
            row, document = self.of_all_runs(np.flatnonzero(is_relevant(self.judgments.grade, measure.rel)))
            return self.total(row, document, np.ones(len(row)))
        counted = self.rank <= (measure.cutoff or np.inf)
        row, rank, document = self.row[counted], self.rank[counted], self.document[counted]
        gains = measure.gain_of(self.judgments.grade, self.judgments.top_grade)
        return self.total(row, document, measure.weight(rank) * gains[document])

    def _sizes(self, independent: Booleans) -> Floats:
        """Count the documents of each stratum, as `size` says."""
        strata = int(self.stratum.max(initial=0)) + 1
        group = self.judgments.topic * strata + self.stratum
        count = np.bincount(group, minlength=self.topics * strata).astype(np.float64)
        count[group[independent | (self.probability == 1)]] = np.inf
        count[count == 0] = np.inf
        return count.reshape(self.topics, strata)

    def total(self, row: Integers, document: Integers, y: Floats) -> tuple[Floats, Floats]:
        """Estimate the total of y, by row, and its variance."""
        value = sums_within(row, y * self.weight[document], self.rows)
        return value, self.variance(row, document, y)

    def variance(self, row: Integers, document: Integers, y: Floats) -> Floats:
        """Estimate the variance of the estimated total of y, by row; no document twice in a row."""
        expanded = y * self.weight[document]
        left_out = 1.0 - self.probability[document]
        strata = self.size.shape[1]
        group = row * strata + self.stratum[document]
        squares = sums_within(group, left_out * expanded**2, self.rows * strata)
        sums = sums_within(group, np.sqrt(left_out) * expanded, self.rows * strata)
        size = np.tile(self.size, (self.runs, 1)).ravel()
        variances: Floats = (squares - sums**2 / size) / (1.0 - 1.0 / size)
        by_row: Floats = variances.reshape(-1, strata).sum(axis=1)
        return by_row

    def average_precision(self, measure: AP) -> tuple[Floats, Floats]:
        """Estimate AP as the ratio of two totals, by row, and the variance of the linearised ratio."""
        relevant = is_relevant(self.judgments.grade, measure.rel)
        base = sums_within(self.judgments.topic, relevant * self.weight, self.topics)
        base = np.tile(base, self.runs)
        kept = np.flatnonzero(relevant[self.document] & (self.rank <= (measure.cutoff or np.inf)))
        document = self.document[kept]
        cells = Cells(self.rows, self.row[kept], self.rank[kept], self.judgments.grade[document])
        weight = self.weight[document]
        precision = (1.0 + self._paired(cells, document, weight, cells.before)) / cells.rank
        value = ratio(cells.sum(weight * precision), base)
        below = self._paired(cells, document, weight / cells.rank, lambda terms: _below(cells, terms))
        return value, self._ratio_variance(cells, document, precision + below, value, base, np.flatnonzero(relevant))

    def _paired(self, cells: Cells, document: Integers, terms: Floats, added: Callable[[Floats], Floats]) -> Floats:
        """Add up, for each cell, the terms of other cells, each times π_i π_j / π_ij of the two documents.

        In different strata that is 1; in the same one (1 - 1/N) / (1 - 1/n), where n of N were
        drawn.
        """
        total = added(terms)
        stratum = self.stratum[document]
        for h in range(self.size.shape[1]):
            size = self.size[cells.row % self.topics, h]
            together = (1.0 - self.probability[document] / size) / (1.0 - 1.0 / size)
            own = stratum == h
            total = total + own * (together - 1.0) * added(terms * own)
        return total

    def _ratio_variance(
        self, cells: Cells, document: Integers, slope: Floats, value: Floats, base: Floats, relevant: Integers
    ) -> Floats:
        """Estimate the variance of Y/R through that of the total of (∂Y/∂w - Y/R) / R over relevant documents."""
        row, all_of_row = self.of_all_runs(relevant)
        linear = -value[row]
        place = np.searchsorted(relevant, document)
        linear[cells.row // self.topics * len(relevant) + place] += slope
        return self.variance(row, all_of_row, ratio(linear, base[row]))

    def of_all_runs(self, documents: Integers) -> tuple[Integers, Integers]:
        """Put documents into the rows of their topic of all runs: the row and the document of each, by run."""
        row = self.judgments.topic[documents] + self.topics * np.arange(self.runs)[:, np.newaxis]
        return row.ravel(), np.tile(documents, self.runs)

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.judgments.topics)

    @property
    def rows(self) -> int:
        """Number of rows: runs times topics."""
        return self.runs * self.topics


def _joined(candidates: Candidates, sample: pl.DataFrame, judgments: Judgments) -> pl.DataFrame:
    """Return the sample with the code of each topic, each document's place among the candidates, and its grade."""
    _check_sample(sample)
    topics = pl.DataFrame({QUERY: candidates.topics}, schema={QUERY: pl.String}).with_row_index("code")
    places = pl.DataFrame({"code": candidates.topic, DOCUMENT: candidates.document}).with_row_index("place")
    grades = pl.DataFrame(
        {
            QUERY: pl.Series(judgments.topics, dtype=pl.String).gather(judgments.topic),
            DOCUMENT: judgments.document,
            RELEVANCE: judgments.grade,
        }
    ).filter(pl.col(RELEVANCE).is_not_nan())
    joined = (
        sample.join(topics.cast({"code": places.schema["code"]}), on=QUERY, how="left")
        .join(places, on=["code", DOCUMENT], how="left")
        .join(grades, on=[QUERY, DOCUMENT], how="left")
        .sort("place")
    )
    for column, wrong in (("place", "no run retrieved it"), (RELEVANCE, "it is not judged")):
        lacking = joined.filter(pl.col(column).is_null())
        if lacking.height:
            topic, document = lacking.select(QUERY, DOCUMENT).row(0)
            raise InputError(
                f"{lacking.height} of the {counted(joined.height, 'document')} of the sample cannot be used, the "
                f"first of them document {document!r} of topic {topic!r}: {wrong}"
            )
    return joined


def _check_sample(sample: pl.DataFrame) -> None:
    lacking = [name for name in (QUERY, DOCUMENT, PROBABILITY, STRATUM) if name not in sample.columns]
    if lacking:
        raise InputError(f"the sample has no column {lacking[0]}; columns there: {', '.join(sample.columns)}")
    if not sample[PROBABILITY].is_between(0, 1, closed="right").all():
        raise InputError("the probability of a document of the sample must be above 0 and at most 1")
    if sample.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        raise InputError("the sample has a document twice in one topic")
    strata = sample.filter(pl.col(STRATUM).is_not_null()).group_by(QUERY, STRATUM, maintain_order=True)
    for topic, stratum, count, low, high in strata.agg(
        pl.len(), pl.col(PROBABILITY).min().alias("low"), pl.col(PROBABILITY).max().alias("high")
    ).rows():
        where = f"topic {topic!r} of the sample has"
        if low < high:
            raise InputError(
                f"{where} probabilities from {low:g} to {high:g} in stratum {stratum}, which is to have one"
            )
        if count == 1 and low < 1:
            raise InputError(f"{where} only one document of stratum {stratum}; two at least tell how they vary")


def _cells(candidates: Candidates, place: Integers) -> tuple[Integers, Integers, Integers]:
    """Return row, rank and document of the cells of these places (rising), by row and rank."""
    document, nth = members(np.diff(candidates.start)[place])
    cell = candidates.start[place][document] + nth
    row = candidates.cell_run[cell] * len(candidates.topics) + candidates.topic[place][document]
    order = np.lexsort((candidates.cell_rank[cell], row))
    return row[order], candidates.cell_rank[cell][order], document[order]


def _below(cells: Cells, terms: Floats) -> Floats:
    """For each cell, the sum of the terms of its row below it."""
    return cells.sum(terms)[cells.row] - cells.running(terms)
