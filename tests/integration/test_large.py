"""Twenty million rows: within the memory that is stated, the same however they lie, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks import large  # noqa: E402

pytestmark = pytest.mark.integration
ROWS = 20_000_000


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the files, and remove them, which pytest would not do at once."""
    folder = tmp_path_factory.mktemp("large")
    subprocess.run(
        [sys.executable, "-m", "benchmarks.large", str(folder), "--rows", str(ROWS), "--only-make"],
        cwd=ROOT,
        check=True,
    )
    (folder / str(ROWS) / "temporary").mkdir()
    yield folder / str(ROWS)
    for file in (folder / str(ROWS)).glob("*.parquet"):
        file.unlink()


def test_memory_is_bounded_and_the_order_of_rows_does_not_matter(work: Path) -> None:
    for task, usages in large.times(work, work / "temporary", 1).items():
        assert usages[0].megabytes < task.megabytes
        assert usages[0].disk < 1024
    assert list((work / "temporary").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at /proc")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("megabytes", [1, 100, 400])
def test_an_interrupt_leaves_nothing(work: Path, sent: signal.Signals, status: int, megabytes: int) -> None:
    """It comes when so much lies on the disk; there is no name there, and afterwards nothing."""
    command = [sys.executable, "-m", "cranfield", "evaluate", "qrels.parquet", "scattered.parquet", "-m", "AP"]
    environment = os.environ | {"TMPDIR": str(work / "temporary")}
    with subprocess.Popen(
        command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while large.open_files(process.pid, work / "temporary") < megabytes and process.poll() is None:
            time.sleep(0.01)
        assert list((work / "temporary").iterdir()) == []
        process.send_signal(sent)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (status, b"")
    assert b"Traceback" not in said, said.decode()
    assert list((work / "temporary").iterdir()) == []
