"""Do tests of means and tests of ranks find the same differences?"""

from __future__ import annotations

from cranfield.comparison.comparing import compare
from cranfield.comparison.methods import TESTS, name_in
from cranfield.experiments.best_runs import that_rank_nothing
from cranfield.experiments.declared import long_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import did_not_run
from cranfield.statistics.conclusions import significant
from cranfield.statistics.effect_size import SIZES


@experiment
def significance(
    runs: JudgedRuns,
    measures: MeasureNames = (
        "nCG(gains={1:1,2:10,3:100},averaged=True)@200",
        "nDCG(base=2,gains={1:1,2:10,3:100},averaged=True)@200",
    ),
    *,
    tests: tuple[str, ...] = ("anova", "friedman"),
    alpha: Level = 0.01,
    work: Work,
) -> Outcome:
    """Do tests of means and tests of ranks find the same differences, and do these differences matter?

    All pairs of runs are compared by several tests. The significant differences are compared across
    tests, and with Spärck Jones' rule for differences in practice: marginal below 5% of the
    smaller mean, material above 10. A run can win few topics by a large margin, so that means and
    ranks contradict each other; and with enough topics a marginal difference is significant.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        One or more; the paper uses averaged nCG and nDCG vectors with gains 0-1-10-100.
    tests
        Names of tests, as `cranfield compare --tests` lists them. Pairwise tests are corrected by Holm's method.
    alpha
        Significance level.
    work
        Where progress is shown and kept: a step for each test.

    Tables
    ------
    differences
        A row for each measure and pair of runs.
        measure, run_a, run_b : text
        mean_a, mean_b : number
            As the measure has them.
        difference : number
            For a geometric mean, of the logarithms.
        relative : number
            As a share of the smaller mean; null if either mean is negative.
        size : text
            Marginal, noticeable or material.
        significant : text
            The tests by which it is significant.
        <test> : number
            The corrected p of each test.
    agreement
        A row for each measure and size; pairs with a negative mean have no size.
        measure, size : text
        pairs : whole number
            The number of pairs.
        all, none : whole number
            The number significant by all tests, and by none.
        <test> : whole number
            The number significant by the test.
    omnibus
        For tests that first ask whether any runs differ.
        measure, test : text
        statistic, p : number

    Raises
    ------
    InputError
        If there are fewer than two runs or topics, or a test is unknown.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), Table 1.

    Examples
    --------
    >>> from cranfield import join
    >>> good, poor = {"a": 2.0, "x": 1.0}, {"x": 2.0, "a": 1.0}
    >>> runs = {"good": {t: good for t in "12345678"}, "poor": {t: poor for t in "1234567"} | {"8": good}}
    >>> found = significance(join({t: {"a": 1} for t in "12345678"}, runs), "RR", tests=("t", "sign"), alpha=0.1)
    >>> found["differences"].select("difference", "relative", "size", "significant").rows()
    [(0.4375, 0.777..., 'material', 't, sign')]
    """
    asked = number_measures(measures)
    names = list(dict.fromkeys(name_in(TESTS, "test", name) for name in tests))

    def step(number: int) -> pl.DataFrame:
        return compare(runs, measures=asked, test=names[number], alpha=alpha).to_polars()

    found = work.steps(range(len(names)), step)
    by_test = found.partition_by("test", maintain_order=True)
    found_by = (pl.when(table["significant"]).then(pl.lit(name)) for name, table in zip(names, by_test, strict=True))
    differences = by_test[0].select(
        *("measure", "run_a", "run_b", "mean_a", "mean_b", "difference", "relative", "size"),
        pl.concat_str(*found_by, separator=", ", ignore_nulls=True).alias("significant"),
        *(table["p_adjusted"].alias(name) for name, table in zip(names, by_test, strict=True)),
    )
    tables = {
        "differences": differences,
        "agreement": _agreement(differences, names, alpha),
        "omnibus": found.filter(pl.col("omnibus").is_not_null())
        .select("measure", "test", statistic="omnibus_statistic", p="omnibus_p")
        .unique(maintain_order=True),
    }
    panel = runs.that_ran.panel(asked)
    level = that_rank_nothing(panel.measures, panel.averages)
    return Outcome(tables, (*did_not_run(runs.not_run, len(runs.topics)), *panel.notes, *level))


def _agreement(differences: pl.DataFrame, names: list[str], alpha: float) -> pl.DataFrame:
    """Count, by measure and size, what the tests find alone and together."""
    measures = differences["measure"].unique(maintain_order=True).to_list()
    found = [significant(pl.col(name), alpha) for name in names]
    counts = differences.group_by("measure", "size").agg(
        pairs=pl.len(),
        all=pl.all_horizontal(found).sum(),
        none=(~pl.any_horizontal(found)).sum(),
        **{name: each.sum() for name, each in zip(names, found, strict=True)},
    )
    rows = pl.DataFrame(long_columns({"measure": measures, "size": SIZES}))
    return rows.join(counts, on=["measure", "size"], how="left", maintain_order="left").fill_null(0)
