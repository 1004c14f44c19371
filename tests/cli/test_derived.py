"""What a command takes reaches a function, and what it says of a default is what that function has."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import Parameter
from pathlib import Path

import click
import pytest
from tools.each import each_of

from cranfield.cli import main
from cranfield.cli._derived import Call, refuse, refuse_each
from cranfield.cli._options import CONDITIONS
from cranfield.judged.conditions import GRADING_NAMES, READING_NAMES
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.unpacked import spelled_out

HOME = Path(inspect.getfile(main.__class__)).parent
EVERYWHERE = {"format_", "output", "quiet", "audit", "strict", "measures_from", "plot", "keep", "since", "settings"}
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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "call":
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
        for option in given.keys() & parameters.keys():
            other = parameters[option].default
            same = str(given[option]) == str(other)
            assert same or other in (None, False, Parameter.empty), (
                f"{option}: {given[option]}, and {other} in the library"
            )


def test_every_condition_is_an_option() -> None:
    assert tuple(name for name in (*READING_NAMES, *GRADING_NAMES) if name != "bounds") == CONDITIONS


def test_what_is_not_asked_is_left_to_the_function() -> None:
    def function(runs: list[str], measures: list[str] | None, depth: int = 3, comments: bool = False) -> object:
        return runs, measures, depth, comments

    call = Call({"runs": ("a", "b"), "measures": (), "depth": None, "comments": True, "other": 7})
    assert call(function) == (["a", "b"], None, 3, True)
    assert call(function, "c", depth=9) == ("c", None, 9, True)
    assert call.asked("runs", "measures", "depth", "comments") == ["runs", "comments"]


def test_options_that_do_not_go_together_are_refused_by_name() -> None:
    refuse({"a": False, "b": None, "c": ""})
    with pytest.raises(InputError, match=r"^b$"):
        refuse({"a": False, "b": True, "c": True})
    refuse_each(["x"], "is not for y", where=False)
    with pytest.raises(click.UsageError, match=r"^--x is not for y$"):
        refuse({"--x is not for y": True}, click.UsageError)
