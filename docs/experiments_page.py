"""The pages of experiments, written from their declarations: an index, and each one's options and tables."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args, get_origin

import click
from commands_page import paragraphs

from cranfield.cli.experiment import command as experiment_command
from cranfield.experiments import EXPERIMENTS, Experiment
from cranfield.experiments.declared import Column, Table
from cranfield.experiments.experiment import Option
from cranfield.plumbing.options import kind_of, one_of

_HEAD = """\
# Experiments

A page for each of the {count} experiments, with its options and its tables. `cranfield experiment NAME --help` shows
the options. Every experiment takes the lowest relevant grade (`--rel`), which also decides which runs are best by AP.

Tables and columns come in the order of the pages. With several collections (`--also`) every table begins with the
column `collection`; tables marked *side by side* show one column per collection instead.

A column is a text, a number, a whole number, or yes or no. A number that does not exist is null (an empty cell in CSV).
`Findings.read(folder)` reads the tables back, with their types.

| experiment | question |
|---|---|
{rows}

```{{toctree}}
:hidden:

{pages}
```
"""


def write_experiments_pages(docs: Path) -> None:
    """Write the pages, if they changed: the index, and a page for each experiment."""
    folder = docs / "experiments"
    folder.mkdir(exist_ok=True)
    names = sorted(EXPERIMENTS)
    index = _HEAD.format(
        count=len(names),
        rows="\n".join(f"| [`{name}`](experiments/{name}.md) | {EXPERIMENTS[name].question} |" for name in names),
        pages="\n".join(f"experiments/{name}" for name in names),
    )
    pages = {folder / f"{name}.md": "\n".join(_page(EXPERIMENTS[name])) for name in names}
    for target, text in {docs / "experiments.md": index, **pages}.items():
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def _page(experiment: Experiment) -> Iterator[str]:
    docstring = experiment.function.__doc__ or ""
    command = experiment_command.get_command(click.Context(experiment_command), experiment.name)
    assert command is not None  # noqa: S101 - every experiment is a command
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    yield f"# Experiment: {experiment.name}\n\n*{experiment.question}*\n"
    yield f"```text\ncranfield experiment {experiment.name} {usage}\n```\n"
    yield from (f"{paragraph}\n" for paragraph in [*paragraphs(command.help or "")][1:])
    if experiment.measures:
        yield f"Measures, if none are named: {', '.join(f'`{name}`' for name in experiment.measures)}.\n"
    if experiment.options:
        yield "Options:\n"
        yield from (_option(option) for option in experiment.options)
        yield ""
    for table in experiment.tables.values():
        yield from _table(table)
    for name, layout in experiment.side_by_side.items():
        marked = f", marked by `{layout.mark}`" if layout.mark else ""
        yield f"Side by side: of **{name}** {', '.join(f'`{value}`' for value in layout.values)}{marked}.\n"
    yield f"Paper: {_paper(docstring)}\n"


def _option(option: Option) -> str:
    default = ",".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    usual = "" if default in {None, ""} else f", by default `{default}`"
    flag, values = option.name.replace("_", "-"), _values(option.annotation, of_measures=option.of_measures)
    return f"- `--{flag}` ({values}{usual}): {option.meaning}"


def _table(table: Table) -> Iterator[str]:
    """Give a table, neighbouring columns with the same meaning, or with none, in one item."""
    yield f"Table **{table.name}**: {table.meaning}\n"
    for meaning, columns in groupby(table.columns, lambda column: column.meaning):
        kinds = groupby(columns, lambda column: (column.kind, column.optional))
        named = [
            f"{', '.join(map(_named, alike))} ({kind}{', not always there' if optional else ''})"
            for (kind, optional), alike in kinds
        ]
        yield f"- {', '.join(named)}{f': {meaning}' if meaning else ''}"
    yield ""


def _named(column: Column) -> str:
    return f"a column for each {column.name[1:-1]}" if column.many else f"`{column.name}`"


def _values(annotation: object, *, of_measures: bool) -> str:
    """Say in words what an option takes."""
    if of_measures:
        return "measures"
    one, several = one_of(annotation)
    kind, limits = kind_of(one)
    if get_origin(kind) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(kind))
    if kind is Path:
        return "files" if several else "a file"
    noun = {int: "whole numbers" if several else "a whole number", float: "numbers" if several else "a number"}
    return " ".join([noun.get(kind, "yes or no" if kind is bool else "text"), limits.words]).strip()


def _paper(docstring: str) -> str:
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return next(" ".join(paragraph.split())[7:] for paragraph in paragraphs if paragraph.startswith("Paper: "))
