"""Swap rates of AP by the difference, in two disjoint halves of the topics, 5,000 times."""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.plain.scores import read, scores, show

REPETITIONS, WIDTH, BINS, ROUNDING = 5000, 0.01, 21, 1e-9


def main() -> None:
    qrels, runs = read(sys.argv[1:])
    [values] = scores(qrels, runs, ["AP"])
    rng, half = np.random.default_rng(7), len(qrels) // 2
    a, b = np.triu_indices(len(runs), 1)
    compared, swapped = np.zeros(BINS), np.zeros(BINS)
    for _ in range(REPETITIONS):
        drawn = rng.permutation(len(qrels))
        means = values[:, drawn[:half]].mean(axis=1), values[:, drawn[half : 2 * half]].mean(axis=1)
        first, second = (np.where(np.abs(mean[a] - mean[b]) < ROUNDING, 0, mean[a] - mean[b]) for mean in means)
        bin_ = np.minimum((np.abs(first) / WIDTH).astype(int), BINS - 1)
        compared += np.bincount(bin_[first != 0], minlength=BINS)
        swapped += np.bincount(bin_[first * second < 0], minlength=BINS)
    rows = [("AP", place * WIDTH, swapped[place] / compared[place]) for place in range(BINS) if compared[place]]
    show(("measure", "low", "rate"), rows)


if __name__ == "__main__":
    main()
