"""Conventions by their names, and by the topics of a collection whose figures follow one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cranfield.conventions.convention import Convention
from cranfield.conventions.tools import TOOLS
from cranfield.conventions.tracks import TRACKS
from cranfield.plumbing.errors import InputError

_CONVENTIONS: Final[Mapping[str, Convention]] = MappingProxyType({**TRACKS, **TOOLS})


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
    hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(_CONVENTIONS)}"
    raise InputError(f"no convention is called {name!r}; {hint}")


def recognised(topics: Sequence[str], grades: Iterable[float], documents: Iterable[str] = ()) -> Convention | None:
    """Tell which convention the official figures of a collection follow, where its judgments leave no doubt.

    Some of the judged documents tell passages of MS MARCO from documents, which were judged for the same topics of 2019
    at different levels, and the Web tracks' topics from others of their numbers.

    >>> recognised([str(topic) for topic in range(401, 451)], [0, 1]).name
    'trec-adhoc'
    >>> recognised([str(topic) for topic in range(1, 51)], [0, 1, 2])  # of many collections
    """
    found, kinds = frozenset(topics), set(grades)
    likely = [
        (convention, marks)
        for convention in TRACKS.values()
        if (marks := convention.marks) is not None
        and set(marks.grades) <= kinds <= {*marks.grades, *marks.further}
        and any(_are_of(found, of, marks.fewest) for of in marks.topics)
    ]
    ids = (list(documents) if likely else []) or [""]  # where none are known, what asks for a form is not met
    fits = [convention for convention, marks in likely if all(re.match(marks.documents, each) for each in ids)]
    return fits[0] if len(fits) == 1 else None


def _are_of(topics: frozenset[str], of: str, fewest: int | None) -> bool:
    """Whether these are the topics that `Marks.topics` describe, or enough of them."""
    if "-" not in of:
        from hashlib import sha256  # loads a large library

        count, digest = of.split()
        return len(topics) == int(count) and sha256(" ".join(sorted(topics)).encode()).hexdigest()[:16] == digest
    bounds = (map(int, each.split("-")) for each in of.split())
    there = frozenset(str(topic) for first, last in bounds for topic in range(first, last + 1))
    return topics == there if fewest is None else topics <= there and len(topics) >= fewest
