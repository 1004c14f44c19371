"""What users bring from other libraries, in one of the shapes that are read: path, open file, frame, dict or list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

import numpy as np

from cranfield.formats import files, frames, hits, mteb_predictions
from cranfield.formats.columns import Kind
from cranfield.formats.dicts import is_list_of_documents, names_subtopics
from cranfield.formats.golden import GoldenSet
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RUN_COLUMNS

if TYPE_CHECKING:
    from cranfield.formats.dicts import Id
    from cranfield.formats.files import FilePath, OpenFile
    from cranfield.formats.like import ArrowArray, ArrowStream, OfRanx
    from cranfield.plumbing.tables import Frame

Shape: TypeAlias = "FilePath | OpenFile | Frame | Mapping[Id, Any] | list[Any]"


def plain(given: object, kind: Kind) -> Shape:
    """Convert what was given to one of the shapes that are read.

    Frames: records, columns in a dict, and whatever speaks Arrow. Dicts: ranx' objects, pairs of a topic and its
    documents, and answers of search engines (`hits`). Any other iterable becomes a list.
    """
    if isinstance(given, str) and "\n" in given and not files.is_there(given):
        raise InputError("this is text, not a path; give io.StringIO(text)")
    if isinstance(given, str | os.PathLike) or frames.is_frame(given) or files.is_open(given):
        return given
    if is_of_ranx(given):
        given = given.to_dict()
    if isinstance(given, GoldenSet):
        given = given.ranked() if kind.is_run else given.judged()
    given = _of_an_object(given, kind)
    if isinstance(given, Mapping) and kind.is_run and mteb_predictions.are_predictions(given):
        return cast("Mapping[Id, Any]", mteb_predictions.runs_of(given))
    if isinstance(given, Mapping):
        return _of_columns(given) if _names_columns(given, kind) else hits.by_topic(_of_topics(given, kind), kind)
    if speaks_arrow(given):
        try:
            return pl.DataFrame(cast("Any", given))
        except (TypeError, pl.exceptions.PolarsError):  # a column
            raise _nothing(given, kind) from None
    if isinstance(given, bytes | bytearray) or _is_column(given) or not isinstance(given, Iterable):
        raise _nothing(given, kind)
    if isinstance(given, np.ndarray):
        _refuse_numbers(given, kind)
    items = np.atleast_1d(given).tolist() if isinstance(given, np.ndarray) else list(given)
    hits.refuse_nameless(items, kind)
    if items and isinstance(items[0], Mapping) and _is_record(items[0], kind):
        return _of_records(items)
    return hits.by_topic(_of_pairs(items), kind) if items and all(map(_is_pair, items)) else items


def speaks_arrow(given: object) -> TypeGuard[ArrowStream | ArrowArray]:
    """Say whether something hands over Arrow's batches, and is no column of another library."""
    return not _is_column(given) and (hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"))


def is_of_ranx(given: object) -> TypeGuard[OfRanx]:
    """Say whether something is a ``Run`` or ``Qrels`` of ranx': it holds a mapping called so."""
    held = (getattr(given, name, None) for name in ("run", "qrels"))
    return hasattr(given, "to_dict") and any(isinstance(each, Mapping) for each in held)


def _of_an_object(given: object, kind: Kind) -> object:
    """Return the dict that an object holds: elasticsearch's answer, or judgments as ``relevant_docs``."""
    if isinstance(given, Mapping):
        return given
    body = getattr(given, "body", None)
    if isinstance(body, Mapping):
        return body
    judged = getattr(given, "relevant_docs", None) if kind.is_qrels else None
    if not isinstance(judged, Mapping):
        return given
    if names_subtopics(judged):
        raise InputError(f"relevant_docs holds splits, as in MTEB ({', '.join(map(str, judged))}): give one of them")
    return judged


def _is_column(given: object) -> bool:
    """Tell columns, tensors and scores, which may be numbers, from what holds documents."""
    return type(given).__name__ == "Series" or (hasattr(given, "__float__") and not isinstance(given, np.ndarray))


def _nothing(given: object, kind: Kind) -> InputError:
    noun = "a run" if kind.is_run else "qrels"
    return InputError(
        f"{type(given).__name__} cannot be read as {noun}; give a path or an open file, a DataFrame, "
        f"{{topic: {{document: {kind.value}}}}}, or tuples (topic, document, {kind.value})"
    )


def _refuse_numbers(given: np.ndarray[Any, Any], kind: Kind) -> None:
    """Refuse an array of numbers alone, which says neither of which topic nor of which document they are."""
    if given.dtype.kind in "fcb" or (given.dtype.kind in "iu" and (given.ndim != 2 or given.shape[1] < 3)):
        of = "documents[topic], " + ("scores" if kind.is_run else "grades") + "[topic]"
        raise InputError(
            f"an array of numbers does not name topics and documents; give {{topic: {{document: {kind.value}}}}}: "
            f"{{topic: dict(zip({of})) for topic in topics}}"
        )


def _of_topics(given: Mapping[Id, Any], kind: Kind) -> Mapping[Id, Any]:
    """Refuse the documents of one topic, which is not named."""
    if given and all(isinstance(value, Real) and not isinstance(value, bool) for value in given.values()):
        raise InputError(
            f"{{document: {kind.value}}} does not name the topic: give {{topic: {{document: {kind.value}}}}}"
        )
    return given


def _is_record(item: Mapping[Any, Any], kind: Kind) -> bool:
    """Tell a record from a run as a dict: its values are single ones, or its keys name topic and document."""
    single = (str, bytes, Real, type(None))
    return _names_columns(item, kind) or all(isinstance(k, str) and isinstance(v, single) for k, v in item.items())


def _names_columns(given: Mapping[Any, Any], kind: Kind) -> bool:
    """Tell a record, or columns, from ``{topic: ...}`` and ``{name: run}``: the keys name topic and document."""
    if isinstance(next(iter(given.values()), None), Mapping):
        return False
    names = {key.strip().casefold() for key in given if isinstance(key, str)}
    own = kind.naming.names
    known = ((*RUN_COLUMNS[part], *(name.casefold() for name in own.get(part, ()))) for part in (QUERY, DOCUMENT))
    return all(names.intersection(several) for several in known)


def _of_columns(given: Mapping[str, Any]) -> pl.DataFrame:
    """Make a frame of ``{column: values}``, or of one record."""
    if not all(isinstance(values, hits.LISTS) for values in given.values()):
        return _of_records([given])
    columns = [frames.column_of(name, list(values), "columns") for name, values in given.items()]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise InputError(f"are of different lengths: {', '.join(map(str, sorted(lengths)))}", source="columns")
    return pl.DataFrame(columns)


def _of_records(records: list[Any]) -> pl.DataFrame:
    strange = next((row for row, record in enumerate(records, start=1) if not isinstance(record, Mapping)), None)
    if strange is not None:
        raise InputError(f"row {strange} is not a dict, unlike those before it", source="records")
    names = dict.fromkeys(name for record in records for name in record)
    columns = ((name, [record.get(name) for record in records]) for name in names)
    return pl.DataFrame([frames.column_of(name, values, "records") for name, values in columns])


def _is_pair(item: object) -> bool:
    if not isinstance(item, tuple | list) or len(item) != 2:
        return False
    return isinstance(item[1], Mapping) or (isinstance(item[1], hits.LISTS) and is_list_of_documents(item[1]))


def _of_pairs(pairs: list[tuple[Id, Any]]) -> dict[Id, Any]:
    nested: dict[Id, Any] = {}
    for key, value in pairs:
        if key in nested:
            raise InputError(f"{key!r} occurs twice", source="pairs")
        nested[key] = value
    return nested
