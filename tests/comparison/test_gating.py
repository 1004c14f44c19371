"""The gate lets through what is not worse, holds back what is, and says where neither is known."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.statistics.assurance import MORE_TOPICS, enough_topics
from cranfield.statistics.conclusions import Conclusions, Paired, conclude, worst_of

DATA = Path(os.environ.get("CRANFIELD_DATA", Path(__file__).parents[3] / "shared" / "data"))


def decided(rows: Any, margins: Any, alpha: float = 0.05) -> Conclusions:
    return conclude(Paired(np.asarray(rows, np.float64)), margins, alpha)


@pytest.mark.parametrize(
    ("true", "forbidden"),
    [(-0.05, {"better", "not worse", "equivalent"}), (0.0, {"better"}), (0.0, {"worse"})],
    ids=["at the margin it is not let through", "equal runs are not better", "equal runs are not worse"],
)
@pytest.mark.parametrize("measures", [1, pytest.param(3, marks=pytest.mark.integration)])
def test_errors_are_as_rare_as_they_should_be(true: float, forbidden: set[str], measures: int) -> None:
    """Of 800 gates over 25 topics at most 2.5% and three standard deviations err.

    A run at the margin by all measures is let through by none; equal ones are told apart by no measure.
    """
    chance = np.random.default_rng(17)
    trials, wrong = 800, 0
    for _ in range(trials):
        topics = chance.normal(0, 0.05, (1, 25))
        found = decided(true + topics + chance.normal(0, 0.1, (measures, 25)), [0.05] * measures)
        said = {worst_of(found.verdicts)} if true < 0 else found.verdicts
        wrong += not forbidden.isdisjoint(said)
    assert wrong / trials <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / trials)


def test_p_values_and_intervals_are_those_of_scipy_and_of_compare() -> None:
    rows = np.random.default_rng(1).normal(0.01, 0.1, (1, 30))
    found = decided(rows, [0.02])
    assert found.p[0] == pytest.approx(stats.ttest_1samp(rows[0], 0).pvalue)
    assert Paired(rows).p(-0.02)[0] == pytest.approx(stats.ttest_1samp(rows[0], -0.02).pvalue)
    interval = stats.ttest_1samp(rows[0], 0).confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((interval.low, interval.high))


def runs_of(first_ranks: list[int]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """On each topic the relevant document is at this rank."""
    qrels = {str(t): {"a": 1} | {f"x{i}": 0 for i in range(9)} for t in range(len(first_ranks))}
    lists = {str(t): [f"x{i}" for i in range(rank - 1)] + ["a"] for t, rank in enumerate(first_ranks)}
    return qrels, {t: {doc: -float(place) for place, doc in enumerate(docs)} for t, docs in lists.items()}


def test_each_verdict_and_the_worst_of_all() -> None:
    qrels, base = runs_of([1, 2, 1, 2, 1, 2, 1, 2])
    _, new = runs_of([2, 2, 2, 2, 2, 2, 2, 1])
    found = cf.gate(qrels, {"base": base, "new": new}, ["RR", "Success@2", "P@1"], margin=0.05)
    assert dict(found.rows.select("measure", "verdict").iter_rows()) == {
        "RR": "undecided", "Success@2": "equivalent", "P@1": "undecided"
    }  # fmt: skip
    assert found.verdict == "undecided"
    assert not found.passes
    _, lost = runs_of([9, 9, 8, 9, 7, 9, 8, 9])
    assert cf.gate(qrels, {"base": base, "new": lost}, ["RR", "ASL"], margin=0.05).verdict == "worse"
    better = cf.gate(qrels, {"base": lost, "new": base}, ["RR", "ASL"], margin=0)
    assert (better.verdict, better.passes) == ("better", True)
    same = cf.gate(qrels, {"base": base, "new": base}, "RR", margin=0)
    assert same.verdict == "undecided"  # a margin of 0 asks for a gain
    assert cf.gate(qrels, {"base": base, "new": base}, "RR", margin=0.5, relative=True).rows["margin"][0] == 0.375


def test_more_topics_promise_what_comes_true_and_not_power_at_what_was_seen() -> None:
    """Gates of 20 topics, of a difference that is drawn too: so many of the undecided are decided as was promised."""
    random = np.random.default_rng(3)
    promised: list[float] = []
    kept, passed, came = [], [], []
    while len(promised) < 150:
        true = random.normal(0.0, 0.06)
        topics = random.normal(true, 0.15, 20 + 1000)
        if decided([topics[:20]], [0.02]).verdicts[0] != "undecided":
            continue
        more = enough_topics(topics[:20], 0.6, 0.025 / 2, margin=0.02)  # of one tail
        then = decided([topics[: 20 + more.topics]], [0.02], 0.025).verdicts[0]
        promised.append(more.decided)
        passed.append(more.ahead)
        kept.append(then != "undecided")
        came.append(then in {"better", "equivalent", "not worse"})
    assert np.mean(kept) == pytest.approx(np.mean(promised), abs=0.1)
    assert np.mean(came) == pytest.approx(np.mean(passed), abs=0.1)


def test_what_more_topics_would_show_is_said_with_the_price_of_a_second_look() -> None:
    qrels, base = runs_of([1] * 12)
    _, new = runs_of([1] * 11 + [2])
    row = cf.gate(qrels, {"base": base, "new": new}, "RR", margin=0.05).rows.row(0, named=True)
    assert row["verdict"] == "undecided"
    assert row["topics"] in MORE_TOPICS
    assert 0 < row["passes"] <= row["decided"] < 1
    assert row["why"].startswith(
        f"with {row['topics']:,} more topics like these: {row['decided']:.0%} chance of a decision, "
        f"{row['passes']:.0%} of a pass, testing at 0.025 both times"
    )
    equal = cf.gate(qrels, {"base": base, "new": base}, "RR", margin=0).rows.row(0, named=True)
    assert (equal["topics"], equal["decided"], equal["passes"]) == (None, None, None)
    assert equal["why"] == "equal on every topic, and a margin of 0 requires a gain"


def test_unjudged_documents_that_would_be_enough() -> None:
    """new has x, unjudged, where base has a: were x relevant on 7 of 8 topics, P@1 would be 1/8 lower.

    As judged it is 1 lower on each of 8 topics, which 2 of 256 sign patterns reach.
    """
    qrels = {str(t): {"a": 1} for t in range(8)}
    base = {t: {"a": 1.0} for t in qrels}
    new = {t: {"x": 1.0} for t in qrels}
    found = cf.gate(qrels, {"base": base, "new": new}, "P@1", margin=0.125, complete=False)
    row = found.rows.row(0, named=True)
    said = "worse on what was judged: undecided"
    assert (row["verdict"], row["on_judged"], row["p_adjusted"]) == (said, "worse", 0.0078125)
    assert (row["least"], row["most"], row["unjudged"], row["unjudged_base"]) == (-1.0, 0.0, 8, 0)
    assert (found.verdict, found.passes) == (said, False)
    unjudged = "unjudged in the top 1: 100% of new, 0% of base"
    assert row["why"] == f"reverses if 7 of new's 8 unjudged documents are relevant (grade 1); {unjudged}"
    assert found.documents["run"].unique().to_list() == ["new"]
    assert found.documents.select("document").unique().rows() == [("x",)]
    assert found.documents["order"].to_list() == list(range(1, 9))


def test_unjudged_documents_of_the_base_can_undo_a_lead() -> None:
    """The mirror image: base has x, unjudged, where new has a; 8 of 8 make both equal, and 7 leave 1/8 at margin 0."""
    qrels = {str(t): {"a": 1} for t in range(8)}
    base = {t: {"x": 1.0} for t in qrels}
    new = {t: {"a": 1.0} for t in qrels}
    found = cf.gate(qrels, {"base": base, "new": new}, "P@1", margin=0, complete=False)
    row = found.rows.row(0, named=True)
    said = "better on what was judged: undecided"
    assert (row["verdict"], row["on_judged"], row["p_adjusted"]) == (said, "better", 0.0078125)
    assert (row["least"], row["most"], row["unjudged"], row["unjudged_base"]) == (0.0, 1.0, 0, 8)
    assert row["why"].startswith("reverses if 8 of base's 8 unjudged documents are relevant (grade 1); unjudged in ")
    assert found.documents.select("run", "document").unique().rows() == [("base", "x")]


def test_as_a_person_would(tmp_path: Path) -> None:
    qrels, base = runs_of([1, 2, 1, 2, 1, 2, 1, 2])
    _, new = runs_of([9, 9, 8, 9, 7, 9, 8, 9])
    for name, run in (("main.run", base), ("branch.run", new)):
        cf.write_run(cf.read_run(run), tmp_path / name)
    cf.write_qrels(cf.read_qrels(qrels), tmp_path / "qrels.txt")

    def gated(*options: str, status: int) -> str:
        done = CliRunner().invoke(main, ["gate", *(f"{tmp_path}/{name}" for name in ("qrels.txt", *options[:2])),
                                         "-m", "RR", *options[2:]])  # fmt: skip
        assert done.exit_code == status, done.output
        return done.stdout

    assert "worse" in gated("main.run", "branch.run", status=1)
    assert "better" in gated("branch.run", "main.run", status=0)
    assert "undecided" in gated("main.run", "main.run", "--margin", "0", status=3)
    assert gated("main.run", "branch.run", "--format", "markdown", status=1).startswith("**branch must not")
    junit, documents = tmp_path / "gate.xml", tmp_path / "judge.csv"
    shown = gated("main.run", "branch.run", "--junit", str(junit), "--documents", str(documents),
                "--format", "json", status=1)  # fmt: skip
    assert json.loads(shown)["verdict"] == "worse"
    assert re.search(r'<testsuite .*failures="1" errors="0">', junit.read_text())
    assert '<failure message="worse: -0.6' in junit.read_text()
    assert pl.read_csv(documents).columns == ["measure", "run", "topic", "document", "order"]
    gated("main.run", "branch.run", "--margin", "-1", status=2)
    gated("main.run", "branch.run", "--margin", "much%", status=2)


def test_what_cannot_be_is_said() -> None:
    qrels, base = runs_of([1, 2])
    with pytest.raises(InputError, match="two runs, the base and the new one, not 1"):
        cf.gate(qrels, {"base": base}, "RR")
    with pytest.raises(InputError, match="at least two topics"):
        cf.gate({"0": {"a": 1}}, {"base": base, "new": base}, "RR")
    with pytest.raises(InputError, match="margin must be"):
        cf.gate(qrels, {"base": base, "new": base}, "RR", margin=-1)


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        ("bm25base_p", "p_bert", "better"),
        ("p_bert", "bm25base_p", "worse"),
        ("idst_bert_p1", "idst_bert_p2", "equivalent"),
        ("bm25base_p", "bm25tuned_p", "undecided"),
    ],
)
def test_runs_of_the_same_team(base: str, new: str, verdict: str) -> None:
    folder = DATA / "dl19-passage"
    if not folder.exists():
        pytest.skip("dl19-passage is not here")
    runs = [folder / "runs" / f"{name}.gz" for name in (base, new)]
    assert cf.gate(folder / "qrels.txt", runs, "nDCG@10", margin=0.01).verdict == verdict


def test_what_follows_the_ends_of_lists_is_not_unjudged() -> None:
    """By RBP ranks below a list's end are open; no judgment brings about what could stand there."""
    qrels = {str(t): {"a": 1, "b": 0, "c": 0} for t in range(30)}
    old = {t: ["b", "a"] for t in qrels}
    new = {t: ["a", "b", "c"] if int(t) else ["c"] for t in qrels}
    found = cf.gate(qrels, {"old": old, "new": new}, "RBP(p=0.8)", strict_judgments=True)
    [row] = found.to_polars().rows(named=True)
    assert (row["verdict"], row["holds"], row["why"]) == ("better", "certain", "")
    assert row["least"] == row["most"] == pytest.approx(row["difference"])
    assert "All retrieved documents are judged." in found.opening()
    turned = cf.gate(qrels, {"new": new, "old": old}, "RBP(p=0.8)").to_polars().row(0, named=True)
    assert (turned["verdict"], turned["holds"]) == ("worse", "certain")
    qrels["1"].pop("c")  # of one topic the new run's third document is open: a little can still be gained there
    [row] = cf.gate(qrels, {"old": old, "new": new}, "RBP(p=0.8)").to_polars().rows(named=True)
    assert row["least"] == pytest.approx(row["difference"])
    assert row["most"] == pytest.approx(row["difference"] + 0.2 * 0.8**2 / 30)


def test_p_of_few_topics_are_those_of_compare_and_signs_confirm_the_corrected_one() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(8)}
    old, new = {t: ["b", "a"] for t in qrels}, {t: ["a"] if int(t) % 3 else ["b", "a"] for t in qrels}
    [mine] = cf.gate(qrels, {"old": old, "new": new}, "RR").to_polars().rows(named=True)
    [theirs] = cf.compare(qrels, {"old": old, "new": new}, "RR").to_polars().rows(named=True)
    assert mine["p_adjusted"] == theirs["p_adjusted"] == 2 * 2**-5  # of 8 topics 3 are tied
    assert mine["p"] == theirs["p"] == pytest.approx(stats.ttest_1samp([0.5] * 5 + [0.0] * 3, 0).pvalue)


def test_nothing_is_promised_at_the_margin_itself_and_no_interval_is_explained_that_there_is_not() -> None:
    """More topics like these stay at the margin, on which side of it rounding alone would say."""
    rows = [(run, t, "acc", value) for run, value in (("old", 0.5), ("new", 0.49)) for t in range(30)]
    table = pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")
    found = cf.gate(table, margin=0.01)
    assert found.rows.select("verdict", "topics", "decided", "why").row(0) == (
        "undecided", None, None, "behind by exactly the margin on every topic",
    )  # fmt: skip
    assert "Low to high" not in found.caption()
    assert "intervals" not in found.caption()
    assert cf.gate(table, margin=0.011).verdict == "equivalent"
    assert cf.gate(table, margin=0.009).verdict == "worse"
    short = cf.gate(table.filter((pl.col("run") == "old") | (pl.col("topic") < 9)))
    assert (short.verdict, short.notes[0]) == (
        "did not run",
        "left out, as they did not run: new (no scores on 21 of 30 topics)",
    )
    assert short.caption() == "30 topics, only scores, which do not show what is unjudged, margin 0.01, untested."


def test_a_margin_that_lets_every_run_through_by_one_measure_is_refused_at_each_door() -> None:
    """2 is a distance of search lengths; no AP is as far from another, and none loses more than all of its own."""
    qrels = {str(t): {"a": 1, "b": 0, "c": 0} for t in range(10)}
    runs = {"old": {t: ["a", "b", "c"] for t in qrels}, "new": {t: ["c", "b", "a"] for t in qrels}}
    scores = cf.evaluate(qrels, runs, ["ASL", "AP"]).per_topic
    groups, said = dict.fromkeys(qrels, "all"), "lets every run through by AP"
    with pytest.raises(InputError, match=f"a margin of 2 {said}: values lie between 0 and 1; was 2% meant"):
        cf.gate(scores, margin=2)
    for refused in (
        lambda: cf.gate(qrels, runs, ["ASL", "AP"], margin=2),
        lambda: (
            cf.gate(qrels, runs, "ASL", margin=0.1, relative=True, groups=groups, group_margin=1.5)
            and cf.gate(qrels, runs, "AP", margin=0.1, relative=True, groups=groups, group_margin=1.5)
        ),
        lambda: cf.gate(qrels, runs, ["ASL", "AP"], margin=1.5, relative=True),
        lambda: cf.compare(qrels, runs, "AP", margin=2),
        lambda: cf.compare_scores(scores.filter(measure="AP"), margin=2),
        lambda: cf.compare_groups(scores.filter(measure="AP"), groups, margin=2),
    ):
        with pytest.raises(InputError, match=said):
            refused()
    assert cf.compare(qrels, runs, ["ASL", "AP"], margin=2.5).differences["equivalent"].all()  # which is no gate
    assert cf.gate(qrels, runs, "ASL", margin=2.5).passes  # a relevant document of rank 3 for one of rank 1
    assert cf.gate(qrels, runs, "ASL", margin=1.5, relative=True).verdict == "worse"  # 1.5 less than 2
    assert cf.gate(qrels, runs, "AP", margin=1, relative=True).passes


def test_topics_that_a_table_lacks_are_named_and_those_of_weight_0_are_not_counted() -> None:
    """The base has no score on topic 0; topics 1 and 2 have weight 0, and on both the new run is the worse."""
    values = [("old", t, 0.1 + t % 3 / 10) for t in range(1, 30)] + [("new", t, 0.4 + t % 4 / 10) for t in range(30)]
    values = [(run, t, 0.0 if run == "new" and t in {1, 2} else value) for run, t, value in values]
    table = pl.DataFrame(
        [(run, f"{t:02}", "correct", value) for run, t, value in values], ["run", "topic", "measure", "value"],
        orient="row",
    )  # fmt: skip
    found = cf.gate(table)
    assert found.notes == ("higher is assumed to be better: correct", "missing topics counted 0: old (00)")
    assert found.notes == cf.compare_scores(table).notes[:2]
    weights = {f"{t:02}": 0 if t in {1, 2} else 1 for t in range(30)}
    assert "new wins 28 topics, ties 0 and loses 2." in found.opening()
    assert "new wins 28 topics, ties 0 and loses 0." in cf.gate(table, weights=weights).opening()
    both = cf.compare_scores(table, weights=weights)
    assert both.to_polars().select("wins", "ties", "losses").row(0) == (0, 0, 28)
    assert "30 topics, weighted by 30 weights (2 of weight 0), effective number of topics 28.0" in both.caption()


def test_scores_alone_say_nothing_of_judgments() -> None:
    values = [0.1 + t % 3 / 10 for t in range(30)] + [0.4 + t % 4 / 10 for t in range(30)]
    runs, topics = ["old"] * 30 + ["new"] * 30, [*range(30)] * 2
    table = pl.DataFrame({"run": runs, "topic": topics, "measure": ["P@1"] * 60, "value": values})
    groups = {str(t): "odd" if t % 2 else "even" for t in range(30)}
    found = cf.gate(table, groups=groups)
    assert found.to_polars()["holds"].unique().to_list() == ["on what was judged"] == [found.holds]
    assert found.to_polars()["complete"].to_list() == [None] * 3
    assert "only scores, which do not show what is unjudged" in found.caption()
    assert "judgments taken as complete" not in found.caption()


@pytest.mark.parametrize("clustered", [False, True], ids=["topics", "clusters"])
@pytest.mark.parametrize("measures", [1, 3])
def test_verdicts_can_be_read_off_the_interval_that_is_printed(measures: int, *, clustered: bool) -> None:
    """At 1 − α/(m − k), of m measures k being significant by Holm: as scipy has it, and `compare` says the same.

    The 95% interval of the second measure excludes 0, and p, doubled, is above .05.
    """
    chance, names = np.random.default_rng(5), ("x", "y", "z")[:measures]
    noise = stats.zscore(chance.normal(size=(measures, 30)), axis=1, ddof=1) / np.sqrt(30)  # of standard error 1/30
    t = np.array([[4.0], [2.2], [0.5]])[:measures] / 30
    values = {m: {"new": 0.5 + t[i] + noise[i], "base": np.full(30, 0.5)} for i, m in enumerate(names)}
    table = pl.DataFrame(
        [(run, str(topic), m, by[run][topic]) for m, by in values.items() for run in by for topic in range(30)],
        schema=["run", "topic", "measure", "value"], orient="row",
    )  # fmt: skip
    clusters = {str(topic): str(topic) for topic in range(30)} if clustered else None
    found = cf.gate(table.filter(run="base").vstack(table.filter(run="new")), margin=0.05, clusters=clusters)
    level = {1: 0.95, 3: 1 - 0.05 / 2}[measures]
    for m, row in zip(names, found.rows.iter_rows(named=True), strict=True):
        ends = stats.ttest_rel(values[m]["new"], values[m]["base"]).confidence_interval(level)
        assert [row["low"], row["high"], row["level"]] == pytest.approx([*ends, level])
        assert (row["verdict"] == "better") == (row["low"] > 0)
        assert (row["verdict"] != "undecided") == (row["low"] > -0.05)
    said = "95% interval;" if measures == 1 else "97.5% interval, after correction;"
    assert said in " ".join(found.opening())
    assert f"Low to high: {said.partition(' ')[0]} interval of the difference" in found.caption()
    for runs in (("base", "new"), ("new", "base")):
        both = pl.concat([table.filter(run=run) for run in runs])
        for duel, gated in zip(cf.compare_scores(both, clusters=clusters).duels(), found.duels, strict=True):
            assert duel.ahead == gated.ahead
            assert (duel.low, duel.high, duel.level) == pytest.approx((gated.low, gated.high, level))


def test_intervals_in_groups_have_the_level_of_their_own_correction() -> None:
    """One measure on all topics is not corrected; of two groups neither is significant, so 1 − .05/2 is left."""
    values = np.random.default_rng(2).normal(0, 0.1, 60)
    table = [
        (run, str(t), "x", 0.5 + (values[t] if run == "new" else 0.0)) for run in ("base", "new") for t in range(60)
    ]
    scores = pl.DataFrame(table, schema=["run", "topic", "measure", "value"], orient="row")
    found = cf.gate(scores, groups={str(t): "odd" if t % 2 else "even" for t in range(60)})
    said = "Low to high: 95% interval of the difference; in a group 97.5% interval of the difference, after correction."
    assert said in found.caption()
    assert found.by_group is not None
    for start, row in enumerate(found.by_group.sort("group").iter_rows(named=True)):
        ends = stats.ttest_1samp(values[start::2], 0).confidence_interval(0.975)
        assert [row["low"], row["high"], row["level"]] == pytest.approx([*ends, 0.975])


def test_where_no_group_is_large_enough_none_is_said_to_be_tested() -> None:
    table = [(run, str(t), "x", 0.1 * t * (run == "new")) for run in ("base", "new") for t in range(8)]
    scores = pl.DataFrame(table, schema=["run", "topic", "measure", "value"], orient="row")
    said = cf.gate(scores, groups={str(t): str(t // 2) for t in range(8)}).caption()
    assert "No group is large enough to test." in said and "significantly worse" not in said


def test_what_is_of_logarithms_is_said_to_be() -> None:
    """A margin of 5% of a geometric mean is one of -log .95; so is what the table and the groups have."""
    qrels = {str(t): {"a": 1} for t in range(40)}
    new = {t: ["x", "a"] if int(t) % 4 == 0 else ["a"] for t in qrels}
    groups = {t: "even" if int(t) % 2 == 0 else "odd" for t in qrels}
    found = cf.gate(qrels, {"old": qrels, "new": new}, ["gmAP", "AP"], margin=0.05, relative=True, groups=groups)
    assert ", margin 0.05129 of logarithms, 0.05, paired t-test, two-sided" in found.caption()
    assert " Differences by gmAP are of logarithms. " in found.caption()
    assert "Largest fall: group even, gmAP -0.3466 [-0.5401, -0.1531] of logarithms on 20 topics." in found.caption()
    assert b"margin 0.05129 of logarithms." in found.to_junit() and b"margin 0.05." in found.to_junit()
    page = cf.report(qrels, {"old": qrels, "new": new}, ["gmAP", "AP"]).to_html()
    assert "(margin 0.01 of logarithms)" in page
    [note] = [
        each
        for each in cf.compare(qrels, {"old": qrels, "new": new}, ["gmAP", "AP"], margin=0.05).notes
        if each.startswith("margin")
    ]
    assert note.startswith("margin 0.05 (of logarithms by gmAP): ") and note.endswith("two-sided, Holm correction)")
    assert "logarithms" not in cf.gate(qrels, {"old": qrels, "new": new}, "AP").caption()
