"""Sakai's paired bootstrap test of all pairs of runs by AP: the share that is significant at .05."""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.plain.scores import read, scores, show

RESAMPLES = 1000


def level(z: Any, rng: np.random.Generator) -> float:
    """Return the achieved significance level of differences by topic, all resamples at once."""
    n = len(z)
    samples = rng.choice(z - z.mean(), (RESAMPLES, n))
    t = samples.mean(axis=1) / (samples.std(axis=1, ddof=1) / np.sqrt(n))
    return float((np.abs(t) >= abs(z.mean() / (z.std(ddof=1) / np.sqrt(n)))).mean())


def main() -> None:
    qrels, runs = read(sys.argv[1:])
    [values] = scores(qrels, runs, ["AP"])
    rng = np.random.default_rng(7)
    with np.errstate(divide="ignore", invalid="ignore"):  # of a resample without variance
        levels = [level(values[a] - values[b], rng) for a, b in combinations(range(len(runs)), 2)]
    show(("measure", "share"), [("AP", np.mean(np.array(levels) < 0.05))])


if __name__ == "__main__":
    main()
