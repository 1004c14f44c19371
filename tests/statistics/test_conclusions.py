"""What is concluded: read off one interval, monotone, mirrored, and never of too little."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tools.peers import multipletests

from cranfield.plumbing.errors import InputError
from cranfield.statistics.conclusions import (
    PASSING,
    SEVERITY,
    UNSETTLED,
    Paired,
    Together,
    check_margin,
    conclude,
    fewest_units,
    status_of,
    tell_apart,
    worst_of,
)
from cranfield.statistics.multiple_comparisons import adjust, level_left
from cranfield.statistics.sign_flips import exact_p

COARSE = [-1.0, -0.5, -0.25, -0.1, 0.0, 0.0, 0.1, 0.25, 0.5, 1.0]
"""Differences as coarse measures have them: ties, few values."""


@st.composite
def differences(draw: st.DrawFn, most: int = 30) -> np.ndarray:
    """Rows of differences by unit: few or many, coarse or fine, constant among them."""
    rows, units = draw(st.integers(1, 3)), draw(st.integers(2, most))
    shift = draw(st.sampled_from([0.0, 0.05, 0.2, 0.5]))
    values = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).choice(COARSE, (rows, units))
    return values * draw(st.sampled_from([0.0, 0.1, 1.0])) + shift


MARGINS = st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.3, 0.6])
ALPHAS = st.sampled_from([0.01, 0.05, 0.1, 0.2])


def harsh(verdict: str) -> int:
    """Rank a verdict: worse 0, nothing said 1, not worse 2, better 3."""
    return 0 if verdict == "worse" else 1 if verdict not in PASSING else 3 if verdict == "better" else 2


def enumerated(row: np.ndarray) -> float:
    """Count all sign patterns one by one."""
    sums = [abs(sum(sign * each for sign, each in zip(signs, row, strict=True)))
            for signs in product((1, -1), repeat=len(row))]  # fmt: skip
    return float(np.mean(np.array(sums) >= abs(row.sum()) - 1e-9))


@given(differences(most=9))
def test_all_sign_patterns_are_counted(rows: np.ndarray) -> None:
    assert exact_p(rows) == pytest.approx([enumerated(row) for row in rows])


def test_patterns_are_counted_as_scipy_does_it() -> None:
    row = np.random.default_rng(1).normal(0.2, 0.5, 15)
    found = stats.permutation_test((row, np.zeros(15)), lambda a, b, axis: (a - b).mean(axis=axis),
                                   permutation_type="samples", n_resamples=np.inf, vectorized=True)  # fmt: skip
    assert exact_p(row[np.newaxis])[0] == pytest.approx(found.pvalue)
    assert exact_p(np.ones((1, 24)))[0] == 2.0**-23


@given(differences(), ALPHAS)
def test_with_no_margin_a_verdict_is_mirrored(rows: np.ndarray, alpha: float) -> None:
    one, other = conclude(Paired(rows), 0.0, alpha), conclude(Paired(-rows), 0.0, alpha)
    turned = {"better": "worse", "worse": "better"}
    assert tuple(turned.get(each, each) for each in other.verdicts) == one.verdicts
    np.testing.assert_allclose(one.low, -other.high)
    assert (np.isnan(one.low) == (np.ptp(rows, axis=1) < 1e-12)).all()


@given(differences(), ALPHAS, st.floats(-0.4, 0), st.floats(0, 0.4))
def test_a_larger_margin_is_never_harsher_and_a_smaller_alpha_never_bolder(
    rows: np.ndarray, alpha: float, down: float, up: float
) -> None:
    """Whatever the unjudged documents could do, too."""
    judged, least, most = Paired(rows), Paired(rows + down), Paired(rows + up)

    def verdicts(margin: float, alpha: float) -> tuple[str, ...]:
        return conclude(judged, margin, alpha, least=least, most=most).verdicts

    for of_a_row in zip(*(verdicts(margin, alpha) for margin in (0.0, 0.02, 0.1, 0.3, 0.9)), strict=True):
        assert list(map(harsh, of_a_row)) == sorted(map(harsh, of_a_row))
    for of_a_row in zip(*(verdicts(0.05, each) for each in (0.01, 0.05, 0.1, 0.3)), strict=True):
        bold = [abs(harsh(verdict) - 1) for verdict in of_a_row]
        assert bold == sorted(bold)


@given(differences(), MARGINS, st.floats(-0.4, 0.0), st.floats(0.0, 0.4))
def test_what_survives_is_no_stronger_than_what_was_judged(rows: Any, margin: float, down: float, up: float) -> None:
    judged = conclude(Paired(rows), margin)
    found = conclude(Paired(rows), margin, least=Paired(rows + down), most=Paired(rows + up))
    assert found.on_judged == judged.verdicts
    for verdict, on_judged in zip(found.verdicts, found.on_judged, strict=True):
        assert verdict == on_judged or verdict in UNSETTLED or (verdict in PASSING and on_judged in PASSING)
        assert SEVERITY.index(verdict) <= SEVERITY.index(on_judged)
    if down == up == 0:
        assert found.verdicts == judged.verdicts


@given(differences(most=40), ALPHAS)
def test_better_and_worse_are_what_the_corrected_p_says(rows: np.ndarray, alpha: float) -> None:
    """From scipy's t, all sign patterns below 25 units, and statsmodels' Holm."""
    found = conclude(Paired(rows), 0.0, alpha)
    spread = np.ptp(rows, axis=1) > 1e-12
    by_t = [
        stats.ttest_1samp(row, 0).pvalue if s else float(not row.any()) for row, s in zip(rows, spread, strict=True)
    ]
    p = np.array(by_t) if rows.shape[1] >= 25 else np.maximum(by_t, exact_p(rows))
    significant = multipletests(p, alpha, method="holm")[0]
    said = [
        "undecided" if not s else "better" if row.mean() > 0 else "worse"
        for s, row in zip(significant, rows, strict=True)
    ]
    assert list(found.verdicts) == said


@pytest.mark.parametrize(("topics", "verdict"), [(2, "undecided"), (5, "undecided"), (6, "better"), (30, "better")])
def test_differences_that_do_not_spread_are_no_evidence_of_it(topics: int, verdict: str) -> None:
    """RR 1 against .5 on every topic: six topics are the fewest of which 2 · 2⁻⁶ is below .05."""
    found = conclude(Paired(np.full((1, topics), 0.5)))
    assert found.verdicts == (verdict,)
    assert np.isnan(found.low).all()
    assert found.obstacles == (("too few units",) if topics < 6 else ("",))
    assert found.needed == fewest_units(0.05) == 6
    assert fewest_units(0.05 / 10) == 9  # 2 · 2⁻⁹ is .0039, 2 · 2⁻⁸ .0078


def test_equivalence_is_said_besides_better() -> None:
    """Differences .012 ± .0097 on 40 units: above 0, and inside ± .03."""
    rows = np.tile([-0.03, 0.03], (1, 20)) + 0.012
    found = conclude(Paired(rows), 0.03)
    assert (found.verdicts, found.within.tolist()) == (("better",), [True])
    assert conclude(Paired(rows), 0.02).within.tolist() == [False]
    assert conclude(Paired(rows - 0.012), 0.03).verdicts == ("equivalent",)


def test_the_rule_of_the_rulings() -> None:
    """+.040 [−.011, .091]: undecided with margin .01, not worse with .02, never better."""
    half, t = 0.051, stats.t.ppf(0.975, 39)
    spread = half / t * np.sqrt(40)
    around = np.tile([-1.0, 1.0], (1, 20)) * spread * np.sqrt(39 / 40)
    rows = around + 0.040
    found = {margin: conclude(Paired(rows), margin) for margin in (0.0, 0.01, 0.02, 0.1)}
    assert (found[0.0].low[0], found[0.0].high[0]) == pytest.approx((-0.011, 0.091))
    assert [each.verdicts[0] for each in found.values()] == ["undecided", "undecided", "not worse", "equivalent"]
    assert conclude(Paired(rows), 0.01, least=Paired(rows - 1), most=Paired(rows + 1)).verdicts == ("undecided",)


def test_groups_of_other_sizes_are_one_family() -> None:
    rng = np.random.default_rng(3)
    parts = [rng.normal(0.1, 0.2, (2, 30)), rng.normal(0.0, 0.2, (2, 40))]
    found = conclude(Together([Paired(each) for each in parts]), 0.05)
    p = [stats.ttest_1samp(row, 0).pvalue for part in parts for row in part]
    assert found.p_adjusted == pytest.approx(multipletests(p, method="holm")[1])


@pytest.mark.parametrize("method", ["none", "bonferroni", "holm", "bh", "by"])
def test_the_level_that_is_left_is_that_of_the_correction(method: Any) -> None:
    rng = np.random.default_rng(5)
    for many in (1, 2, 5, 20):
        p = rng.random(many) ** 3
        assert (p <= level_left(p, method, 0.05)).tolist() == (adjust(p, method) <= 0.05).tolist()


def test_who_is_told_from_whom() -> None:
    values = np.random.default_rng(2).normal(0, 0.1, (4, 30)) + np.array([0.3, 0.29, 0.1, 0.0])[:, np.newaxis]
    found = tell_apart(values)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    p = multipletests([stats.ttest_rel(values[a], values[b]).pvalue for a, b in pairs], method="holm")[1]
    for (a, b), each in zip(pairs, p, strict=True):
        assert found.above[a, b] == (each <= 0.05)
        assert not found.above[b, a]
    assert found.may_lead.tolist() == [True, True, False, False]


def test_weights_of_one_are_none_and_of_nothing_leave_out() -> None:
    rows = np.random.default_rng(4).normal(0.1, 0.2, (2, 12))
    assert Paired(rows, np.ones(12)).p() == pytest.approx(Paired(rows).p())
    half = np.repeat([1.0, 0.0], 6)
    assert Paired(rows, half).units == [6, 6]
    assert Paired(rows, half).p() == pytest.approx(Paired(rows[:, :6]).p())


def test_the_harshest_of_all_and_its_status() -> None:
    assert worst_of(SEVERITY) == "worse"
    assert [status_of(each) for each in SEVERITY] == [1, 1, 4, 4, 4, 4, 3, 0, 0, 0]


def test_margins_that_let_all_through_are_refused() -> None:
    with pytest.raises(InputError, match="a margin of 5 lets every run through by AP and RR: values lie between"):
        check_margin(5, ["AP", "RR"])
    with pytest.raises(InputError, match="a margin of 150% of the base's mean lets every run through by AP"):
        check_margin(1.5, ["AP"], relative=True)
    check_margin(5, [])
    check_margin(1, ["AP"], relative=True)


@pytest.mark.integration
@pytest.mark.parametrize("seed", range(2))
def test_mirrored_and_monotone_on_made_differences(seed: int) -> None:
    """1,000 tables: of few and many units, coarse and fine, shifted, constant among them."""
    random = np.random.default_rng(seed)
    for _ in range(500):
        rows, units = int(random.integers(1, 4)), int(random.choice([2, 5, 6, 7, 9, 12, 24, 25, 40]))
        values = random.choice([-1.0, -0.5, -0.1, 0.0, 0.0, 0.1, 0.5, 1.0], (rows, units)) * random.choice([0, 0.1, 1])
        values = (
            values + random.choice([0.0, 0.05, 0.2]) + random.choice([0.0, 0.01]) * random.normal(size=(rows, units))
        )
        alpha, down, up = random.choice([0.01, 0.05, 0.1]), -0.4 * random.random(), 0.4 * random.random()
        one, other = conclude(Paired(values), 0.0, alpha), conclude(Paired(-values), 0.0, alpha)
        turned = {"better": "worse", "worse": "better"}
        assert tuple(turned.get(each, each) for each in other.verdicts) == one.verdicts
        least, most = Paired(values + down), Paired(values + up)
        by_margin = [conclude(Paired(values), margin, alpha, least=least, most=most).verdicts
                     for margin in (0.0, 0.02, 0.1, 0.3, 0.9)]  # fmt: skip
        by_alpha = [conclude(Paired(values), 0.05, each, least=least, most=most).verdicts for each in (0.01, 0.05, 0.2)]
        for at in range(rows):
            harshness = [harsh(verdicts[at]) for verdicts in by_margin]
            assert harshness == sorted(harshness)
            boldness = [abs(harsh(verdicts[at]) - 1) for verdicts in by_alpha]
            assert boldness == sorted(boldness)
