"""The documents that would have to be relevant for one run to overtake another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, TypeAlias, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.pairs.pair import Pair, Rivals, fewest
from cranfield.plumbing.arrays import Booleans, Floats, Integers, nth_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import Result
from cranfield.scoring.judged_runs import JudgedRuns, join, knowing
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import panel_of
from cranfield.statistics.on_paper import side

Answer: TypeAlias = Literal["ahead already", "these", "none can", "none found"]


@dataclass(frozen=True, eq=False, repr=False)
class Overtaking(Result, rows="documents", keys=2):
    """What it takes for one run to overtake another.

    Attributes
    ----------
    behind, ahead
        The runs.
    measure
        The measure whose mean is compared.
    difference
        Of the means as judged: the run ahead minus the one behind, higher being better.
    answer
        ``"ahead already"``; ``"these"``: it would be ahead if the documents were relevant; ``"none
        can"``: it does not come ahead, whatever grades up to the largest of the qrels the unjudged
        documents in these runs have; ``"none found"``: none that was tried brings it ahead, and no
        bound says that none can.
    documents
        Unjudged documents which, were all of them found to have the largest grade and no other
        judged, bring it ahead: columns topic, document, adds (what each alone would change of the
        difference of the means), the one that adds most first.
    at_least
        The proven minimum number of documents (`exact`), or else a lower bound; null if the bounds
        give none.
    exact
        Whether no smaller set suffices.
    top
        The largest grade that unjudged documents could have.
    settled
        Why no document is left to judge; empty where one is.
    """

    behind: str
    ahead: str
    measure: str
    difference: float
    answer: Answer
    documents: pl.DataFrame
    at_least: int | None
    exact: bool
    top: float
    settled: str = ""

    def __repr__(self) -> str:
        return f"Overtaking({self.says()})"

    def says(self) -> str:
        """Answer in a sentence."""
        many = self.documents.height
        if self.answer == "ahead already":
            return f"{self.behind} is already ahead of {self.ahead} by {self.measure}"
        if self.answer == "none can":
            closed = f": no document is left to judge ({self.settled})"
            scope = closed if self.settled else f", {Scope((self.measure,)).graded(self.top).whatever}"
            return f"{self.behind} cannot overtake {self.ahead} by {self.measure}{scope}"
        if self.answer == "none found":
            return f"none of the sets of unjudged documents tried puts {self.behind} ahead of {self.ahead}"
        fewer = f", but at least {self.at_least} are needed" if (self.at_least or 0) > 1 else ""
        least = "fewer would not suffice" if self.exact else f"fewer might{fewer}"
        documents = counted(many, "unjudged document")
        overtaken = f"would put {self.behind} ahead of {self.ahead} by {self.measure}"
        return f"{documents}, if relevant, {overtaken}; {least}"

    def caption(self, **which: object) -> str:
        """Answer in a sentence."""
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
    """Which unjudged documents would have to be relevant for one run to overtake another, and how few suffice?

    Documents in the set get the largest grade, in both runs; all others stay as they are. For a
    measure that sums each document's contribution (RBP, P, DCG and similar), the smallest set is
    known: the documents with the largest contribution to the run behind, minus that to the run ahead.
    For other measures the set is searched: every set if each topic has few candidates, otherwise the
    documents in several orders (by the change each makes alone, by rank weight, all of the run
    behind), so a smaller set may exist. Candidates include documents that neither run has above the
    cutoff, since they enlarge the recall base and the ideal. A lower bound on the size follows from
    joint ranges: no topic can contribute more than its range allows, and each document belongs to one
    topic.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`, including joined runs; any document that the runs retrieved may be
        relevant.
    measure
        The measure whose mean is compared.
    behind, ahead
        The two runs.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        If a run does not exist, or unjudged documents are removed (``judged_only``).

    Examples
    --------
    By P@2 good has 1/2, and poor 0; nobody judged x, which both have, nor y and z:

    >>> qrels = {"1": {"a": 1, "n": 0}}
    >>> runs = {"good": {"1": ["a", "x", "z"]}, "poor": {"1": ["x", "y", "a"]}}
    >>> overtake(qrels, runs, "P@2", behind="poor", ahead="good")
    Overtaking(poor cannot overtake good by P@2, whatever grades from 0 to 1 ...)
    >>> print(overtake(qrels, runs, "RBP(p=0.5)", behind="poor", ahead="good"))
    2 unjudged documents, if relevant, would put poor ahead of good by RBP(p=0.5); fewer would not
      suffice.
    topic  document    adds
    1      x         0.2500
    1      y         0.2500
    """
    conditions = knowing(measure, qrels, conditions)
    joined = join(qrels, runs, bounds=True, **conditions).under(bounds=False)
    if joined.grading.judged_only:
        raise InputError("condensed lists have no unjudged documents; omit judged_only")
    for name in (behind, ahead):
        if name not in joined.runs:
            raise InputError(f"no run is called {name!r}; the runs are {named(joined.runs)}")
    asked = parse_measures(measure)
    if len(asked) != 1:
        raise InputError(f"overtake takes one measure, not {len(asked)}")
    scores = joined.scores(asked)
    panel = panel_of(scores)
    if panel.logarithmic[0]:
        raise InputError(f"{asked[0]} has a geometric mean; overtake needs an arithmetic one")
    pair = Rivals(joined, panel.topics).of(scores.measures[0], joined.runs.index(ahead), joined.runs.index(behind))
    return _answered((behind, ahead), pair)


def turns(pair: Pair) -> int:
    """How often are both runs scored to try each document, or each set; 0 where what each adds is known?"""
    return 0 if _sums(pair) is not None else Chase(pair).turns


def _answered(names: tuple[str, str], pair: Pair) -> Overtaking:
    """Answer for the run ahead and the one behind."""
    lead, takes, top = pair.lead(), _sums(pair), pair.judgments.scale
    nothing = np.zeros(0, np.int64)
    settled = "" if pair.judgments.candidates.any() else pair.judgments.complete_since or "all are judged"

    def told(answer: Answer, documents: Integers, at_least: int | None, *, exact: bool) -> Overtaking:
        topics, ids = pair.named(documents)
        adds = np.zeros(0) if takes is None else takes[documents] / len(lead)
        schema = {"topic": pl.String, "document": pl.String, "adds": pl.Float64}
        table = pl.DataFrame({"topic": topics, "document": ids, "adds": adds}, schema)
        return Overtaking(*names, str(pair.measure), float(lead.mean()), answer, table, at_least, exact, top, settled)

    if side(lead.mean()) < 0:
        return told("ahead already", nothing, None, exact=True)
    at_least = _at_least(pair)
    documents: Integers | None
    if takes is not None:
        order = np.argsort(-takes, kind="stable")[: int((takes > 0).sum())]
        enough = fewest(order, lambda some: bool(side(pair.found(some).lead().mean()) < 0))
        documents, proved = None if enough is None else order[:enough], True
        impossible = at_least == 0 or pair.measure.gains_rise(pair.judgments)
    else:
        chase = Chase(pair)
        takes, documents, proved = chase.takes, chase.smallest(), chase.exhaustive
        impossible = at_least == 0
    if documents is None:
        return told("none can" if impossible else "none found", nothing, at_least or None, exact=impossible)
    exact = proved or len(documents) in {1, at_least}  # without any, it is behind
    return told("these", documents, len(documents) if exact else at_least or None, exact=exact)


def _sums(pair: Pair) -> Floats | None:
    """What each candidate takes from the lead, by its place in the judgments, where values are sums of that."""
    found, sign = pair.found(np.flatnonzero(pair.judgments.candidates)), direction(pair.measure)
    takes = np.zeros(len(pair.judgments))
    for run, way in ((found.other, sign), (found.one, -sign)):
        each = pair.measure.contributions(run)
        if each is None:
            return None
        takes[run.judgment] += way * each
    return np.where(pair.judgments.candidates & np.isin(pair.judgments.topic, pair.topics), takes, 0.0)


def _at_least(pair: Pair) -> int | None:
    """Count the topics, widest ranges first, that it takes at least: 0 if no number does, None if nothing is sure."""
    fullest = pair.judgments.topics[int(pair.judgments.open_of_topic.argmax())]
    of_one = replace(pair, one=pair.one.of_topic(fullest), other=pair.other.of_topic(fullest))
    if any(each.kind == "tried" for each in (of_one, pair)):  # nothing is sure of all where nothing is of one
        return None
    lead = pair.lead()
    reached = side((lead.sum() - np.sort(lead - pair.least_by_topic())[::-1].cumsum()) / len(lead)) < 0
    return int(np.argmax(reached)) + 1 if reached.any() else 0


MOST_TRIED: Final = 200
"""How many candidates of a topic, the highest in the list of the run behind, are tried one by one."""
MOST_SETS: Final = 256  # All sets of documents are tried where no topic has more of them


class Chase:
    """The candidates of a pair, tried one (or one set) a topic at a time, since each has its effect on one topic.

    Those that neither run has down to the cutoff enlarge recall base and ideal; of one topic all do the same.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair, judgments = pair, pair.judgments
        row = np.full(len(judgments.topics), -1)
        row[pair.topics] = np.arange(len(pair.topics))
        listed, rank = np.zeros(len(judgments), bool), np.full(len(judgments), np.inf)
        for run in (pair.one, pair.other):
            listed[run.cut(pair.measure.cutoff).judgment] = True
        rank[pair.other.judgment] = pair.other.rank
        places = np.flatnonzero(judgments.candidates & (row[judgments.topic] >= 0))
        # The candidates of the topics that count, topic by topic: those in the lists, down to the cutoff, the highest
        # of the run behind first; and behind them those elsewhere.
        self.places = places[np.lexsort((rank[places], ~listed[places], row[judgments.topic[places]]))]
        self.topic, self.listed = row[judgments.topic[self.places]], listed[self.places]
        self.nth = nth_within(self.topic)
        self.own, self.elsewhere = (
            np.bincount(self.topic[which], minlength=len(pair.topics)) for which in (self.listed, ~self.listed)
        )
        self.lead = pair.lead()

    @property
    def sets(self) -> Floats:
        """How many sets of documents each topic has, with as many of those elsewhere counted once."""
        return 2.0 ** np.minimum(self.own, MOST_SETS) * (1 + self.elsewhere)

    @property
    def exhaustive(self) -> bool:
        """Whether all sets are tried."""
        return bool((self.sets <= MOST_SETS).all())

    @property
    def turns(self) -> int:
        """How often both runs are scored to try every document alone, or every set."""
        alone = min(MOST_TRIED, int(self.own.max(initial=0))) + int(self.elsewhere.any())
        return alone + (int(self.sets.max(initial=0)) if self.exhaustive else 0)

    @cached_property
    def takes(self) -> Floats:
        """What each document would take from the lead on its topic, were it alone found relevant, by its place."""
        takes = np.zeros(len(self.pair.judgments))
        for turn in range(min(MOST_TRIED, int(self.own.max(initial=0)))):
            tried = self.listed & (self.nth == turn)
            takes[self.places[tried]] = self._taken(tried)[self.topic[tried]]
        if not self.listed.all():
            one_of_each = self._taken(~self.listed & (self.nth == self.own[self.topic]))
            takes[self.places[~self.listed]] = one_of_each[self.topic[~self.listed]]
        return takes

    def smallest(self) -> Integers | None:
        """Return the smallest set found that puts the run behind ahead, the documents with the largest effect first."""
        found = self._combined(self._all_sets()) if self.exhaustive else self._by_rules()
        return None if found is None else found[np.argsort(-self.takes[found], kind="stable")]

    def _by_rules(self) -> Integers | None:
        """Go down several orders of all documents; then down the same, topic by topic, as far as each pays."""
        by_effect = self.places[np.argsort(-self.takes[self.places], kind="stable")]
        against = self.pair.against()
        orders = [
            by_effect[self.takes[by_effect] > 0],
            against,
            against[~np.isin(against, self.pair.one.judgment)],
            self.places[np.isin(self.places, self.pair.other.judgment)],
        ]
        sets = [order[:enough] for order in orders if (enough := fewest(order, self._enough)) is not None]
        if not sets:
            return None
        shortest = min(sets, key=len)
        most = int(np.bincount(self.pair.judgments.topic[shortest]).max(initial=0))
        pruned = self._combined(self._prefixes(orders[:2], min(most, MOST_TRIED)))
        return shortest if pruned is None or len(pruned) >= len(shortest) else pruned

    def _enough(self, documents: Integers) -> bool:
        return bool(side(self.pair.found(documents).lead().mean()) < 0)

    def _taken(self, chosen: Booleans) -> Floats:
        """What some of the candidates, found relevant, take from the lead: by topic that counts."""
        return self.lead - self.pair.found(self.places[chosen]).lead()

    def _all_sets(self) -> Iterator[Booleans]:
        """Go through the sets of each topic, one at a time: bits are its listed documents, the rest counts others."""
        own, sets = self.own[self.topic], self.sets[self.topic]
        for number in range(int(self.sets.max(initial=0))):
            listed = (number >> np.minimum(self.nth, own)) & 1
            yield np.where(self.listed, listed, self.nth - own < number >> own).astype(bool) & (number < sets)

    def _prefixes(self, orders: Iterable[Integers], most: int) -> Iterator[Booleans]:
        """Go through the first documents of each topic in these orders."""
        for order in orders:
            nth = np.full(len(self.pair.judgments), most)
            by_topic = order[np.argsort(self.pair.judgments.topic[order], kind="stable")]
            nth[by_topic] = nth_within(self.pair.judgments.topic[by_topic])
            for many in range(1, most + 1):
                yield nth[self.places] < many

    def _combined(self, tried: Iterable[Booleans]) -> Integers | None:
        """Choose at most one of the tried sets of each topic, with as few documents as possible in all.

        Of each topic and size the best set counts; topic after topic, a table holds the gain by number of documents.
        """
        topics, widest = len(self.lead), int((self.own + self.elsewhere).max(initial=0))
        best = np.full((topics, widest + 1), -np.inf)
        best[:, 0] = 0.0
        which = np.full(best.shape, -1)
        kept: list[Booleans] = []  # one of each topic at a time: what a document does, it does to its topic alone
        for number, chosen in enumerate(tried):
            size, taken = np.bincount(self.topic[chosen], minlength=topics), self._taken(chosen)
            better = np.flatnonzero((size > 0) & (taken > best[np.arange(topics), size]))
            best[better, size[better]], which[better, size[better]] = taken[better], number
            kept.append(chosen)
        sizes = _fewest_of_groups(best, lambda taken: bool(side((self.lead.sum() - taken) / topics) < 0))
        if sizes is None:
            return None
        number = which[np.arange(topics), sizes][self.topic]
        chosen = np.zeros(len(self.places), bool)
        for n in np.unique(number[number >= 0]):
            chosen |= kept[n] & (number == n)
        documents = self.places[chosen]
        return documents if self._enough(documents) else None


def _fewest_of_groups(best: Floats, enough: Callable[[float], bool]) -> Integers | None:
    """Say how many of each group are taken so that the fewest are enough, given best (groups, sizes); None if none are.

    >>> best = np.array([[0.0, 2.0, 3.0], [0.0, 1.0, 5.0]])
    >>> [_fewest_of_groups(best, lambda total: total >= needed) for needed in (2, 5, 6, 9)]
    [array([1, 0]), array([0, 2]), array([1, 2]), None]
    """
    total, taken = np.zeros(1), []
    for group in best:
        sizes = np.flatnonzero(np.isfinite(group))
        options = np.full((len(sizes), len(total) + int(sizes.max(initial=0))), -np.inf)
        for row, size in enumerate(sizes):
            options[row, size : size + len(total)] = total + group[size]
        taken.append(sizes[options.argmax(axis=0)])
        total = options.max(axis=0)
    many = next((many for many, most in enumerate(total.tolist()) if enough(most)), None)
    if many is None:
        return None
    chosen = np.zeros(len(best), np.int64)
    for group in range(len(best) - 1, -1, -1):
        chosen[group] = taken[group][many]
        many -= int(chosen[group])
    return chosen
