"""A portrait of a new measure, for its inventor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from cranfield.experiments.axioms import axioms
from cranfield.experiments.correlation import correlation
from cranfield.experiments.declared import Row, Rows
from cranfield.experiments.discriminative_power import discriminative_power
from cranfield.experiments.downsampling import downsampling
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.declaration import bounds_of
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.pairs.dominance import TopCounts, strictly
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, Seed
from cranfield.plumbing.wording import counted, named, percent
from cranfield.scoring.judged_runs import JudgedRuns, join
from cranfield.statistics.correlation_vectors import is_constant
from cranfield.statistics.on_paper import EQUAL, side
from cranfield.statistics.rank_correlation import ALIKE, kendall_tau

COMPANIONS = ("AP", "nDCG@10", "RBP(p=0.8)", "P@10")
_RATES = (0.5, 0.1)  # Which shares of the judgments are left
_READING = frozenset({"cutoff", "rel", "judged_only"})  # Parameters that select what is scored, not its weight


@experiment
def portrait(
    runs: JudgedRuns,
    measures: MeasureNames = ("Twist",),
    *,
    work: Work,
    beside: MeasureNames = COMPANIONS,
    alpha: Level = 0.05,
    repetitions: Count = 30,
    longest: Count = 5,
    seed: Seed = 7,
) -> Outcome:
    """How does a new measure compare with well-known ones?

    All studies of measures in one, applied to your own: which axioms it satisfies, which measure
    ranks runs most similarly, how many pairs of runs differ significantly by it, how robust it is to
    fewer judgments, how much unjudged documents could change it, whether it ever prefers a dominated
    run, and how much its parameters matter. Notes compare each number of your own measures with those
    of the others, and end with a verdict: how its order of the runs differs, and in which numbers it is
    better or worse than all of them. Each study is also an experiment with more options.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        Your own measures: with ``--measures-from FILE`` on the command line.
    beside
        Measures to compare them with.
    alpha
        Significance level of the paired t-tests.
    repetitions
        How often judgments are removed at each rate.
    longest
        The length of the rankings in which counterexamples to the axioms are searched.
    seed
        Seed of everything random.

    Tables
    ------
    portrait
        A row for each measure.
        measure : text
        asked : yes or no
            Whether it is your own, not one it is compared with.
        nearest : text
            The measure whose ranking of the runs is most similar.
        tau : number
            Kendall's τ_b with that measure.
        told_apart : number
            The share of pairs of runs whose difference is significant (paired t-test, uncorrected).
        tau_half, tau_tenth : number
            Between the rankings of the runs under half (a tenth) of the judgments and under all.
        width : number
            The width of the bounds of a value over all grades of the retrieved unjudged documents:
            the mean over runs and topics.
        bounds : text
            How exact that width is.
        bounds_need : text
            What would make the bounds tighter: ``nothing``; declaring ``rises_with_grades``, if no
            list of up to four documents falls as one of its grades rises; or a formula of its own.
        against_means, against_topics : whole number
            How often it prefers the dominated run of a pair in which the other has no fewer documents at any rank and
            grade: on average, and on every topic, where hardly any measure should.
        of_means, of_topics : whole number
            The number of such pairs.
    axioms
        A row for each measure and axiom.
        measure, axiom, verdict : text
    correlation
        A row for each pair of measures.
        measure_a, measure_b : text
        correlation : number
            Kendall's τ_b of the runs' means.
    parameters
        A row for each setting of your own measures: half of each number, twice it, and the midpoint
        between it and 1, if the measure accepts it.
        measure : text
        setting : text
        tau : number
            Between the ranking of the runs and that by the measure as named.

    Raises
    ------
    InputError
        If there are fewer than three runs.

    Paper: as the experiments `axioms`, `correlation`, `discriminative-power`, `downsampling` and
    `dominance` name theirs.

    Examples
    --------
    >>> from cranfield import join
    >>> qrels = {t: {"a": 1, "b": 1} for t in "1234"}
    >>> lists = {"good": "abx", "fair": "axb", "poor": "xab"}
    >>> ranked = {name: {t: dict(zip(docs, (3.0, 2.0, 1.0))) for t in qrels} for name, docs in lists.items()}
    >>> found = portrait(join(qrels, ranked), "RBP(p=0.5)", beside=("RR",), repetitions=2, longest=3)
    >>> found["portrait"].select("measure", "nearest", "against_topics", "of_topics").rows()
    [('RBP(p=0.5)', 'RR', 0, 3), ('RR', 'RBP(p=0.5)', 0, 3)]
    >>> found["parameters"].rows()
    [('RBP(p=0.5)', 'RBP(p=0.25)', 1.0), ('RBP(p=0.5)', 'RBP(p=0.75)', 1.0)]
    """
    if len(runs.runs) < 3:
        raise InputError(f"a portrait needs at least three runs; there are {len(runs.runs)}")
    own = number_measures(measures)
    every = list(dict.fromkeys([*own, *number_measures(beside)]))
    if len(every) < 2:
        raise InputError("a portrait compares measures; name another one with `beside`")
    panel, names = runs.panel(every), [str(measure) for measure in every]
    parts = (
        lambda: axioms(every, longest=longest, random=200, largest=1000, seed=seed)["searches"],
        lambda: correlation(runs, every, top=1)["pairs"],
        lambda: discriminative_power(runs, every, test="t", alphas=(alpha,), top=1)["power"],
        lambda: downsampling(runs, every, rates=_RATES, repetitions=repetitions, top=1, seed=seed)["correlation"],
    )
    searches, pairs, power, robust = (
        work.also_on(part=number).steps([number], lambda step: parts[step]()) for number in range(len(parts))
    )
    level = is_constant(panel.averages)
    nearest = [(None, None) if of else _nearest(pairs, name) for name, of in zip(names, level, strict=True)]
    found = TopCounts.of(runs) if runs.judgments.recall_base(runs.grading.rel).any() else None
    pairs_of = {} if found is None else {"means": found.at_least, "topics": found.on_every_topic}
    against = {name: np.zeros((len(names), 2), np.int64) for name in ("means", "topics")} | {
        name: np.array([_against(strictly(better), mean) for mean in panel.averages])
        for name, better in pairs_of.items()
    }  # where nothing is relevant no run dominates another
    tau = {
        rate: robust.filter((pl.col("rate") - rate).abs() < EQUAL).sort(pl.col("measure").replace_strict(
            {name: place for place, name in enumerate(names)}))["tau"]
        for rate in _RATES
    }  # fmt: skip
    rows = pl.DataFrame(
        {
            "measure": names,
            "asked": [measure in own for measure in every],
            "nearest": [name for name, _ in nearest],
            "tau": [value for _, value in nearest],
            "told_apart": [float(power.filter(measure=name)["share"][0]) for name in names],
            "tau_half": tau[0.5],
            "tau_tenth": tau[0.1],
            "width": _widths(runs, every),
            "bounds": [bounds_of(type(measure)).partition(";")[0] for measure in every],
            "bounds_need": list(map(_bounds_need, every)),
            "against_means": against["means"][:, 0],
            "against_topics": against["topics"][:, 0],
            "of_means": against["means"][:, 1],
            "of_topics": against["topics"][:, 1],
        }
    )
    tables: dict[str, Rows] = {
        "portrait": rows,
        "axioms": searches.select("measure", "axiom", "verdict"),
        "correlation": pairs.select("measure_a", "measure_b", "correlation"),
        "parameters": _parameters(runs, own),
    }
    return Outcome(tables, tuple(_sentences(rows, searches)))


def _nearest(pairs: pl.DataFrame, name: str) -> tuple[str, float]:
    """Return the measure whose ranking of the runs is most similar to this one's, and Kendall's tau."""
    both = pairs.select("measure_a", "measure_b", "correlation").rows()
    both += [(b, a, tau) for a, b, tau in both]
    return max(((other, tau) for of, other, tau in both if of == name), key=lambda found: found[1])


def _against(better: Booleans, mean: Floats) -> tuple[int, int]:
    """Count how often the dominated run has the higher mean, and how many are dominated."""
    one, other = np.nonzero(better)
    return int((side(mean[one] - mean[other]) < 0).sum()), len(one)


def _widths(runs: JudgedRuns, measures: Sequence[Measure]) -> list[float | None]:
    """Return how wide the bounds are on average; condensed lists have none."""
    limits = None if runs.grading.judged_only else runs.under(bounds=True).panel(list(measures)).limits
    return [None] * len(measures) if limits is None else (limits[1] - limits[0]).mean(axis=(1, 2)).tolist()


def _bounds_need(measure: Measure) -> str:
    """Return what would make the bounds tighter."""
    if not bounds_of(type(measure)).startswith("tried"):
        return "nothing"
    return "a formula of its own" if _falls(measure) else "rises_with_grades declared"


def _falls(measure: Measure, documents: int = 4, grades: int = 3) -> bool:
    """Whether a list of a few documents, with one not retrieved, is ever worth less as a grade rises."""
    every = {"".join(map(str, each)): each for each in product(range(grades), repeat=documents + 1)}
    qrels = {topic: {f"d{i}": grade for i, grade in enumerate(each)} for topic, each in every.items()}
    found = {f"d{i}": -float(i) for i in range(documents)}
    scores = join(qrels, {"list": dict.fromkeys(qrels, found)}).scores([measure])
    values = scores.values[0, 0][[scores.topics.index(topic) for topic in every]].reshape((grades,) * (documents + 1))
    return any((side(np.diff(values, axis=axis)) < 0).any() for axis in range(documents + 1))


def _parameters(runs: JudgedRuns, own: Sequence[Measure]) -> Rows:
    rows = list[Row]()
    for measure in own:
        settings = list(_settings(measure))
        first, *others = runs.panel([measure, *settings]).averages
        taus = [float(kendall_tau(first, other)) for other in others]
        rows += [(str(measure), str(setting), tau) for setting, tau in zip(settings, taus, strict=True)]
    return rows


def _settings(measure: Measure) -> Iterator[Measure]:
    """Yield half and twice each numeric parameter and the midpoint between it and 1, where the measure accepts them."""
    for name in measure.parameters:
        value = getattr(measure, name)
        if name in _READING or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for other in dict.fromkeys((value / 2, 2 * value, (value + 1) / 2)):
            try:
                setting = type(measure)(**measure.given | {name: type(value)(other)})
            except MeasureError:
                continue
            if setting != measure:
                yield setting


def _tau(value: float) -> str:
    return f"{value:.2f}"


class _Number(NamedTuple):
    """A number of a portrait, and how it compares with those of other measures."""

    column: str
    by: str  # what a measure is better or worse in
    verb: str
    says: str  # what follows the measure and the verb; {} is the number
    written: Callable[[float], str] = _tau
    more_is_better: bool = True

    def compared(self, row: Mapping[str, Any], others: Mapping[str, float]) -> str:
        """Say the number of one measure, and those of others."""
        said = self.says.format(self.written(row[self.column]), **row)
        (first, number), *more = others.items()
        beside = [f"{first} {self.verb} {self.written(number)}"]
        beside += [f"{name} {self.written(number)}" for name, number in more]
        return f"{row['measure']} {self.verb} {said}; {', '.join(beside)}"

    def standing(self, mine: float, others: Iterable[float]) -> int:
        """Say whether it is better than all others (1), worse than all (-1), or neither (0)."""
        sides = {int(side(mine - other)) for other in others}
        return 0 if len(sides) > 1 else sides.pop() * (1 if self.more_is_better else -1)


_NUMBERS: Final = (
    _Number("told_apart", "significant differences", "finds", "{} of all differences significant", percent),
    _Number("tau_half", "stability with half", "keeps", "its order with half of the judgments (τ_b {})"),
    _Number("tau_tenth", "stability with a tenth", "keeps", "its order with a tenth of the judgments (τ_b {})"),
    _Number("width", "width of the bounds", "has", "bounds that are {} wide on average", more_is_better=False),
    _Number("violated", "axioms violated", "violates", "{} of {axioms} axioms", "{:,}".format, more_is_better=False),
    _Number(
        "against_means", "dominated runs preferred", "prefers",
        "the dominated run in {} of {of_means:,} pairs", "{:,}".format, more_is_better=False,
    ),
)  # fmt: skip
"""What a portrait compares."""


def _sentences(rows: pl.DataFrame, searches: pl.DataFrame) -> Iterator[str]:
    """Compare each number of your measures with those of the others, and end with a verdict on each."""
    of_axioms = searches.group_by("measure").agg(violated=pl.col("verdict").eq("violated").sum(), axioms=pl.len())
    every = rows.fill_nan(None).join(of_axioms, on="measure", how="left", maintain_order="left").to_dicts()
    for row in (each for each in every if each["asked"]):
        others = [each for each in every if not each["asked"]] or [each for each in every if each is not row]
        standings = dict[str, int]()
        for number in _NUMBERS:
            values = {each["measure"]: each[number.column] for each in others if each[number.column] is not None}
            nothing = number.column == "against_means" and not row["of_means"]
            if row[number.column] is not None and values and not nothing:
                yield number.compared(row, values)
                standings[number.by] = number.standing(row[number.column], values.values())
        if row["against_topics"] > 0:
            yield (
                f"{row['measure']} prefers the dominated run, worse at every rank and grade on every topic, in "
                f"{row['against_topics']} of {counted(row['of_topics'], 'pair')}"
            )
        yield _verdict(row, standings, [each["measure"] for each in others])


def _verdict(row: Mapping[str, Any], standings: Mapping[str, int], others: Sequence[str]) -> str:
    """Sum up what a measure adds to the others on these runs."""
    measure, nearest, tau = row["measure"], row["nearest"], row["tau"]
    if tau is None:
        order = f"{measure} ties all these runs"
    elif tau >= ALIKE:
        alike = "nearly as" if side(tau - 1) else "exactly as"
        order = f"{measure} orders these runs {alike} {nearest} does (Kendall's τ_b {_tau(tau)})"
    else:
        order = f"{measure} has an order of its own, most similar to that of {nearest} (Kendall's τ_b {_tau(tau)})"
    better, worse = ([by for by, standing in standings.items() if standing == where] for where in (1, -1))
    than = named(others) if len(others) == 1 else f"each of {named(others)}"
    if better and worse:
        again = than if len(others) == 1 else "each"
        stands = f"it is better than {than} in {named(better)}, and worse than {again} in {named(worse)}"
    elif better or worse:
        stands = f"it is {'better' if better else 'worse'} than {than} in {named(better or worse)}"
    else:
        stands = f"no number sets it apart from {than}"
    return f"verdict: {order}; {stands}"
