"""What the runs and the judgments lack, or have twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cranfield.judged.audit import UNJUDGED_AT
from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.options import Missing
from cranfield.plumbing.scope import HERE
from cranfield.plumbing.wording import best_by, counted
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.scoring.orientation import direction, flattering
from cranfield.statistics.on_paper import largest, side

_MISSING: Final[dict[Missing, str]] = {"zero": "0", "empty": "as empty lists"}


@sentence(place=11, caveat=Caveat("not run", lambda evidence, _: 0.0 if evidence.gate is not None else 1.0))
def did_not_run(evidence: Evidence) -> Said | None:
    """A run lacks half of the topics that some run has, or more: it did not run, and is left out."""
    if evidence.whole is None:
        return None
    topics = len(evidence.whole.runs.topics)
    (first, lacking), *others = evidence.not_run
    return Said.of(
        "{count} runs did not run and are left out: {each:all}."
        if others
        else "{run} did not run and is left out: it has no line for {missing} of {topics:topic|topics}.",
        run=first, missing=lacking, topics=topics, count=len(evidence.not_run),
        each=[f"{run} (no line for {many:,} of {counted(topics, 'topic')})" for run, many in evidence.not_run],
    )  # fmt: skip


@sentence(
    "evaluated",
    place=30,
    caveat=Caveat("topics", lambda _, numbers: min(1.0, 0.4 + numbers["missing"] / numbers["topics"])),
)
def missing_topics(evidence: Evidence) -> Said | None:
    """A run lacks topics of the qrels."""
    audits = [audit for audit in evidence.runs.audit.runs if audit.missing]
    if not audits:
        return None
    lacking = [len(audit.missing) for audit in audits]
    worst = [audits[place].run for place in largest(lacking)]
    reading = evidence.runs.reading
    flatter = best_by(flattering(evidence.measures)) if reading.missing == "zero" else ""
    counts = (
        "are left out for all runs" if reading.topics == "shared" else f"count {_MISSING[reading.missing]}{flatter}"
    )
    return Said.of(
        f"{{worst}} lacks {{missing}} of {{topics:topic|topics}}, which {counts}."
        if len(audits) == 1
        else f"{{runs}} runs each lack {{missing}} of {{topics:topic|topics}}, which {counts}."
        if len(worst) == len(audits)
        else f"{{runs}} runs lack topics, which {counts}; {{worst}} {'lacks' if len(worst) == 1 else 'lack'} most, "
        "{missing} of {topics}.",
        runs=len(audits), worst=worst, missing=max(lacking), topics=evidence.population.asked,
    )  # fmt: skip


@sentence("evaluated", place=32, caveat=Caveat("ties", lambda evidence, numbers: _weight(evidence, numbers, 0.9)))
def ties_decide(evidence: Evidence) -> Said | None:
    """Two runs change places when documents with equal scores are put in another order.

    By the measure that decides; of the orders of ties, the best and the worst for a run are looked at.
    """
    standing = evidence.standing
    pairs, ends = standing.turned_by_ties, standing.ends_of_ties
    if not pairs or ends is None:
        return None
    widest = max(pairs[0], key=lambda run: float(ends[run, 1] - ends[run, 0]))
    low, high = sorted((standing.panel.direction[0] * ends[widest] + 0.0).tolist())  # not -0.0
    return Said.of(
        (
            "Tie-breaking decides which of {first} and {second} is ahead"
            if len(pairs) == 1
            else "Tie-breaking decides {pairs} pairs of runs, such as {first} and {second}"
        )
        + "; it alone moves the {measure} of {widest} from {low} to {high}.",
        scope=evidence.scope, pairs=len(pairs), first=standing.names[pairs[0][0]], second=standing.names[pairs[0][1]],
        widest=standing.names[widest], measure=standing.named, low=low, high=high,
    )  # fmt: skip


@sentence("evaluated", place=35, caveat=Caveat("runs", lambda evidence, numbers: _weight(evidence, numbers, 0.5)))
def same_rankings(evidence: Evidence) -> Said | None:
    """Two runs have the same documents at the same ranks on all topics of the qrels."""
    noted = evidence.runs.with_retrieved
    runs: dict[bytes, list[str]] = {}
    for number, name in enumerate(noted.runs):
        runs.setdefault(_digest(noted.of_run(number)), []).append(name)
    groups = [names for names in runs.values() if len(names) > 1]
    if not groups:
        return None
    first, second, *_ = groups[0]
    return Said.of(
        "{first} and {second} have the same rankings on every topic of the qrels ({every})."
        if len(groups) == 1 and len(groups[0]) == 2
        else "{runs} runs have the rankings of another run on every topic of the qrels ({every}), such as {first} and "
        "{second}.",
        every=len(noted.topics), runs=sum(map(len, groups)), first=first, second=second, groups=groups,
    )  # fmt: skip


def _weight(evidence: Evidence, numbers: Mapping[str, Any], of_the_lead: float) -> float:
    """Weigh what concerns the run that leads, or else the share of all runs that it concerns."""
    concerned = {name for group in numbers.get("groups", [[numbers["first"], numbers["second"]]]) for name in group}
    if evidence.standing.names[evidence.standing.leaders[0]] in concerned:
        return of_the_lead
    many = numbers["runs"] if "runs" in numbers else numbers["pairs"]
    return 0.22 + 0.2 * min(1.0, float(many) / len(evidence.standing.names))


def _digest(run: JudgedRankings) -> bytes:
    """Return a digest of a run in whose judgments everything retrieved is noted."""
    digest = hashlib.sha256()
    order = np.lexsort((run.rank, run.row))
    for array in (run.present, run.length, run.row[order], run.rank[order], run.judgment[order]):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


_SMALL_SHARE = 0.01  # A smaller share of unjudged documents is not worth a sentence
_TOP = UNJUDGED_AT[0]


@sentence(
    "unjudged",
    place=25,
    caveat=Caveat("judgments", lambda evidence, numbers: _weight_of_holes(evidence, numbers["most"])),
)
def holes(evidence: Evidence) -> Said | None:
    """Of the documents in the top 10, 1% or more were never judged, over all runs or in one of them."""
    share = evidence.runs.audit.unjudged[:, 0]
    if share.max() < _SMALL_SHARE:
        return None
    worst = [evidence.runs.audit.runs[run].run for run in largest(share)]
    said = "{share:%} of the top {top} are unjudged"
    return Said.of(
        f"{said}." if len(worst) == len(share) else f"{said}; most in {{worst}}, {{most:%}}.",
        share=float(share.mean()), top=_TOP, worst=worst, most=float(share.max()),
    )  # fmt: skip


@sentence("unjudged", place=80)
def all_judged(evidence: Evidence) -> Said | None:
    """Every document in the top 10 of every run was judged."""
    if evidence.runs.judgments.complete or evidence.runs.audit.unjudged[:, 0].any():
        return None
    if not evidence.standing.open:
        return Said.of("Every document of every run is judged.", top=_TOP)
    return Said.of("Every document in the top {top} of every run is judged.", top=_TOP)


@sentence("evaluated", place=25)
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


@sentence(
    "silence", place=45, caveat=Caveat("topics", lambda evidence, numbers: _of_topics(evidence, 0.2, numbers["count"])),
)  # fmt: skip
def nothing_relevant(evidence: Evidence) -> Said | None:
    """Some topics have no relevant document at the level asked for; do the runs differ there?"""
    standing, without = evidence.standing, set(evidence.without_relevant)
    topics = [topic for topic in standing.panel.topics if topic in without]
    if not topics:
        return None
    spread = np.ptp(standing.values, axis=0)[[topic in without for topic in standing.panel.topics]]
    widest = [topics[place] for place in largest(spread)]
    differ = side(spread.max()) > 0
    if len(topics) == len(standing.panel.topics) and not differ:
        return Said.of("None of {count:topic|topics} has a relevant document.", count=len(topics), topics=topics)
    return Said.of(
        "{count:topic has|topics have} no relevant document ({topics})"
        + (
            "."
            if len(standing.names) == 1
            else "; the runs still differ there in {measure}."
            if differ and len(widest) == len(topics)
            else "; the runs still differ there in {measure}, most on {widest}."
            if differ
            else "; all runs are equal there in {measure}."
        ),
        scope=evidence.scope if len(standing.names) > 1 else HERE, count=len(topics), topics=topics,
        measure=standing.named, widest=widest if differ else None,
    )  # fmt: skip


@sentence(
    "topics",
    "profile",
    place=65,
    caveat=Caveat("topics", lambda evidence, numbers: _of_topics(evidence, 0.0, numbers["count"])),
)
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
        ("{run} scores" if len(standing.names) == 1 else "All runs score")
        + " 0 in {measure} on {count:topic|topics} with relevant documents ({topics}).",
        scope=evidence.scope, run=standing.names[0], count=len(topics), topics=topics, measure=standing.named,
    )  # fmt: skip


def _weight_of_holes(evidence: Evidence, most: float) -> float:
    """Weigh unjudged documents: little where they cannot change who leads."""
    margins = evidence.standing.margins
    return 0.1 if margins is not None and margins.safe else min(0.65, 2 * most)


def _of_topics(evidence: Evidence, least: float, topics: int) -> float:
    """Weigh what is so on some of the topics."""
    return least + 0.6 * topics / len(evidence.standing.panel.topics)
