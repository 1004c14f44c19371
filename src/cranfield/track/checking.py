"""The step `check`: every submission against the rules, and a letter to each team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from cranfield.checks import check
from cranfield.formats import read_runs
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.results.finding import Finding, worst_first
from cranfield.track.answers import check_answers, run_of_answers
from cranfield.track.letters import Verdict, letter
from cranfield.track.settings import Submissions, part
from cranfield.track.steps import Files, StepPart, file_digest
from cranfield.track.submissions import NOBODY, Submission, file_name
from cranfield.track.track import Track

RUNS: Final = "check/runs.csv"
"""Every submission, and whether it is accepted."""
FINDINGS: Final = "check/findings.csv"
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
        },
        lambda: _made(track),
    )


def accepted(track: Track) -> list[Submission]:
    """Return the submissions that were accepted, by team, the run first that matters most to it; after `check`."""
    table = pl.read_csv(track.folder / RUNS, schema=_SCHEMA)
    fine = table.filter(accepted="yes").select(pl.col("team").fill_null(NOBODY), "run", "file")
    runs = set(fine.iter_rows())
    return [each for each in track.submitted if (each.team, each.run, track.shown(each.file)) in runs]


def _made(track: Track) -> Files:
    verdicts = judge_submissions(track)
    files = {each.submission: track.shown(each.submission.file) for each in verdicts}
    teams = dict.fromkeys(each.submission.team for each in verdicts)
    letters = {
        f"letters/{file_name(team) if team else '_unknown-team'}.txt": letter(
            team, [each for each in verdicts if each.submission.team == team], track.settings, files
        )
        for team in teams
    }
    rows = [
        (
            each.submission.run, each.submission.team, each.submission.priority, each.submission.received,
            files[each.submission], file_digest(each.submission.file), "yes" if each.accepted else "no",
            *(sum(found.severity == severity for found in each.findings) for severity in ("error", "warning")),
        )
        for each in verdicts
    ]  # fmt: skip
    found = [
        (each.submission.run, each.submission.team, found.severity, found.code, found.count, found.line, found.says)
        for each in verdicts
        for found in each.findings
    ]
    names = ("run", "team", "severity", "code", "count", "line", "says")
    schema = dict.fromkeys(names, pl.String) | {"count": pl.Int64, "line": pl.Int64}
    return {
        RUNS: pl.DataFrame(rows, schema=_SCHEMA, orient="row").write_csv(),
        FINDINGS: pl.DataFrame(found, schema=schema, orient="row").write_csv(),
        **letters,
    }


def judge_submissions(track: Track) -> list[Verdict]:
    """Check all submissions, and say which are rejected, and why."""
    submitted, rules = track.submitted, track.settings.submissions
    found = check(
        [{each.run: str(each.file)} for each in submitted],
        topics=track.topics,
        documents=track.path(track.settings.collection.documents),
        most=rules.most_documents,
        least=rules.least_documents,
    )
    named = Counter(each.run for each in submitted)
    verdicts = []
    for submission, checked in zip(submitted, found.runs, strict=True):
        findings = [replace(each, says=_from(each.says, submission, track)) for each in checked.findings]
        findings += _ours(submission, named, rules)
        if submission.team == NOBODY:
            findings.append(Finding("error", "team", 1, None, "nobody said which team it is from"))
        reasons = [each for each in findings if each.severity == "error" and each.code not in rules.tolerated]
        verdicts.append(Verdict(submission, worst_first(findings), tuple(reasons)))
    return _within_numbers(verdicts, rules.most_runs, tolerated="runs of the team" in rules.tolerated)


def _from(says: str, submission: Submission, track: Track) -> str:
    """Name the file as teams know it, not where it lies on the organiser's machine."""
    return says.replace(str(submission.file), track.shown(submission.file))


def _ours(submission: Submission, named: Counter[str], rules: Submissions) -> Iterator[Finding]:
    """Find what a check of lists does not: what concerns names, and answers."""
    run = submission.run
    if named[run] > 1:
        yield Finding("error", "same name", named[run], None, f"{named[run]} runs are called {run!r}")
    if rules.task == "answers":
        yield from check_answers(submission.file, most_words=rules.most_words)
    if rules.tag_is_name and (tag := _tag(submission, rules)) not in {None, run}:
        yield Finding("error", "name", 1, None, f"it calls itself {tag!r}, and its file is called {run!r}")


def _tag(submission: Submission, rules: Submissions) -> str | None:
    """Say what a run calls itself; None if it does not, or cannot be read, which is said elsewhere."""
    if rules.task == "answers":
        return run_of_answers(submission.file)
    try:
        return read_runs({submission.run: str(submission.file)}).sources[0].tag()
    except InputError:
        return None


def _within_numbers(verdicts: Sequence[Verdict], most: int | None, *, tolerated: bool) -> list[Verdict]:
    """Reject the runs of a team beyond so many, those that matter least to it; rejected ones do not count."""
    seen: Counter[str] = Counter()
    found = []
    for each in verdicts:
        seen[each.submission.team] += each.accepted
        beyond = most is not None and each.accepted and seen[each.submission.team] > most
        if not beyond:
            found.append(each)
            continue
        says = f"a team may send {most} runs, and this is the {_nth(seen[each.submission.team])} by priority and name"
        more = Finding("error", "runs of the team", 1, None, says)
        reasons = each.reasons if tolerated else (*each.reasons, more)
        found.append(Verdict(each.submission, worst_first((*each.findings, more)), reasons))
    return found


def _nth(number: int) -> str:
    """Write an ordinal.

    >>> _nth(1), _nth(12), _nth(23)
    ('1st', '12th', '23rd')
    """
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
