"""Several attempts of a run on a topic: their mean is what compares; how far they agree is reported with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np

from cranfield.plumbing.arrays import Floats, places_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.memory import require
from cranfield.plumbing.options import Count, checked
from cranfield.plumbing.tables import TASK
from cranfield.plumbing.wording import counted, named, percent
from cranfield.scoring.orientation import best_first
from cranfield.statistics.anova import anova
from cranfield.statistics.conclusions import significant
from cranfield.statistics.multiple_comparisons import adjust
from cranfield.statistics.repeats import Repeats, pass_at_k, pass_hat_k, ratio_or_nan, repeats
from cranfield.statistics.usual import ALPHA

_SUCCESSES: Final = (0.0, 1.0)  # Values of attempts that succeed or fail


@dataclass(frozen=True, eq=False)
class Attempts:
    """The attempts of some runs by one measure."""

    measure: str
    runs: tuple[str, ...]
    values: Floats  # array of shape (runs, topics, attempts), NaN where there is no such attempt
    without: int = 0  # attempts that are left out, since they have no value
    weights: Floats | None = None  # array of shape (topics,), what each counts for; None where all count alike

    @classmethod
    def of(cls, table: pl.DataFrame, measure: str, runs: Sequence[str]) -> Self:
        """Lay out a measure's rows of run, topic, attempt and value; items of tasks share the weight of their task."""
        rows = table.filter(pl.col("measure") == measure, pl.col("run").is_in(list(runs)))
        of_tasks = TASK in rows.columns
        if of_tasks:  # items of several tasks may be called alike
            rows = rows.with_columns(pl.concat_str(TASK, "topic", separator="\0").alias("topic"))
        there = rows.drop_nulls("value").sort("attempt", maintain_order=True)
        ran = {*there["run"]}
        runs = [run for run in runs if run in ran]
        if not runs:
            return cls(measure, (), np.zeros((0, 0, 0)), rows.height)
        topics = there["topic"].unique(maintain_order=True)
        run, topic = (
            there[name].replace_strict(known, np.arange(len(known)), return_dtype=pl.Int64).to_numpy()
            for name, known in (("run", pl.Series(list(runs), dtype=pl.String)), ("topic", topics))
        )
        at = places_within(run * len(topics) + topic, np.arange(len(run)))
        shape = (len(runs), len(topics), int(at.max(initial=0)) + 1)
        require(8 * int(np.prod(shape)), f"{shape[2]:,} attempts on {shape[1]:,} topics", "fewer of them")
        values = np.full(shape, np.nan)
        values[run, topic, at] = there["value"].to_numpy()
        sizes = there.unique("topic", maintain_order=True).select(pl.len().over(TASK)) if of_tasks else None
        weights = None if sizes is None else 1 / sizes.to_series().to_numpy()
        return cls(measure, tuple(runs), values, rows.height - there.height, weights)

    @cached_property
    def found(self) -> Repeats:
        """What attempts say of each run."""
        return repeats(self.values)

    def _over_topics(self, of_topic: Floats) -> Floats:
        """Return the mean over the topics that each run has: array of shape (runs,)."""
        weight = ~np.isnan(self.values).all(axis=2) * (1.0 if self.weights is None else self.weights)
        mean: Floats = np.where(weight > 0, of_topic * weight, 0).sum(axis=1) / weight.sum(axis=1)
        return mean

    def passes(self, asked: Sequence[int] = ()) -> dict[str, Floats]:
        """Estimate pass@k and pass^k of each run, over its topics, for each k; NaN where a topic has fewer attempts.

        Of values other than 0 and 1 there is none. By default, k is the smallest number of attempts on a topic.
        """
        if not np.isin(self.values[~np.isnan(self.values)], _SUCCESSES).all():
            if asked:
                raise InputError(f"pass@k needs successes and failures; {self.measure} has values other than 0 and 1")
            return {}
        many, won = (~np.isnan(self.values)).sum(axis=2), np.nansum(self.values, axis=2)
        found = {}
        for k in sorted({checked("k", each, Count) for each in asked} or {int(self.found.fewest.min())} - {1}):
            for name, estimate in ((f"pass@{k}", pass_at_k), (f"pass^{k}", pass_hat_k)):
                found[name] = self._over_topics(estimate(won, many, k))
        return found

    def table(self, passes: Sequence[int] = ()) -> pl.DataFrame:
        """Give a row for each run.

        Columns: measure, run, topics, attempts_from and attempts_to (the fewest and the most on a topic), mean,
        between and within (the variance between topics, and of attempts on a topic), icc (the share of the two that is
        between topics), agreement (the share of topics on which all attempts are equal), twice_the_attempts and
        twice_the_topics (by which share the interval of the mean would be narrower; null where topics are items of
        tasks), and pass@k and pass^k.
        """
        found = self.found
        alike = self.weights is None
        total, many = np.nansum(self.values, axis=2), (~np.isnan(self.values)).sum(axis=2)
        mean = found.mean if alike else self._over_topics(ratio_or_nan(total, many))
        narrower = [
            found.narrowing(**{what: 2}) if alike else np.full(len(mean), np.nan) for what in ("attempts", "items")
        ]
        columns = {
            "measure": [self.measure] * len(self.runs), "run": list(self.runs), "topics": found.items,
            "attempts_from": found.fewest, "attempts_to": found.most, "mean": mean, "between": found.between,
            "within": found.within, "icc": found.reliability, "agreement": found.agreement,
            "twice_the_attempts": narrower[0], "twice_the_topics": narrower[1],
            **self.passes(passes),
        }  # fmt: skip
        return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))

    def sentences(self, direction: float = 1) -> Iterator[str]:
        """Say what compares, how far attempts agree, and what more of them would be worth."""
        found = self.found
        least, most = int(found.fewest.min()), int(found.most.max())
        if most == 1:
            yield f"Each topic has one attempt by {self.measure}, so the spread between attempts is unknown."
            return
        many = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        agreed = found.agreement[~np.isnan(found.agreement)]
        ends = list(dict.fromkeys(map(percent, (agreed.min(), agreed.max()))))
        yield f"Scores are means over {many} attempts on each topic."
        depending = ", depending on the run" * (len(ends) > 1)
        yield f"All attempts agree on {' to '.join(ends)} of topics{depending}."
        best = best_first(direction * found.mean)[0]
        attempts, topics = (found.narrowing(**{what: 2})[best].item() for what in ("attempts", "items"))
        if not np.isnan(attempts) and self.weights is None:  # where tasks are drawn, more items are another matter
            yield (
                f"With twice the attempts, the interval of the mean of {self.runs[best]} would be "
                f"{percent(attempts)} narrower."
            )
            yield f"With twice the topics, it would be {percent(topics)} narrower."

    def notes(self, passes: Sequence[int] = ()) -> Iterator[str]:
        """Say what was left out, what cannot be estimated, and of which runs attempts differ as a whole."""
        for k in passes:
            few = [run for run, fewest in zip(self.runs, self.found.fewest.tolist(), strict=True) if fewest < k]
            if few:
                yield f"{self.measure}: no pass@{k} of {named(few)}, with fewer than {k} attempts on some topic"
        if self.without:
            yield (
                f"{self.measure}: {counted(self.without, 'attempt')} without a value left out; "
                "give failed attempts a value, such as 0"
            )
        several = min(self.values.shape[1:]) > 1
        whole = [run for run in range(len(self.runs)) if several and not np.isnan(self.values[run]).any()]
        p = adjust([anova(self.values[run].T).p for run in whole])
        apart = [self.runs[run] for run, found in zip(whole, significant(p, ALPHA).tolist(), strict=True) if found]
        if apart:
            yield (
                f"{self.measure}: attempts of {named(apart)} differ as a whole, as runs with other seeds do "
                f"(F test, alpha = {ALPHA:g}); no interval here includes what another seed would change on all topics"
            )
