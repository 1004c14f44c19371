"""What a report speaks of: everything that was computed, each once, when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cranfield.comparison import Comparison, compare
from cranfield.judged_runs import JudgedRuns
from cranfield.measures.machinery.measure import Measure
from cranfield.reports.standing import Standing
from cranfield.scores import Scores


@dataclass(frozen=True)
class Evidence:
    """Runs, and what they are asked.

    Attributes
    ----------
    runs
        All runs, joined under bounds.
    measures
        By what they are measured, the first of them deciding where one measure must.
    baseline
        The run that the others are compared with; without it, all are compared with each other.
    qrels_named, runs_named
        What stands for them in the commands that redo a table.
    seed
        Of all that chance has a part in.
    """

    runs: JudgedRuns
    measures: tuple[Measure, ...]
    baseline: str | None = None
    qrels_named: str = "QRELS"
    runs_named: str = "RUN..."
    seed: int = 7

    @property
    def measure(self) -> Measure:
        """The measure that decides."""
        return self.measures[0]

    @cached_property
    def scores(self) -> Scores:
        """Scores with what unjudged documents could make of them, the best run first."""
        return self.runs.scores(self.measures).sorted_by(self.measure)

    @cached_property
    def comparison(self) -> Comparison:
        """Every pair of runs (or each and the baseline), tested."""
        return compare(self.runs, measures=self.measures, baseline=self.baseline, seed=self.seed)

    @cached_property
    def standing(self) -> Standing:
        """How the runs stand by the measure that decides."""
        return Standing(self.runs, self.measure)

    def command(self, *words: str) -> str:
        """Write the command that redoes something of this.

        >>> from cranfield.judged_runs import join
        >>> runs = join({"1": {"a": 1}}, {"bm25": {"1": {"a": 1.0}}})
        >>> Evidence(runs, ()).command("compare", "-m", "nDCG(base=2)@10")
        "cranfield compare QRELS RUN... -m 'nDCG(base=2)@10'"
        """
        from shlex import quote

        name, *options = words
        return " ".join([f"cranfield {name} {self.qrels_named} {self.runs_named}", *map(quote, options)])
