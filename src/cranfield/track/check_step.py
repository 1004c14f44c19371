"""The step `check`: every submission against the rules, and a letter to each team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from cranfield.checks import check
from cranfield.checks.checked import some
from cranfield.formats import read_runs
from cranfield.formats.loading import load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding, Severity, worst_first
from cranfield.track.letters import Ruling, letter
from cranfield.track.steps import Files, Row, StepPart, csv_of, file_digest
from cranfield.track.submissions import NO_TEAM, Submission, file_name
from cranfield.track.track import Track
from cranfield.track.track_file import Submissions, part

RUNS: Final = "check/runs.csv"
"""Every submission, and whether it is accepted."""
FINDINGS: Final = "check/findings.csv"
RECEIVED: Final = "check/received.csv"
"""Every file that was received: an accepted run, a rejected one, or none, and why."""
_SCHEMA: Final = {
    "run": pl.String, "team": pl.String, "priority": pl.Int64, "received": pl.String, "file": pl.String,
    "sha256": pl.String, "accepted": pl.String, "errors": pl.Int64, "warnings": pl.Int64,
}  # fmt: skip


def parts(track: Track) -> Iterator[StepPart]:
    """Return what the step makes."""
    settings = track.settings
    named = [track.path(path) for path in (settings.collection.documents, settings.submissions.teams)]
    yield StepPart(
        "check/runs",
        {
            "rules": part(settings.submissions),
            "letters": [settings.name, list(settings.organisers), settings.contact],
            "files": track.digests(track.topics, *named, *(each.file for each in track.submitted)),
            "order": settings.measures.order,
            "received": [[each.team, each.shown, each.problem] for each in track.submitted],
            "others": [list(each) for each in track.received.others],
        },
        lambda: _made(track),
    )


def accepted(track: Track) -> list[Submission]:
    """Return the submissions that were accepted, by team, the run first that matters most to it; after `check`."""
    table = pl.read_csv((track.folder / RUNS).read_bytes(), schema=_SCHEMA)
    fine = {*table.filter(accepted="yes").select(pl.col("team").fill_null(NO_TEAM), "run", "file").iter_rows()}
    return [each for each in track.submitted if (each.team, each.run, each.shown) in fine]


def _made(track: Track) -> Files:
    verdicts, others = judge_submissions(track), track.received.others
    teams = dict.fromkeys([*(each.submission.team for each in verdicts), *(each.team for each in others if each.team)])
    letters = {
        f"letters/{file_name(team) if team else '_unknown-team'}.txt": letter(
            team,
            [each for each in verdicts if each.submission.team == team],
            [each for each in others if each.team == team],
            track.settings,
        )
        for team in teams
    }
    runs, found = list[Row](), list[Row]()
    came = [(each.shown, each.team, "no run", each.why) for each in others]
    for verdict in verdicts:
        sent, reasons = verdict.submission, verdict.reasons
        many = Counter(each.severity for each in verdict.findings)
        runs.append((
            sent.run, sent.team, sent.priority, sent.received, sent.shown, file_digest(sent.file),
            "no" if reasons else "yes", many["error"], many["warning"],
        ))  # fmt: skip
        found += (
            (sent.run, sent.team, sent.shown, each.severity, each.code, "yes" if each in reasons else "no",
             each.count, each.line, each.says) for each in verdict.findings
        )  # fmt: skip
        came.append(
            (sent.shown, sent.team, "rejected" if reasons else "accepted", "; ".join(each.says for each in reasons))
        )
    names = ("run", "team", "file", "severity", "code", "rejects", "count", "line", "says")
    return {
        RUNS: pl.DataFrame(runs, _SCHEMA, orient="row").write_csv(),
        FINDINGS: csv_of(found, *names, whole=("count", "line")),
        RECEIVED: csv_of(sorted(came), "file", "team", "what", "why"),
        **letters,
    }


def judge_submissions(track: Track) -> list[Ruling]:
    """Check all submissions, and say which are rejected, and why."""
    rules, strict = track.settings.submissions, track.settings.strict
    looked_at = [each for each in track.submitted if not each.problem]
    found = check(
        [{each.run: str(each.file)} for each in looked_at],
        topics=track.topics,
        documents=track.path(track.settings.collection.documents),
        most=rules.most_documents,
        least=rules.least_documents,
    ) if looked_at else None  # fmt: skip
    checked = dict(zip(looked_at, () if found is None else found.runs, strict=True))
    verdicts = []
    for each in track.submitted:
        if each in checked:
            # Files are named as teams know them, not where they lie on the organiser's machine.
            told = checked[each].findings
            findings = [replace(one, says=one.says.replace(str(each.file), each.shown)) for one in told]
            findings += _ours(each, rules)
        else:
            findings = [Finding("error", "file", 1, None, each.problem)]
        if each.team == NO_TEAM:
            findings.append(Finding("error", "team", 1, None, "its team is unknown"))
        grave = () if {each.run, f"{each.team}/{each.run}"} & {*rules.confirmed} else strict
        reasons = [
            one for one in findings
            if one.code not in rules.tolerated and (one.severity == "error" or (one.severity, one.code) in grave)
        ]  # fmt: skip
        verdicts.append(Ruling(each, worst_first(findings), worst_first(reasons)))
    return [*_within_numbers(_of_one_name(verdicts), rules)]


def _of_one_name(verdicts: Sequence[Ruling]) -> Iterator[Ruling]:
    """Let a name be that of one accepted run: of the team that sent it first, and but one of it."""
    sent: dict[str, list[Submission]] = {}
    for each in sorted(verdicts, key=lambda each: (not each.submission.received, each.submission.received)):
        if each.accepted:
            sent.setdefault(each.submission.run, []).append(each.submission)
    for each in verdicts:
        run, own = each.submission.run, each.submission.team
        same = sent.get(run, []) if each.accepted else []
        ours = [other.shown for other in same if other.team == own]
        single = [other.team for other in same if sum(one.team == other.team for one in same) == 1]
        if len(ours) > 1:
            says = f"you sent {len(ours)} files for the run '{run}': {', '.join(ours)}"
            yield each.rejected(Finding("error", "same name", len(ours), None, says))
        elif ours and single[0] != own:
            says = f"another team already has a run named '{run}'"
            yield each.rejected(Finding("error", "name taken", 1, None, says))
        else:
            yield each


def _ours(submission: Submission, rules: Submissions) -> Iterator[Finding]:
    """Find what a check of lists does not: what concerns names, and answers."""
    run = submission.run
    if submission.file.name != storable(submission.file.name):
        yield Finding("warning", "file name", 1, None, "its file name is not in UTF-8")
    if rules.task == "answers":
        yield from check_answers(submission.file, most_words=rules.most_words)
    if rules.tag_is_name and (tag := _tag(submission, rules)) not in {None, run}:
        yield Finding("error", "name", 1, None, f"its lines name it {tag!r}, its file '{run}'")


def _tag(submission: Submission, rules: Submissions) -> str | None:
    """Say what a run calls itself; None if it does not, or cannot be read, which another check reports."""
    if rules.task == "answers":
        return run_of_answers(submission.file)
    try:
        return read_runs({submission.run: str(submission.file)}).sources[0].tag()
    except InputError:
        return None


def _within_numbers(verdicts: Iterable[Ruling], rules: Submissions) -> Iterator[Ruling]:
    """Reject the runs of a team beyond their number, those that matter least to it; rejected ones do not count."""
    seen, most = Counter[str](), rules.most_runs
    for each in verdicts:
        seen[each.submission.team] += each.accepted
        sent = seen[each.submission.team]
        if most is None or not each.accepted or sent <= most:
            yield each
        else:
            says = f"a team may send {most} runs, and this is the {_nth(sent)} by priority and name"
            more = Finding("error", "runs of the team", 1, None, says)
            yield each.rejected(more, tolerated=more.code in rules.tolerated)


def _nth(number: int) -> str:
    """Write an ordinal: 1st, 12th, 23rd."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


class _Answer(NamedTuple):
    """An answer, or what is wrong with its form."""

    line: int
    topic: str
    run: str
    references: tuple[str, ...]
    cited: tuple[int, ...]
    words: int
    wrong: str = ""


def check_answers(path: Path, *, most_words: int | None = None) -> Iterator[Finding]:
    """Find what is wrong with answers: their form, citations of nothing, references that nothing cites, and length.

    A line is a JSON object as TREC RAG 2024 and 2025 ask for: ``topic_id`` (or ``narrative_id`` in its ``metadata``),
    ``references``, ids of documents, and ``answer``, sentences with ``text`` and ``citations``: places of references,
    from 0.
    """
    try:
        answers = [_read(line, record) for line, record in load(path).objects(texts=True)]
    except InputError:  # which `check` says
        return
    fine = [each for each in answers if not each.wrong]
    places = {each: {*range(len(each.references))} for each in fine}
    sound = [each for each in fine if places[each] >= {*each.cited}]
    beyond = [
        (each, f"topic {each.topic} has {counted(len(each.references), 'reference')}")
        for each in fine if each not in sound
    ]  # fmt: skip
    most = float("inf") if most_words is None else most_words
    long = [(each, f"topic {each.topic}: {each.words}") for each in fine if each.words > most]
    idle = [(each, f"topic {each.topic}") for each in sound if places[each] > {*each.cited}]
    told: tuple[tuple[Severity, str, str, list[tuple[_Answer, str]]], ...] = (
        ("error", "answer", "an answer in the wrong form", [(each, each.wrong) for each in answers if each.wrong]),
        ("error", "citation", "a citation of a missing reference", beyond),
        ("error", "words", f"more words than {most_words}", long),
        ("warning", "idle reference", "references that no sentence cites", idle),
    )
    for severity, code, what, found in told:
        if found:
            named = some((f"line {each.line} ({shown})" for each, shown in found), len(found))
            says = f"{what}, in {counted(len(found), 'answer')}: {named}"
            yield Finding(severity, code, len(found), found[0][0].line, says)


def run_of_answers(path: Path) -> str | None:
    """Return what the answers call their run; None if they do not, or not by one name."""
    try:
        names = {_read(line, record).run for line, record in load(path).objects(texts=True)}
    except InputError:
        return None
    return names.pop() if len(names) == 1 else None


_FORM: Final = "references are a list of ids, and the answer is a list of objects with a text and citations"


def _read(line: int, record: object) -> _Answer:
    nothing = _Answer(line, "", "", (), (), 0)
    if not isinstance(record, Mapping):
        return nothing._replace(wrong="it is not an object")
    found = record.get("metadata")
    metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    topic, run = record.get("topic_id", metadata.get("narrative_id")), record.get("run_id", metadata.get("run_id"))
    if topic is None:
        return nothing._replace(wrong="it has neither a topic_id nor a narrative_id in its metadata")
    references: Any = record.get("references")
    sentences: Any = record.get("answer")
    if not _are(references, str) or not _are(sentences, Mapping):
        return nothing._replace(wrong=_FORM)
    citations = [each.get("citations", []) for each in sentences]
    texts = [each.get("text") for each in sentences]
    if not _are(texts, str) or not all(_are(each, int) for each in citations):
        return nothing._replace(wrong=_FORM)
    words = sum(len(text.split()) for text in texts)
    return _Answer(line, str(topic), str(run), tuple(references), tuple(chain(*citations)), words)


def _are(given: Any, kind: type) -> bool:
    return isinstance(given, list) and all(isinstance(each, kind) and not isinstance(each, bool) for each in given)
