"""Libraries that are there only for those who use them."""

from __future__ import annotations

import importlib
from types import ModuleType

from cranfield.errors import InputError


def library(name: str) -> ModuleType:
    """Import a library when it is first needed.

    >>> library("json").loads("[1]")
    [1]
    >>> library("no_such_library")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: this needs no_such_library, which is not installed: pip install no_such_library
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = error.name or name
        raise InputError(f"this needs {missing}, which is not installed: pip install {missing}") from None
