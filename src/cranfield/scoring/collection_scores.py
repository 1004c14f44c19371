"""Several collections in one call: which there are, what is asked of each, and their scores side by side.

`collections_of` reads what was given for all who take several collections. `CollectionScores` lays out runs in rows and
collections in columns, with their average; a comparison of several collections puts its marks into the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, Unpack, cast

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import CONDITION_FILES, Asked, files_asked, lists_of_one
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures, place_of, shortly
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import TopicAverage, shown
from cranfield.plumbing.tables import AVERAGE
from cranfield.plumbing.wording import counted, did_you_mean
from cranfield.results.output_formats import FORMATS
from cranfield.results.result import Result
from cranfield.results.sheet import Marked, Sheet, SheetColumn, best_rows, listed, second_rows
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what
from cranfield.scoring.orientation import best_first, direction
from cranfield.scoring.scores import Scores

_MISSING = "–"  # What people see where a run lacks a collection
COPIED = "*"  # What follows the name of a row that was copied from elsewhere


def evaluate_all(
    collections: CollectionsLike,
    measures: MeasureNames | None = None,
    *,
    copied: Mapping[str, Mapping[str, float]] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    average: TopicAverage = "mean",
    workers: int | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> CollectionScores:
    """Score runs on several collections: runs in rows, collections in columns, with their average.

    Parameters
    ----------
    collections
        By their names: pairs of qrels and runs; joined runs; or dicts with the keys ``qrels``, ``runs``
        and optionally ``measures`` and conditions of `evaluate` for that collection. Or a TOML file, as
        described on the page on several collections. Runs with the same name are the same system in all
        collections.
    measures
        The measures of collections that have none of their own; all collections need equally many. By
        default, the first measure of the collection's convention, or nDCG@10.
    copied
        Values from elsewhere, such as a paper: ``{row: {collection: value}}``. They are shown, marked,
        as values of the first measure.
    groups
        Rows to group under a heading: ``{heading: [row, ...]}``. Other rows come first.
    average, workers
        As for `evaluate`.
    progress
        As for `evaluate`, for each collection in turn.
    **conditions
        `Asked`

    Returns
    -------
    CollectionScores : the scores of each collection, and averages in which each collection counts once,
        however many topics it has.

    Raises
    ------
    InputError
        If a collection cannot be read, or its number of measures differs from the others'.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    >>> good, poor = ({t: list(order) for t in qrels} for order in ("ab", "ba"))
    >>> here, there = (qrels, {"x": good, "y": poor}), (qrels, {"x": poor, "y": poor | {"1": ["a"]}})
    >>> print(evaluate_all({"here": here, "there": there}, "RR"))
    Averages over topics: RR of here (2 topics), there (2 topics). Average: the mean of 2
      collections, each counting once.
    run    here   there  average
    x    1.0000  0.5000   0.7500
    y    0.5000  0.7500   0.6250
    """
    found = collections_of(collections)
    inputs = (given for one in found.of.values() for given in (one.qrels, one.runs))
    conditions = settle(conditions, *inputs, *(conditions.get(name) for name in CONDITION_FILES))
    if len(found.of) > 1 and (lists := lists_of_one(conditions)):
        raise InputError(
            f"{lists[0]} lists the topics of one collection; give each its own, next to its qrels and runs"
        )
    usual = found.measures if measures is None else measures
    scores = {
        name: evaluate(
            one.qrels, one.runs, one.measured_by(usual, conditions),
            average=average, workers=workers, progress=progress,
            **cast("Asked", {**conditions, **one.asked}),
        )
        for name, one in found.of.items()
    }  # fmt: skip
    return CollectionScores(
        scores,
        copied=found.copied if copied is None else copied,
        groups={name: tuple(rows) for name, rows in (found.groups if groups is None else groups).items()},
    )


def value_column(name: str, values: Sequence[float], sign: float) -> SheetColumn:
    """Make a column of values: the best two emphasised where more (1) or less (-1) is better, counts (0) whole."""
    cells = [_MISSING if np.isnan(value) else value if sign else int(value) for value in values]
    best, second = (rows(values, sign) if sign else frozenset() for rows in (best_rows, second_rows))
    return SheetColumn(name, cells, True, best, second)


class TableColumn(NamedTuple):
    """A column of the table: its name, which measure of which collection (None: the average), values and direction."""

    name: str
    measure: int
    collection: str | None
    values: Floats
    sign: float


@dataclass(frozen=True, eq=False, repr=False)
class CollectionScores(Result):
    """The scores of runs on several collections.

    ``scores["dl19"]`` gives the `Scores` of one collection. Runs are identified by name across
    collections.

    Attributes
    ----------
    scores
        By the name of the collection; all have equally many measures.
    copied
        Values from elsewhere, by row and collection.
    groups
        The rows grouped under each heading.
    order
        The order of the runs, if not as given.
    """

    scores: Mapping[str, Scores]
    copied: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        many = {len(scores.measures) for scores in self.scores.values()}
        if len(many) > 1:
            told = "; ".join(f"{name}: {', '.join(map(str, each.measures))}" for name, each in self.scores.items())
            raise InputError(f"all collections need equally many measures, averaged position by position, not {told}")
        if many == {0}:
            raise InputError("runs are compared across collections by a numeric measure; there is none")
        for row, values in self.copied.items():
            if row in self.runs:
                raise InputError(f"{row!r} is both a run and a copied row; rename one of them")
            for collection in values:
                _refuse_unknown(collection, self.scores, "collection ")
        placed = [row for rows in self.groups.values() for row in rows]
        for row in placed:
            _refuse_unknown(row, self.rows, "run ")
            if placed.count(row) > 1:
                raise InputError(f"{row!r} is in two groups of rows; keep it in one")

    def __repr__(self) -> str:
        return f"CollectionScores({counted(len(self.scores), 'collection')}, {counted(len(self.runs), 'run')})"

    def __getitem__(self, collection: str) -> Scores:
        if collection not in self.scores:
            raise InputError(f"{shown(collection)} is not among the collections: {listed(list(self.scores))}")
        return self.scores[collection]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    @property
    def collections(self) -> tuple[str, ...]:
        """Names of the collections, in the order of the columns."""
        return tuple(self.scores)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs that any collection has, in the order in which they come up."""
        return self.order or tuple(dict.fromkeys(run for scores in self.scores.values() for run in scores.runs))

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the runs, and behind them of the rows that were copied."""
        return (*self.runs, *self.copied)

    @property
    def measures(self) -> tuple[tuple[Measure, ...], ...]:
        """The measures of each collection."""
        return tuple(scores.measures for scores in self.scores.values())

    @cached_property
    def means(self) -> Floats:
        """Array of shape (measures, collections, rows): averages over topics, NaN where a run lacks a collection."""
        means = np.full((len(self.measures[0]), len(self.scores), len(self.rows)), np.nan)
        for c, (name, scores) in enumerate(self.scores.items()):
            means[:, c, [self.rows.index(run) for run in scores.runs]] = scores.averages
            for row, values in self.copied.items():
                means[0, c, self.rows.index(row)] = values.get(name, np.nan)
        return means

    @cached_property
    def averages(self) -> Floats:
        """Array of shape (measures, rows): the mean over collections, each counting once.

        NaN where a run lacks a collection, and where the collections' measures cannot be averaged.
        """
        averages: Floats = self.means.mean(axis=1)
        averages[~self.averaged] = np.nan
        return averages

    @property
    def averaged(self) -> Booleans:
        """For each measure, whether an average over collections says anything.

        It does where there are several, all are better the same way, and none is a sum or on a scale of
        logarithms.
        """
        kinds = [
            {(direction(each), each.summary) for each in of_place} for of_place in zip(*self.measures, strict=True)
        ]
        return np.array([len(kind) == 1 and next(iter(kind))[1] == "mean" for kind in kinds]) & (len(self.scores) > 1)

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the long table: collection, run, topic, measure, value; the average of all has the collection ``all``.

        With ``per_topic`` the topics of each run of a collection come before its average. Copied values
        have no topic.
        """
        tables = [
            scores.to_polars(per_topic=per_topic).select(pl.lit(name).alias("collection"), pl.all())
            for name, scores in self.scores.items()
        ]
        rows: list[tuple[object, ...]] = [
            (collection, row, None, str(self.scores[collection].measures[0]), float(value))
            for row, values in self.copied.items()
            for collection, value in values.items()
        ]
        rows += [
            (OF_ALL, row, AVERAGE, self.measure_of_all(m), float(self.averages[m, r]))
            for r, row in enumerate(self.rows)
            for m in np.flatnonzero(self.averaged).tolist()
            if np.isfinite(self.averages[m, r])
        ]
        schema = dict.fromkeys(("collection", "run", "topic", "measure"), pl.String) | {"value": pl.Float64}
        return pl.concat([*tables, pl.DataFrame(rows, schema, orient="row")])

    def measure_of_all(self, m: int) -> str:
        """Name the measures in one position of all collections, each once."""
        return ", ".join(dict.fromkeys(str(measures[m]) for measures in self.measures))

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people: a row for each run, a column for each collection, and their average."""
        columns = {each.name: each.values for each in self.table_columns()}
        return pl.DataFrame({"run": list(self.rows), **columns}, nan_to_null=True)

    def sheet(self, **which: object) -> Sheet:
        """Return the table as displayed: the best of each column in bold, the second best underlined."""
        return self.shortly().laid_out(self.caption())

    def shortly(self) -> CollectionScores:
        """Return the same with the measures of all collections called as tables for people call them."""
        short = iter(shortly([each for measures in self.measures for each in measures]))
        named = {
            name: replace(each, measures=tuple(islice(short, len(each.measures)))) for name, each in self.scores.items()
        }
        return replace(self, scores=named)

    def laid_out(
        self, caption: str, labels: Sequence[str] = (), marked: Callable[[int, list[float]], list[Marked]] | None = None
    ) -> Sheet:
        """Lay the table out: the rows in their groups, those that are in none first; in front labels, if there are any.

        Of each column, by its place and its values, ``marked`` gives the values with what follows them.
        """
        index = [SheetColumn("", labels)] if labels else []
        index.append(SheetColumn("run", [row + COPIED if row in self.copied else row for row in self.rows]))
        columns = []
        for at, place in enumerate(self.table_columns()):
            values = place.values.tolist()
            above = "" if len(self.measures[0]) == 1 else place.collection or "average"
            column = value_column(place.name, values, place.sign)._replace(above=above)
            if marked is not None:  # a value that is not there has no mark
                both = zip(column.cells, marked(at, values), strict=True)
                column = column._replace(cells=[cell if isinstance(cell, str) else signed for cell, signed in both])
            columns.append(column)
        sheet = Sheet((*index, *columns), len(index), caption)
        grouped = {row for rows in self.groups.values() for row in rows}
        alone = [place for place, row in enumerate(self.rows) if row not in grouped]
        named = [(name, [self.rows.index(row) for row in rows]) for name, rows in self.groups.items()]
        return sheet.in_groups([("", alone), *named]) if self.groups else sheet

    def table_columns(self) -> Iterator[TableColumn]:
        """Iterate over the columns of the table: for each collection its measures, then the averages of all."""
        measures = range(len(self.measures[0]))
        for c, name in enumerate(self.scores):
            for m in measures:
                yield TableColumn(self._named(name, m), m, name, self.means[m, c], self.direction(m, c))
        for m in measures:
            if self.averaged[m]:
                yield TableColumn(self._named("average", m), m, None, self.averages[m], self.direction(m, 0))

    def _named(self, name: str, m: int) -> str:
        """Name a column; where there are several measures, after that, too."""
        if len(self.measures[0]) == 1:
            return name
        return f"{name} {self.measure_of_all(m) if name == 'average' else self.scores[name].measures[m]}"

    def direction(self, m: int, c: int) -> float:
        """Return whether higher (1) or lower (-1) is better in a column; 0 for counts, which have no best."""
        measure = self.measures[c][m]
        return 0.0 if measure.summary == "sum" else direction(measure)

    def caption(self, **which: object) -> str:
        """Say what the values are, by collection, and what the average is of."""
        return " ".join(self.shortly()._said())

    def _said(self) -> Iterator[str]:
        by_measure: dict[str, list[str]] = {}
        for name, scores in self.scores.items():
            told = ", ".join(f"{it} ({it.definition})" if it.name_given else str(it) for it in scores.measures)
            if how := ", ".join(scores.conditions.described("topics", "bounds")):
                told += f" ({how})"
            by_measure.setdefault(told, []).append(f"{name} ({scores.population})")
        of_each = (f"{told} of {', '.join(names)}" for told, names in by_measure.items())
        yield f"Averages over topics: {'; '.join(of_each)}."
        every = (str(each) for measures in self.measures for each in measures if direction(each) < 0)
        yield from (f"Lower is better: {name}." for name in dict.fromkeys(every))
        if self.averaged.any():
            yield f"Average: the mean of {counted(len(self.scores), 'collection')}, each counting once."
        if not np.isfinite(self.means).all():
            yield f"{_MISSING}: no value, and so no average."
        if self.copied:
            yield f"{COPIED} copied from elsewhere, not computed here."

    def remarks(self) -> tuple[str, ...]:
        """Return what the audit of each collection found, and the notes on measures."""
        return tuple(dict.fromkeys(note for scores in self.scores.values() for note in scores.notes))

    def audited(self, how: str = "rel=", most: int | None = None) -> Iterator[str]:
        """Give the lines of the audit of each collection, with its name in front."""
        for name, scores in self.scores.items():
            yield from (f"{name}: {line}" for line in scores.audit.lines(how, most))

    def render(self, format: str = "table", *, per_topic: bool = False, **which: object) -> str | bytes:  # noqa: A002
        """Return the scores as text (or bytes); by topic they are for programs: csv, json, parquet."""
        if per_topic and format in FORMATS and FORMATS[format].for_people:
            raise InputError(
                f"scores by topic of several collections are available as csv, json or parquet, not {format}"
            )
        return super().render(format, per_topic=per_topic)

    def sorted_by(self, measure: str | Measure | None = None) -> CollectionScores:
        """Return the same with the runs in order, the best average first; where there is none, by the first collection.

        Runs without an average, which lack a collection, come last.
        """
        m = 0 if measure is None else place_of(measure, [self.measure_of_all(m) for m in range(len(self.measures[0]))])
        values = self.averages[m] if self.averaged[m] else self.means[m, 0]
        oriented = (self.direction(m, 0) or 1.0) * values[: len(self.runs)]
        places = best_first(np.where(np.isnan(oriented), -np.inf, oriented))
        return replace(self, order=tuple(self.runs[place] for place in places))


def _refuse_unknown(name: str, known: Collection[str], noun: str = "") -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"; choose from {listed(list(known))}"
        raise InputError(f"there is no {noun}{name!r}{hint}")


MEASURE: Final = "nDCG@10"
"""What a collection is scored by, if neither it nor its convention says anything else."""
OF_ALL: Final = "all"
"""What stands for the collection where a value is of all of them; so no collection is called that."""
_TAKEN: Final = ("run", "average", OF_ALL)  # What else stands where names of collections do, in the heads of tables

_OF_ONE: Final = ("qrels", "runs", "measures", *Asked.__annotations__)
_OF_FILE: Final = ("collections", "measures", "groups", "copied")


@dataclass(frozen=True, kw_only=True)
class TestCollection:
    """One of several collections; what is its own goes before what is asked of all."""

    qrels: QrelsLike | Judgments | JudgedRuns
    runs: RunsLike | None = None
    measures: MeasureNames | None = None
    asked: Asked = field(default_factory=Asked)

    def measured_by(self, usual: MeasureNames | None, conditions: Asked) -> list[Measure]:
        """Return its measures: its own, those asked of all, or the first that its convention reports."""
        asked = self.measures if self.measures is not None else usual
        if asked is None:
            return parse_measures(by_what(None, self.qrels, {**conditions, **self.asked}, (MEASURE,)))[:1]
        return parse_measures(asked)


@dataclass(frozen=True, kw_only=True)
class AskedCollections:
    """Several collections, in the order of the columns, and how the table of them is laid out."""

    of: Mapping[str, TestCollection]
    measures: MeasureNames | None = None
    copied: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values from elsewhere, by the name of a row and of a collection: shown, and never tested."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)  # Rows that stand together, below a heading


CollectionsLike: TypeAlias = Mapping[str, Any] | str | PathLike[str]
"""Collections by their names (each a pair of qrels and runs, joined runs, or a dict), or a file of TOML."""


def collections_of(given: CollectionsLike) -> AskedCollections:
    """Return the collections that were given, checked."""
    if isinstance(given, str | PathLike):
        return read_collections(given)
    return AskedCollections(of=_checked({name: _collection(name, one) for name, one in given.items()}))


def _checked(collections: dict[str, TestCollection]) -> dict[str, TestCollection]:
    if not collections:
        raise InputError("no collections were given")
    for name in collections:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"a collection cannot be called {shown(name)}")
        if name in _TAKEN:
            raise InputError(f"a collection cannot be called {shown(name)}: tables have that for something else")
    return collections


def _collection(name: str, given: object) -> TestCollection:
    """Read what stands for one collection."""
    if isinstance(given, TestCollection):
        return given
    if isinstance(given, JudgedRuns):
        return TestCollection(qrels=given)
    if isinstance(given, tuple) and len(given) == 2:
        return TestCollection(qrels=given[0], runs=given[1])
    if not isinstance(given, Mapping):
        raise InputError(f"collection {name}: a pair of qrels and runs, or a dict with both, not {shown(given)}")
    for key in given:
        if key not in _OF_ONE:
            hint = did_you_mean(str(key), _OF_ONE) or f"; choose from {', '.join(_OF_ONE)}"
            raise InputError(f"collection {name}: there is no {key!r}{hint}")
    for needed in ("qrels", "runs"):
        if needed not in given and not isinstance(given.get("qrels"), JudgedRuns):
            raise InputError(f"collection {name}: its {needed} are missing")
    asked = cast("Asked", {key: value for key, value in given.items() if key in Asked.__annotations__})
    return TestCollection(qrels=given["qrels"], runs=given.get("runs"), measures=given.get("measures"), asked=asked)


def read_collections(path: str | PathLike[str]) -> AskedCollections:
    """Read a file of TOML that names collections; paths are relative to its folder.

    .. code-block:: toml

        measures = ["nDCG@10"]            # of those that name none

        [collections.dl19]
        qrels = "dl19/qrels.txt"
        runs = "dl19/runs/*.gz"           # or a list, or { bm25 = "bm25.gz", dense = "e5.gz" }
        convention = "trec-dl"            # and other conditions of `cranfield evaluate`

        [groups]                          # rows below a heading
        "First stage" = ["bm25", "dense"]

        [copied."ColBERT (2020)"]         # rows from elsewhere: shown, not tested
        dl19 = 0.694
    """
    from cranfield.formats.files import is_stream
    from cranfield.formats.loading import load

    held = load(path)
    found = held.toml()
    try:
        return _of_toml(found, Path() if is_stream(path) else Path(path).parent)
    except InputError as error:
        raise held.wrong(str(error)) from None


def _of_toml(found: Mapping[str, Any], folder: Path) -> AskedCollections:
    for key in found:
        _refuse_unknown(key, _OF_FILE)
    collections, groups, copied = (found.get(key, {}) for key in ("collections", "groups", "copied"))
    for key, table in (("collections", collections), ("groups", groups), ("copied", copied)):
        if not isinstance(table, dict):
            raise InputError(f"{key} is a table of TOML, as in [{key}.NAME], not {shown(table)}")
    for name, rows in groups.items():
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise InputError(f"the group {name!r} is a list of rows, not {shown(rows)}")
    for name, values in copied.items():
        if not isinstance(values, dict):
            raise InputError(f"the row {name!r} has a value for each collection, as in here = 0.5, not {shown(values)}")
        for collection, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"the value of {name} on {collection} is a number, not {shown(value)}")
    of = _checked({name: _collection(name, _placed(one, folder)) for name, one in collections.items()})
    return AskedCollections(of=of, measures=found.get("measures"), copied=copied, groups=groups)


def _placed(given: object, folder: Path) -> object:
    """Find the files of a collection from the folder of the file that names them."""
    if not isinstance(given, dict):
        return given
    files = {key: given[key] for key in ("qrels", "runs") if key in given} | files_asked(given)
    return given | {key: _from(value, folder) for key, value in files.items()}


def _from(paths: object, folder: Path) -> object:
    if isinstance(paths, dict):
        return {name: _from(path, folder) for name, path in paths.items()}
    if isinstance(paths, list):
        return [_from(path, folder) for path in paths]
    return str(folder / paths) if isinstance(paths, str) else paths


def files_of_collections(given: CollectionsLike) -> list[str]:
    """Name the files that are read for them; none where they cannot be told, as the work itself will say."""
    from cranfield.formats import files_of

    found: list[object] = []
    try:
        for one in collections_of(given).of.values():
            runs = list(one.runs.values()) if isinstance(one.runs, Mapping) else one.runs
            paths = [path for path in (runs if isinstance(runs, list) else [runs]) if isinstance(path, str)]
            found += [one.qrels, *files_of(paths), *files_asked(one.asked).values()]
    except InputError:
        return []
    return list(map(str, found))
