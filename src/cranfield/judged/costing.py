"""What documents cost whoever reads them: a condition of reading."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Taken, shown
from cranfield.plumbing.tables import DOCUMENT, RUN_COLUMNS, Frame, match_columns
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.formats.loading import Loaded

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
_TELLING: Final = ("cost", "costs", *(name for names in _UNITS.values() for name in names))
_NAMES: Final = (*_TELLING, "length", "size", "value")
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {"document": DOCUMENT_NAMES, "cost": _NAMES}
_COST: Final = "cost"


@dataclass(frozen=True)
class Costs(Taken):
    """What each document or chunk costs, whatever the topic.

    >>> costs = Costs.taken({"d1": 120, "d2": 80})
    >>> costs, costs.of(pl.Series(["d2", "d1", "other"])).to_list()
    ('2 costs', [80.0, 120.0, None])
    """

    given: str
    """How it was asked for: the path of a file, or what was given in words."""
    unit: str
    """What is counted, if the name of the column tells it: ``"tokens"``, ``"seconds"``; or empty."""
    digest: str
    """What tells costs with the same name apart."""
    table: pl.DataFrame | None = field(default=None, init=False, repr=False, compare=False)
    """Columns doc_id and cost; None of results that were read back, which keep no costs of documents."""

    @classmethod
    def taken(cls, value: object) -> Self:
        """Read what was given: see `CostsLike`.

        Of a file each line is a document and a number; the name of a table's column of costs may tell the unit; JSON
        may be one object of documents and numbers.
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
        from cranfield.formats.loading import load
        from cranfield.formats.topic_tables import read_topic_table

        held = load(value) if isinstance(value, str | os.PathLike) else None
        source = None if held is None else held.source
        if held is not None and (nested := _one_object(held)) is not None:
            return cls._of(nested.items(), source, "", source)
        if plain := _plain_table(value, held):
            return cls._made(plain[0], source, plain[1])
        table = read_topic_table(held or value, "costs").without_header(*_COLUMNS.values())
        unit = _unit(_columns(table.columns, table.source)["cost"]) if table.columns else ""
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
        from hashlib import sha256

        ordered = table.sort(DOCUMENT)
        digest = sha256(json.dumps([unit, ordered[DOCUMENT].to_list()]).encode())
        digest.update(json.dumps(ordered[_COST].to_list()).encode())
        made = cls(name or counted(table.height, "cost"), unit, digest.hexdigest()[:16])
        object.__setattr__(made, "table", table)  # no part of what is written down and compared
        return made

    def __str__(self) -> str:
        return self.given

    def __repr__(self) -> str:
        return repr(self.given)

    def written(self) -> str:
        """Write down what they are, without the costs of documents."""
        return json.dumps([self.given, self.unit, self.digest])

    @classmethod
    def restored(cls, text: str) -> Self:
        """Read that back."""
        return cls(*json.loads(text))

    @property
    def described(self) -> str:
        """Where they come from, and their unit where it is known."""
        return f"{self.given} ({self.unit})" if self.unit else self.given

    def of(self, documents: pl.Series) -> pl.Series:
        """Return the cost of each document; null where none was given."""
        if self.table is None:
            raise InputError("results that were read back do not hold what documents cost", source=self.given)
        asked = pl.DataFrame({DOCUMENT: documents})
        return asked.join(self.table, on=DOCUMENT, how="left", maintain_order="left")[_COST]


def _columns(there: Sequence[str], source: str | None) -> dict[str, str]:
    """Find the column of documents and that of costs, of which there is one."""
    found = match_columns(there, _COLUMNS, source=source)
    several = [name for name in there if name.strip().casefold() in _TELLING]
    if len(several) > 1:
        raise InputError(f"has several columns of costs, {' and '.join(several)}; keep one", source=source)
    return found


def _unit(column: str) -> str:
    return next((unit for unit, names in _UNITS.items() if column.strip().casefold() in names), "")


def _plain_table(value: Any, held: Loaded | None) -> tuple[pl.DataFrame, str] | None:
    """Read a table of millions of costs, and its unit, at once; None where a cell is wrong: it is read by rows then."""
    from cranfield.formats import frames
    from cranfield.formats.long_tables import table_of
    from cranfield.formats.optional import library

    try:
        if held is None:
            narwhal = library("narwhals.stable.v2").from_native(value)
            table = frames.to_polars(narwhal, {name: name for name in narwhal.collect_schema().names()})
        elif held.data.startswith(b"PAR1") or held.suffix in {".csv", ".tsv"}:
            table = table_of(held, "costs")
        else:
            return None
        names = _columns(table.columns, None)
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


def _one_object(held: Loaded) -> dict[str, Any] | None:
    """Read JSON that is one object of documents and numbers; None where it is something else."""
    if held.data.startswith(b"PAR1") or not held.text.lstrip().startswith("{"):
        return None
    found = held.json()
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
