"""Altair, imported when a figure is first drawn; it comes with the extra ``plots``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.formats.optional import library

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        """Stands for the library, and asks it for whatever it is asked for."""

        def __getattr__(self, name: str) -> object:
            return getattr(library("altair", extra="plots"), name)

    alt = _Altair()

__all__ = ["alt"]
