"""Who leads, how sure that is, and how finely the topics tell runs apart."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.reports.apart import BETTER, WORSE, not_told_from
from cranfield.reports.apart import against_baseline as parted
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import Caveat, Said, sentence
from cranfield.reports.standing import Standing
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.on_paper import EQUAL, side

FALL: Final = 0.05  # A fall in a group of topics by as much stands on the first sheet


@sentence(place=10)
def leader(evidence: Evidence) -> Said | None:
    """One run has a better mean than every other, by the measure that decides."""
    standing = evidence.standing
    if standing.leader is None:
        return None
    first, second, *_ = standing.order
    seconds = [standing.names[run] for run in standing.order[1:] if standing.rank[run] == standing.rank[second]]
    return Said.of(
        "{leader} leads {second} by {lead} in {measure}, with a mean of {mean}.",
        scope=evidence.scope, leader=standing.names[first], measure=standing.named, mean=standing.shown[first],
        lead=abs(standing.shown[first] - standing.shown[second]), second=seconds,
    )  # fmt: skip


@sentence(place=10)
def shared_lead(evidence: Evidence) -> Said | None:
    """Several runs have the best mean, but for rounding."""
    standing = evidence.standing
    if len(standing.leaders) < 2:
        return None
    return Said.of(
        "{runs} share the lead in {measure} with a mean of {mean} ({scope.nearly}).",
        scope=evidence.scope.within(EQUAL), runs=[standing.names[run] for run in standing.leaders],
        measure=standing.named, mean=standing.shown[standing.leaders[0]],
    )  # fmt: skip


@sentence(place=10)
def alone(evidence: Evidence) -> Said | None:
    """There is one run, so that nothing can be compared."""
    standing = evidence.standing
    if len(standing.names) > 1:
        return None
    return Said.of(
        "{run} has a mean {measure} of {mean} over {topics:topic|topics}. There is no run to compare it with.",
        scope=evidence.scope, run=standing.names[0], measure=standing.named, mean=standing.shown[0],
        topics=len(standing.panel.topics),
    )  # fmt: skip


@sentence(place=12)
def one_topic(evidence: Evidence) -> Said | None:
    """There are several runs and one topic, so that nothing can be tested."""
    standing = evidence.standing
    if len(standing.names) < 2 or len(standing.panel.topics) > 1:
        return None
    return Said.of("There is one topic, {topic}, which allows no test of differences.", topic=standing.panel.topics[0])


@sentence(place=15)
def lead_significant(evidence: Evidence) -> Said | None:
    """The leader is significantly better than the run that follows it."""
    row = _lead_tested(evidence)
    if row is None or not row["significant"]:
        return None
    leader, second = _first_two(evidence)
    return Said.of(
        "{leader} is significantly better than {second} by {measure} {scope.alike} ({p:p}; {method}).",
        scope=evidence.scope.on_others(), measure=evidence.named, leader=leader, second=second, p=row["p_adjusted"],
        method=evidence.comparison.method,
    )  # fmt: skip


@sentence(place=15)
def lead_not_significant(evidence: Evidence) -> Said | None:
    """The leader is not significantly better than the run that follows it."""
    row = _lead_tested(evidence)
    if row is None or row["significant"]:
        return None
    leader, second = _first_two(evidence)
    alike = len(not_told_from(evidence, leader))  # among them the second
    do = "does" if alike == 1 else "do"
    others = f" In all, {{alike}} of {{others}} other runs {do} not differ significantly from it." * evidence.several
    return Said.of(
        "{leader} is not significantly better than {second} by {measure} {scope.alike} ({p:p}; {method})." + others,
        scope=evidence.scope.on_others(), second=second, measure=evidence.named, p=row["p_adjusted"],
        method=evidence.comparison.method, alike=alike, others=len(evidence.standing.names) - 1, leader=leader,
    )  # fmt: skip


@sentence(place=15)
def against_baseline(evidence: Evidence) -> Said | None:
    """A baseline is named, and there are two topics or more."""
    standing, baseline = evidence.standing, evidence.baseline
    if baseline is None or not evidence.testable:
        return None
    parts = dict(parted(evidence, baseline))
    return Said.of(
        "{better} of {others:run|runs} {verb} significantly better than {baseline} by {measure} {scope.alike}, {worse} "
        "significantly worse ({method}).",
        scope=evidence.scope.on_others(), measure=evidence.named, better=len(parts[BETTER]), baseline=baseline,
        worse=len(parts[WORSE]), verb="is" if len(parts[BETTER]) == 1 else "are", others=len(standing.names) - 1,
        method=evidence.comparison.method,
    )  # fmt: skip


@sentence(
    "unjudged", place=20, caveat=Caveat("judgments", lambda evidence, numbers: _weight(evidence, numbers["lead"]))
)
def overtaken(evidence: Evidence) -> Said | None:
    """There are grades for the unjudged documents, the same for all runs, by which another run is ahead of the leader.

    Measures whose least differences are merely tried have no sentence. Where they are enclosed, more
    runs could be ahead, and further: at least.
    """
    standing = evidence.standing
    margins = standing.margins
    if standing.leader is None or margins is None or not margins.overtaken:
        return None
    furthest, by = margins.overtaken[0], "up to {lead}" if margins.exact else "{lead} or more"
    others = "{runs} other runs" if margins.exact else "At least {runs} other runs"
    who = "{furthest} could overtake {leader}"
    if len(margins.overtaken) > 1:
        who = f"{others} could overtake {{leader}}, {{furthest}}"
    return Said.of(
        f"{who} by {by} in {{measure}}, {{scope.some}}.",
        scope=evidence.scope_of_grades, measure=standing.named, leader=standing.names[standing.leader],
        runs=len(margins.overtaken), furthest=standing.names[furthest], lead=-float(margins.attained[furthest]),
    )  # fmt: skip


@sentence("unjudged", place=20)
def never_overtaken(evidence: Evidence) -> Said | None:
    """Unjudged documents are in the runs, and by none of their grades, up to the largest, does another run lead."""
    standing = evidence.standing
    margins = standing.margins
    if standing.leader is None or margins is None or not standing.open or not margins.safe:
        return None
    least = max(0.0, float(np.delete(margins.least, standing.leader).min()))
    return Said.of(
        "{leader} cannot be overtaken in {measure}, {scope.whatever}; "
        + ("it stays ahead by {least} or more." if side(least) > 0 else "at worst, another run draws level."),
        scope=evidence.scope_of_grades, measure=standing.named, leader=standing.names[standing.leader], least=least,
    )  # fmt: skip


@sentence("topics", place=40, caveat=Caveat("topics", lambda evidence, _: 0.75 if _told_apart(evidence) else 0.45))
def hangs_on_a_topic(evidence: Evidence) -> Said | None:
    """There are three topics or more, and without one of them the run that leads would not lead alone."""
    standing = evidence.standing
    if standing.leader is None or len(standing.panel.topics) < 3:
        return None
    means, leader = standing.without_each_topic, standing.leader
    behind = means.max(axis=1) - means[:, leader]
    topics = np.flatnonzero(side(behind) > 0)
    most = int(behind.argmax())
    if not len(topics):
        return _ends_in_a_tie(standing, means, leader)
    other, shown = int(means[most].argmax()), standing.panel.as_measured(means[[most]])[0]
    return Said.of(
        "Without topic {topic}, {other} would lead {leader} by {lead} in {measure}"
        + ("; each of {topics} topics decides who leads." if len(topics) > 1 else "."),
        scope=evidence.scope, leader=standing.names[leader], measure=standing.named, topics=len(topics),
        topic=standing.panel.topics[most], other=standing.names[other], lead=abs(float(shown[other] - shown[leader])),
    )  # fmt: skip


def _ends_in_a_tie(standing: Standing, means: Floats, leader: int) -> Said | None:
    """Say that without a topic the lead would be shared: means by topic left out and run, none above the leader's."""
    level = side(means - means[:, [leader]]) == 0
    level[:, leader] = False
    topics = np.flatnonzero(level.any(axis=1))
    if not len(topics):
        return None
    return Said.of(
        "Without topic {topic}, {other} would tie with {leader} in {measure}"
        + ("; each of {topics} topics decides whether the lead is shared." if len(topics) > 1 else "."),
        scope=Scope((standing.named,)), leader=standing.names[leader], measure=standing.named, topics=len(topics),
        topic=standing.panel.topics[int(topics[0])], other=standing.names[int(level[topics[0]].argmax())],
    )  # fmt: skip


@sentence("slices", place=42, caveat=Caveat("groups", lambda _, numbers: min(1.0, 0.4 + numbers["fall"])))
def falls_in_a_group(evidence: Evidence) -> Said | None:
    """In a group of topics the leader is behind the run that follows it (or the baseline) by .05 or more."""
    standing = evidence.standing
    if evidence.groups is None or evidence.alone:
        return None
    leader, other = standing.order[:2]
    if evidence.baseline is not None and standing.names[leader] != evidence.baseline:
        other = standing.names.index(evidence.baseline)
    behind = standing.values[other] - standing.values[leader]
    falls = {
        f"{group.grouping} {group.name}": behind[[topic in group.topics for topic in standing.panel.topics]]
        for group in evidence.groups.of(standing.panel.topics)
    }
    group = max(falls, key=lambda name: float(falls[name].mean()))
    fall, interval = float(falls[group].mean()), {}
    if fall < FALL:
        return None
    if len(falls[group]) > 1:
        low, high = t_interval(falls[group][np.newaxis])
        interval = {"low": float(low[0]), "high": float(high[0])}
    return Said.of(
        "In {group}, {other} leads {leader} by {fall}"
        + (" [{low}, {high}]" if interval else "")
        + " in {measure} ({topics:topic|topics}).",
        scope=evidence.scope, group=group, other=standing.names[other], leader=standing.names[leader],
        measure=standing.named, fall=fall, topics=len(falls[group]), **interval,
    )  # fmt: skip


def _first_two(evidence: Evidence) -> tuple[str, str]:
    first, second, *_ = evidence.standing.order
    return evidence.standing.names[first], evidence.standing.names[second]


def _lead_tested(evidence: Evidence) -> dict[str, Any] | None:
    """Return what was found of the leader and the run that follows, if they were tested."""
    if evidence.standing.leader is None or evidence.baseline is not None or not evidence.testable:
        return None
    both = _first_two(evidence)
    of_both = pl.col("run_a").is_in(both) & pl.col("run_b").is_in(both)
    return evidence.comparison.differences.row(by_predicate=of_both, named=True)


def _told_apart(evidence: Evidence) -> bool:
    """Whether the lead is significant, so that the reader learns it."""
    row = _lead_tested(evidence)
    return row is not None and bool(row["significant"])


def _weight(evidence: Evidence, lead: float) -> float:
    """Weigh by how much another run could be ahead: from a tenth of the leader's mean on, in full."""
    mean = abs(evidence.standing.shown[evidence.standing.leaders[0]])
    return float(0.7 + 0.3 * (min(1.0, 10 * lead / mean) if mean else 1.0))


@sentence("leaderboard", place=52)
def neighbours(evidence: Evidence) -> Said | None:
    """Of three runs or more all pairs were tested, on two topics or more."""
    standing = evidence.standing
    if evidence.baseline is not None or len(standing.names) < 3 or not evidence.testable:
        return None
    apart = neighbours_apart(evidence)
    significant = evidence.comparison.differences["significant"]
    return Said.of(
        (
            f"{'{apart}' if apart else 'None'} of {{pairs}} adjacent pairs of runs and {{significant}} of all "
            "{every} pairs differ"
            if 0 < significant.sum() < len(significant)
            else "All {every} pairs of runs differ"
            if significant.any()
            else "No two runs differ"
        )
        + " significantly by {measure} {scope.alike}.",
        scope=evidence.scope.on_others(), measure=evidence.named, pairs=len(standing.names) - 1, apart=apart,
        significant=int(significant.sum()), every=len(significant),
        share=float(significant.sum() / len(significant)),
    )  # fmt: skip


def neighbours_apart(evidence: Evidence) -> int:
    """Count the runs that differ significantly from the next in rank, all pairs having been tested."""
    found = evidence.comparison.differences.filter("significant")
    significant = {frozenset(pair) for pair in found.select("run_a", "run_b").iter_rows()}
    names = [evidence.standing.names[run] for run in evidence.standing.order]
    return sum(frozenset(pair) in significant for pair in pairwise(names))
