"""Files besides runs and judgments: each is read once, and what is wrong with one is said with its place."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield.cli import main
from cranfield.formats.files import keeping_streams, read_bytes
from cranfield.formats.json_text import loads
from cranfield.formats.loading import load
from cranfield.formats.text import DEEPEST_NESTING
from cranfield.plumbing.errors import InputError

SOURCE = Path(__file__).parents[2] / "src" / "cranfield"
QRELS, RUN = "1 0 a 1\n1 0 b 0\n", "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "r.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[" * 200_000, "f: not readable as JSON (lists or objects are nested more than 100 deep)"),
        (b"[" * 101 + b"]" * 101, "more than 100 deep"),
        (b'{"a": 1}\n' + b'{"a":' * 200_000, "f, line 2: not JSON (lists or objects are nested"),
        (b'{"a": 1}\n{"b": 1, "b": 2}\n', "f, line 2: not JSON ('b' occurs twice in one object)"),
        (b'{"a": 1}\n{"b": \n', "f, line 2: not JSON (Expecting value)"),
        (b'{\n "a": 1,\n "b"\n', "f, line 4: not JSON (Expecting ':' delimiter)"),
        (rb'{"a": "\ud800"}', r"\ud800 is half a character and cannot be part of an id"),
        (b'{"a": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
        (b"caf\xe9", "f, line 1: not UTF-8 text (byte 0xe9)"),
        (b"a\n\0", "f, line 2: not a text file (it holds a zero byte)"),
        (gzip.compress(b"{}" * 99, mtime=0)[:-9], "the gzip file is cut short"),
        (b" \n", "is empty"),
    ],
)
def test_json_that_cannot_be_read(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(InputError) as refused:
        load(tmp_path / "f").json()
    assert said in str(refused.value)
    assert len(str(refused.value)) - len(str(tmp_path)) < 200


def test_brackets_in_texts_are_no_lists() -> None:
    assert loads('{"a": "' + "[" * 500 + '", "b": "\\"{{{"}')["b"] == '"{{{'
    assert loads("[" * DEEPEST_NESTING + "]" * DEEPEST_NESTING)


def test_half_a_character_of_a_text_is_written_as_an_escape() -> None:
    assert loads(r'{"t\udc00": ["wings \ud83d", "\ud83d\ude00"]}', texts=True) == {r"t\udc00": [r"wings \ud83d", "😀"]}


@pytest.mark.parametrize("text", ["a = [1", "a = " + "[" * 5000, ".".join("a" * 5000) + " = 1\na = 2", "a = 1\na = 2"])
def test_toml_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "f.toml").write_text(text)
    with pytest.raises(InputError, match=r"f\.toml: is not (readable as )?TOML"):
        load(tmp_path / "f.toml").toml()


def test_a_long_cell_is_no_open_quote(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("a,b\n1," + "x" * 200_000 + "\n")
    with pytest.raises(InputError, match=r"line 2: a cell has more than 131,072 characters; is a quote left open\?"):
        load(tmp_path / "f.csv").rows(",")


def test_long_names_are_cut_in_a_message() -> None:
    error = InputError("document " + "d" * 1_000_000 + " is there twice", source="/folder" * 700 + "/x.csv", line=3)
    assert len(str(error)) < 300
    assert str(error).startswith("/folder/folder")
    assert str(error).endswith("ddd is there twice")


def test_a_command_reads_a_pipe_once(here: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"1,1\n")
    os.close(writer)
    with keeping_streams():
        assert read_bytes(f"/dev/fd/{reader}") == read_bytes(f"/dev/fd/{reader}") == b"1,1\n"
    assert read_bytes(f"/dev/fd/{reader}") == b""  # and nothing is kept for longer
    os.close(reader)


@pytest.mark.parametrize(
    "call", ["evaluate - -", "trec_eval - -", "evaluate qrels.txt - x=-", "evaluate - r.run --topics-file -"]
)
def test_the_standard_input_is_given_once(here: Path, call: str) -> None:
    done = CliRunner().invoke(main, call.split(), input=QRELS)
    assert done.exit_code in {1, 2}
    assert "the standard input (-) is given for " in done.stderr


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("evaluate qrels.txt r.run --topics-file - -m RR", "1\n"),
        ("evaluate qrels.txt r.run --costs - -m RR", "a 1\nb 2\n"),
        ("evaluate gt.jsonl - --docs docs.jsonl -m RR", RUN),
        ("check r.run --topics-file -", "1\n"),
        ("reconcile - qrels.txt r.run", "run,measure,value\nr,RR,0.5000\n"),
        ("reconcile 0.5000 - r.run -m RR", QRELS),
        ("select r.run --teams - --depth-by-priority 2", "r T 1\n"),
        ("compare --collections -", '[collections.x]\nqrels = "qrels.txt"\nruns = "*.run"\n'),
    ],
)
def test_side_inputs_come_through_the_standard_input(here: Path, call: str, given: str) -> None:
    (here / "docs.jsonl").write_text('{"id": "a", "text": "x"}\n')
    (here / "gt.jsonl").write_text('{"user_input": "1", "reference_contexts": ["x"]}\n')
    (here / "s.run").write_text(RUN.replace(" r", " s"))
    done = CliRunner().invoke(main, call.split(), input=given)
    assert done.exit_code == 0, done.stderr


def test_tables_and_settings_are_read_in_one_room() -> None:
    """What csv and tomllib read comes with the file and the line of what is wrong; so nobody else asks them."""
    asked = re.compile(r"csv\.(reader|DictReader)\(|import tomllib")
    found = {path for path in SOURCE.rglob("*.py") if asked.search(path.read_text(encoding="utf-8"))}
    assert {path.parent.name for path in found} == {"formats"}
