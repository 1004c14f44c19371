"""Logs of clicks: a row for each document that was shown, in a table of any library or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from cranfield.formats import frames
from cranfield.formats.columns import COLUMN_READERS, ids, read_column
from cranfield.formats.files import FilePath, called
from cranfield.formats.long_tables import read_table
from cranfield.formats.numbers import floats, ranks, refuse
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import CLUSTER, DOCUMENT, QRELS_COLUMNS, QUERY, RANK, RUN_EXTRAS, Frame, match_columns
from cranfield.plumbing.wording import some_of

CLICKS: Final = "clicks"
IMPRESSION: Final = "impression"
"""One list that one user saw once."""
LOG_COLUMNS: Final = {
    QUERY: tuple(name for name in QRELS_COLUMNS[QUERY] if not name.startswith("user")),  # in a log they are people
    DOCUMENT: QRELS_COLUMNS[DOCUMENT],
    CLICKS: (CLICKS, "click", "clicked", "count"),
}
RANK_IN_LOG: Final = (*RUN_EXTRAS[RANK], "position")


def source_of(log: object) -> str:
    """Say how messages call a log."""
    return called(log) if isinstance(log, str | os.PathLike) else "log"


def read_log(
    log: Frame | FilePath,
    wanted: Mapping[str, tuple[str, ...]],
    optional: Mapping[str, tuple[str, ...]],
    *,
    by: str | None,
    naming: Naming,
) -> tuple[pl.DataFrame, str]:
    """Read the columns of a log that there are, ``cluster`` being the one called as `by` says; say which these are."""
    source = source_of(log)
    frame = read_table(log, "clicks", naming) if isinstance(log, str | os.PathLike) else log
    if not frames.is_frame(frame):
        raise InputError(f"log must be a DataFrame or a path, not {shown(log)}")
    narwhal = frames.clothed(frame)
    names = narwhal.collect_schema().names()
    found = match_columns(
        names,
        wanted,
        optional=optional if by is None else {**optional, CLUSTER: (by.casefold(),)},
        source=source,
        columns=naming.names,
        first=lambda: frames.first_row(narwhal),
    )
    taken = f"columns taken: {', '.join(f'{found[ours]} for {ours}' for ours in found if ours != CLUSTER)}"
    if by is not None and CLUSTER not in found:
        raise InputError(f"no column {by!r}; columns found: {some_of(names)}", source=source)
    table = frames.to_polars(narwhal, found)
    if not table.height:
        raise InputError("is empty: a log has at least one row", source=source)
    readers = {**COLUMN_READERS, IMPRESSION: ids, RANK: _shown_at}
    return pl.DataFrame([read_column(table, name, source, readers.get(name, counts)) for name in found]), taken


def counts(cells: pl.Series) -> pl.Series:
    """Read a column of numbers that are not negative."""
    found = floats(cells, f"number of {cells.name}")
    refuse(~(found.is_finite() & (found >= 0)), found, f"the number of {cells.name} cannot be {{:g}}")
    return found


def _shown_at(cells: pl.Series) -> pl.Series:
    found = ranks(cells)
    refuse(found < 1, found, "ranks begin at 1, not {!r}")
    return found
