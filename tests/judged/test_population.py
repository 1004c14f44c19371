"""Of which topics and judgments a number is: counted once, and said alike wherever it stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.judged.population import Population
from cranfield.reports.first_sheet import first_sheet
from cranfield.reports.reporting import evidence_of, report_of
from cranfield.reports.reviewing import review

QRELS = {str(topic): {"a": 1, "b": 0} for topic in range(1, 7)} | {"7": {"z": -2}}
"""Seven topics; in the last nothing is relevant."""
THREE = ("1", "2", "3")
RUNS = {
    "good": {topic: ["a", "b"] for topic in THREE},
    "poor": {topic: ["b", "a"] for topic in THREE},
    "none": {topic: ["b"] for topic in THREE},
}


def shared(runs: dict[str, dict[str, list[str]]] = RUNS) -> cf.JudgedRuns:
    return cf.join(QRELS, runs, topics="shared")


def test_shared_topics_are_counted_alike_wherever_they_are_said() -> None:
    joined = shared()
    scores = cf.evaluate(joined, measures=["nDCG@10", "RR"])
    assert joined.population == scores.population.judged_by(joined.judgments)
    assert scores.caption().startswith("Averages over 3 of 7 topics")
    assert repr(scores) == "Scores(3 runs, 3 of 7 topics: nDCG@10, RR)"
    assert "3 of 7 topics. All 3 runs have the same" in " ".join(scores.plot("leaderboard").spec["title"]["subtitle"])
    counts, lacked = scores.audit.lines()[:2]
    assert counts == "3 runs, 3 of 7 topics"
    assert lacked.startswith("all 3 runs have the same 3 of 7 topics and lack 4 (4, 5, 6 and 1")
    assert "without a relevant document" not in str(scores.audit)
    assert scores.audit.caption() == "Audit of 3 runs on 3 of 7 topics."
    assert "Averages over 3 of 7 topics" in cf.curve(joined, measure="nDCG", last_rank=2).caption()
    assert "Averages over 3 of 7 topics" in cf.trace(joined).caption()
    assert "3 runs, 3 topics, " in str(cf.experiments.risk(joined, ["RR"]).collections[0])
    assert "Means over 3 topics" in cf.compare(joined, measures="RR").caption()


def test_collections_count_the_topics_of_their_means() -> None:
    one = {"qrels": QRELS, "runs": RUNS, "topics": "shared"}
    every = {"qrels": QRELS, "runs": RUNS}
    found = cf.evaluate_all({"one": one, "whole": every}, "RR").caption()
    assert "one (3 of 7 topics)" in found
    assert "whole (7 topics)" in found


def test_the_check_counts_what_belongs_to_the_topics() -> None:
    """Of seven topics and 13 judgments three topics with six; nothing is missing from these."""
    answers = dict(review(shared(), measures="RR").answers.select("item", "answer").iter_rows())
    assert answers["Evaluated"].startswith(
        "3 runs on 3 of 7 topics, which all runs have; 6 judgments with grades from 0 to 1, relevant above 0"
    )
    assert answers["Topics without relevant documents"] == "None."
    assert answers["Missing topics"] == "3 runs each lack 4 of 7 topics, which are left out for all runs."
    every = dict(review(QRELS, RUNS, "RR").answers.select("item", "answer").iter_rows())
    assert "7 topics; 13 judgments with grades from -2 to 1" in every["Evaluated"]
    assert every["Topics without relevant documents"] == "1 of 7 (7), kept in the means."


def test_the_first_sheet_counts_the_same() -> None:
    from datetime import date

    evidence = evidence_of(shared(), None, "RR", None, 7)
    facts = dict(first_sheet(evidence, date(2026, 1, 1)).facts)
    assert facts["Judgments"] == "6, grades 0 to 1, relevant above 0."
    title = report_of(evidence, date(2026, 1, 1), collection="made").document.title
    assert title.startswith("made: 3 runs on 3 of 7 topics, which all runs have, ")


def test_runs_with_different_topics() -> None:
    """Each run is averaged over its own in scores; where runs are compared, over those that all have."""
    joined = shared(RUNS | {"fewer": {"1": ["a"], "2": ["a"]}})
    assert str(joined.population) == "each run's own topics, 2 to 3 of 7 topics"
    assert (joined.population.topics, joined.population.judgments) == (3, 6)
    assert "each run's own topics, 2 to 3 of 7 topics" in cf.evaluate(joined, measures="RR").caption()
    assert evidence_of(joined, None, "RR", None, 7).over == "4 runs on 2 of 7 topics, which all runs have"
    assert "(fewer: 3, 4, 5 and 2 more" not in cf.evaluate(joined, measures="RR").audit.line()
    said = "all 4 runs lack the same 4 of 7 topics (4, 5, 6 and 1 more), 1 of them more (fewer: 3), which are left out"
    assert said in cf.evaluate(joined, measures="RR").audit.line()


def test_reference_lists_are_averaged_over_the_topics_that_count() -> None:
    """The ideal has 1 on each of the three topics, and 0 on the seventh, which no run has."""
    assert cf.curve(shared(), measure="nDCG", last_rank=2).ideal_average.tolist() == [1.0, 1.0]
    assert cf.curve(QRELS, RUNS, "nDCG", last_rank=2).ideal_average.tolist() == [6 / 7, 6 / 7]
    uneven = QRELS | {"4": dict.fromkeys("abcdefgh", 1)}
    table = cf.trace(uneven, RUNS, n=10, topics="shared").means
    alone = cf.trace({topic: QRELS[topic] for topic in THREE}, RUNS, n=10).means
    assert table["crp_full_scale"].to_list() == alone["crp_full_scale"].to_list()
    assert cf.trace(uneven, RUNS, n=10, topics="shared").example["run"].to_list()


def test_runs_of_the_same_topics_are_tested_on_them() -> None:
    found = cf.evaluate(shared(), measures="RR").behind_best()
    alone = cf.evaluate({topic: QRELS[topic] for topic in THREE}, RUNS, "RR").behind_best()
    assert found.equals(alone)
    assert found["below"].null_count() == 0


def test_advice_that_changes_something() -> None:
    """Where all runs lack the same topics, silence would change nothing: they were hardly asked."""
    lines = cf.evaluate(QRELS, RUNS, "RR").audit.lines("--rel")
    assert lines[0] == (
        "warning: all 3 runs have the same 3 of 7 topics and lack 4 (4, 5, 6 and 1 more), which count 0 (--topics "
        "shared averages over the 3 that all have)"
    )
    two = {name: RUNS[name] for name in ("good", "poor")}
    said = "both runs have the same 3 of 7 topics and lack 4 (4, 5, 6 and 1 more), which count 0 "
    assert f'{said}(topics="shared" averages over the 3 that all have)' in cf.evaluate(QRELS, two, "RR").audit.line()
    alone = cf.evaluate(QRELS, {"good": RUNS["good"]}, "RR").audit  # most of the topics
    assert alone.lines()[0].endswith('which count 0 (topics="shared" averages over the 3 of 7 topics that it has)')
    few = cf.evaluate(QRELS, {"good": {topic: ["a"] for topic in "123456"}}, "RR").audit  # it may have been silent
    said = '(good: 7), which count 0 (topics="shared" leaves them out, missing="empty" counts them as empty lists)'
    assert few.lines()[0].endswith(said)


def test_questions_without_an_answer_count_0_and_the_audit_says_so() -> None:
    """R@5 is 1 on each question with an answer: of three, one has none."""
    qrels: dict[str, dict[str, int]] = {"1": {"a": 1}, "2": {"a": 1}, "3": {}}
    found = cf.evaluate(qrels, {"r": {topic: ["a"] for topic in qrels}}, ["R@5", "NDCGT", "Judged@5"])
    assert found["r", "R@5"] == pytest.approx(2 / 3)
    assert (
        "1 topic without a relevant document (3), which counts 0 by R@5, 1 without any judgment" in found.audit.line()
    )
    bare = cf.evaluate(qrels, {"r": {topic: ["a"] for topic in qrels}}, "NDCGT").audit.line()
    assert "count 0" not in bare
    assert "counts 0" not in bare


def test_of_nothing() -> None:
    nothing = cf.join({"1": {}}, {"r": {"1": ["a"]}}).population
    assert (nothing.topics, nothing.judgments, nothing.grades, str(nothing)) == (1, 0, None, "1 topic")
    answers = dict(review({"1": {}}, {"r": {"1": ["a"]}}, "P@1").answers.select("item", "answer").iter_rows())
    assert answers["Evaluated"] == "1 run on 1 topic; 0 judgments, relevant above 0."


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=4))
def test_a_population_by_its_definition(rows: list[list[bool]]) -> None:
    topics = list("abcde")
    found = Population.where(np.array(rows), topics)
    assert found.topics == sum(any(row[place] for row in rows) for place in range(5))
    assert found.shared.topics == sum(all(row[place] for row in rows) for place in range(5))
    assert (found.fewest, found.most) == (min(map(sum, rows)), max(map(sum, rows)))
    assert found.alike == all(row == rows[0] for row in rows)
    assert found.counting(topics) == tuple(
        topic for place, topic in enumerate(topics) if any(row[place] for row in rows)
    )
    left_out = [[topic for topic, there in zip(topics, row, strict=True) if not there] for row in rows]
    assert found == Population.of(left_out, 5)
