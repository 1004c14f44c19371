"""One panel for whoever compares: complete, more being better, with one policy for everything else."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.scoring.panel import panel_of

QRELS = {"2": {"a": 1, "b": 1}, "10": {"a": 1}, "3": {"z": 0}}
RUNS = {
    "good": {"2": {"a": 3.0, "b": 2.0}, "10": {"a": 1.0}, "3": {"z": 1.0}},
    "late": {"10": {"x": 3.0, "a": 2.0}, "2": {"x": 3.0, "a": 2.0}, "3": {"y": 1.0}},
    "short": {"2": {"b": 3.0}},
}


def test_topics_are_sorted_by_id_whatever_the_order_of_a_file() -> None:
    panel = cf.join(QRELS, RUNS).panel("AP")
    assert panel.topics == ("10", "2", "3")
    turned = cf.join(dict(reversed(QRELS.items())), {n: dict(reversed(r.items())) for n, r in RUNS.items()}).panel("AP")
    assert turned.topics == panel.topics
    assert (turned.values == panel.values).all()
    assert panel.values[0].tolist() == [[1.0, 1.0, 0.0], [1 / 2, 1 / 4, 0.0], [0.0, 1 / 2, 0.0]]


def test_missing_topics_count_0_or_are_left_out_for_all() -> None:
    joined = cf.join(QRELS, RUNS)
    assert joined.panel("AP").notes == ("missing topics counted 0: short (3, 10)",)
    shared = cf.join(QRELS, RUNS, topics="shared").panel("AP")
    assert shared.topics == ("2",)
    assert shared.values.tolist() == [[[1.0], [1 / 4], [1 / 2]]]
    assert shared.notes == ("compared on the 1 topic that all runs have, without 3, 10",)
    assert panel_of(joined.scores("AP"), "shared").topics == ("2",)
    nothing = {"one": {"2": {"a": 1.0}}, "other": {"10": {"a": 1.0}}}
    with pytest.raises(cf.InputError, match="the runs share no topic"):
        cf.join(QRELS, nothing, topics="shared").panel("AP")


def test_less_is_turned_round_and_back() -> None:
    panel = cf.join(QRELS, RUNS).panel(["RR", "ESL"])
    scores = cf.evaluate(QRELS, RUNS, ["RR", "ESL"])
    assert panel.direction.tolist() == [1, -1]
    assert panel.averages[1].tolist() == pytest.approx((-scores.averages[1]).tolist())
    assert panel.means == pytest.approx(scores.averages)
    assert (panel.averages[:, 0] > panel.averages[:, 1]).all()


def test_a_geometric_mean_is_compared_by_logarithms() -> None:
    panel = cf.join(QRELS, RUNS).panel(["AP", "gmAP"])
    expected = [math.log(value) for value in (1.0, 1.0, 0.00001)]
    assert panel.values[1, 0].tolist() == pytest.approx(expected)
    assert panel.means[1].tolist() == pytest.approx(cf.evaluate(QRELS, RUNS, "gmAP").averages[0].tolist())
    assert any("logarithms" in note and "gmAP" in note for note in panel.notes)


def test_bounds_are_the_worst_and_the_best_there_could_be() -> None:
    """Of the list x, a with x unjudged: RR from 1/2 to 1, and to find a takes 2 documents, or 1 if x was relevant."""
    scores = cf.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"r": {t: {"x": 2.0, "a": 1.0} for t in "12"}},
                         ["RR", "RBPResidual(p=0.5)"], bounds=True, complete=False)  # fmt: skip
    panel = panel_of(scores)
    assert panel.limits is not None
    assert panel.limits[0, 0].tolist() == [[1 / 2, 1 / 2]]
    assert panel.limits[1, 0].tolist() == [[1.0, 1.0]]
    assert (panel.limits[0] <= panel.limits[1]).all()


def test_texts_are_refused() -> None:
    for measures in ("relstring", ["AP", "runid"]):
        with pytest.raises(cf.InputError, match="a text, which cannot be compared; name measures that are numbers"):
            cf.join(QRELS, RUNS).panel(measures)


def test_some_of_the_runs() -> None:
    panel = cf.join(QRELS, RUNS).panel(["AP", "ESL"])
    some = panel.of_runs(np.array([True, False, True]))
    assert some.runs == ("good", "short")
    assert (some.values == panel.values[:, [0, 2]]).all()


def test_tables_follow_the_same_policies() -> None:
    table = cf.evaluate(QRELS, RUNS, ["ESL", "gmAP"]).per_topic
    panel, same = panel_of(table), cf.join(QRELS, RUNS).panel(["ESL", "gmAP"])
    assert panel.measures == same.measures
    assert panel.values == pytest.approx(same.values)
    unknown = panel_of(table.with_columns(measure=pl.lit("mine") + pl.col("measure")))
    assert unknown.direction.tolist() == [1, 1]
    assert unknown.notes == ("higher is assumed to be better: mineESL, minegmAP",)


def test_a_value_that_is_no_number_is_named_with_its_run_and_topic() -> None:
    table = pl.DataFrame({"run": ["a", "a"], "topic": ["1", "2"], "measure": ["AP", "AP"], "value": ["0.5", "n/a"]})
    with pytest.raises(cf.InputError, match=r"scores: AP of run a on topic 2 has a value that is not a finite number"):
        panel_of(table)
