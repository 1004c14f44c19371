"""Complete blocks: one measure's scores, a row for each system and a column for each topic, with nothing missing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.on_paper import levelled


def complete_blocks(values: npt.ArrayLike) -> Floats:
    """Are these scores that systems can be compared by, topic by topic?

    Shapes: values (systems, topics).

    >>> complete_blocks([[0.2, 0.3, float("nan")], [0.1, 0.4, 0.3]])
    Traceback (most recent call last):
    ...
    cranfield.InputError: the score of system 0 on topic 2 is nan: every system needs a finite score on every ...
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
