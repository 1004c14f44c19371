"""Section 3.4.2, Tables 2 and 3, Figure 3: how similarly cut and whole runs are ranked, and what measures see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from cranfield.experiments.truncation import TRUNCATED
from cranfield.plumbing.lazy import pl
from cranfield.reports.elements import Block, Folded
from cranfield.reproductions.claim_estimates import estimated, tau_difference, tau_of
from cranfield.reproductions.claims import Estimate, at_least, beside
from cranfield.reproductions.papers.ranking_interruptus import (
    DATA,
    NINE,
    NINE_TRACKS,
    PAPER,
    RBPUS,
    TERMINAL,
    cut_values,
    truncated,
)
from cranfield.reproductions.study import Study, rounded_table
from cranfield.statistics.rank_correlation import kendall_tau

TAU: Final = "τ_b of the run orders, averaged over collections of as many topics (hull of the bootstrap over topics)"
_SIZES: Final = (5_000, 100_000, 1_000_000, 10_000_000)  # Sizes compared with the paper's 20,000

_SIZE: Final = PAPER.claim(
    "the document collection size |D| does not affect substantially OIE computation", where="section 3.4.2",
    conditions="nine TREC collections; 20,000 is used",
    estimand=f"{TAU}; OIE with 20,000 documents against another number",
    asks="above .8, the paper's threshold, for 5,000 to 10,000,000", above=0.8,
)  # fmt: skip


@PAPER.item(
    "Section 3.4.2, size", "The size of the collection", at=3.42,
    by="In the paper: 20,000 documents for all collections. The runs are ranked by OIE with other sizes, and these "
    "orders correlated.",
    needs=(at_least(2, "runs"),),
)  # fmt: skip
def size(study: Study) -> Iterator[Block]:
    """Rank the runs by OIE under other sizes of the collection."""
    usual, *others = study.panel([f"OIE(docs={docs})" for docs in (20_000, *_SIZES)]).values
    pairs = {f"{docs:,}: τ_b": (usual, other) for docs, other in zip(_SIZES, others, strict=True)}
    yield _SIZE.told(study, estimated(tau_of, pairs))
    found = study.experiment("sensitivity", "OIE", sweep="docs=5000|20000|100000|1000000|10000000")
    shown = ("parameter", "pairs", "lowest", "mean", "lowest_ap", "mean_ap", "furthest")
    yield found.table("parameters", columns=shown)


FULL: Final = (
    *("AP", "nDCG", "DCG", "ERR", "RBP(p=0.8)", "RBP(p=0.9)", "RBP(p=0.98)"),
    *("iRBU(p=0.8)", "iRBU(p=0.9)", "iRBU(p=0.98)", "OIE"),
)
PRINTED: Final = """
0.89 0.46 0.61 0.69 0.85 0.46 0.47 0.47 0.80 0.44 0.61 0.68 0.79 0.87
1.00 0.49 0.62 0.68 0.83 0.48 0.48 0.49 0.79 0.46 0.61 0.66 0.76 0.83
0.92 0.48 0.62 0.69 0.84 0.48 0.48 0.49 0.83 0.46 0.61 0.67 0.77 0.80
0.48 1.00 0.78 0.70 0.53 0.92 0.90 0.85 0.58 0.92 0.77 0.69 0.56 0.52
0.62 0.78 1.00 0.89 0.69 0.80 0.80 0.79 0.73 0.76 0.96 0.89 0.73 0.67
0.68 0.69 0.89 1.00 0.78 0.71 0.72 0.72 0.80 0.66 0.87 0.95 0.83 0.77
0.83 0.53 0.69 0.78 1.00 0.52 0.53 0.55 0.84 0.50 0.68 0.76 0.91 0.91
0.50 0.91 0.82 0.74 0.55 0.91 0.94 0.92 0.59 0.84 0.80 0.73 0.58 0.54
0.51 0.84 0.79 0.74 0.57 0.83 0.87 0.89 0.59 0.76 0.76 0.72 0.59 0.56
0.57 0.69 0.66 0.69 0.63 0.67 0.71 0.74 0.60 0.62 0.63 0.65 0.61 0.61
0.58 0.36 0.48 0.54 0.65 0.36 0.36 0.37 0.54 0.34 0.47 0.52 0.60 0.67
"""
"""The paper's Table 2: a row for each measure of full lists, a column for each by which lists are cut."""

PERFECT: Final = PAPER.claim(
    "NDCGT, ERRT, and RBPT have a perfect correlation (in bold in the table) with the effectiveness of full ranking "
    "according to the corresponding traditional metric",
    where="section 4.3, Table 2", conditions=f"{DATA}; 1.00 to two digits", estimand=TAU,
    asks="above .995, which is 1.00 to two digits, for each of the five", above=0.995,
)  # fmt: skip
TOP_HEAVY: Final = PAPER.claim(
    "the truncated rankings have a slightly higher correlation with metrics such as ERR or iRBU p=0.8, which are more "
    "top-heavy, than with the corresponding full ranking metrics iRBU p=0.9 and iRBU p=0.98",
    where="section 4.3, Table 2, of RBU with p = .9 and .98",
    estimand="τ_b with iRBU of p = .8 minus τ_b with iRBU of its own p, averaged over collections of as many topics; "
    "percentiles of drawn topics",
    asks="above 0 for both", above=0,
)  # fmt: skip
SOMEHOW: Final = PAPER.claim(
    "the effectiveness of systems truncated according to the utility based metrics (DCGU, ERRU, RBPU with p = 0.8, "
    "0.9, and 0.98) somehow correlate with their measurement over full ranking",
    where="section 4.3, Table 2", conditions=f"{DATA}; .83 to .96", estimand=TAU,
    asks="above .8, the paper's threshold, for each of the five", above=0.8,
)  # fmt: skip
_CHANGES: Final = PAPER.claim(
    "This does not hold for OIE, for which the relative effectiveness of systems changes substantially after "
    "truncation.",
    where="section 4.3, Table 2 and Figure 3", conditions=f"{DATA}; .67",
    estimand=f"{TAU}; OIE of full against cut lists", asks="below .8, the paper's threshold", below=0.8,
)  # fmt: skip
AROUND: Final = PAPER.claim(
    "these correlation values are around, if not above, the 0.8 threshold",
    where="section 4.3, Table 2, of OIE and RBPU with p = .98 with AP and NDCG of full lists",
    conditions=f"{DATA}; .76 to .87", estimand=TAU, asks="above .75 for each of the four", above=0.75,
)  # fmt: skip


@PAPER.item("Table 2", "Cut lists and full ones, correlated", at=4.3, by=NINE, needs=(at_least(3, "runs"),))
def table_2(study: Study) -> Iterator[Block]:
    """Rank cut and full runs."""
    cut, full = cut_values(study), dict(zip(FULL, study.panel(FULL).values, strict=True))
    traditional = ("nDCG", "ERR", "RBP(p=0.8)", "RBP(p=0.9)", "RBP(p=0.98)")

    def taus(pairs: Sequence[tuple[str, str]]) -> dict[str, Estimate]:
        return estimated(tau_of, {f"{c} and {f}: τ_b": (cut[c], full[f]) for c, f in pairs})

    yield PERFECT.told(study, taus([*zip(TERMINAL, traditional, strict=True)]))
    heavy = {f"RBU(p={p})": (cut[f"RBU(p={p})"], full[f"iRBU(p={p})"]) for p in ("0.9", "0.98")}
    less = {name: ((of, full["iRBU(p=0.8)"]), (of, own)) for name, (of, own) in heavy.items()}
    yield TOP_HEAVY.told(study, estimated(tau_difference, less))
    yield SOMEHOW.told(study, taus([*zip(("DCGU", "ERRU", *RBPUS), ("DCG", *traditional[1:]), strict=True)]))
    yield _CHANGES.told(study, taus([("OIE", "OIE")]))
    yield AROUND.told(study, taus([*product(("RBPU(p=0.98)", "OIE"), ("AP", "nDCG"))]))
    found = truncated(study)
    significant = {row["level"]: row["share"] for row in found["significant"].iter_rows(named=True)}
    yield beside(
        "87% of all τ are significant at .001, 90% at .01.",
        f"{100 * significant[0.001]:.0f} and {100 * significant[0.01]:.0f}%.",
    )
    rows = _beside_the_paper(study)
    paper, ours = (rows.drop_nulls()[name].to_numpy() for name in ("paper", "here"))
    yield beside(
        "All of the table.",
        f"The {len(ours)} values differ from the paper's by {np.abs(ours - paper).mean():.2f} on average and "
        f"{np.abs(ours - paper).max():.2f} at most; both order the cells with τ_b = {kendall_tau(paper, ours):.2f}.",
    )
    yield found.table("correlation")
    yield Folded("Next to the paper's", (rounded_table("beside-the-paper", rows, keys=2),))


def _beside_the_paper(study: Study) -> pl.DataFrame:
    """Return the paper's Table 2 and ours, cell by cell."""
    table = study.by_name(truncated(study)["correlation"], (*FULL, *TRUNCATED))
    here = dict(zip(table["full"], table.select(TRUNCATED).rows(named=True), strict=True))
    values = np.array([line.split() for line in PRINTED.split("\n") if line], float)
    cells = [
        (full, cut, paper, here[full][cut])
        for (full, cut), paper in zip(product(FULL, TRUNCATED), values.ravel().tolist(), strict=True)
    ]
    return pl.DataFrame(cells, ["full", "cut by", "paper", "here"], orient="row")


VERY_HIGH: Final = PAPER.claim(
    "the relation between OIE over truncated rankings and full ranking RBP p=0.98: the correlation is very high within "
    "each collection",
    where="section 4.3, Figure 3", conditions=f"{DATA}; .91", estimand=TAU,
    asks="above .8, the paper's threshold", above=0.8,
)  # fmt: skip
SIMILAR: Final = PAPER.claim(
    "The third scatterplot [...] shows the high correlations of OIE and RBPU p=0.98: both metrics measure in a similar "
    "way.",
    where="section 4.3, Figure 3", conditions=f"{DATA}; both of cut lists", estimand=TAU,
    asks="above .8, the paper's threshold", above=0.8,
)  # fmt: skip


@PAPER.item("Figure 3", "System by system", at=4.31, by=NINE, needs=(at_least(3, "runs"),))
def figure_3(study: Study) -> Iterator[Block]:
    """Draw cut lists against full ones."""
    found = truncated(study)
    yield found.picture("full-against-truncated")
    cut = cut_values(study)
    whole = study.panel("RBP(p=0.98)").values[0]
    for claim, other in ((VERY_HIGH, whole), (SIMILAR, cut["RBPU(p=0.98)"])):
        yield claim.told(study, {"τ_b": tau_of(cut["OIE"], other)})
    yield Folded("The points", (found.table("systems"),))


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
    estimand=f"{COVERAGE} of the lower of the two minus the highest of the others", asks="above 0",
    above=0, digits=3, of=CUT_AT_100,
)  # fmt: skip
_LOW_COVERAGE: Final = PAPER.claim(
    "metrics that penalize redundancy such as RBU, ERR, and RR achieve low Cov scores", where="section 4.4, Table 3",
    conditions=f"{DATA}, cut at rank 100; .249 to .832, the others from .846",
    estimand=f"{COVERAGE} of the lowest of the others minus the highest of these", asks="above 0",
    above=0, digits=3, of=CUT_AT_100,
)  # fmt: skip
DEEPER: Final = PAPER.claim(
    "parameterizations oriented to deeper ranking positions (i.e., p = 0.98) cover more quality aspects than "
    "top-oriented metric variants (i.e., p = 0.8 or P@10)",
    where="section 4.4, Table 3", conditions=f"{DATA}, cut at rank 100",
    estimand=f"{COVERAGE} with p = .98 minus that with p = .8", asks="above 0 for RBP and iRBU", above=0, digits=3,
    of=CUT_AT_100,
)  # fmt: skip
REDUNDANT: Final = ("iRBU(p=0.98)", "iRBU(p=0.9)", "iRBU(p=0.8)", "ERR", "RR")


@PAPER.item(
    "Table 3", "Which improvements a measure sees", at=4.4,
    by=f"Coverage of P@10, R@100 and RR, lists cut at rank 100, 1,000 pairs of topics drawn. {NINE}",
    needs=(at_least(3, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Compare each measure with improvements on which all agree."""
    found = study.experiment("coverage", everywhere=True)
    of_first = study.by_name(study.of_first(found, "coverage"), tuple(COVERED))
    first = dict(of_first.select("measure", "coverage").iter_rows())
    both = ("OIE", "nDCG")
    highest = max(first[name] for name in first if name not in both)
    yield MOST_SILENCE.told(study, {"difference": min(first[name] for name in both) - highest})
    others = min(first[name] for name in first if name not in REDUNDANT)
    yield _LOW_COVERAGE.told(study, {"difference": others - max(first[name] for name in REDUNDANT)})
    yield DEEPER.told(study, {kind: first[f"{kind}(p=0.98)"] - first[f"{kind}(p=0.8)"] for kind in ("RBP", "iRBU")})
    coverage = study.by_name(found["coverage"], tuple(COVERED))
    here = dict(coverage.group_by("measure", maintain_order=True).agg(pl.col("coverage").mean()).iter_rows())
    yield beside("RR is far below the others, at .249.", f"It has {here['RR']:.3f}.")
    cells = [(measure, paper, here[measure]) for measure, paper in COVERED.items()]
    rows = pl.DataFrame(cells, ["measure", "paper", "here"], orient="row")
    yield rounded_table("beside-the-paper", rows, "Coverage in the paper and here.", found.command)
    if len(study.collections) > 1:
        yield found.table("coverage")
