"""Figures 1 to 3: a curve, the same beside DCG, and the indicators of every topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.measures.relative_position import RP
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, Words
from cranfield.reproductions.claims import beside
from cranfield.reproductions.estimates import mean_of, tau_by_topic
from cranfield.reproductions.needs import ClaimSetting
from cranfield.reproductions.papers.cumulated_relative_position import INDICATORS, PAPER, WITHOUT, chosen
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant, telling_apart
from cranfield.reproductions.study import Study, rounded_table

PARALLEL: Final = ("NumRel", "RecoveryValue(whose=full-scale)", *INDICATORS)
"""The axes of Figure 3."""


@PAPER.item(
    "Figure 1", "A curve and its points", at=2.3,
    by="In the paper: a sketch. Here the run with the highest mean recovery value; of the topics on which it recovers, "
    f"the one in the middle. {TWO_KINDS} {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Draw a curve, and say when lists turn round and regain what they lost."""
    run, topic = chosen(study)
    yield study.of_runs([run]).plot("crp", telling_apart(study, "CRP"), topic=topic)
    every = by_ranking(study, ["TurnAround", "RegainedAt", *INDICATORS])
    back = every.filter(pl.col("RecoveryValue") > 0)
    yield beside(
        "A balance point is where CRP has regained what it lost.",
        f"{back.height:,} of {counted(every.height, 'ranking')} have one; the others never regain it.",
    )


def recovering(study: Study) -> str | None:
    """Say that hardly a ranking recovers, where that is so."""
    if something_relevant(study):
        return something_relevant(study)
    share = float((by_ranking(study, INDICATORS)["RecoveryValue"] > 0).to_numpy().mean())
    return None if share >= 0.5 else f"It takes rankings that recover, and {100 * share:.0f} % of those here do."


REFLECTS: Final = PAPER.claim(
    "a high ρ value reflects a high number of relevant documents ranked in the expected position and a short distance "
    "between R and b_r",
    where="section 4, of Figure 2",
    conditions="run bbn1 of TREC-7 on topic 351, lists of 1,000, a pool 100 deep, four grades",
    estimand="τ_b over the runs, on each topic, of the recovery value with the share of the first R documents that is "
    "relevant: mean over topics, t interval",
    asks="it is above 0", above=0, of=ClaimSetting(runs=10, topics=10, depth=1000, pool=100), needs=(recovering,),
)  # fmt: skip


@PAPER.item(
    "Figure 2", "CRP beside DCG, rank by rank", at=4.1,
    by="In the paper: run bbn1 of TREC-7 on topic 351, gains -1, 1, 2 and 3. Its judgments of four grades are a "
    "reassessment that is not among TREC's files. Here the run and the topic of Figure 1; documents that are not "
    "relevant, or unjudged, bring -1.",
    needs=(something_relevant,),
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Draw both curves with their bars."""
    run, topic = chosen(study)
    of_run = study.of_runs([run])
    yield of_run.plot("crp", telling_apart(study, "CRP"), topic=topic)
    yield of_run.plot("delta-gain", "DCG(gains={-1:-1,0:-1},base=2)", topic=topic)
    steps = [
        int((RP() @ rank).of([0] * (rank - 1) + [grade], [3, 2, 1][: 3 - grade] + [3, 2, 1][4 - grade :]))
        for rank, grade in ((10, 3), (20, 3), (20, 1))
    ]
    yield Words.of(
        f"The step of a late document is called proportional to its relevance and its rank. It is a difference: with "
        f"one document of each of the grades 1 to 3, the one of grade 3 brings {steps[0]} at rank 10 and {steps[1]} "
        f"at rank 20, and the one of grade 1 {steps[2]} at rank 20."
    )
    values = study.scores([telling_apart(study, name) for name in ("RecoveryValue", "Rprec")]).values
    taus = tau_by_topic(values[0], values[1])
    defined = int((~np.isnan(taus)).sum())
    yield REFLECTS.told(
        study, {"τ_b": mean_of(taus)}, f"Over {counted(defined, 'topic')} on which runs differ by both."
    )


@PAPER.item(
    "Figure 3", "The indicators of every topic", at=4.2,
    by="In the paper: the topics of run bbn1, ordered by their recall base R, with ρ_w, which is the full-scale "
    f"list's, and the four indicators. Here the run of Figure 1. {TWO_KINDS}",
    needs=(something_relevant,),
)  # fmt: skip
def figure_3(study: Study) -> Iterator[Block]:
    """Draw the topics of a run across the indicators."""
    run, _ = chosen(study)
    of_run = study.of_runs([run])
    asked = [telling_apart(study, measure) for measure in PARALLEL]
    yield of_run.plot("parallel", asked)
    topics = by_ranking(study, PARALLEL[1:]).filter(pl.col("run") == run).sort("RecoveryValue", maintain_order=True)
    outside = topics.filter(pl.any_horizontal(~pl.col(PARALLEL[1:]).is_between(0, 1)))
    low, high = topics.row(0, named=True), topics.row(-1, named=True)
    yield beside(
        "All values are between 0 and 1; the run performs poorly on topic 393, and works fine on topic 394.",
        f"For {outside.height} of {counted(topics.height, 'topic')} of {run} a value is not. Its recovery value is "
        f"lowest on topic {low['topic']} ({low['RecoveryValue']:.2f}, R = {low['NumRel']:.0f}) and highest on topic "
        f"{high['topic']} ({high['RecoveryValue']:.2f}, R = {high['NumRel']:.0f}).",
    )
    command = of_run.named.command("evaluate", measures=asked, q=True)
    yield rounded_table("topics", topics.select("topic", *PARALLEL), f"The topics of {run}.", command)


PAPER.lacks(
    "Section 4", "The interactive prototype", at=4.3,
    why="It is a program of its own and was not published. The pictures of Figures 2 and 3 can be pointed at on this "
    "page; cranfield trace prints the walk down a list.",
)  # fmt: skip
