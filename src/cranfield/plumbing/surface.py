"""Where a message is read, in a shell or in Python: what it advises is spelled as it is typed there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from shlex import quote

_at: list[Collection[str]] = []
"""The options that can be typed, while a command runs: the threads that read for it say what it would."""


@contextmanager
def shell(options: Collection[str] = ()) -> Iterator[None]:
    """Spell advice as it is typed in a shell, with these options, as long as this lasts."""
    _at.append(options)
    try:
        yield
    finally:
        _at.pop()


def in_shell() -> bool:
    """Say whether messages are read in a shell."""
    return bool(_at)


def take_scores() -> str:
    """Say what needs no judgments and rankings, but scores alone.

    >>> take_scores()
    'scores alone do for leaderboard, compare_scores, gate, plan_topics, correlate, plot, report and certificate'
    """
    if in_shell():
        return (
            "scores alone do for cranfield leaderboard, topics and correlate, and as --scores TABLE for compare, gate, "
            "plot, report and experiment certificate"
        )
    return "scores alone do for leaderboard, compare_scores, gate, plan_topics, correlate, plot, report and certificate"


def can_say(option: str) -> bool:
    """Say whether an option can be typed where messages are read; in Python functions have it, or what reads for them.

    >>> can_say("--columns")
    True
    >>> with shell({"--field"}):
    ...     can_say("--columns"), can_say("--field")
    (False, True)
    """
    return not _at or option in _at[-1]


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
