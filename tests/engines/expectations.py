"""What is expected of every engine: the values, the averages and the audit that `evaluate` finds in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.judged.audit import Audit
from cranfield.measures import REGISTRY

Conditions: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Judgments and runs as tables, what they are scored by, and under which conditions."""

    qrels: pl.DataFrame
    runs: dict[str, pl.DataFrame]
    measures: tuple[str, ...]
    conditions: Conditions = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """What an engine gives: the long table by topic, the long table of averages, the audit."""

    per_topic: pl.DataFrame
    means: pl.DataFrame
    audit: Audit


Engine: TypeAlias = Callable[[Case], Found]

EVERYTHING: Final = tuple(
    str(measure() @ measure.at_typical[0] if measure.at_required else measure())
    for measure in REGISTRY.values()
    if measure.__module__.startswith("cranfield.") and not measure.text and not measure.by_subtopic
)
SOME: Final = ("AP", "nDCG@10", "RBP(p=0.8)", "Bpref", "NumRel", "Twist", "gmAP")
BOUNDED: Final = ("AP", "nDCG@10", "RBP(p=0.8)", "P@5", "Bpref", "Q", "Twist", "SlidingRatio@5", "NDCGT")


def made(seed: int, *, topics: int = 30, most: int = 40, grades: tuple[float, ...] = (-1, 0, 0, 1, 2)) -> Case:
    """Make lists with ties, runs that lack topics and have others, and documents that nobody judged."""
    random = np.random.default_rng(seed)
    names = [f"t{number}" for number in random.permutation(topics)]
    judged = [
        (topic, f"d{document}", float(random.choice(grades)))
        for topic in names
        for document in random.choice(60, random.integers(1, 20), replace=False)
    ]
    runs = {}
    for name in ("one", "two", "three"):
        rows = [
            (topic, f"d{document}", float(random.integers(0, 12)) + random.choice([0.0, 1e-9]), rank)
            for topic in [*names, "extra", "more"]
            if random.random() < 0.9
            for rank, document in enumerate(random.choice(60, random.integers(1, most), replace=False), start=1)
        ]
        table = pl.DataFrame(rows, ["query_id", "doc_id", "score", "rank"], orient="row")
        runs[name] = table.sample(fraction=1, shuffle=True, seed=seed)
    qrels = pl.DataFrame(judged, ["query_id", "doc_id", "relevance"], orient="row")
    return Case(qrels, runs, SOME)


def skewed() -> Case:
    """One topic has nearly all rows; the others have a document each."""
    topics = [*["big"] * 2000, *(f"t{number}" for number in range(120))]
    documents = [f"d{number}" for number in [*range(2000), *range(120)]]
    scores = np.random.default_rng(9).random(2120)
    run = pl.DataFrame({"query_id": topics, "doc_id": documents, "score": scores})
    qrels = run.select("query_id", "doc_id", relevance=pl.int_range(pl.len()) % 3).filter(
        pl.int_range(pl.len()) % 7 < 4
    )
    return Case(qrels, {"run": run}, SOME)


def one_topic() -> Case:
    """All rows are of one topic: but one, all partitions are empty."""
    run = pl.DataFrame({"query_id": ["1"] * 3, "doc_id": list("abc"), "score": [1.0, 2.0, 2.0]})
    return Case(pl.DataFrame({"query_id": ["1"], "doc_id": ["b"], "relevance": [1]}), {"run": run}, SOME)


GONE: Final = {f"t{topic}": [f"d{document}" for document in range(topic, topic + 9)] for topic in range(9)}

CASES: Final[dict[str, Case]] = {
    "every measure": replace(made(1), measures=EVERYTHING),
    "bounds": replace(made(2, topics=10), measures=BOUNDED, conditions={"bounds": True}),
    "bounds of the first ranks": replace(made(3, topics=12), measures=BOUNDED, conditions={"bounds": True, "depth": 6}),
    "shared topics": replace(made(4), conditions={"topics": "shared", "depth": 7}),
    "empty lists, scores in 32 bits": replace(made(5), conditions={"missing": "empty", "order": "trec9"}),
    "by rank": replace(made(6), conditions={"order": "rank"}),
    "judged documents, from grade 2": replace(made(7), conditions={"judged_only": True, "rel": 2}),
    "grades that are no whole numbers": replace(made(8, grades=(0, 0.5, 1.5)), measures=EVERYTHING),
    "geometric means": replace(made(9), measures=("AP", "gmAP", "NumRel"), conditions={"average": "geometric"}),
    "excluded documents": replace(made(10, topics=12), measures=BOUNDED, conditions={"bounds": True, "exclude": GONE}),
    "skewed": skewed(),
    "one topic": one_topic(),
    "lists of one document": made(10, topics=200, most=2),
}


def locally(case: Case) -> Found:
    """Score a case in memory, as it is usually done."""
    scores = cf.evaluate(case.qrels, case.runs, case.measures, **case.conditions)
    return Found(scores.per_topic, scores.means, scores.audit)


def expect_the_same(case: Case, engine: Engine) -> None:
    """Hold what an engine finds against what is found in memory: values to the last bit, averages but for rounding."""
    expected, found = locally(case), engine(case)
    by = ("run", "topic", "measure")
    assert found.per_topic.sort(by).equals(expected.per_topic.sort(by))
    ours, theirs = found.means.sort("run", "measure"), expected.means.sort("run", "measure")
    assert ours.drop("value", "low", "high", strict=False).equals(theirs.drop("value", "low", "high", strict=False))
    for column in {"value", "low", "high"} & set(theirs.columns):
        assert ours[column].to_list() == pytest.approx(theirs[column].to_list(), rel=1e-13, abs=1e-15)
    assert by_id(found.audit) == by_id(expected.audit)


def by_id(audit: Audit) -> Audit:
    """Bring an audit's runs and topics into an order that no engine has a say in.

    Only that of memory looks at first rows, and at what other levels of relevance would turn round.
    """
    runs = [
        replace(
            run,
            missing=tuple(sorted(run.missing)),
            extra=tuple(sorted(run.extra)),
            empty=tuple(sorted(run.empty)),
        )
        for run in audit.runs
    ]
    return replace(
        audit,
        runs=tuple(sorted(runs, key=lambda run: run.run)),
        without_relevant=tuple(sorted(audit.without_relevant)),
        further=(),
        ranks=True,
        turned=(),
    )
