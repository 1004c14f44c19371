"""``cranfield correlate`` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main

MEANS = {"AP": "4321", "RR": "3421", "NumRet": "1111"}
OTHER = {"AP": "4312", "P@5": "4321"}


def written(means: dict[str, str], *topics: str) -> str:
    lines = [
        f"{run},{topic},{measure},{value}"
        for measure, values in means.items()
        for run, value in zip("wxyz", values, strict=True)
        for topic in topics
    ]
    return "\n".join(["run,topic,measure,value", *lines, ""])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "by-topic.csv").write_text(written(MEANS, "1", "2", "all"))
    (tmp_path / "averages.csv").write_text(written(MEANS, "all"))
    (tmp_path / "other.csv").write_text(written(OTHER, "7") + "v,7,AP,9\nv,7,P@5,9\n")
    (tmp_path / "alone.csv").write_text("run,topic,measure,value\nw,1,AP,1\nw,1,RR,1\n")
    return tmp_path


def correlate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["correlate", *arguments])


@pytest.mark.parametrize("file", ["by-topic.csv", "averages.csv"])
def test_each_two_measures(here: Path, file: str) -> None:
    result = correlate(file, "-m", "AP", "-m", "RR")
    assert result.stdout.splitlines() == [
        "measure_a  measure_b  correlation  runs",
        "AP         RR              0.6667     4",  # of 6 pairs 5 alike, 1 not
    ]
    assert result.stderr == "tau_b of the orders of 4 runs by their means\n"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("tau_a", 4 / 6),
        ("tau_ap", 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1),
        ("tau_ap_symmetric", 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1),
        ("spearman", 1 - 6 * 2 / (4 * 15)),
        ("pearson", 1 - 6 * 2 / (4 * 15)),
    ],
)
def test_other_kinds(here: Path, kind: str, expected: float) -> None:
    [row] = json.loads(correlate("by-topic.csv", "-m", "AP", "-m", "RR", "--kind", kind, "--format", "json").stdout)
    assert row["correlation"] == pytest.approx(expected)


def test_rank_biased_overlap(here: Path) -> None:
    asked = ("by-topic.csv", "-m", "AP", "-m", "RR", "--kind", "rbo", "--p", "0.5", "--format", "json")
    [row] = json.loads(correlate(*asked).stdout)
    assert list(row) == ["measure_a", "measure_b", "minimum", "residual", "extrapolated", "runs"]
    assert row["extrapolated"] == pytest.approx(0.5 * 0 + 0.5)  # 0 at rank 1, all from there on


def test_a_measure_that_orders_nothing(here: Path) -> None:
    result = correlate("by-topic.csv", "--format", "json")
    assert [row["correlation"] for row in json.loads(result.stdout)][1:] == [0, 0]
    assert (
        "note: one of the two gives all runs the same value, so there is no order: AP, NumRet; RR, NumRet"
        in result.stderr
    )


def test_one_measure_in_two_files(here: Path) -> None:
    result = correlate("by-topic.csv", "other.csv")
    assert result.stdout.splitlines() == ["measure  correlation  runs", "AP            0.6667     4"]
    assert "note: 1 run is not in both: left out" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["by-topic.csv", "-m", "AP"], "AP alone cannot be correlated"),
        (["by-topic.csv", "-m", "RBP"], "RBP(p=0.8) is not among the measures asked for"),
        (["by-topic.csv", "--kind", "tau"], "kind must be 'tau_b' or 'tau_a' or"),
        (["by-topic.csv", "--p", "0.8"], "leave --p out, or give --kind rbo, too"),
        (["by-topic.csv", "--kind", "rbo", "--p", "0"], "p must be above 0 and below 1, not 0"),
        (["alone.csv"], "an order needs two runs or more; there is 1"),
        (["alone.csv", "nowhere.csv"], "nowhere.csv: no such file"),
        (["by-topic.csv", "-o", "by-topic.csv"], "is an input and would be overwritten"),
    ],
)
def test_mistakes(here: Path, arguments: list[str], problem: str) -> None:
    result = correlate(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1
