"""The lines of a run in TREC text, as they are written: what each of the six columns may hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cranfield.checks.result import on_lines, some
from cranfield.formats import numbers
from cranfield.formats.trec import FURTHER, LAYOUTS, Q0, TAG
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE, RANK, SCORE
from cranfield.results.finding import Finding

LONGEST_TAG: Final = 20
"""Tracks allow 12 to 20 characters."""

_PLAIN_TAG: Final = "^[A-Za-z0-9_.-]+$"


def check_lines(lines: pl.DataFrame) -> Iterator[Finding]:
    """Find what is wrong in any line.

    >>> lines = pl.DataFrame({"line": [1], "text": [""], "Q0": ["Q0"], "rank": ["1"], "score": ["high"],
    ...                       "tag": ["x"], "further": [None]})
    >>> [found.says for found in check_lines(lines)]
    ["a score that is not a number, on 1 line: line 1 ('high')"]
    """
    whole = lines.filter(pl.col(TAG).is_not_null())
    yield from _too_few_columns(lines)
    for check in _CHECKS:
        yield from check(whole)


def sound(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the lines that can be read; without their ranks, if any of these is none."""
    whole = lines.filter(pl.col(TAG).is_not_null())
    kept = whole.filter(numbers.are_scores(whole[SCORE]))
    return kept if numbers.are_ranks(kept[RANK]).all() else kept.drop(RANK)


def _too_few_columns(lines: pl.DataFrame) -> Iterator[Finding]:
    short = lines.filter(pl.col(TAG).is_null()).with_columns(
        there=pl.col("text").str.count_matches(r"[ \t\x0b\f\r]+") + 1
    )
    picture = LAYOUTS["run"].picture
    yield from on_lines("error", "columns", f"fewer columns than the six of a run ({picture})", short, "{there}")


def _scores(lines: pl.DataFrame) -> Iterator[Finding]:
    wrong = lines.filter(~numbers.are_scores(lines[SCORE]))
    yield from on_lines("error", "score", "a score that is not a number", wrong, "{score!r}")


def _ranks(lines: pl.DataFrame) -> Iterator[Finding]:
    wrong = lines.filter(~numbers.are_ranks(lines[RANK]))
    yield from on_lines("error", "rank", "a rank that is not a whole number", wrong, "{rank!r}")


def _tags(lines: pl.DataFrame) -> Iterator[Finding]:
    tags = lines.unique(TAG, keep="first", maintain_order=True).select(TAG, LINE)
    if tags.height > 1:
        named = some((f"{tag!r} from line {line}" for tag, line in tags.rows()), tags.height)
        yield Finding("error", "tags", tags.height, tags[LINE][1], f"several tags in one run: {named}")
    long = tags.filter(pl.col(TAG).str.len_chars() > LONGEST_TAG)
    odd = tags.filter(~pl.col(TAG).str.contains(_PLAIN_TAG))
    for what, found in (
        (f"a tag of more than {LONGEST_TAG} characters", long),
        ("a tag of other characters than letters, digits, '_', '.' and '-'", odd),
    ):
        if found.height:
            says = f"{what}: {some(map(repr, found[TAG]), found.height)}"
            yield Finding("warning", "tag", found.height, found[LINE][0], says)


def _second_column(lines: pl.DataFrame) -> Iterator[Finding]:
    odd = lines.filter(~pl.col(Q0).is_in(["Q0", "0"]))
    yield from on_lines("remark", "second column", "a second column that is not Q0", odd, "{Q0!r}")


def _further_columns(lines: pl.DataFrame) -> Iterator[Finding]:
    further = lines.filter(pl.col(FURTHER).is_not_null())
    yield from on_lines(
        "warning", "columns", "more columns than the six of a run, which are ignored", further, "{further!r}"
    )


_CHECKS: Final[tuple[Callable[[pl.DataFrame], Iterator[Finding]], ...]] = (
    _scores, _ranks, _tags, _second_column, _further_columns,
)  # fmt: skip
