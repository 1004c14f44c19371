"""The steps in their order: each brings those up to date that it needs, and then itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from cranfield.formats.writing import write_together
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.track import check_step, computed, judge_step, judging_task, pool_step, release_step, results
from cranfield.track.steps import Done, StepPart
from cranfield.track.track import Track

STEPS: Final[Mapping[str, Callable[[Track], Iterable[StepPart]]]] = {
    "check": check_step.parts,
    "pool": pool_step.parts,
    "judge": lambda track: judge_step.parts(track, pool_step.read_pool(track)),
    "results": results.parts,
    "release": release_step.parts,
}
"""What each step makes, in their order."""


def bring(track: Track, step: str) -> Iterator[Done]:
    """Bring a step up to date, and before it everything that it follows from."""
    for name, parts in STEPS.items():
        yield from track.bring(name, parts(track))
        if name == step:
            return


class StepStanding(NamedTuple):
    """How a step stands: ``done``, ``due``, or ``later``, after one that is due; and what there is to say of it."""

    step: str
    state: str
    says: str


def standing(track: Track) -> list[StepStanding]:
    """Say how each step stands, and which one is due, without doing any."""
    found: list[StepStanding] = []
    for name, parts in STEPS.items():
        due = next((each.step for each in found if each.state == "due"), None)
        if due is not None:
            found.append(StepStanding(name, "later", f"after {due}"))
            continue
        try:
            old = [part.name for part in parts(track) if not track.shop.is_current(part)]
            waits = name == "judge" and track.shop.digest(judge_step.QRELS) is None
            if waits:
                says = results.NO_JUDGMENTS
            elif old:
                says = ", ".join(old) if len(old) <= 3 else "not since something changed"
            else:
                said = takewhile(lambda line: "\n" not in line, told(track, name))
                first, *others = [line.removesuffix(".") for line in said] or [""]
                says = "; ".join([first, *(line[:1].lower() + line[1:] for line in others)])
            found.append(StepStanding(name, "due" if old or waits else "done", says))
        except InputError as error:
            found.append(StepStanding(name, "due", error.problem))
    return found


def pack(track: Track) -> Path:
    """Write the archive of the release next to it; after `release`."""
    return write_together(
        track.folder, {track.folder / name: data for name, data in release_step.archive(track).items()}
    )[0]


def _checked(track: Track) -> Iterator[str]:
    submitted, fine = track.submitted, check_step.accepted(track)
    teams = len({each.team for each in submitted})
    rejected = [each.run for each in submitted if each not in fine]
    but = f", {len(rejected):,} rejected ({named(rejected)})" * bool(rejected)
    yield f"{counted(len(submitted), 'run')} of {counted(teams, 'team')}: {len(fine):,} accepted{but}"
    yield f"letters to the teams: {track.folder}/letters; all findings: {track.folder}/{check_step.FINDINGS}"


def _pooled(track: Track) -> Iterator[str]:
    if track.settings.pool.method == pool_step.NO_POOL:
        yield 'no pool: [pool] method is "none"'
        return
    yield from (track.folder / pool_step.SUMMARY).read_text(encoding="utf-8").splitlines()
    yield f"documents to judge, a file per topic: {track.folder}/{pool_step.POOLED_TOPICS}"
    yield f"what runs and teams contribute: {track.folder}/{pool_step.CONTRIBUTIONS}"


def _judged(track: Track) -> Iterator[str]:
    forms = f"forms to write grades into, one per topic: {track.folder}/{judge_step.FORMS}"
    pooled = track.settings.pool.method != pool_step.NO_POOL
    if track.shop.digest(judge_step.QRELS) is None:
        yield from [forms] * pooled
        yield results.NO_JUDGMENTS
        return
    missing = pl.read_csv((track.folder / judge_step.MISSING).read_bytes(), infer_schema=False).height
    count = int(pl.read_csv((track.folder / judge_step.VERSIONS).read_bytes())["count"].sum())
    counts, lacks = counted(count, "judgment counts", "judgments count"), counted(missing, "is", "are")
    yield f"{counts}, in {track.folder}/{judge_step.QRELS}; of the pool {lacks} missing"
    if open_ := judging_task.undecided(track):
        yield (
            f"{counted(open_, 'document')} judged differently {'has' if open_ == 1 else 'have'} no grade: settle "
            f"{'it' if open_ == 1 else 'them'} on the organiser's page, or choose another policy in [judgments]"
        )
    yield from [forms] * pooled


def _found(track: Track) -> Iterator[str]:
    yield (track.folder / computed.TABLE).read_text(encoding="utf-8").rstrip("\n")
    yield f"leaderboard (open it in a browser): {track.folder}/{computed.PAGE}"
    yield f"a sheet for each run: {track.folder}/{computed.SHEETS}"


def _released(track: Track) -> Iterator[str]:
    yield f"{counted(len(track.shop.files_of('release')), 'file')} in {track.folder}/{release_step.RELEASE}"


def told(track: Track, step: str) -> list[str]:
    """Say what a step came to, in a line or two."""
    says = {"check": _checked, "pool": _pooled, "judge": _judged, "results": _found, "release": _released}
    return list(says[step](track))
