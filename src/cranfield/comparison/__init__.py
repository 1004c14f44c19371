"""Which system is better, and is it more than luck: runs compared topic by topic, with a test and its correction.

A test is a row of `methods.TESTS`, a note for the reader a function in `notes.NOTES`. Two runs are decided on by
`deciding.decided`, on all topics as in groups; several collections share the table of `CollectionScores`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.comparison.by_group import GroupComparison, compare_groups
    from cranfield.comparison.comparing import compare, compare_scores
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.methods import CORRECTIONS, TESTS
    from cranfield.comparison.settings import Settings

# Imported when first used, so that the command line can show the tests there are without loading
# what computes them.
_HOMES = {
    "CORRECTIONS": "methods",
    "Comparison": "comparison",
    "GroupComparison": "by_group",
    "Settings": "settings",
    "TESTS": "methods",
    "compare": "comparing",
    "compare_groups": "by_group",
    "compare_scores": "comparing",
}

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Comparison",
    "GroupComparison",
    "Settings",
    "compare",
    "compare_groups",
    "compare_scores",
]

if not TYPE_CHECKING:  # for which every name would be there

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
