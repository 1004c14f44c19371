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


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ["together", "scattered"])
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_interrupt_leaves_nothing(work: Path, name: str, sent: signal.Signals, status: int) -> None:
    command = [sys.executable, "-m", "cranfield", "evaluate", "qrels.parquet", f"{name}.parquet", "-m", "AP"]
    for after in (1.0, 2.0, 4.0):
        process = subprocess.Popen(
            command,
            cwd=work,
            env=os.environ | {"TMPDIR": str(work / "temporary")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(after)
        process.send_signal(sent)
        printed, said = process.communicate(timeout=60)
        assert b"Traceback" not in said, said.decode()
        assert process.returncode in {status, 0}
        assert list((work / "temporary").iterdir()) == []
        if process.returncode:
            assert printed == b""
