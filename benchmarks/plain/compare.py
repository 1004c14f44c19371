"""The t-test of all pairs of runs by AP, with Holm's correction."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.plain.scores import read, scores, show


def main() -> None:
    qrels, runs = read(sys.argv[1:])
    [values] = scores(qrels, runs, ["AP"])
    pairs = list(combinations(range(len(runs)), 2))
    p = np.array([ttest_rel(values[a], values[b]).pvalue for a, b in pairs])
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    names = list(runs)
    rows = ((names[a], names[b], each) for (a, b), each in zip(pairs, adjusted.tolist(), strict=True))
    show(("run_a", "run_b", "p_adjusted"), rows)


if __name__ == "__main__":
    main()
