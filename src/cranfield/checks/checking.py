"""The check: runs are read one after the other, and what is wrong with one stops none of the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from cranfield.checks import known as beside
from cranfield.checks import lists
from cranfield.checks.known import Known
from cranfield.checks.lines import check_lines, sound, swapped
from cranfield.checks.result import Checked, CheckedRun, refusal
from cranfield.checks.together import RunDigest, check_together, digest
from cranfield.formats import QrelsLike, RunsLike, RunSource, expand, read_runs
from cranfield.formats.columns import RUN_KIND, tidy
from cranfield.formats.files import STANDARD_STREAM, FilePath, called, named
from cranfield.formats.topic_files import read_document_ids, read_topic_ids
from cranfield.formats.trec import TAG
from cranfield.judged.conditions import Reading
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, checked
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK, SCORE
from cranfield.results.finding import Finding, worst_first
from cranfield.scoring.judged_runs import qrels_table

IdsLike: TypeAlias = FilePath | Iterable[str]
"""The path of a file with ids, or the ids themselves."""


def check(
    runs: RunsLike,
    *,
    topics: IdsLike | None = None,
    documents: IdsLike | None = None,
    most: int | None = None,
    least: int | None = None,
    qrels: QrelsLike | None = None,
    comments: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Checked:
    """Would a track accept these runs, and will they be scored as intended?

    An *error* is something that a track or the evaluation would reject: unreadable lines, a
    repeated document in a topic, several tags, unknown ids, missing topics, too many documents. A
    *warning* is allowed but probably unintended: scores that rise with the rank, constant scores (of most topics:
    ``reversed``, ``all constant``),
    inconsistent ranks, two runs with one tag. A *remark* is good to know: ties, the order of lines.

    Parameters
    ----------
    runs
        Anything that `read_runs` takes. An unreadable file is a finding; a missing file is an
        error, as everywhere.
    topics
        The required topics: their ids, or a file with one per line, the id first, or TREC topics.
    documents
        All documents of the collection: their ids, or a file with one per line.
    most, least
        The largest and smallest number of documents per topic.
    qrels
        Judgments: anything that `read_qrels` takes. If no topics are given, theirs are required.
    comments
        Lines that begin with ``#`` are skipped.
    progress
        Called with the number of files done.

    Returns
    -------
    Checked
        The findings by run; ``fails()`` tells whether there is an error.

    Raises
    ------
    InputError
        If no run is given, a file is missing, or topics, documents or judgments cannot be read.

    Examples
    --------
    >>> print(check({"bm25": {"401": {"a": 2.0, "b": 2.0}}}, topics=["401", "402"]))
    bm25: 1 error, 2 warnings, 1 remark
      error: without a document: 1 topic (402)
      warning: all documents have the same score: 1 topic (401)
      warning: in most topics all scores are the same, so that the ids of documents rank them
      remark: 2 of 2 documents share their score with another of their topic; ...
    """
    most, least = checked("most", most, Count | None), checked("least", least, Count | None)
    reading = Reading.asked(comments=comments, subtopics="max")  # of the qrels only their documents matter
    known = Known(
        topics=_ids(topics, read_topic_ids, "topics"),
        documents=_ids(documents, read_document_ids, "documents"),
        qrels=None if qrels is None else qrels_table(qrels, reading),
    )
    given = list(_one_by_one(runs))
    if not given:
        raise InputError("no runs were given")
    found: list[list[Finding]] = []
    traces: list[RunDigest] = []
    for done, each in enumerate(given, start=1):
        for trace, findings in _found(each, known, most, least, comments=reading.comments):
            traces.append(trace)
            found.append(findings)
        if progress:
            progress(done, len(given))
    all_of_each = (findings + others for findings, others in zip(found, check_together(traces), strict=True))
    checked_runs = (CheckedRun(trace.label, worst_first(some)) for trace, some in zip(traces, all_of_each, strict=True))
    return Checked(tuple(checked_runs))


def _ids(given: IdsLike | None, read: Callable[[FilePath], pl.Series], what: str) -> pl.Series | None:
    if given is None or isinstance(given, str | os.PathLike):
        return given if given is None else read(given)
    ids = pl.Series(what, [str(each) for each in given], dtype=pl.String).unique(maintain_order=True)
    if ids.is_empty():
        raise InputError(f"no {what} were given")
    return ids


def _one_by_one(runs: Any) -> Iterator[Any]:  # of what is like runs
    """Take what was given apart, file by file, so that each can be opened, and refused, by itself."""
    if isinstance(runs, str | os.PathLike):
        name, path = (None, runs) if runs == STANDARD_STREAM else named(runs)
        files = [path] if path == STANDARD_STREAM else expand([path])
        yield from (file if name is None else {name: file} for file in files)
    elif isinstance(runs, list | tuple) and all(isinstance(each, str | os.PathLike | Mapping) for each in runs):
        for each in runs:
            yield from _one_by_one(each)
    elif isinstance(runs, Mapping) and any(isinstance(each, str | os.PathLike) for each in runs.values()):
        yield from ({name: each} for name, each in runs.items())
    else:
        yield runs


def _found(
    given: Any, known: Known, most: int | None, least: int | None, *, comments: bool
) -> Iterator[tuple[RunDigest, list[Finding]]]:
    """Open what was given, and check each run in it."""
    try:
        sources = read_runs(given, comments=comments).sources
    except InputError as error:
        label = error.source or "run"
        yield RunDigest(label, label), [refusal(error)]
        return
    for source in sources:
        trace = RunDigest(_label(given, source), source.name)
        findings: list[Finding] = []
        try:
            tag, run = _read(source, findings)
            trace = replace(trace, tag=tag)
            if run is not None:
                trace = replace(trace, ranking=digest(run))
                findings += _of_run(run, known, most, least)
        except InputError as error:
            findings.append(refusal(error))
        yield trace, findings


def _label(given: Any, source: RunSource) -> str:
    """Call a run by its file where it is all that is in it and was given no name."""
    if not isinstance(given, str | os.PathLike):
        return source.name
    return called(given) if source.path is not None or given == STANDARD_STREAM else f"{source.origin}, {source.name}"


def _read(source: RunSource, findings: list[Finding]) -> tuple[str | None, pl.DataFrame | None]:
    """Read a run, with lines, and with ranks if there are any; what is wrong with lines goes to the findings."""
    lines = source.cells()
    if lines is None:
        return None, _with_rank(source, findings)
    moved = [*swapped(lines)]
    findings += moved or check_lines(lines)
    tags, lines = lines[TAG].drop_nulls(), sound(lines)
    if lines.is_empty() or moved:
        return None, None
    columns = [name for name in (QUERY, DOCUMENT, SCORE, RANK, LINE) if name in lines.columns]
    return tags[-1], tidy(lines.select(columns), RUN_KIND, source=source.origin)


def _with_rank(source: RunSource, findings: list[Finding]) -> pl.DataFrame:
    try:
        return source.read(rank=True, lines=True)
    except InputError as error:
        run = source.read(lines=True)  # what else is wrong is refused here once more
        if error.line:  # otherwise there is no rank
            findings.append(Finding("error", "rank", 1, error.line, f"line {error.line}: {error.problem}"))
        return run


def _of_run(run: pl.DataFrame, known: Known, most: int | None, least: int | None) -> Iterator[Finding]:
    yield from lists.duplicates(run)
    yield from lists.lengths(run, most, least)
    yield from beside.topics(run, known)
    yield from beside.documents(run, known)
    yield from lists.order(run)
    yield from lists.ranks(run)
    yield from lists.scores(run)
