"""Whether all pairs spread alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.anova import UNEVEN, spread_ratio


def scores(noise: list[float], topics: int = 30) -> Floats:
    random = np.random.default_rng(1)
    values: Floats = (
        random.normal(0.5, 0.1, topics) + random.normal(0, 1, (len(noise), topics)) * np.array(noise)[:, None]
    )
    return values


def test_it_is_the_largest_deviation_by_the_root_of_the_mean_square() -> None:
    """The mean square is half the mean variance of the differences of all pairs."""
    values = scores([0.1, 0.1, 0.4])
    deviations = [(values[a] - values[b]).std(ddof=1) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert spread_ratio(values) == pytest.approx(max(deviations) / np.sqrt(np.mean(np.square(deviations))))
    assert spread_ratio(values[:2]) == pytest.approx(1)
    assert spread_ratio(np.ones((3, 4))) == 1


@pytest.mark.parametrize("test", ["tukey", "dunnett", "anova", "randomised-tukey"])
def test_a_comparison_says_that_spreads_differ_and_for_which_measure(test: str) -> None:
    rows = [
        (f"r{run}", str(topic), measure, value)
        for measure, noise in (("even", [0.1] * 6), ("torn", [0.1] * 5 + [0.9]))
        for run, values in enumerate(scores(noise))
        for topic, value in enumerate(values)
    ]
    table = pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")
    baseline = "r0" if test == "dunnett" else None
    found = cf.compare_scores(table, test=test, resamples=50, baseline=baseline)
    [said] = [note for note in found.notes if "pooled" in note]
    assert spread_ratio(scores([0.1] * 5 + [0.9])) > UNEVEN > spread_ratio(scores([0.1] * 6))
    assert "torn (" in said
    assert "even" not in said
    assert not [note for note in cf.compare_scores(table).notes if "pooled" in note]
