"""In which order to judge: a method gives each document a weight, and the heaviest one is next.

A new method is a class with a name and `weigh`, in any module of this package; it is then known to
`Judging`, the command line and the experiments. Its parameters are annotated attributes with a
default, such as ``power: Power = 3``, and are given behind the name: ``C(power=2.5)``.

c(s, d) is the weight that the measure gives to the rank at which run s has document d, (1 - p)
p^(rank - 1) for RBP; a run that lacks d has c = 0.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from heapq import heappop, heappush
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, get_origin

import numpy as np

from cranfield.measures.framework.gains import number
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Range, annotations_of, checked
from cranfield.selection.state import State

RenewedBy: TypeAlias = Literal["nothing", "topic", "all"]
Across: TypeAlias = Literal["weights", "turns"]
Power: TypeAlias = Annotated[float, Range(at_least=0)]

METHODS: dict[str, type[Method]] = {}
"""All methods by name."""

WEIGHT_ROUNDING: Final = 1e-12
"""A weight counts as equal to a larger one if it is smaller by no more than this share of it.

The weights of our own methods are sums and products of numbers that are not negative, so that rounding changes them
by far less. Those of others may be negative.
"""


class Method(ABC):
    """An order of judging.

    A method holds nothing but its own parameters: the weights follow from the state alone, chance
    comes from ``state.random(topic)``.

    >>> class Shortest(Method, name="shortest id"):
    ...     '''Documents with short ids first.'''
    ...     def weigh(self, state, topic):
    ...         documents = state.candidates.document[state.candidates.documents_of(topic)]
    ...         return 1 / documents.str.len_chars().to_numpy()
    >>> METHODS.pop("shortest id").across
    'weights'
    """

    name: ClassVar[str] = ""  # what users call it
    renewed_by: ClassVar[RenewedBy] = "nothing"  # which judgments change weights: of the "topic", or "all"
    across: ClassVar[Across] = "weights"  # or "turns": the topic with the fewest judgments is next
    scoped: ClassVar[bool] = False  # whether it looks at the standing of the runs, on the topic or over all of them
    needs_answers: ClassVar[bool] = False  # else it can be planned to the end, whatever judgments say
    falls: ClassVar[bool] = False
    """Whether no judgment on a topic makes a weight there larger: then few documents are weighed anew to find the
    heaviest, by `weigh_some`.
    """

    def __init_subclass__(cls, *, name: str | None = None, **others: object) -> None:
        super().__init_subclass__(**others)
        if name is None:  # the common part of several methods
            return
        taken = METHODS.get(name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
            raise InputError(f"a method named {name!r} exists already, in {taken.__module__}; choose another name")
        cls.name = name
        METHODS[name] = cls

    def __init__(self, **given: object) -> None:
        declared = self.parameters() if given else {}
        for name, value in given.items():
            if name not in declared:
                known = ", ".join(declared) or "none"
                raise InputError(f"method {self.name} has no parameter {name!r}; it has: {known}")
            setattr(self, name, checked(f"{name} of method {self.name}", value, declared[name]))

    @classmethod
    def parameters(cls) -> dict[str, object]:
        """Return the annotations of its parameters by name."""
        return {name: kind for name, kind in annotations_of(cls).items() if get_origin(kind) is not ClassVar}

    def __str__(self) -> str:
        """Return the name with what differs from the defaults, as `method_named` reads it."""
        given = [f"{name}={number(value)}" for name, value in vars(self).items() if value != getattr(type(self), name)]
        return self.name + (f"({','.join(given)})" if given else "")

    @abstractmethod
    def weigh(self, state: State, topic: int) -> Floats:
        """Return the weight of each document of the topic (judged ones included): the highest is next."""

    def weigh_some(self, state: State, topic: int, documents: Integers) -> Floats:
        """Return the weights of some documents, counted from the topic's first: those that `weigh` would give."""
        return self.weigh(state, topic)[documents]


_CALL: Final = re.compile(r"([^()]*)(?:\((.*)\))?")  # The name of a method, and what is given for its parameters


def method_named(text: str) -> Method:
    """Return a method by its name, with the numbers that are given for its parameters.

    >>> method_named("C").power, method_named("C(power=2.5)").power, str(method_named("C( power=2.50 )"))
    (3, 2.5, 'C(power=2.5)')
    >>> method_named("C(power)")
    Traceback (most recent call last):
    ...
    cranfield.InputError: a parameter is given as name=number, as in C(power=2.5), not 'power' in 'C(power)'
    """
    call = _CALL.fullmatch(text)
    name = text if call is None else call[1].strip()
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}; choose from {', '.join(sorted(METHODS))}")
    given = "" if call is None else call[2] or ""
    return METHODS[name](**dict(_parameter(part, text) for part in given.split(",") if given.strip()))


def _parameter(part: str, text: str) -> tuple[str, float]:
    name, _, value = part.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(
            f"a parameter is given as name=number, as in C(power=2.5), not {part.strip()!r} in {text!r}"
        ) from None


def lowest_equal(weight: float) -> float:
    """Return the smallest weight that counts as equal to this one, the largest.

    >>> lowest_equal(0.5) < 0.5 - 1e-13, lowest_equal(0.5) < 0.5 - 1e-12, lowest_equal(-0.5) < -0.5
    (True, False, True)
    """
    return weight * (1.0 - math.copysign(WEIGHT_ROUNDING, weight))


def near_the_top(weights: Floats, n: int) -> Integers:
    """Say which could be among the n heaviest: those that weigh as much as the n-th, or count as equal to it.

    >>> near_the_top(np.array([0.1, 0.3, 0.1 + 0.2, 0.2, 0.4]), 2), near_the_top(np.array([0.1, 0.3]), 3)
    (array([1, 2, 4]), array([0, 1]))
    """
    if not 0 < n < len(weights):
        return np.arange(len(weights))
    return (weights >= lowest_equal(np.partition(weights, -n)[-n])).nonzero()[0]


def in_turn(weights: Floats, ids: Integers) -> Integers:
    """Order documents as they are chosen one by one: the smallest id of those that count as equal to the heaviest left.

    >>> in_turn(np.array([0.25, 0.3, 0.1 + 0.2, 0.0]), np.arange(4))
    array([1, 2, 0, 3])
    """
    order = np.lexsort((ids, -weights))
    falling = weights[order]
    lowest = np.where(falling < 0, falling * (1 + WEIGHT_ROUNDING), falling * (1 - WEIGHT_ROUNDING))
    if not ((falling[1:] < falling[:-1]) & (falling[1:] >= lowest[:-1])).any():
        return order
    # What counts as equal changes with the heaviest one: those near it wait, by id, until it is gone.
    ends = np.searchsorted(-falling, -lowest, "right").tolist()
    waiting: list[tuple[int, int]] = []
    chosen: list[int] = []
    gone, heaviest_left, seen = np.zeros(len(order), bool), 0, 0
    while len(chosen) < len(order):
        while gone[heaviest_left]:
            heaviest_left += 1
        for at in range(seen, ends[heaviest_left]):
            heappush(waiting, (int(ids[order[at]]), at))
        seen = ends[heaviest_left]
        at = heappop(waiting)[1]
        gone[at] = True
        chosen.append(at)
    return order[chosen]


def heaviest(weights: Floats, open_: Booleans, most: float = -np.inf) -> tuple[int, float]:
    """Say which open one is the first that counts as equal to the largest of them, and what the largest weighs.

    With ``most``, a weight that counts as equal to the largest one, it is the first that counts as equal to that.

    >>> heaviest(np.array([0.9, 0.3, 0.1 + 0.2]), np.array([False, True, True]))
    (1, 0.30000000000000004)
    """
    left = np.where(open_, weights, -np.inf)
    largest = float(left.max())
    return int((left >= lowest_equal(max(largest, most))).argmax()), largest


class DepthPooling(Method, name="depth"):
    """Which documents are nearest to the top of any run? Topics take turns.

    w(d) = 1 / the best rank of d; judged to depth k everywhere, it is TREC's pool.

    Paper: Spärck Jones and van Rijsbergen (1975), "Report on the need for and provision of an
    'ideal' information retrieval test collection".
    """

    across = "turns"

    def weigh(self, state: State, topic: int) -> Floats:
        """Best rank first."""
        return 1.0 / state.candidates.best_rank[state.candidates.documents_of(topic)]


class Pooling(Method, name="pool"):
    """Which documents weigh most in the run that ranks them highest? w(d) = max over s of c(s, d)

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 2.
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """Largest contribution."""
        there, cells = state.candidates.best_cells(state.candidates.documents_of(topic))
        weight = np.zeros(len(there))
        weight[there] = state.contributions(cells)
        return weight


class MethodA(Method, name="A"):
    """Which documents weigh most, summed over the runs? w(d) = Σ c(s, d) over s

    Judging them in this order lowers the mean residual as fast as possible.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 3, "Summing contributions".
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of contributions."""
        return state.sums(topic, np.ones(len(state.candidates.runs)))


class MethodB(Method, name="B"):
    """Which documents weigh most in the runs of which least is known?

    w(d) = Σ c(s, d) · r(s) over s, r(s) being the residual of run s: grades make no difference.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 3, "Weighting by residual".
    """

    renewed_by = "topic"
    scoped = True
    falls = True

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of contributions, by residual."""
        return state.sums(topic, state.standing(topic)[1])

    def weigh_some(self, state: State, topic: int, documents: Integers) -> Floats:
        """The same of some documents."""
        return state.sums_of(topic, state.standing(topic)[1], documents)


class MethodC(Method, name="C"):
    """Which documents weigh most in the runs that may turn out best?

    w(d) = Σ c(s, d) · r(s) · (base(s) + r(s)/2)³ over s, the middle of the range being an estimate of the run.
    With the power 0 it is method B; the paper tried 1 and 2, too, and found 3 markedly better on TREC-5.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 4, "Raising the power".

    x has base 1/2 and residual 1/2, y has 0 and 1/2: b weighs 1/4 · 1/2 · (3/4)^power, c 1/4 · 1/2 · (1/4)^power.

    >>> from cranfield.selection import Judging
    >>> runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"d": 2, "c": 1}}}
    >>> judging = Judging(runs, "RBP(p=0.5)", method="C(power=0.5)", judged={"1": {"a": 1, "d": 0}})
    >>> [(each.document, round(each.weight, 4)) for each in judging.next(2)]
    [('b', 0.1083), ('c', 0.0625)]
    """

    renewed_by = "topic"
    scoped = True
    needs_answers = True
    power: Power = 3

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

    w(d) = Σ |c(s, d) - c(s', d)| over all pairs of runs s, s': what d would change in the difference of the two, were
    it relevant. The paper has one pair of runs and average precision; the sum over pairs is ours.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR.
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """Sum of the differences of the contributions."""
        return state.differences(topic, state.contributions(state.candidates.cells_of(topic)))


class Random(Method, name="random"):
    """What does chance bring up, as a baseline? w(d) is drawn uniformly from [0, 1), by the seed."""

    def weigh(self, state: State, topic: int) -> Floats:
        """One draw a document."""
        places = state.candidates.documents_of(topic)
        return np.asarray(np.random.default_rng([state.seed, topic]).random(places.stop - places.start))


class AuditOrder(Method, name="audit"):
    """What does the audit come to next, in a random order of all candidates of all topics?

    w(d) = 1 - (the place of d in the order, from 0) / (the number of candidates)

    See `cranfield.selection.judgment_audit`; `Judging.next_audit` mixes it with another method.
    """

    def weigh(self, state: State, topic: int) -> Floats:
        """The earlier, the heavier."""
        place = np.empty(len(state.candidates), np.int64)
        place[state.candidates.random_order(state.seed)] = np.arange(len(place))
        return np.asarray(1.0 - place[state.candidates.documents_of(topic)] / len(place))
