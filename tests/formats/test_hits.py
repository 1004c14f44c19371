"""Documents as engines and libraries hand them over are runs and golden sets, or are refused in a line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.formats import read_qrels, read_run, read_runs
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class LangChain:
    """langchain_core.documents.Document."""

    page_content: str = ""
    id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class Haystack:
    """haystack.Document."""

    id: str
    content: str = ""
    score: float | None = None
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass
class TextNode:
    """llama_index.core.schema.TextNode."""

    id_: str

    @property
    def node_id(self) -> str:
        return self.id_


@dataclass
class NodeWithScore:
    """llama_index.core.schema.NodeWithScore."""

    node: TextNode
    score: float | None = None

    @property
    def node_id(self) -> str:
        return self.node.node_id


@dataclass
class Response:
    """llama_index.core.base.response.schema.Response."""

    source_nodes: list[NodeWithScore]


@dataclass
class Answer:
    """elastic_transport.ObjectApiResponse: it has a body, and is no Mapping."""

    body: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.body[key]


@dataclass
class Evaluator:
    """What has relevant_docs: sentence-transformers' InformationRetrievalEvaluator, LlamaIndex' EmbeddingQA set."""

    relevant_docs: dict[str, Any]


class Point(NamedTuple):
    """A hit of three fields, as qdrant_client's ScoredPoint."""

    id: str
    version: int
    score: float


def _elastic(*hits: tuple[str, float | None]) -> dict[str, Any]:
    listed = [{"_index": "i", "_id": name, "_score": score, "_source": {"id": "x"}} for name, score in hits]
    return {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": listed}}


_RATED = {
    "requests": [
        {"id": "q1", "request": {}, "ratings": [{"_index": "i", "_id": "b", "rating": 2}, {"_id": "a", "rating": 0}]},
        {"id": "q2", "request": {}, "ratings": []},
    ],
    "metric": {"precision": {"k": 5}},
}
_RANKED = {
    "metric_score": 0.5,
    "details": {
        "q1": {"hits": [{"hit": {"_id": "b", "_score": 2.5}, "rating": 2}, {"hit": {"_id": "a", "_score": 1.0}}]},
        "q2": {"metric_score": 0, "unrated_docs": [], "hits": []},
    },
    "failures": {},
}  # fmt: skip

SCORED: dict[str, Any] = {
    "Elasticsearch's answers": {"q1": _elastic(("b", 2.5), ("a", 1.0)), "q2": _elastic()},
    "answers of its client": {"q1": Answer(_elastic(("b", 2.5), ("a", 1.0))), "q2": Answer(_elastic())},
    "hits": {"q1": _elastic(("b", 2.5), ("a", 1.0))["hits"]["hits"], "q2": []},
    "an answer of _rank_eval": _RANKED,
    "the same of its client": Answer(_RANKED),
    "sentence-transformers": {"q1": [{"corpus_id": "b", "score": 2.5}, {"corpus_id": "a", "score": 1}], "q2": []},
    "LangChain with scores": {"q1": [(LangChain(id="b"), 2.5), (LangChain(id="a"), 1.0)], "q2": []},
    "LlamaIndex": {"q1": [NodeWithScore(TextNode("b"), 2.5), NodeWithScore(TextNode("a"), 1.0)], "q2": []},
    "its responses": {"q1": Response([NodeWithScore(TextNode("b"), 2.5), NodeWithScore(TextNode("a"), 1.0)]), "q2": []},
    "its JSON": {"q1": [{"node": {"id_": "b"}, "score": 2.5}, {"node": {"id_": "a"}, "score": 1.0}], "q2": []},
    "Haystack": {"q1": [Haystack("b", score=2.5), Haystack("a", score=1.0)], "q2": []},
    "its retrievers": {
        "q1": {"documents": [Haystack("b", score=2.5), Haystack("a", score=1)]},
        "q2": {"documents": []},
    },
    "named tuples": {"q1": [Point("b", 1, 2.5), Point("a", 1, 1.0)], "q2": []},
    "pairs of a topic and its hits": [("q1", [{"id": "b", "score": 2.5}, {"id": "a", "score": 1.0}]), ("q2", [])],
}
"""The same run: of q1 b with 2.5 and then a with 1, of q2 nothing."""


@each_of("who", SCORED)
def test_a_run_is_read_as_it_is_handed_over(who: str) -> None:
    assert read_run(SCORED[who]).rows() == [("q1", "b", 2.5), ("q1", "a", 1.0)]
    [source] = read_runs(SCORED[who]).sources
    assert source.empty_topics == ("q2",)
    assert list(read_runs({"mine": SCORED[who], "other": {"q1": ["a"]}})) == ["mine", "other"]
    assert cf.evaluate({"q1": ["a"], "q2": ["a"]}, {"mine": SCORED[who]}, "RR").averages.tolist() == [[0.25]]


UNSCORED: dict[str, Any] = {
    "LangChain": [LangChain(id="b"), LangChain(id="a")],
    "LlamaIndex": [NodeWithScore(TextNode("b")), NodeWithScore(TextNode("a"))],
    "nodes": [TextNode("b"), TextNode("a")],
    "Haystack": [Haystack("b"), Haystack("a")],
    "sorted by a field": _elastic(("b", None), ("a", None)),
    "ids": ["b", "a"],
}


@each_of("who", UNSCORED)
def test_documents_without_scores_are_in_their_order(who: str) -> None:
    assert read_run({"q1": UNSCORED[who]}).rows() == [("q1", "b", 2.0), ("q1", "a", 1.0)]


GOLDEN: dict[str, tuple[Any, list[tuple[str, str, int]], tuple[str, ...]]] = {
    "ids": ({"q1": ["b", "a", "b"], "q2": []}, [("q1", "b", 1), ("q1", "a", 1)], ("q2",)),
    "sets": ({"q1": {"b", "a"}}, [("q1", "a", 1), ("q1", "b", 1)], ()),
    "LangChain": ({"q1": [LangChain(id="b")], "q2": []}, [("q1", "b", 1)], ("q2",)),
    "grades": ({"q1": [{"id": "b", "grade": 2}, {"id": "a", "grade": 0}]}, [("q1", "b", 2), ("q1", "a", 0)], ()),
    "a request of _rank_eval": (_RATED, [("q1", "b", 2), ("q1", "a", 0)], ("q2",)),
    "an object with relevant_docs": (Evaluator({"q1": {"b"}, "q2": set()}), [("q1", "b", 1)], ("q2",)),
}  # fmt: skip


@each_of("who", GOLDEN)
def test_a_golden_set_is_read_as_people_hold_it(who: str) -> None:
    given, rows, empty = GOLDEN[who]
    assert read_qrels(given).rows() == rows
    joined = cf.join(given, {"q1": ["b"]})
    assert joined.judgments.topics == ("q1", *empty)


@pytest.mark.parametrize("held", [{"q1": ["b", "a"], "q2": [], "q3": {}}, _RATED])
def test_a_file_is_read_as_what_it_holds(held: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "golden.json").write_text(json.dumps(held))
    (tmp_path / "mine.json").write_text(json.dumps({"q1": ["a", "b"]}))
    assert read_qrels(tmp_path / "golden.json").rows() == read_qrels(held).rows()
    answer = CliRunner().invoke(
        main, ["evaluate", str(tmp_path / "golden.json"), str(tmp_path / "mine.json"), "-m", "P@2"]
    )
    scores = cf.evaluate(held, {"mine": {"q1": ["a", "b"]}}, "P@2")
    assert answer.exit_code == 0, answer.output
    assert f"{scores.averages.item():.4f}" in answer.stdout
    assert cf.evaluate(tmp_path / "golden.json", {"mine": {"q1": ["a", "b"]}}, "P@2").topics == scores.topics


def test_an_answer_in_a_file_is_a_run(tmp_path: Path) -> None:
    for name, held in (("answers", SCORED["Elasticsearch's answers"]), ("rank_eval", _RANKED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(held))
        [source] = read_runs(tmp_path / f"{name}.json").sources
        assert source.read().rows() == [("q1", "b", 2.5), ("q1", "a", 1.0)]
        assert source.empty_topics == ("q2",)


def test_the_records_of_a_golden_set_need_no_file() -> None:
    records = [{"user_input": "Why?", "reference_context_ids": ["a"]}]
    assert cf.evaluate(records, {"Why?": ["b", "a"]}, "RR").averages.tolist() == [[0.5]]


def test_ids_and_scores_are_taken_where_they_are_named() -> None:
    chunks = [LangChain(metadata={"source": name}) for name in ("b", "a", "b")]
    columns = {"doc_id": "metadata.source"}
    runs = read_runs({"mine": {"q1": chunks, "q2": []}}, columns=columns, repeated="max")
    assert runs["mine"].rows() == [("q1", "b", 3.0), ("q1", "a", 2.0)]
    assert read_qrels({"q1": chunks}, columns=columns).rows() == [("q1", "b", 1), ("q1", "a", 1)]
    cards = {"q1": [{"id": "x", "page": "b", "near": 0.5}]}
    assert read_runs(cards, columns={"doc_id": "page", "score": "near"})["run"].rows() == [("q1", "b", 0.5)]
    assert read_runs({"q1": [({"page": "b"}, 0.5)]}, columns={"doc_id": "page"})["run"].rows() == [("q1", "b", 0.5)]
    with pytest.raises(InputError, match=r"no column 'place' \(rank\) in any input"):
        read_runs(cards, columns={"rank": "place"})
    with pytest.raises(InputError, match=r"the doc_id \['b'\] is not an id"):
        read_qrels({"q1": [{"page": ["b"]}]}, columns={"doc_id": "page"})
    with pytest.raises(InputError, match=r"no column 'pages' \(doc_id\) in any input; did you mean `page`"):
        read_runs(cards, columns={"doc_id": "pages"})


REFUSED: dict[str, tuple[Any, str]] = {
    "no id": (
        {"q": [LangChain(metadata={"source": "s", "score": 0.5})]},
        "its metadata has source: name the right one",
    ),
    "no id nor metadata": ({"q": [LangChain()]}, "a document of topic 'q' has no id; name what is: columns={"),
    "two ids": ({"q": [{"id": "chunk", "doc_id": "d"}]}, "several ids: id 'chunk', doc_id 'd'; name the right one"),
    "some scores": ({"q": [{"id": "a", "score": 1}, {"id": "b"}]}, "topic 'q': 1 of 2 documents have a score"),
    "no topic": ([{"id": "a", "score": 1}], "a list of documents does not name its topic: give {topic: documents}"),
    "no topics": ([[{"corpus_id": 1, "score": 1}]], "give dict(zip(topics, results))"),
    "two lists of two": ([[{"id": 1}, {"id": 2}], [{"id": 1}, {"id": 2}]], "give dict(zip(topics, results))"),
    "answers in a list": ([_elastic(("a", 1.0))], "give dict(zip(topics, results))"),
    "one answer": (_elastic(("a", 1.0)), "does not name its topic: give {topic: answer}"),
    "_msearch": ({"took": 1, "responses": [_elastic()]}, "give dict(zip(topics, answers['responses']))"),
    "ratings": (_RATED, "a _rank_eval request holds ratings (qrels)"),
    "a score that is a text": ({"q": [{"id": "a", "score": "high"}]}, "the score 'high' is not a number"),
    "a second document that is a number": ({"q": [{"id": "a", "score": 1}, 0.5]}, "a document of topic 'q' has no id"),
}


@each_of("what", REFUSED)
def test_what_would_be_guessed_is_refused_as_a_run(what: str) -> None:
    given, told = REFUSED[what]
    with pytest.raises(InputError) as refused:
        read_runs(given).sources[0].read()
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


REFUSED_AS_QRELS: dict[str, tuple[Any, str]] = {
    "scores": (
        {"q": [Haystack("a", score=0.5)]},
        "have scores but no grades; for a golden set give {topic: [id, ...]}",
    ),
    "an answer": (_RANKED, "a _rank_eval answer holds retrieved documents (a run)"),
    "two requests": ({"requests": [{"id": "q", "ratings": []}] * 2}, "two requests have the id 'q'"),
    "a request whose id is a list": ({"requests": [{"id": ["q"], "ratings": []}]}, "a request has no id"),
    "a request without an id": ({"requests": [{"ratings": []}]}, "a request has no id"),
    "no topics": ([[{"id": 1}]], "give dict(zip(topics, golden))"),
    "splits of MTEB's": (
        Evaluator({"test": {"q": {"a": 1}}}),
        "relevant_docs holds splits, as in MTEB (test): give one",
    ),
}


@each_of("what", REFUSED_AS_QRELS)
def test_what_would_be_guessed_is_refused_as_qrels(what: str) -> None:
    given, told = REFUSED_AS_QRELS[what]
    with pytest.raises(InputError) as refused:
        read_qrels(given)
    assert told in str(refused.value)


def test_distances_are_warned_of() -> None:
    found = [(LangChain(id=name), 0.1 * place) for place, name in enumerate("abcdefgh")]
    assert "rise from the first document of a list to the last" in str(cf.evaluate({"q": ["a"]}, {"q": found}, "RR"))


def test_lists_before_grades_are_swapped() -> None:
    with pytest.raises(InputError, match="qrels and runs seem to be swapped"):
        cf.evaluate({"q": ["a", "b"]}, {"q": {"a": 1, "b": 0}}, "RR")
    fitting = cf.evaluate({"q": ["a", "b"]}, {"q": {"a": 1.0, "b": 0.0}}, "RR")
    assert fitting.averages.tolist() == [[1.0]]
    assert cf.evaluate({"q": {"a": 1}, "p": []}, {"q": {"a": 1, "b": 0}}, "P@1").averages.tolist() == [[0.5]]


def test_a_folder_of_beir_has_its_qrels_and_its_documents(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "A", "text": "first"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "why"}\n')
    assert read_qrels(tmp_path).rows() == [("q1", "a", 1)]
    assert cf.evaluate(str(tmp_path), {"q1": ["b", "a"]}, "RR").averages.tolist() == [[0.5]]
    assert list(cf.read_documents(tmp_path)) == ["a"]
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\ta\t1\n")
    with pytest.raises(
        InputError, match=r"several splits \(dev\.tsv, test\.tsv\): name one of the files, .*test\.tsv$"
    ):
        cf.evaluate(tmp_path, {"q1": ["a"]}, "RR")


def test_hit_rates_have_their_usual_names() -> None:
    names = ("HitRate@10", "hitrate@10", "hit_rate@10", "HR@10", "Hit@10")
    assert [str(cf.parse_measures(name)[0]) for name in names] == ["Success@10"] * len(names)
    assert str(cf.parse_measures("MRR@10")[0]) == "RR@10"
