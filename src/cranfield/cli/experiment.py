"""``cranfield experiment NAME``: put measures to the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import click

from cranfield.cli._options import measures_from
from cranfield.cli._output import Progress, make_folder, write_result
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.experiments import Experiment, Findings
    from cranfield.experiments.experiment import Option

FORMATS = ("table", "csv", "json", "latex", "markdown", "parquet")
FOR_PEOPLE = {"table", "latex", "markdown"}


class Experiments(click.Group):
    """The experiments of the registry are the commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all experiments."""
        del ctx
        from cranfield.experiments import EXPERIMENTS

        return sorted(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make the command of one experiment."""
        from cranfield.experiments import EXPERIMENTS

        del ctx
        return _command(EXPERIMENTS[cmd_name]) if cmd_name in EXPERIMENTS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which experiments there are when one is not found."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise InputError(f"there is no experiment {args[0]!r}; there are {', '.join(known)}")
        return super().resolve_command(ctx, args)


@click.group("experiment", cls=Experiments)
def command() -> None:
    """Ask what measures are worth: each experiment is a command."""


def _command(experiment: Experiment) -> click.Command:
    parameters: list[click.Parameter] = []
    if "runs" in experiment.takes:
        parameters += [click.Argument(["qrels"]), click.Argument(["runs"], nargs=-1, required=True)]
    if "measures" in experiment.takes:
        default = ", ".join(experiment.measures)
        parameters.append(
            click.Option(
                ["-m", "--measure", "measures"], multiple=True, metavar="MEASURE", help=f"[default: {default}]"
            )
        )
    parameters += [_option(option) for option in experiment.options]
    if "runs" in experiment.takes:
        orders = click.Choice(["score", "trec9", "rank", "file"])
        parameters.append(
            click.Option(["--order"], type=orders, default="score", show_default=True, help="What ranks the documents.")
        )
    parameters += [
        click.Option(
            ["--out", "folder"],
            metavar="DIR",
            help="Write all tables there; what is interrupted is taken up again from there.",
        ),
        click.Option(["--table", "chosen"], metavar="NAME", help="Print this table alone."),
        click.Option(["--format", "format_"], type=click.Choice(FORMATS), default="table", show_default=True),
    ]
    made = click.Command(
        experiment.name,
        params=parameters,
        callback=_callback(experiment),
        help=_help(experiment),
        short_help=experiment.question,
    )
    return measures_from(made) if "measures" in experiment.takes else made


def _help(experiment: Experiment) -> str:
    """The docstring down to its Parameters, a paragraph a paragraph."""
    import inspect

    text = inspect.cleandoc(experiment.function.__doc__ or "").partition("\nParameters\n")[0]
    return text.replace("``", "")


def _option(option: Option) -> click.Option:
    """Derive the command's option from the function's parameter."""
    kind, many = _kind(option.type)
    flag = "--" + option.name.replace("_", "-")
    if kind is bool:
        return click.Option([flag], is_flag=True, default=option.default, help=option.meaning)
    default = ",".join(map(str, option.default)) if many and option.default else option.default
    known: Any = _List(kind) if many else kind if isinstance(kind, click.ParamType) else _PLAIN[kind]
    return click.Option(
        [flag],
        type=known,
        default=default or None if many else default,
        show_default=default is not None and default != (),
        help=option.meaning,
    )


_PLAIN = {int: click.INT, float: click.FLOAT, str: click.STRING, Path: click.Path(path_type=Path)}


def _kind(annotation: Any) -> tuple[Any, bool]:
    """Tell the type of an option, and whether it takes several, with commas between them."""
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(kind for kind in get_args(annotation) if kind is not NoneType)
    if get_origin(annotation) is tuple:
        return _kind(get_args(annotation)[0])[0], True
    if get_origin(annotation) is Literal:
        return click.Choice(list(get_args(annotation))), False
    return annotation, False


class _List(click.ParamType):  # type: ignore[type-arg]
    """Several values, with commas between them."""

    kind: Any

    def __init__(self, kind: Any) -> None:
        self.kind = kind if isinstance(kind, click.ParamType) else _PLAIN[kind]
        self.name = f"{self.kind.name},..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert each of them."""
        if isinstance(value, tuple):
            return value
        return tuple(self.kind.convert(part.strip(), param, ctx) for part in value.split(","))


def _callback(experiment: Experiment) -> Callable[..., None]:
    def run(*, folder: str | None, chosen: str | None, format_: str, **options: Any) -> None:
        from cranfield.experiments import Work

        given: dict[str, Any] = {}
        if folder is not None:
            make_folder(folder, "results")
        if "runs" in experiment.takes:
            from cranfield.judged_runs import join

            with Progress("runs") as progress:
                given["runs"] = join(
                    options.pop("qrels"), list(options.pop("runs")), order=options.pop("order"), progress=progress
                )
        if "measures" in experiment.takes:
            given["measures"] = options.pop("measures") or experiment.measures
        options = {name: () if value is None and _many(experiment, name) else value for name, value in options.items()}
        with Progress("steps") as progress:
            work = Work(progress, folder)
            if "work" in experiment.takes:
                given["work"] = work
            found = experiment(**given, **options)
        if folder is not None:
            _write(found, folder, format_)
            work.finished()
        _print(found, chosen, format_, all_written=folder is not None)

    return run


def _many(experiment: Experiment, name: str) -> bool:
    return any(option.name == name and _kind(option.type)[1] for option in experiment.options)


def _write(found: Findings, folder: str, format_: str) -> None:
    """Write all tables; formats for people are for the screen."""
    for path in found.write(folder, format="csv" if format_ in FOR_PEOPLE else format_):
        click.echo(f"wrote {path}", err=True)


def _print(found: Findings, chosen: str | None, format_: str, *, all_written: bool) -> None:
    """Print the tables for people, or the one that was chosen; formats for programs hold one table, the first."""
    from cranfield.presentation import render

    if chosen is not None and chosen not in found.tables:
        raise InputError(f"there is no table {chosen!r}; there are {', '.join(found.tables)}")
    if chosen is None and format_ in FOR_PEOPLE:
        write_result(found.render(format_) + "\n", format_, None)
        return
    if chosen is not None or not all_written:
        write_result(render(found[chosen or next(iter(found.tables))], format_), format_, None)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
