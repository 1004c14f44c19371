"""Libraries that are there only for those who use them."""

from __future__ import annotations

import importlib
from types import ModuleType

from cranfield.plumbing.errors import InputError


def library(name: str, *, extra: str | None = None) -> ModuleType:
    """Import a library when it is first needed; it comes with an extra of this package, or alone."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = error.name or name
        wanted = missing if extra is None else f'"cranfield[{extra}]"'
        raise InputError(f"this needs {missing}, which is not installed: pip install {wanted}") from None
