"""Topics as chance: means, differences, multiple comparisons, ranks, correlations, gates and their promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.calibration.cell import Cell, Kept
from cranfield.comparison.verdicts import decided
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.scoring.behind import behind
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.panel import panel_of
from cranfield.statistics.assurance import enough_topics
from cranfield.statistics.correlation_vectors import correlation
from cranfield.statistics.dunnett import dunnett
from cranfield.statistics.multiple_comparisons import adjust, max_t
from cranfield.statistics.paired_tests import randomisation_test, t_test
from cranfield.statistics.pairs import differences
from cranfield.statistics.rank_correlation import bootstrap_correlation, bootstrap_difference, mean_over_topics
from cranfield.statistics.rank_intervals import rank_intervals
from cranfield.statistics.spreads import UNEVEN, spread_ratio
from cranfield.statistics.stratified import in_one_row, stratified_interval
from cranfield.statistics.tukey import tukey_hsd
from cranfield.statistics.verdicts import PASSING
from cranfield.statistics.weighting import weighted_t_interval

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


def means(data: Path, times: int) -> Iterator[Cell]:
    """Student's interval of a mean, and of a difference of two runs."""
    for name in SHAPES:
        values = population(data, name)
        for topics in (10, 25, 50):
            random = np.random.default_rng(1)
            held = []
            for _ in range(10 * times):
                some, chosen = drawn(values, 2, topics, random)
                rows = np.stack([some[0], some[0] - some[1]])
                _, low, high = mean_over_topics(rows[:, chosen], 0.95)
                held.append((low <= rows.mean(axis=1)) & (rows.mean(axis=1) <= high))
            for method, each in zip(("mean of a run", "difference of two"), np.array(held).T, strict=True):
                yield Cell.of("Means and differences", f"Student's t: {method}", f"{name}, {topics} topics", each)


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
                    truth = rows @ weights / weights.sum()
                    low, high = weighted_t_interval(rows[:, chosen], weights[chosen])
                    held.append((low <= truth) & (truth <= high))
                where = f"{name}, {topics} topics, weights {words}"
                for method, each in zip(("mean of a run", "difference of two"), np.array(held).T, strict=True):
                    yield Cell.of("Weighted means and differences", method, where, each)


def comparisons(data: Path, times: int) -> Iterator[Cell]:
    """No false finding among eight runs of equal means; Tukey and Dunnett also where their warning is silent."""
    for name in SHAPES:
        values = population(data, name)
        random = np.random.default_rng(2)
        quiet: dict[str, list[bool]] = {}
        for _ in range(4 * times):
            some, chosen = drawn(values, 8, 25, random)
            rows = level(some)[:, chosen]
            apart = differences(rows.T).T
            p = {
                "Tukey": tukey_hsd(rows).p,
                "Dunnett": dunnett(rows).p[:7],  # the pairs of the first run
                "Holm, t": adjust(t_test(apart, "two-sided", 1, 0).p, "holm"),
                "step-down max-t, sign flips": max_t(apart, step_down=True, resamples=400).p,
            }
            silent = spread_ratio(rows) < UNEVEN
            for method, each in p.items():
                right = bool((each > 0.05).all())
                quiet.setdefault(method, []).append(right)
                if method in ("Tukey", "Dunnett"):
                    quiet.setdefault(f"{method}, {'not warned' if silent else 'warned'}", []).append(right)
        for method, held in sorted(quiet.items()):
            if len(held) >= 30:
                yield Cell.of("No false finding: 8 runs, equal means, 25 topics", method, name, held)


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
                within.append(bool(low[0] <= np.mean([each.mean() for each in apart]) <= high[0]))
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
                found, truth = behind(some[:, chosen], best), some.mean(axis=1) - some[best].mean()
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
            at = [np.array([each[:, chosen].mean(axis=1) for chosen in many]).round(12) for each in three]
            taus = [correlation("tau_b", at[0], other) for other in at[1:]]
            expected = float(taus[0].mean())
            held: list[tuple[bool, bool]] = []
            apart: list[bool] = []
            wide = []
            for seed in range(times):
                chosen = random.integers(0, x.shape[1], topics)
                low, high = bootstrap_correlation(x[:, chosen], y[:, chosen], resamples=300, seed=seed)
                _, least, most = mean_over_topics(on_topic[chosen], 0.95)
                held.append((low <= expected <= high, bool(least <= on_topic.mean() <= most)))
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


def gates(data: Path, times: int) -> Iterator[Cell]:
    """No wrong verdict of a gate: margin 0.02, 25 topics."""
    section = "Gates: no such error, alpha 5 %"
    wrong = {
        "worse by the margin, and passes": (-0.02, PASSING),
        "equal, and called better": (0.0, {"better"}),
        "equal, and called worse": (0.0, {"worse"}),
    }
    for name in SHAPES:
        values = population(data, name)
        for said, (true, verdicts) in wrong.items():
            random, held = np.random.default_rng(5), []
            for _ in range(8 * times):
                some, chosen = drawn(values, 2, 25, random)
                apart = level(some[:1] - some[1:])[0] + true
                held.append(decided([apart[chosen]], [0.02]).verdicts[0] not in verdicts)
            yield Cell.of(section, said, name, held)


def promises(data: Path, times: int) -> Iterator[Kept]:
    """What 25 topics leave undecided: with more, gates are decided, and pass, and pairs are, as was said."""
    for name in SHAPES:
        values = population(data, name)
        random = np.random.default_rng(6)
        of_gates: list[tuple[float, bool, float, bool]] = []
        of_pairs: list[tuple[float, bool, float, bool]] = []
        while min(len(of_gates), len(of_pairs)) < 3 * times:
            some, chosen = drawn(values, 2, 25, random)
            apart = some[0] - some[1]
            seen = apart[chosen]
            if len(of_gates) < 3 * times and decided([seen], [0.02]).verdicts[0] == "undecided":
                more = enough_topics(seen, 0.8, 0.025, margin=0.02)
                later = apart[np.concatenate([chosen, random.integers(0, values.shape[1], more.topics)])]
                then = decided([later], [0.02], 0.025).verdicts[0]
                of_gates.append((more.decided, then != "undecided", more.ahead, then in PASSING))
            better = seen if seen.mean() >= 0 else -seen
            if len(of_pairs) < 3 * times and better.any() and t_test(better[np.newaxis], "two-sided", 1, 0).p[0] > 0.05:
                more = enough_topics(better, 0.8, 0.0125)
                later = apart[np.concatenate([chosen, random.integers(0, values.shape[1], more.topics)])]
                found = bool(t_test(later[np.newaxis], "two-sided", 1, 0).p[0] <= 0.025)
                of_pairs.append((more.decided, found, more.ahead, found and later.mean() * seen.mean() > 0))
        for said, rows in (
            (("gate: decided", "gate: passes"), of_gates),
            (("pair: decided", "pair: better one ahead"), of_pairs),
        ):
            first, came, second, came_too = np.mean(rows, axis=0).round(3).tolist()
            yield Kept(said[0], name, first, came, len(rows))
            yield Kept(said[1], name, second, came_too, len(rows))
