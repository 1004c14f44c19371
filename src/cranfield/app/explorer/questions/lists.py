"""What is asked of the lists of a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.judged.judgments import is_relevant
from cranfield.judged.rankings import JudgedRankings, full_scale_rankings, ideal_rankings
from cranfield.lists.altering import Changes
from cranfield.lists.tracing import crp_marks
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.measures.loss_and_recovery import CRPN, BalanceRatio, CRPMin, RecoveryValue
from cranfield.pages.look import NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.pairs.swaps import Swap, best_swap
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.judged_runs import JudgedRuns

MOST_LISTS: Final = 4
RANKS_SHOWN: Final = 20
CURVES_GO_TO: Final = 100
AS_IT_IS: Final = "as it is"
LIST_ORDERS: Final[Mapping[str, Callable[[JudgedRankings, int], JudgedRankings]]] = {
    AS_IT_IS: lambda rankings, n: rankings,
    "best order": lambda rankings, n: rankings.reranked(),
    "ideal list": lambda rankings, n: _ideal(rankings),
    "full-scale list": lambda rankings, n: full_scale_rankings(_ideal(rankings), n),
}
"""What can be shown in a list's place: what its documents could have been, or what could have been found."""
_INDICATORS: Final[Mapping[str, Callable[..., Measure]]] = {
    "ρ": RecoveryValue,
    "b_ratio": BalanceRatio,
    "CRP_min": CRPMin,
    "CRP_N": CRPN,
}
"""The four numbers that the paper of 2012 reads off CRP."""
TERMS: Final[Mapping[str, str]] = {
    "RP": "how many ranks a document is from where the ideal list has its grade: below 0 too early, above 0 too late.",
    "CRP": "RP added up from the top. The ideal list stays at 0; CRP falls where documents come too early and rises "
    "where they come too late.",
    "R": "the number of relevant documents: the rank at which the ideal list has them all.",
    "min": "the rank at which CRP is lowest. A better document higher up can make it lower still: at its old rank it "
    "came too late and lifted the curve, and no longer does.",
    "b_r": "the rank at which CRP is back at 0, R at the earliest: the closer to R, the sooner the list has made up "
    "for what came too early.",
    "b_w": "the same rank for the worst list, the ideal list reversed.",
    "ρ": "R / b_r, from 0 (never back at 0) to 1 (back as soon as possible).",
    "b_ratio": "1 - b_r / b_w: how much sooner it is back at 0 than the worst list.",
    "CRP_min": "1 minus the lowest CRP over that of the worst list at the same rank: 1 if nothing is lost, 0 if as "
    "much as by the worst list.",
    "CRP_N": "1 minus the last CRP over that of the worst list: 1 if the list ends at 0.",
}
"""What the curves, their points and the indicators are, a line each."""


@dataclass(frozen=True)
class ListsAsked:
    """Which lists of a topic are asked for."""

    topic: str
    runs: tuple[str, ...]
    orders: tuple[str, ...] = ()  # in which each is shown, of `LIST_ORDERS`; as it is, where there is none
    changes: Changes | None = None
    n: int = LENGTH  # to which lists are cut or padded where positions are looked at

    def __post_init__(self) -> None:
        if len(self.runs) > MOST_LISTS:
            raise InputError(f"{MOST_LISTS} lists can be shown side by side, not {len(self.runs)}")
        if unknown := [order for order in self.orders if order not in LIST_ORDERS]:
            raise InputError(f"a list is shown {' or '.join(LIST_ORDERS)}, not {unknown[0]!r}")

    @property
    def is_changed(self) -> bool:
        """Say whether anything is otherwise."""
        return self.changes is not None and bool(self.changes.moves or self.changes.grades)

    @property
    def shown(self) -> tuple[str, ...]:
        """In which order each list is shown."""
        return tuple(order for order, _ in zip_longest(self.orders[: len(self.runs)], self.runs, fillvalue=AS_IT_IS))


class Entry(NamedTuple):
    """A document in a list; None is unjudged, or no rank where a list lacks it."""

    rank: int
    document: str
    title: str
    grade: float | None
    state: str  # what the grade is called
    was: int | None  # its rank before anything was changed
    other: int | None  # its rank in the first of the lists, if this is another one
    alone: bool  # whether no other of the lists has it


class RankedList(NamedTuple):
    """A run's list of a topic: its first entries, and how long it is."""

    run: str
    order: str
    entries: tuple[Entry, ...]
    length: int
    values: Mapping[str, float]  # by measure, of the list as it is shown
    points: Sequence[Mapping[str, Any]]  # of its CRP: mark, rank, crp, crp_full_scale
    indicators: Mapping[str, float]  # what is read off them; none where nothing is relevant


def lists(explored: Explored, asked: ListsAsked, first: int = RANKS_SHOWN) -> list[RankedList]:
    """Return the lists of some runs, side by side."""
    now = joined(explored, asked)
    [rankings], before = now.batches, explored.on(asked.topic, asked.runs)
    grade, rel = rankings.judgments.grade, explored.runs.grading.rel
    ids = rankings.judgments.documents[0]
    ranks, was = _ranks(rankings), _ranks(before)
    marks = crp_marks(rankings, asked.n).to_dicts()
    values = now.scores(explored.scores.measures).values[:, :, 0]
    read = now.scores([indicator(cutoff=asked.n) for indicator in _INDICATORS.values()]).values[:, :, 0]
    found = []
    for number, run in enumerate(asked.runs):
        others = {place for other, listed in enumerate(ranks) if other != number for place in listed}
        documents = [
            Entry(
                rank,
                ids[place],
                explored.title_of_document(ids[place]),
                None if np.isnan(grade[place]) else float(grade[place]),
                _state(grade[place], rel),
                was[number].get(place),
                ranks[0].get(place) if number else None,
                len(ranks) > 1 and place not in others,
            )
            for place, rank in islice(ranks[number].items(), first)
        ]
        points = [row for row in marks if row["run"] == now.runs[number]]
        relevant = any(row["mark"] == "R" and row["rank"] for row in points)
        measured = dict(zip(explored.measures, values[:, number].tolist(), strict=True))
        indicators = dict(zip(_INDICATORS, read[:, number].tolist(), strict=True)) if relevant else {}
        length = int(rankings.length[number])
        found.append(RankedList(run, asked.shown[number], tuple(documents), length, measured, points, indicators))
    return found


@remembered(32)
def swap(explored: Explored, asked: ListsAsked, run: str, measure: str) -> Swap | None:
    """Which exchange of two documents of a run's list, as it is now, would improve its value most?"""
    [declared] = as_taken([explored.declared(measure)], explored.runs.grading)
    grading = explored.runs.grading
    return best_swap(explored.on(asked.topic, (run,), asked.changes), declared, judged_only=grading.judged_only)


def moves_of(swap: Swap) -> list[list[str | int]]:
    """Return an exchange as two changes of a list: run, document and rank, as addresses have them."""
    return [[swap.run, swap.document_low, swap.high], [swap.run, swap.document_high, swap.low]]


def swaps_are_quick(explored: Explored, measure: str) -> bool:
    """Tell whether the best exchange is found at once: where few can be the best, since promotion lowers no value."""
    asked = explored.declared(measure)
    return asked.rewards_promotion and asked.gains_rise(explored.runs.judgments)


def entries(shown: Sequence[RankedList]) -> pl.DataFrame:
    """Return the entries of lists as a table: columns run, order, rank, document, title, grade, state, was."""
    rows = [
        (each.run, each.order, one.rank, one.document, one.title, one.grade, one.state, one.was)
        for each in shown
        for one in each.entries
    ]
    texts = dict.fromkeys(("run", "order", "rank", "document", "title", "grade", "state", "was"), pl.String)
    return pl.DataFrame(rows, texts | {"rank": pl.Int64, "grade": pl.Float64, "was": pl.Int64}, orient="row")


def joined(explored: Explored, asked: ListsAsked) -> JudgedRuns:
    """Join the lists that are asked for, with their judgments: on the topic alone."""
    explored.checked(asked.runs)
    rankings = explored.on(asked.topic, asked.runs, asked.changes)
    names = tuple(
        run if order == AS_IT_IS else f"{run}, {order}" for run, order in zip(asked.runs, asked.shown, strict=True)
    )
    parts = [
        replace(LIST_ORDERS[order](rankings.only(number), asked.n), runs=(name,), _made={})
        for number, (name, order) in enumerate(zip(names, asked.shown, strict=True))
    ]
    named = tuple(replace(own, name=name) for own, name in zip(explored.sources(asked.runs), names, strict=True))
    return replace(explored.runs, judgments=rankings.judgments, sources=named, batches=(JudgedRankings.batch(parts),))


def _ideal(rankings: JudgedRankings) -> JudgedRankings:
    return ideal_rankings(rankings.judgments, np.nan_to_num(rankings.judgments.grade))


def _ranks(rankings: JudgedRankings) -> list[dict[int, int]]:
    """Return, for each run of a topic, ranks by the place of the document in the judgments, the best first."""
    each = [rankings.only(run) for run in range(len(rankings.runs))]
    return [dict(zip(one.judgment.tolist(), one.rank.tolist(), strict=True)) for one in each]


def _state(grade: float, rel: float | None) -> str:
    """Say what a document of a grade is called."""
    if np.isnan(grade):
        return UNJUDGED
    return RELEVANT if is_relevant(np.array(grade), rel) else NOT_RELEVANT
