"""The step `results`: official scores, and all that follows from them, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from cranfield.plumbing.errors import InputError
from cranfield.track import claims, sheets, web
from cranfield.track.checking import FINDINGS, RUNS, accepted
from cranfield.track.computed import FOLDER, Results
from cranfield.track.judging import QRELS, VERSIONS
from cranfield.track.pooling import CHANCES, contributing
from cranfield.track.settings import part
from cranfield.track.steps import Files, StepPart
from cranfield.track.track import Track


def parts(track: Track) -> Iterator[StepPart]:
    """Return what the step makes."""
    if track.shop.digest(QRELS) is None:
        raise InputError(
            "nothing is judged yet; judge in the task, or name filled-in forms, or qrels, in [judgments] files",
            source=str(track.folder),
        )
    settings, runs = track.settings, accepted(track)
    if not runs:
        raise InputError("no run is accepted; the letters say why", source=str(track.folder))
    named = [(each.run, track.shown(each.file)) for each in runs]
    given: dict[str, object] = {"qrels": track.shop.digest(QRELS), "runs": named}
    given |= {"files": track.digests(*(each.file for each in runs)), "conditions": settings.measures.conditions}
    decides = {**given, "measure": settings.measures.names[0], "seed": settings.results.seed}
    every = {**given, "measures": settings.measures.names, "seed": settings.results.seed}
    teams = {"teams": [(each.run, each.team) for each in runs], "depth": settings.pool.depth}
    pooled = {"pooled": sorted(each.run for each in contributing(track))}
    found = Results(track)

    def made(name: str, follows: Mapping[str, object], make: Callable[[], Files]) -> StepPart:
        return StepPart(f"results/{name}", follows, partial(_or_why, f"{FOLDER}/{name}.txt", make))

    yield StepPart("results/official", given, found.official)
    yield StepPart("results/scores", every, found.tables)
    yield made("significance", decides, found.significance)
    yield made("certificate", decides, found.certificate)
    yield made("dominance", decides, found.dominance)
    yield StepPart("results/topics", every, found.topics)
    yield made("reusability", {**every, **teams, "check": track.shop.digest(RUNS)}, found.reusability)
    if settings.pool.method == "sample":
        yield made("estimates", {**every, "chances": track.shop.digest(CHANCES)}, found.estimates)
    shown = {**every, **teams, **pooled, "name": [settings.name, settings.version], "results": part(settings.results)}
    said = {
        "organisers": settings.organisers,
        "judgments": track.shop.digest(VERSIONS),
        "chances": bool(settings.pool.per_topic),
    }
    checks = {"check": track.shop.digest(RUNS), "findings": track.shop.digest(FINDINGS)}
    yield StepPart("results/claims", {**every, **pooled, **checks}, lambda: claims.made(found))
    yield StepPart("results/sheets", shown, lambda: sheets.made(found))
    yield StepPart("results/page", {**shown, **said}, lambda: web.made(found))


def _or_why(note: str, make: Callable[[], Files]) -> Files:
    """Make files; where these runs do not suffice, say why."""
    try:
        return make()
    except InputError as refused:
        return {note: f"Not for these runs: {refused.problem}.\n"}
