"""What a reader of a comparison should know: one small function a note, in the order of `NOTES`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from cranfield.comparison.deciding import OpenLead, completions
from cranfield.comparison.methods import CORRECTIONS, TESTS
from cranfield.comparison.p_values import Pairs, Tested, limits_of
from cranfield.comparison.settings import Settings
from cranfield.formats.score_tables import ScoresLike
from cranfield.judged.completions import BOUND_KINDS, Kind, surely
from cranfield.measures.framework.measure import Measure
from cranfield.pairs.dominance import TopCounts
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope, Sums
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.scoring.scores import Scores
from cranfield.statistics.anova import UNEVEN, spread_ratio
from cranfield.statistics.conclusions import Paired, Rung, conclude, fewest_units, significant
from cranfield.statistics.intervals import clause
from cranfield.statistics.multiple_comparisons import least_raised, level_left
from cranfield.statistics.power import MOST_TOPICS
from cranfield.statistics.usual import CORRECTION, FEW_UNITS, TEST

MOST_HELD: Final = 60  # Up to this many significant differences, a note says how they hold


class LeastLeads:
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
            known = [np.where(pair.same, 0.0, of) for pair, of in zip(of_pairs, least[m], strict=True)]
            least[m] = known if panel.logarithmic[m] else [pair.least_by_topic() for pair in of_pairs]
        return least


class Noted(NamedTuple):
    """Everything that a note of a comparison may be about."""

    scores: Scores | ScoresLike
    panel: Panel
    pairs: Pairs
    settings: Settings
    found: Tested
    differences: pl.DataFrame
    least: LeastLeads | None
    counts: TopCounts | None


def _conditions(of: Noted) -> Iterator[str]:
    """Say what was unusual about how the scores came about; which topics they are over, the panel says."""
    if isinstance(of.scores, Scores):
        unusual = of.scores.conditions.unusual().items()
        written = ((name, f"{value:g}" if isinstance(value, float) else value) for name, value in unusual)
        if told := [f"{name}={value}" for name, value in written if name not in {"topics", "bounds"}]:
            yield f"scored with {', '.join(told)}"


def _of_panel(of: Noted) -> Iterator[str]:
    """Say what was done about missing topics, and other things to know of the scores."""
    yield from (*of.panel.notes, *of.panel.like_clusters)


def _torn(of: Noted) -> Iterator[str]:
    """Name significant differences of ranks or signs that contradict those of the means."""
    if not of.settings.kind.by_ranks:
        return
    direction = dict(zip(of.panel.measures, of.panel.direction, strict=True))
    ahead = pl.col("difference") * pl.col("measure").replace_strict(direction)
    torn = of.differences.filter(pl.col("significant") & (ahead * (pl.col("wins") - pl.col("losses")) < 0))
    for measure, a, b in torn.select("measure", "run_a", "run_b").iter_rows():
        yield f"{measure}: of {a} and {b}, the run with the better mean wins fewer topics; see wins and losses"


def _few_topics(of: Noted) -> Iterator[str]:
    """Say what it takes, where topics are few, for a difference to be significant."""
    units, settings, measures = of.panel.units, of.settings, len(of.panel.measures)
    family = of.differences.height // (measures if settings.family == "measure" else 1)
    raised = least_raised(settings.correction, family)
    raised = settings.families_of(measures) if settings.kind.simultaneous else raised
    needed = fewest_units(settings.alpha / raised)
    many = counted(units, of.panel.unit)
    flips = settings.kind.presuming or not settings.kind.joint  # the others' p can be smaller than that of all signs
    if flips and units < needed:
        yield f"{many} are too few for any verdict; at least {needed} are needed"
    elif units < FEW_UNITS and settings.kind.presuming:
        yield f"{many}: below {FEW_UNITS} a difference is significant only if sign flips confirm it"
    known = of.differences["low"].count() and settings.kind.intervals == "t"
    if known and (said := clause("difference", units, settings.level, of.panel.unit)):
        yield f"{said[:1].lower()}{said[1:-1]}"


def _uneven(of: Noted) -> Iterator[str]:
    """Warn of a pooled spread that is not that of all pairs."""
    if not of.settings.kind.pooled or len(of.panel.runs) <= 2:
        return
    uneven = {name: spread_ratio(values) for name, values in zip(of.panel.measures, of.panel.values, strict=True)}
    if wide := [f"{name} ({ratio:.2f} times)" for name, ratio in uneven.items() if ratio >= UNEVEN]:
        yield (
            f"the differences of some pairs vary far more than the pooled variance of the test: {', '.join(wide)}; the "
            f"rate of false findings exceeds {of.settings.alpha:g}"
        )


def _certain(of: Noted) -> Iterator[str]:
    """Say what the column of certain differences means."""
    if "certain" in of.differences.columns:
        over = "by the ranges that were given" if of.least is None else Scope().graded().whatever
        words = TESTS[of.settings.of_worst].words
        yield f"certain: {words} of the least possible differences, {over}, one-tailed{_corrected(of)}"


def _corrected(of: Noted) -> str:
    """Name the correction of tests that are not the one asked for, where there are several in a family."""
    several = (len(of.pairs[0]) if of.settings.family == "measure" else of.differences.height) > 1
    return f", {CORRECTIONS[of.settings.correction_of_others].words}" * several


def _t(of: Noted) -> str:
    """Name the t-test, as it is of topics or of clusters."""
    return TESTS[TEST].words if of.panel.clusters is None else TESTS[TEST].of_clusters


def _margin(of: Noted) -> Iterator[str]:
    """Count the answers to what a margin asks."""
    if of.settings.margin is not None:
        not_worse, equivalent = (of.differences[name].sum() for name in ("not_worse", "equivalent"))
        logs = named([name for name, each in zip(of.panel.measures, of.panel.logarithmic, strict=True) if each])
        of_logs = f" (of logarithms by {logs})" * bool(logs)
        yield (
            f"margin {of.settings.margin:g}{of_logs}: the first run is not worse in {not_worse} of "
            f"{counted(of.differences.height, 'pair')}, and equivalent in {equivalent} ({_t(of)}, two-sided"
            f"{_corrected(of)})"
        )


def _worthwhile(of: Noted) -> Iterator[str]:
    """Say how many topics a worthwhile difference takes."""
    if of.settings.worthwhile is None:
        return
    needed = sorted({*of.differences[f"{of.panel.unit}s_needed"].fill_null(MOST_TOPICS).to_list()})
    every = [f"{many:,}" if many < MOST_TOPICS else f"over {MOST_TOPICS:,}" for many in needed]
    ends, measures = dict.fromkeys((every[0], every[-1])), len(of.panel.measures)
    several = {"measure": measures > 1, "pair": of.differences.height > measures}
    on = " and the ".join(name for name, many in several.items() if many)
    depending = f", depending on the {on}" * (len(ends) > 1)
    yield (
        f"worthwhile {of.settings.worthwhile:g}: {' to '.join(ends)} {of.panel.unit}s in all find a difference of that "
        f"size with probability {of.settings.power:g}{depending} "
        f"({_t(of)}, two-sided, alpha = {of.settings.alpha:g}, no correction)"
    )


def _dominance(of: Noted) -> Iterator[str]:
    """Count the pairs of which one run is no worse by any measure of a family."""
    if of.counts is not None:
        of_pairs = of.differences.filter(pl.col("measure") == of.panel.measures[0])["dominates"]
        yield (
            f"dominance: in {(of_pairs != 'neither').sum()} of {counted(len(of_pairs), 'pair')} one run is no worse "
            f"{Scope(Sums(of.counts.counts.shape[-1])).by_all}"
        )


def _bounded(of: Noted) -> Iterator[str]:
    """Say what is sure about the least differences, where they are not exact."""
    for kind, meaning in BOUND_KINDS.items():
        names = [str(measure) for measure, found in (of.least.kinds if of.least else {}).items() if found == kind]
        if names and kind != "exact":
            yield f"least differences by {', '.join(names)}: {meaning}"


def _held(of: Noted) -> Iterator[str]:
    """Say how many significant differences hold whatever the unjudged documents are, and if they resemble others."""
    panel, settings, least = of.panel, of.settings, of.least
    if least is None or not settings.usual:
        return
    places = np.argwhere(significant(of.found.p_adjusted, settings.alpha) & ~panel.logarithmic[:, np.newaxis])
    if not len(places):
        return
    if len(places) > MOST_HELD:
        yield (
            f"{len(places):,} differences are significant; only up to {MOST_HELD} are tested for whether they hold "
            "once unjudged documents are judged"
        )
        return
    rivals, rungs = Rivals(least.joined, panel.topics), Counter[Rung]()
    families = [of.found.p.ravel()] if settings.family == "all" else list(of.found.p)
    levels = [level_left(p, CORRECTION, settings.alpha) for p in families]
    for m, pair in places.tolist():
        one, other = (int(runs[pair]) for runs in of.pairs)
        lead = OpenLead.of(rivals, least.measures[m], one, other)
        rows = [panel.values[m, one] - panel.values[m, other], lead.least, lead.most]
        judged, at_least, at_most = (Paired(row[np.newaxis]) for row in rows)
        told = conclude(
            judged, 0.0, levels[m % len(levels)], least=at_least, most=at_most,
            drawn=completions(panel, [lead], settings.seed), correction="none",
        )  # fmt: skip
        rungs[told.rungs[0]] += 1
    words: dict[Rung, str] = {
        "certain": "certain, at the least and at the most that unjudged documents allow",
        "plausible": "plausible, if unjudged documents resemble judged ones",
        "on what was judged": "only on what was judged",
    }
    said = [f"{rungs[rung]} {how}" for rung, how in words.items() if rungs[rung]]
    yield f"{counted(len(places), 'significant difference')}: {'; '.join(said)}"


Note: TypeAlias = Callable[[Noted], Iterator[str]]
NOTES: Final[tuple[Note, ...]] = (
    _conditions, _of_panel, _torn, _few_topics, _uneven, _certain, _margin, _worthwhile,
    _dominance, _bounded, _held,
)  # fmt: skip
"""All notes, in the order in which they are printed; each says nothing where it does not apply."""
