"""The file of a tool's answers: what it holds, and a function's answers in the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, isinf, isnan, nan
from os import PathLike
from typing import Any, Final, Protocol

from cranfield.conformance.cases import CASES
from cranfield.conformance.definitions import by_topic
from cranfield.formats.files import FilePath
from cranfield.formats.loading import load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import did_you_mean

SUITE: Final = "cranfield-conformance/1"
"""The name of the suite and its version, which changes whenever a case does."""
_TEXTS: Final = ("suite", "tool", "version")


class Scorer(Protocol):
    """A function that scores a run: judgments, ranked documents with their scores, and the name of a measure."""

    def __call__(  # noqa: D102
        self, qrels: dict[str, dict[str, float]], run: dict[str, list[tuple[str, float]]], measure: str, /
    ) -> float | None: ...


@dataclass(frozen=True)
class Answers:
    """What a tool answered: a value by the id of a case, None where it has none."""

    suite: str
    tool: str
    version: str
    values: Mapping[str, float | None]


def answers_of(function: Scorer, *, tool: str) -> Answers:
    """Ask a function for all cases but those with excluded documents; measures without any value are left out."""
    found: dict[str, float | None] = {}
    asked = [case for case in CASES if not case.situation.excluded]
    for case in asked:
        qrels = {topic: dict(lines) for topic, lines in by_topic(case.situation.qrels).items()}
        found[case.id] = _number(function(qrels, by_topic(case.situation.run), case.measure), f"{tool}, case {case.id}")
    there = {case.family for case in asked if found[case.id] is not None}
    if not there:
        raise InputError(f"{tool} gives no value for any case")
    return Answers(SUITE, tool, "", {case.id: found[case.id] for case in asked if case.family in there})


def _number(answer: object, source: str) -> float | None:
    """Take what a function returned: a number of any library, or None or NaN for no value."""
    try:
        number = nan if answer is None else float(answer)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = inf
    if isinf(number):
        raise InputError(f"the function should return a finite number or None, not {answer!r}", source=source)
    return None if isnan(number) else number


def read_answers(given: FilePath | Mapping[str, Any]) -> Answers:
    """Read answers from a file or from what it holds."""
    if isinstance(given, Mapping):
        return _checked(given, "the answers")
    if not isinstance(given, str | PathLike):
        raise InputError(f"answers are a file, a dict or a function, not {type(given).__name__}")
    return _checked(load(given).json(), str(given))


def _checked(found: Any, source: str) -> Answers:
    if not isinstance(found, Mapping) or not isinstance(found.get("answers"), Mapping):
        shape = '{"suite": ..., "tool": ..., "version": ..., "answers": {"CASE": VALUE}}'
        raise InputError(f"not a file of answers; one looks like {shape}", source=source)
    if extra := [name for name in found if name not in (*_TEXTS, "answers")]:
        raise InputError(f"unknown key {extra[0]!r}; a file of answers has {', '.join(_TEXTS)}, answers", source=source)
    for name in _TEXTS:
        if not isinstance(found.get(name), str):
            raise InputError(f"{name!r} should be a text, not {found.get(name)!r}", source=source)
    if found["suite"] != SUITE:
        raise InputError(f"answers the suite {found['suite']!r}; this version has {SUITE!r}", source=source)
    known = {case.id for case in CASES}
    for case, answer in found["answers"].items():
        if case not in known:
            raise InputError(f"there is no case {case!r}{did_you_mean(str(case), known)}", source=source)
        if not _is_answer(answer):
            raise InputError(f"the answer to {case!r} should be a number or null, not {answer!r}", source=source)
    if not found["answers"]:
        raise InputError("answers no case", source=source)
    values = {case: None if answer is None else float(answer) for case, answer in found["answers"].items()}
    return Answers(found["suite"], found["tool"], found["version"], values)


def _is_answer(answer: object) -> bool:
    if answer is None:
        return True
    try:
        return isinstance(answer, int | float) and not isinstance(answer, bool) and isfinite(answer)
    except OverflowError:  # a whole number too large for 64 bits of floating point
        return False
