"""Ways of computing that tools are known to take: a grid of settings, and of each measure what its name may mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np

from cranfield.formats import QrelsLike, RunsLike, read_runs
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT
from cranfield.scoring.judged_runs import JudgedRuns, Progress, join

_ORDERS: Final = {
    "score": "ties by document id, scores in 64 bits",
    "trec9": "ties by document id, scores in 32 bits (trec_eval 9)",
    "stable": "ties in the order of the lines",
    "first id": "ties by document id, the first in byte order first",
    "file": "in the order of the lines, not of the scores",
    "rank": "by the rank column, not by the scores",
}
_TOPICS: Final = {
    "all": "all topics of the qrels, a missing one 0",
    "shared": "the topics that the run has",
    "with relevant": "the topics with a relevant document, a missing one 0",
    "shared, with relevant": "the topics that the run has, with a relevant document",
    "above 0": "the topics of a value above 0",
    "of the run": "all topics of the run, one without judgments 0",
}
ROUNDINGS: Final = ("rounded", "cut off")
MOST_UNUSUAL: Final = 3
"""A way departs from the usual one in no more settings and parts of a measure; trec_eval 9's order is as usual."""
_BESIDE: Final = 2  # Parts of one measure that are unusual together


class Setting(NamedTuple):
    """One point of the grid, which all measures of a table share."""

    order: str = "score"
    exclude: str = ""
    topics: str = "all"
    rel: float | None = None
    judged_only: bool = False
    rounding: str = "rounded"

    @property
    def unusual(self) -> int:
        """Count what is not as it usually is."""
        return sum(mine != theirs for mine, theirs in zip(self, Setting(), strict=True)) - (self.order == "trec9")

    @property
    def says(self) -> str:
        """Say what is not as it usually is."""
        parts = [
            _ORDERS[self.order] if self.order != "score" else "",
            f"over {_TOPICS[self.topics]}" if self.topics != "all" else "",
            f"relevant from grade {self.rel:g}" if self.rel is not None else "",
            "unjudged documents removed" if self.judged_only else "",
            "the topic's own document removed" if self.exclude else "",
            "digits cut off" if self.rounding == "cut off" else "",
        ]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, eq=False)
class WayOfComputing:
    """A way of computing a measure: its setting, what is unusual about the measure, and what it gives."""

    setting: Setting
    variant: str
    unusual: int
    topics: tuple[str, ...]
    values: Floats  # By run and topic
    means: Floats  # By run

    @property
    def given(self) -> bytes:
        """What it gives, topics and means: equal where two ways are the same on these runs."""
        return (np.column_stack([self.values, self.means]) * 1e9).round().tobytes()


@dataclass(frozen=True)
class OrderedRuns:
    """The runs, joined in an order, and what tells these rankings from those of another."""

    order: str
    exclude: str
    joined: JudgedRuns
    digest: bytes


Compute: TypeAlias = Callable[[Measure, JudgedRankings], Floats]


def readings(qrels: QrelsLike, runs: RunsLike, progress: Progress | None) -> list[OrderedRuns]:
    """Join the runs in each order, with the topics' own documents and, where there are any, without."""
    found: list[OrderedRuns] = []
    for exclude, order in product(("", "self"), _ORDERS):
        if exclude and not any(run.own for run in found[0].joined.audit.runs):
            break
        if order == "rank" and not all(source.has_ranks for source in found[0].joined.sources):
            continue
        given, how, out = runs, order, exclude or None
        if order == "first id":
            tables = read_runs(runs).items()
            given, how = {name: table.sort(pl.col(DOCUMENT), maintain_order=True) for name, table in tables}, "stable"
        try:
            joined = join(qrels, given, order=how, exclude=out, progress=progress if not found else None)  # type: ignore[arg-type]  # they are orders
        except InputError:
            if order != "rank":  # which not all runs have, or which ranks a document twice
                raise
            continue
        found.append(OrderedRuns(order, exclude, joined, _digest(joined.batches)))
    return found


def _digest(batches: Sequence[JudgedRankings]) -> bytes:
    """Tell rankings from others."""
    digest = blake2b(digest_size=16)
    for batch, array in product(batches, ("length", "present", "row", "rank", "judgment")):
        digest.update(np.ascontiguousarray(getattr(batch, array)).tobytes())
    return digest.digest()


def ways(measure: Measure, read: Sequence[OrderedRuns], *, leveled: bool) -> list[WayOfComputing]:
    """Compute a measure in all ways, equal rankings once; if ``leveled``, the lowest relevant grade varies."""
    grades = np.unique(read[0].joined.judgments.grade)
    levels: list[float | None] = [None, *map(float, grades[grades > 0][1:])]
    shared = levels if leveled else [None]
    variants = list(_variants(measure, levels))
    known: dict[tuple[Any, ...], tuple[Floats, dict[str, Floats]]] = {}
    found = []
    for each, judged_only in product(read, (False, True)):
        joined = each.joined
        batches = [batch.condensed() for batch in joined.batches] if judged_only else list(joined.batches)
        digest = _digest(batches) if judged_only else each.digest
        by_level = {level: _from(batches, level) for level in {variant.level for variant in variants}}
        for rel, variant in product(shared, variants):
            plain = Setting(each.order, each.exclude, "all", rel, judged_only)
            room = MOST_UNUSUAL - plain.unusual - variant.unusual
            if room < 0:
                continue
            what = (digest, rel, variant.says)
            if what not in known:
                known[what] = _computed(variant, rel, by_level[variant.level], joined)
            values, means = known[what]
            found += [
                WayOfComputing(plain._replace(topics=topics), variant.says, variant.unusual, joined.topics, values, of)
                for topics, of in means.items()
                if topics == "all" or room
            ]
    return found


def _from(batches: Sequence[JudgedRankings], level: float | None) -> list[JudgedRankings]:
    """Let grades below a level count 0."""
    if level is None:
        return list(batches)
    grade = batches[0].judgments.grade
    judgments = batches[0].judgments.with_grades(np.where(grade < level, np.minimum(grade, 0.0), grade))
    return [batch.by(judgments) for batch in batches]


def _computed(
    variant: Variant, rel: float | None, batches: Sequence[JudgedRankings], joined: JudgedRuns
) -> tuple[Floats, dict[str, Floats]]:
    """Return values by run and topic, and means by what is averaged over."""
    measure = variant.measure if rel is None else variant.measure.with_level(rel)
    present = joined.present
    rows = np.concatenate([np.where(batch.present, variant.compute(measure, batch), 0.0) for batch in batches])
    values = rows.reshape(present.shape)
    some = np.broadcast_to(batches[0].judgments.recall_base(rel) > 0, present.shape)
    counted = dict(zip(_TOPICS, (np.ones_like(present), present, some, present & some, values > 0), strict=False))
    numbers = {topics: those.sum(axis=1) for topics, those in counted.items()}
    sums = {topics: np.where(those, values, 0.0).sum(axis=1) for topics, those in counted.items()}
    strangers = np.array([len(run.extra) for run in joined.audit.runs])
    sums["of the run"], numbers["of the run"] = sums["shared"], numbers["shared"] + strangers
    return values, {topics: sums[topics] / np.maximum(1, numbers[topics]) for topics in _TOPICS}


@dataclass(frozen=True)
class Variant:
    """What tools compute under the name of a measure."""

    says: str
    unusual: int
    level: float | None
    measure: Measure
    compute: Compute


def _variants(measure: Measure, levels: Sequence[float | None]) -> Iterator[Variant]:
    """Give what tools compute under the name of a measure: first the measure itself, without a label."""
    name, given = type(measure).__name__, measure.given
    parts: list[list[tuple[str, Any]]] = [
        *([("", {}), *changed.items()] for changed in _PARAMETERS.get(name, ()) if not _stated(changed, given)),
        [("", {}), *((says, {"cutoff": k}) for says, k in _other_cutoffs(measure))],
    ]
    graded = measure.graded and not measure.takes_level
    below = [
        ("" if level is None else f"grades below {level:g} count 0", level) for level in levels[: None if graded else 1]
    ]
    itself: tuple[str, Compute] = "", lambda asked, rankings: asked.score(rankings)
    for *changes, (counts, level), (says, compute) in product(*parts, below, [itself, *_computes(name, measure)]):
        said = [part for part in (*(part for part, _ in changes), counts, says) if part]
        if len(said) > _BESIDE:
            continue
        try:
            asked = type(measure)(**{**given, **{key: value for _, change in changes for key, value in change.items()}})
        except MeasureError:  # parameters that do not go together
            continue
        yield Variant(", ".join(said).format(k=asked.cutoff), len(said), level, asked, compute)


def _stated(changed: Mapping[str, Mapping[str, Any]], given: Mapping[str, object]) -> bool:
    return any(each.keys() & given.keys() for each in changed.values())


def _other_cutoffs(measure: Measure) -> list[tuple[str, int]]:
    """Give cutoffs next to the one that was stated, or those that a name without one may hide."""
    k = measure.cutoff
    if k is not None and measure.at == "cutoff":
        return [(f"cut at {other}", other) for other in (k + 1, k - 1) if other]
    hidden = type(measure).__name__ in _OFTEN_CUT and k is None
    return [(f"cut at {other}", other) for other in (10, 100, 1000)] if hidden else []


_OFTEN_CUT: Final = ("AP", "RR", "nDCG")
_GAINS: Final[Mapping[str, Mapping[str, Any]]] = {"gain 2^grade - 1": {"dcg": "exp-log2"}}
_DISCOUNTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "discounted by log2(rank) from rank 2": {"base": 2},
    "discounted by log10(rank) from rank 10": {"base": 10},
}
_PARAMETERS: Final[Mapping[str, Sequence[Mapping[str, Mapping[str, Any]]]]] = {
    "nDCG": [_GAINS, _DISCOUNTS],
    "DCG": [_GAINS, _DISCOUNTS],
    "ERR": [{"largest grade 4, as gdeval has it": {"max_rel": 4}}],
    "RBP": [{"relevant or not": {"rel": 1}}, {"p = 0.5": {"p": 0.5}, "p = 0.95": {"p": 0.95}}],
}
"""Parameters with which tools compute measures of these names: of each mapping one at a time."""


def _computes(name: str, measure: Measure) -> Iterator[tuple[str, Compute]]:
    """Give what tools divide a measure of this name by, where it is not what its definition says; {k} is the cutoff."""
    k = measure.cutoff
    if name == "nDCG" and not measure.given.get("averaged"):
        yield ("ideal list of the retrieved documents", _divided_by(lambda of, own: _gain(of).score(own.reranked())))
        if k is not None:
            yield "ideal list of the first {k} retrieved", _divided_by(_of_the_first)
            yield "ideal list not cut at {k}", _divided_by(_of_whole_ideal)
            yield "ideal list of {k} documents of the best grade", _divided_by(_of_full_ideal)
    if name == "DCG":
        yield "discounted by ln(rank + 1)", lambda asked, rankings: _logarithm(asked, math.log(2), rankings)
        yield "discounted by log10(rank + 1)", lambda asked, rankings: _logarithm(asked, math.log10(2), rankings)
    if name == "P" and k is not None:
        yield "divided by the length of the list", _by_length
    if name in {"R", "AP"} and k is not None:
        yield "divided by at most {k}", _rescaled
    if name == "AP" and k is not None:
        yield "divided by {k}", lambda asked, rankings: _of_base(asked, rankings) / (asked.cutoff or 1)
    if name == "AP" or (name == "R" and k is not None):
        yield "divided by the relevant documents retrieved", _of_found


def _gain(measure: Measure, **changed: Any) -> Measure:
    """Return the sum of gains that a measure is a share of."""
    return REGISTRY["DCG"](**{**measure.given, **changed})


def _divided_by(best: Compute) -> Compute:
    """Divide a list's gain by another one, where that is above 0."""

    def compute(measure: Measure, rankings: JudgedRankings) -> Floats:
        most = best(measure, rankings)
        return np.divide(_gain(measure).score(rankings), most, out=np.zeros_like(most), where=most > 0)

    return compute


def _of_the_first(measure: Measure, rankings: JudgedRankings) -> Floats:
    """The gain of a list's first k documents in the best order."""
    return _gain(measure).score(rankings.cut(measure.cutoff).reranked())


def _of_whole_ideal(measure: Measure, rankings: JudgedRankings) -> Floats:
    """The gain of the whole ideal list."""
    return rankings.of_topics(_gain(measure, cutoff=None).score(_ideal(measure, rankings.judgments)))


def _of_full_ideal(measure: Measure, rankings: JudgedRankings) -> Floats:
    """The gain of k documents like the best one."""
    weights = _gain(measure).rank_weight(np.arange(1, (measure.cutoff or 1) + 1))
    return rankings.of_topics(_gain(measure, cutoff=1).score(_ideal(measure, rankings.judgments)) * weights.sum())


def _ideal(measure: Measure, judgments: Judgments) -> JudgedRankings:
    return judgments.remembered(("ideal of a way", str(measure)), lambda: measure.ideal(judgments))


def _logarithm(measure: Measure, by: float, rankings: JudgedRankings) -> Floats:
    """Take another logarithm of the rank; a discount that begins later has no such twin."""
    return measure.score(rankings) / (1.0 if "base" in measure.given else by)


def _by_length(measure: Measure, rankings: JudgedRankings) -> Floats:
    """Divide by the length of a list that is shorter than k."""
    k = measure.cutoff or 1
    return measure.score(rankings) * k / np.clip(rankings.length, 1, k)


def _level(measure: Measure) -> float | None:
    return cast("float | None", measure.given.get("rel"))


def _of_base(measure: Measure, rankings: JudgedRankings) -> Floats:
    """Undo the division by the recall base."""
    return measure.score(rankings) * rankings.recall_base(_level(measure))


def _of_found(measure: Measure, rankings: JudgedRankings) -> Floats:
    """Divide by the number of relevant documents in the list, of AP@k in its first k, and not by the recall base."""
    seen = rankings.cut(measure.cutoff) if type(measure).__name__ == "AP" else rankings
    return _of_base(measure, rankings) / np.maximum(1.0, seen.relevant(_level(measure)).count)


def _rescaled(measure: Measure, rankings: JudgedRankings) -> Floats:
    """Divide by k, and no longer by the recall base, where that is larger."""
    return _of_base(measure, rankings) / np.clip(rankings.recall_base(_level(measure)), 1, measure.cutoff)
