"""Clicks counted in logs become grades, and what users might have clicked otherwise becomes an interval."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Unpack, cast

import numpy as np

from cranfield.formats import RunsLike
from cranfield.formats.click_logs import CLICKS, LOG_COLUMNS, RANK_IN_LOG, counts, read_log, source_of
from cranfield.formats.columns import read_column
from cranfield.formats.files import FilePath, called
from cranfield.formats.long_tables import read_table
from cranfield.formats.unmet import settle, settled
from cranfield.judged.conditions import AskedReading
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio, sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, NamesLike, Naming
from cranfield.plumbing.options import Count, Level, NotNegative, Positive, Seed, Share, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.tables import CLUSTER, DOCUMENT, QUERY, RANK, RELEVANCE, Frame, match_columns
from cranfield.plumbing.wording import confidence, counted, named
from cranfield.results.result import OneTable
from cranfield.results.sheet import listed
from cranfield.scoring.judged_runs import JudgedRuns, join
from cranfield.scoring.orientation import best_first, direction, oriented
from cranfield.scoring.panel import numbers_only
from cranfield.statistics.clusters import cluster_interval
from cranfield.statistics.intervals import at_the_edge, within

IMPRESSIONS: Final = "impressions"
EXAMINED: Final = "examined"
RATE: Final = "rate"

_EXTRAS: Final = {
    IMPRESSIONS: (IMPRESSIONS, "impression", "shown", "views"),
    RANK: RANK_IN_LOG,
}
"""What a log may also have: without impressions each row is one."""

_LEAST_SESSIONS: Final = 10.0
"""How often a document must have been examined, by default, before clicks say anything of it."""


def judge_clicks(
    log: Frame | FilePath,
    cuts: Sequence[float],
    *,
    exponent: float | None = None,
    propensities: Mapping[int, float] | FilePath | None = None,
    least: float = _LEAST_SESSIONS,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> OneTable:
    """What grades do clicks give documents, if the examination probability of each rank is known?

    The rate of a document is its clicks per examination: the sum of its clicks, divided by the sum
    over its rows of impressions · θ(rank), where θ is the probability that a rank is examined. Its
    grade is the number of cuts that the rate reaches.

    If users click examined documents that attract them (the position-based model), and θ is right,
    the rate is the probability that the document attracts, wherever it was shown. If θ is wrong, so
    is the rate: the probabilities are given, not estimated here.

    Parameters
    ----------
    log
        A DataFrame of any library, or a file (csv, json, parquet), with columns for topic, document
        and clicks (known as ``clicks``, ``clicked``, ``count``), and perhaps for impressions (each
        row is one otherwise) and the rank that the document was shown at. A document may have any
        number of rows.
    cuts
        The lowest rates of grades 1, 2, ..., rising; below the first the grade is 0.
    exponent
        θ(rank) = rank^-exponent. With 0, every rank is examined.
    propensities
        θ by rank, instead of the exponent: ``{rank: θ}``, or a file with the columns rank and
        propensity, each above 0 and at most 1.
    least
        A document examined less often stays unjudged: there are too few clicks.
    columns, fields
        What columns, and parts of rows in JSON, are called, ours first: ``{"query_id": "search_id"}``.

    Returns
    -------
    OneTable
        A row for each judged document: query_id, doc_id, clicks, examined, rate and relevance; the
        table can be used as qrels.

    Raises
    ------
    InputError
        If a cell does not fit its column, a document has more clicks than impressions, the log has
        ranks but no examination probabilities are given, or no document was examined often enough.

    Paper: T. Joachims, A. Swaminathan, T. Schnabel (2017), Unbiased learning-to-rank with biased
    feedback, WSDM, section 5.1 (the position-based model, and propensities (1/rank)^η); the quotient
    is that of clicks over expected clicks: W. V. Zhang, R. Jones (2007), Comparing click logs and
    editorial labels for training query rewriting, WWW workshop on query log analysis.

    Examples
    --------
    Shown 100 times each: a at rank 1, b at rank 2, where every second user looks. b is the better
    one, with 30 clicks by 50 who looked.

    >>> log = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "clicks": [40, 30], "impressions": [100, 100],
    ...                     "rank": [1, 2]})
    >>> judge_clicks(log, [0.1, 0.5], exponent=1).to_polars().drop("query_id").rows()
    [('a', 40.0, 100.0, 0.4, 1), ('b', 30.0, 50.0, 0.6, 2)]
    """
    naming = settled(Naming.of(columns, fields), log, propensities)
    clicked = _counted(log, cuts, exponent, propensities, least, naming=naming)
    table = clicked.pairs.with_columns(pl.Series(RELEVANCE, clicked.grade)).filter(pl.col(RELEVANCE).is_not_nan())
    few, of = len(clicked.grade) - table.height, counted(len(clicked.grade), "document")
    unjudged = [f"{few:,} of {of} were examined fewer than {least:g} times and stay unjudged"] if few else []
    caption = f"Grades from clicks: the click rates {', '.join(f'{cut:g}' for cut in clicked.cuts)} begin a grade each."
    notes = (clicked.taken, *unjudged, *clicked.lost())
    return OneTable(table.with_columns(pl.col(RELEVANCE).cast(pl.Int64)), caption, notes, index=2)


def click_intervals(
    log: Frame | FilePath,
    runs: RunsLike,
    cuts: Sequence[float],
    measures: MeasureNames = "nDCG@10",
    *,
    by: str,
    exponent: float | None = None,
    propensities: Mapping[int, float] | FilePath | None = None,
    least: float = _LEAST_SESSIONS,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 7,
    **reading: Unpack[AskedReading],
) -> OneTable:
    """How certain are the means of runs and their differences, if judgments come from users' clicks?

    The clicks of one user (or session) are dependent, so users are drawn with replacement, with all
    their rows; the judged documents are graded again, and the runs scored. The interval from low to
    high is for these documents: it shows what as many other clicks could change. Resampling cannot
    tell the value of retrieved documents that are unjudged; from least to most is that interval,
    widened by everything their grades could change. Topics are fixed: for other topics, see
    `compare`.

    Parameters
    ----------
    log, cuts, exponent, propensities, least
        As in `judge_clicks`.
    runs
        As in `evaluate`. Differences are from the first.
    measures
        As in `evaluate`.
    by
        The column of the log that identifies the user.
    level
        Confidence of the intervals.
    resamples, seed
        The number of bootstrap samples of users, and their seed.
    topics, topics_file, only, missing, order, depth, comments, repeated, subtopics, exclude, residual, complete
        As in `join`; clicks are incomplete unless ``complete=True``.
    columns, fields, costs, budget, cost_missing
        As in `join`.

    Returns
    -------
    OneTable
        A row for each measure and run, the best first: measure, run, mean, low, high, least, most;
        difference, difference_low, difference_high, difference_least, difference_most (of the first
        run null). Intervals end where their measure does. For geometric means, the effect of unjudged
        documents is unknown: null.

    Raises
    ------
    InputError
        As `judge_clicks` and `evaluate`, and if there are fewer than two users.

    Paper: see `cluster_interval`.

    Examples
    --------
    Both users liked b, whoever is drawn.

    >>> log = pl.DataFrame({"qid": ["1"] * 4, "docno": list("abab"), "clicks": [0, 9, 1, 8], "shown": [10] * 4,
    ...                     "user": list("uuvv")})
    >>> runs = {"old": {"1": {"a": 2.0, "b": 1.0}}, "new": {"1": {"b": 2.0, "a": 1.0}}}
    >>> found = click_intervals(log, runs, [0.5], "RR", by="user").to_polars()
    >>> found.select("run", "mean", "low", "high", "difference", "difference_low", "difference_high").rows()
    [('new', 1.0, 1.0, 1.0, 0.5, 0.5, 0.5), ('old', 0.5, 0.5, 0.5, None, None, None)]
    """
    level, seed = checked("level", level, Level), checked("seed", seed, Seed)
    resamples = checked("resamples", resamples, Count)
    reading = settle(reading, log, propensities, runs, reading.get("costs"))
    clicked = _counted(log, cuts, exponent, propensities, least, by, Naming.asked(reading))
    joined = join(clicked.judgments, runs, **cast("AskedReading", {"complete": False, **reading}))
    asked = parse_measures(measures)
    numbers_only(asked)
    if not asked:
        raise InputError("no measure is given; name one")

    places = clicked.judgments.code_of_topic
    counting = np.isin(clicked.judgments.topic, [places[topic] for topic in joined.topics if topic in places])

    def averages(grade: Floats | None = None) -> Floats:
        found = joined.scores(asked, grade).averages
        return np.stack([found, found - found[:, :1]])

    seen = averages()
    # Clicks of one user depend on each other: users are drawn with all of theirs, and judgments made anew of each draw.
    low, high = cluster_interval(
        lambda drawn: averages(clicked.grades(drawn)[counting]),
        clicked.clusters,
        resamples=resamples,
        seed=seed,
        level=level,
    )
    noted = joined.with_retrieved
    less, more = _could_change(noted, asked)
    limits = np.array([measure.limits for measure in asked])[:, np.newaxis]
    # A sum can grow with the topics, a mean cannot.
    limits *= np.array([len(joined.topics) if measure.summary == "sum" else 1 for measure in asked])[:, None, None]
    ends = np.array([low, high, low - less, high + more])
    ends = np.stack([within(ends[:, k], limits, differences=k == 1) for k in range(2)], axis=1)
    numbers = np.concatenate([[seen], ends])
    numbers = np.concatenate([numbers[:, 0], numbers[:, 1]])
    rows = [
        (str(measure), joined.runs[r], *np.where(np.arange(10) < (10 if r else 5), numbers[:, m, r], np.nan).tolist())
        for m, measure in enumerate(asked)
        for r in best_first(oriented(measure, seen[0, m]))
    ]
    names = ("mean", "low", "high", "least", "most")
    schema = {"measure": pl.String, "run": pl.String} | dict.fromkeys(
        (*names, "difference", *(f"difference_{name}" for name in names[1:])), pl.Float64
    )
    unjudged = int(noted.judgments.candidates.sum())
    caption = (
        f"Means over {joined.population}, and differences from {joined.runs[0]}, judged by clicks. Uncertainty over "
        f"users: low to high ({confidence(level)} intervals of {counted(resamples, 'draw')} of {clicked.clusters} of "
        f"the column {by}, seed {seed}). Least to most: {Scope().graded().whatever} ({unjudged:,} of them). Both stay "
        "within the measure's range."
    )
    edges = [
        f"{asked[m]} of {joined.runs[r]}{f' less {joined.runs[0]}' if k else ''}"
        for k, m, r in np.argwhere(at_the_edge(seen, low, high)).tolist()
    ]
    why = f"at the edge of its interval: {named(edges)}; the interval is corrected for the bias of resampling users"
    notes = (clicked.taken, *clicked.lost(), *([why] if edges else []))
    return OneTable(pl.DataFrame(rows, schema, orient="row").fill_nan(None), caption, notes, index=2)


def _could_change(noted: JudgedRuns, measures: Sequence[Measure]) -> tuple[Floats, Floats]:
    """Return how far unjudged documents could move means, and differences from the first run: (2, measures, runs)."""
    bounded = noted.under(bounds=True).scores(list(measures))
    means = bounded.averages
    limits = bounded.limits if bounded.limits is not None else (bounded.values, bounded.values)
    low, high = (bounded.averaged(ends) for ends in limits)
    apart = means - means[:, :1]
    down, up = np.zeros_like(apart), np.zeros_like(apart)
    rivals, topics = Rivals(noted, bounded.topics), len(bounded.topics)
    for (m, measure), run in product(enumerate(measures), range(1, len(noted.runs))):
        pair = rivals.of(measure, run, 0)
        ends = sorted(direction(measure) * np.array([pair.least(), pair.most()]))
        least, most = np.array(ends) * (topics if measure.summary == "sum" else 1)
        down[m, run], up[m, run] = apart[m, run] - least, most - apart[m, run]
    less, more = np.stack([means - low, down]), np.stack([high - means, up])
    unknown = [measure.summary not in ("mean", "sum") for measure in measures]
    less[:, unknown], more[:, unknown] = np.nan, np.nan
    return less.clip(min=0.0), more.clip(min=0.0)


@dataclass(frozen=True, eq=False)
class _Counted:
    """A log, counted: documents, and what each cluster of its rows (a user, a session) did with each of them."""

    pairs: pl.DataFrame  # query_id, doc_id, clicks, examined, rate; topic by topic
    pair: Integers  # of each document and cluster that met it: here to ``examined``
    cluster: Integers
    clicks: Floats
    examined: Floats
    clusters: int  # how many there are
    cuts: Floats
    least: float
    taken: str  # which columns were taken for what, in words

    @cached_property
    def grade(self) -> Floats:
        """The grade of each document, NaN where it is left unjudged."""
        examined = self.pairs[EXAMINED].to_numpy()
        return np.where(examined < self.least, np.nan, self._reached(self.pairs[CLICKS].to_numpy(), examined))

    @cached_property
    def kept(self) -> Booleans:
        """Which documents are of topics with a judgment."""
        with_grade = self.pairs.with_columns(pl.Series(RELEVANCE, self.grade))
        return with_grade.select(pl.col(RELEVANCE).is_not_nan().any().over(QUERY)).to_series().to_numpy()

    def lost(self) -> Iterator[str]:
        """Say which topics of the log have no judgment, and so are in no mean."""
        topics = self.pairs[QUERY].unique(maintain_order=True)
        lost = topics.filter(~topics.is_in(self.pairs[QUERY].filter(self.kept).unique().implode())).to_list()
        if lost:
            have, are = ("has", "is") if len(lost) == 1 else ("have", "are")
            yield (
                f"{len(lost):,} of {counted(len(topics), 'topic')} of the log {have} no document that was examined "
                f"{self.least:g} times, and {are} left out ({named(lost)})"
            )

    @cached_property
    def judgments(self) -> Judgments:
        """The judgments, on the scale of the cuts; what is left unjudged is among them, as unjudged."""
        judgments = Judgments(self.pairs.with_columns(pl.Series(RELEVANCE, self.grade)).filter(self.kept))
        judgments.top_grade = float(len(self.cuts))
        return judgments

    def grades(self, drawn: Floats) -> Floats:
        """Grade the judged documents anew, each cluster as often as drawn; what none examined keeps its grade."""
        weight, pairs = drawn[self.cluster], self.pairs.height
        clicks = sums_within(self.pair, weight * self.clicks, pairs)
        examined = sums_within(self.pair, weight * self.examined, pairs)
        return np.where((examined > 0) & ~np.isnan(self.grade), self._reached(clicks, examined), self.grade)[self.kept]

    def _reached(self, clicks: Floats, examined: Floats) -> Floats:
        return np.searchsorted(self.cuts, ratio(clicks, examined), side="right").astype(np.float64)


def _counted(
    log: Frame | FilePath,
    cuts: Sequence[float],
    exponent: float | None,
    propensities: Mapping[int, float] | FilePath | None,
    least: float,
    by: str | None = None,
    naming: Naming = NO_NAMES,
) -> _Counted:
    """Read a log, and count clicks and examinations."""
    rising, least = np.array(checked("cuts", tuple(cuts), tuple[Positive, ...])), checked("least", least, Positive)
    if not len(rising) or (np.diff(rising) <= 0).any():
        raise InputError(f"cuts must be one or more increasing rates, not {listed([f'{cut:g}' for cut in rising])}")
    source = source_of(log)
    rows, taken = _read(log, by, naming)
    chances = _chances(rows, exponent, propensities, source, naming)
    rows = rows.with_columns(pl.Series(EXAMINED, rows[IMPRESSIONS] * chances))
    parts = rows.group_by(QUERY, DOCUMENT, CLUSTER, maintain_order=True).agg(pl.col(CLICKS, EXAMINED).sum())
    pairs = (  # a topic's documents stand together, topics and documents by their first row
        parts.with_row_index("first")
        .group_by(QUERY, DOCUMENT, maintain_order=True)
        .agg(pl.col(CLICKS, EXAMINED).sum(), pl.col("first").first())
        .sort(pl.col("first").min().over(QUERY), "first")
        .drop("first")
        .with_columns((pl.col(CLICKS) / pl.col(EXAMINED)).fill_nan(0.0).alias(RATE))
    )
    names = parts[CLUSTER].unique(maintain_order=True)
    codes = parts.join(pairs.select(QUERY, DOCUMENT).with_row_index("pair"), [QUERY, DOCUMENT], maintain_order="left")
    clicked = _Counted(
        pairs=pairs,
        pair=codes["pair"].to_numpy().astype(np.int64),
        cluster=codes[CLUSTER].replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64).to_numpy(),
        clicks=codes[CLICKS].to_numpy(),
        examined=codes[EXAMINED].to_numpy(),
        clusters=len(names),
        cuts=rising,
        least=least,
        taken=taken,
    )
    if np.isnan(clicked.grade).all():
        most = float(pairs[EXAMINED].to_numpy().max())
        raise InputError(
            f"no document was examined {least:g} times (at most {most:g}); ask for fewer ({taken})", source=source
        )
    return clicked


def _read(log: Frame | FilePath, by: str | None, naming: Naming) -> tuple[pl.DataFrame, str]:
    """Read query_id, doc_id, clicks, impressions, cluster and perhaps rank of a log, and say which columns they are."""
    table, taken = read_log(log, LOG_COLUMNS, _EXTRAS, by=by, naming=naming)
    further = {IMPRESSIONS: 1.0, CLUSTER: ""}
    table = table.with_columns(pl.lit(value).alias(name) for name, value in further.items() if name not in table)
    above = (table[CLICKS] > table[IMPRESSIONS]).to_numpy()
    if above.any():
        row = int(above.argmax())
        clicks, views = table[CLICKS][row], table[IMPRESSIONS][row]
        raise InputError(f"row {row + 1}: {clicks:g} clicks of {views:g} impressions", source=source_of(log))
    return table, taken


def _chances(
    rows: pl.DataFrame,
    exponent: float | None,
    propensities: Mapping[int, float] | FilePath | None,
    source: str,
    naming: Naming,
) -> Floats:
    """Return, for each row, the chance that the rank at which it was shown is examined."""
    if exponent is not None and propensities is not None:
        raise InputError("give an exponent or propensities, not both")
    exponent = checked("exponent", exponent, NotNegative | None)
    if RANK not in rows.columns:
        if exponent or propensities is not None:
            raise InputError("the log has no column rank, which the examination model needs", source=source)
        return np.ones(rows.height)
    rank = rows[RANK].to_numpy()
    if exponent is not None:
        return rank.astype(np.float64) ** -exponent
    if propensities is None:
        raise InputError(
            "the log has ranks: give their examination probabilities by an exponent (0: all equal) or propensities",
            source=source,
        )
    known = _by_rank(propensities, naming) if isinstance(propensities, str | os.PathLike) else propensities
    known = {rank: checked(f"the propensity of rank {rank}", chance, Share) for rank, chance in known.items()}
    if missing := sorted(set(rank.tolist()) - set(known)):
        raise InputError(
            f"no propensity is given for rank {missing[0]}, at which the log shows documents", source=source
        )
    return np.array([known[each] for each in rank.tolist()])


def _by_rank(path: FilePath, naming: Naming) -> dict[int, float]:
    """Read a file of propensities."""
    table = read_table(path, "propensities", naming)
    wanted = {RANK: _EXTRAS[RANK], "propensity": ("propensity",)}
    found = match_columns(table.columns, wanted, source=called(path), columns=naming.names)
    table = table.select(pl.col(theirs).alias(ours) for ours, theirs in found.items())
    known = (read_column(table, RANK, called(path)), read_column(table, "propensity", called(path), counts))
    return dict(zip(*known, strict=True))
