"""Minimal test collections for average precision: which document could tell runs apart, by what is judged so far?"""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Booleans, Floats
from cranfield.judgments import is_relevant
from cranfield.selection.method import Method
from cranfield.selection.state import State


class MinimalForAP(Method, name="mtc-ap"):
    """Which documents could do most for or against one run in the average precision of two, over all pairs of runs?

    w(d) = max(Σ |a(s, d) - a(s', d)|, Σ |b(s, d) - b(s', d)|), both sums over all pairs of runs s, s'

    The sum of precisions of a run, R times its AP, is the sum of 1 / max(rank of i, rank of j) over
    all relevant documents i and all relevant j that are i or above it. So a relevant d brings run s at
    least a(s, d) = 1 / rank of d + Σ 1 / max(rank of d, rank of j) over the documents j that are judged
    relevant; and a d that is not relevant takes from the most that is still possible b(s, d), which is
    the same with all j that are not judged otherwise. Both are 0 for a run that lacks d.

    Whatever the measure that runs are scored by, this takes average precision. Each answer changes
    what the next ones are worth, so that documents are chosen that make a difference *with* the
    relevant ones that are known. The paper has one pair of runs; the sums over pairs are ours.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR, section 3.

    Examples
    --------
    Run x has a b, y has c a. If all are relevant, a brings 1 + 1/2 to x and 1/2 + 1/2 to y, b brings
    1/2 + 1/2 to x, and c 1 + 1/2 to y.

    >>> from cranfield.selection import Judging
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"c": 2, "a": 1}}}
    >>> [(each.document, each.weight) for each in Judging(runs, method="mtc-ap").next(3)]
    [('c', 1.5), ('b', 1.0), ('a', 0.5)]
    >>> judged = {"1": {"c": 0}}  # a brings y 1/2 at most
    >>> [(each.document, each.weight) for each in Judging(runs, method="mtc-ap", judged=judged).next(3)]
    [('a', 1.0), ('b', 1.0)]
    """

    renewed_by = "topic"
    needs_answers = True

    def weigh(self, state: State, topic: int) -> Floats:
        """The larger of what is sure to be gained and what could be lost."""
        grade = state.grade[state.candidates.documents_of(topic)]
        relevant = is_relevant(grade, None)
        return np.maximum(
            state.differences(topic, _at_stake(state, topic, relevant)),
            state.differences(topic, _at_stake(state, topic, relevant | np.isnan(grade))),
        )


def _at_stake(state: State, topic: int, counted: Booleans) -> Floats:
    """For each cell, what its document brings to the sum of precisions of the run beside those that are counted."""
    candidates, cells = state.candidates, state.candidates.cells_of(topic)
    run, rank = candidates.cell_run[cells], candidates.cell_rank[cells]
    order = np.lexsort((rank, run))
    there = counted[candidates.cell_document[cells]][order].astype(np.float64)
    start = np.searchsorted(run[order], run[order])
    end = np.searchsorted(run[order], run[order], side="right")
    number, inverse = (np.append(0.0, np.cumsum(values)) for values in (there, there / rank[order]))
    place = np.arange(len(order))
    above, below = number[place] - number[start], inverse[end] - inverse[place + 1]
    found: Floats = np.empty(len(order))
    found[order] = (1 + above) / rank[order] + below
    return found
