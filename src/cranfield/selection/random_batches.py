"""How many relevant documents can be left? Only documents drawn at random from what is left can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from cranfield.plumbing.arrays import Integers
from cranfield.selection.state import State

PURPOSE = 1
"""Last of the numbers that seed a batch, so that no method draws by the same ones."""

Records: TypeAlias = Sequence[tuple[str, str, float | None]]
"""Topic, document and grade of what was recorded; the grade is None where the document was skipped."""


class RandomBatch(NamedTuple):
    """Documents drawn at random, without replacement, from all that could still be judged.

    Attributes
    ----------
    after
        After how many records it was drawn.
    open
        How many documents could still be judged then.
    documents
        Topic and document of those drawn.
    """

    after: int
    open: int
    documents: tuple[tuple[str, str], ...]

    def told(self, state: State, records: Records) -> Told:
        """Say what is known of it by now."""
        grade = state.grade[[state.candidates.place(*document) for document in self.documents]]
        since = [grade for _, _, grade in records[self.after :] if grade is not None]
        relevant = int((np.isnan(grade) | (grade > 0)).sum())
        return Told(self.open, len(self.documents), relevant, sum(grade > 0 for grade in since))


class Told(NamedTuple):
    """What a random batch tells.

    Attributes
    ----------
    open, size
        How many documents could still be judged when it was drawn, and how many of them were drawn.
    relevant
        How many of those drawn are relevant. One that has no grade (yet) is taken for relevant.
    found
        How many relevant documents were found since, whether drawn or chosen.

    Examples
    --------
    Of 20 documents 10 were drawn, and none is relevant. If 5 of the 20 are, that happens with
    probability (15·14·13· 12·11) / (20·19·18·17·16) · ... = .016; if 4 are, with .043; if 3 are,
    with .105:

    >>> told = Told(open=20, size=10, relevant=0, found=0)
    >>> told.most_left(0.05), told.most_left(0.02)
    (3, 4)
    """

    open: int
    size: int
    relevant: int
    found: int

    def most_left(self, level: float) -> int:
        """Return a bound on the relevant documents that are left, which is too small with at most this probability."""
        return max(most_relevant(self.open, self.size, self.relevant, level) - self.found, 0)


def draw(state: State, size: int, *, batch: int, after: int) -> Integers:
    """Return the places of documents drawn at random from all that can still be judged; fewer if there are fewer."""
    left = np.flatnonzero(state.open)
    random = np.random.default_rng([state.seed, batch, after, PURPOSE])
    drawn: Integers = random.choice(left, min(size, len(left)), replace=False)
    return drawn


def most_relevant(population: int, sample: int, relevant: int, level: float) -> int:
    """How many documents of a population can be relevant, given how many of a random sample are?

    The largest K for which a sample has no more relevant documents than this one with a probability
    above the level: P(X ≤ relevant) > level, X hypergeometric. That is Clopper and Pearson's
    one-sided bound without replacement: it is below the true number with a probability of at most
    the level.

    >>> most_relevant(20, 10, 0, 0.05), most_relevant(20, 20, 4, 0.05)
    (3, 4)
    """
    from scipy.stats import hypergeom

    possible, impossible = relevant, population - sample + relevant + 1
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        if hypergeom.cdf(relevant, population, middle, sample) > level:
            possible = middle
        else:
            impossible = middle
    return possible
