"""Runs and qrels from wherever they come."""

from __future__ import annotations

import gzip
import io
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from cranfield.formats import Runs, ScoredDoc, read_qrels, read_run, read_runs, write_run
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [2.5]})
ROW = ("1", "a", 2.5)


def make(folder: Path, **runs: str) -> None:
    for name, text in runs.items():
        (folder / f"{name}.txt").write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path, b="1 Q0 a 1 2.5 b\n", a="1 Q0 a 1 2.5 a\n", c="1 Q0 a 1 2.5 c\n")
    return tmp_path


def test_files_globs_and_folders(folder: Path) -> None:
    assert list(read_runs(folder)) == ["a", "b", "c"]
    assert list(read_runs(folder / "c.txt", str(folder / "[ab].txt"))) == ["c", "a", "b"]
    assert list(read_runs([folder / "b.txt", str(folder / "a.txt")])) == ["b", "a"]
    source = read_runs(folder / "b.txt").sources[0]
    assert (source.name, source.origin, source.path) == ("b", str(folder / "b.txt"), folder / "b.txt")


def test_a_file_is_read_when_it_is_asked_for_and_each_time_anew(folder: Path) -> None:
    runs = read_runs(folder)
    make(folder, b="1 Q0 new 1 7 b\n")
    assert runs["b"].rows() == [("1", "new", 7.0)]
    make(folder, b="broken\n")
    assert list(runs) == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"b.txt, line 1: 1 column"):
        runs["b"]


@pytest.mark.parametrize(
    "source",
    [
        FRAME,
        FRAME.lazy(),
        {"1": {"a": 2.5}},
        [("1", "a", 2.5)],
        (ScoredDoc("1", "a", 2.5),),
        iter([("1", "a", 2.5)]),
        read_runs({"1": {"a": 2.5}}),
    ],
)
def test_whatever_it_is_made_of(source: Any) -> None:
    runs = read_runs(source)
    assert list(runs) == ["run"]
    assert runs["run"].rows() == [ROW]
    assert runs.sources[0].path is None


def test_named_runs_of_every_kind(folder: Path) -> None:
    runs = read_runs({"x": folder / "a.txt", "y": FRAME, "z": {"1": {"a": 2.5}}, "w": [("1", "a", 2.5)]})
    assert list(runs) == ["x", "y", "z", "w"]
    assert [table.rows() for table in runs.values()] == [[ROW]] * 4
    runs = read_runs({"y": {"1": {"a": 2.5}}, "z": {"1": {"b": 1.5}}})
    assert {name: table["doc_id"][0] for name, table in runs.items()} == {"y": "a", "z": "b"}
    with pytest.raises(InputError, match="3 files match, but only one can be the run 'x'"):
        read_runs({"x": folder})


def test_a_column_called_name_names_runs_unless_another_does(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0], "name": ["Lamp", "Sofa"]})
    frame.write_csv(tmp_path / "items.csv")
    for given in (frame, frame.to_pandas(), tmp_path / "items.csv"):
        assert [*read_runs(given)] == ["Lamp", "Sofa"]
        with pytest.raises(InputError, match="holds 2 runs, not the one run 'bm25'"):
            read_runs({"bm25": given})
    for better in ("run", "run_id", "system"):
        assert [*read_runs(frame.with_columns(pl.lit("bm25").alias(better)))] == ["bm25"]
    assert read_runs({"bm25": frame.drop("name")})["bm25"].height == 2


def test_unnamed_runs_are_numbered() -> None:
    assert list(read_runs(FRAME, {"1": {"a": 2.5}}, {"bm25": FRAME})) == ["run1", "run2", "bm25"]
    assert list(read_runs([FRAME, FRAME])) == ["run1", "run2"]


def test_two_runs_of_one_name(folder: Path) -> None:
    (folder / "a.run.gz").write_bytes(gzip.compress(b"1 Q0 a 1 2.5 a\n"))
    with pytest.raises(InputError) as caught:
        read_runs(folder)
    assert caught.value.source == str(folder / "a.txt")
    assert caught.value.problem == f"two runs are named 'a'; the first is {folder / 'a.run.gz'}"


def test_what_is_no_run() -> None:
    with pytest.raises(InputError, match="no run is given"):
        read_runs()
    with pytest.raises(InputError, match="tuples: is empty"):
        read_runs([])
    with pytest.raises(InputError, match="int cannot be read as a run"):
        read_runs(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="int cannot be read as qrels"):
        read_qrels(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"none.txt: no such file"):
        read_runs("none.txt")
    with pytest.raises(InputError, match=r"topic '2' needs a dict or list of documents, not 1.0"):
        read_qrels({"1": {"a": 1}, "2": 1.0})


def test_a_mapping_of_runs(folder: Path) -> None:
    runs = read_runs(folder)
    assert repr(runs) == "Runs(a, b, c)"
    assert len(runs) == 3
    assert "a" in runs
    assert "d" not in runs
    with pytest.raises(KeyError, match="d"):
        runs["d"]
    many = {f"r{i}": FRAME for i in range(7)}
    assert repr(read_runs(many)) == "Runs(r0, r1, r2, r3, r4, ... 2 more)"
    assert list(Runs([*runs.sources, *read_runs(FRAME).sources])) == ["a", "b", "c", "run"]


def test_one_run_of_several(folder: Path) -> None:
    assert read_run(folder / "a.txt").rows() == [ROW]
    assert read_run(folder, name="b").rows() == [ROW]
    with pytest.raises(InputError, match="there is no run 'd'; the runs are a, b, c"):
        read_run(folder, name="d")
    with pytest.raises(InputError, match="one run is needed; the runs are a, b, c"):
        read_run(folder)


def test_standard_input_is_read_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a 1 2.5 t\n")))
    source = read_runs("-").sources[0]
    assert (source.name, source.origin, source.path) == ("stdin", "standard input", None)
    assert source.read().rows() == [ROW]
    assert source.read(rank=True, lines=True).rows() == [("1", "a", 2.5, 1, 1)]
    assert source.tag() == "t"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 0 a 1\n1 0 a 2\n")))
    with pytest.raises(InputError, match="standard input, line 2: document a of topic 1 is judged twice: 1, then 2"):
        read_qrels("-")


@pytest.mark.parametrize(
    ("name", "text", "tag"),
    [
        ("a.txt", "1 Q0 a 1 2 old\n1 Q0 b 2 1 été\n", "été"),
        ("a.txt", "1 Q0 a 1 2 old\n1\tQ0  b 2 1 new and more\r\n\n \n", "new"),
        ("a.txt", "1 Q0 a 1 2 old\n# Q0 b 2 1 new\n", "old"),
        ("a.csv", "qid,docno,score\n1,a,2\n", "a"),
        ("a.txt", "broken\n", "a"),
    ],
)
def test_what_a_run_calls_itself(tmp_path: Path, name: str, text: str, tag: str) -> None:
    (tmp_path / name).write_bytes(text.encode())
    source = read_runs(tmp_path / name, comments=True).sources[0]
    assert (source.name, source.tag()) == ("a", tag)
    assert read_runs({"mine": FRAME}).sources[0].tag() == "mine"


def test_second_opinions_in_memory_name_the_row() -> None:
    with pytest.raises(InputError) as caught:
        read_qrels([("1", "a", 1), ("1", "b", 1), ("1", "a", 1), ("1", "b", 0)])
    assert str(caught.value) == "tuples: row 4: document b of topic 1 is judged twice: 1, then 0"


def test_a_source_can_be_sent_to_another_process(folder: Path) -> None:
    for source in (*read_runs(folder).sources, *read_runs(FRAME).sources):
        again = pickle.loads(pickle.dumps(source))  # noqa: S301 - our own
        assert again.read().rows() == [ROW]


def test_threads_read_files_at_once(folder: Path) -> None:
    runs = read_runs(folder)
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda source: source.read(), runs.sources * 10))
    assert [table.rows() for table in tables] == [[ROW]] * 30


def test_a_run_is_written_under_its_name(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run = read_run({"1": {"a": 0.1, "b": 2}})
    write_run(run, tmp_path / "bm25.txt.gz")
    assert gzip.decompress((tmp_path / "bm25.txt.gz").read_bytes()) == b"1 Q0 b 1 2.0 bm25\n1 Q0 a 2 0.1 bm25\n"
    write_run(run, "-", name="mine")
    assert capfdbinary.readouterr().out == b"1 Q0 b 1 2.0 mine\n1 Q0 a 2 0.1 mine\n"


def test_a_table_that_is_no_run_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bm25.txt: no column for score"):
        write_run(pl.DataFrame({"qid": ["1"], "docno": ["a"]}), tmp_path / "bm25.txt")
    with pytest.raises(InputError, match=r"bm25.txt: is empty"):
        write_run(pl.DataFrame({"qid": [], "docno": [], "score": []}), tmp_path / "bm25.txt")
    assert list(tmp_path.iterdir()) == []
