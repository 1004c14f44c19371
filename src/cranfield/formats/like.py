"""What may be given for runs and qrels, as types: whatever `read_runs` and `read_qrels` take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from cranfield.formats.dicts import Id, NestedDict
from cranfield.formats.files import FilePath, OpenFile
from cranfield.formats.golden import GoldenSet
from cranfield.plumbing.tables import Frame


class _Row(Protocol):
    @property
    def query_id(self) -> object: ...
    @property
    def doc_id(self) -> object: ...


class JudgedObject(_Row, Protocol):
    """A judgment as an object, such as ir_measures' ``Qrel``."""

    @property
    def relevance(self) -> object:
        """The grade."""


class RetrievedObject(_Row, Protocol):
    """A document that was retrieved as an object, such as ir_measures' ``ScoredDoc``."""

    @property
    def score(self) -> object:
        """The score."""


class ArrowStream(Protocol):
    """What speaks Arrow without being a DataFrame: pyarrow's RecordBatchReader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """The same of a single batch: pyarrow's RecordBatch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


class OfRanx(Protocol):
    """A ``Run`` or ``Qrels`` of ranx'."""

    def to_dict(self) -> Mapping[str, Mapping[str, float]]:
        """Give it as dicts."""


Record: TypeAlias = Mapping[str, Any]
"""A row: ``{column: value}``, with the names that columns may have."""

_Anything: TypeAlias = FilePath | OpenFile | Frame | ArrowStream | ArrowArray | OfRanx | NestedDict | GoldenSet

QrelsLike: TypeAlias = _Anything | Iterable[Sequence[object] | JudgedObject | Record]
"""Judgments: a path or open file, a DataFrame, ``{topic: {document: grade}}``, or tuples (topic, document, grade)."""

OneRun: TypeAlias = _Anything | Mapping[Id, Sequence[object]] | Iterable[Sequence[object] | RetrievedObject | Record]
"""One run: the same with scores, or ``{topic: [document, ...]}``, the best first."""

RunsLike: TypeAlias = OneRun | Mapping[Id, "RunsLike"] | Iterable["RunsLike"]
"""Runs: one of these (a glob, folder or DataFrame may hold several), ``{name: run}``, or a list of any of these."""
