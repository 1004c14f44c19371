"""The half page for reviewers: its numbers are those of the comparison, the certificate and the audit."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.reports.reviewing import Review, review

TOPICS = [str(number) for number in range(1, 9)]
QRELS = {topic: {"a": 1, "b": 0} for topic in TOPICS}
RUNS = {
    "good_1": {topic: {"a": 2.0, "b": 1.0} for topic in TOPICS},
    "nearly & so": {topic: {"a": 2.0, "b": 1.0} if topic > "2" else {"b": 1.0} for topic in TOPICS},
    "tied*": {topic: {"a": 1.0, "b": 1.0, "x": 0.5} for topic in TOPICS[:-1]},
}


def answers(found: Review) -> dict[str, str]:
    return dict(found.answers.select("item", "answer").rows())


def numbers(found: Review) -> dict[str, dict[str, Any]]:
    return {item: json.loads(text) for item, text in found.answers.select("item", "numbers").rows()}


def test_all_that_is_asked_is_answered() -> None:
    """By P@1 good_1 wins 8 of 8 topics against tied*, nearly & so 6 and ties the rest, and good_1 2 against that.

    Of 256 sign patterns 2 go as far as the first, .008, and with Holm's correction .023; 8 as far as the second, .031,
    or .0625.
    """
    found = answers(review(QRELS, RUNS, ["P@1", "RR"]))
    assert found["Evaluated"] == "3 runs on 8 topics; 16 judgments with grades from 0 to 1, relevant above 0."
    assert found["Measures"] == "P@1 and RR; the first decides."
    assert found["Test"].startswith("1 of 3 pairs of runs differs significantly by P@1 on topics like these (paired t")
    assert found["Unjudged"] == "11% of the top 10, 11% of the top 100; most in tied*, 33% of the top 10."
    assert found["What that could change"].startswith("2 of 2 adjacent pairs of runs keep their order in P@1, whatever")
    assert found["Ties"].startswith("27% of documents share their score with another of their topic. Tie-breaking ")
    assert found["Missing topics"] == "tied* lacks 1 of 8 topics, which count 0."
    assert found["Topics without relevant documents"] == "None."
    assert "Duplicates" not in found


def test_the_numbers_are_those_of_the_comparison_and_the_certificate() -> None:
    campaign = cf.simulate(systems=12, topics=15, depth=100, seed=3, pool_depth=20)
    runs = cf.join(campaign.qrels, campaign.runs(), bounds=True)
    found = numbers(review(runs, measures="nDCG@10"))
    compared = cf.compare(runs, measures="nDCG@10")
    ranks = EXPERIMENTS["certificate"](runs, ["nDCG@10"])["ranks"]
    assert found["Test"]["significant"] == compared.differences["significant"].sum()
    likely = {run: [best, worst] for run, best, worst in ranks.select("run", "likely_from", "likely_to").iter_rows()}
    assert found["Rank resolution"]["ranks"] == likely
    assert found["Rank resolution"]["first"] == ranks["may_lead"].sum()
    pairs = EXPERIMENTS["certificate"](runs, ["nDCG@10"])["pairs"]
    order = ranks["run"].to_list()
    neighbours = pl.DataFrame({"better": order[:-1], "other": order[1:]})
    kept = neighbours.join(pairs, on=["better", "other"])["certain"].sum()
    assert found["What that could change"]["kept"] == kept
    assert found["Inputs"]["digest"] == runs.under(bounds=True).fingerprint


@pytest.mark.parametrize(
    ("grades", "said"),
    [
        ({"a": -1, "b": -2}, "2 judgments with grades from -2 to -1, relevant above 0."),
        ({"a": 2}, "1 judgment with grade 2, relevant above 0."),
        ({}, "0 judgments, relevant above 0."),
    ],
)
def test_grades_are_those_that_were_given(grades: dict[str, int], said: str) -> None:
    found = answers(review({"1": grades}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}}, ["P@1"]))
    assert found["Evaluated"] == f"2 runs on 1 topic; {said}"


def test_against_a_baseline() -> None:
    found = answers(review(QRELS, RUNS, "P@1", baseline="good_1"))
    assert found["Test"].startswith(
        "1 of 2 pairs of runs differs significantly by P@1 on topics like these, each compared with good_1 (paired t"
    )
    assert found["Rank resolution"].startswith("In P@1 on topics like these, ")


def test_a_run_that_did_not_run_is_named_and_left_out() -> None:
    half = {topic: RUNS["good_1"][topic] for topic in "1234"}
    found = review(QRELS, RUNS | {"half": half}, "P@1")
    assert answers(found)["Missing topics"] == (
        "half did not run and is left out: it has no line for 4 of 8 topics. tied* lacks 1 of 8 topics, which count 0."
    )
    assert "half" not in found.ranks["run"]
    assert answers(found)["Test"] == answers(review(QRELS, RUNS, "P@1"))["Test"]


def test_one_run_on_one_topic() -> None:
    found = answers(review({"1": {"a": 1}}, {"only": {"1": {"a": 1.0, "x": 0.5}}}))
    assert found["Test"] == "None: a test takes two runs and two topics."
    assert "Rank resolution" not in found
    assert "What that could change" not in found


def test_of_measures_that_are_only_tried_nothing_is_said_to_be_sure() -> None:
    found = answers(review(QRELS, RUNS, "Twist@5"))
    assert found["What that could change"] == "Not known for Twist@5, whose ranges are not proved."


def test_markdown() -> None:
    text = str(review(QRELS, RUNS, "P@1").render("markdown"))
    bullets, table = text.split("\n\n", 1)
    assert all(re.match(r"- \*\*[^*]+\.\*\* .+\.$", line) for line in bullets.splitlines())
    assert table.startswith("| run")
    assert "tied\\*" in bullets
    assert "tied\\*" in table


def test_latex_has_its_environments_closed_and_names_escaped() -> None:
    text = str(review(QRELS, RUNS, "P@1").render("latex"))
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    assert opened == ["description", "tabular"] == re.findall(r"\\end\{(\w+)\}", text)
    description = text.partition(r"\end{description}")[0].splitlines()[1:]
    assert all(line.startswith(r"\item[") for line in description)
    assert r"good\_1" in text
    assert r"nearly \& so" in text
    bare = re.sub(r"\\[%&_#${}]|\\\w+|\\\\", "", text.replace(r"\\", ""))
    assert not re.search(r"[%#$_^~]", bare)
    assert bare.count("{") == bare.count("}")


def test_of_many_runs_the_first_are_shown() -> None:
    runs = {f"run{number:02}": RUNS["good_1"] for number in range(12)}
    found = review(QRELS, runs, "P@1")
    assert found.ranks.height == 12
    assert str(found).endswith("... and 2 more rows")
    assert answers(found)["Duplicates"].startswith("12 runs have the rankings of another run on every topic")


@pytest.mark.parametrize("format_", ["table", "markdown", "latex"])
def test_a_name_begins_no_new_line(format_: str) -> None:
    found = review(QRELS, {"a\nb\x1b[31m": RUNS["tied*"], "good": RUNS["good_1"]}, "P@1")
    text = str(found.render(format_))
    assert "\x1b" not in text
    assert "a\nb" not in text


def test_lists_that_are_cut_are_refused() -> None:
    with pytest.raises(cf.InputError, match="a report covers whole lists"):
        review(QRELS, RUNS, depth=2)
