"""Leaving runs and teams out: by hand, and against a plain loop that rewrites the qrels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.reusability import reusability
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import join

Run = dict[str, dict[str, float]]


def ranking(*documents: str) -> Run:
    return {"1": {document: -float(rank) for rank, document in enumerate(documents)}}


QRELS = {"1": {"a": 1, "b": 1, "c": 0, "d": 1}}
RUNS = {"good": ranking("a", "b"), "fair": ranking("c", "b"), "poor": ranking("c", "x", "b")}


def test_by_hand() -> None:
    rows = reusability(join(QRELS, RUNS), "AP")["runs"].rows(named=True)
    good, fair, poor = rows
    # Only the first run has a: without it R is 2 (b and d), and b stands at its rank 2.
    assert (good["unique_documents"], good["unique_relevant"]) == (1, 1)
    assert (good["score_with"], good["score_without"]) == pytest.approx(((1 / 1 + 2 / 2) / 3, (1 / 2) / 2))
    assert good["difference"] == pytest.approx(1 / 4 - 2 / 3)
    # The second has b at rank 2 as well, so that the first shares its place.
    assert (good["rank_with"], good["rank_without"], good["ranks_lost"]) == (1, 1, 0)
    for other in (fair, poor):
        assert (other["unique_documents"], other["difference"], other["ranks_lost"]) == (0, 0, 0)
    assert (fair["rank_with"], poor["rank_with"]) == (2, 3)


def test_nobody_is_named_where_nobody_lost_a_rank() -> None:
    [summary] = reusability(join(QRELS, RUNS), "AP")["correlation"].rows(named=True)
    assert (summary["ranks_lost"], summary["run"]) == (0, None)


def test_ranks_where_less_is_better() -> None:
    better, worse = ranking("a", "x"), ranking("y", "a")
    found = reusability(join({"1": {"a": 1}}, {"worse": worse, "better": better}), "ESL(wanted=1)")
    assert found["runs"]["rank_with"].to_list() == [2, 1]


def test_only_documents_within_the_depth_count_as_anothers(tmp_path: Path) -> None:
    runs = join(QRELS, RUNS)
    alone = reusability(runs, "AP", pool_depth=2)["runs"]
    assert alone["unique_relevant"].to_list() == [1, 0, 0]
    deeper = join(QRELS, {"good": ranking("a", "b"), "late": ranking("c", "x", "a")})
    assert reusability(deeper, "AP")["runs"]["unique_relevant"].to_list() == [1, 0]
    assert reusability(deeper, "AP", pool_depth=2)["runs"]["unique_relevant"].to_list() == [2, 0]


def test_a_team_is_left_out_as_one(tmp_path: Path) -> None:
    teams = tmp_path / "teams.tsv"
    teams.write_text("good one\nfair two\npoor two\n")
    found = reusability(join(QRELS, RUNS), "AP", teams=teams)
    _, fair, poor = found["runs"].rows(named=True)
    assert (fair["team"], fair["unique_documents"], poor["unique_documents"]) == ("two", 1, 1)  # c, not relevant
    assert found.settings["teams"] == str(teams)
    with pytest.raises(InputError, match="no line for run 'other'"):
        reusability(join(QRELS, {**RUNS, "other": RUNS["good"]}), "AP", teams=teams)
    teams.write_text("good one\nfair one\npoor one\n")
    with pytest.raises(InputError, match="all runs belong to 'one'"):
        reusability(join(QRELS, RUNS), "AP", teams=teams)


def test_against_a_loop_over_rewritten_qrels() -> None:
    random = np.random.default_rng(5)
    qrels = {str(t): {f"d{i}": int(random.integers(0, 3)) for i in range(60)} for t in range(3)}

    def run() -> Run:
        return {t: {f"d{i}": random.normal() for i in random.choice(60, 12, replace=False)} for t in qrels}

    runs = {f"run{i}": run() for i in range(35)}  # more than a batch holds
    runs["lacks a topic"] = {"0": runs["run0"]["0"]}
    measures = ["AP", "nDCG"]
    found = reusability(join(qrels, runs), measures)
    full = cf.evaluate(qrels, runs, measures).averages
    taus = []
    rows = iter(found["runs"].rows(named=True))
    for left, name in enumerate(runs):
        others = {(t, d) for other in runs if other != name for t in runs[other] for d in runs[other][t]}
        alone = {(t, d) for t in runs[name] for d in runs[name][t]} - others
        smaller = {t: {d: g for d, g in judged.items() if (t, d) not in alone} for t, judged in qrels.items()}
        reduced = cf.evaluate(smaller, runs, measures).averages
        taus.append([stats.kendalltau(x, y).statistic for x, y in zip(full, reduced, strict=True)])
        for i, measure in enumerate(measures):
            row = next(rows)
            assert (row["run"], row["measure"], row["unique_documents"]) == (name, measure, len(alone))
            assert row["score_without"] == pytest.approx(reduced[i, left])
            ranks = [1 + sum(means > means[left]) for means in (full[i], reduced[i])]
            assert [row["rank_with"], row["rank_without"]] == ranks
    assert found["correlation"]["tau"].to_list() == pytest.approx(np.mean(taus, axis=0).tolist())
    assert found["correlation"]["least_tau"].to_list() == pytest.approx(np.min(taus, axis=0).tolist())
    assert found["correlation"]["ranks_lost"].max() == found["runs"]["ranks_lost"].max()


def test_a_run_alone_is_refused() -> None:
    with pytest.raises(InputError, match="at least two"):
        reusability(join(QRELS, {"good": RUNS["good"]}), "AP")
    with pytest.raises(InputError, match="pool_depth must be at least 1, not 0"):
        reusability(join(QRELS, RUNS), "AP", pool_depth=0)
