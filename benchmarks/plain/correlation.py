"""Kendall's tau between measures, and how it varies where topics are drawn again."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
from scipy.stats import kendalltau

from benchmarks.plain.scores import means, read, scores, show

MEASURES = ("AP", "nDCG", "Bpref", "P@10")
RESAMPLES = 1000


def main() -> None:
    qrels, runs = read(sys.argv[1:])
    values = scores(qrels, runs, MEASURES)
    topics = values.shape[2]
    drawn = np.random.default_rng(7).integers(0, topics, (RESAMPLES, topics))
    full = means(values)
    again = [means(values[:, :, each]) for each in drawn]
    rows = []
    for a, b in combinations(range(len(MEASURES)), 2):
        taus = [kendalltau(each[a], each[b]).statistic for each in again]
        low, high = np.quantile(taus, (0.025, 0.975))
        rows.append((MEASURES[a], MEASURES[b], kendalltau(full[a], full[b]).statistic, low, high))
    show(("measure_a", "measure_b", "correlation", "low", "high"), rows)


if __name__ == "__main__":
    main()
