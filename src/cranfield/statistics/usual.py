"""The usual test of runs, at every door: a paired t-test, two-sided at 5%, corrected by Holm over the pairs of runs."""

from __future__ import annotations

from typing import Final, Literal

ALPHA: Final = 0.05
TEST: Final = "t"
CORRECTION: Final[Literal["holm"]] = "holm"
NOT_RUN: Final = 0.5
"""A run that lacks this share of the topics that some run has did not run, unless another share is asked for."""
