"""Other libraries' answers, as tests compare ours with them."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from statsmodels.stats import multitest


def multipletests(p: Any, alpha: float = 0.05, method: str = "holm") -> Any:
    """Correct p-values as statsmodels does, without the collection of garbage that it asks for at each call.

    That looks at all objects of the process: a third of a second among other tests.
    """
    with patch("gc.collect"):
        return multitest.multipletests(p, alpha, method)
