"""Judgments as records: the view of a log is what a replay gives, and nobody gets what another one holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cranfield.plumbing.errors import InputError
from cranfield.selection import Candidates, Judging
from cranfield.selection.records import (
    Added,
    Amended,
    Arrangement,
    Assessed,
    Changed,
    Event,
    Expired,
    Found,
    Leased,
    Log,
    Policy,
    Rationale,
    Records,
    Released,
    Retracted,
    in_order,
    merge,
)
from cranfield.selection.records.events import event_of
from cranfield.selection.records.log import ACTS

RUNS = {
    "x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0}, "2": {"a": 2.0, "e": 1.0}},
    "y": {"1": {"b": 9.0, "d": 8.0}, "2": {"f": 2.0, "a": 1.0}},
}
CANDIDATES = Candidates.gather(RUNS)
ASSESSORS = ["Ann", "Ben", "Cleo"]
POLICIES: list[Policy] = ["first", "majority", "mean", "adjudicated"]


def session() -> Judging:
    return Judging(CANDIDATES, "RBP(p=0.5)", method="C", top_grade=2)


def by_hand() -> list[Event]:
    """Three assessors judge a; b cannot be judged; no run has z; Ben's grade of a is amended, Cleo's retracted."""
    return [
        Assessed("j1", 10, "1", "a", 2, "Ann", method="C", weight=0.5, rationale=Rationale("names it", 3, 9)),
        Assessed("j2", 11, "1", "a", 0, "Ben"),
        Assessed("j3", 12, "1", "a", 1, "Cleo"),
        Assessed("j4", 13, "1", "b", None, "Ann", note="no text"),
        Assessed("j5", 14, "1", "z", -1, "Ann"),
        Amended("m1", 15, "j2", 1, "read again"),
        Retracted("r1", 16, "j3"),
    ]


def test_a_document_that_three_judged_by_hand() -> None:
    records = Records(by_hand())
    grades = {policy: records.grade("1", "a", policy) for policy in POLICIES}  # of Ann's 2, and Ben's 1 for 0
    assert grades == {"first": 2, "majority": None, "mean": 1.5, "adjudicated": None}
    assert records.undecided("majority") == [("1", "a")]
    assert records.to_qrels().rows() == [("1", "a", 2), ("1", "z", -1)]

    records.append(Retracted("r2", 17, "r1"))  # Cleo's 1 counts again
    grades = {policy: records.grade("1", "a", policy) for policy in POLICIES}
    assert grades == {"first": 2, "majority": 1, "mean": 4 / 3, "adjudicated": None}
    records.append(Assessed("j6", 18, "1", "a", 0, "Dora", settles=True))
    assert records.grade("1", "a", "adjudicated") == 0

    records.append(Retracted("r3", 19, "m1"))  # Ben's 0 is back
    assert records.grade("1", "a", "mean") == (2 + 0 + 1 + 0) / 4
    records.append(Retracted("r4", 20, "j1"))
    assert records.grade("1", "a", "first") == 0


def test_retracted_twice_is_retracted_once() -> None:
    judged, off = Assessed("j", 1, "1", "a", 1, "Ann"), Retracted("r1", 2, "j")
    records = Records([judged, off, Retracted("r2", 3, "r1"), Retracted("r3", 4, "r1")])
    assert records.grade("1", "a") == 1  # r1 does not count, whether one or two say so
    records.append(Retracted("r4", 5, "r3"))
    assert records.grade("1", "a") == 1
    records.append(Retracted("r5", 6, "r2"))
    assert records.grade("1", "a") is None


def test_who_judged_what() -> None:
    table = Records(by_hand()).judgments()
    assert table["event"].to_list() == ["j1", "j2", "j3", "j4", "j5"]
    assert table["relevance"].to_list() == [2, 1, 1, None, -1]
    assert table["note"].to_list() == ["", "read again", "", "no text", ""]
    assert table["counts"].to_list() == [True, True, False, True, True]
    assert table.row(0)[4:11] == ("Ann", 10, "C", 0.5, "", "names it", 3)


def test_the_session_hears_of_every_grade_that_changes() -> None:
    """RBP(p=0.5): a is first in x and not in y; a 2 of 2 gains 1/2, a 1 gains 1/4."""
    records = Records(judging=session())
    judging = records.judging
    assert judging is not None
    one = judging.candidates.topics.index("1")

    def base() -> list[float]:
        found: list[float] = judging.state.base[:, one].tolist()
        return found

    records.append(Assessed("j1", 1, "1", "a", 2, "Ann"))
    assert base() == [0.5, 0]
    records.append(Amended("m1", 2, "j1", 1))
    assert base() == [0.25, 0]
    records.append(Amended("m2", 3, "j1", None))  # cannot be judged after all: skipped
    assert base() == [0, 0]
    assert judging.history == [("1", "a", None)]
    records.append(Retracted("r1", 4, "m2"))
    records.append(Assessed("j2", 5, "1", "b", -2, "Ann"))  # judged, and not relevant
    records.append(Assessed("j3", 6, "1", "unseen", 2, "Ann"))
    assert base() == [0.25, 0]
    assert judging.history == [("1", "a", 1), ("1", "b", 0)]
    with pytest.raises(InputError, match=r"'j4' has grade 3, but the largest is 2"):
        records.append(Assessed("j4", 7, "1", "c", 3, "Ann"))
    assert len(records) == 6


def test_leases_by_hand() -> None:
    """Two judgments a document: what Ann has begun goes to Ben first, and to nobody twice."""
    records = Records(judging=Judging(CANDIDATES, "RBP(p=0.5)", method="A"), per_document=2)
    lease = records.lease("Ann", 2, id="l1", now=0, until=10)
    assert lease is not None
    assert lease.documents == (("2", "a"), ("1", "b"))  # 1/2 + 1/4 each; the smaller id comes first
    assert lease.weights == (0.75, 0.75)
    assert lease.method == "A"
    records.append(Assessed("j1", 1, "1", "b", 1, "Ann"))
    second = records.lease("Ben", 3, id="l2", now=2, until=12)
    assert second is not None
    assert second.documents == (("1", "b"), ("2", "a"), ("1", "a"))
    third = records.lease("Cleo", 9, id="l3", now=3, until=13, topics=["1"], exclude=[("1", "d")])
    assert third is not None
    assert third.documents == (("1", "a"), ("1", "c"))
    assert records.expire(id="x1", now=10) == Expired("x1", 10, ("l1",))  # Ann holds a of topic 2 no longer
    assert [held.document for held in records.held("Ann")] == []
    records.append(Released("f1", 11, "l2"))
    assert {held.assessor for held in records.held()} == {"Cleo"}
    with pytest.raises(InputError, match="no run has a topic '3'"):
        records.lease("Cleo", 9, id="l4", now=12, until=20, topics=["1", "3"])
    assert records.lease("Cleo", 9, id="l4", now=12, until=20, topics="1", exclude=[("1", "b"), ("1", "d")]) is None


def test_a_document_that_was_judged_without_a_lease_is_not_leased_beyond() -> None:
    judged = [Assessed("j1", 1, "2", "a", 0, "Ann"), Assessed("j2", 2, "2", "a", 1, "Ben")]
    records = Records(judged, policy="majority", judging=session())
    assert records.judging is not None
    assert records.judging.state.open[records.judging.candidates.place("2", "a")]  # undecided, and not to be chosen
    lease = records.lease("Cleo", 20, id="l", now=3, until=9)
    assert lease is not None
    assert {*lease.documents} == {("1", "a"), ("1", "b"), ("1", "c"), ("1", "d"), ("2", "e"), ("2", "f")}
    again = Records(judged[:1], per_document=2, judging=session())
    mine, theirs = (again.lease(who, 20, id=who, now=3, until=9) for who in ("Ann", "Ben"))
    assert mine is not None
    assert theirs is not None
    assert ("2", "a") not in mine.documents
    assert theirs.documents[0] == ("2", "a")


documents = st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("abcdefz"))
grades = st.none() | st.sampled_from([-1, 0, 0.5, 1, 2])


class Campaign(RuleBasedStateMachine):
    """Whatever happens: incremental is replay, and two assessors never hold the same document."""

    policy: Policy = "majority"
    per_document = 1

    def __init__(self) -> None:
        super().__init__()
        self.records = self.fresh()
        self.now = 0
        self.number = 0

    def fresh(self, events: Any = ()) -> Records:
        return Records(events, policy=self.policy, per_document=self.per_document, judging=session())

    def named(self) -> str:
        self.number += 1
        return f"e{self.number * 7919 % 1000:03}"  # ids do not rise

    def put(self, event: Event) -> None:
        self.records.append(event)

    def those(self, *kinds: type[Event]) -> list[str]:
        return [event.id for event in self.records if isinstance(event, kinds)]

    @rule(document=documents, grade=grades, who=st.sampled_from(ASSESSORS), late=st.integers(0, 3), last=st.booleans())
    def judge(self, document: tuple[str, str], grade: float | None, who: str, late: int, last: bool) -> None:
        self.put(Assessed(self.named(), self.now - late, *document, grade, who, settles=last))

    @rule(data=st.data(), grade=grades)
    def amend(self, data: st.DataObject, grade: float | None) -> None:
        if judged := self.those(Assessed):
            self.put(Amended(self.named(), self.now, data.draw(st.sampled_from(judged)), grade))

    @rule(data=st.data())
    def retract(self, data: st.DataObject) -> None:
        if some := self.those(Assessed, Amended, Retracted, Found, Added, Changed):
            self.put(Retracted(self.named(), self.now, data.draw(st.sampled_from(some))))

    @rule(who=st.sampled_from(ASSESSORS), n=st.integers(1, 3), length=st.integers(0, 5))
    def lease(self, who: str, n: int, length: int) -> None:
        expected = lease_twin(self.records, who, n)
        leased = self.records.lease(who, n, id=self.named(), now=self.now, until=self.now + length)
        assert ([] if leased is None else [*leased.documents]) == expected

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        if leases := self.those(Leased):
            self.put(Released(self.named(), self.now, data.draw(st.sampled_from(leases))))

    @rule(passed=st.integers(0, 4))
    def expire(self, passed: int) -> None:
        self.now += passed
        self.records.expire(id=self.named(), now=self.now)
        assert all(held.until > self.now for held in self.records.held())

    @property
    def most(self) -> int:
        """How many assessors have ever been asked for."""
        arranged = [event.arrangement for event in self.records if isinstance(event, Changed)]
        return max([self.per_document, *(2 for each in arranged if each is not None and each.twice)])

    @invariant()
    def no_document_is_held_twice(self) -> None:
        assert self.records.conflicts() == [] or self.most > self.per_document  # fewer were asked for later
        for held in self.records.held():
            engaged = {each.assessor for each in self.records.held() if each[:2] == held[:2]}
            assert len(engaged) <= self.most

    def teardown(self) -> None:
        events = [event_of(event.to_line()) for event in self.records]
        assert events == [*self.records]
        again = self.fresh(events)
        assert again.snapshot() == self.records.snapshot()
        assert again.judging is not None
        assert self.records.judging is not None
        here, there = again.judging.state, self.records.judging.state
        for mine, theirs in ((here.base, there.base), (here.known, there.known), (here.residual, there.residual)):
            assert mine.tobytes() == theirs.tobytes()
        assert self.fresh(merge(events)).snapshot() == self.records.snapshot()  # another order makes no difference
        assert json.loads(again.snapshot())["documents"] == twin(events, self.policy)


class Doubly(Campaign):
    """Two judgments a document, and grades that are means."""

    policy: Policy = "mean"
    per_document = 2


arrangements = st.builds(
    Arrangement,
    owners=st.sampled_from([{}, {"1": "Ann"}, {"1": ["Ann", "Ben"], "2": "Cleo"}]),
    whole_topics=st.booleans(),
    at_least=st.integers(0, 2),
    at_most=st.none() | st.integers(2, 4),
    twice=st.sampled_from([0, 0.5, 1]),
    blind=st.booleans(),
)
late_lists = st.dictionaries(
    st.sampled_from(["1", "2", "3"]), st.lists(st.sampled_from("abgh"), max_size=3, unique=True), min_size=1
)


class Together(Campaign):
    """Besides, runs join late, documents are found by hand, and the work is arranged otherwise again and again."""

    def put(self, event: Event) -> None:
        """What the session could not go on with is refused, and changes nothing."""
        before = self.records.snapshot(), len(self.records)
        try:
            self.records.append(event)
        except InputError as error:
            assert "but the largest is" in str(error) or "a run of that name exists" in str(error)
            assert (self.records.snapshot(), len(self.records)) == before

    @rule(document=documents, who=st.sampled_from(ASSESSORS))
    def find(self, document: tuple[str, str], who: str) -> None:
        self.put(Found(self.named(), self.now, *document, who, query="by hand"))

    @rule(run=st.sampled_from(["late", "later"]), lists=late_lists)
    def join(self, run: str, lists: Any) -> None:
        self.put(Added(self.named(), self.now, run, lists))

    @rule(
        method=st.sampled_from([None, "A", "C", "random"]),
        measure=st.sampled_from([None, "RBP(p=0.8)", "P@3"]),
        top=st.sampled_from([None, 1, 2, 3]),
        budget=st.sampled_from([None, 3, 100]),
        late=st.integers(0, 3),
    )
    def change(self, method: Any, measure: Any, top: Any, budget: Any, late: int) -> None:
        if (method, measure, top, budget) != (None, None, None, None):
            self.put(Changed(self.named(), self.now - late, method, measure, top, budget))

    @rule(arrangement=arrangements)
    def arrange(self, arrangement: Arrangement) -> None:
        self.put(Changed(self.named(), self.now, arrangement=arrangement))


TestCampaign = Campaign.TestCase
TestCampaign.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
TestDoubly = Doubly.TestCase
TestDoubly.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestTogether = Together.TestCase
TestTogether.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)


class Desk(NamedTuple):
    """What follows from events, by going through all of them."""

    changed: dict[str, Any]
    lists: dict[str, Any]
    since: dict[tuple[str, str], dict[str, tuple[float, str]]]
    """Who has judged or holds a document, and from when on."""
    found: dict[tuple[str, str], tuple[float, str]]


def desk_twin(events: list[Event]) -> Desk:
    """From the definition: what counts, event by event in the order of time."""

    def counts(event: Event) -> bool:
        return not any(counts(each) for each in events if isinstance(each, Retracted) and each.judgment == event.id)

    ended = {name for event in events if isinstance(event, Released | Expired) for name in event.names}
    desk = Desk({}, dict(RUNS), {}, {})
    for event in sorted(filter(counts, events), key=lambda event: (event.time, event.id)):
        at = (event.time, event.id)
        if isinstance(event, Changed):
            desk.changed.update(event.changes)
        elif isinstance(event, Added):
            ranked = {
                topic: {d: -float(rank) for rank, d in enumerate(those)} for topic, those in event.by_topic.items()
            }
            desk.lists[event.run] = ranked
        elif isinstance(event, Found):
            desk.found.setdefault((event.topic, event.document), at)
        elif isinstance(event, Assessed):
            desk.since.setdefault((event.topic, event.document), {}).setdefault(event.assessor, at)
        elif isinstance(event, Leased) and event.id not in ended:
            for document in event.documents:
                desk.since.setdefault(document, {}).setdefault(event.assessor, at)
    return desk


def order_twin(records: Records, desk: Desk) -> list[tuple[str, str]]:
    """List all that nobody has, in the order of a new session that is told what this one was."""
    order = Judging(
        desk.lists, desk.changed.get("measure", "RBP(p=0.5)"), method=desk.changed.get("method", "C"),
        top_grade=desk.changed.get("top_grade", 2),
    )  # fmt: skip
    assert records.judging is not None
    for topic, document, grade in records.judging.history:
        order.skip(topic, document) if grade is None else order.record(topic, document, grade)
    return [each[:2] for each in order.next(1000) if each[:2] not in {*desk.since, *desk.found}]


def lease_twin(records: Records, who: str, n: int) -> list[tuple[str, str]]:
    """From the definition, one document after the other: which ones are leased?"""
    desk = desk_twin([*records])
    since, found = desk.since, desk.found
    rules: Arrangement = desk.changed.get("arrangement", Arrangement())
    if "budget" in desk.changed:
        n = min(n, desk.changed["budget"] - sum(map(len, since.values())))
    fresh = order_twin(records, desk)
    chosen: list[tuple[str, str]] = []

    def first_hands(topic: str) -> list[str]:
        hands = [min(those, key=those.__getitem__) for (each, _), those in since.items() if each == topic]
        return hands + [who for each, d in chosen if each == topic and not since.get((each, d))]

    def hand(topic: str) -> str | None:
        hands = [each for each in first_hands(topic) if each in rules.owners_of.get(topic, ASSESSORS)]
        return min(hands, key=lambda each: (-hands.count(each), each), default=None)

    def may_begin(topic: str) -> bool:
        full = rules.at_most is not None and len(first_hands(topic)) >= rules.at_most
        mine = who in rules.owners_of.get(topic, ASSESSORS)
        return not full and mine and (not rules.whole_topics or hand(topic) in {None, who})

    when = {d: min([*since.get(d, {}).values(), *([found[d]] if d in found else [])]) for d in {*since, *found}}
    for document in sorted(when, key=lambda d: (when[d], d)):
        has = since.get(document, {})
        lacks = len(has) < rules.wanted(document, records.per_document) and who not in has
        if len(chosen) < n and lacks and (has or may_begin(document[0])):
            chosen.append(document)
    while len(chosen) < n and (left := [each for each in fresh if each not in chosen and may_begin(each[0])]):
        if rules.whole_topics:
            left = [each for each in left if hand(each[0]) == who] or left
        fewest = min(len(first_hands(topic)) for topic, _ in left)
        if fewest < rules.at_least:
            left = [each for each in left if len(first_hands(each[0])) == fewest]
        chosen.append(left[0])
    return sorted(chosen, key=rules.place) if rules.blind else chosen


def twin(events: list[Event], policy: Policy) -> list[Any]:
    """From the definition: an event counts if no event that counts retracts it."""

    def counts(event: Event) -> bool:
        return not any(counts(each) for each in events if isinstance(each, Retracted) and each.judgment == event.id)

    def when(event: Event) -> tuple[float, str]:
        return event.time, event.id

    judged: dict[tuple[str, str], list[Assessed]] = {}
    for event in sorted(events, key=when):
        if isinstance(event, Assessed) and counts(event):
            amendments = [each for each in events if isinstance(each, Amended) and each.judgment == event.id]
            last = max(filter(counts, amendments), key=when, default=event)
            judged.setdefault((event.topic, event.document), []).append(replace(event, grade=last.grade))
    found = []
    for key, those in sorted(judged.items()):
        people = {event.assessor for event in those}
        of_each = [[event.grade for event in those if event.assessor == who] for who in sorted(people)]
        lasts = [[grade for grade in grades if grade is not None][-1:] for grades in of_each]  # two of one are one's
        given = [grade for last in lasts for grade in last]
        grade: float | None = None
        if given and policy == "mean":
            grade = sum(given) / len(given)
        elif given:
            votes = sorted((given.count(each) for each in set(given)), reverse=True)
            grade = max(set(given), key=given.count) if len(votes) == 1 or votes[0] > votes[1] else None
        found.append([*key, grade, [[event.id, event.grade] for event in those]])
    return found


def judgment(name: int, time: int, document: tuple[str, str], grade: float | None) -> Assessed:
    return Assessed(str(name), time, *document, grade, "Ann")


judgments = st.builds(judgment, st.integers(0, 9), st.integers(0, 3), documents, grades)
offices = st.lists(judgments, max_size=6, unique_by=lambda event: event.id)


@given(offices, offices, offices)
@settings(max_examples=50)
def test_merging_in_any_order(first: list[Assessed], second: list[Assessed], third: list[Assessed]) -> None:
    a, b, c = (
        [replace(event, id=f"{office}{event.id}") for event in log]
        + [Retracted(f"{office}r", 0, f"{office}{log[0].id}")]
        if log
        else []
        for office, log in zip("abc", (first, second, third), strict=True)
    )
    whole = merge(a, b, c)
    assert whole == merge(c, b, a) == merge(merge(a, b), c) == merge(a, merge(b, c)) == merge(whole, whole, a)
    assert {event.id for event in whole} == {event.id for event in [*a, *b, *c]}
    Records(whole)  # each retraction comes after what it retracts, though its time is the earliest


def test_merged_offices_name_their_conflicts() -> None:
    here = [Leased("h", 0, "Ann", (("1", "a"), ("1", "b")), 9), Assessed("j", 1, "1", "b", 1, "Ann")]
    there = [Leased("t", 0, "Ben", (("1", "a"), ("1", "b")), 9)]
    conflicts = Records(merge(here, there)).conflicts()
    assert [[held.assessor for held in each] for each in conflicts] == [["Ann", "Ben"]]
    assert conflicts[0][0][:2] == ("1", "a")  # Ann has judged b, so that she holds it no longer
    with pytest.raises(InputError, match=r"different events of the same id: 'h'; ids"):
        merge(here, [Released("h", 3, "t")])
    with pytest.raises(InputError, match="each about the other"):
        in_order([Retracted("a", 0, "b"), Retracted("b", 0, "a")])


def test_a_log_is_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    records = Records(Log(path))
    for event in by_hand():
        assert records.append(event)
    assert not records.append(by_hand()[0])  # once is enough
    with pytest.raises(InputError, match="'q' \\(retracted\\) is about event 'nothing', which does not exist"):
        records.append(Retracted("q", 20, "nothing"))
    assert len(path.read_bytes().splitlines()) == len(by_hand())
    assert Records(Log(path)).snapshot() == records.snapshot()


def test_lines_of_a_judging_task_have_no_say_in_grades(tmp_path: Path) -> None:
    """The log that `cranfield judge export TASK log` writes has lines of its own among the events."""
    path = tmp_path / "task.jsonl"
    joined = json.dumps({"schema": ACTS, "event": "joined", "id": "p", "time": 1, "name": "Ann", "role": "assessor"})
    for end in ("", "\n"):  # the last line may lack its end
        path.write_text("\n".join([joined, by_hand()[0].to_line(), joined]) + end)
        log = Log(path)
        assert [*log] == by_hand()[:1]
        log.append(by_hand()[1])
        assert [*Log(path)] == by_hand()[:2]
    path.write_text(joined[:-1] + "\n")
    with pytest.raises(InputError, match="line 1: an event is one line of JSON"):
        Log(path)


def test_a_torn_line_that_cannot_be_set_aside_stays(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    path.write_bytes(b'{"sch')
    (tmp_path / "judging.jsonl.torn").mkdir()
    with pytest.raises(InputError, match="the torn line cannot be set aside"):
        Log(path, torn="aside")
    assert path.read_bytes() == b'{"sch'


def test_a_torn_last_line_loses_no_whole_one(tmp_path: Path) -> None:
    """Cut anywhere, the log has all lines before the cut; the rest is refused, or set aside and kept."""
    path, beside = tmp_path / "judging.jsonl", tmp_path / "judging.jsonl.torn"
    events = [Assessed("e1", 1, "1", "ä\n\u2028", 1, "Ann"), Assessed("e2", 2, "1", "ö", 0, "Ben")]
    data = b"".join(event.to_line().encode() + b"\n" for event in events)
    first = data.index(b"\n") + 1
    for end in [first, first + 1, data.index("ö".encode()) + 1, *range(len(data) - 3, len(data) + 1)]:
        path.write_bytes(data[:end])
        beside.unlink(missing_ok=True)
        if first < end < len(data) - 1:
            with pytest.raises(InputError, match=r"line 2: the last line is torn: .* 1 event before it is whole"):
                Log(path)
            assert path.read_bytes() == data[:end]
        log = Log(path, torn="aside")
        torn = first < end < len(data) - 1
        assert [*log] == events[: 1 if end < len(data) - 1 else 2]
        assert beside.exists() == torn
        if torn:
            assert beside.read_bytes() == data[first:end] + b"\n"
        log.append(Assessed("e3", 3, "1", "c", 0, "Ann"))
        assert [event.id for event in Log(path)] == [*(event.id for event in [*log][:-1]), "e3"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"schema": "cranfield.records/3"}, 'with "schema": "cranfield.records/2", or an earlier version'),
        ({"event": "felt"}, "unknown event 'felt'; known are assessed, amended"),
        ({"event": "leased"}, "lacks 'assessor'"),
        ({"x": 1}, "no field 'x'; its fields are id, time, judgment"),
        ({"id": ""}, "id of an event 'retracted' must be text"),
        ({"time": True}, "time of an event 'retracted' must be a number between"),
        ({"time": float("nan")}, "must be a number between"),
        ({"time": 10**400}, "must be a number between"),
        ({"judgment": "\ud800"}, "must be text that can be written"),
    ],
)
def test_a_line_that_is_no_event_is_refused_in_words(changed: dict[str, Any], told: str, tmp_path: Path) -> None:
    line = json.loads(Retracted("r", 1, "j").to_line()) | changed
    (tmp_path / "log.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(InputError, match="line 1: ") as raised:
        Log(tmp_path / "log.jsonl")
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("method", "renew_every", "scope"),
    [("A", 1, "topic"), ("B", 1, "topic"), ("C", 1, "topic"), ("C", 1, "system"), ("C", 3, "topic"),
     ("random", 1, "topic")],
)  # fmt: skip
def test_taken_back_is_never_recorded(method: str, renew_every: int, scope: Any) -> None:
    """The session goes on as one does that never had the record: to the last bit, and in the same order."""
    random = np.random.default_rng(7)
    runs = {
        run: {
            topic: dict(zip(map(str, random.permutation(400)[:300]), range(300, 0, -1), strict=True)) for topic in "12"
        }
        for run in "xyz"
    }
    candidates = Candidates.gather(runs)

    def fresh() -> Judging:
        return Judging(candidates, "RBP(p=0.95)", method=method, renew_every=renew_every, scope=scope, top_grade=1)

    judging = fresh()
    for number in range(31):
        chosen = judging.next()[0]
        if number % 7 == 3:
            judging.skip(chosen.topic, chosen.document)
        else:
            judging.record(chosen.topic, chosen.document, number % 3 / 2)
        if number % 4 == 2:
            judging.next()  # weighs all anew, so that what is taken back has to undo it
            taken = judging.history[int(random.integers(len(judging.history)))]
            judging.take_back(taken.topic, taken.document)
        if number % 3:
            continue
        again = Judging.from_dict(candidates, judging.to_dict())
        assert judging.state.base.tobytes() == again.state.base.tobytes()
        assert judging.state.known.tobytes() == again.state.known.tobytes()
        assert judging.state.residual.tobytes() == again.state.residual.tobytes()
        assert judging.state.order == again.state.order
        assert judging.next() == again.next()
    assert judging.next(5) == again.next(5)
    with pytest.raises(InputError, match="was not recorded"):
        judging.take_back(*judging.next()[0][:2])


def test_the_heaviest_one_is_chosen_again_after_it_was_taken_back() -> None:
    """Of 400 documents, the few that Method B weighs anew are chosen without the one that was judged."""
    judging = Judging({"x": {"1": {f"{rank:03}": -rank for rank in range(400)}}}, "RBP(p=0.95)", method="B")
    first, second = judging.next(2)
    judging.record(*first[:2], 1)
    assert judging.next(2)[0][:2] == second[:2]
    judging.take_back(*first[:2])
    assert judging.next() == [first]
