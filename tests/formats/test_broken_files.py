"""Broken files: each gives one error, which names the file, the line where there is one, and what is wrong."""

from __future__ import annotations

import bz2
import gzip
import lzma
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from cranfield.formats import read_qrels, read_run
from cranfield.plumbing.errors import InputError
from cranfield.scoring.evaluation import evaluate

if TYPE_CHECKING:
    from pathlib import Path

RUN = b"401 Q0 d1 1 9.5 bm25\n"


@dataclass
class Broken:
    name: str
    data: bytes
    line: int | None
    problem: str


RUNS = [
    Broken("empty.txt", b"", None, "is empty: a run has at least one line"),
    Broken("blank.txt", b"\n \n\r\n\t\n", None, "is empty: a run has at least one line"),
    Broken("short.txt", RUN + b"401 Q0 d2 2 8.5\n", 2, "5 columns where run lines have 6"),
    Broken("nan.txt", RUN + RUN + b"401 Q0 d2 2 NaN x\n", 3, "the score 'NaN' is not a number"),
    Broken("text.txt", RUN + b"401 Q0 d2 2 high x\n", 2, "the score 'high' is not a number"),
    Broken("qrels.txt", b"401 0 d1 1\n", 1, "4 columns where run lines have 6"),
    Broken("binary.txt", RUN + b"\x00\x01\x02\xff\n", 2, "not a text file (it holds a zero byte)"),
    Broken("latin.txt", RUN + "401 Q0 caf\xe9 1 9.5 x\n".encode("latin-1"), 2, "not UTF-8 text (byte 0xe9)"),
    Broken("tag.txt", RUN + "401 Q0 d2 1 9.5 caf\xe9\n".encode("latin-1"), 2, "not UTF-8 text (byte 0xe9)"),
    Broken("utf16.txt", RUN.decode().encode("utf-16"), None, "UTF-16 text; convert the file to UTF-8"),
    Broken("packed.bz2", bz2.compress(RUN), None, "packed by bzip2; unpack it, or pack it by gzip or Zstandard"),
    Broken("packed.xz", lzma.compress(RUN), None, "packed by xz; unpack it, or pack it by gzip or Zstandard"),
    Broken("twice.gz.gz", gzip.compress(gzip.compress(RUN)), None, "packed twice; unpack it once"),
    Broken("table.arrow", b"ARROW1\0\0" + b"\x15" * 40, None, "an Arrow file; save the table as Parquet"),
    Broken("comment.txt", b"# ours\n" + RUN, 1, "; --comments, or comments=True, skips lines that begin with #"),
    Broken("mac.txt", b"401 Q0 d1 1 9 x\r401 Q0 d2 2 8 x\r", None, "lines end in a lone carriage return"),
    Broken("endless.txt", RUN + b"a" * 1_000_002, 2, "is longer than 1,000,000 bytes; is it line-based text?"),
    Broken("cut.txt.gz", gzip.compress(RUN * 9)[:-9], None, "the gzip file is cut short"),
    Broken("header.csv", b"qid,docno,score\n", None, "is empty: a run has at least one line"),
    Broken("column.csv", b"qid,score\n401,9.5\n", None, "no column for doc_id (known as doc_id, docno"),
    Broken(
        "column.tsv", b"qid\tdocno\ttext\n401\td1\tx\n", None, "columns found: qid ('401'), docno ('d1'), text ('x')"
    ),
    Broken("cells.csv", b"qid,docno,score\n1,d1,2\n1,d2\n", 3, "2 cells, but the header has 3"),
    Broken("cells.tsv", b"qid\tdocno\tscore\n1\td1\t2\n1\td2\t3\t4\n", 3, "4 cells, but the header has 3"),
    Broken("balanced.csv", b"qid,docno,score\n1,d1,2,3\n1,d2\n", 2, "4 cells, but the header has 3"),
    Broken("score.csv", b"qid,docno,score\n\n1,d1,2\n1,d2,x\n", 4, "the score 'x' is not a number"),
    Broken("quoted.csv", b'qid,docno,score\n1,"a\nb",2\n1,d2,x\n', 4, "the score 'x' is not a number"),
    Broken("gap.csv", b"qid,docno,score\n1,d1,2\n1,d2,\n", 3, "the score is missing"),
    Broken("no-id.csv", b"qid,docno,score\n1,d1,2\n1,,3\n", 3, "the doc_id is missing"),
    Broken("quotes.csv", b'qid,docno,score\n1,"d1,2\n1,d2,3\n', 3, "the quoting is broken"),
    Broken("text.parquet", RUN, None, "not readable as a Parquet file"),
    Broken("cut.parquet", b"PAR1" + b"\x15" * 40, None, "not readable as a Parquet file"),
    Broken("cut.bin", b"PAR1" + b"\x15" * 40, None, "not readable as a Parquet file"),
]

QRELS = [
    Broken("comment.txt", b"401 0 d1 1\n#402\n", 2, "--comments, or comments=True, skips lines that begin with #"),
    Broken("empty.txt", b"", None, "is empty: a qrels has at least one line"),
    Broken("short.txt", b"401 0 d1 1\n401 0 d2\n", 2, "3 columns where qrels lines have 4"),
    Broken("nan.txt", b"401 0 d1 1\n401 0 d2 nan\n", 2, "the label 'nan' is not a number"),
    Broken(
        "twice.txt", b"401 0 d1 1\n\n402 0 d1 0\n401 0 d1 1\n401  0 d1 0\n", 5, "document d1 of topic 401 is judged"
    ),
    Broken("twice.csv", b"qid,docno,rel\n1,d1,0\n1,d2,1\n1,d1,0.5\n", 4, "is judged twice: 0.0, then 0.5"),
    Broken("label.csv", b"qid,docno,rel\n1,d1,0\n1,d2,yes\n", 3, "the label 'yes' is not a number"),
]


def check(error: InputError, path: Path, broken: Broken) -> None:
    assert error.source == str(path)
    assert error.line == broken.line
    assert broken.problem in error.problem
    assert "\n" not in str(error)


@pytest.mark.parametrize("broken", RUNS, ids=lambda broken: broken.name)
def test_broken_runs(tmp_path: Path, broken: Broken) -> None:
    path = tmp_path / broken.name
    path.write_bytes(broken.data)
    with pytest.raises(InputError) as caught:
        read_run(path)
    check(caught.value, path, broken)


@pytest.mark.parametrize("broken", QRELS, ids=lambda broken: broken.name)
def test_broken_qrels(tmp_path: Path, broken: Broken) -> None:
    path = tmp_path / broken.name
    path.write_bytes(broken.data)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    check(caught.value, path, broken)


def test_a_folder_is_no_qrels(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file"):
        read_qrels(tmp_path)


def test_a_broken_file_that_is_read_by_parts_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "b.parquet"
    path.write_bytes(b"PAR1junk")
    with pytest.raises(InputError) as caught:
        evaluate({"1": {"a": 1}}, path, "AP")
    assert str(caught.value).count("b.parquet") == 1
