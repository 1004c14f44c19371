"""cranfield as a provider of ir_measures: our measures under their names there, in PyTerrier's experiments too.

Importing this module is enough::

    import cranfield.compat.ir_measures
    ir_measures.calc_aggregate([ir_measures.parse_measure("Twist"), ir_measures.nDCG @ 10], qrels, run)

What ir_measures computes itself it goes on computing itself: ours comes last among the providers of its default
pipeline. ``cranfield.compat.ir_measures.provider`` computes everything by cranfield.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import ir_measures
import numpy as np
from ir_measures import measures as theirs
from ir_measures.measures.base import Agg
from ir_measures.util import QrelsConverter, RunConverter

from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.averaging import averaged
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import Order, shown
from cranfield.scoring.evaluation import Evaluator

__all__ = ["CranfieldProvider", "provider"]

ORDER: Final[Order] = "trec9"
"""As most of ir_measures' own providers rank: ties by document id, scores of 32 bits."""


class CranfieldProvider(ir_measures.Provider):
    """Computes what cranfield has a measure for, by the names and parameters of either.

    Examples
    --------
    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}
    >>> aggregate = provider.calc_aggregate([ir_measures.RR, ir_measures.parse_measure("Twist")], qrels, run)
    >>> {str(measure): round(value, 2) for measure, value in aggregate.items()}
    {'RR': 0.5, 'Twist': ...}
    """

    NAME = "cranfield"

    def supports(self, measure: theirs.Measure) -> bool:
        """Say whether it is a measure of ours that is a number."""
        try:
            found = parse_measure(measure)
            found.require_complete()
        except CranfieldError:
            return False
        return not found.text

    def _evaluator(self, measures: Iterable[theirs.Measure], qrels: Any) -> ir_measures.Evaluator:
        asked = list(measures) if isinstance(measures, Iterable) else [measures]
        if wrong := [each for each in asked if not isinstance(each, theirs.Measure)]:
            raise InputError(f"measures are a list of ir_measures' own, such as nDCG @ 10, not {shown(wrong[0])}")
        return _Evaluator(asked, _as_dicts("qrels", QrelsConverter, qrels))


def _as_dicts(name: str, converter: Callable[[Any], Any], given: object) -> dict[str, dict[str, Any]]:
    """Return what ir_measures takes for qrels or a run as it takes it, or say what that is."""
    try:
        found: dict[str, dict[str, Any]] = converter(given).as_dict_of_dict()
        if all(isinstance(documents, Mapping) for documents in found.values()):
            return found
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    shapes = "{topic: {document: number}}, a DataFrame or tuples with ir_measures' names, or lines of TREC"
    raise InputError(f"{name} must be {shapes}, not {shown(given)}")


class _Evaluator(ir_measures.Evaluator):
    """Scores runs by the same qrels."""

    def __init__(self, measures: list[theirs.Measure], qrels: dict[str, dict[str, int]]) -> None:
        super().__init__(measures, set(qrels))
        self._ours = {measure: parse_measure(measure) for measure in measures}
        self._evaluator = Evaluator(qrels, list(self._ours.values()), order=ORDER)

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        found = _as_dicts("run", RunConverter, run)
        shared = {topic: found[topic] for topic in found if topic in self.qrel_qids}
        if not shared:
            return
        scores = self._evaluator({"run": shared})
        place = {measure: i for i, measure in enumerate(scores.measures)}
        for measure, ours in self._ours.items():
            values = scores.values[place[ours], 0].tolist()
            for topic, value, there in zip(scores.topics, values, scores.present[0].tolist(), strict=True):
                if there:
                    yield ir_measures.Metric(query_id=topic, measure=measure, value=value)


class _Average(Agg):
    """Averages the values of topics as our measure does."""

    def __init__(self, measure: type[Measure]) -> None:
        self._how, self._values = measure.summary, list[float]()

    def add(self, value: float) -> None:
        """Take the value of one more topic."""
        self._values.append(value)

    def result(self) -> float:
        """Give the average; of no topic there is none."""
        if not self._values:
            return math.nan
        values = np.array([self._values])
        return float(averaged(values, np.ones_like(values, bool), self._how)[0])


def _declared(measure: type[Measure]) -> theirs.Measure:
    """Declare one of our measures as ir_measures declares its own."""
    parameters = {
        name: theirs.ParamInfo(dtype=(int, float, bool, str, dict), default=None, desc=parameter.meaning)
        for name, parameter in measure.parameters.items()
    }
    declared: dict[str, Any] = {
        "__name__": measure.__name__, "NAME": measure.__name__, "SUPPORTED_PARAMS": parameters,
        "AT_PARAM": measure.at or "cutoff", "__doc__": measure.__doc__, "aggregator": lambda self: _Average(measure),
    }  # fmt: skip
    found: theirs.Measure = type(f"_{measure.__name__}", (theirs.Measure,), declared)()
    return found


provider: Final = CranfieldProvider()

if "cranfield" not in ir_measures.providers.registry:
    ir_measures.providers.register(provider)
    ir_measures.DefaultPipeline.providers.append(provider)
    for _name, _measure in REGISTRY.items():
        if _name not in theirs.registry and not _measure.text:
            theirs.register(_declared(_measure))
