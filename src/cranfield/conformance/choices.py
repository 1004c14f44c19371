"""The questions that a measure leaves open, the choices that answer them, and what known tools choose.

A question is an entry of `QUESTIONS`, and a choice or a mistake an entry of its question; what each one computes is in
`definitions`. Everything else (the suite, its description, the verdicts) reads this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from cranfield.conformance.definitions import MEASURES, RunRows, SuiteCollection, narrowed


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
    matters: Callable[[SuiteCollection], bool] = lambda of: True
    """Whether two of the choices that are no mistakes could give different values on a case; it may say yes where they
    do not."""

    def right(self) -> tuple[str, ...]:
        """Name the choices that are no mistakes."""
        return tuple(choice.name for choice in self.choices if not choice.mistake)

    def wrong(self) -> tuple[str, ...]:
        """Name the mistakes."""
        return tuple(choice.name for choice in self.choices if choice.mistake)


_ALL: Final = tuple(MEASURES)
_GRADED: Final = ("nDCG@k", "DCG@k")
_BINARY: Final = tuple(name for name in _ALL if name not in _GRADED)
_CUT: Final = tuple(name for name in _ALL if name.endswith("@k"))


def _by_topic(run: RunRows) -> dict[str, list[tuple[str, float]]]:
    lists: dict[str, list[tuple[str, float]]] = {}
    for topic, document, score in run:
        lists.setdefault(topic, []).append((document, score))
    return lists


def _narrow(of: SuiteCollection) -> bool:
    lists = [[score for _, score in lines] for lines in _by_topic(of.run).values()]
    return any(len(set(scores)) != len(set(map(narrowed, scores))) for scores in lists)


def _twice(of: SuiteCollection) -> bool:
    return len({row[:2] for row in of.run}) < len(of.run)


def _tied(of: SuiteCollection) -> bool:
    """Whether scores are tied, or could be: a later line may replace a score, and missing documents may be appended."""
    lists = {topic: [narrowed(score) for _, score in lines] for topic, lines in _by_topic(of.run).items()}
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


def _excluded(of: SuiteCollection) -> bool:
    return bool(of.excluded)


QUESTIONS: Final = (
    OpenQuestion(
        "scores",
        "How precise are scores?",
        _ALL,
        (
            Alternative("64", "compares scores in 64 bits"),
            Alternative("32", "compares scores in 32 bits"),
            Alternative("positive", "drops documents with a score of 0 or less", mistake=True),
        ),
        _narrow,
    ),
    OpenQuestion(
        "ties",
        "How are documents of equal score ranked?",
        _ALL,
        (
            Alternative("last-id", "ranks ties by id, the last in byte order first"),
            Alternative("first-id", "ranks ties by id, the first in byte order first"),
            Alternative("as-given", "ranks ties in the order of the input"),
            Alternative("last-given", "ranks ties in the reverse order of the input"),
            Alternative("averaged", "averages over all orders of ties"),
            Alternative("file", "ranks by the order of the input and ignores scores"),
            Alternative("favours-relevant", "ranks the relevant documents among ties first", mistake=True),
            Alternative("last-number", "compares ids as numbers in ties, the largest first", mistake=True),
            Alternative("first-number", "compares ids as numbers in ties, the smallest first", mistake=True),
            Alternative("ascending", "ranks low scores first, as if they were distances", mistake=True),
        ),
        _tied,
    ),
    OpenQuestion(
        "duplicates",
        "What if a list has a document twice?",
        _ALL,
        (
            Alternative("refused", "refuses a list that has a document twice"),
            Alternative("first", "counts the first line of a document that a list has twice"),
            Alternative("last", "lets a later line of a document replace its score"),
            Alternative("twice", "counts a document as often as a list has it", mistake=True),
        ),
        _twice,
    ),
    OpenQuestion(
        "own",
        "What if the topic's own document is retrieved?",
        _ALL,
        (
            Alternative("kept", "keeps a document that has the id of the topic"),
            Alternative("removed", "removes a document that has the id of the topic"),
        ),
        _own,
    ),
    OpenQuestion(
        "excluded",
        "What if a document that is excluded for the topic is retrieved?",
        _ALL,
        (
            Alternative("removed", "removes excluded documents, and keeps their judgments"),
            Alternative("residual", "removes excluded documents and their judgments (a residual collection)"),
            Alternative("ranked", "ranks documents that are excluded", mistake=True),
        ),
        _excluded,
    ),
    OpenQuestion(
        "list",
        "What is ranked?",
        _ALL,
        (
            Alternative("retrieved", "ranks what was retrieved"),
            Alternative("appended", "ranks judged documents that were not retrieved behind the list", mistake=True),
        ),
    ),
    OpenQuestion(
        "unjudged",
        "What is an unjudged document?",
        _ALL,
        (
            Alternative("kept", "treats unjudged documents as not relevant"),
            Alternative("removed", "removes unjudged documents before it ranks (a condensed list)"),
            Alternative(
                "removed-below-0",
                "removes unjudged documents and those of negative grade before it ranks, as trec_eval does with -J",
            ),
        ),
        lambda of: _unjudged(of) or _negative(of),
    ),
    OpenQuestion(
        "topics",
        "Which topics are averaged over?",
        _ALL,
        (
            Alternative("all", "averages over all judged topics; one that the run lacks counts 0"),
            Alternative("shared", "averages over the judged topics that the run has"),
            Alternative("run", "averages over the topics of the run, judged or not", mistake=True),
            Alternative("found", "leaves topics of value 0 out of the mean", mistake=True),
        ),
        _absent,
    ),
    OpenQuestion(
        "no answer",
        "What does a topic without a relevant document count?",
        _ALL,
        (
            Alternative("0", "counts 0 for a topic without a relevant document"),
            Alternative("left-out", "leaves topics without a relevant document out of the mean"),
            Alternative("1", "counts 1 for a topic without a relevant document", mistake=True),
        ),
        _unanswered,
    ),
    OpenQuestion(
        "relevance",
        "Which documents are relevant?",
        _BINARY,
        (
            Alternative("above-0", "treats every grade above 0 as relevant"),
            Alternative("from-1", "treats grades from 1 on as relevant, and a fraction below as not relevant"),
            Alternative("judged", "treats every judged document as relevant, also those of grade 0", mistake=True),
            Alternative("nonzero", "treats negative grades as relevant", mistake=True),
        ),
        _fractions,
    ),
    OpenQuestion(
        "cutoff",
        "Where does the list end?",
        _CUT,
        (
            Alternative("k", "looks at the first k documents"),
            Alternative("ignored", "looks at the whole list instead of the first k documents", mistake=True),
            Alternative("one-fewer", "looks at the first k - 1 documents", mistake=True),
            Alternative("one-more", "looks at the first k + 1 documents", mistake=True),
        ),
    ),
    OpenQuestion(
        "gain",
        "What does a grade gain?",
        _GRADED,
        (
            Alternative("linear", "gains the grade"),
            Alternative("exponential", "gains 2^grade - 1"),
            Alternative("binary", "gains 1 for each relevant document, of a high grade or a low one", mistake=True),
        ),
        _several,
    ),
    OpenQuestion(
        "fractions",
        "What is a grade such as 1.5?",
        _GRADED,
        (
            Alternative("kept", "takes grades that are fractions as they are"),
            Alternative("whole", "cuts grades to whole numbers"),
        ),
        _fractions,
    ),
    OpenQuestion(
        "negative",
        "What does a grade below 0 gain?",
        _GRADED,
        (
            Alternative("nothing", "gains nothing for a grade below 0"),
            Alternative("subtracts", "lowers the sum for a grade below 0"),
        ),
        _negative,
    ),
    OpenQuestion(
        "discount",
        "What is the gain at a rank divided by?",
        _GRADED,
        (
            Alternative("log2", "divides by log2(rank + 1)"),
            Alternative(
                "from-rank-3", "divides by log2(rank) from rank 3 on, and by nothing before (Järvelin, Kekäläinen)"
            ),
            Alternative("shifted", "divides by log2(rank + 2), one rank too far", mistake=True),
        ),
    ),
    OpenQuestion(
        "ideal",
        "What is the best list made of?",
        ("nDCG@k",),
        (
            Alternative("judged", "takes the ideal from all judged documents, cut at k"),
            Alternative(
                "retrieved",
                "takes the ideal from the retrieved documents, as ndcg_score of scikit-learn does given these alone",
                mistake=True,
            ),
            Alternative("top-k", "takes the ideal from the first k retrieved documents", mistake=True),
            Alternative("returned", "cuts the ideal at the length of the list that was returned", mistake=True),
            Alternative("uncut", "does not cut the ideal at k", mistake=True),
            Alternative("full", "takes an ideal of k documents of the best grade, also where fewer are", mistake=True),
        ),
    ),
    OpenQuestion(
        "divisor",
        "What is the sum of precisions divided by?",
        ("AP",),
        (
            Alternative("R", "divides by the number of relevant documents"),
            Alternative("found", "divides by the number of relevant documents found", mistake=True),
        ),
    ),
    OpenQuestion(
        "divisor",
        "What is the sum of precisions divided by?",
        ("AP@k",),
        (
            Alternative("R", "divides by R, the number of relevant documents"),
            Alternative("min", "divides by the smaller of R and k"),
            Alternative("found", "divides by the number of relevant documents found", mistake=True),
            Alternative("k", "divides by k", mistake=True),
        ),
    ),
    OpenQuestion(
        "divisor",
        "What are relevant documents divided by?",
        ("P@k",),
        (
            Alternative("k", "divides by k"),
            Alternative("returned", "divides by the length of a list that is shorter than k", mistake=True),
        ),
    ),
    OpenQuestion(
        "divisor",
        "What are relevant documents divided by?",
        ("R@k",),
        (
            Alternative("R", "divides by R, the number of relevant documents"),
            Alternative("min", "divides by the smaller of R and k, which is capped recall", mistake=True),
            Alternative("found", "divides by the relevant documents that the whole list has", mistake=True),
            Alternative("k", "divides by k, which is precision", mistake=True),
        ),
    ),
    OpenQuestion(
        "divisor",
        "What are the documents above a relevant one divided by?",
        ("Bpref",),
        (
            Alternative("min", "divides by the smaller of R and N, as trec_eval does"),
            Alternative("R", "divides by R, as in the paper of 2004"),
        ),
    ),
    OpenQuestion(
        "skipped",
        "Which documents does it skip?",
        ("Bpref",),
        (
            Alternative("negative", "skips unjudged documents and those of negative grade"),
            Alternative("unjudged", "skips unjudged documents, and counts those of negative grade as not relevant"),
            Alternative("nothing", "counts unjudged documents as not relevant", mistake=True),
        ),
        _negative,
    ),
    OpenQuestion(
        "first rank",
        "Which rank has the first document?",
        ("RR", "RR@k"),
        (
            Alternative("1", "gives the first document rank 1"),
            Alternative("2", "gives the first document rank 2", mistake=True),
        ),
    ),
    OpenQuestion(
        "counted",
        "What does it count?",
        ("Success@k",),
        (
            Alternative("topics", "counts 1 where any relevant document is found"),
            Alternative("documents", "counts the relevant documents found", mistake=True),
        ),
    ),
)
"""All questions. A name may stand here several times, for different measures."""

_EXTRA: Final = {
    ("nDCG@k", "gain"): (
        Alternative("exponential-over-linear", "divides exponential gains by a linear ideal", mistake=True),
        Alternative("linear-over-exponential", "divides linear gains by an exponential ideal", mistake=True),
    ),
    ("DCG@k", "discount"): (Alternative("natural", "divides by ln(rank + 1), the natural logarithm", mistake=True),),
    ("P@k", "relevance"): (Alternative("grades", "adds up grades instead of counting documents", mistake=True),),
}
"""Mistakes that can be seen in one measure only."""


@cache
def questions(measure: str) -> Mapping[str, OpenQuestion]:
    """Return the questions of a measure by their names, with all that can go wrong in it.

    >>> questions("AP")["divisor"].wrong()
    ('found',)
    """
    found = {}
    for question in QUESTIONS:
        if measure in question.measures:
            choices = question.choices + _EXTRA.get((measure, question.name), ())
            found[question.name] = OpenQuestion(question.name, question.asks, (measure,), choices, question.matters)
    return found


def usual(measure: str) -> dict[str, str]:
    """Return the first choice of every question.

    >>> usual("RR")["ties"]
    'last-id'
    """
    return {name: question.choices[0].name for name, question in questions(measure).items()}


def says(measure: str, question: str, choice: str) -> str:
    """Say what a choice does.

    >>> says("P@k", "divisor", "k")
    'divides by k'
    """
    return next(each.says for each in questions(measure)[question].choices if each.name == choice)


_TREC_9: Final = {
    "scores": "32",
    "ties": "last-id",
    "duplicates": "refused",
    "own": "kept",
    "unjudged": "kept",
    "topics": "shared",
    "no answer": "0",
    "relevance": "from-1",
    "gain": "linear",
    "fractions": "whole",
    "negative": "nothing",
    "discount": "log2",
}
_TREC_9_C: Final = _TREC_9 | {"topics": "all"}

CONVENTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "cranfield": _TREC_9_C | {"scores": "64", "relevance": "above-0", "fractions": "kept"},
    "trec_eval 9": _TREC_9,
    "trec_eval 9 -c": _TREC_9_C,
    "trec_eval 9 -c -J": _TREC_9_C | {"unjudged": "removed-below-0"},
    "trec_eval 10 -c": _TREC_9_C | {"scores": "64"},
    "BEIR": _TREC_9_C | {"own": "removed", "duplicates": "last"},
    "gdeval": _TREC_9 | {"scores": "64", "gain": "exponential", "no answer": "left-out"},
    "expected values under ties": _TREC_9_C
    | {"scores": "64", "ties": "averaged", "relevance": "above-0", "fractions": "kept"},
}
"""By name, choices that are known together; a question that is not named has its usual choice."""


_MEASURES: Final = {"gdeval": ("nDCG@k",), "BEIR": ("nDCG@k", "AP@k", "P@k", "R@k")}
"""What a convention speaks of, where that is not every measure."""


def conventions(measure: str) -> tuple[str, ...]:
    """Name the conventions that speak of a measure.

    >>> "gdeval" in conventions("nDCG@k"), "gdeval" in conventions("AP")
    (True, False)
    """
    return tuple(name for name in CONVENTIONS if measure in _MEASURES.get(name, (measure,)))


def named(measure: str, convention: str) -> dict[str, str]:
    """Return what a convention chooses for a measure.

    >>> named("AP", "trec_eval 9")["topics"]
    'shared'
    """
    chosen = CONVENTIONS[convention]
    return {question: chosen.get(question, choice) for question, choice in usual(measure).items()}
