"""What the level of relevance decides: which pairs of runs have another order where it is another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from cranfield.judged.conditions import Grading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures import Measure
from cranfield.plumbing.arrays import Floats
from cranfield.scoring.blocks import Block, as_followed, at_level, over_topics, score
from cranfield.scoring.scores import Scores
from cranfield.statistics.on_paper import side

_MOST_MEASURES: Final = 3
"""Of the measures that were asked for, this many of the first that heed the level are scored at the others, too."""
_MOST_RELEVANT_GRADES: Final = 5  # With more relevant grades than that, other levels are too many to score


@dataclass(frozen=True)
class OtherLevels:
    """Blocks of scores at each level that could have been asked for and was not, as batches come."""

    measures: tuple[Measure, ...]  # the measures that heed the level, before they are given one
    levels: tuple[float, ...]  # the other levels, rising
    grading: Grading  # how judgments are taken there: the level is the measures'
    blocks: tuple[list[Block], ...] = field(repr=False)  # what was scored, level by level

    @classmethod
    def of(cls, judgments: Judgments, measures: Sequence[Measure], grading: Grading) -> Self:
        """Say which levels exist besides the one that is asked for; none where there is no choice."""
        heeding = [each for each in as_followed(measures, grading) if each.takes_level and not each.text][
            :_MOST_MEASURES
        ]
        relevant = judgments.grades[judgments.grades > 0].tolist()
        asked = [grade for grade in relevant if grading.rel is None or grade >= grading.rel][:1]
        few = heeding and asked and len(relevant) <= _MOST_RELEVANT_GRADES
        levels = tuple(grade for grade in relevant if grade not in asked) if few else ()
        return cls(tuple(heeding), levels, Grading(judged_only=grading.judged_only), tuple([] for _ in levels))

    def score(self, batch: JudgedRankings) -> None:
        """Score a batch at each of them; what the measures need of it is still there from the level that was asked."""
        for level, blocks in zip(self.levels, self.blocks, strict=True):
            blocks.append(score(batch, at_level(self.measures, level), self.grading))

    def turned(self, scores: Scores, judgments: Judgments) -> tuple[tuple[str, int], ...]:
        """Count by each measure the pairs of runs that any of these levels turns round; ties turn nothing round."""
        if not self.levels:
            return ()
        asked = [scores.measures.index(each) for each in at_level(self.measures, scores.conditions.grading.rel)]
        few = replace(scores, measures=tuple(scores.measures[m] for m in asked), values=scores.values[asked])
        others = [
            few.averaged(np.concatenate([block.values for block in over_topics(blocks, judgments)], axis=1))
            for blocks in self.blocks
        ]
        counts = [_turned(few.averages[m], [each[m] for each in others]) for m in range(len(self.measures))]
        return tuple((str(m), n) for m, n in zip(self.measures, counts, strict=True) if n)


def _turned(averages: Floats, others: list[Floats]) -> int:
    """Count the pairs of runs that stand the other way round by any of the other averages, by one measure."""
    usual = _sides(averages)
    turned = np.any([usual * _sides(each) < 0 for each in others], axis=0)
    return int(np.count_nonzero(turned)) // 2


def _sides(averages: Floats) -> Floats:
    return side(averages[:, None] - averages)
