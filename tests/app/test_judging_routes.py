"""Who may ask what of a judging task over HTTP: role by route; links, cookies and tokens; sizes, sites and names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import count, product
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from starlette.testclient import TestClient
from tools.judging_desk import AT, PNG, Works, new_task, route_named, works

from cranfield.app.judging.answers import FileAnswered, Role
from cranfield.app.judging.door import DAY, LINK_LASTS, SESSION_LASTS, NotLetInError
from cranfield.app.judging.routes import JUDGING_ROUTES, Route, openapi
from cranfield.app.judging.serving import LARGEST_BODY, News, _changes, application_of
from cranfield.app.judging.shapes import read

ROLES: Final = get_args(Role)
KEY: Final = count()
ASKED: Final[dict[str, dict[str, Any]]] = {
    "next": {"n": 2}, "document": {"topic": "1", "document": "a"}, "search": {"q": "wings", "topic": "1"},
    "judge": {"topic": "2", "document": "e", "grade": 1, "by": "key", "seconds": 1.5},
    "skip": {"topic": "1", "document": "a"}, "flag": {"topic": "1", "document": "a", "why": "odd"},
    "amend": {"event": "own", "grade": 2}, "retract": {"event": "own"}, "history": {},
    "take": {"topic": "1", "document": "c"},
    "first": {"topic": "1"}, "pair": {}, "prefer": {"topic": "1", "better": "same"},
    "image": {"document": "d", "topic": "2", "number": "0"},
    "adjudicate": {"topic": "1", "document": "b", "grade": 1}, "people": {"name": "Nora", "role": "observer"},
    "people_revoke": {"name": "Fred"}, "people_out": {"name": "Fred"},
    "people_hand": {"from": "Fred", "to": "assessor"},
    "change": {"budget": 100}, "export": {},
}  # fmt: skip
"""What is sent on each route."""


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Works]:
    found = works(new_task(tmp_path / "task", per_document=3))
    for role in ROLES:
        found.person(role, role)
    found.person("Fred")
    found.judge("Fred", "1", "b", 1)
    yield found
    found.desk.close()


def client(at: Works, name: str | None = None, **given: Any) -> TestClient:
    """A browser, or a program, of somebody."""
    asked = TestClient(application_of(at.office, **given), base_url=AT, follow_redirects=False)
    asked.headers["origin"] = AT
    if name is not None and at.desk.person(name).program:
        del asked.headers["origin"]
        asked.headers["authorization"] = f"Bearer {at.office.door.token(name)}"
    elif name is not None:
        secret = at.office.link(name).link.partition("#")[2]
        assert asked.post("/enter", json={"link": secret}).status_code == 200
    return asked


def call(asked: TestClient, route: Route, **given: Any) -> Any:
    given = ASKED.get(route.name, {}) | given
    if "key" in {each.name for each in fields(route.asked)} and "key" not in given:
        given["key"] = f"k{next(KEY)}"
    path = route.path.replace("{what}", "qrels")
    return asked.get(path, params=given) if route.method == "GET" else asked.post(path, json=given)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_its_routes_say_and_nothing_else(at: Works, role: Role) -> None:
    """Every route but those of entering, leaving and of changes, which never ends; what is answered has its shape."""
    asked, own = client(at, role), ""
    for route in JUDGING_ROUTES:
        if route.name in {"enter", "leave", "changes", "undo"}:
            continue
        given: dict[str, Any] = {}
        if route.name == "prefer" and role in route.roles:
            pair = call(asked, route_named("pair"), topic="1").json()
            given = {"left": pair["left"], "right": pair["right"]}
        elif route.name == "prefer":
            given = {"left": "l", "right": "r"}
        if route.name in {"amend", "retract"}:
            given = {"event": own or "none"}
        answer = call(asked, route, **given)
        assert answer.status_code == (200 if role in route.roles else 403), (role, route.path, answer.text)
        if role not in route.roles:
            assert answer.json()["problem"].startswith("this is for "), route.path
        elif route.answered is not FileAnswered:
            read(route.answered, answer.json())  # which refuses another shape
            own = answer.json()["event"] if route.name == "judge" else own


def test_nobody_is_answered_who_was_not_let_in(at: Works) -> None:
    asked, before = client(at), at.desk.sequence
    for route in JUDGING_ROUTES:
        if route.name != "enter":
            answer = call(asked, route)
            assert (answer.status_code, "problem" in answer.json()) == (401, True), route.path
    assert at.desk.sequence == before
    for path in ("/", "/first", "/organise"):
        answer = asked.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/enter")
    assert "link" in asked.get("/enter").text
    assert call(asked, route_named("enter"), link="guessed").status_code == 401


def test_pages_are_shown_to_those_whose_they_are(at: Works) -> None:
    wanted = {"assessor": ("/", 200), "observer": ("/organise", 303), "organiser": ("/organise", 200)}
    for role, (path, status) in wanted.items():
        assert client(at, role).get(path).status_code == status
    assert client(at, "assessor").get("/organise").headers["location"] == "/"
    assert client(at, "observer").get("/").headers["location"] == "/observe"


def test_a_link_is_good_once_and_for_a_while(at: Works) -> None:
    secret = at.office.link("assessor").link.partition("#")[2]
    first, second = client(at), client(at)
    answer = first.post("/enter", json={"link": secret})
    parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert answer.headers["set-cookie"].startswith("cranfield-judge-8018=")
    assert second.post("/enter", json={"link": secret}).status_code == 401
    old, new = (at.office.link("assessor").link.partition("#")[2] for _ in range(2))
    assert second.post("/enter", json={"link": old}).status_code == 401  # there is a newer one
    at.clock.now += LINK_LASTS + 1
    assert second.post("/enter", json={"link": new}).status_code == 401
    assert first.get("/api/me").json() == {"name": "assessor", "role": "assessor", "program": False}


def test_forged_expired_replayed_and_foreign_cookies_are_refused(at: Works, tmp_path: Path) -> None:
    asked = client(at, "assessor")
    cookie = asked.cookies["cranfield-judge-8018"]
    other = works(new_task(tmp_path / "other", id="other"))
    other.person("assessor")
    foreign = client(other, "assessor").cookies["cranfield-judge-8018"]
    said, _, signature = cookie.partition(".")
    forged = [
        said,
        f"{said}.",
        f".{signature}",
        f"{said}A.{signature}",
        f"{said}.{signature[:-2]}AA",
        foreign,
        "%C3%B6",
        ".",
    ]
    for each in forged:
        attacker = client(at)
        attacker.headers["cookie"] = f"cranfield-judge-8018={each}"
        assert attacker.get("/api/me").status_code == 401, each
        attacker.headers["authorization"] = f"Bearer {each}"
        assert attacker.post("/api/next", json={}).status_code == 401, each
    other.desk.close()
    with pytest.raises(NotLetInError):
        at.office.door.who("ö.ö")

    thief = client(at)
    thief.cookies.set("cranfield-judge-8018", cookie)
    assert thief.get("/api/me").status_code == 200
    assert asked.post("/api/leave", json={}).status_code == 200
    assert thief.get("/api/me").status_code == 401  # it was taken back
    again = client(at, "assessor")
    at.clock.now += SESSION_LASTS + 1
    assert again.get("/api/me").status_code == 401


def test_revoking_ends_cookies_tokens_and_links_at_once(at: Works) -> None:
    organiser, asked, program = client(at, "organiser"), client(at, "assessor"), client(at, "program")
    link = at.office.link("assessor").link.partition("#")[2]
    for name in ("assessor", "program"):
        assert call(organiser, route_named("people_revoke"), name=name).status_code == 200
    for each in (asked, program):
        assert each.get("/api/me").status_code == 401
    assert asked.post("/enter", json={"link": link}).status_code == 401
    made = call(organiser, route_named("people"), name="assessor", role="assessor").json()["link"]
    assert asked.post("/enter", json={"link": made.partition("#")[2]}).status_code == 200
    assert asked.get("/api/me").status_code == 200
    assert program.get("/api/me").status_code == 401


def test_links_made_twice_under_one_key_are_the_same(at: Works) -> None:
    organiser = client(at, "organiser")
    for role in ("assessor", "program"):
        asked = {"key": f"same-{role}", "name": f"New {role}", "role": role}
        one, two = (organiser.post("/api/people", json=asked).json() for _ in range(2))
        assert one == two
        assert (one["token"] is None) == (role == "assessor")
    token = organiser.post("/api/people", json=asked).json()["token"]
    answer = client(at).get("/api/me", headers={"authorization": f"Bearer {token}"})
    assert answer.json() == {"name": "New program", "role": "program", "program": True}


def test_other_sites_and_other_names_are_refused(at: Works) -> None:
    asked = client(at, "assessor")
    for headers in (
        {"origin": "http://127.0.0.1:9000"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):  # fmt: skip
        answer = asked.post("/api/undo", json={"key": "k"}, headers=headers)
        assert (answer.status_code, answer.json()["problem"]) == (403, "Another site asked for this.")
    del asked.headers["origin"]
    assert asked.post("/api/undo", json={"key": "k"}).status_code == 403  # a form of an old browser
    elsewhere = {"host": "judge.example.org", "origin": "http://judge.example.org"}
    assert asked.get("/api/me", headers=elsewhere).status_code == 400
    named = client(at, "assessor", hosts=["judge.example.org"])
    assert named.get("/api/me", headers=elsewhere).status_code == 401  # it is answered: cookies there are others
    secured = TestClient(application_of(at.office, ["judge.example.org"]), base_url="https://judge.example.org")
    link = {"link": at.office.link("assessor").link.partition("#")[2]}
    answer = secured.post("/enter", json=link, headers={"origin": "https://judge.example.org"})
    assert answer.headers["set-cookie"].endswith("; Secure")
    for path in ("/", "/api/me", "/assets/judge.js", "/api/nothing"):
        policy = asked.get(path).headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'" in policy


def test_what_is_too_large_or_no_json_is_refused(at: Works) -> None:
    asked, before = client(at, "assessor"), at.desk.sequence

    def endless() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 1_000_000

    answer = asked.post("/api/flag", content=b"x" * (LARGEST_BODY + 1))
    assert (answer.status_code, answer.json()["problem"]) == (413, "at most 1,000,000 bytes are accepted")
    assert asked.post("/api/flag", content=endless()).status_code == 413
    for body, said in (
        (b"\xff", "a JSON object in UTF-8"), (b"[" * 100_000, "a JSON object"), (b"[]", "a JSON object"),
        (b'{"key": "k"}', "topic is missing"), (b'{"key": 7, "topic": "1", "document": "a"}', "key is text, not 7"),
        (b'{"key": "k", "topic": "1", "document": "\\ud800"}', "half of a character"),
        (b'{"key": "k", "topic": "9", "document": "a"}', "there is no topic"),
        (b'{"key": "", "topic": "1", "document": "a"}', "a key has 1 to 200 characters"),
        (b'{"key": "k", "topic": "1", "document": "a", "more": 1}', "unknown field 'more'"),
    ):  # fmt: skip
        answer = asked.post("/api/flag", content=body)
        assert (answer.status_code, said in answer.json()["problem"]) == (400, True), answer.text
    for grade in ("1e999", "NaN", "true", '"1"'):
        body = f'{{"key": "k", "topic": "1", "document": "a", "grade": {grade}}}'.encode()
        assert asked.post("/api/judge", content=body).status_code == 400
    assert asked.get("/api/document?topic=1").json()["problem"] == "document is missing"
    assert asked.get("/api/image?topic=2&document=d&number=-1").status_code == 404
    assert asked.get("/api/image?topic=2&document=d&number=0").content == PNG
    assert client(at, "organiser").get("/api/export/passwords").status_code == 404
    assert at.desk.sequence == before


def test_hostile_texts_come_back_as_they_were(at: Works) -> None:
    said = "</script><img src=x onerror=alert(1)>\u202e\x07'\"; DROP TABLE events; --"
    asked = client(at, "assessor")
    answer = call(asked, route_named("flag"), why=said)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    [flag] = client(at, "organiser").get("/api/status").json()["flags"]
    assert flag["why"] == said
    refused = asked.get("/api/document", params={"topic": said, "document": said})
    assert (refused.status_code, refused.headers["content-type"]) == (400, "application/json")
    assert "\x07" not in refused.json()["problem"]


def test_the_description_is_of_every_route_and_whole(at: Works) -> None:
    found = client(at, "program").get("/openapi.json").json()
    assert found == json.loads(json.dumps(openapi("Wings")))
    assert {(method.upper(), path) for path, of in found["paths"].items() for method in of} == {
        (route.method, route.path) for route in JUDGING_ROUTES
    }
    names = {each["$ref"].rpartition("/")[2] for each in _references(found)}
    assert names <= set(found["components"]["schemas"])
    assert found["components"]["schemas"]["Hand"]["required"] == ["key", "from", "to"]


def _references(found: Any) -> Iterator[dict[str, str]]:
    if isinstance(found, dict) and "$ref" in found:
        yield found
    for each in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        yield from _references(each)


def test_roles_and_routes_are_all_there_are() -> None:
    assert len(set(product(ROLES, JUDGING_ROUTES))) == len(ROLES) * len(JUDGING_ROUTES) == 4 * 31
    assert {role for route in JUDGING_ROUTES for role in route.roles} == set(ROLES)


def test_a_page_that_listens_is_told_at_once_where_the_log_is(at: Works) -> None:
    async def first() -> object:
        return await anext(aiter(_changes(at.office, News(), "").body_iterator))  # type: ignore[attr-defined]

    assert asyncio.run(first()) == f'retry: 1000\ndata: {{"sequence": {at.desk.sequence}}}\n\n'


def test_a_link_a_cookie_and_a_token_last_for_the_days_that_are_promised(at: Works) -> None:
    """A link for 14 days, a cookie for 30 and a token for 365, to the second."""
    links = [at.office.link(name).link.partition("#")[2] for name in ("assessor", "observer")]
    asked, program, begun = client(at, "organiser"), client(at, "program"), at.clock.now

    def status(browser: TestClient, days: float, seconds: int) -> int:
        at.clock.now = begun + days * DAY + seconds
        return browser.get("/api/me").status_code

    for link, seconds, entered in zip(links, (-1, 1), (200, 401), strict=True):
        at.clock.now = begun + 14 * DAY + seconds
        assert client(at).post("/enter", json={"link": link}).status_code == entered
    assert (status(asked, 30, -1), status(asked, 30, 1)) == (200, 401)
    assert (status(program, 365, -1), status(program, 365, 1)) == (200, 401)
