"""Of which topics may an assessor begin documents, and which of these come first?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from cranfield.selection.records.arrangement import Arrangement


class Turns:
    """What an arrangement means to one assessor, as the work stands.

    Ann owns topic 1, of which she has begun one document. Two of each topic are to be begun first.

    >>> arrangement = Arrangement(owners={"1": "Ann"}, at_least=2)
    >>> turns = Turns(arrangement, "Ann", {"1": Counter(Ann=1), "2": Counter(Ben=5)})
    >>> [*turns.order(["1", "2", "3"])]
    [['3'], ['1'], ['1', '2', '3']]
    >>> Turns(arrangement, "Ben", {}).may_begin("1")
    False
    """

    def __init__(
        self,
        arrangement: Arrangement,
        assessor: str,
        begun: Mapping[str, Counter[str]],
        among: Collection[str] | None = None,
    ) -> None:
        self.arrangement, self.assessor, self.among = arrangement, assessor, among
        self._begun = begun
        self._now: Counter[str] = Counter()  # what they are about to begin

    @property
    def free(self) -> bool:
        """Whether they may begin any document."""
        rules = self.arrangement
        return (
            self.among is None and rules.at_most is None and not (rules.owners or rules.whole_topics or rules.at_least)
        )

    def take(self, topic: str) -> None:
        """Take note that they are about to begin a document of a topic."""
        self._now[topic] += 1

    def begun(self, topic: str) -> int:
        """Return how many documents of a topic are begun."""
        counts = self._begun.get(topic)
        return (counts.total() if counts else 0) + self._now[topic]

    def may_begin(self, topic: str) -> bool:
        """Say whether they may begin a document of a topic."""
        if self.among is not None and topic not in self.among:
            return False
        rules = self.arrangement
        if rules.at_most is not None and self.begun(topic) >= rules.at_most:
            return False
        owners = rules.owners_of.get(topic)
        if owners is not None and self.assessor not in owners:
            return False
        return not rules.whole_topics or self.hand(topic) in {None, self.assessor}

    def hand(self, topic: str) -> str | None:
        """Return who has begun most documents of a topic, among its owners if it has some."""
        counts = self._begun.get(topic, Counter())
        owners = self.arrangement.owners_of.get(topic)
        those = [(-number, who) for who, number in counts.items() if number and (owners is None or who in owners)]
        if those:
            return min(those)[1]
        return self.assessor if self._now[topic] else None

    def order(self, topics: Sequence[str]) -> Iterator[list[str]]:
        """Go through groups of topics: a document is looked for in one after the other, until there is one."""
        allowed = [topic for topic in topics if self.may_begin(topic)]
        groups = [allowed]
        if self.arrangement.whole_topics:
            mine = {topic for topic in allowed if self.hand(topic) == self.assessor}
            groups = [[topic for topic in allowed if topic in mine], [t for t in allowed if t not in mine]]
        for group in groups:
            lacking = [(self.begun(topic), topic) for topic in group if self.begun(topic) < self.arrangement.at_least]
            for number in sorted({begun for begun, _ in lacking}):
                yield [topic for begun, topic in lacking if begun == number]
            if group:
                yield group
