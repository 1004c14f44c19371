"""The shapes of golden sets: where each tool writes the parts of a question's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class Shape(NamedTuple):
    """Where a tool writes the parts of a golden set.

    Attributes
    ----------
    name
        The tool.
    needs
        What the record of a question holds, so that it can be told.
    some
        Of these it holds one at least.
    fields
        The paths of each of `FIELDS`; of several the first that is there counts.
    """

    name: str
    needs: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]
    some: tuple[str, ...] = ()

    def knows(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record has this shape."""
        return all(key in record for key in self.needs) and (not self.some or any(key in record for key in self.some))


SHAPES: Final = (
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
        "DeepEval", ("input",),
        {
            "question": ("input",), "relevant_texts": ("context",),
            "retrieved_texts": ("retrieval_context", "retrievalContext"),
        },
        some=("context", "retrieval_context", "retrievalContext"),
    ),
    Shape(
        "LlamaIndex", ("query", "reference_contexts"),
        {"question": ("query",), "relevant_texts": ("reference_contexts",)},
    ),
    Shape(
        "LlamaIndex", ("query", "relevant_docs"),
        {"topic": ("id",), "question": ("query",), "relevant": ("relevant_docs",)},
    ),
    Shape("LangSmith", ("inputs", "outputs"), {"question": ("inputs.question", "inputs.query", "inputs.input")}),
)  # fmt: skip


def records_of(held: object) -> list[Any]:
    """Return the records of the questions, however they are wrapped; those that are no objects stay, to be refused."""
    if isinstance(held, Mapping):
        if isinstance(held.get("queries"), Mapping) and isinstance(held.get("relevant_docs"), Mapping):
            of = held["relevant_docs"]
            return [{"id": key, "query": text, "relevant_docs": of.get(key)} for key, text in held["queries"].items()]
        wrapped = held.get("examples")
        return wrapped if isinstance(wrapped, list) else [held]
    return list(held) if isinstance(held, list) else []
