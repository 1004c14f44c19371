"""The benchmark of large runs: whether it makes what it says, and measures it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks.process import ProcessFailedError  # noqa: E402

from benchmarks import large  # noqa: E402


def test_both_files_hold_the_same_run(tmp_path: Path) -> None:
    large.make(tmp_path, 10_000)
    together, scattered = (pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("together", "scattered"))
    assert together["query_id"].rle().struct.field("len").to_list() == [large.DEPTH] * 100
    assert max(scattered["query_id"].rle().struct.field("len").to_list()) < 3
    assert not together.equals(scattered)
    assert together.sort("query_id", "doc_id").equals(scattered.sort("query_id", "doc_id"))
    assert not together.select("query_id", "doc_id").is_duplicated().any()
    assert set(together["doc_id"].str.len_bytes()) <= set(range(8, 13))
    qrels = pl.read_parquet(tmp_path / "qrels.parquet")
    retrieved = qrels.join(together, on=["query_id", "doc_id"]).group_by("query_id").len()["len"]
    assert qrels.height == 100 * large.JUDGED
    assert set(retrieved) == {3}


@pytest.mark.integration
def test_the_section_takes_its_place_on_the_page(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text("# Benchmarks\n\nOld.\n\n## The explorer\n\nQuick.\n\n## Goals\n\nNo section any more.\n")
    for _ in range(2):
        call = [str(tmp_path / "work"), "--rows", "2000", "--repeat", "1", "--output", str(page)]
        found = CliRunner().invoke(large.main, call, catch_exceptions=False)
        assert found.exit_code == 0, found.output
    text = page.read_text()
    assert text.startswith("# Benchmarks\n\n`python -m benchmarks` makes this page")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Large runs", "## The explorer"]
    assert text.endswith("\n\n## The explorer\n\nQuick.\n")
    assert "Old." not in text
    assert text.count("| topics lying together | ") == text.count("| rows scattered over the file | ") == 1
    assert "One run of 2,000 rows, 20 topics and 100 judgments" in " ".join(text.split())
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.integration
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks at /proc")
def test_all_processes_and_files_without_a_name_are_seen(tmp_path: Path) -> None:
    script = """
import subprocess, sys, tempfile, time
file = tempfile.TemporaryFile()
file.write(bytes(3_000_000)), file.flush()
child = "import time; held = bytearray(60_000_000); held[::4096] = bytes(len(held[::4096])); time.sleep(0.7)"
held = bytearray(40_000_000); held[::4096] = bytes(len(held[::4096]))
subprocess.run([sys.executable, "-c", child], check=True)
print("done")
"""
    # From a process of its own: what is measured begins as a copy of whoever measures.
    measuring = "import sys; from pathlib import Path; from benchmarks import large; "
    measuring += "print(large.measure([sys.executable, '-c', sys.argv[1]], Path(sys.argv[2])))"
    command = [sys.executable, "-c", measuring, script, str(tmp_path)]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    megabytes, disk = (float(re.search(rf"{name}=([\d.]+)", said)[1]) for name in ("megabytes", "disk"))  # type: ignore[index]
    assert "output='done'" in said
    assert 100 < megabytes < 250
    assert 2.5 < disk < 4


def test_what_fails_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailedError, match="no such thing"):
        large.measure([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path)


def test_it_is_one_command() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "benchmarks.large", "--help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "FOLDER" in said.stdout
