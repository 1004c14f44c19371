"""Scores: what evaluate() gives back, and the tables that one can have of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from cranfield.formats.unmet import settled
from cranfield.judged.audit import Audit, Audited
from cranfield.judged.completions import Kind, surely
from cranfield.judged.condition_files import Costs, Excluded, ListedTopics, OnlyTopics
from cranfield.judged.conditions import Conditions, Grading, Reading
from cranfield.judged.population import Population
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import place_of, shortly, told_names
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.averaging import LEAST_VALUE, WORDS, averaged, summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import kind, record
from cranfield.plumbing.late import Later, late
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import LeaderboardFormat, TopicAverage, checked, shown
from cranfield.plumbing.tables import AVERAGE
from cranfield.plumbing.wording import called, confidence, counted, lacking, named
from cranfield.results.output_formats import FORMATS
from cranfield.results.programs import LongColumns, trec_eval_lines
from cranfield.results.result import OneTable
from cranfield.results.sheet import Ranged, Sheet, SheetColumn, best_rows, listed
from cranfield.scoring.blocks import Block, as_taken
from cranfield.scoring.clusters import Clusters
from cranfield.scoring.long_table import Long
from cranfield.scoring.one_number import OneNumber
from cranfield.scoring.orientation import best_first, direction, directions, oriented
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.on_paper import places

if TYPE_CHECKING:
    from cranfield.plots import Material
    from cranfield.scoring.grouping import GroupsLike, TopicGroups

TrecRow: TypeAlias = tuple[str, str, str | float]
"""What trec_eval prints in a line: the measure's name, the topic, the value."""
Texts: TypeAlias = npt.NDArray[np.object_]
"""An array of texts."""
LIMITS: Final = ("low", "high")
LEADERBOARD_LINES: Final = ("tot", "ir_measures", "ranking", "jsonl")  # Formats of leaderboards that one text holds
FEW_ROWS: Final = 50_000  # A long table of no more rows than this is sooner written down than polars is loaded

for _part in (Conditions, Reading, Grading, Excluded, ListedTopics, OnlyTopics):
    record(_part)
kind("Costs", Costs, Costs.written, Costs.restored)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(OneNumber, Audited):
    """The scores of runs by topic, and their averages.

    ``scores["bm25", "nDCG@10"]`` is one number: the average of a run by a measure. A run alone gives
    ``{measure: value}``, a measure alone ``{run: value}``, and ``float(scores)`` the value if there is
    one run and one measure. Iterating over scores gives the names of the runs; ``name in scores``
    tests for a run or a measure of that name. `topic` gives the same for one topic.

    >>> from cranfield.scoring.evaluation import evaluate
    >>> runs = {"bm25": {"1": ["a"], "2": ["x", "a"]}, "dense": {"1": ["a"]}}
    >>> scores = evaluate({"1": {"a": 1}, "2": {"a": 1}}, runs, ["RR", "P@1"])
    >>> scores["bm25", "RR"], scores["bm25"], scores["RR"]
    (0.75, {'RR': 0.75, 'P@1': 0.5}, {'bm25': 0.75, 'dense': 0.5})
    >>> list(scores), "RR" in scores, scores.topic("2")["bm25", "RR"]
    (['bm25', 'dense'], True, 0.5)

    Attributes
    ----------
    runs, topics
        Names of the runs in the order given, and of the topics in the order of the qrels.
    measures
        The numeric measures, in the order given.
    values
        Array of shape (measures, runs, topics): the values; 0 if a run lacks the topic.
    present
        Array of shape (runs, topics): whether the run has the topic.
    conditions
        How the runs were read and the judgments used.
    audit
        The audit of the runs and the qrels.
    texts
        For text measures: array of shape (runs, topics).
    limits
        With bounds: array of shape (2, measures, runs, topics), the lowest and the highest possible
        value of each, had the unjudged documents been judged.
    kinds
        For each measure with bounds, how exact they are: ``"exact"``, an ``"enclosure"``, or
        ``"tried"`` (see `BOUND_KINDS`).
    asked
        All measures in the order given, texts included.
    notes
        Notes on measures whose names mean something else in other tools.
    average
        The kind of average over topics, for measures averaged by their mean: see `averaged_by`.
    weights
        The weights of topics in averages: see `weighted_by`.
    clusters
        Which topics belong together, where a table of scores says so: intervals and tests then rest on clusters.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    present: Booleans
    conditions: Conditions
    audit: Audit = late()  # noqa: RUF009 - a descriptor, which the class keeps
    texts: Mapping[Measure, Texts] = field(default_factory=dict)
    limits: Floats | None = None
    kinds: Mapping[Measure, Kind] = field(default_factory=dict)
    asked: tuple[Measure, ...] = ()
    notes: tuple[str, ...] = ()
    average: TopicAverage = "mean"
    weights: TopicWeights | None = None
    clusters: Clusters | None = None

    @classmethod
    def of(
        cls,
        blocks: Sequence[Block],
        asked: Sequence[Measure],
        topics: tuple[str, ...],
        conditions: Conditions,
        audit: Audit | Later[Audit],
        tags: Callable[[], list[str]],
        top_grade: float,
    ) -> Scores:
        """Put blocks together; ``tags`` says what each run calls itself, for those who ask (trec_eval's runid)."""
        first, *more = blocks  # of one, as in a loop over short runs, nothing is copied
        texts = {m: np.vstack([block.texts[m] for block in blocks]) for m in first.texts}
        for measure, text in texts.items():
            if measure.trec == "runid":
                text[:] = np.array(tags(), dtype=object)[:, None]
        limits = [block.limits for block in blocks if block.limits is not None]
        return cls(
            runs=tuple(run for block in blocks for run in block.runs) if more else first.runs,
            topics=topics,
            measures=first.measures,
            values=np.concatenate([block.values for block in blocks], axis=1) if more else first.values,
            present=np.vstack([block.present for block in blocks]) if more else first.present,
            conditions=conditions,
            audit=cast("Audit", audit),
            texts=texts,
            limits=np.concatenate(limits, axis=2) if limits else None,
            kinds={m: surely(*(block.kinds[m] for block in blocks)) for m in first.kinds},
            asked=as_taken(asked, conditions.grading) if texts else first.measures,
            notes=tuple(note for measure in first.measures if (note := measure.note(top_grade)) is not None),
        )

    def __getstate__(self) -> dict[str, object]:
        """What is sent elsewhere has its audit."""
        return vars(self) | {"audit": self.audit}

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures[:4])) + (", ..." if len(self.measures) > 4 else "")
        how = "" if self.average == "mean" else f"; {WORDS[self.average]}s"
        return f"Scores({counted(len(self.runs), 'run')}, {self.population.of_topics}: {names or 'texts'}{how})"

    def topic(self, name: str) -> Scores:
        """Return the scores of one topic, as averages.

        The audit remains that of the whole call; only what concerns the topic is printed.

        Parameters
        ----------
        name
            The topic's id.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> qrels = {"1": {"a": 1}, "2": {"a": 1, "x": 0}}
        >>> scores = evaluate(qrels, {"bm25": {"1": ["a"], "2": ["x", "a"]}, "dense": {"1": ["b", "a"]}}, "RR")
        >>> print(scores.topic("1"))
        bm25 has the best RR of 2 runs: 1.0000 over 1 topic, 0.5000 ahead of dense.
        run        RR
        bm25   1.0000
        dense  0.5000
        >>> print(scores.topic("2"))
        bm25 has the best RR of 2 runs: 0.5000 over 1 topic, 0.5000 ahead of dense.
        run        RR
        bm25   0.5000
        dense  0.0000
        audit: warning: 1 of 2 runs lacks topics (dense: 2), which count 0 (topics="shared" leaves them out, ...)
        audit: 2 runs, 1 topic
        """
        if name not in self.topics:
            raise InputError(f"there is no topic {shown(name)} among the {len(self.topics)}: {listed(self.topics)}")
        return replace(self.of_topics([name]), average="mean", weights=None)

    def of_topics(self, names: Sequence[str]) -> Scores:
        """Return the scores of some topics, in this order: averages are over these.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> scores = evaluate({t: {"a": 1} for t in "123"}, {"bm25": {"1": ["a"], "2": ["x", "a"]}}, "RR")
        >>> scores.of_topics(["2", "1"])["bm25", "RR"]
        0.75
        """
        places = {topic: place for place, topic in enumerate(self.topics)}
        at = [places[name] for name in names]
        return replace(
            self,
            topics=tuple(names),
            values=self.values[:, :, at],
            present=self.present[:, at],
            texts={each: text[:, at] for each, text in self.texts.items()},
            limits=None if self.limits is None else self.limits[:, :, :, at],
        )

    @property
    def counted(self) -> Booleans:
        """Array of shape (runs, topics): which topics count in the averages."""
        return self.present | (self.conditions.reading.topics == "all")

    @cached_property
    def population(self) -> Population:
        """The topics that count in the averages."""
        return Population.where(self.counted, self.topics)

    @cached_property
    def averages(self) -> Floats:
        """Array of shape (measures, runs): the average over topics, or the sum of what is counted."""
        return self.averaged(self.values)

    def averaged_by(self, average: TopicAverage) -> Scores:
        """Return the same with another average over topics.

        The **median** reports the middle topic and ignores how poor the poor topics are. The
        **geometric** mean (Robertson's GMAP, for any measure) and the **harmonic** mean emphasise
        poor topics. Both would be 0 if one topic scored 0, so values below 0.00001 count as
        0.00001, as in trec_eval's gm_map. One topic at 0 instead of 0.5 costs the geometric mean of
        50 topics a fifth; the harmonic mean, all but a thousandth.

        Counts are still summed, and a measure with its own mean (gmAP) keeps it.

        Parameters
        ----------
        average
            ``"mean"``, ``"median"``, ``"geometric"`` or ``"harmonic"``.

        Raises
        ------
        InputError
            If a value is below 0, for which geometric and harmonic means are undefined.

        Paper: Robertson (2006), "On GMAP: and other transformations", CIKM.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1, "b": 0}}
        >>> run = {"bm25": {"1": ["a"], "2": ["x", "a"], "3": ["x", "y", "z", "a"]}}  # RR is 1, 1/2, 1/4
        >>> scores = evaluate(qrels, run, "RR")
        >>> [scores.averaged_by(name).averages.item() for name in ("median", "geometric", "harmonic")]
        [0.5, 0.5, 0.428...]
        >>> print(scores.averaged_by("median"))
        bm25 has median RR 0.5000 over 3 topics.
        run   median RR
        bm25     0.5000
        audit: 1 run, 3 topics
        audit: 57.1% of the top 10 are unjudged
        """
        average = checked("average", average, TopicAverage)
        self._refuse_weighted(average, self.weights)
        found = replace(self, average=average)
        for m, measure in enumerate(self.measures):
            if found._how(measure) != measure.summary and average != "median" and self.values[m].min(initial=0) < 0:
                raise InputError(f"{measure} can be below 0, so it has no {WORDS[average]}; use its median")
        return found

    def weighted_by(self, weights: WeightsLike | TopicWeights | None, *, columns: NamesLike | None = None) -> Scores:
        """Return the same with weighted averages over topics: Σwx / Σw.

        Geometric and harmonic means are weighted in the same way; counts remain sums.

        Parameters
        ----------
        weights
            By topic: a file, a DataFrame or ``{topic: weight}``; None removes weights. Every topic needs one,
            0 if it should not count.
        columns
            What the columns of a table are called: ``{"query_id": "search_term", "weight": "traffic_2026"}``.

        Raises
        ------
        InputError
            If a topic has no weight, all are 0, one is negative or not a number, or the average is a
            median.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> scores = evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"bm25": {"1": ["a"], "2": ["x", "a"]}}, "RR")
        >>> scores.weighted_by({"1": 3, "2": 1})["bm25", "RR"]  # (3 · 1 + 1 · 0.5) / 4
        0.875
        """
        taken = None if weights is None else TopicWeights.taken(weights, settled(Naming.of(columns), weights))
        self._refuse_weighted(self.average, taken)
        if taken is not None:
            taken.over(self.topics)
        return replace(self, weights=taken)

    def _refuse_weighted(self, average: TopicAverage, weights: TopicWeights | None) -> None:
        if average == "median" and weights is not None:
            raise InputError("weights are for means (arithmetic, geometric, harmonic), not for medians")

    @cached_property
    def _weights(self) -> Floats | None:
        """Array of shape (topics,), if they are weighted."""
        return None if self.weights is None else self.weights.over(self.topics)

    def _how(self, measure: Measure) -> str:
        """Say how the topics of a measure are averaged."""
        return WORDS[self.average] if measure.summary == "mean" else measure.summary

    def label(self, measure: Measure) -> str:
        """Name the averages of a measure, so that they are not mistaken for means."""
        how = self._how(measure)
        weighted = "weighted " if self.weights is not None and how != "sum" else ""
        return weighted + (str(measure) if how == measure.summary else f"{how} {measure}")

    def shortly(self) -> Scores:
        """Return the same with its measures under the short names that tables for people have.

        Parameters are left out, unless two measures would have one name; the caption says what they are.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> evaluate({"1": {"a": 1}}, {"bm25": {"1": ["x", "a"]}}, ["P(rel=2)@5", "RBP(p=0.5)"]).shortly().measures
        (P@5=P(rel=2)@5, RBP=RBP(p=0.5))
        """
        return replace(self, measures=tuple(shortly(self.measures)))

    def averaged(self, values: Floats) -> Floats:
        """Average other values of these runs and topics as theirs are: shape (measures, runs)."""
        # Added topic by topic in the order of their ids, as trec_eval does, so that the last
        # printed digit agrees and the order of the qrels cannot change it.
        order, shape = np.argsort(np.array(self.topics, dtype=object)), (len(self.measures), len(self.runs))
        weights = None if self.weights is None else self.weights.over(self.topics)[order]
        averages = [
            averaged(values[m][:, order], self.counted[:, order], self._how(measure), weights)
            for m, measure in enumerate(self.measures)
        ]
        return np.array(averages, dtype=np.float64).reshape(shape)

    def best(self, *, per_topic: bool = False, **which: object) -> Mapping[str, float]:
        """Return the direction in which each measure of quality is better (none by topic, of ranges, and of counts)."""
        if self.limits is not None or per_topic:
            return {}
        return {str(m): direction(m) for m in self.measures if m.of_quality and m.summary != "sum"}

    @cached_property
    def means(self) -> pl.DataFrame:
        """Averages: columns run, topic (always ``all``), measure, value; with bounds also low and high.

        Where they are not the means that they usually are, the measure is called ``median AP``.
        """
        return self._of_means().table()

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """Scores by topic: columns run, topic, measure, value; with bounds also low and high."""
        return self._of_topics().table()

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the long table: run, topic, measure, value; with ``per_topic`` each run's topics, then ``all``."""
        return self._by_run().table() if per_topic else self.means

    def columns(self, *, per_topic: bool = False, **which: object) -> LongColumns | None:
        """Return the columns of the long table without making it, unless they are long."""
        long = self._by_run() if per_topic else self._of_means()
        return long.columns() if len(long.run) <= FEW_ROWS else None

    def _of_means(self) -> Long:
        runs, measures = len(self.runs), len(self.measures)
        values = {"value": self.averages.T.ravel()}
        if self.limits is not None:
            values |= {name: self.averaged(self.limits[i]).T.ravel() for i, name in enumerate(LIMITS)}
        return self._long(
            np.repeat(np.arange(runs), measures),
            np.full(runs * measures, len(self.topics)),
            np.tile(np.arange(measures) + measures, runs),
            values,
        )

    def _of_topics(self) -> Long:
        runs, topics, measures = len(self.runs), len(self.topics), len(self.measures)
        arrays = {"value": self.values}
        if self.limits is not None:
            arrays |= {name: self.limits[i] for i, name in enumerate(LIMITS)}
        values = {name: array.transpose(1, 2, 0).reshape(runs * topics, measures) for name, array in arrays.items()}
        kept = np.flatnonzero(self.counted.ravel()).astype(np.int32)  # there are many rows
        return self._long(
            np.repeat(kept // topics, measures),
            np.repeat(kept % topics, measures),
            np.tile(np.arange(measures, dtype=np.int32), len(kept)),
            {name: array[kept].ravel() for name, array in values.items()},
        )

    def _by_run(self) -> Long:
        """Put each run's averages behind its topics."""
        topics, means = self._of_topics(), self._of_means()
        run = np.concatenate([topics.run, means.run])
        order = np.argsort(run, kind="stable")
        return self._long(
            run[order],
            np.concatenate([topics.topic, means.topic])[order],
            np.concatenate([topics.measure, means.measure])[order],
            {name: np.concatenate([topics.values[name], means.values[name]])[order] for name in topics.values},
        )

    def _long(self, run: Integers, topic: Integers, measure: Integers, values: dict[str, Floats]) -> Long:
        labels = [*map(str, self.measures), *map(self.label, self.measures)]
        return Long(run, topic, measure, values, (self.runs, (*self.topics, AVERAGE), labels))

    def keys(self, *, per_topic: bool = False, **which: object) -> int:
        """Return how many columns identify a row: the run, and the topic."""
        return 2 if per_topic else 1

    def sorted_by(self, measure: str | Measure | None = None) -> Scores:
        """Return the same with the runs in order, the best first by one of the measures (the first, if none is named).

        Tied runs keep their order. Parameters may be omitted if that leaves one measure.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> runs = {"poor": {"1": {"a": 1.0, "b": 2.0}}, "good": {"1": {"a": 2.0, "b": 1.0}}}
        >>> evaluate({"1": {"a": 1}}, runs, ["NumRet", "RR@10"]).sorted_by("RR").runs
        ('good', 'poor')
        """
        if not self.measures:
            raise InputError("runs are sorted by a numeric measure; there is none")
        place = 0 if measure is None else place_of(measure, self.measures)
        return self._at(best_first(oriented(self.measures[place], self.averages[place])))

    def places_by(self, measure: Measure) -> Integers:
        """Return the place of each run by one of the measures, from 1; equal runs share the better one."""
        return places(oriented(measure, self.averages[self.measures.index(measure)]))

    def of_runs(self, names: Sequence[str]) -> Scores:
        """Return the scores of these runs, in this order.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> runs = {name: {"1": {"a": 1.0}} for name in ("one", "two", "three")}
        >>> evaluate({"1": {"a": 1}}, runs, "RR").of_runs(["three", "one"]).runs
        ('three', 'one')
        """
        return replace(self._at([self.runs.index(name) for name in names]), audit=self.audit.of_runs(names))

    def _said(self) -> tuple[str, ...]:
        return self.audit.said_of(self.topics[0]) if len(self.topics) == 1 != self.audit.topics else super()._said()

    def _at(self, order: Sequence[int]) -> Scores:
        """Return the same of the runs at these places."""
        return replace(
            self,
            runs=tuple(self.runs[i] for i in order),
            values=self.values[:, order],
            present=self.present[order],
            texts={each: text[order] for each, text in self.texts.items()},
            limits=None if self.limits is None else self.limits[:, :, order],
        )

    def intervals(self, level: float = 0.95) -> pl.DataFrame:
        """Return a confidence interval of each mean over topics, by Student's t.

        For a geometric mean, the interval is that of the logarithms, transformed back; for a sum,
        that of the mean over topics times their number. Medians and harmonic means have none here.
        No interval reaches beyond the values that a measure can have.

        Parameters
        ----------
        level
            Confidence, above 0 and below 1.

        Returns
        -------
        Table with columns measure, run, topics (how many count), mean, low, high: by measure, the
        best run first. A single topic has no interval: low and high are null. With bounds also
        least and most: the range of the mean, had all documents been judged.

        Weighted means have intervals of their own, by a variance that is linearised and Satterthwaite's degrees
        of freedom; there is none where fewer than two topics have a weight above 0.

        Notes
        -----
        Scores of runs are skewed, so with few topics fewer than 95 of 100 such intervals hold: 86 to
        93 with 10 topics, 92 to 94 with 25, 93 to 95 with 50 (see the page on calibration).

        Examples
        --------
        P@1 is 1, 1, 0 and 0 on four topics, of standard deviation √(1/3), and t is 3.18 with 3
        degrees of freedom: 0.5 ± 3.18 · √(1/3) / √4, which reaches beyond 0 and 1

        >>> from cranfield.scoring.evaluation import evaluate
        >>> runs = {"a": {t: {"d" if t in "12" else "x": 1.0} for t in "1234"}}
        >>> evaluate({t: {"d": 1} for t in "1234"}, runs, "P@1").intervals().drop("run").rows()
        [('P@1', 4, 0.5, 0.0, 1.0)]
        """
        from cranfield.statistics.intervals import within

        if self.average in {"median", "harmonic"}:
            raise InputError(f"intervals exist for arithmetic and geometric means, not for a {WORDS[self.average]}")
        schema = {"measure": pl.String, "run": pl.String, "topics": pl.Int64}
        schema |= dict.fromkeys(("mean", *LIMITS), pl.Float64)
        bounds = [] if self.limits is None else [self.averaged(ends) for ends in self.limits]
        schema |= dict.fromkeys(("least", "most")[: len(bounds)], pl.Float64)
        rows = []
        for m, measure in enumerate(self.measures):
            how = self._how(measure)
            summed = summable(self.values[m], how)
            for r in best_first(oriented(measure, self.averages[m])):
                topics = int(self.counted[r].sum())
                ends: list[float | None] = [None, None]
                if self._units(self.counted[r]) > 1:
                    both = np.concatenate(self._interval(summed[r], self.counted[r], how, level))
                    both = within(np.exp(both) if how == "geometric mean" else both, measure.limits)
                    ends = (topics * both if how == "sum" else both).tolist()
                ends += [float(bound[m, r]) for bound in bounds]
                rows.append((self.label(measure), self.runs[r], topics, float(self.averages[m, r]), *ends))
        return pl.DataFrame(rows, schema, orient="row")

    def behind_best(self, alpha: float = 0.05) -> pl.DataFrame:
        """How far is each run behind the best, and which runs cannot be told from it?

        Differences are paired, topic by topic, and tested as `compare` does it by default: a paired t-test of every
        pair of runs, two-sided, with Holm's correction over all pairs of a measure, since which run is the best is only
        known afterwards. Intervals have the level that the correction comes to, and so exclude 0 for the runs
        that are significantly worse, and for no others (of fewer than 25 topics sign flips must agree, too).

        Parameters
        ----------
        alpha
            The chance of any false finding, above 0 and below 1.

        Returns
        -------
        Table with columns measure, run, best, difference, low, high, below, level: measure by measure, the best run
        first. The difference is the run's mean less that of the best, as the measure has them. Its limits are null
        for the best itself. ``below`` says whether the run is significantly worse, ``level`` is the confidence of each
        interval. All four are null where nothing is tested: of one run, of one topic, where runs have different topics.
        With clusters there is also ``clusters``, how many there are.

        Paper: Holm (1979), "A simple sequentially rejective multiple test procedure".

        Examples
        --------
        P@1 is 1 on ten topics more:

        >>> from cranfield.scoring.evaluation import evaluate
        >>> qrels = {str(t): {"d": 1} for t in range(20)}
        >>> worse = {t: ["x", "d"] if int(t) < 10 else ["d"] for t in qrels}
        >>> found = evaluate(qrels, {"worse": worse, "good": {t: ["d"] for t in qrels}}, "P@1").behind_best()
        >>> found.select("run", "best", "difference", "below").rows()
        [('good', 'good', 0.0, False), ('worse', 'good', -0.5, True)]
        """
        from cranfield.statistics.intervals import within

        if self.average in {"median", "harmonic"}:
            raise InputError(
                f"differences are tested of means, arithmetic and geometric, not of a {WORDS[self.average]}"
            )
        if 0 < self.population.topics < len(self.topics):
            return self.of_topics(self.population.counting(self.topics)).behind_best(alpha)
        from cranfield.scoring.behind import behind

        tested = len(self.runs) > 1 and bool(self.counted.all()) and self._units(self.counted[0]) > 1
        schema = {"measure": pl.String, "run": pl.String, "best": pl.String, "difference": pl.Float64}
        schema |= {"low": pl.Float64, "high": pl.Float64, "below": pl.Boolean, "level": pl.Float64}
        rows: list[tuple[object, ...]] = []
        for m, measure in enumerate(self.measures):
            how, order = self._how(measure), best_first(oriented(measure, self.averages[m]))
            best = self.averages[m, order[0]]
            limits, below, level = np.full((2, len(self.runs)), np.nan), [None] * len(self.runs), None
            if tested:
                values = oriented(measure, summable(self.values[m], how))
                weights = None if how == "sum" else self._weights
                found = behind(values, order[0], alpha, weights, self._clusters(self.topics))
                ends = (found.low, found.high) if direction(measure) > 0 else (-found.high, -found.low)
                reached = [best * np.expm1(end) if how == "geometric mean" else end for end in ends]
                factor = len(self.topics) if how == "sum" else 1
                limits[:] = factor * within(reached, measure.limits, differences=True)
                below, level = found.below.tolist(), found.level
            for r in order:
                low, high = (None if np.isnan(end) else float(end) for end in limits[:, r])
                apart = float(self.averages[m, r] - best)
                rows.append((self.label(measure), self.runs[r], self.runs[order[0]], apart, low, high, below[r], level))
        table = pl.DataFrame(rows, schema, orient="row")
        many = None if self.clusters is None else self.clusters.many(self.topics)
        return table if many is None else table.with_columns(pl.lit(many).alias("clusters"))

    def _interval(self, values: Floats, of: Booleans, how: str, level: float) -> tuple[Floats, Floats]:
        """Give the interval of the mean of one run: weighted, unless it is of a sum."""
        from cranfield.statistics.clusters import by_unit
        from cranfield.statistics.weighted_means import weighted_t_interval

        weights = None if self._weights is None or how == "sum" else self._weights[of]
        rows, weights, variances = by_unit(values[np.newaxis, of], weights, self._clusters(self._named(of)))
        return weighted_t_interval(rows, weights, level, variances)

    def _units(self, of: Booleans) -> int:
        """How many observations these topics are: clusters, or topics whose weight is above 0."""
        counting = of if self._weights is None else of & (self._weights > 0)
        return int(counting.sum()) if self.clusters is None else self.clusters.many(self._named(counting))

    def _named(self, of: Booleans) -> list[str]:
        return [topic for topic, counts in zip(self.topics, of, strict=True) if counts]

    def _clusters(self, topics: Sequence[str]) -> Integers | None:
        """Number the clusters of these topics, if they belong together."""
        return None if self.clusters is None else self.clusters.over(topics)

    def by_group(
        self, groups: GroupsLike | TopicGroups, *, level: float = 0.95, columns: NamesLike | None = None
    ) -> OneTable:
        """How good is each run in each group of topics, and where is it worst?

        Parameters
        ----------
        groups
            By topic: a file with columns topic and group (several columns are several groupings), a DataFrame,
            ``{topic: group}`` or ``{grouping: {topic: group}}``.
        level
            Confidence of the intervals (see `Scores.intervals`).
        columns
            What the columns of a table are called: ``{"query_id": "search_term", "group": "country"}``.

        Returns
        -------
        OneTable
            A row for each group, measure and run: grouping, group, measure, run, topics (how many count), mean, low,
            high, worst (of the groups of its grouping that are large enough), too_small. A group of three topics or
            fewer is too small: it has no interval, and is never the worst.

        Raises
        ------
        InputError
            If the groups cannot be read, or no topic has one.

        Examples
        --------
        >>> from cranfield.scoring.evaluation import evaluate
        >>> qrels = {str(t): {"a": 1} for t in range(9)}
        >>> scores = evaluate(qrels, {"bm25": {t: ["a"] if t < "4" else ["x", "a"] for t in qrels}}, "RR")
        >>> found = scores.by_group({t: "de" if t < "4" else "fr" if t < "8" else "it" for t in qrels})
        >>> found.to_polars().select("group", "topics", "mean", "worst", "too_small").rows()
        [('de', 4, 1.0, False, False), ('fr', 4, 0.5, True, False), ('it', 1, 0.5, False, True)]
        """
        from cranfield.scoring.grouping import TopicGroups, groupings_of, means_by_group, worst_groups

        taken = TopicGroups.taken(groups, settled(Naming.of(columns), groups))
        picked = taken.of(self.topics, self.weights)
        directions = {self.label(measure): direction(measure) for measure in self.measures}
        rows = means_by_group({group: self.of_topics(group.topics).intervals(level) for group in picked}, directions)
        how = f"with {confidence(level)} intervals, which end where the measure ends"
        says = f"Means by {groupings_of(picked)}, {how}. {self._captioned()}"
        return OneTable(rows, says, (*taken.notes(self.topics, self.weights), *worst_groups(rows)), 4)

    def material(self) -> Material:
        """Return the data for figures."""
        from cranfield.plots import Material

        tables = {
            "means": lambda: self.means,
            "per_topic": lambda: self.per_topic,
            "intervals": self.intervals,
            "behind": self.behind_best,
            "places": self._places,
            "cutoffs": self._cutoffs,
        }
        # Figures are of means or of topics, with bounds or without; each says itself which.
        named = "" if self.average == "mean" else f"{WORDS[self.average].capitalize()}s over "
        only = self.topics[0] if len(self.topics) == 1 else None
        about = self._told(f"{named}{self._over}" if named else f"{self._over[:1].upper()}{self._over[1:]}")
        says = (each.says for each in self.audit.findings if each.code == "missing topics")
        about += "".join(f" {each[:1].upper()}{each[1:]}." for each in says)
        return Material("scores", tables, f"{about}{lacking(self.notes)}", only)

    def _places(self) -> pl.DataFrame:
        """Say which place each run has by each measure, 1 the best; runs with equal averages share one."""
        labels = [self.label(measure) for measure in self.measures for _ in self.runs]
        better = np.where(directions(self.measures).repeat(len(self.runs)) > 0, "higher", "lower")
        place = [place for measure in self.measures for place in self.places_by(measure).tolist()]
        columns = {"measure": labels, "run": [*self.runs] * len(self.measures), "value": self.averages.ravel()}
        columns |= {"place": place, "better": better}
        return pl.DataFrame(columns, schema_overrides={"place": pl.Int64, "better": pl.String})

    def _cutoffs(self) -> pl.DataFrame:
        """Say of which cutoff, or budget, each average is: the measure without it, which it is (of), at, run, value."""
        columns: dict[str, list[object]] = {"measure": [], "of": [], "at": [], "run": [], "value": []}
        for measure, averages in zip(self.measures, self.averages, strict=True):
            of = "budget" if "budget" in measure.given else "cutoff"
            if of in measure.given:
                rest = {name: value for name, value in measure.given.items() if name != of}
                columns["measure"] += [self.label(type(measure)(**rest))] * len(self.runs)
                columns["of"] += [of] * len(self.runs)
                columns["at"] += [measure.given[of]] * len(self.runs)
                columns["run"] += self.runs
                columns["value"] += averages.tolist()
        return pl.DataFrame(columns, schema_overrides={"at": pl.Float64, "value": pl.Float64})

    def by_run(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the scores by topic as ``{run: {topic: {measure: value}}}``."""
        found: dict[str, dict[str, dict[str, float]]] = {run: {} for run in self.runs}
        for run, topic, measure, value, *_ in self.per_topic.iter_rows():
            found[run].setdefault(topic, {})[measure] = value
        return found

    def caption(self, *, per_topic: bool = False, **which: object) -> str:
        """Describe the values, and any unusual conditions."""
        return self.shortly()._captioned(per_topic=per_topic)

    def _captioned(self, *, per_topic: bool = False) -> str:
        """Describe the values, under the names that the measures have here."""
        name = "average" if self.average == "mean" else WORDS[self.average]
        told = self._told(f"{f'By topic, and {name}' if per_topic else name.capitalize()}s over {self._over}")
        if self.limits is None:
            return told
        from cranfield.plumbing.scope import Scope

        return f"{told} In brackets: its bounds, {Scope().graded().whatever}."

    @property
    def _over(self) -> str:
        """Over which topics averages are, and what these count for."""
        inside = "" if self.clusters is None else f" in {counted(self.clusters.many(self.topics), 'cluster')}"
        return ", ".join([f"{self.population}{inside}", *self._weighted])

    @property
    def _weighted(self) -> list[str]:
        """By what topics are weighted, if they are."""
        return [] if self.weights is None else [self.weights.described(self.topics)]

    def _told(self, what: str) -> str:
        """Say what values are of, and what was unusual about them."""
        sentences = ["; ".join([what, *self.conditions.described("topics", "bounds")])]
        if self.average in {"geometric", "harmonic"}:
            sentences.append(f"Values below {LEAST_VALUE:.5f} count as {LEAST_VALUE:.5f}")
        less = [measure for measure in self.measures if direction(measure) < 0 and measure.summary != "sum"]
        if less:
            sentences.append(f"Lower is better: {listed(less)}")
        return " ".join(filter(None, [*(f"{sentence}." for sentence in sentences), told_names(self.measures)]))

    def remarks(self) -> tuple[str, ...]:
        """Return the notes, and the weighting of topics."""
        return (*self.notes, *self._weighted)

    @property
    def answer(self) -> str:
        """Say which run is the best by the first measure of quality, or what a single run has.

        >>> from cranfield.scoring.evaluation import evaluate
        >>> evaluate({"1": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["b", "a"]}}, ["NumRel", "RR"]).answer
        'x has the best RR of 2 runs: 1.0000 over 1 topic, 0.5000 ahead of y.'
        """
        short, quality = self.shortly(), [each.of_quality and each.summary != "sum" for each in self.measures]
        at = next((m for m, holds in enumerate(quality) if holds), None)
        if at is None or not len(self.topics):
            return f"{counted(len(self.runs), 'run')} scored over {self.population}."
        name, values = short.label(short.measures[at]), self.averages[at]
        leaders = [self.runs[run] for run in sorted(best_rows(values.tolist(), direction(self.measures[at])))]
        if not leaders:  # a single run
            return f"{called(self.runs[0])} has {name} {values[0]:.4f} over {self.population}."
        value, has = float(values[self.runs.index(leaders[0])]), "has" if len(leaders) == 1 else "share"
        best = f"{has} the best {name} of {len(self.runs):,} runs: {value:.4f} over {self.population}"
        second = best_first(np.nan_to_num(oriented(self.measures[at], values), nan=-np.inf))[1]
        if len(leaders) > 1 or np.isnan(values[second]):
            return f"{named([*map(called, leaders)], 3)} {best}."
        lead = f"{abs(value - values[second]):.4f} ahead of {called(self.runs[second])}"
        return f"{called(leaders[0])} {best}, {lead}."

    def __str__(self) -> str:
        told = filter(None, [told_names(self.shortly().measures), *self._weighted])
        table = [printable(self.answer), str(self.render()).rstrip("\n")]
        return self._with_audit("\n".join([*table, *map(printable, told)]))

    def table(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the wide table for people: a row for each run (and topic), a column for each measure."""
        columns = self._laid_out(per_topic=per_topic).columns
        return pl.DataFrame({each.name: each.cells if each.numeric else list(map(str, each.cells)) for each in columns})

    def sheet(self, *, per_topic: bool = False, **which: object) -> Sheet:
        """Return the table as displayed: a row for each run (and topic), a column for each measure, headed shortly."""
        return self.shortly()._laid_out(per_topic=per_topic)

    def _laid_out(self, *, per_topic: bool) -> Sheet:
        topics = [np.flatnonzero(counts).tolist() if per_topic else [] for counts in self.counted]
        rows = [(r, t) for r in range(len(self.runs)) for t in (*topics[r], None)]  # None: the average
        index = [SheetColumn("run", [self.runs[r] for r, _ in rows])]
        if per_topic:
            of_all = AVERAGE if self.average == "mean" else f"{AVERAGE} ({WORDS[self.average]})"
            index.append(SheetColumn("topic", [of_all if t is None else self.topics[t] for _, t in rows]))
        best = self.best(per_topic=per_topic)
        named = str if per_topic else self.label
        columns = [
            self._column(named(measure), m, rows, best.get(str(measure))) for m, measure in enumerate(self.measures)
        ]
        return Sheet((*index, *columns), len(index), self._captioned(per_topic=per_topic))

    def _column(self, name: str, m: int, rows: Sequence[tuple[int, int | None]], best: float | None) -> SheetColumn:
        def cells(values: Floats, averages: Floats) -> list[float]:
            found = [float(averages[m, r] if t is None else values[m, r, t]) for r, t in rows]
            counts = self.measures[m].summary == "sum" and np.isfinite(found).all()
            return list(map(int, found)) if counts else found

        shown = cells(self.values, self.averages)
        if self.limits is not None:
            low, high = (cells(ends, self.averaged(ends)) for ends in self.limits)
            return SheetColumn(name, list(map(Ranged, low, high, shown)))
        return SheetColumn(name, shown, True, frozenset() if best is None else best_rows(shown, best))

    def render(self, format: str = "table", *, per_topic: bool = False, **which: object) -> str | bytes:  # noqa: A002
        """Return the scores as text (or bytes) in one of the formats of the command line.

        csv, json and parquet hold the long table in full precision; table, markdown and latex the
        wide one with four decimals; trec_eval what trec_eval prints; tot, ir_measures, ranking and jsonl what TREC's
        AutoJudge tools read.
        """
        if format in LEADERBOARD_LINES and self.limits is None:
            from cranfield.formats.leaderboard_files import leaderboard_lines

            return leaderboard_lines(self.to_polars(per_topic=per_topic), cast("LeaderboardFormat", format))
        if format == "trec_eval":
            if self.limits is not None:
                raise InputError("the trec_eval format cannot hold bounds; use csv, json, parquet or a table")
            if self.weights is not None:
                raise InputError(
                    "the trec_eval format cannot mark weighted means, which would look like plain means; use csv, "
                    "json, parquet or a table"
                )
            if self.average != "mean":
                raise InputError(
                    f"the trec_eval format cannot mark a {WORDS[self.average]}, which would look like a mean; use csv, "
                    "json, parquet or a table"
                )
            return trec_eval_lines(self._trec_rows(per_topic))
        if format in FORMATS and not self.measures:
            raise InputError(f"{', '.join(map(str, self.asked))}: a text, which only the format trec_eval prints")
        return super().render(format, per_topic=per_topic, **which)

    def to_latex(self, *, per_topic: bool = False, caption: str | None = None) -> str:
        """Return a table for LaTeX's booktabs, the best mean of each measure in bold.

        Parameters
        ----------
        per_topic
            A row for each topic of each run, rather than each run.
        caption
            Replaces the caption that says what the values are (in LaTeX); an empty one gives only the
            tabular.
        """
        from cranfield.results.latex import latex_table

        return latex_table(self.sheet(per_topic=per_topic), caption)

    def to_markdown(self, *, per_topic: bool = False) -> str:
        """Return a Markdown table, with what the values are below it."""
        return str(self.render("markdown", per_topic=per_topic))

    def _trec_rows(self, per_topic: bool) -> list[TrecRow]:
        rows: list[TrecRow] = []
        by_id = np.argsort(np.array(self.topics, dtype=object)).tolist()
        place = {measure: i for i, measure in enumerate(self.measures)}
        for r in range(len(self.runs)):
            for t in by_id if per_topic else []:
                if self.counted[r, t]:
                    rows += [row for m in self.asked for row in self._trec_topic(m, place, r, t)]
            for measure in self.asked:
                if measure in place:
                    value = self.averages[place[measure], r]
                    rows.append((measure.trec_name(), "all", int(value) if measure.summary == "sum" else value))
                elif measure.trec == "runid":
                    rows.append(("runid", "all", self.texts[measure][r, 0]))
        return rows

    def _trec_topic(self, measure: Measure, place: dict[Measure, int], r: int, t: int) -> list[TrecRow]:
        """One topic's line; what belongs to the whole run (its name, how many topics, geometric means) has none."""
        if measure.trec in {"runid", "num_q"} or measure.summary == "geometric mean":
            return []
        if measure.text:
            return [(measure.trec_name(), self.topics[t], f"'{self.texts[measure][r, t]}'")]
        value = self.values[place[measure], r, t]
        return [(measure.trec_name(), self.topics[t], int(value) if measure.summary == "sum" else value)]
