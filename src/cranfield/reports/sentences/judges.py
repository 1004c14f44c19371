"""How a cheap judge errs compared with the qrels, and what that does to the leaderboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeAlias

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import HERE, Scope
from cranfield.reports.cheap_judge import CheapJudge, JudgeStatistic, estimate
from cranfield.reports.facts import Evidence
from cranfield.reports.sentence import Finder, Said, sentence
from cranfield.statistics.on_paper import EQUAL, side

SECTION: Final = "judges"  # Where these are read
_BINARY: Final = 2  # Labels of this many values may mean something else than qrels of more grades do
_BY_BOTH: Final = (
    "{by_judge} (rank {place_by_judge}) by the labels and {by_qrels} (rank {place_by_qrels}) by the qrels; the mean of "
    "all runs is {mean_by_judge} and {mean_by_qrels}"
)
OfJudge: TypeAlias = Callable[[CheapJudge], Said | None]


def of_judge(place: int) -> Callable[[OfJudge], Finder]:
    """Register a sentence of the cheap judge, said where there is one."""

    def register(finder: OfJudge) -> Finder:
        @sentence(SECTION, place=place)
        @wraps(finder)
        def found(evidence: Evidence) -> Said | None:
            return None if evidence.judge is None else finder(evidence.judge)

        return found

    return register


@of_judge(90)
def judge_labels(judge: CheapJudge) -> Said | None:
    """The cheap judge has another scale than the qrels, or lacks labels, or has some that are no grades."""
    missing, outside = int(judge.labels["missing"]), int(judge.labels["outside"])
    parts = [
        *(["has no label for {missing:document|documents} of the qrels"] if missing else []),
        *(["has {outside:label that is no grade|labels that are no grades} of the qrels"] if outside else []),
    ]
    if not parts:
        return None
    left = "; they are left out" if judge.of_grades else ", so only the order of its labels is used"
    return Said.of(f"{{judge}} {' and '.join(parts)}{left}.", judge=judge.name, missing=missing, outside=outside)


@of_judge(91)
def judge_binary(judge: CheapJudge) -> Said | None:
    """The cheap judge gives two labels alone, which are grades, and the qrels have more grades."""
    if not judge.of_grades or judge.labels["different"] != _BINARY or judge.grades <= _BINARY:
        return None
    return Said.of(
        "{judge} uses two labels, {lower:g} and {higher:g}, and the qrels {grades} grades; the labels are read as "
        "those grades, which decides what is relevant.",
        judge=judge.name, lower=judge.labels["lowest"], higher=judge.labels["highest"], grades=judge.grades,
    )  # fmt: skip


@of_judge(92)
def judge_leniency(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge are grades: how many are higher, how many lower, and by how much on average."""
    same, over, under, leniency = map(judge.statistic, ("same_grade", "over_rated", "under_rated", "leniency"))
    if same is None or over is None or under is None or leniency is None:
        return None
    above = side(leniency.value)
    mean = "as high as" if not above else "{size} " + ("above" if above > 0 else "below")
    return Said.of(
        "{judge} gives {same:%} of {documents:document|documents} the grade of the qrels, {over:%} a higher and "
        f"{{under:%}} a lower one; its mean label is {mean} the mean grade{_interval(leniency, '+')}.",
        scope=_scope(leniency), **_limits(leniency), documents=judge.documents, judge=judge.name, same=same.value,
        over=over.value, under=under.value, leniency=leniency.value, size=abs(leniency.value),
    )  # fmt: skip


@of_judge(93)
def judge_agreement(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge are grades: agreement with the qrels beyond chance, on two documents or more."""
    kappa, weighted = map(judge.statistic, ("kappa", "weighted_kappa"))
    if kappa is None or weighted is None:
        return None
    return Said.of(
        "{judge} and the qrels agree with a kappa of {kappa}, or {weighted} if near grades count in part "
        f"(linear weights){_interval(weighted)}.",
        scope=_scope(weighted), **_limits(weighted), judge=judge.name, kappa=kappa.value, weighted=weighted.value,
    )  # fmt: skip


@of_judge(94)
def judge_concordance(judge: CheapJudge) -> Said | None:
    """There is a cheap judge, and documents of a topic have different grades: how often are the labels in order?"""
    found = judge.statistic("concordance")
    if found is None:
        return None
    return Said.of(
        "{judge} gives the better of two documents of a topic the higher label in {share:%} of cases, ties counting "
        f"half (mean over the topics){_interval(found)}.",
        scope=_scope(found), **_limits(found), judge=judge.name, share=found.value,
    )  # fmt: skip


@of_judge(95)
def judge_ties_all(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge are grades by which all runs, two at least, have the same mean."""
    if judge.tells or judge.board.height < 2:
        return None
    return Said.of(
        "By its labels, {judge} ties all {runs:run|runs} in {measure}.",
        scope=Scope((judge.named,)), measure=judge.named, judge=judge.name, runs=judge.board.height,
    )  # fmt: skip


@of_judge(96)
def judge_leader(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge tell runs apart: what the run that it puts first lacks to the best by the qrels."""
    if not judge.tells:
        return None
    theirs, ours = judge.leaders("assessor"), judge.leaders("qrels")
    by_qrels = dict(judge.board.select("run", "by_qrels").iter_rows())
    lost = max(abs(by_qrels[run] - by_qrels[ours[0]]) for run in theirs)
    several = len(theirs) > 1
    if side(lost):
        after = f", {'up to ' * several}{{lost}} behind {{ours:all}} by the qrels"
    else:
        after = ", as the qrels do" if theirs == ours else ", and the qrels {ours:all}"
    return Said.of(
        f"By its labels, {{judge}} puts {{theirs:all}} first in {{measure}}{after}.",
        scope=Scope((judge.named,)), measure=judge.named, judge=judge.name, theirs=theirs, ours=ours, lost=lost,
    )  # fmt: skip


@of_judge(97)
def judge_order(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge are grades: how similar the leaderboards are, where neither ties all runs."""
    order = judge.order
    if order is None or order["tau"] is None:
        return None
    return Said.of(
        "The leaderboards of {runs:run|runs} in {measure} by {judge} and by the qrels have a Kendall's τ_b of {tau} "
        "({topics:topic|topics}); {judge} ties {by_judge:pair|pairs} of runs, the qrels {by_qrels}.",
        scope=Scope((judge.named,)), measure=judge.named, runs=judge.board.height, topics=order["topics"],
        judge=judge.name, tau=order["tau"], by_judge=judge.tied("assessor"), by_qrels=judge.tied("qrels"),
    )  # fmt: skip


@of_judge(98)
def judge_swaps(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge are grades, and runs differ significantly by the qrels: does it turn them round?"""
    order = judge.order
    if order is None or not order["significant"]:
        return None
    return Said.of(
        "{judge} significantly reverses {swapped} of {significant:pair|pairs} of runs that differ significantly by "
        "{measure} and the qrels (paired t-test at 5%, each pair alone).",
        scope=Scope((judge.named,)), significant=order["significant"], measure=judge.named, swapped=order["swapped"],
        judge=judge.name,
    )  # fmt: skip


@of_judge(99)
def judge_favours(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge tell runs apart, which gain differently by them: which gains most?"""
    more = judge.board["more"].to_numpy()
    if not judge.tells or not side(more.max() - more.min()):
        return None
    most = judge.board.filter(more > more.max() - EQUAL)
    row = most.row(0, named=True)
    return Said.of(
        "{judge} favours {favoured:all} most: by {measure}, "
        + ("{run}" if most.height > 1 else "it")
        + f" has {_BY_BOTH}.",
        scope=Scope((judge.named,)), judge=judge.name, favoured=most["run"].to_list(), measure=judge.named,
        **_by_both(judge, row["run"]),
    )  # fmt: skip


@of_judge(100)
def judge_circular_run(judge: CheapJudge) -> Said | None:
    """The caller said which run was made with the cheap judge, whose labels tell runs apart: what has it by both?"""
    if judge.circular is None or not judge.tells:
        return None
    return Said.of(
        f"{{run}}, made with {{judge}}, scores by {{measure}} {_BY_BOTH}.",
        scope=Scope((judge.named,)), judge=judge.name, measure=judge.named, **_by_both(judge, judge.circular),
    )  # fmt: skip


@of_judge(101)
def judge_sorts(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge tell runs apart: what would a run gain that is sorted by them?"""
    made = judge.made
    favour = None if made is None else estimate(made, "favour")
    if made is None or favour is None or not judge.tells:
        return None
    return Said.of(
        "The runs' first {pool} ranks, sorted by the labels of {judge}, would have rank {place_by_judge} by {measure} "
        "and these labels ({by_judge}), and rank {place_by_qrels} by the qrels ({by_qrels}): {favour:+z.4f} beyond "
        f"what the runs gain by the labels{_interval(favour, '+')}.",
        scope=_scope(favour, judge.named), **_limits(favour), pool=judge.pool, judge=judge.name, measure=judge.named,
        place_by_judge=made["place_by_assessor"], by_judge=made["by_assessor"], place_by_qrels=made["place_by_qrels"],
        by_qrels=made["by_qrels"], favour=favour.value,
    )  # fmt: skip


@of_judge(102)
def judge_sorts_on_its_scale(judge: CheapJudge) -> Said | None:
    """The cheap judge has another scale than the qrels: where would a run stand that is sorted by its labels?"""
    made = judge.made
    if made is None or judge.of_grades:
        return None
    return Said.of(
        "The runs' first {pool} ranks, sorted by the labels of {judge}, would have rank {place} by {measure} and the "
        "qrels ({mean}).",
        scope=Scope((made["measure"],)), pool=judge.pool, judge=judge.name, place=made["place_by_qrels"],
        measure=made["measure"], mean=made["by_qrels"],
    )  # fmt: skip


@of_judge(103)
def judge_kinds(judge: CheapJudge) -> Said | None:
    """The labels of the cheap judge tell runs apart, which are of several kinds: which kind gains most by them?"""
    favour = judge.kinds["favour"].to_numpy() * judge.direction
    if not judge.tells or not len(favour) or not side(favour.max()):
        return None
    row = judge.kinds.row(int(favour.argmax()), named=True)
    found = estimate(row, "favour")
    if found is None:
        return None
    return Said.of(
        "{judge} favours runs of the kind {kind} most ({runs:run|runs}): by {measure} they average {by_judge} by the "
        "labels and {by_qrels} by the qrels, {favour:+z.4f} beyond what all others gain"
        f"{_interval(found, '+', alone=' for this kind alone')}.",
        scope=_scope(found, judge.named), **_limits(found), judge=judge.name, kind=row["kind"], runs=row["runs"],
        measure=judge.named, by_judge=row["by_assessor"], by_qrels=row["by_qrels"], favour=found.value,
    )  # fmt: skip


def _by_both(judge: CheapJudge, run: str) -> dict[str, object]:
    """Return scores and places of a run, and the mean scores."""
    row = judge.board.row(by_predicate=pl.col("run") == run, named=True)
    return {
        "run": run,
        "by_judge": row["by_assessor"],
        "by_qrels": row["by_qrels"],
        "mean_by_judge": judge.board["by_assessor"].mean(),
        "mean_by_qrels": judge.board["by_qrels"].mean(),
        "place_by_judge": row["place_by_assessor"],
        "place_by_qrels": row["place_by_qrels"],
    }


def _interval(found: JudgeStatistic, sign: str = "", *, alone: str = "") -> str:
    """Write the interval, where there is one, for the scope and limits of `found`."""
    if found.low is None:
        return ""
    return f" (95% interval{alone} {{scope.alike}}: {{low:{sign}.4f}} to {{high:{sign}.4f}})"


def _scope(found: JudgeStatistic, *measures: str) -> Scope:
    """Say what a sentence with an estimate speaks of: with an interval, of other topics, too."""
    scope = Scope(measures) if measures else HERE
    return scope if found.low is None else scope.on_others()


def _limits(found: JudgeStatistic) -> dict[str, object]:
    return {} if found.low is None else {"low": found.low, "high": found.high}
