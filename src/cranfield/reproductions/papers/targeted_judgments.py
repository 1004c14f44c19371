"""Moffat, Webber and Zobel (2007): what to judge next, and how sure of the runs one is by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from cranfield.experiments.pools import best_rank, random_pool
from cranfield.experiments.side_by_side import COLLECTION
from cranfield.measures.average_precision import AP
from cranfield.measures.user_models import RBP, RBPResidual
from cranfield.plots import plot_named
from cranfield.plots.material import Material
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, Picture, ReportTable, Statement, Words
from cranfield.reproductions.paper import Paper, at_least
from cranfield.reproductions.study import Found, Study, rounded
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.selection import Judging
from cranfield.statistics.rank_correlation import kendall_tau

PAPER: Final = Paper(
    "targeted-judgments",
    "Strategic system comparisons via targeted relevance judgments",
    "Moffat, Webber and Zobel (2007), SIGIR",
)

LISTS: Final = {
    "Run 1": "18 22 15 13 11 25 10 84",
    "Run 2": "22 10 11 19 38 18 33 17",
    "Run 3": "21 35 16 11 38 33 18 17",
    "Run 4": "10 18 11 22 87 13 17 20",
}
"""Table 1."""

METHODS: Final = ("pool", "A", "B", "C")
POWERS: Final = ("C1", "C2")
"""Method C with other powers than 3."""
PER_TOPIC: Final = (20, 40, 100, 200, 400)
"""1,000, 2,000, 5,000, 10,000 and 20,000 judgments for the paper's 50 topics."""
FIVE: Final = PER_TOPIC[2]
TEN: Final = PER_TOPIC[3]
RENEWED: Final = 20
"""After how many judgments weights are renewed, where there is no time to do so after each."""
EVERY: Final = f"the weights of documents are renewed after each judgment instead of after {RENEWED}"
PERSISTENCES: Final = (0.5, 0.8, 0.95)

OTHERS: Final = (
    "In the paper 129 runs of TREC-8, 50 topics. As there, the qrels answer, and what they lack is not relevant. "
    f"Budgets are the paper's for each topic ({', '.join(map(str, PER_TOPIC))} judgments), which go the deeper, the "
    "fewer runs there are. A grade gains its share of the largest one."
)
SAME: Final = "Sessions and budgets as in Figure 1."
SIZE: Final = (at_least(6, "runs"), at_least(2, "topics"))


def sessions(study: Study) -> Found:
    """Judge by each method, as far as the largest budget goes."""
    return study.experiment(
        "judging",
        methods=(*METHODS, *POWERS),
        budgets=tuple(budget(study, each) for each in PER_TOPIC),
        renew_every=1 if study.full else RENEWED,
    )


def budget(study: Study, per_topic: int) -> int:
    """Return how many judgments those of a topic are for all."""
    return per_topic * study.counts["topics"]


@PAPER.item(
    "Section 2", "Rank-biased precision, its residual, and average precision",
    by="The worked example, with p = .8; then MAP by the judgments of what some run has within its first 10 documents, "
    "and by a random half of the judgments.",
)  # fmt: skip
def section_2(study: Study) -> Iterator[Block]:
    """Calculate the example, and score by part of the judgments."""
    grades = [0, 1, 1, 0, 0, 1, None, 0, 0, 1]
    base, residual = RBP(p=0.8).of(grades), RBPResidual(p=0.8).of(grades)
    yield Statement(
        "The list 0 1 1 0 0 1 ? 0 0 1 has a base of .380, a residual of .160, and so a top of .540.",
        f"It has {base:.3f}, {residual:.3f} and {base + residual:.3f}.",
        [round(value, 3) for value in (base, residual, base + residual)] == [0.38, 0.16, 0.54],
    )
    deep = RBPResidual(p=0.8).of([0] * 21)
    yield Statement(
        "With the first 21 documents judged the residual is .01.", f"It is {deep:.4f}.", round(deep, 2) == 0.01
    )
    values = sorted(AP().of([0, first, second]) for first in (0, 1) for second in (0, 1))
    yield Statement(
        "With more judgments MAP can come to be any value between 0 and 1.",
        f"AP of 0 ? ? is {', '.join(f'{value:.3f}' for value in values)} in the end, never above {values[-1]:.3f}.",
        values[-1] == 1,
    )
    judgments, full = study.runs.judgments, study.runs.scores("AP").values[0].mean(axis=1)
    pools = (best_rank(study.runs) <= 10, random_pool(judgments, np.random.default_rng(7)).kept(0.5))
    above = [
        int((study.runs.scores("AP", np.where(kept, judgments.grade, np.nan)).values[0].mean(axis=1) > full).sum())
        for kept in pools
    ]
    yield Statement(
        "MAP by part of the judgments tends to be above that by all, whatever way they were chosen.",
        f"With the judgments of what is within the first 10 it is above for {above[0]} of "
        f"{counted(len(full), 'run')}, with a random half of all judgments for {above[1]}.",
        min(above) > len(full) / 2,
    )


@PAPER.item("Table 1", "Four runs, and the first six documents by Method A", by="p = .8. This is arithmetic, too.")
def table_1(study: Study) -> Iterator[Block]:
    """Judge the example."""
    del study
    runs = {run: {"q": {each: -float(at) for at, each in enumerate(line.split())}} for run, line in LISTS.items()}
    pooled = [chosen.document for chosen in Judging(runs, "RBP(p=0.8)", method="pool").next(9)]
    first, ranks = [line.split() for line in LISTS.values()], range(3)
    levels = [
        sorted({line[rank] for line in first} - {line[at] for line in first for at in range(rank)}) for rank in ranks
    ]
    expected = [document for level in levels for document in level][:9]
    yield Statement(
        "By pooling the order is 18, 22, 21, 10, 35, 15, 11, 16, 13, ..., ties in any order.",
        f"It is {', '.join(pooled)}; documents of the same rank come by their name.",
        pooled[:4] == expected[:4] and set(pooled[4:8]) == set(expected[4:8]),
    )
    judging = Judging(runs, "RBP(p=0.8)", method="A")
    chosen = judging.next(6)
    weights = {each.document: round(each.weight, 2) for each in chosen}
    yield Statement(
        "By Method A it is 18, 22, 11, 10, 21 and 13, with weights .48, .46, .44, .41, .20 and .17.",
        f"It is {', '.join(f'{document} ({weight:.2f})' for document, weight in weights.items())}.",
        weights == {"18": 0.48, "22": 0.46, "11": 0.44, "10": 0.41, "21": 0.2, "13": 0.17},
    )
    for each in chosen:
        judging.record("q", each.document, 0)
    residual = judging.status().residual.mean(axis=1)
    found = ", ".join(f"{value:.3f}" for value in residual)
    yield Statement(
        "The residuals of the four runs are then .41, .44, .65 and .34.",
        f"They are {found}. The paper adds up rounded weights.",
        bool(np.abs(residual - [0.41, 0.44, 0.65, 0.34]).max() < 0.011),
    )
    yield Statement(
        "Their mean is .49.", f"It is {residual.mean():.3f}; that of the paper's four figures is .46.",
        bool(round(residual.mean(), 2) == 0.49),
    )  # fmt: skip


@PAPER.item(
    "Figure 1", "The range of each run after 5,000 judgments (100 for each topic)", by=OTHERS, needs=SIZE, longer=EVERY
)
def figure_1(study: Study) -> Iterator[Block]:
    """Draw the ranges by each method."""
    found = sessions(study)
    ranges = found["ranges"].filter(budget=budget(study, FIVE))
    for pair in (METHODS[:2], METHODS[2:]):
        yield _ranges(study, found, ranges, {method: _method(method) for method in pair})
    residual = {method: _thirds(ranges.filter(method=method)) for method in METHODS}
    everywhere = {_method(method): of["all"] for method, of in residual.items()}
    yield Statement(
        "Method A reduces the average residual the most.",
        f"Over all runs it is {_written(everywhere)}.",
        min(residual, key=lambda method: residual[method]["all"]) == "A",
    )
    a, b, c = (residual[method] for method in "ABC")
    yield Statement(
        "Method B has smaller ranges than A at the bottom of the order, and larger ones elsewhere.",
        f"In the last third of the runs the mean residual is {_four(b['last'])} by B and {_four(a['last'])} by A, in "
        f"the first {_four(b['first'])} and {_four(a['first'])}.",
        b["last"] < a["last"] and b["first"] > a["first"],
    )
    top = {_method(method): of["first"] for method, of in residual.items()}
    yield Statement(
        "By Method C there is reasonable accuracy at the top, the most of the four.",
        f"In the first third the mean residual is {_written(top)}.",
        c["first"] == min(of["first"] for of in residual.values()),
    )
    rivals = {_method(method): _rivals(ranges.filter(method=method)) for method in METHODS}
    yield Statement(
        "By pooling more than a dozen runs could still be better than the first by MAP.",
        f"Runs whose top is above its base: {', '.join(f'{count} by {method}' for method, count in rivals.items())}.",
    )
    thirds = {"all": "all runs", "first": "first third", "middle": "middle third", "last": "last third"}
    shown = [SheetColumn("method", [_method(method) for method in METHODS])]
    shown += [SheetColumn(title, [_four(residual[m][part]) for m in METHODS], True) for part, title in thirds.items()]
    caption = "Mean residual, of all runs and of thirds of them in the order of mean AP."
    yield ReportTable("ranges", Sheet(tuple(shown), 1, caption), ranges, f"{found.command} --table ranges")


@PAPER.item(
    "Figure 2", "The full and the projected range after 10,000 judgments (200 for each topic)",
    by=SAME, needs=SIZE, longer=EVERY,
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Draw the ranges by Method C, and look whether projections are upper bounds."""
    found = sessions(study)
    every = found["ranges"]
    ranges = every.filter(budget=budget(study, TEN))
    yield _ranges(study, found, ranges, {"C": _method("C")})
    residual = {method: _thirds(ranges.filter(method=method))["first"] for method in METHODS}
    yield Statement(
        "After 10,000 judgments Method C remains clearly superior.",
        f"In the first third of the runs the mean residual is "
        f"{_written({_method(method): value for method, value in residual.items()})}.",
        min(residual, key=residual.__getitem__) == "C",
    )
    final = every.filter(method="qrels").select("run", final="base")
    known = every.filter(pl.col("method").is_in(METHODS)).join(final, on="run")
    failed = known.filter(pl.col("projected") < pl.col("final") - 1e-9)
    yield Statement(
        "The projected bound was always above the base by all judgments.",
        f"It is below it {failed.height:,} of {counted(known.height, 'time')} (runs, budgets and methods).",
        failed.height == 0,
    )
    by_c = ranges.filter(method="C").sort("place").with_columns(over=pl.col("top") - pl.col("projected"))
    third = max(by_c.height // 3, 1)
    good, weak = (float(part["over"].to_numpy().mean()) for part in (by_c.head(third), by_c.tail(third)))
    yield Statement(
        "For the better runs the projected value is little different from the full range; for the weaker ones the tops "
        "are drastic overestimates.",
        f"The top is {_four(good)} above the projected value in the first third, {_four(weak)} in the last.",
        weak > 2 * good,
    )


@PAPER.item(
    "Figure 3", "Projected ranges for a more persistent user, p = .95",
    by="After 10,000 judgments (200 for each topic) by Method C, where what the qrels lack is not relevant, and with "
    f"all judgments, where it is unjudged. {SAME}",
    needs=SIZE, longer=EVERY,
)  # fmt: skip
def figure_3(study: Study) -> Iterator[Block]:
    """Draw both."""
    amount = budget(study, TEN)
    renew = 1 if study.full else RENEWED
    found = study.experiment(
        "judging", methods=("C",), budgets=(amount,), p=0.95, evaluation_p=(0.95,), renew_every=renew
    )
    ranges = found["ranges"]
    names = {"C": f"Method C, {amount:,} judgments", "qrels": "all judgments"}
    yield _ranges(study, found, ranges, names, p=0.95)
    judged = ranges.filter(method="qrels")
    widest = judged.sort("residual", descending=True, maintain_order=True).row(0, named=True)
    open_runs = judged.filter(pl.col("residual") > 0.01)
    yield Statement(
        "Even with all judgments there are non-trivial residuals for certain key runs.",
        f"{open_runs.height} of {counted(judged.height, 'run')} have a residual above .01; the largest is "
        f"{widest['residual']:.3f}, of {widest['run']}, number {widest['place']} by mean AP.",
        open_runs.height > 0,
    )
    ranked = study.scores([AP(), RBP(p=0.8), RBP(p=0.95)]).averages
    less, more = (float(kendall_tau(ranked[0], ranked[at])) for at in (1, 2))
    yield Statement(
        "With p = .95 RBP matches MAP more closely than with p = .8.",
        f"τ of the orders of the runs is {more:.2f} with p = .95, {less:.2f} with p = .8.",
        more > less,
    )


@PAPER.item(
    "Table 2", "Relevant documents found",
    by=f"{SAME} Here alone documents that the qrels lack are bypassed.",
    needs=SIZE, longer=EVERY,
)  # fmt: skip
def table_2(study: Study) -> Iterator[Block]:
    """Count what each method finds."""
    found = sessions(study)
    rows = found["relevant"].filter(missing="bypassed").filter(pl.col("method").is_in(METHODS))
    count = {(method, at): n for method, at, n in rows.select("method", "budget", "relevant").iter_rows()}
    budgets = [budget(study, each) for each in PER_TOPIC]
    fewer = [
        f"{method} at {at:,} ({count[method, at]:,} to {count['pool', at]:,})"
        for at in budgets
        for method in "ABC"
        if count[method, at] < count["pool", at]
    ]
    yield Statement(
        "The methods A, B and C find more relevant documents than pooling.",
        f"Fewer are found by {'; '.join(fewer)}." if fewer else "At each budget they find as many or more.",
        not fewer,
    )
    five = budget(study, FIVE)
    more = 100 * (count["C", five] / max(count["pool", five], 1) - 1)
    yield Statement(
        "At 5,000 judgments Method C finds over 30 % more than pooling (1,440 to 1,097).",
        f"At {five:,} it finds {count['C', five]:,} to {count['pool', five]:,}, {abs(more):.0f} % "
        f"{'fewer' if more < 0 else 'more'}.",
        more > 30,
    )
    cells = {
        (method, at): f"{n:,} : {considered:,}"
        for method, at, n, considered in rows.select("method", "budget", "relevant", "considered").iter_rows()
    }
    columns = [SheetColumn("method", [_method(method) for method in METHODS])]
    columns += [SheetColumn(f"{at:,}", [cells[method, at] for method in METHODS], numeric=True) for at in budgets]
    caption = "Relevant documents found : documents considered, bypassed ones among them, by judgments."
    yield ReportTable("relevant", Sheet(tuple(columns), 1, caption), rows, f"{found.command} --table relevant")


@PAPER.item("Table 3", "Judgments that other persistences have in common", by=SAME, needs=SIZE, longer=EVERY)
def table_3(study: Study) -> Iterator[Block]:
    """Count the documents that sessions for other p have in common."""
    found = sessions(study)
    ten = budget(study, TEN)
    rows = found["overlap"].filter(budget=ten)
    common = {(p, other): n for p, other, n in rows.select("p", "other_p", "common").iter_rows()}
    cells = [common.get(pair, common.get(pair[::-1], 0)) for pair in ((0.5, 0.8), (0.8, 0.95), (0.5, 0.95))]
    most = 100 * (1 - cells[2] / ten)
    yield Statement(
        "Of 10,000 judgments 9,215 are the same for p = .5 and .8, 7,517 for .8 and .95, 6,972 for .5 and .95.",
        f"Of {ten:,} they are {cells[0]:,}, {cells[1]:,} and {cells[2]:,}.",
        None,
    )
    yield Statement(
        "There is a quite marked difference: as many as 30 % change from p = .5 to .95.",
        f"{most:.0f} % change.",
        most >= 20,
    )
    yield ReportTable("overlap", rounded(rows, keys=2), rows, f"{found.command} --table overlap")


@PAPER.item(
    "Table 4", "Residuals of the best third, by other persistences",
    by=f"After 10,000 judgments (200 for each topic). {SAME}", needs=SIZE, longer=EVERY,
)  # fmt: skip
def table_4(study: Study) -> Iterator[Block]:
    """Score by other p than those that documents were chosen for."""
    found = sessions(study)
    rows = found["residuals"].filter(budget=budget(study, TEN)).filter(pl.col("method").is_in(METHODS))
    value = {
        (method, p, of): residual
        for method, p, of, residual in rows.select("method", "p", "evaluation_p", "residual").iter_rows()
    }
    least = [min(PERSISTENCES, key=lambda p: value["C", p, of]) for of in PERSISTENCES]
    yield Statement(
        "The residual is least where documents were chosen for the p by which runs are scored.",
        "By p of "
        + "; ".join(f"{of:g} it is least for documents of {p:g}" for of, p in zip(PERSISTENCES, least, strict=True))
        + ".",
        least == list(PERSISTENCES),
    )
    smaller = [value["C", p, of] < value["pool", 0.8, of] for p in PERSISTENCES for of in PERSISTENCES]
    yield Statement(
        "In all but one of nine combinations Method C leaves smaller residuals than pooling.",
        f"In {sum(smaller)} of {len(smaller)} it does.",
        sum(smaller) >= 8,
    )
    shown = rows.filter(pl.col("method").is_in(["C", "pool"]))
    wide = shown.pivot("evaluation_p", index=["method", "p"], values="residual", maintain_order=True)
    names = [f"{_method(method)}, p = {p:g}" if method != "pool" else "pooling" for method, p, *_ in wide.iter_rows()]
    columns = [SheetColumn("judgments by", names)]
    columns += [
        SheetColumn(f"scored by p = {of:g}", [_four(residual) for residual in wide[str(of)]], numeric=True)
        for of in PERSISTENCES
    ]
    sheet = Sheet(tuple(columns), 1, "Mean residual of the best third of the runs by mean AP.")
    yield ReportTable("residuals", sheet, rows, f"{found.command} --table residuals")


@PAPER.item(
    "Table 5", "Pairs of runs that differ significantly",
    by=f"One-tailed paired Wilcoxon test at .95, pairs of the best third of the runs by mean AP. {SAME}",
    needs=SIZE, longer=EVERY,
)  # fmt: skip
def table_5(study: Study) -> Iterator[Block]:
    """Test bases against bases, tops and projections."""
    found = sessions(study)
    rows = found["significance"].filter(pl.col("method").is_in([*METHODS, "qrels"]))
    five = budget(study, FIVE)
    of_methods = rows.filter(pl.col("method").is_in(METHODS) & pl.col("measure").str.starts_with("RBP"))
    least, most = (
        float(value)
        for value in of_methods.filter(pl.col("budget") >= five)
        .select(least=pl.col("base_vs_base").min(), most=pl.col("base_vs_base").max())
        .row(0)
    )
    yield Statement(
        "Base against base the share of pairs is stable from 5,000 judgments on, by any method (.443 to .503).",
        f"It is {least:.3f} to {most:.3f}.",
        most - least <= 0.1,
    )
    top = {
        (method, at): share for method, at, share in of_methods.select("method", "budget", "base_vs_top").iter_rows()
    }
    at_five = ", ".join(f"{top[method, five]:.3f} by {_method(method)}" for method in METHODS)
    yield Statement(
        "Base against top the method matters at 5,000 judgments: pooling .033, A .313, B .130, C .336.",
        f"At {five:,}: {at_five}.",
        max(METHODS, key=lambda method: top[method, five]) == "C" and top["C", five] > top["pool", five] + 0.01,
    )
    budgets = [budget(study, each) for each in PER_TOPIC]
    rises = all(top[method, a] <= top[method, b] + 0.01 for method in METHODS for a, b in pairwise(budgets))
    by_c = ", ".join(f"{top['C', at]:.3f}" for at in budgets)
    yield Statement("The more judgments, the more pairs differ, base against top.", f"By Method C: {by_c}.", rises)
    final = {
        measure.partition("(")[0]: share
        for measure, share in rows.filter(method="qrels").select("measure", "base_vs_base").iter_rows()
    }
    yield Statement(
        "With all judgments more pairs differ by RBP (.502) than by MAP (.421).",
        f"By RBP {final['RBP']:.3f} do, by MAP {final['AP']:.3f}.",
        final["RBP"] > final["AP"],
    )
    asked = rows.filter(
        (pl.col("method") == "qrels") | (pl.col("budget") >= five) & pl.col("measure").str.starts_with("RBP")
    )
    shown = asked.select(
        pl.col("method").replace_strict({method: _method(method) for method in METHODS}, default="all judgments"),
        "budget", "measure", "base_vs_base", "base_vs_top", "base_vs_projected",
    )  # fmt: skip
    yield ReportTable("significance", rounded(shown, keys=3), rows, f"{found.command} --table significance")


@PAPER.item(
    "Section 4", "Other powers than 3", by=f"{SAME} C1 and C2 take the midpoint itself, and squared.",
    needs=SIZE, longer=EVERY,
)  # fmt: skip
def section_4(study: Study) -> Iterator[Block]:
    """Hold Method C against C1 and C2, by what each finds."""
    found = sessions(study)
    five, powers = budget(study, FIVE), (*POWERS, "C")
    rows = found["relevant"].filter(missing="not relevant", budget=five).filter(pl.col("method").is_in(powers))
    count = dict(rows.select("method", "relevant").iter_rows())
    leads = dict(found["identification"].select("method", "leads_from").iter_rows())
    residual = found["residuals"].filter(budget=five, p=0.8, evaluation_p=0.8)
    left = dict(residual.select("method", "residual").iter_rows())
    said = "; ".join(
        f"{method} has found {count[method]:,}, leaves {_four(left[method])} open, and its best run leads "
        f"{'from ' + format(leads[method], ',') + ' on' if leads[method] is not None else 'not in the end'}"
        for method in powers
    )
    yield Statement(
        "Cubing gives a marked increase in performance over squaring or not (TREC-5).",
        f"After {five:,} judgments {said}.",
        count["C"] > count["C2"] > count["C1"],
    )
    yield Words.of("Open is the mean residual of the best third. The paper names no number by which it judged.")


@PAPER.item("Section 7", "How many judgments identify the best run", by=SAME, needs=SIZE, longer=EVERY)
def section_7(study: Study) -> Iterator[Block]:
    """Count the judgments until the best run leads for good, and until it is certain to."""
    found = sessions(study)
    rows = found["identification"].filter(pl.col("method").is_in(METHODS))
    topics = study.counts["topics"]
    by_c = rows.filter(method="C").row(0, named=True)
    leads, certain = by_c["leads_from"], by_c["certain_from"]
    yield Statement(
        "An average of 200 judgments for each topic is sufficient to identify the best systems.",
        f"By Method C {by_c['best']}, which is best by all judgments, "
        + (
            f"leads for good after {leads / topics:.0f} for each topic"
            if leads is not None
            else "does not lead in the end"
        )
        + (f", and is certain to after {certain / topics:.0f}." if certain is not None else "; certain it never is."),
        leads is not None and leads <= 200 * topics,
    )
    shown = rows.select("best", "leads_from", "certain_from")
    caption = "Judgments, over all topics, from which on the best run leads for good, and is certain to."
    sheet = rounded(
        shown.insert_column(0, pl.Series("method", [_method(method) for method in rows["method"]])), caption
    )
    yield ReportTable("identification", sheet, rows, f"{found.command} --table identification")


PAPER.lacks(
    "Section 3", "What a faulty run costs",
    why="It takes a run that is broken. Given among yours, Table 2 shows how many relevant documents are still found, "
    "and how many documents are considered for it.",
)  # fmt: skip


def _method(name: str) -> str:
    return "pooling" if name == "pool" else f"Method {name}"


def _thirds(ranges: pl.DataFrame) -> dict[str, float]:
    """Return the mean residual of all runs, and of thirds of them in the order of mean AP."""
    residual = ranges.sort("place")["residual"].to_numpy()
    parts: Sequence[np.ndarray] = np.array_split(residual, 3)
    return {"all": float(residual.mean())} | {
        name: float(part.mean()) if len(part) else 0.0
        for name, part in zip(("first", "middle", "last"), parts, strict=True)
    }


def _rivals(ranges: pl.DataFrame) -> int:
    """Count the runs whose top is above the base of the first run by mean AP."""
    ordered = ranges.sort("place")
    return int((ordered["top"][1:] > ordered["base"][0]).sum())


def _written(values: dict[str, float]) -> str:
    return ", ".join(f"{_four(value)} by {name}" for name, value in values.items())


def _four(residual: float) -> str:
    """Write a residual with four digits, as the paper does.

    >>> _four(0.01902), _four(4e-7), _four(0.0)
    ('0.0190', '< 0.0001', '0.0000')
    """
    return "< 0.0001" if 0 < residual < 0.00005 else f"{residual:.4f}"


def _ranges(study: Study, found: Found, ranges: pl.DataFrame, names: dict[str, str], *, p: float = 0.8) -> Picture:
    """Draw the base, the residual and the projection of each run, by each method."""
    columns = {f"RBP(p={p:g})": "base", f"RBPResidual(p={p:g})": "residual", f"RBPProjected(p={p:g})": "projected"}
    scores = study.scores("AP")
    precision = pl.DataFrame({"run": scores.runs, "AP": scores.averages[0]})
    parts = [
        ranges.filter(method=method)
        .join(precision, on="run", maintain_order="left")
        .select(pl.lit(name).alias(COLLECTION), "run", "AP", **columns)
        .unpivot(index=[COLLECTION, "run"], variable_name="measure", value_name="value")
        for method, name in names.items()
    ]
    means = pl.concat(parts)
    if len(names) == 1:
        means = means.drop(COLLECTION)
    about = found.findings.material().about
    figure = plot_named("residuals").of(Material("scores", {"means": lambda: means}, about))
    return Picture(figure, "Runs in the order of mean AP by all judgments.", f"{found.command} --table ranges")
