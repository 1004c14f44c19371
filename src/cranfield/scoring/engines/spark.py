"""Carry runs to the two steps on a Spark cluster: rows go to where their topic is, and are scored there.

Spark brings the rows of a topic together (`repartition`), sorts them, and hands them to
`by_topic` in Arrow batches (`mapInArrow`), on whichever machines it has. What comes back to the driver
is a `Tally` of each partition: averages and audit, and nothing by topic.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeAlias, Unpack

import numpy as np

from cranfield.formats import run_name
from cranfield.formats.columns import QRELS_KIND, RUN_KIND, find_columns, run_column, tidy
from cranfield.formats.optional import library
from cranfield.judged.audit import Audit
from cranfield.judged.completions import Kind
from cranfield.judged.conditions import Asked, Conditions
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9, parse_measures, place_of
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.averaging import WORDS
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import Count, TopicAverage, Whole, checked
from cranfield.plumbing.tables import (
    AVERAGE,
    DOCUMENT,
    QUERY,
    RANK,
    RELEVANCE,
    RUN,
    SCORE,
    STRATUM,
    VALUE,
    refuse_average,
)
from cranfield.plumbing.wording import counted
from cranfield.results.result import Result
from cranfield.results.sheet import Ranged, listed
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.engines.by_topic import ROWS, Tally, TopicWork, long_rows, score_topics, whole_topics
from cranfield.scoring.evaluation import USUAL_MEASURES
from cranfield.scoring.judged_runs import by_what
from cranfield.scoring.orientation import best_first, direction, oriented

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import Column, DataFrame, SparkSession

Table: TypeAlias = "DataFrame | str"
"""A DataFrame of Spark, or the path of Parquet that Spark can read."""

BROADCAST: Final = 1_000_000
"""Judgments up to this number are given to every executor; more are brought to the rows by topic."""

BATCH: Final = 100_000  # How many rows of values are given back to Spark at a time
_ELSEWHERE: Final = {
    "comments": "Parquet has no comments",
    "repeated": "a repeated document is refused; let the best of its rows count before",
    "subtopics": "judgments have one grade for a document of a topic",
    "topics_file": "give a topic without judgments a document of grade 0 in the qrels",
    "only": "keep only the judgments of these topics",
    "residual": "take the judgments out of the qrels before",
    "costs": "what a list costs is computed on one machine",
    "budget": "what a list costs is computed on one machine",
    "cost_missing": "what a list costs is computed on one machine",
}
"""Conditions that Spark does not have, and why."""
_SUMMARY: Final = "summary"


def evaluate(
    qrels: Table | Judgments,
    runs: Table | Sequence[str] | Mapping[str, Table],
    measures: MeasureNames | None,
    *,
    bounds: bool = False,
    average: TopicAverage = "mean",
    broadcast: int = BROADCAST,
    rows: int = ROWS,
    session: SparkSession | None = None,
    **conditions: Unpack[Asked],
) -> SparkScores:
    """Score runs on a Spark cluster: each value by topic is the one that `cranfield.evaluate` finds, to the last bit.

    Parameters
    ----------
    qrels
        The judgments: a DataFrame of Spark, the path of Parquet, or `Judgments`. Columns are known by the
        names that they may have elsewhere.
    runs
        The runs: a DataFrame or a path whose column ``run`` names them, or that is one run; several
        paths, named after their files; or ``{name: DataFrame or path}``.
    measures, bounds
        As in `cranfield.evaluate`; no measure that is a text.
    average
        As in `cranfield.evaluate`; a median would need all values in one place.
    broadcast
        Up to this many judgments are given to every executor; more are brought to the rows of the runs
        by topic.
    rows
        This many rows are scored at a time: memory that a task takes, some 200 bytes for each.
    session
        The session; of DataFrames it is theirs, else the active one, or a new one.
    **conditions
        As in `cranfield.evaluate`, but for comments and repeated; there is no order of lines here.

    Returns
    -------
    SparkScores : the table by topic, which is kept on the executors' disks, averages and audit.

    Raises
    ------
    InputError
        Where something cannot be read or must not be scored. It names the run, the topic and the
        document; on which line they stand, Spark does not know.

    Examples
    --------
    With a session of a cluster (the page on Spark has the whole script)::

        session = SparkSession.builder.master("spark://10.0.0.1:7077").getOrCreate()
        scores = evaluate("s3a://eval/qrels", {"bm25": "s3a://eval/bm25"}, ["AP", "nDCG@10"])
        scores.per_topic.write.parquet("s3a://eval/scores")
        print(scores.means)
    """
    library("pyspark.sql", extra="spark")
    for name, why in _ELSEWHERE.items():
        if conditions.get(name) is not None:
            raise InputError(f"{name} is not for Spark: {why}")
    measures = by_what(measures, qrels, conditions, USUAL_MEASURES)
    asked = parse_measures(measures)
    under = Conditions.asked("trec9" if asks_for_trec9(measures) else "score", **conditions)
    reading, grading = under.reading, under.grading.but(bounds=bounds)
    if reading.order in {"stable", "file"}:
        raise InputError("rows have no order on a cluster; order='rank' takes the rank column")
    average = checked("average", average, TopicAverage)
    broadcast, rows = checked("broadcast", broadcast, Whole), checked("rows", rows, Count)
    numbers = as_taken(asked, grading)
    for measure in numbers:
        if measure.text:
            raise InputError(f"{measure} is a text; Spark's table holds numbers")
        if measure.by_subtopic:
            raise InputError(f"{measure} is by subtopic; on Spark judgments have one grade for a document of a topic")
    averages = tuple(WORDS[average] if each.summary == "mean" else each.summary for each in numbers)
    if "median" in averages:
        raise InputError("a median needs all values in one place; compute it from the table by topic")
    session = session or _session_of(qrels, runs)
    _take_this_python(session)
    names, lists = _runs(runs, session, reading.naming, rank=reading.order == "rank")
    judged = _judged(qrels, session, broadcast, reading.naming)
    told = TopicWork(names, numbers, averages, reading, grading, judged.top_grade, judged.grades)
    return _scored(session, lists, judged, told, average, rows)


@dataclass(frozen=True, eq=False)
class SparkScores:
    """Scores that stay on the cluster, with what is known of all topics together."""

    # A DataFrame of Spark: run, topic, measure, value; with bounds also low and high. The rows are in no order. They
    # are kept on the executors' disks until `release`.
    per_topic: DataFrame
    # Averages over topics, as a result with all formats: `means.to_polars()`. They are rounded once, from the exact
    # sum, so that partitions and executors do not show; those of `cranfield.evaluate`, which rounds at every topic, can
    # differ in the last two digits.
    means: SparkMeans
    audit: Audit  # what was found of the runs and the qrels; topics by id
    kept: DataFrame

    def __repr__(self) -> str:
        return f"SparkScores({self.means.caption()})"

    def __str__(self) -> str:
        return "\n".join([str(self.means), *map(printable, self.audit.said())])

    def release(self) -> None:
        """Give the room on the executors' disks back; whoever asks for the table afterwards has it computed again."""
        self.kept.unpersist()


@dataclass(frozen=True, eq=False, repr=False)
class SparkMeans(Result):
    """Averages over topics whose values are elsewhere."""

    # runs, measures: names of the runs, and what they were scored by
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    # array of shape (1, measures, runs): the averages; or (3, measures, runs), with the lowest and the highest that
    # they could be
    values: Floats
    topics: int  # how many there are
    conditions: Conditions  # how the runs were read and the judgments taken
    average: TopicAverage = "mean"  # how topics are averaged
    kinds: Mapping[Measure, Kind] = field(default_factory=dict)  # what is sure about bounds
    notes: tuple[str, ...] = ()  # what to know of measures whose name means something else elsewhere

    def __repr__(self) -> str:
        return (
            f"SparkMeans({counted(len(self.runs), 'run')}, {counted(self.topics, 'topic')}: "
            f"{', '.join(map(str, self.measures))})"
        )

    def label(self, measure: Measure) -> str:
        """Name the averages of a measure, so that they are not mistaken for means."""
        usual = self.average == "mean" or measure.summary != "mean"
        return str(measure) if usual else f"{WORDS[self.average]} {measure}"

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return the long table: run, topic (always ``all``), measure, value; with bounds also low and high."""
        runs, measures = len(self.runs), len(self.measures)
        columns = {
            "run": np.repeat(np.array(self.runs, object), measures).tolist(),
            "topic": [AVERAGE] * (runs * measures),
            "measure": [self.label(measure) for measure in self.measures] * runs,
        }
        ends = dict(zip(("value", "low", "high"), self.values, strict=False))
        return pl.DataFrame(columns | {name: values.T.ravel() for name, values in ends.items()})

    def table(self, **which: object) -> pl.DataFrame:
        """Return the wide table that people read."""
        return pl.DataFrame({"run": self.runs} | {self.label(m): self._cells(i) for i, m in enumerate(self.measures)})

    def caption(self, **which: object) -> str:
        """Say what the values are, and what was unusual about how they came about."""
        over = f"{WORDS[self.average].capitalize()}s over {counted(self.topics, 'topic')}"
        return "; ".join([over, *self.conditions.described("bounds")]) + "."

    def best(self, **which: object) -> Mapping[str, float]:
        """Return the direction in which each measure is better (none of ranges, and of counts)."""
        return {self.label(m): direction(m) for m in self.measures if m.summary != "sum" and len(self.values) == 1}

    def sorted_by(self, measure: str | Measure | None = None) -> SparkMeans:
        """Return the same with the runs in order, the best first by one of the measures (the first by default)."""
        place = 0 if measure is None else place_of(measure, self.measures)
        order = best_first(oriented(self.measures[place], self.values[0, place]))
        return replace(self, runs=tuple(self.runs[i] for i in order), values=self.values[:, :, order])

    def _cells(self, m: int) -> Sequence[float | str]:
        if len(self.values) == 1:
            averages: list[float] = self.values[0, m].tolist()
            counts = self.measures[m].summary == "sum" and np.isfinite(averages).all()
            return list(map(int, averages)) if counts else averages
        return [str(Ranged(low, high, value)) for value, low, high in self.values[:, m].T.tolist()]


@dataclass(frozen=True, eq=False)
class _Judged:
    """Judgments on a cluster."""

    rows: DataFrame  # A row for each judgment; or, where all are given to every executor, one for each topic
    # top_grade, grades: see `TopicWork`
    top_grade: float
    grades: Floats
    whole: Judgments | None = None  # the judgments, where they are given to every executor


class _Task:
    """What an executor does with a partition: rows sorted by topic in, values and a tally out."""

    def __init__(self, asked: TopicWork, whole: Broadcast[Judgments] | None, rows: int) -> None:
        self.asked = asked
        self.whole = whole
        self.rows = rows

    def scored(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Score the topics of the partition; the last row has the tally, or what was wrong with the input."""
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # read when polars is first imported; a task has one core
        tallies = []
        try:
            for table in whole_topics(((pl.DataFrame(batch) for batch in batches)), self.rows):
                block, judgments = score_topics(table, self.asked, self._judgments)
                tallies.append(Tally.of_block(block, judgments, self.asked))
                yield from self._arrow(long_rows(block, judgments, self.asked))
            found: Tally | InputError | None = Tally.together(tallies) if tallies else None
        except InputError as error:
            found = error
        if found is not None:
            yield from self._arrow(pl.DataFrame({_SUMMARY: [pickle.dumps(found)]}))

    def _judgments(self, judged: pl.DataFrame) -> Judgments:
        if self.whole is not None:
            everything: Judgments = self.whole.value
            return everything.of_topics(judged[QUERY])
        return self.asked.of_collection(Judgments(judged))

    def _arrow(self, table: pl.DataFrame) -> list[pa.RecordBatch]:
        """Lay rows out as the schema has them; what they lack is null."""
        import pyarrow as pa

        kinds = {"string": pa.string(), "double": pa.float64(), "binary": pa.binary()}
        columns = _columns(self.asked)
        whole = table.with_columns(pl.lit(None).alias(name) for name in columns if name not in table.columns)
        schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
        rows: pa.Table = whole.select(list(columns)).to_arrow().cast(schema)
        batches: list[pa.RecordBatch] = rows.to_batches(max_chunksize=BATCH)
        return batches


def _columns(asked: TopicWork) -> dict[str, str]:
    """Name the columns that a task gives, and say what they hold."""
    ends = ("value", "low", "high") if asked.grading.bounds else ("value",)
    numbers = {f"{end}{m}": "double" for m in range(len(asked.measures)) for end in ends}
    return {"run": "string", "topic": "string"} | numbers | {_SUMMARY: "binary"}


def _scored(
    session: SparkSession, lists: DataFrame, judged: _Judged, asked: TopicWork, average: TopicAverage, rows: int
) -> SparkScores:
    """Bring rows to where their topic is, have them scored, and put together what is known of all."""
    from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it
    from pyspark.storagelevel import StorageLevel

    task = _Task(asked, None if judged.whole is None else session.sparkContext.broadcast(judged.whole), rows)
    schema = ", ".join(f"{name} {kind}" for name, kind in _columns(asked).items())
    together = lists.unionByName(judged.rows, allowMissingColumns=True).repartition(QUERY).sortWithinPartitions(QUERY)
    kept = together.mapInArrow(task.scored, schema).persist(StorageLevel.DISK_ONLY)
    found = [pickle.loads(row[0]) for row in kept.where(F.col(_SUMMARY).isNotNull()).select(_SUMMARY).collect()]  # noqa: S301
    for error in found:
        if isinstance(error, InputError):
            kept.unpersist()
            raise error
    tally = Tally.together(found)
    for run in tally.audits:
        if not run.topics:
            raise InputError(
                f"no topic in common with the qrels; the run has {listed(run.extra) or 'none'}", source=run.run
            )
    notes = tuple(note for measure in asked.measures if (note := measure.note(asked.top_grade)) is not None)
    conditions = Conditions(asked.reading, asked.grading)
    values = tally.averages(asked)
    means = SparkMeans(asked.runs, asked.measures, values, tally.topics, conditions, average, tally.kinds, notes)
    return SparkScores(_long(kept, asked), means, tally.audit(asked), kept)


def _take_this_python(session: SparkSession) -> None:
    """Let workers on this machine be of this Python, unless Spark was told which to take.

    It takes the ``python3`` of the PATH, which knows nothing of an environment that is not activated.
    """
    context = session.sparkContext
    told = "PYSPARK_PYTHON" in os.environ or context.getConf().contains("spark.pyspark.python")
    if context.master.startswith("local") and not told:
        context.pythonExec = sys.executable


def _long(kept: DataFrame, asked: TopicWork) -> DataFrame:
    """Turn columns of values into rows: run, topic, measure, value; with bounds also low and high."""
    from pyspark.sql import functions as F  # noqa: N812

    ends = ("value", "low", "high") if asked.grading.bounds else ("value",)
    rows = [
        F.struct(F.lit(str(measure)).alias("measure"), *(F.col(f"{end}{m}").alias(end) for end in ends))
        for m, measure in enumerate(asked.measures)
    ]
    return kept.where(F.col(_SUMMARY).isNull()).select("run", "topic", F.inline(F.array(*rows)))


def _session_of(qrels: object, runs: object) -> SparkSession:
    """Find the session of a DataFrame, the one that is active, or make one."""
    from pyspark.sql import DataFrame, SparkSession

    for table in [qrels, *(runs.values() if isinstance(runs, Mapping) else [runs])]:
        if isinstance(table, DataFrame):
            return table.sparkSession
    return SparkSession.getActiveSession() or SparkSession.builder.appName("cranfield").getOrCreate()


def _runs(
    runs: Table | Sequence[str] | Mapping[str, Table], session: SparkSession, naming: Naming, *, rank: bool
) -> tuple[tuple[str, ...], DataFrame]:
    """Give the names of the runs, and their rows: query_id, doc_id, value, run (its place), and rank if asked for."""
    from pyspark.sql import functions as F  # noqa: N812

    if isinstance(runs, Mapping):
        given: list[tuple[str | None, Table]] = list(runs.items())
    elif isinstance(runs, Sequence) and not isinstance(runs, str):
        given = [(None, each) for each in runs]
    else:
        given = [(None, runs)]
    names: list[str] = []
    tables: list[DataFrame] = []
    kind = RUN_KIND.called(naming)
    for name, each in given:
        source = name or (each if isinstance(each, str) else "DataFrame")
        table = _opened(each, session)
        found = find_columns(table.columns, kind, rank=rank, source=source)
        score = _number(table, found, SCORE, source) if SCORE in found else -_number(table, found, RANK, source)
        columns = [_id(table, found, QUERY, source), _id(table, found, DOCUMENT, source), score.alias(VALUE)]
        columns += [_number(table, found, RANK, source).cast("long").alias(RANK)] if rank else []
        named = run_column(table.columns, kind)
        if named:
            column = _id(table, named, RUN, source)
            there = sorted(row[0] or "" for row in table.select(column).distinct().collect())
            if "" in there:
                raise InputError("the run's name is missing", source=source)
            if name is not None and len(there) > 1:
                raise InputError(f"{len(there)} runs for the one run {name!r}: {listed(there)}", source=source)
        else:
            there = [name or (run_name(each.rstrip("/")) if isinstance(each, str) else "run")]
        if named and name is None:
            places = F.array_position(F.array(*map(F.lit, there)), column) + (len(names) - 1)
        else:
            there, places = [name or there[0]], F.lit(len(names))
        tables.append(table.select(*columns, places.cast("int").alias(RUN)))
        names += there
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"two runs are called {twice[0]!r}; give {{name: run}}")
    lists = tables[0]
    for table in tables[1:]:
        lists = lists.unionByName(table)
    return tuple(names), lists


def _judged(qrels: Table | Judgments, session: SparkSession, broadcast: int, naming: Naming) -> _Judged:
    """Open judgments: few are given to every executor, many are brought to the rows by topic."""
    from pyspark.sql import functions as F  # noqa: N812

    if not isinstance(qrels, Judgments):
        table = _opened(qrels, session)
        found = find_columns(table.columns, QRELS_KIND.called(naming), rank=False, source="qrels")
        ids = [_id(table, found, part, "qrels") for part in (QUERY, DOCUMENT)]
        grade = _number(table, found, RELEVANCE, "qrels")
        if table.limit(broadcast + 1).count() > broadcast:
            if STRATUM in found:
                raise InputError(f"qrels with strata are given to every executor; ask for broadcast={table.count()}")
            return _by_topic(table.select(*ids, grade.alias(VALUE)))
        columns = [*ids, F.col(f"`{found[RELEVANCE]}`").alias(RELEVANCE)]
        columns += [F.col(f"`{found[STRATUM]}`").alias(STRATUM)] if STRATUM in found else []
        qrels = Judgments(tidy(pl.DataFrame(table.select(*columns).toArrow()), QRELS_KIND, source="qrels"))
    refuse_average(qrels.topics)
    topics = session.createDataFrame([(topic,) for topic in qrels.topics], f"{QUERY} string")
    return _Judged(topics, qrels.top_grade, qrels.grades, qrels)


def _by_topic(rows: DataFrame) -> _Judged:
    """Find the facts of judgments that stay on the cluster."""
    from pyspark.sql import functions as F  # noqa: N812

    value = F.col(VALUE)
    hole = (F.coalesce(QUERY, F.lit("")) == "") | (F.coalesce(DOCUMENT, F.lit("")) == "") | value.isNull()
    infinite = F.isnan(value) | (F.abs(value) == float("inf"))
    facts = rows.agg(F.collect_set(value), F.max(hole), F.max(infinite), F.max(F.col(QUERY) == AVERAGE)).collect()[0]
    for wrong, problem in ((facts[1], "an id or a label is missing"), (facts[2], "a label is not a finite number")):
        if wrong:
            raise InputError(problem, source="qrels")
    refuse_average([AVERAGE] if facts[3] else [])
    grades = np.array(sorted(facts[0]), np.float64)
    return _Judged(rows, max(0.0, float(grades[-1])), grades)


@contextmanager
def in_one_line(source: str | None = None) -> Iterator[None]:
    """Say what Spark could not do, without the many lines in which Java says where."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InputError(
            f"Spark could not do it: {_cause(str(error) or type(error).__name__)}", source=source
        ) from None


def _cause(text: str) -> str:
    r"""Find what was wrong in what Java prints: the last line of a worker's Python, or else where Java says it.

    >>> _cause("An exception was thrown from the Python worker:\nTraceback (most recent call last):\nOSError: no")
    'a Python worker ended with OSError: no'
    >>> _cause("An error occurred while calling o1.parquet.\n: java.net.ConnectException: refused\n\tat java.base")
    'java.net.ConnectException: refused'
    """
    lines = [line for line in text.splitlines() if line.strip()]
    worker = next((i for i, line in enumerate(lines) if "Python worker" in line or line.startswith("Traceback")), None)
    if worker is not None:
        said = takewhile(lambda line: not line.lstrip().startswith(("at ", "JVM stacktrace")), lines[worker + 1 :])
        last = [line.strip() for line in said if not line.startswith((" ", "\t"))]
        if last and not last[-1].startswith("Traceback"):
            return f"a Python worker ended with {last[-1]}"
    return next((line.lstrip(": ") for line in lines if line.startswith(": ")), lines[0])


def _opened(table: Table, session: SparkSession) -> DataFrame:
    """Open Parquet, or take a DataFrame as it is."""
    from pyspark.sql import DataFrame

    if isinstance(table, DataFrame):
        return table
    if not isinstance(table, str):
        raise InputError(f"Spark takes DataFrames of its own and paths of Parquet, not {type(table).__name__}")
    with in_one_line(table):
        return session.read.parquet(table)


def _id(table: DataFrame, found: Mapping[str, str], part: str, source: str) -> Column:
    """Take a column of ids: texts, or whole numbers as texts."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import IntegralType, StringType

    kind = table.schema[found[part]].dataType
    if not isinstance(kind, StringType | IntegralType):
        raise InputError(f"the column {found[part]} holds {kind.simpleString()}, which are no ids", source=source)
    return F.col(f"`{found[part]}`").cast("string").alias(part)


def _number(table: DataFrame, found: Mapping[str, str], part: str, source: str) -> Column:
    """Take a column of numbers."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import NumericType

    kind = table.schema[found[part]].dataType
    if not isinstance(kind, NumericType):
        raise InputError(f"the column {found[part]} holds {kind.simpleString()}, which are no numbers", source=source)
    return F.col(f"`{found[part]}`").cast("double")
