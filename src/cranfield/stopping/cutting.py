"""Runs cut where their lists should end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from cranfield.formats import QrelsLike, Runs, RunsLike, RunSource, run_name, write_run
from cranfield.formats.runs import from_memory
from cranfield.judged.conditions import Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Folds, Number, Order, RuleName, Seed, checked
from cranfield.plumbing.tables import QUERY, RANK, SCORE
from cranfield.scoring.engines.local import rank_source, read_ranked
from cranfield.scoring.judged_runs import open_qrels, open_runs
from cranfield.stopping.optimal import optimal_lengths, values_by_length
from cranfield.stopping.rules import RULES, Learned, ScoredLists, folds_of, learn

Way: TypeAlias = Callable[[RunSource, ScoredLists], tuple[Integers, str]]
"""Says of a run, whose lists are given, how much of each to keep, and by which rule, if one was learned."""


class CutRuns(Runs):
    """Runs that were cut; ``how`` says for each by which rule, where one was learned."""

    def __init__(self, sources: list[RunSource], how: list[str]) -> None:
        super().__init__(sources)
        self.how = dict(zip(self, how, strict=True))


def cut(
    runs: RunsLike,
    *,
    at: int | None = None,
    score: float | None = None,
    oracle: str | Measure | None = None,
    learned: str | Measure | None = None,
    rule: RuleName = "best",
    qrels: QrelsLike | Judgments | None = None,
    folds: int = 5,
    seed: int = 7,
    order: Order | None = None,
    comments: bool | None = None,
) -> CutRuns:
    """Cut the lists of these runs where they should end.

    Parameters
    ----------
    runs, order, comments
        As in `evaluate`.
    at
        Keep the first ``at`` documents.
    score
        Keep the documents with at least this score, down to the first below it.
    oracle
        Keep, topic by topic, the best prefix by this measure (the shortest, if several tie): what
        an omniscient system would return. Topics missing from the qrels stay whole.
    learned
        Learn from the judged topics a rule that maximises this measure, and cut the lists of all
        topics by it.
    rule
        For ``learned``: ``"depth"``, ``"score"``, ``"share"``, ``"drop"``, or ``"best"``, the best
        of them in cross-validation.
    qrels
        The judgments, for ``oracle`` and ``learned``: all that `evaluate` takes.
    folds, seed
        For ``learned``: the number of folds, and the seed of their random choice.

    Returns
    -------
    CutRuns : to be evaluated (with the same order), or written. A list that is cut down to nothing
    is an empty list, not a missing topic.

    Raises
    ------
    InputError
        If not exactly one way to cut is named, qrels are missing, or a run has none of their
        topics.

    Examples
    --------
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> cut({"mine": run}, score=2)["mine"].rows()
    [('1', 'a', 3.0), ('1', 'b', 2.0)]
    >>> cut({"mine": run}, oracle="FlatUtility(e=0.4)", qrels={"1": {"a": 1, "b": 0}})["mine"].rows()
    [('1', 'a', 3.0)]
    """
    reading = Reading.asked(order=order, comments=comments)
    way = way_to_cut(
        at=at, score=score, oracle=oracle, learned=learned, rule=rule, qrels=qrels, folds=folds, seed=seed,
        reading=reading,
    )  # fmt: skip
    done = [cut_run(source, way, reading) for source in open_runs(runs, reading)]
    return CutRuns([source for source, _ in done], [how for _, how in done])


def way_to_cut(
    *,
    at: int | None,
    score: float | None,
    oracle: str | Measure | None,
    learned: str | Measure | None,
    rule: RuleName,
    qrels: QrelsLike | Judgments | None,
    folds: int,
    seed: int,
    reading: Reading,
) -> Way:
    """Find the way to cut that is named by the parameters of `cut`, all of which are checked here."""
    ways = {"at": at, "score": score, "oracle": oracle, "learned": learned}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"choose one way to cut ({', '.join(ways)}), not {' and '.join(given) or 'none'}")
    rule, seed = checked("rule", rule, RuleName), checked("seed", seed, Seed)
    folds = checked("folds", folds, Folds)
    if at is not None:
        return _first(checked("at", at, Count))
    if score is not None:
        return _above(score if score in (-np.inf, np.inf) else checked("score", score, Number))
    if qrels is None:
        raise InputError(f"{given[0]} needs qrels")
    [measure] = [each for each in (oracle, learned) if each is not None]
    judged = ByJudgments(qrels, one_measure(measure), reading)
    return judged.best if learned is None else partial(judged.learned, rule, folds, seed)


class ByJudgments:
    """The ways to cut that need judgments."""

    def __init__(self, qrels: QrelsLike | Judgments, measure: Measure, reading: Reading) -> None:
        if measure.by_cost and reading.costs is None:
            raise InputError(f"lists are cut without costs of documents, which {measure} counts")
        self.measure = measure
        self.judgments = open_qrels(qrels, reading)
        self.reading = reading

    def rankings(self, source: RunSource) -> JudgedRankings:
        """Join one run with the judgments."""
        return rank_source(source, self.judgments, self.reading)

    def best(self, source: RunSource, lists: ScoredLists) -> tuple[Integers, str]:
        """Keep the best prefix of each judged topic, and all of the others."""
        length, _ = optimal_lengths(self.measure, self.rankings(source))
        best = dict(zip(self.judgments.topics, length, strict=True))
        kept = [best.get(topic, n) for topic, n in zip(lists.topics, lists.length, strict=True)]
        return np.array(kept, np.int64), ""

    def learned(
        self, rule: RuleName, folds: int, seed: int, source: RunSource, lists: ScoredLists
    ) -> tuple[Integers, str]:
        """Keep what the rule keeps that was learned on the judged topics."""
        values = values_by_length(self.measure, self.rankings(source))
        judged, rows = lists.judged(self.judgments.code_of_topic)
        found = best_rule(rule, judged, values[rows], folds, seed)
        return found.lengths(lists), f"{found}"


def best_rule(rule: str, lists: ScoredLists, values: Floats, folds: int, seed: int) -> Learned:
    """Learn one rule, or all of them and take the one that does best on topics that it was not learned on.

    >>> lists = ScoredLists(("1", "2"), np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> worth = np.array([[0.0, 1.0, 0.5], [0.0, 0.8, 0.2]])
    >>> str(best_rule("best", lists, worth, folds=2, seed=7))
    'depth 1'
    """
    fold = folds_of(len(lists.topics), folds, seed)
    tried = [learn(RULES[name], lists, values, fold) for name in (RULES if rule == "best" else [rule])]
    return max(tried, key=lambda found: found.value)


def one_measure(measure: MeasureNames) -> Measure:
    """Read the name of one measure that is a number, or take the measure."""
    measures = parse_measures(measure)
    if len(measures) != 1 or measures[0].text:
        raise InputError(f"lists are cut by one measure that is a number, not by {', '.join(map(str, measures))}")
    return measures[0]


def _first(k: int) -> Way:
    return lambda _, lists: (np.minimum(lists.length, k), "")


def _above(threshold: float) -> Way:
    return lambda _, lists: (RULES["score"].lengths(lists, threshold), "")


def cut_run(source: RunSource, way: Way, reading: Reading) -> tuple[RunSource, str]:
    """Cut one run: what is left of it is in memory. Also say by which rule, if one was learned."""
    ranked = read_ranked(source, reading)
    lists = ScoredLists.of(ranked)
    length, how = way(source, lists)
    table = ranked.filter(ranked[RANK] <= pl.Series(np.repeat(length, lists.length)))
    emptied = (topic for topic, n in zip(lists.topics, length, strict=True) if n == 0)
    empty = (*source.empty_topics, *emptied)
    return RunSource(source.name, source.origin, source.path, empty, partial(from_memory, table), source.tag), how


def files_for(runs: Sequence[RunSource], folder: Path) -> list[Path]:
    """Name the file of each cut run: as the one that it came from, or after the run if it has another name.

    Raises
    ------
    InputError
        Where a run's name cannot be that of a file, or two runs would go to the same.

    >>> run = {"1": {"a": 3.0}}
    >>> [path.name for path in files_for(open_runs({"mine": run, "yours": run}), Path("cut"))]
    ['mine.txt', 'yours.txt']
    """
    files: dict[Path, RunSource] = {}
    for run in runs:
        file = folder / _file_name(run)
        if file in files:
            raise InputError(f"{files[file].name} and {run.name} would both be written there", source=str(file))
        files[file] = run
    return list(files)


def _file_name(run: RunSource) -> str:
    """Name the file of a run; its suffix says the format, which is TREC text where it came from no file of its own."""
    if run.path is not None and run.name == run_name(run.path):
        return run.path.name  # byte by byte, though it may be no text
    name = run.name + (storable(run.path.name)[len(run_name(run.path)) :] if run.path is not None else ".txt")
    if Path(name).name != name:
        raise InputError(f"the run's name {run.name!r} cannot be that of a file", source=run.origin)
    return name


def write_cut(left: RunSource, file: Path, order: Order) -> float:
    """Write what is left of one run, so that it is ranked as it was; return how many documents a topic has.

    Where ranks or lines were what ranked it, scores are made of the ranks, since scores are what is
    ranked by.
    """
    table = left.read(rank=True)
    if not table.height:
        raise InputError(f"nothing is left of {left.name}: all its lists are empty", source=left.origin)
    if order in {"rank", "file"}:
        table = table.with_columns((-pl.col(RANK).cast(pl.Float64)).alias(SCORE))
    write_run(table, file, name=left.tag())
    return table.height / (table[QUERY].n_unique() + len(left.empty_topics))
