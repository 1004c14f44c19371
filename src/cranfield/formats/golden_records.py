"""How golden sets and answers are read: the records of their questions, and the documents that their texts match."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Final, Literal, TypeAlias

from cranfield.formats import files, hits
from cranfield.formats.documents import Document, Documents, read_documents
from cranfield.formats.files import FilePath
from cranfield.formats.golden import GoldenSet, Matched, Ranked
from cranfield.formats.golden_held import GoldenLike, held
from cranfield.formats.golden_shapes import Shape, flat, records_of, refuse_unknown, shape_of
from cranfield.formats.records import RecordPart, at, is_number, placed, there
from cranfield.formats.topic_tables import an_id
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import FieldPaths, NamesLike, Naming
from cranfield.plumbing.options import checked, shown
from cranfield.plumbing.wording import counted

Match: TypeAlias = Literal["exact", "within"]
"""When a document matches a text: it is the same but for blanks, or the text lies within it."""
DocumentsLike: TypeAlias = FilePath | Documents | Mapping[str, str]
"""Texts of documents: a file or folder, what `read_documents` returned, or ``{document: text}``."""
Paths: TypeAlias = Mapping[str, tuple[str, ...]]
"""Where parts of records are, as users name them: of several paths, the first that is there counts."""

_BESIDE: Final = {"relevant": "grades", "retrieved": "scores"}
_NONE: Final = "N/A"  # What BRIGHT writes where there is nothing


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
        A file (JSON, JSON lines, Parquet, CSV with lists in its cells), packed or not, a DataFrame, or what these
        hold. It is recognised by its content: RAGAS, DeepEval, LlamaIndex, BRIGHT, answers of TREC's RAG track and
        others. LangSmith's examples, and records with names of their own, need ``fields``.
    docs
        The texts of the documents: a file or folder that `read_documents` reads, what it returned, or
        ``{document: text}``.
    fields
        Where other records have what is read: ``{"question": "inputs.question", "relevant": "outputs.ids"}``. The
        names are question, topic, relevant, relevant_texts, grades, retrieved, retrieved_texts, scores and system. A
        path goes through objects by dots, and through each element of a list.
    match
        A document matches a text if both are the same but for blanks (``"exact"``), or if the text lies ``"within"``
        the document.

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
    1 of 2 texts of evidence match no document (first: 'Nobody.'): they are left out
    """
    match = checked("match", match, Match)
    source = files.called(given) if isinstance(given, str | os.PathLike) else "golden set"
    return GoldenRecords.of(held(given), source, Naming.of(fields=fields).paths, docs, match).golden()


@dataclass
class GoldenRecords:
    """The reading of one golden set, or of answers: what is found of it on the way."""

    source: str
    records: Sequence[Any]
    shape: Shape
    parts: Mapping[str, RecordPart]
    matcher: Matcher | None
    questions: dict[str, str] = field(default_factory=dict)
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    runs: dict[str, dict[str, Ranked]] = field(default_factory=dict)
    lost: dict[str, None] = field(default_factory=dict)
    unsought: dict[str, dict[str, None]] = field(default_factory=dict)
    scored: bool | None = None

    @classmethod
    def of(
        cls, held: object, source: str, asked: Paths, docs: DocumentsLike | None, match: Match, part: str | None = None
    ) -> GoldenRecords:
        """Find the records, and which tool wrote them; ``part`` is what is wanted of them, relevant or retrieved."""
        records = records_of(held)
        shape = shape_of(records)
        paths = dict(shape.fields)
        for one, text in (("relevant", "relevant_texts"), ("retrieved", "retrieved_texts"), ("topic", "question")):
            if text in asked and one not in asked and (one != "topic" or not shape.needs):
                paths.pop(one, None)  # what is named goes before what happens to be known
        objects = [each for each in records if isinstance(each, Mapping)]
        absent = dict[str, str]()
        for name, several in asked.items():
            found = tuple(path for path in several if any(there(at(each, path, into_lists=True)) for each in objects))
            if found:
                paths[name] = found
            elif part is None or name.startswith(part) or name == _BESIDE.get(part):
                absent[name] = several[0]
        refuse_unknown(objects, source, shape, paths, absent, part)
        parts = {name: RecordPart(paths.get(name, ()), kind, into_lists=True) for name, kind in _FIELDS.items()}
        return cls(source, records, shape, parts, None if docs is None else Matcher(docs, match))

    def golden(self) -> GoldenSet:
        """Read all records."""
        for line, record in enumerate(self.records, start=1):
            with placed(self.source, line):
                if not isinstance(record, Mapping):
                    raise InputError(f"a question is an object, not {shown(record)}")
                self._take(record)
        texts = self.matcher or Matcher({}, "exact")
        lost = tuple(topic for topic in self.lost if topic not in self.qrels)
        sought, listed = (self.unsought.get(name, {}) for name in ("relevant_texts", "retrieved_texts"))
        known = {*self.qrels, *self.lost, *sought}
        unsaid = tuple(topic for topic in self.questions if topic not in known)
        judging = self.parts["relevant"].paths or self.parts["relevant_texts"].paths
        return GoldenSet(
            self.source, self.shape.name, self.questions, self.qrels, next(iter(self.runs.values()), {}),
            texts.looked_for("evidence"), texts.looked_for("retrieval"), unsaid if judging else (), lost,
            (len(sought), len(listed)), {name: run for name, run in self.runs.items() if name},
        )  # fmt: skip

    def _take(self, record: Mapping[str, Any]) -> None:
        """Take one question: its evidence adds to what it had, its list may be there once."""
        question, topic = self.parts["question"].of(record), self.parts["topic"].of(record)
        if topic is None and not question:
            paths = " or ".join((*self.parts["topic"].paths, *self.parts["question"].paths))
            raise InputError(f"the question is missing ({paths})")
        topic = str(question) if topic is None else topic
        self.questions.setdefault(topic, question or "")
        # Evidence of a question may stand in several records and adds up; what was retrieved is one list.
        if (judged := self._judged(topic, record)) is not None:
            self.qrels.setdefault(topic, {}).update(judged)
        if (ranked := self._ranked(topic, record)) is not None:
            run = self.runs.setdefault(self.parts["system"].of(record) or "", {})
            if topic in run:
                raise InputError(f"the question {topic!r} has two lists of documents")
            run[topic] = ranked

    def _judged(self, topic: str, record: Mapping[str, Any]) -> dict[str, float] | None:
        """Return the documents that answer a question, with grades; None where that is not known."""
        path, value = self.parts["relevant"].found(record)
        if value is not None:
            found = _documents(topic, value, ("relevant", path), hits.HIT_GRADES)
            grades = self._values("grades", record, path, found)
            return {document: 1 if grades is None else grades[place] for place, (document, _) in enumerate(found)}
        texts = self._texts("relevant_texts", topic, record)[1]
        if texts is None or self.matcher is None:
            return {} if texts == [] else None
        matched: dict[str, float] = {one: 1 for text in texts for one in self.matcher.found("evidence", text)}
        if texts and not matched:
            self.lost[topic] = None
            return None
        return matched

    def _ranked(self, topic: str, record: Mapping[str, Any]) -> Ranked | None:
        """Return what was retrieved, with scores or else the best first; None where that is not known."""
        path, value = self.parts["retrieved"].found(record)
        if value is not None:
            found = _documents(topic, value, ("retrieved", path), hits.HIT_SCORES)
        else:
            path, texts = self._texts("retrieved_texts", topic, record)
            if texts is None or (texts and self.matcher is None):
                return None
            found = [(self._match(text), None) for text in texts]
        documents, scores = [document for document, _ in found], self._values("scores", record, path, found)
        if documents and self.scored is None:
            self.scored = scores is not None
        elif documents and self.scored is not (scores is not None):
            here, before = ("scores", "none") if scores else ("no scores", "some")
            raise InputError(f"the documents of {topic!r} have {here}, and those before have {before}")
        return documents if scores is None else list(zip(documents, scores, strict=True))

    def _values(
        self, part: str, record: Mapping[str, Any], path: str, found: Sequence[tuple[str, Any]]
    ) -> list[float] | None:
        """Return the scores or grades that documents have, or that are named or known next to them; None without."""
        where, given = self.parts[part].found(record)
        if given is None and any(value is not None for _, value in found):
            where, given = path, [value for _, value in found]
        if given is None and part == "scores":
            where, given = _beside(record, path)
        if given is None or not found:
            return None
        values, what = list(flat(given)), part.removesuffix("s")
        if len(values) != len(found):
            raise InputError(f"{counted(len(found), 'document')} ({path}) and {counted(len(values), what)} ({where})")
        if lacking := sum(value is None for value in values):
            raise InputError(f"{lacking} of {len(values):,} documents have no {what} ({where})")
        return [_number(value, what) for value in values]

    def _texts(self, part: str, topic: str, record: Mapping[str, Any]) -> tuple[str, list[str] | None]:
        """Return where texts are, and the texts; one may stand without a list."""
        path, value = self.parts[part].found(record)
        texts = [value] if isinstance(value, str) else value
        if texts is not None and not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
            raise InputError(f"{path} is {shown(texts)}, not a list of texts")
        if texts and self.matcher is None:
            self.unsought.setdefault(part, {})[topic] = None
        return path, texts

    def _match(self, text: str) -> str:
        """Return the first document that has a text, or a name for the text alone."""
        texts = self.matcher or Matcher({}, "exact")
        return (texts.found("retrieval", text) or (texts.stranger(text),))[0]


def _question(value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"the question is {shown(value)}, not a text")
    return value


def _documents(topic: str, value: Any, field: tuple[str, str], values: Sequence[str]) -> list[tuple[str, Any]]:
    """Return documents, each with its score or grade, or None: ids, objects, pairs, or numbers by document.

    One may stand without a list, and lists within a list are one.
    """
    if isinstance(value, Mapping):
        inner = hits.list_within(value)
        if inner is None and not hits.is_hit(value):
            return [(an_id(document, "document"), number) for document, number in value.items()]
        value = [value] if inner is None else inner
    found: list[tuple[str, Any]] = []
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, list) and len(each) == 2 and is_number(each[1]):
            found.append((hits.id_of(topic, each[0], field), each[1]))
        elif isinstance(each, list):
            found += _documents(topic, each, field, values)
        elif isinstance(each, Mapping):
            found.append((hits.id_of(topic, each, field), hits.first_at(each, values)))
        elif each != _NONE:
            found.append((an_id(each, "document"), None))
    return found


def _beside(record: Mapping[str, Any], path: str) -> tuple[str, Any]:
    """Find the scores of documents whose ids are at a path: in the same objects, or a list next to it."""
    parents = path.split(".")[:-1]
    for end in range(len(parents), 0, -1):
        for name in (*hits.HIT_SCORES, "scores"):
            where = ".".join((*parents[:end], name))
            if there(found := at(record, where, into_lists=True)):
                return where, found
    return "", None


_FIELDS: Final[Mapping[str, Callable[[Any], Any] | None]] = {
    "question": _question,  # its text
    "topic": partial(an_id, of="topic"),  # its id
    "relevant": None,  # the documents that answer it: ids, objects with an id, or grades by id
    "relevant_texts": None,  # their texts
    "retrieved": None,  # what was retrieved, the best first: ids, objects with an id and a score, or scores by id
    "retrieved_texts": None,  # its texts
    "grades": None,  # the grades of what is relevant, where they are a list of their own
    "scores": None,  # the scores of what was retrieved, where they are a list of their own
    "system": partial(an_id, of="system"),  # which system retrieved it, where a file holds several
}
"""What is read of each question; ``[null]`` is something, and a mistake."""


def _number(given: object, what: str) -> float:
    if is_number(given):
        return given
    if what == "score" and isinstance(given, str):  # as DPR writes them
        with suppress(ValueError):
            return float(given)
    raise InputError(f"the {what} {shown(given)} is not a number")


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
        if plain not in seen and plain and self._match == "within":
            places = self._series.str.contains(plain, literal=True).arg_true()
            seen[plain] = tuple(self._ids[place] for place in places.to_list())
        elif plain not in seen:
            seen[plain] = self._by_text.get(plain, ()) if plain else ()
        return seen[plain]

    def looked_for(self, of: str) -> Matched:
        """Say how many different texts were looked for, and which were not found."""
        seen = self._counted.get(of, {})
        unmatched = tuple(text for text, ids in seen.items() if not ids)
        return Matched(len(seen), unmatched, sum(len(ids) > 1 for ids in seen.values()))

    def stranger(self, text: str) -> str:
        """Return an id for a text that no document has: it keeps its rank."""
        name = f"unmatched-{self._strangers.setdefault(_plain(text), len(self._strangers) + 1)}"
        while name in self._known:
            name += "-"
        return name

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
