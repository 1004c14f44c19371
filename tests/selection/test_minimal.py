"""Minimal test collections: expectation and variance of AP's differences, against all that the documents could be."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from cranfield.plumbing.errors import InputError
from cranfield.selection import Judging
from cranfield.selection.minimal import ahead, at_stake, chances
from cranfield.selection.stop_rules import SignsKnown

Chances: TypeAlias = dict[str, float]


def sum_of_precisions(ranking: list[str], relevant: set[str]) -> float:
    """Return R times the average precision."""
    hits = [rank for rank, document in enumerate(ranking, start=1) if document in relevant]
    return sum(nth / rank for nth, rank in enumerate(hits, start=1))


def expected(ranking: list[str], chances: Chances) -> float:
    """Return the mean over everything that the documents could be."""
    total, documents = 0.0, sorted(chances)
    for grades in product([0, 1], repeat=len(documents)):
        pairs = list(zip(documents, grades, strict=True))
        weight = np.prod([chances[d] if grade else 1 - chances[d] for d, grade in pairs])
        total += float(weight) * sum_of_precisions(ranking, {d for d, grade in pairs if grade})
    return total


DOCUMENTS = "abcdef"
rankings = st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=5, unique=True)
answers = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 1), max_size=4)


def session(lists: list[list[str]], judged: dict[str, int]) -> Judging:
    runs = {f"r{i}": {"1": {d: -float(rank) for rank, d in enumerate(ranked)}} for i, ranked in enumerate(lists)}
    return Judging(runs, judged={"1": judged} if judged else None)


@settings(max_examples=40, derandomize=True, database=None)
@given(st.lists(rankings, min_size=2, max_size=3), answers, st.sampled_from([0.1, 0.5, 0.8]))
def test_to_the_first_order_of_what_the_documents_could_be(
    lists: list[list[str]], judged: dict[str, int], prior: float
) -> None:
    """The derivative by the chance of a document is taken by differences, of E[sum of precisions] / E[R]."""
    documents = sorted({d for ranked in lists for d in ranked})
    now: Chances = {d: float(judged[d]) if d in judged else prior for d in documents}

    def ap(ranking: list[str], chances: Chances) -> float:
        relevant = sum(chances.values())
        return expected(ranking, chances) / relevant if relevant else 0.0

    means = np.array([ap(ranked, now) for ranked in lists])
    step = 1e-4
    steep = np.array(
        [
            [
                (ap(ranked, now | {d: now[d] + step}) - ap(ranked, now | {d: now[d] - step})) / (2 * step)
                for d in documents
            ]
            for ranked in lists
        ]
    )
    spread = np.array([now[d] * (1 - now[d]) for d in documents])
    found = ahead(session(lists, judged).state, prior)
    for one, other in product(range(len(lists)), repeat=2):
        difference = means[one] - means[other]
        error = np.sqrt((spread * (steep[one] - steep[other]) ** 2).sum())
        if error > 1e-6:
            assert found[one, other] == pytest.approx(ndtr(difference / error), abs=1e-5)
        else:
            assert found[one, other] == (0.5 if abs(difference) < 1e-9 else float(difference > 0))


def test_what_a_document_brings() -> None:
    """In a b c, b brings 1/2 for itself, 1/2 for a above it, and 1/3 for c below, by the chances of these."""
    judging = session([["a", "b", "c"]], {"a": 1})
    chance = chances(judging.state, 0, 0.5)
    assert chance.tolist() == [1, 0.5, 0.5]
    assert at_stake(judging.candidates, 0, chance)[1] == 1 / 2 + 1 / 2 + 0.5 / 3


def test_when_all_is_judged_all_is_known() -> None:
    judging = session([["a", "b"], ["b", "a"], ["a", "b"]], {"a": 1, "b": 0})
    assert ahead(judging.state, 0.5).tolist() == [[0.5, 1, 0.5], [0, 0.5, 0], [0.5, 1, 0.5]]


def test_topics_without_a_relevant_document_say_nothing() -> None:
    judging = session([["a"], ["b"]], {"a": 0, "b": 0})
    assert ahead(judging.state, 0.5).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_the_rule() -> None:
    """With a alone relevant x is ahead with probability .7734 (see the example of `ahead`); with b judged, for sure."""
    judging = session([["a"], ["b"]], {"a": 1})
    assert judging.status([SignsKnown(prior=0.5)]).reasons == ()
    [reason] = judging.status([SignsKnown(prior=0.5, level=0.25)]).reasons
    assert reason == (
        "the run with the higher mean AP is known for 1 of 1 pair of runs, with probability 0.75, "
        "if unjudged documents are relevant with probability 0.5"
    )
    judging.record("1", "b", 0)
    assert len(judging.status([SignsKnown()]).reasons) == 1
    with pytest.raises(InputError, match="this status holds no evidence about mean AP"):
        SignsKnown().reason(judging.status())
    three = session([["a"], ["b"], ["a"]], {"a": 1, "b": 0})  # two of three pairs: the first and the last are equal
    assert not three.status([SignsKnown()]).reasons
    assert three.status([SignsKnown(share=0.6)]).reasons
