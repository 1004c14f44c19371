"""How commands end: with which exit status, and what they say in one line."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield.__main__ import LOADED, _look_for_garbage_later
from cranfield.cli import main
from cranfield.cli._ending import PLEASE_REPORT
from cranfield.cli._output import Progress


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 r\n1 Q0 x 2 1 r\n2 Q0 b 1 2 r\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_garbage_is_looked_for_as_usual_once_a_command_is_loaded() -> None:
    usual, callbacks = gc.get_threshold(), len(gc.callbacks)
    _look_for_garbage_later()
    assert gc.get_threshold()[0] == LOADED
    held = [[number] for number in range(2 * LOADED)]
    assert (len(held), gc.get_threshold(), len(gc.callbacks)) == (2 * LOADED, usual, callbacks)


@pytest.mark.parametrize(
    ("extra", "said"),
    [(["r.run"], "argument (r.run)"), (["a", "b"], "arguments (a b)"), (list("abcdef"), "arguments (a b ...)")],
)
def test_a_folder_of_files_where_none_belongs_is_not_read_out(extra: list[str], said: str) -> None:
    done = CliRunner().invoke(main, ["choose", *extra])
    assert done.stderr == f"cranfield: got unexpected extra {said} (see `cranfield choose --help`)\n"


def test_a_command_of_two_runs_says_so(here: Path) -> None:
    """Where one is named, or the folder of both, which is one word."""
    runs = here / "runs"
    runs.mkdir()
    for name in "ab":
        (runs / f"{name}.run").write_text("1 Q0 a 1 1 t\n")
    for given in ("runs", "r.run"):
        done = CliRunner().invoke(main, ["why", "qrels.txt", given])
        assert done.stderr == "cranfield: this command takes 2 runs\n"


@pytest.mark.parametrize("size", ["abc", "-1", "nan"])
def test_a_size_of_memory_that_is_none(here: Path, monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    monkeypatch.setenv("CRANFIELD_MEMORY", size)
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run"])
    assert done.exit_code == 2
    assert done.stderr == f"cranfield: CRANFIELD_MEMORY in the environment must be a size such as 16G, not {size!r}\n"


def test_threads_that_the_system_does_not_allow(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An administrator has no such limit, so that it cannot be set here."""

    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refused)
    monkeypatch.delitem(sys.modules, "polars")  # as a command begins
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "the system allows 0 (ulimit -u or -v)" in done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("can't start new thread"), "the system allows no more threads (see ulimit -u)"),
        (ImportError("lib.so: failed to map segment from shared object"), "not enough memory"),
        (OSError(24, "Too many open files"), "too many open files (see ulimit -n)"),
    ],
)
def test_limits_that_are_met_midway(here: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("cranfield.scoring.evaluation.evaluate", failing)
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


def test_a_library_of_measures_that_cannot_be_loaded(here: Path) -> None:
    (here / "broken.so").write_text("no library")
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run", "--measures-from", "broken.so"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("cranfield: broken.so: ImportError: ")


def test_a_reader_that_has_seen_enough_ends_it_quietly(here: Path) -> None:
    shell = f"{sys.executable} -m cranfield measures | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("The twenty most used\n", "")


def test_a_bug_of_ours_is_reported_as_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("planted\nhere")

    monkeypatch.setattr("cranfield.scoring.evaluation.evaluate", broken)
    for arguments in (["evaluate", "qrels.txt", "r.run"], ["--debug", "evaluate", "qrels.txt", "r.run"]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 70
        last = done.stderr.splitlines()[-1]
        assert last.startswith("cranfield: RuntimeError: planted here (")
        assert last.endswith(PLEASE_REPORT)
        assert ("Traceback" in done.stderr) == ("--debug" in arguments)


def test_memory_that_is_not_there_is_no_bug(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("cranfield.scoring.evaluation.evaluate", greedy)
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "r.run"])
    assert (done.exit_code, done.stderr) == (2, "cranfield: not enough memory\n")


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
        done.stderr == "cranfield: interrupted; finished steps are kept in found; the same command resumes from there\n"
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
