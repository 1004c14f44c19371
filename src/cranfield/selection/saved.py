"""A judging session as JSON can hold it, and read again from what may be anything."""

from __future__ import annotations

import math
import sys
import zlib
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict, TypeGuard

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import NO_TEXT
from cranfield.plumbing.options import Count, Positive, Scope, Seed, checked
from cranfield.selection.candidates import Candidates
from cranfield.selection.judgment_audit import AHEAD

_SETTINGS: Final[dict[str, object]] = {
    "measure": str, "method": str, "top_grade": Positive, "scope": Scope, "renew_every": Count, "seed": Seed,
    "audit_ahead": Count,
}  # fmt: skip
"""The settings of a session that is saved."""

Row: TypeAlias = tuple[str, str, float | None]
"""Topic, document, and grade; None where the document was skipped."""


class SavedRuns(TypedDict):
    """Which runs a saved session is of."""

    runs: list[str]
    topics: list[str]
    documents: int
    checksum: int


class SavedJudging(TypedDict):
    """A session as JSON can hold it."""

    method: str
    measure: str
    top_grade: float
    scope: Scope
    renew_every: int
    seed: int
    among: list[list[str]] | None
    candidates: SavedRuns
    judged: list[list[str | float | None]]
    history: list[list[str | float | None]]
    audit_ahead: int


class Saved(NamedTuple):
    """What a saved session says, checked."""

    settings: dict[str, Any]  # what `Judging` is called with
    judged: list[Row]  # given at the start
    history: list[Row]  # recorded since
    among: list[tuple[str, str]] | None  # all are chosen where it is None
    candidates: object  # see `fingerprint`

    @classmethod
    def of(cls, saved: object) -> Saved:
        """Read what `Judging.to_dict` returned."""
        if not isinstance(saved, Mapping):
            raise InputError(f"a saved judging session is what to_dict() returned, not {type(saved).__name__}")
        saved = {"audit_ahead": AHEAD} | dict(saved)  # as it was saved before there was an audit
        lacking = [name for name in (*_SETTINGS, "candidates", "judged", "history") if name not in saved]
        if lacking:
            raise InputError(f"a saved judging session has also: {', '.join(lacking)}")
        settings = {name: checked(name, saved[name], annotation) for name, annotation in _SETTINGS.items()}
        judged, history = (_rows(name, saved[name]) for name in ("judged", "history"))
        return cls(settings, judged, history, _among(saved.get("among")), saved["candidates"])


def fingerprint(candidates: Candidates) -> SavedRuns:
    """Say which runs these are, so that a session is not taken up with others."""
    checksum = zlib.crc32("\n".join(candidates.document).encode())
    for numbers in (candidates.topic, candidates.start, candidates.cell_run, candidates.cell_rank):
        checksum = zlib.crc32(numbers.astype("<i8").tobytes(), checksum)
    return {
        "runs": list(candidates.runs),
        "topics": list(candidates.topics),
        "documents": len(candidates),
        "checksum": checksum,
    }


def is_of(saved: object, candidates: Candidates) -> bool:
    """Tell whether a session was saved with these; before it named the topics, they were taken to be the same."""
    return isinstance(saved, Mapping) and {"topics": list(candidates.topics), **saved} == fingerprint(candidates)


def _rows(name: str, rows: object) -> list[Row]:
    """Read the judgments of a saved session: topic, document and grade, or None where it was skipped."""
    if not isinstance(rows, list | tuple):
        raise InputError(f"{name} of a saved judging session is a list, not {type(rows).__name__}")
    for row in rows:
        grade = row[2] if _are(row, (str, str, object)) else math.nan
        # A whole number beyond floating point is no grade, either, and compares as what it is.
        if grade is not None and not (isinstance(grade, int | float) and abs(grade) <= sys.float_info.max):
            raise InputError(f"{name} of a saved judging session holds [topic, document, grade], not {row!r}")
    return [(topic, document, grade) for topic, document, grade in rows]


def _among(rows: object) -> list[tuple[str, str]] | None:
    """Read which documents alone are chosen, if not all of them are."""
    if rows is None:
        return None
    if not isinstance(rows, list | tuple) or not all(_are(row, (str, str)) for row in rows):
        raise InputError(f"among of a saved judging session holds [topic, document], not {rows!r}")
    return [(topic, document) for topic, document in rows]


def _are(row: object, kinds: tuple[type | UnionType, ...]) -> TypeGuard[Sequence[Any]]:
    """Tell whether something is a list of as many values of these kinds; True is no number, and text can be written.

    >>> _are(["1", 2], (str, int)), _are(["1", True], (str, int)), _are("12", (str, str))
    (True, False, False)
    """
    return (
        isinstance(row, list | tuple)
        and len(row) == len(kinds)
        and all(isinstance(part, kind) and not isinstance(part, bool) for part, kind in zip(row, kinds, strict=True))
        and not any(NO_TEXT.search(part) for part in row if isinstance(part, str))
    )
