"""JSON and MS MARCO's three columns: what is read is what was written, and what is broken says where."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import json_text, msmarco, read_qrels, read_run, read_runs, write_qrels, write_run
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.formats.dicts import from_dict
from cranfield.plumbing.errors import InputError

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
NESTED = st.dictionaries(
    IDS, st.dictionaries(IDS, st.floats(allow_nan=False, allow_infinity=False), min_size=1), min_size=1
)


def text_of(nested: object) -> bytes:
    return json.dumps(nested, indent=1).encode()


@given(NESTED)
def test_dicts_come_back_from_json_as_they_were(nested: dict[str, dict[str, float]]) -> None:
    table = from_dict(nested, RUN_KIND)[0]
    assert json_text.read(text_of(nested), RUN_KIND, source="x.json").equals(table)
    written = json_text.write(table, RUN_KIND, source="x.json", name="x")
    assert json_text.recognises(written, "x")
    assert (
        json_text.read(written, RUN_KIND, source="x.json")
        .sort("query_id", "doc_id")
        .equals(table.sort("query_id", "doc_id"))
    )
    small = json_text.read_small(written, RUN_KIND)
    assert small is None or from_dict(small, RUN_KIND)[0].sort("query_id", "doc_id").equals(
        table.sort("query_id", "doc_id")
    )


def test_ids_are_text(tmp_path: Path) -> None:
    qrels = {"NA": {"001": 2, "null": 0}, "é": {"#7": -1}}
    write_qrels(read_qrels(qrels), tmp_path / "qrels.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "qrels.json.gz").read_bytes())) == qrels
    table = read_qrels(tmp_path / "qrels.json.gz")
    assert table.rows() == [("NA", "001", 2), ("NA", "null", 0), ("é", "#7", -1)]
    assert table["relevance"].dtype == pl.Int64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "x.json: is empty"),
        ("{", "x.json, line 1: not JSON (Expecting property name"),
        ('{"1":\n {"a": 0.5,}}', "x.json, line 2: not JSON"),
        ('{"1": {"a": 0.5}}\n{"1": oops}', "x.json, line 2: not JSON"),
        ('{"1": {"a": 0.5, "a": 0.6}}', "'a' occurs twice in one object"),
        ('{"1": {"a": 0.5}, "1": {"b": 0.6}}', "'1' occurs twice in one object"),
        ('{"1": {"a": NaN}}', "the score is not a number (NaN)"),
        ('{"1": {"a": "high"}}', "the score 'high' is not a number"),
        ('{"1": {"a": null}}', "the score None is not a number"),
        ('{"1": {"": 0.5}}', "the doc_id is empty"),
        ('{"1": 0.5}', "give {topic: {document: score}}"),
        ('["a", "b"]', "'a' is not a tuple of query_id, doc_id, score"),
        ("7", "int cannot be read as a run"),
        ("[" * 100_000, "not readable as JSON"),
        ('[{"run": "a", "topic": "all", "measure": "AP", "value": 0.5}]', "no column for doc_id"),
    ],
)
def test_what_is_broken_says_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError) as refused:
        read_run(tmp_path / "x.json")
    assert said in str(refused.value)
    assert "x.json" in str(refused.value)


def test_what_does_not_fit_json_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an infinite score does not fit JSON"):
        write_run(read_run({"1": {"a": float("inf")}}), tmp_path / "x.json")
    sample = pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "stratum": ["s"]})
    with pytest.raises(InputError, match="strata do not fit JSON"):
        write_qrels(sample, tmp_path / "x.json")
    assert not [*tmp_path.iterdir()]


def test_a_topic_for_which_nothing_was_retrieved_is_one(tmp_path: Path) -> None:
    nested = {"1": {"a": 0.5}, "2": {}}
    (tmp_path / "x.json").write_bytes(text_of(nested))
    assert read_runs(tmp_path / "x.json").sources[0].empty_topics == ("2",)
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    from_file, from_memory = (cf.evaluate(qrels, {"x": run}, "RR") for run in (tmp_path / "x.json", nested))
    assert from_file.present.tolist() == from_memory.present.tolist() == [[True, True]]


def test_the_rank_of_records_is_there_when_it_is_asked_for(tmp_path: Path) -> None:
    rows = [{"qid": "1", "docno": d, "rank": rank, "score": 1} for rank, d in enumerate("ba", start=1)]
    (tmp_path / "x.json").write_bytes(text_of(rows))
    assert cf.evaluate({"1": {"a": 1}}, tmp_path / "x.json", "RR", order="rank")["x", "RR"] == 1 / 2
    assert cf.evaluate({"1": {"b": 1}}, tmp_path / "x.json", "RR")["x", "RR"] == 1.0  # of ties the last id is first
    (tmp_path / "y.json").write_bytes(text_of({"1": {"a": 1}}))
    with pytest.raises(InputError, match=r"y.json: has no rank column"):
        cf.evaluate({"1": {"a": 1}}, tmp_path / "y.json", "RR", order="rank")


def test_three_columns_are_ranks_and_four_are_qrels(tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_bytes(b"7\tx\t1\r\n7\ta\t2\r\n8\ta\t1\r\n\r\n")
    (tmp_path / "qrels.dev.tsv").write_text("7\t0\ta\t1\n8\t0\tb\t1\n")
    assert read_qrels(tmp_path / "qrels.dev.tsv").rows() == [("7", "a", 1), ("8", "b", 1)]
    runs = read_runs(tmp_path / "dev.tsv")
    assert (list(runs), runs["dev"].rows()) == (["dev"], [("7", "x", -1.0), ("7", "a", -2.0), ("8", "a", -1.0)])
    assert runs.sources[0].read(rank=True, lines=True).rows()[0] == ("7", "x", -1.0, 1, 1)
    assert cf.check(tmp_path / "dev.tsv").to_polars().is_empty()
    for order in ("score", "rank", "file"):
        assert cf.evaluate(tmp_path / "qrels.dev.tsv", runs, "RR@10", order=order)["dev", "RR@10"] == (1 / 2 + 0) / 2


@pytest.mark.parametrize("scores", [(3, 2, 1), (1, 1, 1), (1, 3, 2)])
def test_a_third_column_that_does_not_rise_is_not_guessed_at(scores: tuple[int, ...]) -> None:
    lines = "".join(f"7 d{i} {score}\n" for i, score in enumerate(scores))
    with pytest.raises(InputError, match=r"x.txt, line [23]: three columns are read as topic, doc and rank"):
        msmarco.read(lines.encode(), RUN_KIND, source="x.txt")


def test_a_line_of_other_columns_far_below_is_named() -> None:
    lines = "".join(f"7 d{rank} {rank}\n" for rank in range(1, 10_000))
    data = (lines + "7 d10000\n").encode()
    assert msmarco.recognises(data, "")
    with pytest.raises(InputError, match=r"x.txt, line 10000: 2 columns, but the lines before have 3: topic doc rank"):
        msmarco.read(data, RUN_KIND, source="x.txt")


def test_three_columns_are_no_qrels() -> None:
    with pytest.raises(InputError, match="3 columns where qrels lines have 4"):
        msmarco.read(b"7 d1 1\n", QRELS_KIND, source="qrels.txt")


PACKED: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstandard.compress}


@pytest.mark.parametrize("name", ["r", "r.json", "r.gz", "r.json.gz", "r.zst", "r.json.zst"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_empty_topics_are_kept_in_every_packing(tmp_path: Path, name: str, mark: bytes) -> None:
    """Topic 3 was answered by silence, which is right where nothing is relevant: NDCGT is 1 on both topics."""
    file = tmp_path / name
    data = mark + json.dumps({"1": {f"d{n}": 900.0 - n for n in range(900)}, "3": {}}).encode()
    file.write_bytes(PACKED.get(file.suffix, bytes)(data))
    assert read_runs([file]).sources[0].empty_topics == ("3",)
    scores = cf.evaluate({"1": {"d0": 1}, "3": {"x": 0}}, file, "NDCGT")
    assert scores.topic("3")["r", "NDCGT"] == 1


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("road", ["0", "1"])
@pytest.mark.parametrize("form", ["run", "csv"])
def test_rising_scores_are_seen_in_every_packing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str, suffix: str, road: str, form: str
) -> None:
    monkeypatch.setenv("CRANFIELD_NATIVE", road)
    file = tmp_path / f"r.{form}{suffix}"
    rows = [f"1 Q0 d{n} {n} {n} r" if form == "run" else f"1,d{n},{n},{n}" for n in range(1, 900)]
    text = "\n".join([*(["qid,docno,score,rank"] if form == "csv" else []), *rows, ""])
    file.write_bytes(PACKED.get(suffix, bytes)((mark + text).encode()))
    scores = cf.evaluate({"1": {"d1": 1}}, file, "AP")
    assert "the scores of r are its ranks" in "".join(str(found) for found in scores.audit.findings)
