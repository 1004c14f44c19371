"""Which axioms does a measure satisfy?"""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl

from cranfield.axioms import AXIOMS, Outcome, Search
from cranfield.experiments.experiment import Findings, MeasureNames, experiment
from cranfield.experiments.work import Work
from cranfield.measures.measure import Measure
from cranfield.measures.names import parse_measures

VERDICTS = {True: "satisfied", False: "violated", None: ""}

TABLE_1 = (
    *("AUC", "Kendall", "Spearman"),
    *("P@10", "R@10", "Rprec", "RR", "SetF", "AP"),
    *("nDCG", "Q", "Bpref"),
    *("ERR", "RBP(p=0.8)", "iRBU(p=0.8)", "iRBU(p=0.98)"),
    *("NDCGT", "ERRT", "RRT", "RBPT(p=0.8)"),
    *("FlatUtility", "RBU(p=0.8)", "RBU(p=0.98)", "DCGU", "ERRU", "RBPU(p=0.8)"),
    "OIE",
)

SCHEMA: dict[str, Any] = {
    "measure": pl.String,
    "axiom": pl.String,
    "verdict": pl.String,
    "if_found": pl.String,
    "compared": pl.Int64,
    "equal": pl.Int64,
    "reversed": pl.Int64,
    "n": pl.Int64,
    "top_grade": pl.Int64,
    "better": pl.String,
    "better_score": pl.Float64,
    "worse": pl.String,
    "worse_score": pl.Float64,
    "expected": pl.String,
}


@experiment
def axioms(
    measures: MeasureNames = TABLE_1,
    *,
    longest: int = 7,
    top_grade: int = 2,
    random: int = 2000,
    largest: int = 5000,
    seed: int = 7,
    work: Work | None = None,
) -> Findings:
    """Which axioms of rankings, and of truncated rankings, does a measure satisfy?

    The axioms are predicates on rankings, and are searched: through all rankings of a few documents, and some longer
    ones drawn at random. One ranking that contradicts an axiom is a proof that it is violated; where there is none,
    "satisfied" is evidence, as good as the number of comparisons that the table ``searches`` states. The two thresholds
    are limits: they are looked for at n = 1 to 10, 20, 50, 100, ..., and what is said of larger n is evidence.

    Parameters
    ----------
    measures
        The measures; without any, those of the paper's Table 1.
    longest
        All rankings of up to so many documents are tried, with up to two more documents that are not retrieved.
    top_grade
        The largest grade. Measures that do not count grades are searched with grades 0 and 1.
    random
        How many longer rankings are drawn, of up to 24 documents more.
    largest
        The largest n that thresholds are looked for at; rankings then have 2n documents, the collection up to 4n.
    seed
        Seed of the random rankings.
    work
        How progress is shown, and where finished steps are kept.

    Returns
    -------
    Findings with the tables ``axioms`` (a row for each measure, a column for each axiom), ``searches`` (verdict; the
    verdict over the comparisons in which all rankings retrieve something relevant; how many comparisons there were, in
    how many both sides were equal and in how many the wrong one won; the n found for a threshold) and
    ``counterexamples`` (the smallest found in which the wrong side wins or, if there is none, both are equal: what
    should be better and what worse, rankings as grades by rank, with their scores; for Redundancy, two rankings and the
    difference of their scores).

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better and how to measure
    that", SIGIR, section 2 and Table 1.

    Examples
    --------
    >>> found = axioms(["RR"], longest=3, random=0, largest=10)
    >>> found["counterexamples"].select("axiom", "better", "better_score", "worse", "worse_score").row(0)
    ('Priority', '1 1 0', 1.0, '1 0 1', 1.0)
    """
    chosen = parse_measures(measures)

    @cache
    def search(top: int) -> Search:
        return Search(longest=longest, top_grade=top, random=random, largest=largest, seed=seed)

    def of_measure(number: int) -> pl.DataFrame:
        measure = chosen[number]
        top = top_grade if measure.graded else 1
        outcomes = search(top).outcomes(measure).values()
        return pl.DataFrame([_row(measure, outcome, top) for outcome in outcomes], schema=SCHEMA, orient="row")

    settings = {
        "measures": [str(measure) for measure in chosen],
        "longest": longest,
        "top_grade": top_grade,
        "random": random,
        "largest": largest,
        "seed": seed,
    }
    rows = (work or Work()).steps("axioms", settings, range(len(chosen)), of_measure)
    wide = rows.select("measure", "axiom", "verdict").pivot("axiom", index="measure", values="verdict")
    tables = {
        "axioms": wide.select("measure", *AXIOMS),
        "searches": rows.select(
            "measure", "axiom", "verdict", "if_found", "compared", "equal", "reversed", "n", "top_grade"
        ),
        "counterexamples": rows.filter(pl.col("verdict") == VERDICTS[False]).select(
            "measure", "axiom", "better", "better_score", "worse", "worse_score", "expected"
        ),
    }
    return Findings("axioms", tables, settings, tuple(_notes(chosen)))


def _row(measure: Measure, outcome: Outcome, top: int) -> tuple[Any, ...]:
    sides: tuple[Any, ...] = (None,) * 4
    if (example := outcome.counter_example) is not None:
        half = len(example.lists) // 2
        sides = (
            *_side(example.lists[:half], example.scores[:half]),
            *_side(example.lists[half:], example.scores[half:]),
        )
    return (
        str(measure),
        outcome.axiom.name,
        VERDICTS[outcome.satisfied],
        VERDICTS[outcome.satisfied_if_found],
        outcome.compared,
        outcome.equal,
        outcome.reversed,
        outcome.size,
        top,
        *sides,
        outcome.axiom.demand,
    )


def _side(lists: tuple[str, ...], scores: tuple[float, ...]) -> tuple[str, float]:
    """One ranking and its score; or two, and the difference."""
    return "  minus  ".join(lists), scores[0] - sum(scores[1:])


def _notes(measures: list[Measure]) -> list[str]:
    notes = ["'satisfied' means that no comparison contradicts the axiom; 'violated' is proved by the counter-example"]
    lower = ", ".join(str(measure) for measure in measures if not measure.higher_is_better)
    if lower:
        notes.append(f"lower is better by {lower}: its negative was searched, and its scores are shown negative")
    return notes
