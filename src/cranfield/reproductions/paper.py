"""What the reproduction of a paper is: items, each a function from a study to statements, tables and pictures.

A paper is a folder in `reproductions/papers`, whose first file declares it as ``PAPER``. Every other file there has
items (``@PAPER.item``), by experiment or group of tables, and the claims that they judge (``PAPER.claim``); what cannot
be reproduced is named by ``PAPER.lacks``. `papers.ranking_interruptus` is the example to follow.

Items appear in the order of the paper, which ``at`` gives. An item yields blocks (`reports.elements`): a verdict on
each claim about data (`claims`), the paper's own numbers next to those found here (`beside`), then tables and pictures.
Names of tables need to differ only within an item. Data that may be missing are declared (``needs``); if a call refuses
the data all the same, the report gives its one line as the reason.

What an item yields is kept in the folder of the results, so it must follow from the study alone. Only an item with
``longer`` may ask whether ``study.full``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Final, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.reports.elements import Block
from cranfield.reproductions.claims import Claim, ClaimSetting, Need
from cranfield.reproductions.study import Study

Writer: TypeAlias = Callable[[Study], Iterator[Block]]

PAPERS: Final[dict[str, Paper]] = {}
"""All papers by name."""


@dataclass(frozen=True)
class Item:
    """A table, a figure, or a section of a paper."""

    label: str  # What the paper calls it: *Table 3*
    title: str
    at: float  # Where it stands in the paper: its section, or any number that rises from item to item
    by: str  # The parameters of the paper, and in which way they are not those here
    needs: tuple[Need, ...]
    longer: str  # What is otherwise with ``full``; nothing where that changes nothing
    writer: Writer  # The function that does it once more

    @property
    def name(self) -> str:
        """The name in links, files and folders, such as ``figures-1-and-2``."""
        return re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-")

    def lack(self, study: Study) -> str | None:
        """Say why a study does not have it, where it does not."""
        return next((lack for lack in (need(study) for need in self.needs) if lack), None)


@dataclass(frozen=True)
class Paper:
    """A paper, and what it holds."""

    name: str  # What it is called on the command line
    title: str  # Its title; its authors, and where it appeared
    by: str
    conditions: str = ""  # On which data its claims are
    of: ClaimSetting = field(default_factory=ClaimSetting)  # What these presuppose
    needs: tuple[Need, ...] = ()  # What else a verdict takes
    declared: list[Item] = field(default_factory=list)  # What it holds, in the order in which its files declare it
    claims: list[Claim] = field(default_factory=list)  # What it claims of data

    def __post_init__(self) -> None:
        """Register it."""
        PAPERS[self.name] = self

    @property
    def items(self) -> list[Item]:
        """What it holds, in the order of the paper."""
        return sorted(self.declared, key=lambda item: item.at)

    def claim(
        self,
        words: str,
        *,
        where: str,
        estimand: str,
        asks: str,
        above: float = -inf,
        below: float = inf,
        digits: int = 2,
        percent: bool = False,
        may: bool = False,
        conditions: str = "",
        of: ClaimSetting | None = None,
        needs: Sequence[Need] | None = None,
    ) -> Claim:
        """Declare something that the paper claims, of its own data unless others are named: see `Claim`."""
        limits, needs = (above, below, digits, percent), self.needs if needs is None else tuple(needs)
        on, of = conditions or self.conditions, of or self.of
        self.claims.append(Claim(words, where, on, estimand, asks, of, needs, *limits, may))
        return self.claims[-1]

    def item(
        self, label: str, title: str, *, at: float, by: str = "", needs: Sequence[Need] = (), longer: str = ""
    ) -> Callable[[Writer], Writer]:
        """Declare the item that a function does once more."""

        def declare(writer: Writer) -> Writer:
            self.declared.append(Item(label, title, at, by, tuple(needs), longer, writer))
            return writer

        return declare

    def lacks(self, label: str, title: str, *, at: float, why: str) -> None:
        """Declare an item that no runs and judgments suffice for."""
        # Named functions, for a paper can be pickled.
        self.declared.append(Item(label, title, at, "", (partial(_said, why),), "", _nothing))


def _said(why: str, _: Study) -> str:
    return why


def _nothing(_: Study) -> Iterator[Block]:
    return iter(())


def paper_named(name: str) -> Paper:
    """Return a paper by its name; an unknown name is an error of the input."""
    if name not in PAPERS:
        raise InputError(f"there is no paper {name!r}; choose from {', '.join(sorted(PAPERS))}")
    return PAPERS[name]
