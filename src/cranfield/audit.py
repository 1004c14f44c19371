"""The audit: what there is to know about runs and judgments before their scores are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cranfield.arrays import Integers
from cranfield.conditions import Order
from cranfield.interchange import record
from cranfield.judgments import Judgments
from cranfield.lazily import pl
from cranfield.results import Result

UNJUDGED_AT = (10, 100)
_ORDERED = {
    "trec9": "scores compared in 32 bits, as trec_eval 9 does",
    "rank": "ranked by the rank column",
    "file": "ranked by the order of the lines",
}


@record
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
        Topics of the qrels that it lacks; topics that the qrels lack; topics for which it retrieved
        nothing.
    retrieved, tied
        How many documents it has in the topics of the qrels, and how many of them share their score
        with another.
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


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
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
    passed_over
        Files in folders of runs that are plainly no run, and were not read.
    """

    runs: tuple[RunAudit, ...]
    topics: int
    without_relevant: tuple[str, ...]
    order: Order = "score"
    passed_over: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Audit({_number(len(self.runs), 'run')}, {_number(self.topics, 'topic')})"

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a table with a row for each run, topics as lists."""
        del which
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

    def table(self, **which: object) -> pl.DataFrame:
        """Return the same with topics as text, of many the first ones."""
        del which
        lists = pl.selectors.by_dtype(pl.List(pl.String))
        return self.to_polars().with_columns(lists.map_elements(_listed, return_dtype=pl.String))

    def caption(self, **which: object) -> str:
        """Say what was found, in one line."""
        del which
        return self.line()

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
        if self.passed_over:
            parts.append(f"no run, and passed over: {_listed(self.passed_over)}")
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


def audit_run(
    run: str,
    judgments: Judgments,
    topics: Integers,
    length: Integers,
    ranks: Integers,
    extra: tuple[str, ...],
    tied: int,
) -> RunAudit:
    """Look at one run: the codes and lengths of its topics, and the ranks of its judged documents."""
    unjudged = []
    for k in UNJUDGED_AT:
        retrieved = int(np.minimum(length, k).sum())
        unjudged.append(1 - int((ranks <= k).sum()) / retrieved if retrieved else 0.0)
    there = np.zeros(len(judgments.topics), bool)
    there[topics] = True
    return RunAudit(
        run=run,
        topics=int(there.sum()),
        missing=tuple(judgments.topics[code] for code in np.flatnonzero(~there)),
        extra=extra,
        empty=tuple(judgments.topics[code] for code in topics[length == 0]),
        retrieved=int(length.sum()),
        tied=tied,
        unjudged=tuple(unjudged),
    )


def without_relevant(judgments: Judgments, rel: float | None = None) -> tuple[str, ...]:
    """Return the topics that have no relevant document."""
    return tuple(t for t, base in zip(judgments.topics, judgments.recall_base(rel), strict=True) if base == 0)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _listed(topics: Sequence[str]) -> str:
    topics = list(topics)
    return ", ".join(topics[:3]) + (f" and {len(topics) - 3} more" if len(topics) > 3 else "")
