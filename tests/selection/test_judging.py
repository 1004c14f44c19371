"""The order of judging: the paper's table, a plain twin of its methods, and what must hold of every method."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tools.each import each_of

from cranfield import evaluate
from cranfield.formats import read_qrels
from cranfield.measures.user_models import RBP
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Scope
from cranfield.scoring.judged_runs import join
from cranfield.selection import METHODS, Candidates, Judging, Method
from cranfield.selection.sampling import stratified_sample
from cranfield.selection.simulation import Simulation
from cranfield.selection.state import State, weighted_measure

Lists: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""By run and topic: the documents, the best first."""
Answers: TypeAlias = Sequence[tuple[str, str, float]]
"""Topic, document and grade, in the order of the judgments."""

TABLE_1 = {
    "Run 1": {"1": ["18", "22", "15", "13", "11", "25", "10", "84"]},
    "Run 2": {"1": ["22", "10", "11", "19", "38", "18", "33", "17"]},
    "Run 3": {"1": ["21", "35", "16", "11", "38", "33", "18", "17"]},
    "Run 4": {"1": ["10", "18", "11", "22", "87", "13", "17", "20"]},
}
"""The paper's Table 1 (Moffat, Webber and Zobel 2007)."""


def scored(lists: Lists) -> dict[str, dict[str, dict[str, float]]]:
    """Write the lists down as runs."""
    return {
        run: {topic: {d: float(-i) for i, d in enumerate(ranked)} for topic, ranked in topics.items()}
        for run, topics in lists.items()
    }


@st.composite
def campaigns(draw: st.DrawFn, most_runs: int = 4) -> Lists:
    """Draw lists of some runs on some topics, which some runs may lack."""
    topics = ["1", "2", "10"][: draw(st.integers(1, 3))]
    runs = [f"r{i}" for i in range(draw(st.integers(1, most_runs)))]
    ranked = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=5, unique=True)
    lists = {run: {topic: draw(ranked) for topic in topics} for run in runs}
    if len(runs) > 1 and len(topics) > 1 and draw(st.booleans()):
        del lists[runs[-1]][topics[0]]
    return lists


def topics_of(lists: Lists) -> list[str]:
    return sorted({topic for ranked in lists.values() for topic in ranked}, key=int)


def base_and_residual(
    lists: Lists, run: str, topic: str, answers: Answers, p: float, top: float
) -> tuple[float, float]:
    """Return the base and the residual of RBP: 0 where the run lacks the topic."""
    if topic not in lists[run]:
        return 0.0, 0.0
    grades = {document: grade for where, document, grade in answers if where == topic}
    base, residual = 0.0, 1.0
    for i, document in enumerate(lists[run][topic]):
        if document in grades:
            base += (1 - p) * p**i * grades[document] / top
            residual -= (1 - p) * p**i
    return base, residual


def slow_weights(
    lists: Lists, answers: Answers, *, method: str, scope: str, p: float = 0.8, top: float = 1
) -> dict[tuple[str, str], float]:
    """Weigh every document by the definition of the method."""
    topics, weights = topics_of(lists), {}
    for topic in topics:
        for document in sorted({d for ranked in lists.values() for d in ranked.get(topic, ())}):
            parts, most = [], []
            for run in lists:
                if document not in lists[run].get(topic, ()):
                    continue
                over = [topic] if scope == "topic" else topics
                standings = [base_and_residual(lists, run, t, answers, p, top) for t in over]
                base = sum(b for b, _ in standings) / len(over)
                r = sum(r for _, r in standings) / len(over)
                c = (1 - p) * p ** lists[run][topic].index(document)
                middle = base + r / 2
                if method == "mtc-ap":
                    known = {d: grade > 0 for where, d, grade in answers if where == topic}
                    rank = {d: i for i, d in enumerate(lists[run][topic], start=1)}
                    others = [d for d in rank if d != document]
                    sure = sum(1 / max(rank[document], rank[d]) for d in others if known.get(d, False))
                    open_ = sum(1 / max(rank[document], rank[d]) for d in others if known.get(d, True))
                    parts.append(1 / rank[document] + sure)
                    most.append(1 / rank[document] + open_)
                    continue
                power = {"C": 3, "C1": 1, "C2": 2, "C(power=2.5)": 2.5, "B": 0}.get(method)
                parts.append(c if power is None else c * r * middle**power)
            if method == "mtc":
                every = [*parts, *[0.0] * (len(lists) - len(parts))]
                parts = [abs(x - y) for x, y in combinations(every, 2)]
            if method == "mtc-ap":
                absent = [0.0] * (len(lists) - len(parts))
                sums = [sum(abs(x - y) for x, y in combinations([*values, *absent], 2)) for values in (parts, most)]
                parts = [max(sums)]
            weights[topic, document] = max(parts) if method == "pool" else sum(parts)
    return weights


def answer(topic: str, document: str, top: int) -> int:
    """Return a grade that depends on the document alone."""
    return (7 * ord(document[0]) + 3 * int(topic)) % (top + 1)


def everything_of(judging: Judging) -> tuple[object, ...]:
    """Return all that is known, to the last bit."""
    state = judging.state
    arrays = (state.base, state.known, state.grade, state.open, state.residual)
    order = judging.next(len(judging.candidates))
    return (*(array.tobytes() for array in arrays), state.order, judging.weight.tobytes(), order, judging.history)


# --- The paper
# ------------------------------------------------------------------------------------------------------


def weight(rank: int) -> float:
    """Return what RBP with p = 0.8 gives to a rank."""
    return float(0.2 * 0.8 ** (rank - 1))


def test_method_a_on_table_1() -> None:
    judging = Judging(scored(TABLE_1), method="A")
    first = judging.next(6)
    assert [each.document for each in first] == ["18", "22", "11", "10", "21", "13"]
    ranks = [(1, 2, 6, 7), (2, 1, 4), (5, 3, 4, 3), (7, 2, 1), (1,), (4, 6)]
    assert [each.weight for each in first] == pytest.approx([sum(map(weight, which)) for which in ranks])
    assert [round(each.weight, 3) for each in first] == [0.478, 0.462, 0.440, 0.412, 0.200, 0.168]
    assert first[0].runs == {"Run 1": 1, "Run 4": 2, "Run 2": 6, "Run 3": 7}
    for each in first:
        judging.record(each.topic, each.document, 0)
    judged_ranks = [(1, 2, 4, 5, 7), (1, 2, 3, 6), (1, 4, 7), (1, 2, 3, 4, 6)]
    residuals = [1 - sum(map(weight, which)) for which in judged_ranks]
    assert judging.state.residual[:, 0].tolist() == pytest.approx(residuals)
    assert residuals == pytest.approx([0.41, 0.44, 0.65, 0.34], abs=0.007)  # the paper adds rounded weights


def test_what_tells_runs_apart_on_table_1() -> None:
    """11 is among the first five of all four runs, and tells little of them; 21 is in one alone, and first."""
    chosen = {each.document: each.weight for each in Judging(scored(TABLE_1), method="mtc").next(20)}
    assert list(chosen)[:4] == ["10", "22", "21", "18"]
    assert chosen["10"] == pytest.approx(3 * weight(1) + weight(2) - weight(7))  # ranks 1, 2, 7, and in one run none
    assert chosen["21"] == pytest.approx(3 * weight(1))
    assert chosen["18"] == pytest.approx(3 * weight(1) + weight(2) - weight(6) - 3 * weight(7))
    assert chosen["11"] == pytest.approx(3 * weight(3) + weight(3) - weight(4) - 3 * weight(5))


def test_pooling_on_table_1() -> None:
    order = [each.document for each in Judging(scored(TABLE_1), method="pool").next(9)]
    # 18, 22, 21, 10 at rank 1; 35 at rank 2; 15, 11, 16 at rank 3; 13 at rank 4, and 19. The paper
    # breaks ties anyhow.
    assert order == ["10", "18", "21", "22", "35", "11", "15", "16", "13"]


@pytest.mark.parametrize(("free", "named"), [("C(power=3)", "C"), ("C(power=2)", "C2"), ("C(power=0)", "B")])
def test_powers_that_have_a_name(free: str, named: str) -> None:
    free_, named_ = (Judging(scored(TABLE_1), method=method) for method in (free, named))
    while chosen := named_.next():
        assert free_.next() == chosen
        for judging in (free_, named_):
            judging.record(chosen[0].topic, chosen[0].document, answer(*chosen[0][:2], 1))


def test_a_power_is_saved_with_the_session() -> None:
    judging = Judging(scored(TABLE_1), method="C(power=2.5)")
    saved = judging.to_dict()
    assert saved["method"] == "C(power=2.5)"
    assert Judging.from_dict(judging.candidates, saved).method.power == 2.5  # type: ignore[attr-defined]


def test_depth_takes_topics_in_turn() -> None:
    lists = {"x": {"1": ["a", "b", "c"], "2": ["d"]}, "y": {"1": ["b", "e"], "2": ["d"]}}
    judging = Judging(scored(lists), method="depth")
    assert [(each.topic, each.document) for each in judging.next(9)] == [
        ("1", "a"), ("2", "d"), ("1", "b"), ("1", "e"), ("1", "c"),
    ]  # fmt: skip


@given(
    campaigns(),
    st.sampled_from(["A", "B", "C", "C1", "C2", "C(power=2.5)", "mtc", "mtc-ap", "pool"]),
    st.sampled_from(get_args(Scope)),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_methods_against_plain_loops(lists: Lists, method: str, scope: Scope, renew_every: int, top: int) -> None:
    if method in {"A", "mtc", "mtc-ap", "pool"}:
        scope = "topic"
    judging = Judging(
        scored(lists),
        method=method,
        scope=scope,
        renew_every=renew_every,
        top_grade=top,
    )
    answers: list[tuple[str, str, float]] = []
    while chosen := judging.next():
        known = answers[: len(answers) // renew_every * renew_every]
        expected = slow_weights(lists, known, method=method, scope=scope, top=top)
        places = {key: judging.candidates.place(*key) for key in expected}
        assert len(places) == len(judging.candidates)
        for key, place in places.items():
            assert judging.weight[place] == pytest.approx(expected[key], rel=1e-9, abs=1e-12)
        (topic, document, heaviest, _), *_ = chosen
        open_ = [key for key in expected if key not in {(t, d) for t, d, _ in answers}]
        assert heaviest == pytest.approx(max(expected[key] for key in open_), rel=1e-9, abs=1e-12)
        tied = [key for key in open_ if judging.weight[places[key]] == heaviest]
        assert (topic, document) == min(tied, key=lambda key: (key[1], int(key[0])))
        answers.append((topic, document, answer(topic, document, top)))
        judging.record(*answers[-1])
    assert len(answers) == len(judging.candidates)


@given(campaigns(), st.sampled_from(["C", "random"]), st.integers(1, 3))
@settings(max_examples=25)
def test_base_and_residual_are_those_of_evaluate(lists: Lists, method: str, top: int) -> None:
    judging = Judging(scored(lists), method=method, top_grade=top)
    topics = judging.candidates.topics
    scale = [(topic, "not retrieved", top) for topic in topics]  # which fixes the topics and the largest grade
    for _ in range(len(judging.candidates)):
        topic, document, *_ = judging.next()[0]
        judging.record(topic, document, answer(topic, document, top))
        if len(judging.history) % 3:
            continue
        qrels = scale + [tuple(row) for row in judging.judgments().rows()]
        scores = evaluate(qrels, scored(lists), ["RBP(p=0.8)", "RBPResidual(p=0.8)", "RBPProjected(p=0.8)"])
        found = {(r, t, m): v for r, t, m, v in scores.per_topic.select("run", "topic", "measure", "value").rows()}
        names = (("base", "RBP(p=0.8)"), ("residual", "RBPResidual(p=0.8)"), ("projected", "RBPProjected(p=0.8)"))
        for name, measure in names:
            expected = [[found[run, topic, measure] for topic in topics] for run in judging.candidates.runs]
            assert getattr(judging.state, name) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("measure", ["INSQ", "SDCG@3", "P@2", "RBP(p=0.5)@2", "RBP(gains={1:0.25,2:1})", "P(rel=2)@4"])
def test_every_weighted_measure_has_its_base_and_top(measure: str) -> None:
    lists = {"x": {"1": ["a", "b", "c"], "2": ["d"]}, "y": {"1": ["b", "e", "a", "f"], "2": ["d", "a"]}}
    judged = [("1", "a", 1), ("1", "e", 2), ("2", "d", 2), ("1", "b", 0), ("2", "elsewhere", 2)]
    state = Judging(scored(lists), measure, judged=judged, top_grade=2).state
    scores = evaluate(judged, scored(lists), measure, bounds=True).per_topic.sort("run", "topic")
    assert state.base.ravel() == pytest.approx(scores["low"].to_numpy())
    assert (state.base + state.residual).ravel() == pytest.approx(scores["high"].to_numpy())


@given(campaigns(most_runs=3), st.permutations(range(7)), st.integers(0, 2**7 - 1))
def test_a_base_never_falls_and_a_top_never_rises(lists: Lists, order: list[int], relevant: int) -> None:
    """Whatever is judged, in whichever order; of average precision neither is so."""
    judging = Judging(scored(lists))
    state = judging.state
    base, top = state.base.copy(), state.base + state.residual
    for n in order:
        for topic in topics_of(lists):
            document = "abcdefg"[n]
            if any(document in ranked.get(topic, ()) for ranked in lists.values()):
                judging.record(topic, document, relevant >> n & 1)
                assert (state.base >= base - 1e-12).all()
                assert (state.base + state.residual <= top + 1e-12).all()
                base, top = state.base.copy(), state.base + state.residual


# --- Every method
# ---------------------------------------------------------------------------------------------------


OFTEN = {"A", "C", "mtf", "random"}
"""Methods of each kind: by weight, by answers, by turns, by chance."""


@pytest.mark.parametrize(
    "method", [pytest.param(each, marks=() if each in OFTEN else pytest.mark.integration) for each in METHODS]
)
@given(lists=campaigns(), renew_every=st.integers(1, 3), moves=st.lists(st.sampled_from("jjjjsun"), max_size=14))
@settings(max_examples=25)
def test_undone_and_replayed_it_is_the_same_to_the_last_bit(
    method: str, lists: Lists, renew_every: int, moves: list[str]
) -> None:
    judging = Judging(scored(lists), method=method, renew_every=renew_every, top_grade=3)
    for i, move in enumerate(moves):
        chosen = judging.next(1 + i % 3)
        if move in "js" and chosen:
            topic, document, *_ = chosen[-1]
            judging.record(topic, document, answer(topic, document, 3)) if move == "j" else judging.skip(
                topic, document
            )
        elif move == "u" and judging.history:
            judging.undo(1 + i % len(judging.history))
    saved = json.loads(json.dumps(judging.to_dict()))
    again = Judging.from_dict(scored(lists), saved)
    assert everything_of(again) == everything_of(judging)
    assert again.to_dict() == judging.to_dict()


@pytest.mark.parametrize("method", METHODS)
@given(lists=campaigns())
@settings(max_examples=25)
def test_every_method_names_every_document_once(method: str, lists: Lists) -> None:
    judging = Judging(scored(lists), method=method)
    whole = judging.next(len(judging.candidates) + 5)
    retrieved = {(t, d) for topics in lists.values() for t, ranked in topics.items() for d in ranked}
    assert len(whole) == len(retrieved)
    assert {(each.topic, each.document) for each in whole} == retrieved
    for n in (1, 2, 3):
        assert judging.next(n) == whole[:n]


@pytest.mark.parametrize("method", METHODS)
@given(lists=campaigns(), which=st.integers(0, 30))
@settings(max_examples=25)
def test_weights_change_by_what_the_method_says(method: str, lists: Lists, which: int) -> None:
    judging = Judging(scored(lists), method=method)
    topics = range(len(judging.candidates.topics))
    before = [judging.method.weigh(judging.state, topic).tolist() for topic in topics]
    place = which % len(judging.candidates)
    judging.state.judge(place, 1)
    changed = {t for t in topics if judging.method.weigh(judging.state, t).tolist() != before[t]}
    allowed = {"nothing": set(), "topic": {int(judging.candidates.topic[place])}, "all": set(topics)}
    assert changed <= allowed[judging.method.renewed_by]


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if not method.needs_answers])
@given(lists=campaigns(), renew_every=st.integers(1, 3))
@settings(max_examples=25)
def test_a_plan_is_what_comes_whatever_the_answers_are(method: str, lists: Lists, renew_every: int) -> None:
    judging = Judging(scored(lists), method=method, renew_every=renew_every)
    planned = judging.plan(100)
    assert not judging.history
    for expected in planned:
        assert judging.next() == [expected]
        judging.record(expected.topic, expected.document, answer(expected.topic, expected.document, 1))
    assert not judging.next()


@pytest.mark.parametrize(
    ("method", "renew_every", "scope"),
    [("B", 1, "topic"), ("B", 2, "topic"), ("B", 1, "system"), ("C", 1, "topic")],
)
@given(seed=st.integers(0, 2**32), few=st.integers(1, 4))
@settings(max_examples=6)
def test_the_few_heaviest_are_enough_where_weights_only_fall(
    method: str, renew_every: int, scope: Scope, seed: int, few: int
) -> None:
    """What is next, and what it weighs, is the same to the last bit, however few are weighed anew.

    Only by Method B, renewed after each judgment, topic by topic, do weights never rise: otherwise all are weighed.
    """
    falls = (method, renew_every, scope) == ("B", 1, "topic")
    random = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(20)]
    lists = {f"r{i}": {t: random.permutation(documents)[:8].tolist() for t in "12"} for i in range(4)}
    with pytest.MonkeyPatch.context() as patched:
        sessions = []
        for most in (few, 1000):
            patched.setattr("cranfield.selection.judging.FEW_WEIGHED", most)
            judging = Judging(scored(lists), "RBP(p=0.5)", method=method, renew_every=renew_every, scope=scope)
            chosen = []
            while found := judging.next():
                chosen.append(found)
                if len(chosen) % 5 == 4:
                    judging.skip(found[0].topic, found[0].document)
                else:
                    judging.record(found[0].topic, found[0].document, len(chosen) % 2)
                if len(chosen) % 9 == 8:
                    chosen.append(judging.next(7))
                    assert (judging._few != {}) == (falls and most == few)
            sessions.append((chosen, judging.weight.tobytes()))
    assert sessions[0] == sessions[1]


def test_a_plan_of_method_c_is_the_order_as_it_stands() -> None:
    judging = Judging(scored(TABLE_1), method="C")
    assert judging.plan(5) == judging.next(5)


def test_method_b_renews_by_residual_and_a_does_not() -> None:
    lists = {"x": {"1": ["a", "b"]}, "y": {"1": ["c", "d"]}, "z": {"1": ["a", "c"]}}
    a, b = (Judging(scored(lists), "RBP(p=0.5)", method=name) for name in "AB")
    # a weighs .5 + .5, c .5 + .25, b and d .25. After a, x has a residual of .5, y of 1: d goes
    # before b.
    assert [each.document for each in a.plan(4)] == ["a", "c", "b", "d"]
    for document in "ac":
        b.record("1", document, 0)
    assert [(each.document, each.weight) for each in b.next(2)] == [("b", 0.25 * 0.5), ("d", 0.25 * 0.5)]
    b.undo()
    assert [(each.document, each.weight) for each in b.next(3)] == [
        ("c", 0.5 * 1 + 0.25 * 0.5), ("d", 0.25 * 1), ("b", 0.25 * 0.5),
    ]  # fmt: skip


# --- Little left, and ties
# ------------------------------------------------------------------------------------------


def long_lists() -> Judging:
    """Two runs of 70 documents each, none in common; of b 60 are judged, of a 61: all of them not relevant, but one."""
    lists = {run: {"1": [f"{run}{rank:02}" for rank in range(1, 71)]} for run in "ab"}
    judged = [
        ("1", f"{run}{rank:02}", int(rank == 1)) for run, last in (("a", 61), ("b", 60)) for rank in range(1, last + 1)
    ]
    return Judging(scored(lists), "RBP(p=0.5)", method="C", judged=judged)


def test_a_residual_is_what_is_open_however_little() -> None:
    """Below rank n of a list whose first n documents are judged lies 1/2ⁿ; 1 less what is known is 0 by then."""
    assert long_lists().state.residual[:, 0].tolist() == [2.0**-61, 2.0**-60]


def test_the_last_documents_are_chosen_by_what_is_open() -> None:
    # Both runs have base 1/2. a62 weighs 2⁻⁶² · 2⁻⁶¹ / 8, and b61 four times that, though its id is
    # the larger.
    chosen = long_lists().next(3)
    assert [each.document for each in chosen] == ["b61", "b62", "a62"]
    assert chosen[0].weight == 2.0**-61 * 2.0**-60 / 8
    assert chosen[1].weight == 2.0**-62 * 2.0**-60 / 8


@pytest.mark.parametrize("smaller", ["x", "y"])
def test_equal_weights_go_by_id_in_whatever_order_they_came_about(smaller: str) -> None:
    """Two runs of 5 and 8 documents, judged down to rank 4 in different orders: 0.8⁴ is open of both, in truth."""
    larger = "y" if smaller == "x" else "x"
    name = {smaller: "a", larger: "b"}
    lists = {
        run: {"1": [f"{name[run]}{rank}" for rank in range(1, length + 1)]} for run, length in (("x", 5), ("y", 8))
    }
    judging = Judging(scored(lists), "RBP(p=0.8)", method="B")
    for run, ranks in (("x", (1, 2, 3, 4)), ("y", (4, 1, 3, 2))):
        for rank in ranks:
            judging.record("1", f"{name[run]}{rank}", 0)
    first, second = judging.next(2)
    assert (first.document, second.document) == ("a5", "b5")
    assert judging.next() == [first]
    assert first.weight == pytest.approx(0.2 * 0.8**4 * 0.8**4)
    assert first.weight == pytest.approx(second.weight, rel=1e-14)


@pytest.mark.parametrize(
    ("measure", "rank", "left"),
    [
        ("RBP(p=0.5)", 0, 1.0),
        ("RBP(p=0.5)", 1000, 0.5**1000),
        ("RBP(p=0.5)@4", 3, 1 / 16),
        ("RBP(p=0.5)@4", 4, 0.0),
        ("RBP(p=0.5)@4", 9, 0.0),
        ("P@4", 1, 3 / 4),
        ("P@4", 7, 0.0),
        ("SDCG@3", 1, (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)),
        ("INSQ", 1, 1 - 1 / (4 * (math.pi**2 / 6 - 1))),
    ],
)
def test_what_lies_below_the_end_of_a_list(measure: str, rank: int, left: float) -> None:
    assert weighted_measure(measure).below(np.array([[rank]]))[0, 0] == pytest.approx(left, rel=1e-12)


@pytest.mark.integration  # seven seconds
def test_method_c_on_trec8_chooses_by_weight_to_the_end(data: Path) -> None:
    """Of 20,000 choices by p = .5 and by .8, 19,727 are the same; by rounding noise it was 16,567."""
    folder = data / "trec8-adhoc"
    candidates = Candidates.gather(folder / "runs")
    simulation = Simulation(candidates, join(folder / "qrels.txt", folder / "runs").judgments)
    half, most = (simulation.session("C", RBP(p=p), 20_000) for p in (0.5, 0.8))
    assert len(np.intersect1d(half, most)) == 19_727


def test_the_seed_decides_the_random_order() -> None:
    orders = {seed: [each.document for each in Judging(scored(TABLE_1), method="random", seed=seed).next(20)]
              for seed in (1, 2)}  # fmt: skip
    assert orders[1] != orders[2]
    assert orders[1] == [each.document for each in Judging(scored(TABLE_1), method="random", seed=1).next(20)]
    assert sorted(orders[1]) == sorted(orders[2])


# --- Judgments so far, and what is refused
# --------------------------------------------------------------------------


def test_given_judgments_count_and_others_are_kept() -> None:
    given_before = [("1", "22", 0), ("1", "elsewhere", 1), ("9", "18", 1), ("1", "35", -2)]
    judging = Judging(scored(TABLE_1), method="A", judged=given_before)
    assert [each.document for each in judging.next(2)] == ["18", "11"]
    judging.record("1", "18", 1)
    assert judging.judgments().rows() == [*given_before, ("1", "18", 1)]
    assert judging.status().judged == 3
    with pytest.raises(InputError, match="judged already, with grade 0"):
        judging.record("1", "22", 1)
    with pytest.raises(InputError, match="2 records cannot be taken back; only 1"):
        judging.undo(2)
    assert read_qrels(judging.judgments()).height == 5


def test_fractional_grades_stay_what_they_are() -> None:
    judging = Judging(scored(TABLE_1), top_grade=2)
    judging.record("1", "18", 0.5)
    assert judging.judgments().rows() == [("1", "18", 0.5)]
    assert math.isclose(judging.state.base[0, 0], 0.2 * 0.5 / 2)


def test_among_those_listed_the_order_is_that_of_all() -> None:
    every, few = (Judging(scored(TABLE_1), method="A", among=each) for each in (None, [("1", "38"), ("1", "22")]))
    order = [chosen.document for chosen in every.plan(100)]
    assert [chosen.document for chosen in few.plan(100)] == [d for d in order if d in {"38", "22"}]
    np.testing.assert_array_equal(few.state.residual, every.state.residual)  # nothing is learnt of the others
    few.record("1", "22", 1)
    assert (few.status().judged, few.status().remaining, few.status().skipped) == (1, 1, 0)
    again = Judging.from_dict(few.candidates, json.loads(json.dumps(few.to_dict())))
    assert [chosen.document for chosen in again.next(9)] == ["38"]
    with pytest.raises(InputError, match="document '18' of topic '1' is not among those to be judged"):
        few.record("1", "18", 1)
    with pytest.raises(InputError, match="no run retrieved document 'z'"):
        Judging(scored(TABLE_1), among=[("1", "z")])


def test_a_skipped_document_is_left_out_and_learnt_nothing_of() -> None:
    judging = Judging(scored(TABLE_1), method="A")
    judging.skip("1", "18")
    assert judging.next()[0].document == "22"
    assert judging.state.residual == pytest.approx(np.ones((4, 1)))
    assert judging.judgments().rows() == []
    assert judging.status().skipped == 1
    with pytest.raises(InputError, match="is skipped"):
        judging.record("1", "18", 1)
    judging.undo()
    assert judging.next()[0].document == "18"


@pytest.mark.parametrize(
    ("topic", "document", "grade", "problem"),
    [
        ("2", "18", 1, "no run has a topic '2'; the topics are 1"),
        ("1", "99", 1, "no run retrieved document '99' for topic '1'"),
        ("1", "18", 2, "a grade is a number from 0 to 1, not 2"),
        ("1", "18", -1, "a grade is a number from 0 to 1, not -1"),
        ("1", "18", math.nan, "a grade is a number from 0 to 1, not nan"),
        ("1", "18", "good", "a grade is a number from 0 to 1, not 'good'"),
    ],
)
def test_a_wrong_judgment_is_refused_and_changes_nothing(topic: str, document: str, grade: float, problem: str) -> None:
    judging = Judging(scored(TABLE_1))
    before = everything_of(judging)
    with pytest.raises(InputError) as refused:
        judging.record(topic, document, grade)
    assert str(refused.value) == problem
    assert everything_of(judging) == before


@each_of(
    ("settings_", "problem"),
    [
        ({"measure": "AP"}, "AP has no fixed weights of ranks, .*; use INSQ, P, RBP or SDCG"),
        ({"measure": "RBPResidual"}, "has no fixed weights"),
        ({"measure": "P(judged_only=True)@5"}, "has no fixed weights"),
        ({"measure": "SDCG"}, "SDCG"),
        ({"method": "D"}, "there is no method 'D'; choose from A, B, C"),
        ({"method": "C(power=-1)"}, "power of method C must be at least 0, not -1"),
        ({"method": "C(power=x)"}, r"given as name=number, as in C\(power=2.5\), not 'power=x' in 'C\(power=x\)'"),
        ({"method": "A(power=2)"}, "method A has no parameter 'power'; it has: none"),
        ({"method": "C(power=2"}, r"there is no method 'C\(power=2'; choose from A"),
        ({"method": "A", "scope": "system"}, "method A does not use scores of the runs"),
        ({"scope": "run"}, "scope must be 'topic' or 'system', not 'run'"),
        ({"renew_every": 0}, "renew_every must be at least 1, not 0"),
        ({"top_grade": 0}, "top_grade must be above 0, not 0"),
        ({"judged": [("1", "18", 2)]}, "has grade 2, but the largest is to be 1; say top_grade=2"),
    ],
)
def test_wrong_settings_are_refused(settings_: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Judging(scored(TABLE_1), **settings_)  # type: ignore[arg-type]


@each_of(
    ("changed", "problem"),
    [
        ({"judged": 3}, "judged of a saved judging session is a list, not int"),
        ({"history": "1 18 1"}, "history of a saved judging session is a list, not str"),
        ({"history": [["1", "18"]]}, r"holds \[topic, document, grade\], not \['1', '18'\]"),
        ({"history": [["1", 18, 1]]}, r"holds \[topic, document, grade\]"),
        ({"history": [["1", "18", "high"]]}, r"holds \[topic, document, grade\]"),
        ({"judged": [None]}, r"holds \[topic, document, grade\], not None"),
        ({"seed": "seven"}, "seed must be a whole number"),
        ({"renew_every": 0}, "renew_every must be at least 1"),
        ({"measure": 8}, "measure must be a text"),
        ({"scope": "world"}, "scope must be 'topic' or 'system'"),
    ],
)
def test_a_saved_session_of_another_shape_is_refused(changed: dict[str, Any], problem: str) -> None:
    saved = json.loads(json.dumps(Judging(scored(TABLE_1)).to_dict()))
    with pytest.raises(InputError, match=problem):
        Judging.from_dict(scored(TABLE_1), saved | changed)
    others: tuple[Any, ...] = (None, [], "saved")
    for other in others:
        with pytest.raises(InputError, match="is what to_dict"):
            Judging.from_dict(scored(TABLE_1), other)


def test_a_session_is_not_taken_up_with_other_runs() -> None:
    saved = Judging(scored(TABLE_1)).to_dict()
    other = {**TABLE_1, "Run 4": {"1": ["18", "10", "11", "22", "87", "13", "17", "20"]}}
    with pytest.raises(InputError, match="saved for other runs"):
        Judging.from_dict(scored(other), saved)
    unseeded = {name: value for name, value in saved.items() if name != "seed"}
    with pytest.raises(InputError, match="has also: seed"):
        Judging.from_dict(scored(TABLE_1), unseeded)


def test_a_second_method_of_a_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"a method named 'A' exists already, in cranfield\.selection\.method"):
        type("Other", (Method,), {}, name="A")


def test_real_runs_are_judged_down_to_nothing_open(data: Path) -> None:
    """Method C on two runs of TREC-8, cut at 5: judged to the end, base is RBP and only the tail is open."""
    runs = [data / "trec8-adhoc/runs/orcl99man.gz", data / "trec8-adhoc/runs/INQ602.gz"]
    candidates = Candidates.gather(runs, depth=5)
    grades = {(t, d): g for t, d, g in read_qrels(data / "trec8-adhoc/qrels.txt").rows()}
    judging = Judging(candidates, method="C")
    while chosen := judging.next():
        topic, document, *_ = chosen[0]
        judging.record(topic, document, grades.get((topic, document), 0))
    assert judging.state.residual == pytest.approx(np.full((2, 50), 0.8**5))
    by_topic = evaluate(data / "trec8-adhoc/qrels.txt", runs, "RBP(p=0.8)@5").per_topic
    means = dict(by_topic.group_by("run").agg(pl.col("value").mean()).rows())
    assert judging.status().mean_base.tolist() == pytest.approx([means[run] for run in candidates.runs])


def test_what_cannot_begin_anew_goes_on_as_it_was() -> None:
    """The new candidates lack a document that is kept; the new method has no scope; the new scale is too short."""
    judging = Judging(TABLE_1, method="B", scope="system", top_grade=2)
    judging.record("1", "84", 2)
    saved, weights = judging.to_dict(), judging.weight.tolist()
    fewer = Candidates.gather({"Run 2": TABLE_1["Run 2"]})
    asked: list[dict[str, Any]] = [{"candidates": fewer, "keep": 1}, {"method": "A"}, {"top_grade": 1, "keep": 1}]
    for changes in asked:
        with pytest.raises(InputError):
            judging.restart(**changes)
        assert (judging.to_dict(), judging.weight.tolist()) == (saved, weights)


def test_weights_of_ones_own_method_may_be_negative() -> None:
    """What is judged is never chosen again, and the order of weights below 0 is that of their numbers."""

    class Shorter(Method, name="the shorter the better"):
        def weigh(self, state: State, topic: int) -> Floats:
            documents = state.candidates.document[state.candidates.documents_of(topic)]
            return -1.0 * documents.str.len_chars().to_numpy()

    try:
        judging = Judging({"x": {"1": ["aaa", "b", "cc"]}, "y": {"2": ["dddd"]}}, method="the shorter the better")
        chosen = []
        for _ in range(4):
            [one] = judging.next()
            chosen.append(one.document)
            judging.record(one.topic, one.document, 0)
        assert chosen == ["b", "cc", "aaa", "dddd"]
        assert judging.next() == []
    finally:
        METHODS.pop("the shorter the better")


@pytest.mark.parametrize("method", ["depth", "pool", "A", "mtf"])
def test_a_document_that_no_run_has_comes_last(method: str) -> None:
    candidates = Candidates.gather({"x": {"1": ["b", "c"]}, "y": {"1": ["c"]}})
    listed = pl.DataFrame({"query_id": ["1", "1", "1"], "doc_id": ["a", "b", "z"]})
    judging = Judging(candidates.among(listed), method=method)
    order = [chosen.document for chosen in judging.next(4)]
    assert set(order[:2]) == {"b", "c"}
    assert order[2:] == ["a", "z"]


def test_strata_by_rank_take_a_document_that_no_run_has() -> None:
    candidates = Candidates.gather({"x": {"1": ["b", "c"]}})
    more = candidates.among(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["y", "z"]}))
    sample = stratified_sample(more, 4, depths=[2])
    assert dict(sample.select("doc_id", "stratum").rows()) == {"b": 0, "c": 0, "y": 1, "z": 1}
    assert more.within(1).document.to_list() == ["b"]


@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from([0.5, -0.5]), st.integers(0, 6)), min_size=1, max_size=9)
)
@example([("1", 0.5, 2), ("1", 0.5, 0), ("2", 0.5, 4)])  # of d0, d1 and d0 again the second weighs most
@example([("1", 0.5, 0)])
def test_several_at_once_are_those_that_come_one_by_one(steps: list[tuple[str, float, int]]) -> None:
    """Also where weights differ by 4e-13 of each other, so that a and b count as equal, b and c, but not a and c."""
    weight: dict[tuple[str, str], float] = {}
    for topic, about, step in steps:
        weight[topic, f"d{sum(known == topic for known, _ in weight)}"] = about * (1 - step * 4e-13)
    runs = {"x": {topic: {d: 1.0 for known, d in weight if known == topic} for topic, _ in weight}}
    left, expected = dict(weight), list[tuple[str, str]]()
    while left:
        most = max(left.values())
        equal = [each for each, weighs in left.items() if most - weighs <= 1e-12 * abs(most)]
        expected.append(min(equal, key=lambda each: (each[1], each[0])))
        del left[expected[-1]]

    class Given(Method, name="given"):
        def weigh(self, state: State, topic: int) -> Floats:
            documents = state.candidates.document[state.candidates.documents_of(topic)].to_list()
            return np.array([weight[state.candidates.topics[topic], each] for each in documents])

    try:
        judging = Judging(runs, method="given")
        for n in range(len(weight) + 2):
            assert [(each.topic, each.document) for each in judging.next(n)] == expected[:n]
        one_by_one = []
        while chosen := judging.next():
            one_by_one += [(each.topic, each.document) for each in chosen]
            judging.hold(*one_by_one[-1])
    finally:
        METHODS.pop("given")
    assert one_by_one == expected
