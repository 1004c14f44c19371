"""A track to try the steps on: a simulated campaign as the submissions of a few teams, one of them broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cranfield.campaigns import Campaign, simulate
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.formats.trec import write
from cranfield.formats.writing import new_folder, refuse_taken, write_together
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.selection import Candidates
from cranfield.track.track_file import SETTINGS_FILE

SYSTEMS: Final = 12
_TOPICS: Final = 20
_DEPTH: Final = 100
_POOLED: Final = 20
DEADLINE: Final = "2026-08-01"
_README: Final = """\
THIS TRACK IS SIMULATED. No system was run, no document exists, and nobody judged anything.

track.toml         the settings
topics.txt         the topics
submissions/       runs, a folder for each team; {broken} is broken on purpose, {late} came late
teams.csv          the team of each run, its priority, and when it came
qrels.txt          the judgments

{campaign}
"""
_SETTINGS: Final = """\
# The settings of a simulated track. `cranfield track new FOLDER` writes a file that explains all there are.

name = "Simulated track"
organisers = ["An Organiser"]
contact = "track@example.org"
licence = "CC0-1.0"
year = 2026

[collection]
topics = "topics.txt"

[submissions]
teams = "teams.csv"
most_documents = {depth}
most_runs = 4
tolerated = ["missing topics"]       # such topics count 0

[measures]
measures = ["AP", "nDCG@10", "P@10"]

[pool]
depth = {pooled}
runs_per_team = 1
deadline = {deadline}

[judgments]
files = ["qrels.txt"]
"""


def demonstrate(folder: Path) -> list[Path]:
    """Write a simulated track: its settings, and every file that the settings name."""
    refuse_taken(folder)
    files = _files(simulate(SYSTEMS, _TOPICS, _DEPTH, pool_depth=_POOLED))
    with new_folder(folder, now=True) as aside:
        write_together(aside, {aside / name: data for name, data in files.items()})
    return [folder / name for name in files]


def _files(campaign: Campaign) -> dict[str, str | bytes]:
    names = campaign.names
    texts = {name: write(run, RUN_KIND, source=name, name=name).decode() for name, run in campaign.runs().items()}
    broken, late = [name for name in names if name.endswith("-b")][-1], names[-1]
    texts[broken] = _broken(texts[broken])
    teams = [_team(name) for name in names]
    priority = [1 + teams[:place].count(team) for place, team in enumerate(teams)]
    received = ["2026-08-09" if name == late else "2026-07-28" for name in names]
    lines = [",".join(map(str, row)) for row in zip(names, teams, priority, received, strict=True)]
    return {
        SETTINGS_FILE: _SETTINGS.format(depth=_DEPTH, pooled=_POOLED, deadline=DEADLINE),
        "README.txt": _README.format(broken=broken, late=late, campaign=campaign.description),
        "topics.txt": "".join(f"{topic}\n" for topic in campaign.topics),
        "teams.csv": "".join(f"{line}\n" for line in ["run,team,priority,received", *lines]),
        "qrels.txt": write(_judged(campaign, late), QRELS_KIND, source="qrels.txt", name="qrels"),
        **{f"submissions/{_team(name)}/{name}.txt": text for name, text in texts.items()},
    }


def _judged(campaign: Campaign, late: str) -> pl.DataFrame:
    """Return the judgments of the pool that the settings ask for: of the first run of each team that came in time."""
    firsts = {name: run for name, run in campaign.runs().items() if name.endswith("-a") and name != late}
    pool = Candidates.gather(firsts, order="trec9", depth=_POOLED)
    return campaign.qrels.join(pool.ids, on=[QUERY, DOCUMENT], how="semi", maintain_order="left")


def _team(run: str) -> str:
    """Return the team of a simulated run: ``alder`` of ``alder-a``."""
    return run.rpartition("-")[0]


def _broken(text: str) -> str:
    """Break a run in ways that teams break theirs: a document twice, no score, a topic that nobody asked."""
    lines = [line.split() for line in text.splitlines()]
    lines[1][2] = lines[0][2]
    lines[4][4] = "nan"
    lines += [["999", *line[1:]] for line in lines[:3] if line[4] != "nan"]
    return "".join(f"{' '.join(line)}\n" for line in lines)
