"""What a cheap judge is worth, compared with the qrels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.reports.cheap_judge import CheapJudge
from cranfield.reports.elements import Block, Folded, Words, pictured
from cranfield.reports.facts import Evidence
from cranfield.reports.section import found_table, section

_STATISTICS: Final = {"statistic": "labels against the qrels", "value": "value", "low": "from", "high": "to"}
BOARD: Final = {
    "run": "run", "by_assessor": "by the labels", "by_qrels": "by the qrels",
    "place_by_assessor": "place by the labels", "place_by_qrels": "place by the qrels",
}  # fmt: skip
FAVOUR: Final = {
    "kind": "kind", "runs": "runs", "by_assessor": "by the labels", "by_qrels": "by the qrels",
    "favour": "beyond all others", "favour_low": "from", "favour_high": "to",
}  # fmt: skip
_ORDERS: Final = {
    "among": "runs", "statistic": "both leaderboards", "value": "value", "low": "from", "high": "to",
    "runs_low": "from (runs)", "runs_high": "to (runs)",
}  # fmt: skip
_PAIRS: Final = {
    "significant": "pairs that differ by the qrels", "kept": "kept", "lost": "lost", "reversed": "reversed",
    "added": "other pairs that differ by the labels",
}  # fmt: skip
_GAINS: Final = {
    "run": "run", "by_assessor": "by the labels", "by_qrels": "by the qrels", "favour": "beyond the others",
    "favour_low": "from", "favour_high": "to", "places_gained": "places gained", "places_low": "from (places)",
    "places_high": "to (places)",
}  # fmt: skip
_TOPICS: Final = {
    "topic": "topic", "documents": "documents", "same_grade": "same grade", "leniency": "label minus grade",
    "weighted_kappa": "weighted kappa", "concordance": "concordance",
}  # fmt: skip


@section("Can the cheap judge be trusted?", place=58, listed=True)
def judges(evidence: Evidence) -> Iterator[Block]:
    """Show how a cheap judge errs, how that changes the leaderboard, and what its labels can support."""
    judge = evidence.judge
    if judge is None:
        return
    yield Words.of(*_claims(judge))
    yield from _labels(evidence, judge)
    yield from _runs(evidence, judge)


def _claims(judge: CheapJudge) -> Iterator[str]:
    """Say what may be claimed."""
    yield (
        f"Scores by only the labels of {judge.name} describe {judge.name}; its errors here hold for these runs and "
        "judgments."
    )
    yield (
        "For scores by the standard of the qrels, let experts judge a sample (cranfield sample) and correct the labels "
        "by it (cranfield estimate --cheap): estimates of weighted sums over ranks, such as P, RBP and DCG, then have "
        "no bias from wrong labels."
    )


def _labels(evidence: Evidence, judge: CheapJudge) -> Iterator[Block]:
    """Show how the labels differ from the grades."""
    found, alike = judge.findings, evidence.scope.on_others().alike
    if judge.of_grades:
        yield pictured(found.plot, "assessor-confusion")
    says = (
        f"{judge.name} against the qrels, on {judge.documents:,} documents. From, to: 95% intervals {alike} (jackknife "
        "over topics; Wilson's for the concordance)."
    )
    asked = _asked(evidence)
    table = found_table(evidence, found, "against_qrels", _STATISTICS, *asked, says=says)
    yield Folded("How the labels differ from the grades", (table,))
    says = f"{judge.name} against the qrels, topic by topic."
    yield Folded("Topic by topic", (found_table(evidence, found, "by_topic", _TOPICS, *asked, says=says),))


def _runs(evidence: Evidence, judge: CheapJudge) -> Iterator[Block]:
    """Show what follows for runs."""
    found, alike = judge.findings, evidence.scope.on_others().alike
    if not judge.board.height:
        return
    yield pictured(found.plot, "judge-leaderboard")
    says = (
        f"{judge.named} of all runs by the labels of {judge.name} and by the qrels. Ranks include the run sorted by "
        "the labels, if there is one."
    )
    asked = _asked(evidence)
    yield Folded("Both leaderboards", (found_table(evidence, found, "leaderboards", BOARD, *asked, says=says),))
    yield from _orders(evidence, judge)
    if judge.kinds.height:
        says = (
            f"Mean {judge.named} of each kind of run. Beyond all others: what the labels add for this kind, minus what "
            f"they add for all others. From, to: 95% intervals {alike}."
        )
        yield found_table(evidence, found, "bias", FAVOUR, *asked, says=says)


def _orders(evidence: Evidence, judge: CheapJudge) -> Iterator[Block]:
    """Show how similar the leaderboards are, which pairs the labels keep, and what circular runs gain."""
    found, alike, asked = judge.findings, evidence.scope.on_others().alike, _asked(evidence)
    if not found["orders"]["value"].null_count() < found["orders"].height:
        return
    yield pictured(found.plot, "judge-orders")
    says = (
        f"Leaderboards by {judge.named}. From, to: 95% intervals {alike}, and for runs like these where there are "
        "enough. Top: share of the best runs by the qrels that are among the best by the labels."
    )
    orders = found_table(evidence, found, "orders", _ORDERS, *asked, says=says)
    says = f"Pairs of runs that differ significantly by {judge.named}: paired t-test at 5%, each pair alone."
    pairs = found_table(evidence, found, "pairs", _PAIRS, *asked, says=says)
    says = (
        f"Runs made with {judge.name}. Beyond the others: what the labels add for the run, minus what they add for "
        f"runs not made with the judge; 95% intervals {alike}."
    )
    gains = found_table(evidence, found, "circular", _GAINS, *asked, says=says)
    yield Folded("How similar the leaderboards are", (orders, pairs, *([] if judge.circular is None else [gains])))


def _asked(evidence: Evidence) -> list[str]:
    """Write what is asked as options of the command that redoes a table."""
    kinds = [] if evidence.kinds is None else ["--kinds", str(evidence.kinds)]
    circular = [] if evidence.circular is None else ["--circular", evidence.circular]
    judge = ["--assessors", str(evidence.cheap), "--documents", "all"]
    return [*evidence.asking(evidence.measure), *judge, *kinds, *circular, "--seed", str(evidence.seed)]
