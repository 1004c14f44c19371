"""Whether the order of the runs depends on the measure that was chosen."""

from __future__ import annotations

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.pairs.dominance import TopCounts, strictly
from cranfield.plumbing.scope import Scope, Sums
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.scoring.orientation import best_first
from cranfield.statistics.on_paper import side
from cranfield.statistics.rank_correlation import ALIKE, kendall_tau


@sentence(
    "choice-of-measure",
    place=38,
    caveat=Caveat("measure", lambda _, numbers: 0.5 + 0.3 * numbers["count"] / numbers["of"]),
)
def another_leader(evidence: Evidence) -> Said | None:
    """One run leads by the measure that decides, and by another measure a run is better than that."""
    leading = _leading(evidence)
    others = {measure: best for measure, (ahead, best) in leading.items() if ahead}
    if not others:
        return None
    measure, other = next(iter(others.items()))
    return Said.of(
        (
            "{leader} leads in {decides}, {other} in {measure}."
            if len(leading) == 1
            else "{leader} leads in {decides}, but in none of the other {of} measures: {other} leads in {measure}."
            if len(others) == len(leading)
            else "{leader} leads in {decides}, but not in {count} of the other {of} measures: {other} leads in "
            "{measure}."
        ),
        scope=evidence.scope, leader=evidence.standing.names[evidence.standing.leaders[0]], decides=evidence.named,
        count=len(others), of=len(leading), other=other, measure=measure,
    )  # fmt: skip


@sentence("choice-of-measure", place=50)
def same_leader(evidence: Evidence) -> Said | None:
    """There are several measures, and by none of the others a run is better than the one that leads."""
    leading = _leading(evidence)
    if evidence.standing.leader is None or not leading or any(ahead for ahead, _ in leading.values()):
        return None
    return Said.of(
        "{leader} leads in {decides}, and no run is ahead of it in "
        + ("{measure}." if len(leading) == 1 else "any of the other {of} measures."),
        scope=evidence.scope, decides=evidence.named, leader=evidence.standing.names[evidence.standing.leader],
        of=len(leading), measure=next(iter(leading)), measures=list(leading),
    )  # fmt: skip


@sentence(
    "choice-of-measure", place=48, caveat=Caveat("measure", lambda _, numbers: min(0.45, 1 - (numbers["tau"] or 0.7)))
)
def another_order(evidence: Evidence) -> Said | None:
    """Between the orders of three runs or more by the first two measures, Kendall's τ_b is below 0.9."""
    measures = evidence.of_quality[:2]
    if len(measures) < 2 or len(evidence.runs.runs) < 3:
        return None
    panel = evidence.as_judged.panel(measures)
    x, y = panel.averages
    tau = float(kendall_tau(x, y))
    i, j = np.triu_indices(len(x), 1)
    first, second = side(x[i] - x[j]), side(y[i] - y[j])
    turned, levelled = first * second < 0, first != second
    if tau >= ALIKE or not levelled.any():
        return None
    defined = bool(first.any() and second.any())  # a measure by which all runs are equal has no order to correlate
    return Said.of(
        "{first} and {second} disagree on the order of {turned} of {pairs:pair|pairs} of runs (Kendall's τ_b "
        "{tau:.2f})."
        if turned.any()
        else "{first} and {second} reverse none of {pairs:pair|pairs} of runs, but one of them ties {levelled}"
        + (" (Kendall's τ_b {tau:.2f})." if defined else "."),
        scope=Scope(panel.measures), levelled=int(levelled.sum()), first=panel.measures[0], second=panel.measures[1],
        tau=tau if defined else None, turned=int(turned.sum()), pairs=len(i),
    )  # fmt: skip


@sentence("dominance", place=55)
def dominated(evidence: Evidence) -> Said | None:
    """There are two runs or more, and something is relevant. Runs that are equal throughout have no order."""
    runs = evidence.as_judged
    relevant = is_relevant(runs.judgments.grade, runs.grading.rel)
    if len(runs.runs) < 2 or not relevant.any() or not evidence.standing.panel.topics:
        return None
    counts = TopCounts.of(runs, evidence.dominance_depth)
    pairs = len(runs.runs) * (len(runs.runs) - 1) // 2
    better = strictly(counts.at_least)
    settled, of_two = int(better.sum()), np.argwhere(better).flat if pairs == 1 else ()
    equal = int(np.triu(counts.at_least & counts.at_least.T, 1).sum())
    return Said.of(
        (
            "In {settled} of {pairs} pairs of runs, one run is at least as good as the other {scope.by_all}"
            + ("; {equal:more pair is|more pairs are} equal by all of these." if equal else ".")
            if pairs > 1
            else "The two runs are equal {scope.by_all}."
            if equal
            else "{first} is at least as good as {other} {scope.by_all}."
            if settled
            else "Neither run is at least as good as the other {scope.by_all}."
        ),
        scope=Scope(Sums(evidence.dominance_depth)), settled=settled, equal=equal, pairs=pairs,
        share=settled / pairs, depth=evidence.dominance_depth,
        **{name: runs.runs[at] for name, at in zip(("first", "other"), of_two, strict=False)},
    )  # fmt: skip


def _leading(evidence: Evidence) -> dict[str, tuple[bool, str]]:
    """Say by each other measure of quality whether a run is ahead of the leader, and which is the best."""
    measures = [measure for measure in evidence.of_quality if measure != evidence.measure]
    if not measures or evidence.standing.leader is None:
        return {}
    panel = evidence.as_judged.panel(measures)
    means = panel.direction[:, np.newaxis] * panel.means
    first = [best_first(of)[0] for of in means]
    return {
        measure: (bool(side(of[best] - of[evidence.standing.leader]) > 0), panel.runs[best])
        for measure, of, best in zip(panel.measures, means, first, strict=True)
    }
