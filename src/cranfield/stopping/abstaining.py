"""When a system had better stay silent: a threshold of the first score, and the two errors that it makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers


@dataclass(frozen=True)
class Thresholds:
    """Every threshold of the first score that judged topics tell apart, and its errors.

    A list is answered if its first score reaches the threshold; otherwise the system stays silent. Of two
    thresholds between which no topic's score lies, the higher stands for both.

    Examples
    --------
    >>> found = Thresholds.of(np.array([9.0, 5.0, 7.0]), np.array([True, True, False]))
    >>> found.threshold, found.wrong_answers, found.wrong_silences
    (array([ 5.,  7.,  9., inf]), array([1, 1, 0, 0]), array([0, 1, 1, 2]))
    """

    threshold: Floats  # Rising. The last one is infinite: it always stays silent.
    wrong_answers: Integers  # for each threshold, the number of topics without an answer that are answered
    wrong_silences: Integers  # for each threshold, the number of topics with an answer that are not

    @classmethod
    def of(cls, first: Floats, answer: Booleans) -> Thresholds:
        """Count the errors of every threshold."""
        threshold = np.append(np.unique(first[first > -np.inf]), np.inf)
        without, with_answer = np.sort(first[~answer]), np.sort(first[answer])
        return cls(
            threshold,
            len(without) - np.searchsorted(without, threshold),
            np.searchsorted(with_answer, threshold),
        )

    def losses(self, cost: float) -> Floats:
        """Return the loss of each threshold, summed over topics: a wrong answer costs ``cost``, a wrong silence 1.

        >>> Thresholds.of(np.array([9.0, 5.0, 7.0]), np.array([True, True, False])).losses(0.5)
        array([0.5, 1.5, 1. , 2. ])
        """
        return cost * self.wrong_answers + self.wrong_silences


def left_out(first: Floats, answer: Booleans, cost: float) -> Floats:
    """What does each topic lose by the threshold that is best on all other topics?

    Its mean over topics is the leave-one-out estimate. It has the expectation of the loss of a threshold chosen
    on one topic less, if topics are exchangeable. Of several best thresholds the lowest is taken.

    A topic that is left out changes the losses of all thresholds up to its score by one amount, and those of
    all above by another. So the best threshold without it is one of two: the best up to its score, or
    the best above.

    Without the second topic, 7 or 9 would be the best threshold; without the third, 5 answers both others.

    >>> left_out(np.array([9.0, 5.0, 7.0]), np.array([True, True, False]), 1.0)
    array([0., 1., 1.])
    """
    found = Thresholds.of(first, answer)
    losses = found.losses(cost)
    place = np.searchsorted(found.threshold, first)  # its own score among the thresholds; 0 where it has none
    there = first > -np.inf
    # Its own score is a threshold without it only where another topic has it, too.
    shared = np.bincount(place[there], minlength=len(losses))[place] > 1
    up_to = np.append(np.inf, np.minimum.accumulate(losses))  # the least of the first k
    above = np.append(np.minimum.accumulate(losses[::-1])[::-1], np.inf)  # the least from place k on
    least_answering = np.where(there, up_to[place + shared], np.inf) - cost * ~answer
    answered = least_answering <= above[place + there] - answer  # the least with silence
    return np.where(answered, cost * ~answer, 1.0 * answer)
