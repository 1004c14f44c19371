"""``cranfield evidence`` (evaluate): score retrieved chunks by the evidence that they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli._files import Command, FileRead, RunsRead
from cranfield.cli._options import GROUPS, WEIGHTS, audited, condition, declared, per_topic, sort
from cranfield.cli._output import Destination, end_with_audit, present, present_with_notes, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, TopicAverage

if TYPE_CHECKING:
    from cranfield.scoring.scores import Scores


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield evidence spans.jsonl fixed.jsonl sentences.jsonl
  cranfield evidence spans.jsonl runs/*.csv -m EvidenceR@5 -m EvidenceP@5 --docs docs.jsonl --unit words
  cranfield evidence spans.jsonl runs/*.csv --budget 4000 -q -o scores.csv
  cranfield evidence spans.jsonl runs/*.csv --as-documents max -m nDCG@5
""",
)
@click.argument("spans", type=FileRead(), metavar="SPANS")
@click.argument("runs", nargs=-1, required=True, type=RunsRead(), metavar="[NAME=]RUN...")
@click.option(
    "--docs", metavar="FILE", type=FileRead(),
    help="Texts of the documents (JSON lines, CSV, TSV, SGML, Parquet, a folder), to count words, and to find texts "
    "that SPANS or RUNS have in place of offsets.",
)  # fmt: skip
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="EvidenceR, EvidenceP, EvidenceIoU, EvidencenDCG or EvidenceCost; with @k of the first k chunks. May be given "
    "several times; `cranfield measures EvidenceR` explains one. [default: all, @5 unless there is a budget]",
)  # fmt: skip
@click.option(
    "--unit", type=click.Choice(["characters", "words"]), default="characters", show_default=True,
    help="Unit in which evidence, chunks and the budget are counted.",
)  # fmt: skip
@declared(
    Count, "--budget", metavar="N",
    meaning="Read N units of each list, and cut the chunk that exceeds them. [default: no limit]",
)  # fmt: skip
@click.option(
    "--as-documents", type=click.Choice(["first", "max", "sum"]),
    help="Score documents instead, by measures of documents: one stands where its first chunk does, or has the largest "
    "score of its chunks, or their sum; its grade is the highest of its spans.",
)  # fmt: skip
@per_topic("Scores of each topic before the averages.")
@sort("The best run first: by this measure, or by the first (give MEASURE as --sort=MEASURE, or --sort last).")
@presented("trec_eval")
@condition("topics", "All topics of SPANS, missing ones counting 0, or those that a run has. [default: all]")
@declared(TopicAverage, "--average", default="mean", meaning="How topics are averaged.")
@WEIGHTS
@GROUPS
@audited
def command(
    spans: str,
    runs: tuple[str, ...],
    docs: str | None,
    measures: tuple[str, ...],
    unit: str,
    budget: int | None,
    as_documents: str | None,
    per_topic: bool,
    sort: str | None,
    to: Destination,
    topics: str | None,
    average: TopicAverage,
    weights: str | None,
    groups: str | None,
    audit: bool,
    strict: bool,
) -> None:
    """Score the chunks in RUNS by the evidence in SPANS that they hold.

    SPANS has columns topic, document, start, end (or quote) and perhaps grade; RUNS have topic, document, start, end
    (or text) and perhaps score or rank: JSON lines, CSV, TSV or Parquet. Offsets are characters from 0, the end
    exclusive. Evidence counts where it is read first; text outside the spans is no evidence.
    """
    if groups is not None and per_topic:
        raise InputError("--groups has a row for each group, and -q one for each topic; ask for one of the two")
    asked: dict[str, Any] = {"topics": topics or "all", "average": average, "weights": weights}
    if as_documents is None:
        from cranfield.scoring.evidence import evidence

        scores = evidence(spans, list(runs), measures or None, docs=docs, unit=unit, budget=budget, **asked)  # type: ignore[arg-type]
    else:
        for name, given in (("--docs", docs), ("--budget", budget), ("--unit", None if unit == "characters" else unit)):
            if given is not None:
                raise InputError(f"{name} is of text, and --as-documents scores whole documents; leave one out")
        scores = _of_documents(spans, runs, as_documents, measures, asked)
    if sort is not None:
        scores = scores.sorted_by(sort or None)
    if groups is None:
        present(scores, to, per_topic=per_topic)
        to.say(*(f"note: {note}" for note in scores.remarks()))
    else:
        present_with_notes(scores.by_group(groups), to)
    end_with_audit(scores.audit, to, audit=audit, strict=strict)


def _of_documents(
    spans: str, runs: tuple[str, ...], by: Any, measures: tuple[str, ...], asked: dict[str, Any]
) -> Scores:
    """Score the documents of the chunks."""
    from cranfield.scoring.evaluation import evaluate
    from cranfield.scoring.evidence import chunks_as_documents, spans_as_qrels

    return evaluate(spans_as_qrels(spans), chunks_as_documents(list(runs), by), measures or None, **asked)
