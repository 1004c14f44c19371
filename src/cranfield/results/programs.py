"""What programs read: tables with every digit and nothing else, verdicts, and what trec_eval prints."""

from __future__ import annotations

import io
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from cranfield.plumbing.escaping import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

LongColumns: TypeAlias = "Mapping[str, Sequence[str] | Sequence[float]]"
"""The columns of a table: texts, or floats."""

VERSION: Final = 1  # That of the schemas of verdicts: higher once a key goes, or means something else
ROWS_AT_ONCE: Final = 50_000
"""How many rows of a table are made into text at a time, which takes several times the room of the text."""


def csv(table: pl.DataFrame) -> str:
    """Comma-separated values with a header; floats so that reading gives the same number, lists with blanks between."""
    import polars as pl

    lists = pl.col(name for name, dtype in table.schema.items() if dtype == pl.List(pl.String))
    parts = [*table.with_columns(lists.list.join(" ")).iter_slices(ROWS_AT_ONCE)] or [table]
    return "".join(part.write_csv(include_header=not number) for number, part in enumerate(parts))


def csv_of(columns: LongColumns) -> str:
    """Write columns as `csv` writes a table, but without polars."""
    rows = zip(*(map(_cell, column) for column in columns.values()), strict=True)
    text = io.StringIO()
    text.writelines(",".join(row) + "\n" for row in chain([columns], rows))
    return text.getvalue()


def _cell(cell: str | float) -> str:
    """Write a text, quoted where it must be, or a number, with enough digits to read the same one back."""
    if isinstance(cell, str):
        quoted = not cell or any(mark in cell for mark in ',"\n\r')
        return '"' + cell.replace('"', '""') + '"' if quoted else cell
    digits, small, power = repr(cell).partition("e-0")
    if not small:
        return "NaN" if digits == "nan" else digits
    return f"{cell:.{5 + len(digits.partition('.')[2])}f}" if power == "5" else f"{digits}e-{power}"


def json(table: pl.DataFrame) -> str:
    """A list of objects, one a row; numbers that JSON lacks, infinity and NaN, are null."""
    return _dumped(objects(table))


def objects(table: pl.DataFrame) -> list[dict[str, object]]:
    """Return an object for each row, as JSON has it."""
    import polars as pl

    floats = pl.selectors.float()
    return table.with_columns(pl.when(floats.is_finite()).then(floats)).to_dicts()


def verdict(schema: str, said: Mapping[str, object], rows: Sequence[Mapping[str, object]]) -> str:
    """A verdict as JSON: the name and version of its schema, its sentences, and the rows that it rests on."""
    return _dumped({"schema": f"cranfield/{schema}", "version": VERSION, **said, "rows": rows})


def unfolded(rows: Sequence[Mapping[str, object]], *columns: str) -> list[dict[str, object]]:
    """Return rows in which columns of JSON text are what the text holds."""
    import json as json_

    return [{name: json_.loads(str(cell)) if name in columns else cell for name, cell in row.items()} for row in rows]


def json_of(columns: LongColumns) -> str:
    """Write columns as JSON without polars; NaN and infinities become null."""
    from math import isfinite

    cells = (
        [cell if isinstance(cell, str) or isfinite(cell) else None for cell in column] for column in columns.values()
    )
    return _dumped([dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)])


def _dumped(found: object) -> str:
    import json as json_

    return json_.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def parquet(table: pl.DataFrame) -> bytes:
    """Parquet, compressed with zstd."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


LIGHT: Final = {"csv": csv_of, "json": json_of}
"""What is written without polars, where the columns are known."""


def trec_eval_lines(rows: Iterable[tuple[str, str, str | float]]) -> str:
    r"""Write (measure, topic, value) exactly as trec_eval does.

    >>> trec_eval_lines([("num_q", "all", 3), ("map", "all", 0.17853)])
    'num_q                 \tall\t3\nmap                   \tall\t0.1785\n'
    """
    return "".join(
        f"{name:<22}\t{topic}\t{f'{value:6.4f}' if isinstance(value, float) else value}\n"
        for name, topic, value in rows
    )


class Verdicted(NamedTuple):
    """A verdict by one measure: its name, its note, the verdict, and whether it lets the new run through."""

    name: str
    said: str
    verdict: str
    passes: bool


def ends(low: float | None, high: float | None) -> str:
    """Write the interval that follows a number; empty if there is none."""
    return "" if low is None or high is None else f" [{low:.4f}, {high:.4f}]"


def junit(pair: str, cases: Sequence[Verdicted]) -> bytes:
    """Return JUnit XML, a test case for each measure: worse is a failure, what else does not pass an error."""
    from xml.etree import ElementTree

    kinds = [None if case.passes else "failure" if case.verdict == "worse" else "error" for case in cases]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error")}
    written = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.Element("testsuite", {"name": "cranfield gate"} | written)
    for case, kind in zip(cases, kinds, strict=True):
        said = printable(case.said)
        element = ElementTree.SubElement(suite, "testcase", classname=printable(pair), name=printable(case.name))
        if kind is None:
            ElementTree.SubElement(element, "system-out").text = said
        else:
            ElementTree.SubElement(element, kind, message=said, type=case.verdict)
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, "utf-8", xml_declaration=True)) + b"\n"
