"""``python -m benchmarks.in_memory``: runs that are in memory already, beside those who evaluate such runs.

`python -m benchmarks --only memory` puts its table into the page.

All contenders are called in one process, in turns whose order is drawn, with one thread: what is timed is a function
call, by the clock (*wall*) and by the processor (*CPU*). Each has its judgments ready, in its own
form, except where the row says so.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, TypeAlias

import click

import cranfield as cf
from benchmarks.sections import verdict

Nested: TypeAlias = dict[str, dict[str, Any]]

OURS: Final = ["RR@10", "nDCG@10", "R@1000"]
PYTREC_EVAL: Final = {"recip_rank", "ndcg_cut_10", "recall_1000"}
RANX: Final = ["mrr@10", "ndcg@10", "recall@1000"]


@dataclass
class Task:
    """One piece of work, and who does it how; a contender that is not installed has no function."""

    name: str
    rival: str
    times: float | None
    """How many times as long as ours the rival is meant to take, if anything was meant."""
    repeat: int
    calls: int = field(default=1, kw_only=True)
    """How often a contender calls before it is the next one's turn: of a loop, some of its rounds."""
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


def dicts(
    name: str, rival: str, times: float | None, repeat: int, qrels: Nested, run: Nested, *, calls: int = 1
) -> Task:
    """Score a dict of dicts; ranx makes its own objects of it first."""
    ours, theirs = cf.Evaluator(qrels, OURS), _pytrec_eval(qrels)
    contenders: dict[str, Callable[[], object] | None] = {
        "cranfield": lambda: ours(run),
        "pytrec_eval": lambda: theirs().evaluate(run),
        "ranx": None,
    }
    if ranx := _peer("ranx"):
        judged = ranx.Qrels(qrels)
        contenders["ranx"] = lambda: ranx.evaluate(judged, ranx.Run(run), RANX, make_comparable=True)
    return Task(name, rival, times, repeat, contenders, calls=calls)


def with_judgments(qrels: Nested, run: Nested) -> Task:
    """Score a dict of dicts, the judgments not ready."""
    import pytrec_eval

    return Task(
        f"dict of dicts, {len(run):,} × 1,000, judgments included",
        "pytrec_eval",
        None,
        3,
        {
            "cranfield": lambda: cf.evaluate(qrels, {"run": run}, OURS, workers=1),
            "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL).evaluate(run),
        },
    )


def frames(qrels: Nested, run: Nested) -> Task:
    """Score a DataFrame of pandas, for PyTerrier with its own names of the columns."""
    import ir_measures
    import pandas as pd

    def frame(nested: Nested, value: str) -> Any:
        rows = [(topic, document, v) for topic, inner in nested.items() for document, v in inner.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", value])

    judged, retrieved = frame(qrels, "relevance"), frame(run, "score")
    measures = [ir_measures.RR @ 10, ir_measures.nDCG @ 10, ir_measures.R @ 1000]
    contenders: dict[str, Callable[[], object] | None] = {
        "cranfield": lambda: cf.evaluate(judged, retrieved, OURS, workers=1),
        "ir_measures": lambda: ir_measures.calc_aggregate(measures, judged, retrieved),
        "PyTerrier": None,
    }
    if pt := _peer("pyterrier"):
        theirs = judged.set_axis(["qid", "docno", "label"], axis=1)
        results = retrieved.set_axis(["qid", "docno", "score"], axis=1)
        results["rank"] = results.groupby("qid", sort=False).cumcount()
        topics = theirs[["qid"]].drop_duplicates().assign(query="")
        contenders["PyTerrier"] = lambda: pt.Experiment([results], topics, theirs, measures)
    return Task(f"DataFrame of pandas, {len(run):,} × 1,000", "ir_measures", 10, 3, contenders)


def again(qrels: Nested, run: Nested) -> Task:
    """Score by the same judgments what is joined already."""
    joined = cf.join(qrels, {"run": run})
    task = Task(
        f"what is joined, scored again, {len(run):,} × 1,000",
        "ranx",
        100,
        5,
        {"cranfield": lambda: cf.join(joined).scores(OURS)},
    )
    task.contenders["ranx"] = None
    if ranx := _peer("ranx"):
        theirs, run_of_ranx = ranx.Qrels(qrels), ranx.Run(run)
        task.contenders["ranx"] = lambda: ranx.evaluate(theirs, run_of_ranx, RANX, make_comparable=True)
    return task


def _peer(module: str) -> Any:
    """Import a peer; None where it is not installed."""
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def _pytrec_eval(qrels: Nested) -> Callable[[], Any]:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL)
    return lambda: evaluator


def times(task: Task) -> dict[str, tuple[float, float]]:
    """Call all contenders in turns, once to warm up; seconds by the clock and of the processor, medians.

    The order of each turn is drawn: whoever always came behind a contender that fills the processor's cache would
    always find it without the run, and whoever came behind a third one always with it.
    """
    chance = random.Random(7)  # noqa: S311 - data, not secrets
    there = {name: call for name, call in task.contenders.items() if call is not None}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in there}
    for call in there.values():
        call()
    for _ in range(task.repeat):
        for name, call in chance.sample(list(there.items()), len(there)):
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(task.calls):
                call()
            taken = time.perf_counter() - wall, time.process_time() - cpu
            found[name].append((taken[0] / task.calls, taken[1] / task.calls))
    return {name: (median(w for w, _ in each), median(c for _, c in each)) for name, each in found.items()}


def tasks(*, tiny: bool = False) -> list[Task]:
    """Make all tasks; tiny ones say nothing about speed."""
    topics = 20 if tiny else 2_000
    turns, rounds = (3, 1) if tiny else (30, 10)
    qrels, run = collection(topics, 1_000, 50)
    some = {topic: run[topic] for topic in list(run)[: topics // 4]}
    return [
        dicts(f"dict of dicts, {topics:,} × 1,000", "pytrec_eval", 6, 5, qrels, run),
        dicts("the same, scores rounded: all tied", "pytrec_eval", None, 3, *collection(topics, 1_000, 50, decimals=1)),
        with_judgments(qrels, run),
        dicts(f"dict of dicts, {3 * topics:,} × 1,000, one judged", "pytrec_eval", None, 3,
              *collection(3 * topics, 1_000, 1)),
        dicts("in a loop, 5 × 10", "pytrec_eval", None, turns, *collection(5, 10, 10), calls=rounds),
        dicts("in a loop, 50 × 10", "pytrec_eval", 1, turns, *collection(50, 10, 10), calls=rounds),
        dicts("in a loop, 50 × 100", "pytrec_eval", 2, turns, *collection(50, 100, 50), calls=rounds),
        dicts("in a loop, 1,000 × 10", "pytrec_eval", 1.5, turns, *collection(1_000, 10, 10), calls=rounds),
        frames(qrels, some),
        again(qrels, run),
    ]  # fmt: skip


def table(given: list[Task]) -> str:
    """Call everybody, and write the table."""
    lines = ["| work | contender | time | CPU | ratio | ratio of CPU | goal | |", f"|---|---|{'--:|' * 5}---|"]
    for task in given:
        found = times(task)
        wall, cpu = found["cranfield"]
        for name in task.contenders:
            what = task.name if name == "cranfield" else ""
            if name not in found:
                lines.append(f"| {what} | {name} | not installed | | | | | |")
                continue
            ratio, of_cpu = found[name][0] / wall, found[name][1] / cpu
            asked = task.times if name == task.rival else None
            goal = "" if asked is None else f"{asked:g}"
            reached = "" if asked is None else verdict(of_cpu >= asked)
            taken = " | ".join(_milliseconds(seconds) for seconds in found[name])
            lines.append(f"| {what} | {name} | {taken} | {ratio:.2f} | {of_cpu:.2f} | {goal} | {reached} |")
    return "\n".join(lines) + "\n"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.{2 if seconds < 0.1 else 0}f} ms"


@click.command()
@click.option("--tiny", is_flag=True)
def main(*, tiny: bool) -> None:
    """Print the table."""
    click.echo(table(tasks(tiny=tiny)), nl=False)


if __name__ == "__main__":
    main()
