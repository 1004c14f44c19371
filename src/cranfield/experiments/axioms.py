"""Which axioms does a measure satisfy?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated

from cranfield.axioms import AXIOMS, Search
from cranfield.axioms import Searched as Verdict
from cranfield.experiments.declared import Columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.sweeps import read_sweep, require_known, settings_of
from cranfield.experiments.work import Work
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Range, Seed
from cranfield.scoring.orientation import direction

TABLE_1 = (
    *("AUC", "Kendall", "Spearman"),
    *("P@10", "R@10", "Rprec", "RR", "SetF", "AP"),
    *("nDCG", "Q", "Bpref"),
    *("ERR", "RBP(p=0.8)", "iRBU(p=0.8)", "iRBU(p=0.98)"),
    *("NDCGT", "ERRT", "RRT", "RBPT(p=0.8)"),
    *("FlatUtility", "RBU(p=0.8)", "RBU(p=0.98)", "DCGU", "ERRU", "RBPU(p=0.8)"),
    "OIE",
)

EXAMPLE = ("better", "better_score", "worse", "worse_score", "expected")
"""The columns of a counterexample."""


@experiment
def axioms(
    measures: MeasureNames = TABLE_1,
    *,
    longest: Count = 7,
    top_grade: Count = 2,
    random: Annotated[int, Range(at_least=0)] = 2000,
    largest: Count = 5000,
    sweep: str | None = None,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Which axioms of rankings, and of truncated rankings, does a measure satisfy?

    Each axiom is a predicate on rankings. All rankings of a few documents are searched for counterexamples, and some
    longer ones drawn at random. One ranking that contradicts an axiom proves it "violated". Without one, "satisfied" is
    evidence, as strong as the number of comparisons in the table ``searches``. The two threshold axioms require some n:
    it is searched at n = 1 to 100 and then in steps of 5%. A threshold found within the search is "satisfied";
    otherwise it is "open", since it may lie further on.

    Parameters
    ----------
    measures
        The measures; by default, those of the paper's Table 1.
    longest
        The length up to which all rankings are tried, with up to two further documents not retrieved.
    top_grade
        The largest grade. Binary measures are searched with grades 0 and 1.
    random
        The number of longer rankings drawn, with up to 24 more documents.
    largest
        The largest n at which thresholds are searched; rankings then have 2n documents, the collection up to 4n.
    sweep
        Parameters and their values, ``p=0.8|0.98, e=0.01|0.05``: each measure is searched with all
        combinations of its own parameters, to see on which ones the axioms depend.
    seed
        Seed of the random rankings.
    work
        How progress is shown, and where finished steps are kept.

    Tables
    ------
    axioms
        A row for each measure.
        measure : text
        <axiom> : text
            The verdict: satisfied, violated or open.
    searches
        A row for each measure and axiom.
        measure, axiom, verdict : text
        if_found : text
            The verdict over the comparisons in which all rankings retrieve something relevant; empty without one.
        compared, equal, reversed : whole number
            The number of comparisons, how many were equal, and how many the wrong side won.
        n : whole number
            For a threshold, the n found; if open, the n up to which it was searched. Null for other axioms.
        top_grade : whole number
            The largest grade of the rankings.
    counterexamples
        A row for each axiom that a measure violates: the smallest counterexample in which the wrong
        side wins or, failing that, both are equal.
        measure, axiom, better : text
            What should be better: a ranking, as grades by rank; for Redundancy two, whose difference counts.
        better_score : number
        worse : text
            What should be worse.
        worse_score : number
        expected : text
            What the axiom requires.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 2 and Table 1.

    Examples
    --------
    >>> found = axioms(["RR"], longest=3, random=0, largest=10)
    >>> found["counterexamples"].select("axiom", "better", "better_score", "worse", "worse_score").row(0)
    ('Priority', '1 1 0', 1.0, '1 0 1', 1.0)
    """
    chosen = number_measures(measures)
    if sweep is not None:
        swept = read_sweep(sweep)
        require_known(swept, chosen)
        chosen = list(dict.fromkeys(setting for measure in chosen for setting in settings_of(measure, swept)))

    @cache
    def search(top: int) -> Search:
        return Search(longest=longest, top_grade=top, random=random, largest=largest, seed=seed)

    def of_measure(number: int) -> pl.DataFrame:
        measure = chosen[number]
        top = top_grade if measure.graded else 1
        verdicts = search(top).outcomes(measure).values()
        return pl.DataFrame([_row(measure, verdict, top) for verdict in verdicts], infer_schema_length=None)

    rows = work.steps(range(len(chosen)), of_measure)
    wide = rows.select("measure", "axiom", "verdict").pivot("axiom", index="measure", values="verdict")
    tables = {
        "axioms": wide.select("measure", *AXIOMS),
        "searches": rows.drop(*EXAMPLE),
        "counterexamples": rows.filter(verdict="violated").select("measure", "axiom", *EXAMPLE),
    }
    return Outcome(tables, _notes(chosen))


def _row(measure: Measure, verdict: Verdict, top: int) -> Columns:
    sides: tuple[object, ...] = (None,) * 4
    if (example := verdict.counter_example) is not None:
        half = len(example.lists) // 2
        halves = (slice(half), slice(half, None))
        sides = tuple(part for of in halves for part in _side(example.lists[of], example.scores[of]))
    return {
        "measure": str(measure),
        "axiom": verdict.axiom.name,
        "verdict": verdict.verdict,
        "if_found": verdict.if_found or "",
        "compared": verdict.compared,
        "equal": verdict.equal,
        "reversed": verdict.reversed,
        "n": verdict.size,
        "top_grade": top,
    } | dict(zip(EXAMPLE, (*sides, verdict.axiom.demand), strict=True))


def _side(lists: tuple[str, ...], scores: tuple[float, ...]) -> tuple[str, float]:
    """One ranking and its score; or two and their difference."""
    return "  minus  ".join(lists), scores[0] - sum(scores[1:])


def _notes(measures: list[Measure]) -> Iterator[str]:
    yield (
        "satisfied: no counter-example was found; violated: the counter-example proves it; open: no threshold was "
        "found up to the n of the table 'searches', or rounding hides which list wins"
    )
    if lower := ", ".join(str(measure) for measure in measures if direction(measure) < 0):
        yield f"lower is better for {lower}: its scores are negated in the search and in the tables"
