"""Whether the order of the runs depends on the measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing.wording import counted, named, percent
from cranfield.reports.document import Block, Folded, Words, pictured
from cranfield.reports.evidence import DRAWS, Evidence
from cranfield.reports.section import found_table, section, two_runs
from cranfield.scoring.orientation import oriented
from cranfield.statistics.on_paper import largest, side

_PAIRS: Final = {
    "measure_a": "measure", "measure_b": "and", "correlation": "Kendall's tau-b", "low": "from", "high": "to",
}  # fmt: skip
POWER: Final = {
    "measure": "measure", "size": "topics", "difference": "difference needed", "sensitivity": "differences as large",
    "rate": "swapped",
}  # fmt: skip


@section(
    "Does the order depend on the measure?", place=lambda evidence: 60 if evidence.several else 130, needs=two_runs
)
def choice_of_measure(evidence: Evidence) -> Iterator[Block]:
    """Show how alike the measures rank the runs, and how large a difference must be to be relied on."""
    measures = evidence.of_quality
    if len(measures) < 2:
        yield Words.of(f"There is one measure, {evidence.named}; name several to see whether it matters which.")
        return
    if len(evidence.runs.runs) < 3:
        yield Words.of("It takes three runs to see whether measures order them alike.")
        return
    chance = ["--top", "1", "--seed", str(evidence.seed)]
    found = EXPERIMENTS["correlation"](evidence.as_judged, measures, top=1.0, resamples=DRAWS, seed=evidence.seed)
    yield Words.of(*_said(evidence))
    yield pictured(found.plot, "measure-correlation")
    says = (
        "Correlation of the runs' means by two measures. From, to: where it lies on average over collections of "
        f"{counted(len(evidence.standing.panel.topics), 'such topic')} (95%, {DRAWS} draws of topics); with "
        "endless topics it would be higher by an amount that these do not tell. "
        "Above 0.9 two measures count as alike, below 0.8 as noticeably different (Voorhees, 2001)."
    )
    asked = [*evidence.asking(*measures), *chance, "--resamples", str(DRAWS)]
    yield Folded("How alike, pair by pair", (found_table(evidence, found, "pairs", _PAIRS, *asked, says=says),))
    swaps = EXPERIMENTS["swap"](evidence.as_judged, [evidence.measure], top=1.0, seed=evidence.seed)
    says = (
        "How large a difference must be that at most 5% of pairs swap between disjoint samples of topics; empty where "
        "none is large enough. Differences as large: the share of comparisons. Swapped: how many of those."
    )
    asked = [*evidence.asking(evidence.measure), *chance]
    table = found_table(evidence, swaps, "power", POWER, *asked, says=says)
    yield Folded("How large a difference must be to be confirmed", (table,))


def _said(evidence: Evidence) -> Iterator[str]:
    scores = evidence.scores
    rows = {str(measure): place for place, measure in enumerate(scores.measures)}
    names = [str(measure) for measure in evidence.as_judged.scores(evidence.of_quality).measures]
    means = np.array([oriented(scores.measures[rows[name]], scores.averages[rows[name]]) for name in names])
    best = {name: named([scores.runs[run] for run in largest(row)]) for name, row in zip(names, means, strict=True)}
    leaders = list(dict.fromkeys(best.values()))
    if len(leaders) == 1:
        every = "Both measures" if len(names) == 2 else f"All {len(names)} measures"
        runs = "run" if leaders[0] in scores.runs else "runs"
        yield f"{every} have the same best {runs}, {leaders[0]}."
    else:
        by = "; ".join(f"{run} by {', '.join(name for name in names if best[name] == run)}" for run in leaders)
        yield f"Which run is the best depends on the measure: {by}."
    pairs = list(combinations(range(len(scores.runs)), 2))
    one, other = np.array(pairs).T
    ahead = side(means[:, one] - means[:, other])
    agreed = float((ahead == ahead[0]).all(axis=0).mean())
    yield f"They agree on the order of {percent(agreed)} of the {counted(len(pairs), 'pair')} of runs."
