"""Table 3: which improvements a measure sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from cranfield.plumbing.lazy import pl
from cranfield.reports.document import Block
from cranfield.reproductions.claims import beside
from cranfield.reproductions.needs import at_least
from cranfield.reproductions.papers.ranking_interruptus import DATA, NINE, NINE_TRACKS, PAPER
from cranfield.reproductions.study import Study, rounded_table

COVERED: Final = {
    "OIE": 0.921, "nDCG": 0.918, "DCG": 0.911, "RBP(p=0.98)": 0.911, "AP": 0.901, "SetF": 0.896, "R@100": 0.891,
    "FlatUtility": 0.891, "RBP(p=0.9)": 0.890, "P@10": 0.867, "RBP(p=0.8)": 0.846, "iRBU(p=0.98)": 0.832,
    "iRBU(p=0.9)": 0.810, "iRBU(p=0.8)": 0.782, "ERR": 0.761, "RR": 0.249,
}  # fmt: skip
"""The paper's Table 3."""

CUT_AT_100: Final = replace(NINE_TRACKS, depth=100)
COVERAGE: Final = "coverage (Spearman's ρ over pairs of runs of differences with unanimous improvements)"
MOST_SILENCE: Final = PAPER.claim(
    "Recall-oriented metrics with top-heaviness such as OIE and NDCG achieve the highest Cov scores.",
    where="section 4.4, Table 3", conditions=f"{DATA}, cut at rank 100; .921 and .918, the next .911",
    estimand=f"{COVERAGE} of the lower of the two, less the highest of the others", asks="it is above 0",
    above=0, digits=3, of=CUT_AT_100,
)  # fmt: skip
LEAST: Final = PAPER.claim(
    "metrics that penalize redundancy such as RBU, ERR, and RR achieve low Cov scores", where="section 4.4, Table 3",
    conditions=f"{DATA}, cut at rank 100; .249 to .832, the others from .846",
    estimand=f"{COVERAGE} of the lowest of the others, less the highest of these", asks="it is above 0",
    above=0, digits=3, of=CUT_AT_100,
)  # fmt: skip
DEEPER: Final = PAPER.claim(
    "parameterizations oriented to deeper ranking positions (i.e., p = 0.98) cover more quality aspects than "
    "top-oriented metric variants (i.e., p = 0.8 or P@10)",
    where="section 4.4, Table 3", conditions=f"{DATA}, cut at rank 100",
    estimand=f"{COVERAGE} with p = .98 less that with p = .8", asks="it is above 0 for RBP and iRBU", above=0, digits=3,
    of=CUT_AT_100,
)  # fmt: skip
REDUNDANT: Final = ("iRBU(p=0.98)", "iRBU(p=0.9)", "iRBU(p=0.8)", "ERR", "RR")


@PAPER.item(
    "Table 3", "Which improvements a measure sees", at=4.4,
    by=f"Coverage of P@10, R@100 and RR, lists cut at rank 100, 1,000 pairs of topics drawn. {NINE}",
    needs=(at_least(3, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Hold each measure against improvements on which all agree."""
    found = study.experiment("coverage", everywhere=True)
    of_first = study.by_name(study.of_first(found, "coverage"), tuple(COVERED))
    first = dict(of_first.select("measure", "coverage").iter_rows())
    both = ("OIE", "nDCG")
    highest = max(first[name] for name in first if name not in both)
    yield MOST_SILENCE.told(study, {"difference": min(first[name] for name in both) - highest})
    others = min(first[name] for name in first if name not in REDUNDANT)
    yield LEAST.told(study, {"difference": others - max(first[name] for name in REDUNDANT)})
    yield DEEPER.told(study, {kind: first[f"{kind}(p=0.98)"] - first[f"{kind}(p=0.8)"] for kind in ("RBP", "iRBU")})
    coverage = study.by_name(found["coverage"], tuple(COVERED))
    here = dict(coverage.group_by("measure", maintain_order=True).agg(pl.col("coverage").mean()).iter_rows())
    yield beside("RR is far apart, at .249.", f"It has {here['RR']:.3f}.")
    cells = [(measure, paper, here[measure]) for measure, paper in COVERED.items()]
    rows = pl.DataFrame(cells, ["measure", "paper", "here"], orient="row")
    yield rounded_table("beside-the-paper", rows, "Coverage, the paper's beside that here.", found.command)
    if len(study.collections) > 1:
        yield found.table("coverage")
