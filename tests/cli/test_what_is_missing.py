"""Where something is missing: libraries that a small installation leaves out, and what only POSIX has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import requires
from pathlib import Path

import pytest

from cranfield.cli._ending import DEPENDENCIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")

LEFT_OUT = {"narwhals", "polars", "scipy", "threadpoolctl", "zstandard"}
"""What docs/installing.md leaves out of a small installation."""
POSIX = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "readline"}
"""Modules that Windows lacks, of those that anything here could import."""

TRIED = {
    "evaluate": ("qrels.txt", "one.run", "two.run", "-m", "nDCG@10", "-m", "AP"),
    "trec_eval": ("qrels.txt", "one.run"),
    "evidence": ("spans.csv", "chunks.csv"),
    "measures": ("AP",),
    "curve": ("-m", "nDCG", "qrels.txt", "one.run", "two.run"),
}
"""What a small installation does, by the page."""
REFUSED: dict[str, list[tuple[str, ...]]] = {
    "polars": [
        ("trace", "qrels.txt", "one.run"),
        ("ties", "qrels.txt", "one.run"),
        ("gate", "qrels.txt", "one.run", "two.run"),
        ("select", "one.run"),
    ],
    "scipy": [("compare", "qrels.txt", "one.run", "two.run", "--test", "t")],
    "zstandard": [("evaluate", "qrels.txt", "one.run", "-o", "out.csv.zst")],
}
"""Calls that need what is missing, by what they name."""

FILES = {
    "qrels.txt": "1 0 a 2\n1 0 b 0\n2 0 a 1\n",
    "one.run": "1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n2 Q0 a 1 2 one\n",
    "two.run": "1 Q0 b 1 2 two\n2 Q0 a 1 2 two\n",
    "spans.csv": "topic,document,start,end,grade\n1,a,0,9,1\n",
    "chunks.csv": "topic,document,start,end,score\n1,a,0,5,1\n",
}

CALLS = """
import json, os, signal, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

import asyncio  # Python's own: it goes by what sockets can do, which we leave as it is

missing, calls, posix = json.loads(sys.argv[1])
for name in posix:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
for name in missing:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())

from click.testing import CliRunner
from cranfield.cli import main

ends = [CliRunner().invoke(main, call) for call in calls]
print(json.dumps([[end.exit_code, end.stdout, end.stderr] for end in ends]))
"""
POSIX_NAMES = (
    *("fork", "forkpty", "register_at_fork", "getuid", "geteuid", "getgid", "nice", "sysconf", "sysconf_names"),
    *("getloadavg", "killpg", "setsid", "mkfifo", "chown", "fchmod", "pread"),
    *("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGCHLD", "alarm", "setitimer", "pthread_sigmask"),
)
"""Names of ``os`` and ``signal`` that Windows lacks."""


def ended(folder: Path, missing: set[str], calls: list[tuple[str, ...]], *posix: str) -> list[tuple[int, str, str]]:
    """Run calls, one after the other, in a Python that lacks modules and names; say how each ends, and what it says."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    asked = json.dumps([sorted(missing), calls, posix])
    done = subprocess.run([sys.executable, "-c", CALLS, asked], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [tuple(each) for each in json.loads(done.stdout)]


@cache
def page_says(section: str) -> str:
    """Return a section of the page on installing."""
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found, section
    return found[1]


def test_the_dependencies_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {re.split(r"\W", each)[0] for each in project["dependencies"]} == {*DEPENDENCIES, "click"}


def test_a_small_installation(tmp_path: Path) -> None:
    """What is left out is named by whatever needs it; the rest says what it says in a whole installation."""
    done = [(name, *arguments) for name, arguments in TRIED.items()]
    refused = [(library, call) for library, calls in REFUSED.items() for call in calls]
    ends = ended(tmp_path, LEFT_OUT, [*done, *(call for _, call in refused)])
    assert ends[: len(done)] == ended(tmp_path, set(), done)
    assert all(status == 0 and said for status, said, _ in ends[: len(done)])
    for (library, call), (status, said, told) in zip(refused, ends[len(done) :], strict=True):
        line = f"cranfield: this needs {library}, which is not installed: pip install {library}\n"
        assert (call, status, said, told) == (call, 2, "", line)
    assert not (tmp_path / "out.csv.zst").exists()


def test_the_page_says_what_a_small_installation_does() -> None:
    section = page_says("A small installation")
    [recipe] = re.findall(r"^python -m pip install --no-deps \. ([a-z -]+)$", section, re.MULTILINE)
    named = {*DEPENDENCIES, "click"} - LEFT_OUT
    for name in recipe.split():  # nothing brings what it needs
        asked = [each for each in requires(name) or () if ";" not in each]
        named |= {re.split(r"[^\w-]", each)[0].casefold() for each in asked}
    assert set(recipe.split()) == named
    [commands] = re.findall(r"These commands work:\s(.*?)\.\s", section, re.DOTALL)
    assert set(re.findall(r"`([a-z_]+)`", commands)) == set(TRIED)


def test_what_only_posix_has(tmp_path: Path) -> None:
    """Everything can be imported without it, and runs are evaluated; writing a judging task says what it needs."""
    evaluated = ("evaluate", *TRIED["evaluate"])
    calls = [evaluated, ("judge", "new", "task", "--runs", "one.run", "two.run")]
    [scored, refused] = ended(tmp_path, POSIX, calls, *POSIX_NAMES)
    assert scored == ended(tmp_path, set(), [evaluated])[0]
    assert refused[0] == 2
    assert refused[2].startswith("cranfield: judging tasks need a file lock that this system lacks")
    assert not (tmp_path / "task").exists()


@pytest.mark.integration
def test_every_module_is_imported_without_posix() -> None:
    code = f"""
import importlib, pkgutil, sys
for name in {sorted(POSIX)}:
    sys.modules[name] = None
import cranfield
for module in pkgutil.walk_packages(cranfield.__path__, "cranfield."):
    if not module.name.endswith("__main__"):  # which ends Python
        importlib.import_module(module.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
