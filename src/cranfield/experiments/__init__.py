"""The experiments: one function each, in a file of its own. Importing this package registers them all."""

import pkgutil
from importlib import import_module

from cranfield.experiments.experiment import EXPERIMENTS, Experiment, Outcome, experiment
from cranfield.experiments.findings import Findings
from cranfield.experiments.work import Work

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["EXPERIMENTS", "Experiment", "Findings", "Outcome", "Work", "experiment"]
