"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def measures_from(command: _Command) -> _Command:
    """Add ``--measures-from FILE``, which makes measures of one's own known before anything else happens."""

    def load(ctx: click.Context, option: click.Parameter, files: tuple[str, ...]) -> None:
        del ctx, option
        if files:
            from cranfield.measures.own import load_measures

            for file in files:
                load_measures(file)

    return click.option(
        "--measures-from",
        metavar="FILE",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=load,
        help="A Python file with measures of your own (it is run: load only what you trust).",
    )(command)
