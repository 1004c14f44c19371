"""The steps in their order: each brings those up to date that it needs, and then itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from cranfield.formats.writing import write_together
from cranfield.track import checking, judging, pooling, release, results
from cranfield.track.steps import Done, Part
from cranfield.track.track import Track

STEPS: Final[Mapping[str, Callable[[Track], Iterable[Part]]]] = {
    "check": checking.parts,
    "pool": pooling.parts,
    "judge": lambda track: judging.parts(track, pooling.read_pool(track)),
    "results": results.parts,
    "release": release.parts,
}
"""What each step makes, in their order."""


def bring(track: Track, step: str) -> Iterator[Done]:
    """Bring a step up to date, and before it all that it follows from.

    Parameters
    ----------
    track
        The track.
    step
        One of `STEPS`.

    Yields
    ------
    Done
        What became of each part, as soon as it is done.
    """
    for name, parts in STEPS.items():
        yield from track.bring(name, parts(track))
        if name == step:
            return


def pack(track: Track) -> Path:
    """Write the archive of the release beside it; after `release`."""
    files = {track.folder / name: data for name, data in release.archive(track).items()}
    return write_together(track.folder, files)[0]
