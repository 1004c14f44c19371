"""A track small enough to be looked at by eye: three topics, three teams."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SETTINGS = """\
name = "Toy"
organisers = ["Ann Example"]
contact = "ann@example.org"
[collection]
topics = "topics.txt"
documents = "docids.txt"
[submissions]
teams = "teams.csv"
most_documents = 4
[measures]
measures = ["AP", "P@2"]
[pool]
depth = 2
[judgments]
files = ["qrels.txt"]
"""
RUNS = {"good": ("A", "abcd"), "fair": ("A", "bacx"), "poor": ("B", "xyza"), "odd": ("C", "cyab")}
GRADES = {"a": 1, "b": 1, "c": 0, "x": 0, "y": 0}


def lists(name: str, documents: str, topics: str = "123") -> str:
    """Write a run that has the same list for each topic, a letter a document."""
    lines = [f"{t} Q0 {d} {r} {9 - r} {name}\n" for t in topics for r, d in enumerate(documents, start=1)]
    return "".join(lines)


def begin(folder: Path, settings: str = SETTINGS, runs: Mapping[str, tuple[str, str]] = RUNS) -> Path:
    """Write the settings and all that they name."""
    files = {
        "track.toml": settings,
        "topics.txt": "1\n2\n3\n",
        "docids.txt": "".join(f"{d}\n" for d in "abcdxyz"),
        "teams.csv": "run,team\n" + "".join(f"{run},{team}\n" for run, (team, _) in runs.items()),
        "qrels.txt": "".join(f"{t} 0 {d} {g}\n" for t in "123" for d, g in GRADES.items()),
    }
    for name, (team, documents) in runs.items():
        files[f"submissions/{team}/{name}.txt"] = lists(name, documents)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
