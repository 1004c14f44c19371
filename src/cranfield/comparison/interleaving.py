"""Interleaving: the documents of two rankers are shown in one list, and users' clicks say which ranker they prefer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cranfield.comparison.opening import BETWEEN, LEADS, doubt
from cranfield.formats.click_logs import CLICKS, IMPRESSION, LOG_COLUMNS, RANK_IN_LOG, read_log, source_of
from cranfield.formats.files import FilePath
from cranfield.formats.unmet import settled
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Interleaved, Level, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.speech import Speech
from cranfield.plumbing.tables import CLUSTER, DOCUMENT, QUERY, RANK, RUN, RUN_EXTRAS, Frame
from cranfield.plumbing.wording import confidence, counted, named, p_value
from cranfield.results.result import Result
from cranfield.statistics.clusters import by_unit
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.concordance import half_or_not, mean_of_shares
from cranfield.statistics.on_paper import side

_COLUMNS = {
    IMPRESSION: (IMPRESSION, "impression_id"),
    QUERY: LOG_COLUMNS[QUERY],
    RUN: ("team", "ranker", *RUN_EXTRAS[RUN]),
    CLICKS: LOG_COLUMNS[CLICKS],
}
_PLACED = {DOCUMENT: LOG_COLUMNS[DOCUMENT], RANK: RANK_IN_LOG}


@dataclass(frozen=True, eq=False, repr=False)
class Interleaving(Result, keys=2):
    """Which of two rankers users prefer, and how certain that is.

    Attributes
    ----------
    method
        ``"team-draft"`` or ``"balanced"``.
    runs
        The two rankers, in the order of their names.
    topics
        A row for each topic, the one with the most impressions first: query_id, and the impressions that the first
        ranker wins, ties and loses there.
    difference
        Δ of the first ranker: its share of impressions, ties counting half, less 1/2.
    low, high
        Ends of the interval of Δ; None if all impressions are of one user.
    p
        Of the hypothesis that Δ is 0, two-sided; None as well.
    level
        Confidence of the interval.
    by
        The column that identifies users; None if each impression is independent of the others.
    units
        How many users there are, or impressions.
    notes
        Which columns were read, and what was left out.
    """

    method: str
    runs: tuple[str, str]
    topics: pl.DataFrame
    difference: float
    low: float | None
    high: float | None
    p: float | None
    level: float
    by: str | None
    units: int
    notes: tuple[str, ...]

    @property
    def tally(self) -> tuple[int, int, int]:
        """How many impressions the first ranker wins, ties and loses."""
        won, tied, lost = self.topics.select("wins", "ties", "losses").sum().row(0)
        return won, tied, lost

    @property
    def unit(self) -> str:
        """What is drawn as a whole: an impression, or what the column is of, such as a user."""
        if self.by is None:
            return "impression"
        return "topic" if self.by in _COLUMNS[QUERY] else self.by.removesuffix("_id") or self.by

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return the long table, a row for each topic and ranker.

        Columns: query_id, run, wins, ties and losses (of impressions), outcome (wins and half of the
        ties, as a share of the impressions), so that it can be given to `experiments.outcome`. Then
        what was found over all topics, in all rows of a ranker: method, difference, low, high, p,
        level.
        """
        p, level = pl.lit(self.p, pl.Float64), pl.lit(self.level)
        sides = []
        for run, sign in zip(self.runs, (1, -1), strict=True):
            ends = [None if end is None else sign * end for end in (self.low, self.high)]
            low, high = (pl.lit(end, pl.Float64) for end in ends[::sign])
            wins, losses = ("wins", "losses")[::sign]
            table = self.topics.select(QUERY, pl.lit(run).alias(RUN), wins=wins, ties="ties", losses=losses)
            share = (pl.col("wins") + pl.col("ties") / 2) / pl.sum_horizontal("wins", "ties", "losses")
            all_topics = {"method": pl.lit(self.method), "difference": pl.lit(sign * self.difference)}
            sides.append(table.with_columns(outcome=share, **all_topics, low=low, high=high, p=p, level=level))
        return pl.concat(sides)

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people: a row for each topic."""
        first, second = self.runs
        impressions = pl.sum_horizontal("wins", "ties", "losses")
        return self.topics.select(
            "query_id", pl.col("wins").alias(f"{first} wins"), "ties", pl.col("losses").alias(f"{second} wins"),
            impressions.alias("impressions"),
        )  # fmt: skip

    def keys(self, **which: object) -> int:
        """Return how many columns of the table for people say what a row is."""
        return 1

    def caption(self, **which: object) -> str:
        """Describe the table and the interval."""
        return (
            f"Impressions that each ranker wins by {self.method} interleaving. The lead is its share of impressions, "
            f"ties counting half, minus 1/2 ({counted(self.units, self.unit)})."
        )

    def opening(self, **which: object) -> tuple[str, ...]:
        """Return the verdict and what it rests on."""
        return tuple(self._opened())

    def _opened(self) -> Iterator[str]:
        sign = int(side(self.difference)) or 1
        ahead, behind = self.runs[::sign]
        measure = f"{self.method} interleaving"
        known = self.low is not None and self.high is not None
        low, high = sorted(sign * end for end in (self.low, self.high) if end is not None) if known else (None, None)
        if side(self.difference):
            apart = known and bool(excludes_0(np.array(low), np.array(high)))
            verdict = f": {doubt(low, high, is_significant=apart)}" if known else ""
            lead = abs(self.difference)
            yield Speech().format(f"{LEADS}{verdict}.", leaders=ahead, seconds=behind, lead=lead, measure=measure)
        else:
            yield f"{ahead} and {behind} win equally often in {measure}."
        if self.p is None:
            yield f"One {self.unit} gives no interval."
        else:
            words = f"{BETWEEN}({confidence(self.level)} interval; {p_value(self.p)})."
            scope = Scope().on_others(f"{self.unit}s")
            yield Speech().format(words, low=low, high=high, scope=scope)
        won, tied, lost = self.tally[::sign]
        yield f"{ahead} wins {counted(won, 'impression')}, ties {tied:,} and loses {lost:,}."


def compare_interleaved(
    log: Frame | FilePath,
    method: Interleaved,
    *,
    by: str | None = None,
    level: float = 0.95,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Interleaving:
    r"""Which of two rankers do users prefer, if both are shown in one list?

    Each impression with a click is won by the ranker with more clicked documents to its credit, or
    tied. By *team draft* a document is to the credit of the ranker that contributed it. By *balanced*
    interleaving it is to the credit of each ranker that has it among its top k,

    .. math:: k = \max_{d \text{ clicked}} \min(\text{rank}_A(d), \text{rank}_B(d)),

    the smallest k such that the top k of both lists together contain all clicked documents. A document that is
    clicked several times counts once, and impressions without a click are left out. Over all others,

    .. math:: \Delta_{AB} = \frac{\text{wins}_A + \text{ties} / 2}{\text{wins}_A + \text{ties} +
        \text{wins}_B} - \frac{1}{2},

    from -1/2 to 1/2; above 0, users prefer A. The interval is for other users of the kind, each with
    all impressions, and is Wilson's with a design effect (`mean_of_shares`).

    Parameters
    ----------
    log
        A DataFrame of any library, or a file (csv, json, parquet), with columns for impression, topic, ranker
        (known as ``team``, ``ranker``, ``run``) and clicks. By team draft a row is a document that was shown, and its
        ranker the team; a column of documents is optional. Balanced, a row is a document of one ranker's list,
        with its rank in that list; documents of both lists have two rows, and clicks in either count.
    method
        ``"team-draft"`` or ``"balanced"``.
    by
        The column that identifies the user. Without it, impressions are taken for independent.
    level
        Confidence of the interval.
    columns, fields
        What columns, and parts of rows in JSON, are called, ours first: ``{"run": "shown_by"}``.

    Returns
    -------
    Interleaving
        Wins, ties and losses by topic, Δ with its interval and p.

    Raises
    ------
    InputError
        If a cell does not fit its column, the log does not name two rankers, an impression has several
        topics or users, a document is in both teams or twice in a list, or nothing is clicked.

    Paper: F. Radlinski, M. Kurup, T. Joachims (2008), How does clickthrough data reflect retrieval quality?,
    CIKM (team draft, and both credited); T. Joachims (2003), Evaluating retrieval performance using clickthrough
    data (balanced); O. Chapelle, T. Joachims, F. Radlinski, Y. Yue (2012), Large-scale validation and analysis of
    interleaved search evaluation, TOIS 30(1) (Δ).

    Examples
    --------
    Old has documents a, b, c and new has b, d, a. The user saw a, b and d, and clicked b and d. The
    smaller ranks of these are 1 and 2, so that k is 2. The top 2 of old has b, that of new b and d: new wins.

    >>> lists = {"old": "abc", "new": "bda"}
    >>> rows = [("1", "q", run, d, k, d in "bd") for run in lists for k, d in enumerate(lists[run], start=1)]
    >>> log = pl.DataFrame(rows, ["impression", "query", "ranker", "doc", "rank", "clicks"], orient="row")
    >>> found = compare_interleaved(log, "balanced")
    >>> found.runs, found.tally, found.difference
    (('new', 'old'), (1, 0, 0), 0.5)
    >>> print(*found.opening(), sep=chr(10))
    new leads old by 0.5000 in balanced interleaving.
    One impression gives no interval.
    new wins 1 impression, ties 0 and loses 0.
    """
    method, level = checked("method", method, Interleaved), checked("level", level, Level)
    naming, source = settled(Naming.of(columns, fields), log), source_of(log)
    balanced = method == "balanced"
    wanted = {**_COLUMNS, **_PLACED} if balanced else _COLUMNS
    table, taken = read_log(log, wanted, {} if balanced else {DOCUMENT: _PLACED[DOCUMENT]}, by=by, naming=naming)
    runs = table[RUN].unique().sort().to_list()
    if len(runs) != 2:
        raise InputError(
            f"the log names {counted(len(runs), 'ranker')} ({named(runs)}); interleaving compares two", source=source
        )
    _refuse_broken(table, source, balanced=balanced)
    credited = _credited(table, balanced=balanced)
    if not credited.height:
        raise InputError("no document is clicked, so no ranker is preferred", source=source)
    seen = table[IMPRESSION].n_unique()
    impressions = credited.group_by(IMPRESSION, maintain_order=True).agg(
        pl.col(QUERY, *([CLUSTER] if by else [])).first(),
        won=((pl.col(RUN) == runs[0]).sum().cast(pl.Int64) - (pl.col(RUN) == runs[1]).sum().cast(pl.Int64)).sign(),
    )
    topics = impressions.group_by(QUERY, maintain_order=True).agg(
        (pl.col("won") == sign).sum().cast(pl.Int64).alias(name) for name, sign in _SIGNS.items()
    )
    topics = topics.sort(-pl.sum_horizontal(*_SIGNS), QUERY)
    shares = impressions["won"].to_numpy()[np.newaxis] / 2 + 0.5
    clusters = impressions[CLUSTER].rank("dense").to_numpy() if by else None
    units = impressions[CLUSTER].n_unique() if by else impressions.height
    mean, low, high, p = float(shares.mean()), None, None, None
    if units > 1:
        [rows], weights, variances = by_unit(shares, clusters=clusters)
        _, *ends = mean_of_shares(rows, level, weights, variances)
        low, high = (float(end) - 0.5 for end in ends)
        p = float(half_or_not(rows, weights, variances))
    idle = seen - impressions.height
    without = f"{idle:,} of {counted(seen, 'impression')} left out: no click"
    notes = (taken, *([without] if idle else []))
    return Interleaving(method, (runs[0], runs[1]), topics, mean - 0.5, low, high, p, level, by, units, notes)


_SIGNS = {"wins": 1, "ties": 0, "losses": -1}


def _credited(table: pl.DataFrame, *, balanced: bool) -> pl.DataFrame:
    """Return a row for each clicked document and ranker to whose credit it is."""
    if not balanced:
        clicked = table.filter(pl.col(CLICKS) > 0)
        return clicked.unique([IMPRESSION, DOCUMENT], maintain_order=True) if DOCUMENT in table.columns else clicked
    whole = [IMPRESSION, DOCUMENT]
    clicked = table.filter((pl.col(CLICKS) > 0).any().over(whole))
    clicked = clicked.with_columns(pl.col(RANK).min().over(whole).alias("better"))  # old polars nests no windows
    deep_enough = pl.col(RANK) <= pl.col("better").max().over(IMPRESSION)
    return clicked.filter(deep_enough).unique([IMPRESSION, RUN, DOCUMENT], maintain_order=True)


def _refuse_broken(table: pl.DataFrame, source: str, *, balanced: bool) -> None:
    """Refuse impressions that cannot be: of several topics or users, with a document or a rank twice."""
    for key, noun in ((QUERY, "topics"), (CLUSTER, "users")):
        if key in table.columns:
            _refuse(table, [IMPRESSION], key, f"impression {{!r}} has several {noun}", source)
    if balanced:
        _refuse(table, [IMPRESSION, RUN, DOCUMENT], RANK, "impression {!r}: {!r} has document {!r} twice", source)
        _refuse(table, [IMPRESSION, RUN, RANK], DOCUMENT, "impression {!r}: {!r} has two documents at rank {}", source)
    elif DOCUMENT in table.columns:
        words = "impression {!r}: document {!r} is in both teams; by team draft it is in one"
        _refuse(table, [IMPRESSION, DOCUMENT], RUN, words, source)


def _refuse(table: pl.DataFrame, of: list[str], key: str, words: str, source: str) -> None:
    """Refuse what has several values of a key where it has one."""
    several = table.filter((pl.col(key).n_unique() > 1).over(of)).select(of)
    if several.height:
        raise InputError(words.format(*several.row(0)), source=source)
