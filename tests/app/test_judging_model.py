"""A task beside a plain model of it: several people, in several windows and on sheets, and a server that restarts.

What should be known is what each person said last of each document. Nothing is lost, nothing counts twice, and what
is refused changes nothing.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tools.judging_desk import Clock, new_task, snapshot, works

from cranfield.app.judging.acts import Skipped
from cranfield.app.judging.importing import imported
from cranfield.plumbing.errors import CranfieldError
from cranfield.selection.records.events import Amended, Assessed, Retracted

PEOPLE = ("Ann", "Ben", "Cleo")
DOCUMENTS = [("1", "a"), ("1", "b"), ("1", "c"), ("2", "d"), ("2", "e"), ("1", "z")]
"""Those of the runs, and one that is found by search."""
YEAR = 365 * 86_400
people, documents = st.sampled_from(PEOPLE), st.sampled_from(DOCUMENTS)
grades = st.sampled_from([None, 0, 1, 2])


class Office(RuleBasedStateMachine):
    """The task, and what should be known of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock(1_000_000.0)
        self.opening = 0
        self.at = works(new_task(Path(self.folder.name) / "task", per_document=2, lease=5), self.clock)
        for name in PEOPLE:
            self.at.person(name)
        self.keys = 0
        self.said: dict[tuple[str, tuple[str, str]], dict[str, tuple[float | None, str]]] = {}
        self.settled: dict[tuple[str, str], dict[str, float | None]] = {}
        self.sent: list[tuple[str, str, dict[str, Any], Any]] = []
        self.windows: dict[str, list[tuple[str, str, tuple[str, str]]]] = {name: [] for name in PEOPLE}
        self.sheets: list[tuple[str, list[str]]] = []
        self.out: set[str] = set()

    def ask(self, who: str, name: str, /, **asked: Any) -> Any:
        """Ask as a page does; None where it is refused, and then nothing may have changed."""
        if who in self.out:  # the door refuses them
            return None
        self.keys += 1
        asked["key"] = f"k{self.keys}"
        before = snapshot(self.at.desk.board), self.at.desk.board.spent
        try:
            answer = self.at.ask(who, name, **asked)
        except CranfieldError:
            held = len(self.at.desk.board.held())
            after = snapshot(self.at.desk.board), self.at.desk.board.spent
            assert before == after or held <= before[1]  # a lease may have ended meanwhile
            return None
        self.sent.append((who, name, asked, answer))
        return answer

    def own(self, who: str) -> dict[str, tuple[str, str]]:
        """Return somebody's judgments that count, and of which documents they are."""
        return {event: of for (name, of), known in self.said.items() if name == who for event in known}

    @rule(who=people, n=st.integers(1, 3), topic=st.none() | st.sampled_from("12"))
    def next(self, who: str, n: int, topic: str | None) -> None:
        answer = self.ask(who, "next", n=n, topic=topic)
        for each in answer["documents"] if answer else ():
            assert not self.said.get((who, (each["topic"], each["document"])))

    @rule(who=people, of=documents, grade=grades, note=st.sampled_from(["", "a note"]))
    def judge(self, who: str, of: tuple[str, str], grade: float | None, note: str) -> None:
        answer = self.ask(who, "judge", topic=of[0], document=of[1], grade=grade, note=note)
        if answer is not None:
            known = self.said.get((who, of), {})  # one judgment of a document, whatever the window
            assert list(known) in ([], [answer["event"]])
            if known:
                assert known[answer["event"]] == (grade, note) or (note == "" and known[answer["event"]][0] == grade)
                self.windows[who].append((f"k{self.keys}", answer["event"], of))
                return
            self.said.setdefault((who, of), {})[answer["event"]] = grade, note
            self.windows[who].append((f"k{self.keys}", answer["event"], of))

    @rule(who=people, draw=st.data())
    def undo(self, who: str, draw: st.DataObject) -> None:
        """Take back what a window sent, perhaps not what was sent last of all."""
        if not self.windows[who]:
            assert self.ask(who, "undo", of="never sent") is None
            return
        key, event, of = draw.draw(st.sampled_from(self.windows[who]))
        counts = event in self.said.get((who, of), {})
        answer = self.ask(who, "undo", of=key)
        assert (answer is not None) == (counts and who not in self.out)
        if answer is not None:
            assert (answer["topic"], answer["document"]) == of
            del self.said[who, of][event]

    @rule(who=people, grade=grades, note=st.none() | st.just("another"), draw=st.data())
    def amend(self, who: str, grade: float | None, note: str | None, draw: st.DataObject) -> None:
        own = self.own(who)
        event = draw.draw(st.sampled_from([*own, "none"]))
        answer = self.ask(who, "amend", event=event, grade=grade, note=note)
        assert (answer is not None) == (event in own and who not in self.out)
        if answer is not None:
            known = self.said[who, own[event]]
            known[event] = grade, known[event][1] if note is None else note

    @rule(who=people, draw=st.data())
    def retract(self, who: str, draw: st.DataObject) -> None:
        own = self.own(who)
        event = draw.draw(st.sampled_from([*own, "none"]))
        if self.ask(who, "retract", event=event) is not None:
            del self.said[who, own[event]][event]

    @rule(who=people, of=documents, name=st.sampled_from(["skip", "flag", "take"]))
    def aside(self, who: str, of: tuple[str, str], name: str) -> None:
        self.ask(who, name, topic=of[0], document=of[1])

    @rule(of=documents, grade=grades)
    def settle(self, of: tuple[str, str], grade: float | None) -> None:
        answer = self.ask("Olga", "adjudicate", topic=of[0], document=of[1], grade=grade)
        if answer is not None:
            self.settled.setdefault(of, {})[answer["event"]] = grade

    @precondition(lambda self: any(self.settled.values()))
    @rule(draw=st.data())
    def unsettle(self, draw: st.DataObject) -> None:
        of = draw.draw(st.sampled_from([each for each, known in self.settled.items() if known]))
        event = [*self.settled[of]][-1]
        if self.ask("Olga", "undo", event=event) is not None:
            del self.settled[of][event]

    @precondition(lambda self: self.sent)
    @rule(draw=st.data())
    def send_again(self, draw: st.DataObject) -> None:
        """An answer that was lost on its way: under the same key the same one comes, and nothing happens."""
        who, name, asked, answer = draw.draw(st.sampled_from(self.sent[-8:]))
        if who in self.out:
            return
        before = self.at.desk.sequence
        assert self.at.ask(who, name, **asked) == answer
        assert self.at.desk.sequence == before

    @rule(
        who=people,
        of=documents,
        acts=st.lists(grades, min_size=1, max_size=3),
        ahead=st.sampled_from([0, 0, YEAR]),
        end=st.booleans(),
    )
    def judge_on_a_sheet(
        self, who: str, of: tuple[str, str], acts: list[float | None], ahead: float, *, end: bool
    ) -> None:
        """Skipped, judged, changed, and perhaps taken back, offline; by a clock that may be a year ahead."""
        self.keys += 1
        name, now = f"sheet{self.keys}", self.clock.now + ahead
        lines = [
            Skipped(f"{name}-s", now, *of, who, "").to_line(),
            Assessed(f"{name}-0", now + 1, *of, acts[0], who).to_line(),
        ]
        lines += [
            Amended(f"{name}-{at}", now + 1 + at, f"{name}-0", grade).to_line() for at, grade in enumerate(acts[1:], 1)
        ]
        lines += [Retracted(f"{name}-r", now + 9, f"{name}-0").to_line()] if end else []
        self.clock.now += 10
        self.sheets.append((who, lines))

    @precondition(lambda self: self.sheets)
    @rule(draw=st.data(), twice=st.booleans())
    def a_sheet_comes_back(self, draw: st.DataObject, *, twice: bool) -> None:
        who, lines = draw.draw(st.sampled_from(self.sheets))
        self.sheets.remove((who, lines))
        for _ in range(1 + twice):
            imported(self.at.desk, "\n".join(lines), "sheet")
        judged, last = json.loads(lines[1]), json.loads(lines[-1])
        if last["event"] != "retracted":
            known = self.said.setdefault((who, (judged["topic"], judged["document"])), {})
            known[judged["id"]] = last["grade"], last["note"]

    @rule(who=people)
    def leave(self, who: str) -> None:
        """Somebody is let in no longer; what she did stays, and nobody has what she had at hand."""
        assert self.ask("Olga", "people_revoke", name=who) is not None
        self.out.add(who)
        # A link that was revoked is not given again.
        self.sent = [each for each in self.sent if (each[1], each[2].get("name")) != ("people", who)]
        assert self.at.desk.board.at_hand(who) == []

    @rule(who=people, topics=st.sampled_from([None, [], ["1"]]))
    def come_back(self, who: str, topics: list[str] | None) -> None:
        self.ask("Olga", "people", name=who, role="assessor", topics=topics)
        self.out.discard(who)

    @rule(giver=people, taker=people)
    def hand_on(self, giver: str, taker: str) -> None:
        before = {*self.at.desk.board.allowed(taker)}
        if self.ask("Olga", "people_hand", **{"from": giver, "to": taker}) is not None:
            assert before <= {*self.at.desk.board.allowed(taker)}

    @rule(seconds=st.sampled_from([0.0, 30.0, 400.0, -50.0]))
    def time_goes(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule()
    def restart(self) -> None:
        before, sequence = snapshot(self.at.desk.board), self.at.desk.sequence
        self.at.desk.close()
        self.opening += 1
        self.at = works(Path(self.folder.name) / "task", self.clock, f"o{self.opening}-")
        assert (snapshot(self.at.desk.board), self.at.desk.sequence) == (before, sequence)

    @invariant()
    def what_is_known_is_what_was_said(self) -> None:
        board = self.at.desk.board
        for of in DOCUMENTS:
            counting = {each.judged.id: each for each in board.counting(*of)}
            lasts: list[float] = []
            for who in PEOPLE:
                known = self.said.get((who, of), {})
                own = {name: each for name, each in counting.items() if each.judged.assessor == who}
                assert {name: (each.grade, each.note) for name, each in own.items()} == known
                graded = [each.grade for each in own.values() if each.grade is not None]
                lasts += graded[-1:]
            settled = [*self.settled.get(of, {}).values()]
            wanted = settled[-1] if settled else lasts[0] if len(set(lasts)) == 1 else None
            assert board.grade(*of) == wanted

    @invariant()
    def nobody_has_what_is_not_theirs(self) -> None:
        board = self.at.desk.board
        assert {name for name, each in board.people.items() if not each.active} == self.out
        assert board.conflicts() == []
        for each in board.held():
            assert each.assessor not in self.out

    def teardown(self) -> None:
        self.at.desk.close()
        self.folder.cleanup()


@pytest.mark.parametrize("examples", [6, pytest.param(150, marks=[pytest.mark.integration, pytest.mark.slow])])
def test_a_task_is_what_a_plain_model_says(examples: int) -> None:
    run_state_machine_as_test(Office, settings=settings(max_examples=examples, stateful_step_count=30, deadline=None))
