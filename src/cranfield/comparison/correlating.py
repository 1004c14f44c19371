"""Do measures, or two sets of judgments, put the runs into the same order? Computed from existing scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, OrderKind, checked
from cranfield.plumbing.tables import Frame
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.scoring.panel import Panel, panel_of
from cranfield.scoring.scores import Scores
from cranfield.statistics.correlation_vectors import correlation, is_constant
from cranfield.statistics.on_paper import levelled
from cranfield.statistics.rank_overlap import RBO, rbo_of_scores


def correlate(
    scores: Scores | Frame, other: Scores | Frame | None = None, *, kind: OrderKind = "tau_b", p: float = 0.9
) -> OneTable:
    """How similarly do pairs of measures rank the runs, or one measure in two sets of scores?

    Runs are ranked by their means over topics, as in `compare`; means that differ by less than 1e-9
    tie. For two sets of scores, such as by two qrels, the measures and runs in both are compared.

    Parameters
    ----------
    scores, other
        The result of `evaluate`, or a long table with run, topic, measure and value; averages
        suffice.
    kind
        ``tau_b``, ``tau_a``, ``tau_ap`` (the first is the estimate, the second the truth),
        ``tau_ap_symmetric``, ``spearman``, ``pearson`` (of the means themselves), or ``rbo`` (runs
        with equal means share a rank).
    p
        Persistence of RBO.

    Returns
    -------
    OneTable
        A row for each pair of measures (measure_a, measure_b), or each measure in both sets: the
        correlation, or RBO's minimum, residual and extrapolated value, and the number of runs
        ranked.

    Raises
    ------
    InputError
        If there is no pair of measures, or fewer than two runs.

    Paper: that of the kind; see `kendall_tau`, `tau_ap` and `rbo`.

    Examples
    --------
    Of three pairs of runs, two are in the same order and one is not.

    >>> table = pl.DataFrame({"run": list("xyz") * 2, "topic": ["1"] * 6, "measure": ["AP"] * 3 + ["RR"] * 3,
    ...                       "value": [0.3, 0.2, 0.1, 0.3, 0.1, 0.2]})
    >>> correlate(table).to_polars().rows() == [("AP", "RR", (2 - 1) / 3, 3)]
    True
    """
    kind, p = checked("kind", kind, OrderKind), checked("p", p, Level)
    one = panel_of(scores, averages=True)
    names: Sequence[tuple[str, ...]]
    if other is None:
        if len(one.measures) < 2:
            raise InputError(f"{one.measures[0]} alone cannot be correlated; name at least two measures")
        runs, notes = one.runs, one.notes
        names = list(combinations(one.measures, 2))
        pairs = [(_means(one, a, runs), _means(one, b, runs)) for a, b in names]
    else:
        two = panel_of(other, averages=True)
        names = [(measure,) for measure in one.measures if measure in two.measures]
        if not names:
            raise InputError(f"no measure in common: {', '.join(one.measures)} here, {', '.join(two.measures)} there")
        runs = tuple(run for run in one.runs if run in two.runs)
        left_out = len({*one.runs, *two.runs}) - len(runs)
        apart = counted(left_out, "run is", "runs are")
        notes = (*([f"{apart} not in both: left out"] if left_out else []), *one.notes, *two.notes)
        pairs = [(_means(one, measure, runs), _means(two, measure, runs)) for (measure, *_) in names]
    if len(runs) < 2:
        raise InputError(f"an order needs two runs or more; there {'is 1' if runs else 'are none'}")
    found: list[Sequence[float]]
    if kind == "rbo":
        ranked = ([dict(zip(runs, levelled(means).tolist(), strict=True)) for means in both] for both in pairs)
        found = [rbo_of_scores(x, y, p) for x, y in ranked]
    else:
        found = [(float(correlation(kind, x, y)),) for x, y in pairs]
    columns = ["measure_a", "measure_b"] if other is None else ["measure"]
    columns += [*(RBO._fields if kind == "rbo" else ["correlation"]), "runs"]
    rows = [(*name, *values, len(runs)) for name, values in zip(names, found, strict=True)]
    level = [name for name, xy in zip(names, pairs, strict=True) if any(is_constant(means) for means in xy)]
    if level:
        notes += (
            f"one of the two gives all runs the same value, so there is no order: {'; '.join(map(', '.join, level))}",
        )
    caption = (
        f"{kind}{f' (p {p:g})' if kind == 'rbo' else ''} of the orders of {counted(len(runs), 'run')} by their means"
    )
    return OneTable(
        pl.DataFrame(rows, schema=columns, orient="row"), caption, tuple(dict.fromkeys(notes)), index=len(names[0])
    )


def _means(panel: Panel, measure: str, runs: Sequence[str]) -> Floats:
    place = {run: i for i, run in enumerate(panel.runs)}
    return panel.averages[panel.measures.index(measure), [place[run] for run in runs]]
