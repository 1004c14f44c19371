"""The suite of every engine on Spark: sessions of its own, Arrow batches of a few rows, topics that straddle them.

Spark has an environment of its own (it knows no pandas 3 yet), which CI makes; elsewhere these are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="Spark has an environment of its own"),
]
SUITE = run_path(str(Path(__file__).parent / "expectations.py"))
CASES, Case, Found, made = (SUITE[name] for name in ("CASES", "Case", "Found", "made"))


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Start Spark in local mode, with so few rows in a batch that topics straddle them, and empty partitions."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "5",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
        "spark.driver.memory": "1g",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_workers_of_an_environment_that_is_not_activated(tmp_path: Path) -> None:
    """Spark takes the python3 of the PATH, which may know nothing of this package."""
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}).write_parquet(tmp_path / "r.parquet")
    command = [sys.executable, "-m", "cranfield", "evaluate", "q.txt", "r.parquet", "--engine", "spark", "-m", "AP"]
    usual = {name: value for name, value in os.environ.items() if name not in {"PYSPARK_PYTHON", "PYTHONPATH"}}
    environment = usual | {"PATH": "/usr/local/bin:/usr/bin:/bin", "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1.0000" in done.stdout
    elsewhere = environment | {"PYSPARK_PYTHON": "/usr/bin/python3"}
    done = subprocess.run(command, cwd=tmp_path, env=elsewhere, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("cranfield: Spark could not do it: a Python worker ended with ")


def on_spark(session: Any, case: Any, **options: Any) -> Any:
    """Score a case from Spark's DataFrames."""
    from cranfield.scoring.engines import spark

    frames = {name: session.createDataFrame(table.to_arrow()) for name, table in case.runs.items()}
    qrels = session.createDataFrame(case.qrels.to_arrow())
    scores = spark.evaluate(qrels, frames, case.measures, session=session, **case.conditions, **options)
    found = Found(pl.DataFrame(scores.per_topic.toArrow()), scores.means.to_polars(), scores.audit)
    scores.release()
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_in_memory(session: Any, name: str) -> None:
    """With qrels that are given to every executor, and every other time with qrels that are joined."""
    joined = list(CASES).index(name) % 2 == 0
    options = {"broadcast": 0, "rows": 50} if joined else {}
    SUITE["expect_the_same"](CASES[name], lambda case: on_spark(session, case, **options))


def test_parquet_with_runs_named_in_a_column_and_ids_that_are_numbers(session: Any, tmp_path: Path) -> None:
    from cranfield.scoring.engines import spark

    case = made(11)
    number = pl.col("query_id").str.extract(r"(\d+)").fill_null("77").cast(pl.Int64)
    runs = pl.concat([table.with_columns(number, run=pl.lit(name)) for name, table in case.runs.items()])
    runs = runs.filter(pl.col("query_id") != 77).rename({"query_id": "qid", "doc_id": "docno"})
    qrels = case.qrels.with_columns(number)
    runs.write_parquet(tmp_path / "runs.parquet")
    qrels.write_parquet(tmp_path / "qrels.parquet")
    for one in runs["run"].unique():
        runs.filter(run=one).drop("run").write_parquet(tmp_path / f"{one}.parquet")
    together = spark.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "runs.parquet"), "AP", session=session)
    apart = [str(tmp_path / f"{name}.parquet") for name in case.runs]
    alone = spark.evaluate(cf.Judgments(cf.read_qrels(qrels)), apart, "AP", session=session)
    expected = cf.evaluate(qrels, runs, "AP").per_topic.sort("run", "topic")
    for found in (together, alone):
        assert pl.DataFrame(found.per_topic.toArrow()).sort("run", "topic").equals(expected)
        assert found.means.sorted_by("AP").runs == cf.evaluate(qrels, runs, "AP").sorted_by("AP").runs
    assert together.means.to_dict() == type(together.means).from_dict(together.means.to_dict()).to_dict()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "order of lines": ({"order": "file"}, "rows have no order on a cluster"),
    "ties in the order of lines": ({"order": "stable"}, "rows have no order on a cluster"),
    "median": ({"average": "median"}, "a median needs all values in one place"),
    "text": ({"measures": "relstring"}, "is a text"),
    "no Parquet": ({"runs": "nowhere.parquet"}, "nowhere.parquet: Spark could not do it: [PATH_NOT_FOUND]"),
    "other things": ({"runs": {"r": 3}}, "not int"),
    "twice": (
        {"score": [1.0, 2.0, 3.0], "doc_id": ["a", "b", "a"]},
        "r: document 'a' is retrieved twice for topic '1'",
    ),
    "no number": ({"score": [1.0, None, 3.0]}, "r: the score is missing, or no number (topic '1', document 'b')"),
    "texts for scores": ({"score": ["1", "2", "3"]}, "r: the column score holds string, which are no numbers"),
    "numbers for ids": ({"doc_id": [1.5, 2.5, 3.5]}, "r: the column doc_id holds double, which are no ids"),
    "no column": ({"score": None}, "r: no column for score"),
    "another collection": ({"query_id": ["7", "8", "9"]}, "r: no topic in common with the qrels; the run has 7, 8, 9"),
    "judged twice": ({"qrels": [("1", "a", 1), ("1", "a", 1)]}, "judged twice"),
    "a topic called all": ({"qrels": [("all", "a", 1)]}, "a topic is named 'all'"),
    "a label that is none": ({"qrels": [("1", "a", None)]}, "is missing"),
    "no qrels": ({"qrels": []}, "is empty"),
}


JOINED = ("twice", "judged twice", "a topic called all", "a label that is none")
"""What is noticed in another place where the qrels are joined."""


@pytest.mark.parametrize(("name", "broadcast"), [*((name, 10) for name in REFUSED), *((name, 0) for name in JOINED)])
def test_what_cannot_be_is_refused_in_one_line(session: Any, name: str, broadcast: int) -> None:
    from cranfield.scoring.engines import spark

    changed, told = dict(REFUSED[name][0]), REFUSED[name][1]
    columns = {"query_id": ["1", "1", "1"], "doc_id": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}
    columns |= {key: changed.pop(key) for key in list(columns) if key in changed}
    run = pl.DataFrame({key: cells for key, cells in columns.items() if cells is not None})
    runs = changed.pop("runs", {"r": session.createDataFrame(run.to_arrow())})
    schema = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}
    judged = pl.DataFrame(changed.pop("qrels", [("1", "a", 1), ("1", "b", 0)]), schema, orient="row")
    qrels = session.createDataFrame(judged.to_arrow(), "query_id string, doc_id string, relevance long")
    asked: dict[str, Any] = {"measures": "AP", "broadcast": broadcast} | changed
    with pytest.raises(cf.InputError) as raised:
        spark.evaluate(qrels, runs, session=session, **asked)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_real_runs(session: Any, data: Path, tmp_path: Path) -> None:
    from cranfield.scoring.engines import spark

    collection = data / "dl19-passage"
    paths = sorted((collection / "runs").iterdir())[:4]
    runs = dict(cf.read_runs([str(path) for path in paths]))
    for name, table in runs.items():
        table.write_parquet(tmp_path / f"{name}.parquet")
    cf.read_qrels(collection / "qrels.txt").write_parquet(tmp_path / "qrels.parquet")
    measures = ["AP", "nDCG@10", "RBP(p=0.8)"]
    found = spark.evaluate(
        str(tmp_path / "qrels.parquet"), {name: str(tmp_path / f"{name}.parquet") for name in runs}, measures,
        bounds=True, session=session,
    )  # fmt: skip
    expected = cf.evaluate(collection / "qrels.txt", runs, measures, bounds=True)
    by = ("run", "topic", "measure")
    assert pl.DataFrame(found.per_topic.toArrow()).sort(by).equals(expected.per_topic.sort(by))
    assert str(found.means.table()) == str(expected.table())
    # Other levels are not scored there, and first rows and conventions not looked at.
    assert found.audit.line() == replace(expected.audit, turned=(), further=()).line()


def test_the_command(session: Any, tmp_path: Path) -> None:
    """In this process, which has a session: the command takes it, and ends it, so this test is the last."""
    case, qrels, out = made(12), str(tmp_path / "qrels.txt"), str(tmp_path / "by-topic.parquet")
    for name in ("one", "two"):
        case.runs[name].write_parquet(tmp_path / f"{name}.parquet")
    cf.write_qrels(case.qrels, qrels)
    runs = [f"1={tmp_path}/one.parquet", f"2={tmp_path}/two.parquet"]
    call = ["evaluate", qrels, *runs, "--engine", "spark", "-m", "AP", "-m", "NumRel"]

    def refused(*more: str) -> str:
        done = CliRunner().invoke(main, [*call, *more])
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
        return done.stderr

    assert "comments is not for Spark: Parquet has no comments" in refused("--comments")
    assert "repeated is not for Spark" in refused("--repeated", "max")
    assert "a folder of Parquet: give -o NAME.parquet" in refused("-q")
    assert "cannot write the format trec_eval" in refused("--format", "trec_eval")
    done = CliRunner().invoke(main, [*call, "-q", "-o", out, "--sort", "--full-audit"])
    assert done.exit_code == 0, done.stderr
    expected = cf.evaluate(case.qrels, {"1": case.runs["one"], "2": case.runs["two"]}, ["AP", "NumRel"])
    assert done.stdout in str(expected.sorted_by())  # between its answer and the audit
    assert done.stderr.startswith("audit: ")  # without what the first rows tell, which Spark does not look at
    assert "both runs lack the same 1 of 30 topics (t8)" in done.stderr
    assert "grades -1 to 2" in done.stderr
    found, by = pl.read_parquet(f"{out}/*.parquet"), ("run", "topic", "measure")
    assert found.sort(by).equals(expected.per_topic.sort(by))
