"""The submissions of a track: which files there are, whose they are, and when they came."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, TypeAlias

from cranfield.formats.content import run_name
from cranfield.formats.files import plainly_no_run, unpacked_name
from cranfield.formats.folders import holds_parts, leads_out
from cranfield.formats.long_tables import read_table
from cranfield.formats.records import placed
from cranfield.formats.teams import PRIORITY, TEAM, TEAM_COLUMNS
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import RUN, RUN_EXTRAS, match_columns
from cranfield.track.archives import UNPACKED as ARCHIVES
from cranfield.track.archives import forget_others, is_archive, unpacked
from cranfield.track.steps import file_digest
from cranfield.track.track_file import TrackSettings, day

_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
NO_TEAM: Final = ""
"""The team of a run of which nobody said whose it is."""
_RECEIVED: Final = "received"


@dataclass(frozen=True)
class Submission:
    """A file that was submitted as a run, which is called as the file is."""

    run: str
    team: str
    file: Path
    priority: int | None = None
    """1 for the run that matters most to its team; runs without one come after those with one, by name."""
    received: str = ""  # The day it came, as in 2026-08-01, where that is known
    shown: str = ""  # What its team calls the file; of one in an archive, the archive first
    problem: str = ""  # Why it cannot be looked at, if it cannot

    @property
    def place(self) -> tuple[bool, int, str, str]:
        """Where it stands among the runs of its team."""
        return self.priority is None, self.priority or 0, self.run, self.shown


class NoRun(NamedTuple):
    """A file that is not looked at as a run: what it is called, whose folder it is in, and why."""

    shown: str
    team: str
    why: str


class Received(NamedTuple):
    """All files of the folder of submissions: those that are runs, or should be, and the others."""

    runs: list[Submission]
    others: list[NoRun]


def received(folder: Path, settings: TrackSettings) -> Received:
    """List runs by team (of their folder, else of the file of teams) and priority; and other files, with the reason."""
    where = folder / settings.submissions.folder
    if not where.is_dir():
        raise InputError("no such folder; make it, with a folder of runs for each team", source=str(where))
    if folder.resolve().is_relative_to(where.resolve()):
        raise InputError("it contains the track; give the submissions a separate folder", source=str(where))
    path = settings.submissions.teams
    teams = {} if path is None else _read_teams(folder / path)
    found: list[Submission] = []
    others: list[NoRun] = []
    archives: set[str] = set()
    for each in _walked(where, folder, NO_TEAM):
        if isinstance(each, NoRun):
            others.append(each)
        elif not each.problem and is_archive(each.file):
            digest = (file_digest(each.file) or "")[:16]
            archives.add(digest)
            found += _members(each, folder / ARCHIVES / digest)
        else:
            found.append(each)
    forget_others(folder, archives)
    if not found:
        raise InputError("it holds no submission; put the runs into it, with a folder for each team", source=str(where))
    names, runs = {team for of_run in teams.values() for team in of_run}, []
    for each in found:  # of the team in whose folder it is, or of the one that the file of teams names
        given = teams.get(each.run, {})
        team = next(iter(given)) if len(given) == 1 and each.team not in names else each.team
        priority, came = given.get(team, (None, ""))
        runs.append(replace(each, team=team, priority=priority, received=came))
    return Received(sorted(runs, key=lambda each: (each.team, each.place)), others)


LEADS_OUT: Final = "it is a link to a place outside its folder: send the file itself"


def _walked(where: Path, folder: Path, team: str) -> Iterator[Submission | NoRun]:
    """Go through a folder and those in it; one that holds the parts of a run is a file."""
    for path in sorted(where.iterdir()):
        name, shown = storable(path.name), storable(path.relative_to(folder).as_posix())
        if path.name.startswith(".") or path.name == "__MACOSX":
            yield NoRun(shown, team, "hidden")
        elif path.is_dir() and not holds_parts(path):
            if team and path.is_symlink():
                problem = "it is a link to a folder: send the files in it"
                yield Submission(run_name(name), team, path, shown=shown, problem=problem)
            elif team or not path.name.startswith("_"):
                yield from _walked(path, folder, team or name)
            else:
                yield NoRun(shown, team, "a folder of your own: its name begins with _")
        elif plainly_no_run(path) and not storable(unpacked_name(path)).casefold().endswith(".json"):
            yield NoRun(shown, team, "its name is not that of a run")
        else:
            problem = LEADS_OUT if leads_out(path, folder) else ""
            if not (path.is_file() or path.is_dir()) or not os.access(path, os.R_OK):
                problem = "it is not a readable file"
            yield Submission(run_name(name), team, path, shown=shown, problem=problem)


def _members(archive: Submission, to: Path) -> Iterator[Submission]:
    """List the files of an archive; one that is empty, or cannot be unpacked, counts as a run that is wrong."""
    try:
        members = unpacked(archive.file, to)
        problem = "" if members else "the archive holds no file"
    except InputError as error:
        members, problem = [], error.problem
    if problem:
        yield replace(archive, problem=problem)
    for each in members:
        run, shown = run_name(PurePosixPath(each.name).name), f"{archive.shown}: {each.name}"
        yield Submission(run, archive.team, to / each.file, shown=shown, problem=each.problem and f"it {each.problem}")


_Teams: TypeAlias = dict[str, dict[str, tuple[int | None, str]]]
"""By run, by team: its priority, and when it came."""


def _read_teams(path: Path) -> _Teams:
    """Read the file of teams; two teams may give a run the same name, and each has a line then."""
    table, source = read_table(path, "teams"), str(path)
    wanted = {RUN: (*RUN_EXTRAS[RUN], "runid"), TEAM: TEAM_COLUMNS[TEAM]}
    optional = {PRIORITY: TEAM_COLUMNS[PRIORITY], _RECEIVED: (_RECEIVED,)}
    columns = match_columns(table.columns, wanted, optional=optional, source=source)
    texts = (pl.col(theirs).cast(pl.String).str.strip_chars().alias(ours) for ours, theirs in columns.items())
    rows = table.select(texts)
    teams: _Teams = {}
    for number, row in enumerate(rows.iter_rows(named=True), start=2):
        run, team = row[RUN] or "", row[TEAM] or ""
        priority, came = row.get(PRIORITY), row.get(_RECEIVED)
        with placed(source, number):
            if not run or not team:
                raise InputError("a line has a run and its team")
            if team in teams.setdefault(run, {}):
                raise InputError(f"run {run!r} of team {team!r} already has a line")
            if priority and not (priority.isascii() and priority.isdigit() and int(priority)):
                raise InputError(f"a priority is a whole number from 1, not {shown(priority)}")
            received_on = day("received", came).isoformat() if came else ""
        teams[run][team] = int(priority) if priority else None, received_on
    return teams


def file_name(name: str) -> str:
    """Return a name for a file about a run or a team, whatever that is called; different names have different ones.

    >>> file_name("bm25.v2"), file_name("../x"), file_name("a b") == file_name("a_b")
    ('bm25.v2', 'x-...', False)
    """
    if _PLAIN.fullmatch(name):
        return name
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:60]
    return f"{plain or 'name'}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
