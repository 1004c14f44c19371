"""Risk against a baseline: which topics are hurt, how often, and by how much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.experiments.best_runs import baseline_of
from cranfield.experiments.declared import Columns, stacked
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import NotNegative
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.statistics.differences import checked
from cranfield.statistics.on_paper import side
from cranfield.statistics.risk import risk_reward


@experiment
def risk(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP",),
    *,
    baseline: str = "",
    alpha: NotNegative = 1.0,
    margin: NotNegative = 0.1,
) -> Outcome:
    """Which topics does a run hurt against a baseline, and do its gains on others outweigh that?

    A better mean can hide topics that got much worse. Each run is compared with the baseline topic by
    topic. Wins and losses are counted, those beyond a margin separately, and weighed: reward is the
    mean gain and risk the mean loss, both over all topics. If a loss weighs 1 + alpha times a gain,
    URisk = reward − (1 + alpha) · risk, and TRisk is URisk divided by its standard error. With alpha 0,
    URisk is the mean difference, and TRisk the statistic of Student's paired t-test.

    Differences are reversed if lower is better, so a loss is always a change for the worse. Missing topics count 0.

    Parameters
    ----------
    runs
        At least two runs, joined with the judgments.
    measures
        The measures by which runs are scored.
    baseline
        The run to compare the others with; by default, the first.
    alpha
        How much more a loss weighs than a gain; 0 weighs them equally.
    margin
        In the unit of the measure. A topic that loses more is hurt; one that gains more is helped.

    Tables
    ------
    runs
        A row for each measure and each run except the baseline, the highest URisk first.
        measure, run, baseline : text
        wins, ties, losses : whole number
            The number of topics on which the run beats, ties with, and loses to the baseline.
        helped, hurt : whole number
            The number of these topics beyond the margin.
        reward, risk, urisk : number
            Reward minus risk is the mean difference.
        trisk : number
            Null for a single topic, or if all weighted differences are equal.
    topics
        A row for each measure, run and topic, the largest loss first.
        measure, run, topic : text
        difference : number
            From the baseline: above 0, the run is better.

    Side by side
    ------------
    runs
        measure, run : row
        losses, urisk : value

    Raises
    ------
    InputError
        If there is only one run, no run has the baseline's name, or an option is out of range.

    Paper: Wang, Bennett and Collins-Thompson (2012), "Robust ranking models via risk-sensitive
    optimization", SIGIR; Dinçer, Macdonald and Ounis (2014), "Hypothesis testing for the
    risk-sensitive evaluation of retrieval systems", SIGIR.

    Examples
    --------
    RR is 1/2 on every topic for the baseline. The other run gains 1/2 on two topics and loses 1/2 on a
    third: reward 1/3, risk 1/6, and if a loss weighs twice a gain, URisk is 0.

    >>> from cranfield import join
    >>> base = {t: {"x": 2.0, "a": 1.0} for t in "123"}
    >>> bold = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"x": 1.0}}
    >>> found = risk(join({t: {"a": 1} for t in "123"}, {"base": base, "bold": bold}), "RR")
    >>> found["runs"].select("run", "wins", "ties", "losses", "hurt", "reward", "risk", "urisk").rows()
    [('bold', 2, 0, 1, 1, 0.333..., 0.166..., 0.0)]
    >>> found["topics"].rows()[0]
    ('RR', 'bold', '3', -0.5)
    """
    panel = runs.panel(number_measures(measures))
    place, others = baseline_of(panel, baseline)
    by_run, by_topic, notes = list[pl.DataFrame](), list[Columns](), list[str]()
    for m, measure in enumerate(panel.measures):
        differences = checked(panel.values[m, others] - panel.values[m, place], fewest=1)
        found = risk_reward(differences, alpha)
        order = best_first(found.urisk)
        beyond = side(np.abs(differences) - margin) > 0
        rows = {
            "measure": measure,
            "run": [panel.runs[run] for run in others],
            "baseline": panel.runs[place],
            "wins": (differences > 0).sum(axis=1),
            "ties": (differences == 0).sum(axis=1),
            "losses": (differences < 0).sum(axis=1),
            "helped": (beyond & (differences > 0)).sum(axis=1),
            "hurt": (beyond & (differences < 0)).sum(axis=1),
            "reward": found.reward,
            "risk": found.risk,
            "urisk": found.urisk,
            "trisk": found.trisk,
        }
        by_run.append(pl.DataFrame(rows)[order])
        by_topic += [_of_topics(panel, measure, others[i], differences[i]) for i in order]
        notes += list(_notes(by_run[-1], measure, panel.runs[place], margin))
    return Outcome({"runs": pl.concat(by_run), "topics": stacked(by_topic)}, (*panel.notes, *notes))


def _of_topics(panel: Panel, measure: str, run: int, differences: Floats) -> Columns:
    order = np.argsort(differences, kind="stable")
    topics = [panel.topics[t] for t in order]
    return {"measure": measure, "run": panel.runs[run], "topic": topics, "difference": differences[order] + 0.0}


def _notes(rows: pl.DataFrame, measure: str, baseline: str, margin: float) -> Iterator[str]:
    """Name the runs with better means that hurt some topics, and those that hurt none."""
    better = rows.filter(pl.col("reward") > pl.col("risk"))
    hurting = better.filter(pl.col("hurt") > 0)
    of = f"{measure} against {baseline} ({counted(sum(rows.select('wins', 'ties', 'losses').row(0)), 'topic')})"
    if hurting.height:
        most = int(hurting["hurt"].to_numpy().max())
        runs = named(hurting.filter(hurt=most)["run"].to_list())
        yield (
            f"{of}: {counted(hurting.height, 'run with a better mean hurts', 'runs with a better mean hurt')} some "
            f"topic by more than {margin:g}; {runs} most, {counted(most, 'topic')}"
        )
    if safe := rows.filter((pl.col("losses") == 0) & (pl.col("wins") > 0))["run"].to_list():
        yield f"{of}: never worse, and better on some topic: {named(safe)}"
