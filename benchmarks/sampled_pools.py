"""How near are estimates from a sampled pool to what all judgments say?

``python -m benchmarks.sampled_pools QRELS RUNS`` takes the judged documents for the pool, and cuts it
into those that some run ranks among its first 10, its first 50, and all others. All of the first
stratum are judged, a third of the next, and a tenth of the rest; or as many of each topic, whichever
they are. Both samples are drawn 20 times.
"""

from __future__ import annotations

import click
import numpy as np
import polars as pl

import cranfield as cf
from benchmarks.truth import averages
from cranfield.formats import read_qrels
from cranfield.statistics.rank_correlation import kendall_tau

RATES = {10: 1.0, 50: 1 / 3, 10**6: 1 / 10}
ESTIMATES = {"xinfAP": "AP", "infAP": "AP", "AP": "AP", "infNDCG": "nDCG", "nDCG": "nDCG"}
TIMES = 20


def pool_of(qrels: str, runs: str) -> pl.DataFrame:
    """Return the judgments with the stratum of each document."""
    candidates = cf.Candidates.gather(runs)
    best = pl.DataFrame(
        {
            "query_id": pl.Series(candidates.topics).gather(candidates.topic),
            "doc_id": candidates.document,
            "best": candidates.best_rank,
        }
    )
    pool = read_qrels(qrels).join(best, on=["query_id", "doc_id"], how="left", maintain_order="left")
    depth = np.array([*RATES])[np.searchsorted([*RATES], pool["best"].fill_null(max(RATES)).to_numpy())]
    return pool.select("query_id", "doc_id", pl.col("relevance").clip(0), pl.Series("stratum", depth))


def drawn(pool: pl.DataFrame, seed: int, *, stratified: bool) -> pl.DataFrame:
    """Return the pool with grades of what was drawn, and -1 for the others."""
    chance = pl.Series("chance", np.random.default_rng([seed, 3]).random(pool.height))
    wanted = (pl.len() * pl.col("stratum").replace_strict(RATES, return_dtype=pl.Float64)).ceil()
    of_stratum = pl.col("chance").rank("ordinal").over("query_id", "stratum") <= wanted.over("query_id", "stratum")
    pool = pool.with_columns(chance).with_columns(drawn=of_stratum)
    if not stratified:
        of_topic = pl.col("chance").rank("ordinal").over("query_id") <= pl.col("drawn").sum().over("query_id")
        pool = pool.with_columns(drawn=of_topic).drop("stratum")
    grade = pl.when("drawn").then("relevance").otherwise(-1).alias("relevance")
    return pool.with_columns(grade).drop("chance", "drawn")


@click.command()
@click.argument("qrels")
@click.argument("runs")
@click.option("--rel", type=float, help="The lowest relevant grade.")
def main(qrels: str, runs: str, rel: float | None) -> None:
    """Draw samples of QRELS, and compare what they say of RUNS with what all judgments say."""
    pool = pool_of(qrels, runs)
    truth = dict(zip(["AP", "nDCG"], averages(pool.drop("stratum"), runs, ["AP", "nDCG"], rel=rel), strict=True))
    print("| sample | measure | judged | tau | error | bias |\n|---|---|--:|--:|--:|--:|")
    for stratified in (True, False):
        samples = [drawn(pool, seed, stratified=stratified) for seed in range(TIMES)]
        judged = int((samples[0]["relevance"] >= 0).sum())
        values = np.array([cf.evaluate(sample, runs, list(ESTIMATES), rel=rel).averages for sample in samples])
        for place, (measure, meant) in enumerate(ESTIMATES.items()):
            found, right = values[:, place], truth[meant]
            tau = np.mean([kendall_tau(each, right) for each in found])
            error = np.mean(np.sqrt(((found - right) ** 2).mean(axis=1)))
            design = "by strata" if stratified else "any"
            cells = (design, measure, f"{judged:,}", f"{tau:.2f}", f"{error:.3f}", f"{(found - right).mean():+.3f}")
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
