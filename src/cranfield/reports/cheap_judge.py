"""A cheap judge compared with the qrels, as the report speaks of it: what `experiment assessors` found of one judge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cranfield.experiments import Findings
from cranfield.experiments.assessors import MAIN
from cranfield.experiments.judge_tables import ALL
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import SORTED_BY_LABELS
from cranfield.scoring.orientation import direction


class JudgeStatistic(NamedTuple):
    """A number and its 95% interval for topics like these, which a single topic does not have."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class CheapJudge:
    """One judge, by one measure."""

    findings: Findings  # What `experiment assessors` found, every run being scored by all documents that each judged
    measure: Measure
    circular: str | None = None  # The run that was made with this judge, if one is known

    @cached_property
    def labels(self) -> dict[str, Any]:
        """What labels there are."""
        return self.findings["labels"].row(0, named=True)

    @property
    def name(self) -> str:
        """What the judge is called."""
        return str(self.labels["assessor"])

    @property
    def named(self) -> str:
        """The measure, at the relevance level of the runs."""
        return str(self.board["measure"][0])

    @property
    def of_grades(self) -> bool:
        """Whether its labels are grades of the qrels' scale."""
        return bool(self.labels["same_scale"])

    @property
    def documents(self) -> int:
        """How many documents have a label and a grade, those with a label that is no grade left out."""
        return int(self.labels["documents"]) - (int(self.labels["outside"]) if self.of_grades else 0)

    @property
    def direction(self) -> float:
        """1 where more of the measure is better, and -1 where less is."""
        return direction(self.measure)

    @property
    def pool(self) -> int:
        """Down to which rank the runs' documents are in the run that is sorted by the labels."""
        return int(str(self.findings.settings["pool"]))

    def statistic(self, name: str) -> JudgeStatistic | None:
        """Return how the labels differ from the grades; None where that is not known."""
        row = self.findings["against_qrels"].filter(statistic=name).rows(named=True)
        return _estimate(row[0], "value", "low", "high") if row else None

    @cached_property
    def order(self) -> dict[str, Any] | None:
        """How similar the two leaderboards are; None where there is none by the judge, or nothing to order."""
        rows = self.findings["correlation"].rows(named=True)
        return rows[0] if rows and self.board.height > 1 else None

    @cached_property
    def made(self) -> dict[str, Any] | None:
        """The run that is sorted by the labels; None where none could be made."""
        rows = self.findings["circular"].filter(run=SORTED_BY_LABELS).rows(named=True)
        return rows[0] if rows else None

    @cached_property
    def board(self) -> pl.DataFrame:
        """Scores and places of the runs by both, and what the judge gives `more`; no rows without its scores."""
        rows = self.findings["leaderboards"]
        made = rows.filter(run=SORTED_BY_LABELS)
        return rows.filter(pl.col("run") != SORTED_BY_LABELS).with_columns(
            more=(pl.col("by_assessor") - pl.col("by_qrels")) * self.direction,
            # The run that is sorted by the labels is taken out of the places of the others.
            **{
                f"place_by_{who}": pl.col(f"place_by_{who}") - (pl.col(f"place_by_{who}") > place).cast(pl.Int64)
                for who in ("assessor", "qrels") for place in made[f"place_by_{who}"]
            },
        )  # fmt: skip

    @cached_property
    def kinds(self) -> pl.DataFrame:
        """What the judge gives each kind of run; no rows where kinds are unknown or there is one."""
        return self.findings["bias"].filter((pl.col("kind") != ALL) & pl.col("favour").is_not_null())

    @property
    def tells(self) -> bool:
        """Whether the labels tell any two runs apart."""
        return self.board["place_by_assessor"].n_unique() > 1

    @property
    def grades(self) -> int:
        """How many different grades the qrels have on the documents with a label."""
        return self.findings["confusion"].filter(pl.col("documents") > 0, assessor_a=MAIN)["grade_a"].n_unique()

    def tied(self, who: str) -> int:
        """Count the pairs of runs that "assessor" or "qrels" tie."""
        sizes = np.unique(self.board[f"place_by_{who}"].to_numpy(), return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum())

    def leaders(self, who: str) -> list[str]:
        """Name the runs that "assessor" or "qrels" put first."""
        return self.board.filter(pl.col(f"place_by_{who}") == 1)["run"].to_list()


def estimate(row: dict[str, Any], name: str) -> JudgeStatistic | None:
    """Return a number of a row with its interval."""
    return _estimate(row, name, f"{name}_low", f"{name}_high")


def _estimate(row: dict[str, Any], *names: str) -> JudgeStatistic | None:
    value, low, high = (row[name] for name in names)
    return None if value is None else JudgeStatistic(value, low, high)
