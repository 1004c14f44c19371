"""Means group by group: the table, the worst group of each grouping, and what to know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.grouping import Group, is_small

_COLUMNS = ("grouping", "group", "measure", "run", "topics", "mean", "low", "high", "worst", "too_small")


def means_by_group(found: Mapping[Group, pl.DataFrame], directions: Mapping[str, float]) -> pl.DataFrame:
    """Put the means of groups together, and mark the worst of each grouping."""
    rows = pl.concat([_of_group(group, table) for group, table in found.items()])
    worth = pl.col("mean") * pl.col("measure").replace_strict(directions, return_dtype=pl.Float64)
    of, large = ["grouping", "measure", "run"], ~pl.col("too_small")
    least, most = (end.over(of) for end in (worth.filter(large).min(), worth.filter(large).max()))
    return rows.with_columns(worst=(large & (most > least) & (worth == least)).fill_null(value=False)).select(_COLUMNS)


def _of_group(group: Group, found: pl.DataFrame) -> pl.DataFrame:
    """Say of which group means are; those of one that is too small have no interval."""
    ends = ("low", "high") if is_small(group) else ()
    return found.with_columns(
        pl.lit(group.grouping).alias("grouping"),
        pl.lit(group.name).alias("group"),
        pl.lit(is_small(group)).alias("too_small"),
        *(pl.lit(None, dtype=pl.Float64).alias(end) for end in ends),
    )


def groupings_of(groups: Sequence[Group]) -> str:
    """Name the groupings, and how many groups each has.

    >>> groupings_of([Group("lang", "de", ("1",)), Group("lang", "fr", ("2",)), Group("kind", "short", ("1",))])
    'lang (2 groups) and kind (1 group)'
    """
    names = [group.grouping for group in groups]
    return named([f"{name} ({counted(names.count(name), 'group')})" for name in dict.fromkeys(names)])


def worst_groups(rows: pl.DataFrame) -> Iterator[str]:
    """Name the worst group of each grouping, by measure and run."""
    for (grouping, measure), some in rows.filter("worst").group_by("grouping", "measure", maintain_order=True):
        cells = some.select("run", "group", "mean").iter_rows()
        where = [f"{run} in {group} ({mean:.4f})" for run, group, mean in cells]
        yield f"worst mean {measure} by {grouping}: {named(where)}"
