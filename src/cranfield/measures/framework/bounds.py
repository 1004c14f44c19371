"""Bounds of measures without a formula of their own: completions are tried; of sets, two counts tell all there is.

Of all completions that make n candidates relevant, a measure that rewards promotion is highest when
they are the first n of the list, and others only when there are no more of these; it is lowest when
they are documents that the list lacks, and only when there are no more of these the last of the
list. Trying every n is therefore exact where grades in between cannot matter: where documents are
relevant or not, or the largest grade is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cranfield.judged.completions import Bounds, Completions, open_documents
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gains import binary
from cranfield.plumbing.arrays import Floats, Integers

EVERY = 255
"""How many candidates a topic may have for every number of relevant ones to be tried; of more, as many numbers."""
_TRIED = 17  # How many numbers are tried where the bounds are not exact whatever number is tried


def tried_bounds(
    completions: Completions, score: Callable[[JudgedRankings], Floats], *, by_number: bool, in_between: bool
) -> Bounds:
    """Try completions of the rankings of one run."""
    exact = by_number and not in_between and int(completions.open.all.max(initial=0)) <= EVERY
    low = high = score(completions.rankings)  # with the candidates unjudged, as they are
    for completed in _extremes(completions, _TRIED if in_between else EVERY) if by_number else _corners(completions):
        values = score(completed)
        low, high = np.minimum(low, values), np.maximum(high, values)
    return Bounds(low, high, "exact" if exact else "tried")


def _extremes(completions: Completions, many: int) -> Iterator[JudgedRankings]:
    """Give the best and the worst completion of every number of relevant candidates, or of many numbers."""
    for count in _of_each(completions.open.all, many):
        yield from completions.with_relevant(count)


def _corners(completions: Completions) -> Iterator[JudgedRankings]:
    """Give completions with some of the first or last candidates of the list, and none or all of the others."""
    own, others = completions.open.own, completions.open.others
    for count in _of_each(own, _TRIED):
        for rest in (np.zeros_like(others), others):
            yield completions.judged(count, rest, first=True)
            yield completions.judged(count, rest, first=False)
    for count in _of_each(others, _TRIED):
        yield completions.judged(np.zeros_like(own), count, first=True)


def _of_each(most: Integers, many: int) -> Integers:
    """Return the numbers that are tried of each row, whatever the other rows are: array of shape (numbers, rows)."""
    known, place = np.unique(most, return_inverse=True)
    numbers = [_numbers(int(each), many) for each in known]
    longest = max(map(len, numbers), default=0)
    padded = [np.pad(each, (0, longest - len(each)), mode="edge") for each in numbers]
    return np.array(padded, np.int64).reshape(len(known), longest)[place].T


def _numbers(most: int, many: int) -> Integers:
    """Return the numbers from 0 to the most there can be; where these are too many, the larger the sparser."""
    if most <= many:
        return np.arange(most + 1)
    return np.unique(np.append(0, np.geomspace(1, most, many).round().astype(np.int64)))


def bounds_of_counts(
    rankings: JudgedRankings,
    rel: float | None,
    found: Floats,
    known: Floats,
    worth: Callable[[Floats, Floats], Floats],
) -> Bounds:
    """Bound a value that rises or falls with each of two numbers, by ``worth`` of (rows, choices) of both."""
    open_ = open_documents(rankings)
    can_be = float(binary(rankings.judgments.scale, rel))
    own = np.minimum(np.arange(int(open_.own.max(initial=0)) + 1), open_.own[:, np.newaxis]) * can_be
    others = open_.others[:, np.newaxis] * can_be
    values = np.hstack(
        [worth(found[:, np.newaxis] + own, known[:, np.newaxis] + own + rest) for rest in (0 * others, others)]
    )
    return Bounds(values.min(axis=1), values.max(axis=1), "exact")
