"""Python that imports numpy and ends: the least that a tool built on them can take."""

from __future__ import annotations

import sys

from benchmarks.contender import Contender, installed

NUMPY = Contender(
    name="numpy",
    version=installed("numpy"),
    processes=lambda task: [[sys.executable, "-c", "import numpy"]],
    computes={"means": "nothing: `import numpy`, the least that a tool built on it takes"},
)
CONTENDERS = (NUMPY,)
