"""How likely is each of the experts' grades, given what one or several cheap judges said?

A multinomial logistic regression tells it, cross-fitted over topics: the chances of a topic follow from experts' grades
on other topics alone. So whoever treats them as predictions of this topic's grades has tuned nothing on these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.formats.optional import library
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection.assessors import side_by_side
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import CheapLabels, looked_up, notes_on
from cranfield.selection.judged_sample import Drawn

_PARTS: Final = 10
"""Topics are cut into this many parts, each predicted from the others; fewer topics are left out one by one."""
_ROUNDS: Final = 1000  # The regression may take this many rounds


@dataclass(frozen=True, eq=False)
class GradeChances:
    """The chance of each grade of each document."""

    grades: Floats  # the experts', rising
    chance: Floats  # (documents, grades); rows add up to 1, or to 0 where no other topic has an expert's grade

    @classmethod
    def learned(cls, features: Floats, topic: Integers, grade: Floats) -> GradeChances:
        """Predict grades from those of other topics by logistic regression; features: (documents, features)."""
        known = ~np.isnan(grade)
        grades = np.unique(grade[known])
        chance = np.zeros((len(topic), len(grades)))
        part = np.searchsorted(np.unique(topic[known]), topic) % _PARTS  # two topics with grades are never in one alone
        regression = library("sklearn.linear_model", extra="judges").LogisticRegression
        for own in np.unique(part):
            learn, tell = known & (part != own), part == own
            column = np.searchsorted(grades, grade[learn])
            there = np.unique(column)
            if len(there) == 1:
                chance[tell, there[0]] = 1.0
            elif len(there):
                told = regression(max_iter=_ROUNDS).fit(features[learn], column).predict_proba(features[tell])
                chance[np.ix_(tell, there)] = told
        return cls(grades, chance)

    def gain(self, measure: Measure, top_grade: float) -> Floats:
        """Return what each document can be expected to gain."""
        return self.chance @ measure.gain_of(self.grades, top_grade)

    @property
    def expected(self) -> Floats:
        """The mean grade to expect of each document."""
        return self.chance @ self.grades


def features_of(labels: Sequence[Floats]) -> Floats:
    """Return two features a judge: where the label stands among all of the judge's, from 0 to 1, and if it is missing.

    Equal labels share the middle of their places.

    >>> features_of([np.array([5.0, 0.0, np.nan])]).tolist()  # 0 takes the places 0 to 1/2, 5 those up to 1
    [[0.75, 0.0], [0.25, 0.0], [0.0, 1.0]]
    """
    columns = [column for label in labels for column in (np.nan_to_num(midranks(label)), np.isnan(label))]
    return np.stack(columns, axis=1).astype(np.float64)


def midranks(label: Floats) -> Floats:
    """Return the share of the labels below each, and half of those that are equal; NaN where there is none."""
    there = np.sort(label[~np.isnan(label)])
    below, up_to = (np.searchsorted(there, label, side) for side in ("left", "right"))
    return np.where(np.isnan(label), np.nan, (below + up_to) / (2 * max(len(there), 1)))


def calibrate(
    qrels: QrelsLike | Judgments, labels: QrelsLike | Judgments | tuple[QrelsLike | Judgments, ...]
) -> OneTable:
    r"""How likely is each of the experts' grades, given the labels of a cheap judge, or of several?

    .. math:: \log \frac{P(g \mid x)}{P(0 \mid x)} = a_g + b_g \cdot x

    where x holds, for each judge, the place of the document's label among all of the judge's labels (from 0 to 1), and
    whether there is none. The regression is multinomial logistic with a ridge penalty, fitted by scikit-learn, and
    cross-fitted over topics: what a topic's labels mean is learned from the experts' grades on other topics.

    Parameters
    ----------
    qrels
        The experts' judgments; those of a sample suffice.
    labels
        What a judge said of documents, on any scale; or a tuple of several judges' labels.

    Returns
    -------
    OneTable
        A row for each document that has a label: query_id, doc_id, a chance for each of the experts' grades
        (``chance_0`` and so on), which add up to 1, and ``expected``, the mean grade. The caption says how well the
        chances meet the experts' grades: the mean of -log₂ of the chance of the grade that was given, in bits, next to
        that of chances which say the same of every document.

    Raises
    ------
    InputError
        If scikit-learn is not installed (``cranfield[judges]``), or experts' grades of labelled documents are on
        fewer than two topics.

    Notes
    -----
    The table is no qrels file, on purpose: chances were learned from the experts, and a label of this kind must not be
    given to `estimate` with the same experts' grades. `estimate` learns chances itself where it has several judges.

    Paper: Wolpert (1992), "Stacked generalization", Neural Networks 5(2), for several judges; Chernozhukov et al.
    (2018), "Double/debiased machine learning", The Econometrics Journal 21(1), for cross-fitting.

    Examples
    --------
    >>> experts = {t: {"a": 1, "b": 0, "c": 0} for t in "1234"}
    >>> found = calibrate(experts, {t: {"a": 3, "b": 1, "c": 1, "d": 2} for t in "1234"})
    >>> found.to_polars().columns
    ['query_id', 'doc_id', 'chance_0', 'chance_1', 'expected']
    >>> found.to_polars().filter(query_id="1").select(pl.col("chance_1").round(2))["chance_1"].to_list()
    [0.43, 0.28, 0.28, 0.37]
    """
    given = judges_of(labels)
    judged = {f"judge {i}": open_qrels(each) for i, each in enumerate(given, 1)}
    everything, grades = side_by_side({"experts": open_qrels(qrels), **judged})
    there = np.flatnonzero(~np.isnan(grades[1:]).all(axis=0))
    grade, topic = grades[0, there], everything.topic[there]
    known = ~np.isnan(grade)
    if (topics := len(np.unique(topic[known]))) < 2:
        raise InputError(
            f"experts judged labelled documents of {counted(topics, 'topic')}; at least two are needed, since the "
            "meaning of a label is learned from other topics"
        )
    found = GradeChances.learned(features_of(list(grades[1:, there])), topic, grade)
    column = np.searchsorted(found.grades, grade[known])
    bits = -np.log2(found.chance[known, column].clip(min=1e-12)).mean()
    share = np.bincount(column) / len(column)
    alone = -(share * np.log2(share)).sum()
    rows = pl.DataFrame(
        {
            "query_id": pl.Series(everything.topics, dtype=pl.String).gather(topic),
            "doc_id": everything.document.gather(there),
            **{f"chance_{value:g}": found.chance[:, i] for i, value in enumerate(found.grades)},
            "expected": found.expected,
        }
    )
    says = (
        f"chances of the experts' grades given the labels of {counted(len(given), 'judge')}, learned from "
        f"{counted(len(column), 'document')} of {counted(topics, 'topic')}, each topic from others: {bits:.3f} bits "
        f"per document; {alone:.3f} with the same chances for every document"
    )
    return OneTable(rows, says, index=2)


def stacked(
    candidates: Candidates, drawn: Drawn, cheap: tuple[QrelsLike | Judgments, ...]
) -> tuple[CheapLabels, GradeChances]:
    """Combine the labels of several judges of all candidates, by the experts' grades of a sample."""
    given = [looked_up(candidates, open_qrels(each)) for each in cheap]
    notes = [note for i, label in enumerate(given, 1) for note in notes_on(candidates, label, f"judge {i}: ")]
    grade = np.full(len(candidates), np.nan)
    grade[drawn.place] = drawn.judgments.grade
    found = GradeChances.learned(features_of(given), candidates.topic, grade)
    return replace(CheapLabels.of(candidates, found.expected), notes=tuple(notes)), found


def judges_of(labels: QrelsLike | Judgments | tuple[QrelsLike | Judgments, ...]) -> tuple[QrelsLike | Judgments, ...]:
    """Return the labels of each judge: those of a tuple, unless it is a tuple of rows."""
    if isinstance(labels, tuple) and not any(isinstance(each, tuple | list) for each in labels):
        return labels
    return (cast("QrelsLike | Judgments", labels),)
