"""How sure are we: leader, rivals, decided pairs, decisive documents, and the rules that say that it is enough."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.formats import read_qrels
from cranfield.plumbing.errors import InputError
from cranfield.selection import Candidates, Judging, Status
from cranfield.selection.judging import Chosen
from cranfield.selection.random_batches import Told
from cranfield.selection.stop_rules import (
    BudgetSpent,
    FewRelevantLeft,
    LeaderAbove,
    LeaderDecided,
    PairDecided,
    ResidualBelow,
    SignsKnown,
    StopRule,
)
from cranfield.statistics.paired_tests import paired_test
from cranfield.statistics.worst_case import MONOTONE, worst_case_p

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
    assert judging.status([LeaderAbove()]).reasons == (f"x is above what any other run can reach, {WORST}",)
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
    assert status.reasons == (f"good is above what any other run can reach, {WORST}",)


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
    with pytest.raises(InputError, match="there is no test 'u'; there are wilcoxon, sign, randomisation"):
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


# --- How many relevant documents are left
# ---------------------------------------------------------------------------


def one_list(relevant: int = 0, of: int = 20) -> tuple[Judging, dict[str, int]]:
    """A run of some documents, of which the first are relevant, and what the assessor says."""
    grades = {f"d{i:03}": int(i < relevant) for i in range(of)}
    return Judging({"x": {"1": {document: -float(i) for i, document in enumerate(grades)}}}), grades


def judge(judging: Judging, chosen: list[Chosen], grades: dict[str, int]) -> None:
    for each in chosen:
        if each.document not in {row.document for row in judging.history}:
            judging.record("1", each.document, grades[each.document])


def test_without_a_random_sample_nothing_is_said_of_what_is_left() -> None:
    """A hundred answers without a relevant document, while ten are left: the rate of the last answers says none."""
    judging, _ = one_list(of=150)
    for chosen in judging.next(100):
        judging.record("1", chosen.document, 0)
    assert judging.status().relevant_left() is None
    assert reasons(judging, FewRelevantLeft(1000)) == ()


def test_a_random_batch_bounds_what_is_left() -> None:
    judging, grades = one_list()
    batch = judging.draw(10)
    assert judging.status().relevant_left(0.1) == 20  # none is judged: all might be relevant
    judge(judging, batch, grades)
    # With 4 relevant of 20, none of 10 drawn is with (10·9·8·7) / (20·19·18·17) = .043; with 3,
    # (10·9·8) / (20·19·18) = .105. The first batch has half of the level: 3 for .1, and 4 (5 has
    # .016) for .05.
    assert [judging.status().relevant_left(level) for level in (0.1, 0.05)] == [3, 4]
    assert reasons(judging, FewRelevantLeft(3, level=0.1)) == (
        "at most 3 relevant documents are left, with confidence 0.9",
    )
    assert reasons(judging, FewRelevantLeft(3)) == ()
    judging.record("1", judging.next()[0].document, 1)  # one of the 3 is found
    assert judging.status().relevant_left(0.1) == 2


def test_a_drawn_document_that_is_skipped_might_be_relevant() -> None:
    judging, grades = one_list()
    first, *others = judging.draw(10)
    judge(judging, others, grades)
    judging.skip("1", first.document)
    assert judging.status().batches == (Told(open=20, size=10, relevant=1, found=0),)


def test_batches_are_drawn_by_the_seed_saved_and_taken_back() -> None:
    judging, grades = one_list(relevant=5)
    judging.record("1", "d000", 1)
    batch = judging.draw(4)
    again = one_list(relevant=5)[0]
    again.record("1", "d000", 1)
    assert again.draw(4) == batch
    judge(judging, batch, grades)
    assert judging.draw(1) not in ([each] for each in batch)
    saved = json.loads(json.dumps(judging.to_dict()))
    taken_up = Judging.from_dict(judging.candidates, saved)
    assert taken_up.batches == judging.batches
    assert taken_up.to_dict() == judging.to_dict()
    assert [b.after for b in judging.batches] == [1, 5]
    judging.undo()
    assert [b.after for b in judging.batches] == [1]
    judging.undo(4)
    assert judging.batches == []
    del saved["batches"]  # as it was saved before there were any
    assert Judging.from_dict(judging.candidates, saved).batches == []
    assert len(judging.draw(100)) == 20
    judge(judging, judging.next(20), grades)
    assert judging.draw(5) == []


@pytest.mark.parametrize(
    "relevant", [pytest.param(3, marks=pytest.mark.integration), 15, pytest.param(60, marks=pytest.mark.integration)]
)
def test_the_bound_keeps_its_level_however_often_one_looks(relevant: int) -> None:
    """Method C finds what it can, with a random batch of 10 after every 10 of its choices; the level is .2."""
    sessions, failed = 150, 0
    rng = np.random.default_rng(relevant)
    for seed in range(sessions):
        grades = {f"d{i:03}": 0 for i in range(100)} | {f"d{i:03}": 1 for i in rng.choice(100, relevant, replace=False)}
        lists = {"x": {"1": {d: 2 * grades[d] + rng.normal() for d in grades}}}
        judging = Judging(lists, "P@100", seed=seed)
        too_small = False
        for _ in range(4):
            judge(judging, judging.draw(10), grades)
            status = judging.status()
            bound = status.relevant_left(0.2)
            too_small |= bound is not None and bound < relevant - status.relevant
            judge(judging, judging.next(10), grades)
        failed += too_small
    assert failed / sessions <= 0.2 + 2 * (0.2 * 0.8 / sessions) ** 0.5


def test_on_dl19_no_bound_is_below_what_is_left(data: Path) -> None:
    """The rule that this one replaces stopped with 644 to 1,488 relevant left, and by random choices at once."""
    folder = data / "dl19-passage"
    grade = {(t, d): g for t, d, g in read_qrels(folder / "qrels.txt").rows()}
    candidates = Candidates.gather(folder / "runs")
    judging = Judging(candidates, method="random", top_grade=3)
    relevant = sum(grade.get((t, d), 0) > 0 for t, d in zip(topic_ids(candidates), candidates.document, strict=True))
    looks = []
    for _ in range(4):
        for chosen in [*judging.draw(500), *judging.next(500)]:
            if judging.state.open[candidates.place(chosen.topic, chosen.document)]:
                judging.record(chosen.topic, chosen.document, grade.get((chosen.topic, chosen.document), 0))
        status = judging.status([FewRelevantLeft()])
        looks.append((relevant - status.relevant, status.relevant_left(), status.reasons))
    assert all(bound is not None and left <= bound < 3 * left and not why for left, bound, why in looks)


def topic_ids(candidates: Candidates) -> list[str]:
    return [candidates.topics[code] for code in candidates.topic]


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
