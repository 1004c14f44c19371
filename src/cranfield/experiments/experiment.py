"""What an experiment is: a function with a docstring, from which its command, its options, tables and page follow."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard, cast

import numpy as np

from cranfield import __version__
from cranfield.experiments.declared import Rows, Table, explained, tables_of
from cranfield.experiments.findings import Collection, Findings
from cranfield.experiments.provenance import code_digest, sources
from cranfield.experiments.side_by_side import SideBySide, side_by_side
from cranfield.experiments.work import Work
from cranfield.formats.score_tables import ScoreTable
from cranfield.judged.conditions import USUAL_GRADING, Conditions, Grading
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, listed, parse_measures
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import OrInMemory, annotations_of, checked, shown
from cranfield.plumbing.surface import take_scores
from cranfield.plumbing.tables import COLLECTION, looks_like_scores
from cranfield.plumbing.threads import one_for_matrices
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import numbers_only
from cranfield.scoring.scores import Scores

Collections: TypeAlias = Mapping[str, JudgedRuns]
"""Joined runs by the name of their collection."""

Made: TypeAlias = "tuple[dict[str, pl.DataFrame], tuple[str, ...]]"
"""The tables of an experiment as it declares them, and the notes."""

EXPERIMENTS: Final[dict[str, Experiment]] = {}
"""All experiments by name."""

_RUNS: Final = frozenset({"runs", "collections"})  # The parameters that take runs
_ALONE: Final = "runs"  # The name for runs given without a collection name


@dataclass(frozen=True)
class Outcome:
    """What the function of an experiment returns: the tables that it declares, and notes for their reader."""

    tables: Mapping[str, Rows]
    notes: Iterable[str] = ()


class Option(NamedTuple):
    """An option of an experiment."""

    name: str
    annotation: object
    default: object
    meaning: str

    @property
    def of_measures(self) -> bool:
        """Whether measures are named."""
        return bool(self.annotation == MeasureNames)


@dataclass(frozen=True)
class Experiment:
    """An experiment, as its function declares it.

    The function's first line of documentation is the question that it answers. Its parameters:

    - ``runs``, first, takes the `JudgedRuns` (where it has a default, it may be left out): with several collections the
      experiment runs on each in turn, and each table starts with the collection's name. ``collections`` instead takes
      them all at once.
    - ``measures`` takes the measures; its default names those of the paper.
    - ``work`` takes the `Work`, which keeps finished steps under a digest of everything they depend on.
    - All others, keyword-only, are options: explained under *Parameters*, their ranges in their
      annotations.

    It returns an `Outcome` with the tables declared under *Tables*; those named under *Side by side* are shown with one
    column per collection. The rest is done here: options are checked, measures parsed and set to the runs' relevance
    level, settings, inputs and versions recorded.
    """

    name: str
    function: Callable[..., Outcome]

    def _bound(self, *args: object, **given: object) -> inspect.BoundArguments:
        """Bind the arguments; a caller who passes qrels and runs gets the advice to join them."""
        if sys.flags.optimize > 1:  # the tables are declared in the docstring
            raise InputError("experiments do not work where Python drops docstrings (-OO, PYTHONOPTIMIZE=2)")
        work = {"work": None} if "work" in self._signature.parameters else {}
        try:
            return self._signature.bind(*args, **given, **work)
        except TypeError as error:
            if self.on_runs and args and not _are_joined(args[0]):
                raise self._refused(args[0]) from None
            names = ", ".join(name for name in self._signature.parameters if name != "work")
            runs = "; its runs are cranfield.join(qrels, runs)" if self.on_runs else ""
            raise InputError(f"{self.name} takes {names}{runs}: {error}") from None

    def __call__(self, *args: object, rel: float | None = None, work: Work | None = None, **given: object) -> Findings:
        """Run the experiment on joined runs, or on several by the name of their collection.

        ``rel`` is the lowest relevant grade; by default, that of the joined runs.
        """
        if not isinstance(work, Work | None):
            raise InputError(f"work must be a cranfield.experiments.Work, not {shown(work)}")
        bound = self._bound(*args, **given)
        usual = "measures" not in bound.arguments
        bound.apply_defaults()
        options = dict(bound.arguments)
        collections = {name: runs.under(rel=rel) for name, runs in self._collections(options).items()}
        found, settings, described = [], dict[str, object](), []
        together = "collections" in self.takes or not collections
        for group in [collections] if together else [{name: runs} for name, runs in collections.items()]:
            chosen = self._checked(options, group, usual=usual)
            settings = self._settings(chosen)
            if usual and not group and not self.needs_runs:  # whatever it takes instead of runs has its own measures
                settings.pop("measures", None)
            inputs = [_described(name, runs) for name, runs in group.items()]
            task = (work or Work()).on(self.name, self._depends_on(settings, inputs, chosen), self.tables)
            with one_for_matrices():
                found.append((next(iter(group), ""), self._outcome(group, chosen, task)))
            described += inputs
        tables, notes = _stacked(found) if len(found) > 1 else found[0][1]
        blanks = {each.name: each.blank for table in self.tables.values() for each in table.columns if each.blank}
        version, layouts = f"{__version__} {code_digest()}", self.side_by_side if len(found) > 1 else {}
        return Findings(self.name, tables, settings, notes, tuple(described), version, layouts, blanks)

    @property
    def question(self) -> str:
        """The question it answers."""
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n")[0]

    @property
    def takes(self) -> frozenset[str]:
        """Which of runs, collections, measures and work it accepts."""
        return frozenset(self._signature.parameters) & {"runs", "collections", "measures", "work"}

    @property
    def on_runs(self) -> bool:
        """Whether it needs runs."""
        return bool(self.takes & _RUNS)

    @property
    def needs_runs(self) -> bool:
        """Whether it cannot do without runs."""
        takes = self._signature.parameters
        return self.on_runs and all(takes[name].default is inspect.Parameter.empty for name in self.takes & _RUNS)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures it uses by default."""
        return tuple(self._signature.parameters["measures"].default) if "measures" in self.takes else ()

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All other choices."""
        meanings = explained(self.function.__doc__ or "")
        return tuple(
            Option(name, annotations_of(self.function)[name], parameter.default, meanings.get(name, ""))
            for name, parameter in self._signature.parameters.items()
            if name not in self.takes
        )

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables it returns, by name."""
        return tables_of(self.function.__doc__ or "")

    @cached_property
    def side_by_side(self) -> dict[str, SideBySide]:
        """How tables of several collections are laid out for people, by their names."""
        return side_by_side(self.function.__doc__ or "")

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    def _collections(self, options: dict[str, object]) -> Collections:
        """Take the runs out of the arguments."""
        given = options.pop("runs" if "runs" in self.takes else "collections", None)
        options.pop("work", None)
        if not self.on_runs or (given is None and not self.needs_runs):
            return {}
        if not _are_joined(given):
            raise self._refused(given)
        if options.get("scores") is not None:
            raise InputError("pass joined runs, or scores=, not both")
        collections = {_ALONE: given} if isinstance(given, JudgedRuns) else given
        known: dict[str, str] = {}
        for name, runs in collections.items():
            if runs.fingerprint in known:
                raise InputError(f"{name}: the same runs and judgments as {known[runs.fingerprint]}; name each once")
            known[runs.fingerprint] = name
        return collections

    def _refused(self, given: object) -> InputError:
        """Say what it takes instead of what was given for its runs."""
        joined = f"{self.function.__name__}(cranfield.join(qrels, runs))"
        scores = isinstance(given, Scores) or looks_like_scores(getattr(given, "columns", ()))
        instead = f"; {take_scores()}" if scores else ""
        return InputError(
            f"{self.name} takes joined runs, {joined}, or several of them by name, not {shown(given)}{instead}"
        )

    def _checked(self, given: Mapping[str, object], collections: Collections, *, usual: bool) -> dict[str, object]:
        """Check the options, and read the measures: usual ones are those of the paper, none being named."""
        grading = next((runs.grading for runs in collections.values()), USUAL_GRADING)
        chosen: dict[str, object] = {}
        if "measures" in self.takes:
            if collections or not self.on_runs:
                chosen["measures"] = _at(given["measures"], grading, binary=usual)
            else:  # those of a table of scores may be none of ours; all of them where none is named
                chosen["measures"] = [] if usual else list(map(str, listed(cast("MeasureNames", given["measures"]))))
        for name, annotation, default, _ in self.options:
            value = given[name]
            if annotation == MeasureNames:
                chosen[name] = _at(value, grading, binary=type(value) is type(default) and value == default)
            else:
                chosen[name] = checked(name, value, annotation)
                if isinstance(chosen[name], tuple) and not chosen[name] and default:
                    raise InputError(f"{name} is empty; give one at least")
        return chosen

    def _settings(self, chosen: Mapping[str, object]) -> dict[str, object]:
        """Write the choices down; where one measure is wanted, its name alone."""
        single = {option.name for option in self.options if option.of_measures and isinstance(option.default, str)}
        named = {name: _named(value) for name, value in chosen.items()}
        return {
            name: value[0] if name in single and isinstance(value, list) else value for name, value in named.items()
        }

    def _depends_on(
        self, settings: Mapping[str, object], inputs: Sequence[Collection], chosen: Mapping[str, object]
    ) -> dict[str, object]:
        """Return everything that a step depends on: a kept step is reused only if none of it has changed."""
        of = [each.fingerprint for each in inputs]
        lists = (value for value in chosen.values() if isinstance(value, list))
        measures = sources(each for measures in lists for each in measures if isinstance(each, Measure))
        return {"settings": settings, "of": of, "measures": measures, "code": code_digest()}

    def _outcome(self, collections: Collections, options: Mapping[str, object], work: Work) -> Made:
        """Call the function, and hold it to the tables that it promises."""
        given = dict(options) | ({"work": work} if "work" in self.takes else {})
        if "runs" in self.takes:
            given["runs"] = next(iter(collections.values()), None)
        elif "collections" in self.takes:
            given["collections"] = collections
        outcome = self.function(**given)
        if list(outcome.tables) != list(self.tables):
            raise TypeError(f"{self.name} returns {list(outcome.tables)}, but declares {list(self.tables)}")
        return {name: self.tables[name].made(rows) for name, rows in outcome.tables.items()}, tuple(outcome.notes)


def _are_joined(given: object) -> TypeGuard[JudgedRuns | Collections]:
    """Say whether these are joined runs, or several of them by the name of their collection."""
    if isinstance(given, Mapping) and given:
        return all(isinstance(name, str) and isinstance(runs, JudgedRuns) for name, runs in given.items())
    return isinstance(given, JudgedRuns)


def experiment(function: Callable[..., Outcome]) -> Callable[..., Findings]:
    """Register an experiment, under its function's name with dashes; called, it runs the whole experiment."""
    if not inspect.isfunction(function):
        raise InputError(f"an experiment is a function with a docstring, not {shown(function)}")
    known = Experiment(function.__name__.replace("_", "-"), function)
    EXPERIMENTS[known.name] = known

    @wraps(function)
    def conducted(*args: Any, **options: Any) -> Findings:
        return known(*args, **options)

    return conducted


def number_measures(measures: MeasureNames) -> list[Measure]:
    """Read the measures of an experiment; only measures whose values are numbers are accepted."""
    asked = parse_measures(measures)
    numbers_only(asked)
    if not asked:
        raise InputError("no measure given; name one, such as AP")
    return asked


def several_measures(measures: MeasureNames) -> list[Measure]:
    """Read the measures of an experiment that compares them with each other: two at least."""
    asked = number_measures(measures)
    if len(asked) < 2:
        raise InputError(f"{asked[0]} alone cannot be correlated; name at least two measures")
    return asked


def one_measure(measures: MeasureNames) -> Measure:
    """Read the measure of an option that takes one."""
    found = number_measures(measures)
    if len(found) > 1:
        raise InputError(f"exactly one measure is needed, not {', '.join(map(str, found))}")
    return found[0]


def _at(names: object, grading: Grading, *, binary: bool) -> list[Measure]:
    """Read measures at the relevance level; of the paper's own, those too that name the paper's lenient one."""
    measures = number_measures(cast("MeasureNames", names))
    if grading.rel is not None and binary:
        measures = [type(m)(**{**m.given, "rel": grading.rel}) if "rel" in m.given else m for m in measures]
    return list(as_taken(measures, grading))


def _named(value: object) -> object:
    """Write a choice down: files by their names, measures by theirs and by what users' names stand for."""
    if isinstance(value, ScoreTable):
        return value.source or "in memory (ScoreTable)"
    if isinstance(value, list | tuple):
        return [_named(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Measure):
        return repr(value)
    return f"in memory ({type(value).__name__})" if OrInMemory().takes(value) else str(value)


def _described(name: str, runs: JudgedRuns) -> Collection:
    unusual = {name: _named(value) for name, value in Conditions(runs.reading, runs.grading).unusual().items()}
    unusual |= {"complete": True} if runs.judgments.complete else {}
    grade = runs.judgments.grade
    degrees, longest = 1 + len(np.unique(grade[grade > 0])), max(int(batch.length.max()) for batch in runs.batches)
    return Collection(name, len(runs.runs), runs.population.topics, runs.fingerprint, unusual, degrees, longest)


def _stacked(found: Sequence[tuple[str, Made]]) -> Made:
    """Put the tables of several collections together, the name of the collection in front."""
    tables = {
        name: pl.concat(
            [tables[name].select(pl.lit(of).alias(COLLECTION), pl.all()) for of, (tables, _) in found], how="diagonal"
        )
        for name in found[0][1][0]
    }
    return tables, tuple(f"{of}: {note}" for of, (_, notes) in found for note in notes)
