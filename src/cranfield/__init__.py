"""Measure ranked lists, compare systems, test the measures, and decide what to judge next.

>>> import cranfield as cf
>>> qrels = {"1": {"a": 2, "b": 0, "c": 1}}
>>> runs = {"bm25": {"1": {"b": 3.0, "a": 2.5}}}
>>> cf.evaluate(qrels, runs, ["AP", cf.nDCG @ 10]).means.rows()
[('bm25', 'all', 'AP', 0.25), ('bm25', 'all', 'nDCG@10', 0.4796...)]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives; a module is imported when one of its names is first used, so that the command line
# starts at once. Measures are found in the registry.
_HOMES = {
    "Candidates": "selection.candidates",
    "Comparison": "comparison",
    "CranfieldError": "errors",
    "InputError": "errors",
    "MeasureError": "errors",
    "REGISTRY": "measures",
    "Judging": "selection.judging",
    "Measure": "measures",
    "Runs": "formats",
    "Scores": "scores",
    "archetypes": "run_archetypes",
    "choose": "guide",
    "compare": "comparison",
    "compare_scores": "comparison",
    "cut": "stopping.cutting",
    "curve": "curves",
    "evaluate": "evaluation",
    "join": "judged_runs",
    "parse_measure": "measures.machinery.names",
    "parse_measures": "measures.machinery.names",
    "read_qrels": "formats",
    "read_run": "formats",
    "read_runs": "formats",
    "write_qrels": "formats",
    "write_run": "formats",
}

if TYPE_CHECKING:
    from cranfield.comparison import Comparison, compare, compare_scores
    from cranfield.curves import curve
    from cranfield.errors import CranfieldError, InputError, MeasureError
    from cranfield.evaluation import evaluate
    from cranfield.formats import Runs, read_qrels, read_run, read_runs, write_qrels, write_run
    from cranfield.guide import choose
    from cranfield.judged_runs import join
    from cranfield.measures import REGISTRY, Measure
    from cranfield.measures.machinery.names import parse_measure, parse_measures
    from cranfield.run_archetypes import archetypes
    from cranfield.scores import Scores
    from cranfield.selection.candidates import Candidates
    from cranfield.selection.judging import Judging
    from cranfield.stopping.cutting import cut

__all__ = [
    "REGISTRY",
    "Candidates",
    "Comparison",
    "CranfieldError",
    "InputError",
    "Judging",
    "Measure",
    "MeasureError",
    "Runs",
    "Scores",
    "archetypes",
    "choose",
    "compare",
    "compare_scores",
    "curve",
    "cut",
    "evaluate",
    "join",
    "parse_measure",
    "parse_measures",
    "read_qrels",
    "read_run",
    "read_runs",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if not name.startswith("_"):
        from cranfield.measures import REGISTRY

        for measure in REGISTRY.values():
            if name == measure.__name__ or name in measure.aliases:
                return measure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from cranfield.measures import REGISTRY

    return sorted({*__all__, *REGISTRY, "__version__"})
