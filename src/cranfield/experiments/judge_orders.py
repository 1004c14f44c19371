"""A judge's leaderboard against people's: similarity, pairs of runs kept, and runs favoured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from cranfield.experiments.declared import Columns
from cranfield.experiments.judge_tables import circular, leaderboards, told_apart
from cranfield.formats import expand, run_name
from cranfield.formats.leaderboard_files import is_of_one_run
from cranfield.measures.framework.names import name_in_front, place_of
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.tables import AVERAGE, SORTED_BY_LABELS
from cranfield.plumbing.wording import by_number, counted, did_you_mean, named, some_of
from cranfield.scoring.panel import Panel, panel_of, read_scores
from cranfield.statistics.differences import differences
from cranfield.statistics.on_paper import side
from cranfield.statistics.order_agreement import (
    FEWEST_SYSTEMS,
    ORDER_STATISTICS,
    agreement_over_systems,
    agreement_over_topics,
    order_agreement,
)

AMONG: Final = ("all", "others")
"""Which runs an order is of: all, or those that were not made with the judge."""


@dataclass(frozen=True, eq=False)
class BesideJudge:
    """Two leaderboards of the same runs by the same measures, by people and by a judge."""

    truth: Panel
    judge: Panel
    assessor: str
    circular: Booleans  # array of shape (runs,): which runs were made with the judge

    @property
    def topics(self) -> int:
        """On how many topics both are known: 0 where one of the two has averages alone."""
        return 0 if AVERAGE in (*self.truth.topics, *self.judge.topics) else len(self.truth.topics)

    def agreement(self, best: int, resamples: int, seed: int) -> Iterator[Columns]:
        """Say how similar the two are, with intervals over topics and over runs; without circular runs, too."""
        kinds = [np.ones_like(self.circular), *([~self.circular] if self.circular.any() else [])]
        for m, measure in enumerate(self.truth.measures):
            for among, kept in zip(AMONG, kinds, strict=False):
                row: Columns = {"measure": measure, "assessor": self.assessor, "among": among, "runs": int(kept.sum())}
                for found in self._agreement(m, kept, best, resamples, seed):
                    yield row | {"topics": self.topics} | found

    def _agreement(self, m: int, kept: Booleans, best: int, resamples: int, seed: int) -> Iterator[Columns]:
        """Give a row for each statistic, of some of the runs: two at least."""
        if kept.sum() < 2:
            return
        judge, truth = self.judge.averages[m, kept], self.truth.averages[m, kept]
        of_topics = of_runs = np.full((2, len(ORDER_STATISTICS)), np.nan)
        drawn = {"resamples": resamples, "seed": seed}
        if self.topics:
            values = self.judge.values[m, kept], self.truth.values[m, kept]
            of_topics = np.array(agreement_over_topics(*values, best, **drawn))
        of_runs = np.array(agreement_over_systems(judge, truth, best, **drawn))
        names = ("statistic", "value", "low", "high", "runs_low", "runs_high")
        for found in zip(ORDER_STATISTICS, order_agreement(judge, truth, best), *of_topics, *of_runs, strict=True):
            yield dict(zip(names, found, strict=True))

    def by_topic(self, best: int) -> Iterator[Columns]:
        """Say how similar the two are topic by topic."""
        if not self.topics or len(self.circular) < 2:
            return
        for m, measure in enumerate(self.truth.measures):
            found = order_agreement(self.judge.values[m].T, self.truth.values[m].T, best)
            yield {
                "measure": measure,
                "assessor": self.assessor,
                "topic": list(self.truth.topics),
                **dict(zip(ORDER_STATISTICS, found, strict=True)),
            }

    def pairs(self) -> Iterator[Columns]:
        """Say what becomes of the pairs of runs that people tell apart, and how many the judge adds."""
        for m, measure in enumerate(self.truth.measures):
            row: Columns = {"measure": measure, "assessor": self.assessor}
            ours, theirs = (
                None if AVERAGE in panel.topics else told_apart(panel.values[m]) for panel in (self.truth, self.judge)
            )
            names = ("significant", "kept", "lost", "reversed", "share_kept", "share_lost", "share_reversed")
            row |= dict.fromkeys((*names, "other_way", "added"))
            if ours is not None:
                differ = ours != 0
                row["significant"] = int(differ.sum())
                row["other_way"] = int((side(differences(self.judge.averages[m])) == -ours)[differ].sum())
                if theirs is not None:
                    counts = [int((differ & of).sum()) for of in (theirs == ours, theirs == 0, theirs == -ours)]
                    row |= dict(zip(names[1:], [*counts, *(n / max(differ.sum(), 1) for n in counts)], strict=True))
                    row["added"] = int((~differ & (theirs != 0)).sum())
                    if not differ.any():
                        row |= dict.fromkeys(names[4:])
            yield row


@dataclass(frozen=True, eq=False)
class MadeWithJudge:
    """Scores of all runs by the qrels and by a judge, who has none where the labels are on another scale."""

    qrels: Panel
    judge: Panel | None
    assessor: str
    circular: Booleans  # array of shape (runs,): which runs were made with the judge

    def gains(self, resamples: int, seed: int) -> Iterator[Columns]:
        """Say what each run gains that was made with the judge, the one that is sorted by labels first."""
        made = np.flatnonzero(self.circular).tolist()
        for at in sorted(made, key=lambda run: self.qrels.runs[run] != SORTED_BY_LABELS):
            yield circular(self.qrels, self.judge, self.assessor, at, ~self.circular, resamples, seed)

    def sides(self) -> Iterator[Columns]:
        """Set scores and places of all runs side by side."""
        if self.judge is not None:
            yield leaderboards(self.qrels, self.judge, self.assessor, self.circular)


def read_beside(
    scores: Path, judges: Sequence[Path], measures: Sequence[str], circular: Sequence[str], matched: Sequence[str] = ()
) -> tuple[list[BesideJudge], list[str]]:
    """Read people's leaderboard and those of judges; what one of the two lacks is left out, and named in notes."""
    if measures and matched:
        raise InputError("matched says which measures are compared; leave measures out")
    people = panel_of(read_scores(scores, measures), averages=True)
    boards, notes = [], [*people.notes]
    for path in [each for judge in judges for each in ([judge] if is_of_one_run(judge) else expand([judge]))]:
        name = run_name(path).removesuffix(".tot").removesuffix(".ir_measures")
        judge = panel_of(read_scores(path, measures), averages=True)
        board, said = _matched(people, judge, name, matched)
        boards.append(replace(board, circular=made_with(board.truth.runs, circular, some_lack=True)))
        notes += [f"{name}: {note}" for note in (*judge.notes, *said)]
    if any(each.truth.clusters or each.judge.clusters for each in boards):
        notes.append("intervals over topics are too narrow: topics are drawn one by one, clusters or not")
    if unknown := [run for run in circular if run not in people.runs]:
        raise InputError(_no_run(unknown[0], people.runs))
    return boards, list(dict.fromkeys(notes))


def made_with(runs: Sequence[str], circular: Sequence[str], *, some_lack: bool = False) -> Booleans:
    """Say which runs were made with the judge: array of shape (runs,)."""
    for run in circular:
        if run not in runs and not some_lack:
            raise InputError(_no_run(run, runs))
    return np.array([run in circular for run in runs], dtype=np.bool_)


def _no_run(name: str, runs: Sequence[str]) -> str:
    return f"circular names {name!r}, which is no run{did_you_mean(name, runs) or f'; the runs are {some_of(runs)}'}"


def _matched(people: Panel, judge: Panel, name: str, matched: Sequence[str]) -> tuple[BesideJudge, list[str]]:
    """Keep what both have: measures by their names, as matched, or the only one of each; runs; topics, if any."""
    notes = []
    both = [measure for measure in people.measures if measure in judge.measures]
    if matched:
        pairs = list(map(_pair, matched))
        people = people.of_measures([_meant(ours, people, "people's scores") for ours, _ in pairs])
        judge = judge.of_measures([_meant(theirs, judge, name) for _, theirs in pairs])
        people, judge = (replace(each, measures=tuple(matched)) for each in (people, judge))
    elif both:
        people, judge = people.of_measures(both), judge.of_measures(both)
    elif len(people.measures) == len(judge.measures) == 1:
        notes.append(f"its {judge.measures[0]} is compared with {people.measures[0]}")
    else:
        example = f"{people.measures[0]}={judge.measures[0]}"
        raise InputError(
            f"no measure in common with {name}: {some_of(people.measures)} here, {some_of(judge.measures)} there; say "
            f"which is which: {f'--matched {example}' if in_shell() else f'matched=({example!r},)'}"
        )
    kept = []
    for of, other, where in ((people, judge, name), (judge, people, "people's scores")):
        if lacking := [run for run in of.runs if run not in other.runs]:
            notes.append(f"{counted(len(lacking), 'run')} missing from {where}, left out: {named(lacking)}")
        kept.append([run for run in people.runs if run in of.runs and run in other.runs])
    if len(kept[0]) < 2:
        raise InputError(f"two runs in common are needed to compare orders; {name} shares {len(kept[0])}")
    people, judge = _of_runs(people, kept[0]), _of_runs(judge, kept[0])
    if AVERAGE in (*people.topics, *judge.topics):
        notes.append("one leaderboard has averages only: no intervals over topics, and no numbers by topic")
    else:
        topics = [topic for topic in people.topics if topic in judge.topics]
        if not topics:
            raise InputError(f"no topic in common with {name}")
        if lacking := sorted({*people.topics, *judge.topics} - {*topics}, key=by_number):
            notes.append(f"{counted(len(lacking), 'topic')} not in both, left out: {named(lacking)}")
        people, judge = people.of_topics(topics), judge.of_topics(topics)
    if len(kept[0]) < FEWEST_SYSTEMS:
        notes.append(f"no intervals over runs: they need at least {FEWEST_SYSTEMS} runs")
    return BesideJudge(people, judge, name, np.zeros(len(kept[0]), dtype=np.bool_)), notes


def _pair(text: str) -> tuple[str, str]:
    """Read a pair of measures, people's and the judge's."""
    if (pair := name_in_front(text)) is None:
        raise InputError(f"matched has pairs PEOPLE=JUDGE, such as nDCG@10=helpfulness, not {text!r}")
    return pair


def _meant(name: str, panel: Panel, where: str) -> str:
    """Find a measure by its name, of which parameters may be left out."""
    try:
        return panel.measures[place_of(name, panel.measures)]
    except MeasureError:
        raise InputError(f"{where}: no measure {name!r}; the measures are {some_of(panel.measures)}") from None


def _of_runs(panel: Panel, runs: Sequence[str]) -> Panel:
    """Return some runs, in this order."""
    at = [panel.runs.index(run) for run in runs]
    return replace(panel, runs=tuple(runs), values=panel.values[:, at], limits=None)
