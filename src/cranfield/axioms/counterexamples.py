"""The search: does a measure decide all comparisons of an axiom as it should, and which is the smallest it does not?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.axioms.axioms import AXIOMS, Axiom, Comparisons, margins, something_found, thresholds
from cranfield.axioms.graded_lists import Lists, every_list, joined, random_lists
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.scoring.orientation import oriented

Verdict: TypeAlias = Literal["satisfied", "violated", "open"]
"""No counter-example found; a counter-example, which is a proof; or neither, which a search cannot decide."""

_TOP = int(np.iinfo(np.int8).max)
_MOST_LISTS = 100_000  # How many rankings can be tried


@dataclass(frozen=True)
class CounterExample:
    """A comparison that a measure does not decide as an axiom says: the lists in words, and their scores."""

    lists: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Searched:
    """What the search found for one measure and one axiom."""

    axiom: Axiom
    # ``"satisfied"`` if all comparisons came out as it says; of a threshold, if there is one among the sizes tried.
    # ``"violated"`` if one did not, which proves it. ``"open"`` if neither is shown: a threshold that was not found may
    # lie further on, and two sides that are equal only in rankings too long for 64 bits may be so by rounding.
    verdict: Verdict
    # compared, equal, reversed: how many comparisons there were; in how many of them both sides were equal, or the
    # other side won
    compared: int
    equal: int
    reversed: int
    # the verdict over the comparisons in which every list retrieves something relevant; None if there are none
    if_found: Verdict | None = None
    # of a threshold that is satisfied, the n found; of one that is open, the n up to which it was searched
    size: int | None = None
    # The smallest found: of those in which the wrong side wins, if there are any, else of those that are equal. Of a
    # threshold that is open, one of the sizes that fail.
    counter_example: CounterExample | None = None

    @property
    def satisfied(self) -> bool:
        """Whether nothing contradicts the axiom, and (of a threshold) one was found."""
        return self.verdict == "satisfied"


class Search:
    """All comparisons of all axioms for one scale of grades, to test any measure."""

    def __init__(
        self, *, longest: int = 6, top_grade: int = 1, random: int = 0, largest: int = 100, seed: int = 7
    ) -> None:
        if min(longest, top_grade, largest) < 1 or random < 0:
            raise InputError("longest, top_grade and largest are at least 1, and random at least 0")
        if top_grade > _TOP or _lists(longest, top_grade) > _MOST_LISTS:
            raise InputError(
                f"more than {_MOST_LISTS} rankings of up to {longest} documents with grades 0 to {top_grade} are too "
                f"many to try; choose a smaller longest or top_grade (at most {_TOP})"
            )
        for name, given in (("random", random), ("largest", largest)):
            if given > _MOST_LISTS:
                raise InputError(f"{name} must be at most {_MOST_LISTS}, not {given}")
        self.top_grade = top_grade
        self.sizes = sizes(largest)
        chance = np.random.default_rng(seed)
        bases = [every_list(longest, top_grade)]
        if random:
            bases.append(random_lists(random, (longest + 1, longest + 24), top_grade, chance))
        self._pools = [_Pool(base, top_grade, short=base is bases[0]) for base in bases]

    def outcomes(self, measure: Measure) -> Mapping[str, Searched]:
        """Search all axioms for counter-examples to a measure, negated if lower is better."""
        if measure.text:
            raise InputError(f"{measure} is a text, so no ranking scores higher; name a measure that is a number")
        measure.require_complete()
        scored = [
            (pool, oriented(measure, measure.score(pool.judged)), _parts(measure, pool.judged)) for pool in self._pools
        ]
        short, long = (oriented(measure, measure.score(judged)) for judged in self._judged_thresholds)
        found = {}
        for name, axiom in AXIOMS.items():
            if axiom.limit:
                found[name] = self._of_limit(axiom, short, long)
            else:
                found[name] = _outcome(axiom, [pool.compared(name, scores, parts) for pool, scores, parts in scored])
        return found

    @cached_property
    def _thresholds(self) -> Comparisons:
        return thresholds(self.sizes, self.top_grade)

    @cached_property
    def _judged_thresholds(self) -> list[JudgedRankings]:
        return [lists.judged(self.top_grade) for lists in self._thresholds]

    def _of_limit(self, axiom: Axiom, short: Floats, long: Floats) -> Searched:
        large = axiom.limit == "large"
        scores = (short, long) if large else (long, short)
        compared = self._thresholds if large else self._thresholds[::-1]
        margin = margins(scores)
        holds = (margin > 0).reshape(len(self.sizes), -1)  # a row for each size, a column for each collection
        if large:
            holds = np.logical_and.accumulate(holds[::-1])[::-1]  # from that size on
        in_collection = holds.any(axis=0)
        satisfied = bool(in_collection.all())
        counter_example = None
        if not satisfied:
            # The largest n that was tried still fails; a small n fails the least where the margin
            # is the best.
            column = int(np.argmin(in_collection))
            best = len(self.sizes) - 1 if large else int(margin.reshape(holds.shape)[:, column].argmax())
            counter_example = _written(compared, scores, best * holds.shape[1] + column)
        return Searched(
            axiom,
            "satisfied" if satisfied else "open",
            margin.size,
            int((margin == 0).sum()),
            int((margin < 0).sum()),
            size=self.sizes[int(holds.argmax(axis=0).max())] if satisfied else self.sizes[-1],
            counter_example=counter_example,
        )


class _Pool:
    """The comparisons that all axioms make from some lists, each judged once; in short lists equal scores are equal."""

    def __init__(self, base: Lists, top_grade: int, *, short: bool) -> None:
        self.short = short
        compared = {name: axiom.compared(base, top_grade) for name, axiom in AXIOMS.items()}
        self.lists, which = joined([lists for some in compared.values() for lists in some]).unique()
        self.judged = self.lists.judged(top_grade)
        places = iter(np.split(which, np.cumsum([len(lists) for some in compared.values() for lists in some])[:-1]))
        self.place: dict[str, list[Integers]] = {name: [next(places) for _ in some] for name, some in compared.items()}

    def compared(self, axiom: str, scores: Floats, parts: Floats | None) -> _Compared:
        """Look the scores of an axiom's comparisons up."""
        places = self.place[axiom]
        margin = margins([(scores if parts is None else parts)[place] for place in places])
        looked_up = [scores[place] for place in places]
        told = np.all(np.equal(looked_up, 0), axis=0) | self.short | (parts is not None)
        return _Compared(self.lists, places, looked_up, margin, told)


class _Compared(NamedTuple):
    """An axiom's comparisons, and who wins; and whether sides that come out equal are, or may be so by rounding."""

    lists: Lists
    place: list[Integers]
    scores: list[Floats]
    margin: Floats
    equal_is_told: Booleans

    @property
    def failed(self) -> Booleans:
        """In which of them it is shown that the better side does not win."""
        return np.asarray((self.margin < 0) | ((self.margin == 0) & self.equal_is_told))

    @property
    def found(self) -> Booleans:
        """In which of them every list retrieves something relevant."""
        return something_found([self.lists[place] for place in self.place])

    def smallest_failure(self) -> tuple[tuple[float, ...], CounterExample] | None:
        """Give a counter-example, and what it is sorted by: a reversed one first, then by documents, then by grades."""
        failures = np.flatnonzero(self.margin <= 0)
        if not len(failures):
            return None
        involved = [self.lists[place[failures]] for place in self.place]
        equal = self.margin[failures] == 0
        documents = np.max([lists.documents for lists in involved], axis=0)
        grades = np.max([_total(lists) for lists in involved], axis=0)
        row = int(np.lexsort((grades, documents, equal))[0])
        example = _written(involved, [scores[failures] for scores in self.scores], row)
        return (equal[row], documents[row], grades[row]), example


def _lists(longest: int, top_grade: int) -> float:
    """Count the lists of up to this many documents."""
    if longest >= _MOST_LISTS.bit_length():
        return np.inf
    return int(sum((top_grade + 1) ** length for length in range(longest + 1)))


def sizes(largest: int) -> list[int]:
    """Give the sizes at which thresholds are looked for: all to 100, then each 5% larger, and the largest."""
    tried = list(range(1, min(largest, 100) + 1))
    while tried[-1] < largest:
        tried.append(min(tried[-1] * 21 // 20, largest))
    return tried


def _parts(measure: Measure, rankings: JudgedRankings) -> Floats | None:
    parts = measure.in_parts(rankings.cut(measure.cutoff))
    return None if parts is None else oriented(measure, parts)


def _outcome(axiom: Axiom, parts: list[_Compared]) -> Searched:
    every = [(part.margin, part.failed, part.found) for part in parts]
    margin, failed, found = map(np.concatenate, zip(*every, strict=True))
    examples = [example for part in parts if (example := part.smallest_failure())]
    return Searched(
        axiom,
        _verdict(margin, failed),
        margin.size,
        int((margin == 0).sum()),
        int((margin < 0).sum()),
        if_found=_verdict(margin[found], failed[found]) if found.any() else None,
        counter_example=min(examples, key=lambda found: found[0])[1] if examples else None,
    )


def _verdict(margin: Floats, failed: Booleans) -> Verdict:
    if failed.any():
        return "violated"
    return "satisfied" if (margin > 0).all() else "open"


def _total(lists: Lists) -> Integers:
    return np.asarray(np.maximum(lists.grade, 0).sum(axis=1) + np.maximum(lists.unretrieved, 0).sum(axis=1))


def _written(compared: Sequence[Lists], scores: Sequence[Floats], row: int) -> CounterExample:
    return CounterExample(tuple(lists.written(row) for lists in compared), tuple(float(score[row]) for score in scores))
