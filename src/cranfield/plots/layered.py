"""A partial order on the page: nodes in layers, lines that bend around the layers they pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers

SWEEPS: Final = 24
"""So often each layer is put in the order of those that it is tied to."""
BEND: Final = 0.35
"""How much room a line takes in a layer that it passes, next to the 1 of a node."""


@dataclass(frozen=True, eq=False)
class Layered:
    """Where nodes stand within their layers, and through which places lines go.

    Attributes
    ----------
    place
        Array of shape (nodes,): within the layer, the middle at 0, neighbours at least 1 apart.
    paths
        For each line its points, (layer, place), from node to node.
    """

    place: Floats
    paths: list[list[tuple[int, float]]]


def layered(layer: Integers, edges: Sequence[tuple[int, int]]) -> Layered:
    """Place nodes so that few lines cross, and none goes through a node.

    A line that passes layers has a place of its own in each of them. Layers are then ordered, again and again, by the
    mean place of what their members are tied to in the layer before, and in the one behind; of all the orders that
    come by, the one in which the fewest lines cross is taken. (Sugiyama, Tagawa and Toda, 1981.)

    Shapes: layer (nodes,).

    The line from 0 to 3 passes the layer of 2:

    >>> found = layered(np.array([0, 0, 1, 2]), [(1, 2), (2, 3), (0, 3)])
    >>> [[step for step, _ in path] for path in found.paths]
    [[0, 1], [1, 2], [0, 1, 2]]
    """
    of = list(map(int, layer))
    chains = []
    for one, other in edges:
        between = range(len(of), len(of) + of[other] - of[one] - 1)
        of += range(of[one] + 1, of[other])
        chains.append([one, *between, other])
    level, steps = np.array(of), np.array([pair for chain in chains for pair in pairwise(chain)])
    size = np.where(np.arange(len(of)) < len(layer), 1.0, BEND)
    members = [np.flatnonzero(level == each) for each in range(level.max(initial=-1) + 1)]
    best, fewest = _spread(members, size), None
    place = best
    for sweep in range(SWEEPS if len(steps) else 0):
        downwards = sweep % 2 == 0
        for here in range(1, len(members)) if downwards else range(len(members) - 2, -1, -1):
            members[here] = _by_middle(members[here], place, steps if downwards else steps[:, ::-1])
            place = _spread(members, size)
        crossed = _crossings(level, place, steps)
        if fewest is None or crossed < fewest:
            best, fewest = place, crossed
    return Layered(best[: len(layer)], [[(of[node], float(best[node])) for node in chain] for chain in chains])


def _spread(members: Sequence[Integers], size: Floats) -> Floats:
    """Put the members of each layer side by side, in their order, around 0."""
    place = np.zeros(len(size))
    for nodes in members:
        room = size[nodes]
        middle = np.cumsum(room) - room / 2
        place[nodes] = middle - room.sum() / 2
    return place


def _by_middle(nodes: Integers, place: Floats, steps: Integers) -> Integers:
    """Order the nodes of a layer by the mean place of what leads to them; those that nothing leads to stay."""
    middle = place[nodes].copy()
    for i, node in enumerate(nodes):
        before = steps[steps[:, 1] == node, 0]
        if len(before):
            middle[i] = place[before].mean()
    return nodes[np.argsort(middle, kind="stable")]


def _crossings(level: Integers, place: Floats, steps: Integers) -> int:
    """Count the pairs of lines that cross between two layers."""
    total = 0
    for each in np.unique(level[steps[:, 0]]):
        here = steps[level[steps[:, 0]] == each]
        start, end = place[here[:, 0]], place[here[:, 1]]
        total += int(((start[:, None] < start) & (end[:, None] > end)).sum())
    return total
