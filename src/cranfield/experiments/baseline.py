"""The run that others are compared with: named, or the first that was given."""

from __future__ import annotations

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import did_you_mean, named
from cranfield.scoring.panel import Panel


def baseline_of(panel: Panel, name: str) -> tuple[int, list[int]]:
    """Return the position of the baseline, and those of all other runs, in order.

    >>> from cranfield import evaluate
    >>> from cranfield.scoring.panel import panel_of
    >>> panel = panel_of(evaluate({"1": {"a": 1}}, {name: {"1": ["a"]} for name in ("x", "y", "z")}, "RR"))
    >>> baseline_of(panel, ""), baseline_of(panel, "y")
    ((0, [1, 2]), (1, [0, 2]))
    """
    if name and name not in panel.runs:
        hint = did_you_mean(name, panel.runs) or f"; there are {named(panel.runs)}"
        raise InputError(f"no run is called {name!r}, the baseline{hint}")
    place = panel.runs.index(name) if name else 0
    if len(panel.runs) < 2:
        raise InputError(f"a baseline is compared with other runs; {panel.runs[0]} is alone, give two runs or more")
    return place, [run for run in range(len(panel.runs)) if run != place]
