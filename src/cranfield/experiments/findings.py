"""The findings of an experiment: its tables, settings and notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from cranfield.experiments.side_by_side import SideBySide
from cranfield.formats import parquet, write_together
from cranfield.formats.loading import load
from cranfield.formats.long_tables import table_of
from cranfield.plots import Material
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import Json, plain, record, restored
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.results.output_formats import FORMATS, render
from cranfield.results.result import Result
from cranfield.results.sheet import ROWS_SHOWN, Sheet, shown

READABLE: Final = ("csv", "json", "parquet")


@record
@dataclass(frozen=True)
class Collection:
    """The runs and judgments of an experiment: how many there are, and how they were taken."""

    name: str
    runs: int
    topics: int
    fingerprint: str  # A digest of all rankings, judgments and conditions
    conditions: Mapping[str, object]  # Those other than the defaults, by name
    degrees: int = 0  # The number of relevance grades in the judgments, including not relevant
    longest: int = 0  # The length of the longest list

    def __str__(self) -> str:
        return f"{self.name}: {self.described}"

    @property
    def described(self) -> str:
        """How much there is of it, and what is unusual about how it was taken."""
        unusual = "".join(
            f", {name}={value:g}" if isinstance(value, float) else f", {name}={value}"
            for name, value in self.conditions.items()
            if name != "complete"  # which the audit says
        )
        kinds = f", {counted(self.degrees, 'grade')}, lists of up to {self.longest:,}" if self.degrees else ""
        return f"{counted(self.runs, 'run')}, {counted(self.topics, 'topic')}{kinds}{unusual}"


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """The findings of an experiment.

    Attributes
    ----------
    experiment
        Its name.
    tables
        The tables by name, the one that answers the question first. A number that does not exist is null, not NaN.
    settings
        Measures, seed, and every other option.
    notes
        Remarks for the reader of the tables.
    collections
        The runs and judgments used.
    version
        The version of this package, and a digest of its code.
    side_by_side
        How tables of several collections are laid out for people, by their names.
    blanks
        What people read where a number does not exist, by column; usually nothing.

    Examples
    --------
    >>> found = Findings("toss", {"sides": pl.DataFrame({"side": ["heads"], "share": [0.5]})}, {"seed": 7})
    >>> print(found)
    toss: sides
    side    share
    heads  0.5000
    settings: seed 7
    >>> found
    Findings(toss: sides)
    """

    experiment: str
    tables: Mapping[str, pl.DataFrame]
    settings: Mapping[str, object]
    notes: tuple[str, ...] = ()
    collections: tuple[Collection, ...] = ()
    version: str = ""
    side_by_side: Mapping[str, SideBySide] = field(default_factory=dict)
    blanks: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """JSON and the tables for people have no NaN: what does not exist is null in all of them."""
        tables = {name: table.with_columns(pl.selectors.float().fill_nan(None)) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "settings", restored(plain(self.settings)))  # as it is read back

    def __repr__(self) -> str:
        return f"Findings({self.experiment}: {', '.join(self.tables)})"

    def __getitem__(self, table: str) -> pl.DataFrame:
        """Return one of the tables."""
        if table not in self.tables:
            raise InputError(f"no table is called {table!r}; the tables are {', '.join(self.tables)}")
        return self.tables[table]

    @property
    def first(self) -> str:
        """Name of the table that answers the question: the first one with a row."""
        return next((name for name, table in self.tables.items() if table.height), next(iter(self.tables)))

    def to_polars(self, *, table: str | None = None, **which: object) -> pl.DataFrame:
        """Return one of the tables, the first if none is named."""
        return self[table or self.first]

    def table(self, *, table: str | None = None, **which: object) -> pl.DataFrame:
        """Return a table as shown to people: its first rows, with one column per collection if declared."""
        found, layout = self.to_polars(table=table), self.side_by_side.get(table or self.first)
        return (layout.table(found) if layout else found).head(ROWS_SHOWN)

    def sheet(self, *, table: str | None = None, **which: object) -> Sheet:
        """Return a table as shown to people: its first rows, and the number of further rows."""
        found, layout = self.to_polars(table=table), self.side_by_side.get(table or self.first)
        caption = self.caption(table=table)
        sheet = (layout.sheet(found, caption) if layout else Sheet.of(found, caption=caption)).first(ROWS_SHOWN)
        columns = (
            each._replace(cells=[self.blanks.get(each.name) if cell is None else cell for cell in each.cells])
            for each in sheet.columns
        )
        return sheet._replace(columns=tuple(columns))

    def legend(self, table: str) -> str:
        """Explain the marks in a table, if it has any."""
        return self.side_by_side[table].legend if table in self.side_by_side else ""

    def remarks(self) -> tuple[str, ...]:
        """Return the notes, and the names of the other tables."""
        others = ", ".join(name for name in self.tables if name != self.first)
        return (*self.notes, f"Other tables: {others}.") if others else self.notes

    def caption(self, *, table: str | None = None, **which: object) -> str:
        """Describe the table and its settings."""
        table = table or self.first
        legend = [self.legend(table)] if self.legend(table) else []
        return "; ".join([f"{self.experiment}: {table}", *map(str, self.collections), self._settings(), *legend])

    def render(
        self,
        format: str = "table",  # noqa: A002
        *,
        table: str | None = None,
        tables: Iterable[str] | None = None,
        **which: object,
    ) -> str | bytes:
        """Return a table as text or bytes; for people, if none is named, all (or these) with notes and settings."""
        if table is not None or format not in FORMATS or not FORMATS[format].for_people:
            return super().render(format, table=table, **which)
        parts = [self._shown(name, format) for name in (self.tables if tables is None else tables)]
        return "\n".join([*parts, *map(printable, [*(f"note: {note}" for note in self.notes), *self._how]), ""])

    @property
    def _how(self) -> list[str]:
        """What all of it is of, and with which settings it was found."""
        one = len(self.collections) == 1
        data = (f"data: {each.described}" if one else f"collection {each}" for each in self.collections)
        return [*data, f"settings: {self._settings()}"]

    def __str__(self) -> str:
        said = sorted(self.notes, key=lambda note: not note.startswith("verdict"))  # which come before the tables
        return "\n".join([*map(printable, said), *(self._shown(name, "table") for name in self.tables), *self._how])

    def _shown(self, name: str, format: str) -> str:  # noqa: A002
        sheet = self.sheet(table=name)
        cut = f" (the first {ROWS_SHOWN} of {counted(sheet.height + sheet.more, 'row')})" if sheet.more else ""
        text = FORMATS[format].write(lambda: sheet._replace(more=0), lambda: self[name])
        lines = [f"{self.experiment}: {name}{cut}", str(text).rstrip("\n"), self.legend(name)]
        return "\n".join(line for line in lines if line)

    def material(self) -> Material:
        """Return the data for the experiment's figures: the tables, and settings by name, as text."""
        tables: dict[str, Callable[[], pl.DataFrame]] = {name: partial(self.__getitem__, name) for name in self.tables}
        complete = bool(self.collections) and all(each.conditions.get("complete") for each in self.collections)
        asked = {**self.settings, "complete": complete}
        settings = {"name": list(asked), "value": list(map(_written, asked.values()))}
        tables["settings"] = lambda: pl.DataFrame(settings, schema=dict.fromkeys(settings, pl.String))
        one = len(self.collections) == 1
        about = "; ".join(each.described if one else str(each) for each in self.collections)
        return Material(self.experiment, tables, f"{about}." if about else "")

    def _settings(self) -> str:
        each = {name: "" if value is None else _written(value) for name, value in self.settings.items()}
        return "; ".join(f"{name} {text}" for name, text in each.items() if text) or "none"

    def write(self, folder: Path | str, *, format: str = "csv") -> list[Path]:  # noqa: A002
        """Write every table to ``folder`` as EXPERIMENT-TABLE.csv, and their settings as EXPERIMENT.json.

        Either all files are written completely, or none. `read` reads csv, json and parquet back.
        """
        folder = Path(folder)
        if format not in FORMATS:
            raise InputError(f"no format {format!r}; choose from {', '.join(FORMATS)}")
        *paths, description = files_of(self.experiment, self.tables, folder, format)
        files = {path: render(table, format) for path, table in zip(paths, self.tables.values(), strict=True)}
        described = {name: value for name, value in self.to_dict().items() if name != "tables"}
        dtypes = {name: {each: str(kind) for each, kind in table.schema.items()} for name, table in self.tables.items()}
        described |= {"format": FORMATS[format].suffix, "tables": dtypes}
        files[description] = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
        return write_together(folder, files)

    @classmethod
    def read(cls, folder: Path | str, experiment: str | None = None) -> Findings:
        """Read what `write` wrote.

        Parameters
        ----------
        folder
            The folder it was written to.
        experiment
            Which experiment, if the folder holds several.

        Raises
        ------
        InputError
            If there are none, or several to choose from, or the tables are in a format for people.

        >>> import tempfile
        >>> found = Findings("toss", {"sides": pl.DataFrame({"side": ["heads"], "share": [0.5]})}, {"seed": 7})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = found.write(folder)
        ...     Findings.read(folder) == found
        True
        """
        folder = Path(folder)
        file = _description(folder, experiment)
        described = load(file).json(texts=True)
        try:
            dtypes, format_, name = described.pop("tables"), described.pop("format"), described["experiment"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"not written by an experiment ({error!r})", source=str(file)) from None
        if format_ not in READABLE:
            known = ", ".join(READABLE)
            raise InputError(f"its tables were written for people; {known} can be read back", source=str(file))
        tables = {
            table: _table(folder / f"{name}-{table}.{format_}", format_, kinds) for table, kinds in dtypes.items()
        }
        return cls.from_dict({**described, "tables": tables})


def files_of(experiment: str, tables: Iterable[str], folder: Path, format: str) -> list[Path]:  # noqa: A002
    """Name the files that findings are written to: one for each table, and their description."""
    suffix = FORMATS[format].suffix
    return [*(folder / f"{experiment}-{name}.{suffix}" for name in tables), folder / f"{experiment}.json"]


def _description(folder: Path, experiment: str | None) -> Path:
    """Find the file that says what the others are."""
    if not folder.is_dir():
        raise InputError("no such folder", source=str(folder))
    files = sorted(folder.glob("*.json"))  # a table that was written as JSON is a list, and a description an object
    found = {file.stem: file for file in files if load(file).data.lstrip()[:1] == b"{"}
    wanted = [experiment] if experiment else list(found)
    if len(wanted) != 1 or wanted[0] not in found:
        there = f"choose from {', '.join(found)}" if found else "there are none"
        problem = "name one of its findings" if found and not experiment else f"no findings of {experiment or 'any'}"
        raise InputError(f"{problem}; {there}", source=str(folder))
    return found[wanted[0]]


def _table(file: Path, format_: str, dtypes: Mapping[str, str]) -> Json:
    """Read a table as `plain` writes it, with the types that it had."""
    held = load(file)
    if format_ == "parquet":
        return plain(parquet.table(held.data, source=held.source))
    rows = held.json(texts=True) if format_ == "json" else table_of(held, "findings").to_dicts()
    try:
        table: Json = {name: [_cell(row[name], dtypes[name]) for row in rows] for name in dtypes}
    except (KeyError, ValueError, TypeError) as error:
        raise held.wrong(f"not the table as written ({error})") from None
    return {"@": "table", "dtypes": dict(dtypes), "columns": table}


def _cell(text: Any, dtype: str) -> Any:
    if not isinstance(text, str) or dtype == "String":
        return text
    return text == "true" if dtype == "Boolean" else float(text) if dtype.startswith("Float") else int(text)


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return shown(value) if isinstance(value, bool) else str(value)
