"""What the organiser sees, and `cranfield judge status` prints: how sure the scores are, and how judging goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from statistics import median
from typing import Final

import numpy as np

from cranfield.app.judging import answers
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.task_board import Person, TaskBoard
from cranfield.plumbing.wording import counted
from cranfield.scoring.orientation import best_first
from cranfield.selection.records.arrangement import Document
from cranfield.selection.records.view import Counted
from cranfield.selection.status import MISS_LEVEL, Status
from cranfield.selection.stop_rules import rule_named
from cranfield.statistics.agreement import cohen_kappa, krippendorff_alpha
from cranfield.statistics.on_paper import side

_HOUR: Final = 3_600.0
POINTS_SENT: Final = 200
FLAGS_SENT: Final = 200


def status(desk: Desk, who: Person) -> answers.StatusShown:
    """How sure the scores are, and how judging goes."""
    with desk.lock:
        board, sure, now = desk.board, known(desk.board), desk.board.known()
        several, by = board.by_several(), board.settings
        return answers.StatusShown(
            runs=_bars(board, sure),
            judged=sure.judged + len(board.outside),
            spent=board.spent,
            relevant=sure.relevant + sum(grade > 0 for grade in board.outside.values()),
            left=sure.remaining,
            missed_at_most=board.audit.most_missed(board, sure.remaining, MISS_LEVEL) if desk.task.audit else None,
            level=MISS_LEVEL,
            pace=_pace(desk),
            curve=thinned([*(each for each in board.curve if each.judged < now.judged), now], POINTS_SENT),
            reasons=[*sure.reasons],
            lacking=[*sure.lacking],
            people=_people(desk),
            agreement=agreement_of(several.values()),
            disputed=len(_disputed(several)),
            unsettled=len(board.undecided("adjudicated")),
            assignment=[
                answers.Assigned(topic, title, board.owners(topic), board.judged(topic), board.opened(topic))
                for topic, (title, *_) in desk.task.topics.items()
            ],
            flags=_flags(desk),
            settings=answers.SettingsShown(by.method, by.measure, by.budget, [*by.stop], desk.task.per_document),
            sequence=desk.sequence,
            warnings=desk.warnings(),
        )


def known(board: TaskBoard) -> Status:
    """Return what is certain of the runs, and whether that is enough by the task's rules."""
    found, budget = board.judging.status(map(rule_named, board.settings.stop)), board.settings.budget
    if not budget:
        return found
    if board.made < budget:
        lacks = f"{board.made:,} of {counted(budget, 'judgment is', 'judgments are')} made"
        return replace(found, lacking=(*found.lacking, lacks))
    made = f"{counted(board.made, 'judgment is', 'judgments are')} made, which is the whole budget"
    return replace(found, reasons=(*found.reasons, made))


def _bars(board: TaskBoard, sure: Status) -> list[answers.RunBar]:
    """Return every run's bar, the best first; where nothing tells the first ones apart, all of them lead, or none."""
    base, top = sure.mean_base, sure.mean_top
    leading = (side(base - base.max()) == 0) & (side(base) > 0)
    return [
        answers.RunBar(
            board.candidates.runs[run], float(base[run]), float(top[run] - base[run]), float(top[run]),
            bool(sure.can_win[run]), bool(leading[run]),
        )
        for run in best_first(base)
    ]  # fmt: skip


def thinned(curve: list[answers.Point], most: int) -> list[answers.Point]:
    """Return evenly spaced points of a curve, with the first and the last.

    >>> [each.judged for each in thinned([answers.Point(n, 0, 1.0) for n in range(8)], 4)]
    [0, 2, 5, 7]
    """
    if len(curve) <= most:
        return curve
    return [curve[round(at)] for at in np.linspace(0, len(curve) - 1, most)]


def _pace(desk: Desk) -> answers.Pace:
    now = max(desk.clock(), desk.board.time)
    recent = [each for each in desk.board.seen.values() if each.time > now - _HOUR]
    return answers.Pace(len(recent), _median([each.seconds for each in recent]))


def _median(seconds: list[float | None]) -> float | None:
    known = [each for each in seconds if each is not None]
    return median(known) if known else None


def _people(desk: Desk) -> list[answers.PersonShown]:
    board, entered = desk.board, desk.store.entered()
    held: defaultdict[str, int] = defaultdict(int)
    for each in board.held():
        held[each.assessor] += 1
    people = []
    elsewhere = (Person(name, "assessor", active=False) for name in board.own if name not in board.people)
    for person in (*board.people.values(), *elsewhere):
        own = board.counting_of(person.name)
        seen = [board.seen[each.judged.id] for each in own if each.judged.id in board.seen]
        people.append(
            answers.PersonShown(
                person.name, person.role, person.program, person.active, person.name in entered, [*person.topics],
                person.shared, len(own), held[person.name], _median([each.seconds for each in seen]),
                max((each.judged.time for each in own), default=None),
            )
        )  # fmt: skip
    return people


def _disputed(several: Mapping[Document, list[Counted]]) -> list[Document]:
    """List those of the documents that several people graded that have different grades."""
    return [document for document, graded in several.items() if len({each.grade for each in graded}) > 1]


def disputes(desk: Desk, who: Person, *, topic: str | None = None) -> answers.Disputes:
    """Documents that were graded differently. Those that nothing settles stand first."""
    board = desk.board
    with desk.lock:
        several, open_ = board.by_several(), {*board.undecided("adjudicated")}
        differ = [each for each in _disputed(several) if topic in {None, each[0]}]
        titles = desk.store.titles([document for _, document in differ])
        found = []
        for document in sorted(differ, key=lambda each: each not in open_):
            grades = [
                answers.GradeGiven(own.assessor, each.grade, each.note, board.reason(own), board.by_program(own))
                for each in several[document]
                for own in [each.judged]
            ]
            grade, title = board.grade(*document, "adjudicated"), titles.get(document[1], "")
            found.append(answers.Disagreement(*document, title, grades, grade, document not in open_))
    return answers.Disputes(found)


def agreement_of(several: Collection[list[Counted]]) -> answers.AgreementOfPeople:
    """Say how far those agree who judged the same documents (`Records.by_several`), before anything was settled."""
    if not several:
        return answers.AgreementOfPeople(0, None, None, None)
    same = float(np.mean([len({each.grade for each in graded}) == 1 for graded in several]))
    if len(several) < 2:
        return answers.AgreementOfPeople(len(several), same, None, None)
    names = sorted({each.judged.assessor for graded in several for each in graded})
    ratings = np.full((len(names), len(several)), np.nan)
    for column, graded in enumerate(several):
        for each in graded:
            ratings[names.index(each.judged.assessor), column] = each.grade
    kappa = _finite(cohen_kappa(*ratings)) if len(names) == 2 else None
    return answers.AgreementOfPeople(len(several), same, kappa, _finite(krippendorff_alpha(ratings, "ordinal")))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _flags(desk: Desk) -> list[answers.Flag]:
    flagged = desk.board.flagged[::-1][:FLAGS_SENT]
    titles = desk.store.titles([each.document for each in flagged])
    return [
        answers.Flag(each.topic, each.document, titles.get(each.document, ""), each.who, each.why, each.time)
        for each in flagged
    ]
