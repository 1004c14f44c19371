"""Figures 1 to 4, Table 1 and section 4: the curves, their distance to the ideal, their averages, and when to stop."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from cranfield.lists.curves import Curves
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, ReportTable, Statement, Words
from cranfield.reproductions.claim_estimates import drawn, estimated, mean_of
from cranfield.reproductions.claims import ClaimPart, ClaimSetting, Estimate, at_least, beside, level
from cranfield.reproductions.papers.cumulated_gain import (
    AVERAGED,
    CHOSEN,
    CURVES,
    DATA,
    DEEP,
    GAINS,
    LAST,
    PAPER,
    SAME_RUNS,
    three,
)
from cranfield.reproductions.relative_position import something_relevant
from cranfield.reproductions.study import Study, rounded, rounded_table
from cranfield.results.sheet import Marked, Sheet, SheetColumn

GREATEST: Final = PAPER.claim(
    "The absolute difference is greatest in the range from rank 20 to 100; the relative difference is greatest in the "
    "early ranks.",
    where="section 3.4, Figure 1", conditions=f"the best of {DATA}",
    estimand="ranks at which the best run's mean CG is furthest below the ideal, in points and in per cent of it; "
    "percentiles of drawn topics",
    asks="the first is from 20 to 100, the second before 20",
)  # fmt: skip
DIMINISH: Final = PAPER.claim(
    "Beyond the rank 200 the differences between the best possible and all actual curves are all bound to diminish.",
    where="section 3.4, Figure 1",
    estimand="distance to the ideal at rank 200 minus that at rank 1,000, mean over topics, run by run; t intervals",
    asks="above 0 for each of the three runs", above=0, digits=1, of=replace(CURVES, depth=DEEP),
)  # fmt: skip


@PAPER.item(
    "Figure 1", "Cumulated gain at ranks 1 to 200, and the ideal", at=3.4,
    by="In the paper: 30 requests, gains 0-1-10-100 of four grades, ranks 1 to 200, means over the requests. " + CHOSEN,
    needs=(something_relevant,),
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Compare cumulated gain with the ideal."""
    if study.counts["grades"] == 1:
        yield Words.of("These judgments have one grade of relevance: the gains are 0 and 1.")
    chosen, measure = three(study), f"CG({GAINS})"
    curves, deep = yield from _beside_the_ideal(
        chosen, measure, 100,
        "The ideal turns horizontal at rank 100, where practically all has been found.",
        "The best query type is below the ideal by 43 to 531 points (11 to 54%), others by 63 to 900 (23 to 79%).",
    )  # fmt: skip
    points, share = drawn(lambda counts: _furthest(curves, counts), len(curves.topics), level(2))
    yield GREATEST.told(
        study,
        [
            ClaimPart("in points at rank", points, above=19.5, below=100.5, digits=0),
            ClaimPart("in per cent at rank", share, below=19.5, digits=0),
        ],
        f"The best run is {curves.runs[0]}.",
    )
    beyond = dict(zip(_each(deep), _below(deep, LAST) - _below(deep, DEEP), strict=True))
    yield DIMINISH.told(study, estimated(mean_of, beyond))
    yield _reaching(
        deep, 10,
        "30 documents by the best query type, 60 and up to 170 by the others, have what the ideal's 10 have: the best "
        "is twice as effective as any of the others.",
    )  # fmt: skip
    yield _at_every_rank(chosen, measure, curves)


def _below(curves: Curves, rank: int) -> Floats:
    """Return the distance to the ideal at a rank: array of shape (runs, topics)."""
    return np.asarray(curves.ideal[:, rank - 1] - curves.values[:, :, rank - 1])


def _furthest(curves: Curves, counts: Floats) -> Floats:
    """Return the ranks at which the first run is furthest below the ideal, in points and per cent, for drawn topics."""
    ideal, own = counts @ curves.ideal, counts @ curves.values[0]
    below = ideal - own
    share = np.divide(below, ideal, out=np.zeros_like(below), where=ideal > 0)
    return np.array([below.argmax(axis=1), share.argmax(axis=1)], dtype=np.float64) + 1


GROW: Final = PAPER.claim(
    "All the actual curves still grow at the rank 200", where="section 3.5, Figure 2",
    estimand="discounted gain of the ranks 191 to 200, mean over topics, run by run; t intervals",
    asks="above 0 for each of the three runs", above=0,
)  # fmt: skip
_NEVER: Final = PAPER.claim(
    "The discounted gains of any query type never reach the gain theoretically possible at the rank 10.",
    where="section 3.5, Figure 2",
    estimand="the ideal's discounted gain at rank 10 minus the run's at rank 200, mean over topics, run by run; t "
    "intervals",
    asks="above 0 for each of the three runs", above=0,
)  # fmt: skip


@PAPER.item(
    "Figure 2", "Discounted cumulated gain at ranks 1 to 200, and the ideal", at=3.5, by=f"{SAME_RUNS}; base 2.",
    needs=(something_relevant,),
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Compare discounted cumulated gain with the ideal."""
    chosen, measure = three(study), f"DCG(base=2,{GAINS})"
    curves, _ = yield from _beside_the_ideal(
        chosen, measure, 145,
        "The ideal levels off at rank 145.",
        "The best query type is below the ideal by 43 to 258 points (33 to 53%), others by 63 to 408 (47 to 78%).",
    )  # fmt: skip
    last = curves.values[:, :, -1]
    for claim, values in ((GROW, last - curves.values[:, :, LAST - 11]), (_NEVER, curves.ideal[:, 9] - last)):
        yield claim.told(study, estimated(mean_of, dict(zip(_each(curves), values, strict=True))))
    yield _reaching(
        curves, 5, "40 documents by the best query type have what the ideal's 5 have; the others never reach it."
    )
    yield _at_every_rank(chosen, measure, curves)


LEAD: Final = PAPER.claim(
    "The difference between the SSYN-C queries and the two other query types does not diminish in Figure 4 as in "
    "Figure 3.",
    where="section 3.6, Figures 3 and 4",
    estimand="share of its largest lead that the best run still has at rank 200 over each other one, by nDCG minus by "
    "nCG; percentiles of drawn topics",
    asks="above 0 for both of the others", above=0,
)  # fmt: skip


@PAPER.item(
    "Figures 3 and 4", "Normalised curves", at=3.6,
    by=f"{SAME_RUNS}. Average vectors are divided by the average ideal vector; the picture has the mean over topics of "
    "the ratios. That nCG reaches 1 when all relevant documents have been found, and not before, is its definition.",
    needs=(something_relevant, at_least(2, "runs")),
)  # fmt: skip
def figures_3_and_4(study: Study) -> Iterator[Block]:
    """Compare the normalised curves with each other."""
    chosen = three(study)
    yield chosen.plot("curves", [f"{measure}@{LAST}" for measure in (f"nCG({GAINS})", f"nDCG(base=2,{GAINS})")])
    gain, discounted = (chosen.curve(name, last_rank=LAST) for name in (f"CG({GAINS})", f"DCG(base=2,{GAINS})"))
    kept = drawn(
        lambda counts: _lead_kept(discounted, counts) - _lead_kept(gain, counts),
        len(gain.topics),
        level(len(gain.runs) - 1),
    )
    over = dict(zip((f"over {run}:" for run in gain.runs[1:]), kept, strict=True))
    yield LEAD.told(study, over, f"The best run is {gain.runs[0]}.")


def _lead_kept(curves: Curves, counts: Floats) -> Floats:
    """Return what is left at the last rank of the first run's normalised lead over each other, for drawn topics."""
    ideal = counts @ curves.ideal
    own = counts @ curves.values  # of shape (runs, draws, ranks)
    normal = np.divide(own, ideal, out=np.zeros_like(own), where=ideal > 0)
    lead = normal[0] - normal[1:]
    largest = lead.max(axis=2)
    return np.asarray(np.divide(lead[:, :, -1], largest, out=np.full_like(largest, np.nan), where=largest > 0))


STOPPING: Final = PAPER.claim(
    "when the best possible curve turns horizontal, there is nothing to be gained by retrieving or examining further "
    "documents",
    where="section 4", conditions="a rule, for any collection; the paper has 30 requests",
    estimand="share of a topic's relevant documents that the runs find between rank R, where its ideal curve turns "
    "horizontal, and rank 1,000: mean over runs and topics; t interval over topics",
    asks="0; finding any document refutes it", below=0, digits=3, of=ClaimSetting(topics=10, depth=LAST),
)  # fmt: skip


@PAPER.item(
    "Section 4", "How much longer, and when to stop", at=4,
    by=f"The curves are read horizontally: how many documents does a run need for the gain that the best run "
    f"has after 10, 20 and 50? {SAME_RUNS}.",
    needs=(something_relevant, at_least(2, "runs")),
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
    within = f"{' to '.join(ends)}% more than by {best}"
    yield beside(
        "By the worse query types one has to examine 100 to 600% more documents for the gain of the best.",
        "; ".join([within] * bool(more) + [never] * (len(more) < table.height)) + ".",
    )
    command = chosen.named.command("curve", measures=[f"CG({GAINS})"], last_rank=DEEP, against=best, reach=10)
    yield rounded_table("reached", table, f"Documents needed for the gain of {best} after as many.", command, keys=2)
    values = study.scores(["Rprec", f"R@{DEEP}"]).values
    later = mean_of((values[1] - values[0]).mean(axis=0))
    yield STOPPING.told(
        study,
        {"later they find": later},
        f"At rank R they have found {values[0].mean():.3f}, at rank {DEEP:,} {values[1].mean():.3f}.",
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


def _beside_the_ideal(
    chosen: Study, measure: str, rank: int, levels: str, below: str
) -> Generator[Block, None, tuple[Curves, Curves]]:
    """Draw curves and the ideal, and say of both what the paper does; return them down to rank 200, and 1,000."""
    curves, deep = (chosen.curve(measure, last_rank=last) for last in (LAST, DEEP))
    yield chosen.plot("curves", f"{measure}@{LAST}")
    share = float(deep.ideal_average[rank - 1] / deep.ideal_average[-1]) if deep.ideal_average[-1] > 0 else 1.0
    exactly = f"at rank {deep.levels_off}" if deep.levels_off else f"not before rank {DEEP}"
    yield beside(levels, f"There it has {100 * share:.0f}% of its gain; to the letter it levels off {exactly}.")
    said = (
        f"{row['run']} by {row['points, least']:.3g} to {row['points, most']:.4g} points "
        f"({row['per cent, least']:.0f} to {row['per cent, most']:.0f}%)"
        for row in distances(curves).iter_rows(named=True)
    )
    yield beside(below, f"{'; '.join(said)}.")
    return curves, deep


def _at_every_rank(chosen: Study, measure: str, curves: Curves) -> ReportTable:
    sheet = rounded(distances(curves), f"Distance to the ideal at ranks 1 to {LAST}; the file has every rank.")
    command = chosen.named.command("curve", measures=[measure], last_rank=LAST, against="ideal")
    return ReportTable("distances", sheet, curves.distances().to_polars(), command)


def _each(curves: Curves) -> list[str]:
    return [f"{run}:" for run in curves.runs]


def _reaching(curves: Curves, after: int, paper: str) -> Statement:
    needed = dict(curves.rank_reaching(after).iter_rows())
    found = (f"{run}: {'never' if n is None else counted(int(n), 'document')}" for run, n in needed.items())
    return beside(paper, f"For the ideal's {after}: {'; '.join(found)}.")


_TESTS: Final = {"friedman": "**", "anova": "##"}
"""The tests of Table 1, and how it marks what they find."""
_ALPHA: Final = 0.01
_FAR: Final = 0.05  # Of the other test p must be above this, so that the two do not part over a hair

CONFLICT: Final = PAPER.claim(
    "average curves and statistical testing based on requests may lead to inconsistent conclusions",
    where="section 3.6, Table 1", conditions="3 query types, 30 requests; Friedman's test and ANOVA at .01",
    estimand="pairs of runs with p < .01 by one of the two tests and p > .05 by the other, by averaged nCG or nDCG: a "
    "count",
    asks="at least one such pair", above=0, digits=0, of=ClaimSetting(runs=3, topics=10), may=True,
)  # fmt: skip


@PAPER.item(
    "Table 1", "Averages of nCG and nDCG, and what tests find", at=3.61,
    by=f"{SAME_RUNS}. Vectors are averaged over the ranks (equation 6), request by request; Friedman's test (**) and "
    "ANOVA (##), at .01. In the paper nCG is .457, .627 and .755 and nDCG .308, .437 and .596 for BOOL, SUM and "
    "SSYN-C.",
    needs=(at_least(3, "runs"), at_least(2, "topics")),
)  # fmt: skip
def table_1(study: Study) -> Iterator[Block]:
    """Test the differences of the three runs, and those of all pairs."""
    chosen = three(study)
    found = chosen.experiment("significance", AVERAGED, tests=tuple(_TESTS), alpha=_ALPHA)
    gain, discounted = found["differences"].partition_by("measure", maintain_order=True)
    averages = _as_printed([gain, discounted], chosen.runs.runs)
    yield ReportTable("averages", averages, found["differences"], found.command)
    yield beside(
        "By nDCG all query types differ significantly by ANOVA, by nCG two pairs of three do.",
        f"{(discounted['anova'] <= _ALPHA).sum()} of the 3 pairs do by nDCG, {(gain['anova'] <= _ALPHA).sum()} by nCG.",
    )
    every = study.experiment("significance", AVERAGED, tests=tuple(_TESTS), alpha=_ALPHA)
    pairs = every["differences"]
    alone = {
        test: pairs.filter((pl.col(test) < _ALPHA) & (pl.col(other) > _FAR)).height
        for test, other in (tuple(_TESTS), tuple(reversed(_TESTS)))
    }
    yield CONFLICT.told(
        study,
        {f"such pairs, of {pairs.height:,}:": Estimate.counted(sum(alone.values()))},
        f"{alone['anova']:,} differ by ANOVA alone, {alone['friedman']:,} by Friedman's test alone.",
    )
    yield every.table("agreement")


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
    return " ".join(mark for test, mark in _TESTS.items() if row[test] <= 0.01)
