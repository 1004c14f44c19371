"""What the gain cost: gain and effort of each ranking, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from cranfield.experiments.declared import Columns, Row, Rows, stacked
from cranfield.experiments.experiment import Outcome, experiment, number_measures, one_measure
from cranfield.judged.audit import without_relevant
from cranfield.judged.rankings import full_scale_rankings
from cranfield.measures.cumulated_gain import DCG
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.measures.relative_position import CRP
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Number
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import direction

SHARED = ("rel", "gains", "cutoff")
"""What CRP takes from an effort measure: which grades are distinguished, and N."""

NOT_SHARED = ("cutoff", "averaged", "judged_only")
"""What DCG does not take from the measure of gain."""

_CURVES = ("crp", "crp_full_scale", "gain", "gain_ideal")

GAIN_CLASSES = ("low", "medium", "high", "huge")
"""The rows of the plot, from the bottom: gain rises."""

EFFORTS = ("huge", "high", "medium", "low")
"""The columns of the plot, from the left: effort falls as the measure of effort rises."""


@experiment
def effort_gain(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)"),
    *,
    effort: MeasureNames = "Twist",
    bounds: tuple[Number, ...] = (0.25, 0.5, 0.75),
) -> Outcome:
    """How much effort did the gain cost the user?

    Each run on each of its topics is a point: the effort measure on the horizontal axis, a gain measure on the
    vertical. Three bounds cut the plot into columns of huge, high, medium and low effort, and the quartiles of the gain
    cut it into rows of low, medium, high and huge gain. Of the sixteen quadrants,

    ``diagonal`` are the four from low gain at huge effort to huge gain at low effort, where both measures agree;

    ``high_high`` are the four of high or huge gain at huge or high effort: good only by gain, bad by effort;

    ``gray`` are the two others above the diagonal, of medium gain at huge effort and of huge gain at medium effort;

    ``below`` are the six below the diagonal.

    These four shares add up to 1. ``good`` is the share of high or huge gain at medium or low effort, where a good run
    should lie, and ``best_at_less_effort`` is the proportion of the huge-gain rankings at medium or low effort.

    A value equal to a quartile falls in the row below it, so a gain of 0 is never more than low; if many gains are
    equal, rows are uneven. A value equal to an effort bound falls in the column to its right, since in the paper the
    Twist of a run that never recovers is below 0.5. Bpref and AP take every grade above 0 as relevant, as does rel=1
    for whole-number grades. nDCG is the same for gains 5, 10, ... as for the grades 1, 2,
    ... themselves.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The gain measures.
    effort
        The effort measure; higher values mean less effort.
    bounds
        Three rising values of it, from which effort is high, medium and low.

    Tables
    ------
    shares
        A row for each measure of gain: shares of the rankings, as explained above.
        measure : text
        diagonal, high_high, gray, below, good, best_at_less_effort : number
    quadrants
        A row for each quadrant, starting at the top left, as the plot is read; a bound at the edge of the plot is null.
        measure, gain : text
        gain_above, gain_up_to : number
        effort : text
        effort_from, effort_below : number
        rankings : whole number
        share : number
    points
        A row for each run and topic it retrieved: a column for the effort, and one for each gain.
        run, topic : text
        <measure> : number
    chosen
        Curves of rankings with huge gain by the last measure, one for each effort level: the one
        whose gain is nearest the median of the huge gains. A row for each rank.
        effort, run, topic : text
        rank : whole number
        crp, crp_full_scale : number
            Cumulated relative position of the list, and of the reversed ideal list.
        gain, gain_ideal : number
            DCG of the list (with the parameters of nDCG, if that is the measure), and of the ideal list.

    Side by side
    ------------
    shares
        measure : row
        diagonal, high_high, gray, below, good, best_at_less_effort : value

    Raises
    ------
    InputError
        If lower is better for a measure, or the bounds are not three rising numbers.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR evaluation: taking user's
    effort into account", JASIST 67(3), section "Effort/Gain Plots", Figures 7 to 11.

    Examples
    --------
    >>> from cranfield import join
    >>> late = {"1": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    >>> runs = join({"1": {"a": 1, "b": 1}}, {"first": {"1": {"a": 2.0, "b": 1.0}}, "late": late})
    >>> effort_gain(runs, "AP", effort="Twist@4")["points"].rows()  # τ = (2/3 + 4/9) / 2, AP = (1/1 + 2/4) / 2
    [('first', '1', 1.0, 1.0), ('late', '1', 0.5555..., 0.75)]
    """
    gains, twist = number_measures(measures), one_measure(effort)
    _check(gains, twist, bounds)
    run, topic = np.nonzero(runs.present)
    scores = runs.scores([twist, *gains])
    points = pl.DataFrame(
        {"run": [runs.runs[i] for i in run], "topic": [runs.topics[i] for i in topic]}
        | {str(measure): of[run, topic] for measure, of in zip(scores.measures, scores.values, strict=True)}
    )
    column = np.searchsorted(bounds, points[str(twist)].to_numpy(), side="right")
    quadrants, shares = list[Row](), list[Columns]()
    for gain in gains:
        value = points[str(gain)].to_numpy()
        quartiles = np.quantile(value, (0.25, 0.5, 0.75))
        row = np.searchsorted(quartiles, value, side="left")
        counts = np.bincount(4 * row + column, minlength=16).reshape(4, 4)  # of gains and efforts, both rising
        quadrants += _quadrants(gain, counts, quartiles, bounds)
        shares.append({"measure": str(gain), **_shares(counts)})
    effort_of = [EFFORTS[c] for c in column]
    chosen = _chosen(runs, points.with_columns(effort=pl.Series(effort_of, dtype=pl.String)), twist, gains[-1])
    return Outcome({"shares": shares, "quadrants": quadrants, "points": points, "chosen": chosen}, _notes(runs))


def _check(gains: list[Measure], effort: Measure, bounds: tuple[float, ...]) -> None:
    if len(bounds) != 3 or not bounds[0] < bounds[1] < bounds[2]:
        raise InputError(
            f"bounds must be three rising numbers, such as 0.25,0.5,0.75, not {','.join(map(str, bounds))}"
        )
    for measure in (*gains, effort):
        if direction(measure) < 0:
            raise InputError(f"lower is better for {measure}; the plot needs measures for which higher is better")
    if effort in gains:
        raise InputError(f"{effort} is the effort measure; name other measures for the gain")


def _shares(counts: Integers) -> dict[str, float]:
    """Shares of the parts of the plot, as the experiment's documentation defines them."""
    rankings = counts.sum()
    high_high = counts[2:, :2].sum()
    parts = {
        "diagonal": np.trace(counts),
        "high_high": high_high,
        "gray": np.tril(counts, -1).sum() - high_high,
        "below": np.triu(counts, 1).sum(),
        "good": counts[2:, 2:].sum(),
    }
    shares = {name: float(part / rankings) for name, part in parts.items()}
    # Some gain is above the third quartile unless a quarter of them all are equal to the largest.
    return shares | {"best_at_less_effort": float(counts[3, 2:].sum() / max(counts[3].sum(), 1))}


def _quadrants(gain: Measure, counts: Integers, quartiles: Floats, bounds: tuple[float, ...]) -> Iterator[Row]:
    """A row for each quadrant, the top left one first, as the plot is read; a bound at the edge of the plot is null."""
    up, across = [None, *quartiles.tolist(), None], [None, *bounds, None]
    for row, column in product(reversed(range(4)), range(4)):
        rankings = int(counts[row, column])
        above, beside = (GAIN_CLASSES[row], *up[row : row + 2]), (EFFORTS[column], *across[column : column + 2])
        yield (str(gain), *above, *beside, rankings, rankings / int(counts.sum()))


def _chosen(runs: JudgedRuns, points: pl.DataFrame, effort: Measure, gain: Measure) -> Rows:
    """Draw the curves of rankings with similar gain and different effort."""
    value = pl.col(str(gain))
    huge = points.filter(value > np.quantile(points[str(gain)].to_numpy(), 0.75))
    nearest = huge.sort((value - value.median()).abs(), maintain_order=True).unique("effort", maintain_order=True)
    crp = CRP(**{name: of for name, of in effort.given.items() if effort.of_misplacement and name in SHARED})
    dcg = DCG(**{name: of for name, of in gain.given.items() if name in DCG.parameters and name not in NOT_SHARED})
    judgments, n = runs.judgments, crp.n
    full_scale = crp.by_rank(full_scale_rankings(crp.ideal(judgments), n), n)
    ideal = dcg.by_rank(dcg.ideal(judgments), n)
    curves = list[Columns]()
    rows = nearest.select("effort", "run", "topic").rows(named=True)
    for row in sorted(rows, key=lambda row: EFFORTS.index(row["effort"])):
        topic = runs.topics.index(row["topic"])
        rankings = runs.of_run(runs.runs.index(row["run"]))
        values = crp.by_rank(rankings, n)[topic], full_scale[topic], dcg.by_rank(rankings, n)[topic], ideal[topic]
        curves.append(row | {"rank": np.arange(1, n + 1)} | dict(zip(_CURVES, values, strict=True)))
    return stacked(curves)


def _notes(runs: JudgedRuns) -> Iterator[str]:
    if empty := without_relevant(runs.judgments, runs.grading.rel):
        yield f"{counted(len(empty), 'topic has', 'topics have')} no relevant document: {', '.join(empty)}"
