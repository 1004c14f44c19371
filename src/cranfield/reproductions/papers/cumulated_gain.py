"""Järvelin and Kekäläinen (2002): cumulated gain, with and without a discount, beside the ideal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil
from typing import Any, Final

import numpy as np

from cranfield.lists.curves import Curves
from cranfield.measures.cumulated_gain import CG, DCG
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, ReportTable, Statement, Words
from cranfield.reproductions.paper import Paper, at_least
from cranfield.reproductions.study import Study, rounded
from cranfield.results.sheet import Marked, Sheet, SheetColumn
from cranfield.statistics.rank_correlation import kendall_tau

PAPER: Final = Paper(
    "cumulated-gain",
    "Cumulated gain-based indicators of IR performance",
    "Järvelin and Kekäläinen (2002), Research Notes 2002-2, University of Tampere",
)

GAINS: Final = "gains={1:1,2:10,3:100}"
LAST: Final = 200
"""Where the curves of the paper end."""
DEEP: Final = 1000
"""How far is looked down the lists for what the paper's curves do not show."""
AVERAGED: Final = (f"nCG({GAINS},averaged=True)@{LAST}", f"nDCG(base=2,{GAINS},averaged=True)@{LAST}")
"""Equation 6, for Table 1."""
TESTS: Final = {"friedman": "**", "anova": "##"}
"""The tests of Table 1, and how it marks what they find."""

CHOSEN: Final = (
    "In place of the paper's three query types stand three runs: by averaged nCG the best, the one in the middle, and "
    "the last of the best three quarters (the last of all is often a broken one)."
)
SAME: Final = "Gains, ranks and runs as in Figure 1"


def three(study: Study) -> Study:
    """Choose the best run, one from the middle and one from below it by averaged nCG; of fewer than three, all."""
    averages = study.scores(AVERAGED[0]).averages[0]
    order = np.argsort(-averages, kind="stable")
    places = dict.fromkeys((0, len(order) // 2, ceil(0.75 * len(order)) - 1))
    return study.of_runs([study.runs.runs[order[place]] for place in places])


@PAPER.item(
    "Section 2", "The worked vectors",
    by="The example's gains G' and I', by equations 1, 2 and 4. This is arithmetic: no runs have a part in it.",
)  # fmt: skip
def worked_vectors(study: Study) -> Iterator[Block]:
    """Calculate the vectors of the example."""
    del study
    printed = {
        "CG'": (CG(), (3, 2, 3, 0, 0, 1, 2, 2, 3, 0), "3 5 8 8 8 9 11 13 16 16"),
        "DCG', b = 2": (DCG(base=2), (3, 2, 3, 0, 0, 1, 2, 2, 3, 0), "3 5 6.89 6.89 7.28 7.99 8.66 9.61 9.61"),
        "CG of I'": (CG(), (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0), "3 6 9 11 13 15 16 17 18 19 19 19"),
        "DCG of I', b = 2": (
            DCG(base=2), (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0),
            "3 6 7.89 8.89 9.75 10.52 10.88 11.21 11.53 11.83 11.83 11.83",
        ),
    }  # fmt: skip
    for name, (measure, grades, values) in printed.items():
        found = " ".join(f"{round((measure @ rank).of(grades), 2):g}" for rank in range(1, len(grades) + 1))
        yield Statement(f"{name} is {values}.", f"It is {found}.", found == values)
    worth = [_worth_at(DCG(base=10, from_rank_2=True), rank) for rank in (1, 2)]
    yield Statement(
        "The greater the rank, the smaller the share of the gain that is added, for any base of the logarithm.",
        f"By equation 2 with base 10 a document is worth {worth[1]:.2f} times as much at rank 2 as at rank 1.",
        worth[1] <= worth[0],
    )


def _worth_at(measure: Measure, rank: int) -> float:
    """Return the value of a list whose only relevant document, of grade 1, is at this rank."""
    return measure.of([0] * (rank - 1) + [1])


@PAPER.item(
    "Section 2.4", "Precision and recall, grade by grade",
    by="The authors draw a curve for each level of relevance. Here a curve is that of a grade and all above it, and "
    "there are three runs, as in Figure 1.",
    needs=(at_least(2, "grades"), at_least(2, "runs")),
)  # fmt: skip
def by_grade(study: Study) -> Iterator[Block]:
    """Rank the runs by each grade, and draw the curves of three of them."""
    grade = study.runs.judgments.grade
    grades = sorted({*grade[grade > 0].tolist()})
    low, high = (f"AP(rel={level:g})" for level in (grades[0], grades[-1]))
    averages = study.scores([low, high]).averages
    tau, best = kendall_tau(*averages), [study.runs.runs[place] for place in averages.argmax(axis=1)]
    same = f"{best[0]} is the best by both" if best[0] == best[1] else f"the best are {best[0]} and {best[1]}"
    yield Statement(
        "Differing performance of techniques at different levels of relevance may be observed.",
        f"The orders of the {counted(len(study.runs.runs), 'run')} by {low} and by {high} have τ = {tau:.2f}; {same}.",
        bool(tau < 1),
    )
    yield three(study).plot("curves", [f"IPrec(rel={level:g})" for level in grades])


@PAPER.item(
    "Section 3.1", "The test environment",
    by="In the paper: 53,893 newspaper articles, 30 requests, 16,540 judged articles, of which 366 are highly, 700 "
    "fairly and 857 marginally relevant.",
)  # fmt: skip
def environment(study: Study) -> Iterator[Block]:
    """Count what there is here."""
    grade = study.runs.judgments.grade
    grade = grade[~np.isnan(grade)]
    topics = len(study.runs.topics)
    levels, counts = np.unique(grade, return_counts=True)
    rows = pl.DataFrame({"grade": [f"{level:g}" for level in levels], "documents": counts, "by topic": counts / topics})
    yield ReportTable("judgments", rounded(rows, f"Judged documents of {counted(topics, 'topic')}."), rows)
    share = float((grade == levels[levels > 0].min(initial=np.inf)).sum() / max((grade > 0).sum(), 1))
    yield Statement(
        "At a low threshold, marginal documents are a large share of the relevant ones (section 4; 45 % in 3.1).",
        f"{100 * share:.0f} % of the documents that gain something have the lowest grade.",
    )


PAPER.lacks(
    "Section 3.2", "Query structures and expansion",
    why="The queries, InQuery 3.1 and its articles are not published; what the three query types are compared by is "
    "done on your runs below.",
)  # fmt: skip


@PAPER.item(
    "Section 3.3", "Other weights, and the base of the logarithm",
    by="In the paper: gains 0-1-2-3, 0-1-4-10 and 0-1-10-100, bases 2 and 10. Here the runs are ranked by nDCG@200 "
    "under each of the six, and the orders correlated. As usual, orders with τ of .9 and more are taken for alike.",
    needs=(at_least(2, "grades"), at_least(2, "runs")),
)  # fmt: skip
def weights(study: Study) -> Iterator[Block]:
    """Rank the runs under other gains and bases."""
    sweep = "gains={1:1,2:2,3:3}|{1:1,2:4,3:10}|{1:1,2:10,3:100}, base=2|10"
    found = study.experiment("sensitivity", "nDCG@200", sweep=sweep)
    for name, claimed in (
        (
            "gains",
            "The effects of other weights on the differences between the curves, and on their shapes, are minor.",
        ),
        ("base", "Base 2 models impatient users, base 10 persistent ones; it is the stricter test condition."),
    ):
        row = found["parameters"].filter(parameter=name).row(0, named=True)
        moves = f"{row['run']} moves {counted(row['furthest'], 'place')}" if row["furthest"] else "no run moves"
        yield Statement(
            claimed,
            f"Where {name} alone differ{'s' * (name == 'base')}, the lowest τ of two orders is {row['lowest']:.3f} "
            f"({row['setting_a']} and {row['setting_b']}); {moves}.",
            row["lowest"] >= 0.9 if name == "gains" else None,
        )
    shown = ("parameter", "pairs", "lowest", "mean", "lowest_ap", "mean_ap", "furthest", "run")
    yield found.table("parameters", columns=shown)


@PAPER.item("Figure 1", "Cumulated gain at ranks 1 to 200, and the ideal",
    by="In the paper: 30 requests, gains 0-1-10-100 of four grades, ranks 1 to 200, means over the requests. " + CHOSEN,
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Hold cumulated gain against the ideal."""
    chosen = three(study)
    curves, deep = (chosen.curve(f"CG({GAINS})", last_rank=last) for last in (LAST, DEEP))
    best = curves.runs[0]
    if study.counts["grades"] == 1:
        yield Words.of("These judgments have one grade of relevance: the gains are 0 and 1.")
    yield chosen.plot("curves", f"CG({GAINS})@{LAST}")
    yield _levels_off(deep, 100, "The ideal turns horizontal at rank 100, where practically all has been found.")
    ranges = distances(curves)
    of_best = ranges.row(0, named=True)
    yield Statement(
        "The best query type is below the ideal by 43 to 531 points (11 to 54 %), others by 63 to 900 (23 to 79 %).",
        "; ".join(map(_in_words, ranges.rows(named=True))) + ".",
    )
    yield Statement(
        "Of the best query type the distance is greatest in points at ranks 20 to 100, in per cent in the early ranks.",
        f"Of {best} it is greatest in points at rank {of_best['most at']}, in per cent at rank "
        f"{of_best['most per cent at']}.",
        20 <= of_best["most at"] <= 100 and of_best["most per cent at"] <= 10,
    )
    if len(curves.runs) > 1:
        yield _always_above(curves, "The other query types remain further below the ideal.")
    grows = [_grows_later(deep, run) for run in range(len(deep.runs))]
    yield Statement(
        f"Beyond rank {LAST} the differences to the ideal are all bound to diminish.",
        _of_each(deep.runs, [f"from {a:.3g} at rank {LAST} to {b:.3g} at rank {DEEP}" for a, b in grows]),
        all(b < a for a, b in grows),
    )
    yield _reaching(deep, 10, "30 documents by the best query type, 60 and 170 by the others, have the ideal's 10.")
    if len(curves.runs) > 1:
        needed = _needed(deep, 10)
        yield Statement(
            "In this respect the best query type is twice as effective as any of the others.",
            _of_each(deep.runs, [_documents(rank) for rank in needed]),
            all(rank >= 2 * needed[0] for rank in needed[1:]) if needed[0] < np.inf else None,
        )
    yield ReportTable(
        "distances",
        rounded(ranges, f"Distance to the ideal at ranks 1 to {LAST}; the file has it at every rank."),
        curves.distances().to_polars(),
        chosen.named.command("curve", f"CG({GAINS})", last_rank=LAST, against="ideal"),
    )


@PAPER.item("Figure 2", "Discounted cumulated gain at ranks 1 to 200, and the ideal", by=f"{SAME}; base 2.")
def figure_2(study: Study) -> Iterator[Block]:
    """Hold discounted cumulated gain against the ideal."""
    chosen = three(study)
    measure = f"DCG(base=2,{GAINS})"
    curves, deep = (chosen.curve(measure, last_rank=last) for last in (LAST, DEEP))
    yield chosen.plot("curves", f"{measure}@{LAST}")
    yield _levels_off(deep, 145, "The ideal levels off at rank 145.")
    ranges = distances(curves)
    yield Statement(
        "The best query type is below the ideal by 43 to 258 points (33 to 53 %), others by 63 to 408 (47 to 78 %).",
        "; ".join(map(_in_words, ranges.rows(named=True))) + ".",
    )
    if len(curves.runs) > 1:
        yield _always_above(curves, "The other query types remain further below the ideal.")
    grown = curves.averages[:, -1] - curves.averages[:, LAST - 11]
    yield Statement(
        f"All curves still grow at rank {LAST}.",
        _of_each(curves.runs, [f"{points:.2g} points in the last 10 ranks" for points in grown]),
        bool((grown > 0).all()),
    )
    yield _reaching(curves, 5, "40 documents by the best query type have the ideal's 5; the others never reach it.")
    highest = curves.averages.max()
    goal = curves.ideal_average[9]
    yield Statement(
        "No query type ever reaches the discounted gain that is possible at rank 10.",
        f"The ideal has {goal:.4g} at rank 10; the highest of the three curves ends at {highest:.4g}.",
        bool(highest < goal),
    )
    yield ReportTable(
        "distances",
        rounded(ranges, f"Distance to the ideal at ranks 1 to {LAST}; the file has it at every rank."),
        curves.distances().to_polars(),
        chosen.named.command("curve", measure, last_rank=LAST, against="ideal"),
    )


@PAPER.item(
    "Figures 3 and 4", "Normalised curves",
    by=f"{SAME}. Average vectors are divided by the average ideal vector; the picture has the mean over "
    "topics of the ratios.",
    needs=(at_least(2, "runs"),),
)  # fmt: skip
def figures_3_and_4(study: Study) -> Iterator[Block]:
    """Hold the normalised curves against each other."""
    chosen = three(study)
    measures = (f"nCG({GAINS})", f"nDCG(base=2,{GAINS})")
    yield chosen.plot("curves", [f"{measure}@{LAST}" for measure in measures])
    gain, discounted = (chosen.curve(measure, last_rank=DEEP, average="vectors") for measure in measures)
    ends = gain.averages[:, -1]
    yield Statement(
        "The normalised CG vectors reach 1 in due course, when all relevant documents have been found.",
        f"At rank {DEEP} they have come to: {_of_each(gain.runs, [f'{end:.3f}' for end in ends])}",
        bool((ends > 0.995).all()),
    )
    highest = discounted.averages.max()
    yield Statement(
        "The normalised DCG vectors never reach 1.",
        f"The highest value of the {counted(len(discounted.runs), 'curve')} down to rank {DEEP} is {highest:.3f}.",
        bool(highest < 1),
    )
    shares = [_lead_kept(curves) for curves in (gain, discounted)]
    yield Statement(
        f"The lead of the best over the others diminishes down to rank {LAST} by nCG, not by nDCG.",
        f"At rank {LAST} the lead over {gain.runs[-1]} is {100 * shares[0]:.0f} % of its largest by nCG and "
        f"{100 * shares[1]:.0f} % by nDCG.",
        shares[0] < shares[1],
    )


@PAPER.item(
    "Table 1", "Averages of nCG and nDCG, and what tests find",
    by=f"{SAME}. Vectors are averaged over the ranks (equation 6), request by request; Friedman's test (**) "
    "and ANOVA (##), at .01. In the paper nCG is .457, .627 and .755 and nDCG .308, .437 and .596 for BOOL, SUM and "
    "SSYN-C.",
    needs=(at_least(3, "runs"), at_least(2, "topics")),
)  # fmt: skip
def table_1(study: Study) -> Iterator[Block]:
    """Test the differences of the three runs, and those of all pairs."""
    chosen = three(study)
    found = chosen.experiment("significance", AVERAGED, tests=tuple(TESTS), alpha=0.01)
    gain, discounted = found["differences"].partition_by("measure", maintain_order=True)
    yield ReportTable(
        "averages", _as_printed([gain, discounted], chosen.runs.runs), found["differences"], found.command
    )
    yield Statement(
        "By nDCG all query types differ significantly by ANOVA.",
        f"{(discounted['anova'] <= 0.01).sum()} of the 3 pairs do.",
        bool((discounted["anova"] <= 0.01).all()),
    )
    every = study.experiment("significance", AVERAGED, tests=tuple(TESTS), alpha=0.01)
    pairs = every["differences"]
    alone = pairs.filter((pl.col("anova") <= 0.01) != (pl.col("friedman") <= 0.01))
    yield Statement(
        "ANOVA gives another result than Friedman's test: it emphasises large differences on single requests.",
        f"Of {pairs.height} differences of all pairs of runs by both measures {alone.height} are significant by one "
        f"test alone, {(alone['anova'] <= 0.01).sum()} of them by ANOVA.",
        alone.height > 0,
    )
    yield from _against_the_order(pairs.filter(measure=pairs["measure"][0]))
    yield every.table("agreement")


@PAPER.item(
    "Section 4", "How much longer, and when to stop",
    by=f"The curves are read from side to side: how many documents has a run to show for the gain that the best run "
    f"has after 10, 20 and 50? {SAME}.",
    needs=(at_least(2, "runs"),),
)  # fmt: skip
def conclusions(study: Study) -> Iterator[Block]:
    """Read the curves from side to side, and say what is still found beyond the recall base."""
    chosen = three(study)
    deep = chosen.curve(f"CG({GAINS})", last_rank=DEEP)
    best = deep.runs[0]
    rows = []
    for after in (10, 20, 50):
        needed = dict(deep.rank_reaching(after, of=best).iter_rows())
        own = needed.pop(best)  # fewer, where the last of them gained nothing
        rows += [
            (after, run, own, rank, None if rank is None else 100 * (rank - own) / own) for run, rank in needed.items()
        ]
    columns = {
        "after": pl.Int64, "run": pl.String, "the best takes": pl.Int64, "documents": pl.Int64,
        "per cent more": pl.Float64,
    }  # fmt: skip
    table = pl.DataFrame(rows, columns, orient="row")
    more = [share for share in table["per cent more"] if share is not None]
    never = f"{table.height - len(more)} of {table.height} times it is never reached"
    ends = dict.fromkeys(f"{end:.0f}" for end in (min(more), max(more))) if more else {}
    within = f"{' to '.join(ends)} % more than by {best}"
    yield Statement(
        "By the worse query types one has to examine 100 to 600 % more documents for the gain of the best.",
        "; ".join([within] * bool(more) + [never] * (len(more) < table.height)) + ".",
        len(more) == table.height and min(more) >= 100 and max(more) <= 600,
    )
    command = chosen.named.command("curve", f"CG({GAINS})", last_rank=DEEP, against=best, reach=10)
    yield ReportTable(
        "reached", rounded(table, f"Documents for the gain that {best} has after so many.", keys=2), table, command
    )
    at_base, in_all = study.scores(["Rprec", f"R@{DEEP}"]).averages.mean(axis=1)
    yield Statement(
        "Where the best possible curve turns horizontal there is nothing to be gained by examining further documents.",
        f"At rank R, where the curve of a topic does so, the runs have found {at_base:.3f} of the relevant "
        f"documents, and {in_all:.3f} at rank {DEEP} (means over {counted(len(study.runs.runs), 'run')}).",
        bool(in_all <= at_base),
    )


def distances(curves: Curves) -> pl.DataFrame:
    """Sum up how far each run is below the ideal: a row for each, the points and per cent, and where they are most."""
    rows = curves.distances().to_polars().with_columns(pl.col("per_cent").fill_null(0.0))
    below, share, rank = (pl.col(name) for name in ("below", "per_cent", "rank"))
    return rows.group_by("run", maintain_order=True).agg(
        below.min().alias("points, least"),
        below.max().alias("points, most"),
        rank.get(below.arg_max()).alias("most at"),
        share.min().alias("per cent, least"),
        share.max().alias("per cent, most"),
        rank.get(share.arg_max()).alias("most per cent at"),
    )


def _in_words(row: dict[str, float]) -> str:
    return (
        f"{row['run']} by {row['points, least']:.3g} to {row['points, most']:.4g} points "
        f"({row['per cent, least']:.0f} to {row['per cent, most']:.0f} %)"
    )


def _of_each(runs: Sequence[str], values: Sequence[str]) -> str:
    """Say something of each run.

    >>> _of_each(["a", "b"], ["1", "2"])
    'a: 1; b: 2.'
    """
    return "; ".join(f"{run}: {value}" for run, value in zip(runs, values, strict=True)) + "."


def _levels_off(deep: Curves, rank: int, claimed: str) -> Statement:
    """Say how much of its gain the ideal has at the paper's rank, and where it does not rise any more."""
    share = float(deep.ideal_average[rank - 1] / deep.ideal_average[-1]) if deep.ideal_average[-1] > 0 else 1.0
    exactly = f"at rank {deep.levels_off}" if deep.levels_off else f"not before rank {DEEP}"
    return Statement(
        claimed,
        f"There it has {100 * share:.0f} % of its gain (95 are taken for practically all); to the letter it levels off "
        f"{exactly}.",
        share >= 0.95,
    )


def _always_above(curves: Curves, claimed: str) -> Statement:
    best, others = curves.averages[0], curves.averages[1:]
    above = (best >= others).all(axis=0)
    where = f"at {above.sum()} of {counted(len(above), 'rank')}"
    if not above.all():
        where += f" (not at rank {int(above.argmin()) + 1})"
    return Statement(claimed, f"{curves.runs[0]} is above the others {where}.", bool(above.all()))


def _grows_later(deep: Curves, run: int) -> tuple[float, float]:
    """Return the distance to the ideal where the paper's curves end, and at the end of these."""
    below = deep.ideal_average - deep.averages[run]
    return float(below[LAST - 1]), float(below[-1])


def _needed(curves: Curves, after: int) -> list[float]:
    """Return after how many documents each run has what the ideal has after a few; infinitely many, if never."""
    return [np.inf if rank is None else rank for _, rank in curves.rank_reaching(after).iter_rows()]


def _documents(rank: float) -> str:
    return counted(int(rank), "document") if rank < np.inf else "never"


def _reaching(curves: Curves, after: int, claimed: str) -> Statement:
    found = _of_each(curves.runs, [_documents(rank) for rank in _needed(curves, after)])
    return Statement(claimed, f"For the ideal's {after}: {found}")


def _lead_kept(curves: Curves) -> float:
    """Return the lead of the first run over the last where the paper's curves end, as a share of its largest."""
    lead = (curves.averages[0] - curves.averages[-1])[:LAST]
    return float(lead[-1] / lead.max()) if lead.max() > 0 else 0.0


def _as_printed(measures: Sequence[pl.DataFrame], runs: Sequence[str]) -> Sheet:
    """Lay the averages and differences of three runs out as the paper does, the last run first."""
    order = list(reversed(runs))
    means = [
        {row[f"run_{side}"]: row[f"mean_{side}"] for row in rows.iter_rows(named=True) for side in "ab"}
        for rows in measures
    ]
    marks = [
        {frozenset((row["run_a"], row["run_b"])): _marks(row) for row in rows.iter_rows(named=True)}
        for rows in measures
    ]
    columns = [SheetColumn("measure", ["nCG", "nDCG"])]
    columns += [SheetColumn(run, [of[run] for of in means], numeric=True) for run in order]
    for low, high in combinations(order, 2):
        cells = [Marked(of[high] - of[low], by[frozenset((low, high))]) for of, by in zip(means, marks, strict=True)]
        columns.append(SheetColumn(f"{high} - {low}", cells, numeric=True))
    return Sheet(tuple(columns), 1, "** p < .01 by Friedman's test, ## p < .01 by ANOVA.")


def _marks(row: Mapping[str, Any]) -> str:
    return " ".join(mark for test, mark in TESTS.items() if row[test] <= 0.01)


def _against_the_order(pairs: pl.DataFrame) -> Iterator[Block]:
    """Say whether, by each test, a large difference is not significant where a smaller one is."""
    size = pl.col("difference").abs()
    for test, claimed in (
        ("friedman", "By Friedman's test a difference (SUM and BOOL) is not significant where a smaller one is."),
        ("anova", "ANOVA goes by the magnitude of the differences."),
    ):
        found = pl.col(test) <= 0.01
        missed, least = pairs.filter(~found).select(size.max()).item(), pairs.filter(found).select(size.min()).item()
        if missed is None or least is None:
            yield Words.of(f"By {test} of {'all' if missed is None else 'no'} pairs the difference is significant.")
            continue
        yield Statement(
            claimed,
            f"Of all pairs by nCG the largest difference that is not significant is {missed:.3f}, the smallest that is "
            f"{least:.3f}.",
            missed > least if test == "friedman" else missed <= least,
        )
