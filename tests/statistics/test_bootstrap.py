"""Resampled topics, and Sakai's discriminative power against the algorithm step by step."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import discriminate, resample_counts, resampled_topics
from cranfield.statistics.paired_tests import paired_test
from cranfield.statistics.sign_flips import sign_flips


def sample(hypotheses: int, topics: int) -> Floats:
    return np.random.default_rng(1).normal(0.1, 0.3, (hypotheses, topics))


def test_counts_are_those_of_the_draws() -> None:
    drawn, counts = resampled_topics(6, 40, 9), resample_counts(6, 40, 9)
    assert counts.tolist() == [[(row == topic).sum() for topic in range(6)] for row in drawn]
    assert not np.array_equal(counts, resample_counts(6, 40, 10))


def test_topics_are_drawn_alike() -> None:
    counts = resample_counts(10, 5000, 7).sum(axis=0)
    assert stats.chisquare(counts).pvalue > 0.001


def sakai(row: Floats, counts: Floats, alpha: float) -> tuple[float, float]:
    """Return ASL and the difference that stands at place α·B, as the paper goes about it."""
    centred, seen = row - row.mean(), abs(stats.ttest_1samp(row, 0).statistic)
    found = []
    for drawn in counts.astype(int):
        values = np.repeat(centred, drawn)
        found.append((abs(values.mean() / (values.std(ddof=1) / math.sqrt(len(row)))), abs(values.mean())))
    found.sort(reverse=True)
    return sum(t >= seen for t, _ in found) / len(found), found[round(alpha * len(found)) - 1][1]


def test_discriminate_is_sakais_algorithm() -> None:
    rows, alphas = sample(12, 15), (0.05, 0.01, 0.1)
    levels, deltas = discriminate(rows, resamples=300, seed=5, alphas=alphas)
    counts = resample_counts(15, 300, 5)
    assert deltas.shape == (12, 3)
    for i, row in enumerate(rows):
        for j, alpha in enumerate(alphas):
            asl, delta = sakai(row, counts, alpha)
            assert levels[i] == asl
            assert deltas[i, j] == pytest.approx(delta, rel=1e-12)


def test_asl_is_the_p_of_the_paired_test(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sample(40, 25)
    levels, deltas = discriminate(rows)
    assert np.array_equal(levels, paired_test(rows, "bootstrap", resamples=1000).p)
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 7000)
    apart = discriminate(rows)
    assert np.array_equal(levels, apart[0])
    np.testing.assert_allclose(deltas, apart[1])


def test_a_difference_of_that_size_is_about_significant() -> None:
    # For normal differences the |mean*| at place α·B is near t s / √n, the margin of the t-test.
    rows = np.random.default_rng(4).normal(0, 1, (300, 40))
    margins = stats.t.isf(0.025, 39) * rows.std(axis=1, ddof=1) / math.sqrt(40)
    assert np.median(discriminate(rows)[1][:, 0] / margins) == pytest.approx(1, abs=0.05)


def test_rows_without_differences() -> None:
    levels, deltas = discriminate([[0.0] * 6, [0.1] * 6])
    assert levels.tolist() == [1, 0]
    assert deltas.tolist() == [[0], [0]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"alphas": (0.0001,)}, "alpha 0.0001 needs at least 10000 resamples, not 1000"),
        ({"alphas": (1.5,)}, "alpha must be above 0 and below 1, not 1.5"),
        ({"resamples": 0}, "resamples must be at least 1"),
    ],
)
def test_what_cannot_be_asked(options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        discriminate(sample(2, 5), **options)


def test_what_is_drawn_is_asked_about_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 bytes for each topic of each resample, and no less than it takes: 100,000 of 200 topics are 480 MB."""
    tracemalloc.start()
    for draw in (resample_counts, sign_flips):
        tracemalloc.reset_peak()
        draw(200, 5_000, 7)
        assert 16 * 200 * 5_000 < tracemalloc.get_traced_memory()[1] < 25 * 200 * 5_000
    tracemalloc.stop()
    monkeypatch.setenv("CRANFIELD_MEMORY", "300M")
    for test in ("bootstrap", "randomisation"):
        with pytest.raises(InputError, match=r"100,000 resamples would take .* try fewer of them"):
            paired_test(np.ones((1, 200)), test, resamples=100_000)
    assert paired_test(np.ones((1, 2)), "randomisation", resamples=100_000).exact
