"""Many hands: who begins which topics, what is judged twice, late runs, documents found by hand, and changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import join
from cranfield.selection import Candidates, Judging
from cranfield.selection.candidates import chance
from cranfield.selection.estimates import estimate
from cranfield.selection.records import (
    Added,
    Arrangement,
    Assessed,
    Changed,
    Found,
    Leased,
    Log,
    Records,
    Retracted,
)
from cranfield.selection.records.events import event_of
from cranfield.selection.sampling import uniform_sample
from cranfield.selection.simulation import Simulation

RUNS = {"x": {topic: {f"{d}{topic}": -float(rank) for rank, d in enumerate("abcd")} for topic in "123"}}
"""One run; the documents of each topic weigh 1/2, 1/4, 1/8 and 1/16 by RBP(p=0.5)."""


def desk(**arrangement: Any) -> Records:
    records = Records(judging=Judging(RUNS, "RBP(p=0.5)", method="A"))
    if arrangement:
        records.append(Changed("arranged", 0, arrangement=Arrangement(**arrangement)))
    return records


def leased(records: Records, who: str, n: int = 1, **others: Any) -> list[str]:
    lease = records.lease(who, n, id=f"l{len(records)}", now=1, until=9, **others)
    return [] if lease is None else [document for _, document in lease.documents]


def test_owners_by_hand() -> None:
    """Ann owns topic 1, Ann and Ben topic 2; topic 3 is anybody's."""
    records = desk(owners={"1": "Ann", "2": ["Ann", "Ben"]})
    assert leased(records, "Cleo", 2) == ["a3", "b3"]
    assert leased(records, "Ben", 2) == ["a2", "b2"]
    assert leased(records, "Ann", 3) == ["a1", "b1", "c1"]
    assert leased(records, "Cleo", 9, topics=["1", "2"]) == []


def test_what_an_owner_began_is_judged_by_another_one_too() -> None:
    records = desk(owners={"1": "Ann", "2": "Ann", "3": "Ann"}, twice=1)
    assert leased(records, "Ben", 9) == []
    assert leased(records, "Ann", 2) == ["a1", "a2"]
    assert leased(records, "Ben", 9) == ["a1", "a2"]
    assert leased(records, "Cleo", 9) == []


def test_no_topic_starves() -> None:
    """Topic 1 weighs most by far; two documents of each topic come first, in turns, whatever weighs more."""
    runs = {
        "x": {topic: {f"{d}{topic}": -float(rank) for rank, d in enumerate("abcd")} for topic in "12"},
        "y": {"1": {f"{d}1": -float(rank) for rank, d in enumerate("abcd")}},
    }

    def order(**arrangement: Any) -> list[str]:
        records = Records(judging=Judging(runs, "RBP(p=0.5)", method="A"))
        records.append(Changed("arranged", 0, arrangement=Arrangement(**arrangement)))
        return leased(records, "Ann", 99)

    assert order() == ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2"]  # 2/2, 1/2, 2/4, 1/4, ...: ties by id
    assert order(at_most=3) == ["a1", "a2", "b1", "b2", "c1", "c2"]
    records = Records(judging=Judging(runs, "RBP(p=0.5)", method="A"))
    assert leased(records, "Ann", 3, topics=["1"]) == ["a1", "b1", "c1"]
    records.append(Changed("arranged", 2, arrangement=Arrangement(at_least=2, at_most=3)))
    assert leased(records, "Ben", 9) == ["a2", "b2", "c2"]


def test_what_is_judged_once_more_is_not_begun_once_more() -> None:
    """At most two documents of each topic: Ann has begun a1; Ben, who judges it too, may begin one more of topic 1."""
    records = desk(at_most=2, twice=1)
    assert leased(records, "Ann", 1) == ["a1"]
    assert leased(records, "Ben", 9) == ["a1", "a2", "a3", "b1", "b2", "b3"]


def test_whole_topics_in_one_hand() -> None:
    records = desk(whole_topics=True)
    assert leased(records, "Ann", 2) == ["a1", "b1"]
    assert leased(records, "Ben", 1) == ["a2"]
    assert leased(records, "Ann", 3) == ["c1", "d1", "a3"]  # no other topic before hers is done
    assert leased(records, "Cleo", 9) == []
    assert leased(records, "Ben", 9) == ["b2", "c2", "d2"]
    records.append(Changed("handed on", 2, arrangement=Arrangement(whole_topics=True, owners={"3": "Cleo"})))
    assert leased(records, "Ann", 9) == []
    assert leased(records, "Cleo", 9) == ["b3", "c3", "d3"]


def test_a_share_is_drawn_and_judged_twice() -> None:
    records = desk(twice=0.4, seed=5)
    everything = {(topic, f"{d}{topic}") for topic in "123" for d in "abcd"}
    twice = {document for document in everything if chance(5, "twice", *document) < 0.4}
    assert {document for document in everything if records.wanted(*document) == 2} == twice != set()
    mine, theirs = leased(records, "Ann", 99), leased(records, "Ben", 99)
    assert len(mine) == len(everything)
    assert {*theirs} == {document for _, document in twice}
    assert theirs == [document for _, document in sorted(twice)]  # of one lease: by topic and id
    drawn = np.mean([chance(7, "twice", "1", str(number)) < 0.1 for number in range(10_000)])
    assert abs(drawn - 0.1) < 0.009  # three standard errors


def test_a_blind_order_tells_nothing_and_is_reported() -> None:
    records = desk(blind=True, seed=3)
    lease = records.lease("Ann", 12, id="l", now=1, until=9)
    assert lease is not None
    assert lease.blind
    assert [*lease.documents] == sorted(lease.documents, key=lambda document: chance(3, "lease", *document))
    assert lease.weights == tuple(0.5 ** ("abcd".index(document[0]) + 1) for _, document in lease.documents)
    assert {*lease.documents} == {*desk().lease("Ann", 12, id="l", now=1, until=9).documents}  # type: ignore[union-attr]
    assert not Leased("l", 1, "Ann", (("1", "a"),), 2).blind


def test_what_is_to_come_first() -> None:
    """An audit's documents are leased before all others, to nobody twice, and leave the rest as it was."""
    records = desk()
    audit = [("3", "d3"), ("2", "c2"), ("1", "nobody retrieved it")]
    assert leased(records, "Ann", 1, first=audit) == ["d3"]
    assert leased(records, "Ben", 4, first=audit) == ["c2", "nobody retrieved it", "a1", "a2"]
    assert leased(records, "Cleo", 2, first=audit, exclude=[("3", "a3")]) == ["b1", "b2"]


def test_a_budget_counts_what_is_on_lease() -> None:
    records = desk(twice=1)
    records.append(Changed("c1", 0, budget=5))
    assert len(leased(records, "Ann", 3)) == 3
    assert len(leased(records, "Ben", 9)) == 2
    assert (records.spent, records.budget, leased(records, "Cleo", 9)) == (5, 5, [])
    records.append(Changed("c2", 1, budget=6))
    assert len(leased(records, "Cleo", 9)) == 1
    records.append(Retracted("r", 2, "c2"))
    assert records.budget == 5


def test_a_late_run_is_as_one_that_was_there_all_along() -> None:
    late = {"1": ["e1", "a1"], "4": ["a4"]}
    records = desk()
    records.append(Assessed("j1", 1, "1", "e1", 1, "Ann"))  # nobody retrieved it yet
    records.append(Assessed("j2", 2, "1", "a1", 1, "Ann"))
    records.append(Added("late", 3, "z", late))
    scores = {topic: {d: -float(rank) for rank, d in enumerate(ranked)} for topic, ranked in late.items()}
    whole = Candidates.gather(RUNS | {"z": scores})
    assert records.judging is not None
    assert records.judging.candidates.document.to_list() == whole.document.to_list()
    for name in ("topic", "start", "cell_run", "cell_rank", "length", "present"):
        assert getattr(records.judging.candidates, name).tolist() == getattr(whole, name).tolist()
    other = Judging(whole, "RBP(p=0.5)", method="A")
    other.record("1", "e1", 1)
    other.record("1", "a1", 1)
    assert records.judging.next(99) == other.next(99)
    assert records.judging.state.base.tobytes() == other.state.base.tobytes()
    with pytest.raises(InputError, match="a run 'x' exists already"):
        records.append(Added("again", 4, "x", late))
    with pytest.raises(InputError, match="event 'other' adds a run 'z', but a run of that name exists"):
        records.append(Added("other", 4, "z", {"1": ["b1"]}))
    assert records.append(Added("twice", 4, "z", late))  # as two offices may do
    assert records.judging.candidates.runs == ("x", "z")
    for name in ("late", "twice"):
        records.append(Retracted(f"no {name}", 5, name))
    assert "z" not in records.judging.candidates.runs
    assert records.judging.history == [("1", "a1", 1)]


def test_documents_found_by_hand_come_first_and_are_marked() -> None:
    records = desk()
    records.append(Found("f1", 1, "2", "new", "Ann", query="boundary layer"))
    records.append(Found("f2", 2, "1", "d1", "Ann"))
    assert records.found() == [("1", "d1"), ("2", "new")]
    assert leased(records, "Ben", 3) == ["new", "d1", "a1"]
    records.append(Assessed("j1", 3, "2", "new", 1, "Ben"))
    records.append(Assessed("j2", 3, "1", "a1", 1, "Ben"))
    assert records.judgments().select("doc_id", "found").rows() == [("new", True), ("a1", False)]
    records.append(Retracted("r", 4, "f1"))
    assert records.found() == [("1", "d1")]
    assert json.loads(records.snapshot())["found"] == [["1", "d1"]]


def test_what_was_found_by_hand_is_no_part_of_a_sample() -> None:
    """The ranges and the qrels have it; an estimate counts what was drawn, and is the same with it and without."""
    candidates = Candidates.gather(RUNS)
    sample = uniform_sample(candidates, 2, seed=1)
    drawn = {(topic, document) for topic, document in sample.select("query_id", "doc_id").rows()}
    records = Records(judging=Judging(candidates, "RBP(p=0.5)"))
    for number, document in enumerate(sorted(drawn)):
        records.append(Assessed(f"j{number}", number, *document, number % 2, "Ann"))
    before = estimate(candidates, sample, records.to_qrels(), ["P@2", "NumRel"])
    undrawn = next(d for d in zip(["1"] * 4, ["a1", "b1", "c1", "d1"], strict=True) if d not in drawn)
    for name, document in (("f1", undrawn), ("f2", ("2", "unseen"))):
        records.append(Found(name, 50, *document, "Ben"))
        records.append(Assessed(f"j{name}", 51, *document, 1, "Ben"))
    assert estimate(candidates, sample, records.to_qrels(), ["P@2", "NumRel"]) == before
    assert records.judging is not None
    assert records.judging.status().relevant == sum(number % 2 for number in range(len(drawn))) + 1  # no run has unseen
    assert ("2", "unseen", 1) in records.to_qrels().rows()


def test_changes_by_hand() -> None:
    """From Method A to random, from RBP(p=0.5) to RBP(p=0.8), to a larger scale; then back again by retracting them."""
    records = desk()
    judging = records.judging
    assert judging is not None
    records.append(Assessed("j1", 1, "1", "a1", 1, "Ann"))
    assert judging.state.base[0, 0] == 0.5
    records.append(Changed("c1", 2, method="random", measure="RBP(p=0.8)", top_grade=2))
    assert (str(judging.method), str(judging.measure), judging.top_grade) == ("random", "RBP(p=0.8)", 2)
    assert judging.state.base[0, 0] == pytest.approx(0.1)  # a gain of 1/2, of a rank that weighs 0.2
    assert judging.history == [("1", "a1", 1)]
    lease = records.lease("Ann", 1, id="l", now=3, until=4)
    assert lease is not None
    assert lease.method == "random"
    records.append(Assessed("j2", 4, "1", "b1", 2, "Ann"))
    with pytest.raises(InputError, match="event 'j2' has grade 2, but the largest is 1"):
        records.append(Retracted("r1", 5, "c1"))
    records.append(Retracted("r2", 6, "j2"))
    assert records.append(Retracted("r1", 7, "c1"))
    assert (str(judging.method), judging.state.base[0, 0]) == ("A", 0.5)
    with pytest.raises(InputError, match="event 'j3' has grade 2, but the largest is 1"):
        records.append(Assessed("j3", 8, "1", "c1", 2, "Ann"))
    with pytest.raises(InputError, match="no method 'Z'"):
        records.append(Changed("c2", 9, method="Z"))
    with pytest.raises(InputError, match="AP has no fixed weights of ranks"):
        records.append(Changed("c2", 9, measure="AP"))
    assert Records(records, judging=Judging(RUNS, "RBP(p=0.5)", method="A")).snapshot() == records.snapshot()


def test_a_scale_is_refused_on_which_what_the_session_began_with_has_no_place() -> None:
    judging = Judging(RUNS, "RBP(p=0.5)", method="A", top_grade=3)
    judging.record("1", "a1", 3)
    records = Records(judging=judging)
    with pytest.raises(InputError, match="document 'a1' of topic '1' has grade 3, but the largest is to be 1"):
        records.append(Changed("c1", 1, top_grade=1))
    assert (len(records), judging.top_grade, judging.state.base[0, 0]) == (0, 3, 0.5)


def test_a_method_without_scope_and_back() -> None:
    records = Records(judging=Judging(RUNS, "RBP(p=0.5)", method="C", scope="system"))
    records.append(Changed("c", 1, method="A"))
    assert records.judging is not None
    scopes = [records.judging.scope]
    records.append(Retracted("r", 2, "c"))
    assert [*scopes, records.judging.scope] == ["topic", "system"]


def test_a_log_of_the_first_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    path.write_text(
        '{"schema": "cranfield.records/1", "event": "leased", "id": "l", "time": 1, "assessor": "Ann", '
        '"documents": [["1", "a1"]], "until": 9, "method": "A", "weights": [0.5]}\n'
        '{"schema": "cranfield.records/1", "event": "assessed", "id": "j", "time": 2, "topic": "1", '
        '"document": "a1", "grade": 1, "assessor": "Ann"}\n'
    )
    records = Records(Log(path), judging=Judging(RUNS))
    assert records.grade("1", "a1") == 1
    records.append(Changed("c", 3, arrangement=Arrangement(owners={"1": "Ann"})))
    assert Records(Log(path), judging=Judging(RUNS)).snapshot() == records.snapshot()
    assert Records(Log(path)).arrangement.owners == (("1", "Ann"),)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Arrangement(at_least=3, at_most=2), "at_most (2) is below at_least (3)"),
        (lambda: Arrangement(twice=1.5), "twice of an arrangement must be at least 0 and at most 1, not 1.5"),
        (lambda: Arrangement(owners="Ann"), "owners of an arrangement are pairs of topic and assessor, not 'Ann'"),  # type: ignore[arg-type]
        (lambda: Arrangement(owners=(("1", ""),)), "owners of an arrangement are pairs of topic and assessor"),
        (lambda: Changed("c", 1), "an event 'changed' changes something"),
        (lambda: Changed("c", 1, budget=0), "budget of an event 'changed' must be at least 1, not 0"),
        (lambda: Changed("c", 1, top_grade=0), "top_grade of an event 'changed' must be above 0, not 0"),
        (lambda: Changed("c", 1, arrangement={"blind": True}), "must be an Arrangement or None"),  # type: ignore[arg-type]
        (lambda: Added("a", 1, "z", {"1": ["a", "a"]}), "run 'z' has a document of topic '1' twice"),
        (lambda: Added("a", 1, "z", (("1", ("a",)), ("1", ()))), "lists of run 'z' have a topic twice"),
        (lambda: Added("a", 1, "z", (("1", "ab"),)), "are topics, each with its documents"),
        (lambda: Found("f", 1, "1", "", "Ann"), "document of an event 'found' must be text"),
        (lambda: event_of(Changed("c", 1, budget=5).to_line().replace("null}", '{"fair": 1}}')), "no field 'fair'"),
    ],
)
def test_what_is_refused_in_words(wrong: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert said in str(raised.value)


@pytest.mark.parametrize("method", ["C", "depth"])
def test_a_document_that_was_held_and_let_go_is_as_it_was(method: str) -> None:
    """400 documents and more, so that few are weighed at a time; what is held is passed by, in all roads."""
    random = np.random.default_rng(7)
    runs = {
        run: {t: dict(zip(map(str, random.permutation(400)[:300]), range(300, 0, -1), strict=True)) for t in "12"}
        for run in "xyz"
    }
    held, never = Judging(runs, "RBP(p=0.95)", method=method), Judging(runs, "RBP(p=0.95)", method=method)
    for number in range(8):
        order = [chosen[:2] for chosen in never.next(800)]
        aside = [order[place] for place in random.choice(60, number, replace=False)] + order[: number % 3]
        for document in aside:
            held.hold(*document)
        first = next(document for document in order if document not in aside)
        if method != "depth":  # whose turn it is, what is held has a say in
            assert held.next()[0][:2] == first
            assert [chosen[:2] for chosen in held.next(800)] == [each for each in order if each not in aside]
        assert not {*aside} & {chosen[:2] for chosen in held.next(800)}
        for document in aside:
            held.hold(*document, held=False)
        assert held.next() == never.next()
        for judging in (held, never):
            judging.record(*order[0], number % 2)


def test_turns_count_what_is_held() -> None:
    records = Records(judging=Judging(RUNS, method="depth"))
    assert [*leased(records, "Ann", 2), *leased(records, "Ben"), *leased(records, "Cleo", 2)] == [
        *("a1", "a2"),
        "a3",
        *("b1", "b2"),
    ]


@pytest.fixture(scope="module")
def simulation(data: Path) -> Simulation:
    """Return three runs of DL 2019 and what its assessors said of their documents."""
    folder = data / "dl19-passage"
    if not folder.exists():
        pytest.skip("the runs of DL 2019 are not there")
    runs = [folder / "runs" / f"{name}.gz" for name in ("bm25base_p", "p_bert", "idst_bert_p1")]
    return Simulation(Candidates.gather(runs), join(folder / "qrels.txt", runs).judgments)


@pytest.mark.parametrize("method", ["A", "C", "depth"])
def test_one_assessor_judges_what_the_experiment_does(method: str, simulation: Simulation) -> None:
    """On real runs: no audit, no minima, not blind, one judgment a document."""
    candidates, measure = simulation.candidates, Judging(simulation.candidates, "RBP(p=0.95)").measure
    expected = simulation.session(method, measure, 120)

    def session() -> Judging:
        return Judging(candidates, measure, method=method, top_grade=simulation.top_grade)

    records = Records(judging=session())
    for number, place in enumerate(expected.tolist()):
        lease = records.lease("Ann", id=f"l{number}", now=number, until=number + 9)
        document = candidates.topics[candidates.topic[place]], candidates.document[place]
        assert lease is not None
        assert lease.documents == (document,)
        grade = simulation.grade[place]
        records.append(Assessed(f"j{number}", number, *document, 0 if np.isnan(grade) else float(grade), "Ann"))
    assert Records(records, judging=session()).snapshot() == records.snapshot()
