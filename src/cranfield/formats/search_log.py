"""What is known of one system's searches, whatever file it comes from: questions, searches, and what each returned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from cranfield.formats.records import placed
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY

CALL: Final = "call"
TOKENS: Final = "tokens"
QUERY_TEXT: Final = "text"
FAILED: Final = "failed"
READS: Final = "reads"
ROUNDED_UP: Final = 1 + 1e-9
"""Sums of tokens that exceed a budget by no more than rounding are within it."""


class LoggedSearch(NamedTuple):
    """One search: the documents that it returned, in order; what was asked, where that is known."""

    documents: tuple[str, ...]
    text: str | None = None
    failed: bool = False


class LoggedQuestion(NamedTuple):
    """Every search for one question."""

    topic: str
    searches: tuple[LoggedSearch, ...]
    where: tuple[str, int | None]  # The file, and the line in it, for messages
    reads: int = 0  # How many documents were opened by id, which is no search
    tokens: float | None = None  # What the whole question cost; None where that is not known


class Read(NamedTuple):
    """What a reader found, and what a user should know of it."""

    questions: list[LoggedQuestion]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SearchLog:
    """One system's searches, in tables; tokens are null where they are not known."""

    name: str
    origin: str
    questions: pl.DataFrame
    """A row for each, those without a search included: query_id, tokens (of all of it), reads (by id)."""
    calls: pl.DataFrame  # A row for each search: query_id, call (from 1), text (what was asked), tokens, failed
    results: pl.DataFrame  # A row for each, in the order of the searches: query_id, call, doc_id, tokens
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, origin: str, read: Read) -> SearchLog:
        """Put questions into tables; a question that is there twice is refused."""
        _refuse_twice(read.questions)
        asked = [(each.topic, *search) for each in read.questions for search in enumerate(each.searches, start=1)]
        questions = [(each.topic, each.tokens, each.reads) for each in read.questions]
        calls = [(topic, call, search.text, None, search.failed) for topic, call, search in asked]
        results = [(topic, call, document, None) for topic, call, search in asked for document in search.documents]
        return cls(
            name, origin,
            _table(questions, {QUERY: pl.String, TOKENS: pl.Float64, READS: pl.Int64}),
            _table(calls, {
                QUERY: pl.String, CALL: pl.Int64, QUERY_TEXT: pl.String, TOKENS: pl.Float64, FAILED: pl.Boolean,
            }),
            _table(results, {QUERY: pl.String, CALL: pl.Int64, DOCUMENT: pl.String, TOKENS: pl.Float64}),
            read.notes,
        )  # fmt: skip

    @property
    def knows_tokens(self) -> bool:
        """Whether it is known what each search cost."""
        return not self.calls[TOKENS].null_count()

    @cached_property
    def union(self) -> pl.DataFrame:
        """The results, with three columns more.

        ``new`` says whether the document appears for the first time in its topic; ``place`` is its place in the union
        of the searches so far; ``spent`` are the tokens up to and including it: those of the documents before it where
        each has its own, else those of its search and the searches before it.
        """
        table = self.results.with_columns(new=pl.struct(QUERY, DOCUMENT).is_first_distinct())
        table = table.with_columns(place=pl.col("new").cast(pl.Int64).cum_sum().over(QUERY))
        if not self.results[TOKENS].null_count():
            return table.with_columns(spent=pl.col(TOKENS).cum_sum().over(QUERY))
        spent = self.calls.select(QUERY, CALL, spent=pl.col(TOKENS).cum_sum().over(QUERY))
        return table.join(spent, on=[QUERY, CALL], how="left", maintain_order="left")

    def listed(self, calls: int | None = None, tokens: float | None = None) -> pl.DataFrame:
        """Return the union, or what a budget leaves of it, as a run whose scores fall with the place."""
        score = (pl.col("place").max().over(QUERY) - pl.col("place") + 1).cast(pl.Float64)
        table = self.union.with_columns(score=score).filter(pl.col("new"))
        if calls is not None:
            table = table.filter(pl.col(CALL) <= calls)
        if tokens is not None:
            self.require_tokens()
            table = table.filter(pl.col("spent") <= tokens * ROUNDED_UP)
        return table.select(QUERY, DOCUMENT, "score")

    def require_tokens(self) -> None:
        """Refuse a budget of tokens where nobody knows what a search cost."""
        if self.knows_tokens:
            return
        whole = self.questions[TOKENS].is_not_null().any()
        known = "the file has them by question only" if whole else "the file has none"
        raise InputError(
            f"a budget of tokens needs the tokens of every search, but {known}; a table with a column tokens (of each "
            "document) or call_tokens (of each search) has them",
            source=self.origin,
        )


def _table(rows: list[Any], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")


def _refuse_twice(questions: Iterable[LoggedQuestion]) -> None:
    first: dict[str, tuple[str, int | None]] = {}
    for each in questions:
        if each.topic in first:
            file, line = first[each.topic]
            there = file if line is None else f"{file}, line {line}"
            with placed(*each.where):
                raise InputError(f"topic {each.topic} occurs twice; first in {there}")
        first[each.topic] = each.where
