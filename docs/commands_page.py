"""The page of commands, written from their declarations: what each does, its arguments and all its options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from cranfield.cli import main

_HEAD = """\
# Commands

Written from the declarations of the commands, which `cranfield COMMAND --help` shows too.

"""


def write_commands_page(target: Path) -> None:
    """Write the page, if it changed."""
    context = click.Context(main, info_name="cranfield")
    parts = [block for name in main.list_commands(context) for block in _command(context, name)]
    text = _HEAD + "\n\n".join(parts) + "\n"
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def _command(above: click.Context, name: str, level: int = 2) -> Iterator[str]:
    """Give the blocks of one command, and of the commands below it."""
    assert isinstance(above.command, click.Group)  # noqa: S101 - only groups have commands
    command = above.command.get_command(above, name)
    if command is None or command.hidden:
        return
    context = click.Context(command, above, info_name=name)
    yield f"{'#' * level} cranfield {context.command_path.partition(' ')[2]}"
    yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield from _paragraphs(command.help or "")
    options = [_option(option, context) for option in command.params if isinstance(option, click.Option)]
    if options:
        yield "\n".join(filter(None, options))
    if name == "experiment":
        yield "Each experiment is a command of its own, with the options that [its page](experiments.md) explains."
    elif isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _command(context, below, level + 1)


def _paragraphs(help_: str) -> Iterator[str]:
    """Give the text; what click is told not to wrap stands as it is."""
    for paragraph in inspect.cleandoc(help_).split("\n\n"):
        lines = paragraph.split("\n")
        yield "```text\n" + "\n".join(lines[1:]) + "\n```" if lines[0] == "\b" else _plain(" ".join(lines))


def _option(option: click.Option, context: click.Context) -> str:
    """Give one option as an item of a list; the words that it takes behind what it means."""
    record = option.get_help_record(context)
    if record is None:
        return ""
    names, meaning = record
    words = ""
    if names.endswith("]") and "|" in names:
        names, _, known = names.removesuffix("]").partition(" [")
        words = " One of " + ", ".join(f"`{word}`" for word in known.split("|")) + "."
    return f"- `{names}`: {_plain(meaning)}{words}"


def _plain(text: str) -> str:
    """Keep what is meant as it stands from being taken for markup."""
    for mark in "\\*_$<|":
        text = text.replace(mark, f"\\{mark}")
    return text
