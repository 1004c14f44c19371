"""Sections 2, 4 and 7 and Tables 1 to 5: the worked examples, what each method finds, and how soon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from cranfield.experiments.downsampling import best_rank
from cranfield.measures.user_models import RBP, RBPResidual
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.reports.elements import Block, ReportTable, Words
from cranfield.reproductions.claim_estimates import mean_of
from cranfield.reproductions.claims import ClaimPart, ClaimSetting, Estimate, beside
from cranfield.reproductions.papers.targeted_judgments import (
    DATA,
    FIVE,
    ONE_SESSION,
    PAPER,
    PER_TOPIC,
    PERSISTENCES,
    POWERS,
    SAME_SESSIONS,
    SESSION_METHODS,
    TEN,
    budget,
    method_name,
    of_sessions,
    sessions,
)
from cranfield.reproductions.papers.targeted_judgments.ranges import four
from cranfield.reproductions.study import Study, rounded, rounded_table
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.selection import Judging

_AT_WORST = Scope().graded().continued()  # Of what it speaks that a run is certain to lead

MORE: Final = PAPER.claim(
    "The biased methods are better than pooling at identifying relevant documents", where="section 5, Table 2",
    conditions=f"{DATA}; 1,000 to 20,000 of them made; at 5,000 Method C finds 1,440, pooling 1,097",
    estimand=f"relevant documents found minus those by pooling, as a share of the latter; {ONE_SESSION}",
    asks="above 0 for A, B and C at each budget", above=0,
)  # fmt: skip


@of_sessions(
    "Table 2", "Relevant documents found", at=5.1,
    by=f"{SAME_SESSIONS} Here alone documents that the qrels lack are bypassed.",
)  # fmt: skip
def table_2(study: Study) -> Iterator[Block]:
    """Count what each method finds."""
    found = sessions(study)
    rows = found["relevant"].filter(missing="bypassed").filter(pl.col("method").is_in(SESSION_METHODS))
    count = {(method, at): n for method, at, n in rows.select("method", "budget", "relevant").iter_rows()}
    budgets = [budget(study, each) for each in PER_TOPIC]
    more = {f"{m} at {at:,}:": count[m, at] / max(count["pool", at], 1) - 1 for at in budgets for m in "ABC"}
    yield MORE.told(study, more)
    cells = {
        (method, at): f"{n:,} : {considered:,}"
        for method, at, n, considered in rows.select("method", "budget", "relevant", "considered").iter_rows()
    }
    columns = [SheetColumn("method", [method_name(method) for method in SESSION_METHODS])]
    columns += [
        SheetColumn(f"{at:,}", [cells[method, at] for method in SESSION_METHODS], numeric=True) for at in budgets
    ]
    caption = "Relevant documents found : documents considered, bypassed ones among them, by judgments."
    yield ReportTable("relevant", Sheet(tuple(columns), 1, caption), rows, f"{found.command} --table relevant")


MARKED: Final = PAPER.claim(
    "There is quite marked difference in the various pools of documents, with as many as 30% of the documents in the "
    "judgment pool changing as p is raised from 0.5 to 0.95.",
    where="section 5, Table 3", conditions=f"{DATA}; 10,000 of them made by Method C",
    estimand=f"share of the judgments that differ from p = .5 to .95; {ONE_SESSION}", asks="from .25 to .35",
    above=0.25, below=0.35,
)  # fmt: skip


@of_sessions("Table 3", "Judgments shared by different persistences", at=5.2, by=SAME_SESSIONS)
def table_3(study: Study) -> Iterator[Block]:
    """Count the documents that sessions for other p have in common."""
    found = sessions(study)
    ten = budget(study, TEN)
    rows = found["overlap"].filter(budget=ten)
    common = {(p, other): n for p, other, n in rows.select("p", "other_p", "common").iter_rows()}
    cells = [common.get(pair, common.get(pair[::-1], 0)) for pair in ((0.5, 0.8), (0.8, 0.95), (0.5, 0.95))]
    yield beside(
        "Of 10,000 judgments 9,215 are the same for p = .5 and .8, 7,517 for .8 and .95, 6,972 for .5 and .95.",
        f"Of {ten:,} judgments they share {cells[0]:,}, {cells[1]:,} and {cells[2]:,}.",
    )
    yield MARKED.told(study, {"share": 1 - cells[2] / ten})
    yield rounded_table("overlap", rows, command=f"{found.command} --table overlap", keys=2)


DIAGONAL: Final = PAPER.claim(
    'The values down the diagonal show that average residual for "good" runs is minimized when the judgments-p '
    "matches the evaluation-p",
    where="section 5, Table 4", conditions=f"{DATA}; 10,000 of them made, the best 43 runs",
    estimand=f"mean residual of the best third where documents were chosen for another p, minus that for the same p;"
    f" {ONE_SESSION}",
    asks="above 0 for each of the six pairs", above=0, digits=4,
)  # fmt: skip
SMALLER: Final = PAPER.claim(
    "in all except one combination the Method C judgment sets give smaller average residuals",
    where="section 5, Table 4", conditions=f"{DATA}; 10,000 of them made, the best 43 runs, nine combinations of p",
    estimand=f"combinations with a smaller residual by Method C than by pooling; {ONE_SESSION}", asks="8 or 9",
    above=7.5, digits=0,
)  # fmt: skip


@of_sessions(
    "Table 4", "Residuals of the best third, by other persistences", at=5.3,
    by=f"After 10,000 judgments (200 for each topic). {SAME_SESSIONS}",
)  # fmt: skip
def table_4(study: Study) -> Iterator[Block]:
    """Score by other p than those that documents were chosen for."""
    found = sessions(study)
    rows = found["residuals"].filter(budget=budget(study, TEN)).filter(pl.col("method").is_in(SESSION_METHODS))
    value = {
        (method, p, of): residual
        for method, p, of, residual in rows.select("method", "p", "evaluation_p", "residual").iter_rows()
    }
    others = [(p, of) for of in PERSISTENCES for p in PERSISTENCES if p != of]
    yield DIAGONAL.told(study, {f"{p:g} for {of:g}:": value["C", p, of] - value["C", of, of] for p, of in others})
    smaller = [value["C", p, of] < value["pool", 0.8, of] for p in PERSISTENCES for of in PERSISTENCES]
    yield SMALLER.told(study, {"combinations:": sum(smaller)})
    shown = rows.filter(pl.col("method").is_in(["C", "pool"]))
    wide = shown.pivot("evaluation_p", index=["method", "p"], values="residual", maintain_order=True)
    names = [
        f"{method_name(method)}, p = {p:g}" if method != "pool" else "pooling" for method, p, *_ in wide.iter_rows()
    ]
    columns = [SheetColumn("judgments by", names)]
    columns += [
        SheetColumn(f"scored by p = {of:g}", [four(residual) for residual in wide[str(of)]], numeric=True)
        for of in PERSISTENCES
    ]
    sheet = Sheet(tuple(columns), 1, "Mean residual of the best third of the runs by mean AP.")
    yield ReportTable("residuals", sheet, rows, f"{found.command} --table residuals")


STABLE: Final = PAPER.claim(
    "This fraction is relatively stable, as the size of the judgments set, and the method of forming it, are varied.",
    where="section 5, Table 5, base against base",
    conditions=f"{DATA}; 903 pairs of the best 43 runs, Wilcoxon's test at .95; .443 to .503",
    estimand=f"largest minus smallest share of the pairs, from 5,000 judgments on, base against top minus base against "
    f"base; {ONE_SESSION}",
    asks="above 0", above=0, digits=3,
)  # fmt: skip
KEY_ROLE: Final = PAPER.claim(
    "Now the number of judgments plays a key role, and, when the judgment set size is limited, the method used to form "
    "the judgment set is also a factor.",
    where="section 5, Table 5, base against top",
    conditions=f"{DATA}; 903 pairs of the best 43 runs; at 5,000 .033 by pooling to .336 by Method C",
    estimand=f"shares of the pairs: rises from budget to budget, and largest minus smallest of the methods at 5,000, "
    f"minus that of base against base; {ONE_SESSION}",
    asks="each above 0",
)  # fmt: skip


@of_sessions(
    "Table 5", "Pairs of runs that differ significantly", at=5.4,
    by=f"One-tailed paired Wilcoxon test at .95, pairs of the best third of the runs by mean AP. {SAME_SESSIONS}",
)  # fmt: skip
def table_5(study: Study) -> Iterator[Block]:
    """Test bases against bases, tops and projections."""
    found = sessions(study)
    rows = found["significance"].filter(pl.col("method").is_in([*SESSION_METHODS, "qrels"]))
    five = budget(study, FIVE)
    of_methods = rows.filter(pl.col("method").is_in(SESSION_METHODS) & pl.col("measure").str.starts_with("RBP"))
    base, top = (
        {(method, at): share for method, at, share in of_methods.select("method", "budget", against).iter_rows()}
        for against in ("base_vs_base", "base_vs_top")
    )
    third = len(study.runs.runs) // 3
    of_pairs = f"Pairs of {third} runs: {third * (third - 1) // 2:,}."
    budgets = [budget(study, each) for each in PER_TOPIC]
    later = [(method, at) for method in SESSION_METHODS for at in budgets if at >= five]
    at_five = [(method, five) for method in SESSION_METHODS]
    yield STABLE.told(study, {"difference": _spread(top, later) - _spread(base, later)}, of_pairs)
    rise = min(top[m, b] - top[m, a] for m in SESSION_METHODS for a, b in pairwise(budgets))
    spread = _spread(top, at_five) - _spread(base, at_five)
    yield KEY_ROLE.told(
        study,
        [
            ClaimPart("least rise", Estimate(rise), above=0, digits=4),
            ClaimPart(f"methods at {five:,}", Estimate(spread), above=0, digits=3),
        ],
        of_pairs,
    )
    final = {
        measure.partition("(")[0]: share
        for measure, share in rows.filter(method="qrels").select("measure", "base_vs_base").iter_rows()
    }
    yield beside(
        "With all judgments .502 of the pairs differ by RBP, .421 by MAP.",
        f"{final['RBP']:.3f} differ by RBP, {final['AP']:.3f} by MAP.",
    )
    asked = rows.filter(
        (pl.col("method") == "qrels") | (pl.col("budget") >= five) & pl.col("measure").str.starts_with("RBP")
    )
    shown = asked.select(
        pl.col("method").replace_strict({each: method_name(each) for each in SESSION_METHODS}, default="all judgments"),
        "budget", "measure", "base_vs_base", "base_vs_top", "base_vs_projected",
    )  # fmt: skip
    yield ReportTable("significance", rounded(shown, keys=3), rows, f"{found.command} --table significance")


def _spread(shares: Mapping[tuple[str, int], float], of: Sequence[tuple[str, int]]) -> float:
    """Return the largest less the smallest share of these methods and budgets."""
    found = [shares[each] for each in of]
    return max(found) - min(found)


CUBING: Final = PAPER.claim(
    "cubing the estimated RBP value gave a marked increase in performance compared to squaring it or using it directly",
    where="section 4, Method C",
    conditions="TREC-5, the training data; the paper does not say by which number it judged",
    estimand="relevant documents found, and residual of the best third, by C1, C2 and C after 100 judgments a "
    f"topic; {ONE_SESSION}",
    asks="C finds more, with a smaller residual, than both",
)  # fmt: skip


@of_sessions(
    "Section 4", "Powers other than 3", at=4, by=f"{SAME_SESSIONS} C1 and C2 take the midpoint itself, and squared.",
)  # fmt: skip
def section_4(study: Study) -> Iterator[Block]:
    """Compare Method C with C1 and C2: relevant documents found, and residuals left."""
    found = sessions(study)
    five = budget(study, FIVE)
    relevant = found["relevant"].filter(missing="not relevant", budget=five)
    residual = found["residuals"].filter(budget=five, p=0.8, evaluation_p=0.8)
    count = dict(relevant.select("method", "relevant").iter_rows())
    left = dict(residual.select("method", "residual").iter_rows())
    more = {f"found, C minus {other}:": (count["C"] - count[other], 0) for other in POWERS}
    more |= {f"open, {other} minus C:": (left[other] - left["C"], 4) for other in POWERS}
    parts = [ClaimPart(name, Estimate(by), above=0, digits=digits) for name, (by, digits) in more.items()]
    yield CUBING.told(study, parts)


SUFFICIENT: Final = PAPER.claim(
    "judging around 200 documents for each of 50 queries in a TREC-scale system evaluation containing over 100 runs is "
    "sufficient to identify the best systems",
    where="abstract; section 7",
    estimand=f"judgments per topic by Method C until the run best by all judgments leads for good; "
    f"{ONE_SESSION}",
    asks="200 or fewer", below=200.5, digits=0,
)  # fmt: skip


@of_sessions("Section 7", "How many judgments identify the best run", at=7, by=SAME_SESSIONS)
def section_7(study: Study) -> Iterator[Block]:
    """Count the judgments until the best run leads for good, and until it is certain to."""
    found = sessions(study)
    rows = found["identification"].filter(pl.col("method").is_in(SESSION_METHODS))
    topics = study.counts["topics"]
    by_c = rows.filter(method="C").row(0, named=True)
    leads, certain = by_c["leads_from"], by_c["certain_from"]
    end = "." if leads is not None else ", which does not lead in the end."
    worst = _AT_WORST.whatever
    sure = f"never leads {worst}" if certain is None else f"leads, {worst}, after {certain / topics:.0f}"
    yield SUFFICIENT.told(
        study, {} if leads is None else {"judgments": leads / topics}, f"The best run is {by_c['best']}{end} It {sure}."
    )
    methods = pl.Series("method", list(map(method_name, rows["method"])))
    caption = f"Judgments, over all topics, from which on the best run leads for good, and {worst}."
    sheet = rounded(rows.select(methods, "best", "leads_from", "certain_from"), caption)
    yield ReportTable("identification", sheet, rows, f"{found.command} --table identification")


PAPER.lacks(
    "Section 3", "The cost of a faulty run", at=3.2,
    why="This needs a broken run. Add one to yours: Table 2 then shows how many relevant documents are still found, "
    "and how many documents are considered for it.",
)  # fmt: skip


_LISTS: Final = {
    "Run 1": "18 22 15 13 11 25 10 84",
    "Run 2": "22 10 11 19 38 18 33 17",
    "Run 3": "21 35 16 11 38 33 18 17",
    "Run 4": "10 18 11 22 87 13 17 20",
}
"""Table 1."""
_POOLED: Final = 10  # To which rank the smaller pool goes

UPPER: Final = PAPER.claim(
    "in environments in which only partial judgments are undertaken (via pooling or any other method), only a subset "
    "of the relevant documents is identified, meaning that the MAP scores computed [...] tend to be upper bounds on "
    "actual underlying performance",
    where="section 2, Problems with Mean Average Precision", conditions="any partial judgments; no data is named",
    estimand=f"AP by a pool of the first {_POOLED} documents of each run minus AP by all judgments, mean over runs and "
    "topics; t interval over topics",
    asks="above 0", above=0, digits=3, of=ClaimSetting(topics=10, depth=_POOLED + 1, pool=_POOLED + 1), needs=(),
)  # fmt: skip


@PAPER.item(
    "Section 2", "Rank-biased precision, its residual, and average precision", at=2,
    by="The worked example, with p = .8; then MAP by the judgments of what some run has within its first "
    f"{_POOLED} documents.",
)  # fmt: skip
def section_2(study: Study) -> Iterator[Block]:
    """Calculate the example, and score by part of the judgments."""
    grades = [0, 1, 1, 0, 0, 1, None, 0, 0, 1]
    base, residual = RBP(p=0.8).of(grades), RBPResidual(p=0.8).of(grades)
    rows = [
        ("base of 0 1 1 0 0 1 ? 0 0 1", ".380", f"{base:.3f}"),
        ("its residual", ".160", f"{residual:.3f}"),
        ("its top", ".540", f"{base + residual:.3f}"),
        ("residual with the first 21 judged", ".01", f"{RBPResidual(p=0.8).of([0] * 21):.4f}"),
    ]
    table = pl.DataFrame(rows, ["RBP, p = .8", "the paper", "calculated"], orient="row")
    yield rounded_table("example", table, "The worked example.")
    pooled = np.where(best_rank(study.runs) <= _POOLED, study.runs.judgments.grade, np.nan)
    shallow, full = (study.runs.scores("AP", grade).values[0] for grade in (pooled, None))
    yield UPPER.told(study, {f"by the first {_POOLED} documents": mean_of((shallow - full).mean(axis=0))})


@PAPER.item(
    "Table 1", "Four runs, and the first six documents by Method A", at=3, by="p = .8. This is arithmetic, too."
)
def table_1(_: Study) -> Iterator[Block]:
    """Judge the example."""
    runs = {run: {"q": {each: -float(at) for at, each in enumerate(line.split())}} for run, line in _LISTS.items()}
    pooled = [chosen.document for chosen in Judging(runs, "RBP(p=0.8)", method="pool").next(9)]
    judging = Judging(runs, "RBP(p=0.8)", method="A")
    chosen = judging.next(6)
    weights = ", ".join(f"{each.document} ({each.weight:.2f})" for each in chosen)
    for each in chosen:
        judging.record("q", each.document, 0)
    residual = judging.status().residual.mean(axis=1)
    rows = [
        ("order by pooling, ties in any order", "18, 22, 21, 10, 35, 15, 11, 16, 13", ", ".join(pooled)),
        ("order and weights by Method A", "18 (.48), 22 (.46), 11 (.44), 10 (.41), 21 (.20), 13 (.17)", weights),
        ("residuals then", ".41, .44, .65, .34", ", ".join(f"{value:.3f}" for value in residual)),
        ("their mean", ".49", f"{residual.mean():.3f}"),
    ]
    table = pl.DataFrame(rows, ["example", "the paper", "calculated"], orient="row")
    yield rounded_table("example", table, "The example.")
    yield Words.of("The paper sums rounded weights; the mean of its four residuals is .46.")
