"""Forked processes: a child that was forked after work had begun would wait for ever for threads that it lacks."""

from __future__ import annotations

import os

from cranfield.plumbing.errors import CranfieldError

_begun = False
_orphaned = False


def begin_work() -> None:
    """Take note that work begins, or refuse it in a child that was forked after its parent had begun.

    polars, which reads and joins, has threads of its own. A fork copies the process without them,
    and the child would wait for them for ever. A child that was forked before is fine.
    """
    global _begun  # noqa: PLW0603 - it is the process that has begun, of which there is one
    if _orphaned:
        raise CranfieldError(
            "this process was forked after cranfield had started its threads, which a forked process lacks: start "
            "workers with multiprocessing.get_context('spawn'), or before the first call"
        )
    if not _begun:
        _begun = True
        if hasattr(os, "register_at_fork"):  # Windows has no fork
            os.register_at_fork(after_in_child=_forked)


def _forked() -> None:
    global _orphaned  # noqa: PLW0603
    _orphaned = True
