"""``python -m benchmarks.in_memory``: runs that are in memory already, beside those who evaluate such runs.

All contenders are called in one process, in turns, with one thread: what is timed is a function
call, by the clock (*wall*) and by the processor (*CPU*). Each has its judgments ready, in its own
form, except where the row says so.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, TypeAlias

import click

import cranfield as cf

Nested: TypeAlias = dict[str, dict[str, Any]]

OURS: Final = ["RR@10", "nDCG@10", "R@1000"]
PYTREC_EVAL: Final = {"recip_rank", "ndcg_cut_10", "recall_1000"}
RANX: Final = ["mrr@10", "ndcg@10", "recall@1000"]


@dataclass
class Task:
    """One piece of work, and who does it how; a contender that is not installed has no function."""

    name: str
    goal: str
    repeat: int
    contenders: dict[str, Callable[[], object] | None] = field(default_factory=dict)


def collection(topics: int, depth: int, judged: int, *, decimals: int | None = None) -> tuple[Nested, Nested]:
    """Make judgments and one run; three in five judged documents are retrieved, rounded scores are tied."""
    chance = random.Random(7)  # noqa: S311 - data, not secrets
    qrels: Nested = {}
    run: Nested = {}
    for topic in map(str, range(1000, 1000 + topics)):
        documents = list(dict.fromkeys(f"doc{chance.randrange(8_000_000)}" for _ in range(depth)))
        scores = sorted((30 * chance.random() for _ in documents), reverse=True)
        scores = scores if decimals is None else [round(score, decimals) for score in scores]
        run[topic] = dict(zip(documents, scores, strict=True))
        retrieved = chance.sample(documents, max(1, 3 * judged // 5))
        others = [f"doc{chance.randrange(8_000_000)}" for _ in range(judged - len(retrieved))]
        qrels[topic] = {document: chance.randrange(3) for document in retrieved + others} | {retrieved[0]: 1}
    return qrels, run


def dicts(name: str, goal: str, repeat: int, qrels: Nested, run: Nested) -> Task:
    """Score a dict of dicts."""
    ours, theirs = cf.Evaluator(qrels, OURS), _pytrec_eval(qrels)
    return Task(name, goal, repeat, {"cranfield": lambda: ours(run), "pytrec_eval": lambda: theirs().evaluate(run)})


def with_judgments(qrels: Nested, run: Nested) -> Task:
    """Score a dict of dicts, the judgments not ready."""
    import pytrec_eval

    return Task(
        "dict of dicts, 2,000 × 1,000, judgments included",
        "",
        5,
        {
            "cranfield": lambda: cf.evaluate(qrels, {"run": run}, OURS, workers=1),
            "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL).evaluate(run),
        },
    )


def frames(qrels: Nested, run: Nested) -> Task:
    """Score a DataFrame of pandas."""
    import ir_measures
    import pandas as pd

    def frame(nested: Nested, value: str) -> Any:
        rows = [(topic, document, v) for topic, inner in nested.items() for document, v in inner.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", value])

    judged, retrieved = frame(qrels, "relevance"), frame(run, "score")
    measures = [ir_measures.RR @ 10, ir_measures.nDCG @ 10, ir_measures.R @ 1000]
    return Task(
        "DataFrame of pandas, 2,000 × 1,000",
        "ir_measures at least 10 times",
        3,
        {
            "cranfield": lambda: cf.evaluate(judged, retrieved, OURS, workers=1),
            "ir_measures": lambda: ir_measures.calc_aggregate(measures, judged, retrieved),
        },
    )


def again(qrels: Nested, run: Nested) -> Task:
    """Score by the same judgments what is joined already."""
    joined = cf.join(qrels, {"run": run})
    task = Task(
        "what is joined, scored again, 2,000 × 1,000",
        "ranx at least 100 times",
        5,
        {"cranfield": lambda: cf.join(joined).scores(OURS)},
    )
    try:
        import ranx
    except ImportError:
        return Task(task.name, task.goal, task.repeat, {**task.contenders, "ranx": None})
    theirs, run_of_ranx = ranx.Qrels(qrels), ranx.Run(run)
    task.contenders["ranx"] = lambda: ranx.evaluate(theirs, run_of_ranx, RANX, make_comparable=True)
    return task


def _pytrec_eval(qrels: Nested) -> Callable[[], Any]:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL)
    return lambda: evaluator


def times(task: Task) -> dict[str, tuple[float, float]]:
    """Call all contenders in turns, once to warm up; seconds by the clock and of the processor, medians."""
    there = {name: call for name, call in task.contenders.items() if call is not None}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in there}
    for call in there.values():
        call()
    for _ in range(task.repeat):
        for name, call in there.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            found[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {name: (median(w for w, _ in each), median(c for _, c in each)) for name, each in found.items()}


@click.command()
def main() -> None:
    """Print the table."""
    qrels, run = collection(2_000, 1_000, 50)
    tasks = [
        dicts("dict of dicts, 2,000 × 1,000", "half of pytrec_eval's", 5, qrels, run),
        dicts("the same, scores rounded: all tied", "", 5, *collection(2_000, 1_000, 50, decimals=1)),
        with_judgments(qrels, run),
        dicts("dict of dicts, 7,000 × 1,000, one judged", "half of pytrec_eval's", 3, *collection(7_000, 1_000, 1)),
        dicts("in a training loop, 50 × 10", "at most 6 times pytrec_eval's", 500, *collection(50, 10, 10)),
        dicts("in a training loop, 50 × 100", "at most pytrec_eval's", 500, *collection(50, 100, 50)),
        frames(qrels, run),
        again(qrels, run),
    ]
    click.echo("| work | goal | contender | wall | CPU | ratio of wall | of CPU |\n|---|---|---|--:|--:|--:|--:|")
    for task in tasks:
        found = times(task)
        first = found["cranfield"]
        for name in task.contenders:
            start = f"| {task.name} | {task.goal} | {name} |" if name == "cranfield" else f"| | | {name} |"
            if name not in found:
                click.echo(f"{start} not installed | | | |")
                continue
            wall, cpu = found[name]
            click.echo(
                f"{start} {1e3 * wall:,.2f} ms | {1e3 * cpu:,.2f} ms | {wall / first[0]:.2f} | {cpu / first[1]:.2f} |"
            )


if __name__ == "__main__":
    main()
