"""Why is one list better than another? What each document adds to both, and which single swap would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.completions import Kind
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.pairs.pair import Pair
from cranfield.pairs.swaps import Swap, best_swap, lists_of, searched
from cranfield.plots import Material
from cranfield.plots.theme import NOT_RELEVANT, UNJUDGED
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.averaging import summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import called, counted, named
from cranfield.results.people import markdown, markdown_cell
from cranfield.results.result import Result
from cranfield.scoring.blocks import as_taken, score
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import numbers_only
from cranfield.statistics.on_paper import largest, levelled, side

EXPLAINED_MEASURES: Final = ("nDCG@10",)
_DOCUMENTS_SHOWN: Final = 10  # How many documents people are shown, those that contribute most


@dataclass(frozen=True, eq=False, repr=False)
class Why(Result, rows="deciding"):
    """Why one list is better than another: what each document adds to the values of both.

    Attributes
    ----------
    a, b
        The runs.
    topic, measure
        On which topic, by what.
    value_a, value_b
        The values of both lists; 0 where a run lacks the topic.
    empty_a, empty_b
        The values before the first document: of an empty list, which is 0 by most measures.
    documents
        Every document of either list: columns document; grade (null where nobody judged it); rank_a,
        rank_b (null where a list lacks it); adds_a, adds_b, what it adds to each value; and
        contribution, what it adds to the lead of the better run: adds_a - adds_b or, where the
        difference is below 0, adds_b - adds_a. Those that contribute most stand first, then those
        nearest to the top.
    by_itself
        Whether each document adds here what it would add were it alone judged. Where not, what it
        adds depends on the documents above it.
    unjudged_a, unjudged_b
        How many documents of each list nobody judged, down to the cutoff.
    missed
        How many relevant documents neither list has.
    least, most
        Between what the difference value_a - value_b would lie, had all documents been judged that
        any run of the call retrieved; None where unjudged documents are dropped.
    kind
        What is sure about that range.
    top
        The largest grade that they could have.
    endless
        Whether that range holds what could follow the ends of the lists, too.
    swap_a, swap_b
        The best swap of two documents of each list; None if none improves its value.
    searched_a, searched_b
        The rank down to which every swap was tried; None if it was the whole list.
    sign
        1 where the higher value is the better one, -1 where the lower is.
    paid
        The grades of the topic that the measure pays; it takes all others for not relevant.
    topics
        Of how many topics this is one on which the two differ most; None where it was asked for.
    as_far
        The other topics on which they differ as much.
    complete
        Why the judgments are taken as complete, so that what nobody judged is not relevant; empty where they are not.
    """

    a: str
    b: str
    topic: str
    measure: str
    value_a: float
    value_b: float
    empty_a: float
    empty_b: float
    documents: pl.DataFrame
    by_itself: bool
    unjudged_a: int
    unjudged_b: int
    missed: int
    least: float | None
    most: float | None
    kind: Kind | None
    top: float
    endless: bool
    swap_a: Swap | None
    swap_b: Swap | None
    searched_a: int | None
    searched_b: int | None
    sign: float
    paid: tuple[float, ...]
    topics: int | None
    as_far: tuple[str, ...] = ()
    complete: str = ""

    def __repr__(self) -> str:
        return f"Why({self.a} against {self.b} on topic {self.topic} by {self.measure}: {self.difference:+z.4f})"

    @property
    def difference(self) -> float:
        """By how much the value of a is above that of b."""
        return self.value_a - self.value_b

    @property
    def better(self) -> str | None:
        """The better run; None where both are equal on paper."""
        ahead = side(self.sign * self.difference)
        return None if ahead == 0 else self.a if ahead > 0 else self.b

    @property
    def other(self) -> str:
        """The run that is not the better one."""
        return self.a if self.better == self.b else self.b

    @property
    def swap(self) -> Swap | None:
        """The best swap in the worse list; if both tie, the better swap of the two lists."""
        if self.better is not None:
            return self.swap_b if self.better == self.a else self.swap_a
        both = [swap for swap in (self.swap_a, self.swap_b) if swap is not None]
        return max(both, key=lambda swap: abs(swap.after - swap.before), default=None)

    @cached_property
    def deciding(self) -> pl.DataFrame:
        """The documents that are relevant or contribute, those that contribute most first."""
        paid = pl.col("grade").is_in(self.paid).fill_null(value=False)
        adds = (side(self.documents[name].to_numpy()) != 0 for name in ("adds_a", "adds_b"))
        return self.documents.filter(paid | pl.Series(next(adds)) | pl.Series(next(adds)))

    def table(self, **which: object) -> pl.DataFrame:
        """Return those that contribute most."""
        decide = pl.Series(side(self.deciding["contribution"].to_numpy()) != 0, dtype=pl.Boolean)
        found = (self.deciding.filter(decide) if decide.any() else self.deciding).head(_DOCUMENTS_SHOWN)
        if found["grade"].drop_nulls().round().equals(found["grade"].drop_nulls()):
            found = found.with_columns(pl.col("grade").cast(pl.Int64))
        says = {"rank": "rank in", "adds": "adds to"}
        runs = {"a": self.a, "b": self.b}
        return found.rename({f"{name}_{run}": f"{says[name]} {runs[run]}" for name in says for run in runs})

    def render(self, format: str = "table", *, command: str = "", **which: Any) -> str | bytes:  # noqa: A002
        """Return the documents as text (or bytes); ``markdown`` is for a pull request: answer, table, swap, command."""
        if format != "markdown":
            return super().render(format, **which)
        again = f"    {printable(command)}" if command else ""
        answer, whose = (markdown_cell(printable(said)) for said in (f"{self.says()}.", self._whose()))
        below = f"{whose} {markdown_cell(printable(self.advice()))}".rstrip()
        parts = (f"**{answer}**", markdown(self.sheet(**which)).rstrip(), below, again)
        return "\n\n".join(filter(None, parts)) + "\n"

    def caption(self, **which: object) -> str:
        """Say which list is better, and by how much."""
        return f"{self.says()}. {self._whose()}"

    def _whose(self) -> str:
        if self.better is None:
            return f"A contribution is to the value of {self.a} minus that of {self.b}."
        return f"Positive contributions favour {self.better}, negative ones {self.other}."

    def says(self) -> str:
        """Answer in a sentence."""
        if self.better is None:
            return f"{self.a} and {self.b} tie in {self.measure} on topic {self.topic}, at {self.value_a:.4f}"
        values = {self.a: self.value_a, self.b: self.value_b}
        return (
            f"{self.better} leads {self.other} by {abs(self.difference):.4f} in {self.measure} on topic {self.topic}: "
            f"{values[self.better]:.4f} against {values[self.other]:.4f}"
        )

    def material(self) -> Material:
        """Return what its figure is drawn from: ``documents``, and ``lists``, a row with all else."""
        return Material("why", {"documents": lambda: self._kinds, "lists": lambda: self._lists}, "")

    @property
    def _kinds(self) -> pl.DataFrame:
        """The documents; what each is to those who read, and whether it is among those that decide."""
        grade = pl.col("grade")
        paid, words = grade.is_in(self.paid), grade.map_elements(_graded, return_dtype=pl.String)
        kind = pl.when(grade.is_null()).then(pl.lit(UNJUDGED)).when(paid).then(words).otherwise(pl.lit(NOT_RELEVANT))
        counts = pl.Series(side(self.documents["contribution"].to_numpy()) != 0, dtype=pl.Boolean)
        return self.documents.with_columns(kind=kind, counts=counts)

    @property
    def _lists(self) -> pl.DataFrame:
        swap, title = self.swap, f"Where {self.a} and {self.b} differ on topic {self.topic}"
        if self.better is not None:
            title = f"Why {self.better} is better than {self.other} on topic {self.topic}"
        row = {
            "title": title,
            **{name: getattr(self, name) for name in ("a", "b", "topic", "measure", "value_a", "value_b")},
            "whose": self._whose(),
            "better": self.better,
            "says": self.says(),
            "advice": self.advice(),
            "swap_list": swap and ("a" if swap.run == self.a else "b"),
            "swap_high": swap and swap.high,
            "swap_low": swap and swap.low,
        }
        types = {"better": pl.String, "swap_list": pl.String, "swap_high": pl.Int64, "swap_low": pl.Int64}
        return pl.DataFrame([row], schema_overrides=types)

    def remarks(self) -> tuple[str, ...]:
        """Say what the contributions are, what only one list has, what is unjudged, and what to swap."""
        many = counted(self.missed, "relevant document is", "relevant documents are")
        missed = f"{many} in neither list." if self.missed else ""
        return tuple(filter(None, (self._chosen(), *self._added(), self._unjudged(), missed, self.advice())))

    def advice(self) -> str:
        """Name the best swap in the worse list; an empty text if none improves it."""
        swap = self.swap
        if swap is None:
            searched = self.searched_b if self.better == self.a else self.searched_a
            among = "" if searched is None else f" among the first {searched:,}"
            return "" if self.better is None else f"No swap of two documents{among} improves the worse list."
        other = self.b if swap.run == self.a else self.a
        past = side(self.sign * (swap.after - (self.value_b if swap.run == self.a else self.value_a)))
        ends = "still behind" if past < 0 else "ahead of" if past > 0 else "level with"
        searched = self.searched_a if swap.run == self.a else self.searched_b
        within = "" if searched is None else f", of its first {searched:,} documents"
        high, low = (called(each, "document") for each in (swap.document_high, swap.document_low))
        return (
            f"Best swap in {swap.run}{within}: ranks {swap.high:,} and {swap.low:,} "
            f"({high}, {_graded(swap.grade_high)}, and {low}, {_graded(swap.grade_low)}), "
            f"from {swap.before:.4f} to {swap.after:.4f}, {ends} {other}."
        )

    def _chosen(self) -> str:
        if self.topics is None:
            return ""
        if self.better is None:
            return f"They tie on each of the {self.topics:,} topics." if self.topics > 1 else ""
        if self.as_far:
            others = f"{'topic' if len(self.as_far) == 1 else 'topics'} {named(self.as_far)}"
            return f"They differ most on this one of the {self.topics:,} topics and, equally, on {others}."
        return f"They differ most on this one of the {self.topics:,} topics." if self.topics > 1 else ""

    def _added(self) -> Iterator[str]:
        rest = self._towards(self.empty_a - self.empty_b)
        but = f", minus the {rest:+z.4f} by which empty lists differ" if side(rest) else ""
        lead = self._towards(self.difference)
        sums = f"All contributions add up to {self._lead}, {lead:+z.4f}{but}."
        if self.by_itself:
            yield f"What a document adds depends only on its own rank and grade. {sums}"
        else:
            yield (
                "A document adds the value of the list down to it minus that of the list above it, so it depends on "
                f"the documents above. {sums}"
            )
        yield self._shared()

    def _towards(self, difference: float) -> float:
        """Turn a difference of a from b into one of the better run from the other, as contributions are."""
        return difference if side(self.difference) >= 0 else -difference

    @property
    def _lead(self) -> str:
        return "the difference" if self.better is None else f"the lead of {self.better}"

    def _shared(self) -> str:
        """Say what documents contribute that one list has, and those that both have."""
        in_a, in_b = (self.documents[f"rank_{run}"].is_not_null() for run in "ab")
        lists = {f"only {self.a} has": in_a & ~in_b, f"only {self.b} has": in_b & ~in_a, "both have": in_a & in_b}
        found = {whose: self.documents.filter(which)["contribution"] for whose, which in lists.items()}
        sums = {whose: (some.sum(), counted(len(some), "document")) for whose, some in found.items() if len(some)}
        parts = [f"{each:+z.4f} from {many} that {whose}" for whose, (each, many) in sums.items()]
        return f"Contributions by list: {', '.join(parts)}." if parts else ""

    def _unjudged(self) -> str:
        if not self.unjudged_a + self.unjudged_b:
            return ""
        counts = f"Unjudged documents that count: {self.unjudged_a:,} of {self.a}, {self.unjudged_b:,} of {self.b}"
        if self.least is None or self.most is None:
            return f"{counts}; they are left out."
        if self.complete:
            return f"{counts}. They count as not relevant ({self.complete})."
        scope = Scope((self.measure,)).graded(self.top)
        scope = scope.continued() if self.endless else scope
        least, most = sorted(map(self._towards, (self.least, self.most)))
        lead, between = f"{self._lead[:1].upper()}{self._lead[1:]}", f"between {least:+z.4f} and {most:+z.4f}"
        if self.kind == "tried":
            return f"{counts}. {lead} by {self.measure} can lie {between}, {scope.some}, and perhaps beyond."
        return f"{counts}. {lead} by {self.measure} lies {between}, {scope.whatever}."


def why(
    qrels: QrelsLike | Judgments | JudgedRuns,
    a: RunsLike,
    b: RunsLike,
    measure: MeasureNames | None = None,
    *,
    topic: str | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Why:
    """Why is one list better than another on a topic: what does each document contribute, and which swap would help?

    What a document adds to the value of its list is, in the order of the list,

        v(down to the document) - v(down to the one above it)

    where v is the value of the list that ends there. By measures that sum what each document brings
    (P, R, RBP, DCG and nDCG) that is what the document brings; by AP it is P@i / R at each relevant
    rank i, by ERR the chance to stop there by 1/i, by RR all of it at the first relevant document.
    By others, too, it adds up to the value, without any rest.

    Parameters
    ----------
    qrels
        As for `evaluate`; or joined runs, two of which ``a`` and ``b`` name.
    a, b
        Two runs, each anything that `read_run` takes.
    measure
        By what. By default nDCG@10, or the first measure of the convention.
    topic
        The id of the topic; without it, the one on which the two differ most.
    progress
        As in `evaluate`.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        Where there is no such topic or run, or there are not two runs.

    Examples
    --------
    Good has the relevant document first, and poor third. Swapped with the first, it is as good there:

    >>> qrels = {"7": {"r": 1, "n": 0}}
    >>> good, poor = {"good": {"7": ["r", "n"]}}, {"poor": {"7": ["n", "x", "r"]}}
    >>> found = why(qrels, good, poor, "AP")
    >>> found
    Why(good against poor on topic 7 by AP: +0.6667)
    >>> found.deciding.rows()[0][:4], found.swap.high, found.swap.low
    (('r', 1.0, 1, 3), 1, 3)
    >>> print(found)
    good leads poor by 0.6667 in AP on topic 7: 1.0000 against 0.3333. Positive contributions favour
      good, negative ones poor.
    document  grade  rank in good  rank in poor  adds to good  adds to poor  contribution
    r             1             1             3        1.0000        0.3333        0.6667
    """
    joined, names = _joined(qrels, a, b, progress, knowing(measure, qrels, conditions))
    measures = parse_measures(by_what(measure, joined, conditions, EXPLAINED_MEASURES))
    if measure is not None and len(measures) != 1:
        raise InputError(f"why takes one measure, not {len(measures)}")
    asked = as_taken(measures[:1], joined.grading)
    numbers_only(asked)
    runs = [joined.of_run(joined.runs.index(name)) for name in names]
    topics, as_far = None, list[str]()
    if topic is None:
        one, other = (score(run, asked, joined.grading).values[0, 0] for run in runs)
        counts = runs[0].present & runs[1].present if joined.reading.topics == "shared" else np.ones(len(one), bool)
        if not counts.any():
            raise InputError("the two runs share no topic")
        topic, *as_far = (joined.topics[place] for place in largest(np.where(counts, np.abs(one - other), -1.0)))
        topics = int(counts.sum())
    judgments = runs[0].judgments.of_topic(topic)
    lists = [_Listed(run.of_topic(topic).by(judgments), asked[0], joined.grading.judged_only) for run in runs]
    return _answered(lists[0], lists[1], topics, tuple(as_far))


def _joined(
    qrels: QrelsLike | Judgments | JudgedRuns, a: RunsLike, b: RunsLike, progress: Progress | None, conditions: Asked
) -> tuple[JudgedRuns, tuple[str, str]]:
    """Join the two runs, with a note of what was retrieved, and name them."""
    if isinstance(qrels, JudgedRuns):
        joined = join(qrels, bounds=True, **conditions).under(bounds=False)
        for name in (a, b):
            if not isinstance(name, str):
                raise InputError("give the names of two of the joined runs")
            if name not in joined.runs:
                raise InputError(f"no run is called {name!r}; the runs are {named(joined.runs)}")
        if a == b:
            raise InputError(f"give two different runs, not {a!r} twice")
        return joined, (str(a), str(b))
    joined = join(qrels, [a, b], bounds=True, progress=progress, **conditions).under(bounds=False)
    if len(joined.runs) != 2:
        raise InputError(f"give two runs, not {len(joined.runs)}: {named(joined.runs)}")
    return joined, (joined.runs[0], joined.runs[1])


def what_counts(rankings: JudgedRankings, measure: Measure, *, judged_only: bool) -> JudgedRankings:
    """Return what counts of lists: without the documents that are dropped, and those below the cutoff."""
    kept = rankings.condensed() if judged_only else rankings
    return kept if measure.judged_only else kept.cut(measure.cutoff)


def added(rankings: JudgedRankings, measure: Measure) -> Floats:
    """Return by cell what each document adds to the value of its list; of a geometric mean, to the logarithm of it."""
    if measure.summary == "mean" and (each := measure.contributions(rankings)) is not None:
        return each
    return np.asarray(np.diff(summable(measure.by_prefix(rankings), measure.summary))[rankings.row, rankings.rank - 1])


class _Listed:
    """The list of one run for a topic, by a measure at the relevance level of the runs."""

    def __init__(self, rankings: JudgedRankings, measure: Measure, judged_only: bool) -> None:
        self.rankings, self.measure, self.judged_only = rankings, measure, judged_only
        self.run, many = rankings.runs[0], len(rankings.judgments)
        self.counted = what_counts(rankings, measure, judged_only=judged_only)
        self.value = float(measure.by_run(self.counted)[0, 0])  # 0 where the run lacks the topic
        by_rank = measure.by_prefix(self.counted)[0]  # of all its beginnings, from the empty list to the whole
        self.empty = float(by_rank[0]) if rankings.present[0] else self.value
        # By the places of documents in the judgments: what each adds to the value, and its rank, 0 where it is none.
        self.adds, self.rank = np.zeros(many), np.zeros(many, np.int64)
        self.adds[self.counted.judgment] = np.diff(by_rank)[self.counted.rank - 1]
        self.rank[rankings.judgment] = rankings.rank
        seen = rankings if judged_only else self.counted
        self.unjudged = int(np.isnan(seen.judgments.grade[seen.judgment]).sum())  # as far down as it counts

    @property
    def by_itself(self) -> bool:
        """Whether each document adds what it would add were no other judged."""
        if self.measure.contributions(self.counted) is not None:
            return True
        cells, length = self.counted.judged, int(self.counted.length[0])
        alone = np.full((len(cells) + 1, length), -1)  # the last holds nothing that was judged
        judged = ~np.isnan(self.counted.judgments.grade[self.counted.judgment])
        alone[np.arange(len(cells)), cells.rank - 1] = self.counted.judgment[judged]
        value = self.measure.by_run(lists_of(self.counted.judgments, alone, length))[:, 0]
        return not side(value[:-1] - value[-1] - self.adds[self.counted.judgment[judged]]).any()


def _answered(a: _Listed, b: _Listed, topics: int | None, as_far: tuple[str, ...]) -> Why:
    """Put the two lists side by side."""
    judgments, measure = a.rankings.judgments, a.measure
    places = np.flatnonzero(a.rank + b.rank)
    contribution = a.adds - b.adds if side(a.value - b.value) >= 0 else b.adds - a.adds
    # The values of beginnings of lists carry rounding errors, so that contributions tie as they do on paper; then
    # documents nearer to the top come first.
    nearest = np.minimum(*(np.where(one.rank > 0, one.rank, np.inf) for one in (a, b)))
    order = places[np.lexsort((nearest[places], -levelled(np.abs(contribution[places]))))]
    ranks = {"rank_a": a.rank[order], "rank_b": b.rank[order]}
    documents = pl.DataFrame(
        {
            "document": judgments.ids(order),
            "grade": judgments.grade[order],
            **ranks,
            "adds_a": a.adds[order],
            "adds_b": b.adds[order],
            "contribution": contribution[order],
        },
        schema_overrides={"document": pl.String},
    ).with_columns(
        pl.col("grade").fill_nan(None), *(pl.when(pl.col(name) > 0).then(name).alias(name) for name in ranks)
    )
    grades = np.unique(judgments.grade[np.isfinite(judgments.grade)])
    paid = grades[measure.gain_of(grades, judgments.top_grade) > 0]
    pays = np.isin(judgments.grade, paid)
    least = most = kind = None
    if not a.judged_only:  # between what the difference would lie, had all candidates been judged
        pair = Pair(measure, a.rankings, b.rankings, np.zeros(1, np.int64))
        least, most = sorted(direction(measure) * end for end in (pair.least(), pair.most()))
        kind = pair.kind
    return Why(
        a=a.run,
        b=b.run,
        topic=judgments.topics[0],
        measure=str(measure),
        value_a=a.value,
        value_b=b.value,
        empty_a=a.empty,
        empty_b=b.empty,
        documents=documents,
        by_itself=a.by_itself and b.by_itself,
        unjudged_a=a.unjudged,
        unjudged_b=b.unjudged,
        missed=int(pays.sum() - pays[places].sum()),
        least=least,
        most=most,
        kind=kind,
        top=judgments.scale,
        swap_a=best_swap(a.rankings, measure, judged_only=a.judged_only),
        swap_b=best_swap(b.rankings, measure, judged_only=b.judged_only),
        endless=measure.endless,
        searched_a=searched(a.rankings, measure, judged_only=a.judged_only),
        searched_b=searched(b.rankings, measure, judged_only=b.judged_only),
        sign=direction(measure),
        paid=tuple(paid.tolist()),
        topics=topics,
        as_far=as_far,
        complete=judgments.complete_since,
    )


def _graded(grade: float | None) -> str:
    return "unjudged" if grade is None else f"grade {grade:g}"
