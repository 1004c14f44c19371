"""``python -m benchmarks.stages``: where the time of the reference work goes, stage by stage, in one thread."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.process import ROOT
from benchmarks.workloads import REFERENCE, make

MEASURES = ["AP", "nDCG@10", "Bpref", "RBP(p=0.8)"]


def main() -> None:
    """Time each stage, one run after the other, and print its share."""
    os.environ["POLARS_MAX_THREADS"] = "1"
    files = make(REFERENCE)
    spent: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        spent[name] += time.process_time() - began

    with stage("start: importing numpy and polars"):
        import numpy  # noqa: F401
        import polars as pl
    with stage("start: importing cranfield"):
        from cranfield.formats import read_qrels, read_runs
        from cranfield.judged.joining import Rows, rank
        from cranfield.judged.judgments import Judgments
        from cranfield.judged.rankings import JudgedRankings
        from cranfield.measures.framework.names import parse_measures
        from cranfield.scoring.blocks import score
        from cranfield.scoring.engines.local import rank_source
        from cranfield.scoring.judged_runs import open_qrels
    measures = parse_measures(MEASURES)
    with stage("qrels: reading and indexing"):
        judgments = Judgments(read_qrels(ROOT / files.qrels))
        _ = judgments.index
    with stage("qrels: reading and indexing, by the native road"):
        natively = open_qrels(ROOT / files.qrels)
        _ = natively.native_index

    columns = ["topic", "Q0", "doc", "rank", "score", "tag"]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in columns}
    ranked = []
    for source in read_runs([ROOT / run for run in files.runs]).sources:
        with stage("runs: polars' CSV reader alone"):
            text = pl.scan_csv(source.path, separator=" ", has_header=False, quote_char=None, schema=schema)  # type: ignore[arg-type]
            text.select("topic", "doc", "score").collect()
        with stage("runs: reading, with all checks"):
            source.read()
        with stage("runs: reading, ranking and joining"):
            rank(Rows(source.name, source.read()), judgments)
        with stage("runs: the same by the native road"):
            ranked.append(rank_source(source, natively))
    with stage("measures"):
        for start in range(0, len(ranked), 32):
            score(JudgedRankings.batch(ranked[start : start + 32]), measures)

    print("| stage (each line of runs holds the one above it) | CPU time |\n|---|--:|")
    for name, seconds in spent.items():
        print(f"| {name} | {seconds:.2f} s |")


if __name__ == "__main__":
    main()
