"""What still works and will end: the one list of it, with the version in which each ends, and how a program warns.

`docs/installing.md` has the list for readers; a test holds it to this one, and this one to the version: what was to
end with it must be gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from warnings import warn

from cranfield.plumbing.surface import in_shell

_Kind = TypeVar("_Kind", bound=type)
_PACKAGE: Final = str(Path(__file__).parents[1])


class Deprecation(NamedTuple):
    """What to write instead, the version that said so first, and the version in which the old form is gone."""

    instead: str
    since: str
    ends: str


FORMER_ORDER: Final = "columns={theirs: ours}"

DEPRECATED: Final = {
    "FewRelevantLeft(documents=)": Deprecation("FewRelevantLeft(at_most=)", since="0.3.0", ends="0.5.0"),
    FORMER_ORDER: Deprecation("columns={ours: theirs}", since="0.4.0", ends="0.6.0"),
    "cranfield curve MEASURE QRELS RUN...": Deprecation(
        "cranfield curve QRELS RUN... -m MEASURE", since="0.4.0", ends="0.6.0"
    ),
}
"""By the form that will end, as a reader would look for it."""
_IN_SHELL: Final = {FORMER_ORDER: "--columns THEIRS=OURS"}  # What a form is in a shell, where it has one


def warn_of(form: str, here: str = "") -> None:
    """Warn whoever called the package of a form that will end, and say what to write ``here`` instead; as typed there.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     warn_of("FewRelevantLeft(documents=)")
    >>> print(told[0].message)
    FewRelevantLeft(documents=) ends with cranfield 0.5.0: write FewRelevantLeft(at_most=)
    """
    found = DEPRECATED[form]
    if in_shell() and form in _IN_SHELL:
        form, found = _IN_SHELL[form], found._replace(instead="it the other way round")
    told = f"{form} ends with cranfield {found.ends}: write {found.instead}" + (f", here {here}" if here else "")
    warn(told, DeprecationWarning, stacklevel=_outside())


def _outside() -> int:
    """Say how many calls up the package was called."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


def renamed(**names: str) -> Callable[[_Kind], _Kind]:
    """Let a class take parameters by their former names, too, with a warning: ``@renamed(former="name")``."""

    def of(kind: _Kind) -> _Kind:
        make = vars(kind)["__init__"]

        @wraps(make)
        def init(self: object, *args: Any, **given: Any) -> None:
            for former, name in names.items():
                if former in given:
                    if name in given:
                        raise TypeError(f"{kind.__name__}() got {name!r}, and {former!r}, its former name; give one")
                    warn_of(f"{kind.__name__}({former}=)")
                    given[name] = given.pop(former)
            make(self, *args, **given)

        setattr(kind, "__init__", init)  # noqa: B010 - mypy would have it that nobody does so
        return kind

    return of
