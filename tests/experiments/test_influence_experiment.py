"""Influence of topics: scored again without each of them, on another road."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import cranfield as cf
from cranfield.experiments import influence
from cranfield.plumbing.errors import InputError


@pytest.mark.parametrize("measure", ["AP", "BalancePoint"])
def test_without_a_topic_it_is_as_if_that_were_not_judged(campaign: Path, measure: str) -> None:
    """Less is better by BalancePoint: its means are turned round."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    scores = runs.scores(measure)
    better = -1 if measure == "BalancePoint" else 1
    means = better * scores.averages[0]
    first, second = np.argsort(-means, kind="stable")[:2]
    found = influence(runs, measure)
    assert found["measures"].select("leader", "second").row(0) == (scores.runs[first], scores.runs[second])
    assert found["measures"]["difference"].item() == pytest.approx(means[first] - means[second])
    assert found["topics"].height == len(scores.topics)
    for row in found["topics"].iter_rows(named=True):
        others = scores.of_topics([topic for topic in scores.topics if topic != row["topic"]])
        without = better * others.averages[0]
        assert row["without"] == pytest.approx(without[first] - without[second])
        assert row["influence"] == pytest.approx((means[first] - means[second]) - row["without"])
        assert row["leads"] == scores.runs[without.argmax()]
        assert row["turns"] == (without.argmax() != first)
        assert row["tau"] == pytest.approx(kendalltau(np.round(means, 9), np.round(without, 9)).statistic)
        swapped = np.sign(np.subtract.outer(means, means)) * np.sign(np.subtract.outer(without, without)) < 0
        assert row["swaps"] == swapped.sum() / 2
    assert found["measures"]["turning"].item() == found["topics"]["turns"].sum()
    assert found["measures"]["decisive"].item() == found["topics"]["decisive"].sum()


def _runs(**found: list[float]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Make runs that have these values of P@10 on topics 1, 2, ...."""
    topics = range(1, 1 + len(next(iter(found.values()))))
    qrels = {str(t): {f"d{i}": 1 for i in range(10)} for t in topics}
    lists = {
        run: {
            str(t): [f"d{i}" for i in range(round(10 * value))] or ["x"]
            for t, value in zip(topics, values, strict=True)
        }
        for run, values in found.items()
    }
    return qrels, lists


def test_the_fewest_that_decide_are_named() -> None:
    """One leads by .5 and .3, and is behind by .4 on others: without topic 1 it is .3 − .4, without topic 2 .5 − .4."""
    found = influence(cf.join(*_runs(one=[0.5, 0.3, 0, 0, 0], two=[0, 0, 0.2, 0.1, 0.1])), "P@10")
    assert found["topics"].filter("decisive")["topic"].to_list() == ["1"]
    assert found.notes == (
        "P@10 on these 5 topics: one leads, but not without topic 1 (then two)",
        "P@10 on these 5 topics: leaving out 1 topic ends the lead of one over two, and no fewer do: 1",
    )


def test_who_leads_everywhere_and_who_is_level_is_said() -> None:
    ahead = influence(cf.join(*_runs(one=[0.5, 0.3], two=[0.4, 0.2])), "P@10")
    assert ahead["measures"].select("turning", "decisive").row(0) == (0, None)
    assert ahead.notes[1] == "P@10 on these 2 topics: one is better than two on every topic"
    level = influence(cf.join(*_runs(one=[0.3, 0.1], two=[0.1, 0.3], three=[0.0, 0.0])), "P@10")
    assert level.notes == ("P@10 on these 2 topics: one and two tie",)
    assert level["measures"]["decisive"].item() == 0
    assert level["topics"].select("topic", "leads", "turns").rows() == [("1", "two", True), ("2", "one", True)]
    nothing = influence(cf.join({t: {"a": 0} for t in "12"}, {"one": {"1": ["a"]}, "two": {"1": ["b"]}}), "AP")
    assert nothing["topics"]["leads"].to_list() == ["one and two"] * 2
    assert nothing["topics"]["tau"].null_count() == 2


def test_one_run_and_one_topic_are_refused_in_a_sentence() -> None:
    qrels, lists = _runs(one=[0.5, 0.3], two=[0.4, 0.2])
    with pytest.raises(InputError, match="one is the only run"):
        influence(cf.join(qrels, {"one": lists["one"]}), "P@10")
    with pytest.raises(InputError, match="two topics are needed"):
        influence(cf.join({"1": qrels["1"]}, lists), "P@10")
