"""Near-duplicates: overlaps are those of `overlap`, groups those of a slow twin, and the tree shows every run."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.plots import orders
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 1}, "2": {"b": 1}}
LISTS = {"one": "abcdef", "copy": "abcdef", "near": "abcdfe", "other": "abcxyz", "far": "uvwxyz"}
RUNS = {name: {"1": list(docs), "2": list(docs)[::-1]} for name, docs in LISTS.items()}


def _found(runs: dict[str, dict[str, list[str]]] = RUNS, threshold: float = 0.9) -> Findings:
    return EXPERIMENTS["near-duplicates"](cf.join(QRELS, runs), threshold=threshold)


def _by_hand(overlap: dict[frozenset[str], float], runs: list[str], threshold: float) -> set[frozenset[str]]:
    """Join the two groups whose runs are the most alike on average, while they are as alike as that."""
    groups = [[run] for run in runs]
    while len(groups) > 1:
        means = {
            (i, j): sum(overlap[frozenset((a, b))] for a in groups[i] for b in groups[j])
            / (len(groups[i]) * len(groups[j]))
            for i, j in combinations(range(len(groups)), 2)
        }
        (i, j), most = max(means.items(), key=lambda each: each[1])
        if most < threshold:
            break
        groups[i] += groups.pop(j)
    return {frozenset(group) for group in groups if len(group) > 1}


def test_overlaps_are_those_of_overlap(campaign: Path) -> None:
    """Topic by topic, in the order of `evaluate`, over the topics that both have."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    found = EXPERIMENTS["near-duplicates"](runs, p=0.8)["pairs"]
    expected = cf.overlap_of_runs(runs, p=0.8, depth=None).to_polars()
    both = found.join(expected, on=["run_a", "run_b"], suffix="_of_overlap")
    assert both.height == found.height == expected.height
    assert both["topics"].to_list() == both["topics_of_overlap"].to_list()
    assert both["overlap"].to_list() == pytest.approx(both["extrapolated"].to_list(), abs=1e-12)


@pytest.mark.parametrize("threshold", [0.99, 0.9, 0.5, 0.2])
def test_groups_are_those_that_are_alike_on_average(threshold: float) -> None:
    found = _found(threshold=threshold)
    overlap = {frozenset((a, b)): value for a, b, _, value in found["pairs"].iter_rows()}
    rows = found["runs"].drop_nulls("group").group_by("group").agg("run")
    groups = {frozenset(group) for group in rows["run"]}
    assert groups == _by_hand(overlap, list(RUNS), threshold)
    [summary] = found["summary"].rows(named=True)
    assert summary["near"] == sum(value >= threshold for value in overlap.values())
    assert (summary["pairs"], summary["groups"]) == (10, len(groups))


def test_the_tree_joins_everything_once_and_keeps_the_alike_together() -> None:
    found = _found()
    order, merges = found["runs"]["run"].to_list(), found["merges"].rows()
    assert sorted(node for first, second, _, _ in merges for node in (first, second)) == list(range(2 * 5 - 2))
    assert [each[2] for each in merges] == sorted((each[2] for each in merges), reverse=True)
    assert merges[-1][3] == 5
    assert abs(order.index("one") - order.index("copy")) == 1
    nearest = dict(found["runs"].select("run", "nearest").iter_rows())
    assert (nearest["one"], nearest["copy"], nearest["far"]) == ("copy", "one", "other")
    assert "near-duplicates: " in str(found.notes)


def test_runs_without_a_topic_in_common_are_not_alike() -> None:
    found = _found({"one": {"1": ["a"]}, "two": {"2": ["b"]}})
    assert found["pairs"].rows() == [("one", "two", 0, None)]
    assert found["runs"].rows() == [("one", None, None, None), ("two", None, None, None)]
    assert found["merges"]["overlap"].to_list() == [0.0]
    assert "1 pair without a topic in common" in found.notes
    assert "No two have a topic in common." in found.plot("near-duplicates").description
    with pytest.raises(InputError, match="two runs or more; there is one: one"):
        _found({"one": {"1": ["a"]}})


def test_the_dendrogram_has_a_name_for_each_run_and_three_lines_for_each_joint(tmp_path: Path) -> None:
    found = _found()
    figure = found.plot("near-duplicates")
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="rule mark"') == 3 * 4 + 1
    lines = [row for data in figure.spec["datasets"].values() for row in data if "y2" in row]
    bold = {row["runs"] for row in lines if row["alike"]}
    assert bold == {2, 3}
    assert all(f">{run}</text>" in drawn for run in RUNS)
    found.write(tmp_path / "found")
    out = tmp_path / "figure.json"
    done = CliRunner().invoke(main, ["plot", "near-duplicates", str(tmp_path / "found"), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    drawn_there = json.loads(out.read_bytes())
    assert "cranfield plot near-duplicates" in drawn_there.pop("usermeta")["command"]
    assert drawn_there == json.loads(figure.to_bytes("json"))


@pytest.mark.slow
def test_the_pairs_that_the_threshold_stands_on(data: Path) -> None:
    """Of 666, 10,153 and 105 pairs 10, 8 and none reach 0.9; TUA1-1 and p_bert, of two teams, have 0.84."""
    reached = {}
    for name, rel in (("dl19-passage", 2), ("covid-round1", None), ("trec8-adhoc", None)):
        found = EXPERIMENTS["near-duplicates"](cf.join(data / name / "qrels.txt", data / name / "runs", rel=rel))
        reached[name] = found["summary"].select("near", "pairs").row(0)
        if name == "dl19-passage":
            [two] = found["pairs"].filter(run_a="TUA1-1", run_b="p_bert")["overlap"]
    assert reached == {"dl19-passage": (10, 666), "covid-round1": (8, 10153), "trec8-adhoc": (0, 105)}
    assert two == pytest.approx(0.843, abs=0.001)


def test_of_many_runs_those_that_join_first_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs 1 and 2 join at 0.9, and run 0 at 0.2: of two that are drawn nothing leads to the third."""
    schema = ["first", "second", "overlap", "runs"]
    merges = pl.DataFrame([(1, 2, 0.9, 2), (0, 3, 0.2, 3)], schema=schema, orient="row")
    assert orders._joined_first(merges, 3) == [0, 1, 2]
    monkeypatch.setattr(orders, "MOST_JOINED", 2)
    assert orders._joined_first(merges, 3) == [1, 2]
    lines = orders._lines(merges, 3, [1, 2], 0.5)
    assert [(line["x"], line["x2"], line["y"], line["y2"]) for line in lines] == [
        (1.0, 0.9, 0.0, 0.0), (1.0, 0.9, 1.0, 1.0), (0.9, 0.9, 0.0, 1.0),
    ]  # fmt: skip
