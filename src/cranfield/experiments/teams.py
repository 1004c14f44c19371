"""The team of each run: a file with two columns, run and team."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from cranfield.formats import read_bytes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns

TEAM = "team"
COLUMNS = {RUN: (*RUN_EXTRAS[RUN], "runid"), TEAM: ("team", "participant", "group", "organisation", "organization")}


def read_teams(path: os.PathLike[str] | str, runs: Iterable[str]) -> list[str]:
    r"""Return the team of each run.

    Parameters
    ----------
    path
        A file with a line for each run: its name and its team, separated by a tab, a comma or
        spaces. Where the first line names the columns (run; team, participant or group), they may
        be any two of several.
    runs
        Names of the runs.

    Returns
    -------
    The teams, in the order of the runs. Other runs in the file are ignored.

    Raises
    ------
    InputError
        If a run is missing from the file, has two teams, or a line has too few cells.

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
    for line, run, team in _entries(read_bytes(path).decode("utf-8-sig", errors="replace"), source):
        if team_of.setdefault(run, team) != team:
            raise InputError(f"run {run!r} has team {team!r} here and {team_of[run]!r} above", source=source, line=line)
    runs = list(runs)
    missing = [run for run in runs if run not in team_of]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"no line for run {missing[0]!r}{more}; each run needs a team", source=source)
    return [team_of[run] for run in runs]


def _entries(text: str, source: str) -> Iterator[tuple[int, str, str]]:
    """Read line number, run and team of every line that has something."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines]
    places = (0, 1)
    if rows and _is_header(rows[0][1]):
        header = rows.pop(0)[1]
        found = match_columns(header, COLUMNS, source=source)
        places = (header.index(found[RUN]), header.index(found[TEAM]))
    for number, cells in rows:
        if len(cells) <= max(places):
            raise InputError(f"{len(cells)} cells; two are needed, a run and its team", source=source, line=number)
        yield number, cells[places[0]], cells[places[1]]


def _is_header(cells: list[str]) -> bool:
    names = {cell.casefold() for cell in cells}
    return all(names.intersection(known) for known in COLUMNS.values())


def _cells(line: str) -> list[str]:
    separator = next((character for character in "\t," if character in line), None)
    return [cell.strip() for cell in line.split(separator)]
