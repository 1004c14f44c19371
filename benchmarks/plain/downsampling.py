"""Kendall's tau with the order by all judgments, where seven tenths or a half of each topic's judgments are kept."""

from __future__ import annotations

import random
import sys

import numpy as np
from scipy.stats import kendalltau

from benchmarks.plain.scores import means, read, scores, show

MEASURES = ("AP", "P@10")
RATES, REPETITIONS = (0.7, 0.5), 10


def main() -> None:
    qrels, runs = read(sys.argv[1:])
    full = means(scores(qrels, runs, MEASURES))
    rng = random.Random(7)  # noqa: S311 - a simulation
    rows = []
    for rate in RATES:
        taus = []
        for _ in range(REPETITIONS):
            fewer = {t: dict(rng.sample(list(j.items()), max(1, int(rate * len(j))))) for t, j in qrels.items()}
            pairs = zip(means(scores(fewer, runs, MEASURES)), full, strict=True)
            taus.append([kendalltau(*pair).statistic for pair in pairs])
        rows += [(rate, measure, tau) for measure, tau in zip(MEASURES, np.mean(taus, axis=0), strict=True)]
    show(("rate", "measure", "tau"), rows)


if __name__ == "__main__":
    main()
