"""``cranfield compare`` (compare): test which runs differ significantly, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._collections import collections_asked, refuse_of_one, several
from cranfield.cli._files import Command, FileRead
from cranfield.cli._history import history, present_with_history
from cranfield.cli._options import (
    CONDITIONS,
    GROUPS,
    WEIGHTS,
    audited,
    condition,
    conditions,
    declared,
    measures_asked,
    measures_from,
    qrels_and_runs,
    setting,
    sort,
)
from cranfield.cli._output import (
    Destination,
    Progress,
    end_with_audit,
    end_with_audits,
    plotted,
    present_with_caption,
    present_with_notes,
    presented,
)
from cranfield.cli._typed import typed
from cranfield.comparison.methods import CORRECTIONS, TESTS, StatisticalMethod
from cranfield.comparison.settings import Settings
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Layout

if TYPE_CHECKING:
    from cranfield.comparison import Comparison, GroupComparison
    from cranfield.judged.audit import Audit
    from cranfield.scoring.collection_scores import CollectionsLike

USUAL: Final = Settings()

_JOINT: Final = ", ".join(name for name, test in TESTS.items() if test.joint)
_SIMULTANEOUS: Final = ", ".join(name for name, test in TESTS.items() if test.simultaneous)
_WITHOUT_TOPICS: Final = tuple(name for name in CONDITIONS if name != "topics")


def _show_tests(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """List tests and corrections, a paragraph each."""
    del option
    if not asked or ctx.resilient_parsing:
        return
    text = ctx.make_formatter()
    for title, rows in (("Tests", TESTS), ("Corrections, and what they keep at alpha", CORRECTIONS)):
        with text.section(title):
            text.write_dl([(", ".join((name, *row.aliases)), _paragraph(row)) for name, row in rows.items()])
    click.echo(text.getvalue().strip("\n"))
    ctx.exit()


def _paragraph(row: StatisticalMethod) -> str:
    return f"{row.words[0].upper()}{row.words[1:]}. {row.purpose} {row.note}"


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield compare qrels.txt bm25.run dense.run -m AP -m nDCG@10 --layout pairs
  cranfield compare qrels.txt runs/*.gz --baseline bm25 -o table.tex
  cranfield compare qrels.txt runs/*.gz -m "RBP(p=0.8)" --test wilcoxon --residuals --format csv
  cranfield compare qrels.txt runs/*.gz -m AP --test tukey --plot groups.svg
  cranfield compare --scores scores.csv -m AP
  cranfield compare --collections beir.toml --baseline bm25 -o table.tex
""",
)
@qrels_and_runs(required=False)
@several
@click.option(
    "--scores", metavar="FILE", type=FileRead(),
    help="Compare existing scores instead of QRELS and RUNS: the long table (csv, json or parquet) that "
    "`cranfield evaluate --per-topic -o scores.csv` writes.",
)  # fmt: skip
@measures_asked("AP, nDCG@10; with --scores all", "As for `cranfield evaluate`; may be given several times.")
@click.option(
    "--baseline", metavar="RUN", multiple=True,
    help="Compare every run with this one instead of all pairs. Repeatable.",
)  # fmt: skip
@click.option(
    "--test", metavar=f"[{'|'.join(TESTS)}]", default=USUAL.test, show_default=True,
    help=f"Significance test. For all runs together: {_JOINT}; the others test pairs one by one.",
)  # fmt: skip
@click.option(
    "--correction", metavar=f"[{'|'.join(CORRECTIONS)}]",
    help=f"Correction for multiple comparisons. [default: {USUAL.correction}; none with the tests that account for all "
    f"pairs: {_SIMULTANEOUS}]",
)  # fmt: skip
@click.option(
    "--tests", is_flag=True, is_eager=True, expose_value=False, callback=_show_tests,
    help="Explain the tests and corrections, and exit.",
)  # fmt: skip
@setting(Settings, "family", "Correct for all pairs by all measures of the call, or for the pairs of each measure.")
@setting(Settings, "alpha", "Level of significance.")
@setting(Settings, "level", "Confidence level of the intervals. [default: 1 - alpha]")
@setting(
    Settings, "margin",
    "Ask, too, whether the first run of a pair is worse by no more than this, and whether both are equivalent.",
    metavar="DIFFERENCE",
)  # fmt: skip
@setting(Settings, "power", "Power for topics_needed and detectable (in csv).")
@setting(
    Settings, "worthwhile", "Say how many topics it takes to find a mean difference of this size (topics_needed).",
    metavar="DIFFERENCE",
)  # fmt: skip
@setting(Settings, "resamples", "For tests that resample.")
@setting(Settings, "seed", "For what is left to chance.")
@click.option(
    "--residuals", is_flag=True,
    help="Add whether unjudged documents could undo a difference (column certain).",
)  # fmt: skip
@click.option(
    "--dominance", is_flag=True,
    help="Add whether one run is no worse at any rank and grade (columns dominates and against, in csv).",
)  # fmt: skip
@WEIGHTS
@GROUPS
@history
@condition("topics", "All topics of the qrels, missing ones counting 0, or those that all runs have. [default: all]")
@conditions(*_WITHOUT_TOPICS)
@declared(
    Layout, "--layout", default="systems",
    meaning="For people: a row a run, with the letters of those that it beats; or a row a pair, with intervals and p.",
)  # fmt: skip
@sort("The best run first in the table of systems: by this measure, or by the first (--sort=MEASURE, or --sort last).")
@plotted("Draw there, too, which runs cannot be told apart")
@presented(meaning="csv, json and parquet hold all that is known of each pair.")
@audited
@measures_from
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    collection: tuple[tuple[str, str, str], ...],
    collections: str | None,
    scores: str | None,
    measures: tuple[str, ...],
    layout: Layout,
    sort: str | None,
    plot: str | None,
    to: Destination,
    audit: bool,
    strict: bool,
    baseline: tuple[str, ...],
    groups: str | None,
    keep: str | None,
    since: str | None,
    **options: Any,
) -> None:
    """Test the differences between RUNS, topic by topic, by the judgments in QRELS."""
    options["baseline"] = baseline or None
    if collection or collections is not None:
        asked_of = collections_asked(qrels, runs, collection, collections)
        refuse_of_one(
            scores=scores, plot=plot, groups=groups, keep=keep, since=since,
            **{name: options.pop(name) for name in ("residuals", "dominance", "weights")},
        )  # fmt: skip
        _of_several(asked_of, measures, sort, layout, to, audit, strict, options)
        return
    if (keep or since) and (scores is not None or groups is not None):
        beside = "--groups" if scores is None else "--scores"
        raise InputError(f"--{'keep' if keep else 'since'} is of runs, all topics together; leave it or {beside} out")
    if groups is not None:
        asked = {"--sort": sort is not None, "--plot": plot is not None}
        asked |= {f"--{name}": options.pop(name) for name in ("residuals", "dominance")}
        for name in (name for name, there in asked.items() if there):
            raise InputError(f"{name} is of all topics together; leave it or --groups out")
        table, marked = _by_group(qrels, runs, scores, measures, groups, options)
        present_with_notes(table, to)
        if marked is not None:
            end_with_audit(marked, to, audit=audit, strict=strict)
        return
    found = _of_runs(qrels, runs, measures, options) if scores is None else _of_scores(scores, qrels, measures, options)
    if sort is not None:
        found = found.sorted_by(sort or None)
    if plot is not None:
        found.plot("critical-difference").drawn_by(typed()).save(plot)
    present_with_history(
        found, to, keep=keep, since=since, by_place=False, qrels=qrels, runs=list(runs), measures=found.measures,
        weights=options["weights"], conditions={name: options.get(name) for name in CONDITIONS}, layout=layout,
    )  # fmt: skip
    to.say(*_beside(found))
    if found.audit is not None:
        end_with_audit(found.audit, to, audit=audit, strict=strict)


def _of_several(
    collections: CollectionsLike | None, measures: tuple[str, ...], sort: str | None, layout: Layout, to: Destination,
    audit: bool, strict: bool, options: dict[str, Any],
) -> None:  # fmt: skip
    """Compare runs on several collections, and on all of them."""
    from cranfield.comparison.collection_comparison import compare_all

    with Progress("runs") as progress:
        found = compare_all(collections or {}, measures or None, progress=progress, **options)
    if sort is not None:
        found = found.sorted_by(sort or None)
    present_with_caption(found, to, layout=layout)
    to.say(*(f"note: {note}" for note in found.remarks()))
    end_with_audits(found.scores, to, audit=audit, strict=strict)


def _of_runs(
    qrels: str | None, runs: tuple[str, ...], measures: tuple[str, ...], options: dict[str, Any]
) -> Comparison:
    from cranfield.comparison.comparing import compare

    if qrels is None or not runs:
        raise click.UsageError("Missing argument 'QRELS RUNS...', or --scores FILE instead.")
    with Progress("runs") as progress:
        return compare(qrels, list(runs), measures or None, progress=progress, **options)


def _of_scores(scores: str, qrels: str | None, measures: tuple[str, ...], options: dict[str, Any]) -> Comparison:
    """Compare existing scores: the options of how runs are scored do not apply."""
    from cranfield.comparison.comparing import compare_scores
    from cranfield.scoring.panel import read_scores

    _refuse_scored(qrels, options)
    return compare_scores(read_scores(scores, measures), **options)


def _by_group(
    qrels: str | None,
    runs: tuple[str, ...],
    scores: str | None,
    measures: tuple[str, ...],
    groups: str,
    options: dict[str, Any],
) -> tuple[GroupComparison, Audit | None]:
    """Compare within groups of topics, by runs or by existing scores; with the audit of runs."""
    from cranfield.comparison.by_group import compare_groups
    from cranfield.comparison.comparing import MEASURES
    from cranfield.comparison.settings import AskedSettings
    from cranfield.plumbing.unpacked import part_of
    from cranfield.scoring.evaluation import evaluate
    from cranfield.scoring.judged_runs import by_what
    from cranfield.scoring.panel import read_scores

    settings, weights = part_of(options, AskedSettings), options["weights"]
    if scores is not None:
        _refuse_scored(qrels, options)
        return compare_groups(
            read_scores(scores, measures), groups, topics=options["topics"], weights=weights, **settings
        ), None
    if qrels is None or not runs:
        raise click.UsageError("Missing argument 'QRELS RUNS...', or --scores FILE instead.")
    conditions: Any = {name: options[name] for name in CONDITIONS}
    with Progress("runs") as progress:
        measured = evaluate(
            qrels, list(runs), by_what(measures or None, qrels, conditions, MEASURES),
            weights=weights, progress=progress, **conditions,
        )  # fmt: skip
    return compare_groups(measured, groups, **settings), measured.audit


def _refuse_scored(qrels: str | None, options: dict[str, Any]) -> None:
    """Refuse what says how runs are scored, where they are scored already."""
    asked = [name for name in _WITHOUT_TOPICS if options.pop(name) is not None]
    asked += ["dominance"] if options.pop("dominance", False) else []
    if qrels is not None or asked:
        what = "QRELS and RUNS" if qrels is not None else f"--{asked[0].replace('_', '-')}"
        raise InputError(f"with --scores the runs are scored already: leave {what} out")


def _beside(found: Comparison) -> Iterator[str]:
    """Say whether any runs differ at all, and what to know before relying on it."""
    for measure, name, statistic, df, df_error, p, by_gg, by_hf in found.omnibus.iter_rows():
        freedom = f"{df}" if df_error is None else f"{df}, {df_error}"
        allowing = "" if by_gg is None else f" ({by_gg:.4g} by Greenhouse and Geisser, {by_hf:.4g} by Huynh and Feldt)"
        yield f"{measure}: {name}({freedom}) = {statistic:.4f}, p = {p:.4g}{allowing}"
    for note in found.notes:
        yield f"note: {note}"
