"""Samples of judgments as chance: estimates of means over topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import cranfield as cf
from benchmarks.calibration.cell import Cell
from benchmarks.truth import averages
from cranfield.plumbing.options import Design
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection import Candidates
from cranfield.selection.estimates import estimate
from cranfield.selection.sampling import draw_sample

MEASURES = ("AP", "nDCG@10", "P@10", "RBP(p=0.8)", "NumRel")
DEPTH = 100
EVERY = {"dl19-passage": 3, "trec8-adhoc": 2, "covid-round1": 15}
"""Collections, and of how many of their runs one takes part."""

DESIGNS: tuple[tuple[Design, int], ...] = (
    ("stratified", 50), ("proportional", 50), ("prior", 50), ("uniform", 50), ("stratified", 20), ("uniform", 20)
)  # fmt: skip


def estimates(data: Path, times: int) -> Iterator[Cell]:
    """Draw again and again: everything that some run has among its first 100 is a candidate."""
    for name, every in EVERY.items():
        if not (data / name).exists():
            continue
        runs = cf.formats.Runs(cf.formats.read_runs(sorted((data / name / "runs").iterdir())).sources[::every])
        candidates = Candidates.gather(runs, depth=DEPTH)
        qrels = open_qrels(str(data / name / "qrels.txt"))
        documents = pl.DataFrame(
            {"query_id": pl.Series(candidates.topics).gather(candidates.topic), "doc_id": candidates.document}
        )
        judged = pl.DataFrame({"query_id": pl.Series(qrels.topics).gather(qrels.topic), "doc_id": qrels.document,
                               "relevance": qrels.grade})  # fmt: skip
        grades = open_qrels(documents.join(judged, on=["query_id", "doc_id"], how="left").fill_null(0))
        truth = averages(grades, runs, MEASURES, depth=DEPTH).T.ravel()
        shape = (len(candidates.runs), len(MEASURES))
        for design, per_topic in DESIGNS:
            held, widths = [], []
            for seed in range(times):
                sample = draw_sample(candidates, per_topic, design=design, seed=seed).to_polars()
                found = estimate(candidates, sample, grades, MEASURES, seed=seed).means
                low, high = found["low"].to_numpy(), found["high"].to_numpy()
                held.append(((low <= truth + 1e-9) & (truth <= high + 1e-9)).reshape(shape))
                widths.append((high - low).reshape(shape))
            for m, measure in enumerate(MEASURES):
                width = float(np.array(widths)[:, :, m].mean())
                if np.isfinite(width):
                    where = f"{name}, {shape[0]} runs, {per_topic} a topic, {design}"
                    cell = Cell.of("Estimates from samples", measure, where, np.array(held)[:, :, m], width)
                    yield (
                        cell
                        if measure != "NumRel"
                        else Cell.of("Estimates from samples", measure, where, np.array(held)[:, 0, m], width)
                    )
