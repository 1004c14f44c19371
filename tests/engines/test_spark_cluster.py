"""A master and two workers on loopback: more rows than the driver has memory for, and a worker killed at work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from benchmarks.cluster import Cluster, cluster, free_port, state, write_work
from benchmarks.on_cluster import MEASURES

import cranfield as cf

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="Spark has an environment of its own"),
]
TOPICS, DOCUMENTS = 1_000_000, 10
HEAP = 512
"""Megabytes of memory that the driver has: hardly more than Spark itself asks for."""


def test_a_million_topics_and_a_worker_killed_at_work(tmp_path: Path) -> None:
    size = write_work(tmp_path / "work", TOPICS, DOCUMENTS)
    assert size > HEAP * 1e6
    with cluster(tmp_path) as machines:
        undisturbed = driven(machines, tmp_path, "first")
        disturbed = driven(machines, tmp_path, "second", kill=0)
    for found in (undisturbed, disturbed):
        assert found["topics"] == TOPICS
        assert found["means"] == undisturbed["means"]
        assert found["audit"] == undisturbed["audit"]
        [driver] = [each for each in found["executors"] if each["id"] == "driver"]
        assert driver["heap"] < HEAP
        assert found["driver"] < HEAP
    assert sum(each["tasks"] > 0 for each in undisturbed["executors"]) == 2
    tables = [pl.read_parquet(tmp_path / name / "*.parquet") for name in ("first", "second")]
    by = ["topic", "measure"]
    first, second = (table.sort(by) for table in tables)
    assert first.equals(second)
    assert first.height == TOPICS * len(MEASURES)
    some = [f"q{number}" for number in range(0, TOPICS, 1000)]
    run, qrels = (
        pl.scan_parquet(tmp_path / "work" / name / "*.parquet").filter(pl.col("query_id").is_in(some)).collect()
        for name in ("run", "qrels")
    )
    expected = cf.evaluate(qrels, {"run": run}, MEASURES).per_topic.sort(by)
    judged = qrels["query_id"].unique().to_list()
    found_here = first.filter(pl.col("topic").is_in(judged))
    assert found_here.equals(expected.select(found_here.columns))


def driven(machines: Cluster, folder: Path, name: str, kill: int | None = None) -> Any:
    """Run a driver; kill a worker while a task that scores runs on it."""
    port = free_port()
    call = [sys.executable, "-m", "benchmarks.on_cluster", machines.url, f"{HEAP}m", str(port)]
    call += [str(folder / "work"), str(folder / name)]
    ours = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    root = Path(__file__).parents[2]
    with (folder / f"{name}.log").open("w") as log:
        driver = subprocess.Popen(call, cwd=root, env=ours, stdout=subprocess.PIPE, stderr=log, text=True)
    if kill is not None:
        wait_for_tasks_that_score(driver, port)
        machines.kill(kill)
    out, _ = driver.communicate(timeout=600)
    assert driver.returncode == 0, (folder / f"{name}.log").read_text()[-5000:]
    return json.loads(out.splitlines()[-1])


def wait_for_tasks_that_score(driver: subprocess.Popen[str], port: int) -> None:
    """Wait until both executors have a task of the stage that scores, which is the one that reads what was shuffled."""
    while driver.poll() is None:
        time.sleep(0.2)
        try:
            [application] = state(port, "/api/v1/applications")
            stages = state(port, f"/api/v1/applications/{application['id']}/stages?status=active")
        except OSError:
            continue
        if any(stage["numActiveTasks"] == 2 and stage["shuffleReadBytes"] > 0 for stage in stages):
            return
    raise AssertionError("the driver ended before a task was seen")
