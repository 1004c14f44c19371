"""Angelini and others (2012): how far documents are from where they belong, cumulated, and four indicators of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.archetypes import Archetype
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.relative_position import CRP, RP
from cranfield.plumbing.arrays import Booleans, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, ReportTable, Statement
from cranfield.reproductions.paper import Paper, at_least
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant, telling_apart
from cranfield.reproductions.study import Study, rounded
from cranfield.statistics.rank_correlation import kendall_tau

PAPER: Final = Paper(
    "cumulated-relative-position",
    "Cumulated relative position: a metric for ranking evaluation",
    "Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), CLEF",
)

RUN_A: Final = ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3] + [0] * 9, [2, 1, 1])
RUN_B: Final = ([3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1] + [0] * 6, list[int]())
"""The systems of the example, nr to hr being 0 to 3: what they retrieve, and what they lack."""
PRINTED: Final = {
    "A": (RUN_A, [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8] + [0] * 9, -11),
    "B": (RUN_B, [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4] + [0] * 6, 3),
}
"""Their RP, and their CRP at rank 20, in the paper."""

LENGTH: Final = 1000
"""To how many documents lists are cut or padded."""
INDICATORS: Final = ("RecoveryValue", "BalanceRatio", "CRPMin", "CRPN")
"""Equations 6 to 9."""
PARALLEL: Final = ("NumRel", "RecoveryValue(whose=full-scale)", *INDICATORS)
"""The axes of Figure 3."""
WITHOUT: Final = "Topics without a relevant document are left out."


@PAPER.item(
    "Section 2.1", "The example",
    by="In the paper: 20 documents, 10 of which are relevant, of three grades. This is arithmetic, without any runs.",
)  # fmt: skip
def example(study: Study) -> Iterator[Block]:
    """Calculate the vectors of the example."""
    del study
    for system, (lists, rp, last) in PRINTED.items():
        found = [int((RP() @ rank).of(*lists)) for rank in range(1, 21)]
        end = int((CRP() @ 20).of(*lists))
        printed = " ".join(map(str, rp))
        yield Statement(
            f"RP of system {system} is {printed}, and its CRP at rank 20 is {last}.",
            f"RP is {'the same' if found == rp else ' '.join(map(str, found))}, CRP {end}.",
            found == rp and end == last,
        )
    support = [rank for rank, grade in enumerate(RUN_B[0], start=1) if grade == 3]
    yield Statement(
        "System B has its highly relevant documents at ranks 1, 2 and 3.",
        f"In its list they are at ranks {', '.join(map(str, support))}, where its RP has +10: a misprint.",
        support == [1, 2, 3],
    )


@PAPER.item(
    "Section 2.2", "Properties of the curve",
    by=f"Held against every ranking. {TWO_KINDS} Lists are cut or padded to {LENGTH:,} documents. {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def properties(study: Study) -> Iterator[Block]:
    """Count the rankings whose curves have what the paper says of all."""
    crp, rel = parse_measure(telling_apart(study, f"CRP(cutoff={LENGTH})")), study.runs.grading.rel
    counts = np.zeros(4, dtype=int)
    total = 0
    for batch in study.runs.batches:
        base, last = batch.recall_base(rel), _last_relevant(batch, rel)
        there = batch.present & (base > 0)
        curves, base, last = crp.by_rank(batch, LENGTH)[there], base[there, None], last[there, None]
        ranks, steps = np.arange(1, LENGTH + 1), np.diff(curves, axis=1)
        kept: tuple[Booleans, ...] = (
            (curves <= 0) | (ranks >= base),
            (steps >= 0) | (ranks[1:] <= base),
            (steps == 0) | (ranks[1:] <= last) | (last == 0),
            curves <= curves[:, -1:],
        )
        counts += [int(each.all(axis=1).sum()) for each in kept]
        total += int(there.sum())
    for claimed, of in zip(
        (
            "CRP can only be zero or negative before rank R.",
            "After R the curve is non-decreasing.",
            "After the last relevant document that is retrieved CRP remains constant.",
            "CRP at N is the largest of the run (caption of Figure 1, too).",
        ),
        counts.tolist(),
        strict=True,
    ):
        yield Statement(claimed, f"So it is for {of:,} of {counted(total, 'ranking')}.", of == total)


def _last_relevant(batch: JudgedRankings, rel: float | None) -> Integers:
    """Return the rank of the last relevant document of each row, 0 where there is none."""
    last, cells = np.zeros(len(batch.length), dtype=int), batch.relevant(rel)
    np.maximum.at(last, cells.row, cells.rank)
    return last


@PAPER.item(
    "Figure 1", "A curve and its points",
    by="In the paper: a sketch. Here the run with the highest mean recovery value; of the topics on which it recovers, "
    "the one in the middle. "
    f"{TWO_KINDS} {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Draw a curve, and say when lists turn round and regain what they lost."""
    run, topic = _chosen(study)
    yield study.of_runs([run]).plot("crp", telling_apart(study, "CRP"), topic=topic)
    every = by_ranking(study, ["TurnAround", "RegainedAt", *INDICATORS])
    turn = every.filter(pl.col("TurnAround") <= pl.col("NumRel"))
    yield Statement(
        "The curve turns round at rank R or before it (there w is lowest, and after it no curve falls).",
        f"So it is for {turn.height:,} of {counted(every.height, 'ranking')}.",
        turn.height == every.height,
    )
    back = every.filter(pl.col("RecoveryValue") > 0)
    yield Statement(
        "A balance point is where CRP has regained what it lost.",
        f"{back.height:,} of {counted(every.height, 'ranking')} have one; the others never regain it.",
    )


def _chosen(study: Study) -> tuple[str, str]:
    """Choose the run with the highest mean recovery value, and of the topics on which it recovers the middle one."""
    of_topics = by_ranking(study, INDICATORS).with_columns(mean=pl.col("RecoveryValue").mean().over("run"))
    best = of_topics.sort("mean", descending=True, maintain_order=True)["run"][0]
    topics = of_topics.filter(pl.col("run") == best).sort("RecoveryValue", maintain_order=True)
    recovers = topics.filter(pl.col("RecoveryValue") > 0)["topic"]
    return best, recovers[len(recovers) // 2] if len(recovers) else topics["topic"][0]


@PAPER.item(
    "Equations 6 to 10", "The four indicators",
    by=f"Their ranges, held against every ranking, and their means. {TWO_KINDS} {WITHOUT}",
    needs=(something_relevant,),
)  # fmt: skip
def indicators(study: Study) -> Iterator[Block]:
    """Count the rankings whose indicators leave the range that the paper names."""
    every = by_ranking(study, INDICATORS)
    total = every.height

    def how_many(where: pl.Expr) -> int:
        return every.filter(where).height

    archetype, worst = pl.col("archetype"), pl.col("archetype") == Archetype.WORST.value
    rho, balance, least, last = (pl.col(name) for name in INDICATORS)
    never, imperfect = how_many(rho == 0), how_many((rho == 1) & (archetype != Archetype.IDEAL.value))
    yield Statement(
        "The recovery value is above 0, and 1 for a perfect ranking.",
        f"It is 0 for {never:,} of {counted(total, 'ranking')}, which never come back, and 1 for {imperfect:,} that "
        "are not ideal.",
        never == 0 and imperfect == 0,
    )
    negative = how_many(balance < 0)
    yield Statement(
        "The balance ratio is between 0 and 1, and 0 is the worst possible ranking.",
        f"It is below 0 for {negative:,} of {counted(total, 'ranking')}, which come back later than the full-scale "
        "list does.",
        negative == 0,
    )
    at_zero, not_worst = how_many(least == 0), how_many((least == 0) & ~worst)
    yield Statement(
        "A minimum ratio of 0 is the worst possible ranking.",
        f"{at_zero:,} of {counted(total, 'ranking')} have it, {not_worst:,} of which find something relevant after "
        "the turn-around.",
        not_worst == 0,
    )
    above = how_many(last > 1)
    yield Statement(
        "The value ratio at N is between 0 and 1.",
        f"It is above 1 for {above:,} of {counted(total, 'ranking')} ({100 * above / max(total, 1):.0f} %), those "
        "that end below 0.",
        above == 0,
    )
    means = every.group_by("run", maintain_order=True).agg(pl.col(INDICATORS).mean())
    means = means.sort("RecoveryValue", descending=True, maintain_order=True)
    yield Statement(
        "The closer the average recovery value is to 1, the better the system.",
        f"The highest has {means['run'][0]} with {means['RecoveryValue'][0]:.3f}, the lowest {means['run'][-1]} with "
        f"{means['RecoveryValue'][-1]:.3f}.",
    )
    yield ReportTable(
        "indicators",
        rounded(means, "Means over the topics; the recovery value is that of equation 10."),
        means,
        study.named.command("evaluate", measures=[telling_apart(study, name) for name in INDICATORS], sort=True),
    )


@PAPER.item(
    "Section 3", "Beside other measures",
    by="What the paper says of normalised recall, sliding ratio, satisfaction, frustration and gains. τ is that of the "
    "orders of all runs by their means.",
    needs=(at_least(3, "runs"),),
)  # fmt: skip
def other_measures(study: Study) -> Iterator[Block]:
    """Correlate the indicators with older measures, and look what a late document does."""
    others = ("nRecall", "SlidingRatio@100", "nCG@100", "SatisfactionTotal@100", "nDCG(base=2)@100")
    late = [int((CRP() @ LENGTH).of([1] + [0] * (rank - 2) + [1])) for rank in (3, LENGTH)]
    yield Statement(
        "CRP does not depend on outliers, as normalised recall does (sections 1 and 3).",
        f"With two relevant documents, the first at rank 1, CRP ends at {late[0]} if the other is at rank 3, and at "
        f"{late[1]} if it is at rank {LENGTH}: one document found late can outweigh all others.",
        late[0] == late[1],
    )
    asked = [telling_apart(study, "RecoveryValue"), *others]
    found = study.experiment("correlation", asked, top=1.0)
    matrix = found["matrix"].drop("measure").to_numpy()
    alike = matrix[2, 3]
    yield Statement(
        "The sliding ratio is quite similar to normalised cumulated gain.",
        f"At rank 100 their orders of the runs have τ = {alike:.2f}; the sliding ratio knows the documents retrieved, "
        "not the recall base.",
        bool(alike >= 0.8),
    )
    nearest = int(matrix[0, 1:].argmax())
    yield Statement(
        "CRP handles graded relevance and misplaced documents, which the others do not.",
        f"Of them {others[nearest]} orders the runs most as the recovery value does: τ = {matrix[0, nearest + 1]:.2f}.",
    )
    yield found.table("pairs", columns=("measure_a", "measure_b", "correlation", "low", "high"))


@PAPER.item(
    "Figure 2", "CRP beside DCG, rank by rank",
    by="In the paper: run bbn1 of TREC-7 on topic 351, gains -1, 1, 2 and 3. Its judgments of four grades are a "
    "reassessment that is not among TREC's files. Here the run and the topic of Figure 1; documents that are not "
    "relevant, or unjudged, bring -1.",
    needs=(something_relevant,),
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Draw both curves with their bars."""
    run, topic = _chosen(study)
    of_run = study.of_runs([run])
    yield of_run.plot("crp", telling_apart(study, "CRP"), topic=topic)
    yield of_run.plot("delta-gain", "DCG(gains={-1:-1,0:-1},base=2)", topic=topic)
    steps = [
        int((RP() @ rank).of([0] * (rank - 1) + [grade], [3, 2, 1][: 3 - grade] + [3, 2, 1][4 - grade :]))
        for rank, grade in ((10, 3), (20, 3), (20, 1))
    ]
    yield Statement(
        "The step of a late document is proportional to its relevance and to its rank (section 4).",
        f"It is a difference: with one document of each of the grades 1 to 3, the one of grade 3 brings {steps[0]} at "
        f"rank 10 and {steps[1]} at rank 20, and the one of grade 1 {steps[2]} at rank 20.",
        steps[1] == 2 * steps[0] and steps[1] == 3 * steps[2],
    )
    values = by_ranking(study, ["RecoveryValue", "Rprec"])
    together = kendall_tau(values["RecoveryValue"].to_numpy(), values["Rprec"].to_numpy())
    yield Statement(
        "A high recovery value reflects a high number of relevant documents ranked in the expected position.",
        f"Over {counted(values.height, 'ranking')} it has τ = {together:.2f} with the share of the first R documents "
        "that is relevant.",
        bool(together > 0.5),
    )


@PAPER.item(
    "Figure 3", "The indicators of every topic",
    by="In the paper: the topics of run bbn1, ordered by their recall base R, with ρ_w, which is the full-scale "
    f"list's, and the four indicators. Here the run of Figure 1. {TWO_KINDS}",
    needs=(something_relevant,),
)  # fmt: skip
def figure_3(study: Study) -> Iterator[Block]:
    """Draw the topics of a run across the indicators."""
    run, _ = _chosen(study)
    of_run = study.of_runs([run])
    yield of_run.plot("parallel", [telling_apart(study, measure) for measure in PARALLEL])
    topics = by_ranking(study, PARALLEL[1:]).filter(pl.col("run") == run).sort("RecoveryValue", maintain_order=True)
    outside = topics.filter(pl.any_horizontal(~pl.col(PARALLEL[1:]).is_between(0, 1)))
    yield Statement(
        "All values are between 0 and 1.",
        f"For {outside.height} of {counted(topics.height, 'topic')} of {run} a value is not.",
        outside.height == 0,
    )
    low, high = topics.row(0, named=True), topics.row(-1, named=True)
    yield Statement(
        "It shows the topic for which the run performs poorly (393), and the one for which it works fine (394).",
        f"The recovery value of {run} is lowest on topic {low['topic']} ({low['RecoveryValue']:.2f}, R = "
        f"{low['NumRel']:.0f}) and highest on topic {high['topic']} ({high['RecoveryValue']:.2f}, R = "
        f"{high['NumRel']:.0f}).",
    )
    table = topics.select("topic", *PARALLEL)
    asked = [telling_apart(study, measure) for measure in PARALLEL]
    yield ReportTable(
        "topics",
        rounded(table, f"The topics of {run}."),
        table,
        of_run.named.command("evaluate", measures=asked, q=True),
    )


PAPER.lacks(
    "Section 4", "The interactive prototype",
    why="It is a program of its own and was not published. The pictures of Figures 2 and 3 can be pointed at on this "
    "page; cranfield trace prints the walk down a list.",
)  # fmt: skip
