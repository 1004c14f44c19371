"""The settings of a track: one file of TOML, checked before anything is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from cranfield.conventions import Convention, named
from cranfield.formats.files import called
from cranfield.formats.loading import load
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import (
    Count,
    Order,
    Positive,
    RelevanceLevel,
    Seed,
    annotations_of,
    check_fields,
    checked,
    shown,
)
from cranfield.plumbing.wording import did_you_mean
from cranfield.selection.records import Policy

SETTINGS_FILE: Final = "track.toml"
"""What the file of settings is called, in the folder of the track."""
_DEPTH: Final = 100
_USUAL: Final = ("AP", "nDCG@10", "P@10")
"""By what runs are scored where neither measures nor a convention are named."""

Task: TypeAlias = Literal["ranking", "answers"]
Tolerable: TypeAlias = Literal[
    "missing topics", "unknown topics", "length", "tags", "name", "unknown document", "runs of the team", "words",
    "citation",
]  # fmt: skip
"""The codes of errors that evaluation survives."""
Doubtful: TypeAlias = Literal[
    "order", "reversed", "constant scores", "all constant", "ranks", "first rank", "tag", "same ranking", "length",
    "score", "columns", "file name", "idle reference",
]  # fmt: skip
"""The codes of warnings."""
TURNED: Final[tuple[Doubtful, ...]] = ("reversed", "all constant")
"""Warnings that reject a run where documents are ranked by their scores, unless the settings say otherwise."""


@dataclass(frozen=True, kw_only=True)
class CollectionTable:
    """Topics and documents."""

    topics: Path
    documents: Path | None = None
    texts: Path | None = None

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """Where submissions are, and the rules for them."""

    folder: Path = Path("submissions")
    teams: Path | None = None
    task: Task = "ranking"
    most_documents: Count | None = None
    least_documents: Count | None = None
    most_runs: Count | None = None
    most_words: Count | None = None
    tag_is_name: bool = False
    tolerated: tuple[Tolerable, ...] = ()
    strict: tuple[Doubtful, ...] | None = None
    confirmed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        if self.most_words is not None and self.task != "answers":
            raise InputError('most_words applies to answers; set task = "answers", or leave it out')


@dataclass(frozen=True, kw_only=True)
class Measured:
    """By what runs are scored."""

    convention: str | None = None
    measures: tuple[str, ...] = ()
    rel: RelevanceLevel | None = None

    def __post_init__(self) -> None:
        from cranfield.experiments.experiment import number_measures

        check_fields(self)
        fixed = self.known.rel if self.known is not None else None
        if fixed is not None and self.rel not in {None, fixed}:
            raise InputError(
                f"convention {self.convention!r} has rel = {fixed:g}, not {self.rel:g}; drop one of the two"
            )
        if self.known is not None and self.known.depth is not None:
            raise InputError(
                f"convention {self.convention!r} cuts lists at rank {self.known.depth:,}, and results are about whole "
                'lists; name its measures without it, as in measures = ["nDCG@3"]'
            )
        number_measures(self.names)

    @property
    def known(self) -> Convention | None:
        """The convention, if one is named."""
        return None if self.convention is None else named(self.convention)

    @property
    def names(self) -> tuple[str, ...]:
        """The measures, the one that decides first."""
        return self.measures or (_USUAL if self.known is None else self.known.measures)

    @property
    def order(self) -> Order:
        """What ranks the documents: as trec_eval 9 does, unless the convention has another order."""
        return (self.known.order if self.known else None) or "trec9"

    @property
    def level(self) -> float | None:
        """The lowest relevant grade; None for any above 0."""
        return self.rel if self.rel is not None or self.known is None else self.known.rel

    @property
    def conditions(self) -> dict[str, Any]:
        """What `evaluate` is asked for besides: without a convention documents are ranked as trec_eval 9 does."""
        asked: dict[str, Any] = {"order": self.order}
        asked |= {} if self.convention is None else {"convention": self.convention}
        return asked | ({} if self.rel is None else {"rel": self.rel})


@dataclass(frozen=True, kw_only=True)
class PoolTable:
    """What is judged."""

    method: Literal["depth", "A", "B", "C", "sample", "none"] = "depth"
    depth: Count = _DEPTH
    runs_per_team: Count | None = None
    budget: Count | None = None
    measure: str = "RBP(p=0.8)"
    per_topic: Count | None = None
    deadline: str | None = None
    seconds: Positive = 30.0
    seed: Seed = 7

    def __post_init__(self) -> None:
        check_fields(self)
        if self.deadline is not None:
            day("deadline", self.deadline)
        if self.method in {"A", "B", "C"} and self.budget is None:
            raise InputError(f"method {self.method} needs a budget: the total number of documents to judge")
        if self.method not in {"A", "B", "C"} and self.budget is not None:
            raise InputError(f"a budget applies to methods A, B and C; method {self.method!r} has none")
        if (self.method == "sample") != (self.per_topic is not None):
            raise InputError('per_topic, the documents drawn for each topic, goes with method = "sample"')

    @property
    def last_day(self) -> str | None:
        """The deadline as days of receipt are written, so that they can be compared.

        >>> PoolTable(deadline="20260801").last_day
        '2026-08-01'
        """
        return None if self.deadline is None else day("deadline", self.deadline).isoformat()


@dataclass(frozen=True, kw_only=True)
class JudgedTable:
    """Where judgments come from."""

    scale: str = "0-1"
    guidelines: Path | None = None
    assessors: tuple[str, ...] = ()
    per_document: Count = 1
    files: tuple[str, ...] = ()
    policy: Policy = "adjudicated"
    retracted: Path | None = None
    models: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        from cranfield.app.judging.task import scale_of

        check_fields(self)
        scale_of(self.scale)


@dataclass(frozen=True, kw_only=True)
class AskedTable:
    """What is asked of the results."""

    hard: Count = 10
    seed: Seed = 7

    def __post_init__(self) -> None:
        check_fields(self)


_TABLES: Final = {
    "collection": CollectionTable, "submissions": Submissions, "measures": Measured, "pool": PoolTable,
    "judgments": JudgedTable, "results": AskedTable,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TrackSettings:
    """All settings, as values that checked themselves; paths are found from the folder of the track."""

    name: str
    organisers: tuple[str, ...] = ()
    contact: str = ""
    version: str = "1"
    licence: str = ""
    citation: str = ""
    year: Count | None = None
    collection: CollectionTable
    submissions: Submissions = field(default_factory=Submissions)
    measures: Measured = field(default_factory=Measured)
    pool: PoolTable = field(default_factory=PoolTable)
    judgments: JudgedTable = field(default_factory=JudgedTable)
    results: AskedTable = field(default_factory=AskedTable)

    @property
    def strict(self) -> frozenset[tuple[str, str]]:
        """Severity and code of the warnings that reject a run."""
        usual = TURNED if self.measures.order in {"score", "trec9", "stable"} else ()
        asked = self.submissions.strict
        return frozenset(("warning", code) for code in (usual if asked is None else asked))


_ALONE: Final = {each.name: each for each in fields(TrackSettings) if each.name not in _TABLES}


def part(settings: object) -> dict[str, Any]:
    """Return settings as plain values, for a digest of them."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(settings), default=Path.as_posix))  # type: ignore[call-overload]
    return plain


def template() -> str:
    """Return the file of settings that a new track begins with."""
    return files("cranfield.track").joinpath("template.toml").read_text(encoding="utf-8")


def read_settings(folder: Path) -> TrackSettings:
    """Read and check the settings of a track."""
    path = folder / SETTINGS_FILE
    if not path.exists():
        raise InputError("no such file; `cranfield track new FOLDER` makes one", source=called(path))
    held = load(path)
    found = held.toml()
    try:
        return settings_of(found)
    except InputError as error:
        raise held.wrong(str(error)) from None


def settings_of(found: Mapping[str, Any]) -> TrackSettings:
    """Check what a file of settings says.

    >>> settings_of({"name": "Toy", "collection": {"topics": "t.txt"}, "pool": {"dept": 5}})
    Traceback (most recent call last):
    ...
    cranfield.InputError: [pool]: unknown setting 'dept'; did you mean `depth`?
    """
    for name in found:
        if name not in _TABLES and name not in _ALONE:
            raise InputError(f"unknown setting {name!r}{_hint(name, [*_ALONE, *_TABLES])}")
    if not found.get("name"):
        raise InputError('the track needs a name, such as name = "Example track"')
    declared = annotations_of(TrackSettings)
    alone = {name: checked(name, found[name], declared[name]) for name in _ALONE if name in found}
    return TrackSettings(**alone, **{name: _table(name, kind, found.get(name, {})) for name, kind in _TABLES.items()})


def _table(name: str, kind: Any, given: object) -> Any:
    if not isinstance(given, dict):
        raise InputError(f"{name} is a table of TOML, as in [{name}], not {shown(given)}")
    known = {each.name: each for each in fields(kind)}
    for key in given:
        if key not in known:
            raise InputError(f"[{name}]: unknown setting {key!r}{_hint(key, known)}")
    if name == "collection" and "topics" not in given:
        raise InputError('[collection]: topics, the file of the topics, is missing, as in topics = "topics.txt"')
    try:
        return kind(**{key: value.isoformat() if isinstance(value, date) else value for key, value in given.items()})
    except CranfieldError as error:
        raise InputError(f"[{name}]: {error}") from None


def _hint(name: str, known: Any) -> str:
    return did_you_mean(name, known) or f"; known are {', '.join(known)}"


def day(name: str, given: str) -> date:
    """Read a day as in 2026-08-01, or as 20260801."""
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InputError(f"{name} must be a date such as 2026-08-01, not {shown(given)}") from None
