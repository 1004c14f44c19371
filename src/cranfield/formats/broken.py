"""What polars cannot read is refused by the file's name, whether polars says so, panics, or lacks the memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cranfield.formats.parquet_pages import BadPages
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

_ONE_AT_A_TIME: Final = threading.Lock()


@contextmanager
def refusing(what: str, source: str) -> Iterator[None]:
    """Refuse what is no such thing."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, BadPages, MemoryError) as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"not readable as {what} ({problem})", source=source) from None


@contextmanager
def without_panics() -> Iterator[None]:
    """Keep off stderr what a library's threads say there when they panic: the error says it in one line."""
    with _ONE_AT_A_TIME:
        try:
            stderr = os.dup(2)
        except OSError:  # there is none
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, 2)
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            os.close(nowhere)
