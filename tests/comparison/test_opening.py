"""How comparisons and gates open: the verdict, and the few numbers it rests on, in the words of the report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

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


def test_two_runs() -> None:
    """Differences 1/2 and 0, three times each: .25 ± 2.571 · .2739 / √6, and p = 3 · .25 by sign flips."""
    found = cf.compare(judgments(6), {"near": NEAR, "first": FIRST}, ["RR", "ASL", "P@1"])
    assert found.opening(command="cranfield why ...") == (
        "first leads near by 0.2500 in RR: too close to call.",
        "The lead lies between -0.0374 and 0.5374 on topics like these (95% interval; p = 0.750).",
        "first wins 3 topics, ties 3 and loses 0.",
        "All retrieved documents are judged.",
        "In ASL it leads by 0.5000 (-0.0748 to 1.0748; p = 0.750; 3 topics won, 3 tied, 0 lost): too close to call.",
        "In P@1 it leads by 0.5000 (-0.0748 to 1.0000; p = 0.750; 3 topics won, 3 tied, 0 lost): too close to call.",
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
        (1, "Unjudged in the top 1: 0% of new, 83% of base. No judgment of these could reverse the lead."),
        (0, "Unjudged in the top 1: 0% of new, 100% of base. The lead is gone if 6 of base's 6 unjudged documents are "
            "relevant (grade 1)."),
    ],
)  # fmt: skip
def test_what_judging_could_do(judged: int, says: str) -> None:
    """The new run has the relevant document first on each topic; what the base has there is judged on some."""
    qrels = {str(topic): {"a": 1, **({"x1": 0} if topic < judged else {}), "z": 0} for topic in range(6)}
    runs = {"new": lists(*[1] * 6), "base": lists(*[2] * 6)}
    assert says in cf.compare(qrels, runs, "P@1").opening()
    assert says in cf.compare(qrels, dict(reversed(runs.items())), "P@1").opening()[3].replace(
        "100% of base, 0% of new", "0% of new, 100% of base"
    ).replace("83% of base, 0% of new", "0% of new, 83% of base")
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
