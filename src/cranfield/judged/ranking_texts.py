"""The first step for runs in TREC text, by the native road: read, ranked and looked up in one pass, without a table.

It knows what is in order alone, and answers None to anything else: `joining.rank` says the same of the same
run, and what is wrong with one.
"""

from __future__ import annotations

from cranfield.judged.audit import Seen
from cranfield.judged.conditions import USUAL_READING, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, ranked_run


def rank_text(run: str, text: bytes, judgments: Judgments, reading: Reading = USUAL_READING) -> JudgedRankings | None:
    r"""Rank a run, and find the judgments; None where the native road is not there, or does not take it.

    >>> judgments = Judgments.of_dict({"1": {"a": 2, "b": 0}})
    >>> ranked = rank_text("bm25", b"1 Q0 b 1 3.0 x\n1 Q0 x 2 2.0 x\n1 Q0 a 3 1.0 x\n", judgments)
    >>> ranked is None or (ranked.judged.rank.tolist(), ranked.judged.grade.tolist()) == ([1, 3], [0.0, 2.0])
    True
    """
    known = reading.order in ("score", "trec9") and reading.costs is None
    index = judgments.native_index if known else None
    excluded = None if reading.exclude is None else judgments.native_excluded(reading.exclude)
    if index is None or (reading.exclude is not None and excluded is None):
        return None
    joined = index.join(text, in_32_bits=reading.order == "trec9", excluded=excluded)
    if joined is None:
        return None
    if reading.exclude is not None and any(map(reading.exclude.of_topic, joined.extra)):
        return None  # of a topic without judgments the native road looks nothing up, and some of its documents may go
    lists, cells = (joined.code, joined.length), (joined.topic, joined.rank, joined.judgment)
    seen = Seen(joined.extra, joined.tied, tuple(judgments.topics[each] for each in joined.own), joined.excluded)
    return ranked_run(run, judgments, reading, lists, cells, seen)
