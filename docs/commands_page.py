"""The pages of commands, written from their declarations: an index, and a page for each, with all its options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from cranfield.cli import COMMAND_GROUPS, main, purpose

_HEAD = """\
# Commands

A page for each command, with its arguments and all its options. `cranfield COMMAND --help-all` shows the same.

"""


_STATUSES = """\
## Exit status

| status | when |
|--:|---|
| 0 | The command is done. |
| 1 | Something was found: an error by `check`, a worse run by `gate`, a measure that does not conform by `conform`, \
or, with `--strict`, a warning of the audit. |
| 2 | The input cannot be used. One line says what was wrong, where, and what would be right. |
| 3 | `gate` is undecided. |
| 4 | The new run of `gate` is worse on the judged documents, and unjudged ones could reverse that. |
| 70 | A bug of cranfield's. The line says how to report it; `cranfield --debug ...` shows all. |
| 130, 143 | The command was interrupted (Ctrl-C) or terminated (SIGTERM). It says how to resume. |

A command ends within two seconds of Ctrl-C. Two calls of libraries take longer on very large data (27
November 2026, two processors): reading 150 MB of qrels of one topic without the native road, some 2 s,
and packing the four million rows of a judging task, 2.6 s.
"""


def write_commands_pages(docs: Path) -> None:
    """Write the pages, if they changed: the index, by groups, and a page for each command."""
    folder = docs / "commands"
    folder.mkdir(exist_ok=True)
    context = click.Context(main, info_name="cranfield")
    names = main.list_commands(context)
    pages = {folder / f"{name}.md": "\n\n".join(_command(context, name)) + "\n" for name in names}
    for target, text in {docs / "commands.md": _index(names), **pages}.items():
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def _index(names: list[str]) -> str:
    """List the commands as the help does, group by group."""
    purposes = {name: purpose(name) for name in names}
    groups = [{name: does for name, (of, does) in purposes.items() if of == group} for group in COMMAND_GROUPS]
    lists = [
        "\n".join(
            [f"## {title}\n", *(f"- [`{name}`](commands/{name}.md): {_plain(does)}" for name, does in group.items())]
        )
        for title, group in zip(COMMAND_GROUPS, groups, strict=True)
    ]
    listed = "\n".join(f"commands/{name}" for group in groups for name in group)
    return _HEAD + "\n\n".join([*lists, _STATUSES, f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"])


def _command(above: click.Context, name: str, level: int = 1) -> Iterator[str]:
    """Give the blocks of one command, and of the commands below it."""
    assert isinstance(above.command, click.Group)  # noqa: S101 - only groups have commands
    command = above.command.get_command(above, name)
    if command is None or command.hidden:
        return
    context = click.Context(command, above, info_name=name)
    yield f"{'#' * level} cranfield {context.command_path.partition(' ')[2]}"
    yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield from paragraphs(command.help or "")
    options = [_option(option, context) for option in command.params if isinstance(option, click.Option)]
    if options:
        yield "\n".join(filter(None, options))
    if name == "experiment":
        yield "Each experiment is a command of its own: see the pages of [experiments](../experiments.md)."
    elif isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _command(context, below, level + 1)


def paragraphs(help_: str) -> Iterator[str]:
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
    r"""Keep what is meant as it stands from being taken for markup, and set options as code, as commands are.

    >>> print(_plain("Not with --per-topic; see `cranfield trec_eval`, *this* a_b, 2 * 3."))
    Not with `--per-topic`; see `cranfield trec_eval`, *this* a\_b, 2 \* 3.
    """
    words, *quoted = text.split("`")
    return "`".join([_escaped(words), *(each if nth % 2 else _escaped(each) for nth, each in enumerate(quoted, 1))])


def _escaped(words: str) -> str:
    def marked(found: re.Match[str]) -> str:
        option, stressed, mark = found.groups()
        return f"`{option}`" if option else stressed or f"\\{mark}"

    return re.sub(r"(?<!\w)(--[a-z][a-z-]*[a-z])|(?<!\w)(\*\w[^*]*\*)(?!\w)|([\\*_$<|])", marked, words)
