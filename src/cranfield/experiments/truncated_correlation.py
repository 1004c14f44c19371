"""Does knowing where to stop change which run is best?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from cranfield.arrays import Floats
from cranfield.errors import InputError
from cranfield.experiments.experiment import Findings, MeasureNames, experiment, number_measures
from cranfield.experiments.truncation import TRUNCATED, optimum
from cranfield.experiments.work import Work
from cranfield.judged_runs import JudgedRuns, join
from cranfield.measures.measure import Measure
from cranfield.statistics.rank_correlation import kendall_p, kendall_tau

FULL = (
    "AP", "nDCG", "DCG", "ERR", "RBP(p=0.8)", "RBP(p=0.9)", "RBP(p=0.98)",
    "iRBU(p=0.8)", "iRBU(p=0.9)", "iRBU(p=0.98)", "OIE",
)  # fmt: skip
"""The measures of full rankings of the paper's Table 2."""
LEVELS = (0.001, 0.01, 0.05)


@experiment
def truncated_correlation(
    runs: JudgedRuns,
    measures: MeasureNames = TRUNCATED,
    *,
    full: tuple[str, ...] = FULL,
    also: tuple[str, ...] = (),
    work: Work | None = None,
) -> Findings:
    """Do runs that are cut where they should end rank as the full ones do?

    Every list is cut where the truncation-aware measure is highest, and the runs are ranked by the means of that
    highest value; they are ranked by other measures of their full lists too, and Kendall's tau-b says how alike the
    rankings are. A very high correlation says that cutting makes no difference, a low one that it makes too much. A
    topic that a run lacks counts 0.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        By which lists are cut.
    full
        Measures of the full lists.
    also
        Further collections to average over, each written QRELS=RUNS with a file, folder or glob for RUNS.
    work
        Where progress is shown and kept: a step for each collection and measure by which lists are cut.

    Returns
    -------
    Findings with the tables ``correlation`` (a row for each measure of full lists, a column for each by which lists are
    cut: mean tau over the collections), ``significant`` (level, significant, pairs, share), ``pairs`` (collection,
    truncated, full, tau, p) and ``systems`` (collection, run, lists, measure, value: the points of scatter plots, with
    "truncated" or "full" for lists).

    Raises
    ------
    InputError
        Where a collection has fewer than three runs, is not written QRELS=RUNS, or is there twice.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better and how to measure
    that", SIGIR, section 4.3, Table 2 and Figure 3.

    Examples
    --------
    Cut where they should end, "late" is worth as much as "good" less two efforts: both measures rank it second.

    >>> good, late, lost = ({"1": dict(zip(found, (3.0, 2.0, 1.0)))} for found in ("axy", "xya", "xyz"))
    >>> runs = join({"1": {"a": 1}}, {"good": good, "late": late, "lost": lost})
    >>> truncated_correlation(runs, "FlatUtility", full=("AP",))["correlation"].rows()
    [('AP', 1.0)]
    """
    cutting, whole = number_measures(measures), number_measures(full)
    collections = [("first", runs)] + [(text, _collection(text, runs)) for text in also]
    _check(collections)
    settings = {"measures": [str(m) for m in cutting], "full": [str(m) for m in whole], "also": list(also)}
    by_full = [_ranking_values(collection.scores(whole).averages, whole) for _, collection in collections]

    def step(number: int) -> pl.DataFrame:
        place, i = divmod(number, len(cutting))
        name, collection = collections[place]
        mean = optimum(collection, cutting[i]).averages
        return pl.DataFrame({"collection": name, "run": collection.runs, "measure": str(cutting[i]), "value": mean})

    truncated = (work or Work()).steps(
        "truncated-correlation",
        settings | {"runs": [collection.fingerprint for _, collection in collections]},
        range(len(collections) * len(cutting)),
        step,
    )
    pairs = pl.concat(
        _correlated(truncated.filter(pl.col("collection") == name), by_full[place], cutting, whole)
        for place, (name, _) in enumerate(collections)
    )
    tables = {
        "correlation": _matrix(pairs, cutting),
        "significant": _significant(pairs),
        "pairs": pairs,
        "systems": _systems(truncated, collections, whole),
    }
    return Findings("truncated-correlation", tables, settings | {"collections": [name for name, _ in collections]})


def _collection(text: str, like: JudgedRuns) -> JudgedRuns:
    """Read a further collection, ranked and averaged as another one is."""
    qrels, equals, where = text.partition("=")
    if not (qrels and equals and where):
        raise InputError(f"a further collection is written QRELS=RUNS, not {text!r}")
    return join(Path(qrels), where, topics=like.averaged, order=like.order)


def _check(collections: Sequence[tuple[str, JudgedRuns]]) -> None:
    """Refuse what is too small to be correlated, and what would count twice."""
    known: dict[str, str] = {}
    for name, collection in collections:
        if len(collection.runs) < 3:
            raise InputError(f"{name}: {len(collection.runs)} runs; correlations need three at least")
        if collection.fingerprint in known:
            raise InputError(f"{name}: the same runs and judgments as {known[collection.fingerprint]}; name each once")
        known[collection.fingerprint] = name


def _ranking_values(means: Floats, measures: Sequence[Measure]) -> Floats:
    """Turn means round where the lower one is the better one."""
    better = np.array([1.0 if measure.higher_is_better else -1.0 for measure in measures])
    return better[:, np.newaxis] * means


def _correlated(
    truncated: pl.DataFrame, by_full: Floats, cutting: Sequence[Measure], whole: Sequence[Measure]
) -> pl.DataFrame:
    """Correlate every ranking of cut runs with every ranking of full ones, in one collection."""
    means = truncated["value"].to_numpy().reshape(len(cutting), -1)
    by_cut = _ranking_values(means, cutting)[:, np.newaxis]
    cut, full = np.indices((len(cutting), len(whole))).reshape(2, -1)
    return pl.DataFrame(
        {
            "collection": [truncated["collection"][0]] * len(cut),
            "truncated": [str(cutting[i]) for i in cut],
            "full": [str(whole[i]) for i in full],
            "tau": kendall_tau(by_cut, by_full).ravel(),
            "p": kendall_p(by_cut, by_full).ravel(),
        }
    )


def _matrix(pairs: pl.DataFrame, cutting: Sequence[Measure]) -> pl.DataFrame:
    """Average over collections: a row for each measure of full lists."""
    wide = pairs.pivot("truncated", index="full", values="tau", aggregate_function="mean")
    return wide.select("full", *(str(measure) for measure in cutting))


def _significant(pairs: pl.DataFrame) -> pl.DataFrame:
    """Count the correlations that are significant at each level."""
    counts = [pairs.filter(pl.col("p") < level).height for level in LEVELS]
    return pl.DataFrame({"level": LEVELS, "significant": counts, "pairs": pairs.height}).with_columns(
        share=pl.col("significant") / pl.col("pairs")
    )


def _systems(
    truncated: pl.DataFrame, collections: Sequence[tuple[str, JudgedRuns]], whole: Sequence[Measure]
) -> pl.DataFrame:
    """Lay out the points of the scatter plots."""
    full = [
        collection.scores(whole).means.select(pl.lit(name).alias("collection"), "run", "measure", "value")
        for name, collection in collections
    ]
    both = [truncated.with_columns(lists=pl.lit("truncated")), pl.concat(full).with_columns(lists=pl.lit("full"))]
    return pl.concat(both).select("collection", "run", "lists", "measure", "value")
