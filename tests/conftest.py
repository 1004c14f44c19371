"""What several tests need: where the real runs and qrels are, if they are there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from cranfield.measures import REGISTRY
from cranfield.measures.machinery.names import forget_names

DATA = Path(os.environ.get("CRANFIELD_DATA", Path(__file__).parents[2] / "shared" / "data"))


settings.register_profile("untimed", deadline=None)  # how long an example takes says nothing of whether it is right
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real data (``../shared/data``, or what CRANFIELD_DATA says)."""
    if not DATA.is_dir():
        pytest.skip(f"the real runs and qrels are not at {DATA}")
    return DATA


@pytest.fixture(autouse=True)
def only_our_measures() -> Iterator[None]:
    """Forget the measures that a test declares, so that no other test meets them."""
    before = dict(REGISTRY)
    yield
    if before != REGISTRY:
        REGISTRY.clear()
        REGISTRY.update(before)
        forget_names()
