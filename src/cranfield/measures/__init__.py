"""The measures: one declaration each, in the file of its family. Importing this package registers them all."""

import pkgutil
from importlib import import_module

from cranfield.measures.machinery.measure import REGISTRY, Measure, cutoff, level, parameter, ratio

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["REGISTRY", "Measure", "cutoff", "level", "parameter", "ratio"]
