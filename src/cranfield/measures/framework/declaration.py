"""What a measure declares, as data: for whoever lists, describes or looks for measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from cranfield.measures.framework.bounds import EVERY
from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.parameters import Parameter

Data: TypeAlias = str | float | bool | list["Data"] | dict[str, "Data"] | None
"""What JSON can hold."""


def declaration(measure: type[Measure]) -> dict[str, Data]:
    """Return everything that a measure declares.

    >>> found = declaration(REGISTRY["RBP"])
    >>> found["name"], found["range"], [parameter["name"] for parameter in found["parameters"]][:2]
    ('RBP', [0.0, 1.0], ['cutoff', ...])
    """
    page = measure.documentation()
    return {
        "name": measure.__name__,
        "family": family_of(measure),
        "question": page.question,
        "formula": page.formula,
        "notes": list(page.notes),
        "example": example_of(measure),
        "aliases": list(measure.aliases),
        "looked_for": list(measure.looked_for),
        "trec_eval": trec_names_of(measure),
        "range": list(measure.range),
        "averaged_by": measure.summary,
        "graded": measure.graded,
        "uses_recall_base": measure.uses_recall_base,
        "bounds": bounds_of(measure),
        "higher_is_better": measure.higher_is_better,
        "needs": measure.at if measure.at_required else None,
        "text": measure.text,
        "parameters": [_parameter(name, parameter) for name, parameter in measure.parameters.items()],
        "paper": page.paper,
        "worked_examples": list(page.examples),
    }


def family_of(measure: type[Measure]) -> str:
    """Name the family of a measure, which is the file that it is declared in."""
    return measure.__module__.rpartition(".")[2].replace("_", " ")


def example_of(measure: type[Measure]) -> str:
    """Write the measure with a usual cutoff: Success@5."""
    return measure.__name__ + (f"@{measure.at_typical[1]:g}" if measure.at_required else "")


def bounds_of(measure: type[Measure]) -> str:
    """Say what is sure about the bounds of a measure: see `BOUND_KINDS` for the words."""
    tried = f"tried; exact up to {EVERY} candidates a topic"
    if measure.text:
        return "none"
    if measure.bounds_are:
        return measure.bounds_are
    if measure.rises_with_grades:
        return "exact; of a difference, an enclosure"
    if not measure.rewards_promotion:
        return "tried"
    return f"{tried}, if the largest grade is 1" if measure.graded else tried


def trec_names_of(measure: type[Measure]) -> list[Data]:
    """Return trec_eval's names for a measure, as it is and with a number: P_{cutoff}."""
    return [name for name in (measure.trec, (measure.trec_at or "").replace("{at", "{" + measure.at)) if name]


def search(words: str) -> list[type[Measure]]:
    """Find the measures that have all these words in their names, question or paper, those called so first."""
    wanted, found = words.casefold().split(), []
    for measure in REGISTRY.values():
        page = measure.documentation()
        searched = "\n".join((*_called(measure), page.question, page.paper)).casefold()
        found += [measure] * all(word in searched for word in wanted)
    called = {measure for measure in found if words.strip().casefold() in map(str.casefold, _called(measure))}
    return sorted(found, key=lambda measure: measure not in called)


def _called(measure: type[Measure]) -> tuple[str, ...]:
    return (measure.__name__, *measure.aliases, *measure.looked_for, *map(str, trec_names_of(measure)))


def _parameter(name: str, parameter: Parameter) -> dict[str, Data]:
    limits = {each: getattr(parameter.limits, each) for each in ("above", "at_least", "below", "at_most")}
    choices, default = list(parameter.choices or ()), parameter.default
    return {
        "name": name,
        "meaning": parameter.meaning,
        "values": parameter.range,
        "default": default if isinstance(default, bool | int | float | str | None) else str(default),
        **({"choices": choices} if choices else {}),
        **{each: limit for each, limit in limits.items() if limit is not None},
    }


EVERYDAY: Final = (
    "AP", "nDCG@10", "P@10", "R@1000", "RR@10", "Rprec", "Success@5", "Bpref", "ERR@20", "RBP(p=0.8)",
    "gmAP", "DCG@10", "F@10", "SetP", "SetR", "SetF", "infAP", "Q", "Judged@10", "NumRelRet",
)  # fmt: skip
"""The twenty most used measures, with their usual cutoffs."""

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
"""The heading of families that answer none of these questions: texts, and your own measures."""


def by_question() -> Iterator[tuple[str, list[tuple[str, list[type[Measure]]]]]]:
    """Give all measures, question by question and family by family."""
    left: dict[str, list[type[Measure]]] = {}
    for measure in REGISTRY.values():
        left.setdefault(family_of(measure), []).append(measure)
    for question, families in QUESTIONS.items():
        yield question, [(family, left.pop(family)) for family in families if family in left]
    if left:
        yield OTHERS, sorted(left.items())
