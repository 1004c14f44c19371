"""Methods that go run by run: move to front, and multi-armed bandits. Topics take turns.

Move to front keeps to the run that just gave a relevant document, and leaves it at the first one that is not. Of
bandits each run is an arm, and pulling it gives its next document, relevant or not. What is known of a run is the Beta
posterior of its chance to give a relevant document, from a uniform prior: Beta(1 + s, 1 + f) after s relevant and f
other documents. Every judged document that a run retrieved counts, whichever run it was chosen for; so the posterior
follows from the judgments alone.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.plumbing.arrays import Floats, Integers, places_within, sums_within
from cranfield.selection.method import Method
from cranfield.selection.state import State


class MoveToFront(Method, name="mtf"):
    """Which document is next in the run that has just found relevant ones?

    w(d) = 1 / (place of the first run in the queue that has d, in list lengths, + the rank of d there)

    The runs of a topic stand in a queue, at first in the order given: a document that is not relevant (grade 0 or
    less) sends the run in front to the back, whoever chose it. Topics take turns (local move-to-front). The paper
    leaves the order of equals open.

    Paper: Cormack, Palmer and Clarke (1998), "Efficient construction of large test collections", SIGIR, section 3.
    """

    across = "turns"
    renewed_by = "topic"
    needs_answers = True

    def weigh(self, state: State, topic: int) -> Floats:
        """Documents of the run in front first."""
        place = np.full(len(state.candidates.runs), len(state.candidates.runs))
        queue = queue_of(state, topic)
        place[queue] = np.arange(len(queue))
        return run_by_run(state, topic, place)


def queue_of(state: State, topic: int) -> Integers:
    """Return the runs that have unjudged documents of the topic, the one in front first.

    No judgment is replayed: until a run leaves, the place of the front is the number of non-relevant documents.
    """
    relevant = is_relevant(state.grade[state.order[topic]], None)
    misses = np.append(0, np.cumsum(~relevant))
    left_after = _exhausted_after(state, topic)
    queue, turned = np.flatnonzero(left_after >= 0), 0
    for run in queue[np.argsort(left_after[queue], kind="stable")]:
        now = misses[min(left_after[run], len(relevant))]
        queue, turned = np.roll(queue, turned - now), now
        if left_after[run] <= len(relevant):
            queue = queue[queue != run]
    return queue


def _exhausted_after(state: State, topic: int) -> Integers:
    """After how many judgments did each run run out of documents? all + 1: it did not; -1: it lacks the topic."""
    candidates = state.candidates
    number = numbers(state, topic)
    number[state.open[candidates.documents_of(topic)]] = len(state.order[topic]) + 1
    cells = candidates.cells_of(topic)
    after = np.full(len(candidates.runs), -1)
    np.maximum.at(after, candidates.cell_run[cells], number[candidates.cell_document[cells]])
    return after


def numbers(state: State, topic: int) -> Integers:
    """Say of each document of the topic which in the order of judging it was, from 1; 0 where it is not judged."""
    places = state.candidates.documents_of(topic)
    number = np.zeros(places.stop - places.start, np.int64)
    judged = np.array(state.order[topic], np.int64)
    number[judged - places.start] = np.arange(1, len(judged) + 1)
    return number


def run_by_run(state: State, topic: int, place: Integers) -> Floats:
    """Weigh documents so that those of the run at place 0 come first, by rank, then those of the run at place 1, ..."""
    candidates, places, cells = state.candidates, state.candidates.documents_of(topic), state.candidates.cells_of(topic)
    longest = int(candidates.length[:, topic].max(initial=0))
    turn = place[candidates.cell_run[cells]] * longest + candidates.cell_rank[cells]
    there, first = candidates.best_cells(places)
    weight = np.zeros(len(there))
    weight[there] = 1.0 / np.minimum.reduceat(turn, first - cells.start) if len(first) else 0.0
    return weight


class Bandit(Method):
    """The common part: runs by their promise, and each run's documents by rank."""

    across = "turns"
    renewed_by = "topic"
    needs_answers = True
    memory: ClassVar[float] = 1.0  # what each judgment leaves of the weight of those before it

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

    The run with the largest posterior mean, (1 + s) / (2 + s + f), is next. Ties go to the run with fewer judged
    documents, then to the first given. Unlike in the paper, all judged documents of a run count for it.

    Paper: Losada, Parapar and Barreiro (2016), "Feeling lucky? Multi-armed bandits for ordering
    judgements in pooling-based evaluation", SAC (MM); the same (2017), "Multi-armed bandits for
    adjudicating documents in pooling-based evaluation of information retrieval systems", IPM 53(5).
    """

    def promise(self, successes: Floats, failures: Floats, random: np.random.Generator) -> Floats:
        """Mean of the posterior."""
        return (1.0 + successes) / (2.0 + successes + failures)


class MaxMeanForgetful(MaxMean, name="max-mean-ns"):
    """Which document is next in the run whose last judged document was relevant?

    As max-mean, but only the last judged document of a run counts (non-stationary).

    Paper: Losada, Parapar and Barreiro (2017), IPM 53(5) (MM-NS).
    """

    memory = 0.0


class Thompson(Bandit, name="thompson"):
    """Which document is next in the run whose chance, drawn from its posterior, is the largest (Thompson sampling)?

    The draws depend on the seed, the topic and how many of its documents are judged.

    Paper: Losada, Parapar and Barreiro (2016), SAC (TS); Thompson (1933), "On the likelihood that
    one unknown probability exceeds another in view of the evidence of two samples", Biometrika 25.
    """

    def promise(self, successes: Floats, failures: Floats, random: np.random.Generator) -> Floats:
        """One draw a run."""
        return random.beta(1.0 + successes, 1.0 + failures)
