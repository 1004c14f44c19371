"""No worse than another system, or as good: what a test that finds no difference does not show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.options import Positive
from cranfield.plumbing.options import checked as option
from cranfield.statistics.differences import checked
from cranfield.statistics.weighted_means import weighted_t_test


@dataclass(frozen=True)
class Equivalence:
    """What the tests against a margin found, hypothesis by hypothesis."""

    p_not_worse: Floats  # how likely means so high, or higher, would be, were a worse than b by the margin
    p_not_better: Floats  # how likely means so low, or lower, would be, were a better than b by the margin

    @property
    def p_equivalent(self) -> Floats:
        """P of equivalence: neither worse nor better by the margin, hence the larger of both."""
        return np.maximum(self.p_not_worse, self.p_not_better)


def equivalence(differences: npt.ArrayLike, margin: float, weights: npt.ArrayLike | None = None) -> Equivalence:
    r"""Is a worse than b by no more than a margin, and are they as good as each other?

    Two one-sided paired t tests,

    .. math::
        t_{worse} = \frac{\bar d + \delta}{s / \sqrt n} \quad \textrm{and} \quad
        t_{better} = \frac{\bar d - \delta}{s / \sqrt n}

    the first large where a is not worse (non-inferiority), the second small where a is not better. Both are significant
    at α where the 1 − 2α confidence interval of the mean difference is inside the margins, and α is kept though there
    are two of them: a cannot be worse and better at once.

    Shapes: differences (hypotheses, topics).

    Paper: Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power approach for assessing
    the equivalence of average bioavailability".

    Differences 0, 0.1, 0.2 have s / √n = 0.1 / √3, and are 0.2 above -0.1, hence t = 2 √3: a is not worse. They are 0
    below 0.1, hence p = 1/2: it may well be better.

    >>> found = equivalence([[0.0, 0.1, 0.2]], margin=0.1)
    >>> found.p_not_worse.round(4), found.p_not_better.round(4), found.p_equivalent.round(4)
    (array([0.0371]), array([0.5]), array([0.5]))
    """
    margin = option("margin", margin, Positive)
    rows = checked(differences)
    return Equivalence(
        weighted_t_test(rows + margin, weights, "greater").p, weighted_t_test(rows - margin, weights, "less").p
    )
