"""What the items of a paper are done on: runs, their judgments, and how much time there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import Any, TypeVar, cast

import numpy as np

from cranfield.experiments import EXPERIMENTS, Findings, Work
from cranfield.formats import RunSource, run_name
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.curves import Curves, curve
from cranfield.measures.framework.names import MeasureNames, listed, parse_measure
from cranfield.plots import Figure, plot_named
from cranfield.plotting import FIRST, plot_collections
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import COLLECTION
from cranfield.reports.elements import Picture, ReportTable, Words, pictured
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.scoring.scores import Scores

_T = TypeVar("_T")


@dataclass(frozen=True)
class Named:
    """What stands for runs and judgments in the commands that redo something."""

    qrels: str = "QRELS"
    runs: str = "RUN..."
    conditions: str = ""
    also: str = ""

    def command(self, *words: str, also: bool = False, measures: MeasureNames = (), **options: object) -> str:
        """Write a command: its words, the files, then measures and options; those that are None are left out."""
        given = [f"-m {quote(str(measure))}" for measure in listed(measures)]
        for name, value in options.items():
            flag = f"{'-' if len(name) == 1 else '--'}{name.replace('_', '-')}"
            if value is True:
                given.append(flag)
            elif value is not None and value is not False:
                given.append(f"{flag} {quote(_typed(value))}")
        parts = ["cranfield", *map(quote, words), self.qrels, self.runs, *given, self.conditions]
        return " ".join(part for part in (*parts, self.also if also else "") if part)


def _typed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _called(source: RunSource) -> str:
    """Name a run as a command would have it."""
    if source.path is None:
        return source.name
    return str(source.path) if run_name(source.path) == source.name else f"{source.name}={source.path}"


@dataclass(frozen=True)
class StudyFindings:
    """What an experiment found, and the command that does it once more."""

    findings: Findings
    command: str

    def __getitem__(self, table: str) -> pl.DataFrame:
        """Return one of the tables."""
        return self.findings[table]

    def table(self, name: str | None = None, *, columns: Sequence[str] = ()) -> ReportTable:
        """Show one of its tables, the first where none is named; of that some columns, where any are named."""
        known = EXPERIMENTS[self.findings.experiment]
        name = name or self.findings.first
        sheet = self.findings.sheet(table=name)
        shown = [column for column in sheet.columns if not columns or column.name in columns]
        caption = " ".join(filter(None, [known.tables[name].meaning, self.findings.legend(name)]))
        asked = "" if name == self.findings.first else f" --table {name}"
        sheet = sheet._replace(columns=tuple(shown), caption=caption)
        return ReportTable(f"{known.name}-{name}", sheet, self[name], self.command + asked)

    def picture(self, plot: str, says: str = "") -> Picture | Words:
        """Draw one of the figures of the experiment."""
        command = self.command.replace(f"experiment {self.findings.experiment}", f"plot {plot}", 1)
        return pictured(self.findings.plot, plot, says=says, command=f"{command} -o {plot}.html")


def rounded(table: pl.DataFrame, caption: str = "", *, keys: int = 1) -> Sheet:
    """Show a table with numbers to three digits."""
    columns = [
        SheetColumn(name, [_short(cell) for cell in table[name].to_list()], table[name].dtype.is_numeric())
        for name in table.columns
    ]
    return Sheet(tuple(columns), keys, caption)


def rounded_table(name: str, rows: pl.DataFrame, caption: str = "", command: str = "", *, keys: int = 1) -> ReportTable:
    """Show rows with numbers to three digits; they are taken away as they are."""
    return ReportTable(name, rounded(rows, caption, keys=keys), rows, command)


def _short(cell: object) -> object:
    if not isinstance(cell, float):
        return cell
    return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:#.3g}"


def _depths(batch: JudgedRankings) -> Integers:
    """Return the length of each list, and how many documents are judged before the first that is not."""
    judged = batch.judged
    return np.stack([batch.length, judged.where(judged.nth == judged.rank).count.astype(int)])[:, batch.present]


@dataclass(frozen=True, eq=False)
class Study:
    """Runs of one collection or several, and what is computed of them for more than one item."""

    collections: Mapping[str, JudgedRuns]
    """Joined runs by the name of their collection; the first is the one that is spoken of."""
    full: bool = False  # Whether there is time for all that takes long
    named: Named = field(default_factory=Named)  # What stands for them in commands
    work: Work = field(default_factory=Work)  # Where steps of experiments are shown and kept
    wrote: list[Findings] = field(default_factory=list)  # What experiments found since it was last emptied
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> JudgedRuns:
        """The runs of the first collection."""
        return next(iter(self.collections.values()))

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Count collections and, of the first, runs, topics, grades, and how deep half of its lists are.

        The depth is that of the lists, the pool the rank down to which they are judged without a gap.
        """
        grade = self.runs.judgments.grade
        lengths, judged = np.concatenate([_depths(batch) for batch in self.runs.batches], axis=1)
        return {
            "runs": len(self.runs.runs),
            "topics": len(self.runs.topics),
            "grades": len(np.unique(grade[grade > 0])),
            "collections": len(self.collections),
            "depth": int(np.median(lengths)) if len(lengths) else 0,
            "pool": int(np.median(judged)) if len(judged) else 0,
        }

    def of_runs(self, names: Sequence[str]) -> Study:
        """Return the study of some runs of the first collection, whose commands name their files."""
        chosen = self.runs.of_runs(names)
        first = next(iter(self.collections))
        named = replace(self.named, runs=" ".join(quote(_called(source)) for source in chosen.sources), also="")
        return self.once(f"of runs {names}", lambda: replace(self, collections={first: chosen}, named=named, _made={}))

    def scores(self, measures: MeasureNames) -> Scores:
        """Score the runs of the first collection."""
        return self.once(f"scores {listed(measures)}", lambda: self.runs.scores(measures))

    def panel(self, measures: MeasureNames) -> Panel:
        """Score the runs of the first collection, to be compared."""
        return self.once(f"panel {listed(measures)}", lambda: self.runs.panel(measures))

    def curve(self, measure: str, **options: Any) -> Curves:
        """Measure the runs of the first collection at every rank: see `curve`."""
        return self.once(f"curve {measure} {options}", lambda: curve(self.runs, measure=measure, **options))

    def experiment(
        self,
        name: str,
        measures: MeasureNames = (),
        *,
        everywhere: bool = False,
        on: JudgedRuns | None = None,
        **options: object,
    ) -> StudyFindings:
        """Do an experiment on the first collection, on all of them, or on runs that are the paper's own."""
        known, several = EXPERIMENTS[name], everywhere and len(self.collections) > 1
        given: dict[str, Any] = dict(options) | ({"measures": measures} if measures else {})
        runs = [on or (self.collections if several else self.runs)] if known.on_runs else []
        asked = f"{name} {given} {several} {on and on.fingerprint}"
        found = self.once(asked, lambda: known(*runs, work=self.work, **given))
        self.wrote.append(found)
        # The paper's own runs are in no file, and what takes no runs names none: neither command has our files.
        named = Named() if on else self.named if known.on_runs else Named("", "")
        return StudyFindings(found, named.command("experiment", name, also=several, measures=measures, **options))

    def by_name(self, table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        """Return a table with these names of measures, without the runs' relevance level in them."""
        plain = {
            str(as_taken([parse_measure(name)], runs.grading)[0]): name
            for runs in self.collections.values()
            for name in names
        }
        of_measures = [name for name in ("measure", "full", "truncated", "measure_a", "measure_b") if name in table]
        renamed = {name: plain[name] for name in table.columns if name in plain}
        return table.rename(renamed).with_columns(pl.col(of_measures).replace(plain))

    def of_first(self, found: StudyFindings, table: str) -> pl.DataFrame:
        """Return what a table has of the first collection, whether or not there are others."""
        rows = found[table]
        return rows.filter(pl.col(COLLECTION) == next(iter(self.collections))) if COLLECTION in rows.columns else rows

    def plot(self, name: str, measures: MeasureNames = (), *, topic: str | None = None) -> Picture | Words:
        """Draw a figure of the runs of the first collection."""

        def draw(plot: str) -> Figure:
            return plot_collections(plot_named(plot), {FIRST: self.runs}, measures or None, topic=topic)

        command = self.named.command("plot", name, measures=measures, topic=topic, o=f"{name}.html")
        return pictured(draw, name, command=command)

    def once(self, asked: str, make: Callable[[], _T]) -> _T:
        """Compute something once for all items; ``asked`` says what it is."""
        if asked not in self._made:
            self._made[asked] = make()
        return cast("_T", self._made[asked])
