"""What the judgments lack."""

from __future__ import annotations

import numpy as np

from cranfield.judged.audit import UNJUDGED_AT
from cranfield.plumbing.scope import HERE
from cranfield.reports.evidence import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.scoring.orientation import direction
from cranfield.statistics.on_paper import largest, side

FEW = 0.01
"""A smaller share of unjudged documents is not worth a sentence."""
TOP = UNJUDGED_AT[0]


@sentence(place=25, caveat=Caveat("judgments", lambda evidence, numbers: _weight_of_holes(evidence, numbers["most"])))
def holes(evidence: Evidence) -> Said | None:
    """Of the documents in the top 10, 1 % or more were never judged, over all runs or in one of them."""
    share = evidence.runs.audit.unjudged[:, 0]
    if share.max() < FEW:
        return None
    worst = [evidence.runs.audit.runs[run].run for run in largest(share)]
    said = "{share:%} of the documents in the top {top} were never judged"
    return Said.of(
        f"{said}."
        if len(worst) == len(share)
        else f"{said}; {{worst}} {'has' if len(worst) == 1 else 'have'} the most, {{most:%}}.",
        share=float(share.mean()),
        top=TOP,
        worst=worst,
        most=float(share.max()),
    )


@sentence(place=80)
def all_judged(evidence: Evidence) -> Said | None:
    """Every document in the top 10 of every run was judged."""
    if evidence.runs.judgments.complete or evidence.runs.audit.unjudged[:, 0].any():
        return None
    return Said.of("Every document in the top {top} of every run was judged.", top=TOP)


@sentence(place=25)
def complete(evidence: Evidence) -> Said | None:
    """A document without a judgment counts as not relevant."""
    judgments = evidence.runs.judgments
    if not judgments.complete:
        return None
    if judgments.names_relevant_only:
        words = "{judgments:judgment names|judgments name} relevant documents only, so every other document counts as "
        return Said.of(words + "not relevant.", judgments=len(judgments.given))
    words = "Every document without one of the {judgments:judgment|judgments} counts as not relevant, as was asked."
    return Said.of(words, judgments=len(judgments.given))


@sentence(place=45, caveat=Caveat("topics", lambda evidence, numbers: _of_topics(evidence, 0.2, numbers["count"])))
def nothing_relevant(evidence: Evidence) -> Said | None:
    """Some topics have no relevant document at the level asked for; do the runs differ there?"""
    standing, without = evidence.standing, set(evidence.without_relevant)
    topics = [topic for topic in standing.panel.topics if topic in without]
    if not topics:
        return None
    spread = np.ptp(standing.values, axis=0)[[topic in without for topic in standing.panel.topics]]
    widest = [topics[place] for place in largest(spread)]
    differ = side(spread.max()) > 0
    return Said.of(
        "{count:topic has|topics have} no relevant document ({topics}): "
        + (
            "there is one run."
            if len(standing.names) == 1
            else "by {measure} the runs differ there nevertheless."
            if differ and len(widest) == len(topics)
            else "by {measure} the runs differ there nevertheless, most on {widest}."
            if differ
            else "by {measure} all runs are equal there."
        ),
        scope=evidence.scope if len(standing.names) > 1 else HERE,
        count=len(topics),
        topics=topics,
        measure=standing.named,
        widest=widest if differ else None,
    )


@sentence(place=65, caveat=Caveat("topics", lambda evidence, numbers: _of_topics(evidence, 0.0, numbers["count"])))
def nothing_gained(evidence: Evidence) -> Said | None:
    """There are topics with relevant documents on which every run has 0, by a measure that is better the higher."""
    standing = evidence.standing
    if direction(evidence.measure) < 0 or standing.panel.logarithmic[0] or evidence.measure.range[0] != 0:
        return None
    without = set(evidence.without_relevant)
    topics = [t for t, no in zip(standing.panel.topics, standing.nothing, strict=True) if no and t not in without]
    if not topics:
        return None
    return Said.of(
        "On {count:topic|topics} ({topics}) every run has 0 by {measure}, though there is something to be found.",
        scope=evidence.scope,
        count=len(topics),
        topics=topics,
        measure=standing.named,
    )


def _weight_of_holes(evidence: Evidence, most: float) -> float:
    """Weigh unjudged documents: little where they cannot change who leads."""
    margins = evidence.standing.margins
    return 0.1 if margins is not None and margins.safe else min(0.65, 2 * most)


def _of_topics(evidence: Evidence, least: float, topics: int) -> float:
    """Weigh what is so on some of the topics."""
    return least + 0.6 * topics / len(evidence.standing.panel.topics)
