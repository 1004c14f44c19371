"""Which convention gives a tool's answers, and where none does, which mistake: `conform`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import isclose, isnan
from typing import Any, Final, TypeAlias

from cranfield.conformance.cases import CASES, Case
from cranfield.conformance.choices import conventions, named, questions, says, usual
from cranfield.conformance.conformity import Conformity, MeasureVerdict
from cranfield.conformance.definitions import DEFINITIONS
from cranfield.conformance.tool_answers import Answers, Scorer, answers_of, read_answers
from cranfield.formats.files import FilePath

Chosen: TypeAlias = dict[str, str]
Given: TypeAlias = Mapping[str, float | None]

TOLERANCE: Final = 1e-5
"""How far an answer may be from a value; values of different choices are at least ten times as far apart."""
_TOGETHER: Final = 2  # How many mistakes of one measure are looked for together


def conform(answers: FilePath | Mapping[str, Any] | Scorer, *, tool: str = "the function") -> Conformity:
    """Does a tool compute what its measures say, and by which convention?

    The suite has cases of a few lines, each with the value that every convention gives (`write_suite`).
    A measure conforms if one convention gives all of its answers. Otherwise the mistakes of the suite are
    tried, alone and two at a time, and the one that explains all answers is named, with the smallest case
    that shows it. Answers that no mistake explains are listed.

    Parameters
    ----------
    answers
        The file of answers, what it holds, or a function of judgments, a run and the name of a measure,
        which is asked for all of them: ``function({"1": {"a": 1}}, {"1": [("a", 0.5)]}, "P@3")``, the
        documents in the order of the input. None, or NaN, is no value; a measure without any is left out.
    tool
        What a function is called in the result.

    Returns
    -------
    A verdict for each measure that was answered. A case without a value contradicts nothing, and is listed.

    Raises
    ------
    InputError
        If the file is not one of answers to this suite, or the function gives no value at all.

    Examples
    --------
    >>> mine = {"suite": "cranfield-conformance/1", "tool": "mine", "version": "0.1"}
    >>> print(conform(mine | {"answers": {"plain/P@3": 2 / 3, "shorter-than-k/P@5": 1.0}}).measures[0].sentence())
    divides by the length of a list that is shorter than k; shorter-than-k/P@5 is 1.0000 where 0.4000 is right.
    """
    given = answers_of(answers, tool=tool) if callable(answers) else read_answers(answers)
    return Conformity(given.tool, given.version, given.suite, tuple(_verdicts(given)))


def _verdicts(answers: Answers) -> Iterator[MeasureVerdict]:
    for measure in DEFINITIONS:
        if cases := [case for case in CASES if case.family == measure and case.id in answers.values]:
            yield _verdict(measure, sorted(cases, key=lambda case: case.size), answers.values)


def _verdict(measure: str, cases: Sequence[Case], given: Given) -> MeasureVerdict:
    asked = sum(case.family == measure for case in CASES)
    silent = tuple(case.id for case in cases if given[case.id] is None and case.value({}) is not None)
    if all(given[case.id] is None for case in cases):
        return MeasureVerdict(measure=measure, verdict="no value", answered=0, cases=asked, no_value=silent)
    answered = len(cases) - len(silent)
    facts: dict[str, Any] = {"measure": measure, "answered": answered, "cases": asked, "no_value": silent}
    if right := _fits(cases, given, {}).found:
        return MeasureVerdict(**facts, verdict="conforms", **_conforming(measure, right, given))
    for count in range(1, _TOGETHER + 1):
        if explained := _explained(measure, count, cases, given):
            return MeasureVerdict(**facts, verdict="mistake", **_mistaken(measure, cases, explained, given))
    return MeasureVerdict(**facts, verdict="fits nothing", **_unexplained(cases, given))


@dataclass(frozen=True)
class _Fit:
    """All choices, of the questions that matter, that give all answers; where there are none, why."""

    found: list[Chosen]
    case: Case  # The last case that was looked at, and the choices that gave all answers until then
    before: list[Chosen]


def _fits(cases: Sequence[Case], given: Given, wrong: Chosen) -> _Fit:
    """Find the choices that, with these mistakes, give all answers: case by case, so that few are alive at once."""
    found: list[Chosen] = [{}]
    case, before = cases[0], found
    for case in cases:
        before = found
        rights = {name: questions(case.family)[name].right() for name in case.open() if name not in wrong}
        longer = {
            tuple(sorted(each.items())): each
            for partial in found
            for each in _extended(partial, rights)
            if _equal(_value(case, tuple((wrong | {name: each[name] for name in rights}).items())), given[case.id])
        }
        if longer or given[case.id] is not None:
            found = list(longer.values())
        if not found:
            break
    return _Fit(found, case, before)


def _extended(partial: Chosen, rights: Mapping[str, Sequence[str]]) -> Iterator[Chosen]:
    new = [name for name in rights if name not in partial]
    for chosen in product(*(rights[name] for name in new)):
        yield partial | dict(zip(new, chosen, strict=True))


@cache
def _value(case: Case, how: tuple[tuple[str, str], ...]) -> float | None:
    return case.mean(dict(how))


def _equal(value: float | None, answer: float | None) -> bool:
    """Tell whether an answer is a value; a mean over no topics, NaN, may be 0, or no value."""
    if value is not None and isnan(value):
        return not answer
    if value is None or answer is None:
        return value is answer
    return isclose(value, answer, rel_tol=0, abs_tol=TOLERANCE)


def _explained(measure: str, count: int, cases: Sequence[Case], given: Given) -> list[tuple[Chosen, list[Chosen]]]:
    """Return the sets of this many mistakes that give all answers, with the choices that go with each.

    A case without a value contradicts none; only the sets that explain the most of them are kept.
    """
    found = [(wrong, right) for wrong in _mistakes(measure, count) if (right := _fits(cases, given, wrong).found)]
    same = [
        sum(_equal(_value(case, tuple((right[0] | wrong).items())), given[case.id]) for case in cases)
        for wrong, right in found
    ]
    return [each for each, number in zip(found, same, strict=True) if number == max(same)]


def _mistakes(measure: str, count: int) -> Iterator[Chosen]:
    """Give every set of this many mistakes, of different questions."""
    for names in combinations(questions(measure), count):
        for wrong in product(*(questions(measure)[name].wrong() for name in names)):
            yield dict(zip(names, wrong, strict=True))


def _conforming(measure: str, found: Sequence[Chosen], given: Given) -> dict[str, Any]:
    fitting = [
        name for name in conventions(measure) if any(each.items() <= named(measure, name).items() for each in found)
    ]
    return {"conventions": tuple(fitting), **_chosen(measure, found, given)}


def _chosen(measure: str, found: Sequence[Chosen], given: Given) -> dict[str, Any]:
    """Say which choices are left of each question that was decided, and which case would decide the others."""
    left = {name: tuple(sorted({each[name] for each in found})) for name in found[0]}
    choices = {name: choice for name in questions(measure) if (choice := left.get(name))}
    open_ = [
        name for name, each in questions(measure).items() if len(each.right()) > 1 and len(left.get(name, "  ")) > 1
    ]
    parting = {name: case for name in open_ if (case := _parting(measure, name, left.get(name, ()), given))}
    return {"choices": choices, "undecided": parting}


def _parting(measure: str, question: str, left: Sequence[str], given: Given) -> str | None:
    """Return the smallest case without an answer that would tell what is left of a question apart."""
    left = left or questions(measure)[question].right()
    for case in sorted(CASES, key=lambda case: case.size):
        if case.family == measure and given.get(case.id) is None and question in case.open():
            values = [_value(case, ((question, choice),)) for choice in left]
            if not all(_equal(value, values[0]) for value in values):
                return case.id
    return None


def _mistaken(
    measure: str, cases: Sequence[Case], explained: Sequence[tuple[Chosen, list[Chosen]]], given: Given
) -> dict[str, Any]:
    first, found = explained[0]
    case, expected = _shown(cases, first, found, given)
    sentences = (" and ".join(says(measure, *each) for each in wrong.items()) for wrong, _ in explained)
    return {
        "mistakes": tuple(sentences),
        "case": case.id,
        "answer": given[case.id],
        "expected": expected,
        **_chosen(measure, found, given),
    }


def _shown(cases: Sequence[Case], wrong: Chosen, found: Sequence[Chosen], given: Given) -> tuple[Case, float | None]:
    """Return the smallest case whose answer needs the mistakes, and its value without them.

    If each answer alone fits some convention, it is the case that ruled out the last one.
    """
    known = max(found, key=lambda each: sum(usual(cases[0].family)[name] == choice for name, choice in each.items()))
    rights = [questions(cases[0].family)[name].right() for name in wrong]
    for case in cases:
        others = [
            _value(case, tuple((known | dict(zip(wrong, chosen, strict=True))).items())) for chosen in product(*rights)
        ]
        if given[case.id] is not None and not any(_equal(given[case.id], other) for other in others):
            return case, others[0]
    right = _fits(cases, given, {})
    return right.case, _value(right.case, tuple(right.before[0].items()))


def _unexplained(cases: Sequence[Case], given: Given) -> dict[str, Any]:
    wrong = [case for case in cases if not _fits([case], given, {}).found]
    last = _fits(cases, given, {})
    case, how = (wrong[0], {}) if wrong else (last.case, last.before[0])
    return {
        "case": case.id,
        "answer": given[case.id],
        "expected": case.value(how),
        "unexplained": tuple(each.id for each in wrong),
    }
