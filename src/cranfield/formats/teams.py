"""The team of each run, its kind or its priority: a file with two columns, run and team, and perhaps a third."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final

from cranfield.formats.loading import Loaded, load
from cranfield.formats.text import numbered_lines
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns

TEAM = "team"
KIND = "kind"
PRIORITY = "priority"
TEAM_COLUMNS = {
    TEAM: ("team", "participant", "group", "organisation", "organization"),
    KIND: ("kind", "type", "category", "class"),
    PRIORITY: ("priority", "prio", "preference"),
}
"""What the column may be called."""
PLACES = {TEAM: 1, KIND: 1, PRIORITY: 2}  # Where it stands, the run being at 0, if the columns have no names
_PRIORITY: Final = re.compile("[1-9][0-9]{0,8}")


def read_teams(path: os.PathLike[str] | str, runs: Iterable[str], what: str = TEAM) -> list[str]:
    """Return the team of each run, its kind or its priority."""
    source = os.fspath(path)
    team_of: dict[str, str] = {}
    for line, run, team in _entries(load(path), what):
        if team_of.setdefault(run, team) != team:
            raise InputError(
                f"run {run!r} has {what} {team!r} here and {team_of[run]!r} above", source=source, line=line
            )
    runs = list(runs)
    if missing := [run for run in runs if run not in team_of]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"no line for run {missing[0]!r}{more}; each run needs a {what}", source=source)
    return [team_of[run] for run in runs]


def read_priorities(path: os.PathLike[str] | str, runs: Iterable[str]) -> list[int]:
    """Return the priority of each run, a whole number from 1, the first to be judged."""
    runs = list(runs)
    found = read_teams(path, runs, PRIORITY)
    for run, priority in zip(runs, found, strict=True):
        if not _PRIORITY.fullmatch(priority):
            raise InputError(
                f"run {run!r} has priority {shown(priority)}; one is a whole number from 1", source=os.fspath(path)
            )
    return [int(priority) for priority in found]


def _entries(held: Loaded, what: str) -> Iterator[tuple[int, str, str]]:
    """Read line number, run and team (or kind) of every line that has something."""
    lines = list(numbered_lines(held.text))
    separator = next((character for character in "\t," if lines and character in lines[0][1]), None)
    given = held.rows(separator) if separator else [(n, line.split()) for n, line in lines]
    rows = [(number, _cells(row)) for number, row in given]
    places, known = (0, PLACES[what]), {RUN: (*RUN_EXTRAS[RUN], "runid"), what: TEAM_COLUMNS[what]}
    header: list[str] = []
    if rows and all({*map(str.casefold, rows[0][1])}.intersection(names) for names in known.values()):
        header = rows.pop(0)[1]
        found = match_columns(header, known, source=held.source)
        places = (header.index(found[RUN]), header.index(found[what]))
    for number, cells in rows:
        most = len(header) or (3 if separator == "\t" or _PRIORITY.fullmatch(cells[-1]) else 2)
        if len(cells) > most:
            meant = f"the header has {len(header)}" if header else f"a line is a run, its {what} and maybe a number"
            raise held.wrong(f"{len(cells)} cells, where {meant}; put tabs between names of several words", number)
        if len(cells) <= max(places):
            needed = "three are needed, a run, its team and" if places == (0, 2) else "two are needed, a run and"
            raise held.wrong(f"{len(cells)} cells; {needed} its {what}", number)
        yield number, cells[places[0]], cells[places[1]]


def _cells(row: list[str]) -> list[str]:
    """Return the cells of a row; empty ones at its end are none."""
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells
