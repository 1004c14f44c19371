"""How far several assessors agree, and how far beyond chance: kappa for two or many, alpha with gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers, Numbers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import slices_that_fit

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]


def percent_agreement(ratings: Numbers) -> float:
    """How often do two assessors of the same item give it the same grade?

    The share of equal pairs among all pairs of grades of the same item, all items taken together.

    Parameters
    ----------
    ratings
        Grades of shape (assessors, items); NaN where an assessor did not judge an item.

    Returns
    -------
    float
        From 0 to 1, including agreement by chance.

    Raises
    ------
    InputError
        If the shape is another, or no item has two grades.

    Paper: J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological
    Bulletin 76(5); its P-bar, where all items have as many grades.

    Examples
    --------
    Three assessors: on the first item 1 of 3 pairs agrees, on the second the one pair that there
    is.

    >>> percent_agreement([[1, 2], [1, 2], [0, float("nan")]]) == (1 + 1) / (3 + 1)
    True
    """
    grades = _Grades.of(ratings)
    same = [np.count_nonzero(grades.grade[one] == grades.grade[other]) for one, other in grades.pairs()]
    return float(2 * sum(same) / (grades.many * (grades.many - 1)).sum())


def cohen_kappa(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    weights: Literal["linear", "quadratic"] | None = None,
    *,
    categories: npt.ArrayLike | None = None,
) -> float:
    r"""How well do two assessors agree beyond chance?

    .. math:: \kappa = 1 - \frac{\sum w_{ij}\, o_{ij}}{\sum w_{ij}\, e_{ij}}

    with o_ij the share of items that a puts into category i and b into j, and e_ij the product of
    the shares of i with a and of j with b. The weight w_ij is 1 for i ≠ j, or the distance
    ``|i - j|`` ("linear") or its square ("quadratic").

    Parameters
    ----------
    a, b
        Labels of the same items, in the same order.
    weights
        The weight of a disagreement, by its distance in categories.
    categories
        All categories in order. By default, those that occur, sorted, so that an unused grade is
        not a step between its neighbours.

    Returns
    -------
    float
        1 if all agree, 0 if as often as by chance, below 0 if less. If both put all items into the
        same category, there is no disagreement by chance: the value is 1, since they agree.

    Raises
    ------
    InputError
        If there are no items, not as many labels in b as in a, a label is missing or not among the
        categories, or the weights are none of these.

    Paper: J. Cohen (1960), A coefficient of agreement for nominal scales, Educ. Psychol. Meas.
    20(1); weights: J. Cohen (1968), Weighted kappa, Psychological Bulletin 70(4).

    Examples
    --------
    They disagree on 1 of 4 items; by chance, on 1/2 · 3/4 + 1/2 · 1/4:

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0]) == 1 - (1 / 4) / (1 / 2)
    True
    """
    return _kappa(_Crossed.of(a, b, categories), weights)


def gwet_ac(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    weights: Literal["linear", "quadratic"] | None = None,
    *,
    categories: npt.ArrayLike | None = None,
) -> float:
    r"""How well do two assessors agree beyond chance, where one grade is far more frequent than the others?

    .. math:: AC = \frac{p_a - p_e}{1 - p_e}, \qquad p_a = \sum v_{ij}\, o_{ij}, \qquad
        p_e = \frac{\sum v_{ij}}{q (q - 1)} \sum_k \pi_k (1 - \pi_k)

    with o_ij the share of items that a puts into category i of q and b into j, and π_k the mean share
    of the two for category k. The weight v_ij of a pair is 1 for i = j, and otherwise 0 (AC1), or (AC2) what
    the distance ``|i - j|`` ("linear") or its square ("quadratic") leaves of 1, the largest being 0.

    Kappa falls towards 0 where nearly all items are of one category, even of assessors who hardly ever
    differ. Here chance alone is taken to agree seldom in that case.

    Parameters
    ----------
    a, b
        Labels of the same items, in the same order.
    weights
        The weight of a disagreement, by its distance in categories.
    categories
        All categories in order; by default, those that occur, sorted.

    Returns
    -------
    float
        1 if all agree, 0 if as often as by chance, below 0 if less; 1 where there is one category alone.

    Raises
    ------
    InputError
        As :func:`cohen_kappa`.

    Paper: K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement, British Journal of Mathematical and Statistical Psychology 61(1); AC2: K. L. Gwet
    (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 3.

    Examples
    --------
    They agree on 9 of 10 items. One of 20 labels is 1, so that chance agrees on 2 · 1/20 · 19/20:

    >>> a, b = [1] + [0] * 9, [0] * 10
    >>> by_chance = 2 * 1 / 20 * 19 / 20
    >>> round(gwet_ac(a, b), 9) == round((9 / 10 - by_chance) / (1 - by_chance), 9), cohen_kappa(a, b)
    (True, 0.0)
    """
    return _ac(_Crossed.of(a, b, categories), weights)


def kappa_of_counts(counts: Floats, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return Cohen's kappa of counts of shape (categories of one, of the other): see `cohen_kappa`."""
    return _kappa(_Crossed.of_counts(counts), weights)


def ac_of_counts(counts: Floats, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return Gwet's AC of counts of shape (categories of one, of the other): see `gwet_ac`."""
    return _ac(_Crossed.of_counts(counts), weights)


def alpha_of_counts(counts: Floats, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha of two assessors from how often the grades of one meet those of the other."""
    crossed, scale = _Crossed.of_counts(counts), _SCALES[level]
    totals = np.add(*crossed.sides)
    place = scale.places(np.arange(crossed.categories, dtype=np.float64), totals)
    observed = 2 * (crossed.times * scale.apart(place[crossed.one], place[crossed.other])).sum()
    return _beyond_chance(observed, scale.among(place, totals) / (totals.sum() - 1))


def _kappa(crossed: _Crossed, weights: str | None) -> float:
    weigh, sides = _weighing(weights), crossed.sides
    observed = (crossed.times * weigh.apart(crossed.one - crossed.other)).sum() * crossed.times.sum()
    return _beyond_chance(observed, weigh.between(*sides))


def _ac(crossed: _Crossed, weights: str | None) -> float:
    weigh, categories = _weighing(weights), crossed.categories
    share = np.add(*crossed.sides) / (2 * crossed.times.sum())
    once = np.ones(categories)
    largest = max(float(weigh.apart(np.array(categories - 1))), 1.0)
    agreed = categories**2 - weigh.between(once, once) / largest
    by_chance = agreed / max(categories * (categories - 1), 1) * (share * (1 - share)).sum()
    apart = (crossed.times * weigh.apart(crossed.one - crossed.other)).sum() / largest
    return float(1 - apart / crossed.times.sum() / (1 - by_chance))


def fleiss_kappa(table: Numbers) -> float:
    r"""How well do many assessors agree beyond chance, if each item has the same number of grades?

    .. math:: \kappa = \frac{\bar P - \bar P_e}{1 - \bar P_e}

    with P the share of equal pairs among the grades of an item, its mean over all items, and P_e
    the sum of the squares of the categories' shares. The assessors of one item need not be those of
    another.

    Parameters
    ----------
    table
        How many grades of each category an item has: shape (items, categories), each row with the
        same sum, 2 or more.

    Returns
    -------
    float
        1 if all agree, 0 if as often as by chance, below 0 if less; 1 where all grades are of one
        category.

    Raises
    ------
    InputError
        If the table is another.

    Paper: J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological
    Bulletin 76(5).

    Examples
    --------
    Three assessors; on the second item 1 of 3 pairs agrees. Of 6 grades, 4 are of the first
    category:

    >>> kappa = fleiss_kappa([[3, 0], [1, 2]])
    >>> agreed, by_chance = (1 + 1 / 3) / 2, (4 / 6) ** 2 + (2 / 6) ** 2
    >>> round(kappa, 9) == round((agreed - by_chance) / (1 - by_chance), 9)
    True
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not counts.size:
        raise InputError(f"Fleiss' kappa needs a table (items, categories), not the shape {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0) & (counts % 1 == 0)).all():
        raise InputError("a table of Fleiss' kappa holds how often each category was given: whole numbers from 0")
    judged = counts.sum(axis=1)
    if judged[0] < 2 or (judged != judged[0]).any():
        raise InputError(f"every item needs as many grades, 2 or more, not {judged.min():g} to {judged.max():g}")
    shares = counts.sum(axis=0) / counts.sum()
    equal = (counts * (counts - 1)).sum() / (judged * (judged - 1)).sum()
    one_category = np.count_nonzero(shares) == 1
    return _beyond_chance(1 - equal, 0.0 if one_category else 1 - np.square(shares).sum())


def krippendorff_alpha(ratings: Numbers, level: Level = "nominal") -> float:
    r"""How well do assessors agree beyond chance, if some grades are missing and near misses count less?

    .. math:: \alpha = 1 - (n - 1) \frac{\sum o_{ck}\, \delta^2_{ck}}{\sum n_c n_k\, \delta^2_{ck}}

    An item with m grades adds 1 / (m - 1) to the coincidence o_ck for each ordered pair of its
    grades c and k; n_c is the sum of a row, n of all. The distance δ is 1 for c ≠ k ("nominal"),
    the grades between them and half of their own, counted as given ("ordinal"), c - k ("interval"),
    or (c - k) / (c + k) ("ratio").

    Parameters
    ----------
    ratings
        Grades of shape (assessors, items); NaN where an assessor did not judge an item. Items with
        a single grade are left out.
    level
        What the grades are: names, an order, a scale, or a scale with a true zero (grades from 0).

    Returns
    -------
    float
        1 if all agree, 0 if as by chance, below 0 if less. If all grades are the same, chance
        cannot be distinguished from agreement: the value is 1, since they agree.

    Raises
    ------
    InputError
        If the shape is another, no item has two grades, a grade is infinite (or below 0, with
        "ratio"), or there is no such level.

    Paper: K. Krippendorff (2011), Computing Krippendorff's alpha-reliability; his Content analysis
    (2004), chapter 11.

    Examples
    --------
    Two assessors give 1, 1, 2 and 1, 2, 2: of six ordered pairs two differ, by chance 2 · 3 · 3 of
    6 · 5 would.

    >>> round(krippendorff_alpha([[1, 1, 2], [1, 2, 2]]), 9) == round(1 - (2 / 6) / (2 * 3 * 3 / (6 * 5)), 9)
    True
    """
    if level not in tuple(_SCALES):
        raise InputError(f"the level is {', '.join(_SCALES)}, not {level!r}")
    grades, scale = _Grades.of(ratings), _SCALES[level]
    values, code = np.unique(grades.grade, return_inverse=True)
    if level == "ratio" and values.min() < 0:
        raise InputError(f"grades on a ratio scale are at least 0, not {values.min():g}")
    totals = np.bincount(code).astype(np.float64)
    places = scale.places(values, totals)
    place = places[code]
    observed = sum(
        2 * (scale.apart(place[one], place[other]) / (grades.many[grades.item[one]] - 1)).sum()
        for one, other in grades.pairs()
    )
    return _beyond_chance(observed, scale.among(places, totals) / (totals.sum() - 1))


def _beyond_chance(observed: float, by_chance: float) -> float:
    """Return 1 - disagreement / disagreement by chance; 1 if chance gives none, for then there is none."""
    return 1.0 if by_chance == 0 else float(1 - observed / by_chance)


class _Crossed(NamedTuple):
    """How often one assessor's label met the other's: the cells that were filled alone, of any number of categories."""

    one: Integers
    other: Integers
    times: Floats
    categories: int

    @classmethod
    def of(cls, a: npt.ArrayLike, b: npt.ArrayLike, categories: npt.ArrayLike | None) -> _Crossed:
        """Count labels of the same items; they are those of categories, or that occur."""
        one, other = np.asarray(a), np.asarray(b)
        if one.ndim != 1 or one.shape != other.shape or not one.size:
            raise InputError(
                f"both assessors need one label for each item, not the shapes {one.shape} and {other.shape}"
            )
        names = np.unique(np.concatenate([one, other])) if categories is None else np.asarray(categories)
        if names.ndim != 1 or (names.dtype == object) != (one.dtype == object):
            raise InputError(f"categories are a list of all labels in order, not {categories!r}")
        cells, times = np.unique(_codes(one, names) * len(names) + _codes(other, names), return_counts=True)
        return cls(cells // len(names), cells % len(names), times.astype(np.float64), len(names))

    @classmethod
    def of_counts(cls, counts: Floats) -> _Crossed:
        """Count from a table of shape (categories of one, of the other)."""
        one, other = np.nonzero(counts)
        return cls(one, other, counts[one, other], len(counts))

    @property
    def sides(self) -> tuple[Floats, Floats]:
        """How often each of the two gave each category."""
        one, other = (np.bincount(of, self.times, self.categories) for of in (self.one, self.other))
        return one.astype(np.float64), other.astype(np.float64)


def _codes(labels: npt.NDArray[np.generic], categories: npt.NDArray[np.generic]) -> Integers:
    """Return the category of each item, exactly one each."""
    known, at, times = np.unique(categories, return_index=True, return_counts=True)
    place = np.searchsorted(known, labels).clip(max=max(len(known) - 1, 0))
    wrong = np.ones(len(labels), bool) if not len(known) else (known[place] != labels) | (times[place] > 1)
    if wrong.any():
        item = int(wrong.argmax())
        raise InputError(f"item {item} has the label {labels[item]}, which is not one of the categories")
    return np.asarray(at[place])


class _Weighing(NamedTuple):
    """What a disagreement weighs, by its distance in categories; and all pairs of two lists of them, from counts."""

    apart: Callable[[Integers], Floats]
    between: Callable[[Floats, Floats], float]


def _weighing(weights: str | None) -> _Weighing:
    if weights not in _WEIGHTS:
        raise InputError(f"weights is 'linear', 'quadratic' or None, not {weights!r}")
    return _WEIGHTS[weights]


def _steps(one: Floats, other: Floats) -> float:
    """Add up the steps between all pairs: each step is between those below it and those above."""
    below, others_below = one.cumsum()[:-1], other.cumsum()[:-1]
    return float((below * (other.sum() - others_below) + others_below * (one.sum() - below)).sum())


def _squared_steps(one: Floats, other: Floats) -> float:
    """Add up the squares of the steps between all pairs, from the middle of the one, so that nothing large cancels."""
    place = np.arange(len(one), dtype=np.float64)
    place -= np.rint((place * one).sum() / one.sum())
    squares = other.sum() * (place**2 * one).sum() + one.sum() * (place**2 * other).sum()
    return float(squares - 2 * (place * one).sum() * (place * other).sum())


_WEIGHTS: dict[str | None, _Weighing] = {
    None: _Weighing(
        lambda apart: (apart != 0).astype(np.float64),
        lambda one, other: float(one.sum() * other.sum() - (one * other).sum()),
    ),
    "linear": _Weighing(lambda apart: np.abs(apart).astype(np.float64), _steps),
    "quadratic": _Weighing(lambda apart: apart.astype(np.float64) ** 2, _squared_steps),
}


class _Grades(NamedTuple):
    """The grades of the items that have two or more, item by item; and how many each item has."""

    item: Integers
    grade: Floats
    many: Integers

    @classmethod
    def of(cls, ratings: Numbers) -> _Grades:
        """Take them from a table of shape (assessors, items)."""
        table = np.asarray(ratings, dtype=np.float64)
        if table.ndim != 2:
            raise InputError(f"ratings have the shape (assessors, items), not {table.shape}")
        if np.isinf(table).any():
            raise InputError("a grade is infinite")
        there = ~np.isnan(table)
        table, there = (each[:, there.sum(axis=0) >= 2].T for each in (table, there))
        if not table.size:
            raise InputError("agreement needs an item that two assessors judged, and there is none")
        return cls(np.nonzero(there)[0], table[there], there.sum(axis=1))

    def pairs(self) -> Iterator[tuple[Integers, Integers]]:
        """Give the places of all pairs of grades of one item, each once, some at a time."""
        for between in range(1, int(self.many.max())):
            one = np.flatnonzero(self.item[between:] == self.item[:-between])
            yield one, one + between


class _Scale(NamedTuple):
    """A level: where grades lie on it, how far two are apart, squared, and the sum of that over all pairs."""

    places: Callable[[Floats, Floats], Floats]
    apart: Callable[[Floats, Floats], Floats]
    among: Callable[[Floats, Floats], float]


def _values(values: Floats, totals: Floats) -> Floats:
    return values


def _ratios(one: Floats, other: Floats) -> Floats:
    sums = one + other
    return np.square((one - other) / np.where(sums > 0, sums, 1.0))


def _spread(places: Floats, totals: Floats) -> float:
    """Add up the squared distances of all pairs: twice their number times those from the mean."""
    away = places - places[0]  # exactly 0 where there is one place alone
    away -= (totals * away).sum() / totals.sum()
    return float(2 * totals.sum() * (totals * away**2).sum())


def _pair_by_pair(places: Floats, totals: Floats) -> float:
    blocks = slices_that_fit(len(places), len(places))
    return float(sum((totals[some] @ _ratios(places[some, None], places) @ totals) for some in blocks))


_SCALES: dict[str, _Scale] = {
    "nominal": _Scale(
        _values,
        lambda one, other: (one != other).astype(np.float64),
        lambda _, totals: float(totals.sum() ** 2 - (totals**2).sum()),
    ),
    # Grades lie at the middles of what they take up, when all are laid in a row.
    "ordinal": _Scale(
        lambda _, totals: np.cumsum(totals) - totals / 2, lambda one, other: np.square(one - other), _spread
    ),
    "interval": _Scale(_values, lambda one, other: np.square(one - other), _spread),
    "ratio": _Scale(_values, _ratios, _pair_by_pair),
}
