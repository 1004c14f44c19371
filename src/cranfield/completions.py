"""Completions: what the judgments could have been, had the unjudged documents of a ranking been judged as well."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.arrays import Integers, members, nth_within, starts
from cranfield.judgments import Judgments
from cranfield.rankings import JudgedRankings


class Completions:
    """Rankings whose unjudged retrieved documents can be given grades, row by row.

    In the completed rankings each row has judgments of its own (its topic's, and those of its
    unjudged documents), so that the recall base grows with what is found relevant in that row, and
    in no other.

    Examples
    --------
    A list with a relevant document at rank 2 and unjudged ones at ranks 1 and 3; one of them is
    found relevant:

    >>> from cranfield.rankings import one_ranking
    >>> completions = Completions(one_ranking([None, 1, None]))
    >>> completions.unjudged.tolist()
    [2]
    >>> [completions.relevant(1, first).judged.grade.tolist() for first in (True, False)]
    [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
    """

    def __init__(self, rankings: JudgedRankings) -> None:
        judged = rankings.judged
        self.unjudged: Integers = rankings.length - judged.count.astype(np.int64)
        """For each row, how many retrieved documents are unjudged."""
        self.top_grade = rankings.judgments.top_grade or 1.0
        rows, ranks = _unjudged_cells(rankings)
        known, place = _copied_judgments(rankings)
        self._nth = nth_within(rows)
        self._rows = rows
        topics = np.concatenate([known, rows])
        order = np.argsort(topics, kind="stable")  # judgments of a row together, the unjudged documents last
        grade = np.concatenate([rankings.judgments.grade[place], np.zeros(len(rows))])
        self._grade = grade[order]
        at = np.empty(len(order), np.int64)
        at[order] = np.arange(len(order))
        self._open = at[len(known) :]
        judgments = Judgments.of_grades(topics[order], self._grade, rankings.rows, rankings.judgments.top_grade)

        # Where each judged cell's own copy of its judgment went: the n-th of its topic, in its row.
        kept = np.flatnonzero(~np.isnan(rankings.judgments.grade[rankings.judgment]))
        judgment_start = np.searchsorted(rankings.judgments.topic, np.arange(len(rankings.topics)))
        copied_start = np.searchsorted(known, np.arange(rankings.rows))
        row, judgment = rankings.row[kept], rankings.judgment[kept]
        copy = copied_start[row] + judgment - judgment_start[rankings.judgments.topic[judgment]]
        cell_row = np.concatenate([row, rows])
        cell_rank = np.concatenate([rankings.rank[kept], ranks])
        cell_judgment = np.concatenate([at[copy], self._open])
        by_rank = np.lexsort((cell_rank, cell_row))
        self._rankings = JudgedRankings(
            ("completed",),
            judgments,
            rankings.length,
            rankings.present,
            cell_row[by_rank],
            cell_rank[by_rank],
            cell_judgment[by_rank],
        )

    def relevant(self, many: int, first: bool) -> JudgedRankings:
        """Judge each row's first (or last) ``many`` unjudged documents to have the largest grade, the others 0."""
        chosen = self._nth < many if first else self._nth >= (self.unjudged - many)[self._rows]
        grade = self._grade.copy()
        grade[self._open[chosen]] = self.top_grade
        return self._rankings.rejudged(grade)

    def all_or_nothing(self) -> Iterator[JudgedRankings]:
        """Give the two plain completions: nothing unjudged is relevant, and all of it is."""
        yield self.relevant(0, True)
        yield self.relevant(int(self.unjudged.max(initial=0)), True)

    def extremes(self) -> Iterator[JudgedRankings]:
        """Give the completions in which the first, or the last, m unjudged documents are relevant, for every m."""
        yield self.relevant(0, True)
        for many in range(1, int(self.unjudged.max(initial=0)) + 1):
            yield self.relevant(many, True)
            yield self.relevant(many, False)


def _unjudged_cells(rankings: JudgedRankings) -> tuple[Integers, Integers]:
    """Return row and rank of every retrieved document that nobody judged."""
    rows, place = members(rankings.length)
    unjudged = np.ones(len(rows), bool)
    judged = rankings.judged
    unjudged[starts(rankings.length)[judged.row] + judged.rank - 1] = False
    return rows[unjudged], place[unjudged] + 1


def _copied_judgments(rankings: JudgedRankings) -> tuple[Integers, Integers]:
    """Return a copy of each row's topic's judgments: which row it is for, and its place in the vector."""
    judgments = rankings.judgments
    size = np.bincount(judgments.topic, minlength=len(judgments.topics))
    topic = np.arange(rankings.rows) % len(judgments.topics)
    rows, nth = members(size[topic])
    return rows, starts(size)[topic][rows] + nth
