"""How sure are we: leader, rivals, decided pairs, decisive documents, and the rules that say that it is enough."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.plumbing.errors import InputError
from cranfield.selection import Candidates, Judging, Status
from cranfield.selection.stop_rules import (
    BudgetSpent,
    FewRelevantLeft,
    LeaderAbove,
    LeaderDecided,
    LeaderKnown,
    PairDecided,
    ResidualBelow,
    SignsKnown,
    StopRule,
)
from cranfield.statistics.paired_tests import MONOTONE, paired_test, worst_case_p

WORST = "whatever grades from 0 to the largest the unjudged documents in these runs and those below their ends have"


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
    assert judging.status([LeaderAbove()]).reasons == (f"no other run can reach x, {WORST}",)
    assert status.remaining == 1  # it is what it was when it was asked for


@given(st.integers(0, 2**32 - 1), st.integers(0, 25))
@settings(max_examples=40)
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
    assert status.decided(test="randomisation").height == len(expected)


def test_with_one_topic_nothing_is_decided() -> None:
    status = sure(1, judged=1).status([LeaderDecided(), LeaderAbove()])
    assert status.decided().height == 0
    assert status.reasons == (f"no other run can reach good, {WORST}",)


def test_two_topics_can_be_tested() -> None:
    """Both won: of 4 patterns of signs 1 is as good. One topic alone would say nothing, whichever run has it."""
    good, bad = np.array([1]), np.array([0])
    for topics, p in ((2, 1 / 4), (1, 1)):
        status = sure(topics, judged=topics).status()
        assert status.p_values(good, bad).tolist() == [p]
        assert status.p_values(bad, good).tolist() == [1]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
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
    why = f"good is significantly better than every other run on topics like these, {WORST}"
    assert reasons(sure(), LeaderDecided()) == (why,)  # 8 wins in 8: p = 1/2⁸ = .004
    assert reasons(sure(), LeaderDecided(level=0.003)) == ()
    assert reasons(sure(judged=4), LeaderDecided(test="sign")) == ()  # 4 wins, and 4 topics open: base 0 against top 1
    pair = PairDecided("bad", "good")
    assert reasons(sure(), pair) == (f"good is significantly better than bad on topics like these, {WORST}",)
    assert reasons(sure(judged=4), pair) == ()
    with pytest.raises(InputError, match="there is no run 'best'; the runs are bad, good"):
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
        "the mean residual of the best 1 run is 0.0000, below 0.05",
    )


def test_the_budget_is_spent_by_the_judgment() -> None:
    assert reasons(sure(judged=2), BudgetSpent(5)) == ()
    assert reasons(sure(judged=2), BudgetSpent(4)) == ("4 documents are judged",)


# --- Tests whose decision nothing can undo
# --------------------------------------------------------------------------


def ahead_by_a_little() -> Judging:
    """On five topics ``good`` has a relevant document at rank 4, with the first three open; ``bad`` has none."""
    runs = {run: {str(t): {f"{run}{rank}": -rank for rank in range(1, 5)} for t in range(5)} for run in ("good", "bad")}
    judged = [(str(t), f"bad{rank}", 0) for t in range(5) for rank in range(1, 5)]
    return Judging(runs, "RBP(p=0.5)@4", judged=[*judged, *((str(t), "good4", 1) for t in range(5))])


def test_one_more_relevant_document_of_the_leader_undoes_what_t_decides() -> None:
    """good is ahead by 1/16 on every topic; then by 9/16 on one of them."""
    before, judging = ahead_by_a_little(), ahead_by_a_little()
    judging.record("0", "good1", 1)
    ahead = [[float(d) for d in (s.base[0] - s.base[1] - s.residual[1])] for s in (before.status(), judging.status())]
    assert ahead == [[1 / 16] * 5, [9 / 16] + [1 / 16] * 4]
    # t = mean / (s / √5) is infinite, then 1.625, which is too little with 4 degrees of freedom
    # (2.132 would do).
    assert [p <= 0.05 for p in paired_test(ahead, "t", alternative="greater").p] == [True, False]
    for test in ("wilcoxon", "sign", "randomisation"):  # 5 wins in 5: p = 1/32
        for session in (before, judging):
            assert session.status().decided(test=test).rows() == [("good", "bad", 1 / 32)]
    said = (
        "{} says nothing about what is unjudged, since a larger difference on one topic can undo its decision; "
        "use wilcoxon, sign or randomisation"
    )
    for test in ("t", "bootstrap"):
        for refused in (
            lambda test=test: LeaderDecided(test=test),
            lambda test=test: PairDecided("good", "bad", test=test),
            lambda test=test: before.status().decided(test=test),
        ):
            with pytest.raises(InputError) as error:
                refused()
            assert str(error.value) == said.format(test)
    with pytest.raises(InputError, match="there is no test 'u'; choose from wilcoxon, sign, randomisation"):
        LeaderDecided(test="u")


def test_breaking_a_tie_undoes_what_the_usual_wilcoxon_test_decides() -> None:
    """A win that grows from 2 to 4 leaves the losses their ranks and the tie of two wins broken: p rises."""
    before = np.array([3.0, 3, 2, -1, -1, 3, 2, -1])
    after = before + np.array([0, 0, 2, 0, 0, 0, 0, 0])
    usual = paired_test([before, after], "wilcoxon", alternative="greater").p
    assert usual.tolist() == [10 / 256, 15 / 256]
    # Ours: 5 wins of ranks 4 to 8; subsets of 1..8 with a sum of 30 or more leave out 6 or less: 14
    # of 256.
    assert worst_case_p(np.array([before, after]), "wilcoxon").tolist() == [14 / 256] * 2


@given(
    st.lists(st.integers(-4, 4), min_size=2, max_size=9),
    st.integers(0, 8),
    st.integers(1, 8),
    st.sampled_from(MONOTONE),
)
def test_no_difference_that_grows_makes_p_larger(worst: list[int], which: int, by: int, test: str) -> None:
    after = list(worst)
    after[which % len(worst)] += by
    p = worst_case_p(np.array([worst, after], np.float64), test)
    assert p[1] <= p[0] + 1e-12


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_wilcoxons_test_with_ties_against_counts_pairs_of_topics(differences: list[int]) -> None:
    topics = range(len(differences))
    pairs = sum(differences[i] + differences[j] > 0 for i in topics for j in topics if i <= j)
    subsets = [ranks for size in range(len(topics) + 1) for ranks in combinations(range(1, len(topics) + 1), size)]
    expected = sum(sum(ranks) >= pairs for ranks in subsets) / len(subsets)
    assert worst_case_p(np.array([differences], np.float64), "wilcoxon")[0] == pytest.approx(expected)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=12, unique=True), st.integers(0, 2**12 - 1))
def test_without_ties_and_zeros_it_is_wilcoxons_test(sizes: list[int], signs: int) -> None:
    differences = [size if signs >> i & 1 else -size for i, size in enumerate(sizes)]
    expected = stats.wilcoxon(differences, alternative="greater").pvalue
    assert worst_case_p(np.array([differences], np.float64), "wilcoxon")[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: LeaderDecided(level=1), "the level must be above 0 and below 1, not 1"),
        (lambda: PairDecided("a", "b", level=0), "the level must be above 0 and below 1, not 0"),
        (lambda: ResidualBelow(0), "the bound must be above 0, not 0"),
        (lambda: ResidualBelow(0.1, share=1.5), "the share of runs must be above 0 and at most 1, not 1.5"),
        (lambda: BudgetSpent(0), "the budget must be above 0, not 0"),
        (lambda: SignsKnown(level=1), "the level must be above 0 and below 1, not 1"),
        (lambda: SignsKnown(prior=0), "the prior must be above 0 and below 1, not 0"),
        (lambda: SignsKnown(share=0), "the share of pairs must be above 0 and at most 1, not 0"),
        (lambda: FewRelevantLeft(level=0), "the level must be above 0 and below 1, not 0"),
        (lambda: FewRelevantLeft(-1), "at_most must be at least 0, not -1"),
        (lambda: LeaderKnown(level=1), "the level must be above 0 and below 1, not 1"),
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
        "14 judged, 7 of them relevant; 1 left; 1 skipped; weights renewed after every judgment; scores by P@1",
        "most decisive documents: none",
        "missed: at most 2 of 2 unjudged are relevant, with confidence 0.95 (3 audited, 1 of them relevant)",
        "enough: 14 documents are judged",
    ]
    assert isinstance(judging.status().decisive, pl.DataFrame)
    assert isinstance(judging.status(), Status)
    assert isinstance(judging.candidates, Candidates)


def test_each_rule_says_what_it_lacks() -> None:
    """Two topics; x and y have one document of their own at rank 1 and share s at rank 2, half of the weight each."""
    runs = {
        "x": {t: {"a": 2.0, "s": 1.0} for t in "12"},
        "y": {t: {"b": 2.0, "s": 1.0} for t in "12"},
    }
    judging = Judging(runs, "P@2", judged=[("1", "a", 1)])

    def lacks(*rules: StopRule) -> tuple[str, ...]:
        status = judging.status(rules)
        assert status.reasons == ()
        return status.lacking

    assert lacks(LeaderAbove()) == ("1 run has a top that reaches the base of x on these topics: y",)
    undecided = "base against top, x is not significantly better than"
    assert lacks(LeaderDecided()) == (f"{undecided} 1 run on topics like these: y",)
    assert lacks(PairDecided("y", "x")) == (f"{undecided} y on topics like these: p is 1.000",)
    # Open are 1/2 and 1 of x, and 1 and 1 of y; x is the better half of the runs.
    assert lacks(ResidualBelow(0.5), ResidualBelow(0.75, share=0.5)) == (
        "the mean residual of all runs is 0.8750, not below 0.5",
        "the mean residual of the best 1 run is 0.7500, not below 0.75",
    )
    assert lacks(BudgetSpent(3)) == ("1 of 3 documents are judged",)
    [signs] = lacks(SignsKnown())
    assert signs.startswith("the run with the higher mean AP is known for 0 of 1 pair of runs")
    assert signs.endswith("; needed: 1")


def test_a_run_alone_lacks_another() -> None:
    judging = Judging({"x": {"1": {"a": 1.0}}})
    rules = [LeaderAbove(), LeaderDecided(), LeaderKnown(), SignsKnown()]
    assert set(judging.status(rules).lacking) == {"x is the only run, so there is nothing to compare"}
