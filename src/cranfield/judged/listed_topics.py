"""The topics that were asked: those of a list count, with judgments or without."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.wording import counted

TopicsFileLike: TypeAlias = str | os.PathLike[str] | Iterable[Any]
"""What may be given: a file of topics, or their ids (the keys of a dict among them)."""


@dataclass(frozen=True)
class ListedTopics(Taken):
    """The ids of all topics that were asked, each once, and how they were given: a file, or their number in words.

    >>> ListedTopics.taken(["q1", "q2", "q1"]).topics
    ('q1', 'q2')
    """

    given: str
    topics: tuple[str, ...]

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read a file (an id in each line, alone or before a text; one of TREC's topics; JSON lines) or ids."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str | os.PathLike):
            from cranfield.formats.files import called
            from cranfield.formats.ids import read_topics

            return cls(called(value), tuple(read_topics(value)))
        if isinstance(value, bytes) or not isinstance(value, Iterable):
            raise InputError(f"topics_file must be a file, or ids of topics in a list, not {shown(value)}")
        from cranfield.formats.topic_tables import an_id

        topics = tuple(dict.fromkeys(an_id(topic, "topic") for topic in value))
        if not topics:
            raise InputError("topics_file lists no topic")
        return cls(counted(len(topics), "topic"), topics)

    def __str__(self) -> str:
        return self.given

    def __repr__(self) -> str:
        return repr(self.given)
