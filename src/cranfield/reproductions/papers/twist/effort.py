"""Tables 1 and 2 and Figures 7 to 12: the collections, shares of archetypes, and effort against gain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.lists.archetypes import Archetype
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.reports.elements import Block, ReportTable, Words
from cranfield.reproductions.claim_estimates import drawn, estimated, mean_of, share_of, shares
from cranfield.reproductions.claims import ClaimPart, Estimate, at_least, beside
from cranfield.reproductions.papers.twist import DATA, PAPER, THREE_QUARTERS, family
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant
from cranfield.reproductions.study import Study, rounded, rounded_table

_SHARE: Final = "share of the runs, averaged over topics; t interval"


@PAPER.item(
    "Table 1", "The collections", at=4, by="In the paper: TREC 10, 14, 20 and 21. The files do not hold pool depths."
)
def table_1(study: Study) -> Iterator[Block]:
    """Count what there is in each collection."""
    rows = []
    for name, runs in study.collections.items():
        grade, topics = runs.judgments.grade, len(runs.topics)
        known = grade[~np.isnan(grade)]
        longest = max(int(batch.length.max()) for batch in runs.batches)
        degrees = len(np.unique(known[known > 0])) + 1
        rows.append((name, topics, len(runs.runs), longest, degrees, len(known) / topics, (known > 0).sum() / topics))
    columns = ("collection", "topics", "runs", "run length", "degrees", "judged by topic", "relevant by topic")
    table = pl.DataFrame(rows, columns, orient="row")
    yield beside(
        "Four collections of 50 topics; 27 to 95 runs of 1,000 or 10,000 documents; 3 or 4 relevance degrees.",
        {
            name: f"{counted(topics, 'topic')}, {counted(runs, 'run')} of up to {counted(length, 'document')}, "
            f"{counted(degrees, 'degree')}"
            for name, topics, runs, length, degrees, *_ in rows
        },
    )
    if len(rows) > 1:
        yield Words.of(f"Verdicts below use {rows[0][0]}; tables and pictures have all collections.")
    yield rounded_table("collections", table, "The longest list is the run length; not relevant is a degree.")


TYPICAL: Final = PAPER.claim(
    "the vast majority of runs - i.e. about 95% for each collection - are classified as typical A or typical B "
    "archetypes",
    where="Empirical Analysis, Table 2", conditions=f"{DATA}; 90.9 to 98.1%", estimand=_SHARE, asks="above .9",
    above=0.9, digits=1, percent=True,
)  # fmt: skip
UNBALANCED: Final = PAPER.claim(
    "the ratio between typical A and typical B runs is unbalanced towards typical A archetypes for all the collections",
    where="Empirical Analysis, Table 2", conditions=f"{DATA}; 60.7 to 83.9% and 12.7 to 31.3%",
    estimand="share of type A minus share of type B, mean over topics; t interval", asks="above 0",
    above=0, digits=1, percent=True,
)  # fmt: skip
ABSENT: Final = PAPER.claim(
    "the full-scale is not present in any collection", where="Empirical Analysis, Table 2", conditions=DATA,
    estimand="full-scale rankings here: a count", asks="none", below=0.5, digits=0,
)  # fmt: skip


@PAPER.item(
    "Table 2", "Shares of the archetypes", at=5, by="Lists are padded to N = 1,000 documents. " + TWO_KINDS,
    needs=(something_relevant,),
)  # fmt: skip
def table_2(study: Study) -> Iterator[Block]:
    """Count the archetypes."""
    found = study.experiment("archetypes", everywhere=True)
    rows = by_ranking(study, ["Twist"])
    of = {
        kind: shares(rows, pl.col("archetype") == kind.value)
        for kind in (Archetype.TYPICAL_A, Archetype.TYPICAL_B, Archetype.FULL_SCALE)
    }
    a, b = of[Archetype.TYPICAL_A], of[Archetype.TYPICAL_B]
    yield TYPICAL.told(study, {"share": share_of(a + b)})
    yield UNBALANCED.told(study, {"difference": mean_of(a - b)})
    full = Estimate.counted(rows.filter(pl.col("archetype") == Archetype.FULL_SCALE.value).height)
    yield ABSENT.told(study, {f"full-scale rankings, of {rows.height:,}:": full})
    share = dict(study.of_first(found, "shares").select("archetype", "share").iter_rows())
    worst, ideal, excellent = (
        100 * share.get(kind.value, 0.0) for kind in (Archetype.WORST, Archetype.IDEAL, Archetype.EXCELLENT)
    )
    yield beside(
        "1.86 to 8.86% are worst, 0 to 0.17% ideal, 0 to 0.16% excellent.",
        f"{worst:.2f}% are worst, {ideal:.2f}% ideal, {excellent:.2f}% excellent.",
    )
    yield found.table("shares")


QUADRANTS: Final = {
    measure: PAPER.claim(
        words,
        where=f"Effort/Gain Plots, {where}", conditions=conditions,
        estimand="share of the rankings in the high-high quadrants minus share on the diagonal, mean over topics (the "
        "quartiles of the gain held fixed); t interval",
        asks="above 0", above=0, digits=1, percent=True,
    )
    for measure, words, where, conditions in (
        ("AP",
         "In general, for all the collections the percentage of runs in the high-high quadrants is higher than those "
         "in the diagonal ones",
         "Figure 7, of AP", f"{DATA}; 25 to 28% on the diagonal, 37 to 50% high-high"),
        ("Bpref",
         "the percentage of runs in the diagonal quadrants and in the high-high quadrants are the same as reported "
         "above",
         "Figure 8, of bpref: more are high-high, as of AP", f"{DATA}; on TREC 20 1.24% are on the diagonal"),
        ("RBP",
         "For these plots as well as for the AP and bpref ones, the percentage of runs in the diagonal quadrants is "
         "significantly lower than those in the high-high quadrants for all the considered test collections.",
         "Figure 9, of RBP; but TREC 14 has 38% on the diagonal, 37.4% high-high",
         f"{DATA}; 31 to 38% on the diagonal, 37.4 to 50% high-high"),
        ("nDCG",
         "the distribution of runs across the collections follows exactly the same trend as in the AP against Twist "
         "and bpref against Twist plots",
         "Figure 10, of nDCG: more are high-high", DATA),
    )
}  # fmt: skip
CONCAVE_UP: Final = PAPER.claim(
    "we can identify a concave-up trend of the points in the scatter plot", where="Effort/Gain Plots, Figure 7, of AP",
    conditions=DATA, estimand="leading coefficient of a parabola fitted to AP over Twist; percentiles of drawn topics",
    asks="above 0", above=0,
)  # fmt: skip
CONCAVE_DOWN: Final = PAPER.claim(
    "we can recognize a slightly concave-down curve of the points", where="Effort/Gain Plots, Figure 10, of nDCG",
    conditions=DATA,
    estimand="leading coefficient of a parabola fitted to nDCG over Twist; percentiles of drawn topics",
    asks="below 0", below=0,
)  # fmt: skip
SCATTERED: Final = PAPER.claim(
    "The points in the plots of bpref are a little bit more scattered than the ones of AP",
    where="Effort/Gain Plots, Figure 8", conditions=DATA,
    estimand="share of the variance that the parabola leaves, of bpref minus AP; percentiles of drawn topics",
    asks="above 0", above=0,
)  # fmt: skip
HUGELY: Final = PAPER.claim(
    "the points in this case are hugely scattered across the sixteen quadrants grid and it is hard to recognize a "
    "clear trend as we have done before for AP and bpref",
    where="Effort/Gain Plots, Figure 9, of RBP", conditions=DATA,
    estimand="share of the variance that the parabola leaves, of RBP minus AP and minus bpref; percentiles of drawn "
    "topics",
    asks="above 0 for both", above=0,
)  # fmt: skip


@PAPER.item(
    "Figures 7 to 10", "Effort against gain", at=6,
    by="Twist against AP, bpref, RBP with p = .8 and nDCG of base 10, in sixteen quadrants: quartiles of the gain, and "
    "Twist below .25, .5, .75 and above. A point is a run on a topic. High-high are the four quadrants of high or huge "
    "gain at high or huge effort. Shapes are those of a parabola that is fitted to the cloud.",
    needs=(something_relevant,),
)  # fmt: skip
def figures_7_to_10(study: Study) -> Iterator[Block]:
    """Count the points of each field, and say how the clouds bend."""
    found = study.experiment("effort-gain", everywhere=True)
    yield found.picture("effort-gain")
    in_all = {family(row["measure"]): row for row in study.of_first(found, "shares").iter_rows(named=True)}
    points = study.of_first(found, "points").rename(family)
    column = np.searchsorted((0.25, 0.5, 0.75), points["Twist"].to_numpy(), side="right")
    fields = {}
    for measure, claim in QUADRANTS.items():
        gain = points[measure].to_numpy()
        # A gain on a quartile is in the lower quarter, as in the experiment; a Twist on a limit in the upper one.
        row = np.searchsorted(np.quantile(gain, (0.25, 0.5, 0.75)), gain, side="left")
        fields[measure] = row
        more = points.select("topic", more=((row > 1) & (column < 2)).astype(float) - (row == column))
        share = in_all[measure]
        yield claim.told(
            study,
            {"difference": mean_of(shares(more, pl.col("more")))},
            f"{100 * share['diagonal']:.1f}% are on the diagonal, {100 * share['high_high']:.1f}% are high-high.",
        )
    best = points.select("topic", best=fields["AP"] == 3, easy=(fields["AP"] == 3) & (column > 1))
    sums = best.group_by("topic").agg(pl.col("best", "easy").sum().cast(pl.Float64)).sort("topic")
    of_best, easy = sums["best"].to_numpy(), sums["easy"].to_numpy()
    [quarter] = drawn(lambda counts: (counts @ easy) / np.maximum(counts @ of_best, 1e-9), sums.height)
    yield beside(
        "On TREC 10 less than a quarter of the runs of the highest AP, on TREC 20 less than 10%, require medium or "
        "low effort.",
        f"{ClaimPart('Of those above the third quartile', quarter, percent=True, digits=0)} do.",
    )
    sums_of = {measure: _powers(points, measure) for measure in QUADRANTS}
    topics = len(sums_of["AP"])
    for claim, measure in ((CONCAVE_UP, "AP"), (CONCAVE_DOWN, "nDCG")):
        [bend] = drawn(lambda counts, of=sums_of[measure]: _parabola(of, counts)[0], topics)  # type: ignore[misc]
        yield claim.told(study, {"coefficient": bend})

    def left(one: str, other: str, sure: float) -> Estimate:
        return drawn(
            lambda counts: _parabola(sums_of[one], counts)[1] - _parabola(sums_of[other], counts)[1], topics, sure
        )[0]

    yield SCATTERED.told(study, estimated(left, {"bpref minus AP": ("Bpref", "AP")}))
    yield HUGELY.told(study, estimated(left, {f"RBP minus {other}": ("RBP", other) for other in ("AP", "Bpref")}))
    type_a = by_ranking(study, ["Twist"]).filter(pl.col("archetype") == Archetype.TYPICAL_A.value)["Twist"]
    if len(type_a):
        low = float((type_a < 0.5).to_numpy().mean())
        yield Words.of(
            "The columns are read as archetypes: from a Twist of .5 on those of type A and the excellent ones. By "
            f"definition Twist can be anything for type A; {100 * low:.0f}% of the {counted(len(type_a), 'ranking')} "
            "of type A here have a Twist below .5."
        )
    yield found.table("shares")


def _powers(points: pl.DataFrame, measure: str) -> Floats:
    """Return the sums by topic from which a parabola over Twist follows: array of shape (topics, 9)."""
    x, y = pl.col("Twist"), pl.col(measure)
    terms = [(x**power).sum().alias(f"x{power}") for power in range(5)]
    terms += [(y * x**power).sum().alias(f"y{power}") for power in range(3)] + [(y * y).sum().alias("yy")]
    return np.asarray(points.group_by("topic").agg(terms).sort("topic").drop("topic").to_numpy(), dtype=np.float64)


def _parabola(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Fit a parabola to drawn topics: its leading coefficients, and the shares of the variance that it leaves."""
    s = counts @ sums
    system = np.stack([s[:, [i, i + 1, i + 2]] for i in range(3)], axis=1)
    ys, yy = s[:, 5:8], s[:, 8]
    # The pseudo-inverse: of drawn topics whose lists have fewer than three Twists no single parabola is the best.
    coefficients = np.einsum("dij,dj->di", np.linalg.pinv(system, hermitian=True), ys)
    total = yy - ys[:, 0] ** 2 / s[:, 0]
    left = yy - (coefficients * ys).sum(axis=1)
    return coefficients[:, 2], np.divide(left, total, out=np.zeros_like(left), where=total > 1e-12)


@PAPER.item(
    "Figure 11", "Curves of lists with a similar gain", at=7,
    by="In the paper: four rankings of TREC 10 by two systems and more, chosen by eye among the best by nDCG. Here for "
    "each effort the one of huge nDCG whose gain is nearest to the median of the huge ones.",
    needs=(something_relevant,),
)  # fmt: skip
def figure_11(study: Study) -> Iterator[Block]:
    """Draw lists of like gain."""
    found = study.experiment("effort-gain")
    efforts = found["chosen"].unique("effort", maintain_order=True)["effort"].to_list()
    yield beside(
        "Among the quarter of highest nDCG there are rankings of huge, high, medium and low effort.",
        f"There are rankings of {named(efforts)} effort." if efforts else "There is none above the third quartile.",
    )
    yield found.picture("effort-gain-curves")


@PAPER.item("Figure 12", "Where the runs lie by each measure", at=8, by=THREE_QUARTERS, needs=(at_least(4, "runs"),))
def figure_12(study: Study) -> Iterator[Block]:
    """Draw the means."""
    found = study.experiment("correlation")
    yield found.picture("measure-distribution")
    means = found["means"].group_by("measure", maintain_order=True)
    ranges = means.agg(pl.col("mean").min().alias("least"), median=pl.col("mean").median(), most=pl.col("mean").max())
    yield ReportTable("means", rounded(ranges, "Means of the runs."), found["means"], f"{found.command} --table means")
