"""From scores to a comparison: which pairs there are, what is tested, and the table of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Unpack, cast

import numpy as np

from cranfield.comparison.deciding import OpenLead, completions
from cranfield.comparison.joint_tests import omnibus_table
from cranfield.comparison.methods import CORRECTIONS, TESTS
from cranfield.comparison.residuals import AgainstUnjudged, against_unjudged, limits_of
from cranfield.comparison.result import Comparison
from cranfield.comparison.settings import AskedComparison, AskedSettings, Settings
from cranfield.comparison.testing import Pairs, Tested, differences_of, measured, tested
from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.completions import BOUND_KINDS, Kind, surely
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9
from cranfield.pairs.dominance import TopCounts, which_of
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Topics
from cranfield.plumbing.scope import Scope, Sums
from cranfield.plumbing.tables import Frame
from cranfield.plumbing.unpacked import part_of
from cranfield.plumbing.wording import counted
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel, panel_of
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.anova import UNEVEN, spread_ratio
from cranfield.statistics.conclusions import (
    FEW_UNITS,
    PASSING,
    MeanDifferences,
    Paired,
    Rung,
    conclude,
    fewest_units,
    significant,
    tell_apart,
)
from cranfield.statistics.coverage import clause
from cranfield.statistics.differences import standard_deviations
from cranfield.statistics.effect_size import relative_difference, sizes_of, standardised_difference, wins_ties_losses
from cranfield.statistics.multiple_comparisons import level_left
from cranfield.statistics.on_paper import side
from cranfield.statistics.pairs import pairs as all_pairs
from cranfield.statistics.power import MOST_TOPICS, detectable, topics_needed
from cranfield.statistics.usual import CORRECTION
from cranfield.statistics.weighting import weighted_effect, weighted_means

MEASURES: Final = ("AP", "nDCG@10")
"""What runs are compared by, if nothing else is said."""


def compare(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    residuals: bool = False,
    dominance: bool = False,
    weights: WeightsLike | TopicWeights | None = None,
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
        As in `evaluate`: joined runs may be given alone.
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
       run         RR
    a  good  1.0000 b
    b  poor  0.6000
    Means over 10 topics. Letters: significantly better than the run of that letter (paired t-test, two-sided, Holm
    correction over 1 comparison, alpha = 0.05).
    """
    settings, conditions = Settings.asked(**part_of(options, AskedSettings)), part_of(options, Asked)
    measures = by_what(measures, qrels, conditions, MEASURES)
    conditions = knowing(measures, qrels, conditions)
    weights = None if weights is None else TopicWeights.taken(weights)
    if weights is not None:
        settings.refuse_weights()
        _refuse_with_weights(residuals=residuals, dominance=dominance)
    if not residuals and not dominance:
        scores = evaluate(qrels, runs, measures, weights=weights, workers=workers, progress=progress, **conditions)
        return _compared(scores, None, settings, residuals=False)
    if asks_for_trec9(measures) and conditions.get("order") is None and conditions.get("convention") is None:
        conditions["order"] = "trec9"
    joined = join(qrels, runs, bounds=residuals, workers=workers, progress=progress, **conditions).under(
        bounds=residuals
    )
    scores = joined.scores(measures, levels=True).weighted_by(weights)
    least = _Least(joined, scores.measures) if residuals else None
    counts = TopCounts.of(joined) if dominance else None
    return _compared(scores, None, settings, residuals=residuals, least=least, counts=counts)


def compare_scores(
    scores: Scores | Frame,
    *,
    residuals: bool = False,
    topics: Topics | None = None,
    weights: WeightsLike | TopicWeights | None = None,
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
    return _compared(scores, topics, Settings.asked(**settings), residuals=residuals, weights=weighted)


def _compared(
    scores: Scores | Frame,
    topics: Topics | None,
    settings: Settings,
    *,
    residuals: bool,
    least: _Least | None = None,
    counts: TopCounts | None = None,
    weights: TopicWeights | None = None,
) -> Comparison:
    panel = panel_of(scores, topics)
    panel = panel if weights is None else replace(panel, weights=weights)
    if panel.weights is not None:
        settings.refuse_weights()
        _refuse_with_weights(residuals=residuals, dominance=counts is not None)
    check_comparable(panel, settings)
    pairs = pairs_of(panel.runs, settings.baseline)
    found = tested(panel, pairs, settings)
    unjudged = against_unjudged(panel, pairs, settings, least) if residuals else None
    differences = differences_by_pair(panel, pairs, settings, found, unjudged)
    if counts is not None:
        differences = differences.with_columns(*_dominance(panel, pairs, counts))
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
        notes=(
            *_conditions(scores),
            *panel.notes,
            *_warnings(differences, panel, settings, least, counts),
            *(least.held(panel, pairs, found, settings) if least and settings.usual else ()),
        ),
        audit=panel.audit,
        weighted="" if panel.weights is None else panel.weights.described(panel.topics),
        usual=() if settings.usual or settings.baseline else tuple(_not_told_from_best(panel, settings.alpha)),
    )


def _not_told_from_best(panel: Panel, alpha: float) -> Iterator[int]:
    """Count, by measure, the other runs that the usual test does not tell from the best."""
    for values, means in zip(panel.values, panel.averages, strict=True):
        yield int((~tell_apart(values, alpha, panel.weight_of_topic).above[best_first(means)[0]]).sum()) - 1


def _refuse_with_weights(**asked: bool) -> None:
    """Refuse what is asked of topics that all count alike."""
    for name in (name for name, there in asked.items() if there):
        raise InputError(f"topics are weighted, but {name} assumes equal weights; omit one of the two")


def check_comparable(panel: Panel, settings: Settings) -> None:
    """Refuse fewer than two runs or topics, and a baseline that there is not."""
    if not panel.measures:
        raise InputError("there is no measure to compare by; name one, or leave measures out")
    if len(panel.runs) < 2:
        raise InputError(f"a comparison needs at least two runs; there is only one: {panel.runs[0]}")
    if len(panel.topics) < 2:
        raise InputError(f"a comparison needs at least two topics; there are {len(panel.topics)}")
    for baseline in settings.baseline or ():
        if baseline not in panel.runs:
            raise InputError(f"no run is called {baseline!r}, the baseline; there are {', '.join(panel.runs)}")


def pairs_of(runs: tuple[str, ...], baselines: Sequence[str] | None) -> Pairs:
    """All pairs, the run that was given first in front; or each run and each baseline, two baselines once.

    >>> [places.tolist() for places in pairs_of(("x", "y", "z"), ("y", "x"))]
    [[0, 2, 2], [1, 1, 0]]
    """
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
    wins, ties, losses = wins_ties_losses(panel.direction.repeat(many)[:, np.newaxis] * rows).T
    found_so: Booleans = significant(found.p_adjusted, settings.alpha).ravel()
    spread = standard_deviations(rows) > 0  # differences that do not vary do not show how they would
    effect = standardised_difference(rows) if weights is None else weighted_effect(rows, weights)
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
        **(
            _power(rows, settings)
            if weights is None
            else {"detectable": pl.Series([None] * len(rows), dtype=pl.Float64)}
        ),
        **_against_margin(rows, panel, settings),
    }
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


def _conditions(scores: Scores | Frame) -> Iterator[str]:
    """Say what was unusual about how the scores came about; which topics they are over, the panel says."""
    if isinstance(scores, Scores):
        unusual = {
            name: value for name, value in scores.conditions.unusual().items() if name not in {"topics", "bounds"}
        }
        if unusual:
            yield f"scored with {', '.join(f'{name}={value}' for name, value in unusual.items())}"


MOST_HELD: Final = 60
"""Of so many significant differences it is said how they hold."""


class _Least:
    """The least differences of joined runs, laid out as a panel is, more being better."""

    def __init__(self, joined: JudgedRuns, measures: Sequence[Measure]) -> None:
        self.joined, self.measures = joined, measures
        self.kinds: dict[Measure, Kind] = {}

    def __call__(self, panel: Panel, better: Integers, other: Integers) -> Floats:
        """Give them by measure, pair and topic; of logarithms the least of the one less the greatest of the other."""
        low, high = limits_of(panel)
        measure = np.arange(len(self.measures))[:, np.newaxis]
        least: Floats = low[measure, better] - high[measure, other]
        rivals = Rivals(self.joined, panel.topics)
        for m, declared in enumerate(self.measures):
            of_pairs = [rivals.of(declared, *runs) for runs in zip(better[m], other[m], strict=True)]
            self.kinds[declared] = surely(*(pair.kind for pair in of_pairs))
            if not panel.logarithmic[m]:
                least[m] = [pair.least_by_topic() for pair in of_pairs]
        return least

    def held(self, panel: Panel, pairs: Pairs, found: Tested, settings: Settings) -> Iterator[str]:
        """Say how many significant differences hold whatever the unjudged documents are, and if they resemble others.

        As the gate has it of two runs, at the level that the correction leaves here.
        """
        places = np.argwhere(significant(found.p_adjusted, settings.alpha) & ~panel.logarithmic[:, np.newaxis])
        if not len(places):
            return
        if len(places) > MOST_HELD:
            yield (
                f"{len(places):,} differences are significant, too many to say how each holds once unjudged documents "
                f"are judged; up to {MOST_HELD} are looked at"
            )
            return
        rivals, rungs = Rivals(self.joined, panel.topics), Counter[Rung]()
        families = [found.p.ravel()] if settings.family == "all" else list(found.p)
        levels = [level_left(p, CORRECTION, settings.alpha) for p in families]
        for m, pair in places.tolist():
            one, other = (int(runs[pair]) for runs in pairs)
            of = OpenLead.of(rivals, self.measures[m], one, other)
            rows = [panel.values[m, one] - panel.values[m, other], of.least, of.most]
            judged, at_least, at_most = (Paired(row[np.newaxis]) for row in rows)
            drawn = completions(panel, [of], settings.seed)
            told = conclude(
                judged, 0.0, levels[m % len(levels)], least=at_least, most=at_most, drawn=drawn, correction="none"
            )  # fmt: skip
            rungs[told.rungs[0]] += 1
        words: dict[Rung, str] = {
            "certain": "certain, at the least and at the most that unjudged documents allow",
            "plausible": "plausible, if unjudged documents resemble judged ones",
            "on what was judged": "on what was judged alone",
        }
        said = [f"{rungs[rung]} {how}" for rung, how in words.items() if rungs[rung]]
        yield f"{counted(len(places), 'significant difference')}: {'; '.join(said)}"

    def notes(self) -> Iterator[str]:
        """Say what is sure about them, where they are not exact."""
        for kind, meaning in BOUND_KINDS.items():
            names = [str(measure) for measure, found in self.kinds.items() if found == kind]
            if names and kind != "exact":
                yield f"least differences by {', '.join(names)}: {meaning}"


def _warnings(
    differences: pl.DataFrame, panel: Panel, settings: Settings, least: _Least | None, counts: TopCounts | None
) -> Iterator[str]:
    """Say what a reader of the marks could get wrong."""
    if settings.kind.by_ranks:
        direction = dict(zip(panel.measures, panel.direction, strict=True))
        ahead = pl.col("difference") * pl.col("measure").replace_strict(direction)
        torn = differences.filter(pl.col("significant") & (ahead * (pl.col("wins") - pl.col("losses")) < 0))
        for measure, a, b in torn.select("measure", "run_a", "run_b").iter_rows():
            yield f"{measure} of {a} and {b}: the run with the better mean wins fewer topics; see wins and losses"
    yield from _few_topics(differences.height, panel, settings)
    if settings.kind.pooled and len(panel.runs) > 2:
        uneven = {name: spread_ratio(values) for name, values in zip(panel.measures, panel.values, strict=True)}
        if wide := [f"{name} ({ratio:.2f} times)" for name, ratio in uneven.items() if ratio >= UNEVEN]:
            yield (
                "differences of some pairs of runs spread much more than the pooled spread that the test uses: "
                f"{', '.join(wide)}; false findings are more frequent than {settings.alpha:g}"
            )
    if "certain" in differences.columns:
        over = "by the ranges that were given" if least is None else Scope().graded().whatever
        yield (
            f"certain: {TESTS[settings.of_worst].words} of the least possible differences, {over}, "
            f"one-tailed, {CORRECTIONS[settings.correction_of_others].words}"
        )
    if settings.margin is not None:
        yield (
            f"margin {settings.margin:g}: the first run is not worse in {differences['not_worse'].sum()} of "
            f"{counted(differences.height, 'pair')}, equivalent in {differences['equivalent'].sum()} (paired t-test, "
            f"two-sided, {CORRECTIONS[settings.correction_of_others].words})"
        )
    if settings.worthwhile is not None:
        needed = sorted({*differences["topics_needed"].fill_null(MOST_TOPICS).to_list()})
        every = [f"{many:,}" if many < MOST_TOPICS else f"over {MOST_TOPICS:,}" for many in needed]
        ends = dict.fromkeys((every[0], every[-1]))
        several = {"measure": len(panel.measures) > 1, "pair": differences.height > len(panel.measures)}
        on = " and the ".join(name for name, many in several.items() if many)
        yield (
            f"worthwhile {settings.worthwhile:g}: to find a difference of that size with probability "
            f"{settings.power:g} takes {' to '.join(ends)} topics in all{f', depending on the {on}' * (len(ends) > 1)} "
            f"(paired t-test, two-sided, alpha = {settings.alpha:g}, no correction)"
        )
    if counts is not None:
        of_pairs = differences.filter(pl.col("measure") == panel.measures[0])["dominates"]
        yield (
            f"dominance: in {(of_pairs != 'neither').sum()} of {counted(len(of_pairs), 'pair')} one run is no worse "
            f"{Scope(Sums(counts.counts.shape[-1])).by_all}"
        )
    if least is not None:
        yield from least.notes()


def _few_topics(hypotheses: int, panel: Panel, settings: Settings) -> Iterator[str]:
    """Say what it takes, where topics are few, for a difference to be significant."""
    topics, alone = len(panel.topics), settings.kind.simultaneous or settings.correction == "none"
    needed = fewest_units(settings.alpha / (1 if alone else hypotheses))
    if topics < needed:
        yield f"{counted(topics, 'topic')}: too few for any verdict, which takes at least {needed}"
    elif topics < FEW_UNITS and settings.kind.presuming:
        yield f"{counted(topics, 'topic')}: below {FEW_UNITS} a difference is significant only if sign flips confirm it"
    if settings.kind.intervals == "t" and (said := clause("difference", topics, settings.level)):
        yield f"{said[:1].lower()}{said[1:-1]}"


def oriented_rows(rows: Floats, panel: Panel) -> Floats:
    """Turn rows of differences, by measure and pair, so that more is better for the first run."""
    turned: Floats = panel.direction.repeat(len(rows) // len(panel.measures))[:, np.newaxis] * rows
    return turned


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


def _against_margin(rows: Floats, panel: Panel, settings: Settings) -> dict[str, object]:
    if settings.margin is None:
        return {}
    better = oriented_rows(rows, panel)
    families = [better] if settings.family == "all" else np.split(better, len(panel.measures))
    return against_margin([Paired(family, panel.weight_of_topic) for family in families], settings)


def _power(rows: Floats, settings: Settings) -> dict[str, pl.Series]:
    """What these topics can find, and how many it takes to find what is worthwhile; null where no number does."""
    spread = rows.std(axis=1, ddof=1)
    found = {"detectable": pl.Series(spread * detectable(rows.shape[1], settings.power, settings.alpha))}
    if settings.worthwhile is not None:
        effect = np.divide(settings.worthwhile, spread, out=np.full(len(rows), np.inf), where=spread > 0)
        needed = pl.Series(topics_needed(effect, settings.power, settings.alpha))
        found["topics_needed"] = needed.set(needed >= MOST_TOPICS, None)
    return found
