"""One test for many values: `@each_of("name", NAMES)` where a case for each would cost more than what it checks.

A case has to be collected, scheduled and reported, which takes some 5 ms; thousands of them take as
long as all that they check. This runs them in one case. Nothing is lost: it goes through all values,
and shows whichever fail together, each with its value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest

Test: TypeAlias = Callable[..., None]


def each_of(names: str | tuple[str, ...], values: Iterable[object]) -> Callable[[Test], Test]:
    """Call a test with each of the values, as `pytest.mark.parametrize` does with a case for each.

    Fixtures are the same for all, so that those that a test changes are no use here.

    >>> @each_of("number", [1, 3, 4])
    ... def test_odd(number):
    ...     assert number % 2
    >>> test_odd()
    Traceback (most recent call last):
    ...
    ExceptionGroup: 1 of 3 (1 sub-exception)
    """
    parameters = (names,) if isinstance(names, str) else names
    cases = [dict(zip(parameters, (one,) if isinstance(names, str) else one, strict=True)) for one in values]  # type: ignore[call-overload]

    def of_one(test: Test) -> Test:
        def of_all(**fixtures: object) -> None:
            wrong, skipped = list[Exception](), list[BaseException]()
            for case in cases:
                try:
                    test(**fixtures, **case)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - shown below
                    error.add_note(f"with {case}")
                    wrong.append(error if isinstance(error, Exception) else AssertionError(str(error)))
            if wrong:
                raise ExceptionGroup(f"{len(wrong)} of {len(cases)}", wrong)
            if skipped or not cases:
                raise skipped[0] if skipped else AssertionError("there is nothing to try")

        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in parameters]
        of_all.__name__, of_all.__qualname__, of_all.__doc__ = test.__name__, test.__qualname__, test.__doc__
        of_all.__module__ = test.__module__
        of_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return of_all

    return of_one
