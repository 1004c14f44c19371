"""What would it take for one run to overtake another?"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal, TypeAlias, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Floats, Integers, nth_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.results.result import Result
from cranfield.scoring.judged_runs import JudgedRuns, join, least_difference_of
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import panel_of

Answer: TypeAlias = Literal["ahead already", "these", "none can", "none found"]
TRIED = 200
"""So many candidates of a topic, the highest in the list of the run behind, are tried one by one."""
ROUNDING = 1e-12
"""Means that differ by less are equal."""


@dataclass(frozen=True, eq=False, repr=False)
class Overtaking(Result):
    """What it would take for one run to overtake another.

    Attributes
    ----------
    behind, ahead
        The runs.
    measure
        By the mean of which.
    difference
        Of the means as judged: the run ahead less the one behind, more being better.
    answer
        ``"ahead already"``; ``"these"``: it would be ahead if the documents were relevant; ``"none
        can"``: whatever the unjudged documents are, it stays behind; ``"none found"``: none that was
        tried brings it ahead, and no bound says that none can.
    documents
        Unjudged documents which, were all of them found to have the largest grade and no other
        judged, bring it ahead: columns topic, document, adds (what each alone would change of the
        difference of the means), the one that adds most first.
    at_least
        No fewer documents do: their number, where that is proved (`exact`), or else a lower bound;
        null where the bounds say nothing.
    exact
        Whether no smaller set would do.
    """

    behind: str
    ahead: str
    measure: str
    difference: float
    answer: Answer
    documents: pl.DataFrame
    at_least: int | None
    exact: bool

    def __repr__(self) -> str:
        return f"Overtaking({self.says()})"

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return the documents."""
        del which
        return self.documents

    def table(self, **which: object) -> pl.DataFrame:
        """Return the documents."""
        del which
        return self.documents

    def keys(self, **which: object) -> int:
        """Topic and document say what a row is."""
        del which
        return 2

    def says(self) -> str:
        """Answer in a sentence."""
        many = self.documents.height
        if self.answer == "ahead already":
            return f"{self.behind} is ahead of {self.ahead} by {self.measure} already"
        if self.answer == "none can":
            return f"{self.behind} stays behind {self.ahead} by {self.measure}, whatever its unjudged documents are"
        if self.answer == "none found":
            return f"no set of unjudged documents that was tried brings {self.behind} ahead of {self.ahead}"
        fewer = "" if self.exact else f"; fewer than {self.at_least} cannot" if (self.at_least or 0) > 1 else ""
        least = "no fewer would" if self.exact else "fewer might"
        documents = counted(many, "unjudged document")
        overtaken = f"would bring {self.behind} ahead of {self.ahead} by {self.measure}"
        return f"{documents}, if relevant, {overtaken}; {least}{fewer}"

    def caption(self, **which: object) -> str:
        """Answer in a sentence."""
        del which
        return f"{self.says()}."


def overtake(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measure: MeasureNames = "nDCG@10",
    *,
    behind: str,
    ahead: str,
    **conditions: Unpack[Asked],
) -> Overtaking:
    """Which unjudged documents would have to be relevant for one run to overtake another, and how few are enough?

    A document is found to have the largest grade, for both runs alike; all others stay as they are.
    By a measure that is a sum of what each document adds (RBP, P, DCG and their kin) the smallest
    set is known: of the documents that add most to the run behind, less what they add to the one
    ahead, the first ones. By others the set is found by trying, so that a smaller one may do; how
    few cannot do follows from joint ranges: no topic can bring more than its range allows, and each
    document is of one topic.

    Parameters
    ----------
    qrels, runs
        All that `evaluate` takes, joined runs too; what any of the runs retrieved may be relevant.
    measure
        By the mean of which.
    behind, ahead
        Which two of the runs.
    conditions
        As in `evaluate`: topics, missing, order, depth, comments, rel.

    Raises
    ------
    InputError
        Where there is no such run, or unjudged documents are dropped (``judged_only``).

    Examples
    --------
    By P@2 good has 1/2, and poor 0; nobody judged x, which both have, nor y and z:

    >>> qrels = {"1": {"a": 1}}
    >>> runs = {"good": {"1": ["a", "x", "z"]}, "poor": {"1": ["x", "y", "a"]}}
    >>> overtake(qrels, runs, "P@2", behind="poor", ahead="good")
    Overtaking(poor stays behind good by P@2, whatever its unjudged documents are)
    >>> print(overtake(qrels, runs, "RBP(p=0.5)", behind="poor", ahead="good"))
    topic  document    adds
    1      x         0.2500
    1      y         0.2500
    """
    joined = join(qrels, runs, bounds=True, **conditions).under(bounds=False)
    if joined.grading.judged_only:
        raise InputError("condensed lists say nothing of unjudged documents; leave judged_only out")
    for name in (behind, ahead):
        if name not in joined.runs:
            raise InputError(f"no run is called {name!r}; there are {', '.join(joined.runs[:5])}")
    joined = joined if joined.judgments.retrieved is not None else joined.with_retrieved
    asked = parse_measures(measure)
    if len(asked) != 1:
        raise InputError(f"a run overtakes another by one measure, not by {len(asked)}")
    return _Chase.of(joined, asked[0], behind, ahead).ended()


@dataclass(frozen=True, eq=False)
class _Chase:
    """Two runs on the topics that count: how far the one is ahead, under the judgments as they are and as they may be.

    Attributes
    ----------
    names
        Of the run behind, and of the one ahead.
    measure
        At the relevance level of the runs.
    behind, ahead
        Their rankings, of judgments in which note is taken of what was retrieved.
    topics
        The topics that count, by their places.
    """

    names: tuple[str, str]
    measure: Measure
    behind: JudgedRankings
    ahead: JudgedRankings
    topics: Integers

    @classmethod
    def of(cls, joined: JudgedRuns, measure: Measure, behind: str, ahead: str) -> _Chase:
        scores = joined.scores([measure])
        panel = panel_of(scores)
        if panel.logarithmic[0]:
            raise InputError(f"{measure} has a geometric mean, of which it is not known what a document adds")
        place = {topic: code for code, topic in enumerate(joined.topics)}
        one, other = (joined.of_run(joined.runs.index(name)) for name in (behind, ahead))
        topics = np.array([place[topic] for topic in panel.topics])
        return cls((behind, ahead), scores.measures[0], one, other, topics)

    @property
    def judgments(self) -> Judgments:
        return self.behind.judgments

    @property
    def sign(self) -> float:
        return direction(self.measure)

    def lead(self, grade: Floats | None = None) -> Floats:
        """How far the one is ahead, by topic that counts, more being better; by other grades, if they are given."""
        pair = (
            (self.ahead, self.behind) if grade is None else (each.rejudged(grade) for each in (self.ahead, self.behind))
        )
        ahead, behind = (self.measure.by_run(each)[0] for each in pair)
        lead: Floats = self.sign * (ahead - behind)[self.topics]
        return lead

    def found(self, documents: Integers) -> Floats:
        """Return the grades, were these documents found to have the largest."""
        grade = self.judgments.grade.copy()
        grade[documents] = self.judgments.top_grade or 1.0
        return grade

    def overtaken_with(self, documents: Integers) -> bool:
        return float(self.lead(self.found(documents)).mean()) < -ROUNDING

    def ended(self) -> Overtaking:
        lead = self.lead()
        if lead.mean() < -ROUNDING:
            return self._told(lead, "ahead already", np.zeros(0, np.int64), np.zeros(0), None, sums_up=True)
        sums = self._sums()
        sums_up, adds = sums is not None, self._each_alone(lead) if sums is None else sums
        order = np.argsort(-adds, kind="stable")[: int((adds > 0).sum())]
        none, at_least = order[:0], self._at_least(lead)
        if not len(order) or not self.overtaken_with(order):
            impossible = at_least == 0 or (sums_up and self.measure.gains_rise(self.judgments))
            return self._told(lead, "none can" if impossible else "none found", none, adds, at_least, sums_up=sums_up)
        enough = bisect_left(range(len(order) + 1), True, key=lambda many: self.overtaken_with(order[:many]))
        return self._told(lead, "these", order[:enough], adds, at_least, sums_up=sums_up)

    def _told(
        self, lead: Floats, answer: Answer, documents: Integers, adds: Floats, at_least: int | None, *, sums_up: bool
    ) -> Overtaking:
        named = {
            "topic": [self.judgments.topics[code] for code in self.judgments.topic[documents]],
            "document": self.judgments.ids(documents),
            "adds": adds[documents] if len(documents) else [],
        }
        schema = {"topic": pl.String, "document": pl.String, "adds": pl.Float64}
        one = answer == "these" and len(documents) == 1  # without any, it is behind
        exact = answer != "none found" and (sums_up or one or answer == "none can" or len(documents) == at_least)
        known = at_least or None
        if answer == "these" and exact:
            known = len(documents)
        table = pl.DataFrame(named, schema=schema)
        return Overtaking(*self.names, str(self.measure), float(lead.mean()), answer, table, known, exact)

    def _sums(self) -> Floats | None:
        """What each candidate adds for the run behind, by its place in the judgments, where values are sums of that."""
        found = self.found(np.flatnonzero(self.judgments.candidates))
        adds = np.zeros(len(found))
        for run, sign in ((self.behind, self.sign), (self.ahead, -self.sign)):
            each = self.measure.contributions(run.rejudged(found))
            if each is None:
                return None
            adds[run.judgment] += sign * each
        return self._where_it_counts(adds)

    def _each_alone(self, lead: Floats) -> Floats:
        """What each candidate of the lists would change, were it alone found relevant: one of each topic at a time."""
        listed = np.zeros(len(self.judgments), bool)
        for run in (self.behind, self.ahead):
            listed[run.cut(self.measure.cutoff).judgment] = True
        places = np.flatnonzero(listed & self.judgments.candidates)
        rank = np.full(len(self.judgments), np.inf)
        rank[self.behind.judgment] = self.behind.rank
        places = places[np.lexsort((rank[places], self.judgments.topic[places]))]
        nth, adds = nth_within(self.judgments.topic[places]), np.zeros(len(self.judgments))
        row = np.full(len(self.judgments.topics), -1)
        row[self.topics] = np.arange(len(self.topics))
        for turn in range(min(int(nth.max(initial=-1)) + 1, TRIED)):
            tried = places[nth == turn]
            tried = tried[row[self.judgments.topic[tried]] >= 0]
            adds[tried] = (lead - self.lead(self.found(tried)))[row[self.judgments.topic[tried]]]
        return self._where_it_counts(adds)

    def _where_it_counts(self, adds: Floats) -> Floats:
        """Leave out what is judged, and topics that do not count; as a share of the mean."""
        counts = self.judgments.candidates & np.isin(self.judgments.topic, self.topics)
        return np.where(counts, adds, 0.0) / len(self.topics)

    def _at_least(self, lead: Floats) -> int | None:
        """How many documents it takes at the least: as many as topics, those of the widest ranges first.

        0 says that no number does, None that nothing is sure.
        """
        pair = (self.ahead, self.behind) if self.sign > 0 else (self.behind, self.ahead)
        fullest = self.judgments.topics[int(self.judgments.open_of_topic.argmax())]
        if least_difference_of(self.measure, *(each.of_topic(fullest) for each in pair))[1] == "tried":
            return None  # nothing is sure of all topics where nothing is of one, and that is known sooner
        least, kind = least_difference_of(self.measure, *pair)
        if kind == "tried":
            return None
        more = np.sort(lead - least[self.topics])[::-1].cumsum()
        reached = more > lead.sum() + ROUNDING
        return int(np.argmax(reached)) + 1 if reached.any() else 0
