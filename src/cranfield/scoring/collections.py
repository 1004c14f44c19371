"""Several collections in one call: which there are, and what is asked of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import Asked, files_asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import did_you_mean
from cranfield.results.sheet import listed
from cranfield.scoring.judged_runs import JudgedRuns, by_what

MEASURE: Final = "nDCG@10"
"""What a collection is scored by, if neither it nor its convention says anything else."""
OF_ALL: Final = "all"
"""What stands for the collection where a value is of all of them; so no collection is called that."""
_TAKEN: Final = ("run", "average", OF_ALL)
"""What else stands where names of collections do, in the heads of tables."""

_OF_ONE: Final = ("qrels", "runs", "measures", *Asked.__annotations__)
_OF_FILE: Final = ("collections", "measures", "groups", "copied")


@dataclass(frozen=True, kw_only=True)
class TestCollection:
    """One of several collections."""

    # qrels, runs: as for `evaluate`
    qrels: QrelsLike | Judgments | JudgedRuns
    runs: RunsLike | None = None
    # what it is scored by; None: what is asked of all, or what its convention begins with
    measures: MeasureNames | None = None
    asked: Asked = field(default_factory=Asked)  # conditions of its own, which go before those that are asked of all

    def measured_by(self, usual: MeasureNames | None, conditions: Asked) -> list[Measure]:
        """Return its measures: its own, those asked of all, or the first that its convention reports."""
        asked = self.measures if self.measures is not None else usual
        if asked is None:
            return parse_measures(by_what(None, self.qrels, {**conditions, **self.asked}, (MEASURE,)))[:1]
        return parse_measures(asked)


@dataclass(frozen=True, kw_only=True)
class AskedCollections:
    """Several collections, and how the table of them is laid out.

    Attributes
    ----------
    of
        Each collection by its name, in the order of the columns.
    measures
        What is asked of those that have no measures of their own.
    copied
        Values from elsewhere, by the name of a row and of a collection: shown, and never tested.
    groups
        Rows that stand together, below a heading.
    """

    of: Mapping[str, TestCollection]
    measures: MeasureNames | None = None
    copied: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


CollectionsLike: TypeAlias = Mapping[str, Any] | str | PathLike[str]
"""Collections by their names (each a pair of qrels and runs, joined runs, or a dict), or a file of TOML."""


def collections_of(given: CollectionsLike) -> AskedCollections:
    """Return the collections that were given, checked.

    >>> found = collections_of({"small": ({"1": {"a": 1}}, {"bm25": {"1": ["a"]}})})
    >>> list(found.of), found.of["small"].runs
    (['small'], {'bm25': {'1': ['a']}})
    >>> collections_of({"small": {"qrel": {"1": {"a": 1}}}})
    Traceback (most recent call last):
    ...
    cranfield.InputError: collection small: there is no 'qrel'; did you mean `qrels`?
    """
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
            hint = did_you_mean(str(key), _OF_ONE) or f"; there are {', '.join(_OF_ONE)}"
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
        if key not in _OF_FILE:
            raise InputError(
                f"there is no {key!r}{did_you_mean(key, _OF_FILE) or f'; there are {listed(_OF_FILE, 9)}'}"
            )
    tables = {key: found.get(key, {}) for key in ("collections", "groups", "copied")}
    for key, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(f"{key} is a table of TOML, as in [{key}.NAME], not {shown(table)}")
    for name, rows in tables["groups"].items():
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise InputError(f"the group {name!r} is a list of rows, not {shown(rows)}")
    for name, values in tables["copied"].items():
        if not isinstance(values, dict):
            raise InputError(f"the row {name!r} has a value for each collection, as in here = 0.5, not {shown(values)}")
        for collection, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"the value of {name} on {collection} is a number, not {shown(value)}")
    given = {name: _placed(one, folder) for name, one in tables["collections"].items()}
    return AskedCollections(
        of=_checked({name: _collection(name, one) for name, one in given.items()}),
        measures=found.get("measures"),
        copied=tables["copied"],
        groups=tables["groups"],
    )


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
    try:
        collections = collections_of(given).of.values()
        return [str(file) for one in collections for file in _files_of(one)]
    except InputError:
        return []


def _files_of(one: TestCollection) -> Iterator[object]:
    from cranfield.formats import files_of

    yield from (one.qrels, *files_of(_paths(one.runs)), *files_asked(one.asked).values())


def _paths(runs: object) -> list[str]:
    each = runs.values() if isinstance(runs, Mapping) else runs if isinstance(runs, list) else [runs]
    return [path for path in each if isinstance(path, str)]
