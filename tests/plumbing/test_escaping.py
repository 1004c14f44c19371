"""Names of files that are no text to Python, and what becomes of them."""

from __future__ import annotations

import sys

import pytest

from cranfield.plumbing.escaping import storable


@pytest.mark.parametrize(
    ("name", "shown", "in_ascii"),
    [
        (b"bm25.run", "bm25.run", "bm25.run"),
        (b"r\xff.run", "r\\xff.run", "r\\xff.run"),
        ("naïve-λ.run".encode(), "na\\xc3\\xafve-\\xce\\xbb.run", "naïve-λ.run"),
    ],
)
def test_names_that_python_took_byte_by_byte(
    monkeypatch: pytest.MonkeyPatch, name: bytes, shown: str, in_ascii: str
) -> None:
    taken = name.decode("ascii", "surrogateescape")  # as in the locale C without UTF-8
    assert storable(taken) == shown
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    assert storable(taken) == in_ascii
    assert storable("naïve") == "naïve"
