"""Plain Python: dicts of dicts, and tuples of topic, document and value such as those of ir_measures."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping, Sized
from itertools import chain
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, SupportsIndex, TypeAlias, TypeGuard

import numpy as np

from cranfield.formats import hits
from cranfield.formats.columns import QRELS_KIND, RUN_KIND, Kind, placed, tidy
from cranfield.formats.numbers import BadCell
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, ITERATION, QUERY, RELEVANCE, SCORE, SUBTOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

Number: TypeAlias = int | float
Id: TypeAlias = Any
"""Text or a whole number, as the key of a mapping: mappings of one and of the other have no type in common."""
NestedDict: TypeAlias = Mapping[Id, Mapping[Id, SupportsFloat]]
"""``{topic: {document: value}}``"""
Triple: TypeAlias = tuple[object, object, object]
"""Topic, document and value as they were given, not yet looked at."""


class ScoredDoc(NamedTuple):
    """A document that a run retrieved."""

    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    """A judgment."""

    query_id: str
    doc_id: str
    relevance: Number
    iteration: str = "0"


def from_dict(nested: NestedDict, kind: Kind, *, source: str = "dict") -> tuple[pl.DataFrame, list[str]]:
    """Read ``{topic: {document: value}}``: the table, and the topics without documents.

    A topic may also have pairs (document, value) or, in a run, a list of n documents, whose scores are n down to 1.
    """
    rows: list[Triple] = []
    for query, documents in nested.items():
        pairs = documents.items() if isinstance(documents, Mapping) else _listed(query, documents, kind, source)
        rows += [(query, document, value) for document, value in pairs]
    empty = list(empty_topics(nested, source=source))
    if not rows and empty:
        value = {SCORE: pl.Float64} if kind.is_run else {RELEVANCE: pl.Int64}
        return pl.DataFrame(schema={QUERY: pl.String, DOCUMENT: pl.String, **value}), empty
    return _table(rows, kind, source), empty


def judgments_of(nested: Mapping[Id, Any], kind: Kind, *, source: str = "dict") -> pl.DataFrame:
    """Read dicts; judgments may be ``{topic: {subtopic: {document: grade}}}``, where a subtopic may be empty."""
    if kind.is_run or not names_subtopics(nested):
        return from_dict(nested, kind, source=source)[0]
    rows: list[Triple] = []
    names: list[str] = []
    bare: list[bool] = []
    for query, subtopics in nested.items():
        if not isinstance(subtopics, Mapping) or not all(isinstance(each, Mapping) for each in subtopics.values()):
            raise InputError(
                f"topic {query!r} is not judged by subtopic, unlike others: give {{subtopic: {{document: grade}}}}",
                source=source,
            )
        for subtopic, documents in subtopics.items():
            if subtopic == "":
                raise InputError(f"a subtopic of topic {query!r} has no name", source=source)
            held = [(query, document, grade) for document, grade in documents.items()]
            rows += held or [(query, "-", 0)]
            names += [_id(subtopic, SUBTOPIC, source)] * max(len(held), 1)
            bare += [not held] * max(len(held), 1)
    there = ~pl.Series(bare, dtype=pl.Boolean)
    table = _table(rows, kind, source).with_columns(pl.Series(SUBTOPIC, names, dtype=pl.String))
    return table.with_columns(pl.when(there).then(pl.col(each)).alias(each) for each in kind.ours[1:])


def names_subtopics(nested: Mapping[Id, Any]) -> bool:
    """Tell ``{topic: {subtopic: {document: grade}}}`` from ``{topic: {document: grade}}``."""
    firsts = (next(iter(each.values()), None) for each in nested.values() if isinstance(each, Mapping) and each)
    return isinstance(next(firsts, None), Mapping)


def names_runs(given: Mapping[Id, object], kind: Kind) -> bool:
    """Tell ``{name: run}`` from ``{topic: {document: score}}`` and ``{topic: [document, ...]}``."""
    kinds = {type(next(iter(value.values()), None)) if type(value) is dict else dict for value in given.values()}
    if kinds <= {float, int, NoneType}:  # as nearly all are
        return any(type(value) is dict and hits.is_rank_eval_answer(value) for value in given.values())
    values = [value for value in given.values() if isinstance(value, Mapping)]
    others = [value for value in given.values() if not isinstance(value, Mapping | set | NoneType)]
    if not all(map(is_list_of_documents, others)):
        return True
    firsts = [next(iter(value.values()), None) for value in values]
    return any(
        isinstance(first, Mapping)
        or is_list_of_documents(first)
        or hits.is_answer(first)
        or hits.is_list_of_hits(first, kind)
        for first in firsts
    )


def refuse_swapped(qrels: object, runs: object) -> None:
    """Refuse runs that were certainly passed as qrels; anything less certain passes.

    It is certain if grades are dicts, or all are floats, some of them fractions and none repeated within a topic (or
    lists without grades), while all scores are whole numbers below 10, with zeros or ties.

    >>> refuse_swapped({"401": {"d1": 1, "d2": 0}}, {"401": {"d1": 0.75, "d2": 0.5}})
    >>> refuse_swapped({"401": {"d1": 0.75, "d2": 0.5}}, {"401": {"d1": 1, "d2": 0}})
    Traceback (most recent call last):
    ...
    cranfield.InputError: qrels and runs seem to be swapped: give the qrels first, then the runs ...
    """
    value = _first(_first(qrels))
    if isinstance(value, Mapping) and not _of_the_same_topics(qrels, runs):
        raise InputError("{name: {topic: {document: score}}} are runs; give the qrels first, then the runs")
    listed = _are_lists(qrels)
    if not (listed or isinstance(value, float)) or not isinstance(_first(_first(runs)), int):
        return
    grades, scores = _values(qrels), _values(runs)
    if scores and _like_grades(scores) and (listed or (grades and _like_scores(grades))):
        raise InputError(
            "qrels and runs seem to be swapped: give the qrels first, then the runs (if they are in order, give the "
            "scores as floating-point numbers)"
        )


def _are_lists(nested: object) -> bool:
    """Tell documents without grades, in lists."""
    lists = list(nested.values()) if isinstance(nested, Mapping) else []
    return all(map(is_list_of_documents, lists)) and any(map(len, lists))


def _of_the_same_topics(judged: object, runs: object) -> bool:
    """Tell judgments by subtopic from runs by name: their keys are topics of the runs, where these are dicts."""
    if not isinstance(judged, Mapping) or not isinstance(runs, Mapping):
        return True
    topics = _first(runs) if isinstance(_first(_first(runs)), Mapping | list) else runs
    return isinstance(topics, Mapping) and not set(map(str, judged)).isdisjoint(map(str, topics))


def _first(nested: object) -> object:
    return next(iter(nested.values()), None) if isinstance(nested, Mapping) else None


def _values(nested: object) -> list[list[Any]] | None:
    """Give the values of each topic of dicts of dicts; None of anything else."""
    topics = list(nested.values()) if isinstance(nested, Mapping) else []
    found = [list(each.values()) for each in topics if isinstance(each, Mapping)]
    return found if len(found) == len(topics) else None


def _like_scores(topics: list[list[Any]]) -> bool:
    numbers = list(chain.from_iterable(topics))
    floats = all(isinstance(value, float) for value in numbers)
    return floats and any(value % 1 for value in numbers) and all(len(set(each)) == len(each) for each in topics)


def _like_grades(topics: list[list[Any]]) -> bool:
    numbers = list(chain.from_iterable(topics))
    grades = all(type(value) is int and 0 <= value < 10 for value in numbers)
    return grades and (0 in numbers or any(len(set(each)) < len(each) for each in topics))


def is_plain(nested: NestedDict) -> TypeGuard[Mapping[str, Mapping[str, float]]]:
    """Tell whether these are dicts of dicts, all ids are text and none is empty; the values are not looked at."""
    return has_plain_topics(nested) and are_plain(nested.values())


def has_plain_topics(nested: NestedDict) -> TypeGuard[Mapping[str, Mapping[Any, Any]]]:
    """Tell whether all topics are text, none of it empty, and have dicts, which are not looked at."""
    dicts = all(isinstance(each, dict) for each in nested.values())
    return dicts and set(map(type, nested)) == {str} and "" not in nested


def are_plain(lists: Collection[Mapping[Id, object]]) -> bool:
    """Tell whether all ids of documents are text, and none is empty."""
    return set(map(type, chain.from_iterable(lists))) <= {str} and not any("" in documents for documents in lists)


def empty_topics(nested: NestedDict, *, source: str = "dict") -> tuple[str, ...]:
    """Name the topics in which there is no document."""
    return tuple(
        _id(query, QUERY, source)
        for query, documents in nested.items()
        if (type(documents) is dict or isinstance(documents, Sized)) and not len(documents)
    )


def is_list_of_documents(value: object) -> TypeGuard[Sequence[Any]]:
    """Tell a topic's documents (ids, objects with ids, or pairs with scores) from a list of files, tuples or runs."""
    if hits.is_list_of_hits(value):
        return True
    return hits.is_listed(value) and (len(value) == 0 or hits.is_id(value[0]) or _is_pair(value[0]))


def _listed(query: object, documents: object, kind: Kind, source: str) -> Iterable[tuple[object, object]]:
    """Give the documents of a topic with their values."""
    if not is_list_of_documents(documents):
        order = "; a set has no order" if isinstance(documents, set | frozenset) else ""
        raise InputError(
            f"topic {query!r} needs a dict or list of documents, not {_short(documents)}{order}", source=source
        )
    items: list[Any] = list(documents)
    if all(map(_is_pair, items)):
        return items
    if kind.is_qrels:
        raise InputError(f"topic {query!r} has documents without grades: give {{document: grade}}", source=source)
    return [(document, len(items) - place) for place, document in enumerate(items)]


def _is_pair(item: object) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2 and not isinstance(item[1], (Mapping, *hits.LISTS))


def _short(value: object) -> str:
    """Show what was given in one line that is not too long."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def from_tuples(tuples: Iterable[object], kind: Kind, *, source: str = "tuples") -> pl.DataFrame:
    """Read tuples (topic, document, value), or objects that have these as attributes by our names for columns.

    Judgments that say their ``subtopic_id``, or ``iteration``, have it in a column.
    """
    items = list(tuples)
    table = _table([_triple(item, kind, source) for item in items], kind, source)
    for column, name in ((SUBTOPIC, "subtopic_id"), (ITERATION, ITERATION)):
        if kind.is_qrels and all(hasattr(item, name) for item in items):
            return table.with_columns(pl.Series(column, [str(getattr(item, name)) for item in items], dtype=pl.String))
    return table


def _triple(item: object, kind: Kind, source: str) -> Triple:
    topic, document, value = kind.ours
    try:
        return getattr(item, topic), getattr(item, document), getattr(item, value)
    except AttributeError:
        pass
    if hits.is_listed(item) and len(item) >= 3:
        return item[0], item[1], item[2]
    raise InputError(f"{_short(item)} is not a tuple of {', '.join(kind.ours)}", source=source)


def _table(rows: Sequence[Triple], kind: Kind, source: str) -> pl.DataFrame:
    queries, documents, values = ([row[place] for row in rows] for place in range(3))
    ids = pl.DataFrame({QUERY: _ids(queries, QUERY, source), DOCUMENT: _ids(documents, DOCUMENT, source)})
    with placed(ids, source):
        frame = ids.with_columns(_numbers(values, kind).alias(kind.value))
    return tidy(frame, kind, source=source)


def _ids(values: Iterable[object], what: str, source: str) -> pl.Series:
    try:
        return pl.Series([_id(value, what, source) for value in values], dtype=pl.String)
    except UnicodeEncodeError as error:
        raise InputError(f"the {what} {error.object!r} cannot be written in UTF-8", source=source) from None


def _id(value: object, what: str, source: str) -> str:
    if hits.is_id(value):
        return str(value)
    raise InputError(f"the {what} {_short(value)} is not an id: give a string", source=source)


def _numbers(values: Sequence[Any], kind: Kind) -> pl.Series:
    """Make a column of numbers, of whole ones when they are labels and all whole; text is no number here."""
    if kind.is_qrels and all(hasattr(value, "__index__") and not isinstance(value, np.ndarray) for value in values):
        return pl.Series([_whole(row, value, kind.value) for row, value in enumerate(values)], dtype=pl.Int64)
    return pl.Series([_float(row, value, kind.value) for row, value in enumerate(values)], dtype=pl.Float64)


def _whole(row: int, value: SupportsIndex, what: str) -> int:
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise BadCell(row, f"the {what} {value!r} does not fit 64 bits")
    return number


def _float(row: int, value: object, what: str) -> float:
    if hasattr(value, "__float__"):
        try:
            return float(value)
        except OverflowError:
            raise BadCell(row, f"the {what} is a whole number too large for 64-bit floats") from None
        except (TypeError, ValueError):  # an array of several
            pass
    raise BadCell(row, f"the {what} {_short(value)} is not a number")


def to_dict(table: pl.DataFrame) -> dict[str, dict[str, Number]]:
    """Return a run or qrels as ``{topic: {document: value}}``, in the table's order.

    Of judgments by subtopic a document has the largest grade; a list that holds a document twice is refused.

    >>> to_dict(pl.DataFrame({"query_id": ["401"], "doc_id": ["d1"], "score": [2.5]}))
    {'401': {'d1': 2.5}}
    """
    nested: dict[str, dict[str, Number]] = {}
    rows = one_grade(table) if SUBTOPIC in table.columns else table.select(QUERY, DOCUMENT, _value(table))
    for query, document, value in rows.iter_rows():
        nested.setdefault(query, {})[document] = value
    if SCORE in table.columns and sum(map(len, nested.values())) < table.height:
        topic, document = rows.filter(rows.select(QUERY, DOCUMENT).is_duplicated()).row(0)[:2]
        raise InputError(
            f"document {document!r} is retrieved twice for topic {topic!r}, which neither a dict nor JSON holds; "
            "write .txt or .csv, and evaluate it with --repeated max, or repeated='max'"
        )
    return nested


def one_grade(table: pl.DataFrame) -> pl.DataFrame:
    """Reduce judgments by subtopic to judgments of documents: each has the largest of its grades.

    >>> judged = {"query_id": ["401"] * 2, "doc_id": ["d1"] * 2, "relevance": [2, 1], "subtopic": ["north", "south"]}
    >>> one_grade(pl.DataFrame(judged)).rows()
    [('401', 'd1', 2)]
    """
    *ours, grade = QRELS_KIND.ours
    return table.filter(pl.col(DOCUMENT).is_not_null()).group_by(ours, maintain_order=True).agg(pl.col(grade).max())


def to_tuples(table: pl.DataFrame) -> list[ScoredDoc] | list[Qrel]:
    """Return a run or qrels as named tuples with the field names of ir_measures, in the table's order.

    The subtopic that a judgment is of is its ``iteration``.

    >>> to_tuples(pl.DataFrame({"query_id": ["401"], "doc_id": ["d1"], "relevance": [1]}))
    [Qrel(query_id='401', doc_id='d1', relevance=1, iteration='0')]
    """
    value, subtopic = _value(table), [SUBTOPIC] if SUBTOPIC in table.columns else []
    rows = table.filter(pl.col(DOCUMENT).is_not_null()).select(QUERY, DOCUMENT, value, *subtopic).iter_rows()
    return [ScoredDoc(*row) for row in rows] if value == SCORE else [Qrel(*row) for row in rows]


def _value(table: pl.DataFrame) -> str:
    for kind in (RUN_KIND, QRELS_KIND):
        if set(kind.ours) <= set(table.columns):
            return kind.value
    raise InputError(f"neither a run nor qrels: the table's columns are {', '.join(table.columns)}")
