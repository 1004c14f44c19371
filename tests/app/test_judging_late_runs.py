"""Runs that join a task that has begun, and pools that grow: nothing is lost, and judgments count for them at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tools.judging_desk import RUNS, new_task, snapshot, works

from cranfield.app.judging.importing import merged
from cranfield.app.judging.sheets import on_sheet
from cranfield.app.judging.task_board import TaskBoard
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import Candidates
from cranfield.selection.records import Added, Found, Records, Retracted
from cranfield.selection.records.events import Assessed


def write(path: Path, run: dict[str, str]) -> str:
    """Write a run: by topic its documents, a letter each."""
    lines = [f"{t} Q0 {d} {r} {9 - r} x\n" for t, documents in run.items() for r, d in enumerate(documents, 1)]
    path.write_text("".join(lines))
    return str(path)


def add(folder: Path, *runs: str) -> Result:
    return CliRunner().invoke(main, ["judge", "add", str(folder), "--runs", *runs])


def test_runs_join_and_what_is_judged_counts_for_them(tmp_path: Path) -> None:
    """Late has the judged b first and c second, by RBP(p=0.5): base 0.5 on one of two topics, so 0.25."""
    folder = new_task(tmp_path / "task")
    at = works(folder)
    at.person("Ann")
    at.ask("Ann", "next", key="n", n=1)
    at.judge("Ann", "1", "b", 2)
    at.desk.close()
    done = add(folder, write(tmp_path / "late.run", {"1": "bcx"}), write(tmp_path / "other.run", {"2": "d", "9": "q"}))
    assert done.exit_code == 0
    assert "added 2 runs: 1 document that no other run has" in done.output
    assert "warning: left out, not topics of this task: 9" in done.output
    at = works(folder, prefix="f")
    runs = {each["run"]: each["base"] for each in at.ask("Olga", "status")["runs"]}
    assert runs == {"x": 0.125, "y": 0.25, "late": 0.25, "other": 0.0}
    assert "x" in {each["document"] for each in at.ask("Ann", "next", key="m", n=9)["documents"]}
    replayed = TaskBoard(at.desk.task, Candidates.gather(RUNS), at.desk.store.lines())
    assert snapshot(replayed) == snapshot(at.desk.board)
    at.desk.close()


def test_what_cannot_join_is_refused_and_nothing_happens(tmp_path: Path) -> None:
    folder = new_task(tmp_path / "task")
    late, same = write(tmp_path / "late.run", {"1": "z"}), write(tmp_path / "x.run", {"1": "z"})
    other = write(tmp_path / "other.run", {"7": "z"})
    for runs, says in (
        ((late, same), "the task has a run 'x' already; give another one another name, as in NAME=FILE"),
        ((late, late), "two runs are named 'late'"),
        ((late, other), "run 'other' has no topic of this task"),
        ((str(tmp_path / "none.run"),), "none.run"),
    ):
        done = add(folder, *runs)
        assert (done.exit_code, says in done.output) == (2, True), done.output
    at = works(folder)
    assert at.desk.board.candidates.runs == ("x", "y")
    done = add(folder, late)  # the task is served
    assert (
        done.exit_code,
        "another process serves this task; end it first, since only one may write" in done.output,
    ) == (
        2,
        True,
    )
    at.desk.close()
    assert add(folder, late, f"second={same}").exit_code == 0
    assert "the task has a run 'late' already" in add(folder, late).output


def test_a_merged_log_adds_runs_of_the_tasks_topics_alone(tmp_path: Path) -> None:
    at = works(new_task(tmp_path / "task"))
    with pytest.raises(InputError, match="log, line 1: there is no topic '7'"):
        merged(at.desk, [("log", Added("a1", 1, "late", {"7": ["z"]}).to_line())])
    assert merged(at.desk, [("log", Added("a1", 1, "late", {"1": ["z"]}).to_line())]).taken == 1
    at.desk.close()


@pytest.fixture
def pooled(tmp_path: Path) -> Any:
    """Return a task in which only a and b of topic 1 are judged."""
    at = works(new_task(tmp_path / "task", among=[("1", "a"), ("1", "b")]))
    at.person("Ann")
    yield at
    replayed = TaskBoard(at.desk.task, Candidates.gather(RUNS), at.desk.store.lines())
    assert snapshot(replayed) == snapshot(at.desk.board)
    at.desk.close()


def handed(at: Any) -> list[str]:
    return [each["document"] for each in at.ask("Ann", "next", key=at.desk.fresh(), n=9)["documents"]]


def test_a_pool_is_judged_and_nothing_else_until_it_grows(pooled: Any) -> None:
    """Documents that are found join the pool: c, which a run has, and z, which none has."""
    at = pooled
    assert sorted(handed(at)) == ["a", "b"]
    for document in "ab":
        at.judge("Ann", "1", document, 1)
    assert handed(at) == []
    assert at.ask("Olga", "status")["left"] == 0
    found = [Found(f"p{name}", 1_000, "1", name, "Olga", "pool") for name in "cz"]
    at.desk.act("Olga", None, ("pool", None), lambda: at.desk.take(*found))
    assert at.ask("Olga", "status")["left"] == 1  # c; z is nobody's
    _, sheet = on_sheet(at.desk, "1", None, None, days=1)
    assert {each.document for each in sheet} == {"c", "z"}
    assert sorted(handed(at)) == ["c", "z"]
    at.judge("Ann", "1", "c", 2)
    # y has b (grade 1 of 2, 0.5) and c (2 of 2, 0.25) on one of two topics.
    assert {each["run"]: each["base"] for each in at.ask("Olga", "status")["runs"]}["y"] == (0.25 + 0.25) / 2
    judged = at.judge("Ann", "1", "z", 0)
    at.desk.act("Olga", None, ("r", None), lambda: at.desk.take(Retracted("r1", 1_000, judged)))
    assert handed(at) == ["z"]


def test_what_leaves_the_pool_again_is_as_if_it_had_never_come(pooled: Any) -> None:
    at = pooled
    before = at.desk.board.judging.state.open.tolist()
    at.desk.act("Olga", None, ("f", None), lambda: at.desk.take(Found("f1", 1_000, "1", "c", "Olga")))
    assert at.desk.board.judging.state.open.tolist() != before
    at.desk.act("Olga", None, ("r", None), lambda: at.desk.take(Retracted("f2", 1_000, "f1")))
    assert at.desk.board.judging.state.open.tolist() == before
    records: Records = at.desk.board
    judged = Assessed("j1", 1_001, "1", "c", 2, "Ann")  # judged, though it is not of the pool
    at.desk.act("Ann", None, ("j", None), lambda: at.desk.take(judged))
    assert records.judging is not None
    assert records.judging.state.base[1, 0] == 0.25
    at.desk.act("Olga", None, ("q", None), lambda: at.desk.take(Retracted("j2", 1_002, "j1")))
    assert at.desk.board.judging.state.open.tolist() == before
    added = Added("a1", 1_003, "late", {"1": ["q", "b"]})  # another session, over other candidates
    at.desk.act("Olga", None, ("a", None), lambda: at.desk.take(added))
    assert sorted(handed(at)) == ["a", "b"]
