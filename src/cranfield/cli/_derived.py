"""A command is its options, its words, and what differs from the library's function; the rest is derived from that."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

import click

from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import CONDITIONS
from cranfield.plumbing.errors import InputError

_Found = TypeVar("_Found")
Row: TypeAlias = "click.Parameter | Iterable[Row]"
"""An option, or several that belong together."""


class Call:
    """The options of a command; each function of the library gets those that it has parameters for."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options

    def __call__(self, function: Callable[..., _Found], *given: Any, noun: str = "runs", **more: Any) -> _Found:
        """Call a function, and show how many of what `noun` says are done; what was not asked is left to it."""
        from cranfield.plumbing.unpacked import spelled_out

        known = dict((spelled_out(function) or inspect.signature(function)).parameters)
        for name in [*known][: len(given)]:  # what is given by place would be given twice
            del known[name]
        # click has None or an empty tuple for what was not asked: the function has its own default then, if it has one.
        taken = {
            name: (list(value) or None) if isinstance(value, tuple) else value
            for name, parameter in known.items()
            if name in self.options
            and ((value := self.options[name]) not in (None, ()) or parameter.default is parameter.empty)
        }
        if "progress" not in known or "progress" in more:
            return function(*given, **taken | more)
        from cranfield.cli._output import Progress

        with Progress(noun) as progress:
            return function(*given, progress=progress, **taken | more)

    def without(self, *names: str) -> Call:
        """Leave options of these names out: what is called has no use for them."""
        return Call({name: value for name, value in self.options.items() if name not in names})

    def only(self, *names: str) -> Any:
        """Return the options of these names, as they are."""
        return {name: self.options[name] for name in names if name in self.options}

    def asked(self, *names: str) -> list[str]:
        """Return those of these names that something was given for, as their flags are spelled."""
        # A flag that was not given is False, but for conditions, which are None: --incomplete is False, and was asked.
        return [
            name.replace("_", "-")
            for name, value in self.only(*names).items()
            if value is not None and value != () and (value is not False or name in CONDITIONS)
        ]


def derived(
    *rows: Row,
    examples: str = "",
    cls: type[click.Command] = Command,
    name: str | None = None,
    short_help: str | None = None,
    group: click.Group | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of its options, and of a function for what differs, which names the options that it needs itself.

    Its docstring is the help. As ``call`` it gets what hands the options on to the library, as ``to`` where the result
    goes, as ``audited`` what becomes of the audit.
    """

    def make(function: Callable[..., None]) -> click.Command:
        own = inspect.signature(function).parameters
        files = {row.name for row in flat(rows) if isinstance(row.type, FileRead)}

        def run(**options: Any) -> None:
            if "to" in own:
                from cranfield.cli._output import AuditAsked, Destination

                options["to"] = Destination.asked(*map(options.__getitem__, ("format_", "output", "quiet")))
                options["audited"] = AuditAsked(options.get("audit", False), options.get("strict", False))
            _read_tables(options, files)
            options["call"] = Call(options)
            function(**{each: options[each] for each in own})

        epilog = f"\b\nExamples:\n{examples.strip(chr(10))}\n" if examples else None
        command = cls(
            name or function.__name__,
            callback=run,
            params=[*flat(rows)],
            help=function.__doc__,
            short_help=short_help,
            epilog=epilog,
        )
        if group is not None:
            group.add_command(command)
        return command

    return make


def _read_tables(options: dict[str, Any], files: Collection[str | None]) -> None:
    """Read weights and groups with the names that their columns have, where any are given."""
    if not (options.get("columns") or options.get("fields")):
        return
    from cranfield.plumbing.naming import Naming
    from cranfield.scoring.grouping import TopicGroups
    from cranfield.scoring.weighting import TopicWeights

    kinds: dict[str, type[TopicGroups | TopicWeights]] = {"weights": TopicWeights, "groups": TopicGroups}
    for name, kind in kinds.items():
        if name in files and options.get(name) is not None:
            options[name] = kind.taken(options[name], Naming.asked(options))


def flat(rows: Iterable[Row]) -> Iterator[click.Parameter]:
    """Give the options one by one."""
    for row in rows:
        if isinstance(row, click.Parameter):
            yield row
        else:
            yield from flat(row)


def refuse(wrong: Mapping[str, object], error: type[Exception] = InputError) -> None:
    """Refuse options that do not go together: the first of these of which it holds, with what is wrong with them."""
    for said, holds in wrong.items():
        if holds:
            raise error(said)


def refuse_each(given: Iterable[str], why: str, *, where: object) -> None:
    """Refuse options that were given, by their names, where they do not go with others."""
    refuse({f"--{option} {why}": where for option in given})
