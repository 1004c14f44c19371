"""What the shell may offer while a command is typed: the existing names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import click

Offered: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[str]]"


def offered(module: str, *tables: str) -> Offered:
    """Complete names from tables of a module, which is imported only when asked."""

    def begun(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        del ctx, param
        found = import_module(module)
        return sorted(name for table in tables for name in getattr(found, table) if name.startswith(typed))

    return begun
