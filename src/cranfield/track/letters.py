"""Letters to teams: what became of their runs, and what to do about it, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from textwrap import fill
from typing import Final

from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding
from cranfield.track.settings import TrackSettings
from cranfield.track.submissions import Submission

WIDTH: Final = 92
ADVICE: Final[Mapping[str, str]] = {
    "refused": "Send the file once more; perhaps it was cut short on its way, or packed twice.",
    "columns": "Write six columns in each line, with blanks between them: topic, Q0, document, rank, score, tag.",
    "score": "Write a decimal number in the fifth column of each line, such as 12.5.",
    "rank": "Write a whole number in the fourth column of each line, from 1 for the best document of a topic.",
    "ranks": "Count ranks from 1 in each topic, one by one.",
    "first rank": "Count ranks from 1 in each topic, one by one.",
    "tags": "Write the name of the run, and nothing else, in the last column of each line.",
    "tag": "Choose a name of its own for each run, of at most 20 letters and digits, and write it in the last column.",
    "same name": "Choose a name of its own for each run.",
    "name": "Call the file as the last column of its lines says, each run by a name of its own.",
    "duplicate": "Name each document once in a topic; of several passages of a document keep the best.",
    "length": "Keep to the number of documents for each topic that the guidelines ask for.",
    "missing topics": "Return documents for every topic; a topic that is left out counts 0.",
    "unknown topics": "Write the topics as the file of the topics does, and leave others out.",
    "unknown document": "Write the documents as the collection does, and leave others out.",
    "runs of the team": "Withdraw some runs, or say which of them matter most to you.",
    "team": "Tell us which team this run belongs to.",
    "order": "Give better documents higher scores: documents are ranked by their scores, not by their ranks.",
    "constant scores": "Give each document a score of its own: equal scores are ranked by the documents' ids.",
    "ties": "Nothing, if you meant it; or give each document a score of its own.",
    "same ranking": "See whether you sent one run twice.",
    "answer": "Write each answer as the guidelines show, one JSON object in a line.",
    "citation": "Cite documents by their place among the references, the first being 0.",
    "words": "Shorten the answers.",
    "idle reference": "List no reference that the answer does not cite; or nothing, if you meant it.",
}  # fmt: skip
"""What to do about a finding, by its code."""


@dataclass(frozen=True)
class Verdict:
    """A submission, what was found of it, and why it is rejected, if it is."""

    submission: Submission
    findings: tuple[Finding, ...]
    reasons: tuple[Finding, ...]

    @property
    def accepted(self) -> bool:
        """Whether it is scored."""
        return not self.reasons


def letter(team: str, verdicts: Sequence[Verdict], settings: TrackSettings, files: Mapping[Submission, str]) -> str:
    """Write to a team about its runs.

    Parameters
    ----------
    team
        Its name.
    verdicts
        On its runs.
    settings
        Of the track.
    files
        What each submission's file is called.
    """
    return "\n".join(_lines(team, verdicts, settings, files)) + "\n"


def _lines(
    team: str, verdicts: Sequence[Verdict], settings: TrackSettings, files: Mapping[Submission, str]
) -> Iterator[str]:
    fine, rejected = (sum(verdict.accepted == wanted for verdict in verdicts) for wanted in (True, False))
    yield f"To: {printable(team) or 'the team that sent these runs'}"
    yield f"About: {printable(settings.name)}, the runs that you sent"
    yield ""
    yield from _wrapped(f"We received {counted(len(verdicts), 'run')} from you. {_came_to(fine, rejected)}")
    own = {verdict.submission.run for verdict in verdicts}
    for verdict in verdicts:
        yield ""
        yield from _of_run(verdict, files[verdict.submission], own)
    yield ""
    if rejected:
        where = f", to {printable(settings.contact)}" if settings.contact else ""
        yield from _wrapped(f"Please send the corrected runs once more, under the same names{where}.")
        yield ""
    yield from (printable(name) for name in settings.organisers)
    yield f"for {printable(settings.name)}"


def _came_to(fine: int, rejected: int) -> str:
    """Say what became of the runs.

    >>> _came_to(2, 0), _came_to(0, 1), _came_to(1, 2)[:25]
    ('All are accepted.', 'It is rejected; below you find why, and what to do.', '1 of them is accepted; be')
    """
    if not rejected:
        return "It is accepted." if fine == 1 else "All are accepted."
    if not fine:
        said = "It is rejected" if rejected == 1 else "None is accepted"
    else:
        said = f"{fine} of them {'is' if fine == 1 else 'are'} accepted"
    return f"{said}; below you find why, and what to do."


def _of_run(verdict: Verdict, file: str, own: Set[str]) -> Iterator[str]:
    yield f"{printable(verdict.submission.run)} ({printable(file)}): {'accepted' if verdict.accepted else 'REJECTED'}"
    for reason in verdict.reasons:
        yield from _about(reason, "why", own)
    for other in (each for each in verdict.findings if each not in verdict.reasons):
        if other.severity != "remark":
            yield from _about(other, "also", own)


def _about(found: Finding, mark: str, own: Set[str]) -> Iterator[str]:
    yield from _wrapped(f"{mark}: {printable(_discreet(found.says, own))}.", first="  ", then="       ")
    if found.code in ADVICE:
        yield from _wrapped(f"do: {ADVICE[found.code]}", first="  ", then="       ")


_BESIDE: Final = re.compile(r"^(.* (?:is also that of|is the name of|the same documents alike as)) (.+)$", re.DOTALL)
"""What is said of a run and others."""


def _discreet(says: str, own: Set[str]) -> str:
    """Leave out what the runs of other teams are called, which is nobody else's business.

    >>> _discreet("its tag, 'x', is also that of a, b", {"a"}), _discreet("its tag, 'x', is also that of a", {"a"})
    ("its tag, 'x', is also that of another run", "its tag, 'x', is also that of a")
    """
    found = _BESIDE.match(says)
    return says if found is None or {*found[2].split(", ")} <= own else f"{found[1]} another run"


def _wrapped(text: str, first: str = "", then: str = "") -> list[str]:
    return fill(
        text, WIDTH, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    ).splitlines()
