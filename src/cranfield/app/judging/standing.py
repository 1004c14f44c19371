"""What the organiser sees, and `cranfield judge status` prints: how sure the scores are, and how judging goes."""

from __future__ import annotations

from collections import defaultdict
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
from cranfield.selection.records.view import Counted, Records
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
        return _status(desk)


def _status(desk: Desk) -> answers.StatusShown:
    board, sure, now = desk.board, known(desk.board), desk.board.known()
    disputed = _disputed(board)
    return answers.StatusShown(
        runs=_bars(board, sure),
        judged=sure.judged + len(board.outside),
        spent=board.spent,
        relevant=sure.relevant + sum(1 for each in board.outside if (board.grade(*each) or 0) > 0),
        left=sure.remaining,
        missed_at_most=board.audit.most_missed(board, sure.remaining, MISS_LEVEL) if desk.task.audit else None,
        level=MISS_LEVEL,
        pace=_pace(desk),
        curve=thinned([*(each for each in board.curve if each.judged < now.judged), now], POINTS_SENT),
        reasons=[*sure.reasons],
        lacking=[*sure.lacking],
        people=_people(desk),
        agreement=agreement_of(board),
        disputed=len(disputed),
        unsettled=sum(not _settled(board, document) for document in disputed),
        assignment=[
            answers.Assigned(topic, title, board.owners(topic), board.judged(topic), board.opened(topic))
            for topic, (title, *_) in desk.task.topics.items()
        ],
        flags=_flags(desk),
        settings=answers.SettingsShown(
            board.settings.method, board.settings.measure, board.settings.budget, [*board.settings.stop],
            desk.task.per_document,
        ),
        sequence=desk.sequence,
        warnings=desk.warnings(),
    )  # fmt: skip


def known(board: TaskBoard) -> Status:
    """Return what is certain of the runs, and whether that is enough by the task's rules."""
    found, budget = board.judging.status(map(rule_named, board.settings.stop)), board.settings.budget
    if not budget:
        return found
    spent = board.spent - len(board.held())
    if spent < budget:
        lacks = f"{spent:,} of {counted(budget, 'judgment is', 'judgments are')} made"
        return replace(found, lacking=(*found.lacking, lacks))
    made = f"{counted(spent, 'judgment is', 'judgments are')} made, which is the whole budget"
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


def _several(records: Records) -> dict[Document, list[Counted]]:
    """Return the documents that several people graded, and the last judgment of each; what settles is not theirs."""
    found = {}
    for document in records.documents():
        own = {each.judged.assessor: each for each in records.counting(*document) if not each.judged.settles}
        graded = [each for each in own.values() if each.grade is not None]
        if len(graded) > 1:
            found[document] = graded
    return found


def _disputed(board: TaskBoard) -> dict[Document, list[Counted]]:
    """Return the documents that were graded differently, and their grades."""
    several = _several(board).items()
    return {document: graded for document, graded in several if len({each.grade for each in graded}) > 1}


def _settled(board: TaskBoard, document: Document) -> list[float | None]:
    """Return the grades that settled a document, the last one last."""
    return [each.grade for each in board.counting(*document) if each.judged.settles]


def disputes(desk: Desk, who: Person, *, topic: str | None = None) -> answers.Disputes:
    """Documents that were graded differently. Those that nothing settles stand first."""
    board = desk.board
    with desk.lock:
        differ = {each: graded for each, graded in _disputed(board).items() if topic in {None, each[0]}}
        titles = desk.store.titles([document for _, document in differ])
        found = []
        for (of, document), graded in differ.items():
            grades = [
                answers.GradeGiven(own.assessor, each.grade, each.note, board.reason(own), board.by_program(own))
                for each in graded
                for own in [each.judged]
            ]
            settled = _settled(board, (of, document))
            last = settled[-1] if settled else None
            found.append(answers.Disagreement(of, document, titles.get(document, ""), grades, last, bool(settled)))
    return answers.Disputes(sorted(found, key=lambda each: each.is_settled))


def agreement_of(records: Records) -> answers.AgreementOfPeople:
    """Say how far those agree who judged the same documents, before anything was settled."""
    several = [*_several(records).values()]
    if not several:
        return answers.AgreementOfPeople(0, None, None, None)
    same = float(np.mean([len({each.grade for each in graded}) == 1 for graded in several]))
    names = sorted({each.judged.assessor for graded in several for each in graded})
    ratings = np.full((len(names), len(several)), np.nan)
    for column, graded in enumerate(several):
        for each in graded:
            ratings[names.index(each.judged.assessor), column] = each.grade
    if len(several) < 2:
        return answers.AgreementOfPeople(len(several), same, None, None)
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
