"""Whether the order of the runs depends on the measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, Folded, Words, pictured
from cranfield.reports.facts import DRAWS, Evidence
from cranfield.reports.section import found_table, section
from cranfield.scoring.orientation import oriented
from cranfield.statistics.on_paper import side

_PAIRS: Final = {
    "measure_a": "measure", "measure_b": "and", "correlation": "Kendall's τ_b", "low": "from", "high": "to",
}  # fmt: skip
POWER: Final = {
    "measure": "measure", "size": "topics", "difference": "difference needed", "sensitivity": "differences as large",
    "rate": "swapped",
}  # fmt: skip


@section(
    "Does the order depend on the measure?", place=lambda evidence: 60 if evidence.several else 130,
    needs=lambda evidence: not evidence.alone and len(evidence.of_quality) > 1,
)  # fmt: skip
def choice_of_measure(evidence: Evidence) -> Iterator[Block]:
    """Show how similarly the measures rank the runs, and how large a difference must be to be relied on."""
    measures = evidence.of_quality
    if not evidence.several:
        return
    chance = ["--top", "1", "--seed", str(evidence.seed)]
    found = EXPERIMENTS["correlation"](evidence.as_judged, measures, top=1.0, resamples=DRAWS, seed=evidence.seed)
    yield Words.of(*_said(evidence))
    yield pictured(found.plot, "measure-correlation")
    if not evidence.testable:
        return
    says = (
        "Correlation of the runs' means by two measures. From, to: 95% interval of its average over collections of "
        f"{counted(len(evidence.standing.panel.topics), 'such topic')} ({DRAWS} draws of topics); with endless topics "
        "it would be higher by an unknown amount. Measures count as similar above 0.9, as noticeably different below "
        "0.8 (Voorhees, 2001)."
    )
    asked = [*evidence.asking(*measures), *chance, "--resamples", str(DRAWS)]
    yield Folded("How similar, pair by pair", (found_table(evidence, found, "pairs", _PAIRS, *asked, says=says),))
    swaps = EXPERIMENTS["swap"](evidence.as_judged, [evidence.measure], top=1.0, seed=evidence.seed)
    says = (
        "Difference needed: the smallest with which at most 5% of pairs swap between disjoint samples of topics; empty "
        "where none is large enough. Differences as large: their share of all comparisons. Swapped: the share of those."
    )
    asked = [*evidence.asking(evidence.measure), *chance]
    table = found_table(evidence, swaps, "power", POWER, *asked, says=says)
    yield Folded("How large a difference must be to be confirmed", (table,))


def _said(evidence: Evidence) -> Iterator[str]:
    scores = evidence.scores
    rows = {str(measure): place for place, measure in enumerate(scores.measures)}
    names = [str(measure) for measure in evidence.as_judged.scores(evidence.of_quality).measures]
    means = np.array([oriented(scores.measures[rows[name]], scores.averages[rows[name]]) for name in names])
    pairs = list(combinations(range(len(scores.runs)), 2))
    one, other = np.array(pairs).T
    ahead = side(means[:, one] - means[:, other])
    agreed = int((ahead == ahead[0]).all(axis=0).sum())
    of = f"{agreed:,} of {counted(len(pairs), 'pair')}" if agreed < len(pairs) else f"all {len(pairs):,} pairs"
    every = "Both measures" if len(names) == 2 else f"All {len(names)} measures"
    yield f"{every} agree on the order of {of} of runs."
