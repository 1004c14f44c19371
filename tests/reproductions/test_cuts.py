"""Verdicts on claims where lists and pools are cut: none turns down to what a claim is of, and none is passed below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl
import pytest

import cranfield as cf
from cranfield.campaigns import simulate
from cranfield.reports.elements import Statement, unfolded
from cranfield.reproductions import PAPERS, Paper
from cranfield.reproductions.claims import OPEN, ClaimSetting
from cranfield.reproductions.study import Study

SLOW = {
    "ranking-interruptus": {"Table 1"},
    "targeted-judgments": {item.label for item in PAPERS["targeted-judgments"].items} - {"Section 2", "Figure 3"},
}
"""Items whose search or sessions take long, and whose numbers have no interval."""
DEPTH, POOL = 1100, 110

Runs = Mapping[str, pl.DataFrame]


def cut(qrels: pl.DataFrame, runs: Runs, depth: int, pool: int) -> Study:
    """End all lists at a rank, and judge what some run has down to the rank of the pool."""
    ranked = {
        name: run.sort("query_id", "score", "doc_id", descending=[False, True, True])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_id"))
        .filter(pl.col("rank") <= depth)
        for name, run in runs.items()
    }
    pooled = pl.concat([run.filter(pl.col("rank") <= pool) for run in ranked.values()])
    judged = qrels.join(pooled, on=["query_id", "doc_id"], how="semi")
    return Study({"qrels": cf.join(judged, {name: run.drop("rank") for name, run in ranked.items()})})


def verdicts(paper: Paper, study: Study, items: set[str]) -> dict[tuple[str, str], str]:
    return {
        (block.claimed, block.by[0][1]): block.verdict
        for item in paper.items
        if item.label in items and item.lack(study) is None
        for block in unfolded(list(item.writer(study)))
        if isinstance(block, Statement) and block.verdict
    }


def told(paper: Paper, systems: int, topics: int) -> int:
    """Cut a made campaign to what each claim is of, and halfway there; count the claims that are told on the whole."""
    made = simulate(systems=systems, topics=topics, depth=DEPTH, pool_depth=POOL)
    qrels, runs = made.qrels, made.runs()
    items = {item.label for item in paper.items} - SLOW.get(paper.name, set())
    whole = verdicts(paper, cut(qrels, runs, DEPTH, POOL), items)
    for setting in {claim.of for claim in paper.claims}:
        ends = (setting.depth, setting.pool)
        halfway = tuple((end + most) // 2 for end, most in zip(ends, (DEPTH, POOL), strict=True))
        for depth, pool in (ends, halfway):
            found = verdicts(paper, cut(qrels, runs, max(depth, 2), pool or POOL), items)
            for claim in paper.claims:
                told = whole.get((claim.words, claim.where))
                if claim.of == setting and told not in {None, OPEN}:
                    assert found[claim.words, claim.where] in {told, OPEN}, (claim, depth, pool)
    return sum(verdict != OPEN for verdict in whole.values())


@pytest.mark.parametrize(
    "name", [pytest.param("cumulated-gain", marks=pytest.mark.integration), "cumulated-relative-position"]
)
def test_no_verdict_turns_on_cut_lists_and_pools(name: str) -> None:
    assert told(PAPERS[name], 12, 12) > 0


@pytest.mark.integration
@pytest.mark.parametrize("name", sorted(PAPERS))
def test_no_verdict_of_any_paper_turns_on_cut_lists_and_pools(name: str) -> None:
    assert told(PAPERS[name], 34, 20) > 0


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_with_less_than_a_claim_is_of_there_is_no_verdict(name: str) -> None:
    """What is lacking is named, whatever the numbers are; one step below is enough."""
    for claim in PAPERS[name].claims:
        of = claim.of
        whole = {"runs": of.runs, "topics": of.topics, "depth": of.depth, "pool": of.pool, "grades": 9}
        assert not any(need(counting(whole)) for need in of.needs)
        for what in ("runs", "topics", "depth", "pool"):
            if whole[what]:
                lacks = [lack for need in of.needs if (lack := need(counting({**whole, what: whole[what] - 1})))]
                assert len(lacks) == 1
                assert f"{whole[what]:,}" in lacks[0]


def counting(counts: Mapping[str, int]) -> Study:
    study = Study({})
    study.__dict__["counts"] = counts
    return study


def test_a_claim_of_runs_is_of_lists_and_pools_no_deeper_than_they_are() -> None:
    for paper in PAPERS.values():
        for claim in paper.claims:
            assert claim.of.pool <= claim.of.depth, claim


def test_a_study_knows_how_deep_its_lists_and_its_pool_are() -> None:
    """Of three lists of 4, 2 and 1 documents half have 2 or fewer; judged without a gap are 2, 0 and 1 of them."""
    runs = {"a": {"1": list("wxyz")}, "b": {"1": ["u", "x"]}, "c": {"1": ["w"]}}
    study = Study({"qrels": cf.join({"1": {"w": 1, "x": 0, "z": 2}}, runs)})
    assert (study.counts["depth"], study.counts["pool"]) == (2, 1)
    nothing = Study({"qrels": cf.join({"1": {}}, {"a": {"1": ["x"]}})})
    assert nothing.counts["pool"] == 0
    assert ClaimSetting(pool=1).needs[3](nothing) == (
        "This needs lists judged to rank 1; half of those here are judged to rank 0 or less."
    )
    assert replace(ClaimSetting(), pool=0).needs[3](nothing) is None
