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
from typing import Any

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


def called(module: str, function: str = "") -> Iterator[dict[str, Parameter]]:
    """Give the parameters of every function that the options of a command, or of one function of it, are handed to."""
    tree, homes = calls(module)
    [within] = [each for each in ast.walk(tree) if getattr(each, "name", None) == function] or [tree]
    for node in ast.walk(within):
        if not isinstance(node, ast.Call):
            continue
        if re.fullmatch(r"(call|left)(\.without\(.*\))?", ast.unparse(node.func)):
            name, _, method = ast.unparse(node.args[0]).partition(".")
            home, _, of = homes.get(name, f"cranfield.cli.{module}:{name}").partition(":")
            found: Any = import_module(f"{home}.{of}") if method and of.islower() else getattr(import_module(home), of)
            found = getattr(found, method) if method else found
            yield dict((spelled_out(found) or inspect.signature(found)).parameters)
        elif function and "call" in map(ast.unparse, node.args):
            home, _, of = homes.get(ast.unparse(node.func), f"{module}:{ast.unparse(node.func)}").partition(":")
            yield from called(home.removeprefix("cranfield.cli."), of)


def commands() -> list[str]:
    """Name the commands that hand their options on."""
    return [path.stem for path in sorted(HOME.glob("[a-z]*.py")) if any(True for _ in called(path.stem))]


def modes_of(command: click.Command) -> list[Mode]:
    cells = getattr(command.callback, "__closure__", None) or ()
    held = [cell.cell_contents for cell in cells if isinstance(cell.cell_contents, tuple | list)]
    return [each for modes in held for each in modes if isinstance(each, Mode)]


def choosing(command: click.Command, modes: list[Mode]) -> set[str]:
    """Name the options that choose one of these modes."""
    flags = {word for mode in modes for each in mode.given.split(" or ") for word in each.split()[:1]}
    return {str(each.name) for each in command.params if flags & {*each.opts, str(each.name).upper()}}


@each_of("name", commands())
def test_a_mode_has_no_option_that_what_it_does_would_not_look_at(name: str) -> None:
    command: click.Command = import_module(f"cranfield.cli.{name}").command
    modes = modes_of(command)
    for does in {each.does for each in modes if each.does is not None}:
        typed = {each.given for each in modes if each.does is does}
        its = [each for each in modes if each.given in typed]
        refused = {each for mode in its for each in mode.leaves_out}
        refused |= {each for mode in modes if {*mode.leaves_out} & choosing(command, its)
                    for each in choosing(command, [mode])}  # fmt: skip
        lacking = [each for each in modes if each not in its and choosing(command, [each]) <= refused]
        refused |= {each for mode in lacking for each in mode.alone_has}
        looked_at = {*inspect.signature(does).parameters} | EVERYWHERE | choosing(command, its)
        looked_at |= {each for parameters in called(name, does.__name__) for each in parameters}
        left = {str(each.name) for each in command.params if each.expose_value} - refused - looked_at
        assert left == set(), does.__name__


@each_of("name", commands())
def test_every_option_reaches_something(name: str) -> None:
    command: click.Command = import_module(f"cranfield.cli.{name}").command
    tree, _ = calls(name)
    bodies = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    own = {each.arg for node in bodies for each in (*node.args.args, *node.args.kwonlyargs)}
    own |= choosing(command, modes_of(command))
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
    params = {each.name for each in command.params}
    for mode in modes_of(command):
        assert {*mode.leaves_out, *mode.needs, *mode.alone_has} - {*CONDITIONS} <= params


OF_VALUES = {"gate": "--margin", "experiment": "-o", "_files": "--measure", "choose": "--tree"}
"""Refusals that name two options for what no declaration sees: units and paths that these hold, and a terminal."""


def test_which_options_go_together_is_declared_and_not_refused_by_hand() -> None:
    by_hand = []
    for path in sorted(HOME.glob("*.py")):
        tree, _ = calls(path.stem)
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.Raise)):
            said = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            flags = set(
                re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(each for each in said if isinstance(each, str)))
            )
            if len(flags) > 1 and not flags & {OF_VALUES.get(path.stem)}:
                by_hand.append(f"{path.name}:{node.lineno} {sorted(flags)}")
    assert by_hand == []
