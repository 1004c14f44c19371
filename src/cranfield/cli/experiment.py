"""``cranfield experiment`` (study measures): put measures to the test, in one of many experiments."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Mode, Row, flat, noted, settle
from cranfield.cli._ending import on_resume
from cranfield.cli._files import Command, refuse_inputs
from cranfield.cli._forms import ALSO, OF_FURTHER, TABLE_OF_SCORES, joined, of_scores
from cranfield.cli._kinds import ParamType
from cranfield.cli._options import MEASURES_FROM, NAMING, OF_RUNS, condition, measures_asked, option, qrels_and_runs
from cranfield.cli._output import Destination, Progress, make_folder, present, presented, write
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import did_you_mean
from cranfield.results.output_formats import FORMATS

if TYPE_CHECKING:
    from cranfield.experiments import Experiment, Findings
    from cranfield.experiments.experiment import Option

ASKED_OF_RUNS: Final = (*OF_RUNS, "costs", "budget", "cost_missing", "convention")
"""The conditions that experiments take for all their runs."""
_OF_LABELS: Final = ("documents", "weights", "kinds", "pool")  # Options of an experiment that are about judgments
_OF_RUNS_ALONE: Final = ("qrels", "runs", "also")
_OF_TABLES: Final = ("topics", "not_run")  # Options of an experiment that every reader of tables of scores has
WITHOUT_DOCSTRINGS: Final = 2  # The level of optimisation (``-OO``) at which what is compiled has no docstrings


class Experiments(click.Group):
    """The experiments of the registry are the commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all experiments."""
        return sorted(questions())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say what each experiment asks, none of which is imported for that."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(questions().items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make the command of one experiment."""
        if cmd_name not in self.list_commands(ctx):
            return None
        from cranfield.experiments import EXPERIMENTS

        return _command(EXPERIMENTS[cmd_name]) if cmd_name in EXPERIMENTS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which experiments there are when one is not found."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            hint = did_you_mean(args[0], known) or f"; choose from {', '.join(known)}"
            raise InputError(f"there is no experiment {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


@cache
def questions() -> dict[str, str]:
    """Read the names of the experiments and what they ask, where Python keeps what it has compiled.

    To import them would take most of a second. An experiment is a function that has the name of its module, which
    imports what declares it one; its documentation begins with the question.
    """
    package = find_spec("cranfield.experiments")
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(package.submodule_search_locations if package else ()):
        spec = module.module_finder.find_spec(module.name, None)
        code = spec.loader.get_code(module.name) if spec and isinstance(spec.loader, InspectLoader) else None
        if code is None:
            continue
        functions = {each.co_name: each for each in code.co_consts if isinstance(each, CodeType)}
        if "cranfield.experiments.experiment" in code.co_names and module.name in functions:
            [says, *_] = functions[module.name].co_consts
            documented = isinstance(says, str) and sys.flags.optimize < WITHOUT_DOCSTRINGS
            found[module.name.replace("_", "-")] = says.partition("\n")[0] if documented else ""
    return found


_OUT: Final = option(
    "--out DIR", str, "Write all tables to this folder; an interrupted experiment resumes from it.", name="folder"
)
_TABLE: Final = option("--table NAME", str, "Print this table only.", name="chosen")
_ALL_TABLES: Final = option("--all-tables", bool, "Print all tables. [default: the first, and the names of the others]")
_CONVENTION: Final = (
    "Follow a track or tool (trec-dl, beir, gdeval, ...) in relevance level, order of ties and parameters; the "
    "measures stay those of the experiment or of -m. `cranfield measures --conventions` lists them."
)


@click.group("experiment", cls=Experiments)
def command() -> None:
    """Put measures to the test: each experiment is a command."""


def _command(experiment: Experiment) -> click.Command:
    """Make the command of an experiment from its declaration."""
    before: list[Row] = [qrels_and_runs(required=experiment.needs_runs)] if experiment.on_runs else []
    after: list[Row] = [_OUT, _TABLE, _ALL_TABLES, presented()]
    if experiment.on_runs:
        after += [ALSO, *(condition(name, _CONVENTION if name == "convention" else None) for name in ASKED_OF_RUNS)]
    if "measures" in experiment.takes:
        before.append(measures_asked(", ".join(experiment.measures)))
        after.append(MEASURES_FROM)
    modes = _modes(experiment)
    return Command(
        experiment.name,
        params=[noted(each, modes) for each in flat([before, map(_options, experiment.options), after])],
        callback=_callback(experiment),
        help=_help(experiment),
        short_help=experiment.question,
    )


def _modes(experiment: Experiment) -> tuple[Mode, ...]:
    """Return what stands instead of QRELS and RUNS where an experiment can do without them, and what is for these."""
    if not experiment.on_runs:
        return ()
    if experiment.needs_runs:
        return (OF_FURTHER,)
    if _of_table(experiment):
        return (OF_FURTHER, of_scores(*_OF_RUNS_ALONE, among=ASKED_OF_RUNS, alone_has=("not_run",)))
    of_labels = [each.name for each in experiment.options if each.name in _OF_LABELS]
    return (OF_FURTHER, Mode("--scores", "the runs are scored already", (*_OF_RUNS_ALONE, *ASKED_OF_RUNS, *of_labels)))


def _help(experiment: Experiment) -> str:
    """The docstring down to its Parameters, a paragraph a paragraph."""
    import inspect

    return inspect.cleandoc(experiment.function.__doc__ or "").partition("\nParameters\n")[0].replace("``", "")


def _of_table(experiment: Experiment) -> bool:
    """Say whether an experiment takes a table of scores, as `leaderboard` does, in place of runs."""
    return any(map(_is_table, experiment.options))


def _is_table(declared: Option) -> bool:
    from cranfield.formats.score_tables import ScoresFile

    return bool(declared.annotation == ScoresFile | None)


def _options(declared: Option) -> Row:
    """Derive options from a parameter: those of tables of scores are the same everywhere."""
    return TABLE_OF_SCORES if _is_table(declared) else () if declared.name in _OF_TABLES else _option(declared)


def _option(declared: Option) -> click.Option:
    """Derive the command's option from the function's parameter."""
    flag = f"--{declared.name.replace('_', '-')}"
    if declared.annotation is bool:
        return click.Option([flag], is_flag=True, default=declared.default, help=declared.meaning)
    default = declared.default
    if isinstance(default, tuple):
        default = ",".join(map(str, default)) or None
    return option(flag, Measures if declared.of_measures else declared.annotation, declared.meaning, default)


class Measures(ParamType):
    """Names of measures separated by commas; commas within parentheses belong to a name."""

    name = "measure,..."
    several = True

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Split the text."""
        from cranfield.measures.framework.names import split_names

        return split_names(value) if isinstance(value, str) else value


def _callback(experiment: Experiment) -> Callable[..., None]:
    def run(*, folder: str | None, chosen: str | None, all_tables: bool, **options: Any) -> None:
        from cranfield.experiments import Work
        from cranfield.scoring.judged_runs import knowing

        settle(_modes(experiment), click.get_current_context())
        to = Destination.asked(*map(options.pop, ("format_", "output", "quiet")))
        _check(experiment, folder, chosen, to)
        given: list[object] = []
        of_table = {name: options.pop(name, None) for name in ("systems", "header", "not_run")}
        if experiment.on_runs and not experiment.needs_runs and options["scores"] is not None:
            if _of_table(experiment):
                _read(options, of_table)
            options = {name: options[name] for name in options if name not in {*_OF_RUNS_ALONE, *ASKED_OF_RUNS}}
            options |= {name: value for name, value in of_table.items() if name in _OF_TABLES}
        elif experiment.on_runs:
            asked = {name: options.pop(name) for name in ASKED_OF_RUNS}
            asked |= knowing(options.get("measures") or None, None, {"subtopics": asked["subtopics"]}, "max")
            given.append(joined(options.pop("qrels"), options.pop("runs"), options.pop("also"), asked))
        if not options.get("measures", True):
            del options["measures"]  # those of the experiment
        options = {name: value for name, value in options.items() if value is not None}
        if folder is not None:
            on_resume(f"finished steps are kept in {folder}; the same command resumes from there")
        with Progress("steps") as progress:
            work = Work(progress, folder)
            found = experiment(*given, work=work, **options)
        if folder is not None:
            to.say(*(f"wrote {path}" for path in found.write(folder, format=_format_of_files(to))))
            work.finished()
        _print(experiment, found, to, chosen, all_tables=all_tables, written=folder is not None)

    return run


def _read(options: dict[str, Any], of_table: dict[str, Any]) -> None:
    """Read the table of scores, with what its columns are called and how it is laid out."""
    from cranfield.scoring.panel import read_scores

    of_table["topics"] = options["topics"]
    names = {name: options[name] for name in NAMING}
    shape = {name: of_table.pop(name) for name in ("systems", "header")}
    options["scores"] = read_scores(options["scores"], options["measures"] or (), **names, **shape)


def _check(experiment: Experiment, folder: str | None, chosen: str | None, to: Destination) -> None:
    """Refuse what cannot be before the work."""
    if chosen is not None and chosen not in experiment.tables:
        raise InputError(f"no table is called {chosen!r}; the tables are {', '.join(experiment.tables)}")
    if folder is not None:
        from cranfield.experiments.findings import files_of

        written = files_of(experiment.name, experiment.tables, Path(folder), _format_of_files(to))
        refuse_inputs(written)
        if to.file is not None and Path(to.file).resolve() in {path.resolve() for path in written}:
            raise InputError("-o and --out would both write this file; leave one of them out", source=to.file)
        make_folder(folder, "results")


def _format_of_files(to: Destination) -> str:
    """Return the format of the tables in a folder; those for people are for the screen."""
    return "csv" if to.file is not None or FORMATS[to.format].for_people else to.format


def _print(
    experiment: Experiment, found: Findings, to: Destination, chosen: str | None, *, all_tables: bool, written: bool
) -> None:
    """Print what matters: the first table, notes, and what there is besides; or what was chosen, or all.

    Formats for programs and files hold one table.
    """
    for_people = FORMATS[to.format].for_people
    if chosen is None and for_people and all_tables:
        write(found.render(to.format), to)
    elif chosen is None and for_people and to.file is None:
        _print_first(found, to)
        write("".join(f"{line}\n" for line in _besides(experiment, found)), to)
    else:
        if chosen is not None or to.file is not None or not written:
            present(found, to, table=chosen or found.first)
            if for_people and not to.on_terminal:
                to.say(*filter(None, [found.legend(chosen or found.first)]))
        to.say(*(f"note: {note}" for note in found.notes))


def _print_first(found: Findings, to: Destination) -> None:
    """Print the table that answers the question, notes, and what it follows from."""
    if not to.on_terminal:
        write(found.render(to.format, tables=[found.first]), to)
        return
    click.secho(f"{found.experiment}: {found.first}", bold=True)
    present(found, to, captioned=False, table=found.first)
    to.say(*filter(None, [found.legend(found.first)]))
    write(found.render(to.format, tables=[]), to)


def _besides(experiment: Experiment, found: Findings) -> Iterator[str]:
    """Name the other tables, how long they are and what they hold."""
    others = [name for name in found.tables if name != found.first]
    if not others:
        return
    yield "other tables (--table NAME prints one, --all-tables all; --out DIR writes them):"
    width = max(map(len, others))
    rows = max(len(str(found[name].height)) for name in others)
    for name in others:
        noun = "row " if found[name].height == 1 else "rows"
        yield f"  {name:<{width}}  {found[name].height:>{rows}} {noun}  {experiment.tables[name].meaning}"
