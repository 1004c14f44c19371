"""How a comparison, a gate and a report open: the verdict in words, then the few numbers it rests on.

All words of a lead stand here, as `Speech` has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Self

import numpy as np

from cranfield.comparison.deciding import OpenLead, to_reverse
from cranfield.measures.framework.names import parse_measures
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.interchange import record
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.speech import Speech
from cranfield.plumbing.wording import called, confidence, counted, p_value, percent
from cranfield.results.sheet import NEXT
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.multiple_comparisons import fewest_differing
from cranfield.statistics.on_paper import EQUAL, side

LEADS: Final = "{leaders} leads {seconds} by {lead} in {measure}"
ON_LOGARITHMS: Final = "; tested on logarithms"  # a geometric mean
BETWEEN: Final = "The lead lies between {low} and {high} {scope.alike} "
BETWEEN_ONE: Final = BETWEEN.replace("lead", "lead over {second}")  # where several are second
WINS: Final = "{leaders} wins {won:topic|topics}, ties {tied} and loses {lost}."
HAS_THE_BEST: Final = "{leaders} {has} the best mean {measure}, {mean}"
_RUNS_NAMED: Final = 3  # Up to this many runs are named in a sentence
_MORE: Final = 3  # Up to this many further measures have a line each; the table has the others


def doubt(low: float | None, high: float | None, *, is_significant: bool) -> str:
    """Put the verdict on a lead into words; of few topics the signs decide, so that an interval may leave 0 out."""
    if is_significant:
        return "a significant difference"
    holds_0 = low is not None and high is not None and not excludes_0(np.array(low), np.array(high))
    return "too close to call" if holds_0 else "not significant"


def rests_on_few(differing: int, topics: int, who: str = "The two") -> str:
    """Say that an interval rests on few topics; how seldom such ones hold, the page on calibration counts."""
    few = f" {who} differ on only {differing} of {counted(topics, 'topic')}, too few to rely on the interval."
    return few * (0 < differing < fewest_differing(topics))


def shared_told(leaders: int, runs: int) -> str:
    """Say that several runs lead, or that all are equal."""
    if leaders < runs:
        return "{leaders} share the lead in {measure} with {mean} ({scope.nearly})"
    who = "{leaders}" if runs == 2 else f"All {runs:,} runs"
    return f"{who} have the same mean {{measure}}, {{mean}} ({{scope.nearly}})"


def near_told(near: int, others: int) -> str:
    """Say how many of the other runs are not significantly worse than those that lead, and name a few: ``alike``."""
    if not near:
        which = {1: "The other run is", 2: "Both other runs are"}.get(others, "All {others} other runs are")
        return f"{which} significantly worse than {{leaders}} {{scope.alike}}."
    if near == others:
        return "No other run is significantly worse than {leaders} {scope.alike}."
    if near > _RUNS_NAMED:
        return "{near} of {others} other runs are not significantly worse than {leaders} {scope.alike}."
    verb, rest = "is" if near == 1 else "are", others - near
    which = "the other run is" if rest == 1 else f"the {rest:,} other runs are"
    return f"{{alike:all}} {verb} not significantly worse than {{leaders}} {{scope.alike}}; {which}."


def counted_against(better: int, worse: int) -> str:
    """Say how many runs are significantly better and worse than the baseline."""
    best = "None of {others:run|runs} is"
    if better:
        best = f"{better:,} of {{others:run|runs}} {'is' if better == 1 else 'are'}"
    rest = f"{worse:,} {'is' if worse == 1 else 'are'}" if worse else "none is"
    return f"{best} significantly better than {{baseline}} in {{measure}} {{scope.alike}}, and {rest} worse."


def said(words: str, **numbers: object) -> str:
    """Put numbers and names into words."""
    return Speech().format(words, scope=Scope().on_others(), **numbers)


@record
@dataclass(frozen=True)
class Duel:
    """Two runs by one measure, seen from the one that leads; of equal runs from the first."""

    measure: str
    ahead: str
    behind: str
    lead: float  # How far it leads; 0 where both are equal on paper
    mean: float
    low: float | None
    high: float | None
    level: float
    p: float | None
    won: int
    tied: int
    lost: int
    verdict: str = ""
    logarithmic: bool = False  # Whether logarithms were tested; the numbers are of the means that are printed
    corrected: bool | None = None  # Whether the level is what the correction leaves; None where p is not corrected

    @classmethod
    def of(
        cls,
        row: Mapping[str, Any],
        direction: float,
        level: float,
        after_correction: tuple[float, float, float] | None = None,
        *,
        alone: bool = False,
        logarithmic: bool = False,
    ) -> Self:
        """Turn a row of differences so that the leading run comes first; its interval is the corrected one, if any.

        Without a corrected one, the interval may be of this difference alone though p is corrected.
        """
        ahead = float(side(row["difference"]))
        first = ahead * direction >= 0
        leader, behind = (row["run_a"], row["run_b"]) if first else (row["run_b"], row["run_a"])
        ends = [row["low"], row["high"]]
        corrected = False if alone else None
        if after_correction is not None and None not in ends:
            (*ends, level), corrected = after_correction, True
        low, high = (None, None) if None in ends else sorted((ahead or 1) * end for end in ends)
        counts = [row["wins"], row["ties"], row["losses"]]
        won, tied, lost = counts if first else counts[::-1]
        lead, mean = abs(row["difference"]) if ahead else 0.0, row["mean_a" if first else "mean_b"]
        if logarithmic:  # as what the leaderboard's figure shows (`Scores.behind_best`)
            turn = -direction
            lead, low, high = (
                each if each is None else turn * mean * math.expm1(turn * each) for each in (lead, low, high)
            )
        return cls(
            row["measure"], leader, behind, lead, mean, low, high, level, row["p_adjusted"], won, tied, lost,
            verdict=doubt(low, high, is_significant=row["significant"]), logarithmic=logarithmic, corrected=corrected,
        )  # fmt: skip

    def leads(self, seconds: Sequence[str] = ()) -> str:
        """Say who leads, by how much, and with a verdict, how sure that is; several may be second."""
        scope = Scope().within(EQUAL)
        if not self.lead:
            numbers = {"leaders": [self.ahead, self.behind], "measure": self.measure, "mean": self.mean}
            return f"{Speech().format(shared_told(2, 2), scope=scope, **numbers)}."
        behind = list(seconds) or self.behind
        numbers = {"leaders": self.ahead, "seconds": behind, "measure": self.measure, "lead": self.lead}
        return f"{said(LEADS, **numbers)}{f': {self.verdict}' if self.verdict else ''}."

    def between(self, *, over_one: bool = False) -> Iterator[str]:
        """Say between what the lead is, at which level, and p; over one of several that are second."""
        p = ("" if self.p is None else f"; {p_value(self.p)}") + ON_LOGARITHMS * self.logarithmic
        if self.low is not None:
            when = {True: ", after correction", False: ", before correction", None: ""}[self.corrected]
            interval = f"{confidence(self.level)} interval{when}"
            pair = f"{called(self.ahead)} and {called(self.behind)}" if over_one else "The two"
            rests = rests_on_few(self.won + self.lost, self.won + self.tied + self.lost, pair)
            words = BETWEEN_ONE if over_one else BETWEEN
            yield f"{said(words, low=self.low, high=self.high, second=self.behind)}({interval}{p}).{rests}"
        elif self.lead:
            p = f" ({p_value(self.p)})" if self.p is not None else ""
            yield f"The lead shows no spread, so it has no interval{p}."

    def tally(self) -> str:
        """Count the topics."""
        return said(WINS, leaders=self.ahead, won=self.won, tied=self.tied, lost=self.lost)

    @property
    def _counts(self) -> str:
        return f"{counted(self.won, 'topic')} won, {self.tied:,} tied, {self.lost:,} lost"

    def briefly(self, leader: str) -> str:
        """Say all of a further measure in a line."""
        if not self.lead:
            return f"In {self.measure} the two are equal ({self._counts})."
        who = "it" if self.ahead == leader else called(self.ahead)
        interval = "" if self.low is None else f"{self.low:.4f} to {self.high:.4f}; "
        p = "" if self.p is None else f"{p_value(self.p)}; "
        verdict = f": {self.verdict}" if self.verdict else ""
        tested = ON_LOGARITHMS * self.logarithmic
        return f"In {self.measure} {who} leads by {self.lead:.4f} ({interval}{p}{self._counts}{tested}){verdict}."


def opened(duels: Sequence[Duel], unjudged: str = "", *, verdict: str = "", command: str = "") -> tuple[str, ...]:
    """Return the lines that open what was found of two runs: ten at most."""
    first, *others = duels
    leader, more = first.ahead, len(others) - _MORE
    lines = chain(
        [verdict, first.leads()],
        first.between(),
        [first.tally(), unjudged],
        (each.briefly(leader) for each in others[:_MORE]),
        [f"The table has {counted(more, 'more measure')}."] * (more > 0),
        [f"{NEXT}{command}"] * bool(command),
    )
    return tuple(filter(None, lines))


def what_judging_could_do(joined: JudgedRuns, panel: Panel, m: int = 0) -> str:
    """Say how much of two lists is unjudged, and whether judging it could reverse the lead by a measure.

    An empty text where nothing can be said: of means of logarithms, of lists without their unjudged documents, of
    judgments taken as complete, and where nothing is relevant.
    """
    if panel.logarithmic[m] or joined.grading.judged_only or joined.judgments.complete or panel.runs != joined.runs:
        return ""
    new, base = map(called, panel.runs)
    one = OpenLead.of(Rivals(joined, panel.topics, panel.weight_of_topic), parse_measures([panel.asked[m]])[0], 0, 1)
    if one.pair is None or one.bounds is None:
        return ""
    cutoff, shares = one.pair.measure.cutoff, one.pair.unjudged_shares()
    if not any(shares):
        return f"All {f'documents of the top {cutoff:,}' if cutoff else 'retrieved documents'} are judged."
    depth = f"the top {cutoff:,}" if cutoff else "the whole lists"
    told = f"{percent(shares[0])} of {new} and {percent(shares[1])} of {base} are unjudged in {depth}."
    ahead = float(side(one.pair.mean(one.pair.lead())))
    ends = side(one.bounds[0]), side(one.bounds[1])
    what = "reverse the lead" if ahead else "put either ahead"
    if ahead * ends[0 if ahead > 0 else 1] > 0 or not any(ends):
        which = "that was tried would" if one.pair.kind == "tried" else "of these could"
        return f"{told} No judgment {which} {what}."
    whose, enough, many = to_reverse("better" if ahead > 0 else "worse", one, 0.0) or ("", None, 0)
    if not ahead or enough is None:
        could = "could" if one.pair.kind == "exact" else "might"
        return (
            f"{told} Judging these {could} {what if ahead or all(ends) else f'put {new if ends[1] else base} ahead'}."
        )
    verb = "is" if enough == 1 else "are"
    of = f"{new if whose == 'new' else base}'s {counted(many, 'unjudged document')}"
    return f"{told} The lead is gone if {enough:,} of {of} {verb} relevant (grade {joined.judgments.scale:g})."
