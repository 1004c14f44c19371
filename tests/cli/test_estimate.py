"""``cranfield estimate`` as a person uses it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scipy.stats import t

from cranfield.cli import main

HEADER = "query_id,doc_id,probability,stratum\n"
SAMPLE = HEADER + "1,a,0.5,0\n1,c,0.5,0\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.run").write_text("".join(f"1 Q0 {d} 1 {-i} x\n" for i, d in enumerate("abcd")))
    (tmp_path / "y.run").write_text("".join(f"1 Q0 {d} 1 {-i} y\n" for i, d in enumerate("efgh")))
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 c 0\n")
    (tmp_path / "sample.csv").write_text(SAMPLE)
    return tmp_path


def estimate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["estimate", *arguments])


def test_by_hand(here: Path) -> None:
    result = estimate("sample.csv", "qrels.txt", "x.run", "-m", "P@4", "-m", "NumRel", "--format", "json")
    precision, relevant = json.loads(result.stdout)
    assert list(precision) == ["run", "measure", "value", "standard_error", "low", "high"]
    # 2 of 4 drawn, one of them relevant: 4 · 1/2 = 2. The variance is N² (1 - n/N) s² / n = 16 ·
    # 1/2 · 1/2 / 2 = 2.
    assert (relevant["value"], relevant["standard_error"]) == (2, pytest.approx(2**0.5))
    assert (precision["value"], precision["standard_error"]) == (2 / 4, pytest.approx(2**0.5 / 4))
    assert relevant["high"] == pytest.approx(2 + t.ppf(0.975, 2) * 2**0.5)
    assert t.ppf(0.975, 2) * 2**0.5 / 4 > 1 / 2
    assert (precision["low"], precision["high"]) == (0, 1)  # where P@4 ends
    assert result.stderr == "Estimated from a sample, with 95% intervals, over 1 topic\n"


def test_another_level_by_topic(here: Path) -> None:
    asked = ("sample.csv", "qrels.txt", "x.run", "-m", "NumRel", "--level", "0.9", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(estimate(*asked).stdout)))
    assert [row["topic"] for row in rows] == ["1", "all"]
    assert [row["low"] for row in rows][:1] == [""]
    assert float(rows[1]["high"]) == pytest.approx(2 + t.ppf(0.95, 2) * 2**0.5)


def test_what_is_relevant(here: Path) -> None:
    found = estimate("sample.csv", "qrels.txt", "x.run", "-m", "NumRel", "--rel", "2", "--format", "json")
    [row] = json.loads(found.stdout)
    assert (row["measure"], row["value"]) == ("NumRel(rel=2)", 0)


def test_from_sample_to_estimate_all_drawn_is_what_evaluate_says(here: Path) -> None:
    (here / "qrels.txt").write_text("".join(f"1 0 {d} {int(d in 'adf')}\n" for d in "abcdefgh"))
    drawn = CliRunner().invoke(main, ["sample", "x.run", "y.run", "--per-topic", "8", "-o", "sample.json"])
    assert drawn.exit_code == 0
    rows = json.loads(estimate("sample.json", "qrels.txt", "x.run", "y.run", "-m", "AP", "--format", "json").stdout)
    assert [row["value"] for row in rows] == [pytest.approx((1 / 1 + 2 / 4) / 3), pytest.approx(1 / 2 / 3)]
    assert [row["standard_error"] for row in rows] == [0, 0]


def test_other_runs_than_the_sample_was_drawn_from(here: Path) -> None:
    result = estimate("sample.csv", "qrels.txt", "x.run", "y.run", "-m", "P@4")
    assert result.exit_code == 0
    assert "note: on 1 topic the sample was drawn from other documents" in result.stderr
    assert "(topic 1: 4, not 8)" in result.stderr
    assert estimate("sample.csv", "qrels.txt", "x.run", "y.run", "--quiet").stderr == ""


def test_with_a_cheap_judge(here: Path) -> None:
    """Everything that could be drawn was: the labels say nothing that the experts do not."""
    (here / "qrels.txt").write_text("".join(f"1 0 {d} {int(d in 'adf')}\n2 0 {d} 1\n" for d in "abcdefgh"))
    (here / "labels.txt").write_text("".join(f"1 0 {d} {int(d in 'ad')}\n" for d in "abcdef"))
    how = ("--per-topic", "8", "--design", "weighted", "-m", "P@4", "-o", "sample.csv")
    assert CliRunner().invoke(main, ["sample", "x.run", "y.run", *how]).exit_code == 0
    asked = ("sample.csv", "qrels.txt", "x.run", "y.run", "--cheap", "labels.txt")
    result = estimate(*asked, "-m", "P@4", "--baseline", "y", "--format", "json")
    x, y = json.loads(result.stdout)
    assert (x["low"], x["value"], x["high"]) == (2 / 4, 2 / 4, 2 / 4)
    assert (x["difference"], y["difference"]) == (1 / 4, 0)
    assert x["like_low"] is None
    assert "note: no cheap label: 2 of 8 candidates, on 1 topic" in result.stderr
    assert "note: with one topic" in result.stderr
    assert json.loads(estimate(*asked, "--format", "json").stdout)[0]["measure"] == "P@10"


@pytest.mark.parametrize(
    ("sample", "arguments", "problem"),
    [
        (SAMPLE, ["-m", "RR"], "RR cannot be estimated from a sample"),
        (
            SAMPLE,
            ["--cheap", "qrels.txt", "--cheap", "qrels.txt", "-m", "AP"],
            "AP: ratios are modelled by the labels of one",
        ),
        (SAMPLE, ["--baseline", "x"], "a baseline needs cheap labels"),
        (SAMPLE, ["--level", "1"], "level must be above 0 and below 1, not 1"),
        (SAMPLE, ["-o", "sample.csv"], "sample.csv: is an input and would be overwritten"),
        (SAMPLE + "1,b,0.5,0\n", [], "document 'b' of topic '1': it is not judged"),
        (SAMPLE + "1,z,0.5,0\n", [], "document 'z' of topic '1': no run retrieved it"),
        (
            SAMPLE + "1,b,often,0\n",
            [],
            "sample.csv: row 3: the probability 'often' is not a number",
        ),
        (SAMPLE + "1,b,0.5,top\n", [], "sample.csv: row 3: the stratum 'top' is not a number"),
        (SAMPLE + "1,,0.5,0\n", [], "sample.csv: row 3: the doc_id is missing"),
        (SAMPLE + "1,a,0.5,0\n", [], "the sample lists a document twice"),
        (HEADER + "1,a,1.5,0\n", [], "must be above 0 and at most 1"),
        ("query_id,doc_id\n1,a\n", [], "sample.csv: no column for probability"),
        ("", [], "sample.csv: no table of a sample"),
    ],
)
def test_mistakes(here: Path, sample: str, arguments: list[str], problem: str) -> None:
    (here / "sample.csv").write_text(sample)
    result = estimate("sample.csv", "qrels.txt", "x.run", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1
