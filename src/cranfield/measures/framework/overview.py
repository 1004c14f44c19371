"""All measures at a glance: the twenty most used, and the families by the question they answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cranfield.measures.framework.declaration import family_of
from cranfield.measures.framework.measure import REGISTRY, Measure

EVERYDAY: Final = (
    "AP", "nDCG@10", "P@10", "R@1000", "RR@10", "Rprec", "Success@5", "Bpref", "ERR@20", "RBP(p=0.8)",
    "gmAP", "DCG@10", "F@10", "SetP", "SetR", "SetF", "infAP", "Q", "Judged@10", "NumRelRet",
)  # fmt: skip
"""The twenty most used measures, as they are mostly asked for."""

QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "How good is the top of the list?": (
        "precision recall", "cumulated gain", "user models", "adaptive user models", "normalised user models",
    ),
    "How well is the whole list ordered?": (
        "average precision", "graded precision", "blended ratio", "interpolated precision", "cumulated gain variants",
        "overlap", "search length",
    ),
    "How good is the set, whatever its order?": ("sets", "counts"),
    "What if many documents are unjudged?": ("judged share", "preference", "sampled pools"),
    "What do misplaced documents cost the user?": (
        "effort", "effort by clock", "relative position", "loss and recovery", "gain by rank",
    ),
    "Should the list have ended, or stayed empty?": ("terminal documents", "utility", "information"),
    "Do documents cover all parts of a topic, or repeat each other?": ("subtopics",),
    "Does the system order documents as people do?": ("collection order", "sliding ratio", "relative relevance"),
}  # fmt: skip
"""The families that answer each question, the most used first."""

OTHERS: Final = "What else is there?"
"""What stands over families that answer none of these: texts, and measures of one's own."""


def by_question() -> Iterator[tuple[str, list[tuple[str, list[type[Measure]]]]]]:
    """Give all measures, question by question and family by family.

    >>> [(question, [family for family, _ in families]) for question, families in by_question()][2]
    ('How good is the set, whatever its order?', ['sets', 'counts'])
    """
    left: dict[str, list[type[Measure]]] = {}
    for measure in REGISTRY.values():
        left.setdefault(family_of(measure), []).append(measure)
    for question, families in QUESTIONS.items():
        yield question, [(family, left.pop(family)) for family in families if family in left]
    if left:
        yield OTHERS, sorted(left.items())
