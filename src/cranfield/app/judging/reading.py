"""What is shown to people: the task, documents, what they judged, what a search finds, lists of runs."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import combinations
from typing import Final
from urllib.parse import quote

import numpy as np

from cranfield.app.explorer.questions.documents import words_of
from cranfield.app.judging import answers
from cranfield.app.judging.acts import Flagged, Skipped
from cranfield.app.judging.desk import AbsentError, Desk
from cranfield.app.judging.store import KeptText
from cranfield.app.judging.task import Task
from cranfield.app.judging.task_board import Person, TaskBoard
from cranfield.app.web import Served
from cranfield.formats.topic_files import Topic
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import named
from cranfield.scoring.orientation import best_first
from cranfield.selection.records.events import Assessed

LEAST_ALIKE: Final = 0.7  # Documents are near-duplicates from this share of common shingles on
SHINGLE_WORDS: Final = 5
SKETCH_SIZE: Final = 256  # How many shingles stand for a text: those with the smallest checksums
CHARACTERS_COMPARED: Final = 100_000
LAST_JUDGMENTS: Final = 300  # How many of somebody's judgments of a topic a document is compared with: the last ones
SKETCHES_KEPT: Final = 5_000
LIST_LENGTH: Final = 10
BEST_RUNS: Final = 5
CHARACTERS_LISTED: Final = 20_000
_WORD: Final = re.compile(r"\w+")


def me(desk: Desk, who: Person) -> answers.Me:
    """Who asks."""
    return answers.Me(who.name, who.role, who.program)


def task(desk: Desk, who: Person) -> answers.TaskShown:
    """The task: topics, scale, guidelines. Those who judge see the topics that are theirs, others all."""
    of, board = desk.task, desk.board
    judging = who.role in {"assessor", "program"}
    with desk.lock:
        topics = [_topic(desk, who, topic) for topic in (board.allowed(who.name) if judging else of.topics)]
    return answers.TaskShown(
        id=of.id,
        title=of.title,
        scale=[answers.Grade(grade, label) for grade, label in of.scale],
        guidelines=of.guidelines,
        reason_from=of.reason_from,
        topics=topics,
        runs=[*board.candidates.runs],
        searchable=desk.store.documents > 0,
        me=me(desk, who),
    )


def _topic(desk: Desk, who: Person, topic: str) -> answers.TopicShown:
    about = Topic(*desk.task.topics[topic])
    said = {name: words for name, words in about._asdict().items() if words}
    done = desk.progress(who.name, topic)
    return answers.TopicShown(topic, about.title, said, _terms(desk, topic), done.judged, done.open, done.mine)


def document(desk: Desk, who: Person, *, topic: str, document: str) -> answers.DocumentShown:
    """A document, as it is to be judged."""
    desk.task.require_topic(topic)
    board, kept = desk.board, desk.store.document(document)
    with desk.lock:
        found = not board.is_candidate(topic, document)
    if kept is None and found:
        raise AbsentError(f"there is no document {shown(document)}")
    said = kept or KeptText(document, "", "", {}, "")
    with desk.lock:
        counting = board.counting(topic, document)
        before = {board.seen[each.judged.id].digest for each in counting if each.judged.id in board.seen}
        own = [(each.judged.document, each.grade) for each in board.counting_of(who.name, topic)[-LAST_JUDGMENTS:]]
    now = "" if kept is None else digest(kept.title, kept.text, kept.fields)
    return answers.DocumentShown(
        topic=topic,
        document=document,
        title=said.title,
        fields=said.fields,
        text=said.text,
        images=[f"/api/image?document={quote(said.id, safe='')}&topic={quote(topic, safe='')}&number={number}"
                for number in range(desk.store.images(said.id))],
        terms=_terms(desk, topic),
        near=_near(desk, said, own),
        digest=said.digest,
        found=found,
        changed=bool(before - {said.digest}) or now != said.digest,
        missing=kept is None,
    )  # fmt: skip


def _terms(desk: Desk, topic: str) -> list[str]:
    """Return the words of a topic, of its title and description, that are marked in texts."""
    return sorted(words_of(" ".join(desk.task.topics[topic][:2])))


def image(desk: Desk, who: Person, *, topic: str, document: str, number: str) -> Served:
    """An image of a document."""
    found = desk.store.image(document, int(number)) if number.isdigit() and len(number) < 9 else None
    if found is None:
        raise AbsentError(f"document {shown(document)} has no such image")
    return Served(found.data, found.kind)


def digest(title: str, text: str, fields: dict[str, str]) -> str:
    """Return a digest of a document's parts."""
    return sha256("\0".join((title, text, *(part for each in fields.items() for part in each))).encode()).hexdigest()


def _near(desk: Desk, of: KeptText, own: Sequence[tuple[str, float | None]]) -> list[answers.Near]:
    """Name the documents judged by somebody that a document is much like."""
    if not of.text:
        return []
    here = _sketched(desk, of.id)
    others = [(name, grade) for name, grade in own if name != of.id]
    return [answers.Near(name, grade) for name, grade in others if alike(here, _sketched(desk, name)) >= LEAST_ALIKE]


def _sketched(desk: Desk, name: str) -> frozenset[int]:
    """Return the sketch of a document, which is kept: texts stay as they are while a task is served."""
    if name not in desk.sketches:
        kept = desk.store.document(name)
        if len(desk.sketches) >= SKETCHES_KEPT:
            desk.sketches.clear()
        desk.sketches[name] = frozenset() if kept is None else sketch(kept.text)
    return desk.sketches.get(name, frozenset())


def sketch(text: str) -> frozenset[int]:
    """Return some shingles of a text, as checksums: always the same ones of the same text, which stand for all."""
    words = [found[0].casefold() for found in _WORD.finditer(text, 0, CHARACTERS_COMPARED)]
    last = max(1, len(words) - SHINGLE_WORDS + 1) if words else 0
    shingles = (" ".join(words[at : at + SHINGLE_WORDS]) for at in range(last))
    return frozenset(sorted({zlib.crc32(each.encode()) for each in shingles})[:SKETCH_SIZE])


def alike(one: frozenset[int], other: frozenset[int]) -> float:
    """Estimate the share of shingles that two texts have in common, among those in either.

    >>> text = " ".join(f"word{n}" for n in range(40))
    >>> alike(sketch(text), sketch(text + " more")), alike(sketch(text), sketch("nothing of it is there"))
    (0.97..., 0.0)
    """
    both = sorted(one | other)[:SKETCH_SIZE]
    return sum(each in one and each in other for each in both) / len(both) if both else 0.0


def history(desk: Desk, who: Person, *, topic: str | None = None) -> answers.History:
    """What one has judged, skipped and flagged. The last stands first."""
    desk.task.require_topic(topic)
    board = desk.board
    with desk.lock:
        counting = board.counting_of(who.name, topic)
        said: list[Skipped | Flagged] = [
            *(each for (name, _), each in board.skipped.items() if name == who.name),
            *(each for each in board.flagged if each.who == who.name),
        ]
        aside = [each for each in said if topic in {None, each.topic}]
    names = [*(each.judged.document for each in counting), *(each.document for each in aside)]
    titles = desk.store.titles([*dict.fromkeys(names)])
    judgments = [
        answers.OwnJudgment(
            each.judged.id, each.judged.topic, each.judged.document, titles.get(each.judged.document, ""), each.grade,
            each.note, board.reason(each.judged), each.judged.time, changed=_changed(desk, each.judged),
        )
        for each in reversed(counting)
    ]  # fmt: skip
    skipped = [
        answers.SkippedShown(
            each.topic, each.document, titles.get(each.document, ""),
            "flagged" if each.kind == "flagged" else "skipped", each.why, each.time,
        )
        for each in sorted(aside, key=lambda each: -each.time)
    ]  # fmt: skip
    return answers.History(judgments, skipped)


def _changed(desk: Desk, judged: Assessed) -> bool:
    """Tell whether a document says something else than when it was judged."""
    seen, kept = desk.board.seen.get(judged.id), desk.store.document(judged.document)
    return seen is not None and kept is not None and seen.digest != kept.digest


def search(desk: Desk, who: Person, *, q: str, topic: str) -> answers.SearchFound:
    """Search the documents."""
    desk.task.require_topic(topic)
    found = desk.store.search(_WORD.findall(q)[:32])
    with desk.lock:
        return answers.SearchFound([answers.Hit(*each, *_graded(desk, who, topic, each[0])) for each in found])


def _graded(desk: Desk, who: Person, topic: str, document: str) -> tuple[bool, float | None, str | None]:
    """Say whether a document is judged, and what grade somebody gave it in which judgment."""
    graded = desk.board.graded(topic, document)
    own = graded.get(who.name)
    return (bool(graded), None, None) if own is None else (True, own.grade, own.judged.id)


def first(desk: Desk, who: Person, *, topic: str, run: str | None = None) -> answers.FirstTen:
    """A run's first ten documents. Where no run is named, it is the one that is best so far."""
    desk.task.require_topic(topic)
    runs = desk.board.candidates.runs
    if run is not None and run not in runs:
        raise InputError(f"there is no run {shown(run)}; choose from {named(runs)}")
    with desk.lock:
        run = run or best_runs(desk.board)[0]
        return answers.FirstTen(topic, run, _listed(desk, who, topic, first_of(desk.board, run, topic)))


def pair(desk: Desk, who: Person, *, topic: str | None = None) -> answers.PairOfLists:
    """Two lists side by side, of which one does not see whose.

    It is a pair that whoever asks has not compared, of this topic or the next.
    """
    desk.task.require_topic(topic)
    with desk.lock:
        board = desk.board
        topics = board.allowed(who.name) if topic is None else (topic,)
        pairs = {each: open_pairs(board, who.name, each) for each in topics if each in board.candidates.topics}
        remaining = sum(map(len, pairs.values()))
        shown = next((each for each, of in pairs.items() if of), None)
        if shown is None:
            return answers.PairOfLists(topic or "", "", "", [], 0)
        both = pairs[shown][0]
        lists = [_listed(desk, who, shown, first_of(board, run, shown)) for run in both]
        left, right = (blinded(desk.task, who.name, shown, run) for run in both)
        return answers.PairOfLists(shown, left, right, lists, remaining)


def _listed(desk: Desk, who: Person, topic: str, names: Iterable[str]) -> list[answers.Listed]:
    listed = []
    for rank, name in enumerate(names, 1):
        kept = desk.store.document(name)
        title, text = ("", "") if kept is None else (kept.title, kept.text[:CHARACTERS_LISTED])
        listed.append(answers.Listed(rank, name, title, text, *_graded(desk, who, topic, name)))
    return listed


def blinded(task: Task, who: str, topic: str, run: str) -> str:
    """Return a pseudonym for a run, different for each topic and person."""
    return sha256("\0".join((task.id, who, topic, run)).encode()).hexdigest()[:12]


def first_of(board: TaskBoard, run: str, topic: str) -> list[str]:
    """Return the first ten documents of a run; none where it lacks the topic."""
    candidates = board.candidates
    if topic not in candidates.topics:
        return []
    (place, rank), code = candidates.list_of(candidates.runs.index(run)), candidates.topic_code(topic)
    own = np.flatnonzero((candidates.topic[place] == code) & (rank <= LIST_LENGTH))
    return [candidates.document[each] for each in place[own[np.argsort(rank[own])]].tolist()]


def best_runs(board: TaskBoard) -> list[str]:
    """Name all runs, the best so far first."""
    return [board.candidates.runs[run] for run in best_first(board.judging.state.base.mean(axis=1))]


def open_pairs(board: TaskBoard, who: str, topic: str) -> list[tuple[str, str]]:
    """List the pairs of the best runs that somebody has not compared on a topic, left and right as chance has it."""
    compared = {
        frozenset((each.left, each.right)) for each in board.preferred if (each.who, each.topic) == (who, topic)
    }
    # An empty list is no better one.
    best = [run for run in best_runs(board)[:BEST_RUNS] if first_of(board, run, topic)]
    pairs = [pair for pair in combinations(best, 2) if frozenset(pair) not in compared]
    return [tuple(sorted(pair, key=lambda run: blinded(board.task, who, topic, run))) for pair in pairs]  # type: ignore[misc]
