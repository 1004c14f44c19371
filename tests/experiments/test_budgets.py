"""Measures within budgets: by hand, beside evaluate with a budget, drawn, and by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS, Findings

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
RUNS = {
    "long": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}},
    "short": {"1": {"b": 3.0, "y": 2.0}, "2": {"y": 2.0, "c": 1.0}},
}
COSTS = {"a": 100, "b": 50, "c": 70, "x": 400, "y": 30}


def found(budgets: tuple[float, ...] | None = None, **asked: object) -> Findings:
    measures = asked.pop("measures", ["R", "Cost"])
    return EXPERIMENTS["budgets"](cf.join(QRELS, RUNS, costs=COSTS), measures=measures, budgets=budgets)


def test_by_hand() -> None:
    """Within 100 long reads nothing of topic 1 (x costs 400) and c of topic 2; short reads b, y and y, c."""
    tables = found((100, 500))
    assert tables["values"].filter(measure="R").rows() == [
        ("R", 100.0, "long", (0 + 1) / 2),
        ("R", 100.0, "short", (1 / 2 + 1) / 2),
        ("R", 500.0, "long", (1 / 2 + 1) / 2),
        ("R", 500.0, "short", (1 / 2 + 1) / 2),
    ]
    assert tables["leaders"].rows() == [
        ("R", 100.0, "short", 0.75, 1),
        ("R", 500.0, "long", 0.75, 2),
        ("Cost", 100.0, "long", 35.0, 1),  # the less the better
        ("Cost", 500.0, "short", 90.0, 1),
    ]
    assert tables["read"].rows() == [
        (100.0, "long", 0.5, 35.0, 0.5),
        (100.0, "short", 2.0, 90.0, 0.0),
        (500.0, "long", 1.5, 285.0, 0.5),
        (500.0, "short", 2.0, 90.0, 0.0),
    ]


def test_each_value_is_that_of_evaluate_within_the_budget() -> None:
    tables = found(measures=["R", "nDCG", "UDCG", "GainPerCost"])
    budgets = tables["values"]["budget"].unique().to_list()
    assert len(budgets) > 5
    for budget in budgets:
        scores = cf.evaluate(QRELS, RUNS, ["R", "nDCG", "UDCG", "GainPerCost"], costs=COSTS, budget=budget)
        for measure, _, run, value in tables["values"].filter(budget=budget).iter_rows():
            assert value == scores[run, measure]
    last = tables["read"].filter(budget=max(budgets))
    assert last["ended"].to_list() == [0, 0]


def test_without_costs_a_budget_is_a_number_of_documents() -> None:
    tables = EXPERIMENTS["budgets"](cf.join(QRELS, RUNS), measures="R")
    assert set(tables["values"]["budget"]) == {1, 2, 3}
    assert "a budget is a number of documents" in tables.notes[0]
    for budget, run, value in tables["values"].select("budget", "run", "value").iter_rows():
        assert value == cf.evaluate(QRELS, RUNS, "R", depth=int(budget))[run, "R"]


def test_what_cannot_be_asked() -> None:
    with pytest.raises(cf.InputError, match="joined with a budget"):
        EXPERIMENTS["budgets"](cf.join(QRELS, RUNS, costs=COSTS, budget=9))
    with pytest.raises(cf.InputError, match="each of the budgets must be above 0, not 0"):
        found((0,))
    with pytest.raises(cf.InputError, match="no list costs anything"):
        EXPERIMENTS["budgets"](cf.join(QRELS, RUNS, costs=dict.fromkeys(COSTS, 0)))


def test_the_figure_says_who_leads() -> None:
    figure = found((100, 500), measures="R").plot("budgets")
    said = "R is highest for short at 100 (0.750), long and 1 more at 500 (0.750), of 2 budgets."
    assert figure.description == f"R by budget of documents read. {said}"


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, j in QRELS.items() for d, g in j.items()))
    (tmp_path / "costs.tsv").write_text("doc\ttokens\n" + "".join(f"{d}\t{c}\n" for d, c in COSTS.items()))
    files = []
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
        files.append(str(tmp_path / f"{name}.run"))
    asked = ["experiment", "budgets", str(tmp_path / "qrels.txt"), *files, "-m", "R", "--costs"]
    done = CliRunner().invoke(main, [*asked, str(tmp_path / "costs.tsv"), "--budgets", "100", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1] == "R,100.0,short,0.75,1"
    assert "costs.tsv (tokens)" in done.stderr
