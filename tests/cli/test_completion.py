"""What a shell offers while a command is typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from cranfield.cli import main


def offered(typed: str) -> list[tuple[str, str]]:
    """Return what is offered for the last word, and of what kind it is."""
    *before, last = typed.split(" ")
    shell = ShellComplete(main, {}, "cranfield", "_CRANFIELD_COMPLETE")
    return [(each.type, str(each.value)) for each in shell.get_completions(before, last)]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ev", ("plain", "evaluate")),
        ("evaluate qr", ("file", "qr")),
        ("evaluate qrels.txt ru", ("file", "ru")),
        ("evaluate -o sc", ("file", "sc")),
        ("evaluate --convention trec_", ("plain", "trec_eval")),
        ("evaluate --format la", ("plain", "latex")),
        ("evaluate -m nDC", ("plain", "nDCG")),
        ("curve DC", ("plain", "DCG")),
        ("measures Twi", ("plain", "Twist")),
        ("plot cert", ("plain", "certificate")),
        ("reproduce tw", ("plain", "twist")),
        ("select runs --method mt", ("plain", "mtc")),
        ("experiment asse", ("plain", "assessors")),
    ],
)
def test_names_and_files_are_offered(typed: str, found: tuple[str, str]) -> None:
    assert found in offered(typed)


def test_every_file_is_offered() -> None:
    """No parameter that is called a file goes without."""

    def below(command: click.Command, context: click.Context) -> list[click.Command]:
        if not isinstance(command, click.Group):
            return [command]
        found = (command.get_command(context, name) for name in command.list_commands(context))
        return [each for sub in found if sub is not None for each in below(sub, context)]

    context = click.Context(main)
    parameters = [(command.name, each) for command in below(main, context) for each in command.params]
    files = [(name, each) for name, each in parameters if each.metavar in {"FILE", "QRELS", "SAMPLE", "[NAME=]RUN..."}]
    assert len(files) > 60
    for name, each in files:
        assert [item.type for item in each.shell_complete(context, "x")] == ["file"], (name, each.name)


def test_bash_completes(tmp_path: Path) -> None:
    (tmp_path / "cranfield").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cranfield "$@"\n')
    (tmp_path / "cranfield").chmod(0o755)
    script = (
        'eval "$(_CRANFIELD_COMPLETE=bash_source cranfield)"\n'
        "COMP_WORDS=(cranfield plot certif) COMP_CWORD=2\n"
        '_cranfield_completion cranfield; echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True,
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stdout == "certificate\n", done.stderr
