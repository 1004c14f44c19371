"""Verdicts on pools that were cut: how often do they contradict what all judgments say?

Of each collection a share of the judgments is hidden, in three ways: those of documents that only the runs left out
have near the top (*contributors*), the deepest first (*depth*), or any (*at random*). Random pairs of runs then pass
a gate; the truth is `evaluate` on all judgments. A verdict is wrong if its sign is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from benchmarks.calibration.cell import error_of
from benchmarks.truth import of_judgments
from cranfield.comparison.gating import gate
from cranfield.formats import read_qrels, read_run
from cranfield.plumbing.tables import DOCUMENT, QUERY, SCORE
from cranfield.scoring.judged_runs import join

Way: TypeAlias = Literal["contributors", "depth", "at random"]

COLLECTIONS: Final = ("dl19-passage", "trec8-adhoc", "covid-round1")
SHARES: Final = (0.95, 0.85, 0.70, 0.40, 0.15)
"""How much of the runs' first ten documents is judged."""
DEPTH: Final = 10
MEASURE: Final = f"nDCG@{DEPTH}"
MARGIN: Final = 0.01
WRONG: Final = 0.05
"""Of plausible verdicts no more may be wrong."""
RUNS: Final = 30
"""So many runs are drawn of a collection that has more."""


@dataclass
class CutPool:
    """What the gates of one cut said, by how their verdicts hold, and how often that was wrong."""

    where: str
    said: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def count(self, holds: str, verdict: str, truth: float) -> None:
        """Count a verdict, and whether its sign is wrong: worse of a run that is better, better of one that is not."""
        self.said[holds] += 1
        told = verdict.removesuffix(" on what was judged: undecided")
        wrong = truth >= 0 if told == "worse" else truth <= 0 if told == "better" else truth < -MARGIN
        self.wrong[holds] += holds != "" and wrong

    def share(self, holds: str) -> str:
        """Write how many verdicts hold so, and how many of them are wrong, in bold where these are too many."""
        said, wrong = self.said[holds], self.wrong[holds]
        rate = wrong / said if said else 0.0
        fails = holds != "on what was judged" and said and rate - 2 * error_of(rate, said) > WRONG
        return f"{said} | {f'**{wrong}**' if fails else wrong}"

    def row(self) -> str:
        """Write a row of a table of Markdown."""
        shares = " | ".join(self.share(holds) for holds in ("certain", "plausible", "on what was judged"))
        return f"| {self.where} | {sum(self.said.values())} | {shares} |"


HEAD = f"""## Verdicts on pools that were cut

Random pairs of up to {RUNS} runs by {MEASURE}, margin {MARGIN:g}, judged by what the cut leaves; the truth is the
difference by all judgments. A verdict is wrong if its sign is. In bold is what is wrong in more than {WRONG:.0%} of
*certain* or *plausible* verdicts, by more than two Monte Carlo errors; verdicts *on what was judged* alone are those
that the gate leaves undecided.

| pool | pairs | certain | wrong | plausible | wrong | on what was judged | wrong |
|---|--:|--:|--:|--:|--:|--:|--:|
"""


def pools(data: Path, pairs: int) -> Iterator[CutPool]:
    """Cut each pool in each way to each share, and pass so many pairs through a gate."""
    for collection in COLLECTIONS:
        random = np.random.default_rng(52)
        files = sorted((data / collection / "runs").iterdir())
        chosen = sorted(random.choice(len(files), min(RUNS, len(files)), replace=False).tolist())
        runs = {files[place].name: files[place] for place in chosen}
        qrels = read_qrels(data / collection / "qrels.txt")
        topics = qrels[QUERY].unique(maintain_order=True).to_list()
        truth = of_judgments(qrels, runs, [MEASURE], topics).mean(axis=-1)[0]
        tops = _tops(runs)
        for way in get_args(Way):
            for share in SHARES:
                kept = cut(qrels, tops, way, share, random)
                if kept is None:
                    continue
                joined = join(kept, runs, bounds=True, depth=DEPTH)
                found = CutPool(f"{collection.split('-')[0]}, {share:.0%} judged, {way}")
                for _ in range(pairs):
                    base, new = random.choice(len(runs), 2, replace=False).tolist()
                    names = [joined.runs[base], joined.runs[new]]
                    row = gate(joined.of_runs(names), measures=MEASURE, margin=MARGIN).rows.row(0, named=True)
                    found.count(row["holds"], row["verdict"], float(truth[new] - truth[base]))
                yield found


def cut(
    qrels: pl.DataFrame, tops: pl.DataFrame, way: Way, share: float, random: np.random.Generator
) -> pl.DataFrame | None:
    """Keep judgments until this share of the first documents of all lists is judged; None where fewer are."""
    judged = tops.join(qrels, on=[QUERY, DOCUMENT])
    if judged.height < share * tops.height:
        return None
    order = pl.Series("run", random.permutation(tops["run"].unique().sort().to_list()))
    place = pl.DataFrame({"run": order, "turn": np.arange(len(order))})
    found = (
        judged.join(place, on="run")
        .group_by(QUERY, DOCUMENT, maintain_order=True)
        .agg(pl.len().alias("lists"), pl.col("rank").min(), pl.col("turn").min())
        .sort(QUERY, DOCUMENT)
    )
    key = {"contributors": "turn", "depth": "rank", "at random": "chance"}[way]
    found = found.with_columns(pl.Series("chance", random.random(found.height))).sort(key, "chance")
    kept = found.filter(pl.col("lists").cum_sum() <= share * tops.height)
    return qrels.join(kept, on=[QUERY, DOCUMENT], how="semi")


def _tops(runs: dict[str, Path]) -> pl.DataFrame:
    """Lay out the first documents of all lists: run, topic, document, rank."""
    tables = []
    for name, file in runs.items():
        ranked = read_run(file).sort(QUERY, SCORE, DOCUMENT, descending=[False, True, True])
        rank = pl.int_range(1, pl.len() + 1).over(QUERY).alias("rank")
        tables.append(
            ranked.with_columns(rank).filter(pl.col("rank") <= DEPTH).select(
                pl.lit(name).alias("run"), QUERY, DOCUMENT, "rank"
            )
        )  # fmt: skip
    return pl.concat(tables)


def summary(cuts: Sequence[CutPool]) -> str:
    """Say how many verdicts were plausible and how many of these wrong, and those only on what was judged as well."""
    said, wrong = Counter[str](), Counter[str]()
    for each in cuts:
        said.update(each.said)
        wrong.update(each.wrong)
    known = sum(said.values()) - said[""]
    return (
        f"Of {known:,} verdicts on what was judged {said['certain']:,} are certain, {wrong['certain']} of them wrong; "
        f"{said['plausible']:,} are plausible, {wrong['plausible']} wrong; {said['on what was judged']:,} rest only "
        f"on what was judged, {wrong['on what was judged']} wrong."
    )
