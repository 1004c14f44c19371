"""Several searches for one question: what each added, how far a budget of them goes, and which found the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Unpack

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.formats.search_log import CALL, READS, ROUNDED_UP, TOKENS, SearchLog
from cranfield.formats.searches import Searches, SearchesLike, found_searches, without
from cranfield.formats.spans import TRACE_ID
from cranfield.formats.unmet import settle
from cranfield.judged.audit import Audit, Audited
from cranfield.judged.conditions import Asked, Conditions
from cranfield.judged.joining import Rows, rank
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.curves import MOST_VALUES
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plots import Material
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import Count, Level, NotNegative, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, SCORE
from cranfield.plumbing.wording import counted, percent
from cranfield.scoring.blocks import as_taken, score
from cranfield.scoring.judged_runs import JudgedRuns, by_what, join
from cranfield.scoring.panel import limits_of, numbers_only
from cranfield.statistics.intervals import t_interval, within

_MEASURES: Final = ("R", "nDCG@10")  # Default measures of searches: everything that was found, and what stands in front
_FEW_SEARCHES: Final = 10  # Up to this many searches have a row each; of more, people see some
_COUNTS: Final = ("NumRelRet", "CG")


@dataclass(frozen=True, eq=False, repr=False)
class SearchScores(Audited, keys=2):
    """What the searches of one or several systems found, search by search.

    Lists that ended earlier are carried forward: after search 5 a question with three searches has what it had after
    the third. A question without a search is an empty list.

    Attributes
    ----------
    runs, topics, measures
        The systems; the topics in the order of the qrels; the measures.
    present
        Array of shape (runs, topics): whether the system was asked the question at all.
    made, reads, tokens
        Arrays of shape (runs, topics): how many searches there were, how many documents were opened by id, and what
        the question cost: the tokens of its searches where these are known, else those that the file has of the
        whole question (NaN where it has none).
    returned, documents, relevant, gain
        Arrays of shape (runs, topics, searches): how many results the searches so far returned, with repetitions;
        how many documents these are; how many of them are relevant; the sum of their grades above 0.
    union, alone
        Arrays of shape (measures, runs, topics, searches): the value of the union of the searches so far, and of this
        search's list alone (NaN where it was not made).
    recall_base
        Array of shape (topics,): how many relevant documents there are.
    within
        The budgets of tokens that were asked for.
    documents_within, union_within
        Arrays of shape (runs, topics, budgets) and (measures, runs, topics, budgets): the same within these budgets.
    charged
        Of each system, whether the tokens of its searches are known, and not of whole questions alone.
    shown
        The numbers of searches that people are shown.
    level
        The confidence of the intervals.
    conditions
        How the judgments were used.
    audit
        The audit of the unions and the qrels.
    notes
        What to know of the files.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    present: Booleans
    made: Integers
    reads: Integers
    tokens: Floats
    returned: Integers
    documents: Integers
    relevant: Floats
    gain: Floats
    union: Floats
    alone: Floats
    recall_base: Floats
    within: tuple[float, ...]
    documents_within: Integers
    union_within: Floats
    charged: tuple[bool, ...]
    shown: tuple[int, ...]
    level: float
    conditions: Conditions
    audit: Audit
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"SearchScores({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}, up to "
            f"{counted(self.searches, 'search', 'searches')}: {', '.join(self.measures)})"
        )

    @property
    def searches(self) -> int:
        """The largest number of searches for a topic, and at least 1."""
        return int(self.documents.shape[2])

    @property
    def first(self) -> Integers:
        """Array of shape (runs, topics): the first search that found something relevant; 0 where none did."""
        return _first(self.relevant >= 1)

    @property
    def complete(self) -> Integers:
        """Array of shape (runs, topics): the search by which everything relevant was found; 0 where it was not."""
        return _first((self.relevant >= self.recall_base[:, None]) & (self.recall_base[:, None] > 0))

    @cached_property
    def by_call(self) -> pl.DataFrame:
        """A row for each run and number of searches, then for each budget of tokens.

        Columns run; unit (searches or tokens); budget; topics (over how many the means are); made (how many of them
        had that many searches); documents (mean size of the union); of the searches of that number alone, on the
        topics that had one: new, new_relevant and gain (means of what no search before had), repeated (the share of
        their results that had been returned before); and of each measure M: M (mean of the union), ``M low`` and
        ``M high`` (Student's t interval over topics), ``M of the search`` (mean of this search's list alone, on the
        topics that had one). What a row has not is null.
        """
        return pl.concat([*self._by_calls(), *self._by_tokens()], how="diagonal_relaxed")

    def _by_calls(self) -> Iterator[pl.DataFrame]:
        """Give the rows of each run: after every number of searches, and after those that were asked for."""
        numbers = np.array(sorted({*range(1, self.searches + 1), *self.shown}))
        last = np.minimum(numbers, self.searches) - 1  # of more there is nothing that could change
        for r, run in enumerate(self.runs):
            over = self._over[r]
            made = (self.made[r][:, None] >= numbers) & over[:, None]
            new, returned = (_steps(values[r])[:, last] for values in (self.documents, self.returned))
            again = returned - new
            columns = {
                "made": made.sum(axis=0),
                "documents": _mean(self.documents[r][over][:, last]),
                "new": _mean_where(new, made),
                "new_relevant": _mean_where(_steps(self.relevant[r])[:, last], made),
                "gain": _mean_where(_steps(self.gain[r])[:, last], made),
                "repeated": _share(np.where(made, again, 0).sum(axis=0), np.where(made, returned, 0).sum(axis=0)),
            }
            for m, measure in enumerate(self.measures):
                columns |= self._with_limits(measure, self.union[m, r][over][:, last])
                columns[f"{measure} of the search"] = _mean_where(self.alone[m, r][:, last], made)
            yield self._rows(run, "searches", numbers.astype(np.float64), int(over.sum()), columns)

    def _by_tokens(self) -> Iterator[pl.DataFrame]:
        for r, run in enumerate(self.runs) if self.within else ():
            over = self._over[r]
            columns = {"documents": _mean(self.documents_within[r][over])}
            for m, measure in enumerate(self.measures):
                columns |= self._with_limits(measure, self.union_within[m, r][over])
            yield self._rows(run, TOKENS, np.array(self.within), int(over.sum()), columns)

    def _rows(
        self, run: str, unit: str, budgets: Floats, topics: int, columns: Mapping[str, Floats | Integers]
    ) -> pl.DataFrame:
        values = [pl.Series(name, values, nan_to_null=values.dtype.kind == "f") for name, values in columns.items()]
        first = pl.DataFrame({"run": [run] * len(budgets), "unit": unit, "budget": budgets, "topics": topics})
        return first.with_columns(values)

    def _with_limits(self, measure: str, values: Floats) -> dict[str, Floats]:
        """Return the means of an array of shape (topics, budgets) and the limits of their intervals."""
        if len(values) < 2:
            unknown = np.full(values.shape[1], np.nan)
            return {measure: _mean(values), f"{measure} low": unknown, f"{measure} high": unknown}
        low, high = within(t_interval(values.T, self.level), limits_of(measure))
        return {measure: _mean(values), f"{measure} low": low, f"{measure} high": high}

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """A row for each run and topic that counts.

        Columns run; topic; searches; reads; results (with repetitions); documents (without); repeated (the share of
        results that had been returned before); relevant; recall_base; first, complete (by which search something,
        and everything, relevant was found; null where it was not); gain; gain_per_search; tokens (of the whole
        question); gain_per_1000_tokens; and each measure of the union of all searches.
        """
        parts = []
        for r, run in enumerate(self.runs):
            over = self._over[r]
            made, gain = self.made[r].astype(np.float64), self.gain[r, :, -1]
            returned, documents = self.returned[r, :, -1], self.documents[r, :, -1]
            columns = {
                "searches": self.made[r],
                "reads": self.reads[r],
                "results": returned,
                "documents": documents,
                "repeated": _share(returned - documents, returned),
                "relevant": self.relevant[r, :, -1].astype(np.int64),
                "recall_base": self.recall_base.astype(np.int64),
                "first": np.where(self.first[r] > 0, self.first[r], np.nan),
                "complete": np.where(self.complete[r] > 0, self.complete[r], np.nan),
                "gain": gain,
                "gain_per_search": _share(gain, made),
                TOKENS: self.tokens[r],
                "gain_per_1000_tokens": 1000 * _share(gain, self.tokens[r]),
            } | {measure: self.union[m, r, :, -1] for m, measure in enumerate(self.measures)}
            names = [topic for topic, counts in zip(self.topics, over, strict=True) if counts]
            keys = {"run": [run] * len(names), "topic": names}
            table = pl.DataFrame(keys, schema=dict.fromkeys(keys, pl.String))
            parts.append(
                table.with_columns(
                    pl.Series(name, values[over], nan_to_null=values.dtype.kind == "f")
                    for name, values in columns.items()
                ).with_columns(pl.col("first", "complete").cast(pl.Int64))
            )  # fmt: skip
        return pl.concat(parts)

    @cached_property
    def by_run(self) -> pl.DataFrame:
        """A row for each run.

        Columns run; topics; missing (how many of them the log does not have); without (how many it has without a
        search); searches, reads, documents (means over the topics that it has); repeated (the share of all results);
        found, complete (the shares of the topics with something relevant in the qrels of which something, and
        everything, was found); gain_per_search and gain_per_1000_tokens (all gain divided by all searches, and by the
        tokens of all questions; null where tokens are not known).
        """
        rows = []
        for r, run in enumerate(self.runs):
            over = self._over[r]
            judged = over & (self.recall_base > 0)
            gain, returned, documents = (
                float(values[r][over, -1].sum()) for values in (self.gain, self.returned, self.documents)
            )
            there = over & self.present[r]
            made, reads, cost = (float(values[r][there].sum()) for values in (self.made, self.reads, self.tokens))
            topics = int(there.sum())
            rows.append(
                {
                    "run": run,
                    "topics": int(over.sum()),
                    "missing": int((over & ~self.present[r]).sum()),
                    "without": int((self.made[r][there] == 0).sum()),
                    "searches": made / topics if topics else None,
                    "reads": reads / topics if topics else None,
                    "documents": documents / topics if topics else None,
                    "repeated": (returned - documents) / returned if returned else None,
                    "found": float((self.first[r][judged] > 0).mean()) if judged.any() else None,
                    "complete": float((self.complete[r][judged] > 0).mean()) if judged.any() else None,
                    "gain_per_search": gain / made if made else None,
                    "gain_per_1000_tokens": 1000 * gain / cost if cost > 0 else None,  # NaN is not above 0
                }
            )
        floats = dict.fromkeys(rows[0].keys() - {"run", "topics", "missing", "without"}, pl.Float64)
        return pl.DataFrame(rows, schema_overrides=floats)

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return `by_call`, or `per_topic`."""
        return self.per_topic if per_topic else self.by_call

    def table(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return a row for each run and some numbers of searches, and for each budget of tokens; or for each topic."""
        if per_topic:
            table = self.per_topic
            unknown = [name for name in (TOKENS, "gain_per_1000_tokens") if table[name].null_count() == table.height]
            return table.drop(unknown, [] if table["reads"].sum() else ["reads"])
        shown = pl.col("budget").is_in([float(number) for number in self.shown])
        table = self.by_call.filter((pl.col("unit") == TOKENS) | shown)
        budget = pl.col("budget").map_elements(lambda number: f"{number:,.15g}", return_dtype=pl.String)
        one = pl.when(pl.col("budget") == 1).then(pl.lit("search")).otherwise(pl.lit("searches"))
        unit = pl.when(pl.col("unit") == TOKENS).then(pl.lit(TOKENS)).otherwise(one)
        said = ["topics"] if table["topics"].n_unique() == 1 else []  # in the caption, then
        limits = [f"{measure} {end}" for measure in self.measures for end in ("low", "high")]
        after = pl.concat_str(budget, unit, separator=" ").alias("after")
        return table.select("run", after, pl.exclude("run", "unit", "budget", *said, *limits))

    def caption(self, *, per_topic: bool = False, **which: object) -> str:
        """Say what the table shows."""
        under = "".join(f"; {each}" for each in self.conditions.described("order"))
        if per_topic:
            return f"All searches of each topic; measures are of their union{under}."
        over = {int(counts.sum()) for counts in self._over}
        many = counted(over.pop(), "topic") if len(over) == 1 else "the topics of each run"
        return (
            f"Means over {many}, of the union of the searches so far (lists that ended earlier are carried forward) "
            "and of each search alone. New, new_relevant, gain and repeated count that search, on the topics that had "
            f"one{under}."
        )

    def remarks(self) -> tuple[str, ...]:
        """Say of each run what all its searches found, and what is to know of the files."""
        return (*(self._summed(row) for row in self.by_run.iter_rows(named=True)), *self.notes)

    def _summed(self, row: dict[str, float | str | None]) -> str:
        lacks = f", {row['missing']} of them not in the log" if row["missing"] else ""
        without = f", {row['without']} without a search" if row["without"] else ""
        parts = [f"{row['run']}: {counted(int(row['topics'] or 0), 'topic')}{lacks}{without}"]
        if row["searches"] is not None:
            parts.append(f"{row['searches']:.3g} searches a topic")
        if row["repeated"] is not None:
            parts.append(f"{percent(float(row['repeated']))} of the results had been returned before")
        if row["found"] is not None:
            judged = "topics with relevant documents" if (self.recall_base == 0).any() else "topics"
            parts.append(
                f"{percent(float(row['found']))} of the {judged} found something relevant, "
                f"{percent(float(row['complete'] or 0.0))} everything"
            )
        if row["gain_per_search"] is not None:
            gain = f"gain of {row['gain_per_search']:.3g} a search"
            if row["gain_per_1000_tokens"] is not None:
                of = "its searches" if self.charged[self.runs.index(str(row["run"]))] else "whole questions"
                gain += f" and {row['gain_per_1000_tokens']:.3g} per 1,000 tokens of {of}"
            parts.append(gain)
        return "; ".join(parts)

    def material(self) -> Material:
        """Return what its figure is drawn from: ``after``, a row for each run, number of searches and measure."""
        return Material("searches", {"after": lambda: self._after}, self.caption().partition(", of")[0] + ".")

    @property
    def _after(self) -> pl.DataFrame:
        table = self.by_call.filter((pl.col("unit") == "searches") & (pl.col("budget") <= self.searches))
        return pl.concat(
            table.select(
                "run",
                pl.lit(measure).alias("measure"),
                pl.col("budget").cast(pl.Int64).alias("searches"),
                "topics",
                "made",
                pl.col(measure).alias("value"),
                pl.col(f"{measure} low").cast(pl.Float64).alias("low"),
                pl.col(f"{measure} high").cast(pl.Float64).alias("high"),
                pl.lit(self.level).alias("level"),
            )
            for measure in self.measures
        )

    @property
    def _over(self) -> Booleans:
        """Array of shape (runs, topics): which topics count."""
        return self.present | (self.conditions.reading.topics == "all")


def searches(
    qrels: QrelsLike | Judgments,
    searches: SearchesLike,
    measures: MeasureNames | None = None,
    *,
    calls: Sequence[Count] | None = None,
    tokens: Sequence[NotNegative] = (),
    level: Level = 0.95,
    topic_attribute: str = TRACE_ID,
    **conditions: Unpack[Asked],
) -> SearchScores:
    """What did several searches for one question find, and what did each add?

    The searches of a topic are put together in their order: first the documents of search 1 as it ranked them,
    then what search 2 added, and so on. U(c) is that list after c searches; a document counts where it first
    appears. Search c adds the documents, the relevant ones and the gain, CG(U(c)) - CG(U(c - 1)), that no search
    before had; CG is the sum of grades above 0. Every measure is computed of U(c), and of the list of search c alone.
    Of a measure with a cutoff, U(c) soon stays what it is: the first search fills the first k ranks. The order is
    that of the searches, and repetitions are what is looked at, so that order, repeated and exclude
    are refused, and so are costs: the tokens of searches are in their log.

    Parameters
    ----------
    qrels
        As for `evaluate`.
    searches
        Of one system or several: what `read_searches` takes or returns.
    measures
        As for `evaluate`; by default R and nDCG@10. Averages are means over topics.
    calls
        After how many searches people are shown the values; by default after each of up to ten, and of more after
        1, 2, 5, 10, 20 ... All numbers are in ``by_call``.
    tokens
        Budgets of tokens: the union ends before the first document (or search, where tokens are known by
        search) with which there would be more.
    level
        The confidence of Student's t intervals over topics, each for one number of searches.
    topic_attribute
        As for `read_searches`.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        If a file cannot be read, or tokens are asked for that are not known by search.
    MeasureError
        If a measure does not exist, is a text, or is not averaged by the mean.

    Examples
    --------
    The second search returns b again, and adds c, which is relevant. Nothing was searched for q2.

    >>> qrels = {"q1": {"b": 1, "c": 1}, "q2": {"d": 1}}
    >>> found = searches(qrels, {"agent": {"q1": [["a", "b"], ["b", "c"]], "q2": []}}, "R")
    >>> found.by_call.select("budget", "made", "new", "new_relevant", "repeated", "R", "R of the search").rows()
    [(1.0, 1, 2.0, 1.0, 0.0, 0.25, 0.5), (2.0, 1, 1.0, 1.0, 0.5, 0.5, 1.0)]
    >>> found.per_topic.select("topic", "searches", "first", "complete").rows()
    [('q1', 2, 1, 2), ('q2', 0, None, None)]
    """
    if isinstance(qrels, JudgedRuns):
        raise InputError("joined runs hold no searches: give the qrels themselves")
    asked = parse_measures(by_what(measures, qrels, conditions, _MEASURES))
    numbers_only(asked)
    for measure in asked:
        if measure.summary != "mean":
            raise InputError(f"{measure} is not averaged by the mean; evaluate searches.runs(calls=...) by it")
    conditions = settle(conditions, qrels, searches)
    _refuse(conditions)
    shown = checked("calls", calls, tuple[Count, ...] | None)
    within = checked("tokens", tokens, tuple[NotNegative, ...])
    if not isinstance(searches, Searches):
        searches = found_searches(searches, topic_attribute=topic_attribute, naming=Naming.asked(conditions))
    logs = searches.logs
    for log in logs if within else ():
        log.require_tokens()
    joined = join(qrels, searches.runs(), **conditions)
    asked = list(as_taken(asked, joined.grading))
    topics = joined.topics
    # All arrays are as wide as the largest number of searches; topics with fewer carry what they had forward.
    most = max([1, *(int(log.calls[CALL].to_numpy().max(initial=0)) for log in logs)])
    shape = (len(logs), len(topics))
    if (2 * len(asked) + 4) * np.prod(shape) * most > MOST_VALUES:
        many = f"up to {most:,} searches for each of {counted(len(topics), 'topic')}"
        raise InputError(f"{many} and {counted(len(logs), 'system')} are too many to hold")
    place = {topic: code for code, topic in enumerate(topics)}
    of_log = [_Counted.of(log, place, most) for log in logs]
    ends = np.stack([each.documents for each in of_log])
    # The union after c searches is a prefix of the whole list, so that the lists are joined and ranked only once.
    rankings = JudgedRankings.batch(joined.batches)
    counts = parse_measures(_COUNTS)
    every = as_taken((*counts, *asked), joined.grading)  # each once, and one of the counts may be asked for
    relevant, gain = (every.index(as_taken([count], joined.grading)[0]) for count in counts)
    after = _cut_to(rankings, ends, every, joined)
    spent = np.stack([each.within(within) for each in of_log])
    return SearchScores(
        runs=joined.runs,
        topics=topics,
        measures=tuple(map(str, asked)),
        present=joined.present,
        made=np.stack([each.made for each in of_log]),
        reads=np.stack([each.reads for each in of_log]),
        tokens=np.stack([each.tokens for each in of_log]),
        returned=np.stack([each.returned for each in of_log]),
        documents=ends,
        relevant=after[relevant],
        gain=after[gain],
        union=after[[every.index(measure) for measure in asked]],
        alone=np.stack([_alone(each, most, joined, asked) for each in of_log], axis=1),
        recall_base=np.asarray(joined.judgments.recall_base(joined.grading.rel)),
        within=within,
        documents_within=spent,
        union_within=_cut_to(rankings, spent, asked, joined) if within else np.zeros((len(asked), *shape, 0)),
        charged=tuple(log.knows_tokens for log in logs),
        shown=shown or _some(most),
        level=level,
        conditions=Conditions(joined.reading, joined.grading),
        audit=joined.audit,
        notes=tuple(f"{log.name}: {note}" for log in logs for note in _notes(log)),
    )


def _notes(log: SearchLog) -> Iterator[str]:
    """Say what is to know of a log."""
    yield from log.notes
    if log.questions[TOKENS].is_not_null().any() and not log.knows_tokens:
        yield "tokens are given for whole questions; the file does not have the cost of a single search"


def _refuse(conditions: Asked) -> None:
    """Refuse conditions that would put another list in the place of the union."""
    asked = Conditions.asked(**conditions).reading
    if conditions.get("order") not in {None, "score"}:
        raise InputError("the searches set the order; leave order out")
    if conditions.get("repeated") is not None:
        raise InputError("a document counts where it first appears; leave repeated out")
    if asked.exclude is not None:
        raise InputError("exclude does not apply to searches: each result counts; evaluate searches.runs() with it")
    if asked.costs is not None:
        raise InputError("costs apply to lists, not to searches; evaluate searches.runs() with them")


def _some(most: int) -> tuple[int, ...]:
    """Choose some numbers of searches to be shown: each of a few, else 1, 2, 5, 10, 20 ... and the last."""
    if most <= _FEW_SEARCHES:
        return tuple(range(1, most + 1))
    steps = (step * 10**power for power in range(9) for step in (1, 2, 5))
    return (*(step for step in steps if step < most), most)


@dataclass(frozen=True, eq=False)
class _Counted:
    """The searches of one system, counted by topic: arrays of shape (topics,) and (topics, searches)."""

    made: Integers
    reads: Integers
    tokens: Floats
    returned: Integers
    documents: Integers
    log: SearchLog
    place: dict[str, int]

    @classmethod
    def of(cls, log: SearchLog, place: dict[str, int], most: int) -> _Counted:
        """Count results and documents after each search; topics that the qrels lack are left out."""
        made, reads = np.zeros((2, len(place)), np.int64)
        tokens = np.full(len(place), np.nan)
        questions, calls, results = (_of_topics(table, place) for table in (log.questions, log.calls, log.union))
        reads[questions["code"]] = questions[READS]
        if log.calls.height and log.knows_tokens:
            tokens[questions["code"]] = 0.0
            np.add.at(tokens, calls["code"].to_numpy(), calls[TOKENS].to_numpy())
        else:
            tokens[questions["code"]] = questions[TOKENS].fill_null(np.nan)
        np.maximum.at(made, calls["code"].to_numpy(), calls[CALL].to_numpy())
        by_call = np.zeros((2, len(place), most), np.int64)
        cell = (results["code"].to_numpy(), results[CALL].to_numpy() - 1)
        np.add.at(by_call[0], cell, 1)
        np.add.at(by_call[1], cell, results["new"].to_numpy().astype(np.int64))
        returned, documents = by_call.cumsum(axis=2)
        return cls(made, reads, tokens, returned, documents, log, place)

    def within(self, budgets: Sequence[float]) -> Integers:
        """Count the documents of the union within each budget of tokens: array of shape (topics, budgets)."""
        found = np.zeros((len(self.place), len(budgets)), np.int64)
        if budgets:
            new = _of_topics(self.log.union.filter(pl.col("new")), self.place)
            afford = new["spent"].to_numpy()[:, None] <= np.asarray(budgets) * ROUNDED_UP
            np.add.at(found, new["code"].to_numpy(), afford.astype(np.int64))
        return found


def _of_topics(table: pl.DataFrame, place: dict[str, int]) -> pl.DataFrame:
    """Keep the rows of the topics that are judged, with the code of each topic."""
    code = table[QUERY].replace_strict(place, default=None, return_dtype=pl.Int64).alias("code")
    return table.with_columns(code).filter(pl.col("code").is_not_null())


def _cut_to(rankings: JudgedRankings, lengths: Integers, measures: Sequence[Measure], joined: JudgedRuns) -> Floats:
    """Score what is left of each list at each budget: array of shape (measures, runs, topics, budgets)."""
    parts = [
        score(rankings.cut_each(lengths[..., c].ravel()), measures, joined.grading).values
        for c in range(lengths.shape[2])
    ]  # fmt: skip
    return np.stack(parts, axis=-1)


def _alone(of: _Counted, most: int, joined: JudgedRuns, measures: Sequence[Measure]) -> Floats:
    """Score the list of each search by itself: array of shape (measures, topics, searches), NaN where there is none."""
    log = of.log
    results = log.results.unique([QUERY, CALL, DOCUMENT], keep="first", maintain_order=True)
    place = pl.int_range(pl.len(), 0, -1, dtype=pl.Int64).over(QUERY, CALL).cast(pl.Float64)
    results = results.with_columns(place.alias(SCORE))
    parts = []
    for call in range(1, most + 1):
        table = results.filter(pl.col(CALL) == call).select(QUERY, DOCUMENT, SCORE)
        asked = log.calls.filter(pl.col(CALL) == call)[QUERY]
        parts.append(rank(Rows(str(call), table, without(table, asked)), joined.judgments, joined.reading))
    values = score(JudgedRankings.batch(parts), measures, joined.grading).values
    return np.where(of.made[:, None] >= np.arange(1, most + 1), values.transpose(0, 2, 1), np.nan)


def _first(reached: Booleans) -> Integers:
    """Return the number, from 1, of the first that holds along the last axis; 0 where none does."""
    return np.where(reached.any(axis=-1), reached.argmax(axis=-1) + 1, 0)


def _steps(values: Floats | Integers) -> Floats:
    """Return what each adds to the one before it."""
    return np.diff(values, axis=-1, prepend=0).astype(np.float64)


def _mean(values: Floats | Integers) -> Floats:
    """Average over topics, the first axis; NaN of none."""
    return np.asarray(values.mean(axis=0)) if len(values) else np.full(values.shape[1:], np.nan)


def _mean_where(values: Floats, there: Booleans) -> Floats:
    """Average over the topics that had the search; NaN where none had."""
    many = there.sum(axis=0)
    return np.where(many > 0, ratio(np.where(there, values, 0.0).sum(axis=0), many), np.nan)


def _share(part: Floats | Integers, whole: Floats | Integers) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    known = np.asarray(whole, np.float64)
    return np.where(known > 0, ratio(np.asarray(part, np.float64), known), np.nan)
