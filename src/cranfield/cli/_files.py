"""What a command reads and what it writes: no output may be an input."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.exceptions import Exit

from cranfield.cli._help import BriefHelp
from cranfield.cli._kinds import ParamType
from cranfield.plumbing.deprecations import DEPRECATED
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import COMMON, SELF, Taken
from cranfield.plumbing.surface import shell

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cranfield.formats.files import FilePath


class AnyFile(ParamType):
    """A file, which shells complete."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell offer its files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class FileRead(AnyFile):
    """A file that is read, or what else a text stands for of which files are read."""

    def __init__(self, files: Callable[[str], Sequence[FilePath]] = lambda value: [value], name: str = "file") -> None:
        self.files_read, self.name = files, name


class NamedFileRead(FileRead):
    """A file that is read, and that has to have a name: what is written says which it was, or it grows."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse the standard input."""
        if value == "-":
            self.fail("this has to be a named file, not the standard input (-)", param, ctx)
        return value


def _of_runs(value: str) -> Sequence[FilePath]:
    from cranfield.formats import files_of

    return files_of([value])


def files_in(path: FilePath) -> Sequence[FilePath]:
    """Name the file, or those in a folder."""
    folder = Path(path)
    return sorted(file for file in folder.iterdir() if file.is_file()) if folder.is_dir() else [path]


RUNS_READ: Final = FileRead(_of_runs, "run")
"""Runs that are read: a file, a folder or a glob, with ``NAME=`` before it if one likes."""
EXCLUDED_READ: Final = FileRead(lambda value: [] if value == SELF else [value])
"""A file of documents that do not count, or the word that stands for the topics' own."""
ONLY_READ: Final = FileRead(lambda value: [] if value == COMMON else [value])
"""A file of the topics that count, or the word that stands for those that all runs have."""


class FileWritten(AnyFile):
    """A file that is written."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a folder before anything is done."""
        from cranfield.formats import refuse_folder

        refuse_folder(value)
        return value


class Command(BriefHelp):
    """A command that writes all its files or none, overwrites nothing that it reads, and knows the user's own measures.

    What it writes is there when it ends, also when it ends with the status of something found wanting.
    """

    def invoke(self, ctx: click.Context) -> object:
        """Check what is written, load what is needed, and do it."""
        from cranfield.formats import all_or_nothing
        from cranfield.formats.files import keeping_streams

        _refuse_unwritable(ctx)
        refuse_inputs(_written(ctx), ctx)
        _refuse_twice(ctx)
        with keeping_streams():
            _load_measures(ctx.params.pop("measures_from", ()))
            _settle_names(ctx)
            with all_or_nothing(refused=lambda file: refuse_inputs([file], ctx), told=_tell):
                try:
                    with shell({opt for each in self.params for opt in each.opts}):
                        return super().invoke(ctx)
                except Exit as end:
                    ended = end
        raise ended


class NamedByOption(Command):
    """A command whose first argument may be given by the option that `instead` adds, as with ``-m MEASURE``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read them in the order of the arguments."""
        return super().parse_args(ctx, self.in_front(ctx, args))

    def in_front(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put what the option gives in front, where the argument stands."""
        option = next(each for each in self.params if each.name == _INSTEAD)
        first = next(each for each in self.params if isinstance(each, click.Argument))
        found, *_ = self.make_parser(ctx).parse_args(list(args))
        given, flag, value = found.get(_INSTEAD) or [], option.opts[-1], found.get(first.name or "")
        if len(given) > 1:
            raise click.UsageError(f"{flag} is given {len(given)} times; give it once", ctx)
        if given or not isinstance(value, str):
            return [*given, *args]
        if Path(value).is_file():
            raise click.UsageError(f"{value!r} is a file: say by {flag} {first.human_readable_name} what is asked", ctx)
        if (form := f"cranfield {ctx.info_name} {first.human_readable_name} QRELS RUN...") in DEPRECATED:
            others = [each for place, each in enumerate(args) if place != args.index(value)]
            write = shlex.join(["cranfield", str(ctx.info_name), *others, option.opts[0], value])
            said = f"warning: {form} ends with cranfield {DEPRECATED[form].ends}: write {write}"
            click.echo(printable(said), err=True)
        return args

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show the order that all commands have."""
        option = next(each for each in self.params if each.name == _INSTEAD)
        options, first, *others = super().collect_usage_pieces(ctx)
        return [options, *others, f"{option.opts[0]} {first}"]


_INSTEAD: Final = "instead"


def instead(*flags: str, meaning: str) -> click.Option:
    """Make the option that stands for the first argument of a `NamedByOption`."""
    return click.Option([*flags, _INSTEAD], multiple=True, expose_value=False, metavar="NAME", help=meaning)


def refuse_inputs(written: Iterable[FilePath], ctx: click.Context | None = None) -> None:
    """Refuse to write any of these files if the command that was called reads it."""
    from cranfield.formats import refuse_overwriting

    if written := list(written):
        refuse_overwriting(written, list(_read(ctx or click.get_current_context())))


def _read(ctx: click.Context) -> Iterator[FilePath]:
    """Name all files that are read, by what the parameters of the command were given."""
    for parameter in ctx.command.params:
        if hasattr(parameter.type, "files_read"):
            for value in _values(ctx, parameter):
                # Groups and weights that were read know their file.
                yield from parameter.type.files_read(str(value) if isinstance(value, Taken) else value)


def _refuse_twice(ctx: click.Context) -> None:
    """Refuse to read several things from the standard input, of which there is one."""
    read = [
        parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
        for parameter in ctx.command.params
        if isinstance(parameter.type, FileRead)
        for value in _values(ctx, parameter)
        if isinstance(value, str) and value.rpartition("=")[2] == "-"
    ]
    if len(read) > 1:
        raise click.UsageError(f"the standard input (-) is given for {' and for '.join(read)}; give one of them a file")


def _written(ctx: click.Context) -> Iterator[FilePath]:
    for parameter in ctx.command.params:
        if isinstance(parameter.type, FileWritten):
            yield from (value for value in _values(ctx, parameter) if value != "-")


def _refuse_unwritable(ctx: click.Context) -> None:
    """Refuse a file that is named twice, or has no folder, but for one that the command itself makes."""
    from cranfield.formats import refuse_unwritable
    from cranfield.plumbing.errors import InputError

    named = {os.path.realpath(value) for value in ctx.params.values() if isinstance(value, str | Path)}
    seen = set[str]()
    for file in _written(ctx):
        target = os.path.realpath(file)
        if target in seen:
            raise InputError("two outputs go to this file; name another", source=str(file))
        seen.add(target)
        if os.path.dirname(target) not in named:  # noqa: PTH120 - as text, like the others
            refuse_unwritable(file)


def _values(ctx: click.Context, parameter: click.Parameter) -> tuple[FilePath, ...]:
    value = ctx.params.get(parameter.name or "")
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _tell(said: str) -> None:
    click.echo(f"note: {printable(said)}", err=True)


def _settle_names(ctx: click.Context) -> None:
    """Look for the names of columns and fields in all files that are read."""
    if any(ctx.params.get(name) for name in ("columns", "fields")):
        from cranfield.formats.unmet import settle

        ctx.params.update(settle(ctx.params, *_read(ctx)))


def _load_measures(files: tuple[str, ...]) -> None:
    if files:
        from cranfield.measures.framework.own import load_measures

        for file in files:
            load_measures(file)
