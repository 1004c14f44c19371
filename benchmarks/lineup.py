"""Everybody who takes part: the contenders found in the folder of that name, ours first."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from benchmarks import contenders
from benchmarks.contenders import ours

if TYPE_CHECKING:
    from benchmarks.contender import Contender

OURS = ours.CONTENDERS[0]


def _found() -> list[Contender]:
    names = sorted(module.name for module in pkgutil.iter_modules(contenders.__path__))
    return [each for name in names for each in importlib.import_module(f"{contenders.__name__}.{name}").CONTENDERS]


ALL: tuple[Contender, ...] = (OURS, *(contender for contender in _found() if contender is not OURS))
