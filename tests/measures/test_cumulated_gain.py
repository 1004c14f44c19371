"""The worked examples of Järvelin and Kekäläinen, redone by hand."""

from __future__ import annotations

from math import log, log2, log10

import numpy as np
import pytest

import cranfield as cf
from cranfield.judged.rankings import one_ranking
from cranfield.measures import Measure
from cranfield.measures.cumulated_gain import CG, DCG, nCG, nDCG
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.gain_by_rank import DeltaGain
from cranfield.plumbing.errors import MeasureError

# G' of the research note, for a topic whose ideal list is I' = 3, 3, 3, 2, 2, 2, 1, 1, 1, 1: three
# documents of grade 1 are not retrieved.
G: list[float | None] = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
NOT_RETRIEVED = [1.0, 1.0, 1.0]
CG_OF_G = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
CG_IDEAL = [3, 6, 9, 11, 13, 15, 16, 17, 18, 19]


def vector(measure: Measure, depth: int = 10) -> list[float]:
    found: list[float] = measure.by_rank(one_ranking(G, NOT_RETRIEVED), depth)[0].tolist()
    return found


def test_cumulated_gain() -> None:
    assert vector(CG()) == CG_OF_G
    assert CG(cutoff=7).of(G, NOT_RETRIEVED) == 11


def test_discounted_cumulated_gain() -> None:
    """The note's vector lacks one of three 6.89: ranks 4 and 5 gain nothing, so that three values are equal."""
    third = 3 + 2 / log2(2) + 3 / log2(3)
    sixth = third + 1 / log2(6)
    seventh = sixth + 2 / log2(7)
    eighth = seventh + 2 / log2(8)
    ninth = eighth + 3 / log2(9)
    expected = [3, 5, third, third, third, sixth, seventh, eighth, ninth, ninth]
    assert vector(DCG(base=2)) == pytest.approx(expected)
    assert [round(value, 2) for value in expected] == [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]


def test_ideal_vectors() -> None:
    judgments = one_ranking(G, NOT_RETRIEVED).judgments
    assert CG().ideal_vectors(judgments, 13)[0].tolist() == [*CG_IDEAL, 19, 19, 19]
    steps = [3, 3, 3 / log2(3), 2 / log2(4), 2 / log2(5), 2 / log2(6), *(1 / log2(i) for i in range(7, 11)), 0, 0]
    dcg = DCG(base=2).ideal_vectors(judgments, 12)[0]
    assert dcg.tolist() == pytest.approx([sum(steps[:i]) for i in range(1, 13)])
    # The note adds up rounded terms, and so has 10.52 for 10.526.
    printed = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83, 11.83, 11.83]
    assert dcg.tolist() == pytest.approx(printed, abs=0.01)


def test_normalised_vectors() -> None:
    assert vector(nCG()) == pytest.approx([got / best for got, best in zip(CG_OF_G, CG_IDEAL, strict=True)])
    ideal_third = 3 + 3 / log2(2) + 3 / log2(3)
    assert vector(nDCG(base=2))[2] == pytest.approx((3 + 2 + 3 / log2(3)) / ideal_third)


def test_three_discounts() -> None:
    """A document of gain 3 at rank 3, and one of gain 2 at rank 20."""
    ranking: list[float | None] = [0, 0, 3, *[0] * 16, 2]
    assert DCG().of(ranking) == pytest.approx(3 / log2(4) + 2 / log2(21))
    assert DCG(base=10).of(ranking) == pytest.approx(3 + 2 / log10(20))
    assert DCG(base=10, from_rank_2=True).of(ranking) == pytest.approx(3 / log10(3) + 2 / log10(20))
    assert DCG(base=10, from_rank_2=True).of(ranking) > DCG(base=10).of(ranking)  # it raises ranks 2 to 9
    assert DCG(base=2, from_rank_2=True).of(ranking) == DCG(base=2).of(ranking)
    assert DCG(base=2.5).of([0, 1]) == 1
    assert DCG(base=2.5).of([0, 0, 1]) == pytest.approx(log(2.5) / log(3))


def test_averaged_over_ranks() -> None:
    assert CG(averaged=True, cutoff=4).of(G, NOT_RETRIEVED) == (3 + 5 + 8 + 8) / 4
    share = (3 / 3 + 5 / 6 + 8 / 9 + 8 / 11) / 4
    assert nCG(averaged=True, cutoff=4).of(G, NOT_RETRIEVED) == pytest.approx(share)
    assert vector(nCG(averaged=True))[3] == pytest.approx(share)


def test_a_list_shorter_than_the_cutoff_keeps_its_gain() -> None:
    assert nCG(averaged=True, cutoff=3).of([2], [1]) == pytest.approx((2 / 2 + 2 / 3 + 2 / 3) / 3)
    assert vector(CG(), 12)[-2:] == [16, 16]


def test_gains_by_grade() -> None:
    assert CG(gains={1: 1, 2: 10, 3: 100}).of(G) == 3 * 100 + 3 * 10 + 1
    assert CG(gains={0: -1}).of([0, 1, 0, None]) == -1 + 1 - 1
    assert nCG(gains={0: -1}, cutoff=2).of([0, 0], [2]) == -2 / 2  # the ideal list holds positive gains only


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nDCG(base=1)@10", "base must be a number above 1"),
        ("DCG(from_rank_2=True)", "from_rank_2 needs a base"),
        ("nCG(averaged=True)", "averaged needs a cutoff"),
        ("nDCG(dcg='exp-log2',gains={1:2})", "either gains or dcg"),
        ("CG(gains={1:'a'})", "a map such as"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, told: str) -> None:
    with pytest.raises(MeasureError, match=told):
        parse_measure(name)


def test_names_show_the_discount() -> None:
    names = ["DCG", "DCG(base=2)@10", "nDCG(base=10,from_rank_2=True)@5", "nDCG(averaged=True,base=2)@200"]
    assert [str(parse_measure(name)) for name in names] == names
    assert parse_measure("nDCG(base=2,averaged=True)@200") == nDCG(base=2, averaged=True) @ 200


def test_one_pass_over_the_ranks_is_measuring_at_each() -> None:
    rankings = one_ranking(G, NOT_RETRIEVED)
    for measure in (CG(), nCG(), DCG(), DCG(base=3), nDCG(), nDCG(base=2), nDCG(dcg="exp-log2")):
        each = [(measure @ k).score(rankings)[0] for k in range(1, 13)]
        np.testing.assert_allclose(measure.by_rank(rankings, 12)[0], each, rtol=1e-12)
        averaged = type(measure)(**{**measure.given, "averaged": True})
        each = [(averaged @ k).score(rankings)[0] for k in range(1, 13)]
        np.testing.assert_allclose(averaged.by_rank(rankings, 12)[0], each, rtol=1e-12)


def test_a_judgment_taken_away_is_not_in_the_ideal_list() -> None:
    rankings = one_ranking([0, 1], [0.0]).rejudged(np.array([0.0, 1.0, np.nan]))
    measure = nCG(gains={0: 0.5})
    assert measure.score(rankings).tolist() == [(0.5 + 1) / (1 + 0.5)]


def test_a_level_takes_topics_without_such_a_document_out_of_rndcg_as_trec_eval_does() -> None:
    # The level is not for gains: where there is a document of grade 2, one of grade 1 gains 1 as
    # ever.
    assert cf.Rndcg(rel=2).of([1, 0], unretrieved=[1]) == 0.0 < cf.Rndcg().of([1, 0], unretrieved=[1])
    assert cf.Rndcg(rel=2).of([1, 2, 0]) == cf.Rndcg().of([1, 2, 0]) > 0
    scores = cf.evaluate({"1": {"a": 1}, "2": {"a": 2}}, {"r": {t: {"a": 1.0} for t in "12"}}, "Rndcg", rel=2)
    lines = str(scores.render("trec_eval", per_topic=True)).splitlines()
    assert [line.split() for line in lines] == [
        ["Rndcg", "1", "0.0000"],
        ["Rndcg", "2", "1.0000"],
        ["Rndcg", "all", "0.5000"],
    ]


def test_delta_gain_is_the_step_between_the_cumulated_gains() -> None:
    """Gains -1, 1, 2, 3: the list gains 3 -1 1 0 2, the ideal list 3 2 1 1; the fourth document is unjudged."""
    gains = {-1: -1, 0: -1}
    rankings = one_ranking([3, 0, 1, None, 2], unretrieved=[1])
    found = DeltaGain(gains=gains).by_rank(rankings, 6)[0]
    assert found.tolist() == [0, -1 - 2, 0, 0 - 1, 2, 0]
    assert [DeltaGain(gains=gains, cutoff=k).score(rankings)[0] for k in range(1, 7)] == found.tolist()
    run, ideal = (CG(gains=gains).by_rank(each, 6)[0] for each in (rankings, one_ranking([3, 2, 1, 1])))
    assert found.cumsum().tolist() == (run - ideal).tolist()


def test_where_the_second_rank_gains_more_than_the_first_nothing_is_promised() -> None:
    """log_b(2) is 1 for b = 2, so that both ranks gain the same; for b = 3 it is 0.63."""
    for base, rewards in ((1.5, True), (2, True), (3, False)):
        assert DCG(base=base, from_rank_2=True).rewards_promotion == rewards
        first, second = (DCG(base=base, from_rank_2=True).of(ranking) for ranking in ([1, 0], [0, 1]))
        assert (first >= second) == rewards
    assert DCG(base=2, from_rank_2=True).of([0, 1]) == 1
    assert DCG(base=3, from_rank_2=True).of([0, 1]) == pytest.approx(1 / (log(2) / log(3)))
    assert DCG(base=3).rewards_promotion  # no rank before base is discounted


@pytest.mark.parametrize("measure", [CG, DeltaGain])
def test_a_grade_without_a_gain_of_its_own_gains_itself_or_nothing_if_negative(measure: type[Measure]) -> None:
    """What the help of gains= says; of -1 and 3 it names neither."""
    at = measure(gains={1: 5}) @ 1
    assert at.of([-1]) == 0
    assert at.of([3]) - at.of([0], unretrieved=[3]) == 3
    assert "or 0 if negative" in measure.parameters["gains"].meaning
