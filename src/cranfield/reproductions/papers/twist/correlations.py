"""Tables 3 and 4, Figures 13 and 14: how similarly measures rank runs, also by fewer judgments, and tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from cranfield.experiments.best_runs import best_runs
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import COLLECTION
from cranfield.reports.elements import Block, Folded, ReportTable, Statement
from cranfield.reproductions.claim_estimates import estimated, mean_of, tau_difference, tau_of
from cranfield.reproductions.claims import Claim, ClaimPart, Estimate, at_least, beside, level
from cranfield.reproductions.papers.twist import BEST, CORRELATED, FEW, PAPER, REPETITIONS, THREE_QUARTERS, family
from cranfield.reproductions.study import Study, StudyFindings, rounded, rounded_table
from cranfield.statistics.rank_correlation import kendall_p, kendall_tau

DIFFERENCE: Final = "averaged over collections of as many topics; percentiles of drawn topics"
_SIGNIFICANT: Final = "the largest p of Kendall's test on the means of these runs; no interval"

_LEAST: Final = PAPER.claim(
    "RBP is the measure least correlated to the others", where="Correlations of Measures, Table 3",
    conditions=f"{BEST}; τ with AP .567 to .723, of the others .833 to .907",
    estimand=f"τ_b of the run orders by AP and another measure minus that by AP and RBP, {DIFFERENCE}",
    asks="above 0 for bpref and nDCG", above=0,
)  # fmt: skip
BELOW_1: Final = PAPER.claim(
    "The reported values are statistically significant with p-values well below 1%.", where="Table 3",
    conditions=f"{BEST}: 21 to 72 of them", estimand=_SIGNIFICANT, asks="below .01", below=0.01, digits=4,
)  # fmt: skip


def _panel(study: Study) -> Mapping[str, Floats]:
    """Score the best three quarters of the runs by the paper's measures: arrays of shape (runs, topics)."""
    values = study.panel(CORRELATED).of_runs(best_runs(study.runs, 0.75)).values
    return dict(zip(map(family, CORRELATED), values, strict=True))


def _significant(
    claim: Claim, study: Study, of: Mapping[str, Floats], measure: str, others: Sequence[str]
) -> Statement:
    """Tell whether all τ with a measure are significant."""
    p = max(float(kendall_p(of[measure].mean(axis=1), of[other].mean(axis=1))) for other in others)
    runs = len(of[measure])
    says = f"The largest p is {p:.2g}, with {runs} runs and {runs * (runs - 1) // 2} pairs."
    return claim.told(study, {"largest p": Estimate.counted(p)}, says)


@PAPER.item(
    "Table 3", "τ of AP with bpref, RBP and nDCG", at=9,
    by=f"Kendall's τ_b of the run orders. {THREE_QUARTERS}", needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Correlate the measures of gain."""
    of, others = _panel(study), ("Bpref", "RBP", "nDCG")
    ap = of["AP"]
    taus = [f"{each} {kendall_tau(ap.mean(axis=1), of[each].mean(axis=1)):.2f}" for each in others]
    yield beside(
        "AP has τ = .839 to .851 with bpref, .567 to .723 with RBP, .833 to .907 with nDCG.",
        f"τ_b is: {', '.join(taus)}.",
    )
    less = {f"{other} minus RBP": ((ap, of[other]), (ap, of["RBP"])) for other in ("Bpref", "nDCG")}
    yield _LEAST.told(study, estimated(tau_difference, less))
    yield _significant(BELOW_1, study, of, "AP", others)
    yield study.experiment("correlation", everywhere=True).table("pairs")
    yield from _more_grades(study)


def not_merged(study: Study) -> str | None:
    """Say why grades are not merged here, where they are not."""
    if study.counts["grades"] < 2:
        return "With only one grade, there is nothing to merge."
    if study.runs.grading.rel is not None:
        return "Grades are merged (cranfield experiment conflation) where no relevance level is given."
    return None


MORE_GRADES: Final = PAPER.claim(
    "the correlation between AP and nDCG decreases in the case of the TREC 21 collection, where there are more grades "
    "of relevance with respect to the other collections",
    where="Correlations of Measures, Table 3", conditions=f"{BEST}; τ .839 on TREC 21, .833 to .907 on the others",
    estimand="τ_b of the run orders by AP and nDCG with all relevant grades merged, minus that with all "
    "grades; the same runs and topics; percentiles of drawn topics",
    asks="above 0", above=0, needs=(not_merged,),
)  # fmt: skip


def _more_grades(study: Study) -> Iterator[Block]:
    """Merge grades, and look whether AP and nDCG agree more."""
    if not_merged(study):
        yield MORE_GRADES.told(study, {})
        return
    of = _panel(study)
    grade = study.runs.judgments.grade
    one = np.where(grade > 0, 1.0, grade)
    merged = study.runs.panel(["AP", "nDCG(base=10)"], one).of_runs(best_runs(study.runs, 0.75)).values
    yield MORE_GRADES.told(study, {"difference": tau_difference((merged[0], merged[1]), (of["AP"], of["nDCG"]))})
    yield Folded("τ of AP and nDCG where grades are merged", (study.experiment("conflation").table("conflations"),))


NEVER_HIGH: Final = PAPER.claim(
    "Twist shows some correlation with the utility-based measures but never very high ones",
    where="Correlations of Measures, Table 4", conditions=f"{BEST}; .37 to .92",
    estimand="τ_b of the run orders, averaged over collections of as many topics (hull of the bootstrap over topics)",
    asks="above 0 and below .93 (the paper has .92) for each", above=0, below=0.93,
)  # fmt: skip
NDCG_MOST: Final = PAPER.claim(
    "Twist exhibits the highest correlation with nDCG",
    where="Correlations of Measures, Table 4; slightly excepted is TREC 21",
    conditions=f"{BEST}; above the next by .054 to .099",
    estimand=f"τ_b of the run orders by Twist and nDCG minus that by Twist and another, {DIFFERENCE}",
    asks="above 0 for AP, bpref and RBP", above=0,
)  # fmt: skip
RBP_LEAST: Final = PAPER.claim(
    "Twist manifests the lowest correlations with RBP", where="Correlations of Measures, Table 4",
    conditions=f"{BEST}; below the next by .15 to .45",
    estimand=f"τ_b of the run orders by Twist and another minus that by Twist and RBP, {DIFFERENCE}",
    asks="above 0 for AP, bpref and nDCG", above=0,
)  # fmt: skip
BPREF_LOWER: Final = PAPER.claim(
    "the Kendall's Tau of bpref and Twist is generally lower than one with AP",
    where="Correlations of Measures, Table 4; not on TREC 10", conditions=f"{BEST}; by -.003 to .093",
    estimand=f"τ_b of the run orders by Twist and AP minus that by Twist and bpref, {DIFFERENCE}", asks="above 0",
    above=0,
)  # fmt: skip
BELOW_1_TWIST: Final = PAPER.claim(
    "The reported values are statistically significant with p-values well below 1%.", where="Table 4",
    conditions=f"{BEST}: 21 to 72 of them", estimand=_SIGNIFICANT, asks="below .01", below=0.01, digits=4,
)  # fmt: skip


@PAPER.item(
    "Table 4", "τ of Twist with AP, bpref, RBP and nDCG", at=10,
    by=f"Kendall's τ_b of the run orders. {THREE_QUARTERS} The paper tests no difference of two τ.",
    needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_4(study: Study) -> Iterator[Block]:
    """Correlate Twist with the measures of gain."""
    of, others = _panel(study), ("AP", "Bpref", "RBP", "nDCG")
    twist = of["Twist"]
    yield NEVER_HIGH.told(study, estimated(tau_of, {f"{other}: τ_b": (twist, of[other]) for other in others}))

    def less(pairs: Sequence[tuple[str, str]]) -> dict[str, Estimate]:
        taus = {f"{one} minus {other}": ((twist, of[one]), (twist, of[other])) for one, other in pairs}
        return estimated(tau_difference, taus)

    yield NDCG_MOST.told(study, less([("nDCG", other) for other in others if other != "nDCG"]))
    yield RBP_LEAST.told(study, less([(other, "RBP") for other in others if other != "RBP"]))
    yield BPREF_LOWER.told(study, less([("AP", "Bpref")]))
    yield _significant(BELOW_1_TWIST, study, of, "Twist", others)
    found = study.experiment("correlation", everywhere=True)
    differences = study.of_first(found, "differences")
    rows = differences.filter(pl.col("measure").str.starts_with("Twist")).drop("measure", COLLECTION, strict=False)
    caption = "τ_b of Twist with the first measure minus that with the second."
    yield rounded_table("differences", rows, caption, f"{found.command} --table differences", keys=2)


_RATES: Final = (0.9, 0.7, 0.5, 0.3, 0.1)
HALF: Final = (0.9, 0.7, 0.5)
PAIRED: Final = (
    "mean over samples of the judgments, on these topics and runs; t interval over the samples drawn, topics held fixed"
)

MOST_ROBUST: Final = PAPER.claim(
    "the most robust measures are bpref and nDCG", where="Robustness of Measures to Pool Downsampling, Figure 13",
    conditions=f"{BEST}; one sample at each rate",
    estimand="mean of τ_b with the full order over the five rates, of each of the two minus each other measure: "
    f"{PAIRED}",
    asks="above 0 for the six pairs", above=0, digits=3,
)  # fmt: skip


@PAPER.item(
    "Figure 13", "Fewer judgments", at=11,
    by="Stratified samples of 90, 70, 50, 30 and 10% of the judgments, at least 10 that are not relevant; τ_b with "
    f"the order by all judgments. {THREE_QUARTERS} The paper draws once; here τ_b is a mean of several draws.",
    needs=(at_least(4, "runs"),), longer=f"{REPETITIONS} draws instead of {FEW}",
)  # fmt: skip
def figure_13(study: Study) -> Iterator[Block]:
    """Take judgments away."""
    found = study.experiment("downsampling", everywhere=True, repetitions=REPETITIONS if study.full else FEW)
    yield found.picture("downsampling")
    tau = _by_draw(study, found)
    area = {measure: sum(of[rate] for rate in _RATES) / len(_RATES) for measure, of in tau.items()}
    pairs = product(("Bpref", "nDCG"), ("AP", "RBP", "Twist"))
    more = {f"{one} minus {other}": area[one] - area[other] for one, other in pairs}
    yield MOST_ROBUST.told(study, estimated(mean_of, more))
    twist = tau["Twist"]

    def less(other: str, rate: float, parts: int) -> ClaimPart:
        difference = mean_of(twist[rate] - tau[other][rate], level(parts))
        return ClaimPart(f"minus {other} at {100 * rate:.0f}%:", difference, digits=3)

    of_three = ("Bpref", "AP", "RBP")
    for paper, parts in (
        (
            "On TREC 10 Twist is as robust as bpref, AP and RBP up to a 50% downsampling; at 10% it is more robust "
            "than AP, and as robust as bpref.",
            [less(other, rate, 8) for other in of_three for rate in HALF if rate < 0.9]
            + [less(other, 0.1, 8) for other in ("AP", "Bpref")],
        ),
        (
            "On TREC 14 Twist is more robust than RBP at all levels.",
            [less("RBP", rate, len(_RATES)) for rate in _RATES],
        ),
    ):
        yield beside(paper, f"τ_b by Twist, {'; '.join(map(str, parts))} (intervals over the samples drawn).")
    yield _by_rate(found)


def _by_draw(study: Study, found: StudyFindings) -> Mapping[str, Mapping[float, Floats]]:
    """Return τ of each draw on the first collection, by measure and rate."""
    rows = study.of_first(found, "repetitions").sort("repetition")
    tau = dict[str, dict[float, Floats]]()
    for (measure, rate), of in rows.group_by("measure", "rate", maintain_order=True):
        name = str(measure) if str(measure).startswith("RBP") and "0.95" in str(measure) else family(str(measure))
        tau.setdefault(name, {})[float(str(rate))] = of["tau"].to_numpy()
    return tau


def _by_rate(found: StudyFindings) -> ReportTable:
    """Lay τ out with a column for each share of the judgments."""
    rows = found["correlation"]
    keys = [name for name in (COLLECTION, "measure") if name in rows.columns]
    shown = rows.with_columns(rate=pl.format("{}%", (100 * pl.col("rate")).round().cast(pl.Int64)))
    wide = shown.pivot("rate", index=keys, values="tau", maintain_order=True)
    most = rows.select(pl.col("standard_error").max()).item()
    caption = (
        "τ_b with the order by all judgments, by the share of them that is left; the largest standard error is "
        f"{most:.3f}."
    )
    return ReportTable("correlation", rounded(wide, caption, keys=len(keys)), rows, found.command)


TOLD_APART: Final = "share of the pairs of runs that differ significantly at .05"
COMPARABLE: Final = PAPER.claim(
    "Twist shows a good discriminative power; being always comparable to the one of the most used gain-based measures",
    where="Discriminative Power of Measures, Figure 14", conditions=f"{BEST}; 1,000 resamples",
    estimand=f"{TOLD_APART}, by Twist minus the lowest of the others", asks="above 0", above=0, digits=3,
)  # fmt: skip
RBP_LOW: Final = PAPER.claim(
    "RBP has a low discriminative power if compared to other gain-based measures and to Twist",
    where="Related Metrics and Discussion, of Figure 14", conditions=f"{BEST}; 1,000 resamples",
    estimand=f"{TOLD_APART}, by each other measure minus RBP", asks="above 0 for all four", above=0, digits=3,
)  # fmt: skip
LOW_DELTA: Final = PAPER.claim(
    "Twist reports low values for Δ for all the collections", where="Discriminative Power of Measures, Figure 14",
    conditions=f"{BEST}; the lowest on two of four collections",
    estimand="the largest sufficient difference of all pairs: the median of the other measures minus Twist",
    asks="above 0", above=0, digits=3,
)  # fmt: skip


@PAPER.item(
    "Figure 14", "Discriminative power", at=12,
    by=f"Sakai's paired bootstrap test of all pairs of runs, 1,000 resamples, α = .05. {THREE_QUARTERS}",
    needs=(at_least(4, "runs"), at_least(2, "topics")),
)  # fmt: skip
def figure_14(study: Study) -> Iterator[Block]:
    """Count the pairs of runs that each measure tells apart."""
    found = study.experiment("discriminative-power", everywhere=True)
    yield found.picture("asl")
    rows = study.of_first(found, "power").filter(pl.col("alpha") == 0.05)
    share, delta = (
        {family(measure): value for measure, value in rows.select("measure", column).iter_rows()}
        for column in ("share", "delta")
    )
    delta = {measure: value for measure, value in delta.items() if value is not None}  # a measure may not vary at all
    order = sorted(share, key=share.__getitem__, reverse=True)
    others = [measure for measure in order if measure != "Twist"]
    yield beside(
        "On TREC 20 and 21 only nDCG is more discriminative than Twist. (Our text of the paper lacks the legend of the "
        "figure, with the shares of significant pairs and Δ.)",
        f"Significant of {rows['pairs'][0]:,} pairs: "
        + ", ".join(f"{measure} {100 * share[measure]:.1f}%" for measure in order)
        + "; Δ is " * bool(delta)
        + ", ".join(f"{delta[measure]:.3f} by {measure}" for measure in sorted(delta, key=delta.__getitem__))
        + ".",
    )

    def less(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
        return {f"{one} minus {other}": share[one] - share[other] for one, other in pairs}

    yield COMPARABLE.told(study, less([("Twist", min(others, key=share.__getitem__))]))
    yield RBP_LOW.told(study, less([(other, "RBP") for other in order if other != "RBP"]))
    known = len(delta) == len(order)
    middle = float(np.median([delta[other] for other in others])) if known else 0.0
    yield LOW_DELTA.told(study, {"median minus Twist": middle - delta["Twist"]} if known else {})
    yield found.table("power")


PATIENT_POWER: Final = PAPER.claim(
    "With high values of p (i.e. p = 0.95) RBP has a high discriminative power", where="Related Metrics and Discussion",
    conditions=f"{BEST}; no figure shows it", estimand=f"{TOLD_APART}, with p = .95 minus p = .8, and minus Twist",
    asks="above 0 for both", above=0, digits=3,
)  # fmt: skip
NOT_STABLE: Final = PAPER.claim(
    "but it is not stable when downsampled pools are employed, whereas Twist has been proven",
    where="Related Metrics and Discussion, of RBP with p = .95", conditions=f"{BEST}; no figure shows it",
    estimand=f"τ_b by Twist minus τ_b by RBP with p = .95, at half and at a tenth of the judgments: {PAIRED}",
    asks="above 0 for both", above=0, digits=3,
)  # fmt: skip


@PAPER.item(
    "Related metrics", "RBP with p = .95", at=13,
    by="The paper shows no figure for it. As in Figures 13 and 14, but at two rates.",
    needs=(at_least(4, "runs"), at_least(2, "topics")), longer=f"{REPETITIONS} draws instead of {FEW}",
)  # fmt: skip
def related_metrics(study: Study) -> Iterator[Block]:
    """Compare RBP of a patient user with that of a less patient one, and with Twist."""
    rel = study.runs.grading.rel or 1
    usual, patient = (f"RBP(p={p},rel={rel:g})" for p in (0.8, 0.95))
    measures = (usual, patient, "Twist")
    power = study.experiment("discriminative-power", measures)
    share = dict(power["power"].filter(alpha=0.05).select("measure", "share").iter_rows())
    twist = next(measure for measure in share if measure.startswith("Twist"))
    yield PATIENT_POWER.told(
        study, {f"minus {name}": share[patient] - share[other] for name, other in (("p = .8", usual), ("Twist", twist))}
    )
    repetitions = REPETITIONS if study.full else FEW
    fewer = study.experiment("downsampling", measures, rates=(0.5, 0.1), repetitions=repetitions)
    tau = _by_draw(study, fewer)
    more = {f"at {100 * rate:.0f}%:": tau["Twist"][rate] - tau[patient][rate] for rate in (0.5, 0.1)}
    yield NOT_STABLE.told(study, estimated(mean_of, more))
    yield _by_rate(fewer)


PAPER.lacks(
    "Future work", "Users, time, and weights by grade", at=14,
    why="The paper names them without a formula or data, and does not study users. PatientTwist and "
    "TimedTwist are readings of it that can be computed.",
)  # fmt: skip
