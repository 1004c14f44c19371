"""Conflation: qrels in which grades that are not to be told apart are one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import RELEVANCE
from cranfield.scoring.judged_runs import JudgedRuns, qrels_table


def conflate(qrels: QrelsLike | Judgments, grades: Mapping[int, float] | Mapping[float, float]) -> pl.DataFrame:
    """Merge grades of the judgments, for all measures and later analyses.

    (To merge grades for a single measure, use its ``gains=`` or ``rel=``.)

    Parameters
    ----------
    qrels
        As in `evaluate`.
    grades
        The new grade of each grade; unlisted grades stay as they are. The order of grades must not
        be reversed.

    Returns
    -------
    Table with columns query_id, doc_id, relevance: qrels, to be evaluated by or written.

    Raises
    ------
    InputError
        If a grade is not a finite number, no document has it, or the order is reversed.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, section 2.1 (RW, a monotonic function); Ferro et al. (2016), "The Twist measure for IR
    evaluation: taking user's effort into account", JASIST 67(3), section "Empirical Analysis",
    whose spam is taken for not relevant.

    Examples
    --------
    >>> conflate({"1": {"spam": -2, "no": 0, "yes": 1, "key": 3}}, {-2: 0, 3: 2}).rows()
    [('1', 'spam', 0), ('1', 'no', 0), ('1', 'yes', 1), ('1', 'key', 2)]
    """
    table = qrels_table(qrels)
    there, becomes = _becoming(table[RELEVANCE].to_numpy().astype(np.float64), grades)
    return table.with_columns(
        pl.col(RELEVANCE)
        .cast(pl.Float64)
        .replace_strict(there, becomes, return_dtype=pl.Float64)
        .cast(pl.Int64 if (becomes == np.floor(becomes)).all() else pl.Float64)
    )


def conflated(runs: JudgedRuns, grades: Mapping[int, float] | Mapping[float, float]) -> JudgedRuns:
    """Judge the same joined runs by conflated judgments, as if the qrels had held no other grades."""
    there, becomes = _becoming(runs.judgments.grade, grades)
    grade = runs.judgments.grade.copy()
    judged = ~np.isnan(grade)
    grade[judged] = becomes[np.searchsorted(there, grade[judged])]
    judgments = runs.judgments.with_grades(grade)
    judgments.top_grade = float(becomes.max(initial=0.0))
    return replace(
        runs,
        judgments=judgments,
        batches=tuple(replace(batch, judgments=judgments, _made={}) for batch in runs.batches),
    )


def _becoming(judged: Floats, grades: Mapping[int, float] | Mapping[float, float]) -> tuple[Floats, Floats]:
    """Return the grades of the judgments, rising, and what becomes of each."""
    there = np.unique(judged[~np.isnan(judged)])
    told = {float(grade): float(becomes) for grade, becomes in grades.items()}
    if not np.isfinite([*told, *told.values()]).all():
        raise InputError("grades are finite numbers")
    if absent := sorted(set(told) - set(there)):
        raise InputError(
            f"no document has the grade {absent[0]:g}; the qrels have {', '.join(f'{g:g}' for g in there)}"
        )
    becomes = np.array([told.get(grade, grade) for grade in there])
    if turned := np.flatnonzero(np.diff(becomes) < 0).tolist():
        low, high = there[turned[0] : turned[0] + 2]
        new_low, new_high = becomes[turned[0] : turned[0] + 2]
        raise InputError(f"grade {high:g} is above {low:g}, but would be below it: {new_high:g} and {new_low:g}")
    return there, becomes
