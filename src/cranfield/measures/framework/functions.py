"""A plain function of one ranking as a measure: declared in a line, and called in Python for each ranking."""

from __future__ import annotations

import copyreg
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from keyword import iskeyword
from typing import Any, Final, NamedTuple, TypeAlias, cast, overload

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import REGISTRY, Measure, MeasureType
from cranfield.measures.framework.names import parse_measures
from cranfield.measures.framework.parameters import Parameter, cutoff, level
from cranfield.measures.framework.users_code import Place, is_ours, number_of
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.escaping import storable

Function: TypeAlias = Callable[..., float]
"""Takes the grades of a ranking, and the other arguments that it names; returns the value."""


@overload
def measure(
    name: str,
    function: Function,
    *,
    range: tuple[float, float] = ...,
    question: str = ...,
    higher_is_better: bool = ...,
) -> type[Measure]: ...
@overload
def measure(
    name: str,
    function: None = ...,
    *,
    range: tuple[float, float] = ...,
    question: str = ...,
    higher_is_better: bool = ...,
) -> Callable[[Function], type[Measure]]: ...
def measure(
    name: str,
    function: Function | None = None,
    *,
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - as classes call it
    question: str = "",
    higher_is_better: bool = True,
) -> type[Measure] | Callable[[Function], type[Measure]]:
    """Declare a measure by a plain function of one ranking; without a function, a decorator.

    The measure can then be named wherever measures are, also with a cutoff: ``"Delight@10"``. The
    function is called once for each run and topic, which is slower than a class derived from
    :class:`Measure`, whose ``compute`` is called once for all of them.

    Parameters
    ----------
    name
        The name of the measure. It replaces your own measure of that name in the same module or
        notebook, but no other.
    function
        Its first argument is the list of grades by rank, None for an unjudged document. It may ask
        for more by argument name: ``unretrieved``, the grades of the topic's judged documents that
        the ranking lacks, highest first; ``cutoff``, the k of ``@k`` (None without one; if the
        argument has no default, the measure requires an @); ``rel``, the lowest relevant grade if
        one was given. Other arguments, with a number or bool as default, are parameters of the
        measure. At a cutoff, ``grades`` ends at rank k, and documents below it are unretrieved.
    range
        The least and the largest value; others are refused.
    question
        The question it answers, in a sentence; by default, the beginning of the function's
        docstring.
    higher_is_better
        Whether higher values are better.

    Raises
    ------
    MeasureError
        If the name is taken or invalid, or the function has unknown arguments.

    Examples
    --------
    >>> from cranfield import evaluate
    >>> Hits = measure("Hits", lambda grades, unretrieved: sum(g is not None and g > 0 for g in grades)
    ...                / max(1, sum(g > 0 for g in unretrieved)), range=(0, 1000))
    >>> Hits().of([2, None, 0, 1], unretrieved=[1, 1, 0])
    1.0
    >>> evaluate({"1": {"a": 2, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, ["Hits", "Hits@1"]).averages.tolist()
    [[2.0], [1.0]]
    """
    module = _declaring()

    def declare(function: Function) -> type[Measure]:
        _refuse_name(name)
        asked = _asked_by(name, function)
        namespace = {
            "__module__": module,
            "__doc__": _page(name, function, question, asked),
            "range": range,
            "higher_is_better": higher_is_better,
            "graded": True,
            "uses_recall_base": "unretrieved" in asked.named,
            "rewards_promotion": False,
            "at_required": asked.needs_cutoff,
            **asked.parameters,
            "compute": _computed_by(name, function, asked),
        }
        return cast("type[Measure]", Declared(name, (Measure,), namespace))

    return declare if function is None else declare(function)


def _declaring() -> str:
    """Return the name of the module that calls `measure`, be it by its public name, which is a door."""
    from cranfield.plumbing import argument_checks

    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__") == argument_checks.__name__:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "__main__"))


class _Asked(NamedTuple):
    """What a function asks for by the names of its arguments."""

    named: tuple[str, ...]
    parameters: dict[str, Any]
    needs_cutoff: bool


_COMMON: Final = {"cutoff": cutoff, "rel": level}  # Parameters that have a meaning of their own


def _refuse_name(name: str) -> None:
    """Raise a MeasureError for an invalid name, or one that a built-in measure has in upper or lower case."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise MeasureError(f"a measure's name has letters, digits and underscores, such as 'Delight'; not {name!r}")
    try:
        known = parse_measures(name, complete=False)
    except MeasureError:
        return
    taken = next((type(each).__name__ for each in known if is_ours(type(each))), None)
    if taken is not None:
        raise MeasureError(f"{name!r} stands for {taken} already; choose another name")


def _asked_by(name: str, function: Function) -> _Asked:
    if not callable(function):
        raise MeasureError(f"{name}: a function of the grades is needed, not {function!r}")
    try:
        _grades, *others = inspect.signature(function).parameters.values()
    except ValueError:  # it takes nothing, or is written in C and does not say
        raise MeasureError(f"{name}: the function must take an argument, the grades by rank") from None
    asked = [each for each in others if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
    parameters = {"cutoff": cutoff(), **dict(_parameters(name, asked))}
    needs_cutoff = any(each.name == "cutoff" and each.default is each.empty for each in asked)
    named = tuple(each.name for each in asked if each.name == "unretrieved" or each.name in parameters)
    return _Asked(named, parameters, needs_cutoff)


def _parameters(name: str, asked: list[inspect.Parameter]) -> Iterator[tuple[str, Any]]:
    for each in asked:
        if each.name in _COMMON:
            yield each.name, _COMMON[each.name]()
        elif each.name == "unretrieved":
            continue
        elif each.default is each.empty or hasattr(Measure, each.name):
            raise MeasureError(
                f"{name}: the function has an unknown argument, {each.name!r}; besides grades it may take "
                "unretrieved, cutoff and rel, and parameters of other names with a default"
            )
        elif isinstance(each.default, bool | int | float):
            yield each.name, Parameter(each.default, "an argument of the function", kind=type(each.default))


def _page(name: str, function: Function, question: str, asked: _Asked) -> str:
    """Write the docstring."""
    question = storable(question) or (inspect.getdoc(function) or "").partition("\n\n")[0]
    given = ", ".join(["grades by rank", *asked.named])
    return "\n\n".join(
        [
            " ".join(question.split()) or f"What is the {name} of the ranking?",
            f"{name} = a function of {given}",
            "A plain function, called for each run and topic; slower than a measure that is a class.",
        ]
    )


def _computed_by(name: str, function: Function, asked: _Asked) -> Callable[[Measure, JudgedRankings], Floats]:
    code = getattr(function, "__code__", None)
    place = Place(getattr(function, "__module__", ""), *((code.co_filename, code.co_firstlineno) if code else ()))

    def compute(self: Measure, rankings: JudgedRankings) -> Floats:
        values = np.zeros(rankings.rows)
        named = {each: getattr(self, each) for each in asked.named if each != "unretrieved"}
        for row, grades, unretrieved in _rankings(rankings, with_unretrieved="unretrieved" in asked.named):
            run, topic = divmod(row, len(rankings.topics))
            where = f"for topic {rankings.topics[topic]!r} of run {rankings.runs[run]!r}"
            more = {**named, "unretrieved": unretrieved} if "unretrieved" in asked.named else named
            values[row] = number_of(lambda: function(grades, **more), name, where, place)  # noqa: B023 - called at once
        return values

    return wraps(function)(compute) if inspect.isfunction(function) else compute


def _rankings(
    rankings: JudgedRankings, *, with_unretrieved: bool
) -> Iterator[tuple[int, list[float | None], list[float]]]:
    """Give each ranking there is: its row, its grades by rank, and those of judged documents that it lacks."""
    judgments = rankings.judgments
    start = np.searchsorted(rankings.row, np.arange(rankings.rows + 1))
    first = np.searchsorted(judgments.topic, np.arange(len(rankings.topics) + 1))
    place = rankings.rank - 1
    for row in np.flatnonzero(rankings.present).tolist():
        cells = slice(start[row], start[row + 1])
        grades: list[float | None] = [None] * int(rankings.length[row])
        for rank, grade in zip(place[cells].tolist(), judgments.grade[rankings.judgment[cells]].tolist(), strict=True):
            if grade == grade:  # noqa: PLR0124 - NaN is a judgment that is open, or was taken away
                grades[rank] = grade
        unretrieved: Floats = np.zeros(0)
        if with_unretrieved:
            topic = row % len(rankings.topics)
            lacking = judgments.grade[first[topic] : first[topic + 1]].copy()
            lacking[rankings.judgment[cells] - first[topic]] = np.nan
            unretrieved = np.sort(lacking[~np.isnan(lacking)])[::-1]
        yield row, grades, unretrieved.tolist()


class Declared(MeasureType):
    """The kind of measure that a function declares, which need not be found in its module by its own name."""


def _again(module: str, name: str) -> type[Measure]:
    """Find a measure that was sent here from another process: its module declares it."""
    if name not in REGISTRY:
        import_module(module)
    if name not in REGISTRY:
        raise MeasureError(f"{name} was declared in {module}, and is not there; declare it where it is used")
    return REGISTRY[name]


def _sent(kind: type[Measure]) -> str | tuple[Callable[..., object], tuple[str, str]]:
    """Say how a measure is sent to another process: a class that is derived from one, as any class is."""
    return (_again, (kind.__module__, kind.__name__)) if REGISTRY.get(kind.__name__) is kind else kind.__qualname__


copyreg.pickle(Declared, _sent)  # type: ignore[arg-type]
