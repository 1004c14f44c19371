"""Golden sets and answers as tools write them, as JSON or as tables with lists: qrels, and runs.

The formats are those of ragas 0.2 to 0.4 (``EvaluationDataset.to_jsonl``), deepeval 3 (``EvaluationDataset.save_as``),
llama-index-core 0.12 (``EmbeddingQAFinetuneDataset``, ``LabelledRagDataset``, ``RetrievalEvalResult``), LangSmith's
examples of 2025, BRIGHT's examples, the submissions to TREC RAG 2024 and 2025, RankLLM's requests, DPR's and FlashRAG's
retrieval results, and AutoRAG's tables.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from cranfield.formats import delimited, dicts, files, frames, hits, json_text, parquet
from cranfield.formats.columns import QRELS_KIND, Kind
from cranfield.formats.format import Format
from cranfield.formats.golden import GoldenSet
from cranfield.formats.golden_shapes import NOT_TOPICS, are_questions, shape_of
from cranfield.formats.optional import library
from cranfield.formats.runs import from_memory
from cranfield.formats.text import decodable, without_mark
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import shown

if TYPE_CHECKING:
    from cranfield.formats.golden import Ranked
    from cranfield.formats.golden_records import GoldenLike
    from cranfield.plumbing.tables import Frame

_LOOKED_AT: Final = 65_536
_FIRST_KEY: Final = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*([^\s])')


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
    if not isinstance(first, list) or not first or not isinstance(first[0], Mapping):
        return False
    known = "retrieved" in shape_of(first).fields or not hits.is_hit(first[0])
    return are_questions(first, naming.paths) and (known or bool(naming.paths))


def _called(given: object) -> str:
    if isinstance(given, str | os.PathLike):
        return files.called(given)
    return "DataFrame" if frames.is_frame(given) else "records"


def held(given: GoldenLike) -> object:
    """Return what a file or a frame holds, as dicts and lists."""
    if isinstance(given, str | os.PathLike):
        return _parsed(files.read_bytes(given), files.called(given))
    if frames.is_frame(given):
        return _rows(given)
    return given if isinstance(given, Mapping) else list(cast("Iterable[Any]", given))


def is_golden_file(path: object, naming: Naming = NO_NAMES) -> bool:
    """Say whether a file holds records of questions, with ids or texts; it is only read if it may."""
    if not isinstance(path, str | os.PathLike) or files.is_stream(path):
        return False
    head = files.read_head(path, _LOOKED_AT)
    return _may_be(head) and _known(files.read_bytes(path), naming)


def _holds_records(given: object, naming: Naming) -> bool:
    """Say whether dicts, lists or a frame in memory are records of questions."""
    if isinstance(given, list | Mapping):
        return are_questions(given, naming.paths) and not _names_files(given)
    if isinstance(given, str | os.PathLike) or not frames.is_frame(given):
        return False
    return bool(naming.paths or _nested(given)) and are_questions(_rows(given, 1), naming.paths)


def _names_files(given: list[Any] | Mapping[Any, Any]) -> bool:
    """Tell ``{name: path, name: run}`` from a record."""
    first = given[0] if isinstance(given, list) else given
    return isinstance(first, Mapping) and any(isinstance(each, str) and files.is_there(each) for each in first.values())


def _nested(frame: Frame) -> list[str]:
    """Name the columns of a frame that hold lists or objects."""
    narwhals = library("narwhals.stable.v2")
    narwhal = narwhals.from_native(frame)
    kinds = (narwhals.List, narwhals.Array, narwhals.Struct, narwhals.Object)
    return [name for name, dtype in narwhal.collect_schema().items() if isinstance(dtype, kinds)]


def _rows(frame: Frame, most: int | None = None) -> list[dict[str, Any]]:
    """Give the rows of a frame as records."""
    narwhals = library("narwhals.stable.v2")
    narwhal = narwhals.from_native(frame)
    narwhal = narwhal if most is None else narwhal.head(most)
    whole = narwhal.collect() if isinstance(narwhal, narwhals.LazyFrame) else narwhal
    return [{str(name): _plain(value) for name, value in row.items()} for row in whole.rows(named=True)]


def _plain(value: Any) -> Any:
    """Give a cell as JSON would have it: arrays as lists, and what is missing as nothing."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    missing = type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and isnan(value))
    return None if missing else value


_LISTED: Final = re.compile(rb'(?:^|[,;\t])"?\[')
"""A row of a table with a list in a cell."""
_WITHOUT_COMMAS: Final = re.compile(r"""['"]\s+['"]|\d\s+\d""")


def _may_be(data: bytes) -> bool:
    return data.startswith(b"PAR1") or _begins_as_json(data) or _has_lists(data)


def _begins_as_json(data: bytes) -> bool:
    return without_mark(data[:64]).lstrip()[:1] in {b"{", b"["}


def _has_lists(data: bytes) -> bool:
    """Say whether a table in text has a list in its first row."""
    header, _, rows = data[:_LOOKED_AT].partition(b"\n")
    separated = any(each in header for each in (b",", b";", b"\t")) and not _begins_as_json(data)
    return separated and _LISTED.search(rows.partition(b"\n")[0]) is not None


def recognises(data: bytes, name: str) -> bool:
    """Say whether these are records of questions, by the first of them."""
    del name
    return _known(data, NO_NAMES)


def _names_any(data: bytes, kind: Kind) -> bool:
    return bool(kind.naming.paths) and _known(data, kind.naming)


def _known(data: bytes, naming: Naming) -> bool:
    if not _may_be(data):
        return False
    try:
        return are_questions(_beginning(data, naming), naming.paths)
    except (InputError, ValueError, RecursionError):
        return False


def _beginning(data: bytes, naming: Naming) -> object:
    """Parse the first record of a list or of lines, or an object that may be one or hold them; else nothing."""
    if data.startswith(b"PAR1"):
        looked_at = bool(naming.paths) or parquet.has_lists(data, source="")
        return _rows(parquet.table(data, source=""), 1) if looked_at else []
    if _has_lists(data):
        return _of_cells(data[:_LOOKED_AT].decode(errors="ignore"), "", most=1)
    text = without_mark(data).lstrip()
    if text[:1] == b"[":
        return [_first_of(text[1:])]
    line, _, others = text.partition(b"\n")
    if others.strip():
        try:
            return [json.loads(line)]
        except ValueError:
            pass  # one object on several lines
    key = _FIRST_KEY.match(text)
    plain = key is None or (key[2] in b"{[" and key[1].decode(errors="replace") not in NOT_TOPICS)
    if plain and not naming.paths and len(text) > _LOOKED_AT:
        return None
    found = json_text.parsed(text, "", texts=True)
    alone = isinstance(found, Mapping) and any(isinstance(value, str) for value in found.values())
    return [found] if alone else found  # no topic has a text


def _first_of(text: bytes) -> object:
    """Parse the first value of a list, of which no more than it takes is looked at."""
    for most in (_LOOKED_AT, 64 * _LOOKED_AT, len(text)):
        try:
            return json.JSONDecoder().raw_decode(text[:most].decode(errors="ignore").lstrip())[0]
        except ValueError:
            if most >= len(text):
                break
    return None


def _parsed(data: bytes, source: str) -> object:
    if data.startswith(b"PAR1"):
        return _rows(parquet.table(data, source=source))
    if _has_lists(data):
        return _of_cells(decodable(data, source=source).decode(), source)
    return json_text.parsed(data, source, texts=True)


def _of_cells(text: str, source: str, most: int | None = None) -> list[dict[str, Any]]:
    """Give the rows of a table with lists in its cells as records."""
    separator, names = delimited.split_header(text.encode())
    rows = islice(delimited.rows(text, separator, source=source), 1, None if most is None else most + 1)
    return [{name: _list_in(cell, source, line) for name, cell in zip(names, row, strict=False)} for line, row in rows]


def _list_in(cell: str, source: str, line: int) -> Any:
    """Read the list in a cell, as JSON or Python writes it; any other cell is a text, and an empty one is nothing."""
    if not cell.startswith("["):
        return cell or None
    if not source:  # it is only looked at
        return [_WITHOUT_COMMAS.sub("", cell)]
    try:
        if not _WITHOUT_COMMAS.search(cell):
            return json.loads(cell)
    except ValueError:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(cell)
    raise InputError(
        f"{shown(cell)} is no list with commas: write JSON lines, df.to_json(FILE, orient='records', lines=True)",
        source=source,
        line=line,
    )


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a golden set with ids as judgments, or answers as a run."""
    found = _read(_parsed(data, source), kind, source)
    wanted: Mapping[str, Any] = found.judged() if kind.is_qrels else found.ranked()
    return from_memory(dicts.from_dict(wanted, kind, source=source)[0], kind, source, rank=rank, lines=lines)


def _read(given: object, kind: Kind, source: str) -> GoldenSet:
    from cranfield.formats.golden_records import GoldenRecords  # which needs the texts of documents

    part = "relevant" if kind.is_qrels else "retrieved"
    return GoldenRecords.of(given, source, kind.naming.paths, None, "exact", part).golden()


def empty_topics(data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
    """Name the questions without an answer; of a run, those that were answered with nothing."""
    found = _read(_parsed(data, source), kind, source)
    wanted: Mapping[str, Any] = found.qrels if kind.is_qrels else found.run
    return dicts.empty_topics(wanted)


def lists(data: bytes, kind: Kind, *, source: str) -> Mapping[str, Mapping[str, Ranked]]:
    """Read the lists of each system at once; one that is not named has no name."""
    return _read(_parsed(data, source), kind, source).by_system()


FORMAT: Final = Format(
    "golden sets",
    recognises=recognises,
    read=read,
    empty_topics=empty_topics,
    names_any=_names_any,
    lists=lists,
    text=False,
)
