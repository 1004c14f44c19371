"""How many threads work: as many as the environment or --jobs says, and one for matrices."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import polars as pl
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing import threads

COUNTED = """
import threading, sys
from cranfield.cli import main
main(sys.argv[1:], standalone_mode=False)
import polars, threadpoolctl
print("counted:", polars.thread_pool_size(), *(each["num_threads"] for each in threadpoolctl.threadpool_info()))
"""


def counted(*arguments: str, **environment: str) -> list[str]:
    inherited = {name: value for name, value in os.environ.items() if "_THREADS" not in name}
    command = [sys.executable, "-c", COUNTED, *arguments, "experiment", "axioms", "-m", "P@2", "--quiet"]
    done = subprocess.run(
        [*command, "--longest", "2", "--random", "2", "--largest", "2"],
        env=inherited | environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    [line] = [line for line in done.stdout.splitlines() if line.startswith("counted:")]
    return line.split()[1:]


def test_a_command_has_one_thread_for_matrices_and_as_many_for_tables_as_it_is_given() -> None:
    assert counted("--jobs", "3") == ["3", "1"]
    assert counted(CRANFIELD_THREADS="2", OPENBLAS_NUM_THREADS="2") == ["2", "2"]  # what is said already stays


NEVER_CLOSED = """
from cranfield.plumbing import threads
found = threads.in_turn(str, iter(int, 1), workers=2, most_ahead=4)
assert next(found) == "0"
"""


def test_threads_that_nobody_ends_are_ended_with_the_process() -> None:
    subprocess.run([sys.executable, "-c", NEVER_CLOSED], check=True, timeout=60)


def test_what_is_closed_leaves_no_thread() -> None:
    found = threads.in_turn(str, iter(int, 1), workers=2, most_ahead=4)
    assert [next(found) for _ in range(9)] == ["0"] * 9
    working = [thread for thread in threading.enumerate() if thread.name.startswith("cranfield_")]
    found.close()
    assert len(working) == 2
    assert not any(thread.is_alive() for thread in working)


def test_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(threads.THREADS_VARIABLE, raising=False)
    assert threads.readers() == min(threads.processors(), 8) + 1
    monkeypatch.setenv(threads.THREADS_VARIABLE, "1")
    assert (threads.readers(), threads.allowed()) == (1, 1)
    monkeypatch.setenv(threads.THREADS_VARIABLE, "none")
    with pytest.raises(cf.InputError, match="CRANFIELD_THREADS in the environment must be 1 or more, not 'none'"):
        cf.evaluate({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["a"]}}, "AP")


@pytest.mark.parametrize(("rows", "workers", "several"), [(1000, None, False), (1000, 2, True), (1001, None, True)])
def test_short_runs_in_memory_need_no_thread(
    monkeypatch: pytest.MonkeyPatch, rows: int, workers: int | None, several: bool
) -> None:
    started: list[threading.Thread] = []

    def start(thread: threading.Thread) -> None:
        started.append(thread)
        original(thread)

    original = threading.Thread.start
    monkeypatch.delenv(threads.THREADS_VARIABLE, raising=False)
    monkeypatch.setattr(threading.Thread, "start", start)
    lists = {"1": [f"d{n}" for n in range(rows)]}
    for runs in ({"r": lists, "s": lists}, {name: cf.read_run(lists) for name in "rs"}):
        started.clear()
        assert cf.evaluate({"1": {"d0": 1}}, runs, "RR", workers=workers).averages.tolist() == [[1.0, 1.0]]
        assert (len(started) > 1) == several


def test_experiments_use_one_thread_for_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(threads.MATRICES[0], raising=False)
    seen: list[int] = []

    def looked(*given: object) -> pl.DataFrame:
        seen.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        found: pl.DataFrame = original(*given)
        return found

    module = sys.modules["cranfield.experiments.dominance"]  # the package has the experiment under this name
    original = module._chance
    monkeypatch.setattr(module, "_chance", looked)
    runs = cf.join({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["b"]}, "s": {"1": ["b", "a"], "2": ["a"]}})
    with threadpool_limits(2, user_api="blas"):  # the tests themselves have one
        EXPERIMENTS["dominance"](runs, resamples=10)
        assert {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"} == {2}
    assert seen
    assert set(seen) == {1}
