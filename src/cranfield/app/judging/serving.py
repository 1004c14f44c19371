"""A task's server: the routes, and the pages, fixed texts that their scripts fill, for those who were let in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cranfield.app.guard import BEARER
from cranfield.app.judging.answers import Entered, Me
from cranfield.app.judging.desk import AbsentError, ConflictError
from cranfield.app.judging.door import SESSION_LASTS, NotLetInError
from cranfield.app.judging.routes import JUDGING_ROUTES, ForbiddenError, Office, Route
from cranfield.app.judging.shapes import read
from cranfield.app.judging.shapes import written as as_json
from cranfield.app.judging.store import StoreError
from cranfield.app.web import HOSTS, Served, application, served, template
from cranfield.plumbing.errors import CranfieldError, InputError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_TITLE: Final = "cranfield judge"
JUDGING_PACKAGE: Final = "cranfield.app.judging"
ASSESSORS: Final = frozenset({"assessor", "organiser"})
LARGEST_BODY: Final = 1_000_000
PULSE_SECONDS: Final = 15.0
SECONDS_GATHERED: Final = 0.1
_BETWEEN: Final = 0.4
"""Seconds after which a stream hears of further ones: whoever hears of a change asks for the status."""
API: Final = ("/api/", "/enter", "/openapi.json")


class TooLargeError(CranfieldError):
    """More was sent than is read."""


STATUSES: Final[tuple[tuple[type[Exception], int], ...]] = (
    (NotLetInError, 401),
    (ForbiddenError, 403),
    (AbsentError, 404),
    (ConflictError, 409),
    (TooLargeError, 413),
    (StoreError, 503),
    (CranfieldError, 400),
)
"""What is answered to what went wrong."""


class JudgingPage(NamedTuple):
    """A page of a judging task: its address, the name of its template and script, its title, and who sees it."""

    path: str
    name: str
    title: str
    roles: frozenset[str]


JUDGING_PAGES: Final[dict[str, JudgingPage]] = {
    page.path: page
    for page in (
        JudgingPage("/", "judge", "Judge", ASSESSORS),
        JudgingPage("/first", "first", "First ten", ASSESSORS),
        JudgingPage("/pair", "pair", "Side by side", ASSESSORS),
        JudgingPage("/settle", "settle", "Settle", frozenset({"organiser"})),
        JudgingPage("/organise", "organise", "Organise", frozenset({"organiser"})),
        JudgingPage("/observe", "organise", "Progress", frozenset({"observer"})),
    )
}
"""All pages by their address."""


class News:
    """Tells all streams that something has changed, from whatever thread: each waits for a number above its own."""

    def __init__(self) -> None:
        self.number = 0
        self._changed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def tell(self) -> None:
        """Say that something has changed."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._turn)

    def _turn(self) -> None:
        self.number += 1
        before, self._changed = self._changed, asyncio.Event()
        before.set()

    async def after(self, number: int) -> int:
        """Wait until there is something newer, or for a pulse."""
        self._loop = asyncio.get_running_loop()
        if self.number == number:
            try:
                await asyncio.wait_for(self._changed.wait(), PULSE_SECONDS)
            except TimeoutError:
                return number
        await asyncio.sleep(SECONDS_GATHERED)
        return self.number


def application_of(office: Office, hosts: Sequence[str] = ()) -> Starlette:
    """Make the application of a task; hosts are names by which it may be called besides those of this machine."""
    app = application(_TITLE, JUDGING_PACKAGE, hosts=[*HOSTS, *hosts], in_json=API)
    news = News()
    office.desk.listeners.append(news.tell)

    for path in JUDGING_PAGES:
        app.add_route(path, partial(_page, office, path))
    app.add_route("/enter", lambda request: served(Served(doorway(), "html")))
    for route in JUDGING_ROUTES:
        app.add_route(route.path, partial(_handled, office, news, route), methods=[route.method])
    return app


def written(path: str, role: str) -> str:
    """Write a page for a person of this role, who must be allowed to see it."""
    page = JUDGING_PAGES[path]
    menu = [each for each in JUDGING_PAGES.values() if role in each.roles]
    return template(JUDGING_PACKAGE, f"{page.name}.html.jinja").render(page=page, menu=menu, role=role)


def doorway() -> str:
    """Write the page that a link leads to: a single button, so that link previews do not use the link up."""
    return template(JUDGING_PACKAGE, "enter.html.jinja").render()


async def _handled(office: Office, news: News, route: Route, request: Request) -> Response:
    """Answer one route, whatever goes wrong: in JSON, with a status that fits."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    try:
        body = await _body(request) if route.method == "POST" else b""
        if route.path == "/api/changes":
            await run_in_threadpool(office.door.who, _brought(request))
            return _changes(office, news, _brought(request))
        return await run_in_threadpool(_answered, office, route, request, body)
    except CranfieldError as error:
        status = next(status for kind, status in STATUSES if isinstance(error, kind))
        return JSONResponse({"problem": str(error)}, status_code=status)


async def _body(request: Request) -> bytes:
    """Read what is sent, and no more than is allowed: who sends more is refused before it has come."""
    told, read = request.headers.get("content-length", "0"), bytearray()
    if told.isdigit() and int(told) <= LARGEST_BODY:
        async for part in request.stream():
            read += part
            if len(read) > LARGEST_BODY:
                break
        else:
            return bytes(read)
    raise TooLargeError(f"at most {LARGEST_BODY:,} bytes are accepted")


def _answered(office: Office, route: Route, request: Request, body: bytes) -> Response:
    from starlette.responses import JSONResponse

    given = _given(route, request, body)
    parts = {name: request.path_params.get(name) or request.query_params.get(name, "") for name in route.parts}
    if route.path == "/enter":
        return _entered(office, request, read(route.asked, given).link)
    who = office.door.who(_brought(request))
    if route.path == "/api/leave":
        office.door.leave(_brought(request))
        left: Response = JSONResponse({})
        left.delete_cookie(_cookie(request), httponly=True, samesite="strict")
        return left
    found = office.answer(route, who, read(route.asked, given, texts=route.method == "GET"), parts)
    return served(found) if isinstance(found, Served) else JSONResponse(as_json(found))


def _given(route: Route, request: Request, body: bytes) -> Any:
    if route.method == "GET":
        return {name: value for name, value in request.query_params.items() if name not in route.parts}
    try:
        return json.loads(body) if body else {}
    except (ValueError, RecursionError):
        raise InputError("the body must be a JSON object in UTF-8") from None


def _cookie(request: Request) -> str:
    """Name the cookie by the port: a browser sends the cookies of all ports of a machine to each of them."""
    return f"cranfield-judge-{request.url.port or 0}"


def _brought(request: Request) -> str:
    told = request.headers.get("authorization", "")
    return told.removeprefix(BEARER) if told.startswith(BEARER) else request.cookies.get(_cookie(request), "")


def _entered(office: Office, request: Request, link: str) -> Response:
    """Let somebody in whose link is good: from now on their browser brings a cookie."""
    from starlette.responses import JSONResponse

    person, session = office.door.enter(link)
    answer = JSONResponse(as_json(Entered(Me(person.name, person.role, person.program))))
    answer.set_cookie(
        _cookie(request), session, max_age=int(SESSION_LASTS), httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


def _page(office: Office, path: str, request: Request) -> Response:
    """Show a page to those whose it is; others come to their own, or to the door."""
    from starlette.responses import RedirectResponse

    try:
        who = office.door.who(_brought(request))
    except NotLetInError:
        return RedirectResponse("/enter", status_code=303)
    if who.role in JUDGING_PAGES[path].roles:
        return served(Served(written(path, who.role), "html"))
    own = next((each.path for each in JUDGING_PAGES.values() if who.role in each.roles), None)
    return RedirectResponse(own or "/enter", status_code=303)


def _changes(office: Office, news: News, brought: str) -> Response:
    """Tell a page when something has changed, until it is closed or whoever reads it is let in no longer."""
    from starlette.responses import StreamingResponse

    def said() -> str:
        return f"data: {json.dumps({'sequence': office.desk.sequence})}\n\n"

    async def told() -> AsyncIterator[str]:
        number = news.number
        yield f"retry: 1000\n{said()}"
        while True:
            before, number = number, await news.after(number)
            try:
                await asyncio.to_thread(office.door.who, brought)
            except CranfieldError:
                return
            yield ": still here\n\n" if number == before else said()
            await asyncio.sleep(_BETWEEN)

    return StreamingResponse(told(), media_type="text/event-stream")
