"""What every result offers: tables in any library, text in any format, JSON and back, and a fair comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from cranfield.formats import to_frame
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import Json, plain, record, restored, same
from cranfield.plumbing.lazy import is_loaded, pl
from cranfield.plumbing.wording import counted
from cranfield.results.output_formats import FORMATS
from cranfield.results.programs import LIGHT, LongColumns, objects, verdict
from cranfield.results.sheet import NEXT, Sheet

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from cranfield.plots import Figure, Material


class Result(ABC):
    """Something that was found: a dataclass with the tables, texts and comparisons that one expects of it.

    What is passed on as ``which`` says which of several tables is meant; each result says what there is. A class says
    as ``rows`` which of its attributes is the long table, as ``keys`` how many columns, from the left, tell what a row
    is, and as ``schema`` what the JSON of a verdict is called; without one, JSON is the long table.
    """

    _rows_in: ClassVar[str] = "rows"
    _key_columns: ClassVar[int] = 1
    _schema: ClassVar[str] = ""

    def __init_subclass__(cls, *, rows: str = "", keys: int = 0, schema: str = "", **others: object) -> None:
        super().__init_subclass__(**others)
        cls._rows_in, cls._key_columns = rows or cls._rows_in, keys or cls._key_columns
        if schema:
            cls._schema = schema
        record(cls)

    def to_polars(self, **which: Any) -> pl.DataFrame:
        """Return the long table, in full precision, for programs."""
        table: pl.DataFrame = getattr(self, self._rows_in)
        return table

    def table(self, **which: Any) -> pl.DataFrame:
        """Return the table that people read: the long one, if no other is made for them."""
        return self.to_polars(**which)

    @abstractmethod
    def caption(self, **which: Any) -> str:
        """Say in a line what the table shows."""

    def best(self, **which: Any) -> Mapping[str, float]:
        """Return the columns of the table whose best value is emphasised: 1 where it is the largest, -1 the least."""
        return {}

    def keys(self, **which: Any) -> int:
        """Return how many columns of the table, from the left, say what a row is."""
        return self._key_columns

    def sheet(self, **which: Any) -> Sheet:
        """Return what people see, whatever the format: the table, its emphasis and its caption."""
        table = self.table(**which)
        return Sheet.of(table, best=self.best(**which), keys=self.keys(**which), caption=self.caption(**which))

    def opening(self, **which: Any) -> tuple[str, ...]:
        """Return the sentences that stand above the table, the verdict first; none where the table is all."""
        return ()

    def opened_sheet(self, **which: Any) -> Sheet:
        """Return what people see, with the opening above."""
        return self.sheet(**which)._replace(above=self.opening(**which))

    def remarks(self) -> tuple[str, ...]:
        """Return sentences that a reader of the table should know: the notes, where there are any."""
        notes: tuple[str, ...] = getattr(self, "notes", ())
        return notes

    def schema(self, **which: Any) -> str:
        """Return what the JSON of a verdict is called; empty where JSON is the long table."""
        return self._schema

    def stated(self, **which: Any) -> dict[str, object]:
        """Return what stands before the rows where a verdict is written as JSON."""
        opening = self.opening(**which)
        command = next((line.removeprefix(NEXT) for line in opening if line.startswith(NEXT)), None)
        says = [line for line in opening if not line.startswith(NEXT)]
        return {"says": says, "next": command, "caption": self.caption(**which), "notes": [*self.remarks()]}

    def objects(self, **which: Any) -> list[dict[str, object]]:
        """Return the rows of the long table as JSON has them."""
        return objects(self.to_polars(**which))

    def columns(self, **which: Any) -> LongColumns | None:
        """Return the columns of the long table where they are known without polars, which takes its time to load."""
        return None

    def to_pandas(self, **which: Any) -> pd.DataFrame:
        """Return the long table as a pandas DataFrame."""
        return to_frame(self.to_polars(**which), "pandas")

    def to_arrow(self, **which: Any) -> pa.Table:
        """Return the long table as an Arrow table."""
        return to_frame(self.to_polars(**which), "pyarrow")

    def render(self, format: str = "table", **which: Any) -> str | bytes:  # noqa: A002
        """Return the result as text (or bytes): csv, json, parquet hold the long table; the others are for people.

        A verdict's json holds more than its table: its sentences too, under the name of its schema.
        """
        if format not in FORMATS:
            raise InputError(f"there is no format {format!r}; choose from {', '.join(FORMATS)}")
        if format == "json" and (schema := self.schema(**which)):
            return verdict(schema, self.stated(**which), self.objects(**which))
        if format in LIGHT and not is_loaded() and (columns := self.columns(**which)) is not None:
            return LIGHT[format](columns)
        return FORMATS[format].write(lambda: self.opened_sheet(**which), lambda: self.to_polars(**which))

    def material(self) -> Material:
        """Return what figures of it are drawn from."""
        raise InputError(f"there is no figure of {type(self).__name__}")

    def plot(self, name: str, **options: object) -> Figure:
        """Draw one of its figures; ``cranfield plot --list`` names them all.

        Figures by rank take ``last_rank``: where the axis ends.
        """
        from cranfield.plots import plot_named

        return plot_named(name).of(self.material(), **options)

    def to_dict(self) -> dict[str, Json]:
        """Return all of it as JSON can hold it; `from_dict` makes the same result of that."""
        return cast("dict[str, Json]", plain(self))  # a record is written as an object

    @classmethod
    def from_dict(cls, written: Mapping[str, object]) -> Self:
        """Return the result that `to_dict` wrote.

        Raises
        ------
        InputError
            Where it is not what this kind of result is written as.
        """
        try:
            found = restored(dict(written))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"not what {cls.__name__}.to_dict() returns ({error!r})") from None
        if not isinstance(found, cls):
            raise InputError(f"not what {cls.__name__}.to_dict() returns, but of {type(found).__name__}")
        return found

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.caption()})"

    def __str__(self) -> str:
        table, caption = str(self.render()).rstrip("\n"), "" if self.opening() else printable(self.caption())
        return f"{caption}\n{table}" if caption else table  # what was found comes first

    def _repr_html_(self) -> str:
        from cranfield.results.html import html_table

        return html_table(self.opened_sheet(), below=self.remarks())


@dataclass(frozen=True, eq=False, repr=False)
class OneTable(Result):
    """A result that is a single table, for people and programs."""

    rows: pl.DataFrame
    says: str  # the caption
    notes: tuple[str, ...] = ()
    index: int = 1  # how many columns, from the left, identify a row

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.rows.height, 'row')}: {self.says[:100]})"

    def caption(self, **which: object) -> str:
        """Say what it shows."""
        return self.says

    def keys(self, **which: object) -> int:
        """Return how many columns say what a row is."""
        return self.index
