"""``cranfield report`` (look): write an HTML report: what was found, and how sure it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from cranfield.cli._files import Command, FileRead, FileWritten, NamedFileRead
from cranfield.cli._options import (
    GROUPS,
    OF_RUNS,
    WEIGHTS,
    conditions,
    declared,
    measures_asked,
    measures_from,
    qrels_and_runs,
    seed,
)
from cranfield.cli._output import Destination, Progress, quietly, say, write
from cranfield.results.output_formats import FORMATS, format_for


def _destination(output: str | None, format_: str | None, *, quiet: bool) -> Destination:
    """Say where a table goes."""
    file = None if output == "-" else output
    return Destination(format_ or "table" if file is None else format_for(file, format_), file, quiet)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield report qrels.txt runs/ -o report.html
  cranfield report qrels.txt runs/*.gz --rel 2 -m nDCG@10 -m AP -m RR@10 -o report.html
  cranfield report qrels.txt runs/ --baseline bm25 --title "What the new ranker brings" -o report.html
  cranfield report qrels.txt runs/ --docs collection.jsonl.gz -o report.html
  cranfield report qrels.txt runs/ --cheap labels.txt --kinds kinds.txt -o report.html
  cranfield report --check qrels.txt runs/ -o check.tex
  cranfield report --sentences qrels.txt runs/ --format json
""",
)
@qrels_and_runs()
@measures_asked("nDCG@10, AP, RR, RBP(p=0.8), Twist@100, Judged@10", "The first one decides who leads.")
@click.option(
    "-o", "--output", metavar="FILE", type=FileWritten(),
    help="Write the page there (whole or not at all), in .html; with --check or --sentences, what its suffix says.",
)  # fmt: skip
@click.option(
    "--check", is_flag=True,
    help="Write only the half page that a reviewer could demand: tests, ranks, unjudged documents, ties, topics.",
)  # fmt: skip
@click.option("--sentences", is_flag=True, help="Write only the findings, as sentences with their numbers.")
@click.option(
    "--format", "format_", type=click.Choice((*FORMATS,), case_sensitive=False),
    help="Of --check and --sentences. [default: what the suffix of -o says, or table]",
)  # fmt: skip
@click.option("--baseline", metavar="RUN", help="Compare all runs with this one, rather than all pairs.")
@click.option(
    "--docs", "documents", metavar="FILE", type=FileRead(),
    help="The texts of documents (JSON lines, TREC's SGML, CSV, TSV, Parquet, or a folder of texts or HTML), "
    "so that the page shows how those begin that should be judged.",
)  # fmt: skip
@declared(str | None, "--title", meaning="Title of the page.", metavar="TEXT")
@declared(
    str | None,
    "--collection",
    metavar="TEXT",
    meaning="What the collection is called. [default: as the file of the judgments, or its folder]",
)
@click.option(
    "--date",
    "date",
    metavar="YYYY-MM-DD",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Date of the report. [default: that of SOURCE_DATE_EPOCH, or today]",
)
@seed("Seed of random choices.")
@WEIGHTS
@GROUPS
@click.option(
    "--cheap", metavar="LABELS", type=NamedFileRead(),
    help="Labels of the judged documents by a cheap judge, such as a language model, as qrels: a section says how they "
    "differ from QRELS, and what that does to the leaderboard.",
)  # fmt: skip
@click.option(
    "--kinds", metavar="FILE", type=NamedFileRead(),
    help="With --cheap: a file with the kind of each run (run, kind), to say which kind the judge favours.",
)  # fmt: skip
@click.option("--circular", metavar="RUN", help="With --cheap: the run that was made with this judge.")
@quietly
@conditions(*OF_RUNS, "costs", "cost_missing", "convention")
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str | None,
    check: bool,
    sentences: bool,
    format_: str | None,
    baseline: str | None,
    documents: str | None,
    title: str | None,
    collection: str | None,
    date: datetime | None,
    seed: int,
    weights: str | None,
    groups: str | None,
    cheap: str | None,
    kinds: str | None,
    circular: str | None,
    quiet: bool,
    **conditions: Any,
) -> None:
    """Write one page about RUNS, judged by QRELS: what was found, how sure that is, and how it was computed.

    The page needs no network. Its tables can be sorted, and taken away as CSV; below each stands the
    command that computes it once more.
    """
    from cranfield.reports.reporting import check_name, evidence_of, report
    from cranfield.reports.reviewing import review_of
    from cranfield.reports.sentence import sentences_of

    asked = measures or None
    if check and sentences:
        raise click.UsageError("--check and --sentences are two things to write; choose one")
    if (check or sentences) and (weights or groups):
        raise click.UsageError(
            "--weights and --groups have a section of the page; leave them or --check, --sentences out"
        )
    if cheap is None and (kinds or circular):
        raise click.UsageError("--kinds and --circular go with --cheap")
    if check and cheap:
        raise click.UsageError("--cheap has a section of the page and sentences; leave it or --check out")
    judge: dict[str, Any] = {"cheap": cheap, "kinds": kinds, "circular": circular}
    if check or sentences or format_ is not None:
        to = _destination(output, format_, quiet=quiet)
    if check or sentences:
        with Progress("runs") as progress:
            evidence = evidence_of(qrels, list(runs), asked, baseline, seed, progress=progress, **judge, **conditions)
        found = review_of(evidence) if check else sentences_of(evidence)
        write(found.render(to.format), to)
        to.say(found.caption())
        return
    if output is None:
        raise click.UsageError("say where to write the page: -o FILE.html")
    if format_ is not None:
        raise click.UsageError("--format is for --check and --sentences; the page is written in HTML")
    check_name(output)
    with Progress("sections") as progress:
        page = report(
            qrels, list(runs), asked,
            baseline=baseline, documents=documents, title=title, collection=collection,
            date=None if date is None else date.date(), seed=seed,
            weights=weights, groups=groups, progress=progress, **judge, **conditions,
        )  # fmt: skip
    page.save(output)
    say(f"wrote {output}", quiet=quiet)
