"""The measures: one declaration each, in the file of its family. Importing this package registers them all.

>>> from cranfield.measures import AP, nDCG
>>> AP(), nDCG @ 10
(AP, nDCG@10)
"""

import pkgutil
from importlib import import_module

from cranfield.measures.framework.functions import measure
from cranfield.measures.framework.measure import REGISTRY, Measure, by_name
from cranfield.measures.framework.parameters import cutoff, level, parameter
from cranfield.plumbing.arrays import ratio

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["REGISTRY", "Measure", "cutoff", "level", "measure", "parameter", "ratio"]


def __getattr__(name: str) -> type[Measure]:
    try:
        return by_name()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*__all__, *by_name()})
