"""What a measure is: one declaration, from which names, checks, documentation, tests and speed all follow."""

from __future__ import annotations

import copy
import inspect
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from sys import modules
from typing import Any, ClassVar, Final, Literal, Never, Self, TypeAlias, overload

import numpy as np

from cranfield.judged.completions import Bounds, Completions, Kind, surely
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.rankings import JudgedRankings, ideal_rankings, one_ranking
from cranfield.measures.framework.bounds import tried_bounds
from cranfield.measures.framework.gains import GainMap, number
from cranfield.measures.framework.parameters import Parameter
from cranfield.measures.framework.prefix_steps import Steps
from cranfield.measures.framework.users_code import guard, is_ours
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import MeasureError

Summary: TypeAlias = Literal["mean", "sum", "geometric mean"]

Estimator: TypeAlias = Literal[
    "sum over ranks", "recall base", "average precision", "share of the ideal", "share of the relevant", "preferences"
]
"""How a measure is estimated from a sample of judgments: see `cranfield.selection.judged_sample`, and of the last two
`cranfield.selection.modelled`."""

RANKED: Final = ("cutoff", "rank")
"""What stands behind the @ of a measure that has a value at every rank."""

REGISTRY: dict[str, type[Measure]] = {}
"""All measures by their name, in the order of their declaration."""
UNRANKED: dict[str, type[Measure]] = {}
"""Measures of something else than ranked documents, by their name: names are read, and no list of measures has them."""


class MeasureType(ABCMeta):
    """What a measure can do without parentheses: ``AP @ 10``; and what ``help(AP)`` shows of its parameters."""

    parameters: dict[str, Parameter]

    @property
    def __signature__(cls) -> inspect.Signature:
        """The parameters with their defaults, for help() and for editors that ask at run time."""
        named = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature(
            [inspect.Parameter(name, named, default=p.default) for name, p in cls.parameters.items()]
        )

    @overload
    def __matmul__(cls, k: float) -> Measure: ...
    @overload
    def __matmul__(cls, k: Iterable[float]) -> list[Measure]: ...
    def __matmul__(cls, k: float | Iterable[float]) -> Measure | list[Measure]:
        measure: Measure = cls()
        return measure @ k


class Measure(metaclass=MeasureType):
    """A number that says how good a ranking is.

    A measure is declared by deriving from this class: the first line of the docstring is the
    question that it answers, the second paragraph its formula, the paragraph that begins with
    ``Paper:`` its source, and the doctest a worked example; parameters are class attributes made by
    :func:`parameter` and its kin; :meth:`compute` gives one value for each row of a batch. The
    cutoff and ``judged_only`` are applied before ``compute`` is called. A class that measures are
    derived from, and that is none itself, says ``registered=False``.

    Examples
    --------
    >>> class FirstGrade(Measure, registered=False):
    ...     '''What is the grade of the first document?
    ...
    ...     FirstGrade = g(1)
    ...     '''
    ...     range = (0.0, float("inf"))
    ...     def compute(self, rankings):
    ...         first = rankings.cut(1).judged
    ...         return first.sum(first.grade)
    >>> FirstGrade().of([2, 0, 1])
    2.0
    """

    parameters: ClassVar[dict[str, Parameter]] = {}
    aliases: ClassVar[tuple[str, ...]] = ()
    looked_for: ClassVar[tuple[str, ...]] = ()
    """Words, no names, by which people look for it: what its name is short for, and where it is used."""
    at: ClassVar[str] = "cutoff"
    """The parameter that stands behind the @."""
    at_required: ClassVar[bool] = False
    at_typical: ClassVar[tuple[float, ...]] = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    """What trec_eval gives for the measure's bare name."""
    trec: ClassVar[str | None] = None
    """What trec_eval calls the measure, and with @ (``{at}`` is replaced)."""
    trec_at: ClassVar[str | None] = None

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The least and the largest value there can be; where gains= names a negative gain, the least is lower."""
    summary: ClassVar[Summary] = "mean"
    graded: ClassVar[bool] = False
    """Whether grades count, rather than relevant or not."""
    shares_level: ClassVar[bool] = True
    """Whether it takes the lowest relevant grade of the other measures; without rel= some stay graded, or count all."""
    uses_recall_base: ClassVar[bool] = True
    """Whether relevant documents that were not retrieved count."""
    rewards_promotion: bool = True
    """Whether swapping two documents so that the better one stands higher never lowers the value."""
    rises_with_grades: bool = False
    """Whether a higher grade of a document never lowers the value, all other grades being the same."""
    bounds_are: ClassVar[str] = ""
    """What is sure about the bounds, where it does not follow from the above (see `declaration.bounds_of`)."""
    higher_is_better: ClassVar[bool] = True
    """Whether of two runs the one with the higher value is the better one."""
    of_topic: ClassVar[bool] = False
    """Whether the value is the topic's alone, and stands where a run lacks the topic."""
    of_quality: ClassVar[bool] = True
    """Whether the value says how good a run is, rather than how much of it was judged."""
    of_misplacement: ClassVar[bool] = False
    """Whether the value says how far documents are from where the ideal list has them: what a list costs its user."""
    cumulates: ClassVar[Literal["positions", "gains"] | None] = None
    """What the value at each rank is the running sum of, if it is one."""
    fixed_weights: ClassVar[bool] = False
    """Whether the value is a sum of gains, each times the `rank_weight` of its rank, whatever else the list holds."""
    estimator: Estimator | None = None
    """How the value is estimated from a sample of judgments, if it can be."""
    by_subtopic: ClassVar[bool] = False
    """Whether it looks at what documents cover of a topic: at judgments by subtopic, where there are any."""
    by_cost: bool = False
    """Whether it counts what documents cost (1 each, unless costs are given)."""
    text: ClassVar[bool] = False
    """Whether the value is a text to read, which cannot be averaged."""

    # What many measures declare as parameters; this is what it is for all others.
    cutoff: int | None = None
    rel: float | None = None
    gains: GainMap | None = None
    judged_only: bool = False

    name_given: str = ""
    """What its user calls it (see `called`); empty where it has the name that its parameters give it."""

    def __init_subclass__(cls, *, registered: bool = True) -> None:
        super().__init_subclass__()
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
        inherited = [base.parameters for base in reversed(cls.__mro__[1:]) if issubclass(base, Measure)]
        cls.parameters = {name: p for declared in (*inherited, own) for name, p in declared.items()}
        for name, declared in own.items():
            setattr(cls, name, declared.default)
        if not is_ours(cls):
            guard(cls)
        if registered:
            if not is_ours(cls):  # of ours the tests know it, and every start would wait for it
                cls._refuse_unfit()
            REGISTRY[cls.__name__] = cls

    @classmethod
    def _refuse_unfit(cls) -> None:
        """Refuse what cannot be computed, or takes a name; what is declared again in its module takes its own place."""
        lacking = [name for name in dir(cls) if getattr(getattr(cls, name, None), "__isabstractmethod__", False)]
        if lacking:
            raise MeasureError(
                f"{cls.__name__} declares no {', '.join(f'{name}()' for name in lacking)}, so it cannot be computed"
            )
        str(cls())  # what a user's __init__ or __str__ does, it does here and now
        known = by_name()
        for name in (cls.__name__, *cls.aliases):
            taken = known.get(name)
            if taken is not None and (taken.__module__, taken.__name__) != (cls.__module__, cls.__name__):
                home = taken.__module__ if is_ours(taken) else getattr(modules.get(taken.__module__), "__file__", None)
                raise MeasureError(
                    f"a measure called {name} already exists in {home or taken.__module__}; choose another name"
                )

    def __init__(self, *places: Never, **given: object) -> None:
        if places:
            raise MeasureError(self._by_name(*places))
        for name, value in given.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise MeasureError(f"{type(self).__name__} has no parameter {name!r}; it has: {known}")
            label = f"the cutoff of {type(self).__name__}" if name == "cutoff" else f"{type(self).__name__}: {name}"
            setattr(self, name, self.parameters[name].checked(label, value))
        self._stated = frozenset(given)
        self.check()

    def _by_name(self, value: object, *more: object) -> str:
        """Say how a value is given that was given by its place.

        >>> from cranfield.measures import RBP, nDCG
        >>> nDCG()._by_name(10), RBP()._by_name(0.8)  # doctest: +NORMALIZE_WHITESPACE
        ('nDCG takes parameters by name, and what stands behind an @: write cf.nDCG @ 10',
         'RBP takes parameters by name, and what stands behind an @: write cf.RBP(p=0.8)')
        """
        kind = type(self).__name__
        said = f"{kind} takes parameters by name, and what stands behind an @"
        name = None if more else self.parameter_for(value)
        if name is None:
            return f"{said}; it has: {', '.join(self.parameters) or 'none'}"
        return f"{said}: write cf.{kind}" + (f" @ {value}" if name == self.at else f"({name}={value!r})")

    @classmethod
    def parameter_for(cls, value: object) -> str | None:
        """Name the parameter that a value without a name is for: what stands behind the @, or the first that takes it.

        >>> from cranfield.measures import RBP, nDCG
        >>> nDCG.parameter_for(10), RBP.parameter_for(0.8), RBP.parameter_for("often")
        ('cutoff', 'p', None)
        """
        for name in sorted(cls.parameters, key=lambda each: each != cls.at) if value is not None else ():
            try:
                cls.parameters[name].checked(name, value)
            except MeasureError:
                continue
            return name
        return None

    def check(self) -> None:
        """Raise a MeasureError where parameters do not go together; a measure with such parameters overrides it."""

    @abstractmethod
    def compute(self, rankings: JudgedRankings) -> Floats:
        """Give the value of each row of the batch."""

    def score(self, rankings: JudgedRankings) -> Floats:
        """Give the value of each row, with the cutoff and ``judged_only`` applied."""
        self.require_complete()
        rankings = rankings.condensed() if self.judged_only else rankings
        return self.compute(rankings.cut(self.cutoff))

    def scored(self, rankings: JudgedRankings) -> Floats:
        """Give the value of each row, computed once: for runs that are compared with many others."""
        return rankings.once(("scored", self), partial(self.score, rankings))

    def by_run(self, rankings: JudgedRankings) -> Any:  # of a text, the array has objects instead of numbers
        """Give the values of a batch by run and topic, 0 (or no text) where a run lacks the topic.

        Returns
        -------
        Array of shape (runs, topics): numbers, or for a measure that is a text, objects.
        """
        shape = (len(rankings.runs), len(rankings.topics))
        value = self.score(rankings).reshape(shape)
        if self.text or self.of_topic or rankings.all_present:
            return value
        return np.where(rankings.present.reshape(shape), value, 0.0)

    def contributions(self, rankings: JudgedRankings) -> Floats | None:
        """What does each document add to the value of its list, by itself?

        Returns
        -------
        By cell, judged or open; added up by row, they are the value. None where a value is no such
        sum, so that what one document is worth depends on the others.
        """
        return None

    def rank_weight(self, rank: Integers) -> Floats:
        """Return what a gain of 1 brings at each rank: the discount of nDCG, unless the measure has weights of its own.

        Only where the weights are fixed (`fixed_weights`) is the value a sum of them. Elsewhere
        they say which documents to look at first.
        """
        return 1 / np.log2(1 + rank)

    def expense(self, length: Integers) -> Floats:
        """Return what is taken off a list of each length, whatever stands in it: nothing, unless documents cost."""
        return np.zeros(np.shape(length))

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return what a document of each grade is worth, the largest grade of the qrels being known: 1 if relevant."""
        return is_relevant(np.asarray(grade), self.rel).astype(np.float64)

    def fraction_by_rank(self, rankings: JudgedRankings, depth: int) -> tuple[Floats, Floats] | None:
        """Return the numerator and the denominator of the value at ranks 1 to ``depth``, of a share of the ideal.

        Arrays of shape (rows, depth). None where the value is no quotient of two such vectors.
        """
        return None

    def ideal(self, judgments: Judgments) -> JudgedRankings:
        """Return the ideal list of each topic: its documents, the best first."""
        return ideal_rankings(judgments, np.nan_to_num(judgments.grade))

    def prefix_steps(self, rankings: JudgedRankings) -> Steps | None:
        """Say what each document adds to the list that ends before it; None where only values tell it.

        Its steps decide on the best prefix of a list with more than the 64 bits of a sum.
        """
        return None

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """Take the values apart, in one unit for all topics; None for measures that cannot be taken apart.

        Returns
        -------
        Array of shape (rows, parts), whose sums over the parts are in proportion to the values.
        What two lists have in common is the same part in both, and cancels out: of RBP with p =
        0.3, a swap at rank 30 changes a value of about 1 by 10^-16, which no sum of 64 bits
        shows.

        >>> from cranfield.measures import AP, RBP
        >>> from cranfield.judged.rankings import one_ranking
        >>> RBP(p=0.5).in_parts(one_ranking([1, 0, 1])).tolist(), AP().in_parts(one_ranking([1])) is None
        ([[1.0, 0.0, 0.25]], True)
        """
        steps = self.prefix_steps(rankings)
        return None if steps is None else steps.parts

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value there can be: `range`, without a least where a gain of one's own is negative.

        >>> from cranfield.measures import DCG, P
        >>> P().limits, DCG().limits, DCG(gains={1: 1, -1: -2}).limits
        ((0.0, 1.0), (0.0, inf), (-inf, inf))
        """
        low, high = self.range
        negative = self.gains is not None and min(self.gains.values(), default=0.0) < 0
        return -np.inf if negative else low, high

    @property
    def endless(self) -> bool:
        """Whether its bounds hold what could follow the end of a list, which no judgment brings about."""
        return False

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """Say how low and how high the value of each row of one run could be, had the candidates been judged.

        Candidates are the unjudged documents that any run of the call retrieved. In a completion of
        the judgments each of them has a grade from 0 to the largest of the qrels. Where a higher
        grade never lowers the value (`rises_with_grades`), the two plain completions bound it.
        Otherwise completions with that many relevant candidates are tried, as well as can be for the
        list and as badly, for every number (see `tried_bounds`).

        >>> from cranfield.measures import AP
        >>> from cranfield.judged.rankings import one_ranking
        >>> found = AP().bounds(one_ranking([1, None], candidates=2))
        >>> found.low, found.high, found.kind  # at worst 1 / 3, of three relevant documents; at best (1/1 + 2/2) / 2
        (array([0.33333333]), array([1.]), 'exact')
        """
        if self.rises_with_grades and self.gains_rise(rankings.judgments) and not self.judged_only:
            completions = Completions(rankings.cut(self.cutoff))
            least = np.minimum(self.score(rankings), self.score(completions.nothing()))  # grade 0 may gain something
            return Bounds(least, self.score(completions.everything()), "exact")
        judgments = rankings.judgments
        return tried_bounds(
            Completions(rankings if self.judged_only else rankings.cut(self.cutoff)),
            self.score,
            by_number=self.rewards_promotion and self.gains_rise(judgments) and not self.judged_only,
            in_between=self.graded and not judgments.binary,
        )

    def least_difference(self, ours: JudgedRankings, theirs: JudgedRankings) -> tuple[Floats, Kind]:
        """Say how small the value of one run less that of another could be, by row, over joint completions.

        In a joint completion a document has one grade, whichever run retrieved it. Without anything
        better it is the least value of the one less the greatest of the other, which no joint
        completion goes below.

        >>> from cranfield.measures import RR
        >>> from cranfield.judged.rankings import one_ranking
        >>> RR().least_difference(one_ranking([1, None]), one_ranking([0, 0, None]))
        (array([0.66666667]), 'enclosure')
        """
        mine, other = (run.once(("bounds", self), partial(self.bounds, run)) for run in (ours, theirs))
        return mine.low - other.high, surely("enclosure", mine.kind, other.kind)

    def least_differences(
        self, pairs: Sequence[tuple[JudgedRankings, JudgedRankings]], not_relevant: Sequence[Integers] | None = None
    ) -> Floats | None:
        """Return `least_difference` of many pairs at once, array (pairs, topics); None where it goes one by one.

        All are of the same judgments; ``not_relevant`` are candidates of each pair, by their places, taken for judged.
        """
        return None

    def gains_rise(self, judgments: Judgments) -> bool:
        """Tell whether a higher grade never gains less, with gains of one's own, and grade 0 gains nothing."""
        if self.gains is None:
            return True
        top = judgments.scale
        grades = np.unique(np.concatenate([np.arange(min(top, 1000.0) + 1), [*self.gains, top], judgments.grades]))
        gain = self.gains.of(grades[(grades >= 0) & (grades <= top)])
        return bool(gain[0] == 0 and (np.diff(gain) >= 0).all())

    def by_prefix(self, rankings: JudgedRankings) -> Floats:
        """Give the value of every prefix of each row: where would the list better have ended?

        Returns
        -------
        Array of shape (rows, depth + 1), depth being the longest list's length: column k is what
        the row's first k documents are worth as a list of their own. From its length on, a row
        keeps the value of the whole list.

        The recall base stays what it is, and so does the ideal list: a prefix is another list for
        the same topic. (A measure's value *at a cutoff*, which may cut the ideal list too, is
        `by_rank`.)

        >>> from cranfield.measures import SetP
        >>> from cranfield.judged.rankings import one_ranking
        >>> SetP().by_prefix(one_ranking([1, 0, 1])).round(4).tolist()
        [[0.0, 1.0, 0.5, 0.6667]]
        """
        return np.column_stack([self.score(rankings.cut(k)) for k in range(int(rankings.length.max(initial=0)) + 1)])

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Give the value at every cutoff from 1 to ``depth``: array of shape (rows, depth).

        >>> from cranfield.measures import P
        >>> from cranfield.judged.rankings import one_ranking
        >>> P().by_rank(one_ranking([1, 0, 1]), 4).round(4).tolist()
        [[1.0, 0.5, 0.6667, 0.5]]
        """
        if self.at not in RANKED or self.at not in self.parameters:
            raise MeasureError(f"{type(self).__name__} has no cutoff, and so no value at each rank")
        return np.column_stack([(self @ k).score(rankings) for k in range(1, depth + 1)])

    def of(
        self,
        ranking: Sequence[float | None],
        unretrieved: Sequence[float] = (),
        costs: Sequence[float] | None = None,
    ) -> float:
        """Measure one ranking, written down as grades.

        Parameters
        ----------
        ranking
            The grades by rank, from the top; None is an unjudged document.
        unretrieved
            Grades of judged documents that the ranking lacks.
        costs
            What the documents cost, by rank; by default 1 each.
        """
        return float(self.score(one_ranking(ranking, unretrieved, costs=costs))[0])

    def note(self, top_grade: float) -> str | None:
        """Say what to know in addition to the value, given the largest grade of the qrels; mostly nothing.

        It is for names that others give to something else.
        """
        return None

    def require_complete(self) -> None:
        """Raise a MeasureError if the measure cannot be computed without an @."""
        if self.at_required and self.place is None:
            name = type(self).__name__
            raise MeasureError(f"{name} needs a {self.at}, such as {name}@{self.at_typical[1]:g}")

    @property
    def takes_level(self) -> bool:
        """Whether the lowest relevant grade that is asked for is its own: it knows one, and none was given."""
        return self.shares_level and "rel" in self.parameters and self.rel is None

    def with_level(self, rel: float) -> Self:
        """Return the measure with this lowest relevant grade, if it takes it."""
        return self._but(rel=rel).called(self.name_given) if self.takes_level else self

    def with_parameters(self, usual: Mapping[str, object]) -> Self:
        """Return the measure with these parameters, but for those that it was given, be it at their defaults.

        Where they do not go together with what was given, it stays as it is.
        """
        more = {name: value for name, value in usual.items() if name not in self._stated}
        try:
            return self._but(**more).called(self.name_given) if more else self
        except MeasureError:
            return self

    def _but(self, **more: object) -> Self:
        return type(self)(**{**{name: getattr(self, name) for name in self._stated}, **more})

    def called(self, name: str) -> Self:
        """Return the measure under a name of yours, which tables, files and sentences have instead of its own.

        It stays the same measure, and equal to the one without the name.

        >>> from cranfield.measures import nDCG
        >>> named = nDCG(dcg="exp-log2").called("nDCG")
        >>> str(named), named, named == nDCG(dcg="exp-log2")
        ('nDCG', nDCG=nDCG(dcg='exp-log2'), True)
        """
        found = copy.copy(self)
        found.name_given = name
        if name and str(found) != name:
            raise MeasureError(f"{type(self).__name__} has a __str__ of its own, and takes no other name")
        return found

    @property
    def place(self) -> float | None:
        """What stands behind the @, if anything does."""
        return getattr(self, self.at) if self.at in self.parameters else None

    @cached_property
    def given(self) -> dict[str, object]:
        """The parameters that differ from their defaults."""
        return {name: getattr(self, name) for name, p in self.parameters.items() if getattr(self, name) != p.default}

    @overload
    def __matmul__(self, k: float) -> Self: ...
    @overload
    def __matmul__(self, k: Iterable[float]) -> list[Self]: ...
    def __matmul__(self, k: float | Iterable[float]) -> Self | list[Self]:
        if isinstance(k, Iterable) and not isinstance(k, str | bytes):
            return [self @ each for each in k]
        if self.at not in self.parameters:
            raise MeasureError(f"{type(self).__name__} has no cutoff; write it without @{k!r}")
        return self._but(**{self.at: k})

    @property
    def definition(self) -> str:
        """The measure with its parameters and its cutoff, whatever its user calls it."""
        shown = [
            f"{name}={_written(getattr(self, name))}"
            for name, p in self.parameters.items()
            if name != self.at and (p.always_shown or getattr(self, name) != p.default)
        ]
        kind = type(self).__name__
        return kind + (f"({','.join(shown)})" if shown else "") + self.short.removeprefix(kind)

    @property
    def short(self) -> str:
        """Its name and its cutoff, without parameters: what tables are headed by, where that leaves no doubt."""
        at = self.place
        return type(self).__name__ + ("" if at is None else f"@{number(at)}")

    def __str__(self) -> str:
        return self.name_given or self.definition

    def __repr__(self) -> str:
        return f"{self.name_given}={self.definition}" if self.name_given else self.definition

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and type(self) is type(other) and self.given == other.given

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), tuple(self.given.items())))

    def trec_name(self) -> str:
        """Return what trec_eval prints for it, or its own name where trec_eval has no such measure."""
        if self.name_given:
            return self.name_given
        at = self.place
        template = self.trec if at is None else self.trec_at
        settings = set(self.given) - {self.at, "rel", "judged_only"}
        return str(self) if template is None or settings else template.format(at=at)

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read what follows the dot in trec_eval's ``-m P.5,10``: cutoffs, rising, fractions dropped."""
        kind = cls.parameters[cls.at].kind
        for at in sorted({kind(part.partition(".")[0] if kind is int else part) for part in given.split(",")}):
            yield cls(**{cls.at: at})

    @classmethod
    def documentation(cls) -> Documentation:
        """Return the parts of the docstring."""
        return Documentation(cls.__doc__)


class Documentation:
    """The parts of a measure's docstring."""

    def __init__(self, docstring: str | None) -> None:
        paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
        self.question = " ".join(paragraphs[0].split())
        self.formula = paragraphs[1].strip() if len(paragraphs) > 1 else ""
        rest = paragraphs[2:]
        self.paper = next((" ".join(p.split())[7:] for p in rest if p.startswith("Paper: ")), "")
        self.examples = [p for p in rest if p.startswith(">>> ")]
        self.notes = [" ".join(p.split()) for p in rest if not p.startswith(("Paper: ", ">>> "))]


def by_name() -> dict[str, type[Measure]]:
    """Return the measures by all of their names, aliases among them."""
    return {name: measure for measure in REGISTRY.values() for name in (measure.__name__, *measure.aliases)}


def _written(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    return repr(value) if isinstance(value, str | bool) else str(value)
