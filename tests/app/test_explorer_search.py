"""Whatever has a name is found by it."""

from __future__ import annotations

import io
import time
from html import unescape

import polars as pl
import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.questions.documents import SHOWN_OF_EACH_KIND, listed, search
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.serving import explorer
from cranfield.formats.documents import Document, Documents
from cranfield.formats.topic_files import Topic

QRELS = {"1": {"wing": 2, "tail": 0}, "2": {"wing": 1}}
RUNS = {
    "lifting": {"1": {"wing": 2.0, "winglet": 1.0}, "2": {"Wing-2": 1.0}},
    "dragging": {"1": {"tail": 1.0}, "2": {"winglet": 1.0}},
}
TOPICS = {"1": Topic("What do wings do?", "All about lift"), "2": Topic("Shear flow")}
TEXTS = {"tail": Document("A TAIL is no wing", ""), "unseen": Document("wing", "")}


def explored_of(documents: dict[str, Document] | Documents | None = None) -> Explored:
    return Explored(cf.join(QRELS, RUNS, bounds=True), "AP", documents, TOPICS)


def client_of(explored: Explored) -> TestClient:
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("text", "topics", "runs", "documents"),
    [
        ("wing", ("1",), (), ["wing", "Wing-2", "winglet", "tail"]),  # so called, begins so, holds it
        ("WING tail", (), (), ["tail"]),
        ("lift", ("1",), ("lifting",), []),  # topics by their descriptions, too
        ("2", ("2",), (), ["Wing-2"]),
        ("ing", ("1",), ("lifting", "dragging"), ["Wing-2", "tail", "wing", "winglet"]),
        ("flow shear", ("2",), (), []),
        ("nothing", (), (), []),
        ("", (), (), []),
        (".*", (), (), []),
    ],
)
def test_all_words_must_be_there(
    text: str, topics: tuple[str, ...], runs: tuple[str, ...], documents: list[str]
) -> None:
    found = search(explored_of(TEXTS), text)
    assert found.topics == topics
    assert found.runs == runs
    assert found.documents["doc_id"].to_list() == documents


def test_documents_are_those_that_are_ranked_or_judged() -> None:
    found = listed(explored_of()).sort("doc_id").select("doc_id", "topics").rows()
    assert found == [("Wing-2", ["2"]), ("tail", ["1"]), ("wing", ["1", "2"]), ("winglet", ["1", "2"])]


def test_topics_of_a_higher_grade_come_first() -> None:
    joined = cf.join({"1": {"a": 1}, "2": {"b": 2}, "3": {"a": 3, "b": 0}}, {"run": {"2": {"a": 1.0}}}, bounds=True)
    assert dict(listed(Explored(joined, "AP")).select("doc_id", "topics").iter_rows()) == {
        "a": ["3", "1", "2"],
        "b": ["2", "3"],
    }


def test_titles_come_from_a_file_or_a_dict() -> None:
    rows = [(name, document.title, document.text, 1) for name, document in TEXTS.items()]
    of_file, of_dict = explored_of(Documents.of(rows, "here")), explored_of(TEXTS)
    assert listed(of_file).equals(listed(of_dict))
    assert search(of_file, "no").documents["title"].to_list() == ["A TAIL is no wing"]


def test_links_lead_there() -> None:
    client = client_of(explored_of(TEXTS))
    page = unescape(client.get("/search?find=ing").text)
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    assert "/document?topic=2&document=winglet&measure=AP" in links
    assert "/run?run=lifting&measure=AP" in links
    for link in links:
        if link.startswith(("/topic?", "/document?")):
            assert client.get(link).status_code == 200


def test_a_document_a_row_as_csv() -> None:
    client = client_of(explored_of(TEXTS))
    found = pl.read_csv(io.BytesIO(client.get("/search?find=wing&csv=documents").content), infer_schema=False)
    assert found.columns == ["doc_id", "title", "topic"]
    assert found.select("doc_id", "topic").rows()[:3] == [("wing", "1"), ("wing", "2"), ("Wing-2", "2")]


def test_what_is_not_found_is_said() -> None:
    client = client_of(explored_of())
    assert "contains all of these words." in client.get("/search?find=nothing").text
    assert "Nothing holds" not in client.get("/search").text
    assert "Nothing holds" not in client.get("/search?find=%20").text


def test_no_more_than_the_first_are_shown() -> None:
    runs = {f"run{n}": {"1": {f"doc{place}": float(-place) for place in range(200)}} for n in range(60)}
    client = client_of(Explored(cf.join({"1": {"doc0": 1}}, runs, bounds=True), "RR"))
    page = client.get("/search?find=doc").text
    assert page.count('<th scope="row">') == SHOWN_OF_EACH_KIND
    assert "200 documents, the first 50 here" in page
    assert client.get("/search?find=run").text.count("/run?run=") == SHOWN_OF_EACH_KIND


def test_script_is_text() -> None:
    evil = "<script>alert(1)</script>"
    runs = {evil: {evil: {evil: 1.0}}}
    topics = {evil: Topic(evil, evil)}
    client = client_of(
        Explored(cf.join({evil: {evil: 1}}, runs, bounds=True), "RR", {evil: Document(evil, "")}, topics)
    )
    page = client.get("/search", params={"find": evil}).text
    assert evil not in page
    assert page.count("&lt;script&gt;") >= 5


def test_among_a_hundred_thousand_documents_it_is_found_at_once() -> None:
    ids = [f"doc{n}" for n in range(100_000)]
    run = {str(t): {name: float(-n) for n, name in enumerate(ids[t * 2000 : t * 2000 + 2000])} for t in range(50)}
    documents = Documents.of(((name, f"title of {name} wings", "", 1) for name in ids), "here")
    qrels = {str(t): {ids[t * 2000]: 1} for t in range(50)}
    client = client_of(Explored(cf.join(qrels, {"run": run}, bounds=True), "RR", documents))
    client.get("/search?find=doc1")
    began = time.perf_counter()
    assert "1 document" in client.get("/search?find=wings+doc99999").text
    assert time.perf_counter() - began < 2  # it takes a twentieth of a second where nothing else is done


def test_topics_are_found_by_the_same_words_on_every_page() -> None:
    """By several words, in any order, and by their descriptions."""
    client = client_of(explored_of())
    for find, found in (("lift wings", {"1"}), ("SHEAR", {"2"}), ("", {"1", "2"}), ("lift shear", set())):
        page = client.get("/topics", params={"find": find}).text
        assert {topic for topic in "12" if f"topic={topic}" in page} == found
        assert set(search(explored_of(), find).topics) == (found if find else set())
