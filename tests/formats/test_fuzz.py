"""Whatever is read: tables or a refusal that names the file, and nothing else. Bytes are changed at random places."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main

TEXT = b"".join(b"40%d Q0 doc-%d %d %d.5 tag\n" % (t, d, d, 9 - d) for t in range(3) for d in range(4))
QRELS = b"".join(b"40%d 0 doc-%d %d\n" % (t, d, d % 3) for t in range(3) for d in range(4))
CSV = b"qid,docno,score\n" + b"".join(b'"40%d",doc-%d,%d\n' % (t, d, 9 - d) for t in range(3) for d in range(4))


def parquet() -> bytes:
    buffer = io.BytesIO()
    pl.read_csv(CSV).write_parquet(buffer)
    return buffer.getvalue()


FILES = {
    "run.txt": TEXT,
    "run.csv": CSV,
    "run.tsv": CSV.replace(b",", b"\t"),
    "run.txt.gz": gzip.compress(TEXT),
    "run.parquet": parquet(),
}
SCORES = json.dumps([{"run": "a", "topic": "1", "measure": "AP", "value": 0.5}]).encode()
ONCE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

HOW = st.sampled_from(["put", "cut", "drop", "twice"])
changes = st.lists(st.tuples(st.integers(0, 10_000), HOW, st.binary(min_size=1, max_size=6)), min_size=1, max_size=4)


def changed(data: bytes, what: list[tuple[int, str, bytes]]) -> bytes:
    """Put bytes over others, cut the end off, drop some, or have some twice."""
    for place, how, put in what:
        at = place % (len(data) + 1)
        if how == "put":
            data = data[:at] + put + data[at + len(put) :]
        elif how == "cut":
            data = data[:at]
        elif how == "drop":
            data = data[:at] + data[at + len(put) :]
        else:
            data = data[:at] + data[max(0, at - 9) :]
    return data


@pytest.mark.parametrize("name", FILES)
@ONCE
@given(changes)
@example([(0, "cut", b"x")])
def test_a_changed_run_is_read_or_refused(tmp_path: Path, name: str, what: list[tuple[int, str, bytes]]) -> None:
    path = tmp_path / name
    path.write_bytes(changed(FILES[name], what))
    try:
        table = cf.read_run(path)
    except cf.InputError as error:
        assert name in str(error)
        assert "\n" not in str(error)
    else:
        assert table.columns == ["query_id", "doc_id", "score"]
        assert table.null_count().sum_horizontal().item() == 0
        assert table["score"].is_nan().sum() == 0


@ONCE
@given(changes, st.booleans())
@example([], False)
@example([(0, "put", b"\0")], True)
@example([(2, "twice", b"x"), (9, "twice", b"x")], False)
def test_small_files_are_scored_and_refused_as_large_ones_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: list[tuple[int, str, bytes]], judgments: bool
) -> None:
    (tmp_path / "run.txt").write_bytes(TEXT if judgments else changed(TEXT, what))
    (tmp_path / "qrels.txt").write_bytes(changed(QRELS, what) if judgments else QRELS)
    said: list[object] = []
    for native, small in (("1", 1 << 18), ("0", 1 << 18), ("0", -1)):
        with monkeypatch.context() as patched:
            patched.setenv("CRANFIELD_NATIVE", native)
            patched.setattr("cranfield.formats.content.SMALL_FILE", small)
            try:
                said.append(cf.evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", ["AP", "nDCG", "Bpref"]))
            except cf.InputError as error:
                said.append(str(error))
    assert said[0] == said[1] == said[2]


@ONCE
@given(changes)
def test_changed_judgments_are_read_or_refused(tmp_path: Path, what: list[tuple[int, str, bytes]]) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(changed(QRELS, what))
    try:
        table = cf.read_qrels(path)
    except cf.InputError as error:
        assert "qrels.txt" in str(error)
    else:
        assert table.columns == ["query_id", "doc_id", "relevance"]


@ONCE
@given(changes)
def test_changed_scores_are_read_or_refused(tmp_path: Path, what: list[tuple[int, str, bytes]]) -> None:
    path = tmp_path / "scores.json"
    path.write_bytes(changed(SCORES, what))
    done = CliRunner().invoke(main, ["correlate", str(path)])
    assert done.exit_code in {0, 2}, done.stderr


FLAGS = ("--rel", "--depth", "--order", "--topics", "--missing", "-m", "--format", "--sort", "-o")
words = st.one_of(
    st.sampled_from(
        ["0", "1", "-1", "2.5", "nan", "1e9", "score", "all", "shared", "AP", "P@3", "csv", "nDCG@2,3", ""]
    ),
    st.text(st.characters(exclude_characters="/"), max_size=6),
)


@ONCE
@given(st.lists(st.tuples(st.sampled_from(FLAGS), words), max_size=4))
def test_any_options_are_taken_or_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[tuple[str, str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    (tmp_path / "run.txt").write_bytes(TEXT)
    given_ = [f"{flag}={word}" if flag.startswith("--") else f"{flag}{word}" for flag, word in options]
    done = CliRunner().invoke(main, ["evaluate", "qrels.txt", "run.txt", *given_])
    assert done.exit_code in {0, 2}, (given_, done.stderr)
    if done.exit_code == 2:
        assert done.stderr.startswith("cranfield: ")
        assert done.stderr.count("\n") == 1
    assert ((tmp_path / "qrels.txt").read_bytes(), (tmp_path / "run.txt").read_bytes()) == (QRELS, TEXT)
