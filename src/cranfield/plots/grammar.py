"""Vega-Lite's own words as calls, each of which returns a part of a specification: a plain dict.

What there is to say of a mark, a channel or a panel is in the reference of Vega-Lite. Wherever it
has ``data``, a table stands until `whole` gives each table one place and a name.

>>> points = chart(mark("point", size=45), x=field("mean:Q", title="AP"), y="run:N")
>>> points["mark"], points["encoding"]["x"]
({'type': 'point', 'size': 45}, {'field': 'mean', 'type': 'quantitative', 'title': 'AP'})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from cranfield.plumbing.lazy import pl

__all__ = [
    "Spec", "between", "chart", "concat", "dot", "field", "grid", "hconcat", "independent", "layer", "mark", "stack",
    "vconcat", "when", "whole",
]  # fmt: skip

Spec: TypeAlias = Mapping[str, Any]
"""A specification, or a part of one, as Vega-Lite or Vega has it."""
VEGA_LITE: Final = "https://vega.github.io/schema/vega-lite/v6.json"
TYPES: Final = {"N": "nominal", "Q": "quantitative"}
_SEVERAL: Final = ("layer", "concat", "hconcat", "vconcat")  # Under these names a view has other views


def field(column: str, **how: Any) -> dict[str, Any]:
    """Show a column: its name, with ``:N`` for names and ``:Q`` for quantities, and how; behind a blank its format."""
    name, _, kind = column.partition(":")
    kind, _, form = kind.partition(" ")
    return {"field": name, **({"type": TYPES[kind]} if kind else {}), **({"format": form} if form else {}), **how}


def between(low: float, high: float, **how: Any) -> dict[str, Any]:
    """Return a scale with exactly these ends."""
    return {"domain": [low, high], "nice": False, **how}


def when(test: str | Spec, then: object, otherwise: object) -> dict[str, Any]:
    """Choose between two values, by an expression or by a selection."""
    condition = {"test": test} if isinstance(test, str) else test
    return {"condition": {**condition, "value": then}, "value": otherwise}


def mark(kind: str, **looks: Any) -> dict[str, Any]:
    """Say what is drawn, and what it looks like wherever no channel says so."""
    return {"type": kind, **looks}


def dot(size: float, **looks: Any) -> dict[str, Any]:
    """Draw filled points of a size, as opaque as lines unless their looks say otherwise."""
    return {"type": "point", "filled": True, "size": size, "opacity": 1, **looks}


def chart(what: Spec, /, *, data: Any = None, where: Any = (), params: Any = (), **channels: Any) -> dict[str, Any]:
    """Draw a mark for every row of a table that fulfils the conditions; without a table, of that of the view around it.

    Channels are fields, values or conditions; a name in short is a field without more to say of it.
    """
    return {
        **({"data": data} if data is not None else {}),
        **({"params": params} if params else {}),
        **({"transform": [{"filter": each} for each in where]} if where else {}),
        "mark": what,
        "encoding": {name: _channel(each) for name, each in channels.items()},
    }


def _channel(given: Any) -> Any:
    if isinstance(given, str):
        return field(given)
    return [_channel(each) for each in given] if isinstance(given, list | tuple) else given


def layer(*views: Spec, **properties: Any) -> dict[str, Any]:
    """Draw views upon each other, the first below all others."""
    return {"layer": views, **properties}


def concat(*views: Spec, **properties: Any) -> dict[str, Any]:
    """Set views in rows of this many ``columns``."""
    return {"concat": views, **properties}


def grid(views: Sequence[Spec], columns: int, spacing: float, **properties: Any) -> Spec:
    """Set panels in rows; one panel stands alone."""
    return views[0] if len(views) == 1 else concat(*views, columns=columns, spacing=spacing, **properties)


def hconcat(*views: Spec, **properties: Any) -> dict[str, Any]:
    """Set views side by side."""
    return {"hconcat": views, **properties}


def vconcat(*views: Spec, **properties: Any) -> dict[str, Any]:
    """Set views below each other."""
    return {"vconcat": views, **properties}


def stack(views: Sequence[Spec], spacing: float, **properties: Any) -> Spec:
    """Set panels below each other; one panel stands alone."""
    return views[0] if len(views) == 1 else vconcat(*views, spacing=spacing, **properties)


def independent(*channels: str) -> dict[str, Any]:
    """Say which channels have a scale, and a legend, in each of the views for itself: a view's ``resolve``."""
    return {"scale": dict.fromkeys(channels, "independent")}


def whole(view: Spec) -> dict[str, Any]:
    """Return a specification that stands alone.

    Each table has one place and a name, however many views are of it. What can be selected in several views is one
    selection.
    """
    tables: dict[int, tuple[str, pl.DataFrame]] = {}
    params: dict[str, dict[str, Any]] = {}

    def settled(view: Spec) -> dict[str, Any]:
        found = dict(view)
        if "data" in found:
            table = found["data"]  # told by identity: equal tables that are two objects stand there twice
            found["data"] = {"name": tables.setdefault(id(table), (f"table_{len(tables) + 1}", table))[0]}
        for param in found.pop("params", ()):
            views = params.setdefault(param["name"], {**param, "views": []})["views"]
            found["name"] = f"{param['name']}_{len(views) + 1}"
            views.append(found["name"])
        inner = {name: [settled(each) for each in found[name]] for name in _SEVERAL if name in found}
        return found | inner | ({"spec": settled(found["spec"])} if "spec" in found else {})

    found = settled(view)
    return {
        "$schema": VEGA_LITE,
        **({"params": list(params.values())} if params else {}),
        **found,
        "datasets": {name: table.to_dicts() for name, table in tables.values()},
    }
