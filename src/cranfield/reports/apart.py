"""Which runs the test of the report tells from which: from the first of all, and in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from cranfield.reports.facts import Evidence

BETTER: Final = "significantly better"
WORSE: Final = "significantly worse"


def adjusted(evidence: Evidence) -> Mapping[frozenset[str], tuple[float, bool]]:
    """Return the adjusted p-value of each pair of runs that was tested, and whether it is significant."""
    rows = evidence.comparison.differences.select("run_a", "run_b", "p_adjusted", "significant").iter_rows()
    return {frozenset((one, other)): (p, significant) for one, other, p, significant in rows}


def not_told_from(evidence: Evidence, head: str) -> list[str]:
    """Name the runs that do not differ significantly from one, the best first."""
    alike = set(evidence.comparison.not_told_from(head))
    return [run for run in ranked(evidence) if run in alike]


def ranked(evidence: Evidence) -> list[str]:
    """Name all runs, the best first."""
    return [evidence.standing.names[run] for run in evidence.standing.order]


def groups_of(evidence: Evidence) -> Iterator[tuple[str, ...]]:
    """Group the runs: the best that no group has yet heads one, with the runs behind it that do not differ from it."""
    tested, waiting = adjusted(evidence), ranked(evidence)
    while waiting:
        head, *behind = waiting
        with_it = [run for run in behind if not tested[frozenset((head, run))][1]]
        yield (head, *with_it)
        waiting = [run for run in behind if run not in with_it]


def against_baseline(evidence: Evidence, baseline: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Part all other runs by what the test says of each and the baseline: its words, and the runs, the best first."""
    tested, order = adjusted(evidence), ranked(evidence)
    significant = {run for run in order if run != baseline and tested[frozenset((baseline, run))][1]}
    place = order.index(baseline)
    better, worse = (tuple(run for run in part if run in significant) for part in (order[:place], order[place:]))
    yield BETTER, better
    yield "not told apart", tuple(run for run in order if run != baseline and run not in significant)
    yield WORSE, worse
