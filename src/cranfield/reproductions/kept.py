"""Items that are done: kept as files, so that they are done once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cranfield.formats import all_or_nothing, read_bytes, write_whole
from cranfield.plots import Figure
from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.interchange import kind, plain, record, restored
from cranfield.reports.elements import Block, Folded, Picture, ReportTable, Statement, Words
from cranfield.results.sheet import Marked, Ranged, Sheet, SheetColumn

for _kind in (Words, ReportTable, Picture, Statement, Folded, Sheet, SheetColumn, Ranged, Marked, Figure):
    record(_kind)
kind("rows", frozenset, lambda rows: " ".join(map(str, sorted(rows))), lambda text: frozenset(map(int, text.split())))

_SUFFIX: Final = ".json.zst"


class Kept:
    """Blocks by the name of their item, each kept under a digest of everything it follows from."""

    def __init__(self, folder: Path | str | None, depends_on: Mapping[str, object]) -> None:
        self.folder = None if folder is None else Path(folder)
        self._digest = _digest(json.dumps(depends_on, sort_keys=True, default=str).encode())

    def found(self, item: str, more: str = "") -> tuple[Block, ...] | None:
        """Return what was kept of an item, which may depend on more than the key; None if nothing was kept."""
        for file in [] if self.folder is None else self.folder.glob(f"{self._stem(item, more)}.*{_SUFFIX}"):
            try:
                data = read_bytes(file)
            except CranfieldError:  # not what was packed
                continue
            if file.name == self._name(item, more, data):
                blocks: tuple[Block, ...] = restored(json.loads(data))
                return blocks
        return None

    def keep(self, item: str, blocks: list[Block], more: str = "") -> None:
        """Keep an item, in the place of what was kept of it before."""
        if self.folder is None:
            return
        data = json.dumps(plain(blocks), ensure_ascii=False).encode()
        self.folder.mkdir(parents=True, exist_ok=True)
        before = [file for file in self.folder.glob(f"{item}.*{_SUFFIX}") if file.name.count(".") == 4]
        with all_or_nothing(now=True):
            write_whole(self.folder / self._name(item, more, data), data)
        for file in before:
            if file.name != self._name(item, more, data):
                file.unlink(missing_ok=True)

    def _stem(self, item: str, more: str) -> str:
        return f"{item}.{_digest(f'{self._digest}/{item}/{more}'.encode())}"

    def _name(self, item: str, more: str, data: bytes) -> str:
        """Name a file after its item, what that follows from, and its content, so that nothing else passes for it."""
        stem = self._stem(item, more)
        return f"{stem}.{_digest(stem.encode() + data)}{_SUFFIX}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]
