"""The audit of a task: documents drawn at random in each topic, so that they have their share however people work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import numpy as np

from cranfield.selection.candidates import Candidates
from cranfield.selection.records.view import Records
from cranfield.selection.topic_audit import TopicDraws, most_relevant

BY_AUDIT: Final = "audit"
"""What stands for the method of a document of the audit."""
Document = tuple[str, str]  # of which topic, and its id


class TaskAudit:
    """What was drawn at random, and what was known before, by topic: it follows from the log alone.

    The random order of a topic is that of the seed, over the documents of the runs that the task began with: a document
    that joins later is never drawn, and all that are not judged of these may be relevant.
    """

    def __init__(self, candidates: Candidates, among: Iterable[Document] | None, seed: int) -> None:
        names = [candidates.topics[code] for code in candidates.topic.tolist()]
        kept = None if among is None else set(among)
        self.order: dict[str, list[str]] = {topic: [] for topic in candidates.topics}
        for place in candidates.random_order(seed).tolist():
            if kept is None or (names[place], candidates.document[place]) in kept:
                self.order[names[place]].append(candidates.document[place])
        self._population = {topic: set(documents) for topic, documents in self.order.items()}
        self._drawn: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._known: defaultdict[str, dict[str, int]] = defaultdict(dict)  # before which draw it was judged

    def leased(self, method: str | None, documents: Iterable[Document]) -> None:
        """Take note of documents that were handed out: those of the audit are drawn."""
        for topic, document in documents if method == BY_AUDIT else ():
            if document in self._population.get(topic, ()) and document not in self._known[topic]:
                self._drawn[topic].setdefault(document)

    def judged(self, topic: str, document: str) -> None:
        """Take note of a judgment: what was not drawn is known from now on."""
        if document in self._population.get(topic, ()) and document not in self._drawn[topic]:
            self._known[topic].setdefault(document, len(self._drawn[topic]))

    def due(self, records: Records, topics: Iterable[str], share: float) -> Iterator[Document]:
        """List the documents of the audit to hand out next, if it has less than its share of these topics.

        What is judged counts, and what is in somebody's hands: of the audit, and of all.
        """
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
        since, size = np.array([*known.values()], int), len(self._population[topic])
        places = np.arange(len(drawn))
        there = (since <= places[:, np.newaxis]).astype(int)  # which were known before each draw
        hits = np.array([good[each] for each in drawn], int)
        left = size - places - there.sum(axis=1)
        before = np.cumsum(hits) - hits + there @ np.array([good[each] for each in known], int)
        draws = TopicDraws(
            tuple(left.tolist()), tuple(before.tolist()), tuple(hits.tolist()), sum(good.values()), size - len(good)
        )
        return draws, sum(grade is None for grade in grades.values())
