"""Parallel coordinates: the numbers of the paper's runs, a line for each topic or run, and what they are ordered by."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.plots import Figure
from cranfield.plumbing.errors import InputError

IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
RUN_A = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3]
RUN_B = [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1]
INDICATORS = ["NumRel", "RecoveryValue", "BalanceRatio", "CRPMin", "CRPN"]


def lines(figure: Figure) -> list[dict[str, Any]]:
    """Return the rows of its lines."""
    values: list[dict[str, Any]] = figure.spec["data"][0]["values"]
    return values


def listed(grades: list[int]) -> list[str]:
    """Name the documents of a list by their grades: the second of grade 3 is 3b."""
    letters = dict.fromkeys(grades, 0)
    names = []
    for grade in grades:
        names.append(f"{grade}{'abcdefghijklmno'[letters[grade]]}")
        letters[grade] += 1
    return names


def test_the_indicators_of_the_papers_two_runs() -> None:
    """As `tests/measures/test_effort.py` counts them: A does not recover, B does at rank 14."""
    qrels = {"1": dict(zip(listed(IDEAL), IDEAL, strict=True))}
    runs = {"A": {"1": listed(RUN_A)}, "B": {"1": listed(RUN_B)}}
    measures = ["NumRel", *(f"{name}@20" for name in INDICATORS[1:])]
    figure = cf.plot("parallel", qrels, runs, measures)
    b, a = lines(figure)
    assert [a["name"], b["name"]] == ["A", "B"]  # ordered by RecoveryValue: NumRel does not tell them apart
    assert [a[f"v{i}"] for i in range(5)] == pytest.approx([10, 0, 0, 1 - 19 / 54, 1 + 11 / 33])
    assert [b[f"v{i}"] for i in range(5)] == pytest.approx([10, 10 / 14, 1 - 14 / 18, 1 - 19 / 52, 1 - 3 / 33])
    # Both have ten relevant documents: that has no axis. The others span the runs, and a twentieth beyond.
    said = " ".join(figure.spec["title"]["subtitle"])
    assert "No axis, since all runs agree within 1% of it: NumRel (10)." in said
    assert "Each axis spans the values on it." in said
    assert [(a[f"at{i}"], b[f"at{i}"]) for i in range(1, 5)] == [
        pytest.approx(ends) for ends in ((0, 20 / 21), (0, 20 / 21), (21 / 22, 1 / 22), (21 / 22, 1 / 22))
    ]
    assert "CRPN@20 from 0.909 to 1.333" in figure.description
    assert [axis["scale"] for axis in figure.spec["axes"]] == ["names", "axis1", "axis2", "axis3", "axis4"]
    scales = [scale for scale in figure.spec["scales"] if scale["name"].startswith("axis")]
    assert not any(scale["zero"] for scale in scales)  # Vega would have them begin at 0
    assert scales[4]["domain"] == pytest.approx([1 - 3 / 33 - 14 / 33 / 20, 1 + 11 / 33 + 14 / 33 / 20])


def test_the_axes_of_topics_go_from_0_to_1() -> None:
    """Of one list the measures are on the scale of the paper, which is longer where values are beyond it."""
    qrels = {topic: dict(zip(listed(IDEAL), IDEAL, strict=True)) for topic in "12"}
    run = {"1": listed(RUN_A), "2": listed(RUN_B)}
    figure = cf.plot("parallel", qrels, {"A": run}, ["RecoveryValue@20", "CRPN@20"])
    b, a = lines(figure)
    assert (a["name"], b["name"]) == ("1", "2")
    assert [a["at0"], b["at0"]] == pytest.approx([0, 10 / 14])
    assert [a["at1"], b["at1"]] == pytest.approx([1, (1 - 3 / 33) / (1 + 11 / 33)])
    assert "Axes run from 0 to 1, except CRPN@20 (to 1.333)." in figure.spec["title"]["subtitle"]


def test_a_line_is_a_topic_of_one_run_or_one_of_several_runs() -> None:
    qrels = {str(n): {"a": 1, "b": 1} if n % 2 else {"a": 1} for n in range(7)}
    run = {topic: {"x": 3.0, "a": 2.0} for topic in qrels}
    one = cf.plot("parallel", qrels, {"only": run}, ["NumRel", "AP", "RR"])
    assert [row["name"] for row in lines(one)] == ["1", "3", "5", "0", "2", "4", "6"]  # two relevant ones first
    scores = cf.evaluate(qrels, {"only": run}, "AP")
    assert {row["name"]: row["v1"] for row in lines(one)} == dict(
        scores.per_topic.select(pl.col("topic"), pl.col("value")).iter_rows()
    )
    assert one.to_bytes("svg").decode().count('aria-roledescription="line of a topic"') == 7
    several = cf.plot("parallel", qrels, {"a": run, "b": run, "c": qrels}, ["NumRel", "AP", "RR"])
    assert several.to_bytes("svg").decode().count('aria-roledescription="line of a run"') == 3
    assert "ordered and coloured by AP." in str(several.spec["title"])


def test_what_cannot_be_is_said() -> None:
    qrels, runs = {"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}
    with pytest.raises(InputError, match="parallel needs two measures or more, not only AP; give more with -m"):
        cf.plot("parallel", qrels, runs, "AP")
    with pytest.raises(InputError, match="parallel shows one collection; draw qrels, other one by one"):
        cf.plot("parallel", qrels, runs, also={"other": (qrels, runs)})
    with pytest.raises(InputError, match="parallel is drawn by Vega and not by Vega-Lite: Altair has no chart of it"):
        _ = cf.plot("parallel", qrels, runs).chart


def test_one_topic_is_one() -> None:
    figure = cf.plot("parallel", {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, ["AP", "P@10"])
    assert figure.description.endswith("Of 1 topic, AP from 1.000 to 1.000; P@10 from 0.100 to 0.100.")  # no first
