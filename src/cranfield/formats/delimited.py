"""CSV and TSV with a header: columns are known by their names, and every cell is text until its column says otherwise.

CSV has commas, or semicolons, and is quoted as RFC 4180 has it; in TSV a quote is a character like
any other. As with TREC text there are two roads: a file without quotes and with the same number of
cells in every line is read at once, any other row by row.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from cranfield.formats.columns import Kind, find_columns, tidy
from cranfield.formats.files import unpacked_name
from cranfield.formats.format import Format, NamedColumns
from cranfield.formats.text import LOOKED_AT, decodable, require_care
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RUN_COLUMNS

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterable, Iterator

_SEPARATORS: Final = (",", "\t", ";")
_NUMBER: Final = re.compile(r"^\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*$")


def recognises(data: bytes, name: str) -> bool:
    """Say whether the first line is a header that names the query and the document, or the file is called ``.csv``."""
    header = _first_line(data)
    if name.casefold().endswith(".csv") and ("," in header or ";" in header):
        return True
    if any(separator in header and _is_header(_cells(header, separator)) for separator in _SEPARATORS):
        return True
    return any(separator in header for separator in _SEPARATORS) and _seems_table(data)


def _seems_table(data: bytes) -> bool:
    """Say whether two lines have as many cells, and the first holds no number, as every line of TREC text does."""
    separator, header = split_header(data)
    if (
        len(header) < 3
        or len(set(header)) < len(header)
        or any(not cell.strip() or _NUMBER.search(cell) for cell in header)
    ):
        return False
    return len(_first_row(data, separator)) == len(header)


def names_any(data: bytes, kind: Kind) -> bool:
    """Say whether the first line has columns with names that a user gave."""
    theirs = {name.casefold() for several in kind.naming.names.values() for name in several}
    _, header = split_header(data)
    return len(header) > 1 and not theirs.isdisjoint(cell.strip().casefold() for cell in header)


def names(data: bytes, *, source: str) -> list[str]:
    """Give the names of the columns."""
    return split_header(decodable(data, source=source))[1]


def pick(data: bytes, found: dict[str, str], *, source: str) -> pl.DataFrame:
    """Take columns out of a file as text, with the line on which each row ends."""
    data = decodable(data, source=source)
    return _read_careful(data, split_header(data)[0], found, source=source)


def split_header(data: bytes) -> tuple[str, list[str]]:
    """Give the character between cells, and the names in the header."""
    first = _first_line(data)
    usual = ";" if ";" in first and "," not in first else ","
    if not any(each in first for each in ",;"):
        usual = "\t"
    separator = next((each for each in _SEPARATORS if _is_header(_cells(first, each))), usual)
    return separator, _cells(first, separator)


def _first_row(data: bytes, separator: str) -> list[str]:
    """Give the cells of the row below the header, as far as they are on one line."""
    lines = [line for line in data[:LOOKED_AT].split(b"\n")[:-1] or [data] if line.strip()]
    return _cells(lines[1].decode(errors="replace").rstrip("\r"), separator) if len(lines) > 1 else []


def _first_line(data: bytes) -> str:
    for line in io.BytesIO(data[:LOOKED_AT].removeprefix(b"\xef\xbb\xbf")):
        if line.strip():
            return line.decode(errors="replace").rstrip("\r\n")
    return ""


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(_reader([line], separator), [])
    except csv.Error:  # no header, then
        return []


def _reader(lines: Iterable[str], separator: str) -> Reader:
    if separator == "\t":
        return csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=separator, strict=True)


def _is_header(cells: list[str]) -> bool:
    names = {cell.strip().casefold() for cell in cells}
    return all(names.intersection(RUN_COLUMNS[part]) for part in (QUERY, DOCUMENT))


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run or qrels from CSV or TSV."""
    data = decodable(data, source=source)
    separator, header = split_header(data)
    found = find_columns(header, kind, rank=rank, source=source, first=lambda: _first_row(data, separator))
    frame = None if lines else _read_plain(data, separator, header, found)
    if frame is not None:
        try:
            return tidy(frame, kind, source=source)
        except InputError:
            pass  # the careful road finds the same, and knows the line
    table = tidy(_read_careful(data, separator, found, source=source), kind, source=source)
    return table if lines else table.drop(LINE)


def _read_plain(data: bytes, separator: str, header: list[str], found: dict[str, str]) -> pl.DataFrame | None:
    """Read a file in which nothing is out of the ordinary; None when something is."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    mark = separator.encode()
    others = bytes(set(range(256)) - {*mark, *b'\r\n"'})
    marks = data.rstrip(b"\n").translate(None, others) + b"\n"
    one_line = mark * (len(header) - 1) + b"\n"
    lines, rest = divmod(len(marks), len(one_line))
    if rest or lines < 2 or len(set(header)) < len(header) or marks != one_line * lines:
        return None
    schema = dict.fromkeys(header, pl.String)
    scan = pl.scan_csv(data, separator=separator, has_header=True, quote_char=None, schema=schema)
    try:
        frame = scan.select(pl.col(theirs).alias(ours) for ours, theirs in found.items()).collect()
    except pl.exceptions.PolarsError:
        return None
    return frame if frame.height == lines - 1 and not any(column.null_count() for column in frame) else None


def _read_careful(data: bytes, separator: str, found: dict[str, str], *, source: str) -> pl.DataFrame:
    """Read any file row by row, with the line on which each row ends."""
    require_care(data, source=source)
    given = rows(data.decode(), separator, source=source)
    _, header = next(given)
    places = {ours: header.index(theirs) for ours, theirs in found.items()}
    columns: dict[str, list[str | None]] = {ours: [] for ours in found}
    lines: list[int] = []
    for line, row in given:
        if len(row) != len(header):
            raise InputError(
                f"{len(row)} cell{'s' * (len(row) != 1)}, but the header has {len(header)}", source=source, line=line
            )
        lines.append(line)
        for ours, place in places.items():
            columns[ours].append(row[place] or None)
    schema = dict.fromkeys(found, pl.String)
    return pl.DataFrame(columns, schema=schema).with_columns(pl.Series(LINE, lines, dtype=pl.Int64))


def rows(text: str, separator: str, *, source: str) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not empty, each with the line on which it ends."""
    reader = _reader(io.StringIO(text, newline=""), separator)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        problem = f"the quoting is broken: {error}"
        if "field larger" in problem:
            problem = f"a cell has more than {csv.field_size_limit():,} characters; is a quote left open?"
        raise InputError(problem, source=source, line=reader.line_num) from None


def write(table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
    """Write a table with a header: commas and quotes for ``.csv``, tabs for ``.tsv``."""
    if unpacked_name(source).casefold().endswith(".tsv"):
        _refuse_ids_with("\t\r\n\0", table, "TSV, where ids hold no tab and no line end", source)
        return table.write_csv(separator="\t", quote_style="never").encode()
    _refuse_ids_with("\0", table, "CSV, where ids hold no zero byte", source)
    return table.write_csv().encode()


def _refuse_ids_with(characters: str, table: pl.DataFrame, where: str, source: str) -> None:
    for column in (QUERY, DOCUMENT):
        wrong = table[column].filter(table[column].str.contains(f"[{characters}]"))
        if len(wrong):
            raise InputError(f"the {column} {wrong[0]!r} does not fit {where}; write .parquet", source=source)


FORMAT: Final = Format(
    "CSV and TSV",
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".csv", ".tsv"),
    named=NamedColumns(names, pick),
    names_any=names_any,
)
