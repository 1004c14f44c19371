"""Which documents decide the difference of two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.pairs import contrasts, places_of, rank_of
from cranfield.app.explorer.questions.remembering import remembered
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.altering import Alterable, Changes
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.averaging import averaged
from cranfield.plumbing.lazy import pl
from cranfield.scoring.blocks import score
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.scores import Scores

FIRST: Final = 20
"""How deep in either list relevant documents are tried, for measures whose values are no sums."""
TOPICS: Final = 10
"""How many topics are looked at, those that differ most, for measures whose values are no sums."""


@dataclass(frozen=True)
class Deciding:
    """The documents that decide the difference of two runs.

    Attributes
    ----------
    documents
        Columns topic, document, rank_a, rank_b (null where a run lacks it), grade, contribution: to the
        value of the one run less that of the other, the largest first, whichever way it points.
        Documents that contribute nothing are left out.
    difference
        What is decided: of the averages over all topics or, where one topic is asked for, of its values.
    adds_up
        Whether each contribution is what the document adds, so that all of them add up to the
        difference. Where they do not, a contribution is what would be lost if the document's grade were 0,
        of relevant documents among the `FIRST` of either list alone.
    topics
        The topics that were looked at.
    """

    documents: pl.DataFrame
    difference: float
    adds_up: bool
    topics: tuple[str, ...]


@remembered(32)
def decisive(explored: Explored, a: str, b: str, measure: str | None = None, topic: str | None = None) -> Deciding:
    """Which documents decide by how much one run is ahead of another: on all topics, or on one?"""
    pair = _Pair(explored, a, b, explored.measure(measure), topic)
    sums = pair.sums()
    if sums is not None:
        topics, contribution = pair.topics, sums
    else:
        differing = contrasts(explored, a, b, measure).table["topic"].head(TOPICS)
        topics = pair.topics if topic else tuple(differing)
        contribution = pair.losses(topics)
    places = np.flatnonzero(contribution)
    places = places[np.argsort(-np.abs(contribution[places]), kind="stable")]
    judgments, (one, other) = pair.judgments, pair.rankings
    ranks = {"rank_a": rank_of(one)[places], "rank_b": rank_of(other)[places]}
    documents = pl.DataFrame(
        {
            "topic": [judgments.topics[code] for code in judgments.topic[places]],
            "document": judgments.ids(places),
            **ranks,
            "grade": judgments.grade[places],
            "contribution": contribution[places],
        },
        schema_overrides={"topic": pl.String, "document": pl.String},
    ).with_columns(pl.when(pl.col(name) > 0).then(name).alias(name) for name in ranks)
    return Deciding(documents, pair.difference, sums is not None, topics)


class _Pair:
    """Two runs by one measure: on all topics, or on one."""

    def __init__(self, explored: Explored, a: str, b: str, measure: str, topic: str | None) -> None:
        self.runs: JudgedRuns = explored.runs.of_runs((a, b))
        m, places = explored.place(measure), places_of(explored, (a, b))
        self.measure: Measure = explored.scores.measures[m]
        self.scores: Scores = explored.scores
        self.values: Floats = explored.scores.values[m, places]
        self.counted = explored.scores.counted[places]
        self.judgments = self.runs.batches[0].judgments
        self.topic = None if topic is None else self.judgments.of_topic(topic).topics[0]  # which says if there is none

    @property
    def topics(self) -> tuple[str, ...]:
        return self.runs.topics if self.topic is None else (self.topic,)

    @property
    def rankings(self) -> tuple[JudgedRankings, ...]:
        return self.runs.batches

    @property
    def difference(self) -> float:
        return self._difference_of(self.values)

    def _difference_of(self, values: Floats) -> float:
        """Return the one less the other: of the averages, or of the values on the topic."""
        if self.topic is None:
            one, other = averaged(values, self.counted, self.measure.summary)
        else:
            one, other = values[:, self.judgments.code_of_topic[self.topic]]
        return float(one - other)

    def sums(self) -> Floats | None:
        """What each document adds to the difference, by its place in the judgments, where values are sums of that."""
        if self.measure.summary != "mean" or self.runs.grading.judged_only:
            return None
        adds = np.zeros(len(self.judgments))
        for rankings, counted, sign in zip(self.rankings, self.counted, (1, -1), strict=True):
            each = self.measure.contributions(rankings)
            if each is None:
                return None
            adds[rankings.judgment] += sign * each / (1 if self.topic else counted.sum())
        if self.topic:
            adds[self.judgments.topic != self.judgments.code_of_topic[self.topic]] = 0.0
        return adds

    def losses(self, topics: tuple[str, ...]) -> Floats:
        """What the difference would lose if a document's grade were 0, by its place in the judgments."""
        lost = np.zeros(len(self.judgments))
        for place, values in self._without(topics):
            lost[place] = self.difference - self._difference_of(values)
        return lost

    def _without(self, topics: tuple[str, ...]) -> Iterator[tuple[int, Floats]]:
        """Go through the documents that are tried, and give the values of both runs by topic, were its grade 0."""
        often = Counter(self.judgments.grade.tolist())
        altered = Alterable(self.runs, [self.measure])
        for topic in topics:
            code = self.judgments.code_of_topic[topic]
            first = self.judgments.first_of_topic[code]
            rankings = altered.rankings(Changes(topic))
            judgments = rankings.judgments
            for place in self._tried(rankings):
                if often[0.0] and often[judgments.grade[place]] > 1:
                    values = self.values.copy()
                    values[:, code] = self._values(rankings, judgments, place)
                else:  # another grade is the largest, or there is one that there was not: every topic may change
                    changes = Changes(topic, grades=((judgments.documents[0][place], 0.0),))
                    values = altered.altered(changes).after.values[0]
                yield int(first + place), values

    def _values(self, rankings: JudgedRankings, judgments: Judgments, without: int) -> Floats:
        """Return the values of both runs on a topic, were the grade of a document 0."""
        grade = judgments.grade.copy()
        grade[without] = 0.0
        regraded = judgments.with_grades(grade)
        regraded.grades = judgments.grades
        values = score(replace(rankings, judgments=regraded, _made={}), [self.measure], self.runs.grading).values
        return values[0, :, 0]

    def _tried(self, rankings: JudgedRankings) -> Integers:
        """Return the relevant documents among the first of either list."""
        places = np.unique(rankings.cut(FIRST).judgment)
        relevant: Integers = places[is_relevant(rankings.judgments.grade[places], self.measure.rel)]
        return relevant
