r"""What do documents drawn at random, topic by topic, say of those that nobody judged?

People judge topic by topic, or all topics at once, and leave documents open. So each topic has a random
order of its own: that of the seed, which all topics share, but for the documents of others. A document is
*drawn* when it is handed out as the next of its topic's order that is neither drawn nor known; *known* is one
that was judged before, since a method chose it. Whoever chooses topics and moments, and whatever he
knows of grades, a draw is uniform among the documents of its topic that are neither drawn nor known.

Let K of a topic's N documents be relevant, and of these f be known or drawn when r are left. The next draw
is relevant with probability p = (K - f) / r. So for each s > 0 the product over all draws, of all topics in the
order of time, of

.. math:: e^{-s x} / (1 - (1 - e^{-s}) p)

is a martingale that begins at 1, x being 1 where the draw is relevant; and so is a mean over several s. By
Ville's inequality it ever reaches 1/α with probability α at most. Numbers of relevant documents, one
for each topic, are ruled out where it has; the bound is the largest sum of numbers that are not. A draw that
is not judged yet, or cannot be, is taken for relevant: that makes the product smaller, now and later, so
that who leaves a document open makes the bound larger and never wrong.

The product is smallest, of all numbers with one sum, where one document more costs the same in each
topic: its logarithm is convex in each number. Duality gives a lower bound of it, and that is what is used. A topic of
which nothing was drawn costs nothing, so that all of its documents may be relevant.

Paper: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", JRSS B 86(1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.selection.audit import mean_of_logs

BETS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
"""The s whose mean is taken."""
PRICES: Final = 12
"""For so many prices of one relevant document more it is looked at how many a topic has."""
RANGE: Final = 30.0
"""How many times the lowest price the highest of them is."""
_STEPS: Final = 24


@dataclass(frozen=True)
class TopicDraws:
    """The draws of one topic."""

    left: tuple[int, ...]  # by draw: how many were neither drawn nor known before it
    before: tuple[int, ...]  # by draw: how many of those drawn or known are relevant
    relevant: tuple[int, ...]  # by draw: 1 if it is relevant, or not judged, else 0
    found: int  # drawn or known by now, and relevant or not judged
    open: int  # neither drawn nor known


def most_relevant(topics: Sequence[TopicDraws], level: float = 0.05) -> int:
    """How many documents that are neither drawn nor known can be relevant, in all topics together?

    Two topics of 100 documents each, of which 60 were drawn and none is relevant; then one of which nothing was drawn:

    >>> drawn = TopicDraws(tuple(range(100, 40, -1)), (0,) * 60, (0,) * 60, 0, 40)
    >>> most_relevant([drawn, drawn]), most_relevant([drawn, drawn, TopicDraws((), (), (), 0, 30)])
    (4, 34)
    """
    unseen = sum(topic.open for topic in topics if not topic.left)
    seen = [topic for topic in topics if topic.left]
    lines = [_lines(seen, bet) for bet in BETS] if seen else []

    def against(hidden: int) -> float:
        """Return the log of the smallest product, if so many are relevant; too small rather than too large."""
        logs = [float((start + price * hidden).max()) for start, price in lines]
        return float(mean_of_logs(np.array(logs)[:, np.newaxis])[0]) if logs else 0.0

    possible, impossible = -1, sum(topic.open for topic in seen) + 1
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        if against(middle) < -np.log(level):
            possible = middle
        else:
            impossible = middle
    return max(possible, 0) + unseen


def _lines(topics: Sequence[TopicDraws], bet: float) -> tuple[Floats, Floats]:
    """Return lines, by start and slope, below which the smallest log of the product is never, by the number of all."""
    chance = 1 - np.exp(-bet)
    of = np.repeat(np.arange(len(topics)), [len(topic.left) for topic in topics])
    left = np.concatenate([np.array(topic.left, float) for topic in topics])
    found, most = (np.array([getattr(topic, name) for topic in topics], float) for name in ("found", "open"))
    spare = left - chance * (found[of] - np.concatenate([np.array(topic.before, float) for topic in topics]))
    hits = sum(sum(topic.relevant) for topic in topics)

    def cost(hidden: Floats) -> Floats:
        """What one more would cost in each topic that has so many: shapes (prices, topics)."""
        each = chance / np.maximum(spare - chance * hidden[:, of], 1e-300)
        return np.add.reduceat(each, np.flatnonzero(np.diff(of, prepend=-1)), axis=1)

    lowest, highest = float(cost(np.zeros((1, len(topics)))).min()), float(cost(most[np.newaxis]).max())
    prices = np.geomspace(lowest, min(highest, RANGE * lowest), PRICES)[:, np.newaxis]
    low, high = np.zeros((PRICES, len(topics))), np.repeat(most[np.newaxis], PRICES, axis=0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        dear = cost(middle) > prices
        low, high = np.where(dear, low, middle), np.where(dear, middle, high)
    product = -np.log(np.maximum(spare - chance * low[:, of], 1e-300) / left).sum(axis=1) - bet * hits
    return product - prices[:, 0] * low.sum(axis=1), prices[:, 0]
