"""From the annotation of an option to what the command line takes for it: the same words, the same ranges."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, get_origin

import click

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import NotNegative, checked, kind_of, one_of

if TYPE_CHECKING:
    from cranfield.formats.files import FilePath

    ParamType = click.ParamType[object]
else:  # generic for type checkers alone, in versions of click that we take
    ParamType = click.ParamType


class OptionKind(ParamType):
    """The kind of an option, read off its annotation; several values are separated by commas."""

    def __init__(self, annotation: object) -> None:
        self.annotation, self.several = one_of(annotation)
        kind, _ = kind_of(self.annotation)
        self.words = get_args(kind) if get_origin(kind) is Literal else ()
        self.kind = str if self.words else kind
        noun = {int: "integer", float: "number", Path: "file", str: "text"}.get(self.kind, "text")
        self.name = f"{noun},..." if self.several else noun

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Show the words there are."""
        return f"[{'|'.join(self.words)}]" if self.words else None

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Read the text, and check it as the library does."""
        name = (param.opts[-1] if param and param.opts else "the value").lstrip("-").replace("-", "_")
        if not isinstance(value, str):
            return value
        if self.several:
            return tuple(self._one(name, part.strip(), param, ctx) for part in value.split(","))
        return self._one(name, value, param, ctx)

    def files_read(self, value: object) -> Sequence[FilePath]:
        """Name the files that are read for a value: itself, where it is the path of one, or all of a folder."""
        from cranfield.formats import expand

        return [file for file in expand([value]) if file.is_file()] if isinstance(value, Path) else []

    def _one(self, name: str, text: str, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            given = self.kind(text) if self.kind in {int, float, Path} else text
        except ValueError:
            self.fail(f"{text!r} is not a valid {'integer' if self.kind is int else 'number'}", param, ctx)
        try:
            return checked(name, given, self.annotation)
        except InputError as error:
            self.fail(error.problem, param, ctx)


class NamesKind(ParamType):
    """Names of a user's own, ours=theirs: everything given becomes one value."""

    name = "text"
    several = True

    def __init__(self, annotation: object) -> None:
        self.kind, _ = kind_of(one_of(annotation)[0])

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Leave the text to whoever reads all of them."""
        return (value,) if isinstance(value, str) else value

    def made_of(self, values: Sequence[str]) -> object:
        """Read all of them together; a line names what will end."""
        with warnings.catch_warnings(record=True, action="always") as told:
            names = self.kind.taken(list(values))
        for each in told:
            click.echo(f"warning: {printable(str(each.message))}", err=True)
        return names


class ListOption(click.Option):
    """An option for several values, separated by commas or given several times."""

    def __init__(self, flags: Sequence[str], default: object = None, **settings: Any) -> None:
        settings |= {"multiple": True, "default": None if default is None else (default,)}
        super().__init__(flags, **settings)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Read each, and put all together."""
        given = tuple(chain.from_iterable(super().type_cast_value(ctx, value) or ())) or None
        return self.type.made_of(given) if given and isinstance(self.type, NamesKind) else given


class Margin(ParamType):
    """A number, or a percentage of the base's mean: (value, is it a percentage)."""

    name = "number|N%"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Read the text."""
        if not isinstance(value, str):
            return value
        relative = value.endswith("%")
        number = cast("float", OptionKind(NotNegative).convert(value.removesuffix("%"), param, ctx))
        return (number / 100 if relative else number), relative


def offered(module: str, *tables: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Complete names from tables of a module, which is imported only when asked."""

    def begun(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        found = import_module(module)
        return sorted(name for table in tables for name in getattr(found, table) if name.startswith(typed))

    return begun
