"""``cranfield compare`` (compare): test which runs differ significantly, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._forms import (
    CHUNKS,
    SEVERAL,
    TABLE_OF_SCORES,
    TEXTS_OF_CHUNKS,
    collections_asked,
    of_chunks,
    of_scores,
    of_several,
    scores_of_chunks,
)
from cranfield.cli._history import HISTORY, present_with_history
from cranfield.cli._options import (
    AUDITED,
    CLUSTERS,
    CONDITIONS,
    MEASURES_FROM,
    WEIGHTS_AND_GROUPS,
    condition,
    conditions,
    measures_asked,
    option,
    qrels_and_runs,
    setting,
    sort,
    telling,
)
from cranfield.cli._output import (
    AuditAsked,
    Destination,
    draw,
    notes_of,
    only_text,
    plotted,
    present_collections,
    present_with_notes,
    presented,
    then,
    write_text,
)
from cranfield.comparison.methods import CORRECTIONS, TESTS, StatisticalMethod
from cranfield.comparison.settings import Settings
from cranfield.plumbing.options import Layout

if TYPE_CHECKING:
    from cranfield.comparison import Comparison

_USUAL: Final = Settings()

_JOINT: Final = ", ".join(name for name, test in TESTS.items() if test.joint)
_SIMULTANEOUS: Final = ", ".join(name for name, test in TESTS.items() if test.simultaneous)
_WITHOUT_TOPICS: Final = tuple(name for name in CONDITIONS if name != "topics")


def _show_tests(ctx: click.Context) -> None:
    """List tests and corrections, a paragraph each."""
    text = ctx.make_formatter()
    for title, rows in (("Tests", TESTS), ("Corrections, and what they keep at alpha", CORRECTIONS)):
        with text.section(title):
            text.write_dl([(", ".join((name, *row.aliases)), _paragraph(row)) for name, row in rows.items()])
    click.echo(text.getvalue().strip("\n"))


def _paragraph(row: StatisticalMethod) -> str:
    return f"{row.words[0].upper()}{row.words[1:]}. {row.purpose} {row.note}"


def _on_several(
    call: Call, paragraph: bool, layout: Layout, sort: str | None, to: Destination, audited: AuditAsked
) -> None:
    """Compare on each of several collections, and on all."""
    from cranfield.comparison.collection_comparison import compare_all

    if paragraph:
        only_text(to, "--paragraph")
    found = call(compare_all, call(collections_asked))
    if paragraph:
        write_text(found.paragraph(), to)
        to.say(*notes_of(found))
    else:
        present_collections(found, to, sort=sort, layout=layout)
    audited.end_all(found.scores, to)


def _by_group(
    call: Call, runs: tuple[str, ...], scores: str | None, measures: tuple[str, ...], chunks: bool, to: Destination,
    audited: AuditAsked,
) -> None:  # fmt: skip
    """Compare within groups of topics, by runs, chunks or existing scores."""
    from cranfield.comparison.by_group import compare_groups
    from cranfield.comparison.comparing import COMPARED_MEASURES
    from cranfield.scoring.evaluation import evaluate
    from cranfield.scoring.judged_runs import by_what
    from cranfield.scoring.panel import read_scores

    if scores is not None:
        present_with_notes(call(compare_groups, call(read_scores, scores, measures)), to)
        return
    if chunks:
        measured, call = scores_of_chunks(call, list(runs))
    else:
        measured = call(evaluate, measures=call(by_what, conditions=call.only(*CONDITIONS), usual=COMPARED_MEASURES))
    present_with_notes(call(compare_groups, measured, topics=None, weights=None), to)  # which the scores have
    audited.end(measured.audit, to)


@derived(
    qrels_and_runs(required=False),
    SEVERAL,
    TABLE_OF_SCORES,
    measures_asked("AP, nDCG@10; with --scores all; with --chunks as for `cranfield evidence`",
                   "As for `cranfield evaluate`; may be given several times."),
    option("--baseline RUN", str, "Compare every run with this one, not all pairs. Repeatable.", multiple=True),
    option(f"--test [{'|'.join(TESTS)}]", str,
           f"Significance test. {_JOINT} test all runs together, the others pair by pair.", _USUAL.test),
    option(
        f"--correction [{'|'.join(CORRECTIONS)}]", str,
        f"Correction for multiple comparisons. [default: {_USUAL.correction}; none with the tests that account for all "
        f"pairs: {_SIMULTANEOUS}]",
    ),
    telling("--tests", "Explain the tests and corrections, and exit.", _show_tests),
    setting(Settings, "--family",
            "Correct for all pairs by all measures of the call, or for the pairs of each measure."),
    setting(Settings, "--alpha", "Level of significance."),
    setting(Settings, "--level", "Confidence level of the intervals. [default: 1 - alpha]"),
    setting(Settings, "--margin DIFFERENCE",
            "Also test equivalence within this margin: whether the first run of a pair is worse by no more than this, "
            "and whether both are equivalent."),
    setting(Settings, "--power", "Power for topics_needed and detectable (in csv)."),
    setting(Settings, "--worthwhile DIFFERENCE",
            "Report the number of topics needed to detect a mean difference of this size (topics_needed)."),
    setting(Settings, "--resamples", "Number of resamples, for tests that resample."),
    setting(Settings, "--seed", "Seed of the random numbers."),
    option("--residuals", bool, "Add whether unjudged documents could undo a difference (column certain)."),
    option("--dominance", bool,
           "Add whether one run is no worse at any rank and grade (columns dominates and against, in csv)."),
    WEIGHTS_AND_GROUPS,
    CLUSTERS,
    HISTORY,
    CHUNKS,
    TEXTS_OF_CHUNKS,
    condition("topics",
              "All topics of the qrels, missing ones counting 0, or those that all runs have. [default: all]"),
    conditions(*_WITHOUT_TOPICS),
    option("--layout", Layout,
           "Table for people: a row for each run, with the letters of the runs it beats; or for each pair, with its "
           "interval and p.", "systems"),
    option("--paragraph", bool,
           "Write a paragraph for a paper instead of a table: who beats whom by which "
           "measure, with intervals, and how it was tested."),
    sort("Put the best run first in the table of systems: by this measure, or by the first (--sort=MEASURE, or --sort "
         "last)."),
    plotted("Also draw which runs do not differ significantly"),
    presented(meaning="csv, json and parquet hold every number of each pair."),
    AUDITED,
    MEASURES_FROM,
    modes=(
        *of_several(_on_several, "scores", "plot", "groups", "keep", "since", "residuals", "dominance", "weights",
                    "clusters", "chunks"),
        of_scores("qrels", "runs", "keep", "since", "dominance", "chunks"),
        Mode("--groups", "each group of topics is compared by itself",
             ("layout", "sort", "plot", "keep", "since", "residuals", "dominance"), does=_by_group),
        *of_chunks("keep", "since", "residuals", "dominance"),
        Mode("--paragraph", "the result is a paragraph, not a table",
             ("layout", "sort", "groups", "keep", "since", "dominance")),
    ),
    examples="""
  cranfield compare qrels.txt bm25.run dense.run -m AP -m nDCG@10 --layout pairs
  cranfield compare qrels.txt runs/*.gz -m "RBP(p=0.8)" --test wilcoxon --residuals --format csv
  cranfield compare --scores scores.csv -m AP
  cranfield compare qrels.txt runs/*.gz --baseline bm25 --paragraph
  cranfield compare spans.jsonl fixed.jsonl sentences.jsonl --chunks --layout pairs
  cranfield compare --collections beir.toml --baseline bm25 -o table.tex
""",
)  # fmt: skip
def command(
    call: Call, runs: tuple[str, ...], scores: str | None, measures: tuple[str, ...], layout: Layout, sort: str | None,
    plot: str | None, chunks: bool, paragraph: bool, to: Destination, audited: AuditAsked,
) -> None:  # fmt: skip
    """Test the differences between RUNS, topic by topic, by the judgments in QRELS."""
    if paragraph:
        only_text(to, "--paragraph")
    from cranfield.comparison.comparing import compare, compare_scores
    from cranfield.scoring.panel import read_scores

    if scores is not None:
        found = call(compare_scores, call(read_scores, scores, measures))
    elif chunks:
        of_text, call = scores_of_chunks(call, list(runs))
        found = call(compare_scores, of_text)
    else:
        found = call(compare)
    if sort is not None:
        found = found.sorted_by(sort or None)
    if plot is not None:
        draw(found.plot("critical-difference"), plot)
    if paragraph:
        write_text(found.paragraph(), to)
    else:
        present_with_history(
            found, to, call, runs=list(runs), measures=found.asked, by_place=False, layout=layout,
            command=_next(found, call),
        )  # fmt: skip
    to.say(*_beside(found))
    audited.end(found.audit, to)


def _next(found: Comparison, call: Call) -> str:
    """Return the command that says why one of two runs is ahead; none of more, of scores, and of equal runs."""
    qrels, runs = call.options.get("qrels"), call.options.get("runs") or ()
    if len(runs) != 2 or call.options.get("chunks") or found.audit is None:
        return ""
    if len(found.runs) != 2 or not found.duels()[0].lead:
        return ""
    return then("why", str(qrels), *runs, "-m", str(found.asked[0]))


def _beside(found: Comparison) -> Iterator[str]:
    """Say whether any runs differ at all, and what to know before relying on it."""
    for measure, name, statistic, df, df_error, p, by_gg, by_hf in found.omnibus.iter_rows():
        freedom = f"{df}" if df_error is None else f"{df}, {df_error}"
        allowing = "" if by_gg is None else f" ({by_gg:.4g} by Greenhouse and Geisser, {by_hf:.4g} by Huynh and Feldt)"
        yield f"{measure}: {name}({freedom}) = {statistic:.4f}, p = {p:.4g}{allowing}"
    for note in found.notes:
        yield f"note: {note}"
