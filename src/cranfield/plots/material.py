"""What figures are drawn from: tidy tables by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.plumbing.lazy import pl


@dataclass(frozen=True)
class Material:
    """What figures are drawn from.

    Attributes
    ----------
    source
        What it is: ``"scores"``, ``"curves"``, or the name of an experiment.
    tables
        Its tidy tables by name, each made when it is asked for.
    about
        What it follows from: how many runs and topics, and what was unusual.
    topic
        The only topic that was looked at, if it was one.
    """

    source: str
    tables: Mapping[str, Callable[[], pl.DataFrame]]
    about: str
    topic: str | None = None
