"""What a judging task is: what people read, what is judged, and by what the next document is chosen."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from cranfield.formats.topic_files import Topic
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import DOCUMENT
from cranfield.plumbing.wording import named
from cranfield.selection.candidates import Candidates
from cranfield.selection.judging import Judging
from cranfield.selection.records.policies import POLICIES, Policy

LEASE_MINUTES: Final = 30.0
_MOST_GRADES: Final = 10
"""How many grades a scale may have: one for each key."""
_ARRAYS: Final = ("topic", "start", "cell_run", "cell_rank", "length", "present")


@dataclass(frozen=True)
class Task:
    """What is fixed about a judging task, besides runs and texts."""

    id: str  # a name unlike that of any other task
    title: str
    scale: list[tuple[float, str]]  # grades and their labels, the lowest first
    topics: dict[str, tuple[str, str, str]]  # by id: title, description, narrative
    guidelines: str = ""  # what assessors are told, as Markdown
    reason_from: float | None = None  # from which grade on a reason is required; None: from none
    method: str = "C"  # by what documents are chosen at first, as in `Judging`
    measure: str = "RBP(p=0.8)"
    seed: int = 7
    per_document: int = 1  # how many people judge each document
    twice: float = 0  # the share of documents that two judge, if one judges the others
    audit: float = 0  # the share of judgments spent on documents drawn at random, which bound what is missed
    policy: Policy = "adjudicated"  # which grade a document has that several people judged
    lease: float = LEASE_MINUTES  # for how many minutes a document is somebody's
    budget: int | None = None  # how many judgments there are to spend at first; None: no end
    stop: list[str] = field(default_factory=lambda: ["LeaderAbove"])  # the rules that say when it is enough
    among: list[tuple[str, str]] | None = None  # the documents that are judged; None: all that runs have

    def __post_init__(self) -> None:
        grades = [grade for grade, _ in self.scale]
        if not 2 <= len(grades) <= _MOST_GRADES or grades != sorted(set(grades)) or grades[0] < 0:
            raise InputError(f"a scale has 2 to {_MOST_GRADES} increasing grades, 0 or more, not {shown(grades)}")
        if self.policy not in POLICIES:
            raise InputError(f"a policy is {', '.join(POLICIES)}, not {shown(self.policy)}")
        if not (0 <= self.twice <= 1 and 0 <= self.audit <= 1):
            raise InputError("the shares of documents judged twice and of the audit are from 0 to 1")
        if self.per_document < 1 or self.lease <= 0:
            raise InputError("at least 1 person judges a document, and it is reserved for more than 0 minutes")

    @property
    def grades(self) -> list[float]:
        """The grades of the scale."""
        return [grade for grade, _ in self.scale]

    def to_bytes(self) -> bytes:
        """Return it as it is kept."""
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def of_bytes(cls, data: bytes) -> Task:
        """Read it back."""
        said: dict[str, Any] = json.loads(data)
        said["scale"] = [(grade, label) for grade, label in said["scale"]]
        if said.get("among") is not None:
            said["among"] = [(topic, document) for topic, document in said["among"]]
        said["topics"] = {topic: tuple(parts) for topic, parts in said["topics"].items()}
        return cls(**said)

    def on_scale(self, grade: float | None) -> float | None:
        """Return a grade if it is on the scale; otherwise say which grades are."""
        if grade is None:
            return None
        if grade not in self.grades:
            raise InputError(f"a grade is {', '.join(f'{each:g}' for each in self.grades)}, or none, not {grade:g}")
        return int(grade) if float(grade).is_integer() else grade

    def require_topic(self, topic: str | None) -> None:
        """Refuse what is no topic of the task, and name some."""
        if topic is not None and topic not in self.topics:
            raise InputError(f"there is no topic {shown(topic)}; choose from {named(tuple(self.topics))}")

    def judging(self, candidates: Candidates) -> Judging:
        """Begin to choose documents."""
        top = self.grades[-1]
        return Judging(candidates, self.measure, method=self.method, top_grade=top, seed=self.seed, among=self.among)


def scale_of(written: str) -> list[tuple[float, str]]:
    """Read a scale as it is given: its ends, or each grade with its label.

    >>> scale_of("0-2"), scale_of("0=no, 1=perhaps, 3=yes")
    ([(0, '0'), (1, '1'), (2, '2')], [(0, 'no'), (1, 'perhaps'), (3, 'yes')])
    """
    first, dash, last = written.partition("-")
    if dash and first.strip().isdigit() and last.strip().isdigit():
        lowest, highest = int(first), int(last)
        if lowest < highest < lowest + _MOST_GRADES:
            return [(grade, str(grade)) for grade in range(lowest, highest + 1)]
    parts = [each.partition("=") for each in written.split(",")]
    if len(parts) > 1 and all(grade.strip().isdigit() and label.strip() for grade, _, label in parts):
        return [(int(grade), label.strip()) for grade, _, label in parts]
    raise InputError(
        f"a scale is 0-3, or 0=not relevant,1=relevant, of 2 to {_MOST_GRADES} whole grades, not {shown(written)}"
    )


def topics_of(candidates: Candidates, about: Mapping[str, Topic]) -> dict[str, tuple[str, str, str]]:
    """Say what there is to judge: the topics that runs have, and those of the file that they lack, with their words."""
    ids = dict.fromkeys([*candidates.topics, *about])
    return {topic: tuple(about.get(topic, Topic(""))) for topic in ids}  # type: ignore[misc]


def packed(candidates: Candidates) -> bytes:
    """Pack candidates for the store; see `unpacked`."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: getattr(candidates, name) for name in _ARRAYS})
    names = json.dumps([candidates.runs, candidates.topics, candidates.document.to_list()])
    packed_names = zlib.compress(names.encode())
    return len(packed_names).to_bytes(8, "big") + packed_names + buffer.getvalue()


def unpacked(data: bytes) -> Candidates:
    """Return candidates that were kept."""
    size = int.from_bytes(data[:8], "big")
    runs, topics, documents = json.loads(zlib.decompress(data[8 : 8 + size]))
    with np.load(io.BytesIO(data[8 + size :]), allow_pickle=False) as arrays:
        found: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
    document = pl.Series(DOCUMENT, documents, pl.String)
    return Candidates(runs=tuple(runs), topics=tuple(topics), document=document, **found)
