"""Angelini and others (2012): how far documents are from where they belong, cumulated, and four indicators of it."""

from __future__ import annotations

from typing import Final

from cranfield.plumbing.lazy import pl
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.relative_position import by_ranking
from cranfield.reproductions.study import Study

PAPER: Final = Paper(
    "cumulated-relative-position",
    "Cumulated relative position: a metric for ranking evaluation",
    "Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), CLEF",
)

INDICATORS: Final = ("RecoveryValue", "BalanceRatio", "CRPMin", "CRPN")
"""Equations 6 to 9."""
WITHOUT: Final = "Topics without a relevant document are left out."
PROVED: Final = "What is false of it has a smallest example on the page of claims; here it is counted."


def chosen(study: Study) -> tuple[str, str]:
    """Choose the run with the highest mean recovery value, and of the topics on which it recovers the middle one."""
    of_topics = by_ranking(study, INDICATORS).with_columns(mean=pl.col("RecoveryValue").mean().over("run"))
    best = of_topics.sort("mean", descending=True, maintain_order=True)["run"][0]
    topics = of_topics.filter(pl.col("run") == best).sort("RecoveryValue", maintain_order=True)
    recovers = topics.filter(pl.col("RecoveryValue") > 0)["topic"]
    return best, recovers[len(recovers) // 2] if len(recovers) else topics["topic"][0]
