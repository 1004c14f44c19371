"""How many expert labels does a result cost, with and without a cheap judge?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import numpy as np

from cranfield.experiments.declared import Columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.judge_tables import tau_of
from cranfield.formats import expand, run_name
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plots.between_judges import NOBODY
from cranfield.plumbing.arrays import Booleans, Floats, sums_within
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.options import ENOUGH, Count, Range, Seed
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns, open_qrels
from cranfield.selection.assessors import refuse_same_names
from cranfield.selection.assisted import Assisted, Judge, Lines, against, for_topics_like_these, interval
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import CheapLabels, looked_up
from cranfield.selection.grade_chances import GradeChances, features_of
from cranfield.selection.judged_sample import Drawn
from cranfield.selection.sampling import FEWEST_DRAWN, Draw, draw_by_prior, draw_from, weight_prior
from cranfield.statistics.on_paper import EQUAL

_TOGETHER: Final = "(all together)"  # What several judges are called that are combined
_LEVEL: Final = 0.95

Drawing: TypeAlias = Literal["weighted", "uniform"]
Widening: TypeAlias = Annotated[float, Range(above=0)]
Sizes: TypeAlias = tuple[Annotated[int, Range(at_least=FEWEST_DRAWN, at_most=ENOUGH)], ...]


@experiment
def expert_labels(
    runs: JudgedRuns,
    measures: MeasureNames = ("P@10",),
    *,
    cheap: tuple[Path, ...] = (),
    per_topic: Sizes = (5, 10, 20, 40),
    design: Drawing = "weighted",
    baseline: str = "",
    widening: Widening = 0.1,
    samples: Count = 50,
    seed: Seed = 7,
) -> Outcome:
    r"""How many expert labels does a result need, with and without cheap judges?

    The qrels are the experts: documents that they did not judge count as not relevant. Samples are drawn from what the
    runs retrieved (down to the measure's cutoff), and scores are estimated from each as by `estimate`: from the sample
    alone, with each cheap judge, and with all of them combined, and are compared with the scores by all judgments.

    Parameters
    ----------
    runs
        The runs, joined with the experts' judgments.
    measures
        Weighted sums over ranks, such as P, RBP and DCG.
    cheap
        Files of labels, one a judge, or a folder of them.
    per_topic
        How many documents of each topic experts judge.
    design
        How they are drawn: ``weighted`` by what they weigh in the measure, or ``uniform``.
    baseline
        Estimate the differences of all other runs from this one, and draw weighted samples for them; by default, each
        run's own score.
    widening
        By how much an interval may be wider than one by all judgments: a tenth by default.
    samples
        How many samples are drawn of each size.
    seed
        Seed of the first sample.

    Tables
    ------
    needed
        A row for each measure and judge.
        measure, judge : text
        all_labels, all_width : number
            How many documents a topic there are to judge, and how wide the interval for topics like these then is.
        allowed_width : number
            That, widened as allowed.
        needed : number
            How many expert labels a topic reach it, between two sizes by a straight line; null if the smallest size
            does, or there is a single topic.

    widths
        A row for each measure, judge and size of sample; means over runs and samples.
        measure, judge : text
            The first judge, "(none)", says the same of every document; "(all together)" are all of them combined.
        per_topic : whole number
            What was asked for.
        labels : number
            Expert labels a topic: fewer on topics that have fewer documents.
        width : number
            Of the 95% interval for these topics.
        like_width : number
            Of that for topics like these.
        error : number
            Root mean square error.
        held, least_held : number
            How often the first interval held the score by all judgments; for the run where it did so least.
        best_named : number
            The share of samples by which the run that is best by all judgments comes first.
        loss : number
            What the run that comes first lacks to the best one, by all judgments.
        tau : number
            Kendall's τ_b of the two leaderboards; null where all runs are tied.

    Raises
    ------
    InputError
        If two judges have the same name, one has no label of a document, or no run has the baseline's name, or no
        other one than that.
    MeasureError
        If a measure is no weighted sum over ranks.

    Paper: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), "Prediction-powered inference", Science 382; the
    experiment is ours.

    Examples
    --------
    One topic in two has a relevant document at rank 1: judging all of two documents, nothing is left to chance.

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    >>> runs = join(qrels, {"x": {t: {"a": 2.0, "b": 1.0} for t in "12"}})
    >>> found = expert_labels(runs, "P@1", per_topic=(2,), samples=2)
    >>> found["widths"].select("judge", "labels", "width", "error", "held").rows()
    [('(none)', 1.0, 0.0, 0.0, 1.0)]
    """
    asked = number_measures(measures)
    for measure in asked:
        if measure.estimator != "sum over ranks":
            raise MeasureError(f"{measure} is not a weighted sum over ranks; cheap labels estimate only those (DCG@10)")
    if baseline and baseline not in runs.runs:
        raise InputError(f"no run is called {baseline!r}; the runs are {named(runs.runs)}")
    if baseline and len(runs.runs) < 2:
        raise InputError(f"{baseline} is the only run; give a second one to compare with it")
    files = expand(cheap)
    names = [run_name(file) for file in files]
    refuse_same_names([NOBODY, _TOGETHER, *names], "give the files different names")
    judges = {name: open_qrels(file, runs.reading) for name, file in zip(names, files, strict=True)}
    widths, needed, unjudged = [], [], 0
    everything = Candidates.gather(runs).of_topics(runs.judgments.topics)
    for measure in asked:
        candidates = everything.within(measure.cutoff or ENOUGH)
        labels = {name: looked_up(candidates, judged) for name, judged in judges.items()}
        grade = looked_up(candidates, runs.judgments)
        unjudged = max(unjudged, int(np.isnan(grade).sum()))
        grade = np.nan_to_num(grade).clip(min=0.0)
        setting = _Setting(candidates, grade, runs.judgments.top_grade, measure, labels, design, baseline or None)
        rows = [setting.tried(size, samples, seed) for size in sorted(set(per_topic))]
        by_judge = [list(of) for of in zip(*rows, strict=True)]
        widths += [row for of in by_judge for row in of]
        needed += [setting.needed(of, widening) for of in by_judge]
    absent = [topic for topic in runs.judgments.topics if topic not in everything.topics]
    lacking = f"{counted(len(absent), 'topic')} without a retrieved document left out: {named(absent)}"
    unknown = f"{counted(unjudged, 'unjudged document counts', 'unjudged documents count')} as not relevant"
    notes = (note for note, holds in ((lacking, absent), (unknown, unjudged)) if holds)
    return Outcome({"needed": needed, "widths": widths}, notes)


@dataclass(frozen=True)
class _Setting:
    """Candidates, what the experts say of each, and the labels of the judges."""

    candidates: Candidates
    grade: Floats
    top_grade: float
    measure: Measure
    labels: dict[str, Floats]
    design: Drawing
    baseline: str | None

    @cached_property
    def lines(self) -> Lines:
        """What is estimated."""
        lines = Lines.of_runs(self.candidates, self.measure)
        return lines if self.baseline is None else lines.less(*against(self.candidates.runs, self.baseline))

    @cached_property
    def of_interest(self) -> Booleans:
        """Which lines have an error: the baseline's difference from itself has none."""
        return np.array([run != self.baseline for run in self.candidates.runs])

    @cached_property
    def by_topic(self) -> Floats:
        """The values by all judgments: array of shape (lines, topics)."""
        topics, lines = len(self.candidates.topics), self.lines
        gain = self.measure.gain_of(self.grade, self.top_grade)
        row = lines.line * topics + self.candidates.topic[lines.place]
        return sums_within(row, lines.weight * gain[lines.place], lines.number * topics).reshape(lines.number, topics)

    @cached_property
    def truth(self) -> Floats:
        """Their means."""
        return np.asarray(self.by_topic.mean(axis=1))

    @cached_property
    def cheap(self) -> dict[str, CheapLabels]:
        """The judges one by one; the first says the same of every document."""
        nobody = np.zeros(len(self.candidates))
        return {name: CheapLabels.of(self.candidates, of) for name, of in ({NOBODY: nobody} | self.labels).items()}

    def draws(self, size: int, samples: int, seed: int) -> list[Draw]:
        """Draw samples of a size."""
        candidates, seeds = self.candidates, range(seed, seed + samples)
        if self.design == "weighted":
            prior = weight_prior(candidates, str(self.measure), self.baseline)
            return [draw_by_prior(candidates, prior, size, seed) for seed in seeds]
        alike = np.zeros(len(candidates), np.int64), np.ones(1)
        return [draw_from(candidates, *alike, size, seed) for seed in seeds]

    def judges(self, draw: Draw) -> Iterator[Judge]:
        """Give a sample to the experts, and to each judge."""
        candidates, taken = self.candidates, draw.taken
        grade = np.full(len(candidates), np.nan)
        grade[taken] = self.grade[taken]
        drawn = Drawn(candidates, taken, grade[taken], draw.probability[taken], draw.stratum[taken] + 1, self.top_grade)
        chance = draw.probability
        for labels in self.cheap.values():
            yield Judge(candidates, drawn, labels, chance, self.measure)
        if len(self.labels) > 1:
            found = GradeChances.learned(self._features, candidates.topic, grade)
            yield Judge(candidates, drawn, CheapLabels.of(candidates, found.expected), chance, self.measure, found)

    @cached_property
    def _features(self) -> Floats:
        return features_of(list(self.labels.values()))

    def tried(self, size: int, samples: int, seed: int) -> list[Columns]:
        """Draw samples of a size, and compare: a row for each judge."""
        draws = self.draws(size, samples, seed)
        labels = sum(len(draw.taken) for draw in draws) / (samples * len(self.candidates.topics))
        told = [[self._told(judge.estimate(self.lines)) for judge in self.judges(draw)] for draw in draws]
        names = [*self.cheap, *([_TOGETHER] if len(self.labels) > 1 else [])]
        return [self._row(name, size, labels, of) for name, *of in zip(names, *told, strict=True)]

    def _told(self, found: Assisted) -> tuple[float, float, Floats, Booleans]:
        """Return the widths of the intervals for these topics and for topics like them, and by line error and hits."""
        own, value, variance = self.of_interest, found.values.mean(axis=1), found.variance / found.values.shape[1] ** 2
        low, high = interval(value, variance, found.freedom, _LEVEL)
        like = for_topics_like_these(found.values, _LEVEL, variance)
        held = (low - EQUAL <= self.truth) & (self.truth <= high + EQUAL)
        return (high - low)[own].mean(), (like[:, 1] - like[:, 0])[own].mean(), value - self.truth, held

    def _row(self, judge: str, size: int, labels: float, told: Sequence[tuple[object, ...]]) -> Columns:
        width, like, away, hold = map(np.array, zip(*told, strict=True))
        own = self.of_interest
        held = hold.mean(axis=0)[own]
        first, best = (away + self.truth).argmax(axis=1), self.truth.max()
        lost = best - self.truth[first]
        taus = [tau for of in away if (tau := tau_of(of + self.truth, self.truth)) is not None]
        return {
            "measure": str(self.measure),
            "judge": judge,
            "per_topic": size,
            "labels": labels,
            "width": float(width.mean()),
            "like_width": float(like.mean()) if len(self.candidates.topics) > 1 else None,
            "error": float(np.sqrt(np.mean(away[:, own] ** 2))),
            "held": float(held.mean()),
            "least_held": float(held.min()),
            "best_named": float((lost <= EQUAL).mean()),
            "loss": float(lost.mean()),
            "tau": float(np.mean(taus)) if taus else None,
        }

    def needed(self, rows: Sequence[Columns], widening: float) -> Columns:
        """Say how many labels make an interval for topics like these that is hardly wider than by all judgments."""
        every = len(self.candidates) / len(self.candidates.topics)
        found: Columns = {"measure": str(self.measure), "judge": rows[0]["judge"], "all_labels": every}
        if len(self.candidates.topics) < 2:
            return found | dict.fromkeys(("all_width", "allowed_width", "needed"))
        like = for_topics_like_these(self.by_topic, _LEVEL)
        width = float((like[:, 1] - like[:, 0])[self.of_interest].mean())
        allowed = width * (1 + widening)
        labels = np.array([*(row["labels"] for row in rows), every])
        widths = np.array([*(row["like_width"] for row in rows), width])
        return found | {"all_width": width, "allowed_width": allowed, "needed": crossed_at(labels, widths, allowed)}


def crossed_at(labels: Floats, widths: Floats, allowed: float) -> float | None:
    """Return the number of labels from which an interval is never wider than allowed, interpolated linearly.

    None if the smallest size is narrow enough already: how many fewer would do is not known.
    """
    wide = np.flatnonzero(widths > allowed)
    if not len(wide):
        return None
    last = int(wide[-1])
    share = (widths[last] - allowed) / (widths[last] - widths[last + 1])
    return float(labels[last] + share * (labels[last + 1] - labels[last]))
