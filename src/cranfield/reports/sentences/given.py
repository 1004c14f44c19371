"""What the runs lack, or have twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.options import Missing
from cranfield.reports.evidence import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.statistics.on_paper import largest

_MISSING: Final[dict[Missing, str]] = {"zero": "0", "empty": "as empty lists"}


@sentence(place=30, caveat=Caveat("topics", lambda _, numbers: min(1.0, 0.4 + numbers["missing"] / numbers["topics"])))
def missing_topics(evidence: Evidence) -> Said | None:
    """A run lacks topics of the qrels."""
    audits = [audit for audit in evidence.runs.audit.runs if audit.missing]
    if not audits:
        return None
    lacking = [len(audit.missing) for audit in audits]
    worst = [audits[place].run for place in largest(lacking)]
    reading = evidence.runs.reading
    counts = "these are left out for all" if reading.topics == "shared" else f"these count {_MISSING[reading.missing]}"
    return Said.of(
        (
            "{worst} lacks {missing} of {topics:topic|topics}; "
            if len(audits) == 1
            else "{runs} runs lack {missing} of {topics:topic|topics} each; "
            if len(worst) == len(audits)
            else "{runs} runs lack topics, {worst} most, {missing} of {topics}; "
        )
        + counts
        + ".",
        runs=len(audits),
        worst=worst,
        missing=max(lacking),
        topics=evidence.population.asked,
    )


@sentence(place=32, caveat=Caveat("ties", lambda evidence, numbers: _weight(evidence, numbers, 0.9)))
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
            "The order of documents with equal scores decides which of {first} and {second} is ahead: "
            if len(pairs) == 1
            else "In {pairs} pairs of runs, such as {first} and {second}, the order of documents with equal scores "
            "decides which is ahead: "
        )
        + "by that alone, {widest} has {measure} from {low} to {high}.",
        scope=evidence.scope,
        pairs=len(pairs),
        first=standing.names[pairs[0][0]],
        second=standing.names[pairs[0][1]],
        widest=standing.names[widest],
        measure=standing.named,
        low=low,
        high=high,
    )


@sentence(place=35, caveat=Caveat("runs", lambda evidence, numbers: _weight(evidence, numbers, 0.5)))
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
        "{first} and {second} rank the same documents alike on every topic of the qrels ({every})."
        if len(groups) == 1 and len(groups[0]) == 2
        else "{runs} runs are the same as another on every topic of the qrels ({every}): {first} and {second}, for "
        "example, rank the same documents alike.",
        every=len(noted.topics),
        runs=sum(map(len, groups)),
        first=first,
        second=second,
        groups=groups,
    )


def _weight(evidence: Evidence, numbers: Mapping[str, Any], of_the_lead: float) -> float:
    """Weigh what concerns the run that leads, or else the share of all runs that it concerns."""
    concerned = {name for group in numbers.get("groups", [[numbers["first"], numbers["second"]]]) for name in group}
    if evidence.standing.names[evidence.standing.leaders[0]] in concerned:
        return of_the_lead
    many = numbers["runs"] if "runs" in numbers else numbers["pairs"]
    return 0.22 + 0.2 * min(1.0, float(many) / len(evidence.standing.names))


def _digest(run: JudgedRankings) -> bytes:
    """Return a digest of a run in whose judgments all that was retrieved is noted."""
    digest = hashlib.sha256()
    order = np.lexsort((run.rank, run.row))
    for array in (run.present, run.length, run.row[order], run.rank[order], run.judgment[order]):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
