"""What is answered over HTTP, as shapes: what every route answers, and the pieces of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cranfield.app.judging.shapes import JsonShape

Role: TypeAlias = Literal["organiser", "assessor", "observer", "program"]
By: TypeAlias = Literal["key", "click", "program"]


class Grade(JsonShape):
    """A grade of the scale."""

    grade: float
    label: str


class Me(JsonShape):
    """Who asks."""

    name: str
    role: Role
    program: bool


class TopicShown(JsonShape):
    """A topic: what it says, its words to mark, and how far its judging is. ``mine`` are judgments of whoever asks."""

    id: str
    title: str
    fields: dict[str, str]
    terms: list[str]
    judged: int
    open: int
    mine: int


class TopicProgress(JsonShape, called="Progress"):
    """Documents judged, still open, and judged by whoever asks."""

    judged: int
    open: int
    mine: int


class Reason(JsonShape):
    """Why a grade is what it is: a sentence, and characters of the text from ``start`` to ``end``."""

    sentence: str = ""
    start: int | None = None
    end: int | None = None


class LeasedDocument(JsonShape):
    """A document to judge, whose it is until a time (seconds since 1970)."""

    topic: str
    document: str
    lease: str
    until: float


class Near(JsonShape):
    """A document much like another one, and what whoever asks graded it."""

    document: str
    grade: float | None


class OwnJudgment(JsonShape, called="Judged"):
    """A judgment of whoever asks."""

    event: str
    topic: str
    document: str
    title: str
    grade: float | None
    note: str
    reason: Reason | None
    time: float
    changed: bool


class SkippedShown(JsonShape, called="Skipped"):
    """A document that whoever asks has skipped, or flagged."""

    topic: str
    document: str
    title: str
    kind: Literal["skipped", "flagged"]
    why: str
    time: float


class Hit(JsonShape):
    """A document found by search. ``mine`` is what whoever asks graded it; ``event`` that judgment."""

    document: str
    title: str
    snippet: str
    judged: bool
    mine: float | None
    event: str | None


class Listed(JsonShape):
    """A document of a list: its text, and what whoever asks graded it."""

    rank: int
    document: str
    title: str
    text: str
    judged: bool
    mine: float | None
    event: str | None


class RunBar(JsonShape):
    """What is certain of a run (base), what is open (residual), and whether it can still win."""

    run: str
    base: float
    residual: float
    top: float
    can_win: bool
    leader: bool


class Point(JsonShape):
    """What was known after a number of judgments: relevant documents, the mean residual of all runs."""

    judged: int
    relevant: int
    residual: float


class Pace(JsonShape):
    """Judgments in the last hour, and the median of the seconds that one took."""

    last_hour: int
    seconds: float | None


class PersonShown(JsonShape, called="Person"):
    """Somebody, and what they have done: their own topics, and whether they share in those that are nobody's own."""

    name: str
    role: Role
    program: bool
    active: bool
    entered: bool
    topics: list[str]
    shared: bool
    judged: int
    held: int
    seconds: float | None
    last: float | None


class AgreementOfPeople(JsonShape, called="Agreement"):
    """How far judgments of the same documents agree: of how many, kappa where it is two people, alpha of any."""

    documents: int
    share: float | None
    kappa: float | None
    alpha: float | None


class GradeGiven(JsonShape):
    """Who gave a document which grade."""

    assessor: str
    grade: float | None
    note: str
    reason: Reason | None
    program: bool


class Disagreement(JsonShape):
    """A document that was graded differently; once ``is_settled``, ``settled`` is its grade, null if it has none."""

    topic: str
    document: str
    title: str
    grades: list[GradeGiven]
    settled: float | None
    is_settled: bool


class Assigned(JsonShape):
    """A topic, whose it is (nobody's: everybody's), and how far it is."""

    topic: str
    title: str
    owners: list[str]
    judged: int
    open: int


class SettingsShown(JsonShape, called="Settings"):
    """By what documents are chosen, and when it is enough."""

    method: str
    measure: str
    budget: int | None
    stop: list[str]
    per_document: int


class Flag(JsonShape):
    """A document that somebody flagged for the organiser."""

    topic: str
    document: str
    title: str
    who: str
    why: str
    time: float


class Entered(JsonShape):
    """Who has come in; browsers have a cookie from now on."""

    me: Me


class TaskShown(JsonShape):
    """What an assessor needs to know about the task. Guidelines are Markdown; no other task has the id."""

    id: str
    title: str
    scale: list[Grade]
    guidelines: str
    reason_from: float | None
    topics: list[TopicShown]
    runs: list[str]
    searchable: bool
    me: Me


class NextDocuments(JsonShape):
    """Documents to judge, the first one first; how many more there are for whoever asks, at most."""

    documents: list[LeasedDocument]
    left: int


class DocumentShown(JsonShape):
    """A document: fields in their order, the text, addresses of its images, words of the topic to mark."""

    topic: str
    document: str
    title: str
    fields: dict[str, str]
    text: str
    images: list[str]
    terms: list[str]
    near: list[Near]  # those much like it that whoever asks has judged
    digest: str
    found: bool  # no run retrieved it
    changed: bool  # it was judged when it said something else
    missing: bool  # no text is at hand


class ActDone(JsonShape, called="Done"):
    """The event that was recorded (the first, of several), and how far the topic is."""

    event: str
    progress: TopicProgress


class Undone(JsonShape):
    """Which document is no longer judged, and is at hand again."""

    event: str
    topic: str
    document: str
    progress: TopicProgress


class History(JsonShape):
    """What whoever asks has judged, skipped and flagged, the last first."""

    judgments: list[OwnJudgment]
    skipped: list[SkippedShown]


class SearchFound(JsonShape, called="Found"):
    """What was found, best first."""

    hits: list[Hit]


class FirstTen(JsonShape):
    """The first ten documents of a run."""

    topic: str
    run: str
    documents: list[Listed]


class PairOfLists(JsonShape, called="Pair"):
    """Two lists side by side, each under a name that tells nothing; no lists: all pairs are compared."""

    topic: str
    left: str
    right: str
    lists: list[list[Listed]]
    remaining: int


class StatusShown(JsonShape):
    """How sure the systems' scores are, and how judging goes."""

    runs: list[RunBar]
    judged: int  # documents
    spent: int  # judgments: what a budget counts, those on lease among them
    relevant: int
    left: int
    missed_at_most: int | None  # bounds the relevant among those not judged, by the audit; null where there is none
    level: float
    pace: Pace
    curve: list[Point]
    reasons: list[str]  # why it is enough, if it is
    lacking: list[str]  # what the other rules lack
    people: list[PersonShown]
    agreement: AgreementOfPeople
    disputed: int  # documents that were graded differently
    unsettled: int  # those of them that nothing settles
    assignment: list[Assigned]
    flags: list[Flag]
    settings: SettingsShown
    sequence: int
    warnings: list[str]


class Disputes(JsonShape):
    """Documents that were graded differently, by topic, those that nothing settles first."""

    disagreements: list[Disagreement]


class LinkMade(JsonShape):
    """A link that is good once, for a person; or, for a program, the token that it sends as Bearer."""

    link: str
    token: str | None


class DoneTo(JsonShape):
    """How many judgments or documents it concerned."""

    event: str
    count: int


class Problem(JsonShape):
    """What was wrong, and what would be right."""

    problem: str


class FileAnswered(JsonShape):
    """A file."""


class Nothing(JsonShape):
    """Nothing is answered."""
