"""Golden sets and answers as tools write them, as JSON or as tables with lists: qrels, and runs.

The formats are those of ragas 0.2 to 0.4 (``EvaluationDataset.to_jsonl``), deepeval 3 (``EvaluationDataset.save_as``),
llama-index-core 0.12 (``EmbeddingQAFinetuneDataset``, ``LabelledRagDataset``, ``RetrievalEvalResult``), LangSmith's
examples of 2025, BRIGHT's examples, the submissions to TREC RAG 2024 and 2025, RankLLM's requests, DPR's and FlashRAG's
retrieval results, and AutoRAG's tables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from cranfield.formats import dicts, files, frames, hits, nuggets
from cranfield.formats.columns import QRELS_KIND, Kind
from cranfield.formats.format import Format
from cranfield.formats.golden import GoldenSet
from cranfield.formats.golden_held import (
    GoldenLike,
    first_records,
    held,
    may_hold,
    nested_columns,
    parsed_records,
    rows_of,
)
from cranfield.formats.golden_shapes import are_questions, shape_of
from cranfield.formats.runs import from_memory
from cranfield.formats.text import LOOKED_AT
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.tables import DOCUMENT

if TYPE_CHECKING:
    from cranfield.formats.golden import Ranked


def golden_set_of(given: object, naming: Naming = NO_NAMES) -> GoldenSet | None:
    """Return the golden set given, or read it from a file, a frame or records; None for anything else."""
    if isinstance(given, GoldenSet):
        found = given
    elif is_golden_file(given, naming) or _holds_records(given, naming):
        found = _read(held(cast("GoldenLike", given)), QRELS_KIND.called(naming), _called(given))
    else:
        return None
    found.judged()
    return found


def answers_of(given: object, kind: Kind) -> GoldenSet | None:
    """Return answers that are in memory, as records or a frame with lists; None for anything else."""
    if isinstance(given, GoldenSet):
        return given
    if not _holds_records(given, kind.naming):
        return None
    return _read(held(cast("GoldenLike", given)), kind, _called(given))


def hold_answers(given: Mapping[Any, Any], naming: Naming) -> bool:
    """Tell ``{name: records of answers}`` from ``{topic: documents}``, which may be records, too."""
    first = next(iter(given.values()), None)
    if DOCUMENT in naming.names:  # then each is one document
        return False
    if not isinstance(first, list) or not first or not isinstance(first[0], Mapping):
        return False
    known = "retrieved" in shape_of(first).fields or not hits.is_hit(first[0])
    return are_questions(first, naming.paths) and (known or bool(naming.paths))


def _called(given: object) -> str:
    if isinstance(given, str | os.PathLike):
        return files.called(given)
    return "DataFrame" if frames.is_frame(given) else "records"


def is_golden_file(path: object, naming: Naming = NO_NAMES) -> bool:
    """Say whether a file holds records of questions, with ids or texts; it is only read if it may."""
    if not isinstance(path, str | os.PathLike) or files.is_stream(path):
        return False
    return may_hold(files.read_head(path, LOOKED_AT)) and _known(files.read_bytes(path), naming)


def _holds_records(given: object, naming: Naming) -> bool:
    """Say whether dicts, lists or a frame in memory are records of questions."""
    if isinstance(given, list | Mapping):
        return are_questions(given, naming.paths) and not _names_files(given)
    if isinstance(given, str | os.PathLike) or not frames.is_frame(given):
        return False
    return bool(naming.paths or nested_columns(given)) and are_questions(rows_of(given, 1), naming.paths)


def _names_files(given: list[Any] | Mapping[Any, Any]) -> bool:
    """Tell ``{name: path, name: run}`` from a record."""
    first = given[0] if isinstance(given, list) else given
    return isinstance(first, Mapping) and any(isinstance(each, str) and files.is_there(each) for each in first.values())


def recognises(data: bytes, name: str) -> bool:
    """Say whether these are records of questions, by the first of them."""
    return _known(data, NO_NAMES)


def _known(data: bytes, naming: Naming) -> bool:
    if not may_hold(data) or nuggets.recognises(data, ""):
        return False
    try:
        return are_questions(first_records(data, named=bool(naming.paths)), naming.paths)
    except (InputError, ValueError, RecursionError):
        return False


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a golden set with ids as judgments, or answers as a run."""
    found = _read(parsed_records(data, source), kind, source)
    wanted: Mapping[str, Any] = found.judged() if kind.is_qrels else found.ranked()
    return from_memory(dicts.from_dict(wanted, kind, source=source)[0], kind, source, rank=rank, lines=lines)


def _read(given: object, kind: Kind, source: str) -> GoldenSet:
    from cranfield.formats.golden_records import GoldenRecords  # which needs the texts of documents

    part = "relevant" if kind.is_qrels else "retrieved"
    return GoldenRecords.of(given, source, kind.naming.paths, None, "exact", part).golden()


def empty_topics(data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
    """Name the questions without an answer; of a run, those that were answered with nothing."""
    found = _read(parsed_records(data, source), kind, source)
    wanted: Mapping[str, Any] = found.qrels if kind.is_qrels else found.run
    return dicts.empty_topics(wanted)


def lists(data: bytes, kind: Kind, *, source: str) -> Mapping[str, Mapping[str, Ranked]]:
    """Read the lists of each system at once; one that is not named has no name."""
    return _read(parsed_records(data, source), kind, source).by_system()


FORMAT: Final = Format(
    "golden sets",
    recognises=recognises,
    read=read,
    empty_topics=empty_topics,
    names_any=lambda data, kind: bool(kind.naming.paths) and _known(data, kind.naming),
    lists=lists,
    text=False,
)
