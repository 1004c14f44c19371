"""What every machine of a cluster does, done here: rows by topic in batches, however these are cut."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.judged.conditions import GRADING_NAMES, READING_NAMES, Grading, Reading
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.averaging import WORDS
from cranfield.scoring.blocks import at_level
from cranfield.scoring.engines.by_topic import Tally, TopicWork, long_rows, score_topics, whole_topics

SUITE = run_path(str(Path(__file__).parent / "expectations.py"))
CASES, Case, Found, expect_the_same, made = (
    SUITE[name] for name in ("CASES", "Case", "Found", "expect_the_same", "made")
)


def in_batches(case: Any, *, partitions: int, batch: int, rows: int, given: bool) -> Any:
    """Score a case partition by partition, with the judgments given to all, or among the rows."""
    reading = Reading.asked(**{name: each for name, each in case.conditions.items() if name in READING_NAMES})
    grading = Grading.asked(**{name: each for name, each in case.conditions.items() if name in GRADING_NAMES})
    judgments = Judgments(cf.read_qrels(case.qrels))
    numbers = at_level(cf.parse_measures(case.measures), grading.rel)
    how = WORDS[case.conditions.get("average", "mean")]
    averages = tuple(how if measure.summary == "mean" else measure.summary for measure in numbers)
    asked = TopicWork(tuple(case.runs), numbers, averages, reading, grading, judgments.top_grade, judgments.grades)
    columns = ["query_id", "run", "doc_id", "value", *(["rank"] if reading.order == "rank" else [])]
    tables = [
        table.rename({"score": "value"}).with_columns(run=pl.lit(place, dtype=pl.Int32)).select(columns)
        for place, table in enumerate(case.runs.values())
    ]
    judged = case.qrels.select("query_id", "doc_id", value=pl.col("relevance").cast(pl.Float64))
    judged = judged.select(pl.col("query_id").unique()) if given else judged
    everything = pl.concat([*tables, judged], how="diagonal").sort("query_id")
    partition = everything["query_id"].hash(3) % partitions
    parts, tallies, lists = [everything.filter(partition == number) for number in range(partitions)], [], []
    for part in parts:
        stream = (part[first : first + batch] for first in range(0, part.height, batch))
        for table in whole_topics(stream, rows):
            block, some = score_topics(table, asked, partial(judgments_of, asked, judgments if given else None))
            lists.append(long_rows(block, some, asked))
            tallies.append(pickle.loads(pickle.dumps(Tally.of_block(block, some, asked))))  # noqa: S301
    tally = Tally.together([Tally.together(tallies[::2]), Tally.together(tallies[1::2])] if tallies[1:] else tallies)
    return Found(
        long(pl.concat(lists), asked),
        long(pl.concat([averages_of(tally, asked)]), asked),
        tally.audit(asked),
    )


def judgments_of(asked: TopicWork, whole: Judgments | None, rows: pl.DataFrame) -> Judgments:
    return whole.of_topics(rows["query_id"]) if whole is not None else asked.of_collection(Judgments(rows))


def averages_of(tally: Tally, asked: TopicWork) -> pl.DataFrame:
    found = tally.averages(asked)
    ends = zip(("value", "low", "high"), found, strict=False)
    columns = {f"{end}{m}": values[m] for end, values in ends for m in range(len(asked.measures))}
    return pl.DataFrame({"run": asked.runs, "topic": ["all"] * len(asked.runs)} | columns)


def long(wide: pl.DataFrame, asked: TopicWork) -> pl.DataFrame:
    ends = ("value", "low", "high") if asked.grading.bounds else ("value",)
    usual = {"geometric mean": "geometric mean "}
    names = [
        f"{usual.get(how, '') if measure.summary == 'mean' and wide['topic'][0] == 'all' else ''}{measure}"
        for measure, how in zip(asked.measures, asked.averages, strict=True)
    ]
    return pl.concat(
        wide.select("run", "topic", measure=pl.lit(name), **{end: pl.col(f"{end}{m}") for end in ends})
        for m, name in enumerate(names)
    )


@pytest.mark.parametrize(
    "name",
    ["every measure", *(pytest.param(name, marks=pytest.mark.integration) for name in [*CASES][1:])],
)
def test_the_same_as_in_memory(name: str) -> None:
    for to_all in [True, False] if name in {"bounds", "one topic"} else [False]:
        expect_the_same(CASES[name], partial(in_batches, partitions=4, batch=7, rows=50, given=to_all))


@settings(max_examples=8)
@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([1, 10, 10_000]),
    st.booleans(),
    st.booleans(),
)
def test_however_rows_are_cut(seed: int, partitions: int, batch: int, rows: int, given: bool, bounds: bool) -> None:
    case = made(seed, topics=8, most=10)
    case.conditions.update({"bounds": bounds})
    expect_the_same(case, partial(in_batches, partitions=partitions, batch=batch, rows=rows, given=given))


def test_averages_do_not_depend_on_the_cut() -> None:
    case = made(4, topics=80)
    cuts = [
        in_batches(case, partitions=n, batch=11, rows=rows, given=True) for n, rows in ((1, 10_000), (7, 1), (30, 100))
    ]
    assert all(cut.means.equals(cuts[0].means) for cut in cuts)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 5), st.integers(1, 12))
def test_topics_are_never_cut(topics: list[int], batch: int, rows: int) -> None:
    everything = pl.DataFrame({"query_id": [f"t{topic}" for topic in sorted(topics)]}, schema={"query_id": pl.String})
    stream = (everything[first : first + batch] for first in range(0, len(topics), batch))
    tables = list(whole_topics(stream, rows))
    assert pl.concat([everything.clear(), *tables]).equals(everything)
    ids = [set(table["query_id"]) for table in tables]
    assert sum(map(len, ids)) == len(set(topics))
    assert all(table.height >= rows for table in tables[:-1])


@pytest.mark.parametrize(
    ("column", "cell", "told"),
    [
        ("query_id", "", "one: the query_id is missing"),
        ("doc_id", None, "one: the doc_id is missing (topic '"),
        ("value", np.nan, "one: the score is missing, or no number (topic '"),
        ("rank", None, "one: the rank is missing"),
    ],
)
def test_holes_are_refused(column: str, cell: object, told: str) -> None:
    case = made(1)
    table = case.runs["one"].sort("query_id")
    name = "score" if column == "value" else column
    hole = pl.when(pl.int_range(pl.len()) == 5).then(pl.lit(cell, dtype=table.schema[name])).otherwise(name).alias(name)
    broken = Case(case.qrels, {"one": table.with_columns(hole)}, ("AP",), {"order": "rank"})
    with pytest.raises(cf.InputError) as raised:
        in_batches(broken, partitions=1, batch=1000, rows=1000, given=True)
    assert told in str(raised.value)
