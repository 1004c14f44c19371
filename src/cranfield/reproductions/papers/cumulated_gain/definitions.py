"""Sections 2 and 3.1 to 3.3: the worked vectors, the grades, and other weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.measures.cumulated_gain import CG, DCG
from cranfield.plumbing.lazy import pl
from cranfield.reports.elements import Block, Words
from cranfield.reproductions.claim_estimates import tau_of
from cranfield.reproductions.claims import ClaimPart, ClaimSetting, Estimate, at_least, beside, level
from cranfield.reproductions.papers.cumulated_gain import PAPER, three
from cranfield.reproductions.study import Study, rounded_table
from cranfield.statistics.differences import pairs
from cranfield.statistics.intervals import t_interval

_VECTORS: Final = {
    "CG'": (CG(), (3, 2, 3, 0, 0, 1, 2, 2, 3, 0), "3 5 8 8 8 9 11 13 16 16"),
    "DCG', b = 2": (DCG(base=2), (3, 2, 3, 0, 0, 1, 2, 2, 3, 0), "3 5 6.89 6.89 7.28 7.99 8.66 9.61 9.61"),
    "CG of I'": (CG(), (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0), "3 6 9 11 13 15 16 17 18 19 19 19"),
    "DCG of I', b = 2": (
        DCG(base=2), (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0),
        "3 6 7.89 8.89 9.75 10.52 10.88 11.21 11.53 11.83 11.83 11.83",
    ),
}  # fmt: skip
"""The vectors of the example: their measure, their grades, and what the paper prints."""


@PAPER.item(
    "Section 2", "The worked vectors", at=2.2,
    by="The example's gains G' and I', by equations 1, 2 and 4. This is arithmetic and needs no runs.",
)  # fmt: skip
def worked_vectors(_: Study) -> Iterator[Block]:
    """Calculate the vectors of the example."""
    rows = [
        (name, printed, " ".join(f"{round((measure @ rank).of(grades), 2):g}" for rank in range(1, len(grades) + 1)))
        for name, (measure, grades, printed) in _VECTORS.items()
    ]
    table = pl.DataFrame(rows, ["vector", "the paper", "calculated"], orient="row")
    yield rounded_table("vectors", table, "The worked vectors, rounded to two digits.")
    yield Words.of(
        "The paper's DCG' lacks one of its three values 6.89, and two values of the ideal are cut and not rounded."
    )


REVERSED: Final = PAPER.claim(
    "differing performance of IR techniques at different levels of relevance may thus be observed",
    where="section 1, after Järvelin and Kekäläinen (2000)", conditions="query types of one engine, four grades",
    estimand="pairs of runs that AP at the lowest and at the highest grade put in opposite orders, each beyond chance "
    "over topics (t intervals of all pairs and both grades together, .95): a count",
    asks="at least one such pair", above=0, digits=0, of=ClaimSetting(runs=2, topics=10),
    needs=(at_least(2, "grades"),),
    may=True,
)  # fmt: skip


@PAPER.item(
    "Section 2.4", "Precision and recall, grade by grade", at=2.4,
    by="The authors draw a curve for each level of relevance. Here a curve counts a grade and all above it, for "
    "three runs, as in Figure 1.",
    needs=(at_least(2, "grades"), at_least(2, "runs")),
)  # fmt: skip
def by_grade(study: Study) -> Iterator[Block]:
    """Look for runs that change places from grade to grade, and draw the curves of three of them."""
    grade = study.runs.judgments.grade
    grades = sorted({*grade[grade > 0].tolist()})
    low, high = (f"AP(rel={level:g})" for level in (grades[0], grades[-1]))
    values = study.panel([low, high]).values
    a, b = pairs(values.shape[1])
    opposite = 0
    if values.shape[2] > 1:
        (low_0, high_0), (low_1, high_1) = (t_interval(each[a] - each[b], level(2 * len(a))) for each in values)
        opposite = int((((low_0 > 0) & (high_1 < 0)) | ((high_0 < 0) & (low_1 > 0))).sum())
    tau = tau_of(values[0], values[1])
    yield REVERSED.told(
        study,
        {f"pairs in opposite orders, of {len(a):,}:": Estimate.counted(opposite)},
        f"All runs by {low} and {high}: {ClaimPart('τ_b', tau)} (averaged over collections of as many topics).",
    )
    yield three(study).plot("curves", [f"IPrec(rel={level:g})" for level in grades])


@PAPER.item(
    "Section 3.1", "The test environment", at=3.1,
    by="In the paper: 53,893 newspaper articles, 30 requests, 16,540 judged articles, of which 366 are highly, 700 "
    "fairly and 857 marginally relevant.",
)  # fmt: skip
def environment(study: Study) -> Iterator[Block]:
    """Count what there is here."""
    grade = study.runs.judgments.grade
    grade = grade[~np.isnan(grade)]
    topics = len(study.runs.topics)
    levels, counts = np.unique(grade, return_counts=True)
    rows = pl.DataFrame({"grade": [f"{level:g}" for level in levels], "documents": counts, "by topic": counts / topics})
    yield rounded_table("judgments", rows, f"Judged documents of {topics:,} topics.")
    share = float((grade == levels[levels > 0].min(initial=np.inf)).sum() / max((grade > 0).sum(), 1))
    yield beside(
        "Of 1,923 relevant documents 857, or 45%, are marginal (section 3.1).",
        f"{100 * share:.0f}% of the documents that gain something have the lowest grade.",
    )


PAPER.lacks(
    "Section 3.2", "Query structures and expansion", at=3.2,
    why="The queries, InQuery 3.1 and its articles are not published; the comparisons of the three query types are "
    "repeated on your runs below.",
)  # fmt: skip

WEIGHTS: Final = ("{1:1,2:2,3:3}", "{1:1,2:4,3:10}", "{1:1,2:10,3:100}")


@PAPER.item(
    "Section 3.3", "Other weights, and the base of the logarithm", at=3.3,
    by="In the paper: gains 0-1-2-3, 0-1-4-10 and 0-1-10-100, bases 2 and 10. Here the runs are ranked by nDCG@200 "
    "under each of the six, and the orders correlated.",
    needs=(at_least(2, "grades"), at_least(2, "runs")),
)  # fmt: skip
def weights(study: Study) -> Iterator[Block]:
    """Rank the runs under other gains and bases."""
    values = study.panel([f"nDCG(base=2,gains={each})@200" for each in WEIGHTS]).values
    several = list(combinations(range(len(WEIGHTS)), 2))
    yield beside(
        "Effects in differences between curves and their shapes are minor with the present sample data. (How large a "
        "minor effect may be, the paper does not say.)",
        "; ".join(
            f"{WEIGHTS[i]} and {WEIGHTS[j]}: {ClaimPart('τ_b', tau_of(values[i], values[j], level(len(several))))}"
            for i, j in several
        )
        + " (averaged over collections of as many topics).",
    )
    found = study.experiment("sensitivity", "nDCG@200", sweep=f"gains={'|'.join(WEIGHTS)}, base=2|10")
    shown = ("parameter", "pairs", "lowest", "mean", "lowest_ap", "mean_ap", "furthest", "run")
    yield found.table("parameters", columns=shown)
