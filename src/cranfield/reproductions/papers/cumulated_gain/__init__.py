"""Järvelin and Kekäläinen (2002): cumulated gain, with and without a discount, against the ideal."""

from __future__ import annotations

from math import ceil
from typing import Final

import numpy as np

from cranfield.reproductions.claims import ClaimSetting
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.study import Study

GAINS: Final = "gains={1:1,2:10,3:100}"
LAST: Final = 200
"""Where the curves of the paper end."""
DEEP: Final = 1000
"""How far is looked down the lists for what the paper's curves do not show."""
AVERAGED: Final = (f"nCG({GAINS},averaged=True)@{LAST}", f"nDCG(base=2,{GAINS},averaged=True)@{LAST}")
"""Equation 6, for Table 1."""

CHOSEN: Final = (
    "Three runs replace the paper's three query types: the best by averaged nCG, the median, and "
    "the last of the best three quarters (the last of all is often broken)."
)
SAME_RUNS: Final = "Gains, ranks and runs as in Figure 1"
DATA: Final = (
    "3 query types of one engine, 30 requests with 64 relevant documents each, found by hundreds of queries, gains "
    "0-1-10-100, ranks 1-200"
)
"""What the paper's curves are of."""
CURVES: Final = ClaimSetting(runs=3, topics=10, depth=LAST, pool=100)
"""The paper names no depth of its pool: at rank 100 its ideal has practically all, and so must the judgments."""

PAPER: Final = Paper(
    "cumulated-gain",
    "Cumulated gain-based indicators of IR performance",
    "Järvelin and Kekäläinen (2002), Research Notes 2002-2, University of Tampere",
    conditions=DATA,
    of=CURVES,
)


def three(study: Study) -> Study:
    """Choose the best run, one from the middle and one from below it by averaged nCG; of fewer than three, all."""
    averages = study.scores(AVERAGED[0]).averages[0]
    order = np.argsort(-averages, kind="stable")
    places = dict.fromkeys((0, len(order) // 2, ceil(0.75 * len(order)) - 1))
    return study.of_runs([study.runs.runs[order[place]] for place in places])
