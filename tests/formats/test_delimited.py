"""CSV, TSV and Parquet: columns known by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.formats import delimited, parquet, read_qrels, read_run, read_runs, write_qrels, write_run
from cranfield.formats.columns import RUN_KIND
from cranfield.formats.numbers import labels
from cranfield.formats.topic_tables import read_topic_table
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

WANTED = [("001", "NA", 2.5), ("001", "null", 1.0)]


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.csv", "qid,docno,score\n001,NA,2.5\n001,null,1\n"),
        ("run.csv", "qid,docno,score\r\n001,NA,2.5\r\n001,null,1"),
        ("run.csv", '\ufeff"qid","docno","score"\n"001","NA",2.5\n"001","null",1\n'),
        ("run.csv", "Topic,DOCID,text,Score\n001,NA,,2.5\n001,null,some text,1\n"),
        ("run.txt", "score,item_id,user_id\n2.5,NA,001\n1,null,001\n"),
        ("run.csv", "Snapshot Name,Query Text,Doc ID,Score\nmonday,001,NA,2.5\nmonday,001,null,1\n"),
        ("run.tsv", "query_id\tdoc_id\tscore\n001\tNA\t2.5\n001\tnull\t1\n"),
        ("run.tsv", "\nquery_id\tdoc_id\tscore\n\n001\tNA\t2.5\n001\tnull\t1\n\n"),
        ("run.txt", "query_id\tdoc_id\tscore\n001\tNA\t 2.5\n001\tnull\t1\n".replace(" ", "")),
        ("run.tsv", "001 Q0 NA 1 2.5 t\n001 Q0 null 2 1 t\n"),
        ("run.tsv", "001\tQ0\tNA\t1\t2.5\tt\n001\tQ0\tnull\t2\t1\tt\n"),
    ],
)
def test_columns_are_found_by_name_and_files_by_their_first_line(tmp_path: Path, name: str, text: str) -> None:
    table = read_run(write(tmp_path / name, text))
    assert table.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    assert table.rows() == WANTED


def test_qrels_of_beir(tmp_path: Path) -> None:
    path = write(tmp_path / "test.tsv", "query-id\tcorpus-id\tscore\n1\tMED-10\t1\n1\tMED-14\t0\n")
    table = read_qrels(path)
    assert table.schema["relevance"] == pl.Int64
    assert table.rows() == [("1", "MED-10", 1), ("1", "MED-14", 0)]


def test_quotes_are_special_in_csv_and_characters_in_tsv(tmp_path: Path) -> None:
    quoted = write(tmp_path / "run.csv", 'qid,docno,score\n1,"a,""b""",2\n1,c,1\n')
    assert read_run(quoted)["doc_id"].to_list() == ['a,"b"', "c"]
    plain = write(tmp_path / "run.tsv", 'qid\tdocno\tscore\n1\t"a,\t2\n1\tc""\t1\n')
    assert read_run(plain)["doc_id"].to_list() == ['"a,', 'c""']


def test_ranks_and_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "run.csv", "qid,docno,score,rank\n1,a,2,1\n\n1,b,1,2\n")
    source = read_runs(path).sources[0]
    assert source.read(rank=True)["rank"].to_list() == [1, 2]
    assert source.read(lines=True)["line"].to_list() == [2, 4]
    path = write(tmp_path / "other.csv", "qid,docno,score\n1,a,2\n")
    with pytest.raises(InputError, match="no column for rank"):
        read_runs(path).sources[0].read(rank=True)


def test_comments_only_where_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "run.csv", "# made on Tuesday\nqid,docno,score\n#1,a,2\n1,#b,1\n")
    assert read_run(path, comments=True).rows() == [("1", "#b", 1.0)]
    with pytest.raises(InputError):
        read_run(path)
    path = write(tmp_path / "run.txt", "#1 Q0 a 1 2 t\n1 Q0 #b 1 1 t\n")
    assert read_run(path).rows() == [("#1", "a", 2.0), ("1", "#b", 1.0)]
    assert read_run(path, comments=True).rows() == [("1", "#b", 1.0)]
    assert read_runs(path, comments=True).sources[0].read(lines=True)["line"].to_list() == [2]


def test_a_quote_in_the_first_line_of_trec_text_is_no_broken_csv(tmp_path: Path) -> None:
    path = write(tmp_path / "run.txt", 'q Q0 "d,1 1 2 t\nq,"x Q0 e 2 1 t\n')
    assert read_run(path).rows() == [("q", '"d,1', 2.0), ('q,"x', "e", 1.0)]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\t"), min_size=1)
any_cell = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
finite = st.floats(allow_nan=False)


def as_run(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")


@given(rows=st.lists(st.tuples(any_cell, any_cell, finite), min_size=1, max_size=5))
@settings(max_examples=75)
def test_csv_that_is_written_is_read_again(rows: list[tuple[str, str, float]]) -> None:
    data = delimited.write(as_run(rows), RUN_KIND, source="run.csv", name="")
    assert delimited.recognises(data, "run.csv")
    again = delimited.read(data, RUN_KIND, source="run.csv")
    assert list(map(repr, again.rows())) == list(map(repr, rows))


@given(rows=st.lists(st.tuples(cells, cells, finite), min_size=1, max_size=5))
@settings(max_examples=75)
def test_tsv_and_both_roads(rows: list[tuple[str, str, float]]) -> None:
    data = delimited.write(as_run(rows), RUN_KIND, source="run.tsv", name="")
    again = delimited.read(data, RUN_KIND, source="run.tsv")
    assert list(map(repr, again.rows())) == list(map(repr, rows))
    careful = delimited.read(data, RUN_KIND, source="run.tsv", lines=True)
    assert careful["line"].to_list() == list(range(2, len(rows) + 2))
    assert careful.drop("line").equals(again)


@given(rows=st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1), finite), min_size=1, max_size=5))
@settings(max_examples=30)
def test_parquet_that_is_written_is_read_again(rows: list[tuple[str, str, float]]) -> None:
    data = parquet.write(as_run(rows), RUN_KIND, source="run.parquet", name="")
    assert parquet.recognises(data, "run.bin")
    assert list(map(repr, parquet.read(data, RUN_KIND, source="run.parquet").rows())) == list(map(repr, rows))


def test_parquet_of_any_types(tmp_path: Path) -> None:
    path = tmp_path / "clicks.parquet"
    pl.DataFrame(
        {
            "user_id": pl.Series([7, 7, 8], dtype=pl.UInt16),
            "item": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "prediction": pl.Series([2.5, 1.0, 0.5], dtype=pl.Float32),
            "rank": pl.Series([1, 2, 1], dtype=pl.Int8),
            "text": ["x", "y", "z"],
        }
    ).write_parquet(path)
    table = read_runs(path).sources[0].read(rank=True, lines=True)
    assert table.schema == {
        "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64, "rank": pl.Int64, "line": pl.Int64,
    }  # fmt: skip
    assert table.rows() == [("7", "a", 2.5, 1, 1), ("7", "b", 1.0, 2, 2), ("8", "a", 0.5, 1, 3)]


@pytest.mark.parametrize("name", ["clicks.parquet", "clicks.csv.gz", "clicks.tsv"])
def test_a_file_may_hold_several_runs(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pl.DataFrame({"run": ["b", "a", "b"], "qid": ["1"] * 3, "docno": ["x", "y", "z"], "score": [3, 2, 1]})
    if name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        path.write_text(frame.write_csv(separator="\t" if "tsv" in name else ","))
    runs = read_runs(path)
    assert list(runs) == ["b", "a"]
    assert runs["b"].rows() == [("1", "x", 3.0), ("1", "z", 1.0)]
    first = 1 if name.endswith("parquet") else 2
    assert runs.sources[0].read(lines=True)["line"].to_list() == [first, first + 2]
    assert read_run(path, name="a").rows() == [("1", "y", 2.0)]
    with pytest.raises(InputError, match="one run is needed; the runs are b, a"):
        read_run(path)


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".parquet", ".run.gz", ".csv.zst", ".parquet.gz"])
def test_the_name_says_how_to_write(tmp_path: Path, suffix: str) -> None:
    qrels = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ['a"b', "#"], "relevance": [1, -1]})
    write_qrels(qrels, tmp_path / f"qrels{suffix}")
    assert read_qrels(tmp_path / f"qrels{suffix}").equals(qrels)
    run = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ['a"b', "#"], "score": [0.1, 1e-300]})
    write_run(run, tmp_path / f"run{suffix}")
    assert read_run(tmp_path / f"run{suffix}").equals(run)


def test_what_is_written_looks_as_expected(tmp_path: Path) -> None:
    qrels = pl.DataFrame({"query_id": ["1"], "doc_id": ['a"b'], "relevance": [1]})
    for name in ("q.csv", "q.tsv", "q.txt"):
        write_qrels(qrels, tmp_path / name)
    assert (tmp_path / "q.csv").read_bytes() == b'query_id,doc_id,relevance\n1,"a""b",1\n'
    assert (tmp_path / "q.tsv").read_bytes() == b'query_id\tdoc_id\trelevance\n1\ta"b\t1\n'
    assert (tmp_path / "q.txt").read_bytes() == b'1 0 a"b 1\n'


@pytest.mark.parametrize(("name", "bad"), [("q.tsv", "a\tb"), ("q.csv", "a\0b"), ("q.txt", "a b"), ("q.parquet", "")])
def test_ids_that_do_not_fit_are_not_written(tmp_path: Path, name: str, bad: str) -> None:
    qrels = pl.DataFrame({"query_id": ["1"], "doc_id": [bad], "relevance": [1]})
    with pytest.raises(InputError, match="doc_id"):
        write_qrels(qrels, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_exact_repeats_of_a_judgment_are_dropped() -> None:
    table = labels(pl.Series(["1", "2"]))
    assert table.to_list() == [1, 2]
    qrels = read_qrels([("1", "b", 1), ("1", "a", 0), ("1", "b", 1), ("0", "b", 2)])
    assert qrels.rows() == [("1", "b", 1), ("1", "a", 0), ("0", "b", 2)]


def test_quotes_are_characters_in_tables_by_topic_with_tabs(tmp_path: Path) -> None:
    """Two chunks of which the first opens a quote that the second closes are two; with commas they are one cell."""
    file = tmp_path / "chunks.tsv"
    file.write_text('topic\tdocument\ttext\n1\td1\t"Wings\n1\td2\tand tails"\n')
    rows = read_topic_table(file, "chunks").rows
    assert rows == ((2, ("1", "d1", '"Wings')), (3, ("1", "d2", 'and tails"')))
    file = file.with_suffix(".csv")
    file.write_text('topic,document,text\n1,d1,"Wings\nand, tails"\n')
    assert read_topic_table(file, "chunks").rows == ((3, ("1", "d1", "Wings\nand, tails")),)
