"""Scores by pytrec_eval: what all the scripts begin with."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]

NAMES = {"AP": "map", "P@10": "P_10", "RR": "recip_rank", "nDCG": "ndcg", "Bpref": "bpref"}
"""Our measures, as trec_eval calls them."""


def read(arguments: Sequence[str]) -> tuple[Qrels, Runs]:
    """Read the files named on the command line: qrels, and then runs."""
    qrels, *runs = map(Path, arguments)
    with qrels.open(encoding="utf-8") as lines:
        judged = pytrec_eval.parse_qrel(lines)
    found = {}
    for run in runs:
        with run.open(encoding="utf-8") as lines:
            found[run.stem] = pytrec_eval.parse_run(lines)
    return judged, found


def scores(qrels: Qrels, runs: Runs, measures: Sequence[str]) -> Any:
    """Score the runs: an array of measures, runs and topics; 0 where a run lacks a topic."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {NAMES[measure] for measure in measures})
    values = np.zeros((len(measures), len(runs), len(qrels)))
    for r, run in enumerate(runs.values()):
        found = evaluator.evaluate(run)
        for t, topic in enumerate(qrels):
            if topic in found:
                values[:, r, t] = [found[topic][NAMES[measure]] for measure in measures]
    return values


def means(values: Any) -> Any:
    """Average over the topics, the last axis; what differs by the rounding of sums alone is a tie, for tau."""
    return values.mean(axis=-1).round(9)


def show(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table."""
    writer = csv.writer(sys.stdout)
    writer.writerow(header)
    writer.writerows(rows)
