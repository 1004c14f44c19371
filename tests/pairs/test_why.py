"""Why one list is better than another: what documents contribute, and the best single swap, beside slow ways."""

from __future__ import annotations

import random
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.judged.rankings import one_ranking
from cranfield.measures import REGISTRY
from cranfield.measures.framework.declaration import example_of
from cranfield.measures.framework.measure import Measure
from cranfield.pages.look import NOT_RELEVANT
from cranfield.pairs import swaps
from cranfield.pairs.swaps import best_swap, searched
from cranfield.plumbing.errors import InputError
from cranfield.scoring.orientation import direction

NUMERIC = sorted(name for name, each in REGISTRY.items() if not each.text and each.__module__.startswith("cranfield."))
SUMS = ["P@3", "R@3", "RBP(p=0.5)", "DCG", "nDCG", "nDCG@3", "nDCG(gains={1:-1,2:3})@4", "INSQ", "SDCG@3", "CG@3"]
OTHERS = ["AP", "RR", "ERR@3", "Bpref", "Twist@5", "INST", "AP(judged_only=True)", "SetF", "infAP"]

orders = st.permutations("abcdefgh").flatmap(lambda order: st.integers(0, 8).map(lambda n: list(order[:n])))
judged = st.dictionaries(st.sampled_from("abcdefghz"), st.integers(0, 3), min_size=1)


def added_up(found: cf.Why) -> float:
    """Return a's lead over b as contributions have it, with what the values differ by before the first document."""
    to_a = -1 if found.difference < -1e-9 else 1  # contributions are to the lead of the better run, by any measure
    return to_a * float(found.documents["contribution"].sum()) + found.empty_a - found.empty_b


def test_what_nobody_judged_is_not_relevant_where_judgments_are_complete_and_has_a_range_where_they_are_not() -> None:
    runs = {"good": {"1": ["r", "x"]}}, {"poor": {"1": ["y", "r"]}}
    complete = " ".join(cf.why({"1": {"r": 1}}, *runs, "AP").remarks())
    assert "They count as not relevant (the judgments name relevant documents only)." in complete
    assert "whatever grades" not in complete
    asked, known = cf.why({"1": {"r": 1}}, *runs, "AP", complete=False), cf.why({"1": {"r": 1, "n": 0}}, *runs, "AP")
    for incomplete in (" ".join(asked.remarks()), " ".join(known.remarks())):
        assert "They count as" not in incomplete
        assert "whatever grades" in incomplete


def test_average_precision_by_hand() -> None:
    """Three relevant documents. Good has them at 1, 2 and 4, poor two of them at 2 and 3."""
    qrels = {"1": {"r": 1, "s": 1, "t": 2, "n": 0}}
    good, poor = {"good": {"1": ["r", "s", "n", "t"]}}, {"poor": {"1": ["n", "s", "t", "x", "y"]}}
    found = cf.why(qrels, good, poor, "AP")
    table = found.documents.select("document", "grade", "rank_a", "rank_b", "adds_a", "adds_b", "contribution")
    expected = [
        ("r", 1, 1, None, 1 / 3, 0, 1 / 3),
        ("s", 1, 2, 2, 2 / 2 / 3, 1 / 2 / 3, 1 / 6),
        ("t", 2, 4, 3, 3 / 4 / 3, 2 / 3 / 3, 1 / 4 - 2 / 9),
        ("n", 0, 3, 1, 0, 0, 0),
        ("x", None, None, 4, 0, 0, 0),
        ("y", None, None, 5, 0, 0, 0),
    ]
    for row, of in zip(table.iter_rows(), expected, strict=True):
        assert row[:4] == of[:4]
        assert row[4:] == pytest.approx(of[4:])
    assert found.deciding["document"].to_list() == ["r", "s", "t"]
    assert (found.better, found.by_itself, found.missed) == ("good", False, 0)
    assert (found.unjudged_a, found.unjudged_b) == (0, 2)
    assert found.difference == pytest.approx((1 + 1 + 3 / 4) / 3 - (1 / 2 + 2 / 3) / 3)


def test_the_swap_by_hand() -> None:
    """The best two places for r and s are 1 and 2; one exchange can mend one of them."""
    qrels = {"1": {"r": 1, "s": 2, "n": 0}}
    found = cf.why(qrels, {"a": {"1": ["s", "r"]}}, {"b": {"1": ["n", "x", "r", "y", "s"]}}, "DCG")
    assert found.swap is found.swap_b
    assert found.swap_b is not None
    assert (found.swap_b.high, found.swap_b.low, found.swap_b.document_high, found.swap_b.document_low) == (
        1, 5, "n", "s",
    )  # fmt: skip
    assert (found.swap_b.grade_high, found.swap_b.grade_low) == (0, 2)
    assert found.swap_b.after == pytest.approx(2 + 1 / np.log2(4))
    assert found.swap_a is None
    unjudged = cf.why(qrels, {"a": {"1": ["s", "r"]}}, {"b": {"1": ["x", "r"]}}, "P@1").swap
    assert unjudged is not None
    assert unjudged.grade_high is None
    assert (
        "ranks 1 and 2 (x, unjudged, and r, grade 1), from 0.0000 to 1.0000, level with a"
        in cf.why(qrels, {"a": {"1": ["s", "r"]}}, {"b": {"1": ["x", "r"]}}, "P@1").advice()
    )


@given(judged, orders, orders, st.sampled_from(SUMS), st.sampled_from(OTHERS), st.booleans())
@settings(max_examples=30)
def test_contributions_add_up_to_the_difference(
    qrels: dict[str, int], one: list[str], other: list[str], sums: str, another: str, condensed: bool
) -> None:
    joined = cf.join({"1": qrels}, {"a": {"1": one}, "b": {"1": other}}, bounds=True, judged_only=condensed)
    for name in (sums, another):
        found = cf.why(joined, "a", "b", name, topic="1")
        values = joined.under(bounds=False).scores(name).values[0, :, 0]
        assert [found.value_a, found.value_b] == pytest.approx(values)
        assert added_up(found) == pytest.approx(values[0] - values[1])
        assert float(found.documents["adds_a"].sum()) + found.empty_a == pytest.approx(values[0])
        if found.least is not None and found.most is not None and found.kind != "tried":
            assert found.least - 1e-9 <= found.difference <= found.most + 1e-9


EVERY = {document: grade for grade, some in enumerate(("abh", "ce", "dj")) for document in some}
LISTS = {"a": {"1": list("bxcaydj")}, "b": {"1": list("jcfayd")}}


@each_of("name", NUMERIC)
def test_by_every_measure_they_add_up(name: str, joined: cf.JudgedRuns) -> None:
    found = cf.why(joined, "a", "b", example_of(REGISTRY[name]))
    assert added_up(found) == pytest.approx(found.difference)
    adding = found.documents.filter((pl.col("adds_a").abs() > 1e-9) | (pl.col("adds_b").abs() > 1e-9))["document"]
    assert set(found.deciding["document"]) == {*"cdj", *adding}


@pytest.fixture(scope="module")
def joined() -> cf.JudgedRuns:
    return cf.join({"1": EVERY}, LISTS, bounds=True)


def test_contributions_are_signed_by_the_better_run() -> None:
    """By AP good has r first and poor second: 1/2 to the lead of good, whichever is named first."""
    qrels = {"1": {"r": 1, "n": 0}}
    good, poor = {"good": {"1": ["r", "n"]}}, {"poor": {"1": ["n", "r"]}}
    for found in (cf.why(qrels, good, poor, "AP"), cf.why(qrels, poor, good, "AP")):
        assert found.deciding.select("document", "contribution").rows() == [("r", 0.5)]
        assert "Positive contributions favour good, negative ones poor." in found.caption()
        assert "add up to the lead of good, +0.5000" in " ".join(found.remarks())
    # By ESL less is better: x costs poor a document, which speaks for good.
    fewer = cf.why(qrels, {"poor": {"1": ["x", "r"]}}, good, "ESL")
    assert (fewer.better, fewer.difference) == ("good", 1.0)
    assert fewer.deciding.filter(document="x")["contribution"].to_list() == [1.0]
    equal = cf.why(qrels, good, {"same": {"1": ["r"]}}, "AP")
    assert "A contribution is to the value of good minus that of same." in equal.caption()


def test_the_range_is_of_the_lead_too() -> None:
    """One relevant of two is known; were x relevant, poor would be level: the lead lies between 0 and 1/2."""
    qrels = {"1": {"r": 1, "n": 0}}
    good, poor = {"good": {"1": ["r"]}}, {"poor": {"1": ["x"]}}
    said = {" ".join(cf.why(qrels, *pair, "P@1").remarks()) for pair in ((good, poor), (poor, good))}
    assert all("The lead of good by P@1 lies between +0.0000 and +1.0000" in each for each in said)


def test_grades_are_called_relevant_where_the_measure_pays_them() -> None:
    """With level 2, nDCG still pays grade 1, and AP does not; AP(rel=1) has a level of its own."""
    qrels = {"1": {"r": 2, "s": 1, "n": 0}}
    lists = {"one": {"1": ["s", "n"]}}, {"two": {"1": ["n", "s"]}}
    for measure, kind, missed in (("nDCG", "grade 1", 1), ("AP", NOT_RELEVANT, 1), ("AP(rel=1)", "grade 1", 1)):
        found = cf.why(qrels, *lists, measure, rel=2)
        tables = found.plot("why").spec["datasets"].values()
        assert {row["kind"] for table in tables for row in table if row.get("document") == "s"} == {kind}
        assert found.missed == missed
    assert cf.why(qrels, {"one": {"1": ["n"]}}, {"two": {"1": ["x"]}}, "nDCG", rel=2).missed == 2
    assert cf.why(qrels, {"one": {"1": ["n"]}}, {"two": {"1": ["x"]}}, "AP", rel=2).missed == 1
    paid = cf.why(qrels, *lists, "CG(gains={0:1,1:0,2:0})")
    assert paid.paid == (0.0,)


def test_ties_for_the_topic_on_which_they_differ_most_are_told() -> None:
    qrels = {topic: {"r": 1} for topic in "1234"}
    one = {"one": {topic: ["r"] if topic in "23" else ["x", "r"] for topic in qrels}}
    two = {"two": {topic: ["x", "r"] for topic in qrels}}
    found = cf.why(qrels, one, two, "RR")
    assert (found.topic, found.as_far) == ("2", ("3",))
    assert found.remarks()[0] == "They differ most on this one of the 4 topics and, equally, on topic 3."
    assert cf.why(qrels, one, two, "RR", topic="3").as_far == ()


def test_which_documents_add_by_themselves() -> None:
    """Of a sum each document adds the same in any company; by the others two relevant ones make the difference."""
    qrels = {"1": {"r": 1, "s": 2, "n": 0, "t": 1}}
    one, other = {"a": {"1": ["n", "r", "s"]}}, {"b": {"1": ["s", "n", "t", "r"]}}
    found = {name: cf.why(qrels, one, other, name).by_itself for name in SUMS + OTHERS}
    assert [name for name, alone in found.items() if alone] == SUMS
    assert not cf.why(qrels, one, {"b": {"1": ["x", "s"]}}, "AP", judged_only=True).by_itself


def brute(measure: Measure, ranking: list[float | None], unretrieved: list[float]) -> tuple[float, int | None]:
    """Try every exchange; return what the best brings, and the lower rank of the one that reaches least far down."""
    before = measure.of(ranking, unretrieved)
    gains = {}
    for high, low in combinations(range(len(ranking)), 2):
        swapped = list(ranking)
        swapped[high], swapped[low] = ranking[low], ranking[high]
        gains[high, low] = direction(measure) * (measure.of(swapped, unretrieved) - before)
    best = max(gains.values(), default=0.0)
    if best < 1e-9:
        return 0.0, None
    return best, 1 + min(low for (_, low), gain in gains.items() if gain > best - 1e-9)


@each_of("name", NUMERIC)
def test_no_exchange_is_better_than_the_best(name: str) -> None:
    chance = random.Random(name)  # noqa: S311
    [measure] = cf.parse_measures(example_of(REGISTRY[name]))
    for _ in range(3):
        ranking: list[float | None] = [chance.choice([None, 0, 0, 1, 2, -1]) for _ in range(5)]
        best, low = brute(measure, ranking, [1.0])
        found = best_swap(one_ranking(ranking, [1.0]), measure)
        assert (None if found is None else found.low) == low, ranking
        if found is not None:
            assert direction(measure) * (found.after - found.before) == pytest.approx(best)
            swapped = list(ranking)
            swapped[found.high - 1], swapped[found.low - 1] = ranking[found.low - 1], ranking[found.high - 1]
            assert measure.of(swapped, [1.0]) == pytest.approx(found.after)


@given(st.lists(st.sampled_from([None, 0, 1, 2]), max_size=7), st.sampled_from(["nDCG@3", "AP", "Bpref", "ERR@4"]))
@settings(max_examples=40)
def test_nor_where_unjudged_documents_are_dropped(ranking: list[float | None], name: str) -> None:
    """A document that takes the place of an unjudged one moves all others between them."""
    [measure] = cf.parse_measures(name)
    found = best_swap(one_ranking(ranking, [2]), measure, judged_only=True)
    values = [cf.parse_measures(name)[0].of([g for g in ranking if g is not None], [2])]
    for high, low in combinations(range(len(ranking)), 2):
        swapped = list(ranking)
        swapped[high], swapped[low] = ranking[low], ranking[high]
        values.append(measure.of([grade for grade in swapped if grade is not None], [2]))
    assert (values[0] if found is None else found.after) == pytest.approx(max(values))


def test_long_lists_are_tried_as_far_down_as_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    [measure] = cf.parse_measures("infAP")
    assert not measure.rewards_promotion
    ranking = [0, 0, None, None, 1, 0, 2]
    whole = best_swap(one_ranking(ranking), measure)
    assert whole is not None
    assert searched(one_ranking(ranking), measure) is None
    monkeypatch.setattr(
        swaps, "MOST_SWAPS", 8
    )  # 4 pairs of different kinds among the first four, 4 more with the fifth
    part = best_swap(one_ranking(ranking), measure)
    assert part is not None
    assert (searched(one_ranking(ranking), measure), part.low) == (5, 5)
    found = cf.why({"1": {"a": 1, "n": 0}}, {"a": {"1": ["a"]}}, {"b": {"1": ["n", "x", "a", "n2", "a3"]}}, "infAP")
    assert " of those among the first" not in found.advice()
    monkeypatch.setattr(swaps, "MOST_SWAPS", 3)
    found = cf.why({"1": {"a": 1, "n": 0}}, {"a": {"1": ["a"]}}, {"b": {"1": ["n", "x", "a", "n2", "a3"]}}, "infAP")
    assert "Best swap in b, of its first 3 documents: ranks" in found.advice()
    monkeypatch.setattr(swaps, "MOST_SWAPS", 1)
    found = cf.why({"1": {"a": 1, "n": 0}}, {"a": {"1": ["a"]}}, {"b": {"1": ["n", "a"]}}, "infAP")
    assert found.searched_b is None
    monkeypatch.setattr(swaps, "MOST_SWAPS", 0)
    found = cf.why({"1": {"a": 1, "n": 0}}, {"a": {"1": ["a"]}}, {"b": {"1": ["n", "a"]}}, "infAP")
    assert found.advice() == "No swap of two documents among the first 1 improves the worse list."


def test_a_list_of_many_documents_takes_few_trials() -> None:
    ranking: list[float | None] = [0.0] * 30_000
    ranking[25_000] = ranking[29_999] = 1.0
    found = best_swap(one_ranking(ranking), cf.AP())
    assert found is not None
    assert (found.high, found.low) == (1, 30_000)  # the other is the second relevant document then, and earlier
    assert found.after == pytest.approx((1 + 2 / 25_001) / 2)


def test_the_topic_where_they_differ_most_is_found() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    a = {"a": {"1": ["a"], "2": ["x", "y", "a"], "3": ["x"]}}
    b = {"b": {"1": ["x", "a"], "2": ["a"], "3": ["y"]}}
    found = cf.why(qrels, a, b, "RR")
    assert (found.topic, found.topics) == ("2", 3)
    assert found.difference == pytest.approx(1 / 3 - 1)
    assert found.remarks()[0] == "They differ most on this one of the 3 topics."
    assert cf.why(qrels, a, b, "RR", topic="1").topics is None
    lacks = {"b": {"1": ["x", "a"], "3": ["y"]}}
    assert cf.why(qrels, {"a": {**a["a"], "2": ["a"]}}, lacks, "RR").topic == "2"
    shared = cf.why(qrels, {"a": {**a["a"], "2": ["a"]}}, lacks, "RR", topics="shared")
    assert (shared.topic, shared.topics) == ("1", 2)
    with pytest.raises(InputError, match="the two runs share no topic"):
        cf.why(qrels, {"a": {"1": ["a"]}}, {"b": {"2": ["a"]}}, "RR", topics="shared")
    equal = cf.why(qrels, {"a": b["b"]}, b, "RR")
    assert (equal.better, equal.topic) == (None, "1")
    assert equal.says() == "a and b tie in RR on topic 1, at 0.5000"
    assert "They tie on each of the 3 topics." in equal.remarks()


def test_less_is_better_by_some_measures() -> None:
    """The relevant document is one search further down in b."""
    qrels = {"1": {"r": 1, "n": 0}}
    found = cf.why(qrels, {"a": {"1": ["r"]}}, {"b": {"1": ["n", "r"]}}, "ESL")
    assert found.value_a < found.value_b
    assert (found.better, found.sign) == ("a", -1)
    assert found.swap is not None
    assert found.swap.run == "b"
    assert found.advice().endswith("level with a.")
    assert "a leads b by 1.0000 in ESL" in found.says()


def test_the_edges_of_lists_and_topics() -> None:
    qrels = {"1": {"r": 1}, "2": {"r": 0}}
    a = {"a": {"1": ["r", "x"], "2": ["r"]}}
    missing = cf.why(qrels, a, {"b": {"2": ["y"]}}, "AP", topic="1")
    assert (missing.value_b, missing.difference, missing.swap_b) == (0, 1, None)
    assert missing.documents["rank_b"].to_list() == [None, None]
    empty = cf.why(qrels, a, {"b": {"1": [], "2": ["y"]}}, "Twist@5", topic="1")
    assert added_up(empty) == pytest.approx(empty.difference)
    absent = cf.why(qrels, a, {"b": {"2": ["y"]}}, "Twist@5", topic="1")
    assert absent.value_b == 0
    assert added_up(absent) == pytest.approx(absent.difference)
    neither = cf.why({"1": {"r": 1}, "2": {"r": 1}}, {"a": {"2": ["r"]}}, {"b": {"2": ["r"]}}, "AP", topic="1")
    assert neither.documents.height == 0
    assert (neither.better, neither.missed, neither.swap) == (None, 1, None)
    assert "1 relevant document is in neither list." in neither.remarks()
    nothing = cf.why(qrels, a, {"b": {"2": ["y", "r"]}}, "AP", topic="2")
    assert (nothing.difference, nothing.deciding.height) == (0, 0)
    assert str(nothing)


def test_ties_are_broken_as_everywhere() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    tied = {"tied": {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}}
    found = cf.why(qrels, tied, {"other": {"1": ["a"]}}, "RR")
    assert found.documents.filter(document="a")["rank_a"].item() == 3  # by score, then the larger id first
    assert found.value_a == cf.evaluate(qrels, tied, "RR").values.item() == pytest.approx(1 / 3)


def test_joined_runs_and_what_others_retrieved() -> None:
    qrels = {"1": {"a": 1, "n": 0}}
    runs = {"x": {"1": ["a", "u"]}, "y": {"1": ["n", "a"]}, "z": {"1": ["v", "w"]}}
    joined = cf.join(qrels, runs)
    found = cf.why(joined, "x", "y", "R@2")
    alone = cf.why(qrels, {"x": runs["x"]}, {"y": runs["y"]}, "R@2")
    assert found.documents.equals(alone.documents)
    assert (found.least, found.most) == (0, 0.5)  # u, if relevant: x has both documents, y one of them
    assert (alone.least, alone.most) == (0, 0.5)
    assert cf.why(joined, "y", "x", "R@2").difference == -found.difference
    with pytest.raises(InputError, match="no run is called 'q'; the runs are x, y and z"):
        cf.why(joined, "x", "q")
    with pytest.raises(InputError, match="give two different runs, not 'x' twice"):
        cf.why(joined, "x", "x")
    assert cf.why(cf.join(qrels, runs, convention="trec-dl"), "x", "y").measure == "nDCG@10"
    assert cf.why(cf.join(qrels, runs, convention="gdeval"), "x", "y").measure == "nDCG(dcg='exp-log2')@20"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"topic": "9"}, "the qrels have no topic '9'; they have 1"),
        ({"measure": ["AP", "RR"]}, "why takes one measure, not 2"),
        ({"measure": "runid"}, "RunID: a text, which cannot be compared"),
        ({"b": {"b": {"1": ["a"]}, "c": {"1": ["a"]}}}, "give two runs, not 3: a, b and c"),
        ({"b": {"a": {"1": ["a"]}}}, "two runs are named 'a'"),
    ],
)
def test_what_cannot_be_is_said(asked: dict[str, Any], says: str) -> None:
    usual: dict[str, Any] = {"a": {"a": {"1": ["a"]}}, "b": {"b": {"1": ["x"]}}}
    with pytest.raises(InputError, match=says):
        cf.why({"1": {"a": 1}}, **(usual | asked))


def test_markdown_is_for_a_pull_request() -> None:
    found = cf.why({"1": {"r|r": 1}}, {"a*": {"1": ["r|r"]}}, {"b": {"1": ["x", "r|r"]}}, "RR")
    assert found.render("markdown", command="cranfield why q a b") == (
        "**a\\* leads b by 0.5000 in RR on topic 1: 1.0000 against 0.5000.**\n\n"
        "| document | grade | rank in a\\* | rank in b | adds to a\\* | adds to b | contribution |\n"
        "|:---------|------:|------------:|----------:|------------:|----------:|-------------:|\n"
        "| r\\|r     |     1 |           1 |         2 |      1.0000 |    0.5000 |       0.5000 |\n\n"
        "Positive contributions favour a\\*, negative ones b. Best swap in b: ranks 1 and 2 "
        "(x, unjudged, and r\\|r, grade 1), from 0.5000 to 1.0000, level with a\\*.\n\n"
        "    cranfield why q a b\n"
    )


def test_names_that_are_attacks_stay_names() -> None:
    name, document = "<b>\n# run", "a\x00`b`\n"
    found = cf.why({"1\n": {document: 1}}, {name: {"1\n": [document]}}, {"b": {"1\n": ["x", document]}}, "RR")
    lines = str(found.render("markdown", command=f"cranfield why {name}")).splitlines()
    assert len(lines) == 9
    assert lines[-1] == "    cranfield why <b>\\n# run"
    assert not re.search(r"^#|[^\\]<|\x00", "\n".join(lines[:-1]), re.MULTILINE)
    assert "<b>" not in found._repr_html_()
    assert cf.Why.from_dict(found.to_dict()) == found
    assert found.plot("why").to_bytes("svg")


@pytest.mark.integration
@pytest.mark.parametrize(("collection", "rel"), [("dl19-passage", 2), ("trec8-adhoc", None), ("covid-round1", None)])
def test_on_real_lists(data: Path, collection: str, rel: float | None) -> None:
    """Sums, the values of `evaluate`, and of one-swap neighbours of the list none that is better."""
    folder = data / collection
    runs = sorted((folder / "runs").iterdir())
    joined = cf.join(folder / "qrels.txt", [runs[0], runs[len(runs) // 2]], rel=rel, bounds=True)
    one, other = joined.runs
    for name in ["nDCG@10", "AP", "RBP", "P@10", "R@100", "ERR@20", "Bpref", "Twist", "INSQ"]:
        found = cf.why(joined, one, other, name)
        values = joined.scores(name).values[0, :, joined.topics.index(found.topic)]
        assert [found.value_a, found.value_b] == pytest.approx(values)
        assert added_up(found) == pytest.approx(found.difference)
        swap = found.swap
        if swap is None:
            continue
        moves = [(swap.run, swap.document_low, swap.high), (swap.run, swap.document_high, swap.low)]
        changed = cf.what_if(joined, measures=name, topic=found.topic, moves=moves)
        place = joined.runs.index(swap.run)
        assert changed.after.values[0, place, joined.topics.index(found.topic)] == pytest.approx(swap.after)
        chance = random.Random(7)  # noqa: S311
        documents = cf.Alterable(joined, name).list_of(swap.run, found.topic)
        for _ in range(20):
            high, low = sorted(
                chance.sample(range(1, min(len(documents), found.searched_a or 200, found.searched_b or 200) + 1), 2)
            )
            tried = [(swap.run, documents[low - 1], high), (swap.run, documents[high - 1], low)]
            value = cf.what_if(joined, measures=name, topic=found.topic, moves=tried).after
            gained = value.values[0, place, joined.topics.index(found.topic)] - swap.before
            assert found.sign * gained <= found.sign * (swap.after - swap.before) + 1e-9


def test_a_difference_that_is_none_has_the_sign_of_none() -> None:
    """Nothing is relevant yet; were x, s would lead by 1 - 0.6309, were c, by 0.6309."""
    found = cf.why({"1": {"a": 0, "b": 0}}, {"r": {"1": ["a", "x"]}}, {"s": {"1": ["x", "c"]}}, "nDCG@10")
    said = " ".join(found.remarks())
    assert "lies between -0.6309 and +0.0000" in said
    assert "-0.0000" not in said


def test_documents_whose_ids_are_numbers_are_called_documents() -> None:
    """In a sentence, where 7 may be a grade or a rank; the table has the id alone."""
    found = cf.why({"1": {"7": 1, "8": 0}}, {"a": {"1": ["7", "8"]}}, {"b": {"1": ["8", "7"]}}, "RR")
    assert "ranks 1 and 2 (document 8, grade 0, and document 7, grade 1)" in found.advice()
    assert "document 7 (grade 1, rank 1 in a, rank 2 in b) +0.5000" in found.plot("why").description
    assert "7" in found.documents["document"].to_list()
