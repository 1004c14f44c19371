"""Libraries that are there only for those who use them."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Final

from cranfield.plumbing.errors import InputError

_DOCUMENTED: Final = {"altair"}
"""Libraries that put together their own documentation while they are imported, and fail where there is none."""


def library(name: str, *, extra: str | None = None) -> ModuleType:
    """Import a library when it is first needed; it comes with an extra of this package, or alone.

    >>> library("json").loads("[1]")
    [1]
    >>> library("no_such_library")
    Traceback (most recent call last):
    ...
    cranfield.InputError: this needs no_such_library, which is not installed: pip install no_such_library
    >>> library("no_such_library", extra="plots")
    Traceback (most recent call last):
    ...
    cranfield.InputError: this needs no_such_library, which is not installed: pip install "cranfield[plots]"
    """
    if name in _DOCUMENTED and sys.flags.optimize > 1:
        raise InputError(f"{name} does not work where Python drops docstrings (-OO, PYTHONOPTIMIZE=2); leave that out")
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = error.name or name
        wanted = missing if extra is None else f'"cranfield[{extra}]"'
        raise InputError(f"this needs {missing}, which is not installed: pip install {wanted}") from None
