"""Do bounds from an audit keep their level when one looks after every judgment, and how near are they?

``python -m benchmarks.audits`` simulates campaigns, counts those in which a bound was ever wrong, and
prints a table. ``python -m benchmarks.audits DATA`` sets the bound beside the number really left,
on the collections of DATA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import click
import numpy as np
from scipy.stats import beta

from benchmarks.truth import relevant_left
from cranfield.formats import read_qrels
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.selection import Candidates, Judging
from cranfield.selection.audited_scores import AuditedScores
from cranfield.selection.judgment_audit import NEVER, RandomAudit
from cranfield.selection.state import weighted_measure

CANDIDATES, JUDGMENTS, LONG = 2_000, 1_000, 1_800
"""Of a simulated campaign; the last is how many are judged in hostile ones where hardly anything is relevant."""
PREVALENCES = (0.001, 0.01, 0.3)
FEW = 0.005
LEVEL = 0.05
AHEAD, BUDGETS = 10, (2_000, 10_000)
COLLECTIONS = ("dl19-passage", "trec8-adhoc", "covid-round1")

Grades: TypeAlias = Floats


class Campaign:
    """A campaign whose choices may depend on everything but the order of what was not drawn yet."""

    def __init__(self, random: np.random.Generator, truth: Grades, ahead: int, order: Integers | None = None) -> None:
        self.random, self.truth, self.ahead = random, truth, ahead
        self.order: Integers = random.permutation(len(truth)) if order is None else order
        self.time = np.full(len(truth), NEVER)
        self.judged = 0
        self._at = 0
        self.window: list[int] = []
        self._fill()

    def judge(self, place: int) -> None:
        """Judge a document, unless it is judged."""
        if self.time[place] == NEVER:
            self.judged += 1
            self.time[place] = self.judged
            if place in self.window:
                self.window.remove(place)
                self._fill()

    def _fill(self) -> None:
        while len(self.window) < self.ahead and self._at < len(self.order):
            if self.time[self.order[self._at]] == NEVER:
                self.window.append(int(self.order[self._at]))
            self._at += 1

    def audit(self) -> RandomAudit:
        """What is known at the end; of every look before, it has the draws, in their order, and their bounds."""
        return RandomAudit(self.order, self.ahead, self.time, np.where(self.time == NEVER, np.nan, self.truth))


def friendly(campaign: Campaign) -> None:
    """Judge what is likely to be relevant first; every fifth document is of the audit."""
    _in_turn(campaign, np.argsort(-2.0 * campaign.truth - campaign.random.normal(size=len(campaign.truth))).tolist())


def at_random(campaign: Campaign) -> None:
    """Judge documents at random; every fifth one is of the audit."""
    _in_turn(campaign, campaign.random.permutation(len(campaign.truth)).tolist())


def averse(campaign: Campaign) -> None:
    """Judge what is not relevant first; every fifth document is of the audit."""
    _in_turn(campaign, np.argsort(2.0 * campaign.truth + campaign.random.normal(size=len(campaign.truth))).tolist())


def _in_turn(campaign: Campaign, choices: list[int], judgments: int = JUDGMENTS) -> None:
    choices.reverse()
    while campaign.judged < judgments:
        if campaign.judged % 5 == 4:
            campaign.judge(campaign.window[0])
        else:
            campaign.judge(choices.pop())


def hostile(campaign: Campaign) -> None:
    """See all grades. Of the audit judge misses as long as there are any; then make hits likelier, and judge one."""
    truth, random = campaign.truth, campaign.random
    misses = random.permutation(np.flatnonzero(truth == 0)).tolist()
    most = LONG if truth.mean() < FEW else JUDGMENTS  # nothing is ruled out of two documents before
    while campaign.judged < most and campaign.window:
        miss = [place for place in campaign.window if not truth[place]]
        if miss:
            campaign.judge(miss[0])
            continue
        for _ in range(int(random.integers(0, 100))):
            if misses:
                place = misses.pop()
                if place not in campaign.window:
                    campaign.judge(place)
        campaign.judge(campaign.window[0])


ORDERS: dict[str, Callable[[Campaign], None]] = {
    "friendly": friendly, "random": at_random, "averse": averse, "hostile": hostile
}  # fmt: skip


def wrong_about_left(seed: int, prevalence: float, order: str, ahead: int) -> bool:
    """Simulate a campaign: was the bound on the relevant documents left ever below the truth?

    The bound of a look is the smallest over the draws that were judged then, so that the last look is wrong if any was:
    if the true number was ever ruled out.
    """
    random = np.random.default_rng([seed, ahead])
    truth = np.zeros(CANDIDATES)
    relevant = round(prevalence * CANDIDATES)
    truth[:relevant] = 1.0
    campaign = Campaign(random, truth, ahead)
    ORDERS[order](campaign)
    return bool(campaign.audit().draws.against(relevant).max(initial=0.0) >= -np.log(LEVEL))


def wrong_about_leader(seed: int, prevalence: float, order: str, ahead: int) -> bool:
    """Simulate a campaign of two runs that are as good as each other, or nearly: was the worse one ever above?"""
    random = np.random.default_rng([seed, ahead, 2])
    half = CANDIDATES // 2
    ids = [f"{place:04}" for place in range(CANDIDATES)]
    found = Candidates.gather({"x": {"1": dict.fromkeys(ids[:half], 1.0)}, "y": {"1": dict.fromkeys(ids[half:], 1.0)}})
    truth = np.zeros(CANDIDATES)
    relevant = max(round(prevalence * half), 1)
    truth[random.choice(half, relevant, replace=False)] = 1.0
    truth[half + random.choice(half, relevant, replace=False)] = 1.0
    campaign = Campaign(random, truth, ahead)
    ORDERS[order](campaign)
    scores = AuditedScores(found, campaign.audit(), weighted_measure(f"P@{half}"), 1.0)
    # One of the two errors that a rule with two rivals could make at half of the level; here both, at the whole one.
    return bool(scores.less(0, 1).wealth(0.0) >= -np.log(LEVEL))


BOUNDS = {"left": wrong_about_left, "leader": wrong_about_leader}


def upper_end(errors: int, of: int) -> float:
    """Return the upper end of Clopper and Pearson's 95% interval of a rate."""
    return float(beta.ppf(0.975, errors + 1, of - errors)) if errors < of else 1.0


def simulated(times: int) -> Iterator[str]:
    """Count errors, by setting: the share of campaigns that were ever wrong, and the upper end of its interval."""
    kinds = [(what, wrong, ahead) for what, wrong in BOUNDS.items() for ahead in (1, 10)]
    yield "| prevalence | order | " + " | ".join(f"{what}, ahead {ahead}" for what, _, ahead in kinds) + " |"
    yield "|--:|---|" + "--:|" * len(kinds)
    for prevalence in PREVALENCES:
        for order in ORDERS:
            counts = [sum(wrong(seed, prevalence, order, ahead) for seed in range(times)) for _, wrong, ahead in kinds]
            cells = [f"{100 * errors / times:.1f}% ({100 * upper_end(errors, times):.1f}%)" for errors in counts]
            yield f"| {prevalence:g} | {order} | {' | '.join(cells)} |"


def really_left(data: Path, orders: int) -> Iterator[str]:
    """Set the bound beside the number really left: Method A, every fifth document of the audit."""
    yield f"| collection | candidates | relevant | judged | audited | left: bound, of five orders | wrong of {orders} |"
    yield "|---|--:|--:|--:|--:|---|--:|"
    for name in COLLECTIONS:
        folder = data / name
        if not folder.exists():
            continue
        candidates = Candidates.gather(sorted((folder / "runs").iterdir()), depth=100)
        truth = np.zeros(len(candidates))
        for topic, document, grade in read_qrels(folder / "qrels.txt").rows():
            place = candidates.find(topic, document)
            if place is not None:
                truth[place] = float(grade > 0)
        relevant = int(truth.sum())
        choices = Judging(candidates, method="A").next_places(len(candidates)).tolist()
        for judgments in BUDGETS:
            looks = []
            for seed in range(orders):
                campaign = Campaign(np.random.default_rng(seed), truth, AHEAD, candidates.random_order(seed))
                _in_turn(campaign, [*choices], judgments)
                draws = campaign.audit().draws
                looks.append((relevant_left(truth, campaign.time != NEVER), draws.most_left(LEVEL)))
            shown = "; ".join(f"{left:,}: {bound:,}" for left, bound in looks[:5])
            wrong = sum(bound < left for left, bound in looks)
            audited = len(draws.place)
            yield f"| {name} | {len(truth):,} | {relevant:,} | {judgments:,} | {audited:,} | {shown} | {wrong} |"


@click.command()
@click.argument("data", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=2_000, show_default=True, help="Campaigns of a setting.")
@click.option("--orders", default=100, show_default=True, help="Orders of the audit, on collections.")
def main(data: Path | None, times: int, orders: int) -> None:
    """Count errors of simulated campaigns or, with DATA, set bounds beside what is left."""
    for line in simulated(times) if data is None else really_left(data, orders):
        click.echo(line)


if __name__ == "__main__":
    main()
