"""Conventions by their names, and by the topics of a collection whose figures follow one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cranfield.conventions.convention import Convention
from cranfield.conventions.tools import TOOLS
from cranfield.conventions.tracks import TRACKS
from cranfield.plumbing.errors import InputError

_CONVENTIONS: Final[Mapping[str, Convention]] = MappingProxyType({**TRACKS, **TOOLS})
"""All conventions by their names: those of tracks, and those of tools."""


def named(name: str) -> Convention:
    """Find a convention.

    >>> named("trec-dl").rel
    2
    >>> named("trec-deep")
    Traceback (most recent call last):
    ...
    cranfield.InputError: no convention is called 'trec-deep'; did you mean trec-dl or trec-web or trec-dl-v2?
    """
    if name in _CONVENTIONS:
        return _CONVENTIONS[name]
    from difflib import get_close_matches

    close = get_close_matches(name.lower().replace("_", "-"), _CONVENTIONS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(_CONVENTIONS)}"
    raise InputError(f"no convention is called {name!r}; {hint}")


def recognised(topics: Sequence[str], grades: Iterable[float], documents: Sequence[str] = ()) -> Convention | None:
    """Tell which convention the official figures of a collection follow, where its topics leave no doubt.

    Some of the judged documents tell passages of MS MARCO from documents, which were judged for the same topics of 2019
    at different levels, and the Web tracks' topics from others of their numbers.

    >>> recognised([str(topic) for topic in range(401, 451)], [0, 1]).name
    'trec-adhoc'
    >>> recognised([str(topic) for topic in range(1, 51)], [0, 1, 2])  # of many collections
    """
    found, kinds = frozenset(topics), set(grades)
    if found in _AD_HOC and kinds == {0, 1}:
        return TRACKS["trec-adhoc"]
    if found == _ROBUST_2004 and kinds == {0, 1, 2}:
        return TRACKS["trec-robust"]
    if kinds <= {0, 1, 2, 3} and len(found) in _DEEP_LEARNING and _digest(found) == _DEEP_LEARNING[len(found)]:
        if documents and all(document.isdigit() for document in documents):
            return TRACKS["trec-dl"]
        if documents and all(document.startswith("D") for document in documents):
            return TRACKS["trec-dl-doc"]
    if documents and all(document.startswith("clueweb") for document in documents):
        return TRACKS["trec-web"] if any(found <= year for year in _WEB) else None
    return None


def _range(first: int, last: int) -> frozenset[str]:
    return frozenset(map(str, range(first, last + 1)))


def _digest(topics: Iterable[str]) -> str:
    from hashlib import sha256  # loads a large library

    return sha256(" ".join(sorted(topics)).encode()).hexdigest()[:16]


_AD_HOC: Final = {_range(first, first + 49) for first in range(51, 402, 50)}
"""The topics of TREC-1 to TREC-8, fifty each: judged relevant or not."""
_WEB: Final = [_range(first, first + 49) for first in range(51, 252, 50)]
"""The topics of the Web tracks of 2010 to 2014; of some years not all were judged."""
_ROBUST_2004: Final = (_range(301, 450) | _range(601, 700)) - {"672"}
"""Topic 672 has no relevant document, and was left out."""
_DEEP_LEARNING: Final = {43: "761275fbbb7ee0f0", 54: "442a71b7610045b1"}
"""Digests of the topics that were judged, by how many they are: of 2019, and of the passages of 2020."""
