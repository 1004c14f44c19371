"""Processes that work out what takes long answer about what they are asked of now, not about what it was before."""

from __future__ import annotations

import asyncio
import mmap
import sys
from asyncio.subprocess import Process

import pytest

from cranfield.app import workers as module
from cranfield.app.workers import Workers
from cranfield.plumbing.memory import held


def said(of: str, job: int) -> tuple[str, int]:
    return of, job


@pytest.mark.parametrize("ahead", [True, False])
def test_what_changes_while_a_process_is_started(monkeypatch: pytest.MonkeyPatch, ahead: bool) -> None:
    """Files are read anew while a process is being handed what the old ones said."""
    put, turned, started = module._put, list[bool](), list[Process]()

    async def answers() -> list[tuple[str, int]]:
        workers: Workers[int, tuple[str, int]] = Workers(said, "old")

        async def turning(process: Process, what: object) -> None:
            started.append(process)
            await put(process, what)
            if what == (said, "old") and not turned:
                turned.append(True)
                workers.turn_to("new")

        monkeypatch.setattr(module, "_put", turning)
        try:
            if ahead:
                workers.warm()
            return [await workers.answer(job) for job in range(2)]
        finally:
            workers.end()
            for process in started:
                await process.wait()
            await asyncio.sleep(0.1)  # until their pipes are closed

    assert asyncio.run(answers()) == [("new", 0), ("new", 1)]
    assert turned


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says it")
def test_memory_is_what_is_held_now() -> None:
    before = held()
    block = mmap.mmap(-1, 64 << 20)  # the system's own: what Python gives back, it may keep for later
    for page in range(0, 64 << 20, mmap.PAGESIZE):
        block[page] = 1
    assert held() - before > 50 << 20
    block.close()
    assert held() - before < 20 << 20
