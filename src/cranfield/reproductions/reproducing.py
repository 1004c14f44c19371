"""``reproduce()``: every table and figure of a paper that the data allow, done once more, in one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Final, TypeAlias, Unpack

from cranfield import __version__
from cranfield.experiments import Work
from cranfield.experiments.provenance import code_digest
from cranfield.formats import QrelsLike, RunsLike, all_or_nothing, write_together
from cranfield.formats.writing import when_written
from cranfield.judged.conditions import Asked, Conditions
from cranfield.judged.judgments import Judgments
from cranfield.plotting import FIRST
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports import html_page
from cranfield.reports.elements import Block, Folded, ReportDocument, ReportTable, Section, Statement, Words, unfolded
from cranfield.reproductions.claims import FAILS, VERDICTS
from cranfield.reproductions.kept import Kept
from cranfield.reproductions.paper import Item, Paper, paper_named
from cranfield.reproductions.study import Named, Study
from cranfield.results.output_formats import render
from cranfield.results.sheet import Sheet
from cranfield.scoring.judged_runs import JudgedRuns, Progress, join

ItemProgress: TypeAlias = Callable[[int, int, str], None]
"""Receives the number of the item that begins, the number of all items, and its title."""

REPORT_FILE: Final = "report.html"
_KEPT: Final = ".kept"
"""The folder within that of the results in which finished items, and steps of those that are not, are kept."""


@dataclass(frozen=True)
class Reproduction:
    """A paper done once more: a report, its tables, and the paper's claims with what is found.

    Attributes
    ----------
    paper
        The paper.
    document
        The report.
    """

    paper: Paper
    document: ReportDocument

    @property
    def claims(self) -> pl.DataFrame:
        """What the paper claims, in the order of the paper, and what is found.

        Columns item, claim, verdict (holds, does not hold, cannot be told here), found, where,
        conditions, presupposed, estimand, asked.
        """
        return _statements(self.document.sections)

    def to_html(self) -> str:
        """Return the report as one page that needs no network."""
        return html_page.html(self.document)

    def write(self, folder: Path | str) -> list[Path]:
        """Write the report, every table and the statements to a folder: all of them, whole, or none."""
        folder = Path(folder)
        files: dict[Path, str | bytes] = {
            folder / f"{table.name}.csv": render(table.rows, "csv") for table in self.document.tables()
        }
        files[folder / REPORT_FILE] = self.to_html()
        return write_together(folder, files)

    def _repr_html_(self) -> str:
        return html_page.framed(self.document)


def reproduce(
    paper: str,
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    *,
    also: Mapping[str, tuple[QrelsLike, RunsLike]] | None = None,
    full: bool = False,
    folder: Path | str | None = None,
    progress: ItemProgress | None = None,
    steps: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Reproduction:
    """What becomes of a paper's tables, figures and claims on these runs?

    Each item of the paper is done with the paper's own parameters. What the paper claims of data holds here, does not
    hold, or cannot be told, by the interval of what is found. What cannot be had says why.

    Parameters
    ----------
    paper
        The name of the paper: ``cranfield reproduce --list`` has them.
    qrels, runs
        As for `evaluate`, joined runs included.
    also
        Further collections by name, each its qrels and its runs, for what the paper does on several.
    full
        Whether all is done that takes long, in the size that the paper has.
    folder
        Where the report, its tables and the findings of experiments are written. Finished items are kept there, and
        done again only where runs, judgments, options or this package changed; without a folder nothing is written.
    progress
        Called as an item begins, with its number, the number of all items, and its title.
    steps
        Told how many steps of the item are done, and of how many.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        Where there is no such paper.

    Examples
    --------
    >>> judged = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
    >>> good = {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"c": 1.0}}
    >>> poor = {"1": {"x": 3.0, "b": 2.0, "a": 1.0}, "2": {"y": 2.0, "c": 1.0}}
    >>> found = reproduce("cumulated-gain", judged, {"good": good, "poor": poor})
    >>> found.document.title, found.claims.columns[:4]
    ('Cumulated gain-based indicators of IR performance', ['item', 'claim', 'verdict', 'found'])
    """
    known = paper_named(paper)
    if FIRST in (also or {}):
        raise InputError(f"a further collection cannot be called {FIRST!r}, which is the first")
    joined = {
        name: join(its_qrels, its_runs, **conditions)
        for name, (its_qrels, its_runs) in {FIRST: (qrels, runs), **(also or {})}.items()
    }
    return reproduce_collections(known, joined, full=full, folder=folder, progress=progress, steps=steps)


def reproduce_collections(
    paper: Paper,
    collections: Mapping[str, JudgedRuns],
    *,
    named: Named | None = None,
    full: bool = False,
    folder: Path | str | None = None,
    progress: ItemProgress | None = None,
    steps: Progress | None = None,
) -> Reproduction:
    """Do a paper once more on joined runs, by the name of their collection: see `reproduce`."""
    home = None if folder is None else Path(folder)
    kept_in = None if home is None else home / _KEPT
    study = Study(collections, full, named or Named(), Work(steps, kept_in))
    prints = {name: runs.fingerprint for name, runs in collections.items()}
    kept = Kept(kept_in, {"code": code_digest(), "of": prints, "named": str(study.named)})
    sections = []
    for number, item in enumerate(paper.items, start=1):
        if progress:
            progress(number, len(paper.items), f"{item.label}: {item.title}")
        sections.append(_section(item, study, kept, home))
    document = ReportDocument(
        paper.title,
        f"{paper.by}. Repeated on {'; '.join(_described(name, runs) for name, runs in collections.items())}.",
        (_overview(sections), *sections),
        f"cranfield {__version__} ({code_digest()}); runs and judgments: "
        + ", ".join(f"{name} {digest}" for name, digest in prints.items()),
    )
    reproduction = Reproduction(paper, document)
    if home is not None:
        reproduction.write(home)
        when_written(lambda: _finished(home / _KEPT))
    return reproduction


def _finished(kept: Path) -> None:
    """Remove the steps of items that are finished now."""
    for unfinished in kept.glob(".*-*"):
        rmtree(unfinished, ignore_errors=True)


def _section(item: Item, study: Study, kept: Kept, home: Path | None) -> Section:
    """Do one item, unless it was done before."""
    more = f"full {study.full}" if item.longer else ""
    blocks: Sequence[Block] | None = kept.found(item.name, more)
    if blocks is None:
        blocks = [*_done(item, study)]
        if home is not None:
            with all_or_nothing(now=True):  # they are there before the item counts as done
                for number, found in enumerate(study.wrote):
                    found.write(home / "findings" / (item.name if number == 0 else f"{item.name}-{number + 1}"))
        kept.keep(item.name, blocks, more)
    study.wrote.clear()
    return Section(item.name, f"{item.label}: {item.title}", tuple(_as_of(item, blocks)))


def _done(item: Item, study: Study) -> Iterator[Block]:
    """Do one item as far as the data allow."""
    if item.by:
        yield Words.of(item.by)
    if item.longer and not study.full:
        yield Words.of(f"Here in a smaller size; with --full {item.longer}.")
    lack = item.lack(study)
    if lack is None:
        try:
            yield from item.writer(study)
        except CranfieldError as error:
            lack = f"{str(error)[:1].upper()}{str(error)[1:]}."
    if lack is not None:
        yield Words.of(f"Not reproduced here. {lack}")


def _as_of(item: Item, blocks: Iterable[Block]) -> Iterator[Block]:
    """Give the tables of an item names that no other item's have."""
    for block in blocks:
        if isinstance(block, ReportTable):
            yield replace(block, name=f"{item.name}-{block.name}")
        elif isinstance(block, Folded):
            yield replace(block, blocks=tuple(_as_of(item, block.blocks)))
        else:
            yield block


def _overview(sections: Sequence[Section]) -> Section:
    """Say what holds, what does not, and what cannot be told, before all else."""
    said = _statements(sections)
    counts = said.group_by("item", maintain_order=True).agg(
        (pl.col("verdict") == passed).sum().alias(passed) for passed in VERDICTS
    )
    hold, fail, unsure = (int(counts[passed].sum()) for passed in VERDICTS)
    blocks: list[Block] = [
        Words.of(
            f"{hold} of {counted(said.height, 'claim')} of the paper hold{'s' * (hold == 1)} here, {fail} "
            f"do{'es' * (fail == 1)} not, and {unsure} cannot be told: the data fall short, or the interval includes "
            "values for and against the claim."
        ),
        ReportTable("claims", Sheet.of(counts, caption="Claims of the paper, by item."), said),
    ]
    wrong = said.filter(verdict=FAILS).select("item", "claim", "found").iter_rows()
    if sentences := [f"{item.partition(':')[0]}: “{claimed}” Here: {found}" for item, claimed, found in wrong]:
        blocks += [Words.of("What does not hold:"), Words.of(*sentences, listed=True)]
    return Section("overview", "What holds, and what does not", tuple(blocks))


def _statements(sections: Iterable[Section]) -> pl.DataFrame:
    """List the paper's claims with what is found."""
    rows = [
        (section.title, each.claimed, each.verdict, each.found, *(text for _, text in each.by))
        for section in sections
        for each in unfolded(section.blocks)
        if isinstance(each, Statement) and each.verdict
    ]
    columns = ("item", "claim", "verdict", "found", "where", "conditions", "presupposed", "estimand", "asked")
    return pl.DataFrame(rows, dict.fromkeys(columns, pl.String), orient="row")


def _described(name: str, runs: JudgedRuns) -> str:
    """Say in a line what a collection is, and under which conditions it is looked at."""
    grade = runs.judgments.grade
    grades = len({*grade[grade > 0].tolist()})
    unusual = "".join(f", {each}" for each in Conditions(runs.reading, runs.grading).described())
    kinds = f"{counted(grades, 'grade')} of relevance"
    return f"{name} ({counted(len(runs.runs), 'run')}, {runs.population.of_topics}, {kinds}{unusual})"
