"""Samples: every document is drawn as often as its probability says, and two of them as often as the design says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import Candidates
from cranfield.selection.sampling import (
    allocate,
    ap_prior,
    draw_sample,
    prior_sample,
    proportional_probabilities,
    proportional_sample,
    stratified_sample,
    uniform_sample,
)

RUNS = {
    "x": {"1": {d: -i for i, d in enumerate("abcdefgh")}, "2": {"p": 2.0, "q": 1.0}},
    "y": {"1": {d: -i for i, d in enumerate("ihg")}, "2": {"q": 1.0}},
}
CANDIDATES = Candidates.gather(RUNS)
DRAWS = 1200

Sampler = Callable[..., pl.DataFrame]
SAMPLERS: dict[str, tuple[Sampler, dict[str, Any]]] = {
    "uniform": (uniform_sample, {}),
    "stratified": (stratified_sample, {"depths": [2]}),
    "proportional": (proportional_sample, {}),
    "prior": (prior_sample, {}),
}


@pytest.mark.parametrize("design", SAMPLERS)
def test_a_sample_drawn_by_its_design_is_the_one_of_that_name(design: Any) -> None:
    """Whoever names no seed gets the same documents on both roads."""
    sampler, settings = SAMPLERS[design]
    assert draw_sample(CANDIDATES, 5, design=design, **settings).to_polars().equals(sampler(CANDIDATES, 5, **settings))


Drawn = tuple[dict[str, dict[str, Any]], Counter[frozenset[str]]]


@pytest.fixture(scope="module", params=SAMPLERS)
def drawn(request: pytest.FixtureRequest) -> Drawn:
    """Draw many samples: what is said of each document, and how often one (or two) of them were drawn."""
    sampler, settings = SAMPLERS[request.param]
    rows: dict[str, dict[str, Any]] = {}
    seen: Counter[frozenset[str]] = Counter()
    for seed in range(DRAWS):
        sample = sampler(CANDIDATES, 5, seed=seed, **settings).to_dicts()
        rows |= {row["doc_id"]: row for row in sample}
        seen.update(frozenset([row["doc_id"]]) for row in sample)
        seen.update(map(frozenset, combinations([row["doc_id"] for row in sample if row["query_id"] == "1"], 2)))
    return rows, seen


def assert_as_often(count: int, probability: float) -> None:
    assert abs(count - DRAWS * probability) <= 4.5 * np.sqrt(DRAWS * probability * (1 - probability)) + 1e-9


def test_documents_are_drawn_as_often_as_their_probability_says(drawn: Drawn) -> None:
    rows, seen = drawn
    assert set(rows) == set("abcdefghipq")
    for document, row in rows.items():
        assert_as_often(seen[frozenset([document])], row["probability"])
    assert sum(rows[d]["probability"] for d in "abcdefghi") == pytest.approx(5)
    assert rows["p"]["probability"] == rows["q"]["probability"] == 1.0


def test_pairs_are_drawn_as_often_as_the_design_says(drawn: Drawn) -> None:
    rows, seen = drawn
    for a, b in combinations("abcdefghi", 2):
        together = rows[a]["probability"] * rows[b]["probability"]
        if rows[a]["stratum"] is not None and rows[a]["stratum"] == rows[b]["stratum"]:
            size = sum(rows[d]["stratum"] == rows[a]["stratum"] for d in "abcdefghi")
            n = round(size * rows[a]["probability"])
            together = n * (n - 1) / (size * (size - 1))
        assert_as_often(seen[frozenset({a, b})], together)


def test_strata_are_by_best_rank() -> None:
    sample = stratified_sample(CANDIDATES, 100, depths=[1, 3])
    strata = {d: s for q, d, s in sample.select("query_id", "doc_id", "stratum").rows() if q == "1"}
    assert strata == {"a": 0, "i": 0, "b": 1, "c": 1, "h": 1, "g": 1, "d": 2, "e": 2, "f": 2}
    assert sample["probability"].to_list() == [1.0] * 11


def test_the_same_seed_draws_the_same() -> None:
    for sampler, settings in SAMPLERS.values():
        first, again, other = (sampler(CANDIDATES, 4, seed=seed, **settings) for seed in (1, 1, 2))
        assert first.equals(again)
        assert not first.equals(other)


def test_probabilities_follow_any_prior() -> None:
    prior = np.where(CANDIDATES.topic == 0, np.arange(1.0, 12.0), 1.0)
    sample = pl.concat([proportional_sample(CANDIDATES, 3, prior=prior, seed=seed) for seed in range(200)])
    stated = dict(sample.filter(query_id="1").select("doc_id", "probability").rows())
    assert stated == pytest.approx({d: 3 * i / sum(range(1, 10)) for i, d in enumerate("abcdefghi", start=1)})


def test_strata_share_the_prior_alike() -> None:
    """Priors 9 to 1 of a to i add up to 45; of three strata each has 15: a to 9, b to 17, c to 24, d to 30, e to 35.

    The middles lie at 4.5, 13, 20.5, 27, 32.5, 37, 40.5, 43 and 44.5.
    """
    prior = np.where(CANDIDATES.topic == 0, np.arange(9.0, -2.0, -1.0), 1.0)
    sample = pl.concat([prior_sample(CANDIDATES, 15, prior=prior, seed=seed) for seed in range(2)])
    found = sample.filter(query_id="1").unique("doc_id").sort("doc_id")
    assert found["stratum"].to_list() == [0, 0, 1, 1, 2, 2, 2, 2, 2]
    assert found["probability"].to_list() == [1.0] * 9


def test_prior_of_average_precision_adds_up_to_the_mean_number_of_lists() -> None:
    prior = ap_prior(CANDIDATES)
    assert prior[CANDIDATES.topic == 0].sum() == pytest.approx(1)
    plain = sum((1 + sum(1 / j for j in range(rank, n + 1))) / (2 * n) for rank, n in [(8, 8), (2, 3)]) / 2
    assert prior[CANDIDATES.place("1", "h")] == pytest.approx(plain)


def test_what_is_sure_but_for_rounding_is_sure() -> None:
    """Three tenths add up to a little more than 0.3, so that each would be drawn with a chance just below 1."""
    assert proportional_probabilities(np.full(3, 0.1), np.zeros(3, int), 3).tolist() == [1, 1, 1]


@given(
    st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=30),
    st.integers(1, 40),
)
def test_probabilities_add_up_and_keep_the_proportions(prior: list[float], draws: int) -> None:
    found = proportional_probabilities(np.array(prior), np.zeros(len(prior), int), draws)
    assert found.sum() == pytest.approx(min(draws, len(prior)))
    assert ((found > 0) & (found <= 1)).all()
    open_ = found < 1
    if open_.any():
        scale = found[open_] / np.array(prior)[open_]
        np.testing.assert_allclose(scale, scale[0])
        assert (np.array(prior)[~open_] * scale[0] >= 1 - 1e-6).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0.1, 10)), min_size=1, max_size=4), st.integers(0, 20))
def test_draws_are_shared_out_whole(strata: list[tuple[int, float]], more: int) -> None:
    sizes, shares = np.array([[size for size, _ in strata]]), np.array([share for _, share in strata])
    draws = 2 * len(strata) + more
    found = allocate(sizes, shares, draws)
    assert found.sum() == min(draws, sizes.sum())
    assert (found <= sizes).all()
    assert (found >= np.minimum(sizes, 2)).all()


def test_mistakes_are_said() -> None:
    with pytest.raises(InputError, match="per_topic must be at least 6, 2 for each stratum, not 5"):
        stratified_sample(CANDIDATES, 5)
    with pytest.raises(InputError, match="increasing whole numbers"):
        stratified_sample(CANDIDATES, 5, depths=[10, 10])
    with pytest.raises(InputError, match="1 depths make 2 strata"):
        stratified_sample(CANDIDATES, 5, depths=[10], shares=[1.0])
    with pytest.raises(InputError, match="positive number for each of the 11 candidates"):
        proportional_sample(CANDIDATES, 5, prior=np.zeros(11))
    with pytest.raises(InputError, match="positive number for each of the 11 candidates"):
        prior_sample(CANDIDATES, 5, prior=np.ones(3))
    with pytest.raises(InputError, match="per_topic must be at least 2, not 1"):
        prior_sample(CANDIDATES, 1)
    with pytest.raises(InputError, match="at least 1"):
        proportional_sample(CANDIDATES, 0)
