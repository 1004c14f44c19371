"""What a command reads and what it writes: no output may be an input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from cranfield.cli._kinds import ParamType

if TYPE_CHECKING:
    from cranfield.formats.files import FilePath


class FileRead(ParamType):
    """A file that is read."""

    name = "file"

    def files_read(self, value: str) -> Sequence[FilePath]:
        """Name the files that the text stands for."""
        return [value]


class RunsRead(FileRead):
    """Runs that are read: a file, a folder or a glob, with ``NAME=`` before it if one likes."""

    name = "run"

    def files_read(self, value: str) -> Sequence[FilePath]:
        """Name all files."""
        from cranfield.formats import files_of

        return files_of([value])


class FileWritten(ParamType):
    """A file that is written."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a folder before anything is done."""
        from cranfield.formats import refuse_folder

        del param, ctx
        refuse_folder(value)
        return value


class Command(click.Command):
    """A command that overwrites nothing that it reads, and knows the user's own measures before it begins."""

    def invoke(self, ctx: click.Context) -> object:
        """Check what is written, load what is needed, and do it."""
        refuse_inputs(_written(ctx), ctx)
        _load_measures(ctx.params.pop("measures_from", ()))
        return super().invoke(ctx)


def refuse_inputs(written: Iterable[FilePath], ctx: click.Context | None = None) -> None:
    """Refuse to write any of these files if the command that was called reads it."""
    from cranfield.formats import refuse_overwriting

    written = list(written)
    if written:
        refuse_overwriting(written, list(_read(ctx or click.get_current_context())))


def _read(ctx: click.Context) -> Iterator[FilePath]:
    """Name all files that are read, by what the parameters of the command were given."""
    for parameter in ctx.command.params:
        if hasattr(parameter.type, "files_read"):
            for value in _values(ctx, parameter):
                yield from parameter.type.files_read(value)


def _written(ctx: click.Context) -> Iterator[FilePath]:
    for parameter in ctx.command.params:
        if isinstance(parameter.type, FileWritten):
            yield from (value for value in _values(ctx, parameter) if value != "-")


def _values(ctx: click.Context, parameter: click.Parameter) -> tuple[FilePath, ...]:
    value = ctx.params.get(parameter.name or "")
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _load_measures(files: tuple[str, ...]) -> None:
    if files:
        from cranfield.measures.framework.own import load_measures

        for file in files:
            load_measures(file)
