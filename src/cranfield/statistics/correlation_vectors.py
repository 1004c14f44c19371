"""Rankings as vectors, whose products are correlations.

Each coefficient is a product of two vectors, divided by their sizes. Kendall's is a product of
signs: for each pair of systems, which one is better. That gives all against all as one matrix
product, and thousands of pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, ratio
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import pairs, slices_that_fit
from cranfield.statistics.on_paper import levelled, side
from cranfield.statistics.ranks import mean_ranks, spans


class Vectors(NamedTuple):
    """A vector for each ranking, on the last axis, and the square of its size: 0 if the ranking ties all systems."""

    values: Floats
    square: Floats


Side: TypeAlias = Callable[[Floats], Vectors]


def signs(scores: Floats) -> Floats:
    """Return 1, 0 or -1 for each pair of systems: is the first the better one? 0 where a score is NaN, too."""
    first, second = pairs(scores.shape[-1])
    one, other = scores[..., first], scores[..., second]
    return (one > other).astype(np.float64) - (one < other)


def _all_pairs(scores: Floats) -> Vectors:
    values = signs(scores)
    return Vectors(values, np.full(values.shape[:-1], float(values.shape[-1])))


def _untied_pairs(scores: Floats) -> Vectors:
    values = signs(scores)
    return Vectors(values, np.square(values).sum(axis=-1))


def _truth(scores: Floats) -> Vectors:
    return Vectors(signs(scores), np.full(scores.shape[:-1], scores.shape[-1] - 1.0))


def _estimate(scores: Floats) -> Vectors:
    """Return the signs, each weighted by 1 / (i - 1), where i is the rank of the lower one of the pair.

    2 C(i) - (i - 1) is the sum of the products of the signs at rank i. Of a tied group, each system is at each of its
    ranks equally often, which makes the mean of 1 / (i - 1); and the pairs within it cancel out.
    """
    first_rank, last_rank = spans(-scores)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, scores.shape[-1]))])
    below = harmonic[last_rank - 1] - harmonic[np.maximum(first_rank - 2, 0)]
    weights = below / (last_rank - first_rank + 1)
    first, second = pairs(scores.shape[-1])
    values, square = _truth(scores)
    return Vectors(values * np.where(values > 0, weights[..., second], weights[..., first]), square)


def _both(one: Side, other: Side, scores: Floats) -> Vectors:
    a, b = one(scores), other(scores)
    return Vectors(np.concatenate([a.values, b.values], axis=-1), a.square + b.square)


def _deviations(scores: Floats) -> Vectors:
    """Return the deviations from the mean, in shares of the largest; exactly 0 if all scores are equal."""
    centred = scores - scores.mean(axis=-1, keepdims=True)
    centred = np.where(is_constant(scores)[..., None], 0.0, centred)
    values = ratio(centred, np.abs(centred).max(axis=-1, keepdims=True))
    return Vectors(values, np.square(values).sum(axis=-1))


def _of_orders(made: Side) -> Side:
    """Let scores that are equal on paper share a rank."""
    return lambda scores: made(levelled(scores))


def _alike(made: Side) -> tuple[Side, Side]:
    return made, made


VECTORS: dict[str, tuple[Side, Side]] = {
    "tau_b": _alike(_of_orders(_untied_pairs)),
    "tau_a": _alike(_of_orders(_all_pairs)),
    "tau_ap": (_of_orders(_estimate), _of_orders(_truth)),
    "tau_ap_symmetric": (
        _of_orders(partial(_both, _estimate, _truth)),
        _of_orders(partial(_both, _truth, _estimate)),
    ),
    "spearman": _alike(_of_orders(lambda scores: _deviations(mean_ranks(scores)))),
    "pearson": _alike(_deviations),
}


def vectors(kind: str) -> tuple[Side, Side]:
    """Return what makes the vectors of the first ranking and of the second, for a coefficient by its name."""
    if kind not in VECTORS:
        raise InputError(f"there is no correlation {kind!r}; choose from {', '.join(VECTORS)}")
    return VECTORS[kind]


def correlation(kind: str, x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return the correlations of x with y, computed a block of rankings at a time."""
    left, right = vectors(kind)
    xs, ys = checked_scores(x, y)
    systems = xs.shape[-1]
    xs, ys, shape = xs.reshape(-1, systems), ys.reshape(-1, systems), xs.shape[:-1]
    values = np.empty(len(xs))
    for block in slices_that_fit(len(xs), systems**2):
        one, other = left(xs[block]), right(ys[block])
        products = np.einsum("rp,rp->r", one.values, other.values)
        values[block] = divided(products, one.square * other.square)
    return values.reshape(shape)


def correlations(kind: str, scores: npt.ArrayLike) -> Floats:
    """Return the same for every pair of several measures, bit for bit, building the vectors of each once.

    Shapes: scores (measures, rankings, systems); the result (measures, measures, rankings).
    """
    left, right = vectors(kind)
    xs, _ = checked_scores(scores, scores)
    measures, rankings, systems = xs.shape
    values = np.empty((measures, measures, rankings))
    for block in slices_that_fit(rankings, measures * systems**2):
        rows = [left(each[block]) for each in xs]
        columns = rows if left is right else [right(each[block]) for each in xs]
        for a, b in np.ndindex(measures, measures):
            if b < a and left is right:
                values[a, b, block] = values[b, a, block]
            else:
                products = np.einsum("rp,rp->r", rows[a].values, columns[b].values)
                values[a, b, block] = divided(products, rows[a].square * columns[b].square)
    return values


def divided(products: Floats, squares: Floats) -> Floats:
    """Divide by the sizes; 0 where one of them is, and never beyond ±1 by rounding."""
    return np.clip(ratio(products, np.sqrt(squares)), -1.0, 1.0)


def is_constant(scores: Floats) -> Booleans:
    """Say of each ranking whether it ties all systems: whether all scores are equal on paper."""
    equal: Booleans = side(np.ptp(scores, axis=-1)) == 0
    return equal


def checked_scores(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return both as numbers of one shape, or say why they are not scores of the same systems."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.shape[-1:] != ys.shape[-1:]:
        raise InputError(f"x and y rank the same systems, but their shapes are {xs.shape} and {ys.shape}")
    if xs.ndim == 0 or xs.shape[-1] < 2:
        raise InputError("a rank correlation needs at least two systems")
    if not (np.isfinite(xs).all() and np.isfinite(ys).all()):
        raise InputError("a score is missing or infinite: a correlation needs a finite score for every system")
    try:
        one, other = np.broadcast_arrays(xs, ys)
    except ValueError:
        raise InputError(f"the shapes {xs.shape} and {ys.shape} do not broadcast") from None
    return one, other
