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

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.selection.candidates import Candidates
from cranfield.selection.judgment_audit import mean_of_logs
from cranfield.selection.records.arrangement import Document
from cranfield.selection.records.view import Records

BY_AUDIT: Final = "audit"
"""What stands for the method of a document of the audit."""
BETS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
"""The s whose mean is taken."""
PRICES: Final = 12
"""For this many prices of one relevant document more it is looked at how many a topic has."""
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
        """Return the log of the smallest product, if this many are relevant; too small rather than too large."""
        logs = [float((start + price * hidden).max()) for start, price in lines]
        return float(mean_of_logs(np.array(logs)[:, np.newaxis])[0]) if logs else 0.0

    ruled_out = bisect_left(range(sum(topic.open for topic in seen) + 1), -np.log(level), key=against)
    return max(ruled_out - 1, 0) + unseen


def _lines(topics: Sequence[TopicDraws], bet: float) -> tuple[Floats, Floats]:
    """Return lines, by start and slope, below which the smallest log of the product is never, by the number of all."""
    chance = 1 - np.exp(-bet)
    of = np.repeat(np.arange(len(topics)), [len(topic.left) for topic in topics])
    left = np.concatenate([np.array(topic.left, float) for topic in topics])
    found, most = (np.array([getattr(topic, name) for topic in topics], float) for name in ("found", "open"))
    spare = left - chance * (found[of] - np.concatenate([np.array(topic.before, float) for topic in topics]))
    hits = sum(sum(topic.relevant) for topic in topics)

    def cost(hidden: Floats) -> Floats:
        """What one more would cost in each topic that has this many: shapes (prices, topics)."""
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


class TopicAudit:
    """What was drawn at random, and what was known before, by topic: it follows from the log alone.

    The random order of a topic is that of the seed, over the documents of the runs that the task began with: a document
    that joins later is never drawn, and every unjudged one of these may be relevant.
    """

    def __init__(self, candidates: Candidates, among: Iterable[Document] | None, seed: int) -> None:
        names = [candidates.topics[code] for code in candidates.topic.tolist()]
        kept = None if among is None else set(among)
        self.order: dict[str, dict[str, None]] = {topic: {} for topic in candidates.topics}
        for place in candidates.random_order(seed).tolist():
            if kept is None or (names[place], candidates.document[place]) in kept:
                self.order[names[place]][candidates.document[place]] = None
        self._drawn: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._known: defaultdict[str, dict[str, int]] = defaultdict(dict)  # before which draw it was judged

    def leased(self, method: str | None, documents: Iterable[Document]) -> None:
        """Take note of documents that were handed out: those of the audit are drawn."""
        for topic, document in documents if method == BY_AUDIT else ():
            if document in self.order.get(topic, ()) and document not in self._known[topic]:
                self._drawn[topic].setdefault(document)

    def judged(self, topic: str, document: str) -> None:
        """Take note of a judgment: what was not drawn is known from now on."""
        if document in self.order.get(topic, ()) and document not in self._drawn[topic]:
            self._known[topic].setdefault(document, len(self._drawn[topic]))

    def due(self, records: Records, topics: Iterable[str], share: float) -> Iterator[Document]:
        """List what the audit hands out next, if it has less than its share of what is judged or held there."""
        engaged: dict[str, set[str]] = {topic: set() for topic in topics if topic in self.order}
        for topic, document in records.engaged():
            if topic in engaged:
                engaged[topic].add(document)
        audited = sum(len(of & self._drawn[topic].keys()) for topic, of in engaged.items())
        if audited >= share * (sum(map(len, engaged.values())) + 1):
            return
        left = {topic: found for topic, of in engaged.items() if (found := self._left(topic, of))}
        if left:  # of the topics that somebody may judge, the one with the fewest draws
            few = min(left, key=lambda topic: len(self._drawn[topic]))
            yield from ((few, document) for document in left[few])

    def _left(self, topic: str, engaged: set[str]) -> list[str]:
        open_ = (each for each in self.order[topic] if each not in engaged and each not in self._known[topic])
        return list(islice(open_, 10))

    def most_missed(self, records: Records, unjudged: int, level: float) -> int | None:
        """How many of the unjudged documents can be relevant? None where nothing was drawn."""
        if not any(self._drawn.values()):
            return None
        topics = [self._draws(records, topic) for topic in self.order]
        doubtful = sum(doubt for _, doubt in topics)
        open_ = sum(draws.open for draws, _ in topics) + doubtful
        outside = max(0, unjudged - open_)  # joined later: nothing is known of these
        return min(unjudged, most_relevant([draws for draws, _ in topics], level) + doubtful + outside)

    def _draws(self, records: Records, topic: str) -> tuple[TopicDraws, int]:
        """Return the draws of a topic, and how many documents, drawn or known, are not judged: taken for relevant."""
        drawn, known = [*self._drawn[topic]], self._known[topic]
        grades = {each: records.grade(topic, each) for each in (*drawn, *known)}
        good = {each: int(grade is None or grade > 0) for each, grade in grades.items()}
        since, size = np.array([*known.values()], int), len(self.order[topic])
        places = np.arange(len(drawn))
        there = (since <= places[:, np.newaxis]).astype(int)  # which were known before each draw
        hits = np.array([good[each] for each in drawn], int)
        left = size - places - there.sum(axis=1)
        before = np.cumsum(hits) - hits + there @ np.array([good[each] for each in known], int)
        draws = TopicDraws(
            tuple(left.tolist()), tuple(before.tolist()), tuple(hits.tolist()), sum(good.values()), size - len(good)
        )
        return draws, sum(grade is None for grade in grades.values())
