"""Folders of runs in many Parquet files, as Spark, Dask, DuckDB and polars write them, and collections of BEIR's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from cranfield.formats.columns import RUN_KIND
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.tables import QUERY, RUN, RUN_EXTRAS, match_columns

_PART: Final = re.compile(r"part[-._]?[0-9].*\.parquet", re.IGNORECASE)

_NOTHING: Final = "__HIVE_DEFAULT_PARTITION__"


def holds_parts(folder: Path) -> bool:
    """Say whether a folder holds parts rather than runs: files called ``part-...parquet`` and no others, or partitions.

    Partitions are folders called ``run=NAME`` or ``query_id=ID``, or by another name of these columns, in any depth.
    What begins with a dot or an underscore is not looked at.
    """
    files = [path for path in _visible(folder) if path.is_file()]
    if files:
        return all(_PART.fullmatch(path.name) for path in files)
    return any(set(given) & {RUN, QUERY} for _, given in parts_in(folder))


def qrels_in(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Give the judgments that a collection of BEIR's or MTEB's has in its folder ``qrels``; other paths stay."""
    try:
        folder = Path(path, "qrels")
        found = [each for each in _visible(folder) if each.is_file()] if folder.is_dir() else []
    except (OSError, ValueError):  # of which whoever reads it will speak
        return path
    if len(found) > 1:
        names = ", ".join(each.name for each in found)
        raise InputError(
            f"holds judgments of several splits ({names}): name one of the files, {folder / found[-1].name}",
            source=os.fspath(path),
        )
    return found[0] if found else path


def is_part(path: str | os.PathLike[str]) -> bool:
    """Say whether a file may be a part of a run, by its name."""
    return Path(path).name.casefold().endswith(".parquet")


def parts_in(folder: Path) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Go through the Parquet files of a folder and its partitions: each with what its folders say, by our names."""
    for path in _visible(folder):
        if path.is_file() and is_part(path):
            yield path, {}
        elif path.is_dir() and "=" in path.name:
            name, _, value = path.name.partition("=")
            of = match_columns([name], {}, optional={RUN: RUN_EXTRAS[RUN], QUERY: RUN_KIND.columns[QUERY]})
            here = dict.fromkeys(of, unquote(value))
            if here and value == _NOTHING:
                raise InputError(f"the folder's name has no value for {name}", source=str(path))
            yield from ((part, {**here, **given}) for part, given in parts_in(path))


def files_within(folder: Path) -> list[Path]:
    """List the visible files below a folder; none is read through a link that leads out of it."""
    found = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    for file in found:
        require_within(file, folder)
    return found


def leads_out(file: Path, folder: Path) -> bool:
    """Tell whether a file lies outside of a folder, or is a link to one that does."""
    return not file.resolve().is_relative_to(folder.resolve())


def require_within(file: Path, folder: Path) -> None:
    """Refuse a file that lies outside of a folder, or is a link to one that does."""
    if leads_out(file, folder):
        raise InputError(
            "is a link to a place outside its folder; put the file itself there", source=printable(str(file))
        )


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
