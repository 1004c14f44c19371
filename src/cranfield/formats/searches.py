"""Where logs of searches come from, whatever the file, and the runs that follow from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from cranfield.formats import browsecomp, call_tables, files, frames, json_text, spans
from cranfield.formats.columns import RUN_KIND
from cranfield.formats.content import run_name
from cranfield.formats.dicts import Id
from cranfield.formats.files import FilePath
from cranfield.formats.records import at, paths_in, placed
from cranfield.formats.runs import Runs, RunSource, from_memory
from cranfield.formats.search_log import LoggedQuestion, LoggedSearch, Read, SearchLog
from cranfield.formats.topic_tables import an_id
from cranfield.formats.unmet import settled
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Count, NotNegative, checked
from cranfield.plumbing.tables import LINE, QUERY, Frame
from cranfield.plumbing.wording import counted

OneLog: TypeAlias = FilePath | Frame | Mapping[Id, Sequence[Sequence[object]]]
"""One system's searches: a file, a folder, a DataFrame, or ``{topic: [[document, ...], ...]}``."""
SearchesLike: TypeAlias = OneLog | Mapping[Id, OneLog] | Iterable[OneLog]
"""Searches: one of these, ``{name: one of these}``, a list of these, or what `read_searches` returns."""

_RECORDS: Final = "run_*.json"  # What BrowseComp-Plus calls its files
_OTHERS: Final = ("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz", "*.json.zst", "*.jsonl.zst")
_SHAPES: Final = (
    "a log of searches is BrowseComp-Plus's run_*.json, retrieval spans of OpenTelemetry or OpenInference as JSON "
    "lines, or a table with columns topic, call and document"
)


class Searches(Mapping[str, "pl.DataFrame"]):
    """Several searches for each question, of one system or of several, by the name of the system.

    ``searches[name]`` is a table of all results in the order of the searches: query_id, call (from 1),
    doc_id, tokens (null where they are not known).

    Attributes
    ----------
    logs
        A `SearchLog` for each system: its questions (those without a search included), searches and results.

    Examples
    --------
    >>> searches = read_searches({"agent": {"q1": [["a", "b"], ["b", "c"]], "q2": []}})
    >>> searches
    Searches(agent: 2 topics, 2 searches)
    >>> searches["agent"].select("query_id", "call", "doc_id").rows()
    [('q1', 1, 'a'), ('q1', 1, 'b'), ('q1', 2, 'b'), ('q1', 2, 'c')]
    """

    def __init__(self, logs: Iterable[SearchLog]) -> None:
        self.logs = tuple(logs)
        self._by_name: dict[str, SearchLog] = {}
        for log in self.logs:
            if log.name in self._by_name:
                other = self._by_name[log.name].origin
                raise InputError(f"a second system named {log.name!r}; the first is {other}", source=log.origin)
            self._by_name[log.name] = log

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self._by_name[name].results

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.logs)

    def __repr__(self) -> str:
        said = [
            f"{log.name}: {counted(log.questions.height, 'topic')}, {counted(log.calls.height, 'search', 'searches')}"
            for log in self.logs[:5]
        ]
        more = [f"... {len(self) - 5} more"] if len(self) > 5 else []
        return f"Searches({'; '.join(said + more)})"

    def runs(self, calls: int | None = None, tokens: float | None = None) -> Runs:
        """Return the union of the searches of each topic as runs, which everything else here takes.

        A document stands where it first appeared: first those of search 1 in their order, then what
        search 2 added, and so on. It is no merged ranking. Scores fall with the place. Topics without a
        search are empty lists.

        Parameters
        ----------
        calls
            Use only this many searches, the first ones.
        tokens
            Within this many tokens: the list ends before the first document (where each has its own
            tokens), or the first search, with which they would be more.

        Raises
        ------
        InputError
            If a budget of tokens is asked for and the tokens of single searches are not known.

        Examples
        --------
        >>> searches = read_searches({"agent": {"q1": [["a", "b"], ["b", "c"]], "q2": []}})
        >>> searches.runs()["agent"].rows()
        [('q1', 'a', 3.0), ('q1', 'b', 2.0), ('q1', 'c', 1.0)]
        >>> searches.runs(calls=1)["agent"].rows()
        [('q1', 'a', 3.0), ('q1', 'b', 2.0)]
        """
        calls, tokens = checked("calls", calls, Count | None), checked("tokens", tokens, NotNegative | None)
        return Runs([_run(log, calls, tokens) for log in self.logs])


def _run(log: SearchLog, calls: int | None, tokens: float | None) -> RunSource:
    """Make a run of the union of a log's searches."""
    table = log.listed(calls, tokens)
    load = partial(from_memory, table, RUN_KIND, log.origin)
    return RunSource(log.name, log.origin, None, without(table, log.questions[QUERY]), load, has_ranks=False)


def without(table: pl.DataFrame, topics: pl.Series) -> tuple[str, ...]:
    """Name the topics of which a table has no row."""
    return tuple(topics.filter(~topics.is_in(table[QUERY].unique().implode())))


def read_searches(
    *given: SearchesLike,
    topic_attribute: str = spans.TRACE_ID,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Searches:
    """Read what systems searched for, when they search several times for one question.

    Parameters
    ----------
    given
        For each system a file, a folder of ``run_*.json`` (or of other JSON), a DataFrame, or ``{topic:
        [[document, ...], ...]}``, a list for each search; ``{name: one of these}``; a path may be
        ``"NAME=PATH"``. Files are recognised by their content: BrowseComp-Plus's ``run_*.json``;
        OpenTelemetry's and OpenInference's retrieval spans as JSON lines, a trace a question; a table (CSV,
        TSV, Parquet, JSON lines, or words with a header) with columns topic, call and document and, where
        they are known, score or rank, tokens (of each document) or call_tokens (of each search), query,
        and run.
    topic_attribute
        Of spans: the attribute that has the topic's id, such as ``"session.id"``. By default the id of the
        trace is the topic.
    columns, fields
        What the columns of tables, and the parts of rows in JSON, are called: as in `read_runs`.

    Raises
    ------
    InputError
        If a file is none of these, or has a question twice; the message names the file and the line.

    Examples
    --------
    >>> log = pl.DataFrame({"topic": ["q", "q", "q"], "call": [1, 1, 2], "document": ["a", "b", "c"]})
    >>> read_searches({"agent": log})
    Searches(agent: 1 topic, 2 searches)
    """
    return found_searches(*given, topic_attribute=topic_attribute, naming=settled(Naming.of(columns, fields), *given))


def found_searches(*given: SearchesLike, topic_attribute: str, naming: Naming) -> Searches:
    """Read searches as `read_searches` does; names of a user's own are settled."""
    begin_work()
    logs = [log for each in given for log in _logs(each, None, topic_attribute, naming)]
    if not logs:
        raise InputError("no searches were given")
    return Searches(logs)


UNNAMED: Final = "run"  # What a system is called that has no name


def _logs(given: Any, name: str | None, topic_attribute: str, naming: Naming) -> list[SearchLog]:
    """Give the logs of one source."""
    if isinstance(given, Searches):
        return list(given.logs)
    if isinstance(given, str | os.PathLike):
        named, path = files.named(given) if name is None else (name, given)
        return _of_path(path, named, topic_attribute, naming)
    if frames.is_frame(given):
        return _of_frame(given, name, naming)
    if isinstance(given, Mapping):
        if all(isinstance(value, list | tuple) for value in given.values()):
            return [SearchLog.of(name or UNNAMED, "dict", _of_lists(given, "dict"))]
        found = {str(key): _logs(value, str(key), topic_attribute, naming) for key, value in given.items()}
        for key, logs in found.items():
            if len(logs) > 1:
                raise InputError(f"holds {len(logs)} systems, not the one system {key!r}", source=logs[0].origin)
        return [log for logs in found.values() for log in logs]
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        logs = [log for each in given for log in _logs(each, None, topic_attribute, naming)]
        _refuse_pieces(logs)
        return logs
    raise InputError(f"{type(given).__name__} holds no searches: {_SHAPES}, or {{topic: [[document, ...], ...]}}")


def _refuse_pieces(logs: list[SearchLog]) -> None:
    """Refuse the records of one folder where each is given for a system of its own."""
    folders = {str(Path(log.origin).parent) for log in logs}
    if len(logs) > 1 and len(folders) == 1 and all(Path(log.origin).match(_RECORDS) for log in logs):
        raise InputError(
            f"{len(logs)} records of one question each: give their folder as one system", source=folders.pop()
        )


def _of_path(path: FilePath, name: str | None, topic_attribute: str, naming: Naming) -> list[SearchLog]:
    origin = files.called(path)
    if path != files.STANDARD_STREAM and files.is_folder(path):
        inside = ((files.read_bytes(file), files.called(file)) for file in _in_folder(Path(path)))
        objects = [each for data, source in inside for each in _numbered(data, source)]
        return [_of_objects(objects, name or storable(Path(path).resolve().name) or UNNAMED, origin, topic_attribute)]
    data = files.read_bytes(path)
    called = name or (UNNAMED if files.has_no_name(path) or path == files.STANDARD_STREAM else run_name(path))
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"{", b"["}:
        return call_tables.read(call_tables.pick(data, naming, source=origin), name=called, source=origin)
    objects = _numbered(data, origin)
    first = objects[0][2] if objects else None
    if isinstance(first, Mapping) and not browsecomp.recognises(first) and _has_calls(first, naming):
        return call_tables.read(_of_records(objects, naming, origin), name=called, source=origin)
    return [_of_objects(objects, called, origin, topic_attribute)]


def _has_calls(row: Mapping[str, Any], naming: Naming) -> bool:
    return call_tables.recognises([*map(str, row), *paths_in(row, naming)], naming)


def _in_folder(folder: Path) -> list[Path]:
    """List the files of a folder that hold one system's searches."""
    for patterns in ((_RECORDS, f"{_RECORDS}.gz", f"{_RECORDS}.zst"), _OTHERS):
        found = sorted({file for pattern in patterns for file in folder.glob(pattern) if not file.name.startswith(".")})
        if found:
            return found
    raise InputError(f"no JSON in this folder: {_SHAPES}, named as a file", source=files.called(folder))


def _numbered(data: bytes, source: str) -> list[tuple[str, int | None, Any]]:
    """Read the objects of a file, each with the file and, if there are several, its line."""
    found = json_text.numbered(data, source=source, texts=True)
    return [(source, line if len(found) > 1 else None, each) for line, each in found]


def _of_objects(objects: list[tuple[str, int | None, Any]], name: str, origin: str, topic_attribute: str) -> SearchLog:
    """Read records or spans, whichever the first object is."""
    if not objects:
        raise InputError(f"is empty: {_SHAPES}", source=origin)
    source, line, first = objects[0]
    if browsecomp.recognises(first):
        return SearchLog.of(name, origin, browsecomp.read(objects))
    if spans.recognises(first):
        return SearchLog.of(name, origin, spans.read(objects, topic_attribute))
    if len(objects) == 1 and isinstance(first, Mapping) and all(isinstance(value, list) for value in first.values()):
        return SearchLog.of(name, origin, _of_lists(first, source))
    raise InputError(f"is none of these: {_SHAPES}", source=source, line=line)


def _of_lists(given: Mapping[Id, Any], source: str) -> Read:
    """Read ``{topic: [[document, ...], ...]}``."""
    questions = []
    with placed(source):
        for topic, lists in given.items():
            name = an_id(topic, "topic")
            for call, documents in enumerate(lists, start=1):
                if not isinstance(documents, list | tuple):
                    raise InputError(
                        f"search {call} of topic {name} is not a list of documents: a topic has a list of lists, one "
                        "per search"
                    )
            searches = (LoggedSearch(tuple(an_id(each, "document") for each in documents)) for documents in lists)
            questions.append(LoggedQuestion(name, tuple(searches), (source, None)))
        if not questions:
            raise InputError("is empty: it holds no topic")
    return Read(questions)


def _of_frame(given: Frame, name: str | None, naming: Naming) -> list[SearchLog]:
    narwhal = frames.clothed(given)
    found = call_tables.found_in(narwhal.collect_schema().names(), naming, source="DataFrame")
    return call_tables.read(frames.to_polars(narwhal, found), name=name or UNNAMED, source="DataFrame")


def _of_records(objects: list[tuple[str, int | None, Any]], naming: Naming, source: str) -> pl.DataFrame:
    """Make a table of the rows of JSON lines."""
    for _, line, each in objects:
        if not isinstance(each, Mapping):
            raise InputError("is not an object, unlike the other rows", source=source, line=line)
    names = dict.fromkeys(name for _, _, each in objects for name in [*each, *paths_in(each, naming)])
    columns = [
        frames.column_of(theirs, [at(each, theirs) for _, _, each in objects], source).alias(ours)
        for ours, theirs in call_tables.found_in([*names], naming, source=source).items()
    ]
    return pl.DataFrame([*columns, pl.Series(LINE, [line or 1 for _, line, _ in objects], dtype=pl.Int64)])
