"""Runs by name, each read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from cranfield.formats.columns import RUN_KIND, Kind
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE, RANK

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cranfield.formats.dicts import NestedDict
    from cranfield.formats.heads import HeadRow
    from cranfield.formats.parted import PartedRun


class Load(Protocol):
    """Gets the table of one run."""

    def __call__(self, *, rank: bool, lines: bool) -> pl.DataFrame:
        """Give the table, with the rank and the line of each row where they are wanted."""


def nothing() -> None:
    """Stand for what a run has not."""


@dataclass(frozen=True, eq=False)
class RunSource:
    """One run: its name, which is text whatever the file is called, where it comes from, and how to read it."""

    name: str
    origin: str
    """What messages call it."""
    path: Path | None
    empty_topics: tuple[str, ...]
    """Topics that were attempted and retrieved nothing, which a table cannot say."""
    load: Load = field(repr=False)
    find_tag: Callable[[], str | None] | None = field(default=None, repr=False)
    nested: Callable[[], NestedDict | None] | None = field(default=None, repr=False)
    """Gives it as dicts, where that is less work than a table."""
    cells: Callable[[], pl.DataFrame | None] = field(default=nothing, repr=False)
    """Gives the cells of TREC text as they are written, wrong ones too: its columns, and line, text and further."""
    parted: PartedRun | None = field(default=None, repr=False)
    """Where it may be read a part at a time, and better is if it is large."""
    text: Callable[[], bytes | None] | None = field(default=None, repr=False)
    """Gives its bytes, where it is TREC text."""
    head: Callable[[], list[HeadRow]] = field(default=list, repr=False)
    """Gives the first rows as they stand, where that is next to no work."""
    has_ranks: bool = True
    """False where it is known that no rank is given."""
    metadata: Callable[[], str] = str
    """Gives the metadata at its head, where that is a file's."""
    says: str = ""
    """What tells it from others that have no names either: the rows and columns of a frame."""
    small: bool = False  # in memory, and so short that it is read sooner than a thread starts

    def __post_init__(self) -> None:
        """Name it by what can be written down."""
        object.__setattr__(self, "name", storable(self.name))

    def read(self, *, rank: bool = False, lines: bool = False) -> pl.DataFrame:
        """Read the run, a file anew each time, from any number of threads.

        ``rank`` adds the rank column, ``lines`` the column ``line``: the line of the file, or the row of the table.
        """
        begin_work()
        return self.load(rank=rank, lines=lines)

    def read_parts(self, *, rank: bool = False, step: Callable[[], None] | None = None) -> Iterator[pl.DataFrame]:
        """Read a run that is `parted` a part at a time: see `PartedRun.parts`."""
        begin_work()
        if self.parted is None:
            raise TypeError(f"{self.origin} is read whole")
        return self.parted.parts(rank=rank, step=step)

    def tag(self) -> str:
        """Say what the run calls itself: the tag in the last line of TREC text, and its name anywhere else."""
        return (self.find_tag and self.find_tag()) or self.name


class Runs(Mapping[str, "pl.DataFrame"]):
    """Runs by name, in the order given. Each run is read on access, so hundreds of files cost nothing.

    >>> from cranfield.formats import read_runs
    >>> runs = read_runs({"bm25": {"401": {"d1": 2.5}}, "dense": {"401": {"d2": 0.9}}})
    >>> runs
    Runs(bm25, dense)
    >>> runs["dense"].rows()
    [('401', 'd2', 0.9)]
    """

    def __init__(self, sources: Iterable[RunSource]) -> None:
        self.sources = tuple(sources)
        self._by_name: dict[str, RunSource] = {}
        for source in self.sources:
            if source.name in self._by_name:
                other = self._by_name[source.name].origin
                raise InputError(f"two runs are named {source.name!r}; the first is {other}", source=source.origin)
            self._by_name[source.name] = source

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self._by_name[name].read()

    def metadata(self, name: str) -> str:
        """Return the text of the metadata that a run's file begins with (ir-metadata.org), which is YAML; or ""."""
        return self._by_name[name].metadata()

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.sources)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name  # without reading it

    def __repr__(self) -> str:
        shown = [source.name for source in self.sources[:5]]
        more = [f"... {len(self) - 5} more"] if len(self) > 5 else []
        return f"Runs({', '.join(shown + more)})"


def from_memory(
    table: pl.DataFrame, kind: Kind = RUN_KIND, origin: str = "table", *, rank: bool, lines: bool
) -> pl.DataFrame:
    """Load what is a table already: what `RunSource.read` asks for of it."""
    if rank and RANK not in table.columns:
        raise InputError("has no rank column", source=origin)
    if lines and LINE not in table.columns:
        table = table.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE))
    extras = (name for name in kind.extras if name in table.columns)
    return table.select(*kind.ours, *extras, *([RANK] if rank else []), *([LINE] if lines else []))
