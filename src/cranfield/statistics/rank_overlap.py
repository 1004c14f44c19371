"""How much two rankings overlap, the top counting most: rank-biased overlap, with and without ties."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Level, Ties, checked, shown
from cranfield.statistics.differences import slices_that_fit


class RBO(NamedTuple):
    """Rank-biased overlap of two rankings, of which only the tops may be known.

    ``minimum`` is what is certain, whatever follows; ``minimum + residual`` is the most that it can become;
    ``extrapolated`` is the point estimate: the overlap goes on as it was.
    """

    minimum: float
    residual: float
    extrapolated: float


def rbo(a: Sequence[object], b: Sequence[object], p: float = 0.9, *, ties: Ties | None = None) -> RBO:
    r"""How much do two rankings overlap, for a user who goes on from each rank to the next with probability p?

    .. math:: \mathrm{RBO} = (1 - p) \sum_{d \ge 1} p^{d-1} A_d, \qquad A_d = \frac{X_d}{d}

    where X_d is the number of items that the first d of both rankings share. With ties, c(e, d) says to what part item
    e is among the first d, X_d sums the products of both rankings' c, and it is divided by n_d instead of d:

    ======== ============================================== ===============================================
    ``ties`` c(e, d)                                        n_d
    ======== ============================================== ===============================================
    "w"      1 from the rank on where e's tied group begins mean of both rankings' sums of c
    "a"      chance that e is among the first d, if ties    d
             are broken at random
    "b"      as "a"                                         geometric mean of both rankings' sums of c²
    ======== ============================================== ===============================================

    With "w" and "b" the agreement of a ranking with itself is 1; with "a" it is not, where there are ties. All are the
    same where there are none.

    Parameters
    ----------
    a, b
        Rankings, best first, of any lengths; their order does not matter. Items are hashable. A list, tuple or set
        within a ranking is a group of tied items.
    p
        Persistence, above 0 and below 1. The first 10 ranks hold 86% of the weight at p = 0.9.
    ties
        What a tie means; without it, there must be none.

    Returns
    -------
    RBO
        Minimum, residual and extrapolated value. What follows after the end of a ranking is not known; for the bounds,
        it is taken to have no ties.

    Raises
    ------
    InputError
        If p is out of range, a ranking is empty or has an item twice, or there are ties that nobody said what to do
        with.

    Paper: W. Webber, A. Moffat, J. Zobel (2010), A similarity measure for indefinite rankings, ACM TOIS 28(4): the
    minimum is equation 11, the residual equation 30, the extrapolated value equation 32. Ties, and the bounds and
    estimates with them: M. Corsi, J. Urbano (2024), The treatment of ties in rank-biased overlap, SIGIR.

    Examples
    --------
    The overlap is 0, 1 and 2 at the ranks 1, 2 and 3. Extrapolated, it stays two thirds:
    (1 - p)(p · 1/2 + p² · 2/3) + p³ · 2/3 at p = 1/2.

    >>> minimum, residual, extrapolated = rbo(["a", "b", "c"], ["b", "d", "a"], p=0.5)
    >>> round(extrapolated, 6), round((0.5 * 1 / 2 + 0.25 * 2 / 3) / 2 + 0.125 * 2 / 3, 6)
    (0.291667, 0.291667)
    >>> round(minimum, 4), round(minimum + residual, 4)
    (0.2613, 0.3333)

    Here b and c are tied. With "w" the sums of c are 1 and 2, 3 and 2, 3 and 3, and the overlaps 0, 2 and 3:

    >>> tied = rbo(["a", {"b", "c"}], [{"b", "c"}, "a"], p=0.5, ties="w")
    >>> round(tied.extrapolated, 6), round(0.5 * 0 / 1.5 + 0.25 * 2 / 2.5 + 0.25 * 3 / 3, 6)
    (0.45, 0.45)
    """
    p = checked("the persistence p of RBO", p, Level)
    if ties not in (None, "w", "a", "b"):
        raise InputError(f"ties is 'w', 'a' or 'b', not {ties!r}")
    short, long = sorted((_places(a, "first"), _places(b, "second")), key=lambda places: len(places.items))
    if ties is None and (short.tied.max() > 1 or long.tied.max() > 1):
        raise InputError("a ranking has ties: set their meaning with ties='w', 'a' or 'b'")
    return _bounds(_by_depth(short, long, ties or "w"), len(short.items), p)


def rbo_of_all(ranks: Integers, p: float = 0.9) -> Floats:
    r"""How much do each two of many rankings overlap? The extrapolated value of `rbo`, for all pairs at once.

    An item at the ranks i and j is among the first d of both from d = max(i, j) on, so that the sum over depths is one
    over the shared items:

    .. math:: \sum_{d \ge 1} \frac{p^d}{d} X_d = \sum_{e} T(\max(i_e, j_e)), \qquad T(m) = \sum_{d \ge m} p^d / d

    Shapes: ranks (rankings, items), 0 where an item is missing; the result (rankings, rankings).

    The rankings a, b, c and b, d, a; see `rbo`.

    >>> rbo_of_all(np.array([[1, 2, 3, 0], [3, 1, 0, 2]]), p=0.5).round(6)
    array([[1.      , 0.291667],
           [0.291667, 1.      ]])
    """
    p = checked("the persistence p of RBO", p, Level)
    length = (ranks > 0).sum(axis=1)
    deepest = int(length.max(initial=0))
    steps = p ** np.arange(1, deepest + 1) / np.arange(1, deepest + 1)
    # tail[m] is T(m), down to the end of the longest ranking and beyond; an item that is not shared adds nothing.
    beyond = -math.log1p(-p) - steps.sum()
    tail = np.concatenate([[0.0], beyond + steps[::-1].cumsum()[::-1], [beyond]])
    found = np.full((len(ranks), len(ranks)), np.nan)
    for one in np.flatnonzero(length):  # each with all that come after it
        items = np.flatnonzero(ranks[one])
        others = one + np.flatnonzero(length[one:])
        there = ranks[others][:, items]
        deeper = np.where(there > 0, np.maximum(there, ranks[one, items]), 0)
        short, long = np.minimum(length[one], length[others]), np.maximum(length[one], length[others])
        shared = (deeper > 0).sum(axis=1)
        agreed = ((deeper > 0) & (deeper <= short[:, np.newaxis])).sum(axis=1) / short
        scale = (1 - p) / p
        known = scale * (tail[deeper].sum(axis=1) - shared * tail[long + 1])
        # Below the end of the shorter ranking, it agrees with the longer one as much as it did.
        gone_on = (p**short - p**long) - scale * short * (tail[short + 1] - tail[long + 1])
        value = known + agreed * gone_on + p**long * (shared + (long - short) * agreed) / long
        found[one, others] = found[others, one] = value
    return found


def rbo_of_scores(x: Mapping[str, float], y: Mapping[str, float], p: float = 0.9, *, ties: Ties = "w") -> RBO:
    """How much do two rankings overlap that are given by scores? Items with equal scores are tied.

    >>> scores = {"bm25": 0.3, "tfidf": 0.2, "random": 0.2}
    >>> round(rbo_of_scores(scores, {"bm25": 0.8, "random": 0.5, "tfidf": 0.5}).extrapolated, 6)
    1.0
    """
    return rbo(_groups(x), _groups(y), p, ties=ties)


def _groups(scores: Mapping[str, float]) -> list[list[str]]:
    """Return the items by falling score, those with the same score together."""
    for item, score in scores.items():
        if math.isnan(score):
            raise InputError(f"the score of {item!r} is not a number, and so it has no rank")
    ordered = sorted(scores, key=lambda item: scores[item], reverse=True)
    return [list(group) for _, group in groupby(ordered, key=lambda item: scores[item])]


class _Places(NamedTuple):
    """The items of a ranking; how many are ranked above each; how many share its place, itself among them."""

    items: list[Hashable]
    above: Integers
    tied: Integers


def _places(ranking: Sequence[object], name: str) -> _Places:
    groups = [list(item) if isinstance(item, list | tuple | set | frozenset) else [item] for item in ranking]
    items = [item for group in groups for item in group]
    if not items:
        raise InputError(f"the {name} ranking is empty: RBO needs at least one item in each")
    seen: set[Hashable] = set()
    for item in items:
        if not isinstance(item, Hashable):
            raise InputError(f"the {name} ranking has {shown(item)}, which cannot be looked for in the other")
        if item in seen:
            raise InputError(f"the {name} ranking has the item {item!r} twice")
        seen.add(item)
    sizes = np.array([len(group) for group in groups])
    return _Places(items, np.repeat(starts(sizes), sizes), np.repeat(sizes, sizes))


def _presence(places: _Places, depths: Integers, ties: Ties) -> Floats:
    """Return to what part each item is among the first d, as (depths, items)."""
    reached = depths[:, None] - places.above
    return (reached > 0).astype(np.float64) if ties == "w" else np.clip(reached / places.tied, 0.0, 1.0)


class _ByDepth(NamedTuple):
    """The overlap at each depth down to the end of the longer ranking, and what it is divided by (n_d)."""

    least: Floats
    most: Floats
    likely: Floats
    size: Floats


def _by_depth(short: _Places, long: _Places, ties: Ties) -> _ByDepth:
    depths = np.arange(1, len(long.items) + 1)
    place = {item: j for j, item in enumerate(long.items)}
    shared = [(i, place[item]) for i, item in enumerate(short.items) if item in place]
    of_short, of_long = np.array(shared, dtype=np.intp).reshape(-1, 2).T
    if short.tied.max() == long.tied.max() == 1:
        return _untied(short, depths, of_short, of_long)
    # Some depths at a time, so that lists of 10,000 do not make tables of 10,000 × 10,000.
    blocks = [
        _tied(short, long, depths[block], of_short, of_long, ties)
        for block in slices_that_fit(len(depths), len(depths))
    ]
    least, more, continued, size = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    end = len(short.items) - 1
    return _ByDepth(least, least + more, least + least[end] / size[end] * continued, size)


def _tied(
    short: _Places, long: _Places, depths: Integers, of_short: Integers, of_long: Integers, ties: Ties
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the overlap at these depths; what could be added to it, at most, and by agreement; and the sizes."""
    in_short, in_long = _presence(short, depths, ties), _presence(long, depths, ties)
    least: Floats = (in_short[:, of_short] * in_long[:, of_long]).sum(axis=1)
    unseen = np.maximum(depths - len(short.items), 0)
    # What the shorter ranking could go on with: at best, the longer one's other items, from the top.
    others = np.delete(in_long, of_long, axis=1)
    more: Floats = (others * (np.arange(others.shape[1]) < unseen[:, None])).sum(axis=1)
    begun = np.maximum(np.count_nonzero(others, axis=1), 1)
    continued: Floats = unseen * others.sum(axis=1) / begun
    return least, more, continued, _sizes(in_short, in_long, unseen, ties)


def _untied(short: _Places, depths: Integers, of_short: Integers, of_long: Integers) -> _ByDepth:
    """Return the same where nothing is tied, by counting; then it does not matter what a tie means."""
    least = np.bincount(np.maximum(of_short, of_long), minlength=len(depths)).cumsum().astype(np.float64)
    unseen = np.maximum(depths - len(short.items), 0)
    others = depths - np.bincount(of_long, minlength=len(depths)).cumsum()
    end = len(short.items) - 1
    likely = least + np.where(others > 0, unseen * (least[end] / depths[end]), 0.0)
    return _ByDepth(least, least + np.minimum(others, unseen), likely, depths.astype(np.float64))


def _sizes(in_short: Floats, in_long: Floats, unseen: Integers, ties: Ties) -> Floats:
    """Return what the overlap at each depth is divided by; unseen items have no ties."""
    if ties == "b":
        squares: Floats = ((in_short**2).sum(axis=1) + unseen) * (in_long**2).sum(axis=1)
        return squares**0.5
    sums: Floats = in_short.sum(axis=1) + unseen + in_long.sum(axis=1)
    return sums / 2  # with "a", either sum is d


def _bounds(by_depth: _ByDepth, s: int, p: float) -> RBO:
    """Return the values, by adding to the sums down to depth l what can follow for ever."""
    least, most, likely, size = by_depth
    depth = len(size)
    d = np.arange(1, depth + 1)
    scale, weight = (1 - p) / p, p**d
    end = least[-1]
    rest = -math.log1p(-p) - (weight / d).sum()  # of the series of p^d / d
    minimum = scale * ((weight * least / size).sum() + end * rest)
    # At most, each rank brings two more shared items, until at depth full both rankings hold the same.
    full = round(depth + s - end)
    beyond = np.arange(depth + 1, full + 1)
    growing = (p**beyond * (2 * beyond - full) / beyond).sum()
    maximum = scale * ((weight * most / size).sum() + growing) + p**full
    extrapolated = scale * (weight * likely / size).sum() + p**depth * likely[-1] / size[-1]
    return RBO(float(minimum), max(float(maximum - minimum), 0.0), float(extrapolated))
