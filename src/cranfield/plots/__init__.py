"""Figures, each a function from tidy tables to a chart; importing this package registers them all.

A plot returns a `Drawing`: a Vega-Lite specification as plain dicts (`grammar`), or one for Vega where Vega-Lite does
not suffice. `Plot` adds titles, theme and a panel for each collection. `drawn` writes every format; `printing` lays a
finished figure out for a journal. Altair would write the same dicts, but copies each object at every layer, half a
second a figure, and fails where docstrings are dropped. `tools.scene` finds overlapping words and faint letters, and a
test holds every figure to it.

>>> [name for name in PLOTS if name.startswith("lead")]
['leaderboard']
"""

import pkgutil
from importlib import import_module

from cranfield.plots.figure import Figure
from cranfield.plots.plot import PLOTS, Drawing, Material, Plot, plot, plot_named
from cranfield.plumbing.tables import COLLECTION

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
PLOTS.update({_name: PLOTS.pop(_name) for _name in sorted(PLOTS)})

__all__ = ["COLLECTION", "PLOTS", "Drawing", "Figure", "Material", "Plot", "plot", "plot_named"]
