"""The explorer's pages say what the library says, and nothing that users bring can do harm."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from typing import Any

import polars as pl
import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.page import EXPLORER_PAGES
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.figures import figure_of_lists
from cranfield.app.explorer.questions.lists import MOST_LISTS, ListsAsked, lists
from cranfield.app.explorer.questions.pairs import contrasts
from cranfield.app.explorer.serving import explorer
from cranfield.app.web import CSP
from cranfield.demonstration import Docstring, demonstration
from cranfield.formats.topic_files import Topic
from cranfield.pairs.overtaking import overtake

MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)"]


@pytest.fixture(scope="module")
def explored() -> Explored:
    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    runs = cf.join(made.qrels, made.runs, bounds=True)
    return Explored(runs, MEASURES, made.documents, topics, demonstration=True)


@pytest.fixture(scope="module")
def client(explored: Explored) -> TestClient:
    return client_of(explored)


def client_of(explored: Explored) -> TestClient:
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


def csv(client: TestClient, address: str) -> pl.DataFrame:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    return pl.read_csv(answer.content, schema_overrides={"topic": pl.String})


def test_every_page_in_the_menu_is_there(client: TestClient) -> None:
    for page in EXPLORER_PAGES.values():
        if page.place is not None:
            answer = client.get(f"/{page.name}")
            assert answer.status_code == 200
            assert answer.headers["content-security-policy"] == CSP
            assert page.help in answer.text.replace("&#39;", "'")
    assert client.get("/").url.path == "/overview"


def test_tables_are_those_of_the_library(client: TestClient) -> None:
    made = demonstration()
    scores = cf.evaluate(made.qrels, made.runs, MEASURES).sorted_by("AP")
    found = csv(client, "/overview?measure=AP&csv=leaderboard")
    assert found["value"].to_list() == scores.means["value"].to_list()
    per_topic = csv(client, "/overview?measure=AP&csv=scores")
    assert per_topic["value"].to_list() == scores.per_topic["value"].to_list()
    by_topic = csv(client, "/topics?measure=AP&csv=topics")
    values = scores.per_topic.filter(measure="AP").group_by("topic").agg(pl.col("value").mean())
    expected = dict(values.iter_rows())
    assert dict(by_topic.select("topic", "mean").iter_rows()) == pytest.approx(expected)
    assert by_topic["mean"].is_sorted()


def test_two_runs_by_hand() -> None:
    """On topic 1 both find a, one first and one second; on topic 2 their lists have nothing in common."""
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {
        "r": {"1": {"a": 2.0, "x": 1.0}, "2": {"b": 1.0}},
        "s": {"1": {"x": 2.0, "a": 1.0}, "2": {"y": 1.0}},
    }
    found = contrasts(Explored(cf.join(qrels, runs, bounds=True), ["RR"]), "r", "s")
    assert found.table.select("topic", "a", "b", "difference", "shared").rows() == [
        ("2", 1.0, 0.0, 1.0, 0),
        ("1", 1.0, 0.5, 0.5, 2),
    ]


def test_what_it_takes_to_overtake(client: TestClient, explored: Explored) -> None:
    ordered = explored.ordered("RBP(p=0.8)").runs
    found = overtake(explored.runs, None, "RBP(p=0.8)", behind=ordered[1], ahead=ordered[0])
    page = client.get("/pair?measure=RBP(p%3D0.8)").text
    assert found.caption() in page


def test_lists_side_by_side(explored: Explored) -> None:
    first, second = lists(explored, ListsAsked("15", ("bm25", "names")))
    listed = demonstration().runs["bm25"]["15"]
    assert [entry.document for entry in first.entries] == list(listed)[:20]
    assert first.length == len(listed)
    judged = demonstration().qrels["15"]
    for entry in second.entries:
        assert entry.grade == judged.get(entry.document)
        place = list(listed).index(entry.document) + 1 if entry.document in listed else None
        assert (entry.other, entry.alone) == (place, place is None)
        assert (entry.state == "unjudged") == (entry.document not in judged)


def test_what_if_is_evaluate_of_what_is_downloaded(client: TestClient) -> None:
    made = demonstration()
    document = list(made.runs["bm25"]["15"])[9]
    changes = json.dumps([["bm25", document, 1], [document, 2]])
    asked: dict[str, Any] = {"topic": "15", "run": "bm25", "changes": changes}
    page = client.get("/topic", params=asked)
    assert "Changed." in page.text
    values = pl.read_csv(client.get("/topic", params=asked | {"csv": "values"}).content)
    qrels = client.get("/changed/qrels", params=asked).content
    run = client.get("/changed/run", params=asked | {"name": "bm25"}).content
    scores = cf.evaluate(io.BytesIO(qrels), {"bm25": io.BytesIO(run)}, MEASURES)
    ours = values.filter(run="bm25")["after"].to_list()
    assert ours == scores.averages[:, 0].tolist()


def test_figures_in_every_format(client: TestClient) -> None:
    spec = client.get("/figure/crp.json?topic=15&run=bm25").json()
    assert "Cumulated relative position" in spec["description"]
    assert client.get("/figure/crp.svg?topic=15&run=bm25").content.startswith(b"<svg")
    assert client.get("/figure/heatmap.png").content.startswith(b"\x89PNG")
    assert client.get("/figure/heatmap.exe").status_code == 400
    assert "there is no figure" in client.get("/figure/nothing.json").text


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("/topic", "the address lacks topic"),
        ("/topic?topic=99", "the qrels have no topic"),
        ("/topic?topic=15&run=nobody", "no run is called"),
        ("/topic?topic=15&changes=[1", "changes cannot be read"),
        ("/topic?topic=15&changes=[[1,2,3,4]]", "changes cannot be read"),
        ("/topic?topic=15&changes=5", "changes cannot be read"),
        ('/topic?topic=15&changes=[["bm25","nothing",1]]', "did not retrieve document"),
        ("/topic?topic=15&first=0", "first is a number from 1 to 1000"),
        ("/topic?topic=15&first=x", "first is a number from 1 to 1000"),
        ("/topics?measure=Foo", "no measure here is called"),
        ("/document?topic=15&document=nothing", "no run retrieved document"),
        ("/overview?csv=nothing", "no table here is called"),
        ("/pair?a=nobody", "no run is called"),
    ],
)
def test_what_cannot_be_shown_is_said(client: TestClient, address: str, problem: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert problem in answer.text.replace("&#39;", "'")


def test_only_this_machine_is_answered(client: TestClient) -> None:
    assert client.get("/overview", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/overview", headers={"host": "127.0.0.1:8017"}).status_code == 200


def test_script_is_text_wherever_it_stands() -> None:
    evil = "<script>alert(1)</script>"
    runs = {evil: {evil: {evil: 1.0, "b": 0.5}}, "other": {evil: {"b": 1.0}}}
    topics = {evil: Topic(evil, evil)}
    documents = {evil: Docstring(evil, evil, evil)}
    client = client_of(Explored(cf.join({evil: {evil: 1}}, runs, bounds=True), "RR", documents, topics))
    addresses = ["/overview", "/topics", "/pair", "/topic?topic={0}", "/document?topic={0}&document={0}"]
    for address in addresses:
        answer = client.get(address.format("%3Cscript%3Ealert(1)%3C/script%3E"))
        assert answer.status_code == 200
        assert evil not in answer.text


def test_a_page_brings_the_curves_of_its_lists_along(client: TestClient) -> None:
    page = client.get("/topic?topic=15&run=bm25&run=cosine").text
    places = re.findall(
        r'data-figure="([^"]+)" data-slot="curves[^"]+"><script type="application/json">(.+?)</script>', page
    )
    assert len(places) == 2
    for address, came in places:
        assert json.loads(came) == client.get(unescape(address)).json()


def test_the_first_change_draws_one_figure(client: TestClient, explored: Explored) -> None:
    """The curves of what was were drawn for the page before it."""
    topic, run = explored.runs.topics[1], explored.runs.runs[0]
    at = f"/topic?topic={topic}&run={run}"
    client.get(at)
    [entry] = lists(explored, ListsAsked(topic, (run,)))[0].entries[1:2]
    drawn = figure_of_lists.cache_info().misses
    client.get(f"{at}&changes={json.dumps([[run, entry.document, 1]])}")
    assert figure_of_lists.cache_info().misses == drawn + 1


def test_what_cannot_be_drawn_is_not_brought_along() -> None:
    client = client_of(Explored(cf.join({"1": {"a": 0}}, {"r": {"1": {"a": 1.0}}}, bounds=True), "RR"))
    page = client.get("/topic?topic=1").text
    assert "application/json" not in page
    [address] = re.findall(r'data-figure="([^"]+)"', page)
    assert "no document is relevant here" in client.get(unescape(address)).text


def test_other_lists_can_be_named(client: TestClient) -> None:
    page = client.get("/topic?topic=15&run=bm25&run=cosine&run=").text
    assert re.findall(r'name="run" value="([^"]+)" checked', page) == ["bm25", "cosine"]
    offered = re.findall(r'<option value="([^"]+)">', page.partition('<datalist id="others">')[2])
    assert set(demonstration().runs) - {"bm25", "cosine"} <= set(offered)


def test_more_lists_than_fit_are_refused(explored: Explored) -> None:
    many = {f"run{i}": {"1": {"a": 1.0}} for i in range(MOST_LISTS + 1)}
    client = client_of(Explored(cf.join({"1": {"a": 1}}, many, bounds=True), "RR"))
    asked = "&".join(f"run={name}" for name in many)
    assert "side by side" in client.get(f"/topic?topic=1&{asked}").text


def test_one_run_on_one_topic() -> None:
    client = client_of(Explored(cf.join({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, bounds=True), "RR"))
    for address in ("/overview", "/topics", "/pair", "/topic?topic=1", "/document?topic=1&document=a"):
        assert client.get(address).status_code == 200


def test_other_orders_of_a_list(client: TestClient) -> None:
    """The ideal list has the relevant documents alone; the best order has the run's own, the best first."""
    made = demonstration()
    judged = made.qrels["15"]
    asked = "/topic?topic=15&run=bm25&run=cosine&first=1000"
    ideal = csv(client, f"{asked}&order=ideal+list&order=best+order&csv=lists")
    assert ideal["order"].unique(maintain_order=True).to_list() == ["ideal list", "best order"]
    best = ideal.filter(run="bm25")
    grades = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    assert best["grade"].to_list() == grades
    own = ideal.filter(run="cosine")
    assert set(own["document"]) == set(made.runs["cosine"]["15"])
    known = [grade or 0 for grade in own["grade"].to_list()]
    assert known == sorted(known, reverse=True)
    page = client.get(f"{asked}&order=ideal+list").text
    assert '<td class="number">1.0000</td>' in page  # its nDCG@10
    assert "a list is shown" in client.get(f"{asked}&order=nothing").text


def test_curves_are_those_of_a_trace(client: TestClient) -> None:
    made = demonstration()
    found = csv(client, "/topic?topic=15&run=bm25&to=30&csv=curves")
    expected = cf.trace(made.qrels, {"bm25": made.runs["bm25"]}, topic="15", last_rank=30).steps
    run = made.runs["bm25"]["15"]
    listed = sorted(run, key=lambda document: (run[document], document), reverse=True)
    assert found["doc_id"].to_list() == listed[:30]  # also of what nobody judged
    for column in ("rp", "crp", "gain", "delta_gain"):
        assert found[column].to_list() == pytest.approx(expected[column].to_list(), nan_ok=True)


def test_a_fault_of_ours_is_said(explored: Explored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.app.explorer.pages.topics.by_topic", lambda *_: 1 / 0)
    answer = client_of(explored).get("/topics")
    assert answer.status_code == 500
    assert "a fault of cranfield" in answer.text
    assert "ZeroDivisionError" in answer.text
