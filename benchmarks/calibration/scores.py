"""Topics as chance: means, differences, multiple comparisons, ranks, correlations, gates and their promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from tools.correlated import bootstrap_correlation, bootstrap_difference

from benchmarks.calibration.cell import Cell, Kept
from benchmarks.truth import (
    kappa_of,
    of_population,
    order_statistics,
    places_gained,
    tau_of_averages,
    tau_of_topics,
)
from cranfield.experiments.calibration import statements
from cranfield.experiments.judge_tables import gained_places
from cranfield.formats import read_qrels
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.scoring.behind import behind
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.panel import panel_of
from cranfield.statistics.anova import UNEVEN, spread_ratio
from cranfield.statistics.assurance import enough_topics
from cranfield.statistics.clusters import jackknife_interval
from cranfield.statistics.conclusions import PASSING, Paired, conclude
from cranfield.statistics.correlation_vectors import correlation
from cranfield.statistics.differences import differences
from cranfield.statistics.dunnett import dunnett
from cranfield.statistics.intervals import in_one_row, stratified_interval
from cranfield.statistics.multiple_comparisons import max_t, simultaneous_intervals
from cranfield.statistics.on_paper import side
from cranfield.statistics.order_agreement import ORDER_STATISTICS, agreement_over_systems, agreement_over_topics
from cranfield.statistics.paired_tests import randomisation_test
from cranfield.statistics.rank_correlation import mean_over_topics
from cranfield.statistics.rank_intervals import rank_intervals
from cranfield.statistics.tukey import tukey_hsd
from cranfield.statistics.weighted_means import weighted_t_interval

SHAPES = ("adhoc8_ap", "adhoc7_p10", "adhoc8_rr", "web2011_ndcg20", "web2012_err20")
"""Tables of scores: fine and coarse measures, symmetric and skew."""


WEIGHTS: Final[dict[str, Callable[[np.random.Generator, int], Floats]]] = {
    "log-normal": lambda random, topics: random.lognormal(size=topics),
    "1/rank": lambda random, topics: 1 / random.permutation(np.arange(1, topics + 1)),
}
"""How unlike topics are: of 50, some 22 and some 12 count effectively."""


def population(data: Path, name: str) -> Floats:
    """Read scores: array of shape (runs, topics)."""
    file = data / "score-matrices" / f"{name}.csv.gz"
    values: Floats = np.genfromtxt(file, delimiter=",", skip_header=1).T
    return values


def level(values: Floats) -> Floats:
    """Shift each run to a mean of 0."""
    apart: Floats = values - values.mean(axis=1, keepdims=True)
    return apart


def drawn(values: Floats, runs: int, topics: int, random: np.random.Generator) -> tuple[Floats, Integers]:
    """Draw runs, and topics with replacement: the runs on all topics of the population, and on those drawn."""
    some = values[random.choice(len(values), runs, replace=False)]
    return some, random.integers(0, values.shape[1], topics)


def usual(data: Path, times: int) -> Iterator[Cell]:
    """Whatever `experiments.calibration` says of scores, of each collection and number of topics."""
    for name, values in populations(data):
        few = (2, 3, 4, 5) if name.startswith("dl19") else ()
        for topics in (*few, 6, 10, 25, 50):
            for what, held, promised in statements(values, topics, 4 * times, 1):
                method = f"at {promised:.1%}" if " of the lead of " in what else "usual"
                if len(held) >= 100:
                    yield Cell.of(f"Scores: {what}", method, f"{name}, {topics} topics", held)


def populations(data: Path) -> Iterator[tuple[str, Floats]]:
    """Give tables of scores: those of the matrices, and those of a collection that are coarse as few others."""
    for name in SHAPES:
        yield name, population(data, name)
    folder = data / "dl19-passage"
    if folder.exists():
        scores = evaluate(folder / "qrels.txt", folder / "runs", ["RR(rel=2)", "nDCG@10", "R(rel=2)@5"])
        for name, values in zip(("rr", "ndcg10", "r5"), panel_of(scores).values, strict=True):
            yield f"dl19_{name}", values


def weighted(data: Path, times: int) -> Iterator[Cell]:
    """The interval of a weighted mean, and of a weighted difference: weights as of traffic, drawn with their topics."""
    for name in ("adhoc8_ap", "adhoc7_p10", "web2012_err20"):
        values = population(data, name)
        for words, weigh in WEIGHTS.items():
            for topics in (10, 25, 50):
                random, held = np.random.default_rng(8), []
                for _ in range(10 * times):
                    some, chosen = drawn(values, 2, topics, random)
                    weights = weigh(random, values.shape[1])
                    rows = np.stack([some[0], some[0] - some[1]])
                    truth = of_population(rows, weights)
                    low, high = weighted_t_interval(rows[:, chosen], weights[chosen])
                    held.append((low <= truth) & (truth <= high))
                where = f"{name}, {topics} topics, weights {words}"
                for method, each in zip(("mean of a run", "difference of two"), np.array(held).T, strict=True):
                    yield Cell.of("Weighted means and differences", method, where, each)


def comparisons(data: Path, times: int) -> Iterator[Cell]:
    """No false finding among eight equal runs; Tukey and Dunnett also where their warning is silent."""
    for (name, values), how in product(populations(data), ("equal means", "labels exchanged")):
        random = np.random.default_rng(2)
        quiet: dict[str, list[bool]] = {}
        for _ in range(4 * times):
            some, chosen = drawn(values, 8, 25, random)
            rows = random.permuted(some[:, chosen], axis=0) if how == "labels exchanged" else level(some)[:, chosen]
            apart = differences(rows.T).T
            p = {
                "Tukey": tukey_hsd(rows).p,
                "Dunnett": dunnett(rows).p[:7],  # the pairs of the first run
                "step-down max-t, sign flips": max_t(apart, step_down=True, resamples=400).p,
                "intervals of all pairs, bootstrap-t": simultaneous_intervals(apart, resamples=400).p,
            }
            silent = spread_ratio(rows) < UNEVEN
            for method, each in p.items():
                right = bool((each > 0.05).all())
                quiet.setdefault(method, []).append(right)
                if method in ("Tukey", "Dunnett"):
                    quiet.setdefault(f"{method}, {'not warned' if silent else 'warned'}", []).append(right)
        for method, held in sorted(quiet.items()):
            if len(held) >= 30:
                yield Cell.of(f"No false finding: 8 runs, {how}, 25 topics", method, name, held)


def collections(data: Path, times: int) -> Iterator[Cell]:
    """Two systems on dl19, trec8 and covid together: the mean over collections, its interval and its test."""
    section = "Means over three collections: dl19, trec8 and covid"
    folders = [data / name for name in ("dl19-passage", "trec8-adhoc", "covid-round1")]
    if not all(folder.exists() for folder in folders):
        return
    for measure in ("nDCG@10", "RR"):
        found = [panel_of(evaluate(folder / "qrels.txt", folder / "runs", measure)).values[0] for folder in folders]
        for topics in ((10, 10, 10), (10, 25, 50), (43, 50, 30)):
            random = np.random.default_rng(6)
            within, right, exchanged = list[bool](), list[bool](), list[bool]()
            for seed in range(4 * times):
                both = [drawn(values, 2, many, random) for values, many in zip(found, topics, strict=True)]
                apart = [(some[0] - some[1])[np.newaxis] for some, _ in both]
                strata = [each[:, chosen] for each, (_, chosen) in zip(apart, both, strict=True)]
                low, high = stratified_interval(strata, 0.95)
                within.append(bool(low[0] <= np.mean([of_population(each) for each in apart]) <= high[0]))
                equal = [level(each)[:, chosen] for each, (_, chosen) in zip(apart, both, strict=True)]
                other = [each * random.choice([-1, 1], each.shape[1]) for each in strata]
                for held, rows in ((right, equal), (exchanged, other)):
                    held.append(randomisation_test(in_one_row(rows), "two-sided", 400, seed).p.item() > 0.05)
            where = f"{measure}, {', '.join(map(str, topics))} topics"
            yield Cell.of(section, "Student's t, stratified: difference of two", where, within)
            yield Cell.of(section, "no false finding, equal means: sign flips within collections", where, right)
            yield Cell.of(section, "no false finding, labels exchanged: the same", where, exchanged)


def ranks(data: Path, times: int) -> Iterator[Cell]:
    """All true ranks within the likely ones."""
    for name in SHAPES:
        values = population(data, name)
        for runs, topics, apart in ((8, 10, 0.0), (8, 25, 0.0), (20, 25, 0.0), (20, 50, 0.0), (20, 50, 0.15)):
            random = np.random.default_rng(3)
            every: list[bool] = []
            without_doubt: list[bool] = []
            for seed in range(times):
                some, chosen = drawn(values, runs, topics, random)
                truth = np.where(np.arange(runs) < runs // 2, apart, 0.0)
                found = rank_intervals((level(some) + truth[:, None])[:, chosen], resamples=400, seed=seed)
                true_rank = 1 + (truth[:, None] < truth).sum(axis=1)
                every.append(bool(((found.best <= true_rank) & (true_rank <= found.worst)).all()))
                if found.doubt is None:
                    without_doubt.append(every[-1])
            means_are = "equal means" if not apart else f"half of them {apart:g} better"
            where = f"{name}, {runs} runs, {topics} topics, {means_are}"
            yield Cell.of("Likely ranks, all at once", "bootstrap-t of the maximum, stepping down", where, every)
            if len(without_doubt) >= 30 and len(without_doubt) < len(every):
                yield Cell.of("Likely ranks, all at once", "the same, where all pairs are tested", where, without_doubt)


def from_the_best(data: Path, times: int) -> Iterator[Cell]:
    """All differences from the run with the best mean, whichever that is, within their intervals."""
    for name in SHAPES:
        values = population(data, name)
        for runs, topics in ((8, 10), (8, 25), (8, 50), (20, 25), (20, 50)):
            random, held = np.random.default_rng(4), []
            for _ in range(times):
                some, chosen = drawn(values, runs, topics, random)
                best = int(some[:, chosen].mean(axis=1).argmax())
                found, truth = behind(some[:, chosen], best), of_population(some) - of_population(some[best])
                others = np.arange(runs) != best
                held.append(bool(((found.low <= truth) & (truth <= found.high))[others].all()))
            where = f"{name}, {runs} runs, {topics} topics"
            yield Cell.of(
                "Differences from the best run, all at once",
                "Student's t, at the level of Holm's correction",
                where,
                held,
            )


def correlations(data: Path, times: int) -> Iterator[Cell]:
    """Of two measures: the average τ over collections of so many topics, and the mean τ of a topic."""
    section = "Kendall's τ of measures"
    tracks: dict[str, tuple[str, ...]] = {
        "adhoc8": ("ap", "p10", "rr"), "adhoc7": ("ap", "rr", "p10"), "web2012": ("ndcg20", "err20")
    }  # fmt: skip
    for track, names in tracks.items():
        three = np.array([population(data, f"{track}_{name}") for name in names])
        random = np.random.default_rng(4)
        three = three[:, random.choice(three.shape[1], 30, replace=False)]
        x, y = three[0], three[1]
        on_topic = correlation("tau_b", x.T, y.T)
        for topics in (25, 50):
            many = [random.integers(0, x.shape[1], topics) for _ in range(1500)]
            taus = [tau_of_averages(three[0], other, many) for other in three[1:]]
            expected, of_topics = float(taus[0].mean()), tau_of_topics(x, y)
            held: list[tuple[bool, bool]] = []
            apart: list[bool] = []
            wide = []
            for seed in range(times):
                chosen = random.integers(0, x.shape[1], topics)
                low, high = bootstrap_correlation(x[:, chosen], y[:, chosen], resamples=300, seed=seed)
                _, least, most = mean_over_topics(on_topic[chosen], 0.95)
                held.append((low <= expected <= high, bool(least <= of_topics <= most)))
                wide.append(high - low)
                if len(three) > 2:
                    found = bootstrap_difference(*three[:, :, chosen], resamples=300, seed=seed)
                    apart.append(found.low <= float((taus[0] - taus[1]).mean()) <= found.high)
            where = f"{track}: {names[0]} and {names[1]}, 30 runs, {topics} topics"
            yield Cell.of(section, "average over such collections", where, [a for a, _ in held], float(np.mean(wide)))
            yield Cell.of(section, "mean over topics of each topic's τ", where, [b for _, b in held])
            if apart:
                where = f"{track}: {names[0]} with {names[1]} and {names[2]}, 30 runs, {topics} topics"
                yield Cell.of(section, "difference of two such averages", where, apart)


def judges(data: Path, times: int) -> Iterator[Cell]:
    """Of a leaderboard beside another: averages over such topics and over such runs, and the places that runs gain."""
    section, best = "Leaderboards of judges", 5
    names = {"tau_b": "τ-b", "tau_ap": "τ_AP", "spearman": "Spearman's ρ", "top": "share of the best 5"}
    for track, (one, two) in {"adhoc8": ("ap", "p10"), "adhoc7": ("ap", "rr"), "web2012": ("ndcg20", "err20")}.items():
        people, judge = (population(data, f"{track}_{name}") for name in (one, two))
        random = np.random.default_rng(11)
        some = random.choice(len(people), 30, replace=False)
        for topics in (25, 50):
            x, y = people[some], judge[some]

            def of_topics(
                x: Floats = x, y: Floats = y, topics: int = topics, random: np.random.Generator = random
            ) -> tuple[Floats, Floats]:
                drawn = random.integers(0, x.shape[1], topics)
                return x[:, drawn], y[:, drawn]

            draws = [of_topics() for _ in range(1000)]
            expected = np.mean([order_statistics(b.mean(axis=1), a.mean(axis=1), best) for a, b in draws], axis=0)
            held = []
            for seed in range(times):
                a, b = of_topics()
                held.append(agreement_over_topics(b, a, best, resamples=300, seed=seed))
            where = f"{track}: {two} beside {one}, 30 runs, {topics} topics"
            yield from _of_statistics(section, "over topics", names, where, np.array(held), expected)
            runs = range(0, 30, 3)
            gains = np.mean([[places_gained(a, b, run) for run in runs] for a, b in draws[:400]], axis=0)
            within = []
            for seed in range(times):
                a, b = of_topics()
                limits = [gained_places(a[None], b[None], run, np.arange(30) != run, 300, seed)[1:, 0] for run in runs]
                within.append([low <= wanted <= high for (low, high), wanted in zip(limits, gains, strict=True)])
            yield Cell.of(section, "places that a run gains, over topics", where, within)
        if len(people) < 100:
            continue
        x, y = people.mean(axis=1), judge.mean(axis=1)
        for many in (12, 25):
            drawn = [random.choice(len(x), many, replace=False) for _ in range(1000 + times)]
            expected = np.mean([order_statistics(y[each], x[each], best) for each in drawn[:1000]], axis=0)
            found = [
                agreement_over_systems(y[each], x[each], best, resamples=300, seed=seed)
                for seed, each in enumerate(drawn[1000:])
            ]
            where = f"{track}: {two} beside {one}, {many} of {len(x)} runs"
            yield from _of_statistics(section, "over runs", names, where, np.array(found), expected)


def _of_statistics(
    section: str, over: str, names: dict[str, str], where: str, limits: Floats, expected: Floats
) -> Iterator[Cell]:
    """Give a cell for each statistic of two orders; limits: array of shape (draws, 2, statistics)."""
    for place, name in enumerate(ORDER_STATISTICS):
        low, high = limits[:, 0, place], np.minimum(limits[:, 1, place], 1.0)
        held = (low <= expected[place] + 1e-9) & (expected[place] - 1e-9 <= high)
        yield Cell.of(section, f"{names[name]}, {over}", where, held, float((high - low).mean()))


def gated(apart: Floats, margin: float, alpha: float = 0.05) -> str:
    """Return the verdict of a gate by one measure."""
    return conclude(Paired(apart[np.newaxis]), margin, alpha).verdicts[0]


def agreements(data: Path, times: int) -> Iterator[Cell]:
    """Cohen's kappa of a model judge and the assessors, topics as chance: the jackknife's interval."""
    folder = data / "dl19-passage"
    labels = folder / "model-judges" / "umbrela-gpt4.txt.gz"
    if not labels.exists():
        return
    both = read_qrels(folder / "qrels.txt").join(read_qrels(labels), on=[QUERY, DOCUMENT], suffix="_judge")
    topics = both[QUERY].unique(maintain_order=True)
    table = np.zeros((len(topics), 2, 2))
    places = both[QUERY].replace_strict(topics, np.arange(len(topics)), return_dtype=pl.Int64).to_numpy()
    relevant = (both[name].to_numpy() >= 2 for name in (RELEVANCE, f"{RELEVANCE}_judge"))
    np.add.at(table, (places, *(each.astype(np.int64) for each in relevant)), 1)
    for many in (10, 25, 50):
        random, held, width = np.random.default_rng(9), [], []
        for _ in range(4 * times):
            some = table[random.integers(0, len(table), many)]

            def kappa(counts: Floats, some: Floats = some) -> float:
                return kappa_of(np.einsum("t,tij", counts, some))

            low, high = jackknife_interval(kappa, many)
            held.append(bool(low <= kappa_of(table.sum(axis=0)) <= high))
            width.append(float(high - low))
        where = f"dl19, GPT-4 and the assessors, {many} topics"
        yield Cell.of("Agreement: kappa", "jackknife over topics", where, held, float(np.mean(width)))


def gates(data: Path, times: int) -> Iterator[Cell]:
    """No wrong verdict of a gate on a run that is worse by just its margin, .02."""
    section = "Gates: a run that is worse by the margin does not pass"
    for name, values in populations(data):
        for topics in (6, 10, 25, 50):
            random, held = np.random.default_rng(5), []
            for _ in range(8 * times):
                some, chosen = drawn(values, 2, topics, random)
                apart = level(some[:1] - some[1:])[0] - 0.02
                held.append(gated(apart[chosen], 0.02) not in PASSING)
            yield Cell.of(section, "margin .02", f"{name}, {topics} topics", held)


def promises(data: Path, times: int) -> Iterator[Kept]:
    """What 25 topics leave undecided: with more, gates are decided, and pass, as was said."""
    for name, values in populations(data):
        random = np.random.default_rng(6)
        rows: list[tuple[float, bool, float, bool]] = []
        for _ in range(40 * times):
            some, chosen = drawn(values, 2, 25, random)
            apart = some[0] - some[1]
            seen = apart[chosen]
            if len(rows) < 3 * times and side(seen).any() and gated(seen, 0.02) == "undecided":
                more = enough_topics(seen, 0.8, 0.0125, margin=0.02)
                later = apart[np.concatenate([chosen, random.integers(0, values.shape[1], more.topics)])]
                then = gated(later, 0.02, 0.025)
                rows.append((more.decided, then != "undecided", more.ahead, then in PASSING))
        first, came, second, came_too = np.mean(rows, axis=0).round(3).tolist()
        yield Kept("gate: decided", name, first, came, len(rows))
        yield Kept("gate: passes", name, second, came_too, len(rows))
