"""After how many judgments is it known which of two runs has the higher mean AP?

``python -m benchmarks.signs QRELS RUNS`` has each method choose documents that QRELS answer, and scores
the runs by what is judged, all else taken for not relevant. What the qrels lack is not relevant and
costs a judgment. Of all pairs of runs it says how many are in the order that all judgments have them.
"""

from __future__ import annotations

import click
import numpy as np

import cranfield as cf
from benchmarks.truth import averages
from cranfield.measures import RBP
from cranfield.plumbing.arrays import Floats
from cranfield.selection import Candidates
from cranfield.selection.simulation import Simulation

METHODS = ("pool", "A", "B", "C", "mtc", "mtc-ap", "depth")
BUDGETS = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)


def right(averages: Floats, truth: Floats) -> float:
    """Return the share of pairs that are in the order they have in truth."""
    first, second = np.triu_indices(len(truth), 1)
    return float((np.sign(averages[first] - averages[second]) == np.sign(truth[first] - truth[second])).mean())


@click.command()
@click.argument("qrels")
@click.argument("runs")
@click.option("--every", default=1, show_default=True, help="Take one run of so many.")
def main(qrels: str, runs: str, every: int) -> None:
    """Say of each method how soon pairs of RUNS are in the order that QRELS have them."""
    sources = cf.formats.read_runs(runs).sources[::every]
    joined = cf.join(qrels, cf.formats.Runs(sources))
    judgments = joined.judgments
    truth = averages(qrels, cf.formats.Runs(sources), ["AP"])[0]
    simulation = Simulation(Candidates.gather(joined).of_topics(judgments.topics), judgments)
    print(f"{len(truth)} runs\n| method | {' | '.join(f'{budget:,}' for budget in BUDGETS)} | relevant |")
    print(f"|---|{'--:|' * (len(BUDGETS) + 1)}")
    for method in METHODS:
        session = simulation.session(method, RBP(p=0.8), BUDGETS[-1])
        shares = []
        for budget in BUDGETS:
            place = simulation.judgment[session[:budget]]
            grade = np.where(np.isin(np.arange(len(judgments)), place), judgments.grade, np.nan)
            shares.append(right(joined.scores(["AP"], grade).values[0].mean(axis=1), truth))
        found = int((simulation.grade[session] > 0).sum())
        print(f"| {method} | {' | '.join(f'{share:.3f}' for share in shares)} | {found:,} |", flush=True)


if __name__ == "__main__":
    main()
