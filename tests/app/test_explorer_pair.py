"""Two runs: where they differ, which documents decide that, and what it would take to overtake."""

from __future__ import annotations

import html
import io
import json
import re
from urllib.parse import parse_qs, urlparse

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.pages import pair as page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.pairs import TOPIC_ORDERS, contrasts, decisive, reason, reckoned
from cranfield.app.explorer.serving import explorer
from cranfield.demonstration import demonstration
from cranfield.formats.topic_files import Topic
from cranfield.plumbing.errors import InputError

SUMS = ["RBP(p=0.8)", "P@5", "DCG@10", "INSQ"]
OTHERS = ["nDCG@10", "AP", "ERR", "gP@5", "Twist", "BalancePoint", "gmAP", "Rprec"]
A, B = "bm25", "likelihood"


@pytest.fixture(scope="module")
def explored() -> Explored:
    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    return Explored(cf.join(made.qrels, made.runs, bounds=True), [*SUMS, *OTHERS], made.documents, topics)


@pytest.fixture(scope="module")
def client(explored: Explored) -> TestClient:
    return client_of(explored)


def client_of(explored: Explored) -> TestClient:
    return TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)


def text_of(client: TestClient, **asked: str) -> str:
    answer = client.get("/pair", params=asked)
    assert answer.status_code == 200
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", answer.text)).split())


def test_a_pair_opens_with_the_lead_over_all_topics(client: TestClient, explored: Explored) -> None:
    """Alone they would differ significantly; they were chosen of four runs, and p is that of the overview."""
    alone = cf.compare(explored.runs.of_runs((A, B)), measures="AP").opening()
    every = cf.compare(explored.runs, measures="AP")
    [row] = every.to_polars().filter(run_a=A, run_b=B).rows(named=True)
    led = f"bm25 leads likelihood by {every.duels(A, B)[0].lead:.4f} in AP"  # other Pythons have other texts
    assert (alone[0], row["significant"]) == (f"{led}: a significant difference.", False)
    found = text_of(client, measure="AP", a=A, b=B)
    assert f"{every.duels(A, B)[0].leads()} {' '.join(every.duels(A, B)[0].between())}" in found
    assert f"{led}: too close to call. The lead lies between -" in found
    assert f"p = {row['p_adjusted']:.3f}). {' '.join(alone[2:])} Tested by the {every.method}." in found
    assert "Holm correction over 6 comparisons" in every.method
    assert "leads" not in text_of(client, measure="AP", a=A, b=A)


def test_a_pair_of_which_one_did_not_run_is_not_tested() -> None:
    """Of ten topics two runs have the same four: alone they could be tested, next to the others they did not run."""
    topics = [f"{number}" for number in range(10)]
    runs = {name: {topic: ["a"] for topic in topics[:many]} for name, many in zip("rstu", (4, 4, 10, 10), strict=True)}
    found = Explored(cf.join({topic: {"a": 1} for topic in topics}, runs, bounds=True), ["RR"])
    page = text_of(client_of(found), a="r", b="s")
    assert "Tested by" not in page
    assert "Left out, as they did not run: r (no scores on 6 of 10 topics), s (no scores on 6 of 10 topics)." in page
    assert "ahead of" not in page
    page = text_of(client_of(found), a="r", b="t")
    assert "t has RR 1.0000 over 10 topics. Left out, as they did not run: r (no scores on 6 of 10 topics)." in page
    assert "Tested by" in text_of(client_of(found), a="t", b="u")


def csv(client: TestClient, **asked: str) -> pl.DataFrame:
    answer = client.get("/pair", params=asked)
    assert answer.status_code == 200, answer.text
    return pl.read_csv(io.BytesIO(answer.content), schema_overrides={"topic": pl.String, "document": pl.String})


def scored(*documents: str) -> dict[str, float]:
    return {document: -float(place) for place, document in enumerate(documents)}


def test_overlap_is_that_of_the_library(explored: Explored) -> None:
    made = demonstration()
    expected = cf.overlap_of_runs({name: made.runs[name] for name in (A, B)}, per_topic=True).to_polars()
    known = dict(expected.filter(pl.col("topic") != "all").select("topic", "extrapolated").iter_rows())
    found = contrasts(explored, A, B, by="overlap").table
    assert found["overlap"].to_list() == sorted(known.values())
    assert dict(found.select("topic", "overlap").iter_rows()) == pytest.approx(known)


def test_gain_against_effort(explored: Explored) -> None:
    """Once more from the definition, of what evaluate says."""
    made = demonstration()
    runs = {name: made.runs[name] for name in (A, B)}
    values = cf.evaluate(made.qrels, runs, ["AP", "Twist"]).values
    gain, effort = values[:, 0] - values[:, 1]
    expected = [max(0.0, -(g / np.std(gain)) * (e / np.std(effort))) for g, e in zip(gain, effort, strict=True)]
    found = contrasts(explored, A, B, "AP", "effort against gain")
    assert (found.gain, found.effort) == ("AP", "Twist")
    assert found.table["opposed"].to_list() == pytest.approx(sorted(expected, reverse=True))
    assert found.opposed.height == sum(each > 0 for each in expected) > 0
    assert ((found.opposed["gain"] > 0) != (found.opposed["effort"] > 0)).all()


def test_what_is_gain_and_what_is_effort(explored: Explored) -> None:
    looked_at = contrasts(explored, A, B, "BalancePoint")
    assert (looked_at.gain, looked_at.effort) == ("RBP(p=0.8)", "BalancePoint")
    points = contrasts(explored, A, B, "BalancePoint").table
    assert (points["effort"] == -points["difference"]).all()  # less effort is better
    made = demonstration()
    joined = cf.join(made.qrels, made.runs, bounds=True)
    assert contrasts(Explored(joined, "AP"), A, B).effort == "Twist"
    assert contrasts(Explored(joined, "Twist"), A, B).gain == "nDCG@10"
    usual = contrasts(Explored(joined, "AP"), A, B).table.sort("topic")
    assert usual["effort"].to_list() == contrasts(explored, A, B, "AP").table.sort("topic")["effort"].to_list()


def test_orders_by_hand() -> None:
    """On topic 1 the lists are the same; on 2 they share nothing, on 3 one is empty."""
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    r = {"1": scored("a", "x"), "2": scored("b"), "3": scored("c")}
    s = {"1": scored("a", "x"), "2": scored("y", "z")}
    explored = Explored(cf.join(qrels, {"r": r, "s": s}, bounds=True), ["RR"])
    found = contrasts(explored, "r", "s", by="overlap").table
    assert found.select("topic", "overlap").rows() == [("2", 0.0), ("1", 1.0), ("3", None)]
    assert contrasts(explored, "r", "s", by="difference").table["topic"].to_list() == ["2", "3", "1"]
    with pytest.raises(InputError, match="topics are ordered by difference, overlap, effort against gain, not by 'x'"):
        contrasts(explored, "r", "s", by="x")
    assert "1.0000" in text_of(client_of(explored), by="overlap")


def test_deciding_documents_by_hand() -> None:
    """RBP with p = 1/2 adds 1/2, 1/4, 1/8 at ranks 1, 2, 3: a is worth 1/2 - 1/8 to r, b -1/2, c the same to both."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"d": 1}}
    r = {"1": scored("a", "c", "x"), "2": scored("d")}
    s = {"1": scored("b", "c", "a"), "2": scored("d")}
    explored = Explored(cf.join(qrels, {"r": r, "s": s}, bounds=True), ["RBP(p=0.5)", "RR"])
    found = decisive(explored, "r", "s")
    assert found.documents.rows() == [("1", "b", None, 1, 1.0, 0.25), ("1", "a", 1, 3, 1.0, -0.1875)]  # of two topics
    assert (found.better, found.lead, found.rest) == ("s", 0.0625, 0.0)
    assert decisive(explored, "s", "r").documents["to_average"].to_list() == [0.25, -0.1875]
    # By RR the first relevant document brings all: 1 to each list, from a and from b; they are equal.
    equal = decisive(explored, "r", "s", "RR")
    assert equal.documents.select("document", "to_average").rows() == [("a", 0.5), ("b", -0.5)]
    assert (equal.better, equal.lead) == (None, 0.0)


@pytest.mark.parametrize("measure", [*SUMS, *OTHERS])
def test_contributions_have_one_definition(explored: Explored, measure: str) -> None:
    """A document contributes to the average what it contributes on its topic, as `why` says, over all topics."""
    found = decisive(explored, A, B, measure)
    means = dict(zip(explored.runs.runs, explored.scores.averages[explored.place(measure)], strict=True))
    choose = min if measure == "BalancePoint" else max
    assert found.better == choose((A, B), key=means.__getitem__)
    apart = np.log(means[A] / means[B]) if measure == "gmAP" else means[A] - means[B]
    assert found.lead == pytest.approx(abs(apart))
    assert sum(found.documents["to_average"].to_list()) + found.rest == pytest.approx(found.lead)
    largest = found.documents["to_average"].abs().to_numpy()
    assert (np.diff(largest) <= 1e-8).all()  # the largest first; those that are equal on paper in any order
    for row in found.documents.head(4).to_dicts():
        there = reason(explored, A, B, measure, row["topic"])
        [contribution] = there.documents.filter(document=row["document"])["contribution"]
        if measure == "gmAP":  # contributions are to the logarithms here
            continue
        to_a = 1 if there.better in (A, None) else -1
        to_better = 1 if found.better == A else -1
        assert to_a * to_better * contribution / len(explored.runs.topics) == pytest.approx(row["to_average"])
        scored = [demonstration().runs[name].get(row["topic"], {}) for name in (A, B)]
        listed = [sorted(each, key=lambda d: (each[d], d), reverse=True) for each in scored]
        ranks = [each.index(row["document"]) + 1 if row["document"] in each else None for each in listed]
        assert [row["rank_a"], row["rank_b"]] == ranks


lists = st.permutations("abcdef").flatmap(lambda order: st.integers(1, 6).map(lambda n: order[:n]))
grades = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1, max_size=5)
topics = st.lists(st.tuples(grades, lists, lists), min_size=1, max_size=3)


@settings(max_examples=20)
@given(topics, st.sampled_from(["RBP(p=0.5)", "P@2", "CG@3", "nDCG@3", "AP", "ERR", "gP@2", "RBP(p=0.5,rel=2)"]))
def test_every_document_that_decides(made: list[tuple[dict[str, int], list[str], list[str]]], measure: str) -> None:
    """Grades are few and differ widely here, so that without a document the largest grade is often another."""
    qrels = {str(i): judged for i, (judged, _, _) in enumerate(made)}
    runs = {name: {str(i): scored(*each[k]) for i, each in enumerate(made)} for k, name in ((1, "r"), (2, "s"))}
    joined = cf.join(qrels, runs, bounds=True)
    explored = Explored(joined, [measure])
    found = decisive(explored, "r", "s")
    one, other = explored.scores.averages[0]
    assert found.lead == pytest.approx(abs(one - other))
    assert found.documents["to_average"].sum() == pytest.approx(found.lead, abs=1e-9)
    assert found.rest == pytest.approx(0, abs=1e-9)


def test_the_page_does_not_contradict_itself(client: TestClient) -> None:
    for measure in ("RBP(p=0.8)", "AP"):
        said = text_of(client, measure=measure, a=A, b=B)
        assert "All contributions add up to the lead of" in said
        assert "make up the lead" in said
        assert "contribution to the average" in said
        assert "do not add up" not in said
    said = text_of(client, measure="AP", a=A, b=B, topic="15")
    assert "Why: topic 15" in said
    assert "What decides the difference" not in said
    assert "All topics" in said


def test_tables_to_take_away(client: TestClient, explored: Explored) -> None:
    table = csv(client, measure="AP", a=A, b=B, by="overlap", csv="contrasts")
    assert table["topic"].to_list() == contrasts(explored, A, B, "AP", "overlap").table["topic"].to_list()
    assert {"difference", "overlap", "opposed", "shared"} <= set(table.columns)
    found = decisive(explored, A, B, "RBP(p=0.8)")
    assert found.documents.height > page.DOCUMENTS_SHOWN
    rows = csv(client, measure="RBP(p=0.8)", a=A, b=B, csv="deciding")
    assert rows["document"].to_list() == found.documents["document"].to_list()
    assert f"The first {page.DOCUMENTS_SHOWN} of {found.documents.height} documents." in text_of(
        client, measure="RBP(p=0.8)", a=A, b=B
    )


def test_how_few_bring_it_ahead_and_what_if() -> None:
    """By DCG@2 it takes b and c, both of the largest grade; the page of their topic shows what would be then."""
    qrels = {"1": {"a": 2, "d": 1}}
    runs = {"good": {"1": scored("a", "d")}, "poor": {"1": scored("b", "c")}}
    explored = Explored(cf.join(qrels, runs, bounds=True, complete=False), ["DCG@2", "P@2"])
    client = client_of(explored)
    said = text_of(client)
    assert "What would it take for poor to overtake good?" in said
    assert "Documents needed: exactly 2." in said
    table = csv(client, csv="overtaking")
    assert table.columns == ["topic", "document", "adds", "rank_behind", "rank_ahead"]
    assert table.select("document", "rank_behind", "rank_ahead").rows() == [("b", 1, None), ("c", 2, None)]
    [address] = re.findall(r'href="(/topic\?[^"]*changes=[^"]*)"', client.get("/pair").text)
    address = html.unescape(address)
    assert json.loads(parse_qs(urlparse(address).query)["changes"][0]) == [["b", 2.0], ["c", 2.0]]
    values = pl.read_csv(io.BytesIO(client.get(f"{address}&csv=values").content)).filter(measure="DCG@2")
    after = dict(values.select("run", "after").iter_rows())
    assert after["poor"] > after["good"]


TAKEN = [("nDCG@10", "bm25", "names"), ("P@10", A, B), ("RR", A, B), ("Twist", "bm25", "names"), ("RR", B, "names")]
"""Pairs of which the answers differ: a number, a number from and to, none that could, none that was found."""


def test_bounds_are_shown_and_none_can_only_where_it_is_proved() -> None:
    """The page says what `overtake` says of the same; the numbers depend on the docstrings of the Python that runs."""
    made = demonstration()
    joined = cf.join(made.qrels, made.runs, bounds=True)
    client = client_of(Explored(joined, list(dict.fromkeys(measure for measure, _, _ in TAKEN))))
    answers = set()
    for measure, ahead, behind in TAKEN:
        found = cf.overtake(joined, measure=measure, behind=behind, ahead=ahead)
        said = text_of(client, measure=measure, a=ahead, b=behind).partition("What would it take")[2]
        many = found.documents.height
        assert found.says() in said
        assert (f"Documents needed: exactly {many}." in said) == bool(many and found.exact)
        assert (f"Documents needed: at least {found.at_least or 1}, at most {many}." in said) != (
            found.exact or not many
        )
        assert ("whatever grades from 0 to 2 the unjudged documents in these runs have" in said) == (
            found.answer == "none can"
        )
        assert (f"At least {found.at_least} would be needed." in said) == (found.answer == "none found")
        answers.add((found.answer, found.exact))
    assert {("these", True), ("these", False), ("none can", True)} <= answers


def test_what_takes_long_is_worked_out_when_asked_for(explored: Explored, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reckoned(explored, A, B, "RBP(p=0.8)") == reckoned(explored, A, B, "gmAP") == 0.0
    assert reckoned(explored, A, B, "Twist") > 0.0
    client = client_of(explored)
    monkeypatch.setattr(page, "QUICK_SECONDS", 0.0)
    said = text_of(client, measure="Twist")
    assert "Work it out" in said
    assert "By Twist this takes about" in said
    [address] = re.findall(r'href="([^"]*)#overtake"', client.get("/pair?measure=Twist").text)
    assert "Work it out" not in client.get(html.unescape(address)).text
    assert "was not computed" in client.get("/pair?measure=Twist&csv=overtaking").text
    assert client.get("/pair?measure=Twist&csv=overtaking&overtake=yes").status_code == 200
    assert "Work it out" not in text_of(client, measure="RBP(p=0.8)")  # sums are quick


def test_what_is_not_known_is_said(client: TestClient) -> None:
    said = text_of(client, measure="gmAP")
    assert "That is not known: gmAP has a geometric mean; overtake needs an arithmetic one." in said


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"by": "nothing"}, "topics are ordered by difference, overlap, effort against gain, not by 'nothing'"),
        ({"topic": "99"}, "the qrels have no topic '99'"),
        ({"csv": "nothing"}, "no table here is called 'nothing'; the tables are contrasts, why, deciding, overtaking"),
    ],
)
def test_what_cannot_be_shown_is_said(client: TestClient, asked: dict[str, str], problem: str) -> None:
    answer = client.get("/pair", params=asked)
    assert answer.status_code == 400
    assert problem in html.unescape(answer.text)


def test_a_run_beside_itself(client: TestClient) -> None:
    for by in TOPIC_ORDERS:
        assert "A run is no different from itself." in text_of(client, a=A, b=A, by=by)


def test_all_measures(explored: Explored) -> None:
    """Whatever is measured, every question has an answer."""
    for measure in explored.measures:
        for by in TOPIC_ORDERS:
            assert contrasts(explored, A, B, measure, by).table["opposed"].is_finite().all()
