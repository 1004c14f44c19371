"""Lists written down as grades: thousands of small rankings, each a topic of its own, scored in one batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.arrays import Booleans, Integers

Grades: TypeAlias = npt.NDArray[np.int8]

NO_GRADE = -1
"""What fills a row up: beyond the end of the list, or no further document."""


@dataclass(frozen=True)
class Lists:
    """Rankings as grades by rank, and the grades of what each leaves out."""

    grade: Grades  # array of shape (lists, depth): grades by rank, -1 beyond the end
    # array of shape (lists, width): grades of judged documents that the list lacks, -1 where there are no more
    unretrieved: Grades

    @classmethod
    def of(cls, lists: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Lists:
        """Write down lists one by one: grades by rank, and grades of what is not retrieved."""
        ranked, missed = zip(*lists, strict=True)
        return cls(_filled(ranked), _filled(missed))

    def __len__(self) -> int:
        return len(self.grade)

    def __getitem__(self, rows: Integers | Booleans) -> Lists:
        """Return some of the lists."""
        return Lists(self.grade[rows], self.unretrieved[rows])

    @property
    def length(self) -> Integers:
        """How many documents each list retrieves."""
        return np.asarray(np.count_nonzero(self.grade >= 0, axis=1))

    @property
    def documents(self) -> Integers:
        """How many documents each list is about, retrieved or not."""
        return np.asarray(self.length + np.count_nonzero(self.unretrieved >= 0, axis=1))

    def missing(self, *grades: int) -> Lists:
        """Add documents of these grades to the collection, which no list retrieves."""
        return Lists(self.grade, np.hstack([self.unretrieved, np.tile(np.array(grades, np.int8), (len(self), 1))]))

    def appending(self, grade: int) -> Lists:
        """Add a document of this grade to the end of every list."""
        longer = np.pad(self.grade, ((0, 0), (0, 1)), constant_values=NO_GRADE)
        longer[np.arange(len(self)), self.length] = grade
        return Lists(longer, self.unretrieved)

    def exchanging(self, one: Integers, other: Integers) -> Lists:
        """Swap the documents at two places (from 0) of each list."""
        rows, swapped = np.arange(len(self)), self.grade.copy()
        swapped[rows, one], swapped[rows, other] = self.grade[rows, other], self.grade[rows, one]
        return Lists(swapped, self.unretrieved)

    def grading(self, from_end: int, grade: int) -> Lists:
        """Give the last (1) document of each list, or the last but one (2), this grade."""
        graded = self.grade.copy()
        graded[np.arange(len(self)), self.length - from_end] = grade
        return Lists(graded, self.unretrieved)

    def unique(self) -> tuple[Lists, Integers]:
        """Return the different lists, and for each list which of them it is."""
        both = np.ascontiguousarray(np.hstack([self.grade, self.unretrieved]))
        rows = both.view(np.dtype((np.void, both.shape[1])))[:, 0] if both.shape[1] else np.zeros(len(both), "V1")
        _, first, which = np.unique(rows, return_index=True, return_inverse=True)
        return self[first], which

    def judged(self, top_grade: int) -> JudgedRankings:
        """Join each list with its own judgments, as a topic of its own; grades scale by ``top_grade`` in all."""
        grade = np.hstack([self.grade, self.unretrieved])
        known = grade >= 0
        place = np.cumsum(known).reshape(known.shape) - 1
        row, column = np.nonzero(self.grade >= 0)
        return JudgedRankings(
            ("lists",),
            Judgments.of_grades(np.nonzero(known)[0], grade[known].astype(np.float64), len(self), float(top_grade)),
            self.length,
            np.ones(len(self), bool),
            row,
            column + 1,
            place[row, column],
        )

    def written(self, row: int) -> str:
        """Write one list down for people: 0×10 2 2 | unretrieved 2."""
        ranked = _written(self.grade[row]) or "(empty)"
        missed = _written(np.sort(self.unretrieved[row])[::-1])
        return f"{ranked} | unretrieved {missed}" if missed else ranked


def joined(parts: Sequence[Lists]) -> Lists:
    """Put lists together, filling up the shorter ones."""
    return Lists(_stacked([part.grade for part in parts]), _stacked([part.unretrieved for part in parts]))


def every_list(longest: int, top_grade: int) -> Lists:
    """Give every list of up to ``longest`` documents with grades 0 to ``top_grade``, and up to two missed documents."""
    grades = range(top_grade + 1)
    ranked = [one for length in range(longest + 1) for one in itertools.product(grades, repeat=length)]
    missed = [some for many in range(3) for some in itertools.combinations_with_replacement(grades, many)]
    return Lists.of((one, some) for some in missed for one in ranked)


def random_lists(many: int, depth: tuple[int, int], top_grade: int, chance: np.random.Generator) -> Lists:
    """Draw lists with from ``depth[0]`` to ``depth[1]`` documents, which leave out up to ten others.

    Up to six documents of the list are relevant: below more of them, a cascade's gains are too
    small to compare.
    """

    def drawn(least: int, most: int, relevant: int) -> Grades:
        first = chance.random((many, most)).argsort(axis=1) < chance.integers(0, relevant + 1, (many, 1))
        grade = np.where(first, chance.integers(1, top_grade + 1, (many, most)), 0)
        sizes = chance.integers(least, most + 1, (many, 1))
        return np.where(np.arange(most) < sizes, grade, NO_GRADE).astype(np.int8)

    return Lists(drawn(*depth, 6), drawn(0, 10, 10))


def _filled(rows: Sequence[Sequence[int]]) -> Grades:
    table = np.full((len(rows), max(map(len, rows), default=0)), NO_GRADE, np.int8)
    for row, grades in zip(table, rows, strict=True):
        row[: len(grades)] = grades
    return table


def _stacked(parts: Sequence[Grades]) -> Grades:
    width = max((part.shape[1] for part in parts), default=0)
    filled = [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=NO_GRADE) for part in parts]
    return np.concatenate(filled)


def _written(grades: Grades) -> str:
    runs = [(grade, len(list(run))) for grade, run in itertools.groupby(grades[grades >= 0].tolist())]
    return " ".join(f"{grade}×{many}" if many > 4 else " ".join([str(grade)] * many) for grade, many in runs)
