"""Runs cut where their lists should end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from cranfield.formats import QrelsLike, Runs, RunsLike, RunSource, run_name, write_run
from cranfield.formats.runs import from_memory
from cranfield.formats.unmet import settle
from cranfield.judged.condition_files import Costs, CostsLike
from cranfield.judged.conditions import AskedReading, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import Count, Folds, Level, Number, Order, RuleName, Seed, checked
from cranfield.plumbing.tables import QUERY, RANK, SCORE
from cranfield.scoring.engines.local import rank_source, read_ranked
from cranfield.scoring.judged_runs import open_qrels, open_runs
from cranfield.stopping.guarantee import check_can_be_lost, hold, promise
from cranfield.stopping.optimal import optimal_lengths, values_by_length
from cranfield.stopping.rules import ALL_RULES, FixedRule, Learned, ScoredLists, folds_of, learn, rules_for

Way: TypeAlias = Callable[[RunSource, ScoredLists], tuple[Integers, FixedRule | None]]
"""Says of a run, whose lists are given, how much of each to keep, and by which rule, if one was learned."""


class CutRuns(Runs):
    """Runs that were cut.

    Attributes
    ----------
    how
        For each run the rule with its threshold, in all digits, where one was learned; otherwise an empty text.
    rules
        The same as objects, of the runs for which a rule was learned. With ``lose_at_most`` they also know the
        number of ``topics``, what these have ``lost``, and both in words (``details``).
    promise
        What ``lose_at_most`` guarantees, and what it does not: one sentence; otherwise an empty text.
    """

    def __init__(self, sources: list[RunSource], rules: list[FixedRule | None], promise: str = "") -> None:
        super().__init__(sources)
        by_run = dict(zip(self, rules, strict=True))
        self.rules = {run: fixed for run, fixed in by_run.items() if fixed is not None}
        self.how = {run: str(fixed or "") for run, fixed in by_run.items()}
        self.promise = promise


def cut(
    runs: RunsLike,
    *,
    at: int | None = None,
    score: float | None = None,
    oracle: str | Measure | None = None,
    learned: str | Measure | None = None,
    lose_at_most: float | None = None,
    threshold: float | None = None,
    rule: RuleName = "best",
    measure: str | Measure | None = None,
    empty_at_most: float | None = None,
    qrels: QrelsLike | Judgments | None = None,
    folds: int = 5,
    seed: int = 7,
    order: Order | None = None,
    comments: bool | None = None,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
    costs: CostsLike | Costs | None = None,
    cost_missing: float | None = None,
) -> CutRuns:
    """Cut the lists of these runs where they should end.

    Parameters
    ----------
    runs, order, comments, columns, fields, costs, cost_missing
        As in `evaluate`; costs are for the rule ``"budget"``, and for measures that count them.
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
    lose_at_most
        Learn from the judged topics a rule by which lists lose at most this share of what the
        whole list has, in expectation over topics that are exchangeable with them (conformal risk
        control: Angelopoulos and others, 2024), and cut the lists of all topics by it. ``promise``
        of what is returned says so in a sentence. Judged topics on which the run has no documents
        do not count; those whose whole list is worth nothing lose nothing.
    threshold
        Cut by ``rule`` at this threshold, such as one that was learned elsewhere.
    rule
        For ``learned``, ``lose_at_most`` and ``threshold``: ``"depth"``, ``"score"``, ``"share"``
        (of the way from the lowest score of the list to its highest), ``"top"`` (a share of the
        highest score), ``"drop"``, or ``"best"``. That is the best of them in cross-validation
        (``learned``), or the one that keeps the fewest documents on a random half of the topics,
        its threshold being learned on the other half (``lose_at_most``).
    measure
        For ``lose_at_most``: by which measure the lists lose. By default R.
    empty_at_most
        For ``lose_at_most``: also hold the chance that a list becomes empty though the whole list
        is worth something.
    qrels
        The judgments, for ``oracle``, ``learned`` and ``lose_at_most``, in any form that `evaluate` takes.
    folds
        For ``learned``: the number of folds.
    seed
        For ``learned`` the seed of the folds, for ``lose_at_most`` that of the halves.

    Returns
    -------
    CutRuns : to be evaluated (with the same order), or written. A list that is cut down to nothing
    is an empty list, not a missing topic.

    Raises
    ------
    InputError
        If not exactly one way to cut is named, something is given that it does not look at, qrels are missing, a run
        has none of their topics, or too few for ``lose_at_most``.

    Examples
    --------
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> cut({"mine": run}, score=2)["mine"].rows()
    [('1', 'a', 3.0), ('1', 'b', 2.0)]
    >>> cut({"mine": run}, oracle="FlatUtility(e=0.4)", qrels={"1": {"a": 1, "b": 0}})["mine"].rows()
    [('1', 'a', 3.0)]

    Of four judged topics one may lose half of what its list has, and topic 5 is cut as they are:

    >>> qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 1}}
    >>> run = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in "12345"}
    >>> left = cut({"mine": run}, lose_at_most=0.3, rule="depth", qrels=qrels)  # 4/5 · 1/8 + 1/5
    >>> left.how["mine"], left["mine"].filter(query_id="5").rows()
    ('depth 1', [('5', 'a', 3.0)])
    >>> print(left.rules["mine"].details)
    loses 0.1250 on the 4 judged topics it was learned on
    """
    asked: AskedReading = {
        "order": order, "comments": comments, "columns": columns, "fields": fields, "costs": costs,
        "cost_missing": cost_missing,
    }  # fmt: skip
    reading = Reading.asked(**settle(asked, runs, qrels, costs))
    way, promised = way_to_cut(
        at=at, score=score, oracle=oracle, learned=learned, lose_at_most=lose_at_most, threshold=threshold,
        rule=rule, measure=measure, empty_at_most=empty_at_most, qrels=qrels, folds=folds, seed=seed, reading=reading,
    )  # fmt: skip
    done = [cut_run(source, way, reading) for source in open_runs(runs, reading)]
    return CutRuns([source for source, _ in done], [fixed for _, fixed in done], promised)


def way_to_cut(
    *,
    at: int | None,
    score: float | None,
    oracle: str | Measure | None,
    learned: str | Measure | None,
    lose_at_most: float | None,
    threshold: float | None,
    rule: RuleName,
    measure: str | Measure | None,
    empty_at_most: float | None,
    qrels: QrelsLike | Judgments | None,
    folds: int,
    seed: int,
    reading: Reading,
) -> tuple[Way, str]:
    """Find the way to cut that is named by the parameters of `cut`, all checked here, and say what it promises."""
    ways = {
        "at": at, "score": score, "oracle": oracle, "learned": learned, "lose_at_most": lose_at_most,
        "threshold": threshold,
    }  # fmt: skip
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"choose one way to cut ({', '.join(ways)}), not {' and '.join(given) or 'none'}")
    rule, seed = checked("rule", rule, RuleName), checked("seed", seed, Seed)
    folds = checked("folds", folds, Folds)
    _refuse_unused(given[0], rule=rule, folds=folds, measure=measure, empty_at_most=empty_at_most)
    if at is not None:
        k = checked("at", at, Count)
        return lambda _, lists: (np.minimum(lists.length, k), None), ""
    if score is not None:
        return _ended("score", score), ""
    if threshold is not None:
        return _ended(rule, threshold), ""
    if qrels is None:
        raise InputError(f"{given[0]} needs qrels")
    if lose_at_most is not None:
        level = checked("lose_at_most", lose_at_most, Level)
        empty = checked("empty_at_most", empty_at_most, Level | None)
        judged = ByJudgments(qrels, one_measure("R" if measure is None else measure), reading)
        check_can_be_lost(judged.measure)
        return partial(judged.held, rule, level, empty, seed), promise(judged.measure, level, empty)
    [asked] = [each for each in (oracle, learned) if each is not None]
    judged = ByJudgments(qrels, one_measure(asked), reading)
    return judged.best if learned is None else partial(judged.learned, rule, folds, seed), ""


_GOES_WITH: Final = {
    "rule": ("best", ("learned", "lose_at_most", "threshold")),
    "folds": (5, ("learned",)),
    "measure": (None, ("lose_at_most",)),
    "empty_at_most": (None, ("lose_at_most",)),
}
"""What each of these is unless it is given, and the ways to cut that look at it."""


def _refuse_unused(way: str, **asked: object) -> None:
    """Refuse what the way to cut would not look at."""
    for name, value in asked.items():
        usual, ways = _GOES_WITH[name]
        if value != usual and way not in ways:
            raise InputError(f"{name} goes with {' or '.join(ways)}, not with {way}")


class ByJudgments:
    """The ways to cut that need judgments."""

    def __init__(self, qrels: QrelsLike | Judgments, measure: Measure, reading: Reading) -> None:
        if measure.by_cost and reading.costs is None:
            raise InputError(f"lists cannot be cut by {measure}, which needs the costs of documents")
        self.measure = measure
        if measure.by_subtopic and reading.subtopics == "refuse":
            reading = replace(reading, subtopics="auto")
        self.judgments = open_qrels(qrels, reading)
        self.reading = reading

    def rankings(self, source: RunSource) -> JudgedRankings:
        """Join one run with the judgments."""
        return rank_source(source, self.judgments, self.reading)

    def best(self, source: RunSource, lists: ScoredLists) -> tuple[Integers, None]:
        """Keep the best prefix of each judged topic, and all of the others."""
        length, _ = optimal_lengths(self.measure, self.rankings(source))
        best = dict(zip(self.judgments.topics, length, strict=True))
        kept = [best.get(topic, n) for topic, n in zip(lists.topics, lists.length, strict=True)]
        return np.array(kept, np.int64), None

    def learned(
        self, rule: RuleName, folds: int, seed: int, source: RunSource, lists: ScoredLists
    ) -> tuple[Integers, FixedRule]:
        """Keep what the rule keeps that was learned on the judged topics."""
        found = best_rule(rule, *self._worth(source, lists), folds, seed)
        return found.lengths(lists), found

    def held(
        self, rule: RuleName, level: float, empty: float | None, seed: int, source: RunSource, lists: ScoredLists
    ) -> tuple[Integers, FixedRule]:
        """Keep what the rule keeps that holds the loss on the judged topics, and on others like them."""
        judged, values = self._worth(source, lists)
        try:
            found = hold(rule, judged, values, level, empty_level=empty, seed=seed)
        except InputError as error:
            raise InputError(f"{error}", source=source.name) from None
        return found.lengths(lists), found

    def _worth(self, source: RunSource, lists: ScoredLists) -> tuple[ScoredLists, Floats]:
        """Give the lists of the judged topics, and what each of their prefixes is worth."""
        judged, rows = lists.judged(self.judgments.code_of_topic)
        return judged, values_by_length(self.measure, self.rankings(source))[rows]


def best_rule(rule: str, lists: ScoredLists, values: Floats, folds: int, seed: int) -> Learned:
    """Learn one rule, or all of them and take the one that does best on topics that it was not learned on.

    >>> lists = ScoredLists(("1", "2"), np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> worth = np.array([[0.0, 1.0, 0.5], [0.0, 0.8, 0.2]])
    >>> str(best_rule("best", lists, worth, folds=2, seed=7))
    'depth 1'
    """
    fold = folds_of(len(lists.topics), folds, seed)
    tried = [learn(each, lists, values, fold) for each in (rules_for(lists) if rule == "best" else [ALL_RULES[rule]])]
    return max(tried, key=lambda found: found.value)


def one_measure(measure: MeasureNames) -> Measure:
    """Read the name of one measure that is a number, or take the measure."""
    measures = parse_measures(measure)
    if len(measures) != 1 or measures[0].text:
        raise InputError(f"lists are cut by one numeric measure, not by {', '.join(map(str, measures))}")
    return measures[0]


def _ended(rule: RuleName, threshold: float) -> Way:
    """Cut by a rule at a threshold, as people put it."""
    if rule == "best":
        raise InputError(f"threshold needs its rule: {', '.join(ALL_RULES)}")
    if threshold not in (-np.inf, np.inf):
        threshold = checked("threshold" if rule != "score" else "score", threshold, Number)
    chosen = ALL_RULES[rule]
    return lambda _, lists: (chosen.lengths(lists, chosen.sign * threshold), None)


def cut_run(source: RunSource, way: Way, reading: Reading) -> tuple[RunSource, FixedRule | None]:
    """Cut one run: what is left of it is in memory. Also say by which rule, if one was learned."""
    ranked = read_ranked(source, reading)
    lists = ScoredLists.of(ranked, reading, source.name)
    length, fixed = way(source, lists)
    table = ranked.filter(ranked[RANK] <= pl.Series(np.repeat(length, lists.length)))
    empty = (*source.empty_topics, *(topic for topic, n in zip(lists.topics, length, strict=True) if n == 0))
    return RunSource(source.name, source.origin, source.path, empty, partial(from_memory, table), source.tag), fixed


def files_for(runs: Sequence[RunSource], folder: Path) -> list[Path]:
    """Name the file of each cut run: as the one that it came from, or after the run if it has another name."""
    files: dict[Path, RunSource] = {}
    for run in runs:
        file = folder / _file_name(run)
        if file in files:
            raise InputError(f"{files[file].name} and {run.name} would both be written to this file", source=str(file))
        files[file] = run
    return list(files)


def _file_name(run: RunSource) -> str:
    """Name the file of a run; its suffix says the format, which is TREC text where it came from no file of its own."""
    if run.path is not None and run.name == run_name(run.path):
        return run.path.name  # byte by byte, though it may be no text
    name = run.name + (storable(run.path.name)[len(run_name(run.path)) :] if run.path is not None else ".txt")
    if Path(name).name != name:
        raise InputError(f"the run's name {run.name!r} cannot be a file name", source=run.origin)
    return name


def write_cut(left: RunSource, file: Path, order: Order) -> float:
    """Write what is left of a run, ranked as it was, if need be by scores made of ranks; return documents a topic."""
    table = left.read(rank=True)
    if not table.height:
        raise InputError(f"all lists of {left.name} are empty after the cut", source=left.origin)
    if order in {"rank", "file"}:
        table = table.with_columns((-pl.col(RANK).cast(pl.Float64)).alias(SCORE))
    write_run(table, file, name=left.tag())
    return table.height / (table[QUERY].n_unique() + len(left.empty_topics))
