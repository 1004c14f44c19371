"""How good are runs within a budget of cost?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor, log10
from typing import Final

import numpy as np

from cranfield.experiments.declared import Row
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Positive
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import oriented
from cranfield.statistics.on_paper import leaders as leaders_of

BUDGETS: Final = 10
"""How many budgets are chosen where none are given."""
_LARGEST: Final = 1e6  # The largest ratio of the dearest list's cost to the smallest budget
COST_ROUNDING: Final = 1e-9


@experiment
def budgets(
    runs: JudgedRuns, measures: MeasureNames = ("R", "nDCG"), *, budgets: tuple[Positive, ...] | None = None
) -> Outcome:
    """How good is each run within a budget, and which run leads?

    Every list is read from the top until the next document does not fit whole into the budget, and
    scored as if it ended there. The costs of documents are those that the runs were joined with (``--costs``);
    without costs, each document costs 1, and a budget is a number of documents.

    Costs do not cut the ideal lists (of nDCG, for example): they are the best lists of any cost.

    Parameters
    ----------
    runs
        The runs, joined with the judgments, and with the costs of documents, but without a budget.
    measures
        The measures to compute within each budget.
    budgets
        The budgets, in units of cost. The default is up to ten, evenly spaced on a logarithmic scale, from
        the average cost of a first document to the cost of the most expensive list.

    Tables
    ------
    leaders
        A row for each measure and budget.
        measure : text
        budget : number
        run : text
            The run with the best mean; the first of several with the same.
        value : number
            Its mean over topics.
        ties : whole number
            The number of runs with the best mean.
    values
        A row for each measure, budget and run.
        measure : text
        budget : number
        run : text
        value : number
            The mean over topics.
    read
        A row for each budget and run.
        budget : number
        run : text
        documents : number
            The mean number of documents that fit, over the topics that the run has.
        cost : number
            Their mean cost.
        ended : number
            The share of lists that the budget ended.

    Raises
    ------
    InputError
        If the runs were joined with a budget, or a budget is not positive.

    Paper: none; a list cut by cost in place of rank.

    Examples
    --------
    Of long, the relevant document is at rank 2, and reading both documents costs 100 + 400.

    >>> from cranfield import join
    >>> lists = {"long": {"1": {"x": 2.0, "a": 1.0}}, "short": {"1": {"b": 2.0, "y": 1.0}}}
    >>> runs = join({"1": {"a": 1, "b": 1}}, lists, costs={"x": 400, "a": 100, "b": 80, "y": 20})
    >>> budgets(runs, "R", budgets=(80, 500))["values"].rows()
    [('R', 80.0, 'long', 0.0), ('R', 80.0, 'short', 0.5), ('R', 500.0, 'long', 0.5), ('R', 500.0, 'short', 0.5)]
    """
    if runs.reading.budget is not None:
        raise InputError("the runs were joined with a budget, so their lists are cut; join them without one")
    asked = number_measures(measures)
    within = {
        budget: replace(runs, batches=tuple(batch.within(budget) for batch in runs.batches))
        for budget in sorted(set(budgets or _usual(runs)))
    }
    means = {budget: part.scores(asked).averages for budget, part in within.items()}
    values, leaders = list[Row](), list[Row]()
    for number, measure in enumerate(asked):
        for budget, of_measures in means.items():
            of_runs = of_measures[number]
            values += [(str(measure), budget, *of) for of in zip(runs.runs, of_runs.tolist(), strict=True)]
            best = leaders_of(oriented(measure, of_runs))
            first = int(best.argmax())
            leaders.append((str(measure), budget, runs.runs[first], float(of_runs[first]), int(best.sum())))
    read = [row for budget, part in within.items() for row in _read(runs, part, budget)]
    return Outcome({"leaders": leaders, "values": values, "read": read}, _notes(runs))


def _read(runs: JudgedRuns, within: JudgedRuns, budget: float) -> Iterator[Row]:
    """Say how much of the lists of each run was read."""
    for number, run in enumerate(runs.runs):
        whole, part = runs.of_run(number), within.of_run(number)
        there = whole.present
        documents, cost = part.length[there], part.costs.until(part.length)[there]
        ended = part.length[there] < whole.length[there]
        yield budget, run, *(float(each.mean()) if len(each) else 0.0 for each in (documents, cost, ended))


def _usual(runs: JudgedRuns) -> list[float]:
    """Choose budgets, rounded up: from the mean cost of a first document to the cost of the dearest list."""
    costs = [(batch.costs, batch.length) for batch in runs.batches]
    first = np.concatenate([each.until(np.minimum(length, 1))[length > 0] for each, length in costs])
    most = max(float(each.until(length).max(initial=0)) for each, length in costs)
    if most <= 0:
        raise InputError("every list costs 0, so no budget limits it; give documents costs above 0")
    found = np.geomspace(max(first.mean(), most / _LARGEST), most, BUDGETS).tolist()
    return [float(ceil(budget - COST_ROUNDING)) if runs.reading.costs is None else _rounded(budget) for budget in found]


def _rounded(value: float) -> float:
    """Round up to two significant digits."""
    unit = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{ceil(value / unit - COST_ROUNDING) * unit:.2g}")


def _notes(runs: JudgedRuns) -> Iterator[str]:
    costs = runs.reading.costs
    if costs is None:
        yield "each document costs 1, since no costs were given: a budget is a number of documents"
        return
    yield f"costs of documents: {costs.described}"
    if costless := sum(run.costless for run in runs.audit.runs):
        yield f"{counted(costless, 'document without a cost')}: {runs.reading.cost_missing:g} each"
