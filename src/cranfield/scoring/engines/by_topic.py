"""Rows that come sorted by topic, scored a few topics at a time: what an engine has each of its machines do.

The rows of a topic stand together: its judgments, and what every run retrieved for it. So whatever is
about a topic, bounds too, is known where its rows are; what is about the whole collection (`TopicWork`)
is known before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, isfinite
from typing import Final

import numpy as np

from cranfield.judged.audit import Audit, RunAudit, grades_of, without_relevant
from cranfield.judged.completions import Kind, surely
from cranfield.judged.conditions import Grading, Reading
from cranfield.judged.joining import Rows, rank, ranked_table
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.averaging import settled, summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK, RELEVANCE, RUN, SCORE, VALUE
from cranfield.plumbing.wording import by_number
from cranfield.scoring.blocks import Block, score
from cranfield.scoring.orientation import flattering, punishing

ROWS: Final = 500_000
"""How many rows are scored at a time, or one topic, if it has more."""


@dataclass(frozen=True, eq=False)
class TopicWork:
    """What is asked, and the facts of the whole collection, which the rows of a few topics do not tell."""

    runs: tuple[str, ...]  # the names of all runs; rows name them by their place here
    measures: tuple[Measure, ...]  # what to score by: numbers, at the relevance level that was asked for
    averages: tuple[str, ...]  # for each measure, how topics are averaged; no median
    # reading, grading: how runs are ranked, and judgments taken
    reading: Reading
    grading: Grading
    # top_grade, grades: the largest grade of the whole qrels, and which grades there are
    top_grade: float
    grades: Floats

    def of_collection(self, judgments: Judgments) -> Judgments:
        """Give the judgments of some topics the facts of the whole collection."""
        judgments.top_grade, judgments.grades = self.top_grade, self.grades
        return self.taken(judgments)

    def taken(self, judgments: Judgments) -> Judgments:
        """Take judgments as complete or not, as was asked; where unjudged documents are removed they are not."""
        return judgments.taken_as(complete=False if self.grading.judged_only else self.reading.complete)

    @property
    def facts(self) -> Judgments:
        """The facts of the whole collection alone."""
        return self.of_collection(Judgments.of_grades(np.zeros(0, np.int32), np.zeros(0), 0, self.top_grade))


@dataclass(frozen=True)
class Tally:
    """What is known of some topics once they are scored: enough for averages and audit, however many there were."""

    topics: int  # how many topics have judgments
    without_relevant: tuple[str, ...]  # those that have none that is relevant
    counted: tuple[int, ...]  # for each run, how many topics count in its averages
    # for each cell of (value, low, high; measures; runs) the numbers whose sum is the sum over topics: a float or two
    # for each part, so that no part's place in the order is heard
    sums: Floats
    audits: tuple[RunAudit, ...]  # one for each run
    kinds: dict[Measure, Kind] = field(default_factory=dict)  # what is sure about bounds
    kept: int = 0  # how many judgments above 0 are of documents that do not count

    @classmethod
    def of_block(cls, block: Block, judgments: Judgments, asked: TopicWork) -> Tally:
        """Count what was scored."""
        there = counted(block, asked.reading)
        values = block.values[np.newaxis] if block.limits is None else np.stack([block.values, *block.limits])
        sums = np.zeros((*values.shape[:3], 2))
        for place in np.ndindex(*values.shape[:3]):
            sums[place] = _added(summable(values[place][there[place[2]]], asked.averages[place[1]]))
        return cls(
            topics=len(judgments.topics),
            without_relevant=without_relevant(judgments, asked.grading.rel),
            counted=tuple(there.sum(axis=1).tolist()),
            sums=sums,
            audits=block.audits,
            kinds=block.kinds,
            kept=judgments.relevant_among(asked.reading.exclude),
        )

    @classmethod
    def together(cls, parts: Sequence[Tally]) -> Tally:
        """Put the parts of a collection together, in any order."""
        kinds = {
            measure: [part.kinds[measure] for part in parts if measure in part.kinds] for measure in parts[0].kinds
        }
        together = np.concatenate([part.sums for part in parts], axis=-1)
        sums = np.zeros((*together.shape[:3], 2))
        for place in np.ndindex(*sums.shape[:3]):
            sums[place] = _added(together[place])
        return cls(
            topics=sum(part.topics for part in parts),
            without_relevant=_in_order(topic for part in parts for topic in part.without_relevant),
            counted=tuple(map(sum, zip(*(part.counted for part in parts), strict=True))),
            sums=sums,
            audits=tuple(_by_id(RunAudit.of_parts(of_run)) for of_run in zip(*(p.audits for p in parts), strict=True)),
            kinds={measure: surely(*found) for measure, found in kinds.items()},
            kept=sum(part.kept for part in parts),
        )

    def audit(self, asked: TopicWork) -> Audit:
        """Put together what was found of the runs, and what is known of the qrels: the rows are looked at nowhere."""
        order, rel = asked.reading.order, asked.grading.rel
        heeded = any("rel" in measure.parameters and measure.rel == rel for measure in asked.measures)
        grades = grades_of(asked.grades, rel) if heeded else ()
        lacked, excluded = asked.reading.lacked, asked.reading.exclude
        return Audit(
            self.audits, self.topics, self.without_relevant, order,
            grades=grades, rel=rel, lacked=lacked, complete=asked.facts.complete_since,
            exclude=None if excluded is None else str(excluded), kept=self.kept,
            by_cost=tuple(str(measure) for measure in asked.measures if measure.by_cost),
            punish=punishing(asked.measures, asked.grades, rel) if self.without_relevant else (),
            flatter=flattering(asked.measures),
        )  # fmt: skip

    def averages(self, asked: TopicWork) -> Floats:
        """Array of shape (1, measures, runs): the averages; or (3, measures, runs), with the lowest and highest."""
        total, number = self.sums.sum(axis=-1), np.array(self.counted)
        return np.stack([settled(total[:, m], number, how) for m, how in enumerate(asked.averages)], axis=1)


def whole_topics(batches: Iterable[pl.DataFrame], rows: int = ROWS) -> Iterator[pl.DataFrame]:
    """Cut a stream of rows, sorted by topic, where topics end: tables of at least this many rows, and a last one."""
    pending: list[pl.DataFrame] = []
    size, last = 0, None
    for batch in batches:
        if not batch.height:
            continue
        topic = batch[QUERY][-1]
        ended = int(batch[QUERY].ne_missing(topic).sum())  # rows of topics that are complete
        if size + ended >= rows and (ended or (pending and topic != last)):
            yield pl.concat([*pending, batch[:ended]])
            pending, size, batch = [], 0, batch[ended:]  # noqa: PLW2901
        pending.append(batch)
        size, last = size + batch.height, topic
    if pending:
        yield pl.concat(pending)


def score_topics(
    rows: pl.DataFrame, asked: TopicWork, judged: Callable[[pl.DataFrame], Judgments]
) -> tuple[Block, Judgments]:
    """Score the topics of a table, all rows of which are there."""
    of_runs = rows.filter(pl.col(RUN).is_not_null())
    _refuse_holes(of_runs, asked)
    rows_judged = rows.filter(pl.col(RUN).is_null()).select(QUERY, DOCUMENT, pl.col(VALUE).alias(RELEVANCE))
    judgments = asked.taken(judged(rows_judged))
    tables = of_runs.rename({VALUE: SCORE}).partition_by(RUN, as_dict=True, include_key=False)
    nothing = of_runs.rename({VALUE: SCORE}).drop(RUN).clear()
    runs = [Rows(name, tables.get((place,), nothing)) for place, name in enumerate(asked.runs)]
    if asked.grading.bounds:
        judgments = _with_retrieved(runs, judgments, asked)
    rankings = JudgedRankings.batch([rank(run, judgments, asked.reading) for run in runs])
    return score(rankings, asked.measures, asked.grading), judgments


def counted(block: Block, reading: Reading) -> Booleans:
    """Array of shape (runs, topics): which topics count, and have a row in the table."""
    return block.present | (reading.topics == "all")


def long_rows(block: Block, judgments: Judgments, asked: TopicWork) -> pl.DataFrame:
    """Lay values out: run, topic, and the columns of each measure by number, value0, low0, high0, value1, ..."""
    there = counted(block, asked.reading)
    run, topic = np.nonzero(there)
    columns = [
        pl.Series(name, names, dtype=pl.String).gather(places)
        for name, names, places in (("run", asked.runs, run), ("topic", judgments.topics, topic))
    ]
    for m in range(len(asked.measures)):
        columns.append(pl.Series(f"value{m}", block.values[m][there]))
        if block.limits is not None:
            columns += [pl.Series(f"{end}{m}", block.limits[i, m][there]) for i, end in enumerate(("low", "high"))]
    return pl.DataFrame(columns)


def _with_retrieved(runs: Sequence[Rows], judgments: Judgments, asked: TopicWork) -> Judgments:
    """Take note of what all runs retrieved for these topics."""
    depth = asked.reading.depth
    tables = [
        (run.but_excluded(asked.reading).table if depth is None else ranked_table(run, asked.reading)).select(
            QUERY, DOCUMENT
        )
        for run in runs
    ]
    found = pl.concat(tables).filter(pl.col(QUERY).is_in(list(judgments.code_of_topic))).unique(maintain_order=True)
    topic = found[QUERY].replace_strict(judgments.code_of_topic, return_dtype=pl.Int32).to_numpy()
    known = judgments.with_retrieved(topic, found[DOCUMENT].rechunk())
    known.grades = np.append(judgments.grades, np.nan)
    return known


def _refuse_holes(rows: pl.DataFrame, asked: TopicWork) -> None:
    """Refuse rows without an id or a number."""
    holes = {
        "the query_id is missing": pl.col(QUERY).fill_null("") == "",
        "the doc_id is missing": pl.col(DOCUMENT).fill_null("") == "",
        "the score is missing, or no number": pl.col(VALUE).fill_null(np.nan).is_nan(),
    }
    if RANK in rows.columns:
        holes["the rank is missing"] = pl.col(RANK).is_null()
    wrong = rows.filter(pl.any_horizontal(holes.values()))
    if wrong.height:
        problem = next(problem for problem, hole in holes.items() if wrong.select(hole.first()).item())
        where = f"topic {wrong[QUERY][0]!r}, document {wrong[DOCUMENT][0]!r}"
        raise InputError(f"{problem} ({where})", source=asked.runs[wrong[RUN][0]])


def _added(values: Floats) -> tuple[float, float]:
    """Add up: the sum as a float, and what rounding left of it."""
    numbers = values.tolist()
    total = fsum(numbers)
    return total, fsum([*numbers, -total]) if isfinite(total) else 0.0


def _by_id(audit: RunAudit) -> RunAudit:
    """Bring topics into an order that does not depend on where they lay."""
    return replace(audit, extra=_in_order(audit.extra), empty=_in_order(audit.empty), own=_in_order(audit.own))


def _in_order(topics: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(topics, key=by_number))
