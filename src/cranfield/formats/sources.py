"""Where runs and qrels come from and go to: one function for each, whatever the format."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, cast

from cranfield.formats import (
    content,
    dicts,
    files,
    folders,
    frames,
    golden_sets,
    heads,
    named_datasets,
    native,
    neighbours,
    parquet,
)
from cranfield.formats.columns import QRELS_KIND, RUN_KIND, Kind
from cranfield.formats.dicts import Id, NestedDict, one_grade
from cranfield.formats.files import FilePath
from cranfield.formats.like import QrelsLike, RunsLike
from cranfield.formats.native import ReadQrels
from cranfield.formats.runs import Load, Runs, RunSource, from_memory
from cranfield.formats.unmet import settled
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, NamesLike, Naming
from cranfield.plumbing.options import checked
from cranfield.plumbing.surface import take_scores
from cranfield.plumbing.tables import (
    DOCUMENT,
    ITERATION,
    LINE,
    QUERY,
    RANK,
    SCORE,
    SUBTOPIC,
    Frame,
    Repeated,
    Subtopics,
)
from cranfield.plumbing.wording import counted, some_of


def read_runs(
    *sources: RunsLike,
    comments: bool = False,
    repeated: Repeated = "refuse",
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Runs:
    """Gather runs from files, DataFrames, dicts and tuples.

    Parameters
    ----------
    sources
        Each is a path, a glob, a folder or ``-`` (standard input), with a name if one likes
        (``"bm25=run.gz"``; what exists as it is written is a path); an open file; a DataFrame,
        records or Arrow's batches, which hold several runs when they have a column ``run``;
        ``{topic: {document: score}}`` or ``{topic: [document, ...]}``, the best first, where documents
        may be hits of search engines or objects of other libraries, with an id and perhaps a score;
        ``{name: any of these}``; tuples (topic, document, score); a ``Run`` of ranx'; or a list of
        any of these.
    comments
        Skip lines that begin with ``#``. By default they are read: an id may begin with it.
    repeated
        How to treat a document repeated in a topic, as in passage ranking: use its highest score
        (``"max"``), the first (``"first"``), or the ``"sum"`` of all. By default the run is refused
        when ranked.
    columns
        What columns are called, in DataFrames and in tables in files, ours first: ``{"query_id": "search_term"}``;
        or what documents by topic call their id and score: ``{"doc_id": "metadata.source"}``. Inputs without
        such a column are read as ever.
    fields
        The same of records in JSON: see `read_golden`.

    Examples
    --------
    >>> runs = read_runs({"bm25": [("401", "d1", 2.5), ("401", "d2", 1.5)]}, pl.DataFrame(
    ...     {"run": ["a", "b"], "qid": ["401", "401"], "docno": ["d1", "d2"], "score": [1, 2]}))
    >>> list(runs)
    ['bm25', 'a', 'b']
    >>> passages = [("401", "d1", 2.5), ("401", "d2", 2.0), ("401", "d1", 1.0)]
    >>> read_runs(passages, repeated="max")["run"].rows()
    [('401', 'd1', 2.5), ('401', 'd2', 2.0)]
    """
    naming = settled(Naming.of(columns, fields), *sources)
    return found_runs(*sources, comments=comments, repeated=repeated, naming=naming)


def found_runs(
    *sources: RunsLike, comments: bool = False, repeated: Repeated = "refuse", naming: Naming = NO_NAMES
) -> Runs:
    """Gather runs as `read_runs` does; names of a user's own are settled."""
    repeated = checked("repeated", repeated, Repeated)
    kind = RUN_KIND.called(naming)
    found = [source for given in sources for source in _sources(given, kind, name=None, comments=comments)]
    if not found:
        raise InputError(f"no run is given; {take_scores()}")
    if repeated != "refuse":
        found = [_without_repeats(source, repeated) for source in found]
    return Runs(_name_the_unnamed(found))


def read_run(
    source: RunsLike,
    *,
    name: str | None = None,
    comments: bool = False,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> pl.DataFrame:
    """Read one run.

    Parameters
    ----------
    source
        Anything that `read_runs` takes.
    name
        The name of the run, if the source holds several.
    comments
        Skip lines that begin with ``#``.
    columns, fields
        As in `read_runs`.

    Examples
    --------
    >>> read_run({"401": {"d1": 2.5}}).rows()
    [('401', 'd1', 2.5)]
    """
    runs = read_runs(source, comments=comments, columns=columns, fields=fields)
    if name is None and len(runs) == 1:
        return runs.sources[0].read()
    if name is None or name not in runs:
        wanted = "one run is needed" if name is None else f"there is no run {name!r}"
        raise InputError(f"{wanted}; the runs are {', '.join(runs)}", source=runs.sources[0].origin)
    return runs[name]


def read_qrels(
    source: QrelsLike,
    *,
    comments: bool = False,
    subtopics: Subtopics = "refuse",
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> pl.DataFrame:
    """Read the judgments from a file, a DataFrame, ``{topic: {document: grade}}`` or tuples.

    A repeated judgment is kept once; two different judgments of a document are an error. Judgments of a
    stratified sample have an additional column, stratum.

    Parameters
    ----------
    source
        A path or an open file, a DataFrame, a dict, or tuples; the name of a dataset of ir_datasets,
        ``"irds:msmarco-passage/trec-dl-2019/judged"``; a golden set without grades is ``{topic:
        [document, ...]}``; a collection of BEIR's or MTEB's is a folder with its judgments in ``qrels``.
        Judgments by subtopic are TREC text with the subtopic in the second column, JSON lines of nuggets, a
        table with a column ``subtopic`` (or ``nugget``, ``aspect``), or ``{topic: {subtopic: {document:
        grade}}}``.
    comments
        Skip lines that begin with ``#``.
    subtopics
        How to treat a document judged under several subtopics: an error (``"refuse"``), or the largest
        grade of each document (``"max"``). ``"read"`` gives the judgments by subtopic, with a column
        subtopic, and takes the second column of TREC text for it; ``"auto"`` does so where some document
        is judged under several. A subtopic that no document holds has a row without document and grade.
    columns, fields
        As in `read_runs`.

    Examples
    --------
    >>> read_qrels({"401": {"d1": 2, "d2": 0}}).rows()
    [('401', 'd1', 2), ('401', 'd2', 0)]
    >>> read_qrels({"401": {"north": {"d1": 2}, "south": {}}}, subtopics="read").rows()
    [('401', 'd1', 2, 'north'), ('401', None, None, 'south')]
    """
    naming = settled(Naming.of(columns, fields), source)
    table, _ = read_judged(source, comments=comments, subtopics=subtopics, naming=naming)
    if SUBTOPIC not in table.columns:
        if subtopics == "read":
            raise InputError("has no subtopics: neither a column subtopic nor TREC text's second one", source="qrels")
        return table
    return table if subtopics in {"read", "auto"} else one_grade(table)


def read_judged(
    source: QrelsLike,
    *,
    comments: bool = False,
    subtopics: Subtopics = "refuse",
    naming: Naming = NO_NAMES,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read judgments as `read_qrels` does, with a subtopic column if there are subtopics, and topics without judgments.

    Where several subtopics of a document are refused, the error names the line.
    """
    begin_work()
    subtopics = checked("subtopics", subtopics, Subtopics)
    origin, load, empty = _load_qrels(source, QRELS_KIND.called(naming), comments=comments)
    return _judged_once(origin, load, subtopics, is_file=isinstance(load, content.File)), empty()


def _judged_once(origin: str, load: Load, subtopics: Subtopics, *, is_file: bool) -> pl.DataFrame:
    """Keep each judgment of a document once, or once a subtopic; what contradicts itself is refused."""
    table = load(rank=False, lines=False)
    named = SUBTOPIC if SUBTOPIC in table.columns else ITERATION if ITERATION in table.columns else None
    both = [QUERY, DOCUMENT, named] if named and (subtopics == "read" or _under_several(table, named)) else []
    if both and subtopics == "refuse":
        _refuse_subtopics(load(rank=False, lines=True), named or SUBTOPIC, origin, is_file=is_file)
    keep = both or [QUERY, DOCUMENT, *([SUBTOPIC] if named == SUBTOPIC else [])]
    if table.select(pl.struct(keep).is_duplicated().any()).item():
        if subtopics != "max":
            _refuse_second_opinions(load(rank=False, lines=True), keep, origin, is_file=is_file)
        table = table.group_by(keep, maintain_order=True).agg(pl.exclude(keep).max()).select(table.columns)
    return table.rename({ITERATION: SUBTOPIC}) if both and named == ITERATION else table.drop(ITERATION, strict=False)


def qrels_by_assessor(
    source: QrelsLike, *, comments: bool = False, naming: Naming = NO_NAMES
) -> dict[str, pl.DataFrame]:
    """Read the judgments of each assessor, where TREC text names those of a document in its second column.

    Nothing is returned where no document is judged under two names, or where these are numbers, as subtopics have.
    """
    origin, load, _ = _load_qrels(source, QRELS_KIND.called(naming), comments=comments)
    table = load(rank=False, lines=False)
    if ITERATION not in table.columns or not _under_several(table, ITERATION):
        return {}
    if table[ITERATION].cast(pl.Float64, strict=False).is_not_null().all():
        return {}
    table = _judged_once(origin, load, "read", is_file=isinstance(load, content.File))
    by_name = table.partition_by(SUBTOPIC, maintain_order=True, include_key=False, as_dict=True)
    return {str(name): judgments for (name,), judgments in by_name.items()}


def nested_qrels(source: QrelsLike, *, comments: bool = False, naming: Naming = NO_NAMES) -> NestedDict | None:
    """Give judgments as ``{topic: {document: grade}}``, where that is less work than a table: a dict, a small file."""
    if isinstance(source, str | os.PathLike):
        source = folders.qrels_in(source)
        small = files.size(source) and not files.is_stream(source)
        return content.file(source, QRELS_KIND.called(naming), comments=comments).nested() if small else None
    if not isinstance(source, Mapping):
        return None
    found = neighbours.plain(source, QRELS_KIND.called(naming))
    return found if isinstance(found, Mapping) else None


def plain_qrels(source: QrelsLike, *, comments: bool = False, naming: Naming = NO_NAMES) -> ReadQrels | None:
    """Read judgments by the native road; None where it is not there, and of anything but a file that it takes."""
    if not isinstance(source, str | os.PathLike) or not native.library():
        return None
    path = folders.qrels_in(source)
    if files.is_stream(path) or not 0 < files.size(path) <= content.LARGEST_QRELS:
        return None
    text = content.file(path, QRELS_KIND.called(naming), comments=comments).text()
    return None if text is None else native.native_qrels(text)


def write_run(table: pl.DataFrame, path: FilePath, *, name: str | None = None) -> None:
    """Write a run; the file name determines the format.

    Parameters
    ----------
    table
        The run, with columns query_id, doc_id and score.
    path
        The file; ``-`` is the standard output. ``.csv``, ``.tsv`` and ``.parquet`` have columns with
        names, ``.json`` is ``{topic: {document: score}}``, anything else is TREC text. ``.gz`` and
        ``.zst`` are packed.
    name
        The name of the run, which is the last column of TREC text; by default the file's.

    Examples
    --------
    >>> write_run(read_run({"401": {"d1": 2.5}}), "bm25 (new).txt")
    Traceback (most recent call last):
    ...
    cranfield.InputError: bm25 (new).txt: the name 'bm25 (new)' does not fit TREC text, ...
    """
    content.write(table, RUN_KIND, path, name=content.run_name(path) if name is None else storable(name))


def write_qrels(table: pl.DataFrame, path: FilePath) -> None:
    """Write judgments; the file name determines the format.

    Parameters
    ----------
    table
        The judgments, with columns query_id, doc_id and relevance.
    path
        The file, as in `write_run`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_qrels(read_qrels({"401": {"d1": 2}}), Path(folder, "qrels.csv.gz"))
    ...     read_qrels(Path(folder, "qrels.csv.gz")).rows()
    [('401', 'd1', 2)]
    """
    content.write(table, QRELS_KIND, path, name="qrels")


def _without_repeats(source: RunSource, repeated: Repeated) -> RunSource:
    """Give a run that may have a document several times in a topic as one that has not."""
    parted = source.parted and replace(source.parted, once=partial(_once, repeated=repeated))
    return replace(source, load=partial(_read_once, source.load, repeated), nested=None, parted=parted, text=None)


def _read_once(load: Load, repeated: Repeated, *, rank: bool, lines: bool) -> pl.DataFrame:
    return _once(load(rank=rank, lines=lines), repeated)


def _once(table: pl.DataFrame, repeated: Repeated) -> pl.DataFrame:
    """Keep a document of a topic once, where it stood first."""
    score = {"max": pl.col(SCORE).max(), "first": pl.col(SCORE).first(), "sum": pl.col(SCORE).sum()}[repeated]
    return table.group_by(QUERY, DOCUMENT, maintain_order=True).agg(score, pl.exclude(QUERY, DOCUMENT, SCORE).min())


_UNNAMED: Final = ""
_SMALL_RUN: Final = 1000  # rows in memory, of which a thread would be the larger part of the work


def _sources(given: RunsLike, kind: Kind, *, name: str | None, comments: bool) -> list[RunSource]:
    """Give the runs of one source; one that has no name yet is named by ``name``, if there is one."""
    if isinstance(given, Runs):
        return list(given.sources)
    if name is None and neighbours.is_of_ranx(given):
        name = getattr(given, "name", None)
    if name is None and isinstance(given, Mapping) and golden_sets.hold_answers(given, kind.naming):
        named = cast("Mapping[Id, RunsLike]", given)
        return [run for key, each in named.items() for run in _sources(each, kind, name=str(key), comments=comments)]
    answers = golden_sets.answers_of(given, kind)
    if answers is not None:
        return _named_runs(answers.by_system(), name=name, origin=answers.source)
    return _from_shape(neighbours.plain(given, kind), kind, name=name, comments=comments)


def _from_shape(found: neighbours.Shape, kind: Kind, *, name: str | None, comments: bool) -> list[RunSource]:
    """Give the runs of one of the shapes that are read."""
    if isinstance(found, str | os.PathLike):
        return _from_path(found, kind, name=name, comments=comments)
    if isinstance(found, Mapping) and name is None and dicts.names_runs(found, kind):
        return [run for key, value in found.items() for run in _sources(value, kind, name=str(key), comments=comments)]
    if isinstance(found, Mapping):
        return [_of_dict(found, name or _UNNAMED, f"run {name}" if name else "dict")]
    if isinstance(found, list):
        return _from_list(found, kind, name=name, comments=comments)
    if files.is_open(found):
        return _from_content(content.opened(found, kind, comments=comments), name=name)
    return _from_frame(cast("Frame", found), kind, name=name)


def _from_path(given: FilePath, kind: Kind, *, name: str | None, comments: bool) -> list[RunSource]:
    if name is None:
        name, given = files.named(given)
    named = (named_datasets.dataset_in(each) for each in (given, os.fspath(given).partition("=")[2]))
    for dataset in filter(None, named):
        raise dataset.wrong("names judgments or topics, and is given as a run: give a run's file")
    paths: list[FilePath] = [given] if given == files.STANDARD_STREAM else [*files.expand([given])]
    if name is not None and len(paths) > 1:
        if not all(folders.is_part(path) for path in paths):
            raise InputError(f"{len(paths)} files match, but only one can be the run {name!r}", source=os.fspath(given))
        return _parted(Path(given), [(Path(path), {}) for path in paths], kind, name=name)
    return [run for path in paths for run in _from_one_path(path, kind, name=name, comments=comments)]


def _from_one_path(path: FilePath, kind: Kind, *, name: str | None, comments: bool) -> list[RunSource]:
    """Give the runs of a file, or of a folder that holds parts of runs."""
    if isinstance(path, Path) and path.is_dir():
        return _parted(path, folders.parts_in(path), kind, name=name)
    run = content.file(path, kind, comments=comments)
    if isinstance(path, Path) and parquet.FORMAT.recognises(run.beginning, path.name):
        from cranfield.formats.parted import is_large

        if is_large(path):
            return _parted(path, [(path, {})], kind, name=name)
    return _from_content(run, name=name)


def _parted(
    path: Path, parts: Iterable[tuple[Path, Mapping[str, str]]], kind: Kind, *, name: str | None
) -> list[RunSource]:
    """Give the runs of a large file, or of several files that hold the parts of runs."""
    from cranfield.formats.parted import parted_runs

    begin_work()
    origin = files.called(path)
    runs = parted_runs(parts, origin, content.run_name(path) if name is None else name, kind)
    if name is not None and len(runs) > 1:
        raise InputError(f"holds {len(runs)} runs, not the one run {name!r}", source=origin)
    alone = path if len(runs) == 1 else None
    return [RunSource(name or each, origin, alone, (), run, parted=run) for each, run in runs.items()]


def _from_content(run: content.File, *, name: str | None) -> list[RunSource]:
    path, origin = run.path, files.called(run.path)
    several = run.several()
    nameless = files.has_no_name(path)
    where = path if isinstance(path, Path) and not nameless else None
    if several is not None:
        called = _UNNAMED if nameless else content.run_name(path)
        alone = where if len(several) == 1 else None
        return [replace(one, path=alone) for one in _named_runs(several, name=name, origin=origin, unnamed=called)]
    name = name or (run.tag() or _UNNAMED if nameless else content.run_name(path))
    empty = run.empty_topics()
    read = RunSource(name, origin, where, empty, run, run.tag, run.nested, run.cells, text=run.text, head=run.head)
    return [replace(read, metadata=run.metadata)]


def _of_dict(given: Mapping[Id, Any], name: str, origin: str, *, answers: bool = False) -> RunSource:
    return dict_source(given, name, dicts.empty_topics(given, source=origin), origin, answers=answers)


def dict_source(
    given: Mapping[Id, Any], name: str, empty: tuple[str, ...], origin: str = "dict", *, answers: bool = False
) -> RunSource:
    """Make a run of ``{topic: {document: score}}``, whose topics without documents are known."""
    load = _Dict(given, origin, answers)
    small = sum(len(each) for each in given.values() if isinstance(each, Sized)) <= _SMALL_RUN
    return RunSource(name, origin, None, empty, load, nested=load.nested, head=load.head, has_ranks=False, small=small)


@dataclass(frozen=True)
class _Dict:
    """A dict of dicts, and the table of it where one is needed; unlike a closure it can be sent elsewhere."""

    given: NestedDict
    origin: str
    answers: bool
    """Whether these are records of answers, with a note if they have no scores."""

    def __call__(self, *, rank: bool, lines: bool) -> pl.DataFrame:
        return from_memory(self._table, RUN_KIND, self.origin, rank=rank, lines=lines)

    @cached_property
    def _table(self) -> pl.DataFrame:
        return dicts.from_dict(self.given, RUN_KIND, source=self.origin)[0]

    def nested(self) -> NestedDict:
        return self.given

    def head(self) -> list[heads.HeadRow]:
        return heads.of_dict(self.given, ranked=self.answers)


def _from_frame(given: Frame, kind: Kind, *, name: str | None) -> list[RunSource]:
    begin_work()
    several = frames.read_by_run(given, kind)
    if several is not None:
        return _named_runs(several, name=name, origin="DataFrame")
    table = frames.read(given, kind)
    says = f"{counted(table.height, 'row')}, columns {some_of(frames.clothed(given).collect_schema().names())}"
    return [replace(_in_memory(table, name or _UNNAMED, "DataFrame"), says=says)]


def _named_runs(
    several: Mapping[str, pl.DataFrame | Mapping[Id, Any]], *, name: str | None, origin: str, unnamed: str = _UNNAMED
) -> list[RunSource]:
    """Make runs of tables or dicts that have names already; a name given to them all can only be that of one."""
    if name is not None and len(several) > 1:
        raise InputError(f"holds {len(several)} runs, not the one run {name!r}", source=origin)
    return [
        _of_dict(run, name or each or unnamed, origin, answers=True)
        if isinstance(run, Mapping)
        else _in_memory(run, name or each, origin)
        for each, run in several.items()
    ]


def _from_list(items: list[Any], kind: Kind, *, name: str | None, comments: bool) -> list[RunSource]:
    if not items:
        raise InputError("is empty: a run has at least one document", source="tuples")
    if _is_run(items[0]):
        if name is not None and len(items) > 1:
            raise InputError(f"{len(items)} runs for the one name {name!r}")
        return [run for item in items for run in _sources(item, kind, name=name, comments=comments)]
    begin_work()
    return [_in_memory(dicts.from_tuples(items, RUN_KIND), name or _UNNAMED, "tuples")]


def _is_run(item: object) -> bool:
    """Tell a run among several from a row of one."""
    if isinstance(item, str | os.PathLike | Mapping) or files.is_open(item):
        return True
    return frames.is_frame(item) or neighbours.is_of_ranx(item) or neighbours.speaks_arrow(item)


def _in_memory(table: pl.DataFrame, name: str, origin: str) -> RunSource:
    load, head = partial(from_memory, table, RUN_KIND, origin), partial(heads.of_table, table)
    small, ranked = table.height <= _SMALL_RUN, RANK in table.columns
    return RunSource(name, origin, None, (), load, head=head, has_ranks=ranked, small=small)


def _name_the_unnamed(sources: list[RunSource]) -> list[RunSource]:
    """Call the one run that has no name ``run``, several ``run1``, ``run2`` and so on."""
    if sum(source.name == _UNNAMED for source in sources) == 1:
        return [replace(source, name=source.name or "run", says="") for source in sources]
    names = (f"run{number}" for number in itertools.count(1))
    return [replace(each, says="") if each.name != _UNNAMED else replace(each, name=next(names)) for each in sources]


def _load_qrels(given: QrelsLike, kind: Kind, *, comments: bool) -> tuple[str, Load, Callable[[], tuple[str, ...]]]:
    """Say where judgments come from, for messages, and give what reads them, and what finds topics without any."""
    golden = None if isinstance(given, str | os.PathLike) else golden_sets.golden_set_of(given, kind.naming)
    found, empty = neighbours.plain(given if golden is None else golden, kind), tuple[str, ...]()
    dataset = named_datasets.dataset_in(found)
    if dataset is not None:
        origin, table = dataset.source, frames.read(dataset.judgments(), kind, source=dataset.source)
    elif isinstance(found, str | os.PathLike):
        found = folders.qrels_in(found)
        file = content.file(found, kind, comments=comments)
        return files.called(found), file, file.empty_topics
    elif files.is_open(found):
        file = content.opened(found, kind, comments=comments)
        return files.called(files.open_as(found)), file, file.empty_topics
    elif isinstance(found, Mapping):
        origin, table = "dict", dicts.judgments_of(found, kind)
        empty = dicts.empty_topics(found)
    elif isinstance(found, list):
        origin, table = "tuples", dicts.from_tuples(found, kind)
    else:
        origin, table = "DataFrame", frames.read(cast("Frame", found), kind)
    return origin, partial(from_memory, table, kind, origin), lambda: empty


def _under_several(judgments: pl.DataFrame, named: str) -> bool:
    """Say whether a document of a topic is judged under several subtopics, as this column has them."""
    if not judgments.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        return False
    there = judgments.filter(pl.col(DOCUMENT).is_not_null())
    return bool(there.select((pl.col(named) != _first_of(named)).any()).item())


def _first_of(named: str) -> pl.Expr:
    return pl.col(named).first().over(QUERY, DOCUMENT)


def _refuse_subtopics(judgments: pl.DataFrame, named: str, origin: str, *, is_file: bool) -> None:
    """Refuse a document that is judged under several subtopics; the error names the line of the second."""
    several = judgments.with_columns(_first_of(named).alias("first"))
    several = several.filter(pl.col(DOCUMENT).is_not_null(), pl.col(named) != pl.col("first"))
    query, document, second, line, before = several.select(QUERY, DOCUMENT, named, LINE, "first").row(0)
    where = " (the second column)" if named == ITERATION else ""
    problem = (
        f"document {document} of topic {query} is judged under {before} and under {second}{where}: these are judgments "
        "by subtopic. Measures of subtopics, such as alpha_nDCG@10, read them; for others --subtopics max "
        "(subtopics='max') takes the largest grade of each document"
    )
    raise InputError(problem, source=origin, line=line if is_file else None)


def _refuse_second_opinions(judgments: pl.DataFrame, keep: list[str], origin: str, *, is_file: bool) -> None:
    """Refuse a document that has two grades in a topic; the error names the line of the second."""
    grade = pl.col(QRELS_KIND.value)
    contrary = judgments.with_columns(grade.first().over(keep).alias("first")).filter(grade != pl.col("first"))
    if not contrary.height:
        return
    query, document, second, line, before = contrary.select(*QRELS_KIND.ours, LINE, "first").row(0)
    problem = f"document {document} of topic {query} is judged twice: {before}, then {second}"
    raise InputError(problem if is_file else f"row {line}: {problem}", source=origin, line=line if is_file else None)
