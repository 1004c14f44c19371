"""Repeated random experiments: means over repetitions, and their standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.plumbing.lazy import pl


def generator(seed: int, repetition: int) -> np.random.Generator:
    """Return where the random choices of one repetition come from: the same for the same seed and number."""
    return np.random.default_rng([seed, repetition])


def over_repetitions(rows: pl.DataFrame, value: str, by: Sequence[str]) -> pl.DataFrame:
    """Average a column over repetitions.

    Parameters
    ----------
    rows
        A row for each repetition and each combination of ``by``.
    value
        The column to average.
    by
        The columns to group by.

    Returns
    -------
    Table with the columns of ``by``, the mean under the name of the column, its ``standard_error``
    sd / √n, ``sd`` (both null for a single repetition), ``least``, ``most`` and ``repetitions``.

    >>> rows = pl.DataFrame({"rate": [0.5] * 4, "tau": [0.2, 0.4, 0.6, 0.8]})
    >>> over_repetitions(rows, "tau", ["rate"]).select("tau", "standard_error", "repetitions").rows()
    [(0.5, 0.129..., 4)]
    """
    each = pl.col(value)
    return rows.group_by(by, maintain_order=True).agg(
        each.mean(),
        standard_error=each.std() / each.len().sqrt(),
        sd=each.std(),
        least=each.min(),
        most=each.max(),
        repetitions=pl.len().cast(pl.Int64),
    )
