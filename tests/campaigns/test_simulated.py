"""A campaign as a whole: the same for a seed, pooled as it says, and with results that make sense."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from cranfield.campaigns import Campaign, simulate
from cranfield.campaigns.model import Oddity


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return simulate(systems=12, topics=8, depth=200, seed=7, pool_depth=20)


def test_the_same_seed_gives_the_same_campaign_and_another_seed_another(campaign: Campaign) -> None:
    again = simulate(systems=12, topics=8, depth=200, seed=7, pool_depth=20)
    other = simulate(systems=12, topics=8, depth=200, seed=8, pool_depth=20)
    assert campaign.qrels.equals(again.qrels)
    assert all(run.equals(again.runs()[name]) for name, run in campaign.runs().items())
    assert campaign.description == again.description
    assert not campaign.qrels.equals(other.qrels)


def test_a_system_is_the_same_whatever_the_number_of_later_systems(campaign: Campaign) -> None:
    fewer = simulate(systems=5, topics=8, depth=200, seed=7, pool_depth=20)
    assert fewer.names == campaign.names[:5]
    for name, run in fewer.runs().items():
        assert run.equals(campaign.runs()[name])


def test_the_columns_and_topics_are_those_of_a_campaign(campaign: Campaign) -> None:
    assert campaign.topics == [str(topic) for topic in range(401, 409)]
    assert campaign.qrels.schema == {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}
    for run in campaign.runs().values():
        assert run.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
        assert not run.select("query_id", "doc_id").is_duplicated().any()
        assert max(run.group_by("query_id").len()["len"]) <= 200


def test_the_pool_is_the_top_of_the_contributors_and_nothing_else(campaign: Campaign) -> None:
    pool = set()
    for system in campaign.systems:
        if system.contributes:
            ordered = campaign.runs()[system.name].sort("query_id", "score", "doc_id", descending=[False, True, True])
            pool |= set(ordered.group_by("query_id").head(20).select("query_id", "doc_id").iter_rows())
    assert pool == set(campaign.qrels.select("query_id", "doc_id").iter_rows())
    assert 0 < sum(system.contributes for system in campaign.systems) < len(campaign.systems)


def test_the_judgments_are_graded_sorted_and_incomplete(campaign: Campaign) -> None:
    assert campaign.qrels["relevance"].unique().sort().to_list() == [0, 1, 2]
    assert campaign.qrels.equals(campaign.qrels.sort("query_id", "doc_id"))
    run = campaign.runs()[campaign.names[0]]
    assert len(run.join(campaign.qrels, on=["query_id", "doc_id"], how="anti")) > 0


def test_ties_exist(campaign: Campaign) -> None:
    tied = {name: run.select("query_id", "score").is_duplicated().any() for name, run in campaign.runs().items()}
    coarse = [system.name for system in campaign.systems if system.oddity is Oddity.COARSE]
    assert coarse
    assert all(tied[name] for name in coarse)


def test_scores_never_rise_down_the_list(campaign: Campaign) -> None:
    for run in campaign.runs().values():
        steps = run.select(pl.col("score").diff().over("query_id")).to_series().drop_nulls()
        assert steps.max() <= 0  # type: ignore[operator]


def test_short_lists_and_missing_topics_exist_and_are_described(campaign: Campaign) -> None:
    early = [system for system in campaign.systems if system.oddity is Oddity.STOPS_EARLY]
    missing = [system for system in campaign.systems if system.oddity is Oddity.MISSES_TOPICS]
    assert early
    assert missing
    for system in early:
        counts = campaign.runs()[system.name].group_by("query_id").len()["len"].to_list()
        assert max(counts) < 200
        assert f"{system.name}: stops early, after {min(counts)} to {max(counts)} documents" in campaign.description
    for system in missing:
        missed = sorted(set(campaign.topics) - set(campaign.runs()[system.name]["query_id"]))
        assert f"{system.name}: misses topics: {', '.join(missed)}" in campaign.description
    assert "seed 7" in campaign.description


def test_an_unknown_run_is_a_key_error(campaign: Campaign) -> None:
    with pytest.raises(KeyError):
        campaign.runs()["nobody"]


def _average_precision(campaign: Campaign) -> dict[str, float]:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(_nested(campaign.qrels), ["map"])
    means = {}
    for name, run in campaign.runs().items():
        by_topic = evaluator.evaluate(_nested(run))
        means[name] = sum(values["map"] for values in by_topic.values()) / len(campaign.topics)
    return means


def _nested(table: pl.DataFrame) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for topic, document, value in table.iter_rows():
        nested.setdefault(topic, {})[document] = value
    return nested


@pytest.mark.parametrize("seed", [7, 11])
def test_the_broken_system_is_worst_and_the_others_look_like_systems(seed: int) -> None:
    campaign = simulate(systems=10, topics=25, depth=200, seed=seed, pool_depth=50)
    means = _average_precision(campaign)
    broken = next(system.name for system in campaign.systems if system.broken)
    sound = [value for name, value in means.items() if name != broken]
    assert means[broken] < 0.02
    assert means[broken] < min(sound) / 3
    assert 0.1 < np.mean(sound) < 0.5
    assert np.std(sound) > 0.01
