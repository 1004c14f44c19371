"""What belongs together is drawn together."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS, WLS  # type: ignore[import-untyped,unused-ignore]
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped,unused-ignore]

import cranfield as cf
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts, studentised
from cranfield.statistics.clusters import (
    Units,
    by_unit,
    cluster_codes,
    cluster_interval,
    clustered_effect,
    jackknife_interval,
)
from cranfield.statistics.conclusions import Paired, confirmed
from cranfield.statistics.differences import pairs
from cranfield.statistics.effect_size import standardised_difference
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.paired_tests import paired_test
from cranfield.statistics.rank_intervals import rank_intervals
from cranfield.statistics.weighted_means import weighted_means, weighted_randomisation_test


def p_of_pairs(levels: Floats, weights: Floats | None = None, clusters: Integers | None = None) -> Floats:
    first, second = pairs(len(levels))
    return Paired(*by_unit(levels[first] - levels[second], weights, clusters)).p()


def ratio_of_sums(over: Floats, under: Floats, drawn: Floats) -> float:
    return float(drawn @ over / (drawn @ under))


def test_of_a_mean_it_is_the_normal_interval() -> None:
    values = np.random.default_rng(1).normal(size=40)
    low, high = cluster_interval(lambda drawn: drawn @ values / drawn.sum(), 40, resamples=4000)
    margin = 1.96 * values.std() / np.sqrt(40)
    assert [low, high] == pytest.approx([values.mean() - margin, values.mean() + margin], abs=0.05 * margin)


def test_the_bias_of_drawing_is_taken_out_and_the_statistic_is_within() -> None:
    """The square of a mean grows by drawing, by as much as it did when the sample was drawn: twice is once too much."""
    values = np.random.default_rng(2).normal(size=30)
    drawn = []

    def square(weights: Floats) -> float:
        drawn.append(float((weights @ values / weights.sum()) ** 2))
        return drawn[-1]

    low, high = cluster_interval(square, 30, resamples=500)
    seen, others = drawn[0], np.array(drawn[1:])
    middle, margin = 2 * seen - others.mean(), 1.959964 * others.std()
    assert (low, high) == pytest.approx((min(seen, middle - margin), max(seen, middle + margin)))
    # Of a count that drawing always lessens, the middle is far above: the ends are moved to what was seen.
    low, high = cluster_interval(lambda weights: float((weights > 0).sum()), 30)
    assert low == 30 < high


def test_it_covers_the_truth_where_observations_of_a_cluster_are_alike() -> None:
    """50 clusters of 1 to 20 observations that share most of their value: 500 observations drawn alone would not do."""
    random = np.random.default_rng(3)
    covered, naive = 0, 0
    for _ in range(200):
        size = random.integers(1, 21, 50).astype(float)
        mean = random.normal(size=50) + random.normal(size=50) * 0.1
        total = size * mean
        low, high = cluster_interval(partial(ratio_of_sums, total, size), 50, resamples=300)
        covered += int(low <= 0 <= high)
        observations = np.repeat(mean, size.astype(int))
        margin = 1.96 * observations.std() / np.sqrt(len(observations))
        naive += int(abs(observations.mean()) <= margin)
    assert covered >= 178  # 95% of 200, less three standard deviations and what 50 clusters cost
    assert naive < 120


@pytest.mark.parametrize(("clusters", "asked"), [(1, {}), (5, {"resamples": 0}), (5, {"level": 1.0})])
def test_what_cannot_be(clusters: int, asked: dict[str, float]) -> None:
    with pytest.raises(cf.InputError):
        cluster_interval(np.sum, clusters, **asked)  # type: ignore[arg-type]


def test_the_jackknife_of_a_mean_is_the_t_interval() -> None:
    values = np.random.default_rng(6).random(12)
    low, high = jackknife_interval(lambda drawn: drawn @ values / drawn.sum(), 12, level=0.9)
    wanted = t_interval(values[np.newaxis], 0.9)
    assert [float(low), float(high)] == pytest.approx([each.item() for each in wanted])
    with pytest.raises(InputError, match="2 clusters at least, not 1"):
        jackknife_interval(lambda drawn: drawn.sum(), 1)


def test_the_jackknife_of_a_ratio_leaves_out_clusters_whole() -> None:
    total, size = np.array([3.0, 1.0, 8.0]), np.array([4.0, 5.0, 9.0])
    without = np.array([9 / 14, 11 / 13, 4 / 9])
    spread = (2 / 3 * ((without - without.mean()) ** 2).sum()) ** 0.5
    low, high = jackknife_interval(lambda drawn: drawn @ total / (drawn @ size), 3)
    assert (high - low) / 2 == pytest.approx(4.302652729911275 * spread)
    assert (high + low) / 2 == pytest.approx(12 / 18)


CODES = np.repeat(np.arange(7), [1, 2, 2, 3, 5, 1, 4])
VALUES = np.random.default_rng(4).normal(size=(3, len(CODES))) + np.random.default_rng(5).normal(size=(3, 7))[:, CODES]


def cr2_by_matrices(values: Floats, code: Integers) -> tuple[float, float]:
    """The slow twin: CR2 of a regression on a constant, and Bell and McCaffrey's degrees of freedom of its t.

    With X = 1, H = X(X'X)⁻¹X', A_g = (I - H_gg)^(-1/2), v = (X'X)⁻² Σ (X_g' A_g e_g)²; the freedom is (Σλ)²/Σλ², λ the
    eigenvalues of G'G with the columns (I - H)_g' A_g X_g (X'X)⁻¹ of G.
    """
    n = len(values)
    hat, residuals = np.full((n, n), 1 / n), values - values.mean()
    variance, columns = 0.0, []
    for cluster in np.unique(code):
        here = np.flatnonzero(code == cluster)
        roots, vectors = np.linalg.eigh(np.eye(len(here)) - hat[np.ix_(here, here)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T @ np.ones(len(here))
        variance += float(adjusted @ residuals[here]) ** 2 / n**2
        columns.append((np.eye(n) - hat)[here].T @ adjusted / n)
    eigenvalues = np.linalg.eigvalsh(np.transpose(columns).T @ np.transpose(columns))
    return variance, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_the_error_of_a_mean_of_clusters_is_cr2_with_bell_and_mccaffreys_freedom() -> None:
    rows, weights, variances = by_unit(VALUES, clusters=CODES)
    assert weights is not None
    found = weighted_means(rows, weights, variances)
    for values, mean, error in zip(VALUES, found.mean, found.error, strict=True):
        variance, freedom = cr2_by_matrices(values, CODES)
        assert (mean, error**2, found.freedom) == pytest.approx((values.mean(), variance, freedom), rel=1e-10)


def error_of(units: Units) -> Floats:
    assert units.weights is not None
    return weighted_means(units.rows, units.weights, units.variances).error


def test_weighted_topics_in_clusters_have_the_error_that_is_right_on_average() -> None:
    """Without its denominators it is that of statsmodels; the slow twin knows quadratic forms of independent topics."""
    weights = np.random.default_rng(6).integers(1, 6, len(CODES)).astype(float)
    rows, total, variances = by_unit(VALUES, weights, CODES)
    assert total is not None
    found = weighted_means(rows, total, variances)
    share = weights / weights.sum()
    inside = (CODES[:, np.newaxis] == np.unique(CODES)) * share[:, np.newaxis]  # topics by clusters
    residuals = inside.T @ (np.eye(len(CODES)) - np.outer(np.ones(len(CODES)), share))
    scale = (inside**2).sum(axis=0) / (residuals**2).sum(axis=1)
    for values, mean, error in zip(VALUES, found.mean, found.error, strict=True):
        plain = WLS(values, np.ones(len(CODES)), weights=weights).fit(
            cov_type="cluster", cov_kwds={"groups": CODES, "use_correction": False}
        )
        assert mean == pytest.approx(plain.params[0])
        assert ((residuals @ values) ** 2).sum() == pytest.approx(plain.bse[0] ** 2)
        assert error**2 == pytest.approx(((residuals @ values) ** 2 * scale).sum())
    form = (residuals.T * scale) @ residuals
    assert np.trace(form) == pytest.approx((share**2).sum())  # the variance of the mean, were topics independent
    assert found.freedom == pytest.approx(np.trace(form) ** 2 / np.trace(form @ form))
    alone = by_unit(VALUES, weights, np.arange(len(CODES)))
    assert alone.variances is not None and alone.variances.tolist() == pytest.approx([1.0] * len(CODES))
    nothing = by_unit(VALUES, np.where(CODES == 2, 0.0, weights), CODES)
    gone = CODES != 2
    of_others = by_unit(VALUES[:, gone], weights[gone], CODES[gone])
    assert error_of(nothing) == pytest.approx(error_of(of_others))
    flat = by_unit(VALUES, np.full(len(CODES), 3.0), CODES)
    assert error_of(flat) == pytest.approx(error_of(by_unit(VALUES, clusters=CODES)))


def test_of_clusters_of_one_size_the_error_is_that_of_statsmodels() -> None:
    code = np.repeat(np.arange(5), 4)
    values = VALUES[0].repeat(2)[:20]
    theirs = OLS(values, np.ones(20)).fit(cov_type="cluster", cov_kwds={"groups": code}, use_t=True)
    units = by_unit(values[np.newaxis], clusters=code)
    found = paired_test(units.rows)
    assert found.statistic[0] == pytest.approx(theirs.tvalues[0])
    assert found.p[0] == pytest.approx(theirs.pvalues[0])  # of 4 degrees of freedom


def test_a_sign_test_of_right_and_wrong_answers_is_mcnemars() -> None:
    one, other = np.random.default_rng(6).integers(0, 2, (2, 60))
    theirs = mcnemar([[(one & other).sum(), (one > other).sum()], [(one < other).sum(), 0]], exact=True)
    discordant = int((one != other).sum())
    ours = paired_test([one - other], "sign").p[0]
    assert ours == pytest.approx(theirs.pvalue)
    assert ours == pytest.approx(stats.binomtest(int((one > other).sum()), discordant).pvalue)


def test_whole_clusters_are_flipped_all_patterns_by_hand() -> None:
    """2^7 patterns of 18 topics: the share whose mean is as far from 0."""
    units = by_unit(VALUES, clusters=CODES)
    assert units.weights is not None
    found = weighted_randomisation_test(units.rows, units.weights, "two-sided", 1000, 7)
    assert found.exact
    for values, p in zip(VALUES, found.p, strict=True):
        means = [abs(float(np.mean(np.array(signs)[CODES] * values))) for signs in product([1, -1], repeat=7)]
        assert p == np.mean([mean >= means[0] - 1e-12 for mean in means])
    assert found.p == pytest.approx(confirmed(np.zeros(3), units.rows, units.weights))


def test_clusters_of_one_topic_are_the_topics_to_the_bit() -> None:
    alone = np.random.default_rng(7).permutation(VALUES.shape[1])
    levels = np.vstack([VALUES, VALUES[0] + 1])
    assert (by_unit(VALUES, clusters=alone).rows == VALUES).all()
    assert by_unit(VALUES, clusters=alone)[1:] == (None, None)
    assert (p_of_pairs(levels, clusters=alone) == p_of_pairs(levels)).all()
    ours, theirs = (rank_intervals(levels, clusters=codes, resamples=199) for codes in (alone, None))
    assert (ours.p == theirs.p).all()
    assert clustered_effect(VALUES, alone) == pytest.approx(standardised_difference(VALUES), rel=1e-12)


def test_copies_of_topics_in_one_cluster_add_nothing() -> None:
    levels = np.vstack([VALUES, VALUES[0] + 1])
    code, twice = np.tile(np.arange(levels.shape[1]), 2), np.tile(levels, 2)
    assert p_of_pairs(twice, clusters=code) == pytest.approx(p_of_pairs(levels), rel=1e-9)
    found, once = (rank_intervals(*each, resamples=199) for each in ((twice,), (levels,)))  # as if independent
    assert (found.p <= once.p).all()
    together = rank_intervals(twice, clusters=code, resamples=199)
    assert together.p == pytest.approx(once.p)


def test_t_of_a_draw_of_clusters_is_that_of_its_topics() -> None:
    """Each draw by hand: the clusters' topics laid out, their mean, and the error of a ratio, linearised."""
    units, counts = by_unit(VALUES, clusters=CODES), resample_counts(7, 20, seed=3)
    [(_, found, _)] = studentised(units.rows, counts, units.weights)
    for row, drawn in zip(VALUES - VALUES.mean(axis=1, keepdims=True), found, strict=True):
        for count, t in zip(counts.astype(int), drawn, strict=True):
            parts = [row[cluster == CODES] for cluster in np.repeat(np.arange(7), count)]
            mean, many = np.concatenate(parts).mean(), sum(map(len, parts))
            squares = sum(float((part - mean).sum()) ** 2 for part in parts)
            assert t == pytest.approx(mean / np.sqrt(7 / 6 * squares / many**2))


def test_equal_systems_of_alike_topics_are_seldom_told_apart() -> None:
    """25 clusters of 4 with ICC .3, and 25 of 8 with .6: topics one by one find .16 and .39 of nothing."""
    random = np.random.default_rng(8)
    for size, alike, one_by_one in ((4, 0.3, 0.12), (8, 0.6, 0.3)):
        code = np.repeat(np.arange(25), size)
        shared = random.normal(size=(2000, 25))[:, code]
        rows = alike**0.5 * shared + (1 - alike) ** 0.5 * random.normal(size=shared.shape)
        assert (paired_test(rows).p <= 0.05).mean() > one_by_one
        assert (Paired(*by_unit(rows, clusters=code)).p() <= 0.05).mean() <= 0.06


def test_what_is_no_clustering_is_refused() -> None:
    levels = np.vstack([VALUES[0], VALUES[0] + 1])
    with pytest.raises(InputError, match="all 18 topics are in one cluster; at least two clusters are needed"):
        rank_intervals(levels, clusters=np.zeros(18))
    with pytest.raises(InputError, match=r"^1 topic is in one cluster"):
        cluster_codes(["a"], 1)
    with pytest.raises(InputError, match=r"one entry for each of 18 topics, not the shape \(17,\)"):
        rank_intervals(levels, clusters=CODES[1:])
    weighted, plain = (p_of_pairs(levels, weights=of, clusters=CODES) for of in (np.ones(18), None))
    assert weighted == pytest.approx(plain)


def test_systems_that_are_equal_or_differ_by_a_constant() -> None:
    levels = np.vstack([VALUES[0], VALUES[0], VALUES[0] + 0.25])
    p = p_of_pairs(levels, clusters=CODES)
    assert p[0] == 1
    assert p[1] == 2 / 2**7  # all sign flips of 7 clusters
    assert np.isnan(Paired(*by_unit(levels[2:] - levels[:1], clusters=CODES)).interval(0.95)).all()
    ranks = rank_intervals(levels, clusters=CODES, resamples=199)
    assert ranks.best.tolist() == [1, 1, 1]
    assert "2 of 3 pairs of runs differ on too few clusters, or by a constant on too few" in str(ranks.doubt)
