"""What a command takes reaches a function, and what it says of a default is what that function has."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import Parameter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tools.each import each_of

from cranfield.cli import main
from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._options import CONDITIONS, argument, option
from cranfield.judged.conditions import GRADING_NAMES, READING_NAMES
from cranfield.plumbing.unpacked import spelled_out

HOME = Path(inspect.getfile(main.__class__)).parent
EVERYWHERE = {"format_", "output", "quiet", "audit", "full_audit", "strict", "measures_from", "plot", "keep", "since"}
EVERYWHERE |= {"settings", "docs", "unit"}
"""Options that are handed to what all commands share, or that are read before a command begins."""
CONDITIONS_OF = {"plot": "name", "reproduce": "name"}
"""Commands that name their conditions to hand them on."""


@cache
def calls(module: str) -> tuple[ast.Module, dict[str, str]]:
    """Read a module, and where the names come from that it imports."""
    tree = ast.parse((HOME / f"{module}.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return tree, {each.asname or each.name: f"{node.module}:{each.name}" for node in imports for each in node.names}


def called(module: str) -> Iterator[dict[str, Parameter]]:
    """Give the parameters of every function that the options of a command are handed to."""
    tree, homes = calls(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and re.fullmatch(r"call(\.without\(.*\))?", ast.unparse(node.func)):
            name, _, method = ast.unparse(node.args[0]).partition(".")
            home, _, of = homes.get(name, f"cranfield.cli.{module}:{name}").partition(":")
            function = getattr(import_module(home), of)
            function = getattr(function, method) if method else function
            yield dict((spelled_out(function) or inspect.signature(function)).parameters)


def commands() -> list[str]:
    """Name the commands that hand their options on."""
    return [path.stem for path in sorted(HOME.glob("[a-z]*.py")) if any(True for _ in called(path.stem))]


@each_of("name", commands())
def test_every_option_reaches_something(name: str) -> None:
    command: click.Command = import_module(f"cranfield.cli.{name}").command
    tree, _ = calls(name)
    bodies = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    own = {each.arg for node in bodies for each in (*node.args.args, *node.args.kwonlyargs)}
    own |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    reached = own | EVERYWHERE | {each for parameters in called(name) for each in parameters}
    left = {str(each.name) for each in command.params if each.expose_value} - reached
    assert left == set() or name in CONDITIONS_OF


@each_of("name", commands())
def test_the_command_and_the_function_have_the_same_defaults(name: str) -> None:
    command: click.Command = import_module(f"cranfield.cli.{name}").command
    context = click.Context(command, resilient_parsing=True)
    usual = {str(each.name): each.get_default(context) for each in command.params if each.expose_value}
    given = {name: default for name, default in usual.items() if isinstance(default, int | float | str)}
    for parameters in called(name):
        for each in given.keys() & parameters.keys():
            other = parameters[each].default
            same = str(given[each]) == str(other)
            assert same or other in (None, False, Parameter.empty), f"{each}: {given[each]}, and {other} in the library"


def test_every_condition_is_an_option() -> None:
    assert tuple(name for name in (*READING_NAMES, *GRADING_NAMES) if name != "bounds") == CONDITIONS


def test_what_is_not_asked_is_left_to_the_function() -> None:
    def function(runs: list[str], measures: list[str] | None, depth: int = 3, comments: bool = False) -> object:
        return runs, measures, depth, comments

    call = Call({"runs": ("a", "b"), "measures": (), "depth": None, "comments": True, "other": 7})
    assert call(function) == (["a", "b"], None, 3, True)
    assert call(function, "c", depth=9) == ("c", None, 9, True)


MODES = (
    Mode("--all or --most", "nothing is left to name", ("names", "rest")),
    Mode("--kind slow", alone_has=("steps",), needs=("seed",), because="it draws"),
    Mode("--deep", when=lambda options: options["steps"] == 3, leaves_out=("seed",), because="it draws nothing"),
)


@derived(
    argument("names", required=False),
    *(option(flags, kind, "Help.", default) for flags, kind, default in (
        ("--all", bool, None), ("--most N", int, None), ("--rest", bool, None), ("--kind", str, "fast"),
        ("--steps", int, 2), ("--seed", int, None))),
    modes=MODES,
)  # fmt: skip
def moded(call: Call) -> None:
    """Do nothing."""
    click.echo(" ".join(f"{name}={value}" for name, value in call.options.items() if value))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "Missing argument 'NAMES', or --all or --most instead"),
        ("x --all", "with --all, leave NAMES out: nothing is left to name"),
        ("--most 3 --rest", "with --most, leave --rest out: nothing is left to name"),
        ("x --most 3 --rest", "with --most, leave NAMES and --rest out: nothing is left to name"),
        ("x --steps 2", "leave --steps out, or give --kind slow, too"),  # though it is the default
        ("x --kind slow", "with --kind slow, give --seed, too: it draws"),
        ("x --kind slow --steps 3 --seed 1", "with --deep, leave --seed out: it draws nothing"),
        ("x --rest --kind fast", ""),
        ("--most 3 --kind slow --seed 1 --steps 4", ""),
    ],
)
def test_what_a_mode_has_no_use_for_is_refused(given: str, said: str) -> None:
    found = CliRunner().invoke(moded, given.split())
    assert (found.exit_code, said in found.stderr) == (2 if said else 0, True), found.output


def test_the_help_says_which_modes_have_an_option() -> None:
    told = " ".join(CliRunner().invoke(moded, ["--help"]).stdout.split())
    assert "--rest Help. [not with --all or --most]" in told
    assert "Help. [only with --kind slow]" in told
    assert "--most N Help. --rest" in told


@each_of("name", commands())
def test_modes_name_what_their_command_has(name: str) -> None:
    command: click.Command = import_module(f"cranfield.cli.{name}").command
    params, cells = {each.name for each in command.params}, getattr(command.callback, "__closure__", None) or ()
    held = [cell.cell_contents for cell in cells if isinstance(cell.cell_contents, tuple | list)]
    for mode in (each for modes in held for each in modes if isinstance(each, Mode)):
        assert {*mode.leaves_out, *mode.needs, *mode.alone_has} - {*CONDITIONS} <= params
