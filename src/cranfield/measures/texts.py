"""Texts: something to read about each run or topic, where other measures give a number."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import cutoff


class Text(Measure, registered=False):
    """Something to read about a row, rather than a number."""

    text = True
    uses_recall_base = False
    rewards_promotion = False

    @abstractmethod
    def texts(self, rankings: JudgedRankings) -> list[str]:
        """Give the text of each row of the batch."""

    def compute(self, rankings: JudgedRankings) -> Any:  # a text is no number, which all other measures promise
        """Give the texts as an array of objects."""
        return np.array(self.texts(rankings), dtype=object)


class RelString(Text):
    """Which grades are at the top of the list?

    RelString@k = one character for each of the first k documents: its grade (> above 9), -
    unjudged, . negative

    A text: it is printed per topic in trec_eval's format only.

    Paper: trec_eval, relstring.

    >>> from cranfield.judged.rankings import one_ranking
    >>> RelString(cutoff=5).score(one_ranking([2, None, 0, -1])).tolist()
    ['2-0.']
    """

    trec = "relstring"
    trec_at = "relstring_{at}"
    at_typical = (10,)
    cutoff: int | None = cutoff()

    def texts(self, rankings: JudgedRankings) -> list[str]:
        """Ten places are shown unless the cutoff says otherwise."""
        shown = rankings.cut(self.cutoff or 10)
        places = [["-"] * n for n in shown.length.tolist()]
        judged = shown.judged
        for row, rank, grade in zip(judged.row.tolist(), judged.rank.tolist(), judged.grade.tolist(), strict=True):
            places[row][rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
        return ["".join(place) for place in places]


class RunID(Text):
    """What is the name of the run?

    RunID = the name of the run

    A text: it is printed above the averages in trec_eval's format only.

    Paper: trec_eval, runid.

    >>> from cranfield.judged.rankings import one_ranking
    >>> RunID().score(one_ranking([1])).tolist()
    ['run']
    """

    trec = "runid"

    def texts(self, rankings: JudgedRankings) -> list[str]:
        """Give the name, for each row."""
        return [run for run in rankings.runs for _ in rankings.topics]
