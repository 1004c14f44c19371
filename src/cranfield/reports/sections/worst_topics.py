"""On which topics a run that could replace another loses most, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from cranfield.formats.documents import first_words
from cranfield.pairs.why import Why, why
from cranfield.reports.elements import Block, Folded, ReportTable, Words, pictured
from cranfield.reports.facts import Evidence
from cranfield.reports.section import section
from cranfield.results.sheet import SheetColumn
from cranfield.scoring.orientation import oriented
from cranfield.statistics.on_paper import levelled, side

_TOPICS_SHOWN: Final = 5  # On this many topics people look at what became worse


_WORDS: Final = 30  # Up to this many words of a question are shown


@section("Where does the new run lose most?", place=11, needs=lambda evidence: evidence.contest is not None)
def worst_topics(evidence: Evidence) -> Iterator[Block]:
    """Show the topics on which one of two runs is furthest behind the other, with their texts, and why."""
    worst = losses(evidence)
    if evidence.contest is None or not worst:
        return
    base, new = evidence.contest
    shown = worst[:_TOPICS_SHOWN]
    which = "is behind" if len(worst) == len(shown) else "is furthest behind"
    yield Words.of(f"{new} {which} {base} in {evidence.named} on {'these topics' if len(shown) > 1 else 'this topic'}:")
    found = [why(evidence.runs, base, new, evidence.measure, topic=topic) for topic in shown]
    yield Words(tuple(_said(evidence, each) for each in found), listed=True)
    commands = [
        evidence.command_of("why", base, new, options=["--topic", each.topic, *evidence.asking(evidence.measure)])
        for each in found
    ]
    yield pictured(found[0].plot, "why", command=f"{commands[0]} --plot why.html")
    yield Folded(
        "Document by document",
        tuple(
            _documents(evidence, each, f"why-{place}" if place else "why", command)
            for place, (each, command) in enumerate(zip(found, commands, strict=True))
        ),
    )


def _documents(evidence: Evidence, found: Why, name: str, command: str) -> ReportTable:
    """Show what each document adds to both lists, and how it begins where that is known."""
    table = ReportTable.of(found, name, command=command)
    sheet = table.sheet._replace(caption=f"Topic {found.topic}: what each document adds to both lists.")
    if evidence.documents is not None:
        texts = [evidence.documents.get(str(document)) for document in sheet.columns[0].cells]
        begins = SheetColumn("begins", ["" if text is None else text.beginning() for text in texts])
        sheet = sheet._replace(columns=(*sheet.columns, begins))
    return replace(table, sheet=sheet)


def losses(evidence: Evidence) -> list[str]:
    """Name the topics on which the one of two runs is behind the other, the worst first."""
    if evidence.contest is None:
        return []
    scores = evidence.as_judged.scores([evidence.measure]).of_runs(evidence.contest)
    scores = scores.of_topics(evidence.population.counting(scores.topics))
    base, new = oriented(scores.measures[0], scores.values[0])
    order = np.argsort(levelled(new - base), kind="stable")
    return [scores.topics[place] for place in order if side(new[place] - base[place]) < 0]


def _said(evidence: Evidence, found: Why) -> str:
    """Say what was asked, and what makes the difference."""
    asked = evidence.questions.get(found.topic, found.topic)
    words, more = first_words(asked, _WORDS)  # a question may be a whole post
    question = f"“{words}{' …' * more}” " * (asked != found.topic)
    return f"{question}{found.says()}. {found.advice()}".rstrip()
