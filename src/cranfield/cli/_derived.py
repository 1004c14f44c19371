"""A command is its options, its words, and what differs from the library's function; the rest is derived from that."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from cranfield.cli._files import Command, FileRead
from cranfield.plumbing.wording import named

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


class Mode(NamedTuple):
    """What a command does where something is given, and what that means for its other options, by their names.

    ``given`` is spelled as people type it: an option, one with a value, the argument in capitals, or several with
    "or" between them. ``when`` says so of all options where a look at that one is not enough.
    """

    given: str
    because: str = ""
    leaves_out: tuple[str, ...] = ()  # What it has no use for. An argument among these is needed in all other modes
    needs: tuple[str, ...] = ()
    alone_has: tuple[str, ...] = ()
    when: Callable[[Mapping[str, Any]], object] | None = None
    does: Callable[..., None] | None = None
    """What is done then in place of what the command does; it names the options that it needs itself."""

    def chosen(self, ctx: click.Context) -> str:
        """Return what chose this mode, as it is typed, or an empty text."""
        if self.when is not None:
            return self.given if self.when(ctx.params) else ""
        return next((each for each in self.given.split(" or ") if _is_there(each, ctx)), "")


def _is_there(typed: str, ctx: click.Context) -> bool:
    """Say whether an option was given, and with another value than its default or with the one behind it."""
    flag, _, value = typed.partition(" ")
    found = next(each for each in ctx.command.params if flag in (*each.opts, _spelled(each)))
    there = ctx.params.get(str(found.name))
    return there == value if value else there not in (None, (), False, found.get_default(ctx))


def _spelled(param: click.Parameter) -> str:
    return param.opts[-1] if isinstance(param, click.Option) else str(param.name).upper()


def settle(modes: Sequence[Mode], ctx: click.Context) -> list[Mode]:
    """Refuse what the modes that were chosen have no use for, and what is lacking in them; return these modes."""
    params = {str(each.name): each for each in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in params}  # old click has no default for no arguments
    given = {
        name for name, source in sources.items()
        if source not in (None, ParameterSource.DEFAULT) and ctx.params.get(name) != ()
    }  # fmt: skip
    chosen = {mode: mode.chosen(ctx) for mode in modes}
    for mode, on in chosen.items():
        wrong = named([_spelled(params[each]) for each in (mode.leaves_out if on else mode.alone_has) if each in given])
        if wrong and on:
            raise click.UsageError(f"with {on}, leave {wrong} out: {mode.because}", ctx)
        if wrong:
            raise click.UsageError(f"leave {wrong} out, or give {mode.given}, too", ctx)
    for each in [each for each in params if each not in given]:
        instead = [mode for mode in modes if each in mode.leaves_out]
        if isinstance(params[each], click.Argument) and instead and not any(map(chosen.get, instead)):
            missing = params[each].human_readable_name
            raise click.UsageError(f"Missing argument '{missing}', or {_any_of(instead)} instead", ctx)
    for mode, on in chosen.items():
        if lacking := [_spelled(params[each]) for each in mode.needs if on and each not in given]:
            raise click.UsageError(f"with {on}, give {named(lacking)}, too: {mode.because}", ctx)
    return [mode for mode, on in chosen.items() if on]


def _any_of(modes: Iterable[Mode]) -> str:
    """Say what chooses one of these modes."""
    names = dict.fromkeys(each for mode in modes for each in mode.given.split(" or "))
    return " or ".join(named([*names], len(names)).rsplit(" and ", 1))


def derived(
    *rows: Row,
    modes: Sequence[Mode] = (),
    examples: str = "",
    cls: type[click.Command] = Command,
    name: str | None = None,
    short_help: str | None = None,
    group: click.Group | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of its options, and of a function for what differs, which names the options that it needs itself.

    Its docstring is the help. As ``call`` it gets what hands the options on to the library, as ``to`` where the result
    goes, as ``audited`` what becomes of the audit. The first chosen mode that `does` something takes its place.
    """

    def make(function: Callable[..., None]) -> click.Command:
        files = {row.name for row in flat(rows) if isinstance(row.type, FileRead)}

        def run(**options: Any) -> None:
            chosen = settle(modes, click.get_current_context())
            does = next((mode.does for mode in chosen if mode.does is not None), function)
            own = inspect.signature(does).parameters
            if "to" in own:
                from cranfield.cli._output import AuditAsked, Destination

                options["to"] = Destination.asked(*map(options.__getitem__, ("format_", "output", "quiet")))
                options["audited"] = AuditAsked(
                    *(options.get(each, False) for each in ("audit", "full_audit", "strict"))
                )
            _read_tables(options, files)
            options["call"] = Call(options)
            does(**{each: options[each] for each in own})

        command = cls(
            name or function.__name__,
            callback=run,
            params=[noted(each, modes) for each in flat(rows)],
            help=function.__doc__,
            short_help=short_help,
            epilog=f"\b\nExamples:\n{examples.strip(chr(10))}\n" if examples else None,
        )
        if group is not None:
            group.add_command(command)
        return command

    return make


def _read_tables(options: dict[str, Any], files: Collection[str | None]) -> None:
    """Read weights, groups and clusters with the names that their columns have, where any are given."""
    if not (options.get("columns") or options.get("fields")):
        return
    from cranfield.plumbing.naming import Naming
    from cranfield.scoring.clusters import Clusters
    from cranfield.scoring.grouping import TopicGroups
    from cranfield.scoring.weighting import TopicWeights

    kinds: dict[str, type[TopicGroups | TopicWeights | Clusters]] = {
        "weights": TopicWeights, "groups": TopicGroups, "clusters": Clusters,
    }  # fmt: skip
    for name, kind in kinds.items():
        if name in files and options.get(name) is not None:
            options[name] = kind.taken(options[name], Naming.asked(options))


def noted(param: click.Parameter, modes: Sequence[Mode]) -> click.Parameter:
    """Say in the help of an option, which other commands may have, too, which modes have it and which do not."""
    only = [mode for mode in modes if param.name in mode.alone_has]
    without = [mode for mode in modes if param.name in mode.leaves_out]
    notes = [f"{word} with {_any_of(found)}" for word, found in (("only", only), ("not", without)) if found]
    if notes and isinstance(param, click.Option):
        param = copy(param)
        param.help = f"{param.help} [{'; '.join(notes)}]"
    return param


def flat(rows: Iterable[Row]) -> Iterator[click.Parameter]:
    """Give the options one by one."""
    for row in rows:
        if isinstance(row, click.Parameter):
            yield row
        else:
            yield from flat(row)
