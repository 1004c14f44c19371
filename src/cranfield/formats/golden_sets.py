"""Golden sets as tools write them: RAGAS, DeepEval, LlamaIndex, LangSmith, BRIGHT, and answers of TREC's RAG track.

The formats are those of ragas 0.2 to 0.4 (``EvaluationDataset.to_jsonl``), deepeval 3 (``EvaluationDataset.save_as``),
llama-index-core 0.12 (``EmbeddingQAFinetuneDataset``, ``LabelledRagDataset``), LangSmith's examples of 2025, BRIGHT's
examples, and the submissions to TREC RAG 2024 and 2025.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from cranfield.formats import dicts, files, json_text
from cranfield.formats.columns import QRELS_KIND, Kind
from cranfield.formats.format import Format
from cranfield.formats.golden import GOLDEN_SHAPES, GoldenSet, records_of
from cranfield.formats.runs import from_memory
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from cranfield.formats.golden_records import GoldenLike


_LOOKED_AT: Final = 65_536
_KEYS: Final = re.compile(
    rb'"(?:gold_ids|references|user_input|retrieval_context|retrievalContext|context|reference_contexts|relevant_docs'
    rb'|inputs)"\s*:'
)
"""One of these stands in each of them."""


def golden_set_of(given: object) -> GoldenSet | None:
    """Return the golden set given, or read it from a file or records; None for anything else."""
    if isinstance(given, GoldenSet):
        found = given
    elif is_golden_file(given) or _holds_records(given):
        from cranfield.formats.golden_records import read_golden

        found = read_golden(cast("GoldenLike", given))
    else:
        return None
    found.judged()
    return found


def is_golden_file(path: object) -> bool:
    """Say whether a file holds a golden set of a known tool, with ids or texts; it is only read if it may be."""
    if not isinstance(path, str | os.PathLike) or files.is_stream(path):
        return False
    return _may_be(files.read_head(path, _LOOKED_AT)) and recognises(files.read_bytes(path), "")


def _holds_records(given: object) -> bool:
    """Say whether dicts and lists in memory are the records of a known tool."""
    if not isinstance(given, list | Mapping):
        return False
    first = next(iter(records_of(given)), None)
    return isinstance(first, Mapping) and any(shape.knows(first) for shape in GOLDEN_SHAPES)


def _may_be(data: bytes) -> bool:
    return (
        data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["} and _KEYS.search(data, 0, _LOOKED_AT) is not None
    )


def recognises(data: bytes, name: str) -> bool:
    """Say whether these are the records of a known tool."""
    del name
    if not _may_be(data):
        return False
    try:
        return any(
            shape.knows(record)
            for record in records_of(json_text.parsed(data, "", texts=True))[:1]
            for shape in GOLDEN_SHAPES
        )
    except InputError:
        return False


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a golden set with ids as judgments, or as a run."""
    found = _golden(data, source)
    wanted: Mapping[str, Any] = found.judged() if kind is QRELS_KIND else found.ranked()
    return from_memory(dicts.from_dict(wanted, kind, source=source)[0], kind, source, rank=rank, lines=lines)


def _golden(data: bytes, source: str) -> GoldenSet:
    from cranfield.formats.golden_records import GoldenRecords  # which needs the texts of documents

    held = json_text.parsed(data, source, texts=True)
    return GoldenRecords.of(held, source, {}, None, "exact").golden()


def empty_topics(data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
    """Name the questions without an answer; of a run, those that were answered with nothing."""
    found = _golden(data, source)
    wanted: Mapping[str, Any] = found.qrels if kind is QRELS_KIND else found.run
    return dicts.empty_topics(wanted)


FORMAT: Final = Format("golden sets", recognises=recognises, read=read, empty_topics=empty_topics, text=False)
