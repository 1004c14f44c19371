"""How many threads: one setting for machines that are shared, and a single one where matrices are small."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
Given = TypeVar("Given")

VARIABLE: Final = "CRANFIELD_THREADS"
"""The environment variable that says how many threads may work at once; one a processor, where it is not there."""

TABLES: Final = "POLARS_MAX_THREADS"
MATRICES: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What libraries of tables and of matrices look at, once, when they are loaded."""

MOST_READERS: Final = 8


def allowed() -> int:
    """Return how many threads may work at once.

    Raises
    ------
    InputError
        Where the environment says something else than a number from 1.
    """
    return processors() if VARIABLE not in os.environ else _number(VARIABLE)


def readers() -> int:
    """Return how many threads read runs: one more than there are processors, since some wait for the disk."""
    return allowed() if VARIABLE in os.environ else min(processors(), MOST_READERS) + 1


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settle() -> None:
    """Decide for a command, before libraries are loaded: one thread for matrices, for tables as many as allowed.

    Matrices here are small: several threads took up to twice the processor time, and no less of the
    clock. What the environment says already stays.

    Raises
    ------
    InputError
        Where the environment says something else than a number from 1.
    """
    for name in MATRICES:
        os.environ.setdefault(name, "1")
    if VARIABLE in os.environ:
        os.environ.setdefault(TABLES, str(allowed()))
    if TABLES in os.environ:
        _number(TABLES)


def started() -> int:
    """Return how many threads libraries start, after `settle`, before any of them does something."""
    tables = os.environ.get(TABLES)
    matrices = os.environ.get(MATRICES[0], "")
    return int(tables or processors()) + (int(matrices) if matrices.isdecimal() else processors())


def in_turn(do: Callable[[Given], T], given: Iterable[Given], workers: int, most_ahead: int) -> Iterator[T]:
    """Do it in several threads, at most this many things ahead, and hand on the results in the order given."""
    if workers == 1:
        yield from map(do, given)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
    ahead: deque[Future[T]] = deque()
    try:
        for each in given:
            ahead.append(pool.submit(do, each))
            if len(ahead) > most_ahead:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


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
