"""The submissions of a track: which files there are, whose they are, and when they came."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cranfield.formats.content import run_name
from cranfield.formats.files import expand
from cranfield.formats.long_tables import read_table
from cranfield.formats.teams import COLUMNS, PRIORITY, TEAM
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns
from cranfield.track.settings import TrackSettings, day

_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
NOBODY: Final = ""
"""The team of a run of which nobody said whose it is."""
_RECEIVED: Final = "received"


@dataclass(frozen=True)
class Submission:
    """A file that was submitted.

    Attributes
    ----------
    run
        The name of the run: that of the file.
    team
        Whose it is.
    file
        Where it is.
    priority
        1 for the run that matters most to its team; runs without one come after those with one, by name.
    received
        The day it came, as in 2026-08-01, where that is known.
    """

    run: str
    team: str
    file: Path
    priority: int | None = None
    received: str = ""

    @property
    def place(self) -> tuple[bool, int, str]:
        """Where it stands among the runs of its team."""
        return self.priority is None, self.priority or 0, self.run


def submissions(folder: Path, settings: TrackSettings) -> list[Submission]:
    """List what was submitted, by team, the run first that matters most to it.

    A run belongs to the team that the file of teams names; where there is none, to the team whose folder it is in.
    A file ``submissions/TEAM/RUN.txt`` is a run; hidden files and plain papers (a README, a PDF) are not.

    Raises
    ------
    InputError
        Where there is no folder or nothing in it, or the file of teams cannot be read.
    """
    where = folder / settings.submissions.folder
    if not where.is_dir():
        raise InputError("there is no such folder; put the runs into it, a folder for each team", source=str(where))
    found = [(path.parent.name if path.parent != where else NOBODY, path) for path in _files(where)]
    if not found:
        raise InputError(
            "there is no submission in it; put the runs into it, a folder for each team", source=str(where)
        )
    if settings.submissions.teams is None:
        given = [Submission(_named(path), team, path) for team, path in found]
    else:
        table = _read_teams(folder / settings.submissions.teams)
        given = [_known(_named(path), team, path, table) for team, path in found]
    return sorted(given, key=lambda each: (each.team, each.place, str(each.file)))


def _named(path: Path) -> str:
    """Name a submission after its file, as runs are; answers are in files of JSON lines."""
    return run_name(path).removesuffix(".jsonl")


def _files(where: Path) -> list[Path]:
    inner = sorted(path for path in where.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    return [path for part in (where, *inner) for path in _in(part)]


def _in(folder: Path) -> list[Path]:
    if not any(path.is_file() for path in folder.iterdir()):
        return []
    try:
        return [path for path in expand([folder]) if path.is_file()]
    except InputError:  # nothing but a README
        return []


def _read_teams(path: Path) -> dict[str, tuple[str, int | None, str]]:
    """Read the file of teams: by run its team, its priority and when it came."""
    table, source = read_table(path, "teams"), str(path)
    wanted = {RUN: (*RUN_EXTRAS[RUN], "runid"), TEAM: COLUMNS[TEAM]}
    optional = {PRIORITY: COLUMNS[PRIORITY], _RECEIVED: (_RECEIVED,)}
    columns = match_columns(table.columns, wanted, optional=optional, source=source)
    rows = table.select(
        pl.col(theirs).cast(pl.String).str.strip_chars().alias(ours) for ours, theirs in columns.items()
    )
    teams: dict[str, tuple[str, int | None, str]] = {}
    for number, row in enumerate(rows.iter_rows(named=True), start=2):
        run, team = row[RUN] or "", row[TEAM] or ""
        if not run or not team:
            raise InputError("a line has a run and its team", source=source, line=number)
        if run in teams:
            raise InputError(f"run {run!r} has a line already", source=source, line=number)
        teams[run] = team, _whole(row.get(PRIORITY), source, number), _dated(row.get(_RECEIVED), source, number)
    return teams


def _whole(given: str | None, source: str, line: int) -> int | None:
    if not given:
        return None
    if not given.isascii() or not given.isdigit() or not int(given):
        raise InputError(f"a priority is a whole number from 1, not {shown(given)}", source=source, line=line)
    return int(given)


def _dated(given: str | None, source: str, line: int) -> str:
    try:
        return day("received", given).isoformat() if given else ""
    except InputError as error:
        raise InputError(error.problem, source=source, line=line) from None


def _known(run: str, folder: str, path: Path, table: dict[str, tuple[str, int | None, str]]) -> Submission:
    team, priority, received = table.get(run, (NOBODY, None, ""))
    return Submission(run, team or folder, path, priority, received)


def file_name(name: str) -> str:
    """Return a name for a file about a run or a team, whatever that is called; different names have different ones.

    >>> file_name("bm25.v2"), file_name("../x"), file_name("a b") == file_name("a_b")
    ('bm25.v2', 'x-...', False)
    """
    if _PLAIN.fullmatch(name):
        return name
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:60]
    return f"{plain or 'name'}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
