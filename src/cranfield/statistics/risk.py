"""Risk and reward against a baseline: how much is lost on the topics that get worse, how much gained on the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.options import NotNegative
from cranfield.plumbing.options import checked as option
from cranfield.statistics.differences import checked, standard_deviations


@dataclass(frozen=True)
class RiskReward:
    """What runs risk, and what they gain, each an array of shape (hypotheses,)."""

    # reward, risk: the mean gain and the mean loss, over all topics: both 0 or more, in the unit of the scores
    reward: Floats
    risk: Floats
    urisk: Floats  # reward less (1 + α) times risk, in the unit of the scores
    trisk: Floats  # the same in standard errors; NaN of one topic, and where no topic differs from another


def risk_reward(differences: npt.ArrayLike, alpha: float = 1.0) -> RiskReward:
    """What does a run gain on the topics where it beats its baseline, and what does it lose on the others?

    With d_t the difference from the baseline on topic t of n, more being better: reward = Σ max(d_t, 0) / n, risk = Σ
    max(−d_t, 0) / n, URisk = reward − (1 + α) · risk. URisk is the mean of x_t, which is d_t where that is not
    negative, and (1 + α) · d_t elsewhere; TRisk = URisk / (s / √n), with s the standard deviation (n − 1) of x_t. With
    α = 0, URisk is the mean difference, and TRisk the statistic of Student's paired t-test.

    Shapes: differences (hypotheses, topics).

    Paper: Wang, Bennett and Collins-Thompson (2012), "Robust ranking models via risk-sensitive optimization", SIGIR;
    Dinçer, Macdonald and Ounis (2014), "Hypothesis testing for the risk-sensitive evaluation of retrieval systems",
    SIGIR, for TRisk.

    Gains of 0.4 and 0.2 and a loss of 0.3, which counts twice: x is 0.4, 0.2, 0 and −0.6.

    >>> found = risk_reward([[0.4, 0.2, 0.0, -0.3]])
    >>> found.reward.round(3), found.risk.round(3), found.urisk.round(3) + 0, found.trisk.round(3) + 0
    (array([0.15]), array([0.075]), array([0.]), array([0.]))
    """
    values = checked(differences, fewest=1)
    weight = 1 + option("alpha", alpha, NotNegative)
    topics = values.shape[1]
    reward, risk = np.maximum(values, 0).mean(axis=1), np.maximum(-values, 0).mean(axis=1)
    urisk = reward - weight * risk
    trisk = np.full(len(values), np.nan)
    if topics > 1:
        spread = standard_deviations(np.where(values < 0, weight * values, values))
        np.divide(urisk * np.sqrt(topics), spread, out=trisk, where=spread > 0)
    return RiskReward(reward, risk, urisk, trisk)
