"""The audit: what there is to know about runs and judgments before their scores are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from cranfield.joining import Order
from cranfield.judgments import Judgments
from cranfield.rankings import JudgedRankings, RankedRun

UNJUDGED_AT = (10, 100)
_ORDERED = {
    "trec9": "scores compared in 32 bits, as trec_eval 9 does",
    "rank": "ranked by the rank column",
    "file": "ranked by the order of the lines",
}


@dataclass(frozen=True)
class RunAudit:
    """What was found of one run.

    Attributes
    ----------
    run
        Its name.
    topics
        How many topics of the qrels it has.
    missing, extra, empty
        Topics of the qrels that it lacks; topics that the qrels lack; topics for which it retrieved nothing.
    retrieved, tied
        How many documents it has in the topics of the qrels, and how many of them share their score with another.
    unjudged
        The share of unjudged documents among the first 10 and the first 100, over all its topics.
    """

    run: str
    topics: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    empty: tuple[str, ...]
    retrieved: int
    tied: int
    unjudged: tuple[float, ...]


@dataclass(frozen=True)
class Audit:
    """What was found of all runs and of the qrels. (A document twice in a run is not found here: it is refused.)

    Attributes
    ----------
    runs
        One entry a run, in the order of the runs.
    topics
        How many topics the qrels have.
    without_relevant
        Topics of the qrels without a relevant document.
    order
        What ranked the documents; anything but their scores in 64 bits is said.
    """

    runs: tuple[RunAudit, ...]
    topics: int
    without_relevant: tuple[str, ...]
    order: Order = "score"

    def to_polars(self) -> pl.DataFrame:
        """Return a table with a row for each run."""
        return pl.DataFrame(
            {
                "run": [run.run for run in self.runs],
                "topics": [run.topics for run in self.runs],
                "missing_topics": [list(run.missing) for run in self.runs],
                "extra_topics": [list(run.extra) for run in self.runs],
                "empty_topics": [list(run.empty) for run in self.runs],
                "retrieved": [run.retrieved for run in self.runs],
                "tied": [run.tied for run in self.runs],
                **{f"unjudged@{k}": [run.unjudged[i] for run in self.runs] for i, k in enumerate(UNJUDGED_AT)},
            },
            schema_overrides=dict.fromkeys(("missing_topics", "extra_topics", "empty_topics"), pl.List(pl.String)),
        )

    def line(self) -> str:
        """Return the audit in one line, as the command line prints it.

        >>> Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ()).line()
        '1 run, 3 topics; unjudged: 5.0 % of the top 10, 25.0 % of the top 100; 1 run lacks topics (bm25: 403); 0.3 % of documents tied'
        """  # noqa: E501
        parts = [f"{_number(len(self.runs), 'run')}, {_number(self.topics, 'topic')}"]
        tops = []
        for i, k in enumerate(UNJUDGED_AT):
            share = [run.unjudged[i] for run in self.runs]
            worst = max(self.runs, key=lambda run: run.unjudged[i])
            text = f"{sum(share) / len(share):.1%} of the top {k}".replace("%", " %")
            if worst.unjudged[i] >= 0.005 and len(self.runs) > 1:
                text += f" (most: {worst.run}, {worst.unjudged[i]:.0%})".replace("%)", " %)")
            tops.append(text)
        parts.append("unjudged: " + ", ".join(tops))
        parts += self._topics("lacks topics", "lack topics", [(run.run, run.missing) for run in self.runs])
        parts += self._topics(
            "has topics without judgments", "have topics without judgments", [(run.run, run.extra) for run in self.runs]
        )
        parts += self._topics("has empty topics", "have empty topics", [(run.run, run.empty) for run in self.runs])
        tied, retrieved = sum(run.tied for run in self.runs), sum(run.retrieved for run in self.runs)
        if tied:
            parts.append(f"{tied / retrieved:.1%} of documents tied".replace("%", " %"))
        if self.without_relevant:
            many = _number(len(self.without_relevant), "topic")
            parts.append(f"{many} without a relevant document ({_listed(self.without_relevant)})")
        if self.order != "score":
            parts.append(_ORDERED[self.order])
        return "; ".join(parts)

    @staticmethod
    def _topics(one: str, several: str, found: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
        found = [(run, topics) for run, topics in found if topics]
        if not found:
            return []
        named = "; ".join(f"{run}: {_listed(topics)}" for run, topics in found[:3])
        more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
        return [f"{_number(len(found), 'run')} {one if len(found) == 1 else several} ({named}{more})"]


def audit_batch(ranked: Sequence[RankedRun], rankings: JudgedRankings) -> list[RunAudit]:
    """Look at a batch of runs."""
    shape = (len(ranked), len(rankings.topics))
    unjudged = []
    for k in UNJUDGED_AT:
        length = np.minimum(rankings.length, k).reshape(shape).sum(axis=1)
        judged = rankings.cut(k).judged.count.reshape(shape).sum(axis=1)
        unjudged.append(1 - np.divide(judged, length, out=np.ones(len(length)), where=length > 0))
    present, length = rankings.present.reshape(shape), rankings.length.reshape(shape)
    topics = np.array(rankings.topics, dtype=object)
    return [
        RunAudit(
            run=run.name,
            topics=int(present[i].sum()),
            missing=tuple(topics[~present[i]]),
            extra=run.extra,
            empty=tuple(topics[present[i] & (length[i] == 0)]),
            retrieved=int(length[i].sum()),
            tied=run.tied,
            unjudged=tuple(float(share[i]) for share in unjudged),
        )
        for i, run in enumerate(ranked)
    ]


def without_relevant(judgments: Judgments) -> tuple[str, ...]:
    """Return the topics that have no relevant document."""
    return tuple(t for t, base in zip(judgments.topics, judgments.recall_base(None), strict=True) if base == 0)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _listed(topics: Sequence[str]) -> str:
    return ", ".join(topics[:3]) + (f" and {len(topics) - 3} more" if len(topics) > 3 else "")
