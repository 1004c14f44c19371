"""What a section of the report is: a function from the evidence to words, tables and pictures, found by a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from cranfield.experiments import Findings
from cranfield.plumbing.errors import InputError
from cranfield.reports.elements import Block, Picture, ReportTable, Section, Words, pictured
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import read_in

if TYPE_CHECKING:
    from cranfield.plots import Figure

Writer: TypeAlias = Callable[[Evidence], Iterator[Block]]
Place: TypeAlias = int | Callable[[Evidence], int]
Need: TypeAlias = Callable[[Evidence], bool]
SECTIONS: Final[dict[str, Part]] = {}
"""All sections by name."""
APPENDIX: Final = 100  # From this place on sections are in the appendix


@dataclass(frozen=True)
class Part:
    """A section of the report, as its function declares it."""

    name: str  # What it is called in links
    title: str
    place: Place
    """Sections are read in the order of their places, from `APPENDIX` on in the appendix. Where that depends on how
    much there is, a function of the evidence."""
    writer: Writer
    needs: Need  # Whether there is anything to say at all
    listed: bool = False  # Whether each of its sentences stands for itself

    def place_in(self, evidence: Evidence) -> int:
        """Say where it stands in a report of this evidence."""
        return self.place if isinstance(self.place, int) else self.place(evidence)

    def of(self, evidence: Evidence, said: Iterable[str] = ()) -> Section | None:
        """Write the section, first the sentences that are read in it; None if it has nothing to say.

        If the runs do not suffice (one alone cannot be compared), it says so and ends.
        """
        if not self.needs(evidence):
            return None
        blocks: list[Block] = [Words.of(*said, listed=self.listed)]
        try:
            blocks.extend(self.writer(evidence))
        except InputError as refused:
            blocks.append(Words.of(f"Not for these runs: {refused.problem}."))
        blocks = [block for block in blocks if not isinstance(block, Words) or block.sentences]
        appendix = self.place_in(evidence) >= APPENDIX
        return Section(self.name, self.title, tuple(blocks), appendix) if blocks else None


def two_runs(evidence: Evidence) -> bool:
    """Whether there are runs to be compared."""
    return not evidence.alone


def tested(evidence: Evidence) -> bool:
    """Whether the runs can be compared on several topics."""
    return evidence.testable


def section(
    title: str, *, place: Place, needs: Need = lambda _: True, listed: bool = False
) -> Callable[[Writer], Writer]:
    """Register a function as a section, under its name with dashes; without what it needs there is none."""

    def register(writer: Writer) -> Writer:
        name = writer.__name__.replace("_", "-")
        SECTIONS[name] = Part(name, title, place, writer, needs, listed)
        return writer

    return register


def found_table(
    evidence: Evidence, found: Findings, table: str, columns: Mapping[str, str] | None = None, *asked: str, says: str
) -> ReportTable:
    """Show a table of an experiment, with the command that makes it once more: see `ReportTable.found`."""
    command = evidence.experiment(found.experiment, table, *asked)
    return ReportTable.found(found, table, columns, says=says, command=command)


def plotted(
    evidence: Evidence, draw: Callable[[str], Figure], plot: str, *asked: str, says: str = ""
) -> Picture | Words:
    """Draw a figure, with the command that draws it once more: see `pictured`."""
    return pictured(draw, plot, says=says, command=evidence.command(f"plot {plot}", *asked, "-o", f"{plot}.html"))


def sections_of(evidence: Evidence, progress: Callable[[int, int], None] | None = None) -> Iterator[Section]:
    """Write all sections that have something to say, in their order."""
    for done, part in enumerate(sorted(SECTIONS.values(), key=lambda part: part.place_in(evidence)), start=1):
        written = part.of(evidence, read_in(part.name, evidence))
        if progress is not None:
            progress(done, len(SECTIONS))
        if written is not None:
            yield written
