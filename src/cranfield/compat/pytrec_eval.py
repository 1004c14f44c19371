"""pytrec_eval's interface, answered by cranfield: the same keys and values, in less time.

Import it in pytrec_eval's place, or call `install` for libraries that import pytrec_eval themselves
(BEIR and MTEB do)::

    from cranfield.compat import pytrec_eval
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, {"map", "ndcg_cut.10"})
    evaluator.evaluate(run)

What differs: a score that is NaN is refused; numbers of numpy, and grades that are no whole numbers,
are taken as they are; and where trec_eval divides 0 by 0 (interpolated precision of a list that
``judged_docs_only_flag`` has emptied) the value is 0 and not NaN.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from numbers import Integral, Real
from types import ModuleType, TracebackType
from typing import Any, Final

from cranfield.formats.dicts import is_plain
from cranfield.judged.shortcuts import rank_dict
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names_elsewhere import SETS, families, find
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.options import shown
from cranfield.scoring.blocks import as_taken, score
from cranfield.scoring.engines.local import rank_source
from cranfield.scoring.evaluation import Evaluator
from cranfield.scoring.judged_runs import open_runs

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "install",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__: Final = "0.5.11"
"""The version of pytrec_eval whose interface this is; ir_measures takes a module without one for too old."""

supported_measures: Final = frozenset(SETS["all_trec"])
"""trec_eval's names, without cutoffs."""
OF_SETS: Final = ("num_q", "num_ret", "num_rel", "num_rel_ret", "runid", "utility")
supported_nicknames: Final[Mapping[str, frozenset[str]]] = {
    "official": frozenset(SETS["official"]),
    "all_trec": supported_measures,
    "set": frozenset({name for name in supported_measures if name.startswith("set_")} | {*OF_SETS}),
}
"""Names for several measures."""

_CONSTANTS: Final = {"runid": 0.0, "relstring": 0.0, "num_q": 1.0}
"""What pytrec_eval gives for a topic where trec_eval has a text, or a number of the whole run."""
_LOGARITHMS: Final = ("gm_map", "gm_bpref")
_WITH_OTHERS: Final = ("11pt_avg", "utility", "G", "ndcg", "ndcg_rel", "Rndcg")
"""What has parameters in trec_eval that pytrec_eval reorders, or that end its process."""
_LEAST_AVERAGED: Final = 0.00001
_REPLACED: Final = tuple(name for name in __all__ if name != "install")
_NUMBERS: Final = r"[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)"


class KindError(InputError, TypeError, AttributeError):
    """What is not of the kind that it should be: whichever of these errors pytrec_eval raises, it is caught so."""


class RelevanceEvaluator:
    """Score runs on the topics that they share with the qrels, as ``pytrec_eval.RelevanceEvaluator`` does.

    Documents are ranked as trec_eval 9 ranks them: by scores of 32 bits, ties by document id, last in
    byte order first.

    Parameters
    ----------
    query_relevance
        ``{topic: {document: grade}}``; topics without a document are left out.
    measures
        trec_eval's names: ``"map"``, ``"ndcg_cut_10"``, ``"P.5,10"``, or a nickname.
    relevance_level
        The lowest relevant grade, at least 1.
    judged_docs_only_flag
        Whether unjudged documents are taken out of the lists first.

    Raises
    ------
    ValueError
        For a measure that trec_eval does not know, or a score that is NaN.
    TypeError
        For ids that are not texts, grades that are not whole numbers, scores that are no numbers.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}, {"map", "P_5"})
    >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 0.7}, "q3": {"d1": 1.0}})
    {'q1': {'P_5': 0.2, 'map': 0.5}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._keys, self._constants, asked = _asked(_texts("measures", measures))
        _require("Argument relevance_level should be positive", relevance_level, Integral)
        _require("judged_docs_only_flag should be True or False", judged_docs_only_flag, Integral)
        if relevance_level < 1:
            raise KindError(f"Argument relevance_level should be positive, not {relevance_level}")
        _require_dicts("query_relevance", query_relevance)
        judged = {topic: grades for topic, grades in query_relevance.items() if len(grades)}
        self._topics = frozenset(judged)
        self._evaluator: Evaluator | None = None
        if judged_docs_only_flag:
            judged = without_negative(judged)
        if judged and asked:
            rel = relevance_level if relevance_level > 1 else None
            with _type_errors(judged):
                self._evaluator = Evaluator(
                    judged, asked, order="trec9", rel=rel, judged_only=bool(judged_docs_only_flag)
                )
            taken = as_taken(asked, self._evaluator.grading)
            self._places = [taken.index(as_taken([measure], self._evaluator.grading)[0]) for measure in asked]

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of a run, ``{topic: {document: score}}``, as ``{topic: {measure: value}}``."""
        _require_dicts("scores", scores)
        shared = {topic: scores[topic] for topic in scores if topic in self._topics}
        if self._evaluator is None or not shared:
            return {topic: dict(self._constants) for topic in shared}
        asks = self._evaluator
        ranked = rank_dict("run", shared, asks.judgments, asks.reading)
        if ranked is None:  # not plainly dicts of texts and numbers
            with _type_errors(shared):
                [source] = open_runs({"run": shared}, asks.reading)
                ranked = rank_source(source, asks.judgments, asks.reading)
        values = score(ranked, asks.measures, asks.grading).values[:, 0].tolist()
        columns = [
            [math.log(max(value, _LEAST_AVERAGED)) for value in values[place]] if key in _LOGARITHMS else values[place]
            for key, place in zip(self._keys, self._places, strict=True)
        ]
        by_topic = dict(zip(asks.judgments.topics, zip(*columns, strict=True), strict=True))
        return {topic: self._constants | dict(zip(self._keys, by_topic[topic], strict=True)) for topic in shared}


def without_negative(judged: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Leave out documents of negative grade, which trec_eval removes with the unjudged ones; their topics stay."""
    return {topic: {each: grade for each, grade in grades.items() if not _negative(grade)}
            for topic, grades in judged.items()}  # fmt: skip


def _negative(grade: object) -> bool:
    """Say whether this is a grade below 0; what is no number is refused elsewhere."""
    return isinstance(grade, Real) and grade < 0


@contextmanager
def _type_errors(nested: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Raise what pytrec_eval raises where a dict is not of texts and numbers."""
    if not is_plain(nested):
        for topic, documents in nested.items():
            if not isinstance(topic, str):
                raise KindError(f"a topic is a text, not {shown(topic)}")
            if not all(isinstance(document, str) for document in documents):
                raise KindError(f"topic {topic!r} has no documents by their ids, {{text: number}}: {documents!r:.80}")
    try:
        yield
    except InputError as error:
        values = (value for documents in nested.values() for value in documents.values())
        raise error if all(isinstance(value, Real) for value in values) else KindError(str(error)) from error


def _require(wanted: str, value: object, *kinds: type) -> None:
    """Refuse what is of none of these kinds."""
    if not isinstance(value, kinds):
        raise KindError(f"{wanted}, not {shown(value)}")


def _require_dicts(name: str, nested: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse what is no dict of dicts."""
    _require(f"{name} must be a dict, {{topic: {{document: number}}}}", nested, Mapping)
    for topic, documents in nested.items():
        _require(f"topic {shown(topic)} should have documents by their ids, {{text: number}}", documents, Mapping)


def _texts(name: str, given: Iterable[str]) -> list[str]:
    """Return several texts; one alone would be letters."""
    _require(f"{name} must be several texts", given, Iterable)
    found = [given] if isinstance(given, str) else list(given)
    for each in found:
        _require(f"{name} must be texts", each, str)
    if isinstance(given, str):
        raise KindError(f"{name} must be several texts, such as [{shown(given)}], and not a text")
    return found


def _asked(names: Iterable[str]) -> tuple[list[str], dict[str, float], list[Measure]]:
    """Return the keys of the answer, what is the same for every topic, and the measures of the keys."""
    keys: dict[str, Measure] = {}
    constants: dict[str, float] = {}
    parts = sorted(map(_parts, {each for name in names for each in supported_nicknames.get(name, (name,))}))
    with_cutoffs = {family for family, given in parts if given}
    for family, given in parts:
        if not given and family in with_cutoffs:
            continue  # of P and P_5 pytrec_eval answers P_5
        if given and family in _WITH_OTHERS:
            cut = f"; a cutoff is {family}_cut.{given}" if f"{family}_cut" in supported_measures else ""
            raise MeasureError(f"{family} takes no parameter here, but {family}.{given} has one{cut}")
        takes = families()[family][1] or family == "set_F"  # whether pytrec_eval hands on what stands behind the name
        for measure in find(f"{family}.{given}" if given and takes else family):
            key = measure.trec if measure.trec in _CONSTANTS else _key(measure)
            if key in _CONSTANTS:
                constants[key] = _CONSTANTS[key]
            else:
                keys[key] = measure
    return list(keys), constants, list(keys.values())


def _key(measure: Measure) -> str:
    """Name a measure by its family and its cutoff alone, as pytrec_eval does."""
    name = measure.trec_name()
    return name if name in families() or name.rpartition("_")[0] in families() else str(measure.trec)


def _parts(name: str) -> tuple[str, str]:
    """Split ``P``, ``P_5``, ``P.5,10`` or ``P_5,10`` into the family and what it is given."""
    if name in supported_measures:
        return name, ""
    for family in supported_measures:
        if given := re.match(re.escape(family) + _NUMBERS, name):
            return family, given[1]
    raise InputError(f"unsupported measure {name}")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a run, ``topic Q0 document rank score tag``.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25", "q1 Q0 d2 2 1.5 bm25"])
    {'q1': {'d1': 2.5, 'd2': 1.5}}
    """
    return _parsed(f_run, "topic Q0 document rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of qrels, ``topic 0 document grade``.

    >>> parse_qrel(["q1 0 d1 2", "q2 0 d1 0"])
    {'q1': {'d1': 2}, 'q2': {'d1': 0}}
    """
    return _parsed(f_qrel, "topic 0 document grade", 3, int)


def _parsed(lines: Iterable[str], columns: str, at: int, read: Callable[[str], Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(_texts("lines", lines), start=1):
        parts = line.split()
        if len(parts) != len(columns.split()):
            raise InputError(f"{len(parts)} columns where there should be {columns}", line=number)
        topic, document = parts[0], parts[2]
        if document in found.setdefault(topic, {}):
            raise AssertionError(f"line {number}: document {document} of topic {topic} occurs twice")
        try:
            found[topic][document] = read(parts[at])
        except ValueError:
            raise InputError(f"{parts[at]!r} is no number, where lines are {columns}", line=number) from None
    return found


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Return the sum of what is counted (``num_...``), the geometric mean of ``gm_...``, the mean of all else.

    >>> compute_aggregated_measure("num_ret", [10, 20]), compute_aggregated_measure("map", [0.25, 0.75])
    (30.0, 0.5)
    """
    _require("measure must be a text", measure, str)
    _require("values must be numbers", values, Iterable)
    values = list(values)
    for value in values:
        _require("values must be numbers", value, Real)
    total = math.fsum(values)
    if measure.startswith("num_"):
        return total
    mean = total / len(values) if values else math.nan
    return math.exp(mean) if measure.startswith("gm_") else mean


class install(AbstractContextManager["install"]):  # noqa: N801 - a function to its users, who may undo it
    """Put `RelevanceEvaluator` in the place of pytrec_eval's, for libraries that import pytrec_eval themselves.

    Whoever imports pytrec_eval from then on gets this module, or, where it is loaded already, finds its
    names replaced in it. ``undo()``, or the end of a ``with`` block, puts back what was there. A name
    that was taken out of pytrec_eval before (``from pytrec_eval import RelevanceEvaluator``) stays.

    Examples
    --------
    >>> with install():
    ...     import pytrec_eval
    ...     pytrec_eval.RelevanceEvaluator.__module__
    'cranfield.compat.pytrec_eval'
    """

    def __init__(self) -> None:
        ours = sys.modules[__name__]
        self._loaded: ModuleType | None = sys.modules.get("pytrec_eval")
        self._were: dict[str, Any] = {}
        if self._loaded is None or self._loaded is ours:
            sys.modules["pytrec_eval"] = ours
        else:
            self._were = {name: getattr(self._loaded, name) for name in _REPLACED if hasattr(self._loaded, name)}
            for name in _REPLACED:
                setattr(self._loaded, name, getattr(ours, name))

    def undo(self) -> None:
        """Put back what was there before."""
        if self._loaded is None:
            sys.modules.pop("pytrec_eval", None)
        for name, was in self._were.items():
            setattr(self._loaded, name, was)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()
