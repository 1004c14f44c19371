"""A driver in a process of its own: it scores a run on a cluster, and says what came of it and what it took."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.cluster import state
from cranfield.scoring.engines import spark

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")


def main(master: str, memory: str, port: str, work: str, table: str, settings: str = "{}") -> None:
    """Score what `write_work` wrote; write the scores by topic, and print a line of JSON."""
    from pyspark.sql import SparkSession

    usual = {
        "spark.driver.memory": memory,
        "spark.ui.port": port,
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "32",
        "spark.executor.processTreeMetrics.enabled": "true",
        "spark.executor.metrics.pollingInterval": "200",
    }
    builder = SparkSession.builder.master(master).appName("cranfield").config(map=usual | json.loads(settings))
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    before = time.perf_counter()
    scores = spark.evaluate(f"{work}/qrels", {"run": f"{work}/run"}, MEASURES, session=session, broadcast=0)
    took = time.perf_counter() - before
    if table:
        scores.per_topic.write.parquet(table)
    application = session.sparkContext.applicationId
    executors = state(int(port), f"/api/v1/applications/{application}/allexecutors")
    found = {
        "seconds": took,
        "means": [value.hex() for value in scores.means.to_polars()["value"]],
        "topics": scores.means.topics,
        "audit": scores.audit.line(),
        "driver": peak_of_this_process(),
        "executors": [told(each) for each in executors],
    }
    session.stop()
    sys.stdout.write(json.dumps(found) + "\n")


def told(executor: dict[str, Any]) -> dict[str, Any]:
    """Take what there is to know of an executor: megabytes, seconds, tasks."""
    peaks = executor.get("peakMemoryMetrics", {})
    return {
        "id": executor["id"],
        "tasks": executor["completedTasks"],
        "failed": executor["failedTasks"],
        "seconds": executor["totalDuration"] / 1000,
        "shuffled": executor["totalShuffleWrite"] / 1e6,
        "heap": peaks.get("JVMHeapMemory", 0) / 1e6,
        "java": peaks.get("ProcessTreeJVMRSSMemory", 0) / 1e6,
        "python": peaks.get("ProcessTreePythonRSSMemory", 0) / 1e6,
    }


def peak_of_this_process() -> float:
    """Return the peak of this process in megabytes: Python, without the Java that it started."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


if __name__ == "__main__":
    main(*sys.argv[1:])
