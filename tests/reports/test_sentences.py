"""The report's sentences: each appears where its condition holds, and nowhere else; "could" and "cannot" are proved."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.experiments.experiment import number_measures
from cranfield.plumbing.scope import Scope
from cranfield.reports.facts import Evidence
from cranfield.reports.reporting import report
from cranfield.reports.sentence import SENTENCES, Said, all_sentences, said_of, sentences_of
from cranfield.scoring.grouping import TopicGroups

Qrels = dict[str, dict[str, int]]
Run = dict[str, list[str]]


def evidence(
    qrels: Qrels, runs: dict[str, Run], measures: str = "P@1", baseline: str | None = None, **conditions: Any
) -> Evidence:
    joined = cf.join(qrels, scored(runs), bounds=True, **conditions).under(bounds=True)
    return Evidence(joined, tuple(number_measures(measures.split())), baseline)


def scored(runs: dict[str, Run]) -> dict[str, dict[str, dict[str, float]]]:
    """Give falling scores to lists; what stands together in brackets, as ``(ab)``, has the same score."""
    return {
        name: {
            topic: {doc: -float(rank) for rank, docs in enumerate(ranking) for doc in docs.strip("()")}
            for topic, ranking in run.items()
        }
        for name, run in runs.items()
    }


def said(name: str, of: Evidence) -> Said | None:
    all_sentences()
    return SENTENCES[name].finder(of)


def topics(number: int) -> list[str]:
    return [f"t{n}" for n in range(1, number + 1)]


def on(number: int, *ranking: str) -> Run:
    """Give the same list on so many topics."""
    return {topic: list(ranking) for topic in topics(number)}


def judged(number: int, **grades: int) -> Qrels:
    """Judge the same documents alike on so many topics."""
    return {topic: dict(grades) for topic in topics(number)}


AB = judged(8, a=1, b=0)
GOOD, POOR = on(8, "a", "b"), on(8, "b", "a")
NEARLY = GOOD | {"t1": ["b", "a"]}
"""As good as can be but on the first topic."""

FOLDER = TemporaryDirectory()
"""Labels and kinds are read from files."""
NUMBERS = itertools.count()
TURNED = judged(8, a=0, b=1)
FIRST = TopicGroups.taken({topic: "first" if topic == "t1" else "rest" for topic in topics(8)})
"""A topic, and all others."""


def beside(
    labels: Qrels,
    qrels: Qrels = AB,
    *,
    runs: dict[str, Run] | None = None,
    kinds: str = "",
    circular: str | None = None,
) -> Evidence:
    """Put labels of a cheap judge beside qrels."""
    cheap, of_kinds = (Path(FOLDER.name, f"{next(NUMBERS)}.txt") for _ in range(2))
    cheap.write_text("".join(f"{t} 0 {d} {label}\n" for t, of in labels.items() for d, label in of.items()))
    of_kinds.write_text(kinds)
    found = evidence(qrels, runs or {"good": GOOD, "poor": POOR})
    return replace(found, cheap=cheap, kinds=of_kinds if kinds else None, circular=circular)


ALIKE, OPPOSITE = beside(AB), beside(TURNED)
SCORED, LEVEL = beside(judged(8, a=7, b=5)), beside(judged(8, a=0, b=0))

CASES: dict[str, tuple[Evidence, Evidence]] = {
    "leader": (
        evidence(AB, {"good": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "same": GOOD}),
    ),
    "shared-lead": (
        evidence(AB, {"good": GOOD, "same": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "alone": (
        evidence(AB, {"good": GOOD}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "one-topic": (
        evidence(judged(1, a=1, b=0), {"good": on(1, "a"), "poor": on(1, "b")}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "lead-significant": (
        evidence(AB, {"good": GOOD, "poor": POOR | {"t1": ["a", "b"]}}),
        evidence(AB, {"good": GOOD, "nearly": NEARLY}),
    ),
    "lead-not-significant": (
        evidence(AB, {"good": GOOD, "nearly": NEARLY, "poor": POOR}),
        evidence(AB, {"good": GOOD, "poor": POOR | {"t1": ["a", "b"]}}),
    ),
    "against-baseline": (
        evidence(AB, {"good": GOOD, "poor": POOR | {"t1": ["a", "b"]}}, baseline="poor"),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "overtaken": (
        evidence(judged(2, a=1, b=0), {"good": on(2, "x", "a"), "hidden": on(2, "y")}, "RR"),
        evidence(judged(2, a=1, b=0), {"good": on(2, "a"), "hidden": on(2, "y")}, "RR"),
    ),
    "never-overtaken": (
        evidence(judged(2, a=1, b=0), {"good": on(2, "a"), "hidden": on(2, "y")}),
        evidence(AB, {"good": GOOD, "poor": POOR}),  # everything is judged, so that it goes without saying
    ),
    "hangs-on-a-topic": (
        evidence(
            judged(3, a=1, b=0),
            {
                "good": on(3, "b") | {"t1": ["a"]},
                "other": on(3, "b", "x", "a") | {"t1": ["b"]},
            },
            "RR",
        ),
        evidence(judged(3, a=1, b=0), {"good": on(3, "a"), "poor": on(3, "b")}),
    ),
    "falls-in-a-group": (
        replace(evidence(AB, {"good": GOOD | {"t1": ["b", "a"]}, "poor": POOR | {"t1": ["a"]}}), groups=FIRST),
        replace(evidence(AB, {"good": GOOD, "poor": POOR}), groups=FIRST),
    ),
    "complete": (
        evidence(judged(8, a=1), {"good": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "neighbours": (
        evidence(AB, {"good": GOOD, "poor": POOR | {"t1": ["a", "b"]}, "nearly": NEARLY}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "holes": (
        evidence(AB, {"good": GOOD, "new": on(8, "x", "a")}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "all-judged": (
        evidence(AB, {"good": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "new": on(8, "x", "a")}),
    ),
    "nothing-relevant": (
        evidence(AB | {"none": {"a": 0}}, {"good": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "nothing-gained": (
        evidence(AB | {"hard": {"z": 1}}, {"good": GOOD | {"hard": ["a"]}, "poor": POOR | {"hard": ["b"]}}),
        evidence(AB | {"none": {"a": 0}}, {"good": GOOD, "poor": POOR}),
    ),
    "did-not-run": (
        evidence(AB, {"good": GOOD, "half": on(4, "a")}).ran,
        evidence(AB, {"good": GOOD, "half": on(5, "a")}).ran,
    ),
    "missing-topics": (
        evidence(AB, {"good": GOOD, "short": on(7, "a")}),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "ties-decide": (
        evidence(AB, {"nearly": NEARLY, "tied": on(8, "(ab)")}),
        evidence(AB, {"nearly": NEARLY, "poor": POOR}),
    ),
    "same-rankings": (
        evidence(AB, {"good": GOOD, "again": GOOD, "poor": POOR}),
        evidence(AB, {"good": GOOD, "longer": on(8, "a", "b", "x")}),
    ),
    "another-leader": (
        evidence(judged(2, a=1, b=1), {"first": on(2, "a"), "both": on(2, "x", "a", "b")}, "P@1 R@3"),
        evidence(AB, {"good": GOOD, "poor": POOR}, "P@1 RR"),
    ),
    "same-leader": (
        evidence(AB, {"good": GOOD, "poor": POOR}, "P@1 RR"),
        evidence(AB, {"good": GOOD, "poor": POOR}, "P@1 Judged@1"),  # which says nothing of how good they are
    ),
    "another-order": (
        evidence(
            judged(2, a=1, b=1), {"first": on(2, "a"), "both": on(2, "x", "a", "b"), "none": on(2, "x")}, "P@1 R@3"
        ),
        evidence(AB, {"good": GOOD, "nearly": NEARLY, "poor": POOR}, "P@1 RR"),
    ),
    "dominated": (
        evidence(AB, {"good": GOOD, "poor": POOR}),
        evidence(judged(2, a=0), {"one": on(2, "a"), "other": on(2, "b")}),
    ),
    "effort": (
        # Both have four in the first five, but then the one has the rest a little later, and the other never.
        evidence(
            judged(2, **dict.fromkeys("abcdefgh", 1)),
            {"whole": on(2, *"wabcd0123456789efgh"), "part": on(2, *"wabcdxyz")},
            "P@5",
        ),
        evidence(AB, {"good": GOOD, "poor": POOR}),
    ),
    "judge-labels": (beside(judged(8, a=1)), ALIKE),
    "judge-binary": (beside(judged(8, a=1, b=0, c=0), judged(8, a=2, b=1, c=0)), ALIKE),
    "judge-leniency": (ALIKE, SCORED),
    "judge-agreement": (ALIKE, SCORED),
    "judge-concordance": (SCORED, beside(AB, judged(8, a=1, b=1))),
    "judge-ties-all": (LEVEL, ALIKE),
    "judge-leader": (OPPOSITE, LEVEL),
    "judge-order": (OPPOSITE, LEVEL),
    "judge-swaps": (OPPOSITE, beside(TURNED, runs={"good": GOOD, "same": GOOD})),
    "judge-favours": (OPPOSITE, ALIKE),
    "judge-circular-run": (beside(AB, circular="good"), ALIKE),
    "judge-sorts": (OPPOSITE, SCORED),
    "judge-sorts-on-its-scale": (SCORED, ALIKE),
    "judge-kinds": (beside(TURNED, kinds="good old\npoor new\n"), OPPOSITE),
    "too-long": (
        evidence(AB, {"long": on(8, *"abcdefg"), "poor": POOR}),
        evidence(AB, {"short": on(8, "a"), "poor": POOR}),
    ),
}  # fmt: skip


@each_of("name", [each.name for each in all_sentences()])
def test_each_appears_where_it_must_and_nowhere_else(name: str) -> None:
    there, elsewhere = CASES[name]
    assert said(name, there) is not None
    assert said(name, elsewhere) is None


WORDS = {
    "leader": "good leads poor by 1.0000 in P@1, with a mean of 1.0000.",
    "shared-lead": "good and same share the lead in P@1 with a mean of 1.0000 (equal to within 1e-09).",
    "alone": "good has a mean P@1 of 1.0000 over 8 topics. There is no run to compare it with.",
    "one-topic": "There is one topic, t1, which allows no test of differences.",
    # Of 256 sign patterns 4 reach seven wins and a tie; all reach one win and seven ties.
    "lead-significant": "good is significantly better than poor by P@1 on topics like these (p = 0.016; paired t-test, "
    "two-sided, below 25 topics with sign flips, alpha = 0.05).",
    "lead-not-significant": "good is not significantly better than nearly by P@1 on topics like these (p = 1.000; "
    "paired t-test, two-sided, below 25 topics with sign flips, Holm correction over 3 comparisons, alpha = 0.05). "
    "In all, 1 of 2 other runs does not differ significantly from it.",
    "against-baseline": "1 of 1 run is significantly better than poor by P@1 on topics like these, 0 significantly "
    "worse (paired t-test, two-sided, below 25 topics with sign flips, alpha = "
    "0.05).",
    "did-not-run": "half did not run and is left out: it has no line for 4 of 8 topics.",
    "overtaken": "hidden could overtake good by 0.5000 or more in RR, under some grades from 0 to 1 of the unjudged "
    "documents in these runs.",
    "never-overtaken": "good cannot be overtaken in P@1, whatever grades from 0 to 1 the unjudged documents in these "
    "runs have; at worst, another run draws level.",
    "hangs-on-a-topic": "Without topic t1, other would lead good by 0.3333 in RR.",
    "falls-in-a-group": "In group first, poor leads good by 1.0000 in P@1 (1 topic).",
    "complete": "8 judgments name relevant documents only, so every other document counts as not relevant.",
    "neighbours": "None of 2 adjacent pairs of runs and 1 of all 3 pairs differ significantly by P@1 on topics like "
    "these.",
    "holes": "25% of the top 10 are unjudged; most in new, 50%.",
    "all-judged": "Every document of every run is judged.",
    "nothing-relevant": "1 topic has no relevant document (none); all runs are equal there in P@1.",
    "nothing-gained": "All runs score 0 in P@1 on 1 topic with relevant documents (hard).",
    "missing-topics": "short lacks 1 of 8 topics, which count 0.",
    "ties-decide": "Tie-breaking decides which of nearly and tied is ahead; it alone moves the P@1 of tied from 0.0000 "
    "to 1.0000.",
    "same-rankings": "good and again have the same rankings on every topic of the qrels (8).",
    "another-leader": "first leads in P@1, both in R@3.",
    "same-leader": "good leads in P@1, and no run is ahead of it in RR.",
    "another-order": "P@1 and R@3 disagree on the order of 1 of 3 pairs of runs (Kendall's τ_b 0.00).",
    "too-long": "By SetF, the lists of long should end after 1 of 7 documents (medians over the topics).",
}


@each_of("name", WORDS)
def test_the_words(name: str) -> None:
    found = said(name, CASES[name][0])
    assert found is not None
    assert found.words == WORDS[name]


def test_a_lead_that_would_end_in_a_tie_hangs_on_a_topic() -> None:
    """By P@1 good is ahead on t1 alone; without it both have the same mean, and neither would lead."""
    runs = {"good": on(3, "b") | {"t1": ["a"]}, "other": on(3, "b")}
    found = said("hangs-on-a-topic", evidence(judged(3, a=1, b=0), runs))
    assert found is not None
    assert found.words == "Without topic t1, other would tie with good in P@1."
    more = {"good": on(4, "a") | {"t1": ["b"]}, "other": on(4, "a") | {"t1": ["b"], "t2": ["b"]}}
    two = said(
        "hangs-on-a-topic", evidence(judged(4, a=1, b=0), more | {"third": on(4, "a") | {"t4": ["b"], "t1": ["b"]}})
    )
    assert two is not None
    assert two.words.endswith(" in P@1; each of 2 topics decides whether the lead is shared.")


def test_orders_that_differ_by_ties_alone_are_not_called_turned() -> None:
    """By P@1 first and both are told apart, and by R@3 they are level: no pair stands the other way round."""
    runs = {"first": on(2, "a", "b"), "both": on(2, "x", "a", "b"), "none": on(2, "x")}
    found = said("another-order", evidence(judged(2, a=1, b=1), runs, "P@1 R@3"))
    assert found is not None
    assert found.words == "P@1 and R@3 reverse none of 3 pairs of runs, but one of them ties 2 (Kendall's τ_b 0.50)."


def test_who_costs_less_effort_follows_the_leader() -> None:
    """Twist is 1 where no effort is avoidable: the run that has more of it costs less, whichever of the two leads."""
    runs = {"whole": on(2, *"wabcd0123456789efgh"), "part": on(2, *"wabcdxyz")}
    words = set()
    for order in (["whole", "part"], ["part", "whole"]):
        found = said(
            "effort", evidence(judged(2, **dict.fromkeys("abcdefgh", 1)), {run: runs[run] for run in order}, "P@5")
        )
        assert found is not None
        assert found.numbers["leader"] == order[0]
        less = float(str(found.numbers["ease"])) > float(str(found.numbers["ease_of_leader"]))
        words.add(word := "less" if less else "more")
        assert f", with much {word} avoidable effort " in found.words
    assert words == {"less", "more"}


def test_every_measure_of_quality_is_set_beside_one_that_is_not() -> None:
    """A has judged documents alone, and B is ahead of it by P@1, the first of quality; by P@2 they are level."""
    runs = {"A": on(3, "b", "a"), "B": on(3, "a", "x")}
    found = said("another-leader", evidence(judged(3, a=1, b=0), runs, "Judged@10 P@1 P@2"))
    assert found is not None
    assert found.words == "A leads in Judged@10, but not in 1 of the other 2 measures: B leads in P@1."
    assert found.numbers["of"] == 2


def test_a_lead_by_a_geometric_mean_is_that_of_the_table() -> None:
    """One AP of 1 / 99,990, and 0, taken for 0.00001: the means are equal on paper, and not their logarithms."""
    qrels = {topic: {f"r{n}": 1 for n in range(9999)} for topic in topics(2)}
    runs = {"A": on(2, "x"), "B": on(2, "x") | {"t1": [*(f"x{n}" for n in range(9)), "r0"]}}
    of = evidence(qrels, runs, "gmAP")
    found = said("shared-lead", of)
    assert found is not None
    assert found.words.startswith("A and B share the lead in gmAP ")
    assert (said("leader", of), of.scores.runs) == (None, ("A", "B"))


def test_names_with_braces_are_names() -> None:
    found = said("leader", evidence(AB, {"{lead}": GOOD, "{0}": POOR}))
    assert found is not None
    assert found.words == "{lead} leads {0} by 1.0000 in P@1, with a mean of 1.0000."


@each_of("found", [each for pair in CASES.values() for each in pair])
def test_what_is_said_can_be_read_by_programs(found: Evidence) -> None:
    table = sentences_of(found)
    assert table.rows["name"].to_list() == [each.name for each, _ in said_of(found)]
    keys = ["complete", "endless", "measures", "n", "others", "tolerance", "top", "topics"]
    for name, sentence, numbers, scope in table.rows.iter_rows():
        assert sentence.endswith(".")
        assert json.loads(numbers)
        assert sorted(json.loads(scope)) == keys
        assert ("could" in sentence or "cannot" in sentence) == (name in {"overtaken", "never-overtaken"})


def test_one_run_on_one_topic() -> None:
    found = report({"1": {"a": 1, "b": 0}}, {"only": {"1": {"a": 1.0}}})
    assert [section.name for section in found.document.sections[:2]] == ["profile", "effort"]
    assert found.sentences.rows["name"].to_list() == ["alone", "all-judged"]


def test_one_run_alone_is_not_called_the_one_with_most_unjudged() -> None:
    holes = said("holes", evidence({"1": {"a": 1, "b": 0}}, {"only": {"1": ["a", "x"]}}))
    assert holes is not None
    assert holes.words == "50% of the top 10 are unjudged."


def test_nothing_relevant_at_all() -> None:
    found = evidence(
        {"1": {"a": 0}, "2": {"a": 0}}, {"one": {"1": ["a"], "2": ["a"]}, "other": {"1": ["b"], "2": ["a"]}}
    )
    assert {each.name for each, _ in said_of(found)} == {"shared-lead", "holes", "nothing-relevant"}


def test_less_is_better() -> None:
    found = evidence(AB, {"late": on(8, "b", "x", "a"), "good": GOOD}, "ESL")
    assert said("leader", found) == Said.of(
        "{leader} leads {second} by {lead} in {measure}, with a mean of {mean}.",
        scope=Scope(("ESL",)), leader="good", measure="ESL", mean=1.0, lead=2.0, second=["late"],
    )  # fmt: skip


DOCUMENTS = "abcd"
lists = st.permutations(DOCUMENTS).flatmap(lambda all_: st.integers(0, 3).map(lambda n: list(all_[:n])))
runs_ = st.lists(
    st.dictionaries(st.sampled_from("12"), lists, min_size=1), min_size=2, max_size=3
).map(lambda runs: {f"run{n}": run for n, run in enumerate(runs)})  # fmt: skip
qrels_ = st.fixed_dictionaries(
    {topic: st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=2) for topic in "12"}
)


@given(qrels_, runs_, st.sampled_from(["P@1", "nDCG@2", "AP", "RR", "RBP(p=0.5)", "R@2", "BalancePoint", "Bpref"]))
def test_could_and_cannot_are_what_all_completions_say(qrels: Qrels, runs: dict[str, Run], measure: str) -> None:
    found = evidence(qrels, runs, measure, complete=False)
    could, cannot = said("overtaken", found), said("never-overtaken", found)
    assert could is None or cannot is None
    if could is None and cannot is None:
        return
    standing = found.standing
    assert standing.leader is not None
    leads = np.array([led_by(standing.leader, completion, runs, measure) for completion in completions(qrels, runs)])
    if cannot is not None:
        assert leads.max() <= 1e-9
        assert float(str(cannot.numbers["least"])) <= -np.delete(leads, standing.leader, axis=1).max() + 1e-9
    if could is not None:
        really = (leads.max(axis=0) > 1e-9).sum()
        furthest = list(runs).index(str(could.numbers["furthest"]))
        assert np.isclose(leads[:, furthest], float(str(could.numbers["lead"]))).any()
        assert could.numbers["runs"] <= really
        assert float(str(could.numbers["lead"])) <= leads.max() + 1e-9
        if measure in {"P@1", "nDCG@2", "RBP(p=0.5)"}:
            assert "or more" not in could.words
        if "or more" not in could.words:
            assert could.numbers["runs"] == really
            assert np.isclose(leads.max(), float(str(could.numbers["lead"])))


@given(qrels_, runs_, st.sampled_from(["P@1", "nDCG@2", "AP", "RR", "RBP(p=0.5)", "R@2", "BalancePoint", "Bpref"]))
def test_leads_at_worst_are_between_proof_and_example(qrels: Qrels, runs: dict[str, Run], measure: str) -> None:
    """No completion goes below the one, and one of them gives the other: for every pair of runs."""
    standing = evidence(qrels, runs, measure, complete=False).standing
    ahead = np.array([led_by(0, completion, runs, measure) for completion in completions(qrels, runs)])
    for one, other in itertools.permutations(range(len(runs)), 2):
        found = standing.at_worst(one, other)
        if found is None:
            continue
        leads = ahead[:, one] - ahead[:, other]
        least, attained = found
        assert least <= leads.min() + 1e-9
        assert np.isclose(leads, attained).any()


def completions(qrels: Qrels, runs: dict[str, Run]) -> list[Qrels]:
    """Give every grade to every unjudged document that a run retrieved."""
    top = max([grade for topic in qrels.values() for grade in topic.values()]) or 1
    open_ = sorted(
        {(t, d) for run in runs.values() for t, ranking in run.items() for d in ranking if d not in qrels[t]}
    )
    every = []
    for grades in itertools.product(range(top + 1), repeat=len(open_)):
        completed = {topic: dict(grades) for topic, grades in qrels.items()}
        for (topic, document), grade in zip(open_, grades, strict=True):
            completed[topic][document] = grade
        every.append(completed)
    return every


def led_by(leader: int, qrels: Qrels, runs: dict[str, Run], measure: str) -> list[float]:
    """Say by how much each run is ahead of the leader."""
    scores = cf.evaluate(qrels, scored(runs), measure)
    way = 1 if scores.measures[0].higher_is_better else -1
    means = way * scores.averages[0]
    lead: list[float] = (means - means[leader]).tolist()
    return lead


def test_of_two_runs_nobody_else_is_spoken_of() -> None:
    found = evidence(AB, {"good": GOOD, "nearly": NEARLY})
    lead, sums = said("lead-not-significant", found), said("dominated", found)
    assert lead is not None
    assert lead.words.endswith("alpha = 0.05).")
    assert sums is not None
    assert sums.words.startswith("good is at least as good as nearly by every measure")
    assert said("dominated", evidence(AB, {"nearly": NEARLY, "good": GOOD})) == sums
