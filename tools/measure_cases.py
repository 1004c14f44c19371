"""What the tests of all measures draw from: settings of each measure, read off its declaration, and rankings."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from hypothesis import strategies as st

from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.parameters import LARGEST_COLLECTION, Parameter
from cranfield.plumbing.errors import MeasureError

MEASURES: dict[str, type[Measure]] = {
    name: measure for name, measure in REGISTRY.items() if measure.__module__.startswith("cranfield.")
}
"""The package's own measures by name (another test may have declared one of its own)."""

NUMERIC = [name for name, measure in MEASURES.items() if not measure.text]

MOST_SETTINGS = 40
"""How many settings of a measure are drawn at most."""

GRADES = (-1, 0, 0.5, 1, 2, 3)

_TRIED: dict[str, list[Any]] = {
    "int": [0, 1, 2, 3, 5, 8, 20, 100],
    "collection": [100, 1000],
    "float": [-1, 0, 0.1, 0.25, 0.5, 0.8, 0.95, 1, 1.5, 2, 3, 4],
    "bool": [False, True],
    "GainMap": [
        {1: 5, 2: 10},
        {1: 0.5},
        {0: -1, 1: 2},
        {-1: -2, 2: 4},
        {1: 3, 3: 1, 0.5: 0},
        {0.5: 0, 1: 0.25, 2: 0.75, 3: 0.9},
        {0: 0.1, 0.5: 0.2, 1: 1, 2: 1, 3: 0.5},
    ],
    "Levels": [[0.5, 1], [0, 0.2, 0.4, 0.8], [0.35]],
}


def legal(parameter: Parameter) -> list[Any]:
    """Return some legal values of a parameter."""
    found = [parameter.default]
    kind = "collection" if parameter.limits.at_most == LARGEST_COLLECTION else parameter.kind.__name__
    for value in parameter.choices or _TRIED.get(kind, []):
        try:
            found.append(parameter.checked("it", value))
        except MeasureError:
            continue
    return found


def settings_of(name: str, many: int = MOST_SETTINGS) -> list[Measure]:
    """Return the measure as declared (with a typical @ where it needs one), then settings of its parameters."""
    return _settings_of(name)[:many]


@cache
def _settings_of(name: str) -> list[Measure]:
    measure = MEASURES[name]
    found = {measure() @ measure.at_typical[0] if measure.at_required else measure(): None}
    chance = random.Random(name)  # noqa: S311
    values = {known: legal(parameter) for known, parameter in measure.parameters.items()}
    if measure.at_required:
        values[measure.at].remove(None)
    tried = []
    for _ in range(10 * MOST_SETTINGS):
        if len(found) == MOST_SETTINGS:
            break
        drawn = {known: chance.choice(some) for known, some in values.items()}
        if drawn in tried:
            continue
        tried.append(drawn)
        try:
            setting = measure(**drawn)
            if not measure.text:
                setting.of(GRADES)
        except MeasureError:  # these do not go together, or not with these grades
            continue
        found.setdefault(setting)
    return [*found]


grades = st.sampled_from([None, None, *GRADES, 0, 1])
rankings = st.lists(grades, max_size=12)
unretrieved_grades = st.lists(st.sampled_from(GRADES), max_size=5)


def some_ranking(chance: random.Random, size: int = 10) -> tuple[list[float | None], list[float]]:
    """Return a random list of grades and unretrieved grades, the largest grade (3) among the latter."""
    ranking = [chance.choice([None, None, *GRADES, 0, 0, 1]) for _ in range(chance.randint(0, size))]
    return ranking, [3, *chance.choices(GRADES, k=chance.randint(0, 3))]
