"""What is odd about a run, and what that is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.app.explorer.questions.possible import worth_of_ties
from cranfield.app.explorer.questions.runs import MEASURES_REMEMBERED, odd_lists, ranges
from cranfield.judged.audit import UNJUDGED_AT, RunAudit, rising
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.overlap import overlap_at_the_top
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.averaging import averaged
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import best_by, counted, percent
from cranfield.results.sheet import listed
from cranfield.scoring.blocks import score
from cranfield.scoring.engines.local import rank_source
from cranfield.scoring.orientation import flattering

LEAST_WORTH: Final = 0.0005  # Ties that move a mean by less are not seen in its third decimal, and not spoken of
USUALLY_UNJUDGED: Final = 0.1  # A smaller share of the top 10 that nobody judged is usual
NEAR_DUPLICATE: Final = 0.9  # Overlap of the first ten documents from which two runs are near-duplicates
_DEPTH: Final = 10


class OddThing(NamedTuple):
    """Something odd about a run, and the topic, or the other run, that it leads to."""

    kind: str
    short: str  # what the leaderboard says of it; nothing where it is too common to be said there
    says: str  # what it is, and what it is worth by the measure
    topic: str | None = None
    other: str | None = None


@remembered(MEASURES_REMEMBERED)
def oddities(explored: Explored, measure: str | None = None) -> Mapping[str, tuple[OddThing, ...]]:
    """What is odd about each run, and what is that worth by a measure? The gravest first."""
    name = explored.measure(measure)
    means = dict(zip(explored.runs.runs, explored.scores.averages[explored.place(name)].tolist(), strict=True))
    asked = _Asked(explored, name, means)
    return {
        audit.run: tuple(found for kind in ODDITIES for found in kind(asked, audit))
        for audit in explored.runs.audit.runs
    }


def oddities_table(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """Return what is odd as a table: columns run, kind, says; the best run first."""
    found = oddities(explored, measure)
    rows = [(run, odd.kind, odd.says) for run in explored.ordered(measure).runs for odd in found[run]]
    return pl.DataFrame(rows, dict.fromkeys(("run", "kind", "says"), pl.String), orient="row")


class _Asked:
    """What the kinds of oddities have in common: made once for all runs."""

    def __init__(self, explored: Explored, measure: str, means: Mapping[str, float]) -> None:
        self.explored, self.measure, self.means = explored, measure, means
        self.runs = explored.runs
        ties = worth_of_ties(explored, measure)
        self.worst, self.best = ties.at("worst"), ties.at("best")
        self.overlap = _overlap(explored)
        odd = odd_lists(explored, measure).unique("run", keep="first", maintain_order=True)
        self.odd = odd.rows_by_key("run", named=True, unique=True)
        try:
            self.could = {run: (low, high) for run, low, _, high in ranges(explored, measure).iter_rows()}
        except InputError:
            self.could = {}


def _rising(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    """Scores that rise with the rank: what would the run be by its ranks?"""
    if "rising scores" not in {found.code for found in asked.runs.audit.further}:
        return
    source = asked.runs.sources[asked.runs.runs.index(audit.run)]
    if not rising(audit.run, source.head()):
        return
    worth = ""
    if source.has_ranks:
        by_rank = _by_rank(asked.explored, audit.run, asked.measure)
        worth = (
            f" Ranked by its rank column, it would have a mean {asked.measure} of {by_rank:.4f} instead of "
            f"{asked.means[audit.run]:.4f}."
        )
    yield OddThing(
        "scores rise",
        "scores rise with rank",
        "Its scores rise with the rank, and the largest score ranks first: its lists are upside down, or its scores "
        f"are distances.{worth}",
    )


@remembered(MEASURES_REMEMBERED)
def _by_rank(explored: Explored, run: str, measure: str) -> float:
    """Return the mean of a run whose rank column orders its documents."""
    runs = explored.runs
    [source] = explored.sources([run])
    asked = explored.declared(measure)
    reading = replace(runs.reading, order="rank")
    block = score(rank_source(source, runs.judgments, reading), [asked], runs.grading.but(bounds=False))
    counts = explored.scores.counted[[explored.runs.runs.index(run)]]
    return float(averaged(block.values[0], counts, asked.summary)[0])


def _nothing_judged(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    if audit.judged == 0 and audit.retrieved and not audit.excluded:
        yield OddThing(
            "nothing judged",
            "nothing judged",
            "None of its documents is judged for its topic: check that its ids match those of the judgments.",
        )


def _missing(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    """Topics that it lacks, and those for which it retrieved nothing: what is its mean over the others?"""
    for topics, word, short in ((audit.missing, "lacks", "lacks"), (audit.empty, "retrieved nothing for", "empty:")):
        if not topics:
            continue
        number, place = asked.runs.runs.index(audit.run), asked.explored.place(asked.measure)
        there = ~np.isin(np.array(asked.runs.topics, dtype=object), list(topics))
        values = asked.explored.scores.values[place, number, there]
        lacked = asked.runs.reading.lacked
        counts = "" if word != "lacks" else " They are left out." if lacked == "left out" else (
            " They count as empty lists."
            if lacked == "empty"
            else f" They count 0{best_by(flattering([asked.explored.scores.measures[place]]))}."
        )  # fmt: skip
        worth = (
            f" Its mean {asked.measure} is {values.mean():.4f} over the other {counted(int(there.sum()), 'topic')} and "
            f"{asked.means[audit.run]:.4f} over all."
            if len(values) and lacked != "left out"
            else ""
        )
        named = listed(list(topics))
        yield OddThing(
            "missing topics",
            f"{short} {counted(len(topics), 'topic')}",
            f"It {word} {counted(len(topics), 'topic')} of {len(asked.runs.topics)} ({named}).{counts}{worth}",
        )


def _ties(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    low, high = sorted((asked.worst[audit.run], asked.best[audit.run]))
    if not audit.tied or high - low < LEAST_WORTH:
        return
    share = 100 * audit.tied / max(audit.retrieved, 1)
    yield OddThing(
        "ties",
        f"ties {low:.4f} to {high:.4f}",
        f"{share:.1f}% of its documents share their score with another. Depending on the order of these ties, its mean "
        f"{asked.measure} lies between {low:.4f} (worst grades first) and {high:.4f} (best grades first); as ranked it "
        f"is {asked.means[audit.run]:.4f}.",
    )


def _unjudged(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    share = dict(zip(UNJUDGED_AT, audit.unjudged, strict=True))[_DEPTH]
    if share < USUALLY_UNJUDGED or asked.runs.judgments.complete:
        return
    could = asked.could.get(audit.run)
    worth = (
        f"Its mean {asked.measure} could be anything from {could[0]:.4f} to {could[1]:.4f} once everything that any "
        "run retrieved is judged."
        if could
        else f"How far that could change its {asked.measure} is not known for sure."
    )
    short = f"{percent(share)} unjudged"
    yield OddThing("unjudged", short, f"{percent(share)} of its top {_DEPTH} are unjudged. {worth}")


def _near(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    number = asked.runs.runs.index(audit.run)
    overlap = asked.overlap[number].copy()
    overlap[number] = -1
    near = np.argsort(-np.nan_to_num(overlap, nan=-1), kind="stable")
    many = int((overlap >= NEAR_DUPLICATE).sum())
    if not many:
        return
    other = asked.runs.runs[near[0]]
    further = f" {counted(many - 1, 'other run is', 'other runs are')} near-duplicates, too." if many > 1 else ""
    difference = asked.means[audit.run] - asked.means[other]
    yield OddThing(
        "near-duplicate",
        f"like {other}",
        f"Its lists are nearly those of {other}: the mean rank-biased overlap of the top {_DEPTH} is "
        f"{overlap[near[0]]:.3f}. Their mean {asked.measure} differs by {difference:+z.4f}.{further}",
        other=other,
    )


def _own(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    if audit.own:
        yield OddThing(
            "own document",
            "retrieves its queries",
            f"It retrieves the document with the topic's own id on {counted(len(audit.own), 'topic')} "
            f"({listed(list(audit.own))}).",
        )


def _extra(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    if audit.extra:
        many = counted(len(audit.extra), "topic")
        yield OddThing("extra topics", "", f"It has {many} without judgments, which are not scored.")


def _odd_list(asked: _Asked, audit: RunAudit) -> Iterator[OddThing]:
    found = asked.odd.get(audit.run)
    if found and found["residual"]:
        yield OddThing(
            "odd list",
            "",
            f"Its oddest list has a {asked.measure} of {found['value']:.4f}, where the means of run and topic predict "
            f"{found['expected']:.4f}.",
            topic=found["topic"],
        )


ODDITIES: Final[tuple[Callable[[_Asked, RunAudit], Iterator[OddThing]], ...]] = (
    _nothing_judged, _rising, _missing, _ties, _unjudged, _near, _own, _extra, _odd_list,
)  # fmt: skip
"""What is looked for, the gravest first."""


@remembered(1)
def _overlap(explored: Explored) -> Floats:
    """How similar are the first documents of each two runs?"""
    return overlap_at_the_top(JudgedRankings.batch(explored.runs.with_retrieved.batches), depth=_DEPTH)[0]
