"""Evidence: how much of the text that answers is in the chunks of a list, and how much else has to be read.

These are measures of chunks and spans of text, not of ranked documents: `cranfield.evidence` computes them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Never

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import UNRANKED, Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.measures.framework.parameters import cutoff, level, parameter
from cranfield.plumbing.arrays import Floats, ratio, sums_within
from cranfield.plumbing.errors import MeasureError

if TYPE_CHECKING:
    from cranfield.judged.chunks import JudgedChunks, ReadText


class OfChunks(Measure, registered=False):
    """A measure of the chunks of a list, by the evidence in them."""

    bounds_are = "none: text outside the spans is no evidence"
    cutoff: int | None = cutoff()
    budget: int | None = parameter(
        None, "how much is read, in the unit that text is measured in; the chunk that exceeds it is cut", kind=int,
        at_least=1,
    )  # fmt: skip

    def __init_subclass__(cls, *, registered: bool = True) -> None:
        super().__init_subclass__(registered=False)
        if registered:
            UNRANKED[cls.__name__] = cls

    def compute(self, rankings: JudgedRankings) -> Never:
        """Refuse ranked documents."""
        raise MeasureError(
            f"{self} is of chunks and spans of text: see `cranfield evidence` and cf.evidence(), whose scores "
            "compare, gate and report take (--chunks)"
        )

    @abstractmethod
    def judged(self, chunks: JudgedChunks) -> Floats:
        """Give the value of each topic; the cutoff and the budget were applied."""

    def by_topic(self, chunks: JudgedChunks) -> Floats:
        """Give the value of each topic, 0 where the run lacks it."""
        return np.where(chunks.present, self.judged(chunks.cut(self.cutoff, self.budget)), 0.0)

    def of_chunks(self, spans: Sequence[tuple[float, ...]], chunks: Sequence[tuple[int, int]]) -> float:
        """Measure one list of chunks of one document."""
        from cranfield.judged.chunks import one_list

        return float(self.by_topic(one_list(spans, chunks))[0])


class OfEvidence(OfChunks, registered=False):
    """A measure that takes text as evidence or not."""

    rel: float | None = level()


class EvidenceR(OfEvidence):
    """What share of the evidence is in the first k chunks?

    EvidenceR@k = (evidence in the first k chunks, each character once) / (all evidence of the topic)

    Evidence is measured in characters, words or tokens, so that chunks of any size are compared by the same text.

    Paper: Smith and Troynikov (2024), "Evaluating Chunking Strategies for Retrieval", Chroma.

    >>> EvidenceR().of_chunks([(0, 10), (20, 30)], [(5, 25), (0, 10)])  # 5 and 5, then 5 more: 15 of 20
    0.75
    """

    def judged(self, chunks: JudgedChunks) -> Floats:
        """Found over all."""
        return ratio(chunks.relevant(self.rel), chunks.evidence.total(self.rel))


class EvidenceP(OfEvidence):
    """What share of the text that is read is evidence?

    EvidenceP@k = (evidence in the first k chunks, each character once) / (length of the first k chunks)

    Evidence that is read again is no evidence any more, and costs as much as before. An empty list has the value 0.

    Paper: Smith and Troynikov (2024), "Evaluating Chunking Strategies for Retrieval", Chroma.

    >>> EvidenceP().of_chunks([(0, 10), (20, 30)], [(5, 25), (0, 10)])  # 15 of 20 + 10
    0.5
    """

    uses_recall_base = False

    def judged(self, chunks: JudgedChunks) -> Floats:
        """Found over read."""
        return ratio(chunks.relevant(self.rel), chunks.read())


class EvidenceIoU(OfEvidence):
    """How much do the evidence and the text that is read have in common?

    EvidenceIoU@k = found / (read + evidence - found), with found the evidence in the first k chunks (each
    character once), read their length, and evidence all evidence of the topic

    The intersection over union of Chroma's chunking_evaluation: overlap of chunks counts in the denominator only.

    Paper: Smith and Troynikov (2024), "Evaluating Chunking Strategies for Retrieval", Chroma.

    >>> EvidenceIoU().of_chunks([(0, 10), (20, 30)], [(5, 25), (0, 10)])  # 15 / (30 + 20 - 15)
    0.428...
    """

    def judged(self, chunks: JudgedChunks) -> Floats:
        """Found over union."""
        found = chunks.relevant(self.rel)
        return ratio(found, chunks.read() + chunks.evidence.total(self.rel) - found)


class EvidencenDCG(OfChunks):
    """How early is the evidence read, the best first?

    EvidencenDCG@k = DCG / (DCG of all evidence, read alone, the highest grades first), with DCG = Σ grade / log2(1 +
    page) over the evidence in the first k chunks (each character once), page being the page of the text on which it
    is read

    A page is to the reader of chunks what a rank is to the reader of documents. The text that is read, whatever its
    chunks, is cut into pages of 1,000 characters (or 200 words or tokens), so that a large chunk that begins with other
    text delays what it holds. With a budget the ideal ends there, too; a cutoff ends the list alone, since a chunk
    may hold any amount of evidence. A character that several spans cover has the highest of their grades.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4); Sakai
    and Dou (2013), "Summaries, ranked retrieval and sessions: a unified framework for information access evaluation",
    SIGIR, for positions in the text that is read.

    >>> EvidencenDCG(page=10).of_chunks([(10, 20)], [(0, 20)])  # all of it on page 2: 10 / log2(3), of 10 / log2(2)
    0.630...
    """

    graded = True
    page: int | None = parameter(
        None, "how much text counts as one rank (by default 1,000 characters, or 200 words or tokens)", kind=int,
        at_least=1,
    )  # fmt: skip

    def judged(self, chunks: JudgedChunks) -> Floats:
        """DCG over the ideal one."""
        page = self.page or chunks.page
        ideal = chunks.evidence.best_first.cut(None, self.budget)
        found, most = (_gain(read, page, len(chunks.present)) for read in (chunks.found, ideal))
        return ratio(found, most)


def _gain(read: ReadText, page: int, topics: int) -> Floats:
    """Return the discounted gain of what is read, by topic."""
    discounted = read.grade * (_discounts(read.at + read.units, page) - _discounts(read.at, page))
    return sums_within(read.topic, discounted, topics)


def _discounts(read: Floats, page: int) -> Floats:
    """Add the discounts up to a place in the text: they are the same on all of a page."""
    pages = (read // page).astype(np.int64)
    discount = 1 / np.log2(2 + np.arange(pages.max(initial=0) + 1))
    before = page * (np.cumsum(discount) - discount)
    discounts: Floats = before[pages] + (read - pages * page) * discount[pages]
    return discounts


class EvidenceCost(OfChunks):
    """How much has to be read?

    EvidenceCost@k = length of the first k chunks, what is read again included

    Lower is better, of runs that find the same. A run that lacks a topic reads nothing of it.

    >>> EvidenceCost().of_chunks([(0, 10), (20, 30)], [(5, 25), (0, 10)])
    30.0
    """

    range = (0.0, float("inf"))
    uses_recall_base = False
    higher_is_better = False

    def judged(self, chunks: JudgedChunks) -> Floats:
        """Everything that is read."""
        return chunks.read()


def measures_of_chunks(names: MeasureNames, budget: int | None) -> list[OfChunks]:
    """Read the names of such measures; those without a budget get this one."""
    found = list[OfChunks]()
    for measure in parse_measures(names):
        if not isinstance(measure, OfChunks):
            known = ", ".join(name for name, kind in UNRANKED.items() if issubclass(kind, OfChunks))
            raise MeasureError(f"{measure} is of ranked documents; measures of chunks are {known}")
        found.append(measure if budget is None else measure.with_parameters({"budget": budget}))
    return list(dict.fromkeys(found))
