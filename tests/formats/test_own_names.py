"""Tables and records with names of their own: what a user says of them holds on every road, and messages propose it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.plumbing.naming import OF_RECORDS, PARTS, ColumnNames, FieldPaths, Naming

JUDGED = [("bag", "p1", 1), ("bag", "p2", 0), ("lamp", "p3", 2), ("lamp", "p1", 0)]
OLD = [("bag", "p2", 1), ("bag", "p1", 2), ("lamp", "p1", 1), ("lamp", "p3", 2)]
NEW = [("bag", "p1", 1), ("bag", "p2", 2), ("lamp", "p3", 1)]
COLUMNS = {"query_id": "search_term", "doc_id": "url", "rank": "pos", "relevance": "stars"}
AP = {"old": 0.5, "new": 1.0}


def frame(rows: list[tuple[str, str, int]], value: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["search_term", "url", value], orient="row")


def as_pandas(table: pl.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: table[name].to_list() for name in table.columns})


def in_the_index(table: pl.DataFrame) -> pd.DataFrame:
    return as_pandas(table).set_index(["search_term", "url"])


def of_categories(table: pl.DataFrame) -> pd.DataFrame:
    return as_pandas(table).astype({"search_term": "category", "url": "string", table.columns[2]: "int8"})


def shuffled_index(table: pl.DataFrame) -> pd.DataFrame:
    found = as_pandas(table)
    return found.set_index(pd.Index(range(100, 100 + len(found)), name=None))


def records(table: pl.DataFrame) -> list[dict[str, Any]]:
    return table.to_dicts()


SHAPES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda table: table,
    "polars, lazy": lambda table: table.lazy(),
    "polars, categories": lambda table: table.with_columns(pl.col("search_term").cast(pl.Categorical)),
    "pandas": as_pandas,
    "pandas, ids in the index": in_the_index,
    "pandas, another index": shuffled_index,
    "pandas, categories and small numbers": of_categories,
    "pyarrow": lambda table: table.to_arrow(),
    "records": records,
    "columns": lambda table: {name: table[name].to_list() for name in table.columns},
}

FILES: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "a.csv": lambda table: table.write_csv().encode(),
    "semicolons.csv": lambda table: table.write_csv(separator=";").encode(),
    "mark.csv": lambda table: b"\xef\xbb\xbf" + table.write_csv().encode(),
    "windows.csv": lambda table: table.write_csv(line_terminator="\r\n").encode(),
    "a.tsv": lambda table: table.write_csv(separator="\t").encode(),
    "tabs.txt": lambda table: table.write_csv(separator="\t").encode(),
    "a.jsonl": lambda table: table.write_ndjson().encode(),
    "a.json": lambda table: table.write_json().encode(),
}


@pytest.fixture(params=[*SHAPES, *FILES, "a.parquet"])
def bring(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, pl.DataFrame], Any]:
    """Bring a table in one of the shapes that people have."""

    def brought(name: str, table: pl.DataFrame) -> Any:
        if request.param in SHAPES:
            return SHAPES[request.param](table)
        folder = tmp_path / name
        folder.mkdir()
        file = folder / request.param
        if request.param.endswith(".parquet"):
            table.write_parquet(file)
        else:
            file.write_bytes(FILES[request.param](table))
        return str(file)

    return brought


def test_every_road_takes_own_names(bring: Callable[[str, pl.DataFrame], Any]) -> None:
    qrels = bring("qrels", frame(JUDGED, "stars"))
    runs = {"old": bring("old", frame(OLD, "pos")), "new": bring("new", frame(NEW, "pos"))}
    run = cf.read_run(runs["old"], columns={"query_id": "search_term", "doc_id": "url", "rank": "pos"})
    assert run.rows()[:2] == [("bag", "p2", -1.0), ("bag", "p1", -2.0)]
    judged = cf.read_qrels(qrels, columns={"query_id": "search_term", "doc_id": "url", "relevance": "stars"})
    assert judged.rows() == JUDGED
    scores = cf.evaluate(qrels, runs, "AP", columns=COLUMNS)
    assert {name: scores[name, "AP"] for name in scores.runs} == AP
    assert cf.join(qrels, runs, columns=COLUMNS).scores("AP").averages.tolist() == scores.averages.tolist()
    assert cf.gate(qrels, runs, "AP", margin=0.01, columns=COLUMNS).new == "new"
    assert cf.compare(qrels, runs, "AP", columns=COLUMNS).runs == ("old", "new")


def followed(call: Callable[..., Any], **asked: Any) -> tuple[Any, int]:
    """Do what messages say, word for word, until there is nothing to do; give what is found, and after how many."""
    for step in range(6):
        try:
            return call(**asked), step
        except cf.InputError as error:
            said = re.search(r"add ((?:columns|fields)=\{.*\})$", str(error))
            assert said is not None, error
            for name, pairs in eval(f"dict({said[1]})").items():  # noqa: S307 - what the message says
                asked[name] = asked.get(name, {}) | pairs
    raise AssertionError(f"no end of advice: {asked}")


def test_the_message_followed_word_for_word_works(bring: Callable[[str, pl.DataFrame], Any]) -> None:
    if isinstance(bring("shape", frame(NEW, "pos")), dict):
        return  # columns in a dict look like {topic: [document, ...]}, unless some name is known
    qrels, old, new = (bring(*each) for each in (("q", frame(JUDGED, "stars")), ("o", frame(OLD, "pos")),
                                                 ("n", frame(NEW, "pos"))))  # fmt: skip
    scores, steps = followed(lambda **asked: cf.evaluate(qrels, {"old": old, "new": new}, "AP", **asked))
    assert {name: scores[name, "AP"] for name in scores.runs} == AP
    assert 0 < steps <= 2
    assert followed(lambda **asked: cf.read_run(new, **asked))[0].height == len(NEW)


GOLD = [{"question_id": "q1", "question": "Which bag is it?", "gold_chunk_ids": ["p1"]},
        {"question_id": "q2", "question": "And the lamp?", "gold_chunk_ids": ["p3", "p4"]}]  # fmt: skip
ANSWERS = [{"question_id": "q1", "answer": "This.", "docs": [{"id": "p1", "score": 0.9}, {"id": "p2", "score": 0.1}]},
           {"question_id": "q2", "answer": "That.", "docs": [{"id": "p3", "score": 0.5}]}]  # fmt: skip
DEEP = [{"case": {"qid": "q1"}, "want": {"chunks": ["p1"]}}, {"case": {"qid": "q2"}, "want": {"chunks": ["p3", "p4"]}}]
FIELDS = {"topic": "question_id", "relevant": "gold_chunk_ids", "retrieved": "docs.id"}


@pytest.mark.parametrize("gold", [GOLD, DEEP])
@pytest.mark.parametrize("in_files", [False, True])
def test_records_with_own_fields(tmp_path: Path, in_files: bool, gold: list[dict[str, Any]]) -> None:
    def given(name: str, held: list[dict[str, Any]]) -> Any:
        if not in_files:
            return held
        (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in held))
        return str(tmp_path / name)

    judged, run = given("gold.jsonl", gold), given("answers.jsonl", ANSWERS)
    fields = FIELDS if gold is GOLD else {"topic": ["case.qid", "question_id"], "relevant": "want.chunks",
                                          "retrieved": "docs.id"}  # fmt: skip
    scores = cf.evaluate(judged, {"mine": run}, "AP", fields=fields)
    assert scores.averages.tolist() == [[0.75]]
    if gold is GOLD:
        found, steps = followed(lambda **asked: cf.evaluate(judged, {"mine": run}, "AP", **asked))
        assert (found.averages.tolist(), steps) == ([[0.75]], 1)  # the answers need no word


def test_a_mapping_goes_before_known_names() -> None:
    table = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "rank": [2, 1], "pos": [1, 2], "score": [1.0, 2.0]})
    assert cf.read_run(table, columns={"score": "pos"})["score"].to_list() == [1.0, 2.0]
    assert cf.read_run(table.drop("score"), columns={"rank": "pos"})["score"].to_list() == [-1.0, -2.0]
    other = pl.DataFrame({"id": ["1"], "chunk": ["a"], "score": [1.0]})
    with pytest.raises(cf.InputError, match=r"no column for doc_id .*add columns=\{.doc_id.: .chunk.\}"):
        cf.read_run(other, columns={"query_id": "id"})  # which is no document then
    assert cf.read_run(other, columns={"query_id": "id", "doc_id": "chunk"}).rows() == [("1", "a", 1.0)]


def test_each_input_has_the_names_that_it_has() -> None:
    qrels = pl.DataFrame({"search_term": ["1"], "docno": ["a"], "rel": [1]})
    runs = {"x": pl.DataFrame({"term": ["1"], "docno": ["a"], "score": [1.0]}), "y": {"1": ["b"]}}
    names = {"query_id": ["search_term", "term"]}
    assert cf.evaluate(qrels, runs, "RR", columns=names).averages.tolist() == [[1.0, 0.0]]
    both = pl.DataFrame({"term": ["1"], "search_term": ["2"], "docno": ["a"], "score": [1.0]})
    with pytest.raises(cf.InputError, match="search_term and term are both present, and both stand for query_id"):
        cf.read_run(both, columns=names)


def test_weights_groups_and_costs() -> None:
    table = pl.DataFrame({"search_term": ["bag", "lamp"], "traffic_2026": [3, 1], "country": ["de", "fr"]})
    qrels, runs = frame(JUDGED, "stars"), {"old": frame(OLD, "pos"), "new": frame(NEW, "pos")}
    costs = pl.DataFrame({"url": ["p1", "p2", "p3"], "length_in_tokens": [1, 2, 4]})
    names = COLUMNS | {"weight": "traffic_2026", "group": "country", "cost": "length_in_tokens"}
    scores = cf.evaluate(qrels, runs, "RR@1", columns=names, weights=table, costs=costs)
    assert scores["old", "RR@1"] == 0.0
    assert scores.weights is not None
    assert scores.weights.over(["bag", "lamp"]).tolist() == [3, 1]
    del names["cost"]
    found = cf.gate(qrels, runs, "AP", margin=0.9, columns=names, weights=table, groups=table)
    assert found.by_group is not None
    assert found.by_group["group"].to_list() == ["de", "fr"]
    groups = scores.by_group(table, columns={"query_id": "search_term", "group": "country"})
    assert groups.to_polars()["grouping"].unique().to_list() == ["country"]
    page = cf.report(qrels, runs, "AP", columns=names, weights=table, groups=table)
    assert "country" in str(page.document)


def test_a_series_by_topic_or_document() -> None:
    scores = cf.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["b", "a"]}}, "RR",
                         weights=pd.Series({"1": 3, "2": 1}), costs=pd.Series([1, 2], index=["a", "b"]))  # fmt: skip
    assert scores["r", "RR"] == 0.875
    groups = pd.Series(["de", None], index=pd.Index([1, 2], name="topic"))
    assert scores.by_group(groups).to_polars()["group"].to_list() == ["de"]
    with pytest.raises(cf.InputError, match="topic '1' has a second weight"):
        scores.weighted_by(pd.Series([1, 2], index=["1", "1"]))
    with pytest.raises(cf.InputError, match="a weight is a number"):
        scores.weighted_by(pd.Series([1.0, float("nan")], index=["1", "2"]))


def test_two_frames_are_told_apart() -> None:
    runs = [frame(OLD, "pos"), frame(NEW, "pos")]
    audit = str(cf.evaluate(frame(JUDGED, "stars"), runs, "AP", columns=COLUMNS).audit)
    assert "Run1 is 4 rows, columns search_term, url, pos; run2 is 3 rows" in audit
    assert " rows" not in str(cf.evaluate(frame(JUDGED, "stars"), runs[0], "AP", columns=COLUMNS).audit)


def test_spans_chunks_searches_and_clicks(tmp_path: Path) -> None:
    spans = pl.DataFrame({"ask": ["q"], "manual": ["m"], "from_char": [0], "to_char": [10]})
    chunks = spans.with_columns(to_char=pl.lit(20))
    names = {"query_id": "ask", "doc_id": "manual", "start": "from_char", "end": "to_char"}
    assert cf.evidence(spans, {"x": chunks}, "EvidenceP@1", columns=names)["x", "EvidenceP@1"] == 0.5
    assert cf.evidence(spans.to_dicts(), {"x": chunks.to_dicts()}, "EvidenceP@1", columns=names).runs == ("x",)
    nested = [{"ask": "q", "at": {"doc": "m", "from": 0, "to": 10}}]
    (tmp_path / "spans.jsonl").write_text("".join(json.dumps(each) + "\n" for each in nested))
    paths = {"query_id": "ask", "document": "at.doc", "start": "at.from", "end": "at.to"}
    found = cf.evidence(tmp_path / "spans.jsonl", {"x": tmp_path / "spans.jsonl"}, "EvidenceR@1", fields=paths)
    assert found["x", "EvidenceR@1"] == 1.0
    calls = pl.DataFrame({"ask": ["q", "q"], "turn_no": [1, 2], "hit": ["a", "b"]})
    read = cf.read_searches({"agent": calls}, columns={"query_id": "ask", "call": "turn_no", "doc_id": "hit"})
    assert read["agent"].select("query_id", "call", "doc_id").rows() == [("q", 1, "a"), ("q", 2, "b")]
    (tmp_path / "log.jsonl").write_text('{"s": {"term": "q"}, "d": "a", "n": 3, "seen": 4}\n')
    fields = {"query_id": "s.term", "doc_id": "d", "clicks": "n", "impressions": "seen"}
    graded = cf.judge_clicks(tmp_path / "log.jsonl", [0.5], least=1, fields=fields)
    assert graded.to_polars().select("query_id", "doc_id", "rate").rows() == [("q", "a", 0.75)]


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a slip": ({"columns": {"query_id": "serch_term"}}, r"no column 'serch_term' \(query_id\) in any input; did you"),
    "one that has a known name": ({"columns": COLUMNS | {"run": "sistem"}}, r"no column 'sistem' \(run\) in any input"),
    "not ours": ({"columns": {"querry_id": "url"}}, "'querry_id' is not a known name; did you mean `query_id`"),
    "both ways": ({"columns": {"score": "rank"}}, "score=rank may mean .* or, in the order of former versions, the re"),
    "no names": ({"columns": {"score": 3}}, "columns must be a dict"),
    "no pair": ({"columns": ["score"]}, "--columns is OURS=THEIRS, such as query_id=search_term, not 'score'"),
    "a field that is nowhere": ({"columns": COLUMNS, "fields": {"relevant": "gold"}}, "no field 'gold' .relevant. in"),
    "no part of a record": (
        {"fields": {"relevent": "gold"}},
        "'relevent' is not a known name; did you mean `relevant`",
    ),
}


@each_of("what", MISTAKES)
def test_mistakes_say_what_would_be_right(what: str) -> None:
    asked, said = MISTAKES[what]
    with pytest.raises(cf.InputError, match=said):
        cf.evaluate(frame(JUDGED, "stars"), {"new": frame(NEW, "pos")}, "AP", **asked)


def test_names_are_read_as_in_a_shell() -> None:
    assert ColumnNames.taken("query_id=a, b,doc_id=c").names == {"query_id": ("a, b",), "doc_id": ("c",)}
    assert ColumnNames.taken(["topic=a", "query_id=b"]).names == {"query_id": ("a", "b")}
    assert str(FieldPaths.taken({"topic": "a.b"})) == "topic=a.b"
    assert not Naming.of({}, None)
    assert {*PARTS.values()} <= {*FieldPaths.parts.values()}
    assert "retrieved" in OF_RECORDS


def test_the_former_order_of_each_pair_is_taken_with_a_warning() -> None:
    table = pl.DataFrame({"s": ["1"], "docno": ["a"], "n": [2.0]})
    with pytest.warns(DeprecationWarning, match=r"here columns=\{.query_id.: .s.\}"):
        assert cf.read_run(table, columns={"s": "query_id", "score": "n"}).rows() == [("1", "a", 2.0)]


@pytest.mark.parametrize(
    "asked", [{"columns": {"doc_id": "metadata.source"}}, {"fields": {"doc_id": "metadata.source"}}]
)
def test_records_whose_document_is_named_are_documents_of_a_topic_by_either_road(asked: dict[str, Any]) -> None:
    found = [{"text": "Hold the button", "metadata": {"source": "manual-7"}}]
    assert cf.read_runs({"reset": found}, **asked)["run"].rows() == [("reset", "manual-7", 1.0)]
