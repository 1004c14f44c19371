"""One judge against the qrels: how labels differ from grades, and what follows for runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.experiments.declared import Columns, long_columns
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, rankings_of_order
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.lazy import special
from cranfield.plumbing.options import Weights
from cranfield.plumbing.tables import AVERAGE, SORTED_BY_LABELS
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.selection.assessors import Labels, scale_of
from cranfield.statistics.agreement import ac_of_counts, alpha_of_counts, kappa_of_counts
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.clusters import jackknife_interval
from cranfield.statistics.concordance import mean_of_shares
from cranfield.statistics.correlation_vectors import is_constant
from cranfield.statistics.differences import checked, pairs, t_statistics
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.on_paper import places, side
from cranfield.statistics.rank_correlation import interval, kendall_tau, tau_ap
from cranfield.statistics.usual import ALPHA

ALL: Final = "all"
"""The kind that every run is of."""
STATISTICS: Final = (
    "same_grade", "over_rated", "under_rated", "leniency",
    "kappa", "weighted_kappa", "ac1", "ac2", "alpha_nominal", "alpha_ordinal",
)  # fmt: skip
BEYOND_CHANCE: Final = STATISTICS[4:]
_RANGES: Final = {"leniency": (-np.inf, np.inf)} | dict.fromkeys(BEYOND_CHANCE, (-1.0, 1.0))
"""Within what each can be, if not from 0 to 1."""
CONCORDANCE: Final = "concordance"
LIMITED: Final = ("value", "low", "high")
_BY_TOPIC: Final = ("same_grade", "over_rated", "under_rated", "leniency", "kappa", "weighted_kappa", "alpha_ordinal")
REPEATED: Final = ("same_label", "higher", "lower", "kappa", "alpha_ordinal")
_MOST_LABELS: Final = 100
"""A judge with more different labels has no kappa with itself: hardly any label is given twice."""
ANSWER: Final = "@"
"""What stands between the name of a judge and the number of the answer."""


def given(labels: Labels) -> Columns:
    """Say what one assessor gave."""
    there = labels.given[~np.isnan(labels.given)]
    return {
        "assessor": labels.name,
        "same_scale": labels.same_scale,
        "documents": len(there),
        "missing": labels.missing,
        "outside": int(labels.outside.sum()),
        "different": len(np.unique(there)),
        "lowest": there.min(),
        "highest": there.max(),
    }


def against_qrels(labels: Labels, judgments: Judgments, weights: Weights) -> Iterator[Columns]:
    """Compare labels with the grades of the qrels: agreement if they are grades, and always their order."""
    both, scale, counts = _beside(labels, judgments)
    if both.any():

        def statistics(drawn: Floats) -> list[float]:
            return statistics_of(np.tensordot(drawn, counts, 1), scale, weights)

        for row in _with_limits(STATISTICS, statistics, len(counts), int(both.sum())):
            yield {"assessor": labels.name} | row
    _, shares = _concordances(labels.order, judgments)
    there = shares[~np.isnan(shares)]
    mean = map(float, mean_of_shares(there)) if len(there) else (np.nan,) * 3
    yield {"assessor": labels.name, "statistic": CONCORDANCE} | dict(zip(LIMITED, mean, strict=True))


def _with_limits(
    names: Sequence[str], statistics: Callable[[Floats], list[float]], topics: int, documents: int
) -> Iterator[Columns]:
    """Return statistics with intervals over topics, clipped to their ranges; a single topic gives none."""
    limits = np.full((2, len(names)), np.nan)
    if topics > 1:
        least, most = np.array([_RANGES.get(name, (0.0, 1.0)) for name in names]).T
        limits = np.clip(jackknife_interval(statistics, topics), least, most)
    for name, *found in zip(names, statistics(np.ones(topics)), *limits, strict=True):
        known = documents > 1 or name not in BEYOND_CHANCE
        yield {"statistic": name} | dict(zip(LIMITED, found if known else [np.nan] * 3, strict=True))


def _beside(labels: Labels, judgments: Judgments) -> tuple[Booleans, Floats, Floats]:
    """Tell which documents have a grade of both, all grades, and how often they meet, by topic."""
    grade = labels.grade
    both = ~np.isnan(grade) & ~np.isnan(judgments.grade)
    scale = scale_of(np.array([judgments.grade, grade]))
    return both, scale, crossed(judgments.topic[both], judgments.grade[both], grade[both], scale, scale)


def by_topic(labels: Labels, judgments: Judgments, weights: Weights) -> Iterator[Columns]:
    """Compare labels with the grades of the qrels, topic by topic."""
    topics, shares = _concordances(labels.order, judgments)
    known = ~np.isnan(labels.order) & ~np.isnan(judgments.grade)
    documents = np.bincount(judgments.topic[known], minlength=len(judgments.topics))
    both, scale, counts = _beside(labels, judgments)
    agreed = dict(zip(np.unique(judgments.topic[both]).tolist(), counts, strict=True))
    for topic, share in zip(topics.tolist(), shares.tolist(), strict=True):
        row: Columns = dict.fromkeys(_BY_TOPIC)
        if topic in agreed:
            found = dict(zip(STATISTICS, statistics_of(agreed[topic], scale, weights), strict=True))
            single = agreed[topic].sum() < 2
            row = {name: None if single and name in BEYOND_CHANCE else found[name] for name in _BY_TOPIC}
        yield {
            "assessor": labels.name,
            "topic": judgments.topics[topic],
            "documents": int(documents[topic]),
            **row,
            CONCORDANCE: None if np.isnan(share) else share,
        }


def answers(labels: Sequence[Labels]) -> Iterator[tuple[str, Labels, Labels]]:
    """Pair the answers of one judge, named NAME@1, NAME@2 and so on, at different times."""
    for one, other in combinations(labels, 2):
        judge, at, _ = one.name.rpartition(ANSWER)
        if judge and at and other.name.rpartition(ANSWER)[0] == judge:
            yield judge, one, other


def repeated(judge: str, one: Labels, other: Labels, topic: Integers) -> Iterator[Columns]:
    """Set two answers of a judge side by side, on the judge's own scale."""
    both = ~np.isnan(one.given) & ~np.isnan(other.given)
    row = {"judge": judge, "answer_a": one.name, "answer_b": other.name, "documents": int(both.sum())}
    if not both.any():
        yield from (row | {"statistic": name} | dict.fromkeys(LIMITED) for name in REPEATED)
        return
    x, y = one.given[both], other.given[both]
    values = np.union1d(x, y)
    if few := len(values) <= _MOST_LABELS:
        counts = crossed(topic[both], x, y, values, values)
    else:  # the same, higher and lower alone
        counts = crossed(topic[both], np.zeros(len(x)), np.sign(y - x), np.zeros(1), np.array([-1.0, 0.0, 1.0]))

    def statistics(drawn: Floats) -> list[float]:
        found = np.tensordot(drawn, counts, 1)
        if not few:
            lower, same, higher = (found[0] / found.sum()).tolist()
            return [same, higher, lower, np.nan, np.nan]
        share = found / found.sum()
        sides = [float(np.triu(share, 1).sum()), float(np.tril(share, -1).sum())]
        return [float(np.trace(share)), *sides, kappa_of_counts(found), alpha_of_counts(found, "ordinal")]

    for found in _with_limits(REPEATED, statistics, len(counts), int(both.sum())):
        yield row | found


def leaderboards(qrels: Panel, judge: Panel, assessor: str, made: Booleans) -> Columns:
    """Compare scores and places of runs by a judge with those by the qrels; `made` are those made with the judge."""
    return long_columns(
        {"measure": qrels.measures, "assessor": [assessor], "run": qrels.runs},
        circular=[made] * len(qrels.measures),
        by_assessor=judge.means,
        by_qrels=qrels.means,
        place_by_assessor=places(judge.averages),
        place_by_qrels=places(qrels.averages),
    )


def circular_run(runs: JudgedRuns, labels: Floats, pool: int) -> JudgedRankings:
    """Make a run sorted by labels, of the documents that some run has down to a rank.

    Ties: by how many runs have the document there, then by id, the last first.
    """
    judgments = runs.batches[0].judgments
    counts = [np.bincount(each.judgment[each.rank <= pool], minlength=len(judgments)) for each in runs.batches]
    retrieved = np.sum(counts, axis=0)
    from_last = np.argsort(judgments.document.arg_sort(descending=True).to_numpy())
    some = np.flatnonzero((retrieved > 0) & ~np.isnan(labels))
    keys = (from_last[some], -retrieved[some], -labels[some], judgments.topic[some])
    return rankings_of_order(SORTED_BY_LABELS, judgments, some[np.lexsort(keys)])


def circular(
    qrels: Panel, judge: Panel | None, assessor: str, at: int, others: Booleans, resamples: int, seed: int
) -> Columns:
    """Say what the run `at` gains beyond others, by measure; no scores by a judge on another scale.

    Both panels have the same topics, or one of them has averages alone, and there are no intervals then.
    """
    gain = rest = np.full((len(qrels.measures), len(qrels.topics)), np.nan)
    gained = np.full((3, len(qrels.measures)), np.nan)
    if judge is not None:
        if qrels.topics != judge.topics:
            qrels, judge = _averaged(qrels), _averaged(judge)
        more = _more(qrels, judge)
        gain, rest = more[:, at], more[:, others].mean(axis=1) if others.any() else np.full_like(gain, np.nan)
        gained = gained_places(qrels.values, judge.values, at, others, resamples, seed)
    return {
        "measure": qrels.measures,
        "assessor": assessor,
        "run": qrels.runs[at],
        "by_assessor": None if judge is None else judge.means[:, at],
        "by_qrels": qrels.means[:, at],
        "place_by_assessor": None if judge is None else places(judge.averages)[:, at],
        "place_by_qrels": places(qrels.averages)[:, at],
        **_interval("gain", gain),
        **_interval("favour", gain - rest),
        **dict(zip(("places_gained", "places_low", "places_high"), gained, strict=True)),
    }


def _averaged(panel: Panel) -> Panel:
    """Take the averages for a single topic."""
    return replace(panel, topics=(AVERAGE,), values=panel.averages[..., np.newaxis], limits=None, weights=None)


def gained_places(qrels: Floats, judge: Floats, at: int, others: Booleans, resamples: int, seed: int) -> Floats:
    """Say how many of the others a run overtakes by the judge, with the limits over topics: shape (3, measures)."""

    def gained(by_qrels: Floats, by_judge: Floats) -> Floats:
        ahead = [side(each[..., others] - each[..., [at]]).clip(0).sum(axis=-1) for each in (by_qrels, by_judge)]
        return np.asarray(ahead[0] - ahead[1])

    seen = gained(qrels.mean(axis=-1), judge.mean(axis=-1))
    topics = qrels.shape[-1]
    if topics < 2:
        return np.array([seen, np.full_like(seen, np.nan), np.full_like(seen, np.nan)])
    counts = resample_counts(topics, resamples, seed) / topics
    drawn = gained(*(np.einsum("dt,mrt->mdr", counts, each) for each in (qrels, judge)))
    furthest = float(others.sum())
    limits = [interval(value, of, 1 - ALPHA, furthest=furthest) for value, of in zip(seen, drawn, strict=True)]
    return np.array([seen, *np.array(limits).T])


def with_one_more(runs: JudgedRuns, made: JudgedRankings) -> JudgedRuns:
    """Put one more run behind the others; bounds are left out, for which all would be read again."""
    return replace(runs.under(bounds=False), batches=(*runs.batches, made))


def biases(qrels: Panel, judge: Panel, assessor: str, kinds: Sequence[str] | None) -> Iterator[Columns]:
    """Say how much higher a judge scores all runs, and each kind of them, by measure."""
    more, of = _more(qrels, judge), np.array(kinds if kinds is not None else [ALL] * len(qrels.runs), dtype=object)
    groups = {ALL: np.ones(len(of), bool)} | {kind: of == kind for kind in dict.fromkeys(of.tolist()) if kind != ALL}
    for kind, own in groups.items():
        bias = more[:, own].mean(axis=1)
        favour = np.full_like(bias, np.nan) if own.all() else bias - more[:, ~own].mean(axis=1)
        yield {
            "measure": qrels.measures,
            "assessor": assessor,
            "kind": kind,
            "runs": int(own.sum()),
            "by_assessor": judge.means[:, own].mean(axis=1),
            "by_qrels": qrels.means[:, own].mean(axis=1),
            **_interval("bias", bias),
            **_interval("favour", favour),
        }


def correlated(one: Panel, other: Panel, names: Mapping[str, str], best: int) -> Iterator[Columns]:
    """Compare the rankings of the runs by two assessors, by measure."""
    for m, measure in enumerate(one.measures):
        row: Columns = {"measure": measure, **names, "topics": len(one.topics)}
        if not one.topics:
            yield row | dict.fromkeys(("tau", "tau_ap", "tau_best", "rank_error", "moved", "significant", "swapped"))
            continue
        x, y = one.averages[m], other.averages[m]
        level = tau_of(x, y) is None
        top = best_first(x)[:best]
        away = np.abs(places(x) - places(y))
        yield row | {
            "tau": tau_of(x, y),
            "tau_ap": None if level else float(tau_ap(y, x)),
            "tau_best": tau_of(x[top], y[top]),
            "rank_error": None if level else int(away.max()),
            "moved": one.runs[int(away.argmax())] if away.any() and not level else None,
            **_swaps(one.values[m], other.values[m]),
        }


def crossed(topic: Integers, one: Floats, other: Floats, rows: Floats, columns: Floats) -> Floats:
    """Count by topic how often one's grade meets the other's: array of shape (topics, rows, columns)."""
    topics, of = np.unique(topic, return_inverse=True)
    shape = len(topics), len(rows), len(columns)
    cell = (of * shape[1] + np.searchsorted(rows, one)) * shape[2] + np.searchsorted(columns, other)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def statistics_of(counts: Floats, scale: Floats, weights: Weights) -> list[float]:
    """Return `STATISTICS` of counts of shape (grades of the qrels, labels)."""
    share = counts / counts.sum()
    return [
        float(np.trace(share)),
        float(np.triu(share, 1).sum()),
        float(np.tril(share, -1).sum()),
        float((share * (scale - scale[:, np.newaxis])).sum()),
        kappa_of_counts(counts),
        kappa_of_counts(counts, weights),
        ac_of_counts(counts),
        ac_of_counts(counts, weights),
        alpha_of_counts(counts),
        alpha_of_counts(counts, "ordinal"),
    ]


def _concordances(labels: Floats, judgments: Judgments) -> tuple[Integers, Floats]:
    """Return by topic how often the better of two documents has the higher label; NaN where all grades are equal."""
    both = ~np.isnan(labels) & ~np.isnan(judgments.grade)
    topic = judgments.topic[both]
    order = np.argsort(topic, kind="stable")
    topics, first = np.unique(topic[order], return_index=True)
    of_topics = zip(*(np.split(of[both][order], first[1:]) for of in (judgments.grade, labels)), strict=True)
    return topics, np.array([_concordance(grade, label) for grade, label in of_topics])[: len(topics)]


def _concordance(grade: Floats, label: Floats) -> float:
    """Return the share of pairs of different grades whose labels have the same order; equal labels count half."""
    right = pairs = 0.0
    for level in np.unique(grade)[1:]:
        lower, own = np.sort(label[grade < level]), label[grade == level]
        right += sum(np.searchsorted(lower, own, side).sum() for side in ("left", "right")) / 2
        pairs += len(lower) * len(own)
    return right / pairs if pairs else float("nan")


def _more(qrels: Panel, judge: Panel) -> Floats:
    """Return how much more the judge gives: array of shape (measures, runs, topics), in the measures' own direction."""
    return (judge.values - qrels.values) * qrels.direction[:, np.newaxis, np.newaxis]


def _interval(name: str, by_topic: Floats) -> dict[str, Floats]:
    """Return means over topics, with their 95% intervals for topics like these."""
    nothing = np.full(len(by_topic), np.nan)
    known = by_topic.shape[1] > 1 and not np.isnan(by_topic).any()
    low, high = t_interval(by_topic) if known else (nothing, nothing)
    return {name: by_topic.mean(axis=1) if by_topic.shape[1] else nothing, f"{name}_low": low, f"{name}_high": high}


def tau_of(x: Floats, y: Floats) -> float | None:
    """Correlate two rankings of runs; None where one ties all of them."""
    return None if is_constant(x) | is_constant(y) else float(kendall_tau(x, y))


def told_apart(values: Floats) -> Floats | None:
    """Which run of each pair is significantly better: 1 the first, -1 the second, and 0 none of them?

    By the paired t test at 5%, for each pair alone; None for a single topic or run. Shapes: values (runs, topics); the
    result (pairs,).
    """
    runs, topics = values.shape
    if topics < 2 or runs < 2:
        return None
    first, second = pairs(runs)
    t = t_statistics(checked(values[first] - values[second]))
    return np.where(np.abs(t) > special.stdtrit(topics - 1, 1 - ALPHA / 2), np.sign(t), 0.0)


def _swaps(one: Floats, other: Floats) -> Columns:
    """Count the pairs of runs that differ by the one, and those that the other turns round; (runs, topics) each."""
    ours, theirs = told_apart(one), told_apart(other)
    if ours is None or theirs is None:
        return {"significant": None, "swapped": None}
    return {"significant": np.count_nonzero(ours), "swapped": np.count_nonzero(ours * theirs < 0)}
