"""Slow twins of the measures of effort: vectors and plain loops from the definitions, one ranking at a time.

Each twin takes the grades by rank (None: unjudged; negative: judged, not relevant), the grades of
the judged documents that were not retrieved, and the parameters of the measure by their names. They
share nothing with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

Grades: TypeAlias = Sequence[float | None]
Gains: TypeAlias = Mapping[float, float] | None
Twin: TypeAlias = Callable[..., float]

TWINS: dict[str, Twin] = {}


def twin_of(name: str) -> Callable[[Twin], Twin]:
    def register(function: Twin) -> Twin:
        assert name not in TWINS
        TWINS[name] = function
        return function

    return register


class Setting(NamedTuple):
    """The vectors of the definitions: weights by rank of the run, the ideal run and the full-scale run."""

    run: list[float]
    ideal: list[float]
    full_scale: list[float]

    @property
    def base(self) -> int:
        return len([weight for weight in self.ideal if weight > 0])


def weight_of(grade: float | None, rel: float | None, gains: Gains) -> float:
    if grade is None:
        return 0
    if rel is not None:
        return 1 if grade >= rel else 0
    return max((gains or {}).get(grade, grade), 0)


def written_out(
    ranking: Grades, unretrieved: Sequence[float], n: int, rel: float | None, gains: Gains, judged_only: bool
) -> Setting:
    """Cut at N, then pad with what is not relevant to max(N, 2R)."""
    kept = [grade for grade in ranking if grade is not None] if judged_only else list(ranking)
    judged = [grade for grade in ranking if grade is not None] + list(unretrieved)
    best = sorted((weight_of(grade, rel, gains) for grade in judged), reverse=True)
    best = [weight for weight in best if weight > 0]
    length = max(n, 2 * len(best))
    run = [weight_of(grade, rel, gains) for grade in kept[:n]]
    run += [0] * (length - len(run))
    ideal = best + [0] * (length - len(best))
    return Setting(run, ideal, ideal[::-1])


def relative_positions(run: list[float], ideal: list[float]) -> list[int]:
    """Definition 1."""
    positions, ends = (
        [],
        {weight: (ideal.index(weight) + 1, len(ideal) - ideal[::-1].index(weight)) for weight in {*run}},
    )
    for j, weight in enumerate(run, start=1):
        first, last = ends[weight]
        positions.append(j - first if j < first else j - last if j > last else 0)
    return positions


def cumulated(positions: Sequence[int]) -> list[int]:
    """Definition 2."""
    return list(accumulate(positions))


def crossings(curve: Sequence[int], crossing: str) -> list[int]:
    """Definition 3, and the two other ways of crossing 0."""
    found = []
    for j in range(1, len(curve)):
        here, following = curve[j - 1], curve[j]
        if {
            "return": here < 0 <= following,
            "definition": (here <= 0 <= following) or (here >= 0 >= following),
            "matters": here <= 0 < following,
        }[crossing]:
            found.append(j)
    return found


def balance(setting: Setting, crossing: str) -> float:
    curve = cumulated(relative_positions(setting.run, setting.ideal))
    if min(curve) >= 0:
        return setting.base
    return max(setting.base, min(crossings(curve, crossing), default=math.inf))


def recovery_ratio(setting: Setting, crossing: str) -> Fraction:
    point = balance(setting, crossing)
    return Fraction(setting.base, int(point)) if 0 < point < math.inf else Fraction(0)


def space_ratios(setting: Setting) -> tuple[Fraction, Fraction]:
    """Definitions 4 and 5."""
    if setting.base == 0:
        return Fraction(0), Fraction(0)
    run = relative_positions(setting.run, setting.ideal)
    full = relative_positions(setting.full_scale, setting.ideal)
    ahead = 1 - Fraction(sum(p for p in run if p > 0), sum(p for p in full if p > 0))
    behind = 1 - Fraction(sum(-p for p in run if p < 0), sum(-p for p in full if p < 0))
    return ahead, behind


def space_ratio(setting: Setting) -> Fraction:
    ahead, behind = space_ratios(setting)
    return 2 * ahead * behind / (ahead + behind) if ahead + behind else Fraction(0)


@twin_of("RP")
def rp(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, **conflation: Any) -> float:
    setting = written_out(ranking, unretrieved, max(cutoff, len(ranking)), **conflation)
    return relative_positions(setting.run, setting.ideal)[cutoff - 1]


@twin_of("CRP")
def crp(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, **conflation: Any) -> float:
    setting = written_out(ranking, unretrieved, max(cutoff, len(ranking)), **conflation)
    return cumulated(relative_positions(setting.run, setting.ideal))[cutoff - 1]


@twin_of("nCRP")
def ncrp(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, N: int, **conflation: Any) -> float:  # noqa: N803
    setting = written_out(ranking, unretrieved, N, **conflation)
    full = cumulated(relative_positions(setting.full_scale, setting.ideal))
    if max(full) == min(full):
        return 0
    curve = cumulated(relative_positions(setting.run, setting.ideal))
    value = curve[min(cutoff, len(curve)) - 1]
    return (2 * value - max(full) - min(full)) / (max(full) - min(full))


def set_up(ranking: Grades, unretrieved: Sequence[float], cutoff: int | None, **conflation: Any) -> Setting:
    # Nothing but the forward space of the full-scale run feels N once all lists have ended.
    return written_out(ranking, unretrieved, 1000 if cutoff is None else cutoff, **conflation)


@twin_of("BalancePoint")
def balance_point(ranking: Grades, unretrieved: Sequence[float], *, crossing: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return min(balance(setting, crossing), len(setting.run) + 1)


@twin_of("Crossings")
def number_of_crossings(ranking: Grades, unretrieved: Sequence[float], *, crossing: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    if setting.base == 0:
        return 0
    return len(crossings(cumulated(relative_positions(setting.run, setting.ideal)), crossing))


@twin_of("CrossingRank")
def crossing_rank(ranking: Grades, unretrieved: Sequence[float], *, crossing: str, nth: int, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    if setting.base == 0:
        return 0
    curve = cumulated(relative_positions(setting.run, setting.ideal))
    found = crossings(curve, crossing)
    if not any(curve) and crossing != "definition":
        found = [1]
    return found[nth - 1] if nth <= len(found) else len(setting.run) + 1


@twin_of("Recovery")
def recovery(ranking: Grades, unretrieved: Sequence[float], *, crossing: str, **others: Any) -> float:
    return float(recovery_ratio(set_up(ranking, unretrieved, **others), crossing))


@twin_of("ForwardSum")
def forward_sum(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return sum(p for p in relative_positions(setting.run, setting.ideal) if p > 0)


@twin_of("BackwardSum")
def backward_sum(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return sum(-p for p in relative_positions(setting.run, setting.ideal) if p < 0)


@twin_of("ForwardSpace")
def forward_space(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    return float(space_ratios(set_up(ranking, unretrieved, **others))[0])


@twin_of("BackwardSpace")
def backward_space(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    return float(space_ratios(set_up(ranking, unretrieved, **others))[1])


@twin_of("Space")
def space(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    return float(space_ratio(set_up(ranking, unretrieved, **others)))


@twin_of("Twist")
def twist(ranking: Grades, unretrieved: Sequence[float], *, crossing: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return float((recovery_ratio(setting, crossing) + space_ratio(setting)) / 2)


TWINS["gmTwist"] = twist  # of one topic


def times(run: list[float], p: Fraction, t: Fraction) -> list[int]:
    """What the clock shows after each rank: p weighs the ranks, t the relevant documents; in whole units."""
    (a, b), (relevant, other), n = p.as_integer_ratio(), t.as_integer_ratio(), len(run)
    return list(accumulate(a**i * b ** (n - i) * (relevant if weight > 0 else other) for i, weight in enumerate(run)))


def positions_by_clock(run: list[float], ideal: list[float], p: Fraction, t: Fraction) -> list[int]:
    clock, right, found = times(run, p, t), times(ideal, p, t), []
    ends = {weight: (right[ideal.index(weight)], right[-1 - ideal[::-1].index(weight)]) for weight in {*run}}
    for time, weight in zip(clock, run, strict=True):
        first, last = ends[weight]
        early, late = min(time - first, 0), max(time - last, 0)
        found.append(early if weight == 0 else early + late)
    return found


def twist_by_clock(
    ranking: Grades, unretrieved: Sequence[float], cutoff: int | None, p: float = 1, t: float = 1, **conflation: Any
) -> float:
    n, rate, slow = 1000 if cutoff is None else cutoff, Fraction(str(p)), Fraction(str(t))
    base = written_out(ranking, unretrieved, n, **conflation).base
    if base == 0:
        return 0
    length = max(n, base + math.ceil(slow * base))
    run = written_out(ranking, unretrieved, n, **conflation).run
    run += [0] * (length - len(run))
    ideal = sorted(written_out(ranking, unretrieved, n, **conflation).ideal, reverse=True)
    ideal = ideal[:base] + [0] * (length - base)
    own, worst = (positions_by_clock(each, ideal, rate, slow) for each in (run, ideal[::-1]))
    ahead = 1 - Fraction(sum(x for x in own if x > 0), sum(x for x in worst if x > 0))
    behind = 1 - Fraction(sum(x for x in own if x < 0), sum(x for x in worst if x < 0))
    space = 2 * ahead * behind / (ahead + behind) if ahead + behind else Fraction(0)
    curve, clock, end = list(accumulate(own)), times(run, rate, slow), times(ideal, rate, slow)[base - 1]
    back = [j for j in range(1, length) if curve[j - 1] < 0 <= curve[j]]
    recovery = Fraction(1) if min(curve) >= 0 else Fraction(end, max(end, clock[back[0] - 1])) if back else Fraction(0)
    return float((recovery + space) / 2)


@twin_of("PatientTwist")
def patient_twist(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    return twist_by_clock(ranking, unretrieved, **others)


@twin_of("TimedTwist")
def timed_twist(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    return twist_by_clock(ranking, unretrieved, **others)


# The four indicators of 2012.


def turn_around(curve: Sequence[int]) -> int:
    return curve.index(min(curve)) + 1


def regained(curve: Sequence[int], base: int) -> float:
    if min(curve) >= 0:
        return base
    turned = turn_around(curve)
    ranks = [j for j, value in enumerate(curve, start=1) if j >= turned and value >= 0]
    return max(base, min(ranks, default=math.inf))


def curve_of(setting: Setting, whose: str) -> list[int]:
    return cumulated(relative_positions({"run": setting.run, "full-scale": setting.full_scale}[whose], setting.ideal))


@twin_of("TurnAround")
def rank_of_the_turn_around(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return turn_around(curve_of(setting, "run")) if setting.base else 0


@twin_of("RegainedAt")
def regained_at(ranking: Grades, unretrieved: Sequence[float], *, whose: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    return min(regained(curve_of(setting, whose), setting.base), len(setting.run) + 1)


@twin_of("CRPAt")
def crp_at(ranking: Grades, unretrieved: Sequence[float], *, whose: str, point: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    if setting.base == 0:
        return 0
    ranks = {"recall-base": setting.base, "turn-around": turn_around(curve_of(setting, "run")), "end": 0}
    return curve_of(setting, whose)[ranks[point] - 1]


@twin_of("RecoveryValue")
def recovery_value(ranking: Grades, unretrieved: Sequence[float], *, whose: str, **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    point = regained(curve_of(setting, whose), setting.base)
    return setting.base / point if point else 0


@twin_of("BalanceRatio")
def balance_ratio(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    point = regained(cumulated(relative_positions(setting.run, setting.ideal)), setting.base)
    worst = regained(cumulated(relative_positions(setting.full_scale, setting.ideal)), setting.base)
    return 0 if setting.base == 0 or math.isinf(point) else 1 - point / worst


@twin_of("CRPMin")
def crp_min(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    curve = cumulated(relative_positions(setting.run, setting.ideal))
    worst = cumulated(relative_positions(setting.full_scale, setting.ideal))
    return 1 - min(curve) / worst[turn_around(curve) - 1] if setting.base else 0


@twin_of("CRPN")
def crp_n(ranking: Grades, unretrieved: Sequence[float], **others: Any) -> float:
    setting = set_up(ranking, unretrieved, **others)
    end = sum(relative_positions(setting.run, setting.ideal))
    worst = sum(relative_positions(setting.full_scale, setting.ideal))
    if setting.base == 0:
        return 0
    return 1 - end / worst if worst else 1
