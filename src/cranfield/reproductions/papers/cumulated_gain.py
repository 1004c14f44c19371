"""Järvelin and Kekäläinen (2002): cumulated gain, with and without a discount, beside the ideal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.reports.document import Block, Statement
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.study import Study

PAPER: Final = Paper(
    "cumulated-gain",
    "Cumulated gain-based indicators of IR performance",
    "Järvelin and Kekäläinen (2002), Research Notes 2002-2, University of Tampere",
)


@PAPER.item("Figure 1", "Cumulated gain at ranks 1 to 200, and the ideal")
def figure_1(study: Study) -> Iterator[Block]:
    """Hold the curves against the ideal."""
    found = study.curve("CG(gains={1:1,2:10,3:100})", last_rank=200)
    yield Statement("The ideal levels off at rank 100.", f"rank {found.levels_off}", holds=None)
    yield study.plot("curves", "CG(gains={1:1,2:10,3:100})@200")


@PAPER.item("Table 1", "Averages, differences and their significance")
def table_1(study: Study) -> Iterator[Block]:
    """Hold the tests beside each other."""
    yield study.experiment("significance").table("agreement")
