"""The fewest documents that bring a run ahead, by measures whose values are no sums of what each document adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.pairs.pair import Pair, fewest
from cranfield.plumbing.arrays import Booleans, Floats, Integers, nth_within
from cranfield.statistics.on_paper import side

TRIED: Final = 200
"""How many candidates of a topic, the highest in the list of the run behind, are tried one by one."""
FEW: Final = 256
"""All sets of documents are tried where no topic has more of them."""


class Chase:
    """The candidates of a pair, tried.

    A document has its effect on one topic alone, so that one of each topic is tried at a time, or
    one set of each. Those that neither run has down to the measure's cutoff, whichever run retrieved
    them, enlarge the recall base and the ideal, and of one topic all do the same.

    Parameters
    ----------
    pair
        The run ahead, and the one behind.

    Attributes
    ----------
    places
        The candidates of the topics that count, topic by topic: those in the lists, down to the
        cutoff, the highest of the run behind first; and behind them those elsewhere.
    topic, nth, listed
        Of each: which of the topics that count it is of, which of its candidates it is, from 0, and
        whether it is in a list.
    own, elsewhere
        For each topic that counts, how many candidates are in the lists, and how many are not.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair, judgments = pair, pair.judgments
        row = np.full(len(judgments.topics), -1)
        row[pair.topics] = np.arange(len(pair.topics))
        listed, rank = np.zeros(len(judgments), bool), np.full(len(judgments), np.inf)
        for run in (pair.one, pair.other):
            listed[run.cut(pair.measure.cutoff).judgment] = True
        rank[pair.other.judgment] = pair.other.rank
        places = np.flatnonzero(judgments.candidates & (row[judgments.topic] >= 0))
        self.places = places[np.lexsort((rank[places], ~listed[places], row[judgments.topic[places]]))]
        self.topic, self.listed = row[judgments.topic[self.places]], listed[self.places]
        self.nth = nth_within(self.topic)
        self.own, self.elsewhere = (
            np.bincount(self.topic[which], minlength=len(pair.topics)) for which in (self.listed, ~self.listed)
        )
        self.lead = pair.lead()

    @property
    def sets(self) -> Floats:
        """How many sets of documents each topic has, with as many of those elsewhere counted once."""
        return 2.0 ** np.minimum(self.own, FEW) * (1 + self.elsewhere)

    @property
    def exhaustive(self) -> bool:
        """Whether all sets are tried."""
        return bool((self.sets <= FEW).all())

    @property
    def turns(self) -> int:
        """How often both runs are scored to try every document alone, or every set."""
        alone = min(TRIED, int(self.own.max(initial=0))) + int(self.elsewhere.any())
        return alone + (int(self.sets.max(initial=0)) if self.exhaustive else 0)

    @cached_property
    def takes(self) -> Floats:
        """What each document would take from the lead on its topic, were it alone found relevant, by its place."""
        takes = np.zeros(len(self.pair.judgments))
        for turn in range(min(TRIED, int(self.own.max(initial=0)))):
            tried = self.listed & (self.nth == turn)
            takes[self.places[tried]] = self._taken(tried)[self.topic[tried]]
        if not self.listed.all():
            one_of_each = self._taken(~self.listed & (self.nth == self.own[self.topic]))
            takes[self.places[~self.listed]] = one_of_each[self.topic[~self.listed]]
        return takes

    def smallest(self) -> Integers | None:
        """Return the smallest set found by which the run behind comes ahead, the documents that take most first."""
        found = self._combined(self._all_sets()) if self.exhaustive else self._by_rules()
        return None if found is None else found[np.argsort(-self.takes[found], kind="stable")]

    def _by_rules(self) -> Integers | None:
        """Go down several orders of all documents; then down the same, topic by topic, as far as each pays."""
        by_effect = self.places[np.argsort(-self.takes[self.places], kind="stable")]
        against = self.pair.against()
        orders = [
            by_effect[self.takes[by_effect] > 0],
            against,
            against[~np.isin(against, self.pair.one.judgment)],
            self.places[np.isin(self.places, self.pair.other.judgment)],
        ]
        sets = [order[:enough] for order in orders if (enough := fewest(order, self._enough)) is not None]
        if not sets:
            return None
        shortest = min(sets, key=len)
        most = int(np.bincount(self.pair.judgments.topic[shortest]).max(initial=0))
        pruned = self._combined(self._prefixes(orders[:2], min(most, TRIED)))
        return shortest if pruned is None or len(pruned) >= len(shortest) else pruned

    def _enough(self, documents: Integers) -> bool:
        return bool(side(self.pair.found(documents).lead().mean()) < 0)

    def _taken(self, chosen: Booleans) -> Floats:
        """What some of the candidates, found relevant, take from the lead: by topic that counts."""
        return self.lead - self.pair.found(self.places[chosen]).lead()

    def _all_sets(self) -> Iterator[Booleans]:
        """Go through the sets of each topic, one of each at a time: bits say which of its listed documents are in it.

        What the bits leave says how many of those elsewhere are.
        """
        own, sets = self.own[self.topic], self.sets[self.topic]
        for number in range(int(self.sets.max(initial=0))):
            listed = (number >> np.minimum(self.nth, own)) & 1
            yield np.where(self.listed, listed, self.nth - own < number >> own).astype(bool) & (number < sets)

    def _prefixes(self, orders: Iterable[Integers], most: int) -> Iterator[Booleans]:
        """Go through the first documents of each topic in these orders."""
        for order in orders:
            nth = np.full(len(self.pair.judgments), most)
            by_topic = order[np.argsort(self.pair.judgments.topic[order], kind="stable")]
            nth[by_topic] = nth_within(self.pair.judgments.topic[by_topic])
            for many in range(1, most + 1):
                yield nth[self.places] < many

    def _combined(self, tried: Iterable[Booleans]) -> Integers | None:
        """Choose one of the sets tried for each topic, or none, so that all together are as few as can be.

        Of each topic and size the set counts that takes most. Then topic after topic is added: how
        much can so many documents take from the lead at the most?
        """
        topics, widest = len(self.lead), int((self.own + self.elsewhere).max(initial=0))
        best = np.full((topics, widest + 1), -np.inf)
        best[:, 0] = 0.0
        which = np.full(best.shape, -1)
        kept: list[Booleans] = []
        for number, chosen in enumerate(tried):
            size, taken = np.bincount(self.topic[chosen], minlength=topics), self._taken(chosen)
            better = np.flatnonzero((size > 0) & (taken > best[np.arange(topics), size]))
            best[better, size[better]], which[better, size[better]] = taken[better], number
            kept.append(chosen)
        sizes = _fewest_of_groups(best, lambda taken: bool(side((self.lead.sum() - taken) / topics) < 0))
        if sizes is None:
            return None
        number = which[np.arange(topics), sizes][self.topic]
        chosen = np.zeros(len(self.places), bool)
        for n in np.unique(number[number >= 0]):
            chosen |= kept[n] & (number == n)
        documents = self.places[chosen]
        return documents if self._enough(documents) else None


def _fewest_of_groups(best: Floats, enough: Callable[[float], bool]) -> Integers | None:
    """How many of each group are taken, so that the fewest are enough; None where no number is.

    Shapes: best (groups, sizes).

    Both of the second group are worth 5, and one of the first 2:

    >>> best = np.array([[0.0, 2.0, 3.0], [0.0, 1.0, 5.0]])
    >>> [_fewest_of_groups(best, lambda total: total >= needed) for needed in (2, 5, 6, 9)]
    [array([1, 0]), array([0, 2]), array([1, 2]), None]
    """
    total, taken = np.zeros(1), []
    for group in best:
        sizes = np.flatnonzero(np.isfinite(group))
        options = np.full((len(sizes), len(total) + int(sizes.max(initial=0))), -np.inf)
        for row, size in enumerate(sizes):
            options[row, size : size + len(total)] = total + group[size]
        taken.append(sizes[options.argmax(axis=0)])
        total = options.max(axis=0)
    many = next((many for many, most in enumerate(total.tolist()) if enough(most)), None)
    if many is None:
        return None
    chosen = np.zeros(len(best), np.int64)
    for group in range(len(best) - 1, -1, -1):
        chosen[group] = taken[group][many]
        many -= int(chosen[group])
    return chosen
