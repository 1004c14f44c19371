"""The cases of the suite: small collections, what each is there to show, and the measures that are asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan
from typing import Final

from cranfield.conformance.choices import questions, usual
from cranfield.conformance.definitions import QrelsRows, RunRows, SuiteCollection, value


@dataclass(frozen=True, eq=False)
class Situation:
    """A collection of a few lines."""

    name: str
    shows: str
    qrels: QrelsRows
    run: RunRows
    measures: tuple[str, ...]  # What is asked of it, with cutoffs
    excluded: tuple[tuple[str, str], ...] = ()  # The documents that are excluded, by topic

    @property
    def collection(self) -> SuiteCollection:
        """Return its rows."""
        return SuiteCollection(self.qrels, self.run, self.excluded)


@dataclass(frozen=True, eq=False)
class Case:
    """A situation and one measure."""

    situation: Situation
    measure: str

    @property
    def id(self) -> str:
        """Return its name in the suite."""
        return f"{self.situation.name}/{self.measure}"

    @property
    def family(self) -> str:
        """Return the measure without its cutoff: ``P@k`` of ``P@3``."""
        return self.measure.split("@")[0] + "@k" * ("@" in self.measure)

    @property
    def cutoff(self) -> int | None:
        """Return the cutoff."""
        return int(self.measure.split("@")[1]) if "@" in self.measure else None

    @property
    def size(self) -> int:
        """Return how many lines it has."""
        of = self.situation
        return len(of.qrels) + len(of.run) + len(of.excluded)

    def mean(self, how: Mapping[str, str]) -> float | None:
        """Return the value by these choices, and the usual ones for all else; NaN where no topic is left."""
        return value(self.family, self.cutoff, self.situation.collection, usual(self.family) | dict(how))

    def value(self, how: Mapping[str, str]) -> float | None:
        """Return the value by these choices; None where the run is refused, or no topic is left."""
        found = self.mean(how)
        return None if found is None or isnan(found) else found

    def open(self) -> tuple[str, ...]:
        """Name the questions that may matter here."""
        found = questions(self.family).values()
        return tuple(each.name for each in found if len(each.right()) > 1 and each.matters(self.situation.collection))

    def values(self) -> list[tuple[dict[str, str], float | None]]:
        """Return the value of every combination of right choices, of the questions that do matter."""
        rights = {name: questions(self.family)[name].right() for name in self.open()}
        table = {each: self.value(dict(zip(rights, each, strict=True))) for each in product(*rights.values())}
        # A question whose choices never change the value, whatever the others are, is left out: the last one first,
        # since each is looked at in the table that the ones behind it have left.
        for place in reversed(range(len(rights))):
            less = {each[:place] + each[place + 1 :] for each in table}
            of = {key: {table[each] for each in table if each[:place] + each[place + 1 :] == key} for key in less}
            if all(len(values) == 1 for values in of.values()):
                table = {key: values.pop() for key, values in of.items()}
                del rights[list(rights)[place]]
        return [(dict(zip(rights, each, strict=True)), worth) for each, worth in sorted(table.items())]


def _qrels(**topics: Mapping[str, float]) -> QrelsRows:
    return [(topic[1:], document, grade) for topic, grades in topics.items() for document, grade in grades.items()]


def _run(**topics: Sequence[tuple[str, float]]) -> RunRows:
    return [(topic[1:], document, score) for topic, lines in topics.items() for document, score in lines]


def _down(documents: str) -> list[tuple[str, float]]:
    """Rank documents named by one letter each, with scores that fall to 1."""
    return [(document, float(len(documents) - place)) for place, document in enumerate(documents)]


_BINARY: Final = ("AP", "RR", "P@3", "R@3", "Success@3", "Bpref")
_OTHERS: Final = ("nDCG@3", "DCG@3", "AP@3", "RR@3")
_EVERY: Final = (*_OTHERS, *_BINARY)

SITUATIONS: Final = (
    Situation(
        "plain", "Three relevant documents of four, all retrieved: the definition alone. A gain, a discount or a "
        "divisor of another kind shows.",
        _qrels(t1={"a": 1, "b": 0, "c": 2, "d": 3}), _run(t1=_down("abcd")), _EVERY,
    ),
    Situation(
        "first-at-rank-3", "The only relevant document is at the cutoff, which reveals a cutoff that is off by one.",
        _qrels(t1={"a": 0, "b": 0, "c": 1, "d": 0}), _run(t1=_down("abcd")),
        ("nDCG@3", "AP@3", "RR@3", "RR", "P@3", "R@3", "Success@3"),
    ),
    Situation(
        "first-at-rank-4", "The only relevant document is below the cutoff, which reveals that a cutoff is ignored.",
        _qrels(t1={"a": 0, "b": 0, "c": 0, "d": 1}), _run(t1=_down("abcd")),
        ("nDCG@3", "DCG@3", "AP@3", "RR@2", "RR@3", "R@3", "Success@2", "Success@3"),
    ),
    Situation(
        "relevant-below-cutoff", "The best documents are below the cutoff: an ideal of only the first k documents is "
        "too low.",
        _qrels(t1={"a": 0, "b": 1, "c": 0, "d": 3, "e": 2}), _run(t1=_down("abcde")), ("nDCG@3", "AP@3"),
    ),
    Situation(
        "not-retrieved", "Two of three relevant documents are not retrieved: an ideal, or a number of relevant "
        "documents, that is taken from the retrieved ones gives 1.",
        _qrels(t1={"a": 1, "x": 1, "y": 1}), _run(t1=_down("abcd")), ("nDCG@3", "AP", "AP@3", "R@3", "Bpref"),
    ),
    Situation(
        "shorter-than-k", "The list has two documents, and k is 5: a divisor or an ideal that is cut at the length of "
        "the list rewards short lists.",
        _qrels(t1={"a": 2, "b": 1, "c": 1, "d": 1}), _run(t1=_down("ba")), ("nDCG@5", "DCG@5", "AP@5", "P@5", "R@5"),
    ),
    Situation(
        "more-relevant-than-k", "Five documents are relevant, and k is 2: an ideal that is not cut at k, or recall "
        "divided by k, shows.",
        _qrels(t1={"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}), _run(t1=_down("abx")), ("nDCG@2", "AP@2", "R@2"),
    ),
    Situation(
        "order-of-lines", "The lines are not sorted by score: the order of the input is not the ranking.",
        _qrels(t1={"a": 2, "b": 1, "c": 0, "d": 0}), _run(t1=[("c", 0.1), ("a", 0.9), ("d", 0.3), ("b", 0.5)]),
        ("nDCG@3", "DCG@3", "AP", "AP@3", "RR", "RR@3", "P@3", "R@1", "Success@1", "Bpref"),
    ),
    Situation(
        "scores-below-0", "Scores are logarithms of probabilities, below 0: a document that is dropped, or sorted by "
        "the size of its score, shows.",
        _qrels(t1={"a": 1, "b": 1, "c": 0}), _run(t1=[("b", -0.5), ("c", -1.5), ("a", -2.5)]),
        ("nDCG@3", "AP", "RR", "P@3", "R@3", "DCG@3", "AP@3", "RR@3", "Success@3", "Bpref"),
    ),
    Situation(
        "twice", "The list has its best document twice: if it counts twice, values can exceed 1.",
        _qrels(t1={"a": 2, "b": 0, "c": 1, "d": 0}), _run(t1=[("b", 4.0), ("a", 3.0), ("c", 2.0), ("a", 5.0)]),
        ("nDCG@3", "DCG@3", "AP", "AP@3", "P@1", "R@1", "Bpref"),
    ),
    Situation(
        "twice-not-relevant", "The list has a document that is not relevant three times: it pushes the others down if "
        "it counts each time.",
        _qrels(t1={"n": 0, "a": 1}), _run(t1=[("n", 5.0), ("n", 4.0), ("a", 3.0), ("n", 2.0)]),
        ("nDCG@3", "AP", "RR", "P@2", "R@2", "AP@3", "RR@3", "Success@1", "Success@2"),
    ),
    Situation(
        "ties-across-k", "Four documents are tied across the cutoff: each rule for ties ranks another one first.",
        _qrels(t1={"m": 0, "d": 3, "z": 1, "b": 2}), _run(t1=[("m", 1.0), ("z", 1.0), ("b", 1.0), ("d", 1.0)]),
        ("nDCG@2", "DCG@2", "Bpref"),
    ),
    Situation(
        "ties-first-id", "Four documents are tied, and the first id is relevant: the rule for ties decides.",
        _qrels(t1={"a": 1, "b": 0, "c": 0, "d": 0}), _run(t1=[("c", 1.0), ("a", 1.0), ("d", 1.0), ("b", 1.0)]),
        ("AP", "AP@3", "RR", "RR@3", "P@1", "R@1", "Success@1", "DCG@1"),
    ),
    Situation(
        "ties-last-given", "Four documents are tied, and the last of the input is relevant: the rule for ties decides.",
        _qrels(t1={"b": 1, "a": 0, "c": 0, "d": 0}), _run(t1=[("c", 1.0), ("a", 1.0), ("d", 1.0), ("b", 1.0)]),
        ("AP", "AP@2", "RR", "RR@2", "P@1", "R@1", "Success@1"),
    ),
    Situation(
        "ids-with-digits", "Tied ids are 10, 9 and 101; as text they sort in another order than as numbers.",
        _qrels(t1={"10": 1, "9": 0, "101": 0}), _run(t1=[("10", 1.0), ("9", 1.0), ("101", 1.0)]),
        ("nDCG@2", "AP", "RR", "RR@2", "P@1", "R@1", "Success@1"),
    ),
    Situation(
        "ids-with-digits-again", "As before, with two relevant documents: numbers and text part at rank 1.",
        _qrels(t1={"10": 1, "9": 1, "101": 0}), _run(t1=[("10", 1.0), ("9", 1.0), ("101", 1.0)]),
        ("P@1", "R@1", "Bpref", "DCG@2", "AP@3", "Success@1"),
    ),
    Situation(
        "equal-in-32-bits", "Two scores differ in 64 bits and not in 32: a tie in one, none in the other.",
        _qrels(t1={"a": 1, "b": 0}), _run(t1=[("a", 10.00000001), ("b", 10.0)]),
        ("nDCG@1", "AP", "RR", "RR@1", "P@1", "R@1", "Bpref", "DCG@1", "AP@1", "Success@1"),
    ),
    Situation(
        "beyond-32-bits", "Two scores are too large for 32 bits, where both are infinite.",
        _qrels(t1={"a": 1, "b": 0}), _run(t1=[("a", 1e40), ("b", 1e39)]), ("AP", "RR"),
    ),
    Situation(
        "no-relevant-document", "Nothing is relevant to topic 2: whether it counts 0, counts 1 or is left out decides "
        "about the mean.",
        _qrels(t1={"a": 1, "b": 0, "c": 1}, t2={"a": 0, "b": 0}), _run(t1=_down("bac"), t2=_down("ab")),
        ("nDCG@3", "AP", "RR", "RR@3", "P@3", "R@2", "Success@3", "Bpref", "DCG@3", "AP@3"),
    ),
    Situation(
        "nothing-found", "No relevant document is retrieved for topic 2, which counts 0 all the same: a mean over the "
        "rest is too high.",
        _qrels(t1={"b": 1, "a": 0}, t2={"x": 1, "a": 0}), _run(t1=_down("ab"), t2=_down("ab")),
        ("nDCG@3", "AP", "RR", "RR@3", "P@3", "R@3", "Success@3"),
    ),
    Situation(
        "absent-from-run", "The run lacks topic 2: a mean over the topics of the run leaves out what was not answered.",
        _qrels(t1={"b": 1, "a": 0}, t2={"a": 1}), _run(t1=_down("ab")), ("nDCG@3", "AP", "RR", "P@3", "R@3"),
    ),
    Situation(
        "absent-from-qrels", "Nobody judged topic 2: it belongs in no mean.",
        _qrels(t1={"b": 1, "a": 0}), _run(t1=_down("ab"), t2=_down("ab")), ("nDCG@3", "AP", "RR", "P@3", "R@3"),
    ),
    Situation(
        "grade-0", "Judged and relevant are not the same: a document of grade 0 is not relevant.",
        _qrels(t1={"a": 0, "b": 1}), _run(t1=_down("ab")), ("nDCG@3", "AP", "RR", "P@3", "R@3", "Success@1", "Bpref"),
    ),
    Situation(
        "grade-below-0", "A document of grade -1, spam, is first: it is not relevant.",
        _qrels(t1={"s": -1, "b": 2, "c": 1, "n": 0}), _run(t1=_down("sbc")),
        ("nDCG@3", "DCG@3", "AP", "RR", "P@3", "R@1", "Bpref"),
    ),
    Situation(
        "fractions", "Grades are 0.5 and 1.5: cut to whole numbers, the first is not relevant, and the second gains "
        "less.",
        _qrels(t1={"a": 0.5, "b": 1.5, "c": 0}), _run(t1=_down("acb")),
        ("nDCG@3", "DCG@3", "AP", "RR", "P@3", "R@1", "AP@3", "RR@3", "Success@1", "Bpref"),
    ),
    Situation(
        "unjudged-first", "The first document is unjudged: it takes a rank, unless it is removed.",
        _qrels(t1={"a": 1, "n": 0, "b": 1}), _run(t1=_down("unab")), ("nDCG@3", "AP", "RR", "P@3", "R@2", "Bpref"),
    ),
    Situation(
        "own-document", "The topic's own document is retrieved first, as in a corpus that holds its queries.",
        _qrels(tq={"a": 1, "b": 0}), _run(tq=[("q", 3.0), ("a", 2.0), ("b", 1.0)]),
        ("nDCG@3", "AP", "RR", "P@1", "R@1"),
    ),
    Situation(
        "own-spam-unjudged", "Spam, the topic's own document and two unjudged ones are above the only relevant "
        "document: each way to treat them ranks it differently.",
        _qrels(tq={"s": -1, "q": 0, "a": 1, "n": 0}), _run(tq=_down("squva")),
        ("DCG@5", "AP@5", "RR@5", "Success@1", "Success@3", "Success@4", "Bpref"),
    ),
    Situation(
        "spam-unjudged-first", "Spam and an unjudged document are above all others: the ranks depend on whether "
        "neither, the unjudged one or both are removed.",
        _qrels(t1={"s": -1, "a": 1, "b": 2, "n": 0}), _run(t1=_down("sunab")),
        ("nDCG@3", "DCG@3", "AP", "AP@3", "RR", "RR@3", "P@3", "R@2", "Success@1", "Success@2", "Bpref"),
    ),
    Situation(
        "topics-apart", "The run lacks topics 2 and 3, nobody judged topics 6 to 8, nothing is relevant to topic 4, "
        "and nothing relevant is found for topic 5: what is averaged over decides about the mean.",
        _qrels(t1={"a": 1, "b": 0}, t2={"a": 1}, t3={"a": 1}, t4={"a": 0}, t5={"x": 1}),
        _run(**{f"t{topic}": _down("ab") for topic in (1, 4, 5, 6, 7, 8)}),
        ("DCG@3", "AP@3", "RR@3", "Success@3", "Bpref"),
    ),
    Situation(
        "excluded", "The two documents from which the query was made are excluded. Both are relevant, and ranked "
        "first.",
        _qrels(t1={"x": 2, "y": 1, "a": 1, "b": 0, "n": 0}), _run(t1=_down("xyba")),
        (*_OTHERS, "AP", "RR", "P@3", "R@3", "Success@1", "Bpref"), excluded=(("1", "x"), ("1", "y")),
    ),
)  # fmt: skip

CASES: Final = tuple(Case(situation, measure) for situation in SITUATIONS for measure in situation.measures)
"""All cases, one for each measure that is asked of a situation."""
