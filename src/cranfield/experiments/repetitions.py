"""Repeated random experiments: means over repetitions, and their standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.plumbing.lazy import pl


def generator(seed: int, repetition: int) -> np.random.Generator:
    """Return where the random choices of one repetition come from: the same for the same seed and number."""
    return np.random.default_rng([seed, repetition])


def over_repetitions(rows: pl.DataFrame, value: str, by: Sequence[str]) -> pl.DataFrame:
    """Average a column over repetitions."""
    each = pl.col(value)
    return rows.group_by(by, maintain_order=True).agg(
        each.mean(),
        standard_error=each.std() / each.len().sqrt(),
        sd=each.std(),
        least=each.min(),
        most=each.max(),
        repetitions=pl.len().cast(pl.Int64),
    )
