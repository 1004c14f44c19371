"""Tables 3 and 4: how alike measures rank the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from cranfield.experiments.best_runs import best_runs
from cranfield.experiments.side_by_side import COLLECTION
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.reports.document import Block, Folded, Statement
from cranfield.reproductions.claims import Claim, Estimate, beside
from cranfield.reproductions.estimates import estimated, tau_difference, tau_of
from cranfield.reproductions.needs import at_least
from cranfield.reproductions.papers.twist import BEST, MEASURES, PAPER, THREE_QUARTERS, family
from cranfield.reproductions.study import Study, rounded_table
from cranfield.statistics.rank_correlation import kendall_p, kendall_tau

DIFFERENCE: Final = "mean over collections of as many such topics; percentiles of drawn topics"
SIGNIFICANT: Final = "the largest p of Kendall's test, of these runs' means; nothing is estimated"

LEAST: Final = PAPER.claim(
    "RBP is the measure least correlated to the others", where="Correlations of Measures, Table 3",
    conditions=f"{BEST}; τ with AP .567 to .723, of the others .833 to .907",
    estimand=f"τ_b of the run orders by AP and another measure less that by AP and RBP, {DIFFERENCE}",
    asks="it is above 0 for bpref and nDCG", above=0,
)  # fmt: skip
BELOW_1: Final = PAPER.claim(
    "The reported values are statistically significant with p-values well below 1%.", where="Table 3",
    conditions=f"{BEST}: 21 to 72 of them", estimand=SIGNIFICANT, asks="it is below .01", below=0.01, digits=4,
)  # fmt: skip


def _panel(study: Study) -> Mapping[str, Floats]:
    """Score the best three quarters of the runs by the paper's measures: arrays of shape (runs, topics)."""
    kept = best_runs(study.runs, 0.75)
    values = study.panel(MEASURES).of_runs(kept).values
    return dict(zip(map(family, MEASURES), values, strict=True))


def _taus(of: Mapping[str, Floats], measure: str, others: Sequence[str]) -> str:
    means = {name: values.mean(axis=1) for name, values in of.items()}
    return ", ".join(f"{other} {kendall_tau(means[measure], means[other]):.2f}" for other in others)


def _significant(
    claim: Claim, study: Study, of: Mapping[str, Floats], measure: str, others: Sequence[str]
) -> Statement:
    """Tell whether all τ with a measure are significant."""
    p = max(float(kendall_p(of[measure].mean(axis=1), of[other].mean(axis=1))) for other in others)
    runs = len(of[measure])
    says = f"It is {p:.2g}, of {runs} runs, {runs * (runs - 1) // 2} pairs."
    return claim.told(study, {"largest p": Estimate.counted(p)}, says)


@PAPER.item(
    "Table 3", "τ of AP with bpref, RBP and nDCG", at=9,
    by=f"Kendall's τ_b of the orders of the runs. {THREE_QUARTERS}",
    needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Correlate the measures of gain."""
    of, others = _panel(study), ("Bpref", "RBP", "nDCG")
    yield beside(
        "AP has τ = .839 to .851 with bpref, .567 to .723 with RBP, .833 to .907 with nDCG.",
        f"τ_b is: {_taus(of, 'AP', others)}.",
    )
    ap = of["AP"]
    less = {f"{other} less RBP": ((ap, of[other]), (ap, of["RBP"])) for other in ("Bpref", "nDCG")}
    yield LEAST.told(study, estimated(tau_difference, less))
    yield _significant(BELOW_1, study, of, "AP", others)
    yield study.experiment("correlation", everywhere=True).table("pairs")
    yield from _more_grades(study)


def not_merged(study: Study) -> str | None:
    """Say why grades are not merged here, where they are not."""
    if study.counts["grades"] < 2:
        return "There is one grade, so that there is nothing to merge."
    if study.runs.grading.rel is not None:
        return "Grades are merged (cranfield experiment conflation) where no relevance level is given."
    return None


MORE_GRADES: Final = PAPER.claim(
    "the correlation between AP and nDCG decreases in the case of the TREC 21 collection, where there are more grades "
    "of relevance with respect to the other collections",
    where="Correlations of Measures, Table 3", conditions=f"{BEST}; τ .839 on TREC 21, .833 to .907 on the others",
    estimand="τ_b of the run orders by AP and nDCG with all relevant grades taken for one, less that with all there "
    "are; the same runs and topics; percentiles of drawn topics",
    asks="it is above 0", above=0, needs=(not_merged,),
)  # fmt: skip


def _more_grades(study: Study) -> Iterator[Block]:
    """Merge grades, and look whether AP and nDCG agree more."""
    if not_merged(study):
        yield MORE_GRADES.told(study, {})
        return
    of = _panel(study)
    grade = study.runs.judgments.grade
    one = np.where(grade > 0, 1.0, grade)
    kept = best_runs(study.runs, 0.75)
    merged = study.runs.panel(["AP", "nDCG(base=10)"], one).of_runs(kept).values
    difference = tau_difference((merged[0], merged[1]), (of["AP"], of["nDCG"]))
    yield MORE_GRADES.told(study, {"difference": difference})
    found = study.experiment("conflation")
    yield Folded("τ of AP and nDCG where grades are merged", (found.table("conflations"),))


NEVER_HIGH: Final = PAPER.claim(
    "Twist shows some correlation with the utility-based measures but never very high ones",
    where="Correlations of Measures, Table 4", conditions=f"{BEST}; .37 to .92",
    estimand="τ_b of the run orders, mean over collections of as many such topics (hull of the bootstrap over topics)",
    asks="it is above 0 and below .93 (the paper has .92) for each", above=0, below=0.93,
)  # fmt: skip
NDCG_MOST: Final = PAPER.claim(
    "Twist exhibits the highest correlation with nDCG",
    where="Correlations of Measures, Table 4; slightly excepted is TREC 21",
    conditions=f"{BEST}; above the next by .054 to .099",
    estimand=f"τ_b of the run orders by Twist and nDCG less that by Twist and another, {DIFFERENCE}",
    asks="it is above 0 for AP, bpref and RBP", above=0,
)  # fmt: skip
RBP_LEAST: Final = PAPER.claim(
    "Twist manifests the lowest correlations with RBP", where="Correlations of Measures, Table 4",
    conditions=f"{BEST}; below the next by .15 to .45",
    estimand=f"τ_b of the run orders by Twist and another less that by Twist and RBP, {DIFFERENCE}",
    asks="it is above 0 for AP, bpref and nDCG", above=0,
)  # fmt: skip
BPREF_LOWER: Final = PAPER.claim(
    "the Kendall's Tau of bpref and Twist is generally lower than one with AP",
    where="Correlations of Measures, Table 4; not on TREC 10", conditions=f"{BEST}; by -.003 to .093",
    estimand=f"τ_b of the run orders by Twist and AP less that by Twist and bpref, {DIFFERENCE}", asks="it is above 0",
    above=0,
)  # fmt: skip
BELOW_1_TWIST: Final = PAPER.claim(
    "The reported values are statistically significant with p-values well below 1%.", where="Table 4",
    conditions=f"{BEST}: 21 to 72 of them", estimand=SIGNIFICANT, asks="it is below .01", below=0.01, digits=4,
)  # fmt: skip


@PAPER.item(
    "Table 4", "τ of Twist with AP, bpref, RBP and nDCG", at=10,
    by=f"Kendall's τ_b of the orders of the runs. {THREE_QUARTERS} The paper tests no difference of two τ.",
    needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_4(study: Study) -> Iterator[Block]:
    """Correlate Twist with the measures of gain."""
    of, others = _panel(study), ("AP", "Bpref", "RBP", "nDCG")
    twist = of["Twist"]
    yield NEVER_HIGH.told(study, estimated(tau_of, {f"{other}: τ_b": (twist, of[other]) for other in others}))

    def less(pairs: Sequence[tuple[str, str]]) -> dict[str, Estimate]:
        taus = {f"{one} less {other}": ((twist, of[one]), (twist, of[other])) for one, other in pairs}
        return estimated(tau_difference, taus)

    yield NDCG_MOST.told(study, less([("nDCG", other) for other in others if other != "nDCG"]))
    yield RBP_LEAST.told(study, less([(other, "RBP") for other in others if other != "RBP"]))
    yield BPREF_LOWER.told(study, less([("AP", "Bpref")]))
    yield _significant(BELOW_1_TWIST, study, of, "Twist", others)
    found = study.experiment("correlation", everywhere=True)
    differences = study.of_first(found, "differences")
    rows = differences.filter(pl.col("measure").str.starts_with("Twist")).drop("measure", COLLECTION, strict=False)
    caption = "By how much τ_b of Twist with the one is above that with the other."
    yield rounded_table("differences", rows, caption, f"{found.command} --table differences", keys=2)
