"""What a finding of the report is: a condition, words and the numbers in them, found by a registry."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from inspect import getdoc
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import HERE, Scope
from cranfield.plumbing.speech import Speech
from cranfield.reports.facts import Evidence
from cranfield.results.programs import unfolded
from cranfield.results.result import OneTable

SENTENCES: Final[dict[str, Sentence]] = {}
"""All sentences by name."""
_FOUND: Final[WeakKeyDictionary[Evidence, tuple[tuple[Sentence, Said], ...]]] = WeakKeyDictionary()
NOTABLE: Final = 0.25  # A caveat of less weight is not worth the reader's first look
MOST_CAVEATS: Final = 3
"""More than these nobody keeps in mind."""


@dataclass(frozen=True)
class Said:
    """A finding in words, with its numbers, names and scope; its words must name what the scope adds."""

    words: str
    numbers: Mapping[str, object]
    scope: Scope = HERE

    def __post_init__(self) -> None:
        if not self.scope.stands_in(self.words):
            raise ValueError(f"these words do not name their scope: {self.words}")

    @classmethod
    def of(cls, words: str, /, *, scope: Scope = HERE, **numbers: object) -> Said:
        """Put numbers, names and the clauses of the scope (``{scope.whatever}``) into words: see `Speech`."""
        return cls(Speech().format(words, scope=scope, **numbers), numbers, scope)

    def and_then(self, other: Said) -> Said:
        """Say another thing next; where one of them speaks of more than what is at hand, its scope is that of both."""
        scope = other.scope if self.scope == HERE else self.scope
        return Said(f"{self.words} {other.words}", {**self.numbers, **other.numbers}, scope)


Finder: TypeAlias = Callable[[Evidence], Said | None]
Weight: TypeAlias = Callable[[Evidence, Mapping[str, Any]], float]


@dataclass(frozen=True)
class Caveat:
    """How much a sentence speaks against relying on who leads."""

    about: str  # What it is about: of several about the same the gravest is enough
    weight: Weight
    """From the evidence and the numbers of the sentence: near 1 where the lead may not be one, about 0.5 where it
    depends on a choice, below `NOTABLE` where it hardly matters here."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, as its function declares it."""

    name: str
    place: int  # The lower, the more it matters
    when: str  # Of what evidence it is said, in words
    finder: Finder  # Says it; None where the condition does not hold
    caveat: Caveat | None = None  # How much it speaks against relying on who leads; None where it is no caveat
    sections: tuple[str, ...] = ()  # Where it can be read, a page having one of them; none where the headline tells it


def sentence(*sections: str, place: int, caveat: Caveat | None = None) -> Callable[[Finder], Finder]:
    """Register a function as a sentence, under its name with dashes; its documentation is the condition."""

    def register(finder: Finder) -> Finder:
        name = finder.__name__.replace("_", "-")
        SENTENCES[name] = Sentence(name, place, " ".join((getdoc(finder) or "").split()), finder, caveat, sections)
        return finder

    return register


def all_sentences() -> list[Sentence]:
    """Return all sentences, those that matter most first."""
    import_module("cranfield.reports.sentences")  # registers them
    return sorted(SENTENCES.values(), key=lambda each: each.place)


def found_in(evidence: Evidence) -> tuple[tuple[Sentence, Said], ...]:
    """Say what holds of the evidence, worked out once."""
    if evidence not in _FOUND:
        _FOUND[evidence] = tuple(said_of(evidence))
    return _FOUND[evidence]


def caveats_of(evidence: Evidence) -> dict[str, Said]:
    """Return caveats about the leader by sentence, the gravest first: of each kind one, and only what is `NOTABLE`."""
    weighed = [
        (each.caveat.weight(evidence, said.numbers), each.caveat.about, each.name, said)
        for each, said in found_in(evidence) if each.caveat is not None
    ]  # fmt: skip
    gravest: dict[str, tuple[str, Said]] = {}
    for weight, about, name, said in sorted(weighed, key=lambda weighed: -weighed[0]):
        if weight >= NOTABLE:
            gravest.setdefault(about, (name, said))
    return dict([*gravest.values()][:MOST_CAVEATS])


def read_in(section: str, evidence: Evidence) -> Iterator[str]:
    """Say what is read in a section: what stands on the first sheet is left out."""
    above = caveats_of(evidence)
    for each, said in found_in(evidence):
        if section in each.sections and each.name not in above:
            yield said.words


def said_of(evidence: Evidence) -> Iterator[tuple[Sentence, Said]]:
    """Say what holds of the evidence, what matters most first."""
    evidence = evidence.ran
    for each in all_sentences():
        if (said := each.finder(evidence)) is not None:
            yield each, said


@dataclass(frozen=True, eq=False, repr=False)
class Sentences(OneTable, schema="sentences"):
    """What was found: columns name, sentence, and numbers and scope, which are JSON objects."""

    def table(self, **which: object) -> pl.DataFrame:
        """Return what people read: the sentences alone."""
        return self.rows.select("name", "sentence")

    def stated(self, **which: object) -> dict[str, object]:
        """Return the sentences, as programs read them first."""
        return super().stated(**which) | {"says": self.rows["sentence"].to_list()}

    def objects(self, **which: object) -> list[dict[str, object]]:
        """Return a row for each sentence, its numbers and scope as objects."""
        return unfolded(super().objects(**which), "numbers", "scope")

    def render(self, format: str = "table", **which: object) -> str | bytes:  # noqa: A002
        """Return the sentences as text: line by line as `table`, which nobody reads across."""
        if format != "table":
            return super().render(format, **which)
        lines = (textwrap.fill(printable(words), 100, subsequent_indent="  ") for words in self.rows["sentence"])
        return "".join(f"{line}\n" for line in lines)


def sentences_of(evidence: Evidence) -> Sentences:
    """Return the sentences that hold as a table, the most important first."""
    rows = [
        (each.name, said.words, *(json.dumps(part, ensure_ascii=False) for part in (said.numbers, asdict(said.scope))))
        for each, said in said_of(evidence)
    ]
    columns = ("name", "sentence", "numbers", "scope")
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return Sentences(table, "Findings, the most important first.")
