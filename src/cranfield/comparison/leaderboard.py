"""`leaderboard`: who may lead, between which ranks each run lies, and which pairs are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, Unpack

import numpy as np

from cranfield.comparison.orders_of_tasks import OrdersOfTasks
from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.score_tables import ScoresLike, SystemsIn, read_score_table
from cranfield.formats.unmet import settle
from cranfield.judged.audit import Audit, Audited
from cranfield.judged.conditions import CONDITION_FILES, Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, told_names
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import ColumnNames, Naming
from cranfield.plumbing.options import SEED, Count, Level, Positive, Seed, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.tables import ATTEMPT, TASK
from cranfield.plumbing.wording import confidence, counted, lacking, percent, some_of
from cranfield.results.latex import latex_table
from cranfield.results.sheet import Sheet
from cranfield.scoring.attempts import Attempts
from cranfield.scoring.clusters import Clusters, ClustersLike, topics_in
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, knowing
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel, panel_of, read_scores, refuse_asked_of_runs, refuse_asked_of_scores
from cranfield.scoring.scores import Scores
from cranfield.scoring.tasks import TASKS_IN, OnTasks
from cranfield.statistics.clusters import Units
from cranfield.statistics.conclusions import significant, tell_apart
from cranfield.statistics.differences import pairs as all_pairs
from cranfield.statistics.on_paper import EQUAL, places, side
from cranfield.statistics.power import MOST_TOPICS, detectable
from cranfield.statistics.rank_intervals import RankIntervals, rank_intervals
from cranfield.statistics.usual import ALPHA, NOT_RUN

if TYPE_CHECKING:
    from cranfield.plots import Material

By: TypeAlias = Literal["mean"]
"""What runs are ordered by."""
ONE_TOPIC: Final = 0.7
"""Where one topic has more of the squared differences of a pair, resamples without it have a t beyond all others."""
MOSTLY_TIED: Final = 0.8
"""Where half of the pairs of runs tie on this share of the topics or more, nearly nothing tells them apart."""


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Audited, schema="leaderboard"):
    """The order of runs, and how sure it is.

    Attributes
    ----------
    rows
        The table of `to_polars`.
    pairs
        A row for each measure and pair of runs, the better one first: columns measure, better, other, difference (how
        far the better is ahead), p (of all pairs together) and told_apart.
    topics
        The number of topics.
    by, alpha, power, worthwhile, resamples, seed
        As asked.
    did_not_run
        The runs that are left out because they did not run.
    notes
        What else to know.
    audit
        The audit of the runs and qrels (None for scores from a table).
    said
        Sentences beneath the answer: on attempts, and on orders of several tasks.
    attempts
        Of several attempts on a topic, a row for each measure and run (`to_polars` with ``repeats``).
    orders
        Of several tasks, a row for each measure, order and run (`to_polars` with ``orders``).
    unit
        What is counted: ``"topic"``, or ``"task"`` of several tasks.
    """

    rows: pl.DataFrame
    pairs: pl.DataFrame
    topics: int
    by: By
    alpha: float
    power: float
    worthwhile: float | None
    resamples: int
    seed: int
    did_not_run: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    audit: Audit | None = None
    said: tuple[str, ...] = ()
    attempts: pl.DataFrame | None = None
    orders: pl.DataFrame | None = None
    unit: str = "topic"

    def __repr__(self) -> str:
        return f"Leaderboard({self.answer})"

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, the one that decides first."""
        return tuple(self.rows["measure"].unique(maintain_order=True))

    @property
    def answer(self) -> str:
        """Say in a sentence or two who may lead, by the measure that decides."""
        rows = self.rows.filter(measure=self.measures[0])
        pairs = self.pairs.filter(measure=self.measures[0])
        leading, measure = rows.filter("may_lead")["run"].to_list(), self.measures[0]
        if rows.height == 1:
            return f"There is only one run, {leading[0]}, and nothing to compare it with."
        on, alike = counted(self.topics, self.unit), Scope().on_others().alike.replace("topic", self.unit)
        many = int(pairs["told_apart"].sum())
        apart = (
            f"{many:,} of {pairs.height:,} pairs of runs {'differs' if many == 1 else 'differ'} significantly on {on}."
        )
        if pairs.height == 1:
            apart = f"The two {'' if many else 'do not '}differ significantly on {on}."
        if len(leading) == 1:
            others = {2: "the other run", 3: "both other runs"}.get(rows.height, f"all {rows.height - 1:,} other runs")
            return f"{leading[0]} leads by {measure} {alike}: it is significantly better than {others}. {apart}"
        return f"{len(leading):,} of {rows.height:,} runs may lead by {measure} {alike}. {apart}"

    def to_polars(
        self, *, pairs: bool = False, repeats: bool = False, orders: bool = False, **which: object
    ) -> pl.DataFrame:
        """Return a row for each measure and run, the best first; or, with ``pairs``, one for each pair.

        Columns: measure, run, topics, mean, rank (equal means share the better one), rank_from and rank_to (between
        which ranks the run lies, all runs at once), may_lead (whether no run is significantly better), may_lead_by_t
        (the same by the usual test, as `compare` has it: paired t, Holm's correction over the pairs), difference (of
        the run's mean less that of the first), detectable (the smallest mean difference from the first that a paired
        t-test would detect on these topics with the power asked for; null where differences do not vary) and, with
        worthwhile, more_topics (how many more topics it takes to detect a difference from the first of that size, and
        before it more_clusters where topics are in clusters; null where no number is enough).

        With ``repeats``, what several attempts say of each run: measure, run, topics, attempts_from and attempts_to
        (the fewest and the most on a topic), mean, between and within (the variance between topics, and of attempts on
        a topic), icc (the share of the two that lies between topics), agreement (the share of topics on which all
        attempts are equal), twice_the_attempts and twice_the_topics (by which share the interval of the mean would be
        narrower), and, of attempts that succeed or fail, pass@k and pass^k.

        With ``orders``, a row for each order of several tasks and run: measure, by (mean, standardised mean or Borda),
        run, tasks, value (over tasks the mean, the mean of standard deviations above the mean run, or the mean number
        of runs that are worse), rank, rank_from and rank_to (had other tasks been chosen), and item_rank_from and
        item_rank_to (had these tasks other items; null where that is not known).
        """
        if repeats or orders:
            found, what = (self.attempts, "attempts") if repeats else (self.orders, "tasks")
            if found is None:
                raise InputError(f"there is no such table, since no column of {what} was given")
            return found
        return self.pairs if pairs else self.rows

    def table(
        self, *, pairs: bool = False, repeats: bool = False, orders: bool = False, **which: object
    ) -> pl.DataFrame:
        """Return the table for people: rank, run, mean, the interval of ranks, and whether the run may lead.

        Of several tasks it has the ranks by the standardised mean and by Borda, too, and of several attempts pass@k.
        """
        if pairs:
            return self._without_measure(self.pairs.with_columns(_yes("told_apart")))
        if repeats or orders:
            found = self.to_polars(repeats=repeats, orders=orders)
            return self._without_measure(_with_ranks(found)).rename(lambda name: name.replace("_", " "))
        more = [name for name in ("more_clusters", "more_topics") if name in self.rows.columns]
        shown = _with_ranks(self.rows).select("measure", "rank", "run", "mean", "ranks", _yes("may_lead"), *more)
        if self.orders is not None:
            others = self.orders.filter(pl.col("by") != self.by)
            for (by,), part in others.group_by("by", maintain_order=True):
                ranks = _with_ranks(part).select("measure", "run", pl.format("{} ({})", "rank", "ranks").alias(str(by)))
                shown = shown.join(ranks, on=["measure", "run"], how="left", maintain_order="left")
        if self.attempts is not None:
            passes = [name for name in self.attempts.columns if name.startswith("pass")]
            given = self.attempts.select("measure", "run", *passes)
            shown = shown.join(given, on=["measure", "run"], how="left", maintain_order="left")
        return self._without_measure(shown).rename(lambda name: name.replace("_", " "))

    def _without_measure(self, table: pl.DataFrame) -> pl.DataFrame:
        return table if len(self.measures) > 1 else table.drop("measure").rename(
            {"mean": self.measures[0]} if "mean" in table.columns and self.measures[0] not in table.columns else {}
        )  # fmt: skip

    def keys(self, *, repeats: bool = False, **which: object) -> int:
        """Return how many columns say what a row is."""
        return 2 - repeats + (len(self.measures) > 1)

    def caption(self, **which: object) -> str:
        """Say who may lead, and how that was found."""
        return f"{self.answer} {self.method}"

    @property
    def method(self) -> str:
        """Say how the ranks were found."""
        how = (
            f"Ranks: simultaneous {confidence(1 - self.alpha)} intervals (bootstrap-t of all pairs, {self.resamples:,} "
            f"resamples, seed {self.seed}). A run may lead if no run is significantly better."
        )
        tested = self.pairs.height and self.topics > 1
        return f"{how if tested else 'Nothing was tested.'} Order: {self.by} over {counted(self.topics, self.unit)}."

    def render(self, format: str = "table", **which: object) -> str | bytes:  # noqa: A002
        """Return it as text (or bytes) in one of the formats of the command line: the answer first, for people."""
        if format == "latex":
            return latex_table(self.sheet(**which)._replace(caption=self.caption()))
        return super().render(format, **which)

    def opening(self, **which: object) -> tuple[str, ...]:
        """Return the answer, and beneath it the notes on attempts and tasks."""
        return self.answer, *self.said

    def schema(self, **which: object) -> str:
        """Return what its JSON is called; empty where another table than that of the runs is asked for."""
        return "" if any(which.get(table) for table in ("pairs", "repeats", "orders")) else super().schema()

    def stated(self, **which: object) -> dict[str, object]:
        """Return who may lead, for programs, with the sentences and the notes."""
        first = self.rows.filter(pl.col("may_lead"), measure=self.measures[0])
        return {
            "decides": self.measures[0], "may_lead": first["run"].to_list(), "did_not_run": [*self.did_not_run],
            "topics": self.topics, "unit": self.unit, "alpha": self.alpha,
        } | super().stated(**which)  # fmt: skip

    def sheet(self, **which: object) -> Sheet:
        """Return what people see."""
        return super().sheet(**which)._replace(caption=self.method)

    def material(self) -> Material:
        """Return what figures of it are drawn from."""
        from cranfield.plots import Material

        return Material("leaderboard", {"ranks": lambda: self.rows}, f"{self.answer}{lacking(self.notes)}")


def _with_ranks(table: pl.DataFrame) -> pl.DataFrame:
    """Write the ends of intervals of ranks as one column each, where they are known."""
    for prefix in ("", "item_"):
        ends = f"{prefix}rank_from", f"{prefix}rank_to"
        if not {*ends} <= {*table.columns}:
            continue
        low, high = map(pl.col, ends)
        written = pl.when(low == high).then(low.cast(pl.String)).otherwise(pl.format("{} to {}", low, high))
        known = table[ends[0]].null_count() < table.height
        table = table.with_columns(*[written.alias(f"{prefix}ranks")] * known).drop(ends)
    return table


def _yes(name: str) -> pl.Expr:
    return pl.when(name).then(pl.lit("yes")).otherwise(pl.lit("")).alias(name)


def leaderboard(
    scores: ScoresLike | Scores | JudgedRuns | QrelsLike | Judgments,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    by: By = "mean",
    alpha: float = ALPHA,
    worthwhile: float | None = None,
    power: float = 0.8,
    resamples: int = 1000,
    seed: int = SEED,
    clusters: ClustersLike | Clusters | None = None,
    not_run: float = NOT_RUN,
    systems: SystemsIn | None = None,
    header: bool | None = None,
    attempts: str | None = None,
    passes: Sequence[int] = (),
    tasks: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Leaderboard:
    """Which runs may lead, and between which ranks does each lie?

    Runs are ordered by their means. Each has an interval of ranks: it lies below all runs that are significantly better
    and above all runs that are significantly worse, all pairs being tested at once (bootstrap-t of the maximum). The
    chance that any of the intervals misses is at most alpha. A run may lead if no run is significantly better.

    Parameters
    ----------
    scores, runs
        A table of scores of any shape (a file, a DataFrame, or ``{run: {topic: value}}``), what `evaluate` returns, or
        joined runs, alone; or qrels, and the runs as for `evaluate`. Of a table, conditions are ``columns``, ``fields``
        and ``topics`` alone: ``columns={"run": "model", "topic": "task_id", "value": "resolved"}`` says what its
        columns are called.
    measures
        The measures; the first decides. By default all of a table, and nDCG@10 (or those of the convention) of runs.
    by
        The primary order: the ``"mean"``.
    alpha
        The chance that any interval of ranks misses.
    worthwhile, power
        ``more_topics`` is how many more topics a paired t-test, uncorrected, needs to detect a mean difference from the
        first run of ``worthwhile`` with this power, and ``detectable`` the smallest difference that it detects on these
        topics. Both assume that differences vary as they do here; power at the observed difference is not reported.
    resamples, seed
        Number of bootstrap samples, and their seed.
    clusters
        The cluster of each topic, as in `compare`: topics of a cluster are drawn together. A table may have a column of
        them.
    not_run
        As in `compare`: a run that lacks at least this share of the topics is left out and named.
    systems
        Whether a wide table has its systems as ``"rows"`` or as ``"columns"``, where no name says so.
    header
        Whether the first line of a file names its columns, where that cannot be seen.
    attempts
        The column of a table that tells several attempts of a run on a topic apart. What compares is their mean.
    passes
        For which k pass@k and pass^k are estimated, of attempts that are 0 or 1: by default, the fewest on a topic.
    tasks
        The column of a table that holds the tasks, of which topics are items; or ``"topic"`` where topics are tasks
        themselves, or ``"measure"`` where measures are. Each task counts once. Tasks that some run lacks are left out,
        unless ``topics="all"`` counts them 0.
    workers, progress
        As in `evaluate`.
    **conditions
        `Asked`

    Returns
    -------
    Leaderboard : a row for each measure and run.

    Raises
    ------
    InputError
        If the table cannot be read or may be read in two ways, or an option is out of range.

    Paper: as `rank_intervals` (Mogstad, Romano, Shaikh and Wilhelm 2024).

    Examples
    --------
    >>> one, two = ({str(t): base + t % 3 / 10 for t in range(30)} for base in (0.5, 0.2))
    >>> three = {t: value + (0.1 if int(t) % 2 else -0.1) for t, value in one.items()}
    >>> print(leaderboard({"one": one, "two": two, "three": three}).answer)
    2 of 3 runs may lead by score on topics like these. 2 of 3 pairs of runs differ significantly on 30 topics.
    """
    by, alpha, power = checked("by", by, By), checked("alpha", alpha, Level), checked("power", power, Level)
    worthwhile = checked("worthwhile", worthwhile, Positive | None)
    resamples, seed = checked("resamples", resamples, Count), checked("seed", seed, Seed)
    table = None
    if runs is not None or isinstance(scores, JudgedRuns | Judgments):
        refuse_asked_of_runs(attempts=attempts, tasks=tasks, passes=tuple(passes), systems=systems, header=header)
        measures = by_what(measures, scores, conditions)
        conditions = knowing(measures, scores, conditions)
        conditions = settle(conditions, scores, runs, *(conditions.get(name) for name in CONDITION_FILES))
        scores = evaluate(scores, runs, measures, workers=workers, progress=progress, **conditions)
        topics = None
    else:
        topics = conditions.get("topics")
        refuse_asked_of_scores(**{name: value for name, value in conditions.items() if name != "topics"})
        if isinstance(scores, Scores):
            refuse_asked_of_scores(measures=measures, attempts=attempts, systems=systems, header=header)
            table = None if tasks is None else read_score_table(scores.per_topic)
        else:
            naming = _naming(conditions, attempt=attempts, task=None if tasks in TASKS_IN else tasks)
            table = read_scores(scores, measures or (), **naming._asdict(), systems=systems, header=header)  # type: ignore[arg-type]
    if table is not None and TASK in table.table.columns:
        tasks = tasks or TASK
    on_tasks = OnTasks.of(table, tasks) if table is not None and tasks is not None else None
    if on_tasks is not None:
        panel = panel_of(on_tasks.scores, topics or "shared", not_run=not_run)
    else:
        panel = panel_of(table or scores, topics, not_run=not_run)  # type: ignore[arg-type]
    if clusters is not None:
        panel = panel.drawn_in(Clusters.taken(clusters, Naming.asked(conditions)))
    panel.refuse_none()
    if panel.weights is not None:
        raise InputError("topics are weighted, but ranks need topics of equal weight; omit the weights")
    if not panel.measures:
        raise InputError("there is no measure to order by; name one, or leave measures out")
    boards = [_Board(panel, m, alpha, worthwhile, power, resamples, seed) for m in range(len(panel.measures))]
    found = Leaderboard(
        pl.concat([board.rows() for board in boards]),
        pl.concat([board.pairs() for board in boards]),
        len(panel.topics), by, alpha, power, worthwhile, resamples, seed,
        tuple(run for run, _ in panel.not_run),
        (
            *panel.notes, *panel.like_clusters, *(note for board in boards for note in board.notes()),
            *filter(None, [told_names(panel.asked)]),
        ),
        panel.audit,
    )  # fmt: skip
    found = found if on_tasks is None else _with_tasks(found, panel, on_tasks)
    rows = None if table is None else table.table if on_tasks is None else on_tasks.counting(table.table, panel.topics)
    return _with_attempts(found, panel, rows, passes, asked=attempts is not None)


def _naming(conditions: Asked, **parts: str | None) -> Naming:
    """Say what columns are called, these parts among them."""
    asked = Naming.asked(conditions)
    named = {part: (name,) for part, name in parts.items() if name is not None}
    return asked._replace(columns=ColumnNames({**asked.columns.names, **named})) if named else asked


def _with_tasks(found: Leaderboard, panel: Panel, on_tasks: OnTasks) -> Leaderboard:
    """Put the orders of several tasks next to that of the mean."""
    boards = [
        OrdersOfTasks.of(
            measure, panel.runs, panel.topics, values, families=panel.cluster_of_topic,
            items=[direction * each for each in on_tasks.of_tasks(measure, panel.runs, panel.topics)],
            alpha=found.alpha, resamples=found.resamples, seed=found.seed,
        )
        for measure, values, direction in zip(panel.measures, panel.values, panel.direction, strict=True)
    ]  # fmt: skip
    return replace(
        found,
        orders=pl.concat([board.orders() for board in boards]),
        said=(*found.said, *boards[0].sentences()),
        notes=tuple(map(_of_tasks, found.notes)),
        unit="task",
    )


def _of_tasks(said: str) -> str:
    """Call the topics of a sentence tasks."""
    return re.sub(r"\btopic(s?)\b", r"task\1", said)


def _with_attempts(
    found: Leaderboard, panel: Panel, table: pl.DataFrame | None, passes: Sequence[int], *, asked: bool
) -> Leaderboard:
    """Put what several attempts say of each run next to the answer."""
    if table is None or ATTEMPT not in table.columns:
        if passes:
            raise InputError("pass@k needs several attempts on a topic: name the column that numbers them")
        return found
    measures = table["measure"].unique(maintain_order=True).to_list()
    each = [Attempts.of(table, measure, panel.runs) for measure in measures]
    several = [of for of in each if of.runs and (asked or of.found.most.max() > 1)]
    if not several:
        return found
    direction = panel.direction[0] if panel.measures[0] == several[0].measure else 1.0
    words = _of_tasks if found.unit == "task" and TASK not in table.columns else str
    return replace(
        found,
        attempts=pl.concat([of.table(passes) for of in several], how="diagonal"),
        said=(*map(words, several[0].sentences(direction)), *found.said),
        notes=(*found.notes, *(note for of in several for note in of.notes(passes))),
    )


class _Board:
    """What is known of the order by one measure."""

    def __init__(
        self, panel: Panel, place: int, alpha: float, worthwhile: float | None, power: float, resamples: int, seed: int
    ) -> None:
        self.panel, self.measure, self.values = panel, panel.measures[place], panel.values[place]
        self.means, self.averages = panel.means[place], panel.averages[place]
        self.alpha, self.worthwhile, self.power = alpha, worthwhile, power
        self.order = best_first(self.averages)
        self.found: RankIntervals | None = None  # where there is nothing to compare, or by no more than one topic
        if min(self.values.shape) > 1:
            self.found = rank_intervals(
                self.values, clusters=panel.cluster_of_topic, alpha=alpha, resamples=resamples, seed=seed
            )

    @cached_property
    def usual(self) -> Booleans:
        """Array of shape (runs,): which may lead by the usual test."""
        if self.found is None:
            return np.ones(len(self.values), np.bool_)
        return tell_apart(self.values, self.alpha, None, self.panel.cluster_of_topic).may_lead

    def rows(self) -> pl.DataFrame:
        """Give a row for each run, the best first."""
        order, many = self.order, len(self.order)
        ahead = self.values[order] - self.values[order[0]]
        units = self.panel.by_unit(ahead) if self.panel.units > 1 else None
        none = np.full(many, np.nan)
        best, worst = (
            (np.ones(many, int), np.full(many, many)) if self.found is None else (self.found.best, self.found.worst)
        )
        least = none if units is None else units.spread[0] * detectable(units.spread[1], self.power, self.alpha)
        least[side(least) == 0] = np.nan  # of the first itself, and of differences that do not vary: nothing is known
        columns = {
            "measure": pl.Series([self.measure] * many, dtype=pl.String),
            "run": pl.Series([self.panel.runs[run] for run in order], dtype=pl.String),
            "topics": np.full(many, len(self.panel.topics)),
            "mean": self.means[order],
            "rank": places(self.averages)[order],
            "rank_from": best[order],
            "rank_to": worst[order],
            "may_lead": best[order] == 1,
            "may_lead_by_t": self.usual[order],
            "difference": self.means[order] - self.means[order[0]],
            "detectable": pl.Series(least, nan_to_null=True),
        }
        if self.worthwhile is not None:
            columns |= self._more(units, many, self.worthwhile)
        return pl.DataFrame(columns)

    def _more(self, units: Units | None, runs: int, worthwhile: float) -> dict[str, pl.Series]:
        """How many more topics, and clusters of them, does it take to detect such a difference from the first run?"""
        here = {"more_topics": len(self.panel.topics)}
        if self.panel.clustered is not None:
            here = {"more_clusters": self.panel.units, **here}
        if units is None:
            return {name: pl.Series([None] * runs, dtype=pl.Int64) for name in here}
        needed = units.needed(worthwhile, self.power, self.alpha)
        none = pl.Series((needed >= MOST_TOPICS) | (np.arange(runs) == 0))
        in_all = {"more_clusters": needed, "more_topics": self.panel.topics_of(needed)}
        return {name: pl.Series((in_all[name] - many).clip(0)).set(none, None) for name, many in here.items()}

    def pairs(self) -> pl.DataFrame:
        """Give a row for each pair, the better run first, in the order of the runs."""
        place = np.empty(len(self.order), int)
        place[self.order] = np.arange(len(self.order))
        one, other = all_pairs(len(self.order))
        p = np.ones(len(one)) if self.found is None else self.found.p
        swapped = place[one] > place[other]
        better, worse = np.where(swapped, other, one), np.where(swapped, one, other)
        names = np.array(self.panel.runs, object)
        table = pl.DataFrame(
            {
                "measure": pl.Series([self.measure] * len(one), dtype=pl.String),
                "better": pl.Series(names[better].tolist(), dtype=pl.String),
                "other": pl.Series(names[worse].tolist(), dtype=pl.String),
                "difference": self.means[better] - self.means[worse],
                "p": p,
                "told_apart": significant(p, self.alpha),
            }
        )
        return table[np.lexsort((place[worse], place[better]))]

    def notes(self) -> Iterator[str]:
        """Say what to know of the intervals."""
        if self.panel.clustered is not None:
            yield f"{topics_in(len(self.panel.topics), self.panel.clustered)}: topics of one cluster are drawn together"
        if self.found is None:
            if len(self.panel.runs) > 1:
                yield "1 topic: no difference can be tested; this takes more topics"
            return
        over = ", Holm's correction over the pairs" * (len(self.panel.runs) > 2)
        yield (
            f"{self.measure}: {counted(int((self.found.best == 1).sum()), 'run')} may lead by simultaneous intervals "
            f"of all ranks, {int(self.usual.sum()):,} by the usual test (paired {self._t}{over})"
        )
        if self.found.doubt:
            yield f"{self.measure}: {self.found.doubt}"
        if np.isin(self.values, (0.0, 1.0)).all():
            yield (
                f"{self.measure}: all values are 0 or 1, so the sign test of two runs is McNemar's test (cranfield "
                "compare --test sign)"
            )
        yield from self._near_copies(self.found.untested)
        rows = self.rows()["detectable"].drop_nulls()
        if len(rows):
            ends = dict.fromkeys(f"{end:.4f}" for end in (rows.to_numpy().min(), rows.to_numpy().max()))
            yield (
                f"{self.measure}: on these topics, a paired {self._t}-test detects a difference from the first run of "
                f"{' to '.join(ends)} with a power of {self.power:g} (alpha = {self.alpha:g}, no correction)"
            )

    @property
    def _t(self) -> str:
        return "t" if self.panel.clusters is None else "cluster-robust t"

    def _near_copies(self, untested: Booleans) -> Iterator[str]:
        """Warn of runs that tie on most topics, and of pairs that take the power of all others."""
        tied, alone = self._alike
        if np.median(tied) >= MOSTLY_TIED:
            yield (
                f"{self.measure}: most pairs of runs tie on {percent(MOSTLY_TIED)} of the topics; rank intervals may "
                f"miss the true rank in more than {100 * self.alpha:g}% of cases"
            )
        ends = zip(*(end[alone & ~untested] for end in all_pairs(len(self.values))), strict=True)
        named = [f"{self.panel.runs[a]} and {self.panel.runs[b]}" for a, b in ends]
        if named and len(self.values) > 2:
            yield (
                f"{self.measure}: {counted(len(named), 'pair')} of runs {'differs' if len(named) == 1 else 'differ'} "
                f"on one topic far more than on all others, and no interval can be narrow then; leave one of each "
                f"out: {some_of(named, 3)}"
            )

    @property
    def _alike(self) -> tuple[Floats, Booleans]:
        """On what share of the topics does each pair tie, and is it one topic that sets both apart?"""
        tied, alone = list[Floats](), list[Booleans]()
        for run in range(len(self.values) - 1):
            apart = np.square(self.values[run] - self.values[run + 1 :])
            tied.append((apart < EQUAL**2).mean(axis=1))
            alone.append(apart.max(axis=1) > ONE_TOPIC * apart.sum(axis=1))
        return np.concatenate(tied), np.concatenate(alone)
