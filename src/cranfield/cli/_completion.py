"""What the shell may offer while a command is typed: the names that there are."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import click

Offered: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[str]]"


def offered(module: str, *tables: str) -> Offered:
    """Offer the names in tables of a module that begin with what is typed; it is imported when they are asked for.

    >>> offered("cranfield.conventions", "TOOLS", "TRACKS")(None, None, "trec-d")
    ['trec-dl', 'trec-dl-doc', 'trec-dl-v2']
    """

    def begun(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        del ctx, param
        found = import_module(module)
        return sorted(name for table in tables for name in getattr(found, table) if name.startswith(typed))

    return begun
