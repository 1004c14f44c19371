"""Rankings in the explorer: what is chosen is what lies in the rectangle, and what is said of it is counted."""

from __future__ import annotations

import html
import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.figures import figure
from cranfield.app.explorer.questions.rankings_of import (
    NO_LIST,
    Choice,
    archetypes_of,
    chosen,
    rankings_of,
    tallied,
    usual_axes,
)
from cranfield.app.explorer.serving import explorer
from cranfield.demonstration import demonstration
from cranfield.formats.topic_files import Topic

QRELS = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}
RUNS = {"good": {"1": ["a"], "2": ["b", "c"]}, "half": {"1": ["x", "a"]}}


@pytest.fixture(scope="module")
def explored() -> Explored:
    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    joined = cf.join(made.qrels, made.runs, bounds=True)
    return Explored(joined, ["nDCG@10", "AP", "Twist"], made.documents, topics)


@pytest.fixture(scope="module")
def client(explored: Explored) -> TestClient:
    return client_of(explored)


def small(*measures: str) -> Explored:
    return Explored(cf.join(QRELS, RUNS, bounds=True), measures)


def client_of(explored: Explored) -> TestClient:
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


def state_of(page: str) -> dict[str, Any]:
    """Return what the page tells its figure."""
    found = re.search(r"data-rankings='([^']*)'", page)
    assert found
    state: dict[str, Any] = json.loads(html.unescape(found[1]))
    return state


def test_four_rankings_by_hand() -> None:
    """Of topic 1, half has a second: RR 1/2; it has no list for topic 2, which counts 0 by both."""
    found = rankings_of(small("RR", "NumRel"), "RR", "NumRel")
    assert found.rows() == [
        ("good", "1", "ideal", 1.0, 1.0),
        ("good", "2", "ideal", 1.0, 2.0),
        ("half", "1", "excellent or ups-and-downs", 0.5, 1.0),
        ("half", "2", NO_LIST, 0.0, 2.0),
    ]
    few = chosen(found, Choice(x=(0.5, None), y=(None, 1.0)))
    assert few.select("run", "topic").rows() == [("good", "1"), ("half", "1")]  # by y, and then by x
    assert tallied(few, found, "topic").rows() == [("1", 2, 2)]
    assert sorted(tallied(few, found, "run").rows()) == [("good", 1, 2), ("half", 1, 2)]
    kinds = {kind: rest for kind, *rest in archetypes_of(few, found).iter_rows()}
    assert kinds == {
        "ideal": [1, 0.5, pytest.approx(2 / 3)],
        "excellent or ups-and-downs": [1, 0.5, pytest.approx(1 / 3)],
    }
    assert chosen(found, Choice(archetype=NO_LIST)).select("run", "topic").rows() == [("half", "2")]


ENDS = st.one_of(st.none(), st.floats(-0.5, 1.5))


@given(st.tuples(ENDS, ENDS), st.tuples(ENDS, ENDS), st.sampled_from([None, "good", "half"]))
def test_what_lies_in_the_rectangle_is_chosen(
    x: tuple[float | None, float | None], y: tuple[float | None, float | None], run: str | None
) -> None:
    values = [0.0, 0.25, 0.5, 1.0, math.nan]
    rows = [(r, "1", "ideal", a, b) for r in ("good", "half") for a in values for b in values]
    every = pl.DataFrame(rows, schema=["run", "topic", "archetype", "x", "y"], orient="row")

    def inside(value: float, ends: tuple[float | None, float | None]) -> bool:
        low, high = ends
        return (low is None or value >= low) and (high is None or value <= high)

    expected = {
        (r, str(a), str(b)) for r, _, _, a, b in rows if inside(a, x) and inside(b, y) and run in (None, r)
    }  # fmt: skip
    few = chosen(every, Choice(run=run, x=x, y=y))
    assert {(r, str(a), str(b)) for r, _, _, a, b in few.iter_rows()} == expected


def test_rows_are_those_of_the_figure(explored: Explored) -> None:
    """The figure is told which rankings are kept by their places."""
    rows = rankings_of(explored, "Twist", "AP")
    points = figure(explored, "scatter", ("Twist", "AP")).spec["data"][0]["values"]
    assert [tuple(point[name] for name in ("run", "topic", "x", "y")) for point in points] == [
        rows.select("run", "topic", "x", "y").row(point["n"]) for point in points
    ]
    per_topic = explored.scores.per_topic.filter(measure="AP")
    assert rows["y"].to_list() == per_topic["value"].to_list()


def test_the_page_says_what_is_chosen(client: TestClient, explored: Explored) -> None:
    asked = {"x": "Twist", "y": "AP", "run": "bm25", "x_from": "0.3", "y_to": "0.8"}
    page = client.get("/rankings", params=asked).text
    found = pl.read_csv(client.get("/rankings", params=asked | {"csv": "chosen"}).content)
    expected = rankings_of(explored, "Twist", "AP").filter(
        (pl.col("run") == "bm25") & (pl.col("x") >= 0.3) & (pl.col("y") <= 0.8)
    )
    assert found["y"].to_list() == expected["y"].sort(descending=True).to_list()
    assert f"{found.height} of 100 rankings chosen" in page
    state = state_of(page)
    assert state["brush"] == [0.3, None, None, 0.8]
    assert state["kept"] == "".join("01"[run == "bm25"] for run in explored.runs.runs for _ in explored.runs.topics)
    shares = pl.read_csv(client.get("/rankings", params=asked | {"csv": "archetypes"}).content)
    assert shares["share"].sum() == pytest.approx(1)
    assert shares["rankings"].sum() == found.height
    for by in ("runs", "topics"):
        assert (
            pl.read_csv(client.get("/rankings", params=asked | {"csv": by}).content)["rankings"].sum() == found.height
        )


def test_picked_rankings_stand_side_by_side(client: TestClient) -> None:
    asked = {"pick_run": ["bm25", "cosine"], "pick_topic": ["15", "3"]}
    page = client.get("/rankings", params=asked).text
    assert state_of(page)["picks"] == [["bm25", "15"], ["cosine", "3"]]
    for run, topic in state_of(page)["picks"]:
        first = demonstration().runs[run][topic]
        about = html.escape(demonstration().topics[topic])
        assert f'{run} on topic {topic} <span class="title">{about}</span></h2>' in page
        assert page.count(f"crp-and-dcg.json?topic={topic}&amp;run={run}&amp;") == 1
        assert all(f">{html.escape(document)}</a>" in page for document in list(first)[:10])
    assert page.count("data-rank=") == 20


def test_what_is_looked_at_where_nobody_says_it() -> None:
    assert usual_axes(small("AP", "Twist", "RR")) == ("Twist", "AP")
    assert usual_axes(small("Twist", "AP")) == ("Twist", "AP")
    assert usual_axes(small("AP", "Twist"), "Twist") == ("AP", "Twist")
    assert usual_axes(small("RR", "AP")) == ("AP", "RR")
    assert usual_axes(small("RR")) == ("RR", "RR")


def test_of_one_measure_there_is_a_table_and_no_figure() -> None:
    answer = client_of(small("RR")).get("/rankings")
    assert answer.status_code == 200
    assert "Both measures are RR." in answer.text
    assert "scatter.json" not in answer.text


def test_nothing_chosen_and_nothing_relevant() -> None:
    client = client_of(Explored(cf.join({"1": {"a": 0}}, {"r": {"1": ["a"]}}, bounds=True), ["AP", "Twist"]))
    page = client.get("/rankings?y_from=0.5&pick_run=r&pick_topic=1")
    assert page.status_code == 200
    assert "No ranking is chosen." in page.text
    assert "0 of 1 ranking chosen" in page.text


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("x=Foo", "no measure here is called"),
        ("run=nobody", "no run is called"),
        ("topic=99", "the qrels have no topic '99'"),
        ("archetype=odd", "no archetype is called 'odd'; choose from worst"),
        ("x_from=much", "x_from is a number, not 'much'"),
        ("y_to=nan", "y_to is a number, not 'nan'"),
        ("pick_run=bm25", "at most 2 rankings are picked, a run and a topic each, not 1 run and 0 topics"),
        ("&".join(["pick_run=bm25&pick_topic=1"] * 3), "at most 2 rankings are picked"),
        ("pick_run=nobody&pick_topic=1", "no run is called"),
        ("pick_run=bm25&pick_topic=99", "the qrels have no topic"),
    ],
)
def test_what_cannot_be_shown_is_said(client: TestClient, address: str, problem: str) -> None:
    answer = client.get(f"/rankings?{address}")
    assert answer.status_code == 400
    assert problem in html.unescape(answer.text)


def test_names_of_all_kinds_are_text_and_can_be_picked() -> None:
    odd = "'\"><script>alert(1)</script>&x|y, z"
    explored = Explored(cf.join({odd: {odd: 1}}, {odd: {odd: [odd]}, "s": {odd: ["b"]}}, bounds=True), ["RR", "AP"])
    client = client_of(explored)
    answer = client.get("/rankings", params={"run": odd, "pick_run": odd, "pick_topic": odd})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert state_of(answer.text) == {"brush": None, "kept": "10", "picks": [[odd, odd]]}
    beside = [html.unescape(link) for link in re.findall(r'href="(/rankings[^"]*)"', answer.text)]
    assert len(beside) > 4
    for link in beside:
        assert client.get(link).status_code == 200


def test_whose_are_the_rankings_of_much_gain_at_high_effort(data: Path) -> None:
    """As docs/testing-measures.md has it."""
    folder = data / "dl19-passage"
    explored = Explored(
        cf.join(folder / "qrels.txt", folder / "runs", rel=2, bounds=True), ["nDCG@10", "Twist"]
    )  # fmt: skip
    every = rankings_of(explored, "Twist", "nDCG@10")
    few = chosen(every, Choice(x=(None, 0.5), y=(0.8, None)))
    assert (few.height, every.height) == (210, 1591)
    topics, runs = (tallied(few, every, by) for by in ("topic", "run"))
    assert topics.row(0) == ("131843", 35, 37)
    assert [round(table["rankings"].head(5).sum() / few.height, 2) for table in (topics, runs)] == [0.59, 0.26]
    shares = {kind: (share, of_all) for kind, _, share, of_all in archetypes_of(few, every).iter_rows()}
    assert shares["typical B"] == (pytest.approx(0.705, abs=0.001), pytest.approx(0.300, abs=0.001))


def test_a_level_of_relevance_is_said_to_be_that_of_archetypes_alone() -> None:
    """From grade 2 on, a b is ideal; Twist, which tells grades 2 and 3 apart, is not 1."""
    qrels, runs = {"1": {"a": 2, "b": 3}, "2": {"c": 1}}, {"r": {"1": ["a", "b"], "2": ["c"]}, "s": {"1": ["b", "a"]}}
    explored = Explored(cf.join(qrels, runs, rel=2, bounds=True), ["nDCG", "Twist"])
    found = rankings_of(explored, "Twist", "nDCG").rows()
    assert found[0][:3] == ("r", "1", "ideal")
    assert found[0][3] < 1
    assert found[1][:3] == ("r", "2", NO_LIST)
    for page in ("rankings?x=Twist&y=nDCG", "run?run=r", "overview?with=archetypes"):
        text = html.unescape(client_of(explored).get(f"/{page}").text)
        assert "N = 1,000. Archetypes tell apart grades from 2 on and those below, Twist every grade." in text, page
        assert "no list" not in text
