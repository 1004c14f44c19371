"""Chance by document: numbers that follow from a seed and an id alone, whoever asks, and when."""

from __future__ import annotations

import hashlib
from typing import Final

PRECISION: Final = 53
"""How many bits the fraction of a number in floating point has."""


def chance(seed: int, purpose: str, topic: str, document: str) -> float:
    """Return a number from [0, 1) that is this document's, drawn uniformly by the seed.

    Documents are drawn independently of each other, and one purpose independently of another. What
    is judged, and what else there is, makes no difference.

    >>> 0 <= chance(7, "order", "401", "FT911-1") < 1
    True
    >>> chance(7, "order", "401", "FT911-1") == chance(8, "order", "401", "FT911-1")
    False
    """
    said = "\0".join((str(seed), purpose, topic, document)).encode(errors="surrogatepass")
    drawn = int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big")
    return float((drawn >> (64 - PRECISION)) / 2**PRECISION)
