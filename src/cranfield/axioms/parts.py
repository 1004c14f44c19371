"""Values in parts, so that what two rankings have in common cancels out before anything is added up.

Of RBP with p = 0.3, an exchange at rank 30 changes a value of about 1 by 10^-16, which no sum of 64
bits shows. The parts that the two rankings do not share do.
"""

from __future__ import annotations

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.adaptive_user_models import ERR
from cranfield.measures.framework.cascades import stopping
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.prefix_steps import Stepwise
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Floats


def parts_of(measure: Measure, rankings: JudgedRankings) -> Floats | None:
    """Take the value of each ranking apart by rank, in one unit for all; None for measures that cannot be.

    Returns
    -------
    Array of shape (rows, parts), whose sums over the parts are in proportion to the values.

    >>> from cranfield.measures import AP, RBP
    >>> from cranfield.judged.rankings import one_ranking
    >>> parts_of(RBP(p=0.5), one_ranking([1, 0, 1])).tolist(), parts_of(AP(), one_ranking([1])) is None
    ([[1.0, 0.0, 0.25]], True)
    """
    rankings = rankings.cut(measure.cutoff)
    depth = int(rankings.length.max(initial=0))
    if isinstance(measure, Stepwise):
        return measure.parts(rankings)
    if isinstance(measure, UserModel) and type(measure).compute is UserModel.compute:
        cells, gain = measure.gainful(rankings)
        return cells.table(measure.view(cells.rank) * gain, depth)
    if type(measure) is ERR:
        cells, chance = measure.gainful(rankings)
        return cells.table(stopping(cells, chance) / cells.rank, depth)
    return None
