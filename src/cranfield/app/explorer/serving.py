"""The explorer's server: who asks is answered here where that is quick, and by processes of their own where not."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from cranfield.app.explorer.answering import EXPLORER_PACKAGE, EXPLORER_ROUTES, FIGURE_PATH, Wanted, answered
from cranfield.app.explorer.questions.explored import Explored, forget
from cranfield.app.guard import Key
from cranfield.app.web import Served, address, application, served
from cranfield.app.workers import WARM_UP, Workers

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_TITLE: Final = "cranfield explore"
PAGES_AT_ONCE: Final = 4
BYTES_OF_FIGURES: Final = 64_000_000
STATUS_UNREAD: Final = 499

Found = TypeVar("Found")


class Explorer:
    """What is looked around in now, and what was answered about it."""

    def __init__(self, explored: Explored, again: Callable[[], Explored] | None = None, *, apart: bool = False) -> None:
        self.explored, self.again = explored, again
        self.figures = Cache(BYTES_OF_FIGURES)
        self.workers: Workers[Wanted, Served] | None = Workers(answered, explored) if apart else None

    async def answer(self, route: str, request: Request) -> Response:
        """Answer a request, unless nobody waits for the answer any more."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        parts = tuple(sorted(request.path_params.items()))
        wanted, explored = Wanted(route, str(request.url), parts), self.explored
        key = (route, parts, request.url.query) if route == FIGURE_PATH else None
        found = self.figures.get(key)
        if found is None:
            if self.workers and EXPLORER_ROUTES[route].takes_long(wanted):
                wanted = replace(wanted, stale=await run_in_threadpool(explored.originals.changed))
                found = await while_wanted(request, self.workers.answer(wanted))
                if found is None:
                    return Response(status_code=STATUS_UNREAD)
            else:
                found = await run_in_threadpool(
                    lambda: answered(explored, replace(wanted, stale=explored.originals.changed()))
                )
            if key is not None and explored is self.explored:
                self.figures.put(key, found)
        return served(found)

    async def read_anew(self, request: Request) -> Response:
        """Read all files anew, and go on with what they say."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import RedirectResponse

        if self.again is not None:
            self.explored = await run_in_threadpool(self.again)
            self.figures.clear()
            forget()
            if self.workers:
                self.workers.turn_to(self.explored)
        return RedirectResponse("/" + request.query_params.get("back", "").lstrip("/\\"), status_code=303)

    def begin(self) -> None:
        """Have few threads, and the first process when the first page is there."""
        from anyio.to_thread import current_default_thread_limiter

        current_default_thread_limiter().total_tokens = PAGES_AT_ONCE
        if self.workers:
            asyncio.get_running_loop().call_later(WARM_UP, self.workers.warm)

    def end(self) -> None:
        """End what is still worked out."""
        if self.workers:
            self.workers.end()


class Cache:
    """Answers, as many as have room; those that were asked for longest ago make way."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[tuple[object, ...], Served] = OrderedDict()

    def get(self, key: tuple[object, ...] | None) -> Served | None:
        """Return what is kept."""
        found = None if key is None else self._kept.get(key)
        if key is not None and found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: tuple[object, ...], answer: Served) -> None:
        """Keep an answer."""
        self._kept[key] = answer
        while sum(len(each.content) for each in self._kept.values()) > self._room:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()


def explorer(explored: Explored) -> Starlette:
    """Make the application that answers questions about joined runs, for whoever asks."""
    return application_of(Explorer(explored))


def application_of(explorer: Explorer, key: Key | None = None) -> Starlette:
    """Make the application that answers those who have the key."""
    from starlette.responses import RedirectResponse

    app = application(_TITLE, EXPLORER_PACKAGE, key)

    app.add_route("/", lambda request: RedirectResponse(address("overview")))
    app.add_route("/anew", explorer.read_anew, methods=["POST"])
    for route in EXPLORER_ROUTES:
        app.add_route(route, partial(explorer.answer, route))
    return app


async def while_wanted(request: Request, work: Awaitable[Found]) -> Found | None:
    """Wait for an answer as long as whoever asked does; None where nobody does any more."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
