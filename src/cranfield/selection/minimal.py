"""Minimal test collections for average precision: which document could tell runs apart, by what is judged so far?"""

from __future__ import annotations

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.plumbing.arrays import Floats, sums_within
from cranfield.selection.candidates import Candidates
from cranfield.selection.method import Method
from cranfield.selection.state import State
from cranfield.statistics.on_paper import side


class MinimalForAP(Method, name="mtc-ap"):
    """Which documents could do most for or against one run in the average precision of two, over all pairs of runs?

    w(d) = max(Σ |a(s, d) - a(s', d)|, Σ |b(s, d) - b(s', d)|), both sums over all pairs of runs s, s'

    The sum of precisions of a run, R times its AP, is the sum of 1 / max(rank of i, rank of j) over
    all relevant documents i and all relevant j that are i or above it. So a relevant d brings run s at
    least a(s, d) = 1 / rank of d + Σ 1 / max(rank of d, rank of j) over the documents j that are judged
    relevant; and a d that is not relevant takes from the most that is still possible b(s, d), which is
    the same with all j that are not judged otherwise. Both are 0 for a run that lacks d.

    The measure that scores the runs does not matter. The paper has one pair of runs; the sums over pairs are ours.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR, section 3.

    Run x has a b, y has c a. If all are relevant, a brings 1 + 1/2 to x and 1/2 + 1/2 to y, b brings
    1/2 + 1/2 to x, and c 1 + 1/2 to y.

    >>> from cranfield.selection import Judging
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"c": 2, "a": 1}}}
    >>> [(each.document, each.weight) for each in Judging(runs, method="mtc-ap").next(3)]
    [('c', 1.5), ('b', 1.0), ('a', 0.5)]
    """

    renewed_by = "topic"
    needs_answers = True

    def weigh(self, state: State, topic: int) -> Floats:
        """The larger of what is sure to be gained and what could be lost."""
        sure, possible = (at_stake(state.candidates, topic, chances(state, topic, prior)) for prior in (0.0, 1.0))
        return np.maximum(state.differences(topic, sure), state.differences(topic, possible))


def ahead(state: State, prior: float) -> Floats:
    """Return how probable it is that the mean AP of one run is above that of another: array (runs, runs).

    Φ(E / √V), E and V being expectation and variance of the difference of the two means over topics, if every unjudged
    document is relevant with the same probability, independently. Both are to the first order: AP is taken for
    E[sum of precisions] / E[R], and V = Σ p (1 - p) (∂ difference / ∂p)² over the documents.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR, section 4 (with p = 1/2).

    Run x has the relevant a, y has b, so R is 3/2 and E = 1/1.5 - 0.5/1.5 = 1/3; V = 1/4 · (8/9)².

    >>> from cranfield.selection import Judging
    >>> judging = Judging({"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}}, judged={"1": {"a": 1}})
    >>> ahead(judging.state, 0.5).round(4)[0].tolist()  # Φ((1/3) / (4/9))
    [0.5, 0.7734]
    """
    from scipy.special import ndtr

    candidates = state.candidates
    runs, topics = candidates.length.shape
    mean, variance = np.zeros(runs), np.zeros((runs, runs))
    for topic in range(topics):
        chance, cells = chances(state, topic, prior), candidates.cells_of(topic)
        document, run = candidates.cell_document[cells], candidates.cell_run[cells]
        relevant = chance.sum()
        if relevant == 0:
            continue
        brings: Floats = np.zeros((len(chance), runs))
        brings[document, run] = at_stake(candidates, topic, chance)
        alone = sums_within(run, chance[document] / candidates.cell_rank[cells], runs)
        total = (sums_within(run, chance[document] * brings[document, run], runs) + alone) / 2
        mean += total / relevant
        steep = (brings - total / relevant) / relevant * np.sqrt(chance * (1 - chance))[:, np.newaxis]
        variance += steep.T @ steep
    spread = np.diag(variance)
    error = np.sqrt((spread[:, np.newaxis] + spread - 2 * variance).clip(min=0))
    difference = mean[:, np.newaxis] - mean
    certain = np.where(side(difference) == 0, 0.0, np.copysign(np.inf, difference))
    return np.asarray(ndtr(np.divide(difference, error, out=certain, where=side(error) > 0)))


def chances(state: State, topic: int, prior: float) -> Floats:
    """How probable is it that each document of the topic is relevant: 1 or 0 if it is judged, the prior if not."""
    grade = state.grade[state.candidates.documents_of(topic)]
    return np.where(np.isnan(grade), prior, is_relevant(grade, None))


def at_stake(candidates: Candidates, topic: int, chance: Floats) -> Floats:
    """Return by cell its document's part in the sum of precisions: 1 / rank + Σ chance / the lower of both ranks."""
    cells = candidates.cells_of(topic)
    run, rank = candidates.cell_run[cells], candidates.cell_rank[cells]
    order = np.lexsort((rank, run))
    there = chance[candidates.cell_document[cells]][order]
    start, end = (np.searchsorted(run[order], run[order], side) for side in ("left", "right"))
    number, inverse = (np.append(0.0, np.cumsum(values)) for values in (there, there / rank[order]))
    place = np.arange(len(order))
    above, below = number[place] - number[start], inverse[end] - inverse[place + 1]
    found: Floats = np.empty(len(order))
    found[order] = (1 + above) / rank[order] + below
    return found
