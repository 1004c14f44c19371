"""What a page of the explorer is: an address, a template, and a function that fills it, found by a registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Final, Self, TypeAlias, TypeVar

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import AS_IT_IS, ListsAsked
from cranfield.lists.altering import Changes
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.plumbing.errors import InputError
from cranfield.results.output_formats import render

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

    from cranfield.plumbing.lazy import pl

Usual = TypeVar("Usual", float, None)

EXPLORER_PAGES: Final[dict[str, Page]] = {}
"""All pages by name, which is their address, too."""
LARGEST_NUMBER: Final = 1000


@dataclass(frozen=True)
class Query:
    """What is asked of a page, as its address says it."""

    given: QueryParams

    @classmethod
    def of(cls, text: str) -> Self:
        """Read what stands behind the question mark of an address."""
        from starlette.datastructures import QueryParams

        return cls(QueryParams(text))

    def text(self, name: str) -> str | None:
        """Return a text, if one is given."""
        return self.given.get(name) or None

    def required(self, name: str) -> str:
        """Return a text that must be given."""
        found = self.text(name)
        if found is None:
            raise InputError(f"the address lacks {name}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all texts of a name, each once."""
        return tuple(dict.fromkeys(each for each in self.given.getlist(name) if each))

    def number(self, name: str, usual: int) -> int:
        """Return a number of ranks."""
        found = self.text(name)
        if found is None:
            return usual
        if not found.isdecimal() or not 1 <= int(found) <= LARGEST_NUMBER:
            raise InputError(f"{name} is a number from 1 to {LARGEST_NUMBER}, not {found!r}")
        return int(found)

    def value(self, name: str, usual: Usual, *, finite: bool = False) -> float | Usual:
        """Return a value, such as an end between which values are kept."""
        text = self.text(name)
        if text is None:
            return usual
        try:
            found = float(text)
        except ValueError:
            found = nan
        if isnan(found) or (finite and not isfinite(found)):
            raise InputError(f"{name} is a number, not {text!r}")
        return found

    def lists(self, runs: tuple[str, ...]) -> ListsAsked:
        """Return which lists of a topic are asked for."""
        topic = self.required("topic")
        orders = tuple(order or AS_IT_IS for order in self.given.getlist("order"))
        return ListsAsked(topic, runs, orders, self.changes(topic), self.number("n", LENGTH))

    def changes(self, topic: str) -> Changes:
        """Return what is otherwise on a topic: ``changes`` is a list of [run, document, rank] and [document, grade]."""
        moves: list[tuple[str, str, int]] = []
        grades: dict[str, float | None] = {}
        try:
            for change in json.loads(self.text("changes") or "[]"):
                if len(change) == 2:
                    document, grade = change
                    grades[str(document)] = None if grade is None else float(grade)
                else:
                    run, document, rank = change
                    moves.append((str(run), str(document), int(rank)))
        except RecursionError:
            raise InputError("changes cannot be read (brackets in brackets without end)") from None
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"changes cannot be read ({error})") from None
        return Changes(topic, tuple(moves), tuple(grades.items()))


@dataclass(frozen=True)
class View:
    """What a page shows: what its template is filled with, and what can be taken away as CSV (``csv=NAME``).

    Among the former is always ``measure``, by which runs are looked at there and where the menu leads.
    """

    fills: Mapping[str, object]
    tables: Mapping[str, Callable[[], pl.DataFrame]]

    def csv(self, name: str) -> bytes:
        """Write a table."""
        if name not in self.tables:
            raise InputError(f"no table here is called {name!r}; the tables are {', '.join(self.tables)}")
        return str(render(self.tables[name](), "csv")).encode()


Filler: TypeAlias = Callable[[Explored, Query], View]


@dataclass(frozen=True)
class Page:
    """A page, as its function declares it; the function's first line of documentation is its help."""

    name: str  # its address, its template's name, and the word in the links that lead to it
    title: str
    filler: Filler
    place: int | None  # in the menu; None where only other pages lead to it
    takes_long: Callable[[Query], bool]
    there: Callable[[Explored], bool]  # whether there is such a page of what is explored

    @property
    def help(self) -> str:
        """What it is for."""
        return " ".join((self.filler.__doc__ or "").split("\n\n")[0].split())


def page(
    title: str,
    *,
    place: int | None = None,
    takes_long: Callable[[Query], bool] = lambda query: False,
    there: Callable[[Explored], bool] = lambda explored: True,
) -> Callable[[Filler], Filler]:
    """Register a function as a page, under its name."""

    def register(filler: Filler) -> Filler:
        EXPLORER_PAGES[filler.__name__] = Page(filler.__name__, title, filler, place, takes_long, there)
        return filler

    return register
