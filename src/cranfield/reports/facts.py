"""What a report speaks of: everything that was computed, each once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Final

from cranfield.comparison import Comparison, compare
from cranfield.comparison.gating import USUAL_MARGIN, Gate, gate
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.formats import run_name
from cranfield.formats.documents import Documents
from cranfield.formats.named_datasets import dataset_in
from cranfield.formats.topic_files import read_topics
from cranfield.formats.unmet import settled
from cranfield.judged.audit import without_relevant
from cranfield.judged.condition_files import Excluded, ListedTopics
from cranfield.judged.conditions import NO_FILES, Conditions
from cranfield.judged.population import Population
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.declaration import bounds_of
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import SEED
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted
from cranfield.reports.cheap_judge import CheapJudge
from cranfield.reports.standing import Standing
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights

MANY: Final = 60
"""Of more runs than these, pairs are looked at less closely, so that the report is there within a minute or two."""
LAST_RANK: Final = 100
"""Down to this rank lists are followed."""
LAST_OF_MANY: Final = 20  # The same, of pairs of many runs
SIGNS: Final = 100
"""How many random sign patterns each pair of runs is compared with, which is much of the work."""

DRAWS: Final = 200
"""How often topics are drawn, for intervals of correlations."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Runs, and what they are asked."""

    runs: JudgedRuns  # All runs, joined under bounds
    measures: tuple[Measure, ...]  # By what they are measured, the first of them deciding where one measure must
    baseline: str | None = None
    """The run that the others are compared with; without it, all are compared with each other."""
    qrels_named: str = "QRELS"  # What stands for them in the commands that redo a table
    runs_named: str = "RUN..."
    seed: int = 7  # Of all that chance has a part in
    qrels_file: Path | None = None  # Where the judgments were read from, if it was a file
    documents: Documents | None = None  # What documents say that nobody judged, where that is known
    weights: TopicWeights | None = None  # What topics count for, and to which groups they belong, where that was said
    groups: TopicGroups | None = None
    cheap: Path | None = None  # A cheap judge's labels of the documents that the qrels judge, where there are some
    kinds: Path | None = None  # The kind of each run, for what the cheap judge favours
    circular: str | None = None  # The run that was made with the cheap judge
    margin: float = USUAL_MARGIN  # The loss that nobody would mind if one of two runs replaced the other
    relative: bool = False  # Whether that is a share of the mean
    on_the_page: tuple[str, ...] = ()
    """What was asked of the page alone, as words of the command: texts, title, collection."""
    whole: Evidence | None = None  # The evidence of all runs, where some did not run and are left out here

    @cached_property
    def ran(self) -> Evidence:
        """The same without the runs that did not run, of which nothing is concluded; all of them, if none ran."""
        gone, runs = dict(self.runs.not_run), self.runs.that_ran
        if runs is self.runs:
            return self
        paths = [source.path for source in runs.sources]
        files = " ".join(_file(run, path) for run, path in zip(runs.runs, paths, strict=True))
        return replace(
            self, runs=runs, whole=self, runs_named="RUN..." if None in paths else files,
            circular=None if self.circular in gone else self.circular,
        )  # fmt: skip

    @property
    def not_run(self) -> tuple[tuple[str, int], ...]:
        """The runs that were left out, since they did not run, and how many topics each lacks."""
        return () if self.whole is None else self.whole.runs.not_run

    @cached_property
    def none_ran(self) -> bool:
        """Whether each run lacks most of the topics that some run has, so that nothing can be compared."""
        return 0 < len(self.runs.runs) == len(self.runs.not_run)

    @property
    def equally(self) -> str:
        """Say that topics count equally, where weights are given that a section alone has."""
        return "" if self.weights is None else " Topics count equally here, not by their weights."

    @property
    def measure(self) -> Measure:
        """The measure that decides."""
        return self.measures[0]

    @property
    def named(self) -> str:
        """Its name in tables: at the relevance level of the runs."""
        return str(self.scores.measures[0])

    @property
    def of_quality(self) -> tuple[Measure, ...]:
        """The measures that say how good a run is, not how much of it was judged."""
        return tuple(measure for measure in self.measures if measure.of_quality)

    @property
    def many(self) -> bool:
        """Whether there are too many runs to look at every pair of them closely."""
        return len(self.runs.runs) > MANY

    @property
    def alone(self) -> bool:
        """Whether there is one run, which nothing can be compared with."""
        return len(self.runs.runs) == 1

    @property
    def several(self) -> bool:
        """Whether there are more than two runs, so that there is an order to speak of."""
        return len(self.runs.runs) > 2

    @property
    def testable(self) -> bool:
        """Whether there is anything to test: two runs and two topics."""
        return len(self.standing.names) > 1 and len(self.standing.panel.topics) > 1 and not self.none_ran

    @property
    def contest(self) -> tuple[str, str] | None:
        """Of two runs the base and the one that could replace it: the baseline or else the first, and the other."""
        if len(self.runs.runs) != 2:
            return None
        first, second = self.runs.runs
        return (second, first) if self.baseline == second else (first, second)

    @property
    def base(self) -> str | None:
        """The run from which differences are taken: the baseline, or of two runs the one that could be replaced."""
        return self.baseline if self.contest is None else self.contest[0]

    @cached_property
    def gate(self) -> Gate | None:
        """Whether the one of two runs can replace the other, by the measure that decides; None where nothing can say.

        Topics count as they are weighted, and each of the groups is asked, as in the command. It is asked of two runs
        even if one of them did not run.
        """
        if self.whole is not None:
            return self.whole.gate
        if self.contest is None or not self.testable:
            return None
        return gate(
            self.runs.of_runs(self.contest), measures=[self.measure], margin=self.margin, relative=self.relative,
            weights=self.weights, groups=self.groups, seed=self.seed,
        )  # fmt: skip

    @cached_property
    def silent(self) -> Booleans:
        """Array of shape (runs, topics), as joined: whether a run has nothing for a topic (or lacks it altogether)."""
        lengths = JudgedRankings.batch(self.runs.batches).length.reshape(self.runs.present.shape)
        silent: Booleans = ~self.runs.present | (lengths == 0)
        return silent

    @cached_property
    def questions(self) -> Mapping[str, str]:
        """What was asked, by topic, where a golden set or the file of topics says so."""
        golden, listed = self.runs.judgments.golden, self.runs.reading.topics_file
        if golden is not None:
            return golden.questions
        try:
            read = {} if listed is None else read_topics(str(listed))
        except InputError:  # ids alone
            return {}
        return {topic: text.title or text.description for topic, text in read.items()}

    @cached_property
    def scores(self) -> Scores:
        """Scores by all measures, the best run first."""
        return self.as_judged.scores(self.measures, levels=True).sorted_by()

    @cached_property
    def deciding(self) -> Scores:
        """Scores by the measure that decides, the best run first."""
        return self.as_judged.scores([self.measure]).sorted_by()

    @cached_property
    def behind(self) -> pl.DataFrame:
        """How far each run is behind the best by that measure, and how sure: see `Scores.behind_best`."""
        return self.deciding.behind_best()

    @cached_property
    def ranges(self) -> Scores | None:
        """Scores with the least and most that unjudged documents could make of them, the best run first.

        Only by measures whose range is certain: trying completions takes long and may miss the ends. None if there are
        none, or where the judgments are complete.
        """
        if self.runs.judgments.complete:
            return None
        sure = [measure for measure in self.measures if not bounds_of(type(measure)).startswith(("tried", "none"))]
        return self.runs.scores(sure).of_runs(self.scores.runs) if sure else None

    @cached_property
    def comparison(self) -> Comparison:
        """Every pair of runs (or each and the baseline), tested by the measure that decides; the best run first."""
        return compare(self.as_judged, measures=[self.measure], baseline=self.baseline, seed=self.seed).sorted_by()

    @cached_property
    def certificate(self) -> Findings:
        """Which ranks are certain and which likely, by the measure that decides."""
        return EXPERIMENTS["certificate"](self.as_judged, [self.measure], seed=self.seed)

    @cached_property
    def dominance(self) -> Findings:
        """Which runs are nowhere worse, at any rank and grade."""
        return EXPERIMENTS["dominance"](self.as_judged, depth=self.dominance_depth, resamples=SIGNS, seed=self.seed)

    @cached_property
    def judge(self) -> CheapJudge | None:
        """The cheap judge compared with the qrels, by the measure that decides."""
        if self.cheap is None:
            return None
        circular = () if self.circular is None else (self.circular,)
        found = EXPERIMENTS["assessors"](
            self.as_judged, [self.measure], assessors=(self.cheap,), circular=circular, documents="all",
            kinds=self.kinds, seed=self.seed,
        )  # fmt: skip
        return CheapJudge(found, self.measure, self.circular)

    @property
    def dominance_depth(self) -> int:
        """Down to which rank runs are compared with each other, at all ranks and grades."""
        return LAST_OF_MANY if self.many else LAST_RANK

    @property
    def over(self) -> str:
        """Runs and topics, counted: of shared topics those that all runs have."""
        population = self.population
        which = ", which all runs have" if population.nowhere else ""
        return f"{counted(population.runs, 'run')} on {population.of_topics}{which}"

    @cached_property
    def population(self) -> Population:
        """The topics that count, of shared ones those that all runs have, and their judgments."""
        return self.runs.population.shared.judged_by(self.runs.judgments)

    @cached_property
    def without_relevant(self) -> tuple[str, ...]:
        """Those of the topics that have no relevant document."""
        return self.population.counting(without_relevant(self.runs.judgments, self.runs.grading.rel))

    @property
    def scope(self) -> Scope:
        """The measure that decides, on the topics and judgments at hand."""
        return Scope((self.named,))

    @property
    def scope_of_grades(self) -> Scope:
        """The same, and everything that could have been judged."""
        return self.scope.graded(self.runs.judgments.top_grade, complete=self.runs.judgments.complete)

    @cached_property
    def standing(self) -> Standing:
        """How the runs stand by the measure that decides."""
        return Standing(self.runs, self.measure)

    def command(self, *words: str) -> str:
        """Write the command that redoes a part of this, under the conditions of the runs."""
        name, *options = words
        asked = map(quote, [*options, *self._conditions(options)])
        return " ".join([f"cranfield {name} {self.qrels_named} {self.runs_named}", *asked])

    @property
    def gate_command(self) -> str:
        """The command that asks the same of the two runs, for continuous integration; empty where no file says what."""
        if self.whole is not None:
            return self.whole.gate_command
        files = {source.path for source in self.runs.sources}
        if self.gate is None or self.contest is None or None in files or len(files) < 2:
            return ""
        if self.qrels_file is None and not self.runs.judgments.provenance:
            return ""
        options = as_options(
            margin=self.margin_asked,
            weights=self.weights and as_option(self.weights),
            groups=self.groups and as_option(self.groups),
            seed=None if self.seed == SEED else self.seed,
        )
        return self.command_of("gate", *self.contest, options=[*self.asking(self.measure), *options], named=False)

    @property
    def margin_asked(self) -> str | None:
        """The margin as an option takes it; None if it is the usual one."""
        if (self.margin, self.relative) == (USUAL_MARGIN, False):
            return None
        return f"{100 * self.margin:g}%" if self.relative else f"{self.margin:g}"

    def command_of(self, name: str, *runs: str, options: Sequence[str] = (), named: bool = True) -> str:
        """Write a command that takes some of the runs alone, each named as it is here, or each by its file."""
        paths = {source.name: source.path for source in self.runs.sources}
        given = [_file(run, paths[run], named=named) for run in runs]
        asked = map(quote, [*options, *self._conditions(options)])
        return " ".join([f"cranfield {name} {self.qrels_named}", *given, *asked])

    def experiment(self, name: str, table: str, *options: str) -> str:
        """Write the command that redoes a table of an experiment."""
        return self.command(f"experiment {name}", *options, "--table", table)

    def asking(self, *measures: Measure) -> list[str]:
        """Write measures as options of a command."""
        return [word for measure in measures for word in ("-m", repr(measure))]

    @property
    def against(self) -> list[str]:
        """The baseline as options of a command."""
        return [] if self.baseline is None else ["--baseline", self.baseline]

    @cached_property
    def as_judged(self) -> JudgedRuns:
        """The runs, whose scores have no ranges."""
        return self.runs.under(bounds=False)

    def _conditions(self, options: Sequence[str]) -> list[str]:
        unusual = Conditions(self.runs.reading, self.runs.grading.but(bounds=False)).unusual()
        words = []
        for name, value in unusual.items():
            value = as_option(value) if isinstance(value, Excluded | ListedTopics) else value  # noqa: PLW2901
            written = [] if value is True else [f"{value:g}" if isinstance(value, float) else str(value)]
            words += [f"--{name.replace('_', '-')}", *written]
        return [*words, *self._names(options)]

    def _names(self, options: Sequence[str]) -> Iterator[str]:
        """Say what is what in files with names of their own, as far as a file of the command has such a name."""
        reading = self.runs.reading
        files: list[object] = [self.qrels_file, *(source.path for source in self.runs.sources), reading.costs]
        files += [self.groups] * ("--groups" in options) + [self.weights] * ("--weights" in options)
        held = [str(file) for file in files if file is not None]
        for names in reading.naming:
            for ours, several in names.names.items():
                for theirs in several:
                    try:
                        settled(Naming.of(**{names.parameter: {ours: theirs}}), held)
                    except InputError:  # it is the name of something else
                        continue
                    yield from (names.option, f"{ours}={theirs}")


def _file(run: str, path: Path | None, *, named: bool = True) -> str:
    """Write a run as commands take it, named where it is not called as its file; ``RUN`` where it has none."""
    if path is None:
        return "RUN"
    return quote(str(path) if not named or run_name(path) == run else f"{run}={path}")


def as_options(**given: object) -> tuple[str, ...]:
    """Write settings as options of a command; those that are None are left out."""
    return tuple(word for name, value in given.items() if value is not None for word in (f"--{name}", str(value)))


def as_option(given: object) -> str:
    """Write a file of topics as a command takes it; what was given in memory becomes ``FILE``."""
    text = str(given)
    return text if text in NO_FILES.values() or dataset_in(text) or Path(text).is_file() else "FILE"
