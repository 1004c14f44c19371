"""Runs cut where their lists should end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from cranfield.arrays import Floats, Integers
from cranfield.errors import InputError
from cranfield.formats import Runs, RunSource, read_qrels, read_runs
from cranfield.joining import Order, rank_run, ranked_table
from cranfield.judgments import Judgments
from cranfield.measures.measure import Measure
from cranfield.measures.names import parse_measure
from cranfield.rankings import JudgedRankings
from cranfield.stopping.optimal import optimal_lengths, values_by_length
from cranfield.stopping.rules import RULES, Learned, ScoredLists, folds_of, learn
from cranfield.tables import DOCUMENT, QUERY, RANK, SCORE

Way: TypeAlias = Callable[[RunSource, ScoredLists], tuple[Integers, str]]
"""Says of a run, whose lists are given, how much of each to keep, and by which rule, if one was learned."""


class CutRuns(Runs):
    """Runs that were cut; ``how`` says for each by which rule, where one was learned."""

    def __init__(self, sources: list[RunSource], how: list[str]) -> None:
        super().__init__(sources)
        self.how = dict(zip(self, how, strict=True))


def cut(
    runs: Any,
    *,
    at: int | None = None,
    score: float | None = None,
    oracle: str | Measure | None = None,
    learned: str | Measure | None = None,
    rule: str = "best",
    qrels: Any = None,
    folds: int = 5,
    seed: int = 7,
    order: Order = "score",
) -> CutRuns:
    """Where should the lists of these runs end? Cut them there.

    Parameters
    ----------
    runs, order
        As in `evaluate`.
    at
        Keep the first so many documents.
    score
        Keep the documents whose score is at least this, down to the first that is not.
    oracle
        Keep, topic by topic, the prefix that is best by this measure (the shortest, if several are): what a system that
        knew everything would return. Topics that the qrels lack stay whole.
    learned
        Learn from the judged topics a rule that ends the lists of a run so that this measure is highest, and cut all
        topics by it.
    rule
        For ``learned``: ``"depth"``, ``"score"``, ``"share"``, ``"drop"``, or the one of them that does ``"best"`` in
        cross-validation.
    qrels
        The judgments, for ``oracle`` and ``learned``: all that `evaluate` takes.
    folds, seed
        For ``learned``: the number of folds, and where their random choice comes from.

    Returns
    -------
    CutRuns : to be evaluated, or written. A list that is cut down to nothing is an empty list, not a missing topic.

    Raises
    ------
    InputError
        Where not exactly one way to cut is named, or qrels are missing.

    Examples
    --------
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> cut({"mine": run}, score=2)["mine"].rows()
    [('1', 'a', 3.0), ('1', 'b', 2.0)]
    >>> cut({"mine": run}, oracle="FlatUtility(e=0.4)", qrels={"1": {"a": 1, "b": 0}})["mine"].rows()
    [('1', 'a', 3.0)]
    """
    ways = {"at": at, "score": score, "oracle": oracle, "learned": learned}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"say one way to cut ({', '.join(ways)}), not {' and '.join(given) or 'none'}")
    measure = oracle if learned is None else learned
    way: Way
    if at is not None:
        way = partial(_first, at)
    elif score is not None:
        way = partial(_above, score)
    elif measure is None or qrels is None:
        raise InputError(f"{given[0]} needs qrels")
    else:
        judged = Judged(qrels, one_measure(measure), order)
        way = judged.best if learned is None else partial(judged.learned, rule, folds, seed)
    done = [_cut(source, way, order) for source in read_runs(runs).sources]
    return CutRuns([source for source, _ in done], [how for _, how in done])


class Judged:
    """The ways to cut that need judgments."""

    def __init__(self, qrels: Any, measure: Measure, order: Order) -> None:
        self.measure = measure
        self.judgments = qrels if isinstance(qrels, Judgments) else Judgments(read_qrels(qrels))
        self.order: Order = order

    def rankings(self, source: RunSource) -> JudgedRankings:
        """Join one run with the judgments."""
        return JudgedRankings.batch([rank_run(source, self.judgments, self.order)], self.judgments)

    def best(self, source: RunSource, lists: ScoredLists) -> tuple[Integers, str]:
        """Keep the best prefix of each judged topic."""
        length, _ = optimal_lengths(self.measure, self.rankings(source))
        kept = [length[self.judgments.code_of_topic[t]] if t in self.judgments.code_of_topic else n
                for t, n in zip(lists.topics, lists.length, strict=True)]  # fmt: skip
        return np.array(kept, np.int64), ""

    def learned(self, rule: str, folds: int, seed: int, source: RunSource, lists: ScoredLists) -> tuple[Integers, str]:
        """Keep what the rule keeps that was learned on the judged topics."""
        known = [t for t in lists.topics if t in self.judgments.code_of_topic]
        values = values_by_length(self.measure, self.rankings(source))
        codes = [self.judgments.code_of_topic[t] for t in known]
        rows = [lists.topics.index(t) for t in known]
        found = best_rule(rule, lists.only(np.array(rows, np.int64)), values[codes], folds, seed)
        return found.lengths(lists), f"{found}"


def best_rule(rule: str, lists: ScoredLists, values: Floats, folds: int, seed: int) -> Learned:
    """Learn one rule, or all of them and take the one that does best on topics that it was not learned on.

    >>> lists = ScoredLists(("1", "2"), np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> worth = np.array([[0.0, 1.0, 0.5], [0.0, 0.8, 0.2]])
    >>> str(best_rule("best", lists, worth, folds=2, seed=7))
    'depth 1'
    """
    known = ("best", *RULES)
    if rule not in known:
        raise InputError(f"rule must be {' or '.join(map(repr, known))}, not {rule!r}")
    fold = folds_of(len(lists.topics), folds, seed)
    tried = [learn(RULES[name], lists, values, fold) for name in (RULES if rule == "best" else [rule])]
    return max(tried, key=lambda found: found.value)


def one_measure(measure: str | Measure) -> Measure:
    """Read the name of one measure, or take the measure."""
    return measure if isinstance(measure, Measure) else parse_measure(measure)


def _first(k: int, source: RunSource, lists: ScoredLists) -> tuple[Integers, str]:
    del source
    if k < 1:
        raise InputError(f"at must be at least 1, not {k}")
    return np.minimum(lists.length, k), ""


def _above(threshold: float, source: RunSource, lists: ScoredLists) -> tuple[Integers, str]:
    del source
    return RULES["score"].lengths(lists, threshold), ""


def _cut(source: RunSource, way: Way, order: Order) -> tuple[RunSource, str]:
    """Cut one run; what is left of it is in memory."""
    ranked = ranked_table(source, order)
    lists = ScoredLists.of(ranked)
    length, how = way(source, lists)
    kept = np.repeat(length, lists.length)
    table = ranked.filter(ranked[RANK] <= pl.Series(kept))
    empty = (*source.empty_topics, *(t for t, n in zip(lists.topics, length, strict=True) if n == 0))
    left = RunSource(source.name, source.origin, source.path, tuple(empty), partial(_loaded, table), source.tag)
    return left, how


def _loaded(table: pl.DataFrame, *, rank: bool, lines: bool) -> pl.DataFrame:
    """Give what `RunSource.read` asks for."""
    table = table.with_row_index("line", offset=1) if lines else table
    return table.select(QUERY, DOCUMENT, SCORE, *([RANK] if rank else []), *(["line"] if lines else []))
