"""How golden sets are read: the records of their questions, and the documents that their texts match."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Final, Literal, Self, TypeAlias

from cranfield.formats import files
from cranfield.formats.columns import Kind
from cranfield.formats.documents import Document, Documents, read_documents
from cranfield.formats.files import FilePath
from cranfield.formats.golden import GOLDEN_SHAPES, GoldenSet, Matched, Shape, records_of
from cranfield.formats.loading import load
from cranfield.formats.records import RecordPart, placed
from cranfield.formats.topic_tables import an_id
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.guesses import fields_proposal
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import FieldPaths, NamesLike, Naming
from cranfield.plumbing.options import checked, shown

Match: TypeAlias = Literal["exact", "within"]
"""When a document matches a text: it is the same but for blanks, or the text lies within it."""
DocumentsLike: TypeAlias = FilePath | Documents | Mapping[str, str]
"""Texts of documents: a file or folder, what `read_documents` returned, or ``{document: text}``."""
GoldenLike: TypeAlias = FilePath | Iterable[Any] | Mapping[str, Any]
"""A golden set: a file, or what it holds."""

_OTHER: Final = Shape("records", (), {})
_NONE: Final = "N/A"
"""What BRIGHT writes where there is nothing."""


def read_golden(
    given: GoldenLike,
    *,
    docs: DocumentsLike | None = None,
    fields: NamesLike | FieldPaths | None = None,
    match: Match = "exact",
) -> GoldenSet:
    """Read a golden set: questions, and what answers them, as ids or as texts.

    Where the set has ids, these are the documents. Where it has texts, each text is looked for among the
    documents; what none matches is counted, and never guessed. The topic is the id of the question where the set has
    one, and otherwise the question.

    Parameters
    ----------
    given
        A file of JSON or JSON lines, packed or not, or what it holds. It is told by its content: RAGAS, DeepEval,
        LlamaIndex, BRIGHT, or answers of TREC's RAG track. LangSmith's examples, and any other records, need
        ``fields``.
    docs
        The texts of the documents: a file or folder that `read_documents` reads, what it returned, or ``{document:
        text}``.
    fields
        Where other records have what is read: ``{"question": "inputs.question", "relevant": "outputs.ids"}``. The
        names are question, topic, relevant, relevant_texts, retrieved and retrieved_texts. A path goes
        through objects by dots, and through each element of a list.
    match
        A document matches a text if both are the same but for blanks (``"exact"``), or if the text lies
        ``"within"`` the document.

    Returns
    -------
    GoldenSet : with ``qrels`` and ``run``; it can be given to `evaluate` as either.

    Raises
    ------
    InputError
        If it is no golden set that is known, or a record lacks its question.

    Examples
    --------
    >>> golden = [{"user_input": "Why?", "reference_contexts": ["Because  it is."]},
    ...           {"user_input": "When?", "reference_contexts": []},
    ...           {"user_input": "Who?", "reference_contexts": ["Nobody."]}]
    >>> found = read_golden(golden, docs={"d1": "Because it is.", "d2": "Never."})
    >>> found.qrels, found.lost
    ({'Why?': {'d1': 1}, 'When?': {}}, ('Who?',))
    >>> print(found.remarks()[0])
    1 of 2 texts of evidence match no document (first: 'Nobody.'): what they say counts nowhere
    """
    return read_records(given, docs=docs, naming=Naming.of(fields=fields), match=match).golden()


def read_records(
    given: GoldenLike, *, naming: Naming, docs: DocumentsLike | None = None, match: Match = "exact"
) -> GoldenRecords:
    """Find the records of a golden set, and which tool wrote them: see `read_golden`."""
    match = checked("match", match, Match)
    source = files.called(given) if isinstance(given, str | os.PathLike) else "golden set"
    held: object = given
    if isinstance(given, str | os.PathLike):
        held = load(given).json(texts=True)
    elif not isinstance(given, Mapping):
        held = list(given)
    return GoldenRecords.of(held, source, naming.paths, docs, match)


@dataclass
class GoldenRecords:
    """The reading of one golden set: what is found of it on the way."""

    source: str
    records: list[Any]
    shape: Shape
    paths: Mapping[str, tuple[str, ...]]
    matcher: Matcher | None
    questions: dict[str, str] = field(default_factory=dict)
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    run: dict[str, list[str]] = field(default_factory=dict)
    lost: dict[str, None] = field(default_factory=dict)
    unsought: dict[str, dict[str, None]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        held: object,
        source: str,
        asked: Mapping[str, tuple[str, ...]],
        docs: DocumentsLike | None,
        match: Match,
    ) -> GoldenRecords:
        """Find the records, and which tool wrote them."""
        records = records_of(held)
        first = records[0] if records and isinstance(records[0], Mapping) else {}
        shape = next((shape for shape in GOLDEN_SHAPES if shape.knows(first)), _OTHER)
        paths = {**shape.fields, **asked}
        if not records or ("question" not in paths and "topic" not in paths):
            known = ", ".join(dict.fromkeys(shape.name for shape in GOLDEN_SHAPES))
            how = f"; {fields_proposal(first, 'relevant')}" if first else ""
            raise InputError(f"no golden set that is known ({known}){how}", source=source)
        if not {*paths} - {"question", "topic"}:
            raise InputError(
                f"{shape.name}'s records do not say by themselves what answers a question; "
                f"{fields_proposal(first, 'relevant')}",
                source=source,
            )
        return cls(source, records, shape, paths, None if docs is None else Matcher(docs, match))

    def having(self, kind: Kind) -> Self:
        """Refuse records of which nothing says what was retrieved, or of qrels what is relevant."""
        part, noun = ("retrieved", "retrieval") if kind.is_run else ("relevant", "evidence")
        if not {part, f"{part}_texts"} & {*self.paths}:
            says = f"a golden set ({self.shape.name}) that says nothing of {noun}"
            raise InputError(f"{says}; {fields_proposal(self.records[0], part)}", source=self.source)
        return self

    def golden(self) -> GoldenSet:
        """Read all records."""
        kinds = {name: _FIELDS[name] or partial(_texts, " or ".join(paths)) for name, paths in self.paths.items()}
        parts = {name: RecordPart(paths, kinds[name], into_lists=True) for name, paths in self.paths.items()}
        for line, record in enumerate(self.records, start=1):
            with placed(self.source, line):
                if not isinstance(record, Mapping):
                    raise InputError(f"a question is an object, not {shown(record)}")
                self._take(record, parts)
        texts = self.matcher or Matcher({}, "exact")
        lost = tuple(topic for topic in self.lost if topic not in self.qrels)
        sought, listed = (self.unsought.get(name, {}) for name in ("relevant_texts", "retrieved_texts"))
        known = {*self.qrels, *self.lost, *sought}
        unsaid = tuple(topic for topic in self.questions if topic not in known)
        judging = any(name in self.paths for name in ("relevant", "relevant_texts"))
        return GoldenSet(
            self.source, self.shape.name, self.questions, self.qrels, self.run,
            texts.looked_for("evidence"), texts.looked_for("retrieval"), unsaid if judging else (), lost,
            (len(sought), len(listed)),
        )  # fmt: skip

    def _take(self, record: Mapping[str, Any], parts: Mapping[str, RecordPart]) -> None:
        """Take one question: its evidence adds to what it had, its list may be there once."""

        def of(name: str) -> Any:
            return parts[name].of(record) if name in parts else None

        def texts_of(name: str) -> list[str] | None:
            texts: list[str] | None = of(name)
            if texts and self.matcher is None:
                self.unsought.setdefault(name, {})[topic] = None
            return texts

        question, topic = of("question"), of("topic")
        if topic is None and not question:
            paths = " or ".join((*self.paths.get("topic", ()), *self.paths.get("question", ())))
            raise InputError(f"the question is missing ({paths})")
        topic = str(question) if topic is None else topic
        self.questions.setdefault(topic, question or "")
        # Evidence of a question may stand in several records and adds up; what was retrieved is one list.
        judged = of("relevant")
        judged = self._evidence(topic, texts_of("relevant_texts")) if judged is None else judged
        if judged is not None:
            self.qrels.setdefault(topic, {}).update(judged)
        ranked = of("retrieved")
        ranked = self._found(texts_of("retrieved_texts")) if ranked is None else ranked
        if ranked is not None:
            if topic in self.run:
                raise InputError(f"the question {topic!r} has two lists")
            self.run[topic] = ranked

    def _evidence(self, topic: str, texts: list[str] | None) -> dict[str, float] | None:
        """Return the documents with the texts that answer it: none where nothing does, None where that is not known."""
        if texts is None or self.matcher is None:
            return {} if texts == [] else None
        found: dict[str, float] = {one: 1 for text in texts for one in self.matcher.found("evidence", text)}
        if texts and not found:
            self.lost[topic] = None
            return None
        return found

    def _found(self, texts: list[str] | None) -> list[str] | None:
        """Return the documents with the texts that were retrieved, the best first; None where that is not known."""
        if texts is None or self.matcher is None:
            return [] if texts == [] else None
        return [(self.matcher.found("retrieval", text) or (self.matcher.stranger(text),))[0] for text in texts]


def _question(value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"the question is {shown(value)}, and no text")
    return value


def _relevant(value: object) -> dict[str, float]:
    if isinstance(value, Mapping):
        return {an_id(document, "document"): _grade(grade) for document, grade in value.items()}
    return dict.fromkeys(_ids(value), 1)


def _ids(value: object) -> list[str]:
    """Return ids as text; one may stand without a list."""
    several = value if isinstance(value, list) else [value]
    return [an_id(each, "document") for each in several if each != _NONE]


def _texts(paths: str, value: object) -> list[str]:
    """Return texts; one may stand without a list."""
    texts = [value] if isinstance(value, str) else value
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise InputError(f"{paths} is {shown(texts)}, and no list of texts")
    return texts


_FIELDS: Final[Mapping[str, Callable[[Any], Any] | None]] = {
    "question": _question,  # its text
    "topic": partial(an_id, of="topic"),  # its id
    "relevant": _relevant,  # the ids of the documents that answer it, in a list, or with grades in an object
    "relevant_texts": None,  # their texts
    "retrieved": _ids,  # the ids of what was retrieved, the best first
    "retrieved_texts": None,  # its texts
}
"""What is read of each question, and how; without a reader they are texts."""


def _grade(given: object) -> float:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return given
    raise InputError(f"the grade {shown(given)} is no number")


class Matcher:
    """Finds the documents that match a text, and counts the texts looked for.

    >>> texts = Matcher({"d1": "One  two.", "d2": "Two", "d3": "One two."}, "exact")
    >>> texts.found("evidence", " One two."), texts.found("evidence", "One"), texts.looked_for("evidence")
    (('d1', 'd3'), (), Matched(texts=2, unmatched=('One',), several=1))
    >>> Matcher({"d1": "One  two.", "d2": "Two"}, "within").found("evidence", "two")
    ('d1',)
    """

    def __init__(self, docs: DocumentsLike, match: Match) -> None:
        documents: Mapping[str, str | Document] = docs if isinstance(docs, Mapping) else read_documents(docs)
        self._ids = list(documents)
        self._plain = [_plain(each if isinstance(each, str) else each.text) for each in documents.values()]
        self._match = match
        self._counted: dict[str, dict[str, tuple[str, ...]]] = {}
        self._strangers: dict[str, int] = {}

    def found(self, of: str, text: str) -> tuple[str, ...]:
        """Return the documents that match, in the order of the collection."""
        seen = self._counted.setdefault(of, {})
        plain = _plain(text)
        if plain not in seen:
            seen[plain] = self._find(plain)
        return seen[plain]

    def looked_for(self, of: str) -> Matched:
        """Say how many different texts were looked for, and which were not found."""
        seen = self._counted.get(of, {})
        unmatched = tuple(text for text, ids in seen.items() if not ids)
        return Matched(len(seen), unmatched, sum(len(ids) > 1 for ids in seen.values()))

    def stranger(self, text: str) -> str:
        """Return an id for a text that no document has: it keeps its rank."""
        number = self._strangers.setdefault(_plain(text), len(self._strangers) + 1)
        name = f"unmatched-{number}"
        while name in self._known:
            name += "-"
        return name

    def _find(self, plain: str) -> tuple[str, ...]:
        if not plain:
            return ()
        if self._match == "exact":
            return self._by_text.get(plain, ())
        places = self._series.str.contains(plain, literal=True).arg_true()
        return tuple(self._ids[place] for place in places.to_list())

    @cached_property
    def _by_text(self) -> dict[str, tuple[str, ...]]:
        by_text: dict[str, list[str]] = {}
        for name, plain in zip(self._ids, self._plain, strict=True):
            by_text.setdefault(plain, []).append(name)
        return {plain: tuple(names) for plain, names in by_text.items()}

    @cached_property
    def _series(self) -> pl.Series:
        return pl.Series(self._plain, dtype=pl.String)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._ids)


def _plain(text: str) -> str:
    """Bring two texts that differ in blanks alone into one form."""
    return " ".join(text.split())
