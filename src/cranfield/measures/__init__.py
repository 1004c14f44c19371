"""The measures: one declaration each, in the file of its family. Importing this package registers them all.

Name, parser, command line, docs, general tests and trec_eval's spelling follow from the declaration. `compute` returns
a value for each row of a batch, as array code over cells; cutoff and `judged_only` are applied before. Dividing by a
recall base of 0 has one home, `plumbing.arrays.ratio`. Three more questions have an answer for every measure, slow but
right, which a family may override: `by_rank` (every cutoff), `by_prefix` (every prefix) and `bounds`. For bounds, every
number of relevant candidates is tried, not all or none: Bpref can be highest in between.

Nobody outside asks for a measure's family; what others need, a measure declares (`fixed_weights`, `cumulates`,
`ideal`, ...). Families know the framework, and each other only where a measure derives from another's. Measures of
evidence derive from `Measure`, stand in `UNRANKED`, and refuse rankings.

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
