"""Where runs and qrels come from and go to: one function for each, whatever the format."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cranfield.errors import InputError
from cranfield.forks import begin_work
from cranfield.formats import content, dicts, files, frames
from cranfield.formats.columns import QRELS_KIND, RUN_KIND, Kind
from cranfield.formats.dicts import Id
from cranfield.formats.like import Frame, QrelsLike, RunsLike
from cranfield.formats.runs import Load, Runs, RunSource
from cranfield.lazily import pl
from cranfield.tables import DOCUMENT, LINE, QUERY, RANK

if TYPE_CHECKING:
    from cranfield.formats.files import FilePath


def read_runs(*sources: RunsLike, comments: bool = False) -> Runs:
    """Gather runs from files, DataFrames, dicts and tuples.

    Parameters
    ----------
    sources
        Each is a path, a glob, a folder or ``-`` (standard input), with a name if one likes
        (``"bm25=run.gz"``; what exists as it is written is a path); a DataFrame, which holds
        several runs when it has a column ``run``; ``{topic: {document: score}}``;
        ``{name: any of these}``; tuples (topic, document, score); or a list of any of these.
    comments
        Lines that begin with ``#`` are skipped. Without it they are not: an id may begin so.

    Examples
    --------
    >>> runs = read_runs({"bm25": [("401", "d1", 2.5), ("401", "d2", 1.5)]}, pl.DataFrame(
    ...     {"run": ["a", "b"], "qid": ["401", "401"], "docno": ["d1", "d2"], "score": [1, 2]}))
    >>> list(runs)
    ['bm25', 'a', 'b']
    """
    begin_work()
    found = [source for given in sources for source in _sources(given, name=None, comments=comments)]
    if not found:
        raise InputError("no runs were given")
    return Runs(_name_the_unnamed(found))


def read_run(source: RunsLike, *, name: str | None = None, comments: bool = False) -> pl.DataFrame:
    """Read one run, from anything that `read_runs` takes; ``name`` says which, where the source holds several.

    >>> read_run({"401": {"d1": 2.5}}).rows()
    [('401', 'd1', 2.5)]
    """
    runs = read_runs(source, comments=comments)
    if name is None and len(runs) == 1:
        return runs.sources[0].read()
    if name is None or name not in runs:
        wanted = "one run is wanted" if name is None else f"there is no run {name!r}"
        raise InputError(f"{wanted}; there are {', '.join(runs)}", source=runs.sources[0].origin)
    return runs[name]


def read_qrels(source: QrelsLike, *, comments: bool = False) -> pl.DataFrame:
    """Read the judgments from a file, a DataFrame, ``{topic: {document: grade}}`` or tuples.

    A judgment that is there twice is kept once; two different ones of the same document are an
    error.

    >>> read_qrels({"401": {"d1": 2, "d2": 0}}).rows()
    [('401', 'd1', 2), ('401', 'd2', 0)]
    """
    begin_work()
    if isinstance(source, str | os.PathLike):
        origin = files.called(source)
        load: Load = content.file(source, QRELS_KIND, comments=comments)
    else:
        origin, table = _qrels_table(source)
        load = partial(_select, table, QRELS_KIND, origin)
    table = load(rank=False, lines=False)
    if not table.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        return table
    _refuse_second_opinions(load(rank=False, lines=True), origin, is_file=isinstance(source, str | os.PathLike))
    return table.unique([QUERY, DOCUMENT], keep="first", maintain_order=True)


def write_run(table: pl.DataFrame, path: FilePath, *, name: str | None = None) -> None:
    """Write a run; the name of the file says the format, and ``-`` is the standard output.

    ``.csv``, ``.tsv`` and ``.parquet`` have columns with names; anything else is TREC text, whose
    last column is the name of the run: the file's unless ``name`` says another. ``.gz`` and
    ``.zst`` are packed.

    >>> write_run(read_run({"401": {"d1": 2.5}}), "bm25 (new).txt")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: bm25 (new).txt: the name 'bm25 (new)' does not fit TREC text, ...
    """
    content.write(table, RUN_KIND, path, name=content.run_name(path) if name is None else name)


def write_qrels(table: pl.DataFrame, path: FilePath) -> None:
    """Write judgments; the name of the file says the format, as in `write_run`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_qrels(read_qrels({"401": {"d1": 2}}), Path(folder, "qrels.csv.gz"))
    ...     read_qrels(Path(folder, "qrels.csv.gz")).rows()
    [('401', 'd1', 2)]
    """
    content.write(table, QRELS_KIND, path, name="qrels")


def _select(table: pl.DataFrame, kind: Kind, origin: str, *, rank: bool, lines: bool) -> pl.DataFrame:
    """Give the columns that are wanted of a table in memory."""
    if rank and RANK not in table.columns:
        raise InputError("has no rank column", source=origin)
    if lines and LINE not in table.columns:
        table = table.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE))
    return table.select(*kind.ours, *([RANK] if rank else []), *([LINE] if lines else []))


_UNNAMED: Final = ""


def _sources(given: RunsLike, *, name: str | None, comments: bool) -> list[RunSource]:
    """Give the runs of one source; one that has no name yet is named by ``name``, if there is one."""
    if isinstance(given, Runs):
        return list(given.sources)
    if isinstance(given, str | os.PathLike):
        return _from_path(given, name=name, comments=comments)
    if isinstance(given, Mapping):
        return _from_mapping(given, name=name, comments=comments)
    if frames.is_frame(given):
        return _from_frame(given, name=name)
    if isinstance(given, Iterable):
        return _from_iterable(given, name=name, comments=comments)
    raise InputError(f"{type(given).__name__} is nothing that a run can be read from")


def _from_path(given: FilePath, *, name: str | None, comments: bool) -> list[RunSource]:
    if name is None:
        name, given = files.named(given)
    paths: list[FilePath] = [given] if given == files.STANDARD_STREAM else [*files.expand([given])]
    if name is not None and len(paths) > 1:
        raise InputError(f"{len(paths)} files for the one run {name!r}", source=os.fspath(given))
    return [run for path in paths for run in _from_file(path, name=name, comments=comments)]


def _from_file(path: FilePath, *, name: str | None, comments: bool) -> list[RunSource]:
    run = content.file(path, RUN_KIND, comments=comments)
    several, origin = run.several(), files.called(path)
    if several is not None:
        return _named_runs(several, name=name, origin=origin)
    if files.has_no_name(path):
        return [RunSource(name or run.tag() or _UNNAMED, origin, None, (), run, run.tag, run.cells)]
    where = path if isinstance(path, Path) else None
    return [RunSource(name or content.run_name(path), origin, where, (), run, run.tag, run.cells)]


def _from_mapping(given: Mapping[Id, Any], *, name: str | None, comments: bool) -> list[RunSource]:
    if name is None and _names_runs(given):
        return [run for key, value in given.items() for run in _sources(value, name=str(key), comments=comments)]
    table, empty = dicts.from_dict(given, RUN_KIND)
    return [_in_memory(table, name or _UNNAMED, "dict", empty)]


def _names_runs(given: Mapping[Id, object]) -> bool:
    """Tell ``{name: run}`` from ``{topic: {document: score}}``."""
    values = [value for value in given.values() if isinstance(value, Mapping)]
    if len(values) < len(given):
        return True
    return any(isinstance(inner, Mapping) for value in values for inner in value.values())


def _from_frame(given: Frame, *, name: str | None) -> list[RunSource]:
    several = frames.read_by_run(given, RUN_KIND)
    if several is not None:
        return _named_runs(several, name=name, origin="DataFrame")
    return [_in_memory(frames.read(given, RUN_KIND), name or _UNNAMED, "DataFrame")]


def _named_runs(several: dict[str, pl.DataFrame], *, name: str | None, origin: str) -> list[RunSource]:
    """Make runs of tables that have names already; a name given to them all can only be that of one."""
    if name is not None and len(several) > 1:
        raise InputError(f"holds {len(several)} runs, not the one run {name!r}", source=origin)
    return [_in_memory(table, name or each, origin) for each, table in several.items()]


def _from_iterable(given: Iterable[Any], *, name: str | None, comments: bool) -> list[RunSource]:
    items = list(given)
    if not items:
        raise InputError("is empty: a run has at least one document", source="tuples")
    if isinstance(items[0], str | os.PathLike | Mapping) or frames.is_frame(items[0]):
        if name is not None and len(items) > 1:
            raise InputError(f"{len(items)} runs for the one name {name!r}")
        return [run for item in items for run in _sources(item, name=name, comments=comments)]
    return [_in_memory(dicts.from_tuples(items, RUN_KIND), name or _UNNAMED, "tuples")]


def _in_memory(table: pl.DataFrame, name: str, origin: str, empty: Iterable[str] = ()) -> RunSource:
    return RunSource(name, origin, None, tuple(empty), partial(_select, table, RUN_KIND, origin))


def _name_the_unnamed(sources: list[RunSource]) -> list[RunSource]:
    """Call the one run that has no name ``run``, several ``run1``, ``run2`` and so on."""
    unnamed = sum(source.name == _UNNAMED for source in sources)
    names = iter(["run"]) if unnamed == 1 else (f"run{number}" for number in itertools.count(1))
    return [source if source.name != _UNNAMED else replace(source, name=next(names)) for source in sources]


def _qrels_table(given: QrelsLike) -> tuple[str, pl.DataFrame]:
    if isinstance(given, Mapping):
        return "dict", dicts.from_dict(given, QRELS_KIND)[0]
    if frames.is_frame(given):
        return "DataFrame", frames.read(given, QRELS_KIND)
    if isinstance(given, Iterable):
        return "tuples", dicts.from_tuples(given, QRELS_KIND)
    raise InputError(f"{type(given).__name__} is nothing that qrels can be read from")


def _refuse_second_opinions(judgments: pl.DataFrame, origin: str, *, is_file: bool) -> None:
    """Refuse a document that has two grades in a topic; the error names the line of the second."""
    grade = pl.col(QRELS_KIND.value)
    first = grade.first().over(QUERY, DOCUMENT)
    contrary = judgments.with_columns(first.alias("first")).filter(grade != pl.col("first"))
    if not contrary.height:
        return
    query, document, second, line, before = contrary.row(0)
    problem = f"document {document} of topic {query} is judged twice: {before}, then {second}"
    if is_file:
        raise InputError(problem, source=origin, line=line)
    raise InputError(f"row {line}: {problem}", source=origin)
