"""What means could be: the ends are those of ties and of completed judgments, and the steps between are counted."""

from __future__ import annotations

from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.lists.possibilities import RELEVANT_SHARES, TiedRuns, possible_means
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import MeasureError

DOCUMENTS = "abcdefgh"
QRELS = st.dictionaries(
    st.sampled_from("12"), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1), min_size=1
)
LISTS = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2).map(float), min_size=1)


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Draw judgments of a topic or two, and two runs on all of them with few different scores."""
    qrels = draw(QRELS)
    return qrels, {run: {topic: draw(LISTS) for topic in qrels} for run in ("r", "s")}


@settings(max_examples=30)
@given(collections(), st.sampled_from(["AP", "nDCG@3", "P@2", "RR"]))
def test_the_ends_are_those_of_the_ties(drawn: tuple[dict, dict], measure: str) -> None:  # type: ignore[type-arg]
    qrels, runs = drawn
    found = possible_means(cf.join(qrels, runs, bounds=True), parse_measure(measure), shares=(None,), orders=2)
    expected = cf.ties(qrels, runs, [measure]).to_polars()
    for step, column in (("worst", "low"), ("as ranked", "value"), ("best", "high")):
        assert found.at(step) == pytest.approx(dict(expected.select("run", column).iter_rows()))  # type: ignore[arg-type]


@settings(max_examples=30)
@given(collections(), st.sampled_from(["AP", "nDCG@3", "Bpref", "Twist"]))
def test_none_and_all_are_judgments_that_say_so(drawn: tuple[dict, dict], measure: str) -> None:  # type: ignore[type-arg]
    qrels, runs = drawn
    found = possible_means(
        cf.join(qrels, runs, bounds=True, complete=False), parse_measure(measure), ties=("as ranked",)
    )
    top = max((grade for topic in qrels.values() for grade in topic.values()), default=0) or 1
    for share, grade in ((0.0, 0), (1.0, top)):
        filled = {
            topic: {**dict.fromkeys({each for run in runs.values() for each in run[topic]}, grade), **judged}
            for topic, judged in qrels.items()
        }
        expected = cf.evaluate(filled, runs, measure, complete=False)
        assert found.at("as ranked", share) == pytest.approx(
            dict(zip(expected.runs, expected.averages[0], strict=True))
        )
    plain = cf.evaluate(qrels, runs, measure, complete=False)
    assert list(found.at("as ranked").values()) == plain.averages[0].tolist()  # to the last bit


def test_shares_are_counted_and_nested_and_the_same_for_all_runs() -> None:
    """Of 40 documents 7 are judged, none relevant: 33 are open. Two runs have all, one from its end."""
    names = [f"d{number:02}" for number in range(40)]
    qrels = {"1": dict.fromkeys(names[:7], 0)}
    runs = {"r": {"1": names}, "s": {"1": names[::-1]}}
    shares = [0.0, 0.01, 0.1, 0.3, 0.5, 1.0]
    joined = cf.join(qrels, runs, bounds=True)
    whole = possible_means(joined, parse_measure("P@40"), ties=("as ranked",), shares=shares)
    expected = [floor(share * 33 + 0.5) / 40 for share in shares]
    assert whole.means[0, :, 0] == pytest.approx(expected)
    assert whole.means[0, :, 1] == pytest.approx(expected)
    # The first 20 of the one are the last 20 of the other: what is relevant is shared out among the two halves.
    half = possible_means(joined, parse_measure("P@20"), ties=("as ranked",), shares=shares).means[0]
    assert half.sum(axis=1) * 20 == pytest.approx(np.array(expected) * 40)
    assert (np.diff(half, axis=0) >= 0).all()
    other = possible_means(joined, parse_measure("P@20"), ties=("as ranked",), shares=shares, seed=8).means[0]
    assert (other != half).any()


def test_the_average_is_between_and_near_what_is_expected() -> None:
    """One of four documents of one score is relevant: it is first with a chance of 1/4."""
    runs = {"tied": {"1": dict.fromkeys("abcd", 1.0)}, "free": {"1": {"b": 2.0, "a": 1.0}}}
    joined = cf.join({"1": {"a": 1}}, runs, bounds=True)
    assert TiedRuns(joined).tied == (0,)
    found = possible_means(joined, parse_measure("P@1"), shares=(None,), orders=400)
    assert found.at("average")["tied"] == pytest.approx(0.25, abs=0.08)  # four standard errors
    assert [found.at(tie)["free"] for tie in found.ties] == [0.0] * 4


def test_without_ties_or_with_ranks_nothing_moves() -> None:
    runs = {"r": {"1": {"a": 1.0, "b": 1.0}}}
    joined = cf.join({"1": {"a": 1}}, runs, bounds=True, order="file")
    assert TiedRuns(joined).tied == ()
    assert possible_means(joined, parse_measure("P@1"), shares=(None,)).means.std() == 0


def test_a_depth_holds_ties_within() -> None:
    """At depth 1 there is one document; it changes places with none."""
    joined = cf.join({"1": {"a": 1}}, {"r": {"1": {"a": 1.0, "b": 1.0}}}, bounds=True, depth=1)
    assert set(possible_means(joined, parse_measure("P@1"), shares=(None,)).means.ravel()) == {0.0}


def test_a_text_has_no_mean() -> None:
    joined = cf.join({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, bounds=True)
    with pytest.raises(MeasureError, match="is a text, so it has no mean"):
        possible_means(joined, parse_measure("runid"))
    assert RELEVANT_SHARES[0] is None
