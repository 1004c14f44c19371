"""How low and how high a value could be: against every completion of the judgments."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import cranfield as cf
from cranfield.completions import Completions
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.machinery.names import parse_measure
from cranfield.measures.machinery.user_model import UserModel
from cranfield.rankings import one_ranking

CASES = run_path(str(Path(__file__).parent / "cases.py"))
ABOUT_JUDGMENTS = {"RBPResidual", "RBPProjected", "Judged", "Unjudged", "NumNonrelJudgedRet"}
NAMES = [name for name in CASES["NUMERIC"] if name not in ABOUT_JUDGMENTS]
TOP = 3.0


def completed(ranking: list[float | None]) -> list[list[float | None]]:
    """Give every list in which each unjudged document has grade 0 or the largest grade."""
    open_ = [i for i, grade in enumerate(ranking) if grade is None]
    lists = []
    for grades in itertools.product([0.0, TOP], repeat=len(open_)):
        filled = list(ranking)
        for i, grade in zip(open_, grades, strict=True):
            filled[i] = grade
        lists.append(filled)
    return lists


def within_cutoff(
    measure: Measure, ranking: list[float | None], unretrieved: list[float]
) -> tuple[list[float | None], list[float]]:
    """Take documents below the cutoff for not retrieved: what nobody judged there is left so."""
    k = None if measure.judged_only else measure.cutoff
    if k is None:
        return ranking, unretrieved
    return ranking[:k], unretrieved + [grade for grade in ranking[k:] if grade is not None]


@pytest.mark.parametrize("name", NAMES)
def test_bounds_hold_every_completion_and_are_reached(name: str) -> None:
    chance = random.Random(name)  # noqa: S311
    reached = 0
    for _ in range(15):
        measure = chance.choice(CASES["settings_of"](name))
        length = chance.randint(0, 6)
        ranking: list[float | None] = [chance.choice([None, None, 0, 1, 2]) for _ in range(length)]
        unretrieved = [TOP, *chance.choices([0, 1, 2], k=2)]
        low, high, exact = measure.bounds(one_ranking(ranking, unretrieved))
        top, missed = within_cutoff(measure, ranking, unretrieved)
        values = [measure.of(full, missed) for full in completed(top)]
        if exact:
            assert low[0] <= min(values) + 1e-9
            assert high[0] >= max(values) - 1e-9
        if not isinstance(measure, UserModel):  # of which the ranks below the end could be relevant too
            assert min(values) - 1e-9 <= low[0] <= high[0] <= max(values) + 1e-9
            if exact:
                assert (low[0], high[0]) == pytest.approx((min(values), max(values)), abs=1e-9)
                reached += 1
    assert reached or not REGISTRY[name]().rewards_promotion or issubclass(REGISTRY[name], UserModel)


def test_base_and_residual_of_the_paper() -> None:
    ranking = [0, 1, 1, 0, 0, 1, None, 0, 0, 1]
    low, high, exact = parse_measure("RBP(p=0.8)").bounds(one_ranking(ranking))
    base = 0.2 * (0.8 + 0.8**2 + 0.8**5 + 0.8**9)
    residual = 0.2 * 0.8**6 + 0.8**10
    assert (low[0], high[0]) == pytest.approx((base, base + residual))
    assert (round(base, 3), round(residual, 3), exact) == (0.380, 0.160, True)


def test_weighted_sums_have_a_residual_from_their_weights() -> None:
    """P@4 of a list of three, the second unjudged: one document more there, and one at the empty rank 4."""
    low, high, _ = parse_measure("P@4").bounds(one_ranking([1, None, 0]))
    assert (low[0], high[0]) == (1 / 4, 3 / 4)
    low, high, _ = parse_measure("RBP(p=0.5)@2").bounds(one_ranking([1, None, None]))
    assert (low[0], high[0]) == pytest.approx((1 / 2, 1 / 2 + 1 / 4))


def test_more_relevant_documents_can_lower_a_measure() -> None:
    """AP of a list with one of one found at rank 1: a second one at rank 4 makes it (1 + 2/4) / 2."""
    low, high, _ = parse_measure("AP").bounds(one_ranking([1, 0, 0, None]))
    assert (low[0], high[0]) == ((1 + 2 / 4) / 2, 1.0)


def test_rows_are_completed_on_their_own() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
    runs = {"r": {"1": {"x": 3.0, "a": 2.0}, "2": {"a": 2.0, "y": 1.0}}, "s": {"1": {"a": 1.0}}}
    scores = cf.evaluate(qrels, runs, ["AP", "P@2"], bounds=True)
    assert scores.limits is not None
    low, high = scores.limits[:, 0]
    assert low.tolist() == [[1 / 2, 1.0], [1.0, 0.0]]
    assert high.tolist() == [[1.0, 1.0], [1.0, 0.0]]
    assert scores.to_polars().columns == ["run", "topic", "measure", "value", "low", "high"]
    assert scores.to_polars().row(0) == ("r", "all", "AP", 0.75, 0.75, 1.0)
    assert "0.7500 [0.7500, 1.0000]" in str(scores)
    with pytest.raises(cf.InputError, match="no place for bounds"):
        scores.render("trec_eval")


def test_bounds_do_not_depend_on_the_batch() -> None:
    chance = np.random.default_rng(3)
    qrels = {str(t): {f"d{i}": int(chance.integers(0, 3)) for i in range(6)} for t in range(3)}
    runs = {
        f"r{r}": {str(t): {f"d{i}": float(chance.random()) for i in chance.permutation(10)[:5]} for t in range(3)}
        for r in range(3)
    }
    together = cf.evaluate(qrels, runs, ["AP", "nDCG@3"], bounds=True).limits
    alone = [cf.evaluate(qrels, {name: run}, ["AP", "nDCG@3"], bounds=True).limits for name, run in runs.items()]
    assert together is not None
    assert (together == np.concatenate([a for a in alone if a is not None], axis=2)).all()


def test_which_measures_are_only_bounded_plainly() -> None:
    low, high, exact = parse_measure("G").bounds(one_ranking([None, 1]))
    assert not exact
    assert low[0] <= high[0]


def test_completions_leave_a_judgment_taken_away_open() -> None:
    rankings = one_ranking([1, 1, 0], [1]).rejudged(np.array([np.nan, 1.0, 0.0, 1.0]))
    completions = Completions(rankings)
    assert completions.unjudged.tolist() == [1]
    assert completions.relevant(1, True).judged.grade.tolist() == [1.0, 1.0, 0.0]
