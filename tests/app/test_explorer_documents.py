"""A document's page: its text, whatever that is, and where it stands."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from html import unescape

import polars as pl
import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.serving import explorer
from cranfield.app.web import FRAMED
from cranfield.formats.documents import Document
from cranfield.formats.topic_files import Topic

PAGE = (
    "<!doctype html><title>On wings</title><link rel=preconnect href='//elsewhere.example'><script>fly()</script>"
    "<a href='//elsewhere.example'>away</a><iframe src='//elsewhere.example'></iframe>"
    "<p>Wings &lt;b&gt; lift."
)
QRELS = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
RUNS = {
    "first": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"c": 1.0}},
    "second": {"1": {"x": 2.0, "a": 1.0}, "2": {"c": 1.0}},
    "third": {"1": {"x": 1.0}, "2": {"y": 1.0}},
}
AT = "/document?topic=1&document=a"


def client_of(documents: Mapping[str, Document] | None = None, measures: object = ("AP", "P@2")) -> TestClient:
    joined = cf.join(QRELS, RUNS, bounds=True)
    explored = Explored(joined, measures, documents, {"1": Topic("What the wings lift")})  # type: ignore[arg-type]
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


def with_text(text: str, title: str = "") -> TestClient:
    return client_of({"a": Document(title, text)})


def test_where_it_stands_in_every_run() -> None:
    page = client_of().get(AT).text
    assert "Its grade is 2." in page
    assert "2 of 3 runs retrieved it" in page
    assert "its best rank is 1, in <a" in page
    assert "other." not in page
    rows = [row.split("</tr>")[0] for row in page.split("<tbody>")[1].split("<tr>")[1:]]
    assert [row.partition("</td>")[0].rpartition(">")[2] for row in rows] == ["1", "2", "not retrieved"]
    assert [name in row for name, row in zip(RUNS, rows, strict=True)] == [True] * 3


def test_runs_that_have_it_at_the_same_rank_are_counted() -> None:
    runs = {name: {"1": {"a": 2.0, "x": 1.0}} for name in ("one", "two", "three")}
    client = TestClient(explorer(Explored(cf.join(QRELS, runs, bounds=True), "AP")), base_url="http://127.0.0.1")
    page = client.get("/document?topic=1&document=a").text
    assert "3 of 3 runs retrieved it; its best rank is 1, in <a" in page
    assert ">one</a> and 2 others." in page


def test_other_topics_that_have_it() -> None:
    """Both topics have x of a run; only the first has a."""
    runs = {"run": {"1": {"a": 2.0, "x": 1.0}, "2": {"x": 1.0, "c": 0.5}}}
    client = TestClient(explorer(Explored(cf.join(QRELS, runs, bounds=True), "AP")), base_url="http://127.0.0.1")
    page = client.get("/document?topic=1&document=x").text
    assert "For 1 other topic, too" in page
    assert 'href="/document?topic=2&amp;document=x&amp;measure=AP"' in page
    assert "other topic" not in client.get(AT).text


def test_a_column_that_adds_up_is_said_to() -> None:
    """P@2 of the first run is 1/2, and a is that half; AP is no sum."""
    client = client_of(measures=("AP", "P@2"))
    page = client.get(AT).text
    assert "P@2 (adds up)" in page
    assert "AP (adds up)" not in page
    found = pl.read_csv(io.BytesIO(client.get(f"{AT}&csv=worth").content))
    assert found.columns == ["run", "rank", "measure", "value", "worth", "adds_up"]
    assert found.filter(run="first", measure="P@2")["worth"].item() == 1 / 2
    assert found.filter(run="first", measure="AP")["worth"].item() == 1.0


def test_the_best_run_by_the_measure_is_first_of_those_that_have_it() -> None:
    """The one has two relevant documents, deep down; the other has one of them, first; the best lacks a."""
    runs = {
        "deep": {"1": {"x": 9.0, "y": 8.0, "a": 7.0}},
        "top": {"1": {"a": 2.0, "b": 1.0}},
        "best": {"1": {"y": 2.0, "z": 1.0}},
    }
    qrels = {"1": {"a": 1, "y": 1, "z": 1}}
    explored = Explored(cf.join(qrels, runs, bounds=True), ["RR", "R@3"])
    client = TestClient(explorer(explored), base_url="http://127.0.0.1")
    for measure, expected in (("RR", ["top", "deep", "best"]), ("R@3", ["deep", "top", "best"])):
        body = client.get(f"{AT}&measure={measure}").text.split("<tbody>")[1]
        assert sorted(runs, key=lambda run: body.index(f">{run}<")) == expected


def test_what_if_leads_to_the_topic_with_another_grade() -> None:
    client = client_of()
    page = unescape(client.get(AT).text)
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    changed = [link for link in links if "changes=" in link]
    assert len(changed) == 3  # 0, 1 or unjudged
    for link in changed:
        answer = client.get(link)
        assert answer.status_code == 200
        assert "Changed." in answer.text


def test_the_only_judgment_of_a_topic_cannot_be_taken_away() -> None:
    assert ">unjudged</a>" not in client_of().get("/document?topic=2&document=c").text
    assert ">unjudged</a>" in client_of().get(AT).text


def test_words_of_the_topic_are_marked_in_what_is_shown() -> None:
    page = with_text("What wings LIFT; wingspan & <lift>").get(AT).text
    assert (
        "What <mark>wings</mark> <mark>LIFT</mark>; wingspan &amp; &lt;<mark>lift</mark>&gt;" in page
    )  # "what" says nothing


def test_there_is_no_text() -> None:
    assert "cranfield explore --docs" in client_of().get(AT).text
    assert "do not include its text" in client_of({}).get(AT).text
    assert "Its text is empty." in with_text("").get(AT).text
    assert client_of().get("/document.txt?document=a").status_code == 400
    assert client_of({}).get("/document.html?document=a").status_code == 400


@pytest.mark.parametrize("text", ["x" * 10**6, "wings in a slipstream\n" * 50_000], ids=["one line", "many lines"])
def test_a_long_text_is_shown_to_its_hundred_thousandth_character(text: str) -> None:
    client = with_text(text)
    client.get(AT)
    began = time.perf_counter()
    page = client.get(AT).text
    assert time.perf_counter() - began < 3  # it takes a tenth of a second where nothing else is done
    assert f"first 100,000 of {len(text):,} characters" in page
    assert len(page) < 400_000
    answer = client.get("/document.txt?document=a")
    assert answer.text == text
    assert answer.headers["content-disposition"] == 'attachment; filename="a.txt"'


def test_what_is_no_letter_is_made_visible() -> None:
    page = with_text("nul \x00 esc \x1b[31m\r\n\tturn \u202egnp.exe\u202c", "\u202eexe").get(AT).text
    assert "nul \\x00 esc \\x1b[31m\n\tturn \\u202egnp.exe\\u202c" in page
    assert "\\u202eexe" in page
    assert "\u202e" not in page


def test_a_page_is_shown_as_text_unless_it_is_asked_for() -> None:
    client = with_text(PAGE)
    page = client.get(AT).text
    assert "<mark>Wings</mark> &lt;b&gt; <mark>lift</mark>." in page
    assert "<iframe" not in page
    assert "fly()" not in page
    page = client.get(f"{AT}&as=page").text
    assert '<iframe class="page" sandbox ' in page
    assert 'src="/document.html?document=a"' in page


def test_a_page_as_it_is_has_a_policy_of_its_own() -> None:
    answer = with_text(PAGE).get("/document.html?document=a")
    assert answer.headers["content-security-policy"] == FRAMED
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-dns-prefetch-control"] == "off"
    assert not any(each in answer.text for each in ("<link", "<a ", "<iframe"))
    assert "<p>Wings &lt;b&gt; lift." in answer.text


def test_what_is_a_text_is_no_page() -> None:
    client = with_text("plain")
    assert "as a page" not in client.get(AT).text
    assert "<iframe" not in client.get(f"{AT}&as=page").text
    assert "is plain text, not a page" in client.get("/document.html?document=a").text


def test_other_texts_can_be_read_too() -> None:
    """Documents are whatever has a title and a text, as those of the demonstration."""
    from cranfield.demonstration import demonstration

    made = demonstration()
    explored = Explored(cf.join(made.qrels, made.runs, bounds=True), "RR", made.documents)
    client = TestClient(explorer(explored), base_url="http://127.0.0.1")
    text = made.documents["glob.glob"].text
    assert client.get("/document.txt?document=glob.glob").text == text
