"""Every measure beside its slow twin."""

from __future__ import annotations

import math
import random
from pathlib import Path
from runpy import run_path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools import measure_cases
from tools.each import each_of

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures import Measure
from cranfield.measures.adaptive_user_models import BPM

HERE = Path(__file__).parent
TWINS = {name: twin for file in sorted(HERE.glob("twins*.py")) for name, twin in run_path(str(file))["TWINS"].items()}
NUMERIC: list[str] = measure_cases.NUMERIC
RANKINGS: st.SearchStrategy[list[float | None]] = measure_cases.rankings
UNRETRIEVED: st.SearchStrategy[list[float]] = measure_cases.unretrieved_grades

# In these the twin adds up an infinite list numerically.
INFINITE = {"INSQ", "INST", "NERR11"}


def twin_value(measure: Measure, ranking: list[float | None], unretrieved: list[float]) -> float:
    given = {name: getattr(measure, name) for name in measure.parameters}
    value: float = TWINS[type(measure).__name__](ranking, unretrieved, **given)
    return value


def test_every_measure_has_a_twin_and_every_twin_a_measure() -> None:
    assert sorted(TWINS) == sorted(NUMERIC)


@settings(max_examples=30, derandomize=True, database=None)
@given(st.integers(0, measure_cases.MOST_SETTINGS - 1), RANKINGS, UNRETRIEVED)
def test_measure_equals_its_twin(which: int, ranking: list[float | None], unretrieved: list[float]) -> None:
    """Each ranking that is drawn is measured by all, since to draw takes longer than to measure."""
    wrong = []
    for name in NUMERIC:
        found = measure_cases.settings_of(name)
        measure = found[which % len(found)]
        tolerance = 1e-8 if name in INFINITE else 1e-9
        expected = pytest.approx(twin_value(measure, ranking, unretrieved), rel=tolerance, abs=tolerance)
        if measure.of(ranking, unretrieved) != expected:
            wrong.append(f"{measure} is {measure.of(ranking, unretrieved)}, not {expected}")
    assert not wrong


@each_of("name", NUMERIC)
def test_twins_are_told_apart(name: str) -> None:
    """A list drawn here is not all zeros: the comparison above compares something."""
    chance = random.Random(1)  # noqa: S311
    measure = measure_cases.settings_of(name)[0]
    drawn = (round(twin_value(measure, *measure_cases.some_ranking(chance)), 9) for _ in range(60))
    first = next(drawn)
    assert any(value != first for value in drawn) or name == "NumQ"  # most are told apart by the second list


@pytest.mark.parametrize("parts", [3, 6, 7, 10, 49])
def test_many_small_gains_are_enough_for_a_bejeweled_player(parts: int) -> None:
    """Ten gains of a tenth are a gain of 1, though added up in binary they stay just below it."""
    value = BPM(max_rel=parts, cutoff=2 * parts).of([1] * parts + [0] * parts)
    assert value == pytest.approx((1 / parts * parts) / parts)  # stops with the last of them


def batch_of(
    rankings: list[list[list[int | None] | None]], pools: list[list[float]]
) -> tuple[JudgedRankings, list[tuple[list[float | None], list[float]]]]:
    """Join runs, each a list of places in the pool (None: unjudged) by topic; and write down each row by itself."""
    start = np.cumsum([0] + [len(pool) for pool in pools])
    qrels = pl.DataFrame(
        {
            "query_id": [f"t{topic}" for topic, pool in enumerate(pools) for _ in pool],
            "doc_id": [f"d{i}" for pool in pools for i in range(len(pool))],
            "relevance": [float(grade) for pool in pools for grade in pool],
        }
    )
    judgments = Judgments(qrels, topics=[f"t{topic}" for topic in range(len(pools))])
    runs, rows = [], []
    for number, run in enumerate(rankings):
        cells = [
            (topic, rank, start[topic] + place)
            for topic, ranking in enumerate(run)
            for rank, place in enumerate(ranking or [], start=1)
            if place is not None
        ]
        topics = [topic for topic, ranking in enumerate(run) if ranking is not None]
        topic, rank, judgment = np.array(cells, np.int64).reshape(-1, 3).T
        lengths = np.array([len(run[topic] or []) for topic in topics], np.int64)
        runs.append(
            JudgedRankings.of_run(
                f"run{number}", judgments, (np.array(topics, np.int64), lengths), (topic, rank, judgment)
            )
        )
        for pool, ranking in zip(pools, run, strict=True):
            listed = [None if place is None else pool[place] for place in ranking or []]
            missed = [grade for place, grade in enumerate(pool) if place not in (ranking or [])]
            rows.append((listed, missed))
    return JudgedRankings.batch(runs), rows


@each_of("name", NUMERIC)
def test_a_batch_gives_what_each_ranking_gives_alone(name: str) -> None:
    """Bit for bit: no row may feel what stands beside it. (Each topic has a grade 3, so that all have one scale.)"""
    chance = random.Random(name)  # noqa: S311
    settings = measure_cases.settings_of(name, 10)
    for measure in settings:
        pools = [[3, *chance.choices(measure_cases.GRADES, k=chance.randint(0, 6))] for _ in range(3)]
        runs = []
        for _ in range(3):
            run: list[list[int | None] | None] = []
            for pool in pools:
                places: list[int | None] = [*chance.sample(range(len(pool)), chance.randint(0, len(pool)))]
                places += [None] * chance.randint(0, 6)
                chance.shuffle(places)
                run.append(None if chance.random() < 0.1 else places)
            runs.append(run)
        batch, rows = batch_of(runs, pools)
        together = measure.score(batch).tolist()
        alone = [measure.of(listed, missed) for listed, missed in rows]
        assert all(math.isfinite(value) for value in together)
        assert together == alone, measure
