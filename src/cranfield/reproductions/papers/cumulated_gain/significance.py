"""Table 1: averages over ranks, and what tests of means and of ranks find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from cranfield.plumbing.lazy import pl
from cranfield.reports.document import Block, ReportTable
from cranfield.reproductions.claims import Estimate, beside
from cranfield.reproductions.needs import ClaimSetting, at_least
from cranfield.reproductions.papers.cumulated_gain import AVERAGED, PAPER, SAME, three
from cranfield.reproductions.study import Study
from cranfield.results.sheet import Marked, Sheet, SheetColumn

TESTS: Final = {"friedman": "**", "anova": "##"}
"""The tests of Table 1, and how it marks what they find."""
ALPHA: Final = 0.01
FAR: Final = 0.05
"""Of the other test p must be above this, so that the two do not part over a hair."""

CONFLICT: Final = PAPER.claim(
    "average curves and statistical testing based on requests may lead to inconsistent conclusions",
    where="section 3.6, Table 1", conditions="3 query types, 30 requests; Friedman's test and ANOVA at .01",
    estimand="pairs of runs with p < .01 by one of the two tests and p > .05 by the other, by averaged nCG or nDCG: a "
    "count",
    asks="there is such a pair", above=0, digits=0, of=ClaimSetting(runs=3, topics=10), may=True,
)  # fmt: skip


@PAPER.item(
    "Table 1", "Averages of nCG and nDCG, and what tests find", at=3.61,
    by=f"{SAME}. Vectors are averaged over the ranks (equation 6), request by request; Friedman's test (**) and ANOVA "
    "(##), at .01. In the paper nCG is .457, .627 and .755 and nDCG .308, .437 and .596 for BOOL, SUM and SSYN-C.",
    needs=(at_least(3, "runs"), at_least(2, "topics")),
)  # fmt: skip
def table_1(study: Study) -> Iterator[Block]:
    """Test the differences of the three runs, and those of all pairs."""
    chosen = three(study)
    found = chosen.experiment("significance", AVERAGED, tests=tuple(TESTS), alpha=ALPHA)
    gain, discounted = found["differences"].partition_by("measure", maintain_order=True)
    yield ReportTable(
        "averages", _as_printed([gain, discounted], chosen.runs.runs), found["differences"], found.command
    )
    yield beside(
        "By nDCG all query types differ significantly by ANOVA, by nCG two pairs of three do.",
        f"{(discounted['anova'] <= ALPHA).sum()} of the 3 pairs do by nDCG, {(gain['anova'] <= ALPHA).sum()} by nCG.",
    )
    every = study.experiment("significance", AVERAGED, tests=tuple(TESTS), alpha=ALPHA)
    pairs = every["differences"]
    alone = {
        test: pairs.filter((pl.col(test) < ALPHA) & (pl.col(other) > FAR)).height
        for test, other in (tuple(TESTS), tuple(reversed(TESTS)))
    }
    yield CONFLICT.told(
        study,
        {f"of {pairs.height:,} there are": Estimate.counted(sum(alone.values()))},
        f"By ANOVA alone {alone['anova']:,} differ, by Friedman's test alone {alone['friedman']:,}.",
    )
    yield every.table("agreement")


def _as_printed(measures: Sequence[pl.DataFrame], runs: Sequence[str]) -> Sheet:
    """Lay the averages and differences of three runs out as the paper does, the last run first."""
    order = list(reversed(runs))
    means = [
        {row[f"run_{side}"]: row[f"mean_{side}"] for row in rows.iter_rows(named=True) for side in "ab"}
        for rows in measures
    ]
    marks = [
        {frozenset((row["run_a"], row["run_b"])): _marks(row) for row in rows.iter_rows(named=True)}
        for rows in measures
    ]
    columns = [SheetColumn("measure", ["nCG", "nDCG"])]
    columns += [SheetColumn(run, [of[run] for of in means], numeric=True) for run in order]
    for low, high in combinations(order, 2):
        cells = [Marked(of[high] - of[low], by[frozenset((low, high))]) for of, by in zip(means, marks, strict=True)]
        columns.append(SheetColumn(f"{high} - {low}", cells, numeric=True))
    return Sheet(tuple(columns), 1, "** p < .01 by Friedman's test, ## p < .01 by ANOVA.")


def _marks(row: Mapping[str, Any]) -> str:
    return " ".join(mark for test, mark in TESTS.items() if row[test] <= 0.01)
