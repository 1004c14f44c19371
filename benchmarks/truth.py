"""What each study takes for the truth, found without the code that it puts to the test.

Of an estimate that is `evaluate` on the full judgments; of a bound, the same, once the judgments that were hidden are
revealed; of an interval, the population that was drawn from. So this module imports from cranfield readers and
`evaluate` alone, and nothing that estimates, bounds or draws: a test of the house looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from cranfield.scoring.evaluation import evaluate

Floats = npt.NDArray[np.floating[Any]]
Booleans = npt.NDArray[np.bool_]

ROUNDING = 12
"""Means are rounded to so many decimals before they are ranked, since sums of the same values differ in the last."""


def of_judgments(qrels: Any, runs: Any, measures: Sequence[Any], topics: Sequence[str], **reading: Any) -> Floats:
    """Score runs by all judgments: array of shape (measures, runs, topics), topics in the order that is given."""
    scores = evaluate(qrels, runs, list(measures), **reading)
    place = {topic: i for i, topic in enumerate(scores.topics)}
    values: Floats = scores.values[:, :, [place[topic] for topic in topics]]
    return values


def averages(qrels: Any, runs: Any, measures: Sequence[Any], **reading: Any) -> Floats:
    """Average the scores by all judgments over topics (add counts up): array of shape (measures, runs)."""
    found: Floats = evaluate(qrels, runs, list(measures), **reading).averages
    return found


def revealed(qrels: Path, runs: dict[str, Path], measure: Any, topics: Sequence[str]) -> Floats:
    """Score runs by all judgments, those included that bounds were found without: array of shape (1, runs, topics)."""
    return of_judgments(qrels, runs, [measure], topics)


def relevant_left(relevant: Floats, judged: Booleans) -> int:
    """Count the relevant documents that are not judged."""
    return int(relevant[~judged].sum())


def of_population(values: Floats, weights: Floats | None = None) -> Floats:
    """Average over all topics of the population that samples are drawn from: array of shape (rows,)."""
    means: Floats = np.average(values, axis=-1, weights=weights)
    return means


def tau_of_averages(first: Floats, second: Floats, samples: Sequence[npt.NDArray[np.int64]]) -> Floats:
    """Kendall's τ of two measures' means over topics, by sample of topics; arrays of shape (runs, topics) are given."""
    means = ([each[:, chosen].mean(axis=1).round(ROUNDING) for chosen in samples] for each in (first, second))
    return np.array([kendalltau(x, y).statistic for x, y in zip(*means, strict=True)])


def tau_of_topics(first: Floats, second: Floats) -> float:
    """Average over topics Kendall's τ of two measures on each; 0 where all runs are level by one of them."""
    taus = [kendalltau(x, y).statistic for x, y in zip(first.T, second.T, strict=True)]
    return float(np.nan_to_num(taus).mean())


def kappa_of(table: Floats) -> float:
    """Cohen's kappa of a table of what two assessors said: agreement beyond that of their marginals."""
    shares = table / table.sum()
    expected = float(shares.sum(axis=0) @ shares.sum(axis=1))
    return (float(np.trace(shares)) - expected) / (1 - expected)


def order_statistics(judge: Floats, people: Floats, best: int) -> list[float]:
    """Return τ_b and Spearman's rho as scipy has them, τ_AP and the share of the best two lists have, by loops.

    Of equal scores, means that differ by less than 1e-9; without ties at the border of the best.
    """
    from scipy.stats import kendalltau, spearmanr

    judge, people = judge.round(9), people.round(9)
    order = np.argsort(-judge, kind="stable")
    ap = []
    for rank in range(1, len(order)):
        above, here = order[:rank], order[rank]
        # Half of a pair that either ties is in order, since ties are broken at random.
        level = (judge[above] == judge[here]) | (people[above] == people[here])
        ap.append(np.where(level, 0.5, people[above] > people[here]).mean())
    top = [{*np.argsort(-each, kind="stable")[:best].tolist()} for each in (judge, people)]
    return [
        float(kendalltau(judge, people).statistic), 2 * float(np.mean(ap)) - 1,
        float(spearmanr(judge, people).statistic), len(top[0] & top[1]) / best,
    ]  # fmt: skip


def places_gained(people: Floats, judge: Floats, at: int) -> int:
    """Count the runs that one overtakes by the judge's means, less those that overtake it."""
    behind = [sum(each.mean() > values[at].mean() + 1e-9 for each in values) for values in (people, judge)]
    return int(behind[0] - behind[1])


def ranks_of(true: Floats) -> npt.NDArray[np.int64]:
    """By true levels, the true rank of each system: 1 more than there are better ones."""
    ranks: npt.NDArray[np.int64] = 1 + (true[:, np.newaxis] < true).sum(axis=1)
    return ranks
