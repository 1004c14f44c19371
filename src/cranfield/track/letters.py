"""Letters to teams: what became of their runs, and what to do about it, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from textwrap import fill
from typing import Final

from cranfield.plumbing.escaping import printable
from cranfield.results.finding import Finding, worst_first
from cranfield.track.submissions import NoRun, Submission
from cranfield.track.track_file import TrackSettings

_WIDTH: Final = 92
ADVICE: Final[Mapping[str, str]] = {
    "refused": "Please send lines of six columns separated by spaces: topic, Q0, document, rank, score, tag.",
    "file": "Please send the file itself.",
    "file name": "Use letters, digits, '_', '.' and '-' in the file's name; or ignore this if the name above is right.",
    "header": "Please remove the first line, which names the columns.",
    "swapped": "Please put the columns in this order, separated by spaces: topic, Q0, document, rank, score, tag.",
    "reversed": "Please give better documents higher scores and send the file again, or tell us that this is meant.",
    "all constant": "Please give each document its own score and send the file again, or tell us that this is meant.",
    "name taken": "Please choose another name for this run, for the file and in the last column of its lines.",
    "columns": "Please write six columns in each line, separated by spaces: topic, Q0, document, rank, score, tag.",
    "score": "Please write a decimal number in the fifth column of each line, such as 12.5.",
    "rank": "Please write a whole number in the fourth column, from 1 for the best document of each topic.",
    "ranks": "Please number the ranks 1, 2, 3, ... within each topic.",
    "first rank": "Please number the ranks 1, 2, 3, ... within each topic.",
    "tags": "Please write the name of the run, and nothing else, in the last column of each line.",
    "tag": "Please give each run its own name, of at most 20 letters and digits, and write it in the last column.",
    "same name": "Please tell us which file is the run, or give each run its own name.",
    "name": "Please make the file's name and the last column of its lines agree, with a different name for each run.",
    "duplicate": "Please list each document once per topic; of several passages of a document, keep the best.",
    "length": "Please keep to the number of documents per topic that the guidelines ask for.",
    "missing topics": "Please return documents for every topic; a missing topic counts 0.",
    "unknown topics": "Please use the topic ids of the topic file, and leave others out.",
    "unknown document": "Please use the document ids of the collection, and leave others out.",
    "runs of the team": "Please withdraw some runs, or tell us which of them matter most to you.",
    "team": "Please tell us which team this run belongs to.",
    "order": "Give better documents higher scores: we rank documents by their scores, not by the rank column.",
    "constant scores": "Give each document its own score: documents with equal scores are ranked by their ids.",
    "ties": "Give each document its own score; or ignore this if the ties are intended.",
    "same ranking": "Please check whether you sent the same run twice.",
    "answer": "Please write each answer as the guidelines show, one JSON object per line.",
    "citation": "Please cite documents by their place among the references, counting from 0.",
    "words": "Please shorten the answers.",
    "idle reference": "Leave out references that the answer does not cite; or ignore this if they are intended.",
}  # fmt: skip
"""What to do about a finding, by its code."""
_REFUSED: Final = {
    "cut short": "Please send the file again: it was cut short in transfer or while it was packed.",
    "is damaged": "Please pack the file again and send it, or send it unpacked.",
    "is empty": "Please send the file again: it arrived empty.",
    "UTF-16": "Please save the file as UTF-8, and send it again.",
    "UTF-8": "Please save the file as UTF-8, and send it again.",
    "zip archive": "Please save the table as text, and send that.",
    "zero byte": "Please send the run as text: this file is of another kind, or was damaged.",
    "carriage return": "Please end lines in a line feed, and send the file again.",
    "is packed twice": "Please pack the file once, or send it unpacked.",
}
"""What to do about a file that cannot be read, by words of what is wrong with it."""


_LINES: Final = ("ranks", "first rank")  # of lines that cannot be read
_FOLLOW: Final = {
    "score": _LINES, "columns": _LINES, "rank": _LINES, "reversed": ("order",), "all constant": ("constant scores",)
}  # fmt: skip
"""Which findings follow from another one, and so need no word of their own."""


def advice(found: Finding) -> str:
    """Say what to do about a finding; nothing where there is nothing to say."""
    if found.code in {"refused", "file"}:
        for words, says in _REFUSED.items():
            if words in found.says:
                return says
    return ADVICE.get(found.code, "")


@dataclass(frozen=True)
class Ruling:
    """A submission, what was found of it, and why it is rejected, if it is."""

    submission: Submission
    findings: tuple[Finding, ...]
    reasons: tuple[Finding, ...]

    @property
    def accepted(self) -> bool:
        """Whether it is scored."""
        return not self.reasons

    def rejected(self, why: Finding, *, tolerated: bool = False) -> Ruling:
        """Return the verdict with one more reason; with one more finding alone, where that is tolerated."""
        reasons = self.reasons if tolerated else (*self.reasons, why)
        return Ruling(self.submission, worst_first((*self.findings, why)), reasons)


def letter(team: str, verdicts: Sequence[Ruling], others: Sequence[NoRun], settings: TrackSettings) -> str:
    """Write to a team about its runs."""
    fine, rejected = (sum(verdict.accepted == wanted for verdict in verdicts) for wanted in (True, False))
    name, names = printable(settings.name), {each.submission.run for each in verdicts}
    paragraphs = [
        [f"To: {printable(team) or 'the team that sent these runs'}", f"Subject: Your runs for {name}"],
        [f"Dear {printable(team) or 'colleagues'},"],
        _wrapped(_came_to(fine, rejected)),
        *([*_of_run(each, names - {each.submission.run})] for each in verdicts),
    ]
    if others:
        listed = "; ".join(f"{printable(each.shown)} ({each.why})" for each in others)
        these = "We did not treat these files as runs" if len(others) > 1 else "We did not treat this file as a run"
        paragraphs.append(_wrapped(f"{these}: {listed}."))
    if rejected:
        where = f", to {printable(settings.contact)}" if settings.contact else ""
        again = "runs again, under the same names" if rejected > 1 else "run again, under the same name"
        paragraphs.append(_wrapped(f"Please send the corrected {again}{where}. If anything is unclear, please ask us."))
    paragraphs.append(["Kind regards", *map(printable, settings.organisers), f"for {name}"])
    return "\n\n".join("\n".join(each) for each in paragraphs) + "\n"


def _came_to(fine: int, rejected: int) -> str:
    """Say what became of the runs."""
    if not rejected and not fine:
        return "Thank you for your submission. We found no run in it."
    thanks = f"Thank you for your {'run' if fine + rejected == 1 else f'{fine + rejected:,} runs'}."
    if not rejected:
        return f"{thanks} {'It is' if fine == 1 else 'All of them are'} accepted."
    if not fine:
        result = f"{'It cannot' if rejected == 1 else 'None of them can'} be accepted yet"
    else:
        result = f"{fine:,} of them {'is' if fine == 1 else 'are'} accepted, {rejected:,} not yet"
    return f"{thanks} {result}: please find the reasons below, and what to do."


def _of_run(verdict: Ruling, own: Set[str]) -> Iterator[str]:
    sent = verdict.submission
    yield f"{printable(sent.run)} ({printable(sent.shown)}): {'accepted' if verdict.accepted else 'REJECTED'}"
    for reason in verdict.reasons:
        yield from _about(reason, "problem", own)
    hidden = {code for reason in verdict.reasons for code in _FOLLOW.get(reason.code, ())}
    for other in (each for each in verdict.findings if each not in verdict.reasons):
        if other.severity != "remark" and other.code not in hidden:
            yield from _about(other, "note", own)


def _about(found: Finding, mark: str, own: Set[str]) -> Iterator[str]:
    if not (says := _discreet(found, own)):
        return
    yield from _wrapped(f"{mark}: {printable(says)}.", first="  ", then="    ")
    if to_do := advice(found):
        yield from _wrapped(f"to do: {to_do}", first="  ", then="    ")


_OTHERS: Final = re.compile(r"^(.* (?:is also that of|is the name of|the same ranking as)) (.+)$", re.DOTALL)
"""Findings that name a run and others."""


def _discreet(found: Finding, own: Set[str]) -> str:
    """Leave out the names of other teams' runs, and whether they rank in the same way: that is nobody else's business.

    >>> tag = Finding("warning", "tag", 2, None, "its tag, 'x', is also that of a, b")
    >>> _discreet(tag, {"a"}), _discreet(tag, set())
    ("its tag, 'x', is also that of a", '')
    """
    named = _OTHERS.match(found.says)
    if named is None:
        return found.says
    ours = [name for name in named[2].split(", ") if name in own]
    return f"{named[1]} {', '.join(ours)}" if ours else ""


def _wrapped(text: str, first: str = "", then: str = "") -> list[str]:
    return fill(
        text, _WIDTH, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    ).splitlines()
