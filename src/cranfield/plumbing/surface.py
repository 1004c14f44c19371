"""Where a message is read, in a shell or in Python: what it advises is spelled as it is typed there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shlex import quote

_at: list[str] = []
"""Not empty while a command runs: the threads that read for it say what it would."""


@contextmanager
def shell() -> Iterator[None]:
    """Spell advice as it is typed in a shell, as long as this lasts."""
    _at.append("shell")
    try:
        yield
    finally:
        _at.pop()


def in_shell() -> bool:
    """Say whether messages are read in a shell."""
    return bool(_at)


def pairs_spelled(option: str, parameter: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Spell pairs of names, each an option in a shell, and together one parameter in Python.

    >>> pairs_spelled("--columns", "columns", [("query_id", "search term"), ("score", "sim")])
    'columns={"query_id": "search term", "score": "sim"}'
    >>> with shell():
    ...     pairs_spelled("--columns", "columns", [("query_id", "search term"), ("score", "sim")])
    "--columns 'query_id=search term' --columns score=sim"
    """
    if in_shell():
        return " ".join(f"{option} {quote(f'{ours}={theirs}')}" for ours, theirs in pairs)
    return f"{parameter}={{{', '.join(f'{_text(ours)}: {_text(theirs)}' for ours, theirs in pairs)}}}"


def _text(name: str) -> str:
    return f'"{name}"' if '"' not in name and name.isprintable() and "\\" not in name else repr(name)
