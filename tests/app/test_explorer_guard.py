"""Who is answered by the explorer: those who bring its token, from its own pages, and with addresses that end."""

from __future__ import annotations

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.answering import Wanted, answered
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.serving import Cache, Explorer, application_of
from cranfield.app.guard import LONGEST_ADDRESS, Key, without_token
from cranfield.app.originals import Originals
from cranfield.app.web import Served
from cranfield.formats.documents import Document
from cranfield.formats.topic_files import Topic
from cranfield.measures.framework.measure import REGISTRY
from cranfield.measures.framework.names import forget_names
from cranfield.measures.framework.own import load_measures

QRELS = "1 0 a 1\n1 0 b 0\n2 0 b 1\n"
RUN = "1 Q0 a 1 2.0 r\n1 Q0 b 2 1.0 r\n2 Q0 b 1 1.0 r\n"
SCOPE = {"type": "http", "method": "GET", "scheme": "http", "server": ("127.0.0.1", 8017), "headers": []}
AT = "http://127.0.0.1:8017"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    found = [tmp_path / name for name in ("qrels.txt", "r.run", "s.run")]
    for path, text in zip(found, (QRELS, RUN, RUN.replace("2.0", "0.5")), strict=True):
        path.write_text(text)
    return found


def read(files: list[Path]) -> Explored:
    originals = Originals.of(files)
    return Explored(cf.join(files[0], files[1:], bounds=True), ["AP", "RR"], originals=originals)


def client(explored: Explored, key: Key | None = None, **given: Any) -> TestClient:
    app = application_of(Explorer(explored, **given), key)
    return TestClient(app, base_url=AT, follow_redirects=False, raise_server_exceptions=False)


def test_nothing_is_answered_without_the_token(files: list[Path]) -> None:
    asked = client(read(files), Key())
    for path in ("/", "/overview", "/assets/app.js", "/figure/heatmap.json", "/changed/qrels?topic=1", "/nowhere"):
        answer = asked.get(path)
        assert (answer.status_code, "needs a token" in answer.text) == (403, True), path
        assert asked.get(path, headers={"cookie": "cranfield-8017=guessed"}).status_code == 403
        assert asked.get(path, params={"token": "guessed"}).status_code == 403
    assert asked.post("/anew", headers={"origin": AT}).status_code == 403


def test_one_redirect_takes_the_token_out_of_the_address(files: list[Path]) -> None:
    key = Key()
    asked = client(read(files), key)
    answer = asked.get("/topic", params={"topic": "1", "token": key.token, "run": ["r", "s"]})
    assert (answer.status_code, answer.headers["location"]) == (303, "/topic?topic=1&run=r&run=s")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"cranfield-8017={key.token};")
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert asked.get(answer.headers["location"]).status_code == 200
    assert without_token(Request(SCOPE | {"path": "//elsewhere.example/", "query_string": b"token=x"})) == (
        "/elsewhere.example/"
    )


def test_the_token_of_the_command_line_is_good_once(files: list[Path]) -> None:
    key = Key()
    once = key.once()
    explored = read(files)
    answers = [client(explored, key).get(f"/?token={each}").status_code for each in (once, once, key.token, key.token)]
    assert answers == [303, 403, 303, 303]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),  # another port of this machine
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
        ({"origin": AT}, 200),
        ({"origin": "http://127.0.0.1:9000"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_other_sites_are_refused_with_or_without_a_token(
    files: list[Path], headers: dict[str, str], status: int
) -> None:
    key = Key()
    for asked in (client(read(files)), client(read(files), key)):
        asked.get(f"/?token={key.token}")
        answer = asked.get("/topics?find=a", headers=headers)
        assert answer.status_code == status
        if status == 403:
            assert 'If it was you, <a href="/topics?find=a" target="_self">go on</a>' in answer.text


def test_every_answer_says_who_may_use_it(files: list[Path]) -> None:
    for asked in (client(read(files)), client(read(files), Key())):
        for path in ("/overview", "/assets/app.js", "/nowhere", "/figure/nothing.json", "/figure/heatmap.json"):
            found = asked.get(path).headers
            assert found["cross-origin-resource-policy"] == found["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        *(
            f"/figure/{name}.{kind}?topic=1"
            for name in ("dominance", "leaderboard", "heatmap")
            for kind in ("json", "svg")
        ),
        "/figure/dominance.json?topic=1&run=r",
        "/figure/archetypes.json?measure=AP",
        "/topic?topic=1&changes=" + "[" * 9_000,
        "/topic?topic=1&changes=[[%22r%22,%22a%22,1e999]]",
    ],
)
def test_what_cannot_be_shown_is_said(files: list[Path], path: str) -> None:
    answer = client(read(files)).get(path)
    assert (answer.status_code, "fault of cranfield" in answer.text) == (400, False)
    assert 'class="problem"' in answer.text


def moves(many: int) -> dict[str, str]:
    return {"topic": "1", "changes": json.dumps([["r", "a", 1 + n % 2] for n in range(many)])}


def test_thousands_of_moves_are_answered_by_a_sentence(files: list[Path]) -> None:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8017")]
    scope = SCOPE | {"path": "/topic", "query_string": urlencode(moves(5_000)).encode(), "headers": headers}
    asyncio.run(application_of(Explorer(read(files)))(scope, receive, send))  # longer than the client can send
    assert sent[0]["status"] == 414
    assert f"at most {LONGEST_ADDRESS:,} are read: undo some changes".encode() in sent[1]["body"]
    assert client(read(files)).get("/topic", params=moves(1_000)).status_code == 200


def test_what_is_shown_is_what_was_read(files: list[Path]) -> None:
    asked = client(read(files), again=lambda: read(files))
    before, run = asked.get("/topics").text, "/changed/run?topic=1&name=r&changes=" + '[["r","b",1]]'
    assert "Read anew" not in before
    assert asked.get(run).status_code == 200
    files[1].write_text(RUN.replace("2.0", "0.5"))
    for path in ("/overview", "/topics?find=%22%3E", "/pair", "/topic?topic=1", "/run?run=r"):
        assert "r.run changed since it was read" in asked.get(path).text
    answer = asked.get(run)
    assert answer.status_code == 400
    assert "has changed since it was read" in answer.text


def test_one_click_reads_anew(files: list[Path]) -> None:
    asked = client(read(files), again=lambda: read(files))
    means = asked.get("/overview?csv=leaderboard&measure=RR").text
    figure = asked.get("/figure/leaderboard.json?measure=RR").text
    files[1].write_text(RUN.replace("2.0", "0.5"))
    assert asked.get("/overview?csv=leaderboard&measure=RR").text == means
    assert asked.get("/figure/leaderboard.json?measure=RR").text == figure
    for headers in ({}, {"sec-fetch-site": "cross-site"}, {"origin": "http://elsewhere.example"}):
        assert asked.post("/anew?back=/topics", headers=headers).status_code == 403
    assert asked.get("/anew").status_code == 405
    answer = asked.post("/anew?back=//elsewhere.example", headers={"sec-fetch-site": "same-origin"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/elsewhere.example")
    assert asked.get("/overview?csv=leaderboard&measure=RR").text != means
    assert asked.get("/figure/leaderboard.json?measure=RR").text != figure
    assert "Read anew" not in asked.get("/overview").text


def test_what_cannot_be_read_anew_leaves_what_was(files: list[Path]) -> None:
    asked = client(read(files), again=lambda: read(files))
    files[1].write_text("nonsense\n")
    answer = asked.post("/anew", headers={"sec-fetch-site": "same-origin"})
    assert (answer.status_code, "r.run" in answer.text) == (400, True)
    assert asked.get("/topics").status_code == 200


def test_files_are_told_apart(tmp_path: Path) -> None:
    """Written, replaced by one of the same size, gone, and come: each is a change; to be read is none."""
    paths = [tmp_path / name for name in "abcd"]
    for path in paths[:3]:
        path.write_text("x")
    originals = Originals.of([*paths, "-"])
    assert [path.read_text() for path in paths[:3]] == ["x"] * 3
    assert originals.changed() == ()
    (tmp_path / "new").write_text("y")
    (tmp_path / "new").replace(paths[1])
    paths[2].unlink()
    paths[3].touch()
    assert originals.changed() == tuple(map(str, paths[1:]))
    folder = Originals.of([tmp_path])
    (tmp_path / "more").touch()
    assert folder.changed() == (str(tmp_path),)


def test_figures_are_kept_within_their_room() -> None:
    kept = Cache(100)
    for number in range(50):
        kept.put((number,), Served(b"x" * 30, "json"))
    kept.put(("large",), Served(b"x" * 101, "json"))
    assert [each for each in (*range(50), "large") if kept.get((each,))] == []
    kept.put((1,), Served(b"x" * 100, "json"))
    assert kept.get((1,))


OWN = '''
from cranfield.measures import Measure

class FirstOfTheExplorer(Measure):
    """Is the first document judged? 1 if it is."""

    range = (0.0, 1.0)

    def compute(self, rankings):
        first = rankings.judged.where(rankings.judged.rank == 1)
        return first.sum(first.grade * 0 + 1)
'''


def test_what_is_explored_goes_to_another_process(files: list[Path], tmp_path: Path) -> None:
    own = tmp_path / "mine_of_the_explorer.py"
    own.write_text(OWN)
    load_measures(own)
    try:
        texts = {"a": Document("A title", "A text")}
        runs = cf.join(files[0], files[1:], bounds=True)
        here = Explored(runs, ["FirstOfTheExplorer", "AP"], texts, {"1": Topic("On a")})
        there = pickle.loads(pickle.dumps(here))  # noqa: S301 - our own
        assert there.measures == ("FirstOfTheExplorer", "AP")
        assert there.scores.averages.tolist() == here.scores.averages.tolist()
        assert (there.title_of_document("a"), there.title_of("1")) == ("A title", "On a")
        wanted = Wanted("/overview", "http://127.0.0.1/overview?with=archetypes")
        assert "FirstOfTheExplorer" in str(answered(there, wanted).content)
    finally:
        del REGISTRY["FirstOfTheExplorer"]
        forget_names()
