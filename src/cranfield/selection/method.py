"""In which order to judge: a method gives each document a weight, and the heaviest one is next.

A new method is a class with a name and `weigh`, in any module of this package; it is then known to
`Judging`, the command line and the experiments. c(s, d) is the weight that the measure gives to the
rank at which run s has document d, (1 - p) p^(rank - 1) for RBP; a run that lacks d has c = 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Integers, places_within, sums_within
from cranfield.errors import InputError
from cranfield.selection.state import State

RenewedBy: TypeAlias = Literal["nothing", "topic", "all"]
Across: TypeAlias = Literal["weights", "turns"]

METHODS: dict[str, type[Method]] = {}
"""All methods by name."""


class Method(ABC):
    """An order of judging.

    A method holds nothing but its own parameters: the weights follow from the state alone. What
    chance decides comes from ``state.random(topic)``.

    Attributes
    ----------
    name
        What users call it.
    renewed_by
        What changes the weights of a topic: ``"nothing"``, a judgment in the same ``"topic"``, or
        ``"all"`` judgments.
    across
        How topics share the effort: by ``"weights"``, which are compared across topics, or in
        ``"turns"``: the topic with the fewest judgments is next.
    scoped
        Whether it looks at the standing of the runs, on the topic or over all of them (``scope``).
    needs_answers
        Whether the order depends on what the judgments say; if not, it can be planned to the end
        beforehand.

    Examples
    --------
    >>> class Shortest(Method, name="shortest id"):
    ...     '''Documents with short ids first.'''
    ...     def weigh(self, state, topic):
    ...         documents = state.candidates.document[state.candidates.documents_of(topic)]
    ...         return 1 / documents.str.len_chars().to_numpy()
    >>> METHODS.pop("shortest id").across
    'weights'
    """

    name: ClassVar[str] = ""
    renewed_by: ClassVar[RenewedBy] = "nothing"
    across: ClassVar[Across] = "weights"
    scoped: ClassVar[bool] = False
    needs_answers: ClassVar[bool] = False

    def __init_subclass__(cls, *, name: str | None = None, **others: object) -> None:
        super().__init_subclass__(**others)
        if name is None:  # the common part of several methods
            return
        taken = METHODS.get(name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
            raise InputError(f"there is a method called {name!r} already, in {taken.__module__}; choose another name")
        cls.name = name
        METHODS[name] = cls

    @abstractmethod
    def weigh(self, state: State, topic: int) -> Floats:
        """Return the weight of each document of the topic (judged ones included): the highest is next."""


def method_named(name: str) -> Method:
    """Return a method by its name.

    >>> method_named("C").name
    'C'
    >>> method_named("D")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: there is no method 'D'; there are ...
    """
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}; there are {', '.join(sorted(METHODS))}")
    return METHODS[name]()


class DepthPooling(Method, name="depth"):
    """Which documents are nearest to the top of any run? Topics take turns.

    w(d) = 1 / the best rank of d

    Judged to depth k everywhere it is TREC's pool; a budget is shared out evenly over topics.

    Paper: Spärck Jones and van Rijsbergen (1975), "Report on the need for and provision of an
    'ideal' information retrieval test collection".
    """

    across = "turns"

    def weigh(self, state: State, topic: int) -> Floats:
        """Best rank first."""
        places = state.candidates.documents_of(topic)
        best: Integers = state.candidates.cell_rank[state.candidates.start[places]]  # its first cell has the best rank
        return 1.0 / best


class Pooling(Method, name="pool"):
    """Which documents weigh most in the run that ranks them highest?

    w(d) = max over s of c(s, d)

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 2.
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """Largest contribution."""
        places = state.candidates.documents_of(topic)
        return state.contribution[state.candidates.start[places]]


class MethodA(Method, name="A"):
    """Which documents weigh most, summed over the runs?

    w(d) = Σ c(s, d) over s

    Judging them in this order brings the mean residual down as fast as can be.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 3, "Summing contributions".
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of contributions."""
        return state.sums(topic, np.ones(len(state.candidates.runs)))


class MethodB(Method, name="B"):
    """Which documents weigh most in the runs of which least is known?

    w(d) = Σ c(s, d) · r(s) over s, r(s) being the residual of run s

    What the judgments say makes no difference, only that they were made.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 3, "Weighting by residual".
    """

    renewed_by = "topic"
    scoped = True

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of contributions, by residual."""
        _, residual = state.standing(topic)
        return state.sums(topic, residual)


class MethodC(Method, name="C"):
    """Which documents weigh most in the runs that may turn out best?

    w(d) = Σ c(s, d) · r(s) · (base(s) + r(s)/2)³ over s

    base(s) + r(s)/2, the middle of what run s can still score, estimates how good it is; cubed, it
    draws the effort to the leaders.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 4, "Raising the power".

    Attributes
    ----------
    power
        That of the middle. The paper tried 1 and 2, too, and found 3 markedly better on TREC-5.
    """

    renewed_by = "topic"
    scoped = True
    needs_answers = True
    power: ClassVar[int] = 3

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of contributions, by residual and the power of the midpoint."""
        base, residual = state.standing(topic)
        return state.sums(topic, residual * (base + residual / 2) ** self.power)


class MethodC1(MethodC, name="C1"):
    """Method C with the middle itself: w(d) = Σ c(s, d) · r(s) · (base(s) + r(s)/2) over s."""

    power = 1


class MethodC2(MethodC, name="C2"):
    """Method C with the middle squared: w(d) = Σ c(s, d) · r(s) · (base(s) + r(s)/2)² over s."""

    power = 2


class MinimalTestCollection(Method, name="mtc"):
    """Which documents could tell the most pairs of runs apart?

    w(d) = Σ |c(s, d) - c(s', d)| over all pairs of runs s, s'

    |c(s, d) - c(s', d)| is what d would change in the difference of the two, were it relevant: nothing
    where both have it at the same rank. The paper takes one pair of runs and average precision, of
    which it has to estimate what a document changes; of a weighted sum over ranks that is known. The
    sum over pairs is ours.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR.

    Examples
    --------
    At p = 1/2, both runs have a at rank 1, which tells nothing of them; b and c have 1/4 in one of them.

    >>> from cranfield.selection import Judging
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"a": 2, "c": 1}}}
    >>> [(each.document, each.weight) for each in Judging(runs, "RBP(p=0.5)", method="mtc").next(3)]
    [('b', 0.25), ('c', 0.25), ('a', 0.0)]
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """By place among the runs, best rank first: larger than n - i of the others, and smaller than i - 1."""
        candidates, cells = state.candidates, state.candidates.cells_of(topic)
        document, contribution = candidates.cell_document[cells], state.contribution[cells]
        place = places_within(document, -contribution)
        weights = contribution * (len(candidates.runs) - 1 - 2 * place)
        documents = candidates.documents_of(topic)
        return sums_within(document, weights, documents.stop - documents.start)


class Random(Method, name="random"):
    """What does chance bring up? The order that others are compared with.

    w(d) is drawn uniformly from [0, 1), by the seed.
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """One draw a document."""
        places = state.candidates.documents_of(topic)
        draws: Floats = np.random.default_rng([state.seed, topic]).random(places.stop - places.start)
        return draws
