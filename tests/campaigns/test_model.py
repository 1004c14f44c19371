"""The pieces of the model: ids, streams, systems and what is odd about them."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from tools.each import each_of

from cranfield.campaigns import Parameters
from cranfield.campaigns.model import (
    COLLECTION_SIZE,
    Oddity,
    Scale,
    document_ids,
    make_collection,
    make_systems,
    retrieve,
)
from cranfield.campaigns.recipe import RANGES
from cranfield.plumbing.errors import InputError

SMALL = Parameters(systems=12, topics=4, depth=30)


def test_every_document_has_an_id_of_its_own() -> None:
    ids = document_ids(pl.Series(range(COLLECTION_SIZE)))
    assert ids.null_count() == 0
    assert ids.n_unique() == COLLECTION_SIZE
    assert ids.str.contains(r"^(FT|FBIS|LA|FR)[0-9-]+$").all()


def test_candidates_are_unique_within_a_topic_and_in_byte_order() -> None:
    ids = make_collection(SMALL).doc_ids.to_list()
    for start in range(0, len(ids), SMALL.candidates):
        candidates = ids[start : start + SMALL.candidates]
        assert candidates == sorted(set(candidates))


@pytest.mark.parametrize("top_grade", [1, 2, 3])
def test_grades_are_legal_and_the_higher_ones_rarer(top_grade: int) -> None:
    grades = make_collection(Parameters(topics=50, depth=10, top_grade=top_grade)).grades
    counts = np.bincount(grades.ravel())
    assert len(counts) == top_grade + 1
    assert (np.diff(counts) < 0).all()
    assert ((grades > 0).sum(axis=1) >= 3).all()


@each_of("seed", range(20))
def test_exactly_one_system_is_broken_and_every_oddity_is_there(seed: int) -> None:
    systems = make_systems(Parameters(systems=8, topics=3, depth=10, seed=seed))
    assert sum(system.broken for system in systems) == 1
    assert {Oddity.STOPS_EARLY, Oddity.MISSES_TOPICS, Oddity.COARSE} <= {system.oddity for system in systems}
    assert sum(system.broken for system in systems[:4]) == 1


def test_names_are_unique() -> None:
    names = [system.name for system in make_systems(Parameters(systems=500, topics=1, depth=1))]
    assert len(set(names)) == 500


def test_no_system_misses_every_topic() -> None:
    for topics in (1, 2):
        for system in make_systems(Parameters(systems=200, topics=topics, depth=5)):
            assert max(system.lengths) > 0


@pytest.mark.parametrize("scale", list(Scale))
def test_scores_rise_with_x(scale: Scale) -> None:
    scores = scale.scores(np.linspace(-6, 6, 100))
    assert (np.diff(scores) > 0).all()


def test_runs_of_one_team_resemble_each_other_more_than_others() -> None:
    parameters = Parameters(systems=24, topics=5, depth=100)
    collection = make_collection(parameters)
    sound = [system for system in make_systems(parameters) if not system.broken]
    found = {system.name: [set(row) for row in retrieve(parameters, collection, system)[0]] for system in sound}
    same: list[float] = []
    different: list[float] = []
    for a, b in itertools.combinations(sound, 2):
        overlap = float(np.mean([len(x & y) for x, y in zip(found[a.name], found[b.name], strict=True)]))
        (same if a.team == b.team else different).append(overlap)
    assert np.mean(same) > 1.2 * np.mean(different)


@pytest.mark.parametrize(
    ("name", "value"), [("systems", 3), ("topics", 0), ("depth", 1.5), ("seed", -1), ("top_grade", 4)]
)
def test_a_parameter_out_of_range_is_named(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"{name} must be a whole number .*, not {value}"):
        Parameters(**{name: value})  # type: ignore[arg-type]


def test_the_largest_and_smallest_campaigns_are_within_their_ranges() -> None:
    lowest = Parameters(**{name: low for name, (low, _) in RANGES.items()})
    assert len(make_systems(lowest)) == lowest.systems
