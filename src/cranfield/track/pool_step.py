"""The step `pool`: which documents are judged, who contributes them, and how long that takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Final

from cranfield.formats.long_tables import read_list
from cranfield.formats.topic_files import read_topic_ids
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted, named
from cranfield.selection import Candidates, Judging
from cranfield.selection.plan import Plan
from cranfield.selection.pools import Pool
from cranfield.selection.sampling import DRAWN, draw_sample
from cranfield.track.check_step import accepted
from cranfield.track.steps import Files, StepPart
from cranfield.track.submissions import Submission, file_name
from cranfield.track.track import Track
from cranfield.track.track_file import part

POOLED_TOPICS: Final = "pool/topics"
CONTRIBUTIONS: Final = "pool/contributions.csv"
CHANCES: Final = "pool/chances.csv"
"""With which chance each document was drawn: of a sample."""
SUMMARY: Final = "pool/summary.txt"
_HOUR: Final = 3600
NO_POOL: Final = "none"


def parts(track: Track) -> Iterator[StepPart]:
    """Return what the step makes; nothing where judgments come from elsewhere."""
    settings = track.settings
    if settings.pool.method == NO_POOL:
        return
    runs = contributing(track)
    follows = {
        "pool": part(settings.pool),
        "topics": track.digests(track.topics),
        "per_document": settings.judgments.per_document,
        "order": settings.measures.order,
        "runs": [(each.run, each.team, each.priority, track.shown(each.file)) for each in runs],
        "files": track.digests(*(each.file for each in runs)),
    }
    yield StepPart("pool/documents", follows, lambda: _made(track))


def contributing(track: Track) -> list[Submission]:
    """Return the submissions whose documents are judged: in time, and among the first of their team by priority."""
    pool, seen = track.settings.pool, Counter[str]()
    found = []
    for each in accepted(track):
        if pool.last_day is not None and each.received > pool.last_day:
            continue
        seen[each.team] += 1
        if pool.runs_per_team is None or seen[each.team] <= pool.runs_per_team:
            found.append(each)
    return found


def read_pool(track: Track) -> dict[str, list[str]]:
    """Read the pool that was made: the documents of each topic, in the order in which they are handed out."""
    pool: dict[str, list[str]] = {}
    for file in track.shop.files_of("pool"):
        if file.startswith(f"{POOLED_TOPICS}/"):
            for topic, document in read_list(track.folder / file):
                pool.setdefault(topic, []).append(document)
    return pool


def _made(track: Track) -> Files:
    settings, runs = track.settings.pool, contributing(track)
    if not runs:
        raise InputError("no run was accepted in time, so the pool is empty", source=str(track.folder))
    depth = settings.depth if settings.method in {"depth", "sample"} else None
    given = {each.run: str(each.file) for each in runs}
    candidates = Candidates.gather(given, order=track.settings.measures.order, depth=depth)
    of = {each.run: each for each in runs}
    teams = [of[run].team for run in candidates.runs]
    sample = plan = None
    if settings.method == "sample":
        sample = draw_sample(candidates, settings.per_topic or 1, seed=settings.seed)
        drawn = sample.to_polars()
        drawn = drawn.filter(drawn[DRAWN] == 1) if DRAWN in drawn.columns else drawn
        documents = drawn[:, :2].rows()
    elif settings.method != "depth":
        judging = Judging(candidates, settings.measure, method=settings.method, seed=settings.seed)
        plan = Plan.of(judging, settings.budget or 1)
        documents = plan.documents["topic", "document"].rows()
    else:
        documents = None
    pool = Pool.of(candidates, documents, teams=teams, seed=settings.seed)
    chosen = (each.caption() for each in (plan, sample) if each is not None)
    people = track.settings.judgments.per_document
    by = " by one person" if people == 1 else f", each document by {people:,} people"
    hours = people * pool.documents.height * settings.seconds / _HOUR
    takes = f"{hours:,.1f} hours" if hours >= 1 else counted(math.ceil(60 * hours), "minute")
    absent = [topic for topic in read_topic_ids(track.topics).to_list() if topic not in candidates.topics]
    without = counted(len(absent), "topic has", "topics have")
    said = (
        f"The pool of {counted(len(runs), 'run')}: {printable(pool.caption())}.",
        *(f"Chosen: {printable(each)}." for each in chosen),
        *([f"{without} no document in these runs: {printable(named(absent))}."] if absent else []),
        f"At {settings.seconds:g} seconds per document, judging takes {takes}{by}.",
    )
    return {
        **{
            f"{POOLED_TOPICS}/{file_name(topic)}.txt": "".join(f"{topic} {document}\n" for document in documents)
            for topic, documents in pool.by_topic().items()
        },
        CONTRIBUTIONS: pool.to_polars().write_csv(),
        **({CHANCES: sample.to_polars().write_csv()} if sample else {}),
        SUMMARY: "".join(f"{line}\n" for line in said),
    }
