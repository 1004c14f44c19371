"""Multi-armed bandits: each run is an arm, and pulling it gives its next document, relevant or not.

What is known of a run is the Beta posterior of its chance to give a relevant document, from a
uniform prior: Beta(1 + s, 1 + f) after s relevant and f other documents. Every judged document that
a run retrieved counts, whichever run it was chosen for; so the posterior follows from the judgments
alone. Topics take turns.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.plumbing.arrays import Floats, places_within, sums_within
from cranfield.selection.method import Method
from cranfield.selection.move_to_front import numbers, run_by_run
from cranfield.selection.state import State


class Bandit(Method):
    """The common part: runs by their promise, and each run's documents by rank.

    Attributes
    ----------
    memory
        What each further judgment of a run's documents leaves of the weight of those before: 1
        forgets nothing, 0 everything but the last.
    """

    across = "turns"
    renewed_by = "topic"
    needs_answers = True
    memory: ClassVar[float] = 1.0

    def weigh(self, state: State, topic: int) -> Floats:
        """The best ranked documents of the most promising run first."""
        successes, failures = self.outcomes(state, topic)
        promise = self.promise(successes, failures, state.random(topic))
        place = np.empty(len(promise), np.int64)
        place[np.lexsort((successes + failures, -promise))] = np.arange(len(promise))
        return run_by_run(state, topic, place)

    @abstractmethod
    def promise(self, successes: Floats, failures: Floats, random: np.random.Generator) -> Floats:
        """Return how promising each run is. Of equals the one of which less is known is first, then the first given."""

    def outcomes(self, state: State, topic: int) -> tuple[Floats, Floats]:
        """Return, by run, how many of its judged documents were relevant and how many not, as far as remembered."""
        candidates, cells = state.candidates, state.candidates.cells_of(topic)
        number = numbers(state, topic)[candidates.cell_document[cells]]
        judged = np.flatnonzero(number)
        run, number = candidates.cell_run[cells][judged], number[judged]
        relevant = is_relevant(state.grade[state.order[topic]], None)[number - 1]
        weight = self.memory ** places_within(run, -number).astype(np.float64)
        runs = len(candidates.runs)
        return sums_within(run, weight * relevant, runs), sums_within(run, weight * ~relevant, runs)


class MaxMean(Bandit, name="max-mean"):
    """Which document is next in the run whose documents were relevant most often?

    The run with the largest mean of its posterior, (1 + s) / (2 + s + f), is next. Of equals it is
    the one with fewer judged documents, of which there is more to hope for, then the first one
    given.

    The paper counts for a run the documents that it was chosen for; here all of its judged
    documents count.

    Paper: Losada, Parapar and Barreiro (2016), "Feeling lucky? Multi-armed bandits for ordering
    judgements in pooling-based evaluation", SAC (MM); the same (2017), "Multi-armed bandits for
    adjudicating documents in pooling-based evaluation of information retrieval systems", IPM 53(5).

    >>> from cranfield.selection import Judging
    >>> judging = Judging({"x": {"1": {"a": 3, "b": 2}}, "y": {"1": {"c": 3, "a": 2, "d": 1}}}, method="max-mean")
    >>> judging.record("1", "a", 1)  # both have a: 2/3
    >>> judging.record("1", "b", 0)  # x: 1/2
    >>> judging.next()[0].document
    'c'
    """

    def promise(self, successes: Floats, failures: Floats, random: np.random.Generator) -> Floats:
        """Mean of the posterior."""
        return (1.0 + successes) / (2.0 + successes + failures)


class MaxMeanForgetful(MaxMean, name="max-mean-ns"):
    """Which document is next in the run whose last judged document was relevant?

    As max-mean, but of each run only the document that was judged last counts, since lists get
    worse further down (non-stationary): the mean is 2/3 after a relevant one, 1/3 after another,
    1/2 before any.

    Paper: Losada, Parapar and Barreiro (2017), IPM 53(5) (MM-NS).
    """

    memory = 0.0


class Thompson(Bandit, name="thompson"):
    """Which document is next in the run that a draw from what is known of the runs finds best?

    For each run its chance is drawn from its posterior, and the run of the largest is next
    (Thompson sampling). The draws depend on the seed, the topic and how many of its documents are
    judged: the same judgments, the same draws.

    Paper: Losada, Parapar and Barreiro (2016), SAC (TS); Thompson (1933), "On the likelihood that
    one unknown probability exceeds another in view of the evidence of two samples", Biometrika 25.
    """

    def promise(self, successes: Floats, failures: Floats, random: np.random.Generator) -> Floats:
        """One draw a run."""
        return random.beta(1.0 + successes, 1.0 + failures)
