r"""Long tables as our commands write them for programs: csv (or tabs), json, parquet, told by their first bytes."""

from __future__ import annotations

from typing import Any

from cranfield.formats import parquet
from cranfield.formats.files import FilePath
from cranfield.formats.loading import Loaded, load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown


def read_table(path: FilePath, what: str) -> pl.DataFrame:
    """Read a table; columns of csv are texts."""
    return table_of(load(path), what)


def _layout(text: str) -> dict[str, Any]:
    """Say what is between cells, by the header; where it is tabs, a quote is a character like any other."""
    header = text.lstrip().partition("\n")[0]
    return {"separator": "\t", "quote_char": None} if "\t" in header and "," not in header else {}


def table_of(held: Loaded, what: str) -> pl.DataFrame:
    """Take a table from what was loaded: see `read_table`."""
    if held.data.startswith(b"PAR1"):
        return parquet.table(held.data, source=held.source)
    try:
        if held.text.lstrip().startswith("["):
            return pl.DataFrame(_rows(held), infer_schema_length=None)
        return pl.read_csv(held.text.encode(), infer_schema=False, **_layout(held.text))
    except InputError:
        raise
    except (pl.exceptions.PolarsError, ValueError, TypeError, OverflowError) as error:
        raise held.wrong(f"no table of {what} ({str(error).partition(chr(10))[0]:.100})") from None


def _rows(held: Loaded) -> list[dict[str, Any]]:
    """Give the objects of a list in JSON."""
    rows = [row for _, row in held.objects(texts=True)]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise held.wrong(f"row {number} of a table is an object, {{...}}, not {shown(row)}")
    return rows
