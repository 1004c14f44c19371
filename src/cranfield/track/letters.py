"""Letters to teams: what became of their runs, and what to do about it, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from textwrap import fill
from typing import Final

from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding, worst_first
from cranfield.track.submissions import NoRun, Submission
from cranfield.track.track_file import TrackSettings

_WIDTH: Final = 92
ADVICE: Final[Mapping[str, str]] = {
    "refused": "Send lines of six columns with blanks between them: topic, Q0, document, rank, score, tag.",
    "file": "Send the file itself.",
    "file name": "Name the file in letters, digits, '_', '.' and '-'; or nothing, if the name above is right.",
    "header": "Leave out the first line, which names the columns.",
    "swapped": "Put the columns in this order, with blanks between them: topic, Q0, document, rank, score, tag.",
    "reversed": "Give better documents higher scores, and send the file again; or tell us that you mean it so.",
    "all constant": "Give each document a score of its own, and send the file again; or tell us that you mean it so.",
    "name taken": "Choose another name for this run, for the file and in the last column of its lines.",
    "columns": "Write six columns in each line, with blanks between them: topic, Q0, document, rank, score, tag.",
    "score": "Write a decimal number in the fifth column of each line, such as 12.5.",
    "rank": "Write a whole number in the fourth column of each line, from 1 for the best document of a topic.",
    "ranks": "Count ranks from 1 in each topic, one by one.",
    "first rank": "Count ranks from 1 in each topic, one by one.",
    "tags": "Write the name of the run, and nothing else, in the last column of each line.",
    "tag": "Choose a name of its own for each run, of at most 20 letters and digits, and write it in the last column.",
    "same name": "Tell us which file is the run, or choose a name of its own for each.",
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
_REFUSED: Final = {
    "cut short": "Send the file once more: it was cut short on its way, or when it was packed.",
    "is damaged": "Pack the file anew and send it once more, or send it as it is.",
    "is empty": "Send the file once more: nothing was in it.",
    "UTF-16": "Save the file as UTF-8, and send it once more.",
    "UTF-8": "Save the file as UTF-8, and send it once more.",
    "zip archive": "Save the table as text, and send that.",
    "zero byte": "Send the run as text: this file is of another kind, or was damaged.",
    "carriage return": "End the lines in a line feed, and send the file once more.",
    "is packed twice": "Pack the file once, or send it as it is.",
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
        [f"To: {printable(team) or 'the team that sent these runs'}", f"About: {name}, the runs that you sent"],
        _wrapped(f"We received {counted(len(verdicts), 'run')} from you. {_came_to(fine, rejected)}"),
        *([*_of_run(each, names - {each.submission.run})] for each in verdicts),
    ]
    if others:
        listed = "; ".join(f"{printable(each.shown)} ({each.why})" for each in others)
        these = "These files we did not take for runs" if len(others) > 1 else "This file we did not take for a run"
        paragraphs.append(_wrapped(f"{these}: {listed}."))
    if rejected:
        where = f", to {printable(settings.contact)}" if settings.contact else ""
        again = "runs once more, under the same names" if rejected > 1 else "run once more, under the same name"
        paragraphs.append(_wrapped(f"Please send the corrected {again}{where}."))
    paragraphs.append([*map(printable, settings.organisers), f"for {name}"])
    return "\n\n".join("\n".join(each) for each in paragraphs) + "\n"


def _came_to(fine: int, rejected: int) -> str:
    """Say what became of the runs."""
    if not rejected and not fine:
        return ""
    if not rejected:
        return "It is accepted." if fine == 1 else "All are accepted."
    if not fine:
        said = "It is rejected" if rejected == 1 else "None is accepted"
    else:
        said = f"{fine} of them {'is' if fine == 1 else 'are'} accepted"
    return f"{said}; below you find why, and what to do."


def _of_run(verdict: Ruling, own: Set[str]) -> Iterator[str]:
    sent = verdict.submission
    yield f"{printable(sent.run)} ({printable(sent.shown)}): {'accepted' if verdict.accepted else 'REJECTED'}"
    for reason in verdict.reasons:
        yield from _about(reason, "why", own)
    hidden = {code for reason in verdict.reasons for code in _FOLLOW.get(reason.code, ())}
    for other in (each for each in verdict.findings if each not in verdict.reasons):
        if other.severity != "remark" and other.code not in hidden:
            yield from _about(other, "also", own)


def _about(found: Finding, mark: str, own: Set[str]) -> Iterator[str]:
    if not (says := _discreet(found, own)):
        return
    yield from _wrapped(f"{mark}: {printable(says)}.", first="  ", then="       ")
    if to_do := advice(found):
        yield from _wrapped(f"do: {to_do}", first="  ", then="       ")


_OTHERS: Final = re.compile(r"^(.* (?:is also that of|is the name of|the same ranking as)) (.+)$", re.DOTALL)
"""What is said of a run and others."""


def _discreet(found: Finding, own: Set[str]) -> str:
    """Leave out what the runs of other teams are called, and whether they rank alike: it is nobody else's business.

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
