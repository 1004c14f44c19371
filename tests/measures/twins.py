"""Slow twins of the measures: plain loops from the definitions, one ranking at a time.

Each twin takes the grades by rank (None: unjudged; negative: judged, not relevant), the grades of
the judged documents that were not retrieved, and the parameters of the measure by their names. They
share nothing with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

Grades: TypeAlias = Sequence[float | None]
Gains: TypeAlias = Mapping[float, float] | None
Twin: TypeAlias = Callable[..., float]

TWINS: dict[str, Twin] = {}
HORIZON = 500  # an infinite list is added up so far, rank by rank; what lies below is estimated by an integral


def twin_of(*names: str) -> Callable[[Twin], Twin]:
    def register(function: Twin) -> Twin:
        for name in names:
            assert name not in TWINS
            TWINS[name] = function
        return function

    return register


def seen(ranking: Grades, cutoff: int | None = None, judged_only: bool = False) -> list[float | None]:
    """Return the documents that a measure looks at."""
    kept: list[float | None] = []
    for grade in ranking:
        if grade is None and judged_only:
            continue
        if cutoff is not None and len(kept) == cutoff:
            break
        kept.append(grade)
    return kept


def relevant(grade: float | None, rel: float | None) -> bool:
    if grade is None:
        return False
    return grade > 0 if rel is None else grade >= rel


def hits(documents: Grades, rel: float | None) -> int:
    return len([grade for grade in documents if relevant(grade, rel)])


def judged_grades(ranking: Grades, unretrieved: Sequence[float]) -> list[float]:
    return [grade for grade in ranking if grade is not None] + list(unretrieved)


def relevant_known(ranking: Grades, unretrieved: Sequence[float], rel: float | None) -> int:
    """Return R."""
    return hits(judged_grades(ranking, unretrieved), rel)


def divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


# Counts: trec_eval's m_num_q.c and its neighbours; ir_measures' Judged; trec_eval 10's m_unj.c.


@twin_of("NumQ")
def num_q(ranking: Grades, unretrieved: Sequence[float]) -> float:
    return 1.0


@twin_of("NumRet")
def num_ret(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    return len(ranking) if rel is None else hits(ranking, rel)


@twin_of("NumRel")
def num_rel(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    return relevant_known(ranking, unretrieved, rel)


@twin_of("NumRelRet")
def num_rel_ret(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    return hits(ranking, rel)


@twin_of("NumNonrelJudgedRet")
def num_nonrel_judged_ret(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    return len([g for g in ranking if g is not None and g >= 0 and not relevant(g, rel)])


@twin_of("Judged")
def judged(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None) -> float:
    top = seen(ranking, cutoff)
    return divided(len([grade for grade in top if grade is not None]), len(top))


@twin_of("Unjudged")
def unjudged(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int) -> float:
    return len([grade for grade in seen(ranking, cutoff) if grade is None or grade < 0]) / cutoff


# Precision and recall: van Rijsbergen (1979), chapter 7; trec_eval's m_P.c, m_recall.c,
# m_relative_P.c, m_success.c, m_recip_rank.c, m_Rprec.c, m_Rprec_mult.c, m_iprec_at_recall.c,
# m_11pt_avg.c.


@twin_of("P")
def precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, rel: float | None, judged_only: bool
) -> float:
    return hits(seen(ranking, cutoff, judged_only), rel) / cutoff


@twin_of("R")
def recall(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, rel: float | None, judged_only: bool
) -> float:
    return divided(hits(seen(ranking, cutoff, judged_only), rel), relevant_known(ranking, unretrieved, rel))


@twin_of("F")
def f_at(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    cutoff: int | None,
    rel: float | None,
    judged_only: bool,
    beta: float,
) -> float:
    top = seen(ranking, cutoff, judged_only)
    p = divided(hits(top, rel), len(top) if cutoff is None else cutoff)
    r = divided(hits(top, rel), relevant_known(ranking, unretrieved, rel))
    return divided((1 + beta**2) * p * r, beta**2 * p + r)


@twin_of("RelativeP")
def relative_p(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, rel: float | None, judged_only: bool
) -> float:
    possible = min(cutoff, relevant_known(ranking, unretrieved, rel))
    return divided(hits(seen(ranking, cutoff, judged_only), rel), possible)


@twin_of("Success")
def success(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, rel: float | None, judged_only: bool
) -> float:
    return 1.0 if hits(seen(ranking, cutoff, judged_only), rel) else 0.0


@twin_of("RR")
def reciprocal_rank(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, rel: float | None, judged_only: bool
) -> float:
    for rank, grade in enumerate(seen(ranking, cutoff, judged_only), start=1):
        if relevant(grade, rel):
            return 1 / rank
    return 0.0


@twin_of("Rprec")
def r_precision(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool) -> float:
    known = relevant_known(ranking, unretrieved, rel)
    return divided(hits(seen(ranking, known, judged_only), rel), known)


@twin_of("RprecMult")
def r_precision_at_multiple(
    ranking: Grades, unretrieved: Sequence[float], *, multiple: float, rel: float | None, judged_only: bool
) -> float:
    depth = math.floor(multiple * relevant_known(ranking, unretrieved, rel) + 0.9)
    return divided(hits(seen(ranking, depth, judged_only), rel), depth)


@twin_of("IPrec")
def interpolated_precision(
    ranking: Grades, unretrieved: Sequence[float], *, recall: float, rel: float | None, judged_only: bool, rounding: str
) -> float:
    share = recall * relevant_known(ranking, unretrieved, rel)
    needed = math.floor(share + 0.9) if rounding == "trec9" else math.floor(share + 0.5)
    documents = seen(ranking, None, judged_only)
    best = 0.0
    for rank in range(1, len(documents) + 1):
        found = hits(documents[:rank], rel)
        if found >= needed:
            best = max(best, found / rank)
    return best


@twin_of("IPrecAvg")
def averaged_interpolated_precision(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    levels: Sequence[float],
    rel: float | None,
    judged_only: bool,
    rounding: str,
) -> float:
    values = [
        interpolated_precision(ranking, unretrieved, recall=level, rel=rel, judged_only=judged_only, rounding=rounding)
        for level in levels
    ]
    return sum(values) / len(values)


# Average precision: Buckley and Voorhees (2005); trec_eval's m_map.c and m_infap.c.


@twin_of("AP", "gmAP")
def average_precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, rel: float | None, judged_only: bool
) -> float:
    documents = seen(ranking, cutoff, judged_only)
    total = 0.0
    for rank, grade in enumerate(documents, start=1):
        if relevant(grade, rel):
            total += hits(documents[:rank], rel) / rank
    return divided(total, relevant_known(ranking, unretrieved, rel))


@twin_of("infAP")
def inferred_average_precision(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    epsilon = 0.00001
    total = 0.0
    for rank, grade in enumerate(ranking, start=1):
        if not relevant(grade, rel):
            continue
        above = ranking[: rank - 1]
        found = hits(above, rel)
        missed = len([g for g in above if g is not None and g >= 0 and not relevant(g, rel)])
        skipped = len([g for g in above if g is not None and g < 0])
        if rank == 1:
            total += 1
        else:
            in_pool = (found + missed + skipped) / (rank - 1)
            precise = (found + epsilon) / (found + missed + 2 * epsilon)
            total += 1 / rank + (rank - 1) / rank * in_pool * precise
    return divided(total, relevant_known(ranking, unretrieved, rel))


# Preferences: Buckley and Voorhees (2004), trec_eval's m_bpref.c; ir_measures' accuracy provider.


@twin_of("Bpref", "gmBpref")
def bpref(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    known = relevant_known(ranking, unretrieved, rel)
    bad = len([g for g in judged_grades(ranking, unretrieved) if g >= 0 and not relevant(g, rel)])
    total, bad_above = 0.0, 0
    for grade in ranking:
        if grade is None or grade < 0:
            continue
        if not relevant(grade, rel):
            bad_above += 1
        elif bad_above == 0:
            total += 1
        else:
            total += 1 - min(bad_above, known) / min(bad, known)
    return divided(total, known)


@twin_of("Accuracy")
def accuracy(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, rel: float | None) -> float:
    pairs = right = 0
    documents = seen(ranking, cutoff)
    for i in range(len(documents)):
        for j in range(len(documents)):
            if relevant(documents[i], rel) and not relevant(documents[j], rel):
                pairs += 1
                right += i < j
    if pairs == 0:
        return 1.0 if hits(documents, rel) else 0.0
    return right / pairs


# Sets: trec_eval's m_set_P.c, m_set_recall.c, m_set_rel_P.c, m_set_F.c (whose parameter is beta
# squared), m_set_map.c, m_utility.c.


@twin_of("SetP")
def set_precision(
    ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool, relative: bool
) -> float:
    documents = seen(ranking, None, judged_only)
    known = relevant_known(ranking, unretrieved, rel)
    return divided(hits(documents, rel), min(len(documents), known) if relative else len(documents))


@twin_of("SetRelP")
def set_relative_precision(
    ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool
) -> float:
    return set_precision(ranking, unretrieved, rel=rel, judged_only=judged_only, relative=True)


@twin_of("SetR")
def set_recall(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool) -> float:
    return divided(hits(ranking, rel), relevant_known(ranking, unretrieved, rel))


@twin_of("SetF")
def set_f(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool, beta: float) -> float:
    p = set_precision(ranking, unretrieved, rel=rel, judged_only=judged_only, relative=False)
    r = set_recall(ranking, unretrieved, rel=rel, judged_only=judged_only)
    return divided((1 + beta**2) * p * r, beta**2 * p + r)


@twin_of("SetAP")
def set_map(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool) -> float:
    p = set_precision(ranking, unretrieved, rel=rel, judged_only=judged_only, relative=False)
    return p * set_recall(ranking, unretrieved, rel=rel, judged_only=judged_only)


@twin_of("Utility")
def utility(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    rel: float | None,
    judged_only: bool,
    a: float,
    b: float,
    c: float,
    d: float,
    docs: int,
) -> float:
    documents = seen(ranking, None, judged_only)
    relevant_found = hits(documents, rel)
    others_found = len(documents) - relevant_found
    relevant_missed = relevant_known(ranking, unretrieved, rel) - relevant_found
    others_missed = docs - relevant_found - others_found - relevant_missed
    return a * relevant_found + b * others_found + c * relevant_missed + d * others_missed


# Cumulated gain: Jarvelin and Kekalainen (2002) with the discount of Burges et al. (2005);
# trec_eval's m_ndcg.c, m_ndcg_cut.c, m_ndcg_rel.c, m_Rndcg.c, m_G.c, m_binG.c.


def gain(grade: float | None, gains: Gains = None, dcg: str = "log2") -> float:
    if grade is None:
        return 0.0
    if gains is not None and grade in dict(gains):
        return dict(gains)[grade]
    if grade < 0:
        return 0.0
    return 2**grade - 1 if dcg == "exp-log2" else grade


def ideal_gains(ranking: Grades, unretrieved: Sequence[float], gains: Gains, dcg: str = "log2") -> list[float]:
    every = [gain(grade, gains, dcg) for grade in judged_grades(ranking, unretrieved)]
    return sorted([g for g in every if g > 0], reverse=True)


def discounted(gains_by_rank: Sequence[float]) -> float:
    total = 0.0
    for rank, g in enumerate(gains_by_rank, start=1):
        total += g / math.log2(rank + 1)
    return total


def discount_at(rank: int, base: float | None, from_rank_2: bool) -> float:
    """Järvelin and Kekäläinen (2002), equation 2, in the three forms that are in use."""
    if base is None:
        return math.log2(rank + 1)
    if rank < (2 if from_rank_2 else base):
        return 1.0
    return math.log(rank) / math.log(base)


def at_k(actual: list[float], ideal: list[float] | None, cutoff: int | None, averaged: bool) -> float:
    """Read a cumulated vector off at k (or at the end), or average it over ranks 1 to k; as a share of the ideal's.

    ``actual`` and ``ideal`` are what each rank adds; below its end a list adds nothing.
    """

    def value(rank: int) -> float:
        total = sum(actual[:rank])
        return total if ideal is None else divided(total, sum(ideal[:rank]))

    if cutoff is None:
        return value(max(len(actual), len(ideal or [])))
    return sum(value(rank) for rank in range(1, cutoff + 1)) / cutoff if averaged else value(cutoff)


@twin_of("CG")
def cg(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    gains: Gains,
    cutoff: int | None,
    averaged: bool,
    judged_only: bool,
) -> float:
    return at_k([gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)], None, cutoff, averaged)


@twin_of("DeltaGain")
def delta_gain(ranking: Grades, unretrieved: Sequence[float], *, gains: Gains, cutoff: int, judged_only: bool) -> float:
    got = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    ideal = ideal_gains(ranking, unretrieved, gains)
    here, best = ([*found, *[0] * cutoff][cutoff - 1] for found in (got, ideal))
    return here - best


@twin_of("nCG")
def ncg(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    gains: Gains,
    cutoff: int | None,
    averaged: bool,
    judged_only: bool,
) -> float:
    got = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    return at_k(got, ideal_gains(ranking, unretrieved, gains), cutoff, averaged)


@twin_of("DCG")
def dcg_of(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    gains: Gains,
    cutoff: int | None,
    averaged: bool,
    judged_only: bool,
    dcg: str,
    base: float | None,
    from_rank_2: bool,
    normalised: bool = False,
) -> float:
    def steps(values: Sequence[float]) -> list[float]:
        return [value / discount_at(rank, base, from_rank_2) for rank, value in enumerate(values, start=1)]

    got = steps([gain(grade, gains, dcg) for grade in seen(ranking, cutoff, judged_only)])
    ideal = steps(ideal_gains(ranking, unretrieved, gains, dcg)) if normalised else None
    return at_k(got, ideal, cutoff, averaged)


TWINS["nDCG"] = partial(dcg_of, normalised=True)


@twin_of("nDCGRel")
def ndcg_at_relevant(ranking: Grades, unretrieved: Sequence[float], *, gains: Gains) -> float:
    ideal = ideal_gains(ranking, unretrieved, gains)
    got = [gain(grade, gains) for grade in ranking]
    ranks = [rank for rank in range(1, len(got) + 1) if got[rank - 1] > 0]
    values = [discounted(got[:rank]) / discounted(ideal[:rank]) for rank in ranks]
    while len(values) < len(ideal):  # not retrieved
        values.append(discounted(got) / discounted(ideal))
    return divided(sum(values), len(values))


@twin_of("Rndcg")
def ndcg_at_steps(ranking: Grades, unretrieved: Sequence[float], *, gains: Gains, rel: float | None) -> float:
    if not relevant_known(ranking, unretrieved, rel):
        return 0.0
    ideal = ideal_gains(ranking, unretrieved, gains)
    got = [gain(grade, gains) for grade in ranking]
    falls = [rank for rank in range(1, len(ideal) + 1) if rank == len(ideal) or ideal[rank] < ideal[rank - 1]]
    values = [discounted(got[:rank]) / discounted(ideal[:rank]) for rank in falls]
    if ideal and len(got) > len(ideal) + 1:
        values.append(discounted(got) / discounted(ideal))
    return divided(sum(values), len(values))


@twin_of("G")
def g_measure(ranking: Grades, unretrieved: Sequence[float], *, gains: Gains) -> float:
    ideal = ideal_gains(ranking, unretrieved, gains)
    total = cost = so_far = 0.0
    for i, grade in enumerate(ranking):
        so_far += gain(grade, gains)
        cost += max(ideal[i] if i < len(ideal) else 0.0, 1.0)
        total += gain(grade, gains) / math.log2(2 + cost - so_far)
    return divided(total, sum(ideal))


@twin_of("binG")
def binary_g(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    total, others = 0.0, 0
    for grade in ranking:
        if relevant(grade, rel):
            total += 1 / math.log2(2 + others)
        else:
            others += 1
    return divided(total, relevant_known(ranking, unretrieved, rel))


# Overlap: Clarke, Vtyurina and Smucker (2021), equations 1 to 3.


@twin_of("Compat")
def compatibility(ranking: Grades, unretrieved: Sequence[float], *, p: float, normalize: bool) -> float:
    names = list(range(len(ranking)))
    grade_of = dict(enumerate([*ranking, *unretrieved]))
    ideal: list[int] = []
    for level in sorted({g for g in grade_of.values() if g is not None and g > 0}, reverse=True):
        ideal += [name for name, grade in grade_of.items() if grade == level]  # retrieved first, by rank
    depth = max(len(names), len(ideal))

    def rank_biased_overlap(one: list[int], other: list[int]) -> float:
        total = weights = 0.0
        for i in range(1, depth + 1):
            total += p ** (i - 1) * len(set(one[:i]) & set(other[:i])) / i
            weights += p ** (i - 1)
        return divided(total, weights)

    value = rank_biased_overlap(names, ideal)
    return divided(value, rank_biased_overlap(ideal, ideal)) if normalize else value


# User models. RBP: Moffat and Zobel (2008), equation 4; its residual: Moffat, Webber and Zobel
# (2007), section 2.


def top_grade(ranking: Grades, unretrieved: Sequence[float]) -> float:
    return max([0.0, *judged_grades(ranking, unretrieved)])


@twin_of("RBP")
def rank_biased_precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, p: float, rel: float | None, gains: Gains
) -> float:
    total = 0.0
    for rank, grade in enumerate(seen(ranking, cutoff), start=1):
        if rel is not None:
            g = 1.0 if relevant(grade, rel) else 0.0
        elif gains is not None:
            g = gain(grade, gains)
        else:
            g = divided(gain(grade), top_grade(ranking, unretrieved))
        total += (1 - p) * g * p ** (rank - 1)
    return total


@twin_of("RBPResidual")
def rank_biased_residual(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, p: float, rel: float | None, gains: Gains
) -> float:
    documents = seen(ranking, cutoff)
    total = p ** len(documents)  # all ranks below the end
    for rank, grade in enumerate(documents, start=1):
        if grade is None:
            total += (1 - p) * p ** (rank - 1)
    return total


@twin_of("RBPProjected")
def rank_biased_projection(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, p: float, rel: float | None, gains: Gains
) -> float:
    settings = {"cutoff": cutoff, "p": p, "rel": rel, "gains": gains}
    base = TWINS["RBP"](ranking, unretrieved, **settings)
    rest = TWINS["RBPResidual"](ranking, unretrieved, **settings)
    return divided(base, 1 - rest)


# C/W/L: V(i) = C(1)...C(i-1), and the value is the sum of V(i) g(i) over the sum of V(i).


def as_written(number: float) -> Fraction:
    """Return 4/5 for 0.8, which in binary is a little more."""
    return Fraction(str(number))


def scaled_gains(
    ranking: Grades, unretrieved: Sequence[float], min_rel: float, max_rel: float | None
) -> list[Fraction]:
    highest = as_written(top_grade(ranking, unretrieved) if max_rel is None else max_rel)
    lowest = as_written(min_rel)
    gains = []
    for grade in ranking:
        if grade is None or highest <= lowest:
            gains.append(Fraction(0))
        else:
            gains.append(min(max((as_written(grade) - lowest) / (highest - lowest), Fraction(0)), Fraction(1)))
    return gains


def expected_gain(gains: Sequence[float], go_on: Callable[[int], float], tail: Callable[[float], float]) -> float:
    """Return the expected gain per document seen.

    ``go_on(i)`` is C(i), and ``tail(V)`` the sum of V(HORIZON), V(HORIZON + 1), ..., the first of
    which it is given.
    """
    total = views = 0.0
    view = 1.0
    for rank in range(1, HORIZON):
        total += view * (gains[rank - 1] if rank <= len(gains) else 0.0)
        views += view
        view *= go_on(rank)
        if view == 0:
            break
    else:
        views += tail(view)
    return total / views


def inverse_square_tail(a: float) -> Callable[[float], float]:
    """Return the tail of a V(i) that falls as 1/(i + a)**2.

    The sum of 1/x**2 over x = h, h + 1, ... is the integral from h - 1/2, up to a relative error
    below 1/(12 h**2).
    """
    h = HORIZON + a
    return lambda view: view * h**2 / (h - 0.5) * (1 - 1 / (12 * h**2))


def nothing_below(view: float) -> float:
    return 0.0


@twin_of("INSQ")
def insq(ranking: Grades, unretrieved: Sequence[float], *, T: float, min_rel: float, max_rel: float | None) -> float:  # noqa: N803
    """Moffat, Scholer and Thomas (2012)."""
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]
    return expected_gain(gains, lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** 2, inverse_square_tail(2 * T - 1))


@twin_of("INST")
def inst(ranking: Grades, unretrieved: Sequence[float], *, T: float, min_rel: float, max_rel: float | None) -> float:  # noqa: N803
    """Moffat, Bailey, Scholer and Thomas (2015)."""
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]

    def go_on(i: int) -> float:
        wanted = T - sum(gains[:i])
        return ((i + T + wanted - 1) / (i + T + wanted)) ** 2

    return expected_gain(gains, go_on, inverse_square_tail(T + (T - sum(gains)) - 1))


@twin_of("SDCG")
def scaled_dcg(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, min_rel: float, max_rel: float | None
) -> float:
    """Moffat, Thomas and Scholer (2013): V(i) = 1/log2(i + 1) for i <= k."""
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]

    def go_on(i: int) -> float:
        return math.log2(i + 1) / math.log2(i + 2) if i < cutoff else 0.0

    return expected_gain(gains, go_on, nothing_below)


@twin_of("BPM")
def bejeweled_player(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    cutoff: int,
    T: float,  # noqa: N803
    min_rel: float,
    max_rel: float | None,
) -> float:
    """Zhang et al. (2017), static: go on while both the gain so far and the rank are below their limits.

    In fractions, since ten gains of a tenth are enough for one who wants 1.
    """
    gains = scaled_gains(ranking, unretrieved, min_rel, max_rel)

    def go_on(i: int) -> float:
        return 1.0 if sum(gains[:i]) < as_written(T) and i < cutoff else 0.0

    return expected_gain([float(g) for g in gains], go_on, nothing_below)


# Azzopardi, Mackenzie and Moffat (2021), equations 8 to 11.


@twin_of("NERR8")
def nerr8(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, min_rel: float, max_rel: float | None
) -> float:
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]
    return expected_gain(gains, lambda i: (1 - at(gains, i)) if i < cutoff else 0.0, nothing_below)


@twin_of("NERR9")
def nerr9(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, min_rel: float, max_rel: float | None
) -> float:
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]
    return expected_gain(gains, lambda i: i / (i + 1) * (1 - at(gains, i)) if i < cutoff else 0.0, nothing_below)


@twin_of("NERR10")
def nerr10(ranking: Grades, unretrieved: Sequence[float], *, p: float, min_rel: float, max_rel: float | None) -> float:
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]
    return expected_gain(gains, lambda i: p * (1 - at(gains, i)), lambda view: view / (1 - p))


@twin_of("NERR11")
def nerr11(ranking: Grades, unretrieved: Sequence[float], *, T: float, min_rel: float, max_rel: float | None) -> float:  # noqa: N803
    gains = [float(g) for g in scaled_gains(ranking, unretrieved, min_rel, max_rel)]

    def go_on(i: int) -> float:
        return ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - at(gains, i))

    return expected_gain(gains, go_on, inverse_square_tail(2 * T - 1))


def at(gains: Sequence[float], rank: int) -> float:
    return gains[rank - 1] if rank <= len(gains) else 0.0


@twin_of("ERR")
def expected_reciprocal_rank(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, max_rel: float | None
) -> float:
    """Chapelle et al. (2009), equation 4; a negative grade satisfies nobody, and no grade more than surely."""
    highest = top_grade(ranking, unretrieved) if max_rel is None else max_rel
    total, still_looking = 0.0, 1.0
    for rank, grade in enumerate(seen(ranking, cutoff), start=1):
        satisfied = min((2 ** gain(grade) - 1) / 2**highest, 1.0)
        total += still_looking * satisfied / rank
        still_looking *= 1 - satisfied
    return total
