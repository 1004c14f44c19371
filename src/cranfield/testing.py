"""For tests of a search: `assert_not_worse` fails where a new run is worse than a base, and says by how much."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from cranfield.comparison.gating import Gate, gate
from cranfield.formats import QrelsLike, RunsLike
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Tolerance, checked
from cranfield.statistics.conclusions import status_of


class UndecidedWarning(UserWarning):
    """Too few topics, or too few judgments, to say whether a run is worse."""


def assert_not_worse(
    qrels: QrelsLike,
    base: Any,
    new: Any,
    measures: Any = None,
    *,
    undecided: Tolerance = "warn",
    unjudged: Tolerance = "warn",
    **options: Any,
) -> Gate:
    """Fail a test where a new run is worse than a base by more than a margin.

    What `gate` decides, with its report as the message of the `AssertionError`. Whether a run that is not
    significantly worse passes is asked of you, since too few topics are no proof of anything.

    Parameters
    ----------
    qrels, measures, **options
        As for `gate`, ``margin`` among them.
    base, new
        One run each: a file, a DataFrame, ``{topic: {document: score}}``.
    undecided, unjudged
        What becomes of a new run of which it cannot be said, because there are too few topics, and because unjudged
        documents could reverse what was judged: an `UndecidedWarning` (``"warn"``, the default), a failure
        (``"fail"``), or nothing (``"pass"``).

    Returns
    -------
    The gate, for what else is to be asked of it.

    Raises
    ------
    AssertionError
        If the new run is worse by any measure; if it is undecided and what governs that says ``"fail"``.
    InputError
        As `gate`.

    Examples
    --------
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(20)}
    >>> base = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    >>> new = {topic: {"a": 1.0, "b": 2.0} for topic in qrels}
    >>> assert_not_worse(qrels, base, base | {"3": new["3"]}, "RR", margin=0.1).verdict
    'equivalent'
    >>> assert_not_worse(qrels, base, new, "RR", margin=0.1)
    Traceback (most recent call last):
    ...
    AssertionError: new must not replace base: worse in RR by more than 0.1...
    """
    __tracebackhide__ = True
    undecided = checked("undecided", undecided, Tolerance)
    unjudged = checked("unjudged", unjudged, Tolerance)
    found = gate(qrels, _two(base, new), measures, **options)
    status = status_of(found.verdict, undecided, unjudged)
    if status == 1:
        raise AssertionError(_said(found))
    if status:
        warnings.warn(_said(found), UndecidedWarning, stacklevel=2)
    return found


def _said(found: Gate) -> str:
    return f"{found.render('table')!s}{found.caption()}"


def _two(base: Any, new: Any) -> RunsLike:
    """Name two runs: files after themselves, unless these are equal, otherwise base and new."""
    files = [Path(run).name for run in (base, new) if isinstance(run, str | Path)]
    for name, run in (("base", base), ("new", new)):
        if isinstance(run, list | tuple):
            raise InputError(f"{name} is one run; {len(run)} were given")
    return [base, new] if len({*files}) == len((base, new)) else {"base": base, "new": new}
