"""What may be given for runs and qrels, as types: all that `read_runs` and `read_qrels` take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from cranfield.formats.dicts import Id, NestedDict
from cranfield.formats.files import FilePath


class Frame(Protocol):
    """A DataFrame of any library: pandas, polars (eager or lazy), pyarrow, DuckDB."""

    @property
    def columns(self) -> object:
        """The names of its columns; what they may be called, the page on formats says."""


class Judged(Protocol):
    """A judgment as an object, such as ir_measures' ``Qrel``."""

    @property
    def query_id(self) -> object:
        """The topic."""

    @property
    def doc_id(self) -> object:
        """The document."""

    @property
    def relevance(self) -> object:
        """The grade."""


class Retrieved(Protocol):
    """A document that was retrieved as an object, such as ir_measures' ``ScoredDoc``."""

    @property
    def query_id(self) -> object:
        """The topic."""

    @property
    def doc_id(self) -> object:
        """The document."""

    @property
    def score(self) -> object:
        """The score."""


QrelsLike: TypeAlias = FilePath | Frame | NestedDict | Iterable[Sequence[object] | Judged]
"""Judgments: a path, a DataFrame, ``{topic: {document: grade}}``, or tuples (topic, document, grade)."""

OneRun: TypeAlias = FilePath | Frame | NestedDict | Iterable[Sequence[object] | Retrieved]
"""One run: a path, a DataFrame, ``{topic: {document: score}}``, or tuples (topic, document, score)."""

RunsLike: TypeAlias = OneRun | Mapping[Id, "RunsLike"] | Iterable["RunsLike"]
"""Runs: one of these (a glob, folder or DataFrame may hold several), ``{name: run}``, or a list of any of these."""
