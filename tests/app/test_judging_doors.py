"""One session by its four doors: the library, a log taken up again, the server, a sheet. All say the same of it."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tools.judging_desk import RUNS, Clock, Works, new_task, works

from cranfield.app.judging.desk import AbsentError, ConflictError
from cranfield.app.judging.exporting import exported
from cranfield.app.judging.importing import imported
from cranfield.app.judging.task_board import TaskBoard
from cranfield.app.judging.task_status import agreement_of
from cranfield.selection import Candidates, Judging
from cranfield.selection.records import Assessed, Found, Leased, Log, Records

PEOPLE = ("Ann", "Ben", "Cleo")
ACTS = st.tuples(
    st.sampled_from(["next", "judge", "sheet", "retract", "take", "settle", "skip"]),
    st.sampled_from(PEOPLE[:2]),
    st.sampled_from([("1", "a"), ("1", "b"), ("1", "c"), ("2", "d"), ("2", "e"), ("1", "z")]),
    st.sampled_from([None, 0, 1, 2]),
)
HERS = [("judge", "Ann", ("1", "b"), 1), ("judge", "Ben", ("1", "b"), 0), ("sheet", "Ann", ("1", "b"), None)]
"""What Ann graded before she said on a sheet that it cannot be judged: Ben grades it otherwise."""


def done(at: Works, number: int, act: str, who: str, of: tuple[str, str], grade: float | None) -> None:
    """Do one thing, as far as it can be done as things stand."""
    key = at.desk.fresh()
    asked: dict[str, Any] = {"key": key, "topic": of[0], "document": of[1]}
    if act == "sheet":
        judged = Assessed(f"sheet{number}", at.desk.time, *of, grade, who)
        imported(at.desk, judged.to_line(), "sheet")
    elif act == "settle":
        at.ask("Olga", "adjudicate", grade=grade, **asked)
    elif act == "retract":
        own = at.desk.board.counting_of(who)
        at.ask(who, "retract", key=key, event=own[-1].judged.id if own else "none")
    elif act == "next":
        at.ask(who, act, n=2)
    else:
        at.ask(who, act, **asked | ({"grade": grade} if act == "judge" else {}))


@pytest.mark.parametrize("examples", [2, pytest.param(150, marks=[pytest.mark.integration, pytest.mark.slow])])
def test_a_session_is_the_same_by_each_door(examples: int) -> None:
    by_each_door = given(st.lists(ACTS, min_size=4, max_size=14))(example(HERS)(is_the_same_by_each_door))
    settings(max_examples=examples, deadline=None)(by_each_door)()


def is_the_same_by_each_door(acts: list[tuple[str, str, tuple[str, str], float | None]]) -> None:
    with TemporaryDirectory() as folder, ExitStack() as opened:
        clock = Clock()
        at, other = (
            works(new_task(Path(folder) / name, per_document=2, method="C"), clock, name) for name in ("task", "other")
        )
        for each in (at, other):
            opened.enter_context(closing(each.desk))
            for name in PEOPLE:
                each.person(name)
        for number, act in enumerate(acts):
            clock.now += 1
            try:
                done(at, number, *act)
            except (AbsentError, ConflictError):
                continue
        log = exported(at.desk, "log").content
        (Path(folder) / "log.jsonl").write_text(str(log))
        imported(other.desk, str(log), "sheet")
        board, task, candidates = at.desk.board, at.desk.task, Candidates.gather(RUNS)
        records = Records(
            Log(Path(folder) / "log.jsonl"), policy=task.policy, per_document=2, judging=task.judging(candidates)
        )
        replayed = TaskBoard(task, candidates, at.desk.store.lines())
        for there in (records, replayed, other.desk.board):
            assert_same(board, there)
        assert_is_what_the_library_says(board, task.judging(candidates))
        status = at.ask("Olga", "status")
        assert (status["spent"], status["unsettled"]) == (records.spent, len(records.undecided()))
        assert status["agreement"] == asdict(agreement_of(records.by_several().values()))
        leases = [
            [(each["topic"], each["document"]) for each in desk.ask("Cleo", "next", n=9)["documents"]]
            for desk in (at, other)
        ]
        skipping = records.lease("Cleo", 9, id="l", now=clock.now + 1, until=clock.now + 2)
        assert leases == [[] if skipping is None else [*skipping.documents]] * 2


def assert_same(here: Records, there: Records) -> None:
    """Nothing that follows from the events differs: grades, hands, what is owed, what comes next, for whom."""
    assert here.snapshot() == there.snapshot()
    assert (here.made, here.spent, here.conflicts()) == (there.made, there.spent, there.conflicts())
    assert here.by_several() == there.by_several()
    assert here.judging is not None
    assert there.judging is not None
    assert here.judging.state.base == pytest.approx(there.judging.state.base)
    assert here.judging.state.residual == pytest.approx(there.judging.state.residual)
    assert [each[:2] for each in here.judging.next(9)] == [each[:2] for each in there.judging.next(9)]
    for topic in RUNS["x"]:
        assert here.for_anybody(topic) == there.for_anybody(topic)
        assert [here.partly(who, [topic]) for who in PEOPLE] == [there.partly(who, [topic]) for who in PEOPLE]


def assert_is_what_the_library_says(board: Records, judging: Judging) -> None:
    """A session without records, told of the grades, and of who has what, goes on in the same way."""
    for topic, document in board.documents():
        if judging.candidates.find(topic, document) is None:
            continue
        said, grade = board.counting(topic, document), board.grade(topic, document)
        if grade is not None:
            judging.record(topic, document, grade)
        elif said and (topic, document) not in board.undecided():
            judging.skip(topic, document)
    for topic, document in [*board.engaged(), *board.found()]:
        if judging.candidates.find(topic, document) is not None:
            judging.hold(topic, document)
    assert board.judging is not None
    assert [each[:2] for each in judging.next(9)] == [each[:2] for each in board.judging.next(9)]
    assert judging.state.base == pytest.approx(board.judging.state.base)
    known, expected = board.judging.status(), judging.status()
    assert (known.judged, known.relevant, known.skipped, known.remaining) == (
        expected.judged, expected.relevant, expected.skipped, expected.remaining
    )  # fmt: skip


def test_what_cannot_be_judged_replaces_no_grade_by_either_door(tmp_path: Path) -> None:
    """Ann graded b 1 and, on a sheet, says that it cannot be judged; Ben gives 0: undecided, and the server says so."""
    at = works(new_task(tmp_path / "task", per_document=2))
    with closing(at.desk):
        for name in PEOPLE:
            at.person(name)
        for number, act in enumerate(HERS):
            done(at, number, *act)
        board = at.desk.board
        assert board.undecided() == [*board.by_several()] == [("1", "b")]
        [differ] = at.ask("Olga", "disputes")["disagreements"]
        assert [each["grade"] for each in differ["grades"]] == [1, 0]
        assert (differ["is_settled"], at.ask("Olga", "status")["unsettled"]) == (False, 1)
        done(at, 9, "settle", "Olga", ("1", "b"), 0)
        assert board.undecided() == []
        [differ] = at.ask("Olga", "disputes")["disagreements"]
        assert (differ["is_settled"], differ["settled"], at.ask("Olga", "status")["unsettled"]) == (True, 0, 0)


def test_what_no_run_has_is_judged_once_it_has_a_grade(tmp_path: Path) -> None:
    """As of what runs have: that a document cannot be judged is no judgment of it."""
    at = works(new_task(tmp_path / "task"))
    with closing(at.desk):
        at.person("Ann")
        for document in ("b", "z"):
            event = at.judge("Ann", "1", document, None)
            assert (at.ask("Olga", "status")["judged"], at.desk.progress("Ann", "1").judged) == (0, 0)
        at.ask("Ann", "amend", key="k", event=event, grade=1)
        assert (at.ask("Olga", "status")["judged"], at.desk.progress("Ann", "1").judged) == (1, 1)


def test_what_is_made_is_counted_by_person_however_many_leases_there_are() -> None:
    """Ann judged a, and has b at hand twice, since two offices leased it to her."""
    leases = [Leased(name, 1, "Ann", (("1", "b"),), 9) for name in ("l1", "l2")]
    records = Records([Assessed("j", 1, "1", "a", 1, "Ann"), *leases])
    assert (records.made, records.spent, len(records.held())) == (1, 2, 2)


def test_what_was_found_comes_in_the_order_of_finding_on_a_sheet_as_on_lease() -> None:
    found = [Found("f1", 1, "1", "z", "Ann"), Found("f2", 2, "1", "y", "Ann")]
    records = Records(found, judging=Judging(RUNS))
    assert records.for_anybody("1", 2) == ["z", "y"]
    leased = records.lease("Ben", 2, id="l", now=3, until=9)
    assert leased is not None
    assert [document for _, document in leased.documents] == ["z", "y"]
