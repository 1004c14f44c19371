"""Section 2 and Table 1: the worked examples, and mean average precision by part of the judgments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.experiments.downsampling import best_rank
from cranfield.measures.user_models import RBP, RBPResidual
from cranfield.plumbing.lazy import pl
from cranfield.reports.document import Block, ReportTable, Words
from cranfield.reproductions.claims import ClaimPart
from cranfield.reproductions.estimates import mean_of
from cranfield.reproductions.needs import ClaimSetting
from cranfield.reproductions.papers.targeted_judgments import PAPER
from cranfield.reproductions.study import Study, rounded
from cranfield.selection import Judging

LISTS: Final = {
    "Run 1": "18 22 15 13 11 25 10 84",
    "Run 2": "22 10 11 19 38 18 33 17",
    "Run 3": "21 35 16 11 38 33 18 17",
    "Run 4": "10 18 11 22 87 13 17 20",
}
"""Table 1."""
POOLED: Final = 10
"""To which rank the smaller pool goes."""

UPPER: Final = PAPER.claim(
    "in environments in which only partial judgments are undertaken (via pooling or any other method), only a subset "
    "of the relevant documents is identified, meaning that the MAP scores computed [...] tend to be upper bounds on "
    "actual underlying performance",
    where="section 2, Problems with Mean Average Precision",
    conditions="any partial judgments; no data is named",
    estimand=f"AP by a pool of the first {POOLED} documents of each run less AP by all judgments, mean over runs and "
    "topics; t interval over topics",
    asks="it is above 0",
    of=ClaimSetting(topics=10, depth=POOLED + 1, pool=POOLED + 1),
)


@PAPER.item(
    "Section 2", "Rank-biased precision, its residual, and average precision", at=2,
    by="The worked example, with p = .8; then MAP by the judgments of what some run has within its first "
    f"{POOLED} documents.",
)  # fmt: skip
def section_2(study: Study) -> Iterator[Block]:
    """Calculate the example, and score by part of the judgments."""
    grades = [0, 1, 1, 0, 0, 1, None, 0, 0, 1]
    base, residual = RBP(p=0.8).of(grades), RBPResidual(p=0.8).of(grades)
    rows = [
        ("base of 0 1 1 0 0 1 ? 0 0 1", ".380", f"{base:.3f}"),
        ("its residual", ".160", f"{residual:.3f}"),
        ("its top", ".540", f"{base + residual:.3f}"),
        ("residual with the first 21 judged", ".01", f"{RBPResidual(p=0.8).of([0] * 21):.4f}"),
    ]
    table = pl.DataFrame(rows, ["RBP, p = .8", "the paper", "calculated"], orient="row")
    yield ReportTable("example", rounded(table, "The worked example."), table)
    pooled = np.where(best_rank(study.runs) <= POOLED, study.runs.judgments.grade, np.nan)
    shallow, full = (study.runs.scores("AP", grade).values[0] for grade in (pooled, None))
    above = mean_of((shallow - full).mean(axis=0))
    yield UPPER.told(study, [ClaimPart(f"by the first {POOLED} documents", above, above=0, digits=3)])


@PAPER.item(
    "Table 1", "Four runs, and the first six documents by Method A", at=3, by="p = .8. This is arithmetic, too."
)
def table_1(study: Study) -> Iterator[Block]:
    """Judge the example."""
    del study
    runs = {run: {"q": {each: -float(at) for at, each in enumerate(line.split())}} for run, line in LISTS.items()}
    pooled = [chosen.document for chosen in Judging(runs, "RBP(p=0.8)", method="pool").next(9)]
    judging = Judging(runs, "RBP(p=0.8)", method="A")
    chosen = judging.next(6)
    weights = ", ".join(f"{each.document} ({each.weight:.2f})" for each in chosen)
    for each in chosen:
        judging.record("q", each.document, 0)
    residual = judging.status().residual.mean(axis=1)
    rows = [
        ("order by pooling, ties in any order", "18, 22, 21, 10, 35, 15, 11, 16, 13", ", ".join(pooled)),
        ("order and weights by Method A", "18 (.48), 22 (.46), 11 (.44), 10 (.41), 21 (.20), 13 (.17)", weights),
        ("residuals then", ".41, .44, .65, .34", ", ".join(f"{value:.3f}" for value in residual)),
        ("their mean", ".49", f"{residual.mean():.3f}"),
    ]
    table = pl.DataFrame(rows, ["example", "the paper", "calculated"], orient="row")
    yield ReportTable("example", rounded(table, "The example."), table)
    yield Words.of("The paper adds up rounded weights; its four residuals have a mean of .46.")
