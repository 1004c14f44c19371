"""Does knowing where to stop change which run is best?"""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.experiments.declared import Columns, Rows, long_columns, stacked
from cranfield.experiments.experiment import Collections, Outcome, experiment, number_measures
from cranfield.experiments.truncation import TRUNCATED, optimum
from cranfield.experiments.work import Work
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import significant
from cranfield.statistics.rank_correlation import kendall_p, kendall_tau

_FULL = (
    "AP", "nDCG", "DCG", "ERR", "RBP(p=0.8)", "RBP(p=0.9)", "RBP(p=0.98)",
    "iRBU(p=0.8)", "iRBU(p=0.9)", "iRBU(p=0.98)", "OIE",
)  # fmt: skip
"""The measures of full rankings of the paper's Table 2."""
_LEVELS = (0.001, 0.01, 0.05)


@experiment
def truncated_correlation(
    collections: Collections, measures: MeasureNames = TRUNCATED, *, full: MeasureNames = _FULL, work: Work
) -> Outcome:
    """Do runs cut at their best length rank like the full runs?

    Every list is cut where the truncation-aware measure is highest, and the runs are ranked by the means of that
    highest value. They are also ranked by other measures of their full lists, and Kendall's τ_b compares the rankings.
    A very high correlation means that cutting makes no difference, a low one that it makes too much. The correlations
    of several collections are averaged.

    Parameters
    ----------
    collections
        The runs of each, joined with the judgments.
    measures
        The measures by which lists are cut.
    full
        Measures of the full lists.
    work
        Where progress is shown and kept: a step for each collection and measure by which lists are cut.

    Tables
    ------
    correlation
        A row for each measure of the full lists.
        full : text
        <measure> : number
            Tau with the ranking by the best lists of this measure: the mean over the collections.
    significant
        The number of significant correlations.
        level : number
        significant, pairs : whole number
            The number with p ≤ level, and the total.
        share : number
    pairs
        A row for each collection, measure by which lists are cut, and measure of the full lists.
        collection, truncated, full : text
        tau : number
        p : number
            From Kendall's test.
    systems
        The means behind the rankings: the points of scatter plots.
        collection, run : text
        lists : text
            Whether they are "truncated" or "full".
        measure : text
        value : number
            The mean over the topics, as defined by the measure.

    Raises
    ------
    InputError
        If a collection has fewer than three runs, or its lowest relevant grade differs from the others'.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.3, Table 2 and Figure 3.

    Examples
    --------
    Cut at its best length, "late" is worth as much as "good" minus two efforts: both measures rank it second.

    >>> from cranfield import join
    >>> good, late, lost = ({"1": dict(zip(found, (3.0, 2.0, 1.0)))} for found in ("axy", "xya", "xyz"))
    >>> runs = join({"1": {"a": 1}}, {"good": good, "late": late, "lost": lost})
    >>> truncated_correlation(runs, "FlatUtility", full=("AP",))["correlation"].rows()
    [('AP', 1.0)]
    """
    cutting, whole = number_measures(measures), number_measures(full)
    _check(collections)
    names = list(collections)
    by_full = {name: runs.panel(whole) for name, runs in collections.items()}

    def step(number: int) -> pl.DataFrame:
        place, i = divmod(number, len(cutting))
        panel = optimum(collections[names[place]], cutting[i]).panel
        named = {"collection": names[place], "run": panel.runs, "lists": "truncated", "measure": str(cutting[i])}
        return pl.DataFrame(named | {"value": panel.means[0], "compared": panel.averages[0]})

    truncated = work.steps(range(len(names) * len(cutting)), step)
    by_name = {name: truncated.filter(collection=name) for name in names}
    pairs = pl.DataFrame(stacked([_correlated(name, by_name[name], by_full[name], cutting) for name in names]))
    wide = pairs.pivot("truncated", index="full", values="tau", aggregate_function="mean")  # of the collections
    counts = [pairs.filter(significant(pl.col("p"), level)).height for level in _LEVELS]
    systems = [
        long_columns(
            {"collection": [name], "run": panel.runs, "lists": ["full"], "measure": panel.measures}, value=panel.means.T
        )
        for name, panel in by_full.items()
    ]
    tables: dict[str, Rows] = {
        "correlation": wide.select("full", *map(str, cutting)),
        "significant": [(level, n, pairs.height, n / pairs.height) for level, n in zip(_LEVELS, counts, strict=True)],
        "pairs": pairs,
        "systems": pl.concat([truncated.drop("compared"), *map(pl.DataFrame, systems)]),
    }
    notes = [f"{name}: " * (len(names) > 1) + note for name, panel in by_full.items() for note in panel.notes]
    return Outcome(tables, notes)


def _check(collections: Collections) -> None:
    """Refuse collections too small to correlate, or that cannot be averaged under one name."""
    for name, runs in collections.items():
        if len(runs.runs) < 3:
            raise InputError(f"{name}: {counted(len(runs.runs), 'run')}; correlations need at least three")
    levels = {name: runs.grading.rel for name, runs in collections.items()}
    if len(set(levels.values())) > 1:
        said = ", ".join(f"rel={level} in {name}" for name, level in levels.items())
        raise InputError(f"measures are averaged over collections, so relevance must be the same; there are {said}")


def _correlated(name: str, truncated: pl.DataFrame, full: Panel, cutting: Sequence[Measure]) -> Columns:
    """Correlate every ranking of cut runs with every ranking of full ones, in one collection."""
    by_cut = truncated["compared"].to_numpy().reshape(len(cutting), 1, -1)
    names = {"collection": [name], "truncated": list(map(str, cutting)), "full": full.measures}
    return long_columns(names, tau=kendall_tau(by_cut, full.averages), p=kendall_p(by_cut, full.averages))
