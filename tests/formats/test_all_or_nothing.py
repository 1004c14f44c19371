"""Files are written whole or not at all, and nothing is left beside them, whenever a signal comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.formats import write_whole
from cranfield.formats.writing import all_or_nothing


@pytest.mark.parametrize("nth", range(1, 5))
def test_a_signal_while_what_is_left_is_cleared_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    """Of two files that were replaced there are four names to remove; the signal comes before one of them."""
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
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"new", "b": b"new"}
