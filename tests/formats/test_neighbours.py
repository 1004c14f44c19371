"""What users bring from other libraries is read as it is meant, or refused in one line that says what is right."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.formats import read_qrels, read_run, read_runs
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROWS = [("1", "b", 2.5), ("1", "a", 1.0)]
TABLE = pa.table({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.5, 1.0]})
TREC = "1 Q0 b 1 2.5 tagged\n1 Q0 a 2 1.0 tagged\n"
RECORDS: list[dict[str, Any]] = [{"qid": 1, "docno": "b", "score": 2.5}, {"qid": 1, "docno": "a", "score": 1}]


class Ranx:
    """A Run or Qrels as ranx has it: a mapping by its kind, a name, and a way to have it as dicts."""

    def __init__(self, kind: str, values: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.name = name
        setattr(self, kind, values)
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, topic: str) -> Mapping[str, float]:
        return self._values[topic]

    def keys(self) -> Any:
        return self._values.keys()

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self._values


def _batches(relation: Any) -> Any:
    """Return duckdb's reader of batches, which had another name once."""
    return relation.to_arrow_reader() if hasattr(type(relation), "to_arrow_reader") else relation.fetch_arrow_reader()


ONE_RUN: dict[str, Callable[[], Any]] = {
    "pyarrow's table": lambda: TABLE,
    "pyarrow's batch": lambda: TABLE.to_batches()[0],
    "pyarrow's reader of batches": lambda: pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
    "duckdb's reader of batches": lambda: _batches(duckdb.from_arrow(TABLE)),
    "open text": lambda: io.StringIO(TREC),
    "open bytes": lambda: io.BytesIO(TREC.encode()),
    "open bytes, packed": lambda: io.BytesIO(gzip.compress(TREC.encode())),
    "open Parquet": lambda: io.BytesIO(_parquet()),
    "records": lambda: RECORDS,
    "a generator of records": lambda: (record for record in RECORDS),
    "columns": lambda: {"qid": [1, 1], "docno": ["b", "a"], "score": np.array([2.5, 1.0])},
    "pairs by topic": lambda: {"1": [("b", 2.5), ("a", 1.0)]},
    "pairs as JSON has them": lambda: {"1": [["b", 2.5], ["a", 1]]},
    "pairs of topics and dicts": lambda: [("1", {"b": 2.5, "a": 1.0})],
    "an array of rows": lambda: np.array([("1", "b", 2.5), ("1", "a", 1.0)], dtype=object),
    "a generator of tuples": lambda: (row for row in ROWS),
    "ranx' run": lambda: Ranx("run", {"1": {"b": 2.5, "a": 1.0}}),
}


def _parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame(TABLE).write_parquet(file)
    return file.getvalue()


@each_of("given", ONE_RUN.values())
def test_a_run_in_every_shape(given: Callable[[], Any]) -> None:
    assert read_run(given()).rows() == ROWS
    assert list(read_runs({"mine": given()})) == ["mine"]
    assert cf.evaluate({"1": {"a": 1}}, given(), "RR").averages.tolist() == [[0.5]]


@pytest.mark.parametrize(
    "given",
    [
        pa.table({"qid": ["1", "1"], "docno": ["b", "a"], "label": [2, 0]}).to_batches()[0],
        [{"qid": 1, "docno": "b", "label": 2}, {"qid": 1, "docno": "a", "label": 0}],
        {"qid": [1, 1], "docno": ["b", "a"], "relevance": [2, 0]},
        {"1": [("b", 2), ("a", 0)]},
        [("1", {"b": 2, "a": 0})],
        Ranx("qrels", {"1": {"b": 2, "a": 0}}),
    ],
    ids=["batch", "records", "columns", "pairs", "pairs of topics", "ranx' qrels"],
)
def test_qrels_in_every_shape(given: Any) -> None:
    assert read_qrels(given).rows() == [("1", "b", 2), ("1", "a", 0)]


def test_open_qrels() -> None:
    text = "1 0 b 2\n1 0 a 0\n"
    for file in (io.StringIO(text), io.BytesIO(text.encode()), io.BytesIO(gzip.compress(text.encode()))):
        assert read_qrels(file).rows() == [("1", "b", 2), ("1", "a", 0)]
    with pytest.raises(InputError, match=r"^an open file, line 2: document b of topic 1 is judged twice: 2, then 0$"):
        read_qrels(io.StringIO("1 0 b 2\n1 0 b 0\n"))


def test_an_open_file_is_called_by_its_name_or_by_its_tag(tmp_path: Path) -> None:
    path = tmp_path / "bm25.txt.gz"
    path.write_bytes(gzip.compress(TREC.encode()))
    with path.open("rb") as packed, gzip.open(path) as unpacked, gzip.open(path, "rt") as text:
        for file in (packed, unpacked, text):
            [source] = read_runs(file).sources
            assert (source.name, source.tag(), source.read().rows()) == ("bm25", "tagged", ROWS)
    assert list(read_runs(io.StringIO(TREC), {"mine": io.StringIO(TREC)})) == ["tagged", "mine"]
    with tempfile.TemporaryFile("w+") as file:  # of which the name is a number
        file.write(TREC)
        file.seek(0)
        assert list(read_runs(file)) == ["tagged"]
    csv = io.BytesIO(b"qid,docno,score,run\n1,a,2,x\n1,a,1,y\n")
    assert list(read_runs(csv)) == ["x", "y"]


@pytest.mark.parametrize(
    "given",
    [{"1": ["z", "a"], "2": []}, [("1", ["z", "a"]), ("2", [])], {"1": np.array(["z", "a"]), "2": ()}],
    ids=["dict", "pairs", "arrays"],
)
def test_ranked_lists_keep_their_order(given: Any) -> None:
    [source] = read_runs(given).sources
    assert source.read().rows() == [("1", "z", 2.0), ("1", "a", 1.0)]
    assert source.empty_topics == ("2",)
    assert cf.evaluate({"1": {"a": 1}, "2": {"a": 1}}, given, "RR").values.tolist() == [[[0.5, 0.0]]]


def test_several_runs_of_ranked_lists() -> None:
    runs = read_runs({"one": {"1": ["a", "b"]}, "two": {"1": {"b": 1.0}}, "three": [("1", "c", 0.5)]})
    assert {name: table.rows() for name, table in runs.items()} == {
        "one": [("1", "a", 2.0), ("1", "b", 1.0)],
        "two": [("1", "b", 1.0)],
        "three": [("1", "c", 0.5)],
    }


def test_ids_that_are_numbers_in_ranked_lists() -> None:
    assert read_run({7: [30, 20]}).rows() == [("7", "30", 2.0), ("7", "20", 1.0)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_ranks_without_scores_order_a_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    frame = make({"qid": ["1", "1", "1"], "docno": ["b", "c", "a"], "rank": [1, 0, 2]})
    assert cf.evaluate({"1": {"b": 1}}, frame, "RR").averages.tolist() == [[0.5]]
    assert cf.evaluate({"1": {"b": 1}}, frame, "RR", order="rank").averages.tolist() == [[0.5]]
    assert read_run(frame).rows() == [("1", "b", -1.0), ("1", "c", 0.0), ("1", "a", -2.0)]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_ranks_without_scores_order_a_file(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"qid": ["1", "1"], "docno": ["b", "c"], "rank": [2, 1]})
    path = tmp_path / f"run{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if suffix == ".tsv" else ",")
    assert read_run(path).rows() == [("1", "b", -2.0), ("1", "c", -1.0)]
    assert cf.evaluate({"1": {"b": 1}}, path, "RR", order="rank").averages.tolist() == [[0.5]]


def test_pyterriers_column_of_names_tells_runs_apart() -> None:
    frame = pd.DataFrame({
        "name": ["bm25", "dph"], "qid": ["1", "1"], "docno": ["a", "a"], "rank": [0, 0], "score": [2.0, 1.0],
    })  # fmt: skip
    assert list(read_runs(frame)) == ["bm25", "dph"]
    assert list(read_runs(frame.to_dict("records"))) == ["bm25", "dph"]


def test_several_runs_as_batches_and_open_files() -> None:
    batch = TABLE.to_batches()[0]
    assert [table.rows() for table in read_runs([batch, batch]).values()] == [ROWS, ROWS]
    assert list(read_runs([io.StringIO(TREC), batch])) == ["tagged", "run"]


def test_runs_of_ranx_bring_their_names() -> None:
    bm25, nameless = Ranx("run", {"1": {"a": 1.0}}, "bm25"), Ranx("run", {"1": {"a": 1.0}})
    assert list(read_runs(bm25)) == ["bm25"]
    assert list(read_runs([bm25, nameless])) == ["bm25", "run"]
    assert list(read_runs({"mine": bm25})) == ["mine"]


PASSAGES = [("1", "a", 1.0), ("1", "b", 3.0), ("1", "a", 2.5), ("2", "a", 1.0)]


@pytest.mark.parametrize(("repeated", "score"), [("max", 2.5), ("first", 1.0), ("sum", 3.5)])
def test_passages_become_documents(repeated: Any, score: float, tmp_path: Path) -> None:
    expected = [("1", "a", score), ("1", "b", 3.0), ("2", "a", 1.0)]
    assert read_runs(PASSAGES, repeated=repeated)["run"].rows() == expected
    (tmp_path / "run.txt").write_text("".join(f"{t} Q0 {d} {i} {s} x\n" for i, (t, d, s) in enumerate(PASSAGES)))
    runs = read_runs(tmp_path / "run.txt", repeated=repeated)
    assert runs["run"].rows() == expected
    found = cf.evaluate({"1": {"a": 1}}, runs, "RR", bounds=True)
    assert found.averages.tolist() == [[1.0 if repeated == "sum" else 0.5]]
    assert cf.evaluate({"1": {"a": 1}}, runs, "RR", order="rank").averages.tolist() == [[1.0]]


def test_passages_are_refused_where_nothing_is_said() -> None:
    with pytest.raises(
        InputError, match=r"tuples: row 3: document 'a' is retrieved twice .* --repeated max, or repeated='max'"
    ):
        cf.evaluate({"1": {"a": 1}}, PASSAGES, "RR")
    with pytest.raises(InputError, match=r"^repeated must be 'refuse' or 'max' or 'first' or 'sum', not 'last'$"):
        read_runs(PASSAGES, repeated="last")  # type: ignore[arg-type]


def test_passages_are_evaluated_compared_and_joined_where_it_is_said_how(tmp_path: Path) -> None:
    """Document a scores 2 and 0.5, b 1: by the highest score a is first; by the sum, too; by itself, b is second."""
    passages, qrels = [("1", "a", 0.5), ("1", "b", 1.0), ("1", "a", 2.0)], {"1": {"a": 1}}
    first = {"max": 1.0, "sum": 1.0, "first": 0.5}
    for repeated, value in first.items():
        assert cf.evaluate(qrels, passages, "RR", repeated=repeated).averages.tolist() == [[value]]  # type: ignore[arg-type]
        assert cf.Evaluator(qrels, "RR", repeated=repeated)(passages).averages.tolist() == [[value]]  # type: ignore[arg-type]
    curve = cf.curve(qrels, passages, "P", last_rank=2, repeated="max")
    assert curve.values.tolist() == [[[1.0, 0.5]]]
    run, judged = tmp_path / "passages.run", tmp_path / "qrels.txt"
    run.write_text("".join(f"{topic} Q0 {document} 1 {score} x\n" for topic, document, score in passages))
    judged.write_text("1 0 a 1\n")
    done = CliRunner().invoke(main, ["evaluate", str(judged), str(run), "-m", "RR", "--repeated", "max"])
    assert done.stdout == "run           RR\npassages  1.0000\n"


def _closed() -> io.StringIO:
    file = io.StringIO(TREC)
    file.close()
    return file


def _write_only(path: Path) -> Any:
    return path.open("w")


STRANGE: dict[str, tuple[Callable[[], Any], str]] = {
    "None": (lambda: None, "NoneType cannot be read as a run; give a path or an open file, a DataFrame"),
    "bytes": (TREC.encode, "bytes cannot be read as a run"),
    "a function": (lambda: print, "builtin_function_or_method cannot be read as a run"),
    "a Series of pandas'": (lambda: pd.Series([1, 2]), "Series cannot be read as a run"),
    "a Series of polars'": (lambda: pl.Series([1, 2]), "Series cannot be read as a run"),
    "the text of a run": (lambda: TREC, "this is text, not a path; give io.StringIO(text)"),
    "a string that is no path": (lambda: "no run of mine", "no run of mine: no such file"),
    "a generator that was gone through": (lambda: iter(()), "tuples: is empty: a run has at least one document"),
    "a file that is closed": (_closed, "an open file: I/O operation on closed file"),
    "a set for a topic": (
        lambda: {"1": {"a"}},
        "dict: topic '1' needs a dict or list of documents, not {'a'}; a set",
    ),
    "None for a topic": (lambda: {"1": None}, "dict: topic '1' needs a dict or list of documents, not None"),
    "None for a score": (
        lambda: {"1": {"a": None}},
        "dict: row 1 (topic 1, document a): the score None is not a number",
    ),
    "an array for a score": (
        lambda: {"1": {"a": np.zeros(2)}},
        "dict: row 1 (topic 1, document a): the score array([0., 0.]) is not a number",
    ),
    "a list and None": (lambda: {"1": ["a"], "2": None}, "dict: topic '2' needs a dict or list of documents, not None"),
    "a number among documents": (lambda: {"1": ["a", 2.5]}, "dict: the doc_id 2.5 is not an id: give a string"),
    "pairs and ids": (lambda: {"1": [("a", 1), "b"]}, "dict: the doc_id ('a', 1) is not an id: give a string"),
    "a topic twice": (lambda: [("1", ["a"]), ("1", ["b"])], "pairs: '1' occurs twice"),
    "records and something else": (lambda: [*RECORDS, 3], "records: row 3 is not a dict, unlike those before it"),
    "records without scores": (lambda: [{"qid": 1, "docno": "a"}], "DataFrame: no column for score (known as"),
    "records of odd scores": (
        lambda: [{**RECORDS[0], "score": "x"}],
        "DataFrame: row 1 (topic 1, document b): the score 'x' is not a number",
    ),
    "records of mixed kinds": (
        lambda: [RECORDS[0], {**RECORDS[1], "score": "x"}],
        "records: the column score holds values of several types: float, str",
    ),
    "columns of two lengths": (
        lambda: {"qid": [1, 2], "docno": ["a"], "score": [1]},
        "columns: are of different lengths: 1, 2",
    ),
    "an array of numbers": (lambda: np.zeros((2, 3)), "an array of numbers does not name topics and documents"),
    "a nested frame": (
        lambda: pd.DataFrame({"qid": ["1"], "docno": [["a", "b"]], "score": [1.0]}),
        "DataFrame: row 1 (topic 1): the doc_id is not an id: the column's values are of type List(String)",
    ),
    "a column of Arrow's": (lambda: pa.array([1, 2]), "Int64Array cannot be read as a run"),
    "an array without an axis": (lambda: np.array(3), "an array of numbers does not name topics and documents"),
    "a long row": (lambda: [["a" * 1000]], f"tuples: ['{'a' * 55}... is not a tuple of query_id, doc_id, score"),
    "a column in a list": (lambda: [pd.Series([1])], "tuples: 0 1 dtype: int64 is not a tuple of"),
}


@each_of("what", STRANGE)
def test_what_is_no_run_is_refused_in_one_line(what: str) -> None:
    given, told = STRANGE[what]
    with pytest.raises(InputError) as refused:
        read_run(given())
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)


def test_documents_without_grades_stand_beside_none_with_grades() -> None:
    assert read_qrels({"1": ["a", "b"]}).rows() == [("1", "a", 1), ("1", "b", 1)]
    with pytest.raises(InputError, match=r"^dict: topic '1' has documents without grades: give \{document: grade\}$"):
        read_qrels({"1": ["a", "b"], "2": {"a": 2}})


def test_a_dict_of_columns_is_judgments_in_an_evaluation() -> None:
    judged = {"qid": ["1", "1"], "docno": ["a", "b"], "relevance": [0, 1]}
    assert cf.evaluate(judged, {"1": ["a", "b"]}, "RR").averages.tolist() == [[0.5]]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with _write_only(tmp_path / "run.txt") as file, pytest.raises(InputError, match=r"run\.txt: not readable"):
        read_runs(file)
    (tmp_path / "latin").write_bytes("1 Q0 é 1 2 x\n".encode("latin-1"))
    with (tmp_path / "latin").open(encoding="utf-8") as file, pytest.raises(InputError, match=r"latin: 'utf-8' codec"):
        read_runs(file)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TREC.encode())[:-9])
    with (
        gzip.open(tmp_path / "cut.gz") as packed,
        pytest.raises(InputError, match=r"cut\.gz: cannot be read: Comp"),
    ):
        read_runs(packed)
    with pytest.raises(InputError, match=r"^an open file: is empty: a run has at least one line$"):
        read_run(io.StringIO(""))


def test_records_may_say_more_than_the_first() -> None:
    """What a later record says is not passed over: the first lacks a score, and that is said."""
    records: list[dict[str, Any]] = [{"qid": "1", "docno": "a"}, {"qid": "1", "docno": "b", "score": 2.0}]
    with pytest.raises(InputError, match=r"row 1 \(topic 1, document a\): the score is missing"):
        read_run(records)
    records[0] |= {"score": 1.0}
    assert read_run([*records, {"note": "late", **records[0], "docno": "c"}]).rows() == [
        ("1", "a", 1.0), ("1", "b", 2.0), ("1", "c", 1.0),
    ]  # fmt: skip
