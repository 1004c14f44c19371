"""Lists that end where a budget is spent, which is learned on judged topics."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main

QRELS = {str(topic): {"a": 1, "b": 1} for topic in range(10)}
RUN = {topic: {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0} for topic in QRELS}
COSTS = {"a": 100, "b": 300, "x": 50, "y": 1000}


def test_by_hand() -> None:
    """Down to b a list costs 450; of 10 topics a level of .2 leaves (11 · .2 - 1) / 10 = .12 to lose: nothing."""
    left = cf.cut(RUN, lose_at_most=0.2, rule="budget", qrels=QRELS, costs=COSTS)
    assert left.how["run"] == "budget 450"
    assert left["run"].filter(query_id="3")["doc_id"].to_list() == ["a", "x", "b"]
    half = cf.cut(RUN, lose_at_most=0.6, rule="budget", qrels=QRELS, costs=COSTS)  # half may be lost: a alone
    assert half.how["run"] == "budget 100"
    again = cf.cut(RUN, rule="budget", threshold=450, costs=COSTS)
    assert again["run"].height == left["run"].height == 30


def test_costs_of_1_are_depths() -> None:
    even = dict.fromkeys(COSTS, 1)
    for level in (0.2, 0.6):
        found = cf.cut(RUN, lose_at_most=level, rule="budget", qrels=QRELS, costs=even).how["run"]
        assert found == cf.cut(RUN, lose_at_most=level, rule="depth", qrels=QRELS).how["run"].replace("depth", "budget")
    learned = cf.cut(RUN, learned="RBU(p=0.9,e=0.1)", rule="budget", qrels=QRELS, costs=even)
    assert learned["run"].height == cf.cut(RUN, learned="RBU(p=0.9,e=0.1)", rule="depth", qrels=QRELS)["run"].height


def test_without_costs() -> None:
    with pytest.raises(cf.InputError, match="the rule budget needs the costs of documents"):
        cf.cut(RUN, lose_at_most=0.2, rule="budget", qrels=QRELS)
    with pytest.raises(cf.InputError, match=r"1 document|no cost"):
        cf.cut(RUN, lose_at_most=0.2, rule="budget", qrels=QRELS, costs={"a": 1, "b": 1, "x": 1})
    kept = cf.cut(RUN, lose_at_most=0.2, rule="budget", qrels=QRELS, costs={"a": 1, "b": 1, "x": 1}, cost_missing=5)
    assert kept.how["run"] == "budget 3"


def test_the_best_rule_and_the_experiments_have_it_where_costs_are() -> None:
    assert cf.cut(RUN, lose_at_most=0.4, qrels=QRELS, costs=COSTS).how["run"]
    joined = cf.join(QRELS, {"run": RUN}, costs=COSTS)
    for found in (
        cf.experiments.cut_guarantee(joined, "R", levels=(0.6,), splits=20)["runs"],
        cf.experiments.stopping(joined, "SetF", folds=2)["rules"],
    ):
        assert "budget" in found["rule"].to_list()
    plain = cf.experiments.cut_guarantee(cf.join(QRELS, {"run": RUN}), "R", levels=(0.6,), splits=20)["runs"]
    assert "budget" not in plain["rule"].to_list()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("".join(f"{t} 0 {d} 1\n" for t, judged in QRELS.items() for d in judged))
    run = "".join(f"{t} Q0 {d} {i} {s} r\n" for t, of in RUN.items() for i, (d, s) in enumerate(of.items(), 1))
    Path("a.run").write_text(run)
    Path("costs.txt").write_text("".join(f"{d} {cost}\n" for d, cost in COSTS.items()))
    judged = ["--qrels", "qrels.txt", "--costs", "costs.txt"]
    asked = ["cut", "a.run", "--lose-at-most", "0.6", "--rule", "budget", *judged, "-o", "out"]
    found = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert found.exit_code == 0
    assert "a.run: 1.0 documents a topic (budget 100" in found.stdout
