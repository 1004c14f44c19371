"""The judging task of a track: made of the pool, kept up with it, and read; judgments in it are never touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from cranfield.formats.columns import QRELS_KIND
from cranfield.formats.loading import load
from cranfield.formats.topic_files import Topic, read_topic_ids, read_topics
from cranfield.formats.trec import write
from cranfield.formats.writing import write_together
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.selection import Candidates
from cranfield.selection.records import Found
from cranfield.track.pool_step import contributing
from cranfield.track.steps import StepPart, digest_of
from cranfield.track.submissions import file_name
from cranfield.track.track import Track

if TYPE_CHECKING:
    from cranfield.app.judging.desk import Desk
    from cranfield.app.judging.task_folder import TaskSoFar

_FOLDER: Final = "task"
_SHEETS: Final = "sheets"
TASK_SETTINGS: Final = "judgments/task.txt"
"""The judgments of the task, as qrels."""
AGREEMENT: Final = "judgments/agreement.csv"
"""How far those agree who judged the same documents of the task, and on how many documents nothing settles it."""
_AGREED: Final = {
    "documents": pl.Int64, "share": pl.Float64, "kappa": pl.Float64, "alpha": pl.Float64, "undecided": pl.Int64
}  # fmt: skip
_ORGANISER: Final = "organiser"
POOL: Final = "the pool of the track"  # By what documents were found that joined the pool later
_SHEET_DAYS: Final = 14


def part(track: Track) -> Iterator[StepPart]:
    """Return what is made of the task: its judgments as qrels, and how far people agree, if there are some."""
    if not (track.folder / _FOLDER).exists():
        return
    from cranfield.app.judging.task_status import agreement_of

    records, policy = _so_far(track).records, track.settings.judgments.policy
    table = records.to_qrels(policy)
    if table.height:
        text = write(table, QRELS_KIND, source=TASK_SETTINGS, name="qrels")
        agreed = {**asdict(agreement_of(records.by_several().values())), "undecided": len(records.undecided(policy))}
        written = pl.DataFrame([agreed], schema=_AGREED, orient="row").write_csv()
        follows = {"judged": digest_of(text), "agreement": written}
        yield StepPart("judge/task", follows, lambda: {TASK_SETTINGS: text, AGREEMENT: written})


def undecided(track: Track) -> int:
    """How many documents of the task several people judged and nothing settles; after `judge`."""
    file = track.folder / AGREEMENT
    return int(pl.read_csv(file.read_bytes())["undecided"].item()) if AGREEMENT in track.shop.files_of("judge") else 0


def keep(track: Track, pool: Mapping[str, list[str]]) -> Iterator[str]:
    """Make the task of the pool, or add what joined it since, unless somebody serves it; no judgment changes."""
    if find_spec("fcntl") is None:
        yield "judging tasks need Linux or macOS: use the forms"
        return
    if (track.folder / _FOLDER).exists():
        yield from _added(track, pool)
    else:
        yield _made(track, pool)
    yield f"to judge in the browser: cranfield judge serve {quote(str(track.folder / _FOLDER))}"


def sheets(track: Track) -> Iterator[str]:
    """Write a sheet for each topic of which something is left to judge: one page, judged without a server."""
    from cranfield.app.judging.sheets import on_sheet, sheet

    pages: dict[Path, str] = {}
    with closing(_desk(track, writing=False)) as desk:
        for topic in desk.task.topics:
            with suppress(InputError):  # nothing is left of it
                task, documents = on_sheet(desk, topic, None, None, days=_SHEET_DAYS)
                pages[track.folder / _SHEETS / f"{file_name(topic)}.html"] = sheet(task, topic, documents)
    write_together(track.folder, pages)
    yield f"{counted(len(pages), 'sheet')} for judging without a server: {track.folder / _SHEETS}"
    yield f"to import a finished sheet: cranfield judge import {quote(str(track.folder / _FOLDER))} FILE.jsonl"


def _so_far(track: Track) -> TaskSoFar:
    from cranfield.app.judging.task_folder import TaskSoFar

    return TaskSoFar.read(track.folder / _FOLDER)


def _desk(track: Track, *, writing: bool) -> Desk:
    from cranfield.app.judging.task_folder import opened

    return opened(track.folder / _FOLDER, writing=writing).desk


def _made(track: Track, pool: Mapping[str, list[str]]) -> str:
    """Make the task: all lists of the runs that contribute, of which the documents of the pool are judged."""
    from cranfield.app.judging.task_folder import begun, texts_in

    settings, judgments = track.settings, track.settings.judgments
    texts, guidelines = track.path(settings.collection.texts), track.path(judgments.guidelines)
    method = {"depth": "random", "sample": "random"}.get(settings.pool.method, settings.pool.method)
    candidates = _candidates(track, [each.run for each in contributing(track)])
    try:
        topics = read_topics(track.topics)
    except InputError:  # the file has ids alone, and there are no texts of them
        topics = dict.fromkeys(read_topic_ids(track.topics).to_list(), Topic(""))
    office = begun(
        track.folder / _FOLDER, candidates, topics, () if texts is None else texts_in(texts),
        scale=judgments.scale, organiser=_ORGANISER, assessors=judgments.assessors,
        title=settings.name, guidelines="" if guidelines is None else load(guidelines).text,
        method=method, measure=settings.pool.measure, seed=settings.pool.seed, per_document=judgments.per_document,
        policy=judgments.policy, stop=["LeaderAbove"],
        among=[(topic, document) for topic, documents in pool.items() for document in documents],
    )  # fmt: skip
    office.desk.close()
    count = sum(map(len, pool.values()))
    return f"made a judging task of {counted(count, 'document')} of {counted(len(pool), 'topic')}"


def _added(track: Track, pool: Mapping[str, list[str]]) -> Iterator[str]:
    """Let runs, documents and assessors join that the task lacks; without any, it may be served meanwhile."""
    from cranfield.app.judging.organising import add_runs
    from cranfield.app.judging.task_folder import let_in

    found = _so_far(track)
    runs = [each.run for each in contributing(track) if each.run not in found.runs]
    # The documents of the pool that nobody is to judge, or has judged.
    known = {*(found.task.among or ()), *found.records.found(), *found.records.documents()}
    lacking = [(topic, each) for topic, documents in pool.items() for each in documents if (topic, each) not in known]
    people = [name for name in track.settings.judgments.assessors if name not in found.people]
    if lost := [topic for topic in pool if topic not in found.task.topics]:
        raise InputError(
            f"topic {lost[0]!r} joined the pool, but a judging task cannot add topics: export its judgments "
            "(`cranfield judge export`), name them under [judgments] files, and move the task away; a new one is "
            "made then",
            source=str(track.folder / _FOLDER),
        )
    if not (runs or lacking or people):
        return
    with closing(_desk(track, writing=True)) as desk:
        if runs:
            add_runs(desk, _candidates(track, runs))
        joins = (Found(desk.fresh(), desk.now, *each, _ORGANISER, POOL) for each in lacking)
        desk.act(_ORGANISER, None, ("pool", None), lambda: desk.take(*joins))
        let_in(desk, _ORGANISER, people)
    yield (
        f"added to the judging task: {counted(len(runs), 'run')}, {counted(len(lacking), 'document')}, "
        f"{counted(len(people), 'assessor')}"
    )


def _candidates(track: Track, runs: list[str]) -> Candidates:
    files = {each.run: str(each.file) for each in contributing(track) if each.run in runs}
    return Candidates.gather(files, order=track.settings.measures.order)
