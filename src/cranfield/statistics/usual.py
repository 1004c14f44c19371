"""The default test of runs, everywhere: a paired t-test, two-sided at 5%, corrected by Holm over the pairs of runs."""

from __future__ import annotations

from typing import Final, Literal

ALPHA: Final = 0.05
TEST: Final = "t"
CORRECTION: Final[Literal["holm"]] = "holm"
FEW_UNITS: Final = 25
"""With fewer topics, or clusters of them, all sign flips must confirm the verdict of Student's t."""
NOT_RUN: Final = 0.5
"""A run that lacks this share of the topics that some run has did not run, unless another share is asked for."""
ALL_RAN: Final = 2.0
"""No run lacks as many topics: those that did not run are left out already."""
