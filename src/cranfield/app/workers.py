"""Processes that work out what takes long: few at once, and killed when nobody waits for the answer any more."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Generic, TypeVar

from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.memory import held

if TYPE_CHECKING:
    from asyncio.subprocess import Process

MOST_PROCESSES: Final = 2
LARGEST_PROCESS: Final = 1_000_000_000
"""Bytes of memory after which a process is replaced by another when it has answered."""
WARM_UP: Final = 3.0
"""Seconds after which the first process is started, if nobody needed one before: the first page comes first."""
_SIZE: Final = 8

Job = TypeVar("Job")
Answer = TypeVar("Answer")


class FaultError(Exception):
    """Something that went wrong, and should not have; its text says all."""


class Workers(Generic[Job, Answer]):
    """Processes that each have a copy of something, and answer questions about it.

    Spawned, not forked: a fork would lack the threads of polars. They end with their parent, however it ends.
    """

    def __init__(self, work: Callable[[Any, Job], Answer], of: object) -> None:
        self._work, self._of = work, of
        self._few = asyncio.Semaphore(MOST_PROCESSES)
        self._knows: dict[Process, object] = {}  # each process, and what it was given to be asked of
        self._idle: list[Process] = []
        self._spare: asyncio.Task[None] | None = None
        self._ended = False

    async def answer(self, job: Job) -> Answer:
        """Work something out; whoever stops waiting (by cancelling) ends the work."""
        async with self._few:
            process = await self._ready()
            try:
                await _put(process, job)
                kind, found, last = await _taken(process)
            except BaseException as error:
                self._kill(process)
                self.warm()
                if isinstance(error, OSError | EOFError):
                    raise FaultError("a process that was to work this out has ended") from None
                raise
            if last or self._knows.get(process) is not self._of:
                self._kill(process)
            else:
                self._idle.append(process)
        if kind is not None:
            raise kind(found)
        answer: Answer = found
        return answer

    def warm(self) -> None:
        """Start a process ahead, if none is at hand."""
        if not (self._ended or self._idle or (self._spare and not self._spare.done())):
            self._spare = asyncio.get_running_loop().create_task(self._prepared())

    def turn_to(self, of: object) -> None:
        """Answer about something else from now on."""
        self._of = of
        while self._idle:
            self._kill(self._idle.pop())
        self.warm()

    def end(self) -> None:
        """Kill all of them."""
        self._ended = True
        for process in [*self._knows]:
            self._kill(process)

    async def _prepared(self) -> None:
        with suppress(OSError):
            self._idle.append(await self._started())

    async def _ready(self) -> Process:
        if not self._idle and self._spare:
            await asyncio.wait({self._spare})
        while True:
            process = self._idle.pop() if self._idle else await self._started()
            if self._knows.get(process) is self._of:
                return process
            self._kill(process)  # it was being started when that changed

    async def _started(self) -> Process:
        if self._ended:
            raise FaultError("the explorer is ending")
        # A session of its own, so that Ctrl-C is heard by one process alone, which ends the others.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        of = self._knows[process] = self._of
        try:
            await _put(process, (self._work, of))
        except BaseException:
            self._kill(process)
            raise
        return process

    def _kill(self, process: Process) -> None:
        self._knows.pop(process, None)
        with suppress(ProcessLookupError):
            process.kill()


async def _put(process: Process, what: object) -> None:
    data = await asyncio.to_thread(pickle.dumps, what, pickle.HIGHEST_PROTOCOL)
    to = process.stdin
    if to is None:
        raise EOFError
    to.write(len(data).to_bytes(_SIZE, "big") + data)
    await to.drain()


async def _taken(process: Process) -> Any:
    came = process.stdout
    if came is None:
        raise EOFError
    size = int.from_bytes(await came.readexactly(_SIZE), "big")
    return pickle.loads(await came.readexactly(size))  # noqa: S301 - our own process wrote it


def main() -> None:
    """Answer what comes by the standard input, and end with it."""
    sent = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    if hasattr(os, "nice"):
        os.nice(5)  # pages come first
    came: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, came), daemon=True).start()
    work, of = pickle.loads(came.get())  # noqa: S301 - by the process that started this one
    last = False
    while not last:
        kind, found = _outcome(work, of, pickle.loads(came.get()))  # noqa: S301
        last = held() > LARGEST_PROCESS
        data = pickle.dumps((kind, found, last), pickle.HIGHEST_PROTOCOL)
        sent.write(len(data).to_bytes(_SIZE, "big") + data)
        sent.flush()


def _listen(given: BinaryIO, came: SimpleQueue[bytes]) -> None:
    """Pass on what comes; when nobody is left to ask, end in the midst of any work."""
    while len(size := given.read(_SIZE)) == _SIZE:
        came.put(given.read(int.from_bytes(size, "big")))
    os._exit(0)


def _outcome(work: Callable[[Any, Any], object], of: object, job: object) -> tuple[type[Exception] | None, object]:
    """Return what was found, or as what it failed, and why."""
    try:
        return None, work(of, job)
    except CranfieldError as error:
        return CranfieldError, str(error)
    except MemoryError as error:
        return MemoryError, str(error)
    except OSError as error:
        return OSError, str(error)
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        return FaultError, f"{type(error).__name__}: {error}"
