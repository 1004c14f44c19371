"""What a gain costs, and where lists should have ended."""

from __future__ import annotations

import numpy as np

from cranfield.measures.framework.misplacement import LENGTH
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.scope import Scope
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.scoring.blocks import at_level
from cranfield.scoring.orientation import direction
from cranfield.stopping.optimal import optimal_lengths

_EFFORT = "Twist@100"  # What tells avoidable effort, where none of the measures is of its kind
_ALIKE = 0.05  # Gains that differ by less than this share count as equal (Spärck Jones 1974: not noticeable)
_APART = 0.1  # Efforts that differ by more than this are far apart
_END = "SetF"  # What tells where a list should have ended


@sentence("effort", place=70, caveat=Caveat("effort", lambda *_: 0.3))
def effort(evidence: Evidence) -> Said | None:
    """A run has at most 5% less than the best one by a measure of gain, and its Twist differs by more than 0.1."""
    standing = evidence.standing
    leader = standing.leaders[0]
    if len(standing.names) < 2 or direction(evidence.measure) < 0 or standing.mean[leader] <= 0:
        return None
    measure = next((each for each in evidence.measures if str(each).startswith("Twist")), _EFFORT)
    if measure == evidence.measure or standing.panel.logarithmic[0]:
        return None
    panel = evidence.as_judged.panel([measure])
    ease = panel.averages[0]
    alike = standing.mean > (1 - _ALIKE) * standing.mean[leader]
    apart = np.where(alike, ease - ease[leader], 0.0)
    other = int(np.abs(apart).argmax())
    if abs(apart[other]) <= _APART:
        return None
    return Said.of(
        "{other} gains about as much as {leader} ({measure} {gain} against {gain_of_leader}), with much "
        + ("less" if apart[other] > 0 else "more")
        + " avoidable effort ({effort} {ease} against {ease_of_leader}, where 1 is none; {scope.length}).",
        scope=evidence.scope.padded(parse_measures([measure])[0].cutoff or LENGTH), other=standing.names[other],
        leader=standing.names[leader], measure=standing.named, gain=standing.shown[other],
        gain_of_leader=standing.shown[leader], effort=panel.measures[0], ease=float(ease[other]),
        ease_of_leader=float(ease[leader]),
    )  # fmt: skip


@sentence("endings", place=75)
def too_long(evidence: Evidence) -> Said | None:
    """Half of the leader's lists are twice as long as would be best by SetF, or longer."""
    standing = evidence.standing
    leader, runs = standing.leaders[0], evidence.as_judged
    [measure] = at_level(parse_measures(_END), evidence.runs.grading.rel)
    run = runs.of_run(leader)
    best, _ = optimal_lengths(measure, run)
    there = run.present & (run.length > 0)
    if not there.any():
        return None
    retrieved, length = float(np.median(run.length[there])), float(np.median(best[there]))
    if retrieved < 2 * max(length, 1.0):
        return None
    return Said.of(
        "By {measure}, the lists of {run} should "
        + ("end after {best:,.0f} of {retrieved:,.0f} documents" if length else "be empty, not {retrieved:,.0f} long")
        + " (medians over the topics).",
        scope=Scope((str(measure),)), run=standing.names[leader], measure=str(measure), retrieved=retrieved,
        best=length,
    )  # fmt: skip
