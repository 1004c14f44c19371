"""A Spark cluster on this machine: a master and workers on loopback, started from the pip package; and work for it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

PATIENCE = 120
"""Seconds that a master and its workers may take to find each other."""
TOPICS_IN_A_PART = 100_000


@dataclass
class Cluster:
    """A master and its workers.

    Attributes
    ----------
    url
        What a driver calls as the master.
    workers
        The processes, each the leader of a group with its executors.
    """

    url: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill(self, worker: int) -> None:
        """Kill a worker and its executors, at once."""
        os.killpg(self.workers[worker].pid, signal.SIGKILL)
        self.workers[worker].wait()


@contextmanager
def cluster(folder: Path, *, workers: int = 2, cores: int = 1, memory: str = "1500m") -> Iterator[Cluster]:
    """Start a cluster whose logs and shuffle files are in a folder; all of it is stopped at the end."""
    import pyspark

    home = Path(pyspark.__file__).parent
    port, web = free_port(), free_port()
    ours = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    java = [str(home / "bin" / "spark-class")]
    at = ["--host", "127.0.0.1"]
    found = Cluster(f"spark://127.0.0.1:{port}")
    processes: list[subprocess.Popen[bytes]] = []

    def started(name: str, *call: str) -> subprocess.Popen[bytes]:
        with (folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [*java, *call], env=ours, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        processes.append(process)
        return process

    try:
        started("master", "org.apache.spark.deploy.master.Master", *at, "--port", str(port), "--webui-port", str(web))
        deadline = time.monotonic() + PATIENCE
        while not answers(web):
            if time.monotonic() > deadline:
                raise TimeoutError((folder / "master.log").read_text())
            time.sleep(0.2)
        worker = ["org.apache.spark.deploy.worker.Worker", *at, "--cores", str(cores), "--memory", memory]
        worker += ["--webui-port", "0", "--work-dir", str(folder / "work")]
        found.workers += [started(f"worker{number}", *worker, found.url) for number in range(workers)]
        while len(state(web).get("workers", [])) < workers:
            if time.monotonic() > deadline:
                raise TimeoutError((folder / "worker0.log").read_text())
            time.sleep(0.2)
        yield found
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def free_port() -> int:
    """Find a port on loopback that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Tell whether a master is up: its server takes calls before its pages are there, and answers with nothing."""
    try:
        state(port)
    except (OSError, ValueError):
        return False
    return True


def state(port: int, path: str = "/json/") -> Any:
    """Ask a master, or a driver, how things are."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return json.load(answer)


def write_work(folder: Path, topics: int, documents: int, seed: int = 7) -> int:
    """Write a run and qrels in Parquet, of so many topics with so many documents each; return the bytes of the run.

    Ids of documents are texts of 41 characters without a pattern, so that nothing can be saved on them. Of each
    topic one document is judged, and one in ten of the others.
    """
    random = np.random.default_rng(seed)
    for name in ("run", "qrels"):
        (folder / name).mkdir(parents=True)
    for part, first in enumerate(range(0, topics, TOPICS_IN_A_PART)):
        there = min(TOPICS_IN_A_PART, topics - first)
        rows = there * documents
        order = random.permutation(rows)  # so that the rows of a topic do not lie together
        topic = np.repeat(np.arange(first, first + there), documents)[order]
        halves = random.integers(10**19, 2**64 - 1, (2, rows), dtype=np.uint64)
        ids = pl.DataFrame({"a": halves[0], "b": halves[1]}).select("d" + pl.concat_str("a", "b")).to_series()
        run = pl.DataFrame({"query_id": topic, "doc_id": ids, "score": random.random(rows)})
        run = run.with_columns(query_id="q" + pl.col("query_id").cast(pl.String))
        run.write_parquet(folder / "run" / f"part-{part:05}.parquet", compression="uncompressed")
        judged = run.filter((order % documents == 0) | (random.random(rows) < 0.1)).select("query_id", "doc_id")
        judged = judged.with_columns(relevance=pl.Series(random.integers(0, 3, judged.height)))
        judged.write_parquet(folder / "qrels" / f"part-{part:05}.parquet")
    return sum(path.stat().st_size for path in (folder / "run").iterdir())
