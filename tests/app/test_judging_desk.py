"""What is done at a desk: judged, changed, taken back, handed on. Nothing twice, and a replay gives all."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.judging_desk import RUNS, TEXTS, TOPICS, Clock, Works, new_task, snapshot, texts, works

from cranfield.app.judging.acts import Flagged, Skipped
from cranfield.app.judging.desk import MINUTE, AbsentError, ConflictError
from cranfield.app.judging.exporting import exported
from cranfield.app.judging.importing import imported, simulated
from cranfield.app.judging.organising import add_runs
from cranfield.app.judging.sheets import on_sheet
from cranfield.app.judging.task import Task, scale_of
from cranfield.app.judging.task_board import TaskBoard
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.scoring.judged_runs import join
from cranfield.selection.candidates import Candidates
from cranfield.selection.records.events import Amended, Assessed
from cranfield.selection.simulation import Simulation
from cranfield.selection.state import weighted_measure
from cranfield.selection.topic_audit import BY_AUDIT


@pytest.fixture
def open_(tmp_path: Path) -> Iterator[Callable[..., Works]]:
    opened: list[Works] = []

    def make(**given: Any) -> Works:
        at = works(new_task(tmp_path / f"task{len(opened)}", **given))
        for name in ("Ann", "Ben"):
            at.person(name)
        opened.append(at)
        return at

    yield make
    for each in opened:
        replayed = TaskBoard(each.desk.task, Candidates.gather(RUNS), each.desk.store.lines())
        same = each.desk.board.candidates.runs == replayed.candidates.runs
        assert not same or snapshot(replayed) == snapshot(each.desk.board)
        each.desk.close()


def handed(at: Works, who: str, n: int = 1, topic: str | None = None) -> list[tuple[str, str]]:
    return [(each["topic"], each["document"]) for each in at.ask(who, "next", n=n, topic=topic)["documents"]]


def test_what_is_at_hand_is_not_left(open_: Callable[..., Works]) -> None:
    at = open_()
    assert at.ask("Ann", "next", n=4)["left"] == 1  # of five documents
    everything = at.ask("Ann", "next", n=9)
    assert (len(everything["documents"]), everything["left"]) == (5, 0)


def test_two_assessors_by_hand(open_: Callable[..., Works]) -> None:
    """Method A, RBP(p=0.5): b weighs 0.75, a and d 0.5, c and e 0.25. What Ann has, Ben does not get."""
    at = open_()
    assert handed(at, "Ann") == [("1", "b")]
    assert handed(at, "Ann") == [("1", "b")]  # it is at hand already
    assert handed(at, "Ben", 2) == [("1", "a"), ("2", "d")]
    at.judge("Ann", "1", "b", 1)
    runs = {each["run"]: (each["base"], each["residual"]) for each in at.ask("Olga", "status")["runs"]}
    # Of two topics: x has b of topic 1 at rank 2 (0.25 × 1/2), y at rank 1 (0.5 × 1/2) and lacks topic 2.
    assert runs == {"x": (0.0625, 0.875), "y": (0.125, 0.25)}
    assert handed(at, "Ann") == [("1", "c")]


def test_the_same_key_gives_the_same_answer_and_one_event(open_: Callable[..., Works]) -> None:
    at = open_()
    handed(at, "Ann")
    given: dict[str, Any] = {"key": "k", "topic": "1", "document": "b", "grade": 2}
    first = at.ask("Ann", "judge", **given)
    events = at.desk.sequence
    at.judge("Ann", "1", "c", 0)
    assert at.ask("Ann", "judge", **given) == first
    assert at.desk.sequence == events + 2  # those of c
    with pytest.raises(ConflictError, match="this key was used for another action"):
        at.ask("Ann", "judge", **given | {"grade": 1})
    assert at.ask("Ben", "skip", key="k", topic="1", document="a")["event"]  # another one's key is another key
    assert at.ask("Ann", "next", key="n", n=2) == at.ask("Ann", "next", key="n", n=2)


def test_a_second_window_has_the_same_documents_and_judges_none_twice(open_: Callable[..., Works]) -> None:
    """Documents are at hand by person, so that somebody who reloads a page goes on where they were."""
    at = open_()
    assert handed(at, "Ann", 2) == handed(at, "Ann", 2) == [("1", "b"), ("1", "a")]
    one = at.judge("Ann", "1", "b", 2, note="so so")
    events = at.desk.sequence
    assert at.judge("Ann", "1", "b", 2) == at.judge("Ann", "1", "b", 2, note="so so") == one
    assert at.desk.sequence == events  # nothing new is said of it
    for grade, said in ((1, "with grade 2"), (None, "with grade 2")):
        with pytest.raises(
            ConflictError, match=f"you already judged document 'b' of topic '1', {said}: change it there"
        ):
            at.judge("Ann", "1", "b", grade)
    for new in ({"note": "another"}, {"reason": {"sentence": "of wings"}}):
        with pytest.raises(ConflictError, match="with grade 2: change it there"):
            at.judge("Ann", "1", "b", 2, **new)
    [judged] = at.ask("Ann", "history")["judgments"]
    assert (judged["event"], judged["grade"], judged["note"]) == (one, 2, "so so")
    blank = at.judge("Ann", "1", "a", None)
    assert at.judge("Ann", "1", "a", None) == blank
    with pytest.raises(ConflictError, match="as one that cannot be judged: change it there"):
        at.judge("Ann", "1", "a", 0)
    assert at.ask("Ann", "undo", key="u", event=one)["document"] == "b"
    assert at.judge("Ann", "1", "b", 2) != one  # what was taken back is judged anew


def test_a_judgment_is_undone_amended_and_retracted(open_: Callable[..., Works]) -> None:
    at = open_()
    handed(at, "Ann", 2)
    b, a = at.judge("Ann", "1", "b", 2), at.judge("Ann", "1", "a", 1, note="so so")
    undone = at.ask("Ann", "undo", key="u")
    assert (undone["document"], undone["progress"]["judged"]) == ("a", 1)
    assert handed(at, "Ann") == [("1", "a")]  # it is at hand again
    assert at.desk.board.grade("1", "a") is None
    at.ask("Ann", "amend", key="m", event=b, grade=0, note="on a second look", reason={"sentence": "not of wings"})
    [judged] = at.ask("Ann", "history")["judgments"]
    assert (judged["grade"], judged["note"], judged["reason"]["sentence"]) == (0, "on a second look", "not of wings")
    with pytest.raises(AbsentError, match=r"no judgment '.*' of yours"):
        at.ask("Ben", "retract", key="r", event=b)
    with pytest.raises(ConflictError, match="was taken back"):
        at.ask("Ann", "retract", key="r", event=a)
    at.ask("Ann", "retract", key="r", event=b)
    with pytest.raises(ConflictError, match="no judgment to take back"):
        at.ask("Ann", "undo", key="u2")


def test_what_is_skipped_goes_to_others_and_comes_back_at_the_end(open_: Callable[..., Works]) -> None:
    at = open_()
    [(topic, document)] = handed(at, "Ann")
    at.ask("Ann", "skip", key="s", topic=topic, document=document, why="too long")
    assert handed(at, "Ann") == [("1", "a")]
    assert handed(at, "Ben") == [("1", "b")]
    at.ask("Ben", "release", key="r")
    for name in "acde":
        at.judge("Ann", "1" if name in "ac" else "2", name, 0)
    assert handed(at, "Ann") == [("1", "b")]
    at.judge("Ann", "1", "b", None)  # cannot be judged
    assert at.ask("Ann", "next")["documents"] == []
    assert at.ask("Ann", "history")["skipped"] == []


def test_a_lease_ends_and_late_judgments_are_kept(open_: Callable[..., Works]) -> None:
    at = open_(lease=1)
    assert handed(at, "Ann") == [("1", "b")]
    at.clock.now += MINUTE - 1
    assert handed(at, "Ben") == [("1", "a")]
    at.clock.now += 2
    assert handed(at, "Ben", 2) == [("1", "a"), ("1", "b")]
    at.judge("Ben", "1", "b", 1)
    at.judge("Ann", "1", "b", 0)  # she had it before: what she did is not lost
    [differ] = at.ask("Olga", "disputes")["disagreements"]
    assert {each["assessor"]: each["grade"] for each in differ["grades"]} == {"Ann": 0, "Ben": 1}


def test_the_clock_may_go_back(open_: Callable[..., Works]) -> None:
    at = open_()
    handed(at, "Ann")
    at.clock.now -= 500
    at.judge("Ann", "1", "b", 1)
    assert at.desk.board.time == 1_000.001  # later than what happened before, whatever the clock says
    assert at.ask("Olga", "status")["warnings"] == [
        "the clock is 500 seconds behind the last event; times stand still until then"
    ]


def test_documents_are_found_by_search_and_taken(open_: Callable[..., Works]) -> None:
    at = open_()
    handed(at, "Ann")
    [hit] = at.ask("Ben", "search", q="propellers!", topic="1")["hits"]
    assert (hit["document"], hit["judged"], hit["mine"]) == ("z", False, None)
    assert at.ask("Ben", "take", key="t", topic="1", document="z")["documents"][0]["document"] == "z"
    with pytest.raises(ConflictError, match="assigned to somebody else"):
        at.ask("Ann", "take", key="t", topic="1", document="z")
    at.judge("Ben", "1", "z", 2)
    assert at.desk.board.found() == [("1", "z")]
    shown = at.ask("Ben", "document", topic="1", document="z")
    assert (shown["found"], shown["terms"]) == (True, ["lift", "wings"])
    status = at.ask("Olga", "status")
    assert (status["judged"], status["relevant"], status["curve"][-1]["judged"]) == (1, 1, 0)
    with pytest.raises(ConflictError, match="assigned to somebody else"):
        at.judge("Ben", "1", "b", 1)
    with pytest.raises(AbsentError, match="no document 'nothing'"):
        at.judge("Ben", "1", "nothing", 1)
    assert at.ask("Ben", "search", q='NEAR("*"', topic="1")["hits"] == []


def test_a_reason_is_required_and_is_of_the_text(open_: Callable[..., Works]) -> None:
    at = open_(reason_from=2)
    at.judge("Ann", "1", "a", 1)
    for reason, said in (
        (None, "grades from 2 on"),
        ({"sentence": " "}, "need a reason"),
        ({"sentence": "", "start": 3, "end": 900}, "the passage ends at character 900, but the text has"),
        ({"sentence": "", "start": 5, "end": 3}, "0 ≤ start ≤ end"),
    ):
        with pytest.raises(InputError, match=said):
            at.judge("Ann", "1", "b", 2, reason=reason)
    at.judge("Ann", "1", "b", 2, reason={"start": 5, "end": 6})
    for grade in (3, 0.5, -1):
        with pytest.raises(InputError, match="a grade is 0, 1, 2, or none"):
            at.judge("Ann", "1", "c", grade)


def test_twice_judged_agreement_and_what_settles_it(open_: Callable[..., Works]) -> None:
    """Of four documents three are graded alike. Kappa: agreed 3/4, by chance (1·1 + 3·1 ... )/16."""
    at = open_(per_document=2)
    for name, ann, ben in (("a", 0, 0), ("b", 1, 1), ("c", 1, 0), ("d", 0, 0)):
        topic = "2" if name == "d" else "1"
        at.judge("Ann", topic, name, ann)
        at.judge("Ben", topic, name, ben)
    agreement = at.ask("Olga", "status")["agreement"]
    chance = (2 / 4) * (3 / 4) + (2 / 4) * (1 / 4)
    assert (agreement["documents"], agreement["share"]) == (4, 0.75)
    assert agreement["kappa"] == pytest.approx((0.75 - chance) / (1 - chance))
    assert at.desk.board.grade("1", "c") is None
    with pytest.raises(ConflictError, match="nobody judged"):
        at.ask("Olga", "adjudicate", key="n", topic="2", document="e", grade=1)
    at.ask("Olga", "adjudicate", key="s", topic="1", document="c", grade=1)
    assert at.desk.board.grade("1", "c") == 1
    [differ] = at.ask("Olga", "disputes")["disagreements"]
    assert differ["settled"] == 1


def test_people_are_taken_out_handed_on_and_revoked(open_: Callable[..., Works]) -> None:
    at = open_()
    at.person("Ann", topics=["1"])
    assert handed(at, "Ben") == [("2", "d")]
    with pytest.raises(ConflictError, match="topic 1 is Ann's"):
        at.judge("Ben", "1", "a", 1)
    assert handed(at, "Ann", 2) == [("1", "b"), ("1", "a")]
    at.judge("Ann", "1", "b", 2)
    assert at.ask("Olga", "people_hand", key="h", **{"from": "Ann", "to": "Ben"})["count"] == 2
    assert (at.desk.board.allowed("Ben"), at.desk.board.allowed("Ann")) == (("1", "2"), ("2",))
    assert handed(at, "Ben", 1, "1") == [("1", "a")]
    assert at.desk.board.grade("1", "b") == 2
    assert at.ask("Olga", "people_out", key="o", name="Ann")["count"] == 1
    assert at.desk.board.grade("1", "b") is None
    assert at.ask("Olga", "people_revoke", key="v", name="Ben")["count"] == 2
    assert at.desk.board.held() == []
    with pytest.raises(ConflictError, match="lock yourself out"):
        at.ask("Olga", "people_revoke", key="w", name="Olga")
    for name in ("", " ", "a\nb", "x" * 81):
        with pytest.raises(InputError, match="a name has 1 to 80 characters"):
            at.person(name)


def test_a_method_a_budget_and_rules_change_under_way(open_: Callable[..., Works]) -> None:
    at = open_(stop=["LeaderAbove"])
    at.judge("Ann", "1", "b", 2)
    with pytest.raises(InputError, match="there is no method 'D'"):
        at.ask("Olga", "change", key="c", method="D")
    with pytest.raises(InputError, match="AP has no fixed weights"):
        at.ask("Olga", "change", key="c", measure="AP")
    with pytest.raises(InputError, match="there is no rule 'Enough'"):
        at.ask("Olga", "change", key="c", stop=["Enough"])
    at.ask("Olga", "change", key="c", method="depth", measure="P@1", budget=2)
    settings = at.ask("Olga", "status")["settings"]
    assert (settings["method"], settings["measure"], settings["budget"]) == ("depth", "P@1", 2)
    assert at.desk.board.grade("1", "b") == 2
    assert len(handed(at, "Ann", 3)) == 1  # one is judged, and two are the budget
    at.ask("Olga", "change", key="d", budget=0)
    assert len(handed(at, "Ann", 3)) == 3


def test_it_is_said_when_the_leader_is_known(open_: Callable[..., Works]) -> None:
    """With P@1 a decides all of x on topic 1 and b all of y; x alone has topic 2."""
    at = open_(measure="P@1")
    for topic, name, grade in (("1", "a", 2), ("2", "d", 2)):
        at.judge("Ann", topic, name, grade)
    [reason] = at.ask("Olga", "status")["reasons"]
    assert reason.startswith("no other run can reach x")


def test_lists_are_compared_without_their_names(open_: Callable[..., Works]) -> None:
    at = open_()
    pair = at.ask("Ann", "pair", topic="1")
    lists = [[each["document"] for each in one] for one in pair["lists"]]
    assert sorted(lists) == [["a", "b"], ["b", "c"]]
    assert not {"x", "y"} & {pair["left"], pair["right"]}
    with pytest.raises(InputError, match="must name the two lists"):
        at.ask("Ann", "prefer", key="p", topic="1", left="x", right="y", better="left")
    sides = {"left": pair["left"], "right": pair["right"]}
    at.ask("Ann", "prefer", key="p", topic="1", better="left", **sides)
    [preferred] = at.desk.board.preferred
    assert preferred.better == ("x" if lists[0] == ["a", "b"] else "y")
    assert at.ask("Ann", "pair", topic="1")["remaining"] == 0
    assert at.ask("Ben", "pair", topic="1")["remaining"] == 1
    first = at.ask("Ann", "first", topic="1", run="y")
    assert [(each["rank"], each["document"], each["title"]) for each in first["documents"]] == [
        (1, "b", "On b"), (2, "c", "On c"),
    ]  # fmt: skip


def test_what_is_much_like_a_judged_document_is_pointed_out(open_: Callable[..., Works]) -> None:
    words = " ".join(f"word{n}" for n in range(60))
    alike = TEXTS | {"a": ("", words), "b": ("", f"{words} and more")}
    at = open_(documents=texts(alike))
    at.judge("Ann", "1", "a", 1)
    near = at.ask("Ann", "document", topic="1", document="b")["near"]
    assert near == [{"document": "a", "grade": 1}]
    assert at.ask("Ann", "document", topic="1", document="c")["near"] == []
    assert at.ask("Ben", "document", topic="1", document="b")["near"] == []  # what others gave is not shown


def test_a_text_that_changes_under_a_task_is_seen(open_: Callable[..., Works]) -> None:
    at = open_()
    at.judge("Ann", "1", "a", 1)
    assert not at.ask("Ann", "document", topic="1", document="a")["changed"]
    at.desk.store.put_documents(texts({"a": ("On a", "It says something else.")}))
    assert at.ask("Ann", "document", topic="1", document="a")["changed"]
    assert at.ask("Ann", "history")["judgments"][0]["changed"]


def test_documents_without_texts_are_judged_by_their_ids(open_: Callable[..., Works]) -> None:
    at = open_(documents=[])
    shown = at.ask("Ann", "document", topic="1", document="a")
    assert (shown["missing"], shown["text"]) == (True, "")
    at.judge("Ann", "1", "a", 1)
    assert not at.ask("Ann", "task")["searchable"]


def of_audit(at: Works) -> int:
    return sum(each.judged.method == BY_AUDIT for name in at.desk.board.own for each in at.desk.board.counting_of(name))


@pytest.mark.parametrize("by_topic", [True, False])
def test_the_audit_has_its_share_and_bounds_what_is_missed(open_: Callable[..., Works], *, by_topic: bool) -> None:
    """Two of four judgments are of documents drawn by chance; what is left can be relevant."""
    at = open_(audit=0.4)
    assert at.ask("Olga", "status")["missed_at_most"] is None
    for number in range(4):
        [(topic, name)] = handed(at, "Ann", 1, "12"[number % 2] if by_topic else None)
        at.judge("Ann", topic, name, 0, key=str(number))
    assert of_audit(at) == 2
    assert at.ask("Olga", "status")["missed_at_most"] == 1


def test_an_open_document_neither_stops_the_audit_nor_takes_its_share(open_: Callable[..., Works]) -> None:
    names = [f"d{number:02}" for number in range(60)]
    at = open_(
        audit=0.2, runs={"x": {topic: {name: -n for n, name in enumerate(names)} for topic in TOPICS}}, documents=[]
    )
    for topic in TOPICS:
        handed(at, "Ben", 1, topic)  # of the audit, and Ben leaves it open
    for topic in TOPICS:
        for _ in range(40):
            [(_, name)] = handed(at, "Ann", 1, topic)
            at.judge("Ann", topic, name, 0)
    made = of_audit(at)
    assert 2 * 0.2 * 41 - 2 <= made <= 2 * 0.2 * 41 + 1
    left = at.ask("Olga", "status")
    assert 2 < left["missed_at_most"] < left["left"]  # those that Ben has open may be relevant


def test_a_share_is_judged_twice(open_: Callable[..., Works]) -> None:
    at = open_(twice=1.0)
    assert handed(at, "Ann") == handed(at, "Ben") == [("1", "b")]


def test_simulated_judging_is_the_experiments(tmp_path: Path) -> None:
    """The same documents in the same order as `cranfield experiment judging` takes them, for every kind of method."""
    made = random.Random(5)  # noqa: S311
    names = [f"d{n}" for n in range(40)]
    runs = {
        run: {topic: {name: -n for n, name in enumerate(made.sample(names, 25))} for topic in TOPICS} for run in "xyz"
    }
    qrels = {topic: {name: made.choice([-1, 0, 0, 1, 2]) for name in made.sample(names, 30)} for topic in TOPICS}
    simulation = Simulation(Candidates.gather(runs), join(qrels, runs).judgments)
    candidates = simulation.candidates
    for method in ("C", "depth"):
        folder = new_task(tmp_path / method, runs=runs, documents=[], method=method, scale=scale_of("0-2"))
        at = works(folder)
        places = simulation.session(method, weighted_measure("RBP(p=0.5)"), 20).tolist()
        wanted = [(candidates.topics[candidates.topic[place]], candidates.document[place]) for place in places]
        assert [found[:2] for found in simulated(at.desk, qrels, 20)] == wanted
        at.desk.close()


ACTIONS = ("next", "judge", "judge", "judge", "undo", "skip", "flag", "amend", "retract", "release", "take", "out")


@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.integration), pytest.param(3, marks=pytest.mark.integration)]
)
def test_whatever_is_done_a_replay_gives_the_same_and_nobody_gets_too_much(tmp_path: Path, seed: int) -> None:
    """Many actions at random by three people, most of them possible: no document in more hands than asked for."""
    drawn = random.Random(seed)  # noqa: S311
    clock, per_document = Clock(), 1 + seed % 2
    at = works(new_task(tmp_path / "task", per_document=per_document, lease=2, twice=0.5 * (seed == 2)), clock)
    people = ["Ann", "Ben", "Cleo"]
    for name in people:
        at.person(name)
    done = 0
    for step in range(80):
        who, topic = drawn.choice(people), drawn.choice("12")
        own = [each["event"] for each in at.ask(who, "history")["judgments"]]
        held = [(each.topic, each.document) for each in at.desk.board.at_hand(who)]
        at_hand, judged = drawn.choice(held or [(topic, drawn.choice("abcdez"))]), drawn.choice(own or ["none"])
        of: dict[str, Any] = {"topic": at_hand[0], "document": at_hand[1]}
        asked: dict[str, dict[str, Any]] = {
            "next": {"n": drawn.randint(1, 3)}, "undo": {}, "release": {}, "skip": of, "flag": of, "take": of,
            "judge": of | {"grade": drawn.choice([None, 0, 1, 2])}, "retract": {"event": judged},
            "amend": {"event": judged, "grade": drawn.choice([0, 1])}, "out": {"name": who},
        }  # fmt: skip
        name = drawn.choice(ACTIONS)
        try:
            if name == "out":
                at.ask("Olga", "people_out", key=f"k{step}", **asked[name])
            else:
                at.ask(who, name, key=f"k{step}", **asked[name])
            done += 1
        except CranfieldError:
            pass
        clock.now += drawn.randint(0, 60)
        records = at.desk.board
        in_hands: dict[tuple[str, str], int] = {}
        for each in records.held():
            in_hands[each.topic, each.document] = in_hands.get((each.topic, each.document), 0) + 1
        assert all(number <= records.wanted(*document) for document, number in in_hands.items())
    assert done > 30
    before = snapshot(at.desk.board)
    at.desk.close()
    again = works(tmp_path / "task", clock, "f")
    assert snapshot(again.desk.board) == before
    again.desk.close()


def test_kappa_of_two_people_has_each_in_one_place_whoever_judged_first(open_: Callable[..., Works]) -> None:
    """Grades of Ann 1 1 0 1, of Ben 0 0 0 1: agreed 2/4, by chance 3/4 · 1/4 + 1/4 · 3/4. Of three there is none."""
    at = open_(per_document=2)
    for name, ann, ben in (("a", 1, 0), ("b", 1, 0), ("c", 0, 0), ("d", 1, 1)):
        topic = "2" if name == "d" else "1"
        for who, grade in (("Ben", ben), ("Ann", ann)) if name == "b" else (("Ann", ann), ("Ben", ben)):
            at.judge(who, topic, name, grade)
    assert at.ask("Olga", "status")["agreement"]["kappa"] == pytest.approx((2 / 4 - 6 / 16) / (1 - 6 / 16))
    at.person("Cleo")
    for who in ("Ann", "Cleo"):
        at.judge(who, "2", "e", 0)
    several = at.ask("Olga", "status")["agreement"]
    assert (several["kappa"], several["alpha"] is None) == (None, False)


def test_an_undo_names_the_judgment_that_it_takes_back(open_: Callable[..., Works]) -> None:
    """Ann judges b on the bench and c elsewhere; the bench takes b back, by the key under which it sent it."""
    at = open_()
    at.judge("Ann", "1", "b", 2, key="kb")
    c = at.judge("Ann", "1", "c", 1)
    assert at.ask("Ann", "undo", key="u1", of="kb")["document"] == "b"
    assert at.desk.board.grade("1", "c") == 1
    at.judge("Ann", "1", "b", 0, key="kb2")
    with pytest.raises(ConflictError, match="was taken back"):
        at.ask("Ann", "undo", key="u2", of="kb")
    with pytest.raises(ConflictError, match="was not recorded"):
        at.ask("Ann", "undo", key="u3", of="never sent")
    with pytest.raises(ConflictError, match="was not recorded"):
        at.ask("Ben", "undo", key="u3", of="kb2")
    at.ask("Ann", "skip", key="s", topic="2", document="d")
    with pytest.raises(AbsentError, match="no judgment"):
        at.ask("Ann", "undo", key="u4", of="s")
    assert at.ask("Ann", "undo", key="u5", event=c)["document"] == "c"
    assert at.desk.board.grade("1", "b") == 0


def test_a_changed_grade_keeps_note_and_reason_unless_they_are_sent(open_: Callable[..., Works]) -> None:
    at = open_()
    event = at.judge("Ann", "1", "b", 2, note="a note", reason={"sentence": "why", "start": 1, "end": 3})

    def now() -> tuple[Any, ...]:
        [judged] = at.ask("Ann", "history")["judgments"]
        return judged["grade"], judged["note"], judged["reason"]

    why = {"sentence": "why", "start": 1, "end": 3}
    at.ask("Ann", "amend", key="1", event=event, grade=1)
    assert now() == (1, "a note", why)
    at.ask("Ann", "amend", key="2", event=event, grade=0, note="")
    assert now() == (0, "", why)
    at.ask("Ann", "amend", key="3", event=event, grade=0, reason={"sentence": ""})
    assert now() == (0, "", None)


def test_somebody_who_left_stays_out_when_her_topics_are_handed_on(open_: Callable[..., Works]) -> None:
    at = open_()
    at.person("Ann", topics=["1"])
    at.ask("Olga", "people_revoke", key="v", name="Ann")
    at.ask("Olga", "people_hand", key="h", **{"from": "Ann", "to": "Ben"})
    assert not at.desk.board.people["Ann"].active
    assert at.desk.board.allowed("Ben") == ("1", "2")  # what was everybody's is still his
    at.person("Ben", topics=["2"])
    assert at.desk.board.allowed("Ben") == ("2",)
    at.ask("Olga", "people", key="k", name="Ben", role="assessor")  # a new link changes nothing else
    assert at.desk.board.allowed("Ben") == ("2",)
    at.ask("Olga", "people", key="a", name="Ben", role="assessor", topics=[])
    assert at.desk.board.allowed("Ben") == ("1", "2")


def test_a_budget_counts_judgments_and_second_ones_are_made(open_: Callable[..., Works]) -> None:
    at = open_(per_document=2, budget=3)
    [first] = handed(at, "Ann")
    at.judge("Ann", *first, None)  # that it cannot be judged took time, too
    assert handed(at, "Ben") == [first]
    at.judge("Ben", *first, 1)
    assert at.ask("Olga", "status")["spent"] == 2
    assert "2 of 3 judgments are made" in at.ask("Olga", "status")["lacking"]
    assert len(handed(at, "Ann", 5)) == 1
    assert handed(at, "Ben") == []
    with pytest.raises(InputError, match="nothing is left to judge"):
        on_sheet(at.desk, "2", None, None, days=1)


def test_what_cannot_be_judged_settles_a_disagreement(open_: Callable[..., Works]) -> None:
    at = open_(per_document=2)
    for who, grade in (("Ann", 0), ("Ben", 2)):
        at.judge(who, "1", "b", grade)
    assert at.desk.board.undecided() == [("1", "b")]
    at.ask("Olga", "adjudicate", key="n", topic="1", document="b", grade=None)
    [differ] = at.ask("Olga", "disputes")["disagreements"]
    assert (differ["is_settled"], differ["settled"]) == (True, None)
    assert at.desk.board.undecided() == []
    assert at.desk.board.to_qrels().rows() == []
    at.ask("Olga", "adjudicate", key="m", topic="1", document="b", grade=1)
    assert at.desk.board.to_qrels().rows() == [("1", "b", 1)]


def test_a_document_that_was_found_counts_once_when_a_late_run_has_it(open_: Callable[..., Works]) -> None:
    at = open_()
    at.ask("Ann", "take", key="t", topic="1", document="z")
    at.judge("Ann", "1", "z", 2)
    before = at.ask("Olga", "status")
    assert (before["judged"], before["relevant"], at.desk.progress("Ann", "1").judged) == (1, 1, 1)
    add_runs(at.desk, Candidates.gather({"late": {"1": {"z": 1.0}}}))
    after = at.ask("Olga", "status")
    assert (after["judged"], after["relevant"], at.desk.progress("Ann", "1").judged) == (1, 1, 1)


def test_nobody_leads_before_a_judgment_and_equal_runs_lead_together(open_: Callable[..., Works]) -> None:
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}, "z": {"1": ["c"]}}
    at = open_(runs={name: {t: {d: -r for r, d in enumerate(of)} for t, of in by.items()} for name, by in runs.items()})
    assert not any(each["leader"] for each in at.ask("Olga", "status")["runs"])
    for name in "ab":
        at.judge("Ann", "1", name, 1)
    assert [each["run"] for each in at.ask("Olga", "status")["runs"] if each["leader"]] == ["x", "y"]


def test_leases_end_though_the_clock_was_ahead_when_they_began(open_: Callable[..., Works]) -> None:
    at = open_(lease=30)
    at.clock.now += 10 * 365 * 86_400
    first = handed(at, "Ann")
    at.clock.now -= 10 * 365 * 86_400
    assert handed(at, "Ben") != first
    at.clock.now += 31 * MINUTE
    at.ask("Ben", "release", key="r")
    assert handed(at, "Ben") == first
    a, b = at.judge("Ben", *first[0], 0), at.desk.board.time
    at.ask("Ben", "amend", key="1", event=a, grade=1)
    at.ask("Ben", "amend", key="2", event=a, grade=2)  # what is done last counts, though times stand still
    assert at.desk.board.grade(*first[0]) == 2
    assert at.desk.board.time > b


def test_empty_lists_are_not_compared(open_: Callable[..., Works]) -> None:
    at = open_()
    assert at.ask("Ann", "pair", topic="2")["lists"] == []  # y lacks the topic


def test_a_number_beyond_floating_point_is_refused(open_: Callable[..., Works]) -> None:
    at = open_()
    with pytest.raises(InputError, match="grade is a number"):
        at.judge("Ann", "1", "b", 10**400)


def test_a_link_asked_for_again_does_not_end_a_newer_one(open_: Callable[..., Works]) -> None:
    at = open_()
    old, new = (at.ask("Olga", "people", key=key, name="Ann", role="assessor")["link"] for key in ("k1", "k2"))
    assert at.ask("Olga", "people", key="k1", name="Ann", role="assessor")["link"] == old  # it was not answered before
    assert at.office.door.enter(new.partition("#")[2])[0].name == "Ann"
    with pytest.raises(CranfieldError, match="ask for a new one"):
        at.office.door.enter(old.partition("#")[2])


def test_pseudonyms_hide_those_who_only_flagged_and_notes_are_no_formulas(open_: Callable[..., Works]) -> None:
    at = open_()
    at.ask("Ben", "flag", key="f", topic="1", document="b", why="as Zoe said")
    at.judge("Ann", "1", "b", 1, note='=HYPERLINK("http://example.org")')
    flagged = Flagged("x1", 1_000, "1", "c", "Zoe", "")
    at.desk.act("", None, ("import", None), lambda: at.desk.take(flagged))
    assert "Zoe" in exported(at.desk, "log").content
    hidden = exported(at.desk, "log", pseudonyms=True).content
    assert not any(name in hidden for name in ("Ann", "Ben", "Zoe", "Olga"))
    assert "'=HYPERLINK" in exported(at.desk, "judgments").content


def test_a_sheet_whose_clock_is_a_year_ahead_freezes_nothing(open_: Callable[..., Works]) -> None:
    """It is skipped and then judged there; and what the office does later counts more."""
    at = open_()
    ahead = 1_000 + 365 * 86_400
    lines = [
        Skipped("s-1", ahead, "1", "b", "Ann", "").to_line(),
        Assessed("s-2", ahead + 1, "1", "b", 1, "Ann").to_line(),
        Amended("s-3", ahead + 2, "s-2", 2).to_line(),
    ]
    assert imported(at.desk, "\n".join(lines), "sheet").taken == 3
    assert at.desk.board.skipped == {}
    assert at.desk.board.grade("1", "b") == 2
    at.clock.now += 1
    at.ask("Ann", "amend", key="a", event="s-2", grade=0)
    assert at.desk.board.grade("1", "b") == 0
    assert at.desk.board.time <= at.clock.now
    assert imported(at.desk, "\n".join(lines), "sheet").taken == 0


def test_agreement_needs_two_documents(open_: Callable[..., Works]) -> None:
    """Of none there is nothing to say, of one a share alone; Ann 0 1 and Ben 0 1 agree perfectly."""
    at = open_(per_document=2)
    found = []
    for document, grade in (("a", 0), ("b", 1), ("", 0)):
        found.append(at.ask("Olga", "status")["agreement"])
        for who in ("Ann", "Ben") if document else ():
            at.judge(who, "1", document, grade)
    nothing, one, two = ([each[name] for name in ("documents", "share", "kappa", "alpha")] for each in found)
    assert (nothing, one, two) == ([0, None, None, None], [1, 1, None, None], [2, 1, 1, 1])


def test_the_budget_is_counted_to_the_last_judgment(open_: Callable[..., Works]) -> None:
    at = open_(budget=1)

    def told() -> tuple[list[str], list[str]]:
        found = at.ask("Olga", "status")
        lacking, reasons = ([each for each in found[name] if "made" in each] for name in ("lacking", "reasons"))
        return lacking, reasons

    assert told() == (["0 of 1 judgment is made"], [])
    assert handed(at, "Ann", 2) == [("1", "b")]  # and no second one
    assert told() == (["0 of 1 judgment is made"], [])  # what is at hand is not made
    at.judge("Ann", "1", "b", 1)
    assert told() == ([], ["1 judgment is made, which is the whole budget"])
    at.ask("Olga", "change", key="more", budget=2)
    assert told() == (["1 of 2 judgments are made"], [])
    with pytest.raises(InputError, match=r"a budget is 0 \(no limit\) or more"):
        at.ask("Olga", "change", key="less", budget=-1)
    at.ask("Olga", "change", key="none", budget=0)
    assert (told(), at.desk.board.budget) == (([], []), None)


def test_the_least_and_the_most_that_may_be_asked(open_: Callable[..., Works]) -> None:
    at = open_()
    assert len(at.ask("Ann", "next", n=1)["documents"]) == 1
    at.ask("Ann", "next", n=20)
    for n in (0, 21):
        with pytest.raises(InputError, match=f"n is 1 to 20, not {n}"):
            at.ask("Ann", "next", n=n)
    assert at.judge("Ann", "1", "b", 1, key="k" * 200, seconds=0)
    assert at.judge("Ann", "1", "c", 1, key="k")
    for key in ("", "k" * 201):
        with pytest.raises(InputError, match="a key has 1 to 200 characters"):
            at.judge("Ann", "1", "a", 1, key=key)
    with pytest.raises(InputError, match="seconds"):
        at.judge("Ann", "1", "a", 1, seconds=-1)
    assert [at.person(name).name for name in ("N", "N" * 80)] == ["N", "N" * 80]
    for name in (" ", "N" * 81):
        with pytest.raises(InputError, match="a name has 1 to 80 characters"):
            at.person(name)


def test_a_scale_has_two_to_ten_grades() -> None:
    assert [len(scale_of(f"0-{last}")) for last in (1, 9)] == [2, 10]
    for ends in ("0-0", "0-10"):
        with pytest.raises(InputError, match="of 2 to 10 whole grades"):
            scale_of(ends)
    for grades in ([0, 1], range(10), [0.5, 1]):
        assert Task("t", "", [(grade, "") for grade in grades], {}).grades == [*grades]
    for bad in ([0], range(11), [1, 0], [0, 0], [-1, 0]):
        with pytest.raises(InputError, match="a scale has 2 to 10 increasing grades, 0 or more"):
            Task("t", "", [(grade, "") for grade in bad], {})


def test_the_clock_may_be_two_seconds_behind(open_: Callable[..., Works]) -> None:
    at = open_()
    at.clock.now = at.desk.board.time - 2
    assert at.desk.warnings() == []
    at.clock.now -= 0.5
    assert [each.partition(";")[0] for each in at.desk.warnings()] == ["the clock is 2 seconds behind the last event"]
