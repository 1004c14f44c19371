"""How similar two systems' lists are: rank-biased overlap of runs, topic by topic."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from cranfield.formats import RunsLike, RunSource
from cranfield.judged.conditions import Reading
from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import Count, Level, Order, Ties, checked
from cranfield.plumbing.tables import AVERAGE, DOCUMENT, QUERY, SCORE, refuse_average
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns, open_runs, reading_of
from cranfield.statistics.rank_overlap import RBO, rbo, rbo_of_all

_PAIR = ("run_a", "run_b")


def overlap_of_runs(
    runs: RunsLike | JudgedRuns,
    *,
    p: float = 0.9,
    ties: Ties | None = None,
    per_topic: bool = False,
    order: Order | None = None,
    depth: Count | None = None,
    comments: bool | None = None,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> OneTable:
    """How similar are the lists of each pair of runs, with emphasis on the top?

    Rank-biased overlap (see `rbo`) of the two lists of each topic, and its mean over the topics
    that both have. Documents with equal scores are ranked as in `evaluate`, unless ``ties`` says
    what a tie means.

    Parameters
    ----------
    runs
        At least two: anything that `read_runs` takes, or joined runs.
    p
        Persistence, above 0 and below 1: the first 10 ranks hold 86% of the weight at 0.9.
    ties
        The meaning of equal scores: the documents share a rank (``"w"``), or their order is unknown
        (``"a"``, corrected for in ``"b"``); see `rbo`.
    per_topic
        Whether to add a row for each topic; the means follow as the topic ``all``.
    order, depth, comments, columns, fields
        As in `evaluate`; for joined runs as they were joined.
    progress
        Called with the number of pairs done.

    Returns
    -------
    OneTable
        A row for each pair of runs: run_a, run_b, topics (how many both have), minimum, residual
        and extrapolated. The minimum is certain, minimum + residual is the maximum, whatever
        follows the end of the lists, and extrapolated is the estimate.

    Raises
    ------
    InputError
        If there are fewer than two runs, no two have a topic in common, p is out of range, or
        ties are asked for where ranks or lines order the documents.

    Paper: W. Webber, A. Moffat, J. Zobel (2010), A similarity measure for indefinite rankings, ACM
    TOIS 28(4); ties: M. Corsi, J. Urbano (2024), The treatment of ties in rank-biased overlap, SIGIR.

    Examples
    --------
    Extrapolated, as of lists that go on so: (1 - p)(p⁰ · 0/1 + p · 2/2) + p² · 2/2 at p = 1/2.

    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
    >>> overlap_of_runs(runs, p=0.5).to_polars().select("topics", "extrapolated").rows()
    [(1, 0.5)]
    """
    p, ties = checked("p", p, Level), checked("ties", ties, Ties | None)
    reading = reading_of(
        runs, {"order": order, "depth": depth, "comments": comments, "columns": columns, "fields": fields}
    )
    if ties and reading.order in {"rank", "file"}:
        raise InputError(f"ties are equal scores; order {reading.order!r} leaves none")
    lists = {source.name: _lists(source, reading, tied=ties is not None) for source in open_runs(runs, reading)}
    if len(lists) < 2:
        raise InputError(f"overlap needs two runs or more; only {next(iter(lists))!r} is given")
    pairs = list(combinations(lists, 2))
    rows: list[tuple[str, str, str, float, float, float]] = []
    lacking = 0
    for done, (a, b) in enumerate(pairs, start=1):
        shared = [topic for topic in lists[a] if topic in lists[b]]
        lacking += len(shared) < len(lists[a].keys() | lists[b].keys())
        rows += [(a, b, topic, *rbo(lists[a][topic], lists[b][topic], p, ties=ties)) for topic in shared]
        if progress:
            progress(done, len(pairs))
    if not rows:
        raise InputError("no two of the runs have a topic in common")
    by_topic = pl.DataFrame(rows, schema=[*_PAIR, "topic", *RBO._fields], orient="row")
    means = by_topic.group_by(_PAIR, maintain_order=True).agg(pl.len().alias("topics"), pl.col(RBO._fields).mean())
    compared = counted(lacking, "pair of runs is", "pairs of runs are")
    notes = (f"{compared} compared on the topics that both have, not on all",) if lacking else ()
    caption = f"rank-biased overlap of {counted(len(lists), 'run')}, p {p:g}"
    caption += f", depth {reading.depth}" if reading.depth else ""
    caption += f", ties by {ties}" if ties else ""
    if not per_topic:
        return OneTable(means, caption, notes, index=2)
    refuse_average(by_topic["topic"])
    averages = means.with_columns(topic=pl.lit(AVERAGE)).select(by_topic.columns)
    parts = by_topic.partition_by(_PAIR, maintain_order=True)  # in the order of the means
    rows_of = [table for i, part in enumerate(parts) for table in (part, averages[i : i + 1])]
    return OneTable(pl.concat(rows_of), caption, notes, index=3)


def _lists(source: RunSource, reading: Reading, *, tied: bool) -> dict[str, list[str] | list[list[str]]]:
    """Read the documents of each topic, best first; or groups of those that have the same score."""
    ranked = read_ranked(source, reading)
    if tied:
        score = pl.col(SCORE).cast(pl.Float32) if reading.order == "trec9" else pl.col(SCORE)
        ranked = ranked.group_by(QUERY, score, maintain_order=True).agg(DOCUMENT)
    return dict(ranked.group_by(QUERY, maintain_order=True).agg(DOCUMENT).iter_rows())


def overlap_at_the_top(rankings: JudgedRankings, *, depth: int = 10, p: float = 0.9) -> tuple[Floats, Integers]:
    """How similar are the first documents of each two runs of a batch, and of how many topics is that the mean?

    It is what `overlap_of_runs` gives with this depth, as `rbo` extrapolates it. Shapes: (runs, runs).
    """
    runs, topics = len(rankings.runs), len(rankings.topics)
    top = rankings.cut(depth)
    run, topic = np.divmod(top.row, topics)
    order = np.argsort(topic, kind="stable")
    total, both = np.zeros((runs, runs)), np.zeros((runs, runs), np.int64)
    for cells in np.split(order, np.cumsum(np.bincount(topic, minlength=topics))[:-1]):
        known, place = np.unique(top.judgment[cells], return_inverse=True)
        ranks = np.zeros((runs, len(known)), np.int64)
        ranks[run[cells], place] = top.rank[cells]
        found = rbo_of_all(ranks, p)
        total += np.nan_to_num(found)
        both += ~np.isnan(found)
    return np.divide(total, both, out=np.full((runs, runs), np.nan), where=both > 0), both
