"""What may be concluded: the one place that compares a p or an interval with a level or a margin.

A conclusion is drawn from a *mean difference*: of paired differences by unit (`Paired`), of groups of
them (`Together`), or of anything else that can say how unlikely a threshold is (`MeanDifferences`).
Words, exit status and the next step follow from the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Tolerance
from cranfield.plumbing.wording import named
from cranfield.statistics.clusters import Units, by_unit
from cranfield.statistics.differences import checked, pairs
from cranfield.statistics.multiple_comparisons import Correction, adjust, least_raised, level_left
from cranfield.statistics.on_paper import side
from cranfield.statistics.sign_flips import exact_p
from cranfield.statistics.usual import ALPHA, CORRECTION, FEW_UNITS
from cranfield.statistics.weighted_means import weighted_means, weighted_t_interval, weighted_t_test

Verdict: TypeAlias = Literal[
    "better", "equivalent", "not worse", "worse", "undecided",
    "better on what was judged: undecided",
    "equivalent on what was judged: undecided",
    "not worse on what was judged: undecided",
    "worse on what was judged: undecided",
    "did not run",
]  # fmt: skip
Plain: TypeAlias = Literal["better", "equivalent", "not worse", "worse", "undecided"]
Obstacle: TypeAlias = Literal["", "too few units", "signs", "correction"]
"""Too few units for any verdict; sign flips that do not agree with t; a level that several hypotheses share."""

SEVERITY: Final[tuple[Verdict, ...]] = (
    "worse",
    "did not run",
    "worse on what was judged: undecided",
    "not worse on what was judged: undecided",
    "equivalent on what was judged: undecided",
    "better on what was judged: undecided",
    "undecided",
    "not worse",
    "equivalent",
    "better",
)
"""All verdicts, the harshest first."""
PASSING: Final[frozenset[str]] = frozenset({"better", "equivalent", "not worse"})
"""Verdicts that let the new run through."""
FAILING: Final = frozenset({"worse", "did not run"})
"""Verdicts that stop the new run."""
UNSETTLED: Final = frozenset(each for each in SEVERITY if each.endswith("on what was judged: undecided"))
"""Decided on what was judged, but judging the rest could undo it."""
Rung: TypeAlias = Literal["", "certain", "plausible", "on what was judged"]
"""How a verdict holds: whatever the unjudged documents are, if they resemble judged ones, or of the judged alone."""
PLAUSIBLE: Final = 0.95
"""The smallest share of completions in which a plausible verdict holds."""


def status_of(verdict: str, undecided: Tolerance = "warn", unjudged: Tolerance = "warn") -> int:
    """Return the exit status of a verdict: 0 passes, 1 stops; 3 is undecided, 4 decided on what was judged."""
    if verdict in PASSING or verdict in FAILING:
        return int(verdict in FAILING)
    status, tolerated = (4, unjudged) if verdict in UNSETTLED else (3, undecided)
    return {"pass": 0, "warn": status, "fail": 1}[tolerated]


def worst_of(verdicts: Iterable[str]) -> Verdict:
    """Return the harshest of some verdicts."""
    found = set(verdicts)
    return next((verdict for verdict in SEVERITY if verdict in found), "undecided")


def may_replace(new: str, base: str, verdict: str) -> str:
    """Say what a verdict of the gate means for the new run."""
    if verdict in PASSING:
        return f"{new} may replace {base}"
    return f"{new} must not replace {base}" if verdict == "worse" else f"{new} should not replace {base} yet"


_FOUND: Final = {
    "better": "better in {}",
    "equivalent": "equivalent in {}{within}",
    "not worse": "not worse in {}{more}",
    "worse": "worse in {}{more}",
    "undecided": "the difference in {} is undecided",
}


def verdict_in_words(new: str, base: str, rows: pl.DataFrame, groups: Sequence[str] = ()) -> str:
    """Say whether the new run may replace the base, and by which measures it is what; in some groups it may be worse.

    ``rows`` have a measure, its verdict and the margin. A verdict that is not the harshest decides nothing.
    """
    verdict, by_measure = "worse" if groups else worst_of(rows["verdict"]), dict[str, list[str]]()
    for measure, found in rows.select("measure", "verdict").iter_rows():
        if verdict in PASSING or found == verdict:
            by_measure.setdefault(found, []).append(measure)
    margin, told = rows["margin"][0] if rows["margin"].n_unique() == 1 else None, []
    within, more = (f" within {margin:.4g}", f" by more than {margin:.4g}") if margin else ("", "")
    for found, measures in by_measure.items():
        words = _FOUND[found.split(" on what", 1)[0]].format(named(measures), within=within, more=more)
        told.append(f"{words} only on what was judged" if found in UNSETTLED else words)
    told += [f"worse in {named(groups)}"] if groups else []
    return f"{may_replace(new, base, verdict)}: {', and '.join(told)}."


@overload
def significant(p: float, alpha: float) -> bool: ...
@overload
def significant(p: Floats, alpha: float) -> Booleans: ...
@overload
def significant(p: pl.Expr, alpha: float) -> pl.Expr: ...
def significant(p: float | Floats | pl.Expr, alpha: float) -> bool | Booleans | pl.Expr:
    """Is a p, corrected if need be, at most the level?"""
    return p <= alpha


@overload
def excludes_0(low: Floats, high: Floats) -> Booleans: ...
@overload
def excludes_0(low: pl.Expr, high: pl.Expr) -> pl.Expr: ...
def excludes_0(low: Floats | pl.Expr, high: Floats | pl.Expr) -> Booleans | pl.Expr:
    """Does an interval of a difference exclude 0?"""
    above: Any = low > 0
    found: Booleans | pl.Expr = above | (high < 0)
    return found


def fewest_units(alpha: float) -> int:
    """On how many units can sign flips reach a two-sided level at all? 2 · 2⁻ⁿ is the smallest p of n units."""
    return math.ceil(1 - math.log2(alpha))


def confirmed(p: Floats, rows: Floats, weights: Floats | None = None) -> Floats:
    """Return two-sided p-values of mean differences; below 25 units the larger of p and that of all sign flips.

    Differences that happen to be equal on a few units have an unbounded t: their zero spread shows only
    that the units are too few to estimate it.
    """
    used = rows if weights is None else (rows * weights)[:, weights > 0]
    return p if used.shape[1] >= FEW_UNITS else np.maximum(p, exact_p(used))


def check_margin(margin: float, bounded: Sequence[str], *, relative: bool = False) -> None:
    """Refuse a margin that lets every run through by some measures: those whose values lie between 0 and 1.

    If it is a share of the base's mean, those whose values cannot fall below 0, of which nobody loses more than all.
    """
    if margin < 1 or not bounded or (relative and margin == 1):  # a share of all only asks for something
        return
    if relative:
        raise InputError(f"a margin of {margin:.0%} of the base's mean lets every run through by {named(bounded)}")
    raise InputError(
        f"a margin of {margin:g} lets every run through by {named(bounded)}: values lie between 0 and 1; was "
        f"{margin:g}% meant (--margin {margin:g}%, or margin={margin / 100:g} and relative=True)?"
    )


class MeanDifferences(Protocol):
    """Mean differences, one a hypothesis, more being better: how large, and how sure."""

    @property
    def mean(self) -> Floats:
        """Array of shape (hypotheses,)."""

    @property
    def units(self) -> Sequence[int]:
        """For each hypothesis the number of units it rests on."""

    def p(self, over: npt.ArrayLike = 0.0) -> Floats:
        """How unlikely is such a mean, two-sided, were the truth at a threshold?"""

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Between which ends does the truth lie? NaN where the units show no spread."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Differences by unit: array of shape (hypotheses, units), what each unit counts for, and how units vary.

    Units that are clusters of topics are made by `by_unit`.
    """

    rows: Floats
    weights: Floats | None = None
    variances: Floats | None = None

    @cached_property
    def _settled(self) -> Floats:
        """The differences with their ties settled, which takes as long as a test."""
        return checked(self.rows)

    @property
    def mean(self) -> Floats:
        """Return the mean differences."""
        rows = self._settled
        return rows.mean(axis=1) if self.weights is None else weighted_means(rows, self.weights).mean

    @property
    def units(self) -> Sequence[int]:
        """Return how many units count."""
        many = self.rows.shape[1] if self.weights is None else int((self.weights > 0).sum())
        return [many] * len(self.rows)

    @property
    def p_of_t(self) -> Floats:
        """Return the two-sided p of Student's t alone, as tables have it."""
        return weighted_t_test(self._settled, self.weights, "two-sided", self.variances).p

    def p(self, over: npt.ArrayLike = 0.0) -> Floats:
        """Test by Student's t; below 25 units sign flips must agree."""
        shifted = self._settled
        if np.any(over):
            shifted = shifted - np.broadcast_to(np.asarray(over, np.float64), len(self.rows))[:, np.newaxis]
            shifted = np.where(side(shifted).any(axis=1, keepdims=True), shifted, 0.0)
        return confirmed(weighted_t_test(shifted, self.weights, "two-sided", self.variances).p, shifted, self.weights)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Return Student's interval."""
        low, high = weighted_t_interval(self.rows, self.weights, level, self.variances)
        varies = Units(self.rows, self.weights).varies
        return np.where(varies, low, np.nan), np.where(varies, high, np.nan)


@dataclass(frozen=True, eq=False)
class Together:
    """Mean differences of several kinds, one family of hypotheses: those of groups of units, say."""

    parts: Sequence[MeanDifferences]

    @property
    def mean(self) -> Floats:
        """Return those of all parts."""
        return np.concatenate([part.mean for part in self.parts])

    @property
    def units(self) -> Sequence[int]:
        """Return those of all parts."""
        return [many for part in self.parts for many in part.units]

    def p(self, over: npt.ArrayLike = 0.0) -> Floats:
        """Test each part by itself."""
        ends = np.cumsum([len(part.units) for part in self.parts])[:-1]
        thresholds = np.split(np.broadcast_to(np.asarray(over, np.float64), len(self.units)), ends)
        return np.concatenate([part.p(each) for part, each in zip(self.parts, thresholds, strict=True)])

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Return those of all parts."""
        low, high = zip(*(part.interval(level) for part in self.parts), strict=True)
        return np.concatenate(low), np.concatenate(high)


@dataclass(frozen=True, eq=False)
class Conclusions:
    """The conclusion on each hypothesis."""

    # Of the new run; ``"... on what was judged: undecided"`` where judging the rest could undo it.
    verdicts: tuple[Verdict, ...]
    on_judged: tuple[Plain, ...]  # the same if what was judged were all
    within: Booleans  # whether the difference is surely inside both margins; a run may be better, and by less than that
    # p, p_adjusted: two-sided p of the difference, and corrected over the hypotheses
    p: Floats
    p_adjusted: Floats
    # low, high: the interval of the difference that verdicts are read off, of the confidence 1 − level
    low: Floats
    high: Floats
    level: float  # the level of each test that is left after the correction: verdicts read intervals of 1 − level
    needed: int  # on how many units, at least, any verdict can be reached
    # for each hypothesis what keeps an interval that looks decided from a verdict; empty where nothing does
    obstacles: tuple[Obstacle, ...]
    rungs: tuple[Rung, ...]  # how each verdict holds; empty where none is reached


def conclude(
    judged: MeanDifferences,
    margins: npt.ArrayLike = 0.0,
    alpha: float = ALPHA,
    *,
    least: MeanDifferences | None = None,
    most: MeanDifferences | None = None,
    drawn: Callable[[int], MeanDifferences | None] | None = None,
    correction: Correction = CORRECTION,
) -> Conclusions:
    """Is the new run better, equivalent, not worse, worse, or is it undecided?

    All is read off one interval of the mean difference, two-sided at the level that the correction leaves
    (`level_left`): *better* where it lies above 0, *not worse* above −margin, *worse* below −margin, *equivalent*
    inside both margins. So a larger margin never makes an answer harsher, a smaller alpha never makes one bolder, and
    the runs exchanged mirror it. Below 25 units sign flips must confirm each of these.

    What judging could do is asked of the same interval at the least and at the most that the unjudged documents allow.
    The strongest verdict that survives both is given, *certain*: better, then equivalent, then not worse. If none does,
    the same is asked of completions that were drawn: the strongest that survives in 95% of them is *plausible*.
    Otherwise it is a verdict *on what was judged*.

    Parameters
    ----------
    judged
        The differences under the judgments as they are: new less base, more being better.
    margins
        For each hypothesis the loss that nobody would mind; 0 asks for a gain.
    alpha
        The level, two-sided.
    least, most
        The same differences where the unjudged documents speak against the new run, and for it.
        Without them what was judged is all.
    drawn
        Of a hypothesis by its place, the differences in completions that were drawn, one a row; None where none can be.
    correction
        Over the hypotheses.

    Paper: Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power approach for assessing
    the equivalence of average bioavailability", for intervals and margins.

    Examples
    --------
    Differences of -0.03 and 0.03 in turn on 40 units have a mean of 0 ± 0.0097; these are 0.012 higher.

    >>> around = np.tile([-0.03, 0.03], 20)
    >>> new, level = Paired(around[np.newaxis] + 0.012), Paired(around[np.newaxis])
    >>> [conclude(each, 0.02).verdicts[0] for each in (new, level)]
    ['better', 'equivalent']
    >>> conclude(new, 0.05, least=level, most=new).verdicts  # at the worst as good
    ('equivalent',)
    >>> conclude(new, 0.0, least=level, most=new).verdicts
    ('better on what was judged: undecided',)
    >>> drawn = conclude(new, 0.0, least=level, most=new, drawn=lambda place: Paired(np.tile(new.rows, (200, 1))))
    >>> drawn.verdicts, drawn.rungs
    (('better',), ('plausible',))
    """
    least, most = least or judged, most or judged
    p = judged.p()
    adjusted = adjust(p, correction)
    level = level_left(p, correction, alpha)
    (low, high), (low_alone, high_alone) = judged.interval(1 - level), judged.interval(1 - alpha)
    margin = np.broadcast_to(np.asarray(margins, np.float64), len(p))

    seen = _claims(judged, margin, level)
    at_least, at_most = (seen if end is judged else _claims(end, margin, level) for end in (least, most))
    sure = {claim: seen[claim] & at_least[claim] & at_most[claim] for claim in seen}
    on_judged = tuple(_strongest(seen, at) for at in range(len(p)))
    ranked = [_strongest(sure, at) for at in range(len(p))]
    rungs: list[Rung] = ["" if one == "undecided" else "certain" for one in on_judged]
    for at in (at for at, one in enumerate(on_judged) if one != "undecided" and ranked[at] == "undecided"):
        claimed = {claim: bool(seen[claim][at]) for claim in seen}
        ranked[at] = _plausible(drawn and drawn(at), claimed, margin[at], level)
        rungs[at] = "on what was judged" if ranked[at] == "undecided" else "plausible"
    verdicts = tuple(map(_surviving, on_judged, ranked))
    needed = fewest_units(alpha / least_raised(correction, len(p)))
    no_spread = np.isnan(low) & (side(judged.mean + margin) != 0)
    looks_decided = (low_alone > -margin) | (high_alone < -margin) | no_spread
    alone = significant(judged.p(-margin), alpha) | significant(p, alpha)
    obstacles = tuple(
        _obstacle(units, needed, alone=bool(alone[at]), few=units < FEW_UNITS)
        if verdict == "undecided" and (looks_decided[at] or units < needed)
        else ""
        for at, (verdict, units) in enumerate(zip(on_judged, judged.units, strict=True))
    )
    within = seen["equivalent"]
    return Conclusions(
        verdicts, on_judged, within, p, adjusted, low, high, level, needed, obstacles, tuple(rungs)
    )  # fmt: skip


def _claims(differences: MeanDifferences, margin: Floats, level: float) -> dict[Plain, Booleans]:
    """Say which verdicts the interval of each hypothesis allows, the strongest first."""

    def beyond(threshold: Floats, direction: int) -> Booleans:
        on_side = side(direction * (differences.mean - threshold)) > 0
        return on_side & significant(differences.p(threshold), level)

    above, below = beyond(-margin, 1), beyond(margin, -1)
    return {
        "better": beyond(np.zeros(len(margin)), 1),
        "equivalent": above & below & (margin > 0),
        "not worse": above,
        "worse": beyond(-margin, -1),
    }


def _plausible(drawn: MeanDifferences | None, seen: dict[Plain, bool], margin: float, level: float) -> Plain:
    """Return the strongest claim that holds in nearly all of the completions that were drawn."""
    if drawn is None:
        return "undecided"
    claims = _claims(drawn, np.full(len(drawn.units), margin), level)
    return next((claim for claim in seen if seen[claim] and claims[claim].mean() >= PLAUSIBLE), "undecided")


def _obstacle(units: int, needed: int, *, alone: bool, few: bool) -> Obstacle:
    """Name the obstacle to a verdict that the interval of one hypothesis alone would allow."""
    if units < needed:
        return "too few units"
    if alone:
        return "correction"
    return "signs" if few else ""


def _strongest(claims: dict[Plain, Booleans], at: int) -> Plain:
    """Return the first claim that holds of a hypothesis."""
    return next((claim for claim, holds in claims.items() if holds[at]), "undecided")


def _surviving(on_judged: Plain, sure: Plain) -> Verdict:
    """Weaken a verdict to what holds at the least and at the most, if anything of it does."""
    if on_judged == "undecided" or sure != "undecided":
        return sure
    return f"{on_judged} on what was judged: undecided"  # type: ignore[return-value]  # one of UNSETTLED


@dataclass(frozen=True, eq=False)
class ToldApart:
    """Which of several systems differ, each from each."""

    above: Booleans  # array of shape (systems, systems): whether the first is significantly better than the second
    level: float  # the level of each test that is left after the correction

    @property
    def may_lead(self) -> Booleans:
        """Which systems is no other significantly better than?"""
        return np.logical_not(self.above.any(axis=0))


def tell_apart(
    values: Floats, alpha: float = ALPHA, weights: Floats | None = None, clusters: Integers | None = None
) -> ToldApart:
    """Which systems differ significantly? The default test, the same answer everywhere.

    Every pair by a paired t-test, two-sided, with Holm's correction over the pairs; below 25 units sign flips must
    confirm it (`confirmed`). Units are topics, or clusters of them.

    Shapes: values (systems, topics), complete, more being better; two of each, or more; clusters (topics,).

    >>> best = np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.6])
    >>> worse, other = best - [0.1, 0.2, 0.1, 0.2, 0.1, 0.2], best - [0.1, -0.1, 0.1, -0.1, 0.1, -0.1]
    >>> tell_apart(np.array([best, worse, other]), alpha=0.1).above.tolist()
    [[False, True, False], [False, False, False], [False, False, False]]
    """
    first, second = pairs(len(values))
    found = Paired(*by_unit(values[first] - values[second], weights, clusters))
    p = found.p()
    apart, ahead = significant(adjust(p, CORRECTION), alpha), side(found.mean)
    above = np.zeros((len(values), len(values)), np.bool_)
    above[first, second], above[second, first] = apart & (ahead > 0), apart & (ahead < 0)
    return ToldApart(above, level_left(p, CORRECTION, alpha))
