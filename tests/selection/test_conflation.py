"""Grades that are not to be told apart, at the level of the qrels."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main

QRELS = {"1": {"a": 3, "b": 2, "c": 1, "d": 0, "e": -2}}


def grades(table: pl.DataFrame) -> dict[str, float]:
    found: dict[str, dict[str, float]] = cf.to_dict(table)
    return found["1"]


def test_by_hand() -> None:
    assert grades(cf.conflate(QRELS, {-2: 0, 3: 2})) == {"a": 2, "b": 2, "c": 1, "d": 0, "e": 0}
    assert grades(cf.conflate(QRELS, {})) == QRELS["1"]
    assert grades(cf.conflate(QRELS, {1: 0.5})) == {"a": 3, "b": 2, "c": 0.5, "d": 0, "e": -2}


@settings(max_examples=40, derandomize=True, database=None)
@given(st.permutations("abcdex"))
def test_it_is_what_gains_and_levels_do_for_one_measure(ranking: list[str]) -> None:
    run = {"run": {"1": ranking}}

    def value(qrels: cf.QrelsLike, measure: str) -> float:
        return float(cf.evaluate(qrels, run, measure).averages.item())

    two = cf.conflate(QRELS, {-2: 0, 1: 0, 2: 1, 3: 1})
    for by_level in ("AP", "RBP", "Twist"):
        assert value(two, by_level) == pytest.approx(value(QRELS, f"{by_level}(rel=2)"))
    assert value(cf.conflate(QRELS, {3: 2}), "nDCG") == pytest.approx(value(QRELS, "nDCG(gains={3:2})"))


def test_what_cannot_be() -> None:
    refused: dict[str, dict[float, float]] = {
        "no document has the grade 7; the qrels have -2, 0, 1, 2, 3": {7: 1},
        "grade 2 is above 1, but would be below it: 2 and 5": {1: 5},
        "finite": {1: math.inf},
    }
    for told, asked in refused.items():
        with pytest.raises(cf.InputError, match=told):
            cf.conflate(QRELS, asked)


def test_on_the_command_line(tmp_path: Path) -> None:
    qrels, out = tmp_path / "qrels.txt", tmp_path / "out.qrels.gz"
    cf.write_qrels(cf.read_qrels(QRELS), qrels)

    def call(*arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["conflate", *map(str, arguments)])
        return result.exit_code, result.stderr

    assert call(qrels, "--grades", "-2:0,3:2", "-o", out) == (
        0,
        "documents by grade: 0 (2), 1 (1), 2 (2)\n",
    )
    assert grades(cf.read_qrels(out)) == {"a": 2, "b": 2, "c": 1, "d": 0, "e": 0}
    for wrong, told in {"2": "is written", "2:1,2:0": "twice", "x:1": "is written"}.items():
        code, said = call(qrels, "--grades", wrong, "-o", tmp_path / "other")
        assert code == 2
        assert told in said
    assert call(qrels, "--grades", "3:2", "-o", qrels)[0] == 2
    assert grades(cf.read_qrels(qrels)) == QRELS["1"]
