"""DataFrames of every library, in and out."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tools.each import each_of

from cranfield.formats import frames, read_qrels, read_run, read_runs, to_frame
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARIES = ("polars", "pandas", "pyarrow", "duckdb")
MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas arrow": lambda columns: pl.DataFrame(columns, strict=False).to_pandas(use_pyarrow_extension_array=True),
    "pandas categories": lambda columns: pd.DataFrame(columns).assign(docno=lambda f: f["docno"].astype("category")),
    "pyarrow": pa.table,
    "pyarrow dictionary": lambda columns: pa.table(
        {**columns, "docno": pa.array(columns["docno"], pa.string()).dictionary_encode()}
    ),
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}
maker = each_of("make", MAKERS.values())


@maker
def test_a_run_in_a_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    frame = make({"text": ["x", "y"], "score": [2.5, 1.0], "docno": ["NA", "é#"], "qid": ["001", "null"]})
    assert frames.is_frame(frame)
    table = frames.read(frame, RUN_KIND)
    assert table.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    assert table.rows() == [("001", "NA", 2.5), ("null", "é#", 1.0)]


@maker
def test_ids_that_are_whole_numbers_become_strings(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    frame = make({"qid": [301, 302], "docno": ["a", "b"], "label": [1, -1]})
    table = frames.read(frame, QRELS_KIND)
    assert table.schema["relevance"] == pl.Int64
    assert table.rows() == [("301", "a", 1), ("302", "b", -1)]


@maker
@each_of("column", ["qid", "docno", "score"])
def test_a_gap_is_an_error_that_names_the_row(make: Callable[[dict[str, list[Any]]], Any], column: str) -> None:
    columns: dict[str, list[Any]] = {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]}
    columns[column] = [columns[column][0], None]
    ours = {"qid": "query_id", "docno": "doc_id", "score": "score"}[column]
    there = {"qid": "document b", "docno": "topic 1", "score": "topic 1, document b"}[column]
    with pytest.raises(InputError) as caught:
        frames.read(make(columns), RUN_KIND)
    assert str(caught.value) == f"DataFrame: row 2 ({there}): the {ours} is missing"


@maker
def test_several_runs_in_a_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    frame = make({"system": ["b", "a", "b"], "qid": ["1"] * 3, "docno": ["x", "y", "z"], "score": [3.0, 2.0, 1.0]})
    runs = read_runs(frame)
    assert {name: table.rows() for name, table in runs.items()} == {
        "b": [("1", "x", 3.0), ("1", "z", 1.0)],
        "a": [("1", "y", 2.0)],
    }
    assert list(runs) == ["b", "a"]
    assert runs.sources[0].read(lines=True)["line"].to_list() == [1, 3]


def test_ids_that_are_floats_are_refused() -> None:
    frame = pd.DataFrame({"qid": [1.0, np.nan], "docno": ["a", "b"], "score": [2.0, 1.0]}).head(1)
    with pytest.raises(InputError) as caught:
        read_run(frame)
    assert str(caught.value) == (
        "DataFrame: row 1 (document a): the query_id 1.0 is not an id: the column's values are floating-point numbers;"
        " make it a column of strings"
    )


@pytest.mark.parametrize(
    ("score", "problem"),
    [
        ([1.0, float("nan")], "row 2 (topic 1, document b): the score is not a number (NaN)"),
        (["1", "x"], "row 2 (topic 1, document b): the score 'x' is not a number"),
        ([[1.0], [2.0]], "row 1 (topic 1, document a): the score is not a number: the column holds List(Float64)"),
    ],
)
def test_scores_that_are_not_numbers(score: list[Any], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read_run(pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": score}))
    assert caught.value.problem == problem


def test_a_pandas_column_of_several_types() -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", 7], "score": [2, 1]})
    assert read_run(frame)["doc_id"].to_list() == ["a", "7"]
    with pytest.raises(InputError, match="the column docno holds values of several types: float, str"):
        read_run(frame.assign(docno=["a", 7.5]))


def test_a_whole_number_without_end_is_refused() -> None:
    rows = [{"qid": "1", "docno": "a", "score": 10**40}]
    for source, given in (("records", rows), ("DataFrame", pd.DataFrame(rows))):
        with pytest.raises(
            InputError, match=f"^{source}: the column score holds a whole number of more than 38 digits$"
        ):
            read_run(given)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (pl.Series([1, 0], dtype=pl.UInt8), pl.Int64),
        (pl.Series([True, False]), pl.Int64),
        (pl.Series([1.0, 0.0], dtype=pl.Float32), pl.Float64),
        (pl.Series(["1", "0"]), pl.Int64),
        (pl.Series(["1.0", "0"]), pl.Float64),
    ],
)
def test_types_of_labels(labels: pl.Series, dtype: type[pl.DataType]) -> None:
    table = read_qrels(pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": labels}))
    assert table.schema["relevance"] == dtype
    assert table["relevance"].to_list() == [1, 0]


def test_a_label_beyond_64_bits() -> None:
    labels = pl.Series([2**63], dtype=pl.UInt64)
    with pytest.raises(
        InputError, match=r"row 1 \(topic 1, document a\): the label 9223372036854775808 does not fit 64 bits"
    ):
        read_qrels(pl.DataFrame({"qid": ["1"], "docno": ["a"], "label": labels}))


def test_a_frame_without_the_columns_or_without_rows() -> None:
    with pytest.raises(InputError, match=r"DataFrame: no column for doc_id .* columns found: qid \('1'\), score"):
        read_run(pl.DataFrame({"qid": ["1"], "score": [1.0]}))
    with pytest.raises(InputError, match="DataFrame: is empty: a run has at least one line"):
        read_run(pl.DataFrame({"qid": [], "docno": [], "score": []}))


def test_the_rank_of_a_frame() -> None:
    frame = pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "rank": [3]})
    assert read_runs(frame).sources[0].read(rank=True).rows() == [("1", "a", 1.0, 3)]
    assert read_runs(frame).sources[0].read().columns == ["query_id", "doc_id", "score"]
    with pytest.raises(InputError, match="DataFrame: has no rank column"):
        read_runs(frame.drop("rank")).sources[0].read(rank=True)
    with pytest.raises(InputError, match=r"row 1 \(topic 1, document a\): the rank 1.5 is not a whole number"):
        read_runs(frame.with_columns(rank=pl.lit(1.5)))


RUN = pl.DataFrame({"query_id": ["001", "NA"], "doc_id": ["a", "é"], "score": [2.5, float("-inf")]})
QRELS = pl.DataFrame({"query_id": ["001", "NA"], "doc_id": ["a", "é"], "relevance": [2, -1]})


@pytest.mark.parametrize("library", LIBRARIES)
def test_out_and_in_again(library: str) -> None:
    frame = to_frame(RUN, library)
    assert type(frame).__module__.partition(".")[0].strip("_") == library
    assert read_run(frame).equals(RUN)
    assert read_qrels(to_frame(QRELS, library)).equals(QRELS)


def test_an_unknown_library_is_named() -> None:
    with pytest.raises(InputError, match="no DataFrame library 'numpy'; choose from polars, pandas, pyarrow, duckdb"):
        to_frame(RUN, "numpy")


def test_pandas_needs_no_pyarrow() -> None:
    script = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd
from cranfield.formats import read_run, to_frame
frame = pd.DataFrame({"qid": ["001"], "docno": pd.Categorical(["a"]), "score": [2.5]})
table = read_run(frame)
assert table.rows() == [("001", "a", 2.5)], table
assert to_frame(table, "pandas").to_dict("list") == {"query_id": ["001"], "doc_id": ["a"], "score": [2.5]}
try:
    to_frame(table, "pyarrow")
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "this needs pyarrow, which is not installed: pip install pyarrow\n"


def test_reading_files_imports_no_library_of_frames() -> None:
    script = (
        "import sys, cranfield.formats\nprint(sorted({'pandas', 'pyarrow', 'duckdb', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.integration
def test_a_relation_is_read_without_a_word() -> None:
    """Read by its stream, DuckDB would write forty lines to stderr when Python ends."""
    script = (
        "import duckdb, cranfield as cf\n"
        "relation = cf.to_frame(cf.read_qrels({'1': {'a': 1}}), 'duckdb')\n"
        "print(cf.read_qrels(relation).rows())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[('1', 'a', 1)]\n", "")
