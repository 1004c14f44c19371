"""The man page says what there is, and troff takes it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cranfield.cli import main

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the tools are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from tools import write_man  # noqa: E402


def test_the_page_is_up_to_date() -> None:
    assert write_man.PAGE.read_text(encoding="utf-8") == write_man.page(), "out of date: run python -m tools.write_man"


def test_every_command_is_on_the_page() -> None:
    lines = write_man.page().splitlines()
    for name in main.list_commands(click.Context(main)):
        assert lines.count(f".B {name}") == 1, name


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff here")
def test_troff_takes_it() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", str(write_man.PAGE)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "evaluate ranked retrieval" in done.stdout
