"""The check: runs are read one after the other, and what is wrong with one stops none of the others."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, TypeAlias

from cranfield.checks.checked import Checked, CheckedRun, refusal, some
from cranfield.checks.lines import check_lines, sound, swapped
from cranfield.checks.ranked_lists import Requirements, check_lists
from cranfield.formats import QrelsLike, RunsLike, RunSource, expand, found_runs
from cranfield.formats.columns import RUN_KIND, tidy
from cranfield.formats.files import STANDARD_STREAM, FilePath, called, is_stream, named, read_head, unpacked_name
from cranfield.formats.golden_shapes import are_questions
from cranfield.formats.heads import HEAD_BYTES, are_grades
from cranfield.formats.named_datasets import dataset_in
from cranfield.formats.topic_files import read_document_ids, read_topic_ids
from cranfield.formats.trec import TAG
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import AskedReading, Reading
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Count, checked
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK, SCORE
from cranfield.results.finding import Finding, worst_first
from cranfield.scoring.judged_runs import qrels_table

_TOLD = 200
"""Characters that are shown of a run's metadata."""
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
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
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
        error, as everywhere. A file among them that holds judgments is taken for ``qrels``.
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
    columns, fields
        As in `read_runs`.
    progress
        Called with the number of files done.

    Returns
    -------
    Checked
        The findings by run; ``fails()`` tells whether there is an error.

    Raises
    ------
    InputError
        If no run is given, a file is missing, topics, documents or judgments cannot be read, or there are two files
        of judgments.

    Examples
    --------
    >>> print(check({"bm25": {"401": {"a": 2.0, "b": 2.0}}}, topics=["401", "402"]))
    bm25: 1 error, 2 warnings, 1 remark
      error: without a document: 1 topic (402)
      warning: all documents have the same score: 1 topic (401)
      warning: all scores tie in most topics, so documents are ranked by id alone
      remark: 2 of 2 documents tie with another of their topic; ...
    """
    most, least = checked("most", most, Count | None), checked("least", least, Count | None)
    given = [runs] if are_questions(runs, Naming.of(columns, fields).paths) else list(_one_by_one(runs))
    judged = [each for each in given if isinstance(each, str | os.PathLike) and _is_judged(each)]
    if len(judged) + (qrels is not None) > 1:
        raise InputError("holds judgments, and so does another file: give only one", source=called(judged[0]))
    asked: AskedReading = {"comments": comments, "columns": columns, "fields": fields, "subtopics": "max"}
    reading = Reading.asked(**settle(asked, runs, qrels))  # of the qrels only their documents matter
    qrels, given = judged[0] if judged else qrels, [each for each in given if each not in judged]
    required = Requirements(
        _ids(topics, read_topic_ids, "topics"),
        _ids(documents, read_document_ids, "documents"),
        None if qrels is None else qrels_table(qrels, reading),
        most,
        least,
    )
    if not given:
        raise InputError("no run is given" + (f"; {called(judged[0])} holds judgments" if judged else ""))
    found: list[list[Finding]] = []
    traces: list[RunDigest] = []
    for done, each in enumerate(given, start=1):
        for trace, findings in _found(each, required, reading):
            traces.append(trace)
            found.append(findings)
        if progress:
            progress(done, len(given))
    all_of_each = (findings + others for findings, others in zip(found, check_together(traces), strict=True))
    checked_runs = (CheckedRun(trace.label, worst_first(some)) for trace, some in zip(traces, all_of_each, strict=True))
    return Checked(tuple(checked_runs), called(judged[0]) if judged else None)


def _is_judged(file: FilePath) -> bool:
    """Say whether a file holds judgments, or a name stands for them; a pipe, which is read once, is not looked at."""
    if dataset_in(file) is not None:
        return True
    return not is_stream(file) and are_grades(read_head(file, HEAD_BYTES), unpacked_name(file))


def _ids(given: IdsLike | None, read: Callable[[FilePath], pl.Series], what: str) -> pl.Series | None:
    if given is None or isinstance(given, str | os.PathLike):
        return given if given is None else read(given)
    ids = pl.Series(what, [str(each) for each in given], dtype=pl.String).unique(maintain_order=True)
    if ids.is_empty():
        raise InputError(f"the list of {what} is empty; name at least one, or leave it out")
    return ids


def _one_by_one(runs: Any) -> Iterator[Any]:  # of what is like runs
    """Take what was given apart, file by file, so that each can be opened, and refused, by itself."""
    if isinstance(runs, str | os.PathLike):
        name, path = (None, runs) if runs == STANDARD_STREAM else named(runs)
        files = [path] if path == STANDARD_STREAM or dataset_in(path) else expand([path])
        yield from (file if name is None else {name: file} for file in files)
    elif isinstance(runs, list | tuple) and all(isinstance(each, str | os.PathLike | Mapping) for each in runs):
        for each in runs:
            yield from _one_by_one(each)
    elif isinstance(runs, Mapping) and any(isinstance(each, str | os.PathLike) for each in runs.values()):
        yield from ({name: each} for name, each in runs.items())
    else:
        yield runs


def _found(given: Any, required: Requirements, reading: Reading) -> Iterator[tuple[RunDigest, list[Finding]]]:
    """Open what was given, and check each run in it."""
    try:
        sources = found_runs(given, comments=reading.comments, naming=reading.naming).sources
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
                findings += check_lists(run, required)
        except InputError as error:
            findings.append(refusal(error))
        yield trace, findings


def _label(given: Any, source: RunSource) -> str:
    """Name a run by its file if the file holds nothing else and no name was given."""
    if not isinstance(given, str | os.PathLike):
        return source.name
    return called(given) if source.path is not None or given == STANDARD_STREAM else f"{source.origin}, {source.name}"


def _read(source: RunSource, findings: list[Finding]) -> tuple[str | None, pl.DataFrame | None]:
    """Read a run, with lines, and with ranks if there are any; what is wrong with lines goes to the findings."""
    if said := source.metadata():
        told = shorten("; ".join(map(str.strip, said.splitlines())).replace(":; ", ": "), _TOLD, placeholder=" ...")
        findings.append(Finding("remark", "metadata", 1, None, f"begins with metadata: {told}"))
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


@dataclass(frozen=True)
class RunDigest:
    """What is kept of a run to compare it with the others: what it is called in the findings, and as a run."""

    label: str
    name: str
    tag: str | None = None  # What it calls itself
    ranking: bytes | None = None  # A digest of its ranked lists; None where they could not be read


def digest(run: pl.DataFrame) -> bytes:
    """Return a digest of a run's ranked lists, whatever the order of its lines and the scale of its scores."""
    ranked = run.sort(QUERY, SCORE, DOCUMENT, descending=[False, True, True]).select(QUERY, DOCUMENT)
    return hashlib.sha256(ranked.hash_rows(seed=0).to_numpy().tobytes()).digest()


def check_together(traces: Sequence[RunDigest]) -> Iterator[list[Finding]]:
    """Find, for each run, what it has in common with others that it should not."""
    places: dict[tuple[str, object], list[int]] = defaultdict(list)
    for place, trace in enumerate(traces):
        for key in ("tag", "name", "ranking"):
            places[key, getattr(trace, key)].append(place)
    for place, trace in enumerate(traces):
        told = (
            ("tag", "tag", f"its tag, {trace.tag!r}, is also that of", trace.tag),
            ("tag", "name", f"its tag, {trace.tag!r}, is the name of", None if trace.tag == trace.name else trace.tag),
            ("same ranking", "ranking", "it has the same ranking as", trace.ranking),
        )
        found = []
        for code, key, says, value in told:
            if others := [traces[at].label for at in places[key, value] if at != place and value is not None]:
                found.append(Finding("warning", code, len(others), None, f"{says} {some(others, len(others))}"))
        yield found
