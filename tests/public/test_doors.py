"""One question, one answer: each door that concludes about runs is asked of one collection.

What is right comes from scipy's t-test and statsmodels' Holm, on scores that are written down here.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tools.peers import multipletests

import cranfield as cf
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.runs import groups
from cranfield.experiments import EXPERIMENTS
from cranfield.reports.first_sheet import headline
from cranfield.statistics.sign_flips import exact_p

DEPTH = 12


def collection(ranks: np.ndarray) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Lists of which the relevant document is at these ranks, by run and topic; all documents are judged."""
    runs, topics = ranks.shape
    qrels = {f"t{t:02d}": {"a": 1} | {f"x{i}": 0 for i in range(DEPTH)} for t in range(topics)}
    lists = {
        f"r{r}": {f"t{t:02d}": [f"x{i}" for i in range(ranks[r, t] - 1)] + ["a"] for t in range(topics)}
        for r in range(runs)
    }
    return qrels, lists


def told(values: np.ndarray) -> dict[frozenset[int], bool]:
    """Return which pairs differ: t by scipy, Holm by statsmodels, below 25 topics with all signs tried."""
    pairs = list(combinations(range(len(values)), 2))
    rows = np.array([values[a] - values[b] for a, b in pairs])
    p = np.array([1.0 if not row.any() else 0.0 if np.ptp(row) < 1e-12 else stats.ttest_1samp(row, 0).pvalue
                  for row in rows])  # fmt: skip
    if values.shape[1] < 25:
        p = np.maximum(p, exact_p(rows))
    return dict(zip(map(frozenset, pairs), multipletests(p, 0.05, method="holm")[0].tolist(), strict=True))


def check_doors(ranks: np.ndarray) -> None:
    """Ask each door, and compare with what is right."""
    qrels, lists = collection(ranks)
    values = 1.0 / ranks
    means = values.mean(axis=1)
    right = told(values)
    best = int(np.argmax(np.round(means, 9)))
    names = list(lists)
    alike = {names[r] for r in range(len(names)) if r != best and not right[frozenset((best, r))]}

    compared = cf.compare(qrels, lists, "RR")
    rows = compared.differences.select("run_a", "run_b", "significant").iter_rows()
    assert {frozenset((names.index(a), names.index(b))): found for a, b, found in rows} == right
    assert set(compared.not_told_from(names[best])) == alike

    behind = cf.evaluate(qrels, lists, "RR").behind_best()
    assert set(behind.filter(~behind["below"], behind["run"] != behind["best"])["run"]) == alike

    explored = groups(Explored(cf.join(qrels, lists, bounds=True), ["RR"]))
    assert explored.others == len(alike)

    nemenyi = cf.plot("critical-difference", qrels, lists, "RR")
    assert f"({len(alike)} by the usual test)" in nemenyi.subtitle

    certificate = EXPERIMENTS["certificate"](cf.join(qrels, lists), "RR")
    leads = sum(
        not any(right[frozenset((r, s))] and means[s] > means[r] for s in range(len(names)) if s != r)
        for r in range(len(names))
    )
    assert any(f"; {leads} may by the paired t-test" in note for note in certificate.notes)

    for a, b in combinations(range(len(names)), 2):
        alone = told(values[[a, b]])[frozenset((0, 1))]
        verdict = cf.gate(qrels, {"base": lists[names[a]], "new": lists[names[b]]}, "RR", margin=0).verdict
        mirrored = cf.gate(qrels, {"base": lists[names[b]], "new": lists[names[a]]}, "RR", margin=0).verdict
        assert verdict == ("undecided" if not alone else "better" if means[b] > means[a] else "worse")
        assert {verdict, mirrored} in ({"undecided"}, {"better", "worse"})
        two = cf.compare(qrels, {"base": lists[names[a]], "new": lists[names[b]]}, "RR").differences
        assert two["significant"].to_list() == [alone]
        gated = cf.gate(qrels, {"base": lists[names[a]], "new": lists[names[b]]}, "RR").rows
        assert (gated["low"][0], gated["high"][0], gated["p"][0]) == pytest.approx(
            tuple(None if each is None else each for each in (
                None if two["high"][0] is None else -two["high"][0], None if two["low"][0] is None else -two["low"][0],
                two["p"][0] if len(ranks[0]) >= 25 else gated["p"][0],
            ))
        )  # fmt: skip


def test_every_door_gives_one_answer() -> None:
    rng = np.random.default_rng(11)
    easy = rng.integers(1, 4, 30)
    ranks = np.array([np.clip(easy + rng.integers(-1, 2, 30) + shift, 1, DEPTH) for shift in (0, 0, 1, 2, 5)])
    check_doors(ranks)


def drawn_ranks(seed: int) -> np.ndarray:
    """Few topics and many, two runs and more; now and then one is a copy of another, or best everywhere."""
    rng = np.random.default_rng(seed)
    topics, runs = rng.choice([2, 5, 6, 8, 12, 24, 25, 32]), int(rng.integers(2, 4))
    ranks = rng.choice([1, 1, 1, 2, 2, 3, 5, 10], (runs, topics))
    if seed % 3 == 0:
        ranks[-1] = ranks[0]
    elif seed % 3 == 1:
        ranks[0] = 1
    return ranks


@pytest.mark.parametrize("seed", range(2))
def test_on_made_collections(seed: int) -> None:
    check_doors(drawn_ranks(seed))


@pytest.mark.integration
def test_on_many_made_collections() -> None:
    for seed in range(2, 30):
        check_doors(drawn_ranks(seed))


@pytest.mark.integration
@pytest.mark.parametrize("name", ["dl19-passage", "trec8-adhoc"])
def test_on_real_runs_the_report_and_the_figures_agree(data: Path, name: str) -> None:
    runs = sorted((data / name / "runs").glob("*.gz"))[:12]
    joined = cf.join(data / name / "qrels.txt", runs, bounds=True)
    scores = joined.scores("nDCG@10")
    behind = scores.behind_best()
    alike = behind.filter(~behind["below"]).height - 1
    assert groups(Explored(joined, ["nDCG@10"])).others == alike
    best = behind["best"][0]
    assert len(cf.compare(joined, measures="nDCG@10").not_told_from(best)) == alike
    assert f"({alike} by the usual test)" in cf.plot("critical-difference", joined, None, "nDCG@10").subtitle
    assert headline(cf.report(joined, measures="nDCG@10").evidence).says.numbers["near"] == alike
