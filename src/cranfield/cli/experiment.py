"""``cranfield experiment NAME``: put measures to the test."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._kinds import Kind
from cranfield.cli._options import condition, measures_from
from cranfield.cli._output import Progress, make_folder, write_result
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.experiments import Experiment, Findings
    from cranfield.experiments.experiment import Collections, Option

FORMATS = ("table", "csv", "json", "latex", "markdown", "parquet")
FOR_PEOPLE = {"table", "latex", "markdown"}

ASKED_OF_RUNS: Final = ("topics", "missing", "order", "comments", "rel")
"""The conditions that experiments take for all their runs."""


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
    if experiment.on_runs:
        parameters += [click.Argument(["qrels"]), click.Argument(["runs"], nargs=-1, required=True)]
    if "measures" in experiment.takes:
        default = ", ".join(experiment.measures)
        parameters.append(
            click.Option(
                ["-m", "--measure", "measures"], multiple=True, metavar="MEASURE", help=f"[default: {default}]"
            )
        )
    parameters += [_option(option) for option in experiment.options]
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
    if experiment.on_runs:
        made = _several(made)
        for name in reversed(ASKED_OF_RUNS):
            made = condition(name)(made)
    return measures_from(made) if "measures" in experiment.takes else made


def _several(command: click.Command) -> click.Command:
    """Add ``--also``."""
    return click.option(
        "--also",
        multiple=True,
        metavar="NAME=QRELS,RUNS",
        help="A further collection: a name, its qrels, and a file, folder or glob for its runs; after another comma "
        "rel=GRADE, if its lowest relevant grade is another one. May be given several times.",
    )(command)


def _help(experiment: Experiment) -> str:
    """The docstring down to its Parameters, a paragraph a paragraph."""
    import inspect

    text = inspect.cleandoc(experiment.function.__doc__ or "").partition("\nParameters\n")[0]
    return text.replace("``", "")


def _option(option: Option) -> click.Option:
    """Derive the command's option from the function's parameter."""
    flag = "--" + option.name.replace("_", "-")
    if option.annotation is bool:
        return click.Option([flag], is_flag=True, default=option.default, help=option.meaning)
    kind = Measures() if option.of_measures else Kind(option.annotation)
    several = isinstance(option.default, tuple)
    default = ",".join(map(str, option.default)) or None if several else option.default
    return click.Option([flag], type=kind, default=default, show_default=default is not None, help=option.meaning)


class Measures(click.ParamType):  # type: ignore[type-arg]
    """Names of measures with commas between them; those within parentheses belong to a name.

    >>> Measures().convert("AP, RBP(p=0.8,rel=1)", None, None)
    ('AP', 'RBP(p=0.8,rel=1)')
    """

    name = "measure,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split the text."""
        del param, ctx
        names = re.split(r",(?![^(]*\))", value) if isinstance(value, str) else value
        return tuple(name.strip() for name in names)


def _callback(experiment: Experiment) -> Callable[..., None]:
    def run(*, folder: str | None, chosen: str | None, format_: str, **options: Any) -> None:
        from cranfield.experiments import Work

        if chosen is not None and chosen not in experiment.tables:
            raise InputError(f"there is no table {chosen!r}; there are {', '.join(experiment.tables)}")
        if folder is not None:
            make_folder(folder, "results")
        given: list[Any] = []
        if experiment.on_runs:
            asked = {name: options.pop(name) for name in ASKED_OF_RUNS}
            given.append(_joined(options.pop("qrels"), options.pop("runs"), options.pop("also"), asked))
        if not options.get("measures", True):
            del options["measures"]  # those of the experiment
        options = {name: value for name, value in options.items() if value is not None}
        with Progress("steps") as progress:
            work = Work(progress, folder)
            found = experiment(*given, work=work, **options)
        if folder is not None:
            _write(found, folder, format_)
            work.finished()
        _print(found, chosen, format_, all_written=folder is not None)

    return run


def _joined(qrels: str, runs: tuple[str, ...], also: tuple[str, ...], asked: dict[str, Any]) -> Collections | Any:
    """Join the runs of all collections; those of the only one have no need of a name."""
    from cranfield.judged_runs import join

    further = [_further(text) for text in also]
    with Progress("runs") as progress:
        first = join(qrels, list(runs), progress=progress, **asked)
        if not further:
            return first
        collections = {_name_of(qrels): first}
        for name, its_qrels, its_runs, its_rel in further:
            if name in collections:
                raise InputError(f"two collections are called {name!r}; give one of them another name")
            rel = its_rel if its_rel is not None else asked["rel"]
            collections[name] = join(its_qrels, its_runs, progress=progress, **{**asked, "rel": rel})
    return collections


def _further(text: str) -> tuple[str, str, str, float | None]:
    """Read NAME=QRELS,RUNS or NAME=QRELS,RUNS,rel=GRADE.

    >>> _further("dl19=qrels.txt,runs/*.gz,rel=2")
    ('dl19', 'qrels.txt', 'runs/*.gz', 2.0)
    """
    found = re.fullmatch(r"([^=,]+)=([^,]+),(.+?)(?:,rel=([0-9]+(?:\.[0-9]+)?))?", text)
    if found is None:
        raise InputError(f"a further collection is written NAME=QRELS,RUNS, not {text!r}")
    return found[1], found[2], found[3], float(found[4]) if found[4] else None


def _name_of(qrels: str) -> str:
    """Name a collection after its qrels; after their folder, if the file is called as all are.

    >>> _name_of("data/trec8/qrels.txt"), _name_of("robust04.qrels")
    ('trec8', 'robust04')
    """
    path = Path(qrels)
    stem = path.name.partition(".")[0]
    return path.resolve().parent.name or stem if stem == "qrels" else stem


def _write(found: Findings, folder: str, format_: str) -> None:
    """Write all tables; formats for people are for the screen."""
    for path in found.write(folder, format="csv" if format_ in FOR_PEOPLE else format_):
        click.echo(f"wrote {path}", err=True)


def _print(found: Findings, chosen: str | None, format_: str, *, all_written: bool) -> None:
    """Print the tables for people, or the one that was chosen; formats for programs hold one table, the first."""
    if chosen is None and format_ in FOR_PEOPLE:
        write_result(found.render(format_), format_, None)
        return
    if chosen is not None or not all_written:
        write_result(found.render(format_, table=chosen or found.first), format_, None)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
