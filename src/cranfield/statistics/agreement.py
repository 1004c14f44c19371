"""How far several assessors agree, and how far beyond chance: kappa for two or many, alpha with gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Numbers
from cranfield.plumbing.errors import InputError

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
    _, counts = _pairable(ratings)
    judged = counts.sum(axis=1)
    return float((counts * (counts - 1)).sum() / (judged * (judged - 1)).sum())


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
    return kappa_of_counts(_crossed(a, b, categories), weights)


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
    return ac_of_counts(_crossed(a, b, categories), weights)


def kappa_of_counts(counts: Floats, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return Cohen's kappa of counts of shape (categories of one, of the other): see `cohen_kappa`."""
    observed = counts / counts.sum()
    by_chance = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    weighted = _weights(len(counts), weights)
    return _beyond_chance((weighted * observed).sum(), (weighted * by_chance).sum())


def ac_of_counts(counts: Floats, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return Gwet's AC of counts of shape (categories of one, of the other): see `gwet_ac`."""
    observed, categories = counts / counts.sum(), len(counts)
    share = (observed.sum(axis=0) + observed.sum(axis=1)) / 2
    distance = _weights(categories, weights)
    agreed = 1 - distance / max(distance.max(), 1)
    by_chance = agreed.sum() / max(categories * (categories - 1), 1) * (share * (1 - share)).sum()
    return float(1 - ((1 - agreed) * observed).sum() / (1 - by_chance))


def alpha_of_counts(counts: Floats, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha of two assessors from how often the grades of one meet those of the other.

    >>> alpha_of_counts(np.array([[1.0, 1.0], [0.0, 1.0]])) == krippendorff_alpha([[1, 1, 2], [1, 2, 2]])
    True
    """
    coincidences = counts + counts.T
    totals = coincidences.sum(axis=0)
    squared = _SQUARED_DISTANCES[level](np.arange(len(totals), dtype=np.float64), totals)
    by_chance = (np.outer(totals, totals) * squared).sum() / (totals.sum() - 1)
    return _beyond_chance((coincidences * squared).sum(), by_chance)


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
        raise InputError(f"every item needs as many grades, 2 or more; there are {judged.min():g} to {judged.max():g}")
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
    if level not in tuple(_SQUARED_DISTANCES):
        raise InputError(f"the level is {', '.join(_SQUARED_DISTANCES)}, not {level!r}")
    values, counts = _pairable(ratings)
    if level == "ratio" and values.min() < 0:
        raise InputError(f"grades on a ratio scale are at least 0, not {values.min():g}")
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = counts.T @ shares - np.diag(shares.sum(axis=0))
    totals = counts.sum(axis=0)  # the sums of the rows, without their rounding
    squared = _SQUARED_DISTANCES[level](values, totals)
    by_chance = (np.outer(totals, totals) * squared).sum() / (totals.sum() - 1)
    return _beyond_chance((coincidences * squared).sum(), by_chance)


def _beyond_chance(observed: float, by_chance: float) -> float:
    """Return 1 - the disagreement in shares of that by chance; 1 where chance has none, for then there is none."""
    return 1.0 if by_chance == 0 else float(1 - observed / by_chance)


def _crossed(a: npt.ArrayLike, b: npt.ArrayLike, categories: npt.ArrayLike | None) -> Floats:
    """Count how often one assessor's label meets the other's; the labels are those of categories, or that occur."""
    one, other = np.asarray(a), np.asarray(b)
    if one.ndim != 1 or one.shape != other.shape or not one.size:
        raise InputError(f"both assessors need one label for each item, not the shapes {one.shape} and {other.shape}")
    names = np.unique(np.concatenate([one, other])) if categories is None else np.asarray(categories)
    counts: Floats = _one_hot(one, names).T @ _one_hot(other, names)
    return counts


def _one_hot(labels: npt.NDArray[np.generic], categories: npt.NDArray[np.generic]) -> Floats:
    """Return 1 where an item (row) is of a category (column), each item of exactly one."""
    hits: Booleans = labels[:, None] == categories
    if wrong := np.flatnonzero(hits.sum(axis=1) != 1).tolist():
        raise InputError(f"item {wrong[0]} has the label {labels[wrong[0]]}, which is not one of the categories")
    return hits.astype(np.float64)


def _weights(categories: int, weights: str | None) -> Floats:
    distance: Floats = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(np.float64)
    match weights:
        case None:
            return (distance > 0).astype(np.float64)
        case "linear":
            return distance
        case "quadratic":
            return distance**2
    raise InputError(f"weights is 'linear', 'quadratic' or None, not {weights!r}")


def _pairable(ratings: Numbers) -> tuple[Floats, Floats]:
    """Return the grades that occur, sorted, and how often each item has each, for items with two grades or more."""
    grades = np.asarray(ratings, dtype=np.float64)
    if grades.ndim != 2:
        raise InputError(f"ratings have the shape (assessors, items), not {grades.shape}")
    if np.isinf(grades).any():
        raise InputError("a grade is infinite")
    grades = grades[:, (~np.isnan(grades)).sum(axis=0) >= 2]
    if not grades.size:
        raise InputError("agreement needs an item that two assessors judged, and there is none")
    values = np.unique(grades[~np.isnan(grades)])
    counts = [(grades == value).sum(axis=0) for value in values]
    return values, np.stack(counts, axis=1).astype(np.float64)


def _nominal(values: Floats, totals: Floats) -> Floats:
    del totals
    differ: Booleans = values[:, None] != values
    return differ.astype(np.float64)


def _ordinal(values: Floats, totals: Floats) -> Floats:
    """Return the squared distances of the middles of the grades, when all are laid in a row."""
    del values
    middles = np.cumsum(totals) - totals / 2
    squared: Floats = np.square(np.subtract.outer(middles, middles))
    return squared


def _interval(values: Floats, totals: Floats) -> Floats:
    del totals
    squared: Floats = np.square(np.subtract.outer(values, values))
    return squared


def _ratio(values: Floats, totals: Floats) -> Floats:
    del totals
    sums = np.add.outer(values, values)
    squared: Floats = np.square(np.subtract.outer(values, values) / np.where(sums > 0, sums, 1.0))
    return squared


_SQUARED_DISTANCES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
"""Distances of all grades from all, squared, from the grades and how often each was given."""
