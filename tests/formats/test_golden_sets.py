"""Golden sets as the tools write them: read by hand, matched beside plain loops, counted where they are not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.formats.golden_records import Matcher

HERE = Path(__file__).parent / "golden"
"""A small file of each tool, written by hand in its shape."""
DOCS = HERE / "docs.jsonl"
LIFT, LAMINAR, WON = "Why does a wing lift?", "When is a flow laminar?", "Who won the race?"
ONE, TWO = "msmarco_v2.1_doc_1_1#0_2", "msmarco_v2.1_doc_2_1#3_2"

JUDGED: list[tuple[str, dict[str, Any], dict[str, dict[str, int]]]] = [
    ("ragas.jsonl", {"docs": DOCS}, {LIFT: {"d1": 1}, LAMINAR: {"d4": 1}, WON: {}}),
    ("ragas.jsonl", {"docs": DOCS, "match": "within"}, {LIFT: {"d1": 1}, LAMINAR: {"d2": 1, "d4": 1}, WON: {}}),
    ("ragas-ids.jsonl", {}, {LIFT: {"d1": 1}, LAMINAR: {"d2": 1, "d4": 1}, WON: {}}),
    ("deepeval.json", {"docs": DOCS}, {LIFT: {"d1": 1}, LAMINAR: {"d4": 1}, WON: {}}),
    ("deepeval-confident.json", {"docs": DOCS}, {LIFT: {"d1": 1}}),
    ("llama-index.json", {}, {"q1": {"d1": 1}, "q2": {"d4": 1}, "q3": {}}),
    ("llama-index-rag.json", {"docs": DOCS}, {LIFT: {"d1": 1}}),
    ("langsmith.jsonl", {"fields": {"relevant": "outputs.documents.id"}}, {LIFT: {"d1": 1}, WON: {}}),
    (
        "langsmith.jsonl",
        {"docs": DOCS, "fields": {"relevant_texts": "outputs.documents.page_content"}},
        {LIFT: {"d1": 1}, WON: {}},
    ),
    ("bright.jsonl", {}, {"0": {"wings/1.txt": 1, "wings/2.txt": 1}, "1": {"pipes/1.txt": 1}}),
    ("bright.jsonl", {"fields": {"relevant": "gold_ids_long"}}, {"0": {"wings.txt": 1}, "1": {"pipes.txt": 1}}),
]
LISTS: list[tuple[str, dict[str, Any], dict[str, list[str]]]] = [
    ("ragas.jsonl", {"docs": DOCS}, {LIFT: ["d3", "d1"], LAMINAR: ["unmatched-1", "d4"], WON: []}),
    ("ragas-ids.jsonl", {}, {LIFT: ["d3", "d1"], LAMINAR: ["d4", "7"], WON: []}),
    ("deepeval-confident.json", {"docs": DOCS}, {LIFT: ["d3", "d1"]}),
    ("trec-rag-2024.jsonl", {}, {"2024-1": [ONE, TWO], "2024-2": []}),
    ("trec-rag-2025.jsonl", {}, {"12": [ONE, TWO]}),
]


@each_of(("name", "asked", "qrels"), JUDGED)
def test_judgments_of_each_tool(name: str, asked: dict[str, Any], qrels: dict[str, dict[str, int]]) -> None:
    assert cf.read_golden(HERE / name, **asked).qrels == qrels


@each_of(("name", "asked", "run"), LISTS)
def test_lists_of_each_tool(name: str, asked: dict[str, Any], run: dict[str, list[str]]) -> None:
    assert cf.read_golden(HERE / name, **asked).run == run


def test_what_has_ids_is_read_wherever_qrels_and_runs_are() -> None:
    """The files themselves, without a word on their format; questions without an answer stay."""
    path = str(HERE / "ragas-ids.jsonl")
    scores = cf.evaluate(path, path, ["P@1", "NDCGT"])
    assert scores.topics == (LIFT, LAMINAR, WON)
    assert [row["P@1"] for row in scores.by_run()["ragas-ids"].values()] == [0, 1, 0]
    assert scores.by_run()["ragas-ids"][WON]["NDCGT"] == 1  # the empty list was right
    assert cf.read_qrels(HERE / "bright.jsonl").rows()[0] == ("0", "wings/1.txt", 1)
    answers = cf.evaluate({"2024-1": {TWO: 1}, "2024-2": {}}, HERE / "trec-rag-2024.jsonl", ["RR", "NDCGT"])
    assert answers.topic("2024-1")["trec-rag-2024"]["RR"] == 0.5
    assert answers.topic("2024-2")["trec-rag-2024"] == {"RR": 0, "NDCGT": 1}  # no reference, and rightly so
    excluded = cf.evaluate(
        HERE / "bright.jsonl", {"1": ["pipes/9.txt", "pipes/1.txt"]}, "RR", exclude=HERE / "bright.jsonl"
    )
    assert excluded.by_run()["run"]["1"]["RR"] == 1


def test_what_was_not_found_is_counted_and_never_guessed() -> None:
    found = cf.read_golden(HERE / "ragas.jsonl", docs=DOCS)
    assert (found.evidence.texts, found.evidence.unmatched) == (3, ("Another text of no document.",))
    assert found.retrieved.unmatched == ("A text of no document.",)
    assert found.retrieved.several == 1  # d3 and d5 are the same but for a blank
    audit = cf.evaluate(found, found, "AP").audit
    said = {each.code: (each.severity, str(each)) for each in audit.findings}
    assert said["unmatched evidence"] == (
        "warning",
        "1 of 3 texts of evidence match no document (first: 'Another text of no document.'): they are left out",
    )
    assert cf.join(found, found).under(rel=1).audit.line().startswith("warning: 1 of 3 texts of evidence")


def test_a_question_of_which_nothing_was_found_is_not_one_without_an_answer() -> None:
    rows = [
        {"user_input": "lost", "reference_contexts": ["Nowhere."]},
        {"user_input": "unsaid", "reference": "A word."},
        {"user_input": "none", "reference_contexts": []},
        {"user_input": "found", "reference_contexts": ["Here."]},
    ]
    found = cf.read_golden(rows, docs={"a": "Here."})
    assert found.qrels == {"none": {}, "found": {"a": 1}}
    assert (found.lost, found.unsaid) == (("lost",), ("unsaid",))
    scores = cf.evaluate(found, {"found": {"a": 1.0}}, "NDCGT", missing="empty")
    assert scores.averages.tolist() == [[1.0]]
    codes = [(each.severity, each.code) for each in scores.audit.findings]
    assert ("warning", "questions lost") in codes
    assert ("remark", "questions unsaid") in codes


def test_a_question_asked_twice_has_the_evidence_of_both_and_one_list() -> None:
    rows: list[dict[str, Any]] = [{"user_input": "q", "reference_context_ids": [each]} for each in "ab"]
    assert cf.read_golden(rows).qrels == {"q": {"a": 1, "b": 1}}
    lists: list[dict[str, Any]] = [{"user_input": "q", "retrieved_context_ids": [each]} for each in "ab"]
    with pytest.raises(cf.InputError, match="line 2: the question 'q' has two lists"):
        cf.read_golden(lists)


def test_grades_and_other_records_by_their_paths() -> None:
    rows = [{"k": {"id": 7, "ask": "Why?"}, "gold": {"a": 2, "b": 0}, "got": [{"x": {"id": "b"}}, {"x": {"id": "a"}}]}]
    fields = {"topic": "k.id", "question": "k.ask", "relevant": "gold", "retrieved": "got.x.id"}
    found = cf.read_golden(rows, fields=fields)
    assert (found.qrels, found.run, found.questions) == ({"7": {"a": 2, "b": 0}}, {"7": ["b", "a"]}, {"7": "Why?"})


@each_of(
    ("rows", "asked", "problem"),
    [
        ([], {}, "not a known golden set (BRIGHT, TREC RAG 2024"),
        ([{"a": 1}], {}, 'its fields are a (1): add fields={"question": "PATH", "relevant": "PATH"}'),
        ([{"inputs": {"question": "q"}, "outputs": {}}], {}, "LangSmith's records do not show"),
        ([{"user_input": "q", "reference_context_ids": ["a"]}, 7], {}, "line 2: a question is an object, not 7"),
        ([{"user_input": "", "reference_context_ids": ["a"]}], {}, "line 1: the question is missing (user_input)"),
        ([{"user_input": [{"content": "q"}], "reference_contexts": []}], {}, "not a text"),
        ([{"user_input": "q", "reference_contexts": [7]}], {}, "reference_contexts is [7], not a list of texts"),
        ([{"user_input": "q", "reference_context_ids": [None]}], {}, "line 1: the document is missing"),
        ([{"user_input": "q", "reference_context_ids": {"a": "b"}}], {}, "line 1: the grade 'b' is not a number"),
        ([{"user_input": "q", "reference_contexts": []}], {"fields": {"queston": "a"}}, "did you mean"),
        ([{"user_input": "q", "reference_contexts": []}], {"match": "fuzzy"}, "match must be 'exact' or 'within'"),
    ],
)
def test_mistakes_are_one_sentence(rows: list[Any], asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.read_golden(rows, **asked)
    assert problem in str(caught.value), caught.value


@each_of(
    ("name", "problem"),
    [
        ("deepeval.json", "and no ids: they are found among documents by cranfield.read_golden("),
        ("trec-rag-2024.jsonl", "without evidence"),
        ("langsmith.jsonl", 'add fields={"relevant": "outputs.documents.id"}'),
    ],
)
def test_files_that_are_no_qrels_by_themselves(name: str, problem: str) -> None:
    with pytest.raises(cf.InputError, match=re.escape(problem)):
        cf.evaluate(HERE / name, {"q": {"a": 1.0}}, "AP")


def test_documents_of_another_collection_are_refused() -> None:
    found = cf.read_golden(HERE / "deepeval-confident.json", docs={"z": "Something else."})
    with pytest.raises(cf.InputError, match="no document matches any of its texts"):
        cf.evaluate(found, {"q": {"a": 1.0}}, "AP")
    judged = cf.read_golden(HERE / "bright.jsonl")
    for runs in (judged, {"mine": judged}):
        with pytest.raises(cf.InputError, match="without retrieved documents"):
            cf.evaluate(judged, runs, "AP")


def test_names_that_are_attacks() -> None:
    topic = '"><script>alert(1)</script>\x1b[31m\n'
    rows = [{"user_input": topic, "reference_contexts": ["<b>\x1b[2J"], "retrieved_contexts": ["<i>"]}]
    found = cf.read_golden(rows, docs={"</td>": "<b>\x1b[2J", "unmatched-1": "taken"})
    assert found.run == {topic: ["unmatched-1-"]}
    scores = cf.evaluate(found, found, "AP")
    shown = scores._repr_html_() + str(scores.audit) + str(scores)
    assert "<script>" not in shown
    assert "\x1b" not in shown + str(cf.read_golden(rows, docs={"a": "x"}).remarks())


WORD = st.sampled_from(["a", "b", "ab", " ", "  ", "\n"])
TEXT = st.lists(WORD, max_size=4).map("".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, max_size=5), TEXT, st.sampled_from(["exact", "within"]))
def test_matching_beside_a_plain_loop(documents: list[str], text: str, match: Any) -> None:
    docs = {f"d{place}": each for place, each in enumerate(documents)}

    def plain(each: str) -> str:
        return " ".join(each.split())

    expected = tuple(
        name
        for name, each in docs.items()
        if plain(text) and (plain(text) == plain(each) if match == "exact" else plain(text) in plain(each))
    )
    matcher = Matcher(docs, match)
    assert matcher.found("evidence", text) == expected
    found = matcher.looked_for("evidence")
    assert (found.texts, len(found.unmatched), found.several) == (1, not expected, len(expected) > 1)


def run(*asked: str | Path) -> Any:
    result = CliRunner().invoke(main, [str(each) for each in asked])
    assert "Traceback" not in result.output
    return result


def test_evaluate_finds_the_texts_of_both(tmp_path: Path) -> None:
    golden, docs = str(HERE / "ragas.jsonl"), str(DOCS)
    said = run("evaluate", golden, f"mine={golden}", "--docs", docs, "-m", "P@1", "-m", "RR")
    assert said.stdout.split()[-3:] == ["mine", "0.0000", "0.3333"]
    assert "1 of 3 texts of evidence match no document" in said.stderr
    assert "note: mine: 1 of 4 texts of retrieval match no document" in said.stderr
    (tmp_path / "run.json").write_text(json.dumps({LIFT: {"d1": 1.0}, WON: {}}))
    fields = ["--field", "question=inputs.question", "--field", "relevant=outputs.documents.id"]
    smith = run("evaluate", str(HERE / "langsmith.jsonl"), f"{tmp_path}/run.json", *fields, "-m", "NDCGT")
    assert smith.stdout.split()[-2:] == ["run", "1.0000"]
    (tmp_path / "qrels.json").write_text(json.dumps({LIFT: {"d1": 1}, WON: {}}))
    other = run("evaluate", f"{tmp_path}/qrels.json", f"mine={golden}", "--docs", docs, "-m", "RR")
    assert other.stdout.split()[-2:] == ["mine", "0.2500"]
    wrong = run("evaluate", golden, golden, "--docs", docs, "--field", "question")
    assert wrong.exit_code == 2
    assert "--field is PART=PATH, such as question=inputs.question, not 'question'" in wrong.stderr
    other = run("evaluate", f"{tmp_path}/run.json", f"{tmp_path}/run.json", "--docs", docs)
    assert "not a known golden set" in other.stderr


def test_convert_writes_what_evaluate_reads(tmp_path: Path) -> None:
    out = {name: str(tmp_path / name) for name in ("qrels.json", "run.json", "topics.jsonl", "qrels.txt", "qrels.csv")}
    golden = ["convert", str(HERE / "ragas.jsonl"), "--docs", str(DOCS)]
    done = run(*golden, "--qrels", out["qrels.json"], "--run", out["run.json"], "--topics", out["topics.jsonl"])
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[0] == "RAGAS: 3 questions judged (1 without an answer), 3 lists"
    direct = cf.read_golden(HERE / "ragas.jsonl", docs=DOCS)
    again = cf.evaluate(out["qrels.json"], out["run.json"], ["AP", "NDCGT"])
    assert (again.values == cf.evaluate(direct, direct, ["AP", "NDCGT"]).values).all()
    assert again.topics == (LIFT, LAMINAR, WON)
    table = run(*golden, "--qrels", out["qrels.csv"])
    assert "1 question without an answer has no line in" in table.stderr
    listed = cf.evaluate(out["qrels.csv"], out["run.json"], ["AP", "NDCGT"], topics_file=out["topics.jsonl"])
    assert (listed.values == again.values).all()
    text = run(*golden, "--qrels", out["qrels.txt"])
    assert text.exit_code == 2
    assert "does not fit TREC text" in text.stderr
    nothing = run("convert", str(HERE / "bright.jsonl"), "--run", out["run.json"])
    assert nothing.exit_code == 2
    assert "without retrieved documents" in nothing.stderr


def test_an_id_that_is_a_fraction_is_refused_rather_than_passed_over() -> None:
    """As pandas writes whole numbers of a column with gaps; the topic was called by the question's text."""
    with pytest.raises(cf.InputError, match=r"the topic 1\.0 is not an id; write it as text"):
        cf.read_golden([{"question_id": 1.0, "question": "Why?", "expected_ids": ["a"]}])


def test_a_list_that_holds_a_document_twice_is_converted_with_a_note_or_refused(tmp_path: Path) -> None:
    """JSON would keep one of the two."""
    golden, text = tmp_path / "golden.jsonl", tmp_path / "run.txt"
    records = [{"question_id": each, "expected_ids": ["b"], "retrieved_ids": ["b", "b"]} for each in ("1", "2")]
    golden.write_text("".join(json.dumps(record) + "\n" for record in records))
    wrong = run("convert", golden, "--run", tmp_path / "run.json")
    assert (wrong.exit_code, (tmp_path / "run.json").exists()) == (2, False)
    assert "document 'b' is retrieved twice for topic '1', which neither a dict nor JSON holds" in wrong.stderr
    done = run("convert", golden, "--run", text)
    assert done.exit_code == 0
    assert f"note: lists hold documents twice: evaluate {text} with --repeated max" in done.stderr
    assert cf.evaluate(golden, text, "RR", repeated="max").averages.tolist() == [[1.0]]


def test_strangers_are_numbered_as_they_come_and_texts_may_repeat() -> None:
    """Ten thousand texts that no document has, and as many documents of one text: each is looked at once."""
    texts = Matcher({f"d{n}": "One." for n in range(10_000)}, "exact")
    assert len(texts.found("retrieval", "One.")) == 10_000
    names = []
    for n in range(10_000):
        assert not texts.found("retrieval", f"other {n}")
        names.append(texts.stranger(f"other  {n}"))
    assert names == [f"unmatched-{n}" for n in range(1, 10_001)]
    assert texts.stranger("other 7") == "unmatched-8"


def answers(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Give a record for each of q1, q2, ..."""
    return [{"query_id": f"q{number}", **row} for number, row in enumerate(rows, start=1)]


SCORED: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "objects": (answers({"retrieved": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.9}]}), {}),
    "ids of objects": (
        answers({"docs": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.9}]}),
        {"retrieved": "docs.id"},
    ),
    "objects with metadata": (
        answers({"documents": [{"metadata": {"id": name}, "score": 0.9} for name in "ab"]}),
        {},
    ),
    "ids in metadata": (
        answers({"docs": [{"metadata": {"source": name}, "score": 0.9} for name in "ab"]}),
        {"retrieved": "docs.metadata.source"},
    ),
    "scores in metadata": (
        answers({"docs": [{"metadata": {"source": name, "score": 0.9}} for name in "ab"]}),
        {"retrieved": "docs.metadata.source"},
    ),
    "parallel lists": (answers({"retrieved_ids": ["a", "b"], "scores": [0.9, 0.9]}), {}),
    "parallel lists of own names": (
        answers({"found": {"chunks": ["a", "b"], "near": [0.9, 0.9]}}),
        {"retrieved": "found.chunks", "scores": "found.near"},
    ),
    "pairs": (answers({"results": [["a", 0.9], ["b", 0.9]]}), {}),
    "by document": (answers({"results": {"a": 0.9, "b": 0.9}}), {}),
    "texts": (answers({"results": [{"id": "a", "score": "0.9"}, {"id": "b", "score": ".9"}]}), {}),
    "lists in lists": (answers({"retrieved_ids": [["a"], ["b"]], "scores": [[0.9], [0.9]]}), {}),
}


@each_of("shape", SCORED)
def test_scores_are_kept_where_records_have_them(tmp_path: Path, shape: str) -> None:
    rows, fields = SCORED[shape]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for held in (rows, tmp_path / "mine.jsonl"):
        [source] = cf.read_runs(held, fields=fields).sources
        assert source.read().rows() == [("q1", "a", 0.9), ("q1", "b", 0.9)]
    options = [word for part, path in fields.items() for word in ("--field", f"{part}={path}")]
    done = run("convert", tmp_path / "mine.jsonl", *options, "--run", tmp_path / "mine.json")
    assert json.loads((tmp_path / "mine.json").read_text()) == {"q1": {"a": 0.9, "b": 0.9}}
    assert "note" not in done.stderr


def test_without_scores_the_order_stands_and_the_audit_says_so(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"query_id": "q1", "retrieved": ["b", "a"]}\n')
    (tmp_path / "golden.jsonl").write_text('{"query_id": "q1", "relevant": ["a"]}\n')
    done = run("convert", tmp_path / "mine.jsonl", "--run", tmp_path / "mine.json")
    assert (
        "note: SET has no scores; the run keeps the order of each list, with scores from its length down to 1"
        in done.stderr
    )
    assert json.loads((tmp_path / "mine.json").read_text()) == {"q1": {"b": 2.0, "a": 1.0}}
    said = run("evaluate", tmp_path / "golden.jsonl", tmp_path / "mine.jsonl", "-m", "RR")
    assert said.stdout.split()[-2:] == ["mine", "0.5000"]
    assert "ranks instead of scores, which order the documents: mine" in said.stderr
    (tmp_path / "mine.jsonl").write_text('{"query_id": "q1", "retrieved": [["b", 2], ["a", 1]]}\n')
    assert "ranks instead" not in run("evaluate", tmp_path / "golden.jsonl", tmp_path / "mine.jsonl", "-m", "RR").stderr


def test_an_empty_list_is_an_answer_and_a_missing_question_is_missing() -> None:
    golden = answers({"relevant": []}, {"relevant": []}, {"relevant": ["a"]})
    given = answers({"retrieved": []}, {"retrieved": None}, {"retrieved": [{"id": "a", "score": 2}]})
    scores = cf.evaluate(golden, {"mine": given}, "NDCGT")
    assert scores.topics == ("q1", "q2", "q3")
    assert scores.values.tolist() == [[[1.0, 0.0, 1.0]]]
    assert scores.audit.runs[0].missing == ("q2",)
    [source] = cf.read_runs({"mine": given}).sources
    assert source.empty_topics == ("q1",)


def test_several_systems_are_named_by_a_field(tmp_path: Path) -> None:
    rows = [
        {"query_id": topic, "retriever": system, "retrieved": found}
        for system, found in (("bm25", ["b", "a"]), ("dense", ["a"]))
        for topic in ("q1", "q2")
    ]
    golden = answers({"relevant": ["a"]}, {"relevant": ["a"]})
    assert cf.evaluate(golden, rows, "RR").by_run()["dense"] == {"q1": {"RR": 1.0}, "q2": {"RR": 1.0}}
    held = cf.read_golden(rows)
    assert ([*held.runs], held.run) == (["bm25", "dense"], {"q1": ["b", "a"], "q2": ["b", "a"]})
    assert str(held).endswith("4 lists")
    with pytest.raises(cf.InputError, match="holds 2 runs, not the one run 'mine'"):
        cf.read_runs({"mine": rows})
    with pytest.raises(cf.InputError, match="has lists of 2 systems: bm25 and dense"):
        held.ranked()
    own = [{"by": row["retriever"], "query_id": row["query_id"], "docs": row["retrieved"]} for row in rows]
    assert list(cf.read_runs(own, fields={"system": "by"})) == ["bm25", "dense"]
    (tmp_path / "rag.jsonl").write_text(json.dumps(rows[0]) + "\n")
    assert list(cf.read_runs(tmp_path / "rag.jsonl")) == ["bm25"]
    assert list(cf.read_runs(f"mine={tmp_path}/rag.jsonl")) == ["mine"]


NESTED: dict[str, Any] = {"bm25": {"q1": {"a": 2.5, "b": 1}, "q2": {}}, "dense": {"q1": ["b", "a"], "q2": ["a"]}}


@each_of("held", [NESTED, {"bm25": {}, **NESTED}, {"one": {"q1": [{"_id": "a", "_score": 2.5}]}}])
def test_runs_by_name_in_a_file_are_what_they_are_in_memory(tmp_path: Path, held: dict[str, Any]) -> None:
    (tmp_path / "runs.json").write_text(json.dumps(held))
    there, here = cf.read_runs(tmp_path / "runs.json"), cf.read_runs(held)
    assert list(there) == list(here)
    for one, other in zip(there.sources, here.sources, strict=True):
        assert (one.read().rows(), one.empty_topics) == (other.read().rows(), other.empty_topics)
        assert one.origin == str(tmp_path / "runs.json")
    plain = {"q1": {"a": 2.5}, "q2": {}}
    (tmp_path / "run.json").write_text(json.dumps(plain))
    assert list(cf.read_runs(tmp_path / "run.json")) == ["run"]


@each_of(
    ("rows", "problem"),
    [
        (answers({"retrieved": [{"id": "a", "score": 1}, {"id": "b"}]}), "1 of 2 documents have no score (retrieved)"),
        (answers({"retrieved_ids": ["a", "b"], "scores": [1.0]}), "2 documents (retrieved_ids) and 1 score (scores)"),
        (
            answers({"retrieved": ["a"]}, {"retrieved": [["a", 1]]}),
            "the documents of 'q2' have scores, and those befor",
        ),
        (answers({"retrieved": [{"id": "a", "doc_id": "b"}]}), 'fields={"retrieved": "retrieved.id"}'),
        (answers({"retrieved": [{"id": "a", "score": "high"}]}), "the score 'high' is not a number"),
        (answers({"relevant": ["a"]}), "says what is relevant, and not what was retrieved: give the golden set first"),
        (answers({"where": ["a b c", "d e f"]}), 'add fields={"retrieved_texts": "where"}'),
    ],
)
def test_answers_that_are_refused(rows: list[Any], problem: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.read_runs(rows)
    assert problem in str(caught.value), caught.value
    assert "\n" not in str(caught.value)


def test_answers_for_qrels_are_told() -> None:
    with pytest.raises(cf.InputError, match="says what was retrieved, and not what is relevant: give the golden set"):
        cf.evaluate(answers({"retrieved": ["a"]}), {"q1": ["a"]}, "RR")


def test_a_field_that_no_record_has_is_refused() -> None:
    rows = [{"qid": "q1", "gold": ["a"], "found": ["a"]}]
    with pytest.raises(cf.InputError, match=r"golt.*did you mean `gold`"):
        cf.evaluate(rows, rows, "RR", fields={"relevant": "golt", "retrieved": "found"})
    with pytest.raises(cf.InputError, match=r"fond.*did you mean `found`"):
        cf.evaluate(rows, rows, "RR", fields={"relevant": "gold", "retrieved": "fond"})
    assert cf.evaluate(rows, rows, "RR", fields={"relevant": "gold", "retrieved": "found"}).averages.item() == 1


def test_answers_go_wherever_runs_go(tmp_path: Path) -> None:
    golden, mine, other = (str(tmp_path / f"{name}.jsonl") for name in ("golden", "mine", "other"))
    for path, part, found in ((golden, "relevant", "a"), (mine, "retrieved", "ba"), (other, "retrieved", "ab")):
        rows = [{"query_id": f"q{number}", part: [*found]} for number in range(8)]
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "a  other  1.0000" in run("compare", golden, mine, other, "-m", "RR").stdout.replace("b  ", "a  ")
    assert "better" in run("gate", golden, mine, other, "-m", "RR").stdout
    assert "other leads mine by 0.5000 in RR" in run("report", golden, mine, other, "-m", "RR", "--sentences").stdout
    assert run("why", golden, mine, other, "-m", "RR").stdout.split("\n")[1].split()[:2] == ["a", "1"]
    assert run("check", mine, "--qrels", golden).exit_code == 0
    rows = [json.loads(line) for line in Path(mine).read_text().splitlines()]
    for held in (rows, {"run": rows}, [mine]):
        [checked] = cf.check(held, qrels=golden).runs
        assert [found.code for found in checked.findings] == []
    assert "mine" in run("curve", golden, mine, "-m", "P").stdout


def test_rows_whose_topic_has_a_name_of_its_own_are_no_documents_of_one_topic(tmp_path: Path) -> None:
    rows = [{"search_term": "bag", "docno": "a", "score": 1.0}, {"search_term": "lamp", "docno": "b", "score": 1.0}]
    with pytest.raises(cf.InputError, match=r'add columns=\{"query_id": "search_term"\}'):
        cf.read_runs(rows)
    assert cf.read_run(rows, columns={"query_id": "search_term"}).rows() == [("bag", "a", 1.0), ("lamp", "b", 1.0)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert cf.read_run(tmp_path / "rows.jsonl", columns={"query_id": "search_term"}).height == 2


def test_topics_in_the_index_of_a_frame() -> None:
    frame = pd.DataFrame({"doc_ids": [["a"], []]}, index=pd.Index(["q1", "q2"], name="qid"))
    assert cf.read_golden(frame).run == {"q1": ["a"], "q2": []}
