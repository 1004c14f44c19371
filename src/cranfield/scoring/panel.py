"""Scores made ready to be compared: complete, more being better, and with the same policies for whoever compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Final

import numpy as np

from cranfield.formats import frames
from cranfield.formats.score_tables import ScoresLike, ScoreTable, SystemsIn, is_nested, read_score_table
from cranfield.judged.audit import Audit, RunAudit
from cranfield.judged.conditions import Conditions, Reading
from cranfield.judged.topic_ids import LIKE_CLUSTERS, shared_prefixes
from cranfield.measures.framework.known_by_name import KnownByName
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, listed, parse_measure, parse_measures, place_of
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.averaging import WORDS, summable
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import ColumnNames, NamesLike, Naming
from cranfield.plumbing.options import Positive, Topics, checked
from cranfield.plumbing.tables import ATTEMPT, AVERAGE, CLUSTER
from cranfield.plumbing.wording import best_by, by_number, counted, some_of
from cranfield.results import sheet
from cranfield.scoring.clusters import Clusters, ClustersLike
from cranfield.scoring.long_table import KEYS
from cranfield.scoring.orientation import direction, flattering
from cranfield.scoring.scores import LIMITS, Scores
from cranfield.scoring.weighting import TopicWeights
from cranfield.statistics.usual import NOT_RUN

if TYPE_CHECKING:
    from cranfield.statistics.clusters import Units

SCORES_ALONE: Final = "scores alone"
"""Why nothing is unjudged in scores that have no judgments."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of several runs on the same topics: nothing missing, and more is better.

    The policies, for whatever compares:

    - Of ``"all"`` topics, those that a run lacks count 0; ``"shared"`` topics are those that
      *every* run has, by every measure.
    - Where less is better, values are negative here; `as_measured` turns them back.
    - Of a geometric mean the values are logarithms, since their mean over topics ranks the runs as
      the measure does: a difference of log 2 says "twice as good".
    - A sum (of counts) is compared by its mean over topics.
    - Measures that are a text are refused.
    """

    # runs, topics, measures: names; the topics sorted, so that random signs and resamples do not depend on the order of
    # a file
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats  # array of shape (measures, runs, topics)
    direction: Floats  # for each measure 1, or -1 where less is better
    logarithmic: Booleans  # for each measure, whether its values are logarithms
    ends: Floats  # array of shape (measures, 2): the least and the largest value there can be, as far as that is known
    # array of shape (2, measures, runs, topics), the worst and the best that each value could be, where bounds are
    # known
    limits: Floats | None = None
    notes: tuple[str, ...] = ()  # what was done about missing topics, and other things to know
    audit: Audit | None = None  # that of the scores, where there is one
    asked: tuple[Measure | str, ...] = ()  # the measures themselves; names, where they are those of a table
    # what the topics count for, where they do not all count alike: `averages` are weighted then
    weights: TopicWeights | None = None
    clusters: Clusters | None = None  # which topics belong together, and are drawn at random as one
    # runs that did not run, with how many of the topics each lacks: none of these runs, or all if none ran
    not_run: tuple[tuple[str, int], ...] = ()
    asked_topics: int = 0  # how many topics there were before the runs' own were taken

    @cached_property
    def weight_of_topic(self) -> Floats | None:
        """Array of shape (topics,): what each topic counts for; None where all count the same."""
        return None if self.weights is None else self.weights.over(self.topics)

    @cached_property
    def cluster_of_topic(self) -> Integers | None:
        """Array of shape (topics,): the number of its cluster; None where topics are drawn one by one."""
        return None if self.clusters is None else self.clusters.over(self.topics)

    @property
    def clustered(self) -> int | None:
        """How many clusters there are; None where topics are drawn one by one."""
        return None if self.clusters is None else self.clusters.many(self.topics)

    @property
    def units(self) -> int:
        """How many observations statistics rest on: clusters, or topics that count."""
        weights = self.weight_of_topic
        topics = len(self.topics) if weights is None else int((weights > 0).sum())
        return topics if self.clustered is None else self.clustered

    @property
    def unit(self) -> str:
        """What is drawn at random: a topic, or a cluster of them."""
        return "topic" if self.clusters is None else "cluster"

    def topics_of(self, units: Integers) -> Integers:
        """Return how many topics this many units are: clusters have the mean size of these."""
        topics: Integers = np.ceil(units * (len(self.topics) / self.units)).astype(np.int64)
        return topics

    def by_unit(self, rows: Floats) -> Units:
        """Lay differences by topic, of shape (hypotheses, topics), out by what is drawn at random."""
        from cranfield.statistics.clusters import by_unit

        return by_unit(rows, self.weight_of_topic, self.cluster_of_topic)

    @property
    def like_clusters(self) -> tuple[str, ...]:
        """What ids of topics tell of clusters, where neither clusters were given nor an audit tells it."""
        found = shared_prefixes(self.topics) if self.audit is None and self.clusters is None else None
        return () if found is None else (found.says,)

    def drawn_in(self, clusters: Clusters | None) -> Panel:
        """Return the same with topics that belong together; every one has its cluster, and there are two or more."""
        if clusters is None:
            return self
        audit = None if self.audit is None else self.audit.without(LIKE_CLUSTERS)
        return replace(self, clusters=clusters.within(self.topics), audit=audit)

    @property
    def averages(self) -> Floats:
        """Array of shape (measures, runs): means over topics, more being better."""
        weights = np.ones(len(self.topics)) if self.weight_of_topic is None else self.weight_of_topic
        # Added topic by topic, as the averages of scores are, so that runs that are equal there are equal here.
        averages: Floats = (self.values * weights).cumsum(axis=-1)[..., -1] / weights.sum()
        return averages

    @property
    def means(self) -> Floats:
        """Array of shape (measures, runs): means as the measures have them, lower ones better where they are."""
        return self.as_measured(self.averages)

    def as_measured(self, averages: Floats) -> Floats:
        """Turn averages, the measures on the first axis, back into what the measures say."""
        shape = (-1, *(1,) * (averages.ndim - 1))
        measured = self.direction.reshape(shape) * averages + 0.0  # where less is better, 0 is 0 and not -0
        measured[self.logarithmic] = np.exp(measured[self.logarithmic])
        return measured

    def refuse_none(self) -> None:
        """Refuse to compare runs none of which ran."""
        if len(self.not_run) == len(self.runs) and {run for run, _ in self.not_run} == {*self.runs}:
            raise none_ran(source="scores")

    def of_measures(self, names: Sequence[str]) -> Panel:
        """Return some of the measures alone, in this order."""
        at = [self.measures.index(name) for name in names]
        return replace(
            self, measures=tuple(names), values=self.values[at], direction=self.direction[at],
            logarithmic=self.logarithmic[at], ends=self.ends[at],
            limits=None if self.limits is None else self.limits[:, at],
            asked=tuple(self.asked[place] for place in at),
        )  # fmt: skip

    def as_scores(self) -> Scores:
        """Return scores as `evaluate` does, without judgments behind them: what figures and pages are made of.

        A measure is known by its name alone where it is none of ours, or its values lie beyond what ours can have, as
        percentages do.
        """
        values = self.as_measured(self.values)
        limits = None if self.limits is None else np.sort([self.as_measured(each) for each in self.limits], axis=0)
        known = [
            each
            if isinstance(each, Measure) and (self.direction[m] < 0 or self._within(each, values[m]))
            else KnownByName(str(each))
            for m, each in enumerate(self.asked)
        ]
        runs = tuple(RunAudit(run, len(self.topics), (), (), (), 0, 0, ()) for run in self.runs)
        return Scores(
            runs=self.runs,
            topics=self.topics,
            measures=tuple(known),
            values=values,
            present=np.ones(values.shape[1:], np.bool_),
            conditions=Conditions(Reading()),
            audit=Audit(runs, len(self.topics), (), ranks=False, complete=SCORES_ALONE, by_silence=False),
            limits=limits,
            asked=tuple(known),
            notes=self.notes,
            weights=self.weights,
            clusters=self.clusters,
        )

    @staticmethod
    def _within(measure: Measure, values: Floats) -> bool:
        low, high = measure.limits
        return bool(low <= values.min(initial=high) and values.max(initial=low) <= high)

    def of_topics(self, names: Sequence[str]) -> Panel:
        """Return some of the topics alone."""
        places = {topic: place for place, topic in enumerate(self.topics)}
        at = [places[name] for name in names]
        limits = None if self.limits is None else self.limits[..., at]
        return replace(self, topics=tuple(names), values=self.values[..., at], limits=limits)

    def of_runs(self, kept: Booleans) -> Panel:
        """Return some of the runs alone: array of shape (runs,)."""
        limits = None if self.limits is None else self.limits[:, :, kept]
        runs = tuple(run for run, stays in zip(self.runs, kept, strict=True) if stays)
        return replace(self, runs=runs, values=self.values[:, kept], limits=limits)


def panel_of(
    scores: Scores | ScoresLike, topics: Topics | None = None, *, averages: bool = False, not_run: float | None = None
) -> Panel:
    """Lay scores out: `Scores`, or a table of them (`read_score_table`).

    With `not_run`, runs that lack at least this share of the topics that some run has are left out: see `who_ran`.
    """
    begin_work()
    topics = checked("topics", topics, Topics | None)
    not_run = checked("not_run", not_run, Positive | None)
    if isinstance(scores, Scores):
        return _of_scores(scores, topics or scores.conditions.reading.topics, not_run)
    if isinstance(scores, ScoreTable | str | PathLike) or frames.is_frame(scores) or is_nested(scores):
        table = read_score_table(scores, is_measure=_is_measure)
        panel = _of_table(table.table, topics or "all", averages, not_run)
        return replace(panel, notes=(*table.notes, *panel.notes))
    raise InputError(
        f"scores must be what evaluate() returns, or a DataFrame with run, topic, measure and value, not {type(scores)}"
    )


def read_scores(
    given: ScoresLike,
    measures: MeasureNames = (),
    *,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
    systems: SystemsIn | None = None,
    header: bool | None = None,
) -> ScoreTable:
    r"""Read a table of scores, long or wide, to be given wherever scores are taken.

    Parameters
    ----------
    given
        A file (CSV, TSV, JSON, JSON lines or Parquet, or one of AutoJudge's formats), a DataFrame of any library,
        ``{run: {topic: value}}`` or ``{run: {topic: {measure: value}}}``.
    measures
        Those of the table that are wanted, in their order; by default all.
    columns, fields
        What its columns are called: ``{"run": "model", "topic": "task_id", "value": "resolved"}``.
    systems
        Whether a wide table has its systems as ``"rows"`` or as ``"columns"``, where no name says so.
    header
        Whether the first line of a file names its columns, where that cannot be seen.

    Returns
    -------
    ScoreTable : ``table`` has the columns run, topic, measure and value, and attempt, cluster and task if there are.

    Raises
    ------
    InputError
        If it cannot be read, or may be read in two ways.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"run,topic,measure,value\nbm25,001,AP,0.5\nbm25,001,RR,1\n"), file.flush()
    ...     read_scores(file.name, ["AP"]).table.rows()
    [('bm25', '001', 'AP', 0.5)]
    """
    naming = Naming.of(columns, fields)
    systems, header = checked("systems", systems, SystemsIn | None), checked("header", header, bool | None)
    found = read_score_table(given, naming, systems=systems, header=header, is_measure=_is_measure)
    names = listed(measures)
    if not names:
        return found
    there = found.table["measure"].unique(maintain_order=True).to_list()
    asked: list[str | Measure] = []
    for name in names:
        asked += [name] if isinstance(name, str) and name in there else parse_measures(name, complete=False)
    order = pl.Enum([*dict.fromkeys(there[place_of(each, there)] for each in asked)])
    table = found.table.filter(pl.col("measure").is_in(order.categories))
    return found._replace(table=table.sort(pl.col("measure").cast(order), maintain_order=True))


def scores_of(
    table: ScoresLike,
    topics: Topics | None = None,
    *,
    not_run: float = NOT_RUN,
    clusters: ClustersLike | Clusters | None = None,
) -> Scores:
    """Lay a table of scores out as `evaluate` does: what figures and pages of scores are made of."""
    panel = panel_of(table, topics, not_run=not_run)
    panel.refuse_none()
    return panel.drawn_in(None if clusters is None else Clusters.taken(clusters)).as_scores()


def _is_measure(name: str) -> bool:
    return _known(name) is not None


def leaderboard_rows(given: ScoresLike, measures: MeasureNames = ()) -> pl.DataFrame:
    """Read scores as `write_leaderboard` takes them, checked: run, topic, measure and value; averages only if alone."""
    return _complete(read_scores(given, measures).table, averages=True).select(*KEYS, "value").drop_nulls()


_OF_OTHER_TABLES: Final = ("columns", "fields")  # What may say how weights and groups are read, next to scores


def refuse_asked_of_scores(**asked: object) -> None:
    """Refuse what says how runs are scored where they are scored already."""
    if given := [name for name, value in asked.items() if value is not None and name not in _OF_OTHER_TABLES]:
        raise InputError(f"these scores are of runs that were scored already; leave {given[0]} out")


def refuse_asked_of_runs(**asked: object) -> None:
    """Refuse what says how a table of scores is laid out where runs are given with their judgments."""
    if given := [name for name, value in asked.items() if value is not None and value != ()]:
        raise InputError(f"with qrels and runs, leave {given[0]} out: it is for tables of scores")


def numbers_only(measures: Sequence[Measure]) -> None:
    """Refuse measures that are a text: there is nothing to compare."""
    if texts := ", ".join(str(measure) for measure in measures if measure.text):
        raise InputError(f"{texts}: a text, which cannot be compared; name measures that are numbers")


def _of_scores(scores: Scores, topics: Topics, not_run: float | None) -> Panel:
    numbers_only(scores.asked)
    if scores.average != "mean":
        raise InputError(
            f"means are compared, and these scores are averaged by the {WORDS[scores.average]}; "
            "give them as scores.averaged_by('mean')"
        )
    panel = _laid_out(
        (scores.runs, scores.topics, scores.measures),
        np.broadcast_to(scores.present, scores.values.shape),
        scores.values[np.newaxis] if scores.limits is None else np.stack([scores.values, *scores.limits]),
        topics,
        scores.audit,
        not_run,
    )
    panel = replace(panel, notes=(*scores.notes, *panel.notes), weights=scores.weights)
    return panel.drawn_in(scores.clusters)


def _of_table(frame: pl.DataFrame, topics: Topics, averages: bool, not_run: float | None) -> Panel:
    table = _complete(frame, averages)
    names = [table[key].unique(maintain_order=True) for key in KEYS]
    runs, ids, measures = (tuple(name.to_list()) for name in names)
    table = table.drop_nulls("value")
    codes = [
        table[key].replace_strict(name, np.arange(len(name)), return_dtype=pl.Int64).to_numpy()
        for key, name in zip(KEYS, names, strict=True)
    ]
    place = (codes[2], codes[0], codes[1])
    shape = (len(measures), len(runs), len(ids))
    present: Booleans = np.zeros(shape, dtype=np.bool_)
    present[place] = True
    columns = ["value", *LIMITS] if set(LIMITS) <= set(table.columns) else ["value"]
    values = np.zeros((len(columns), *shape))
    values[:, *place] = table.select(columns).to_numpy().T
    panel = _laid_out((runs, ids, measures), present, values, topics, None, not_run)
    return panel.drawn_in(Clusters.taken(frame.select("topic", CLUSTER).unique()) if CLUSTER in frame.columns else None)


def _complete(table: pl.DataFrame, averages: bool) -> pl.DataFrame:
    """Leave averages out, and take the mean of several attempts; every (run, topic, measure) is there once then."""
    by_topic = table.filter(pl.col("topic") != AVERAGE)
    table = table if averages and not by_topic.height else by_topic
    if not table.height:
        raise InputError("no scores by topic (averages, of the topic 'all', cannot be tested)", source="scores")
    numbers = [name for name in ("value", *LIMITS) if name in table.columns]
    keys = [*KEYS, *([ATTEMPT] if ATTEMPT in table.columns else [])]
    twice = table.filter(table.select(keys).is_duplicated())
    if twice.height:
        run, topic, measure = twice.select(KEYS).row(0)
        several = "" if ATTEMPT in keys else f"; if these are attempts, add {ColumnNames.spelled((ATTEMPT, 'COLUMN'))}"
        several += "; if they are of several tasks, name the column of tasks (`cranfield leaderboard --tasks COLUMN`)"
        raise InputError(f"{measure} of run {run} on topic {topic} occurs more than once{several}", source="scores")
    if ATTEMPT not in keys:
        return table
    return table.group_by(*KEYS, maintain_order=True).agg(pl.col(numbers).mean())


def _known(measure: Measure | str) -> Measure | None:
    """Return the measure of this name, if it is known here."""
    if isinstance(measure, Measure):
        return measure
    try:
        return parse_measure(measure)
    except MeasureError:
        return None


def direction_of(measure: Measure | str) -> float:
    """Return 1 where more is better, as it is taken to be of a measure that is not known here, and -1 where less is."""
    known = _known(measure)
    return 1.0 if known is None else direction(known)


def limits_of(measure: Measure | str) -> tuple[float, float]:
    """Return the least and the largest value there can be: endless of a measure that is not known here."""
    known = _known(measure)
    return (-np.inf, np.inf) if known is None else known.limits


def _ends(known: Sequence[Measure | None], values: Floats) -> Floats:
    """Return the least and the largest value of each measure there can be: no nearer than a table's own values are."""
    ends = [(-np.inf, np.inf) if m is None or m.summary == "geometric mean" else m.limits for m in known]
    least, most = np.array(ends).reshape(-1, 2).T
    if not known:
        return np.zeros((0, 2))
    own = values.reshape(len(known), -1)
    return np.stack([np.minimum(least, own.min(axis=1)), np.maximum(most, own.max(axis=1))], axis=1)


def _laid_out(
    names: tuple[tuple[str, ...], tuple[str, ...], Sequence[Measure | str]],
    present: Booleans,
    values: Floats,
    topics: Topics,
    audit: Audit | None = None,
    not_run: float | None = None,
) -> Panel:
    """Keep the runs that ran and the topics asked for, sorted by id, and turn values round where less is better.

    ``values`` has the values in front, and behind them the lowest and the highest, if there are
    bounds.
    """
    runs, ids, measures = names
    order = np.argsort(np.array(ids, dtype=object))
    has: Booleans = np.asarray(present.all(axis=0))[:, order]  # a run has a topic where it has all measures
    lacking = who_ran(has, not_run)
    ran = lacking == 0
    absent = tuple((run, int(many)) for run, many in zip(runs, lacking, strict=True) if many)
    if absent and ran.any():
        runs = tuple(run for run, there in zip(runs, ran, strict=True) if there)
        has, values = has[ran], values[:, :, ran]
    kept = order[has.all(axis=0)] if topics == "shared" else order
    if not len(kept):
        raise InputError("the runs share no topic; compare fewer runs, or on all topics")
    known = [_known(measure) for measure in measures]
    sign = np.array([direction_of(measure) for measure in measures])
    raw = values[..., kept]
    logarithmic = np.array([m is not None and m.summary == "geometric mean" for m in known], dtype=np.bool_)
    for m, measure in enumerate(known):
        if measure is not None and logarithmic[m]:
            raw[:, m] = summable(raw[:, m], measure.summary)
    turned = sign[:, np.newaxis, np.newaxis] * raw + 0.0  # not -0.0
    limits = None
    if len(turned) > 1:
        worst_first = np.where(sign > 0, 1, 2)
        limits = np.stack([turned[first, np.arange(len(known))] for first in (worst_first, 3 - worst_first)])
    return Panel(
        runs=runs,
        topics=tuple(ids[i] for i in kept),
        measures=tuple(map(str, measures)),
        asked=tuple(m if k is None or str(k) != str(m) else k for m, k in zip(measures, known, strict=True)),
        values=turned[0],
        direction=sign,
        logarithmic=logarithmic,
        ends=_ends(known, raw[0]),
        limits=limits,
        notes=(
            *(did_not_run(absent, len(ids)) if ran.any() else ()),
            *_notes(runs, [ids[i] for i in order], has, topics, measures, known),
        ),
        audit=audit,
        not_run=absent,
        asked_topics=len(ids),
    )


def who_ran(has: Booleans, share: float | None) -> Integers:
    """How many topics does each run lack, if it lacks so many that it did not run? 0 for every run that ran.

    Its share is of the topics that some run has, its count of all topics; an empty list is an answer.

    Shapes: has (runs, topics).
    """
    asked, answered = has.any(axis=0).sum(), has.sum(axis=1)
    gone = (share is not None) & (answered < asked) & (asked - answered >= (share or 0) * asked)
    return np.where(gone, has.shape[1] - answered, 0)


def did_not_run(absent: Sequence[tuple[str, int]], topics: int) -> Iterator[str]:
    """Say which runs did not run, and what they lack."""
    if absent:
        each = [f"{run} ({lacking})" for run, lacking in lacks(absent, topics).items()]
        yield f"left out, as they did not run: {sheet.listed(each, 5)}"


def check_baseline(name: str | None, runs: Sequence[str], left_out: Iterable[str] = (), noun: str = "run") -> None:
    """Refuse a baseline that is none of the runs, or none of those that ran: what was left out is then reported."""
    if name is not None and name not in runs:
        which = f"{noun} that ran" if (gone := [*left_out]) else noun
        said = f"no {which} is called {name!r} (the baseline); the {noun}s are {some_of(runs)}"
        raise InputError("; ".join([said, *gone]))


def none_ran(noun: str = "run", source: str | None = None) -> InputError:
    """Say that there is nothing to compare."""
    return InputError(f"each {noun} lacks most of the topics that some {noun} has: none of them ran", source=source)


def lacks(absent: Sequence[tuple[str, int]], topics: int) -> dict[str, str]:
    """Say what each of these runs lacks."""
    return {run: f"no scores on {lacking:,} of {counted(topics, 'topic')}" for run, lacking in absent}


def _notes(
    runs: Sequence[str],
    ids: Sequence[str],
    has: Booleans,
    topics: Topics,
    measures: Sequence[Measure | str],
    known: Sequence[Measure | None],
) -> Iterator[str]:
    """Say what was done."""
    if unknown := [str(name) for name, measure in zip(measures, known, strict=True) if measure is None]:
        yield f"higher is assumed to be better: {', '.join(unknown)}"
    if geometric := [str(m) for m in known if m is not None and m.summary == "geometric mean"]:
        yield f"logarithms are compared (a difference of 0.693 is a factor of 2): {sheet.listed(geometric, 5)}"
    everywhere: Booleans = np.asarray(has.all(axis=0))
    if everywhere.all():
        return
    if topics == "shared":
        shared = counted(everywhere.sum(), "topic")
        yield f"compared on the {shared} that all runs have, without {_in_order(ids, ~everywhere)}"
        return
    lacking = [f"{run} ({_in_order(ids, ~row)})" for run, row in zip(runs, has, strict=True) if not row.all()]
    best = best_by(flattering(measure for measure in known if measure is not None))
    yield f"missing topics counted 0{best}: {sheet.listed(lacking, 5)}"


def _in_order(ids: Sequence[str], listed: Booleans) -> str:
    names = sorted((topic for topic, kept in zip(ids, listed, strict=True) if kept), key=by_number)
    return sheet.listed(names, 5)
