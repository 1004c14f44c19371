"""What more topics would show: futures drawn one by one, promises that come true, and power, which does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tools.each import each_of

from cranfield.plumbing.errors import InputError
from cranfield.statistics.assurance import MORE_TOPICS, assurance, enough_topics, foresee
from cranfield.statistics.power import topics_needed

SEEN = np.array([0.1, 0.3, -0.2, 0.2, 0.0, -0.1, 0.2, 0.3, -0.3, 0.4])


def futures(seen: np.ndarray, more: int, many: int = 4000) -> np.ndarray:
    """Draw what is true from what is left open, and so many topics of it: all topics, by future."""
    n, chance = len(seen), np.random.default_rng(8)
    spread = np.sqrt((n - 1) * seen.var(ddof=1) / chance.chisquare(n - 1, (many, 1)))
    true = seen.mean() + spread / np.sqrt(n) * chance.standard_normal((many, 1))
    return np.hstack([np.tile(seen, (many, 1)), true + spread * chance.standard_normal((many, more))])


@each_of("more", [1, 2, 25, 300])
@each_of("margin", [0.0, 0.05])
def test_futures_are_those_of_topics_drawn_one_by_one(more: int, margin: float) -> None:
    topics, alpha = futures(SEEN, more), 0.0125
    ahead = stats.ttest_1samp(topics, -margin, axis=1, alternative="greater").pvalue <= alpha
    behind = stats.ttest_1samp(topics, -margin, axis=1, alternative="less").pvalue <= alpha
    found = assurance(SEEN, more, alpha, margin=margin)
    assert found.topics == more
    assert (found.decided, found.ahead) == pytest.approx(((ahead | behind).mean(), ahead.mean()), abs=0.035)
    then = foresee(SEEN, more)
    assert then.mean.mean() == pytest.approx(topics.mean(), abs=0.01)
    assert np.median(then.error) == pytest.approx(np.median(topics.std(axis=1, ddof=1)) / np.sqrt(10 + more), rel=0.05)


def test_the_first_number_that_is_enough_or_the_last() -> None:
    found = enough_topics(SEEN, 0.6, 0.0125)
    smaller = MORE_TOPICS[MORE_TOPICS.index(found.topics) - 1]
    assert assurance(SEEN, smaller, 0.0125).decided < 0.6 <= found.decided
    balanced = np.array([0.1, -0.1] * 6)
    assert enough_topics(balanced, 0.99, 0.0125).topics == MORE_TOPICS[-1]
    seen = enough_topics(balanced, 0.8, 0.0125)
    assert seen.ahead == pytest.approx(seen.decided / 2, abs=0.03)  # equal means: either way alike
    assert enough_topics(np.full(5, 0.1), 0.8, 0.0125) == (MORE_TOPICS[0], 1.0, 1.0)


@pytest.mark.integration
def test_promises_come_true_and_power_at_what_was_seen_does_not() -> None:
    """Pairs that 25 topics leave undecided: t-tests of all topics later, at half the level.

    True differences are .36 of their spread in the median, as they are of the runs of tracks (.27 to
    .54 in five tables of scores). Power at what was seen promises 80%.
    """
    random = np.random.default_rng(5)
    promised: list[tuple[float, float]] = []
    kept: list[tuple[bool, bool]] = []
    by_power: list[bool] = []
    while len(kept) < 200:
        true = random.normal(0.0, 0.08)
        topics = true + 0.15 * random.standard_normal(25 + 4000)
        seen = topics[:25]
        if stats.ttest_1samp(seen, 0).pvalue <= 0.05:
            continue
        found = enough_topics(seen, 0.6, 0.0125)
        then = stats.ttest_1samp(topics[: 25 + found.topics], 0)
        promised.append((found.decided, found.ahead))
        ahead = np.sign(then.statistic) > 0
        kept.append((then.pvalue <= 0.025, then.pvalue <= 0.025 and ahead))
        needed = int(topics_needed(abs(seen.mean()) / seen.std(ddof=1)))
        if needed <= 4000:
            by_power.append(stats.ttest_1samp(topics[: max(needed, 25)], 0).pvalue <= 0.05)
    assert np.mean(kept, axis=0) == pytest.approx(np.mean(promised, axis=0), abs=0.1)
    assert np.mean(by_power) < 0.7


def test_what_cannot_be_foreseen() -> None:
    for wrong in ([0.1], [[0.1, 0.2]], [0.1, np.nan]):
        with pytest.raises(InputError):
            assurance(wrong, 10, 0.05)
    with pytest.raises(InputError, match="more"):
        assurance([0.1, 0.2], 0, 0.05)
