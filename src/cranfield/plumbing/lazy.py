"""Polars and scipy's special functions, imported when first needed: a small run is scored and printed without them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.limits import require_addresses

_ADDRESSES: Final = 1 << 30
"""Where fewer are left than these, Polars fails while it is loaded, or ends the process at its first query."""

if TYPE_CHECKING:
    import polars as pl
    from scipy import special
else:

    class _Polars:
        """Stands for the library, and asks it for whatever it is asked for."""

        def __getattr__(self, name: str) -> object:
            if not is_loaded():
                require_addresses(_ADDRESSES, "the library of tables", "allow more")
            try:
                import polars
            except ModuleNotFoundError as error:  # as in a small installation (docs/installing.md)
                raise InputError(f"this needs {error.name}, which is not installed: pip install polars") from None
            return getattr(polars, name)

    class _Special:
        """Stands for the special functions of scipy, which tests and intervals alone need."""

        def __getattr__(self, name: str) -> object:
            from scipy import special

            return getattr(special, name)

    pl, special = _Polars(), _Special()


def is_loaded() -> bool:
    """Say whether somebody needed it already."""
    return "polars" in sys.modules


__all__ = ["is_loaded", "pl", "special"]
