"""The step `release`: one folder that others can build on, the same bytes from the same inputs, and its archive."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Final

from cranfield import __version__
from cranfield.formats.folders import require_within
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.track.check_step import RUNS, accepted
from cranfield.track.computed import CLAIMS
from cranfield.track.judge_step import MISSING, MODELS, QRELS, SOURCES, VERSIONS
from cranfield.track.judging_task import AGREEMENT
from cranfield.track.pool_step import CHANCES, CONTRIBUTIONS, NO_POOL, SUMMARY, contributing
from cranfield.track.steps import Files, StepPart, csv_of, digest_of
from cranfield.track.track import Track
from cranfield.track.track_file import TrackSettings
from cranfield.track.track_file import part as plain

RELEASE: Final = "release"
DIGESTS: Final = "SHA256SUMS"
_FILES: Final = {
    QRELS: "qrels.txt", SOURCES: "judgments/sources.csv", VERSIONS: "judgments/files.csv",
    MISSING: "judgments/missing.csv", MODELS: "judgments/models.csv", CONTRIBUTIONS: "pool/contributions.csv",
    CHANCES: "pool/chances.csv", SUMMARY: "pool/summary.txt",
}  # fmt: skip
"""What is called otherwise in the release."""


def parts(track: Track) -> Iterator[StepPart]:
    """Return what the step makes."""
    made = track.shop.files_of("pool", "judge", "results")
    files = {_FILES.get(given, given): given for given in made if not given.startswith("forms/")}
    digests = {name: track.shop.digest(given) for name, given in files.items()}
    topics = track.digests(track.topics)
    follows = {"files": digests, "settings": plain(track.settings), "topics": topics, "runs": track.shop.digest(RUNS)}
    yield StepPart("release/files", follows, lambda: _made(track, files))


def archive(track: Track) -> Files:
    """Pack the release: names sorted, no times, no owners, so that the same files give the same bytes."""
    root = archive_name(track.settings)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in track.shop.files_of("release"):
            data = _held(track, name)
            entry = tarfile.TarInfo(f"{root}/{name.removeprefix(f'{RELEASE}/')}")
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return {f"{root}.tar.gz": packed.getvalue()}  # whoever writes it packs it, by its name


def archive_name(settings: TrackSettings) -> str:
    """Call the archive after the track and its version: ``Toy-2``."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", f"{settings.name}-{settings.version}").strip("-.") or "track"


def _made(track: Track, files: Mapping[str, str]) -> Files:
    contents = {name: _held(track, given) for name, given in files.items()}
    contents["topics.txt"] = track.topics.read_bytes()
    contents["runs.csv"] = _runs(track)
    contents["CITATION.cff"] = _citation(track.settings).encode()
    contents["README.md"] = _readme(track, contents).encode()
    sums = "".join(f"{digest_of(data)}  {name}\n" for name, data in sorted(contents.items()))
    return {f"{RELEASE}/{name}": data for name, data in {**contents, DIGESTS: sums.encode()}.items()}


def _held(track: Track, name: str) -> bytes:
    """Return what a file of the track holds, which is no link to something that nobody releases."""
    require_within(track.folder / name, track.folder)
    return (track.folder / name).read_bytes()


def _runs(track: Track) -> bytes:
    """List the runs that were scored: whose they are, and whether their documents were judged."""
    pooled = {each.run for each in contributing(track)} if track.settings.pool.method != NO_POOL else set()
    rows = ((each.run, each.team, each.priority, "yes" if each.run in pooled else "no") for each in accepted(track))
    return csv_of(rows, "run", "team", "priority", "pooled", whole=["priority"]).encode()


def _citation(settings: TrackSettings) -> str:
    """Write a citation file, of version 1.2 of its format."""
    title, names = _quoted(settings.name), settings.organisers or (f"The organisers of {settings.name}",)
    authors = ["authors:", *(f"  - name: {_quoted(name)}" for name in names)]
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this collection, please cite it."',
        "type: dataset",
        f"title: {title}",
        f"version: {_quoted(settings.version)}",
        *([f"license: {_quoted(settings.licence)}"] if settings.licence else []),
        *authors,
    ]
    if settings.year is not None:
        cited = ["type: data", f"title: {title}", f"year: {settings.year}", *authors]
        lines += ["preferred-citation:", *(f"  {line}" for line in cited)]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """Write a text as YAML and JSON both have it."""
    return json.dumps(printable(text), ensure_ascii=False)


def command(settings: TrackSettings, run: str = "RUN") -> str:
    """Write the command that scores a run as the official ones were scored."""
    return _command(settings, "qrels.txt", run, *(word for name in settings.measures.names for word in ("-m", name)))


def official_command(settings: TrackSettings, run: str = "RUN") -> str:
    """Write the command that prints what `results/official` has of a run."""
    return _command(settings, "qrels.txt", run, "-m", "official", "-q", "--format", "trec_eval")


def _command(settings: TrackSettings, *words_: str) -> str:
    measures, words = settings.measures, ["cranfield", "evaluate", *words_]
    known = measures.known
    words += ["--convention", known.name] if known else []
    words += ["--order", measures.order] if known is None or known.order is None else []
    words += [] if measures.rel is None else ["--rel", f"{measures.rel:g}"]
    return " ".join(map(quote, words))


def _readme(track: Track, contents: Mapping[str, bytes]) -> str:
    settings, runs = track.settings, accepted(track)
    runs_of_teams = f"{counted(len(runs), 'run')} of {counted(len({each.team for each in runs}), 'team')}"
    by = f" by {printable(', '.join(settings.organisers))}" if settings.organisers else ""
    done = "\n".join(f"- {line}" for line in _done(settings, contents))
    citation, licence = printable(settings.citation), printable(settings.licence)
    cite = f"Please cite: {citation}" if citation else "Please cite it as in `CITATION.cff`."
    reuse = f"Licence: {licence}." if licence else "No licence is given: please ask before reuse."
    there = ((name, says) for name, says in _SAYS.items() if any(each.startswith(name) for each in contents))
    files = "\n".join(f"- `{name}`: {says}" for name, says in there)
    return f"""\
# {printable(settings.name)}

Version {printable(settings.version)}{by}. {runs_of_teams}.

## What the results show

{contents[CLAIMS].decode().rstrip()}

## Scoring a run

To score your own run as the official ones were scored (`results/scores.csv`):

    {command(settings)}

To print all measures and topics as trec_eval does, as in `results/official`:

    {official_command(settings)}

## How the collection was built

{done}

## Citation and licence

{cite}
{reuse}

## Files

{files}

`{DIGESTS}` holds a digest of each file; check them with `sha256sum -c {DIGESTS}`.
Made with cranfield {__version__}.
"""


def _done(settings: TrackSettings, contents: Mapping[str, bytes]) -> Iterator[str]:
    """Say how documents were chosen, judged and scored."""
    rules, pool, measures = settings.submissions, settings.pool, settings.measures
    asked = [f"at most {counted(rules.most_documents, 'document')} per topic"] if rules.most_documents else []
    asked += [f"at most {counted(rules.most_runs, 'run')} per team"] if rules.most_runs else []
    yield f"Submissions were checked: {', '.join(['their format, topics and documents', *asked])}."
    if pool.method == NO_POOL:
        yield "The judgments come from elsewhere; no pool was built here."
    else:
        yield from contents["pool/summary.txt"].decode().splitlines()[:-1]
    if pool.last_day is not None:
        yield f"Runs received after {pool.last_day} were scored but not pooled."
    files = contents["judgments/files.csv"].decode().count("\n") - 1
    judged, missing = contents["qrels.txt"].count(b"\n"), contents["judgments/missing.csv"].count(b"\n") - 1
    lacks = counted(missing, "of the pool is", "of the pool are")
    yield f"{counted(judged, 'judgment')} from {counted(files, 'file')} count{'s' * (judged == 1)}; {lacks} missing."
    yield from _agreed(contents)
    if (known := measures.known) is not None:
        yield f"Scores follow the convention {known.name}: {known.title}."
    yield f"Runs are compared by {measures.names[0]}; unjudged documents count as not relevant."


def _agreed(contents: Mapping[str, bytes]) -> Iterator[str]:
    """Say how far those agree who judged the same documents of the task."""
    if AGREEMENT not in contents:
        return
    found = pl.read_csv(contents[AGREEMENT]).row(0, named=True)
    if not found["documents"]:
        yield "Agreement is unknown, since no document was judged by two people."
        return
    named = {"kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha (ordinal)"}
    chance = ", ".join(f"{says} {found[name]:.3f}" for name, says in named.items() if found[name] is not None)
    yield (
        f"{counted(found['documents'], 'document')} judged by two or more people; on {percent(found['share'])} of them "
        f"all agreed{f'; {chance}' if chance else ''}. {counted(found['undecided'], 'has', 'have')} no grade, since "
        "its judges disagree."
    )


_SAYS: Final = {
    "qrels.txt": "the judgments: topic, 0, document, grade",
    "topics.txt": "the topics",
    "runs.csv": "the runs that were scored, their teams, and which were pooled",
    "judgments/": "the source of each grade; pooled documents that nobody judged; agreement of people and models",
    "pool/topics/": "the documents to judge, one file per topic, in the order assessors saw them",
    "pool/contributions.csv": "what each run and team contributes to the pool",
    "pool/chances.csv": "the probability with which each document was drawn, for `cranfield estimate`",
    "results/index.html": "the leaderboard, for a browser",
    "results/sheets/": "a sheet for each run",
    "results/official/": "official measures of each run on all topics, as trec_eval prints them",
    "results/claims.md": "what the results show, as above",
    "results/scores": "scores, and scores by topic",
    "results/topics.csv": "best, median and worst of each topic, the hardest first",
    "results/significance": "which runs differ significantly",
    "results/certificate": "certain and likely ranks, and what would settle the others",
    "results/dominance": "which runs are never worse than others",
    "results/reusability": "what each team alone found, and how a new run would fare",
    "results/estimates.csv": "scores estimated from the sample",
}  # fmt: skip
