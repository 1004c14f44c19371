"""Search lengths, sliding ratios, graded precision and Sakai's measures: examples to redo, and what must hold."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import Literal

import numpy as np
import polars as pl
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.formats import read_runs
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.measures import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import MeasureError
from cranfield.scoring.engines.local import rank_source

SEARCH_LENGTHS = [cf.ASL(), cf.ESL(), cf.nRecall()]
OF_RETRIEVED = [cf.SlidingRatio @ 2, cf.Satisfaction @ 2, cf.Frustration @ 2, cf.SatisfactionTotal @ 2]
ASSOCIATIONS = [cf.RHL(), cf.RelativeRelevance(), cf.RelativeRelevance(weights="reciprocal")]
GENERALISED = [cf.gP @ 3, cf.gR(), cf.gAP(), cf.GAP()]
SAKAI = [cf.OMeasure(), cf.PMeasure(), cf.PPlus(), cf.NCU(), cf.NCU(stop="uniform"), cf.NCU(stop="rank-biased")]
ALL: list[Measure] = [*SEARCH_LENGTHS, *OF_RETRIEVED, *ASSOCIATIONS, *GENERALISED, *SAKAI]

each = each_of("measure", ALL)


def drawn(times: int, grades: tuple[float | None, ...]) -> Iterator[tuple[list[float | None], list[float]]]:
    chance = random.Random(5)  # noqa: S311
    known = [grade for grade in grades if grade is not None]
    for _ in range(times):
        yield chance.choices(grades, k=chance.randint(0, 9)), chance.choices(known, k=chance.randint(0, 4))


BINARY: tuple[float | None, ...] = (None, 0, 0, 1)
GRADED: tuple[float | None, ...] = (None, -1, 0, 1, 2, 3)


# Examples


@each_of(
    ("measure", "ranking", "unretrieved", "value"),
    [
        (cf.ASL(), [1, 0, 0, 1], [], (1 + 4) / 2),
        (cf.ASL(), [0, 1, 0], [1, 1], (2 + 4.5 + 4.5) / 3),  # at ranks 4 and 5, in either order
        (cf.ASL(docs=9), [0, 1, 0], [1], (2 + (4 + 5 + 6 + 7 + 8 + 9) / 6) / 2),
        (cf.ASL(rel=2), [1, 2, 1, 3], [], (2 + 4) / 2),
        (cf.ASL(judged_only=True), [None, 1, None, 1], [], (1 + 2) / 2),
        (cf.ESL(), [0, 0, 2, 1], [], 3),
        (cf.ESL(wanted=2), [0, 1, None, 1], [], 4),
        (cf.ESL(wanted=2, count="not relevant"), [0, 1, None, 1], [], 4 - 2),
        (cf.ESL(wanted=9), [0, 1, 0, 1], [], 4),  # as many as there are
        (cf.ESL(wanted=3), [0, 1, 0, 1], [1, 1], 5),  # the next one below the list
        (cf.ESL(docs=6), [0, 0], [1, 1], 2 + (3 * 1 + 2 * 2 + 1 * 3) / 6),  # the first of a pair: of 6, 3 begin at 1
        (cf.nRecall(), [0, 1, 1, 0], [], 1 - ((2 + 3) - (1 + 2)) / (2 * (4 - 2))),
        (cf.nRecall(), [1, 0, 0], [1], 1 - ((1 + 4) - (1 + 2)) / (2 * (4 - 2))),
        (cf.nRecall(docs=10), [1, 0, 0], [1], 1 - ((1 + 10) - (1 + 2)) / (2 * (10 - 2))),
        (cf.nRecall(), [1, 1], [1], 2 / 3),  # none is out of place; one is missing
        (cf.SlidingRatio @ 1, [1, 0, 3, 2], [3], 1 / 3),
        (cf.SlidingRatio @ 3, [1, 0, 3, 2], [3], (1 + 0 + 3) / (3 + 2 + 1)),
        (cf.SlidingRatio(gains={1: 10}) @ 1, [0, 1, 3], [], 0),
        (cf.SlidingRatio(gains={1: 10}) @ 2, [3, 0, 1], [], 3 / (10 + 3)),
        (cf.Satisfaction @ 2, [1, 0, 3, 2], [], (1 + 0) / (3 + 2)),
        (cf.Satisfaction(rel=2) @ 3, [1, 0, 3, 2], [], 3 / (3 + 2)),
        (cf.Frustration @ 2, [1, 0, None, 2], [], 1 / 2),
        (cf.Frustration(rel=2) @ 3, [1, 0, 3, 3], [], 2 / 2),
        (cf.SatisfactionTotal(weight=0.75) @ 2, [1, 0, 3, 0], [], 0.75 * 1 / 4 - 0.25 * 1 / 2),
        (cf.RHL(), [2, 0, 0, 2], [], 1),  # half of the gain with the end of rank 1
        (cf.RHL(), [1, 1, 1, 1], [3], 2),
        (cf.RHL(), [0, 0, 4], [], 2.5),  # in the middle of rank 3
        (cf.RelativeRelevance(), [3, 4], [], (3 + 4) / (math.sqrt(2) * 5)),
        (cf.RelativeRelevance(weights="reciprocal"), [2, 1], [], 1),  # gains in proportion to 1/1 and 1/2
        (cf.gP @ 4, [2, 1, 0, 0], [4], (2 / 4 + 1 / 4) / 4),
        (cf.gP(gains={1: 5, 2: 10}) @ 2, [1, 1], [], (5 / 10 + 5 / 10) / 2),
        (cf.gR(), [2, 1, 0, 0], [3], (2 + 1) / (2 + 1 + 3)),
        (cf.gAP(), [1, 0, 2], [2], (0.5 / 1 + 1.5 / 3) / 3),
        (cf.GAP(), [2, 0, 1], [1], (2 / 1 + (1 + 1) / 3) / (2 + 1 + 1)),
        (cf.GAP(gains={1: 0.2, 2: 1}), [1, 2], [], (0.2 / 1 + (0.2 + 1) / 2) / (0.2 + 1)),
        (cf.OMeasure(), [0, 2, 3], [], (1 + 2) / (2 + (3 + 2))),
        (cf.OMeasure(beta=10), [0, 2, 3], [], (1 + 20) / (2 + 10 * (3 + 2))),
        (cf.PMeasure(), [0, 2, 3, 1], [], (2 + (2 + 3)) / (3 + (3 + 2 + 1))),
        (cf.PPlus(), [0, 2, 3, 1], [], ((1 + 2) / (2 + 5) + (2 + 5) / (3 + 6)) / 2),
        (cf.NCU(), [0, 2, 1], [], 2 / 3 * (1 + 2) / (2 + 3) + 1 / 3 * (2 + 3) / (3 + 3)),
        (cf.NCU(utility="precision"), [0, 2, 1], [1], 2 / 4 * 1 / 2 + 1 / 4 * 2 / 3),
        (cf.NCU(stop="uniform"), [0, 2, 1], [], ((1 + 2) / (2 + 3) + (2 + 3) / (3 + 3)) / 2),
        (
            cf.NCU(stop="rank-biased", utility="precision", gamma=0.5),
            [0, 1, 1],
            [1],
            (1 * 1 / 2 + 0.5 * 2 / 3) / (1 + 0.5 + 0.25),
        ),
    ],
)
def test_worked_example(measure: Measure, ranking: list[float | None], unretrieved: list[float], value: float) -> None:
    assert measure.of(ranking, unretrieved) == pytest.approx(value, abs=1e-12)


# Search lengths


def test_the_ideal_list_has_all_of_normalised_recall_and_its_reverse_nothing() -> None:
    for relevant, others in itertools.product(range(1, 5), range(1, 5)):
        assert cf.nRecall().of([1] * relevant + [0] * others) == 1
        assert cf.nRecall().of([0] * others + [1] * relevant) == pytest.approx(0, abs=1e-12)


def test_normalised_recall_without_anything_relevant_retrieved_is_nothing() -> None:
    for docs in (None, 10, 1000):
        assert cf.nRecall(docs=docs).of([], [1, 1]) == 0
        assert cf.nRecall(docs=docs).of([0, None], [1]) == pytest.approx(0, abs=1e-12)


def test_an_order_and_its_reverse_share_normalised_recall() -> None:
    for grades in itertools.product([0, 1], repeat=5):
        if 0 < sum(grades) < 5:
            assert cf.nRecall().of(grades) + cf.nRecall().of(grades[::-1]) == pytest.approx(1)


def test_expected_search_length_is_the_mean_over_all_orders_of_the_rest() -> None:
    """What is below the list of two: two relevant documents and three others, in every order."""
    counts: list[Literal["examined", "not relevant"]] = ["examined", "not relevant"]
    for wanted, count in itertools.product([1, 2, 3], counts):
        orders = set(itertools.permutations([1, 1, 0, 0, 0]))
        lengths = [cf.ESL(wanted=wanted, count=count).of([0, 1, *order]) for order in orders]
        expected = cf.ESL(wanted=wanted, count=count, docs=7).of([0, 1], [1, 1])
        assert expected == pytest.approx(sum(lengths) / len(lengths))


def test_average_search_length_is_the_mean_over_all_orders_of_the_rest() -> None:
    orders = set(itertools.permutations([1, 1, 0, 0, 0]))
    lengths = [cf.ASL().of([0, 1, *order]) for order in orders]
    assert cf.ASL(docs=7).of([0, 1], [1, 1]) == pytest.approx(sum(lengths) / len(lengths))


def test_average_search_length_is_the_mean_of_search_lengths() -> None:
    for ranking, _ in drawn(100, BINARY):
        relevant = ranking.count(1)
        lengths = [cf.ESL(wanted=wanted).of(ranking) for wanted in range(1, relevant + 1)]
        assert cf.ASL().of(ranking) == pytest.approx(sum(lengths) / relevant if relevant else 0)


def test_search_length_for_one_document_is_the_inverse_of_reciprocal_rank() -> None:
    for ranking, _ in drawn(100, BINARY):
        if 1 in ranking:
            assert cf.ESL().of(ranking) == pytest.approx(1 / cf.RR().of(ranking))


def test_a_collection_is_no_smaller_than_what_is_known_of_it() -> None:
    for measure in (cf.ASL, cf.ESL, cf.nRecall):
        assert measure(docs=2).of([0, 1, 0], [1]) == measure().of([0, 1, 0], [1])


# Other orders of the same list


def test_the_best_order_of_a_list_has_a_sliding_ratio_of_1() -> None:
    for ranking, unretrieved in drawn(100, (0, 1, 2, 3)):
        best = sorted((grade or 0 for grade in ranking), reverse=True)
        for k in (1, 2, 5):
            expected = 1 if any(best) else 0
            assert (cf.SlidingRatio @ k).of(best, unretrieved) == expected
            assert (cf.SlidingRatio @ 9).of(ranking, unretrieved) == expected  # the list ends here


def test_satisfaction_is_a_sliding_ratio_of_what_is_relevant() -> None:
    for ranking, unretrieved in drawn(100, GRADED):
        assert (cf.Satisfaction @ 3).of(ranking, unretrieved) == (cf.SlidingRatio @ 3).of(ranking, unretrieved)
        strict = cf.SlidingRatio(gains={1: 0}) @ 3
        assert (cf.Satisfaction(rel=2) @ 3).of(ranking, unretrieved) == strict.of(ranking, unretrieved)


def test_the_total_is_satisfaction_less_frustration() -> None:
    assert (cf.SatisfactionTotal @ 2).of([3, 2, 0, 0]) == 0.5
    assert (cf.SatisfactionTotal @ 2).of([0, 0, 3, 2]) == -0.5
    for ranking, unretrieved in drawn(50, GRADED):
        pleased, vexed = (measure.of(ranking, unretrieved) for measure in (cf.Satisfaction @ 2, cf.Frustration @ 2))
        assert (cf.SatisfactionTotal(weight=1) @ 2).of(ranking, unretrieved) == pleased
        assert (cf.SatisfactionTotal(weight=0) @ 2).of(ranking, unretrieved) == -vexed


def test_ratios_to_other_orders_at_every_rank() -> None:
    rankings = one_ranking([1, 0, 3, 2])
    assert (cf.SlidingRatio @ 1).by_rank(rankings, 4).round(4).tolist() == [[0.3333, 0.2, 0.6667, 1.0]]
    with pytest.raises(MeasureError, match="SlidingRatio needs a rank, such as SlidingRatio@10"):
        parse_measure("SlidingRatio")


# Half-life and association


def test_half_life_is_about_the_median_of_ranks() -> None:
    """Each unit of gain as a document of its own, half a rank before the end of its class."""
    assert cf.RHL().of([1, 1, 1]) == np.median([1, 2, 3]) - 0.5
    assert cf.RHL().of([1, 2, 2]) == pytest.approx(1.75)  # 1 + (2.5 - 1)/2


def test_half_life_does_not_depend_on_the_unit_of_gain() -> None:
    for ranking, unretrieved in drawn(100, GRADED):
        scaled = cf.RHL(gains={1: 10, 2: 20, 3: 30})
        assert scaled.of(ranking, unretrieved) == pytest.approx(cf.RHL().of(ranking, unretrieved))


def test_a_list_without_gain_has_no_better_half_life_than_any_of_its_length() -> None:
    for length in range(5):
        worst = cf.RHL().of([0] * length)
        assert worst == length
        assert all(cf.RHL().of(grades) <= worst for grades in itertools.product([0, 1, 2], repeat=length))


def test_order_does_not_count_in_relative_relevance_unless_asked() -> None:
    values = {round(cf.RelativeRelevance().of(order), 12) for order in itertools.permutations([3, 1, 0, 0])}
    assert len(values) == 1
    ordered = cf.RelativeRelevance(weights="reciprocal")
    best = ordered.of([3, 1, 0, 0])
    assert all(ordered.of(order) <= best for order in itertools.permutations([3, 1, 0, 0]))


def test_relative_relevance_is_1_where_all_is_alike() -> None:
    assert cf.RelativeRelevance().of([2, 2, 2]) == pytest.approx(1)


# Graded precision


@pytest.mark.parametrize(
    ("graded", "binary"),
    [
        (cf.gP @ 4, cf.P @ 4),
        (cf.gR(), cf.R()),
        (cf.gR @ 3, cf.R @ 3),
        (cf.gAP(), cf.AP()),
        (cf.gAP @ 3, cf.AP @ 3),
        (cf.GAP(), cf.AP()),
        (cf.GAP(judged_only=True), cf.AP(judged_only=True)),
        (cf.NCU(utility="precision"), cf.AP()),
        (cf.NCU(stop="rank-biased", gamma=1, utility="precision"), cf.AP()),
        (cf.OMeasure(beta=0), cf.RR()),
        (cf.PPlus(), cf.OMeasure()),
        (cf.PMeasure(), cf.OMeasure()),
    ],
    ids=str,
)
def test_for_relevant_or_not_it_is_the_binary_measure(graded: Measure, binary: Measure) -> None:
    for ranking, unretrieved in drawn(200, BINARY):
        assert graded.of(ranking, unretrieved) == pytest.approx(binary.of(ranking, unretrieved), abs=1e-12)


@pytest.mark.parametrize("measure", [cf.gR(), cf.GAP(), *SAKAI], ids=str)
def test_the_ideal_list_has_1(measure: Measure) -> None:
    for ranking, _ in drawn(60, GRADED):
        ideal = sorted((grade for grade in ranking if grade is not None), reverse=True)
        assert measure.of(ideal) == pytest.approx(1 if ideal and ideal[0] > 0 else 0)


def test_graded_precision_of_users_who_agree_is_that_of_the_level_they_set() -> None:
    """Everyone's bar is at grade 2: what is below it is relevant to nobody."""
    for ranking, unretrieved in drawn(100, GRADED):
        strict = cf.GAP(gains={1: 0, 2: 1, 3: 1})
        assert strict.of(ranking, unretrieved) == pytest.approx(cf.AP(rel=2).of(ranking, unretrieved), abs=1e-12)


def test_the_unit_of_gain_does_not_count_in_precision() -> None:
    scaled = {1: 5, 2: 10, 3: 15}
    for ranking, unretrieved in drawn(100, (*GRADED, 3)):
        for measure, other in (
            (cf.gP(gains=scaled) @ 3, cf.gP @ 3),
            (cf.gR(gains=scaled), cf.gR()),
            (cf.gAP(gains=scaled), cf.gAP()),
            (cf.GAP(gains=scaled), cf.GAP()),
        ):
            assert measure.of(ranking, [*unretrieved, 3]) == pytest.approx(other.of(ranking, [*unretrieved, 3]))


# Sakai's measures


def test_uniform_stops_with_precision_are_average_precision() -> None:
    for ranking, unretrieved in drawn(200, GRADED):
        expected = pytest.approx(cf.AP().of(ranking, unretrieved), abs=1e-12)
        assert cf.NCU(stop="uniform", utility="precision").of(ranking, unretrieved) == expected
        assert cf.NCU(stop="uniform", beta=0).of(ranking, unretrieved) == expected


def test_what_is_best_at_the_first_relevant_document_is_the_same_for_all_three() -> None:
    """Nothing above the preferred rank: O, P and P+ look at one and the same document."""
    for ranking, unretrieved in drawn(50, (None, 0, 1, 2)):
        values = {measure.of([0, 3, *ranking], unretrieved) for measure in (cf.OMeasure(), cf.PMeasure(), cf.PPlus())}
        assert len(values) == 1


def test_p_plus_lies_between_its_blended_ratios() -> None:
    assert cf.OMeasure().of([0, 1, 3]) < cf.PPlus().of([0, 1, 3]) < cf.PMeasure().of([0, 1, 3])


def test_what_stands_below_the_preferred_rank_does_not_count() -> None:
    for measure in (cf.PMeasure(), cf.PPlus()):
        assert measure.of([1, 3, 2, 0, 2]) == measure.of([1, 3, 0, 2, 2])
        assert measure.of([1, 3, 3, 2]) == measure.of([1, 3], [3, 2])


# Of all


@each
def test_nothing_is_relevant(measure: Measure) -> None:
    """With R = 0 the value is 0, but for what counts not relevant documents, and for the length of a half-life."""
    expected = {"Frustration": 1, "SatisfactionTotal": -0.5, "RHL": 3}.get(type(measure).__name__, 0)
    assert measure.of([0, None, -1]) == expected
    assert measure.of([], [0, -1]) == 0


@each
def test_an_empty_list_finds_nothing(measure: Measure) -> None:
    beyond = {"ASL": 1.5, "ESL": 1}.get(type(measure).__name__, 0)  # the two missing ones are at ranks 1 and 2
    assert measure.of([], [1, 2]) == beyond


@each
def test_a_batch_of_runs_and_topics_gives_what_each_gives_alone(measure: Measure) -> None:
    chance = random.Random(9)  # noqa: S311
    pools = {f"t{topic}": {f"d{i}": chance.choice([0, 1, 2]) for i in range(5)} | {"d5": 3} for topic in range(3)}
    rows = [(topic, document, grade) for topic, pool in pools.items() for document, grade in pool.items()]
    judged = Judgments(pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row"))
    runs, alone = [], []
    for _ in range(3):
        listed = []
        for topic, pool in pools.items():
            documents = chance.sample([*pool, "u1", "u2", "u3"], chance.randint(1, 7))
            listed += [(topic, document, -float(rank)) for rank, document in enumerate(documents)]
            missed = [grade for document, grade in pool.items() if document not in documents]
            alone.append(measure.of([pool.get(document) for document in documents], missed))
        run = pl.DataFrame(listed, schema=["query_id", "doc_id", "score"], orient="row")
        runs.append(rank_source(read_runs(run).sources[0], judged))
    assert measure.score(JudgedRankings.batch(runs)).tolist() == alone


@each
def test_whether_less_is_better_is_declared(measure: Measure) -> None:
    best, worst = measure.of([3, 2, 0, 0, 0]), measure.of([0, 0, 0, 2, 3])
    if measure == cf.RelativeRelevance():
        assert best == worst
    elif measure.higher_is_better:
        assert best > worst or isinstance(measure, cf.gR)
    else:
        assert best < worst
