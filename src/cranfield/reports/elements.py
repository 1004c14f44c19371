"""What a page is made of, before any format writes it down: sections of words, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from cranfield.experiments import Findings
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.results.sheet import ROWS_SHOWN, Sheet

if TYPE_CHECKING:
    from cranfield.plots import Figure
    from cranfield.results.result import Result


@dataclass(frozen=True)
class Words:
    """Sentences: a paragraph, or a list where each stands for itself."""

    sentences: tuple[str, ...]
    listed: bool = False

    @classmethod
    def of(cls, *sentences: str, listed: bool = False) -> Words:
        """Make a paragraph of sentences."""
        return cls(sentences, listed)


@dataclass(frozen=True)
class ReportTable:
    """A table that people read, and the rows that they take away."""

    name: str  # What its file is called, without a suffix: unlike any other of the document
    sheet: Sheet
    rows: pl.DataFrame  # What is taken away, in full precision, as CSV
    command: str = ""

    @classmethod
    def of(cls, result: Result, name: str, *, command: str = "", **which: object) -> ReportTable:
        """Show a result as it shows itself, the first rows of many."""
        return cls(name, result.sheet(**which).first(ROWS_SHOWN), result.to_polars(**which), command)

    @classmethod
    def found(
        cls,
        findings: Findings,
        table: str,
        columns: Mapping[str, str] | None = None,
        *,
        says: str = "",
        command: str = "",
    ) -> ReportTable:
        """Show these columns of a table of an experiment under names for people; all columns by default."""
        rows = findings[table]
        shown = rows.select(pl.col(name).alias(named) for name, named in columns.items()) if columns else rows
        said = shown.with_columns(pl.selectors.boolean().replace_strict(True, "yes", default="no"))
        return cls(f"{findings.experiment}-{table}", Sheet.of(said, caption=says).first(ROWS_SHOWN), rows, command)


@dataclass(frozen=True)
class Picture:
    """A figure, and what is to be seen in it."""

    figure: Figure
    says: str = ""
    command: str = ""


def pictured(draw: Callable[[str], Figure], plot: str, *, says: str = "", command: str = "") -> Picture | Words:
    """Draw a figure by its name; where it refuses, say why in its place, since its tables stand without it."""
    try:
        return Picture(draw(plot), says, command)
    except InputError as refused:
        return Words.of(f"No picture: {refused.problem}.")


@dataclass(frozen=True)
class Statement:
    """What somebody claims, what is found here, and whether that agrees."""

    claimed: str
    found: str
    verdict: str = ""  # "holds", "does not hold" or "cannot be told here"; empty where there is nothing to judge
    by: tuple[tuple[str, str], ...] = ()
    """What the verdict rests on: names and texts, in the order in which they are shown."""


@dataclass(frozen=True)
class Links:
    """Other pages next to this one: what each is about, and its address."""

    to: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Folded:
    """What is there for those who ask for it."""

    title: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Words | ReportTable | Picture | Statement | Links | Folded


@dataclass(frozen=True)
class Section:
    """A part of a document."""

    name: str
    title: str
    blocks: Sequence[Block]  # Its words, tables and pictures, in the order in which they are read
    appendix: bool = False
    """Whether it is for those who look things up: such sections come last, closed on a screen and open on paper."""


@dataclass(frozen=True)
class Pasted:
    """A text that readers take away to paste it: what it is, and the text."""

    name: str
    text: str


@dataclass(frozen=True)
class Decision:
    """Whether something may be done, in a sentence."""

    words: str
    kind: Literal["holds", "fails", "open"]  # It may, it must not, or that cannot be told: how the page shows it


@dataclass(frozen=True)
class FirstSheet:
    """What can be mailed or printed alone."""

    says: str  # What matters most, in one sentence
    sure: str = ""  # How sure that is
    picture: Block | None = None  # What shows it
    caveats: tuple[str, ...] = ()  # What speaks against relying on it, the gravest first
    blocks: tuple[Block, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # What was looked at, and how to do it again: names and texts
    pasted: tuple[Pasted, ...] = ()  # What readers take away
    decision: Decision | None = None  # What follows from what it says, where something is to be decided


@dataclass(frozen=True)
class ReportDocument:
    """Something to read from top to bottom."""

    title: str
    lead: str  # What was looked at, in a line
    sections: tuple[Section, ...]  # Its parts, those of the appendix last
    made: str = ""  # By what, and when: a line at the end
    first: FirstSheet | None = None  # What stands before all parts, where there is something to be said at once

    def blocks(self) -> Iterator[Block]:
        """Go through all words, tables and pictures, those that are folded away among them."""
        if self.first is not None:
            picture = () if self.first.picture is None else (self.first.picture,)
            yield from unfolded((*picture, *self.first.blocks))
        for section in self.sections:
            yield from unfolded(section.blocks)

    def tables(self) -> Iterator[ReportTable]:
        """Go through all tables."""
        yield from (block for block in self.blocks() if isinstance(block, ReportTable))

    def pictures(self) -> Iterator[Picture]:
        """Go through all pictures."""
        yield from (block for block in self.blocks() if isinstance(block, Picture))

    def commands(self) -> dict[str, str]:
        """Return what redoes each table and picture, by its name or what it shows."""
        redone = {table.name: table.command for table in self.tables()}
        redone |= {picture.figure.title: picture.command for picture in self.pictures()}
        return {name: command for name, command in redone.items() if command}


def unfolded(blocks: Sequence[Block]) -> Iterator[Block]:
    """Iterate over blocks, including those folded away."""
    for block in blocks:
        if isinstance(block, Folded):
            yield from unfolded(block.blocks)
        else:
            yield block
