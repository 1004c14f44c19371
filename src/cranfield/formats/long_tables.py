r"""Long tables as our commands write them for programs: csv (or tabs), json, parquet, told by their first bytes."""

from __future__ import annotations

import json
from typing import Any

from cranfield.formats import parquet
from cranfield.formats.files import FilePath, called, read_bytes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl


def read_table(path: FilePath, what: str) -> pl.DataFrame:
    r"""Read a table; columns of csv are texts.

    Parameters
    ----------
    path
        The file, packed or not; ``-`` is the standard input.
    what
        What it should be a table of, for the error that says it is none.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
    ...     _ = file.write(b'[{"run": "bm25", "value": 0.5}]'), file.flush()
    ...     read_table(file.name, "scores").rows()
    [('bm25', 0.5)]
    """
    return table_of(read_bytes(path), what, source=called(path))


def _layout(data: bytes) -> dict[str, Any]:
    """Say what is between cells, by the header; where it is tabs, a quote is a character like any other."""
    header = data.lstrip().partition(b"\n")[0]
    return {"separator": "\t", "quote_char": None} if b"\t" in header and b"," not in header else {}


def table_of(data: bytes, what: str, *, source: str) -> pl.DataFrame:
    """Take a table from the bytes of a file: see `read_table`."""
    if data.startswith(b"PAR1"):
        return parquet.table(data, source=source)
    try:
        if data.lstrip().startswith(b"["):
            return pl.DataFrame(json.loads(data), infer_schema_length=None)
        return pl.read_csv(data, infer_schema=False, **_layout(data))
    except (pl.exceptions.PolarsError, ValueError, TypeError) as error:
        raise InputError(f"no table of {what} ({str(error).splitlines()[0]})", source=source) from None
