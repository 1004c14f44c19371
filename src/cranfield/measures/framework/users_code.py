"""Measures of users: whatever their code does ends in one line that says which measure, where in their file, and why.

The package's own measures have nothing to do with it: what fails in them is a flaw of ours, and
looks like one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import getattr_static, unwrap
from numbers import Real
from types import FrameType
from typing import Any, Final, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cranfield.judged.completions import Bounds, Kind
from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import CranfieldError, InputError, MeasureError

Measure: TypeAlias = Any
"""Measures know this module, and not the other way round."""


class UsersCodeError(InputError, MeasureError):
    """An error of a user's own code: it failed, or did not return a value of a measure."""


def is_ours(kind: type) -> bool:
    """Tell whether a class is one of the package's own."""
    return kind.__module__.startswith("cranfield.")


class Place(NamedTuple):
    """Where code of a user's is: by the name of its module its lines are told from those of libraries."""

    module: str
    file: str | None = None
    line: int | None = None


@contextmanager
def running(what: str, place: Place, passed: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Run code of a user's; what it raises, but for what is passed on, becomes one error that tells their last line."""
    passed = (KeyboardInterrupt, UsersCodeError, *passed)
    try:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # what comes of it is looked at
            yield
    except passed:
        raise
    except BaseException as error:
        from traceback import walk_tb

        if isinstance(error, SyntaxError) and error.filename == place.file:
            place = place._replace(line=error.lineno)
        for frame, line in walk_tb(error.__traceback__):
            if frame.f_globals.get("__name__") == place.module:
                place = Place(place.module, frame.f_code.co_filename, line)
        kind = "" if isinstance(error, CranfieldError) else type(error).__name__
        said = ": ".join(part for part in (what, kind, " ".join(str(error).split())) if part)
        raise UsersCodeError(said, source=place.file, line=place.line) from error


def number_of(call: Callable[[], object], what: str, where: str, place: Place) -> float:
    """Call a plain function of a user's, which is to return one number."""
    with running(f"{what} {where}", place):
        value = call()
        if isinstance(value, Real | np.bool_):
            return float(value)
    problem = f"{what} returned {_shown(value)} {where}; a value is one number"
    raise UsersCodeError(problem, source=place.file, line=place.line)


def guard(kind: type) -> None:
    """Look at what a user's class declares, and from now on at what its methods do, those inherited from ours too."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != kind.__module__:
        frame = frame.f_back
    place = Place(kind.__module__, *((frame.f_code.co_filename, frame.f_lineno) if frame else ()))
    _look_at_class(kind)
    for name, look in _LOOKS.items():
        setattr(kind, name, _guarded(kind, name, look, place))


def _look_at_class(kind: type) -> None:
    """Raise a MeasureError for an invalid declaration of the class."""
    for name, (holds, right) in _DECLARED.items():
        value = getattr(kind, name)
        if not holds(value):
            raise MeasureError(f"{kind.__name__}: {name} must be {right}, not {value!r}")
    for name, parameter in vars(kind)["parameters"].items():
        parameter.checked(f"{kind.__name__}: the default of {name}", parameter.default)


def _is_range(value: Any) -> bool:
    numbers = isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(v, int | float) for v in value)
    return numbers and value[0] <= value[1]


_DECLARED: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "range": (_is_range, "the least and the largest value, such as (0.0, 1.0)"),
    "aliases": (
        lambda value: isinstance(value, tuple) and all(isinstance(v, str) for v in value),
        "a tuple of names, such as ('MAP',)",
    ),
    "at": (lambda value: isinstance(value, str), "the name of a parameter"),
    "summary": (lambda value: value in {"mean", "sum", "geometric mean"}, "'mean', 'sum' or 'geometric mean'"),
    "at_typical": (
        lambda value: isinstance(value, tuple) and len(value) > 1 and all(isinstance(v, int | float) for v in value),
        "a tuple of two or more usual places, such as (5, 10)",
    ),
    "trec": (lambda value: value is None or (isinstance(value, str) and "{" not in value), "a name such as 'map'"),
    "trec_at": (
        lambda value: value is None or (isinstance(value, str) and value.replace("{at}", "").isidentifier()),
        "a name such as 'P_{at}'",
    ),
}
"""By attribute of the class: the condition, and its words."""


Look: TypeAlias = Callable[..., Any]
"""Takes a measure, what its method returned, and the method's arguments; returns the checked value."""


class _Wrong(Exception):  # noqa: N818 - it says what was returned, and is never seen outside
    """What was returned, and what would be right."""


def _guarded(kind: type, name: str, look: Look, place: Place) -> Callable[..., Any]:
    method = getattr_static(kind, name)
    method = getattr(method, "unguarded", method)  # as it was in the class that it is inherited from
    function = getattr(method, "__func__", method)
    is_wrapper = hasattr(function, "__wrapped__")  # of a plain function: nobody wrote a compute()
    what = kind.__name__ if is_wrapper else f"{kind.__name__}.{name}()"
    function = unwrap(function)
    if getattr(function, "__module__", None) == kind.__module__ and hasattr(function, "__code__"):
        place = Place(kind.__module__, function.__code__.co_filename, function.__code__.co_firstlineno)

    @wraps(function)
    def run(self: Measure, *given: Any, **named: Any) -> Any:
        bound = method.__get__(self) if hasattr(method, "__get__") else method
        if type(self) is not kind:
            return bound(*given, **named)
        with running(what, place, passed=(MeasureError,) if name == "check" else ()):
            value = bound(*given, **named)
        try:
            return look(self, value, *given, **named)
        except _Wrong as wrong:
            raise UsersCodeError(f"{what} {wrong}", source=place.file, line=place.line) from None

    run.unguarded = method  # type: ignore[attr-defined]
    return run


def _rows(measure: Measure, value: object, rankings: JudgedRankings) -> npt.NDArray[Any]:
    """Check the values of each row: finite numbers, within the range where the run has the topic."""
    if measure.text:
        return _shaped(value, (rankings.rows,), "texts, one for each row", "OUT").astype(object)
    found = _numbers(value, (rankings.rows,), "numbers, one for each row")
    counts = rankings.present | measure.of_topic
    low, high = measure.limits
    _refuse(
        found, counts & ~np.isfinite(found), rankings,
        "a value is a finite number (cranfield.measures.ratio gives 0 where there is nothing to divide by)",
    )  # fmt: skip
    beyond = (found < low - _SLACK * abs(low)) | (found > high + _SLACK * abs(high))
    right = f"its range is {low:g} to {high:g}, unless it is declared with range=(least, largest)"
    _refuse(found, counts & beyond & np.isfinite(found), rankings, right)
    return found


_SLACK: Final = 1e-9  # Tolerance for rounding beyond the end of a range, as a share of that end


def _refuse(found: Floats, wrong: npt.NDArray[np.bool_], rankings: JudgedRankings, right: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        run, topic = divmod(row, len(rankings.topics))
        raise _Wrong(
            f"returned {found[row]:g} for topic {rankings.topics[topic]!r} of run {rankings.runs[run]!r}; {right}"
        )


def _bounds(measure: Measure, value: object, rankings: JudgedRankings) -> Bounds:
    if not isinstance(value, Bounds) or value.kind not in get_args(Kind):
        raise _Wrong(f"returned {_shown(value)}; it must return cranfield's Bounds(low, high, kind)")
    low, high = (_numbers(end, (rankings.rows,), "numbers, one for each row") for end in (value.low, value.high))
    return Bounds(low, high, value.kind)


def _least(measure: Measure, value: object, ours: JudgedRankings, theirs: JudgedRankings) -> tuple[Floats, Kind]:
    if not isinstance(value, tuple) or len(value) != 2 or value[1] not in get_args(Kind):
        raise _Wrong(f"returned {_shown(value)}; it must return an array and what is sure about it, such as 'exact'")
    return _numbers(value[0], (ours.rows,), "numbers, one for each row"), value[1]


def _by_rank(measure: Measure, value: object, rankings: JudgedRankings, depth: int) -> Floats:
    return _numbers(value, (rankings.rows, depth), "numbers, for each row and each rank")


def _by_prefix(measure: Measure, value: object, rankings: JudgedRankings) -> Floats:
    shape = (rankings.rows, int(rankings.length.max(initial=0)) + 1)
    return _numbers(value, shape, "numbers, for each row and each length of its list from 0 on")


def _note(measure: Measure, value: object, top_grade: float) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _Wrong(f"returned {_shown(value)}; it must return a text or None")


def _numbers(value: object, shape: tuple[int, ...], right: str) -> Floats:
    return _shaped(value, shape, right, "biuf").astype(np.float64)


def _shaped(value: object, shape: tuple[int, ...], right: str, kinds: str) -> npt.NDArray[Any]:
    """Return an array of this shape, of one of these kinds of numpy's; or say what it is instead."""
    try:
        found = np.asarray(value)
    except Exception:  # noqa: BLE001 - whatever the object does, it is no array
        found = np.asarray(None)
    if found.shape != shape or found.dtype.kind not in kinds:
        raise _Wrong(f"returned {_shown(value)}; it must return an array of {' × '.join(map(str, shape))} {right}")
    return found


def _shown(value: object) -> str:
    """Say what something is, in few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {' × '.join(map(str, value.shape)) or 1} ({value.dtype})"
    if value is None or isinstance(value, bool | int | float | complex):
        return repr(value)
    many = f" of {len(value)}" if isinstance(value, list | tuple | dict | set | str) else ""
    return f"a {type(value).__name__}{many}"


_LOOKS: Final[dict[str, Look]] = {
    "compute": _rows,
    "score": _rows,
    "bounds": _bounds,
    "least_difference": _least,
    "by_rank": _by_rank,
    "by_prefix": _by_prefix,
    "note": _note,
    "check": lambda measure, value: None,
}
"""The methods that are called from outside, and the checks of their answers."""
