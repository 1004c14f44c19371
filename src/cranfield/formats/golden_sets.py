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
from cranfield.formats.records import at
from cranfield.formats.runs import from_memory
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming

if TYPE_CHECKING:
    from cranfield.formats.golden_records import GoldenLike


_LOOKED_AT: Final = 65_536
_KEYS: Final = re.compile(
    rb'"(?:gold_ids|references|user_input|retrieval_context|retrievalContext|context|reference_contexts|relevant_docs'
    rb'|inputs)"\s*:'
)
"""One of these stands in each of them."""


def golden_set_of(given: object, naming: Naming = NO_NAMES) -> GoldenSet | None:
    """Return the golden set given, or read it from a file or records; None for anything else."""
    if isinstance(given, GoldenSet):
        found = given
    elif is_golden_file(given, naming) or holds_records(given, naming):
        from cranfield.formats.golden_records import read_records

        found = read_records(cast("GoldenLike", given), naming=naming).having(QRELS_KIND).golden()
    else:
        return None
    found.judged()
    return found


def is_golden_file(path: object, naming: Naming = NO_NAMES) -> bool:
    """Say whether a file holds a golden set of a known tool, with ids or texts; it is only read if it may be."""
    if not isinstance(path, str | os.PathLike) or files.is_stream(path):
        return False
    return _may_be(files.read_head(path, _LOOKED_AT), naming) and _known(files.read_bytes(path), naming)


def holds_records(given: object, naming: Naming = NO_NAMES) -> bool:
    """Say whether dicts and lists in memory are the records of a known tool, or have the parts that a user named."""
    if not isinstance(given, list | Mapping):
        return False
    first = next(iter(records_of(given)), None)
    if not isinstance(first, Mapping):
        return False
    named = (path for paths in naming.paths.values() for path in paths)
    return any(shape.knows(first) for shape in GOLDEN_SHAPES) or any(at(first, path, into_lists=True) for path in named)


def _may_be(data: bytes, naming: Naming) -> bool:
    begins = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}
    return begins and (bool(naming.paths) or _KEYS.search(data, 0, _LOOKED_AT) is not None)


def recognises(data: bytes, name: str) -> bool:
    """Say whether these are the records of a known tool."""
    del name
    return _known(data, NO_NAMES)


def _names_any(data: bytes, kind: Kind) -> bool:
    return bool(kind.naming.paths) and _known(data, kind.naming)


def _known(data: bytes, naming: Naming) -> bool:
    if not _may_be(data, naming):
        return False
    try:
        return holds_records(json_text.parsed(data, "", texts=True), naming)
    except InputError:
        return False


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a golden set with ids as judgments, or as a run."""
    found = _golden(data, source, kind)
    wanted: Mapping[str, Any] = found.judged() if kind.is_qrels else found.ranked()
    return from_memory(dicts.from_dict(wanted, kind, source=source)[0], kind, source, rank=rank, lines=lines)


def _golden(data: bytes, source: str, kind: Kind) -> GoldenSet:
    from cranfield.formats.golden_records import GoldenRecords  # which needs the texts of documents

    held = json_text.parsed(data, source, texts=True)
    return GoldenRecords.of(held, source, kind.naming.paths, None, "exact").having(kind).golden()


def empty_topics(data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
    """Name the questions without an answer; of a run, those that were answered with nothing."""
    found = _golden(data, source, kind)
    wanted: Mapping[str, Any] = found.qrels if kind.is_qrels else found.run
    return dicts.empty_topics(wanted)


FORMAT: Final = Format(
    "golden sets", recognises=recognises, read=read, empty_topics=empty_topics, text=False, names_any=_names_any
)
