"""Which design of a sample is nearest to the truth?

``python -m benchmarks.samples QRELS RUNS`` draws samples of what RUNS retrieved by each design of `cranfield
sample`, and holds the estimates of AP and P@10 against the values when all of it is judged: as QRELS have
it, and not relevant where they have nothing.
"""

from __future__ import annotations

import click
import numpy as np
import polars as pl

import cranfield as cf
from benchmarks.truth import averages
from cranfield.formats import Runs, read_runs
from cranfield.plumbing.options import Design
from cranfield.selection.sampling import draw_sample

DESIGNS: tuple[Design, ...] = ("uniform", "stratified", "proportional", "prior")
MEASURES = ("AP", "P@10")
TIMES = 10


@click.command()
@click.argument("qrels")
@click.argument("runs")
@click.option("--every", default=1, show_default=True, help="Take one run of so many.")
@click.option("--per-topic", type=int, multiple=True, default=(50, 200), help="Sizes of samples.")
def main(qrels: str, runs: str, every: int, per_topic: tuple[int, ...]) -> None:
    """Say how far estimates from samples are from the truth, over runs and samples."""
    lists = Runs(read_runs(runs).sources[::every])
    judged = cf.read_qrels(qrels)
    topics = tuple(judged["query_id"].unique().to_list())
    candidates = cf.Candidates.gather(lists).of_topics(topics)
    everything = pl.DataFrame(
        {"query_id": pl.Series(candidates.topics).gather(candidates.topic), "doc_id": candidates.document}
    ).join(judged, on=["query_id", "doc_id"], how="left", maintain_order="left")
    everything = everything.with_columns(pl.col("relevance").fill_null(0))
    truth = averages(everything, lists, MEASURES)
    print("| per topic | design | AP: error | bias | P@10: error | bias |\n|--:|---|--:|--:|--:|--:|")
    for size in per_topic:
        for design in DESIGNS:
            samples = [draw_sample(candidates, size, design=design, seed=seed).to_polars() for seed in range(TIMES)]
            found = [cf.estimate(candidates, each, everything, list(MEASURES)).values.mean(axis=2) for each in samples]
            away = np.array(found) - truth
            error, bias = np.sqrt((away**2).mean(axis=(0, 2))), away.mean(axis=(0, 2))
            cells = [f"{number:.3f} | {shift:+.3f}" for number, shift in zip(error, bias, strict=True)]
            print(f"| {size} | {design} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
