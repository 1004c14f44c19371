"""Make the collections, and write down what ranx computes of them: ``python make_ranx.py > ranx.json``.

It needs an environment of its own with ranx 0.3.21, which brings numba along.
"""

from __future__ import annotations

import json
import math
import random
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

GRADES = {"binary": (0, 0, 1), "graded": (0, 0, 1, 2, 3), "negative": (-1, 0, 0, 1, 2)}
AT = ("hits@3", "hit_rate@3", "precision@5", "recall@5", "f1@5", "map@5", "mrr@5", "ndcg@5", "dcg@5")
WHOLE = ("recall", "r-precision", "bpref", "map", "mrr", "ndcg", "rbp.80", "ndcg_burges@5", "dcg_burges@5")
NAMES = (*AT, *WHOLE, *(f"{name}-l2" for name in (*AT, *WHOLE)))


def made(seed: int, grades: tuple[int, ...]) -> dict[str, Any]:
    """Make up six topics: in topic 5 nothing was judged not relevant, and in topic 6 nothing is relevant."""
    chance = random.Random(seed)  # noqa: S311
    documents = [f"d{i:02d}" for i in range(24)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in "123456":
        judged = chance.sample(documents, 12)
        qrels[topic] = {document: chance.choice(grades) for document in judged}
        qrels[topic] |= {judged[0]: max(grades), judged[1]: 0, judged[2]: 1}
        if topic == "5":
            qrels[topic] = {document: max(grade, 1) for document, grade in qrels[topic].items()}
        if topic == "6":
            qrels[topic] = {document: min(grade, 0) for document, grade in qrels[topic].items()}
        listed = sorted({*judged[:3], *chance.sample(documents, chance.randint(6, 15))})
        run[topic] = {d: round(max(qrels[topic].get(d, 0), 0) + 4 * chance.random(), 6) for d in listed}
    return {"qrels": qrels, "run": run}


def main() -> None:
    """Write everything as JSON; a value that is no number is null."""
    ranx = import_module("ranx")
    collections = {name: made(seed, grades) for seed, (name, grades) in enumerate(GRADES.items())}
    for each in collections.values():
        qrels, run = ranx.Qrels(each["qrels"]), ranx.Run(each["run"])
        each["values"] = {}
        for name in NAMES:
            found = ranx.evaluate(qrels, run, name, return_mean=False).tolist()
            shown = [None if math.isnan(value) else round(value, 9) for value in found]
            each["values"][name] = dict(zip(sorted(each["qrels"]), shown, strict=True))
    json.dump({"ranx": version("ranx"), "collections": collections}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
