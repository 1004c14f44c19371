"""What weights of topics change, and how the runs fare in groups of topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.comparison import GroupComparison, compare_groups, compare_scores
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.speech import Speech
from cranfield.plumbing.wording import counted, named
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reports.facts import Evidence, as_option
from cranfield.reports.section import section
from cranfield.reports.sentence import Said, caveats_of
from cranfield.results.programs import ends
from cranfield.results.result import OneTable
from cranfield.results.sheet import Sheet
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.orientation import direction
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights
from cranfield.statistics.on_paper import side


@section(
    "How do weighted topics and groups of topics change the result?",
    place=lambda evidence: 45 if evidence.several else 12,
    needs=lambda evidence: bool(evidence.weights or evidence.groups),
)  # fmt: skip
def slices(evidence: Evidence) -> Iterator[Block]:
    """Show weighted means and their tests, and means and tests by group; all other sections count topics equally."""
    scores = evidence.as_judged.scores([evidence.measure]).of_runs(evidence.scores.runs)
    weighted = scores.weighted_by(evidence.weights)
    if evidence.weights is not None:
        yield from _weighted(evidence, evidence.weights, scores, weighted)
    if evidence.groups is not None:
        yield from _grouped(evidence, evidence.groups, weighted)


def _weighted(evidence: Evidence, weights: TopicWeights, scores: Scores, weighted: Scores) -> Iterator[Block]:
    """Say whether another run leads, and show the means."""
    by = weighted.sorted_by()
    first, now = _leading(scores), _leading(weighted)
    lead = f"{now} with and without weights." if first == now else f"{now} with weights, {first} without."
    asked = [*evidence.asking(evidence.measure), "--weights", as_option(weights)]
    where = "only in this section" if evidence.gate is None else "here and in the verdict on the first sheet"
    yield Words.of(f"Topics are {weights.described(scores.topics)}, {where}.", *([lead] if len(by.runs) > 1 else []))
    yield ReportTable.of(by, "weighted", command=evidence.command("evaluate", *asked, "--sort"))
    if len(by.runs) > 1 and len(by.topics) > 1:
        found = compare_scores(by, baseline=evidence.baseline)
        command = evidence.command("compare", *asked, *evidence.against, "--sort")
        table = ReportTable.of(found, "weighted-significance", command=command)
        yield Folded("Which weighted means differ significantly", (table,))


def _leading(scores: Scores) -> str:
    """Name the runs that share the lead, or the one that has it."""
    first = np.flatnonzero(scores.places_by(scores.measures[0]) == 1)
    return f"{named([scores.runs[run] for run in first])} {'leads' if len(first) == 1 else 'share the lead'}"


def _grouped(evidence: Evidence, groups: TopicGroups, scores: Scores) -> Iterator[Block]:
    """Name the worst groups, and show means and tests: of two runs the differences first."""
    found = scores.by_group(groups)
    asked = [*evidence.asking(evidence.measure), "--groups", as_option(groups)]
    asked += [] if evidence.weights is None else ["--weights", as_option(evidence.weights)]
    means = _table(found, "groups", evidence.command("evaluate", *asked, "--sort"))
    if len(scores.runs) < 2 or len(scores.topics) < 2:
        yield Words.of(*_sentences(found))
        yield means
        return
    tested = compare_groups(scores, groups, baseline=evidence.base)
    against = [] if evidence.base is None else ["--baseline", evidence.base]
    table = _table(tested, "groups-significance", evidence.command("compare", *asked, *against))
    ahead = (note for note in _sentences(tested) if note.startswith("Ahead"))
    if evidence.contest is not None:
        yield Words.of(*_worst(evidence, tested), *ahead, *_sentences(found, but="worst mean"))
        yield replace(table, sheet=_by_fall(tested.table(), tested.caption(), *evidence.contest))
        yield Folded("Means by group", (means,))
        return
    yield Words.of(*_sentences(found))
    yield means
    significant = int(tested.rows["significant"].sum())
    of = counted(int(tested.rows["p"].is_not_null().sum()), "comparison")
    yield Words.of(f"{significant} of {of} within groups are significant, corrected over all of them.", *ahead)
    yield Folded("Which runs differ significantly in which group", (table,))


def _worst(evidence: Evidence, tested: GroupComparison) -> Iterator[str]:
    """Name the group in which the one of two runs gains least on the other, unless the first sheet does."""
    sign = direction(evidence.measure)
    row = tested.rows.row(int((sign * tested.rows["difference"]).arg_min() or 0), named=True)
    group = f"{row['grouping']} {row['group']}"
    caveat = caveats_of(evidence).get("falls-in-a-group")
    if caveat is not None and caveat.numbers["group"] == group and caveat.numbers["leader"] == row["run_a"]:
        return
    what = "gains least on" if side(sign * row["difference"]) > 0 else "is furthest behind"
    if not side(row["difference"]):
        what = "gains nothing on"
    p = "too few to test" if row["p_adjusted"] is None else Speech().format("{0:p}", row["p_adjusted"])
    yield Said.of(
        "{new} {what} {base} in {group}: {difference:+z.4f}{interval} in {measure} {scope.alike} "
        "({topics:topic|topics}; {p}).",
        scope=evidence.scope.on_others(), measure=evidence.named, new=row["run_a"], what=what, base=row["run_b"],
        group=group, difference=row["difference"], interval=ends(row["low"], row["high"]), topics=row["topics"], p=p,
    ).words  # fmt: skip


def _by_fall(table: pl.DataFrame, caption: str, base: str, new: str) -> Sheet:
    """Show the differences of two runs by group, the lowest first."""
    one = table["grouping"].n_unique() == 1
    shown = table.drop("measure", "run_a", "run_b", "p", *["grouping"] * one)
    names = {"mean_a": new, "mean_b": base, "p_adjusted": "p, corrected"}
    shown = shown.rename(names | ({"group": str(table["grouping"][0])} if one else {}))
    return Sheet.of(shown.sort("difference", maintain_order=True), caption=f"{new} minus {base}. {caption}")


def _sentences(found: OneTable, *, but: str = " ") -> Iterator[str]:
    for note in found.notes:
        if not note.startswith(but):
            yield f"{note[:1].upper()}{note[1:]}."


def _table(found: OneTable, name: str, command: str) -> ReportTable:
    return ReportTable(name, Sheet.of(found.table(), caption=found.caption()), found.to_polars(), command)
