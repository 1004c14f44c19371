"""The command as it was typed, for what says how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join
from typing import Final

import click

_TYPED: Final = "cranfield.typed"


def remember(ctx: click.Context, arguments: Sequence[str]) -> None:
    """Keep what was typed behind ``cranfield``."""
    ctx.meta[_TYPED] = tuple(arguments)


def typed() -> str:
    """Return the command that was called, as it can be typed again."""
    return join(["cranfield", *click.get_current_context().meta[_TYPED]])
