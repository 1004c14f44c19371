"""What is asked of all runs, of one of them, and of all topics."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.comparison import Comparison, compare
from cranfield.comparison.opening import opened
from cranfield.lists.archetypes import Archetype, classify
from cranfield.measures.framework.declaration import bounds_of
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import best_first, best_named, direction, oriented
from cranfield.scoring.panel import did_not_run
from cranfield.statistics.anova import anova
from cranfield.statistics.differences import pairs
from cranfield.statistics.on_paper import places

MEASURES_REMEMBERED: Final = 16


@remembered(MEASURES_REMEMBERED)
def ranges(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """Return how far unjudged documents could move each run's mean.

    Columns run, low, value, high, the best first. Refused where the range is not certain: trying the completions of the
    judgments one by one takes long and may miss its ends.
    """
    asked = explored.declared(measure)
    if bounds_of(type(asked)).startswith(("tried", "none")):
        raise InputError(f"how far unjudged documents could change {asked} is not known for sure")
    found = explored.runs.under(bounds=True).scores([asked])
    return found.of_runs(explored.ordered(measure).runs).means.select("run", "low", "value", "high")


@remembered(2 * MEASURES_REMEMBERED)
def led(explored: Explored, measure: str | None = None, runs: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Say who of two runs (or of all) leads by a measure, by how much, and how sure that is, as `compare` does of all.

    Two of many runs are chosen after a look at all, so that p is corrected over all pairs wherever one looks. Where
    nothing can be tested (one run, one topic), there is the first sentence, and who did not run.
    """
    asked, two, found = [explored.declared(measure)], "", None
    with suppress(InputError):
        two = compare(explored.runs.of_runs(runs), measures=asked).unjudged if runs else two
        found = compared(explored, measure)
    if found is None or not {*runs} <= {*found.runs}:
        every = explored.runs
        gone = [each for each in every.not_run if each[0] in (runs or every.runs)]
        ran = [run for run in runs or every.runs if run not in dict(gone)]
        absent = (f"{said[:1].upper()}{said[1:]}." for said in did_not_run(gone, len(every.topics)))
        return (*([every.of_runs(ran).scores(asked).answer] if ran else []), *absent)
    told = opened(found.shortly().duels(*runs), two) if runs else found.opening()
    return (*told, f"Tested by the {found.method}.")


@remembered(MEASURES_REMEMBERED)
def compared(explored: Explored, measure: str | None = None) -> Comparison:
    """Compare all runs by a measure, as `compare` does by default."""
    return compare(explored.runs, measures=[explored.declared(measure)])


class Groups(NamedTuple):
    """Runs that do not differ significantly.

    Columns place, run, alike (from how many other runs it does not differ), first and last (the places between which
    these are, its own included), the best first; the last three are null of a run that did not run.
    """

    places: pl.DataFrame
    test: str  # how they were tested

    @property
    def others(self) -> int:
        """How many other runs cannot be told from the best of those that ran."""
        return int(self.places["alike"].drop_nulls()[0])

    @property
    def not_run(self) -> list[str]:
        """The runs that did not run, which were not tested."""
        return self.places.filter(pl.col("alike").is_null())["run"].to_list()


@remembered(MEASURES_REMEMBERED)
def groups(explored: Explored, measure: str | None = None) -> Groups:
    """Find the runs that do not differ significantly by a measure.

    As `compare` does by default: paired t-tests of all pairs with Holm's correction. Among the places from first to
    last there may be runs that do differ.
    """
    names = explored.ordered(measure).runs
    found = compared(explored, measure)
    ran = np.array([names.index(run) for run in found.runs])
    one, other = ran[np.array(pairs(len(ran)))]
    apart = ~np.isin(np.arange(len(names)), ran) | np.zeros((len(names), 1), dtype=bool)
    apart[one, other] = apart[other, one] = found.differences["significant"].to_numpy()
    tested = pl.col("run").is_in(found.runs)
    columns = {
        "place": np.arange(1, len(names) + 1),
        "run": names,
        "alike": len(names) - 1 - apart.sum(axis=1),
        "first": apart.argmin(axis=1) + 1,
        "last": len(names) - apart[:, ::-1].argmin(axis=1),
    }
    table = pl.DataFrame(columns).with_columns(pl.when(tested).then(pl.col("alike", "first", "last")))
    return Groups(table, found.method)


def residuals(explored: Explored, measure: str | None = None) -> Floats | None:
    """Residuals (runs, topics): value = mean of the run + mean of the topic - grand mean + residual."""
    values = explored.scores.values[explored.place(measure)]
    if min(values.shape) < 2 or not np.isfinite(values).all() or not explored.scores.counted.all():
        return None
    return anova(values).residuals


def odd_lists(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """Return the lists furthest from what run and topic predict (value, expected, residual), the furthest first."""
    found = residuals(explored, measure)
    left = np.empty(0) if found is None else found.ravel()
    order = np.argsort(-np.abs(left), kind="stable")
    run, topic = np.divmod(order, len(explored.runs.topics))
    values = explored.scores.values[explored.place(measure)].ravel()[order]
    columns = {
        "run": pl.Series(explored.runs.runs).gather(run),
        "topic": pl.Series(explored.runs.topics).gather(topic),
        "title": pl.Series([explored.title_of(name) for name in explored.runs.topics]).gather(topic),
        "value": values,
        "expected": values - left[order],
        "residual": left[order],
    }
    return pl.DataFrame(columns)


def oddness(explored: Explored, measure: str | None = None) -> dict[str, float]:
    """How far is each run, on its topics, from what one expects: the root mean square of its residuals."""
    found = residuals(explored, measure)
    if found is None:
        return {}
    return dict(zip(explored.runs.runs, np.sqrt((found**2).mean(axis=1)).tolist(), strict=True))


@remembered(MEASURES_REMEMBERED)
def archetypes(explored: Explored) -> pl.DataFrame:
    """Which archetype is each run on each topic: columns run, topic, archetype."""
    return classify(explored.runs)


def archetypes_by_run(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """On how many topics is each run, the best first, of each archetype? Columns run, and one for each archetype."""
    kinds = [(pl.col("archetype") == kind).sum().alias(kind) for kind in map(str, Archetype)]
    counted = archetypes(explored).group_by("run").agg(kinds)
    names = pl.DataFrame({"run": explored.ordered(measure).runs})
    return names.join(counted, on="run", how="left", maintain_order="left").fill_null(0)


def means_of(explored: Explored, run: str) -> pl.DataFrame:
    """Compare a run by each measure: mean, place, and of_the_best, the mean of the best (null where all are equal)."""
    scores, number = explored.scores, explored.runs.runs.index(explored.run(run))
    rows = []
    for measure, means in zip(scores.measures, scores.averages, strict=True):
        good = oriented(measure, means)
        best = best_first(good)[0]
        name = None if len(means) > 1 and places(good).max() == 1 else scores.runs[best]
        rows.append((str(measure), means[number], int(places(good)[number]), name, means[best]))
    schema = {"measure": pl.String, "mean": pl.Float64, "place": pl.Int64, "best": pl.String, "of_the_best": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")


def topics_of(explored: Explored, run: str, measure: str | None = None) -> pl.DataFrame:
    """Return the values of a run on each topic for which it counts, in the order of the qrels.

    Columns topic, title, one per measure, archetype (null where the run lacks the topic), residual (of the two-way
    model by the measure; null where there is none).
    """
    number = explored.runs.runs.index(explored.run(run))
    left = residuals(explored, measure)
    kinds = archetypes(explored).filter(pl.col("run") == run).select("topic", "archetype")
    found = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            **dict(zip(explored.measures, explored.scores.values[:, number], strict=True)),
        }
    ).join(kinds, on="topic", how="left", maintain_order="left")
    column = pl.lit(None, pl.Float64) if left is None else pl.Series(left[number])
    return found.with_columns(residual=column).filter(explored.scores.counted[number])


def by_topic(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """Summarise each topic over the runs that count there, the hardest first.

    Columns topic, title, relevant, judged, mean, least, most (of the measure; null without any run), best (the first
    few with the most; null where all have it).
    """
    m = explored.place(measure)
    values, sign = explored.scores.values[m], direction(explored.scores.measures[m])
    counted, judgments = explored.scores.counted, explored.runs.judgments
    of_counted = np.ma.masked_array(values, ~counted)
    found = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            "relevant": judgments.recall_base(explored.runs.grading.rel).astype(np.int64),
            "judged": judgments.count(~np.isnan(judgments.grade)).astype(np.int64),
            "mean": of_counted.mean(axis=0).tolist(),
            "least": of_counted.min(axis=0).tolist(),
            "most": of_counted.max(axis=0).tolist(),
            "best": _best(explored, sign * values),
        },
        schema_overrides={**dict.fromkeys(("mean", "least", "most"), pl.Float64), "best": pl.String},
    )
    return found.sort(sign * pl.col("mean"), nulls_last=True, maintain_order=True)


def _best(explored: Explored, values: Floats) -> list[str | None]:
    """Name the best of the runs that are counted on each topic."""
    counted = explored.scores.counted
    if counted.all():
        return best_named(explored.runs.runs, values)
    found = list[str | None]()
    for topic, there in enumerate(counted.T):
        names = [run for run, counts in zip(explored.runs.runs, there, strict=True) if counts]
        found += best_named(names, values[there, topic, np.newaxis]) if names else [None]
    return found
