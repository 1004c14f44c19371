"""Figures, each a function from tidy tables to a chart; importing this package registers them all.

>>> [name for name in PLOTS if name.startswith("lead")]
['leaderboard']
"""

import pkgutil
from importlib import import_module

from cranfield.plots.figure import Figure
from cranfield.plots.plot import COLLECTION, PLOTS, Drawing, Material, Plot, plot, plot_named

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
PLOTS.update({_name: PLOTS.pop(_name) for _name in sorted(PLOTS)})

__all__ = ["COLLECTION", "PLOTS", "Drawing", "Figure", "Material", "Plot", "plot", "plot_named"]
