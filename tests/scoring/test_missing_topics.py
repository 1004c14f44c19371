"""A topic that a run lacks: a zero, or an empty list, as one chooses."""

from __future__ import annotations

import math

import polars as pl
import pytest

import cranfield as cf
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 1}, "2": {"b": 1, "c": 1}, "3": {"d": 0}}
RUN = {"r": {"1": {"a": 1.0}}}
EMPTY = {"r": {"1": {"a": 1.0}, "2": {}, "3": {}}}


def test_what_an_empty_list_is_worth() -> None:
    measures = ["OIE(docs=4)", "FlatUtility", "NDCGT", "GoldInformation(docs=4)", "AP"]
    values = cf.evaluate(QRELS, RUN, measures, missing="empty").values[:, 0, 1:]
    # Two of four documents are relevant: -2 ln(2/4) / 4. There is nothing to be told of topic 3,
    # whose empty list is all that could be wanted.
    information = -2 * math.log(2 / 4) / 4
    assert values[0].tolist() == [pytest.approx((1 - 1.05) * information), 0]
    assert values[1].tolist() == [0, 0]
    assert values[2].tolist() == [0, 1]
    assert values[3].tolist() == [pytest.approx(information), 0]
    assert values[4].tolist() == [0, 0]


def test_a_missing_topic_is_0_unless_one_says_otherwise() -> None:
    measures = ["OIE(docs=4)", "NDCGT", "RRT", "RBPT(p=0.5)"]
    assert (cf.evaluate(QRELS, RUN, measures).values[:, 0, 1:] == 0).all()
    assert (cf.evaluate(QRELS, RUN, measures, missing="empty").values[:, 0, 2][1:] > 0).all()


@pytest.mark.parametrize("options", [{}, {"depth": 1}, {"judged_only": True}, {"topics": "shared"}, {"bounds": True}])
def test_missing_ones_as_empty_are_scored_as_empty_ones_are(options: dict[str, object]) -> None:
    measures = ["OIE(docs=4)", "NDCGT", "RBPT(p=0.5)", "RBP(p=0.5)", "AP", "SetF", "Utility(c=-1)", "NumQ"]
    one = cf.evaluate(QRELS, RUN, measures, missing="empty", **options)  # type: ignore[arg-type]
    other = cf.evaluate(QRELS, EMPTY, measures, **options)  # type: ignore[arg-type]
    assert (one.values == other.values).all()
    assert (one.averages == other.averages).all()
    assert one.limits is None or (one.limits == other.limits).all()


def test_the_audit_still_says_what_is_missing() -> None:
    audit = cf.evaluate(QRELS, RUN, "AP", missing="empty").audit
    assert audit.runs[0].missing == ("2", "3")
    assert audit.runs[0].empty == ()


def test_there_is_no_third_way() -> None:
    with pytest.raises(InputError, match="missing must be 'zero' or 'empty', not 'skip'"):
        cf.evaluate(QRELS, RUN, "AP", missing="skip")  # type: ignore[arg-type]


def test_rankings_themselves_stay_as_they_were() -> None:
    rankings = cf.join(QRELS, RUN).batches[0]
    assert rankings.missing_as_empty().present.tolist() == [True] * 3
    assert rankings.present.tolist() == [True, False, False]
    assert rankings.missing_as_empty().length.tolist() == [1, 0, 0]


def test_a_missing_topic_that_counts_the_best_value_is_said_to_at_every_door() -> None:
    """By ESL 0 is the best there is: whoever lacks a topic gains by it."""
    qrels = {str(topic): {"a": 1} for topic in range(1, 12)}
    whole = {topic: ["x", "a"] for topic in qrels}
    lacks = {topic: found for topic, found in whole.items() if topic not in {"2", "10"}}
    runs = {"whole": whole, "lacks": lacks}
    asked = ["ESL", "AP", "BalancePoint@5"]
    note = "missing topics counted 0, the best value by ESL and BalancePoint@5: lacks (2, 10)"
    scores = cf.evaluate(qrels, runs, asked)
    assert note in cf.compare(qrels, runs, asked).notes
    assert note in cf.compare(scores).notes
    table = scores.per_topic.remove((pl.col("run") == "lacks") & pl.col("topic").is_in(["2", "10"]))
    assert note in cf.compare_scores(table).notes
    assert note in cf.gate(qrels, runs, asked).notes
    says = "(lacks: 2, 10), which count 0, the best value by ESL and BalancePoint@5"
    [missing] = [found for found in scores.audit.findings if found.code == "missing topics"]
    assert missing.says.endswith(says)
    page = cf.report(qrels, runs, asked).to_html()
    assert "2 of 11 topics, which count 0, the best value by ESL and BalancePoint@5." in page
    for better in ({"measures": ["AP"]}, {"measures": ["ESL"], "missing": "empty"}):
        assert "best value" not in " ".join(cf.evaluate(qrels, runs, **better).audit.lines())
