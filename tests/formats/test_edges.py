"""Names that are no text, pipes, bombs, odd Parquet: read as what they are, or refused in one line that names them."""

from __future__ import annotations

import gzip
import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from cranfield.formats import files, read_qrels, read_run, read_runs, write_run
from cranfield.formats.long_tables import read_table
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.escaping import printable, storable
from cranfield.stopping.cutting import files_for

RUN = "1 Q0 a 1 3.0 mine\n1 Q0 b 2 2.0 mine\n"
ROWS = [("1", "a", 3.0), ("1", "b", 2.0)]


def refused(do: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        do()
    assert "\n" not in str(error.value)
    return str(error.value)


# Names.


def test_a_name_that_is_no_text_is_written_with_escapes(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"r\xff.csv.gz")
    write_run(read_run([("1", "a", 3.0)]), path)
    [source] = read_runs(path).sources
    assert (source.name, source.read().rows()) == ("r\\xff", ROWS[:1])
    assert source.origin == f"{tmp_path}/r\\xff.csv.gz"
    assert files_for([source], Path("out")) == [Path("out", path.name)]
    assert list(read_runs(tmp_path)) == ["r\\xff"]
    assert list(read_runs({os.fsdecode(b"\xfe"): RUN_OF_ONE})) == ["\\xfe"]
    path.write_bytes(b"no run")
    assert refused(lambda: read_run(path)).startswith(f"{tmp_path}/r\\xff.csv.gz")


RUN_OF_ONE = {"1": {"a": 1.0}}


def test_a_message_tells_a_terminal_nothing_and_keeps_to_its_line() -> None:
    assert str(InputError("no \x1b[31m\n", source="a\x07.run")) == "a\\x07.run: no \\x1b[31m\\n"
    assert str(CranfieldError("é — Σ \u2028")) == "é — Σ \\u2028"
    assert printable(printable("\ud800\x9b")) == "\\ud800\\x9b"
    assert storable("a\nb") == "a\nb"


def test_ids_that_are_no_text() -> None:
    said = "the doc_id 'a\\udcff' cannot be written in UTF-8"
    assert refused(lambda: read_run({"1": {"a\udcff": 1.0}})) == f"dict: {said}"
    assert refused(lambda: read_qrels([("1", "a\udcff", 1)])) == f"tuples: {said}"


# What can be read only once.


@contextmanager
def piped(path: Path, content: bytes) -> Iterator[Path]:
    """A named pipe into which something is written, once."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    yield path
    writer.join(timeout=10)
    assert not writer.is_alive()


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_pipe_is_read_once_and_kept(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    with piped(tmp_path / "bm25.run", packed(RUN.encode())) as pipe:
        [source] = read_runs(pipe).sources
    assert (source.name, source.tag()) == ("bm25", "mine")
    assert source.read().rows() == source.read(lines=True).drop("line").rows() == ROWS


def test_a_pipe_of_several_runs(tmp_path: Path) -> None:
    with piped(tmp_path / "all.csv", b"run,qid,docno,score\nx,1,a,3\ny,1,b,2\n") as pipe:
        assert {name: table.rows() for name, table in read_runs(pipe).items()} == {"x": ROWS[:1], "y": ROWS[1:]}


def test_the_line_of_a_second_opinion_in_a_pipe(tmp_path: Path) -> None:
    with piped(tmp_path / "q", b"1 0 a 1\n1 0 b 1\n1 0 a 0\n") as pipe:
        assert refused(lambda: read_qrels(pipe)) == f"{pipe}, line 3: document a of topic 1 is judged twice: 1, then 0"


@pytest.mark.parametrize(
    ("content", "name"), [(RUN.encode(), "mine"), (b"qid,docno,score\n1,a,3\n", "run"), (b"1 Q0 a 1 3 \xc3\xa9", "é")]
)
def test_what_only_has_a_number_is_called_by_its_tag(content: bytes, name: str) -> None:
    read, write = os.pipe()
    os.write(write, content)
    os.close(write)
    [source] = read_runs(f"/dev/fd/{read}").sources
    os.close(read)
    assert (source.name, source.path) == (name, None)
    assert source.read().rows()[0] == ROWS[0]
    [file] = files_for([source], Path("out"))
    assert file == Path("out", f"{name}.txt")


# What is larger than it seems.


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_before_it_bursts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "bomb").write_bytes(pack(b"x" * 60_000_000))
    monkeypatch.setenv("CRANFIELD_MEMORY", "100M")
    said = refused(lambda: files.read_bytes(tmp_path / "bomb"))
    assert said.startswith(f"{tmp_path}/bomb: what it holds would take ")
    assert "(CRANFIELD_MEMORY=1G)" in said
    monkeypatch.setenv("CRANFIELD_MEMORY", "300M")
    assert len(files.read_bytes(tmp_path / "bomb")) == 60_000_000


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(10 << 30)
    monkeypatch.setenv("CRANFIELD_MEMORY", "1G")
    assert "large: reading it would take 50.0 GB of memory, and 1.0 GB may be used" in refused(
        lambda: read_run(tmp_path / "large")
    )


def test_a_long_text_takes_the_careful_road_only_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "line").write_bytes(b"1 Q0  a 1 x x\n" * 571_429)
    monkeypatch.setenv("CRANFIELD_MEMORY", "100M")
    assert "line: reading it line by line would take 122 MB" in refused(lambda: read_run(tmp_path / "line"))
    monkeypatch.setenv("CRANFIELD_MEMORY", "1G")
    assert "line, line 1: the score 'x' is not a number" in refused(lambda: read_run(tmp_path / "line"))


def test_archives_of_several_parts(tmp_path: Path) -> None:
    halves = RUN[:20].encode(), RUN[20:].encode()
    (tmp_path / "parts.gz").write_bytes(gzip.compress(halves[0]) + gzip.compress(halves[1]) + bytes(512))
    (tmp_path / "parts.zst").write_bytes(zstandard.compress(halves[0]) + zstandard.compress(halves[1]))
    for name in ("parts.gz", "parts.zst"):
        assert files.read_bytes(tmp_path / name) == RUN.encode()
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"rubbish")
        assert "damaged" in refused(lambda name=name: files.read_bytes(tmp_path / name))  # type: ignore[misc]


# Parquet.

COLUMNS = {"run": ["x", "x"], "qid": ["1", "1"], "docno": ["a", "b"], "score": [3.0, 2.0]}


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [
        ("run", [["x"], ["y"]], "line 1: the run is not an id: the column's values are of type List(String)"),
        ("run", [b"x", b"\xff"], "line 2: the run is not UTF-8 text"),
        ("run", ["x", ""], "line 2: the run is empty"),
        ("qid", [["1"], ["1"]], "line 1: the query_id is not an id: the column's values are of type List(String)"),
        ("docno", [b"a", b"b\xff"], "line 2: the doc_id is not UTF-8 text"),
        ("docno", [{"id": 1}, {"id": 2}], "line 1: the doc_id is not an id: the column's values are of type Struct"),
        ("score", [[3.0], [2.0]], "line 1: the score is not a number: the column holds List(Float64)"),
    ],
)
def test_columns_that_are_no_ids_or_numbers(tmp_path: Path, column: str, cells: list[object], said: str) -> None:
    file = tmp_path / "odd.parquet"
    pl.DataFrame(COLUMNS | {column: cells}).write_parquet(file)
    assert refused(lambda: read_runs(file)).startswith(f"{file}, {said}")


def test_binary_that_is_text(tmp_path: Path) -> None:
    pl.DataFrame(COLUMNS | {"docno": [b"a", b"b"]}).write_parquet(tmp_path / "run.parquet")
    assert read_run(tmp_path / "run.parquet").rows() == ROWS


def test_a_panic_is_an_error_and_keeps_off_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def panic(data: object) -> pl.DataFrame:
        os.write(2, b"thread '<unnamed>' panicked")
        raise pl.exceptions.PanicException("called `Option::unwrap()` on a `None` value\nnote: run with")

    file = tmp_path / "run.parquet"
    pl.DataFrame(COLUMNS).write_parquet(file)
    for name in ("scan_parquet", "read_parquet"):
        monkeypatch.setattr(pl, name, panic)
    problem = "not readable as a Parquet file (called `Option::unwrap()` on a `None` value)"
    assert refused(lambda: read_runs(file)) == f"{file}: {problem}"
    assert refused(lambda: read_table(file, "scores")) == f"{file}: {problem}"
    assert capfd.readouterr().err == ""


def test_a_parquet_file_that_is_cut_short_or_has_a_byte_flipped(tmp_path: Path) -> None:
    """What is damaged is refused by name, or cannot be told from another content: Parquet has no checksum."""
    table = pl.DataFrame({"qid": ["1"] * 9, "docno": list("abcdefghi"), "score": [float(9 - i) for i in range(9)]})
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    good, file = buffer.getvalue(), tmp_path / "run.parquet"
    flipped = [good[:i] + bytes([good[i] ^ 0xFF]) + good[i + 1 :] for i in range(0, len(good), 7)]
    for data in [good[:i] for i in range(0, len(good), 50)] + flipped:
        file.write_bytes(data)
        try:
            read_run(file)
        except InputError as error:
            assert str(error).startswith(str(file))


def test_a_count_that_would_make_polars_ask_for_all_memory_there_is(tmp_path: Path) -> None:
    """One bit turns a count of 300 into -301 (it is written as 2 * 300); polars ends the process then."""
    table = pl.DataFrame({"qid": ["1"] * 300, "docno": [f"d{i}" for i in range(300)], "score": [0.5] * 300})
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    good = buffer.getvalue()
    said = []
    for at in (at for at in range(len(good)) if good[at : at + 2] == b"\xd8\x04"):
        (tmp_path / "run.parquet").write_bytes(good[:at] + b"\xd9" + good[at + 1 :])
        with suppress(InputError):
            read_run(tmp_path / "run.parquet")
            continue
        said.append(refused(lambda: read_run(tmp_path / "run.parquet")).partition(": ")[2])
    assert said.count("not readable as a Parquet file (a page has an impossible size)") >= 3


def test_pages_of_other_writers(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow.parquet")
    table = pl.DataFrame({"qid": ["1"] * 300, "docno": [f"d{i}" for i in range(300)], "score": [0.5] * 300})
    options: list[dict[str, Any]] = [
        {"data_page_version": "2.0"},
        {"row_group_size": 70},
        {"write_page_index": True},
        {"data_page_size": 64},
    ]
    for option in options:
        arrow.write_table(table.to_arrow(), tmp_path / "run.parquet", **option)
        assert read_run(tmp_path / "run.parquet").height == 300
