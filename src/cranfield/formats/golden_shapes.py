"""The shapes of golden sets and answers: where each tool keeps the parts of a question, and advice on other records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any, Final, NamedTuple

from cranfield.formats import hits
from cranfield.formats.records import at, is_number, there
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.guesses import guessed
from cranfield.plumbing.guesses import there as told
from cranfield.plumbing.naming import NOTHING_NAMED, FieldPaths
from cranfield.plumbing.surface import can_say
from cranfield.plumbing.tables import (
    DOCUMENT,
    QRELS_COLUMNS,
    QUERY,
    RANK,
    RELEVANCE,
    RUN,
    RUN_COLUMNS,
    RUN_EXTRAS,
    SCORE,
)
from cranfield.plumbing.wording import did_you_mean


class Shape(NamedTuple):
    """Where a tool writes the parts of a golden set, or of answers, and what tells a record of its."""

    name: str
    needs: tuple[str, ...]
    """Keys that the record of a question has, all of them."""
    fields: Mapping[str, tuple[str, ...]]
    """The paths of each of `golden_records`: the first that is there counts."""
    some: tuple[str, ...] = ()
    """Keys of which it has one at least."""

    def knows(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record has this shape; texts are no objects."""
        if not all(at(record, key) is not None for key in self.needs):
            return False
        if self.some and not any(key in record for key in self.some):
            return False
        parts = ("relevant_texts", "retrieved_texts")
        texts = (record.get(path) for part in parts for path in self.fields.get(part, ()))
        return not any(isinstance(each, list) and each and isinstance(each[0], Mapping) for each in texts)


GOLDEN_SHAPES: Final = (
    Shape(
        "BRIGHT", ("query", "gold_ids"),
        {"topic": ("id",), "question": ("query",), "relevant": ("gold_ids",)},
    ),
    Shape(
        "TREC RAG 2024", ("topic_id", "references", "answer"),
        {"topic": ("topic_id",), "question": ("topic",), "retrieved": ("references",)},
    ),
    Shape(
        "TREC RAG 2025", ("metadata", "references", "answer"),
        {"topic": ("metadata.narrative_id",), "question": ("metadata.narrative",), "retrieved": ("references",)},
    ),
    Shape(
        "RAGAS", ("user_input",),
        {
            "question": ("user_input",),
            "relevant": ("reference_context_ids",), "relevant_texts": ("reference_contexts",),
            "retrieved": ("retrieved_context_ids",), "retrieved_texts": ("retrieved_contexts",),
        },
        some=("reference_contexts", "reference_context_ids", "retrieved_contexts", "retrieved_context_ids"),
    ),
    Shape(
        "LlamaIndex", ("query", "reference_contexts"),
        {"question": ("query",), "relevant_texts": ("reference_contexts",)},
    ),
    Shape(
        "LlamaIndex", ("query", "relevant_docs"),
        {"topic": ("id",), "question": ("query",), "relevant": ("relevant_docs",)},
    ),
    Shape(
        "LlamaIndex", ("query", "retrieved_ids"),
        {"question": ("query",), "relevant": ("expected_ids",), "retrieved": ("retrieved_ids",)},
        some=("expected_ids",),
    ),
    Shape(
        "AutoRAG", ("qid",),
        {
            "topic": ("qid",), "question": ("query",), "relevant": ("retrieval_gt",),
            "retrieved": ("retrieved_ids",), "scores": ("retrieve_scores",),
        },
        some=("retrieval_gt", "retrieve_scores"),
    ),
    Shape(
        "RankLLM", ("query.qid", "candidates"),
        {"topic": ("query.qid",), "question": ("query.text",), "retrieved": ("candidates",)},
    ),
    Shape(
        "DPR", ("question", "ctxs"),
        {"topic": ("id", "q_id", "qid"), "question": ("question",), "retrieved": ("ctxs",)},
    ),
    Shape("LangSmith", ("inputs", "outputs"), {"question": ("inputs.question", "inputs.query", "inputs.input")}),
    Shape(
        "DeepEval", ("input",),
        {
            "question": ("input",), "relevant_texts": ("context",),
            "retrieved_texts": ("retrieval_context", "retrievalContext"),
        },
        some=("context", "retrieval_context", "retrievalContext"),
    ),
)  # fmt: skip

_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "topic": (*(name for name in RUN_COLUMNS[QUERY] if name not in {"query", "topic", "query text"}), "_id", "id"),
    "question": ("question", "query", "user_input", "input", "topic"),
    "relevant": (
        "relevant_ids", "relevant_doc_ids", "relevant_docs", "relevant_documents", "relevant", "gold_ids",
        "gold_doc_ids", "expected_ids", "positive_passages", "positive_ctxs", "qrels",
    ),
    "retrieved": (
        "retrieved_ids", "retrieved_doc_ids", "retrieved_docs", "retrieved_documents", "retrieved", "retrieval_result",
        "output.retrieval_result", "retrieval_results", "search_results", "results", "ranking", "response.hits.hits",
        "hits.hits", "hits", "documents", "docs", "source_documents", "source_nodes", "candidates", "contexts",
        "context", "doc_ids",
    ),
    "scores": ("scores", "retrieved_scores", "retrieval_scores", "similarities", *RUN_COLUMNS[SCORE]),
    "grades": ("grades", *hits.HIT_GRADES),
    "system": ("system", "retriever", RUN),
}  # fmt: skip
"""What parts are called in records of no tool; a list of them counts where it holds documents, and not texts."""

_SAMPLED: Final = 100  # How many records are looked at to see what they are


def records_of(held: object) -> list[Any]:
    """Return the records of the questions, however they are wrapped; those that are no objects stay, to be refused."""
    if isinstance(held, Mapping):
        if isinstance(held.get("queries"), Mapping) and isinstance(held.get("relevant_docs"), Mapping):
            of = held["relevant_docs"]
            return [{"id": key, "query": text, "relevant_docs": of.get(key)} for key, text in held["queries"].items()]
        wrapped = next((held[name] for name in _WRAPPED if isinstance(held.get(name), list)), None)
        return [held] if wrapped is None else wrapped
    return list(held) if isinstance(held, list) else []


_WRAPPED: Final = ("examples",)  # Keys under which tools keep the list of their records
NOT_TOPICS: Final = (*_WRAPPED, "queries", "corpus", "query", "inputs", "metadata")
"""What may be the first key of an object, with an object or a list, where it is no ``{topic: documents}``."""


def are_questions(held: object, asked: Mapping[str, tuple[str, ...]] = NOTHING_NAMED) -> bool:
    """Tell records of questions, known or not, from rows of a table, documents by topic, and answers of engines.

    Where a user names what is relevant, or was retrieved, records that have it are questions.

    >>> are_questions([{"qid": "q", "found": ["d"]}]), are_questions([{"qid": "q", "docno": "d", "score": 1}])
    (True, False)
    >>> are_questions({"q": {"d": 1}}), are_questions({"q": ["d"]}), are_questions({"took": 1, "hits": {"hits": []}})
    (False, False, False)
    """
    if any(_has_asked(record, asked) for record in islice(records_of(held) if asked else (), _SAMPLED)):
        return True
    if isinstance(held, Mapping):
        key, value = next(iter(held.items()), (None, None))
        if key not in NOT_TOPICS and isinstance(value, (Mapping, *hits.LISTS)):
            return False
    records = records_of(held)
    first = records[0] if records and isinstance(records[0], Mapping) else {}
    if any(shape.knows(first) for shape in GOLDEN_SHAPES):
        return True
    if _is_row(first):
        return False
    if hits.is_answer(first) or not isinstance(held, list) or not _holds_more(first):
        paths = shape_of(records).fields
        return ("topic" in paths or "question" in paths) and ("relevant" in paths or "retrieved" in paths)
    return True


def _holds_more(record: Mapping[Any, Any]) -> bool:
    """Tell what says a question and has a list, or texts alone, from documents by topic and from a row of a table."""
    if any(hits.is_id(value) for value in record.values()):
        if any(isinstance(value, (Mapping, *hits.LISTS)) for value in record.values()):
            return True
        columns = {*RUN_COLUMNS[DOCUMENT]} - {"id"}
        return (
            len(record) > 1 and columns.isdisjoint(map(_column, record)) and not any(map(_like_number, record.values()))
        )
    found = [value for _, value in leaves(record)]
    return any(isinstance(value, str) for value in found) and any(isinstance(value, list) for value in found)


def _column(name: object) -> str:
    return str(name).strip().casefold()


def _like_number(value: object) -> bool:
    try:
        return value is not None and isfinite(float(str(value)))
    except ValueError:
        return False


def _has_asked(record: object, asked: Mapping[str, tuple[str, ...]]) -> bool:
    paths = (path for part, several in asked.items() if part.startswith(("relevant", "retrieved")) for path in several)
    return isinstance(record, Mapping) and any(there(at(record, path, into_lists=True)) for path in paths)


def _is_row(record: Mapping[Any, Any]) -> bool:
    """Tell a row of a run or of qrels, which says topic, document and value, and may say more."""
    listed = any(isinstance(record.get(name), list) for name in RUN_COLUMNS[DOCUMENT])
    values = {*RUN_COLUMNS[SCORE], *RUN_EXTRAS[RANK], *QRELS_COLUMNS[RELEVANCE]}
    of_one = (not listed or not isinstance(value, list) for name, value in record.items() if _column(name) in values)
    return _is_pair(record) and any(of_one)


def _is_pair(record: Mapping[Any, Any]) -> bool:
    names = set(map(_column, record))
    return not any(names.isdisjoint(of) for of in (RUN_COLUMNS[QUERY], RUN_COLUMNS[DOCUMENT]))


def shape_of(records: Sequence[Any]) -> Shape:
    """Return the shape of records: that of a tool, or else whatever is known of the names that they have."""
    first = records[0] if records and isinstance(records[0], Mapping) else {}
    found = next((shape for shape in GOLDEN_SHAPES if shape.knows(first)), None)
    if found is not None:
        return found
    sample = [each for each in islice(records, _SAMPLED) if isinstance(each, Mapping)]
    fields = {
        part: (path,)
        for part, names in _KNOWN.items()
        if (path := next((each for each in names if _tells(sample, part, each)), None)) is not None
    }
    if fields.keys().isdisjoint({"relevant", "retrieved"}):  # a row a topic, with a list a cell
        part = "relevant" if "grades" in fields else "retrieved"
        for name in RUN_COLUMNS[DOCUMENT]:
            if part not in fields and any(isinstance(each.get(name), list) for each in sample):
                fields |= {part: (name,)} if _tells(sample, part, name) else {}
    return Shape("records", (), fields)


def _tells(sample: Iterable[Mapping[str, Any]], part: str, path: str) -> bool:
    """Say whether there is something at a path that a part can be."""
    values = [value for record in sample if (value := at(record, path, into_lists=True)) is not None]
    if part in {"topic", "question", "system"}:
        kinds = (str, int, float) if part == "topic" else (str,)  # a fraction is no id, and refused as such
        return bool(values) and all(isinstance(each, kinds) for each in values)
    if part in {"scores", "grades"}:
        return bool(values) and all(isinstance(each, list) and all(map(is_number, flat(each))) for each in values)
    if part == "relevant" and all(map(_is_name, values)):  # the one document that answers
        return bool(values) and not any(map(_like_number, values))
    return bool(values) and all(isinstance(each, Mapping | list) and holds_documents(each) for each in values)


def flat(value: object) -> Iterator[Any]:
    """Give what is in lists, and in lists of these."""
    for each in value if isinstance(value, list) else [value]:
        yield from flat(each) if isinstance(each, list) else [each]


def holds_documents(value: Mapping[str, Any] | Sequence[Any]) -> bool:
    """Tell ids, documents with ids, pairs, and documents with numbers from texts, and from what nobody knows."""
    if isinstance(value, Mapping):
        return hits.is_answer(value) or all(map(is_number, value.values()))
    return all(
        holds_documents(each) if isinstance(each, list) and not _is_scored(each)
        else hits.is_list_of_hits([each]) or _is_name(each) or _is_scored(each)
        for each in value
    )  # fmt: skip


def _is_name(value: object) -> bool:
    return hits.is_id(value) and " " not in str(value).strip()


def _is_scored(value: object) -> bool:
    return hits.is_listed(value) and len(value) == 2 and _is_name(value[0]) and is_number(value[1])


def leaves(record: Mapping[str, Any], before: str = "", deep: int = 3) -> Iterator[tuple[str, Any]]:
    """Give the paths of a record with what is there; of a list of objects those within it, too.

    >>> list(leaves({"a": 1, "b": {"c": [{"d": 2}]}}))
    [('a', 1), ('b.c', [{'d': 2}]), ('b.c.d', [2])]
    """
    for name, value in record.items():
        path = f"{before}{name}"
        if isinstance(value, Mapping) and value and deep:
            yield from leaves(value, f"{path}.", deep - 1)
            continue
        yield path, value
        if isinstance(value, list) and value and isinstance(value[0], Mapping) and deep:
            within = list(leaves(value[0], "", deep - 1))
            yield from ((f"{path}.{each}", at(value, each, into_lists=True)) for each, _ in within)


_ID: Final = re.compile(r"(?:^|[_.\-])(?:id|ids|key|uid|uuid|nr|no|number)$|Ids?$|^qid$")


def proposed(
    records: Sequence[Mapping[str, Any]], lacking: Iterable[str], used: Collection[str] = ()
) -> dict[str, str]:
    """Propose which field could be which part: ``{part: path}``, those that nobody can tell left out.

    >>> proposed([{"question_id": "q1", "text": "Why so?", "gold_chunk_ids": ["d1"]}], ["topic", "relevant"])
    {'topic': 'question_id', 'relevant': 'gold_chunk_ids'}
    >>> proposed([{"nr": 7, "top": [{"chunk_ref": "d1", "near": 0.5, "text": "So is it."}]}], ["topic", "retrieved"])
    {'topic': 'nr', 'retrieved': 'top.chunk_ref', 'scores': 'top.near'}
    """
    found: dict[str, str] = {}
    held: dict[str, Any] = {}
    for record in records[:_SAMPLED]:
        held |= {path: value for path, value in leaves(record) if held.get(path) in (None, [], {})}
    held = {path: value for path, value in held.items() if path not in used}
    single = {path: value for path, value in held.items() if hits.is_id(value)}
    lists = {path: value for path, value in held.items() if isinstance(value, list) and value}
    for part in lacking:
        others = {path: value for path, value in single.items() if path not in found.values()}
        found |= _topic_among(single) if part == "topic" else _documents_among(part, lists, others)
    return found


def _topic_among(single: Mapping[str, object]) -> dict[str, str]:
    """Propose an id, or else a text, for the topic."""
    ids = {path: value for path, value in single.items() if _ID.search(path)}
    texts = {path: value for path, value in single.items() if isinstance(value, str)}
    best = guessed("topic", ids) or next(iter(ids), None) or guessed("topic", texts) or next(iter(texts), None)
    return {} if best is None else {"topic" if best in ids else "question": best}


def _documents_among(part: str, lists: Mapping[str, list[Any]], single: Mapping[str, object]) -> dict[str, str]:
    """Propose a list of ids, or else of texts, or a single id; with the numbers next to what was retrieved."""
    names = {path: value for path, value in lists.items() if all(map(_is_name, value))}
    texts = {path: value for path, value in lists.items() if all(isinstance(each, str) for each in value)}
    likely = {path: value for path, value in names.items() if _ID.search(path)} or names or texts
    best = guessed(part, likely) or next(iter(likely), None) or guessed(part, single)
    if best is None:
        return {}
    found = {part if best in names or best in single else f"{part}_texts": best}
    parent = best.rpartition(".")[0]
    floats = (path for path, value in lists.items() if all(isinstance(each, float) for each in value))
    beside = {path: 0.0 for path in floats if path.rpartition(".")[0] == parent}
    if part == "retrieved" and beside:
        found["scores"] = guessed("score", beside) or next(iter(beside))
    return found


def refuse_unknown(
    records: Sequence[Mapping[str, Any]], source: str, shape: Shape, paths: Mapping[str, tuple[str, ...]],
    absent: Mapping[str, str], wanted: str | None,
) -> None:  # fmt: skip
    """Refuse records that do not say what is wanted of them: what they hold, and how to name it."""
    tools = ", ".join(dict.fromkeys(each.name for each in GOLDEN_SHAPES))
    if not records:
        raise InputError(f"not a known golden set ({tools})", source=source)
    paths_there = dict(leaves(records[0]))
    fields = f"its fields are {told([*paths_there], [*paths_there.values()])}"
    if absent:
        part, path = next(iter(absent.items()))
        found = dict.fromkeys(each for record in records[:_SAMPLED] for each, _ in leaves(record))
        hint = did_you_mean(path, found) or f"; {fields}"
        raise InputError(f"no record has {path}, named as {part}{hint}", source=source)
    known = {part.removesuffix("_texts") for part in paths}
    lacking = ["topic"] if not known & {"topic", "question"} else []
    if not known & ({wanted} if wanted else {"relevant", "retrieved"}):
        lacking.append(wanted or "relevant")
    tool = shape.needs and shape.name != "LangSmith"
    if not lacking or tool:  # what a tool leaves out is said of its golden set
        return
    whats = {"topic": "the question", "relevant": "what answers a question", "retrieved": "what was retrieved"}
    what = " or ".join(whats[part] for part in lacking)
    guessed_so = proposed(records, lacking, {path for several_paths in shape.fields.values() for path in several_paths})
    if wanted in lacking and not guessed_so.keys() - {"topic", "question"} and known & {"relevant", "retrieved"}:
        here, lacks = ("was retrieved", "is relevant") if wanted == "relevant" else ("is relevant", "was retrieved")
        raise InputError(
            f"says what {here}, and not what {lacks}: give the golden set first, then the answers", source=source
        )
    named = {"topic" if each == "question" else each.removesuffix("_texts") for each in guessed_so}
    others = {"question" if part == "topic" else part: "PATH" for part in lacking if part not in named}
    how = f": add {FieldPaths.spelled(*(guessed_so | others).items())}" if can_say(FieldPaths.option) else ""
    if shape.needs:
        unsaid = f"{shape.name}'s records do not show {what}; {fields}"
    elif guessed_so:
        unsaid = f"{fields}, none of them a known name of {what}"
    else:
        unsaid = f"not a known golden set ({tools}); {fields}"
    raise InputError(f"{unsaid}{how}", source=source)
