"""Judging sessions that could have been: a method chooses, and judgments that exist already answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Floats, Integers, sums_within
from cranfield.plumbing.options import Scope
from cranfield.selection.candidates import Candidates
from cranfield.selection.judging import Judging
from cranfield.selection.method import method_named
from cranfield.selection.saved import fingerprint
from cranfield.selection.state import weights_by_rank


@dataclass(frozen=True, eq=False)
class Simulation:
    """What there is to judge, and what the assessors said of it.

    A session is given by the places of the documents that it considered, in their order.

    >>> from cranfield import join
    >>> from cranfield.formats import Runs
    >>> from cranfield.measures import REGISTRY
    >>> runs = join({"1": {"a": 1, "c": 0}}, {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}})
    >>> simulation = Simulation(Candidates.gather(Runs(runs.sources)), runs.judgments)
    >>> rbp = REGISTRY["RBP"](p=0.5)
    >>> session = simulation.session("A", rbp, 2)  # b weighs 0.5 and 0.25, and is not relevant; then a
    >>> session.tolist(), simulation.session("A", rbp, 2, bypass=True).tolist()  # a and c are judged, b is passed by
    ([1, 0], [1, 0, 2])
    """

    candidates: Candidates  # for topics of the qrels only: see `Candidates.of_topics`
    judgments: Judgments  # where the answers come from

    @cached_property
    def judgment(self) -> Integers:
        """By document: the place of its judgment in the vector of judgments; -1 where the qrels lack it."""
        candidates, judgments = self.candidates, self.judgments
        code = np.array([judgments.code_of_topic[topic] for topic in candidates.topics], np.int64)
        key = judgments.index.keys(code, np.bincount(candidates.topic, minlength=len(code)), candidates.document)
        return judgments.index.find(key, candidates.document)

    @cached_property
    def grade(self) -> Floats:
        """By document: its grade, 0 for a negative one; NaN where the qrels lack it."""
        given = np.append(self.judgments.grade, np.nan)[self.judgment]  # of -1, the last
        return np.where(given < 0, 0.0, given)

    @property
    def top_grade(self) -> float:
        """The largest grade of the qrels."""
        return self.judgments.scale

    @property
    def fingerprint(self) -> object:
        """What tells these candidates from others, as JSON can hold it."""
        return fingerprint(self.candidates)

    def session(
        self,
        method: str,
        measure: UserModel,
        budget: int,
        *,
        bypass: bool = False,
        scope: Scope = "topic",
        renew_every: int = 1,
        seed: int = 7,
    ) -> Integers:
        """Which documents would the method have had judged, in which order?"""
        scope = scope if method_named(method).scoped else "topic"
        judging = Judging(
            self.candidates,
            measure,
            method=method,
            top_grade=self.top_grade,
            scope=scope,
            renew_every=renew_every,
            seed=seed,
        )
        unjudged = None if bypass else 0.0
        answers = [unjudged if math.isnan(grade) else grade for grade in self.grade.tolist()]
        considered: list[int] = []
        for place in judging.followed(answers.__getitem__):
            if not budget:
                break
            considered.append(place)
            budget -= answers[place] is not None
        return np.array(considered, np.int64)

    def standing(self, judged: Integers, measure: UserModel) -> tuple[Floats, Floats]:
        """Return base and known weight when these documents are judged: arrays (runs, topics of the candidates)."""
        shape = (len(self.candidates.runs), len(self.candidates.topics))
        nth, run, weight = self._cells(judged, measure)
        code = run * shape[1] + self.candidates.topic[judged][nth]
        return _table(code, weight * self._gain(judged, measure)[nth], shape), _table(code, weight, shape)

    def course(self, judged: Integers, measure: UserModel) -> tuple[Floats, Floats]:
        """Return base and known weight of the runs, summed over topics, by judgment: arrays (judgments + 1, runs)."""
        shape = (len(judged) + 1, len(self.candidates.runs))
        nth, run, weight = self._cells(judged, measure)
        code = (nth + 1) * shape[1] + run
        gained = weight * self._gain(judged, measure)[nth]
        return _table(code, gained, shape).cumsum(axis=0), _table(code, weight, shape).cumsum(axis=0)

    def _cells(self, judged: Integers, measure: UserModel) -> tuple[Integers, Integers, Floats]:
        """Return the cells of the documents: which of these it is, from 0, the run, and the weight of the rank."""
        candidates = self.candidates
        nth, cell = candidates.cells_of_each(judged)
        weight = weights_by_rank(measure, int(candidates.cell_rank.max()))
        return nth, candidates.cell_run[cell], weight[candidates.cell_rank[cell] - 1]

    def _gain(self, judged: Integers, measure: UserModel) -> Floats:
        """Return what each document gains."""
        return measure.gain_of(np.nan_to_num(self.grade[judged]), self.top_grade)


def _table(code: Integers, values: Floats, shape: tuple[int, int]) -> Floats:
    """Add up the values of each cell of a table, whose codes run row by row."""
    return sums_within(code, values, shape[0] * shape[1]).reshape(shape)
