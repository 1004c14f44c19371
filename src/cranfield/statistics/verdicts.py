"""Better, not worse, worse, or undecided: which of these p-values let one say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.multiple_comparisons import adjust

Verdict: TypeAlias = Literal["better", "not worse", "worse", "undecided", "worse on what was judged: undecided"]
AS_JUDGED: Final = "worse on what was judged: undecided"
"""Worse, but for unjudged documents: were all judged, the loss could be within the margin."""
DECIDED: Final[tuple[Literal["better", "not worse", "worse"], ...]] = ("better", "not worse", "worse")
"""What is looked at one after the other."""
PASSING: Final[frozenset[str]] = frozenset({"better", "not worse"})
"""What lets the new run through."""


@dataclass(frozen=True, eq=False)
class Decided:
    """Verdicts, measure by measure.

    Attributes
    ----------
    verdicts
        One a measure.
    p_better, p_not_worse, p_worse
        One-tailed and corrected: is the new run better, not worse by the margin, worse?
    low, high
        Ends of the 1 − 2α confidence interval of the mean difference, not corrected.
    """

    verdicts: tuple[Verdict, ...]
    p_better: Floats
    p_not_worse: Floats
    p_worse: Floats
    low: Floats
    high: Floats


def decided_by(p: Floats, low: Floats, high: Floats, alpha: float) -> Decided:
    """Correct each question by Holm's rule, and pass the verdicts."""
    corrected = [adjust(each, "holm") for each in p]
    holds = {verdict: each <= alpha for verdict, each in zip(DECIDED, corrected, strict=True)}
    verdicts: tuple[Verdict, ...] = tuple(
        next((verdict for verdict in DECIDED if holds[verdict][measure]), "undecided") for measure in range(p.shape[1])
    )
    better, not_worse, worse = corrected
    return Decided(verdicts, better, not_worse, worse, low, high)
