"""Figures of runs: what a figure is drawn from is computed first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Protocol, Unpack, cast

from cranfield import comparison
from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.score_tables import ScoresLike
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.lists.curves import Curves, curve, cutoff_of
from cranfield.lists.tracing import GAIN, trace
from cranfield.measures.framework.names import MeasureNames, listed, parse_measures
from cranfield.measures.relative_position import CRP
from cranfield.pairs.why import EXPLAINED_MEASURES, why
from cranfield.plots import COLLECTION, Figure, Material, Plot, plot_named
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import Depth
from cranfield.plumbing.surface import take_scores
from cranfield.scoring.clusters import Clusters, ClustersLike
from cranfield.scoring.judged_runs import JudgedRuns, Progress, join, knowing
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import read_scores, refuse_asked_of_scores, scores_of
from cranfield.scoring.scores import Scores
from cranfield.statistics.usual import ALL_RAN

_LAST_RANK = 20
"""Where curves end, if the measure does not say it."""
FIRST: Final = "qrels"
"""What the collection that is given first is called next to others."""


def plot(
    name: str,
    qrels: QrelsLike | Judgments | JudgedRuns | Scores | ScoresLike,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    topic: str | None = None,
    also: Mapping[str, tuple[QrelsLike, RunsLike]] | None = None,
    bounds: bool = False,
    last_rank: Depth | None = None,
    n: Depth | None = None,
    clusters: ClustersLike | Clusters | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Figure:
    """Draw a figure of runs.

    Scores, curves or the findings of an experiment are made first, with the defaults of each; a
    result that is there already draws itself: ``scores.plot("leaderboard")``.

    Parameters
    ----------
    name
        Which figure: ``cranfield plot --list`` names them all.
    qrels, runs
        Whatever `evaluate` takes, joined runs too; or scores alone, as `leaderboard` takes them, of figures that are
        drawn from scores, a comparison or a leaderboard.
    measures
        By what; by default what the figure is of in its paper.
    topic
        The id of the only topic that is to be looked at; all of them, if it is not given.
    also
        Further collections by name, each its qrels and its runs: every collection is a panel.
    bounds
        Whether scores are to have bounds, which a leaderboard shows.
    last_rank
        Where the axis of ranks ends. By default it is the cutoff of the measure or ``depth``; without
        them curves end at rank 20, and figures of single lists where nothing happens any more.
    n
        N: the length that lists are cut or padded to, of figures that walk down lists: 1000, if it is
        not given.
    clusters
        Of scores alone, the cluster of each topic, as in `compare`.
    progress
        Called with how much is done and how much there is.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        Where there is no such figure or topic, or the runs do not suffice for it.

    Examples
    --------
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"good": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "poor": {"1": {"x": 2.0, "a": 1.0}}}
    >>> plot("leaderboard", qrels, runs, "RR")
    Figure(leaderboard: Leaderboard by RR. By RR, the best of 2 runs is good, with 1.000, ...)
    >>> plot("leaderboard", qrels, runs, "RR", topic="1").description
    'Leaderboard by RR, topic 1. By RR, the best of 2 runs is good, with 1.000, and the last is poor, with 0.500.'
    """
    known = plot_named(name)
    if FIRST in (also or {}):
        raise InputError(f"a further collection cannot be called {FIRST!r}, which is the first")
    if runs is None and not isinstance(qrels, JudgedRuns | Judgments):
        return _of_scores(
            known, qrels, measures, topic, also=also, clusters=clusters, bounds=bounds, last_rank=last_rank, n=n,
            **conditions,
        )  # fmt: skip
    if clusters is not None:
        raise InputError("figures of runs count topics one by one; leave clusters out, or give only scores")
    conditions = knowing(measures, qrels, conditions)
    joined = {
        collection: join(its_qrels, its_runs, progress=progress, **conditions)
        for collection, (its_qrels, its_runs) in {FIRST: (qrels, runs), **(also or {})}.items()
    }
    figure = plot_collections(known, joined, measures, topic=topic, bounds=bounds, last_rank=last_rank, n=n)
    asked = {"topic": topic, "bounds": bounds or None, "last_rank": last_rank, "n": n, **conditions}
    return figure.drawn_by(_call(name, measures, also, asked))


def _of_scores(
    known: Plot, scores: object, measures: MeasureNames | None, topic: str | None, *, also: object,
    clusters: ClustersLike | Clusters | None, **conditions: Any,
) -> Figure:  # fmt: skip
    """Draw a figure of scores alone, which leave no more to be asked than what their columns are called."""
    topics, bounds = conditions.pop("topics", None), conditions.pop("bounds")
    refuse_asked_of_scores(also=also, bounds=bounds or None, **conditions)
    if isinstance(scores, Scores):
        refuse_asked_of_scores(measures=measures, topics=topics, clusters=clusters)
        return plot_table(known, scores, topic=topic)
    naming = Naming.asked(conditions)

    def read() -> Scores:
        table = read_scores(cast("Any", scores), measures or (), **naming._asdict())
        return scores_of(table, topics, clusters=None if clusters is None else Clusters.taken(clusters, naming))

    return plot_table(known, read, topic=topic)


def _call(name: str, measures: MeasureNames | None, also: Mapping[str, object] | None, asked: Mapping[str, Any]) -> str:
    """Write the call that draws a figure.

    >>> _call("crp", None, None, {"topic": "403", "rel": 2, "order": None})
    "cf.plot('crp', qrels, runs, topic='403', rel=2)"
    """
    words = [repr(name), "qrels", "runs"]
    if measures is not None:
        names = [repr(measure) for measure in parse_measures(measures, complete=False)]
        words.append(repr(names[0] if len(names) == 1 else names))
    words += [f"also={{{', '.join(f'{each!r}: ...' for each in also)}}}"] if also else []
    words += [f"{option}={value!r}" for option, value in asked.items() if value is not None]
    return f"cf.plot({', '.join(words)})"


def plot_collections(
    known: Plot,
    collections: Mapping[str, JudgedRuns],
    measures: MeasureNames | None = None,
    *,
    topic: str | None = None,
    bounds: bool = False,
    last_rank: int | None = None,
    n: int | None = None,
) -> Figure:
    """Draw a figure of joined runs, a panel for each collection: see `plot`."""
    _refuse(known, bounds=bounds, last_rank=last_rank, n=n)
    chosen = (None if measures is None else listed(measures)) or known.measures or None
    if bounds:
        collections = {name: runs.under(bounds=True) for name, runs in collections.items()}
    asked = {name: runs if topic is None else runs.of_topic(topic) for name, runs in collections.items()}
    if known.source in BY_RANK:
        depth = next(iter(asked.values())).reading.depth
        return BY_RANK[known.source](known, asked, chosen, last_rank or depth, n)
    if make := _SOURCES.get(known.source):
        return known.of(_together({name: make(runs, chosen).material() for name, runs in asked.items()}))
    return known.of(replace(_experiment(known.source, asked, chosen).material(), topic=topic))


def plot_table(known: Plot, scores: Scores | Callable[[], Scores], *, topic: str | None = None) -> Figure:
    """Draw a figure of scores alone, which are not read where the figure needs more."""
    if known.source not in OF_TABLES:
        raise InputError(f"{known.name} is drawn from {known.source}: give qrels and runs; {take_scores()}")
    scores = scores if isinstance(scores, Scores) else scores()
    return known.of(OF_TABLES[known.source](scores if topic is None else scores.topic(topic)).material())


def _refuse(known: Plot, *, bounds: bool, last_rank: int | None, n: int | None) -> None:
    """Refuse what the figure cannot show."""
    of = f"; {known.name} is drawn from {known.source}"
    if known.source == "searches":
        raise InputError(
            f"{known.name} is drawn from several searches for each question, which runs are not: "
            f"cranfield searches --plot draws it, and cf.searches(...).plot({known.name!r})"
        )
    if bounds and known.source != "scores":
        raise InputError(f"bounds apply to scores{of}")
    if last_rank is not None and known.source not in BY_RANK:
        raise InputError(f"last_rank ends an axis of ranks, as of curves or crp{of}")
    if n is not None and known.source != "trace":
        raise InputError(f"n is the length of lists for figures that walk down them, as crp does{of}")


class Drawable(Protocol):
    """What has tables for figures: every `Result`, and what is put together here."""

    def material(self) -> Material:
        """Return the tables."""
        ...


def _scores(runs: JudgedRuns, measures: MeasureNames | None) -> Drawable:
    return runs.scores(measures or ())


@dataclass(frozen=True)
class _Several:
    """Curves of several measures, whose tables are put below each other."""

    curves: tuple[Curves, ...]

    def material(self) -> Material:
        every = [each.material() for each in self.curves]

        def stacked(table: str) -> pl.DataFrame:
            return pl.concat([each.tables[table]() for each in every], how="vertical_relaxed")

        first = every[0]
        return replace(first, tables={table: partial(stacked, table) for table in first.tables})


def _curves(
    known: Plot,
    collections: Mapping[str, JudgedRuns],
    measures: MeasureNames | None,
    last_rank: int | None,
    n: int | None,
) -> Figure:
    """Draw a measure, or several, at every rank."""
    del n
    asked = [one if isinstance(one, str | type) else parse_measures(one)[0] for one in listed(measures or ())]

    def of(runs: JudgedRuns) -> Material:
        found = [curve(runs, measure=one, last_rank=last_rank or cutoff_of(one) or _LAST_RANK) for one in asked]
        if len({each.axis for each in found}) > 1:
            raise InputError("curves by rank and by recall have no axis in common; draw them one by one")
        return _Several(tuple(found)).material()

    return known.of(_together({name: of(runs) for name, runs in collections.items()}))


def _trace(
    known: Plot,
    collections: Mapping[str, JudgedRuns],
    measures: MeasureNames | None,
    last_rank: int | None,
    n: int | None,
) -> Figure:
    """Walk down the lists; the measures say how, by their parameters and cutoffs: one of position, or one of gain."""
    asked = parse_measures(measures or (), complete=False)
    positions = [measure for measure in asked if measure.cumulates == "positions"]
    gains = [measure for measure in asked if measure.cumulates != "positions"]
    if len(positions) > 1 or len(gains) > 1:
        raise InputError(f"a trace needs one CRP and one measure of gain, not {', '.join(map(str, asked))}")
    last_rank = last_rank or (cutoff_of(gains[0]) if gains else None)
    crp, gain = positions[0] if positions else CRP, gains[0] if gains else GAIN
    found = {name: trace(runs, crp=crp, gain=gain, n=n).material() for name, runs in collections.items()}
    return known.of(_together(found), last_rank=last_rank)


def _comparison(runs: JudgedRuns, measures: MeasureNames | None) -> Drawable:
    return comparison.compare(runs, measures=measures or (), test="nemenyi")


def _leaderboard(of: JudgedRuns | Scores, **asked: Any) -> Drawable:
    from cranfield.comparison.leaderboard import leaderboard

    return leaderboard(of, **asked)


def _why(runs: JudgedRuns, measures: MeasureNames | None) -> Drawable:
    """Put two lists side by side: of more runs those of the two that are best."""
    asked = parse_measures(measures or EXPLAINED_MEASURES)
    if len(asked) != 1:
        raise InputError(f"why takes one measure, not {len(asked)}")
    if len(runs.runs) < 2:
        raise InputError("why takes two runs; only one is given")
    first, second = best_first(runs.panel(asked).averages[0])[:2]
    if len(runs.runs) == 2:
        first, second = 0, 1
    return why(runs, runs.runs[first], runs.runs[second], asked)


def _experiment(name: str, collections: Mapping[str, JudgedRuns], measures: MeasureNames | None) -> Drawable:
    """Do an experiment: several collections are its own affair."""
    from cranfield.experiments import EXPERIMENTS

    experiment = EXPERIMENTS[name]
    if measures and "measures" not in experiment.takes:
        raise InputError(f"{name} has no choice of measures: name none")
    given = collections if len(collections) > 1 else next(iter(collections.values()))
    return experiment(given, measures) if measures else experiment(given)


_SOURCES: Final[Mapping[str, Callable[[JudgedRuns, MeasureNames | None], Drawable]]] = {
    "scores": _scores,
    "comparison": _comparison,
    "leaderboard": lambda runs, measures: _leaderboard(runs, measures=measures),
    "why": _why,
}
"""What figures are drawn from besides the findings of experiments, and how it is made of runs."""
OF_TABLES: Final[Mapping[str, Callable[[Scores], Drawable]]] = {
    "scores": lambda scores: scores,
    "comparison": lambda scores: comparison.compare_scores(scores, test="nemenyi", not_run=ALL_RAN),
    "leaderboard": lambda scores: _leaderboard(scores, not_run=ALL_RAN),
}
"""What figures of a table of scores are drawn from."""
BY_RANK: Final = {"curves": _curves, "trace": _trace}
"""What figures with an axis of ranks are drawn from, and how they are."""


def _together(found: Mapping[str, Material]) -> Material:
    """Put the tables of several collections below each other, their names in front."""
    first = next(iter(found.values()))
    if len(found) == 1:
        return first

    def stacked(table: str) -> pl.DataFrame:
        parts = (each.tables[table]().select(pl.lit(name).alias(COLLECTION), pl.all()) for name, each in found.items())
        return pl.concat(parts, how="diagonal_relaxed")

    about = "; ".join(f"{name}: {each.about.rstrip('.')}" for name, each in found.items()) + "."
    topics = {each.topic for each in found.values()}
    alone = topics.pop() if len(topics) == 1 else None
    return Material(first.source, {table: partial(stacked, table) for table in first.tables}, about, alone)
