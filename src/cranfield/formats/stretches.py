"""Stretches of documents: spans that were judged and chunks that were retrieved, from files, frames, records, dicts."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from cranfield.formats import content, files, frames
from cranfield.formats.columns import RUN_KIND, run_column
from cranfield.formats.files import FilePath
from cranfield.formats.records import placed
from cranfield.formats.topic_tables import TOPIC_NAMES, TopicTable, an_id, read_topic_table
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import (
    DOCUMENT,
    QRELS_COLUMNS,
    QUERY,
    RANK,
    RELEVANCE,
    RUN,
    RUN_COLUMNS,
    RUN_EXTRAS,
    SCORE,
    Frame,
    match_columns,
)
from cranfield.plumbing.wording import some_of

Stretch: TypeAlias = Mapping[str, Any] | Sequence[Any]
"""A record (``{"document": ..., "start": ..., "end": ...}``), or a tuple (document, start, end) or (document, text),
perhaps with a grade or a score behind."""
SpansLike: TypeAlias = FilePath | Frame | Mapping[Any, Iterable[Stretch]] | Iterable[Mapping[str, Any]]
"""Spans: a file, a DataFrame, records, or ``{topic: [span, ...]}``."""
OneChunkRun: TypeAlias = SpansLike
ChunksLike: TypeAlias = OneChunkRun | Mapping[str, OneChunkRun] | Iterable[OneChunkRun]
"""Runs of chunks: one of these, ``{name: run}``, or a list of files."""

_START: Final = "start"
_END: Final = "end"
_TEXT: Final = "text"
_NOT_OF_DOCUMENTS: Final = {"passage_id", "pid", "id", "item", "item_id"}
"""What a chunk's own id may be called, where a run of documents has the document's."""
_PLACE: Final[dict[str, tuple[str, ...]]] = {
    QUERY: tuple(name for name in TOPIC_NAMES if name not in {"id", "_id"}),
    DOCUMENT: (*(name for name in RUN_COLUMNS[DOCUMENT] if name not in _NOT_OF_DOCUMENTS), "source"),
}
_WHERE: Final[dict[str, tuple[str, ...]]] = {
    _START: (_START, "start_index", "start_offset", "start_char", "char_start", "begin"),
    _END: (_END, "end_index", "end_offset", "end_char", "char_end"),
    _TEXT: (_TEXT, "quote", "content", "contents", "page_content", "excerpt", "passage", "body"),
}
_GRADE: Final = {RELEVANCE: QRELS_COLUMNS[RELEVANCE]}
_SCORE: Final = {SCORE: RUN_COLUMNS[SCORE], **RUN_EXTRAS}
_LINES: Final = ".jsonl"
UNKNOWN: Final = -1
"""Stands for an offset that is not given, so that the text has to be found in the document."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of documents, by topic; chunks of a topic stand in the order in which they were ranked."""

    topics: Sequence[str]
    documents: Sequence[str]
    start: Integers
    end: Integers  # Offsets in characters, from 0, the end exclusive; `UNKNOWN` where only a text is given
    value: Floats  # Grades of spans; scores of chunks, NaN without any
    texts: Sequence[str | None]
    lines: Sequence[int]  # The line of the file, or the row, for messages
    source: str
    named: tuple[str, ...] = ()
    """Topics in the order in which they are named, empty ones, too; nothing where each row names its own."""
    tied: int = 0  # How many chunks share their score with another of their topic

    def __len__(self) -> int:
        return len(self.topics)

    @property
    def all_topics(self) -> tuple[str, ...]:
        """The topics, each once, those without a stretch, too."""
        return tuple(dict.fromkeys([*self.named, *self.topics]))

    def picked(self, places: Integers) -> Stretches:
        """Return those at these places, in this order."""
        of = places.tolist()
        return replace(
            self,
            topics=[self.topics[i] for i in of],
            documents=[self.documents[i] for i in of],
            start=self.start[places],
            end=self.end[places],
            value=self.value[places],
            texts=[self.texts[i] for i in of],
            lines=[self.lines[i] for i in of],
        )


def read_spans(given: SpansLike, naming: Naming = NO_NAMES) -> Stretches:
    """Read spans: topic, document, start and end (or a quoted text), and perhaps a grade, 1 by default."""
    table, topics = _table_of(given, "spans", RELEVANCE, naming)
    spans = _read(table, _columns(table, _GRADE), RELEVANCE, topics)
    return replace(spans, value=np.where(np.isnan(spans.value), 1.0, spans.value))


def read_chunks(given: ChunksLike, naming: Naming = NO_NAMES) -> dict[str, Stretches]:
    """Read runs of chunks by name: topic, document, start and end (or the text), and perhaps score, rank and run.

    Chunks are ordered by falling score, else by rank, else as given; ties keep their order.
    """
    found: dict[str, Stretches] = {}
    for name, run, topics in _runs(given, naming):
        for each, part in _by_run(run):
            columns = _columns(part, _SCORE)
            chunks = _ranked(_read(part, columns, SCORE, topics), part, columns.get(RANK))
            called = storable(each or name or "run")
            if called in found:
                raise InputError(f"two runs are named {called!r}", source=run.source)
            found[called] = chunks
    if not found:
        raise InputError("no run is given")
    return found


def _runs(given: Any, naming: Naming) -> Iterator[tuple[str | None, TopicTable, tuple[str, ...]]]:
    """Give runs one by one: the name, if it has one, the table, and the topics, where it names them itself."""
    if isinstance(given, str | os.PathLike):
        name, path = files.named(os.fspath(given))
        paths = [path] if path == files.STANDARD_STREAM else files.expand([path])
        if name is not None and len(paths) > 1:
            raise InputError(f"{name} names one run, but {len(paths)} files match", source=str(path))
        for file in paths:
            yield name or content.run_name(file).removesuffix(_LINES), read_topic_table(file, "chunks", naming), ()
    elif isinstance(given, Mapping) and not frames.is_frame(given) and not _is_by_topic(given, naming):
        for name, run in given.items():
            several = list(_runs(run, naming))
            if len(several) != 1:
                raise InputError(f"{name!r} holds {len(several)} runs; name each of them")
            yield str(name), *several[0][1:]
    elif isinstance(given, list | tuple) and not (given and isinstance(given[0], Mapping)):
        for run in given:
            yield from _runs(run, naming)
    else:
        yield None, *_table_of(given, "chunks", SCORE, naming)


def _is_by_topic(given: Mapping[Any, Any], naming: Naming) -> bool:
    """Tell ``{topic: [stretch, ...]}`` from ``{name: run}``, whose records name their topics."""
    topics = {*_PLACE[QUERY], *(name.casefold() for name in naming.names.get(QUERY, ()))}
    for value in given.values():
        if not isinstance(value, list | tuple):
            return False
        if value:
            first = value[0]
            named = isinstance(first, Mapping) and not {str(key).casefold() for key in first}.isdisjoint(topics)
            return not named and not isinstance(first, str | os.PathLike)
    return True


def _table_of(given: Any, what: str, value: str, naming: Naming) -> tuple[TopicTable, tuple[str, ...]]:
    """Bring what is given into one table, and name the topics, where it does so itself."""
    if isinstance(given, Mapping) and not frames.is_frame(given):
        rows = list(_of_topics(given, what, value, naming))
        return _of_records(rows, what, NO_NAMES), tuple(an_id(topic, "topic") for topic in given)
    if isinstance(given, list | tuple):
        if not all(isinstance(each, Mapping) for each in given):
            raise InputError(f"{what} in a list are records, with topic, document, start and end")
        return _of_records(list(given), what, naming), ()
    return read_topic_table(given, what, naming), ()


def _of_topics(given: Mapping[Any, Any], what: str, value: str, naming: Naming) -> Iterator[dict[str, Any]]:
    """Make a record of each stretch, with our names for what it holds."""
    parts = {**_PLACE, **_WHERE, **_GRADE, **_SCORE}
    ours = {names: part for part in (*_PLACE, *_WHERE, RANK, value) for names in reversed(parts[part])}
    own = {name.casefold(): part for part, several in naming.names.items() if part in parts for name in several}
    ours = {name: part for name, part in ours.items() if part not in own.values()} | own
    for topic, stretches in given.items():
        if isinstance(stretches, str | Mapping) or not isinstance(stretches, Iterable):
            raise InputError(f"{what} are {{topic: [...]}}, a list for each topic; {topic!r} has {shown(stretches)}")
        for each in stretches:
            if isinstance(each, Mapping):
                yield {QUERY: topic, **{ours.get(str(name).casefold(), str(name)): cell for name, cell in each.items()}}
            elif isinstance(each, list | tuple) and len(each) in {2, 3} and isinstance(each[1], str):
                yield {QUERY: topic, **dict(zip((DOCUMENT, _TEXT, value), each, strict=False))}
            elif isinstance(each, list | tuple) and len(each) in {3, 4}:
                yield {QUERY: topic, **dict(zip((DOCUMENT, _START, _END, value), each, strict=False))}
            else:
                raise InputError(f"{what} of topic {topic!r}: not (document, start, end) but {shown(each)}")


def _of_records(records: list[Any], what: str, naming: Naming) -> TopicTable:
    names = tuple(dict.fromkeys(str(name) for each in records for name in each))
    rows = tuple((row, tuple(each.get(name) for name in names)) for row, each in enumerate(records, start=1))
    return TopicTable(names, rows, what, naming)


def _columns(table: TopicTable, value: Mapping[str, tuple[str, ...]]) -> dict[str, list[Any]]:
    """Return the cells of each column that plays a part."""
    if not table.rows:
        return {}
    if not table.columns:
        raise InputError(
            "columns have no names: write JSON lines, or a table with a header (called .csv or .tsv)",
            source=table.source,
        )
    found = match_columns(
        table.columns,
        dict(_PLACE),
        optional={**_WHERE, **value},
        source=table.source,
        columns=table.naming.names,
        first=table.first,
    )
    if _START not in found and _TEXT not in found:
        raise InputError(
            f"neither offsets nor texts: a column {_START} (known as {', '.join(_WHERE[_START])}), or one {_TEXT} "
            f"(known as {', '.join(_WHERE[_TEXT])}) is needed; columns found: {some_of(table.columns)}",
            source=table.source,
        )
    cells = dict(zip(table.columns, zip(*(row for _, row in table.rows), strict=True), strict=True))
    return {ours: [None if cell == "" else cell for cell in cells[theirs]] for ours, theirs in found.items()}


def _read(table: TopicTable, columns: Mapping[str, list[Any]], value: str, named: tuple[str, ...]) -> Stretches:
    """Read the cells of a table, by column."""
    many = len(table.rows)
    lines = [line for line, _ in table.rows]

    def of(name: str) -> list[Any]:
        return _each(table, columns[name], name) if name in columns else [_KINDS[name].default] * many

    start, end, texts = of(_START), of(_END), of(_TEXT)
    for i in range(many):
        if start[i] == UNKNOWN:
            if texts[i] is None:
                raise table.wrong(lines[i], "neither start and end nor a text")
        elif end[i] == UNKNOWN:
            if texts[i] is None:
                raise table.wrong(lines[i], "a start without an end")
            end[i] = start[i] + len(texts[i])  # it begins where it says, and is as long as its text
        elif end[i] < start[i]:
            raise table.wrong(lines[i], f"ends ({end[i]}) before it starts ({start[i]})")
    return Stretches(
        topics=of(QUERY),
        documents=of(DOCUMENT),
        start=np.array(start, dtype=np.int64),
        end=np.array(end, dtype=np.int64),
        value=np.array(of(value), dtype=np.float64),
        texts=texts,
        lines=lines,
        source=table.source,
        named=named,
    )


def _each(table: TopicTable, cells: list[Any], name: str) -> list[Any]:
    """Read cells, and say of the first that cannot be read where it stands."""
    found, (read, default, wanted) = [], _KINDS[name]
    for place, cell in enumerate(cells):
        try:
            found.append(default if cell is None and wanted else read(cell))
        except InputError as error:
            raise table.wrong(table.rows[place][0], error.problem) from None
        except (TypeError, ValueError, OverflowError):
            raise table.wrong(table.rows[place][0], f"the {name} is {shown(cell)}, not {wanted}") from None
    return found


def _offset(cell: Any) -> int:
    number = int(cell) if isinstance(cell, str) else cell
    if isinstance(number, bool) or number % 1 != 0 or not 0 <= number <= _LARGEST:
        raise ValueError
    return int(number)


def _number(cell: Any) -> float:
    number = float(cell)
    if isinstance(cell, bool) or not math.isfinite(number):
        raise ValueError
    return number


def _text(cell: Any) -> str:
    if not isinstance(cell, str):
        raise TypeError
    return cell


class _Kind(NamedTuple):
    """How a cell is read, and what there is instead of an empty one; ids say themselves what is wrong."""

    read: Callable[[Any], Any]
    default: Any = ""
    wanted: str = ""


_LARGEST: Final = 2**31  # No document has more characters
_KINDS: Final = {
    QUERY: _Kind(lambda cell: an_id(cell, "topic")),
    DOCUMENT: _Kind(lambda cell: an_id(cell, "document")),
    _TEXT: _Kind(_text, None, "a text"),
    **dict.fromkeys((_START, _END), _Kind(_offset, UNKNOWN, "an offset (a whole number of characters, from 0)")),
    **dict.fromkeys((RELEVANCE, SCORE, RANK), _Kind(_number, math.nan, "a number")),
}


def _by_run(table: TopicTable) -> Iterator[tuple[str | None, TopicTable]]:
    """Split a table by its column of runs, if it has one."""
    found = run_column(table.columns, RUN_KIND.called(table.naming), table.source)
    if RUN not in found:
        yield None, table
        return
    place = table.columns.index(found[RUN])
    parts: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
    for line, row in table.rows:
        with placed(table.source, line):
            parts.setdefault(an_id(row[place], "run"), []).append((line, row))
    for name, rows in parts.items():
        yield name, table._replace(rows=tuple(rows))


def _ranked(chunks: Stretches, table: TopicTable, ranks: list[Any] | None) -> Stretches:
    """Put the chunks of each topic in their order, topics as they first appear."""
    if not len(chunks):
        return chunks
    scored = ~np.isnan(chunks.value)
    if scored.any() and not scored.all():
        raise table.wrong(chunks.lines[int(np.argmin(scored))], "a chunk has no score, unlike others")
    first: dict[str, int] = {}
    topic = np.array([first.setdefault(each, len(first)) for each in chunks.topics])
    if scored.any():
        by: Floats = -chunks.value
    elif ranks is not None:
        by = np.array(_each(table, ranks, RANK))
        if np.isnan(by).any():
            raise table.wrong(chunks.lines[int(np.argmax(np.isnan(by)))], "a chunk has no rank, unlike others")
    else:
        by = np.zeros(len(chunks))
    order = np.lexsort((by, topic))
    tied = 0
    if scored.any() or ranks is not None:
        same = (np.diff(topic[order]) == 0) & (np.diff(by[order]) == 0)
        tied = int(np.count_nonzero(np.append(same, False) | np.insert(same, 0, False)))
    return replace(chunks.picked(order), tied=tied)
