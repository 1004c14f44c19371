"""From scores to a comparison: which pairs there are, what is tested, and the table of what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Unpack, cast

import numpy as np

from cranfield.comparison.comparison import Comparison
from cranfield.comparison.deciding import narrow
from cranfield.comparison.notes import NOTES, LeastLeads, Noted
from cranfield.comparison.opening import what_judging_could_do
from cranfield.comparison.p_values import (
    AgainstUnjudged,
    Pairs,
    Tested,
    after_correction,
    against_unjudged,
    differences_of,
    measured,
    omnibus_table,
    tested,
)
from cranfield.comparison.settings import AskedComparison, AskedSettings, Settings
from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.score_tables import ScoresLike
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import CONDITION_FILES, Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9
from cranfield.pairs.dominance import TopCounts, which_of
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import Topics
from cranfield.plumbing.unpacked import part_of
from cranfield.scoring.clusters import Clusters, ClustersLike
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel, check_baseline, did_not_run, panel_of, refuse_asked_of_scores
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.clusters import Units, clustered_effect
from cranfield.statistics.conclusions import (
    PASSING,
    MeanDifferences,
    Paired,
    check_margin,
    conclude,
    significant,
    tell_apart,
)
from cranfield.statistics.differences import pairs as all_pairs
from cranfield.statistics.effect_size import relative_difference, sizes_of, standardised_difference, wins_ties_losses
from cranfield.statistics.on_paper import side
from cranfield.statistics.power import MOST_TOPICS, detectable
from cranfield.statistics.weighted_means import weighted_effect, weighted_means

COMPARED_MEASURES: Final = ("AP", "nDCG@10")
"""Default measures of a comparison."""


def compare(
    qrels: QrelsLike | Judgments | JudgedRuns | Scores,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    residuals: bool = False,
    dominance: bool = False,
    weights: WeightsLike | TopicWeights | None = None,
    clusters: ClustersLike | Clusters | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[AskedComparison],
) -> Comparison:
    """Which runs are better than which, and could the difference be chance?

    Every pair of runs (or every run and the baseline) is compared on the same topics by every
    measure, two-sided.

    Parameters
    ----------
    qrels, runs, workers, progress
        As in `evaluate`: joined runs may be given alone, and so may scores, as `evidence` returns them of chunks.
    measures
        The measures to compare by: by default AP and nDCG@10, or those of the convention.
    residuals
        Also test whether unjudged documents could reverse the difference: any document that one of
        the runs retrieved.
    dominance
        Also report whether one run is no worse for any weights of ranks and gains of grades (see
        `experiments.dominance`), and by which measure the run with the lower mean is better.
    weights
        The weight of each topic in means and tests, as in `evaluate`. Only the tests ``"t"`` and
        ``"randomisation"`` support weights.
    clusters
        The cluster of each topic, where topics belong together (turns of a conversation, questions on one document,
        paraphrases): a file of topics and clusters, a DataFrame, or ``{topic: cluster}``. Statistics then rest on
        clusters: a cluster-robust t (CR2, with Bell and McCaffrey's degrees of freedom), or a randomisation of whole
        clusters. Every topic needs a cluster; only the tests ``"t"`` and ``"randomisation"`` support clusters.
    **options
        `AskedSettings`, `Asked`

    Returns
    -------
    Comparison : a row for each measure and pair, and tables for people.

    Raises
    ------
    InputError
        If there are fewer than two runs or topics, a run, test or correction is unknown, or an
        input cannot be read.

    Examples
    --------
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(10)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(10)}
    >>> poor = good | {str(t): {"b": 2.0, "a": 1.0} for t in range(2, 10)}
    >>> print(compare(qrels, {"good": good, "poor": poor}, ["RR"]))
    good leads poor by 0.4000 in RR: a significant difference.
    The lead lies between 0.2492 and 0.5508 on topics like these (95% interval; p = 0.008).
    good wins 8 topics, ties 2 and loses 0.
    All retrieved documents are judged.
       run         RR
    a  good  1.0000 b
    b  poor  0.6000
    Means over 10 topics. Letters: significantly better than the run of that letter (paired t-test, two-sided, below
    25 topics with sign flips, alpha = 0.05).
    """
    asked, conditions = part_of(options, AskedSettings), part_of(options, Asked)
    settings = Settings.asked(**asked)
    if isinstance(qrels, Scores):
        refuse_asked_of_scores(runs=runs, measures=measures, dominance=dominance or None, **conditions)
        naming = Naming.asked(settle(conditions, qrels, weights, clusters))
        weights = None if weights is None else TopicWeights.taken(weights, naming)
        together = None if clusters is None else Clusters.taken(clusters, naming)
        return compare_scores(qrels, residuals=residuals, weights=weights, clusters=together, **asked)
    measures = by_what(measures, qrels, conditions, COMPARED_MEASURES)
    conditions = knowing(measures, qrels, conditions)
    conditions = settle(conditions, qrels, runs, weights, clusters, *(conditions.get(name) for name in CONDITION_FILES))
    weights = None if weights is None else TopicWeights.taken(weights, Naming.asked(conditions))
    together = None if clusters is None else Clusters.taken(clusters, Naming.asked(conditions))
    _refuse_unequal(settings, weights, together, residuals=residuals, dominance=dominance)
    given = qrels.runs if isinstance(qrels, JudgedRuns) else runs
    two = isinstance(given, Mapping | list | tuple) and len(given) == 2  # the answer says what judging could do then
    if not residuals and not dominance and not two:
        scores = evaluate(qrels, runs, measures, weights=weights, workers=workers, progress=progress, **conditions)
        return _compared(scores, None, settings, residuals=False, clusters=together)
    # As `evaluate` has it, which these scores do not go through.
    if asks_for_trec9(measures) and conditions.get("order") is None and conditions.get("convention") is None:
        conditions["order"] = "trec9"
    joined = join(qrels, runs, bounds=residuals, workers=workers, progress=progress, **conditions)
    joined = joined.under(bounds=residuals)
    scores = joined.scores(measures, levels=True).weighted_by(weights)
    least = LeastLeads(joined, scores.measures) if residuals else None
    counts = TopCounts.of(joined) if dominance else None
    return _compared(
        scores, None, settings, residuals=residuals, least=least, counts=counts, clusters=together,
        joined=joined if two else None,
    )  # fmt: skip


def compare_scores(
    scores: Scores | ScoresLike,
    *,
    residuals: bool = False,
    topics: Topics | None = None,
    weights: WeightsLike | TopicWeights | None = None,
    clusters: ClustersLike | Clusters | None = None,
    **settings: Unpack[AskedSettings],
) -> Comparison:
    """Which runs are better than which, by existing scores?

    Parameters
    ----------
    scores
        What `evaluate` returns (with ``bounds=True`` if residuals are asked for), or a long table:
        a DataFrame of any library with the columns run, topic, measure and value (for residuals
        also low and high). Topics are aligned by their ids. Averages, rows of the topic ``all``,
        are ignored. For unknown measures, higher is taken to be better.
    topics
        ``"all"``: a run scores 0 on topics that it lacks; ``"shared"``: the topics that all runs
        have by all measures. By default as in the scores that are given, ``"all"`` for tables.
    weights
        As in `compare`; by default those of the scores.
    clusters
        As in `compare`.
    **settings
        `AskedSettings`

    Examples
    --------
    >>> table = pl.DataFrame({"run": ["x", "x", "x", "y", "y", "y"], "topic": ["1", "2", "3", "3", "1", "2"],
    ...                       "measure": ["AP"] * 6, "value": [0.2, 0.4, 0.6, 0.3, 0.1, 0.2]})
    >>> found = compare_scores(table)  # differences 0.1, 0.2, 0.3: t = 0.2 / (0.1 / √3)
    >>> found.to_polars().select("run_a", "run_b", "difference", "statistic", "p").row(0)
    ('x', 'y', 0.2..., 3.464..., 0.0741...)
    """
    weighted = None if weights is None else TopicWeights.taken(weights)
    together = None if clusters is None else Clusters.taken(clusters)
    asked = Settings.asked(**settings)
    return _compared(scores, topics, asked, residuals=residuals, weights=weighted, clusters=together)


def _compared(
    scores: Scores | ScoresLike,
    topics: Topics | None,
    settings: Settings,
    *,
    residuals: bool,
    least: LeastLeads | None = None,
    counts: TopCounts | None = None,
    weights: TopicWeights | None = None,
    clusters: Clusters | None = None,
    joined: JudgedRuns | None = None,
) -> Comparison:
    panel = panel_of(scores, topics, not_run=settings.not_run)
    panel = panel if weights is None else replace(panel, weights=weights)
    clusters = clusters or panel.clusters
    _refuse_unequal(settings, panel.weights, clusters, residuals=residuals, dominance=counts is not None)
    check_comparable(panel, settings)
    panel = panel.drawn_in(clusters)
    pairs = pairs_of(panel.runs, settings.baseline)
    found = tested(panel, pairs, settings)
    unjudged = against_unjudged(panel, pairs, settings, least) if residuals else None
    differences = differences_by_pair(panel, pairs, settings, found, unjudged)
    if counts is not None:
        differences = differences.with_columns(*_dominance(panel, pairs, counts))
    in_what = panel.weight_of_topic, panel.cluster_of_topic
    noted = Noted(scores, panel, pairs, settings, found, differences, least, counts)
    return Comparison(
        runs=panel.runs,
        measures=panel.measures,
        topics=panel.topics,
        direction=panel.direction,
        means=panel.means,
        averages=panel.averages,
        pairs=tuple((panel.runs[a], panel.runs[b]) for a, b in zip(*pairs, strict=True)),
        differences=differences,
        omnibus=omnibus_table(panel.measures, found.omnibus),
        settings=settings,
        exact=found.exact,
        notes=tuple(said for note in NOTES for said in note(noted)),
        audit=panel.audit,
        asked=panel.asked,
        unjudged="" if joined is None else what_judging_could_do(joined, panel),
        weighted="" if panel.weights is None else panel.weights.described(panel.topics),
        clusters=panel.clustered,
        units=panel.units,
        corrected=after_correction(panel, pairs, settings, found),
        usual=() if settings.usual or settings.baseline else tuple(
            int((~tell_apart(values, settings.alpha, *in_what).above[best_first(means)[0]]).sum()) - 1
            for values, means in zip(panel.values, panel.averages, strict=True)
        ),
    )  # fmt: skip


def _refuse_unequal(
    settings: Settings, weights: TopicWeights | None, clusters: Clusters | None, *, residuals: bool, dominance: bool
) -> None:
    """Refuse what is asked of topics that all count the same, and are drawn one by one."""
    settings.refuse_unequal(weighted=weights is not None, clustered=clusters is not None)
    asked = {"residuals": residuals, "dominance": dominance}
    for name in (name for name, there in asked.items() if there and weights is not None):
        raise InputError(f"topics are weighted, but {name} assumes equal weights; omit one of the two")
    if residuals and clusters is not None:
        raise InputError("topics are in clusters, but residuals are tested topic by topic; omit one of the two")


def check_comparable(panel: Panel, settings: Settings) -> None:
    """Refuse fewer than two runs or topics, and a baseline that there is not."""
    if not panel.measures:
        raise InputError("no measure to compare by; name one, or leave measures out")
    panel.refuse_none()
    if len(panel.runs) < 2 and panel.not_run:
        (said,) = did_not_run(panel.not_run, panel.asked_topics)
        raise InputError(f"a comparison needs at least two runs; there is only one: {panel.runs[0]} ({said})")
    check_runs(panel.runs, settings, len(panel.topics), did_not_run(panel.not_run, panel.asked_topics))
    if len(of_1 := narrow(panel)) == len(panel.measures):  # of several units, a margin may be meant for some
        check_margin(settings.margin or 0.0, of_1)


def check_runs(
    runs: Sequence[str], settings: Settings, topics: int | None = None, left_out: Iterable[str] = ()
) -> None:
    """Refuse fewer than two runs, or topics, and a baseline that is none of the runs."""
    if len(runs) < 2:
        raise InputError(f"a comparison needs at least two runs; there is only one: {runs[0]}")
    if topics is not None and topics < 2:
        raise InputError(f"a comparison needs at least two topics, not {topics}")
    left_out = [*left_out]
    for baseline in settings.baseline or ():
        check_baseline(baseline, runs, left_out)


def pairs_of(runs: tuple[str, ...], baselines: Sequence[str] | None) -> Pairs:
    """All pairs, the run that was given first in front; or each run and each baseline, two baselines once."""
    if not baselines:
        return all_pairs(len(runs))
    places = list(dict.fromkeys(runs.index(baseline) for baseline in baselines))
    found = [(i, b) for n, b in enumerate(places) for i in range(len(runs)) if i != b and i not in places[:n]]
    first, second = np.array(found).T
    return first, second


def differences_by_pair(
    panel: Panel, pairs: Pairs, settings: Settings, found: Tested, unjudged: AgainstUnjudged | None = None
) -> pl.DataFrame:
    """One row for each measure and pair."""
    measures, many = len(panel.measures), len(pairs[0])
    rows, weights = differences_of(measured(panel), pairs), panel.weight_of_topic
    units = panel.by_unit(rows)
    wins, ties, losses = wins_ties_losses(panel.direction.repeat(many)[:, np.newaxis] * rows, weights).T
    found_so: Booleans = significant(found.p_adjusted, settings.alpha).ravel()
    spread = units.varies
    effect = _effects(rows, panel)
    relative = relative_difference(*(panel.means[:, run] for run in pairs)).ravel()
    columns: dict[str, object] = {
        "measure": np.repeat(panel.measures, many),
        "run_a": np.tile(np.array(panel.runs)[pairs[0]], measures),
        "run_b": np.tile(np.array(panel.runs)[pairs[1]], measures),
        "topics": np.full(measures * many, len(panel.topics)),
        "mean_a": panel.means[:, pairs[0]].ravel(),
        "mean_b": panel.means[:, pairs[1]].ravel(),
        "difference": rows.mean(axis=1) if weights is None else weighted_means(rows, weights).mean,
        "low": pl.Series(np.where(spread, found.low.ravel(), np.nan), nan_to_null=True),
        "high": pl.Series(np.where(spread, found.high.ravel(), np.nan), nan_to_null=True),
        "effect": pl.Series(np.where(spread | ~rows.any(axis=1), effect, np.nan), nan_to_null=True),
        "relative": pl.Series(relative, nan_to_null=True),
        "size": pl.Series(sizes_of(relative), dtype=pl.String),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "statistic": found.statistic.ravel(),
        "p": found.p.ravel(),
        "p_adjusted": found.p_adjusted.ravel(),
        "significant": found_so,
        **_power(units, settings, panel),
    }
    if settings.margin is not None:
        better = oriented_rows(rows, panel)
        families = [better] if settings.family == "all" else np.split(better, measures)
        columns |= against_margin([Paired(*panel.by_unit(family)) for family in families], settings)
    if unjudged is not None:
        columns |= {
            "p_base": unjudged.p_base.ravel(),
            "p_top": unjudged.p_top.ravel(),
            "p_projected": pl.Series(unjudged.p_projected.ravel(), nan_to_null=True),
            "p_worst": unjudged.p_worst.ravel(),
            "certain": found_so & significant(unjudged.p_worst_adjusted, settings.alpha).ravel(),
        }
    return pl.DataFrame(columns)


def _dominance(panel: Panel, pairs: Pairs, counts: TopCounts) -> Iterator[pl.Series]:
    """Which run of each pair dominates, and by which measure the run with the lower mean leads most."""
    first, second = (np.array([counts.runs.index(panel.runs[run]) for run in runs]) for runs in pairs)
    dominates = which_of(counts.at_least[first, second], counts.at_least[second, first])
    yield pl.Series("dominates", dominates * len(panel.measures), dtype=pl.String)
    leads = {
        ahead: [counts.witness(*((other, one) if ahead else (one, other)))
                for one, other in zip(first, second, strict=True)]
        for ahead in (True, False)
    }  # fmt: skip
    first_ahead = side(panel.averages[:, pairs[0]] - panel.averages[:, pairs[1]]) > 0
    against = [leads[bool(ahead)][pair] for row in first_ahead for pair, ahead in enumerate(row)]
    yield pl.Series("against", [str(each.measure) if each else "" for each in against], dtype=pl.String)


def oriented_rows(rows: Floats, panel: Panel) -> Floats:
    """Turn rows of differences, by measure and pair, so that more is better for the first run."""
    return panel.direction.repeat(len(rows) // len(panel.measures))[:, np.newaxis] * rows


def against_margin(families: Sequence[MeanDifferences], settings: Settings) -> dict[str, object]:
    """Whether the first run is worse by no more than the margin, and whether both are equivalent; a family a value."""
    margin, correction = settings.margin or 0.0, cast("Any", settings.correction_of_others)
    told = [conclude(each, margin, settings.alpha, correction=correction) for each in families]
    above, below = (
        np.concatenate(
            [np.where(side(sign * each.mean + margin) > 0, each.p(-sign * margin), 1.0) for each in families]
        )
        for sign in (1, -1)
    )
    return {
        "p_not_worse": above,
        "not_worse": [verdict in PASSING for each in told for verdict in each.on_judged],
        "p_equivalent": np.maximum(above, below),
        "equivalent": np.concatenate([each.within for each in told]),
    }


def _effects(rows: Floats, panel: Panel) -> Floats:
    """Return the mean differences in standard deviations of a topic's."""
    weights, clusters = panel.weight_of_topic, panel.cluster_of_topic
    if clusters is not None:
        return clustered_effect(rows, clusters, weights)
    return standardised_difference(rows) if weights is None else weighted_effect(rows, weights)


def _power(units: Units, settings: Settings, panel: Panel) -> dict[str, pl.Series]:
    """What these topics can find, and how many it takes to find what is worthwhile; null where no number does."""
    if panel.weights is not None:
        return {"detectable": pl.Series([None] * len(units.rows), dtype=pl.Float64)}
    spread, many = units.spread
    found = {"detectable": pl.Series(spread * detectable(many, settings.power, settings.alpha))}
    if settings.worthwhile is not None:
        needed = units.needed(settings.worthwhile, settings.power, settings.alpha)
        none = pl.Series(needed >= MOST_TOPICS)
        if panel.clusters is not None:
            found["clusters_needed"] = pl.Series(needed).set(none, None)
        found["topics_needed"] = pl.Series(panel.topics_of(needed)).set(none, None)
    return found
