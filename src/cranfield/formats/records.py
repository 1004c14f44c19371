"""Objects as tools write them, read by declaration: where a part stands, its kind, and the message without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeGuard

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import Naming


class RecordPart(NamedTuple):
    """A part of a record: it is read at the first of its paths that holds something."""

    paths: tuple[str, ...]
    kind: Callable[[Any], Any] | None = None
    """Reads what is there, or refuses it; its place is named by `placed`."""
    missing: str = ""
    """The message where nothing is there; empty where it may lack."""
    empty_is_none: bool = False
    """Whether an empty text is nothing."""
    into_lists: bool = False
    """Whether its paths go through the elements of lists, too."""

    def found(self, record: Any) -> tuple[str, Any]:
        """Return the path at which something is, and what, unread; None where nothing is."""
        for path in self.paths:
            value = at(record, path)
            if value is None and self.into_lists and there(within := at(record, path, into_lists=True)):
                value = within
            if value is not None and not (self.empty_is_none and value == ""):
                return path, value
        return "", None

    def of(self, record: Any) -> Any:
        """Read it; None where nothing is there."""
        _, value = self.found(record)
        if value is None and self.missing:
            raise InputError(self.missing)
        return value if value is None or self.kind is None else self.kind(value)


filled = partial(RecordPart, empty_is_none=True)
"""A part where an empty text is nothing."""


def at(value: Any, path: str, *, into_lists: bool = False) -> Any:
    """Follow a path through objects and, where that is wanted, through each element of a list; None where it ends.

    >>> at({"outputs": {"docs": [{"id": "d1"}, {"id": "d2"}]}}, "outputs.docs.id", into_lists=True), at({"a.b": 1}, "a.b")
    (['d1', 'd2'], 1)
    """  # noqa: E501
    if not path or value is None:
        return value
    if into_lists and isinstance(value, list):
        return [at(each, path, into_lists=True) for each in value]
    if not isinstance(value, Mapping):
        return None
    if path in value:
        return value[path]
    key, _, rest = path.partition(".")
    return at(value.get(key), rest, into_lists=into_lists)


def there(value: object) -> bool:
    """Say whether anything is at a path: a list of objects none of which has it holds nothing.

    >>> there([]), there(0), there(None), there([None, [None]]), there([None, 1])
    (True, True, False, False, True)
    """
    return any(map(there, value)) if isinstance(value, list) and value else value is not None


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether something is a number of JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def paths_in(record: Mapping[str, Any], naming: Naming) -> list[str]:
    """Return the paths that a user named, and that lead through the objects of a record to something."""
    paths = {path for several in naming.names.values() for path in several if "." in path and path not in record}
    return [path for path in sorted(paths) if at(record, path) is not None]


@contextmanager
def placed(source: str | None, line: int | None = None) -> Iterator[None]:
    """Prefix whatever is refused in here with its file and line."""
    try:
        yield
    except InputError as error:
        raise InputError(error.problem, source=source, line=line) from None
