"""The lines of a run in TREC text, as they are written: what each of the six columns may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.checks.checked import on_lines, some
from cranfield.formats import numbers
from cranfield.formats.trec import FURTHER, LAYOUTS, Q0, TAG
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK, SCORE
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding

LONGEST_TAG: Final = 20  # Tracks allow 12 to 20 characters

_LETTERS: Final = 40
"""How many characters of a line are shown that has too few columns."""
_SECOND: Final = ["Q0", "0"]  # What stands in the second column
_PLAIN_TAG: Final = "^[A-Za-z0-9_.-]+$"


def check_lines(lines: pl.DataFrame) -> Iterator[Finding]:
    """Find what is wrong in any line."""
    heads = has_header(lines)
    if heads:
        says = f"the first line is a header: {lines.row(0, named=True)[SCORE]!r} where a score should be"
        yield Finding("error", "header", 1, lines[LINE][0], says)
    lines = lines[1:] if heads else lines
    whole = lines.filter(pl.col(TAG).is_not_null())
    yield from _too_few_columns(lines)
    wrong = whole.filter(~numbers.are_scores(whole[SCORE]))
    yield from on_lines("error", "score", "a score that is not a number", wrong, "{score!r}")
    wrong = whole.filter(~numbers.are_ranks(whole[RANK]))
    yield from on_lines("error", "rank", "a rank that is not a whole number", wrong, "{rank!r}")
    yield from _tags(whole)
    odd = whole.filter(~pl.col(Q0).is_in(_SECOND))
    yield from on_lines("remark", "second column", "a second column that is not Q0", odd, "{Q0!r}")
    further = whole.filter(pl.col(FURTHER).is_not_null())
    what = "more columns than the six of a run (the rest are ignored)"
    yield from on_lines("warning", "columns", what, further, "{further!r}")


def swapped(lines: pl.DataFrame) -> Iterator[Finding]:
    """Find swapped columns, in all lines: every other finding about the lines follows from it.

    >>> cells = {"query_id": ["1", "1"], "Q0": ["a", "b"], "doc_id": ["Q0", "Q0"], "rank": ["1", "2"],
    ...          "score": ["9.5", "7"], "tag": ["x", "x"], "line": [1, 2]}
    >>> [found.says for found in swapped(pl.DataFrame(cells))]
    ["the columns of the document and Q0 are swapped, on 2 lines: line 1 ('a Q0')"]
    >>> cells |= {"Q0": ["Q0", "Q0"], "doc_id": ["a", "b"], "rank": ["9.5", "7"], "score": ["1", "2"]}
    >>> [found.says for found in swapped(pl.DataFrame(cells))]
    ["the columns of the rank and the score are swapped, on 2 lines: line 1 ('9.5 1')"]
    """
    whole = lines.filter(pl.col(TAG).is_not_null())
    if whole.is_empty():
        return
    if whole[DOCUMENT].is_in(_SECOND).all() and not whole[Q0].is_in(_SECOND).any():
        yield _places(whole, "document and Q0", Q0, DOCUMENT)
    elif numbers.are_scores(whole[RANK]).all() and not numbers.are_ranks(whole[RANK]).all() and _counts(whole, SCORE):
        yield _places(whole, "rank and the score", RANK, SCORE)


def _places(lines: pl.DataFrame, which: str, one: str, other: str) -> Finding:
    example = f"line {lines[LINE][0]} ({f'{lines[one][0]} {lines[other][0]}'!r})"
    says = f"the columns of the {which} are swapped, on {counted(lines.height, 'line')}: {example}"
    return Finding("error", "swapped", lines.height, lines[LINE][0], says)


def _counts(lines: pl.DataFrame, column: str) -> bool:
    """Say whether a column counts 1, 2, 3, ... or 0, 1, 2, ... in each topic, line by line, and further than once."""
    number = lines[column].cast(pl.Int64, strict=False)
    if number.has_nulls() or number.max() == number.min():
        return False
    begins = lines.select(begins=number - pl.int_range(pl.len()).over(QUERY))["begins"]
    return bool(begins.is_in([0, 1]).all()) and begins.n_unique() == 1


def has_header(lines: pl.DataFrame) -> bool:
    """Say whether the first line names the columns: it has neither a rank nor a score, and the next ones have both."""
    first, others = lines[:1], lines[1:11]
    if numbers.are_scores(first[SCORE].fill_null("0")).any() or numbers.are_ranks(first[RANK].fill_null("0")).any():
        return False
    both = numbers.are_scores(others[SCORE].fill_null("")) & numbers.are_ranks(others[RANK].fill_null(""))
    return others.height > 0 and bool(both.all())


def sound(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the lines that can be read; without their ranks, if any of these is none."""
    whole = lines.filter(pl.col(TAG).is_not_null())
    kept = whole.filter(numbers.are_scores(whole[SCORE]))
    return kept if numbers.are_ranks(kept[RANK]).all() else kept.drop(RANK)


def _too_few_columns(lines: pl.DataFrame) -> Iterator[Finding]:
    short = lines.filter(pl.col(TAG).is_null()).with_columns(
        there=pl.col("text").str.count_matches(r"[ \t\x0b\f\r]+") + 1, begins=pl.col("text").str.slice(0, _LETTERS)
    )
    what = f"fewer columns than the six of a run ({LAYOUTS['run'].picture})"
    yield from on_lines("error", "columns", what, short, "{there}: {begins!r}")


def _tags(lines: pl.DataFrame) -> Iterator[Finding]:
    tags = lines.unique(TAG, keep="first", maintain_order=True).select(TAG, LINE)
    if tags.height > 1:
        named = some((f"{tag!r} from line {line}" for tag, line in tags.rows()), tags.height)
        yield Finding("error", "tags", tags.height, tags[LINE][1], f"several tags in one run: {named}")
    long = tags.filter(pl.col(TAG).str.len_chars() > LONGEST_TAG)
    odd = tags.filter(~pl.col(TAG).str.contains(_PLAIN_TAG))
    for what, found in (
        (f"a tag of more than {LONGEST_TAG} characters", long),
        ("a tag with characters other than letters, digits, '_', '.' and '-'", odd),
    ):
        if found.height:
            says = f"{what}: {some(map(repr, found[TAG]), found.height)}"
            yield Finding("warning", "tag", found.height, found[LINE][0], says)
