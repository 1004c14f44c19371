"""A golden set as the tools of retrieval-augmented generation write it, read: questions, evidence, and lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted


class GoldenRemark(NamedTuple):
    """Something to know about a golden set before its scores are trusted."""

    grave: bool
    code: str
    number: int
    says: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.says}: {self.advice}" if self.advice else self.says


class Matched(NamedTuple):
    """How many texts were looked for among documents, and found.

    Attributes
    ----------
    texts
        The number of texts.
    unmatched
        Those that no document matches.
    several
        The number of texts that more than one document matches.
    """

    texts: int = 0
    unmatched: tuple[str, ...] = ()
    several: int = 0


@dataclass(frozen=True, repr=False)
class GoldenSet:
    """A golden set: questions, the documents that answer them, and perhaps what a system retrieved.

    It can be given wherever judgments or runs are.

    Attributes
    ----------
    source
        What the file is called.
    format
        The tool whose format it has.
    questions
        The text of each question, by topic; the topic is the question itself where the set has no ids.
    qrels
        ``{topic: {document: grade}}``. A question with an empty list of evidence has no answer: ``{}``.
    run
        ``{topic: [document, ...]}``, the best first: what a system retrieved, or an answer refers to.
    evidence, retrieved
        How the texts of the evidence, and of what was retrieved, were found among documents.
    unsaid
        Questions of which the set does not say what answers them. They are not among the qrels.
    lost
        Questions whose texts match no document at all. They are not among the qrels either.
    unsought
        Questions with texts that were not looked for, since no documents were given: of the evidence, and
        of what was retrieved.
    """

    source: str
    format: str
    questions: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, float]]
    run: Mapping[str, Sequence[str]]
    evidence: Matched = field(default_factory=Matched)
    retrieved: Matched = field(default_factory=Matched)
    unsaid: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unsought: tuple[int, int] = (0, 0)

    def __repr__(self) -> str:
        return f"GoldenSet({self})"

    def __str__(self) -> str:
        empty = sum(not judged for judged in self.qrels.values())
        judged = f"{counted(len(self.qrels), 'question')} judged" + (f" ({empty} without an answer)" if empty else "")
        return f"{self.format}: {judged}, {counted(len(self.run), 'list')}"

    def judged(self) -> Mapping[str, Mapping[str, float]]:
        """Return the judgments, of which there must be some."""
        self._refuse_unsought("evidence", self.unsought[0])
        if not self.qrels and self.lost:
            raise InputError("no document matches any text of it: are these its documents?", source=self.source)
        if not self.qrels:
            raise InputError(f"a golden set ({self.format}) that says nothing of evidence", source=self.source)
        return self.qrels

    def ranked(self) -> Mapping[str, Sequence[str]]:
        """Return the lists, of which there must be some."""
        self._refuse_unsought("retrieval", self.unsought[1])
        if not self.run:
            raise InputError(f"a golden set ({self.format}) that says nothing of retrieval", source=self.source)
        return self.run

    def _refuse_unsought(self, of: str, questions: int) -> None:
        """Refuse texts that nobody looked for: the questions would be taken for others."""
        if questions:
            raise InputError(
                f"a golden set ({self.format}) with texts of {of}, and no ids: they are found among documents by "
                "--docs (of evaluate and convert), or docs= of read_golden",
                source=self.source,
            )

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for whatever was not found, or not said."""
        return tuple(map(str, (*self.told(), *self.told_of_run())))

    def told(self) -> Iterator[GoldenRemark]:
        """Tell what to know about the judgments."""
        yield from _of_texts("evidence", self.evidence, "what they say counts nowhere")
        if self.lost:
            says = f"{counted(len(self.lost), 'question')} left out, whose texts no document matches"
            yield GoldenRemark(
                True, "questions lost", len(self.lost), says, "longer documents may hold them: match within"
            )
        if self.unsaid:
            says = f"{counted(len(self.unsaid), 'question')} left out, of which the golden set names no evidence"
            yield GoldenRemark(
                False, "questions unsaid", len(self.unsaid), says, "an empty list says that there is none"
            )
        yield from _of_unsought("evidence", self.unsought[0])

    def told_of_run(self) -> Iterator[GoldenRemark]:
        """Tell what to know about the lists."""
        yield from _of_texts("retrieval", self.retrieved, "they keep their ranks, as unjudged documents")
        yield from _of_unsought("retrieval", self.unsought[1])


def _of_unsought(of: str, questions: int) -> Iterator[GoldenRemark]:
    if questions:
        says = f"{counted(questions, 'question')} with texts of {of} left out"
        yield GoldenRemark(
            True, f"{of} without documents", questions, says, "give the documents in which they are found"
        )


def _of_texts(of: str, found: Matched, then: str) -> Iterator[GoldenRemark]:
    if found.unmatched:
        first = found.unmatched[0]
        shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN]} …"
        says = (
            f"{len(found.unmatched):,} of {counted(found.texts, 'text')} of {of} match no document (first: {shown!r})"
        )
        yield GoldenRemark(True, f"unmatched {of}", len(found.unmatched), says, then)
    if found.several:
        says = f"{counted(found.several, 'text')} of {of} found in several documents"
        every = "each of them counts" if of == "evidence" else "the first by id is taken"
        yield GoldenRemark(False, f"{of} in several documents", found.several, says, every)


_SHOWN = 40
