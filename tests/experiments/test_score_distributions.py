"""Scores by what documents are, against a slow count, and the cut against all that could be tried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.experiments.score_distributions import DOCUMENT_STATES
from cranfield.plots.drawn import _converted
from cranfield.plumbing.errors import InputError
from cranfield.statistics.ranks import chance_above

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "z": 0}}
RUNS = {
    "first": {"1": {"a": 10.0, "x": 6.0, "b": 2.0, "c": 0.0}, "2": {"z": 3.0, "a": 1.0}, "9": {"q": 1.0}},
    "flat": {"1": {"a": 5.0}},
}
experiment = EXPERIMENTS["score-distributions"]


def test_documents_are_counted_by_state_and_scaled_score() -> None:
    """Of first on topic 1 the scores are 1, .6, .2 and 0 of the way, on topic 2 they are 1 and 0."""
    found = experiment(cf.join(QRELS, RUNS), bins=4)
    table = found["histogram"].filter(run="first")
    counts = {state: table.filter(state=state)["documents"].to_list() for state in DOCUMENT_STATES}
    assert counts == {"relevant": [2, 0, 0, 1], "judged not relevant": [1, 0, 0, 1], "unjudged": [0, 0, 1, 0]}
    assert table.filter(state="relevant")["share"].to_list() == pytest.approx([2 / 3, 0, 0, 1 / 3])
    flat = found["histogram"].filter(run="flat")
    assert flat.filter(state="relevant")["documents"].to_list() == [0, 0, 0, 1]  # the only score is the highest
    assert flat.filter(state="unjudged")["share"].null_count() == 4
    # Relevant: 1, 0, 0; not relevant: .2, 1. Of six pairs one is higher and one is tied.
    assert found["cuts"]["separation"].to_list() == [pytest.approx(1.5 / 6), None]


def test_no_other_threshold_is_better(tmp_path: Path) -> None:
    write_campaign(simulate(systems=4, topics=6, depth=30, seed=5), tmp_path)
    found = experiment(cf.join(tmp_path / "qrels.txt", tmp_path / "runs"))
    qrels = cf.read_qrels(tmp_path / "qrels.txt")
    for row in found["cuts"].rows(named=True):
        ranked = pl.DataFrame(cf.read_runs(tmp_path / "runs")[row["run"]])
        low, high = (getattr(pl.col("score"), end)().over("query_id") for end in ("min", "max"))
        ranked = ranked.with_columns(scaled=(pl.col("score") - low) / (high - low))

        def worth(threshold: float, ranked: pl.DataFrame = ranked) -> float:
            kept = ranked.filter(pl.col("scaled") >= threshold - 1e-12).drop("scaled")
            return float(cf.evaluate(qrels, {"r": kept}, "SetF").values.sum() / ranked["query_id"].n_unique())

        tried = [worth(threshold) for threshold in sorted(set(ranked["scaled"]))[::3]]
        if row["threshold"] is None:  # nothing is better than anything
            assert row["cut"] == max(tried) == 0
            continue
        assert worth(row["threshold"]) == pytest.approx(row["cut"])
        assert row["cut"] >= max(tried) - 1e-12
        assert row["whole"] == pytest.approx(worth(0.0))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_separation_is_the_share_of_pairs_of_mann_and_whitney(relevant: list[int], others: list[int]) -> None:
    x, y = np.array(relevant, float), np.array(others, float)
    assert chance_above(x, y) == pytest.approx(stats.mannwhitneyu(x, y).statistic / (len(x) * len(y)))


def test_what_cannot_be_asked_is_refused() -> None:
    runs = cf.join(QRELS, RUNS)
    with pytest.raises(InputError, match="lists are cut by exactly one measure, not by 2"):
        experiment(runs, ("SetF", "AP"))
    with pytest.raises(InputError, match="join the runs without judged_only"):
        experiment(runs.under(judged_only=True))


def test_a_figure_has_the_best_runs_and_the_cut_of_each() -> None:
    figure = experiment(cf.join(QRELS, RUNS), bins=4).plot("score-distributions")
    assert [panel["title"]["text"] for panel in figure.spec["concat"]] == ["first", "flat"]
    assert figure.spec["concat"][0]["title"]["subtitle"][1] == "3 relevant, 2 not relevant, 1 unjudged"
    assert "No document" not in str(figure.spec["title"])
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="rule mark"') == 2
    assert 'aria-roledescription="rect mark"' not in drawn  # what a pointer finds, and nobody sees
    assert _converted(figure.spec, "svg").count('aria-roledescription="rect mark"') == 3 * 4 + 4
    assert "judged not relevant" in drawn
    assert "a relevant document scores higher in 25% of the cases" in figure.description
    many = {f"r{i}": {"1": {"a": 2.0, "b": 1.0}} for i in range(12)}
    figure = experiment(cf.join(QRELS, many)).plot("score-distributions")
    assert len(figure.spec["concat"]) == 9
    assert "The best 9 of 12 runs at that cut." in str(figure.spec["title"])


def test_nothing_relevant_has_no_cut() -> None:
    found: Findings = experiment(cf.join({"1": {"a": 0}}, {"r": {"1": {"a": 1.0}}}))
    assert found["cuts"].select("threshold", "length", "separation").rows() == [(None, 0.0, None)]
    figure = found.plot("score-distributions")
    assert "r, empty: SetF 0.000, whole 0.000" in figure.description
    assert "No document is relevant." in figure.spec["title"]["subtitle"]
