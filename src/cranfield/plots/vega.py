"""Vega's own words as calls, for what Vega-Lite cannot say: brushes on several axes, strips under one cursor.

A channel is a plain value, or what `signal` or `at` return; as in `grammar`, each call returns a plain dict.

>>> mark("rule", "rows", update={"x": at("x", "rank"), "y2": signal("height")}, enter={"stroke": "#000000"})["encode"]
{'enter': {'stroke': {'value': '#000000'}}, 'update': {'x': {'scale': 'x', 'field': 'rank'}, 'y2': {'signal': 'height'}}}
"""  # noqa: E501

from __future__ import annotations

from typing import Any, Final

from cranfield.plots.grammar import Spec

VEGA: Final = "https://vega.github.io/schema/vega/v6.json"
SILENT: Final[dict[str, Any]] = {"interactive": False, "aria": False}
"""Marks that take no pointer, and of which nothing is read out."""


def signal(expression: str) -> dict[str, str]:
    """Take what an expression says."""
    return {"signal": expression}


def at(scale: str, column: str) -> dict[str, Any]:
    """Place a column on a scale."""
    return {"scale": scale, "field": column}


def linear(name: str, **how: Any) -> dict[str, Any]:
    """Return a scale of numbers."""
    return {"name": name, "type": "linear", **how}


def mark(
    kind: str,
    rows: str = "",
    *,
    enter: Spec | None = None,
    update: Spec | None = None,
    hover: Spec | None = None,
    **how: Any,
) -> dict[str, Any]:
    """Draw a mark for each row, if it is of rows: what it looks like from the first, always, and under a pointer."""
    sets = {name: given for name, given in (("enter", enter), ("update", update), ("hover", hover)) if given}
    encoded = {
        name: {channel: each if isinstance(each, dict) else {"value": each} for channel, each in given.items()}
        for name, given in sets.items()
    }
    return {"type": kind, **how, **({"from": {"data": rows}} if rows else {}), "encode": encoded}  # fmt: skip


def span(bottom: Any = None) -> dict[str, Any]:
    """Return the channels of what reaches from the left to the right, and from the top to there, or to the foot."""
    return {"x": 0, "x2": signal("width"), "y": 0, "y2": signal("height") if bottom is None else bottom}
