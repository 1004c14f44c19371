"""From spans that were judged and chunks that were retrieved to scores; and chunks read as their documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Final, Literal, TypeAlias

import numpy as np

from cranfield.formats.documents import Document, Documents, read_documents
from cranfield.formats.files import FilePath
from cranfield.formats.stretches import UNKNOWN, ChunksLike, SpansLike, Stretches, read_chunks, read_spans
from cranfield.formats.unmet import settled
from cranfield.judged.audit import Audit, RunAudit, only_some
from cranfield.judged.chunks import JudgedChunks, JudgedSpans, Ruler, TokenStarts, UnitName
from cranfield.judged.condition_files import OnlyLike, OnlyTopics
from cranfield.judged.conditions import Conditions, Reading
from cranfield.measures.evidence import OfChunks, measures_of_chunks
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Count, TopicAverage, Topics, checked
from cranfield.plumbing.tables import refuse_average
from cranfield.plumbing.wording import counted, named
from cranfield.results.finding import Finding, Severity
from cranfield.scoring.orientation import flattering
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike

EVIDENCE_MEASURES: Final = ("EvidenceR@5", "EvidenceP@5", "EvidenceIoU@5", "EvidencenDCG@5", "EvidenceCost@5")
"""Default measures of chunks."""
WITHIN: Final = ("EvidenceR", "EvidenceP", "EvidenceIoU", "EvidencenDCG", "EvidenceCost")
"""The same, where a budget ends the lists."""

DocsLike: TypeAlias = FilePath | Documents | Mapping[str, str | Document]
"""Texts of documents: what `read_documents` reads or returns, or ``{document: text}``."""
ByDocument: TypeAlias = Literal["first", "max", "sum", "all"]
"""How the chunks of a document become one."""


def evidence(
    spans: SpansLike,
    runs: ChunksLike,
    measures: MeasureNames | None = None,
    *,
    docs: DocsLike | None = None,
    unit: UnitName | TokenStarts = "characters",
    budget: Count | None = None,
    topics: Topics = "all",
    only: OnlyLike | OnlyTopics | None = None,
    average: TopicAverage = "mean",
    weights: WeightsLike | TopicWeights | None = None,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Scores:
    """Score retrieved chunks by the evidence that they hold.

    Evidence is text, and so runs whose chunks are cut differently are compared by the same judgments. Within a topic
    each character of evidence counts where it is read first, and never again; whatever is read costs, as often as it
    is read. Text outside the spans is no evidence: nothing is unjudged here, and there are no bounds.

    Parameters
    ----------
    spans
        The evidence: topic, document, start and end (characters from 0, the end exclusive), or a quoted text
        (``quote``, ``text``) in place of start and end; and perhaps a grade, 1 by default (0: no evidence). A file
        of JSON lines, CSV, TSV or Parquet, a DataFrame, records, or ``{topic: [(document, start, end), ...]}``. A
        character that several spans cover has the highest of their grades.
    runs
        Chunks: topic, document, start and end (or the text), and perhaps score or rank; the same shapes, ``{name:
        run}``, or a list of files. They are ranked by score, without one by rank, without either as they stand; tied
        chunks stay as they stand.
    measures
        ``EvidenceR``, ``EvidenceP``, ``EvidenceIoU``, ``EvidencenDCG``, ``EvidenceCost``, each with ``@k`` for the
        first k chunks, ``(budget=N)`` for what can be read within a budget, both, or neither. By default all five
        at 5 chunks, or within the budget.
    docs
        The texts of the documents. Needed where a text stands in place of offsets, and for any unit but characters.
        A text is found where it stands in its document, blanks and line breaks being the same; of several places the
        first. Offsets beyond the end of a document end there. Titles are no part of a text.
    unit
        What text is measured in, and budgets, too: ``"characters"``; ``"words"`` (between blanks); or a function
        from a text to the offsets at which its tokens begin. A word belongs to the stretch in which it begins.
    budget
        How much of each list is read, in this unit, by measures that name no budget of their own. The chunk that
        exceeds it is cut there.
    topics
        ``"all"`` topics of the spans, one that a run lacks counting 0; or those ``"shared"`` by spans and run. Topics
        without evidence count 0 by all measures but the cost, and the audit names them.
    only
        The topics to average over, as in `evaluate`: a file, ids, or ``"common"``, those that all runs have.
    average, weights, columns, fields
        As in `evaluate`.

    Returns
    -------
    Scores : by topic and averaged, with an audit of spans and chunks; `compare_scores` tests differences.

    Raises
    ------
    InputError
        If an input cannot be read, or texts are needed and not given.
    MeasureError
        If a measure does not exist, or is one of ranked documents.

    Papers: Smith and Troynikov (2024), "Evaluating Chunking Strategies for Retrieval", Chroma; for what stands behind
    EvidencenDCG, see the measure.

    Examples
    --------
    The answer is 10 characters long. One run has it in a chunk of 20, the other in a document of 200:

    >>> spans = {"q": [("manual", 40, 50)]}
    >>> small, whole = {"q": [("manual", 35, 55)]}, {"q": [("manual", 0, 200)]}
    >>> scores = evidence(spans, {"small": small, "whole": whole}, "EvidenceR@1,EvidenceP@1,EvidenceR(budget=45)")
    >>> print(scores)
    small and whole share the best EvidenceR@1 of 2 runs: 1.0000 over 1 topic.
    run    EvidenceR@1  EvidenceP@1  EvidenceR(budget=45)
    small       1.0000       0.5000                1.0000
    whole       1.0000       0.0500                0.5000
    audit: 2 runs, 1 topic
    audit: counted in characters; text outside the spans is no evidence
    """
    begin_work()
    usual = EVIDENCE_MEASURES if budget is None else WITHIN
    asked = measures_of_chunks(usual if measures is None else measures, budget)
    if not asked:
        raise InputError("name at least one measure of chunks, such as EvidenceR@5")
    unit = unit if callable(unit) else checked("unit", unit, UnitName)
    naming = settled(Naming.of(columns, fields), spans, runs, weights)
    weighted = None if weights is None else TopicWeights.taken(weights, naming)
    judged, chunks = read_spans(spans, naming), read_chunks(runs, naming)
    ruler = Ruler(unit, _texts(docs, [judged, *chunks.values()]))
    _require_texts(ruler, [judged, *chunks.values()])
    every = names = judged.all_topics
    if not names:
        raise InputError("no topic is in the spans", source=judged.source)
    refuse_average(names)
    only = None if only is None else OnlyTopics.taken(only)
    if only is not None:
        names = _only(only, names, list(chunks.values()))
        kept = frozenset(names)
        judged = judged.picked(np.flatnonzero([topic in kept for topic in judged.topics]))
    code = {topic: place for place, topic in enumerate(names)}
    placed = _placed(judged, ruler)
    base = JudgedSpans.of(
        names, [code[topic] for topic in placed.stretches.topics], placed.stretches.documents, *placed.within(ruler),
        placed.stretches.value,
    )  # fmt: skip
    left_out = frozenset(every) - code.keys()
    scored = [_scored(name, run, base, code, left_out, ruler, asked) for name, run in chunks.items()]
    findings = [
        Finding("remark", "unit", 1, None, f"counted in {ruler.name}; text outside the spans is no evidence"),
        *placed.findings("span", len(judged)),
        *_without_evidence(base),
        *only_some(only, names, left_out),
        *(finding for each in scored for finding in each.findings),
    ]
    scores = Scores(
        runs=tuple(chunks),
        topics=names,
        measures=tuple(asked),
        values=np.stack([each.values for each in scored], axis=1),
        present=np.stack([each.present for each in scored]),
        conditions=Conditions(Reading(topics=topics, only=only)),
        audit=Audit(
            tuple(each.audit for each in scored), len(names), (), further=tuple(findings), ranks=False,
            lacked="left out" if topics == "shared" else "zero", complete="text outside the spans is no evidence",
            by_silence=False, flatter=flattering(asked),
        ),
        asked=tuple(asked),
    )  # fmt: skip
    return scores.averaged_by(average).weighted_by(weighted)


def chunks_as_documents(
    runs: ChunksLike, by: ByDocument = "first", *, columns: NamesLike | None = None, fields: NamesLike | None = None
) -> dict[str, dict[str, list[str]] | dict[str, dict[str, float]]]:
    """Read chunks as the documents that they are of: plain runs, for every measure of documents.

    Parameters
    ----------
    runs
        As in `evidence`.
    by
        ``"first"``: a document stands where its first chunk does, and lists have no scores. ``"max"`` and ``"sum"``:
        it has the largest score of its chunks, or their sum. ``"all"``: nothing is put together, and every chunk is
        a document of its own, named DOCUMENT[START:END], for judgments of chunks.
    columns, fields
        As in `read_runs`.

    Raises
    ------
    InputError
        If the runs cannot be read; for ``"max"`` and ``"sum"``, if chunks have no scores; for ``"all"``, if a
        chunk has a text in place of offsets.

    >>> chunks = {"q": [("d1", 0, 50, 0.9), ("d2", 0, 50, 0.8), ("d1", 50, 100, 0.7)]}
    >>> chunks_as_documents(chunks)["run"], chunks_as_documents(chunks, "sum")["run"]
    ({'q': ['d1', 'd2']}, {'q': {'d1': 1.6, 'd2': 0.8}})
    """
    found = read_chunks(runs, settled(Naming.of(columns, fields), runs))
    return {name: _as_documents(run, by) for name, run in found.items()}


def spans_as_qrels(
    spans: SpansLike, *, columns: NamesLike | None = None, fields: NamesLike | None = None
) -> dict[str, dict[str, float]]:
    """Read spans as judgments of their documents: each has the highest grade of its spans.

    ``columns`` and ``fields`` are as in `read_runs`.

    >>> spans_as_qrels({"q": [("d1", 0, 9, 1), ("d1", 20, 30, 2), ("d2", 5, 6)]})
    {'q': {'d1': 2.0, 'd2': 1.0}}
    """
    judged = read_spans(spans, settled(Naming.of(columns, fields), spans))
    found: dict[str, dict[str, float]] = {topic: {} for topic in judged.all_topics}
    for topic, document, grade in zip(judged.topics, judged.documents, judged.value.tolist(), strict=True):
        found[topic][document] = max(grade, found[topic].get(document, grade))
    return found


def _as_documents(run: Stretches, by: ByDocument) -> dict[str, list[str]] | dict[str, dict[str, float]]:
    topics = run.all_topics
    if by in {"first", "all"}:
        lists: dict[str, dict[str, None]] = {topic: {} for topic in topics}
        if by == "all" and (run.start == UNKNOWN).any():
            line = run.lines[int(np.argmax(run.start == UNKNOWN))]
            raise InputError("a chunk without start and end, of which its name is made", source=run.source, line=line)
        names: Sequence[str] = run.documents
        if by == "all":
            offsets = zip(run.documents, run.start.tolist(), run.end.tolist(), strict=True)
            names = [f"{document}[{start}:{end}]" for document, start, end in offsets]
        for topic, document in zip(run.topics, names, strict=True):
            lists[topic][document] = None
        return {topic: list(documents) for topic, documents in lists.items()}
    if np.isnan(run.value).any():
        raise InputError(f"chunks have no scores, of which to take the {by}; by='first' needs none", source=run.source)
    scores: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    for topic, document, score in zip(run.topics, run.documents, run.value.tolist(), strict=True):
        of = scores[topic]
        of[document] = (max if by == "max" else add)(of[document], score) if document in of else score
    return scores


def _texts(docs: DocsLike | None, stretches: Sequence[Stretches]) -> dict[str, str] | None:
    """Gather the texts of the documents that are named, by id; None without any texts."""
    if docs is None:
        return None
    wanted = {document for each in stretches for document in each.documents}
    if not isinstance(docs, Mapping):
        docs = read_documents(docs, only=wanted)
    found = {name: docs.get(name) for name in wanted}
    return {name: each if isinstance(each, str) else each.text for name, each in found.items() if each is not None}


def _require_texts(ruler: Ruler, stretches: Sequence[Stretches]) -> None:
    """Refuse what cannot be measured, or found, without texts."""
    if ruler.texts is None:
        if ruler.unit != "characters":
            raise InputError(
                f"{ruler.name} are counted in the texts of documents: name these with docs, or count characters"
            )
        for each in stretches:
            if len(each) and (each.start == UNKNOWN).any():
                raise InputError(
                    "a text without start and end, to be found in its document: name the texts of documents with docs",
                    source=each.source,
                    line=each.lines[int(np.argmax(each.start == UNKNOWN))],
                )
    elif ruler.unit != "characters":
        for each in stretches:
            for i in np.flatnonzero(each.start != UNKNOWN).tolist():
                if each.documents[i] not in ruler.texts:
                    raise InputError(
                        f"document {each.documents[i]!r} is not among the texts, in which {ruler.name} are counted",
                        source=each.source, line=each.lines[i],
                    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Placed:
    """Stretches with their offsets, and what was found when these were looked for."""

    stretches: Stretches  # the stretches; one that was not found is empty
    # lost, loose, several, beyond, strange: which were not found, are found but for their blanks, are found in several
    # places, end behind the end of their documents, are of documents without a text although texts are given
    lost: Booleans
    loose: Booleans
    several: Booleans
    beyond: Booleans
    strange: Booleans

    def within(self, ruler: Ruler) -> tuple[Integers, Integers]:
        """Give start and end in units."""
        of = self.stretches
        known = np.flatnonzero(~self.lost)
        names, ends = [of.documents[i] for i in known.tolist()], []
        for offsets in (of.start, of.end):
            places = np.zeros(len(of), dtype=np.int64)
            places[known] = ruler.places(names, offsets[known])
            ends.append(places)
        return ends[0], ends[1]

    def findings(self, noun: str, of: int, run: str = "") -> Iterator[Finding]:
        """Say what was found, the probable mistakes first."""
        where = f" of {run}" if run else ""

        def said(which: Booleans, says: str, advice: str = "", *, grave: bool = False) -> Iterator[Finding]:
            if which.any():
                many = f"{np.count_nonzero(which):,} of {counted(of, noun)}{where}"
                first = self._shown(int(np.argmax(which)))
                yield Finding(
                    "warning" if grave else "remark", f"{noun}s {says}", int(which.sum()), None,
                    f"{many} {says} ({first})", advice,
                )  # fmt: skip

        lost = (
            "they are no part of the evidence" if noun == "span" else "they count by their length, and hold no evidence"
        )
        yield from said(self.lost, "not found in the text of the document", lost, grave=True)
        yield from said(self.beyond, "beyond the end of the document", "they end there", grave=True)
        yield from said(self.strange & ~self.lost, "of documents without a text", "their offsets are taken as they are")
        yield from said(self.several, "found in several places", "the first is taken")
        yield from said(self.loose, "found with other blanks")

    def _shown(self, i: int) -> str:
        of = self.stretches
        text = " ".join((of.texts[i] or "").split())
        quoted = f", {text if len(text) <= 30 else text[:29] + '…'!r}" if text else ""
        return f"topic {of.topics[i]}, document {of.documents[i]}{quoted}"


def _placed(of: Stretches, ruler: Ruler) -> _Placed:
    """Find what is given as a text, and end at the end of the document what is longer."""
    start, end, texts = of.start.copy(), of.end.copy(), ruler.texts or {}
    lost, loose, several, strange, beyond = (np.zeros(len(of), dtype=np.bool_) for _ in range(5))
    known: dict[tuple[str, str], _Place] = {}
    for i in np.flatnonzero(start == UNKNOWN).tolist():
        text, document = of.texts[i] or "", of.documents[i]
        place = known.get((document, text)) or _place(text, texts.get(document))
        known[document, text] = place
        start[i], end[i] = place.start, place.end
        lost[i], loose[i], several[i] = place.lost, place.loose, place.several
    if ruler.texts is not None:
        length = np.array([len(texts[d]) if d in texts else UNKNOWN for d in of.documents], dtype=np.int64)
        strange = length == UNKNOWN
        beyond = ~strange & (end > length)
        start, end = (np.where(strange, place, np.minimum(place, length)) for place in (start, end))
    return _Placed(replace(of, start=start, end=end), lost, loose, several, beyond, strange)


@dataclass(frozen=True)
class _Place:
    """Where a text stands in a document."""

    start: int = 0
    end: int = 0
    lost: bool = False
    loose: bool = False
    several: bool = False


def _place(text: str, document: str | None) -> _Place:
    r"""Find a text in a document: as it is, or else with other blanks.

    >>> _place("to be", "To be, or not to be"), _place("not  to", "or not\nto be")
    (_Place(start=14, end=19, lost=False, loose=False, several=False),
     _Place(start=3, end=9, lost=False, loose=True, several=False))
    """
    words = text.split()
    if document is None or (text and not words):
        return _Place(lost=True)
    if not text:
        return _Place()
    start = document.find(text)
    if start >= 0:
        return _Place(start, start + len(text), several=document.find(text, start + 1) >= 0)
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found = pattern.search(document)
    if found is None:
        return _Place(lost=True)
    return _Place(*found.span(), loose=True, several=pattern.search(document, found.start() + 1) is not None)


def _only(only: OnlyTopics, names: Sequence[str], runs: Sequence[Stretches]) -> tuple[str, ...]:
    """Keep topics that were named, or that all runs have, in the order of the spans."""
    wanted = set(names).intersection(*(run.all_topics for run in runs)) if only.common else {*only.topics}
    kept = tuple(topic for topic in names if topic in wanted)
    if not kept:
        where = "in all runs" if only.common else f"among those of only ({only.given}: {named(only.topics)})"
        raise InputError(f"no topic of the spans is {where}; the spans have {named(names)}")
    return kept


@dataclass(frozen=True, eq=False)
class _Scored:
    """The values of one run, by measure and topic, and what is known about it."""

    values: Floats
    present: Booleans
    audit: RunAudit
    findings: tuple[Finding, ...]


def _scored(
    name: str, run: Stretches, base: JudgedSpans, code: Mapping[str, int], left_out: Collection[str], ruler: Ruler,
    asked: Sequence[OfChunks],
) -> _Scored:  # fmt: skip
    """Score one run."""
    topic_of = np.array([code.get(topic, UNKNOWN) for topic in run.topics], dtype=np.int64)
    extra = tuple(each for each in run.all_topics if each not in code and each not in left_out)
    kept = np.flatnonzero(topic_of >= 0)
    kept = kept[np.argsort(topic_of[kept], kind="stable")]
    chunks, topic = run.picked(kept), topic_of[kept]
    placed = _placed(chunks, ruler)
    start, end = placed.within(ruler)
    cost = end - start
    for i in np.flatnonzero(placed.lost).tolist():
        cost[i] = ruler.length(chunks.texts[i] or "")
    present = np.bincount(topic, minlength=len(base.topics)) > 0
    empty = tuple(each for each in run.named if each in code and not present[code[each]])
    present[[code[each] for each in empty]] = True
    judged = JudgedChunks.of(base, topic, chunks.documents, start, end, cost, present, ruler.page)
    missing = tuple(base.topics[place] for place in np.flatnonzero(~present))
    audit = RunAudit(
        run=name, topics=int(present.sum()), missing=missing, extra=extra, empty=empty, retrieved=len(chunks), tied=0,
        unjudged=(),
    )  # fmt: skip
    findings = list(placed.findings("chunk", len(chunks), name))
    if run.tied:
        says = f"{run.tied:,} of {counted(len(run), 'chunk')} of {name} are tied"
        findings.append(Finding("remark", "ties", run.tied, None, says, "they stay in the order in which they stand"))
    return _Scored(np.stack([measure.by_topic(judged) for measure in asked]), present, audit, tuple(findings))


def _without_evidence(base: JudgedSpans) -> Iterator[Finding]:
    none = np.flatnonzero(base.total(None) == 0)
    if len(none):
        says = f"{counted(len(none), 'topic')} without evidence ({named([base.topics[i] for i in none.tolist()])})"
        severity: Severity = "warning" if len(none) == len(base.topics) else "remark"
        yield Finding(severity, "no evidence", len(none), None, says, "they count 0, and stay in the averages")
