"""How sure are we of the systems by now, and is it enough?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, checked
from cranfield.plumbing.tables import RUN
from cranfield.plumbing.wording import counted
from cranfield.results.people import plain
from cranfield.results.result import Result
from cranfield.scoring.orientation import best_first
from cranfield.selection.judgment_audit import Draws
from cranfield.selection.method import near_the_top
from cranfield.selection.minimal import ahead
from cranfield.selection.state import State
from cranfield.statistics.conclusions import significant
from cranfield.statistics.on_paper import settled, side
from cranfield.statistics.paired_tests import check_worst_case, worst_case_p

MISS_LEVEL: Final = 0.05
"""The level of the bound on missed documents."""


@dataclass(frozen=True, eq=False, repr=False)
class Status(Result):
    """What is certain about each run, what is open, and which runs can still be the best.

    Each run's mean over topics lies between its base (nothing unjudged is relevant) and its top
    (all of it is, below the ends of the lists too). The leader is the run with the highest base; a
    run can still win if its top reaches the leader's base.

    Attributes
    ----------
    runs, topics
        Names of the runs; ids of the topics.
    judged, relevant, skipped, remaining
        How many documents that some run retrieved are judged (those given at the start included),
        have a grade above 0, were skipped, and can still be judged.
    answers
        The grades recorded since the start, in order.
    audit
        What the documents judged so far tell in the order of the audit (`Judging.next_audit`).
    renew_every
        After how many judgments the weights are renewed.
    base, residual, projected
        Arrays of shape (runs, topics); projected is what the run scores if what is unjudged gains
        as much as what is judged (0 where nothing is).
    decisive
        The unjudged documents that would decide most between the leader and its rivals, the runs
        that can still win: topic, document, and their influence: the distance of c(leader) and
        c(s), over the number of topics, averaged over the rivals s. So far the two runs' means move
        apart, or together, if the document gains 1.
    reasons
        The reasons to stop, by the rules applied.
    lacking
        How far other rules applied are from one, where they can tell.
    ahead
        By the probability with which an unjudged document is taken to be relevant, where a rule asked
        for it: array of shape (runs, runs), how probable it is that one run's mean AP is above
        another's.
    leads
        Where a rule asked for it: by run, the log of the evidence (a martingale's) that the leader is
        above it, by judgments and audit together; infinite for the leader, and where ranges tell.
    aside
        How many unjudged documents are not to be judged, since the session has others alone (``among``). The
        audit says nothing of them.
    measure
        By which runs are scored.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, sections 2, 4 (projection) and 5 (tests at the ends of the ranges).

    Examples
    --------
    >>> from cranfield.selection import Judging
    >>> judging = Judging({"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}, "P@2")
    >>> judging.record("1", "a", 1)
    >>> judging.record("1", "c", 0)
    >>> print(judging.status())
    run    base  residual     top  projected  can win
    x    0.5000    0.5000  1.0000     1.0000  yes
    y    0.0000    0.5000  0.5000     0.0000  yes
    2 judged, 1 of them relevant; 1 left; weights renewed after every judgment; scores by P@2
    most decisive documents: none
    missed: at most 1 of 1 unjudged is relevant (no document of the audit is judged)
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    judged: int
    relevant: int
    skipped: int
    remaining: int
    answers: Floats
    audit: Draws
    renew_every: int
    base: Floats
    residual: Floats
    projected: Floats
    decisive: pl.DataFrame
    reasons: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    ahead: Mapping[float, Floats] = field(default_factory=dict)
    leads: Floats | None = None
    aside: int = 0
    measure: str = ""

    @classmethod
    def of(
        cls,
        state: State,
        answers: Sequence[float],
        audit: Draws,
        *,
        decisive: int,
        renew_every: int,
        priors: Iterable[float] = (),
    ) -> Status:
        """Take the status of a state; it does not change when judging continues."""
        judged, remaining = int(state.judged.sum()), int(state.open.sum())
        status = cls(
            runs=state.candidates.runs,
            topics=state.candidates.topics,
            judged=judged,
            relevant=int((state.grade > 0).sum()),
            skipped=len(state.open) - state.aside - judged - remaining,
            remaining=remaining,
            answers=np.array(answers, np.float64),
            audit=audit,
            renew_every=renew_every,
            base=state.base.copy(),
            residual=state.residual,
            projected=state.projected,
            decisive=pl.DataFrame(),
            ahead={prior: ahead(state, prior) for prior in priors},
            aside=state.aside,
            measure=str(state.measure),
        )
        return replace(status, decisive=_decisive(state, status, decisive))

    def __repr__(self) -> str:
        return (
            f"Status({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}: {self.judged:,} judged, "
            f"{self.remaining:,} left)"
        )

    @property
    def mean_base(self) -> Floats:
        """By run: the mean over topics of what is certain."""
        return np.asarray(self.base.mean(axis=1))

    @property
    def mean_top(self) -> Floats:
        """By run: the mean over topics of the most that it can score."""
        return np.asarray((self.base + self.residual).mean(axis=1))

    @property
    def leader(self) -> int:
        """The run with the highest base; of several the first."""
        return best_first(self.mean_base)[0]

    @property
    def can_win(self) -> Booleans:
        """By run: whether its top reaches the highest base."""
        return can_win(self.mean_base, self.mean_top)

    def relevant_left(self, level: float = 0.05) -> int:
        """Return an upper bound on how many of the unjudged candidates are relevant, by the audit.

        The probability that it is ever below the true number is at most the level, however often
        one looks: topics, runs and grades are what they are, and chance is the audit's alone. Without
        an audit it is the number of unjudged documents: of those that a method chose, no rate can be
        carried over to those that it left. Of a session with ``among`` it speaks of these documents.
        See `Draws.most_left`.
        """
        return self.audit.most_left(checked("level", level, Level))

    def p_values(self, better: Integers, worse: Integers, test: str = "wilcoxon") -> Floats:
        """Return the p of the base of runs against the top of others, topic by topic and one-sided.

        A small p says that the one is better *whatever* the unjudged documents are, and not by the
        choice of topics alone: see `worst_case_p`, which says what tests there are. With a single
        topic nothing can be tested: 1.
        """
        check_worst_case(test)
        if len(self.topics) < 2:
            return np.ones(len(better))
        return worst_case_p(self.base[better] - (self.base + self.residual)[worse], test)

    def decided(self, level: float = 0.05, test: str = "wilcoxon") -> pl.DataFrame:
        """Return the pairs of runs that are decided at this level even at the ends of their ranges.

        Each pair is tested once, the run with the higher mean base as the better one, with no
        correction for the number of pairs, as in the paper's Table 5. The tests are those of
        `p_values`.

        Returns
        -------
        Table with the columns better, worse and p.
        """
        order = np.array(best_first(self.mean_base))
        above, below = np.triu_indices(len(order), 1)
        better, worse = order[above], order[below]
        p = self.p_values(better, worse, test) if len(better) else np.ones(0)
        names, found = np.array(self.runs, object), significant(p, level)
        columns = {"better": names[better[found]], "worse": names[worse[found]], "p": p[found]}
        return pl.DataFrame(columns, schema={"better": pl.String, "worse": pl.String, "p": pl.Float64})

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return means over topics by run, the highest base first: run, base, residual, top, projected, can_win."""
        order = best_first(self.mean_base)
        return pl.DataFrame(
            {
                RUN: [self.runs[run] for run in order],
                "base": self.mean_base[order],
                "residual": self.residual.mean(axis=1)[order],
                "top": self.mean_top[order],
                "projected": self.projected.mean(axis=1)[order],
                "can_win": self.can_win[order],
            }
        )

    def table(self, **which: object) -> pl.DataFrame:
        """Return the same in words."""
        words = pl.when("can_win").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("can win")
        return self.to_polars().with_columns(words).drop("can_win")

    def caption(self, **which: object) -> str:
        """Report how many documents are judged and left, and the runs of these means."""
        renewed = "every judgment" if self.renew_every == 1 else f"every {self.renew_every} judgments"
        skipped = f"; {self.skipped:,} skipped" if self.skipped else ""
        measure = f"; scores by {self.measure}" if self.measure else ""
        return (
            f"{self.judged:,} judged, {self.relevant:,} of them relevant; {self.remaining:,} left{skipped}; "
            f"weights renewed after {renewed}{measure}"
        )

    def best(self, **which: object) -> Mapping[str, float]:
        """Return the columns whose largest value is highlighted."""
        return {"base": 1, "top": 1, "projected": 1}

    def remarks(self) -> tuple[str, ...]:
        """Name the most decisive documents, say what may be missed, and give the reason to stop, if any."""
        named = [f"{document} of topic {topic} ({by:.4f})" for topic, document, by in self.decisive.head(3).rows()]
        return (
            f"most decisive documents: {', '.join(named) or 'none'}",
            self._missed(),
            *(f"enough: {reason}" for reason in self.reasons),
            *(f"not yet: {lacks}" for lacks in self.lacking),
        )

    def _missed(self) -> str:
        """Say how many relevant candidates are missed at most."""
        unjudged, draws = self.audit.unjudged, self.audit
        beside = f"; the {self.aside:,} not to be judged are unknown" if self.aside else ""
        if not unjudged:
            which = "every document to judge has a judgment" if beside else "every candidate is judged"
            return f"missed: nothing; {which}{beside}"
        left = self.relevant_left(MISS_LEVEL)
        among = f"missed: at most {left:,} of {unjudged:,} unjudged {'is' if left == 1 else 'are'} relevant"
        if not len(draws.place):
            return f"{among} (no document of the audit is judged){beside}"
        hits = f"{int(draws.relevant.sum()):,}" if draws.relevant.any() else "none"
        audited = f"({len(draws.place):,} audited, {hits} of them relevant)"
        return f"{among}, with confidence {1 - MISS_LEVEL:g} {audited}{beside}"

    def __str__(self) -> str:
        return "\n".join([plain(self.sheet()).rstrip(), self.caption(), *self.remarks()])


def can_win(base: Floats, top: Floats) -> Booleans:
    """Which runs could be the best: those whose top reaches the highest base?"""
    return side(top - base.max()) >= 0


def _decisive(state: State, status: Status, most: int) -> pl.DataFrame:
    """Return the documents that would move the leader and its rivals apart most, or together."""
    candidates, leader = state.candidates, status.leader
    rival = status.can_win.copy()
    rival[leader] = False
    document = candidates.cell_place
    own = np.zeros(len(candidates))  # c(leader), which is also the difference to a rival that lacks the document
    leads = candidates.cell_run == leader
    contribution = state.contributions(slice(None))
    own[document[leads]] = contribution[leads]
    theirs = rival[candidates.cell_run]
    document = document[theirs]
    apart = np.abs(own[document] - contribution[theirs]) - own[document]
    influence = own * rival.sum() + np.bincount(document, apart, len(candidates))
    influence = np.where(state.open, influence, 0.0) / (max(rival.sum(), 1) * len(candidates.topics))
    level = settled(influence)
    some = near_the_top(level, most)
    first = some[np.argsort(-level[some], kind="stable")][:most]
    first = first[level[first] > 0]
    return candidates.ids_of(first).with_columns(pl.Series("influence", influence[first]))
