"""Document ids like those of the TREC ad hoc collection: four sources, each with its own way of numbering."""

from __future__ import annotations

from typing import Final

from cranfield.plumbing.lazy import pl

# Size of each source, close to the sizes of the sources on TREC disks 4 and 5.
_FINANCIAL_TIMES: Final = 16 * 13_135
_FBIS: Final = 130_000
_LA_TIMES: Final = 24 * 28 * 196
_FEDERAL_REGISTER: Final = 12 * 28 * 165

COLLECTION_SIZE: Final = _FINANCIAL_TIMES + _FBIS + _LA_TIMES + _FEDERAL_REGISTER


def document_ids(numbers: pl.Series) -> pl.Series:
    """Give the ids of documents by their number in the collection, from 0 to ``COLLECTION_SIZE - 1``.

    Different numbers have different ids.

    >>> document_ids(pl.Series([0, 13_135, 220_000, 400_000, 520_000])).to_list()
    ['FT911-1', 'FT912-1', 'FBIS3-9841', 'LA112689-0061', 'FR941112-0-00114']
    """
    start = 0
    cases = []
    for size, id_of in (
        (_FINANCIAL_TIMES, _financial_times),
        (_FBIS, _fbis),
        (_LA_TIMES, _la_times),
        (_FEDERAL_REGISTER, _federal_register),
    ):
        cases.append(pl.when(pl.col("number") < start + size).then(id_of(pl.col("number") - start)))
        start += size
    frame = numbers.cast(pl.Int64).rename("number").to_frame()
    return frame.select(pl.coalesce(cases).alias("doc_id")).to_series()


def _financial_times(number: pl.Expr) -> pl.Expr:
    quarter = number // 13_135
    return pl.format("FT9{}{}-{}", quarter // 4 + 1, quarter % 4 + 1, number % 13_135 + 1)


def _fbis(number: pl.Expr) -> pl.Expr:
    half = _FBIS // 2
    return pl.format("FBIS{}-{}", number // half + 3, number % half + 1)


def _la_times(number: pl.Expr) -> pl.Expr:
    day = number // 196
    month, year = day // 28 % 12, day // (28 * 12)
    return pl.format(
        "LA{}{}{}-{}", _zeros(month + 1, 2), _zeros(day % 28 + 1, 2), year + 89, _zeros(number % 196 + 1, 4)
    )


def _federal_register(number: pl.Expr) -> pl.Expr:
    day = number // 165
    return pl.format("FR94{}{}-0-{}", _zeros(day // 28 + 1, 2), _zeros(day % 28 + 1, 2), _zeros(number % 165 + 1, 5))


def _zeros(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.String).str.zfill(width)
