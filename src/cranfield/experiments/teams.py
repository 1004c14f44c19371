"""The team of each run, or its kind: a file with two columns, run and team."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from cranfield.formats import read_bytes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns

TEAM = "team"
KIND = "kind"
COLUMNS = {
    TEAM: ("team", "participant", "group", "organisation", "organization"),
    KIND: ("kind", "type", "category", "class"),
}
"""What the second column may be called."""


def read_teams(path: os.PathLike[str] | str, runs: Iterable[str], what: str = TEAM) -> list[str]:
    r"""Return the team of each run, or its kind.

    Parameters
    ----------
    path
        A file with a line for each run: its name and its team, separated by a tab, a comma or
        spaces. Where the first line names the columns (run; team, participant or group), they may
        be any two of several.
    runs
        Names of the runs.
    what
        What the file says of a run: "team" or "kind" (whose column may be called kind, type, category or class).

    Returns
    -------
    The teams or kinds, in the order of the runs. Other runs in the file are ignored.

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


def _entries(text: str, source: str, what: str) -> Iterator[tuple[int, str, str]]:
    """Read line number, run and team (or kind) of every line that has something."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines]
    places, known = (0, 1), {RUN: (*RUN_EXTRAS[RUN], "runid"), what: COLUMNS[what]}
    if rows and _is_header(rows[0][1], known):
        header = rows.pop(0)[1]
        found = match_columns(header, known, source=source)
        places = (header.index(found[RUN]), header.index(found[what]))
    for number, cells in rows:
        if len(cells) <= max(places):
            raise InputError(f"{len(cells)} cells; two are needed, a run and its {what}", source=source, line=number)
        yield number, cells[places[0]], cells[places[1]]


def _is_header(cells: list[str], known: Mapping[str, tuple[str, ...]]) -> bool:
    names = {cell.casefold() for cell in cells}
    return all(names.intersection(each) for each in known.values())


def _cells(line: str) -> list[str]:
    separator = next((character for character in "\t," if character in line), None)
    return [cell.strip() for cell in line.split(separator)]
