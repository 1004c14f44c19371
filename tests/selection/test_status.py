"""How sure are we: leader, rivals, decided pairs, decisive documents, and the rules that say that it is enough."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.errors import InputError
from cranfield.selection import Candidates, Judging, Status
from cranfield.selection.stop_rules import (
    BudgetSpent,
    FewRelevantLeft,
    LeaderAbove,
    LeaderDecided,
    PairDecided,
    ResidualBelow,
    StopRule,
)


def sure(topics: int = 8, *, judged: int = 8) -> Judging:
    """Two runs of one document a topic, of which that of ``good`` is relevant and that of ``bad`` is not."""
    runs = {name: {str(t): {name: 1.0} for t in range(topics)} for name in ("bad", "good")}
    judging = Judging(runs, "P@1", method="A")
    for topic in range(judged):
        judging.record(str(topic), "good", 1)
        judging.record(str(topic), "bad", 0)
    return judging


def reasons(judging: Judging, rule: StopRule) -> tuple[str, ...]:
    return judging.status([rule]).reasons


def test_who_can_still_win() -> None:
    runs = {
        "x": {"1": {"a": 2.0, "b": 1.0}},
        "y": {"1": {"c": 2.0, "b": 1.0}},
        "z": {"1": {"d": 2.0, "e": 1.0}},
    }
    judging = Judging(runs, "P@2", judged=[("1", "a", 1), ("1", "c", 0), ("1", "d", 0), ("1", "e", 0)])
    status = judging.status([LeaderAbove()])
    assert status.mean_base.tolist() == [0.5, 0, 0]
    assert status.mean_top.tolist() == [1, 0.5, 0]
    assert status.projected[:, 0].tolist() == [1, 0, 0]  # 1 of 1 judged, 0 of 1, 0 of 2
    assert status.can_win.tolist() == [True, True, False]
    assert status.table().rows() == [
        ("x", 0.5, 0.5, 1.0, 1.0, "yes"), ("y", 0.0, 0.5, 0.5, 0.0, "yes"), ("z", 0.0, 0.0, 0.0, 0.0, "no"),
    ]  # fmt: skip
    assert status.reasons == ()
    assert (status.judged, status.relevant, status.remaining) == (4, 1, 1)
    judging.record("1", "b", 0)
    assert judging.status([LeaderAbove()]).reasons == ("x is above what any other run can reach",)
    assert status.remaining == 1  # it is what it was when it was asked for


@given(st.integers(0, 2**32 - 1), st.integers(0, 25))
@settings(max_examples=40, deadline=None)
def test_what_is_true_in_the_end_is_between_base_and_top_all_the_time(seed: int, given_grades: int) -> None:
    rng = np.random.default_rng(seed)
    runs = {r: {t: {f"d{d}": float(rng.random()) for d in rng.permutation(9)[:5]} for t in "12"} for r in "xyz"}
    judging = Judging(runs, "INSQ", method="random", seed=given_grades, top_grade=2)
    grades = iter(rng.integers(0, 3, 100).tolist())
    seen = [judging.status()]
    while chosen := judging.next():
        judging.record(chosen[0].topic, chosen[0].document, next(grades))
        seen.append(judging.status())
    last = seen[-1].base
    for before, after in pairwise(seen):
        assert (before.base <= after.base + 1e-12).all()
        assert (before.residual >= after.residual - 1e-12).all()
        assert (before.base <= last + 1e-12).all()
        assert (last <= before.base + before.residual + 1e-12).all()


def test_decided_pairs_are_those_of_the_one_sided_test() -> None:
    rng = np.random.default_rng(3)
    quality = {"a": 9.0, "b": 1.0, "c": -9.0}
    runs = {
        run: {str(t): {f"d{d}": by * (d < 5) + rng.normal() for d in range(12)} for t in range(20)}
        for run, by in quality.items()
    }
    judged = [(str(t), f"d{d}", int(d < 5)) for t in range(20) for d in range(12) if d != t % 12]
    status = Judging(runs, judged=judged).status()
    top = status.base + status.residual
    expected = set()
    for a in range(3):
        for b in range(3):
            p = stats.wilcoxon((status.base[a] - top[b]).round(12), alternative="greater").pvalue if a != b else 1.0
            if p <= 0.05:
                expected.add((status.runs[a], status.runs[b]))
    found = status.decided()
    assert set(found.select("better", "worse").rows()) == expected
    assert 0 < len(expected) < 4
    assert set(status.decided(1e-9).rows()) == set()
    assert status.decided(test="t").height == len(expected)


def test_with_one_topic_nothing_is_decided() -> None:
    status = sure(1, judged=1).status([LeaderDecided(), LeaderAbove()])
    assert status.decided().height == 0
    assert status.reasons == ("good is above what any other run can reach",)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_decisive_documents_against_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = {r: {t: {f"d{d}": float(rng.random()) for d in rng.permutation(9)[:6]} for t in "12"} for r in "wxyz"}
    judging = Judging(runs, method="random", seed=seed)
    for chosen in judging.next(int(rng.integers(0, 12))):
        judging.record(chosen.topic, chosen.document, int(rng.integers(0, 2)))
    status = judging.status(decisive=50)
    ranks = {
        (r, t, d): rank
        for r in runs for t in runs[r] for rank, d in enumerate(sorted(runs[r][t], key=lambda d: -runs[r][t][d]))
    }  # fmt: skip
    leader = status.runs[status.leader]
    rivals = [run for run, can in zip(status.runs, status.can_win, strict=True) if can and run != leader]
    done = {(t, d) for t, d, _ in judging.history}
    expected = {}
    for t, d in {(t, d) for _, t, d in ranks} - done:
        c = {run: 0.2 * 0.8 ** ranks[run, t, d] if (run, t, d) in ranks else 0.0 for run in runs}
        influence = sum(abs(c[leader] - c[rival]) for rival in rivals) / max(len(rivals), 1) / 2
        if influence > 1e-12:
            expected[t, d] = influence
    found = {(t, d): influence for t, d, influence in status.decisive.rows()}
    assert found == pytest.approx(expected)
    assert sorted(found.values(), reverse=True) == pytest.approx(list(found.values()))
    assert judging.status(decisive=1).decisive.rows() == status.decisive.head(1).rows()


def test_the_leader_is_decided_when_it_beats_all_others_on_enough_topics() -> None:
    why = "good is significantly better than every other run, whatever is unjudged"
    assert reasons(sure(), LeaderDecided()) == (why,)  # 8 wins in 8: p = 1/2⁸ = .004
    assert reasons(sure(), LeaderDecided(level=0.003)) == ()
    assert reasons(sure(judged=4), LeaderDecided(test="sign")) == ()  # 4 wins, and 4 topics open: base 0 against top 1
    pair = PairDecided("bad", "good")
    assert reasons(sure(), pair) == ("good is significantly better than bad, whatever is unjudged",)
    assert reasons(sure(judged=4), pair) == ()
    with pytest.raises(InputError, match="there is no run 'best'; there are bad, good"):
        reasons(sure(), PairDecided("best", "good"))


def test_a_single_run_leads_nobody() -> None:
    judging = Judging({"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, judged=[("1", "a", 1), ("2", "a", 1)])
    assert judging.status([LeaderAbove(), LeaderDecided()]).reasons == ()
    assert judging.status().decided().height == 0
    assert judging.status().decisive.height == 0


def test_a_small_residual_is_enough() -> None:
    judging = sure(judged=7)  # 1 topic of 8 is open, for both
    assert judging.status().residual.mean(axis=1).tolist() == [1 / 8, 1 / 8]
    assert reasons(judging, ResidualBelow(0.13)) == ("the mean residual of all runs is 0.1250, below 0.13",)
    assert reasons(judging, ResidualBelow(0.125)) == ()
    judging.record("7", "good", 1)  # now good is judged throughout: (0 + 1/8) / 2
    assert reasons(judging, ResidualBelow(0.1)) == ("the mean residual of all runs is 0.0625, below 0.1",)
    assert reasons(judging, ResidualBelow(0.05)) == ()
    assert reasons(judging, ResidualBelow(0.05, share=1 / 3)) == (
        "the mean residual of the best 1 runs is 0.0000, below 0.05",
    )


def test_the_budget_is_spent_by_the_judgment() -> None:
    assert reasons(sure(judged=2), BudgetSpent(5)) == ()
    assert reasons(sure(judged=2), BudgetSpent(4)) == ("4 documents are judged",)


def test_relevant_documents_left_at_the_rate_of_the_last_answers() -> None:
    judging = sure(judged=3)  # 6 answers, every other one relevant; 10 documents left
    assert judging.status().relevant_left(4) == 2 / 4 * 10
    assert judging.status().relevant_left(7) is None
    assert reasons(judging, FewRelevantLeft(5, window=4)) == (
        "about 5.0 relevant documents are left, at the rate of the last 4 judgments",
    )
    assert reasons(judging, FewRelevantLeft(4.9, window=4)) == ()
    assert reasons(judging, FewRelevantLeft(100, window=7)) == ()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: LeaderDecided(level=1), "the level must be above 0 and below 1, not 1"),
        (lambda: PairDecided("a", "b", level=0), "the level must be above 0 and below 1, not 0"),
        (lambda: ResidualBelow(0), "the bound must be above 0, not 0"),
        (lambda: ResidualBelow(0.1, share=1.5), "the share of runs must be above 0 and at most 1, not 1.5"),
        (lambda: BudgetSpent(0), "the budget must be above 0, not 0"),
        (lambda: FewRelevantLeft(window=0), "the window must be above 0, not 0"),
    ],
)
def test_rules_out_of_range_are_refused(make: type[StopRule], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert str(refused.value) == problem


def test_what_people_read() -> None:
    judging = sure(judged=7)
    judging.skip("7", "bad")
    assert str(judging.status([BudgetSpent(1)])).splitlines() == [
        "run     base  residual     top  projected  can win",
        "good  0.8750    0.1250  1.0000     0.8750  yes",
        "bad   0.0000    0.1250  0.1250     0.0000  no",
        "14 judged, 7 of them relevant; 1 left; 1 skipped; weights renewed after every judgment",
        "most decisive: none",
        "enough: 14 documents are judged",
    ]
    assert isinstance(judging.status().decisive, pl.DataFrame)
    assert isinstance(judging.status(), Status)
    assert isinstance(judging.candidates, Candidates)
