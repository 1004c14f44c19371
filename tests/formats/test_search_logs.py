"""Logs of searches: what each shape of file holds, what is refused and where, and the runs that follow."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from tools.hostile import ATTACKS

import cranfield as cf
from cranfield.plumbing.errors import InputError

COLUMNS = ["query_id", "call", "doc_id"]


def record(topic: object, *items: dict[str, Any], **more: object) -> dict[str, Any]:
    """Write a record as BrowseComp-Plus's clients do."""
    return {
        "metadata": {"model": "m", "output_dir": "runs"},
        "query_id": topic,
        "tool_call_counts": {"search": len(items)},
        "usage": {"input_tokens": 800, "input_tokens_cached": 0, "output_tokens": 100, "total_tokens": 900},
        "status": "completed",
        "retrieved_docids": [],
        "result": [{"type": "reasoning", "tool_name": None, "arguments": None, "output": ["Hm."]}, *items],
    } | more


def call(output: object, tool: str | None = "search", **arguments: str) -> dict[str, Any]:
    return {"type": "tool_call", "tool_name": tool, "arguments": json.dumps(arguments), "output": output}


def hits(*documents: object, scores: bool = True) -> str:
    given = [
        {"docid": d} | ({"score": 9.0 - n} if scores else {}) | {"snippet": '"docid"'} for n, d in enumerate(documents)
    ]
    return json.dumps(given, indent=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write what an agent did for three questions, the last of which it did not search for."""
    first = record(
        "12",
        call(hits("d7", "d1"), query="wings"),
        call(json.dumps({"docid": "d7", "text": "Wings ..."}), "get_document", docid="d7"),
        call(hits("d1", "d9", scores=False), "local_knowledge_base_retrieval", user_query="flutter"),
        call(None, query="lost"),
        call("Error executing search: timeout", query="late"),
    )
    second = record(13, call("[]", query="nothing"), call("7", "calculator", sum="3+4"))
    third = record("14", {"type": "output_text", "tool_name": None, "arguments": None, "output": "I know."}, usage=None)
    for number, each in enumerate((first, second, third)):
        (tmp_path / f"run_2026{number}.json").write_text(json.dumps(each, indent=2))
    (tmp_path / "summary.json").write_text("[]")
    return tmp_path


def test_browsecomp_plus(folder: Path) -> None:
    searches = cf.read_searches(f"agent={folder}")
    [log] = searches.logs
    assert searches["agent"].select(COLUMNS).rows() == [
        ("12", 1, "d7"),
        ("12", 1, "d1"),
        ("12", 2, "d1"),
        ("12", 2, "d9"),
    ]
    assert log.questions.rows() == [("12", 900.0, 1), ("13", 900.0, 0), ("14", None, 0)]
    assert log.calls.select("query_id", "call", "text", "failed").rows() == [
        ("12", 1, "wings", False),
        ("12", 2, "flutter", False),
        ("12", 3, "lost", True),
        ("12", 4, "late", True),
        ("13", 1, "nothing", False),
    ]
    assert log.notes == (
        "2 searches failed or returned no list of documents: they count as searches without documents",
        "1 tool call is neither a search nor a reading, and not counted",
    )
    assert list(cf.read_searches(folder)) == [folder.name]
    assert searches.runs()["agent"].rows() == [("12", "d7", 3.0), ("12", "d1", 2.0), ("12", "d9", 1.0)]
    assert searches.runs().sources[0].empty_topics == ("13", "14")


def test_a_record_alone_in_lines_and_packed(tmp_path: Path) -> None:
    both = [record("1", call(hits("a"))), record("2", call(hits("b")))]
    lines = "\n".join(map(json.dumps, both))
    (tmp_path / "agent.jsonl").write_text(lines)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "run_1.json").write_text(json.dumps(both[0]))
    assert [*cf.read_searches(tmp_path / "agent.jsonl", tmp_path / "packed.jsonl.gz")] == ["agent", "packed"]
    assert cf.read_searches(tmp_path / "run_1.json")["run_1"].height == 1
    (tmp_path / "run_2.json").write_text(json.dumps(both[1]))
    with pytest.raises(InputError, match=r"2 records of one question each: give their folder as one system"):
        cf.read_searches([tmp_path / "run_1.json", tmp_path / "run_2.json"])


@pytest.mark.parametrize(
    ("output", "documents"),
    [
        ('{"docid": "a", "snippet": "x"}{"docid": "b", "snippet": "y"}', ["a", "b"]),  # as parts are joined
        ('{"docid": "a"}\n{"docid": 7}', ["a", "7"]),
        ('[{"docid": "a", "snippet": "cut off', ["a"]),
        ([{"docid": "a"}, {"docid": "b"}], ["a", "b"]),
        ("null", []),
        ('{"error": "none"}', []),
        ("", []),
    ],
)
def test_outputs_as_clients_write_them(output: object, documents: list[str], tmp_path: Path) -> None:
    (tmp_path / "run_1.json").write_text(json.dumps(record("1", call(hits("z")), call(output))))
    assert cf.read_searches(tmp_path)[tmp_path.name].filter(call=2)["doc_id"].to_list() == documents


def test_outputs_without_ids_are_refused(tmp_path: Path) -> None:
    told = "A search for 'wings' found 2 results:\n\n## Web Results\n1. [Wings]\n..."
    (tmp_path / "run_1.json").write_text(json.dumps(record("1", call(told), retrieved_docids=["a", "b"])))
    with pytest.raises(InputError, match=r"run_1\.json: .* search outputs are text without document ids"):
        cf.read_searches(tmp_path)


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (record("1", call(hits("b"))), r"b\.json: topic 1 occurs twice; first in .*a\.json"),
        (record(None, call(hits("b"))), r"b\.json: the query_id is missing"),
        (record(True), r"b\.json: the query_id True is not an id"),
        (record("2", call(hits(1.5))), r"b\.json: the docid in result\[1\] 1\.5 is not an id"),
        (record("2", call('[{"docid": "a"}, {"score": 1}]')), r"the docid in result\[1\] is missing"),
        (record("2", usage={"total_tokens": "many"}), r"b\.json: usage\.total_tokens must be a number, 0 or more"),
        ({"query_id": "2", "result": ["x"]}, r"b\.json: result\[0\] is not an object"),
        ({"query_id": "2"}, r"b\.json: has no query_id or no list named result"),
        ([], None),
    ],
)
def test_a_broken_record_is_named(second: object, says: str | None, tmp_path: Path) -> None:
    (tmp_path / "run_a.json").write_text(json.dumps(record("1", call(hits("a")))))
    (tmp_path / "run_b.json").write_text(json.dumps(second, indent=1))
    if says is None:
        assert len(cf.read_searches(tmp_path)) == 1
        return
    with pytest.raises(InputError, match=says):
        cf.read_searches(tmp_path)


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "run_a.json").write_text('{"query_id": "1",\n "result": [,]}')
    with pytest.raises(InputError, match=r"run_a\.json, line 2: not JSON"):
        cf.read_searches(tmp_path)
    (tmp_path / "log.jsonl").write_text('{"topic": "1", "call": 1, "document": "a"}\n{"topic": "1" oops}\n')
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: not JSON"):
        cf.read_searches(tmp_path / "log.jsonl")


SDK = {
    "name": "retriever",
    "context": {"trace_id": "0xaa", "span_id": "0x02", "trace_state": "[]"},
    "kind": "SpanKind.INTERNAL",
    "parent_id": "0x01",
    "start_time": "2026-03-01T10:00:02.5Z",
    "attributes": {
        "openinference.span.kind": "RETRIEVER",
        "input.value": "wings",
        "retrieval.documents.1.document.id": "d1",
        "retrieval.documents.0.document.id": 7,
        "retrieval.documents.0.document.content": "...",
        "retrieval.documents.0.document.score": 0.9,
    },
    "events": [],
}
ROOT = {
    "context": {"trace_id": "0xaa", "span_id": "0x01"},
    "parent_id": None,
    "start_time": "2026-03-01T10:00:00Z",
    "attributes": {"session.id": "q1", "openinference.span.kind": "AGENT", "llm.token_count.total": 999},
}
MODEL = {
    "context": {"trace_id": "0xaa", "span_id": "0x03"},
    "parent_id": "0x01",
    "start_time": "2026-03-01T10:00:01Z",
    "attributes": {"openinference.span.kind": "LLM", "llm.token_count.prompt": 30, "llm.token_count.completion": 12},
}
EARLIER = {
    "context": {"trace_id": "0xaa", "span_id": "0x04"},
    "parent_id": "0x01",
    "start_time": "2026-03-01T10:00:01.000001Z",
    "attributes": {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "flutter",
        "gen_ai.retrieval.documents": '[{"id": "d5", "score": 0.5}, {"id": "d1", "score": 0.25}]',
    },
}
SILENT = {
    "context": {"trace_id": "0xbb", "span_id": "0x01"},
    "parent_id": None,
    "start_time": "2026-03-01T11:00:00Z",
    "attributes": {"session.id": "q2", "openinference.span.kind": "CHAIN"},
}


def spans_in(path: Path, *spans: object) -> Path:
    path.write_text("".join(json.dumps(span) + "\n" for span in spans))
    return path


def test_spans_of_both_conventions_in_the_order_of_time(tmp_path: Path) -> None:
    file = spans_in(tmp_path / "spans.jsonl", SDK, MODEL, EARLIER, ROOT, SILENT)
    [log] = cf.read_searches(file, topic_attribute="session.id").logs
    assert log.results.select(COLUMNS).rows() == [("q1", 1, "d5"), ("q1", 1, "d1"), ("q1", 2, "7"), ("q1", 2, "d1")]
    assert log.calls["text"].to_list() == ["flutter", "wings"]
    assert log.questions.rows() == [("q1", 42.0, 0), ("q2", None, 0)]  # an agent's tokens are those of its models
    by_trace = cf.read_searches(file).logs[0]
    assert by_trace.questions["query_id"].to_list() == ["aa", "bb"]


def test_spans_as_otlp_and_as_a_table_of_spans(tmp_path: Path) -> None:
    def value(given: object) -> dict[str, object]:
        if isinstance(given, list):
            return {"arrayValue": {"values": [value(each) for each in given]}}
        if isinstance(given, dict):
            return {"kvlistValue": {"values": [{"key": k, "value": value(v)} for k, v in given.items()]}}
        return {"stringValue": given} if isinstance(given, str) else {"intValue": str(given)}

    attributes = {
        "session.id": "q1",
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": [{"id": "d5"}, {"id": 7}],
    }
    span = {
        "traceId": "aa",
        "spanId": "02",
        "parentSpanId": "",
        "startTimeUnixNano": "1770000000000000001",
        "attributes": [{"key": key, "value": value(each)} for key, each in attributes.items()],
    }
    export = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [span]}]}]}
    row = {
        "context.trace_id": "bb",
        "context.span_id": "1",
        "parent_id": None,
        "start_time": "2026-03-01 10:00:00+00:00",
        "attributes.session.id": "q2",
        "attributes.retrieval.documents": [{"document.id": "d8", "document.score": 0.5}, {"document.id": "d9"}],
    }
    file = spans_in(tmp_path / "spans.jsonl", export, row)
    found = cf.read_searches(file, topic_attribute="session.id")["spans"]
    assert found.select(COLUMNS).rows() == [("q1", 1, "d5"), ("q1", 1, "7"), ("q2", 1, "d8"), ("q2", 1, "d9")]


def test_spans_of_databases_and_spans_in_spans(tmp_path: Path) -> None:
    def event(document: str) -> dict[str, Any]:
        return {"name": "db.query.result", "attributes": {"db.query.result.id": document, "db.query.result.score": 1}}

    inner = {
        "context": {"trace_id": "0xaa", "span_id": "0x05"},
        "parent_id": "0x02",
        "start_time": "2026-03-01T10:00:03Z",
        "attributes": {"db.system": "chroma"},
        "events": [event("d3"), event("d4")],
    }
    outer = {**SDK, "attributes": {"openinference.span.kind": "RETRIEVER"}}
    other = {**SDK, "context": {"trace_id": "0xaa", "span_id": "0x09"}, "start_time": "2026-03-01T10:00:09Z"}
    empty = {**outer, "context": {"trace_id": "0xaa", "span_id": "0x0a"}, "start_time": "2026-03-01T10:00:10Z"}
    [log] = cf.read_searches(spans_in(tmp_path / "spans.jsonl", outer, inner, other, empty)).logs
    assert log.results["doc_id"].to_list() == ["d3", "d4", "7", "d1"]
    assert log.calls.height == 3  # the last one found nothing
    assert log.notes == ("1 retrieval span inside another, counted as part of the same search",)
    double = {**inner, "parent_id": "0x09"}
    [log] = cf.read_searches(spans_in(tmp_path / "spans.jsonl", other, double)).logs
    assert log.results["doc_id"].to_list() == ["7", "d1"]


@pytest.mark.parametrize(
    ("spans", "says"),
    [
        ((SDK, {**ROOT, "context": {}}), r"line 2: a span without a trace id"),
        ((SDK, {**ROOT, "start_time": None}), r"line 2: a span of trace aa has no start time, unlike others"),
        ((SDK, {**ROOT, "start_time": "soon"}), r"line 2: the start 'soon' is not a time"),
        ((SDK, 7), r"line 2: is not an object, as a span should be"),
        ((SDK, ROOT, {**ROOT, "attributes": {"session.id": "q9"}}), r"line 3: trace aa has session.id 'q1' and 'q9'"),
        ((SDK, MODEL), r"spans\.jsonl: no span has an attribute 'session.id', named as the topic's"),
        (
            ({**SDK, "attributes": {"retrieval.documents.0.document.content": "..."}}, ROOT),
            r"line 1: the id of a document is missing",
        ),
        (
            (SDK, ROOT, {**MODEL, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "x"}}),
            r"line 3: tokens must be a number, 0 or more, not 'x'",
        ),
        (({"resourceSpans": [7]}, ROOT), r"line 1: not readable as a span"),
        ((ROOT, {**ROOT, "context": {"trace_id": "cc", "span_id": "1"}}), r"topic q1 occurs twice"),
    ],
)
def test_a_broken_span_is_named(spans: tuple[object, ...], says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        cf.read_searches(spans_in(tmp_path / "spans.jsonl", *spans), topic_attribute="session.id")


def test_traces_without_a_topic_are_counted(tmp_path: Path) -> None:
    stray = {**SDK, "context": {"trace_id": "0xcc", "span_id": "0x01"}}
    file = spans_in(tmp_path / "spans.jsonl", SDK, ROOT, stray)
    assert cf.read_searches(file, topic_attribute="session.id").logs[0].notes == (
        "1 trace without session.id, left out: cc",
    )


ROWS = [
    ("q2", 2, "c", 1.0),
    ("q2", 1, "a", 0.5),
    ("q1", 1, "x", 2.0),
    ("q2", 1, "b", 0.75),
]
EXPECTED = [("q2", 1, "b"), ("q2", 1, "a"), ("q2", 2, "c"), ("q1", 1, "x")]
NAMES = ["topic", "call", "document", "score"]
TABLE = pl.DataFrame(ROWS, schema=NAMES, orient="row")


def test_tables_in_every_format(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "a.csv")
    TABLE.write_csv(tmp_path / "b.tsv", separator="\t")
    TABLE.write_parquet(tmp_path / "c.parquet")
    TABLE.write_ndjson(tmp_path / "d.jsonl")
    lines = ["  ".join(map(str, row)) for row in (NAMES, *ROWS)]
    (tmp_path / "e.txt").write_text("\n".join(lines))
    (tmp_path / "f.json").write_text(json.dumps(TABLE.to_dicts(), indent=1))
    files = [tmp_path / name for name in ("a.csv", "b.tsv", "c.parquet", "d.jsonl", "e.txt", "f.json")]
    for given in (*files, TABLE, TABLE.lazy(), TABLE.to_pandas(), TABLE.to_arrow()):
        [log] = cf.read_searches(given).logs
        assert log.results.select(COLUMNS).rows() == EXPECTED, given


def test_rank_goes_before_score_and_no_score_keeps_the_order() -> None:
    ranked = TABLE.with_columns(rank=pl.Series([1, 1, 1, 2]))
    assert cf.read_searches(ranked)["run"]["doc_id"].to_list() == ["a", "b", "c", "x"]
    assert cf.read_searches(TABLE.drop("score"))["run"]["doc_id"].to_list() == ["a", "b", "c", "x"]
    tied = TABLE.with_columns(score=1.0)
    assert cf.read_searches(tied)["run"]["doc_id"].to_list() == ["a", "b", "c", "x"]


def test_searches_and_topics_without_a_document() -> None:
    table = pd.DataFrame({"topic": ["q", "q", "r"], "call": [1, 2, None], "document": ["a", None, None]})
    [log] = cf.read_searches(table).logs
    assert log.calls.select("query_id", "call").rows() == [("q", 1), ("q", 2)]
    assert log.questions["query_id"].to_list() == ["q", "r"]
    assert log.results.height == 1


def test_calls_by_name_with_gaps_and_by_system() -> None:
    table = pl.DataFrame({"topic": ["q", "q", "q"], "call": ["zeta", "alpha", "zeta"], "document": ["a", "b", "c"]})
    [log] = cf.read_searches(table).logs
    assert log.results.select("call", "doc_id").rows() == [(1, "a"), (1, "c"), (2, "b")]
    assert log.notes == ("searches are not numbered, and are taken in order of first appearance",)
    [log] = cf.read_searches(table.with_columns(call=pl.Series([7, 2, 7]))).logs
    assert log.results.select("call", "doc_id").rows() == [(1, "b"), (2, "a"), (2, "c")]
    assert "gaps in 1 topic" in log.notes[0]
    both = cf.read_searches(table.with_columns(system=pl.Series(["two", "one", "two"])))
    assert {name: both[name]["doc_id"].to_list() for name in both} == {"two": ["a", "c"], "one": ["b"]}
    with pytest.raises(InputError, match="holds 2 systems, not the one system 'mine'"):
        cf.read_searches({"mine": table.with_columns(system=pl.Series(["two", "one", "two"]))})


@pytest.mark.parametrize(
    ("call", "says"),
    [(1.5, "the call 1.5 is not a whole"), (float("nan"), "the call is not a number"), (float("inf"), "the call inf")],
)
def test_a_call_that_is_no_whole_number_is_named(call: float, says: str) -> None:
    table = pl.DataFrame({"topic": ["q", "q"], "call": [1.0, call], "document": ["a", "b"]})
    with pytest.raises(InputError, match=f"DataFrame, line 2: {says}"):
        cf.read_searches(table)


def test_searches_that_all_return_nothing_and_queries_that_are_no_text() -> None:
    table = pl.DataFrame({"topic": ["q", "q"], "call": [1, 2], "document": [None, None], "query": [["a"], ["b"]]})
    [log] = cf.read_searches(table).logs
    assert log.results.height == 0
    assert log.calls.select("call", "text").rows() == [(1, None), (2, None)]


def test_a_query_is_the_topic_only_where_nothing_else_is() -> None:
    table = pl.DataFrame({"query": ["wings", "flutter"], "topic": ["q", "q"], "call": [1, 2], "document": ["a", "b"]})
    [log] = cf.read_searches(table).logs
    assert log.calls.select("query_id", "text").rows() == [("q", "wings"), ("q", "flutter")]
    [log] = cf.read_searches(table.drop("topic")).logs
    assert log.questions["query_id"].to_list() == ["wings", "flutter"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("topic,call,document\nq,,a\n", "log.csv, line 2: the call is missing"),
        ("topic,call,document\nq,1,a\n,1,b\n", "log.csv, line 3: the query_id is missing"),
        ("topic,call,document,score\nq,1,a,1\nq,1,b,high\n", "log.csv, line 3: the score 'high' is not a number"),
        ("topic,call,document,tokens\nq,1,a,-1\n", "log.csv, line 2: the tokens '-1' must be a number, 0 or more"),
        ("topic,call,document,tokens\nq,1,a,\n", "log.csv, line 2: the tokens is missing"),
        (
            "topic,call,document,call_tokens\nq,1,a,5\nq,1,b,6\n",
            "log.csv, line 3: search 1 of topic q has different call_tokens than in its first row",
        ),
        (
            "topic,call,document,tokens,call_tokens\nq,1,a,5,5\n",
            "log.csv: has both tokens (of documents) and call_tokens",
        ),
        ("topic,document,score\nq,a,1\n", "log.csv: no column call (the number of the search)"),
        ("topic,call,score\nq,1,1\n", "log.csv: no column for doc_id"),
        ("topic,call,document\n", "log.csv: is empty"),
        ("topic,call,document\nq,1\n", "log.csv, line 2: 2 cells, but the header has 3"),
        ("", "log.csv"),
        ("{}", "log.csv"),
        ("[]", "log.csv: is empty"),
        ('{"topic": 1}\n{"topic": 2}', "log.csv, line 1: is none of these"),
        ("\0", "log.csv, line 1: not a text file"),
    ],
)
def test_a_broken_table_is_named(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        cf.read_searches(tmp_path / "log.csv")
    assert says in str(refused.value)


def test_budgets_of_tokens_by_document_and_by_search() -> None:
    lists = pl.DataFrame({"topic": ["q"] * 5, "call": [1, 1, 2, 2, 2], "document": list("abbcd")})
    searches = cf.read_searches(lists.with_columns(tokens=pl.Series([10, 20, 20, 30, 5])))
    within = {t: searches.runs(tokens=t)["run"]["doc_id"].to_list() for t in (0, 9, 10, 30, 79, 80, 85)}
    assert within == {0: [], 9: [], 10: ["a"], 30: ["a", "b"], 79: ["a", "b"], 80: ["a", "b", "c"], 85: list("abcd")}
    assert searches.runs(calls=1, tokens=85)["run"]["doc_id"].to_list() == ["a", "b"]
    tenths = cf.read_searches(lists.with_columns(tokens=0.1))
    assert tenths.runs(tokens=0.3)["run"]["doc_id"].to_list() == ["a", "b"]  # 0.1 + 0.1 + 0.1 is 0.3 on paper
    assert cf.searches({"q": {"a": 1}}, tenths, "R", tokens=[0.3]).documents_within.tolist() == [[[2]]]
    searches = cf.read_searches(lists.with_columns(call_tokens=pl.Series([40, 40, 60, 60, 60])))
    within = {t: searches.runs(tokens=t)["run"]["doc_id"].to_list() for t in (39, 40, 99, 100)}
    assert within == {39: [], 40: ["a", "b"], 99: ["a", "b"], 100: list("abcd")}


def test_what_cannot_be_split_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="the file has them by question only"):
        cf.read_searches(folder).runs(tokens=100)
    with pytest.raises(
        InputError, match="dict: a budget of tokens needs the tokens of every search, but the file has none"
    ):
        cf.read_searches({"q": [["a"]]}).runs(tokens=100)


def test_lists_in_memory_and_in_json(tmp_path: Path) -> None:
    lists = {"q1": [["a", "b"], []], "q2": []}
    (tmp_path / "mine.json").write_text(json.dumps(lists))
    for searches in (cf.read_searches({"mine": lists}), cf.read_searches(tmp_path / "mine.json")):
        assert searches.logs[0].calls.height == 2
        assert searches.logs[0].questions["query_id"].to_list() == ["q1", "q2"]
    with pytest.raises(InputError, match="search 1 of topic q1 is not a list of documents"):
        cf.read_searches({"mine": {"q1": ["a", "b"]}})
    with pytest.raises(InputError, match="a second system named 'run'; the first is dict"):
        cf.read_searches(lists, lists)
    for wrong in (7, b"x", None, {"a": 7}):
        with pytest.raises(InputError):
            cf.read_searches(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no searches were given"):
        cf.read_searches()
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no JSON in this folder"):
        cf.read_searches(tmp_path / "none")


def test_names_that_are_attacks(tmp_path: Path) -> None:
    names = [name for name in ATTACKS if name.strip()]
    table = pl.DataFrame({"run": names, "topic": names, "call": 1, "document": names})
    table.write_parquet(tmp_path / "log.parquet")
    found = cf.read_searches(tmp_path / "log.parquet")
    assert [log.results["doc_id"].to_list() for log in found.logs] == [[name] for name in names]


ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    -1.5,
    "",
    "x",
    [],
    [7],
    {},
    {"a": 1},
    [["a"]],
    [None],
    "[",
    "[7]",
    '{"docid": []}',
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the paths to all that is in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inner for found in places(each, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], to: object) -> Any:
    if not path:
        return to
    copied = value.copy()
    copied[path[0]] = changed(value[path[0]], path[1:], to)
    return copied


def test_whatever_is_odd_in_a_log_is_read_or_refused_in_a_line(tmp_path: Path) -> None:
    """Parts of every kind of object are replaced by something odd."""
    event = {"name": "db.query.result", "attributes": {"db.query.result.id": "d1"}}
    keyed = {"key": "gen_ai.retrieval.documents", "value": {"arrayValue": {"values": [{"stringValue": "d"}]}}}
    spans = [{"traceId": "aa", "spanId": "1", "startTimeUnixNano": "1", "attributes": [keyed], "events": [event]}]
    examples = [
        {
            "query_id": "1",
            "usage": {"total_tokens": 7},
            "result": [call(hits("a"), query="q"), call("{}", "get_document")],
        },
        SDK | {"events": [event]},
        {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]},
        {"topic": "q", "call": 1, "document": "a", "score": 1.0},
        {"q1": [["a"], ["b"]], "q2": []},
    ]
    file = tmp_path / "log.jsonl"
    every = [(example, path, odd) for example in examples for path in places(example) for odd in ODD]
    for example, path, odd in random.Random(7).sample(every, 60):  # noqa: S311 - all 1,300 take four seconds
        file.write_text(json.dumps(changed(example, path, odd)))
        try:
            assert len(cf.read_searches(file)) == 1
        except InputError as refused:
            assert "log.jsonl" in str(refused)
            assert "\n" not in str(refused)
    file.write_text('{"traceId": "1", "attributes": ' + '{"a":' * 100_000 + "1" + "}" * 100_001)
    with pytest.raises(InputError, match="readable as"):
        cf.read_searches(file)


def test_a_docid_that_is_not_json_is_named(tmp_path: Path) -> None:
    cut = '[{"docid": "a\\q", "snippet": "cut off'
    (tmp_path / "run_1.json").write_text(json.dumps(record("1", call(cut))))
    with pytest.raises(InputError, match=r"run_1\.json: a docid in result\[1\] is not JSON"):
        cf.read_searches(tmp_path / "run_1.json")
