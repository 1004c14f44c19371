"""What is asked of an evaluation: how runs are read and ranked, and how judgments are taken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import Any, Final, Self, TypedDict, Unpack, cast

from cranfield.conventions import Convention, named
from cranfield.judged.condition_files import (
    Costs,
    CostsLike,
    Excluded,
    ExcludeLike,
    ListedTopics,
    OnlyLike,
    OnlyTopics,
    TopicsFileLike,
)
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import ColumnNames, FieldPaths, NamesLike, Naming
from cranfield.plumbing.options import (
    COMMON,
    SELF,
    Count,
    Lacked,
    Missing,
    NotNegative,
    Order,
    Positive,
    RelevanceLevel,
    Topics,
    annotations_of,
    check_fields,
    checked,
)
from cranfield.plumbing.tables import Repeated, Subtopics


class AskedReading(TypedDict, total=False):
    """Options for reading, as explained in `Asked`; None means not set."""

    topics: Topics | None
    topics_file: TopicsFileLike | ListedTopics | None
    only: OnlyLike | OnlyTopics | None
    missing: Missing | None
    order: Order | None
    depth: Count | None
    comments: bool | None
    columns: NamesLike | ColumnNames | None
    fields: NamesLike | FieldPaths | None
    repeated: Repeated | None
    subtopics: Subtopics | None
    exclude: ExcludeLike | Excluded | None
    residual: bool | None
    complete: bool | None
    costs: CostsLike | Costs | None
    budget: Positive | None
    cost_missing: NotNegative | None


class Asked(AskedReading, total=False):
    """The conditions of an evaluation: how runs are read, and how judgments are used; None means not set.

    Declare a new condition here and as a field of `Reading` or `Grading`; then all functions with
    conditions accept it, as does every command that takes them all.

    Parameters
    ----------
    topics
        The topics to average over: ``"all"`` topics of the qrels (the default), a missing one
        counting 0 (trec_eval's -c), or those ``"shared"`` by qrels and run.
    topics_file
        All topics that were asked: a file of topics, or a list of ids. A listed topic without
        judgments counts as a question without an answer (no relevant document). By default, only
        topics of the qrels count. Do not list topics that nobody judged for other reasons.
    only
        The topics to average over, and no others: a file (an id in each line, or any file of topics), ids in a
        list or set, or ``"common"``, the topics that all runs of the call have. Facts of the whole collection stay,
        such as the largest grade, so that a topic has the same values as without this.
    missing
        How to score a topic missing from a run: ``"zero"`` (the default) scores it 0 (trec_eval's
        -c), ``"empty"`` scores it as an empty list, which truncation-aware measures value
        differently.
    order
        How to rank the documents: by ``"score"`` (highest first, in 64 bits; ties by document id, last
        in byte order first), ``"trec9"`` (scores compared in 32 bits, as trec_eval does up to 9),
        ``"stable"`` (by score in 64 bits; ties keep the order of the lines), ``"rank"`` (the rank
        column) or ``"file"`` (the order of the lines, whatever the scores). The default is the score,
        in 32 bits for a measure set of trec_eval 9 (``"official"``, ``"all_trec"``).
    depth
        Use only the first ``depth`` documents of each list (trec_eval's -M).
    comments
        Skip lines that begin with ``#`` (ids may begin with it too).
    columns
        What columns are called in tables with names of their own, ours first: ``{"query_id": "search_term"}``; of
        qrels, runs, weights, costs and whatever else is read. Each table with such a column has it so.
    fields
        Where records in JSON have their parts, ours first, as paths: ``{"relevant": "gold.ids"}``.
    repeated
        How to treat a document that a run retrieves several times for a topic, as in passage
        ranking: refuse the run (``"refuse"``, the default), or use the highest score (``"max"``),
        the first (``"first"``) or the ``"sum"``.
    subtopics
        How to treat a document judged under several subtopics of a topic (the second column of the
        qrels). Measures of subtopics read them without being asked. For other measures, refuse the
        qrels (``"refuse"``, the default) or use the document's largest grade (``"max"``). ``"read"``
        takes the second column for a subtopic even where no document is judged under several;
        ``"auto"`` only where one is.
    exclude
        Documents to remove from every run before ranking. ``"self"`` removes the document with the topic's
        id (BEIR's ``ignore_identical_ids``); otherwise, by topic, a file, a DataFrame or ``{topic:
        [document, ...]}``: lines of topic and document, qrels, or JSON with ``excluded_ids``.
    residual
        Also remove the judgments of the excluded documents, as in residual collections; by default
        they stay in the recall base.
    complete
        Whether a document without a judgment is not relevant (True), or may have any grade (False), which bounds
        and verdicts allow for. By default judgments are complete where they name relevant documents only, as
        golden sets do.
    costs
        What each document or chunk costs whoever reads it, such as tokens: a file, a DataFrame or
        ``{document: cost}``. Measures of cost use it (``Cost``, ``GainPerCost``, utilities with
        ``per="cost"``), and ``budget``.
    budget
        End each list before the first document that does not fit whole into this cost, counted from
        the top.
    cost_missing
        What a document costs that ``costs`` lacks; by default a run with such a document is refused.
    rel
        The lowest relevant grade, for measures without one of their own (trec_eval's -l); by
        default, every grade above 0.
    judged_only
        Remove unjudged documents from the rankings first (trec_eval's -J).
    convention
        The name of a track or tool whose figures to reproduce, such as ``"trec-dl"``: it sets the
        relevance level, tie order and topics, default parameters of measures, and the default
        measures. Conflicting options are refused. `cranfield.conventions.TRACKS` and `TOOLS` list all
        conventions.
    """

    rel: RelevanceLevel | None
    judged_only: bool | None
    convention: str | None


class AskedGrading(TypedDict, total=False):
    """Options for grading; None means not set."""

    rel: RelevanceLevel | None
    judged_only: bool | None
    convention: str | None
    bounds: bool | None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How runs are read and ranked: fixed when they are joined with the judgments. `Asked` explains each option."""

    order: Order = "score"
    depth: Count | None = None
    topics: Topics = "all"
    topics_file: ListedTopics | None = None
    only: OnlyTopics | None = None
    missing: Missing = "zero"
    comments: bool = False
    columns: ColumnNames | None = field(default=None, repr=False, compare=False)
    fields: FieldPaths | None = field(default=None, repr=False, compare=False)
    repeated: Repeated = "refuse"
    subtopics: Subtopics = "refuse"
    exclude: Excluded | None = None
    residual: bool = False
    complete: bool | None = None
    costs: Costs | None = None
    budget: Positive | None = None
    cost_missing: NotNegative | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("budget", "cost_missing"):
            if getattr(self, name) is not None and self.costs is None:
                raise InputError(f"{name} is in units of cost; give costs, the costs of documents")
        if self.residual and self.exclude is None:
            raise InputError("residual removes the judgments of excluded documents; give these with exclude")

    @classmethod
    def asked(cls, **options: Unpack[AskedReading]) -> Self:
        """Return the reading that was asked for: what is None was not asked, and is as it usually is."""
        return cls(**_given({**options, **_tables_read(options)}))

    @property
    def naming(self) -> Naming:
        """What a user says of what is what."""
        return Naming.of(self.columns, self.fields)

    @property
    def lacked(self) -> Lacked:
        """What becomes of topics that a run lacks."""
        return "left out" if self.topics == "shared" else self.missing

    @property
    def shortens(self) -> bool:
        """Whether lists can be read less far than to their ends."""
        return self.depth is not None or self.budget is not None

    @property
    def deepest(self) -> float:
        """The last rank that is read, wherever a budget ends."""
        return math.inf if self.depth is None else self.depth

    def refuse_another(self, options: AskedReading) -> None:
        """Raise an error if another reading is asked for than this one, in which the runs were joined."""
        for name, value in _given(options).items():
            mine, asked = getattr(self, name), checked(name, value, annotations_of(type(self))[name])
            if asked != mine:
                raise InputError(f"the runs were joined with {name}={mine!r}, not {asked!r}; join them again")


@dataclass(frozen=True, kw_only=True)
class Grading:
    """How judgments are taken (see `Asked`), which can change once runs are joined; a convention gives the level."""

    rel: RelevanceLevel | None = None
    judged_only: bool = False
    convention: str | None = None
    bounds: bool = False
    """Whether it is asked how low and how high each value could be, had every retrieved document been judged."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.convention is not None:
            convention = named(self.convention)
            _refuse_another(convention, "rel", self.rel, convention.rel)
            if convention.rel is not None and convention.rel > 1:  # 1 measures have anyway, and keep their names
                object.__setattr__(self, "rel", float(convention.rel))
        if self.bounds and self.judged_only:
            raise InputError(
                "bounds show what unjudged documents could change, but judged_only removes them; choose one of the two"
            )

    def measures(self, usual: tuple[str, ...]) -> tuple[str, ...]:
        """Return by what is measured where no measures are asked for: what is usual, or what the convention reports."""
        return usual if self.convention is None else named(self.convention).measures

    def parameters(self, measure: str) -> Mapping[str, object]:
        """Return what the convention gives a measure of this name next to the level."""
        return {} if self.convention is None else named(self.convention).parameters.get(measure, {})

    @classmethod
    def asked(cls, **options: Unpack[AskedGrading]) -> Self:
        """Return the grading that was asked for: what is None was not asked, and is as it usually is."""
        return cls(**_given(options))

    def but(self, **options: Unpack[AskedGrading]) -> Self:
        """Return the same with what is asked for otherwise (None: not asked)."""
        return replace(self, **_given(options))


@dataclass(frozen=True)
class Conditions:
    """Both halves: the conditions that a score was measured under."""

    reading: Reading = field(default_factory=Reading)
    grading: Grading = field(default_factory=Grading)

    @classmethod
    def asked(cls, usual: Order = "score", /, **options: Unpack[Asked]) -> Self:
        """Return the conditions that were asked for; None was not, and is as usual: of the order the caller says how.

        >>> Conditions.asked(convention="trec-dl", depth=100).reading.order
        'trec9'
        >>> Conditions.asked(convention="trec-dl", order="rank")
        Traceback (most recent call last):
        ...
        cranfield.InputError: convention 'trec-dl' has order='trec9', not 'rank'; drop one of the two
        """
        reading = followed(options)
        reading["order"] = usual if reading["order"] is None else reading["order"]
        if reading["complete"] and options.get("judged_only"):
            raise InputError(
                "complete treats documents without a judgment as not relevant, but judged_only removes them; choose "
                "one of the two"
            )
        return cls(Reading.asked(**reading), Grading.asked(**asked_of_grading(options)))

    def unusual(self) -> dict[str, object]:
        """Return what differs from what is usual."""
        return {
            field.name: getattr(half, field.name)
            for half in (self.reading, self.grading)
            for field in fields(half)
            if field.compare and getattr(half, field.name) != field.default
        }

    def described(self, *but: str) -> list[str]:
        """Return the same in words, without those that are named."""
        unusual = {name: value for name, value in self.unusual().items() if name not in but and value != "auto"}
        return [
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in unusual.items()
        ]


USUAL_READING: Final = Reading()
USUAL_GRADING: Final = Grading()

READING_NAMES: Final = tuple(field.name for field in fields(Reading))
GRADING_NAMES: Final = tuple(field.name for field in fields(Grading))
"""Names of the conditions of either half."""


CONDITION_FILES: Final = ("topics_file", "only", "exclude", "costs")
"""Names of the conditions that may be files."""
_TABLES: Final[Mapping[str, Any]] = {"exclude": Excluded, "costs": Costs}
"""Those that may be tables, whose columns may have names of their own."""


def _tables_read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Read the tables among conditions by the names that their columns have."""
    naming = Naming.of(options.get("columns"), options.get("fields"))
    return {
        name: kind.taken(value, naming)
        for name, kind in _TABLES.items()
        if (value := options.get(name)) is not None
    } if naming else {}  # fmt: skip


def files_asked(options: Mapping[str, object]) -> dict[str, str | PathLike[str]]:
    """Name the files that conditions read, by the names of these.

    >>> files_asked({"exclude": "self", "costs": "costs.csv", "topics_file": ["1", "2"], "rel": 2})
    {'costs': 'costs.csv'}
    """
    return {
        name: value
        for name in CONDITION_FILES
        if isinstance(value := options.get(name), str | PathLike) and value != NO_FILES.get(name)
    }


def lists_of_one(options: Mapping[str, object]) -> list[str]:
    """Name the conditions that list topics of one collection.

    >>> lists_of_one({"only": ["1"], "topics_file": None}), lists_of_one({"only": "common"})
    (['only'], [])
    """
    given = {name: options.get(name) for name in ("topics_file", "only")}
    return [name for name, value in given.items() if value is not None and value != NO_FILES.get(name)]


NO_FILES: Final = {"exclude": SELF, "only": COMMON}
"""The word that stands for no file, of conditions that have one."""


def asked_of_grading(options: Asked) -> AskedGrading:
    """Return what is asked of the grading alone."""
    return cast("AskedGrading", {name: options.get(name) for name in GRADING_NAMES if name != "bounds"})


def followed(options: Asked) -> AskedReading:
    """Return what is asked of the reading alone, that of the convention included."""
    reading = cast("AskedReading", {name: options.get(name) for name in READING_NAMES} | _tables_read(options))
    name = options.get("convention")
    if name is None:
        return reading
    convention = named(checked("convention", name, str))
    for each in ("topics", "missing", "order", "depth", "exclude"):
        kind = annotations_of(Reading)[each]
        has, asked = getattr(convention, each), reading[each]
        has = None if has is None else checked(each, has, kind)
        asked = None if asked is None else checked(each, asked, kind)
        _refuse_another(convention, each, asked, has)
        reading[each] = has if asked is None else asked
    return reading


def _refuse_another(convention: Convention, name: str, asked: object, has: object) -> None:
    if asked is not None and has is not None and asked != has:
        raise InputError(f"convention {convention.name!r} has {name}={has!r}, not {asked!r}; drop one of the two")


def _given(options: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
