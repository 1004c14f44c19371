"""Conditions of reading that may be files: topics that were asked, documents that do not count, and what each costs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import COMMON, SELF, Taken, shown
from cranfield.plumbing.tables import CHUNK_ID, DOCUMENT, QUERY, RUN_COLUMNS, Frame, match_columns
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.formats.loading import Loaded

TopicsFileLike: TypeAlias = str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any]
"""What may be given: a file of topics, or their ids (the keys of a dict among them)."""
OnlyLike: TypeAlias = Literal["common"] | TopicsFileLike
"""What may be given: ``"common"``, a file of topics, or their ids."""
_NOTHING_EXCLUDED: Final = "N/A"  # What BRIGHT writes where a query excludes nothing
_EXCLUDED_IDS: Final = "excluded_ids"

PlainDict: TypeAlias = Mapping[str, Mapping[str, float]]
"""A run of dicts of dicts, as plain as that."""
ExcludeLike: TypeAlias = Literal["self"] | str | os.PathLike[str] | Frame | Mapping[Any, Iterable[object]]
"""What may be given: ``"self"``, a file, a DataFrame, or ``{topic: [document, ...]}``."""
CostsLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, float]
"""What costs are read from: a file, a DataFrame, or ``{document: cost}``."""

DOCUMENT_NAMES: Final = (*RUN_COLUMNS[DOCUMENT], "chunk", CHUNK_ID, "passage", "_id", "id")
_UNITS: Final[dict[str, tuple[str, ...]]] = {
    "tokens": ("tokens", "token", "token_count", "num_tokens", "n_tokens", "tokens_count"),
    "words": ("words", "word_count", "num_words", "n_words"),
    "characters": ("characters", "chars", "char_count", "num_chars", "n_chars"),
    "seconds": ("seconds", "second", "sec", "secs"),
    "milliseconds": ("milliseconds", "ms", "latency_ms"),
    "dollars": ("dollars", "usd"),
}
"""Units that the name of the column tells, and what such a column may be called."""
_TELLING: Final = ("cost", "costs", *(name for names in _UNITS.values() for name in names))
_COST_NAMES: Final = (*_TELLING, "length", "size", "value")
_COST_COLUMNS: Final[dict[str, tuple[str, ...]]] = {"document": DOCUMENT_NAMES, "cost": _COST_NAMES}
_COST: Final = "cost"


class _Given(Taken):
    """Such a condition: results show how it was given."""

    given: str

    def __str__(self) -> str:
        return self.given

    def __repr__(self) -> str:
        return repr(self.given)


@dataclass(frozen=True, repr=False)
class ListedTopics(_Given):
    """The ids of all topics that were asked, each once, and how they were given: a file, or their number in words."""

    given: str
    topics: tuple[str, ...]
    option: ClassVar[str] = "topics_file"

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read a file (an id in each line, alone or before a text; one of TREC's topics; JSON lines) or ids."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str | os.PathLike):
            from cranfield.formats.files import called
            from cranfield.formats.topic_files import read_topic_ids

            return cls(called(value), tuple(read_topic_ids(value)))
        if isinstance(value, bytes) or not isinstance(value, Iterable):
            raise InputError(f"{cls.option} must be a file, or ids of topics in a list, not {shown(value)}")
        from cranfield.formats.topic_tables import an_id

        topics = tuple(dict.fromkeys(an_id(topic, "topic") for topic in value))
        if not topics:
            raise InputError(f"{cls.option} lists no topic")
        return cls(counted(len(topics), "topic"), topics)


class OnlyTopics(ListedTopics):
    """The topics to average over: those that are listed, or those that all runs have."""

    option = "only"

    @classmethod
    def taken(cls, value: object) -> Self:
        """Take the word for the topics that all runs have, which are known once the runs are; or a list."""
        return cls(COMMON, ()) if isinstance(value, str) and value == COMMON else super().taken(value)

    @property
    def common(self) -> bool:
        """Whether they are those that all runs have."""
        return self.given == COMMON

    def __eq__(self, other: object) -> bool:  # which topics all runs have follows from the runs: it is no other wish
        if not isinstance(other, OnlyTopics):
            return NotImplemented
        return self.given == other.given if self.common else set(self.topics) == set(other.topics)

    def __hash__(self) -> int:
        return hash((self.common, frozenset(() if self.common else self.topics)))


@dataclass(frozen=True, repr=False)
class Excluded(_Given):
    """The documents that do not count, by topic."""

    given: str  # How it was asked for: ``"self"``, the path of a file, or what was given in words
    documents: Mapping[str, tuple[str, ...]] | None = None  # None stands for the document that has the topic's id

    @classmethod
    def taken(cls, value: object, naming: Naming = NO_NAMES) -> Self:
        """Read an `ExcludeLike`; a file has lines of topic and document, qrels of any grade, or JSON as BRIGHT has."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str) and value == SELF:
            return cls(SELF)
        if isinstance(value, Mapping):
            return cls._of(list(_of_mapping(value)), None)
        from cranfield.formats.files import called

        if value is None or isinstance(value, bool | int | float):
            raise InputError(f"exclude must be 'self', a file, a DataFrame or a dict, not {shown(value)}")
        return cls._of(_read_excluded(value, naming), called(value) if isinstance(value, str | os.PathLike) else None)

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
        """Do the same with a run of dicts of dicts: a topic that is left with nothing has an empty one."""
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


def _read_excluded(given: Any, naming: Naming) -> list[tuple[str, str]]:
    """Read pairs of a topic and a document, in the order of the file."""
    from cranfield.formats.records import placed
    from cranfield.formats.topic_tables import TOPIC_NAMES, an_id, read_topic_table

    table = read_topic_table(given, "documents to exclude", naming)
    topics, documents = RUN_COLUMNS[QUERY], (_EXCLUDED_IDS, "excluded", *RUN_COLUMNS[DOCUMENT])
    if _EXCLUDED_IDS in table.columns:  # BRIGHT's, in which the query is a text
        topics = ("id", *TOPIC_NAMES)
    words = {2: (0, 1), 4: (0, 2)}
    nothing = {_NOTHING_EXCLUDED} if _EXCLUDED_IDS in table.columns else set()
    table = table.without_header(topics, documents).picked({"topic": topics, "document": documents}, words)
    pairs = []
    for line, (topic, document) in table.rows:
        several = [] if document is None else document if isinstance(document, list | tuple) else [document]
        with placed(table.source, line):
            pairs += [(an_id(topic, "topic"), an_id(each, "document")) for each in several if str(each) not in nothing]
    return pairs


@dataclass(frozen=True, repr=False)
class Costs(_Given):
    """What each document or chunk costs, whatever the topic."""

    given: str  # How it was asked for: the path of a file, or what was given in words
    unit: str  # What is counted, if the name of the column tells it: ``"tokens"``, ``"seconds"``; or empty
    digest: str  # What tells costs with the same name apart
    table: pl.DataFrame | None = field(default=None, init=False, repr=False, compare=False)
    """Columns doc_id and cost; None of results that were read back, which keep no costs of documents."""

    @classmethod
    def taken(cls, value: object, naming: Naming = NO_NAMES) -> Self:
        """Read a `CostsLike`; a file has lines of document and number, a table (its column names the unit) or JSON."""
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            return cls._of(value.items(), None, "", None)
        from cranfield.formats import frames

        if frames.is_series(value):
            return cls._of(frames.by_index(value), None, "", None)
        if value is None or (isinstance(value, bool | int | float | Sequence) and not isinstance(value, str)):
            raise InputError(f"costs must be a file, a DataFrame or a dict, not {shown(value)}")
        return cls._read(value, naming)

    @classmethod
    def _read(cls, value: Any, naming: Naming) -> Self:
        from cranfield.formats.loading import load
        from cranfield.formats.topic_tables import read_topic_table

        held = load(value) if isinstance(value, str | os.PathLike) else None
        source = None if held is None else held.source
        if held is not None and (nested := _one_object(held)) is not None:
            return cls._of(nested.items(), source, "", source)
        if plain := _plain_table(value, held, naming):
            return cls._made(plain[0], source, plain[1])
        table = read_topic_table(held or value, "costs", naming).without_header(*_COST_COLUMNS.values())
        unit = _unit(_cost_columns(table.columns, table.source, naming, table.first)["cost"]) if table.columns else ""
        picked = table.picked(_COST_COLUMNS, {2: (0, 1)})
        return cls._of((row for _, row in picked.rows), source, unit, picked.source, [line for line, _ in picked.rows])

    @classmethod
    def _of(
        cls, pairs: Iterable[tuple[object, object]], name: str | None, unit: str, source: str | None,
        lines: Sequence[int] = (),
    ) -> Self:  # fmt: skip
        from cranfield.formats.records import placed
        from cranfield.formats.topic_tables import an_amount, an_id

        found: dict[str, float] = {}
        for place, (document, written) in enumerate(pairs):
            with placed(source, lines[place] if lines else None):
                which = an_id(document, "document")
                if which in found:
                    raise InputError(f"document {which!r} has two costs")
                found[which] = an_amount(written, "a cost must be 0 or more")
        if not found:
            raise InputError("is empty: it holds no costs", source=source or "costs")
        columns = {DOCUMENT: list(found), _COST: list(found.values())}
        return cls._made(pl.DataFrame(columns, schema={DOCUMENT: pl.String, _COST: pl.Float64}), name, unit)

    @classmethod
    def _made(cls, table: pl.DataFrame, name: str | None, unit: str) -> Self:
        """Keep a table in order."""
        from hashlib import sha256

        ordered = table.sort(DOCUMENT)
        digest = sha256(json.dumps([unit, ordered[DOCUMENT].to_list()]).encode())
        digest.update(json.dumps(ordered[_COST].to_list()).encode())
        made = cls(name or counted(table.height, "cost"), unit, digest.hexdigest()[:16])
        object.__setattr__(made, "table", table)  # no part of what is written down and compared
        return made

    def written(self) -> str:
        """Write down what they are, without the costs of documents."""
        return json.dumps([self.given, self.unit, self.digest])

    @classmethod
    def restored(cls, text: str) -> Self:
        """Read that back."""
        return cls(*json.loads(text))

    @property
    def described(self) -> str:
        """Where they come from, and their unit where it is known."""
        return f"{self.given} ({self.unit})" if self.unit else self.given

    def of(self, documents: pl.Series) -> pl.Series:
        """Return the cost of each document; null where none was given."""
        if self.table is None:
            raise InputError("results read from a file do not hold the costs of documents", source=self.given)
        asked = pl.DataFrame({DOCUMENT: documents})
        return asked.join(self.table, on=DOCUMENT, how="left", maintain_order="left")[_COST]


def _cost_columns(
    there: Sequence[str], source: str | None, naming: Naming, first: Callable[[], Sequence[object]] = tuple
) -> dict[str, str]:
    """Find the column of documents and that of costs, of which there is one."""
    found = match_columns(there, _COST_COLUMNS, source=source, columns=naming.names, first=first)
    several = [name for name in there if name.strip().casefold() in _TELLING]
    if len(several) > 1 and "cost" not in naming.names:
        raise InputError(f"has several columns of costs, {' and '.join(several)}; keep one", source=source)
    return found


def _unit(column: str) -> str:
    return next((unit for unit, names in _UNITS.items() if column.strip().casefold() in names), "")


def _plain_table(value: Any, held: Loaded | None, naming: Naming) -> tuple[pl.DataFrame, str] | None:
    """Read a table of millions of costs, and its unit, at once; None where a cell is wrong: it is read by rows then."""
    from cranfield.formats import frames
    from cranfield.formats.long_tables import table_of

    try:
        if held is None:
            narwhal = frames.clothed(value)
            table = frames.to_polars(narwhal, {name: name for name in narwhal.collect_schema().names()})
        elif held.data.startswith(b"PAR1") or held.suffix in {".csv", ".tsv"}:
            table = table_of(held, "costs")
        else:
            return None
        names = _cost_columns(table.columns, None, naming)
        of_document, of_cost = (table.schema[names[name]] for name in _COST_COLUMNS)
        if not (
            (of_document.is_integer() or of_document == pl.String) and (of_cost.is_numeric() or of_cost == pl.String)
        ):
            return None
        document, cost = pl.col(names["document"]).cast(pl.String), pl.col(names["cost"]).cast(pl.Float64)
        found = table.select(document.alias(DOCUMENT), cost.alias(_COST))
    except (InputError, pl.exceptions.PolarsError, AttributeError, TypeError, ValueError):
        return None
    fits = pl.col(_COST).is_finite() & (pl.col(_COST) >= 0) & (pl.col(DOCUMENT).str.strip_chars() != "")
    if not found.height or found.select((~fits.fill_null(False)).any()).item() or found[DOCUMENT].is_duplicated().any():
        return None
    return found, _unit(names["cost"])


def _one_object(held: Loaded) -> dict[str, Any] | None:
    """Read JSON that is one object of documents and numbers; None where it is something else."""
    if held.data.startswith(b"PAR1") or not held.text.lstrip().startswith("{"):
        return None
    found = held.json()
    plain = isinstance(found, dict) and all(isinstance(each, int | float) for each in found.values())
    return found if plain and (not found or {*found} - {*DOCUMENT_NAMES, *_COST_NAMES}) else None
