"""Of how many runs, topics and judgments a number is: counted once, and carried by what is made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.wording import counted


@dataclass(frozen=True)
class Population:
    """The runs that a number is of, and the topics and judgments that count in it.

    >>> found = Population.of([("3", "4"), ("4",)], asked=4)
    >>> found.topics, str(found), str(found.shared)
    (3, "each run's own topics, 2 to 3 of 4 topics", '2 of 4 topics')
    """

    runs: int
    asked: int  # How many topics there are, those among them that count for no run
    fewest: int
    most: int  # How many topics count for a run, at least and at most
    nowhere: frozenset[str] = frozenset()  # Topics that count for no run
    somewhere: frozenset[str] = frozenset()  # Topics that do not count for some run
    judgments: int | None = None  # How many the topics have that count for some run; None where they were not counted
    grades: tuple[float, float] | None = None  # The lowest and the highest of these; None where there is none

    @classmethod
    def of(cls, left_out: Sequence[Collection[str]], asked: int) -> Population:
        """Count, of each run the topics that do not count for it, and how many topics there are."""
        sets = [frozenset(topics) for topics in left_out]
        counts = [asked - len(topics) for topics in sets] or [asked]
        nowhere = frozenset.intersection(*sets) if sets else frozenset()
        return cls(len(sets), asked, min(counts), max(counts), nowhere, frozenset().union(*sets))

    @classmethod
    def where(cls, counting: Booleans, topics: Sequence[str]) -> Population:
        """Count where topics count: array of shape (runs, topics), and the ids of the topics."""
        left_out = ([topics[place] for place in np.flatnonzero(~row).tolist()] for row in counting)
        return cls.of(list(left_out), len(topics))

    @property
    def topics(self) -> int:
        """How many topics count for some run."""
        return self.asked - len(self.nowhere)

    @property
    def shared(self) -> Population:
        """The same of the topics alone that count for every run."""
        every = self.asked - len(self.somewhere)
        return replace(self, fewest=every, most=every, nowhere=self.somewhere, judgments=None, grades=None)

    @property
    def alike(self) -> bool:
        """Whether the same topics count for all runs."""
        return self.nowhere == self.somewhere

    def judged_by(self, judgments: Judgments) -> Population:
        """Count the judgments of the topics that count, too."""
        counts = np.array([topic not in self.nowhere for topic in judgments.topics], np.bool_)
        grade = judgments.grade[counts[judgments.topic] & np.isfinite(judgments.grade)]
        grades = (float(grade.min()), float(grade.max())) if len(grade) else None
        return replace(self, judgments=len(grade), grades=grades)

    def counting(self, topics: Collection[str]) -> tuple[str, ...]:
        """Return those of some topics that count for some run."""
        return tuple(topic for topic in topics if topic not in self.nowhere)

    @property
    def of_topics(self) -> str:
        """The topics that count for some run, and of how many they are where that is more."""
        asked = counted(self.asked, "topic")
        return asked if self.topics == self.asked else f"{self.topics:,} of {asked}"

    def __str__(self) -> str:
        """Say over which topics an average is."""
        if self.alike:
            return self.of_topics
        each = f"{self.fewest:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"
        return f"each run's own topics, {each} of {counted(self.asked, 'topic')}"
