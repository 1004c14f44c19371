"""The experiments: one function each, in a file of its own. Importing this package registers them all.

The first parameter takes the joined runs, the others are options with their ranges in the annotations. The docstring
says the question and declares the tables, which the frame holds the outcome to. Commands, options, several collections,
settings, digests and docs follow from that. Long work hands its steps to `Work`, which keeps finished ones. A kept
step is found again only for the same settings, rankings, judgments, measures and code.

>>> from cranfield import experiments, join
>>> runs = join({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
>>> experiments.archetypes(runs)["runs"].select("run", "ideal", "worst").rows()
[('x', 1, 0), ('y', 0, 1)]
"""

import pkgutil
from importlib import import_module
from sys import modules

from cranfield.experiments.experiment import EXPERIMENTS, Experiment, Outcome, experiment
from cranfield.experiments.findings import Findings
from cranfield.experiments.work import Work

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

# The functions take the places of their modules, which have the same names: experiments.correlation(runs).
_FUNCTIONS = {each.function.__name__: modules[each.function.__module__] for each in EXPERIMENTS.values()}
globals().update({name: getattr(module, name) for name, module in _FUNCTIONS.items()})

__all__ = ["EXPERIMENTS", "Experiment", "Findings", "Outcome", "Work", "experiment"]
__all__ += sorted(_FUNCTIONS)  # noqa: PLE0605 - a list


def __dir__() -> list[str]:
    return __all__
