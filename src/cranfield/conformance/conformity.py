"""What was found of a tool: a verdict for each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cranfield.conformance.choices import questions, says, usual
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import Result

Verdict: TypeAlias = Literal["conforms", "mistake", "fits nothing", "no value"]


@record
@dataclass(frozen=True, kw_only=True)
class MeasureVerdict:
    """What was found of one measure."""

    measure: str  # its name without a cutoff
    verdict: Verdict
    answered: int  # by a value, or by a refusal where that is right
    cases: int
    conventions: tuple[str, ...] = ()  # those that give all answers
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by question, those that give all answers
    undecided: Mapping[str, str] = field(default_factory=dict)  # by open question, the smallest case that decides it
    mistakes: tuple[str, ...] = ()  # sentences, each of which explains all answers
    case: str | None = None  # the smallest that shows the mistake, or that fits nothing
    answer: float | None = None
    expected: float | None = None  # by the same choices without the mistake
    unexplained: tuple[str, ...] = ()
    no_value: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Say what was found, what is open, and where there is no value."""
        parts = [*self._found()]
        if self.undecided and self.verdict == "conforms":
            cases = tuple(f"{name} ({case})" for name, case in self.undecided.items())
            parts.append(f"undecided: {_some(cases)}")
        if self.no_value and self.verdict != "no value":
            parts.append(f"no value: {_some(self.no_value)}")
        return "; ".join(parts) + "."

    def headline(self) -> str:
        """Say what was found."""
        return "; ".join(self._found()) + "."

    def _found(self) -> Iterator[str]:
        if self.verdict == "no value":
            yield "gives no value"
            return
        if self.conventions:
            yield f"correct: fits {', '.join(self.conventions)}"
        elif self.verdict == "conforms":
            yield "correct"
            yield from self.peculiar() or ("by the usual choices",)
        if self.mistakes:
            yield " or ".join(self.mistakes)
        if self.verdict == "fits nothing":
            alone = "each answer fits some convention, but no convention fits all"
            yield f"no convention gives {_some(self.unexplained)}" if self.unexplained else alone
        if self.case is not None:
            answer = "no value" if self.answer is None else f"{self.answer:.4f}"
            right = "it should be refused" if self.expected is None else f"{self.expected:.4f} is right"
            yield f"{self.case} is {answer} where {right}"

    def peculiar(self) -> tuple[str, ...]:
        """Say which choices are not the usual ones."""
        return tuple(
            " or ".join(says(self.measure, name, choice) for choice in left)
            for name, left in self.choices.items()
            if usual(self.measure)[name] not in left and name in questions(self.measure)
        )


def _some(cases: tuple[str, ...], most: int = 3) -> str:
    """Name the first few cases."""
    return ", ".join(cases[:most]) + (f" and {len(cases) - most} more" if len(cases) > most else "")


@dataclass(frozen=True, eq=False, repr=False)
class Conformity(Result):
    """Which conventions a tool's measures follow.

    Attributes
    ----------
    tool, version, suite
        What was tested, by which suite.
    measures
        One verdict for each measure that was answered.
    """

    tool: str
    version: str
    suite: str
    measures: tuple[MeasureVerdict, ...]

    @property
    def conforms(self) -> bool:
        """Whether every measure that was answered follows some convention."""
        return all(each.verdict == "conforms" for each in self.measures)

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a row for each measure, with everything that was found."""
        rows = [
            vars(each)
            | {name: ", ".join(getattr(each, name)) for name in ("conventions", "unexplained", "no_value")}
            | {
                "choices": "; ".join(f"{name}: {' or '.join(left)}" for name, left in each.choices.items()),
                "undecided": "; ".join(f"{name}: {case}" for name, case in each.undecided.items()),
                "mistakes": " or ".join(each.mistakes),
            }
            for each in self.measures
        ]
        numbers = {"answered": pl.Int64, "cases": pl.Int64, "answer": pl.Float64, "expected": pl.Float64}
        return pl.DataFrame(rows, schema={name: numbers.get(name, pl.String) for name in rows[0]})

    def table(self, **which: object) -> pl.DataFrame:
        """Return measure, verdict, how many cases were answered, and a sentence."""
        rows = [
            (each.measure, each.verdict, f"{each.answered} of {each.cases}", each.sentence()) for each in self.measures
        ]
        return pl.DataFrame(rows, schema=["measure", "verdict", "answered", "finding"], orient="row")

    def caption(self, **which: object) -> str:
        """Say whether the tool is correct, or which of its measures are not."""
        tool = " ".join(part for part in (self.tool, self.version) if part)
        others = [each.measure for each in self.measures if each.verdict != "conforms"]
        right = f"{len(self.measures) - len(others)} of {counted(len(self.measures), 'measure')} conform"
        if not others:
            return f"{tool} is correct by {self.suite}: {right}."
        return f"{tool}, by {self.suite}: {right}, and {named(others)} {'do' if len(others) > 1 else 'does'} not."
