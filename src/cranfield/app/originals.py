"""The files that were read at the start, and whether they are still what they were."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final, Self

from cranfield.formats.files import called, is_stream
from cranfield.formats.runs import RunSource, nothing
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

MOST_FILES: Final = 2_000
"""How many files of a folder are looked at; of larger folders it is seen when files come, go, or are renamed."""

Mark = tuple[int, ...]
"""What changes when a file is written, moved or replaced; an empty one where there is none."""


@dataclass(frozen=True)
class Originals:
    """Files, each as it was found: ask before they are read, so that nothing is missed."""

    marks: tuple[tuple[str, Mark], ...] = ()

    @classmethod
    def of(cls, paths: Iterable[str | os.PathLike[str]]) -> Self:
        """Take note of files, and of what is in folders; what can be read only once does not change."""
        found = [each for path in paths if not is_stream(path) for each in _within(path)]
        return cls(tuple((name, _mark(name)) for name in dict.fromkeys(found)))

    def changed(self) -> tuple[str, ...]:
        """Name the files that are not what they were."""
        return tuple(called(name) for name, mark in self.marks if _mark(name) != mark)

    def checked(self, sources: Sequence[RunSource]) -> tuple[RunSource, ...]:
        """Return runs that are read again as they were, or not at all."""
        if not self.marks:
            return tuple(sources)
        marks = dict(self.marks)
        return tuple(
            replace(source, load=_Checked(source.load, own), nested=None, cells=nothing, parted=None)
            for source in sources
            for path in [str(source.path)]
            for own in [Originals(((path, marks[path]),)) if path in marks else self]  # a run may be of many files
        )


@dataclass(frozen=True)
class _Checked:
    """Read a file that is the same before and after."""

    load: Callable[..., pl.DataFrame]
    of: Originals

    def __call__(self, *, rank: bool, lines: bool) -> pl.DataFrame:
        self._refuse_others()
        try:
            return self.load(rank=rank, lines=lines)
        finally:
            self._refuse_others()

    def _refuse_others(self) -> None:
        if changed := self.of.changed():
            raise InputError("has changed since it was read; read the files anew", source=changed[0])


def _within(path: str | os.PathLike[str]) -> list[str]:
    """Name a file, or a folder with the folders and the first files in it."""
    if not Path(path).is_dir():
        return [str(Path(path))]
    walked = list(os.walk(Path(path)))
    files = (str(Path(folder, name)) for folder, _, names in walked for name in sorted(names))
    return [*(folder for folder, _, _ in walked), *islice(files, MOST_FILES)]


def _mark(path: str) -> Mark:
    try:
        found = Path(path).stat()
    except OSError:
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev
