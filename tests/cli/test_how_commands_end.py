"""How commands end: with which exit status, and what they say in one line. Real processes, as a shell meets them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield.cli import main
from cranfield.cli._ending import REPORT
from cranfield.cli._output import Progress

COMMAND = [sys.executable, "-m", "cranfield"]
FULL = Path("/dev/full")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 r\n1 Q0 x 2 1 r\n2 Q0 b 1 2 r\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", [["evaluate", "qrels.txt", "r.run"], ["measures"], ["evaluate", "--help"]])
def test_a_full_output_is_said(here: Path, command: list[str]) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run([*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr == "cranfield: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the output")
def test_a_closed_output_is_said(here: Path) -> None:
    shell = f"{sys.executable} -m cranfield evaluate qrels.txt r.run >&-"
    done = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "cranfield: the output cannot be written: the standard output is closed",
    )


def test_a_reader_that_has_seen_enough_ends_it_quietly(here: Path) -> None:
    shell = f"{sys.executable} -m cranfield measures | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("adaptive user models\n", "")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_an_encoding_without_sigma(encoding: str) -> None:
    done = subprocess.run(
        [*COMMAND, "measures", "AP"], capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"of the relevant documents" in done.stdout


def test_a_bug_of_ours_is_reported_as_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("planted\nhere")

    monkeypatch.setattr("cranfield.scoring.evaluation.evaluate", broken)
    for arguments in (["evaluate", "qrels.txt", "r.run"], ["--debug", "evaluate", "qrels.txt", "r.run"]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 70
        last = done.stderr.splitlines()[-1]
        assert last.startswith("cranfield: RuntimeError: planted here (")
        assert last.endswith(REPORT)
        assert ("Traceback" in done.stderr) == ("--debug" in arguments)


def test_memory_that_is_not_there_is_no_bug(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("cranfield.scoring.evaluation.evaluate", greedy)
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run"])
    assert (done.exit_code, done.stderr) == (2, "cranfield: there is not enough memory for this\n")


def test_an_interrupt_says_how_to_go_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cranfield.experiments.work.Work.steps", interrupted)
    (here / "s.run").write_text("1 Q0 b 1 2 s\n2 Q0 a 1 2 s\n")
    done = CliRunner().invoke(
        main, ["experiment", "swap", "qrels.txt", "r.run", "s.run", "--top", "1", "--out", "found"]
    )
    assert done.exit_code == 130
    assert (
        done.stderr
        == "cranfield: interrupted; finished steps are kept in found, and the same command goes on from there\n"
    )


def test_where_nobody_looks_long_work_speaks_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("cranfield.cli._output.time.monotonic", lambda: clock[0])
    with Progress("runs") as progress:
        for done in range(1, 200):
            clock[0] += 1.0
            progress(done, 200)
    assert capsys.readouterr().err == "runs: 60 of 200\nruns: 120 of 200\nruns: 180 of 200\n"


FORKING = """
import multiprocessing, sys
import cranfield as cf

runs = {"table": {"r": [("1", "a", 1.0)]}, "dict": {"r": {"1": {"a": 1.0}}}}

def score(kind):
    try:
        return cf.evaluate({"1": {"a": 1}}, runs[kind], "AP").averages.tolist()
    except cf.CranfieldError as error:
        return str(error)

if __name__ == "__main__":
    method, first, kind = sys.argv[1:]
    if first == "after":
        score("table")
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(score, [kind]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("method", "first", "kind", "said"),
    [
        ("fork", "after", "table", "forked after cranfield had begun to work"),
        ("fork", "after", "dict", "[1.0]"),
        ("fork", "before", "table", "[1.0]"),
        ("spawn", "after", "table", "[1.0]"),
    ],
)
def test_forked_children_do_not_hang(tmp_path: Path, method: str, first: str, kind: str, said: str) -> None:
    (tmp_path / "script.py").write_text(FORKING)
    script = [sys.executable, str(tmp_path / "script.py"), method, first, kind]
    assert said in subprocess.run(script, capture_output=True, text=True, check=True, timeout=60).stdout
