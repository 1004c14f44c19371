"""Samples to judge, drawn so that each candidate's chance to be in the sample is known: what unbiased estimates need.

A sample is a table with the columns query_id, doc_id, probability and stratum, and holds everything that the estimates
need to know about how it was drawn. Documents with a stratum are a simple random sample of the candidates of that topic
and stratum: n of N, so that the probability is n / N, and that of two of them n (n - 1) / (N (N - 1)). Documents
without one (null) were each drawn independently of all others. With a fifth column, drawn, it also lists the documents
that could have been drawn and were not, so that the probability of each of them is known, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats.files import FilePath
from cranfield.formats.long_tables import read_table
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Floats, Integers, Numbers, places_within, ratio, sums_within
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Design, Positive, Seed, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RUN_COLUMNS, STRATUM, match_columns
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import OneTable
from cranfield.selection.candidates import Candidates

PROBABILITY = "probability"
DRAWN = "drawn"

FEWEST_DRAWN = 2
"""How many documents of a stratum are drawn at least: from a single one no variance can be told."""

FROM_EACH = 5
"""How many are drawn from each stratum of a prior: from fewer its variance is too uncertain for intervals."""

DEPTHS: Final = (10, 100)
"""The last rank of each stratum but the last, unless others are named."""

WEIGHED: Final = ("P@10",)
"""What a weighted sample is drawn for, where nothing else is asked."""

SQUARE_ROUNDING = 1e-9
"""Squares that differ by less than this share are equal on paper."""

_CERTAIN = 1.0 - 1e-9  # From here on a probability is 1: what is left is rounding


def draw_sample(
    candidates: Candidates,
    per_topic: int,
    *,
    design: Design = "uniform",
    depths: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
    measures: MeasureNames | None = None,
    against: str | None = None,
    seed: int = 7,
) -> OneTable:
    """Draw a sample by any of the designs, and say how it was drawn."""
    per_topic, design = checked("per_topic", per_topic, Count), checked("design", design, Design)
    depths = checked("depths", depths, tuple[Count, ...] | None)
    shares = checked("shares", shares, tuple[Positive, ...] | None)
    if design != "stratified" and (depths or shares):
        raise InputError(f"depths and shares apply to strata; a {design} sample has none")
    if design != "weighted" and (measures or against is not None):
        asked = "measures are those" if measures else "a run to compare the others with is that"
        raise InputError(f"{asked} of a weighted sample; a {design} sample has none")
    how = ""
    if design == "stratified":
        depths = depths or DEPTHS
        sample = stratified_sample(candidates, per_topic, depths=depths, shares=shares, seed=seed)
        how = f", strata down to rank {', '.join(map(str, depths))} and below"
    elif design == "weighted":
        sample = weighted_sample(candidates, per_topic, measures=measures or WEIGHED, against=against, seed=seed)
        less = "" if against is None else f", for each run minus {against}"
        how = f" by {', '.join(map(str, parse_measures(measures or WEIGHED)))}{less}"
    else:
        draw = {"uniform": uniform_sample, "proportional": proportional_sample, "prior": prior_sample}[design]
        sample = draw(candidates, per_topic, seed=seed)
    drawn = sample.height if DRAWN not in sample.columns else int(sample[DRAWN].sum())
    of = f"{drawn:,} of {counted(len(candidates), 'candidate')} of {counted(len(candidates.topics), 'topic')}"
    caption = f"{design} sample of {counted(per_topic, 'document')} a topic{how}: {of}; seed {seed}"
    return OneTable(sample, caption, index=2)


def read_sample(path: FilePath) -> pl.DataFrame:
    """Read a sample that was written as csv, json or parquet; ids stay text, and a stratum may be empty."""
    table, source = read_table(path, "a sample"), str(path)
    wanted = {name: RUN_COLUMNS.get(name, (name,)) for name in (QUERY, DOCUMENT, PROBABILITY, STRATUM)}
    theirs = match_columns(table.columns, wanted, optional={DRAWN: (DRAWN,)}, source=source)
    kinds = {QUERY: pl.String, DOCUMENT: pl.String, PROBABILITY: pl.Float64, STRATUM: pl.Int64, DRAWN: pl.Int64}
    kinds = {name: kind for name, kind in kinds.items() if name in theirs}
    given = table.select(pl.col(name).alias(ours) for ours, name in theirs.items())
    sample = given.select(pl.col(name).cast(kind, strict=False) for name, kind in kinds.items())
    for name in kinds:
        lacking = sample[name].is_null() & (given[name].is_not_null() if name == STRATUM else True)
        if lacking.any():
            row = lacking.arg_max() or 0
            problem = "is missing" if given[name][row] is None else f"{given[name][row]!r} is not a number"
            raise InputError(f"row {row + 1}: the {name} {problem}", source=source)
    return sample


def uniform_sample(candidates: Candidates, per_topic: int, *, seed: int = 7) -> pl.DataFrame:
    """Which documents should be judged, if all candidates of a topic have the same probability?

    π = n / N for each of the N candidates of a topic: a simple random sample, in one stratum.

    Parameters
    ----------
    candidates
        What the runs retrieved.
    per_topic
        n, at least 2: the number of documents per topic; all if a topic has fewer.
    seed
        Seed of the draws.

    Returns
    -------
    Table with columns query_id, doc_id, probability and stratum (always 0), in the order of the
    candidates.

    Raises
    ------
    InputError
        If per_topic is too small.

    Paper: Cochran (1977), "Sampling techniques", chapter 2.

    Examples
    --------
    >>> candidates = Candidates.gather({"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"d": 1.0}}})
    >>> uniform_sample(candidates, 2)["probability"].to_list()
    [0.5, 0.5]
    """
    return stratified_sample(candidates, per_topic, depths=(), seed=seed)


def stratified_sample(
    candidates: Candidates,
    per_topic: int,
    *,
    depths: Sequence[int] = DEPTHS,
    shares: Sequence[float] | None = None,
    seed: int = 7,
) -> pl.DataFrame:
    """Which documents should be judged, if those that some run ranks high are drawn more often?

    π = n_h / N_h for the N_h candidates of stratum h. The first stratum holds the documents whose
    best rank in any run is at most the first of ``depths``, the next those down to the second, and
    so on; the last holds the rest. The draws of a topic go to the strata in proportion to
    ``shares``, at least 2 to each; what a stratum is too small for goes to the others.

    Parameters
    ----------
    candidates
        What the runs retrieved.
    per_topic
        Σ n_h, at least 2 for each stratum: how many documents of each topic; all of a topic that
        has fewer.
    depths
        The last rank of each stratum but the last, rising.
    shares
        The share of the draws for each stratum, including the last: positive numbers in any unit;
        by default, equal shares.
    seed
        Seed of the draws.

    Returns
    -------
    Table with columns query_id, doc_id, probability and stratum (from 0), in the order of the
    candidates.

    Raises
    ------
    InputError
        If depths do not rise from 1 on, shares do not fit them, or per_topic is too small.

    Paper: Cochran (1977), "Sampling techniques", chapter 5; Yilmaz, Kanoulas and Aslam (2008), "A
    simple and efficient sampling method for estimating AP and NDCG", SIGIR, section 3 (strata by
    rank).

    Examples
    --------
    >>> candidates = Candidates.gather({"x": {"1": {d: -i for i, d in enumerate("abcdefgh")}}})
    >>> stratified_sample(candidates, 4, depths=[2]).select("doc_id", "probability", "stratum").rows()
    [('a', 1.0, 0), ('b', 1.0, 0), ('...', 0.333..., 1), ('...', 0.333..., 1)]
    """
    depths = checked("depths", depths, tuple[Count, ...])
    shares = checked("shares", shares, tuple[Positive, ...] | None)
    if any(below <= above for above, below in zip((0, *depths), depths, strict=False)):
        raise InputError(f"depths must be increasing whole numbers, 1 or more, not {tuple(depths)}")
    if shares is None:
        shares = (1.0,) * (len(depths) + 1)
    if len(shares) != len(depths) + 1:
        raise InputError(f"{len(depths)} depths make {len(depths) + 1} strata; give a positive share for each")
    per_topic, seed = checked("per_topic", per_topic, Count), checked("seed", seed, Seed)
    if per_topic < FEWEST_DRAWN * len(shares):
        raise InputError(
            f"per_topic must be at least {FEWEST_DRAWN * len(shares)}, {FEWEST_DRAWN} for each stratum, "
            f"not {per_topic!r}"
        )
    stratum = np.searchsorted(np.array(depths, np.int64), candidates.best_rank).astype(np.int64)
    return draw_from(candidates, stratum, np.array(shares, np.float64), per_topic, seed).table(candidates)


def prior_sample(
    candidates: Candidates, per_topic: int, *, prior: Numbers | None = None, seed: int = 7
) -> pl.DataFrame:
    """Which documents should be judged, if more are drawn from those with a large prior?

    π = n_h / N_h for the N_h candidates of stratum h. The documents of a topic, the largest prior
    first, are cut into n/5 strata with equal sums of priors (a document belongs where its middle
    lies), and 5 are drawn from each; what a stratum is too small for goes to the others. So all
    documents with large priors are drawn, and ever fewer of the others. Unlike those of
    `proportional_sample`, these samples have a fixed size.

    Parameters
    ----------
    candidates, prior, seed
        As of `proportional_sample`.
    per_topic
        n, at least 2: how many documents of each topic; all of a topic that has fewer.

    Returns
    -------
    Table with columns query_id, doc_id, probability and stratum (from 0), in the order of the
    candidates.

    Raises
    ------
    InputError
        If per_topic is too small or a prior is not positive.

    Paper: Pavlu and Aslam (2007), "A practical sampling strategy for efficient retrieval evaluation",
    technical report, Northeastern University: statAP's sampling in strata by a prior. There strata
    have the same number of documents, and chance says how many are drawn from each; equal shares of
    the prior, and a fixed number of draws, are ours.

    Examples
    --------
    The prior of a is as large as those of the 18 others together; 9 more can be drawn from these.

    >>> candidates = Candidates.gather({"x": {"1": {d: -i for i, d in enumerate("abcdefghijklmnopqrs")}}})
    >>> sample = prior_sample(candidates, 10, prior=np.array([18.0] + [1.0] * 18))
    >>> sample.group_by("stratum", "probability", maintain_order=True).len().rows()
    [(0, 1.0, 1), (1, 0.5, 9)]
    """
    return _strata_by_prior(candidates, _checked_prior(candidates, prior), per_topic, seed).table(candidates)


def weighted_sample(
    candidates: Candidates,
    per_topic: int,
    *,
    measures: MeasureNames = WEIGHED,
    against: str | None = None,
    seed: int = 7,
) -> pl.DataFrame:
    r"""Which documents should be judged, if those are drawn more often that the runs' values depend on?

    A `prior_sample` by

    .. math::
        \sqrt{\sum_m \sum_r w_{mr}^2 / \overline{w_m^2}}

    where w is what measure m makes of the document's rank in run r (0 if the run lacks it), and the mean is over
    all ranks of all runs, so that the measures count equally: Neyman's allocation for all runs at once, before
    anything is known of the documents.

    With ``against``, the sample is for the differences of all other runs from that one: w is then the document's
    weight in run r less its weight in that run. A document that has the same weight in all runs changes no
    difference, and counts half of the least that one does.

    Parameters
    ----------
    candidates, per_topic, seed
        As of `prior_sample`.
    measures
        What the sample is to estimate: weighted sums over ranks.
    against
        The run to compare the others with: the leader, or the one in use.

    Returns
    -------
    Table with columns query_id, doc_id, probability, stratum (from 0) and drawn: a row for each candidate,
    in their order, 1 where it was drawn and 0 where not.

    Raises
    ------
    InputError
        If per_topic is too small, documents weigh nothing in any of the measures, no run is called as in
        ``against``, or no other run differs from it.
    MeasureError
        If a measure is no weighted sum over ranks.

    Paper: Neyman (1934), "On the two different aspects of the representative method", Journal of the Royal
    Statistical Society 97(4), for the allocation; Pavlu and Aslam (2007), as of `prior_sample`.

    Examples
    --------
    a is first for both runs, and weighs √2/2; the others weigh 1/4 or less.

    >>> runs = {"x": {"1": list("abcdefghijk")}, "y": {"1": list("alm")}}
    >>> sample = weighted_sample(Candidates.gather(runs), 10, measures="RBP(p=0.5)")
    >>> sample.filter(doc_id="a").row(0), sample["drawn"].sum(), sample.height
    (('1', 'a', 1.0, 0, 1), 10, 13)

    For the difference of the two b and l count most, which one run alone has second.

    >>> less_y = weighted_sample(Candidates.gather(runs), 10, measures="RBP(p=0.5)", against="y")
    >>> less_y.filter(probability=1)["doc_id"].to_list()
    ['b', 'l']
    """
    return _strata_by_prior(candidates, weight_prior(candidates, measures, against), per_topic, seed).frame(candidates)


def weight_prior(candidates: Candidates, measures: MeasureNames, against: str | None = None) -> Floats:
    """How much do the runs' values depend on each candidate, or their differences? See `weighted_sample`."""
    if against is not None and against not in candidates.runs:
        raise InputError(f"no run is named {against!r}; the runs are {named(candidates.runs)}")
    square, runs = np.zeros(len(candidates)), len(candidates.runs)
    different = np.zeros(len(candidates))
    document = candidates.cell_place
    for measure in parse_measures(measures):
        if measure.estimator != "sum over ranks":
            raise MeasureError(f"{measure} is not a weighted sum over ranks, which a weighted sample needs")
        weight = measure.rank_weight(candidates.cell_rank.astype(np.int64))
        weight = np.where(candidates.cell_rank <= (measure.cutoff or np.inf), weight, 0.0)
        mean = np.mean(weight**2)
        of_measure, total = (sums_within(document, of, len(candidates)) for of in (weight**2 / mean, weight))
        square += of_measure
        if against is not None:  # Σ (w - v)² = Σ w² - 2 v Σ w + runs · v²
            v = sums_within(document, weight * (candidates.cell_run == candidates.runs.index(against)), len(candidates))
            different += of_measure + (runs * v - 2 * total) * v / mean
    if nothing := int((square == 0).sum()):
        raise InputError(
            f"{counted(nothing, 'candidate')} of {len(candidates):,} cannot change any of the measures, since they are "
            "below the cutoff in every run: draw from the runs down to that depth"
        )
    if against is None:
        return np.sqrt(square)
    differs = different > SQUARE_ROUNDING * square
    if not differs.any():
        raise InputError(f"no run differs from {against} on any candidate, so there is no difference to estimate")
    return np.sqrt(np.where(differs, different, different[differs].min() / 4))


class Draw(NamedTuple):
    """A draw from strata: by candidate its probability and its stratum, and the places of those that were drawn."""

    probability: Floats
    stratum: Integers
    taken: Integers

    def table(self, candidates: Candidates) -> pl.DataFrame:
        """Return what was drawn."""
        return _table(candidates, self.taken, self.probability, pl.Series(self.stratum[self.taken]))

    def frame(self, candidates: Candidates) -> pl.DataFrame:
        """Return what could have been drawn, and whether it was."""
        whole = _table(candidates, np.arange(len(candidates)), self.probability, pl.Series(self.stratum))
        drawn = np.zeros(len(candidates), np.int64)
        drawn[self.taken] = 1
        return whole.with_columns(pl.Series(DRAWN, drawn))


def _strata_by_prior(candidates: Candidates, prior: Floats, per_topic: int, seed: int) -> Draw:
    """Draw from strata with equal sums of priors, at least two documents of a topic."""
    per_topic, seed = checked("per_topic", per_topic, Count), checked("seed", seed, Seed)
    if per_topic < FEWEST_DRAWN:
        raise InputError(f"per_topic must be at least {FEWEST_DRAWN}, not {per_topic}")
    return draw_by_prior(candidates, prior, per_topic, seed)


def draw_by_prior(candidates: Candidates, prior: Floats, per_topic: int, seed: int) -> Draw:
    """Draw from strata with equal sums of priors."""
    topic, strata = candidates.topic, max(per_topic // FROM_EACH, 1)
    order = np.lexsort((-prior, topic))
    share = prior[order] / sums_within(topic, prior, len(candidates.topics))[topic[order]]
    before = np.append(0.0, np.cumsum(share))
    middle = before[:-1] + share / 2 - before[np.searchsorted(topic[order], topic[order])]
    stratum = np.empty(len(prior), np.int64)
    stratum[order] = np.minimum(middle * strata, strata - 1).astype(np.int64)
    return draw_from(candidates, stratum, np.ones(strata), per_topic, seed)


def draw_from(candidates: Candidates, stratum: Integers, shares: Floats, per_topic: int, seed: int) -> Draw:
    """Draw from strata, a simple random sample from each, in proportion to the shares."""
    group = candidates.topic * len(shares) + stratum
    sizes = np.bincount(group, minlength=len(candidates.topics) * len(shares))
    drawn = allocate(sizes.reshape(-1, len(shares)), shares, per_topic).ravel()
    taken = np.flatnonzero(places_within(group, np.random.default_rng(seed).random(len(group))) < drawn[group])
    return Draw(ratio(drawn, sizes)[group], stratum, taken)


def proportional_sample(
    candidates: Candidates, per_topic: int, *, prior: Numbers | None = None, seed: int = 7
) -> pl.DataFrame:
    """Which documents should be judged, if each is drawn in proportion to its prior?

    π = min(1, c · prior), with c such that Σ π = n in each topic. Each document is drawn or not
    independently of all others (Poisson sampling): so π is exact, that of two documents is the
    product of theirs, and the size of the sample is n only on average, with the variance Σ π (1 -
    π).

    Parameters
    ----------
    candidates
        What the runs retrieved.
    per_topic
        n: the expected number of documents per topic; all if a topic has fewer.
    prior
        A positive number for each candidate, in any unit; by default, `ap_prior`. A document with a
        very small prior is rarely drawn, and weighs correspondingly more when it is.
    seed
        Seed of the draws.

    Returns
    -------
    Table with columns query_id, doc_id, probability and stratum (always null), in the order of the
    candidates.

    Raises
    ------
    InputError
        If per_topic or a prior is not positive.

    Paper: Hájek (1964), "Asymptotic theory of rejective sampling with varying probabilities from a
    finite population", Annals of Mathematical Statistics 35(4); Aslam and Pavlu (2007), "A
    practical sampling strategy for efficient retrieval evaluation" (sampling in proportion to a
    prior; there with a fixed size).

    Examples
    --------
    >>> candidates = Candidates.gather({"x": {"1": {d: -i for i, d in enumerate("abcd")}}})
    >>> proportional_sample(candidates, 4)["doc_id"].to_list()  # nothing is left to chance
    ['a', 'b', 'c', 'd']
    """
    prior, topic = _checked_prior(candidates, prior), candidates.topic
    per_topic, seed = checked("per_topic", per_topic, Count), checked("seed", seed, Seed)
    probability = proportional_probabilities(prior, topic, per_topic)
    taken = np.flatnonzero(np.random.default_rng(seed).random(len(topic)) < probability)
    return _table(candidates, taken, probability, pl.Series([None] * len(taken), dtype=pl.Int64))


def ap_prior(candidates: Candidates) -> Floats:
    """Return how much each candidate weighs in average precision before anything is judged.

    W(r) = (1 + 1/r + 1/(r+1) + ... + 1/n) / (2n) at rank r of a list of n documents, which adds up
    to 1 over the list; averaged over all runs. A run that lacks the document adds 0.

    Paper: Aslam and Pavlu (2007), "A practical sampling strategy for efficient retrieval evaluation".
    """
    document = candidates.cell_place
    length = candidates.length[candidates.cell_run, candidates.topic[document]]
    harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, int(length.max(initial=0)) + 1)))
    weight = (1.0 + harmonic[length] - harmonic[candidates.cell_rank - 1]) / (2.0 * length)
    return sums_within(document, weight, len(candidates)) / len(candidates.runs)


def allocate(sizes: Integers, shares: Floats, draws: int) -> Integers:
    """Share the draws of each topic out among its strata, in proportion to the shares.

    Each stratum gets 2 (or all it has). Then the draws go one by one to the first stratum with the
    largest share / (n_h + 1) that is not yet taken whole (the divisor method of D'Hondt).
    Shapes: sizes (topics, strata); the result (topics, strata).

    >>> allocate(np.array([[4, 90], [50, 1]]), np.array([1.0, 1.0]), 10).tolist()
    [[4, 6], [9, 1]]
    """
    drawn = np.minimum(sizes, FEWEST_DRAWN)
    topics = np.arange(len(sizes))
    for _ in range(min(draws, int(sizes.sum(axis=1).max(initial=0)))):
        open_ = (drawn < sizes) & (drawn.sum(axis=1, keepdims=True) < draws)
        chosen = np.where(open_, shares / (drawn + 1), -1.0).argmax(axis=1)
        drawn[topics, chosen] += open_.any(axis=1)
    return drawn


def proportional_probabilities(prior: Floats, topic: Integers, draws: int) -> Floats:
    """Return chances in proportion to the prior, at most 1, that add up to the number of draws in each topic.

    >>> proportional_probabilities(np.array([6.0, 2.0, 1.0, 1.0]), np.zeros(4, int), 2)
    array([1.  , 0.5 , 0.25, 0.25])
    """
    topics, certain = int(topic.max(initial=0)) + 1, np.zeros(len(prior), bool)
    while True:
        rest = np.where(certain, 0.0, prior)
        scale = ratio(draws - sums_within(topic, certain, topics), sums_within(topic, rest, topics))
        probability = np.where(certain, 1.0, prior * scale[topic])
        more = (probability >= _CERTAIN) & ~certain
        if not more.any():
            return probability
        certain |= more


def _checked_prior(candidates: Candidates, prior: Numbers | None) -> Floats:
    prior = ap_prior(candidates) if prior is None else np.asarray(prior, np.float64)
    if prior.shape != candidates.topic.shape or not (np.isfinite(prior) & (prior > 0)).all():
        raise InputError(f"the prior must be a positive number for each of the {counted(len(candidates), 'candidate')}")
    return prior


def _table(candidates: Candidates, taken: Integers, probability: Floats, stratum: pl.Series) -> pl.DataFrame:
    return candidates.ids_of(taken).with_columns(pl.Series(PROBABILITY, probability[taken]), stratum.alias(STRATUM))
