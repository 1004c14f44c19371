r"""What do the judgments so far say of sums over all candidates: a run's score, and the difference of two?

A weighted sum over ranks is, of one run, Σ w g over the candidates, w being the weight of the
document's rank over the number of topics and g the gain of its grade. What is judged is known
exactly. Of the rest the audit (`RandomAudit`) draws at random: with v the weights of the sum, r documents left
to draw, and T the sum over documents that are known or were drawn before, the next draw has the expectation
μ = (M - T) / r of v g, if M is the sum over all. A stake on a larger one,

.. math::
    \prod_j \Big(1 + \kappa\, \frac{v_j g_j - \mu_j(M)}{c_j + \mu_j(M)}\Big), \qquad 0 < \kappa < 1,

with -c the least that a document left to draw may add, is a wealth that never falls below 0 and, if the sum is at most
M, does not grow on average: it ever reaches 1/α with a probability of at most α. That holds for the mean of several
wealths, too, one for each of `STAKES`. Each judgment counts once: as known, or as a draw.

Predicted gains f of all candidates that were fixed before (cheap labels) are control variates: v f is known of all, and
v (g - f) is drawn. What the audit cannot draw stays a range: documents that ``among`` leaves out, and what is below the
ends of lists.

Paper: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", JRSS B 86(1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import RUN
from cranfield.scoring.judged_runs import open_qrels
from cranfield.scoring.orientation import best_first
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import looked_up
from cranfield.selection.judgment_audit import RandomAudit, mean_of_logs
from cranfield.selection.state import State, weights_by_rank

STAKES: Final = np.array([0.05, 0.2, 0.5, 0.8, 0.95])
"""Shares of what can be staked on a draw of a bounded value; one wealth each, and their mean counts."""
MEAN_ROUNDING: Final = 1e-12
"""What sums of mean scores may be off by."""
HALVINGS: Final = 40
"""This many halvings find an end of an interval."""


class WeightedSum(NamedTuple):
    """A sum over candidates, drawn along the audit: what each step knows of it."""

    drawn: Floats  # by draw: v (g - f), the least that it may be where the document was skipped
    before: Floats  # by draw: what is known of the sum then, v f of all that is not known included
    left: Floats  # by draw: documents left to draw
    reach: Floats  # by draw: c, the most that a document left to draw may take away
    least: float  # of the whole sum, by the judgments alone
    most: float  # of the whole sum
    apart: float  # the least that documents which cannot be drawn may add, and what is below the ends of lists

    def wealth(self, total: float) -> float:
        """Return the largest log of the wealth that was reached on the whole sum being more than this."""
        if self.least > total + MEAN_ROUNDING:
            return np.inf
        mean = (total - self.apart - self.before) / self.left
        room = self.reach + mean
        if (room < -MEAN_ROUNDING).any():
            return np.inf
        shares = np.divide(self.drawn - mean, room, out=np.zeros_like(room), where=room > MEAN_ROUNDING)
        log = mean_of_logs(np.cumsum(np.log1p(STAKES[:, np.newaxis] * np.maximum(shares, -1.0)), axis=1))
        return float(log.max(initial=0.0))

    def at_least(self, level: float) -> float:
        """Return the largest sum below which the true one is known not to be: with the level, whenever one looks."""
        low, high = self.least, self.most
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.wealth(middle) >= -np.log(level) else (low, middle)
        return low


@dataclass(frozen=True, eq=False)
class AuditedScores:
    """Scores of runs as far as judgments and the audit tell: see this module."""

    candidates: Candidates
    audit: RandomAudit
    measure: UserModel
    top_grade: float
    predicted: Floats | None = None  # by place: from 0 to 1, before anything was judged

    @classmethod
    def of(
        cls,
        candidates: Candidates,
        audit: RandomAudit,
        measure: UserModel,
        top_grade: float,
        cheap: QrelsLike | Judgments | None = None,
    ) -> AuditedScores:
        """Predict what candidates gain by cheap labels on the scale of the grades: 0 without one."""
        predicted = None
        if cheap is not None:
            label = np.nan_to_num(looked_up(candidates, open_qrels(cheap))).clip(0, top_grade)
            predicted = np.clip(measure.gain_of(label, top_grade), 0.0, 1.0)
        return cls(candidates, audit, measure, top_grade, predicted)

    def run(self, run: int, *, sign: int = 1) -> WeightedSum:
        """Return the sum that is one run's mean score, or with -1 the negative of it."""
        return self._line(sign * self._weights_of(run), *sorted((0.0, sign * float(self._below[run]))))

    def less(self, first: int, second: int) -> WeightedSum:
        """Return the sum that is the difference of two runs' mean scores."""
        between = self._weights_of(first) - self._weights_of(second)
        return self._line(between, -float(self._below[second]), float(self._below[first]))

    def leads(self, leader: int, rivals: Iterable[int]) -> Floats:
        """Return, by run, the log of the wealth on the leader being above it; infinite where none was asked for."""
        found = np.full(len(self.candidates.runs), np.inf)
        for run in rivals:
            found[run] = self.less(leader, run).wealth(0.0)
        return found

    def estimate(self, run: int) -> float:
        """Estimate a run's mean score, the mean over draws of T + r v g, without bias after a fixed number of draws."""
        line = self.run(run)
        if not len(line.drawn):
            return np.nan
        return float((line.before + line.left * line.drawn).mean()) + line.apart

    def estimates(self, state: State, level: float) -> pl.DataFrame:
        """Estimate each run's mean score, next to its range by the same judgments: see `Judging.estimates`."""
        base, top = state.base.mean(axis=1), (state.base + state.residual).mean(axis=1)
        runs = range(len(base))
        estimate = np.clip(np.array([self.estimate(run) for run in runs]), base, top)
        numbers = {
            "base": base,
            "low": np.array([self.run(run).at_least(level / 2) for run in runs]),
            "estimate": estimate,
            "high": np.array([-self.run(run, sign=-1).at_least(level / 2) for run in runs]),
            "top": top,
            "bias": state.projected.mean(axis=1) - estimate,
        }
        order = best_first(base)
        columns = {RUN: [self.candidates.runs[run] for run in order]}
        table = pl.DataFrame(columns | {name: of[order] for name, of in numbers.items()})
        return table.with_columns(pl.col("estimate", "bias").fill_nan(None))

    @cached_property
    def _gain(self) -> Floats:
        """By place: what its grade gains; NaN where it has none."""
        grade = self.audit.grade
        return np.where(np.isnan(grade), np.nan, self.measure.gain_of(np.nan_to_num(grade), self.top_grade))

    @cached_property
    def _below(self) -> Floats:
        """By run: what documents below the ends of its lists could add to its mean."""
        beyond = np.where(self.candidates.present, self.measure.beyond(self.candidates.length), 0.0)
        return np.asarray(beyond.mean(axis=1))

    @cached_property
    def _weight_of_rank(self) -> Floats:
        """What each rank adds to a mean over topics, from rank 1."""
        return weights_by_rank(self.measure, int(self.candidates.cell_rank.max())) / len(self.candidates.topics)

    def _weights_of(self, run: int) -> Floats:
        """Return v of a run, by place: 0 where it lacks the document."""
        place, rank = self.candidates.list_of(run)
        found = np.zeros(len(self.candidates))
        found[place] = self._weight_of_rank[rank - 1]
        return found

    @cached_property
    def _outside(self) -> Booleans:
        """By place: whether the audit cannot draw it."""
        outside = np.ones(len(self.candidates), bool)
        outside[self.audit.order] = False
        return outside

    @cached_property
    def _known_from(self) -> Integers:
        """By place: the first draw before which it is known, or was drawn; the number of draws where there is none."""
        draws = self.audit.draws
        found = np.where(self.audit.chosen, np.searchsorted(draws.when, self.audit.time), len(draws.when))
        found[draws.place] = np.arange(1, len(draws.place) + 1)
        return found

    def _line(self, v: Floats, least_below: float, most_below: float) -> WeightedSum:
        """Follow the sum of v g along the audit."""
        draws, outside = self.audit.draws, self._outside
        judged = ~np.isnan(self._gain)
        gain = np.where(judged, self._gain, v < 0)  # the least, where nothing is known
        least = float(v @ gain) + least_below
        most = float(v @ np.where(judged, self._gain, v > 0)) + most_below
        apart = float(v[outside] @ gain[outside]) + least_below
        expected = np.zeros(len(v)) if self.predicted is None else np.where(outside, 0.0, v * self.predicted)
        bins = len(draws.place) + 1
        learnt = np.bincount(self._known_from, np.where(outside, 0.0, v * gain - expected), minlength=bins)
        takes = np.zeros(bins)
        np.maximum.at(takes, self._known_from, np.where(outside, 0.0, expected - np.minimum(v, 0.0)))
        return WeightedSum(
            drawn=v[draws.place] * gain[draws.place] - expected[draws.place],
            before=expected.sum() + np.cumsum(learnt)[:-1],
            left=(draws.population - draws.known).astype(np.float64),
            reach=np.maximum.accumulate(takes[::-1])[::-1][1:],
            least=least,
            most=most,
            apart=apart,
        )
