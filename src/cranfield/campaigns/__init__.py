"""Simulated campaigns: runs and judgments made from a seed, for trying things out without anybody's data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.campaigns.recipe import Parameters
    from cranfield.campaigns.simulated import Campaign, simulate, write_campaign

# Imported when first used, so that the command line can show the parameters there are without
# loading what simulates.
_HOMES = {"Campaign": "simulated", "Parameters": "recipe", "simulate": "simulated", "write_campaign": "simulated"}

__all__ = ["Campaign", "Parameters", "simulate", "write_campaign"]

if not TYPE_CHECKING:  # for which every name would be there

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
