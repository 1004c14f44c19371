"""The team of each run, its kind or its priority: a file with two columns, run and team, and perhaps a third."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from cranfield.formats.files import read_bytes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns

TEAM = "team"
KIND = "kind"
PRIORITY = "priority"
COLUMNS = {
    TEAM: ("team", "participant", "group", "organisation", "organization"),
    KIND: ("kind", "type", "category", "class"),
    PRIORITY: ("priority", "prio", "preference"),
}
"""What the column may be called."""
PLACES = {TEAM: 1, KIND: 1, PRIORITY: 2}
"""Where it stands, the run being at 0, if the columns have no names."""


def read_teams(path: os.PathLike[str] | str, runs: Iterable[str], what: str = TEAM) -> list[str]:
    r"""Return the team of each run, its kind or its priority.

    Parameters
    ----------
    path
        A file with a line for each run: its name, its team and, where priorities are asked for, its
        priority, separated by a tab, a comma or spaces. Where the first line names the columns (run;
        team, participant or group; priority), they may be any of several.
    runs
        Names of the runs.
    what
        What the file says of a run: "team", "kind" (whose column may be called kind, type, category or class) or
        "priority".

    Returns
    -------
    The teams, kinds or priorities, in the order of the runs. Other runs in the file are ignored.

    Raises
    ------
    InputError
        If a run is missing from the file, has two of them, or a line has too few cells.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".tsv") as file:
    ...     _ = file.write(b"run\tparticipant\tn\nbm25\tBASELINE\t1\np_bert\th2oloo\t2\n"), file.flush()
    ...     read_teams(file.name, ["p_bert", "bm25"])
    ['h2oloo', 'BASELINE']
    """
    source = os.fspath(path)
    team_of: dict[str, str] = {}
    for line, run, team in _entries(read_bytes(path).decode("utf-8-sig", errors="replace"), source, what):
        if team_of.setdefault(run, team) != team:
            raise InputError(
                f"run {run!r} has {what} {team!r} here and {team_of[run]!r} above", source=source, line=line
            )
    runs = list(runs)
    missing = [run for run in runs if run not in team_of]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"no line for run {missing[0]!r}{more}; each run needs a {what}", source=source)
    return [team_of[run] for run in runs]


def read_priorities(path: os.PathLike[str] | str, runs: Iterable[str]) -> list[int]:
    r"""Return the priority of each run, a whole number from 1, the first to be judged.

    Raises
    ------
    InputError
        As `read_teams` does, or where a priority is another thing.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"bm25 BASELINE 1\np_bert h2oloo 2\n"), file.flush()
    ...     read_priorities(file.name, ["p_bert", "bm25"])
    [2, 1]
    """
    runs = list(runs)
    found = read_teams(path, runs, PRIORITY)
    for run, priority in zip(runs, found, strict=True):
        if not re.fullmatch("[1-9][0-9]{0,8}", priority):
            raise InputError(
                f"run {run!r} has priority {shown(priority)}; one is a whole number from 1", source=os.fspath(path)
            )
    return [int(priority) for priority in found]


def _entries(text: str, source: str, what: str) -> Iterator[tuple[int, str, str]]:
    """Read line number, run and team (or kind) of every line that has something."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines]
    places, known = (0, PLACES[what]), {RUN: (*RUN_EXTRAS[RUN], "runid"), what: COLUMNS[what]}
    if rows and _is_header(rows[0][1], known):
        header = rows.pop(0)[1]
        found = match_columns(header, known, source=source)
        places = (header.index(found[RUN]), header.index(found[what]))
    for number, cells in rows:
        if len(cells) <= max(places):
            needed = "three are needed, a run, its team and" if places == (0, 2) else "two are needed, a run and"
            raise InputError(f"{len(cells)} cells; {needed} its {what}", source=source, line=number)
        yield number, cells[places[0]], cells[places[1]]


def _is_header(cells: list[str], known: Mapping[str, tuple[str, ...]]) -> bool:
    names = {cell.casefold() for cell in cells}
    return all(names.intersection(each) for each in known.values())


def _cells(line: str) -> list[str]:
    separator = next((character for character in "\t," if character in line), None)
    return [cell.strip() for cell in line.split(separator)]
