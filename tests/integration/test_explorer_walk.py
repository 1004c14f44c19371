"""No 500 anywhere: every address of the explorer, with every value that its pages offer, and with odd ones."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.answering import EXPLORER_ROUTES
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.serving import explorer
from cranfield.formats.documents import Document
from cranfield.formats.topic_files import Topic
from cranfield.plots import PLOTS

pytestmark = pytest.mark.integration

MEASURES = ["nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist"]
HOSTILE = "</script><script>alert(1)</script>"
QRELS = {
    "1": {"a": 2, "b": 1, "c": 0, "d": -1},
    "2": {"a": 0, "b": 0},
    HOSTILE: {"a": 1, HOSTILE: 1},
    "4": {f"d{n}": n % 3 for n in range(30)},
}
RUNS = {
    "one": {"1": ["a", "b", "x"], "2": ["b"], HOSTILE: [HOSTILE, "a"], "4": [f"d{n}" for n in range(30)]},
    "two": {"1": ["x", "a"], "4": [f"d{n}" for n in range(29, 0, -2)]},
    HOSTILE: {"1": ["a", "b", "x"], "2": ["b"], HOSTILE: [HOSTILE, "a"], "4": ["d1"]},
    "a b/c?d=e&f": {"1": ["d", "c"], "2": ["a"], HOSTILE: ["y"], "4": ["d2", "z"]},
}
DEEP = "[" * 20_000
ODD = [
    "", " ", "0", "-1", "1e9", "nan", "inf", "-inf", "1e999", "9" * 30, "²", "１", "½", "true", "'", '"', "<b>", "\x00",
    "\r\nX: y", "..", "../../etc/passwd", "%", "é", "𐏿", "\u202e", "x" * 9_000, "[]", "[[]]", "[1]", "{}", "null",
    DEEP,
    '{"a": 1}', '[["a", null]]', '[["a", 1e400]]', '[["a", NaN]]', '[["a", "x"]]', '[[["a"], 1]]', '[["a", {}]]',
    '[["one", "a", 1e400]]', '[["one", "a", 0]]', '[["one", "a", 99]]', '[["one", "nobody", 1]]', '[["a", 1, 2, 3]]',
    '[["one", "x", true]]', '[["a", 1e308]]', '[["a", 5e-324]]', '[["a", null], ["b", null], ["c", null], ["d", null]]',
    '["ab"]', '["abc"]', "AP@0", "P@99999999999999999999", "nDCG@10(x)", "RBP(p=2)", "Nothing", "CRP", "DCG", "CG@5",
    "cut", "ideal list", "csv", "yes", "4", HOSTILE,
]  # fmt: skip
NAMES = (
    "measure", "run", "topic", "document", "a", "b", "by", "figure", "with", "csv", "x", "y", "x_from", "x_to",
    "y_from", "y_to", "pick_run", "pick_topic", "archetype", "find", "first", "to", "n", "order", "changes", "also",
    "as", "overtake", "name", "low.NumRel", "high.NumRel",
)  # fmt: skip


def explored_of(runs: list[str], topics: list[str]) -> Explored:
    """Join some of the runs, on some of the topics, with texts of some documents."""
    texts = {"a": Document("A title", "A text."), "b": Document("b", "<!doctype html><title>b</title><p>B")}
    some = {run: {topic: found for topic, found in RUNS[run].items() if topic in topics} for run in runs}
    some = {run: found for run, found in some.items() if found}
    joined = cf.join({topic: QRELS[topic] for topic in topics}, some, bounds=True)
    return Explored(joined, MEASURES, texts, {"1": Topic("A title", "What is it?", "All of it.")})


def offered(text: str, path: str) -> Iterator[tuple[str, str, str]]:
    """Give what a page offers: paths, and the names and values that may be asked of them."""
    for at in re.findall(r'(?:href|data-figure|src)="([^"]*)"', text):
        to = urlsplit(html.unescape(at))
        if to.path and not to.path.startswith(("/", "?")):
            continue
        for name, value in [("", ""), *parse_qsl(to.query)]:
            yield to.path or path, name, value
    for action, form in re.findall(r'<form[^>]*?method="get" action="([^"]*)"[^>]*>(.*?)</form>', text, re.DOTALL):
        for name, value in re.findall(r'<input[^>]*?name="([^"]*)"[^>]*?value="([^"]*)"', form):
            yield action, name, html.unescape(value)
        for name, options in re.findall(r'<select name="([^"]*)">(.*?)</select>', form, re.DOTALL):
            for value in re.findall(r'<option value="([^"]*)"', options):
                yield action, name, html.unescape(value)


class Walk:
    """A client that remembers where it was, and what went wrong there."""

    def __init__(self, explored: Explored) -> None:
        self.client = TestClient(explorer(explored), base_url="http://127.0.0.1", raise_server_exceptions=False)
        self.seen: set[str] = set()
        self.wrong: list[str] = []

    def get(self, path: str, query: list[tuple[str, str]]) -> str:
        at = f"{path}?{urlencode(query)}"
        if at in self.seen:
            return ""
        self.seen.add(at)
        answer = self.client.get(at)
        readable = answer.status_code < 400 or 'class="problem"' in answer.text or path not in EXPLORER_ROUTES
        if answer.status_code >= 500 or not readable:
            told = re.findall(r'class="problem">(.*?)</p>', answer.text)
            self.wrong.append(f"{answer.status_code} {at[:300]}: {html.unescape(told[0])[-120:] if told else ''}")
        return answer.text if answer.headers.get("content-type", "").startswith("text/html") else ""


FOUR, ONE, FEW = [*RUNS], ["one"], ["", "-1", "nan", "x", "[]", '[["a", null]]']


@pytest.mark.parametrize(
    ("runs", "topics", "odd"),
    [
        pytest.param(FOUR, [*QRELS], ODD, id="four runs"),
        pytest.param(FOUR, ["1"], FEW, id="one topic", marks=pytest.mark.slow),
        pytest.param(FOUR, ["2"], FEW, id="nothing relevant", marks=pytest.mark.slow),
        pytest.param(ONE, [*QRELS], FEW, id="one run", marks=pytest.mark.slow),
        pytest.param(ONE, ["2"], FEW, id="one run, nothing relevant"),
    ],
)
def test_no_address_ends_in_a_fault(runs: list[str], topics: list[str], odd: list[str]) -> None:
    walk = Walk(explored_of(runs, topics))
    with walk.client:  # as a whole: each call by itself starts a thread
        _go_everywhere(walk, topics, odd)
    assert not walk.wrong, f"{len(walk.wrong)} of {len(walk.seen)}:\n" + "\n".join(walk.wrong[:40])
    assert len(walk.seen) > 1_000


def _go_everywhere(walk: Walk, topics: list[str], odd: list[str]) -> None:
    values: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))  # by path, by name
    paths = ["/", "/overview", "/rankings", "/topics", "/pair", "/search?find=a", f"/topic?topic={topics[0]}"]
    paths += ["/run?run=one", f"/document?topic={topics[0]}&document=a", "/overview?figure=parallel&low.NumRel=0"]
    bases = [(urlsplit(at).path, parse_qsl(urlsplit(at).query)) for at in paths]
    for path, query in bases:
        for to, name, value in offered(walk.get(path, query), path):
            values[to][name][value] = None
    moved, regraded = ("changes", '[["one", "a", 1]]'), ("changes", '[["a", 1]]')
    bases += [("/changed/run", [("topic", topics[0]), ("name", "one"), moved])]
    bases += [("/changed/qrels", [("topic", topics[0]), regraded]), ("/document.txt", [("document", "a")])]
    bases += [("/document.html", [("document", "b")]), ("/topic", [("topic", topics[0]), ("run", "one")])]
    for path, query in bases:
        for name in NAMES:
            others = [(each, value) for each, value in query if each != name]
            walk.get(path, others)
            for value in [*values[path][name], *(odd if name in known(path) else ODD[:2])]:
                walk.get(path, [*others, (name, value)])
    for name in [*PLOTS, "nothing", "parallel/x"]:
        asked: list[list[tuple[str, str]]] = [[], [("run", "one")], [("run", "nobody")]]
        asked += [[("measure", "AP"), ("measure", "RR")]]
        asked += [[("measure", each)] for each in ("AP", "Twist", "CRP@10", "DCG@10", "nothing", "P", "RR@x")]
        asked += [[("topic", topic), *rest] for topic in (topics[0], "9") for rest in asked]
        asked += [[("topic", topics[0]), ("run", "one"), ("changes", '[["a", null]]'), ("order", "ideal list")]]
        for query in asked:
            walk.get(f"/figure/{name}.json", query)
        walk.get(f"/figure/{name}.svg", [])
        walk.get(f"/figure/{name}.exe", [])


def known(path: str) -> set[str]:
    """Name what an address may ask of a page: all other names are passed over, and few values are enough of them."""
    every = {"measure", "csv"}
    return {
        "/overview": {*every, "figure", "with", "low.NumRel", "high.NumRel"},
        "/rankings": {*NAMES[10:19], *every, "run", "topic"},
        "/topics": {*every, "find"},
        "/pair": {*every, "a", "b", "by", "topic", "overtake"},
        "/search": {*every, "find"},
        "/topic": {*every, "topic", "run", "first", "to", "n", "order", "changes", "also"},
        "/run": {*every, "run", "low.NumRel", "high.NumRel"},
        "/document": {*every, "topic", "document", "as"},
        "/changed/run": {"topic", "name", "changes"},
        "/changed/qrels": {"topic", "changes"},
        "/document.txt": {"document"},
        "/document.html": {"document"},
    }.get(path, set())
