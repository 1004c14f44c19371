"""Which topics belong together: turns of a conversation, questions on one document, paraphrases of one question."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias

import numpy as np

from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import record
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import Taken
from cranfield.plumbing.tables import Frame
from cranfield.plumbing.wording import counted
from cranfield.scoring.weighting import each_has

ClustersLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, Any]
"""What clusters are read from: a file, a DataFrame, or ``{topic: cluster}``."""

_NAMES: Final = ("cluster", "clusters", "cluster_id", "conversation", "conversation_id", "group")
"""What the column of clusters may be called."""


@record
@dataclass(frozen=True)
class Clusters(Taken):
    """To which cluster each topic belongs; topics of one cluster are drawn, flipped and counted together."""

    given: str  # how it was asked for: the path of a file, or what was given in words
    clusters: Mapping[str, str]  # by topic

    @classmethod
    def taken(cls, value: object, naming: Naming = NO_NAMES) -> Self:
        """Read `ClustersLike`: a file, each line a topic and a cluster, or a table with a column ``cluster``."""
        if isinstance(value, cls):
            return value
        from cranfield.formats.records import placed
        from cranfield.formats.topic_tables import an_id, values_by_topic

        name, source, rows = values_by_topic(value, "clusters", "cluster", _NAMES, naming)
        found: dict[str, str] = {}
        for line, topic, cluster in rows:
            with placed(source, line):
                place, which = an_id(topic, "topic"), an_id(cluster, "cluster")
                if found.setdefault(place, which) != which:
                    raise InputError(f"topic {place!r} has a second cluster: {found[place]} and {which}")
        return cls(name or counted(len(set(found.values())), "cluster"), found)

    def __str__(self) -> str:
        return self.given

    def __hash__(self) -> int:
        return hash((self.given, len(self.clusters)))

    def over(self, topics: Sequence[str]) -> Integers:
        """Number the clusters of these topics, in their order.

        A topic without a cluster is refused, not drawn by itself: a line that was forgotten would pass for an
        independent topic, the error that clusters guard against.
        """
        cure = "give each topic one; a single topic is its own cluster"
        clusters = each_has(topics, self.clusters, "cluster", cure, self.given)
        code = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
        return np.array([code[cluster] for cluster in clusters], np.int64)

    def within(self, topics: Sequence[str]) -> Self:
        """Return the same where each of these topics has a cluster, and there are at least two; refuse others."""
        if self.many(topics) < 2:
            every = f"{'all ' * (len(topics) > 1)}{counted(len(topics), 'topic is', 'topics are')} in one cluster"
            raise InputError(f"{every}: a spread between clusters takes at least two", source=self.given)
        return self

    def many(self, topics: Sequence[str]) -> int:
        """Count the clusters of these topics."""
        return int(self.over(topics).max(initial=-1)) + 1


def topics_in(topics: int, clusters: int | None) -> str:
    """Count topics and, where they belong together, clusters."""
    inside = "" if clusters is None else f" in {counted(clusters, 'cluster')}"
    return f"{counted(topics, 'topic')}{inside}"
