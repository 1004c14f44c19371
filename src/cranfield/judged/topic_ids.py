"""What ids of topics tell: turns of one conversation are mostly called ``31_1``, ``31_2``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding

LIKE_CLUSTERS: Final = "clusters"
"""The code of what is found."""
_NUMBERED: Final = re.compile(r"(.+)[_#./-]\d+")
_DATED: Final = re.compile(r"(19|20)\d\d([-./_]\d\d?)?")
"""A year, or a month of one: a series of topics is this long of tracks, or of a log."""
FEWEST_PREFIXES: Final = 5
"""Ids of fewer prefixes are rather those of parts, such as tracks or languages, or all begin with one name."""


class SharedPrefixes(NamedTuple):
    """Topics whose ids share what stands before their number with another."""

    topics: int  # how many they are
    prefixes: int  # how many different prefixes they have
    example: tuple[str, str, str]  # two of them, and their prefix

    @property
    def says(self) -> str:
        """Say that they look clustered, and what to write."""
        one, other, prefix = self.example
        return (
            f"{counted(self.topics, 'topic')} look like parts of {counted(self.prefixes, 'cluster')} ({one} and "
            f"{other} of {prefix}), and tests treat them as independent: --clusters FILE (clusters=) of compare, gate "
            f"and leaderboard reads lines such as `{one} {prefix}`"
        )


def shared_prefixes(topics: Sequence[str]) -> SharedPrefixes | None:
    """Which topics look as if they belonged together: most share all of their ids but a number at the end?

    >>> shared_prefixes([f"{talk}_{turn}" for talk in range(31, 37) for turn in (1, 2)])
    SharedPrefixes(topics=12, prefixes=6, example=('31_1', '31_2', '31'))
    >>> shared_prefixes([f"2020-{n}" for n in range(50)]), shared_prefixes(["401", "402"])
    (None, None)
    """
    prefix = {topic: match[1] for topic in topics if (match := _NUMBERED.fullmatch(topic))}
    many = Counter(prefix.values())
    together = {topic: of for topic, of in prefix.items() if many[of] > 1 and not _DATED.fullmatch(of)}
    different = set(together.values())
    if 2 * len(together) <= len(topics) or len(different) < FEWEST_PREFIXES:
        return None
    of = next(iter(together.values()))
    one, other = [topic for topic in together if together[topic] == of][:2]
    return SharedPrefixes(len(together), len(different), (one, other, of))


def like_clusters(topics: Sequence[str]) -> Iterator[Finding]:
    """Find topics whose ids look as if they belonged together."""
    if found := shared_prefixes(topics):
        yield Finding("remark", LIKE_CLUSTERS, found.topics, None, found.says)
