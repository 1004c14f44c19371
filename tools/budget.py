"""How large is the house? Lines of each room, options of each command, parameters of the functions that have many.

```console
python -m tools.budget           # what there is, beside what there may be
python -m tools.budget --lower   # write down what has become less
```

`tests/house/budget.toml` holds what there may be, and a test refuses more. It is lowered by this command; whoever
raises it changes a line by hand, and says why in a comment beside it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Final

import click

from tools.sources import SOURCE, nodes

BUDGET: Final = Path(__file__).parents[1] / "tests" / "house" / "budget.toml"
MOST_PARAMETERS: Final = 20
"""A function with more is named in the budget."""


def lines() -> dict[str, int]:
    """Count the lines of each room; what stands outside of all rooms is one."""
    found: dict[str, int] = {}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0]
        room = room if (SOURCE / room).is_dir() else "outside"
        found[room] = found.get(room, 0) + path.read_bytes().count(b"\n")
    return dict(sorted(found.items()))


def options() -> dict[str, int]:
    """Count the options of each command."""
    from cranfield.cli import main

    found: dict[str, int] = {}

    def count(name: str, command: click.Command) -> None:
        if isinstance(command, click.Group):
            for part in command.list_commands(click.Context(command)):
                inside = command.get_command(click.Context(command), part)
                if inside is not None:
                    count(f"{name} {part}".strip(), inside)
        else:
            found[name] = sum(isinstance(each, click.Option) for each in command.params)

    count("", main)
    return dict(sorted(found.items()))


def parameters() -> dict[str, int]:
    """Count the parameters of each function that has more than most; ``**conditions`` count as one."""
    found: dict[str, int] = {}
    for path in SOURCE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                given = node.args
                many = sum(map(len, (given.posonlyargs, given.args, given.kwonlyargs))) + bool(given.kwarg)
                if many > MOST_PARAMETERS:
                    name = f"{path.relative_to(SOURCE).with_suffix('').as_posix()}.{node.name}"
                    found[name] = max(many, found.get(name, 0))
    return dict(sorted(found.items()))


def there_is() -> dict[str, dict[str, int]]:
    """Count all."""
    return {"lines": lines(), "options": options(), "parameters": parameters()}


def may_be() -> dict[str, dict[str, int]]:
    """Read the budget."""
    return tomllib.loads(BUDGET.read_text(encoding="utf-8"))


def lowered(text: str, part: str, name: str, number: int) -> str:
    """Write a lower number in the line of a name, and leave the rest of the line as it is."""
    head, mark, rest = text.partition(f"[{part}]\n")
    return (
        head + mark + re.sub(rf'^("?{re.escape(name)}"? = )\d+', rf"\g<1>{number}", rest, count=1, flags=re.MULTILINE)
    )


@click.command()
@click.option("--lower", is_flag=True, help="Write down what has become less.")
def main(*, lower: bool) -> None:
    """Print what there is, beside what there may be."""
    text, limits = BUDGET.read_text(encoding="utf-8"), may_be()
    for part, found in there_is().items():
        click.echo(f"{part}: {sum(found.values()):,} of {sum(limits[part].values()):,}")
        for name, number in found.items():
            most = limits[part].get(name, 0)
            if number != most:
                click.echo(f"  {name}: {number:,} of {most:,}")
            if lower and number < most:
                text = lowered(text, part, name, number)
    if lower:
        BUDGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
