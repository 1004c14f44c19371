"""Angelini and others (2012): how far documents are from where they belong, cumulated, and four indicators of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.lists.archetypes import Archetype
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.relative_position import CRP, RP
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, Words
from cranfield.reproductions.claim_estimates import mean_of, tau_by_topic
from cranfield.reproductions.claims import ClaimSetting, at_least, beside
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant, telling_apart
from cranfield.reproductions.study import Study, rounded_table

PAPER: Final = Paper(
    "cumulated-relative-position",
    "Cumulated relative position: a metric for ranking evaluation",
    "Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), CLEF",
)

_INDICATORS: Final = ("RecoveryValue", "BalanceRatio", "CRPMin", "CRPN")  # Equations 6 to 9
WITHOUT: Final = "Topics without a relevant document are excluded."
PROVED: Final = "False statements have a smallest example on the page of claims; here they are counted."


def chosen(study: Study) -> tuple[str, str]:
    """Choose the run with the highest mean recovery value, and of the topics on which it recovers the middle one."""
    of_topics = by_ranking(study, _INDICATORS).with_columns(mean=pl.col("RecoveryValue").mean().over("run"))
    best = of_topics.sort("mean", descending=True, maintain_order=True)["run"][0]
    topics = of_topics.filter(pl.col("run") == best).sort("RecoveryValue", maintain_order=True)
    recovers = topics.filter(pl.col("RecoveryValue") > 0)["topic"]
    return best, recovers[len(recovers) // 2] if len(recovers) else topics["topic"][0]


RUN_A: Final = ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3] + [0] * 9, [2, 1, 1])
RUN_B: Final = ([3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1] + [0] * 6, list[int]())
"""The systems of the example, nr to hr being 0 to 3: what they retrieve, and what they lack."""
_PRINTED: Final = {
    "A": (RUN_A, [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8] + [0] * 9, -11),
    "B": (RUN_B, [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4] + [0] * 6, 3),
}
"""Their RP, and their CRP at rank 20, in the paper."""
_LENGTH: Final = 1000  # To how many documents lists are cut or padded
PROPERTIES: Final = (
    "CRP can only be zero or negative before rank R.",
    "After R the curve is non-decreasing.",
    "After the last relevant document that is retrieved CRP remains constant.",
    "CRP at N is the largest of the run (caption of Figure 1, too).",
)


@PAPER.item(
    "Section 2.1", "The example", at=2.1,
    by="In the paper: 20 documents, 10 of which are relevant, of three grades. This is arithmetic and needs no runs.",
)  # fmt: skip
def example(_: Study) -> Iterator[Block]:
    """Calculate the vectors of the example."""
    rows = []
    for system, (lists, rp, last) in _PRINTED.items():
        found = [int((RP() @ rank).of(*lists)) for rank in range(1, 21)]
        for name, printed, here in (("RP", rp, found), ("CRP at 20", [last], [int((CRP() @ 20).of(*lists))])):
            rows.append((system, name, " ".join(map(str, printed)), " ".join(map(str, here))))
    table = pl.DataFrame(rows, ["system", "vector", "the paper", "calculated"], orient="row")
    yield rounded_table("vectors", table, "RP at ranks 1 to 20, and CRP.", keys=2)
    support = [rank for rank, grade in enumerate(RUN_B[0], start=1) if grade == 3]
    yield beside(
        "System B has its highly relevant documents at ranks 1, 2 and 3.",
        f"Its list has them at ranks {', '.join(map(str, support))}, where its RP has +10: a misprint.",
    )


@PAPER.item(
    "Section 2.2", "Properties of the curve", at=2.2,
    by=f"The definition implies some of these and refutes others. {PROVED} {TWO_KINDS} Lists are cut or padded to "
    f"{_LENGTH:,} documents. {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def properties(study: Study) -> Iterator[Block]:
    """Count the rankings whose curves have what the paper says of all."""
    crp, rel = parse_measure(telling_apart(study, f"CRP(cutoff={_LENGTH})")), study.runs.grading.rel
    counts = np.zeros(4, dtype=int)
    total = 0
    for batch in study.runs.batches:
        base, relevant, last = batch.recall_base(rel), batch.relevant(rel), np.zeros(batch.rows, dtype=int)
        np.maximum.at(last, relevant.row, relevant.rank)  # the rank of the last relevant document, or 0
        there = batch.present & (base > 0)
        curves, base, last = crp.by_rank(batch, _LENGTH)[there], base[there, None], last[there, None]
        ranks, steps = np.arange(1, _LENGTH + 1), np.diff(curves, axis=1)
        kept: tuple[Booleans, ...] = (
            (curves <= 0) | (ranks >= base),
            (steps >= 0) | (ranks[1:] <= base),
            (steps == 0) | (ranks[1:] <= last) | (last == 0),
            curves <= curves[:, -1:],
        )
        counts += [int(each.all(axis=1).sum()) for each in kept]
        total += int(there.sum())
    table = pl.DataFrame({"the paper": PROPERTIES, "rankings": counts, "of": [total] * 4})
    yield rounded_table("properties", table, "Rankings whose curve has the property.")


@PAPER.item(
    "Equations 6 to 10", "The four indicators", at=2.4,
    by=f"The definitions imply some of these ranges and refute others. {PROVED} {TWO_KINDS} {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def indicators(study: Study) -> Iterator[Block]:
    """Count the rankings whose indicators leave the range that the paper names."""
    every = by_ranking(study, _INDICATORS)
    ideal, worst = (pl.col("archetype") == kind.value for kind in (Archetype.IDEAL, Archetype.WORST))
    rho, balance, least, last = (pl.col(name) for name in _INDICATORS)
    ranges = {
        "The recovery value is above 0.": rho == 0,
        "The recovery value is 1 for a perfect ranking alone.": (rho == 1) & ~ideal,
        "The balance ratio is between 0 and 1.": balance < 0,
        "A minimum ratio of 0 is the worst possible ranking.": (least == 0) & ~worst,
        "The value ratio at N is between 0 and 1.": last > 1,
    }
    outside = [every.filter(where).height for where in ranges.values()]
    table = pl.DataFrame({"the paper": list(ranges), "otherwise": outside, "rankings": [every.height] * len(ranges)})
    yield rounded_table("ranges", table, "Rankings that break the statement.")
    means = every.group_by("run", maintain_order=True).agg(pl.col(_INDICATORS).mean())
    means = means.sort("RecoveryValue", descending=True, maintain_order=True)
    command = study.named.command("evaluate", measures=[telling_apart(study, name) for name in _INDICATORS], sort=True)
    caption = "Means over the topics; the recovery value is that of equation 10."
    yield rounded_table("indicators", means, caption, command)


@PAPER.item(
    "Section 3", "Compared with other measures", at=3,
    by="The paper compares definitions: it calls the sliding ratio quite similar to nCG and says where they differ "
    "(the ideal is that of the documents retrieved). τ_b of the run orders is ours and does not bear on that.",
    needs=(at_least(3, "runs"),),
)  # fmt: skip
def other_measures(study: Study) -> Iterator[Block]:
    """Correlate the recovery value with older measures, and look what a late document does."""
    late = [int((CRP() @ _LENGTH).of([1] + [0] * (rank - 2) + [1])) for rank in (3, _LENGTH)]
    yield Words.of(
        f"CRP is called independent of outliers, documents found late. With two relevant documents, the first at rank "
        f"1, it ends at {late[0]} if the other is at rank 3, and at {late[1]} if it is at rank {_LENGTH}."
    )
    others = ("nRecall", "SlidingRatio@100", "nCG@100", "SatisfactionTotal@100", "nDCG(base=2)@100")
    found = study.experiment("correlation", [telling_apart(study, "RecoveryValue"), *others], top=1.0)
    yield found.table("pairs", columns=("measure_a", "measure_b", "correlation", "low", "high"))


PARALLEL: Final = ("NumRel", "RecoveryValue(whose=full-scale)", *_INDICATORS)
"""The axes of Figure 3."""


@PAPER.item(
    "Figure 1", "A curve and its points", at=2.3,
    by="In the paper: a sketch. Here the run with the highest mean recovery value; of the topics on which it recovers, "
    f"the median one. {TWO_KINDS} {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Draw a curve, and say when lists turn round and regain what they lost."""
    run, topic = chosen(study)
    yield study.of_runs([run]).plot("crp", telling_apart(study, "CRP"), topic=topic)
    every = by_ranking(study, ["TurnAround", "RegainedAt", *_INDICATORS])
    back = every.filter(pl.col("RecoveryValue") > 0)
    yield beside(
        "A balance point is where CRP has regained what it lost.",
        f"{back.height:,} of {counted(every.height, 'ranking')} have one; the others never regain it.",
    )


def recovering(study: Study) -> str | None:
    """Say that hardly a ranking recovers, where that is so."""
    if something_relevant(study):
        return something_relevant(study)
    share = float((by_ranking(study, _INDICATORS)["RecoveryValue"] > 0).to_numpy().mean())
    return None if share >= 0.5 else f"This needs rankings that recover; {100 * share:.0f}% of those here do."


REFLECTS: Final = PAPER.claim(
    "a high ρ value reflects a high number of relevant documents ranked in the expected position and a short distance "
    "between R and b_r",
    where="section 4, of Figure 2",
    conditions="run bbn1 of TREC-7 on topic 351, lists of 1,000, a pool 100 deep, four grades",
    estimand="τ_b over the runs, on each topic, of the recovery value with the share of the first R documents that is "
    "relevant: mean over topics, t interval",
    asks="above 0", above=0, of=ClaimSetting(runs=10, topics=10, depth=1000, pool=100), needs=(recovering,),
)  # fmt: skip


@PAPER.item(
    "Figure 2", "CRP and DCG, rank by rank", at=4.1,
    by="In the paper: run bbn1 of TREC-7 on topic 351, gains -1, 1, 2 and 3. Its judgments of four grades are a "
    "reassessment that is not among TREC's files. Here the run and the topic of Figure 1; documents judged not "
    "relevant bring -1, unjudged ones nothing.",
    needs=(something_relevant,),
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Draw both curves with their bars."""
    run, topic = chosen(study)
    of_run = study.of_runs([run])
    yield of_run.plot("crp", telling_apart(study, "CRP"), topic=topic)
    yield of_run.plot("delta-gain", "DCG(gains={-2:-1,-1:-1,0:-1},base=2)", topic=topic)
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
    over = f"Over {counted(defined, 'topic')} on which runs differ by both."
    yield REFLECTS.told(study, {"τ_b": mean_of(taus)}, over)


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
        f"{outside.height} of {counted(topics.height, 'topic')} of {run} have a value outside. Its recovery value is "
        f"lowest on topic {low['topic']} ({low['RecoveryValue']:.2f}, R = {low['NumRel']:.0f}) and highest on topic "
        f"{high['topic']} ({high['RecoveryValue']:.2f}, R = {high['NumRel']:.0f}).",
    )
    command = of_run.named.command("evaluate", measures=asked, q=True)
    yield rounded_table("topics", topics.select("topic", *PARALLEL), f"The topics of {run}.", command)


PAPER.lacks(
    "Section 4", "The interactive prototype", at=4.3,
    why="It is a separate, unpublished program. The pictures of Figures 2 and 3 show values on hovering on this "
    "page; cranfield trace prints the walk down a list.",
)  # fmt: skip
