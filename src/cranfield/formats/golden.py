"""A golden set that was read: questions, what answers them, and what systems retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Final, NamedTuple, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.wording import counted, named

Ranked: TypeAlias = Sequence[str] | Sequence[tuple[str, float]]
"""The documents of a list, the best first, or with their scores."""


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
    """How many texts were looked for among documents; which no document matches, and how many match several."""

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
        ``{topic: [document, ...]}``, the best first: what a system retrieved, or an answer refers to. Where the
        records have scores it is ``{topic: [(document, score), ...]}``.
    runs
        ``{system: run}`` where the records name their system; ``run`` is that of the first.
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
    run: Mapping[str, Ranked]
    evidence: Matched = field(default_factory=Matched)
    retrieved: Matched = field(default_factory=Matched)
    unsaid: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unsought: tuple[int, int] = (0, 0)
    runs: Mapping[str, Mapping[str, Ranked]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"GoldenSet({self})"

    def __str__(self) -> str:
        empty = sum(not judged for judged in self.qrels.values())
        judged = f"{counted(len(self.qrels), 'question')} judged" + (f" ({empty} without an answer)" if empty else "")
        lists = sum(map(len, self.runs.values())) if self.runs else len(self.run)
        return f"{self.format}: {judged}, {counted(lists, 'list')}"

    @property
    def scored(self) -> bool:
        """Whether the documents of its lists have scores; without them they are in their order."""
        return isinstance(next((ranked[0] for ranked in self.run.values() if ranked), None), tuple)

    def judged(self) -> Mapping[str, Mapping[str, float]]:
        """Return the judgments, of which there must be some."""
        self._refuse_unsought("evidence", self.unsought[0])
        if not self.qrels and self.lost:
            raise InputError("no document matches any of its texts: are these its documents?", source=self.source)
        if not self.qrels:
            raise InputError(f"a golden set ({self.format}) without evidence", source=self.source)
        return self.qrels

    def ranked(self) -> Mapping[str, Ranked]:
        """Return the lists, of which there must be some, all of one system."""
        self._refuse_unsought("retrieval", self.unsought[1])
        if not self.run:
            raise InputError(f"a golden set ({self.format}) without retrieved documents", source=self.source)
        if len(self.runs) > 1:
            raise InputError(f"has lists of {len(self.runs)} systems: {named([*self.runs])}", source=self.source)
        return self.run

    def by_system(self) -> Mapping[str, Mapping[str, Ranked]]:
        """Return the lists of each system, which has no name where the records name none."""
        return self.runs if len(self.runs) > 1 else {next(iter(self.runs), ""): self.ranked()}

    def _refuse_unsought(self, of: str, questions: int) -> None:
        """Refuse texts that nobody looked for: the questions would be taken for others."""
        if questions:
            part, other = ("qrels", "-qrels.json") if of == "evidence" else ("run", "-run.json")
            stem = self.source.rpartition("/")[2].partition(".")[0]
            convert = f"`cranfield convert {quote(self.source)} --docs FILE --{part} {stem}{other}`"
            read = f"cranfield.read_golden({self.source!r}, docs=FILE)"
            how = f"--docs FILE of evaluate, or {convert}" if in_shell() else f"{read}, given instead"
            raise InputError(
                f"a golden set ({self.format}) with texts of {of}, and no ids: they are found among documents by {how}",
                source=self.source,
            )

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for whatever was not found, or not said."""
        return tuple(map(str, (*self.told(), *self.told_of_run())))

    def told(self) -> Iterator[GoldenRemark]:
        """Tell what to know about the judgments."""
        unmatched, several, unsought = _of_texts(
            "evidence", self.evidence, self.unsought[0], "they are left out", "each of them counts"
        )
        lost = f"{counted(len(self.lost), 'question')} left out, whose texts no document matches"
        unsaid = f"{counted(len(self.unsaid), 'question')} left out, for which the golden set names no evidence"
        of_questions = (
            GoldenRemark(True, "questions lost", len(self.lost), lost, "longer documents: match within"),
            GoldenRemark(False, "questions unsaid", len(self.unsaid), unsaid, "an empty list means that none exists"),
        )
        return (each for each in (unmatched, several, *of_questions, unsought) if each.number)

    def told_of_run(self) -> Iterator[GoldenRemark]:
        """Tell what to know about the lists."""
        then, every = "they keep their ranks, as unjudged documents", "the first by id counts"
        return (each for each in _of_texts("retrieval", self.retrieved, self.unsought[1], then, every) if each.number)


def _of_texts(of: str, found: Matched, unsought: int, then: str, every: str) -> tuple[GoldenRemark, ...]:
    """Say how many texts no document has, how many several have, and of how many questions nobody looked for any."""
    first = next(iter(found.unmatched), "")
    shown = first if len(first) <= _LETTERS_SHOWN else f"{first[:_LETTERS_SHOWN]} …"
    many, texts = len(found.unmatched), f"{counted(found.texts, 'text')} of {of}"
    unmatched = f"{many:,} of {texts} match no document (first: {shown!r})"
    several = f"{counted(found.several, 'text')} of {of} found in several documents"
    left_out = f"{counted(unsought, 'question')} with texts of {of} left out"
    return (
        GoldenRemark(True, f"unmatched {of}", many, unmatched, then),
        GoldenRemark(False, f"{of} in several documents", found.several, several, every),
        GoldenRemark(True, f"{of} without documents", unsought, left_out, "give the documents in which they are found"),
    )


_LETTERS_SHOWN: Final = 40
