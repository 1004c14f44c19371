"""What measures declare of themselves, for those who do not know the families: it is true."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.judged.judgments import is_relevant
from cranfield.judged.rankings import one_ranking
from cranfield.measures import REGISTRY
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import ratio

LISTS: tuple[list[float | None], ...] = ([2, None, 1, 0], [0, 0, 2], [1, 1, 0, 2, None, 1], [])


def measures() -> list[Measure]:
    return [kind() @ 3 if kind.at_required and kind.at == "cutoff" else kind() for kind in REGISTRY.values()]


def test_fixed_weights_and_gains_add_up_to_the_value() -> None:
    declaring = [measure for measure in measures() if measure.fixed_weights]
    assert {type(measure).__name__ for measure in declaring} == {"INSQ", "P", "RBP", "SDCG"}
    for measure in declaring:
        for grades in LISTS:
            rankings = one_ranking(grades, [2])
            cells, top = rankings.judged, rankings.judgments.top_grade
            kept = cells.rank <= (measure.cutoff or np.inf)
            worth = measure.rank_weight(cells.rank) * measure.gain_of(cells.grade, top)
            assert measure.score(rankings)[0] == pytest.approx(worth[kept].sum()), (measure, grades)


def test_what_a_measure_is_taken_apart_into_is_in_proportion_to_its_values() -> None:
    apart = 0
    for measure in measures():
        pairs = [(one_ranking(grades, [2]), measure) for grades in LISTS if 2 in grades]
        parts = [measure.in_parts(rankings.cut(measure.cutoff)) for rankings, _ in pairs]
        if measure.text or parts[0] is None:
            continue
        apart += 1
        first, *others = [float(of.sum()) for of in parts if of is not None]
        value, *values = [float(measure.score(rankings)[0]) for rankings, _ in pairs]
        assert values == pytest.approx([value * other / first for other in others]), measure
    assert apart >= 12


def test_a_share_is_its_numerator_over_its_denominator_at_every_rank() -> None:
    declaring = []
    for measure in measures():
        rankings = one_ranking([1, None, 2, 0], [1])
        fraction = measure.fraction_by_rank(rankings, 4)
        if fraction is not None:
            declaring.append(type(measure).__name__)
            assert ratio(*fraction).tolist() == measure.by_rank(rankings, 4).tolist()
    assert declaring == ["nCG", "nDCG"]


def test_a_measure_that_says_no_more_gains_1_for_what_is_relevant() -> None:
    grade = np.array([0.0, 1.0, 2.0, -1.0])
    assert REGISTRY["AP"](rel=2).gain_of(grade, 2).tolist() == is_relevant(grade, 2).tolist() == [0, 0, 1, 0]


def test_the_same_questions_have_the_same_answers_for_all_of_a_kind() -> None:
    named = {
        "misplacement": {name for name, kind in REGISTRY.items() if kind.of_misplacement},
        "judged": {name for name, kind in REGISTRY.items() if not kind.of_quality},
        "positions": {name for name, kind in REGISTRY.items() if kind.cumulates == "positions"},
        "gains": {name for name, kind in REGISTRY.items() if kind.cumulates == "gains"},
        "estimated": {name for name, kind in REGISTRY.items() if kind.estimator},
    }
    assert named["misplacement"] >= {"RP", "CRP", "nCRP", "Twist", "Recovery", "BalancePoint", "Space"}
    assert named["judged"] == {"Judged", "Unjudged"}
    assert named["positions"] == {"CRP"}
    assert named["gains"] == {"CG", "DCG"}
    assert named["estimated"] == {
        "AP", "Bpref", "CG", "DCG", "DCGU", "FlatUtility", "INSQ", "NumRel", "P", "R", "RBP", "RBPU", "SDCG", "nCG",
        "nDCG",
    }  # fmt: skip
