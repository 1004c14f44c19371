"""What is odd about runs, and what that is worth: made runs, each with one thing that is odd."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lesson import ONE, OTHER, TOPIC, steps
from cranfield.app.explorer.questions.lists import TERMS, ListsAsked, lists, swap
from cranfield.app.explorer.questions.oddities import OddThing, oddities
from cranfield.app.explorer.questions.possible import possible_table
from cranfield.app.explorer.questions.possible import steps as slider_steps
from cranfield.app.explorer.questions.runs import by_topic, means_of
from cranfield.app.explorer.serving import explorer
from cranfield.demonstration import demonstration
from cranfield.formats.topic_files import Topic
from cranfield.lists.overlap import overlap_at_the_top
from cranfield.statistics.rank_overlap import rbo

QRELS = {topic: {"a": 1, "b": 0, "c": 0} for topic in "1234"}
PLAIN = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in "1234"}


def odd(run: dict[str, dict[str, float]], measure: str = "RR", **others: dict[str, dict[str, float]]) -> list[OddThing]:
    """Return what is odd about a run, alone or beside others."""
    return list(oddities(Explored(cf.join(QRELS, {"odd": run, **others}, bounds=True), [measure]), measure)["odd"])


def test_nothing_is_odd_about_a_plain_run() -> None:
    assert odd(PLAIN) == []


def test_ties_and_what_they_are_worth() -> None:
    """On two of four topics a, which is relevant, shares its score with two others: RR is 1/3, 1/3 to 1, 1 there."""
    run = PLAIN | {topic: dict.fromkeys("abc", 1.0) for topic in "12"}
    [found] = odd(run)
    assert found.short == "ties 0.6667 to 1.0000"
    assert found.says.startswith("50.0% of its documents share their score")
    assert "between 0.6667 (worst grades first) and 1.0000 (best grades first); as ranked it is 0.6667." in found.says


def test_ties_that_change_nothing_are_not_spoken_of() -> None:
    assert odd(PLAIN | {"1": {"a": 3.0, "b": 1.0, "c": 1.0}}) == []


def test_missing_and_empty_topics() -> None:
    [lacks] = odd({topic: PLAIN[topic] for topic in "123"})
    assert lacks.short == "lacks 1 topic"
    said = "It lacks 1 topic of 4 (4). They count 0. Its mean RR is 1.0000 over the other 3 topics and 0.7500 over all."
    assert lacks.says == said


def test_unjudged_documents_and_what_they_could_change() -> None:
    """Before a stands x on each topic: RR is 1/2, and 1 if x were relevant."""
    [found] = odd({topic: {"x": 9.0, **PLAIN[topic]} for topic in "1234"})
    assert found.short == "25% unjudged"
    assert "could be anything from 0.5000 to 1.0000 once everything that any run retrieved is judged." in found.says
    [unsure] = odd({topic: {"x": 9.0, **PLAIN[topic]} for topic in "1234"}, "Twist")
    assert "How far that could change its Twist is not known for sure." in unsure.says


def test_a_near_duplicate() -> None:
    [found] = odd(PLAIN, twin=PLAIN, other={topic: {"c": 2.0, "y": 1.0} for topic in "1234"})[:1]
    assert (found.kind, found.short, found.other) == ("near-duplicate", "like twin", "twin")
    assert "is 1.000. Their mean RR differs by +0.0000." in found.says


def test_scores_that_rise_with_the_rank(tmp_path: Path) -> None:
    """By its ranks the run has a first on each topic, by its scores last."""
    lines = [f"{topic} Q0 {d} {rank} {rank * 1.5} run" for topic in "1234" for rank, d in enumerate("abc", start=1)]
    path = tmp_path / "odd.run"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = oddities(Explored(cf.join(QRELS, [str(path)], bounds=True), ["RR"]), "RR")["odd"]
    assert found[0].short == "scores rise with rank"
    assert found[0].says.endswith("it would have a mean RR of 1.0000 instead of 0.3333.")


def test_nothing_judged() -> None:
    run = {topic: {"x": 2.0, "y": 1.0} for topic in "1234"}
    assert odd(run, plain=PLAIN)[0].short == "nothing judged"


def test_the_overlap_of_all_pairs_is_that_of_two_lists() -> None:
    made = demonstration()
    [batch] = cf.join(made.qrels, made.runs, bounds=True).batches
    (found, topics), compared = overlap_at_the_top(batch), 0
    for i, one in enumerate(batch.runs):
        for j, other in enumerate(batch.runs):
            firsts = [[_first(made.runs[run].get(topic, {})) for run in (one, other)] for topic in batch.topics]
            both = [rbo(a, b).extrapolated for a, b in firsts if a and b]
            assert topics[i, j] == len(both)
            assert found[i, j] == pytest.approx(sum(both) / len(both))
            compared += 1
    assert compared >= 9
    assert found.diagonal() == pytest.approx(1.0)


def _first(scores: dict[str, float]) -> list[str]:
    """Return the first ten documents, ties by the id that is last in byte order."""
    return sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)[:10]


def test_where_all_have_as_much_nobody_is_best() -> None:
    never = {topic: {"b": 1.0} for topic in "1234"}
    explored = Explored(cf.join(QRELS, {"r": never, "s": never}, bounds=True), ["RR"])
    assert by_topic(explored)["best"].to_list() == [None] * 4
    assert means_of(explored, "r")["best"].to_list() == [None]
    page = TestClient(explorer(explored), base_url="http://127.0.0.1").get("/overview").text
    assert "all equal" in page
    alone = Explored(cf.join(QRELS, {"r": never}, bounds=True), ["RR"])
    assert by_topic(alone)["best"].to_list() == ["r"] * 4  # it is the only one


@pytest.fixture(scope="module")
def demo() -> Explored:
    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    runs = cf.join(made.qrels, made.runs, bounds=True)
    return Explored(runs, ["nDCG@10", "AP", "Twist"], made.documents, topics, demonstration=True)


def test_the_steps_of_the_sliders(demo: Explored) -> None:
    found = slider_steps(demo, "AP")
    scores = demo.ordered("AP")
    ranked = found["means"][found["ties"].index("as ranked")][found["shares"].index("as judged")]
    assert found["runs"] == list(scores.runs)
    assert ranked == pytest.approx(scores.averages[1].tolist())
    assert (found["better"], found["unsure"]) == (1.0, "")
    assert all(low <= mean <= high for mean, low, high in zip(ranked, *found["bounds"].values(), strict=True))
    twist = slider_steps(demo, "Twist")
    assert twist["bounds"] is None
    assert "not known for sure" in twist["unsure"]
    table = possible_table(demo, "AP")
    assert table.height == len(found["ties"]) * len(found["shares"]) * len(found["runs"])
    answer = TestClient(explorer(demo), base_url="http://127.0.0.1").get("/possible.json?measure=AP")
    assert answer.json() == found


def test_the_best_exchange_is_the_best_of_all_that_can_be_tried(demo: Explored) -> None:
    """Every exchange among the first 14 documents, tried one by one as two moves; none beats the one that was found."""
    asked = ListsAsked(TOPIC, (ONE,))
    found = swap(demo, asked, ONE, "nDCG@10")
    assert found is not None
    runs = demonstration().runs[ONE]
    listed = lists(demo, asked, 100)[0].entries
    names = [entry.document for entry in listed]

    def value(high: int, low: int) -> float:
        changed = names.copy()
        changed[high - 1], changed[low - 1] = changed[low - 1], changed[high - 1]
        scores = cf.evaluate(demonstration().qrels, {ONE: {**runs, TOPIC: changed}}, "nDCG@10")
        return float(scores.values[0, 0, scores.topics.index(TOPIC)])

    assert value(found.high, found.low) == pytest.approx(found.after)
    tried = [value(high, low) for high in range(1, 10) for low in range(high + 1, 15)]
    assert max(tried) <= found.after + 1e-12


def test_a_better_document_higher_up_can_lower_the_lowest_point() -> None:
    """What the page says of *min*: a of grade 2 goes from rank 5 to the top, in exchange for one of grade 1."""
    qrels = {"1": {"a": 2, **dict.fromkeys("bcdefghij", 1)}}
    before = {"r": {"1": ["b", "c", "d", "e", "a", "v", "w", "x", "y", "z"]}}
    after = {"r": {"1": ["a", "c", "d", "e", "b", "v", "w", "x", "y", "z"]}}
    lowest = "CRPAt(point=turn-around)"
    values = [float(cf.evaluate(qrels, runs, lowest).averages[0, 0]) for runs in (before, after)]
    assert values == [-1 + 4 - 15, -15]
    assert "lifted the curve" in TERMS["min"]


def test_the_lesson_says_what_the_lists_say(demo: Explored) -> None:
    found = steps(demo)
    one, other = lists(demo, ListsAsked(TOPIC, (ONE, OTHER), n=100))
    ranks = {row["mark"]: row["rank"] for row in one.points}
    assert f"To rank {ranks['min']}," in found[0].answer
    assert f"ρ is {one.indicators['ρ']:.2f} and {other.indicators['ρ']:.2f}" in found[1].answer
    client = TestClient(explorer(demo), base_url="http://127.0.0.1")
    assert "A lesson" in client.get("/overview").text
    plain = Explored(demo.runs, ["AP"])
    client = TestClient(explorer(plain), base_url="http://127.0.0.1", raise_server_exceptions=False)
    assert "A lesson" not in client.get("/overview").text
    assert client.get("/lesson").status_code == 400


def test_an_exchange_that_takes_long_to_find_is_found_when_it_is_asked_for(demo: Explored) -> None:
    client = TestClient(explorer(demo), base_url="http://127.0.0.1")
    plain = client.get(f"/topic?topic={TOPIC}&run={ONE}&measure=Twist").text
    assert "Swap ranks" not in plain
    assert "Find the swap of two documents that improves Twist most" in plain
    found = client.get(f"/topic?topic={TOPIC}&run={ONE}&measure=Twist&swap=yes").text
    best = swap(demo, ListsAsked(TOPIC, (ONE,)), ONE, "Twist")
    assert best is not None
    assert f"Swap ranks {best.high} and {best.low}</a>" in found


def test_a_topic_of_many_words_is_whole_on_its_own_page_alone() -> None:
    """Questions of some collections are as long as a page, and stood in every row and above every figure."""
    words = " ".join(f"word{number}" for number in range(200))
    topics = {topic: Topic(words) for topic in QRELS}
    explored = Explored(cf.join(QRELS, {"odd": PLAIN, "other": PLAIN}, bounds=True), "RR", None, topics)
    client = TestClient(explorer(explored), base_url="http://localhost")
    for page in ("overview", "topics", "pair", "run?run=odd", "rankings"):
        shown = client.get(f"/{page}").text
        assert "word9" in shown, page
        assert "word50" not in shown, page
    assert client.get("/topic?topic=1&run=odd").text.count("word199") == 1
    figure = client.get("/figure/why.json?topic=1&run=odd&run=other&measure=RR").text
    assert "word9" in figure
    assert "word50" not in figure
