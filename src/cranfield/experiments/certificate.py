"""What is known of a leaderboard, and what would settle the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from cranfield.experiments.best_runs import that_rank_nothing
from cranfield.experiments.declared import Columns, stacked
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.formats.score_tables import ScoresFile
from cranfield.judged.completions import BOUND_KINDS
from cranfield.judged.topic_ids import shared_prefixes
from cranfield.measures.framework.names import MeasureNames
from cranfield.pairs.board import Board, OrderOfRuns, ScoredBoard, certain_ranks
from cranfield.pairs.pair import fewest_of_each, least_of_each
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, OrInMemory, Positive, Seed, Topics
from cranfield.plumbing.tables import Frame
from cranfield.plumbing.wording import counted
from cranfield.scoring.clusters import Clusters, topics_in
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel, did_not_run, none_ran, panel_of, read_scores
from cranfield.statistics.conclusions import significant, tell_apart
from cranfield.statistics.on_paper import side
from cranfield.statistics.rank_intervals import RankIntervals, rank_intervals
from cranfield.statistics.usual import NOT_RUN

ClustersFile: TypeAlias = Annotated[str | Path | Frame | Mapping[str, str], OrInMemory()]
"""A file, a DataFrame of any library, or ``{topic: cluster}``."""


@experiment
def certificate(
    runs: JudgedRuns | None = None,
    measures: MeasureNames = ("nDCG@10",),
    *,
    work: Work,
    scores: ScoresFile | None = None,
    topics: Topics = "all",
    not_run: Positive = NOT_RUN,
    alpha: Level = 0.05,
    resamples: Count = 1000,
    seed: Seed = 7,
    clusters: ClustersFile | None = None,
    most: Count = 100,
    every_pair: bool = False,
) -> Outcome:
    """Which ranks are certain, which are likely, and what would settle the others?

    Each run has two intervals of ranks. The *certain* interval holds for any grades, from 0 to the largest of the
    qrels, of the unjudged documents that the runs retrieved; a document has the same grade in all runs, and documents
    that no run retrieved count as not relevant. The *likely* interval holds for other topics of the same kind, for all
    runs at once. Both follow from the pairs whose order is sure: a run ranks below all runs surely better, and above
    all runs surely worse. Equal runs share the better rank.

    An open pair can be settled by judging: the documents of the other run that, if judged not relevant, would make the
    better run certain to be ahead, the most harmful first. For measures that sum rank weights, no smaller number
    suffices. Measures that divide by an ideal or a recall base, such as nDCG and AP, depend on every run's documents,
    so those of the pair may not be enough. How many more topics would settle a pair is not said: a pair that was picked
    because it leads looks further apart than it is.

    For scores there are only the likely intervals; what needs judgments is null, and a note says so.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; None with scores.
    measures
        The measures by which runs are ranked; of scores all, if none are named.
    scores
        A table of scores, as `leaderboard` takes it, instead of joined runs.
    topics, not_run
        With scores, as in `leaderboard`. Of joined runs those are left out that lack half of the topics or more.
    alpha
        The chance that any likely interval misses (bootstrap-t of the maximum over all pairs).
    resamples
        The number of bootstrap samples of topics for the likely intervals.
    seed
        Seed of the draws.
    clusters
        A file with the cluster of each topic (or a table in memory), where topics belong together: they are then drawn
        together.
    most
        The largest number of documents for which a pair's documents are listed.
    every_pair
        Whether to examine every pair, which is slow for many runs.

    Tables
    ------
    ranks
        A row for each measure and run, the best first.
        measure, run : text
        mean : number
        rank : whole number
        certain_from, certain_to : whole number
            Null of scores alone, as are least, certain, open and documents.
        likely_from, likely_to : whole number
        may_lead : yes or no
            Whether no run is significantly better: the run ties with the leader.
        may_lead_by_t : yes or no
            The same by the usual test (paired t, Holm's correction over the pairs).
    pairs
        Neighbouring ranks, and every run with the leader; or every pair.
        measure, better, other : text
        difference : number
            Of the means: how far the better run is ahead.
        least : number
            The smallest possible difference, had all documents been judged.
        certain : yes or no
            Whether the better run is ahead whatever the grades.
        open : whole number
            How many unjudged documents could reverse the order: the other run has them, and earlier.
        documents : whole number
            How many of these would settle the pair; null if it is settled, or not even all would.
        p : number
            Of the difference, by the test of all pairs at once.
        significant : yes or no
    documents
        What to judge, pair by pair.
        measure, better, other, topic, document : text
        order : whole number
            From 1, the most harmful first.

    Raises
    ------
    InputError
        If there are fewer than two runs or topics, or lists are condensed; if there are both runs and scores, or
        neither.

    Paper: for the likely ranks Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across countries", Review
    of Economic Studies 91(1); for the certain ones Moffat, Webber and Zobel (2007), "Strategic system
    comparisons via targeted relevance judgments", SIGIR, of whose residuals they are the joint kind.

    Examples
    --------
    Were x relevant, good would have P@1 no better than poor:

    >>> from cranfield import join
    >>> qrels = {t: {"a": 1, "b": 0} for t in "1234567890ab"}
    >>> good = {t: {"a": 2.0} for t in qrels}
    >>> poor = {t: {"b": 2.0} for t in qrels} | {t: {"x": 2.0} for t in "12"}
    >>> found = certificate(join(qrels, {"good": good, "poor": poor}), "P@1")
    >>> found["ranks"].drop("measure", "mean", "may_lead_by_t").rows()
    [('good', 1, 1, 1, 1, 1, True), ('poor', 2, 2, 2, 2, 2, False)]
    >>> found["pairs"].select("difference", "least", "certain", "open", "documents").rows()
    [(1.0, 0.833..., True, 2, None)]
    """
    if runs is None:
        if scores is None:
            raise InputError(
                "certificate takes joined runs, certificate(cranfield.join(qrels, runs)), or a table of them as scores="
            )
        panel = panel_of(read_scores(scores, measures), topics, not_run=not_run)
        panel = panel.drawn_in(None if clusters is None else Clusters.taken(clusters))
        return _of_scores(panel, alpha, resamples, seed, every_pair=every_pair)
    if topics != "all" or not_run != NOT_RUN:
        raise InputError("topics and not_run are of scores; of runs, join says which topics count")
    if runs.grading.judged_only:
        raise InputError("condensed lists have no unjudged documents; omit judged_only")
    asked = number_measures(measures)
    if len(runs.not_run) == len(runs.runs):
        raise none_ran()
    left_out = tuple(did_not_run(runs.not_run, len(runs.topics)))
    noted = runs.that_ran.with_retrieved
    n = len(noted.runs)
    _refuse_too_few(noted.runs, noted.topics, left_out)
    boards = [Board(noted, measure) for measure in asked]
    together = None if clusters is None else Clusters.taken(clusters, runs.reading.naming).within(noted.topics)
    codes = None if together is None else together.over(noted.topics)

    def of_run(step: int) -> pl.DataFrame:
        board, one = boards[step // n], step % n
        return pl.DataFrame({"least": board.least(one)})

    known = work.steps(range(len(boards) * n), of_run)["least"].to_numpy().reshape(len(boards), n, n)
    found: dict[str, list[Columns]] = {"ranks": [], "pairs": [], "documents": []}
    alike = shared_prefixes(noted.topics) if clusters is None else None
    doubts = [alike.says] if alike else list[str]()
    many = None if together is None else together.many(noted.topics)
    for board, least in zip(boards, known, strict=True):
        likely = rank_intervals(board.values, clusters=codes, alpha=alpha, resamples=resamples, seed=seed)
        apart = tell_apart(board.values, alpha, board.panel.weight_of_topic, codes)
        found["ranks"].append(_ranks(board, likely, apart.may_lead, certain_ranks(least)))
        chosen = cured(board, every_pair=every_pair)
        cures = Cure.of_each(board, chosen, least)
        found["pairs"].append(_pairs(board, likely, chosen, alpha, _settled(least, cures)))
        settled = (cure for cure in cures if cure.enough is not None and cure.enough <= most)
        found["documents"] += [_documents(board, cure) for cure in settled]
        doubts += _doubts(board, likely, apart.may_lead, many)
    tables = {name: stacked(parts) for name, parts in found.items()}
    said = dict.fromkeys(note for board in boards for note in board.panel.notes)
    return Outcome(tables, (*left_out, *_notes(boards), *_level(boards), *doubts, *said))


def _level(boards: Sequence[OrderOfRuns]) -> Iterator[str]:
    return that_rank_nothing([board.named for board in boards], np.stack([board.mean for board in boards]))


def _refuse_too_few(runs: Sequence[str], topics: Sequence[str], left_out: Iterable[str]) -> None:
    if len(runs) < 2 or len(topics) < 2:
        there = f"{counted(len(runs), 'run')} on {counted(len(topics), 'topic')}"
        raise InputError("; ".join([f"a certificate needs at least two runs and two topics, not {there}", *left_out]))


def _of_scores(panel: Panel, alpha: float, resamples: int, seed: int, *, every_pair: bool) -> Outcome:
    """Say what scores alone tell: likely ranks, and which pairs differ."""
    panel.refuse_none()
    _refuse_too_few(panel.runs, panel.topics, did_not_run(panel.not_run, panel.asked_topics))
    ranks, pairs, notes = list[Columns](), list[Columns](), list[str]()
    for measure in panel.measures:
        board, codes = ScoredBoard(panel.of_measures([measure])), panel.cluster_of_topic
        likely = rank_intervals(board.values, clusters=codes, alpha=alpha, resamples=resamples, seed=seed)
        usual = tell_apart(board.values, alpha, None, codes).may_lead
        ranks.append(_ranks(board, likely, usual, (None, None)))
        unknown: Columns = dict.fromkeys(("least", "certain", "open", "documents"))
        pairs.append(_pairs(board, likely, cured(board, every_pair=every_pair), alpha, unknown))
        notes += _doubts(board, likely, usual, panel.clustered)
    alone = "only scores: certain ranks and documents to judge need rankings and judgments, and are left out"
    tables = {"ranks": stacked(ranks), "pairs": stacked(pairs), "documents": ()}
    return Outcome(tables, (alone, *panel.like_clusters, *notes, *panel.notes))


def _doubts(board: OrderOfRuns, likely: RankIntervals, usual: Booleans, clusters: int | None) -> Iterator[str]:
    """Say how many runs may lead, by the test of all pairs at once and by the usual one, and what is not tested."""
    over = "" if clusters is None else f" over {topics_in(len(board.panel.topics), clusters)}"
    test = "paired t-test" if clusters is None else "paired cluster-robust t-test"
    test += " with Holm's correction over the pairs" * (len(board.names) > 2)
    yield (
        f"{counted(int((likely.best == 1).sum()), 'run')} may lead by {board.named} (simultaneous ranks, "
        f"bootstrap-t{over}); {int(usual.sum()):,} may by the {test}"
    )
    if likely.doubt:
        yield f"likely ranks by {board.named}: {likely.doubt}"


class Cure(NamedTuple):
    """What to judge to make the better run of a pair, which comes first, certain to be ahead."""

    one: int
    other: int
    documents: Integers
    """Unjudged documents that the other run ranks earlier, by their place in the judgments: the most harmful first."""
    enough: int | None
    """How many of them suffice, if not relevant; None if the pair is settled, or not even all of them do."""

    @classmethod
    def of_each(cls, board: Board, chosen: Sequence[tuple[int, int]], least: Floats) -> list[Cure]:
        """Find the fewest of the most harmful documents: one more not relevant never lowers the least difference."""
        pairs = [board.pair(one, other) for one, other in chosen]
        documents = [pair.against() for pair in pairs]
        one, other = np.array(chosen).T
        ahead = side(board.mean[one] - board.mean[other]) > 0
        open_ = np.flatnonzero((side(least[one, other]) <= 0) & ahead & board.known)

        def enough(which: Integers, many: Integers) -> Booleans:
            some = open_[which]
            known = [documents[number][:first] for number, first in zip(some, many, strict=True)]
            return side(least_of_each([pairs[number] for number in some], known)) > 0

        found = fewest_of_each(np.array([len(documents[number]) for number in open_], np.int64), enough)
        enough_of = dict(zip(open_.tolist(), found, strict=True))
        return [cls(*pair, documents[number], enough_of.get(number)) for number, pair in enumerate(chosen)]


def cured(board: OrderOfRuns, *, every_pair: bool) -> list[tuple[int, int]]:
    """Every pair; or neighbours, and the leader with all others. The better run first, each pair once."""
    if every_pair:
        return list(combinations(board.order, 2))
    leader, *others = board.order
    neighbours = zip(board.order, others, strict=False)
    return list(dict.fromkeys([*neighbours, *((leader, other) for other in others)]))


def _ranks(
    board: OrderOfRuns, likely: RankIntervals, usual: Booleans, certain: tuple[Integers | None, Integers | None]
) -> Columns:
    columns = {
        "mean": board.panel.means[0],
        "rank": board.rank,
        "certain_from": certain[0],
        "certain_to": certain[1],
        "likely_from": likely.best,
        "likely_to": likely.worst,
        "may_lead": likely.best == 1,
        "may_lead_by_t": usual,
    }
    named: Columns = {"measure": board.named, "run": [board.names[run] for run in board.order]}
    return named | {name: None if values is None else values[board.order] for name, values in columns.items()}


def _settled(least: Floats, cures: list[Cure]) -> Columns:
    """Say what judging could do to each pair."""
    smallest = np.array([least[cure.one, cure.other] for cure in cures])
    return {
        "least": smallest,
        "certain": side(smallest) > 0,
        "open": [len(cure.documents) for cure in cures],
        "documents": [cure.enough for cure in cures],
    }


def _pairs(
    board: OrderOfRuns, likely: RankIntervals, pairs: list[tuple[int, int]], alpha: float, settled: Columns
) -> Columns:
    one, other = np.array(pairs).T
    low, high = np.minimum(one, other), np.maximum(one, other)
    p = likely.p[low * len(board.names) - low * (low + 1) // 2 + high - low - 1]
    return {
        "measure": board.named,
        "better": [board.names[run] for run in one],
        "other": [board.names[run] for run in other],
        "difference": board.mean[one] - board.mean[other],
        **settled,
        "p": p,
        "significant": significant(p, alpha),
    }


def _documents(board: Board, cure: Cure) -> Columns:
    topics, documents = board.pair(cure.one, cure.other).named(cure.documents[: cure.enough])
    return {
        "measure": board.named,
        "better": board.names[cure.one],
        "other": board.names[cure.other],
        "topic": topics,
        "document": documents,
        "order": np.arange(1, len(topics) + 1),
    }


def _notes(boards: list[Board]) -> Iterator[str]:
    for board in boards:
        kind = board.pair(0, 1).kind
        if kind != "exact":
            yield f"certain ranks by {board.named}: {BOUND_KINDS[kind]}"
