"""How often intervals of few topics held on real scores: what docs/calibration.md found, for a clause next to them."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["mean", "difference"]

HELD: Final[dict[Kind, dict[int, float]]] = {
    "mean": {2: 0.446, 3: 0.59, 4: 0.687, 5: 0.761, 6: 0.812, 10: 0.829, 25: 0.877, 50: 0.892},
    "difference": {2: 0.605, 3: 0.731, 4: 0.794, 5: 0.84, 6: 0.855, 10: 0.866, 25: 0.889, 50: 0.91},
}
"""The least share of 95% intervals that held, of all tables of scores, by number of topics."""
_ENOUGH: Final = 0.9  # An interval that holds as often needs no clause


def clause(of: Kind, topics: int, level: float = 0.95, unit: str = "topic") -> str:
    """Say how seldom 95% intervals of so few topics held, or clusters; an empty text where they held often enough."""
    fewer = [many for many in HELD[of] if many <= topics]
    if not fewer or topics > max(HELD[of]) or level != 0.95:  # what was not measured
        return ""
    held = HELD[of][max(fewer)]
    if held >= _ENOUGH:
        return ""
    told = f"95% intervals covered the true {of}"  # measured at this level; corrected ones may stand beside it
    return f"With so few {unit}s, {told} in as few as {100 * held:.0f} of 100 samples of real scores."
