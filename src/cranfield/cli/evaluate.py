"""``cranfield evaluate`` (evaluate): score runs against qrels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._forms import GOLDEN, SEVERAL, collections_asked, golden_asked, of_several
from cranfield.cli._options import (
    AUDITED,
    MEASURES_FROM,
    WEIGHTS_AND_GROUPS,
    conditions,
    measures_asked,
    option,
    per_topic,
    qrels_and_runs,
    sort,
)
from cranfield.cli._output import (
    AuditAsked,
    Destination,
    notes_of,
    present,
    present_collections,
    present_scores,
    presented,
    then,
)
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import TopicAverage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cranfield.judged.judgments import Judgments
    from cranfield.scoring.scores import Scores

_GOLDEN: Final = ("docs", "match")


def _on_several(call: Call, per_topic: bool, sort: str | None, to: Destination, audited: AuditAsked) -> None:
    from cranfield.scoring.collection_scores import evaluate_all

    of_all = call(evaluate_all, call(collections_asked))
    present_collections(of_all, to, sort=sort, per_topic=per_topic)
    audited.end_all(of_all, to)


def _on_spark(
    call: Call, qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], master: str | None, to: Destination,
    audited: AuditAsked, per_topic: bool, sort: str | None,
) -> None:  # fmt: skip
    """Score runs on a cluster; show averages and audit here, and have Spark write the scores by topic."""
    from cranfield.formats.optional import library
    from cranfield.scoring.engines import spark

    if to.format == "trec_eval":
        raise InputError("--engine spark cannot write the format trec_eval; choose table, csv, json or parquet")
    table = to.file
    if per_topic and (table is None or not table.endswith(".parquet")):
        raise InputError("Spark writes scores by topic to a folder of Parquet: give -o NAME.parquet")
    library("pyspark.sql", extra="spark")
    with spark.in_one_line(master), _session(master) as session:
        found = call(spark.evaluate, _qrels(qrels, call), _named(runs), measures or None, session=session)
        means = found.means if sort is None else found.means.sorted_by(sort or None)
        if per_topic:
            found.per_topic.write.parquet(str(table))
            to = Destination("table", None, to.quiet)
        present(means, to)
        to.say(*(f"note: {note}" for note in means.notes))
        audited.end(found.audit, to)


@contextmanager
def _session(master: str | None) -> Iterator[SparkSession]:
    """Begin a session, as quiet as a command is, and end it; what else Spark should know is in its own settings."""
    from pyspark.sql import SparkSession

    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    builder = SparkSession.builder.appName("cranfield evaluate").config(map={**quiet})
    session = (builder if master is None else builder.master(master)).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _qrels(path: str, call: Call) -> str | Judgments:
    """Read a file of qrels here; a folder, Parquet, and what is elsewhere are Spark's."""
    from cranfield.formats.named_datasets import dataset_in
    from cranfield.judged.conditions import Reading
    from cranfield.scoring.judged_runs import open_qrels

    here = dataset_in(path) is not None or (Path(path).is_file() and not path.endswith(".parquet"))
    return open_qrels(path, call(Reading.asked)) if here else path


def _named(runs: Sequence[str]) -> dict[str, str] | list[str]:
    """Take ``NAME=PATH`` apart, where all runs are named so."""
    pairs = [run.partition("=") for run in runs]
    if all(name and path and "/" not in name for name, _, path in pairs):
        return {name: path for name, _, path in pairs}
    return list(runs)


@derived(
    qrels_and_runs(required=False),
    SEVERAL,
    measures_asked("AP, nDCG@10, P@10, Bpref",
                   "Measure: AP, nDCG@5,10, RBP(p=0.8), or a name or set of trec_eval (official, all_trec). "
                   "Repeatable; `cranfield measures` lists all."),
    per_topic("Print the scores of each topic before the averages."),
    sort("Put the best run first, by this measure or by the first (give MEASURE as --sort=MEASURE, or --sort last)."),
    presented("trec_eval"),
    conditions(),
    option("--bounds", bool,
           "Add the lowest and the highest value possible once all documents that RUNS retrieved are judged."),
    option("--average", TopicAverage,
           "Average over topics. In geometric and harmonic means, values below 0.00001 count as 0.00001, as in "
           "trec_eval's gm_map. Counts stay sums, and gmAP stays a geometric mean.", "mean"),
    WEIGHTS_AND_GROUPS,
    GOLDEN,
    option("--engine", click.Choice(["local", "spark"]),
           "Engine: this machine, or a Spark cluster (pip install 'cranfield[spark]'). Spark reads runs as Parquet, "
           "and qrels unless they are a local file; with -q -o NAME.parquet it writes the scores by topic there.",
           "local"),
    option("--master URL", str, "Cluster: spark://HOST:7077, yarn, local[4], ..."),
    AUDITED,
    MEASURES_FROM,
    modes=(
        *of_several(_on_several, "bounds", "weights", "groups", *_GOLDEN),
        Mode("--engine spark", "Spark scores the runs of one collection as they are",
             ("collection", "collections", "weights", "groups", *_GOLDEN), alone_has=("master",), does=_on_spark),
        Mode("--groups", "there is a row for each group", ("per_topic",)),
    ),
    examples="""
  cranfield evaluate qrels.txt runs/*.gz -m official
  cranfield evaluate qrels.txt bm25=input.bm25.gz dense.run -m AP -m nDCG@5,10 -m "RBP(p=0.8)" -q -o scores.csv
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 --sort nDCG@10
  cranfield evaluate qrels.txt runs/*.gz -m AP -m Twist --average median
  cranfield evaluate qrels.txt runs/*.gz --exclude self --weights traffic.txt --groups languages.csv
  cranfield evaluate --collection dl19 dl19.txt "dl19/*.gz" --collection covid covid.txt "covid/*.gz" -m nDCG@10
  cranfield evaluate qrels.txt bm25=hdfs:///runs/bm25 -m AP --engine spark --master spark://10.0.0.1:7077
""",
)  # fmt: skip
def command(
    call: Call, qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], per_topic: bool, sort: str | None,
    to: Destination, groups: str | None, order: str | None, convention: str | None, audited: AuditAsked,
) -> None:  # fmt: skip
    """Score RUNS (files, folders or globs, plain or compressed) by the judgments in QRELS."""
    from cranfield.scoring.evaluation import evaluate

    if to.format == "trec_eval" and convention is None:
        # what prints so ranks so; trec_eval 10 ranks as we do
        order = order or ("score" if "all_trec10" in measures else "trec9")
    judged, lists, notes = golden_asked(qrels, runs, call.only(*_GOLDEN, "fields"))
    scores = call(evaluate, judged, lists, order=order, noun="runs or parts of them")
    present_scores(
        scores, to, per_topic=per_topic, sort=sort, groups=groups, beside=_beside, command=_next(scores, call)
    )
    to.say(*(f"note: {note}" for note in notes))
    audited.end(scores.audit, to)


def _next(scores: Scores, call: Call) -> str:
    """Return the command that says how sure the lead is; none of many files, or where `compare` cannot be asked so."""
    qrels, runs, asked = (call.options.get(name) or () for name in ("qrels", "runs", "measures"))
    texts = len(scores.asked) > len(scores.measures)
    if texts or len(runs) > 2 or scores.average != "mean" or any(map(call.options.get, ("weights", *_GOLDEN))):
        return ""
    return then("compare", str(qrels), *runs, *chain.from_iterable(("-m", name) for name in asked))


def _beside(scores: Scores, format_: str) -> Iterator[str]:
    """Say which run is which, where the format does not, what names mean, and what is sure about bounds."""
    from cranfield.judged.completions import BOUND_KINDS

    if format_ == "trec_eval" and len(scores.runs) > 1:
        yield f"runs, a block each: {', '.join(scores.runs)}"
    yield from notes_of(scores)
    for kind, meaning in BOUND_KINDS.items():
        if names := [str(measure) for measure, found in scores.kinds.items() if found == kind]:
            yield f"bounds of {', '.join(names)}: {meaning}"
