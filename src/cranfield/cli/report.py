"""``cranfield report`` (look): write an HTML report: what was found, and how sure it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, FileWritten, NamedFileRead
from cranfield.cli._forms import CHUNKS, TABLE_OF_SCORES, of_chunks, of_scores, scores_of_chunks
from cranfield.cli._kinds import Margin
from cranfield.cli._options import (
    CLUSTERS,
    MEASURES_FROM,
    OF_RUNS,
    WEIGHTS_AND_GROUPS,
    conditions,
    measures_asked,
    option,
    qrels_and_runs,
    seed,
)
from cranfield.cli._output import QUIET, Destination, say, write
from cranfield.results.output_formats import FORMATS

_CONDITIONS = (*OF_RUNS, "costs", "cost_missing", "convention")


def _without_page(call: Call, check: bool, output: str | None, format_: str | None, quiet: bool) -> None:
    """Write the half page or the sentences."""
    from cranfield.reports.reporting import evidence_of
    from cranfield.reports.reviewing import review_of
    from cranfield.reports.sentence import sentences_of

    to, evidence = Destination.asked(format_, output, quiet), call(evidence_of, documents=None)
    found = review_of(evidence) if check else sentences_of(evidence)
    write(found.render(to.format), to)
    to.say(found.caption())


@derived(
    qrels_and_runs(required=False),
    TABLE_OF_SCORES,
    CLUSTERS,
    measures_asked("nDCG@10, AP, RR, RBP(p=0.8), Twist@100, Judged@10; with --chunks as for `cranfield evidence`",
                   "The first decides who leads."),
    option("-o --output FILE", FileWritten,
           "Output file, written whole or not at all: .html, or with --check or --sentences any format by its suffix."),
    option("--check", bool,
           "Write only the half page a reviewer may ask for: tests, ranks, unjudged documents, ties, topics."),
    option("--sentences", bool, "Write only the findings, as sentences with their numbers."),
    option("--format", click.Choice((*FORMATS,), case_sensitive=False),
           "[default: the suffix of -o, or table]", name="format_"),
    option("--baseline RUN", str, "Compare each run with this one, not all pairs."),
    option("--docs FILE", FileRead,
           "Texts of the documents (JSON lines, TREC's SGML, CSV, TSV, Parquet, or a folder of texts or HTML): the "
           "page shows the beginning of those that should be judged. With --chunks as for `cranfield evidence`.",
           name="documents"),
    option("--title TEXT", str, "Title of the page."),
    option("--collection TEXT", str, "Name of the collection. [default: that of the qrels, or of their folder]"),
    option("--date YYYY-MM-DD", click.DateTime(["%Y-%m-%d"]),
           "Date of the report. [default: that of SOURCE_DATE_EPOCH, or today]"),
    seed("Seed of random choices."),
    WEIGHTS_AND_GROUPS,
    option("--cheap LABELS", NamedFileRead,
           "Labels of the judged documents by a cheap judge, such as a language model, as qrels: a section shows "
           "how they differ from QRELS and what that changes in the leaderboard."),
    option("--kinds FILE", NamedFileRead,
           "Kind of each run (columns run and kind), to show which kind the judge favours."),
    option("--circular RUN", str, "Run that was produced with this judge."),
    option("--margin", Margin,
           "Loss to tolerate if the second of two runs replaced the first (or the baseline), in the unit of the "
           "first measure or as a percentage of the mean. [default: 0.01]"),
    CHUNKS,
    QUIET,
    conditions(*_CONDITIONS),
    MEASURES_FROM,
    modes=(
        of_scores("qrels", "runs", "documents", "cheap", "kinds", "circular", "margin", "check", "sentences", "chunks",
                  among=_CONDITIONS, alone_has=("not_run", "clusters")),
        Mode("--check", "the half page does not cover it", ("sentences", "groups", "cheap")),
        Mode("--check or --sentences", "it fills a section of the page", ("weights",), alone_has=("format_",),
             does=_without_page),
        Mode("--check or --sentences", "it changes the page only",
             ("margin", "documents", "title", "collection", "date")),
        *of_chunks("check", "sentences", "cheap", "kinds", "circular", "margin", has=("unit",)),
        Mode("--cheap", alone_has=("kinds", "circular")),
        Mode("neither --check nor --sentences", "the page is an .html file", needs=("output",),
             when=lambda asked: not (asked["check"] or asked["sentences"])),
    ),
    examples="""
  cranfield report qrels.txt runs/ -o report.html
  cranfield report qrels.txt runs/*.gz --rel 2 -m nDCG@10 -m AP -m RR@10 -o report.html
  cranfield report qrels.txt runs/ --baseline bm25 --title "What the new ranker brings" -o report.html
  cranfield report qrels.txt runs/ --docs collection.jsonl.gz -o report.html
  cranfield report golden.jsonl old.json new.json --groups g.csv --costs c.csv -o page.html
  cranfield report qrels.txt runs/ --cheap labels.txt --kinds kinds.txt -o report.html
  cranfield report spans.jsonl fixed.jsonl sentences.jsonl --chunks -o report.html
  cranfield report --scores results.csv -o report.html
  cranfield report --check qrels.txt runs/ -o check.tex
  cranfield report --sentences qrels.txt runs/ --format json
""",
)  # fmt: skip
def command(
    call: Call, output: str, date: datetime | None, margin: tuple[float, bool] | None, scores: str | None, chunks: bool,
    runs: tuple[str, ...], quiet: bool,
) -> None:  # fmt: skip
    """Write one page about RUNS, judged by QRELS: the findings, their uncertainty, and how they were computed.

    The page needs no network. Its tables can be sorted and saved as CSV; the command below each recomputes it. For two
    runs it says whether the second may replace the first, and gives the `cranfield gate` command that asks the same in
    continuous integration.
    """
    from cranfield.reports.reporting import check_name, report

    check_name(output)
    given: tuple[object, ...] = ()
    if scores is not None:
        from cranfield.plumbing.naming import Naming
        from cranfield.reports.reporting import again_of, report_of_scores
        from cranfield.scoring.panel import read_scores, scores_of
        from cranfield.statistics.usual import NOT_RUN

        naming, read = Naming.asked(call.options), call(scores_of, call(read_scores, scores))
        unusual = call.only(*["not_run"] * (call.options["not_run"] != NOT_RUN))
        again = again_of(scores, naming, **call.only("measures", "topics", "clusters", "systems"), **unusual)
        if (header := call.options["header"]) is not None:
            again = replace(again, options=(*again.options, "--header" if header else "--no-header"))
        call(report_of_scores, read, again, naming, date=date and date.date()).save(output)
        say(f"wrote {output}", quiet=quiet)
        return
    if chunks:
        measured, call = scores_of_chunks(call, list(runs))
        given, call = (measured,), call.without("documents", "runs")
    allowed, relative = margin or (None, False)
    page = call(report, *given, date=date and date.date(), margin=allowed, relative=relative, noun="sections")
    page.save(output)
    first = page.document.first
    say(f"wrote {output}", *([first.says, first.decision.words] if first and first.decision else []), quiet=quiet)
