"""Traces: down the lists of a topic rank by rank, what stands there, and how far that is from the ideal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import LARGEST_GRADE, Judgments, is_relevant
from cranfield.judged.population import Population
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.curves import Curves, averages_of, curve
from cranfield.measures.effort import BackwardSpace, CrossingRank, ForwardSpace, Recovery, Space, Twist
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.misplacement import LENGTH, Conflation, Intervals
from cranfield.measures.framework.names import parse_measures
from cranfield.measures.gain_by_rank import DeltaGain
from cranfield.measures.loss_and_recovery import RegainedAt, TurnAround
from cranfield.measures.relative_position import CRP, RP
from cranfield.pages.look import NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.plots import Material
from cranfield.plots.walks import told
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Depth, checked
from cranfield.plumbing.tables import AVERAGE, DOCUMENT, RELEVANCE
from cranfield.plumbing.wording import counted
from cranfield.results.result import Result
from cranfield.scoring.judged_runs import JudgedRuns, Progress, join

GAIN: Final = "DCG(gains={-2:-1,-1:-1,0:-1},base=2)"
"""By what is gained: what is not relevant costs as much as a document of grade 1 brings (figure 2b of 2012)."""
_BEYOND: Final = "beyond the end"
_EFFORT: Final = (Recovery, ForwardSpace, BackwardSpace, Space, Twist)
"""What says how much avoidable effort a list costs, from the crossing to the whole."""
_STATES: Final = (_BEYOND, UNJUDGED, NOT_RELEVANT, RELEVANT)


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Result):
    """What is at every rank of every run, and how far it is from the ideal list.

    Attributes
    ----------
    positions, cumulated
        Curves of RP and of CRP, the full-scale list next to them.
    gains, differences
        Curves of the measure of gain, and of the gain less that of the ideal list at the same rank.
    judged
        The judgments: a table of query_id, doc_id and relevance.
    judgment
        Array of shape (runs, topics, ranks): which of them is there; -1 is none.
    length
        Array of shape (runs, topics): how many documents were retrieved.
    marks
        The points of each curve: columns run, topic, mark, rank, crp, crp_full_scale (CRP of the
        run and of the full-scale list at that rank; null where there is no such point). R is the
        recall base; min the turn-around; b_r and b_w where the run and the full-scale list have
        regained what they lost; crossing, of 2016, one rank before CRP is first back at 0; N the
        end of the padded list.
    intervals
        Where the ideal list has the documents of each grade: columns topic, grade, first, last; what
        is not relevant has grade 0, and no last rank.
    effort
        The components of Twist: columns run, topic, and the values of Recovery, ForwardSpace,
        BackwardSpace, Space and Twist by their names.
    n
        N: the length that lists are cut or padded to.
    """

    positions: Curves
    cumulated: Curves
    gains: Curves
    differences: Curves
    judged: pl.DataFrame
    judgment: Integers
    length: Integers
    marks: pl.DataFrame
    intervals: pl.DataFrame
    effort: pl.DataFrame
    n: int

    def __repr__(self) -> str:
        return (
            f"Trace({counted(len(self.runs), 'run')}, {self.population.of_topics}, "
            f"{counted(len(self.cumulated.at), 'rank')})"
        )

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.cumulated.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the topics."""
        return self.cumulated.topics

    @property
    def population(self) -> Population:
        """The topics that count in the averages."""
        return self.cumulated.population

    @property
    def rel(self) -> float | None:
        """From which grade on a document is called relevant: what CRP says, or else the conditions."""
        level: float | None = getattr(self.cumulated.measure, "rel", None)
        return self.cumulated.conditions.grading.rel if level is None else level

    @cached_property
    def grade(self) -> Floats:
        """Array of shape (runs, topics, ranks): the grade of the document that stands there; NaN where it has none."""
        return np.asarray(np.append(self.judged[RELEVANCE].cast(pl.Float64).to_numpy(), np.nan)[self.judgment])

    @cached_property
    def state(self) -> Integers:
        """Array of shape (runs, topics, ranks): the place in `_STATES` of what stands there."""
        within = self.cumulated.at <= self.length[..., None]
        judged = 2 + is_relevant(self.grade, self.rel).astype(np.int64)
        return np.where(np.isnan(self.grade), within.astype(np.int64), judged)

    @cached_property
    def steps(self) -> pl.DataFrame:
        """A row for each run, topic that it has, and rank.

        Columns run, topic, rank, state, grade, doc_id (null where nobody judged), rp, crp,
        crp_ideal, crp_full_scale, gain, gain_ideal, delta_gain.
        """
        return self._steps(*np.nonzero(self.cumulated.present))

    def _steps(self, run: Integers, topic: Integers) -> pl.DataFrame:
        """Return the rows of some runs, each on a topic."""
        ranks = len(self.cumulated.at)
        place = self.judgment[run, topic].ravel()
        with_none = pl.concat([self.judged[DOCUMENT], pl.Series([None], dtype=pl.String)])  # for where no document is
        names = {
            "run": pl.Series(self.runs, dtype=pl.String).gather(np.repeat(run, ranks)),
            "topic": pl.Series(self.topics, dtype=pl.String).gather(np.repeat(topic, ranks)),
            "rank": np.tile(np.arange(1, ranks + 1), len(run)),
            "state": pl.Series(_STATES, dtype=pl.String).gather(self.state[run, topic].ravel()),
            "grade": pl.Series(self.grade[run, topic].ravel(), nan_to_null=True),
            DOCUMENT: with_none.gather(np.where(place < 0, len(self.judged), place)),
        }
        return pl.DataFrame(names | self._numbers(lambda of: of.values[run, topic], lambda values: values[topic]))

    @cached_property
    def means(self) -> pl.DataFrame:
        """A row for each run and rank: averages over the topics.

        Columns run, rank, topics (how many count), relevant, not_relevant, unjudged (shares of the
        topics; the others have no document at that rank), early, right, late (by rp; of lists that
        have ended, early where something relevant is still missing, and never right), less,
        as_much, more (by delta_gain; shares, too; lists that have ended are never as_much, and topics
        that the run lacks are none of them), and
        the numbers of `steps`, those of the ideal and the full-scale list over the topics that count for some run.
        """
        present, counted = self.cumulated.present, self.cumulated.counted
        ranks = len(self.cumulated.at)
        names = {
            "run": pl.Series(self.runs, dtype=pl.String).gather(np.repeat(np.arange(len(self.runs)), ranks)),
            "rank": np.tile(np.arange(1, ranks + 1), len(self.runs)),
            "topics": np.repeat(counted.sum(axis=1), ranks),
        }
        place, difference = self.positions.values, self.differences.values
        holds = {
            "relevant": self.state == _STATES.index(RELEVANT),
            "not_relevant": self.state == _STATES.index(NOT_RELEVANT),
            "unjudged": self.state == _STATES.index(UNJUDGED),
            "early": place < 0,
            "right": (place == 0) & (self.state != _STATES.index(_BEYOND)),
            "late": place > 0,
            "less": difference < 0,
            "as_much": (difference == 0) & (self.state != _STATES.index(_BEYOND)),
            "more": difference > 0,
        }
        many = counted.sum(axis=1)[:, None]
        shares = {name: ratio((of & present[..., None]).sum(axis=1), many).ravel() for name, of in holds.items()}
        every = np.zeros(len(self.runs), int)
        some: Booleans = np.asarray(counted.any(axis=0, keepdims=True))
        numbers = self._numbers(lambda of: of.averages, lambda values: averages_of(values[None], some)[every])
        return pl.DataFrame(names | shares | numbers)

    def _numbers(self, of_runs: Callable[[Curves], Floats], of_lists: Callable[[Floats], Floats]) -> dict[str, Floats]:
        """Return the columns of numbers, flat: those of the runs, and those of the lists next to them."""
        columns = {
            "rp": of_runs(self.positions),
            "crp": of_runs(self.cumulated),
            "crp_ideal": of_lists(self.cumulated.ideal),
            "crp_full_scale": of_lists(self.cumulated.beside_values[0]),
            "gain": of_runs(self.gains),
            "gain_ideal": of_lists(self.gains.ideal),
            "delta_gain": of_runs(self.differences),
        }
        return {name: values.ravel() for name, values in columns.items()}

    @cached_property
    def ranks(self) -> pl.DataFrame:
        """What figures are drawn from: `steps` and shares of one topic; or `means`, as of a topic called ``all``."""
        measure = pl.lit(str(self.gains.measure)).alias("measure")
        if len(self.topics) == 1:
            shares = self.means.drop(self.steps.columns[6:])
            return self.steps.join(shares, on=["run", "rank"], maintain_order="left").with_columns(measure)
        kinds = {"state": pl.String, "grade": pl.Float64, DOCUMENT: pl.String}
        empty = {name: pl.lit(None, kind) for name, kind in kinds.items()}
        return self.means.with_columns(measure, topic=pl.lit(AVERAGE), **empty)

    @property
    def example(self) -> pl.DataFrame:
        """The steps of one topic: of the only one, or else of the one with the median recall base that a run has."""
        of_a_run = [self.topics[i] for i in np.flatnonzero(self.cumulated.present.any(axis=0))]
        counts = pl.col("topic").is_in(self.population.counting(of_a_run or self.topics))
        recall_base = self.intervals.filter(counts, grade=0.0).select("topic", base=pl.col("first") - 1)
        there = recall_base.filter((pl.col("base") > 0) | (pl.col("base").max() == 0)).sort("base", maintain_order=True)
        topic = self.topics.index(there["topic"][(there.height - 1) // 2])
        [run] = np.nonzero(self.cumulated.present[:, topic])
        return self._steps(run, np.full(len(run), topic)).with_columns(topics=pl.lit(self.population.topics))

    def to_polars(self, *, per_topic: bool = False, marks: bool = False, **which: object) -> pl.DataFrame:
        """Return the long table: `steps` of one topic or by topic, `means` of several; or the `marks`."""
        return self.marks if marks else self.steps if per_topic or len(self.topics) == 1 else self.means

    def table(self, **which: Any) -> pl.DataFrame:
        """Return the same table, which people read, too: whole numbers without a point."""
        table = self.to_polars(**which)
        floats = table.select(pl.selectors.float())
        whole = [each.name for each in floats if ((each == each.round()) & (each.abs() <= LARGEST_GRADE)).all()]
        return table.with_columns(pl.col(whole).cast(pl.Int64))

    def keys(self, *, per_topic: bool = False, marks: bool = False, **which: object) -> int:
        """Return how many columns say what a row is."""
        return 3 if marks or per_topic or len(self.topics) == 1 else 2

    def caption(self, *, per_topic: bool = False, marks: bool = False, **which: object) -> str:
        """Say what the table shows, and under which conditions."""
        over = f"Averages over {self.population}"
        if len(self.topics) == 1:
            over = f"Topic {self.topics[0]}"
        elif per_topic or marks:
            over = "By topic"
        what = f"The points of {self.cumulated.measure}" if marks else f"Rank by rank; gain: {self.gains.measure}"
        under = "".join(f"; {each}" for each in self.cumulated.conditions.described())
        return f"{what}. {over}; {self._length}{under}."

    @property
    def _length(self) -> str:
        """Name N, as the points have it: twice the recall base R where that is more than was asked for."""
        longer = self.marks.filter(pl.col("rank") > self.n, mark="N").unique("topic")
        if longer.height and len(self.topics) == 1:
            return f"N = {longer['rank'][0]:.0f} (twice R, which is more than {self.n})"
        more = f" (twice R on {counted(longer.height, 'topic')}, where that is more)" * (longer.height > 0)
        return f"N = {self.n}{more}"

    def remarks(self) -> tuple[str, ...]:
        """Tell the points of each run on a single topic."""
        if len(self.topics) > 1:
            return ()
        return tuple(
            f"{run}: {told(self.marks.filter(pl.col('run') == run).iter_rows(named=True))}" for run in self.runs
        )

    def material(self) -> Material:
        """Return what figures are drawn from: `steps`, `ranks`, `example`, `marks`, `intervals` and `effort`."""
        tables: dict[str, Callable[[], pl.DataFrame]] = {
            "steps": lambda: self.steps.with_columns(measure=pl.lit(str(self.gains.measure))),
            "ranks": lambda: self.ranks,
            "example": lambda: self.example,
            "marks": lambda: self.marks,
            "intervals": lambda: self.intervals,
            "effort": lambda: self.effort,
        }
        topics = f"Topic {self.topics[0]}" if len(self.topics) == 1 else str(self.population)
        runs = counted(len(self.runs), "run")
        under = "".join(f"; {each}" for each in self.cumulated.conditions.described())
        return Material("trace", tables, f"{topics}; {runs}; {self.cumulated.measure}, {self._length}{under}")


def trace(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    *,
    topic: str | None = None,
    n: int | None = None,
    last_rank: int | None = None,
    crp: str | Measure | type[Measure] = "CRP",
    gain: str | Measure | type[Measure] = GAIN,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Trace:
    """What is at each rank of a list, and how far is it from the ideal list?

    Parameters
    ----------
    qrels, runs
        As for `evaluate`, including joined runs.
    topic
        The id of a single topic; by default, all topics.
    n
        N: the length to which lists are cut or padded; by default the cutoff of ``crp``, or 1000.
    last_rank
        The last rank; by default N.
    crp
        How relative positions distinguish grades: ``"CRP"`` all, ``"CRP(rel=2)"`` two kinds,
        ``"CRP(gains={1:5,2:5})"`` those of different gain. The relevance level of the conditions
        defines relevance and leaves CRP graded, as everywhere.
    gain
        The measure of gain: CG or DCG. By default DCG with the gains -1, 1, 2, 3.
    progress
        As in `evaluate`.
    **conditions
        `Asked`

    Returns
    -------
    Trace
        For one topic a row for each run and rank, for several their averages; and the points of
        each curve. If a topic has R > N/2, its list is padded to 2R, and the points N and b_w may
        lie beyond the last rank.

    Raises
    ------
    InputError
        If the topic does not exist, or there are too many lists for memory.
    MeasureError
        If the measures are not CRP or a measure of cumulated gain.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, Figures 1 and 2; Ferro et al. (2016), "The Twist measure for IR evaluation", JASIST 67(3).

    Examples
    --------
    >>> qrels = {"1": {"a": 2, "b": 1, "c": 0}}
    >>> found = trace(qrels, {"late": {"1": {"c": 4.0, "x": 3.0, "b": 2.0, "a": 1.0}}}, n=4)
    >>> found.steps.select("rank", "state", "doc_id", "rp", "crp").rows()[:2]
    [(1, 'judged not relevant', 'c', -2.0, -2.0), (2, 'unjudged', 'x', -1.0, -3.0)]
    >>> found.steps["crp"].to_list(), found.marks.filter(mark="min").rows()
    ([-2.0, -3.0, -2.0, 1.0], [('late', '1', 'min', 2, -3.0, -3.0)])
    """
    position, gained = _one(crp), _one(gain)
    if position.cumulates != "positions":
        raise MeasureError(f"a trace needs CRP, such as CRP(rel=2), not {position}")
    if gained.cumulates != "gains":
        raise MeasureError(f"the gain measure must be CG or DCG, not {gained}")
    joined = join(qrels, runs, bounds=True, progress=progress, **conditions)  # so that each document has its id
    joined = joined if topic is None else joined.of_topic(topic)
    n = checked("n", (position.cutoff or LENGTH) if n is None else n, Depth)
    last_rank = min(checked("last_rank", n if last_rank is None else last_rank, Depth), n)
    told_apart = _without_cutoff(position)
    gains = {name: value for name, value in gained.given.items() if name in ("gains", "judged_only")}
    draw = partial(curve, joined, last_rank=last_rank, length=n)
    judged_only = joined.grading.judged_only or position.judged_only
    batches = [batch.condensed() if judged_only else batch for batch in joined.batches]
    shape = len(joined.runs), len(joined.topics)
    return Trace(
        positions=draw(measure=RP(**told_apart)),
        cumulated=draw(measure=CRP(**told_apart)),
        gains=draw(measure=type(gained)(**_without_cutoff(gained))),
        differences=draw(measure=DeltaGain(**gains)),
        judged=joined.judgments.table(),
        judgment=np.concatenate([_judgment(batch, last_rank) for batch in batches]).reshape(*shape, last_rank),
        length=np.concatenate([batch.length for batch in batches]).reshape(shape),
        marks=pl.concat([crp_marks(batch, n, **told_apart) for batch in batches]),
        intervals=_intervals(joined.judgments, CRP(**told_apart).conflation),
        effort=_effort(joined, [measure(**told_apart, cutoff=n) for measure in _EFFORT]),
        n=n,
    )


def _one(asked: str | Measure | type[Measure]) -> Measure:
    found = parse_measures(asked, complete=False)
    if len(found) != 1:
        raise MeasureError(f"name one measure; {asked!r} stands for {len(found)}")
    return found[0]


def _without_cutoff(measure: Measure) -> dict[str, object]:
    return {name: value for name, value in measure.given.items() if name != "cutoff"}


def _judgment(rankings: JudgedRankings, depth: int) -> Integers:
    """Return which judgment stands at ranks 1 to depth, -1 for none: array of shape (rows, depth)."""
    cut = rankings.cut(depth)
    spread = np.full((cut.rows, depth), -1)
    spread[cut.row, cut.rank - 1] = cut.judgment
    return spread


def _effort(runs: JudgedRuns, measures: Sequence[Measure]) -> pl.DataFrame:
    """Score each run on each topic that it has: a column a measure."""
    run, topic = np.nonzero(runs.present)
    values = runs.scores(measures).values[:, run, topic]
    names = {
        "run": pl.Series(runs.runs, dtype=pl.String).gather(run),
        "topic": pl.Series(runs.topics, dtype=pl.String).gather(topic),
    }
    return pl.DataFrame(names | {type(m).__name__: of for m, of in zip(measures, values, strict=True)})


def crp_marks(rankings: JudgedRankings, n: int, **told_apart: Any) -> pl.DataFrame:
    """Find the points of the curves of a batch, as the ``marks`` of a `Trace` have them."""
    given = told_apart | {"cutoff": n}
    curve_ = CRP(**given).curve(rankings)
    full_scale = CRP(**given).full_scale(rankings)
    ranks = {
        "R": curve_.recall_base,
        "min": TurnAround(**given).compute(rankings),
        "b_r": RegainedAt(**given).compute(rankings),
        "crossing": CrossingRank(**given).compute(rankings),
        "b_w": RegainedAt(whose="full-scale", **given).compute(rankings),
        "N": curve_.length,
    }
    rank = np.stack(list(ranks.values()))
    known = (rank > 0) & (rank <= curve_.length)
    by_run = rank.reshape(len(ranks), len(rankings.runs), -1)
    worst = np.stack([np.concatenate([full_scale.at(each) for each in of_mark]) for of_mark in by_run])
    own = np.stack([curve_.at(each) for each in rank])
    # Points beyond the end are null; a run has all of its points together, topic by topic.
    row = np.flatnonzero(rankings.present)
    run, topic = np.divmod(np.repeat(row, len(ranks)), len(rankings.topics))
    names = {
        "run": pl.Series(rankings.runs, dtype=pl.String).gather(run),
        "topic": pl.Series(rankings.topics, dtype=pl.String).gather(topic),
        "mark": list(ranks) * len(row),
    }
    numbers = {
        name: pl.Series(np.where(known, values, np.nan)[:, row].T.ravel(), nan_to_null=True)
        for name, values in {"rank": rank, "crp": own, "crp_full_scale": worst}.items()
    }
    return pl.DataFrame(names | numbers | {"rank": numbers["rank"].cast(pl.Int64)})


def _intervals(judgments: Judgments, conflation: Conflation) -> pl.DataFrame:
    """Say where the ideal lists have the documents of each grade; of what is not relevant there is one row a topic."""

    def made() -> pl.DataFrame:
        found = Intervals.of(judgments, conflation)
        topic = pl.Series(judgments.topics, dtype=pl.String)
        rows = pl.DataFrame(
            {
                "topic": topic.gather(judgments.topic),
                "grade": conflation.weight(judgments.grade),
                "first": found.first,
                "last": found.last,
            }
        )
        others = pl.DataFrame({"topic": topic, "grade": 0.0, "first": found.ideal.length.astype(np.int64) + 1})
        others = others.with_columns(last=pl.lit(None, pl.Int64))
        relevant = rows.filter(pl.col("first") > 0).unique(["topic", "first"]).sort("first")
        return pl.concat([relevant, others]).sort("topic", maintain_order=True)

    return judgments.remembered(("table of ideal intervals", conflation), made)
