"""Users as chance: what clicks say of two rankings, of which they saw one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

import cranfield as cf
from benchmarks.calibration.cell import Cell
from benchmarks.truth import averages

TOPICS, DOCUMENTS = 20, 10
INTERLEAVED = "Interleaving: lead of a ranker"


def campaign(seed: int, users: int) -> tuple[pl.DataFrame, dict[str, dict[str, list[str]]], dict[str, dict[str, int]]]:
    """Users click more or less readily, by the position-based model: the log, both rankings, and the truth."""
    random = np.random.default_rng(seed)
    good = random.random((TOPICS, DOCUMENTS)) < 0.3
    old, new = (np.argsort(-(good + random.normal(0, noise, good.shape))) for noise in (2.0, 1.2))
    topic = random.choice(TOPICS, (users, 5), p=np.arange(TOPICS, 0, -1) / (TOPICS * (TOPICS + 1) / 2))
    attracts = np.where(good, 0.6, 0.1)[topic[:, :, None], old[topic]]
    readily = 2 * random.random(users)
    clicks = random.random(attracts.shape) < readily[:, None, None] * attracts / np.arange(1, DOCUMENTS + 1)
    user, search, place = np.indices(attracts.shape).reshape(3, -1)
    of, document = topic[user, search], old[topic[user, search], place]
    log = (
        pl.DataFrame({"user": user, "topic": of, "doc": document, "rank": place + 1, "clicks": clicks.ravel()})
        .group_by("user", "topic", "doc", "rank")
        .agg(pl.col("clicks").sum(), pl.len().alias("impressions"))
        .select(
            "user", "clicks", "impressions", "rank", query_id=pl.format("q{}", "topic"), doc_id=pl.format("d{}", "doc")
        )
    )
    runs = {name: {f"q{t}": [f"d{d}" for d in ranking[t]] for t in range(TOPICS)}
            for name, ranking in (("old", old), ("new", new))}  # fmt: skip
    return log, runs, {f"q{t}": {f"d{d}": int(good[t, d]) for d in range(DOCUMENTS)} for t in range(TOPICS)}


def interleaved(times: int) -> Iterator[Cell]:
    """Δ by team draft, of users who differ; its test says what its interval says. Three in ten impressions tie."""
    for users, each in ((6, 5), (12, 5), (60, 5), (400, 5), (12, 1), (60, 1), (400, 1)):
        for true in (0.0, 0.1):
            random, held, widths = np.random.default_rng(14), list[bool](), list[float]()
            for _ in range(times):
                prefers = random.beta(2 + 4 * true, 2 - 4 * true, users)  # 1/2 + true, on average
                of = np.repeat(np.arange(users), random.geometric(1 / each, users))
                won = np.where(random.random(of.size) < prefers[of], 1, -1) * (random.random(of.size) >= 0.3)
                teams = (pl.DataFrame({"impression": np.arange(of.size), "query": "q", "user": of, "team": team,
                                       "clicks": (won * side >= 0).astype(int)})
                         for team, side in (("new", 1), ("old", -1)))  # fmt: skip
                found = cf.compare_interleaved(pl.concat(teams), "team-draft", by="user").to_polars()
                row = found.filter(run="new").row(0, named=True)
                held.append(row["low"] <= 0.7 * true <= row["high"])  # ties count half
                widths.append(row["high"] - row["low"])
            where = (
                f"simulated, {users} users, {each} impression{'s' * (each > 1)} each on average, Δ = {0.7 * true:.2f}"
            )
            yield Cell.of(INTERLEAVED, "interval for other users", where, held, float(np.mean(widths)))


def clicks(times: int) -> Iterator[Cell]:
    """Difference of the two rankings by nDCG@10: of the judged documents, and whatever the others are."""
    for users in (300, 1000):
        judged_held, all_held, widths = [], [], []
        for seed in range(times):
            log, runs, truth = campaign(seed, users)
            found = cf.click_intervals(log, runs, [0.3], by="user", exponent=1, resamples=150, seed=seed).to_polars()
            row = found.filter(run="new").row(0, named=True)
            judged = cf.judge_clicks(log, [0.3], exponent=1).to_polars().select("query_id", "doc_id").rows()
            of_judged: dict[str, dict[str, int]] = {}
            for topic, document in judged:
                of_judged.setdefault(topic, {})[document] = truth[topic][document]
            old, new = averages(of_judged, runs, ["nDCG@10"])[0]
            judged_held.append(row["difference_low"] <= new - old <= row["difference_high"])
            old, new = averages(truth, runs, ["nDCG@10"])[0]
            all_held.append(row["difference_least"] <= new - old <= row["difference_most"])
            widths.append((row["difference_high"] - row["difference_low"],
                           row["difference_most"] - row["difference_least"]))  # fmt: skip
        for method, held, width in zip(
            ("of the judged documents", "whatever the unjudged are"), (judged_held, all_held),
            np.mean(widths, axis=0).tolist(), strict=True,
        ):  # fmt: skip
            where = f"simulated, {TOPICS} topics, {users:,} users"
            yield Cell.of("Clicks: difference of two rankings", method, where, held, width)
