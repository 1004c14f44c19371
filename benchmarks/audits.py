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

from cranfield.formats import read_qrels
from cranfield.plumbing.arrays import Floats
from cranfield.selection import Candidates, Judging
from cranfield.selection.audit import NEVER, Audit
from cranfield.selection.audited_scores import AuditedScores
from cranfield.selection.state import weighted_measure

CANDIDATES, JUDGMENTS = 2_000, 1_000
"""Of a simulated campaign; in the hostile ones fewer may be judged."""
PREVALENCES = (0.001, 0.01, 0.3)
LEVEL = 0.05
COLLECTIONS = ("dl19-passage", "trec8-adhoc", "covid-round1")

Grades: TypeAlias = Floats
Chooser: TypeAlias = Callable[[np.random.Generator, "Campaign"], Iterator[int]]


class Campaign:
    """A campaign whose choices may depend on everything but the order of what was not drawn yet."""

    def __init__(self, random: np.random.Generator, truth: Grades, ahead: int) -> None:
        self.random, self.truth, self.ahead = random, truth, ahead
        self.order = random.permutation(len(truth))
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

    def audit(self) -> Audit:
        """What is known at the end; of every look before, it has the draws, in their order, and their bounds."""
        return Audit(self.order, self.ahead, self.time, np.where(self.time == NEVER, np.nan, self.truth))


def friendly(campaign: Campaign) -> None:
    """Judge what is likely to be relevant first; every fifth document is of the audit."""
    _in_turn(campaign, np.argsort(-2.0 * campaign.truth - campaign.random.normal(size=len(campaign.truth))).tolist())


def at_random(campaign: Campaign) -> None:
    """Judge documents at random; every fifth one is of the audit."""
    _in_turn(campaign, campaign.random.permutation(len(campaign.truth)).tolist())


def averse(campaign: Campaign) -> None:
    """Judge what is not relevant first; every fifth document is of the audit."""
    _in_turn(campaign, np.argsort(2.0 * campaign.truth + campaign.random.normal(size=len(campaign.truth))).tolist())


def _in_turn(campaign: Campaign, choices: list[int]) -> None:
    choices.reverse()
    while campaign.judged < JUDGMENTS:
        if campaign.judged % 5 == 4:
            campaign.judge(campaign.window[0])
        else:
            campaign.judge(choices.pop())


def hostile(campaign: Campaign) -> None:
    """See all grades. Of the audit judge misses as long as there are any; then make hits likelier, and judge one."""
    truth, random = campaign.truth, campaign.random
    misses = random.permutation(np.flatnonzero(truth == 0)).tolist()
    while campaign.judged < JUDGMENTS and campaign.window:
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

    The bound of a look is the smallest over the draws that were judged then, so that the last look is wrong if any was.
    """
    random = np.random.default_rng([seed, ahead])
    truth = np.zeros(CANDIDATES)
    relevant = round(prevalence * CANDIDATES)
    truth[:relevant] = 1.0
    campaign = Campaign(random, truth, ahead)
    ORDERS[order](campaign)
    audit = campaign.audit()
    return audit.most_left(LEVEL) < relevant - audit.found


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


def upper_end(errors: int, of: int) -> float:
    """Return the upper end of Clopper and Pearson's 95 % interval of a rate."""
    return float(beta.ppf(0.975, errors + 1, of - errors)) if errors < of else 1.0


def simulated(times: int) -> Iterator[str]:
    """Count errors, by setting."""
    yield "| bound | prevalence | order | ahead | campaigns | wrong | upper end |"
    yield "|---|--:|---|--:|--:|--:|--:|"
    for what, wrong in (("relevant left", wrong_about_left), ("leader", wrong_about_leader)):
        for prevalence in PREVALENCES:
            for order in ORDERS:
                for ahead in (1, 10):
                    errors = sum(wrong(seed, prevalence, order, ahead) for seed in range(times))
                    rate, end = errors / times, upper_end(errors, times)
                    yield (
                        f"| {what} | {prevalence:g} | {order} | {ahead} | {times:,} | {100 * rate:.1f} % | "
                        f"{100 * end:.1f} % |"
                    )


def really_left(data: Path, orders: int) -> Iterator[str]:
    """Set the bound beside the number really left: Method C, every fifth document of the audit."""
    yield "| collection | candidates | relevant | judged | audited | really left | bounds, by order |"
    yield "|---|--:|--:|--:|--:|---|---|"
    for name in COLLECTIONS:
        folder = data / name
        if not folder.exists():
            continue
        candidates = Candidates.gather(sorted((folder / "runs").iterdir()), depth=100)
        rows = read_qrels(folder / "qrels.txt").rows()
        grades = {place: grade for t, d, grade in rows if (place := candidates.find(t, d)) is not None}
        relevant = sum(grade > 0 for grade in grades.values())
        looks: dict[int, list[tuple[int, int, int]]] = {}
        for seed in range(orders):
            judging = Judging(candidates, top_grade=3, seed=seed, renew_every=100)
            for budget in (2_000, 5_000, 10_000):
                while len(judging.history) < budget and judging.state.open.any():
                    due = judging.audit_due(5, 0.2)
                    for chosen in [*judging.next_audit(due), *judging.next(5 - due)]:
                        place = candidates.place(chosen.topic, chosen.document)
                        if judging.state.open[place]:
                            judging.record(chosen.topic, chosen.document, max(grades.get(place, 0), 0))
                status = judging.status()
                left = relevant - status.relevant
                look = len(status.audit.draws.place), left, status.relevant_left(LEVEL)
                looks.setdefault(budget, []).append(look)
        for budget, found in looks.items():
            audited, left, bound = zip(*found, strict=True)
            yield (
                f"| {name} | {len(candidates):,} | {relevant:,} | {budget:,} | {min(audited):,} to {max(audited):,} | "
                f"{', '.join(f'{each:,}' for each in left)} | {', '.join(f'{each:,}' for each in bound)} |"
            )


@click.command()
@click.argument("data", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=2_000, show_default=True, help="Campaigns of a setting.")
@click.option("--orders", default=5, show_default=True, help="Orders of the audit, on collections.")
def main(data: Path | None, times: int, orders: int) -> None:
    """Count errors of simulated campaigns or, with DATA, set bounds beside what is left."""
    for line in simulated(times) if data is None else really_left(data, orders):
        click.echo(line)


if __name__ == "__main__":
    main()
