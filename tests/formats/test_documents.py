"""Texts of documents: every format, packed or not; what is broken is refused with its line."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

import cranfield as cf
from cranfield.formats.documents import Document, Documents, first_words, read_documents

WINGS = Document("On wings", "Wings in a slipstream, 100% lift & <drag>")
TAIL = Document("", "A tail")

JSONL = (
    '{"doc_id": "d1", "title": "On wings", "text": "Wings in a slipstream, 100% lift & <drag>"}\n'
    "\n"
    '{"docno": "d2", "title": null, "contents": "A tail", "other": [1, 2]}\n'
)
SGML = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<HEADLINE>On wings</HEADLINE>\n<DATE>1958</DATE>\n"
    "<TEXT>Wings in a <i>slipstream</i>, 100% lift &amp; &lt;drag&gt;</TEXT>\n</DOC>\n"
    "<doc id='x'><docno>d2</docno>A tail</doc>\n"
)
CSV = 'docno,title,body\nd1,On wings,"Wings in a slipstream, 100% lift & <drag>"\nd2,,A tail\n'
TSV = "id\ttitle\ttext\nd1\tOn wings\tWings in a slipstream, 100% lift & <drag>\nd2\t\tA tail\n"
TEXTS = {"docs.jsonl": JSONL, "ft.sgml": SGML, "docs.csv": CSV, "docs.tsv": TSV}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("name", TEXTS)
def test_every_format_says_the_same(name: str, suffix: str, tmp_path: Path) -> None:
    found = read_documents(written(tmp_path, name + suffix, PACKED[suffix](TEXTS[name].encode())))
    assert dict(found) == {"d1": WINGS, "d2": TAIL}


def test_parquet(tmp_path: Path) -> None:
    table = pl.DataFrame({"_id": [2, 1], "text": ["A tail", None], "title": [None, "On wings"]})
    table.write_parquet(tmp_path / "docs.parquet")
    found = cf.read_documents(tmp_path / "docs.parquet")
    assert dict(found) == {"1": Document("On wings", ""), "2": TAIL}
    assert list(cf.read_documents(tmp_path / "docs.parquet", only=["2", "3"])) == ["2"]


def test_a_folder_has_a_document_a_file(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    page = "<html><head><title>On\nwings</title><style>p{}</style></head><body><h1>Wings</h1>"
    page += "in a<br>slipstream<script>if (a < b) alert('</p>')</script> &amp; tails</body></html>"
    written(tmp_path, "d1.html", page)
    written(tmp_path / "part", "d.2.txt.gz", gzip.compress(b"A <tail>"))
    written(tmp_path, ".hidden", "x")
    found = read_documents(tmp_path)
    assert dict(found) == {"d1": Document("On wings", page), "d.2": Document("", "A <tail>")}
    assert found["d1"].text == "Wings\nin a\nslipstream & tails"


PAGE = "<html><head><title>On\nwings &amp; tails</title></head><body><p>Wings lift.<p>Tails do not.</body></html>"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", json.dumps({"id": "d1", "text": PAGE})),
        ("d.jsonl", json.dumps({"id": "d1", "html": PAGE})),
        ("d.jsonl", json.dumps({"id": "d1", "html": PAGE.removeprefix("<html>")})),
        ("d.sgml", f"<DOC><DOCNO>d1</DOCNO><DOCHDR>http://wings.example</DOCHDR>{PAGE.replace('html', 'HTML')}</DOC>"),
        ("d.sgml", f"<DOC><DOCNO>d1</DOCNO><TEXT>\n{PAGE}</TEXT></DOC>"),
        ("d.csv", 'id,text\nd1,"' + PAGE + '"\n'),
    ],
)
def test_a_page_is_read_as_text_wherever_it_stands(name: str, content: str, tmp_path: Path) -> None:
    found = read_documents(written(tmp_path, name, content))
    assert (found["d1"].title, found["d1"].text) == ("On wings & tails", "Wings lift.\nTails do not.")
    assert "<p>Wings lift." in found["d1"].page
    assert found.titles.rows() == [("d1", "On wings & tails")]


def test_a_text_is_taken_before_a_page_and_a_title_that_is_given_before_its_own(tmp_path: Path) -> None:
    rows = [{"id": "d1", "text": "as text", "html": PAGE}, {"id": "d2", "title": "given", "html": PAGE}]
    found = read_documents(written(tmp_path, "d.jsonl", "\n".join(map(json.dumps, rows))))
    assert (found["d1"].text, found["d1"].page) == ("as text", "")
    assert found["d2"].title == "given"


def test_what_only_speaks_of_html_is_text(tmp_path: Path) -> None:
    text = "A page begins with <html>."
    assert read_documents(written(tmp_path, "d.jsonl", json.dumps({"id": "d1", "text": text})))["d1"].text == text


@pytest.mark.parametrize("piece", ["<", "<!--", "<a ", "<a b='", "</", "<?", "<script>", "<title></title ", "'\""])
def test_a_page_of_tags_that_never_end_is_read_at_once(piece: str) -> None:
    began = time.perf_counter()
    assert Document("", "<html>" + piece * (10**6 // len(piece))).text is not None
    assert time.perf_counter() - began < 5  # it takes a tenth of a second where nothing else is done


def test_tsv_without_a_header_is_id_and_text(tmp_path: Path) -> None:
    found = read_documents(written(tmp_path, "collection.tsv", '7\tsaid "no\n8\tyes, "\n'))
    assert dict(found) == {"7": Document("", 'said "no'), "8": Document("", 'yes, "')}


def test_only_those_that_are_wanted(tmp_path: Path) -> None:
    path = written(tmp_path, "docs.jsonl", JSONL)
    assert list(read_documents(path, only={"d2", "d9"})) == ["d2"]
    assert len(read_documents(path, only=[])) == 0


def test_half_a_character_is_written_as_an_escape(tmp_path: Path) -> None:
    found = read_documents(written(tmp_path, "d.jsonl", r'{"id": "d1", "text": "half \ud83d, whole \ud83d\ude00"}'))
    assert found["d1"].text == "half \\ud83d, whole \U0001f600"


def test_a_mapping() -> None:
    found = Documents.of([("b", "", "second", 1), ("a", "", "first", 2), ("b", "", "second", 3)], "here")
    assert list(found) == ["a", "b"]
    assert found.get("c") is None
    assert found.get("") is None
    assert "a" in found
    assert 1 not in found  # type: ignore[comparison-overlap]
    assert repr(found) == "Documents(2)"
    with pytest.raises(KeyError, match="c"):
        found["c"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("d.jsonl", JSONL + '{"doc_id": "d3", "text": "cut sh', "line 4: not JSON (Unterminated string starting at)"),
        ("d.jsonl", JSONL + '["d3", "text"]\n', 'line 4: each line should hold an object such as {"doc_id"'),
        ("d.jsonl", '{"text": "no id"}\n', "line 1: no doc_id (known as doc_id, docno, docid, "),
        ("d.jsonl", '{"id": "", "text": "x"}\n', "line 1: no doc_id (known as"),
        ("d.jsonl", '{"id": 1.5, "text": "x"}\n', "line 1: the doc_id is 1.5, not a text"),
        ("d.jsonl", '{"id": "1"}\n', "line 1: no text (known as text, contents, "),
        ("d.jsonl", '{"id": "1", "text": ["a"]}\n', 'line 1: the text is ["a"], not a text'),
        (
            "d.jsonl",
            JSONL + '{"id": "d2", "text": "other"}\n',
            "line 4: document d2 has two different texts",
        ),
        ("d.jsonl", "caf\xe9".encode("latin-1"), "line 1: not UTF-8 text (byte 0xe9)"),
        ("d.sgml", SGML + "<DOC><DOCNO>d3</DOCNO>", "line 8: a <DOC> without </DOC>"),
        ("d.sgml", "<DOC><DOCNO>d3</DOCNO>\n<DOC></DOC>", "line 1: a <DOC> without </DOC>"),
        ("d.sgml", "\n<DOC><TEXT>x</TEXT></DOC>", "line 2: a <DOC> without a <DOCNO>"),
        ("d.sgml", "<html></html>", "no <DOC>, so this is not TREC's SGML"),
        ("d.csv", "docno,text\nd1,a,b\n", "line 2: 3 cells instead of 2"),
        ("d.csv", "docno,text\n,a\n", "line 2: a document without an id"),
        ("d.csv", 'docno,text\nd1,"a\n', "line 2: the quoting is broken"),
        ("d.csv", "docno,words\nd1,a\n", "no column for text (known as text, contents, "),
        ("d.tsv", "7\tone\n8\ttwo\tthree\n", "line 2: 3 cells instead of 2"),
        ("d.parquet", b"PAR1", "not readable as a Parquet file"),
    ],
)
def test_what_is_broken_is_refused_with_its_line(name: str, content: str | bytes, problem: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(cf.InputError) as refusal:
        read_documents(path)
    assert str(refusal.value).startswith(str(path))
    assert problem in str(refusal.value)


def test_parquet_is_refused_by_row(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    pl.DataFrame({"docno": ["a", None], "text": ["x", "y"]}).write_parquet(path)
    with pytest.raises(cf.InputError, match="line 2: a document without an id"):
        read_documents(path)
    pl.DataFrame({"docno": ["a"], "text": [[1]]}).write_parquet(path)
    with pytest.raises(cf.InputError, match="the text is of type List"):
        read_documents(path)


def test_files_and_folders_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match="no such file"):
        read_documents(tmp_path / "docs.jsonl")
    with pytest.raises(cf.InputError, match="no document in this folder"):
        read_documents(tmp_path)
    written(tmp_path, "d1.txt", "caf\xe9".encode("latin-1"))
    with pytest.raises(cf.InputError, match=r"d1\.txt, line 1: not UTF-8 text"):
        read_documents(tmp_path)
    written(tmp_path, "d1.txt", "one")
    written(tmp_path, "d1.html", "two")
    with pytest.raises(cf.InputError, match="document d1 has two different texts"):
        read_documents(tmp_path)


def test_empty_and_huge_texts(tmp_path: Path) -> None:
    rows = [{"id": "empty", "text": ""}, {"id": "huge", "text": "word " * 200_000}, {"id": "one", "text": "x" * 10**6}]
    found = read_documents(written(tmp_path, "d.jsonl", "\n".join(map(json.dumps, rows))))
    assert found["empty"].beginning() == ""
    assert found["huge"].beginning(3) == "word word word …"
    assert found["one"].beginning(2) == "x" * 30 + " …"
    long = read_documents(written(tmp_path, "d.csv", "id,text\nhuge," + "word " * 200_000 + "\n"))
    assert len(long["huge"].text) == 10**6


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a b", 2, ("a b", False)),
        ("  a\n b  ", 2, ("a b", False)),
        ("a b c", 2, ("a b", True)),
        ("", 2, ("", False)),
    ],
)
def test_first_words(text: str, words: int, expected: tuple[str, bool]) -> None:
    assert first_words(text, words) == expected


@pytest.mark.integration
def test_a_hundred_thousand_documents_take_seconds(tmp_path: Path) -> None:
    text = "wings in a slipstream " * 20
    path = written(tmp_path, "d.jsonl", "".join(f'{{"id": "d{n}", "text": "{text}{n}"}}\n' for n in range(100_000)))
    began = time.perf_counter()
    found = read_documents(path)
    assert time.perf_counter() - began < 20  # it takes 1 or 2 where nothing else is done
    assert found["d77777"].text.endswith(" 77777")


def test_real_collections(data: Path) -> None:
    small = data / "small-collections"
    cranfield = read_documents(small / "cranfield" / "cran.all.1400.xml.gz")
    assert len(cranfield) == 1400
    assert cranfield["1"].title.startswith("experimental investigation of the aerodynamics of a")
    assert cranfield["1"].beginning(20).endswith("wing in a slipstream . an experimental study of a wing in a …")
    assert cranfield["471"].text == ""  # as it is in the collection
    medical = read_documents(small / "nfcorpus-test" / "d-collection.docs.gz", only=["MED-10"])
    assert medical["MED-10"].text.startswith("statin breast cancer survival nationwide cohort study finland")


def test_a_folder_is_not_left_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "secret.txt").write_text("a secret")
    (tmp_path / "docs" / "d1.txt").write_text("a text")
    (tmp_path / "docs" / "d2.txt").symlink_to(tmp_path / "docs" / "d1.txt")
    assert [*read_documents(tmp_path / "docs")] == ["d1", "d2"]
    (tmp_path / "docs" / "d3.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(cf.InputError, match=r"d3\.txt: is a link to a place outside its folder"):
        read_documents(tmp_path / "docs")
