"""What the shell may offer while a command is typed: the names that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import click

Offered: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[str]]"


def offered(names: Callable[[], Iterable[str]]) -> Offered:
    """Offer the names that begin with what is typed; they are gathered when they are asked for.

    >>> offered(lambda: ["AP", "nDCG", "nERR"])(None, None, "n")
    ['nDCG', 'nERR']
    """

    def begun(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        del ctx, param
        return sorted(name for name in names() if name.startswith(typed))

    return begun


def measure_names() -> Iterable[str]:
    """Name the measures, without parameters and cutoffs."""
    from cranfield.measures import REGISTRY

    return REGISTRY


def figure_names() -> Iterable[str]:
    """Name the figures."""
    from cranfield.plots import PLOTS

    return PLOTS


def paper_names() -> Iterable[str]:
    """Name the papers that are redone."""
    from cranfield.reproductions import PAPERS

    return PAPERS


def method_names() -> Iterable[str]:
    """Name the methods that choose what to judge."""
    from cranfield.selection.method import METHODS

    return METHODS


def convention_names() -> Iterable[str]:
    """Name the conventions of tracks and tools."""
    from cranfield.conventions import TOOLS, TRACKS

    return [*TOOLS, *TRACKS]
