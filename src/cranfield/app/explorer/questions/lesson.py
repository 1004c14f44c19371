"""A lesson with the demonstration: what the prototype of 2012 was for, in steps that a class can go."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import ListsAsked, RankedList, lists, moves_of, swap
from cranfield.app.explorer.questions.pairs import contrasts
from cranfield.app.explorer.questions.runs import archetypes_by_run
from cranfield.lists.archetypes import Archetype

TOPIC: Final = "15"
ONE, OTHER = "bm25", "names"  # The topic and the lists that are looked at first
N: Final = 100
"""The length to which their positions are looked at."""


class Step(NamedTuple):
    """A step of the lesson: what to do, the page that it leads to, and what to find out there."""

    title: str
    does: str
    page: str
    asks: dict[str, object]
    link: str
    question: str
    answer: str


def steps(explored: Explored) -> list[Step]:
    """Return the steps of the lesson; every number in them is worked out of the lists that they lead to."""
    one, other = lists(explored, ListsAsked(TOPIC, (ONE, OTHER), n=N))
    best = swap(explored, ListsAsked(TOPIC, (ONE,), n=N), ONE, "nDCG@10")
    moves = [] if best is None else moves_of(best)
    gained = "" if best is None else f"nDCG@10 goes from {best.before:.4f} to {best.after:.4f}"
    opposed = contrasts(explored, ONE, OTHER, "nDCG@10", "effort against gain").opposed
    worst = dict(archetypes_by_run(explored).select("run", str(Archetype.WORST)).iter_rows())
    alone: dict[str, object] = {"topic": TOPIC, "run": ONE, "n": N}
    both: dict[str, object] = {"topic": TOPIC, "run": [ONE, OTHER], "n": N}
    return [
        Step(
            "Read one curve",
            "CRP adds up, rank by rank, how far documents are from where an ideal list has them. The ideal list is the "
            "line at 0. Point at a rank of the curve, and its document lights up in the list.",
            "topic", alone, f"The list of {ONE} on topic {TOPIC}",
            "Down to which rank does the list lose, and what does it rank there?",
            f"To rank {_rank(one, 'min')}, where CRP is lowest. Down to there, documents that are not relevant take "
            "the places of relevant ones: they come too early, the lowest line of the first strip. "
            f"{_point(one, 'R'):,} documents are relevant.",
        ),
        Step(
            "Tell a good beginning from a poor one",
            "The sooner the curve is back at 0, the fewer ranks the user reads for nothing. The rank at which it is "
            "back is b_r, and ρ = R / b_r.",
            "topic", both, f"{ONE} and {OTHER} side by side",
            "Which of the two lists is the first to make up for its beginning?",
            f"{ONE} is back at 0 at rank {_rank(one, 'b_r')}, {OTHER} at rank {_rank(other, 'b_r')}: ρ is "
            f"{one.indicators['ρ']:.2f} and {other.indicators['ρ']:.2f}. Both figures have the same axes, so that "
            "heights can be compared.",
        ),
        Step(
            "See what DCG misses",
            "Below CRP: DCG with negative gains for documents that are not relevant. Compare the curves after rank 20.",
            "topic", both | {"to": N}, "Both lists down to rank 100",
            "What does a late relevant document do to each curve?",
            "CRP rises by the number of ranks the document is late, DCG hardly at all, since it discounts deep ranks. "
            "So DCG shows the gain, and CRP the effort it took.",
        ),
        Step(
            "Find the documents to blame",
            "The explorer has tried every swap of two documents. Make the one that helps the list most; the former "
            "curve stays in grey.",
            "topic", alone | {"changes": json.dumps(moves)}, "The best swap, made",
            "What does one swap change, and does it always raise the lowest point of CRP?",
            f"{gained}. The lowest point need not be higher: a better document that came too late lifted the curve at "
            "its old rank, and no longer does.",
        ),
        Step(
            "Ranking or retrieval?",
            "Show the documents of each list in their best order: what is still missing is not a matter of ranking.",
            "topic", both | {"order": ["best order", "best order"]}, "Both lists in their best order",
            "The remaining loss is due to documents that were not found. Is it large?",
            "In the best order, everything relevant that a list found is at the top. Ranking cannot close the gap that "
            "remains to the ideal list: the search has to find more.",
        ),
        Step(
            "All topics of a run at once",
            "Each line is a topic, each axis an indicator. Drag along an axis to keep the lines that pass there.",
            "run", {"run": ONE}, f"The topics of {ONE}",
            "Does ρ differ between topics with many relevant documents and topics with few?",
            f"Keep the lines with a low R and compare. The lists below, by archetype: {ONE} has {worst[ONE]} of type "
            f"worst, {OTHER} {worst[OTHER]}.",
        ),
        Step(
            "Gain against effort",
            "A run can gain more and still cost more effort.",
            "pair", {"a": ONE, "b": OTHER, "measure": "nDCG@10", "by": "effort against gain"}, f"{ONE} against {OTHER}",
            "On how many topics is one better by gain and the other by effort?",
            f"On {opposed.height} of {len(explored.runs.topics)}"
            + (f", the most on topic {opposed['topic'][0]}." if opposed.height else "."),
        ),
        Step(
            "How sure is the leaderboard?",
            "Move the sliders: they set the order of tied documents, and how many unjudged documents are relevant.",
            "overview", {"measure": "nDCG@10", "ties": "best"}, "The leaderboard, ties in the best order",
            "Which run depends most on the order of its ties?",
            f"{OTHER}: it gives many documents the same score, so their ids decide its place.",
        ),
    ]  # fmt: skip


def _point(of: RankedList, mark: str) -> int | None:
    [rank] = [row["rank"] for row in of.points if row["mark"] == mark]
    return None if rank is None else int(rank)


def _rank(of: RankedList, mark: str) -> str:
    found = _point(of, mark)
    return f"beyond {N}" if found is None else f"{found:,}"
