"""What is computed of the accepted runs, each thing once, and the files that it is written to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import numpy as np

from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.experiments.reusability import sole_owners
from cranfield.measures.framework.names import parse_measures
from cranfield.plots.appendix_sheets import LEVELS
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.lazy import pl
from cranfield.reports.facts import Evidence
from cranfield.reports.reporting import evidence_of
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_named, direction, oriented
from cranfield.scoring.scores import Scores
from cranfield.track.check_step import accepted
from cranfield.track.judge_step import QRELS
from cranfield.track.pool_step import CHANCES, NO_POOL, contributing
from cranfield.track.steps import Files, csv_of
from cranfield.track.submissions import Submission, file_name
from cranfield.track.track import Track
from cranfield.track.track_file import TrackSettings

RESULTS: Final = "results"
OFFICIAL: Final = f"{RESULTS}/official"
"""Official measures of each run, in the layout of trec_eval; by its order, byte for byte what it prints."""
SCORES: Final = f"{RESULTS}/scores.csv"
BY_TOPIC: Final = f"{RESULTS}/scores-by-topic.csv"
TOPIC_RESULTS: Final = f"{RESULTS}/topics.csv"
TABLE: Final = f"{RESULTS}/table.txt"
PAGE: Final = f"{RESULTS}/index.html"
SHEETS: Final = f"{RESULTS}/sheets"
CLAIMS: Final = f"{RESULTS}/claims.md"
"""What may be said of the results."""


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that is computed from the accepted runs, each thing once, when it is first asked for."""

    track: Track

    @property
    def settings(self) -> TrackSettings:
        """The settings of the track."""
        return self.track.settings

    @cached_property
    def submissions(self) -> dict[str, Submission]:
        """The accepted runs by name."""
        return {each.run: each for each in accepted(self.track)}

    @cached_property
    def unpooled(self) -> frozenset[str]:
        """The accepted runs whose documents were not pooled; none where nothing was."""
        if self.settings.pool.method == NO_POOL:
            return frozenset()
        return frozenset(self.submissions) - {each.run for each in contributing(self.track)}

    @cached_property
    def evidence(self) -> Evidence:
        """The runs, joined with the judgments, and what a report asks of them."""
        found = evidence_of(
            self.track.folder / QRELS, {name: str(each.file) for name, each in self.submissions.items()},
            list(self.settings.measures.names), None, self.settings.results.seed, **self.settings.measures.conditions,
        )  # fmt: skip
        # Commands are for readers of the release, who have its files and not the organiser's.
        return replace(found, qrels_named="qrels.txt", runs_named="RUN...", qrels_file=None)

    @property
    def runs(self) -> JudgedRuns:
        """The runs, joined."""
        return self.evidence.as_judged

    @cached_property
    def scores(self) -> Scores:
        """The scores by all measures, the best run first."""
        return self.evidence.scores

    @cached_property
    def curves(self) -> Scores:
        """Precision at eleven levels of recall, the runs in the order of the leaderboard."""
        return self.runs.scores(parse_measures(LEVELS)).of_runs(self.scores.runs)

    @cached_property
    def counts(self) -> Scores:
        """How many documents each run has, how many are relevant, and how many of these it has."""
        return self.runs.scores(["NumRet", "NumRel", "NumRelRet"])

    @cached_property
    def decisive(self) -> Scores:
        """Scores by the measure that decides, alone."""
        return self.runs.scores([self.evidence.measure]).of_runs(self.scores.runs)

    @cached_property
    def owners(self) -> Integers:
        """For each judgment, the number of the only run that has the document; -1 if there are several, or none."""
        return sole_owners(self.runs, np.arange(len(self.runs.runs)))

    def official(self) -> Files:
        """Write the official measures of each run, with all its topics, as trec_eval lays them out."""
        scores = self.runs.scores("official")
        return {
            f"{OFFICIAL}/{file_name(run)}.txt": scores.of_runs([run]).render("trec_eval", per_topic=True)
            for run in scores.runs
        }

    def tables(self) -> Files:
        """Write the scores: for programs, for people, and for papers."""
        scores = self.scores
        return {
            SCORES: scores.render("csv"),
            BY_TOPIC: scores.render("csv", per_topic=True),
            TABLE: f"{scores.render()!s}{scores.caption()}\n",
            f"{RESULTS}/table.tex": scores.render("latex"),
        }

    def significance(self) -> Files:
        """Write which runs differ significantly by the measure that decides."""
        found = self.evidence.ran.comparison
        return {
            f"{RESULTS}/significance.csv": found.render("csv"),
            f"{RESULTS}/significance.txt": f"{found.render()!s}{found.caption()}\n",
        }

    @cached_property
    def by_topic(self) -> pl.DataFrame:
        """Best, median and worst value of each topic and measure, with how much was judged, hardest topics first."""
        judgments, rel = self.runs.judgments, self.runs.grading.rel
        judged = pl.DataFrame(
            {
                "topic": list(self.runs.topics),
                "judged": judgments.count(~np.isnan(judgments.grade)).astype(np.int64),
                "relevant": judgments.recall_base(rel).astype(np.int64),
            }
        )
        value, scores = pl.col("value"), self.scores
        lower = [str(measure) for measure in scores.measures if direction(measure) < 0]
        turned = pl.when(pl.col("measure").is_in(lower)).then(-value).otherwise(value)
        over = scores.per_topic.with_columns(turned=turned).group_by("measure", "topic", maintain_order=True)
        rows = over.agg(
            best=value.get(pl.col("turned").arg_max()), median=value.median(),
            worst=value.get(pl.col("turned").arg_min()), mean=value.mean(),
        )  # fmt: skip
        best = [best_named(scores.runs, oriented(*each)) for each in zip(scores.measures, scores.values, strict=True)]
        of = {"measure": list(map(str, scores.measures)), "topic": [scores.topics] * len(best), "best_run": best}
        named = pl.DataFrame(of).explode("topic", "best_run")
        rows = rows.join(named, on=["measure", "topic"], how="left", maintain_order="left")
        order = pl.when(pl.col("measure").is_in(lower)).then(-pl.col("median")).otherwise("median")
        places = {str(measure): place for place, measure in enumerate(scores.measures)}
        placed = rows.with_columns(_place=pl.col("measure").replace_strict(places, return_dtype=pl.Int64), _order=order)
        joined = placed.join(judged, on="topic", maintain_order="left")
        joined = joined.sort("_place", "_order", "relevant", maintain_order=True)
        return joined.select("measure", "topic", "judged", "relevant", "best", "best_run", "median", "worst", "mean")

    @property
    def pool_depth(self) -> int | None:
        """Down to which rank all documents of the runs were pooled; None where they were chosen otherwise."""
        return self.settings.pool.depth if self.settings.pool.method == "depth" else None

    @cached_property
    def without_teams(self) -> Findings:
        """What leaving out each team in turn changes."""
        rows = [(run, each.team) for run, each in self.submissions.items()]
        with NamedTemporaryFile(suffix=".csv") as file:  # the runs that count: a rejected one may be called the same
            file.write(csv_of(rows, "run", "team").encode())
            file.flush()
            return EXPERIMENTS["reusability"](
                self.runs, self.evidence.of_quality, teams=Path(file.name), pool_depth=self.pool_depth
            )

    def estimates(self) -> Files:
        """Write what the scores of the runs in the pool would be if all of it had been judged, from the sample."""
        from cranfield.scoring.judged_runs import open_qrels
        from cranfield.selection import Candidates
        from cranfield.selection.estimates import estimate
        from cranfield.selection.sampling import read_sample

        given = {each.run: str(each.file) for each in contributing(self.track)}
        depth, measures = self.settings.pool.depth, self.settings.measures
        found = estimate(
            Candidates.gather(given, order=measures.order, depth=depth), read_sample(self.track.folder / CHANCES),
            open_qrels(self.track.folder / QRELS), list(measures.names), rel=measures.level,
        )  # fmt: skip
        return {f"{RESULTS}/estimates.csv": found.render("csv")}


def tables_of(found: Findings) -> Files:
    """Write the tables of an experiment."""
    notes = "".join(f"{note}\n" for note in found.notes)
    files: dict[str, str | bytes] = {
        f"{RESULTS}/{found.experiment}-{name}.csv": found[name].write_csv() for name in found.tables
    }
    return files | ({f"{RESULTS}/{found.experiment}-notes.txt": notes} if notes else {})
