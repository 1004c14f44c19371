"""The action in `action.yml`: its script is run as GitHub's runner does, on a stand-in and on the command itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ACTION: Final = Path(__file__).parents[2] / "action.yml"
SHELL: Final = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""How a runner calls bash where an action says `shell: bash`."""

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="cannot do this here: there is no bash")


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(ACTION.read_text())
    return found


def run(folder: Path, step: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a step, where `cranfield` and `python` are what the folder's `bin` has of them."""
    read = action()
    [found] = [each for each in read["runs"]["steps"] if each["name"] == step]
    given = {name: each["default"] for name, each in read["inputs"].items()} | inputs
    context = {f"inputs.{name}": value for name, value in given.items()} | {"github.action_path": "/the/action"}
    variables = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: context[match[1]], value)
        for name, value in found["env"].items()
    }
    runner = {"GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    paths = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    script = folder / "script.sh"
    script.write_text(found["run"])
    return subprocess.run(
        [*SHELL, str(script)], cwd=folder, env=os.environ | paths | runner | variables, check=False,
        capture_output=True, text=True,
    )  # fmt: skip


def program(folder: Path, name: str, script: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)


def outputs(folder: Path) -> dict[str, str]:
    """Read what a step put out, as a runner does: lines NAME=VALUE, and NAME<<END up to END."""
    found = dict[str, str]()
    lines = iter((folder / "output").read_text().splitlines())
    for line in lines:
        name, sign, value = re.fullmatch(r"([\w-]+)(=|<<)(.*)", line).groups()  # type: ignore[union-attr]
        found[name] = value if sign == "=" else "\n".join(iter(lines.__next__, value))
    return found


STAND_IN: Final = 'for each in "$@"; do echo "$each" >> asked; done\necho "**verdict**"; echo "a | b"\nexit {status}\n'


@pytest.mark.parametrize(("status", "ends", "says"), [
    (0, 0, ""), (1, 1, ""), (2, 2, ""), (3, 0, "::warning::undecided: add topics\n"),
    (4, 0, "::warning::undecided: unjudged documents could reverse the verdict\n"),
])  # fmt: skip
def test_what_the_gate_says_is_passed_on(tmp_path: Path, status: int, ends: int, says: str) -> None:
    program(tmp_path, "cranfield", STAND_IN.format(status=status))
    done = run(tmp_path, "Is it worse?", qrels="q.txt", base="a.run", new="b.run")
    assert (done.returncode, done.stdout, done.stderr) == (ends, says, "")
    assert outputs(tmp_path) == {
        "status": str(status), "comment-file": "cranfield-gate.md", "comment": "**verdict**\na | b",
    }  # fmt: skip
    assert outputs(tmp_path).keys() == action()["outputs"].keys()
    assert (tmp_path / "summary").read_text() == (tmp_path / "cranfield-gate.md").read_text() == "**verdict**\na | b\n"


def test_inputs_are_words_and_no_code(tmp_path: Path) -> None:
    program(tmp_path, "cranfield", STAND_IN.format(status=0))
    run(
        tmp_path, "Is it worse?", qrels="$(touch made)", base="a b.run", new="`touch made`;c.run",
        measures="nDCG@10  RR\nRBP(p=0.8)", margin="2%", settings="gate.toml", undecided="pass", unjudged="fail",
        arguments="--groups g.csv", comment="said.md",
    )  # fmt: skip
    assert (tmp_path / "asked").read_text().splitlines() == [
        "gate", "$(touch made)", "a b.run", "`touch made`;c.run", "-m", "nDCG@10", "-m", "RR", "-m", "RBP(p=0.8)",
        "--margin", "2%", "--settings", "gate.toml", "--on-undecided", "pass", "--on-unjudged", "fail",
        "--groups", "g.csv", "--format", "markdown",
    ]  # fmt: skip
    assert not (tmp_path / "made").exists()
    assert (tmp_path / "said.md").exists()


def test_scores_take_the_place_of_runs(tmp_path: Path) -> None:
    program(tmp_path, "cranfield", STAND_IN.format(status=0))
    run(tmp_path, "Is it worse?", scores="scores.csv")
    assert (tmp_path / "asked").read_text().split() == ["gate", "--scores", "scores.csv", "--format", "markdown"]


@pytest.mark.parametrize(("given", "installed"), [("action", "/the/action"), ("cranfield==0.9", "cranfield==0.9")])
def test_what_is_installed(tmp_path: Path, given: str, installed: str) -> None:
    program(tmp_path, "python", 'echo "$@"\n')
    done = run(tmp_path, "Install cranfield", package=given)
    assert (done.returncode, done.stdout) == (0, f"-m pip install --quiet {installed}\n")


def test_no_expression_stands_in_a_script() -> None:
    """What stands there is code, and inputs come from pull requests."""
    assert not [step["name"] for step in action()["runs"]["steps"] if "${{" in step["run"]]


@pytest.mark.integration
def test_the_gate_itself(tmp_path: Path) -> None:
    program(tmp_path, "cranfield", f'exec "{sys.executable}" -m cranfield "$@"\n')
    topics = [str(n) for n in range(12)]
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in topics))
    for name, order in (("old", "ab"), ("new", "ba")):
        rows = (f"{t} Q0 {d} {r} {9 - r} {name}\n" for t in topics for r, d in enumerate(order, 1))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    worse = run(tmp_path, "Is it worse?", qrels="qrels.txt", base="old.run", new="new.run", measures="RR")
    assert worse.returncode == 1
    assert outputs(tmp_path)["comment"].startswith("**new must not replace old: worse in RR")
    assert "| RR " in (tmp_path / "summary").read_text()
    same = run(tmp_path, "Is it worse?", qrels="qrels.txt", base="new.run", new="old.run", measures="RR", margin="0")
    assert same.returncode == 0
    wrong = run(tmp_path, "Is it worse?", qrels="nowhere.txt", base="new.run", new="old.run")
    assert (wrong.returncode, wrong.stderr.strip()) == (2, "cranfield: nowhere.txt: no such file")
