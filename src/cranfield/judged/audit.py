"""The audit: what there is to know about runs and judgments before their scores are trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cranfield.judged.conditions import Order
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.results.html import html_table
from cranfield.results.result import Result
from cranfield.results.sheet import listed

UNJUDGED_AT = (10, 100)
_ORDERED = {
    "trec9": "scores compared in 32 bits, as trec_eval 9 does",
    "stable": "tied documents ranked by the order of the lines",
    "rank": "ranked by the rank column",
    "file": "ranked by the order of the lines",
}


_WITH = {
    "missing": ("lacks topics", "lack topics"),
    "extra": ("has topics without judgments", "have topics without judgments"),
    "empty": ("has empty topics", "have empty topics"),
}
"""What is said of one run, and of several, with topics of a kind."""
_SO = {
    "missing": 'they count 0, unless missing="empty" or topics="shared" is asked for',
    "extra": "they are not scored",
    "empty": "they are scored as lists without documents",
}
"""What follows from it."""
_UNJUDGED = "bounds=True says what that could change, judged_only=True drops them"
_TIED = "the id that is last in byte order comes first, as in trec_eval"
_TIED_RANKS = '; order="rank" takes the rank column instead'


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
    tops
        How many documents the first 10 and the first 100 are, over all its topics.
    """

    run: str
    topics: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    empty: tuple[str, ...]
    retrieved: int
    tied: int
    unjudged: tuple[float, ...]
    tops: tuple[int, ...] = ()

    @classmethod
    def of_parts(cls, parts: Sequence[RunAudit], judgments: Judgments | None = None) -> RunAudit:
        """Put together what was found of a run a few topics at a time, each topic once.

        Topics that it lacks are in the order of the judgments, or of their ids where there are none.

        >>> judgments = Judgments.of_dict({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}})
        >>> parts = (RunAudit("bm25", 1, (), ("9",), (), 10, 0, (0.5, 0.5), (10, 10)),
        ...          RunAudit("bm25", 1, ("2",), (), (), 5, 2, (0.2, 0.2), (5, 5)))
        >>> RunAudit.of_parts(parts, judgments)
        RunAudit(run='bm25', topics=2, missing=('2',), extra=('9',), empty=(), retrieved=15, tied=2,
        unjudged=(0.4, 0.4), tops=(15, 15))
        """
        tops, unjudged = [sum(counts) for counts in zip(*(part.tops for part in parts), strict=True)], []
        for k, there in enumerate(tops):
            judged = sum(round((1 - part.unjudged[k]) * part.tops[k]) for part in parts)
            unjudged.append(1 - judged / there if there else 0.0)
        missing = [topic for part in parts for topic in part.missing]
        return cls(
            run=parts[0].run,
            topics=sum(part.topics for part in parts),
            missing=tuple(sorted(missing, key=judgments.code_of_topic.__getitem__ if judgments else None)),
            extra=tuple(topic for part in parts for topic in part.extra),
            empty=tuple(topic for part in parts for topic in part.empty),
            retrieved=sum(part.retrieved for part in parts),
            tied=sum(part.tied for part in parts),
            unjudged=tuple(unjudged),
            tops=tuple(tops),
        )


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
    ranks
        Whether runs may have ranks, so that ties can be broken by them.
    """

    runs: tuple[RunAudit, ...]
    topics: int
    without_relevant: tuple[str, ...]
    order: Order = "score"
    passed_over: tuple[str, ...] = ()
    ranks: bool = True

    def __repr__(self) -> str:
        return f"Audit({counted(len(self.runs), 'run')}, {counted(self.topics, 'topic')})"

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
        text = lists.map_elements(lambda topics: listed(list(topics)), return_dtype=pl.String)
        return self.to_polars().with_columns(text)

    def caption(self, **which: object) -> str:
        """Say what was looked at."""
        del which
        return f"Audit of {counted(len(self.runs), 'run')} on {counted(self.topics, 'topic')}."

    def remarks(self) -> tuple[str, ...]:
        r"""Return a sentence for each fact, with what can be done about it.

        >>> found = Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ())
        >>> print(*found.remarks(), sep="\n")
        1 run lacks topics (bm25: 403): they count 0, unless missing="empty" or topics="shared" is asked for.
        Unjudged are 5.0 % of the top 10, 25.0 % of the top 100: bounds=True says what that could change, judged_only=True drops them.
        0.3 % of documents are tied: the id that is last in byte order comes first, as in trec_eval; order="rank" takes the rank column instead.
        """  # noqa: E501
        return tuple(self._remarks())

    def facts(self) -> tuple[str, ...]:
        """Return the same sentences without what can be done about it, for readers who only want to know.

        >>> print(Audit((RunAudit("bm25", 3, (), (), (), 2000, 6, (0.05, 0.25)),), 3, ()).facts()[1])
        Unjudged are 5.0 % of the top 10, 25.0 % of the top 100.
        """
        return tuple(self._remarks(advise=False))

    def _remarks(self, *, advise: bool = True) -> Iterator[str]:
        if not any(run.missing for run in self.runs):
            yield "Every run has every topic of the qrels."
        for of, so in _SO.items():
            yield from self._runs_with(of, f": {so if advise else so.partition(', unless')[0]}.")
        if any(share for run in self.runs for share in run.unjudged):
            yield f"Unjudged are {self._tops()}{f': {_UNJUDGED}' if advise else ''}."
        else:
            yield f"All documents of the top {UNJUDGED_AT[-1]} are judged."
        if self.tied:
            told = f": {_TIED}{_TIED_RANKS * self.ranks}"
            how = told if advise and self.order in {"score", "trec9"} else ""
            yield f"{_percent(self.tied)} of documents are tied{how}."
        if self.without_relevant:
            many = counted(len(self.without_relevant), "topic")
            yield f"{many} without a relevant document ({listed(self.without_relevant)}): kept in the averages."
        if self.passed_over:
            yield f"Passed over, since no run: {listed(self.passed_over)}. A file that is named itself is read."
        if self.order != "score":
            yield f"{_ORDERED[self.order].capitalize()}."

    def _repr_html_(self) -> str:
        return html_table(self.sheet().filled(), above=self.remarks())

    def __str__(self) -> str:
        return "\n".join(map(printable, [self.caption(), *self.remarks()]))

    @property
    def tied(self) -> float:
        """The share of documents, of all runs, that share their score with another of the topic."""
        retrieved = sum(run.retrieved for run in self.runs)
        return sum(run.tied for run in self.runs) / retrieved if retrieved else 0.0

    def line(self) -> str:
        """Return the audit in one line, as the command line prints it.

        >>> Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ()).line()
        '1 run, 3 topics; unjudged: 5.0 % of the top 10, 25.0 % of the top 100; 1 run lacks topics (bm25: 403); 0.3 % of documents tied'
        """  # noqa: E501
        parts = [f"{counted(len(self.runs), 'run')}, {counted(self.topics, 'topic')}"]
        parts.append(f"unjudged: {self._tops()}")
        for of in _WITH:
            parts += self._runs_with(of)
        if self.tied:
            parts.append(f"{_percent(self.tied)} of documents tied")
        if self.without_relevant:
            many = counted(len(self.without_relevant), "topic")
            parts.append(f"{many} without a relevant document ({listed(self.without_relevant)})")
        if self.passed_over:
            parts.append(f"no run, and passed over: {listed(self.passed_over)}")
        if self.order != "score":
            parts.append(_ORDERED[self.order])
        return "; ".join(parts)

    def _tops(self) -> str:
        """Say how much of the top is unjudged, and of which run most."""
        tops = []
        for i, k in enumerate(UNJUDGED_AT):
            share = [run.unjudged[i] for run in self.runs]
            worst = max(self.runs, key=lambda run: run.unjudged[i])
            text = f"{_percent(sum(share) / len(share))} of the top {k}"
            if worst.unjudged[i] >= 0.005 and len(self.runs) > 1:
                text += f" (most: {worst.run}, {_percent(worst.unjudged[i], decimals=0)})"
            tops.append(text)
        return ", ".join(tops)

    def _runs_with(self, of: str, so: str = "") -> Iterator[str]:
        """Say how many runs have topics of a kind, and which; of how many, where it is said what follows from it."""
        found = [(run.run, getattr(run, of)) for run in self.runs if getattr(run, of)]
        if found:
            of_all = so and len(self.runs) > 1
            many = f"{len(found)} of {counted(len(self.runs), 'run')}" if of_all else counted(len(found), "run")
            named = "; ".join(f"{run}: {listed(topics)}" for run, topics in found[:3])
            more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
            yield f"{many} {_WITH[of][len(found) > 1]} ({named}{more}){so}"


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
    tops = [int(np.minimum(length, k).sum()) for k in UNJUDGED_AT]
    unjudged = [
        1 - int((ranks <= k).sum()) / there if there else 0.0 for k, there in zip(UNJUDGED_AT, tops, strict=True)
    ]
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
        tops=tuple(tops),
    )


def without_relevant(judgments: Judgments, rel: float | None = None) -> tuple[str, ...]:
    """Return the topics that have no relevant document."""
    return tuple(t for t, base in zip(judgments.topics, judgments.recall_base(rel), strict=True) if base == 0)


def _percent(share: float, decimals: int = 1) -> str:
    return f"{100 * share:.{decimals}f} %"
