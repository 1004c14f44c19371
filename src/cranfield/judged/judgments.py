"""What was judged: the recall base of every topic, and the index in which a run's documents are looked up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Final, TypeVar

import numpy as np

from cranfield.formats.dicts import NestedDict, is_plain, one_grade
from cranfield.formats.golden import GoldenSet
from cranfield.formats.native import NativeIndex, ReadQrels
from cranfield.judged.condition_files import Excluded, OnlyTopics
from cranfield.judged.subtopics import SubtopicGrades
from cranfield.plumbing.arrays import Booleans, Floats, Integers, Keys, distinct, members, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Columns
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, STRATUM
from cranfield.plumbing.wording import counted, named

_T = TypeVar("_T")

_ONE_AT_A_TIME: Final = threading.RLock()

LARGEST_GRADE: Final = 2.0**53
"""Whole numbers below it are themselves as floats."""

_MADE: Final = ("index", "own_keys", "native_index", "id_lines", "documents", "first_of_topic", "code_of_topic")
"""What follows from the topics and documents, and is made again of others."""
_GRADED: Final = ("grades",)
"""What follows from the grades of the whole collection, and is kept where only some topics are."""


class Judgments:
    """The judged documents of all topics, in one vector of grades.

    A judgment is known by its place in that vector, so that other judgments of the same documents
    (a downsampled pool, a second assessor, another mapping of grades) are another vector: see
    :meth:`with_grades`.

    Attributes
    ----------
    topics
        Ids of the topics, in the order of the qrels.
    topic
        For each judgment, which topic it belongs to (rising).
    grade
        For each judgment, its grade; NaN is a judgment that was taken away, so that the document is
        unjudged again.
    top_grade
        The largest grade of the whole qrels (at least 0), by which graded measures scale.
    stratum
        For each judgment of a pool that was sampled by strata, the number of its stratum; -1 for what
        was not in the pool. None where the pool is one stratum.
    subtopics
        The grades by subtopic, of which ``grade`` has the largest of each document; None where the
        qrels have none.
    retrieved
        For each judgment, whether any run of the call has the document; None where nobody asked.
    former
        For each judgment that there was before note was taken of what runs retrieved, its place.
    golden
        The golden set that they were read from; None where they were not.
    provenance
        The dataset that they were named by, and what read it; empty where they were given otherwise.
    places
        Where these are the judgments of some topics alone (see :meth:`of_topics`), which topics of
        the whole collection they are; None where they are all.
    complete
        Whether they name every relevant document, so that what has no judgment is not relevant.
    ended
        Whether nothing relevant follows the end of a list, of measures without a cutoff (`UserModel.bounds`).
    left_out, only
        Topics of the qrels that are not to count, and what says which are; None where all count.
    id_lines
        The ids of the documents, a line each, as long as nothing else was made of them.

    Examples
    --------
    >>> judgments = Judgments(pl.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"],
    ...                                     "relevance": [2, 0, 1]}))
    >>> judgments.topics, judgments.grade, judgments.recall_base(None)
    (('1', '2'), array([2., 0., 1.]), array([1., 1.]))
    """

    stratum: Integers | None = None
    golden: GoldenSet | None = None
    provenance: str = ""
    subtopics: SubtopicGrades | None = None
    places: Integers | None = None
    complete: bool = False
    ended: bool = False
    left_out: frozenset[str] = frozenset()
    only: OnlyTopics | None = None
    id_lines: bytes | None = None

    def __init__(
        self, qrels: Annotated[pl.DataFrame, Columns(QUERY, DOCUMENT, RELEVANCE)], topics: Iterable[str] | None = None
    ) -> None:
        topics = qrels[QUERY].unique(maintain_order=True).to_list() if topics is None else topics
        codes = {topic: code for code, topic in enumerate(topics)}
        try:
            places = qrels[QUERY].replace_strict(codes, return_dtype=pl.Int32)
        except (pl.exceptions.InvalidOperationError, UnicodeEncodeError):
            raise InputError("the topics must include all those of the judgments") from None
        topic = places.cast(pl.Int32).to_numpy()  # of no rows: texts
        order = np.argsort(topic, kind="stable")
        self.topics: tuple[str, ...] = tuple(codes)
        self.topic: Integers = topic[order]
        self.document = qrels[DOCUMENT].gather(order)
        self.grade: Floats = qrels[RELEVANCE].cast(pl.Float64).to_numpy()[order]
        self.top_grade = float(np.fmax.reduce(self.grade, initial=0.0))
        self.retrieved: Booleans | None = None
        self.former: Integers | None = None
        if STRATUM in qrels.columns:
            self.stratum = qrels[STRATUM].rank("dense").to_numpy()[order].astype(np.int32) - 1
        self._made: dict[Hashable, Any] = {}

    @classmethod
    def of_dict(cls, nested: NestedDict) -> Judgments | None:
        """Judgments from ``{topic: {document: grade}}``; None where it is not as plain as that.

        >>> judgments = Judgments.of_dict({"1": {"a": 2, "b": 0}, "2": {"a": 1}, "3": {}})
        >>> judgments.topics, judgments.topic, judgments.document.to_list(), judgments.grade
        (('1', '2', '3'), array([0, 0, 1], dtype=int32), ['a', 'b', 'a'], array([2., 0., 1.]))
        """
        if not is_plain(nested):
            return None
        documents = {topic: list(judged) for topic, judged in nested.items()}
        grades = list(chain.from_iterable(judged.values() for judged in nested.values()))
        if not set(map(type, grades)) <= {int, float}:
            return None
        try:
            grade = np.array(grades, np.float64)
            "".join(chain(documents, *documents.values())).encode()
        except (OverflowError, UnicodeEncodeError):
            return None
        if not (np.abs(grade) < LARGEST_GRADE).all():
            return None
        topic = np.repeat(np.arange(len(documents), dtype=np.int32), list(map(len, documents.values())))
        judgments = cls.of_grades(topic, grade, documents, max(0.0, max(grades, default=0.0)))
        judgments.documents = list(documents.values())
        return judgments

    @classmethod
    def of_lines(cls, read: ReadQrels) -> Judgments | None:
        r"""Judgments that the native road read; None where a topic comes back, or has a document twice.

        >>> from cranfield.formats.native import native_qrels
        >>> read = native_qrels(b"1 0 a 2\n1 0 b 0\n2 0 a 1\n")
        >>> judgments = read and Judgments.of_lines(read)
        >>> judgments is None or judgments.documents == [["a", "b"], ["a"]]
        True
        """
        index = read.indexed()
        if index is None:
            return None
        topic = np.repeat(np.arange(len(read.topics), dtype=np.int32), read.length)
        judgments = cls.of_grades(topic, read.label, read.topics, max(0.0, float(read.label.max())))
        del judgments.documents  # made of the lines, once they are asked for
        judgments.id_lines = read.ids
        vars(judgments)["native_index"] = index
        return judgments

    @classmethod
    def of_subtopics(cls, table: pl.DataFrame, topics: Iterable[str] | None = None) -> Judgments:
        """Judgments by subtopic, from a table such as ``read_qrels(..., subtopics="read")`` gives.

        >>> judgments = Judgments.of_subtopics(pl.DataFrame({"query_id": ["1"] * 3, "doc_id": ["a", "a", None],
        ...                                    "relevance": [2, 1, None], "subtopic": ["x", "y", "z"]}))
        >>> judgments.document.to_list(), judgments.grade, judgments.subtopics.name
        (['a'], array([2.]), array(['x', 'y', 'z'], dtype=object))
        """
        judgments = cls(
            one_grade(table), table[QUERY].unique(maintain_order=True).to_list() if topics is None else topics
        )
        names = pl.Series(QUERY, judgments.topics, dtype=pl.String).gather(judgments.topic)
        judged = pl.DataFrame([names, judgments.document.alias(DOCUMENT)])
        judgments.subtopics = SubtopicGrades.of_table(table, judged, judgments.topics)
        return judgments

    @classmethod
    def of_grades(cls, topic: Integers, grade: Floats, topics: Iterable[str] | int, top_grade: float) -> Judgments:
        """Judgments of documents without ids, which no run is joined with: topic codes (rising) and grades."""
        judgments = object.__new__(cls)
        judgments.topics = tuple(map(str, range(topics)) if isinstance(topics, int) else topics)
        judgments.topic = topic
        judgments.documents = []
        judgments.grade = grade
        judgments.top_grade = top_grade
        judgments.retrieved = None
        judgments.former = None
        judgments._made = {}
        return judgments

    def with_grades(self, grade: Floats) -> Judgments:
        """Judge the same documents anew; NaN leaves one unjudged. The scale, ``top_grade``, stays as it was."""
        if grade.shape != self.grade.shape:
            raise InputError(f"{counted(len(self.grade), 'judgment')} need as many grades, not {len(grade)}")
        return self._but(*_GRADED, grade=grade)

    def with_lists_ended(self) -> Judgments:
        """Return the same, where nothing follows the ends of lists: no judgment brings about what could."""
        return self._but(ended=True)

    def _but(self, *without: str, **changed: object) -> Judgments:
        """Copy them with some of it changed, and without what is made again."""
        other = object.__new__(Judgments)
        kept = {name: value for name, value in vars(self).items() if name not in without}
        other.__dict__.update({**kept, **changed, "_made": {}})
        return other

    def regraded(self, grade: Floats) -> Judgments:
        """Judge the same documents anew, as if the qrels had always said so: the scale is that of the new grades.

        >>> judged = Judgments.of_dict({"1": {"a": 3, "b": 1}})
        >>> judged.with_grades(np.array([1.0, 1.0])).top_grade, judged.regraded(np.array([1.0, 1.0])).top_grade
        (3, 1.0)
        """
        other = self.with_grades(grade)
        other.top_grade = float(np.fmax.reduce(grade, initial=0.0))
        return other

    def with_topics(self, topics: Iterable[str]) -> Judgments:
        """Add topics that were asked and have no judgment, after the others; those that are there stay as they are.

        >>> judged = Judgments.of_dict({"1": {"a": 3}}).with_topics(["2", "1"])
        >>> judged.topics, judged.recall_base(None).tolist(), judged.without_judgment
        (('1', '2'), [1.0, 0.0], ('2',))
        """
        every = dict.fromkeys((*self.topics, *topics))
        if len(every) == len(self.topics):
            return self
        return self._but(*_MADE, topics=tuple(every), document=self.document)

    def restricted_to(self, only: OnlyTopics) -> Judgments:
        """Keep topics that were named, in the order of the qrels, as all there are to average over; facts stay.

        >>> judged = Judgments.of_dict({"1": {"a": 3}, "2": {"a": 1}}).restricted_to(OnlyTopics.taken(["2", "9"]))
        >>> judged.topics, judged.top_grade, judged.left_out
        (('2',), 3, frozenset({'1'}))

        Raises
        ------
        InputError
            Where the qrels have none of them.
        """
        wanted = frozenset(only.topics)
        kept = [topic for topic in self.topics if topic in wanted]
        if not kept:
            where = "in all runs" if only.common else f"among those of only ({only.given}: {named(only.topics)})"
            raise InputError(f"no topic of the qrels is {where}; the qrels have {named(self.topics)}")
        some = self.of_topics(kept)
        some.places, some.golden, some.only = None, self.golden, only
        some.left_out = frozenset(self.topics) - wanted
        return some

    def of_provenance(self, provenance: str) -> Judgments:
        """Say which dataset they were named by, of which the audit tells."""
        self.provenance = provenance
        return self

    def of_golden(self, golden: GoldenSet) -> Judgments:
        """Say which golden set they are of, of which the audit tells."""
        self.golden = golden
        return self

    @property
    def names_relevant_only(self) -> bool:
        """Whether every grade is above 0, as in a golden set: nobody would list everything that is not relevant."""
        given = self.grades[np.isfinite(self.grades)]
        return self.stratum is None and len(given) > 0 and bool((given > 0).all())

    def taken_as(self, complete: bool | None) -> Judgments:
        """Say whether what they do not name is not relevant; by default so where they name relevant documents only.

        >>> golden = Judgments.of_dict({"1": {"a": 1}})
        >>> golden.taken_as(None).complete, golden.taken_as(False).complete
        (True, False)
        """
        complete = self.names_relevant_only if complete is None else complete
        return self if complete == self.complete else self._but(complete=complete)

    @property
    def complete_since(self) -> str:
        """Why they are complete, in words; empty where they are not."""
        if not self.complete:
            return ""
        return "the judgments name relevant documents only" if self.names_relevant_only else "complete judgments"

    @property
    def without_judgment(self) -> tuple[str, ...]:
        """Topics without a single judgment: they were asked, and nobody expects an answer."""
        return self.remembered(
            "without judgment",
            lambda: tuple(self.topics[code] for code in np.flatnonzero(self.count(~np.isnan(self.grade)) == 0)),
        )

    def of_topic(self, topic: str) -> Judgments:
        """Keep the judgments of one topic alone, as all there are; the scale, ``top_grade``, is still that of all.

        >>> judged = Judgments.of_dict({"1": {"a": 3, "b": 0}, "2": {"a": 1}}).of_topic("2")
        >>> judged.topics, judged.grade.tolist(), judged.top_grade
        (('2',), [1.0], 3)

        Raises
        ------
        InputError
            Where there is no such topic.
        """
        alone = self.of_topics([topic])
        alone.places = None
        return alone

    def of_topics(self, topics: Iterable[str]) -> Judgments:
        """Keep the judgments of some topics alone, in this order; the facts of the whole collection stay.

        Those are the scale, ``top_grade``, and which ``grades`` there are. So a topic has the same
        values by these judgments as by all, and the topics of a run can be scored a few at a time.

        >>> judged = Judgments.of_dict({"1": {"a": 3}, "2": {"a": 1, "b": 0}, "3": {"c": 1}}).of_topics(["3", "1"])
        >>> judged.topics, judged.document.to_list(), judged.grade.tolist(), judged.places, judged.grades
        (('3', '1'), ['c', 'a'], [1.0, 3.0], array([2, 0]), array([0., 1., 3.]))

        Raises
        ------
        InputError
            Where there is no such topic.
        """
        codes = {topic: self.code_of_topic.get(topic, -1) for topic in topics}
        code = np.fromiter(codes.values(), np.int64, len(codes))
        if (code < 0).any():
            unknown = next(topic for topic in codes if codes[topic] < 0)
            if unknown in self.left_out:
                raise InputError(f"topic {unknown!r} does not count; only keeps {named(self.topics)}")
            raise InputError(f"the qrels have no topic {unknown!r}; they have {named(self.topics)}")
        first = self.first_of_topic
        topic_of, nth = members(np.append(first[1:], len(self))[code] - first[code])
        place = first[code][topic_of] + nth
        subtopics = self.subtopics
        return self._but(
            *_MADE,
            topics=tuple(codes), places=code if self.places is None else self.places.take(code),
            topic=topic_of.astype(np.int32), document=self.document.gather(place),
            grade=self.grade[place], grades=self.grades, stratum=None if self.stratum is None else self.stratum[place],
            subtopics=None if subtopics is None else subtopics.of_topics(code, place, len(self.topics), len(self)),
            retrieved=None if self.retrieved is None else self.retrieved[place], former=None, golden=None,
        )  # fmt: skip

    def with_retrieved(self, topic: Integers, document: pl.Series) -> Judgments:
        """Take note of what the runs of a call retrieved: documents without a judgment get one, which is open (NaN).

        Parameters
        ----------
        topic, document
            Topic codes and ids, each document of a topic once.

        Examples
        --------
        >>> judged = Judgments(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]}))
        >>> known = judged.with_retrieved(np.array([0, 0]), pl.Series(["b", "x"]))
        >>> known.document.to_list(), known.grade.tolist(), known.candidates.tolist(), known.open_of_topic.tolist()
        (['a', 'b', 'x'], [1.0, 0.0, nan], [False, False, True], [1])
        """
        place = self.index.find(self.index.keys(topic, 1, document), document)
        new = place < 0
        topics = np.concatenate([self.topic, topic[new].astype(self.topic.dtype)])
        order = np.argsort(topics, kind="stable")
        retrieved = np.ones(len(topics), bool)
        retrieved[: len(self)] = False
        retrieved[place[~new]] = True
        former, more, stratum = np.argsort(order)[: len(self)], int(new.sum()), self.stratum
        if stratum is not None:
            stratum = np.append(stratum, np.full(more, -1, stratum.dtype))[order]
        return self._but(
            *_MADE, *_GRADED,
            topic=topics[order], document=pl.concat([self.document, document.filter(new)]).gather(order),
            grade=np.concatenate([self.grade, np.full(more, np.nan)])[order], retrieved=retrieved[order],
            stratum=stratum, former=former, subtopics=None if self.subtopics is None else self.subtopics.moved(former),
        )  # fmt: skip

    def spread(self, grade: Floats) -> Floats:
        """Give grades of the former judgments the places that they have now; what was only retrieved stays open."""
        now = np.full(len(self), np.nan)
        now[self.former] = grade
        return now

    def kinds(self, grade: Floats | None = None) -> Integers:
        """Number what a measure tells documents apart by, the better the smaller: grade, stratum, what it covers.

        Relevant ones come first, then unjudged ones, then those judged not relevant.

        Parameters
        ----------
        grade
            For each judgment; those that there are, if it is not given.

        Returns
        -------
        Array with a number for each judgment, and in the end that of a document without one.

        >>> table = {"query_id": ["1"] * 4, "doc_id": list("abcd"), "relevance": [0, 2, 1, 2]}
        >>> Judgments(pl.DataFrame(table)).kinds().tolist()
        [3, 0, 1, 0, 2]
        """
        return self.remembered("kinds", lambda: self._kinds(self.grade)) if grade is None else self._kinds(grade)

    def _kinds(self, grade: Floats) -> Integers:
        of = np.append(grade, np.nan)
        told = [np.where(np.isnan(of), 0.0, np.where(of > 0, -of, 1.0 - of))]
        if self.stratum is not None:
            told.append(np.append(self.stratum, -1).astype(np.float64))
        if self.subtopics is not None:
            told.append(np.append(self.subtopics.kind(len(self)), -1).astype(np.float64))
        columns = 1 if len(told) > 1 else None  # to compare columns takes ten times as long
        return np.unique(np.stack(told), return_inverse=True, axis=columns)[1].ravel()

    @property
    def open(self) -> Booleans:
        """For each judgment, whether any grade is possible: nobody judged the document, and somebody might."""
        return np.zeros(len(self), bool) if self.complete else np.isnan(self.grade)

    @property
    def candidates(self) -> Booleans:
        """For each judgment, whether it is a candidate: open, of a document that some run of the call retrieved."""
        if self.retrieved is None:
            raise InputError("bounds need all documents that the runs retrieved; join the runs with bounds=True")
        return self.retrieved & self.open

    @property
    def given(self) -> Floats:
        """All grades in the judgments, the lowest first."""
        return np.sort(self.grade[np.isfinite(self.grade)])

    @property
    def scale(self) -> float:
        """What gains are scaled by, and unjudged documents can have: the largest grade, or 1 where none is above 0."""
        return self.top_grade or 1.0

    @property
    def binary(self) -> bool:
        """Whether there are no relevant grades but one: the largest, with no whole number below it."""
        return self.top_grade <= 1 and not ((self.grades > 0) & (self.grades < self.top_grade)).any()

    @cached_property
    def grades(self) -> Floats:
        """The different grades of the whole collection, rising; where some were taken away, NaN is the last."""
        return distinct(self.grade)

    @property
    def by_subtopic(self) -> SubtopicGrades:
        """The grades by subtopic, without what was taken away; where there are no subtopics, a topic is its only one.

        >>> Judgments.of_dict({"1": {"a": 2, "b": 0}}).by_subtopic.grade
        array([2., 0.])
        """
        subtopics = self.subtopics

        def made() -> SubtopicGrades:
            if subtopics is not None:
                return subtopics.under(self.grade)
            return SubtopicGrades.one_a_topic(len(self.topics), self.topic, self.grade)

        return self.remembered("by subtopic", made)

    @property
    def all_graded(self) -> bool:
        """Whether each of them has a grade: none was taken away, and none is open."""
        return self.remembered("all graded", lambda: not np.isnan(self.grade).any())

    @property
    def open_of_topic(self) -> Integers:
        """How many candidates each topic has."""
        return self.remembered(
            "open of topic", lambda: np.bincount(self.topic[self.candidates], minlength=len(self.topics))
        )

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be made again."""
        self.document  # noqa: B018 - of which the rest is made
        return {name: value for name, value in vars(self).items() if name not in _MADE} | {"_made": {}}

    def __len__(self) -> int:
        return len(self.grade)

    def table(self) -> pl.DataFrame:
        """Return the judgments as qrels, the documents of a topic together.

        >>> Judgments(pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [2]})).table().rows()
        [('1', 'a', 2)]
        """
        topics = pl.Series(self.topics, dtype=pl.String).gather(self.topic)
        whole = bool(((self.grade == np.floor(self.grade)) & (np.abs(self.grade) <= LARGEST_GRADE)).all())  # NaN is not
        grade = self.grade.astype(np.int64) if whole else self.grade
        table = pl.DataFrame({QUERY: topics, DOCUMENT: self.document, RELEVANCE: grade})
        return table if self.stratum is None else table.with_columns(pl.Series(STRATUM, self.stratum).cast(pl.String))

    def count(self, judged_so: Booleans) -> Floats:
        """Number of judgments for which the condition holds, by topic."""
        return np.bincount(self.topic.take(np.flatnonzero(judged_so)), minlength=len(self.topics)).astype(np.float64)

    def recall_base(self, rel: float | None) -> Floats:
        """Number of relevant documents by topic: R."""
        return self.remembered(("recall base", rel), lambda: self.count(is_relevant(self.grade, rel)))

    @cached_property
    def code_of_topic(self) -> dict[str, int]:
        """The place of each topic, by its id."""
        return {topic: code for code, topic in enumerate(self.topics)}

    @cached_property
    def document(self) -> pl.Series:
        """For each judgment, the id of the document."""
        return pl.Series(list(chain.from_iterable(self.documents)), dtype=pl.String)

    @cached_property
    def documents(self) -> list[list[str]]:
        """For each topic, the ids of its judged documents."""
        ids = self.document.to_list() if self.id_lines is None else self.id_lines.decode().split("\n")
        ends = [*self.first_of_topic[1:].tolist(), len(self)]
        return [ids[first:end] for first, end in zip(self.first_of_topic.tolist(), ends, strict=True)]

    @cached_property
    def first_of_topic(self) -> Integers:
        """For each topic, the place of its first judgment."""
        return starts(np.bincount(self.topic, minlength=len(self.topics)))

    def ids(self, judgment: Integers) -> list[str]:
        """Return the ids of the documents of some judgments."""
        topic = self.topic[judgment]
        nth = judgment - self.first_of_topic[topic]
        return [self.documents[t][n] for t, n in zip(topic.tolist(), nth.tolist(), strict=True)]

    @property
    def index(self) -> DocumentIndex:
        """Where the documents of runs are looked up (built once)."""
        return self._made_once("index", lambda: DocumentIndex(self.topic, self.document))

    @property
    def own_keys(self) -> Keys:
        """For each topic, the key of the document that has its id."""

        def make() -> Keys:
            return self.index.keys(np.arange(len(self.topics)), 1, pl.Series(self.topics, dtype=pl.String))

        return self._made_once("own_keys", make)

    @property
    def native_index(self) -> NativeIndex | None:
        """Where the native road looks them up; None where there is none."""
        return self._made_once(
            "native_index", lambda: NativeIndex.of(dict(zip(self.topics, self.documents, strict=True)))
        )

    def native_excluded(self, excluded: Excluded) -> NativeIndex | None:
        """Where the native road looks up documents that do not count; None where there is no such road."""
        with _ONE_AT_A_TIME:
            return self.remembered(
                ("excluded", excluded),
                lambda: NativeIndex.of({topic: excluded.of_topic(topic) for topic in self.topics}),
            )

    def without(self, excluded: Excluded) -> Judgments:
        """Take the judgments of some documents away, as if the qrels had never held them; topics stay.

        >>> judged = Judgments.of_dict({"1": {"a": 2, "b": 1}, "2": {"a": 1}})
        >>> judged.without(Excluded.taken({"1": ["a", "z"]})).grade, judged.grade
        (array([nan,  1.,  1.]), array([2., 1., 1.]))
        """
        grade = self.grade.copy()
        grade[self.places_of(excluded)] = np.nan
        return self.regraded(grade)

    def relevant_among(self, excluded: Excluded | None) -> int:
        """Count the judgments above 0 of some documents: what the recall base keeps of those that do not count."""
        if excluded is None:
            return 0
        above = self.remembered(("among", excluded), lambda: self.grade[self.places_of(excluded)] > 0)
        return int(np.count_nonzero(above))

    def places_of(self, excluded: Excluded) -> Integers:
        """Return the places of the judgments of some documents."""
        places = list[int]()
        for code, topic in enumerate(self.topics):
            if wanted := excluded.of_topic(topic):
                place = {document: at for at, document in enumerate(self.documents[code], self.first_of_topic[code])}
                places += [place[document] for document in wanted if document in place]
        return np.array(places, np.int64)

    def _made_once(self, name: str, make: Callable[[], _T]) -> _T:
        """Make what several threads may ask for at the same time."""
        made = vars(self)
        if name not in made:
            with _ONE_AT_A_TIME:
                if name not in made:
                    made[name] = make()
        found: _T = made[name]
        return found

    def remembered(self, what: Hashable, make: Callable[[], _T]) -> _T:
        """Whatever is derived from the judgments alone, such as an ideal ranking, made once for all runs."""
        if what not in self._made:
            self._made[what] = make()
        made: _T = self._made[what]
        return made


def is_relevant(grade: Floats, rel: float | None) -> Booleans:
    """Tell which grades are relevant: those above 0 or, where a level is given, those that reach it."""
    return grade > 0 if rel is None else grade >= rel


class DocumentIndex:
    """Find judgments by topic and document: through 64-bit keys, and checked against the ids themselves.

    Sorted keys are cut into buckets by their first bits, few enough for the processor's cache and so many that most
    are empty: a document of an empty bucket is unjudged at once.
    """

    def __init__(self, topic: Integers, document: pl.Series) -> None:
        self.document = document
        for seed in range(8):
            self.seed = seed
            key = self.keys(topic, 1, document)
            self.order = np.argsort(key).astype(np.int32)
            self.key = key[self.order]
            if not (self.key[1:] == self.key[:-1]).any():
                break
        else:
            raise InputError("a document is judged twice in one topic of the qrels")
        bits = int(np.clip(np.ceil(np.log2(max(len(key), 1) * 4)), 10, 24))
        self.shift = np.uint64(64 - bits)
        sizes = np.bincount((self.key >> self.shift).astype(np.intp), minlength=1 << bits)
        self.occupied: Booleans = sizes > 0
        self.start = starts(sizes).astype(np.int32)
        self.deepest = int(sizes.max(initial=0))

    def keys(self, topic: Integers, times: Integers | int, document: pl.Series) -> Keys:
        """One 64-bit key for each document; the topic codes stand for as many documents each as ``times`` says."""
        by_document: Keys = document.hash(self.seed).to_numpy()
        return by_document ^ np.repeat(_scrambled(topic), times)

    def find(self, key: Keys, document: pl.Series) -> Integers:
        """Return the place of each document's judgment; -1 if it has none. Ids are compared, as keys may collide."""
        bucket = (key >> self.shift).astype(np.intp)
        cell = np.flatnonzero(self.occupied.take(bucket))
        wanted = key.take(cell)
        at = self.start.take(bucket.take(cell))
        same = self.key.take(at) == wanted
        astray = np.flatnonzero(~same)  # another judgment of the bucket, or none
        for _ in range(1, self.deepest):
            at[astray] += 1
            hit = self.key.take(at[astray], mode="clip") == wanted[astray]
            same[astray[hit]] = True
            astray = astray[~hit]

        judgment = np.full(len(key), -1, np.int32)
        judgment[cell[same]] = self.order.take(at[same])
        found = judgment >= 0
        differs = document.filter(found) != self.document.gather(judgment[found])
        if differs.any():
            judgment[np.flatnonzero(found)[differs.to_numpy()]] = -1
        return judgment


def _scrambled(codes: Integers) -> Keys:
    """Spread small numbers over 64 bits (the finaliser of splitmix64)."""
    x = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
