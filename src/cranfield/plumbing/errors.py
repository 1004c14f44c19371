"""What can be wrong with what a user gave: each error says what, where, and what would be right."""

from __future__ import annotations

from cranfield.plumbing.escaping import told


class CranfieldError(Exception):
    """Anything that the user, not the program, has to put right. The command line prints it in one line.

    Messages hold names and cells of others: what a terminal would obey is written as an escape, and long
    ones are cut.
    """

    __module__ = "cranfield"  # where users know it

    def __init__(self, message: str) -> None:
        super().__init__(told(message))


class InputError(CranfieldError, ValueError):
    """A run, qrels or other input that cannot be read, or must not be scored.

    >>> raise InputError("the score 'abc' is not a number", source="runs/bm25.txt", line=7)
    Traceback (most recent call last):
    ...
    cranfield.InputError: runs/bm25.txt, line 7: the score 'abc' is not a number
    """

    __module__ = "cranfield"  # where users know it

    def __init__(self, problem: str, *, source: str | None = None, line: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        where = ", ".join(part for part in (source, line and f"line {line}") if part)
        super().__init__(f"{where}: {problem}" if where else problem)


class MeasureError(CranfieldError, ValueError):
    """A measure that does not exist, or that was given a parameter outside its range."""

    __module__ = "cranfield"  # where users know it
