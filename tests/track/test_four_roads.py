"""The same events give the same state by all roads: the library's session, records, a task's server, and sheets.

Judged, changed, taken back and skipped on a server; what it kept is told to each of the others.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tools.judging_desk import RUNS, new_task, works

from cranfield.app.judging.importing import imported
from cranfield.app.judging.task_folder import TaskSoFar
from cranfield.selection import Judging
from cranfield.selection.records import Log, Records, merge
from cranfield.track.judge_step import read_judgments

DOCUMENTS = [("1", "a"), ("1", "b"), ("1", "c"), ("2", "d"), ("2", "e"), ("1", "z")]
"""Those of the runs, and one that no run has."""
documents, grades = st.sampled_from(DOCUMENTS), st.sampled_from([None, 0, 1, 2])


def session() -> Judging:
    return Judging(RUNS, "RBP(p=0.5)", method="A", top_grade=2)


def state(judging: Judging) -> tuple[Any, ...]:
    """Return what is known, what was recorded in which order, and what comes next: to the last bit."""
    known = judging.state.base.tolist(), judging.state.residual.tolist(), judging.status().reasons
    return known, judging.history, judging.next(9), judging.state.open.tolist()


class Roads(RuleBasedStateMachine):
    """A task on a server, and all the others."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name)
        self.server, self.office = (works(new_task(home / name, policy="first"), prefix=name) for name in ("s", "o"))
        self.server.person("Ann")
        self.office.person("Ann")
        self.library = session()
        self.records = Records(judging=session())
        self.log = home / "log.jsonl"
        self.told = len([*self.server.desk.store.lines()])
        self.events: dict[tuple[str, str], str] = {}
        self.keys = 0

    def ask(self, name: str, **asked: Any) -> Any:
        """Ask the server, and tell the records and the other office, by a sheet, what it kept of that."""
        self.keys += 1
        self.server.clock.now += 1
        answer = self.server.ask("Ann", name, key=f"k{self.keys}", **asked)
        lines = [*self.server.desk.store.lines(self.told)]
        self.told += len(lines)
        with self.log.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
        for event in Log(self.log):
            self.records.append(event)
        imported(self.office.desk, "\n".join(lines), "sheet")
        return answer

    def tell(self, of: tuple[str, str], grade: float | None) -> None:
        """Tell the library."""
        if of[1] != "z":
            self.library.skip(*of) if grade is None else self.library.record(*of, grade)

    def take_back(self, of: tuple[str, str]) -> None:
        if of[1] != "z":
            self.library.take_back(*of)

    @rule(of=documents, grade=grades)
    def judge_or_change(self, of: tuple[str, str], grade: float | None) -> None:
        if of in self.events:
            same = self.records.counting(*of)[0].grade == grade
            self.ask("amend", event=self.events[of], grade=grade)
            if same:  # nothing changes, its place in the order neither
                return
            self.take_back(of)
        else:
            self.events[of] = self.ask("judge", topic=of[0], document=of[1], grade=grade)["event"]
        self.tell(of, grade)

    @rule(draw=st.data(), name=st.sampled_from(["undo", "retract"]))
    def take_one_back(self, draw: st.DataObject, name: str) -> None:
        if self.events:
            of = draw.draw(st.sampled_from([*self.events]))
            self.ask(name, event=self.events.pop(of))
            self.take_back(of)

    @rule(name=st.sampled_from(["release", "skip", "next"]), of=documents)
    def do_what_changes_no_grade(self, name: str, of: tuple[str, str]) -> None:
        self.ask(name, **({"topic": of[0], "document": of[1]} if name == "skip" else {}))

    @rule()
    def read_it_anew(self) -> None:
        """A session that was saved, logs that are merged, and what a track takes from the folder or the log."""
        copied = Judging.from_dict(self.library.candidates, self.library.to_dict())
        assert state(copied)[:2] == state(self.library)[:2]
        events = [*self.records]
        halves = events[: len(events) // 2], events[len(events) // 3 :]
        merged = Records(merge(*halves), judging=session())
        assert merged.judging is not None
        assert self.records.judging is not None
        assert state(merged.judging) == state(self.records.judging)
        qrels = self.records.to_qrels()
        assert TaskSoFar.read(self.server.desk.store.folder).records.to_qrels().equals(qrels)
        assert not self.log.exists() or read_judgments(self.log, "first").equals(qrels)

    @invariant()
    def all_know_the_same(self) -> None:
        held = [each[:2] for each in self.records.held() if each.document != "z"]
        for document in held:
            self.library.hold(*document)
        for road in (self.records, self.server.desk.board, self.office.desk.board):
            assert road.judging is not None
            assert state(road.judging) == state(self.library)
            assert road.snapshot() == self.records.snapshot()
        for document in held:
            self.library.hold(*document, held=False)

    def teardown(self) -> None:
        for each in (self.server, self.office):
            each.desk.close()
        self.folder.cleanup()


@pytest.mark.parametrize("examples", [4, pytest.param(100, marks=[pytest.mark.integration, pytest.mark.slow])])
def test_the_same_events_give_the_same_state_by_all_roads(examples: int) -> None:
    run_state_machine_as_test(Roads, settings=settings(max_examples=examples, stateful_step_count=15, deadline=None))
