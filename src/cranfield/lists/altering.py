"""What if a list were another, or a document had another grade?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, SCORE
from cranfield.results.result import Result
from cranfield.scoring.blocks import score
from cranfield.scoring.judged_runs import JudgedRuns, join, knowing
from cranfield.scoring.scores import Scores

_MEASURES: Final = ("nDCG@10", "AP", "RR")
_KEPT: Final = 16
"""How many topics, and changes, are remembered: what is altered once is often altered again, and looked at twice."""


@record
@dataclass(frozen=True)
class Changes:
    """The changes on one topic.

    Attributes
    ----------
    topic
        Its id.
    moves
        Which document of which run is moved to which rank, one after the other: ``(run, document,
        rank)``. The documents between its old rank and its new one make way.
    grades
        The grades of documents that a run retrieved, or that somebody judged; None is unjudged.
    """

    topic: str
    moves: tuple[tuple[str, str, int], ...] = ()
    grades: tuple[tuple[str, float | None], ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(Result, rows="values", keys=2):
    """What scores would be if a topic's lists or judgments were others.

    Attributes
    ----------
    before, after
        The scores as they are, and as they would be.
    changes
        The changes.
    lists
        For each run with a moved document, its list for the topic: ids by rank.
    qrels
        The judgments as they would be, a table that `write_qrels` writes.
    """

    before: Scores
    after: Scores
    changes: Changes
    lists: Mapping[str, tuple[str, ...]]
    qrels: pl.DataFrame

    @cached_property
    def values(self) -> pl.DataFrame:
        """A row for each run and measure.

        Columns run, measure; topic_before and topic_after, its value on the topic; before, after
        and change, its mean.
        """
        place = self.before.topics.index(self.changes.topic)
        runs, measures = len(self.before.runs), [str(measure) for measure in self.before.measures]
        found: dict[str, Any] = {
            "run": [run for run in self.before.runs for _ in measures],
            "measure": measures * runs,
        }
        for name, scores in (("topic_before", self.before), ("topic_after", self.after)):
            found[name] = scores.values[:, :, place].T.ravel()
        for name, scores in (("before", self.before), ("after", self.after)):
            found[name] = scores.averages.T.ravel()
        return pl.DataFrame(found | {"change": found["after"] - found["before"]})

    def table(self, **which: object) -> pl.DataFrame:
        """Return the changed values, or all if none changed."""
        changed = pl.any_horizontal(pl.col("topic_before") != pl.col("topic_after"), pl.col("change") != 0)
        found = self.values.filter(changed)
        return found if found.height else self.values

    def caption(self, **which: object) -> str:
        """Describe the changes."""
        moves, grades = len(self.changes.moves), len(self.changes.grades)
        said = [f"{many} {word}{'s' * (many > 1)}" for many, word in ((moves, "move"), (grades, "grade")) if many]
        return f"Topic {self.changes.topic} with {' and '.join(said) or 'nothing'} changed"

    def run(self, name: str, table: pl.DataFrame) -> pl.DataFrame:
        """Return a run as it would be: `write_run` writes it.

        Parameters
        ----------
        name
            Which one.
        table
            The run as it is: all its topics and documents, as `read_run` gives it.

        Returns
        -------
        Columns query_id, doc_id, score: on the topic documents have the scores n, n - 1, ..., 1.
        """
        if name not in self.lists:
            return table
        documents = self.lists[name]
        topic = self.changes.topic
        falling = np.arange(len(documents), 0, -1.0)
        new = pl.DataFrame({QUERY: [topic] * len(documents), DOCUMENT: documents, SCORE: falling})
        others = table.select(QUERY, DOCUMENT, pl.col(SCORE).cast(pl.Float64)).filter(pl.col(QUERY) != topic)
        return pl.concat([others, new])


def what_if(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames = _MEASURES,
    *,
    topic: str,
    moves: Sequence[tuple[str, str, int]] = (),
    grades: Mapping[str, float | None] | None = None,
    **conditions: Unpack[Asked],
) -> WhatIf:
    """What would every measure be if a list had another order, or a document another grade?

    The values equal those of `evaluate` for the changed run and judgments, to the last bit.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`, including joined runs.
    measures
        The measures to compute.
    topic
        The topic to change.
    moves
        ``(run, document, rank)``, in sequence: the document moves from its place to that rank.
    grades
        By document: any that a run retrieved for the topic or that is judged. None removes a
        judgment.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        If the topic, run, document or rank does not exist.

    Paper: Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), "Cumulated
    relative position: a metric for ranking evaluation", CLEF, section 5 (what the prototype was
    for).

    Examples
    --------
    The user wants a; bm25 has it third. Moved to the top, or were x relevant, too:

    >>> qrels, runs = {"7": {"a": 1}}, {"bm25": {"7": {"x": 3.0, "y": 2.0, "a": 1.0}}}
    >>> print(what_if(qrels, runs, "RR", topic="7", moves=[("bm25", "a", 1)]))
    Topic 7 with 1 move changed
    run   measure  topic_before  topic_after  before   after  change
    bm25  RR             0.3333       1.0000  0.3333  1.0000  0.6667
    >>> what_if(qrels, runs, "AP", topic="7", grades={"x": 1}).after.averages.tolist()  # (1/1 + 2/3) / 2
    [[0.8333333333333333]]
    """
    joined = join(qrels, runs, bounds=True, **knowing(measures, qrels, conditions))
    taken = tuple((run, document, rank) for run, document, rank in moves)  # lists will do, as JSON has them
    asked = Changes(topic, taken, tuple((grades or {}).items()))
    return Alterable(joined.under(bounds=False), measures).altered(asked)


@dataclass(frozen=True, eq=False)
class _Changed:
    """What is changed."""

    rankings: JudgedRankings  # all runs' rankings of the topic, by its judgments alone
    # judgments, qrels: the judgments of all topics, and those that somebody made as a table
    judgments: Judgments
    qrels: pl.DataFrame
    lists: Mapping[str, tuple[str, ...]]  # the lists that are others, by run
    touched: Sequence[int]  # the places of the runs whose values may be others


class Alterable:
    """Joined runs, ready for repeated changes: the unchanged part is computed once.

    Parameters
    ----------
    runs
        Joined runs; those that do not know what they retrieved (``join(..., bounds=True)``) are
        joined once more.
    measures
        The measures to compute.
    """

    def __init__(self, runs: JudgedRuns, measures: MeasureNames) -> None:
        self.runs = runs = join(runs, bounds=True)
        self.before = runs.scores(parse_measures(measures))
        if self.before.texts:
            raise InputError(f"{next(iter(self.before.texts))} is a text, which does not change by a number")
        self._on = lru_cache(_KEPT)(self._of_topic)
        self._changed = lru_cache(_KEPT)(self._with_changes)

    def __reduce__(self) -> tuple[type[Alterable], tuple[object, ...]]:
        """Send what it is made of; what it remembers stays here."""
        return type(self), (self.runs, self.before.measures)

    def list_of(self, run: str, topic: str) -> tuple[str, ...]:
        """Return the documents of a run for a topic, by rank."""
        rankings = self._on(topic).only(self._place(run))
        return tuple(rankings.judgments.ids(rankings.judgment))

    def worth(self, topic: str, document: str) -> pl.DataFrame:
        """What does one document do for every run?

        Returns
        -------
        A row for each run and measure. Columns run; rank (null where the run lacks the document);
        measure; value, on the topic; worth; and adds_up: whether worth is what the document adds, a
        value being the sum of that. Where it is not, worth is what would be lost if its grade were 0,
        and that of several documents is no sum.
        """
        rankings = self._on(topic)
        without = self.altered(Changes(topic, grades=((document, 0),)))  # which also says what is wrong
        cell = np.flatnonzero(rankings.judgment == rankings.judgments.documents[0].index(document))
        rank = np.zeros(len(self.runs.runs), np.int64)
        rank[rankings.row[cell]] = rankings.rank[cell]
        place = self.before.topics.index(topic)
        parts = []
        for m, measure in enumerate(self.before.measures):
            values = self.before.values[m, :, place]
            each = measure.contributions(rankings)
            worth = values - without.after.values[m, :, place]
            if each is not None:
                worth = np.zeros(len(rank))
                worth[rankings.row[cell]] = each[cell]
            parts.append(
                {"run": self.runs.runs, "rank": rank, "measure": str(measure), "value": values, "worth": worth}
                | {"adds_up": each is not None}
            )
        found = pl.concat(map(pl.DataFrame, parts)).with_columns(rank=pl.when(pl.col("rank") > 0).then("rank"))
        order = {run: number for number, run in enumerate(self.runs.runs)}
        return found.sort(pl.col("run").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)

    def altered(self, changes: Changes) -> WhatIf:
        """Return what would be."""
        changed = self._changed(changes)
        values = self._values_by(changed.judgments)
        if changed.touched:
            touched = _some(changed.rankings, changed.touched)
            topic = self.runs.judgments.code_of_topic[changes.topic]
            values[:, changed.touched, topic] = self._values(touched)[:, :, 0]
        return WhatIf(self.before, replace(self.before, values=values), changes, changed.lists, changed.qrels)

    def rankings(self, changes: Changes, runs: Sequence[str] | None = None) -> JudgedRankings:
        """Return the rankings of the topic as they would be: of all runs, or of some."""
        rankings = self._changed(changes).rankings
        return rankings if runs is None else _some(rankings, [self._place(run) for run in runs])

    def _with_changes(self, changes: Changes) -> _Changed:
        rankings, judgments = self._on(changes.topic), self.runs.judgments
        places = {document: place for place, document in enumerate(rankings.judgments.documents[0])}
        orders = self._moved(rankings, changes, places)
        judgment = rankings.judgment.copy()
        for run, order in orders.items():
            judgment[rankings.row == run] = order
        ids = rankings.judgments.documents[0]
        lists = {self.runs.runs[run]: tuple(ids[place] for place in order) for run, order in orders.items()}
        touched, of_topic, qrels = list(orders), rankings.judgments, self._qrels
        if changes.grades:
            judgments = judgments.regraded(self._graded(changes, places))
            of_topic, qrels = judgments.of_topic(changes.topic), _qrels(judgments)
            touched = list(range(len(self.runs.runs)))
        rankings = (rankings.moved(rankings.rank, judgment) if orders else rankings).by(of_topic)
        return _Changed(rankings, judgments, qrels, lists, touched)

    @cached_property
    def _qrels(self) -> pl.DataFrame:
        return _qrels(self.runs.judgments)

    def _values_by(self, judgments: Judgments) -> Floats:
        """Return the values of all topics: those that there were, unless the scale of grades is another."""
        if judgments.top_grade == self.runs.judgments.top_grade:
            return self.before.values.copy()
        batches = (replace(batch, judgments=judgments, _made={}) for batch in self.runs.batches)
        return np.concatenate([self._values(batch) for batch in batches], axis=1)

    def _values(self, rankings: JudgedRankings) -> Floats:
        return score(rankings, self.before.measures, self.runs.grading).values

    def _of_topic(self, topic: str) -> JudgedRankings:
        if topic not in self.runs.judgments.code_of_topic:
            raise InputError(f"the qrels have no topic {topic!r}; they have {', '.join(self.runs.topics[:5])}")
        rankings = JudgedRankings.batch([batch.of_topic(topic) for batch in self.runs.batches])
        return replace(rankings, judgments=self.runs.judgments.of_topic(topic), _made={})

    def _place(self, run: str) -> int:
        if run not in self.runs.runs:
            raise InputError(f"no run is called {run!r}; the runs are {', '.join(self.runs.runs[:5])}")
        return self.runs.runs.index(run)

    def _moved(self, rankings: JudgedRankings, changes: Changes, places: Mapping[str, int]) -> dict[int, list[int]]:
        """Put documents where they are wanted; return the lists that changed, by the place of the run."""
        orders: dict[int, list[int]] = {}
        for run, document, rank in changes.moves:
            number = self._place(run)
            if number not in orders:
                orders[number] = rankings.judgment[rankings.row == number].tolist()
            order = orders[number]
            if places.get(document) not in order:
                raise InputError(f"{run} did not retrieve document {document!r} for topic {changes.topic!r}")
            if not 1 <= rank <= len(order):
                raise InputError(
                    f"the list of {run} for topic {changes.topic!r} has ranks 1 to {len(order)}, not {rank}"
                )
            order.remove(places[document])
            order.insert(rank - 1, places[document])
        return orders

    def _graded(self, changes: Changes, places: Mapping[str, int]) -> Floats:
        """Return the grades of all judgments."""
        judgments = self.runs.judgments
        grade = judgments.grade.copy()
        first = judgments.first_of_topic[judgments.code_of_topic[changes.topic]]
        for document, given in changes.grades:
            if document not in places:
                raise InputError(
                    f"no run retrieved document {document!r} for topic {changes.topic!r}, and nobody judged it"
                )
            if given is not None and not np.isfinite(given):
                raise InputError(f"a grade must be a number, or None for an unjudged document, not {given!r}")
            grade[first + places[document]] = np.nan if given is None else given
        if np.isnan(grade[first : first + len(places)]).all():
            raise InputError(f"topic {changes.topic!r} would have no judgment left; keep one")
        return grade


def _some(rankings: JudgedRankings, runs: Sequence[int]) -> JudgedRankings:
    return JudgedRankings.batch([rankings.only(run) for run in runs])


def _qrels(judgments: Judgments) -> pl.DataFrame:
    return judgments.table().filter(pl.col(RELEVANCE).is_not_nan())
