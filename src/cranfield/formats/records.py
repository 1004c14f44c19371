"""Objects as tools write them, read by declaration: where a part stands, its kind, and the message without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

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

    def there(self, record: Mapping[str, Any]) -> Any:
        """Return what is there, unread; None where nothing is."""
        found = (at(record, path, into_lists=self.into_lists) for path in self.paths)
        return next((each for each in found if each is not None and not (self.empty_is_none and each == "")), None)

    def of(self, record: Mapping[str, Any]) -> Any:
        """Read it; None where nothing is there."""
        value = self.there(record)
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
