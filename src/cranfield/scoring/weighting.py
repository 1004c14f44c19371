"""What each topic counts for in averages: traffic, importance, or how a sample of topics was drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import record
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import Taken
from cranfield.plumbing.tables import Frame
from cranfield.plumbing.wording import counted, named

if TYPE_CHECKING:
    pass

WeightsLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, float]
"""What weights are read from: a file, a DataFrame, or ``{topic: weight}``."""

_T = TypeVar("_T")
_NAMES: Final = ("weight", "weights", "importance", "traffic", "count", "frequency", "value")
"""What the column of weights may be called."""


@record
@dataclass(frozen=True)
class TopicWeights(Taken):
    """What each topic counts for in averages."""

    given: str  # how it was asked for: the path of a file, or what was given in words
    weights: Mapping[str, float]  # by topic; not negative, and not all 0

    @classmethod
    def taken(cls, value: object, naming: Naming = NO_NAMES) -> Self:
        """Read `WeightsLike`: a file, each line a topic and a number, or a table with a column ``weight``."""
        if isinstance(value, cls):
            return value
        from cranfield.formats.records import placed
        from cranfield.formats.topic_tables import an_amount, an_id, values_by_topic

        name, source, rows = values_by_topic(value, "weights", "weight", _NAMES, naming)
        found: dict[str, float] = {}
        for line, topic, written in rows:
            with placed(source, line):
                place, weight = an_id(topic, "topic"), an_amount(written, "a weight is a number of at least 0")
                if place in found:
                    raise InputError(f"topic {place!r} has a second weight")
                found[place] = weight
        return cls(name or counted(len(found), "weight"), found)

    def __str__(self) -> str:
        return self.given

    def __hash__(self) -> int:
        return hash((self.given, len(self.weights)))

    def over(self, topics: Sequence[str]) -> Floats:
        """Give the weights of these topics, in their order."""
        cure = "give each one, 0 where a topic should not count"
        found = np.array(each_has(topics, self.weights, "weight", cure, self.given))
        if not found.any():
            raise InputError("all topics of the qrels have weight 0; at least one must count", source=self.given)
        return found

    def described(self, topics: Sequence[str]) -> str:
        """Say by what these topics are weighted, and how many they are worth."""
        from cranfield.statistics.weighted_means import effective_topics

        counting = self.over(topics)
        none = f" ({(counting == 0).sum():,} of weight 0)" * (not counting.all())
        return f"weighted by {self.given}{none}, effective number of topics {effective_topics(counting):.1f}"


def each_has(topics: Sequence[str], values: Mapping[str, _T], noun: str, cure: str, source: str) -> list[_T]:
    """Give what each of these topics has, in their order; refuse topics that have nothing."""
    if lacking := [topic for topic in topics if topic not in values]:
        many = f"{len(lacking):,} of {counted(len(topics), 'topic')} {'has' if len(lacking) == 1 else 'have'}"
        raise InputError(f"{many} no {noun}: {named(lacking)}; {cure}", source=source)
    return [values[topic] for topic in topics]
