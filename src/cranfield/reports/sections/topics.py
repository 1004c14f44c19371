"""On which topics the runs differ, and how a single run fares on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cranfield.measures.framework.names import parse_measures
from cranfield.pairs.why import why
from cranfield.plots.appendix_sheets import LEVELS
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.reports.elements import Block, Folded, ReportTable, Words, pictured
from cranfield.reports.facts import Evidence
from cranfield.reports.section import plotted, section, two_runs
from cranfield.reports.sections.worst_topics import losses
from cranfield.results.sheet import ROWS_SHOWN, Sheet, SheetColumn
from cranfield.scoring.orientation import best_named, oriented
from cranfield.scoring.scores import Scores
from cranfield.statistics.on_paper import largest, side

_OPEN_TOPICS = 12  # Of more topics than these the table is closed


@section("On which topics do the runs differ?", place=lambda evidence: 40 if evidence.several else 10, needs=two_runs)
def topics(evidence: Evidence) -> Iterator[Block]:
    """Show all runs on all topics, two runs topic by topic, and what each topic is like."""
    scores = evidence.as_judged.scores([evidence.measure]).of_runs(evidence.scores.runs)
    scores = scores.of_topics(evidence.population.counting(scores.topics))
    two = _two(evidence)
    shown = _by_topic(evidence, scores)
    if len(scores.topics) > 1:
        yield Words.of(*_said(evidence, scores, shown))
    if evidence.several and len(scores.topics) > 1:
        yield plotted(evidence, scores.plot, "heatmap", *evidence.asking(evidence.measure))
    yield pictured(scores.of_runs(two).plot, "differences")
    reasons = () if losses(evidence) else tuple(_why(evidence, *two))  # which say why in a section of their own
    if evidence.several and reasons:
        yield Folded("Why, on the topic where these two differ most", reasons)
    else:
        yield from reasons
    command = evidence.command("evaluate", *evidence.asking(*evidence.measures), "--per-topic", "--sort")
    rows = evidence.scores.to_polars(per_topic=True)
    if evidence.several:
        says = f"{evidence.named} by topic, the lowest mean first. The file has every run and measure."
        sheet = Sheet.of(shown, caption=says)
    else:
        says = f"{evidence.named} by topic, the largest difference first. The file has the other measures, too."
        sheet = _of_two(scores.of_runs(two), says, dict(shown.select("topic", "relevant").iter_rows()))
    table = ReportTable("by-topic", sheet.first(ROWS_SHOWN), rows, command)
    yield Folded("Topic by topic", (table,)) if shown.height > _OPEN_TOPICS else table


def _why(evidence: Evidence, one: str, other: str) -> Iterator[Block]:
    """Show what makes the one list better than the other on the topic where two runs differ most."""
    found = why(evidence.runs, one, other, evidence.measure)
    if found.better is not None and side(found.documents["contribution"].to_numpy()).any():
        options = ["--topic", found.topic, *evidence.asking(evidence.measure)]
        command = evidence.command_of("why", one, other, options=options)
        alone = len(evidence.standing.panel.topics) == 1  # then the headline says it
        yield Words.of(*([] if alone else [f"{found.says()}."]), found.advice())
        yield pictured(found.plot, "why", command=f"{command} --plot why.html")
        yield Folded("Document by document", (ReportTable.of(found, "why", command=command),))


def _two(evidence: Evidence) -> tuple[str, ...]:
    """Name the two runs looked at: new and base; or the best two, or the baseline and the best of the others."""
    if evidence.contest is not None:
        return evidence.contest[::-1]
    runs = evidence.scores.runs
    if evidence.baseline is None:
        return runs[:2]
    return next((run, evidence.baseline) for run in runs if run != evidence.baseline)


def _of_two(scores: Scores, says: str, relevant: Mapping[str, int]) -> Sheet:
    """Set two runs side by side on each topic, the largest difference first."""
    one, other = scores.values[0]
    order = np.argsort(-np.abs(one - other), kind="stable")
    names = [scores.topics[topic] for topic in order]
    values = zip((*scores.runs, "difference"), (one, other, one - other), strict=True)
    columns = (
        SheetColumn("topic", names),
        SheetColumn("relevant", [relevant[name] for name in names], numeric=True),
        *(SheetColumn(name, row[order].tolist(), numeric=True) for name, row in values),
    )
    return Sheet(columns, caption=says)


def _by_topic(evidence: Evidence, scores: Scores) -> pl.DataFrame:
    """Describe each topic: how many documents are relevant, and how the runs fare."""
    values = scores.values[0]
    recall_base = evidence.runs.judgments.recall_base(evidence.runs.grading.rel)
    relevant = dict(zip(evidence.runs.topics, recall_base.tolist(), strict=True))
    return pl.DataFrame(
        {
            "topic": scores.topics,
            "relevant": [int(relevant[topic]) for topic in scores.topics],
            "lowest": values.min(axis=0),
            "mean": values.mean(axis=0),
            "highest": values.max(axis=0),
            "best run": best_named(scores.runs, oriented(scores.measures[0], values)),
        }
    ).sort("mean", maintain_order=True)


def _said(evidence: Evidence, scores: Scores, shown: pl.DataFrame) -> Iterator[str]:
    mean = shown["mean"].to_numpy()
    better = oriented(scores.measures[0], mean)
    easiest, hardest = largest(better), largest(-better)
    if len(easiest) == len(mean):
        yield f"All topics have the same mean {evidence.named} over the runs, {mean[0]:.2f}."
    else:
        easy, hard = (_on(shown["topic"].gather(places).to_list()) for places in (easiest, hardest))
        yield (
            f"In {evidence.named} the runs do best on {easy}, with a mean of {mean[easiest[0]]:.2f}, and worst on "
            f"{hard}, with {mean[hardest[0]]:.2f}."
        )
    yield from _widest(scores)
    if evidence.several and side(np.ptp(scores.values[0], axis=0).max()):
        yield _ahead(scores)


def _on(topics: list[str]) -> str:
    return f"{'topic' if len(topics) == 1 else 'topics'} {named(topics)}"


def _widest(scores: Scores) -> Iterator[str]:
    """Say on which topics the runs differ most, if they differ."""
    lowest, highest = scores.values[0].min(axis=0), scores.values[0].max(axis=0)
    first, *others = largest(highest - lowest)
    if not side(highest[first] - lowest[first]):
        yield "The runs have equal scores on every topic."
    elif others:
        topics = _on([scores.topics[place] for place in (first, *others)])
        yield f"The runs differ most on {topics}, by {highest[first] - lowest[first]:.2f} on each."
    else:
        yield f"The runs differ most on topic {scores.topics[first]}, from {lowest[first]:.2f} to {highest[first]:.2f}."


def _ahead(scores: Scores) -> str:
    """Say on how many topics the best run (the first that shares the best average) is ahead of all, or ties."""
    values, average = (oriented(scores.measures[0], each) for each in (scores.values[0], scores.averages[0]))
    lead = side(values[0] - values[1:].max(axis=0))
    shares = ", one of the best on average," if len(largest(average)) > 1 else ""
    ahead, level = int((lead > 0).sum()), int((lead == 0).sum())
    of = f"of {counted(len(scores.topics), 'topic')}"
    return f"{scores.runs[0]}{shares} beats all others on {ahead:,} {of} and ties with the best of them on {level:,}."


@section("How does the run fare on each topic?", place=10, needs=lambda evidence: evidence.alone)
def profile(evidence: Evidence) -> Iterator[Block]:
    """Show the profile of a single run: its topics, the worst first."""
    scores = evidence.scores
    worst_first = np.argsort(oriented(scores.measures[0], scores.values[0, 0]), kind="stable")
    topics = [scores.topics[place] for place in worst_first]
    yield Words.of(*_of_one_run(evidence, topics))
    if len(topics) > 1:
        shown = (*parse_measures(LEVELS), evidence.measure)
        yield plotted(evidence, evidence.as_judged.scores(shown).plot, "recall-precision", *evidence.asking(*shown))
    relevant = evidence.runs.judgments.recall_base(evidence.runs.grading.rel).astype(np.int64)
    columns = [("relevant", relevant), ("retrieved", evidence.as_judged.of_run(0).length.ravel())]
    columns += [(str(measure), scores.values[place, 0]) for place, measure in enumerate(scores.measures)]
    sheet = Sheet(
        (
            SheetColumn("topic", topics),
            *(SheetColumn(name, values[worst_first].tolist(), numeric=True) for name, values in columns),
        ),
        caption=f"Topics by {evidence.named}, the worst first.",
    )
    command = evidence.command("evaluate", *evidence.asking(*evidence.measures), "--per-topic", "--sort")
    yield ReportTable("by-topic", sheet.first(ROWS_SHOWN), scores.to_polars(per_topic=True), command)


def _of_one_run(evidence: Evidence, topics: list[str]) -> Iterator[str]:
    scores = evidence.scores
    values = scores.values[0, 0]
    if len(topics) == 1:
        return
    quartiles = np.quantile(values, (0.25, 0.5, 0.75))
    yield (
        f"The median {evidence.named} of a topic is {quartiles[1]:.4f}; half of the topics lie between "
        f"{quartiles[0]:.4f} and {quartiles[2]:.4f}."
        if side(np.ptp(values))
        else f"All topics have the same {evidence.named}."
    )
