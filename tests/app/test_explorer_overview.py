"""All runs at a glance, and one of them: what is counted by hand, and what the pages say of it."""

from __future__ import annotations

import re
from math import inf, sqrt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.brushing import Axis, axes, lines
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.figures import figure
from cranfield.app.explorer.questions.pairs import contrasts
from cranfield.app.explorer.questions.runs import (
    archetypes,
    archetypes_by_run,
    by_topic,
    groups,
    means_of,
    odd_lists,
    oddness,
    ranges,
    residuals,
    topics_of,
)
from cranfield.app.explorer.serving import explorer
from cranfield.demonstration import demonstration
from cranfield.formats.topic_files import Topic
from cranfield.plumbing.errors import InputError

MEASURES = ["nDCG@10", "AP", "Twist"]
FIRST, SECOND, NEVER = {"a": 2.0, "x": 1.0}, {"x": 2.0, "a": 1.0}, {"x": 1.0}


@pytest.fixture(scope="module")
def explored() -> Explored:
    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    return Explored(cf.join(made.qrels, made.runs, bounds=True), MEASURES, made.documents, topics)


@pytest.fixture(scope="module")
def client(explored: Explored) -> TestClient:
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


def by_hand() -> Explored:
    """Make two runs of which RR is 1, 1, 1/2 and 1, 1/2, 0."""
    runs = {"r": {"1": FIRST, "2": FIRST, "3": SECOND}, "s": {"1": FIRST, "2": SECOND, "3": NEVER}}
    return Explored(cf.join({topic: {"a": 1} for topic in "123"}, runs, bounds=True), ["RR", "P@1"])


def test_what_is_not_counted_is_left_out() -> None:
    """Of topic 2 the one run has no list, of topic 3 the other, and of topic 4 neither has."""
    judged = {topic: {"a": 1} for topic in "1234"}
    runs = {"r": {"1": SECOND, "2": FIRST}, "s": {"1": FIRST, "3": FIRST}}
    explored = Explored(cf.join(judged, runs, bounds=True, topics="shared"), ["RR", "P@1"])
    table = by_topic(explored, "RR")
    assert table.select("topic", "mean", "least", "most", "best").rows() == [
        ("1", 0.75, 0.5, 1.0, "s"), ("2", 1.0, 1.0, 1.0, "r"), ("3", 1.0, 1.0, 1.0, "s"), ("4", None, None, None, None),
    ]  # fmt: skip
    assert topics_of(explored, "r").select("topic", "RR").rows() == [("1", 0.5), ("2", 1.0)]
    found = contrasts(explored, "r", "s", "RR").table
    assert found.select("topic", "a", "b", "difference").rows() == [("1", 0.5, 1.0, -0.5)]
    assert residuals(explored, "RR") is None
    assert odd_lists(explored, "RR").height == 0
    client = TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)
    for address in ("/", "/topics", "/run?run=r", "/pair?a=r&b=s", "/topic?topic=4", "/topic?topic=2&run=s"):
        assert client.get(address).status_code == 200, address
    apart = Explored(cf.join(judged, {"r": {"1": FIRST}, "s": {"2": FIRST}}, bounds=True, topics="shared"), ["RR"])
    assert contrasts(apart, "r", "s").table.height == 0
    client = TestClient(explorer(apart), base_url="http://127.0.0.1", raise_server_exceptions=False)
    assert [client.get(address).status_code for address in ("/", "/rankings", "/pair?a=r&b=s")] == [200, 200, 400]


def read(client: TestClient, address: str) -> pl.DataFrame:
    answer = client.get(address)
    assert answer.status_code == 200
    return pl.read_csv(answer.content, schema_overrides={"topic": pl.String})


def test_odd_lists_by_hand() -> None:
    """Runs have the means 5/6 and 1/2, topics 1, 3/4 and 1/4, all 2/3: of r on 1 one expects 5/6 + 1 - 2/3 = 7/6."""
    found = odd_lists(by_hand())
    assert set(found.head(2).select("run", "topic").rows()) == {("r", "1"), ("s", "1")}
    [(value, expected, residual)] = found.filter(run="r", topic="1").select("value", "expected", "residual").rows()
    assert (value, expected, residual) == pytest.approx((1, 7 / 6, -1 / 6))
    assert found["residual"].abs().to_list() == pytest.approx([1 / 6] * 2 + [1 / 12] * 4)
    assert oddness(by_hand()) == pytest.approx({"r": sqrt(2) / 12, "s": sqrt(2) / 12})  # (4 + 1 + 1) / 144 / 3


def test_residuals_leave_nothing_of_runs_and_topics(explored: Explored) -> None:
    for measure in explored.measures:
        found = residuals(explored, measure)
        assert found is not None
        assert found.sum(axis=0) == pytest.approx(0, abs=1e-12)
        assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)


def test_what_unjudged_documents_could_change_by_hand() -> None:
    """Before a stands x, which nobody judged: at rank 2, a is first or second."""
    found = ranges(
        Explored(cf.join({"1": {"a": 1, "z": 0}}, {"r": {"1": SECOND}, "s": {"1": FIRST}}, bounds=True), ["RR"])
    )
    assert found.rows() == [("s", 1.0, 1.0, 1.0), ("r", 0.5, 0.5, 1.0)]


def test_ranges_are_those_of_the_library(explored: Explored) -> None:
    made = demonstration()
    bounds = cf.evaluate(made.qrels, made.runs, "AP", bounds=True).sorted_by().means
    assert ranges(explored, "AP").equals(bounds.select("run", "low", "value", "high"))
    with pytest.raises(InputError, match="could change Twist is not known for sure"):
        ranges(explored, "Twist")


def test_runs_that_cannot_be_told_apart_by_hand() -> None:
    """On ten topics one run is always right, the others never: 2 of 1,024 sign patterns go as far."""
    topics = [f"{number}" for number in range(10)]
    runs = {
        "poor": dict.fromkeys(topics, NEVER),
        "good": dict.fromkeys(topics, FIRST),
        "lost": dict.fromkeys(topics, NEVER),
    }
    found = groups(Explored(cf.join({topic: {"a": 1} for topic in topics}, runs, bounds=True), ["RR"]))
    assert found.places.rows() == [(1, "good", 0, 1, 1), (2, "poor", 1, 2, 3), (3, "lost", 1, 2, 3)]
    assert found.others == 0
    assert found.test.startswith("paired t-test, two-sided, below 25 topics with sign flips, Holm correction over 3 ")


def test_a_run_that_did_not_run_is_in_no_group() -> None:
    """Half leads on its five topics, and has no line for the other five: it is named, and not tested."""
    topics = [f"{number}" for number in range(10)]
    runs = {"half": dict.fromkeys(topics[:5], FIRST), "good": dict.fromkeys(topics, FIRST)}
    runs["lost"] = dict.fromkeys(topics, NEVER)
    explored = Explored(cf.join({topic: {"a": 1} for topic in topics}, runs, bounds=True), ["RR"])
    found = groups(explored, "RR")
    assert found.places.rows() == [(1, "good", 0, 1, 1), (2, "half", None, None, None), (3, "lost", 0, 3, 3)]
    assert (found.others, found.not_run) == (0, ["half"])
    page = TestClient(explorer(explored), base_url="http://127.0.0.1").get("/overview?measure=RR&with=groups").text
    assert "Not tested, since it did not run: half." in page and page.count(">did not run</td>") == 1


def test_groups_are_those_of_the_comparison(explored: Explored) -> None:
    made = demonstration()
    found = cf.compare(made.qrels, made.runs, "AP").differences
    places = groups(explored, "AP").places
    place = dict(places.select("run", "place").iter_rows())
    alike = {run: {place[run]} for run in place}
    for one, other in found.filter(~pl.col("significant")).select("run_a", "run_b").iter_rows():
        alike[one].add(place[other])
        alike[other].add(place[one])
    assert 0 < found["significant"].sum() < found.height
    for _, run, others, first, last in places.iter_rows():
        assert (others, first, last) == (len(alike[run]) - 1, min(alike[run]), max(alike[run]))


def test_archetypes_are_counted(explored: Explored) -> None:
    made = demonstration()
    counted = archetypes_by_run(explored)
    assert tuple(counted["run"]) == explored.ordered().runs
    assert counted.drop("run").sum_horizontal().to_list() == [len(made.runs[run]) for run in counted["run"]]
    expected = cf.archetypes(made.qrels, made.runs)
    assert archetypes(explored).equals(expected)
    worst = dict(counted.select("run", "worst").iter_rows())
    assert worst == {run: expected.filter(run=run, archetype="worst").height for run in made.runs}


def test_a_run_by_hand() -> None:
    explored = by_hand()
    assert means_of(explored, "s").rows() == [
        ("RR", 0.5, 2, "r", pytest.approx(5 / 6)),
        ("P@1", pytest.approx(1 / 3), 2, "r", pytest.approx(2 / 3)),
    ]
    found = topics_of(explored, "s")
    assert found.columns == ["topic", "title", "RR", "P@1", "archetype", "residual"]
    assert found.select("topic", "RR", "P@1", "archetype").rows() == [
        ("1", 1.0, 1.0, "ideal"),
        ("2", 0.5, 0.0, "excellent or ups-and-downs"),
        ("3", 0.0, 0.0, "worst"),
    ]
    assert found["residual"].to_list() == pytest.approx([1 / 6, -1 / 12, -1 / 12])


def test_equal_runs_share_their_place() -> None:
    runs = {name: {"1": FIRST} for name in ("one", "same")} | {"last": {"1": SECOND}}
    explored = Explored(cf.join({"1": {"a": 1}}, runs, bounds=True), ["RR"])
    assert [means_of(explored, run)["place"].item() for run in runs] == [1, 1, 3]
    assert topics_of(explored, "one")["residual"].to_list() == [None]  # of one topic there is no model


def test_lines_are_those_of_the_figure(explored: Explored) -> None:
    for run in (None, "bm25"):
        drawn = figure(explored, "parallel", (), () if run is None else (run,)).spec["data"][0]["values"]
        table = lines(explored, run)
        names = [f"v{number}" for number in range(len(axes(explored)))]
        assert {row["name"]: [row[name] for name in names] for row in drawn} == {
            name: values for name, *values in table.rows()
        }
        assert all(row[table.columns[0]] == row["name"] for row in drawn)  # where a click leads


ENDS = st.one_of(st.just(-inf), st.just(inf), st.floats(-1, 30))


@given(ends=st.lists(st.tuples(ENDS, ENDS).map(sorted), min_size=6, max_size=6))
def test_a_line_is_kept_if_it_passes_everywhere(explored: Explored, ends: list[list[float]]) -> None:
    asked = [Axis(name, *end) for name, end in zip(axes(explored), ends, strict=True)]
    expected = [
        topic
        for topic, *values in lines(explored, "bm25").rows()
        if all(axis.low <= value <= axis.high for axis, value in zip(asked, values, strict=True))
    ]
    assert lines(explored, "bm25", asked)["topic"].to_list() == expected


def test_what_is_kept_is_in_the_address(client: TestClient, explored: Explored) -> None:
    address = "/run?run=bm25&low.RecoveryValue=0.2&high.NumRel=10"
    every = lines(explored, "bm25")
    expected = every.filter((pl.col("RecoveryValue") >= 0.2) & (pl.col("NumRel") <= 10))
    assert 0 < expected.height < every.height
    assert read(client, f"{address}&csv=kept")["topic"].to_list() == expected["topic"].to_list()
    page = client.get(address).text
    assert f"{expected.height} of {every.height} topics kept" in page
    assert 'name="low.RecoveryValue" value="0.2"' in page
    assert "Keep all" in page
    turned = read(client, "/run?run=bm25&low.NumRel=10&high.NumRel=2&csv=kept")
    assert turned["topic"].to_list() == every.filter(pl.col("NumRel").is_between(2, 10))["topic"].to_list()
    kept = read(client, "/overview?figure=parallel&low.RecoveryValue=0.2&csv=kept")
    assert kept["run"].to_list() == lines(explored).filter(pl.col("RecoveryValue") >= 0.2)["run"].to_list()


def test_the_overview_has_the_audit_of_evaluate(client: TestClient) -> None:
    made = demonstration()
    audit = cf.evaluate(made.qrels, made.runs, MEASURES).audit
    page = client.get("/overview").text
    assert all(f"Audit: {line}." in page for line in audit.lines("--rel"))
    assert 'class="problem"' not in page
    found = read(client, "/overview?csv=audit")
    assert found["unjudged@10"].to_list() == [run.unjudged[0] for run in audit.runs]


def test_what_is_wrong_comes_first_on_the_overview() -> None:
    runs = {"part": {"1": FIRST}, "<b>": {"1": FIRST, "2": SECOND}}
    explored = Explored(cf.join({"1": {"a": 1}, "2": {"a": 2, "x": 1}}, runs, bounds=True), ["RR"])
    client = TestClient(explorer(explored), base_url="http://127.0.0.1")
    page = client.get("/overview").text
    worst, rest = (page.index(each) for each in ("Audit: warning: 1 of 2 runs lacks topics (part: 2)", "Audit: 2 runs"))
    assert page.index("<h1>") < worst < rest < page.index("<h2")
    assert page.rindex('class="problem"', 0, worst) > 0
    assert "<b>" not in page
    assert page.count("&lt;b&gt;") > 1


def test_the_overview_opens_with_who_leads_and_how_sure_that_is(client: TestClient, explored: Explored) -> None:
    page = client.get("/overview?measure=AP").text
    said = cf.compare(explored.runs, measures="AP").opening()
    assert page.index("<h1>") < page.index(said[0]) < page.index(" ".join(said[1:])) < page.index('class="help"')
    one = Explored(cf.join({"1": {"a": 1}}, {"r": {"1": FIRST}}), ["RR"])
    page = TestClient(explorer(one), base_url="http://127.0.0.1").get("/overview").text
    assert "r has RR 1.0000 over 1 topic." in page


def test_the_overview_says_what_is_asked(client: TestClient, explored: Explored) -> None:
    plain = client.get("/overview?measure=AP").text
    assert '"number">could be</th>' not in plain
    assert "Archetypes of rankings</h2>" not in plain
    full = client.get("/overview?measure=AP&with=ranges&with=groups&with=archetypes").text
    low, high = ranges(explored, "AP").select("low", "high").row(0)
    assert '"number">could be</th>' in full
    assert f"{low:.4f} to {high:.4f}" in full
    assert f"{groups(explored, 'AP').others} other run" in full
    assert "archetype=typical+A&amp;run=bm25" in full
    refused = client.get("/overview?measure=Twist&with=ranges")
    assert refused.status_code == 200
    assert "not known for sure" in refused.text
    assert read(client, "/overview?csv=odd-lists").height == len(explored.runs.runs) * len(explored.runs.topics)


def test_five_hard_topics_and_ten_odd_lists(client: TestClient) -> None:
    page = client.get("/overview").text
    hardest, odd = (
        re.search(rf'aria-label="{name} (?:topics|lists)">(.*?)</table>', page, re.S) for name in ("Hardest", "Odd")
    )
    assert hardest is not None
    assert odd is not None
    assert hardest[1].count("<tr>") == 1 + 5
    assert odd[1].count("<tr>") == 1 + 10


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("/run", "the address lacks run"),
        ("/run?run=nobody", "no run is called"),
        ("/run?run=bm25&low.CRPN=much", "low.CRPN is a number, not 'much'"),
        ("/run?run=bm25&low.CRPN=nan", "low.CRPN is a number, not 'nan'"),
        ("/overview?csv=kept", "no table here is called"),
    ],
)
def test_what_cannot_be_shown_is_said(client: TestClient, address: str, problem: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert problem in answer.text.replace("&#39;", "'")


def test_script_is_text_wherever_it_stands() -> None:
    evil = "<script>alert(1)</script>"
    runs = {evil: {evil: {evil: 1.0, "b": 0.5}}, "other": {evil: {"b": 1.0}}}
    explored = Explored(cf.join({evil: {evil: 1}}, runs, bounds=True), "RR", None, {evil: Topic(evil, evil)})
    client = TestClient(explorer(explored), base_url="http://127.0.0.1")
    for address in (
        "/overview?with=ranges&with=groups&with=archetypes&figure=parallel&low.NumRel=0",
        "/run?run=%3Cscript%3Ealert(1)%3C/script%3E&low.NumRel=0",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert evil not in answer.text


def test_one_run_on_one_topic() -> None:
    explored = Explored(cf.join({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, bounds=True), "RR")
    client = TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)
    for address in ("/overview?figure=parallel&low.NumRel=1", "/overview?with=groups&with=ranges", "/run?run=r"):
        assert client.get(address).status_code == 200
    assert "a comparison needs at least two runs" in client.get("/overview?with=groups").text
