"""Analysis of variance: by hand, by loops from the definition, by statsmodels, and under a simulated null."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, f, ttest_rel

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.anova import anova

# System means 2 and 4, topic means 1, 3, 5, grand mean 3.
SMALL = np.array([[0.0, 3.0, 3.0], [2.0, 3.0, 7.0]])


def scores(systems: int = 5, topics: int = 12, seed: int = 7, spread: float = 0.3) -> Floats:
    rng = np.random.default_rng(seed)
    better = spread * np.arange(systems)[:, None]
    return np.asarray(rng.normal(size=(systems, topics)) + 2 * rng.normal(size=topics) + better)


BLOCKS = st.tuples(st.integers(2, 5), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 8).map(lambda n: n / 8))
)


def test_sums_of_squares_by_hand() -> None:
    found = anova(SMALL)
    assert found.ss_systems == 3 * ((2 - 3) ** 2 + (4 - 3) ** 2)
    assert found.ss_topics == 2 * ((1 - 3) ** 2 + (3 - 3) ** 2 + (5 - 3) ** 2)
    assert found.ss_residual == (0**2 + 1**2 + 1**2) + (0**2 + 1**2 + 1**2)
    assert found.mean_square_error == 4 / 2
    assert found.f == (6 / 1) / (4 / 2)


@given(BLOCKS)
def test_twin_of_loops(values: Floats) -> None:
    systems, topics = values.shape
    cells = [(s, t) for s in range(systems) for t in range(topics)]
    grand = sum(values[s, t] for s, t in cells) / len(cells)
    of_system = [sum(values[s, t] for t in range(topics)) / topics for s in range(systems)]
    of_topic = [sum(values[s, t] for s in range(systems)) / systems for t in range(topics)]
    found = anova(values)
    assert found.ss_systems == pytest.approx(sum((of_system[s] - grand) ** 2 for s, t in cells), abs=1e-12)
    assert found.ss_topics == pytest.approx(sum((of_topic[t] - grand) ** 2 for s, t in cells), abs=1e-12)
    residual = sum((values[s, t] - of_system[s] - of_topic[t] + grand) ** 2 for s, t in cells)
    assert found.ss_residual == pytest.approx(residual, abs=1e-12)
    assert 0 <= found.p <= 1
    assert 0 <= found.p_greenhouse_geisser <= 1
    assert 1 / (systems - 1) - 1e-9 <= found.greenhouse_geisser <= 1 + 1e-9


def box_epsilon(values: Floats) -> float:
    """Box's formula in terms of the covariances themselves, as Greenhouse and Geisser print it."""
    k = len(values)
    s = np.cov(values)
    diagonal = sum(s[i, i] for i in range(k)) / k
    grand = sum(s[i, j] for i in range(k) for j in range(k)) / k**2
    rows = [sum(s[i, j] for j in range(k)) / k for i in range(k)]
    squares = sum(s[i, j] ** 2 for i in range(k) for j in range(k))
    below = (k - 1) * (squares - 2 * k * sum(row**2 for row in rows) + k**2 * grand**2)
    return float(k**2 * (diagonal - grand) ** 2 / below)


@pytest.mark.parametrize(("systems", "topics"), [(2, 5), (4, 9), (9, 4), (6, 6)])
def test_epsilon_is_that_of_the_covariances(systems: int, topics: int) -> None:
    values = scores(systems, topics) * np.linspace(1, 3, systems)[:, None]
    found = anova(values)
    assert found.greenhouse_geisser == pytest.approx(box_epsilon(values), rel=1e-12)
    assert found.greenhouse_geisser <= min(1, (topics - 1) / (systems - 1)) + 1e-12


def test_epsilon_of_two_systems_is_1_and_of_one_wild_topic_the_least() -> None:
    assert anova(scores(2, 8)).greenhouse_geisser == pytest.approx(1)
    wild = np.zeros((4, 6))
    wild[:, 0] = [1, 2, 3, 9]
    assert anova(wild).greenhouse_geisser == pytest.approx(1 / 3)


def test_epsilon_lessens_both_degrees_of_freedom() -> None:
    found = anova(scores(4, 9))
    epsilon = found.greenhouse_geisser
    assert found.p_greenhouse_geisser == pytest.approx(f.sf(found.f, epsilon * 3, epsilon * 3 * 8))


def test_both_epsilons_of_a_worked_example() -> None:
    """Fitness of six people before, after three and after six months of exercise: SPSS has 0.638 and 0.760."""
    before, later, last = [45, 42, 36, 39, 51, 44], [50, 42, 41, 35, 55, 49], [55, 45, 43, 40, 59, 56]
    values = np.array([before, later, last], dtype=float)
    found = anova(values)
    assert found.f == pytest.approx(12.534, abs=5e-4)
    centred = np.eye(3) - 1 / 3
    s = centred @ np.cov(values) @ centred
    epsilon = np.trace(s) ** 2 / (2 * np.square(s).sum())
    assert found.greenhouse_geisser == pytest.approx(epsilon)
    assert found.greenhouse_geisser == pytest.approx(0.638, abs=5e-4)
    assert found.huynh_feldt == pytest.approx((6 * 2 * epsilon - 2) / (2 * (5 - 2 * epsilon)))
    assert found.huynh_feldt == pytest.approx(0.760, abs=5e-4)
    assert found.p < found.p_huynh_feldt < found.p_greenhouse_geisser


@given(st.integers(2, 8), st.integers(2, 12), st.integers(0, 1000))
def test_huynh_and_feldts_is_never_below_the_other(systems: int, topics: int, seed: int) -> None:
    found = anova(np.random.default_rng(seed).normal(size=(systems, topics)))
    assert found.greenhouse_geisser - 1e-12 <= found.huynh_feldt <= 1


def test_statsmodels_agrees() -> None:
    from statsmodels.formula.api import ols  # type: ignore[import-untyped,unused-ignore]
    from statsmodels.stats.anova import AnovaRM, anova_lm  # type: ignore[import-untyped,unused-ignore]

    values = scores(4, 9)
    system, topic = np.indices(values.shape)
    frame = pl.DataFrame({"s": system.ravel(), "t": topic.ravel(), "x": values.ravel()}).to_pandas()
    found = anova(values)
    repeated = AnovaRM(frame, "x", "t", within=["s"]).fit().anova_table
    assert [found.f, found.p] == pytest.approx([repeated["F Value"].iloc[0], repeated["Pr > F"].iloc[0]], rel=1e-9)
    table = anova_lm(ols("x ~ C(s) + C(t)", frame).fit())
    squares = [found.ss_systems, found.ss_topics, found.ss_residual]
    assert squares == pytest.approx(table["sum_sq"].to_list(), rel=1e-9)
    assert [found.df_systems, found.df_topics, found.df_residual] == table["df"].to_list()
    assert found.mean_square_error == pytest.approx(table["mean_sq"].iloc[2], rel=1e-9)
    assert [found.f, found.p] == pytest.approx([table["F"].iloc[0], table["PR(>F)"].iloc[0]], rel=1e-9)


def test_two_systems_are_the_paired_t_test() -> None:
    values = scores(2, 10)
    expected = ttest_rel(values[0], values[1])
    assert anova(values).f == pytest.approx(expected.statistic**2)
    assert anova(values).p == pytest.approx(expected.pvalue)


@given(BLOCKS, st.integers(0, 1000))
def test_order_of_systems_and_topics_and_ease_of_topics_do_not_matter(values: Floats, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shuffled: Floats = rng.permutation(rng.permutation(values, axis=0), axis=1) + rng.integers(0, 4, values.shape[1])
    assert anova(shuffled).p == pytest.approx(anova(values).p, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3])
def test_without_any_difference(constant: float) -> None:
    topics_differ = np.full((3, 7), constant) + np.linspace(0, 1, 7)
    for values in (np.full((3, 7), constant), topics_differ):
        found = anova(values)
        assert (found.f, found.p, found.p_greenhouse_geisser) == (0, 1, 1)


def test_the_same_difference_on_every_topic_leaves_no_error() -> None:
    found = anova(np.linspace(0, 1, 7) + np.array([[0.1], [0.4]]))
    assert (found.ss_residual, found.f, found.p) == (0, np.inf, 0)


def test_level_and_power() -> None:
    rng = np.random.default_rng(11)
    null = rng.normal(size=(2000, 5, 10)) + 2 * rng.normal(size=(2000, 1, 10))
    planted = null + np.array([1.0, 0, 0, 0, 0])[:, None]
    low, high = binom.interval(0.999, 2000, 0.05)
    assert low <= sum(anova(values).p < 0.05 for values in null) <= high
    assert sum(anova(values).p_greenhouse_geisser < 0.05 for values in null) <= high
    assert sum(anova(values).p < 0.05 for values in planted) > 0.5 * 2000


def test_topics_explain_most_of_real_scores(data: Path) -> None:
    values = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz").to_numpy().T
    found = anova(values)
    assert values.shape == (129, 50)
    total = np.square(values - values.mean()).sum()
    assert found.ss_systems + found.ss_topics + found.ss_residual == pytest.approx(total)
    assert found.ss_topics > found.ss_systems > 0
    assert found.p < found.p_greenhouse_geisser < 1e-20
