"""Ferro and others (2016): Twist, the effort that a list costs, against the gain that it brings."""

from __future__ import annotations

from typing import Final

from cranfield.reproductions.claims import ClaimSetting
from cranfield.reproductions.paper import Paper

CORRELATED: Final = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist")
"""Those of the paper's experiments."""
THREE_QUARTERS: Final = (
    "The three quarters of the runs with the highest mean AP take part; AP, bpref and RBP are binary, from the lowest "
    "relevant grade on."
)
DATA: Final = (
    "TREC 10, 14, 20 and 21: 27 to 95 runs of 1,000 or 10,000 documents, pools 25 to 100 deep, 50 topics, 3 or 4 "
    "degrees"
)
"""What the paper's experiments are on."""
BEST: Final = f"{DATA}; the best three quarters of the runs by MAP"
FOUR_TRACKS: Final = ClaimSetting(runs=27, topics=20, depth=1000, pool=25)
"""The fewest systems, the shortest lists and the shallowest pool of the paper's Table 1."""
PAPER: Final = Paper(
    "twist",
    "The Twist measure for IR evaluation: taking user's effort into account",
    "Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), JASIST 67(3)",
    conditions=BEST,
    of=FOUR_TRACKS,
)

REPETITIONS: Final = 100
FEW: Final = 20


def family(measure: str) -> str:
    """Return the name of a measure without its parameters."""
    return measure.partition("(")[0].partition("@")[0]
