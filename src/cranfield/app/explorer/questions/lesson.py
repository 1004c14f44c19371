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
            "line at 0. Put the pointer on ranks of the curve, and see the document light up in the list.",
            "topic", alone, f"The list of {ONE} on topic {TOPIC}",
            "Down to which rank does the list lose, and what stands there?",
            f"To rank {_rank(one, 'min')}, where CRP is lowest. Down to it documents that are not relevant stand where "
            f"relevant ones should: too early, the lowest line of the first strip. {_point(one, 'R'):,} documents are "
            "relevant.",
        ),
        Step(
            "Tell a good beginning from a poor one",
            "The sooner the curve is back at 0, the fewer ranks the user spends for nothing. That rank is b_r, and "
            "ρ = R / b_r.",
            "topic", both, f"{ONE} and {OTHER} side by side",
            "Which of the two lists makes up for its beginning first?",
            f"{ONE} is back at 0 at rank {_rank(one, 'b_r')}, {OTHER} at rank {_rank(other, 'b_r')}: ρ is "
            f"{one.indicators['ρ']:.2f} and {other.indicators['ρ']:.2f}. Both figures have the same axes, so that "
            "heights can be compared.",
        ),
        Step(
            "See what DCG does not",
            "Below CRP is DCG with negative gains for what is not relevant. Compare both curves after rank 20.",
            "topic", both | {"to": N}, "Both lists down to rank 100",
            "What does a relevant document that comes late do to each of them?",
            "CRP rises by as many ranks as the document is late, DCG by next to nothing, since it discounts deep "
            "ranks. So DCG says what was gained, CRP what it cost to get there.",
        ),
        Step(
            "Find the documents that are to blame",
            "The explorer has tried every exchange of two documents. Take the one that helps the list most; what the "
            "curve was stays in grey.",
            "topic", alone | {"changes": json.dumps(moves)}, "The best exchange, tried",
            "What does one exchange change, and is the lowest point of CRP always higher after it?",
            f"{gained}. The lowest point need not be higher: a better document that came too late lifted the curve at "
            "its old rank, and does so no more.",
        ),
        Step(
            "Ranking or retrieval?",
            "Show the documents of each list in their best order: what is left is not a matter of ranking.",
            "topic", both | {"order": ["best order", "best order"]}, "Both lists in their best order",
            "What is left is due to documents that were not found. Is it much?",
            "In the best order a list has everything that it found at the top. What it still lacks to the ideal list, "
            "ranking cannot repair: the search has to find more.",
        ),
        Step(
            "All topics of a run at once",
            "Each line is a topic, each axis an indicator. Drag along an axis to keep the lines that pass there.",
            "run", {"run": ONE}, f"The topics of {ONE}",
            "Do topics with many relevant documents have another ρ than those with few?",
            f"Keep the lines with a low R and compare. The lists below, by archetype: {ONE} has {worst[ONE]} of type "
            f"worst, {OTHER} {worst[OTHER]}.",
        ),
        Step(
            "Gain against effort",
            "A run can gain more and cost more effort at once.",
            "pair", {"a": ONE, "b": OTHER, "measure": "nDCG@10", "by": "effort against gain"}, f"{ONE} against {OTHER}",
            "On how many topics is one better by gain and the other by effort?",
            f"On {opposed.height} of {len(explored.runs.topics)}"
            + (f", the most on topic {opposed['topic'][0]}." if opposed.height else "."),
        ),
        Step(
            "How sure is the leaderboard?",
            "Move the sliders: how documents of one score are ordered, and how many of those that nobody judged are "
            "relevant.",
            "overview", {"measure": "nDCG@10", "ties": "best"}, "The leaderboard, ties in the best order",
            "Which run depends most on the order of its ties?",
            f"{OTHER}: it gives many documents one score, and its place is decided by their ids.",
        ),
    ]  # fmt: skip


def _point(of: RankedList, mark: str) -> int | None:
    [rank] = [row["rank"] for row in of.points if row["mark"] == mark]
    return None if rank is None else int(rank)


def _rank(of: RankedList, mark: str) -> str:
    found = _point(of, mark)
    return f"beyond {N}" if found is None else f"{found:,}"
