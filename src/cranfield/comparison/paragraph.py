"""What a comparison found, as a paper says it: plain sentences, and the home of their words.

A *finding* is what was found of two runs in one place: by a measure, on a collection, in the average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.orientation import best_first
from cranfield.statistics.on_paper import side

if TYPE_CHECKING:
    from cranfield.judged.audit import Audit

ONE_AT_A_TIME: Final = "for one difference at a time"
TOGETHER: Final = "for all pairs of a measure together"
"""Of what intervals hold."""
_MOST_NAMED: Final = 5  # A sentence names no more runs than these, and counts the others


Answer: TypeAlias = Literal["better", "worse", "not significant", "equal", "torn"]
"""Equal: on every topic. Torn: a test of ranks or signs finds a difference, and the means are equal."""


class Versus(NamedTuple):
    """What was found of a run against another."""

    where: str  # by what, or on what: "by AP", "on robust"
    other: str
    answer: Answer
    difference: float
    low: float | None
    high: float | None
    unit: str = ""  # what to know of the numbers

    @property
    def numbers(self) -> str:
        """The difference with its interval, in parentheses."""
        interval = "" if self.low is None or self.high is None else f" [{_signed(self.low)}, {_signed(self.high)}]"
        return f" ({_signed(self.difference, '+')}{interval}{self.unit and f'; {self.unit}'})"


def _signed(value: float, plus: str = "") -> str:
    """Write four decimals with a true minus, and 0 without a sign."""
    written = f"{value:z.4f}"
    return f"{plus if float(written) > 0 else ''}{written}".replace("-", "−")


def findings_of(differences: pl.DataFrame, where: str, direction: float, *, unit: str = "") -> dict[str, list[Versus]]:
    """Return for each run what was found of it against each other, given the rows of one measure."""
    unit = "; ".join(filter(None, ["lower is better" * (direction < 0), unit]))
    found: dict[str, list[Versus]] = {}
    columns = ("run_a", "run_b", "difference", "low", "high", "significant", "wins", "losses")
    for a, b, difference, low, high, significant, wins, losses in differences.select(columns).iter_rows():
        for run, other, sign, ends in ((a, b, 1, (low, high)), (b, a, -1, (high, low))):
            ahead = side(sign * direction * difference)
            answer: Answer = "not significant"
            if not wins and not losses:
                answer = "equal"
            elif significant:
                answer = "better" if ahead > 0 else "worse" if ahead < 0 else "torn"
            first, last = (None if end is None else sign * end for end in ends)
            found.setdefault(run, []).append(Versus(where, other, answer, sign * difference, first, last, unit))
    return found


def against_one(run: str, other: str, findings: Sequence[Versus]) -> str:
    """Say where a run is better than another, where it is worse, and where that is not known."""
    better, worse, unclear, equal, torn = (
        [each for each in findings if each.answer == answer] for answer in get_args(Answer)
    )
    told = []
    if better:
        told.append(f"{run} beats {other} {_places(better)}" + (f" but is worse {_places(worse)}" if worse else ""))
    elif worse:
        told.append(f"{run} is worse than {other} {_places(worse)}")
    if unclear and not told:
        told.append(f"{run} does not differ significantly from {other} {_places(unclear, 'or')}")
    elif len(unclear) == 1:
        told.append(f"{unclear[0].where} the difference is not significant{unclear[0].numbers}")
    elif unclear:
        told.append(f"{_places(unclear)} the differences are not significant")
    if equal and told:
        told.append(f"{_places(equal, numbers=False)} both score the same on every topic")
    elif equal:
        told.append(f"{run} and {other} score the same on every topic {_places(equal, numbers=False)}")
    if torn:
        told.append(f"{_places(torn)} the means of {run} and {other} are equal, though the test finds a difference")
    return "; ".join(told)


def _places(findings: Sequence[Versus], word: str = "and", *, numbers: bool = True) -> str:
    """List where, the preposition said once where all have the same; with the numbers."""
    same = len({each.where.split()[0] for each in findings}) == 1
    where = [each.where.split(" ", 1)[1] if same and at else each.where for at, each in enumerate(findings)]
    return _joined([f"{place}{each.numbers * numbers}" for place, each in zip(where, findings, strict=True)], word)


def _joined(told: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def against_many(run: str, findings: Sequence[Versus]) -> str:
    """Say which runs a run is better than, and which not, in one place: at most five of each by name."""
    words: dict[Answer, tuple[str, str]] = {
        "better": ("beats", "and"),
        "worse": ("is worse than", "and"),
        "not significant": ("does not differ significantly from", "or"),
        "equal": ("scores the same on every topic as", "and"),
        "torn": ("has the same mean, though the test finds a difference, as", "and"),
    }
    told = []
    for answer, (verb, word) in words.items():
        those = [each for each in findings if each.answer == answer]
        names = [f"{each.other}{each.numbers * (answer != 'equal')}" for each in those[:_MOST_NAMED]]
        more = [counted(len(those) - _MOST_NAMED, "more run")] * (len(those) > _MOST_NAMED)
        told += [f"{run} {verb} {_joined([*names, *more], word)}"] * bool(those)
    return "; ".join(told)


def against_baseline(baseline: str, runs: Sequence[str], findings: Sequence[dict[str, list[Versus]]]) -> Iterator[str]:
    """Say of each run, in the order to name them, how it compares with a baseline; of many the others are counted."""
    most = _MOST_NAMED + (len(runs) == _MOST_NAMED + 1)  # a last one is named rather than counted
    for run in runs[:most]:
        those = [each for place in findings for each in place.get(run, []) if each.other == baseline]
        if those:
            yield against_one(run, baseline, those)
    others, told = runs[most:], []
    for place in findings:
        those = [each for run in others for each in place.get(run, []) if each.other == baseline]
        answers = [each.answer for each in those]
        better, worse, torn = (answers.count(answer) for answer in ("better", "worse", "torn"))
        alike = len(those) - better - worse - torn
        counts = (
            (better, "beats|beat"),
            (worse, "is worse than|are worse than"),
            (alike, "does not differ significantly from|do not differ significantly from"),
            (torn, "differs by the test alone from|differ by the test alone from"),
        )
        said = [f"{many:,} {verb.split('|')[many > 1]} {baseline}" for many, verb in counts if many]
        if len(others) in {better, worse, alike}:
            said = ["none differs significantly from" if alike else "all beat" if better else "all are worse than"]
            said = [f"{said[0]} {baseline}"]
        told += [f"{_joined(said)} {each.where}" for each in those[:1]]
    if told:
        yield f"Of the other {len(others):,} runs, {'; '.join(told)}"


def best_of(runs: Sequence[str], means: Floats, averages: Floats, findings: dict[str, list[Versus]], where: str) -> str:
    """Say which run is the best in one place (of averages more is better), which others it beats, and which not."""
    order = best_first(averages)
    leaders = [run for run in order if side(averages[order[0]] - averages[run]) == 0]
    shown = f"({_signed(float(means[order[0]]))})"
    if len(leaders) == len(runs):
        return f"All {len(runs):,} runs have the same mean {where} {shown}"
    rank = {runs[run]: place for place, run in enumerate(order)}

    def told(leader: str, word: str) -> str:
        return against_many(word, sorted(findings.get(leader, []), key=lambda each: rank[each.other]))

    if len(leaders) == 1:
        best = runs[order[0]]
        return f"The best of {len(runs):,} runs {where} is {best} {shown}: {told(best, 'it')}"
    names = [runs[run] for run in leaders]
    said = "; ".join(told(name, name) for name in names[:_MOST_NAMED])
    return f"{named(names)} share the best mean of {len(runs):,} runs {where} {shown}: {said}"


def inside(sentence: str) -> str:
    """Go on with a sentence behind others' words."""
    begins = sentence.startswith(("The best of ", "All ", "Of the other "))  # else with the name of a run
    return f"{sentence[0].lower()}{sentence[1:]}" if begins else sentence


def unjudged_told(differences: pl.DataFrame, audit: Audit | None) -> str:
    """Say how many significant differences no grade of the unjudged documents could undo, where that was asked."""
    if "certain" not in differences.columns:
        return ""
    if audit and audit.complete:
        return "Documents without a judgment count as not relevant"
    if audit and all(run.judged == run.retrieved for run in audit.runs):
        return "All retrieved documents are judged"
    if not differences["significant"].any():
        return ""
    scope = Scope().graded().whatever if audit else "by the ranges that were given"
    many, certain = (int(differences[name].sum()) for name in ("significant", "certain"))
    if many == 1:
        return f"The significant difference is {'' if certain else 'not '}certain to stay significant {scope}"
    kept = {0: "none is", 1: "1 is", many: "all are"}.get(certain, f"{certain} are")
    return f"Of the {many} significant differences, {kept} certain to stay significant {scope}"


def intervals_told(findings: Sequence[dict[str, list[Versus]]], level: float, holding: str) -> str:
    """Say what stands in brackets, where anything does, and of what it holds."""
    if all(each.low is None for place in findings for those in place.values() for each in those):
        return ""
    return f"Brackets give {100 * level:g}% confidence intervals, which hold {holding}"


def one_paragraph(*sentences: str) -> str:
    """Make a paragraph of sentences without full stops."""
    return " ".join(f"{each}." for each in sentences if each)
