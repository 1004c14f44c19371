"""Serving until a signal comes: patience has an end, and so has everything else, at once."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

from cranfield.formats.optional import library

if TYPE_CHECKING:
    from socket import socket
    from types import FrameType

    from starlette.applications import Starlette

PATIENCE: Final = 10.0
"""Seconds within which a request has to come, once a connection is there; it may be twice as long."""
SECONDS_TO_END: Final = 0.5
MOST_AHEAD: Final = 4_000_000
"""Bytes that a request's head may have to be answered at all, though it be told that it is too long."""
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def serve(app: Starlette, door: socket, *, starting: Callable[[], None], ending: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM, which whoever called then meets."""
    uvicorn: Any = library("uvicorn", extra="app")

    class Server(uvicorn.Server):  # type: ignore[misc]
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # they are ours

        async def startup(self, sockets: list[socket] | None = None) -> None:
            await super().startup(sockets)
            starting()

    config = uvicorn.Config(
        app, http=_patient(), ws="none", lifespan="off", log_level="error", h11_max_incomplete_event_size=MOST_AHEAD
    )
    server = Server(config)
    met: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        if met:
            os._exit(128 + number)
        met.append(number)
        logging.disable()  # who still waits for an answer gets none, and that is no error
        ending()
        server.should_exit = server.force_exit = True
        last = Timer(SECONDS_TO_END, os._exit, [128 + number])  # whatever a thread still does is for nobody
        last.daemon = True
        last.start()

    before = {number: signal.signal(number, end) for number in SIGNALS}
    try:
        Context().run(server.run, sockets=[door])  # what a request writes is there at once, not when the command ends
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if met:
        signal.raise_signal(met[0])


def _patient() -> type:
    """Return uvicorn's protocol, with an end to its patience: it would wait for a request for ever."""
    h11: Any = library("uvicorn.protocols.http.h11_impl", extra="app")
    from h11 import IDLE, SEND_BODY

    class Patient(h11.H11Protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait(None)

        def connection_lost(self, exc: Exception | None) -> None:
            self._late.cancel()
            super().connection_lost(exc)

        def _wait(self, cycle: object) -> None:
            self._late = self.loop.call_later(PATIENCE, self._look, cycle)

        def _look(self, cycle: object) -> None:
            """Close where nothing has come since the last look, or not to its end."""
            if self.conn.their_state in {IDLE, SEND_BODY} and self.cycle is cycle:
                self.transport.abort()
            else:
                self._wait(self.cycle)

    return Patient
