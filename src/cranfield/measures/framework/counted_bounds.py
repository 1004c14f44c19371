"""Bounds of measures of sets: nothing counts but how many relevant documents were found, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cranfield.judged.completions import Bounds, open_documents
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gains import binary
from cranfield.plumbing.arrays import Floats

if TYPE_CHECKING:
    from cranfield.measures.framework.measure import Measure


def bounds_of_counts(
    measure: Measure, rankings: JudgedRankings, found: Floats, known: Floats, worth: Callable[[Floats, Floats], Floats]
) -> Bounds:
    """Bound a value that follows from two numbers, and either rises or falls with the second.

    Shapes: worth (rows, choices).
    """
    open_ = open_documents(rankings)
    can_be = float(binary(rankings.judgments.scale, measure.rel))
    own = np.minimum(np.arange(int(open_.own.max(initial=0)) + 1), open_.own[:, np.newaxis]) * can_be
    others = open_.others[:, np.newaxis] * can_be
    values = np.hstack(
        [worth(found[:, np.newaxis] + own, known[:, np.newaxis] + own + rest) for rest in (0 * others, others)]
    )
    return Bounds(values.min(axis=1), values.max(axis=1), "exact")
