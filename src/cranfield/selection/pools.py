"""Pools: which documents are handed to assessors, topic by topic, and what each run and team contributes to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

import numpy as np

from cranfield.formats.files import FilePath
from cranfield.formats.long_tables import written_list
from cranfield.formats.writing import write_together
from cranfield.plumbing.arrays import Booleans, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Seed, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.plumbing.wording import counted, some_of
from cranfield.results.result import Result
from cranfield.selection.candidates import Candidates, chance

Table: TypeAlias = Literal["contributions", "documents"]
_NEVER: Final = 0  # The depth of runs that contribute nothing


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Result):
    """Which documents are judged on each topic, and who contributes them?

    Run x is pooled to depth 2, and y, its team's second choice, to depth 1:

    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 9.0, "c": 1.0}}, "z": {"1": {"d": 1.0}}}
    >>> depth = depths_by_priority([1, 2, 1], [2, 1])
    >>> print(Pool.of(Candidates.gather(runs), depth=depth, teams=["T", "T", "U"], priorities=[1, 2, 1]))
    3 documents of 1 topic; within a topic, documents are ordered by a digest of seed 7 and id, hiding ranks
    team  run    priority  depth  documents  alone
    T     (all)                           2      2
    T     x             1      2          2      1
    T     y             2      1          1      0
    U     (all)                           1      1
    U     z             1      2          1      1
    """

    documents: pl.DataFrame  # topic, document; their order within a topic tells nothing of ranks
    contributions: pl.DataFrame  # by run, and by team, whose run is null: alone are documents that no other has
    topics: tuple[str, ...]  # of the runs, whether or not they get a document
    seed: int  # of the order within a topic

    @classmethod
    def of(
        cls,
        candidates: Candidates,
        documents: Iterable[tuple[str, str]] | None = None,
        *,
        depth: int | Sequence[int] | None = None,
        teams: Sequence[str] | None = None,
        priorities: Sequence[int] | None = None,
        seed: Seed = 7,
    ) -> Pool:
        """Gather a pool."""
        seed, runs = checked("seed", seed, Seed), len(candidates.runs)
        depths = _of_runs("depth", [depth] * runs if isinstance(depth, int | None) else depth, runs)
        team_of, priority_of = _of_runs("teams", teams, runs), _of_runs("priorities", priorities, runs)
        limit = np.array([np.inf if each is None else each for each in depths or ()])
        place = candidates.cell_place
        counts: Booleans = candidates.cell_rank <= limit[candidates.cell_run]
        if documents is None:
            chosen = np.unique(place[counts])
        else:
            chosen = np.unique(np.array([candidates.place(*each) for each in documents], np.int64))
            among = np.zeros(len(candidates), bool)
            among[chosen] = True
            counts &= among[place]
        table = candidates.ids_of(chosen).rename({QUERY: "topic", DOCUMENT: "document"})
        order = np.array([chance(seed, "order", *row) for row in table.iter_rows()])
        within = np.lexsort((chosen, order, candidates.topic[chosen]))
        by_run = _contributed(place[counts], candidates.cell_run[counts], runs)
        columns = {"run": candidates.runs, "team": team_of, "priority": priority_of, "depth": depths, **by_run}
        rows = pl.DataFrame({name: given or [None] * runs for name, given in columns.items()}, schema=_SCHEMA)
        if team_of is not None:
            names, team = np.unique(np.array(team_of, object), return_inverse=True)
            together = _contributed(place[counts], team[candidates.cell_run[counts]], len(names))
            whole = pl.DataFrame({"team": names.tolist(), **together}, schema_overrides=_SCHEMA)
            rows = pl.concat([whole, rows], how="diagonal").select(*_SCHEMA).sort("team", maintain_order=True)
        return cls(table[within], rows, tuple(candidates.topics), seed)

    def __repr__(self) -> str:
        return f"Pool({counted(self.documents.height, 'document')} of {counted(len(self.topics), 'topic')})"

    def by_topic(self) -> dict[str, list[str]]:
        """Return the documents of each topic, in the order in which they are handed out."""
        return dict(self.documents.group_by("topic", maintain_order=True).agg("document").iter_rows())

    def write(self, folder: FilePath) -> list[Path]:
        """Write a file for each topic, lines ``topic document``, named TOPIC.txt with URL escapes; return the paths."""
        home: Path = checked("folder", folder, Path)
        files: dict[Path, str | bytes] = {
            home / f"{quote(topic, safe='', errors='surrogatepass')}.txt": written_list(
                ((topic, document) for document in documents), str(home)
            )
            for topic, documents in self.by_topic().items()
        }
        if others := sorted({*home.glob("*.txt")} - files.keys()):
            raise InputError(
                f"holds {others[0].name}, which is not part of this pool; give a new folder", source=str(home)
            )
        try:
            return write_together(home, files)
        except OSError as error:
            raise InputError(f"cannot be the folder of a pool ({error.strerror})", source=str(home)) from None

    def to_polars(self, table: Table = "contributions", **which: object) -> pl.DataFrame:
        """Return who contributes what, or the documents."""
        found: pl.DataFrame = getattr(self, checked("table", table, Table))
        return found

    def table(self, table: Table = "contributions", **which: object) -> pl.DataFrame:
        """Return the same for people: without columns that say nothing, and teams in front."""
        found = self.to_polars(table, **which)
        if table == "documents":
            return found
        known = [name for name in ("team", "run", "priority", "depth") if found[name].null_count() < found.height]
        return found.select(*known, "documents", "alone").with_columns(pl.col("run").fill_null("(all)"))

    def keys(self, **which: object) -> int:
        """Return how many columns say what a row is."""
        return 2 if "team" in self.table(**which).columns else 1  # type: ignore[arg-type]

    def caption(self, **which: object) -> str:
        """Say how large it is, and which order its documents are in."""
        chosen = self.by_topic()
        sizes, without = [len(documents) for documents in chosen.values()], [t for t in self.topics if t not in chosen]
        said = f"{counted(self.documents.height, 'document')} of {counted(len(sizes), 'topic')}"
        if len(sizes) > 1:
            said += f", {min(sizes):,} to {max(sizes):,} each"
        if without:
            said += f", none for {counted(len(without), 'topic')} of the runs: {some_of(without)}"
        return f"{said}; within a topic, documents are ordered by a digest of seed {self.seed} and id, hiding ranks"


_SCHEMA: Final = {
    "run": pl.String, "team": pl.String, "priority": pl.Int64, "depth": pl.Int64,
    "documents": pl.Int64, "alone": pl.Int64,
}  # fmt: skip


def depths_by_priority(priorities: Sequence[int], depths: Sequence[int]) -> list[int]:
    """Return the depth of each run: the first for runs of priority 1, the second for those of 2; then 0."""
    return [depths[priority - 1] if priority <= len(depths) else _NEVER for priority in priorities]


def _of_runs(name: str, given: Sequence[object] | None, runs: int) -> list[object] | None:
    """Check that there is one for each run."""
    if given is not None and len(given) != runs:
        raise InputError(f"{name} needs one for each of {counted(runs, 'run')}, not {len(given)}")
    return None if given is None else [*given]


def _contributed(place: Integers, who: Integers, everybody: int) -> dict[str, list[int]]:
    """Count the documents that each contributes, and those that nobody else does."""
    place, who = np.divmod(np.unique(place * np.int64(everybody) + who), everybody)  # a team has it once
    _, which, times = np.unique(place, return_inverse=True, return_counts=True)
    documents = np.bincount(who, minlength=everybody)
    alone = np.bincount(who[times[which] == 1], minlength=everybody)
    return {"documents": documents.tolist(), "alone": alone.tolist()}
