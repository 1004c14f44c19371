"""How comparisons and gates open: the verdict, and the few numbers it rests on, in the words of the report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from cranfield.cli import main
from cranfield.reports.first_sheet import headline
from cranfield.reports.reporting import evidence_of

Lists = Mapping[str, list[str]]
MOST_LINES = 10


def lists(*ranks: int) -> Lists:
    """Rank the one relevant document of each topic at these places."""
    return {str(topic): [*(f"x{n}" for n in range(1, rank)), "a"] for topic, rank in enumerate(ranks)}


def judgments(topics: int) -> dict[str, dict[str, int]]:
    return {str(topic): {"a": 1, **{f"x{n}": 0 for n in range(1, 10)}} for topic in range(topics)}


NEAR, FIRST, FAR = lists(2, 2, 2, 1, 1, 1), lists(1, 1, 1, 1, 1, 1), lists(2, 2, 2, 3, 2, 2)


@pytest.mark.parametrize("measure", ["RR", "ASL"])
@pytest.mark.parametrize("other", [NEAR, FAR, FIRST])
def test_the_verdict_is_that_of_the_report_to_the_letter(measure: str, other: Lists) -> None:
    runs = {"other": other, "first": FIRST}
    found = cf.compare(judgments(6), runs, measure).opening()
    said = headline(evidence_of(judgments(6), runs, [measure], None, 7))
    assert found[0] == said.says.words
    if said.sure is not None and other is not FIRST:
        between, tally = said.sure.words.split("). ")
        assert found[1].startswith(between)
        assert found[2] == tally


@pytest.mark.parametrize("systems", [2, 4])
@pytest.mark.parametrize(("measure", "plain"), [("gmAP", "AP"), ("gmTwist", "Twist")])
def test_geometric_means_have_leads_on_the_scale_of_the_means(measure: str, plain: str, systems: int) -> None:
    """By hand: t over logarithms, turned back at the leader's mean. `compare` gave logarithms, the report values."""
    campaign = cf.simulate(systems=4, topics=30, depth=50, seed=5)
    runs = dict([*campaign.runs().items()][:systems])
    compared, scores = cf.compare(campaign.qrels, runs, measure), cf.evaluate(campaign.qrels, runs, plain)
    found = compared.opening()
    said = headline(evidence_of(campaign.qrels, runs, [measure], None, 7))
    logs = np.log(np.maximum(scores.values[0], 0.00001))
    first, second = np.argsort(-logs.mean(axis=1))[:2]
    apart, mean = logs[first] - logs[second], np.exp(logs[first].mean())
    lead = mean - np.exp(logs[second].mean())
    assert found[0].startswith(f"{scores.runs[first]} leads {scores.runs[second]} by {lead:.4f} in {measure}: ")
    assert said.says.words.startswith(found[0].partition(":")[0])
    assert said.sure is not None
    assert "; tested on logarithms)" in said.sure.words
    assert "; tested on logarithms)" in found[1]
    ends = said.sure.words.partition(" on topics")[0]
    assert found[1].startswith(ends)
    if systems == 2:
        low, high = stats.t.interval(0.95, 29, apart.mean(), stats.sem(apart))
        low, high = (mean - mean / np.exp(end) for end in (low, high))
        assert ends == f"The lead lies between {low:.4f} and {high:.4f}"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "ASL"])
def test_of_several_runs_the_lead_is_as_sure_as_in_the_report(measure: str, seed: int) -> None:
    """The interval of one pair alone may exclude 0 though the pair, one of ten, is not significantly different."""
    campaign = cf.simulate(systems=5, topics=40, depth=50, seed=seed)
    found = cf.compare(campaign.qrels, campaign.runs(), measure).opening()
    said = headline(evidence_of(campaign.qrels, campaign.runs(), [measure], None, 7))
    assert said.sure is not None
    assert found[0] == said.says.words
    between, near = said.sure.words.split("). ")
    assert found[1].startswith(f"{between}; p ")
    assert "interval, after correction" in between
    assert found[2] == near


@pytest.mark.parametrize("family", ["all", "measure"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_of_a_lead_is_of_the_level_that_the_correction_leaves(
    sign: int, correction: Literal["holm", "bonferroni", "bh", "none"], family: Literal["all", "measure"]
) -> None:
    """Student's, as scipy computes it; of 3 pairs by 2 measures k are significant, which is counted here by hand."""
    chance = np.random.default_rng(3)
    means, topics = np.array([[0.6, 0.55, 0.3], [0.5, 0.2, 0.48]]), 30
    values = means[..., np.newaxis] + 0.15 * chance.standard_normal((2, 3, topics))
    rows = [
        {"run": run, "topic": str(topic), "measure": measure, "value": sign * values[m, r, topic]}
        for m, measure in enumerate(["x", "y"]) for r, run in enumerate("abc") for topic in range(topics)
    ]  # fmt: skip
    lower = cf.compare_scores(pl.DataFrame(rows), correction=correction, family=family)
    first, second = ("a", "b") if sign > 0 else ("c", "b")
    duel = lower.duels()[0]
    assert (duel.ahead, duel.behind) == (first, second)
    pairs = [(m, one, other) for m in range(2) for one, other in ((0, 1), (0, 2), (1, 2))]
    p = np.array([stats.ttest_rel(values[m, one], values[m, other]).pvalue for m, one, other in pairs])
    of = p if family == "all" else p[:3]
    many = len(of)
    by_hand = {
        "none": 1.0,
        "bonferroni": 1 / many,
        "holm": 1 / (many - sum(np.sort(of)[k] * (many - k) <= 0.05 for k in range(many))),
        "bh": max(k for k in range(1, many + 1) if np.sort(of)[k - 1] * many / k <= 0.05) / many,
    }[correction]
    apart = sign * (values[0, "abc".index(first)] - values[0, "abc".index(second)])
    ends = stats.t.interval(1 - 0.05 * by_hand, topics - 1, apart.mean(), stats.sem(apart))
    assert [duel.low, duel.high] == pytest.approx(ends)
    assert duel.level == pytest.approx(1 - 0.05 * by_hand)
    assert ("after correction" in lower.opening()[1]) == (correction != "none")
    row = lower.to_polars().filter(measure="x", run_a=min(first, second), run_b=max(first, second))
    alone = stats.t.interval(0.95, topics - 1, apart.mean(), stats.sem(apart))
    assert sorted(abs(row[end].item()) for end in ("low", "high")) == pytest.approx(sorted(map(abs, alone)))


@pytest.mark.parametrize(
    "asked", [{"test": "tukey"}, {"correction": "max-t"}, {"test": "friedman"}, {"correction": "none"}], ids=str
)
def test_where_no_single_level_is_left_the_interval_is_as_in_the_table(asked: dict[str, Any]) -> None:
    campaign = cf.simulate(systems=4, topics=30, depth=50, seed=1)
    found = cf.compare(campaign.qrels, campaign.runs(), "AP", **asked)
    duel = found.duels()[0]
    both = (pl.col(run).is_in([duel.ahead, duel.behind]) for run in ("run_a", "run_b"))
    [row] = found.to_polars().filter(*both).rows(named=True)
    assert (duel.low, duel.high) in ((row["low"], row["high"]), (-row["high"], -row["low"]))
    assert duel.corrected is (None if asked in ({"test": "tukey"}, {"correction": "none"}) else False)
    assert ("before correction" in found.opening()[1]) == (duel.corrected is False)


def test_two_runs() -> None:
    """Differences 1/2 and 0, three times each: .25 ± 3.534 · .2739 / √6 at 1 − .05/3, and p = 3 · .25 by sign flips."""
    found = cf.compare(judgments(6), {"near": NEAR, "first": FIRST}, ["RR", "ASL", "P@1"])
    assert found.opening(command="cranfield why ...") == (
        "first leads near by 0.2500 in RR: too close to call.",
        "The lead lies between -0.1451 and 0.6451 on topics like these (98.3% interval, after correction; p = 0.750).",
        "first wins 3 topics, ties 3 and loses 0.",
        "All retrieved documents are judged.",
        "In ASL it leads by 0.5000 (-0.2903 to 1.2903; p = 0.750; 3 topics won, 3 tied, 0 lost): too close to call.",
        "In P@1 it leads by 0.5000 (-0.2903 to 1.0000; p = 0.750; 3 topics won, 3 tied, 0 lost): too close to call.",
        "Next: cranfield why ...",
    )
    turned = cf.compare(judgments(6), {"first": FIRST, "near": NEAR}, ["RR", "ASL", "P@1"])
    assert turned.opening() == found.opening()
    assert str(found).splitlines()[: len(found.opening())] == [*found.opening()]
    assert found._repr_html_().index("too close to call") < found._repr_html_().index("<table>")
    assert "too close" not in found.to_latex() + found.to_markdown()  # which go into papers


def test_ten_lines_whatever_is_asked() -> None:
    measures = ["RR", "AP", "P@1", "P@2", "nDCG", "nDCG@5", "R@1"]
    found = cf.compare(judgments(6), {"near": NEAR, "first": FIRST}, measures).opening(command="cranfield why")
    assert len(found) <= MOST_LINES and "The table has 3 more measures." in found
    gated = cf.gate(judgments(6), {"near": NEAR, "first": FIRST}, measures).opening(command="cranfield why")
    assert len(gated) <= MOST_LINES


def test_equal_runs_and_topics_on_which_nothing_is_relevant() -> None:
    same = cf.compare(judgments(6), {"x": FIRST, "y": FIRST}, ["RR", "P@1"]).opening()
    assert same[:3] == (
        "x and y have the same mean RR, 1.0000 (equal to within 1e-09).",
        "x wins 0 topics, ties 6 and loses 0.",
        "All retrieved documents are judged.",
    )
    assert same[3] == "In P@1 the two are equal (0 topics won, 6 tied, 0 lost)."
    nothing = {topic: dict.fromkeys(grades, 0) for topic, grades in judgments(6).items()}
    assert cf.compare(nothing, {"x": FIRST, "y": NEAR}, "RR").opening() == (
        "x and y have the same mean RR, 0.0000 (equal to within 1e-09).",
        "x wins 0 topics, ties 6 and loses 0.",
    )


def test_several_runs_and_a_baseline() -> None:
    runs = {"far": FAR, "near": NEAR, "first": FIRST}
    found = cf.compare(judgments(6), runs, "RR")
    assert found.opening()[0] == "first leads near by 0.2500 in RR: too close to call."
    assert found.opening()[-1] == "No other run is significantly worse than first on topics like these."
    against = cf.compare(judgments(6), {"base": FAR, "x": FIRST, "y": FAR}, "RR", baseline="base", family="measure")
    assert against.opening() == (
        "None of 2 runs is significantly better than base in RR on topics like these, and none is worse.",
        "x has the best mean RR, 1.0000.",
    )
    assert cf.compare(judgments(6), runs, "RR", baseline=["far", "near"]).opening() == ()


@pytest.mark.parametrize(
    ("judged", "says"),
    [
        (6, "All documents of the top 1 are judged."),
        (1, "0% of new and 83% of base are unjudged in the top 1. No judgment of these could reverse the lead."),
        (0, "0% of new and 100% of base are unjudged in the top 1. The lead is gone if 6 of base's 6 unjudged "
            "documents are relevant (grade 1)."),
    ],
)  # fmt: skip
def test_what_judging_could_do(judged: int, says: str) -> None:
    """The new run has the relevant document first on each topic; what the base has there is judged on some."""
    qrels = {str(topic): {"a": 1, **({"x1": 0} if topic < judged else {}), "z": 0} for topic in range(6)}
    runs = {"new": lists(*[1] * 6), "base": lists(*[2] * 6)}
    assert says in cf.compare(qrels, runs, "P@1").opening()
    assert says in cf.compare(qrels, dict(reversed(runs.items())), "P@1").opening()[3].replace(
        "100% of base and 0% of new", "0% of new and 100% of base"
    ).replace("83% of base and 0% of new", "0% of new and 83% of base")
    assert not cf.compare(qrels, runs, "P@1", judged_only=True).unjudged
    assert not cf.compare(qrels, runs, "P@1", complete=True).unjudged


def test_a_gate_says_first_whether_the_run_may_replace_the_other() -> None:
    runs = {"first": lists(*[1] * 8), "far": lists(2, 2, 2, 3, 2, 2, 2, 2)}
    found = cf.gate(judgments(8), runs, ["P@2", "RR"], margin=0.1)
    assert found.opening()[:2] == (
        "far must not replace first: worse in RR by more than 0.1.",
        "first leads far by 0.5208 in RR.",
    )
    assert found.opening()[3] == "first wins 8 topics, ties 0 and loses 0."
    assert str(found).startswith("far must not replace first") and found.decides == "RR"
    turned = cf.gate(judgments(8), dict(reversed(runs.items())), "RR", margin=0.1)
    assert turned.opening()[0] == "first may replace far: better in RR."
    assert cf.gate(judgments(6), {"x": FIRST, "y": FIRST}, "RR", margin=0.0).opening()[0] == (
        "y should not replace x yet: the difference in RR is undecided."
    )
    gone = cf.gate(judgments(6), {"x": FIRST, "y": {"0": ["a"]}}, "RR").opening()
    assert gone == ("y is not compared with x: y has no scores on 5 of 6 topics.",)


def test_a_shell_names_what_to_call_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cf.write_qrels(cf.read_qrels(judgments(6)), "qrels.txt")
    for name, run in (("near", NEAR), ("first", FIRST)):
        cf.write_run(cf.read_run(run), f"{name}.run")
    asked = ["qrels.txt", "near.run", "first.run", "-m", "RR", "--depth", "5", "--no-audit"]
    for command in ("compare", "gate"):
        found = CliRunner().invoke(main, [command, *asked])
        [line] = [line for line in found.stdout.splitlines() if line.startswith("Next: ")]
        assert line == "Next: cranfield why qrels.txt near.run first.run -m RR --depth 5"
        assert CliRunner().invoke(main, line.split()[2:]).exit_code == 0
        programs = CliRunner().invoke(main, [command, *asked, "--format", "csv"])
        assert programs.stdout.startswith("measure,") and "in RR" in programs.stderr.splitlines()[0]
        assert CliRunner().invoke(main, [command, *asked, "--format", "csv", "--quiet"]).stderr == ""


@pytest.mark.parametrize("several", [False, True])
def test_an_interval_that_rests_on_few_topics_is_said_to(*, several: bool) -> None:
    """Of 40 topics a is ahead on 3 and behind on 1 or 6: on 4 of them they differ, or on 9, and c is far behind."""
    for behind, said in ((1, "on only 4 of 40 topics"), (6, "on only 9 of 40 topics"), (7, "")):
        a = [1.0] * 3 + [0.5] * behind + [0.5] * (37 - behind)
        b = [0.5] * 3 + [0.6] * behind + [0.5] * (37 - behind)
        runs = {"a": a, "b": b} | ({"c": [0.1 + 0.001 * t for t in range(40)]} if several else {})
        rows = [(run, str(t), "x", value) for run, of in runs.items() for t, value in enumerate(of)]
        scores = pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")
        told = [cf.compare_scores(scores).opening()[1]]
        told += [] if several else [cf.gate(scores).opening()[2]]
        for sentence in told:
            assert "The lead lies between" in sentence
            assert sentence.endswith(f" The two differ {said}, too few to rely on the interval." if said else ").")


def test_all_that_are_second_are_named() -> None:
    """Of three that tie behind the leader, the sentence on the interval names the one it is of; figures name all."""
    topics = range(30)

    def missing(*late: int) -> Lists:
        return {str(t): ["x1", "a"] if t in late else ["a", "x1"] for t in topics}

    runs = {
        "lead": missing(0),
        "s1": missing(0, 1, 2),
        "s2": missing(3, 4, 5),
        "z1": missing(*range(20)),
        "z2": missing(*range(5, 25)),
    }
    found = cf.compare(judgments(30), runs, "RR")
    first, second, third = found.opening()
    assert first == "lead leads s1 and s2 by 0.0333 in RR: too close to call."
    assert second.startswith("The lead over s1 lies between ")
    assert second.endswith(" lead and s1 differ on only 2 of 30 topics, too few to rely on the interval.")
    assert third == "s1 and s2 are not significantly worse than lead on topics like these; the 2 other runs are."
    page = headline(evidence_of(judgments(30), runs, ["RR"], None, 7)).words
    assert page.startswith(first) and second.split(" (")[0] in page and third in page
    for figure, told in (
        ("leaderboard", "the best of 5 runs is lead, with 0.983, and the last are z1 and z2, with 0.667"),
        ("heatmap", "the best of 5 runs is lead (0.983)."),
    ):
        assert told in cf.plot(figure, judgments(30), runs, "RR").description
    level = dict.fromkeys("abcde", runs["s1"])
    assert "the best of 5 runs are 5 that tie" in cf.plot("leaderboard", judgments(30), level, "RR").description


def test_runs_whose_names_are_numbers_are_called_runs() -> None:
    """1 leads 2 by 0.5 is a riddle; tables keep the names as they are."""
    runs = {"1": FIRST, "2": NEAR}
    found = cf.compare(judgments(6), runs, "RR")
    assert found.opening()[0].startswith("run 1 leads run 2 by 0.2500 in RR")
    assert found.opening()[2].startswith("run 1 wins 3 topics")
    assert cf.gate(judgments(6), runs, "RR").opening()[0].startswith("run 2 should not replace run 1 yet")
    assert cf.evaluate(judgments(6), runs, "RR").answer.startswith("run 1 has the best RR")
    assert headline(evidence_of(judgments(6), runs, ["RR"], None, 7)).words.startswith("run 1 leads run 2 by")
    assert found.to_polars()["run_a"].to_list() == ["1"]
