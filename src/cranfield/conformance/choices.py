"""The questions that a measure leaves open, the choices that answer them, and what known tools choose.

A question is an entry of `CHOICE_QUESTIONS`, and a choice or a mistake an entry of its question; what each one
computes is in `definitions`. Everything else (the suite, its description, the verdicts) reads this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import starmap
from typing import Final

from cranfield.conformance.definitions import DEFINITIONS, SuiteCollection, by_topic, narrowed


@dataclass(frozen=True)
class Alternative:
    """One answer to a question: its name, and what a tool does that makes it."""

    name: str
    says: str
    mistake: bool = False


@dataclass(frozen=True)
class OpenQuestion:
    """What a definition leaves open."""

    name: str
    asks: str
    measures: tuple[str, ...]  # Whom it concerns
    choices: tuple[Alternative, ...]  # Its answers, the usual one first; mistakes are among them, but never the first
    matters: Callable[[SuiteCollection], bool]
    """Whether two of the choices that are no mistakes could give different values on a case; it may say yes where they
    do not."""

    def right(self) -> tuple[str, ...]:
        """Name the choices that are no mistakes."""
        return tuple(choice.name for choice in self.choices if not choice.mistake)

    def wrong(self) -> tuple[str, ...]:
        """Name the mistakes."""
        return tuple(choice.name for choice in self.choices if choice.mistake)


_ALL: Final = tuple(DEFINITIONS)
_GRADED: Final = ("nDCG@k", "DCG@k")
_BINARY: Final = tuple(name for name in _ALL if name not in _GRADED)
_CUT: Final = tuple(name for name in _ALL if name.endswith("@k"))


def _narrow(of: SuiteCollection) -> bool:
    lists = [[score for _, score in lines] for lines in by_topic(of.run).values()]
    return any(len(set(scores)) != len(set(map(narrowed, scores))) for scores in lists)


def _twice(of: SuiteCollection) -> bool:
    return len({row[:2] for row in of.run}) < len(of.run)


def _tied(of: SuiteCollection) -> bool:
    """Whether scores are tied, or could be: a later line may replace a score, and missing documents may be appended."""
    lists = {topic: [narrowed(score) for _, score in lines] for topic, lines in by_topic(of.run).items()}
    there = {row[:2] for row in of.run} - {*of.excluded}
    missing = [topic for topic, *_ in {row[:2] for row in of.qrels} - there]
    return (
        _twice(of)
        or len(set(missing)) < len(missing)
        or any(scores != sorted(set(scores), reverse=True) for scores in lists.values())
    )


def _own(of: SuiteCollection) -> bool:
    return any(topic == document for topic, document, _ in of.run)


def _unjudged(of: SuiteCollection) -> bool:
    return not {row[:2] for row in of.run} <= {row[:2] for row in of.qrels}


def _absent(of: SuiteCollection) -> bool:
    return {row[0] for row in of.qrels} != {row[0] for row in of.run}


def _unanswered(of: SuiteCollection) -> bool:
    return {row[0] for row in of.qrels} != {row[0] for row in of.qrels if row[2] >= 1}


def _fractions(of: SuiteCollection) -> bool:
    return any(grade != int(grade) for *_, grade in of.qrels)


def _negative(of: SuiteCollection) -> bool:
    return any(grade < 0 for *_, grade in of.qrels)


def _several(of: SuiteCollection) -> bool:
    return any(grade not in (0, 1) for *_, grade in of.qrels)


def _always(_: SuiteCollection) -> bool:
    return True


def _question(
    name: str,
    asks: str,
    measures: tuple[str, ...],
    matters: Callable[[SuiteCollection], bool],
    right: Mapping[str, str],
    wrong: Mapping[str, str] | None = None,
) -> OpenQuestion:
    """Take a row of the table: right choices, the usual one first, and mistakes, each with what a tool does."""
    return OpenQuestion(name, asks, measures, (*starmap(Alternative, right.items()), *_mistakes(wrong or {})), matters)


def _mistakes(wrong: Mapping[str, str]) -> tuple[Alternative, ...]:
    return tuple(Alternative(name, says, mistake=True) for name, says in wrong.items())


CHOICE_QUESTIONS: Final = (
    _question("scores", "How precise are scores?", _ALL, _narrow, {
        "64": "compares scores in 64 bits",
        "32": "compares scores in 32 bits",
    }, {"positive": "drops documents with a score of 0 or less"}),
    _question("ties", "How are documents of equal score ranked?", _ALL, _tied, {
        "last-id": "ranks ties by id, the last in byte order first",
        "first-id": "ranks ties by id, the first in byte order first",
        "as-given": "ranks ties in the order of the input",
        "last-given": "ranks ties in the reverse order of the input",
        "averaged": "averages over all orders of ties",
        "file": "ranks by the order of the input and ignores scores",
    }, {
        "favours-relevant": "ranks the relevant documents among ties first",
        "last-number": "compares ids as numbers in ties, the largest first",
        "first-number": "compares ids as numbers in ties, the smallest first",
    }),
    _question("direction", "Which scores are better?", _ALL, _always,
              {"high": "ranks high scores first"}, {"low": "ranks low scores first, as if they were distances"}),
    _question("duplicates", "What if a list has a document twice?", _ALL, _twice, {
        "refused": "refuses a list that has a document twice",
        "first": "counts the first line of a document that a list has twice",
        "last": "lets a later line of a document replace its score",
    }, {"twice": "counts a document as often as a list has it"}),
    _question("own", "What if the topic's own document is retrieved?", _ALL, _own, {
        "kept": "keeps a document that has the id of the topic",
        "removed": "removes a document that has the id of the topic",
    }),
    _question("excluded", "What if a document that is excluded for the topic is retrieved?", _ALL,
              lambda of: bool(of.excluded), {
        "removed": "removes excluded documents, and keeps their judgments",
        "residual": "removes excluded documents and their judgments (a residual collection)",
    }, {"ranked": "ranks documents that are excluded"}),
    _question("list", "What is ranked?", _ALL, _always,
              {"retrieved": "ranks what was retrieved"},
              {"appended": "ranks judged documents that were not retrieved behind the list"}),
    _question("unjudged", "What is an unjudged document?", _ALL, lambda of: _unjudged(of) or _negative(of), {
        "kept": "treats unjudged documents as not relevant",
        "removed": "removes unjudged documents before it ranks (a condensed list)",
        "removed-below-0": "removes unjudged documents and those of negative grade before it ranks, as trec_eval does "
        "with -J",
    }),
    _question("topics", "Which topics are averaged over?", _ALL, _absent, {
        "all": "averages over all judged topics; one that the run lacks counts 0",
        "shared": "averages over the judged topics that the run has",
    }, {
        "run": "averages over the topics of the run, judged or not",
        "found": "leaves topics of value 0 out of the mean",
    }),
    _question("no answer", "What does a topic without a relevant document count?", _ALL, _unanswered, {
        "0": "counts 0 for a topic without a relevant document",
        "left-out": "leaves topics without a relevant document out of the mean",
    }, {"1": "counts 1 for a topic without a relevant document"}),
    _question("relevance", "Which documents are relevant?", _BINARY, _fractions, {
        "above-0": "treats every grade above 0 as relevant",
        "from-1": "treats grades from 1 on as relevant, and a fraction below as not relevant",
    }, {
        "judged": "treats every judged document as relevant, also those of grade 0",
        "nonzero": "treats negative grades as relevant",
    }),
    _question("cutoff", "Where does the list end?", _CUT, _always, {
        "k": "looks at the first k documents",
    }, {
        "ignored": "looks at the whole list instead of the first k documents",
        "one-fewer": "looks at the first k - 1 documents",
        "one-more": "looks at the first k + 1 documents",
    }),
    _question("gain", "What does a grade gain?", _GRADED, _several, {
        "linear": "gains the grade",
        "exponential": "gains 2^grade - 1",
    }, {"binary": "gains 1 for each relevant document, of a high grade or a low one"}),
    _question("fractions", "What is a grade such as 1.5?", _GRADED, _fractions, {
        "kept": "takes grades that are fractions as they are",
        "whole": "cuts grades to whole numbers",
    }),
    _question("negative", "What does a grade below 0 gain?", _GRADED, _negative, {
        "nothing": "gains nothing for a grade below 0",
        "subtracts": "lowers the sum for a grade below 0",
    }),
    _question("discount", "What is the gain at a rank divided by?", _GRADED, _always, {
        "log2": "divides by log2(rank + 1)",
        "from-rank-3": "divides by log2(rank) from rank 3 on, and by nothing before (Järvelin, Kekäläinen)",
    }, {"shifted": "divides by log2(rank + 2), one rank too far"}),
    _question("ideal", "What is the best list made of?", ("nDCG@k",), _always, {
        "judged": "takes the ideal from all judged documents, cut at k",
    }, {
        "retrieved": "takes the ideal from the retrieved documents, as ndcg_score of scikit-learn does given these "
        "alone",
        "top-k": "takes the ideal from the first k retrieved documents",
        "returned": "cuts the ideal at the length of the list that was returned",
        "uncut": "does not cut the ideal at k",
        "full": "takes an ideal of k documents of the best grade, also where fewer are",
    }),
    _question("divisor", "What is the sum of precisions divided by?", ("AP",), _always,
              {"R": "divides by the number of relevant documents"},
              {"found": "divides by the number of relevant documents found"}),
    _question("divisor", "What is the sum of precisions divided by?", ("AP@k",), _always, {
        "R": "divides by R, the number of relevant documents",
        "min": "divides by the smaller of R and k",
    }, {
        "found": "divides by the number of relevant documents found",
        "k": "divides by k",
    }),
    _question("divisor", "What are relevant documents divided by?", ("P@k",), _always,
              {"k": "divides by k"}, {"returned": "divides by the length of a list that is shorter than k"}),
    _question("divisor", "What are relevant documents divided by?", ("R@k",), _always, {
        "R": "divides by R, the number of relevant documents",
    }, {
        "min": "divides by the smaller of R and k, which is capped recall",
        "found": "divides by the relevant documents that the whole list has",
        "k": "divides by k, which is precision",
    }),
    _question("divisor", "What are the documents above a relevant one divided by?", ("Bpref",), _always, {
        "min": "divides by the smaller of R and N, as trec_eval does",
        "R": "divides by R, as in the paper of 2004",
    }),
    _question("skipped", "Which documents does it skip?", ("Bpref",), _negative, {
        "negative": "skips unjudged documents and those of negative grade",
        "unjudged": "skips unjudged documents, and counts those of negative grade as not relevant",
    }, {"nothing": "counts unjudged documents as not relevant"}),
    _question("first rank", "Which rank has the first document?", ("RR", "RR@k"), _always,
              {"1": "gives the first document rank 1"}, {"2": "gives the first document rank 2"}),
    _question("counted", "What does it count?", ("Success@k",), _always,
              {"topics": "counts 1 where any relevant document is found"},
              {"documents": "counts the relevant documents found"}),
)  # fmt: skip
"""All questions. A name may stand here several times, for different measures."""

_EXTRA: Final = {
    ("nDCG@k", "gain"): {
        "exponential-over-linear": "divides exponential gains by a linear ideal",
        "linear-over-exponential": "divides linear gains by an exponential ideal",
    },
    ("DCG@k", "discount"): {"natural": "divides by ln(rank + 1), the natural logarithm"},
    ("P@k", "relevance"): {"grades": "adds up grades instead of counting documents"},
}
"""Mistakes that can be seen in one measure only."""


@cache
def questions(measure: str) -> Mapping[str, OpenQuestion]:
    """Return the open questions of a measure by name, with all mistakes that can be made in it."""
    found = {}
    for question in CHOICE_QUESTIONS:
        if measure in question.measures:
            choices = question.choices + _mistakes(_EXTRA.get((measure, question.name), {}))
            found[question.name] = OpenQuestion(question.name, question.asks, (measure,), choices, question.matters)
    return found


def usual(measure: str) -> dict[str, str]:
    """Return the first choice of every question."""
    return {name: question.choices[0].name for name, question in questions(measure).items()}


def says(measure: str, question: str, choice: str) -> str:
    """Describe a choice."""
    return next(each.says for each in questions(measure)[question].choices if each.name == choice)


_TREC_9_C: Final = {"scores": "32", "relevance": "from-1", "fractions": "whole"}
_TREC_9: Final = _TREC_9_C | {"topics": "shared"}

_CONVENTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "cranfield": {},
    "trec_eval 9": _TREC_9,
    "trec_eval 9 -c": _TREC_9_C,
    "trec_eval 9 -c -J": _TREC_9_C | {"unjudged": "removed-below-0"},
    "trec_eval 10 -c": _TREC_9_C | {"scores": "64"},
    "BEIR": _TREC_9_C | {"own": "removed", "duplicates": "last"},
    "gdeval": _TREC_9 | {"scores": "64", "gain": "exponential", "no answer": "left-out"},
    "expected values under ties": {"ties": "averaged"},
}
"""By name, choices that are known together; a question that is not named has its usual choice."""


_MEASURES: Final = {"gdeval": ("nDCG@k",), "BEIR": ("nDCG@k", "AP@k", "P@k", "R@k")}
"""What a convention speaks of, where that is not every measure."""


def conventions(measure: str) -> tuple[str, ...]:
    """Name the conventions that speak of a measure."""
    return tuple(name for name in _CONVENTIONS if measure in _MEASURES.get(name, (measure,)))


def named(measure: str, convention: str) -> dict[str, str]:
    """Return the choices of a convention for a measure."""
    chosen = _CONVENTIONS[convention]
    return {question: chosen.get(question, choice) for question, choice in usual(measure).items()}
