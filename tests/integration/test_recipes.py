"""The six recipes of the page on contributing work word for word, applied to a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "contributing.md"
RECIPES = PAGE.read_text(encoding="utf-8").partition("## Six recipes\n")[2].partition("\n## ")[0].split("\n### ")[1:]
OUTPUT = {
    "A measure": "0.3333",
    "A format of runs and qrels": "1.0000",
    "A test of differences": "trimmed t test",
    "An experiment": "shortest",
    "A figure": "",
    "A command": "r\t3\nlists\t3\n",
}


def apply(block: str, package: Path) -> None:
    """Write a block into its file, or above the line that it names."""
    head, _, body = block.partition("\n")
    path, _, before = head.removeprefix("# src/cranfield/").partition(", before: ")
    target = package / path
    if not before:
        assert not target.exists(), target
        target.write_text(body, encoding="utf-8")
        return
    text = target.read_text(encoding="utf-8")
    assert f"\n{before}" in text, (path, before)
    target.write_text(text.replace(f"\n{before}", f"\n{body}{before}", 1), encoding="utf-8")


@pytest.mark.integration
def test_recipes_word_for_word(tmp_path: Path) -> None:
    package = tmp_path / "src" / "cranfield"
    shutil.copytree(ROOT / "src" / "cranfield", package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "cranfield").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cranfield "$@"\n')
    (tmp_path / "cranfield").chmod(0o755)
    environment = os.environ | {"PYTHONPATH": str(package.parent), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert [recipe.partition("\n")[0] for recipe in RECIPES] == list(OUTPUT)
    for recipe in RECIPES:
        title = recipe.partition("\n")[0]
        blocks = re.findall(r"```{code-block} python\n(.*?)```", recipe, re.DOTALL)
        for block in blocks:
            apply(block, package)
        commands = re.findall(r"^\$ (.*)$", recipe, re.MULTILINE)
        done = subprocess.run(
            ["bash", "-c", "set -e\n" + "\n".join(commands)],
            cwd=tmp_path, capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, (title, done.stderr)
        assert OUTPUT[title] in done.stdout + done.stderr, (title, done.stdout)
    new = [line.split()[1] for line in PAGE.read_text().splitlines() if re.match(r"# src/cranfield/\S+$", line)]
    files = [str(package.parent / path.removeprefix("src/")) for path in new]
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "-n0", *files]
    done = subprocess.run(tests, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout
    for check in (["check"], ["format", "--check", "--line-length=88"]):
        linted = [sys.executable, "-m", "ruff", *check, "--config", str(ROOT / "pyproject.toml"), *files]
        done = subprocess.run(linted, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
