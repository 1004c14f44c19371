"""A track: its folder, its settings, and the steps that are done in it, each after those that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from cranfield.formats import all_or_nothing, write_whole
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.track.steps import Done, StepPart, Workshop, file_digest
from cranfield.track.submissions import Received, Submission, received
from cranfield.track.track_file import SETTINGS_FILE, TrackSettings, read_settings, template


@dataclass(frozen=True, eq=False)
class Track:
    """A folder with a file of settings."""

    folder: Path
    settings: TrackSettings

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the settings of a folder, and check that the files are there that they name."""
        track = cls(folder, read_settings(folder))
        for name, path in track.named_files:
            if not (folder / path).is_file():
                raise InputError(f"{name}: there is no file {path}", source=str(folder / SETTINGS_FILE))
        return track

    @classmethod
    def new(cls, folder: Path) -> list[Path]:
        """Begin a track in a folder: write the settings to fill in. What is there already stays as it is."""
        path = folder / SETTINGS_FILE
        if path.exists():
            raise InputError("there is already a track here; its settings were not changed", source=str(path))
        with all_or_nothing() as changes:
            changes.make_folder(folder / "submissions")
            write_whole(path, template().encode())
        return [path, folder / "submissions"]

    @property
    def named_files(self) -> Iterator[tuple[str, Path]]:
        """Name all files that the settings name, each with the setting that does."""
        settings = self.settings
        named = {
            "[collection] topics": (settings.collection.topics,),
            "[collection] documents": (settings.collection.documents,),
            "[collection] texts": (settings.collection.texts,),
            "[submissions] teams": (settings.submissions.teams,),
            "[judgments] guidelines": (settings.judgments.guidelines,),
            "[judgments] retracted": (settings.judgments.retracted,),
            "[judgments] models": settings.judgments.models,
        }  # fmt: skip
        return ((name, path) for name, paths in named.items() for path in paths if path is not None)

    @cached_property
    def shop(self) -> Workshop:
        """What was made in the folder."""
        return Workshop(self.folder)

    @cached_property
    def received(self) -> Received:
        """All files that were submitted."""
        return received(self.folder, self.settings)

    @property
    def submitted(self) -> list[Submission]:
        """Those that are runs, or should be."""
        return self.received.runs

    @property
    def topics(self) -> Path:
        """The file of the topics."""
        return self.folder / self.settings.collection.topics

    def path(self, given: Path | None) -> Path | None:
        """Find a file that the settings name."""
        return None if given is None else self.folder / given

    def digests(self, *files: Path | None) -> dict[str, str | None]:
        """Return digests of files that parts follow from, by their paths from the folder."""
        return {self.shown(file): file_digest(file) for file in files if file is not None}

    def shown(self, path: Path) -> str:
        """Name a file from the folder of the track."""
        return storable((path.relative_to(self.folder) if path.is_relative_to(self.folder) else path).as_posix())

    def bring(self, step: str, parts: Iterable[StepPart]) -> Iterator[Done]:
        """Bring the parts of a step up to date, one after the other, and forget those that there are no more."""
        names = []
        for part in parts:
            names.append(part.name)
            yield self.shop.bring(part)
        self.shop.forget(step, names)
