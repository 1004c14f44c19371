"""Who may lead: by tables and by runs, of one system or many, and with systems that did not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.plumbing.errors import InputError
from cranfield.statistics.conclusions import status_of
from cranfield.statistics.power import topics_needed
from cranfield.statistics.rank_intervals import rank_intervals


def scattered(runs: int, topics: int, seed: int = 1) -> dict[str, dict[str, float]]:
    drawn = np.random.default_rng(seed).normal(np.linspace(1, 0, runs)[:, None], 0.5, (runs, topics)).round(3)
    return {f"s{run}": {str(t): float(value) for t, value in enumerate(row)} for run, row in enumerate(drawn)}


def test_rows_are_those_of_rank_intervals() -> None:
    scores = scattered(5, 40)
    found = cf.leaderboard(scores)
    order = sorted(scores, key=lambda run: -np.mean([*scores[run].values()]))
    assert found.rows["run"].to_list() == order
    assert found.rows["rank"].to_list() == [1, 2, 3, 4, 5]
    topics = sorted(scores["s0"])
    told = rank_intervals([[scores[run][t] for t in topics] for run in scores], resamples=1000)
    places = [int(run[1:]) for run in order]
    assert found.rows["rank_from"].to_list() == told.best[places].tolist()
    assert found.rows["rank_to"].to_list() == told.worst[places].tolist()
    assert found.rows["may_lead"].to_list() == (told.best[places] == 1).tolist()
    assert found.pairs["told_apart"].sum() == told.above.sum()
    assert found.pairs.height == 10
    assert (found.pairs["difference"] >= 0).all()


def test_the_answer_comes_first() -> None:
    found = cf.leaderboard(scattered(5, 12))
    leading = found.rows["may_lead"].sum()
    start = f"{leading} of 5 runs may lead by score on topics like these. "
    for form in ("table", "markdown"):
        assert str(found.render(form)).lstrip("*").startswith(start)
    apart = cf.leaderboard({"a": {str(t): 1 + t % 3 for t in range(30)}, "b": {str(t): t % 2 for t in range(30)}})
    assert apart.answer == (
        "a leads by score on topics like these: it is significantly better than the other run. The two differ "
        "significantly on 30 topics."
    )


def test_runs_and_tables_make_the_same() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(20)}
    good = {t: ["a", "b"] if int(t) % 4 else ["b", "a"] for t in qrels}
    poor = {t: ["b", "a"] if int(t) % 3 else ["a", "b"] for t in qrels}
    by_runs = cf.leaderboard(qrels, {"good": good, "poor": poor}, "RR")
    scores = cf.evaluate(qrels, {"good": good, "poor": poor}, "RR")
    for same in (cf.leaderboard(scores), cf.leaderboard(scores.per_topic),
                 cf.leaderboard(cf.join(qrels, {"good": good, "poor": poor}), measures="RR")):  # fmt: skip
        assert same.rows.equals(by_runs.rows)
        assert same.pairs.equals(by_runs.pairs)


def test_the_edges() -> None:
    one = cf.leaderboard({"a": {"1": 0.5, "2": 1}})
    assert one.rows.select("rank", "rank_from", "rank_to", "may_lead").rows() == [(1, 1, 1, True)]
    assert one.answer == "There is only one run, a, and nothing to compare it with."
    single = cf.leaderboard({"a": {"1": 0.5}, "b": {"1": 1}})
    assert single.rows.select("run", "rank_from", "rank_to").rows() == [("b", 1, 2), ("a", 1, 2)]
    assert any("1 topic: no difference can be tested" in note for note in single.notes)
    for untested, order in ((one, "mean over 2 topics"), (single, "mean over 1 topic")):  # and no test is named
        assert untested.method == f"Nothing was tested. Order: {order}."
    equal = cf.leaderboard({name: {str(t): t % 2 for t in range(20)} for name in "abc"})
    assert equal.rows["rank"].to_list() == [1, 1, 1]
    assert not equal.pairs["told_apart"].any()
    assert any("McNemar" in note for note in equal.notes)
    assert any("tie on 80%" in note.replace("80%", "80%") for note in equal.notes)


def test_more_topics_are_of_a_worthwhile_difference_alone() -> None:
    scores = scattered(3, 20)
    assert "more_topics" not in cf.leaderboard(scores).rows.columns
    found = cf.leaderboard(scores, worthwhile=0.2)
    first, other = found.rows["run"][0], found.rows["run"][1]
    apart = [scores[other][t] - scores[first][t] for t in sorted(scores[first])]
    needed = topics_needed(0.2 / np.std(apart, ddof=1))
    assert found.rows["more_topics"].to_list()[:2] == [None, int(needed) - 20]


def test_a_system_that_did_not_run_is_left_out_and_named() -> None:
    scores: dict[str, dict[str, Any]] = dict(scattered(3, 20))
    scores["s1"] = {t: None if int(t) < 10 else value for t, value in scores["s1"].items()}
    found = cf.leaderboard(scores)
    assert found.did_not_run == ("s1",)
    assert found.rows["run"].to_list() == ["s0", "s2"]
    assert "left out, as they did not run: s1 (no scores on 10 of 20 topics)" in found.notes
    compared = cf.compare_scores(scores)
    assert compared.runs == ("s0", "s2")
    assert "left out, as they did not run: s1 (no scores on 10 of 20 topics)" in compared.notes
    kept = cf.compare_scores(scores, not_run=0.6)
    assert kept.runs == ("s0", "s1", "s2")
    assert any(note.startswith("missing topics counted 0: s1") for note in kept.notes)


def test_a_topic_that_no_system_has_is_lacking_too() -> None:
    """The share that decides is of the topics that some run has; what is said is of all."""
    qrels = {topic: {"a": 1} for topic in "123"}
    runs = {"solo": {"1": ["a"]}, "duo": {"1": ["a"], "2": ["a"]}, "trio": {"1": ["b"], "2": ["a"]}}
    assert cf.join(qrels, runs).not_run == (("solo", 2),)
    [said] = [note for note in cf.compare(qrels, runs, "AP").notes if note.startswith("left out")]
    assert said == "left out, as they did not run: solo (no scores on 2 of 3 topics)"
    with pytest.raises(InputError, match=r"solo \(no scores on 2 of 3 topics\)"):
        cf.compare(qrels, {run: runs[run] for run in ("solo", "duo")}, "AP", topics="shared")


def test_an_empty_list_is_an_answer_and_a_topic_without_lines_is_not() -> None:
    qrels = {str(t): {"a": 1} for t in range(10)}
    whole = {t: ["a"] for t in qrels}
    silent = {t: ["a"] if t == "0" else [] for t in qrels}
    absent = {"0": ["a"]}
    assert cf.compare(qrels, {"whole": whole, "silent": silent}, "RR").runs == ("whole", "silent")
    found = cf.compare(qrels, {"whole": whole, "silent": silent, "absent": absent}, "RR")
    assert found.runs == ("whole", "silent")
    with pytest.raises(cf.InputError, match="at least two runs"):
        cf.compare(qrels, {"whole": whole, "absent": absent}, "RR")


def test_a_gate_says_of_a_run_that_did_not_run_no_more_than_that() -> None:
    qrels = {str(t): {"a": 1} for t in range(40)}
    base, half = {t: ["a"] for t in qrels}, {str(t): ["a"] for t in range(20)}
    for runs, lacking in (({"base": base, "new": half}, "new"), ({"base": half, "new": base}, "base")):
        found = cf.gate(qrels, runs, "RR")
        assert found.verdict == "did not run" and not found.passes
        row = found.rows.row(0, named=True)
        assert row["why"] == f"{lacking} has no scores on 20 of 40 topics"
        assert row[f"mean_{lacking}"] is None and row["p"] is None and row["difference"] is None
        assert status_of(found.verdict, "pass", "pass") == 1
    other = {t: run for t, run in base.items() if t not in half}
    neither = cf.gate(qrels, {"base": other, "new": half}, "RR").rows.row(0, named=True)
    assert neither["verdict"] == "did not run"
    assert neither["why"] == "base has no scores on 20 of 40 topics; new has no scores on 20 of 40 topics"
    with pytest.raises(cf.InputError, match="none of them ran"):
        cf.compare(qrels, {"base": other, "new": half}, "RR")
    with pytest.raises(cf.InputError, match="none of them ran"):
        cf.leaderboard(qrels, {"base": other, "new": half}, "RR")
    assert cf.gate(qrels, {"base": base, "new": half}, "RR", not_run=0.6).verdict == "worse"
    silent = base | {str(t): [] for t in range(20)}
    assert cf.gate(qrels, {"base": base, "new": silent}, "RR").verdict == "worse"  # an empty list is an answer


def test_a_gate_reads_a_table_of_two_runs() -> None:
    table: dict[str, dict[str, Any]] = {"base": {str(t): 0.1 * (t % 7) for t in range(40)}}
    table["new"] = {t: value + 0.05 * (int(t) % 2) for t, value in table["base"].items()}
    found = cf.gate(table, margin=0.01)
    assert (found.base, found.new, found.verdict) == ("base", "new", "better")
    assert found.audit is None
    assert found.rows["p"][0] == pytest.approx(cf.compare_scores(table).differences["p"][0])
    assert cf.gate({**table, "new": dict.fromkeys(table["base"])}).verdict == "did not run"
    with pytest.raises(cf.InputError, match="a gate compares two runs, the base and the new one, not 3"):
        cf.gate({**table, "other": table["base"]})


def test_a_run_that_did_not_run_on_a_collection_has_no_average() -> None:
    qrels = {str(t): {"a": 1} for t in range(10)}
    whole, half = {t: ["a"] for t in qrels}, {str(t): ["a"] for t in range(5)}
    other = {t: ["b", "a"] for t in qrels}
    here = (qrels, {"x": whole, "y": half, "z": other})
    found = cf.compare_all({"here": here, "there": (qrels, {"x": whole, "y": whole, "z": other})}, "RR")
    assert found.tested["here"].runs == ("x", "z")
    assert found.tested["there"].runs == ("x", "y", "z")
    assert set(found.of_all["run_a"]) | set(found.of_all["run_b"]) == {"x", "z"}
    assert str(found)


def test_topics_that_no_run_has_are_nobodys_fault() -> None:
    qrels = {str(t): {"a": 1} for t in range(10)}
    few = {t: ["a"] for t in "01"}
    assert cf.compare(qrels, {"x": few, "y": few}, "RR").runs == ("x", "y")


def test_attempts_are_averaged_and_never_there_more_than_once() -> None:
    rows = [(run, str(t), trial, float((t + trial) % 2)) for run in "ab" for t in range(6) for trial in range(2)]
    table = pl.DataFrame(rows, ["model", "task", "trial", "resolved"], orient="row")
    found = cf.leaderboard(table)
    assert found.rows["mean"].to_list() == [0.5, 0.5]
    assert found.measures == ("resolved",)
    with pytest.raises(cf.InputError, match=r'once; if these are attempts, add columns={"attempt": "COLUMN"}'):
        cf.leaderboard(table.drop("trial"))


def test_near_copies_that_cost_all_others_power_are_named(data: Path) -> None:
    scores = pl.read_csv(data / "score-matrices" / "adhoc7_ap.csv.gz")
    found = cf.leaderboard(scores)
    (said,) = (note for note in found.notes if "one topic" in note)
    assert said.endswith("leave one of each out: run21 and run22, run76 and run77, run78 and run79")
    without = cf.leaderboard(scores.drop("run22", "run77", "run79"))
    assert not any("one topic" in note for note in without.notes)
    assert without.pairs["told_apart"].sum() > 100 * found.pairs["told_apart"].sum()


def test_clusters_are_a_column_or_an_option() -> None:
    scores = scattered(4, 24)
    together = {t: str(int(t) // 4) for t in scores["s0"]}
    rows = [(run, t, together[t], value) for run, by_topic in scores.items() for t, value in by_topic.items()]
    column = cf.leaderboard(pl.DataFrame(rows, ["run", "topic", "cluster", "value"], orient="row"))
    option = cf.leaderboard(scores, clusters=together)
    assert column.rows.equals(option.rows)
    assert not column.rows.equals(cf.leaderboard(scores).rows)
    assert any(note.startswith("24 topics in 6 clusters") for note in column.notes)
    assert sum("cluster-robust t" in note for note in column.notes) == 2
    assert not any("cluster-robust" in note for note in cf.leaderboard(scores).notes)


def test_every_format_has_the_answer() -> None:
    found = cf.leaderboard(scattered(5, 12))
    start = found.answer.partition(".")[0]
    for form in ("table", "markdown", "html", "latex"):
        assert start in str(found.render(form)).replace("\\_", "_"), form
    assert start in found._repr_html_()
    assert type(found).from_dict(found.to_dict()) == found
    figure = found.plot("rank-intervals")
    assert figure.to_bytes("svg").decode().count("s4") > 0
    assert "of 5 runs" in figure.description


def test_names_of_a_system_are_escaped_and_in_any_script() -> None:
    names = ["<b>", "a|b", "模型", "=HYPERLINK(1)", "new\nline"]
    found = cf.leaderboard({name: {str(t): (t * n) % 5 for t in range(12)} for n, name in enumerate(names, 1)})
    assert "<b>&" not in str(found.render("html")) and "&lt;b&gt;" in str(found.render("html"))
    assert "模型" in str(found)
    assert str(found.render("markdown")).count("\n| ") == 1 + len(names)


def test_every_score_matrix(data: Path) -> None:
    for path in sorted((data / "score-matrices").glob("*_ap.csv.gz")):
        found = cf.leaderboard(path, resamples=200)
        assert found.topics == 50
        assert found.rows["may_lead"][0]
        assert (found.rows["rank_from"] <= found.rows["rank"]).all()
        assert (found.rows["rank"] <= found.rows["rank_to"]).all()


def test_no_measure_is_refused() -> None:
    with pytest.raises(cf.InputError, match="there is no measure to order by; name one, or leave measures out"):
        cf.leaderboard({"1": {"a": 1}, "2": {"a": 1}}, {name: {"1": ["a"], "2": ["a"]} for name in "xy"}, [])


def test_differences_that_do_not_vary_detect_nothing() -> None:
    """That 0 could be found would be the rule of quotients speaking."""
    flat = {"a": {str(t): t / 8 for t in range(8)}, "b": {str(t): t / 8 - 0.25 for t in range(8)}}
    found = cf.leaderboard(flat)
    assert found.rows["detectable"].null_count() == 2
    assert not any("detects a difference" in note for note in found.notes)


@pytest.mark.parametrize("asked", [{"systems": "rows"}, {"header": True}])
@pytest.mark.parametrize("function", [cf.gate, cf.leaderboard])
def test_how_a_table_is_laid_out_is_not_asked_of_runs_or_scores(function: Any, asked: dict[str, Any]) -> None:
    qrels, runs = {"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["b"], "2": ["a"]}}
    with pytest.raises(cf.InputError, match=f"with qrels and runs, leave {next(iter(asked))} out"):
        function(qrels, runs, **asked)
    with pytest.raises(cf.InputError, match=f"scored already; leave {next(iter(asked))} out"):
        function(cf.evaluate(qrels, runs, "RR"), **asked)


def test_attempts_are_not_asked_of_runs() -> None:
    with pytest.raises(cf.InputError, match="with qrels and runs, leave passes out: it is for tables of scores"):
        cf.leaderboard({"1": {"a": 1}}, {"x": {"1": ["a"]}}, passes=[1])
