"""Documents that do not count: by topic those that leave every run before it is ranked."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Self, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.tables import DOCUMENT, QUERY, RUN_COLUMNS, Frame
from cranfield.plumbing.wording import counted

SELF: Final = "self"
"""Excludes the document that has the topic's id."""
_NONE: Final = "N/A"
"""What BRIGHT writes where a query excludes nothing."""
_LIST: Final = "excluded_ids"

PlainDict: TypeAlias = Mapping[str, Mapping[str, float]]
"""A run of dicts of dicts, as plain as that."""
ExcludeLike: TypeAlias = Literal["self"] | str | os.PathLike[str] | Frame | Mapping[Any, Iterable[object]]
"""What may be given: ``"self"``, a file, a DataFrame, or ``{topic: [document, ...]}``."""


@dataclass(frozen=True)
class Excluded(Taken):
    """The documents that do not count, by topic.

    >>> excluded = Excluded.taken({"1": ["a", "b"]})
    >>> excluded, excluded.of_topic("1"), excluded.of_topic("2"), Excluded.taken("self").of_topic("2")
    ('2 documents of 1 topic', ('a', 'b'), (), ('2',))
    """

    given: str
    """How it was asked for: ``"self"``, the path of a file, or what was given in words."""
    documents: Mapping[str, tuple[str, ...]] | None = None
    """None stands for the document that has the topic's id."""

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read what was given: see `ExcludeLike`.

        Of a file each line is a topic and a document, or one of qrels, whatever its grade; of JSON, such as BRIGHT's,
        an object is a topic's ``id`` and its ``excluded_ids``.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str) and value == SELF:
            return cls(SELF)
        if isinstance(value, Mapping):
            return cls._of(list(_of_mapping(value)), None)
        from cranfield.formats.files import called

        if value is None or isinstance(value, bool | int | float):
            raise InputError(f"exclude must be 'self', a file, a DataFrame or a dict, not {shown(value)}")
        return cls._of(_read(value), called(value) if isinstance(value, str | os.PathLike) else None)

    @classmethod
    def _of(cls, pairs: Collection[tuple[str, str]], name: str | None) -> Self:
        found: dict[str, dict[str, None]] = {}
        for topic, document in pairs:
            found.setdefault(topic, {})[document] = None
        many = counted(sum(map(len, found.values())), "document")
        named = f"{many} of {counted(len(found), 'topic')}" if name is None else name
        return cls(named, {topic: tuple(documents) for topic, documents in found.items()})

    def __hash__(self) -> int:
        return hash((self.given, None if self.documents is None else len(self.documents)))

    def __str__(self) -> str:
        return self.given

    def __repr__(self) -> str:
        return repr(self.given)

    def of_topic(self, topic: str) -> tuple[str, ...]:
        """Return the documents that do not count for a topic."""
        return (topic,) if self.documents is None else self.documents.get(topic, ())

    def of_table(self, table: pl.DataFrame) -> tuple[pl.DataFrame, int, tuple[str, ...]]:
        """Take them out of the rows of a run."""
        if self.documents is None:
            left = table.filter(pl.col(QUERY) != pl.col(DOCUMENT))
        else:
            left = table.join(self._pairs, on=[QUERY, DOCUMENT], how="anti", maintain_order="left")
        gone = table.height - left.height
        if not gone:
            return table, 0, ()
        emptied = table.filter(~pl.col(QUERY).is_in(left[QUERY].unique().implode()))[QUERY].unique(maintain_order=True)
        return left, gone, tuple(emptied)

    def of_dict(self, nested: PlainDict) -> tuple[PlainDict, int]:
        """Do the same with a run of dicts of dicts: a topic that is left with nothing has an empty one.

        >>> Excluded("self").of_dict({"1": {"1": 2.0, "2": 1.0}, "2": {"2": 3.0}, "3": {"a": 1.0}})
        ({'1': {'2': 1.0}, '2': {}, '3': {'a': 1.0}}, 2)
        """
        gone, left = 0, dict(nested)
        for topic, documents in nested.items():
            out = {document for document in self.of_topic(topic) if document in documents}
            if out:
                gone += len(out)
                left[topic] = {document: score for document, score in documents.items() if document not in out}
        return left, gone

    @cached_property
    def _pairs(self) -> pl.DataFrame:
        pairs = [(topic, document) for topic, documents in (self.documents or {}).items() for document in documents]
        return pl.DataFrame(pairs, schema={QUERY: pl.String, DOCUMENT: pl.String}, orient="row")


def _of_mapping(given: Mapping[Any, object]) -> Iterator[tuple[str, str]]:
    from cranfield.formats.topic_tables import an_id

    for topic, documents in given.items():
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InputError(
                f"exclude is {{topic: [document, ...]}}, a list for each topic; {topic!r} has {shown(documents)}"
            )
        for document in documents:
            yield an_id(topic, "topic"), an_id(document, "document")


def _read(given: Any) -> list[tuple[str, str]]:
    """Read pairs of a topic and a document, in the order of the file."""
    from cranfield.formats.topic_tables import TOPIC_NAMES, an_id, read_topic_table

    table = read_topic_table(given, "documents to exclude")
    topics, documents = RUN_COLUMNS[QUERY], (_LIST, "excluded", *RUN_COLUMNS[DOCUMENT])
    if _LIST in table.columns:  # BRIGHT's, in which the query is a text
        topics = ("id", *TOPIC_NAMES)
    words = {2: (0, 1), 4: (0, 2)}
    nothing = {_NONE} if _LIST in table.columns else set()
    table = table.without_header(topics, documents).picked({"topic": topics, "document": documents}, words)
    pairs = []
    for line, (topic, document) in table.rows:
        several = [] if document is None else document if isinstance(document, list | tuple) else [document]
        try:
            pairs += [(an_id(topic, "topic"), an_id(each, "document")) for each in several if str(each) not in nothing]
        except InputError as error:
            raise table.wrong(line, error.problem) from None
    return pairs
