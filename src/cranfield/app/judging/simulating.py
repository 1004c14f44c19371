"""A task judged by qrels: what its assessors would have been given, and what the organiser would have seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cranfield.app.judging.acts import PersonJoined
from cranfield.app.judging.assessing import judge, next_documents
from cranfield.app.judging.desk import Desk
from cranfield.formats import QrelsLike
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.scoring.judged_runs import qrels_table

NAME = "simulated"
"""What the assessor is called."""


def simulated(desk: Desk, qrels: QrelsLike, most: int | None = None) -> list[tuple[str, str, float]]:
    """Judge a task by qrels, one document after the other."""
    grades: dict[str, dict[str, float]] = {}
    for topic, document, grade in qrels_table(qrels).select(QUERY, DOCUMENT, RELEVANCE).iter_rows():
        grades.setdefault(topic, {})[document] = max(float(grade), 0.0)
    topics = [topic for topic in desk.board.candidates.topics if topic in grades]
    if not topics:
        raise InputError("the qrels share no topic with the runs of the task")
    joined = PersonJoined(desk.fresh(), desk.time, NAME, "program", topics)
    desk.act(NAME, None, ("join", None), partial(desk.take, joined))
    made: list[tuple[str, str, float]] = []
    while most is None or len(made) < most:
        found = _judged(desk, grades)
        if found is None:
            break
        made.append(found)
    return made


def _judged(desk: Desk, grades: Mapping[str, Mapping[str, float]]) -> tuple[str, str, float] | None:
    """Have the next document, and judge it; None if there is none."""
    who = desk.person(NAME)
    found = desk.act(NAME, None, ("next", None), partial(next_documents, desk, who))["documents"]
    if not found:
        return None
    topic, document = found[0]["topic"], found[0]["document"]
    grade = grades[topic].get(document, 0.0)
    do = partial(judge, desk, who, topic=topic, document=document, grade=grade, by="program")
    desk.act(NAME, None, ("judge", None), do)
    return topic, document, grade
