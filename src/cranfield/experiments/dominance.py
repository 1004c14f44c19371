"""Dominance: runs that are at least as good at every rank and grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cranfield.experiments.declared import Row, Rows, pair_columns
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.experiments.work import Work
from cranfield.pairs.dominance import Completed, TopCounts, layers, steps, strictly, which_of
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Depth, Level, Seed
from cranfield.results.sheet import listed
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.conclusions import significant
from cranfield.statistics.differences import pairs as all_pairs
from cranfield.statistics.differences import slices_that_fit
from cranfield.statistics.multiple_comparisons import largest_leads

_COLUMNS = {"as judged": "dominates", "on every topic": "on_every_topic", "surely": "surely", "possibly": "possibly"}
"""The column of the table of pairs for each relation."""
_VERDICTS = {"one leads": ("run_a", "run_b"), "both lead": ("both",), "none leads": ("neither",)}
"""What each verdict means for a pair."""


@experiment
def dominance(
    runs: JudgedRuns,
    *,
    work: Work,
    depth: Depth | None = None,
    alpha: Level = 0.05,
    resamples: Count = 1000,
    seed: Seed = 7,
) -> Outcome:
    """Which runs are at least as good at every rank and grade, so that P, DCG and RBP agree on their order?

    A run *dominates* another if its mean P@k is no lower at any rank k and any relevance level. Then it is no worse by
    any measure that sums a rank weight times a gain of the grade, where weights never rise with the rank and gains
    never fall with the grade: every RBP, DCG, CG and P, with any persistence, base and gain. Means of AP, RR, ERR, nDCG
    or Twist may disagree, since they weight topics, or later ranks, by what is relevant. If dominance holds on every
    topic, topics may be weighted at will, and nDCG, nCG, recall, AP and RR agree too.

    If neither run dominates, each is better by some measure; the table names the precision by which it leads most.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    depth
        How many documents of each list are compared; by default, the longest list. Measures that
        look deeper may disagree.
    alpha
        The significance level for leads.
    resamples
        The number of random sign patterns; all patterns if there are no more.
    seed
        Seed of the random signs.

    Tables
    ------
    summary
        How many pairs have a run that is worse nowhere.
        of : text
            "as judged"; "on every topic"; "surely", whatever the grades of the unjudged documents
            that the runs retrieved; "possibly", for some of those grades.
        pairs : whole number
        share : number
        equal : whole number
            How many of these pairs are equal: neither run is worse anywhere, in the same sense.
        undominated : whole number
            How many runs are undominated; null for "possibly".
        depth : whole number
            The last rank compared.
    chance
        How many pairs have significant leads.
        verdict : text
            For leads at any rank and level, compared with the largest expected by chance at any of
            them: max-T over sign flips, two-sided, each pair separately.
        pairs : whole number
        share : number
    runs
        A row for each run.
        run : text
        better_than, worse_than : whole number
            How many runs it dominates, and how many dominate it; equal runs do not count.
        layer : whole number
            How many runs are above it in the longest chain: 0 if it is undominated.
    order
        A row for each pair in which one run dominates the other with no run between them.
        better, worse : text
    pairs
        A row for each pair.
        run_a, run_b : text
        dominates, on_every_topic : text
            Which run dominates: "run_a", "run_b", "both" where they are equal everywhere, or "neither".
        surely?, possibly? : text
            The same for all, or for some, grades of the unjudged documents. In ``possibly``, "both" means that either
            run could dominate, though hardly both at once. Omitted with ``judged_only``.
        a_wins_by : text
            The precision by which run_a leads most; empty if it leads nowhere.
        a_lead, p_a : number
            The size of that lead, and the p of run_a's most significant lead at any rank and level;
            null if it leads nowhere; p is also null for a single topic.
        b_wins_by : text
        b_lead, p_b : number
            The same for run_b.
        leads : text
            Which run has a significant lead: "run_a", "run_b", "both" or "neither"; null for a single topic.

    Raises
    ------
    InputError
        If there are fewer than two runs, or nothing is relevant.

    Paper: the question is ours, and so is the proof, on the page `dominance`; for the test of all
    ranks and levels at once, Westfall and Young (1993), "Resampling-based multiple testing".

    Examples
    --------
    Two runs cross: one has the better document first, the other both documents after two ranks. The
    third leads neither anywhere.

    >>> from cranfield import join
    >>> lists = {"broad": ("a", "b"), "sharp": ("b", "x"), "late": ("x", "b")}
    >>> ranked = {name: {"1": dict(zip(docs, (2.0, 1.0)))} for name, docs in lists.items()}
    >>> found = dominance(join({"1": {"a": 1, "b": 2}}, ranked, complete=False))
    >>> found["pairs"].select("run_a", "run_b", "dominates", "a_wins_by", "b_wins_by").rows()[:2]
    [('broad', 'sharp', 'neither', 'P@2', 'P(rel=2)@1'), ('broad', 'late', 'run_a', 'P@1', '')]
    >>> found["summary"].select("of", "pairs", "undominated").rows()
    [('as judged', 2, 2), ('on every topic', 2, 2), ('surely', 1, 2), ('possibly', 3, None)]
    """
    if len(runs.runs) < 2:
        raise InputError(f"dominance compares runs, but there is only one: {runs.runs[0]}")
    found = TopCounts.of(runs, depth)
    relations = {"as judged": found.at_least, "on every topic": found.on_every_topic}
    if not runs.grading.judged_only:
        completed = Completed.of(runs, found)
        relations |= {"surely": completed.surely, "possibly": completed.possibly}

    def of_run(one: int) -> pl.DataFrame:
        p_a, p_b = _p(found, one, resamples, seed)
        return pl.DataFrame({"p_a": p_a, "p_b": p_b}).fill_nan(None)

    p = work.steps(range(len(found.runs) - 1), of_run, in_threads=True)
    pairs = _pairs(found, relations, p, alpha)
    better = strictly(found.at_least)
    tables: dict[str, Rows] = {
        "summary": _summary(relations, found.counts.shape[-1]),
        "chance": _chance(pairs["leads"].to_list()),
        "runs": {
            "run": found.runs, "better_than": better.sum(axis=1), "worse_than": better.sum(axis=0),
            "layer": layers(better),
        },
        "order": [(found.runs[one], found.runs[other]) for one, other in np.argwhere(steps(better))],
        "pairs": pairs,
    }  # fmt: skip
    return Outcome(tables, _notes(found))


def _p(found: TopCounts, one: int, resamples: int, seed: int) -> Floats:
    """Return p of the most significant lead of a run, and of each after it: shape (2, others); NaN without a lead.

    With one topic there is none. Ranks and levels at which two runs are equal on every topic, or as at the rank
    before, are no further hypotheses.
    """
    others = len(found.runs) - 1 - one
    p = np.full((2, others), np.nan)
    for some in slices_that_fit(others, found.counts[one].size):
        apart = found.counts[one] - found.counts[one + 1 :][some]  # (others, topics, levels, ranks)
        told = (apart != 0).any(axis=1) & (np.diff(apart, axis=-1, prepend=0) != 0).any(axis=1)
        if told.any() and found.topics > 1:
            rows = np.moveaxis(apart, 1, -1)[told].astype(np.float64)
            p[:, some] = largest_leads(rows, np.nonzero(told)[0], len(apart), resamples=resamples, seed=seed)
    return p


def _pairs(found: TopCounts, relations: Mapping[str, Booleans], p: pl.DataFrame, alpha: float) -> pl.DataFrame:
    first, second = all_pairs(len(found.runs))
    columns = pair_columns(found.runs)
    for name, holds in relations.items():
        columns[_COLUMNS[name]] = which_of(holds[first, second], holds[second, first])
    for side, one, other in (("a", first, second), ("b", second, first)):
        witnesses = [found.witness(*pair) for pair in zip(one, other, strict=True)]
        columns |= {
            f"{side}_wins_by": [str(each.measure) if each else "" for each in witnesses],
            f"{side}_lead": [each.lead if each else None for each in witnesses],
            f"p_{side}": p[f"p_{side}"],
        }
    apart = (significant(p[name].fill_null(1.0).to_numpy(), alpha) for name in ("p_a", "p_b"))
    columns["leads"] = which_of(*apart) if found.topics > 1 else None
    return pl.DataFrame(columns)


def _summary(relations: Mapping[str, Booleans], depth: int) -> Rows:
    rows = list[Row]()
    for name, holds in relations.items():
        either, both = (int(np.triu(some, 1).sum()) for some in (holds | holds.T, holds & holds.T))
        left = None if name == "possibly" else int((~strictly(holds).any(axis=0)).sum())
        rows.append((name, either, either / (len(holds) * (len(holds) - 1) // 2), both, left, depth))
    return rows


def _chance(leads: Sequence[str | None]) -> Rows:
    """Count the verdicts; a single topic has none."""
    counted = {name: sum(lead in which for lead in leads) for name, which in _VERDICTS.items()}
    return [] if None in leads else [(name, many, many / len(leads)) for name, many in counted.items()]


def _notes(found: TopCounts) -> Iterator[str]:
    levels = ", ".join(f"{level:g}" for level in found.levels)
    several = "s" if len(found.levels) > 1 else ""
    yield f"compared down to rank {found.counts.shape[-1]:,}, at relevance level{several} {levels}"
    best = [run for run, layer in zip(found.runs, layers(strictly(found.at_least)), strict=True) if layer == 0]
    yield f"undominated: {listed(best)}"
    if found.topics < 2:
        yield "no lead is tested: only one topic"
