"""What the page on findings says of real runs is what is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.reports.facts import Evidence
from cranfield.reports.reporting import REPORTED_MEASURES, evidence_of
from cranfield.reports.reviewing import review_of
from cranfield.reports.sentence import said_of

pytestmark = pytest.mark.slow


def evidence(data: Path, name: str, rel: float | None = None) -> Evidence:
    return evidence_of(data / name / "qrels.txt", data / name / "runs", REPORTED_MEASURES, None, 7, rel=rel)


def numbers(found: Evidence) -> dict[str, dict[str, Any]]:
    return {sentence.name: dict(said.numbers) for sentence, said in said_of(found)}


def test_deep_learning(data: Path) -> None:
    found = numbers(evidence(data, "dl19-passage", rel=2))
    assert (found["leader"]["leader"], round(found["leader"]["lead"], 4)) == ("idst_bert_p1", 0.0013)
    assert found["lead-not-significant"]["alike"] == 18
    assert found["hangs-on-a-topic"]["topic"] == "443396"
    assert (found["another-leader"]["count"], found["another-leader"]["of"]) == (3, 4)
    assert "never-overtaken" in found


def test_covid(data: Path) -> None:
    known = evidence(data, "covid-round1")
    found = numbers(known)
    assert (found["leader"]["leader"], round(found["leader"]["lead"], 4)) == ("run1", 0.0155)
    assert (found["overtaken"]["runs"], found["same-rankings"]["runs"], found["ties-decide"]["pairs"]) == (40, 7, 4)
    assert round(found["holes"]["share"], 2) == 0.27
    assert round(found["dominated"]["share"], 2) == 0.76
    answers = dict(review_of(known).answers.select("item", "answer").rows())
    assert answers["What that could change"].startswith("5 of 142 adjacent pairs of runs keep their order in nDCG@10")
    assert " some of these grades would reverse 137." in answers["What that could change"]


def test_ad_hoc(data: Path) -> None:
    known = evidence(data, "trec8-adhoc")
    found = numbers(known)
    assert (found["leader"]["leader"], round(found["leader"]["lead"], 4)) == ("orcl99man", 0.0285)
    assert {"lead-not-significant", "never-overtaken"} <= set(found)
    assert round(found["another-order"]["tau"], 2) == 0.5
    answers = dict(review_of(known).answers.select("item", "answer").rows())
    assert answers["What that could change"].startswith("13 of 14 adjacent pairs")


def test_a_run_that_overtakes_does_so_by_the_judgments_that_say_so(data: Path) -> None:
    """Of measures whose differences are enclosed, the example is scored by the whole machinery once more."""
    runs = cf.join(data / "covid-round1" / "qrels.txt", data / "covid-round1" / "runs", bounds=True).under(bounds=True)
    found = dict(numbers(Evidence(runs, tuple(cf.parse_measures(["AP"])))))
    leader, furthest = found["leader"]["leader"], found["overtaken"]["furthest"]
    judgments = runs.judgments
    one, other = (runs.of_run(runs.runs.index(name)) for name in (leader, furthest))
    grade = judgments.grade.copy()
    grade[judgments.candidates] = 0.0
    own = set(other.judgment[judgments.candidates[other.judgment]].tolist())
    rank = {name: dict(zip(each.judgment.tolist(), each.rank.tolist(), strict=True)) for name, each in
            ((leader, one), (furthest, other))}  # fmt: skip
    for document in own:
        if rank[furthest][document] < rank[leader].get(document, float("inf")):
            grade[document] = judgments.top_grade
    scores = runs.under(bounds=False).scores("AP", grade).averages[0]
    lead = scores[runs.runs.index(furthest)] - scores[runs.runs.index(leader)]
    assert lead == pytest.approx(found["overtaken"]["lead"])
