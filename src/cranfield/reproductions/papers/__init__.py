"""The papers: a folder each, with a file for each group of items. Importing this package registers them all."""

import pkgutil
from importlib import import_module

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
