"""What documents cost whoever reads them: the costs that are given, and what each list costs down to every rank."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers, members, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import kind
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.tables import DOCUMENT, RUN_COLUMNS, Frame, match_columns
from cranfield.plumbing.wording import counted

CostsLike: TypeAlias = str | os.PathLike[str] | Frame | Mapping[Any, float]
"""What costs are read from: a file, a DataFrame, or ``{document: cost}``."""

DOCUMENT_NAMES: Final = (*RUN_COLUMNS[DOCUMENT], "chunk", "chunk_id", "passage", "passage_id", "_id", "id")
_UNITS: Final[dict[str, tuple[str, ...]]] = {
    "tokens": ("tokens", "token", "token_count", "num_tokens", "n_tokens", "tokens_count"),
    "words": ("words", "word_count", "num_words", "n_words"),
    "characters": ("characters", "chars", "char_count", "num_chars", "n_chars"),
    "seconds": ("seconds", "second", "sec", "secs"),
    "milliseconds": ("milliseconds", "ms", "latency_ms"),
    "dollars": ("dollars", "usd"),
}
"""Units that the name of the column tells, and what such a column may be called."""
_NAMES: Final = ("cost", "costs", *(name for names in _UNITS.values() for name in names), "length", "size", "value")
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {"document": DOCUMENT_NAMES, "cost": _NAMES}
_COST: Final = "cost"
_ROUNDING: Final = 1e-9
"""A sum of costs is above a budget only if it is so by more than the rounding of a sum."""


@dataclass(frozen=True)
class Costs(Taken):
    """What each document or chunk costs, whatever the topic.

    Attributes
    ----------
    given
        How it was asked for: the path of a file, or what was given in words.
    unit
        What is counted, if the name of the column tells it: ``"tokens"``, ``"seconds"``; or empty.
    digest
        What tells costs with the same name apart.
    table
        Columns doc_id and cost; None of results that were read back, which keep no costs of documents.

    Examples
    --------
    >>> costs = Costs.taken({"d1": 120, "d2": 80})
    >>> costs, costs.of(pl.Series(["d2", "d1", "other"])).tolist()
    ('2 costs', [80.0, 120.0, nan])
    """

    given: str
    unit: str
    digest: str
    table: pl.DataFrame | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read what was given: see `CostsLike`.

        Of a file each line is a document and a number; tables (CSV, TSV, Parquet, JSON lines or a list of
        objects) have a column of documents and one of costs, whose name may tell the unit; JSON may be one
        object of documents and numbers.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            return cls._of(value.items(), None, "", None)
        if value is None or (isinstance(value, bool | int | float | Sequence) and not isinstance(value, str)):
            raise InputError(f"costs must be a file, a DataFrame or a dict, not {shown(value)}")
        return cls._read(value)

    @classmethod
    def _read(cls, value: Any) -> Self:
        from cranfield.formats.files import called, read_bytes
        from cranfield.formats.topic_tables import read_topic_table

        source = called(value) if isinstance(value, str | os.PathLike) else None
        data = None if source is None else read_bytes(value)
        if data is not None and (nested := _one_object(data)) is not None:
            return cls._of(nested.items(), source, "", source)
        if plain := _plain_table(value, data):
            return cls._made(plain[0], source, plain[1])
        table = read_topic_table(value, "costs").without_header(*_COLUMNS.values())
        unit = _unit(match_columns(table.columns, _COLUMNS, source=table.source)["cost"]) if table.columns else ""
        picked = table.picked(_COLUMNS, {2: (0, 1)})
        lines = [line for line, _ in picked.rows]
        return cls._of((row for _, row in picked.rows), source, unit, picked.source, lines)

    @classmethod
    def _of(
        cls,
        pairs: Iterable[tuple[object, object]],
        name: str | None,
        unit: str,
        source: str | None,
        lines: Sequence[int] = (),
    ) -> Self:
        found: dict[str, float] = {}
        for place, (document, written) in enumerate(pairs):
            try:
                _add(found, document, written)
            except InputError as error:
                raise InputError(error.problem, source=source, line=lines[place] if lines else None) from None
        if not found:
            raise InputError("is empty: there are no costs in it", source=source or "costs")
        columns = {DOCUMENT: list(found), _COST: list(found.values())}
        return cls._made(pl.DataFrame(columns, schema={DOCUMENT: pl.String, _COST: pl.Float64}), name, unit)

    @classmethod
    def _made(cls, table: pl.DataFrame, name: str | None, unit: str) -> Self:
        """Keep a table in order."""
        ordered = table.sort(DOCUMENT)
        digest = hashlib.sha256(json.dumps([unit, ordered[DOCUMENT].to_list()]).encode())
        digest.update(ordered[_COST].to_numpy().tobytes())
        made = cls(name or counted(table.height, "cost"), unit, digest.hexdigest()[:16])
        object.__setattr__(made, "table", table)  # no part of what is written down and compared
        return made

    def __str__(self) -> str:
        return self.given

    def __repr__(self) -> str:
        return repr(self.given)

    @property
    def described(self) -> str:
        """Where they come from, and their unit where it is known."""
        return f"{self.given} ({self.unit})" if self.unit else self.given

    def of(self, documents: pl.Series) -> Floats:
        """Return the cost of each document; NaN where none was given."""
        if self.table is None:
            raise InputError("results that were read back do not hold what documents cost", source=self.given)
        asked = pl.DataFrame({DOCUMENT: documents})
        found = asked.join(self.table, on=DOCUMENT, how="left", maintain_order="left")[_COST]
        return found.fill_null(math.nan).to_numpy().astype(np.float64)

    def by_rank(
        self, run: str, documents: pl.Series, length: Integers, missing: float | None, depth: float
    ) -> tuple[ListCosts, int]:
        """Return what the lists of a run cost, its documents being given list by list and by rank.

        Parameters
        ----------
        run
            Its name, for errors.
        documents, length
            The documents, list by list, and how many each list has.
        missing
            The cost of documents that have none; without it they are refused.
        depth
            How many documents of a list count.

        Returns
        -------
        The costs, and how many documents got that of ``missing``.

        Raises
        ------
        InputError
            Where a document has no cost, and nothing says what such documents cost.
        """
        cost = self.of(documents)
        read = members(length)[1] < depth
        lacking = np.isnan(cost) & read
        lacks = int(lacking.sum())
        if lacks and missing is None:
            verb = "has" if lacks == 1 else "have"
            raise InputError(
                f"{lacks:,} of {counted(int(read.sum()), 'document')} of run {run!r} {verb} no cost, such as "
                f"{documents[int(np.argmax(lacking))]!r}; give each one, or say with --cost-missing (cost_missing=) "
                "what such documents cost",
                source=self.given,
            )
        return ListCosts.of(np.nan_to_num(cost, nan=missing or 0.0), length), lacks


kind(
    "Costs",
    Costs,
    lambda costs: json.dumps([costs.given, costs.unit, costs.digest]),
    lambda written: Costs(*json.loads(written)),
)


@dataclass(frozen=True, eq=False)
class ListCosts:
    """What the documents of each row cost, down to every rank.

    Attributes
    ----------
    spent
        List by list: 0, and then what its first, its first two, ... documents cost together.
    start
        For each row, the place of its 0.

    Examples
    --------
    >>> costs = ListCosts.of(np.array([100.0, 50.0, 70.0]), np.array([2, 1]))
    >>> costs.until(np.array([2, 1])), costs.fitting(100, np.array([2, 1]))
    (array([150.,  70.]), array([1, 1]))
    """

    spent: Floats
    start: Integers

    @classmethod
    def of(cls, cost: Floats, length: Integers) -> ListCosts:
        """Add up the costs of documents, which are given list by list."""
        row, nth = members(length)
        start = starts(length + 1)
        spent = np.zeros(int((length + 1).sum()))
        table = np.zeros((len(length), int(length.max(initial=0))))  # so that no list heeds the ones before it
        table[row, nth] = cost
        spent[start[row] + nth + 1] = np.cumsum(table, axis=1)[row, nth]
        return cls(spent, start)

    @classmethod
    def batch(cls, several: Sequence[ListCosts]) -> ListCosts:
        """Put the costs of several batches of lists together."""
        first = np.cumsum([0, *(len(each.spent) for each in several)])
        return cls(
            np.concatenate([each.spent for each in several]),
            np.concatenate([each.start + before for each, before in zip(several, first[:-1], strict=True)]),
        )

    def of_rows(self, rows: Integers | slice) -> ListCosts:
        """Return those of some rows, in this order."""
        return ListCosts(self.spent, self.start[rows])

    def spread(self, rows: Integers, many: int) -> ListCosts:
        """Give its lists to these of so many rows; the others have no document."""
        start = np.full(many, len(self.spent))
        start[rows] = self.start
        return ListCosts(np.append(self.spent, 0.0), start)

    def until(self, length: Integers) -> Floats:
        """Return what so many first documents of each row cost: array of shape (rows,) or (rows, lists)."""
        start = self.start if length.ndim == 1 else self.start[:, np.newaxis]
        return self.spent.take(start + length)

    def table(self, length: Integers) -> Floats:
        """Return the cost of each document: array of shape (rows, longest length), 0 beyond the end of a row."""
        ranks = np.arange(int(length.max(initial=0)) + 1)
        return np.diff(self.until(np.minimum(ranks, length[:, np.newaxis])), axis=1)

    def fitting(self, budget: float, length: Integers) -> Integers:
        """Return how many documents of each row fit into a budget: the first that does not fit whole ends the list."""
        row, nth = members(length + 1)
        fits = self.spent.take(self.start[row] + nth) <= budget * (1 + _ROUNDING)
        return np.bincount(row, weights=fits, minlength=len(length)).astype(np.int64) - 1

    def kept(self, length: Integers, row: Integers, rank: Integers) -> ListCosts:
        """Return those of lists of which only these ranks are left, row by row and by rank."""
        at = self.start[row] + rank
        return ListCosts.of(self.spent[at] - self.spent[at - 1], length)


def unit_costs(length: Integers) -> ListCosts:
    """Let every document cost 1, as it does where no costs are given: the cost of a list is its length."""
    depth = int(length.max(initial=0))
    return ListCosts(np.arange(depth + 1.0), np.zeros(len(length), np.int64))


def sum_until_cost(
    costs: ListCosts, lengths: Integers, length: Integers, worth: Callable[[Integers], Floats]
) -> Floats:
    """Add up cost times a function of the rank, from rank 1 to each of these lengths: array of shape (rows, lists).

    >>> costs = ListCosts.of(np.array([100.0, 50.0]), np.array([2]))
    >>> sum_until_cost(costs, np.array([2]), np.array([[0, 1, 2]]), lambda rank: 1 / rank)
    array([[  0., 100., 125.]])
    """
    cost = costs.table(lengths)
    running = np.zeros((len(cost), cost.shape[1] + 1))
    np.cumsum(cost * worth(np.arange(1, cost.shape[1] + 1)), axis=1, out=running[:, 1:])
    return np.take_along_axis(running, np.broadcast_to(length, (len(running), length.shape[1])), axis=1)


def _unit(column: str) -> str:
    return next((unit for unit, names in _UNITS.items() if column.strip().casefold() in names), "")


def _plain_table(value: Any, data: bytes | None) -> tuple[pl.DataFrame, str] | None:
    """Read a table of millions of costs, and its unit, without a look at each; None where anything is out of order.

    Whoever has a message reads it then, row by row.
    """
    from cranfield.formats import frames, parquet
    from cranfield.formats.files import unpacked_name
    from cranfield.formats.long_tables import table_of
    from cranfield.formats.optional import library

    try:
        if data is None:
            narwhal = library("narwhals.stable.v2").from_native(value)
            table = frames.to_polars(narwhal, {name: name for name in narwhal.collect_schema().names()})
        elif data.startswith(b"PAR1"):
            table = parquet.table(data, source="costs")
        elif unpacked_name(value).casefold().endswith((".csv", ".tsv")):
            table = table_of(data, "costs", source="costs")
        else:
            return None
        names = match_columns(table.columns, _COLUMNS)
        of_document, of_cost = (table.schema[names[name]] for name in _COLUMNS)
        if not (
            (of_document.is_integer() or of_document == pl.String) and (of_cost.is_numeric() or of_cost == pl.String)
        ):
            return None
        document, cost = pl.col(names["document"]).cast(pl.String), pl.col(names["cost"]).cast(pl.Float64)
        found = table.select(document.alias(DOCUMENT), cost.alias(_COST))
    except (InputError, pl.exceptions.PolarsError, AttributeError, TypeError, ValueError):
        return None
    wrong = ~(pl.col(_COST).is_finite() & (pl.col(_COST) >= 0) & (pl.col(DOCUMENT).str.strip_chars() != "")).fill_null(
        False
    )
    if not found.height or found.select(wrong.any()).item() or found[DOCUMENT].is_duplicated().any():
        return None
    return found, _unit(names["cost"])


def _one_object(data: bytes) -> dict[str, Any] | None:
    """Read JSON that is one object of documents and numbers; None where it is something else."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    plain = isinstance(found, dict) and all(isinstance(each, int | float) for each in found.values())
    return found if plain and (not found or {*found} - {*DOCUMENT_NAMES, *_NAMES}) else None


def _add(found: dict[str, float], document: object, written: object) -> None:
    from cranfield.formats.topic_tables import an_id

    name = an_id(document, "document")
    if name in found:
        raise InputError(f"document {name!r} has a second cost")
    try:
        cost = math.nan if isinstance(written, bool) or written is None else float(written)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        cost = math.nan
    if not math.isfinite(cost) or cost < 0:
        raise InputError(f"a cost is a number of at least 0, not {shown(written)}")
    found[name] = cost
