"""Which runs are almost the same?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.experiments.declared import Rows, pair_columns
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.overlap import overlap_at_the_top
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Level
from cranfield.plumbing.wording import counted
from cranfield.results.sheet import listed
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.differences import pairs


@experiment
def near_duplicates(runs: JudgedRuns, *, p: Level = 0.9, depth: Count = 100, threshold: Level = 0.9) -> Outcome:
    """Which runs are almost the same, and which are of one kind?

    The lists of each pair of runs are compared topic by topic, by their rank-biased overlap; its mean over the topics
    that both have measures the similarity of the runs. Runs are then joined into groups, the most similar first: the
    similarity of two groups is the average over their runs.

    Near-duplicates get in each other's way: they share their places on a leaderboard, seldom differ significantly, and
    count twice wherever runs are counted, such as in a correlation of measures or in a pool. Judgments only decide
    which topics are compared.

    Of the 10,924 pairs of runs of TREC's Deep Learning track 2019 (passages), TREC-COVID's first round and fifteen runs
    of TREC-8, 18 have an overlap of 0.9 or more (p = 0.9). Judging by their names, 17 of these are variants of one
    system; the other pairs of different teams reach 0.84. Hence the threshold.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    p
        Persistence: the first 10 ranks hold 86% of the weight at 0.9.
    depth
        How many documents of each list are looked at.
    threshold
        From which overlap on runs are called near-duplicates.

    Tables
    ------
    summary
        How many pairs are near-duplicates.
        p, threshold : number
            As they were asked for.
        pairs, near, groups : whole number
            All pairs; those with an overlap of the threshold or more; groups that were joined at it or above.
    runs
        A row for each run, similar runs next to each other.
        run : text
        group : whole number
            Of near-duplicates: joined at the threshold or above; from 1, null where the run is in none.
        nearest : text
            The most similar run; null where no run shares a topic with it.
        overlap : number
            With that run.
    merges
        The steps that join the runs, the most similar first: one row fewer than runs.
        first, second : whole number
            What is joined: from 0 the runs, in the order of the table of runs, and after them, in this order, what
            was joined before.
        overlap : number
            Of the runs of the first with those of the second, on average.
        runs : whole number
            How many are together then.
    pairs
        A row for each pair.
        run_a, run_b : text
        topics : whole number
            How many both have.
        overlap : number
            Null where they have none; that counts 0 where runs are joined.

    Raises
    ------
    InputError
        Where there are fewer than two runs.

    Paper: Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings", ACM TOIS 28(4), for the
    overlap, which is the extrapolated one; Sokal and Michener (1958), "A statistical method for evaluating systematic
    relationships", for joining by averages.

    Examples
    --------
    >>> from cranfield import join
    >>> lists = {"bm25": "abc", "copy": "abc", "dense": "xya"}
    >>> found = near_duplicates(join({"1": {"a": 1}}, {name: {"1": list(docs)} for name, docs in lists.items()}))
    >>> found["runs"].select("run", "group", "nearest").rows()
    [('bm25', 1, 'copy'), ('copy', 1, 'bm25'), ('dense', None, 'bm25')]
    >>> found["merges"].select("first", "second", "runs").rows()
    [(0, 1, 2), (2, 3, 3)]
    """
    if len(runs.runs) < 2:
        raise InputError(f"near-duplicates need at least two runs; the only one is {runs.runs[0]}")
    overlap, topics = overlap_at_the_top(JudgedRankings.batch(runs.with_retrieved.batches), depth=depth, p=p)
    order, merges = _joined(overlap)
    groups = _groups(merges, len(order), threshold)
    names = [runs.runs[run] for run in order]
    alike = np.where(np.eye(len(order), dtype=bool) | np.isnan(overlap), -1.0, overlap)[np.ix_(order, order)]
    nearest, most = alike.argmax(axis=1), alike.max(axis=1)
    a, b = pairs(len(order))
    near = int((overlap[a, b] >= threshold).sum())
    tables: dict[str, Rows] = {
        "summary": [(p, threshold, len(a), near, max(filter(None, groups), default=0))],
        "runs": {
            "run": names,
            "group": groups,
            "nearest": [names[other] if near >= 0 else None for other, near in zip(nearest, most, strict=True)],
            "overlap": [float(near) if near >= 0 else None for near in most],
        },
        "merges": merges,
        "pairs": pair_columns(runs.runs) | {"topics": topics[a, b], "overlap": overlap[a, b]},
    }
    return Outcome(tables, _notes(names, groups, overlap[a, b], threshold))


def _joined(overlap: Floats) -> tuple[list[int], list[tuple[int, int, float, int]]]:
    """Join the most similar runs by average linkage: the order that puts similar runs together, and the steps."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    apart = (1 - np.nan_to_num(overlap))[pairs(len(overlap))].clip(min=0.0)
    tree = linkage(apart, "average", optimal_ordering=True)
    order = leaves_list(tree).tolist()
    order = order if order.index(0) < len(order) / 2 else order[::-1]  # both directions are as good
    place = {run: i for i, run in enumerate(order)}
    steps = []
    for first, second, height, runs in tree.tolist():
        both = sorted(place.get(int(node), int(node)) for node in (first, second))
        steps.append((both[0], both[1], 1 - height, int(runs)))
    return order, steps


def _groups(merges: Sequence[tuple[int, int, float, int]], runs: int, threshold: float) -> list[int | None]:
    """Number the groups joined at the threshold or above, in the order of the runs; None for runs in no group."""
    members = {run: [run] for run in range(runs)}
    for step, (first, second, overlap, _) in enumerate(merges):
        if overlap >= threshold:
            members[runs + step] = members.pop(first) + members.pop(second)
    several = sorted(sorted(group) for group in members.values() if len(group) > 1)
    number = {run: i for i, group in enumerate(several, start=1) for run in group}
    return [number.get(run) for run in range(runs)]


def _notes(names: Sequence[str], groups: Sequence[int | None], overlaps: Floats, threshold: float) -> Iterator[str]:
    many = int((overlaps >= threshold).sum())
    yield f"{many:,} of {counted(len(overlaps), 'pair')} overlap by {threshold:g} or more"
    for group in sorted(set(filter(None, groups))):
        yield f"near-duplicates: {listed([name for name, of in zip(names, groups, strict=True) if of == group])}"
    if lacking := int(np.isnan(overlaps).sum()):
        yield f"{counted(lacking, 'pair shares', 'pairs share')} no topic"
