"""Ferro and others (2016): Twist, the effort that a list costs beside the gain that it brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from cranfield.experiments.side_by_side import COLLECTION
from cranfield.lists.archetypes import Archetype, classify
from cranfield.measures.effort import Recovery
from cranfield.measures.framework.measure import Measure
from cranfield.measures.relative_position import CRP, RP
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, Folded, ReportTable, Statement, Words
from cranfield.reproductions.paper import Paper, at_least
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant, telling_apart
from cranfield.reproductions.study import Found, Study, rounded

PAPER: Final = Paper(
    "twist",
    "The Twist measure for IR evaluation: taking user's effort into account",
    "Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), JASIST 67(3)",
)

LISTS: Final = {
    "w": ([0] * 15, [3, 3, 2, 2, 1, 1, 1]),
    "fs": ([0] * 8 + [1, 1, 1, 2, 2, 3, 3], []),
    "a": ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0], [1]),
    "b": ([3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0], []),
}
"""The runs of the paper's example, nr to hr being 0 to 3: what they retrieve, and what they lack."""
PRINTED: Final = {
    "w": (
        "-7 -6 -5 -4 -3 -2 -1 0 0 0 0 0 0 0 0",
        "-7 -13 -18 -22 -25 -27 -28 -28 -28 -28 -28 -28 -28 -28 -28",
    ),
    "fs": (
        "-7 -6 -5 -4 -3 -2 -1 0 2 3 4 8 9 12 13",
        "-7 -13 -18 -22 -25 -27 -28 -28 -26 -23 -19 -11 -2 10 23",
    ),
    "a": ("0 0 0 -4 0 2 -1 0 0 3 0 0 0 0 0", "0 0 0 -4 -4 -2 -3 -3 -3 0 0 0 0 0 0"),
    "b": ("0 -6 -2 -4 1 -2 -1 0 5 3 0 0 11 7 0", "0 -6 -8 -12 -11 -13 -14 -14 -9 -6 -6 -6 5 12 12"),
}
"""Their RP and CRP in the paper."""

THREE_QUARTERS: Final = (
    "Of the runs the three quarters with the highest mean AP take part; AP, bpref and RBP are binary, from the lowest "
    "relevant grade on."
)
FIGURES: Final = {
    "Figure 4": ("the first crossing, the balance point and ρ", ("CrossingRank", "BalancePoint", "Recovery")),
    "Figure 5": ("σ⁺, σ⁻ and σ", ("ForwardSpace", "BackwardSpace", "Space")),
    "Figure 6": ("τ", ("Twist",)),
}
"""What they bound, and by which measures that is told."""
REPETITIONS: Final = 100
FEW: Final = 20
NEARLY_ALL: Final = 0.9
LEVEL: Final = 0.02
"""τ that differ by less are level: so much chance there is in a few draws."""


@PAPER.item(
    "Definitions 1 to 6", "The example, and the bounds of the full-scale run",
    by="In the paper: 7 relevant documents of three grades, lists of 15. This is arithmetic, without any runs.",
)  # fmt: skip
def example(study: Study) -> Iterator[Block]:
    """Calculate the vectors of the example, and look for the bounds of Propositions 1 to 3."""
    del study
    for run, (rp, crp) in PRINTED.items():
        found = [_vector(measure, run) for measure in (RP(), CRP())]
        claimed = f"Of run {run} RP is {rp} and CRP is {crp}."
        same = found == [rp, crp]
        yield Statement(claimed, "They are the same." if same else f"RP is {found[0]} and CRP is {found[1]}.", same)
    bounds = []
    for measure in (RP(), CRP()):
        values = [int(value) for value in _vector(measure, "fs").split()]
        bounds += [min(values), max(values)]
    yield Statement(
        "By Propositions 1 and 2 the bounds of RP are -7 and 13, those of CRP -28 and 23.",
        "Of the full-scale run they are {} and {}, {} and {}.".format(*bounds),
        bounds == [-7, 13, -28, 23],
    )
    late = Recovery(cutoff=3).of([0, 0, 1])
    yield Statement(
        "Proposition 3: the full-scale run recovers below one half, where N is 3 times the recall base or more.",
        f"With one relevant document and N = 3 its ρ is {late:g}: definition 3 takes the rank before the curve is back "
        "at 0, the proof the rank after.",
        late < 0.5,
    )
    right = Recovery(crossing="definition").of([1], [1])
    yield Statement(
        "Definition 3: a run whose curve never comes back to 0 has ρ = 0.",
        f"The list of one of two relevant documents never comes back (CRP 0, -1, -1, ...), and by the letter of the "
        f"definition has ρ = {right:g}, since it starts at 0. As Figure 4 has it, ρ is "
        f"{Recovery().of([1], [1]):g}, and so it is taken below.",
        right == 0,
    )


def _vector(measure: Measure, run: str) -> str:
    retrieved, missed = LISTS[run]
    return " ".join(f"{(measure @ rank).of(retrieved, missed):g}" for rank in range(1, len(retrieved) + 1))


@PAPER.item(
    "Figures 1 and 2", "Relative position, the first crossing, and the space",
    by="In the paper: sketches of the example. Here a list of type A, the one of median Twist. " + TWO_KINDS,
    needs=(something_relevant,),
)  # fmt: skip
def figures_1_and_2(study: Study) -> Iterator[Block]:
    """Draw a typical list, and count those that the backward space ratio takes for the worst."""
    examples = study.experiment("archetypes")["examples"]
    typical = examples.filter(pl.col("archetype") == Archetype.TYPICAL_A.value)
    chosen = (typical if typical.height else examples).row(0, named=True)
    of_run = study.of_runs([chosen["run"]])
    for figure in ("relative-position", "crossing"):
        yield of_run.plot(figure, telling_apart(study, "CRP"), topic=chosen["topic"])
    values = by_ranking(study, ["BackwardSpace"])
    lost = values.filter(pl.col("BackwardSpace") == 0)
    others = lost.filter(~pl.col("archetype").is_in([Archetype.WORST.value, Archetype.FULL_SCALE.value]))
    yield Statement(
        "The worst and the full-scale run are the only ones with a backward space ratio of exactly 0.",
        f"{lost.height:,} of {counted(values.height, 'ranking')} have it, {others.height:,} of which are neither: a "
        "list has it if, and only if, nothing relevant is within its first R ranks.",
        others.height == 0,
    )


@PAPER.item(
    "Figures 3 to 6", "Archetypes, and their crossings, ρ, σ and τ",
    by="In the paper: made runs, and bounds for every archetype. Here each ranking is held to the bounds of its own; "
    "the picture has the one of median Twist of each. " + TWO_KINDS,
)  # fmt: skip
def figures_3_to_6(study: Study) -> Iterator[Block]:
    """Hold every ranking against the bounds of its archetype."""
    found = study.experiment("archetypes")
    yield found.picture("archetypes")
    rows = found["figures"].with_columns(wrong=pl.col("rankings") - pl.col("as_said"))
    for figure, (what, quantities) in FIGURES.items():
        tested = rows.filter(pl.col("quantity").is_in(quantities) & pl.col("as_said").is_not_null())
        wrong = tested.filter(pl.col("wrong") > 0)
        exceptions = [
            f"{row['quantity']} of {row['archetype']} is not {row['paper']} for {row['wrong']:,} of "
            f"{row['rankings']:,} (the least is {row['least']:.3g}, the median {row['median']:.3g})"
            for row in wrong.iter_rows(named=True)
        ]
        kinds = tested["archetype"].n_unique()
        yield Statement(
            f"{figure} bounds {what} of every archetype.",
            "; ".join(exceptions) + "." if exceptions else f"All rankings of the {kinds} archetypes found keep to it.",
            not exceptions,
        )
    limits = rows.filter(pl.col("as_said").is_null() & pl.col("quantity").is_in(["BackwardSpace", "Twist"]))
    if limits.height:
        ranges = [
            f"{row['quantity']} {row['least']:.2f} to {row['largest']:.2f}" for row in limits.iter_rows(named=True)
        ]
        yield Statement(
            "Of excellent runs the space ratios and Twist tend towards 1.",
            f"Of {limits['rankings'][0]}: {', '.join(ranges)}.",
        )
    grade = study.runs.judgments.grade
    lowest = float(grade[grade > 0].min(initial=np.inf)) if study.runs.grading.rel is None else study.runs.grading.rel
    binary = classify(study.runs.under(rel=lowest))
    excellent = binary.filter(pl.col("archetype") == Archetype.EXCELLENT.value).height
    yield Statement(
        "Excellent runs cannot happen in the case of binary relevance.",
        f"With grades from {lowest:g} on taken for one, {excellent:,} of {counted(binary.height, 'ranking')} are "
        f"excellent{': R - 1 relevant documents, one that is not, and the last relevant one' if excellent else ''}.",
        excellent == 0,
    )
    table = found["figures"]
    sheet = rounded(table, "Is it as the figures have it? A crossing that there is not is at N + 1.", keys=2)
    yield Folded("All bounds", (ReportTable("archetypes-figures", sheet, table, f"{found.command} --table figures"),))


@PAPER.item("Table 1", "The collections", by="In the paper: TREC 10, 14, 20 and 21. Pool depths are not in the files.")
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
    yield Statement(
        "Four collections of 50 topics; 27 to 95 runs of 1,000 or 10,000 documents; 3 or 4 relevance degrees.",
        "; ".join(
            f"{name}: {counted(topics, 'topic')}, {counted(runs, 'run')} of up to {counted(length, 'document')}, "
            f"{counted(degrees, 'degree')}"
            for name, topics, runs, length, degrees, *_ in rows
        )
        + ".",
    )
    if len(rows) > 1:
        yield Words.of(f"Statements below are held against {rows[0][0]}; tables and pictures have all collections.")
    yield ReportTable(
        "collections", rounded(table, "The longest list is the run length; not relevant is a degree."), table
    )


@PAPER.item(
    "Table 2", "Shares of the archetypes",
    by="Lists are padded to N = 1,000 documents. " + TWO_KINDS,
)  # fmt: skip
def table_2(study: Study) -> Iterator[Block]:
    """Count the archetypes."""
    found = study.experiment("archetypes", everywhere=True)
    share = dict(_of_first(study, found, "shares").select("archetype", "share").iter_rows())
    typical_a, typical_b = (share.get(kind.value, 0.0) for kind in (Archetype.TYPICAL_A, Archetype.TYPICAL_B))
    yield Statement(
        "About 95 % of the runs are typical, of type A or B (90.9 to 98.1 %).",
        f"{100 * (typical_a + typical_b):.1f} % are.",
        typical_a + typical_b >= 0.909,
    )
    yield Statement(
        "Typical runs of type A (60.7 to 83.9 %) are more than those of type B (12.7 to 31.3 %).",
        f"{100 * typical_a:.1f} % are of type A, {100 * typical_b:.1f} % of type B.",
        typical_a > typical_b,
    )
    worst, ideal, excellent, full_scale = (
        100 * share.get(kind.value, 0.0)
        for kind in (Archetype.WORST, Archetype.IDEAL, Archetype.EXCELLENT, Archetype.FULL_SCALE)
    )
    yield Statement(
        "1.86 to 8.86 % are worst, 0 to 0.17 % ideal, 0 to 0.16 % excellent.",
        f"{worst:.2f} % are worst, {ideal:.2f} % ideal, {excellent:.2f} % excellent.",
    )
    yield Statement("No run is full-scale.", f"{full_scale:.2f} % are.", full_scale == 0)
    yield found.table("shares")


@PAPER.item(
    "Figures 7 to 10", "Effort against gain",
    by="Twist against AP, bpref, RBP with p = .8 and nDCG of base 10, in sixteen quadrants: quartiles of the gain, and "
    "Twist below .25, .5, .75 and above. A point is a run on a topic. High-high are the four quadrants of high or huge "
    "gain at high or huge effort. Shapes are those of a parabola that is fitted to the cloud.",
)  # fmt: skip
def figures_7_to_10(study: Study) -> Iterator[Block]:
    """Count the points of each field, and say how the clouds bend."""
    found = study.experiment("effort-gain", everywhere=True)
    yield found.picture("effort-gain")
    shares = {_family(row["measure"]): row for row in _of_first(study, found, "shares").iter_rows(named=True)}
    said = {
        "AP": "Figure 7: by AP 25 to 28 % are on the diagonal (where given), 37 % to a half are high-high",
        "Bpref": "Figure 8: by bpref as many as by AP (on TREC 20 1.24 % are on the diagonal)",
        "RBP": "Figure 9: by RBP 31 to 38 % are on the diagonal, 37.4 % to a half are high-high",
        "nDCG": "Figure 10: by nDCG it is as by AP",
    }
    for measure, claimed in said.items():
        row = shares[measure]
        yield Statement(
            f"{claimed}; more are high-high than on the diagonal.",
            f"{100 * row['diagonal']:.1f} % are on the diagonal, {100 * row['high_high']:.1f} % are high-high.",
            row["high_high"] > row["diagonal"],
        )
    easy = shares["AP"]["best_at_less_effort"]
    yield Statement(
        "Of the points of highest AP less than a quarter (TREC 20: a tenth) take medium or low effort.",
        f"{100 * easy:.0f} % do.",
        easy < 0.25,
    )
    bends = {measure: _bend(study, found, measure) for measure in said}
    unexplained = {measure: rest for measure, (_, rest) in bends.items()}
    for measure, upward, claimed in (
        ("AP", True, "Figure 7: the points of AP have a concave-up trend."),
        ("nDCG", False, "Figure 10: those of nDCG have a slightly concave-down one."),
    ):
        bend = bends[measure][0]
        yield Statement(
            claimed, f"The parabola has a leading coefficient of {bend:.2f}.", bend > 0 if upward else bend < 0
        )
    scatter = ", ".join(f"{measure} {100 * rest:.0f} %" for measure, rest in unexplained.items())
    yield Statement(
        "Figure 8: the points of bpref are a little more scattered than those of AP.",
        f"The parabola leaves unexplained of the variance: {scatter}.",
        unexplained["Bpref"] > unexplained["AP"],
    )
    yield Statement(
        "Figure 9: those of RBP are hugely scattered.",
        f"By the same shares the most scattered are those of {max(unexplained, key=unexplained.__getitem__)}.",
        max(unexplained, key=unexplained.__getitem__) == "RBP",
    )
    every = by_ranking(study, ["Twist"])
    costly = float((every["Twist"] < 0.5).to_numpy().mean()) if every.height else 0.0
    if costly > NEARLY_ALL:
        yield Words.of(
            f"Of all rankings {100 * costly:.0f} % have a Twist below .5, since their lists end before they could "
            "return: what gains more than the median is nearly all high-high then, whatever the measure."
        )
    twist = every.filter(pl.col("archetype") == Archetype.TYPICAL_A.value)["Twist"]
    if len(twist):
        below = int((twist < 0.5).sum())
        yield Statement(
            "Below a Twist of .5 are runs that are worst, full-scale, or of type B; from .5 on are those of type A and "
            "the excellent ones.",
            f"{100 * below / len(twist):.0f} % of the {counted(len(twist), 'ranking')} of type A have a Twist below "
            ".5.",
            below == 0,
        )
    yield found.table("shares")


@PAPER.item(
    "Figure 11", "Curves of lists that gain alike",
    by="In the paper: four rankings of TREC 10 by two systems and more, chosen by eye among the best by nDCG. Here for "
    "each effort the one of huge nDCG whose gain is nearest to the median of the huge ones.",
)  # fmt: skip
def figure_11(study: Study) -> Iterator[Block]:
    """Draw lists of like gain."""
    found = study.experiment("effort-gain")
    chosen = found["chosen"].unique("effort", maintain_order=True)
    yield Statement(
        "Among the quarter of highest nDCG there are rankings of huge, high, medium and low effort.",
        f"There are rankings of {_listed(chosen['effort'].to_list())} effort.",
        chosen.height == 4,
    )
    yield found.picture("effort-gain-curves")


@PAPER.item("Figure 12", "Where the runs lie by each measure", by=THREE_QUARTERS, needs=(at_least(4, "runs"),))
def figure_12(study: Study) -> Iterator[Block]:
    """Draw the means."""
    found = study.experiment("correlation")
    yield found.picture("measure-distribution")
    means = found["means"].group_by("measure", maintain_order=True)
    ranges = means.agg(pl.col("mean").min().alias("least"), median=pl.col("mean").median(), most=pl.col("mean").max())
    yield ReportTable("means", rounded(ranges, "Means of the runs."), found["means"], f"{found.command} --table means")


@PAPER.item(
    "Table 3", "τ of AP with bpref, RBP and nDCG",
    by=f"Kendall's τ of the orders of the runs. {THREE_QUARTERS}",
    needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Correlate the measures of gain."""
    found = study.experiment("correlation", everywhere=True)
    tau, p = _correlations(study, found)
    others = ("Bpref", "RBP", "nDCG")
    with_ap = {measure: tau["AP", measure] for measure in others}
    yield Statement(
        "AP has τ = .839 to .851 with bpref, .567 to .723 with RBP, .833 to .907 with nDCG.",
        f"τ is: {_taus(with_ap)}.",
    )
    lowest = min(with_ap, key=with_ap.__getitem__)
    yield Statement("AP is least like RBP.", f"It is least like {lowest}.", lowest == "RBP")
    largest = max(p["AP", measure] for measure in others)
    yield Statement("All are significant, well below 1 %.", f"The largest p is {largest:.2g}.", largest < 0.01)
    yield found.table("pairs")
    yield from _more_grades(study)


def _more_grades(study: Study) -> Iterator[Block]:
    """Merge grades, and look whether AP and nDCG agree more."""
    claimed = "AP and nDCG agree less on TREC 21 (τ = .839), where there are more grades."
    if study.runs.grading.rel is not None or study.counts["grades"] < 2:
        one = "There is one grade, so that there is nothing to merge."
        level = "Grades are merged (cranfield experiment conflation) where no relevance level is given."
        yield Statement(claimed, one if study.counts["grades"] < 2 else level)
        return
    merged = study.experiment("conflation")
    rows = merged["conflations"].filter(pl.col("lowest_relevant") == pl.col("lowest_relevant").min())
    fewest, most = rows.row(0, named=True), rows.row(-1, named=True)
    yield Statement(
        claimed,
        f"With all relevant grades taken for one τ is {fewest['correlation']:.2f}, with the {most['degrees']} degrees "
        f"there are {most['correlation']:.2f} (p of the difference {fewest['p']:.2g}).",
        most["correlation"] < fewest["correlation"],
    )
    yield Folded("τ of AP and nDCG where grades are merged", (merged.table("conflations"),))


@PAPER.item(
    "Table 4", "τ of Twist with AP, bpref, RBP and nDCG",
    by=f"Kendall's τ of the orders of the runs. {THREE_QUARTERS} The paper tests no difference of two τ; p is that of "
    "drawing topics anew.",
    needs=(at_least(4, "runs"),),
)  # fmt: skip
def table_4(study: Study) -> Iterator[Block]:
    """Correlate Twist with the measures of gain."""
    found = study.experiment("correlation", everywhere=True)
    tau, p = _correlations(study, found)
    others = ("AP", "Bpref", "RBP", "nDCG")
    twist = {measure: tau["Twist", measure] for measure in others}
    yield Statement(
        "Twist is never very highly correlated with a measure of gain (.37 to .92; three of sixteen above .9).",
        f"τ is: {_taus(twist)}.",
        max(twist.values()) < 0.93,
    )
    lowest, highest = min(twist, key=twist.__getitem__), max(twist, key=twist.__getitem__)
    yield Statement(
        "It is most like nDCG (but on TREC 21).",
        f"It is most like {highest}. {_difference(study, found, 'nDCG', 'AP')}",
        highest == "nDCG",
    )
    yield Statement(
        "It is least like RBP.", f"It is least like {lowest}. {_difference(study, found, 'AP', 'RBP')}", lowest == "RBP"
    )
    yield Statement(
        "It is generally less like bpref than like AP.",
        f"It has {twist['Bpref']:.2f} with bpref and {twist['AP']:.2f} with AP.",
        twist["Bpref"] < twist["AP"],
    )
    largest = max(p["Twist", measure] for measure in others)
    yield Statement("All are significant, well below 1 %.", f"The largest p is {largest:.2g}.", largest < 0.01)
    differences = _of_first(study, found, "differences")
    rows = differences.filter(pl.col("measure").str.starts_with("Twist")).drop("measure", COLLECTION, strict=False)
    sheet = rounded(rows, "By how much τ of Twist with the one is above that with the other.", keys=2)
    yield ReportTable("differences", sheet, rows, f"{found.command} --table differences")


@PAPER.item(
    "Figure 13", "Fewer judgments",
    by="Stratified samples of 90, 70, 50, 30 and 10 % of the judgments, at least 10 that are not relevant; τ with the "
    f"order by all judgments. {THREE_QUARTERS} The paper draws once; here τ is a mean of several draws.",
    needs=(at_least(4, "runs"),),
    longer=f"{REPETITIONS} draws instead of {FEW}",
)  # fmt: skip
def figure_13(study: Study) -> Iterator[Block]:
    """Take judgments away."""
    repetitions = REPETITIONS if study.full else FEW
    found = study.experiment("downsampling", everywhere=True, repetitions=repetitions)
    yield found.picture("downsampling")
    tau = dict[float, dict[str, float]]()
    for rate, measure, value in _of_first(study, found, "correlation").select("rate", "measure", "tau").iter_rows():
        tau.setdefault(rate, {})[_family(measure)] = value
    area = {measure: sum(of[measure] for of in tau.values()) / len(tau) for measure in tau[0.1]}
    order = sorted(area, key=area.__getitem__, reverse=True)
    yield Statement(
        "The most robust are bpref and nDCG.",
        f"The mean of τ over the five rates is: {_taus({measure: area[measure] for measure in order})}.",
        set(order[:2]) == {"Bpref", "nDCG"},
    )
    half, tenth = tau[0.5], tau[0.1]
    yield Statement(
        "Down to half of the judgments Twist is as robust as bpref, AP and RBP (TREC 10).",
        f"At half of them τ is: {_taus(half)}.",
        all(half["Twist"] >= half[measure] - LEVEL for measure in ("Bpref", "AP", "RBP")),
    )
    yield Statement(
        "At a tenth it is more robust than AP, and as robust as bpref (TREC 10).",
        f"At a tenth τ is: {_taus(tenth)}.",
        tenth["Twist"] > tenth["AP"] and tenth["Twist"] >= tenth["Bpref"] - LEVEL,
    )
    above = [f"{100 * rate:.0f} %" for rate, of in sorted(tau.items(), reverse=True) if of["Twist"] > of["RBP"]]
    yield Statement(
        "Twist is more robust than RBP at all rates (TREC 14), or down to half (TREC 20).",
        f"It is so at {_listed(above)} of the judgments." if above else "It is so at no rate.",
        {"90 %", "70 %", "50 %"} <= set(above),
    )
    yield _by_rate(found)


@PAPER.item(
    "Figure 14", "Discriminative power",
    by=f"Sakai's paired bootstrap test of all pairs of runs, 1,000 resamples, α = .05. {THREE_QUARTERS}",
    needs=(at_least(4, "runs"), at_least(2, "topics")),
)  # fmt: skip
def figure_14(study: Study) -> Iterator[Block]:
    """Count the pairs of runs that each measure tells apart."""
    found = study.experiment("discriminative-power", everywhere=True)
    yield found.picture("asl")
    rows = _of_first(study, found, "power").filter(pl.col("alpha") == 0.05)
    share, delta = (
        {_family(measure): value for measure, value in rows.select("measure", column).iter_rows()}
        for column in ("share", "delta")
    )
    order = sorted(share, key=share.__getitem__, reverse=True)
    better = [measure for measure in order if share[measure] > share["Twist"]]
    found_pairs = ", ".join(f"{measure} {100 * share[measure]:.1f} %" for measure in order)
    gains = [share[measure] for measure in share if measure != "Twist"]
    yield Statement(
        "Twist is always comparable to the most used measures.",
        f"Of {rows['pairs'][0]:,} pairs are told apart: {found_pairs}.",
        min(gains) <= share["Twist"],
    )
    yield Statement(
        "nDCG alone is more discriminative than Twist (TREC 20 and 21).",
        f"More are {_listed(better) or 'none'}.",
        better == ["nDCG"],
    )
    yield Statement(
        "RBP has a low discriminative power beside the others.",
        f"It is number {order.index('RBP') + 1} of {len(order)}.",
        order.index("RBP") >= len(order) - 2,
    )
    deltas = sorted(delta, key=lambda measure: delta[measure])
    yield Statement(
        "Twist has a low Δ, the lowest on two of the four collections.",
        "Δ is " + ", ".join(f"{delta[measure]:.3f} by {measure}" for measure in deltas) + ".",
        deltas.index("Twist") <= 1,
    )
    yield found.table("power")


@PAPER.item(
    "Related metrics", "RBP with p = .95",
    by="The paper says it without a figure. As in Figures 13 and 14, but at two rates.",
    needs=(at_least(4, "runs"), at_least(2, "topics")),
    longer=f"{REPETITIONS} draws instead of {FEW}",
)  # fmt: skip
def related_metrics(study: Study) -> Iterator[Block]:
    """Hold RBP of a patient user against that of a less patient one, and Twist."""
    rel = study.runs.grading.rel or 1
    usual, patient = (f"RBP(p={p},rel={rel:g})" for p in (0.8, 0.95))
    measures = (usual, patient, "Twist")
    power = study.experiment("discriminative-power", measures)
    share = dict(power["power"].filter(alpha=0.05).select("measure", "share").iter_rows())
    twist = next(measure for measure in share if measure.startswith("Twist"))
    told = f"{100 * share[patient]:.1f} % of the pairs, with p = .8 {100 * share[usual]:.1f} %, Twist "
    yield Statement(
        "With p = .95 RBP has a high discriminative power.",
        f"It tells apart {told}{100 * share[twist]:.1f} %.",
        share[patient] >= max(share[usual], share[twist]),
    )
    repetitions = REPETITIONS if study.full else FEW
    fewer = study.experiment("downsampling", measures, rates=(0.5, 0.1), repetitions=repetitions)
    rows = fewer["correlation"].select("rate", "measure", "tau").iter_rows()
    tau = {(measure, rate): value for rate, measure, value in rows}
    kept = "; ".join(
        f"{name} τ = {tau[measure, 0.5]:.2f} and {tau[measure, 0.1]:.2f}"
        for name, measure in (("RBP(p=.95)", patient), ("RBP(p=.8)", usual), ("Twist", twist))
    )
    yield Statement(
        "It is not stable when pools are downsampled; Twist strikes a good balance.",
        f"At half and at a tenth of the judgments: {kept}.",
        tau[patient, 0.1] < tau[twist, 0.1],
    )
    yield _by_rate(fewer)


PAPER.lacks(
    "Future work", "Users, time, and weights by grade",
    why="The paper names them without a formula or data: what users did is not asked in it either. PatientTwist and "
    "TimedTwist are readings of it that can be computed.",
)  # fmt: skip


def _of_first(study: Study, found: Found, table: str) -> pl.DataFrame:
    """Return what a table has of the first collection, whether or not there are others."""
    rows = found[table]
    return rows.filter(pl.col(COLLECTION) == next(iter(study.collections))) if COLLECTION in rows.columns else rows


def _by_rate(found: Found) -> ReportTable:
    """Lay τ out with a column for each share of the judgments."""
    rows = found["correlation"]
    keys = [name for name in (COLLECTION, "measure") if name in rows.columns]
    shown = rows.with_columns(rate=pl.format("{} %", (100 * pl.col("rate")).round().cast(pl.Int64)))
    wide = shown.pivot("rate", index=keys, values="tau", maintain_order=True)
    most = rows.select(pl.col("standard_error").max()).item()
    caption = f"τ by the share of the judgments that is left; the largest standard error is {most:.3f}."
    return ReportTable("correlation", rounded(wide, caption, keys=len(keys)), rows, found.command)


def _family(measure: str) -> str:
    """Name a measure without its parameters.

    >>> _family("RBP(p=0.8,rel=1)")
    'RBP'
    """
    return measure.partition("(")[0].partition("@")[0]


def _bend(study: Study, found: Found, measure: str) -> tuple[float, float]:
    """Fit a parabola to the points of a measure: its leading coefficient, and the share of variance that it leaves."""
    points = _of_first(study, found, "points")
    effort, gain = (next(column for column in points.columns if _family(column) == name) for name in ("Twist", measure))
    x, y = points[effort].to_numpy(), points[gain].to_numpy()
    if len(np.unique(x)) < 3 or np.ptp(y) == 0:
        return 0.0, 0.0
    coefficients = np.polyfit(x, y, 2)
    return float(coefficients[0]), float(np.var(y - np.polyval(coefficients, x)) / np.var(y))


def _correlations(study: Study, found: Found) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Return τ and p of each two measures, by their names without parameters, in either order."""
    tau, p = dict[tuple[str, str], float](), dict[tuple[str, str], float]()
    for row in _of_first(study, found, "pairs").iter_rows(named=True):
        a, b = _family(row["measure_a"]), _family(row["measure_b"])
        tau[a, b] = tau[b, a] = row["correlation"]
        p[a, b] = p[b, a] = row["p"]
    return tau, p


def _difference(study: Study, found: Found, one: str, other: str) -> str:
    """Say how much more Twist is like one measure than like another, and how sure that is."""
    for row in _of_first(study, found, "differences").iter_rows(named=True):
        more, than = _family(row["more_like"]), _family(row["than_like"])
        if _family(row["measure"]) == "Twist" and {more, than} == {one, other}:
            return f"Its τ with {more} is {row['difference']:.2f} above that with {than} (p = {row['p']:.2g})."
    return ""


def _taus(values: dict[str, float]) -> str:
    """Write correlations down.

    >>> _taus({"AP": 0.5, "RBP": 0.25})
    'AP 0.50, RBP 0.25'
    """
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _listed(words: Sequence[str]) -> str:
    """Write a list down.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
