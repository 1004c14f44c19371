"""Lists whose reader is misled by some of what they hold: distracting passages have a negative utility."""

from __future__ import annotations

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.plumbing.arrays import Floats, ratio


class MeanUtility(GainMeasure):
    """What is a passage of the list worth on average, if distracting ones harm?

    MeanUtility@k = (1/m) Σ_{i ≤ m} u(i), m = min(k, n)

    A passage of grade g has the share s = g / max(1, largest grade of the qrels), no less than -1. Its
    utility u is s where it is relevant (g > 0), harm · s where it distracts (g < 0), and 0 where it is
    neither or was not judged. Grades between -1 and 1 are taken as they are. All ranks count the same.
    The value is at most 1 and at least -harm; an empty list has 0, more than one that only distracts.

    Paper: Trappolini, Cuconasu, Filice, Maarek and Silvestri (2026), "Redefining retrieval evaluation
    in the era of LLMs", EACL (arXiv 2510.21440): what UDCG takes the sigmoid of. That grades tell the
    utility, and that an empty list has 0, is ours.

    >>> round(MeanUtility().of([1, -0.6, None]), 4)  # (1 - 0.6/3) / 3
    0.2667
    """

    looked_for = ("distracting", "distractor", "RAG", "negative")
    range = (-1.0, 1.0)
    uses_recall_base = False
    rises_with_grades = True
    gains_below = True  # of other measures it depends on gains=
    harm: float = parameter(1 / 3, "weight of a distracting document; a relevant one has 1", at_least=0, at_most=1)
    cutoff: int | None = cutoff()

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """u: the share of full utility, or of full harm."""
        share = np.maximum(np.asarray(grade, np.float64) / max(1.0, top_grade), -1.0)
        return np.where(share > 0, share, self.harm * share)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Utility over length."""
        cells, utility = self.gainful(rankings)
        return ratio(cells.sum(utility), rankings.length.astype(float))


class UDCG(MeanUtility):
    """How well does the list serve a language model, which reads all of it and is misled by distracting passages?

    UDCG@k = 1 / (1 + exp(-MeanUtility@k)), and 0 for an empty list

    MeanUtility@k = (1/m) Σ_{i ≤ m} u(i), m = min(k, n)

    A passage of grade g has the share s = g / max(1, largest grade of the qrels), no less than -1. Its
    utility u is s where it is relevant (g > 0), harm · s where it distracts (g < 0), and 0 where it is
    neither or was not judged. There is no discount by rank, whatever the name says. As the authors'
    program computes it, u is 1 less the chance that the model declines to answer from this passage
    alone, and a third of it, taken off, for a passage that is not relevant: grades between -1 and 1 are
    taken for that. Values of lists that hold anything lie between 1 / (1 + exp(harm)) and 0.7311.

    Paper: Trappolini, Cuconasu, Filice, Maarek and Silvestri (2026), "Redefining retrieval evaluation
    in the era of LLMs", EACL (arXiv 2510.21440), and the authors' program (GiovanniTRA/UDCG,
    compute_udcg_scores.py), whose arithmetic this is. Judgments as grades are ours.

    >>> round(UDCG().of([0.9, -0.6, None]), 4)  # 1 / (1 + exp(-(0.9 - 0.6/3) / 3))
    0.5581
    """

    range = (0.0, 1.0)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sigmoid of the mean utility."""
        return np.where(rankings.length > 0, 1 / (1 + np.exp(-super().compute(rankings))), 0.0)
