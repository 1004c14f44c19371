"""Which documents may an assessor have: of which topics, which come first, and which wait to be judged once more?

Documents that somebody has begun or found, and that lack judgments, wait: first come first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import TypeAlias

from cranfield.selection.records.arrangement import Arrangement, Document

Since: TypeAlias = tuple[float, str]
"""Time and id of an event."""


class Turns:
    """What an arrangement means to one assessor, as the work stands.

    Ann owns topic 1, of which she has begun one document. Two of each topic are to be begun first.

    >>> arrangement = Arrangement(owners={"1": "Ann"}, at_least=2)
    >>> turns = Turns(arrangement, "Ann", {"1": Counter(Ann=1), "2": Counter(Ben=5)})
    >>> [*turns.order(["1", "2", "3"])]
    [['3'], ['1'], ['1', '2', '3']]
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


class Waiting:
    """Which documents lack judgments, and who has them already?

    They stand in lines, one for each topic and each set of assessors who have judged or hold a
    document, so that nobody goes through what they have already.

    >>> waiting = Waiting()
    >>> waiting.put(("1", "a"), frozenset({"Ann"}), (2, "l2"))
    >>> waiting.put(("1", "b"), frozenset({"Ben"}), (1, "l1"))
    >>> [*waiting.first("Ann")], [*waiting.first("Cleo", ["1"])]
    ([('1', 'b')], [('1', 'b'), ('1', 'a')])
    """

    def __init__(self) -> None:
        self._where: dict[Document, tuple[frozenset[str], Since]] = {}
        self._lines: dict[str, dict[frozenset[str], list[tuple[Since, Document]]]] = {}

    def put(self, document: Document, engaged: frozenset[str], since: Since) -> None:
        """Let a document wait, which these assessors have already."""
        if self._where.get(document) == (engaged, since):
            return
        self.drop(document)
        self._where[document] = engaged, since
        insort(self._lines.setdefault(document[0], {}).setdefault(engaged, []), (since, document))

    def drop(self, document: Document) -> None:
        """Let a document wait no longer."""
        if document not in self._where:
            return
        engaged, since = self._where.pop(document)
        lines = self._lines[document[0]]
        del lines[engaged][bisect_left(lines[engaged], (since, document))]
        if not lines[engaged]:
            del lines[engaged]

    def first(self, assessor: str, topics: Collection[str] | None = None) -> Iterator[Document]:
        """Go through the documents that an assessor does not have, the one that waits longest first."""
        among = self._lines if topics is None else [topic for topic in topics if topic in self._lines]
        lines = [line for topic in among for engaged, line in self._lines[topic].items() if assessor not in engaged]
        heads = [(line[0], number, 0) for number, line in enumerate(lines)]
        heapify(heads)
        while heads:
            (_, document), number, at = heads[0]
            yield document
            if at + 1 < len(lines[number]):
                heapreplace(heads, (lines[number][at + 1], number, at + 1))
            else:
                heappop(heads)
