"""Truncated rankings: the worked cases of Amigó, Mizzaro and Spina (2022), and prefixes in one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from runpy import run_path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools import measure_cases
from tools.each import each_of

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.average_precision import AP
from cranfield.measures.blended_ratio import Q
from cranfield.measures.collection_order import AUC, Kendall, Spearman
from cranfield.measures.cumulated_gain import nDCG
from cranfield.measures.information import OIE, GoldInformation, JointInformation, SystemInformation
from cranfield.measures.normalised_user_models import nERR
from cranfield.measures.terminal_documents import ERRT, NDCGT, RBPT, RRT
from cranfield.measures.user_models import RBP
from cranfield.measures.utility import DCGU, ERRU, RBPU, RBU, FlatUtility, iRBU
from cranfield.plumbing.errors import MeasureError

HERE = Path(__file__).parent
OURS = list(run_path(str(HERE / "twins_truncation.py"))["TWINS"])

# The rankings of the introduction: ten relevant documents; ten others after them; the last of these
# relevant. The topic has the eleven that C finds.
A = ([1] * 10, [1])
B = ([1] * 10 + [0] * 10, [1])
C = ([1] * 10 + [0] * 9 + [1], list[int]())
C_LONG = ([1] * 10 + [0] * 89 + [1], list[int]())

TRADITIONAL: list[Measure] = [AP(), nDCG(), RBP(), Q(), nERR(), iRBU()]
TERMINAL: list[Measure] = [NDCGT(), ERRT(), RBPT(), RBPT(p=0.98)]
UTILITY: list[Measure] = [FlatUtility(), DCGU(), ERRU(), RBPU(), RBPU(p=0.98), RBU(), RBU(p=0.98)]


def ids(measure: Measure) -> str:
    return str(measure)


# The introduction


@pytest.mark.parametrize("measure", TRADITIONAL, ids=ids)
def test_traditional_measures_see_no_difference_between_a_and_b(measure: Measure) -> None:
    assert measure.of(*A) == measure.of(*B) < measure.of(*C)


@each_of("measure", [*TERMINAL, *UTILITY, OIE(), AUC(), Kendall(), Spearman()])
def test_measures_of_truncated_rankings_prefer_a_to_b_and_c_to_b(measure: Measure) -> None:
    assert measure.of(*A) > measure.of(*B) < measure.of(*C)


@pytest.mark.parametrize(
    "measure", [ERRT(), RBPT(), ERRU(), RBPU(), RBU(), RBU(p=0.98), Kendall(), Spearman()], ids=ids
)
def test_for_the_impatient_the_document_at_rank_20_comes_too_late(measure: Measure) -> None:
    assert measure.of(*A) > measure.of(*C)


@pytest.mark.parametrize("measure", [NDCGT(), RBPT(p=0.98), FlatUtility(), DCGU(), RBPU(p=0.98), OIE(), AUC()], ids=ids)
def test_for_the_patient_it_is_worth_the_effort(measure: Measure) -> None:
    assert measure.of(*C) > measure.of(*A)


@pytest.mark.parametrize("measure", [RBPT(p=0.98), *UTILITY, OIE()], ids=ids)
def test_at_rank_100_it_is_not(measure: Measure) -> None:
    assert measure.of(*A) > measure.of(*C_LONG)


def test_what_the_introductions_lists_are_worth() -> None:
    assert FlatUtility().of(*A) == pytest.approx(10 - 10 / 20)
    assert FlatUtility().of(*B) == pytest.approx(10 - 20 / 20)
    assert FlatUtility().of(*C) == pytest.approx(11 - 20 / 20)
    assert FlatUtility().of(*C_LONG) == pytest.approx(11 - 100 / 20)
    assert RBPU(p=0.8).of(*A) == pytest.approx(0.95 * (1 - 0.8**10))
    assert RBPU(p=0.8).of(*B) == pytest.approx(1 - 0.8**10 - 0.05 * (1 - 0.8**20))
    # The terminal document: 10 of 11 found, at rank 11 or 21; or all of them.
    assert RBPT(p=0.8).of(*A) == pytest.approx(1 - 0.8**10 + 0.2 * 10 / 11 * 0.8**10)
    assert RBPT(p=0.8).of(*B) == pytest.approx(1 - 0.8**10 + 0.2 * 10 / 11 * 0.8**20)
    assert RBPT(p=0.8).of(*C) == pytest.approx(1 - 0.8**10 + 0.2 * (0.8**19 + 0.8**20))


# Figure 1: ten documents that are not relevant, then relevant ones only

FIGURE_1 = [0] * 10 + [1] * 190


def positive_lengths(measure: Measure) -> list[int]:
    """Return the truncation points at which the list is worth more than nothing."""
    values = measure.by_prefix(one_ranking(FIGURE_1))[0]
    assert values[0] == 0
    assert (values[1:11] < 0).all()
    return np.flatnonzero(values > 0).tolist()


@pytest.mark.parametrize("measure", [ERRU(), RBU(p=0.8), RBU(p=0.9)], ids=ids)
def test_ten_wrong_documents_are_never_compensated(measure: Measure) -> None:
    assert positive_lengths(measure) == []


@pytest.mark.parametrize("measure", [FlatUtility(), DCGU(), RBPU(p=0.9), RBPU(p=0.98), RBPU(p=0.99)], ids=ids)
def test_ten_wrong_documents_are_compensated_by_the_next(measure: Measure) -> None:
    assert positive_lengths(measure) == list(range(11, 201))


def test_rbpu_with_p_08_is_compensated_too() -> None:
    """The paper says never; but 0.95 (0.8¹⁰ - 0.8ⁿ) > 0.05 (1 - 0.8¹⁰) for 0.8ⁿ < 0.0604, from n = 13 on."""
    assert positive_lengths(RBPU(p=0.8)) == list(range(13, 201))
    assert RBPU(p=0.8).of(FIGURE_1) == pytest.approx(0.95 * 0.8**10 - 0.05 * (1 - 0.8**10), abs=1e-12)


def test_rbu_with_p_098_recovers_and_then_falls_from_redundancy() -> None:
    """P = 1/2: the gain of rank 10 + k is 0.5ᵏ, and less than the effort of 0.05 for k = 5."""
    values = RBU(p=0.98).by_prefix(one_ranking(FIGURE_1))[0]
    assert positive_lengths(RBU(p=0.98)) == list(range(12, 20))
    assert values.argmax() == 14
    assert (np.diff(values[14:]) < 0).all()


def test_rbpu_and_rbu_are_the_same_where_nothing_is_relevant() -> None:
    """The curves of Figure 1 overlap in [1..10]: -0.05 (1 - pⁿ)."""
    for measure in (RBPU(p=0.8), RBU(p=0.8)):
        assert measure.by_prefix(one_ranking([0] * 10))[0] == pytest.approx([-0.05 * (1 - 0.8**n) for n in range(11)])


def test_a_relevant_document_at_rank_1_pays_for_twenty() -> None:
    """What e = 1/20 means: "the benefit ... is equal to the effort of inspecting the first 20 documents"."""
    assert FlatUtility().of([1] + [0] * 19) == pytest.approx(0)


# OIE


def logs(docs: int, *ranks: int) -> float:
    return sum(math.log(docs / rank) for rank in ranks)


def test_a_sole_relevant_document_at_rank_20_is_worth_as_much_as_an_empty_list() -> None:
    """The list tells of 20 documents, list and judgments together of 19 and the relevant one: beta = Σ20 / Σ19."""
    beta = logs(20_000, *range(1, 21)) / logs(20_000, *range(1, 20))
    late = [0] * 19 + [1]
    assert beta == pytest.approx(1.0464, abs=5e-5)
    assert OIE(beta=beta).of(late) == pytest.approx(OIE(beta=beta).of([], [1]), rel=1e-9)
    assert OIE(beta=1.05).of(late) < OIE(beta=1.05).of([], [1])
    assert OIE(beta=1.05).of([0] * 17 + [1]) > OIE(beta=1.05).of([], [1])


def test_an_empty_list_has_what_the_judgments_tell_too_much() -> None:
    assert OIE().of([], [1, 1]) == pytest.approx((1 - 1.05) * logs(20_000, 2, 2) / 20_000)
    assert OIE().of([], []) == 0
    assert OIE().of([0, 0]) == pytest.approx((1 - 1.05) * logs(20_000, 1, 2) / 20_000)


def test_information_of_a_graded_list() -> None:
    """Grades 0, 1, 2 listed, 1 missed, 10 documents: m = 3 for grade 1 and 1 for grade 2."""
    ranking, missed = [0, 1, 2], [1]
    assert SystemInformation(docs=10).of(ranking, missed) == pytest.approx(logs(10, 1, 2, 3) / 10)
    assert GoldInformation(docs=10).of(ranking, missed) == pytest.approx(logs(10, 3, 1, 3) / 10)
    # With the document at rank 1: itself; at rank 2: itself; at rank 3: itself; with the missed
    # one: three.
    assert JointInformation(docs=10).of(ranking, missed) == pytest.approx(logs(10, 1, 1, 1, 3) / 10)


@given(measure_cases.rankings, measure_cases.unretrieved_grades)
@settings(max_examples=50, derandomize=True, database=None)
def test_oie_has_confidence(ranking: list[float | None], unretrieved: list[float]) -> None:
    """A document that is not relevant costs (beta - 1) log(docs / its rank) / docs."""
    lost = OIE().of(ranking, unretrieved) - OIE().of([*ranking, 0], unretrieved)
    assert lost == pytest.approx(0.05 * math.log(20_000 / (len(ranking) + 1)) / 20_000)


@given(measure_cases.rankings, measure_cases.unretrieved_grades)
@settings(max_examples=50, derandomize=True, database=None)
def test_oie_has_recall(ranking: list[float | None], unretrieved: list[float]) -> None:
    for grade in (1, 3):
        assert OIE().of(ranking, [*unretrieved, grade]) < OIE().of(ranking, unretrieved)


def test_oie_has_redundancy_if_the_document_at_that_rank_turns_relevant() -> None:
    """The same lists, judged otherwise: the second relevant document adds less, by (2 - beta) log 2 / docs."""
    first = OIE().of([0, 0, 1]) - OIE().of([0, 0, 0])
    second = OIE().of([0, 1, 1]) - OIE().of([0, 1, 0])
    assert first - second == pytest.approx((2 - 1.05) * math.log(2) / 20_000)


def test_oie_has_no_redundancy_within_one_topic() -> None:
    """With the same two relevant documents to be found, the second adds more, by beta log 2 / docs."""
    first = OIE().of([0, 0, 1], [1]) - OIE().of([0, 0, 0], [1, 1])
    second = OIE().of([0, 1, 1]) - OIE().of([0, 1, 0], [1])
    assert first == pytest.approx(1.05 * math.log(20_000 / (3 * 2)) / 20_000)
    assert second - first == pytest.approx(1.05 * math.log(2) / 20_000)


def test_to_exchange_neighbours_never_lowers_oie_but_past_a_better_document_it_can() -> None:
    """The document of grade 1 loses the company of that of grade 3 (c = 2, then 1), and its rank was 6 and gets 4."""
    late, earlier = OIE().of([0, 0, 0, 0, 3, 1]), OIE().of([0, 0, 0, 1, 3, 0])
    assert late - earlier == pytest.approx(1.05 * (math.log(2 / 6) - math.log(1 / 4)) / 20_000)
    assert late > earlier
    assert late < OIE().of([0, 0, 0, 3, 0, 1]) < OIE().of([0, 0, 0, 3, 1, 0])


# No relevant document, no document


@pytest.mark.parametrize("measure", [NDCGT(), ERRT(), RRT(), RBPT()], ids=ids)
def test_to_say_nothing_is_right_where_there_is_nothing_to_say(measure: Measure) -> None:
    silent = measure.of([])
    assert silent == pytest.approx(0.2 if isinstance(measure, RBPT) else 1.0)
    assert silent > measure.of([0]) > measure.of([0, None]) > 0
    assert measure.of([], [1]) == measure.of([0, None], [1]) == 0


def test_terminal_documents_where_nothing_is_relevant() -> None:
    assert NDCGT().of([0, 0]) == pytest.approx(1 / 2)  # 1 / log2(4)
    assert ERRT().of([0, 0]) == pytest.approx(1 / 3)
    assert RRT().of([0, 0]) == pytest.approx(1 / 3)
    assert RBPT(p=0.8).of([0, 0]) == pytest.approx(0.2 * 0.64)


@pytest.mark.parametrize("measure", UTILITY, ids=ids)
def test_utility_of_nothing(measure: Measure) -> None:
    assert measure.of([]) == measure.of([], [1]) == 0
    assert measure.of([0]) == measure.of([None], [1]) < 0


@pytest.mark.parametrize("name", ["nERR", "nRBP", "niRBU", "Q", "AUC", "Kendall", "Spearman"])
def test_what_is_divided_by_what_is_relevant_is_0_without_it(name: str) -> None:
    assert REGISTRY[name]().of([0, None]) == REGISTRY[name]().of([]) == 0


def test_full_rankings_of_nothing_and_of_all() -> None:
    assert AUC().of([], [1]) == 0.5
    assert Kendall().of([], [1]) == Spearman().of([], [1]) == 0
    assert AUC(docs=2).of([1, 1]) == Kendall(docs=2).of([1, 1]) == Spearman(docs=2).of([1, 1]) == 0
    for measure in (AUC(docs=3), Kendall(docs=3), Spearman(docs=3)):
        assert measure.of([2], [0]) == pytest.approx(1)
        assert measure.of([0], [2]) < measure.of([], [2])


def test_the_terminal_document_weighs_grades() -> None:
    """Of the relevance 1 + 1/2 the list has 1; P is 3/4 and 1/4."""
    best = 1 + 0.5 / math.log2(3) + 1 / 2
    assert NDCGT().of([2], [1]) == pytest.approx((1 + (2 / 3) / math.log2(3)) / best)
    assert RBPT(p=0.5).of([2], [1]) == pytest.approx(0.5 * (1 + (2 / 3) / 2))
    assert ERRT().of([2], [1]) == pytest.approx(3 / 4 + 1 / 4 * (3 / 4) / 2)


def test_ndcgt_of_a_list_without_low_grades_can_exceed_1() -> None:
    assert NDCGT().of([100], [1] * 10) == pytest.approx(1.2, abs=0.05)


def test_ntcirs_irbu() -> None:
    """P = 1/3, 2/3; exponents from 1 on."""
    assert iRBU(p=0.9, mode="ntcir").of([1, 2]) == pytest.approx(0.9 / 3 + 0.81 * (2 / 3) ** 2)
    assert RBU(p=0.9, e=0.1, mode="ntcir").of([1, 2]) == pytest.approx(0.9 * (1 / 3 - 0.1) + 0.81 * (4 / 9 - 0.1))


# Prefixes in one pass


@each_of("name", OURS)
def test_every_prefix_has_the_value_of_the_list_cut_there(name: str) -> None:
    @settings(max_examples=25, derandomize=True, database=None)
    @given(st.sampled_from(measure_cases.settings_of(name)), measure_cases.rankings, measure_cases.unretrieved_grades)
    def check(measure: Measure, ranking: list[float | None], unretrieved: list[float]) -> None:
        rankings = one_ranking(ranking, unretrieved)
        values = measure.by_prefix(rankings)
        assert values.shape == (1, len(ranking) + 1)
        expected = [measure.score(rankings.cut(k))[0] for k in range(len(ranking) + 1)]
        assert values[0] == pytest.approx(expected, rel=1e-12, abs=1e-14)

    check()


def runs_of_one_topic(grades: Sequence[float], lists: Sequence[Sequence[int]]) -> JudgedRankings:
    """Rank some of a topic's documents in each of several runs."""
    qrels = pl.DataFrame(
        {"query_id": ["1"] * len(grades), "doc_id": [f"d{i}" for i in range(len(grades))], "relevance": [*grades]}
    )
    cells = [(row, rank, place) for row, one in enumerate(lists) for rank, place in enumerate(one, start=1)]
    row, rank, place = np.array(cells, np.int64).reshape(-1, 3).T
    length = np.array([len(one) for one in lists])
    names = tuple(f"run{i}" for i in range(len(lists)))
    return JudgedRankings(names, Judgments(qrels), length, length >= 0, row, rank, place)


@each_of("name", OURS)
def test_prefixes_of_a_batch_are_those_of_each_list(name: str) -> None:
    grades = [3.0, 0, 1, 2, 0, 1, -1]
    lists = [[1, 0, 2, 6, 3], [], [5], [0, 1, 2, 3, 4, 5, 6], [4, 6]]
    for measure in measure_cases.settings_of(name, 10):
        together = measure.by_prefix(runs_of_one_topic(grades, lists))
        assert together.shape == (5, 8)
        for values, one in zip(together, lists, strict=True):
            missed = [grade for place, grade in enumerate(grades) if place not in one]
            alone = measure.by_prefix(one_ranking([grades[place] for place in one], missed))[0]
            assert values[: len(one) + 1] == pytest.approx(alone, rel=1e-12, abs=1e-14)
            assert (values[len(one) :] == values[len(one)]).all()  # the whole list, from its end on


# Parameters


@pytest.mark.parametrize("name", ["FlatUtility", "DCGU", "ERRU", "RBPU", "RBU"])
def test_effort_is_not_negative(name: str) -> None:
    with pytest.raises(MeasureError, match=rf"{name}: e must be a number at least 0, not -0.1"):
        REGISTRY[name](e=-0.1)


@pytest.mark.parametrize("name", ["RBPT", "RBPU", "RBU", "iRBU", "nRBP", "niRBU"])
def test_persistence_is_a_chance(name: str) -> None:
    with pytest.raises(MeasureError, match=rf"{name}: p must be a number above 0 and below 1, not 1.7"):
        REGISTRY[name](p=1.7)


@pytest.mark.parametrize("docs", [0, -1, 2.5, "many", True])
def test_a_collection_has_a_whole_number_of_documents(docs: object) -> None:
    with pytest.raises(MeasureError, match="docs must be a whole number at least 1"):
        OIE(docs=docs)


OVER_A_COLLECTION = ["AUC", "Kendall", "Spearman", "SystemInformation", "GoldInformation", "JointInformation", "OIE"]


@pytest.mark.parametrize("name", OVER_A_COLLECTION)
def test_a_list_longer_than_the_collection_is_refused(name: str) -> None:
    measure = REGISTRY[name](docs=3)
    assert math.isfinite(measure.of([1, 0, 0]))
    for method in (measure.score, measure.by_prefix):
        with pytest.raises(MeasureError, match=rf"{name}\(docs=3\): a list of 4 documents is longer .* docs=3"):
            method(one_ranking([1, 0, None, None]))
        with pytest.raises(MeasureError, match=r"4 documents of topic 1 were retrieved or judged.* docs=3"):
            method(one_ranking([1, None], [0, 1]))


@each_of("name", OVER_A_COLLECTION)
@each_of("docs", [17, 18, 40])
def test_small_collections_beside_the_twins(name: str, docs: int) -> None:
    """(The settings drawn for all measures have the collection of 20,000 documents alone.)"""
    twin = run_path(str(HERE / "twins_truncation.py"))["TWINS"][name]
    measure = REGISTRY[name](docs=docs)

    @settings(max_examples=40, derandomize=True, database=None)
    @given(measure_cases.rankings, measure_cases.unretrieved_grades)
    def check(ranking: list[float | None], unretrieved: list[float]) -> None:
        given_to_twin = {known: getattr(measure, known) for known in measure.parameters}
        expected = twin(ranking, unretrieved, **given_to_twin)
        assert measure.of(ranking, unretrieved) == pytest.approx(expected, rel=1e-9, abs=1e-9)

    check()
