"""BEIR's and MTEB's own evaluation, which import pytrec_eval themselves, answered by ours: by hand, where they are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from cranfield.compat import pytrec_eval as ours

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CUTOFFS = [1, 3, 5, 10, 100, 1000]


@pytest.fixture(scope="module")
def made_up() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    chance = random.Random(1)  # noqa: S311
    topics = [str(topic) for topic in range(100)]
    qrels = {t: {f"d{chance.randrange(2000)}": chance.randrange(3) for _ in range(30)} for t in topics}
    return qrels, {t: {f"d{i}": chance.random() for i in chance.sample(range(2000), 1000)} for t in topics}


def numbers(found: Any, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], float]]:
    """Give every number in nested results, with where it stands."""
    if hasattr(found, "_asdict"):
        found = found._asdict()
    if isinstance(found, list | tuple):
        found = dict(enumerate(found))
    if isinstance(found, dict):
        for key, value in found.items():
            yield from numbers(value, (*path, key))
    elif isinstance(found, int | float):
        yield path, float(found)


def test_beir(made_up: Any) -> None:
    beir = pytest.importorskip("beir.retrieval.evaluation", reason="BEIR is not installed")
    theirs = beir.EvaluateRetrieval.evaluate(*made_up, CUTOFFS)
    with ours.install():
        assert beir.EvaluateRetrieval.evaluate(*made_up, CUTOFFS) == theirs


def test_mteb(made_up: Any) -> None:
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics", reason="MTEB is not installed")
    qrels, run = made_up
    theirs = dict(numbers(metrics.calculate_retrieval_scores(run, qrels, CUTOFFS)))
    with ours.install():
        found = dict(numbers(metrics.calculate_retrieval_scores(run, qrels, CUTOFFS)))
    assert len(theirs) > 3000
    assert found == pytest.approx(theirs, abs=0, nan_ok=True)
