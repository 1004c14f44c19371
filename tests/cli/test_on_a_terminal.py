"""What a person sees at a terminal: colours, the caption below the table, and nothing said twice."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in range(1, 7)))
    for run, order in (("good", "ab"), ("poor", "ba")):
        lines = [f"{t} Q0 {d} {i} {9 - i} {run}\n" for t in range(1, 7) for i, d in enumerate(order, 1)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def at_a_terminal(*arguments: str, columns: int = 100) -> tuple[str, str]:
    """Run a command whose standard output is a terminal; return what it shows, and stderr."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cranfield", *arguments]
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    found = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, check=True, env=environment)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    return shown.replace("\r\n", "\n"), found.stderr


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]


def test_scores(here: Path) -> None:
    shown, said = at_a_terminal("evaluate", "qrels.txt", "poor.run", "good.run", "-m", "RR", "-m", "NumRet", "--sort")
    assert plain(shown) == [
        "good has the best RR of 2 runs: 1.0000 over 6 topics, 0.5000 ahead of poor.",
        "Next: cranfield compare qrels.txt poor.run good.run -m RR -m NumRet",
        "",
        "run        RR   NumRet",
        "──────────────────────",
        "good   1.0000       12",
        "poor   0.5000       12",
        "",
        "Averages over 6 topics. Best in bold.",
    ]
    assert "\x1b[1;32m1.0000\x1b[0m" in shown
    assert shown.count("\x1b[1;32m") == 1  # no count is the best
    assert said == "audit: 2 runs, 6 topics\naudit: all of the top 100 judged\n"


def test_scores_open_only_where_several_runs_have_averages(here: Path) -> None:
    shown, _ = at_a_terminal("evaluate", "qrels.txt", "good.run", "-m", "RR")
    assert plain(shown)[0].split() == ["run", "RR"]
    shown, _ = at_a_terminal("evaluate", "qrels.txt", "good.run", "poor.run", "-m", "RR", "-q")
    assert plain(shown)[0].split() == ["run", "topic", "RR"]
    shown, _ = at_a_terminal("evaluate", "qrels.txt", "good.run", "poor.run", "-m", "official")
    assert plain(shown)[0].startswith("good has the best AP of 2 runs") and not plain(shown)[1]


def test_the_next_command_names_columns_as_this_one_did_and_runs(here: Path) -> None:
    (here / "q.csv").write_text("q,paper,grade\n" + "".join(f"{t},d{d},{d % 2}\n" for t in range(6) for d in range(4)))
    for run in "ab":
        lines = "".join(f"{t},d{d},{d if run == 'a' else -d}\n" for t in range(6) for d in range(4))
        (here / f"{run}.csv").write_text(f"q,paper,points\n{lines}")
    asked = ["q.csv", "b.csv", "a.csv", "-m", "AP", "--columns", "query_id=q,doc_id=paper,relevance=grade,score=points"]
    for command in ("evaluate", "compare", "gate"):
        shown, _ = at_a_terminal(command, *asked)
        [following] = [line for line in plain(shown) if line.startswith("Next: cranfield ")]
        asked = shlex.split(following.removeprefix("Next: cranfield "))[1:]
        assert asked[-2:] == ["--columns", "query_id=q, doc_id=paper, relevance=grade, score=points"]
        assert "contribution" in at_a_terminal("why", *asked)[0]


def test_a_comparison_says_its_test_below_the_table_and_not_again(here: Path) -> None:
    asked = ("compare", "qrels.txt", "poor.run", "good.run", "-m", "RR", "--test", "sign", "--no-audit")
    shown, said = at_a_terminal(*asked)
    lines = plain(shown)
    assert lines[0] == "good leads poor by 0.5000 in RR: a significant difference."
    assert lines[4].startswith("Next: cranfield why qrels.txt poor.run good.run")
    assert lines[6:10] == [
        "    run        RR",
        "───────────────────",
        "a   poor   0.5000",
        "b   good   1.0000 a",
    ]
    assert "Letters: significantly better than the run of that letter (sign test" in " ".join(plain(shown))
    assert "Letters" not in said


def test_quiet_leaves_the_table(here: Path) -> None:
    shown, said = at_a_terminal("evaluate", "qrels.txt", "good.run", "-m", "RR", "--quiet")
    assert plain(shown)[-1] == "good   1.0000"
    assert said == ""
