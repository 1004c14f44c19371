"""Files are written whole or not at all, and nothing is left beside them, whenever a signal comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cranfield.formats import unfinished, write_whole, writing
from cranfield.formats.writing import all_or_nothing, new_folder, when_written, write_together
from cranfield.plumbing import interrupts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interrupts import signals_wait

SOURCES = {writing.__file__, unfinished.__file__, interrupts.__file__}


def one(folder: Path) -> None:
    write_whole(folder / "a", b"new")


def several(folder: Path) -> None:
    write_together(folder, {folder / name: b"new" for name in ("a", "b", "deep/c")})


def a_folder(folder: Path) -> None:
    with new_folder(folder / "made") as aside:
        (aside / "d").write_bytes(b"new")
        (aside / "e").mkdir()
        (aside / "e" / "f").write_bytes(b"new")


def an_empty_folder(folder: Path) -> None:
    (folder / "made").mkdir(exist_ok=True)
    a_folder(folder)


WRITERS: dict[str, Callable[[Path], None]] = {each.__name__: each for each in (one, several, a_folder, an_empty_folder)}


def begin(folder: Path) -> None:
    """Lay down what is there before."""
    folder.mkdir()
    for name in "ab":
        (folder / name).write_bytes(b"old")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def at_step(number: int, do: Callable[[], None]) -> Iterator[list[int]]:
    """Do something before a line of what writes files: the first, the second, ...; and count the lines."""
    steps = [0]

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in SOURCES:
            return None
        if event == "line":
            steps[0] += 1
            if steps[0] == number:
                do()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield steps
    finally:
        sys.settrace(before)


@pytest.mark.filterwarnings("ignore:.*unclosed file:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", WRITERS)
def test_an_interrupt_at_any_step_leaves_the_old_files_or_the_new_ones(tmp_path: Path, name: str) -> None:
    begin(tmp_path / "expected")
    old = contents(tmp_path / "expected")
    WRITERS[name](tmp_path / "expected")
    new = contents(tmp_path / "expected")
    step, found = 0, list[bool]()
    while True:
        step += 1
        folder = tmp_path / str(step)
        begin(folder)
        with at_step(step, lambda: signal.raise_signal(signal.SIGINT)) as steps:
            try:
                WRITERS[name](folder)
            except KeyboardInterrupt:
                pass
            else:
                assert steps[0] < step
                break
        assert contents(folder) in (old, new), step
        assert [path.name for path in folder.rglob(".*")] == [], step
        found.append(contents(folder) == new)
    assert {*found} == {False, True}


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize("name", WRITERS)
def test_what_a_kill_at_any_step_leaves_is_mended_by_the_next_call(tmp_path: Path, name: str) -> None:
    """In a process without threads, which can be forked."""
    script = f"from tests.formats.test_all_or_nothing import killed_at_every_step as k; k({str(tmp_path)!r}, {name!r})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    steps, left, finished = map(int, done.stdout.split())
    assert steps > 60
    assert 0 < left < steps
    assert (finished > 0) == (name in {"several", "an_empty_folder"})  # of one there is no part


def killed_at_every_step(home: str, name: str) -> None:
    """Kill a process at each step; print how many steps there are, after how many something was left, and finished."""
    begin(Path(home, "expected"))
    old = contents(Path(home, "expected"))
    WRITERS[name](Path(home, "expected"))
    new = contents(Path(home, "expected"))
    left, finished, step, status = 0, 0, 0, 9
    while status:
        step += 1
        folder = Path(home, str(step))
        begin(folder)
        if not (child := os.fork()):
            with at_step(step, lambda: os._exit(9)):
                WRITERS[name](folder)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said: list[str] = []
        writing._mended.clear()
        with all_or_nothing(told=said.append):
            write_whole(folder / "next", b"next")
        (folder / "next").unlink()
        assert contents(folder) in (old, new), (step, contents(folder), said)
        assert not [*folder.rglob(".*")], (step, [*folder.rglob(".*")])
        left += bool(said)
        finished += any("the replacement is now complete" in each for each in said)
    print(step, left, finished)  # noqa: T201


def test_who_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    with all_or_nothing():
        write_whole(tmp_path / "a", b"a")
        writing._mended.clear()
        with all_or_nothing(now=True):
            write_whole(tmp_path / "b", b"b")
        assert contents(tmp_path).keys() > {"b"}
        assert not (tmp_path / "a").exists()
    assert contents(tmp_path) == {"a": b"a", "b": b"b"}


def test_a_note_moves_no_other_files(tmp_path: Path) -> None:
    """A folder may come from elsewhere."""
    (tmp_path / "mine").write_text("mine")
    here = tmp_path / "here"
    here.mkdir()
    note = here / ".cranfield-aa.unfinished"
    note.write_text('["file", "../mine"]\n["file", "."]\n["whole", ""]\n["file"')
    assert not [*unfinished.mend(here)]
    assert contents(tmp_path) == {"mine": b"mine"}
    note.write_text("no JSON\n")
    assert not [*unfinished.mend(here)]


def test_a_file_is_written_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a: two outputs go to this file"), all_or_nothing():
        write_whole(tmp_path / "a", b"1")
        write_whole(tmp_path / "a", b"2")
    assert contents(tmp_path) == {}


def test_what_is_done_when_all_is_written(tmp_path: Path) -> None:
    done: list[bool] = []
    with all_or_nothing():
        write_whole(tmp_path / "a", b"a")
        when_written(lambda: done.append((tmp_path / "a").exists()))
        assert not done
    when_written(lambda: done.append(False))
    assert done == [True, False]


def test_signals_wait_and_come(tmp_path: Path) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(SystemExit), signals_wait():
            signal.raise_signal(signal.SIGTERM)
            (tmp_path / "a").write_text("a")
        assert signal.getsignal(signal.SIGTERM) is stop
    finally:
        signal.signal(signal.SIGTERM, before)
    assert contents(tmp_path) == {"a": b"a"}


@pytest.mark.parametrize("nth", range(1, 5))
def test_what_is_left_is_cleared_up_twice_if_need_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    """Of two files that were replaced there are four names to remove; one of them fails at first."""
    for name in "ab":
        (tmp_path / name).write_bytes(b"old")
    unlink, calls = Path.unlink, []

    def interrupted(path: Path, missing_ok: bool = False) -> None:
        calls.append(path)
        if len(calls) == nth:
            raise SystemExit(143)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", interrupted)
    with pytest.raises(SystemExit), all_or_nothing():
        for name in "ab":
            write_whole(tmp_path / name, b"new")
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}


def test_files_written_into_a_folder_aside_are_there_with_it(tmp_path: Path) -> None:
    """Within a command, whose end names its own files, a folder that counts at once is whole."""
    with all_or_nothing():
        with new_folder(tmp_path / "task", now=True) as aside:
            write_together(aside, {aside / "a.txt": "a", aside / "b" / "c.txt": b"c"})
        assert (tmp_path / "task" / "b" / "c.txt").read_text() == "c"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["task"]
