"""The report of scores alone, of a table or of chunkings: which is better, how sure that is, and on which topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from shlex import quote

import numpy as np

from cranfield.comparison import Comparison, compare_groups, compare_scores
from cranfield.comparison.leaderboard import Leaderboard, leaderboard
from cranfield.comparison.planning import plan_topics
from cranfield.comparison.settings import Family
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.plumbing.wording import LACKING, counted
from cranfield.reports.elements import (
    Block,
    FirstSheet,
    Folded,
    Picture,
    ReportDocument,
    ReportTable,
    Section,
    Words,
    pictured,
)
from cranfield.reports.facts import as_option, as_options
from cranfield.reports.first_sheet import MOST_ROWS, heads, pasted
from cranfield.reports.sentence import MOST_CAVEATS
from cranfield.results.sheet import Sheet
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import SCORES_ALONE, check_baseline, did_not_run, none_ran, panel_of
from cranfield.scoring.scores import Scores
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import ALL_RAN, NOT_RUN

_TOPICS_NAMED = 10  # This many topics are named at either end


_SHARES = (1.0, 0.5, 0.25)  # Of the difference that these topics can find: how many topics it takes to find that much


@dataclass(frozen=True)
class Again:
    """What a command takes the scores from; of chunkings, or with clusters of no file, none is named."""

    table: str = "SCORES"
    options: tuple[str, ...] = ()
    there: bool = True

    def command(self, name: str, *options: str) -> str:
        """Write the command that computes a table once more."""
        words = map(quote, [self.table, *self.options, *options])
        return " ".join([f"cranfield {name}", *words]) if self.there else ""


def document_of(
    scores: Scores, day: date, title: str | None, collection: str | None, baseline: str | None,
    groups: TopicGroups | None, seed: int, again: Again,
) -> ReportDocument:  # fmt: skip
    """Lay out a page about scores: the first measure decides."""
    if not scores.audit.complete:
        raise InputError("a report shows what is unjudged, which scores do not show; give qrels and runs")
    noun = _noun(scores)
    check_baseline(baseline, scores.runs, (note for note in scores.notes if note.startswith(LACKING[0])), noun)
    gone = dict(panel_of(scores, not_run=NOT_RUN).not_run) if noun == "chunking" else {}  # tables were looked at
    if len(gone) == len(scores.runs):
        raise none_ran(noun)
    scores = scores.of_runs([run for run in scores.runs if run not in gone])
    check_baseline(baseline, scores.runs, did_not_run([*gone.items()], len(scores.topics)), noun)
    sorted_ = scores.sorted_by()
    tested = len(scores.runs) > 1 and len(scores.topics) > 1
    # By each measure for itself, as the leaderboard, and the report on runs by its first, have it.
    family: Family = "measure"
    found = compare_scores(sorted_, baseline=baseline, family=family, not_run=ALL_RAN) if tested else None
    over = f"{counted(len(scores.runs), noun)} on {scores.population.of_topics}"
    what = f"{collection}: {over}" if collection else over
    weights, ranked_too = scores.weights, noun == "run" and scores.weights is None
    says, sure = _headline(sorted_, found, baseline)
    board = leaderboard(sorted_, seed=seed, not_run=ALL_RAN) if tested and ranked_too else None
    again = replace(again, there=again.there and noun == "run")
    asked = as_options(
        baseline=baseline,
        family=family if len(scores.measures) > 1 else None,
        layout="pairs",
        weights=weights and as_option(weights),
    )
    test = again.command("compare --scores", *asked)
    ranked = again.command("leaderboard", *as_options(seed=None if seed == SEED else seed))
    means = ReportTable.of(sorted_, "means", command="" if board is None else again.command("leaderboard"))
    sure = " ".join(filter(None, [sure, "" if board is None else board.answer]))
    findings = scores.audit.findings
    told = [*did_not_run(list(gone.items()), len(scores.topics)), *(each.says for each in findings), *scores.notes]
    grave = [*told[: len(gone) > 0], *(each.says for each in findings if each.severity != "remark")]
    grave += [note for note in scores.notes if note.startswith(LACKING)]
    grave = grave[:MOST_CAVEATS]
    first = FirstSheet(
        says,
        sure,
        picture=_picture(sorted_) if board is not None else None,
        caveats=tuple(map(_sentence, grave)),
        blocks=(means,),
        facts=(("Left out", NEEDS_DOCUMENTS + UNWEIGHTED * (weights is not None)),) * (noun == "run"),
        pasted=tuple(pasted(f"{says} {sure}".rstrip(), means, day)),
    )
    further = tuple(_sentence(each) for each in told if each not in grave)  # what the first sheet does not say
    sections = [
        Section("significance", f"Which {noun}s differ significantly?", tuple(_tested(sorted_, found, board, test))),
        Section("ranks", "Between which ranks does each run lie?", tuple(_ranks(sorted_, board, ranked))),
        Section("more-topics", "How many topics would it take?", tuple(_more(sorted_, board, again))),
        Section("topics", "On which topics do they differ most?", tuple(_topics(sorted_))),
        Section("read", "What was read?", (Words(further, listed=True),) * bool(further), appendix=True),
    ]
    if groups is not None:
        sections.insert(1, Section("groups", "What differs by group?", tuple(_grouped(sorted_, groups, baseline))))
    heading, lead, made = heads(what, scores.measures, day, title)
    lead += "" if weights is None else f" Topics are {weights.described(scores.topics)}."
    return ReportDocument(heading, lead, tuple(each for each in sections if each.blocks), made, first)


NEEDS_DOCUMENTS = (
    "Unjudged and tied documents, the documents that make the difference, and what more judging would settle: all of "
    "these need rankings and judgments."
)
"""What a page of scores alone does not say."""
UNWEIGHTED = " Rank intervals and the number of topics needed are unknown where topics are weighted."


def _noun(scores: Scores) -> str:
    return "run" if scores.audit.complete == SCORES_ALONE else "chunking"


def _picture(scores: Scores) -> Block:
    """Draw the leaderboard by the measure that decides, as far as it fits on the sheet."""
    measure = scores.measures[0]
    alone = replace(scores, measures=(measure,), values=scores.values[:1], asked=(measure,), limits=None)
    drawn = pictured(lambda plot: alone.plot(plot, rows=MOST_ROWS).for_print(titled=False), "leaderboard")
    says = f"Mean {measure}. Line: interval of the difference from the best. Hollow: not significantly worse."
    return replace(drawn, says=says) if isinstance(drawn, Picture) else drawn


def _ranks(scores: Scores, board: Leaderboard | None, command: str) -> Iterator[Block]:
    """Say between which ranks each run lies, all of them at once: the certificate that needs no judgments."""
    if board is None:
        return
    yield pictured(board.plot, "rank-intervals")
    yield ReportTable.of(board, "ranks", command=command)
    yield Words(tuple(_new(board.notes, scores)), listed=True)


def _more(scores: Scores, board: Leaderboard | None, again: Again) -> Iterator[Block]:
    """Say how many topics it takes to find what these can find, and smaller differences."""
    least = None if board is None else board.rows.filter(measure=board.measures[0])["detectable"].max()
    if not isinstance(least, float) or not side(least):
        return
    plans = [plan_topics(scores, least * share, not_run=ALL_RAN) for share in _SHARES]
    rows = pl.concat(
        plan.rows.head(1).select(pl.lit(least * share).alias("difference"), pl.col("t").alias("topics"))
        for share, plan in zip(_SHARES, plans, strict=True)
    )
    says = (
        f"Topics that it takes to find a mean difference of this size in {scores.measures[0]} between two runs with "
        "probability 0.8 (alpha = 0.05), were they like these."
    )
    asked = ("--difference", f"{least:.6g}")
    command = "" if "--systems" in again.options else again.command("topics", *asked)  # which means others there
    yield ReportTable("more-topics", Sheet.of(rows, caption=says), rows, command)
    if rough := tuple(_new(plans[0].notes, scores)):
        yield Words(rough)


def _new(notes: Sequence[str], scores: Scores) -> Iterator[str]:
    """Write notes as sentences, but for those on what was read, which have a section; measures keep their names."""
    for note in notes:
        if note not in scores.notes:
            yield f"{note}." if note.startswith(tuple(map(str, scores.measures))) else _sentence(note)


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}."


def _headline(scores: Scores, found: Comparison | None, baseline: str | None) -> tuple[str, str]:
    """Say which leads and by how much, and how sure that is."""
    measure, leader = str(scores.measures[0]), scores.runs[0]
    if found is None:
        alone = f"It is the only {_noun(scores)}."
        why = alone if len(scores.runs) == 1 else "One topic allows no test of differences."
        return f"{leader} has a mean {measure} of {scores[leader, measure]:.4f}. {why}", ""
    if len(scores.runs) > 2:
        says, *sure = found.opening()
        return says, " ".join(sure)
    other = scores.runs[1] if baseline in (None, leader) else baseline
    duel = found.duels(leader, other)[0]
    return duel.leads(), " ".join(duel.between())


def _tested(scores: Scores, found: Comparison | None, board: Leaderboard | None, command: str) -> Iterator[Block]:
    if found is None:
        return
    if board is None:  # which has it on the first sheet
        yield pictured(scores.plot, "leaderboard")
    yield ReportTable.of(found, "significance", layout="pairs", command=command)
    yield Words.of(*_new(found.notes, scores))


def _topics(scores: Scores) -> Iterator[Block]:
    """Show the topics on which the first two are furthest apart, by the measure that decides."""
    if len(scores.runs) < 2:
        return
    ahead, behind = scores.runs[:2]
    apart = scores.values[0, 0] - scores.values[0, 1]
    order = np.argsort(-direction(scores.measures[0]) * apart, kind="stable")
    some = [*order[:_TOPICS_NAMED], *order[max(_TOPICS_NAMED, len(order) - _TOPICS_NAMED) :]]
    rows = pl.DataFrame(
        {
            "topic": [scores.topics[place] for place in some],
            ahead: scores.values[0, 0][some],
            behind: scores.values[0, 1][some],
            "difference": apart[some],
        }
    )
    if len(scores.runs) > 2 and len(scores.topics) > 1 and _noun(scores) == "run":
        yield pictured(scores.plot, "heatmap")
    says = f"{scores.measures[0]} of {ahead} and {behind} by topic, the largest gain of {ahead} first."
    yield ReportTable("topics", Sheet.of(rows, caption=says), rows)


def _grouped(scores: Scores, groups: TopicGroups, baseline: str | None) -> Iterator[Block]:
    found = scores.by_group(groups)
    yield ReportTable("groups", Sheet.of(found.table(), caption=found.caption()), found.to_polars())
    if len(scores.runs) > 1 and len(scores.topics) > 1:
        tested = compare_groups(scores, groups, baseline=baseline, not_run=ALL_RAN)
        table = ReportTable("groups-significance", Sheet.of(tested.table(), caption=tested.caption()), tested.rows)
        yield Folded(f"Which {_noun(scores)}s differ significantly in which group", (table,))
