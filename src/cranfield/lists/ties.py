"""What tied scores are worth: the value of a run in one order of its ties, in any, and in the best and the worst."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike, RunSource
from cranfield.judged.conditions import Asked, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9, parse_measures
from cranfield.plumbing.arrays import Floats, Integers, places_within
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Order, Seed, checked
from cranfield.plumbing.tables import AVERAGE, QUERY, RANK, RUN, SCORE
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.scoring.blocks import score
from cranfield.scoring.engines.local import rank_source, read_scores
from cranfield.scoring.judged_runs import JudgedRuns, by_what, knowing, opened
from cranfield.scoring.scores import Scores

_MEASURES = ("AP", "nDCG@10", "P@10")  # What is looked at where nothing else is asked for


def ties(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    orders: int = 100,
    seed: int = 7,
    per_topic: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **conditions: Unpack[Asked],
) -> OneTable:
    """How much of a run's score depends on the order of tied documents?

    A run that gives several documents the same score leaves their order open, and `evaluate` ranks
    them by id. Here they are also ranked in other orders: with the best grades first, with the worst
    first, and in random orders, all equally likely.

    Parameters
    ----------
    qrels, runs, progress
        As for `evaluate`.
    measures
        By default AP, nDCG@10 and P@10, or those of the convention.
    orders
        The number of random orders, at least 2. A ranking with at most this many distinct orders is
        enumerated instead, and its expected value is exact.
    seed
        Seed of the random orders.
    per_topic
        Whether to add a row for each topic; the averages follow as the topic ``all``.
    **conditions
        `Asked`

    Returns
    -------
    OneTable
        A row for each run and measure: value (as evaluated), expected (the mean over all orders of the
        ties), standard_error (of that; 0 where it is exact), low and high (over all orders), and
        extremes: ``exact``, or ``tried``, the lowest and the highest of the orders examined.

    Raises
    ------
    InputError
        As `evaluate`; or if ranks or lines order the documents.
    MeasureError
        For a geometric mean, whose expected value does not follow from those of the topics, and for
        texts.

    Notes
    -----
    The extremes are exact for measures that never fall when a better document changes places with a
    worse one above it (`Measure.rewards_promotion`). Among documents without gain, unjudged ones
    count as better, since some measures, such as Bpref, penalise documents judged not relevant.
    Documents with the same grade are equal to every measure: orders that differ only in them count
    as one.

    Paper: McSherry and Najork (2008), "Computing information retrieval performance measures
    efficiently in the presence of tied scores", ECIR (the expected value).

    Examples
    --------
    Of a and b, which share a score, only a is relevant. By their ids b comes first.

    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    >>> print(ties(qrels, run, ["AP", "P@1"]))
    Values under different orders of ties; 1 run, 100 random orders, seed 7
    run  measure   value  expected  standard_error     low    high  extremes
    run  AP       0.5000    0.7500          0.0000  0.5000  1.0000  exact
    run  P@1      0.0000    0.5000          0.0000  0.0000  1.0000  exact
    """
    orders, seed = checked("orders", orders, Count), checked("seed", seed, Seed)
    if orders < 2:
        raise InputError("orders must be at least 2: a single one shows no spread")
    measures = by_what(measures, qrels, conditions, _MEASURES)
    parsed = parse_measures(measures)
    for measure in parsed:
        if measure.text or measure.summary == "geometric mean":
            what = "a text" if measure.text else "averaged by its logarithms"
            raise MeasureError(f"{measure} is {what}, so it has no expected value over orders; leave it out")
    conditions = knowing(parsed, qrels, conditions)
    found = opened(qrels, runs, conditions, usual="trec9" if asks_for_trec9(measures) else "score")
    if found.reading.budget is not None:
        raise InputError("the rank at which a budget ends a list depends on the order of ties; leave the budget out")
    if found.reading.order in {"rank", "file"}:
        raise InputError(f"ties are equal scores; order {found.reading.order!r} leaves none")
    grading = found.grading.but(bounds=False)
    tables: list[pl.DataFrame] = []
    documents = tied = rankings = seen = 0
    for done, source in enumerate(found.sources, start=1):
        known = found.of_run(done - 1) if isinstance(found, JudgedRuns) and found.reading.depth is None else None
        run = TiedRun.read(source, found.judgments, found.reading, known)
        several, exact = run.orders(orders, np.random.default_rng(seed))
        block = score(several, parsed, grading)
        one = replace(block, runs=block.runs[:1], values=block.values[:, :1], present=block.present[:1])
        scores = found.scores_of([replace(one, audits=run.ranked.audits)], parsed, grading)
        tables.append(_rows(scores, block.values, exact, found.judgments, per_topic=per_topic))
        [audit] = run.ranked.audits
        documents, tied = documents + audit.retrieved, tied + audit.tied
        rankings, seen = rankings + int((exact != 1).sum()), seen + int((exact > 1).sum())
        if progress:
            progress(done, len(found.sources))
    note = (
        f"{100 * tied / max(documents, 1):.1f}% of documents are tied; their order can matter in "
        f"{counted(rankings, 'ranking')}, and all orders were tried for {seen} of these"
    )
    drawn = f"{counted(len(tables), 'run')}, {counted(orders, 'random order')}, seed {seed}"
    caption = f"Values under different orders of ties; {drawn}"
    return OneTable(pl.concat(tables), caption, (note,), index=3 if per_topic else 2)


@dataclass(frozen=True)
class TiedRun:
    """A ranked run, and its documents whose order ties leave open, as far as it can matter."""

    ranked: JudgedRankings  # the run as `evaluate` ranks it, all documents of each list
    depth: Count | None  # how many of them are looked at
    # topic, group: for each such document its topic, and the tie it belongs to; rising
    topic: Integers
    group: Integers
    # first, place: the rank at which its tie begins, and its own place in it, from 0
    first: Integers
    place: Integers
    cell: Integers  # which cell of the ranking it is; -1 where it is not judged
    worth: Integers  # what tells the documents of a tie apart, the smaller the better: see `Judgments.kinds`

    @classmethod
    def read(
        cls, source: RunSource, judgments: Judgments, reading: Reading, ranked: JudgedRankings | None = None
    ) -> TiedRun:
        """Rank a run, unless it is ranked already, all documents of each list, and find its ties."""
        whole = replace(reading, depth=None)
        ranked = ranked or rank_source(source, judgments, whole)
        table = read_scores(source, whole).filter(pl.col(QUERY).is_in(list(judgments.topics)))
        topic = table[QUERY].replace_strict(judgments.code_of_topic, return_dtype=pl.Int64).to_numpy()
        rank, value = table[RANK].to_numpy().astype(np.int64), scores_compared(table, reading.order)
        begins = (rank == 1) | np.append(True, value[1:] != value[:-1])[: len(value)]
        group = np.cumsum(begins) - 1

        of_topic = np.zeros(len(judgments.topics), np.int64)
        of_topic[topic[rank == 1]] = np.flatnonzero(rank == 1)
        cell = np.full(len(rank), -1)
        cell[of_topic[ranked.row] + ranked.rank - 1] = np.arange(len(ranked.rank))
        worth = judgments.kinds()[np.append(ranked.judgment, -1)[cell]]
        start = np.flatnonzero(begins)
        differs = np.minimum.reduceat(worth, start) < np.maximum.reduceat(worth, start)
        open_ = np.flatnonzero(differs[group])
        first = rank[start][group]
        return cls(
            ranked,
            reading.depth,
            *(each[open_] for each in (topic, group, first, rank - first, cell, worth)),
        )

    def orders(self, orders: int, random: np.random.Generator) -> tuple[JudgedRankings, Integers]:
        """Rank the documents as they are, the best first, the worst first, and in further orders."""
        number = np.ones(len(self.ranked.topics), np.int64)
        ties_of: dict[int, list[Integers]] = {}
        for members in np.split(np.arange(len(self.group)), np.flatnonzero(np.diff(self.group)) + 1):
            if len(members):
                ties_of.setdefault(int(self.topic[members[0]]), []).append(members)
        for topic, ties_there in ties_of.items():
            different = math.prod(number_of_arrangements(self.worth[members]) for members in ties_there)
            number[topic] = different if different <= orders else 0
        further = orders if (number == 0).any() else int(number.max(initial=1))
        places = [self.place, places_within(self.group, self.worth), places_within(self.group, -self.worth)]
        places += [places_within(self.group, random.random(len(self.group))) for _ in range(further)]
        for topic, ties_there in ties_of.items():
            every = product(*(arrangements(self.worth[members]) for members in ties_there)) if number[topic] else ()
            for place, each in zip(places[3:], every, strict=False):
                for members, arrangement in zip(ties_there, each, strict=True):
                    best_first = members[np.argsort(self.worth[members], kind="stable")]
                    place[best_first] = np.argsort(arrangement, kind="stable")
        return JudgedRankings.batch([self.in_order(place) for place in places]).cut(self.depth), number

    def in_order(self, place: Integers) -> JudgedRankings:
        """Return the ranking with the documents of ties at these places."""
        judged = self.cell >= 0
        rank = self.ranked.rank.copy()
        rank[self.cell[judged]] = (self.first + place)[judged]
        order = np.lexsort((rank, self.ranked.row))
        return replace(self.ranked.moved(rank[order], self.ranked.judgment[order]), audits=())


def scores_compared(table: pl.DataFrame, order: Order) -> Floats:
    """Return the scores as they are compared."""
    scores: Floats = table[SCORE].to_numpy()
    with np.errstate(over="ignore"):
        return scores.astype(np.float32) if order == "trec9" else scores


def number_of_arrangements(worth: Integers) -> int:
    """In how many ways can documents be arranged of which some are worth the same?"""
    left, number = len(worth), 1
    for same in np.unique(worth, return_counts=True)[1].tolist():
        number, left = number * math.comb(left, same), left - same
    return number


def arrangements(worth: Integers) -> Iterator[tuple[int, ...]]:
    """Give all these arrangements."""
    if not len(worth):
        yield ()
    for first in np.unique(worth).tolist():
        yield from ((first, *others) for others in arrangements(np.delete(worth, np.argmax(worth == first))))


def _rows(scores: Scores, values: Floats, exact: Integers, judgments: Judgments, *, per_topic: bool) -> pl.DataFrame:
    """Lay out what one run is worth in several orders: array of shape (measures, 3 + orders, topics)."""
    further = values[:, 3:]
    drawn = further.shape[1]
    counted = np.arange(drawn)[:, np.newaxis] < np.where(exact > 0, exact, drawn)
    low, high = values.min(axis=1), values.max(axis=1)
    expected = ((further * counted).sum(axis=1) / counted.sum(axis=0)).clip(low, high)  # rounding left it beside them
    variance = np.zeros_like(expected)
    by_chance = exact == 0
    variance[:, by_chance] = further[:, :, by_chance].var(axis=1, ddof=1) / drawn if by_chance.any() else 0.0
    variance[low == high] = 0.0
    terms = [1 if measure.summary == "sum" else max(int(scores.counted.sum()), 1) for measure in scores.measures]
    errors = np.sqrt(np.where(scores.counted, variance, 0.0).sum(axis=1)) / terms
    sure = [m.rewards_promotion and m.gains_rise(judgments) for m in scores.measures]

    # Topic by topic a row for each measure, and last, or alone, those of the averages.
    topics = [*(scores.topics if per_topic else ()), AVERAGE]

    def laid_out(by_topic: Floats, averages: Floats | None = None) -> Floats:
        averages = scores.averaged(by_topic[:, np.newaxis])[:, 0] if averages is None else averages
        return np.column_stack([by_topic, averages])[:, -len(topics) :].T.ravel()

    return pl.DataFrame(
        {
            RUN: scores.runs * (len(sure) * len(topics)),
            **({"topic": [topic for topic in topics for _ in sure]} if per_topic else {}),
            "measure": [str(measure) for measure in scores.measures] * len(topics),
            "value": laid_out(values[:, 0]),
            "expected": laid_out(expected),
            "standard_error": laid_out(np.sqrt(variance), errors),
            "low": laid_out(low),
            "high": laid_out(high),
            "extremes": ["exact" if each else "tried" for each in sure] * len(topics),
        }
    )
