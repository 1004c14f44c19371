"""What ``cranfield evaluate --engine spark`` does: a session, runs in Parquet, averages here and the rest there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.cli._derived import Call
from cranfield.cli._output import AuditAsked, Destination, present
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cranfield.judged.judgments import Judgments


def evaluate_on_spark(
    call: Call, qrels: str, runs: Sequence[str], measures: Sequence[str], master: str | None, to: Destination,
    audited: AuditAsked, *, per_topic: bool, sort: str | None,
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
