r"""Lists of documents by topic: pools as assessors are handed them, and what our commands list for judging."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield.formats.files import FilePath, called, read_bytes
from cranfield.formats.long_tables import table_of
from cranfield.formats.trec import refuse_unwritable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

_COLUMNS = ["topic", "document"]


def read_list(path: FilePath) -> list[tuple[str, str]]:
    r"""Read documents by topic, each once, in the order in which they are listed.

    Parameters
    ----------
    path
        A line ``topic document`` each; or a table as csv, json or parquet, with columns topic and
        document among others.

    Raises
    ------
    InputError
        Where a line is another, or a table lacks one of the columns.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"403 FT911-1\n403 FT911-2\n403 FT911-1\n"), file.flush()
    ...     read_list(file.name)
    [('403', 'FT911-1'), ('403', 'FT911-2')]
    """
    data = read_bytes(path)
    lines = _lines(data)
    if lines is not None:
        return list(dict.fromkeys(lines))
    table = table_of(data, "documents by topic", source=called(path))
    if not {*_COLUMNS} <= {*table.columns}:
        found = ", ".join(table.columns)
        raise InputError(
            f"a list of documents has lines `topic document`, or columns topic and document, not {found}",
            source=called(path),
        )
    listed = table.select(pl.col(_COLUMNS).cast(pl.String)).drop_nulls()
    return [(topic, document) for topic, document in listed.unique(maintain_order=True).iter_rows()]


def written_list(documents: Iterable[tuple[str, str]], source: str) -> str:
    r"""Write documents by topic, a line ``topic document`` each, as `read_list` reads them.

    Raises
    ------
    InputError
        If an id holds blanks, or anything else that such a line cannot have.

    >>> written_list([("403", "FT911-1"), ("403", "FT911-2")], "pool.txt")
    '403 FT911-1\n403 FT911-2\n'
    """
    rows = pl.DataFrame(list(documents), dict.fromkeys(_COLUMNS, pl.String), orient="row")
    for name in _COLUMNS:
        refuse_unwritable(rows[name], source)
    return "".join(f"{topic} {document}\n" for topic, document in rows.iter_rows())


def _lines(data: bytes) -> list[tuple[str, str]] | None:
    """Take lines of two words each; None, if it is something else."""
    try:
        rows = [
            [word.decode() for word in line.split()] for line in data.split(b"\n") if line.strip()
        ]  # blanks of ASCII
    except UnicodeDecodeError:
        return None
    return [(topic, document) for topic, document in rows] if all(len(row) == 2 for row in rows) else None
