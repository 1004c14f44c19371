"""How often do estimates with a model judge hold? ``python -m benchmarks.model_judges DATA`` writes the study's tables.

The truth is NIST's judgments of DL 2019's passages; what NIST did not judge is not relevant. Candidates are what 61
runs, and one that is sorted by GPT-4's own labels, have among their first 10. Only the sample is left to chance, or
the topics, too, where intervals are for topics like these.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Literal

import click
import numpy as np
import polars as pl
from scipy.special import stdtr

from benchmarks.calibration.cell import Cell, table
from benchmarks.process import ROOT
from benchmarks.sections import write
from benchmarks.truth import averages, of_judgments
from cranfield.experiments.expert_labels import expert_labels
from cranfield.formats import read_runs
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, ratio, sums_within
from cranfield.plumbing.options import Combining, Design
from cranfield.scoring.judged_runs import join, open_qrels
from cranfield.selection import Candidates
from cranfield.selection.assisted import (
    Assisted,
    Judge,
    Lines,
    against,
    chances,
    for_topics_like_these,
    interval,
    labels_alone,
)
from cranfield.selection.cheap_labels import CheapLabels
from cranfield.selection.combining import combine_judges
from cranfield.selection.grade_chances import GradeChances, features_of
from cranfield.selection.judged_sample import SAMPLE_GROUPS, Drawn
from cranfield.selection.modelled import modelled
from cranfield.selection.sampling import Draw, draw_by_prior, draw_from, weight_prior
from cranfield.statistics.rank_correlation import kendall_tau

GPT4: Final = "umbrela-gpt4"
JUDGES: Final = (
    GPT4, "umbrela-gpt4o", "binary-gpt4", "binary-gpt4o", "binary-llama3.2", "exam-max-gpt4", "exam-mean-gpt4o",
    "nuggets-weighted-gpt4o",
)  # fmt: skip
MEASURES: Final = ("P(rel=2)@10", "RBP(p=0.8,rel=2)", "DCG@10")
RATIOS: Final = ("AP(rel=2)", "nDCG@10", "R(rel=2)@10", "Bpref(rel=2)")
UTILITIES: Final = ("FlatUtility", "DCGU", "RBPU(p=0.8)")
PAIRS: Final = 70
COMBINED: Final[dict[str, Combining]] = {"eight, by their errors": "errors", "eight, by mean place": "mean"}
"""The eight judges made one without an expert."""
TOGETHER: Final = "eight, stacked"
"""The eight judges made one by the experts' grades of other topics."""
DEPTH: Final = 10
"""Candidates are what some run has down to this rank, and below it there is no list."""
RELEVANT: Final = {"umbrela": 2.0, "binary": 1.0}
"""From which label on a document is relevant by the labels of a judge alone; the others have a scale of their own."""
LISTED: Final = ("weighted", "against")
"""Designs whose samples list what could have been drawn."""
SIZES: Final = (10, 15, 20, 25, 30, 40)
COSTED: Final = 25
"""So many samples of each size say what labels cost."""
TOP_GRADE: Final = 3.0
ROUNDING: Final = 1e-9
EACH: Final = 20
"""Of every so many samples, one has its intervals' widths noted."""
PAGE: Final = ROOT / "docs" / "studies" / "model-judges.md"

Labeller = Callable[[Floats, Floats, Candidates], Floats]
"""From the experts' grades and GPT-4's labels to another judge's labels, by candidate."""


@dataclass(frozen=True)
class Setting:
    """What is drawn again and again.

    Attributes
    ----------
    section, where
        What it is called.
    judge
        A file of labels, the name of one of `MADE`, of one of `COMBINED`, or `TOGETHER`.
    design, per_topic
        Of the samples; ``against`` is weighted for the differences from the best run.
    measures
        What is estimated.
    topics
        So many topics, the first of a shuffle, where not all.
    like
        Whether topics are drawn, too, with replacement.
    rivals
        Whether differences are those of the best run from all others, and not of some pairs.
    """

    section: str
    judge: str = GPT4
    design: Design | Literal["against"] = "weighted"
    per_topic: int = 20
    measures: tuple[str, ...] = MEASURES[:1]
    topics: int | None = None
    like: bool = False
    rivals: bool = False

    def times(self, most: int) -> int:
        """Return how many samples are drawn: all for GPT-4's labels and all topics, and fewer for the others."""
        part = 20 if self.section in (MODELLED, SPENT, CHECK) else 4
        return most if self.section == THESE and self.topics is None else max(most // part, 2)

    @property
    def where(self) -> str:
        """Say what is drawn."""
        topics = "" if self.topics is None else f", {self.topics} topics"
        like = ", topics like these" if self.like and self.section == MODELLED else ""
        return f"{self.judge}, {self.per_topic} a topic, {self.design}{topics}{like}"


def perfect(grades: Floats, labels: Floats, candidates: Candidates) -> Floats:
    """Say what the experts say."""
    del labels, candidates
    return grades


def useless(grades: Floats, labels: Floats, candidates: Candidates) -> Floats:
    """Say anything."""
    del labels, candidates
    return np.random.default_rng(1).integers(0, 4, len(grades)).astype(np.float64)


def adversarial(grades: Floats, labels: Floats, candidates: Candidates) -> Floats:
    """Turn the experts' grades round, and those alone that they are sure of."""
    del labels, candidates
    return np.where(grades == 1, 1.0, 3.0 - grades)


def wrong(grades: Floats, labels: Floats, candidates: Candidates, *, share: float) -> Floats:
    """Be right about relevance, but for so many."""
    del labels, candidates
    err = np.random.default_rng(2).random(len(grades)) < share
    return np.where(err, grades < 2, grades >= 2).astype(np.float64)


def wrong_about_one_run(grades: Floats, labels: Floats, candidates: Candidates, *, errors: int) -> Floats:
    """Be right about relevance, but for so many documents of the circular run."""
    of_run = candidates.cell_run == len(candidates.runs) - 1
    own = np.unique(np.repeat(np.arange(len(candidates)), np.diff(candidates.start))[of_run])
    made = wrong(grades, labels, candidates, share=0.0)
    bad = np.random.default_rng(3).choice(own, errors, replace=False)
    made[bad] = 1.0 - made[bad]
    return made


MADE: Final[dict[str, Labeller]] = {
    "perfect": perfect,
    "useless": useless,
    "adversarial": adversarial,
    "wrong on 1 in 100": partial(wrong, share=0.01),
    "wrong on 1 in 1,000": partial(wrong, share=0.001),
    "wrong on 3 of one run": partial(wrong_about_one_run, errors=3),
    "wrong on 10 of one run": partial(wrong_about_one_run, errors=10),
    "wrong on 20 of one run": partial(wrong_about_one_run, errors=20),
}


@dataclass(frozen=True)
class Collection:
    """The candidates, what experts say of each, GPT-4's labels (NaN where there is none), and the runs."""

    candidates: Candidates
    grades: Floats
    labels: Floats
    lists: dict[str, pl.DataFrame]


def table_of(candidates: Candidates) -> pl.DataFrame:
    """Return the candidates as a table."""
    topics = pl.Series(candidates.topics, dtype=pl.String).gather(candidates.topic)
    return pl.DataFrame({"query_id": topics, "doc_id": candidates.document})


def looked_up(candidates: Candidates, judged: Judgments) -> Floats:
    """Return the grade of each candidate, NaN where it has none."""
    found = table_of(candidates).join(judged.table(), on=["query_id", "doc_id"], how="left", maintain_order="left")
    return found["relevance"].cast(pl.Float64).fill_null(np.nan).to_numpy()


@cache
def collection(data: Path) -> Collection:
    """Read DL 2019, and make a run that is sorted by GPT-4's labels: of all candidates, the most retrieved first."""
    folder = data / "dl19-passage"
    found = read_runs([str(path) for name in ("runs", "runs-extra") for path in sorted((folder / name).iterdir())])
    lists = dict(found)
    candidates = Candidates.gather(lists, depth=DEPTH)
    gpt4 = open_qrels(str(folder / "model-judges" / f"{GPT4}.txt.gz"))
    labels = looked_up(candidates, gpt4)
    score = np.nan_to_num(labels, nan=-1.0) + np.diff(candidates.start) / 1000
    lists["circular"] = table_of(candidates).with_columns(pl.Series("score", score))
    candidates = Candidates.gather(lists, depth=DEPTH)
    grades = np.nan_to_num(looked_up(candidates, open_qrels(str(folder / "qrels.txt"))))
    return Collection(
        candidates, grades, looked_up(candidates, open_qrels(str(folder / "model-judges" / f"{GPT4}.txt.gz"))), lists
    )


@cache
def truth_of(data: Path, measures: tuple[str, ...]) -> Floats:
    """Score the runs by the experts' grades of all candidates: array of shape (measures, runs, topics)."""
    whole = collection(data)
    judged = table_of(whole.candidates).with_columns(pl.Series("relevance", whole.grades))
    return of_judgments(judged, whole.lists, measures, whole.candidates.topics, depth=DEPTH)


@cache
def labels_of(data: Path, name: str) -> Floats:
    """Return the labels of a judge, by candidate."""
    whole = collection(data)
    if name in MADE:
        return MADE[name](whole.grades, whole.labels, whole.candidates)
    if name in COMBINED:
        files = {judge: str(data / "dl19-passage" / "model-judges" / f"{judge}.txt.gz") for judge in JUDGES}
        return looked_up(whole.candidates, open_qrels(combine_judges(files, method=COMBINED[name]).to_polars()))
    return looked_up(whole.candidates, open_qrels(str(data / "dl19-passage" / "model-judges" / f"{name}.txt.gz")))


def of_topics(candidates: Candidates, picks: Integers) -> tuple[Candidates, Integers]:
    """Take some topics, one perhaps several times, under new names; and the former place of each document."""
    size = np.bincount(candidates.topic, minlength=len(candidates.topics))
    first = np.cumsum(size) - size
    topic, nth = members(size[picks])
    place = first[picks][topic] + nth
    cells = np.diff(candidates.start)[place]
    document, within = members(cells)
    cell = candidates.start[place][document] + within
    some = replace(
        candidates,
        topics=tuple(f"t{number:03}" for number in range(len(picks))),
        topic=topic,
        document=candidates.document.gather(place),
        start=np.append(0, np.cumsum(cells)),
        cell_run=candidates.cell_run[cell],
        cell_rank=candidates.cell_rank[cell],
        length=candidates.length[:, picks],
        present=candidates.present[:, picks],
    )
    return some, place


def pairs_of(runs: int) -> tuple[Integers, Integers]:
    """Return pairs of runs, drawn once and for all."""
    random = np.random.default_rng(5)
    pairs = np.array([random.choice(runs, 2, replace=False) for _ in range(PAIRS)])
    return pairs[:, 0], pairs[:, 1]


class Study:
    """One setting: its candidates, and the true means of runs and differences."""

    def __init__(self, data: Path, setting: Setting, asked: Integers | None = None) -> None:
        whole = collection(data)
        topics = len(whole.candidates.topics)
        picks = asked
        if picks is None:
            picks = np.random.default_rng(11).permutation(topics)[: setting.topics or topics]
        self.setting = setting
        self.candidates, place = of_topics(whole.candidates, picks)
        self.grades = whole.grades[place]
        self.features = None
        if setting.judge == TOGETHER:
            self.features = features_of([labels_of(data, judge)[place] for judge in JUDGES])
        one = GPT4 if setting.judge == TOGETHER else setting.judge
        self.labels = CheapLabels.of(self.candidates, labels_of(data, one)[place])
        self.measures = parse_measures(setting.measures)
        self.true_means = truth_of(data, setting.measures)[:, :, picks].mean(axis=2)
        if setting.section == MODELLED:
            return
        runs = [Lines.of_runs(self.candidates, measure) for measure in self.measures]
        self.best = self.candidates.runs[int(self.true_means[0].argmax())]
        first, second = pairs_of(len(self.candidates.runs))
        if setting.rivals:
            second, first = against(self.candidates.runs, self.best)
            first, second = first[first != second], second[first != second]
        self.lines = [(lines, lines.less(first, second)) for lines in runs]
        expenses = [measure.expense(self.candidates.length) for measure in self.measures]
        self.expenses = [(of, of[first] - of[second]) for of in expenses]
        self.truth = [(of, of[first] - of[second]) for of in self.true_means]

    @cached_property
    def prior(self) -> Floats:
        """What a weighted sample is drawn by: ratios have no weights of ranks, and take those of P@10."""
        ratios, aim = self.setting.section == MODELLED, self.best if self.setting.design == "against" else None
        return weight_prior(self.candidates, MEASURES[0] if ratios else self.setting.measures, aim)

    def draw(self, seed: int) -> Draw:
        """Draw a sample."""
        candidates, per_topic = self.candidates, self.setting.per_topic
        if self.setting.design in LISTED:
            return draw_by_prior(candidates, self.prior, per_topic, seed)
        best = candidates.best_rank
        stratum = (best > 3).astype(np.int64) if self.setting.design == "stratified" else np.zeros_like(best, np.int64)
        return draw_from(candidates, stratum, np.ones(int(stratum.max()) + 1), per_topic, seed)

    def judges(self, seed: int) -> Iterator[Judge]:
        """Draw, and give a judge for each measure."""
        draw = self.draw(seed)
        taken = draw.taken
        drawn = Drawn(
            self.candidates, taken, self.grades[taken], draw.probability[taken], draw.stratum[taken] + 1, TOP_GRADE
        )
        listed = self.setting.design in LISTED  # the other samples do not say what was not drawn
        chance = draw.probability if listed else chances(self.candidates, drawn, None)
        labels, learned = self.labels, None
        if self.features is not None:
            grade = np.full(len(self.grades), np.nan)
            grade[taken] = self.grades[taken]
            learned = GradeChances.learned(self.features, self.candidates.topic, grade)
            labels = CheapLabels.of(self.candidates, learned.expected)
        for measure in self.measures:
            yield Judge(self.candidates, drawn, labels, chance, measure, learned)

    def estimate(self, judge: Judge, m: int, k: int) -> Assisted:
        """Estimate runs (k = 0) or differences (1) by a measure, less what their documents cost."""
        found = judge.estimate(self.lines[m][k])
        return found._replace(values=found.values - self.expenses[m][k])


def ends(found: Assisted, topics: int) -> tuple[Floats, Floats, Floats]:
    """Return estimate and interval of the means."""
    value = found.values.sum(axis=1) / topics
    return value, *interval(value, found.variance / topics**2, found.freedom, 0.95)


def like(found: Assisted) -> Floats:
    """Return the intervals for topics like these."""
    return for_topics_like_these(found.values, 0.95, found.variance / found.values.shape[1] ** 2)


def width_of(found: Assisted, setting: Setting) -> float:
    """Return the mean width of the intervals."""
    topics = found.values.shape[1]
    low, high = like(found).T if setting.like else ends(found, topics)[1:]
    return float((high - low).mean())


def holds(found: Assisted, truth: Floats, setting: Setting) -> Booleans:
    """Tell which intervals hold the truth: those of whose t the distribution has no more than 97.5% on its side.

    That is the interval's own condition, without the quantile, which takes longer than all else.
    """
    topics = found.values.shape[1]
    if setting.like:
        low, high = like(found).T
        inside: Booleans = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
        return inside
    error = np.sqrt(found.variance) / topics
    away = (np.abs(found.values.sum(axis=1) / topics - truth) - ROUNDING).clip(min=0.0)
    outside: Booleans = (stdtr(found.freedom, ratio(away, error)) > 0.975) | ((error == 0) & (away > 0))
    return ~outside


def counted_modelled(data: Path, setting: Setting, times: int) -> list[Cell]:
    """Draw again and again, and count how often the intervals of ratios hold, offered by `estimate` or not."""
    started, study = time.process_time(), Study(data, setting)
    size = len(study.candidates.topics)
    truth = study.true_means
    held: list[list[Booleans]] = [[] for _ in range(2 * len(truth))]
    width: list[list[float]] = [[] for _ in held]
    away: list[list[Floats]] = [[] for _ in truth]
    for seed in range(times):
        if setting.like:
            study = Study(data, setting, np.random.default_rng((17, seed)).integers(0, size, size))
        for m, (judge, true) in enumerate(zip(study.judges(seed), truth, strict=True)):
            found = modelled(judge, seed, 0)
            mean = found.values.mean(axis=1)
            assert found.differences is not None  # noqa: S101 - asked for
            away[m].append(mean - true)
            for k, (value, variance, of) in enumerate(
                ((mean, found.variance, true), (mean - mean[0], found.differences, true - true[0]))
            ):
                low, high = interval(value, variance, SAMPLE_GROUPS - 1.0, 0.95)
                if setting.like:
                    low, high = for_topics_like_these(found.values - k * found.values[:1], 0.95, variance).T
                held[2 * m + k].append(((low <= of + ROUNDING) & (of - ROUNDING <= high))[k:])
                width[2 * m + k].append(float((high - low)[k:].mean()))
    click.echo(f"{setting.section}: {setting.where}: {time.process_time() - started:.0f} s", err=True)
    names = [f"{measure!s}, {what}" for measure in study.measures for what in ("runs", "differences")]
    of_means = [f", bias {np.mean(of):+.4f}, error {np.sqrt(np.square(of).mean()):.3f}" for of in away]
    biases = [said for of in of_means for said in (of, "")]  # of runs, and not of differences
    return [
        Cell.of(setting.section, name + bias, setting.where, np.array(of), float(np.mean(wide)))
        for name, bias, of, wide in zip(names, biases, held, width, strict=True)
    ]


def bernstein(judge: Judge, lines: Lines, level: float = 0.95) -> Floats:
    r"""Half the width of an interval by the empirical Bernstein bound, of each line's sum over topics: array (lines).

    An estimate is a constant and a mean of :math:`X_i = n w_i (y_i - f_i) / \pi_i` over the n documents of the sample,
    which lie within some B of each other:

    .. math:: \sqrt{2 s^2 \ln(4/\alpha) / n} + 7 B \ln(4/\alpha) / (3 (n - 1))

    Paper: Maurer and Pontil (2009), "Empirical Bernstein bounds and sample-variance penalization", COLT, theorem 11.
    """
    sample, number = judge.sample, len(judge.sample.place)
    at = np.full(len(judge.candidates), -1)
    at[sample.place] = np.arange(number)
    cell = np.flatnonzero(at[lines.place] >= 0)
    document = at[lines.place[cell]]
    x = number * lines.weight[cell] * judge.errors[document] * sample.weight[document]
    sums, squares = (sums_within(lines.line[cell], of, lines.number) for of in (x, x**2))
    spread = (squares - sums**2 / number) / (number - 1)
    least, most = judge.reach
    chance = np.where(judge.chance > 0, judge.chance, np.inf)[lines.place]
    reach = np.zeros(lines.number)
    np.maximum.at(reach, lines.line, 2 * number * np.abs(lines.weight) * (most - least) / chance)
    logarithm = np.log(4 / (1 - level))
    found: Floats = np.sqrt(2 * spread * logarithm / number) + 7 * reach * logarithm / (3 * (number - 1))
    return found


def counted_bernstein(data: Path, setting: Setting, times: int) -> list[Cell]:
    """Draw again and again, and count how often a bound holds that needs no normal distribution."""
    study = Study(data, setting)
    topics, lines, truth = len(study.candidates.topics), study.lines[0][0], study.truth[0][0]
    held, width = [], []
    for seed in range(times):
        (judge,) = study.judges(seed)
        half = bernstein(judge, lines) / topics
        held.append(np.abs(judge.estimate(lines).values.mean(axis=1) - truth) <= half)
        width.append(2 * half.mean())
    name = f"{study.measures[0]!s}, empirical Bernstein"
    return [Cell.of(setting.section, name, setting.where, np.array(held), float(np.mean(width)))]


def counted(data: Path, setting: Setting, times: int) -> list[Cell]:
    """Draw again and again, and count."""
    if setting.section in COUNTED:
        return COUNTED[setting.section](data, setting, times)
    started = time.process_time()
    study = None if setting.like else Study(data, setting)
    whole = Study(data, replace(setting, topics=None)) if setting.like else study
    assert whole is not None  # noqa: S101 - of our own making
    names = [f"{measure!s}, {what}" for measure in whole.measures for what in ("runs", "differences")]
    held: list[list[Booleans]] = [[] for _ in names]
    width: list[list[float]] = [[] for _ in names]
    size = len(whole.candidates.topics)
    for seed in range(times):
        if setting.like:
            picks = np.random.default_rng((17, seed)).integers(0, size, setting.topics or size)
            study = Study(data, setting, picks)
        assert study is not None  # noqa: S101
        for m, judge in enumerate(study.judges(seed)):
            for k in range(2):
                found, truth = study.estimate(judge, m, k), whole.truth[m][k]
                held[2 * m + k].append(holds(found, truth, setting))
                if seed % EACH == 0:
                    width[2 * m + k].append(width_of(found, setting))
    click.echo(f"{setting.section}: {setting.where}: {time.process_time() - started:.0f} s", err=True)
    return [
        Cell.of(setting.section, name, setting.where, np.array(of), float(np.mean(wide)))
        for name, of, wide in zip(names, held, width, strict=True)
    ]


THESE, EIGHT, ERRORS, LIKE, BEST, SPENT, MODELLED, CHECK = (
    "These topics: designs and sizes", "These topics: eight judges", "These topics: judges made to err",
    "Topics like these", "These topics: the best run against all others", "These topics: utilities", "Modelled ratios",
    "A bound without a distribution",
)  # fmt: skip
COUNTED: Final = {MODELLED: counted_modelled, CHECK: counted_bernstein}


def settings() -> Iterator[Setting]:
    """Give all that is counted."""
    for design, per_topic in (("uniform", 20), ("stratified", 20), ("weighted", 20), ("uniform", 10), ("weighted", 10)):
        yield Setting(THESE, design=design, per_topic=per_topic, measures=MEASURES)  # type: ignore[arg-type]
    for design in ("uniform", "weighted"):
        yield Setting(THESE, design=design, topics=15, measures=MEASURES)  # type: ignore[arg-type]
    for design, per_topic in (("weighted", 20), ("against", 20), ("weighted", 10), ("against", 10)):
        yield Setting(BEST, design=design, per_topic=per_topic, rivals=True)  # type: ignore[arg-type]
    for judge in (*JUDGES[1:], *COMBINED, TOGETHER):
        for design in ("uniform", "weighted"):
            yield Setting(EIGHT, judge, design)  # type: ignore[arg-type]
    for judge in MADE:
        for design in ("uniform", "weighted"):
            yield Setting(ERRORS, judge, design)  # type: ignore[arg-type]
    for design, topics in (("uniform", None), ("weighted", None), ("weighted", 15)):
        yield Setting(LIKE, design=design, topics=topics, like=True)  # type: ignore[arg-type]
    yield Setting(SPENT, measures=UTILITIES)
    for judge in (GPT4, "perfect", "wrong on 1 in 100", "useless", "adversarial"):
        yield Setting(MODELLED, judge, measures=RATIOS)
    for judge in (GPT4, "useless"):
        yield Setting(MODELLED, judge, per_topic=40, measures=RATIOS)
    yield Setting(MODELLED, measures=RATIOS, topics=15)
    yield Setting(MODELLED, measures=RATIOS, like=True)
    for judge in (GPT4, "useless"):
        yield Setting(MODELLED, judge, per_topic=10, measures=RATIOS)
        yield Setting(MODELLED, judge, "uniform", measures=RATIOS)
    for design in ("uniform", "weighted"):
        yield Setting(CHECK, design=design)  # type: ignore[arg-type]


def errors(data: Path, times: int) -> Iterator[str]:
    """Compare four ways to score the runs: root mean square error over runs and samples, bias of the circular run."""
    for judge in (*JUDGES, *COMBINED, TOGETHER):
        row = []
        for design in ("uniform", "weighted"):
            study = Study(data, Setting("", judge, design))
            topics, (lines, _), truth = len(study.candidates.topics), study.lines[0], study.truth[0][0]
            away: dict[str, list[Floats]] = {"sample": [], "no label": [], "judge": []}
            saved, wide = [], []
            for seed in range(times):
                (one,) = study.judges(seed)
                found = one.estimate(lines)
                value, low, high = ends(found, topics)
                wide.append((high - low).mean())
                away["judge"].append(value - truth)
                away["no label"].append(one.alone().estimate(lines).values.sum(axis=1) / topics - truth)
                totals = one.sample.estimate(study.measures[0])[0].reshape(-1, topics)
                away["sample"].append(totals.sum(axis=1) / topics - truth)
                saved.append(labels_alone(one, lines, found))
            root = {name: float(np.sqrt((np.array(of) ** 2).mean())) for name, of in away.items()}
            bias = float(np.mean([of[-1] for of in away["judge"]]))
            row += [f"{root[name]:.3f}" for name in away] + [
                f"{np.mean(wide):.3f}",
                f"{np.mean(saved):.1f}",
                f"{bias:+.4f}",
            ]
        yield f"| {judge} | {' | '.join(row)} |"


def by_labels_alone(whole: Collection, relevant: Booleans) -> Floats:
    """Score the runs by P@10, were all relevant that a judge takes for it: array (runs)."""
    said = table_of(whole.candidates).with_columns(pl.Series("relevance", relevant.astype(np.float64)))
    means: Floats = averages(said, whole.lists, ["P@10"], depth=DEPTH)[0]
    return means


def costs(data: Path, times: int) -> Iterator[str]:
    """Say what the judges save, and how often the best run is named: by samples, and by labels alone."""
    folder, whole = data / "dl19-passage", collection(data)
    runs, cheap = join(str(folder / "qrels.txt"), whole.lists), (folder / "model-judges",)
    asked = {"cheap": cheap, "per_topic": SIZES, "samples": times}
    weighted, uniform = (expert_labels(runs, MEASURES[0], design=of, **asked) for of in ("weighted", "uniform"))
    truth = truth_of(data, MEASURES[:1])[0].mean(axis=1)
    for judge in weighted["needed"]["judge"]:
        row = [str(judge).strip("()")]
        level = next((from_ for name, from_ in RELEVANT.items() if row[0].startswith(name)), None)
        if level is None:
            row += [""] * 2
        else:
            by_labels = by_labels_alone(whole, np.nan_to_num(labels_of(data, row[0])) >= level)
            lost = truth.max() - truth[by_labels.argmax()]
            row += [f"{float(kendall_tau(by_labels, truth)):.3f}", f"{lost:.3f}"]
        row += [f"{of['needed'].filter(judge=judge)['needed'].item():.1f}" for of in (uniform, weighted)]
        for size in (10, 20, 40):
            found = weighted["widths"].filter(judge=judge, per_topic=size).row(0, named=True)
            row += [f"{found['tau']:.3f}", f"{found['best_named']:.0%}", f"{found['loss']:.3f}"]
        yield f"| {' | '.join(row)} |"


def repaired(data: Path, times: int) -> dict[str, Any]:
    """Where does the circular run stand by weighted samples and the labels that sorted it?"""
    study = Study(data, Setting(""))
    lines, places = study.lines[0][0], []
    for seed in range(times):
        (one,) = study.judges(seed)
        values = one.estimate(lines).values.sum(axis=1)
        places.append(int((values > values[-1] + ROUNDING).sum()) + 1)
    return {"mean_place": np.mean(places), "first": f"{np.mean(np.array(places) == 1):.0%}"}


def alone(data: Path) -> dict[str, Any]:
    """P@10 by GPT-4's labels alone, relevant from 2 on: the error, and the circular run's value and place by both."""
    whole = collection(data)
    model = by_labels_alone(whole, np.nan_to_num(whole.labels) >= RELEVANT["umbrela"])
    experts = truth_of(data, MEASURES[:1])[0].mean(axis=1)
    places = [f"number {(of > of[-1] + ROUNDING).sum() + 1}" for of in (model, experts)]
    return {
        "alone": float(np.sqrt(((model - experts) ** 2).mean())),
        "of_model": float(model[-1]),
        "of_experts": float(experts[-1]),
        "by_model": places[0],
        "by_experts": places[1],
    }


HEAD: Final = """# Model judges on DL 2019

*Study of {date}.* Made by `python -m benchmarks.model_judges DATA --times {times}`, in {minutes:.0f} min of one
processor. How-to page: [Model judges and few experts](../model-judges.md).

DL 2019, passages: 43 topics, 61 runs and *circular*, which ranks all candidates by GPT-4's own labels, and where they
are equal by how many runs have the document. By these labels it is {by_model} with a P@10 of {of_model:.3f}, by NIST's
{by_experts} with {of_experts:.3f}. By the same labels and 20 weighted expert labels a topic it is number
{mean_place:.1f} on average, and first in {first} of {few} samples. Candidates are what these runs have among their
first 10, {candidates:,} documents.
Experts are NIST's assessors; what they did not judge counts as not relevant, and has no label. The truth is what
`cranfield evaluate` says of these lists by the experts' grades of all candidates. Grades 2 and 3 are
relevant for P@10 and RBP; DCG@10 takes the grades as they are. Labels are those of eight model judges (Arabzadeh and
Clarke, 2025, arXiv 2504.12558), of all eight combined, and of judges made from NIST's grades. *Held* is how often a
95% interval held the truth, over all runs (or 70 pairs of runs), *least* that of the worst of them. The eight are
combined without an expert, *by their errors* (Dawid and Skene) or *by mean place*, or *stacked* by the experts' grades
of the same sample on other topics.

## Errors

Root mean square error of P@10 over runs and {few} samples of 20 documents a topic. *Sample* is Horvitz and Thompson's
estimate from the sample alone; *no label* takes every document for the mean of all, corrected by the sample; *judge*
takes the mean of its label. *Width* is that of the interval with the judge, *alone* the expert labels a topic that the
sample alone would need, as `cranfield estimate` says, and *bias* that of the circular run, whose Monte Carlo error is
the column *judge* by the root of {few}. GPT-4's labels without any expert have an error of {alone:.3f}.

"""

COSTS: Final = """

## Expert labels

How many expert labels a topic make the mean interval of P@10 *for topics like these* at most a tenth wider than by all
judgments ({every:.1f} a topic, width {width:.3f}), from uniform and from weighted samples. And the leaderboard of 62
runs by weighted samples of 10, 20 and 40 labels a topic: Kendall's τ with NIST's, how often the best run comes first,
and what the run that does lacks to it in P@10, means of {few} samples. *Labels alone* is the leaderboard without an
expert; documents are relevant from label 2 of umbrela's, and 1 of binary labels, on.

"""

COLUMNS: Final = ("sample", "no label", "judge", "width", "alone", "bias")

COST_COLUMNS: Final = ("τ", "best first", "lacks")

TAIL: Final = """**Modelled ratios** are AP, nDCG, R and Bpref, completed from the labels and corrected by the sample.
*Bias* and *error* (root mean square) are of the means over topics; differences are from the first run.
`cranfield estimate` gives their intervals from 20 documents a topic and a quarter of the candidates on, of designs that
are not uniform. Those of 10 a topic and of uniform samples are in the table to show why not. **A bound without a
distribution** is the empirical Bernstein bound of Maurer and Pontil (2009), a check: it needs no normal distribution,
and is too wide to be of use.

## Limits

- One collection with eight judges; candidates down to rank 10, some 69 a topic.
- What NIST did not judge counts as not relevant, for the truth and for the experts.
- Strata by rank (*stratified*, the first 3 ranks of any run and the rest) do not say how likely a document was that was
  not drawn, so that one of the variances is estimated from the sample.
"""


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=2000, show_default=True, help="Samples of each setting.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=PAGE)
@click.option("--workers", default=1, show_default=True, help="Processes.")
def main(data: Path, times: int, output: Path, workers: int) -> None:
    """Draw from DATA's dl19-passage, and write the study."""
    few = max(times // 20, 2)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        asked = [(data, one, one.times(times)) for one in settings()]
        cells = [cell for found in pool.map(counted, *zip(*asked, strict=True)) for cell in found]
    columns = ["judge", *(f"{design}: {COLUMNS[0]}" if k == 0 else name for design in ("uniform", "weighted")
                          for k, name in enumerate(COLUMNS))]  # fmt: skip
    rows = "\n".join([f"| {' | '.join(columns)} |", f"|---|{'--:|' * (len(columns) - 1)}", *errors(data, few)])
    whole = collection(data)
    topics = len(whole.candidates.topics)
    low, high = for_topics_like_these(truth_of(data, MEASURES[:1])[0], 0.95).T
    told = COSTS.format(every=len(whole.candidates) / topics, width=(high - low).mean(), few=COSTED)
    names = ["judge", "labels alone: τ", "lacks", "needed: uniform", "weighted"]
    names += [f"{size}: {name}" if k == 0 else name for size in (10, 20, 40) for k, name in enumerate(COST_COLUMNS)]
    of_costs = "\n".join(
        [f"| {' | '.join(names)} |", f"|---|{'--:|' * (len(names) - 1)}", *costs(data, min(COSTED, few))]
    )
    head = HEAD.format(
        date=datetime.now(UTC).strftime("%-d %B %Y"),
        times=times,
        minutes=np.ceil(sum(os.times()[:4]) / 60),  # of all processes
        candidates=len(collection(data).candidates),
        few=few,
        **alone(data),
        **repaired(data, few),
    )
    write(head + rows + told + of_costs + "\n\n" + table(cells) + "\n" + TAIL, output)


if __name__ == "__main__":
    main()
