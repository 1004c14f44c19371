"""What every test takes: differences of two systems topic by topic, a row a hypothesis, or the scores of them all.

Pairs of systems are all (a, b) with a before b, always in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.memory import require
from cranfield.plumbing.options import Count, Level, Seed
from cranfield.plumbing.options import checked as option
from cranfield.plumbing.wording import counted
from cranfield.statistics.on_paper import levelled, settled

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

ROUNDING = 1e-12
"""Numbers that differ by less than this share of their size differ by rounding only."""

A_RESAMPLE = 40
"""Bytes that a resample takes, at least: what comes of it, and copies of that."""
A_DRAW = 24
"""Bytes that each topic of a resample takes while it is drawn."""

RESAMPLED_CELLS = 1_000_000
"""Size of the tables that are worked on at a time: 8 MB."""


def checked(differences: npt.ArrayLike, fewest: int = 2) -> Floats:
    """Return the differences as a table (hypotheses, topics) with its ties settled, or say why it cannot be tested."""
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"differences must be a table (hypotheses, topics), not an array of {values.ndim} dimensions")
    if values.shape[1] < fewest:
        raise InputError(f"differences on at least {counted(fewest, 'topic')} are needed, not on {values.shape[1]}")
    if broken := int((~np.isfinite(values)).any(axis=1).sum()):
        raise InputError(f"{broken} of {len(values):,} hypotheses have differences that are not finite numbers")
    tied = np.empty_like(values)
    for block in slices_that_fit(*values.shape):
        tied[block] = settled(values[block])
    return tied


def complete_blocks(values: npt.ArrayLike) -> Floats:
    """Are these scores that systems can be compared by, topic by topic?

    Shapes: values (systems, topics).
    """
    blocks = np.asarray(values, dtype=np.float64)
    if blocks.ndim != 2:
        raise InputError(f"scores have the shape (systems, topics), not {blocks.shape}")
    systems, topics = blocks.shape
    if systems < 2:
        raise InputError(f"a comparison needs at least two systems, not {systems}")
    if topics < 2:
        raise InputError(f"a comparison needs at least two topics, not {topics}")
    if not np.isfinite(blocks).all():
        s, t = np.argwhere(~np.isfinite(blocks))[0]
        problem = f"the score of system {s} on topic {t} is {blocks[s, t]}"
        raise InputError(f"{problem}: every system needs a finite score on every topic")
    return levelled(blocks.T).T


def check_choices(alternative: str, resamples: int = 1) -> None:
    """Refuse an unknown alternative, and fewer than one resample."""
    if alternative not in ("two-sided", "greater", "less"):
        raise InputError(f"alternative must be 'two-sided', 'greater' or 'less', not {alternative!r}")
    require_draws(option("resamples", resamples, Count), 0)


def require_draws(resamples: int, topics: int) -> None:
    """Refuse to draw topics this often if the table of draws does not fit."""
    require((A_RESAMPLE + A_DRAW * topics) * resamples, counted(resamples, "resample"), "fewer of them")


def check_share(name: str, value: float) -> None:
    """Refuse a level or chance that is not between 0 and 1."""
    option(name, value, Level)


def random_from(seed: int) -> np.random.Generator:
    """Return random numbers that start from a seed."""
    return np.random.default_rng(option("seed", seed, Seed))


def towards(alternative: Alternative, above: Floats, below: Floats | None = None) -> Floats:
    """Turn a statistic so that large values speak for the alternative."""
    if alternative == "greater":
        return above
    if below is None:
        return np.abs(above) if alternative == "two-sided" else -above
    return np.maximum(above, below) if alternative == "two-sided" else below


def sides(alternative: Alternative) -> int:
    """Count the tails that speak for the alternative."""
    return 2 if alternative == "two-sided" else 1


def standard_deviations(differences: Floats) -> Floats:
    """Return the standard deviation of each row (n − 1): 0 where all differences are equal but for rounding."""
    found = np.empty(len(differences))
    for block in slices_that_fit(*differences.shape):
        rows = differences[block]
        constant = np.ptp(rows, axis=1) <= ROUNDING * np.abs(rows).max(axis=1)
        found[block] = np.where(constant, 0.0, rows.std(axis=1, ddof=1))
    return found


def quotient(means: Floats, deviations: Floats) -> Floats:
    """Divide means by their deviations: infinite where there is a mean and no deviation, 0 where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(means / deviations)
    np.copyto(found, 0.0, where=means == 0)
    return found


def slices_that_fit(hypotheses: int, resamples: int) -> Iterator[slice]:
    """Cut the hypotheses so that a table of each block by all resamples stays small, however many there are."""
    step = max(1, RESAMPLED_CELLS // resamples)
    for start in range(0, hypotheses, step):
        yield slice(start, start + step)


def t_statistics(differences: Floats) -> Floats:
    """Return the paired t statistic of each row: mean / (s / √n), by the rule of `quotient` where s = 0."""
    t: Floats = quotient(differences.mean(axis=1), standard_deviations(differences)) * np.sqrt(differences.shape[1])
    return t


def pairs(systems: int) -> tuple[Integers, Integers]:
    """Which pairs are there, and in which order do results list them? That of ``np.triu_indices(systems, 1)``."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def differences(levels: Floats) -> Floats:
    """By how much does the first system of each pair exceed the second?"""
    first, second = pairs(levels.shape[-1])
    return levels[..., first] - levels[..., second]
