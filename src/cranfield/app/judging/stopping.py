"""When it is enough, by the names of rules, as they are given on the command line and on the organiser's page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.selection.stop_rules import FewRelevantLeft, LeaderAbove, LeaderDecided, ResidualBelow, StopRule

RULES: Final[dict[str, Callable[[float | None], StopRule]]] = {
    "leader": lambda given: LeaderAbove(),
    "decided": lambda given: LeaderDecided(level=0.05 if given is None else given),
    "residual": lambda given: ResidualBelow(0.05 if given is None else given),
    "left": lambda given: FewRelevantLeft(10 if given is None else int(given)),
}
"""Rules by name; a number may stand behind ``=``."""


def rule_named(written: str) -> StopRule:
    """Return a rule by its name.

    >>> rule_named("residual=0.1")
    ResidualBelow(bound=0.1, share=1.0)
    """
    name, equals, number = written.partition("=")
    try:
        given = float(number) if equals else None
        if name in RULES:
            return RULES[name](given)
    except ValueError:
        pass
    raise InputError(f"a stop rule is {', '.join(RULES)}, perhaps with a number (residual=0.05), not {shown(written)}")
