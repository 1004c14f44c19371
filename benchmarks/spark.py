"""How the engine on Spark grows: `python -m benchmarks.spark FOLDER`, in an environment with `cranfield[spark]`.

Runs of one, three and ten million rows (ten documents a topic, ids of 41 characters, topics scattered)
are scored by AP, nDCG@10 and RBP on a standalone cluster on this machine, of one and of two executors
with a core each. The qrels are joined. A table in Markdown is printed; all files are in the folder
given, and go again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.cluster import Cluster, cluster, free_port, write_work

TOPICS = (100_000, 300_000, 1_000_000)
DOCUMENTS = 10
WORKERS = (1, 2)
HEAP = "512m"
COLUMNS = ("rows", "executors", "seconds", "rows a second", "shuffled", "executor: Java", "Python", "driver: heap")
"""The last four in megabytes."""


def main(folder: Path) -> None:
    """Measure, and print the table."""
    print(f"| {' | '.join(COLUMNS)} |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for topics in TOPICS:
        here = Path(tempfile.mkdtemp(dir=folder))
        try:
            write_work(here / "work", topics, DOCUMENTS)
            for workers in WORKERS:
                with cluster(here, workers=workers) as machines:
                    print(row(topics * DOCUMENTS, workers, measured(machines, here)), flush=True)
        finally:
            shutil.rmtree(here)
    print(f"\nload average at the end: {os.getloadavg()[0]:.1f}")


def measured(machines: Cluster, folder: Path) -> Any:
    """Run a driver, and return what it says."""
    call = [
        sys.executable,
        "-m",
        "benchmarks.on_cluster",
        machines.url,
        HEAP,
        str(free_port()),
        str(folder / "work"),
        "",
    ]
    ours = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(call, env=ours, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def row(rows: int, workers: int, found: Any) -> str:
    """Lay a measurement out."""
    executors = [each for each in found["executors"] if each["id"] != "driver"]
    [driver] = [each for each in found["executors"] if each["id"] == "driver"]
    cells = [
        f"{rows:,}",
        str(workers),
        f"{found['seconds']:.0f}",
        f"{rows / found['seconds']:,.0f}",
        f"{sum(each['shuffled'] for each in executors):.0f}",
        f"{max(each['java'] for each in executors):.0f}",
        f"{max(each['python'] for each in executors):.0f}",
        f"{driver['heap']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
