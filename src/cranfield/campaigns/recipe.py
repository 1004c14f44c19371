"""What a simulated campaign is made from: a handful of whole numbers, checked here and nowhere else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from cranfield.plumbing.errors import InputError

RANGES: Final[dict[str, tuple[int, int | None]]] = {
    "systems": (4, 10_000),
    "topics": (1, 1_000),
    "depth": (1, 10_000),
    "seed": (0, None),
    "pool_depth": (1, 10_000),
    "top_grade": (1, 3),
}


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The parameters of a simulated campaign, each within its range.

    >>> Parameters(systems=1)
    Traceback (most recent call last):
    ...
    cranfield.InputError: simulated campaign: systems must be a whole number from 4 to 10000, not 1
    """

    systems: int = 24
    topics: int = 50
    depth: int = 1000
    seed: int = 7
    pool_depth: int = 100
    top_grade: int = 2

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            low, high = RANGES[name]
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or value < low or (high is not None and value > high):
                allowed = f"from {low} to {high}" if high is not None else f"of at least {low}"
                raise InputError(f"{name} must be a whole number {allowed}, not {value!r}", source="simulated campaign")

    @property
    def command(self) -> str:
        """The command that makes this campaign again, in the folder DIR."""
        options = (f"--{name.replace('_', '-')} {value}" for name, value in asdict(self).items())
        return " ".join(["cranfield simulate DIR", *options])

    @property
    def candidates(self) -> int:
        """How many documents of the collection a system can choose from, for each topic."""
        return max(5 * self.depth, 1000)
