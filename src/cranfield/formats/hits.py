"""Documents as search engines and retrieval libraries hand them over: by topic, each with an id and perhaps a score.

The names are those of Elasticsearch and OpenSearch (answers of ``_search`` and ``_rank_eval``),
sentence-transformers, langchain-core 1.7, llama-index-core 0.14, Haystack 3.4 and qdrant-client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, TypeGuard

import numpy as np

from cranfield.formats.columns import Kind
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.guesses import guessed
from cranfield.plumbing.naming import ColumnNames, FieldPaths
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.tables import DOCUMENT, QRELS_COLUMNS, QUERY, RELEVANCE, RUN_COLUMNS, SCORE

IDS: Final = {
    "_id": "Elasticsearch, OpenSearch",
    "corpus_id": "sentence-transformers",
    "node_id": "LlamaIndex",
    "node.id_": "LlamaIndex, as JSON",
    "id": "LangChain, Haystack, Qdrant and many others",
    "doc_id": "cranfield, ir_measures",
}
"""Keys and attributes (paths of them) that hold the id of a document, and whose they are."""
_OTHER_IDS: Final = (
    *("docid", "docno", "document_id", "chunk_id", "passage_id"),
    *(f"metadata.{name}" for name in ("id", "doc_id", "docid", "document_id", "chunk_id", "passage_id")),
)
"""Those that hold it where none of these does."""
HIT_SCORES: Final = ("_score", *RUN_COLUMNS[SCORE], "metadata.score", "metadata.relevance_score")
"""Those that hold its score; without one the documents are in their order."""
HIT_GRADES: Final = tuple(name for name in QRELS_COLUMNS[RELEVANCE] if name not in HIT_SCORES)
"""Those that hold its grade; without one each document of a golden set has grade 1."""
LISTS_WITHIN: Final = ("hits.hits", "documents", "source_nodes")
"""Where the answer to one query holds its list: of Elasticsearch and OpenSearch, Haystack, and LlamaIndex."""

LISTS: Final = (list, tuple, np.ndarray)
"""What a topic's documents may be listed in; a set has no order."""
_NO_HIT: Final = (str, bytes, Real, np.ndarray, type)


def is_id(value: object) -> bool:
    """Say whether something is an id: text or a whole number."""
    return isinstance(value, str) or (hasattr(value, "__index__") and not isinstance(value, bool | np.ndarray))


def is_listed(value: object) -> TypeGuard[Sequence[Any]]:
    """Say whether this is a list of something; an array without a dimension is a number."""
    return isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0


def is_hit(item: object) -> bool:
    """Tell a document that has an id, or should have one, from an id and from a row that names its topic."""
    if isinstance(item, _NO_HIT):
        return False
    if any(_has(item, name) for name in (RUN_COLUMNS[QUERY] if isinstance(item, Mapping) else _OF_OTHERS)):
        return False
    held = [value for name in (*IDS, *_OTHER_IDS) if (value := at(item, name)) is not None]
    return any(map(is_id, held)) or (not held and any(_has(item, name) for name in (*IDS, "page_content")))


_OF_OTHERS: Final = (QUERY, "columns", "read")  # What objects have that are rows with a topic, frames or files


def is_list_of_hits(value: object, kind: Kind | None = None) -> bool:
    """Say whether these are documents with ids, or such documents paired with their scores."""
    if not is_listed(value) or not len(value):
        return False
    return is_hit(value[0]) or _is_pair(value[0]) or (kind is not None and _named_id(value[0], kind.naming.names))


def _is_pair(item: object) -> bool:
    """Tell a document with its score, as LangChain's vector stores return them."""
    return isinstance(item, tuple | list) and len(item) == 2 and is_hit(item[0]) and not isinstance(item[1], LISTS)


def _named_id(item: object, names: Mapping[str, Sequence[str]]) -> bool:
    """Say whether a document, or one with its score, has an id where a user says so, and is no row with a topic."""
    document = item[0] if isinstance(item, tuple | list) and len(item) == 2 else item
    topics = (*RUN_COLUMNS[QUERY], *names.get(QUERY, ()))
    if isinstance(document, _NO_HIT) or (isinstance(document, Mapping) and any(name in document for name in topics)):
        return False
    return first_at(document, names.get(DOCUMENT, ())) is not None


def by_topic(given: Mapping[Any, Any], kind: Kind) -> Mapping[Any, Any]:
    """Give the documents of each topic as ids, or as pairs of id and value; what is something else stays.

    Ids of a golden set that has no grades at all have the grade 1.
    """
    given = _rank_eval(given, kind)
    _refuse_one_answer(given)
    first = next((value for value in given.values() if not _is_empty(value)), None)
    if is_answer(first) or is_list_of_hits(first, kind):
        return {topic: _documents(topic, value, kind) for topic, value in given.items()}
    if kind.is_qrels and all(map(_lists_ids, given.values())):
        return {topic: dict.fromkeys(_in_order(value), 1) for topic, value in given.items()}
    return given


def _lists_ids(value: object) -> bool:
    """Tell ids without grades, of which there may be none, from documents with them."""
    if isinstance(value, Mapping):
        return not value
    return (is_listed(value) or isinstance(value, set | frozenset)) and all(map(is_id, value))


def _in_order(ids: Any) -> Iterable[Any]:
    """Give ids in an order that is the same each time, which a set of texts has not."""
    return sorted(ids, key=str) if isinstance(ids, set | frozenset) else ids


def refuse_nameless(items: Sequence[Any], kind: Kind) -> None:
    """Refuse the documents of one topic, or of several in a list, which does not name them."""
    first = items[0] if items else None
    if is_list_of_hits(first) or is_answer(first):
        what = "results" if kind.is_run else "golden"
        how = "write {topic: documents}, an object" if in_shell() else f"give dict(zip(topics, {what}))"
        raise InputError(f"a list of lists of documents does not name the topics: {how}")
    if is_list_of_hits(items) and not _may_name_topic(first, kind):
        raise InputError("a list of documents does not name its topic: give {topic: documents}")


def _may_name_topic(item: object, kind: Kind) -> bool:
    """Say whether a document may be a row of a table, whose topic is called by a name of a user's own."""
    if not isinstance(item, Mapping) or any(isinstance(value, (Mapping, *LISTS)) for value in item.values()):
        return False
    return any(name in item for name in kind.naming.names.get(QUERY, ())) or guessed(QUERY, item) is not None


def is_answer(value: object) -> bool:
    """Say whether this is the answer to one query, with its list in it."""
    return list_within(value) is not None


def _is_empty(value: object) -> bool:
    return value is None or ((isinstance(value, Mapping) or is_listed(value)) and not len(value))


def list_within(value: object) -> Sequence[Any] | None:
    """Return the list within the answer to one query; None where this is no such answer."""
    for path in LISTS_WITHIN if isinstance(value, Mapping) or _is_object(value) else ():
        held = at(value, path)
        if isinstance(held, list | tuple) and (not held or is_list_of_hits(held)):
            return held
    return None


def _is_object(value: object) -> bool:
    """Tell an answer that is an object: of elasticsearch, whose body is a dict, or of LlamaIndex."""
    return isinstance(getattr(value, "body", None), Mapping) or hasattr(value, "source_nodes")


def _documents(topic: object, value: Any, kind: Kind) -> Any:
    """Return the documents of a topic as pairs, as ids, or as they are where they are something else."""
    inner = list_within(value)
    items = value if inner is None else inner
    if not is_list_of_hits(items, kind):
        return items
    found = [_parts(topic, item, kind) for item in items]
    with_value = sum(part is not None for _, part in found)
    if with_value not in (0, len(found)):
        raise InputError(
            f"topic {topic!r}: {with_value} of {len(found):,} documents have a {kind.value}; give all of them one, or "
            "none"
        )
    if with_value:
        return found
    return [name for name, _ in found] if kind.is_run else [(name, 1) for name, _ in found]


def _parts(topic: object, item: Any, kind: Kind) -> tuple[Any, Any]:
    """Return a document's id, and its score or grade; None where it has none."""
    document, value = item if isinstance(item, tuple | list) and len(item) == 2 else (item, None)
    names = kind.naming.names
    name = first_at(document, names.get(DOCUMENT, ()))
    if name is None:
        name = id_of(topic, document, lacking=" or ".join(names.get(DOCUMENT, ("id",))))
    if value is None:
        value = first_at(document, (*names.get(kind.value, ()), *(HIT_SCORES if kind.is_run else HIT_GRADES)))
    if kind.is_qrels and value is None and first_at(document, HIT_SCORES) is not None:
        raise InputError(
            f"the documents of topic {topic!r} have scores but no grades; for a golden set give {{topic: [id, ...]}}, "
            f"or grades as {', '.join(HIT_GRADES[:-1])} or {HIT_GRADES[-1]}"
        )
    return name, value


def id_of(topic: object, document: Any, field: tuple[str, str] | None = None, lacking: str = "id") -> Any:
    """Return the id of a document, of which there must be one alone; ``field`` says which part of a record it is of."""
    if is_id(document):
        return str(document)
    found = {name: held for name in IDS if is_id(held := at(document, name))}
    found = found or {name: held for name in _OTHER_IDS if is_id(held := at(document, name))}
    if not found:
        raise InputError(f"a document of topic {topic!r} has no {lacking}{_could_be(document, field)}")
    if len(set(map(str, found.values()))) > 1:
        several = ", ".join(f"{name} {held!r}" for name, held in found.items())
        raise InputError(
            f"a document of topic {topic!r} has several ids: {several}; name the right one: "
            f"{_named_so(next(iter(found)), field)}"
        )
    return next(iter(found.values()))


def _named_so(name: str, field: tuple[str, str] | None) -> str:
    """Show how a user names what is the id of a document."""
    if field is None:
        return ColumnNames.spelled((DOCUMENT, name))
    part, path = field
    return FieldPaths.spelled((part, f"{path}.{name}"))


def _could_be(document: Any, field: tuple[str, str] | None) -> str:
    """Say which parts of a document, or of its metadata, could be its id."""
    for held in ("metadata", "meta", ""):
        data = at(document, held) if held else document
        if isinstance(data, Mapping) and (names := [str(name) for name, value in data.items() if is_id(value)]):
            first = next((name for name in names if name.casefold().endswith("id")), names[0])
            such = _named_so(f"{held}.{first}" if held else first, field)
            whose = f"its {held} has" if held else "it has"
            return f"; {whose} {', '.join(names[:5])}: name the right one, for example {such}"
    return f"; name what is: {_named_so('its name', field)}"


def _rank_eval(given: Mapping[Any, Any], kind: Kind) -> Mapping[Any, Any]:
    """Take the ratings of a ``_rank_eval`` request, or the hits of its answer; anything else stays."""
    requests, details = given.get("requests"), given.get("details")
    if isinstance(requests, list) and requests and all(_has(each, "ratings") for each in requests):
        if kind.is_run:
            raise InputError("a _rank_eval request holds ratings (qrels); the run is in its answer")
        found: dict[Any, Any] = {}
        for each in requests:
            topic = each.get("id")
            if not is_id(topic):
                raise InputError("a request has no id")
            if topic in found:
                raise InputError(f"two requests have the id {topic!r}")
            found[topic] = each["ratings"]
        return found
    if is_rank_eval_answer(given):
        if kind.is_qrels:
            raise InputError("a _rank_eval answer holds retrieved documents (a run); the ratings are in its request")
        return {topic: [each["hit"] for each in detail["hits"]] for topic, detail in details.items()}  # type: ignore[union-attr]
    return given


def is_rank_eval_answer(given: Mapping[Any, Any]) -> bool:
    """Say whether this is Elasticsearch's answer to ``_rank_eval``."""
    if "metric_score" not in given:
        return False
    details = given.get("details")
    return isinstance(details, Mapping) and all(
        isinstance(each, Mapping)
        and isinstance(each.get("hits"), list)
        and all(isinstance(hit, Mapping) and isinstance(hit.get("hit"), Mapping) for hit in each["hits"])
        for each in details.values()
    )


def _refuse_one_answer(given: Mapping[Any, Any]) -> None:
    """Refuse an answer of Elasticsearch's that names no topic."""
    responses, hits = given.get("responses"), given.get("hits")
    if isinstance(responses, list) and responses and all(map(is_answer, responses)):
        lines = 'write a line {"topic": ..., "documents": ...} for each'
        how = lines if in_shell() else "give dict(zip(topics, answers['responses']))"
        raise InputError(f"answers of _msearch do not name their topics: {how}")
    if isinstance(hits, Mapping) and is_answer(given):
        raise InputError("the answer of a search does not name its topic: give {topic: answer}")


def _has(item: object, name: str) -> bool:
    return name in item if isinstance(item, Mapping) else hasattr(item, name)


def at(item: Any, path: str) -> Any:
    """Follow a path through keys and attributes; None where it ends."""
    name, _, rest = path.partition(".")
    if isinstance(item, Mapping):
        if not rest or path in item:
            return item.get(path)
        held = item.get(name)
    else:
        body = getattr(item, "body", None)
        held = body.get(name) if isinstance(body, Mapping) else getattr(item, name, None)
    return at(held, rest) if rest and held is not None else held


def first_at(item: Any, paths: Iterable[str]) -> Any:
    """Return what is at the first path that does not end early; None where all do."""
    return next((held for path in paths if (held := at(item, path)) is not None), None)
