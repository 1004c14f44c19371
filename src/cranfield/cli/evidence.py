"""``cranfield evidence`` (evaluate): score retrieved chunks by the evidence that they hold."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import RUNS_READ, FileRead
from cranfield.cli._options import (
    AUDITED,
    NAMING,
    WEIGHTS_AND_GROUPS,
    argument,
    arguments,
    condition,
    conditions,
    option,
    per_topic,
    sort,
)
from cranfield.cli._output import AuditAsked, Destination, present_scores, presented
from cranfield.plumbing.options import Count, TopicAverage


@derived(
    argument("spans", FileRead, "SPANS"),
    arguments("runs", RUNS_READ, "[NAME=]RUN..."),
    option("--docs FILE", FileRead,
           "Texts of the documents (JSON lines, CSV, TSV, SGML, Parquet, a folder), to count words, and to locate "
           "SPANS or RUNS that hold text instead of offsets."),
    option("-m --measure MEASURE", str,
           "EvidenceR, EvidenceP, EvidenceIoU, EvidencenDCG or EvidenceCost, "
           "optionally with a cutoff in chunks (@5). Repeatable; `cranfield "
           "measures EvidenceR` explains one. [default: all, @5 without --budget]", name="measures", multiple=True),
    option("--unit", click.Choice(["characters", "words"]), "Unit of evidence, chunks and the budget.", "characters"),
    option("--budget N", Count, "Read the first N units of each list, cutting the last chunk. [default: no limit]"),
    option("--as-documents", click.Choice(["first", "max", "sum"]),
           "Score documents instead, by measures of documents. A document takes the rank of its first chunk, the "
           "largest score of its chunks, or their sum; its grade is the highest of its spans."),
    per_topic("Print the scores of each topic before the averages."),
    sort("Put the best run first, by this measure or by the first (give MEASURE as --sort=MEASURE, or --sort last)."),
    presented("trec_eval"),
    condition("topics", "All topics of SPANS, missing ones counting 0, or those that a run has. [default: all]"),
    condition("only"),
    option("--average", TopicAverage, "Average over topics.", "mean"),
    WEIGHTS_AND_GROUPS,
    conditions(*NAMING),
    AUDITED,
    modes=(
        Mode("--as-documents", "it scores whole documents, not text", ("docs", "unit", "budget")),
        Mode("--groups", "there is a row for each group", ("per_topic",)),
    ),
    examples="""
  cranfield evidence spans.jsonl fixed.jsonl sentences.jsonl
  cranfield evidence spans.jsonl runs/*.csv -m EvidenceR@5 -m EvidenceP@5 --docs docs.jsonl --unit words
  cranfield evidence spans.jsonl runs/*.csv --budget 4000 -q -o scores.csv
  cranfield evidence spans.jsonl runs/*.csv --as-documents max -m nDCG@5
""",
)  # fmt: skip
def command(
    call: Call, spans: str, runs: tuple[str, ...], as_documents: Any, per_topic: bool,
    sort: str | None, groups: str | None, to: Destination, audited: AuditAsked,
) -> None:  # fmt: skip
    """Score the chunks in RUNS by the evidence in SPANS that they contain.

    SPANS has columns topic, document, start, end (or quote) and optionally grade; RUNS have topic, document, start, end
    (or text) and optionally score or rank: JSON lines, CSV, TSV or Parquet. Offsets are characters from 0, end
    exclusive. Evidence counts once, where it is read first; text outside the spans is no evidence.
    """
    from cranfield.scoring.evaluation import evaluate
    from cranfield.scoring.evidence import chunks_as_documents, evidence, spans_as_qrels

    if as_documents is None:
        scores = call(evidence)
    else:
        scores = call(evaluate, call(spans_as_qrels, spans), call(chunks_as_documents, list(runs), as_documents))
    present_scores(scores, to, per_topic=per_topic, sort=sort, groups=groups)
    audited.end(scores.audit, to)
