"""The documents to judge next, the most useful first: what is handed to assessors."""

from __future__ import annotations

from dataclasses import dataclass

from cranfield.formats.long_tables import written_list
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.plumbing.wording import counted
from cranfield.results.result import Result
from cranfield.selection.candidates import Candidates
from cranfield.selection.judging import Judging


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result, rows="documents"):
    """Which documents to judge next, and what each is worth.

    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> plan = Plan.of(Judging(runs, "RBP(p=0.5)", method="A"), 1)  # 0.5² for x and 0.5 for y, of 2
    >>> plan.residual, plan.residual_after
    (1.0, 0.625)
    """

    documents: pl.DataFrame  # topic, document, weight, and runs: those that it serves, ``name:rank``
    method: str  # what they were chosen by: here to the seed
    measure: str
    seed: int
    as_it_stands: bool  # whether the order depends on answers that are not there yet
    residual: float  # mean residual of the runs on their topics; 0 counts where a run lacks a topic
    residual_after: float  # the same when these documents are judged, whatever their grades
    runs: int  # how many these means are over: here and below
    topics: int

    @classmethod
    def of(cls, judging: Judging, budget: int) -> Plan:
        """Plan this many documents ahead: see `Judging.plan`."""
        candidates, (places, weight) = judging.candidates, judging.plan_places(budget)
        ids = candidates.ids_of(places).rename({QUERY: "topic", DOCUMENT: "document"})
        table = ids.with_columns(pl.Series("weight", weight), _served(candidates, places).alias("runs"))
        residual = judging.state.residual
        gone = judging.state.contributions(candidates.cells_of_each(places)[1]).sum() / residual.size
        return cls(
            table, str(judging.method), str(judging.measure), judging.seed, judging.method.needs_answers,
            float(residual.mean()), max(0.0, float(residual.mean() - gone)), *residual.shape,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Plan({counted(self.documents.height, 'document')} by method {self.method})"

    def table(self, **which: object) -> pl.DataFrame:
        """Return the same with the place of each document in front."""
        return self.documents.with_row_index("place", offset=1)

    def caption(self, **which: object) -> str:
        """Say how many there are, what they were chosen by, and what judging them gains."""
        static = " (current order; it depends on the judgments)" if self.as_it_stands else ""
        said = f"{counted(self.documents.height, 'document')} by method {self.method}, {self.measure}, seed {self.seed}"
        if not self.documents.height:
            return f"{said}{static}"
        of = f"the mean residual of {counted(self.runs, 'run')} on {counted(self.topics, 'topic')}"
        before, after = f"{self.residual:.4f}", f"{self.residual_after:.4f}"
        lowers = f"lowers {of} from {before} to {after}"
        if before == after:
            nearly = f"lowers {of}, {before}, by less than 0.0001"
            lowers = nearly if self.residual_after < self.residual else f"leaves {of} at {before}"
        return f"{said}{static}; judging them {lowers}"

    def render(self, format: str = "table", **which: object) -> str | bytes:  # noqa: A002
        """Return the plan in one of the formats; in trec, a line ``topic document`` each, as assessors are handed."""
        if format == "trec":
            return written_list(self.documents["topic", "document"].iter_rows(), "a list of documents")
        return super().render(format, **which)


def measure_named(measure: str | None, p: float | None) -> str:
    """Name the measure by which documents are chosen: RBP with its persistence, unless another is named."""
    if measure is not None and p is not None:
        raise InputError(f"give either --p or --measure, not both; RBP with its p is -m 'RBP(p={p})'")
    return measure or f"RBP(p={0.8 if p is None else p})"


def _served(candidates: Candidates, places: Integers) -> pl.Series:
    """Write which runs have each of these documents at which rank, its best rank first.

    >>> candidates = Candidates.gather({"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}})
    >>> import numpy as np
    >>> _served(candidates, np.array([1, 0])).to_list()
    ['y:1 x:2', 'x:1']
    """
    number, cells = candidates.cells_of_each(places)
    runs = pl.Series(candidates.runs, dtype=pl.String).gather(candidates.cell_run[cells])
    written = pl.DataFrame({"number": number, "run": runs, "rank": candidates.cell_rank[cells]})
    return written.group_by("number", maintain_order=True).agg(pl.format("{}:{}", "run", "rank").str.join(" "))["run"]
