"""How many threads: one setting for machines that are shared, and a single one where matrices are small."""

from __future__ import annotations

import atexit
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock, Thread, local
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from queue import SimpleQueue

T = TypeVar("T")
Given = TypeVar("Given")

THREADS_VARIABLE: Final = "CRANFIELD_THREADS"
"""The environment variable that says how many threads may work at once; one a processor, where it is not there."""

TABLES: Final = "POLARS_MAX_THREADS"
MATRICES: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What libraries of tables and of matrices look at, once, when they are loaded."""

MOST_READERS: Final = 8


def allowed() -> int:
    """Return how many threads may work at once."""
    return processors() if THREADS_VARIABLE not in os.environ else _number(THREADS_VARIABLE)


def readers() -> int:
    """Return how many threads read runs: one more than there are processors, since some wait for the disk."""
    return allowed() if THREADS_VARIABLE in os.environ else min(processors(), MOST_READERS) + 1


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settle() -> None:
    """Decide for a command, before libraries are loaded: one thread for matrices, for tables as many as allowed.

    Matrices here are small: several threads took up to twice the processor time, and no less of the
    clock. What the environment says already stays.
    """
    for name in MATRICES:
        os.environ.setdefault(name, "1")
    if THREADS_VARIABLE in os.environ:
        os.environ.setdefault(TABLES, str(allowed()))
    if TABLES in os.environ:
        _number(TABLES)


def started() -> int:
    """Return how many threads libraries start, after `settle`, before any of them does something."""
    tables = os.environ.get(TABLES)
    matrices = os.environ.get(MATRICES[0], "")
    return int(tables or processors()) + (int(matrices) if matrices.isdecimal() else processors())


def in_turn(
    do: Callable[[Given], T], given: Iterable[Given], workers: int, most_ahead: int
) -> Generator[T, None, None]:
    """Do it in several threads, at most this many things ahead, and hand on the results in the order given."""
    if workers == 1:
        yield from map(do, given)
        return
    from queue import SimpleQueue

    waiting: SimpleQueue[_Task[Any] | None] = SimpleQueue()
    started: list[Thread] = []
    ahead: deque[_Task[T]] = deque()

    def end() -> None:
        for task in ahead:
            task.cancelled = True
        waiting.put(None)
        for thread in started:
            thread.join()

    # An error that is still known keeps who called, and so this, from being closed: Python's own end does it then.
    atexit.register(end)
    try:
        for each in given:
            ahead.append(_Task(partial(do, each)))
            waiting.put(ahead[-1])
            if len(started) < workers:
                thread = Thread(target=_work, args=(waiting,), name=f"cranfield_{len(started)}", daemon=True)
                thread.start()
                started.append(thread)
            if len(ahead) > most_ahead:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        end()
        atexit.unregister(end)


class _Task(Generic[T]):
    """Something that another thread does. (`concurrent.futures` has the same, and takes as long to load as 30 runs.)"""

    def __init__(self, do: Callable[[], T]) -> None:
        self.cancelled = False
        self._do = do
        self._found: list[T] = []
        self._error: BaseException | None = None
        self._done = Lock()
        self._done.acquire()

    def run(self) -> None:
        """Do it, unless nobody wants it any more."""
        _here.task = self
        try:
            if not self.cancelled:
                self._found.append(self._do())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is wanted
            self._error = error
        finally:
            self._done.release()

    def result(self) -> T:
        """Wait for what was found; or raise what was raised."""
        with self._done:
            if self._error is not None:
                raise self._error
            return self._found.pop()


_here: Final = local()


def stop_if_unwanted() -> None:
    """End what another thread does and nobody wants any more: long work asks now and then."""
    task: _Task[Any] | None = getattr(_here, "task", None)
    if task is not None and task.cancelled:
        raise UnwantedError


class UnwantedError(Exception):
    """Nobody waits for what a thread does."""


def _work(waiting: SimpleQueue[_Task[Any] | None]) -> None:
    """Do one task after the other, until there is none; and pass that on to the next thread."""
    while task := waiting.get():
        task.run()
    waiting.put(None)


@contextmanager
def one_for_matrices() -> Iterator[None]:
    """Let libraries of matrices use one thread for the time being, where more than that are asked for."""
    if os.environ.get(MATRICES[0]) == "1":
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


def _number(name: str) -> int:
    text = os.environ[name]
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"{name} in the environment must be 1 or more, not {text!r}")
    return int(text)
